//! Bundles that show one thing each, there and back.

use super::*;
use crate::bundle;
use crate::synthesis::synthesize;
use crate::text::to_yaml;
use serde_json::{Value, json};
use std::collections::BTreeSet;

const ANNOTATIONS: &str = "annotations:\n  operators.operatorframework.io.bundle.mediatype.v1: registry+v1\n  \
                           operators.operatorframework.io.bundle.package.v1: op\n";

fn deployment(name: &str, account: &str, labels: &Value) -> Value {
    let pod =
        json!({"serviceAccountName": account, "containers": [{"name": "manager", "image": "registry.example.com/op"}]});
    let template = json!({"metadata": {"labels": labels}, "spec": pod});
    json!({"name": name, "spec": {"selector": {"matchLabels": labels}, "template": template}})
}

fn csv() -> Value {
    json!({
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "ClusterServiceVersion",
        "metadata": {"name": "op.v1.0.0"},
        "spec": {
            "displayName": "Op",
            "version": "1.0.0",
            "minKubeVersion": "1.25.0",
            "installModes": [{"type": "AllNamespaces", "supported": true}],
            "install": {"strategy": "deployment", "spec": {"deployments": [deployment("op", "op", &json!({"app": "op"}))]}},
        },
    })
}

fn with(pointer: &str, value: Value) -> Value {
    let mut csv = csv();
    set(&mut csv, pointer, value);
    csv
}

fn set(csv: &mut Value, pointer: &str, value: Value) {
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    let parent = csv.pointer_mut(parent).unwrap().as_object_mut().unwrap();
    parent.insert(key.to_owned(), value);
}

const PERMISSIONS: &str = "/spec/install/spec/permissions";
const CLUSTER_PERMISSIONS: &str = "/spec/install/spec/clusterPermissions";

fn rule(resource: &str) -> Value {
    json!({"apiGroups": [""], "resources": [resource], "verbs": ["get"]})
}

fn tree(csv: &Value, others: &[Value]) -> Tree {
    let mut tree = Tree::new("bundle");
    let mut put = |path: &str, content: String| tree.insert(path, content.into_bytes(), &UNLIMITED).unwrap();
    put("manifests/op.clusterserviceversion.yaml", to_yaml(csv));
    put("metadata/annotations.yaml", ANNOTATIONS.to_owned());
    for (number, other) in others.iter().enumerate() {
        put(&format!("manifests/{number}.yaml"), to_yaml(other));
    }
    tree
}

fn convert_tree(tree: &Tree) -> Conversion {
    let reading = bundle::read(tree, &Limits::default());
    convert(tree, &reading, "out", &Limits::default()).unwrap().unwrap()
}

/// The rules of the findings, each once.
fn ids(findings: &[Diagnostic]) -> BTreeSet<&str> {
    findings.iter().map(|finding| finding.rule.id).collect()
}

/// The CSV that comes back, the new bundle, and what was said.
fn round_trip(csv: &Value, others: &[Value]) -> (Value, Tree, Vec<Diagnostic>) {
    let conversion = convert_tree(&tree(csv, others));
    let Some(plain) = conversion.tree else {
        panic!("{:#?}", conversion.diagnostics);
    };
    let reading = bundle::read(&plain, &Limits::default());
    let synthesis = synthesize(reading.bundle.as_ref().unwrap(), &reading.diagnostics);
    let synthesized = synthesis.csv.unwrap_or_else(|| panic!("{:#?}", synthesis.diagnostics));
    (synthesized, plain, conversion.diagnostics)
}

/// The rules of the errors that stand in the way, with their paths.
fn refusals(csv: &Value, others: &[Value]) -> Vec<(&'static str, String)> {
    let conversion = convert_tree(&tree(csv, others));
    assert!(conversion.tree.is_none());
    let errors = conversion.diagnostics.into_iter().filter(Diagnostic::is_error);
    errors
        .map(|error| {
            assert!(
                error
                    .place
                    .is_some_and(|place| place.source.name().starts_with("bundle/manifests/"))
            );
            (error.rule.id, error.path.unwrap_or_default())
        })
        .collect()
}

