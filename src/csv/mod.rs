//! The `ClusterServiceVersion` (CSV). Fields that opmx evaluates are typed; all other fields are passed through.

#[rustfmt::skip]
mod fields;
pub(crate) mod owner;

pub(crate) use fields::METADATA;
pub use fields::SHAPE;

use crate::kubernetes::GroupVersionKind;
use crate::olm::annotation::SKIP_RANGE;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The fields that a webhook definition and a webhook configuration share, in the order in which they are written.
pub(crate) const WEBHOOK_FIELDS: [&str; 8] = [
    "rules",
    "failurePolicy",
    "matchPolicy",
    "objectSelector",
    "timeoutSeconds",
    "sideEffects",
    "admissionReviewVersions",
    "reinvocationPolicy",
];

/// API group.
pub const GROUP: &str = "operators.coreos.com";
/// The `apiVersion` of every CSV.
pub(crate) const API_VERSION: &str = "operators.coreos.com/v1alpha1";
/// Kind.
pub const KIND: &str = "ClusterServiceVersion";
/// The only install strategy.
pub(crate) const STRATEGY: &str = "deployment";

/// Annotation keys that OLM compares case-sensitively.
const EXACT_ANNOTATIONS: [&str; 5] = [
    "olm.operatorGroup",
    "olm.operatorNamespace",
    "olm.targetNamespaces",
    "olm.providedAPIs",
    SKIP_RANGE,
];

/// Returns the annotation key that OLM knows, if `key` differs from it only in case.
pub(crate) fn annotation_in_other_case(key: &str) -> Option<&'static str> {
    EXACT_ANNOTATIONS
        .into_iter()
        .find(|exact| exact.eq_ignore_ascii_case(key) && *exact != key)
}

/// Returns the fields that are absent from an entry in the list `resources` of an API. OLM writes these fields as empty
/// strings.
pub(crate) fn absent_of_resource(resource: &Value) -> Vec<&'static str> {
    let keys = fields::API_RESOURCE.iter().map(|field| field.key);
    keys.filter(|key| resource.get(key).is_none_or(Value::is_null))
        .collect()
}

/// A view of a CSV. Fields that are absent or have the wrong type are read as empty.
#[derive(Debug, Clone, Copy)]
pub struct Csv<'a>(pub &'a Value);

