//! Maps the bytes of a decoded scalar back to the bytes of the text that it was read from.

use super::events::Style;
use std::ops::Range;

/// The offset in the text for each byte of a decoded scalar.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Offsets(Vec<Run>);

/// A segment of the decoded text. It corresponds to the written text either byte by byte or only as a whole. An escape,
/// or a line break with the indentation that follows, corresponds only as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Run {
    decoded: usize,
    length: usize,
    written: usize,
    written_length: usize,
    bytewise: bool,
}

impl Offsets {
    /// Returns the offsets of a scalar that is written verbatim.
    pub(super) fn identity(written: Range<usize>) -> Self {
        let mut offsets = Self::default();
        offsets.push(0, written.len(), written.start, written.len());
        offsets
    }

    /// Returns the offsets of a scalar of `length` bytes if only the place of the whole scalar is known.
    pub(super) fn whole(length: usize, written: Range<usize>) -> Self {
        Self(vec![Run {
            decoded: 0,
            length,
            written: written.start,
            written_length: written.len(),
            bytewise: false,
        }])
    }

    fn push(&mut self, decoded: usize, length: usize, written: usize, written_length: usize) {
        if let Some(last) = self.0.last_mut()
            && last.bytewise
            && length == written_length
            && last.written + last.written_length == written
        {
            last.length += length;
            last.written_length += length;
            return;
        }
        if length > 0 || self.0.is_empty() {
            self.0.push(Run {
                decoded,
                length,
                written,
                written_length,
                bytewise: length == written_length,
            });
        }
    }

    /// Returns the written bytes that a range of decoded bytes comes from.
    pub(super) fn span(&self, range: Range<usize>) -> Range<usize> {
        let at = self.0.partition_point(|run| run.decoded + run.length <= range.start);
        let (Some(last), run) = (self.0.last(), self.0.get(at)) else {
            return 0..0;
        };
        let start = match run {
            Some(run) if run.bytewise => run.written + (range.start - run.decoded),
            Some(run) => run.written,
            None => last.written + last.written_length,
        };
        if range.is_empty() {
            return start..start;
        }
        let at = self.0.partition_point(|run| run.decoded + run.length < range.end);
        let end = match self.0.get(at) {
            Some(run) if run.bytewise => run.written + range.end.saturating_sub(run.decoded),
            Some(run) => run.written + run.written_length,
            None => last.written + last.written_length,
        };
        start..end.max(start)
    }
}

/// Finds the written bytes of every decoded byte; returns `None` if written and decoded text do not match. `span`
/// begins at the scalar's anchor or tag, if any.
pub(super) fn scan(text: &str, span: Range<usize>, style: Style, decoded: &str) -> Option<Offsets> {
    let start = content_start(text, &span);
    let (start, end) = match style {
        Style::SingleQuoted | Style::DoubleQuoted => (start + 1, span.end.checked_sub(1)?),
        Style::Plain | Style::Literal | Style::Folded => (start, span.end),
    };
    let mut reader = Scan {
        text: text.get(..end)?,
        at: start,
        decoded,
        done: 0,
        offsets: Offsets::default(),
    };
    reader.text.get(start..)?;
    match style {
        Style::Literal | Style::Folded => reader.block()?,
        _ => reader.flow(style)?,
    }
    if reader.offsets.0.is_empty() {
        reader.offsets.push(0, 0, reader.at, 0);
    }
    Some(reader.offsets)
}

/// Returns the start offset of the scalar itself, after its anchor and tag.
pub(super) fn content_start(text: &str, span: &Range<usize>) -> usize {
    let mut rest = text.get(span.clone()).unwrap_or_default();
    loop {
        let trimmed = rest.trim_start();
        rest = if trimmed.starts_with(['&', '!']) {
            trimmed.trim_start_matches(|letter: char| !letter.is_whitespace())
        } else if trimmed.starts_with('#') && trimmed.len() < rest.len() {
            trimmed.split_once('\n').map_or("", |(_, after)| after)
        } else {
            return span.end - trimmed.len();
        };
    }
}

struct Scan<'text> {
    text: &'text str,
    at: usize,
    decoded: &'text str,
    done: usize,
    offsets: Offsets,
}

