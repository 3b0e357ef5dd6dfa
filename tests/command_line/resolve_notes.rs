//! `resolve` and `plan`: what OLM does not act on, and why.

use crate::bundles::outcome_of;
use crate::common::Sandbox;
use serde_json::Value;
use std::fs;

/// A cluster whose Subscription to rake waits for the InstallPlan of rake.v1.1.0, in this phase.
fn waiting(phase: &str) -> String {
    let olm = "apiVersion: operators.coreos.com/v1alpha1\n  kind";
    let properties = r#"{"properties":[{"type":"olm.package","value":{"packageName":"rake","version":"1.0.0"}}]}"#;
    format!(
        "apiVersion: v1\nitems:\n\
         - {olm}: CatalogSource\n  metadata: {{name: main, namespace: olm}}\n\
         - {olm}: ClusterServiceVersion\n  metadata:\n    name: rake.v1.0.0\n    namespace: garden\n    \
         annotations: {{operatorframework.io/properties: '{properties}'}}\n  \
         spec: {{version: 1.0.0}}\n  status: {{phase: Succeeded}}\n\
         - apiVersion: operators.coreos.com/v2\n  kind: OperatorCondition\n  \
         metadata: {{name: rake.v1.0.0, namespace: garden}}\n\
         - {olm}: InstallPlan\n  metadata: {{name: install-abc, namespace: garden}}\n  \
         spec: {{clusterServiceVersionNames: [rake.v1.1.0]}}\n  status: {{phase: {phase}}}\n\
         - {olm}: Subscription\n  metadata: {{name: rake, namespace: garden}}\n  \
         spec: {{name: rake, channel: stable, source: main, sourceNamespace: olm, installPlanApproval: Manual}}\n  \
         status: {{installedCSV: rake.v1.0.0, currentCSV: rake.v1.1.0, state: UpgradePending, \
         installPlanRef: {{name: install-abc, namespace: garden}}}}\n\
         kind: List\n"
    )
}

/// A file-based catalog of the package rake with these entries of its channel.
fn catalog(sandbox: &Sandbox, folder: &str, entries: &[(&str, Option<&str>)]) {
    let mut text = "schema: olm.package\nname: rake\ndefaultChannel: stable\n---\n\
                    schema: olm.channel\npackage: rake\nname: stable\nentries:\n"
        .to_owned();
    for (version, replaces) in entries {
        let replaces = replaces.map_or(String::new(), |replaces| format!(", replaces: rake.v{replaces}"));
        text.push_str(&format!("- {{name: rake.v{version}{replaces}}}\n"));
    }
    for (version, _) in entries {
        text.push_str(&format!(
            "---\nschema: olm.bundle\nname: rake.v{version}\npackage: rake\nimage: registry.example.com/rake:{version}\n\
             properties: [{{type: olm.package, value: {{packageName: rake, version: {version}}}}}]\n"
        ));
    }
    fs::create_dir(sandbox.path(folder)).unwrap();
    fs::write(sandbox.path(folder).join("catalog.yaml"), text).unwrap();
}

#[test]
fn an_install_plan_that_olm_waits_for_is_reported_instead_of_a_new_one() {
    let sandbox = Sandbox::new();
    catalog(&sandbox, "same", &[("1.1.0", Some("1.0.0")), ("1.0.0", None)]);
    catalog(&sandbox, "newer", &[("1.2.0", Some("1.0.0")), ("1.0.0", None)]);
    fs::write(sandbox.path("waits.yaml"), waiting("RequiresApproval")).unwrap();
    fs::write(sandbox.path("failed.yaml"), waiting("Failed")).unwrap();
    insta::assert_snapshot!(outcome_of(&sandbox, "resolve --cluster waits.yaml --catalog main=same"), @"
    note: the InstallPlan install-abc with rake.v1.1.0 waits for approval; OLM creates no other plan until you approve or delete it
    ------- stderr -------
    nothing to install or update
    ");
    insta::assert_snapshot!(outcome_of(&sandbox, "resolve --cluster waits.yaml --catalog main=newer"), @"
    note: OLM does not yet create an install plan for rake.v1.2.0, because all Subscriptions of the namespace wait for an InstallPlan
    note: the InstallPlan install-abc with rake.v1.1.0 waits for approval; OLM creates no other plan until you approve or delete it
    ------- stderr -------
    nothing to install or update
    ");
    insta::assert_snapshot!(outcome_of(&sandbox, "plan --cluster failed.yaml --catalog main=newer"), @"
    ------- stderr -------
    warning: OLM does not yet create an install plan for rake.v1.2.0, because all Subscriptions of the namespace wait for an InstallPlan
    warning: the InstallPlan install-abc with rake.v1.1.0 failed; OLM creates no other plan until you delete it
    there is nothing to install, so OLM creates no plan
    ");
    let outcome = outcome_of(&sandbox, "resolve --cluster failed.yaml --catalog main=same -o json");
    let answer: Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!(answer["notes"][0]["kind"], "unfinished-plan");
    assert_eq!(answer["notes"][0]["subject"], "install-abc");
    assert_eq!(answer.as_object().unwrap().len(), 1, "{answer}");
    // With fail-forward, OLM replaces a failed plan.
    let group = "- apiVersion: operators.coreos.com/v1\n  kind: OperatorGroup\n  \
                 metadata: {name: g, namespace: garden}\n  spec: {upgradeStrategy: TechPreviewUnsafeFailForward}\n";
    let forward = waiting("Failed").replace("kind: List", &format!("{group}kind: List"));
    fs::write(sandbox.path("forward.yaml"), forward).unwrap();
    insta::assert_snapshot!(outcome_of(&sandbox, "resolve --cluster forward.yaml --catalog main=newer"), @"
    BUNDLE       PACKAGE  CHANNEL  CATALOG   REPLACES
    rake.v1.2.0  rake     stable   olm/main  rake.v1.0.0
    note: the InstallPlan install-abc with rake.v1.1.0 failed
    ");
}
