//! Finds the differences between a CSV and the CSV that is synthesized from its manifests.

use crate::kubernetes::rbac::PolicyRule;
use crate::text::{Path, Step, short_value};
use crate::value::is_empty;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The type of a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Only the first CSV has the value.
    Lost,
    /// Only the second CSV has the value.
    Added,
    /// The CSVs have different values.
    Changed,
    /// A list has the same entries in a different order. The order has no meaning.
    Order,
}

/// A difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Difference {
    /// The path in the first CSV; for an entry that only the second CSV has, the path of the list.
    pub(super) path: Path,
    pub(super) kind: Kind,
    /// A readable description of the entry or value that differs.
    pub(super) what: String,
}

/// Returns all differences that matter. Absent, `null` and empty values count as equal, except inside a Deployment.
pub(super) fn differences(first: &Value, second: &Value) -> Vec<Difference> {
    let mut comparison = Comparison { found: Vec::new() };
    comparison.values(&Path::root(), Some(first), Some(second));
    comparison.found
}

struct Comparison {
    found: Vec<Difference>,
}

impl Comparison {
    fn report(&mut self, path: &Path, kind: Kind, what: impl Into<String>) {
        self.found.push(Difference {
            path: path.clone(),
            kind,
            what: what.into(),
        });
    }

    fn values(&mut self, path: &Path, first: Option<&Value>, second: Option<&Value>) {
        let verbatim = is_in_deployment(path);
        let present = |value: &&Value| verbatim || !is_empty(value);
        let (first, second) = (first.filter(present), second.filter(present));
        if first == second {
            return;
        }
        match (path.to_string().as_str(), first, second) {
            ("spec.install.spec", Some(Value::Object(left)), Some(Value::Object(right))) => {
                let lists = ["permissions", "clusterPermissions"];
                self.permissions(path, lists, left, right);
                self.maps(path, left, right, &lists);
            }
            ("spec.webhookdefinitions", ..) => {
                let (left, right) = (webhooks(first), webhooks(second));
                self.keyed(path, &left, &right);
            }
            (_, Some(Value::Object(left)), Some(Value::Object(right))) => self.maps(path, left, right, &[]),
            (text, Some(Value::Array(_)), Some(Value::Array(_)) | None) | (text, None, Some(Value::Array(_)))
                if !keys_of(text).is_empty() =>
            {
                let (left, right) = (entries(first, keys_of(text)), entries(second, keys_of(text)));
                self.keyed(path, &left, &right);
            }
            (_, Some(Value::Array(left)), Some(Value::Array(right))) if left.len() == right.len() => {
                for (index, (left, right)) in left.iter().zip(right).enumerate() {
                    self.values(&path.index(index), Some(left), Some(right));
                }
            }
            (_, Some(_), Some(_)) => self.report(path, Kind::Changed, ""),
            (_, Some(_), None) => self.report(path, Kind::Lost, ""),
            (_, None, Some(value)) => self.report(path, Kind::Added, short_value(value)),
            (_, None, None) => {}
        }
    }

    fn maps(&mut self, path: &Path, left: &Map<String, Value>, right: &Map<String, Value>, without: &[&str]) {
        let keys: BTreeSet<&String> = left.keys().chain(right.keys()).collect();
        for key in keys.into_iter().filter(|key| !without.contains(&key.as_str())) {
            self.values(&path.key(key), left.get(key), right.get(key));
        }
    }

    /// Compares lists whose entries are identified by a key, regardless of their position.
    fn keyed(&mut self, path: &Path, left: &[ListItem], right: &[ListItem]) {
        for entry in left {
            match right.iter().find(|other| other.key == entry.key) {
                Some(other) => {
                    self.values(&path.index(entry.index), Some(&entry.value), Some(&other.value));
                }
                None => self.report(&path.index(entry.index), Kind::Lost, entry.key.clone()),
            }
        }
        for entry in right {
            if !left.iter().any(|other| other.key == entry.key) {
                self.report(path, Kind::Added, entry.key.clone());
            }
        }
        let order = |list: &[ListItem], other: &[ListItem]| -> Vec<String> {
            let shared = list
                .iter()
                .filter(|entry| other.iter().any(|other| other.key == entry.key));
            shared.map(|entry| entry.key.clone()).collect()
        };
        if order(left, right) != order(right, left) {
            self.report(path, Kind::Order, "");
        }
    }

