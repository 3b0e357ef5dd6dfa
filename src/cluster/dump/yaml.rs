//! Reads dumps in YAML.

use super::gathered::{Gathered, Refusal};
use super::pieces::{Part, Piece, Pieces};
use super::{DumpError, DumpLimits};
use crate::source::Place;
use crate::text::{self, Anchors, Limits};
use serde_json::{Map, Value};
use std::io::BufRead;
use std::path::Path;

pub(super) fn read(
    path: &Path,
    input: impl BufRead,
    limits: &DumpLimits,
    gathered: &mut Gathered<'_>,
) -> Result<(), DumpError> {
    let mut list = List::default();
    let mut anchors = Anchors::default();
    for piece in Pieces::new(input, limits.object) {
        let piece = piece.map_err(|problem| problem.at(path, limits.object))?;
        if piece.begins_document {
            anchors = Anchors::default();
        }
        if ![Part::Item, Part::Tail].contains(&piece.part) {
            list.end(gathered)
                .map_err(|(line, refusal)| refusal.at(path, line, limits))?;
        }
        for (line, value) in values(path, &piece, limits, &mut anchors)? {
            let taken = match (piece.part, value) {
                (Part::Head | Part::Tail, Value::Object(map)) => {
                    list.line.get_or_insert(line);
                    list.map.extend(map);
                    Ok(())
                }
                (Part::Item, Value::Array(items)) => {
                    list.has_items = true;
                    items.into_iter().try_for_each(|item| list.item(line, item, gathered))
                }
                (_, value) => gathered.take(value),
            };
            taken.map_err(|refusal| refusal.at(path, line, limits))?;
        }
    }
    list.end(gathered)
        .map_err(|(line, refusal)| refusal.at(path, line, limits))
}

/// Returns the documents of a piece, each with its first line in the file.
fn values(
    path: &Path,
    piece: &Piece,
    limits: &DumpLimits,
    anchors: &mut Anchors,
) -> Result<Vec<(usize, Value)>, DumpError> {
    let limits = Limits {
        file_bytes: limits.object,
        depth: limits.depth,
        values: limits.values,
        ..Limits::default()
    };
    let reading = if piece.part == Part::Document {
        text::read("", piece.text.as_bytes(), &limits)
    } else {
        text::read_part("", &piece.text, &limits, anchors)
    };
    if let Some(finding) = reading.diagnostics.iter().find(|finding| finding.is_error()) {
        let inside = finding.place.as_ref().map(Place::start);
        return Err(DumpError::Text {
            path: path.to_owned(),
            line: piece.line + inside.map_or(0, |inside| inside.line - 1),
            column: inside.map_or(1, |inside| inside.column),
            message: finding.message.clone(),
        });
    }
    let with_line = |document: text::Document| {
        let line = document.place(&text::Path::root()).start().line;
        (piece.line + line - 1, document.into_value())
    };
    Ok(reading.documents.into_iter().map(with_line).collect())
}

/// A list whose items are read one by one. Its kind may follow the items, so items without a kind are kept until then.
#[derive(Default)]
struct List {
    map: Map<String, Value>,
    waiting: Vec<Value>,
    has_items: bool,
    /// The line of the first part of the list, or of the first item that waits.
    line: Option<usize>,
}

impl List {
    fn item(&mut self, line: usize, item: Value, gathered: &mut Gathered<'_>) -> Result<(), Refusal> {
        let waits = item.as_object().is_some_and(|item| !item.contains_key("kind"));
        if !waits {
            return gathered.take(item);
        }
        gathered.count(&item)?;
        if self.waiting.is_empty() {
            self.line = Some(line);
        }
        self.waiting.push(item);
        Ok(())
    }

    fn end(&mut self, gathered: &mut Gathered<'_>) -> Result<(), (usize, Refusal)> {
        let Self {
            mut map,
            waiting,
            has_items,
            line,
        } = std::mem::take(self);
        let line = line.unwrap_or(1);
        if waiting.is_empty() {
            // kubectl writes the kind after the items, so it is absent if the output was cut off.
            let is_cut = has_items && !map.contains_key("kind");
            let found = || "a list without kind, as in output that was cut off".to_owned();
            return if is_cut {
                Err((line, Refusal::NoObject(found())))
            } else {
                Ok(())
            };
        }
        map.insert("items".to_owned(), Value::Array(waiting));
        gathered.take(Value::Object(map)).map_err(|refusal| (line, refusal))
    }
}
