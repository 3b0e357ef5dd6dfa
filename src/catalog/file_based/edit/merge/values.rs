//! Merging several documents with the same subject.

use crate::catalog::file_based::Schema;
use crate::catalog::file_based::draft::differing;
use crate::text::Path;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// A document of one of the catalogs, with the position of the catalog.
pub(super) type Version<'v> = (usize, &'v Value);

/// A difference between catalogs.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Clash {
    /// The field or entry that differs; `None` if the whole document differs.
    pub(super) part: Option<String>,
    /// The fields that differ inside that field, entry or document.
    pub(super) fields: Vec<String>,
    /// The catalogs, with the paths of the values in their documents.
    pub(super) at: Vec<(usize, Path)>,
}

/// Merges all versions of a document. Bundles and documents of unknown schemas are merged as one value. In other
/// documents, each field and each entry is a value, which comes from the versions that contain it. If values differ,
/// the value in the preferred catalog is used. The values clash if no catalog is preferred, or if the preferred catalog
/// does not contain the value.
pub(super) fn merged(schema: &Schema, versions: &[Version<'_>], preferred: Option<usize>) -> (Value, Vec<Clash>) {
    let mut clashes = Vec::new();
    let mut value = Map::new();
    if matches!(schema, Schema::Bundle | Schema::Other(_)) {
        let all = versions.iter().map(|(catalog, value)| (*catalog, Path::root(), *value));
        let chosen = choose(None, all.collect(), preferred, &mut clashes);
        return (chosen.cloned().unwrap_or_default(), clashes);
    }
    for (field, _) in versions.iter().filter_map(|(_, value)| value.as_object()).flatten() {
        if value.contains_key(field) {
            continue;
        }
        let of_field = versions.iter().filter_map(|(catalog, value)| {
            let found = value.get(field)?;
            Some((*catalog, Path::from(field.as_str()), found))
        });
        let of_field: Vec<_> = of_field.collect();
        let is_list = schema.items() == Some(field) && of_field.iter().all(|(.., value)| value.is_array());
        let chosen = if is_list {
            entries(&of_field, preferred, &mut clashes).into()
        } else {
            let chosen = choose(Some(field.clone()), of_field, preferred, &mut clashes);
            chosen.cloned().unwrap_or_default()
        };
        value.insert(field.clone(), chosen);
    }
    (Value::Object(value), clashes)
}

/// A value in a catalog, with its path in the document.
type Placed<'v> = (usize, Path, &'v Value);

/// Returns the value that all catalogs have in common or, if the values differ, the value in the preferred catalog.
/// Adds a clash if there is neither.
fn choose<'v>(
    part: Option<String>,
    values: Vec<Placed<'v>>,
    preferred: Option<usize>,
    clashes: &mut Vec<Clash>,
) -> Option<&'v Value> {
    let first = values.first()?.2;
    let differs = |(.., value): &&Placed<'v>| meaning(value) != meaning(first);
    let Some(other) = values.iter().find(differs).map(|other| other.2) else {
        return Some(first);
    };
    let of_preferred = values.iter().find(|(catalog, ..)| Some(*catalog) == preferred);
    if let Some((.., value)) = of_preferred {
        return Some(value);
    }
    clashes.push(Clash {
        part,
        fields: differing(&meaning(first), &meaning(other)),
        at: values.into_iter().map(|(catalog, path, _)| (catalog, path)).collect(),
    });
    Some(first)
}

/// Returns a value without its empty fields.
fn meaning(value: &Value) -> Value {
    let is_empty = |value: &Value| match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    };
    match value {
        Value::Object(fields) => {
            let said = fields.iter().filter(|(_, value)| !is_empty(value));
            Value::Object(said.map(|(field, value)| (field.clone(), value.clone())).collect())
        }
        value => value.clone(),
    }
}

