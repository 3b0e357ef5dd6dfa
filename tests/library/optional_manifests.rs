//! The identity of an optional manifest survives every conversion.

use opmx::bundle::{self, MediaType};
use opmx::conversion::convert;
use opmx::diagnostic::has_errors;
use opmx::install::content;
use opmx::steps::optional;
use opmx::text::{Limits, to_yaml};
use opmx::tree::{Tree, TreeLimits};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;

const OLM: &str = "name: op.v1.0.0\nversion: 1.0.0\nminKubeVersion: 1.25.0\ndisplayName: Op\ninstallModes:\n- {type: AllNamespaces, supported: true}\n";
const ANNOTATIONS: &str = "annotations:\n  operators.operatorframework.io.bundle.channels.v1: alpha\n  operators.operatorframework.io.bundle.manifests.v1: manifests/\n  operators.operatorframework.io.bundle.mediatype.v1: k8s+v1\n  operators.operatorframework.io.bundle.metadata.v1: metadata/\n  operators.operatorframework.io.bundle.package.v1: op\n";
const DEPLOYMENT: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: op}\nspec:\n  selector: {matchLabels: {app: op}}\n  template:\n    metadata: {labels: {app: op}}\n    spec:\n      serviceAccountName: op\n      containers: [{name: manager, image: registry.example.com/op:1.0.0}]\n";

/// Kinds that OLM moves into the install namespace, and two that it does not.
const KINDS: [(&str, &str); 5] = [
    ("monitoring.coreos.com/v1", "PrometheusRule"),
    ("monitoring.coreos.com/v1", "ServiceMonitor"),
    ("policy/v1", "PodDisruptionBudget"),
    ("autoscaling.k8s.io/v1", "VerticalPodAutoscaler"),
    ("console.openshift.io/v1", "ConsoleLink"),
];
const NAMESPACES: [Option<&str>; 3] = [None, Some("a"), Some("b")];

/// An object of the bundle, and an entry that names it with one of the namespaces.
#[derive(Debug, Clone)]
struct Part {
    kind: usize,
    namespace: usize,
    entry: Option<usize>,
}

fn parts() -> impl Strategy<Value = Vec<Part>> {
    let part = (
        0..KINDS.len(),
        0..NAMESPACES.len(),
        prop::option::of(0..NAMESPACES.len()),
    );
    let part = part.prop_map(|(kind, namespace, entry)| Part { kind, namespace, entry });
    prop::collection::vec(part, 1..6)
}

/// Adds the files of the objects and of the properties.
fn add(tree: &mut Tree, parts: &[Part]) {
    let mut entries = Vec::new();
    let mut put = |path: &str, value: &Value| {
        tree.insert(path, to_yaml(value).into_bytes(), &TreeLimits::default())
            .unwrap();
    };
    for (index, part) in parts.iter().enumerate() {
        let (api_version, kind) = KINDS[part.kind];
        let name = format!("o{index}");
        let mut object = json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": name}});
        if let Some(namespace) = NAMESPACES[part.namespace] {
            object["metadata"]["namespace"] = namespace.into();
        }
        put(&format!("manifests/{name}.yaml"), &object);
        if let Some(entry) = part.entry {
            let group = api_version.split_once('/').unwrap().0;
            let mut named = json!({"group": group, "kind": kind, "name": name});
            if let Some(namespace) = NAMESPACES[entry] {
                named["namespace"] = namespace.into();
            }
            entries.push(named);
        }
    }
    let properties = json!({"properties": [{"type": "olm.manifests.optional", "value": {"manifests": entries}}]});
    put("metadata/properties.yaml", &properties);
}

fn plain(parts: &[Part]) -> Tree {
    let mut tree = Tree::new("bundle");
    for (path, text) in [
        ("metadata/olm.yaml", OLM),
        ("metadata/annotations.yaml", ANNOTATIONS),
        ("manifests/deployment.yaml", DEPLOYMENT),
    ] {
        tree.insert(path, text.into(), &TreeLimits::default()).unwrap();
    }
    add(&mut tree, parts);
    tree
}

fn converted(tree: &Tree, to: MediaType) -> Tree {
    let reading = bundle::read(tree, &Limits::default());
    assert_ne!(reading.bundle.as_ref().unwrap().media_type, to);
    let conversion = convert(tree, &reading, "bundle", &Limits::default()).unwrap().unwrap();
    assert!(!has_errors(&conversion.diagnostics), "{:#?}", conversion.diagnostics);
    conversion.tree.unwrap()
}

/// Returns which objects an index marks as optional, by name.
fn marks(tree: &Tree) -> BTreeMap<String, bool> {
    let (content, _) = content::of_files(tree, None, &Limits::default()).unwrap();
    let named = optional::named(&content);
    let objects = content.objects.iter();
    objects
        .map(|object| {
            let name = object["metadata"]["name"].as_str().unwrap().to_owned();
            (name, optional::is_optional(object, &named))
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// O18, from `k8s+v1`: an object is optional if the author names it with the manifest's namespace, or with none if
    /// OLM moves it, and otherwise not. This holds in the index, in the bundle of the other media type, and back.
    #[test]
    fn o18_optional_objects_of_a_plain_bundle_stay_optional(parts in parts()) {
        let tree = plain(&parts);
        let wanted: BTreeMap<String, bool> = parts
            .iter()
            .enumerate()
            .map(|(index, part)| {
                let moved = part.kind < 3;
                let same = part.entry == Some(part.namespace);
                (format!("o{index}"), same || moved && part.entry == Some(0))
            })
            .collect();
        prop_assert_eq!(&marks(&tree), &wanted);
        let registry = converted(&tree, MediaType::RegistryV1);
        prop_assert_eq!(&marks(&registry), &wanted);
        prop_assert_eq!(&marks(&converted(&registry, MediaType::K8sV1)), &wanted);
    }

    /// O18, from `registry+v1`, where only the manifest's own namespace counts.
    #[test]
    fn o18_optional_objects_of_a_registry_bundle_stay_optional(parts in parts()) {
        let mut tree = converted(&plain(&[]), MediaType::RegistryV1);
        add(&mut tree, &parts);
        let wanted: BTreeMap<String, bool> = parts
            .iter()
            .enumerate()
            .map(|(index, part)| (format!("o{index}"), part.entry == Some(part.namespace)))
            .collect();
        prop_assert_eq!(&marks(&tree), &wanted);
        let plain = converted(&tree, MediaType::K8sV1);
        prop_assert_eq!(&marks(&plain), &wanted);
        prop_assert_eq!(&marks(&converted(&plain, MediaType::RegistryV1)), &wanted);
    }
}
