//! Documents of a file.

use super::block;
use super::decoded::{self, Offsets};
use super::emit::to_json;
use super::events::Style;
use super::json;
use super::limits::Limits;
use super::passage::Passage;
use super::path::Path;
use super::places::{Found, Places};
use super::read::{Reading, read_embedded};
use crate::source::{Place, SourceFile};
use serde_json::Value;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// The format that a document is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// YAML 1.1, read as Kubernetes tools do.
    Yaml,
    /// JSON.
    Json,
}

/// A document of a file: its text, its value, and the places of its keys and values. Clones share this data.
#[derive(Clone)]
pub struct Document(Arc<Inner>);

struct Inner {
    passage: Passage,
    number: usize,
    format: Format,
    value: Value,
    /// The places of the upper levels, if reading found them.
    top: Places,
    places: OnceLock<Places>,
}

impl Document {
    pub(super) fn new(passage: Passage, number: usize, format: Format, value: Value, top: Places) -> Self {
        Self(Arc::new(Inner {
            passage,
            number,
            format,
            value,
            top,
            places: OnceLock::new(),
        }))
    }

    /// Returns a document for a value that is in no file. Its text is the value as JSON, in a source with this name.
    pub(crate) fn of_value(name: &str, value: Value) -> Self {
        let passage = Passage::file(&SourceFile::new(name, to_json(&value)));
        Self::new(passage, 0, Format::Json, value, Places::default())
    }

    /// Returns the file.
    pub fn source(&self) -> &Arc<SourceFile> {
        self.0.passage.source()
    }

    /// Returns the position of the document in the file, counted from 0; empty documents count, as in Kubernetes tools.
    pub fn number(&self) -> usize {
        self.0.number
    }

    /// Returns the format of the document.
    pub fn format(&self) -> Format {
        self.0.format
    }

    /// Returns the value of the document, with keys in the order of the text.
    pub fn value(&self) -> &Value {
        &self.0.value
    }

    /// Returns the same document with another value, such as one with keys that the text does not contain. Places
    /// remain those of the text.
    #[must_use]
    pub(crate) fn with_value(&self, value: Value) -> Self {
        Self(Arc::new(Inner {
            passage: self.0.passage.clone(),
            number: self.0.number,
            format: self.0.format,
            value,
            top: Places::default(),
            places: OnceLock::new(),
        }))
    }

    /// Returns the value, which is copied only if another clone of the document shares it.
    pub fn into_value(self) -> Value {
        Arc::try_unwrap(self.0).map_or_else(|shared| shared.value.clone(), |inner| inner.value)
    }

    /// Returns the place of the value at `path`, with its anchor and tag. If the path does not exist, returns the place
    /// of the last existing value along the path.
    pub fn place(&self, path: &Path) -> Place {
        self.0.passage.place(self.find(path).value)
    }

    /// Returns the place of the key that leads to `path`; for list items and the document itself, returns the place of
    /// the value.
    pub fn key_place(&self, path: &Path) -> Place {
        self.0.passage.place(self.find(path).key)
    }

    /// Returns the place of the bytes `range` of the scalar at `path`, counted in its decoded text: without quotes,
    /// escapes, indentation and line folding. If the place cannot be determined, returns the place of the whole scalar.
    pub fn scalar_place(&self, path: &Path, range: Range<usize>) -> Place {
        let places = self.scalar_places(path, std::iter::once(range));
        places.into_iter().next().unwrap_or_else(|| self.place(path))
    }

    /// Returns the places of several ranges of the scalar at `path`, each as in [`Document::scalar_place`].
    pub(crate) fn scalar_places(&self, path: &Path, ranges: impl IntoIterator<Item = Range<usize>>) -> Vec<Place> {
        let found = self.find(path);
        let offsets = self.offsets(path, found.scalar);
        let span = |range| match &offsets {
            Some(offsets) => offsets.span(range),
            None => found.value.clone(),
        };
        ranges
            .into_iter()
            .map(|range| self.0.passage.place(span(range)))
            .collect()
    }

    /// Reads the text inside the scalar at `path`, with places in this document's file: as JSON if it begins with `{`
    /// or `[`, otherwise as YAML. Returns an empty reading if the value at `path` is not a string.
    pub fn embedded(&self, path: &Path, limits: &Limits) -> Reading {
        let Some(text) = path.get(self.value()).and_then(Value::as_str) else {
            return Reading::default();
        };
        let (document, path, length) = (self.clone(), path.clone(), text.len());
        let offsets = move || {
            let found = document.find(&path);
            let offsets = document.offsets(&path, found.scalar);
            offsets.unwrap_or_else(|| Offsets::whole(length, found.value))
        };
        read_embedded(&self.0.passage.scalar(text.to_owned(), offsets), limits)
    }

    fn offsets(&self, path: &Path, scalar: Option<(Style, Range<usize>)>) -> Option<Offsets> {
        let (style, span) = scalar?;
        match path.get(self.value())? {
            Value::String(decoded) => decoded::scan(self.0.passage.text(), span, style, decoded),
            _ => Some(Offsets::identity(
                decoded::content_start(self.0.passage.text(), &span)..span.end,
            )),
        }
    }

    /// Follows a path. The text is read again only if the path leads below the upper levels.
    fn find(&self, path: &Path) -> Found {
        let top = self.0.top.find(path);
        top.or_else(|| self.places().find(path)).unwrap_or_default()
    }

    pub(super) fn places(&self) -> &Places {
        self.0.places.get_or_init(|| match self.0.format {
            Format::Yaml => {
                let text = self.0.passage.text();
                block::places(text).unwrap_or_else(|| Places::yaml(text))
            }
            Format::Json => json::places(self.0.passage.text()),
        })
    }

    pub(super) fn passage(&self) -> &Passage {
        &self.0.passage
    }
}

impl fmt::Debug for Document {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Document")
            .field("file", &self.source().name())
            .field("number", &self.number())
            .field("format", &self.format())
            .field("value", self.value())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::read;
    use serde_json::json;

    #[test]
    fn a_value_in_no_file_has_the_places_of_its_json() {
        let value = json!({"b": [{"c": "x\u{202e}"}], "a": 1.0});
        let document = Document::of_value("made", value.clone());
        let reading = read("made", to_json(&value).as_bytes(), &Limits::default());
        let [written] = &reading.documents[..] else {
            panic!("{reading:?}");
        };
        assert_eq!(document.value(), written.value());
        assert_eq!(document.source().text(), written.source().text());
        for path in [Path::root(), Path::from("a"), Path::from("b").index(0).key("c")] {
            assert_eq!(document.place(&path).span, written.place(&path).span);
        }
    }
}
