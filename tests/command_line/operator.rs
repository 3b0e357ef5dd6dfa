//! `operator`: what a cluster has of an operator, and the definitions of such resources.

use crate::bundles::{fail, outcome_of, rake, succeed};
use crate::common::Sandbox;
use serde_json::{Value, json};
use std::fs;

/// An operator whose deployment is not available.
const DUMP: &str = "\
apiVersion: v1
kind: List
items:
- apiVersion: operators.coreos.com/v1alpha1
  kind: ClusterServiceVersion
  metadata: {name: rake.v1.0.0, namespace: garden, labels: {operators.coreos.com/rake.garden: \"\"}}
  spec:
    displayName: Rake
    description: It rakes.
    version: 1.0.0
    customresourcedefinitions:
      owned: [{name: rakes.garden.example.com, version: v1, kind: Rake}]
      required: [{name: leaves.garden.example.com, version: v1beta1, kind: Leaf}]
  status: {phase: Succeeded, reason: InstallSucceeded, message: install strategy completed with no errors}
- apiVersion: operators.coreos.com/v1alpha1
  kind: Subscription
  metadata: {name: rake, namespace: garden, labels: {operators.coreos.com/rake.garden: \"\"}}
  spec: {name: rake, channel: stable, source: community, sourceNamespace: olm, installPlanApproval: Manual}
  status: {installedCSV: rake.v1.0.0}
- apiVersion: apps/v1
  kind: Deployment
  metadata: {name: rake, namespace: garden, uid: d70a53b5, resourceVersion: \"7\", labels: {operators.coreos.com/rake.garden: \"\"}}
  status:
    conditions:
    - {type: Available, status: \"False\", reason: MinimumReplicasUnavailable, message: no replica is ready}
    - {type: Progressing, status: \"True\"}
- apiVersion: v1
  kind: Pod
  metadata: {name: other, namespace: garden}
";

/// A dump, and an index with an update for what is in it.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    fs::write(sandbox.path("dump.yaml"), DUMP).unwrap();
    sandbox
}

#[test]
fn an_operator_is_shown_with_what_is_out_of_order_and_its_updates() {
    let sandbox = sandbox();
    rake(&sandbox, "rake1", "1.0.0", None);
    rake(&sandbox, "rake2", "1.1.0", Some("rake.v1.0.0"));
    succeed(&sandbox, "registry add -q -b rake1,rake2 -d index.db");
    insta::assert_snapshot!(outcome_of(&sandbox, "operator dump.yaml --catalog index.db"), @"
    operator      rake.garden
    display name  Rake
    version       1.0.0
    provides      Rake (garden.example.com/v1)
    requires      Leaf (garden.example.com/v1beta1)
    updates in    stable
    condition     UpdateAvailable (UpdateFound): an upgrade to rake.v1.1.0 has been found in the channel stable
    label         operators.coreos.com/rake.garden

    COMPONENT                          NAMESPACE  API VERSION                    CONDITIONS
    ClusterServiceVersion/rake.v1.0.0  garden     operators.coreos.com/v1alpha1
    Deployment/rake                    garden     apps/v1                        Available=False (MinimumReplicasUnavailable): no replica is ready
    Subscription/rake                  garden     operators.coreos.com/v1alpha1
    ");
    insta::assert_snapshot!(outcome_of(&sandbox, "operator dump.yaml --catalog index.db -o yaml"), @r#"
    apiVersion: operators.coreos.com/v2alpha1
    kind: Operator
    metadata:
      name: rake.garden
    spec:
      updates:
        type: CatalogSource
        catalogSource:
          package: rake
          channel: stable
          approval: Manual
          ref:
            name: community
            namespace: olm
    status:
      metadata:
        displayName: Rake
        description: It rakes.
        version: 1.0.0
        apis:
          provides:
          - group: garden.example.com
            version: v1
            kind: Rake
            plural: rakes
            singular: rake
          requires:
          - group: garden.example.com
            version: v1beta1
            kind: Leaf
            plural: leaves
            singular: leaf
      updates:
        available:
        - name: community
          package: rake
          channel: stable
      conditions:
      - type: UpdateAvailable
        status: "True"
        reason: UpdateFound
        message: an upgrade to rake.v1.1.0 has been found in the channel stable
      components:
        matchLabels:
          operators.coreos.com/rake.garden: ""
        refs:
        - kind: ClusterServiceVersion
          namespace: garden
          name: rake.v1.0.0
          apiVersion: operators.coreos.com/v1alpha1
        - kind: Deployment
          namespace: garden
          name: rake
          uid: d70a53b5
          apiVersion: apps/v1
          resourceVersion: "7"
          conditions:
          - type: Available
            status: "False"
            reason: MinimumReplicasUnavailable
            message: no replica is ready
        - kind: Subscription
          namespace: garden
          name: rake
          apiVersion: operators.coreos.com/v1alpha1
    "#);
}

#[test]
fn conditions_and_label_are_shown_as_they_are_asked_for() {
    let sandbox = sandbox();
    let line = "operator dump.yaml -o json --all-conditions --label-style seed";
    let shown: Value = serde_json::from_str(&outcome_of(&sandbox, line).stdout).unwrap();
    let components = &shown["status"]["components"];
    assert_eq!(
        components["matchLabels"],
        json!({"operators.coreos.com/operator:v2alpha1/rake.garden": ""})
    );
    assert_eq!(components["refs"][0]["conditions"][0]["type"], "Succeeded");
    assert_eq!(components["refs"][1]["conditions"].as_array().unwrap().len(), 2);
    assert_eq!(
        (&shown["status"]["updates"], &shown["status"]["conditions"]),
        (&Value::Null, &Value::Null)
    );
}

#[test]
fn one_of_several_operators_is_chosen_by_its_name() {
    let sandbox = sandbox();
    fs::create_dir(sandbox.path("dumps")).unwrap();
    fs::rename(sandbox.path("dump.yaml"), sandbox.path("dumps/rake.yaml")).unwrap();
    let other = DUMP.replace("rake", "hoe");
    fs::write(sandbox.path("dumps/hoe.yaml"), other).unwrap();
    let read = |line: &str| -> Value { serde_json::from_str(&outcome_of(&sandbox, line).stdout).unwrap() };
    let all = read("operator dumps -o json");
    assert_eq!(
        (&all["kind"], all["items"].as_array().unwrap().len()),
        (&json!("List"), 2)
    );
    let one = read("operator dumps -o json --name rake.garden");
    assert_eq!(one, all["items"][1]);
    assert_eq!(
        outcome_of(&sandbox, "operator dumps")
            .stdout
            .matches("\noperator  ")
            .count(),
        1
    );
    insta::assert_snapshot!(fail(&sandbox, "operator dumps --name rake"), @"
    ------- stderr -------
    error: there is no operator rake
      hint: there is hoe.garden, rake.garden
    ------- exit 1 -------
    ");
}

#[test]
fn a_dump_without_operators_is_refused() {
    let sandbox = sandbox();
    fs::write(
        sandbox.path("pod.yaml"),
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n",
    )
    .unwrap();
    insta::assert_snapshot!(fail(&sandbox, "operator pod.yaml"), @r#"
    ------- stderr -------
    error: nothing in what was read has a label operators.coreos.com/NAME
      hint: give what "kubectl get -A -o yaml" prints of the kinds that an operator is made of
    ------- exit 1 -------
    "#);
    let missing = fail(&sandbox, "operator dump.yaml --catalog ./absent.db");
    assert!(missing.stderr.contains("absent.db"), "{missing}");
    assert_eq!(sandbox.run(["operator"]).status, Some(2));
}

#[test]
fn the_definitions_are_printed_in_either_language() {
    let sandbox = Sandbox::new();
    let yaml = outcome_of(&sandbox, "operator crds").stdout;
    let documents: Vec<Value> = yaml
        .split("---\n")
        .map(|text| serde_yaml::from_str(text).unwrap())
        .collect();
    let json: Value = serde_json::from_str(&outcome_of(&sandbox, "operator crds -o json").stdout).unwrap();
    assert_eq!(json["items"], json!(documents));
    let names: Vec<_> = documents
        .iter()
        .map(|value| value["metadata"]["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        [
            "operators.operators.coreos.com",
            "installs.operators.coreos.com",
            "conditions.operators.coreos.com"
        ]
    );
}
