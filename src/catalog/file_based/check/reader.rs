//! The fields of a document, borrowed from its text. If one field has the wrong type, the others can still be read.

use super::found::{At, DocumentId, Found, Inside};
use crate::catalog::file_based::document::kind;
use crate::rules;
use crate::shape::nearest;
use crate::text::Path;
use crate::visible::{hidden_in, hidden_in_name};
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fmt;

/// The fields of an object, in the order of the text.
#[derive(Debug, Default)]
pub(super) struct Fields<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

#[derive(Deserialize)]
struct Word<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Fields<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Vec<(Cow<'de, str>, &'de RawValue)>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields = Vec::new();
                while let Some((Word(name), value)) = map.next_entry::<Word<'de>, &'de RawValue>()? {
                    fields.push((name, value));
                }
                Ok(fields)
            }
        }
        deserializer.deserialize_map(Object).map(Self)
    }
}

impl<'a> Fields<'a> {
    /// Returns the field with this name. As in other OLM tools, case is ignored and the last match is used.
    fn find(&self, name: &str) -> Option<(&str, &'a RawValue)> {
        let mut found = self.0.iter().rev();
        let (written, value) = found.find(|(field, _)| field.eq_ignore_ascii_case(name))?;
        Some((written, value))
    }

    /// Returns the value of the field, or `None` if it is absent or null.
    pub(super) fn get(&self, name: &str) -> Option<&'a RawValue> {
        let (_, value) = self.find(name)?;
        (value.get() != "null").then_some(value)
    }

    /// Returns the name of the field as written.
    pub(super) fn written<'n>(&'n self, name: &'n str) -> &'n str {
        self.find(name).map_or(name, |(written, _)| written)
    }
}

/// Returns the contents of a string if it contains no escape sequences, or `None` for any other value. The JSON is
/// known to be valid, because the document has already been read.
fn plain(value: &RawValue) -> Option<&str> {
    let text = value.get().strip_prefix('"')?.strip_suffix('"')?;
    memchr::memchr(b'\\', text.as_bytes()).is_none().then_some(text)
}

/// One document while it is being read, with its findings.
pub(super) struct Reader<'f> {
    pub(super) id: DocumentId,
    /// The description of the document in messages, such as `bundle "etcd.v1" of package "etcd"`.
    pub(super) subject: String,
    pub(super) found: &'f mut Vec<Found>,
    /// The maximum number of findings.
    pub(super) most: usize,
}

