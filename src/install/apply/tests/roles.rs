//! Roles that the API server rejects, in the bundle and among the objects that OLM generates.

use super::*;

/// Returns the message of a plan whose version grants these rules in a list of its install strategy.
fn end(list: &str, rules: &Value) -> String {
    let mut csv = csv("memo.v1");
    csv["spec"]["install"]["spec"] = json!({ list: [{"serviceAccountName": "sa", "rules": rules}] });
    let steps = in_order(of_bundle(&content(csv, Vec::new()), &target(), "").unwrap());
    let applied = run(&steps, &State::default());
    assert_eq!(applied.succeeds(), applied.phase == Phase::Complete);
    let failed = applied.steps.iter().filter(|outcome| !outcome.why.is_empty());
    assert_eq!(failed.count(), usize::from(!applied.succeeds()));
    applied.message
}

#[test]
fn a_generated_role_with_urls_fails_the_plan() {
    let rules = json!([{"nonResourceURLs": ["/metrics"], "verbs": ["get"]}]);
    let message = end("permissions", &rules);
    let words = "is invalid: rules[0].nonResourceURLs: Invalid value: [\"/metrics\"]: namespaced rules cannot apply to \
                 non-resource URLs";
    assert!(
        message.starts_with("error creating role memo.v1-sa-") && message.ends_with(words),
        "{message}"
    );
    assert_eq!(end("clusterPermissions", &rules), "");
}

#[test]
fn an_existing_generated_role_with_urls_fails_the_plan_too() {
    let mut csv = csv("memo.v1");
    csv["spec"]["install"]["spec"]["permissions"][0]["rules"] =
        json!([{"nonResourceURLs": ["/metrics"], "verbs": ["get"]}]);
    let steps = in_order(of_bundle(&content(csv, Vec::new()), &target(), "").unwrap());
    let role = steps.iter().find(|step| step.resource.kind == "Role").unwrap();
    let mut there = object("rbac.authorization.k8s.io/v1", "Role", &role.resource.name);
    there["metadata"]["namespace"] = json!("operators");
    let state = State {
        objects: vec![there],
        ..State::default()
    };
    let message = run(&steps, &state).message;
    assert!(message.starts_with("error updating role memo.v1-sa-"), "{message}");
}
