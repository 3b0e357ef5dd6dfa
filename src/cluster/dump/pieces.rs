//! Splits a YAML stream into pieces that can be read independently: documents, and the items of lists as kubectl writes
//! them, with their dashes at the beginning of lines.

use super::DumpError;
use crate::files::FileError;
use std::io::{self, BufRead, Read};
use std::path::Path;

/// The type of a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// A whole document.
    Document,
    /// The part before the items of a list.
    Head,
    /// A list with one item.
    Item,
    /// The part after the items of a list.
    Tail,
}

/// A piece of a file.
pub(super) struct Piece {
    /// The type of the piece.
    pub(super) part: Part,
    /// Whether the piece is the first one of its document, so that its aliases cannot refer to earlier pieces.
    pub(super) begins_document: bool,
    /// The line of the file on which the piece begins, counted from 1.
    pub(super) line: usize,
    /// The text, which is complete YAML.
    pub(super) text: String,
}

/// The reason why there is no further piece.
pub(super) enum Problem {
    Read(io::Error),
    /// The piece that begins on this line is too large.
    Large(usize),
}

impl Problem {
    pub(super) fn at(self, path: &Path, limit: usize) -> DumpError {
        let path = path.to_owned();
        match self {
            Self::Read(error) => FileError::new("read", path, error).into(),
            Self::Large(line) => DumpError::Object { path, line, limit },
        }
    }
}

/// The pieces of a file, at most `limit` bytes each.
pub(super) struct Pieces<R> {
    input: R,
    limit: usize,
    /// The number of lines that have been read.
    line: usize,
    /// The first line of the next piece.
    ahead: Option<String>,
    /// The type of the next piece.
    part: Part,
    /// Whether the next piece is the first one of its document.
    at_document: bool,
    ended: bool,
}

impl<R: BufRead> Pieces<R> {
    pub(super) fn new(input: R, limit: usize) -> Self {
        Self {
            input,
            limit,
            line: 0,
            ahead: None,
            part: Part::Document,
            at_document: true,
            ended: false,
        }
    }

    /// Returns the next line with its line break; `None` at the end of the file.
    fn next_line(&mut self) -> Result<Option<String>, Problem> {
        let mut bytes = Vec::new();
        let bound = u64::try_from(self.limit).unwrap_or(u64::MAX).saturating_add(1);
        let read = (&mut self.input).take(bound).read_until(b'\n', &mut bytes);
        let read = read.map_err(Problem::Read)?;
        self.line += 1;
        if read > self.limit {
            return Err(Problem::Large(self.line));
        }
        let text = String::from_utf8(bytes).map_err(|error| Problem::Read(io::Error::other(error)));
        Ok(Some(text?).filter(|line| !line.is_empty()))
    }

    fn piece(&mut self) -> Result<Option<Piece>, Problem> {
        let mut text = String::new();
        let mut begin = self.line;
        if let Some(ahead) = self.ahead.take() {
            text = ahead;
        } else {
            begin += 1;
        }
        let mut part = self.part;
        let mut begins_document = std::mem::take(&mut self.at_document);
        loop {
            let Some(line) = self.next_line()? else {
                self.ended = true;
                break;
            };
            if line.starts_with("---") {
                self.part = Part::Document;
                if text.trim().is_empty() {
                    begins_document = true;
                    (text, begin, part) = (String::new(), self.line + 1, self.part);
                    continue;
                }
                self.at_document = true;
                break;
            }
            if part == Part::Document && line.trim_end() == "items:" {
                (part, self.part) = (Part::Head, Part::Item);
                if text.trim().is_empty() {
                    (text, begin, part) = (String::new(), self.line + 1, self.part);
                    continue;
                }
                break;
            }
            let key = line.starts_with(|first: char| first.is_ascii_alphabetic());
            if part == Part::Item && (key || line.starts_with("- ")) {
                self.part = if key { Part::Tail } else { Part::Item };
                if text.trim().is_empty() {
                    (text, begin, part) = (line, self.line, self.part);
                    continue;
                }
                self.ahead = Some(line);
                break;
            }
            if text.len() + line.len() > self.limit {
                return Err(Problem::Large(begin));
            }
            text.push_str(&line);
        }
        let empty = text.trim().is_empty();
        let line = begin;
        Ok((!empty).then_some(Piece {
            part,
            begins_document,
            line,
            text,
        }))
    }
}

impl<R: BufRead> Iterator for Pieces<R> {
    type Item = Result<Piece, Problem>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.ended || self.ahead.is_some() {
            match self.piece() {
                Ok(Some(piece)) => return Some(Ok(piece)),
                Ok(None) => {}
                Err(problem) => {
                    (self.ended, self.ahead) = (true, None);
                    return Some(Err(problem));
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str) -> Vec<(Part, usize, String)> {
        let pieces = Pieces::new(text.as_bytes(), 1000);
        let shown = |piece: Result<Piece, Problem>| piece.ok().map(|piece| (piece.part, piece.line, piece.text));
        pieces.map(|piece| shown(piece).unwrap()).collect()
    }

    #[test]
    fn list_items_and_documents_are_split_into_pieces() {
        let text = "\
apiVersion: v1
items:
- a: 1
  b: |
    ---x
- a: 2
kind: List
metadata:
  x: 1
---
a: 3
items: []
---

---
- a: 4
";
        let expected = [
            (Part::Head, 1, "apiVersion: v1\n"),
            (Part::Item, 3, "- a: 1\n  b: |\n    ---x\n"),
            (Part::Item, 6, "- a: 2\n"),
            (Part::Tail, 7, "kind: List\nmetadata:\n  x: 1\n"),
            (Part::Document, 11, "a: 3\nitems: []\n"),
            (Part::Document, 16, "- a: 4\n"),
        ];
        assert_eq!(
            pieces(text),
            expected.map(|(part, line, text)| (part, line, text.to_owned()))
        );
        assert_eq!(pieces(""), []);
    }

    #[test]
    fn an_unterminated_piece_is_rejected_with_its_line() {
        let long = format!("a: 1\n---\nb:\n{}", "  x: y\n".repeat(1000));
        let mut pieces = Pieces::new(long.as_bytes(), 100);
        assert!(pieces.next().unwrap().is_ok());
        assert!(matches!(pieces.next(), Some(Err(Problem::Large(3)))));
        assert!(pieces.next().is_none());
        let line = "x".repeat(1000);
        assert!(matches!(
            Pieces::new(line.as_bytes(), 100).next(),
            Some(Err(Problem::Large(1)))
        ));
    }
}
