//! Reads scalars of the five styles, and lists and maps in brackets on one line.

use super::super::events::Style;
use super::super::limits::Limits;
use super::super::load;
use super::super::scalar::{Scalar, scalar};
use super::Lines;
use memchr::{memchr2, memchr3};
use serde_json::{Map, Value};

impl<'text> Lines<'text> {
    /// Reads a scalar, or a list or map in brackets, inside a map or list that begins in `column`.
    pub(super) fn scalar(&mut self, column: usize, depth: usize) -> Option<Value> {
        let start = self.at;
        let (value, style) = match self.byte(start)? {
            b'"' => (Value::String(self.double_quoted()?), Style::DoubleQuoted),
            b'\'' => (Value::String(self.single_quoted()?), Style::SingleQuoted),
            b'|' => (Value::String(self.block(column, false)?), Style::Literal),
            b'>' => (Value::String(self.block(column, true)?), Style::Folded),
            b'[' | b'{' => return self.bracketed(depth),
            _ => (self.plain(column)?, Style::Plain),
        };
        self.place(start..self.end, style, "");
        Some(value)
    }

    /// Reads a list or map in brackets on one line.
    fn bracketed(&mut self, depth: usize) -> Option<Value> {
        let end = self.line_end(self.at);
        let text = self.text[self.at..end].trim_end_matches(' ');
        let value = match text {
            "[]" if depth > 0 => Value::Array(Vec::new()),
            "{}" if depth > 0 => Value::Object(Map::new()),
            text => {
                let limits = Limits { depth, ..*self.limits };
                let loaded = load::load(text, &limits).ok()??;
                if loaded.repeated || loaded.hidden.is_some() {
                    return None;
                }
                loaded.value
            }
        };
        self.places.brackets(self.text, self.at..self.at + text.len());
        self.finish(end)?;
        Some(value)
    }

    /// Reads a plain scalar, which may continue on lines that are indented deeper.
    fn plain(&mut self, column: usize) -> Option<Value> {
        if !self.begins_plain(self.at) {
            return None;
        }
        let (first, mut end, mut commented) = self.plain_line(self.at)?;
        self.end = self.at + first.len();
        let mut joined: Option<String> = None;
        loop {
            // The start of the next line with content, and the number of blank lines before it.
            let mut line = (end + 1).min(self.text.len());
            let mut blank = 0;
            let mut at = self.skip_spaces(line);
            while self.byte(at) == Some(b'\n') {
                blank += 1;
                line = at + 1;
                at = self.skip_spaces(line);
            }
            if self.byte(at).is_none() || at - line <= column || self.byte(at) == Some(b'#') || commented {
                self.next(line)?;
                // A scalar does not continue after a comment.
                if !self.ended() && self.column() > column {
                    return None;
                }
                break;
            }
            let text = joined.get_or_insert_with(|| first.to_owned());
            fold(text, blank);
            let more;
            (more, end, commented) = self.plain_line(at)?;
            self.end = at + more.len();
            text.push_str(more);
        }
        let text = joined.as_deref().unwrap_or(first);
        scalar(text, None, true).and_then(Scalar::into_value).ok()
    }

    /// Returns the part of a plain scalar on one line, the end of the line, and whether the line ends in a comment.
    fn plain_line(&self, from: usize) -> Option<(&'text str, usize, bool)> {
        let end = self.line_end(from);
        let line = &self.text[from..end];
        let bytes = line.as_bytes();
        let mut at = 0;
        while let Some(found) = memchr2(b':', b'#', &bytes[at..]) {
            at += found;
            if bytes[at] == b':' {
                if matches!(bytes.get(at + 1), None | Some(b' ')) {
                    return None;
                }
            } else if at > 0 && bytes[at - 1] == b' ' {
                return Some((line[..at].trim_end_matches(' '), end, true));
            }
            at += 1;
        }
        Some((line.trim_end_matches(' '), end, false))
    }

    fn single_quoted(&mut self) -> Option<String> {
        let bytes = self.text.as_bytes();
        let mut text = String::new();
        let mut at = self.at + 1;
        loop {
            let end = at + memchr2(b'\'', b'\n', bytes.get(at..)?)?;
            text.push_str(&self.text[at..end]);
            if bytes[end] == b'\n' {
                text.truncate(text.trim_end_matches(' ').len());
                at = self.fold_lines(end, &mut text)?;
            } else if self.byte(end + 1) == Some(b'\'') {
                text.push('\'');
                at = end + 2;
            } else {
                self.end = end + 1;
                self.finish(self.end)?;
                return Some(text);
            }
        }
    }

