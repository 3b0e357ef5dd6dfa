//! Interprets scalars by their text, tag and style, as go-yaml does.

use super::canonical;
use super::number::float_key;
use super::resolve::{Plain, resolve};
use base64::Engine;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use serde_json::Value;
use std::borrow::Cow;

/// The prefix that `!!` stands for.
const YAML_TAGS: &str = "tag:yaml.org,2002:";

const BASE64: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::RequireCanonical)
        .with_decode_allow_trailing_bits(true),
);

/// A scalar with its meaning.
#[derive(Debug, PartialEq)]
pub(super) enum Scalar<'text> {
    /// A scalar typed by its tag or its plain text; never [`Plain::Text`].
    Typed(Plain),
    Text(Cow<'text, str>),
}

/// The reason why JSON cannot represent a scalar, as a sentence.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Meaningless(pub(super) String);

/// Returns the meaning of a scalar; `implicit` means that only the text determines the type.
pub(super) fn scalar<'text>(text: &'text str, tag: Option<&str>, implicit: bool) -> Result<Scalar<'text>, Meaningless> {
    let Some(tag) = tag else {
        if !implicit {
            return Ok(Scalar::Text(Cow::Borrowed(text)));
        }
        return Ok(match resolve(text) {
            Plain::Text => Scalar::Text(Cow::Borrowed(text)),
            typed => Scalar::Typed(typed),
        });
    };
    let Some(kind) = tag.strip_prefix(YAML_TAGS) else {
        return Ok(Scalar::Text(Cow::Borrowed(text)));
    };
    let typed = match kind {
        "binary" => return binary(text).map(|text| Scalar::Text(Cow::Owned(text))),
        "int" | "float" | "bool" | "null" | "timestamp" => resolve(text),
        _ => return Ok(Scalar::Text(Cow::Borrowed(text))),
    };
    match (kind, typed) {
        ("timestamp", Plain::Text) => Ok(Scalar::Text(Cow::Borrowed(text))),
        #[expect(clippy::cast_precision_loss, reason = "requested by an explicit !!float")]
        ("float", Plain::Int(value)) => Ok(Scalar::Typed(Plain::Float(value as f64))),
        ("int", Plain::Int(_) | Plain::Unsigned(_))
        | ("float", Plain::Float(_))
        | ("bool", Plain::Bool(_))
        | ("null", Plain::Null) => Ok(Scalar::Typed(typed)),
        _ => Err(Meaningless(format!(
            "the value is tagged !!{kind}, but `{}` is {}",
            shortened(text),
            described(typed)
        ))),
    }
}

fn described(plain: Plain) -> &'static str {
    match plain {
        Plain::Null => "null",
        Plain::Bool(_) => "a boolean",
        Plain::Int(_) | Plain::Unsigned(_) => "an integer",
        Plain::Float(_) => "a float",
        Plain::Text => "a string",
    }
}

/// Shortens a string for use in a message.
pub(super) fn shortened(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(60) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// Returns a value as one line, shortened for use in a message.
pub(crate) fn short_value(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.replace('\n', " "),
        other => canonical::to_string(other),
    };
    shortened(&text).into_owned()
}

/// Decodes base64 to text, with U+FFFD for every byte that is not UTF-8, as Go's JSON writer does.
fn binary(text: &str) -> Result<String, Meaningless> {
    let digits: String = text.chars().filter(|digit| !matches!(digit, '\r' | '\n')).collect();
    let bytes = BASE64
        .decode(digits)
        .map_err(|_| Meaningless("the value is tagged !!binary, but is not base64".to_owned()))?;
    let mut decoded = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        decoded.push_str(chunk.valid());
        decoded.extend(chunk.invalid().iter().map(|_| '\u{FFFD}'));
    }
    Ok(decoded)
}

impl Scalar<'_> {
    /// Converts the scalar into a value.
    pub(super) fn into_value(self) -> Result<Value, Meaningless> {
        Ok(match self {
            Self::Text(text) => Value::String(text.into_owned()),
            Self::Typed(Plain::Bool(value)) => Value::Bool(value),
            Self::Typed(Plain::Int(value)) => Value::from(value),
            Self::Typed(Plain::Unsigned(value)) => Value::from(value),
            Self::Typed(Plain::Float(value)) => {
                serde_json::Number::from_f64(value).map(Value::Number).ok_or_else(|| {
                    Meaningless("the value is infinite or not a number, which JSON cannot represent".to_owned())
                })?
            }
            Self::Typed(Plain::Null | Plain::Text) => Value::Null,
        })
    }

    /// Converts the scalar into a map key, which is always a string. Null and integers above `i64::MAX` cannot be keys.
    pub(super) fn into_key(self) -> Result<String, Meaningless> {
        Ok(match self {
            Self::Text(text) => text.into_owned(),
            Self::Typed(Plain::Bool(value)) => value.to_string(),
            Self::Typed(Plain::Int(value)) => value.to_string(),
            Self::Typed(Plain::Float(value)) => float_key(value),
            Self::Typed(Plain::Unsigned(_)) => {
                return Err(Meaningless("a key is above the range of 64-bit integers".to_owned()));
            }
            Self::Typed(Plain::Null | Plain::Text) => return Err(Meaningless("a key is null".to_owned())),
        })
    }
}

/// Returns whether a key merges the entries of another map.
pub(super) fn is_merge(text: &str, tag: Option<&str>, implicit: bool) -> bool {
    text == "<<" && (implicit || tag.and_then(|tag| tag.strip_prefix(YAML_TAGS)) == Some("merge"))
}

/// Returns the key that an alias stands for if it repeats this value.
pub(super) fn value_key(value: &Value) -> Result<String, Meaningless> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Bool(value) => Ok(value.to_string()),
        Value::Number(number) => {
            let scalar = if let Some(value) = number.as_i64() {
                Plain::Int(value)
            } else if let Some(value) = number.as_u64() {
                Plain::Unsigned(value)
            } else {
                Plain::Float(number.as_f64().unwrap_or_default())
            };
            Scalar::Typed(scalar).into_key()
        }
        Value::Null => Scalar::Typed(Plain::Null).into_key(),
        Value::Array(_) | Value::Object(_) => Err(Meaningless("a key is a list or a map".to_owned())),
    }
}
