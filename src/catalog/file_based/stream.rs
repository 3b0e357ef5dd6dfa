//! Splits a catalog file into documents while it is read: only one document is in memory at a time, regardless of the
//! file size.
//!
//! A file that begins with `{` is a stream of JSON objects; everything else is YAML, with documents between `---`
//! lines.

use std::io::{self, Read};

/// The number of bytes per read.
const CHUNK: usize = 64 << 10;

/// One document, as it appears in its file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Piece<'a> {
    /// Whether the document is JSON instead of YAML.
    pub(super) json: bool,
    /// The start offset, in bytes.
    pub(super) start: u64,
    /// The line on which the document begins, counted from 1.
    pub(super) line: usize,
    /// The bytes of the document.
    pub(super) bytes: &'a [u8],
}

/// The reason why a file cannot be split into documents.
#[derive(Debug, thiserror::Error)]
pub(super) enum CutError {
    /// Reading failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A document is larger than the limit.
    #[error("the document is larger than {limit} bytes")]
    TooLarge {
        /// The limit.
        limit: usize,
        /// The line on which the document begins.
        line: usize,
    },
    /// There is other text between JSON objects.
    #[error("expected the next object or the end of the file")]
    Between {
        /// The line.
        line: usize,
    },
    /// The last object is not closed.
    #[error("the object that begins here is not closed at the end of the file")]
    Open {
        /// The line on which the object begins.
        line: usize,
    },
}

impl CutError {
    /// Returns the line of the error.
    pub(super) fn line(&self) -> usize {
        match self {
            Self::Io(_) => 1,
            Self::TooLarge { line, .. } | Self::Between { line } | Self::Open { line } => *line,
        }
    }
}

/// Splits a file into documents.
#[derive(Debug)]
pub(super) struct Stream<R> {
    reader: R,
    /// Bytes from the file. The bytes before `used` have been returned.
    buffer: Vec<u8>,
    used: usize,
    /// The number of bytes in the file before the buffer.
    before: u64,
    line: usize,
    ended: bool,
    json: Option<bool>,
    limit: usize,
}

impl<R: Read> Stream<R> {
    /// Creates a stream; `limit` is the maximum size of a document in bytes.
    pub(super) fn new(reader: R, limit: usize) -> Self {
        Self {
            reader,
            buffer: Vec::new(),
            used: 0,
            before: 0,
            line: 1,
            ended: false,
            json: None,
            limit,
        }
    }

