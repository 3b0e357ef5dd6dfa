//! Writes a document again, with the comments between its values.

use super::tree::Node;
use crate::text::decoded::content_start;
use crate::text::events::Style;
use std::ops::Range;

/// The indentation of the value of a key or an item.
const INDENT: usize = 2;

/// A document that is being written. Its parts are read in order.
pub(super) struct Writer<'t> {
    text: &'t str,
    /// The byte offset up to which `text` has been read.
    at: usize,
    out: String,
    /// The lists and maps around the current position, from the root.
    levels: Vec<Level>,
    /// The keys of the root's entries, and their start offsets in `out`.
    entries: Vec<(&'t str, usize)>,
}

/// The indentation of a list or map in the old and in the new text, in characters.
#[derive(Debug, Clone, Copy)]
struct Level {
    old: usize,
    new: usize,
}

/// The text between two parts of a document.
struct Gap<'t> {
    /// The comment on the line of the first part, with the whitespace before the comment.
    trailing: &'t str,
    /// The lines between the two parts.
    lines: Vec<Line<'t>>,
    /// Whether the second part begins a line.
    broken: bool,
}

enum Line<'t> {
    Blank,
    /// The indentation and the text of a comment.
    Comment(usize, &'t str),
}

/// Writes the document with the root entries named by `first` at the front, in that order; returns `None` if the
/// document has an unsupported form.
pub(super) fn written(text: &str, root: &Node, first: &[&str]) -> Option<String> {
    let mut writer = Writer {
        text,
        at: 0,
        out: String::with_capacity(text.len()),
        levels: Vec::new(),
        entries: Vec::new(),
    };
    match root {
        Node::Leaf { span, style } => {
            let gap = writer.gap(span.start)?;
            let column = writer.column(span.start);
            writer.levels.push(Level { old: column, new: 0 });
            writer.lead(&gap, 0);
            writer.leaf(span, *style)?;
        }
        Node::Map { start, .. } if *start == writer.next_token() => writer.block(root, 0, false)?,
        _ => return None,
    }
    let gap = writer.gap(text.len())?;
    writer.comments(&gap);
    if !writer.out.ends_with('\n') {
        writer.out.push('\n');
    }
    Some(sorted(&writer.out, &writer.entries, first))
}

/// Reorders the entries of the text so that the entries named by `first` come first.
fn sorted(text: &str, entries: &[(&str, usize)], first: &[&str]) -> String {
    let rank = |key: &str| first.iter().position(|known| *known == key).unwrap_or(first.len());
    let Some((_, head)) = entries.first() else {
        return text.to_owned();
    };
    let ends = entries.iter().skip(1).map(|(_, start)| *start).chain([text.len()]);
    let mut chunks: Vec<(usize, &str)> = entries
        .iter()
        .zip(ends)
        .map(|((key, start), end)| (rank(key), text.get(*start..end).unwrap_or_default()))
        .collect();
    if chunks.is_sorted_by_key(|(rank, _)| *rank) {
        return text.to_owned();
    }
    chunks.sort_by_key(|(rank, _)| *rank);
    let mut out = text.get(..*head).unwrap_or_default().to_owned();
    for (_, chunk) in chunks {
        // A document does not begin with an empty line.
        out.push_str(if out.is_empty() {
            chunk.trim_start_matches('\n')
        } else {
            chunk
        });
    }
    out
}

