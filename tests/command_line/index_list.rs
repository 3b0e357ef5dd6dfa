//! `index list`: the content of an index, for people and for programs.

use crate::bundles::{fail, garden, outcome_of, rake, small_base, succeed};
use crate::common::Sandbox;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::time::SystemTime;

/// An index of three packages, as a database and as an image; one bundle is stored by its reference.
fn indexed() -> Sandbox {
    let sandbox = garden();
    small_base(&sandbox);
    rake(&sandbox, "rake1", "1.0.0", None);
    rake(&sandbox, "rake2", "1.1.0", Some("rake.v1.0.0"));
    succeed(&sandbox, "registry add -q -b greenhouse,compost,rake1 -d index.db");
    succeed(
        &sandbox,
        "registry add -q -b rake2 -d index.db --record-as registry.example.com/rake-bundle:v1.1.0",
    );
    fs::create_dir(sandbox.path("again")).unwrap();
    succeed(
        &sandbox,
        "registry add -q -b greenhouse,compost,rake1 -d again/index.db",
    );
    succeed(
        &sandbox,
        "index add -q -i oci:base:v1 -f again/index.db -b rake2 -t oci:index:v1 --record-as registry.example.com/rake-bundle:v1.1.0",
    );
    fs::remove_dir_all(sandbox.path("again")).unwrap();
    sandbox
}

/// Every file below a folder: name, content and time of the last change.
fn state(folder: &Path) -> Vec<(String, Vec<u8>, SystemTime)> {
    let mut state = Vec::new();
    for entry in walkdir::WalkDir::new(folder).sort_by_file_name() {
        let entry = entry.unwrap();
        let content = if entry.file_type().is_file() {
            fs::read(entry.path()).unwrap()
        } else {
            Vec::new()
        };
        let modified = entry.metadata().unwrap().modified().unwrap();
        state.push((entry.path().display().to_string(), content, modified));
    }
    state
}

#[test]
fn lists_are_identical_for_an_image_and_a_database_and_change_nothing() {
    let sandbox = indexed();
    let before = state(&sandbox.path(""));
    let mut listed = 0;
    for what in ["packages", "channels", "bundles", "images"] {
        for form in ["text", "json", "yaml"] {
            let of = |index: &str| outcome_of(&sandbox, &format!("index list {what} {index} -o {form}"));
            let (file, image) = (of("index.db"), of("oci:index:v1"));
            assert_eq!(file, image, "{what} as {form}");
            assert_eq!(file.stderr, "", "{what} as {form}");
            listed += 1;
        }
        let of = |form: &str| outcome_of(&sandbox, &format!("index list {what} index.db -o {form}")).stdout;
        let json: Value = serde_json::from_str(&of("json")).unwrap();
        let yaml: Value = serde_yaml::from_str(&of("yaml")).unwrap();
        assert_eq!(json, yaml, "{what}");
        assert_eq!(
            json.as_array().unwrap().len() + 1,
            of("text").lines().count(),
            "{what}: one line of text for each item, and the headings"
        );
    }
    assert_eq!(listed, 12);
    assert!(state(&sandbox.path("")) == before, "reading changed the disk");
}

