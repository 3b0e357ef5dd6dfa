//! A cluster as people can get it: files of `kubectl get … -o yaml` or `-o json`, of `kubectl api-resources`, and
//! discovery documents.
//!
//! Files are read piece by piece, so that memory depends on what is kept of the objects and not on how much a dump holds:
//! the items of a YAML list that kubectl wrote, and those of a JSON list, are read one by one.

mod keep;
mod pieces;

pub use keep::kept;

use super::state::{Api, State};
use crate::files::FileError;
use crate::kubernetes::served::{self, ServedResource};
use crate::kubernetes::{GroupVersionKind, builtin};
use crate::text::{self, Limits};
use pieces::{Piece, Pieces};
use serde::de::{DeserializeSeed, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use std::cell::Cell;
use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use walkdir::WalkDir;

/// How much a dump may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DumpLimits {
    /// One object, or one document that is no list, in bytes.
    pub object: usize,
    /// The objects of all dumps together, in bytes of what is kept of them.
    pub kept: usize,
    /// The files of a folder.
    pub files: usize,
    /// The nesting of an object.
    pub depth: usize,
}

impl Default for DumpLimits {
    fn default() -> Self {
        Self {
            object: 8 << 20,
            kept: 256 << 20,
            files: 10_000,
            depth: Limits::default().depth,
        }
    }
}

/// Why a dump cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DumpError {
    /// A file cannot be read.
    #[error("{0}")]
    File(#[from] FileError),
    /// A folder cannot be listed.
    #[error("cannot list {}: {source}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Why.
        source: walkdir::Error,
    },
    /// The text is no YAML or JSON.
    #[error("{}:{line}: {message}", path.display())]
    Text {
        /// The file.
        path: PathBuf,
        /// The line.
        line: usize,
        /// What is wrong.
        message: String,
    },
    /// One object is too large.
    #[error("{}:{line}: an object is larger than {limit} bytes", path.display())]
    Object {
        /// The file.
        path: PathBuf,
        /// The line where it begins, or where it becomes too large.
        line: usize,
        /// How large one may be.
        limit: usize,
    },
    /// All of it is too much.
    #[error(
        "the dumps hold more than {limit} bytes of what matters for a plan; leave out what it does not need, such as \
         Secrets and events"
    )]
    TooMuch {
        /// How much it may be.
        limit: usize,
    },
    /// There are too many files.
    #[error("{} holds more than {limit} files", path.display())]
    Files {
        /// The folder.
        path: PathBuf,
        /// How many there may be.
        limit: usize,
    },
    /// There is nothing about a cluster.
    #[error("{} holds no objects, and says nothing about the APIs of a cluster", path.display())]
    Nothing {
        /// The file or folder.
        path: PathBuf,
    },
}

/// Adds what a file, or the files of a folder, say to a state. `keep` takes from each object what is needed of it.
///
/// # Errors
/// When something cannot be read, is too large, or says nothing about a cluster.
pub fn read(path: &Path, keep: fn(Value) -> Value, limits: &DumpLimits, state: &mut State) -> Result<(), DumpError> {
    let before = (state.objects.len(), state.apis.as_ref().map(Vec::len));
    let mut reader = Reader {
        keep,
        limits,
        // What a state held already was read within limits of its own.
        size: 0,
        budget: Rc::new(Cell::new(limits.object)),
        state,
    };
    if path.is_dir() {
        let mut seen = 0;
        for entry in WalkDir::new(path).sort_by_file_name() {
            let entry = entry.map_err(|source| DumpError::Folder {
                path: path.to_owned(),
                source,
            })?;
            if !entry.file_type().is_file() || entry.file_name().as_encoded_bytes().starts_with(b".") {
                continue;
            }
            seen += 1;
            if seen > limits.files {
                return Err(DumpError::Files {
                    path: path.to_owned(),
                    limit: limits.files,
                });
            }
            reader.file(entry.path())?;
        }
    } else {
        reader.file(path)?;
    }
    if before == (state.objects.len(), state.apis.as_ref().map(Vec::len)) {
        return Err(DumpError::Nothing { path: path.to_owned() });
    }
    Ok(())
}

