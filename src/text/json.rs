//! Reads JSON files: one value or a sequence of values, as Go's decoder reads a stream.

use super::events::Style;
use super::limits::Limits;
use super::places::{Builder, Places};
use super::scalar::shortened;
use super::values::{Refusal, Values};
use serde::de::{DeserializeSeed, IgnoredAny};
use serde_json::Value;
use std::ops::Range;

/// A value of a stream.
#[derive(Debug)]
pub(super) struct Loaded {
    pub(super) value: Value,
    /// Whether a key appears twice in a map.
    pub(super) repeated: bool,
    /// The bytes of the value.
    pub(super) span: Range<usize>,
}

/// The reason why a stream ends early.
#[derive(Debug)]
pub(super) enum Problem {
    Syntax { at: usize, message: String },
    TooDeep { at: usize },
}

/// Parses the JSON value at the start of `text[from..]`.
pub(super) fn load(text: &str, from: usize, limits: &Limits) -> Result<Loaded, Problem> {
    let rest = text.get(from..).unwrap_or_default();
    let blanks = rest.len() - rest.trim_start().len();
    let (start, rest) = (from + blanks, &rest[blanks..]);
    // The values have already been counted.
    let values = Values::new(usize::MAX);
    let mut reader = serde_json::Deserializer::from_str(rest);
    reader.disable_recursion_limit();
    let result = values.next(limits.effective_depth()).deserialize(&mut reader);
    let end = reader.into_iter::<IgnoredAny>().byte_offset();
    match result {
        Ok(value) => Ok(Loaded {
            value,
            repeated: values.has_repeated_keys(),
            span: start..start + end,
        }),
        Err(_) if values.refusal() == Some(Refusal::Depth) => Err(Problem::TooDeep { at: start + end }),
        Err(error) => {
            let (at, message) = fault(rest, &error);
            let at = start + at;
            Err(Problem::Syntax { at, message })
        }
    }
}

/// A part of a JSON text that has the form of JSON, but no value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unfit {
    /// The offset of the part.
    pub(crate) at: usize,
    /// Whether the part exceeds the limit on the nesting depth.
    pub(crate) is_too_deep: bool,
    /// The fault.
    pub(crate) problem: String,
}

/// Finds the first part of a JSON text that has no value: nesting beyond a limit, a number that is too large, or half
/// of a surrogate pair. A reader that keeps values as text does not notice these faults, but every later reader fails.
pub(crate) fn unfit(text: &str, depth: usize) -> Option<Unfit> {
    let bytes = text.as_bytes();
    let (mut at, mut open) = (0, 0_usize);
    while let Some(byte) = bytes.get(at) {
        let start = at;
        at += 1;
        match byte {
            b'{' | b'[' => {
                open += 1;
                if open > depth {
                    return Some(Unfit {
                        at: start,
                        is_too_deep: true,
                        problem: too_deep(depth),
                    });
                }
            }
            b'}' | b']' => open = open.saturating_sub(1),
            b'"' => match string_end(text, at) {
                Ok(end) => at = end,
                Err(unfit) => return Some(unfit),
            },
            b'-' | b'0'..=b'9' => {
                let is_part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
                at += bytes.iter().skip(at).take_while(|byte| is_part(byte)).count();
                let number = text.get(start..at).unwrap_or_default();
                if number.parse().is_ok_and(f64::is_infinite) {
                    return Some(Unfit {
                        at: start,
                        is_too_deep: false,
                        problem: format!("the number {} is too large", shortened(number)),
                    });
                }
            }
            _ => {}
        }
    }
    None
}

