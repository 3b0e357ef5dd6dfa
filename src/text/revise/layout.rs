//! The layout of a document: the positions and the indentation of its entries and items.

use crate::text::document::{Document, Format};
use crate::text::path::Path;
use serde_json::Value;
use std::ops::Range;

/// A document with the text of its file. All ranges are bytes of that text.
pub(super) struct Layout<'d> {
    document: &'d Document,
    pub(super) text: &'d str,
    /// The line ending.
    pub(super) newline: &'static str,
    /// The indentation of the items of a list in block style, relative to the key of the list.
    pub(super) list_indent: usize,
}

/// An entry of a map or an item of a list in block style.
#[derive(Debug, Clone)]
pub(super) struct BlockItem {
    /// The position of the key or dash.
    pub(super) start: usize,
    /// The lines of the entry or item with the comments directly above them, up to the beginning of the next line. If
    /// another value begins on the same line, the range begins at the key or dash.
    pub(super) lines: Range<usize>,
    /// Whether another value, such as the list that this map is an item of, begins on the same line.
    pub(super) shares_line: bool,
    /// The number of characters before the key or dash on its line.
    pub(super) column: usize,
}

impl<'d> Layout<'d> {
    /// Determines the layout of a document in the text of its file, in which every line ends with a line break.
    pub(super) fn new(document: &'d Document, text: &'d str, newline: &'static str) -> Self {
        let mut layout = Self {
            document,
            text,
            newline,
            list_indent: 0,
        };
        if document.format() == Format::Yaml {
            layout.list_indent = layout.found_list_indent(&Path::root(), document.value()).unwrap_or(0);
        }
        layout
    }

    /// Returns the indentation of the first list in block style that is the value of a key.
    fn found_list_indent(&self, path: &Path, value: &Value) -> Option<usize> {
        if self.is_flow(path) {
            return None;
        }
        match value {
            Value::Object(map) => map.iter().find_map(|(key, value)| {
                let path = path.key(key);
                match value.as_array() {
                    Some(items) if !items.is_empty() && !self.is_flow(&path) => {
                        let dash = self.dash(&path.index(0))?;
                        let key = self.document.key_place(&path).span.start;
                        self.column(dash).checked_sub(self.column(key))
                    }
                    _ => self.found_list_indent(&path, value),
                }
            }),
            Value::Array(items) => {
                let mut items = items.iter().enumerate();
                items.find_map(|(index, item)| self.found_list_indent(&path.index(index), item))
            }
            _ => None,
        }
    }

    /// Returns the range of a value with its anchor and tag, without the comments and empty lines after it.
    pub(super) fn span(&self, path: &Path) -> Range<usize> {
        let span = self.document.place(path).span;
        let text = self.of(span.clone());
        // The trailing empty lines of a block scalar that keeps them are part of the scalar.
        let header = text.lines().next().unwrap_or_default();
        let keeps = header.starts_with(['|', '>']) && header.contains('+');
        let length = if keeps {
            text.strip_suffix('\n').unwrap_or(text).len()
        } else {
            text.trim_end().len()
        };
        span.start..span.start + length
    }

    /// Returns the range of the key that leads to a value.
    pub(super) fn key(&self, path: &Path) -> Range<usize> {
        self.document.key_place(path).span
    }

