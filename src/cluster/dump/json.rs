//! Reads JSON dumps: one document or a sequence of documents.

use super::gathered::{Gathered, Refusal};
use super::{DumpError, DumpLimits};
use crate::text::{self, Seed, Values};
use serde::de::{DeserializeSeed, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use std::cell::Cell;
use std::fmt;
use std::io::{self, BufRead, Read};
use std::path::Path;
use std::rc::Rc;

pub(super) fn read(
    path: &Path,
    input: impl BufRead,
    limits: &DumpLimits,
    gathered: &mut Gathered<'_>,
) -> Result<(), DumpError> {
    let mut reading = Reading {
        gathered,
        refusal: None,
        limits,
        values: Values::new(limits.values),
        budget: Rc::default(),
    };
    let budget = Rc::clone(&reading.budget);
    let mut documents = serde_json::Deserializer::from_reader(Metered { input, budget });
    loop {
        reading.renew();
        if let Err(error) = Document(&mut reading).deserialize(&mut documents) {
            return Err(match reading.refusal {
                Some(refusal) => refusal.at(path, error.line(), limits),
                None if reading.values.refusal() == Some(text::Refusal::Values) => {
                    Refusal::Values.at(path, error.line(), limits)
                }
                None => unread(path, &error, limits),
            });
        }
        if documents.end().is_ok() {
            return Ok(());
        }
    }
}

fn unread(path: &Path, error: &serde_json::Error, limits: &DumpLimits) -> DumpError {
    let (path, line) = (path.to_owned(), error.line());
    if error.io_error_kind() == Some(io::ErrorKind::FileTooLarge) {
        let limit = limits.object;
        return DumpError::Object { path, line, limit };
    }
    let message = error.to_string();
    let message = message
        .rsplit_once(" at line ")
        .map_or(&*message, |(message, _)| message);
    DumpError::Text {
        path,
        line,
        column: error.column(),
        message: message.to_owned(),
    }
}

struct Reading<'g, 'a> {
    gathered: &'g mut Gathered<'a>,
    /// The reason why reading ended, if the text was not the cause.
    refusal: Option<Refusal>,
    limits: &'g DumpLimits,
    /// The number of values that the current object may still have.
    values: Values,
    /// The number of bytes of the current object that may still be read.
    budget: Rc<Cell<usize>>,
}

impl Reading<'_, '_> {
    /// Begins the next object.
    fn renew(&self) {
        self.values.renew(self.limits.values);
        self.budget.set(self.limits.object);
    }

    fn next(&self) -> Seed<'_> {
        self.values.next(self.limits.depth)
    }

    fn take<E: serde::de::Error>(&mut self, value: Value) -> Result<(), E> {
        let taken = self.gathered.take(value);
        self.ended(taken)
    }

    fn ended<E: serde::de::Error>(&mut self, taken: Result<(), Refusal>) -> Result<(), E> {
        taken.map_err(|refusal| {
            self.refusal = Some(refusal);
            E::custom("refused")
        })
    }
}

/// A stream in which no object may exceed the byte budget, which is reset for each object.
struct Metered<R> {
    input: R,
    budget: Rc<Cell<usize>>,
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.budget.get();
        if left == 0 {
            return Err(io::Error::from(io::ErrorKind::FileTooLarge));
        }
        let length = buffer.len().min(left);
        let read = self.input.read(buffer.get_mut(..length).unwrap_or_default())?;
        self.budget.set(left - read);
        Ok(read)
    }
}

/// Reads one document; the items of a list are added one by one.
struct Document<'r, 'g, 'a>(&'r mut Reading<'g, 'a>);

impl<'de> DeserializeSeed<'de> for Document<'_, '_, '_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Document<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a Kubernetes object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut object = Map::new();
        while let Some(key) = map.next_key::<String>()? {
            self.0.values.count()?;
            if key == "items" && object.get("kind").is_none_or(is_list) {
                let waiting = map.next_value_seed(Items(self.0))?;
                object.insert(key, Value::Array(waiting));
            } else {
                object.insert(key, map.next_value_seed(self.0.next())?);
            }
        }
        self.0.take(Value::Object(object))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<(), A::Error> {
        let waiting = Items(&mut *self.0).visit_seq(items)?;
        self.0.take(Value::Array(waiting))
    }
}

fn is_list(kind: &Value) -> bool {
    kind.as_str().is_some_and(|kind| kind.ends_with("List"))
}

/// Reads the items of a list. kubectl writes the kind of the list after the items. Items without a kind, and items of
/// discovery documents, can be understood only with that kind, so they are returned instead of being added.
struct Items<'r, 'g, 'a>(&'r mut Reading<'g, 'a>);

impl<'de> DeserializeSeed<'de> for Items<'_, '_, '_> {
    type Value = Vec<Value>;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Vec<Value>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Items<'_, '_, '_> {
    type Value = Vec<Value>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list of Kubernetes objects")
    }

    fn visit_unit<E>(self) -> Result<Vec<Value>, E> {
        Ok(Vec::new())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Vec<Value>, A::Error> {
        let mut waiting = Vec::new();
        while let Some(item) = items.next_element_seed(self.0.next())? {
            self.0.renew();
            let kind = item.get("kind").and_then(Value::as_str);
            let waits = item.is_object() && kind.is_none_or(|kind| kind.starts_with("APIGroup"));
            if waits {
                let counted = self.0.gathered.count(&item);
                self.0.ended(counted)?;
                waiting.push(item);
            } else {
                self.0.take(item)?;
            }
        }
        Ok(waiting)
    }
}
