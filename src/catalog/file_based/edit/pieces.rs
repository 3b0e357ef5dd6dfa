//! Replaces, removes and inserts documents as pieces of a file.

use crate::catalog::file_based::Schema;
use crate::catalog::file_based::document::known_name;
use crate::catalog::file_based::error::CatalogError;
use crate::catalog::file_based::limits::CatalogLimits;
use crate::catalog::file_based::read::Handle;
use crate::diagnostic::Diagnostic;
use crate::rules;
use crate::source::{Position, SourceFile, line_break};
use crate::text::{self, Document, Limits, Path};
use serde_json::Value;
use std::ops::Range;

/// A change to a document in a file.
#[derive(Debug)]
pub(super) struct Edit {
    /// The byte range of the document in the file.
    range: Range<usize>,
    json: bool,
    change: Change,
}

#[derive(Debug)]
enum Change {
    Replace(String),
    Remove,
    /// Insert a new document after this one.
    Insert(Value),
}

impl Edit {
    fn of(handle: &Handle, change: Change) -> Self {
        let start = usize::try_from(handle.start).unwrap_or(usize::MAX);
        Self {
            range: start..start.saturating_add(handle.length()),
            json: handle.json,
            change,
        }
    }

    pub(super) fn replace(handle: &Handle, text: String) -> Self {
        Self::of(handle, Change::Replace(text))
    }

    pub(super) fn remove(handle: &Handle) -> Self {
        Self::of(handle, Change::Remove)
    }

    pub(super) fn insert(handle: &Handle, value: Value) -> Self {
        Self::of(handle, Change::Insert(value))
    }
}

/// Parses a document with the positions of its values.
///
/// # Errors
/// Returns an error if the text is no longer a document, repeats a key, so that a position could be that of a value
/// that does not count, or capitalizes a field differently from the schema.
pub(super) fn read_piece(
    file: &std::path::Path,
    handle: &Handle,
    bytes: &[u8],
    limits: &CatalogLimits,
) -> Result<Document, CatalogError> {
    let changed = || CatalogError::Changed { file: file.to_owned() };
    let begin = Position {
        line: handle.line,
        column: 1,
    };
    let text = std::str::from_utf8(bytes).map_err(|_| changed())?;
    let source = SourceFile::part(file.display().to_string(), text, begin, handle.start);
    let reading = text::read_source(&source, &limits.of_document());
    let refused = |finding: &Diagnostic| CatalogError::Document {
        file: file.to_owned(),
        line: finding.place.as_ref().map_or(handle.line, |place| place.start().line),
        problem: finding.message.clone(),
    };
    let mut findings = reading.diagnostics.iter();
    if let Some(repeated) = findings.find(|finding| finding.rule == &rules::YAML_DUPLICATE_KEY) {
        return Err(refused(repeated));
    }
    let mut documents = reading.documents.iter();
    let Some(document) = documents.find(|document| !document.value().is_null()) else {
        let fault = reading.diagnostics.iter().find(|finding| finding.is_error());
        return Err(fault.map_or_else(changed, refused));
    };
    match capitalized(document, &handle.schema) {
        Some((path, known)) => Err(CatalogError::Document {
            file: file.to_owned(),
            line: document.key_place(&path).start().line,
            problem: format!(
                "the field {:?} must be renamed to {known:?} before the document can be edited",
                path.to_string()
            ),
        }),
        None => Ok(document.clone()),
    }
}

