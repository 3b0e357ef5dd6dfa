//! Roles, bindings and other small objects that the API server rejects.

use crate::rule_examples::bundles::right_bundle;
use opmx::diagnostic::Diagnostic;
use opmx::tree::{Tree, TreeLimits};
use opmx::validation::{Request, validate};
use std::collections::BTreeMap;

/// Returns the findings in a k8s+v1 bundle that also contains this manifest.
fn found(manifest: &str) -> Vec<Diagnostic> {
    found_in(right_bundle("k8s+v1"), manifest)
}

fn found_in(mut files: BTreeMap<String, Vec<u8>>, manifest: &str) -> Vec<Diagnostic> {
    let mut tree = Tree::new("bundle");
    files.insert("manifests/more.yaml".to_owned(), manifest.as_bytes().to_vec());
    for (path, content) in files {
        tree.insert(&path, content, &TreeLimits::default()).unwrap();
    }
    let findings = validate(&tree, &Request::default()).findings.into_iter();
    findings.map(|finding| finding.diagnostic).collect()
}

/// Returns the paths and messages of the errors in the manifest.
fn errors(manifest: &str) -> Vec<(String, String)> {
    let errors = found(manifest).into_iter().filter(Diagnostic::is_error);
    let shown = errors.map(|finding| {
        assert_eq!(finding.rule.id, "object-field-value", "{finding}");
        let place = finding.place.as_ref().unwrap();
        assert_eq!(place.source.name(), "bundle/manifests/more.yaml");
        assert!(finding.help.is_some(), "{finding}");
        (finding.path.unwrap_or_default(), finding.message)
    });
    shown.collect()
}

fn one_error(manifest: &str, path: &str, message: &str) {
    let errors = errors(manifest);
    let [(at, told)] = &errors[..] else {
        panic!("{manifest}: {errors:?}");
    };
    assert!(at == path && told.contains(message), "{manifest}: {errors:?}");
}

const RBAC: &str = "apiVersion: rbac.authorization.k8s.io/v1\n";

#[test]
fn only_plain_cluster_role_rules_can_have_urls() {
    let role = |kind: &str, rule: &str| {
        format!("{RBAC}kind: {kind}\nmetadata: {{name: urls}}\nrules:\n- {{{rule}, verbs: [get]}}\n")
    };
    let urls = "nonResourceURLs: [/metrics]";
    assert!(errors(&role("ClusterRole", urls)).is_empty());
    let path = "rules[0].nonResourceURLs";
    one_error(&role("Role", urls), path, "only ClusterRoles can have them");
    let mixed = format!("{urls}, apiGroups: [''], resources: [pods]");
    one_error(&role("ClusterRole", &mixed), path, "in addition to resources");
}

#[test]
fn the_api_group_of_a_subject_depends_on_its_kind() {
    let binding = |kind: &str, group: &str| {
        let role = format!(
            "{RBAC}kind: ClusterRole\nmetadata: {{name: reads}}\nrules:\n- {{apiGroups: [''], resources: [pods], verbs: [get]}}\n"
        );
        format!(
            "{role}---\n{RBAC}kind: RoleBinding\nmetadata: {{name: reads}}\n\
             roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: reads}}\n\
             subjects:\n- {{kind: {kind}, name: memcached-operator, namespace: memcached-system, apiGroup: {group}}}\n"
        )
    };
    let (core, rbac, path) = ("\"\"", "rbac.authorization.k8s.io", "subjects[0].apiGroup");
    for (kind, group) in [("ServiceAccount", core), ("Group", rbac), ("Group", core)] {
        assert!(errors(&binding(kind, group)).is_empty(), "{kind} {group}");
    }
    one_error(
        &binding("ServiceAccount", rbac),
        path,
        "the API group of a ServiceAccount is \"\", not \"rbac.authorization.k8s.io\"",
    );
    one_error(&binding("Group", "v1"), path, "the API group of a Group is \"rbac");
    let misled = found(&binding("ServiceAccount", rbac));
    assert!(
        misled
            .iter()
            .all(|finding| finding.rule.id != "rbac-kept-subject-namespace"),
        "{misled:#?}"
    );
}

