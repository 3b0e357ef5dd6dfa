//! Writes the JSON of indexes: compact, with keys in byte order at every level, and with numbers and escapes as Go's
//! `encoding/json` writes them.

use super::number::write_float;
use serde_json::value::RawValue;
use serde_json::{Number, Value};
use std::collections::BTreeMap;

/// Appends a value as JSON, without a trailing line feed.
pub fn write(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::Null => out.extend_from_slice(b"null"),
        Value::Bool(true) => out.extend_from_slice(b"true"),
        Value::Bool(false) => out.extend_from_slice(b"false"),
        Value::Number(number) => write_number(number, out),
        Value::String(text) => write_text(text, out),
        Value::Array(items) => {
            out.push(b'[');
            for (position, item) in items.iter().enumerate() {
                if position > 0 {
                    out.push(b',');
                }
                write(item, out);
            }
            out.push(b']');
        }
        Value::Object(map) => {
            let mut entries: Vec<(&String, &Value)> = map.iter().collect();
            entries.sort_unstable_by_key(|(key, _)| *key);
            out.push(b'{');
            for (position, (key, value)) in entries.into_iter().enumerate() {
                if position > 0 {
                    out.push(b',');
                }
                write_text(key, out);
                out.push(b':');
                write(value, out);
            }
            out.push(b'}');
        }
    }
}

/// Returns a value as JSON, without a trailing line feed.
pub fn to_string(value: &Value) -> String {
    let mut out = Vec::new();
    write(value, &mut out);
    String::from_utf8(out).unwrap_or_default()
}

/// Returns a value as JSON, but with each number as it is written in `json`, the text that the value was read from.
pub fn as_written(value: &Value, json: &str) -> String {
    if !has_inexact_number(value) {
        return to_string(value);
    }
    let mut out = Vec::new();
    match serde_json::from_str(json).and_then(|raw| write_raw(raw, &mut out)) {
        Ok(()) => String::from_utf8(out).unwrap_or_default(),
        Err(_) => to_string(value),
    }
}

/// Returns whether the text of a number in the value may differ from the one that [`write`] writes.
fn has_inexact_number(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.as_i64().is_none(),
        Value::Array(items) => items.iter().any(has_inexact_number),
        Value::Object(map) => map.values().any(has_inexact_number),
        Value::Null | Value::Bool(_) | Value::String(_) => false,
    }
}

fn write_raw(raw: &RawValue, out: &mut Vec<u8>) -> serde_json::Result<()> {
    let text = raw.get();
    match text.as_bytes().first() {
        Some(b'-' | b'0'..=b'9') => out.extend_from_slice(text.as_bytes()),
        Some(b'[') => {
            let items: Vec<&RawValue> = serde_json::from_str(text)?;
            out.push(b'[');
            for (position, item) in items.into_iter().enumerate() {
                if position > 0 {
                    out.push(b',');
                }
                write_raw(item, out)?;
            }
            out.push(b']');
        }
        Some(b'{') => {
            let entries: BTreeMap<String, &RawValue> = serde_json::from_str(text)?;
            out.push(b'{');
            for (position, (key, value)) in entries.into_iter().enumerate() {
                if position > 0 {
                    out.push(b',');
                }
                write_text(&key, out);
                out.push(b':');
                write_raw(value, out)?;
            }
            out.push(b'}');
        }
        _ => write(&serde_json::from_str(text)?, out),
    }
    Ok(())
}

/// Writes signed 64-bit integers unchanged, and any other number as a float, as Go does.
fn write_number(number: &Number, out: &mut Vec<u8>) {
    match number.as_i64() {
        Some(integer) => out.extend_from_slice(integer.to_string().as_bytes()),
        None => write_float(number.as_f64().unwrap_or_default(), out),
    }
}

/// The bytes that Go escapes, or that may begin a character that Go escapes.
const LOOKED_AT: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 0x20 {
        table[byte] = true;
        byte += 1;
    }
    let others = *b"\"\\<>&\xE2";
    let mut other = 0;
    while other < others.len() {
        table[others[other] as usize] = true;
        other += 1;
    }
    table
};