    /// Compares permissions. Several entries for an account are equivalent to one, and duplicate rules are ignored.
    fn permissions(&mut self, path: &Path, lists: [&str; 2], left: &Map<String, Value>, right: &Map<String, Value>) {
        let named = |map: &Map<String, Value>| -> BTreeSet<String> {
            let entries = lists.iter().filter_map(|list| map.get(*list)?.as_array()).flatten();
            entries.map(account).collect()
        };
        for account in named(right).difference(&named(left)) {
            self.report(
                &path.key(lists[0]),
                Kind::Added,
                format!("an entry for account {account}"),
            );
        }
        for list in lists {
            let path = path.key(list);
            let (before, after) = (granted(left.get(list)), granted(right.get(list)));
            let accounts: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
            for account in accounts {
                match (before.get(account), after.get(account)) {
                    (Some(before), Some(after)) if before == after => {}
                    (None, Some(_)) => self.report(&path, Kind::Added, format!("rules for account {account}")),
                    (Some(_), None) => self.report(&path, Kind::Lost, format!("the rules for account {account}")),
                    _ => self.report(&path, Kind::Changed, format!("the rules for account {account}")),
                }
            }
            let order = |value: Option<&Value>| -> Vec<String> {
                let mut seen = Vec::new();
                for name in value.and_then(Value::as_array).into_iter().flatten().map(account) {
                    if before.contains_key(&name) && after.contains_key(&name) && !seen.contains(&name) {
                        seen.push(name);
                    }
                }
                seen
            };
            if order(left.get(list)) != order(right.get(list)) {
                self.report(&path, Kind::Order, "");
            }
        }
    }
}

/// Returns whether a value is inside the spec of a Deployment, which is copied unchanged.
fn is_in_deployment(path: &Path) -> bool {
    let steps = path.steps();
    let deployments = ["spec", "install", "spec", "deployments"];
    steps.len() > deployments.len() + 1
        && steps
            .iter()
            .zip(deployments)
            .all(|(step, key)| matches!(step, Step::Key(name) if **name == *key))
        && matches!(&steps[deployments.len() + 1], Step::Key(name) if **name == *"spec")
}

struct ListItem {
    index: usize,
    key: String,
    value: Value,
}

/// Returns the fields that identify the entries of a list.
fn keys_of(path: &str) -> &'static [&'static str] {
    match path {
        "spec.install.spec.deployments" => &["name"],
        "spec.installModes" => &["type"],
        "spec.nativeAPIs" => &["group", "version", "kind"],
        // The name of a CRD includes its group.
        "spec.customresourcedefinitions.owned" | "spec.customresourcedefinitions.required" => {
            &["name", "version", "kind"]
        }
        "spec.apiservicedefinitions.owned" | "spec.apiservicedefinitions.required" => {
            &["group", "name", "version", "kind"]
        }
        _ => &[],
    }
}

fn entries(list: Option<&Value>, keys: &[&str]) -> Vec<ListItem> {
    let list = list.and_then(Value::as_array).into_iter().flatten().enumerate();
    list.map(|(index, value)| {
        let texts = keys.iter().filter_map(|key| value.get(key).and_then(Value::as_str));
        let texts: Vec<&str> = texts.filter(|text| !text.is_empty()).collect();
        let mut value = value.clone();
        // The name in an entry of a CRD includes the group.
        if let Some(map) = value.as_object_mut()
            && map
                .get("name")
                .and_then(Value::as_str)
                .is_some_and(|name| name.contains('.'))
        {
            map.shift_remove("group");
        }
        ListItem {
            index,
            key: texts.join(" "),
            value,
        }
    })
    .collect()
}

/// Returns the webhook definitions with explicit default ports. Splits the definition of a conversion webhook into one
/// definition for each CRD and drops its `generateName`, because neither the grouping nor the name has a meaning.
fn webhooks(list: Option<&Value>) -> Vec<ListItem> {
    let mut entries = Vec::new();
    let list = list.and_then(Value::as_array).into_iter().flatten().enumerate();
    for (index, value) in list {
        let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default();
        let mut value = value.clone();
        if let Some(map) = value.as_object_mut() {
            let zero = |port: Option<&Value>| port.is_none_or(|port| port.is_null() || port.as_u64() == Some(0));
            if zero(map.get("containerPort")) {
                map.insert("containerPort".to_owned(), json!(443));
            }
            if zero(map.get("targetPort")) {
                let port = map.get("containerPort").cloned().unwrap_or_default();
                map.insert("targetPort".to_owned(), port);
            }
        }
        let crds = value.get("conversionCRDs").and_then(Value::as_array).cloned();
        match crds.filter(|_| text("type") == "ConversionWebhook") {
            Some(crds) => {
                for crd in crds.iter().filter_map(Value::as_str) {
                    let mut value = value.clone();
                    value["generateName"] = Value::Null;
                    value["conversionCRDs"] = Value::Null;
                    entries.push(ListItem {
                        index,
                        key: format!("ConversionWebhook of {crd}"),
                        value,
                    });
                }
            }
            None => entries.push(ListItem {
                index,
                key: format!("{} {}", text("type"), text("generateName")),
                value,
            }),
        }
    }
    entries
}