#[test]
fn budgets_priorities_and_data_are_checked_like_the_api_server_does() {
    let budget = |limits: &str| {
        format!(
            "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {{name: op}}\nspec: {{selector: {{matchLabels: {{app: op}}}}, {limits}}}\n"
        )
    };
    assert!(errors(&budget("minAvailable: 1")).is_empty());
    one_error(
        &budget("minAvailable: 1, maxUnavailable: 1"),
        "spec.maxUnavailable",
        "both minAvailable and",
    );
    let class = |name: &str, value: i64| {
        format!("apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {{name: {name}}}\nvalue: {value}\n")
    };
    assert!(errors(&class("high", 1_000_000_000)).is_empty());
    one_error(&class("system-high", 1), "metadata.name", "must not begin with system-");
    one_error(&class("high", 1_000_000_001), "value", "above 1000000000");
    let map = |fields: &str| format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: files}}\n{fields}\n");
    assert!(errors(&map("data: {a.txt: x, _b: z}\nbinaryData: {c: YQ==}")).is_empty());
    one_error(
        &map("data: {a/b: x}"),
        "data[\"a/b\"]",
        "is not a valid key of a ConfigMap",
    );
    one_error(
        &map("data: {a: x}\nbinaryData: {a: YQ==}"),
        "binaryData.a",
        "in both data and binaryData",
    );
    let secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: files}\nstringData: {..a: x}\n";
    one_error(secret, "stringData[\"..a\"]", "is not a valid key of a Secret");
}

#[test]
fn a_budget_limits_a_number_or_a_percentage_of_pods() {
    let budget = |spec: &str| {
        format!("apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {{name: op}}\nspec: {{{spec}}}\n")
    };
    for right in [
        "minAvailable: 50%",
        "minAvailable: '0%'",
        "maxUnavailable: 0",
        "maxUnavailable: '100%'",
    ] {
        assert!(errors(&budget(right)).is_empty(), "{right}");
    }
    let (least, most) = ("spec.minAvailable", "spec.maxUnavailable");
    one_error(
        &budget("minAvailable: '50'"),
        least,
        "\"50\", which is not a percentage",
    );
    one_error(&budget("minAvailable: '%'"), least, "not a percentage");
    one_error(&budget("maxUnavailable: -1"), most, "is -1, but must be at least 0");
    one_error(&budget("maxUnavailable: 101%"), most, "more than 100%");
    one_error(&budget("maxUnavailable: '99999999999%'"), most, "more than 100%");
}

#[test]
fn the_operator_of_a_selector_determines_whether_it_has_values() {
    let budget = |expression: &str| {
        format!(
            "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {{name: op}}\n\
             spec: {{minAvailable: 1, selector: {{matchExpressions: [{{{expression}}}]}}}}\n"
        )
    };
    for right in [
        "key: a.b/c, operator: In, values: [x]",
        "key: a, operator: Exists, values: []",
    ] {
        assert!(errors(&budget(right)).is_empty(), "{right}");
    }
    let path = "spec.selector.matchExpressions[0]";
    for (wrong, at, message) in [
        (
            "key: a, operator: In",
            "values",
            "the operator In of a label selector needs values",
        ),
        (
            "key: a, operator: NotIn, values: []",
            "values",
            "NotIn of a label selector needs values",
        ),
        (
            "key: a, operator: Exists, values: [x]",
            "values",
            "Exists of a label selector allows no values",
        ),
        (
            "key: a, operator: DoesNotExist, values: [x]",
            "values",
            "allows no values",
        ),
        ("key: a b, operator: Exists", "key", "\"a b\" is not a valid label key"),
    ] {
        one_error(&budget(wrong), &format!("{path}.{at}"), message);
    }
}

