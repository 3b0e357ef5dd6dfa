//! The objects for Deployments that serve webhooks or APIs, which OLM writes with the installing account.

use super::*;
use crate::cluster::state::Grant;
use crate::install::permissions::{needed, not_held};

fn serving() -> Value {
    let mut csv = csv("memo.v1");
    csv["spec"]["install"]["spec"]["deployments"] = json!([deployment("memo")]);
    csv["spec"]["webhookdefinitions"] = json!([
        {"type": "ValidatingAdmissionWebhook", "generateName": "v.example.com", "deploymentName": "memo",
            "admissionReviewVersions": ["v1"], "sideEffects": "None"}]);
    csv["spec"]["apiservicedefinitions"] = json!({"owned": [
        {"group": "api.example.com", "version": "v1", "kind": "Ink", "name": "inks", "deploymentName": "memo"}]});
    csv
}

fn planned() -> Vec<Step> {
    in_order(of_bundle(&content(serving(), Vec::new()), &target(), "").unwrap())
}

/// A cluster in which the installing account holds these rules, each as a rule with its namespaces.
fn holding(rules: Vec<Value>) -> State {
    State {
        service_account: Some("scoped".to_owned()),
        grants: vec![Grant {
            service_account: "scoped".to_owned(),
            namespace: "operators".to_owned(),
            rules,
        }],
        ..State::default()
    }
}

/// The permissions that the plan needs.
fn needed_rules() -> Vec<Value> {
    let needs = needed(&planned(), "operators", &Apis::default(), []).unwrap();
    let needed = not_held(&needs, &Grants::default()).unwrap();
    needed
        .iter()
        .map(|permission| serde_json::to_value(permission).unwrap())
        .collect()
}

/// Returns how the version ends if the account holds all needed rules except those for a resource.
fn end_without(resource: &str, namespaces: &Value) -> Option<(&'static str, &'static str, String)> {
    let mut rules = needed_rules();
    let all = rules.len();
    rules.retain(|rule| rule["resources"] != json!([resource]) || rule["namespaces"] != *namespaces);
    assert_eq!(rules.len() + 1, all, "{resource}");
    let applied = run(&planned(), &holding(rules));
    assert_eq!(
        (applied.phase, applied.succeeds()),
        (Phase::Complete, false),
        "{resource}"
    );
    let failed = applied.failed.into_iter();
    failed
        .map(|failed| (failed.phase, failed.reason, failed.message))
        .next()
}

#[test]
fn an_account_with_the_needed_permissions_installs_deployments_that_serve() {
    let applied = run(&planned(), &holding(needed_rules()));
    assert!(applied.succeeds(), "{:?}", applied.failed);
}

#[test]
fn a_version_fails_at_the_first_object_for_its_certificate_that_the_account_cannot_write() {
    let user = "User \"system:serviceaccount:operators:scoped\"";
    let services = format!(
        "install strategy failed: services \"memo-service\" is forbidden: {user} cannot patch resource \"services\" in API \
         group \"\" in the namespace \"operators\""
    );
    let bindings = format!(
        "install strategy failed: rolebindings.rbac.authorization.k8s.io \"memo-service-auth-reader\" is forbidden: {user} \
         cannot patch resource \"rolebindings\" in API group \"rbac.authorization.k8s.io\" in the namespace \"kube-system\""
    );
    let here = json!(["operators"]);
    let system = json!(["kube-system"]);
    for (resource, namespaces, message) in [("services", &here, services), ("rolebindings", &system, bindings)] {
        let expected = Some(("Failed", "InstallComponentFailed", message));
        assert_eq!(end_without(resource, namespaces), expected);
    }
}

#[test]
fn a_version_fails_if_the_account_cannot_grant_what_servers_need() {
    let (phase, reason, message) = end_without("tokenreviews", &Value::Null).unwrap();
    assert_eq!((phase, reason), ("Failed", "InstallComponentFailed"));
    let (start, end) = (
        "install strategy failed: clusterrolebindings.rbac.authorization.k8s.io \"memo-service-system:auth-delegator\" is \
         forbidden: user ",
        "is attempting to grant RBAC permissions not currently held:\n\
         {APIGroups:[\"authentication.k8s.io\"], Resources:[\"tokenreviews\"], Verbs:[\"create\"]}",
    );
    assert!(message.starts_with(start) && message.ends_with(end), "{message}");
}

#[test]
fn a_version_fails_without_retry_if_the_account_cannot_create_its_api_service() {
    let message = "install strategy failed: install strategy failed: apiservices.apiregistration.k8s.io is forbidden: User \
                   \"system:serviceaccount:operators:scoped\" cannot create resource \"apiservices\" in API group \
                   \"apiregistration.k8s.io\" at the cluster scope";
    let expected = Some(("Failed", "InstallComponentFailedNoRetry", message.to_owned()));
    assert_eq!(end_without("apiservices", &Value::Null), expected);
}

#[test]
fn olm_waits_for_a_webhook_that_the_account_cannot_set_up() {
    let message = "webhooks not installed: validatingwebhookconfigurations.admissionregistration.k8s.io is forbidden: User \
                   \"system:serviceaccount:operators:scoped\" cannot list resource \"validatingwebhookconfigurations\" in API \
                   group \"admissionregistration.k8s.io\" at the cluster scope";
    let expected = Some(("Installing", "InstallWaiting", message.to_owned()));
    assert_eq!(end_without("validatingwebhookconfigurations", &Value::Null), expected);
}
