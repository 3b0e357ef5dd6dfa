//! The objects with which OLM v1 does not install a bundle.

use super::refusal::{Part, Refusal};
use super::webhooks;
use crate::csv::Csv;
use crate::kubernetes::GroupVersionKind;
use crate::kubernetes::removed::removed_in;
use crate::olm::kinds::KINDS;
use crate::text::Path;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// The minor version of the oldest Kubernetes that OLM v1 runs on. The CustomResourceDefinitions of OLM v1 contain
/// rules in CEL, which older versions do not evaluate.
const OLDEST_KUBERNETES: u64 = 25;

const DEFINITION: &str = "CustomResourceDefinition";

/// Adds the reasons that the objects of a bundle give.
pub(super) fn check(csv: Csv<'_>, objects: &[&Value], found: &mut Vec<Refusal>) {
    kinds(objects, found);
    removed(objects, found);
    definitions(csv, objects, found);
    repeated(csv, objects, found);
}

fn text<'o>(object: &'o Value, pointer: &str) -> &'o str {
    object.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

fn kinds(objects: &[&Value], found: &mut Vec<Refusal>) {
    let mut seen = BTreeSet::new();
    for (index, object) in objects.iter().enumerate() {
        let kind = text(object, "/kind");
        if !kind.is_empty() && !KINDS.contains(&kind) && seen.insert(kind) {
            let reason = format!("it contains an object of the kind {kind}");
            let help = "Let the operator create the object, or remove it from the bundle.";
            found.push(Refusal::new(Part::Object(index, Path::from("kind")), reason, help));
        }
    }
}

fn definitions(csv: Csv<'_>, objects: &[&Value], found: &mut Vec<Refusal>) {
    const UNKNOWN_FIELDS: &str = "Remove spec.preserveUnknownFields, and describe the fields in the schema.";
    let converted = webhooks::converted(csv);
    let mut defined: BTreeMap<&str, usize> = BTreeMap::new();
    for (index, object) in objects.iter().enumerate() {
        if text(object, "/kind") != DEFINITION {
            continue;
        }
        let name = text(object, "/metadata/name");
        if object.pointer("/spec/preserveUnknownFields") == Some(&Value::Bool(true)) && converted.contains(name) {
            let reason = format!("a webhook converts {name}, which preserves unknown fields");
            let part = Part::Object(index, Path::from("spec.preserveUnknownFields"));
            found.push(Refusal::new(part, reason, UNKNOWN_FIELDS));
        }
        if let Some(first) = defined.insert(name, index)
            && first != index
        {
            let reason = format!("it contains the CustomResourceDefinition {name} more than once");
            let part = Part::Object(index, Path::from("metadata.name"));
            found.push(Refusal::new(part, reason, "Keep one of the definitions."));
        }
    }
    for (index, owned) in csv
        .list(&["spec", "customresourcedefinitions", "owned"])
        .iter()
        .enumerate()
    {
        let name = owned.get("name").and_then(Value::as_str).unwrap_or_default();
        if !defined.contains_key(name) {
            let reason = format!("it owns {name:?}, but does not contain this CustomResourceDefinition");
            let path = Path::from("spec.customresourcedefinitions.owned")
                .index(index)
                .key("name");
            let help = "Add the CustomResourceDefinition to the bundle.";
            found.push(Refusal::new(Part::Csv(path), reason, help));
        }
    }
}

/// Adds the API versions that no cluster with OLM v1 serves, so that OLM v1 cannot create their objects.
fn removed(objects: &[&Value], found: &mut Vec<Refusal>) {
    let mut seen = BTreeSet::new();
    for (index, object) in objects.iter().enumerate() {
        let (api_version, kind) = (text(object, "/apiVersion"), text(object, "/kind"));
        let gvk = GroupVersionKind::from_api_version(api_version, kind);
        let removed = removed_in(&gvk).filter(|minor| *minor <= OLDEST_KUBERNETES);
        if let Some(minor) = removed.filter(|_| KINDS.contains(&kind) && seen.insert((api_version, kind))) {
            let reason = format!("Kubernetes 1.{minor} removed {kind} from {api_version}, which it uses");
            let help = "Use an API version that current versions of Kubernetes serve.";
            let part = Part::Object(index, Path::from("apiVersion"));
            found.push(Refusal::new(part, reason, help));
        }
    }
}

