//! One document of a catalog as read, with all of its fields, whatever its schema.

use super::schema::ListField;
use super::{Deprecation, RelatedImage, Schema, WrittenEntry, WrittenProperty};
use serde::de::{self, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};
use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;

/// The fields of a document in the order of the text, with their values as written.
///
/// As in Go, the last value of a repeated field counts, and the names of fields that OLM reads may have any
/// capitalization.
#[derive(Debug, Clone)]
pub struct Document {
    fields: Vec<Field>,
}

impl Document {
    /// Reads a JSON object.
    ///
    /// # Errors
    /// Returns an error if the text is not a JSON object.
    pub(crate) fn from_json(json: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(json)
    }

    /// Returns the value of a field, as written.
    pub fn field(&self, name: &str) -> Option<&RawValue> {
        // The fields of other schemas keep their capitalization, but their schema, package and name are also read.
        let mut found = self.fields.iter().rev();
        let (_, value) = found.find(|(field, _)| field.eq_ignore_ascii_case(name))?;
        Some(value)
    }

    /// Returns the value of a string field; empty if the field is absent or has the wrong type.
    pub fn text(&self, name: &str) -> String {
        let value = self.field(name).map(|value| serde_json::from_str(value.get()));
        value.and_then(Result::ok).unwrap_or_default()
    }

    /// Returns the schema, or `None` if the document has none.
    pub fn schema(&self) -> Option<Schema> {
        let name = self.text("schema");
        (!name.is_empty()).then(|| Schema::from(name))
    }

    /// Returns the package that the document belongs to; a package belongs to itself. Empty if the document names none.
    pub fn package(&self) -> String {
        self.text(match self.schema() {
            Some(Schema::Package) => "name",
            _ => "package",
        })
    }

    /// Returns the bundles of a channel with their edges; empty if the field `entries` is absent.
    ///
    /// # Errors
    /// Returns an error if the field has the wrong type.
    pub fn entries(&self) -> Result<Vec<WrittenEntry>, serde_json::Error> {
        list(self.field("entries"), &["name", "replaces", "skipRange"])
    }

    /// Returns the deprecated items of a package; empty if the field `entries` is absent.
    ///
    /// # Errors
    /// Returns an error if the field has the wrong type.
    pub fn deprecations(&self) -> Result<Vec<Deprecation>, serde_json::Error> {
        list(self.field("entries"), &["message"])
    }

    /// Returns the properties; empty if the field `properties` is absent.
    ///
    /// # Errors
    /// Returns an error if the field has the wrong type.
    pub fn properties(&self) -> Result<Vec<WrittenProperty<'_>>, serde_json::Error> {
        properties(self.field("properties"))
    }

    /// Returns the images that a bundle needs; empty if the field `relatedImages` is absent.
    ///
    /// # Errors
    /// Returns an error if the field has the wrong type.
    pub fn related_images(&self) -> Result<Vec<RelatedImage>, serde_json::Error> {
        list(self.field("relatedImages"), &["name", "image"])
    }

    /// Returns the document with a new value for a field. An existing field keeps its position; a new field is added at
    /// the end.
    #[must_use]
    pub fn with(mut self, name: &str, value: Box<RawValue>) -> Self {
        match self.fields.iter_mut().find(|(field, _)| field == name) {
            Some((_, old)) => *old = value,
            None => self.fields.push((name.to_owned(), value)),
        }
        self
    }

    /// Returns the document without the fields for which `goes` returns `true`.
    #[must_use]
    pub(super) fn without(mut self, goes: impl Fn(&str, &RawValue) -> bool) -> Self {
        self.fields.retain(|(name, value)| !goes(name, value));
        self
    }

    /// Returns the document with its fields sorted by `place`; fields with the same place keep their order.
    #[must_use]
    pub(super) fn sorted_by(mut self, place: impl Fn(&str) -> usize) -> Self {
        self.fields.sort_by_key(|(name, _)| place(name));
        self
    }

    /// Returns a message about the first field that OLM reads and whose value has the wrong type. A null value is
    /// treated as absent.
    pub(super) fn wrong_type(&self) -> Option<String> {
        let schema = self.schema().filter(Schema::is_of_olm)?;
        schema.fields().iter().find_map(|name| {
            let expected = match *name {
                "entries" | "properties" | "relatedImages" => "a list",
                "icon" => "a map",
                _ => "a string",
            };
            let kind = kind(self.field(name)?);
            let unquoted = expected == "a string" && matches!(kind, "true or false" | "a number");
            let hint = if unquoted { "; quote it" } else { "" };
            (kind != expected && kind != "empty").then(|| format!("{name} is {kind}, not {expected}{hint}"))
        })
    }

    /// Gives the fields that OLM reads the capitalization of the schema, also inside lists and the icon.
    fn with_known_names(mut self) -> Self {
        let Some(schema) = self.schema().filter(Schema::is_of_olm) else {
            return self;
        };
        rename(&mut self.fields, schema.fields());
        for (name, value) in &mut self.fields {
            let renamed = match schema.lists().iter().find(|list| list.name == name) {
                Some(list) => renamed_items(value, list),
                None if name == "icon" => renamed_fields(value, ICON),
                None => None,
            };
            if let Some(renamed) = renamed {
                *value = renamed;
            }
        }
        self
    }

    /// Returns the names of the fields that the schema does not define.
    pub(crate) fn unknown_fields(&self) -> impl Iterator<Item = &str> {
        let known = self.schema().map_or(&[][..], |schema| schema.fields());
        let names = self.fields.iter().map(|(name, _)| &**name);
        names.filter(|name| !known.contains(name))
    }

    /// Returns the fields in output order, beginning with those of the schema.
    fn ordered(&self) -> Vec<&(String, Box<RawValue>)> {
        let mut fields: Vec<_> = self.fields.iter().collect();
        // Documents of all other schemas keep the order of their fields.
        if let Some(schema) = self.schema().filter(|schema| schema.omitted().is_some()) {
            let known = schema.fields();
            let place = |name: &str| known.iter().position(|known| *known == name).unwrap_or(known.len());
            fields.sort_by_key(|(name, _)| place(name));
        }
        fields
    }
}

