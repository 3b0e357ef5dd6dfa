//! The documents of a package with their surrounding text, assembled into files.

use crate::catalog::file_based::Schema;
use crate::catalog::file_based::edit::Editor;
use crate::catalog::file_based::error::CatalogError;
use crate::catalog::file_based::read::Handle;
use crate::text::{self, Limits};
use std::collections::HashMap;
use std::ops::Range;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// A document with the preceding text in its file, and, for the last document, the following text.
#[derive(Debug)]
pub(super) struct Part {
    /// The positions of the source catalog and file.
    file: (usize, usize),
    /// The byte range of the document in the file, with the surrounding text.
    range: Range<u64>,
    pub(super) schema: Schema,
    pub(super) is_json: bool,
    before: Vec<u8>,
    pub(super) document: Vec<u8>,
    behind: Vec<u8>,
}

/// Returns the byte range of each document of a catalog in its file, by handle.
pub(super) fn ranges(editor: &Editor) -> HashMap<usize, Range<u64>> {
    let catalog = &editor.catalog;
    let mut order: Vec<(usize, &Handle)> = catalog.handles.iter().enumerate().collect();
    order.sort_by_key(|(_, handle)| (handle.file, handle.start));
    let mut ranges = HashMap::with_capacity(order.len());
    let mut before = (0, 0);
    for (place, (index, handle)) in order.iter().enumerate() {
        let start = if before.0 == handle.file { before.1 } else { 0 };
        let is_last = order.get(place + 1).is_none_or(|(_, next)| next.file != handle.file);
        let end = if is_last {
            catalog.file_length(handle.file)
        } else {
            handle.start + handle.length() as u64
        };
        before = (handle.file, end);
        ranges.insert(*index, start..end);
    }
    ranges
}

impl Part {
    /// Reads a document of a catalog; `range` is its byte range in the file.
    pub(super) fn read(
        catalog: usize,
        editor: &Editor,
        handle: &Handle,
        range: Range<u64>,
    ) -> Result<Self, CatalogError> {
        let bytes = editor.catalog.part(handle.file, range.clone())?;
        let at = |place: u64| usize::try_from(place - range.start).unwrap_or(usize::MAX);
        let (start, end) = (at(handle.start), at(handle.start + handle.length() as u64));
        let of = |span: Range<usize>| bytes.get(span).unwrap_or_default().to_vec();
        Ok(Self {
            file: (catalog, handle.file),
            schema: handle.schema.clone(),
            is_json: handle.json,
            before: of(0..start),
            document: of(start..end),
            behind: of(end..bytes.len()),
            range,
        })
    }

    /// Returns the position of the source catalog.
    pub(super) fn catalog(&self) -> usize {
        self.file.0
    }

    /// Adds the document to a file whose last document is `last`.
    fn add(&self, last: Option<&Self>, out: &mut Vec<u8>) {
        let follows = match last {
            Some(last) => last.file == self.file && last.range.end == self.range.start,
            None => self.range.start == 0,
        };
        let before = if follows {
            &self.before
        } else {
            let before = self.before.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&self.before);
            if !out.is_empty() && !out.ends_with(b"\n") {
                out.push(b'\n');
            }
            if self.is_json {
                before.trim_ascii()
            } else {
                if !before.starts_with(b"---") && !out.is_empty() {
                    out.extend_from_slice(b"---\n");
                }
                before
            }
        };
        out.extend_from_slice(before);
        out.extend_from_slice(&self.document);
        out.extend_from_slice(&self.behind);
    }

    /// Adds a line break to the last line of a YAML document, so that more text can follow. If the line break would
    /// become part of a string, rewrites the document so that the string keeps its value.
    fn close(&mut self) {
        let Ok(text) = std::str::from_utf8(&self.document) else {
            return;
        };
        if self.is_json || text.ends_with('\n') || !self.behind.is_empty() {
            return;
        }
        let read = |text: &str| {
            let documents = text::read("", text.as_bytes(), &Limits::default()).documents;
            documents.into_iter().next()
        };
        let closed = format!("{text}\n");
        let revised = match (read(text), read(&closed)) {
            (Some(before), Some(after)) if before.value() != after.value() => {
                text::revise(&after, before.value()).unwrap_or(closed)
            }
            _ => closed,
        };
        self.document = revised.into_bytes();
    }
}

/// Returns the names and contents of the files that consist of these parts: one file for JSON and one for YAML.
pub(super) fn files(mut parts: Vec<Part>) -> Vec<(&'static str, Vec<u8>)> {
    let mut files = Vec::new();
    for (name, is_json) in [("catalog.json", true), ("catalog.yaml", false)] {
        let mut out = Vec::new();
        let mut of_file: Vec<&mut Part> = parts.iter_mut().filter(|part| part.is_json == is_json).collect();
        let all_but_last = of_file.len().saturating_sub(1);
        of_file.iter_mut().take(all_but_last).for_each(|part| part.close());
        let mut last: Option<&Part> = None;
        for part in of_file {
            part.add(last, &mut out);
            last = Some(part);
        }
        if last.is_some() {
            files.push((name, out));
        }
    }
    files
}