#[test]
fn a_service_needs_ports_unless_it_has_no_address() {
    let service = |spec: &str| format!("apiVersion: v1\nkind: Service\nmetadata: {{name: more}}\nspec: {{{spec}}}\n");
    for right in [
        "ports: [{port: 1}]",
        "clusterIP: None",
        "type: ExternalName, externalName: a.example.com",
        "type: NodePort, ports: [{port: 1, nodePort: 30001}]",
        "ports: [{port: 1, nodePort: 0}]",
    ] {
        assert!(errors(&service(right)).is_empty(), "{right}");
    }
    one_error(&service("selector: {a: b}"), "spec.ports", "has no ports");
    one_error(&service("type: LoadBalancer, ports: []"), "spec.ports", "has no ports");
    let selector = found(&service("selector: {a b: c}, ports: [{port: 1}]"));
    let label = selector
        .iter()
        .find(|finding| finding.message.contains("\"a b\" is not a valid label key"));
    assert!(label.is_some_and(Diagnostic::is_error), "{selector:?}");
}

#[test]
fn the_type_of_a_secret_determines_what_it_contains() {
    let secret = |rest: &str| format!("apiVersion: v1\nkind: Secret\nmetadata: {{name: more}}\n{rest}\n");
    let token = "type: kubernetes.io/service-account-token";
    let account = "kubernetes.io/service-account.name";
    let annotated = |name: &str| {
        format!(
            "apiVersion: v1\nkind: Secret\nmetadata: {{name: more, annotations: {{{account}: '{name}'}}}}\n{token}\n"
        )
    };
    for right in [
        annotated("memcached-operator"),
        secret("type: kubernetes.io/tls\ndata: {tls.crt: ''}\nstringData: {tls.key: ''}"),
        secret("type: kubernetes.io/dockerconfigjson\nstringData: {.dockerconfigjson: '{}'}"),
        secret("type: example.com/anything"),
        secret("type: kubernetes.io/basic-auth\nstringData: {username: ''}"),
        secret("type: kubernetes.io/basic-auth\ndata: {password: cGFzcw==}"),
        secret("type: kubernetes.io/ssh-auth\nstringData: {ssh-privatekey: key}"),
    ] {
        assert!(errors(&right).is_empty(), "{right}");
    }
    let path = format!("metadata.annotations[\"{account}\"]");
    one_error(
        &secret(token),
        &path,
        "has no annotation kubernetes.io/service-account.name",
    );
    one_error(&annotated(""), &path, "has no annotation");
    let tls = "type: kubernetes.io/tls\nstringData: {tls.crt: ''}";
    one_error(
        &secret(tls),
        "data[\"tls.key\"]",
        "of the type kubernetes.io/tls has no key tls.key",
    );
    let pull = "type: kubernetes.io/dockerconfigjson\nstringData: {config.json: '{}'}";
    one_error(
        &secret(pull),
        "data[\".dockerconfigjson\"]",
        "has no key .dockerconfigjson",
    );
    one_error(
        &secret("type: kubernetes.io/basic-auth\nstringData: {user: a}"),
        "data",
        "has neither the key username nor the key password",
    );
    for keys in ["ssh-private: key", "ssh-privatekey: ''"] {
        let ssh = format!("type: kubernetes.io/ssh-auth\nstringData: {{{keys}}}");
        let message = "has no value for the key ssh-privatekey";
        one_error(&secret(&ssh), "data.ssh-privatekey", message);
    }
}

#[test]
fn a_priority_class_has_one_of_two_preemption_policies() {
    let class = |policy: &str| {
        format!(
            "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {{name: high}}\nvalue: 1\npreemptionPolicy: {policy}\n"
        )
    };
    for right in ["Never", "PreemptLowerPriority"] {
        assert!(errors(&class(right)).is_empty(), "{right}");
    }
    let wrong = found(&class("Sometimes"));
    let message = "preemptionPolicy is \"Sometimes\", but must be Never or PreemptLowerPriority";
    assert!(
        wrong
            .iter()
            .any(|finding| finding.is_error() && finding.message == message),
        "{wrong:?}"
    );
}

