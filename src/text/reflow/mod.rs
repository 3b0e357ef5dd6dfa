//! The layout of a YAML document made canonical: indentation, blanks behind keys and dashes, empty lines, and which keys
//! come first. Scalars and what stands in brackets are written as before, and so are the comments.

mod comments;
mod tree;
mod write;

use super::document::{Document, Format};
use super::limits::Limits;
use super::read::read_source;
use crate::source::SourceFile;
use comments::comments;

/// The text of the file of a YAML document that is alone in it, in canonical layout; the keys `first` of the root come
/// first, in this order. None where the document has a form whose layout cannot be changed, such as explicit keys.
///
/// What is written is read back: it says the same, and has the same comments.
pub(crate) fn reflow(document: &Document, first: &[&str]) -> Option<String> {
    let text = document.source().text();
    if document.format() != Format::Yaml || document.number() != 0 {
        return None;
    }
    let lines = text.replace("\r\n", "\n");
    if lines.contains(['\r', '\u{85}', '\u{2028}', '\u{2029}']) {
        // These end lines for some readers.
        return None;
    }
    let root = tree::read(&lines)?;
    let known = comments(&lines)?;
    // An alias has to stay behind its anchor.
    let mut ways = [first, &[]].into_iter();
    ways.find_map(|first| {
        let written = write::written(&lines, &root, first)?;
        (comments(&written)? == known && says_the_same(document, &written)).then_some(written)
    })
}

fn says_the_same(document: &Document, text: &str) -> bool {
    let source = SourceFile::new(document.source().name(), text);
    let limits = Limits {
        file_bytes: usize::MAX,
        values: usize::MAX,
        documents: usize::MAX,
        depth: Limits::MOST_DEPTH,
    };
    let reading = read_source(&source, &limits);
    matches!(&reading.documents[..], [one] if one.format() == Format::Yaml && one.value() == document.value())
}

#[cfg(test)]
mod tests;