/// Returns the path of a field whose name differs only in case from a field that OLM reads, and the name of the latter.
fn capitalized(document: &Document, schema: &Schema) -> Option<(Path, &'static str)> {
    if !schema.is_of_olm() {
        return None;
    }
    let among = |value: &Value, path: &Path, known: &[&'static str]| {
        value.as_object()?.keys().find_map(|written| {
            let meant = known_name(written, known).filter(|meant| meant != written)?;
            Some((path.key(written), meant))
        })
    };
    let (value, root) = (document.value(), Path::root());
    among(value, &root, schema.fields()).or_else(|| {
        schema.lists().iter().find_map(|list| {
            let items = value.get(list.name)?.as_array()?;
            let path = root.key(list.name);
            let mut items = items.iter().enumerate();
            items.find_map(|(index, item)| {
                let path = path.index(index);
                among(item, &path, list.fields).or_else(|| {
                    // The values of properties are not edited.
                    let (name, known) = list.inside("")?;
                    among(item.get(name)?, &path.key(name), known)
                })
            })
        })
    })
}

/// Returns the file with all changes made, or `None` if no document is left in it.
pub(super) fn apply(before: &[u8], edits: &[Edit]) -> Option<Vec<u8>> {
    let mut sorted: Vec<&Edit> = edits.iter().collect();
    // A document that is inserted after a changed document comes after the new text.
    sorted.sort_by_key(|edit| (edit.range.start, matches!(edit.change, Change::Insert(_))));
    let newline = line_break(&String::from_utf8_lossy(before));
    let (mut out, mut end) = (Vec::with_capacity(before.len()), 0);
    let of = |range: Range<usize>| before.get(range).unwrap_or_default();
    for edit in &sorted {
        let Range { start, end: behind } = edit.range;
        match &edit.change {
            Change::Replace(text) => {
                out.extend_from_slice(of(end..start));
                out.extend_from_slice(text.as_bytes());
                end = behind;
            }
            Change::Remove if edit.json => {
                out.extend_from_slice(of(end..start));
                end = behind + line_end(of(behind..before.len()));
            }
            Change::Remove => {
                let from = separator(before, start).max(end);
                out.extend_from_slice(of(end..from));
                end = behind;
            }
            Change::Insert(value) => {
                let behind = if edit.json {
                    behind + line_end(of(behind..before.len()))
                } else {
                    behind
                };
                out.extend_from_slice(of(end..behind.max(end)));
                end = behind.max(end);
                if !out.is_empty() && !out.ends_with(b"\n") {
                    out.extend_from_slice(newline.as_bytes());
                }
                let text = document(value, edit.json, of(edit.range.clone()));
                out.extend_from_slice(text.replace('\n', newline).as_bytes());
            }
        }
    }
    out.extend_from_slice(of(end..before.len()));
    if let Some(first) = sorted.first()
        && matches!(first.change, Change::Remove)
        && !first.json
    {
        let lead = begin(of(0..first.range.start)).trim_ascii_end();
        let header = header(lead, of(first.range.clone()));
        out = onto_first_document(header, !lead.is_empty(), out);
    }
    if !before.ends_with(b"\n") {
        end_without_line_break(&mut out, edits.iter().any(|edit| edit.json));
    }
    let left = out.split(|byte| *byte == b'\n').any(|line| {
        let line = line.trim_ascii();
        !(line.is_empty() || line.starts_with(b"#") || line == b"---")
    });
    left.then_some(out)
}

const BYTE_ORDER_MARK: &[u8] = "\u{FEFF}".as_bytes();

/// Returns a text without a byte order mark and white space at its beginning.
fn begin(text: &[u8]) -> &[u8] {
    text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text).trim_ascii_start()
}

/// Returns the comments at the beginning of a file that do not belong to its first document: an empty line separates
/// them from the comments of the document. `lead` is the text before the document, which may be a `---` line.
fn header<'t>(lead: &[u8], document: &'t [u8]) -> &'t [u8] {
    if lead.contains(&b'\n') || !(lead.is_empty() || lead.starts_with(b"---")) {
        return &[];
    }
    let (mut at, mut end, mut has_comment) = (0, 0, false);
    for line in document.split_inclusive(|byte| *byte == b'\n') {
        at += line.len();
        match begin(line).first() {
            None if has_comment => end = at,
            None => {}
            Some(b'#') => has_comment = true,
            Some(_) => break,
        }
    }
    document.get(..end).unwrap_or_default()
}