#[test]
fn tables_show_names_edges_media_types_and_sources() {
    let sandbox = indexed();
    let list = |line: &str| outcome_of(&sandbox, &format!("index list {line}")).stdout;
    insta::assert_snapshot!(list("packages index.db"), @"
    NAME                 DISPLAY NAME         DEFAULT CHANNEL
    compost-operator     Compost Operator     alpha
    greenhouse-operator  Greenhouse Operator  stable
    rake                 rake                 stable
    ");
    insta::assert_snapshot!(list("channels index.db"), @"
    PACKAGE              CHANNEL    HEAD
    compost-operator     alpha      compost-operator.v0.3.1
    greenhouse-operator  candidate  greenhouse-operator.v1.2.0
    greenhouse-operator  stable     greenhouse-operator.v1.2.0
    rake                 stable     rake.v1.1.0
    ");
    insta::assert_snapshot!(list("bundles index.db"), @"
    PACKAGE              CHANNEL    BUNDLE                      VERSION  REPLACES     SKIPS  SKIP RANGE      MEDIA TYPE   IMAGE
    compost-operator     alpha      compost-operator.v0.3.1     0.3.1                        >=0.2.0 <0.3.1  registry+v1  inline
    greenhouse-operator  candidate  greenhouse-operator.v1.2.0  1.2.0                                        k8s+v1       inline
    greenhouse-operator  stable     greenhouse-operator.v1.2.0  1.2.0                                        k8s+v1       inline
    rake                 stable     rake.v1.1.0                 1.1.0    rake.v1.0.0                         registry+v1  registry.example.com/rake-bundle:v1.1.0
    rake                 stable     rake.v1.0.0                 1.0.0                                        registry+v1  inline
    ");
    insta::assert_snapshot!(list("images index.db rake"), @"
    IMAGE                                    NAMED BY  ROLES     BUNDLES      WHY
    registry.example.com/rake-bundle:v1.1.0  tag       bundle    rake.v1.1.0  chosen
    registry.example.com/rake:1.0.0          tag       operator  rake.v1.0.0  chosen
    registry.example.com/rake:1.1.0          tag       operator  rake.v1.1.0  chosen
    ");
    insta::assert_snapshot!(list("bundles oci:index:v1 rake -o yaml"), @"
    - package: rake
      channel: stable
      bundle: rake.v1.1.0
      version: 1.1.0
      replaces: rake.v1.0.0
      skips: []
      skipRange: null
      image: registry.example.com/rake-bundle:v1.1.0
      mediaType: registry+v1
    - package: rake
      channel: stable
      bundle: rake.v1.0.0
      version: 1.0.0
      replaces: null
      skips: []
      skipRange: null
      image: null
      mediaType: registry+v1
    ");
    insta::assert_snapshot!(list("channels oci:index:v1 rake -o json"), @r#"
    [
      {
        "package": "rake",
        "channel": "stable",
        "head": "rake.v1.1.0"
      }
    ]
    "#);
}

#[test]
fn a_missing_package_is_an_error_that_suggests_the_nearest_name() {
    let sandbox = indexed();
    for what in ["channels", "bundles", "images"] {
        let asked = |package: &str| sandbox.run(["index", "list", what, "oci:index:v1", package]);
        insta::allow_duplicates! {
            insta::assert_snapshot!(asked("rak"), @r#"
            ------- stderr -------
            error: oci:index:v1 has no package "rak"
              hint: did you mean "rake"?
            ------- exit 4 -------
            "#);
            insta::assert_snapshot!(asked("something-else"), @r#"
            ------- stderr -------
            error: oci:index:v1 has no package "something-else"
              hint: see opmx index list packages oci:index:v1
            ------- exit 4 -------
            "#);
        }
    }
}

#[test]
fn a_file_that_is_not_an_index_is_rejected_with_a_specific_message() {
    let sandbox = garden();
    small_base(&sandbox);
    fs::write(
        sandbox.path("text.db"),
        "not a database, and longer than the head of one".repeat(9),
    )
    .unwrap();
    let list = |index: &str| sandbox.run(["index", "list", "packages", index]);
    insta::assert_snapshot!(list("text.db"), @"
    ------- stderr -------
    error: text.db is not a SQLite database
    ------- exit 1 -------
    ");
    insta::assert_snapshot!(list("./absent.db"), @"
    ------- stderr -------
    error: there is no file or folder ./absent.db
      hint: an index is an image, a database file or the folder of a file-based catalog
    ------- exit 4 -------
    ");
    insta::assert_snapshot!(list("oci:base:v1"), @"
    ------- stderr -------
    error: oci:base:v1 is not an index image: oci:base:v1: the file /database/index.db was not found
    ------- exit 1 -------
    ");
    insta::assert_snapshot!(list("oci:base:v2"), @"
    ------- stderr -------
    error: oci:base:v2: the tag v2 was not found (available: v1)
    ------- exit 4 -------
    ");
    insta::assert_snapshot!(list("oci:nowhere:v2"), @"
    ------- stderr -------
    error: oci:nowhere:v2: an OCI image layout (index.json in nowhere) was not found
    ------- exit 4 -------
    ");
}

#[test]
fn a_mistyped_folder_is_reported_without_a_registry_request() {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path("catalog")).unwrap();
    for command in [
        "index list bundles",
        "serve",
        "index from-fbc --generate",
        "render",
        "migrate -o yaml",
        "resolve etcd --catalog",
    ] {
        let last = if command.starts_with("migrate") { " out" } else { "" };
        let line = format!("{command} catalgo{last}");
        let outcome = sandbox.run(line.split(' '));
        assert_eq!(outcome.status, Some(4), "{line}: {outcome}");
        assert!(!outcome.stderr.contains("GET "), "{line}: {outcome}");
    }
}

#[test]
fn a_package_can_be_given_as_an_option_or_an_argument() {
    let sandbox = garden();
    succeed(&sandbox, "registry add -q -b greenhouse,compost -d index.db");
    for what in ["bundles", "channels"] {
        let named = outcome_of(&sandbox, &format!("index list {what} index.db compost-operator"));
        let option = outcome_of(&sandbox, &format!("index list {what} index.db -p compost-operator"));
        assert_eq!(named, option);
        assert!(!option.stdout.contains("greenhouse"), "{option}");
    }
}

#[test]
fn a_file_of_another_program_is_not_read_as_an_empty_index() {
    let sandbox = Sandbox::new();
    fs::write(
        sandbox.path("plan.json"),
        "{\"schema\": \"opmx.mirror.plan/v1\", \"catalogs\": []}",
    )
    .unwrap();
    fs::create_dir(sandbox.path("empty")).unwrap();
    for command in [
        "index list packages plan.json",
        "index page plan.json -o site",
        "mirror plan --catalog plan.json --no-binary -o mirror.json",
        "render plan.json",
    ] {
        let outcome = fail(&sandbox, command);
        let told = "plan.json is not a catalog: its schema is \"opmx.mirror.plan/v1\", and it contains no olm.package, \
                    olm.channel or olm.bundle\n";
        assert!(outcome.stderr.contains(told), "{outcome}");
        assert!(
            outcome
                .stderr
                .contains("  hint: specify a database, the folder of a file-based catalog, or an image"),
            "{outcome}"
        );
    }
    assert!(!sandbox.path("site").exists());
    let outcome = fail(&sandbox, "mirror plan --catalog empty --no-binary");
    assert!(
        outcome
            .stderr
            .starts_with("error: the catalog empty contains no package\n"),
        "{outcome}"
    );
}
