//! Commands that read an index print the same for a file-based catalog rendered from it.

use crate::bundle_files::files;
use crate::bundles::{BOTH, fail, fail_or_miss, garden, miss, outcome_of, push, rake, succeed};
use crate::common::Sandbox;
use opmx::image::{EntryContent, ImageConfig, LayerEntry, build, layer_from_files};
use rusqlite::Connection;
use serde_json::Value;
use std::fs;

/// A database, and a catalog of it in the folder `catalog` and in the image `oci:image:v1`. The first version of the
/// rake is stored by its image, as a k8s+v1 bundle.
fn indexed() -> Sandbox {
    let sandbox = garden();
    rake(&sandbox, "rake1", "1.0.0", None);
    rake(&sandbox, "rake2", "1.1.0", Some("rake.v1.0.0"));
    succeed(&sandbox, &format!("registry add -q -b {BOTH},rake1,rake2 -d index.db"));
    let connection = Connection::open(sandbox.path("index.db")).unwrap();
    let image = "registry.example.com/rake:1";
    let by_image = format!(
        "UPDATE operatorbundle SET bundlepath = '{image}' WHERE name = 'rake.v1.0.0';
         UPDATE properties SET operatorbundle_path = '{image}' WHERE operatorbundle_name = 'rake.v1.0.0';
         INSERT INTO related_image VALUES ('{image}', 'rake.v1.0.0');
         INSERT INTO properties VALUES ('olm.bundle.mediatype', '\"k8s+v1\"', 'rake.v1.0.0', '1.0.0', '{image}');"
    );
    connection.execute_batch(&by_image).unwrap();
    drop(connection);
    write(&sandbox, &outcome_of(&sandbox, "render -q index.db").stdout);
    sandbox
}

fn write(sandbox: &Sandbox, catalog: &str) {
    fs::create_dir_all(sandbox.path("catalog")).unwrap();
    fs::write(sandbox.path("catalog/catalog.json"), catalog).unwrap();
    let label = "operators.operatorframework.io.index.configs.v1";
    let config = ImageConfig {
        labels: [(label.to_owned(), "/configs".to_owned())].into(),
        ..ImageConfig::default()
    };
    let file = LayerEntry {
        path: "configs/garden/catalog.json".to_owned(),
        mode: 0o644,
        content: EntryContent::Bytes(catalog.into()),
    };
    let image = build(&config, vec![layer_from_files(&[file], 0).unwrap()]).unwrap();
    push(sandbox, &image, "oci:image:v1");
}

const FORMS: [&str; 3] = ["index.db", "catalog", "oci:image:v1"];