impl<'a> Csv<'a> {
    /// Returns the value at these keys.
    pub fn get(self, keys: &[&str]) -> Option<&'a Value> {
        keys.iter().try_fold(self.0, |value, key| value.get(key))
    }

    /// Returns the string at these keys, or `""` if absent.
    pub fn text(self, keys: &[&str]) -> &'a str {
        self.get(keys).and_then(Value::as_str).unwrap_or_default()
    }

    /// Returns the list at these keys.
    pub fn list(self, keys: &[&str]) -> &'a [Value] {
        self.get(keys)
            .and_then(Value::as_array)
            .map(Vec::as_slice)
            .unwrap_or_default()
    }

    /// Returns `metadata.name`.
    pub fn name(self) -> &'a str {
        self.text(&["metadata", "name"])
    }

    /// Returns `spec.version`.
    pub fn version(self) -> &'a str {
        self.text(&["spec", "version"])
    }

    /// Returns `spec.replaces`.
    pub fn replaces(self) -> &'a str {
        self.text(&["spec", "replaces"])
    }

    /// Returns `metadata.annotations`.
    pub fn annotations(self) -> Option<&'a Map<String, Value>> {
        self.get(&["metadata", "annotations"]).and_then(Value::as_object)
    }

    /// Whether the CSV is a copy that OLM created because an operator in another namespace watches the CSV's namespace.
    pub(crate) fn is_copied(self) -> bool {
        let labels = self.get(&["metadata", "labels"]).and_then(Value::as_object);
        let home = self.text(&["metadata", "annotations", "olm.operatorNamespace"]);
        let namespace = self.text(&["metadata", "namespace"]);
        labels.is_some_and(|labels| labels.contains_key("olm.copiedFrom"))
            || (!home.is_empty() && !namespace.is_empty() && home != namespace)
            || self.text(&["status", "reason"]) == "Copied"
    }

    /// Returns the namespace from which OLM copied the CSV; empty if a copy does not name it.
    pub(crate) fn copied_from(self) -> &'a str {
        let labelled = self.text(&["metadata", "labels", "olm.copiedFrom"]);
        if labelled.is_empty() {
            self.text(&["metadata", "annotations", "olm.operatorNamespace"])
        } else {
            labelled
        }
    }

    /// Whether the CSV supports an install mode, such as `AllNamespaces`.
    pub(crate) fn supports(self, install_mode: &str) -> bool {
        let mut modes = self.list(&["spec", "installModes"]).iter();
        modes.any(|mode| {
            mode.get("type").and_then(Value::as_str) == Some(install_mode)
                && mode.get("supported") == Some(&Value::Bool(true))
        })
    }

    /// Returns the deployments of the install strategy.
    pub fn deployments(self) -> &'a [Value] {
        self.list(&["spec", "install", "spec", "deployments"])
    }

    /// Returns the CRDs that the operator owns, in the order of the list.
    pub(crate) fn owned_crds(self) -> impl Iterator<Item = OwnedCrd<'a>> {
        let owned = self.list(&["spec", "customresourcedefinitions", "owned"]);
        owned.iter().map(OwnedCrd)
    }

    /// Returns the name and the version of each CRD that OLM waits for, in the order of their names. Of several entries
    /// with the same name, OLM reads only the last one, and those in `owned` after those in `required`.
    pub(crate) fn awaited_crds(self) -> BTreeMap<&'a str, &'a str> {
        let lists = ["required", "owned"].map(|list| self.list(&["spec", "customresourcedefinitions", list]));
        let entries = lists.into_iter().flatten().map(OwnedCrd);
        entries.map(|entry| (entry.name(), entry.text("version"))).collect()
    }

    /// Returns the kinds of the APIs that the operator serves itself, in the order of the list.
    pub(crate) fn owned_api_services(self) -> impl Iterator<Item = GroupVersionKind> {
        let owned = self.list(&["spec", "apiservicedefinitions", "owned"]);
        owned.iter().map(gvk_of)
    }

    /// Returns the APIs in the lists `owned` or `required`: those of CustomResourceDefinitions, then those of
    /// APIServices.
    pub(crate) fn apis(self, list: &str) -> Vec<GroupVersionKind> {
        let definitions = self.list(&["spec", "customresourcedefinitions", list]).iter();
        let services = self.list(&["spec", "apiservicedefinitions", list]).iter();
        definitions
            .filter_map(|entry| OwnedCrd(entry).gvk())
            .chain(services.map(gvk_of))
            .collect()
    }

    /// Returns the APIs that the cluster itself must serve.
    pub(crate) fn native_apis(self) -> Vec<GroupVersionKind> {
        self.list(&["spec", "nativeAPIs"]).iter().map(gvk_of).collect()
    }
}

/// Reads the fields `group`, `version` and `kind`.
fn gvk_of(entry: &Value) -> GroupVersionKind {
    let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default();
    GroupVersionKind::new(text("group"), text("version"), text("kind"))
}

/// An entry of `spec.customresourcedefinitions.owned`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OwnedCrd<'a>(pub &'a Value);

