//! Tables of the keys of a file, from its JSON Schema.

use super::{anchor, cell};
use serde_json::Value;

/// A map in a file, with its keys.
pub(super) struct Map<'a> {
    /// The path of the map, with `[]` for the items of a list; empty for the whole file.
    pub(super) path: String,
    pub(super) keys: Vec<Key<'a>>,
}

/// A key of a file.
pub(super) struct Key<'a> {
    pub(super) name: &'a str,
    /// The path of the key in the file.
    pub(super) path: String,
    pub(super) required: bool,
    /// The schema of the key's value.
    schema: &'a Value,
    /// The path of the map with the keys inside the value, if there are any.
    inside: Option<String>,
}

/// Returns all maps of a file. Of several maps with the same keys, only the first is returned.
pub(super) fn maps(schema: &Value) -> Vec<Map<'_>> {
    let mut maps = Vec::new();
    collect("", schema, &mut Vec::new(), &mut maps);
    maps
}

fn collect<'a>(map: &str, schema: &'a Value, seen: &mut Vec<(&'a Value, String)>, maps: &mut Vec<Map<'a>>) {
    let place = maps.len();
    maps.push(Map {
        path: map.to_owned(),
        keys: Vec::new(),
    });
    let required = schema["required"].as_array();
    for (name, of_key) in schema["properties"].as_object().expect("keys") {
        let path = match (map, name.contains('.')) {
            ("", _) => name.clone(),
            (above, false) => format!("{above}.{name}"),
            (above, true) => format!("{above}[\"{name}\"]"),
        };
        let (mut below, mut inside) = (of_key, path.clone());
        // The last alternative is the most complete one.
        let alternatives = below["anyOf"].as_array().filter(|_| below.get("type").is_none());
        let mut alternatives = alternatives.into_iter().flatten();
        if let Some(last) = alternatives.rfind(|schema| schema["type"] != "null") {
            below = last;
        }
        while below.get("items").is_some() {
            below = &below["items"];
            inside += "[]";
        }
        let keys = &below["properties"];
        let known = seen
            .iter()
            .find(|(other, _)| *other == keys)
            .map(|(_, path)| path.clone());
        let is_new = keys.is_object() && known.is_none();
        maps[place].keys.push(Key {
            name,
            path,
            required: required.is_some_and(|names| names.iter().any(|required| required == name)),
            schema: of_key,
            inside: keys.is_object().then(|| known.unwrap_or_else(|| inside.clone())),
        });
        if is_new {
            seen.push((keys, inside.clone()));
            collect(&inside, below, seen, maps);
        }
    }
}

impl Key<'_> {
    /// Returns the type of the value, and whether the key is required.
    pub(super) fn kind(&self) -> String {
        let words = words(self.schema, false);
        if self.required {
            format!("{words}; required")
        } else {
            words
        }
    }

    /// Returns the description, with an example, if any, and a link to the keys inside the value.
    pub(super) fn about(&self, example: Option<&str>) -> String {
        let about = cell(self.schema["description"].as_str().unwrap_or_default());
        let example = example.map(|example| format!(" Example: `{example}`"));
        let inside = self.inside.as_ref();
        let inside = inside.map(|path| format!(" Keys: [`{path}`](#{})", anchor(path)));
        format!("{about}{}{}", example.unwrap_or_default(), inside.unwrap_or_default())
    }
}

/// Returns a table of the keys of each map of a file.
pub(super) fn tables(schema: &Value) -> String {
    let tables = maps(schema).into_iter().map(|map| {
        let rows = map.keys.iter().map(|key| {
            let row = format!("| `{}` | {} | {} |\n", key.name, key.kind(), key.about(None));
            row.replace("|  |", "| |")
        });
        let heading = if map.path.is_empty() {
            String::new()
        } else {
            format!("\n### `{}`\n", map.path)
        };
        let rows: String = rows.collect();
        format!("{heading}\n| key | type | meaning |\n|---|---|---|\n{rows}")
    });
    tables.collect()
}

/// Describes the values that a schema allows.
fn words(schema: &Value, many: bool) -> String {
    let number = |one: &str, several: &str| if many { several } else { one }.to_owned();
    if let Some(choices) = schema["enum"].as_array() {
        let choices = choices.iter().filter_map(Value::as_str);
        let choices: Vec<String> = choices.map(|choice| format!("`{choice}`")).collect();
        return listed(&choices);
    }
    if let Some(alternatives) = schema["anyOf"].as_array().filter(|_| schema.get("type").is_none()) {
        let words = alternatives.iter().map(|alternative| self::words(alternative, many));
        let words: Vec<String> = words.filter(|words| !words.is_empty()).collect();
        return listed(&words);
    }
    let types: Vec<&str> = match &schema["type"] {
        Value::String(one) => vec![one],
        Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
        _ => return number("any value", "values"),
    };
    let words = types.into_iter().filter(|name| *name != "null").map(|name| match name {
        "string" => number("string", "strings"),
        "integer" => number("whole number", "whole numbers"),
        "boolean" => "`true` or `false`".to_owned(),
        "array" if schema.get("items").is_none() => number("list", "lists"),
        "array" => format!("{} of {}", number("list", "lists"), self::words(&schema["items"], true)),
        "object" if schema["additionalProperties"].is_object() && schema.get("properties").is_none() => {
            let values = self::words(&schema["additionalProperties"], true);
            format!("{} of {values}", number("map", "maps"))
        }
        "object" => number("map", "maps"),
        other => other.to_owned(),
    });
    listed(&words.collect::<Vec<_>>())
}

/// Joins alternatives with commas and *or*.
fn listed(words: &[String]) -> String {
    match words.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}