fn crd(version: &str, stanza: Option<Value>) -> Value {
    let mut spec = json!({
        "group": "ex.com",
        "names": {"plural": "foos", "kind": "Foo"},
        "scope": "Namespaced",
        "versions": [
            {"name": "v1", "served": true, "storage": true},
            {"name": "v1beta1", "served": true, "storage": false},
            {"name": "v1alpha1", "served": false, "storage": false},
        ],
    });
    if let Some(stanza) = stanza {
        spec["conversion"] = stanza;
    }
    json!({
        "apiVersion": format!("apiextensions.k8s.io/{version}"),
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "foos.ex.com"},
        "spec": spec,
    })
}

fn owned(versions: &[&str]) -> Value {
    let entries = versions.iter();
    entries
        .map(|version| json!({"name": "foos.ex.com", "version": version, "kind": "Foo"}))
        .collect()
}

#[test]
fn a_plain_csv_comes_back_the_same() {
    let (back, plain, findings) = round_trip(&csv(), &[]);
    let mut expected = csv();
    // Nothing else would make OLM create the account.
    set(
        &mut expected,
        PERMISSIONS,
        json!([{"serviceAccountName": "op", "rules": []}]),
    );
    expected.sort_all_objects();
    assert_eq!(back, expected);
    assert_eq!(ids(&findings), BTreeSet::from(["convert-field-added"]));
    let paths: Vec<&str> = plain.iter().map(|(path, _)| path).collect();
    assert_eq!(
        paths,
        [
            "manifests/op.deployment.yaml",
            "manifests/op.rbac.yaml",
            "metadata/annotations.yaml",
            "metadata/olm.yaml"
        ]
    );
}

#[test]
fn all_entries_of_an_account_become_one_and_accounts_of_operands_stay() {
    let mut csv = with(
        PERMISSIONS,
        json!([
            {"serviceAccountName": "op", "rules": [rule("pods")]},
            {"serviceAccountName": "op", "rules": [rule("secrets"), rule("pods")]},
            {"serviceAccountName": "operand", "rules": [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}]},
            {"serviceAccountName": "bare", "rules": []},
            {"serviceAccountName": "default", "rules": [rule("services")]},
        ]),
    );
    set(
        &mut csv,
        CLUSTER_PERMISSIONS,
        json!([{"serviceAccountName": "op", "rules": [rule("nodes")]}]),
    );
    let (back, _, findings) = round_trip(&csv, &[]);
    let accounts = |pointer: &str| -> Vec<(String, usize)> {
        let entries = back.pointer(pointer).unwrap().as_array().unwrap().iter();
        let entry = |entry: &Value| {
            let name = entry["serviceAccountName"].as_str().unwrap().to_owned();
            (name, entry["rules"].as_array().unwrap().len())
        };
        entries.map(entry).collect()
    };
    let expected = [("bare", 0), ("default", 1), ("op", 2), ("operand", 1)];
    assert_eq!(
        accounts(PERMISSIONS),
        expected.map(|(name, rules)| (name.to_owned(), rules))
    );
    assert_eq!(accounts(CLUSTER_PERMISSIONS), [("op".to_owned(), 1)]);
    assert_eq!(
        ids(&findings),
        BTreeSet::from(["convert-order", "convert-repeated-rule"])
    );
}

#[test]
fn wildcards_of_the_operators_own_account_are_refused_with_their_place() {
    let wild = json!({"apiGroups": ["apps"], "resources": ["deployments", "*/scale"], "verbs": ["get"]});
    let csv = with(
        CLUSTER_PERMISSIONS,
        json!([{"serviceAccountName": "op", "rules": [rule("pods"), wild]}]),
    );
    let path = "spec.install.spec.clusterPermissions[0].rules[1].resources[1]".to_owned();
    assert_eq!(refusals(&csv, &[]), [("rbac-wildcard", path)]);
}

#[test]
fn what_the_rbac_mentions_is_required_only_where_the_csv_says_so() {
    let third_party =
        |group: &str, resource: &str| json!({"apiGroups": [group], "resources": [resource], "verbs": ["get"]});
    let rules = json!([
        third_party("monitoring.coreos.com", "servicemonitors/status"),
        third_party("cert-manager.io", "certificates"),
        third_party("route.openshift.io", "routes"),
    ]);
    let mut csv = with(
        CLUSTER_PERMISSIONS,
        json!([{"serviceAccountName": "op", "rules": rules}]),
    );
    let required = json!([{"name": "certificates.cert-manager.io", "version": "v1", "kind": "Certificate"}]);
    set(
        &mut csv,
        "/spec/customresourcedefinitions",
        json!({"required": required}),
    );
    let native = json!([{"group": "route.openshift.io", "version": "v1", "kind": "Route"}]);
    set(&mut csv, "/spec/nativeAPIs", native.clone());
    let (back, plain, findings) = round_trip(&csv, &[]);
    assert_eq!(back["spec"]["customresourcedefinitions"]["required"], required);
    assert_eq!(back["spec"]["nativeAPIs"], native);
    let olm = String::from_utf8(plain.get("metadata/olm.yaml").unwrap().to_vec()).unwrap();
    assert_eq!(olm.matches("dependency: optional").count(), 2, "{olm}");
    assert!(findings.is_empty(), "{findings:#?}");
}

