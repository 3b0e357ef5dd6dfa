//! Text files: the name that the user knows, the text, and positions as lines and columns.

use std::fmt;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// The text of one file, kept so that findings can show the affected lines.
#[derive(Debug)]
pub struct SourceFile {
    name: String,
    text: String,
    start: Position,
    offset: u64,
    /// What precedes each stretch of [`STRETCH`] bytes.
    stretches: OnceLock<Vec<Ahead>>,
}

/// What precedes a stretch.
#[derive(Debug, Clone, Copy, Default)]
struct Ahead {
    /// The number of lines that end there.
    lines: usize,
    /// The number of characters in its last line that begin there.
    characters: usize,
}

impl Ahead {
    fn and(self, bytes: &[u8]) -> Self {
        let rest = memchr::memrchr(b'\n', bytes).map(|at| &bytes[at + 1..]);
        // All bytes of a character but the first begin with the bits 10.
        let begin = |bytes: &[u8]| bytes.iter().filter(|byte| **byte & 0xC0 != 0x80).count();
        Self {
            lines: self.lines + memchr::memchr_iter(b'\n', bytes).count(),
            characters: rest.map_or_else(|| self.characters + begin(bytes), begin),
        }
    }
}

/// The number of bytes in a stretch. When a position is requested, lines and characters are counted only within one
/// stretch. Storing the start of each line could take more memory than the text, and lines can be long.
const STRETCH: usize = 4 << 10;

impl SourceFile {
    /// Creates a file from `text` and the path that a user would recognize.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Arc<Self> {
        Self::part(name, text, Position { line: 1, column: 1 }, 0)
    }

    /// Creates a source for part of a file that is too large to be kept as a whole. The part begins at `start`, after
    /// `offset` bytes; lines and columns refer to the whole file.
    pub fn part(name: impl Into<String>, text: impl Into<String>, start: Position, offset: u64) -> Arc<Self> {
        Arc::new(Self {
            name: name.into(),
            text: text.into(),
            start,
            offset,
            stretches: OnceLock::new(),
        })
    }

    /// Returns the same text under another path.
    pub fn renamed(&self, name: impl Into<String>) -> Arc<Self> {
        Self::part(name, self.text.clone(), self.start, self.offset)
    }

    /// Returns the path of the file as specified by the user, or the path inside an image.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the text: the whole file, or the part that is kept.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the line and column of a byte offset. An offset past the end or inside a character is treated as the
    /// preceding valid offset.
    pub fn position(&self, offset: usize) -> Position {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let stretch = offset / STRETCH;
        let ahead = self.stretches().get(stretch).copied().unwrap_or_default();
        let Ahead { lines, characters } = ahead.and(&self.text.as_bytes()[stretch * STRETCH..offset]);
        Position {
            line: self.start.line + lines,
            column: characters + if lines == 0 { self.start.column } else { 1 },
        }
    }

    fn stretches(&self) -> &[Ahead] {
        self.stretches.get_or_init(|| {
            let stretches = self.text.as_bytes().chunks(STRETCH);
            let behind = stretches.scan(Ahead::default(), |ahead, stretch| {
                *ahead = ahead.and(stretch);
                Some(*ahead)
            });
            std::iter::once(Ahead::default()).chain(behind).collect()
        })
    }
}

/// Returns the line break for new lines in a string: the one that most of its lines have.
pub(crate) fn line_break(text: &str) -> &'static str {
    let windows = text.matches("\r\n").count();
    if windows > text.matches('\n').count() - windows {
        "\r\n"
    } else {
        "\n"
    }
}

/// A position for people: both numbers start at 1, and columns count characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line, counted from 1.
    pub line: usize,
    /// The column in characters, counted from 1.
    pub column: usize,
}

/// A range of bytes in a file.
#[derive(Clone)]
pub struct Place {
    /// The file.
    pub source: Arc<SourceFile>,
    /// The byte offsets into [`SourceFile::text()`].
    pub span: Range<usize>,
}

impl Place {
    /// Creates a place from the range `span` of `source`.
    pub fn new(source: &Arc<SourceFile>, span: Range<usize>) -> Self {
        Self {
            source: Arc::clone(source),
            span,
        }
    }

    /// Returns the number of bytes of the file before the range.
    pub fn offset(&self) -> u64 {
        self.source.offset + self.span.start as u64
    }

    /// Returns the position at which the range begins.
    pub fn start(&self) -> Position {
        self.source.position(self.span.start)
    }

    /// Returns the position after the last character of the range.
    pub fn end(&self) -> Position {
        self.source.position(self.span.end)
    }

    /// Returns the text of the range; empty if the range is not on character boundaries.
    pub fn text(&self) -> &str {
        self.source.text().get(self.span.clone()).unwrap_or_default()
    }
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let start = self.start();
        write!(formatter, "{}:{}:{}", self.source.name(), start.line, start.column)
    }
}

impl fmt::Debug for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{self}")
    }
}

impl Eq for Place {}

impl PartialEq for Place {
    fn eq(&self, other: &Self) -> bool {
        let place = |place: &Self| (place.offset(), place.span.len());
        self.source.name() == other.source.name() && place(self) == place(other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_characters_from_one() {
        let source = SourceFile::new("a.yaml", "über: 1\r\nkey: ä\n");
        assert_eq!(source.position(0), Position { line: 1, column: 1 });
        assert_eq!(source.position(6), Position { line: 1, column: 6 });
        let value = source.text().rfind('ä').unwrap();
        assert_eq!(source.position(value), Position { line: 2, column: 6 });
        assert_eq!(source.position(value + 1), Position { line: 2, column: 6 });
        assert_eq!(source.position(999), Position { line: 3, column: 1 });
    }

    #[test]
    fn positions_in_long_texts_match_those_in_short_ones() {
        let lines: String = (0..1_000).map(|line| format!("{}ä\n", "x".repeat(line % 7))).collect();
        let text = format!("{lines}{}\nä", "xä€".repeat(3_000));
        let source = SourceFile::new("a.yaml", text.as_str());
        for offset in (0..text.len())
            .step_by(3)
            .filter(|offset| text.is_char_boundary(*offset))
        {
            let before = &text[..offset];
            let line = before.matches('\n').count() + 1;
            let column = before.rsplit('\n').next().unwrap().chars().count() + 1;
            assert_eq!(source.position(offset), Position { line, column }, "{offset}");
        }
    }

    #[test]
    fn a_part_of_a_file_keeps_the_line_numbers_of_the_file() {
        let part = SourceFile::part("a.yaml", "b: 2\nc: 3\n", Position { line: 7, column: 3 }, 20);
        assert_eq!(Place::new(&part, 3..4).to_string(), "a.yaml:7:6");
        let second = Place::new(&part, 5..6);
        assert_eq!((second.to_string().as_str(), second.offset()), ("a.yaml:8:1", 25));
        let whole = SourceFile::new("a.yaml", "#".repeat(30));
        assert_eq!(Place::new(&whole, 25..26), second);
        assert_ne!(Place::new(&whole, 5..6), second);
    }

    #[test]
    fn a_place_is_printed_in_the_format_of_editors() {
        let source = SourceFile::new("manifests/a.yaml", "a: 1\nb: 2\n");
        assert_eq!(Place::new(&source, 8..9).to_string(), "manifests/a.yaml:2:4");
        assert_eq!(Place::new(&source, 8..9).text(), "2");
    }
}
