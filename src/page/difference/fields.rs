//! Changes to the fields of APIs, and whether they may break users.

use super::super::change::{Change, of_maps};
use super::super::crd_fields::{ApiVersion, Definition, Field};
use super::super::model::Release;
use std::collections::BTreeMap;

/// Compares the fields of definitions that both versions include.
pub(super) fn fields(before: &Release, after: &Release) -> Vec<Change> {
    let mut changes = Vec::new();
    for old in &before.definitions {
        let Some(new) = after.definition(&old.name).filter(|new| new.digest != old.digest) else {
            continue;
        };
        for version in &old.versions {
            let name = format!("{} {}", old.kind, version.name);
            match new.versions.iter().find(|other| other.name == version.name) {
                None => changes.push(Change::removed(format!("{name}: the version")).breaking(version.is_served)),
                Some(other) => {
                    if version.is_served && !other.is_served {
                        changes.push(
                            Change::changed(format!("{name}: the version"), "served", "not served").breaking(true),
                        );
                    }
                    changes.extend(of_version(&name, version, other));
                }
            }
        }
        changes.extend(new_versions(old, new));
    }
    changes
}

fn new_versions<'a>(old: &'a Definition, new: &'a Definition) -> impl Iterator<Item = Change> + 'a {
    let known = |name: &str| old.versions.iter().any(|version| version.name == name);
    let new_ones = new.versions.iter().filter(move |version| !known(&version.name));
    new_ones.map(|version| Change::added(format!("{} {}: the version", new.kind, version.name)))
}

fn of_version(name: &str, before: &ApiVersion, after: &ApiVersion) -> Vec<Change> {
    let by_path = |version: &ApiVersion| -> BTreeMap<String, Field> {
        let fields = version.fields.iter();
        fields.map(|field| (field.path.clone(), field.clone())).collect()
    };
    let (old, new) = (by_path(before), by_path(after));
    let mut changes = Vec::new();
    for (path, field) in &old {
        let what = format!("{name}: {path}");
        match new.get(path) {
            // If the parent of a field is also removed, only the removal of the parent is reported.
            None if parent(path, &old).is_some_and(|parent| !new.contains_key(parent)) => {}
            None => changes.push(Change::removed(what).breaking(true)),
            Some(other) => changes.extend(of_field(&what, field, other)),
        }
    }
    for (path, field) in &new {
        if !old.contains_key(path) && parent(path, &new).is_none_or(|parent| old.contains_key(parent)) {
            // A new required field breaks objects only if its parent existed before.
            changes.push(Change::added(format!("{name}: {path}")).breaking(field.required));
        }
    }
    changes
}

/// Returns the nearest known ancestor of a field.
fn parent<'a>(path: &'a str, known: &BTreeMap<String, Field>) -> Option<&'a str> {
    let mut at = path;
    while let Some((above, _)) = at.rsplit_once('.') {
        let bare = above.trim_end_matches("[]");
        if known.contains_key(bare) {
            return Some(bare);
        }
        at = above;
    }
    None
}

fn of_field(what: &str, before: &Field, after: &Field) -> Vec<Change> {
    let mut changes = Vec::new();
    if before.kind != after.kind {
        changes.push(Change::changed(format!("{what}, type"), &before.kind, &after.kind).breaking(true));
    }
    if before.required != after.required {
        let words = |required: bool| if required { "required" } else { "optional" };
        let change = Change::changed(what, words(before.required), words(after.required));
        changes.push(change.breaking(after.required));
    }
    let bounds = |field: &Field| -> BTreeMap<String, String> {
        let bounds = field.bounds.iter();
        bounds
            .map(|(name, value)| ((*name).to_owned(), value.clone()))
            .collect()
    };
    let (old, new) = (bounds(before), bounds(after));
    for mut change in of_maps(&old, &new, false) {
        change.breaking = narrows(&change.what, old.get(&change.what), new.get(&change.what));
        change.what = format!("{what}, {}", change.what);
        changes.push(change);
    }
    changes
}

/// Whether a bound is stricter than before.
fn narrows(bound: &str, before: Option<&String>, after: Option<&String>) -> bool {
    let numbers = || Some((before?.parse::<f64>().ok()?, after?.parse::<f64>().ok()?));
    match (bound, before, after) {
        ("may be null", Some(_), None) => true,
        ("default" | "may be null", ..) | (_, _, None) => false,
        (_, None, Some(_)) => true,
        ("one of", Some(before), Some(after)) => {
            let after: Vec<&str> = after.split(", ").collect();
            before.split(", ").any(|value| !after.contains(&value))
        }
        ("at least" | "minimum length" | "minimum items" | "minimum entries", ..) => {
            numbers().is_none_or(|(before, after)| after > before)
        }
        ("at most" | "maximum length" | "maximum items" | "maximum entries", ..) => {
            numbers().is_none_or(|(before, after)| after < before)
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn definition(properties: &serde_json::Value, required: &[&str]) -> ApiVersion {
        let object = json!({"kind": "CustomResourceDefinition", "spec": {"versions": [{"name": "v1", "served": true,
            "schema": {"openAPIV3Schema": {"properties": {"spec": {"type": "object", "properties": properties, "required": required}}}}}]}});
        Definition::read(&object).unwrap().versions.remove(0)
    }

    #[test]
    fn removed_fields_and_narrowed_bounds_are_breaking() {
        let before = definition(
            &json!({
                "gone": {"type": "object", "properties": {"inside": {"type": "string"}}},
                "size": {"type": "integer", "minimum": 1, "maximum": 5},
                "mode": {"type": "string", "enum": ["a", "b"]},
                "name": {"type": "string"},
            }),
            &["name"],
        );
        let after = definition(
            &json!({
                "size": {"type": "integer", "minimum": 0, "maximum": 3, "default": 2},
                "mode": {"type": "string", "enum": ["a", "b", "c"]},
                "name": {"type": "integer"},
                "must": {"type": "object", "properties": {"part": {"type": "string"}}},
            }),
            &["must"],
        );
        let lines: Vec<String> = of_version("Pad v1", &before, &after)
            .iter()
            .map(|change| {
                format!(
                    "{}{} {} -> {} {}",
                    change.mark, change.what, change.before, change.after, change.breaking
                )
            })
            .collect();
        assert_eq!(
            lines,
            [
                "−Pad v1: spec.gone  ->  true",
                "~Pad v1: spec.mode, one of a, b -> a, b, c false",
                "~Pad v1: spec.name, type string -> integer true",
                "~Pad v1: spec.name required -> optional false",
                "~Pad v1: spec.size, at least 1 -> 0 false",
                "~Pad v1: spec.size, at most 5 -> 3 true",
                "+Pad v1: spec.size, default  -> 2 false",
                "+Pad v1: spec.must  ->  true",
            ]
        );
    }
}