    /// Returns the next document, or `None` at the end. A YAML document may contain only comments.
    pub(super) fn next(&mut self) -> Result<Option<Piece<'_>>, CutError> {
        let json = if let Some(json) = self.json {
            json
        } else {
            self.begins_with_brace()?
        };
        self.json = Some(json);
        let length = if json { self.object()? } else { self.section()? };
        let Some(length) = length else { return Ok(None) };
        let (start, line) = (self.position(), self.line);
        let from = self.used;
        self.pass(length);
        Ok(Some(Piece {
            json,
            start,
            line,
            bytes: self.buffer.get(from..from + length).unwrap_or_default(),
        }))
    }

    /// Returns the byte offset of the next document, or of the text that cannot be split.
    pub(super) fn position(&self) -> u64 {
        self.before + self.used as u64
    }

    fn rest(&self) -> &[u8] {
        self.buffer.get(self.used..).unwrap_or_default()
    }

    /// Marks bytes as returned.
    fn pass(&mut self, length: usize) {
        let passed = self.rest().get(..length).unwrap_or_default();
        self.line += memchr::memchr_iter(b'\n', passed).count();
        self.used += length;
    }

    /// Reads more bytes. Returns `false` at the end of the file.
    fn fill(&mut self) -> Result<bool, CutError> {
        if self.ended {
            return Ok(false);
        }
        if self.rest().len() > self.limit {
            return Err(CutError::TooLarge {
                limit: self.limit,
                line: self.line,
            });
        }
        self.buffer.drain(..self.used);
        self.before += self.used as u64;
        self.used = 0;
        let old = self.buffer.len();
        self.buffer.resize(old + CHUNK, 0);
        let read = loop {
            match self.reader.read(self.buffer.get_mut(old..).unwrap_or_default()) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read,
            }
        };
        self.buffer.truncate(old + read.as_ref().copied().unwrap_or_default());
        self.ended = read? == 0;
        Ok(!self.ended)
    }

    /// Skips white space. Returns `false` at the end of the file.
    fn skip_space(&mut self) -> Result<bool, CutError> {
        loop {
            let space = self.rest().iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            self.pass(space);
            if !self.rest().is_empty() {
                return Ok(true);
            }
            if !self.fill()? {
                return Ok(false);
            }
        }
    }

    fn begins_with_brace(&mut self) -> Result<bool, CutError> {
        const MARK: &[u8] = b"\xEF\xBB\xBF";
        while self.rest().len() < MARK.len() && self.fill()? {}
        if self.rest().starts_with(MARK) {
            self.pass(MARK.len());
        }
        let mut at = 0;
        loop {
            match self.rest().get(at).copied() {
                Some(byte) if byte.is_ascii_whitespace() => at += 1,
                Some(byte) => return Ok(byte == b'{'),
                None if self.fill()? => {}
                None => return Ok(false),
            }
        }
    }

    /// Returns the length of the next JSON object.
    fn object(&mut self) -> Result<Option<usize>, CutError> {
        if !self.skip_space()? {
            return Ok(None);
        }
        if self.rest().first() != Some(&b'{') {
            return Err(CutError::Between { line: self.line });
        }
        let (mut at, mut depth, mut inside) = (0, 0_usize, false);
        loop {
            let rest = self.rest();
            while let Some(ahead) = rest.get(at..).filter(|ahead| !ahead.is_empty()) {
                if inside {
                    // A catalog consists mostly of long strings.
                    match memchr::memchr2(b'"', b'\\', ahead) {
                        Some(end) if ahead.get(end) == Some(&b'"') => {
                            inside = false;
                            at += end + 1;
                        }
                        // The following byte belongs to the string; it might not be in the buffer yet.
                        Some(escape) => at += escape + 2,
                        None => at = rest.len(),
                    }
                    continue;
                }
                at += 1;
                match ahead.first() {
                    Some(b'"') => inside = true,
                    Some(b'{' | b'[') => depth += 1,
                    Some(b'}' | b']') => {
                        depth = depth.saturating_sub(1);
                        if depth == 0 {
                            return Ok(Some(at));
                        }
                    }
                    _ => {}
                }
            }
            if !self.fill()? {
                return Err(CutError::Open { line: self.line });
            }
        }
    }

    /// Returns the length of the next YAML document, after skipping a `---` line that opens it.
    fn section(&mut self) -> Result<Option<usize>, CutError> {
        loop {
            match self.separator()? {
                // A separator at the beginning opens the document; it does not end an empty one.
                Some(Separator { at: 0, end }) => self.pass(end),
                Some(Separator { at, .. }) => return Ok(Some(at)),
                None => break,
            }
        }
        let rest = self.rest().len();
        Ok((rest > 0).then_some(rest))
    }

    /// Finds the next line of three dashes, with at most a comment after them. The next byte must be at the start of a
    /// line.
    fn separator(&mut self) -> Result<Option<Separator>, CutError> {
        // The line starts at `at`; its bytes before `searched` contain no line break.
        let (mut at, mut searched) = (0, 0);
        loop {
            let ahead = self.rest().get(searched..).unwrap_or_default();
            let length = memchr::memchr(b'\n', ahead);
            if length.is_none() {
                searched += ahead.len();
                if self.fill()? {
                    continue;
                }
            }
            let end = length.map_or(searched, |length| searched + length + 1);
            if is_separator(self.rest().get(at..end).unwrap_or_default()) {
                return Ok(Some(Separator { at, end }));
            }
            if length.is_none() {
                return Ok(None);
            }
            (at, searched) = (end, end);
        }
    }
}