fn webhook(kind: &str, name: &str, deployment: &str, ports: &Value) -> Value {
    let mut webhook = json!({
        "type": kind,
        "generateName": name,
        "deploymentName": deployment,
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
        "webhookPath": format!("/{name}"),
    });
    for (key, port) in ports.as_object().unwrap() {
        webhook[key] = port.clone();
    }
    webhook
}

#[test]
fn ports_of_webhooks_come_back_whatever_they_are() {
    let labels = [json!({"app": "op"}), json!({"app": "op", "part": "second"})];
    let deployments = json!([
        deployment("op", "default", &labels[0]),
        deployment("second.op", "default", &labels[1])
    ]);
    let mut csv = with("/spec/install/spec/deployments", deployments);
    let webhooks = json!([
        webhook(
            "MutatingAdmissionWebhook",
            "a.ex.com",
            "second.op",
            &json!({"containerPort": 443, "targetPort": 9443})
        ),
        webhook(
            "ValidatingAdmissionWebhook",
            "b.ex.com",
            "second.op",
            &json!({"containerPort": 443, "targetPort": "other"})
        ),
        webhook(
            "ValidatingAdmissionWebhook",
            "c.ex.com",
            "second.op",
            &json!({"containerPort": 8443, "targetPort": 9443})
        ),
    ]);
    set(&mut csv, "/spec/webhookdefinitions", webhooks.clone());
    let (back, plain, findings) = round_trip(&csv, &[]);
    let mut expected = webhooks;
    expected.sort_all_objects();
    assert_eq!(back["spec"]["webhookdefinitions"], expected);
    assert!(findings.is_empty(), "{findings:#?}");
    let services = String::from_utf8(plain.get("manifests/second.op.service.yaml").unwrap().to_vec()).unwrap();
    assert_eq!(
        services.matches("kind: Service\n").count(),
        2,
        "one port cannot lead to two places: {services}"
    );

    let lone = webhook("ValidatingAdmissionWebhook", "a.ex.com", "second.op", &json!({}));
    set(&mut csv, "/spec/webhookdefinitions", json!([lone]));
    let (back, _, findings) = round_trip(&csv, &[]);
    let entry = &back["spec"]["webhookdefinitions"][0];
    assert_eq!(
        (&entry["containerPort"], &entry["targetPort"]),
        (&json!(443), &json!(443))
    );
    assert!(findings.is_empty(), "{findings:#?}");
}

#[test]
fn a_service_must_be_able_to_tell_the_pods_apart() {
    let ports = json!({"containerPort": 443});
    let mut csv = with(
        "/spec/webhookdefinitions",
        json!([webhook("ValidatingAdmissionWebhook", "a.ex.com", "op", &ports)]),
    );
    let same = json!({"app": "op"});
    let deployments = json!([
        deployment("op", "default", &same),
        deployment("other", "default", &same)
    ]);
    set(&mut csv, "/spec/install/spec/deployments", deployments);
    let path = || "spec.webhookdefinitions[0].deploymentName".to_owned();
    assert_eq!(refusals(&csv, &[]), [("convert-pod-labels", path())]);
    csv["spec"]["webhookdefinitions"][0]["deploymentName"] = json!("absent");
    assert_eq!(refusals(&csv, &[]), [("convert-deployment-unknown", path())]);
}

