//! `catalog release`: adding a version to the templates and catalogs of a community repository.

use crate::bundles::{operator, outcome_of, serve_layout, succeed};
use crate::common::{Outcome, Sandbox};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const BOTH_TEMPLATES: &str = "\
updateGraph: replaces-mode
reviewers: [gardener]
fbc:
  enabled: true
  catalog_mapping:
  - template_name: basic.yaml
    catalog_names: [v4.16, v4.17]
    type: olm.template.basic
  - template_name: semver.yaml
    catalog_names: [v5.0]
    type: olm.semver
";

fn write(sandbox: &Sandbox, path: &str, text: &str) {
    let path = sandbox.path(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn read(sandbox: &Sandbox, path: &str) -> String {
    fs::read_to_string(sandbox.path(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The release-config.yaml of a version.
fn asked(sandbox: &Sandbox, version: &str, text: &str) {
    write(sandbox, &format!("operators/rake/{version}/release-config.yaml"), text);
}

/// A repository with an operator of three versions, each in a folder of its own, whose bundles are in `rake1` to
/// `rake3`.
fn repository(ci: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    write(&sandbox, "operators/rake/ci.yaml", ci);
    for (number, before) in [(1, None), (2, Some(1)), (3, Some(2))] {
        operator(
            &sandbox,
            &format!("rake{number}"),
            "rake",
            &format!("1.{number}.0"),
            None,
        );
        let replaces = before.map_or(String::new(), |before| format!("  replaces: rake.v1.{before}.0\n"));
        let text = format!(
            "catalog_templates:\n- template_name: basic.yaml\n  channels: [stable, fast]\n{replaces}- template_name: semver.yaml\n  channels: [Stable]\n"
        );
        asked(&sandbox, &format!("1.{number}.0"), &text);
    }
    sandbox
}

fn run(sandbox: &Sandbox, line: &str) -> Outcome {
    sandbox.run(line.split_whitespace())
}

/// The documents of a catalog, each by its schema and name.
fn model(sandbox: &Sandbox, rendered: &str) -> Vec<Value> {
    let outcome = outcome_of(sandbox, rendered);
    let documents = serde_json::Deserializer::from_str(&outcome.stdout).into_iter::<Value>();
    let mut documents: Vec<Value> = documents.map(Result::unwrap).collect();
    documents.sort_by_key(|document| format!("{}/{}", document["schema"], document["name"]));
    documents
}

#[test]
fn releasing_versions_one_by_one_gives_the_catalogs_of_the_templates() {
    let sandbox = repository(BOTH_TEMPLATES);
    insta::assert_snapshot!(outcome_of(&sandbox, "catalog release operators/rake 1.1.0 --bundle rake1"), @"
    ------- stderr -------
    rake.v1.1.0 is in v4.16, v4.17, v5.0
    wrote catalogs/v4.16/rake/catalog.yaml
    wrote catalogs/v4.17/rake/catalog.yaml
    wrote catalogs/v5.0/rake/catalog.yaml
    wrote operators/rake/catalog-templates/basic.yaml
    wrote operators/rake/catalog-templates/semver.yaml
    ");
    succeed(&sandbox, "catalog release operators/rake --bundle rake2");
    succeed(&sandbox, "catalog release operators/rake/ 1.3.0 -b rake3");
    let [basic, semver] = ["basic", "semver"].map(|name| format!("operators/rake/catalog-templates/{name}.yaml"));
    insta::assert_snapshot!(read(&sandbox, &basic), @"
    schema: olm.template.basic
    entries:
    - schema: olm.package
      name: rake
      defaultChannel: stable
    - schema: olm.channel
      name: stable
      package: rake
      entries:
      - name: rake.v1.3.0
        replaces: rake.v1.2.0
      - name: rake.v1.2.0
        replaces: rake.v1.1.0
      - name: rake.v1.1.0
    - schema: olm.channel
      name: fast
      package: rake
      entries:
      - name: rake.v1.3.0
        replaces: rake.v1.2.0
      - name: rake.v1.2.0
        replaces: rake.v1.1.0
      - name: rake.v1.1.0
    - schema: olm.bundle
      image: rake1
      name: rake.v1.1.0
    - schema: olm.bundle
      image: rake2
      name: rake.v1.2.0
    - schema: olm.bundle
      image: rake3
      name: rake.v1.3.0
    ");
    insta::assert_snapshot!(read(&sandbox, &semver), @"
    Schema: olm.semver
    GenerateMajorChannels: true
    GenerateMinorChannels: true
    Stable:
      Bundles:
      - Image: rake1
      - Image: rake2
      - Image: rake3
    ");
    for (template, catalogs) in [(&basic, &["v4.16", "v4.17"][..]), (&semver, &["v5.0"])] {
        let described = model(&sandbox, &format!("alpha render-template {template}"));
        for catalog in catalogs {
            succeed(&sandbox, &format!("validate catalogs/{catalog}"));
            assert_eq!(
                model(&sandbox, &format!("render catalogs/{catalog}/rake")),
                described,
                "{catalog}"
            );
        }
    }
}

#[test]
fn repeating_a_release_changes_nothing() {
    let sandbox = repository(BOTH_TEMPLATES);
    let line = "catalog release operators/rake --bundle rake1";
    succeed(&sandbox, line);
    insta::assert_snapshot!(outcome_of(&sandbox, line), @"
    ------- stderr -------
    no changes in .
    ");
    succeed(&sandbox, "catalog release operators/rake --bundle rake2");
    insta::assert_snapshot!(outcome_of(&sandbox, line), @"
    ------- stderr -------
    no changes in .
    ");
}

#[test]
fn a_dry_run_shows_the_change_and_writes_nothing() {
    let sandbox = repository(BOTH_TEMPLATES);
    succeed(&sandbox, "catalog release operators/rake --bundle rake1");
    let before = read(&sandbox, "catalogs/v4.16/rake/catalog.yaml");
    let shown = outcome_of(&sandbox, "catalog release operators/rake --bundle rake2 --dry-run");
    assert!(
        shown
            .stdout
            .contains("+++ b/operators/rake/catalog-templates/basic.yaml"),
        "{shown}"
    );
    assert!(
        shown.stdout.contains("+++ b/catalogs/v5.0/rake/catalog.yaml"),
        "{shown}"
    );
    assert_eq!(read(&sandbox, "catalogs/v4.16/rake/catalog.yaml"), before);
}

#[test]
fn comments_and_spelling_of_templates_are_kept() {
    let sandbox = repository(BOTH_TEMPLATES);
    succeed(&sandbox, "catalog release operators/rake --bundle rake1");
    let basic = "operators/rake/catalog-templates/basic.yaml";
    let written = read(&sandbox, basic);
    let commented = written.replace("name: stable\n", "name: stable # for everybody\n");
    assert_ne!(commented, written);
    write(&sandbox, basic, &format!("# By hand.\n{commented}"));
    let semver = "operators/rake/catalog-templates/semver.yaml";
    write(
        &sandbox,
        semver,
        "schema: olm.semver\ngenerateMajorChannels: true # one for each\ngenerateMinorChannels: true\nstable:\n  bundles:\n  # the first\n  - image: rake1\n",
    );
    let catalog = "catalogs/v4.17/rake/catalog.yaml";
    let before = format!("# Ours.\n{}", read(&sandbox, catalog));
    write(&sandbox, catalog, &before);
    succeed(&sandbox, "catalog release operators/rake --bundle rake2");
    let after = read(&sandbox, basic);
    assert!(
        after.starts_with("# By hand.\n") && after.contains("name: stable # for everybody\n"),
        "{after}"
    );
    insta::assert_snapshot!(read(&sandbox, semver), @"
    schema: olm.semver
    generateMajorChannels: true # one for each
    generateMinorChannels: true
    stable:
      bundles:
      # the first
      - image: rake1
      - image: rake2
    ");
    assert!(read(&sandbox, catalog).starts_with("# Ours.\n"));
}

/// The registry of the three bundles, as `rake1:v1` to `rake3:v1`, and its number of answers.
fn published(sandbox: &Sandbox) -> (crate::http::Server, Arc<AtomicUsize>) {
    for number in 1..=3 {
        succeed(
            sandbox,
            &format!("bundle build rake{number} -q -t oci:images:rake{number}"),
        );
    }
    let answers = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&answers);
    let server = serve_layout(sandbox, "images", move || {
        counted.fetch_add(1, Ordering::SeqCst);
    });
    (server, answers)
}

#[test]
fn eleven_catalogs_fetch_each_bundle_once_and_keep_their_own_form() {
    let names: Vec<String> = (12..=22).map(|minor| format!("v4.{minor}")).collect();
    let ci = format!(
        "fbc:\n  enabled: true\n  catalog_mapping:\n  - template_name: basic.yaml\n    catalog_names: [{}]\n    type: olm.template.basic\n",
        names.join(", ")
    );
    let sandbox = repository(&ci);
    for number in 1..=3 {
        let replaces = if number == 1 {
            String::new()
        } else {
            format!("  replaces: rake.v1.{}.0\n", number - 1)
        };
        asked(
            &sandbox,
            &format!("1.{number}.0"),
            &format!("catalog_templates:\n- template_name: basic.yaml\n  channels: [stable]\n{replaces}"),
        );
    }
    let (server, answers) = published(&sandbox);
    let line = |number: u32| {
        let host = &server.host;
        format!("catalog release operators/rake --no-cache --use-http --bundle {host}/rake{number}:v1")
    };
    succeed(&sandbox, &line(1));
    let of_one = answers.swap(0, Ordering::SeqCst);
    succeed(&sandbox, &line(2));
    assert_eq!(
        answers.swap(0, Ordering::SeqCst),
        of_one,
        "the first bundle is in all catalogs"
    );
    fs::remove_dir_all(sandbox.path("catalogs/v4.20")).unwrap();
    fs::remove_dir_all(sandbox.path("catalogs/v4.21")).unwrap();
    succeed(&sandbox, &line(3));
    assert_eq!(
        answers.swap(0, Ordering::SeqCst),
        3 * of_one,
        "two catalogs need all bundles"
    );
    let texts: Vec<String> = names
        .iter()
        .map(|name| read(&sandbox, &format!("catalogs/{name}/rake/catalog.yaml")))
        .collect();
    for (name, text) in names.iter().zip(&texts) {
        let small = name.as_str() >= "v4.17";
        assert_eq!(text.contains("olm.csv.metadata"), small, "{name}");
        assert_eq!(text.contains("olm.bundle.object"), !small, "{name}");
    }
    assert!(texts[..5].iter().all(|text| *text == texts[0]));
    assert_eq!(
        model(&sandbox, "render catalogs/v4.22"),
        model(&sandbox, "render catalogs/v4.20")
    );
}

#[test]
fn mistakes_in_the_files_are_findings_and_nothing_is_written() {
    let sandbox = repository(&BOTH_TEMPLATES.replacen("catalog_names", "catalogs_names", 1));
    insta::assert_snapshot!(run(&sandbox, "catalog release operators/rake 1.1.0 --bundle nowhere"), @"
    ------- stderr -------
    error[release-value]: fbc.catalog_mapping[0] requires a value for catalog_names
     --> operators/rake/ci.yaml:6:5
      |
    6 |   - template_name: basic.yaml
      |     ^^^^^^^^^^^^^^^^^^^^^^^^^
      |
      = help: List the catalogs, such as v4.20.

    error[release-key]: fbc.catalog_mapping[0].catalogs_names is not a known key of ci.yaml
     --> operators/rake/ci.yaml:7:5
      |
    7 |     catalogs_names: [v4.16, v4.17]
      |     ^^^^^^^^^^^^^^
      |
      = help: Did you mean catalog_names?

    2 errors
    error: operators/rake cannot be released, so nothing was written
    ------- exit 1 -------
    ");
    write(
        &sandbox,
        "operators/rake/ci.yaml",
        &BOTH_TEMPLATES.replace("v5.0", "next"),
    );
    asked(
        &sandbox,
        "1.1.0",
        "catalog_templates:\n- template_name: basics.yaml\n  channels: [stable]\n- template_name: semver.yaml\n  channels: [stabel]\n  replaces: rake.v1.0.0\n- template_name: basic.yaml\n  channels: [stable, stable]\n  defaultChannel: fast\n  skips: []\nnote: none\n",
    );
    insta::assert_snapshot!(run(&sandbox, "catalog release operators/rake 1.1.0 --bundle nowhere"), @r#"
    ------- stderr -------
    error[release-template-unmapped]: ci.yaml maps the template "basics.yaml" to no catalog
     --> operators/rake/1.1.0/release-config.yaml:2:18
      |
    2 | - template_name: basics.yaml
      |                  ^^^^^^^^^^^
      |
      = help: Did you mean "basic.yaml"? Add the template to fbc.catalog_mapping in ci.yaml, with its catalogs; otherwise nothing is rendered from it.

    error[release-channel]: semver.yaml does not have a list "stabel"
     --> operators/rake/1.1.0/release-config.yaml:5:14
      |
    5 |   channels: [stabel]
      |              ^^^^^^
      |
      = help: Use Candidate, Fast or Stable, because a semver template derives its channels from these lists.

    warning[release-unused]: replaces has no effect for semver.yaml, which is a semver template
     --> operators/rake/1.1.0/release-config.yaml:6:13
      |
    6 |   replaces: rake.v1.0.0
      |             ^^^^^^^^^^^
      |
      = help: Remove the key: updates in a semver template follow from the versions alone.

    error[release-value]: catalog_templates[2].channels contains "stable" twice
     --> operators/rake/1.1.0/release-config.yaml:8:22
      |
    8 |   channels: [stable, stable]
      |                      ^^^^^^
      |
      = help: Use a value that the pipelines accept.

    error[release-value]: the default channel "fast" is not one of the channels
     --> operators/rake/1.1.0/release-config.yaml:9:19
      |
    9 |   defaultChannel: fast
      |                   ^^^^
      |
      = help: Use a value that the pipelines accept.

    error[release-value]: catalog_templates[2].skips is empty
      --> operators/rake/1.1.0/release-config.yaml:10:10
       |
    10 |   skips: []
       |          ^^
       |
       = help: Use a value that the pipelines accept.

    error[release-key]: note is not a known key of release-config.yaml
      --> operators/rake/1.1.0/release-config.yaml:11:1
       |
    11 | note: none
       | ^^^^
       |
       = help: Known keys are merge, catalog_templates.

    warning[release-catalog-version]: the name of the catalog "next" contains no OpenShift version, so bundles keep their manifests
      --> operators/rake/ci.yaml:10:21
       |
    10 |     catalog_names: [next]
       |                     ^^^^
       |
       = help: Name the catalog after an OpenShift version, such as v4.20, which determines the format of its bundles.

    6 errors, 2 warnings
    error: operators/rake cannot be released, so nothing was written
    ------- exit 1 -------
    "#);
    assert!(!sandbox.path("catalogs").exists() && !sandbox.path("operators/rake/catalog-templates").exists());
}

#[test]
fn edges_are_compared_with_the_template() {
    let sandbox = repository(BOTH_TEMPLATES);
    succeed(&sandbox, "catalog release operators/rake --bundle rake1");
    asked(
        &sandbox,
        "1.2.0",
        "catalog_templates:\n- template_name: basic.yaml\n  channels: [stable]\n  defaultChannel: stable\n  replaces: rake.v1.0.0\n",
    );
    insta::assert_snapshot!(run(&sandbox, "catalog release operators/rake 1.2.0 --bundle rake2"), @r#"
    ------- stderr -------
    error[release-edge]: channel "stable" of basic.yaml does not contain "rake.v1.0.0", which the version replaces
     --> operators/rake/1.2.0/release-config.yaml:5:13
      |
    5 |   replaces: rake.v1.0.0
      |             ^^^^^^^^^^^
      |
      = help: Did you mean "rake.v1.1.0"? Name a bundle of the channel, or first add the named bundle to the channel; otherwise the update has no target.

    1 error
    error: operators/rake cannot be released, so nothing was written
    ------- exit 1 -------
    "#);
    asked(
        &sandbox,
        "1.2.0",
        "catalog_templates:\n- template_name: basic.yaml\n  channels: [fast]\n  defaultChannel: fast\n",
    );
    insta::assert_snapshot!(run(&sandbox, "catalog release operators/rake 1.2.0 --bundle rake2"), @r#"
    ------- stderr -------
    error: the version cannot be added to the template operators/rake/catalog-templates/basic.yaml: bundle rake.v1.2.0 would be a second head of channel "fast" of package "rake" beside rake.v1.1.0: it replaces nothing
      hint: make rake.v1.2.0 replace or skip rake.v1.1.0
    ------- exit 1 -------
    "#);
    asked(
        &sandbox,
        "1.1.0",
        "catalog_templates:\n- template_name: basic.yaml\n  channels: [fast]\n  skipRange: <1.1.0\n",
    );
    insta::assert_snapshot!(run(&sandbox, "catalog release operators/rake 1.1.0 --bundle rake1"), @r#"
    ------- stderr -------
    error: the version cannot be added to the template operators/rake/catalog-templates/basic.yaml: bundle "rake.v1.1.0" is already in channel "fast" of package "rake", but with different replaces or skips
      hint: change the edges with --overwrite, or omit --replaces and --skips
    ------- exit 1 -------
    "#);
}

#[test]
fn the_first_version_of_a_template_may_replace_a_bundle_outside_it_and_can_be_released_again() {
    for version in ["", "1.1.0"] {
        let sandbox = repository(BOTH_TEMPLATES);
        asked(
            &sandbox,
            "1.1.0",
            "catalog_templates:\n- template_name: basic.yaml\n  channels: [stable]\n  replaces: rake.v1.0.0\n",
        );
        let line = format!("catalog release operators/rake {version} --bundle rake1");
        let first = run(&sandbox, &line);
        assert_eq!(first.status, Some(0), "{first}");
        let template = read(&sandbox, "operators/rake/catalog-templates/basic.yaml");
        let again = run(&sandbox, &line);
        assert_eq!(again.status, Some(0), "{again}");
        for (outcome, wanted) in [
            (first, "stable\" of basic.yaml is new and does not"),
            (again, "stable\" of basic.yaml does not"),
        ] {
            let wanted = format!("warning[release-edge]: channel \"{wanted} contain \"rake.v1.0.0\"");
            assert!(
                outcome.stderr.contains(&wanted) && !outcome.stderr.contains("Did you mean"),
                "{outcome}"
            );
        }
        assert_eq!(read(&sandbox, "operators/rake/catalog-templates/basic.yaml"), template);
        asked(
            &sandbox,
            "1.2.0",
            "catalog_templates:\n- template_name: basic.yaml\n  channels: [stable]\n  replaces: rake.v1.1.0\n",
        );
        succeed(&sandbox, "catalog release operators/rake --bundle rake2");
        let behind = run(&sandbox, &line);
        assert_eq!(
            behind.status,
            Some(0),
            "an older version can also be released again: {behind}"
        );
    }
}

#[test]
fn a_version_that_skips_all_others_may_replace_a_bundle_outside_the_channel() {
    let sandbox = repository(BOTH_TEMPLATES);
    succeed(&sandbox, "catalog release operators/rake --bundle rake1");
    asked(
        &sandbox,
        "1.2.0",
        "catalog_templates:\n- template_name: basic.yaml\n  channels: [stable]\n  replaces: rake.v1.0.0\n  skips: [rake.v1.1.0]\n",
    );
    let outcome = run(&sandbox, "catalog release operators/rake --bundle rake2");
    assert_eq!(outcome.status, Some(0), "{outcome}");
    assert!(outcome.stderr.contains("warning[release-edge]"), "{outcome}");
    let outcome = run(
        &sandbox,
        "catalog release operators/rake --bundle rake2 --allow release-edge",
    );
    assert!(
        outcome.status == Some(0) && !outcome.stderr.contains("release-edge"),
        "{outcome}"
    );
    let outcome = run(
        &sandbox,
        "catalog release operators/rake 1.2.0 --bundle rake2 --deny warnings",
    );
    assert!(
        outcome.status == Some(1) && outcome.stderr.contains("error[release-edge]"),
        "{outcome}"
    );
}

#[test]
fn an_allowed_edge_is_judged_by_the_graph_of_the_catalog() {
    let sandbox = repository(BOTH_TEMPLATES);
    succeed(&sandbox, "catalog release operators/rake --bundle rake1");
    asked(
        &sandbox,
        "1.2.0",
        "catalog_templates:\n- template_name: basic.yaml\n  channels: [stable]\n  replaces: rake.v1.0.0\n",
    );
    let outcome = run(
        &sandbox,
        "catalog release operators/rake 1.2.0 --bundle rake2 --allow release-edge",
    );
    assert_eq!(outcome.status, Some(1), "{outcome}");
    assert!(outcome.stderr.contains("would be a second head"), "{outcome}");
}

#[test]
fn catalog_content_outside_the_template_is_not_lost_silently() {
    let sandbox = repository(BOTH_TEMPLATES);
    succeed(&sandbox, "catalog release operators/rake --bundle rake1");
    succeed(&sandbox, "catalog channel copy catalogs/v4.16/rake rake stable slow");
    let before = read(&sandbox, "catalogs/v4.16/rake/catalog.yaml");
    insta::assert_snapshot!(run(&sandbox, "catalog release operators/rake --bundle rake2"), @"
    ------- stderr -------
    error: catalogs/v4.16/rake contains content that the template basic.yaml does not contain: olm.channel slow
      hint: add this content to the template, or remove it from the catalog with --overwrite
    ------- exit 1 -------
    ");
    assert_eq!(read(&sandbox, "catalogs/v4.16/rake/catalog.yaml"), before);
    succeed(&sandbox, "catalog release operators/rake --bundle rake2 --overwrite");
    assert!(!read(&sandbox, "catalogs/v4.16/rake/catalog.yaml").contains("slow"));

    operator(&sandbox, "rake2", "rake", "1.2.0", Some("rake.v1.0.0"));
    let changed = run(&sandbox, "catalog release operators/rake --bundle rake2");
    assert!(
        changed.status == Some(1) && changed.stderr.contains("with different content"),
        "{changed}"
    );
    succeed(&sandbox, "catalog release operators/rake --bundle rake2 --overwrite");
}

#[test]
fn document_content_outside_the_template_is_not_lost_silently() {
    let sandbox = repository(BOTH_TEMPLATES);
    succeed(&sandbox, "catalog release operators/rake --bundle rake1");
    let template = "operators/rake/catalog-templates/basic.yaml";
    let deprecations = "- schema: olm.deprecations\n  package: rake\n  entries:\n  - reference:\n      schema: olm.channel\n      name: fast\n    message: use stable\n";
    write(&sandbox, template, &(read(&sandbox, template) + deprecations));
    succeed(&sandbox, "catalog release operators/rake --bundle rake1");
    succeed(&sandbox, "catalog deprecate catalogs/v4.16/rake rake@1.1.0 -m old");
    succeed(&sandbox, "catalog deprecate catalogs/v4.16/rake rake:fast -m slow");
    let catalog = "catalogs/v4.16/rake/catalog.yaml";
    let text = read(&sandbox, catalog)
        .replacen("name: rake\n", "name: rake\ndescription: A rake.\n", 1)
        .replacen(
            "- name: rake.v1.1.0\n",
            "- name: rake.v1.1.0\n  skips:\n  - rake.v1.0.1\n",
            1,
        );
    write(&sandbox, catalog, &text);
    insta::assert_snapshot!(run(&sandbox, "catalog release operators/rake --bundle rake2"), @"
    ------- stderr -------
    error: catalogs/v4.16/rake contains content that the template basic.yaml does not contain: description of olm.package rake, entries[rake.v1.1.0].skips of olm.channel stable, entries[fast].message of olm.deprecations, entries[rake.v1.1.0] of olm.deprecations
      hint: add this content to the template, or remove it from the catalog with --overwrite
    ------- exit 1 -------
    ");
    assert_eq!(read(&sandbox, catalog), text);
    succeed(&sandbox, "catalog release operators/rake --bundle rake2 --overwrite");
    assert!(!read(&sandbox, catalog).contains("A rake."));
}

#[test]
fn content_that_a_semver_template_cannot_express_stays_in_the_catalog() {
    let sandbox = repository(BOTH_TEMPLATES);
    succeed(&sandbox, "catalog release operators/rake --bundle rake1");
    let catalog = "catalogs/v5.0/rake";
    succeed(&sandbox, &format!("catalog deprecate {catalog} rake@1.1.0 -m old"));
    succeed(
        &sandbox,
        &format!("catalog lifecycle {catalog} rake 1.1 --phase all=2026-01-01..2026-12-31"),
    );
    succeed(&sandbox, "catalog release operators/rake --bundle rake2");
    let text = read(&sandbox, "catalogs/v5.0/rake/catalog.yaml");
    assert!(
        text.contains("message: old") && text.contains("endDate: \"2026-12-31\"") && text.contains("rake.v1.2.0"),
        "{text}"
    );
    succeed(&sandbox, &format!("validate {catalog}"));
}

#[test]
fn a_bundle_of_another_package_or_version_is_rejected() {
    let sandbox = repository(BOTH_TEMPLATES);
    operator(&sandbox, "hoe", "hoe", "1.1.0", None);
    operator(&sandbox, "rake9", "rake", "1.9.0", None);
    insta::assert_snapshot!(run(&sandbox, "catalog release operators/rake --bundle hoe"), @r#"
    ------- stderr -------
    error: hoe is a bundle of package "hoe", but the operator is "rake"
    ------- exit 1 -------
    "#);
    insta::assert_snapshot!(run(&sandbox, "catalog release operators/rake 1.2.0 --bundle rake1"), @r#"
    ------- stderr -------
    error: rake1 is a bundle of version "1.1.0", but "1.2.0" is being released
    ------- exit 1 -------
    "#);
    insta::assert_snapshot!(run(&sandbox, "catalog release operators/rake --bundle rake9"), @r#"
    ------- stderr -------
    error: operators/rake has no folder with a release-config.yaml for version "1.9.0"
    ------- exit 4 -------
    "#);
    insta::assert_snapshot!(run(&sandbox, "catalog release operators/hoe --bundle hoe"), @"
    ------- stderr -------
    error: cannot read operators/hoe: No such file or directory (os error 2)
    ------- exit 4 -------
    ");
    assert!(!Path::new(&sandbox.path("catalogs")).exists());
}

#[test]
fn a_release_can_be_started_in_any_folder_of_the_repository() {
    for (folder, operator) in [
        ("operators/rake", "."),
        ("operators/rake/1.1.0", ".."),
        ("operators", "rake"),
    ] {
        let sandbox = repository(BOTH_TEMPLATES);
        let bundle = sandbox.path("rake1");
        let words = ["catalog", "release", operator, "1.1.0", "--bundle"];
        let mut command = sandbox.command(words);
        let output = command.arg(&bundle).current_dir(sandbox.path(folder)).output().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{operator}: {told}");
        assert!(
            told.contains("../../catalogs/v4.16/rake/catalog.yaml"),
            "{operator}: {told}"
        );
        for file in [
            "operators/rake/catalog-templates/basic.yaml",
            "catalogs/v4.16/rake/catalog.yaml",
        ] {
            assert!(sandbox.path(file).is_file(), "{operator}: {file}");
        }
    }
}