impl<'t> Writer<'t> {
    fn of(&self, span: Range<usize>) -> &'t str {
        self.text.get(span).unwrap_or_default()
    }

    /// Returns the number of characters before a position on its line.
    fn column(&self, at: usize) -> usize {
        let before = self.of(0..at);
        before.chars().rev().take_while(|letter| *letter != '\n').count()
    }

    /// Returns the start offset of the next token that is not a comment.
    fn next_token(&self) -> usize {
        let mut at = self.at;
        loop {
            let rest = self.of(at..self.text.len());
            at += rest.len() - rest.trim_start().len();
            let rest = rest.trim_start();
            if !rest.starts_with('#') {
                return at;
            }
            at += rest.find('\n').unwrap_or(rest.len());
        }
    }

    /// Reads the text up to a position; returns `None` if this text contains more than whitespace and comments.
    fn gap(&mut self, to: usize) -> Option<Gap<'t>> {
        let at_line_start = self.at == 0 || self.of(0..self.at).ends_with('\n');
        let between = self.text.get(self.at..to)?;
        self.at = to;
        let mut gap = Gap {
            trailing: "",
            lines: Vec::new(),
            broken: at_line_start || between.contains('\n'),
        };
        let mut lines = between.split('\n').peekable();
        let behind = if at_line_start { None } else { lines.next() };
        if let Some(line) = behind.filter(|line| !line.trim().is_empty()) {
            gap.trailing = line.trim_end();
            gap.trailing.trim_start().starts_with('#').then_some(())?;
        }
        while let Some(line) = lines.next() {
            let comment = line.trim();
            if comment.starts_with('#') {
                let before = line.len() - line.trim_start().len();
                gap.lines.push(Line::Comment(before, comment));
            } else if !comment.is_empty() {
                return None;
            } else if lines.peek().is_some() {
                gap.lines.push(Line::Blank);
            }
        }
        Some(gap)
    }

    /// Writes the comments of a gap, and begins the next line. Returns the output position of the first comment that is
    /// indented no deeper than the root; without such a comment, returns the output position of the text after the gap.
    fn comments(&mut self, gap: &Gap<'_>) -> usize {
        self.out.push_str(gap.trailing);
        let mut of_next = None;
        let mut blank = false;
        if !self.out.is_empty() && !self.out.ends_with('\n') {
            self.out.push('\n');
        }
        for line in &gap.lines {
            match line {
                Line::Blank => blank = true,
                Line::Comment(column, comment) => {
                    if self.levels.first().is_none_or(|root| *column <= root.old) {
                        of_next.get_or_insert(self.out.len());
                    }
                    self.blank(std::mem::take(&mut blank));
                    // The comment belongs to the innermost list or map that is not indented deeper than the comment.
                    let level = self.levels.iter().rfind(|level| level.old <= *column);
                    self.pad(level.map_or(0, |level| level.new));
                    self.out.push_str(comment);
                    self.out.push('\n');
                }
            }
        }
        let of_next = of_next.unwrap_or(self.out.len());
        self.blank(blank && self.at < self.text.len());
        of_next
    }

    fn blank(&mut self, is_there: bool) {
        if is_there && !self.out.is_empty() {
            self.out.push('\n');
        }
    }

    fn pad(&mut self, column: usize) {
        self.out.extend(std::iter::repeat_n(' ', column));
    }

    /// Writes a gap, and indents the line after it.
    fn lead(&mut self, gap: &Gap<'_>, column: usize) -> usize {
        let of_next = self.comments(gap);
        self.pad(column);
        of_next
    }

    /// Writes a list or map indented to `column`. `inline` means that its first line may continue the current line.
    fn block(&mut self, node: &Node, column: usize, inline: bool) -> Option<()> {
        let (start, first) = match node {
            Node::Map { start, entries } => (*start, entries.first()?.0.start()),
            Node::List { start, .. } => (*start, *start),
            Node::Leaf { .. } => return None,
        };
        let has_properties = matches!(node, Node::Map { .. }) && start < first
            || matches!(node, Node::List { .. }) && !self.of(start..self.text.len()).starts_with('-');
        if has_properties {
            self.properties(start)?;
        }
        let first = if has_properties { self.next_token() } else { first };
        let depth = self.levels.len();
        let old = self.column(first);
        self.levels.push(Level { old, new: column });
        let gap = self.gap(first)?;
        let empty = gap.trailing.is_empty() && gap.lines.iter().all(|line| matches!(line, Line::Blank));
        if inline && !has_properties && (!gap.broken || empty) {
            self.out.push(' ');
        } else if gap.broken {
            self.lead(&gap, column);
        } else {
            return None;
        }
        match node {
            Node::Map { entries, .. } => {
                for (place, (key, value)) in entries.iter().enumerate() {
                    let begin = self.next_child(place, key.start(), depth)?;
                    let Node::Leaf { span, .. } = key else { return None };
                    let written = self.of(span.clone());
                    if depth == 0 {
                        let begin = if place == 0 { self.out.len() } else { begin };
                        self.entries.push((written.trim_matches(['"', '\'']), begin));
                    }
                    if written.contains('\n') {
                        return None;
                    }
                    self.out.push_str(written);
                    let behind = self.of(span.end..self.text.len());
                    let colon = span.end + (behind.len() - behind.trim_start_matches([' ', '\t']).len());
                    self.of(colon..self.text.len()).starts_with(':').then_some(())?;
                    // Keeps the spaces, because the name of an alias used as a key would otherwise include the colon.
                    self.out.push_str(self.of(span.end..colon + 1));
                    self.at = colon + 1;
                    self.value(value, column, true)?;
                }
            }
            Node::List { items, .. } => {
                for (place, item) in items.iter().enumerate() {
                    let dash = self.next_token();
                    self.next_child(place, dash, depth)?;
                    self.of(dash..self.text.len()).starts_with('-').then_some(())?;
                    self.out.push('-');
                    self.at = dash + 1;
                    self.value(item, column, false)?;
                }
            }
            Node::Leaf { .. } => {}
        }
        Some(())
    }

    /// Moves to the next entry of the map, or item of the list, at `depth`. Returns the offset where its lines start.
    fn next_child(&mut self, place: usize, start: usize, depth: usize) -> Option<usize> {
        let column = self.levels.get(depth)?.new;
        if place == 0 {
            return Some(self.out.len());
        }
        let gap = self.gap(start)?;
        gap.broken.then_some(())?;
        let begin = self.lead(&gap, column);
        self.levels.truncate(depth + 1);
        Some(begin.min(self.out.len() - column))
    }

    /// Writes the value of a key, or an item, inside a list or map that is indented to `column`.
    fn value(&mut self, node: &Node, column: usize, of_key: bool) -> Option<()> {
        match node {
            Node::Leaf { span, .. } if span.is_empty() => Some(()),
            Node::Leaf { span, style } => {
                let gap = self.gap(span.start)?;
                if gap.broken {
                    self.lead(&gap, column + INDENT);
                } else {
                    self.out.push(' ');
                }
                self.leaf(span, *style)
            }
            Node::List { .. } if of_key => self.block(node, column, false),
            Node::Map { .. } | Node::List { .. } => self.block(node, column + INDENT, !of_key),
        }
    }

    /// Writes the anchor and the tag of a list or map.
    fn properties(&mut self, start: usize) -> Option<()> {
        let gap = self.gap(start)?;
        (!gap.broken).then_some(())?;
        loop {
            let rest = self.of(self.at..self.text.len());
            if !rest.starts_with(['&', '!']) {
                return None;
            }
            let length = rest.find(char::is_whitespace)?;
            self.out.push(' ');
            self.out.push_str(rest.get(..length)?);
            self.at += length;
            let behind = self.of(self.at..self.text.len()).trim_start_matches([' ', '\t']);
            if behind.starts_with(['\n', '#']) {
                return Some(());
            }
            self.at = self.text.len() - behind.len();
        }
    }

    fn leaf(&mut self, span: &Range<usize>, style: Option<Style>) -> Option<()> {
        let level = *self.levels.last()?;
        self.at = span.end;
        if matches!(style, Some(Style::Literal | Style::Folded)) {
            return self.lines_of_text(span, level);
        }
        let mut lines = self.of(span.clone()).split('\n');
        self.out.push_str(lines.next().unwrap_or_default());
        for line in lines {
            let content = line.trim_start();
            self.out.push('\n');
            if content.is_empty() {
                continue;
            }
            if style.is_some() {
                self.pad(level.new + INDENT);
            } else {
                // A list or map in brackets keeps its own layout.
                let before = line.chars().count() - content.chars().count();
                self.pad((before + level.new).saturating_sub(level.old).max(level.new));
            }
            self.out.push_str(content);
        }
        Some(())
    }

    /// Writes a block scalar with unchanged lines.
    fn lines_of_text(&mut self, span: &Range<usize>, level: Level) -> Option<()> {
        let written = self.of(span.clone());
        let sign = content_start(self.text, span);
        let (header, lines) = written.split_once('\n').unwrap_or((written, ""));
        (sign < span.start + header.len()).then_some(())?;
        let header = header.trim_end();
        self.out.push_str(header);
        self.out.push('\n');
        let marks = self.of(sign..span.end);
        let marks = marks.split(char::is_whitespace).next().unwrap_or_default();
        let digit = marks.chars().find_map(|mark| mark.to_digit(10));
        let blanks = |line: &str| line.len() - line.trim_start_matches(' ').len();
        let (old, new) = if let Some(digit) = digit {
            (level.old + digit as usize, level.new + digit as usize)
        } else {
            let first = lines.split('\n').find(|line| blanks(line) < line.len());
            (first.map_or(0, blanks), level.new + INDENT)
        };
        for line in lines.split_inclusive('\n') {
            let line = line.strip_suffix('\n').unwrap_or(line);
            let content = line.get(blanks(line).min(old)..).unwrap_or_default();
            if !content.is_empty() {
                self.pad(new);
            }
            self.out.push_str(content);
            self.out.push('\n');
        }
        Some(())
    }
}