impl<'a> OwnedCrd<'a> {
    fn text(self, key: &str) -> &'a str {
        self.0.get(key).and_then(Value::as_str).unwrap_or_default()
    }

    /// Returns the name of the CRD, `<plural>.<group>`.
    pub(crate) fn name(self) -> &'a str {
        self.text("name")
    }

    /// Returns the kind that the CRD defines. The group is the part of the name after the first dot. Returns `None` if
    /// the name contains no dot.
    pub(crate) fn gvk(self) -> Option<GroupVersionKind> {
        let (_, group) = self.name().split_once('.')?;
        Some(GroupVersionKind::new(group, self.text("version"), self.text("kind")))
    }

    /// Like [`gvk`](Self::gvk), but uses a name without a dot as the group, which then matches no CRD.
    pub(crate) fn gvk_or_name(self) -> GroupVersionKind {
        self.gvk()
            .unwrap_or_else(|| GroupVersionKind::new(self.name(), self.text("version"), self.text("kind")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::typed;
    use serde_json::json;

    #[test]
    fn an_empty_version_gets_the_fields_that_olm_always_writes() {
        let written = typed(&json!({}), &SHAPE).unwrap();
        assert_eq!(
            written,
            json!({
                "metadata": {},
                "spec": {
                    "apiservicedefinitions": {}, "cleanup": {"enabled": false}, "customresourcedefinitions": {},
                    "displayName": "", "install": {"spec": {"deployments": null}, "strategy": ""}, "provider": {},
                },
                "status": {"cleanup": {}},
            })
        );
    }

    fn container(container: &Value) -> Value {
        let csv = json!({"spec": {"install": {"spec": {"deployments": [
            {"name": "a", "spec": {"template": {"spec": {"containers": [container]}}}}
        ]}}}});
        let written = typed(&csv, &SHAPE).unwrap();
        written["spec"]["install"]["spec"]["deployments"][0]["spec"]["template"]["spec"]["containers"][0].clone()
    }

    #[test]
    fn unknown_and_empty_fields_are_dropped_and_pointers_kept() {
        let written = container(&json!({
            "Name": "c", "bogus": 1, "tty": false, "command": [],
            "env": [{"name": "A", "value": ""}, {"name": "B", "valueFrom": {"resourceFieldRef": {"resource": "x"}}}],
            "securityContext": {"allowPrivilegeEscalation": false, "runAsUser": 0, "privileged": null},
            "resources": {"limits": {"cpu": "1000m", "memory": 1_048_576}},
            "livenessProbe": {"initialDelaySeconds": 0, "httpGet": {"port": "http"}},
        }));
        assert_eq!(
            written,
            json!({
                "env": [{"name": "A"}, {"name": "B", "valueFrom": {"resourceFieldRef": {"divisor": "0", "resource": "x"}}}],
                "livenessProbe": {"httpGet": {"port": "http"}},
                "name": "c",
                "resources": {"limits": {"cpu": "1", "memory": "1048576"}},
                "securityContext": {"allowPrivilegeEscalation": false, "runAsUser": 0},
            })
        );
    }

    #[test]
    fn of_several_spellings_of_a_field_the_last_one_overwrites_the_others() {
        let permissions = |account: &str| json!([{"rules": [], "serviceAccountName": account}]);
        let csv = json!({"Spec": {"install": {"spec": {"permissions": permissions("a")}}, "version": "1.0.0"},
            "spec": {"install": {"spec": {"clusterpermissions": permissions("c"),
                "clusterPermissions": permissions("b"), "deployment\u{17f}": []}}, "version": "2.0.0"}});
        let spec = &typed(&csv, &SHAPE).unwrap()["spec"];
        assert_eq!(spec["version"], "2.0.0");
        let install = &spec["install"]["spec"];
        assert_eq!(install["permissions"][0]["serviceAccountName"], "a");
        assert_eq!(install["clusterPermissions"][0]["serviceAccountName"], "c");
        assert_eq!(install["deployments"], json!([]));
    }

    #[test]
    fn normalizing_is_idempotent() {
        let csv = json!({"metadata": {"name": "a", "annotations": {"x": "y"}}, "spec": {
            "selector": {"matchLabels": {"a": "b"}}, "customresourcedefinitions": {"owned": [
                {"name": "a.b", "kind": "A", "version": "v1", "resources": [{"kind": "Pod", "version": "v1"}]}]}}});
        let once = typed(&csv, &SHAPE).unwrap();
        assert_eq!(
            once["spec"]["customresourcedefinitions"]["owned"][0]["resources"][0]["name"],
            ""
        );
        assert_eq!(typed(&once, &SHAPE).unwrap(), once);
    }

    #[test]
    fn a_value_of_a_wrong_type_is_reported() {
        let wrong = |csv: Value| typed(&csv, &SHAPE).unwrap_err().to_string();
        assert_eq!(
            wrong(json!({"spec": {"replaces": 1}})),
            "spec.replaces must be a string, not a number"
        );
        assert_eq!(
            wrong(json!({"spec": {"skips": ["a", {}]}})),
            "spec.skips[1] must be a string, not a map"
        );
        let limits = json!({"spec": {"install": {"spec": {"deployments": [{"spec": {"template": {"spec": {
            "overhead": {"cpu": "much"}}}}}]}}}});
        assert_eq!(
            wrong(limits),
            "spec.install.spec.deployments[0].spec.template.spec.overhead.cpu must be a quantity such as 500m or 1Gi, \
             not \"much\""
        );
    }
}
