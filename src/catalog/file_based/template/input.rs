//! The text of a template as documents, with the line of each value.

use super::error::{TemplateError, TemplateProblem};
use super::{At, Image, Kind};
use crate::catalog::file_based::document;
use crate::catalog::file_based::limits::CatalogLimits;
use crate::catalog::file_based::stream::{CutError, Stream};
use crate::counted::counted;
use crate::shape::nearest;
use crate::source::{Position, SourceFile};
use crate::text::{self, Document, Limits, Path, kind_of};
use serde_json::{Map, Value};
use std::path::PathBuf;

/// The documents of a template.
#[derive(Debug)]
pub(super) struct Input {
    file: PathBuf,
    pub(super) documents: Vec<Document>,
}

impl Input {
    /// Reads all documents and makes sure that there is at least one and that each is a map.
    pub(super) fn read(name: &str, bytes: &[u8], limits: CatalogLimits) -> Result<Self, TemplateError> {
        let mut input = Self {
            file: PathBuf::from(name),
            documents: Vec::new(),
        };
        let unreadable = |line, message: String| input_error(name, line, TemplateProblem::Unreadable { message });
        let of_one = limits.of_document();
        // All documents are kept in memory, so one limit applies to all of them together.
        let whole = Limits {
            file_bytes: usize::MAX,
            values: limits.template_values,
            ..of_one
        };
        if let Some(finding) = text::excess(&[(name.to_owned(), bytes)], &whole) {
            let line = finding.place.as_ref().map_or(1, |place| place.start().line);
            return Err(unreadable(line, finding.message));
        }
        let mut stream = Stream::new(bytes, limits.document_bytes);
        while let Some(piece) = stream
            .next()
            .map_err(|error: CutError| unreadable(error.line(), error.to_string()))?
        {
            let Ok(text) = std::str::from_utf8(piece.bytes) else {
                return Err(unreadable(piece.line, "the content is not UTF-8".to_owned()));
            };
            let begin = Position {
                line: piece.line,
                column: 1,
            };
            let source = SourceFile::part(name, text, begin, piece.start);
            let reading = text::read_source(&source, &of_one);
            if let Some(finding) = reading.diagnostics.iter().find(|finding| finding.is_error()) {
                let line = finding.place.as_ref().map_or(piece.line, |place| place.start().line);
                return Err(unreadable(line, finding.message.clone()));
            }
            let some = reading
                .documents
                .into_iter()
                .filter(|document| !document.value().is_null());
            input.documents.extend(some);
            if input.documents.len() > limits.documents {
                let message = format!(
                    "the template contains more than {}",
                    counted(limits.documents, "document")
                );
                return Err(unreadable(piece.line, message));
            }
        }
        if input.documents.is_empty() {
            return Err(input_error(name, 1, TemplateProblem::Empty));
        }
        for number in 0..input.documents.len() {
            input.map(number, &Path::root())?;
        }
        Ok(input)
    }

    /// Returns the schema of the first document; the field may be capitalized.
    pub(super) fn schema(&self) -> Result<String, TemplateError> {
        let fields = self.map(0, &Path::root())?;
        let found = fields.iter().find(|(name, _)| name.eq_ignore_ascii_case("schema"));
        match found {
            Some((_, Value::String(schema))) if !schema.is_empty() => Ok(schema.clone()),
            _ => Err(self.wrong(0, "", TemplateProblem::NoSchema)),
        }
    }

    /// Makes sure that there is only one document.
    pub(super) fn single(&self) -> Result<(), TemplateError> {
        if self.documents.len() < 2 {
            return Ok(());
        }
        let schema = self.schema()?;
        Err(self.wrong(1, "", TemplateProblem::Several { schema }))
    }

    /// Returns the position of a value, or, if the value is absent, the position where it belongs.
    pub(super) fn at(&self, number: usize, path: &Path) -> At {
        let document = self.documents.get(number);
        let line = document.map_or(1, |document| {
            if path.is_root() {
                let text = document.source().text();
                let start = text.len() - text.trim_start().len();
                return document.source().position(start).line;
            }
            document.key_place(path).start().line
        });
        let file = self.file.clone();
        At { file, line }
    }

    /// Returns the error for a faulty value.
    pub(super) fn wrong(&self, number: usize, path: impl Into<Path>, problem: TemplateProblem) -> TemplateError {
        TemplateError {
            at: self.at(number, &path.into()),
            problem: Box::new(problem),
        }
    }

    /// Returns the value at a path, or `None` if it is absent or null.
    pub(super) fn value(&self, number: usize, path: &Path) -> Option<&Value> {
        let value = path.get(self.documents.get(number)?.value())?;
        (!value.is_null()).then_some(value)
    }