/// Adds the objects that OLM v1 would create twice, because the bundle contains them twice, or because OLM v1 generates
/// them: Helm creates every object of a release, so that the second creation fails. Two equal objects of a bundle
/// become one file of the Helm chart.
fn repeated(csv: Csv<'_>, objects: &[&Value], found: &mut Vec<Refusal>) {
    let generated = generated(csv);
    let mut seen: BTreeMap<_, &Value> = BTreeMap::new();
    for (index, object) in objects.iter().enumerate() {
        let (api_version, kind) = (text(object, "/apiVersion"), text(object, "/kind"));
        let name = text(object, "/metadata/name");
        // OLM v1 uses the last ClusterServiceVersion; the other kinds have reasons of their own.
        if name.is_empty() || !KINDS.contains(&kind) || [crate::csv::KIND, DEFINITION].contains(&kind) {
            continue;
        }
        let part = Part::Object(index, Path::from("metadata.name"));
        if let Some(owner) = generated
            .get(&(kind, Cow::Borrowed(name)))
            .filter(|_| api_version == "v1")
        {
            let reason = format!("it contains the {kind} {name:?}, which OLM v1 also creates for {owner}");
            let help = "Remove the object from the bundle, because OLM creates it.";
            found.push(Refusal::new(part, reason, help));
            continue;
        }
        let group = api_version.split_once('/').map_or("", |(group, _)| group);
        let first = *seen.entry((group, kind, own_namespace(object), name)).or_insert(object);
        if !std::ptr::eq(first, *object) && without_namespace(first) != without_namespace(object) {
            let reason = format!("it contains two different objects {kind}/{name}");
            found.push(Refusal::new(part, reason, "Keep one of the objects."));
        }
    }
}

/// Returns the objects that OLM v1 generates from the ClusterServiceVersion and that bundles may also contain: kind and
/// name, each with the part for which it is generated.
fn generated(csv: Csv<'_>) -> BTreeMap<(&'static str, Cow<'_, str>), String> {
    let deployments = csv.deployments().iter().map(|entry| text(entry, "/name"));
    let deployments: BTreeSet<&str> = deployments.collect();
    let called = webhooks::deployments(csv).filter(|name| deployments.contains(name));
    let services = called.map(|name| {
        let owner = format!("the webhooks of deployment {name:?}");
        (("Service", Cow::Owned(service(name))), owner)
    });
    let permissions = ["permissions", "clusterPermissions"]
        .into_iter()
        .flat_map(|list| csv.list(&["spec", "install", "spec", list]));
    let accounts = permissions.map(|permission| text(permission, "/serviceAccountName"));
    let accounts = accounts.filter(|name| !["", "default"].contains(name));
    let accounts = accounts.map(|name| (("ServiceAccount", Cow::Borrowed(name)), "its permissions".to_owned()));
    services.chain(accounts).collect()
}

/// Returns the name of the Service that OLM v1 generates for the webhooks of a deployment.
fn service(deployment: &str) -> String {
    const SUFFIX: &str = "service";
    const MOST: usize = 63;
    let mut base = deployment.replace('.', "-");
    if base.len() + SUFFIX.len() > MOST {
        base.truncate(base.floor_char_boundary(MOST - SUFFIX.len() - 1));
    }
    format!("{base}-{SUFFIX}")
}

/// Returns the namespace that OLM v1 does not replace by its own. It treats only this kind with namespaces as if it had
/// none.
fn own_namespace(object: &Value) -> &str {
    match text(object, "/kind") {
        "VerticalPodAutoscaler" => text(object, "/metadata/namespace"),
        _ => "",
    }
}

