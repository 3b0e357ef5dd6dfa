//! Roles that the API server rejects, in the bundle and among the objects that OLM generates.

use super::*;

/// Returns the message of a plan whose version grants these rules in a list of its install strategy.
fn end(list: &str, rules: &Value) -> String {
    let mut csv = csv("memo.v1");
    csv["spec"]["install"]["spec"] = json!({"deployments": [], list: [{"serviceAccountName": "sa", "rules": rules}]});
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

#[test]
fn a_rule_without_verbs_groups_or_resources_fails_the_plan() {
    let verbs = "rules[0].verbs: Required value: verbs must contain at least one value";
    let groups = "rules[0].apiGroups: Required value: resource rules must supply at least one api group";
    let resources = "rules[0].resources: Required value: resource rules must supply at least one resource";
    for (rule, problems) in [
        (
            json!({"apiGroups": [""], "resources": ["pods"], "verbs": []}),
            verbs.to_owned(),
        ),
        (json!({"resources": ["pods"], "verbs": ["get"]}), groups.to_owned()),
        (json!({"apiGroups": [""], "verbs": ["get"]}), resources.to_owned()),
        (json!({"verbs": []}), format!("[{verbs}, {groups}, {resources}]")),
    ] {
        for list in ["permissions", "clusterPermissions"] {
            let message = end(list, &json!([rule]));
            assert!(message.ends_with(&format!(" is invalid: {problems}")), "{message}");
        }
    }
    assert_eq!(end("permissions", &json!([])), "");
}