fn account(entry: &Value) -> String {
    let name = entry.get("serviceAccountName").and_then(Value::as_str);
    name.unwrap_or_default().to_owned()
}

/// Returns the rules of each account that has any, without duplicates.
fn granted(list: Option<&Value>) -> BTreeMap<String, Vec<Value>> {
    let mut granted: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for entry in list.and_then(Value::as_array).into_iter().flatten() {
        let rules = entry.get("rules").and_then(Value::as_array);
        for rule in rules.into_iter().flatten() {
            let known = granted.entry(account(entry)).or_default();
            if !known
                .iter()
                .any(|other| PolicyRule(other).grants_the_same(PolicyRule(rule)))
            {
                known.push(rule.clone());
            }
        }
    }
    granted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(first: &Value, second: &Value) -> Vec<(String, Kind)> {
        let found = differences(first, second).into_iter();
        found
            .map(|difference| (difference.path.to_string(), difference.kind))
            .collect()
    }

    fn csv(spec: &Value) -> Value {
        json!({"metadata": {"name": "a.v1"}, "spec": spec})
    }

    #[test]
    fn empty_equals_absent_except_in_a_deployment() {
        let first = csv(
            &json!({"selector": {}, "description": "", "install": {"spec": {"deployments": [
            {"name": "a", "label": {}, "spec": {"x": {}}}]}}}),
        );
        let second = csv(&json!({"install": {"spec": {"deployments": [{"name": "a", "spec": {}}]}}}));
        assert_eq!(
            found(&first, &second),
            [("spec.install.spec.deployments[0].spec.x".to_owned(), Kind::Lost)]
        );
    }

    #[test]
    fn rules_of_an_account_count_once_wherever_they_are() {
        let pods = json!({"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]});
        let secrets = json!({"apiGroups": [""], "resources": ["secrets"], "verbs": ["get"]});
        let install = |list: Value| csv(&json!({"install": {"spec": {"permissions": list}}}));
        let several = install(json!([
            {"serviceAccountName": "a", "rules": [pods]},
            {"serviceAccountName": "b", "rules": []},
            {"serviceAccountName": "a", "rules": [pods, secrets]},
        ]));
        let one = |rules: Value| install(json!([{"serviceAccountName": "a", "rules": rules}]));
        assert_eq!(found(&several, &one(json!([pods, secrets]))), []);
        let path = "spec.install.spec.permissions".to_owned();
        assert_eq!(found(&several, &one(json!([pods]))), [(path, Kind::Changed)]);
    }

    #[test]
    fn conversions_are_compared_by_crd_and_ports_by_their_defaults() {
        let entry = |crds: Value, name: &str| json!({"type": "ConversionWebhook", "generateName": name, "conversionCRDs": crds, "webhookPath": "/c"});
        let two = csv(&json!({"webhookdefinitions": [entry(json!(["b.x", "a.x"]), "cba.kb.io")]}));
        let mut split = csv(&json!({"webhookdefinitions": [entry(json!(["b.x"]), "cb"), entry(json!(["a.x"]), "ca")]}));
        split["spec"]["webhookdefinitions"][0]["targetPort"] = json!(443);
        assert_eq!(found(&two, &split), []);
        split["spec"]["webhookdefinitions"][1]["webhookPath"] = json!("/d");
        let path = "spec.webhookdefinitions[0].webhookPath".to_owned();
        assert_eq!(found(&two, &split), [(path, Kind::Changed)]);
    }

    #[test]
    fn a_different_order_and_an_added_entry_are_reported_once() {
        let owned = |names: &[&str]| {
            let owned: Vec<Value> = names
                .iter()
                .map(|name| json!({"name": format!("{name}.x"), "version": "v1", "kind": name}))
                .collect();
            csv(&json!({"customresourcedefinitions": {"owned": owned}}))
        };
        let path = "spec.customresourcedefinitions.owned".to_owned();
        assert_eq!(
            found(&owned(&["b", "a"]), &owned(&["a", "b", "c"])),
            [(path.clone(), Kind::Added), (path, Kind::Order)]
        );
    }
}