/// Adds the header of a file to the document that is now its first one. The header comes after the `---` line if the
/// file is `opened` with such a line, and otherwise replaces it, because opm rejects documents of only comments.
fn onto_first_document(header: &[u8], opened: bool, file: Vec<u8>) -> Vec<u8> {
    let mut rest = begin(&file);
    if header.is_empty() || !rest.starts_with(b"---") {
        return file;
    }
    let mut out = file.get(..file.len() - rest.len()).unwrap_or_default().to_vec();
    let mut comments: Vec<u8> = Vec::new();
    let mut opens = opened;
    while let Some(behind) = rest.strip_prefix(b"---") {
        let length = behind
            .iter()
            .position(|byte| *byte == b'\n')
            .map_or(behind.len(), |at| at + 1);
        let (line, below) = behind.split_at(length);
        if opens {
            out.extend_from_slice(b"---");
            out.extend_from_slice(line);
            opens = false;
        } else {
            comments.extend_from_slice(line.trim_ascii_start());
        }
        let next = begin(below);
        rest = if next.starts_with(b"---") { next } else { below };
    }
    [&*out, header, &*comments, rest].concat()
}

/// Removes the line break at the end of a file, unless it is part of a value.
fn end_without_line_break(file: &mut Vec<u8>, json: bool) {
    let Some(line) = file.strip_suffix(b"\n") else {
        return;
    };
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let last = line
        .windows(4)
        .rposition(|bytes| bytes == b"\n---")
        .map_or(0, |at| at + 1);
    let values = |text: &[u8]| -> Vec<Value> {
        let documents = text::read("", text, &Limits::default()).documents.into_iter();
        documents.map(Document::into_value).collect()
    };
    let of_last = |file: &[u8]| file.get(last..).map(values);
    let length = line.len();
    let is_same = json || {
        let values = of_last(line);
        values.as_ref().is_some_and(|values| !values.is_empty()) && values == of_last(file)
    };
    if is_same {
        file.truncate(length);
    }
}

/// Returns the length of the white space up to the end of the line, including the line break; 0 if other text follows.
fn line_end(rest: &[u8]) -> usize {
    let blanks = rest
        .iter()
        .take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r'))
        .count();
    match rest.get(blanks) {
        Some(b'\n') => blanks + 1,
        None => blanks,
        Some(_) => 0,
    }
}

/// Returns the offset of the `---` line that opens the document at `start`, or `start` if there is none.
fn separator(text: &[u8], start: usize) -> usize {
    let before = text.get(..start).unwrap_or_default();
    let Some(line) = before.strip_suffix(b"\n") else {
        return start;
    };
    let begin = line.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    if line.get(begin..).unwrap_or_default().starts_with(b"---") {
        begin
    } else {
        start
    }
}

/// Returns the text of a new document, laid out like the adjacent one.
fn document(value: &Value, json: bool, beside: &[u8]) -> String {
    if !json {
        return format!("---\n{}", text::to_yaml(value));
    }
    let inside = beside.get(1..).unwrap_or_default();
    let blanks = inside.iter().take_while(|byte| byte.is_ascii_whitespace());
    let indent: String = blanks
        .map(|byte| char::from(*byte))
        .filter(|letter| !"\r\n".contains(*letter))
        .collect();
    if inside.first().is_some_and(|byte| b"\r\n".contains(byte)) {
        indented(value, &indent)
    } else {
        format!("{value}\n")
    }
}

fn indented(value: &Value, indent: &str) -> String {
    let formatter = serde_json::ser::PrettyFormatter::with_indent(indent.as_bytes());
    let mut out = Vec::new();
    let mut serializer = serde_json::Serializer::with_formatter(&mut out, formatter);
    // Writing to memory does not fail, and keys are strings.
    let written = serde::Serialize::serialize(value, &mut serializer);
    debug_assert!(written.is_ok());
    out.push(b'\n');
    String::from_utf8(out).unwrap_or_default()
}