/// Merges the entries of all lists. New entries come before those that they precede in their own list.
fn entries(lists: &[Placed<'_>], preferred: Option<usize>, clashes: &mut Vec<Clash>) -> Vec<Value> {
    let mut order: Vec<String> = Vec::new();
    let mut versions: BTreeMap<String, Vec<Placed<'_>>> = BTreeMap::new();
    for (catalog, path, list) in lists {
        let items = list.as_array().map_or(&[][..], Vec::as_slice);
        let mut new: Vec<String> = Vec::new();
        for (index, item) in items.iter().enumerate() {
            let name = identity(item);
            let known = versions.entry(name.clone()).or_default();
            if known.is_empty() {
                new.push(name);
            } else if !new.is_empty() && !new.contains(&name) {
                let place = order.iter().position(|known| *known == name).unwrap_or(order.len());
                order.splice(place..place, std::mem::take(&mut new));
            }
            known.push((*catalog, path.index(index), item));
        }
        order.extend(new);
    }
    let chosen = order.into_iter().filter_map(|name| {
        let values = versions.remove(&name)?;
        choose(Some(format!("entry {name}")), values, preferred, clashes).cloned()
    });
    chosen.collect()
}

/// Returns the identity of an entry.
fn identity(entry: &Value) -> String {
    let name = entry.get("name").and_then(Value::as_str);
    let reference = || {
        let text = |field: &str| entry.get("reference")?.get(field)?.as_str();
        let schema = text("schema")?;
        Some(text("name").map_or_else(|| schema.to_owned(), |name| format!("{schema} {name:?}")))
    };
    let name = name.map(|name| format!("{name:?}"));
    name.or_else(reference).unwrap_or_else(|| entry.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(schema: &Schema, versions: &[Value], preferred: Option<usize>) -> (Value, Vec<String>) {
        let versions: Vec<Version<'_>> = versions.iter().enumerate().collect();
        let (value, clashes) = merged(schema, &versions, preferred);
        let clashes = clashes.into_iter().map(|clash| {
            let at: Vec<_> = clash
                .at
                .iter()
                .map(|(catalog, path)| format!("{catalog}:{path}"))
                .collect();
            format!(
                "{} [{}] {}",
                clash.part.unwrap_or_default(),
                clash.fields.join(" "),
                at.join(" ")
            )
        });
        (value, clashes.collect())
    }

    #[test]
    fn channel_entries_are_merged_in_list_order() {
        let list = |entries: Value| json!({"schema": "olm.channel", "name": "stable", "entries": entries});
        let versions = [
            list(json!([{"name": "v3", "replaces": "v1"}, {"name": "v1"}])),
            list(
                json!([{"name": "v4", "replaces": "v3"}, {"name": "v3", "replaces": "v1", "skips": []}, {"name": "v0"}]),
            ),
        ];
        let (value, clashes) = of(&Schema::Channel, &versions, None);
        let names: Vec<&str> = value["entries"]
            .as_array()
            .unwrap()
            .iter()
            .map(|entry| entry["name"].as_str().unwrap())
            .collect();
        assert_eq!((names, clashes), (vec!["v4", "v3", "v1", "v0"], vec![]));
    }

    #[test]
    fn differences_conflict_unless_the_catalog_is_preferred() {
        let versions = [
            json!({"name": "rake", "defaultChannel": "a", "entries": [{"name": "v1", "replaces": "x"}]}),
            json!({"name": "rake", "description": "d", "entries": [{"name": "v1", "skips": ["x"]}]}),
            json!({"name": "rake", "defaultChannel": "c"}),
        ];
        let (_, clashes) = of(&Schema::Channel, &versions, None);
        assert_eq!(
            clashes,
            [
                "defaultChannel [\"a\" -> \"c\"] 0:defaultChannel 2:defaultChannel",
                "entry \"v1\" [replaces \"x\" -> nothing skips nothing -> [\"x\"]] 0:entries[0] 1:entries[0]"
            ]
        );
        let (value, clashes) = of(&Schema::Channel, &versions, Some(2));
        assert_eq!(value["defaultChannel"], "c");
        assert_eq!(value["description"], "d");
        assert_eq!(clashes.len(), 1, "the preferred catalog has no entries");
    }

    #[test]
    fn bundles_are_compared_for_equality() {
        let bundle = |image: &str| json!({"name": "rake.v1", "image": image, "relatedImages": []});
        let (_, clashes) = of(&Schema::Bundle, &[bundle("a"), bundle("b")], None);
        assert_eq!(clashes, [" [image \"a\" -> \"b\"] 0: 1:"]);
        let (value, clashes) = of(&Schema::Bundle, &[bundle("a"), bundle("b")], Some(1));
        assert_eq!((value["image"].as_str(), clashes.len()), (Some("b"), 0));
        let without = json!({"image": "a", "name": "rake.v1"});
        assert_eq!(of(&Schema::Bundle, &[bundle("a"), without], None).1.len(), 0);
    }

    #[test]
    fn deprecations_are_merged_by_their_reference() {
        let list = |entries: Value| json!({"schema": "olm.deprecations", "entries": entries});
        let about = |schema: &str, name: &str, message: &str| json!({"reference": {"schema": schema, "name": name}, "message": message});
        let versions = [
            list(json!([
                about("olm.channel", "a", "old"),
                about("olm.bundle", "a", "old")
            ])),
            list(json!([
                about("olm.channel", "a", "older"),
                about("olm.channel", "b", "old")
            ])),
        ];
        let (value, clashes) = of(&Schema::Deprecations, &versions, None);
        assert_eq!(value["entries"].as_array().unwrap().len(), 3);
        assert_eq!(
            clashes,
            ["entry olm.channel \"a\" [message \"old\" -> \"older\"] 0:entries[0] 1:entries[0]"]
        );
    }
}
