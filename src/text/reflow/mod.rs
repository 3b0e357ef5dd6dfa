//! Makes the layout of a YAML document canonical: indentation, spaces after keys and dashes, empty lines, and the order
//! of the first keys. Scalars, values in brackets and comments are not changed.

mod comments;
mod tree;
mod write;

use super::document::{Document, Format};
use super::limits::Limits;
use super::read::read_source;
use crate::source::SourceFile;
use comments::comments;

/// Returns the text of a file with a single YAML document in canonical layout; the keys `first` of the root come first,
/// in this order. Returns `None` if the layout of the document cannot be changed, for example because of explicit keys.
///
/// The result is read back to verify that the value and the comments are unchanged.
pub(crate) fn reflow(document: &Document, first: &[&str]) -> Option<String> {
    let text = document.source().text();
    if document.format() != Format::Yaml || document.number() != 0 {
        return None;
    }
    let lines = text.replace("\r\n", "\n");
    if lines.contains(['\r', '\u{85}', '\u{2028}', '\u{2029}']) {
        // Some readers treat these characters as line breaks.
        return None;
    }
    let root = tree::read(&lines)?;
    let known = comments(&lines)?;
    // An alias must come after its anchor, so it may be necessary to keep the order.
    let mut ways = [first, &[]].into_iter();
    ways.find_map(|first| {
        let written = write::written(&lines, &root, first)?;
        (comments(&written)? == known && says_the_same(document, &written)).then_some(written)
    })
}

fn says_the_same(document: &Document, text: &str) -> bool {
    let source = SourceFile::new(document.source().name(), text);
    let reading = read_source(&source, &Limits::UNLIMITED);
    matches!(&reading.documents[..], [one] if one.format() == Format::Yaml && one.value() == document.value())
}

#[cfg(test)]
mod tests;
