//! The output format of other OLM tools: JSON indented by four spaces, or YAML with sorted keys.

use crate::text;
use crate::visible;
use serde::Serialize;
use serde_json::Value;

/// The format of a catalog's text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Language {
    /// Concatenated JSON documents.
    #[default]
    Json,
    /// YAML documents that begin with a `---` line.
    Yaml,
}

/// Adds a value to `out` as a document.
///
/// # Errors
/// Returns an error if the value contains data that JSON cannot represent, such as a key that is not a string.
pub fn write(value: &impl Serialize, language: Language, out: &mut Vec<u8>) -> Result<(), serde_json::Error> {
    match language {
        Language::Json => {
            let compact = serde_json::to_vec(value)?;
            indent(&compact, out);
            out.push(b'\n');
        }
        Language::Yaml => {
            let mut value: Value = serde_json::from_slice(&serde_json::to_vec(value)?)?;
            value.sort_all_objects();
            out.extend_from_slice(b"---\n");
            out.extend_from_slice(text::to_yaml(&value).as_bytes());
        }
    }
    Ok(())
}

/// Rewrites JSON with one member on each line; strings and numbers are unchanged.
fn indent(json: &[u8], out: &mut Vec<u8>) {
    let mut depth = 0_usize;
    let mut rest = json;
    while let Some((&byte, behind)) = rest.split_first() {
        match byte {
            b'"' => {
                let end = text_end(rest);
                let (text, behind) = rest.split_at(end);
                out.extend_from_slice(visible::json(&String::from_utf8_lossy(text)).as_bytes());
                rest = behind;
                continue;
            }
            b'{' | b'[' => {
                out.push(byte);
                let inside = behind.trim_ascii_start();
                if let Some((close @ (b'}' | b']'), behind)) = inside.split_first() {
                    out.push(*close);
                    rest = behind;
                    continue;
                }
                depth += 1;
                new_line(depth, out);
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                new_line(depth, out);
                out.push(byte);
            }
            b',' => {
                out.push(byte);
                new_line(depth, out);
            }
            b':' => out.extend_from_slice(b": "),
            _ if byte.is_ascii_whitespace() => {}
            _ => out.push(byte),
        }
        rest = behind;
    }
}

/// Returns the end offset of the string at the start of `json`, including the closing quote.
fn text_end(json: &[u8]) -> usize {
    let mut at = 1;
    while let Some(found) = json
        .get(at..)
        .and_then(|rest| rest.iter().position(|byte| matches!(byte, b'"' | b'\\')))
    {
        at += found + 1;
        if json.get(at - 1) == Some(&b'"') {
            return at;
        }
        at += 1;
    }
    json.len()
}

fn new_line(depth: usize, out: &mut Vec<u8>) {
    out.push(b'\n');
    out.extend(std::iter::repeat_n(b' ', 4 * depth));
}

#[cfg(test)]
mod tests {
    use super::super::{Blob, Package, Property};
    use super::*;
    use proptest::prelude::*;

    fn written(value: &impl Serialize, language: Language) -> String {
        let mut out = Vec::new();
        write(value, language, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn json_is_indented_by_four_and_empty_values_stay_on_their_line() {
        let value = serde_json::json!({"a": [], "b": {}, "c": [1, {"d": "}"}]});
        let expected = "{\n    \"a\": [],\n    \"b\": {},\n    \"c\": [\n        1,\n        {\n            \"d\": \"}\"\n        }\n    ]\n}\n";
        assert_eq!(written(&value, Language::Json), expected);
    }

    #[test]
    fn values_of_properties_keep_their_texts_numbers_and_order() {
        let property = Property::parse("t", r#"{"b":"\u003c\"","a": 1.50e3 , "c" : [ ] }"#).unwrap();
        let expected = "{\n    \"type\": \"t\",\n    \"value\": {\n        \"b\": \"\\u003c\\\"\",\n        \"a\": 1.50e3,\n        \"c\": []\n    }\n}\n";
        assert_eq!(written(&property, Language::Json), expected);
        assert!(Property::parse("t", "{").is_err());
    }

    #[test]
    fn yaml_begins_with_dashes_and_has_its_keys_sorted() {
        let package = Blob::Package(Package {
            name: "etcd".to_owned(),
            default_channel: "on".to_owned(),
            icon: None,
            description: String::new(),
        });
        assert_eq!(
            written(&package, Language::Yaml),
            "---\ndefaultChannel: \"on\"\nname: etcd\nschema: olm.package\n"
        );
    }

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            ".{0,8}".prop_map(Value::from)
        ];
        leaf.prop_recursive(3, 16, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::vec((".{0,4}", inner), 0..4)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_written_is_what_was_meant(value in value()) {
            let json: Value = serde_json::from_str(&written(&value, Language::Json)).unwrap();
            prop_assert_eq!(&json, &value);
        }
    }
}