struct Reader<'a> {
    keep: fn(Value) -> Value,
    limits: &'a DumpLimits,
    size: usize,
    /// What may still be read of the object at hand.
    budget: Rc<Cell<usize>>,
    state: &'a mut State,
}

/// A file of which no single object may take more than the budget, which is renewed for each.
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

impl Reader<'_> {
    fn file(&mut self, path: &Path) -> Result<(), DumpError> {
        let fail = |error| FileError::new("read", path, error);
        let mut input = BufReader::with_capacity(1 << 16, File::open(path).map_err(fail)?);
        let beginning = input.fill_buf().map_err(fail)?;
        let first = beginning.iter().find(|byte| !byte.is_ascii_whitespace());
        if first.is_none() {
            return Ok(());
        }
        if beginning.starts_with(b"NAME ") {
            return self.table(path, input);
        }
        if first == Some(&b'{') {
            return self.json(path, input);
        }
        self.yaml(path, input)
    }

    fn table(&mut self, path: &Path, input: impl Read) -> Result<(), DumpError> {
        let limit = u64::try_from(self.limits.object).unwrap_or(u64::MAX);
        let mut text = String::new();
        let read = input.take(limit).read_to_string(&mut text);
        read.map_err(|error| FileError::new("read", path, error))?;
        if let Some(served) = served::read_table(&text) {
            self.serve(served);
        }
        Ok(())
    }

    fn yaml(&mut self, path: &Path, input: impl BufRead) -> Result<(), DumpError> {
        let limits = Limits {
            file_bytes: self.limits.object,
            depth: self.limits.depth,
            ..Limits::default()
        };
        for piece in Pieces::new(input, self.limits.object) {
            let Piece { line, text } = piece.map_err(|problem| problem.at(path, self.limits.object))?;
            let reading = text::read("", text.as_bytes(), &limits);
            if let Some(finding) = reading.diagnostics.iter().find(|finding| finding.is_error()) {
                let inside = finding.place.as_ref().map_or(1, |place| place.start().line);
                return Err(DumpError::Text {
                    path: path.to_owned(),
                    line: line + inside - 1,
                    message: finding.message.clone(),
                });
            }
            for document in reading.documents {
                // A piece of a list is a list with one item.
                match document.value() {
                    Value::Array(items) => items.iter().try_for_each(|item| self.object(item.clone()))?,
                    value => self.object(value.clone())?,
                }
            }
        }
        Ok(())
    }

    fn json(&mut self, path: &Path, input: impl BufRead) -> Result<(), DumpError> {
        let budget = Rc::clone(&self.budget);
        let mut documents = serde_json::Deserializer::from_reader(Metered { input, budget });
        let mut error = None;
        loop {
            self.budget.set(self.limits.object);
            let document = Document {
                reader: self,
                error: &mut error,
            };
            match document.deserialize(&mut documents) {
                Ok(()) => {}
                Err(problem) => match error {
                    Some(error) => return Err(error),
                    None if problem.io_error_kind() == Some(io::ErrorKind::FileTooLarge) => {
                        return Err(DumpError::Object {
                            path: path.to_owned(),
                            line: problem.line(),
                            limit: self.limits.object,
                        });
                    }
                    None => {
                        return Err(DumpError::Text {
                            path: path.to_owned(),
                            line: problem.line(),
                            message: problem.to_string(),
                        });
                    }
                },
            }
            if documents.end().is_ok() {
                return Ok(());
            }
        }
    }

    /// Takes an object, a list of objects, or a discovery document.
    fn object(&mut self, value: Value) -> Result<(), DumpError> {
        let kind = value.get("kind").and_then(Value::as_str).unwrap_or_default();
        if ["APIResourceList", "APIGroupDiscoveryList", "APIGroupDiscovery"].contains(&kind) {
            let served = served::read(&value).unwrap_or_default();
            self.serve(served);
            return Ok(());
        }
        if kind.ends_with("List")
            && let Value::Object(mut map) = value
        {
            if let Some(Value::Array(items)) = map.shift_remove("items") {
                return items.into_iter().try_for_each(|item| self.object(item));
            }
            return Ok(());
        }
        let named = value.pointer("/metadata/name").is_some_and(Value::is_string);
        if kind.is_empty() || !named {
            return Ok(());
        }
        let object = (self.keep)(value);
        self.size = self.size.saturating_add(size_of(&object));
        if self.size > self.limits.kept {
            return Err(DumpError::TooMuch {
                limit: self.limits.kept,
            });
        }
        self.state.objects.push(object);
        Ok(())
    }

    fn serve(&mut self, served: Vec<ServedResource>) {
        let apis = served.into_iter().map(|served| {
            let GroupVersionKind { group, kind, .. } = &served.gvk;
            Api {
                namespaced: builtin::find_kind(group, kind).is_none_or(|row| row.namespaced),
                plural: Some(served.resource),
                kind: served.gvk,
            }
        });
        self.state.apis.get_or_insert_default().extend(apis);
    }
}

