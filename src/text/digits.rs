//! Writes JSON as YAML with all digits of its integers. A value keeps integers beyond 64 bits only as floats.

use super::emit::to_yaml;
use super::limits::Limits;
use super::path::Path;
use super::read::read_source;
use crate::source::SourceFile;
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// Floats of this size cannot be told from integers beyond 64 bits.
const LARGE: f64 = 9.2e18;

/// Like [`to_yaml`], but integers have the digits that they have in `json`, the text that the value was read from. YAML
/// readers that know no such integers read the same floats as before.
pub(crate) fn to_yaml_with_digits(value: &Value, json: &str) -> String {
    let yaml = to_yaml(value);
    if !has_large_float(value) {
        return yaml;
    }
    let mut integers = Vec::new();
    let found = serde_json::from_str(json).and_then(|raw| large_integers(raw, &Path::root(), &mut integers));
    match found {
        Ok(()) if !integers.is_empty() => with_integers(&yaml, value, &integers).unwrap_or(yaml),
        _ => yaml,
    }
}

fn has_large_float(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.is_f64() && number.as_f64().is_some_and(|number| number.abs() > LARGE),
        Value::Array(items) => items.iter().any(has_large_float),
        Value::Object(map) => map.values().any(has_large_float),
        Value::Null | Value::Bool(_) | Value::String(_) => false,
    }
}

/// Collects the integers beyond 64 bits, each with its path.
fn large_integers(raw: &RawValue, path: &Path, found: &mut Vec<(Path, String)>) -> serde_json::Result<()> {
    let text = raw.get();
    match text.as_bytes().first() {
        Some(b'-' | b'0'..=b'9') => {
            let digits = text.strip_prefix('-').unwrap_or(text);
            let is_integer = digits.bytes().all(|byte| byte.is_ascii_digit());
            if is_integer && text.parse::<i64>().is_err() && text.parse::<u64>().is_err() {
                found.push((path.clone(), text.to_owned()));
            }
        }
        Some(b'[') => {
            let items: Vec<&RawValue> = serde_json::from_str(text)?;
            for (index, item) in items.into_iter().enumerate() {
                large_integers(item, &path.index(index), found)?;
            }
        }
        Some(b'{') => {
            let entries: BTreeMap<String, &RawValue> = serde_json::from_str(text)?;
            for (key, value) in entries {
                large_integers(value, &path.key(key), found)?;
            }
        }
        _ => {}
    }
    Ok(())
}

/// Returns the YAML with the integers instead of the floats at their paths, if the text has the same value.
fn with_integers(yaml: &str, value: &Value, integers: &[(Path, String)]) -> Option<String> {
    let read = |yaml: &str| {
        let reading = read_source(&SourceFile::new("", yaml), &Limits::UNLIMITED);
        reading.documents.into_iter().next()
    };
    let document = read(yaml)?;
    let start = |path: &Path| document.place(path).span.start;
    let mut placed: Vec<_> = integers
        .iter()
        .map(|(path, digits)| (start(path), path, digits))
        .collect();
    placed.sort_unstable_by_key(|(start, ..)| *start);
    let (mut out, mut end) = (String::with_capacity(yaml.len()), 0);
    for (start, path, digits) in placed {
        let float = path.get(value)?.to_string();
        out.push_str(yaml.get(end..start)?);
        out.push_str(digits);
        end = start + float.len();
        if yaml.get(start..end) != Some(&*float) {
            return None;
        }
    }
    out.push_str(yaml.get(end..)?);
    (read(&out)?.value() == value).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_integers_keep_their_digits() {
        let json = r#"{"a": 123456789012345678901234567890, "b": [18446744073709551616, -9223372036854775809, 1e30],
            "c": 18446744073709551615, "d": {"a: b": 100000000000000000000}, "e": "123456789012345678901234567890",
            "f": 1.5, "a": 123456789012345678901234567891}"#;
        let value = serde_json::from_str(json).unwrap();
        insta::assert_snapshot!(to_yaml_with_digits(&value, json), @r#"
        a: 123456789012345678901234567891
        b:
        - 18446744073709551616
        - -9223372036854775809
        - 1e+30
        c: 18446744073709551615
        d:
          "a: b": 100000000000000000000
        e: "123456789012345678901234567890"
        f: 1.5
        "#);
        assert_eq!(to_yaml_with_digits(&value, "{"), to_yaml(&value));
        let json = "-100000000000000000000000";
        assert_eq!(
            to_yaml_with_digits(&serde_json::from_str(json).unwrap(), json),
            format!("{json}\n")
        );
    }
}
