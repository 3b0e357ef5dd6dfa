//! `index diff`: what differs between two indexes.

use crate::bundles::{garden, outcome_of, rake, small_base, succeed};
use crate::common::Sandbox;
use serde_json::Value;

/// A database, and an index image with one bundle more and one package less.
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
fn the_difference_is_told_in_every_form() {
    let sandbox = two();
    insta::assert_snapshot!(outcome_of(&sandbox, "index diff old.db oci:index:v1"), @"
    - package compost-operator
      default channel no longer alpha
      - channel alpha: head no longer compost-operator.v0.3.1
        - compost-operator.v0.3.1
    ~ package rake
      ~ channel stable: head rake.v1.0.0 -> rake.v1.1.0
        + rake.v1.1.0, replaces rake.v1.0.0
    - bundle compost-operator.v0.3.1, version no longer 0.3.1, skipRange no longer >=0.2.0 <0.3.1
    + bundle rake.v1.1.0, version 1.1.0
    ");
    insta::assert_snapshot!(outcome_of(&sandbox, "index diff old.db oci:index:v1 -o markdown"), @"
    | | added | removed | changed |
    |---|---|---|---|
    | packages | 0 | 1 | 1 |
    | channels | 0 | 1 | 1 |
    | channel entries | 1 | 1 | 0 |
    | bundles | 1 | 1 | 0 |

    - **removed** package `compost-operator`
      - default channel no longer `alpha`
      - **removed** channel `alpha`: head no longer `compost-operator.v0.3.1`
        - **removed** `compost-operator.v0.3.1`
    - **changed** package `rake`
      - **changed** channel `stable`: head `rake.v1.0.0` -> `rake.v1.1.0`
        - **added** `rake.v1.1.0`, replaces `rake.v1.0.0`
    - **removed** bundle `compost-operator.v0.3.1`, version no longer `0.3.1`, skipRange no longer `>=0.2.0 <0.3.1`
    - **added** bundle `rake.v1.1.0`, version `1.1.0`
    ");
    let of = |form: &str| outcome_of(&sandbox, &format!("index diff old.db oci:index:v1 -o {form}")).stdout;
    let json: Value = serde_json::from_str(&of("json")).unwrap();
    let yaml: Value = serde_yaml::from_str(&of("yaml")).unwrap();
    assert_eq!(json, yaml);
    assert_eq!(json["packages"][1]["channels"][0]["head"]["after"], "rake.v1.1.0");
    assert_eq!(json["bundles"][1]["kind"], "added");
}

#[test]
fn equal_indexes_differ_in_nothing_and_the_status_can_tell() {
    let sandbox = two();
    insta::assert_snapshot!(outcome_of(&sandbox, "index diff old.db old.db --exit-code"), @"
    ------- stderr -------
    the indexes do not differ
    ");
    insta::assert_snapshot!(outcome_of(&sandbox, "index diff oci:index:v1 oci:index:v1 -o markdown"), @"The indexes do not differ.");
    let differ = sandbox.run("index diff old.db oci:index:v1 --exit-code -o json".split(' '));
    assert_eq!((differ.status, differ.stderr.as_str()), (Some(3), ""));
    let missing = sandbox.run("index diff old.db ./absent.db".split(' '));
    assert_eq!((missing.status, missing.stdout.as_str()), (Some(4), ""));
}

#[test]
fn what_users_lose_can_be_denied() {
    let sandbox = two();
    let line = "index diff oci:index:v1 old.db -q --deny removed-channel,removed-bundle,lost-upgrade";
    let outcome = sandbox.run(line.split(' '));
    assert_eq!(outcome.status, Some(3));
    insta::assert_snapshot!(outcome.stderr, @"
    error: removed-bundle: bundle rake.v1.1.0 was removed
    error: lost-upgrade: clusters that run rake.v1.1.0 from channel stable of package rake no longer receive an update
    ");
    let _ = outcome_of(&sandbox, "index diff oci:index:v1 old.db --deny removed-package");
    let outcome = sandbox.run("index diff old.db oci:index:v1 --deny all".split(' '));
    assert_eq!(outcome.status, Some(3));
    insta::assert_snapshot!(outcome.stderr, @"error: removed-package: package compost-operator was removed");
}

#[test]
fn a_fragment_is_held_against_its_own_packages() {
    let sandbox = two();
    let outcome = outcome_of(&sandbox, "index diff old.db oci:index:v1 --fragment --deny all");
    insta::assert_snapshot!(outcome, @"
    ~ package rake
      ~ channel stable: head rake.v1.0.0 -> rake.v1.1.0
        + rake.v1.1.0, replaces rake.v1.0.0
    + bundle rake.v1.1.0, version 1.1.0
    ");
}