#[test]
fn peers_and_ports_of_a_network_policy_are_checked_like_the_api_server_does() {
    let policy = |rule: &str| {
        format!(
            "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {{name: more}}\n\
             spec: {{podSelector: {{}}, egress: [{{{rule}}}]}}\n"
        )
    };
    for right in [
        "to: [{ipBlock: {cidr: 192.0.2.0/24, except: [192.0.2.128/25]}}]",
        "to: [{podSelector: {}, namespaceSelector: {}}]",
        "ports: [{port: 80, endPort: 80}, {port: http}, {protocol: UDP}]",
    ] {
        assert!(errors(&policy(right)).is_empty(), "{right}");
    }
    let (peer, port) = ("spec.egress[0].to[0]", "spec.egress[0].ports[0]");
    for (wrong, at, message) in [
        ("to: [{}]", peer.to_owned(), "is empty"),
        (
            "to: [{ipBlock: {cidr: nonsense}}]",
            format!("{peer}.ipBlock.cidr"),
            "is not a block of addresses",
        ),
        (
            "to: [{ipBlock: {cidr: '::/0', except: ['::']}}]",
            format!("{peer}.ipBlock.except[0]"),
            "is not a block of addresses",
        ),
        (
            "to: [{ipBlock: {cidr: 192.0.2.0/24, except: [192.0.3.0/25]}}]",
            format!("{peer}.ipBlock.except[0]"),
            "\"192.0.3.0/25\" is not a smaller block within the cidr \"192.0.2.0/24\"",
        ),
        (
            "to: [{ipBlock: {cidr: 192.0.2.0/24, except: [192.0.2.0/24]}}]",
            format!("{peer}.ipBlock.except[0]"),
            "is not a smaller block",
        ),
        (
            "to: [{podSelector: {}, ipBlock: {cidr: '::/0'}}]",
            format!("{peer}.ipBlock"),
            "in addition to a selector",
        ),
        (
            "to: [{podSelector: {matchExpressions: [{key: a, operator: In}]}}]",
            format!("{peer}.podSelector.matchExpressions[0].values"),
            "needs values",
        ),
        (
            "ports: [{port: 80, endPort: 79}]",
            format!("{port}.endPort"),
            "must be between port, 80, and 65535",
        ),
        (
            "ports: [{port: 80, endPort: 70000}]",
            format!("{port}.endPort"),
            "endPort is 70000",
        ),
        (
            "ports: [{port: http, endPort: 79}]",
            format!("{port}.endPort"),
            "needs a number in port",
        ),
        (
            "ports: [{endPort: 79}]",
            format!("{port}.endPort"),
            "needs a number in port",
        ),
        ("ports: [{port: 0}]", format!("{port}.port"), "port 0 is not"),
        ("ports: [{port: '80'}]", format!("{port}.port"), "not a valid port name"),
    ] {
        one_error(&policy(wrong), &at, message);
    }
}

#[test]
fn the_minimum_version_of_kubernetes_must_serve_the_apis_of_the_manifests() {
    let findings = |version: &str, manifest: &str| {
        let mut files = right_bundle("k8s+v1");
        let olm = String::from_utf8(files["metadata/olm.yaml"].clone()).unwrap();
        let lines = olm.lines().filter(|line| !line.starts_with("minKubeVersion"));
        let olm = lines
            .chain([&*format!("minKubeVersion: {version}")])
            .collect::<Vec<_>>()
            .join("\n");
        files.insert("metadata/olm.yaml".to_owned(), olm.into_bytes());
        let all = found_in(files, manifest).into_iter();
        let about = all.filter(|finding| finding.rule.id == "olm-kube-version");
        about.map(|finding| finding.message).collect::<Vec<_>>()
    };
    let budget = |version: &str| {
        format!(
            "apiVersion: policy/{version}\nkind: PodDisruptionBudget\nmetadata: {{name: op}}\n\
             spec: {{minAvailable: 1, selector: {{matchLabels: {{app: op}}}}}}\n"
        )
    };
    assert!(findings("1.24.0", &budget("v1beta1")).is_empty());
    assert!(findings("1.30.0", &budget("v1")).is_empty());
    let removed = "Kubernetes no longer serves PodDisruptionBudget of policy/v1beta1 since 1.25.0";
    for version in ["1.25.0", "1.30.0"] {
        let message = format!("minKubeVersion is {version}, but {removed}");
        assert_eq!(findings(version, &budget("v1beta1")), [message]);
    }
    let early = "minKubeVersion is 1.20.0, but Kubernetes serves policy/v1 only since 1.21.0";
    assert_eq!(findings("1.20.0", &budget("v1")), [early]);
}
