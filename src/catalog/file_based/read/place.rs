//! The places of documents, for findings of checks that know only the contents of documents.

use super::{FileBasedCatalog, Handle};
use crate::catalog::file_based::error::CatalogError;
use crate::source::{Place, Position, SourceFile};
use crate::text::{self, Path};

/// The maximum number of bytes of text to keep before and after the place. More of a line is never shown.
const KEPT: usize = 1 << 10;

impl FileBasedCatalog {
    /// Returns the place of the name of a document, or the start of a document without a name. Only the line of the
    /// place is kept in memory.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, or has changed in the meantime.
    pub(crate) fn place(&self, handle: &Handle) -> Result<Place, CatalogError> {
        let file = self.file(handle).display().to_string();
        let bytes = self.bytes(handle)?;
        let begin = Position {
            line: handle.line,
            column: 1,
        };
        let source = SourceFile::part(file, String::from_utf8_lossy(&bytes), begin, handle.start);
        let reading = text::read_source(&source, &self.limits.of_document());
        let name = Path::from("name");
        let mut documents = reading.documents.iter();
        let named = documents.find(|document| name.get(document.value()).is_some());
        Ok(named.map_or_else(
            || of_line(&Place::new(&source, 0..0)),
            |document| of_line(&document.place(&name)),
        ))
    }
}

/// Returns the place in a source that contains only the line of the place.
fn of_line(place: &Place) -> Place {
    let (text, span) = (place.source.text(), &place.span);
    let from = text.floor_char_boundary(span.start.saturating_sub(KEPT));
    let to = text.floor_char_boundary(span.end.saturating_add(KEPT));
    let before = text.get(from..span.start).unwrap_or_default();
    let after = text.get(span.end..to).unwrap_or_default();
    let from = before.rfind('\n').map_or(from, |at| from + at + 1);
    let to = after.find('\n').map_or(to, |at| span.end + at);
    let line = Place::new(&place.source, from..to);
    let source = SourceFile::part(place.source.name(), line.text(), line.start(), line.offset());
    Place::new(&source, span.start - from..span.end - from)
}
