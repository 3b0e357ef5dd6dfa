//! One document of a catalog as it was read: nothing of it is lost, whatever its schema.

use super::{Deprecation, RelatedImage, Schema, WrittenEntry, WrittenProperty};
use serde::de::{self, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

/// The fields of a document in the order of the text, their values as they are written.
#[derive(Debug, Clone)]
pub struct Document {
    fields: Vec<(String, Box<RawValue>)>,
}

impl Document {
    /// Reads a JSON object.
    ///
    /// # Errors
    /// When it is none, or has a field twice.
    pub(crate) fn from_json(json: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(json)
    }

    /// The value of a field, as it is written.
    pub fn field(&self, name: &str) -> Option<&RawValue> {
        let found = self.fields.iter().find(|(field, _)| field == name);
        found.map(|(_, value)| &**value)
    }

    /// The value of a field that is a string; empty where it is not, or not there.
    pub fn text(&self, name: &str) -> String {
        let value = self.field(name).map(|value| serde_json::from_str(value.get()));
        value.and_then(Result::ok).unwrap_or_default()
    }

    /// Its schema; none where it does not say one.
    pub fn schema(&self) -> Option<Schema> {
        let name = self.text("schema");
        (!name.is_empty()).then(|| Schema::from(name))
    }

    /// The package that it belongs to; a package belongs to itself. Empty where it says none.
    pub fn package(&self) -> String {
        self.text(match self.schema() {
            Some(Schema::Package) => "name",
            _ => "package",
        })
    }

    /// The bundles of a channel with their edges; none where there is no such field.
    ///
    /// # Errors
    /// When the field is something else.
    pub fn entries(&self) -> Result<Vec<WrittenEntry>, serde_json::Error> {
        list(self.field("entries"))
    }

    /// What the deprecations of a package are about; none where there is no such field.
    ///
    /// # Errors
    /// When the field is something else.
    pub fn deprecations(&self) -> Result<Vec<Deprecation>, serde_json::Error> {
        list(self.field("entries"))
    }

    /// The properties; none where there is no such field.
    ///
    /// # Errors
    /// When the field is something else.
    pub fn properties(&self) -> Result<Vec<WrittenProperty<'_>>, serde_json::Error> {
        properties(self.field("properties"))
    }

    /// The images that a bundle needs; none where there is no such field.
    ///
    /// # Errors
    /// When the field is something else.
    pub fn related_images(&self) -> Result<Vec<RelatedImage>, serde_json::Error> {
        list(self.field("relatedImages"))
    }

    /// The same document with another value of a field, in the place of the old one.
    #[must_use]
    pub fn with(mut self, name: &str, value: Box<RawValue>) -> Self {
        match self.fields.iter_mut().find(|(field, _)| field == name) {
            Some((_, old)) => *old = value,
            None => self.fields.push((name.to_owned(), value)),
        }
        self
    }

    /// The same document without the fields of which `goes` says so, by name and value.
    #[must_use]
    pub(super) fn without(mut self, goes: impl Fn(&str, &RawValue) -> bool) -> Self {
        self.fields.retain(|(name, value)| !goes(name, value));
        self
    }

    /// The same document with its fields in another order; those of one place stay in theirs.
    #[must_use]
    pub(super) fn sorted_by(mut self, place: impl Fn(&str) -> usize) -> Self {
        self.fields.sort_by_key(|(name, _)| place(name));
        self
    }

    /// The first field of its schema whose value is of a wrong type, as a sentence. Null is no value.
    pub(super) fn wrong_type(&self) -> Option<String> {
        let schema = self.schema()?;
        schema.fields().iter().find_map(|name| {
            let expected = match *name {
                "entries" | "properties" | "relatedImages" => "a list",
                "icon" => "a map",
                _ => "a string",
            };
            let kind = kind(self.field(name)?);
            let unquoted = expected == "a string" && matches!(kind, "true or false" | "a number");
            let hint = if unquoted { "; write it in quotes" } else { "" };
            (kind != expected && kind != "empty").then(|| format!("{name} is {kind}, not {expected}{hint}"))
        })
    }

    /// The names of the fields that its schema does not know.
    pub(crate) fn unknown_fields(&self) -> impl Iterator<Item = &str> {
        let known = self.schema().map_or(&[][..], |schema| schema.fields());
        let names = self.fields.iter().map(|(name, _)| &**name);
        names.filter(|name| !known.contains(name))
    }

    /// The fields in the order in which they are written: first those that the schema knows.
    fn ordered(&self) -> Vec<&(String, Box<RawValue>)> {
        let mut fields: Vec<_> = self.fields.iter().collect();
        // The others stay as their authors wrote them.
        if let Some(schema @ (Schema::Package | Schema::Channel | Schema::Bundle)) = self.schema() {
            let known = schema.fields();
            let place = |name: &str| known.iter().position(|known| *known == name).unwrap_or(known.len());
            fields.sort_by_key(|(name, _)| place(name));
        }
        fields
    }
}

