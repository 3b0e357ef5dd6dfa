//! JSON files: one value or several behind one another, as Go's decoder reads a stream.

use super::events::Style;
use super::limits::Limits;
use super::places::{Builder, Places};
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use std::cell::Cell;
use std::fmt;
use std::ops::Range;

/// One value of a stream.
#[derive(Debug)]
pub(super) struct Loaded {
    pub(super) value: Value,
    /// Some key of some map stands twice.
    pub(super) repeated: bool,
    /// The bytes it stands on.
    pub(super) span: Range<usize>,
}

/// Why a stream ends early.
#[derive(Debug)]
pub(super) enum Problem {
    Syntax { at: usize, message: String },
    TooDeep { at: usize },
}

/// The value at the beginning of `text[from..]`.
pub(super) fn load(text: &str, from: usize, limits: &Limits) -> Result<Loaded, Problem> {
    let rest = text.get(from..).unwrap_or_default();
    let blanks = rest.len() - rest.trim_start().len();
    let (start, rest) = (from + blanks, &rest[blanks..]);
    let state = State {
        repeated: Cell::new(false),
        too_deep: Cell::new(false),
    };
    let mut reader = serde_json::Deserializer::from_str(rest);
    reader.disable_recursion_limit();
    let seed = Seed {
        state: &state,
        depth: limits.effective_depth(),
    };
    let result = seed.deserialize(&mut reader);
    let end = reader.into_iter::<IgnoredAny>().byte_offset();
    match result {
        Ok(value) => Ok(Loaded {
            value,
            repeated: state.repeated.get(),
            span: start..start + end,
        }),
        Err(_) if state.too_deep.get() => Err(Problem::TooDeep { at: start + end }),
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

/// `serde_json` counts lines and the bytes of the last one.
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

struct State {
    repeated: Cell<bool>,
    too_deep: Cell<bool>,
}

/// Reads a value with at most `depth` lists and maps inside one another.
#[derive(Clone, Copy)]
struct Seed<'state> {
    state: &'state State,
    depth: usize,
}

impl Seed<'_> {
    fn inside<E: Error>(mut self) -> Result<Self, E> {
        let Some(depth) = self.depth.checked_sub(1) else {
            self.state.too_deep.set(true);
            return Err(E::custom("too deep"));
        };
        self.depth = depth;
        Ok(self)
    }
}

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let inside = self.inside()?;
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(inside)? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let inside = self.inside()?;
        let mut map = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            if map.insert(key, entries.next_value_seed(inside)?).is_some() {
                self.state.repeated.set(true);
            }
        }
        Ok(Value::Object(map))
    }
}

/// The places of a JSON text that was read before.
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
