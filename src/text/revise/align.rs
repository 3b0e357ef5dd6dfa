//! Determines which items of two lists are the same.

use super::sequence::Item;
use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet};

/// The fields that identify an item to people.
const NAMES: [&str; 3] = ["name", "reference", "image"];

/// Returns the identity of an item: its schema, package and names if it is a map with at least one name, otherwise the
/// whole value.
pub(super) fn identity(item: &Value) -> String {
    let names = |item: &Map<String, Value>| NAMES.iter().any(|name| item.contains_key(*name));
    match item.as_object().filter(|item| names(item)) {
        Some(item) => subject(item),
        None => item.to_string(),
    }
}

/// Returns the schema, package and names of an item.
fn subject(item: &Map<String, Value>) -> String {
    let fields = ["schema", "package"].iter().chain(&NAMES);
    let values: Vec<String> = fields
        .filter_map(|field| item.get(*field))
        .map(Value::to_string)
        .collect();
    values.join(" ")
}

/// Returns the identities of the items of both lists. If a name identifies every item, a named item with other values
/// is the same item. A document without a name, such as the deprecations of a package, is identified by its schema and
/// package if neither list contains another one.
pub(super) fn identities(old: &[Value], new: &[Value]) -> (Vec<String>, Vec<String>) {
    let by_name = |items: &[Value]| -> Option<Vec<String>> {
        let name = |item: &Value| {
            let item = item.as_object().filter(|item| !item.contains_key("schema"))?;
            Some(item.get("name")?.as_str()?.to_owned())
        };
        let names: Vec<String> = items.iter().map(name).collect::<Option<_>>()?;
        (names.iter().collect::<HashSet<_>>().len() == names.len()).then_some(names)
    };
    if let Some(names) = by_name(old).zip(by_name(new)) {
        return names;
    }
    let document = |item: &Value| item.as_object().filter(|item| item.contains_key("schema")).map(subject);
    let counted = |items: &[Value]| {
        let mut counts: HashMap<String, usize> = HashMap::new();
        for subject in items.iter().filter_map(document) {
            *counts.entry(subject).or_default() += 1;
        }
        counts
    };
    let counts = (counted(old), counted(new));
    let is_single = |subject: &String| {
        [&counts.0, &counts.1]
            .iter()
            .all(|counts| counts.get(subject) <= Some(&1))
    };
    let of = |items: &[Value]| {
        let identity = |item| document(item).filter(is_single).unwrap_or_else(|| identity(item));
        items.iter().map(identity).collect()
    };
    (of(old), of(new))
}

/// Returns the keys of both maps in the order of the old map. A new key comes after the key that it follows in the new
/// map.
pub(super) fn keys(old: &Map<String, Value>, new: &Map<String, Value>) -> Vec<Item> {
    let places: HashMap<&String, usize> = new.keys().enumerate().map(|(at, key)| (key, at)).collect();
    let kept = |(at, key)| {
        places
            .get(key)
            .map_or(Item::Removed(at), |other| Item::Kept(at, *other))
    };
    let mut items: Vec<Item> = old.keys().enumerate().map(kept).collect();
    for (at, _) in new.keys().enumerate().filter(|(_, key)| !old.contains_key(*key)) {
        let follows = |item: &Item| match item {
            Item::Kept(_, other) | Item::Added(other) => at.checked_sub(1) == Some(*other),
            Item::Removed(_) => false,
        };
        let place = items.iter().position(follows).map_or(0, |place| place + 1);
        items.insert(place, Item::Added(at));
    }
    items
}

/// Returns the items, combining a removed and an added item into a kept one if they differ only in the name of the
/// document that they are or refer to.
pub(super) fn with_renamed(items: Vec<Item>, old: &[Value], new: &[Value]) -> Vec<Item> {
    let mut out: Vec<Item> = Vec::with_capacity(items.len());
    for item in items {
        let renamed = match (out.last(), item) {
            (Some(Item::Removed(before)), Item::Added(after)) => {
                let pair = old.get(*before).zip(new.get(after));
                pair.filter(|(old, new)| is_renamed(old, new) || refers_to_renamed(old, new))
                    .map(|_| Item::Kept(*before, after))
            }
            _ => None,
        };
        if renamed.is_some() {
            out.pop();
        }
        out.push(renamed.unwrap_or(item));
    }
    out
}

