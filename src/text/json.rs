//! Reads JSON files: one value or a sequence of values, as Go's decoder reads a stream.

use super::events::Style;
use super::limits::Limits;
use super::places::{Builder, Places};
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
            let message = error.to_string();
            let message = message
                .rsplit_once(" at line ")
                .map_or(&*message, |(message, _)| message);
            Err(Problem::Syntax {
                at: start + offset(rest, &error),
                message: message.to_owned(),
            })
        }
    }
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
