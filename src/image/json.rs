//! JSON documents of images: manifests, image indexes and configs.
//!
//! Most tools for images are written in Go, whose decoder matches the names of fields without regard to case, and
//! merges repeated fields. A document that such a tool would read as another image is rejected.

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use std::fmt;

/// The names of the fields of an object, each with the fields of the objects in it.
type Fields = &'static [(&'static str, Inside)];

#[derive(Clone, Copy)]
enum Inside {
    /// Something else than an object with fields, such as a string, or a map with arbitrary keys.
    Plain,
    /// An object with these fields, or a list of such objects.
    Objects(Fields),
}

use Inside::{Objects, Plain};

const PLATFORM: Fields = &[
    ("architecture", Plain),
    ("os", Plain),
    ("os.version", Plain),
    ("os.features", Plain),
    ("variant", Plain),
];
const DESCRIPTOR: Fields = &[
    ("mediaType", Plain),
    ("digest", Plain),
    ("size", Plain),
    ("annotations", Plain),
    ("artifactType", Plain),
    ("platform", Objects(PLATFORM)),
];
/// The fields of manifests and of image indexes.
const MANIFEST: Fields = &[
    ("schemaVersion", Plain),
    ("mediaType", Plain),
    ("artifactType", Plain),
    ("config", Objects(DESCRIPTOR)),
    ("layers", Objects(DESCRIPTOR)),
    ("manifests", Objects(DESCRIPTOR)),
    ("subject", Objects(DESCRIPTOR)),
    ("annotations", Plain),
];
const CONFIG: Fields = &[
    ("architecture", Plain),
    ("os", Plain),
    ("variant", Plain),
    ("rootfs", Objects(&[("type", Plain), ("diff_ids", Plain)])),
    (
        "config",
        Objects(&[
            ("User", Plain),
            ("Env", Plain),
            ("Entrypoint", Plain),
            ("Cmd", Plain),
            ("WorkingDir", Plain),
            ("Labels", Plain),
        ]),
    ),
];

/// Parses a manifest or an image index.
///
/// # Errors
/// Returns an error if the bytes are not JSON, or ambiguous.
pub(super) fn manifest(bytes: &[u8]) -> Result<Value, serde_json::Error> {
    read(bytes, MANIFEST)
}

/// Parses the config of an image.
///
/// # Errors
/// Returns an error if the bytes are not JSON, or ambiguous.
pub(super) fn config(bytes: &[u8]) -> Result<Value, serde_json::Error> {
    read(bytes, CONFIG)
}

fn read(bytes: &[u8], fields: Fields) -> Result<Value, serde_json::Error> {
    let Unrepeated(value) = serde_json::from_slice(bytes)?;
    check(&value, fields)?;
    Ok(value)
}

/// Checks that no key is that of a field in another case.
fn check(value: &Value, fields: Fields) -> Result<(), serde_json::Error> {
    match value {
        Value::Array(items) => items.iter().try_for_each(|item| check(item, fields)),
        Value::Object(map) => map.iter().try_for_each(|(key, value)| {
            let field = fields.iter().find(|(name, _)| is_folded(key, name));
            match field {
                Some((name, _)) if name != key => Err(Error::custom(format_args!(
                    "the key {key:?} is ambiguous, because some tools read it as {name:?}"
                ))),
                Some((_, Objects(fields))) => check(value, fields),
                _ => Ok(()),
            }
        }),
        _ => Ok(()),
    }
}

/// Whether Go's decoder takes a key for a field. Two characters outside ASCII also fold to letters.
fn is_folded(key: &str, field: &str) -> bool {
    let fold = |character: char| match character {
        '\u{17f}' => 's',
        '\u{212a}' => 'k',
        other => other.to_ascii_lowercase(),
    };
    key.chars().map(fold).eq(field.chars().map(fold))
}

/// A JSON value in which no key of an object is repeated.
struct Unrepeated(Value);

impl<'de> Deserialize<'de> for Unrepeated {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue).map(Self)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut all = Vec::new();
        while let Some(Unrepeated(item)) = items.next_element()? {
            all.push(item);
        }
        Ok(all.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut all = Map::new();
        while let Some(key) = map.next_key::<String>()? {
            if all.contains_key(&key) {
                return Err(Error::custom(format_args!("the key {key:?} is repeated")));
            }
            let Unrepeated(value) = map.next_value()?;
            all.insert(key, value);
        }
        Ok(all.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn keys_that_go_takes_for_other_fields_are_rejected() {
        let error = |text: &str| manifest(text.as_bytes()).unwrap_err().to_string();
        for (text, key) in [
            (r#"{"layers": [], "Layers": []}"#, "Layers"),
            (r#"{"Layers": []}"#, "Layers"),
            (r#"{"layer\u017f": []}"#, "layer\u{17f}"),
            (r#"{"config": {"Digest": "a"}}"#, "Digest"),
            (r#"{"manifests": [{"platform": {"OS": "linux"}}]}"#, "OS"),
        ] {
            assert!(
                error(text).contains(&format!("the key {key:?} is ambiguous")),
                "{}",
                error(text)
            );
        }
        let of_config = config(br#"{"config": {"labels": {}}}"#).unwrap_err().to_string();
        assert!(of_config.contains(r#"some tools read it as "Labels""#), "{of_config}");
    }

    #[test]
    fn repeated_keys_are_rejected_at_any_depth() {
        for text in [r#"{"layers": [], "layers": []}"#, r#"{"x": [{"a": {"b": 1, "b": 1}}]}"#] {
            let error = manifest(text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains("is repeated at line 1"), "{error}");
        }
    }

    #[test]
    fn labels_annotations_and_other_keys_are_free() {
        let text = r#"{"annotations": {"size": "1", "Size": "2"}, "layers": [{"annotations": {"OS": "x"}}], "Foo": -1, "foo": 1.5}"#;
        let expected = json!({"annotations": {"size": "1", "Size": "2"}, "layers": [{"annotations": {"OS": "x"}}],
            "Foo": -1, "foo": 1.5});
        assert_eq!(manifest(text.as_bytes()).unwrap(), expected);
        let labels = json!({"config": {"Labels": {"User": "a", "user": "b"}}, "container_config": {"cmd": null}});
        assert_eq!(config(labels.to_string().as_bytes()).unwrap(), labels);
    }
}
