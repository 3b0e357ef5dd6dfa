//! The differences between two documents, in a form for people to read.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use std::collections::{HashMap, HashSet, VecDeque};

/// The maximum number of characters of a value to show.
const SHOWN: usize = 60;
/// The number of characters that are shown before the first difference.
const BEFORE: usize = 16;
/// The maximum number of differing items of a list to show.
const ITEMS: usize = 3;

/// Returns the fields in which two documents differ, each with its two values. Long values are shortened.
pub(crate) fn differing(one: &Value, other: &Value) -> Vec<String> {
    let (Some(before), Some(after)) = (one.as_object(), other.as_object()) else {
        return vec![change(Some(one), Some(other))];
    };
    let mut fields: Vec<&String> = before.keys().chain(after.keys()).collect();
    fields.sort_unstable();
    fields.dedup();
    fields.retain(|field| before.get(*field) != after.get(*field));
    let differences = fields
        .into_iter()
        .flat_map(|field| match (before.get(field), after.get(field)) {
            (Some(Value::Array(before)), Some(Value::Array(after))) => items(field, before, after),
            (before, after) => vec![format!("{field} {}", change(before, after))],
        });
    differences.collect()
}

/// Returns the differing items of a list. Items with the same type or name are compared with each other.
fn items(field: &str, before: &[Value], after: &[Value]) -> Vec<String> {
    let [in_before, in_after] = [before, after].map(|items| items.iter().collect::<HashSet<&Value>>());
    let mut added: Vec<Option<&Value>> = after
        .iter()
        .filter(|item| !in_before.contains(item))
        .map(Some)
        .collect();
    let mut by_kind: HashMap<String, VecDeque<usize>> = HashMap::new();
    for (place, new) in added.iter().enumerate() {
        if let Some(kind) = new.and_then(kind) {
            by_kind.entry(kind).or_default().push_back(place);
        }
    }
    let mut differences = Vec::new();
    for gone in before.iter().filter(|item| !in_after.contains(item)) {
        let kind = kind(gone);
        let of_kind = kind.as_ref().and_then(|kind| by_kind.get_mut(kind));
        let place = of_kind.and_then(VecDeque::pop_front);
        let new = place.and_then(|place| added.get_mut(place)?.take());
        differences.push((kind, Some(gone), new));
    }
    differences.extend(added.into_iter().flatten().map(|new| (kind(new), None, Some(new))));
    if differences.is_empty() {
        return vec![format!("{field} in a different order")];
    }
    let more = differences.len().saturating_sub(ITEMS);
    let shown = differences.into_iter().take(ITEMS).map(|(kind, before, after)| {
        let kind = kind.map(|kind| format!("[{kind}]")).unwrap_or_default();
        format!(
            "{field}{kind} {}",
            change(before.map(content).as_ref(), after.map(content).as_ref())
        )
    });
    let mut shown: Vec<String> = shown.collect();
    if more > 0 {
        shown.push(format!("{more} more in {field}"));
    }
    shown
}

/// Returns the type or name of an item.
fn kind(item: &Value) -> Option<String> {
    item["type"].as_str().or(item["name"].as_str()).map(str::to_owned)
}

/// Returns the manifest in a property, or the value of a property without a manifest. If the item is not a property,
/// returns the whole item.
fn content(item: &Value) -> Value {
    let manifest = item["value"]["data"]
        .as_str()
        .and_then(|data| STANDARD.decode(data).ok());
    let manifest = manifest.and_then(|manifest| serde_json::from_slice(&manifest).ok());
    let value = || item.get("type").and(item.get("value")).unwrap_or(item).clone();
    manifest.unwrap_or_else(value)
}

fn change(before: Option<&Value>, after: Option<&Value>) -> String {
    let text = |value: Option<&Value>| value.map_or_else(|| "nothing".to_owned(), Value::to_string);
    let (before, after) = (text(before), text(after));
    let same = before
        .chars()
        .zip(after.chars())
        .take_while(|(one, other)| one == other)
        .count();
    let from = if same > 2 * BEFORE { same - BEFORE } else { 0 };
    format!("{} -> {}", shortened(&before, from), shortened(&after, from))
}

fn shortened(text: &str, from: usize) -> String {
    let mut rest = text.chars().skip(from);
    let shown: String = rest.by_ref().take(SHOWN).collect();
    let (begin, end) = (
        if from > 0 { "…" } else { "" },
        if rest.next().is_some() { "…" } else { "" },
    );
    format!("{begin}{shown}{end}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn differing_values_are_shown_where_they_differ() {
        let long = "x".repeat(200);
        let of = |end: &str| {
            json!({"image": "a", "same": 1, "properties": [
                {"type": "t", "value": {"text": format!("{long}{end}")}}, {"type": "u", "value": 1}]})
        };
        let mut other = of("2");
        other["image"] = json!("b");
        assert_eq!(
            differing(&of("1"), &other),
            [
                r#"image "a" -> "b""#.to_owned(),
                format!(r#"properties[t] …{0}1"}} -> …{0}2"}}"#, "x".repeat(BEFORE)),
            ]
        );
        other = of("1");
        other["properties"].as_array_mut().unwrap().pop();
        assert_eq!(differing(&of("1"), &other), ["properties[u] 1 -> nothing"]);
        assert_eq!(differing(&json!("a"), &json!("b")), [r#""a" -> "b""#]);
    }
    #[test]
    fn items_of_one_kind_are_compared_in_their_order() {
        let item = |kind: &str, value: u32| json!({"type": kind, "value": value});
        let before = json!({"properties": [item("t", 1), item("t", 2), item("u", 3), item("same", 0)]});
        let after = json!({"properties": [item("same", 0), item("v", 9), item("t", 7), item("t", 8)]});
        assert_eq!(
            differing(&before, &after),
            [
                "properties[t] 1 -> 7",
                "properties[t] 2 -> 8",
                "properties[u] 3 -> nothing",
                "1 more in properties"
            ]
        );
        let many = |first: u32| -> Value { (first..first + 20_000).map(|value| item("t", value)).collect() };
        let [before, after] = [json!({"properties": many(0)}), json!({"properties": many(20_000)})];
        assert_eq!(
            differing(&before, &after)[2..],
            ["properties[t] 2 -> 20002", "19997 more in properties"]
        );
    }
}
