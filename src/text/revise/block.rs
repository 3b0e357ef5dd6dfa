//! Edits entries and items on separate lines.

use super::layout::BlockItem;
use super::{Child, Revision};
use crate::text::emit::to_yaml;
use crate::text::path::Path;
use crate::text::source_edit::in_its_quotes;
use serde_json::{Value, json};

impl Revision<'_> {
    /// Removes entries from a map or list in block style, and inserts new ones.
    pub(super) fn block(&mut self, path: &Path, children: &[Child<'_>]) {
        let placed: Vec<Option<BlockItem>> = children
            .iter()
            .map(|child| {
                let (path, value) = child.old()?;
                let in_map = matches!(path.steps().last(), Some(crate::text::Step::Key(_)));
                self.layout.block_item(path, value, in_map)
            })
            .collect();
        let known = |place: usize| children.get(place).and_then(Child::old).map(|(path, _)| path.clone());
        for (place, child) in children.iter().enumerate() {
            match child {
                Child::Kept { .. } => {}
                Child::Removed { .. } => {
                    let is_replaced = matches!(children.get(place + 1), Some(Child::Added { .. }));
                    self.take_out(&placed, place, place == 0 && !is_replaced);
                }
                Child::Added { key, value } => {
                    let before = (0..place)
                        .rev()
                        .find(|place| children.get(*place).is_some_and(|one| one.old().is_some()));
                    let behind = (place..children.len()).find(|place| placed.get(*place).is_some_and(Option::is_some));
                    let Some(beside) = before.or(behind) else { continue };
                    let like = if key.is_none() {
                        known(beside)
                    } else {
                        Some(path.clone())
                    };
                    let Some(Some(item)) = placed.get(beside) else { continue };
                    let text = self.member(*key, value, item.column, like.as_ref());
                    self.put(item, before.is_some(), &text);
                }
            }
        }
    }

    /// Returns the lines of a new entry or item that is indented to `column`, without the last line break.
    fn member(&self, key: Option<&str>, value: &Value, column: usize, like: Option<&Path>) -> String {
        let mut out = String::new();
        if let Some(key) = key {
            self.entry(key, value, column, like, &mut out);
            return out;
        }
        if let Some(like) = like
            && (value.is_object() || value.is_array())
            && self.layout.of(self.layout.span(like)).starts_with(['{', '['])
        {
            return format!("- {}", self.flow_text(value, like));
        }
        // The value is as far from the dash as in the neighboring item.
        let behind = like.and_then(|like| {
            let start = self.layout.span(like).start;
            let near = self.layout.line_start(start) == self.layout.line_start(start.checked_sub(1)?);
            let behind = self.layout.column(start).checked_sub(column);
            behind.filter(|behind| near && (2..=8).contains(behind))
        });
        let behind = behind.unwrap_or(2);
        out.push('-');
        out.push_str(&" ".repeat(behind - 1));
        self.block_text(value, (column, column + behind), like, &mut out);
        out
    }

    /// Inserts lines after an item, or before it.
    fn put(&mut self, item: &BlockItem, behind: bool, text: &str) {
        let newline = self.layout.newline;
        let pad = " ".repeat(item.column);
        if behind {
            let at = item.lines.end;
            self.edit(at..at, format!("{pad}{text}{newline}"));
        } else if item.shares_line {
            self.edit(item.start..item.start, format!("{text}{newline}{pad}"));
        } else {
            let at = item.lines.start;
            self.edit(at..at, format!("{pad}{text}{newline}"));
        }
    }

    /// Removes an item with its lines. If another item becomes the first one, the empty lines before it are removed,
    /// too: empty lines separate items.
    fn take_out(&mut self, placed: &[Option<BlockItem>], place: usize, next_is_first: bool) {
        let Some(Some(item)) = placed.get(place) else { return };
        if !item.shares_line {
            let mut lines = item.lines.clone();
            let text = self.layout.of(0..self.layout.text.len());
            if next_is_first {
                let behind = self.layout.of(lines.end..text.len());
                let blank = behind
                    .split_inclusive('\n')
                    .take_while(|line| line.ends_with('\n') && line.trim().is_empty());
                lines.end += blank.map(str::len).sum::<usize>();
            }
            return self.edit(lines, "");
        }
        // The next item takes the place of the removed item on the line.
        let mut following = placed.iter().skip(place + 1).flatten();
        match following.next() {
            Some(next) => self.edit(item.start..next.start, ""),
            None => self.edit(item.start..item.lines.end, ""),
        }
    }

    /// Replaces a value in block style.
    pub(super) fn replace_in_block(&mut self, path: &Path, old: &Value, new: &Value) {
        let span = self.layout.span(path);
        let is_scalar = |value: &Value| match value {
            Value::Object(map) => map.is_empty(),
            Value::Array(items) => items.is_empty(),
            _ => true,
        };
        let written = self.layout.of(span.clone());
        let on_one_line = !written.is_empty() && !written.contains('\n') && !written.starts_with(['&', '*', '!']);
        if is_scalar(old) && is_scalar(new) && on_one_line && !written.starts_with(['|', '>']) {
            let text = match new.as_str() {
                Some(new) if !new.contains(['\n', '\r']) => {
                    in_its_quotes(self.layout.document(), &self.layout.document().place(path), new)
                }
                _ => self.scalar(new, self.column_of_parent(path), None),
            };
            let (end, text) = self.with_comment(text, span.end, written);
            return self.edit(span.start..end, text);
        }
        let mut end = self.layout.end(path, old);
        if !is_scalar(old) && !self.layout.is_flow(path) {
            // A comment on the last line belongs to the old value.
            end += self.layout.rest_of_line(end).len();
        }
        match path.steps().last() {
            Some(crate::text::Step::Key(key)) => {
                let Some(colon) = self.layout.colon(path) else { return };
                let column = self.layout.column(self.layout.key(path).start);
                let mut text = String::new();
                self.entry(key, new, column, None, &mut text);
                // The key is not changed.
                let mut behind = text
                    .find(':')
                    .and_then(|colon| text.get(colon + 1..))
                    .unwrap_or_default()
                    .to_owned();
                if is_scalar(new) {
                    (end, behind) = self.with_comment(behind, end, written);
                }
                self.edit(colon + 1..end.max(colon + 1), behind);
            }
            Some(crate::text::Step::Index(_)) => {
                let start = if span.is_empty() { end } else { span.start };
                let Some(dash) = self.layout.dash(path) else { return };
                let columns = (self.layout.column(dash), self.layout.column(start));
                let mut text = String::new();
                self.block_text(new, columns, None, &mut text);
                self.edit(
                    start..end.max(start),
                    if span.is_empty() { format!(" {text}") } else { text },
                );
            }
            None => {
                let mut text = String::new();
                self.block_text(new, (0, 0), None, &mut text);
                self.edit(span.start..end.max(span.start), text);
            }
        }
    }

    /// Returns the text of a new scalar with the comment on the first line of a block scalar that is `written`, or with
    /// the rest of the line at `end` if the new scalar is a block scalar, because only its first line can have a
    /// comment. Also returns the end of the text that is replaced.
    fn with_comment(&self, mut text: String, end: usize, written: &str) -> (usize, String) {
        let header = written.lines().next().filter(|header| header.starts_with(['|', '>']));
        let comment = header.and_then(|header| header.get(header.find([' ', '\t'])?..));
        let first_line = text.find(self.layout.newline);
        let rest = match first_line {
            Some(_) => self.layout.rest_of_line(end),
            None => "",
        };
        let at = first_line.unwrap_or(text.len());
        text.insert_str(at, rest);
        text.insert_str(at, comment.unwrap_or_default().trim_end());
        (end + rest.len(), text)
    }

    fn column_of_parent(&self, path: &Path) -> usize {
        self.layout.column(self.layout.key(path).start)
    }

    /// Writes `key: value`, with the key in `column`; the text before the key on its line has already been written.
    fn entry(&self, key: &str, value: &Value, column: usize, like: Option<&Path>, out: &mut String) {
        let newline = self.layout.newline;
        out.push_str(to_yaml(&json!(key)).trim_end());
        out.push(':');
        let like = like.map(|like| like.key(key));
        let below = match value {
            Value::Object(map) if !map.is_empty() => Some(column + 2),
            Value::Array(items) if !items.is_empty() => Some(column + self.layout.list_indent),
            _ => None,
        };
        if let Some(below) = below {
            out.push_str(newline);
            out.push_str(&" ".repeat(below));
            self.block_text(value, (column, below), like.as_ref(), out);
        } else {
            out.push(' ');
            out.push_str(&self.scalar(value, column, like.as_ref()));
        }
    }

    /// Writes a value whose first line has begun, and whose other lines begin at `column`. `parent` is the column of
    /// the preceding key or dash.
    fn block_text(&self, value: &Value, (parent, column): (usize, usize), like: Option<&Path>, out: &mut String) {
        let start = format!("{}{}", self.layout.newline, " ".repeat(column));
        match value {
            Value::Object(map) if !map.is_empty() => {
                for (place, (key, value)) in map.iter().enumerate() {
                    if place > 0 {
                        out.push_str(&start);
                    }
                    self.entry(key, value, column, like, out);
                }
            }
            Value::Array(items) if !items.is_empty() => {
                for (place, item) in items.iter().enumerate() {
                    if place > 0 {
                        out.push_str(&start);
                    }
                    out.push_str("- ");
                    self.block_text(item, (column, column + 2), like.map(|like| like.index(0)).as_ref(), out);
                }
            }
            scalar => out.push_str(&self.scalar(scalar, parent, like)),
        }
    }

    /// Returns a value on one line, or the lines of a multi-line string, which are indented deeper than `column`.
    /// Strings get the same quotes as the string at `like`.
    fn scalar(&self, value: &Value, column: usize, like: Option<&Path>) -> String {
        let document = self.layout.document();
        if let (Some(text), Some(like)) = (value.as_str(), like)
            && like.get(document.value()).is_some_and(Value::is_string)
            && !text.contains(['\n', '\r'])
            && self.layout.of(self.layout.span(like)).starts_with(['"', '\''])
        {
            return in_its_quotes(document, &document.place(like), text);
        }
        let written = to_yaml(value);
        let mut lines = written.strip_suffix('\n').unwrap_or(&written).split('\n');
        let mut out = lines.next().unwrap_or_default().to_owned();
        for line in lines {
            out.push_str(self.layout.newline);
            if !line.is_empty() {
                out.push_str(&" ".repeat(column));
                out.push_str(line);
            }
        }
        out
    }
}
