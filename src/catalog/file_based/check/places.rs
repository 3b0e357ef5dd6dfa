//! Locates findings: documents with findings are read a second time, one at a time.

use super::found::{At, DocumentId, Found, Inside};
use super::{Files, Spot};
use crate::diagnostic::{self, Diagnostic};
use crate::source::{Place, Position, SourceFile};
use crate::text::{self, Document};
use std::sync::Arc;

/// The maximum number of bytes of text that are kept for display with findings. Beyond this limit, findings have only
/// lines and columns.
const KEPT: usize = 32 << 20;

/// Locates findings in the documents of `files`.
pub(super) fn placed(files: &Files<'_>, found: Vec<Found>) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::with_capacity(found.len());
    // Each place with the number of its finding; a related place also has its label.
    let mut wanted: Vec<(At, usize, Option<String>)> = Vec::new();
    for finding in found {
        let number = diagnostics.len();
        wanted.push((finding.at, number, None));
        wanted.extend(finding.related.into_iter().map(|(at, label)| (at, number, Some(label))));
        diagnostics.push(finding.diagnostic);
    }
    // This also puts the related positions of each finding in document order.
    wanted.sort_by_key(|(at, ..)| at.document);
    let mut kept = 0;
    for group in wanted.chunk_by(|(one, ..), (other, ..)| one.document == other.document) {
        let Some((first, ..)) = group.first() else {
            continue;
        };
        let mut open = Open::new(files, first.document);
        let whole = kept + open.text_bytes() <= KEPT;
        if whole {
            kept += open.text_bytes();
        }
        for (at, number, label) in group {
            let place = open.place(&at.place);
            let place = if whole { place } else { without_text(&place) };
            let Some(diagnostic) = diagnostics.get_mut(*number) else {
                continue;
            };
            match label {
                None => {
                    diagnostic.path = path_of(&at.place);
                    diagnostic.place = Some(place);
                }
                Some(label) => diagnostic.related.push((place, label.clone())),
            }
        }
    }
    diagnostic::sort(&mut diagnostics);
    diagnostics
}

/// Returns the path of a position, if it has one.
pub(super) fn path_of(place: &Inside) -> Option<String> {
    match place {
        Inside::Value(path) | Inside::Key(path) if !path.is_root() => Some(path.to_string()),
        _ => None,
    }
}

/// Returns the place without the text, so that only the line and column of its start are kept.
fn without_text(place: &Place) -> Place {
    let source = SourceFile::part(place.source.name(), "", place.start(), place.offset());
    Place::new(&source, 0..0)
}

/// A document that was read again.
struct Open {
    source: Arc<SourceFile>,
    document: Option<Document>,
}

impl Open {
    fn new(files: &Files<'_>, id: DocumentId) -> Self {
        let name = files.name(id);
        let Some(Spot { start, line, .. }) = files.spot(id) else {
            let source = SourceFile::new(name, "");
            return Self { source, document: None };
        };
        let begin = Position { line, column: 1 };
        // The text was readable during the check; even if it no longer is, the line is still useful.
        let text = files.text(id).unwrap_or_default();
        let source = SourceFile::part(name, text, begin, start);
        let reading = text::read_source(&source, &files.limits());
        Self {
            source,
            document: reading.documents.into_iter().next(),
        }
    }

    fn text_bytes(&self) -> usize {
        self.source.text().len()
    }

    fn place(&mut self, inside: &Inside) -> Place {
        let whole = |source: &Arc<SourceFile>| {
            let text = source.text();
            let start = text.len() - text.trim_start().len();
            let line = text.get(start..).and_then(|rest| rest.find('\n'));
            Place::new(source, start..line.map_or(text.len(), |line| start + line))
        };
        match (inside, &self.document) {
            (Inside::Value(path), Some(_)) if path.is_root() => whole(&self.source),
            (Inside::Value(path), Some(document)) => {
                // A missing value is located at the start of its object.
                if path.get(document.value()).is_some() {
                    document.place(path)
                } else {
                    let mut parent = path.parent();
                    while let Some(path) = parent.take() {
                        if path.get(document.value()).is_some() && !path.is_root() {
                            return document.key_place(&path);
                        }
                        parent = path.parent();
                    }
                    let name = text::Path::from("name");
                    if name.get(document.value()).is_some() {
                        return document.place(&name);
                    }
                    whole(&self.source)
                }
            }
            (Inside::Key(path), Some(document)) => document.key_place(path),
            (Inside::Line(line), _) => {
                let text = self.source.text();
                let mut starts = text.match_indices('\n').map(|(at, _)| at + 1);
                let start = line.checked_sub(2).map_or(Some(0), |number| starts.nth(number));
                let start = start.unwrap_or(0);
                let length = text
                    .get(start..)
                    .map_or(0, |rest| rest.find('\n').unwrap_or(rest.len()));
                Place::new(&self.source, start..start + length)
            }
            (_, None) => whole(&self.source),
        }
    }
}
