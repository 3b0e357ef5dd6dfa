//! Finds the document boundaries of a YAML stream, because Kubernetes tools split the text before they parse it.

use memchr::memmem;
use std::ops::Range;

/// The text of one document.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) range: Range<usize>,
    /// A line that begins with `---` and continues with text other than a comment.
    pub(super) bad_separator: Option<Range<usize>>,
}

/// Splits `text[from..]` at the lines that begin with `---`. The first such line in an empty document opens that
/// document instead of ending it.
pub(super) fn pieces(text: &str, from: usize) -> Pieces<'_> {
    Pieces { text, at: Some(from) }
}

pub(super) struct Pieces<'text> {
    text: &'text str,
    at: Option<usize>,
}

impl Iterator for Pieces<'_> {
    type Item = Piece;

    fn next(&mut self) -> Option<Piece> {
        let mut begin = self.at?;
        let mut search = begin;
        let mut opened = false;
        let mut bad_separator = None;
        while let Some(at) = separator(self.text, search) {
            let line_end = self.text[at..].find('\n').map_or(self.text.len(), |length| at + length);
            let next = (line_end + 1).min(self.text.len());
            let behind = self.text[at + 3..line_end].trim();
            search = next;
            if !(behind.is_empty() || behind.starts_with('#')) {
                bad_separator.get_or_insert(at..at + self.text[at..line_end].trim_end().len());
            } else if at == begin && !opened {
                opened = true;
                begin = next;
            } else {
                self.at = Some(next);
                return Some(Piece {
                    range: begin..at,
                    bad_separator,
                });
            }
            if next == self.text.len() {
                break;
            }
        }
        self.at = None;
        let blank = self.text[begin..].trim().is_empty();
        (opened || !blank).then_some(Piece {
            range: begin..self.text.len(),
            bad_separator,
        })
    }
}

/// Finds the next `---` at the beginning of a line; `from` begins a line.
fn separator(text: &str, from: usize) -> Option<usize> {
    let rest = text.get(from..)?;
    if rest.starts_with("---") {
        return Some(from);
    }
    memmem::find(rest.as_bytes(), b"\n---").map(|at| from + at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<&str> {
        pieces(text, 0).map(|piece| &text[piece.range]).collect()
    }

    #[test]
    fn lines_of_three_dashes_separate_documents() {
        assert_eq!(texts("a: 1\n---\nb: 2\n"), ["a: 1\n", "b: 2\n"]);
        assert_eq!(texts("---\na: 1\n--- # next\nb: 2\n---\n"), ["a: 1\n", "b: 2\n"]);
        assert_eq!(texts("a: 1\r\n---\r\nb: 2"), ["a: 1\r\n", "b: 2"]);
        assert_eq!(texts("a: |\n  ---\n"), ["a: |\n  ---\n"]);
        assert_eq!(texts("a\n---"), ["a\n"]);
    }

    #[test]
    fn a_leading_separator_starts_a_document() {
        assert_eq!(texts("---\n---\na: 1\n"), ["", "a: 1\n"]);
        assert_eq!(texts("a: 1\n---\n---\nb: 2\n"), ["a: 1\n", "b: 2\n"]);
        assert_eq!(texts("# c\n---\na: 1\n"), ["# c\n", "a: 1\n"]);
        assert_eq!(texts(""), [""; 0]);
        assert_eq!(texts("a: 1\n---\n\n"), ["a: 1\n"]);
    }

    #[test]
    fn text_after_the_dashes_is_reported() {
        let found: Vec<_> = pieces("a: 1\n--- {b: 2}\nc: 3\n---\nd: 4\n", 0).collect();
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].bad_separator, Some(5..15));
        assert_eq!(found[1].bad_separator, None);
        assert_eq!(pieces("----\n", 0).next().unwrap().bad_separator, Some(0..4));
    }
}
