//! Mistakes in the names and the values of fields of Kubernetes' own kinds.

use opmx::bundle;
use opmx::diagnostic::Diagnostic;
use opmx::text::Limits;
use opmx::tree::{Tree, TreeLimits};
use opmx::validation::check_reading;
use serde_json::{Value, json};

/// Returns the findings about the fields of one object in a bundle.
fn found(manifest: &str) -> Vec<Diagnostic> {
    let mut tree = Tree::new("bundle");
    for (path, text) in [("manifests/object.yaml", manifest), ("metadata/olm.yaml", "{}\n")] {
        tree.insert(path, text.as_bytes().to_vec(), &TreeLimits::default())
            .unwrap();
    }
    let findings = check_reading(&bundle::read(&tree, &Limits::default()));
    // The objects are fragments, so other values that the API server requires are missing.
    let of_fields = |finding: &Diagnostic| ["object-field-type", "object-field-unknown"].contains(&finding.rule.id);
    findings.into_iter().filter(of_fields).collect()
}

/// Returns an object with a value at a path, where `[]` after a key means a list of one.
fn object(api_version: &str, kind: &str, path: &str, value: Value) -> String {
    let inner = path.rsplit('.').fold(value, |value, key| match key.strip_suffix("[]") {
        Some(key) => json!({key: [value]}),
        None => json!({key: value}),
    });
    let mut object = json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": "a"}});
    for (key, value) in inner.as_object().unwrap() {
        match (object.get_mut(key), value) {
            (Some(Value::Object(known)), Value::Object(more)) => known.extend(more.clone()),
            _ => drop(object.as_object_mut().unwrap().insert(key.clone(), value.clone())),
        }
    }
    serde_json::to_string_pretty(&object).unwrap()
}

const POD: &str = "spec.template.spec";
const CONTAINER: &str = "spec.template.spec.containers[]";