impl<'text> Scan<'text> {
    fn rest(&self) -> &'text str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn wanted(&self) -> Option<char> {
        self.decoded.get(self.done..)?.chars().next()
    }

    /// Records that the next `length` decoded bytes are written as the next `written` bytes.
    fn take(&mut self, length: usize, written: usize) {
        self.offsets.push(self.done, length, self.at, written);
        self.done += length;
        self.at += written;
    }

    /// Records that the next character is written as itself; returns `None` if the character is written in another
    /// form.
    fn same(&mut self) -> Option<()> {
        let wanted = self.wanted()?;
        if !self.rest().starts_with(wanted) {
            return None;
        }
        self.take(wanted.len_utf8(), wanted.len_utf8());
        Some(())
    }

    /// Records that the next line breaks and whitespace stand for `line_feeds` line feeds, or for one space if
    /// `line_feeds` is 0; returns `None` if the decoded text differs.
    fn fold(&mut self, written: usize, line_feeds: usize) -> Option<()> {
        let rest = self.decoded.get(self.done..)?;
        let found = rest.len() - rest.trim_start_matches('\n').len();
        if line_feeds > 0 && found >= line_feeds {
            self.take(line_feeds, written);
        } else if line_feeds == 0 && rest.starts_with(' ') {
            self.take(1, written);
        } else {
            return None;
        }
        Some(())
    }

    /// Returns the number of line feeds that come next in the decoded text.
    fn line_feeds(&self) -> usize {
        let rest = self.decoded.get(self.done..).unwrap_or_default();
        rest.len() - rest.trim_start_matches('\n').len()
    }

    fn flow(&mut self, style: Style) -> Option<()> {
        while self.done < self.decoded.len() {
            let rest = self.rest();
            let inner = rest.trim_start_matches([' ', '\t']);
            if inner.starts_with(['\n', '\r']) {
                let written = rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r']).len();
                self.fold(written, breaks(&rest[..written]) - 1)?;
            } else if style == Style::DoubleQuoted && rest.starts_with('\\') {
                self.escape()?;
            } else if style == Style::SingleQuoted && rest.starts_with("''") {
                self.take(1, 2);
            } else {
                self.same()?;
            }
        }
        Some(())
    }

    fn escape(&mut self) -> Option<()> {
        let rest = self.rest();
        let wanted = self.wanted()?;
        let written = match rest.as_bytes().get(1)? {
            b'\n' | b'\r' => {
                let after = rest[1..].trim_start_matches([' ', '\t', '\n', '\r']);
                let written = rest.len() - after.len();
                match breaks(&rest[..written]) - 1 {
                    0 => self.at += written,
                    line_feeds => self.fold(written, line_feeds)?,
                }
                return Some(());
            }
            b'x' => 4,
            b'u' if wanted > '\u{FFFF}' => 12,
            b'u' => 6,
            b'U' => 10,
            _ => 1 + rest[1..].chars().next()?.len_utf8(),
        };
        if written > rest.len() {
            return None;
        }
        self.take(wanted.len_utf8(), written);
        Some(())
    }

    fn block(&mut self) -> Option<()> {
        let header = self.rest();
        let body = header.trim_start_matches(|letter| letter != '\n' && letter != '\r');
        let body = after_break(body);
        self.at += header.len() - body.len();
        let indent = indentation(first_line(body)).checked_sub(indentation(first_line(self.decoded)))?;
        let written = self.lines(indent);
        match self.line_feeds() {
            0 => self.at += written,
            line_feeds => self.fold(written, line_feeds)?,
        }
        while self.done < self.decoded.len() {
            if self.rest().starts_with(['\n', '\r']) {
                let first = self.rest().len() - after_break(self.rest()).len();
                self.at += first;
                let more = self.lines(indent);
                self.at -= first;
                self.fold(first + more, self.line_feeds())?;
            } else {
                self.same()?;
            }
        }
        Some(())
    }

    /// Returns the number of bytes of the next blank lines and of the indentation of the line that follows them.
    fn lines(&self, indent: usize) -> usize {
        let rest = self.rest();
        let mut at = 0;
        loop {
            let line = &rest[at..];
            let blanks = indentation(line).min(indent);
            let behind = &line[blanks..];
            if !behind.starts_with(['\n', '\r']) {
                return at + blanks;
            }
            at = rest.len() - after_break(behind).len();
        }
    }
}

/// Returns the number of line breaks in a string; `\r\n` counts once.
fn breaks(text: &str) -> usize {
    text.matches('\n').count() + text.matches('\r').count() - text.matches("\r\n").count()
}

/// Returns the text without the line break that it begins with, if any.
fn after_break(text: &str) -> &str {
    text.strip_prefix("\r\n")
        .or_else(|| text.strip_prefix(['\n', '\r']))
        .unwrap_or(text)
}

/// Returns the text from the first non-blank line on.
fn first_line(text: &str) -> &str {
    let behind = text.trim_start_matches([' ', '\n', '\r']);
    let head = &text[..text.len() - behind.len()];
    let start = head.rfind(['\n', '\r']).map_or(0, |at| at + 1);
    &text[start..]
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}
