//! The objects of a bundle as OLM decodes them.
//!
//! OLM decodes the objects of some kinds into Go types, regardless of their group. The decoder matches the names of
//! fields case-insensitively, so `Rules` of a ClusterRole grants permissions like `rules`.

use crate::kubernetes::fields::{Fields, Type};
use crate::kubernetes::rbac;
use crate::shape::is_field;
use serde_json::{Map, Value};
use std::borrow::Cow;

/// The kinds that OLM decodes, each with the `apiVersion` of its type.
const DECODED: [(&str, &str); 8] = [
    ("ClusterRole", RBAC),
    ("ClusterRoleBinding", RBAC),
    ("ConfigMap", CORE),
    ("Role", RBAC),
    ("RoleBinding", RBAC),
    ("Secret", CORE),
    ("Service", CORE),
    ("ServiceAccount", CORE),
];
const RBAC: &str = "rbac.authorization.k8s.io/v1";
const CORE: &str = "v1";

/// Returns the group of the object that OLM creates from an object of this kind in any group; `None` if OLM creates the
/// object in its own group.
pub(crate) fn group_of(kind: &str) -> Option<&'static str> {
    let (_, api_version) = DECODED.iter().find(|(known, _)| *known == kind)?;
    Some(if *api_version == RBAC { rbac::GROUP } else { "" })
}

/// Returns an object with the fields that OLM reads. Unknown fields, and objects of other kinds, stay unchanged.
pub(crate) fn decoded(object: &Value) -> Cow<'_, Value> {
    let kind = object.get("kind").and_then(Value::as_str);
    let known = DECODED.iter().find(|(known, _)| Some(*known) == kind);
    let fields = known.and_then(|(kind, api_version)| Fields::of_kind(api_version, kind));
    match fields.map(Type::Object) {
        Some(wanted) if !is_exact(object, &wanted) => {
            let mut value = Value::Null;
            decode(&mut value, object, &wanted);
            Cow::Owned(value)
        }
        _ => Cow::Borrowed(object),
    }
}

/// Whether all known fields are spelled as in the type.
fn is_exact(value: &Value, wanted: &Type) -> bool {
    match (wanted, value) {
        (Type::Object(fields), Value::Object(map)) => map.iter().all(|(key, value)| match fields.get(key) {
            Some(wanted) => is_exact(value, wanted),
            None => named(*fields, key).is_none(),
        }),
        (Type::List(wanted), Value::Array(items)) => items.iter().all(|item| is_exact(item, wanted)),
        (Type::Map(wanted), Value::Object(map)) => map.values().all(|value| is_exact(value, wanted)),
        _ => true,
    }
}

/// Returns the field that the decoder stores the value of a key in.
fn named(fields: Fields, key: &str) -> Option<&'static str> {
    fields.names().find(|name| is_field(key, name))
}

/// Decodes a value into a variable. Like Go, keeps what an earlier spelling of the same field has stored there and the
/// value does not replace: other fields of a map, and fields of the items of a list.
fn decode(into: &mut Value, value: &Value, wanted: &Type) {
    match (wanted, value) {
        (Type::Object(fields), Value::Object(map)) => {
            // OLM decodes JSON whose keys are sorted.
            let mut entries: Vec<(&String, &Value)> = map.iter().collect();
            entries.sort_by_key(|(key, _)| *key);
            let mut own = map_in(into);
            for (key, value) in entries {
                let name = fields.get(key).map(|_| key.as_str()).or_else(|| named(*fields, key));
                let wanted = name.and_then(|name| fields.get(name)).unwrap_or(&Type::Any);
                decode(own.entry(name.unwrap_or(key)).or_insert(Value::Null), value, wanted);
            }
            *into = Value::Object(own);
        }
        (Type::Map(wanted), Value::Object(map)) => {
            let mut own = map_in(into);
            for (key, value) in map {
                let mut slot = Value::Null;
                decode(&mut slot, value, wanted);
                own.insert(key.clone(), slot);
            }
            *into = Value::Object(own);
        }
        (Type::List(wanted), Value::Array(items)) => {
            let mut list = match into.take() {
                Value::Array(list) => list,
                _ => Vec::new(),
            };
            list.resize(items.len(), Value::Null);
            for (slot, item) in list.iter_mut().zip(items) {
                decode(slot, item, wanted);
            }
            *into = Value::Array(list);
        }
        (Type::List(_) | Type::Map(_), Value::Null) => *into = Value::Null,
        (_, Value::Null) => {}
        _ => *into = value.clone(),
    }
}

/// Takes the map out of a variable; an empty one if there is none.
fn map_in(variable: &mut Value) -> Map<String, Value> {
    match variable.take() {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn fields_of_kinds_that_olm_decodes_are_read_in_any_case() {
        let role = json!({"apiVersion": "x.example.com/v1", "kind": "ClusterRole", "Metadata": {"Labels": {"A": "b"}},
            "Rules": [{"APIGroups": ["*"], "resources": ["*"], "verb\u{17f}": ["*"], "Other": 1}]});
        assert_eq!(
            decoded(&role).into_owned(),
            json!({"apiVersion": "x.example.com/v1", "kind": "ClusterRole", "metadata": {"labels": {"A": "b"}},
                "rules": [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"], "Other": 1}]})
        );
        let binding =
            json!({"kind": "RoleBinding", "roleref": {"Kind": "ClusterRole", "name": "edit"}, "Subjects": []});
        assert_eq!(
            decoded(&binding).into_owned(),
            json!({"kind": "RoleBinding", "roleRef": {"kind": "ClusterRole", "name": "edit"}, "subjects": []})
        );
    }

    #[test]
    fn of_several_spellings_of_a_field_the_last_one_overwrites_the_others() {
        let binding = json!({"kind": "ClusterRoleBinding", "roleRef": {"kind": "ClusterRole", "name": "view"},
            "roleref": {"name": "cluster-admin"}, "Subjects": [{"kind": "User"}], "subjects": null});
        assert_eq!(
            decoded(&binding).into_owned(),
            json!({"kind": "ClusterRoleBinding", "roleRef": {"kind": "ClusterRole", "name": "cluster-admin"},
                "subjects": null})
        );
        // Go reuses the items of a list that it overwrites.
        let role = json!({"kind": "Role", "rules": [{"verbs": ["get"]}],
            "Rules": [{"resources": ["secrets"], "verbs": ["*", "list"]}, {}]});
        let rules = json!([{"resources": ["secrets"], "verbs": ["get"]}]);
        assert_eq!(decoded(&role)["rules"], rules);
    }

    #[test]
    fn objects_that_olm_does_not_decode_stay_unchanged() {
        for object in [
            json!({"kind": "PodDisruptionBudget", "Spec": {}}),
            json!({"kind": "ConfigMap", "data": {"Data": "x"}, "more": 1}),
            json!({"Kind": "Role", "Rules": []}),
        ] {
            assert!(matches!(decoded(&object), Cow::Borrowed(_)), "{object}");
        }
    }
}