    fn double_quoted(&mut self) -> Option<String> {
        let bytes = self.text.as_bytes();
        let mut text = String::new();
        // Whitespace before a line break is layout, unless it is escaped.
        let mut kept = 0;
        let mut at = self.at + 1;
        loop {
            let end = at + memchr3(b'"', b'\\', b'\n', bytes.get(at..)?)?;
            text.push_str(&self.text[at..end]);
            match bytes[end] {
                b'"' => {
                    self.end = end + 1;
                    self.finish(self.end)?;
                    return Some(text);
                }
                b'\n' => {
                    let length = text[kept..].trim_end_matches(' ').len();
                    text.truncate(kept + length);
                    at = self.fold_lines(end, &mut text)?;
                }
                _ if self.byte(end + 1) == Some(b'\n') => {
                    let (line, blank) = self.continued(end + 2)?;
                    text.extend(std::iter::repeat_n('\n', blank));
                    at = line;
                    kept = text.len();
                }
                _ => {
                    let (character, length) = self.escape(end + 1)?;
                    text.push(character);
                    at = end + 1 + length;
                    kept = text.len();
                }
            }
        }
    }

    /// Returns the character that an escape stands for, and the number of bytes after its backslash.
    fn escape(&self, at: usize) -> Option<(char, usize)> {
        let digits = match self.byte(at)? {
            b'n' => return Some(('\n', 1)),
            b't' => return Some(('\t', 1)),
            b'r' => return Some(('\r', 1)),
            same @ (b'"' | b'\\' | b'/' | b' ') => return Some((char::from(same), 1)),
            b'x' => 2,
            b'u' => 4,
            b'U' => 8,
            _ => return None,
        };
        let digits = self.text.get(at + 1..at + 1 + digits)?;
        if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return None;
        }
        let character = char::from_u32(u32::from_str_radix(digits, 16).ok()?)?;
        Some((character, 1 + digits.len()))
    }

    /// Folds a line break inside quotes. Returns the position at which the text continues.
    fn fold_lines(&self, end: usize, text: &mut String) -> Option<usize> {
        let (at, blank) = self.continued(end + 1)?;
        fold(text, blank);
        Some(at)
    }

    /// Returns the position at which a quoted string continues after a line break, and the number of blank lines before
    /// it.
    fn continued(&self, mut line: usize) -> Option<(usize, usize)> {
        let mut blank = 0;
        loop {
            if self.begins_marker(line) {
                return None;
            }
            let at = self.skip_spaces(line);
            match self.byte(at)? {
                b'\n' => {
                    blank += 1;
                    line = at + 1;
                }
                _ => return Some((at, blank)),
            }
        }
    }

    /// Reads a literal or folded scalar.
    fn block(&mut self, column: usize, folded: bool) -> Option<String> {
        let mut header = self.at + 1;
        let chomping = self.byte(header).filter(|byte| matches!(byte, b'+' | b'-'));
        header += usize::from(chomping.is_some());
        let end = self.skip_spaces(header);
        if self.byte(end) != Some(b'\n') || !self.text.ends_with('\n') {
            return None;
        }
        let (mut line, mut breaks, indent) = self.block_start(end + 1)?;
        if indent <= column {
            return None;
        }
        let mut text = String::new();
        let (mut first, mut spaced_before) = (true, false);
        loop {
            let end = self.line_end(line);
            let content = &self.text[line + indent..end];
            let spaced = content.starts_with(' ');
            if folded && !spaced && !spaced_before && !first {
                fold(&mut text, breaks);
            } else {
                text.extend(std::iter::repeat_n('\n', breaks + usize::from(!first)));
            }
            text.push_str(content);
            (first, spaced_before, breaks) = (false, spaced, 0);
            // Skip blank lines, and check whether the next line belongs to the scalar.
            line = end + 1;
            let mut spaces = self.skip_spaces(line) - line;
            while spaces <= indent && self.byte(line + spaces) == Some(b'\n') {
                breaks += 1;
                line += spaces + 1;
                spaces = self.skip_spaces(line) - line;
            }
            if spaces < indent || self.byte(line + spaces).is_none() {
                break;
            }
        }
        self.end = line;
        match chomping {
            None => text.push('\n'),
            Some(b'+') => text.extend(std::iter::repeat_n('\n', breaks + 1)),
            Some(_) => {}
        }
        self.next(line)?;
        Some(text)
    }

    /// Returns the first non-blank line of a block scalar, the number of blank lines before it, and its indentation.
    fn block_start(&self, mut line: usize) -> Option<(usize, usize, usize)> {
        let (mut blank, mut widest) = (0, 0);
        loop {
            let spaces = self.skip_spaces(line) - line;
            if self.byte(line + spaces)? != b'\n' {
                return (widest <= spaces && spaces > 0).then_some((line, blank, spaces));
            }
            blank += 1;
            widest = widest.max(spaces);
            line += spaces + 1;
        }
    }
}

/// Folds a line break that is followed by `blank` blank lines: appends a space, or a line feed for each blank line.
fn fold(text: &mut String, blank: usize) {
    if blank == 0 {
        text.push(' ');
    } else {
        text.extend(std::iter::repeat_n('\n', blank));
    }
}