/// A line between documents.
#[derive(Debug, Clone, Copy)]
struct Separator {
    at: usize,
    end: usize,
}

fn is_separator(line: &[u8]) -> bool {
    let Some(behind) = line.strip_prefix(b"---") else {
        return false;
    };
    let behind = behind.trim_ascii();
    behind.is_empty() || behind.starts_with(b"#")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns one byte at a time, so that every separator is split between reads.
    struct Slow<'a>(&'a [u8]);

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let Some((byte, rest)) = self.0.split_first() else {
                return Ok(0);
            };
            if let Some(first) = buffer.first_mut() {
                *first = *byte;
                self.0 = rest;
                return Ok(1);
            }
            Ok(0)
        }
    }

    fn cut(text: &str) -> Result<Vec<(u64, usize, String)>, CutError> {
        let mut stream = Stream::new(Slow(text.as_bytes()), 1000);
        let mut pieces = Vec::new();
        while let Some(piece) = stream.next()? {
            let text = String::from_utf8(piece.bytes.to_vec()).unwrap();
            pieces.push((piece.start, piece.line, text));
        }
        Ok(pieces)
    }

    fn texts(text: &str) -> Vec<String> {
        cut(text).unwrap().into_iter().map(|(_, _, text)| text).collect()
    }

    #[test]
    fn json_objects_are_split_at_their_closing_braces() {
        let text = "\n {\"a\": \"}\\\"{\"}{\"b\":[{}]}\n\n{}\n";
        let pieces = cut(text).unwrap();
        let expected = [
            (2, 2, "{\"a\": \"}\\\"{\"}".to_owned()),
            (15, 2, "{\"b\":[{}]}".to_owned()),
            (27, 4, "{}".to_owned()),
        ];
        assert_eq!(pieces, expected);
        assert!(matches!(cut("{} x"), Err(CutError::Between { line: 1 })));
        assert!(matches!(cut("{}\n{\n{}"), Err(CutError::Open { line: 2 })));
    }

    #[test]
    fn yaml_is_split_at_its_separators() {
        assert_eq!(texts("a: 1\n---\nb: 2\n"), ["a: 1\n", "b: 2\n"]);
        assert_eq!(
            texts("---\na: 1\n--- # next\nb: |\n  ---\n---\n"),
            ["a: 1\n", "b: |\n  ---\n"]
        );
        assert_eq!(texts("a: 1\n---"), ["a: 1\n"]);
        assert_eq!(texts("--- x\n"), ["--- x\n"]);
        assert_eq!(texts(""), [""; 0]);
        assert_eq!(cut("# c\n---\na: 1\n").unwrap()[1].1, 3);
    }

    #[test]
    fn a_separator_after_a_line_of_several_reads_is_found() {
        let line = format!("a: {}\n", "x".repeat(CHUNK * 3));
        let text = format!("{line}---\n{line}---");
        let mut stream = Stream::new(text.as_bytes(), CHUNK * 4);
        for _ in 0..2 {
            assert_eq!(stream.next().unwrap().unwrap().bytes, line.as_bytes());
        }
        assert_eq!(stream.next().unwrap(), None);
    }

    #[test]
    fn the_size_of_a_document_is_limited() {
        let long = "x".repeat(CHUNK * 2);
        for text in [format!("{{\"a\":\"{long}\"}}"), format!("a: {long}")] {
            let mut stream = Stream::new(text.as_bytes(), 1000);
            assert!(matches!(
                stream.next(),
                Err(CutError::TooLarge { limit: 1000, line: 1 })
            ));
        }
    }

    proptest! {
        #[test]
        fn pieces_are_slices_of_the_text(text in "[a{}\\[\\]\"\\\\ \n-]{0,40}") {
            if let Ok(pieces) = cut(&text) {
                for (start, line, piece) in pieces {
                    let start = usize::try_from(start).unwrap();
                    prop_assert_eq!(&text[start..start + piece.len()], &piece);
                    prop_assert_eq!(text[..start].matches('\n').count() + 1, line);
                }
            }
        }
    }
}
