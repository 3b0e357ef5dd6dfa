//! The fields of a document as they stand in its text: nothing is copied, and a field of a wrong type hides no other.

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
    /// The field of this name. As in the programs of the field, case does not matter and the last one counts.
    fn find(&self, name: &str) -> Option<(&str, &'a RawValue)> {
        let mut found = self.0.iter().rev();
        let (written, value) = found.find(|(field, _)| field.eq_ignore_ascii_case(name))?;
        Some((written, value))
    }

    /// The value of the field; none where it is null.
    pub(super) fn get(&self, name: &str) -> Option<&'a RawValue> {
        let (_, value) = self.find(name)?;
        (value.get() != "null").then_some(value)
    }

    /// The field as it is written.
    pub(super) fn written<'n>(&'n self, name: &'n str) -> &'n str {
        self.find(name).map_or(name, |(written, _)| written)
    }
}

/// The text of a value in which nothing is escaped. That it is one is known since the document was read.
fn plain(value: &RawValue) -> Option<&str> {
    let text = value.get().strip_prefix('"')?.strip_suffix('"')?;
    memchr::memchr(b'\\', text.as_bytes()).is_none().then_some(text)
}

/// One document while it is being read, and what is wrong with it.
pub(super) struct Reader<'f> {
    pub(super) id: DocumentId,
    /// What the document is, for sentences; such as `bundle "etcd.v1" of package "etcd"`.
    pub(super) subject: String,
    pub(super) found: &'f mut Vec<Found>,
    /// So many findings there may be.
    pub(super) most: usize,
}

impl Reader<'_> {
    /// Reports a finding, unless there are enough; then that there are more.
    pub(super) fn report(&mut self, found: Found) {
        if self.found.len() < self.most {
            self.found.push(found);
        } else if self.found.len() == self.most {
            let message = format!("more is wrong with {}, and is not shown", self.subject);
            self.found.push(Found::new(found.diagnostic.rule, message, found.at));
        }
    }

    /// Where the field of an object at `path` is.
    pub(super) fn at(&self, path: &Path) -> At {
        self.id.path(path.clone())
    }

    /// The object that a value is; what it is instead is reported.
    pub(super) fn object<'a>(&mut self, value: &'a RawValue, path: &Path) -> Option<Fields<'a>> {
        if value.get() == "null" {
            // As in Go.
            return Some(Fields::default());
        }
        let read = serde_json::from_str(value.get()).ok();
        if read.is_none() {
            self.wrong_type(value, path, "a map");
        }
        read
    }

    /// The text of a field; empty where there is none.
    pub(super) fn text<'a>(&mut self, fields: &Fields<'a>, name: &str, path: &Path) -> Cow<'a, str> {
        let Some(value) = fields.get(name) else {
            return Cow::Borrowed("");
        };
        self.item(value, &path.key(fields.written(name)))
    }

    /// The text that a value is.
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

    /// The name in a field, which holds nothing that nobody sees; empty where there is none.
    pub(super) fn name<'a>(&mut self, fields: &Fields<'a>, field: &str, path: &Path) -> Cow<'a, str> {
        let name = self.text(fields, field, path);
        if hidden_in_name(&name).is_some() {
            self.look_at_name(&name, &path.key(fields.written(field)));
        }
        name
    }

    /// Reports what nobody sees in the name at `path`.
    pub(super) fn look_at_name(&mut self, name: &str, path: &Path) {
        if let Some(message) = hidden_in(&path.to_string(), name) {
            self.report(Found::new(&rules::NAME_HIDDEN_CHARACTER, message, self.at(path)));
        }
    }

    /// The items of a list; none where the field is not there.
    pub(super) fn list<'a>(&mut self, fields: &Fields<'a>, name: &str, path: &Path) -> Vec<&'a RawValue> {
        let Some(value) = fields.get(name) else {
            return Vec::new();
        };
        serde_json::from_str(value.get()).unwrap_or_else(|_| {
            self.wrong_type(value, &path.key(fields.written(name)), "a list");
            Vec::new()
        })
    }

    /// The objects of a list, each with its number; what is none is reported.
    pub(super) fn objects<'a>(&mut self, fields: &Fields<'a>, name: &str, path: &Path) -> Vec<(usize, Fields<'a>)> {
        // Mostly all of them are; then the text is gone through once.
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
            // A character that no text has, for example.
            format!("{path} of {subject} cannot be read")
        } else {
            format!("{path} of {subject} is {kind}, not {expected}")
        };
        let found = Found::new(&rules::CATALOG_FIELD_TYPE, message, self.at(path));
        let unquoted = expected == "a string" && matches!(kind, "true or false" | "a number");
        self.report(if unquoted {
            found.help("Write it in quotes.")
        } else {
            found
        });
    }

    /// Looks for fields that nobody reads, and such as are there twice. `known` are the fields of the object at `path`.
    pub(super) fn known(&mut self, fields: &Fields<'_>, known: &[&str], path: &Path) {
        for (index, (field, _)) in fields.0.iter().enumerate() {
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
            let Some(name) = known.iter().find(|name| name.eq_ignore_ascii_case(field)) else {
                let message = format!("{of} has a field {field:?}, which nobody reads");
                let meant = nearest(field, known.iter().copied());
                let finding = Found::new(&rules::CATALOG_FIELD_UNKNOWN, message, here()).meant(meant);
                self.report(finding);
                continue;
            };
            let mut before = fields.0.iter().take(index);
            if let Some((other, _)) = before.find(|(other, _)| other.eq_ignore_ascii_case(name)) {
                let message = if other == field {
                    format!("{of} has the field {field:?} twice")
                } else {
                    format!("{of} has the field {name:?} twice, as {other:?} and as {field:?}")
                };
                let finding = Found::new(&rules::CATALOG_FIELD_REPEATED, message, here());
                self.report(finding);
            } else if field != name {
                let message =
                    format!("{of} has the field {field:?}, which opm takes for {name:?}, and other programs do not");
                let finding = Found::new(&rules::CATALOG_FIELD_CASE, message, here());
                self.report(finding);
            }
        }
    }
}
