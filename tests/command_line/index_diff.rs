//! `index diff`: the differences between two indexes.

use crate::bundles::{CATALOG, garden, outcome_of, rake, small_base, succeed};
use crate::common::Sandbox;
use serde_json::{Value, json};
use std::fs;

/// A database, and an index image with an additional bundle and without one of the packages.
fn two() -> Sandbox {
    let sandbox = garden();
    small_base(&sandbox);
    rake(&sandbox, "rake1", "1.0.0", None);
    rake(&sandbox, "rake2", "1.1.0", Some("rake.v1.0.0"));
    succeed(&sandbox, "registry add -q -b compost,rake1 -d old.db");
    succeed(&sandbox, "index add -q -i oci:base:v1 -b rake1,rake2 -t oci:index:v1");
    sandbox
}

#[test]
fn differences_are_shown_in_every_format() {
    let sandbox = two();
    insta::assert_snapshot!(outcome_of(&sandbox, "index diff old.db oci:index:v1"), @"
    - package compost-operator
      default channel no longer alpha
      - channel alpha: head no longer compost-operator.v0.3.1
        - compost-operator.v0.3.1
    ~ package rake
      ~ channel stable: head rake.v1.0.0 -> rake.v1.1.0
        + rake.v1.1.0, replaces rake.v1.0.0
    - bundle compost-operator.v0.3.1 of package compost-operator, version no longer 0.3.1, skipRange no longer >=0.2.0 <0.3.1
    + bundle rake.v1.1.0 of package rake, version 1.1.0
    ");
    insta::assert_snapshot!(outcome_of(&sandbox, "index diff old.db oci:index:v1 -o markdown"), @"
    | | added | removed | changed |
    |---|---|---|---|
    | packages | 0 | 1 | 1 |
    | channels | 0 | 1 | 1 |
    | channel entries | 1 | 1 | 0 |
    | bundles | 1 | 1 | 0 |
    | other parts | 0 | 0 | 0 |

    - **removed** package `compost-operator`
      - default channel no longer `alpha`
      - **removed** channel `alpha`: head no longer `compost-operator.v0.3.1`
        - **removed** `compost-operator.v0.3.1`
    - **changed** package `rake`
      - **changed** channel `stable`: head `rake.v1.0.0` -> `rake.v1.1.0`
        - **added** `rake.v1.1.0`, replaces `rake.v1.0.0`
    - **removed** bundle `compost-operator.v0.3.1` of package `compost-operator`, version no longer `0.3.1`, skipRange no longer `>=0.2.0 <0.3.1`
    - **added** bundle `rake.v1.1.0` of package `rake`, version `1.1.0`
    ");
    let of = |form: &str| outcome_of(&sandbox, &format!("index diff old.db oci:index:v1 -o {form}")).stdout;
    let json: Value = serde_json::from_str(&of("json")).unwrap();
    let yaml: Value = serde_yaml::from_str(&of("yaml")).unwrap();
    assert_eq!(json, yaml);
    assert_eq!(json["packages"][1]["channels"][0]["head"]["after"], "rake.v1.1.0");
    assert_eq!(json["bundles"][1]["kind"], "added");
}

#[test]
fn equal_indexes_have_no_differences_and_exit_code_reflects_it() {
    let sandbox = two();
    insta::assert_snapshot!(outcome_of(&sandbox, "index diff old.db old.db --exit-code"), @"
    ------- stderr -------
    no differences found; manifests, and fields that OLM does not use, are not compared
    ");
    insta::assert_snapshot!(outcome_of(&sandbox, "index diff oci:index:v1 oci:index:v1 -o markdown"), @"No differences found. Manifests are not compared.");
    let differ = sandbox.run("index diff old.db oci:index:v1 --exit-code -o json".split(' '));
    assert_eq!((differ.status, differ.stderr.as_str()), (Some(3), ""));
    let missing = sandbox.run("index diff old.db ./absent.db".split(' '));
    assert_eq!((missing.status, missing.stdout.as_str()), (Some(4), ""));
}

#[test]
fn losses_can_be_denied() {
    let sandbox = two();
    let line = "index diff oci:index:v1 old.db -q --deny removed-channel,removed-bundle,lost-upgrade";
    let outcome = sandbox.run(line.split(' '));
    assert_eq!(outcome.status, Some(3));
    insta::assert_snapshot!(outcome.stderr, @"
    error: removed-bundle: bundle rake.v1.1.0 of package rake was removed
    error: lost-upgrade: clusters that run rake.v1.1.0 from channel stable of package rake no longer receive an update
    ");
    let _ = outcome_of(&sandbox, "index diff oci:index:v1 old.db --deny removed-package");
    let outcome = sandbox.run("index diff old.db oci:index:v1 --deny all".split(' '));
    assert_eq!(outcome.status, Some(3));
    insta::assert_snapshot!(outcome.stderr, @"error: removed-package: package compost-operator was removed");
    let denied = |line: &str| {
        let outcome = sandbox.run(line.split(' '));
        let document: Value = serde_json::from_str(&outcome.stdout).unwrap();
        document.get("denied").cloned()
    };
    let line = "index diff old.db oci:index:v1 -o json";
    let loss = json!({"kind": "removed-package", "package": "compost-operator", "channel": null, "bundle": null});
    assert_eq!(denied(&format!("{line} --deny all")), Some(json!([loss])));
    assert_eq!(denied(&format!("{line} --deny lost-upgrade")), Some(json!([])));
    assert_eq!(denied(line), None);
}

#[test]
fn a_fragment_is_compared_only_with_its_own_packages() {
    let sandbox = two();
    let outcome = outcome_of(&sandbox, "index diff old.db oci:index:v1 --fragment --deny all");
    insta::assert_snapshot!(outcome, @"
    ~ package rake
      ~ channel stable: head rake.v1.0.0 -> rake.v1.1.0
        + rake.v1.1.0, replaces rake.v1.0.0
    + bundle rake.v1.1.0 of package rake, version 1.1.0
    ");
}

#[test]
fn deprecations_icons_images_and_other_documents_are_compared() {
    let sandbox = Sandbox::new();
    let write = |folder: &str, text: &str| {
        fs::create_dir(sandbox.path(folder)).unwrap();
        fs::write(sandbox.path(folder).join("rake.yaml"), text).unwrap();
    };
    write(
        "a",
        &format!("{CATALOG}---\nschema: custom.n\npackage: rake\nname: note\nv: 1\n"),
    );
    let changed = CATALOG
        .replace(
            "defaultChannel: stable\n",
            "defaultChannel: stable\ndescription: For leaves.\n",
        )
        .replace(
            "image: registry.example.com/rake:1.0.0\n",
            "image: registry.example.com/rake:1.0.0\nrelatedImages: [{name: tool, image: registry.example.com/n:1}]\n",
        );
    let deprecations = "---\nschema: olm.deprecations\npackage: rake\nentries:\n\
        - {reference: {schema: olm.package}, message: Use hoe.}\n\
        - {reference: {schema: olm.channel, name: stable}, message: Old.}\n\
        ---\nschema: custom.n\npackage: rake\nname: note\nv: 2\n";
    write("b", &format!("{changed}{deprecations}"));
    let outcome = sandbox.run("index diff a b --exit-code".split(' '));
    insta::assert_snapshot!(outcome, @"
    + deprecation of package rake
      + Use hoe.
    + deprecation of channel stable of package rake
      + Old.
    + description of package rake
    ~ document custom.n note of package rake
    ~ related images of bundle rake.v1.0.0 of package rake
      + tool registry.example.com/n:1
    ------- exit 3 -------
    ");
    insta::assert_snapshot!(outcome_of(&sandbox, "index diff a b -o markdown"), @"
    | | added | removed | changed |
    |---|---|---|---|
    | packages | 0 | 0 | 0 |
    | channels | 0 | 0 | 0 |
    | channel entries | 0 | 0 | 0 |
    | bundles | 0 | 0 | 0 |
    | other parts | 3 | 0 | 2 |

    - **added** deprecation of package `rake`
      - **added** `Use hoe.`
    - **added** deprecation of channel `stable` of package `rake`
      - **added** `Old.`
    - **added** description of package `rake`
    - **changed** document `custom.n note` of package `rake`
    - **changed** related images of bundle `rake.v1.0.0` of package `rake`
      - **added** `tool registry.example.com/n:1`
    ");
    let json: Value = serde_json::from_str(&outcome_of(&sandbox, "index diff b a -o json").stdout).unwrap();
    assert_eq!(json["details"][0]["what"], "deprecation");
    assert_eq!(json["details"][0]["values"]["removed"][0], "Use hoe.");
}