/// About how many bytes a value takes.
fn size_of(value: &Value) -> usize {
    match value {
        Value::String(text) => 32 + text.len(),
        Value::Array(items) => 32 + items.iter().map(size_of).sum::<usize>(),
        Value::Object(map) => {
            32 + map
                .iter()
                .map(|(key, value)| 48 + key.len() + size_of(value))
                .sum::<usize>()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => 32,
    }
}

/// One JSON document; where it is a list, its items are taken one by one.
struct Document<'r, 'a> {
    reader: &'r mut Reader<'a>,
    error: &'r mut Option<DumpError>,
}

impl<'de> DeserializeSeed<'de> for Document<'_, '_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Document<'_, '_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a Kubernetes object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut object = serde_json::Map::new();
        while let Some(key) = map.next_key::<String>()? {
            if key == "items" && object.get("kind").is_none_or(is_list) {
                let items = Items {
                    reader: self.reader,
                    error: self.error,
                    // kubectl writes the kind behind the items; discovery documents have it in front of them.
                    discovery: object.get("kind").is_some_and(is_discovery),
                };
                let left = map.next_value_seed(items)?;
                object.insert(key, Value::Array(left));
            } else {
                object.insert(key, map.next_value()?);
            }
        }
        self.reader.object(Value::Object(object)).map_err(|error| {
            *self.error = Some(error);
            A::Error::custom("too much")
        })
    }
}

fn is_list(kind: &Value) -> bool {
    kind.as_str().is_some_and(|kind| kind.ends_with("List"))
}

fn is_discovery(kind: &Value) -> bool {
    kind.as_str().is_some_and(|kind| kind.starts_with("API"))
}

/// The items of a list. What is no object by itself is given back.
struct Items<'r, 'a> {
    reader: &'r mut Reader<'a>,
    error: &'r mut Option<DumpError>,
    discovery: bool,
}

impl<'de> DeserializeSeed<'de> for Items<'_, '_> {
    type Value = Vec<Value>;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Vec<Value>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Items<'_, '_> {
    type Value = Vec<Value>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list of Kubernetes objects")
    }

    fn visit_unit<E>(self) -> Result<Vec<Value>, E> {
        Ok(Vec::new())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Vec<Value>, A::Error> {
        let mut left = Vec::new();
        while let Some(item) = items.next_element::<Value>()? {
            self.reader.budget.set(self.reader.limits.object);
            if self.discovery || item.get("kind").is_none() {
                left.push(item);
                continue;
            }
            if let Err(error) = self.reader.object(item) {
                *self.error = Some(error);
                return Err(A::Error::custom("too much"));
            }
        }
        Ok(left)
    }
}

#[cfg(test)]
mod tests;
