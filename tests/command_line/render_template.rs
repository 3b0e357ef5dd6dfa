//! `alpha render-template` with complete bundles.

use crate::bundles::{fail, fail_or_miss, garden, names, outcome_of, rake, serve_layout, small_base, succeed};
use crate::common::{Outcome, Sandbox};
use serde_json::Value;
use std::fs;
use std::io::Write as _;
use std::process::Stdio;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

/// Bundles of the package `rake` in folders and in a layout.
fn rakes() -> Sandbox {
    let sandbox = garden();
    for (folder, version) in [
        ("rake1", "1.0.0"),
        ("rake2", "1.1.0"),
        ("rake3", "1.1.1"),
        ("rake4", "2.0.0"),
    ] {
        rake(&sandbox, folder, version, None);
        succeed(&sandbox, &format!("bundle build -q {folder} -t oci:bundles:{folder}"));
    }
    sandbox
}

const SEMVER: &str = "Schema: olm.semver
GenerateMajorChannels: true
GenerateMinorChannels: false
Candidate:
  Bundles:
  - Image: oci:bundles:rake4
Stable:
  Bundles:
  - Image: ./rake3
  - Image: rake1
  - Image: oci:bundles:rake2
";

fn documents(catalog: &str) -> Vec<Value> {
    let documents = serde_json::Deserializer::from_str(catalog).into_iter();
    documents.map(Result::unwrap).collect()
}

/// The catalog without its bundles.
fn head(catalog: &str) -> String {
    let documents = catalog.split_inclusive("\n}\n");
    documents
        .filter(|document| !document.contains("\"schema\": \"olm.bundle\""))
        .collect()
}

/// Runs a command with this standard input.
fn piped(sandbox: &Sandbox, line: &str, text: &str) -> Outcome {
    let mut command = sandbox.command(line.split_whitespace());
    command.stdin(Stdio::from(fs::File::open(file(sandbox, text)).unwrap()));
    sandbox.finish(&mut command)
}

fn file(sandbox: &Sandbox, text: &str) -> std::path::PathBuf {
    let path = sandbox.path("template.yaml");
    fs::File::create(&path).unwrap().write_all(text.as_bytes()).unwrap();
    path
}

