//! The annotation `olm.properties` of a `ClusterServiceVersion`: a JSON list of properties.
//!
//! The values are stored as written, with the original order of keys and spelling of numbers, but without white space.
//! Therefore, the text itself is split, after it has been parsed once to check that it is valid.

use crate::olm::dependency::DependencyKind;
use crate::olm::dependency::Spelling;
use crate::olm::property::Property;
use serde::de::IgnoredAny;
use serde_json::Value;

/// Returns the type and value of each property; empty for an absent annotation. The error message continues the phrase
/// "the annotation …".
pub(super) fn read(annotation: &str) -> Result<Vec<(String, String)>, String> {
    if annotation.is_empty() {
        return Ok(Vec::new());
    }
    let parsed: Option<Vec<Property>> =
        serde_json::from_str(annotation).map_err(|error| format!("cannot be read ({error})"))?;
    let parsed = parsed.unwrap_or_default();
    let compacted = compact(annotation);
    let texts = items(&compacted);
    let mut properties = Vec::with_capacity(parsed.len());
    for (index, property) in parsed.into_iter().enumerate() {
        check_known(&property)
            .map_err(|reason| format!("has an invalid entry {index} of type {}: {reason}", property.kind))?;
        let value = texts.get(index).and_then(|item| member(item, "value"));
        properties.push((property.kind, value.unwrap_or("null").to_owned()));
    }
    Ok(properties)
}

/// Checks a property whose type every index reader decodes: the fields of its value must be strings.
fn check_known(property: &Property) -> Result<(), String> {
    // Properties have the same fields as dependencies of the same type.
    let fields = match DependencyKind::of(&property.kind, Spelling::Dependency) {
        None | Some(DependencyKind::Constraint) => return Ok(()),
        Some(kind) => kind.fields(Spelling::Dependency),
    };
    let map = match &property.value {
        Value::Null => return Ok(()),
        Value::Object(map) => map,
        _ => return Err(format!("its value must be an object with {}", fields.join(", "))),
    };
    for field in fields {
        if map
            .get(*field)
            .is_some_and(|value| !value.is_string() && !value.is_null())
        {
            return Err(format!("{field} must be a string"));
        }
    }
    Ok(())
}

/// Removes the white space between JSON tokens, and escapes the characters that an index escapes. Everything else
/// remains as written.
fn compact(json: &str) -> String {
    let mut compacted = String::with_capacity(json.len());
    let (mut inside, mut escaped) = (false, false);
    for character in json.chars() {
        if !inside {
            inside = character == '"';
            if !character.is_ascii_whitespace() {
                compacted.push(character);
            }
            continue;
        }
        match character {
            '<' => compacted.push_str("\\u003c"),
            '>' => compacted.push_str("\\u003e"),
            '&' => compacted.push_str("\\u0026"),
            '\u{2028}' => compacted.push_str("\\u2028"),
            '\u{2029}' => compacted.push_str("\\u2029"),
            other => compacted.push(other),
        }
        inside = escaped || character != '"';
        escaped = !escaped && character == '\\';
    }
    compacted
}

/// Returns the text of each item of a compact JSON list.
fn items(list: &str) -> Vec<&str> {
    let mut items = Vec::new();
    let mut rest = list.strip_prefix('[').unwrap_or_default();
    while let Some((item, behind)) = split_value(rest) {
        items.push(item);
        rest = behind.strip_prefix(',').unwrap_or_default();
    }
    items
}

/// Returns the text of a member's value in a compact JSON object.
fn member<'a>(object: &'a str, name: &str) -> Option<&'a str> {
    let mut rest = object.strip_prefix('{')?;
    while let Some((key, behind)) = split_value(rest) {
        let (value, behind) = split_value(behind.strip_prefix(':')?)?;
        if serde_json::from_str::<String>(key).is_ok_and(|key| key == name) {
            return Some(value);
        }
        rest = behind.strip_prefix(',').unwrap_or_default();
    }
    None
}

/// Splits off the first JSON value, and returns the value and the rest of the text.
fn split_value(text: &str) -> Option<(&str, &str)> {
    let mut stream = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
    stream.next()?.ok()?;
    text.split_at_checked(stream.byte_offset())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(annotation: &str) -> Vec<String> {
        read(annotation)
            .unwrap()
            .into_iter()
            .map(|(kind, value)| format!("{kind} {value}"))
            .collect()
    }

    #[test]
    fn the_text_of_values_is_kept_in_compact_form() {
        let annotation = r#" [
            {"type": "t", "value": { "b": 1.0, "a": [ 1e3, "x \" < y" ] } },
            {"value":12345678901234567890123, "type":"t"},
            {"type":"u", "value": "\u00e9\\ & \u2028"},
            {"type":"olm.maxOpenShiftVersion","value":"4.8"}, {"type":"n"}, {"type":"n","value":null}
        ]"#;
        assert_eq!(
            values(annotation),
            [
                r#"t {"b":1.0,"a":[1e3,"x \" \u003c y"]}"#,
                "t 12345678901234567890123",
                r#"u "\u00e9\\ \u0026 \u2028""#,
                r#"olm.maxOpenShiftVersion "4.8""#,
                "n null",
                "n null"
            ]
        );
        assert_eq!(values(""), Vec::<String>::new());
        assert_eq!(values("null"), Vec::<String>::new());
    }

    #[test]
    fn a_value_that_is_not_a_list_of_properties_is_rejected() {
        for annotation in [
            "x",
            "{}",
            "[1]",
            "[{}]",
            r#"[{"type":1}]"#,
            r#"[{"type":"a"}] x"#,
            r#"[{"type":"a","value":1,"value":2}]"#,
        ] {
            assert!(
                read(annotation).unwrap_err().starts_with("cannot be read"),
                "{annotation}"
            );
        }
        for annotation in [
            r#"[{"type":"olm.gvk","value":"x"}]"#,
            r#"[{"type":"olm.package","value":{"packageName":1}}]"#,
            r#"[{"type":"olm.label","value":{"label":[]}}]"#,
        ] {
            assert!(
                read(annotation).unwrap_err().contains("invalid entry 0"),
                "{annotation}"
            );
        }
    }
}
