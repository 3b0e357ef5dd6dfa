//! `catalog fmt`: formatting the files of a file-based catalog.

use crate::bundles::{CATALOG, fail, outcome_of, succeed};
use crate::common::Sandbox;
use std::fs;

fn catalog() -> Sandbox {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.path("catalog")).unwrap();
    fs::write(sandbox.path("catalog/rake.yaml"), CATALOG).unwrap();
    fs::write(
        sandbox.path("catalog/hoe.json"),
        "{\"schema\": \"olm.package\",\n \"name\": \"hoe\"}\n",
    )
    .unwrap();
    sandbox
}

#[test]
fn files_are_formatted_and_keep_their_comments() {
    let sandbox = catalog();
    insta::assert_snapshot!(outcome_of(&sandbox, "catalog fmt catalog --dry-run"), @r#"
    --- a/catalog/hoe.json
    +++ b/catalog/hoe.json
    @@ -1,2 +1,4 @@
    -{"schema": "olm.package",
    - "name": "hoe"}
    +{
    +    "schema": "olm.package",
    +    "name": "hoe"
    +}
    --- a/catalog/rake.yaml
    +++ b/catalog/rake.yaml
    @@ -5,41 +5,41 @@
     defaultChannel: stable
     ---
     schema: olm.channel
    -package: rake
     name: stable   # for everybody
    +package: rake
     entries:
    -  - name: rake.v1.2.0
    -    replaces: rake.v1.1.0
    -  # a bad one
    -  - name: rake.v1.1.0
    -    replaces: rake.v1.0.0 # the first
    -  - name: rake.v1.0.0
    +- name: rake.v1.2.0
    +  replaces: rake.v1.1.0
    +# a bad one
    +- name: rake.v1.1.0
    +  replaces: rake.v1.0.0 # the first
    +- name: rake.v1.0.0
     ---
     schema: olm.channel
    -package: rake
     name: test
    +package: rake
     entries:
    -  - name: rake.v1.2.0
    +- name: rake.v1.2.0
     --- # bundles
     schema: olm.bundle
    -package: rake
     name: rake.v1.0.0
    +package: rake
     image: registry.example.com/rake:1.0.0
     properties:
     - type: olm.package
       value: {packageName: rake, version: 1.0.0}
     ---
     schema: olm.bundle
    -package: rake
     name: rake.v1.1.0
    +package: rake
     image: registry.example.com/rake:1.1.0
     properties:
     - type: olm.package
       value: {packageName: rake, version: 1.1.0}
     ---
     schema: olm.bundle
    -package: rake
     name: rake.v1.2.0
    +package: rake
     image: registry.example.com/rake:1.2.0
     properties:
     - type: olm.package
    ------- stderr -------
    would write catalog/hoe.json
    would write catalog/rake.yaml
    "#);
    assert_eq!(fs::read_to_string(sandbox.path("catalog/rake.yaml")).unwrap(), CATALOG);
    insta::assert_snapshot!(outcome_of(&sandbox, "catalog fmt catalog"), @"
    ------- stderr -------
    wrote catalog/hoe.json
    wrote catalog/rake.yaml
    ");
    insta::assert_snapshot!(fs::read_to_string(sandbox.path("catalog/rake.yaml")).unwrap(), @"
    ---
    # The garden's tools.
    schema: olm.package   # the rake
    name: rake
    defaultChannel: stable
    ---
    schema: olm.channel
    name: stable   # for everybody
    package: rake
    entries:
    - name: rake.v1.2.0
      replaces: rake.v1.1.0
    # a bad one
    - name: rake.v1.1.0
      replaces: rake.v1.0.0 # the first
    - name: rake.v1.0.0
    ---
    schema: olm.channel
    name: test
    package: rake
    entries:
    - name: rake.v1.2.0
    --- # bundles
    schema: olm.bundle
    name: rake.v1.0.0
    package: rake
    image: registry.example.com/rake:1.0.0
    properties:
    - type: olm.package
      value: {packageName: rake, version: 1.0.0}
    ---
    schema: olm.bundle
    name: rake.v1.1.0
    package: rake
    image: registry.example.com/rake:1.1.0
    properties:
    - type: olm.package
      value: {packageName: rake, version: 1.1.0}
    ---
    schema: olm.bundle
    name: rake.v1.2.0
    package: rake
    image: registry.example.com/rake:1.2.0
    properties:
    - type: olm.package
      value: {packageName: rake, version: 1.2.0}
    ");
    insta::assert_snapshot!(outcome_of(&sandbox, "catalog fmt catalog"), @"
    ------- stderr -------
    no changes in catalog
    ");
}

#[test]
fn check_lists_unformatted_files() {
    let sandbox = catalog();
    let outcome = sandbox.run("catalog fmt catalog --check".split_whitespace());
    insta::assert_snapshot!(outcome, @"
    catalog/hoe.json
    catalog/rake.yaml
    ------- stderr -------
    run opmx catalog fmt to format these files
    ------- exit 3 -------
    ");
    assert_eq!(fs::read_to_string(sandbox.path("catalog/rake.yaml")).unwrap(), CATALOG);
    succeed(&sandbox, "catalog fmt catalog");
    insta::assert_snapshot!(outcome_of(&sandbox, "catalog fmt catalog --check"), @"");
}

#[test]
fn a_folder_that_is_not_a_catalog_is_rejected_and_unformattable_files_are_listed() {
    let sandbox = catalog();
    fs::write(
        sandbox.path("catalog/fork.yaml"),
        "? schema\n: olm.package\n? name\n: fork\n",
    )
    .unwrap();
    fs::create_dir(sandbox.path("other")).unwrap();
    fs::write(sandbox.path("other/a.yaml"), "a: [\n").unwrap();
    insta::assert_snapshot!(fail(&sandbox, "catalog fmt catalog other"), @"
    ------- stderr -------
    error: other/a.yaml:1: not YAML: did not find expected node content while parsing a flow node
    ------- exit 1 -------
    ");
    assert_eq!(fs::read_to_string(sandbox.path("catalog/rake.yaml")).unwrap(), CATALOG);
    insta::assert_snapshot!(outcome_of(&sandbox, "catalog fmt catalog"), @"
    ------- stderr -------
    warning: catalog/fork.yaml:1: this document cannot be reformatted without changing its meaning
    wrote catalog/fork.yaml
    wrote catalog/hoe.json
    wrote catalog/rake.yaml
    ");
}
