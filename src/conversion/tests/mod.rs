//! Bundles that each show one case, converted in both directions.

mod accounts;
mod carried;
mod webhooks;

use super::*;
use crate::bundle;
use crate::synthesis::synthesize;
use crate::text::to_yaml;
use crate::tree::TreeLimits;
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
    let mut put =
        |path: &str, content: String| tree.insert(path, content.into_bytes(), &TreeLimits::UNLIMITED).unwrap();
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

/// Returns the rules of the findings, each once.
fn ids(findings: &[Diagnostic]) -> BTreeSet<&str> {
    findings.iter().map(|finding| finding.rule.id).collect()
}

/// Returns the CSV after the round trip, the new bundle, and the findings.
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

/// Returns the rules of the errors that prevent the conversion, with their paths.
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

/// Collects every path in a value, ending with the value itself.
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