    pub(super) fn of(&self, span: Range<usize>) -> &'d str {
        self.text.get(span).unwrap_or_default()
    }

    /// Returns whether a map or list is written with brackets.
    pub(super) fn is_flow(&self, path: &Path) -> bool {
        let mut text = self.of(self.span(path));
        while text.starts_with(['&', '!']) {
            text = text
                .split_once(char::is_whitespace)
                .map_or("", |(_, rest)| rest.trim_start());
        }
        self.document.format() == Format::Json || text.starts_with(['{', '['])
    }

    /// Returns whether a value is between brackets.
    pub(super) fn in_flow(&self, path: &Path) -> bool {
        let mut above = path.parent();
        while let Some(path) = above {
            if self.is_flow(&path) {
                return true;
            }
            above = path.parent();
        }
        self.document.format() == Format::Json
    }

    pub(super) fn is_json(&self) -> bool {
        self.document.format() == Format::Json
    }

    pub(super) fn document(&self) -> &'d Document {
        self.document
    }

    /// Returns the start of the line that contains this position.
    pub(super) fn line_start(&self, at: usize) -> usize {
        self.of(0..at).rfind('\n').map_or(0, |line| line + 1)
    }

    /// Returns the start of the line after this position.
    pub(super) fn next_line(&self, at: usize) -> usize {
        let rest = self.of(at..self.text.len());
        rest.find('\n').map_or(self.text.len(), |line| at + line + 1)
    }

    /// Returns the text from this position to the end of its line, without the line break.
    pub(super) fn rest_of_line(&self, at: usize) -> &'d str {
        self.of(at..self.next_line(at)).trim_end_matches(['\r', '\n'])
    }

    /// Returns the number of characters before this position on its line.
    pub(super) fn column(&self, at: usize) -> usize {
        self.of(self.line_start(at)..at).chars().count()
    }

    /// Returns the dash of an item. Comments may stand between the dash and the item.
    pub(super) fn dash(&self, path: &Path) -> Option<usize> {
        let mut end = self.document.place(path).span.start;
        loop {
            let start = self.line_start(end);
            // Only white space and dashes can precede a comment here, so the first # begins it.
            let line = self.of(start..end).split('#').next().unwrap_or_default().trim_end();
            if line.ends_with('-') {
                return Some(start + line.len() - 1);
            }
            if !line.is_empty() {
                return None;
            }
            end = start.checked_sub(1)?;
        }
    }

    /// Returns the colon after a key.
    pub(super) fn colon(&self, path: &Path) -> Option<usize> {
        let key = self.key(path);
        let behind = self.of(key.end..self.text.len());
        let colon = behind.find(':')?;
        behind.get(..colon)?.trim().is_empty().then_some(key.end + colon)
    }

    /// Returns the end of a value, without the comments and empty lines after it.
    pub(super) fn end(&self, path: &Path, value: &Value) -> usize {
        let span = self.span(path);
        let written_elsewhere = self.of(span.clone()).starts_with('*');
        let of_children = |children: &mut dyn Iterator<Item = (Path, &Value)>| {
            children
                .map(|(path, child)| self.end(&path, child))
                .filter(|end| *end > span.start)
                .max()
                .unwrap_or(span.end)
        };
        match value {
            _ if written_elsewhere || self.is_flow(path) => span.end,
            Value::Object(map) if !map.is_empty() => {
                of_children(&mut map.iter().map(|(key, value)| (path.key(key), value)))
            }
            Value::Array(items) if !items.is_empty() => {
                of_children(&mut items.iter().enumerate().map(|(index, item)| (path.index(index), item)))
            }
            _ if span.is_empty() => {
                let sign = self.colon(path).or_else(|| self.dash(path));
                sign.map_or(span.end, |sign| sign + 1)
            }
            _ => span.end,
        }
    }

    /// Returns the entry or item in block style that contains the value at `path`; `None` if it is written in another
    /// form.
    pub(super) fn block_item(&self, path: &Path, value: &Value, in_map: bool) -> Option<BlockItem> {
        let start = if in_map { self.key(path).start } else { self.dash(path)? };
        let end = self.end(path, value).max(start);
        let line = self.line_start(start);
        let before = self.of(line..start);
        let shares_line = !before.chars().all(char::is_whitespace);
        let behind = self.of(end..self.next_line(end)).trim();
        if !(behind.is_empty() || behind.starts_with('#')) {
            return None;
        }
        let first = if shares_line {
            start
        } else {
            self.with_comments(line, before)
        };
        Some(BlockItem {
            start,
            lines: first..self.next_line(end),
            shares_line,
            column: before.chars().count(),
        })
    }

    /// Returns the start of the comments that are directly above a line and have the indentation `indent`.
    fn with_comments(&self, mut line: usize, indent: &str) -> usize {
        while line > 0 {
            let above = self.line_start(line - 1);
            let comment = self.of(above..line).strip_prefix(indent);
            if !comment.is_some_and(|comment| comment.starts_with('#')) {
                break;
            }
            line = above;
        }
        line
    }
}