#[test]
fn a_service_that_olm_would_create_is_used_or_left_out() {
    let ports = json!({"containerPort": 443, "targetPort": 9443});
    let webhooks = json!([webhook("ValidatingAdmissionWebhook", "a.ex.com", "op", &ports)]);
    let csv = with("/spec/webhookdefinitions", webhooks.clone());
    let service = |target: u64| {
        let ports = json!([{"port": 443, "targetPort": target}]);
        json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "op-service"}, "spec": {"selector": {"app": "op"}, "ports": ports}})
    };
    for (target, said, files) in [
        (9443, "convert-object-not-shipped", 6),
        (8080, "convert-file-left-out", 6),
    ] {
        let (back, plain, findings) = round_trip(&csv, &[service(target)]);
        assert_eq!(back["spec"]["webhookdefinitions"].as_array().map(Vec::len), Some(1));
        assert_eq!(ids(&findings), BTreeSet::from([said, "convert-field-added"]));
        assert_eq!(plain.len(), files, "{plain:?}");
    }
}

fn conversion_csv(route: &str) -> Value {
    let mut conversion = webhook(
        "ConversionWebhook",
        "cfoos.kb.io",
        "op",
        &json!({"containerPort": 443, "targetPort": "https"}),
    );
    conversion["webhookPath"] = json!(route);
    conversion["conversionCRDs"] = json!(["foos.ex.com"]);
    let mut csv = with("/spec/webhookdefinitions", json!([conversion]));
    set(
        &mut csv,
        "/spec/customresourcedefinitions",
        json!({"owned": owned(&["v1", "v1beta1"])}),
    );
    set(
        &mut csv,
        PERMISSIONS,
        json!([{"serviceAccountName": "op", "rules": [rule("pods")]}]),
    );
    csv
}

#[test]
fn a_conversion_stanza_that_agrees_stays_untouched() {
    let service = json!({"name": "hook", "namespace": "ns", "path": "/convert"});
    let webhook = json!({"clientConfig": {"service": service}, "conversionReviewVersions": ["v1"]});
    let crd = crd("v1", Some(json!({"strategy": "Webhook", "webhook": webhook})));
    let csv = conversion_csv("/convert");
    let (back, plain, findings) = round_trip(&csv, std::slice::from_ref(&crd));
    assert_eq!(plain.get("manifests/0.yaml"), Some(to_yaml(&crd).as_bytes()));
    let service = plain.get("manifests/op.service.yaml").unwrap();
    let service = String::from_utf8_lossy(service);
    assert!(service.contains("name: hook\n  namespace: ns\n"), "{service}");
    let mut expected = csv.clone();
    expected.sort_all_objects();
    assert_eq!(back, expected);
    assert!(findings.is_empty(), "{findings:#?}");
}

#[test]
fn a_conversion_stanza_that_is_missing_or_differs_becomes_the_csvs() {
    let service = json!({"name": "hook", "namespace": "ns", "path": "/other"});
    let new = json!({"strategy": "Webhook", "webhook": {"clientConfig": {"service": service}, "conversionReviewVersions": ["v1"]}});
    let old = json!({"strategy": "Webhook", "webhookClientConfig": {"service": service}, "conversionReviewVersions": ["v1beta1"]});
    for crd in [
        crd("v1", None),
        crd("v1", Some(new)),
        crd("v1beta1", None),
        crd("v1beta1", Some(old)),
    ] {
        let csv = conversion_csv("/convert");
        let (back, _, findings) = round_trip(&csv, &[crd]);
        let mut expected = csv.clone();
        expected.sort_all_objects();
        assert_eq!(back, expected);
        assert_eq!(ids(&findings), BTreeSet::from(["convert-crd-changed"]));
    }
}

#[test]
fn the_list_of_owned_versions_comes_back_but_for_those_that_are_not_served() {
    let crd = crd("v1", None);
    let mut csv = with("/spec/customresourcedefinitions", json!({"owned": owned(&["v1"])}));
    let (back, _, findings) = round_trip(&csv, std::slice::from_ref(&crd));
    assert_eq!(
        back["spec"]["customresourcedefinitions"]["owned"]
            .as_array()
            .map(Vec::len),
        Some(1)
    );
    assert!(
        findings
            .iter()
            .all(|finding| finding.path.as_deref() == Some("spec.install.spec.permissions"))
    );

    set(
        &mut csv,
        "/spec/customresourcedefinitions",
        json!({"owned": owned(&["v1alpha1", "v1beta1", "v1"])}),
    );
    csv["spec"]["customresourcedefinitions"]["owned"][2]["displayName"] = json!("A Foo");
    let (back, _, findings) = round_trip(&csv, &[crd]);
    let listed = back["spec"]["customresourcedefinitions"]["owned"].as_array().unwrap();
    assert_eq!(listed[0]["displayName"], "A Foo");
    assert_eq!(listed.len(), 2);
    let lost = findings.iter().find(|finding| finding.rule.id == "convert-field-lost");
    assert_eq!(
        lost.unwrap().path.as_deref(),
        Some("spec.customresourcedefinitions.owned[0]")
    );
}