    fn shape(&self, number: usize, path: &Path, found: &Value, wanted: &'static str) -> TemplateError {
        let field = if path.is_root() {
            "the document".to_owned()
        } else {
            path.to_string()
        };
        let found = kind_of(found);
        self.wrong(number, path.clone(), TemplateProblem::Shape { field, found, wanted })
    }

    /// Returns a value that must be a map.
    pub(super) fn map(&self, number: usize, path: &Path) -> Result<&Map<String, Value>, TemplateError> {
        const NULL: &Value = &Value::Null;
        let value = self.value(number, path).unwrap_or(NULL);
        let map = value.as_object();
        map.ok_or_else(|| self.shape(number, path, value, "a map"))
    }

    /// Returns the paths of the items of a value that must be a list.
    pub(super) fn items(&self, number: usize, path: &Path) -> Result<Vec<Path>, TemplateError> {
        match self.value(number, path) {
            None => Ok(Vec::new()),
            Some(Value::Array(items)) => Ok((0..items.len()).map(|index| path.index(index)).collect()),
            Some(other) => Err(self.shape(number, path, other, "a list")),
        }
    }

    /// Returns a value that must be a string; empty if the value is absent.
    pub(super) fn text(&self, number: usize, path: &Path) -> Result<&str, TemplateError> {
        match self.value(number, path) {
            None => Ok(""),
            Some(Value::String(text)) => Ok(text),
            Some(other) => Err(self.shape(number, path, other, "a string")),
        }
    }

    /// Returns a value that must be true or false; false if the value is absent.
    pub(super) fn flag(&self, number: usize, path: &Path) -> Result<bool, TemplateError> {
        match self.value(number, path) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(other) => Err(self.shape(number, path, other, "true or false")),
        }
    }

    /// Returns the paths of the fields of a map, in the order of `known`; the fields may be capitalized. An unknown
    /// field is an error.
    pub(super) fn fields<const COUNT: usize>(
        &self,
        path: &Path,
        known: [&'static str; COUNT],
    ) -> Result<[Option<Path>; COUNT], TemplateError> {
        let mut found = [const { None }; COUNT];
        for name in self.map(0, path)?.keys() {
            let here = path.key(name);
            let place = known.iter().position(|known| name.eq_ignore_ascii_case(known));
            let Some((place, slot)) = place.and_then(|place| Some((place, found.get_mut(place)?))) else {
                let problem = TemplateProblem::UnknownField {
                    field: name.clone(),
                    nearest: nearest(name, known),
                };
                return Err(self.wrong(0, here, problem));
            };
            if slot.is_some() {
                let field = known.get(place).copied().unwrap_or_default();
                return Err(self.wrong(0, here, TemplateProblem::RepeatedField { field }));
            }
            *slot = Some(here);
        }
        Ok(found)
    }

    /// Returns the image at a path.
    pub(super) fn image(&self, number: usize, path: &Path) -> Result<Image, TemplateError> {
        let reference = self.text(number, path)?;
        if reference.trim().is_empty() {
            let entry = path.parent().unwrap_or_default();
            let name = self.map(number, &entry)?.get("name").and_then(Value::as_str);
            let bundle = name.filter(|name| !name.is_empty()).map(str::to_owned);
            return Err(self.wrong(number, entry, TemplateProblem::NoImage { bundle }));
        }
        Ok(Image {
            reference: reference.to_owned(),
            at: self.at(number, path),
        })
    }

    /// Returns a map as a catalog document, which must have a schema.
    pub(super) fn blob(&self, number: usize, path: &Path) -> Result<document::Document, TemplateError> {
        let map = self.map(number, path)?;
        let schema = map.get("schema").and_then(Value::as_str);
        if schema.is_none_or(str::is_empty) {
            return Err(self.wrong(number, path.clone(), TemplateProblem::NoSchema));
        }
        let json = serde_json::to_string(map).and_then(|json| document::Document::from_json(&json));
        json.map_err(|error| {
            let message = error.to_string();
            self.wrong(number, path.clone(), TemplateProblem::Unreadable { message })
        })
    }

    /// Returns the type of template that a schema names, if any.
    pub(super) fn kind_at(&self, number: usize, path: &Path) -> Option<Kind> {
        let schema = self.value(number, &path.key("schema"))?;
        Kind::of_schema(schema.as_str()?)
    }
}

fn input_error(name: &str, line: usize, problem: TemplateProblem) -> TemplateError {
    let file = PathBuf::from(name);
    TemplateError {
        at: At { file, line },
        problem: Box::new(problem),
    }
}
