//! The two spellings of a dependency.
//!
//! Databases and `metadata/dependencies.yaml` use `olm.gvk`, `olm.package` with `version`, and `olm.label`; catalogs
//! and OLM itself list dependencies among the properties, as `olm.gvk.required`, `olm.package.required` with
//! `versionRange`, and `olm.label.required`. `olm.constraint` is the same in both spellings.

use super::constraint::{self, VERSION_RANGE};
use super::dependency::{DependencyKind, Spelling, VERSION};
use serde_json::Value;

/// Returns the type and value of a dependency as a property; `None` for types that OLM does not know.
pub(crate) fn as_property(kind: &str, value: &Value) -> Option<(&'static str, Value)> {
    respelled(kind, value, Spelling::Dependency, Spelling::Property)
}

/// Returns the type and value of a property as a dependency; `None` if the property does not describe a requirement.
pub(crate) fn as_dependency(kind: &str, value: &Value) -> Option<(&'static str, Value)> {
    respelled(kind, value, Spelling::Property, Spelling::Dependency)
}

/// Returns whether properties of this type describe a requirement of the bundle.
pub(crate) fn is_requirement(kind: &str) -> bool {
    DependencyKind::of(kind, Spelling::Property).is_some()
}

/// Returns the value of a requirement for an OLM that does not support intents, without the intents and without the
/// parts that are not required. Returns `None` if nothing in the value is required.
pub(crate) fn required_only(kind: &str, value: &Value) -> Option<Value> {
    match DependencyKind::of(kind, Spelling::Property) {
        Some(DependencyKind::Package) => constraint::required_package(value),
        Some(DependencyKind::Constraint) => constraint::required(value),
        _ => Some(value.clone()),
    }
}

fn respelled(kind: &str, value: &Value, from: Spelling, to: Spelling) -> Option<(&'static str, Value)> {
    let known = DependencyKind::of(kind, from)?;
    let mut value = value.clone();
    if let (DependencyKind::Package, Some(map)) = (known, value.as_object_mut()) {
        let (old, new) = match to {
            Spelling::Property => (VERSION, VERSION_RANGE),
            Spelling::Dependency => (VERSION_RANGE, VERSION),
        };
        // Other keys, such as the intent, are kept.
        if let Some(range) = map.shift_remove(old) {
            map.insert(new.to_owned(), range);
        }
    }
    Some((known.name(to), value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_package_dependency_survives_a_round_trip() {
        let stored = json!({"packageName": "p", "version": ">=1 <2", "intent": "recommended", "more": [1]});
        let (kind, property) = as_property("olm.package", &stored).unwrap();
        assert_eq!(kind, "olm.package.required");
        assert_eq!(property["versionRange"], ">=1 <2");
        assert_eq!(as_dependency(kind, &property), Some(("olm.package", stored)));
    }

    #[test]
    fn unrequired_parts_are_removed_at_any_depth() {
        let package = |name: &str, intent: &str| json!({"package": {"packageName": name, "intent": intent}});
        let bare = |name: &str| json!({"package": {"packageName": name}});
        let all = |parts: &[Value]| json!({"failureMessage": "m", "all": {"constraints": parts}});
        let given = all(&[
            package("a", "required"),
            package("b", "optional"),
            all(&[package("c", "recommended")]),
        ]);
        assert_eq!(required_only("olm.constraint", &given), Some(all(&[bare("a")])));
        let any = json!({"any": {"constraints": [package("a", "required"), package("b", "optional")]}});
        assert_eq!(required_only("olm.constraint", &any), None);
        assert_eq!(required_only("olm.constraint", &all(&[any])), None);
        let on_package = json!({"packageName": "a", "intent": "optional"});
        assert_eq!(required_only("olm.package.required", &on_package), None);
        let other_case = json!({"packageName": "a", "Intent": "optional"});
        assert_eq!(required_only("olm.package.required", &other_case), None);
        let misspelled = json!({"packageName": "a", "intent": "Optional"});
        let required = Some(json!({"packageName": "a"}));
        assert_eq!(required_only("olm.package.required", &misspelled), required);
        let other = json!({"not": {"constraints": [bare("a")]}, "own": 1});
        assert_eq!(required_only("olm.constraint", &other), Some(other));
    }

    #[test]
    fn only_types_known_to_olm_are_translated() {
        assert_eq!(
            as_property("olm.label", &json!({"label": "x"})).unwrap().0,
            "olm.label.required"
        );
        assert_eq!(
            as_dependency("olm.constraint", &json!({})),
            Some(("olm.constraint", json!({})))
        );
        assert_eq!(as_dependency("olm.package", &json!({})), None);
        assert_eq!(as_property("other", &json!({})), None);
    }
}