impl Reader<'_> {
    /// Reports a finding. If the limit is already reached, reports once that more findings are not shown.
    pub(super) fn report(&mut self, found: Found) {
        if self.found.len() < self.most {
            self.found.push(found);
        } else if self.found.len() == self.most {
            let message = format!("more errors in {} are not shown", self.subject);
            self.found.push(Found::new(found.diagnostic.rule, message, found.at));
        }
    }

    /// Returns the location of the field at `path`.
    pub(super) fn at(&self, path: &Path) -> At {
        self.id.path(path.clone())
    }

    /// Returns the fields of an object, and reports a value of the wrong type.
    pub(super) fn object<'a>(&mut self, value: &'a RawValue, path: &Path) -> Option<Fields<'a>> {
        if value.get() == "null" {
            // Go also reads null as an object without fields.
            return Some(Fields::default());
        }
        let read = serde_json::from_str(value.get()).ok();
        if read.is_none() {
            self.wrong_type(value, path, "a map");
        }
        read
    }

    /// Returns the string in a field; empty if the field is absent.
    pub(super) fn text<'a>(&mut self, fields: &Fields<'a>, name: &str, path: &Path) -> Cow<'a, str> {
        let Some(value) = fields.get(name) else {
            return Cow::Borrowed("");
        };
        self.item(value, &path.key(fields.written(name)))
    }

    /// Returns a string value, and reports a value of the wrong type.
    pub(super) fn item<'a>(&mut self, value: &'a RawValue, path: &Path) -> Cow<'a, str> {
        if let Some(text) = plain(value) {
            return Cow::Borrowed(text);
        }
        if let Ok(Word(text)) = serde_json::from_str(value.get()) {
            return text;
        }
        if value.get() != "null" {
            self.wrong_type(value, path, "a string");
        }
        Cow::Borrowed("")
    }

    /// Returns the name in a field, and reports invisible characters in the name; empty if the field is absent.
    pub(super) fn name<'a>(&mut self, fields: &Fields<'a>, field: &str, path: &Path) -> Cow<'a, str> {
        let name = self.text(fields, field, path);
        if hidden_in_name(&name).is_some() {
            self.look_at_name(&name, &path.key(fields.written(field)));
        }
        name
    }

    /// Like [`name`](Self::name), and also returns whether the name is missing. A name of the wrong type has already
    /// been reported.
    pub(super) fn required_name<'a>(&mut self, fields: &Fields<'a>, field: &str, path: &Path) -> (Cow<'a, str>, bool) {
        let before = self.found.len();
        let name = self.name(fields, field, path);
        let is_missing = name.is_empty() && self.found.len() == before;
        (name, is_missing)
    }

    /// Reports invisible characters in the name at `path`.
    pub(super) fn look_at_name(&mut self, name: &str, path: &Path) {
        if let Some(message) = hidden_in(&path.to_string(), name) {
            self.report(Found::new(&rules::NAME_HIDDEN_CHARACTER, message, self.at(path)));
        }
    }

    /// Returns the items of a list field; empty if the field is absent.
    pub(super) fn list<'a>(&mut self, fields: &Fields<'a>, name: &str, path: &Path) -> Vec<&'a RawValue> {
        let Some(value) = fields.get(name) else {
            return Vec::new();
        };
        serde_json::from_str(value.get()).unwrap_or_else(|_| {
            self.wrong_type(value, &path.key(fields.written(name)), "a list");
            Vec::new()
        })
    }

    /// Returns the objects of a list, each with its position, and reports items that are not objects.
    pub(super) fn objects<'a>(&mut self, fields: &Fields<'a>, name: &str, path: &Path) -> Vec<(usize, Fields<'a>)> {
        // Usually all items are objects, and a single parse of the text is enough.
        let read = fields
            .get(name)
            .map(|value| serde_json::from_str::<Vec<Fields<'a>>>(value.get()));
        if let Some(Ok(objects)) = read {
            return objects.into_iter().enumerate().collect();
        }
        let list = path.key(name);
        let values = self.list(fields, name, path).into_iter().enumerate();
        let objects = values.filter_map(|(index, value)| Some((index, self.object(value, &list.index(index))?)));
        objects.collect()
    }

    fn wrong_type(&mut self, value: &RawValue, path: &Path, expected: &str) {
        let (kind, subject) = (kind(value), &self.subject);
        let message = if kind == expected {
            // For example, the value contains an invalid character.
            format!("{path} of {subject} cannot be read")
        } else {
            format!("{path} of {subject} is {kind}, not {expected}")
        };
        let found = Found::new(&rules::CATALOG_FIELD_TYPE, message, self.at(path));
        let unquoted = expected == "a string" && matches!(kind, "true or false" | "a number");
        self.report(if unquoted { found.help("Quote it.") } else { found });
    }

    /// Reports repeated fields of a document whose fields are not known.
    pub(super) fn repeated(&mut self, fields: &Fields<'_>) {
        let mut seen = HashSet::new();
        for (field, _) in fields.0.iter().filter(|(field, _)| !seen.insert(&**field)) {
            let message = format!("{} contains the field {field:?} twice", self.subject);
            let at = At {
                document: self.id,
                place: Inside::Key(Path::root().key(field)),
            };
            self.report(Found::new(&rules::CATALOG_DUPLICATE_KEY, message, at));
        }
    }

    /// Reports fields that are unknown or repeated, or whose names differ from the known ones only in case. `known`
    /// contains the fields of the object at `path`.
    pub(super) fn known(&mut self, fields: &Fields<'_>, known: &[&str], path: &Path) {
        let mut seen: HashMap<&str, &str> = HashMap::new();
        for (field, _) in &fields.0 {
            let here = || At {
                document: self.id,
                place: Inside::Key(path.key(field)),
            };
            let subject = &self.subject;
            let of = if path.is_root() {
                subject.clone()
            } else {
                format!("{path} of {subject}")
            };
            let Some(&name) = known.iter().find(|name| name.eq_ignore_ascii_case(field)) else {
                let message = format!("unknown field {field:?} in {of}");
                let meant = nearest(field, known.iter().copied());
                let finding = Found::new(&rules::CATALOG_FIELD_UNKNOWN, message, here()).meant(meant);
                self.report(finding);
                continue;
            };
            if let Some(&other) = seen.get(name) {
                let message = if other == field {
                    format!("{of} contains the field {field:?} twice")
                } else {
                    format!("{of} contains the field {name:?} twice, as {other:?} and as {field:?}")
                };
                // All readers take the last of two equal names; they disagree about names that differ in case.
                let rule = if other == field && path.is_root() {
                    &rules::CATALOG_DUPLICATE_KEY
                } else {
                    &rules::CATALOG_FIELD_REPEATED
                };
                let finding = Found::new(rule, message, here());
                self.report(finding);
                continue;
            }
            seen.insert(name, field);
            if field != name {
                let message = format!(
                    "{of} contains the field {field:?}, which opm reads as {name:?}, but other programs do \
                             not"
                );
                let finding = Found::new(&rules::CATALOG_FIELD_CASE, message, here());
                self.report(finding);
            }
        }
    }
}