#[test]
fn images_are_listed_with_their_roles() {
    let sandbox = indexed();
    for options in [
        "-o json",
        "-o json -p rake",
        "-o json --channel stable --version >=1.1.0 --intent required,recommended",
        "-o mapping --to mirror.example.com/garden",
    ] {
        let [database, folder, image] = FORMS.map(|form| {
            let outcome = outcome_of(&sandbox, &format!("index list images {form} {options}"));
            (outcome.stdout, outcome.stderr)
        });
        assert_eq!(folder, database, "{options}");
        assert_eq!(image, database, "{options}");
    }
    let all = outcome_of(&sandbox, "index list images catalog -o json").stdout;
    let all: Value = serde_json::from_str(&all).unwrap();
    let roles = |wanted: &str| {
        let images = all.as_array().unwrap().iter();
        images
            .filter(|image| {
                image["bundles"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .any(|used| used["role"] == wanted)
            })
            .count()
    };
    assert!(roles("operator") > 0, "{all}");
    assert_eq!(roles("bundle"), 1, "{all}");
    let outcome = miss(&sandbox, "index list images catalog raek");
    assert!(outcome.stderr.contains("hint: did you mean \"rake\"?"), "{outcome}");
}

#[test]
fn a_catalog_and_a_database_are_exported_identically() {
    let sandbox = indexed();
    for form in FORMS {
        let name = form.replace(['.', ':'], "-");
        let packages = "compost-operator,greenhouse-operator,rake";
        succeed(
            &sandbox,
            &format!("index export -q -i {form} -p {packages} -f out/{name}"),
        );
    }
    let written = FORMS.map(|form| files(&sandbox.path("out").join(form.replace(['.', ':'], "-"))));
    assert!(written[0].len() > 8, "{:?}", written[0].keys());
    assert!(written[1] == written[0] && written[2] == written[0]);
    let outcome = miss(&sandbox, "index export -i catalog -p raek");
    assert!(outcome.stderr.contains("hint: did you mean \"rake\"?"), "{outcome}");
}

/// Returns the exit status, and the rule, message and file of each finding.
fn findings(sandbox: &Sandbox, line: &str) -> (Option<i32>, Vec<[String; 3]>) {
    let outcome = sandbox.run(line.split_whitespace().chain(["-o", "json"]));
    let report: Value = serde_json::from_str(&outcome.stdout).unwrap_or_else(|_| panic!("{line}: {outcome}"));
    let findings = report["findings"].as_array().unwrap().iter();
    let text = |finding: &Value, key: &str| finding[key].as_str().unwrap_or_default().to_owned();
    let findings = findings.map(|finding| ["rule", "message", "file"].map(|key| text(finding, key)));
    (outcome.status, findings.collect())
}

#[test]
fn a_catalog_has_the_same_cluster_findings_as_its_database() {
    let sandbox = indexed();
    let of_clusters = |form: &str| {
        let (status, findings) = findings(&sandbox, &format!("index check {form} --for 0.18.0"));
        let of_clusters = findings.into_iter().filter(|[rule, ..]| rule.starts_with("cluster-"));
        (status, of_clusters.collect::<Vec<_>>())
    };
    let [database, folder, image] = FORMS.map(of_clusters);
    assert_eq!(database.0, Some(1));
    assert!(
        database.1.iter().any(|[rule, ..]| rule == "cluster-media-type"),
        "{database:?}"
    );
    assert_eq!(folder, database);
    assert_eq!(image, database);
}

#[test]
fn registries_are_queried_for_the_images_of_a_catalog() {
    let sandbox = indexed();
    let catalog = fs::read_to_string(sandbox.path("catalog/catalog.json")).unwrap();
    // Nobody listens there.
    write(
        &sandbox,
        &catalog.replace("registry.example.com/rake:1", "127.0.0.1:1/rake:1"),
    );
    for form in ["catalog", "oci:image:v1"] {
        let (status, findings) = findings(&sandbox, &format!("index check {form} --images --use-http --retries 0"));
        let about_images = findings.iter().filter(|[rule, ..]| rule.starts_with("index-image-"));
        let about_images: Vec<_> = about_images.collect();
        assert_eq!((status, about_images.len()), (Some(1), 1), "{findings:?}");
        let [rule, message, _] = about_images[0];
        assert_eq!(rule, "index-image-unknown");
        assert!(
            message.contains("bundle \"rake.v1.0.0\" (channel \"stable\" of package \"rake\")"),
            "{message}"
        );
    }
}

#[test]
fn findings_in_a_catalog_name_files_as_the_user_does() {
    let sandbox = indexed();
    assert_eq!(findings(&sandbox, "index check catalog").0, Some(0));
    let catalog = fs::read_to_string(sandbox.path("catalog/catalog.json")).unwrap();
    write(
        &sandbox,
        &catalog.replace("\"replaces\": \"rake.v1.0.0\"", "\"replaces\": \"rake.v0\""),
    );
    let (status, validated) = findings(&sandbox, "validate catalog");
    assert_eq!(status, Some(1));
    assert_eq!(findings(&sandbox, "index check catalog"), (status, validated.clone()));
    let (_, in_image) = findings(&sandbox, "index check oci:image:v1");
    let renamed = validated.into_iter().map(|[rule, message, file]| {
        assert_eq!(file, "catalog/catalog.json");
        [rule, message, "oci:image:v1: /configs/garden/catalog.json".to_owned()]
    });
    assert_eq!(in_image, renamed.collect::<Vec<_>>());
    let outcome = sandbox.run("index check catalog --for registry+v1".split(' '));
    assert_eq!(outcome.status, Some(1));
    let warning = "warning: the catalog has errors, so its images and its use on clusters were not checked\n";
    assert!(outcome.stderr.contains(warning), "{outcome}");
    let outcome = sandbox.run("index check catalog --fix".split(' '));
    assert_eq!(outcome.status, Some(2), "{outcome}");
    assert!(outcome.stderr.contains("not a file-based catalog"), "{outcome}");
}

#[test]
fn a_bundle_is_rejected_as_a_catalog() {
    let sandbox = garden();
    for command in [
        "index check greenhouse",
        "index list images greenhouse",
        "index export -i greenhouse",
    ] {
        let outcome = fail(&sandbox, command);
        assert!(
            outcome
                .stderr
                .starts_with("error: greenhouse is a bundle, not an index\n"),
            "{outcome}"
        );
    }
}

#[test]
fn a_misspelled_path_is_rejected_with_the_nearest_file() {
    let sandbox = indexed();
    for (line, hint) in [
        ("serve ./catalgo -p 0", "did you mean ./catalog?"),
        ("serve inedx.db -p 0", "did you mean index.db?"),
        ("index list bundles ./catalgo", "did you mean ./catalog?"),
        ("index check ./indx.db", "did you mean ./index.db?"),
        ("index graph inedx.db", "did you mean index.db?"),
        ("index diff index.db ./catalgo", "did you mean ./catalog?"),
        ("index rm -o rake -f inedx.db -t oci:out:v1", "did you mean index.db?"),
        ("index from-fbc ./catalgo -t oci:out:v1", "did you mean ./catalog?"),
        ("render ./catalgo", "did you mean ./catalog?"),
        ("migrate inedx.db out", "did you mean index.db?"),
        (
            "bundle synthesize greenhouse --api-source ./catalgo",
            "did you mean ./catalog?",
        ),
    ] {
        let outcome = fail_or_miss(&sandbox, line);
        let last = outcome.stderr.lines().last().unwrap_or_default();
        assert_eq!(last, format!("  hint: {hint}"), "{line}: {outcome}");
    }
}
