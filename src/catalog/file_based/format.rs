//! The canonical form of a catalog's files, which preserves the content and the comments of documents.

use super::Schema;
use super::document::Document;
use super::limits::CatalogLimits;
use super::stream::Stream;
use super::write::{Language, write};
use crate::diagnostic::Diagnostic;
use crate::image::Digest;
use crate::rules;
use crate::source::{Position, SourceFile};
use crate::text::{self, Reading};
use serde_json::Value;
use std::collections::HashMap;

/// A file in canonical form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Formatted {
    /// The content of the file.
    pub content: Vec<u8>,
    /// The documents that keep their layout because another layout would change their content: the first line of each,
    /// counted from 1.
    pub kept: Vec<usize>,
}

/// Returns the canonical form of a file. JSON is indented by four spaces. YAML keeps its scalars, brackets and
/// comments, but uses the usual indentation and separators of catalogs. In both, the fields of a schema are in the
/// order that the schema defines, and lines end with a line feed.
///
/// Comments above the first `---` line are moved into the first document, because opm rejects documents of only
/// comments. Documents are in the order of packages, channels, bundles and deprecations, unless that could separate a
/// comment from its subject. Returns `None` if the file cannot be read.
pub fn format(content: &[u8], limits: CatalogLimits) -> Option<Formatted> {
    let (mut parts, is_json) = parts(content, limits)?;
    let header = take_header(&mut parts);
    let stays = header.as_ref().is_some_and(|header| !header.separator.is_empty());
    if !stays && parts.iter().enumerate().all(|(place, part)| may_move(place, part)) {
        parts = sorted(parts);
    }
    let contents: Vec<Digest> = parts.iter().filter_map(Part::content).collect();
    if contents.is_empty() {
        let content = content.to_owned();
        return Some(Formatted {
            content,
            kept: Vec::new(),
        });
    }
    let kept = parts.iter().filter(|part| part.kept).map(|part| part.line).collect();
    let length = parts.iter().map(|part| part.text.len() + "---\n".len()).sum();
    let mut formatted = String::with_capacity(length);
    for (place, part) in parts.into_iter().enumerate() {
        let has_document = part.document.is_some();
        let header = header.as_ref().filter(|_| place == 0);
        let separator = header.map_or(&part.separator, |header| &header.separator);
        if !is_json && (place > 0 || has_document || !separator.is_empty()) {
            formatted.push_str("---");
            for (place, comment) in separator.iter().enumerate() {
                formatted.push_str(if place == 0 { " " } else { "\n" });
                formatted.push_str(comment);
            }
            formatted.push('\n');
        }
        formatted.push_str(header.map_or("", |header| &header.text));
        formatted.push_str(&part.text);
    }
    let content = formatted.into_bytes();
    (self::contents(&content, limits)? == contents).then_some(Formatted { content, kept })
}

/// A document, or comments that belong to no document.
#[derive(Debug)]
struct Part {
    line: usize,
    /// The comments on the preceding `---` lines.
    separator: Vec<String>,
    /// The document; `None` for comments.
    document: Option<Identity>,
    text: String,
    /// Whether the part keeps its old layout.
    kept: bool,
}

impl Part {
    fn content(&self) -> Option<Digest> {
        Some(self.document.as_ref()?.content)
    }
}

/// What is kept of a document in addition to its text; its values would take several times the memory of the text.
#[derive(Debug)]
struct Identity {
    /// The digest of the values, whatever their layout.
    content: Digest,
    schema: Schema,
    /// The package; `None` if the document is not a map.
    package: Option<String>,
}

impl Identity {
    /// Returns the identity of a document with this value, or `None` if the document is empty.
    fn of(mut value: Value) -> Option<Self> {
        if value.is_null() {
            return None;
        }
        let text = |field: &str| value.get(field).and_then(Value::as_str).unwrap_or_default();
        let schema = Schema::from(text("schema"));
        let package = text(if schema == Schema::Package { "name" } else { "package" });
        let package = value.is_object().then(|| package.to_owned());
        value.sort_all_objects();
        Some(Self {
            content: Digest::of(value.to_string().as_bytes()),
            schema,
            package,
        })
    }
}

/// Returns the digests of the documents in a file.
fn contents(content: &[u8], limits: CatalogLimits) -> Option<Vec<Digest>> {
    let mut stream = Stream::new(content, limits.document_bytes);
    let mut contents = Vec::new();
    while let Some(piece) = stream.next().ok()? {
        let text = std::str::from_utf8(piece.bytes).ok()?;
        let value = if piece.json {
            serde_json::from_str(text).ok()?
        } else {
            let reading = read_yaml(text, piece.line, &limits)?;
            reading
                .documents
                .first()
                .map(|document| document.value().clone())
                .unwrap_or_default()
        };
        contents.extend(Identity::of(value).map(|identity| identity.content));
    }
    Some(contents)
}

/// Removes the comments at the beginning of a file that form a separate document, if they can become part of the first
/// document: opm rejects documents of only comments.
fn take_header(parts: &mut Vec<Part>) -> Option<Part> {
    let is_comment = |part: &&Part| part.document.is_none() && part.text.lines().all(|line| line.starts_with('#'));
    let count = parts.iter().take_while(is_comment).count();
    let first = parts.get(count).filter(|part| part.document.is_some() && !part.kept);
    let mut behind = parts.iter().skip(1).take(count);
    if count == 0 || first.is_none() || !behind.all(|part| part.separator.is_empty()) {
        return None;
    }
    let mut comments = parts.drain(..count);
    let mut header = comments.next()?;
    header.text.extend(comments.map(|part| part.text));
    Some(header)
}