#[test]
fn bindings_beside_the_csv_stay_beside_it_where_they_name_a_namespace() {
    let role = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "op"}, "rules": [rule("nodes")]});
    let binding = |namespace: Value| {
        let mut subject = json!({"kind": "ServiceAccount", "name": "op"});
        if !namespace.is_null() {
            subject["namespace"] = namespace;
        }
        json!({
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "ClusterRoleBinding",
            "metadata": {"name": "op"},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "op"},
            "subjects": [subject],
        })
    };
    let csv = with(
        CLUSTER_PERMISSIONS,
        json!([{"serviceAccountName": "op", "rules": [rule("pods")]}]),
    );
    let (back, _, findings) = round_trip(&csv, &[role.clone(), binding(json!("op-system"))]);
    assert_eq!(back.pointer("/spec/install/spec"), csv.pointer("/spec/install/spec"));
    assert!(findings.is_empty(), "{findings:#?}");

    let (back, _, findings) = round_trip(&csv, &[role, binding(Value::Null)]);
    let rules = back.pointer("/spec/install/spec/clusterPermissions/0/rules").unwrap();
    assert_eq!(
        rules.as_array().map(Vec::len),
        Some(2),
        "such a binding is about this very account"
    );
    assert_eq!(ids(&findings), BTreeSet::from(["convert-field-changed"]));
}

#[test]
fn versions_and_modes_that_olm_yaml_needs_are_made_up_and_said() {
    let mut csv = csv();
    let spec = csv["spec"].as_object_mut().unwrap();
    for key in ["version", "minKubeVersion", "installModes"] {
        spec.shift_remove(key);
    }
    let (back, _, findings) = round_trip(&csv, &[]);
    assert_eq!(back["spec"]["version"], "0.0.0");
    assert_eq!(
        back["spec"].get("minKubeVersion"),
        None,
        "any version is as good as none"
    );
    let added: BTreeSet<_> = findings.iter().filter_map(|finding| finding.path.as_deref()).collect();
    assert_eq!(
        added,
        BTreeSet::from(["spec.version", "spec.installModes", "spec.install.spec.permissions"])
    );

    let mut csv = with("/spec/minKubeVersion", json!("v1.11"));
    set(&mut csv, "/spec/version", json!(1));
    let modes = json!([{"type": "AllNamespaces", "supported": true}, {"type": "AllNamespacesX", "supported": true}]);
    set(&mut csv, "/spec/installModes", modes);
    let (back, _, findings) = round_trip(&csv, &[]);
    assert_eq!(
        (&back["spec"]["minKubeVersion"], &back["spec"]["version"]),
        (&json!("1.11.0"), &json!("1.0.0"))
    );
    let said: BTreeSet<_> = findings
        .iter()
        .map(|finding| (finding.rule.id, finding.path.as_deref().unwrap()))
        .collect();
    for expected in [
        ("convert-field-changed", "spec.minKubeVersion"),
        ("convert-field-changed", "spec.version"),
        ("convert-field-lost", "spec.installModes[1]"),
    ] {
        assert!(said.contains(&expected), "{said:?}");
    }
}