#[test]
fn channels_are_derived_from_the_versions_of_folders_and_images() {
    let sandbox = rakes();
    file(&sandbox, SEMVER);
    let outcome = outcome_of(&sandbox, "alpha render-template semver template.yaml");
    assert_eq!(outcome.stderr, "");
    insta::assert_snapshot!(head(&outcome.stdout), @r#"
    {
        "schema": "olm.package",
        "name": "rake",
        "defaultChannel": "stable-v1"
    }
    {
        "schema": "olm.channel",
        "name": "candidate-v2",
        "package": "rake",
        "entries": [
            {
                "name": "rake.v2.0.0"
            }
        ]
    }
    {
        "schema": "olm.channel",
        "name": "stable-v1",
        "package": "rake",
        "entries": [
            {
                "name": "rake.v1.0.0"
            },
            {
                "name": "rake.v1.1.0"
            },
            {
                "name": "rake.v1.1.1",
                "replaces": "rake.v1.0.0",
                "skips": [
                    "rake.v1.1.0"
                ]
            }
        ]
    }
    "#);
    // The bundles are those that render writes.
    let bundles: Vec<Value> = documents(&outcome.stdout)
        .into_iter()
        .filter(|document| document["schema"] == "olm.bundle")
        .collect();
    let rendered = outcome_of(&sandbox, "render rake1 rake2 rake3 rake4").stdout;
    assert_eq!(bundles, documents(&rendered));

    // The type may be left out, and the template come from standard input.
    for line in [
        "alpha render-template template.yaml",
        "alpha render-template semver -",
        "alpha render-template semver",
        "alpha render-template -",
        "alpha render-template",
    ] {
        assert!(piped(&sandbox, line, SEMVER).stdout == outcome.stdout, "{line}");
    }
}

#[test]
fn a_semver_template_gives_a_valid_catalog_that_can_be_drawn() {
    let sandbox = rakes();
    file(&sandbox, SEMVER);
    fs::create_dir(sandbox.path("catalog")).unwrap();
    let catalog = outcome_of(&sandbox, "alpha render-template template.yaml -o yaml").stdout;
    fs::write(sandbox.path("catalog/catalog.yaml"), catalog).unwrap();
    assert_eq!(outcome_of(&sandbox, "validate catalog").stdout, "");
    let drawn = outcome_of(&sandbox, "alpha render-template template.yaml -o mermaid").stdout;
    insta::assert_snapshot!(drawn, @r#"
    flowchart LR
      subgraph p0["rake"]
        subgraph c0["candidate-v2"]
          b0["rake.v2.0.0<br/>2.0.0, head"]
        end
        subgraph c1["stable-v1, default"]
          b1["rake.v1.1.1<br/>1.1.1, head"]
          b2["rake.v1.1.0<br/>1.1.0"]
          b3["rake.v1.0.0<br/>1.0.0"]
          b3 -->|replaces| b1
          b2 -.->|skips| b1
        end
      end
      classDef head stroke-width:4px
      class b0,b1 head
      linkStyle 1 stroke-dasharray:8 4
    "#);
    assert_eq!(outcome_of(&sandbox, "index graph catalog").stdout, drawn);
}

const BASIC: &str = "schema: olm.package
name: rake
defaultChannel: stable
---
schema: olm.channel
package: rake
name: stable
entries:
- name: rake.v1.1.0
  replaces: rake.v1.0.0
- name: rake.v1.0.0
---
schema: olm.bundle
image: HOST/rake2:v1
---
schema: olm.bundle
name: rake.v1.0.0
image: HOST/rake1:v1
---
schema: rake.example.com
handle: ash
";

#[test]
fn both_forms_of_a_basic_template_render_bundles_from_a_registry() {
    let sandbox = rakes();
    let registry = serve_layout(&sandbox, "bundles", || {});
    let older = BASIC.replace("HOST", &registry.host);
    let entries = older
        .split("---\n")
        .map(|document| format!("- {}\n", document.trim_end().replace('\n', "\n  ")));
    let newer = format!("schema: olm.template.basic\nentries:\n{}", entries.collect::<String>());
    file(&sandbox, &older);
    let catalog = outcome_of(&sandbox, "alpha render-template basic template.yaml --use-http").stdout;
    let found = documents(&catalog);
    let shown: Vec<String> = found
        .iter()
        .map(|document| format!("{} {} {}", document["schema"], document["name"], document["image"]).replace('"', ""))
        .collect();
    assert_eq!(
        shown,
        [
            "olm.package rake null".to_owned(),
            "olm.channel stable null".to_owned(),
            format!("olm.bundle rake.v1.0.0 {}/rake1:v1", registry.host),
            format!("olm.bundle rake.v1.1.0 {}/rake2:v1", registry.host),
            "rake.example.com null null".to_owned(),
        ]
    );
    for (line, text) in [
        ("alpha render-template --use-http", &older),
        ("alpha render-template --use-http", &newer),
        ("alpha render-template basic --use-http", &newer),
    ] {
        assert!(piped(&sandbox, line, text).stdout == catalog, "{line}");
    }

    // Manifests of bundles that have an image give way where that is asked for.
    let small = piped(&sandbox, "alpha render-template --use-http --migrate-level all", &newer).stdout;
    assert!(small.contains("olm.csv.metadata") && !small.contains("olm.bundle.object"));

    // And back.
    fs::write(sandbox.path("catalog.json"), &catalog).unwrap();
    let template = outcome_of(&sandbox, "alpha convert-template basic catalog.json -o yaml").stdout;
    let again = piped(&sandbox, "alpha render-template --use-http", &template).stdout;
    assert!(documents(&again) == found);
}

#[test]
fn a_substitute_replaces_another_bundle() {
    let sandbox = rakes();
    file(&sandbox, &SEMVER.replace("  - Image: ./rake3\n", ""));
    let catalog = outcome_of(&sandbox, "alpha render-template template.yaml").stdout;
    fs::write(sandbox.path("catalog.json"), catalog).unwrap();
    let template = outcome_of(&sandbox, "alpha convert-template substitutes catalog.json").stdout;
    let with = template.replace(
        "\"substitutions\": []",
        "\"substitutions\": [{\"name\": \"rake3\", \"base\": \"rake.v1.1.0\"}]",
    );
    assert_ne!(with, template);
    let catalog = piped(&sandbox, "alpha render-template substitutes -", &with).stdout;
    let documents = documents(&catalog);
    let channel = documents
        .iter()
        .find(|document| document["name"] == "stable-v1")
        .unwrap();
    assert_eq!(
        channel["entries"],
        serde_json::json!([
            {"name": "rake.v1.0.0"},
            {"name": "rake.v1.1.0"},
            {"name": "rake.v1.1.1", "replaces": "rake.v1.0.0", "skips": ["rake.v1.1.0"]},
        ])
    );
    let older = with
        .replace("rake3", "rake1")
        .replace("rake.v1.1.0\"}]", "rake.v2.0.0\"}]");
    let refused = piped(&sandbox, "alpha render-template", &older);
    assert_eq!((refused.status, refused.stdout.as_str()), (Some(1), ""));
    assert!(
        refused.stderr.contains("its version 1.0.0 is not greater than 2.0.0"),
        "{refused}"
    );
}

#[test]
fn every_bundle_that_cannot_be_rendered_is_reported_with_its_line() {
    let sandbox = rakes();
    small_base(&sandbox);
    fs::remove_file(sandbox.path("rake2/metadata/annotations.yaml")).unwrap();
    let template = "schema: olm.semver\nstable:\n  bundles:\n  - image: rake1\n  - image: rake2\n  - image: ./rake9\n  - image: oci:base:v1\n  - image: Not An Image\n";
    file(&sandbox, template);
    let outcome = fail(&sandbox, "alpha render-template template.yaml");
    insta::assert_snapshot!(outcome, @r#"
    ------- stderr -------
    error[ann-file-missing]: rake2 has no annotations file in metadata/
     |
     = help: Create metadata/annotations.yaml with `opmx bundle generate DIR -p PACKAGE -c CHANNELS`.

    error[format-metadata-dir]: rake2 contains no files in metadata/
     |
     = help: Add a folder metadata/ with annotations.yaml, and with olm.yaml for a k8s+v1 bundle; `opmx bundle init` creates both.

    2 errors
    error: template.yaml:5: rake2 has errors
    error: template.yaml:6: ./rake9 cannot be rendered
      caused by: cannot read ./rake9: No such file or directory (os error 2)
      hint: did you mean ./rake1?
    error: template.yaml:7: oci:base:v1 cannot be rendered
      caused by: oci:base:v1 is not a bundle image: it contains no files in manifests/ or metadata/
    error: template.yaml:8: Not An Image cannot be rendered
      caused by: Not An Image is neither a folder nor an image reference: "Not An Image" is not an image reference: it contains the character ' '
    error: 4 of 5 bundles cannot be rendered, so nothing was written
    ------- exit 1 -------
    "#);
    for (line, words) in [
        ("alpha render-template nothing.yaml", "cannot read nothing.yaml"),
        (
            "alpha render-template basic template.yaml",
            "template.yaml:1: the document has the schema \"olm.semver\"",
        ),
    ] {
        let outcome = fail_or_miss(&sandbox, line);
        assert!(outcome.stderr.contains(words), "{line}: {outcome}");
    }
    assert_eq!(
        sandbox
            .run("alpha render-template bogus template.yaml".split(' '))
            .status,
        Some(2)
    );
}

#[test]
fn composite_templates_are_rejected_with_the_reason() {
    let sandbox = Sandbox::new();
    for line in [
        "alpha render-template composite",
        "alpha render-template composite -c config.yaml -f catalogs.yaml --validate=false",
    ] {
        let outcome = fail(&sandbox, line);
        assert!(
            outcome
                .stderr
                .contains("composite templates are not supported because they run a container tool"),
            "{outcome}"
        );
    }
}

#[test]
fn published_operators_are_rendered_to_valid_catalogs() {
    let Some(corpus) = crate::shared::folder("corpus/registryv1") else {
        return;
    };
    let (mut operators, mut bundles) = (0, 0);
    // This one is not YAML where it names what it depends on.
    let operators_of_the_corpus = names(&corpus).into_iter().filter(|name| name != "eventing-kogito");
    for operator in operators_of_the_corpus.filter(|name| corpus.join(name).is_dir()) {
        let folder = corpus.join(&operator);
        let versions = names(&folder);
        let sandbox = Sandbox::new();
        let images = versions
            .iter()
            .map(|version| format!("  - image: {}\n", folder.join(version).display()));
        let template = format!(
            "schema: olm.semver\ngenerateMajorChannels: true\ncandidate:\n  bundles:\n{}",
            images.collect::<String>()
        );
        file(&sandbox, &template);
        let catalog = outcome_of(&sandbox, "alpha render-template template.yaml").stdout;
        fs::create_dir(sandbox.path("catalog")).unwrap();
        fs::write(sandbox.path("catalog/catalog.json"), &catalog).unwrap();
        let outcome = sandbox.run(["validate", "catalog", "-q"]);
        assert_eq!(
            (outcome.status, outcome.stdout.as_str()),
            (Some(0), ""),
            "{operator}: {outcome}"
        );
        let drawn = outcome_of(&sandbox, "alpha render-graph catalog").stdout;
        assert!(drawn.contains("candidate-v"), "{operator}: {drawn}");
        operators += 1;
        bundles += versions.len();
    }
    println!("{bundles} bundles of {operators} operators");
    assert!(operators > 10, "{operators}");
}

/// Blocks requests until several are pending.
#[derive(Default)]
struct Gathering {
    waiting: Mutex<usize>,
    more: Condvar,
}

#[test]
fn bundles_are_fetched_concurrently() {
    // The first request is alone: it shows whether the registry answers.
    const TOGETHER: usize = 3;
    let sandbox = rakes();
    let gathering = Arc::new(Gathering::default());
    let at_the_door = Arc::clone(&gathering);
    let registry = serve_layout(&sandbox, "bundles", move || {
        let mut waiting = at_the_door.waiting.lock().unwrap();
        *waiting += 1;
        at_the_door.more.notify_all();
        if *waiting == 1 {
            return;
        }
        // The limit is reached only where no second request comes while the first one waits.
        let limit = Duration::from_mins(1);
        let (_waiting, waited) = at_the_door
            .more
            .wait_timeout_while(waiting, limit, |waiting| *waiting < TOGETHER)
            .unwrap();
        assert!(!waited.timed_out(), "one bundle is fetched after the other");
    });
    let images = ["rake1", "rake2", "rake3"].map(|name| format!("  - image: {}/{name}:v1\n", registry.host));
    file(
        &sandbox,
        &format!("schema: olm.semver\nstable:\n  bundles:\n{}", images.concat()),
    );
    succeed(&sandbox, "alpha render-template template.yaml --use-http");
}
