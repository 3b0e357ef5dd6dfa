//! The plain block YAML that nearly all manifests are written in, read line by line.
//!
//! A parser of the whole language looks at every character in many ways. Most of what people and tools write needs none
//! of that: maps and lists by indentation, scalars of the five styles. [`load`] reads these, to the values that
//! [`super::load`] has for them, and gives up on a string with anything else in it or anything wrong with it, which is
//! then read there, from its beginning. So this module knows no errors, and what it is not sure of it leaves alone.

mod scalars;

use super::limits::Limits;
use super::scalar::{Scalar, scalar};
use memchr::{memchr, memchr3};
use serde_json::{Map, Value};

/// Lists and maps inside one another, at most.
const DEPTH: usize = 64;

/// libyaml refuses keys of more than 1,024 characters.
const KEY_BYTES: usize = 1_000;

/// Reads the one document of `text`; none where that takes more than this module knows, whatever the reason.
pub(super) fn load(text: &str, limits: &Limits) -> Option<Value> {
    if !has_plain_characters(text) {
        return None;
    }
    let mut lines = Lines {
        text,
        at: 0,
        start: 0,
        entries: Vec::new(),
        limits,
    };
    lines.next(0)?;
    let depth = limits.effective_depth().min(DEPTH);
    let value = if lines.begins_item() {
        lines.list(lines.column(), depth, false)?
    } else {
        lines.map(lines.column(), depth)?
    };
    lines.ended().then_some(value)
}

/// Whether no character is a control, a line break or a blank, but for the line feed and the space.
fn has_plain_characters(text: &str) -> bool {
    let plain = |byte: &u8| matches!(byte, b'\n' | b' '..=b'~');
    // In chunks, each of which takes a few instructions.
    let ascii = |chunk: &[u8]| chunk.iter().fold(true, |all, byte| all & plain(byte));
    text.as_bytes().chunks(64).all(ascii)
        || text.chars().all(|character| match character {
            '\n' | ' '..='~' => true,
            '\0'..='\u{9F}' | '\u{2028}' | '\u{2029}' | '\u{FEFF}' | '\u{FFFE}' | '\u{FFFF}' => false,
            _ => true,
        })
}

/// A string, and how far it is read.
struct Lines<'text> {
    text: &'text str,
    /// The next byte that is not read.
    at: usize,
    /// Where its line begins.
    start: usize,
    /// The entries of the maps that are not read to their ends.
    entries: Vec<(String, Value)>,
    limits: &'text Limits,
}