/// Returns the offset after the string whose content begins at `at`, unless it contains half of a surrogate pair.
fn string_end(text: &str, mut at: usize) -> Result<usize, Unfit> {
    let bytes = text.as_bytes();
    let unit = |at: usize| {
        let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    loop {
        let rest = bytes.get(at..).unwrap_or_default();
        let Some(found) = memchr::memchr2(b'"', b'\\', rest) else {
            return Ok(bytes.len());
        };
        at += found;
        if bytes.get(at) == Some(&b'"') {
            return Ok(at + 1);
        }
        at += match (unit(at), unit(at + 6)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 12,
            (Some(0xD800..=0xDFFF), _) => {
                let escape = text.get(at..at + 6).unwrap_or_default();
                return Err(Unfit {
                    at,
                    is_too_deep: false,
                    problem: format!("{escape} is not a character, but half of a surrogate pair"),
                });
            }
            _ => 2,
        };
    }
}

/// Returns the message about nesting beyond a limit.
pub(super) fn too_deep(depth: usize) -> String {
    format!("lists and maps are nested more than {depth} deep")
}

/// Returns the byte that an error refers to, and the message of the error without its position.
pub(crate) fn fault(text: &str, error: &serde_json::Error) -> (usize, String) {
    let message = error.to_string();
    let message = match message.rsplit_once(" at line ") {
        Some((message, _)) if error.line() > 0 => message,
        _ => &*message,
    };
    let at = offset(text, error);
    let before = text.get(..at).unwrap_or_default().trim_end();
    if before.ends_with(',') && text.get(at..).unwrap_or_default().starts_with([']', '}']) {
        return (before.len() - 1, "no value follows the comma".to_owned());
    }
    (at, message.to_owned())
}

/// Returns the byte that an error refers to; `serde_json` reports its line and its byte in that line.
fn offset(text: &str, error: &serde_json::Error) -> usize {
    let skipped = error.line().saturating_sub(1);
    let line = match skipped {
        0 => 0,
        _ => text
            .match_indices('\n')
            .nth(skipped - 1)
            .map_or(text.len(), |(at, _)| at + 1),
    };
    let mut at = (line + error.column().saturating_sub(1)).min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Returns the places of the keys and values in a JSON text that has already been parsed.
pub(super) fn places(text: &str) -> Places {
    let mut builder = Builder::default();
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let start = at;
        at += 1;
        match byte {
            b'{' | b'[' => builder.open(*byte == b'{', start..at),
            b'}' | b']' => {
                builder.close(Some(at));
            }
            b'"' => {
                while let Some(byte) = bytes.get(at) {
                    at += if *byte == b'\\' { 2 } else { 1 };
                    if *byte == b'"' {
                        break;
                    }
                }
                builder.scalar(start..at, Style::DoubleQuoted, || {
                    let written = text.get(start..at).unwrap_or_default();
                    serde_json::from_str(written).unwrap_or_default()
                });
            }
            byte if byte.is_ascii_whitespace() || matches!(byte, b',' | b':') => {}
            _ => {
                let word = |byte: &u8| !byte.is_ascii_whitespace() && !b",:[]{}\"".contains(byte);
                while bytes.get(at).is_some_and(word) {
                    at += 1;
                }
                builder.scalar(start..at, Style::Plain, String::new);
            }
        }
    }
    builder.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_value_is_located_where_a_value_parser_fails() {
        for (text, fault) in [
            (r#"{"a": [1e400]}"#, Some((7, "the number 1e400 is too large"))),
            (r#"{"a": [1e308, -1.5, 0]}"#, None),
            (
                r#"["\ud83d\ude00", "\\ud800", "\ud800"]"#,
                Some((29, "\\ud800 is not a character, but half of a surrogate pair")),
            ),
            (
                r#"{"\udc00": 1}"#,
                Some((2, "\\udc00 is not a character, but half of a surrogate pair")),
            ),
            (r#"["[[[[", [[]]]"#, None),
            ("[[[[]]]]", Some((3, "lists and maps are nested more than 3 deep"))),
        ] {
            let found = unfit(text, 3).map(|unfit| (unfit.at, unfit.problem));
            assert_eq!(found, fault.map(|(at, problem)| (at, problem.to_owned())), "{text}");
            let is_read = serde_json::from_str::<Value>(text).is_ok();
            assert_eq!(
                is_read,
                fault.is_none_or(|(_, problem)| problem.contains("nested")),
                "{text}"
            );
        }
        for (depth, is_read) in [(127, true), (128, false)] {
            let nested = "[".repeat(depth) + &"]".repeat(depth);
            assert_eq!(serde_json::from_str::<Value>(&nested).is_ok(), is_read);
            assert_eq!(unfit(&nested, 127).is_none(), is_read);
        }
    }
}