fn write_text(text: &str, out: &mut Vec<u8>) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    out.push(b'"');
    let bytes = text.as_bytes();
    let mut written = 0;
    for (at, byte) in bytes.iter().enumerate() {
        // Nearly all bytes of an index take this path.
        if !LOOKED_AT[usize::from(*byte)] {
            continue;
        }
        let short = match byte {
            b'"' => b'"',
            b'\\' => b'\\',
            0x08 => b'b',
            0x0C => b'f',
            b'\n' => b'n',
            b'\r' => b'r',
            b'\t' => b't',
            0x00..=0x1F | b'<' | b'>' | b'&' => 0,
            0xE2 if matches!(bytes.get(at + 1..at + 3), Some([0x80, 0xA8 | 0xA9])) => 0,
            _ => continue,
        };
        out.extend_from_slice(&bytes[written..at]);
        written = at + 1;
        if short != 0 {
            out.extend_from_slice(&[b'\\', short]);
        } else if *byte == 0xE2 {
            // The line separator U+2028 and the paragraph separator U+2029.
            out.extend_from_slice(if bytes[at + 2] == 0xA8 { b"\\u2028" } else { b"\\u2029" });
            written = at + 3;
        } else {
            out.extend_from_slice(b"\\u00");
            out.extend_from_slice(&[HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]);
        }
    }
    out.extend_from_slice(&bytes[written..]);
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_are_rounded_so_that_writing_is_idempotent() {
        let number = "311111111111111150000";
        let value: Value = serde_json::from_str(number).unwrap();
        assert_eq!(to_string(&value), number);
    }

    #[test]
    fn numbers_can_be_kept_as_written() {
        let json = r#"{"b":[12345678901234567890, 0.10, {"<":-0.0}],"a":1e3, "a":1E2, "c":7}"#;
        let value: Value = serde_json::from_str(json).unwrap();
        assert_eq!(
            as_written(&value, json),
            r#"{"a":1E2,"b":[12345678901234567890,0.10,{"\u003c":-0.0}],"c":7}"#
        );
        assert_eq!(
            as_written(&json!({"b": 1, "a": 2}), r#"{"b": 1, "a": 2}"#),
            r#"{"a":2,"b":1}"#
        );
    }

    #[test]
    fn keys_are_sorted_by_bytes_at_every_level() {
        let value = json!({"b": {"z": 1, "a": [{"d": 1, "c": 2}]}, "B": null, "ä": true, "a": "x"});
        assert_eq!(
            to_string(&value),
            r#"{"B":null,"a":"x","b":{"a":[{"c":2,"d":1}],"z":1},"ä":true}"#
        );
    }

    #[test]
    fn escapes_match_those_of_go() {
        let value = json!("<a> & \"b\" \\ / \u{8}\u{c}\n\r\t\u{0}\u{1f}\u{7f}\u{2028}\u{2029}\u{2030}ä😀");
        assert_eq!(
            to_string(&value),
            "\"\\u003ca\\u003e \\u0026 \\\"b\\\" \\\\ / \\b\\f\\n\\r\\t\\u0000\\u001f\u{7f}\\u2028\\u2029\u{2030}ä😀\""
        );
        assert_eq!(to_string(&json!({"<": 1})), r#"{"\u003c":1}"#);
    }

    #[test]
    fn numbers_match_those_of_go() {
        for (number, text) in [
            (json!(1.0), "1"),
            (json!(1e3), "1000"),
            (json!(0.5), "0.5"),
            (json!(1.5e300), "1.5e+300"),
            (json!(1e-7), "1e-7"),
            (json!(1e21), "1e+21"),
            (json!(-0.0), "0"),
            (json!(-16), "-16"),
            (json!(i64::MIN), "-9223372036854775808"),
            (json!(i64::MAX), "9223372036854775807"),
            (json!(u64::MAX), "18446744073709552000"),
        ] {
            assert_eq!(to_string(&number), text);
        }
    }
}