/// What a value is, for a sentence.
pub(super) fn kind(value: &RawValue) -> &'static str {
    match value.get().as_bytes().first() {
        Some(b'"') => "a string",
        Some(b'{') => "a map",
        Some(b'[') => "a list",
        Some(b't' | b'f') => "true or false",
        Some(b'n') => "empty",
        _ => "a number",
    }
}

/// The items of a field that is a list; none where it is not there, or null.
fn list<'a, T: Deserialize<'a>>(field: Option<&'a RawValue>) -> Result<Vec<T>, serde_json::Error> {
    let items: Option<Vec<T>> = field.map_or(Ok(None), |field| serde_json::from_str(field.get()))?;
    Ok(items.unwrap_or_default())
}

/// The properties in a field. One without a type has an empty one, one without a value has null.
pub(super) fn properties<'a>(field: Option<&'a RawValue>) -> Result<Vec<WrittenProperty<'a>>, serde_json::Error> {
    #[derive(Deserialize)]
    struct Written<'a> {
        #[serde(rename = "type", default, borrow)]
        kind: Option<Cow<'a, str>>,
        #[serde(borrow)]
        value: Option<&'a RawValue>,
    }
    let written: Vec<Written<'_>> = list(field)?;
    let property = |Written { kind, value }: Written<'a>| {
        WrittenProperty::new(kind.unwrap_or_default(), value.unwrap_or(RawValue::NULL))
    };
    Ok(written.into_iter().map(property).collect())
}

impl Serialize for Document {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.fields.len()))?;
        for (name, value) in self.ordered() {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Document {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = Document;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Document, A::Error> {
                let mut fields: Vec<(String, Box<RawValue>)> = Vec::new();
                let mut known = HashSet::new();
                while let Some((name, value)) = map.next_entry::<String, Box<RawValue>>()? {
                    if !known.insert(name.clone()) {
                        return Err(de::Error::custom(format_args!("the field {name:?} stands twice")));
                    }
                    fields.push((name, value));
                }
                Ok(Document { fields })
            }
        }
        deserializer.deserialize_map(Fields)
    }
}

#[cfg(test)]
mod tests {
    use super::super::write::{Language, write};
    use super::*;

    fn written(json: &str) -> String {
        let mut out = Vec::new();
        let document = Document::from_json(json).unwrap();
        write(&document, Language::Json, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn known_fields_come_first_and_unknown_ones_stay() {
        let json = r#"{"x": 1.50, "entries": [], "package": "p", "name": "c", "schema": "olm.channel", "w": "\u003c"}"#;
        assert_eq!(
            written(json),
            "{\n    \"schema\": \"olm.channel\",\n    \"name\": \"c\",\n    \"package\": \"p\",\n    \"entries\": [],\n    \"x\": 1.50,\n    \"w\": \"\\u003c\"\n}\n"
        );
    }

    #[test]
    fn documents_of_other_schemas_are_left_as_they_are() {
        assert_eq!(
            written(r#"{"name":"n","schema":"other"}"#),
            "{\n    \"name\": \"n\",\n    \"schema\": \"other\"\n}\n"
        );
    }

    #[test]
    fn a_field_that_stands_twice_is_refused() {
        let error = Document::from_json(r#"{"schema":"a","schema":"b"}"#).unwrap_err();
        assert!(error.to_string().contains("\"schema\" stands twice"), "{error}");
        assert!(Document::from_json("[]").is_err());
    }
}