/// Returns a file without documents, followed by new documents. Comments become part of the first new document,
/// because opm rejects documents of only comments.
pub(super) fn appended(before: &[u8], new: &[u8]) -> Vec<u8> {
    let mut out = before.to_vec();
    if !out.is_empty() && !out.ends_with(b"\n") {
        out.push(b'\n');
    }
    let mut lines = before.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let are_comments = !before.is_empty() && lines.all(|line| line.is_empty() || line.starts_with(b"#"));
    let opened = new.strip_prefix(b"---\n").filter(|_| are_comments);
    out.extend_from_slice(opened.unwrap_or(new));
    out
}

/// Returns the content of a file that contains only new documents.
pub(super) fn new_file(values: &[Value], json: bool) -> Vec<u8> {
    let write = |value| {
        if json {
            indented(value, "    ")
        } else {
            document(value, false, b"")
        }
    };
    values.iter().map(write).collect::<String>().into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the text of a file without one document, which is the given text.
    fn without(file: &str, document: &str) -> String {
        let start = file.find(document).unwrap();
        let edit = Edit {
            range: start..start + document.len(),
            json: false,
            change: Change::Remove,
        };
        apply(file.as_bytes(), &[edit]).map_or_else(String::new, |text| String::from_utf8(text).unwrap())
    }

    #[test]
    fn the_header_of_a_file_stays_when_its_first_document_is_removed() {
        let first = "# License\n# SPDX\n\n# first\na: 1\n";
        let file = format!("{first}---\n# second\nb: 2\n");
        assert_eq!(without(&file, first), "# License\n# SPDX\n\n# second\nb: 2\n");
        let file = format!("---\n{first}---\nb: 2\n");
        assert_eq!(without(&file, first), "---\n# License\n# SPDX\n\nb: 2\n");
        let file = format!("{first}--- # second\nb: 2\n---\nc: 3\n");
        assert_eq!(
            without(&file, first),
            "# License\n# SPDX\n\n# second\nb: 2\n---\nc: 3\n"
        );
        let file = format!("{first}---\n\n---\nb: 2\n");
        assert_eq!(without(&file, first), "# License\n# SPDX\n\nb: 2\n");
        let windows = |text: &str| format!("\u{FEFF}{}", text.replace('\n', "\r\n"));
        let file = windows(&format!("{first}---\nb: 2\n"));
        assert_eq!(without(&file, &windows(first)), windows("# License\n# SPDX\n\nb: 2\n"));
        assert_eq!(
            without(&file, windows(first).trim_start_matches('\u{FEFF}')),
            windows("# License\n# SPDX\n\nb: 2\n")
        );
    }

    #[test]
    fn comments_of_a_removed_document_are_removed() {
        assert_eq!(without("# first\na: 1\n---\nb: 2\n", "# first\na: 1\n"), "---\nb: 2\n");
        assert_eq!(without("# first\n\na: 1\n", "# first\n\na: 1\n"), "", "the file goes");
        let second = "# about b\n\n# second\nb: 2\n";
        let file = format!("a: 1\n---\n{second}---\nc: 3\n");
        assert_eq!(without(&file, second), "a: 1\n---\nc: 3\n");
    }

    #[test]
    fn a_new_first_document_gets_the_header_of_the_removed_one() {
        let (first, file) = ("# License\n\na: 1\n", "# License\n\na: 1\n---\nb: 2\n");
        let edit = |change| Edit {
            range: 0..first.len(),
            json: false,
            change,
        };
        let edits = [edit(Change::Insert(serde_json::json!({"c": 3}))), edit(Change::Remove)];
        let text = apply(file.as_bytes(), &edits).unwrap();
        assert_eq!(String::from_utf8(text).unwrap(), "# License\n\nc: 3\n---\nb: 2\n");
    }
}