/// Returns whether two documents, or references to documents, differ only in their names.
fn is_renamed(old: &Value, new: &Value) -> bool {
    old.get("schema").is_some() && differ_only_in("name", old, new)
}

/// Returns whether two items differ only in the name of the document that they refer to.
fn refers_to_renamed(old: &Value, new: &Value) -> bool {
    let references = old.get("reference").zip(new.get("reference"));
    references.is_some_and(|(old, new)| is_renamed(old, new)) && differ_only_in("reference", old, new)
}

/// Returns whether two maps have a field, and all their other fields are the same.
fn differ_only_in(field: &str, old: &Value, new: &Value) -> bool {
    let (Some(old), Some(new)) = (old.as_object(), new.as_object()) else {
        return false;
    };
    let same = |(key, value): (&String, &Value)| key == field || new.get(key) == Some(value);
    old.len() == new.len() && new.contains_key(field) && old.iter().all(same)
}

#[cfg(test)]
mod tests {
    use super::super::sequence::aligned;
    use super::*;
    use serde_json::json;

    #[test]
    fn items_are_identified_by_their_names() {
        let of = |value: Value| identity(&value);
        assert_eq!(
            of(json!({"name": "a", "replaces": "b"})),
            of(json!({"name": "a", "skips": []}))
        );
        assert_ne!(
            of(json!({"name": "a", "schema": "olm.channel"})),
            of(json!({"name": "a"}))
        );
        assert_ne!(of(json!({"value": 1})), of(json!({"value": 2})));
        assert_eq!(of(json!("a")), "\"a\"");
    }

    #[test]
    fn a_document_without_a_name_is_identified_by_its_schema_and_package() {
        let of = |package: &str, rest: u8| json!({"schema": "olm.deprecations", "package": package, "rest": rest});
        let (old, new) = identities(&[of("a", 1), of("b", 1)], &[of("c", 1), of("b", 2)]);
        assert_eq!(old[1], new[1]);
        assert_ne!(old[0], new[0]);
        // Of several, it is not known which one was changed.
        let (old, new) = identities(&[of("a", 1), of("a", 2)], &[of("a", 2)]);
        assert_eq!(old[1], new[0]);
        assert_ne!(old[0], new[0]);
    }

    #[test]
    fn a_renamed_document_is_recognized() {
        let of = |name: &str, rest: u8| json!({"schema": "olm.channel", "name": name, "rest": rest});
        let (old, new) = ([of("a", 1), of("b", 2)], [of("c", 1), of("d", 3)]);
        let of_list = |list: &[Value]| list.iter().map(identity).collect::<Vec<_>>();
        let items = aligned(&of_list(&old), &of_list(&new));
        let items = with_renamed(items, &old, &new);
        assert_eq!(items.iter().filter(|item| matches!(item, Item::Kept(..))).count(), 0);
        let items = vec![Item::Removed(0), Item::Added(0), Item::Removed(1), Item::Added(1)];
        let items = with_renamed(items, &old, &new);
        assert_eq!(items, [Item::Kept(0, 0), Item::Removed(1), Item::Added(1)]);
    }

    #[test]
    fn keys_keep_their_order_and_new_ones_follow_their_predecessors() {
        let of = |old: Value, new: Value| keys(old.as_object().unwrap(), new.as_object().unwrap());
        let items = of(
            json!({"a": 1, "b": 1, "c": 1}),
            json!({"x": 1, "c": 1, "y": 1, "z": 1, "a": 1}),
        );
        let expected = [
            Item::Added(0),
            Item::Kept(0, 4),
            Item::Removed(1),
            Item::Kept(2, 1),
            Item::Added(2),
            Item::Added(3),
        ];
        assert_eq!(items, expected);
    }
}
