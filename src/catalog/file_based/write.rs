//! The output format of other OLM tools: JSON indented by four spaces, or YAML with sorted keys.

use crate::text;
use crate::visible;
use memchr::memchr2;
use serde::Serialize;
use serde_json::Value;
use std::borrow::Cow;

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
            let start = out.len();
            indent(&serde_json::to_string(value)?, out);
            // Only strings can contain hidden characters.
            if let Cow::Owned(shown) = visible::json(&String::from_utf8_lossy(&out[start..])) {
                out.truncate(start);
                out.extend_from_slice(shown.as_bytes());
            }
            out.push(b'\n');
        }
        Language::Yaml => {
            let json = serde_json::to_string(value)?;
            let mut value: Value = serde_json::from_str(&json)?;
            value.sort_all_objects();
            out.extend_from_slice(b"---\n");
            out.extend_from_slice(text::to_yaml_with_digits(&value, &json).as_bytes());
        }
    }
    Ok(())
}

/// Writes JSON with one member on each line; strings and numbers are unchanged.
fn indent(json: &str, out: &mut Vec<u8>) {
    let mut depth = 0_usize;
    let mut rest = json;
    while let Some(&byte) = rest.as_bytes().first() {
        let (token, behind) = rest.split_at(if byte == b'"' { text_end(rest) } else { 1 });
        rest = behind;
        match byte {
            b'{' | b'[' => {
                out.extend_from_slice(token.as_bytes());
                let inside = behind.trim_ascii_start();
                if inside.starts_with(['}', ']']) {
                    let (close, behind) = inside.split_at(1);
                    out.extend_from_slice(close.as_bytes());
                    rest = behind;
                    continue;
                }
                depth += 1;
                new_line(depth, out);
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                new_line(depth, out);
                out.extend_from_slice(token.as_bytes());
            }
            b',' => {
                out.extend_from_slice(token.as_bytes());
                new_line(depth, out);
            }
            b':' => out.extend_from_slice(b": "),
            _ if byte.is_ascii_whitespace() => {}
            _ => out.extend_from_slice(token.as_bytes()),
        }
    }
}

/// Returns the end offset of the string at the start of `json`, including the closing quote.
fn text_end(json: &str) -> usize {
    let bytes = json.as_bytes();
    let mut at = 1;
    while let Some(found) = bytes.get(at..).and_then(|rest| memchr2(b'"', b'\\', rest)) {
        at += found + 1;
        if bytes.get(at - 1) == Some(&b'"') {
            return at;
        }
        at += 1;
    }
    bytes.len()
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
    fn property_values_keep_their_strings_numbers_and_order() {
        let property = Property::parse("t", r#"{"b":"\u003c\"","a": 1.50e3 , "c" : [ ] }"#).unwrap();
        let expected = "{\n    \"type\": \"t\",\n    \"value\": {\n        \"b\": \"\\u003c\\\"\",\n        \"a\": 1.50e3,\n        \"c\": []\n    }\n}\n";
        assert_eq!(written(&property, Language::Json), expected);
        assert!(Property::parse("t", "{").is_err());
    }

    #[test]
    fn yaml_starts_with_a_separator_and_has_sorted_keys() {
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

    #[test]
    fn large_integers_keep_their_digits_in_yaml() {
        let property = Property::parse(
            "t",
            r#"{"b": 123456789012345678901234567890, "a": 18446744073709551616}"#,
        );
        let expected = "---\ntype: t\nvalue:\n  a: 18446744073709551616\n  b: 123456789012345678901234567890\n";
        assert_eq!(written(&property.unwrap(), Language::Yaml), expected);
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
        fn written_values_read_back_equal(value in value()) {
            let json: Value = serde_json::from_str(&written(&value, Language::Json)).unwrap();
            prop_assert_eq!(&json, &value);
        }
    }
}
