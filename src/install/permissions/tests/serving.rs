//! What OLM needs for the Deployments that serve webhooks or APIs.

use super::*;

fn serving() -> Value {
    let mut csv = with_deployment();
    csv["spec"]["webhookdefinitions"] = json!([
        {"type": "ValidatingAdmissionWebhook", "generateName": "v.example.com", "deploymentName": "memo"},
        {"type": "MutatingAdmissionWebhook", "generateName": "m.example.com", "deploymentName": "memo"},
        {"type": "ConversionWebhook", "generateName": "c.example.com", "deploymentName": "memo",
            "conversionCRDs": ["memos.example.com"]},
    ]);
    csv["spec"]["apiservicedefinitions"] = json!({"owned": [
        {"group": "api.example.com", "version": "v1", "kind": "Ink", "name": "inks", "deploymentName": "memo"}]});
    csv
}

#[test]
fn an_install_needs_the_objects_for_deployments_that_serve_webhooks_or_apis() {
    let without = missing(&plan(with_deployment(), Vec::new()), &Grants::default());
    let with = missing(&plan(serving(), Vec::new()), &Grants::default());
    let added: Vec<&str> = with
        .iter()
        .filter(|line| !without.contains(line))
        .map(String::as_str)
        .collect();
    let expected = [
        "*: mutatingwebhookconfigurations.admissionregistration.k8s.io list,create",
        "*: validatingwebhookconfigurations.admissionregistration.k8s.io list,create",
        "*: customresourcedefinitions.apiextensions.k8s.io get,update",
        "*: apiservices.apiregistration.k8s.io create",
        "*: tokenreviews.authentication.k8s.io create",
        "*: subjectaccessreviews.authorization.k8s.io create",
        "*: clusterrolebindings.rbac.authorization.k8s.io patch,create,get",
        "kube-system: configmaps/extension-apiserver-authentication get,list,watch",
        "kube-system: rolebindings.rbac.authorization.k8s.io patch,create,get",
        "operators: secrets create,get",
        "operators: secrets/memo-service-cert get",
        "operators: services patch,create,get",
        "operators: rolebindings.rbac.authorization.k8s.io create,get",
        "operators: roles.rbac.authorization.k8s.io create,get",
    ];
    assert_eq!(added, expected);
}

#[test]
fn an_upgrade_patches_the_objects_for_deployments_that_serve() {
    let mut csv = with_deployment();
    csv["spec"]["webhookdefinitions"] = serving()["spec"]["webhookdefinitions"].clone();
    let place = |mut object: Value| {
        object["metadata"]["namespace"] = json!("operators");
        object
    };
    let rbac = |kind: &str, name: &str| object("rbac.authorization.k8s.io/v1", kind, name);
    let existing = [
        place(object("v1", "Service", "memo-service")),
        place(object("v1", "Secret", "memo-service-cert")),
        place(rbac("Role", "memo-service-cert")),
        place(rbac("RoleBinding", "memo-service-cert")),
        rbac("ClusterRoleBinding", "memo-service-system:auth-delegator"),
    ];
    let steps = plan(csv, Vec::new());
    let needs = needed(&steps, "operators", &Apis::default(), &existing).unwrap();
    let requests = needs.iter().filter(|need| need.purpose == Purpose::Install);
    let verbs = |place: Option<&str>, resource: &str| -> Vec<String> {
        let here = requests.clone().filter(|need| need.namespace.as_deref() == place);
        let rules = here.flat_map(|need| &need.rules);
        let of_one = rules.filter(|rule| rule.resources == [resource]);
        of_one.map(|rule| rule.verbs.join(",")).collect()
    };
    assert_eq!(verbs(Some("operators"), "services"), ["patch"]);
    assert_eq!(verbs(Some("operators"), "secrets"), [""; 0]);
    assert_eq!(verbs(Some("operators"), "roles"), ["create", "get,patch"]);
    assert_eq!(verbs(None, "clusterrolebindings"), ["patch"]);
    assert_eq!(verbs(Some("kube-system"), "rolebindings"), ["patch,create"]);
}