#[test]
fn what_no_csv_has_is_named() {
    let mut csv = with("/spec/MinKubeVersion", json!("1.20.0"));
    set(&mut csv, "/status", json!({"phase": "Succeeded"}));
    set(&mut csv, "/metadata/namespace", json!("placeholder"));
    set(&mut csv, "/metadata/finalizers", json!(["x"]));
    set(
        &mut csv,
        "/metadata/annotations",
        json!({"certified": false, "empty": null}),
    );
    set(
        &mut csv,
        "/spec/provider",
        json!({"name": "Jane", "email": "jane@example.com"}),
    );
    set(&mut csv, "/spec/keywords", json!(["a", 1, {"b": "c"}]));
    set(&mut csv, "/spec/install/spec/extra", json!({"a": 1}));
    let (back, _, findings) = round_trip(&csv, &[]);
    assert_eq!(
        back["metadata"]["annotations"],
        json!({"certified": "false", "empty": ""})
    );
    assert_eq!(back["spec"]["keywords"], json!(["a", "1"]));
    let said: BTreeSet<_> = findings
        .iter()
        .map(|finding| (finding.rule.id, finding.path.as_deref().unwrap()))
        .collect();
    assert_eq!(
        said,
        BTreeSet::from([
            ("convert-field-added", "spec.install.spec.permissions"),
            ("convert-field-changed", "metadata.annotations.certified"),
            ("convert-field-changed", "spec.keywords[1]"),
            ("convert-field-lost", "metadata.finalizers"),
            ("convert-field-lost", "spec.MinKubeVersion"),
            ("convert-field-lost", "spec.install.spec.extra"),
            ("convert-field-lost", "spec.keywords[2]"),
            ("convert-field-lost", "spec.provider.email"),
            ("convert-field-set-by-cluster", "metadata.namespace"),
            ("convert-field-set-by-cluster", "status"),
        ])
    );
}

#[test]
fn only_what_olm_reads_becomes_a_manifest() {
    let mut tree = tree(&csv(), &[]);
    let map = |name: &str| to_yaml(&json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}));
    for (path, content) in [
        ("manifests/first", map("first")),
        (
            "manifests/second.yaml",
            format!("# two\n{}---\n{}", map("second"), map("unread")),
        ),
        ("manifests/.hidden.yaml", map("hidden")),
        ("manifests/folder/deep.yaml", map("deep")),
        ("manifests/folder/notes.md", "notes".to_owned()),
        ("manifests/z.yaml", to_yaml(&with("/spec/version", json!("2.0.0")))),
        ("metadata/broken.yaml", "dependencies: [\n".to_owned()),
        ("metadata/icon.svg", "<svg/>".to_owned()),
        ("tests/scorecard/config.yaml", "kind: Configuration\n".to_owned()),
    ] {
        tree.insert(path, content.into_bytes(), &UNLIMITED).unwrap();
    }
    let conversion = convert_tree(&tree);
    let plain = conversion.tree.unwrap();
    let paths: Vec<&str> = plain.iter().map(|(path, _)| path).collect();
    assert_eq!(
        paths,
        [
            "manifests/first.yaml",
            "manifests/folder/notes.md",
            "manifests/op.deployment.yaml",
            "manifests/op.rbac.yaml",
            "manifests/second.yaml",
            "metadata/annotations.yaml",
            "metadata/icon.svg",
            "metadata/olm.yaml",
            "tests/scorecard/config.yaml",
        ]
    );
    assert_eq!(plain.get("manifests/second.yaml"), Some(map("second").as_bytes()));
    let left_out: Vec<&str> = conversion
        .diagnostics
        .iter()
        .filter(|finding| finding.rule.id == "convert-file-left-out")
        .map(|finding| finding.message.split(' ').next().unwrap())
        .collect();
    assert_eq!(
        BTreeSet::from_iter(left_out),
        BTreeSet::from([
            "ClusterServiceVersion/op.v1.0.0",
            "manifests/.hidden.yaml",
            "manifests/folder/deep.yaml",
            "metadata/broken.yaml"
        ])
    );
}

#[test]
fn errors_of_the_new_bundle_point_into_the_old_one() {
    let mut csv = with("/spec/replaces", json!("op.v1.0.0"));
    let mut wild = webhook("ValidatingAdmissionWebhook", "a.ex.com", "op", &json!({}));
    wild["rules"] = json!([{"apiGroups": ["*"], "apiVersions": ["v1"], "resources": ["foos"], "operations": ["*"]}]);
    set(&mut csv, "/spec/webhookdefinitions", json!([wild]));
    let job = json!({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "job"}});
    let refusals: BTreeSet<_> = refusals(&csv, &[job]).into_iter().collect();
    assert_eq!(
        refusals,
        BTreeSet::from([
            ("csv-replaces-itself", "spec.replaces".to_owned()),
            ("k8s-kind-unsupported", String::new()),
            ("webhook-rules", "spec.webhookdefinitions".to_owned()),
        ])
    );
}

