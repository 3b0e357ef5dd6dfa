//! Reads plain block YAML, the form of nearly all manifests, line by line.
//!
//! A full YAML parser tests every character in many ways. Most YAML that people and tools write is simpler: maps and
//! lists that are structured by indentation, and scalars in one of the five styles. [`load`] reads these into the same
//! values as [`super::load`]. It gives up on a string with any other construct or any error. [`super::load`] then reads
//! that string from the start, so this module reports no errors. [`places`] does the same for the places of the values.

mod scalars;

use super::events::Style;
use super::limits::Limits;
use super::places::{Builder, Places, trimmed};
use super::scalar::{Scalar, scalar};
use crate::visible::is_printable_or_line_feed;
use memchr::{memchr, memchr3};
use serde_json::{Map, Value};
use std::ops::Range;

/// The maximum nesting depth of lists and maps.
const DEPTH: usize = 64;

/// libyaml rejects keys of more than 1,024 characters.
const KEY_BYTES: usize = 1_000;

/// The number of levels of lists and maps for which [`load`] returns places. The values that findings point at most
/// often, such as the names of objects, are there.
const TOP_LEVELS: usize = 2;

/// Reads the only document of `text`, and the places of its upper levels; returns `None` if this module cannot read the
/// document, for any reason.
pub(super) fn load(text: &str, limits: &Limits) -> Option<(Value, Places)> {
    let mut lines = Lines::new(text, limits, Builder::of_levels(TOP_LEVELS))?;
    let value = lines.document()?;
    Some((value, lines.places.finish()))
}

/// Returns the places of the keys and values in a string that [`load`] reads; `None` if it needs the full parser.
pub(super) fn places(text: &str) -> Option<Places> {
    let limits = Limits::default();
    let mut lines = Lines::new(text, &limits, Builder::default())?;
    lines.document()?;
    Some(lines.places.finish())
}

/// Returns whether a string contains no control characters or line breaks except line feeds, and none of the characters
/// U+FEFF, U+FFFE and U+FFFF.
fn has_plain_characters(text: &str) -> bool {
    let is_plain = |character| match character {
        '\n' | ' '..='~' => true,
        '\0'..='\u{9F}' | '\u{2028}' | '\u{2029}' | '\u{FEFF}' | '\u{FFFE}' | '\u{FFFF}' => false,
        _ => true,
    };
    let mut at = 0;
    loop {
        let (chunks, _) = text.as_bytes()[at..].as_chunks();
        let plain = chunks.iter().take_while(|chunk| is_printable_or_line_feed(**chunk));
        at += plain.map(|chunk| chunk.len()).sum::<usize>();
        match text[at..].chars().next() {
            Some(character) if is_plain(character) => at += character.len_utf8(),
            found => return found.is_none(),
        }
    }
}

/// A string and the current position in it.
struct Lines<'text> {
    text: &'text str,
    /// The next byte to read.
    at: usize,
    /// The start of the line that contains the next byte.
    start: usize,
    /// The entries of the maps that are still being read.
    entries: Vec<(String, Value)>,
    limits: &'text Limits,
    /// The places of what has been read.
    places: Builder,
    /// The end of the last scalar.
    end: usize,
}

impl<'text> Lines<'text> {
    fn new(text: &'text str, limits: &'text Limits, places: Builder) -> Option<Self> {
        has_plain_characters(text).then_some(Self {
            text,
            at: 0,
            start: 0,
            entries: Vec::new(),
            limits,
            places,
            end: 0,
        })
    }

    fn document(&mut self) -> Option<Value> {
        self.next(0)?;
        let depth = self.limits.effective_depth().min(DEPTH);
        let value = if self.begins_item() {
            self.list(self.column(), depth, false)?
        } else {
            self.map(self.column(), depth)?
        };
        self.ended().then_some(value)
    }

    /// Adds the place of a scalar that has just been read.
    fn place(&mut self, span: Range<usize>, style: Style, text: &str) {
        let span = trimmed(self.text, span, style);
        self.places.scalar(span, style, || text.to_owned());
    }

    /// Begins the places of a list or map at the next byte.
    fn open(&mut self, is_map: bool) {
        self.places.open(is_map, self.at..self.at);
    }