/// The API, the place, what was written, and what was meant.
#[rustfmt::skip]
const SLIPS: &[(&str, &str, &str, &str)] = &[
    ("apps/v1 Deployment", "", "specs", "spec"),
    ("apps/v1 Deployment", "metadata", "label", "labels"),
    ("apps/v1 Deployment", "metadata", "annotation", "annotations"),
    ("apps/v1 Deployment", "metadata", "nameSpace", "namespace"),
    ("apps/v1 Deployment", "spec", "replica", "replicas"),
    ("apps/v1 Deployment", "spec", "Replicas", "replicas"),
    ("apps/v1 Deployment", "spec", "selectors", "selector"),
    ("apps/v1 Deployment", "spec", "stratagy", "strategy"),
    ("apps/v1 Deployment", "spec", "templete", "template"),
    ("apps/v1 Deployment", "spec", "revisionHistorylimit", "revisionHistoryLimit"),
    ("apps/v1 Deployment", "spec.strategy.rollingUpdate", "maxSurg", "maxSurge"),
    ("apps/v1 Deployment", "spec.strategy.rollingUpdate", "maxUnavaliable", "maxUnavailable"),
    ("apps/v1 Deployment", "spec.selector", "matchLabel", "matchLabels"),
    ("apps/v1 Deployment", POD, "serviceAcountName", "serviceAccountName"),
    ("apps/v1 Deployment", POD, "serviceaccountname", "serviceAccountName"),
    ("apps/v1 Deployment", POD, "serviceAccounName", "serviceAccountName"),
    ("apps/v1 Deployment", POD, "container", "containers"),
    ("apps/v1 Deployment", POD, "initContainer", "initContainers"),
    ("apps/v1 Deployment", POD, "imagePullSecret", "imagePullSecrets"),
    ("apps/v1 Deployment", POD, "nodeSelectors", "nodeSelector"),
    ("apps/v1 Deployment", POD, "toleration", "tolerations"),
    ("apps/v1 Deployment", POD, "volume", "volumes"),
    ("apps/v1 Deployment", POD, "priorityClass", "priorityClassName"),
    ("apps/v1 Deployment", POD, "terminationGracePeriod", "terminationGracePeriodSeconds"),
    ("apps/v1 Deployment", POD, "automountServiceAccountTokens", "automountServiceAccountToken"),
    ("apps/v1 Deployment", POD, "hostNetWork", "hostNetwork"),
    ("apps/v1 Deployment", POD, "securityContex", "securityContext"),
    ("apps/v1 Deployment", CONTAINER, "imagePullpolicy", "imagePullPolicy"),
    ("apps/v1 Deployment", CONTAINER, "img", "image"),
    ("apps/v1 Deployment", CONTAINER, "comand", "command"),
    ("apps/v1 Deployment", CONTAINER, "arg", "args"),
    ("apps/v1 Deployment", CONTAINER, "envs", "env"),
    ("apps/v1 Deployment", CONTAINER, "port", "ports"),
    ("apps/v1 Deployment", CONTAINER, "resource", "resources"),
    ("apps/v1 Deployment", CONTAINER, "volumeMount", "volumeMounts"),
    ("apps/v1 Deployment", CONTAINER, "readynessProbe", "readinessProbe"),
    ("apps/v1 Deployment", CONTAINER, "livelinessProbe", "livenessProbe"),
    ("apps/v1 Deployment", "spec.template.spec.containers[].ports[]", "containerport", "containerPort"),
    ("apps/v1 Deployment", "spec.template.spec.containers[].env[]", "valuefrom", "valueFrom"),
    ("apps/v1 Deployment", "spec.template.spec.containers[].env[].valueFrom", "secretRef", "secretKeyRef"),
    ("apps/v1 Deployment", "spec.template.spec.containers[].resources", "limit", "limits"),
    ("apps/v1 Deployment", "spec.template.spec.containers[].resources", "request", "requests"),
    ("apps/v1 Deployment", "spec.template.spec.containers[].securityContext", "runAsNonroot", "runAsNonRoot"),
    ("apps/v1 Deployment", "spec.template.spec.containers[].securityContext", "allowPriviledgeEscalation", "allowPrivilegeEscalation"),
    ("apps/v1 Deployment", "spec.template.spec.containers[].volumeMounts[]", "mounthPath", "mountPath"),
    ("apps/v1 Deployment", "spec.template.spec.containers[].livenessProbe", "initialDelay", "initialDelaySeconds"),
    ("apps/v1 Deployment", "spec.template.spec.containers[].livenessProbe", "periodSecond", "periodSeconds"),
    ("apps/v1 Deployment", "spec.template.spec.volumes[]", "configmap", "configMap"),
    ("apps/v1 Deployment", "spec.template.spec.volumes[].secret", "secretname", "secretName"),
    ("rbac.authorization.k8s.io/v1 ClusterRole", "", "rule", "rules"),
    ("rbac.authorization.k8s.io/v1 ClusterRole", "rules[]", "apiGroup", "apiGroups"),
    ("rbac.authorization.k8s.io/v1 ClusterRole", "rules[]", "resource", "resources"),
    ("rbac.authorization.k8s.io/v1 ClusterRole", "rules[]", "verb", "verbs"),
    ("rbac.authorization.k8s.io/v1 ClusterRole", "rules[]", "nonResourceUrls", "nonResourceURLs"),
    ("rbac.authorization.k8s.io/v1 ClusterRoleBinding", "", "roleref", "roleRef"),
    ("rbac.authorization.k8s.io/v1 ClusterRoleBinding", "", "subject", "subjects"),
    ("rbac.authorization.k8s.io/v1 ClusterRoleBinding", "subjects[]", "nameSpace", "namespace"),
    ("v1 Service", "spec", "selectors", "selector"),
    ("v1 Service", "spec", "clusterIp", "clusterIP"),
    ("v1 Service", "spec.ports[]", "targetport", "targetPort"),
    ("v1 ConfigMap", "", "datas", "data"),
    ("v1 Secret", "", "stringdata", "stringData"),
    ("v1 ServiceAccount", "", "imagePullSecret", "imagePullSecrets"),
    ("policy/v1 PodDisruptionBudget", "spec", "minAvailabel", "minAvailable"),
    ("networking.k8s.io/v1 NetworkPolicy", "spec", "podselector", "podSelector"),
    ("networking.k8s.io/v1 NetworkPolicy", "spec", "policyType", "policyTypes"),
    ("scheduling.k8s.io/v1 PriorityClass", "", "globaldefault", "globalDefault"),
    ("admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration", "webhooks[]", "failurepolicy", "failurePolicy"),
    ("admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration", "webhooks[].clientConfig", "caBundel", "caBundle"),
    ("apiregistration.k8s.io/v1 APIService", "spec", "groupPriorityMinium", "groupPriorityMinimum"),
    ("apiextensions.k8s.io/v1 CustomResourceDefinition", "spec", "scop", "scope"),
    ("apiextensions.k8s.io/v1 CustomResourceDefinition", "spec.names", "shortName", "shortNames"),
    ("apiextensions.k8s.io/v1 CustomResourceDefinition", "spec.versions[].schema", "openApiV3Schema", "openAPIV3Schema"),
];