/// The fields of an icon.
const ICON: &[&str] = &["base64data", "mediatype"];

type Field = (String, Box<RawValue>);

/// Returns the name that a field has in the schema, if it differs only in case.
pub(super) fn known_name(name: &str, known: &[&'static str]) -> Option<&'static str> {
    known.iter().copied().find(|known| known.eq_ignore_ascii_case(name))
}

/// Gives fields the capitalization of the known names. If two names differ only in case, the last value counts.
fn rename(fields: &mut Vec<Field>, known: &[&'static str]) {
    if fields
        .iter()
        .all(|(name, _)| known_name(name, known).is_none_or(|known| known == name))
    {
        return;
    }
    let mut places = HashMap::new();
    for (name, value) in std::mem::take(fields) {
        let Some(known) = known_name(&name, known) else {
            fields.push((name, value));
            continue;
        };
        let place = *places.entry(known).or_insert(fields.len());
        match fields.get_mut(place) {
            Some((_, earlier)) => *earlier = value,
            None => fields.push((known.to_owned(), value)),
        }
    }
}

/// Returns an object with the capitalization of the known names; `None` if nothing changes.
fn renamed_fields(object: &RawValue, known: &[&'static str]) -> Option<Box<RawValue>> {
    if !may_be_miswritten(object.get(), &known.iter().copied()) {
        return None;
    }
    let Fields(mut fields) = serde_json::from_str(object.get()).ok()?;
    rename(&mut fields, known);
    to_raw_value(&Document { fields }).ok()
}

/// Like [`renamed_fields`], for the objects in a list and the objects inside them.
fn renamed_items(list: &RawValue, of: &ListField) -> Option<Box<RawValue>> {
    if !may_be_miswritten(list.get(), &of.names()) {
        return None;
    }
    let items: Vec<&RawValue> = serde_json::from_str(list.get()).ok()?;
    let renamed: Vec<_> = items.iter().map(|item| renamed_item(item, of)).collect();
    if renamed.iter().all(Option::is_none) {
        return None;
    }
    let items = items.into_iter().zip(renamed);
    let items = items.map(|(item, renamed)| renamed.map_or(Cow::Borrowed(item), Cow::Owned));
    to_raw_value(&items.collect::<Vec<_>>()).ok()
}

fn renamed_item(item: &RawValue, of: &ListField) -> Option<Box<RawValue>> {
    let renamed = renamed_fields(item, of.fields);
    let item = renamed.as_deref().unwrap_or(item);
    let inside = || {
        let Fields(mut fields) = serde_json::from_str(item.get()).ok()?;
        let value = |name: &str| fields.iter().position(|(field, _)| field == name);
        let kind = value("type").and_then(|place| serde_json::from_str(fields.get(place)?.1.get()).ok());
        let (name, known) = of.inside(&kind.unwrap_or_else(String::new))?;
        let (_, value) = value(name).and_then(|place| fields.get_mut(place))?;
        *value = renamed_fields(value, known)?;
        to_raw_value(&Document { fields }).ok()
    };
    inside().or(renamed)
}

/// Returns whether a document contains a known name in another capitalization, as a key or a string, or a letter that
/// is written as an escape. The check is quick, because nearly all documents have neither.
fn may_be_miswritten(json: &str, known: &(impl Iterator<Item = &'static str> + Clone)) -> bool {
    let bytes = json.as_bytes();
    let letter = |escape: usize| bytes.get(escape + 4).is_some_and(|digit| (b'4'..=b'7').contains(digit));
    if memchr::memmem::find_iter(bytes, b"\\u00").any(letter) {
        return true;
    }
    memchr::memchr_iter(b'"', bytes).any(|quote| {
        let rest = bytes.get(quote + 1..).unwrap_or_default();
        known.clone().any(|name| {
            let written = rest.get(..name.len()).filter(|_| rest.get(name.len()) == Some(&b'"'));
            written.is_some_and(|written| written.eq_ignore_ascii_case(name.as_bytes()) && written != name.as_bytes())
        })
    })
}

/// Returns the type of a value, as a noun phrase for messages.
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

/// Returns the items of a list field, which are maps with the strings `texts`; empty if the field is absent or null.
fn list<'a, T: Deserialize<'a>>(field: Option<&'a RawValue>, texts: &[&str]) -> Result<Vec<T>, serde_json::Error> {
    let Some(field) = field else {
        return Ok(Vec::new());
    };
    let items: Result<Option<Vec<T>>, _> = serde_json::from_str(field.get());
    let items = items.map_err(|error| wrong_item(field, texts).map_or(error, de::Error::custom))?;
    Ok(items.unwrap_or_default())
}

/// Returns a message about the first item of a list that is not a map, or in which one of the strings `texts` has
/// another type.
fn wrong_item(list: &RawValue, texts: &[&str]) -> Option<String> {
    let items: Vec<&RawValue> = serde_json::from_str(list.get()).ok()?;
    items.into_iter().zip(1_usize..).find_map(|(item, number)| {
        let found = kind(item);
        if found != "a map" {
            return Some(format!("entry {number} is {found}, not a map"));
        }
        let item: Document = Document::from_json(item.get()).ok()?;
        texts.iter().find_map(|name| {
            let found = kind(item.field(name)?);
            let wrong = !["a string", "empty"].contains(&found);
            wrong.then(|| format!("{name} of entry {number} is {found}, not a string"))
        })
    })
}

/// Returns the properties in a field. A missing type is read as an empty string, a missing value as null.
pub(super) fn properties<'a>(field: Option<&'a RawValue>) -> Result<Vec<WrittenProperty<'a>>, serde_json::Error> {
    #[derive(Deserialize)]
    struct Written<'a> {
        #[serde(rename = "type", default, borrow)]
        kind: Option<Cow<'a, str>>,
        #[serde(borrow)]
        value: Option<&'a RawValue>,
    }
    let written: Vec<Written<'_>> = list(field, &["type"])?;
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
        let Fields(fields) = Fields::deserialize(deserializer)?;
        Ok(Self { fields }.with_known_names())
    }
}

/// The fields of an object in the order of the text. The last value of a repeated field counts.
struct Fields(Vec<Field>);

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Fields;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
                let mut fields: Vec<Field> = Vec::new();
                let mut places = HashMap::new();
                while let Some((name, value)) = map.next_entry::<String, Box<RawValue>>()? {
                    match places.entry(name.clone()) {
                        Entry::Vacant(free) => {
                            free.insert(fields.len());
                            fields.push((name, value));
                        }
                        Entry::Occupied(place) => {
                            if let Some((_, earlier)) = fields.get_mut(*place.get()) {
                                *earlier = value;
                            }
                        }
                    }
                }
                Ok(Fields(fields))
            }
        }
        deserializer.deserialize_map(Object)
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
    fn known_fields_come_first_and_unknown_ones_are_kept() {
        let json = r#"{"x": 1.50, "entries": [], "package": "p", "name": "c", "schema": "olm.channel", "w": "\u003c"}"#;
        assert_eq!(
            written(json),
            "{\n    \"schema\": \"olm.channel\",\n    \"name\": \"c\",\n    \"package\": \"p\",\n    \"entries\": [],\n    \"x\": 1.50,\n    \"w\": \"\\u003c\"\n}\n"
        );
    }

    #[test]
    fn documents_of_other_schemas_are_unchanged() {
        assert_eq!(
            written(r#"{"name":"n","schema":"other"}"#),
            "{\n    \"name\": \"n\",\n    \"schema\": \"other\"\n}\n"
        );
    }

    #[test]
    fn the_last_value_of_a_repeated_field_wins() {
        let document = Document::from_json(r#"{"schema":"olm.bundle","image":"a","name":"b","image":"c"}"#).unwrap();
        assert_eq!(document.text("image"), "c");
        assert_eq!(
            serde_json::to_string(&document).unwrap(),
            r#"{"schema":"olm.bundle","name":"b","image":"c"}"#
        );
        assert!(Document::from_json("[]").is_err());
    }

    #[test]
    fn fields_read_by_olm_are_matched_case_insensitively() {
        let document =
            Document::from_json(r#"{"Schema":"olm.package","Name":"a","defaultchannel":"b","Own":1,"name":"c"}"#);
        let document = document.unwrap();
        assert_eq!(document.schema(), Some(Schema::Package));
        assert_eq!(document.package(), "c");
        assert_eq!(
            serde_json::to_string(&document).unwrap(),
            r#"{"schema":"olm.package","name":"c","defaultChannel":"b","Own":1}"#
        );
        let other = r#"{"Schema":"other","Package":"p","Own":1}"#;
        let document = Document::from_json(other).unwrap();
        assert_eq!(document.schema(), Some(Schema::from("other")));
        assert_eq!(document.package(), "p");
        assert_eq!(serde_json::to_string(&document).unwrap(), other);
    }
    #[test]
    fn fields_in_lists_and_nested_objects_are_matched_case_insensitively() {
        for (written, meant) in [
            (
                r#"{"schema":"olm.channel","entries":[{"Name":"a.v2","Replaces":"a.v1","SKIPS":[],"skiprange":"<2","Own":1},{"name":"a.v1"}]}"#,
                r#"{"schema":"olm.channel","entries":[{"name":"a.v2","replaces":"a.v1","skips":[],"skipRange":"<2","Own":1},{"name":"a.v1"}]}"#,
            ),
            (
                r#"{"schema":"olm.bundle","properties":[{"Type":"t","Value":{"Type":1}}],"relatedImages":[{"Image":"i"}]}"#,
                r#"{"schema":"olm.bundle","properties":[{"type":"t","value":{"Type":1}}],"relatedImages":[{"image":"i"}]}"#,
            ),
            (
                r#"{"schema":"olm.package","icon":{"Base64Data":"a","mediaType":"b"}}"#,
                r#"{"schema":"olm.package","icon":{"base64data":"a","mediatype":"b"}}"#,
            ),
            (
                r#"{"schema":"olm.deprecations","entries":[{"Reference":{"schema":"olm.package"},"Message":"m"}]}"#,
                r#"{"schema":"olm.deprecations","entries":[{"reference":{"schema":"olm.package"},"message":"m"}]}"#,
            ),
            (
                r#"{"schema":"olm.deprecations","entries":[{"reference":{"Schema":"olm.bundle","NAME":"a"},"message":"m"}]}"#,
                r#"{"schema":"olm.deprecations","entries":[{"reference":{"schema":"olm.bundle","name":"a"},"message":"m"}]}"#,
            ),
            (
                r#"{"schema":"olm.bundle","properties":[{"type":"olm.package","value":{"PackageName":"p","Version":"1.0.0"}},{"type":"t","value":{"Version":1}}]}"#,
                r#"{"schema":"olm.bundle","properties":[{"type":"olm.package","value":{"packageName":"p","version":"1.0.0"}},{"type":"t","value":{"Version":1}}]}"#,
            ),
            (
                r#"{"schema":"olm.channel","entries":[{"\u004eame":"a.v2","r\u0065places":"a.v1"}]}"#,
                r#"{"schema":"olm.channel","entries":[{"name":"a.v2","replaces":"a.v1"}]}"#,
            ),
            (
                r#"{"schema":"other","entries":[{"Name":"a"}]}"#,
                r#"{"schema":"other","entries":[{"Name":"a"}]}"#,
            ),
        ] {
            let document = Document::from_json(written).unwrap();
            assert_eq!(serde_json::to_value(&document).unwrap().to_string(), {
                let meant: serde_json::Value = serde_json::from_str(meant).unwrap();
                meant.to_string()
            });
        }
    }
}