fn without_namespace(object: &Value) -> Value {
    let mut object = object.clone();
    if let Some(metadata) = object.pointer_mut("/metadata").and_then(Value::as_object_mut) {
        metadata.remove("namespace");
    }
    object
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn reasons(csv: &Value, objects: &[Value]) -> Vec<String> {
        let mut found = Vec::new();
        check(Csv(csv), &objects.iter().collect::<Vec<_>>(), &mut found);
        found.into_iter().map(|refusal| refusal.reason).collect()
    }

    fn object(api_version: &str, kind: &str, name: &str, more: &Value) -> Value {
        let mut object = json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": name}});
        object
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        object
    }

    fn bare(api_version: &str, kind: &str, name: &str) -> Value {
        object(api_version, kind, name, &json!({}))
    }

    #[test]
    fn objects_that_olm_v1_generates_are_refused() {
        let long = "a".repeat(60);
        let csv = json!({"spec": {
            "install": {"spec": {
                "deployments": [{"name": "rake.old"}, {"name": "hoe"}, {"name": long}],
                "permissions": [{"serviceAccountName": "rake"}, {"serviceAccountName": "default"}, {}],
                "clusterPermissions": [{"serviceAccountName": "hoe"}],
            }},
            "webhookdefinitions": [{"deploymentName": "rake.old"}, {"deploymentName": long}],
        }});
        for (kind, name, expected) in [
            (
                "Service",
                "rake-old-service",
                "it contains the Service \"rake-old-service\", which OLM v1 also creates for the webhooks of deployment \
                 \"rake.old\"",
            ),
            ("Service", "hoe-service", ""),
            ("ConfigMap", "rake-old-service", ""),
            (
                "ServiceAccount",
                "rake",
                "it contains the ServiceAccount \"rake\", which OLM v1 also creates for its permissions",
            ),
            (
                "ServiceAccount",
                "hoe",
                "it contains the ServiceAccount \"hoe\", which OLM v1 also creates for its permissions",
            ),
            ("ServiceAccount", "default", ""),
            ("ServiceAccount", "other", ""),
        ] {
            let reasons = reasons(&csv, &[bare("v1", kind, name)]);
            assert_eq!(reasons.join(""), expected, "{kind} {name}");
        }
        let shortened = format!("{}-service", &long[..55]);
        assert_eq!(reasons(&csv, &[bare("v1", "Service", &shortened)]).len(), 1);
    }

    #[test]
    fn different_objects_with_the_same_name_are_refused_but_equal_ones_are_not() {
        let data = |size: &str| object("v1", "ConfigMap", "rake", &json!({"data": {"size": size}}));
        let reasons = |objects: &[Value]| reasons(&Value::Null, objects);
        let expected = ["it contains two different objects ConfigMap/rake"];
        assert_eq!(reasons(&[data("1"), data("2")]), expected);
        assert!(reasons(&[data("1"), data("1")]).is_empty());
        let mut elsewhere = data("1");
        elsewhere["metadata"]["namespace"] = json!("garden");
        assert!(
            reasons(&[data("1"), elsewhere]).is_empty(),
            "OLM v1 replaces the namespace"
        );
        assert!(reasons(&[data("1"), bare("v1", "Secret", "rake")]).is_empty());
        let versions = ["policy/v1", "policy/v2"].map(|version| bare(version, "PodDisruptionBudget", "rake"));
        assert_eq!(reasons(&versions).len(), 1, "the version is not part of the identity");
    }

    #[test]
    fn api_versions_that_every_cluster_with_olm_v1_lacks_are_refused_once() {
        let definition = |name: &str| bare("apiextensions.k8s.io/v1beta1", DEFINITION, name);
        let reasons = |objects: &[Value]| reasons(&Value::Null, objects);
        let expected =
            ["Kubernetes 1.22 removed CustomResourceDefinition from apiextensions.k8s.io/v1beta1, which it uses"];
        assert_eq!(
            reasons(&[definition("rakes.example.com"), definition("hoes.example.com")]),
            expected
        );
        let expected = ["Kubernetes 1.25 removed PodDisruptionBudget from policy/v1beta1, which it uses"];
        assert_eq!(
            reasons(&[bare("policy/v1beta1", "PodDisruptionBudget", "rake")]),
            expected
        );
        assert!(reasons(&[bare("policy/v1", "PodDisruptionBudget", "rake")]).is_empty());
    }
}