#[test]
fn a_misspelled_field_is_reported_with_the_intended_name() {
    let mut problems = Vec::new();
    for (api, place, written, meant) in SLIPS {
        let (api_version, kind) = api.split_once(' ').unwrap();
        let path = [*place, *written].join(".");
        let text = object(api_version, kind, path.trim_start_matches('.'), Value::Null);
        let findings = found(&text);
        let [finding] = findings.as_slice() else {
            problems.push(format!("{api} {path}: {findings:?}"));
            continue;
        };
        let line = text
            .lines()
            .position(|line| line.contains(&format!("\"{written}\"")))
            .unwrap();
        let said = finding.place.as_ref().unwrap();
        if finding.rule.id != "object-field-unknown"
            || finding.is_error()
            || !finding.advice().starts_with(&format!("Did you mean {meant}?"))
            || said.start().line != line + 1
        {
            problems.push(format!("{api} {path}: {finding} {}", finding.advice()));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(SLIPS.len() >= 60, "{} slips", SLIPS.len());
}

#[test]
fn a_misplaced_field_is_reported_with_its_right_place() {
    let advice = |path: &str| {
        let findings = found(&object("apps/v1", "Deployment", path, json!(1)));
        let [finding] = findings.as_slice() else {
            panic!("{findings:?}")
        };
        finding.advice().to_owned()
    };
    assert!(advice("spec.template.spec.replicas").starts_with("Move it to spec.replicas,"));
    assert!(
        advice("spec.template.spec.containers[].runAsUser")
            .starts_with("Move it to spec.template.spec.containers[0].securityContext.runAsUser,")
    );
    assert!(advice("spec.zzzzzzzzzz").starts_with("Correct the name or the position"));
}

#[test]
fn a_value_that_the_api_server_cannot_read_is_an_error_with_a_fix() {
    let cases = [
        (
            "apps/v1 Deployment",
            "spec.replicas",
            json!("3"),
            "Remove the quotes: 3.",
        ),
        ("apps/v1 Deployment", "spec.template.spec.containers", json!({}), ""),
        (
            "apps/v1 Deployment",
            "spec.template.spec.containers[].ports[].containerPort",
            json!("http"),
            "",
        ),
        (
            "apps/v1 Deployment",
            "spec.template.spec.containers[].env[].value",
            json!(8080),
            "Use quotes: \"8080\".",
        ),
        (
            "apps/v1 Deployment",
            "spec.template.spec.containers[].args",
            json!("--a"),
            "",
        ),
        ("v1 Service", "spec.ports[].port", json!("https"), ""),
        ("v1 ConfigMap", "data.size", json!(3), "Use quotes: \"3\"."),
        ("policy/v1 PodDisruptionBudget", "spec.minAvailable", json!(true), ""),
        (
            "rbac.authorization.k8s.io/v1 Role",
            "rules[].verbs",
            json!("get"),
            "Use a list: [\"get\"].",
        ),
    ];
    for (api, path, value, advice) in cases {
        let (api_version, kind) = api.split_once(' ').unwrap();
        let findings = found(&object(api_version, kind, path, value));
        let [finding] = findings.as_slice() else {
            panic!("{path}: {findings:?}")
        };
        assert_eq!(finding.rule.id, "object-field-type", "{path}");
        assert!(finding.is_error(), "{path}");
        assert!(finding.advice().contains(advice), "{path}: {}", finding.advice());
    }
}

#[test]
fn values_that_the_api_server_accepts_are_not_reported() {
    for (path, value) in [
        (
            "spec.template.spec.containers[].readinessProbe.httpGet.port",
            json!("http"),
        ),
        (
            "spec.template.spec.containers[].readinessProbe.httpGet.port",
            json!(8080),
        ),
        ("spec.template.spec.containers[].resources.limits.cpu", json!(2)),
        ("spec.template.spec.containers[].resources.limits.cpu", json!("1500m")),
        ("spec.strategy.rollingUpdate.maxSurge", json!("25%")),
        ("spec.template.metadata.creationTimestamp", Value::Null),
        ("spec.template.spec.nodeSelector.anything", json!("at all")),
    ] {
        assert_eq!(found(&object("apps/v1", "Deployment", path, value)), []);
    }
    // The fields of a kind that is not Kubernetes' own are unknown here.
    assert_eq!(
        found(&object("monitoring.example.com/v1", "Watch", "spec.any", json!(1))),
        []
    );
}