    /// Ends the places of the innermost list or map.
    fn close(&mut self) {
        self.places.close(None);
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    fn ended(&self) -> bool {
        self.at == self.text.len()
    }

    /// Returns the column of the next byte, counted from 0; 0 at the end of the text.
    fn column(&self) -> usize {
        self.at - self.start
    }

    /// Returns the end of the line that contains `at`.
    fn line_end(&self, at: usize) -> usize {
        memchr(b'\n', self.text.as_bytes().get(at..).unwrap_or_default()).map_or(self.text.len(), |length| at + length)
    }

    fn skip_spaces(&self, mut at: usize) -> usize {
        while self.byte(at) == Some(b' ') {
            at += 1;
        }
        at
    }

    /// Returns whether a line or the text ends at a byte.
    fn is_line_end(&self, at: usize) -> bool {
        matches!(self.byte(at), None | Some(b'\n'))
    }

    fn is_blank(&self, at: usize) -> bool {
        matches!(self.byte(at), None | Some(b' ' | b'\n'))
    }

    /// Moves to the first line with content, starting with the line that begins at `line`; returns `None` at a document
    /// marker.
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

    /// Returns whether a line begins with a document start or end marker.
    fn begins_marker(&self, line: usize) -> bool {
        let rest = self.text.as_bytes().get(line..).unwrap_or_default();
        rest.starts_with(b"---") || rest.starts_with(b"...")
    }

    /// Moves to the next line with content after a value. On the line of the value, only whitespace and a comment may
    /// follow.
    fn finish(&mut self, end: usize) -> Option<()> {
        let at = self.skip_spaces(end);
        match self.byte(at) {
            None => self.next(at),
            Some(b'\n') => self.next(at + 1),
            Some(b'#') if at > end => self.next((self.line_end(at) + 1).min(self.text.len())),
            Some(_) => None,
        }
    }

    /// Returns whether a list item begins here.
    fn begins_item(&self) -> bool {
        self.byte(self.at) == Some(b'-') && self.is_blank(self.at + 1)
    }

    /// Returns the end of the key that begins here, which is the position of its colon.
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
        let style = match text.as_bytes().first()? {
            b'"' => Style::DoubleQuoted,
            b'\'' => Style::SingleQuoted,
            _ => Style::Plain,
        };
        let key = if style != Style::Plain {
            text[1..text.len() - 1].to_owned()
        } else if !self.begins_plain(self.at) || text.ends_with(' ') || text == "<<" {
            return None;
        } else {
            scalar(text, None, true).and_then(Scalar::into_key).ok()?
        };
        self.place(self.at..end, style, &key);
        self.at = end + 1;
        Some(key)
    }

    /// Reads the map whose keys begin in `column`, from its first key.
    fn map(&mut self, column: usize, depth: usize) -> Option<Value> {
        let depth = depth.checked_sub(1)?;
        self.open(true);
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
        self.close();
        // Allocated at its full size, because growing the map step by step would take as long as reading it.
        let mut map = Map::with_capacity(self.entries.len() - first);
        for (key, value) in self.entries.drain(first..) {
            if map.insert(key, value).is_some() {
                return None;
            }
        }
        Some(Value::Object(map))
    }

    /// Reads the list whose items begin in `column`, from its first item. A list that is the value of a key in the same
    /// column ends at the next key.
    fn list(&mut self, column: usize, depth: usize, of_key: bool) -> Option<Value> {
        let depth = depth.checked_sub(1)?;
        self.open(false);
        let mut list = Vec::new();
        loop {
            self.at += 1;
            list.push(self.value(column, depth, false)?);
            if self.ended() || self.column() < column || (of_key && self.column() == column && !self.begins_item()) {
                self.close();
                return Some(Value::Array(list));
            }
            if self.column() > column || !self.begins_item() {
                return None;
            }
        }
    }

    /// Reads the value after a colon or a dash, in a map or list that begins in `column`.
    fn value(&mut self, column: usize, depth: usize, of_key: bool) -> Option<Value> {
        let at = self.skip_spaces(self.at);
        if self.is_line_end(at) || (self.byte(at) == Some(b'#') && at > self.at) {
            let empty = self.at..self.at;
            self.finish(self.at)?;
            if !self.ended() && self.column() > column {
                return self.node(column, depth);
            }
            if !self.ended() && self.column() == column && of_key && self.begins_item() {
                return self.list(column, depth, true);
            }
            self.place(empty, Style::Plain, "");
            return Some(Value::Null);
        }
        self.at = at;
        if of_key {
            return self.scalar(column, depth);
        }
        // A map or list can begin right after a dash.
        self.node(column, depth)
    }

    /// Reads a value of any kind inside a map or list that begins in `column`.
    fn node(&mut self, column: usize, depth: usize) -> Option<Value> {
        if self.begins_item() {
            self.list(self.column(), depth, false)
        } else if self.key_end().is_some() && !matches!(self.byte(self.at), Some(b'{' | b'[')) {
            self.map(self.column(), depth)
        } else {
            self.scalar(column, depth)
        }
    }

    /// Returns whether a plain scalar can begin at `at`.
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