/// Splits a file into parts, each in its canonical form, and returns whether the file is JSON.
fn parts(content: &[u8], limits: CatalogLimits) -> Option<(Vec<Part>, bool)> {
    let mut stream = Stream::new(content, limits.document_bytes);
    let mut parts: Vec<Part> = Vec::new();
    let mut is_json = false;
    let mut end = 0;
    let mut pending: Vec<String> = Vec::new();
    while let Some(piece) = stream.next().ok()? {
        let start = usize::try_from(piece.start).ok()?;
        let before = content.get(end..start).unwrap_or_default();
        end = start + piece.bytes.len();
        let text = std::str::from_utf8(piece.bytes).ok()?;
        is_json = piece.json;
        pending.extend(comments_of_separators(before));
        let mut part = Part {
            line: piece.line,
            separator: std::mem::take(&mut pending),
            document: None,
            text: String::new(),
            kept: false,
        };
        if piece.json {
            let document = Document::from_json(text).ok()?;
            let fields = document.schema().map_or(&[][..], |schema| schema.fields());
            let place = |name: &str| fields.iter().position(|field| *field == name);
            let document = document.sorted_by(|name| place(name).unwrap_or(fields.len()));
            let mut out = Vec::new();
            write(&document, Language::Json, &mut out).ok()?;
            part.text = String::from_utf8(out).ok()?;
            part.document = Identity::of(serde_json::from_str(text).ok()?);
        } else {
            yaml(&mut part, text, &limits)?;
        }
        if part.document.is_none() && part.text.is_empty() {
            pending = part.separator;
        } else {
            parts.push(part);
        }
    }
    // Comments on separators that precede no document.
    pending.extend(comments_of_separators(content.get(end..).unwrap_or_default()));
    if let Some(last) = parts.last_mut().filter(|_| !is_json) {
        for comment in pending {
            last.text.push_str(&comment);
            last.text.push('\n');
        }
    }
    Some((parts, is_json))
}

/// Parses a document of a YAML file that begins on this line. Returns `None` if it is not YAML.
fn read_yaml(text: &str, line: usize, limits: &CatalogLimits) -> Option<Reading> {
    let begin = Position { line, column: 1 };
    let source = SourceFile::part("", text, begin, 0);
    let reading = text::read_source(&source, &limits.of_document());
    let mut errors = reading.diagnostics.iter().filter(|finding| finding.is_error());
    errors.all(is_repeated_key).then_some(reading)
}

fn is_repeated_key(finding: &Diagnostic) -> bool {
    finding.rule == &rules::YAML_DUPLICATE_KEY
}

/// Parses a piece of YAML and lays it out again. Returns `None` if the piece is not YAML.
fn yaml(part: &mut Part, text: &str, limits: &CatalogLimits) -> Option<()> {
    let reading = read_yaml(text, part.line, limits)?;
    let document = reading.documents.first().filter(|document| !document.value().is_null());
    let Some(document) = document else {
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        part.text = lines.map(|line| format!("{line}\n")).collect();
        return Some(());
    };
    let identity = Identity::of(document.value().clone())?;
    // Which of two values is right is for the author to say, so both stay.
    let is_repeated = reading.diagnostics.iter().any(is_repeated_key);
    let formatted = text::reflow(document, identity.schema.fields()).filter(|_| !is_repeated);
    part.document = Some(identity);
    part.kept = formatted.is_none();
    part.text = formatted.unwrap_or_else(|| text.to_owned());
    Some(())
}

/// Returns the comments on the `---` lines between two documents.
fn comments_of_separators(between: &[u8]) -> Vec<String> {
    let between = String::from_utf8_lossy(between);
    let comments = between.lines().filter_map(|line| {
        let comment = line.strip_prefix("---")?.trim();
        comment.starts_with('#').then(|| comment.to_owned())
    });
    comments.collect()
}

/// Returns whether a part may be moved: only if its comments cannot be about another document.
fn may_move(place: usize, part: &Part) -> bool {
    let is_comment = part.document.is_none();
    let ends_with_comment = || part.text.lines().next_back().is_some_and(|line| line.starts_with('#'));
    !part.kept && part.separator.is_empty() && if is_comment { place == 0 } else { !ends_with_comment() }
}

/// Sorts documents in the order of packages, channels, bundles and deprecations; packages keep their order in the file.
fn sorted(parts: Vec<Part>) -> Vec<Part> {
    let mut packages: HashMap<String, usize> = HashMap::new();
    let mut ranked: Vec<_> = parts
        .into_iter()
        .map(|part| (rank(part.document.as_ref(), &mut packages), part))
        .collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().map(|(_, part)| part).collect()
}

/// Returns the sort rank of a document in its file; comments at the beginning stay there.
fn rank(document: Option<&Identity>, packages: &mut HashMap<String, usize>) -> Option<(usize, u8)> {
    let document = document?;
    let package = match document.package.as_deref()? {
        "" => usize::MAX,
        package => {
            let next = packages.len();
            *packages.entry(package.to_owned()).or_insert(next)
        }
    };
    Some((package, document.schema.rank()))
}

#[cfg(test)]
mod tests;