impl Lines<'_> {
    fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    fn ended(&self) -> bool {
        self.at == self.text.len()
    }

    /// Where the next byte stands in its line; nowhere at the end of the text.
    fn column(&self) -> usize {
        self.at - self.start
    }

    /// The end of the line that `at` is in.
    fn line_end(&self, at: usize) -> usize {
        memchr(b'\n', self.text.as_bytes().get(at..).unwrap_or_default()).map_or(self.text.len(), |length| at + length)
    }

    fn skip_spaces(&self, mut at: usize) -> usize {
        while self.byte(at) == Some(b' ') {
            at += 1;
        }
        at
    }

    /// Whether a line ends at a byte, or the text.
    fn is_line_end(&self, at: usize) -> bool {
        matches!(self.byte(at), None | Some(b'\n'))
    }

    fn is_blank(&self, at: usize) -> bool {
        matches!(self.byte(at), None | Some(b' ' | b'\n'))
    }

    /// Goes on to the first line from the beginning of a line on that says something.
    fn next(&mut self, line: usize) -> Option<()> {
        let mut start = line;
        loop {
            let at = self.skip_spaces(start);
            match self.byte(at) {
                None => {
                    (self.start, self.at) = (at, at);
                    return Some(());
                }
                Some(b'\n') => start = at + 1,
                Some(b'#') => start = (self.line_end(at) + 1).min(self.text.len()),
                Some(_) => {
                    (self.start, self.at) = (start, at);
                    return (!self.begins_marker(start)).then_some(());
                }
            }
        }
    }

    /// Whether a line begins as one that begins or ends a document.
    fn begins_marker(&self, line: usize) -> bool {
        let rest = self.text.as_bytes().get(line..).unwrap_or_default();
        rest.starts_with(b"---") || rest.starts_with(b"...")
    }

    /// Goes on behind a value: nothing but blanks and a comment may follow it on its line.
    fn finish(&mut self, end: usize) -> Option<()> {
        let at = self.skip_spaces(end);
        match self.byte(at) {
            None => self.next(at),
            Some(b'\n') => self.next(at + 1),
            Some(b'#') if at > end => self.next((self.line_end(at) + 1).min(self.text.len())),
            Some(_) => None,
        }
    }

    /// Whether an item of a list begins here.
    fn begins_item(&self) -> bool {
        self.byte(self.at) == Some(b'-') && self.is_blank(self.at + 1)
    }

    /// The end of the key that begins here, which is where its colon stands.
    fn key_end(&self) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let mut at = self.at;
        if let quote @ (b'"' | b'\'') = self.byte(at)? {
            at += 1 + memchr3(quote, b'\\', b'\n', bytes.get(at + 1..)?)?;
            let ends = bytes[at] == quote && self.byte(at + 1) == Some(b':') && self.is_blank(at + 2);
            return ends.then_some(at + 1);
        }
        loop {
            match *bytes.get(at)? {
                b':' if self.is_blank(at + 1) => return Some(at),
                b'\n' => return None,
                b'#' if at > self.at && bytes[at - 1] == b' ' => return None,
                _ => at += 1,
            }
        }
    }

    fn key(&mut self) -> Option<String> {
        let end = self.key_end()?;
        let text = &self.text[self.at..end];
        if text.len() > KEY_BYTES {
            return None;
        }
        let first = text.as_bytes().first()?;
        let key = if matches!(first, b'"' | b'\'') {
            text[1..text.len() - 1].to_owned()
        } else if !self.begins_plain(self.at) || text.ends_with(' ') || text == "<<" {
            return None;
        } else {
            scalar(text, None, true).and_then(Scalar::into_key).ok()?
        };
        self.at = end + 1;
        Some(key)
    }

    /// The map whose keys begin in a column, from one of them on.
    fn map(&mut self, column: usize, depth: usize) -> Option<Value> {
        let depth = depth.checked_sub(1)?;
        let first = self.entries.len();
        loop {
            let key = self.key()?;
            let value = self.value(column, depth, true)?;
            self.entries.push((key, value));
            if self.ended() || self.column() < column {
                break;
            }
            if self.column() > column {
                return None;
            }
        }
        // At its full size from the first key on, because growing costs as much as reading.
        let mut map = Map::with_capacity(self.entries.len() - first);
        for (key, value) in self.entries.drain(first..) {
            if map.insert(key, value).is_some() {
                return None;
            }
        }
        Some(Value::Object(map))
    }

    /// The list whose items begin in a column, from one of them on. It may be the value of a key in the same column,
    /// and then ends at the next key.
    fn list(&mut self, column: usize, depth: usize, of_key: bool) -> Option<Value> {
        let depth = depth.checked_sub(1)?;
        let mut list = Vec::new();
        loop {
            self.at += 1;
            list.push(self.value(column, depth, false)?);
            if self.ended() || self.column() < column || (of_key && self.column() == column && !self.begins_item()) {
                return Some(Value::Array(list));
            }
            if self.column() > column || !self.begins_item() {
                return None;
            }
        }
    }

    /// The value behind a colon, or behind the dash of an item, of a map or list in a column.
    fn value(&mut self, column: usize, depth: usize, of_key: bool) -> Option<Value> {
        let at = self.skip_spaces(self.at);
        if self.is_line_end(at) || (self.byte(at) == Some(b'#') && at > self.at) {
            self.finish(self.at)?;
            if self.ended() || self.column() < column {
                return Some(Value::Null);
            }
            if self.column() == column {
                return if of_key && self.begins_item() {
                    self.list(column, depth, true)
                } else {
                    Some(Value::Null)
                };
            }
            return self.node(column, depth);
        }
        self.at = at;
        if of_key {
            return self.scalar(column, depth);
        }
        // What stands behind a dash may be a map or list of its own.
        self.node(column, depth)
    }

    /// A value that may be of any kind, inside a map or list in a column.
    fn node(&mut self, column: usize, depth: usize) -> Option<Value> {
        if self.begins_item() {
            self.list(self.column(), depth, false)
        } else if self.key_end().is_some() && !matches!(self.byte(self.at), Some(b'{' | b'[')) {
            self.map(self.column(), depth)
        } else {
            self.scalar(column, depth)
        }
    }

    /// Whether a plain scalar may begin here.
    fn begins_plain(&self, at: usize) -> bool {
        match self.byte(at) {
            Some(b'-') => !self.is_blank(at + 1),
            Some(
                b'?' | b':' | b',' | b'[' | b']' | b'{' | b'}' | b'#' | b'&' | b'*' | b'!' | b'|' | b'>' | b'\'' | b'"'
                | b'%' | b'@' | b'`',
            )
            | None => false,
            Some(_) => true,
        }
    }
}
