//! The rendered form of a catalog document: known fields are in order, empty optional fields are omitted, and YAML keys
//! are sorted, as in the output of other OLM tools. Unknown fields are preserved.

use super::document::Document;
use super::schema::ListField;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

/// Returns the document in rendered form. `from_yaml` specifies whether the document was read from YAML.
pub fn rendered(document: Document, from_yaml: bool) -> Document {
    let document = if from_yaml { sorted(document) } else { document };
    let schema = document.schema();
    let Some((omitted, schema)) = schema.and_then(|schema| Some((schema.omitted()?, schema))) else {
        return document;
    };
    let document = schema.lists().iter().fold(document, in_order);
    document.without(|name, value| omitted.contains(&name) && is_nothing(value))
}

/// Sorts the fields of each item in a list field. Any value other than a list of maps is unchanged.
fn in_order(document: Document, list: &ListField) -> Document {
    let items = document
        .field(list.name)
        .map(|items| serde_json::from_str::<Vec<Document>>(items.get()));
    let Some(Ok(items)) = items else { return document };
    let place = |name: &str| list.fields.iter().position(|field| *field == name);
    let items = items.into_iter().map(|item| {
        let is_optional = |name: &str| place(name).is_some_and(|place| place >= list.required);
        item.without(|name, value| is_optional(name) && is_nothing(value))
            .sorted_by(|name| place(name).unwrap_or(list.fields.len()))
    });
    match to_raw_value(&items.collect::<Vec<_>>()) {
        Ok(items) => document.with(list.name, items),
        Err(_) => document,
    }
}

fn is_nothing(value: &RawValue) -> bool {
    let inside = value.get().trim_start_matches(['[', '{']).trim_start();
    matches!(value.get(), "null" | "\"\"") || inside == "]" || inside == "}"
}

fn sorted(document: Document) -> Document {
    let value = serde_json::to_value(&document);
    let sorted = value.and_then(|mut value: Value| {
        value.sort_all_objects();
        Document::from_json(&value.to_string())
    });
    sorted.unwrap_or(document)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(json: &str, from_yaml: bool) -> String {
        let document = rendered(Document::from_json(json).unwrap(), from_yaml);
        serde_json::to_string(&document).unwrap()
    }

    #[test]
    fn known_fields_are_ordered_and_empty_ones_omitted() {
        let channel = r#"{"entries":[{"skips":[],"x":[],"skipRange":"","replaces":"a.v1","name":"a.v2"}],"properties":[ ],"package":"a","name":"s","schema":"olm.channel"}"#;
        let expected =
            r#"{"schema":"olm.channel","name":"s","package":"a","entries":[{"name":"a.v2","replaces":"a.v1","x":[]}]}"#;
        assert_eq!(form(channel, false), expected);
        let bundle = r#"{"schema":"olm.bundle","name":"","image":"","relatedImages":null,"properties":[{"value":{"b":[],"a":1.50},"type":"t"}]}"#;
        let expected =
            r#"{"schema":"olm.bundle","name":"","image":"","properties":[{"type":"t","value":{"b":[],"a":1.50}}]}"#;
        assert_eq!(form(bundle, false), expected);
    }

    #[test]
    fn keys_of_yaml_values_are_sorted() {
        let other = r#"{"schema":"x","z":{"b":1,"a":[]},"c":""}"#;
        assert_eq!(form(other, true), r#"{"c":"","schema":"x","z":{"a":[],"b":1}}"#);
        assert_eq!(form(other, false), other);
    }

    #[test]
    fn a_value_that_is_not_a_list_of_maps_is_unchanged() {
        let odd = r#"{"schema":"olm.bundle","name":"a","properties":["x"],"relatedImages":{"a":1}}"#;
        assert_eq!(form(odd, false), odd);
    }
}