#[test]
fn on_the_way_to_registry_bundles_comments_and_hints_are_said() {
    let rules = json!([{"apiGroups": ["cert-manager.io"], "resources": ["certificates"], "verbs": ["get"]}]);
    let csv = with(
        CLUSTER_PERMISSIONS,
        json!([{"serviceAccountName": "op", "rules": rules}, {"serviceAccountName": "x", "rules": [rule("pods")]}]),
    );
    let service = json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "metrics"}, "spec": {"ports": [{"port": 80}]}});
    let (back, mut plain, _) = round_trip(&csv, std::slice::from_ref(&service));
    let commented = format!("# metrics\n{}", to_yaml(&service));
    plain
        .insert("manifests/0.yaml", commented.clone().into_bytes(), &UNLIMITED)
        .unwrap();
    plain
        .insert("manifests/README.md", b"# notes".to_vec(), &UNLIMITED)
        .unwrap();
    let conversion = convert_tree(&plain);
    let said = ids(&conversion.diagnostics);
    for expected in ["convert-hints-lost", "convert-comments-lost", "convert-file-left-out"] {
        assert!(said.contains(expected), "{said:?}");
    }
    let registry = conversion.tree.unwrap();
    assert_eq!(
        registry.get("manifests/0.yaml"),
        Some(commented.as_bytes()),
        "a file of its own stays as it is"
    );
    let reading = bundle::read(&registry, &Limits::default());
    let bundle = reading.bundle.unwrap();
    assert_eq!(bundle.media_type, MediaType::RegistryV1);
    assert_eq!(bundle.csv().unwrap().value(), &back);
    assert_eq!(
        bundle.csv().unwrap().file(),
        "out/manifests/op.clusterserviceversion.yaml"
    );
    assert_eq!(bundle.objects.len(), 2);
}

/// Every path of a value, the value itself last.
fn pointers(value: &Value, pointer: &str, found: &mut Vec<String>) {
    let below: Vec<(String, &Value)> = match value {
        Value::Object(map) => map
            .iter()
            .map(|(key, item)| (key.replace('~', "~0").replace('/', "~1"), item))
            .collect(),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .map(|(index, item)| (index.to_string(), item))
            .collect(),
        _ => Vec::new(),
    };
    for (key, item) in below {
        pointers(item, &format!("{pointer}/{key}"), found);
    }
    found.push(pointer.to_owned());
}

#[test]
fn whatever_stands_in_a_csv_is_converted_or_refused() {
    let mut csv = conversion_csv("/convert");
    let admission = webhook(
        "MutatingAdmissionWebhook",
        "a.ex.com",
        "op",
        &json!({"containerPort": 443}),
    );
    csv["spec"]["webhookdefinitions"]
        .as_array_mut()
        .unwrap()
        .push(admission);
    let api = json!({"group": "g.ex.com", "version": "v1", "kind": "Bar", "name": "bars", "deploymentName": "op", "containerPort": 5443});
    set(&mut csv, "/spec/apiservicedefinitions", json!({"owned": [api]}));
    set(&mut csv, "/metadata/annotations", json!({"alm-examples": "[]"}));
    set(
        &mut csv,
        "/spec/icon",
        json!([{"base64data": "AA==", "mediatype": "image/png"}]),
    );
    let crd = crd("v1", None);
    let mut places = Vec::new();
    pointers(&csv, "", &mut places);
    let (mut converted, mut refused) = (0, 0);
    for place in places
        .iter()
        .filter(|place| !["", "/kind", "/metadata", "/metadata/name"].contains(&place.as_str()))
    {
        for strange in [
            json!(null),
            json!(true),
            json!(7),
            json!("x y"),
            json!([]),
            json!({}),
            json!([null, 1]),
            json!({"a": [1]}),
        ] {
            let mut csv = csv.clone();
            *csv.pointer_mut(place).unwrap() = strange.clone();
            let conversion = convert_tree(&tree(&csv, std::slice::from_ref(&crd)));
            let Some(plain) = conversion.tree else {
                assert!(diagnostic::has_errors(&conversion.diagnostics), "{place} = {strange}");
                refused += 1;
                continue;
            };
            let reading = bundle::read(&plain, &Limits::default());
            let synthesis = synthesize(reading.bundle.as_ref().unwrap(), &reading.diagnostics);
            assert!(
                synthesis.csv.is_some(),
                "{place} = {strange}: {:#?}",
                synthesis.diagnostics
            );
            converted += 1;
        }
    }
    assert!(
        converted > 300 && refused > 50,
        "{converted} converted, {refused} refused"
    );
}
