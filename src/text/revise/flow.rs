//! Edits members between brackets: all JSON, and YAML in flow style.

use super::{Child, Revision};
use crate::text::emit::to_yaml;
use crate::text::path::Path;
use serde_json::{Value, json};
use std::ops::Range;

/// A comment on the line of a member.
struct Comment {
    /// The end of the comment, before the line break.
    end: usize,
    /// Whether the comma behind the member is before the comment.
    has_comma: bool,
}

impl Revision<'_> {
    /// Removes members from a map or list with brackets, and inserts new ones.
    pub(super) fn flow(&mut self, path: &Path, children: &[Child<'_>]) {
        // Members of the old text, with their positions among the children.
        let old: Vec<(usize, Range<usize>)> = children
            .iter()
            .enumerate()
            .filter_map(|(place, child)| {
                let (path, _) = child.old()?;
                Some((place, self.layout.key(path).start..self.layout.span(path).end))
            })
            .collect();
        let (Some((_, first)), Some((_, last))) = (old.first(), old.last()) else {
            return;
        };
        let kept = |place: usize| matches!(children.get(place), Some(Child::Kept { .. }));
        // The whitespace before a member, after the comma or the bracket that precedes it.
        let before = self.layout.of(0..first.start);
        let between = before.get(before.trim_end().len()..).unwrap_or_default().to_owned();
        let between = match old.get(1) {
            Some((_, second)) => {
                let gap = self.layout.of(first.end..second.start);
                gap.split_once(',')
                    .map_or(between.clone(), |(_, gap)| self.without_comments(gap))
            }
            None if between.is_empty() && !self.is_compact() => " ".to_owned(),
            None => between,
        };
        let added = |revision: &Self, range: Range<usize>| -> Vec<String> {
            let children = children.get(range).unwrap_or_default().iter();
            let texts = children.filter_map(|child| match child {
                Child::Added { key, value } => Some(revision.flow_member(*key, value, path, &between)),
                _ => None,
            });
            texts.collect()
        };

        let Some(first_kept) = old.iter().position(|(place, _)| kept(*place)) else {
            let all = added(self, 0..children.len());
            return self.edit(first.start..last.end, all.join(&format!(",{between}")));
        };
        // Members before the first member that is kept.
        if let Some((place, member)) = old.get(first_kept) {
            let new = added(self, 0..*place);
            if first_kept > 0 || !new.is_empty() {
                let start = self.with_comments_above(self.layout.span(path).start..first.start);
                let gone = old.get(..first_kept).and_then(<[_]>::last);
                let end = gone.map_or(start, |(_, gone)| self.with_comments_above(gone.end..member.start));
                self.edit(start..end, before_next(&new, &between));
            }
        }
        for (at, (place, member)) in old
            .iter()
            .enumerate()
            .skip(first_kept)
            .filter(|(_, (place, _))| kept(*place))
        {
            let rest = old.get(at + 1..).unwrap_or_default();
            let next = rest.iter().position(|(place, _)| kept(*place));
            let gone = rest.get(..next.unwrap_or(rest.len())).unwrap_or_default();
            let next = next.and_then(|next| rest.get(next));
            let new = added(self, place + 1..next.map_or(children.len(), |(next, _)| *next));
            if new.is_empty() && gone.is_empty() {
                continue;
            }
            let Some((_, next)) = next else {
                let gone = gone.last().map(|(_, gone)| gone.end);
                self.at_end(member.end, gone, &new, &between);
                continue;
            };
            let from = gone.first().map_or(next.start, |(_, gone)| gone.start);
            let start = self.with_comments_above(member.end..from);
            let end = gone
                .last()
                .map_or(start, |(_, gone)| self.with_comments_above(gone.end..next.start));
            self.edit(start..end, before_next(&new, &between));
        }
    }

    /// Changes the members behind the last kept member, which ends at `member` and whose comment stays on its line.
    /// `gone` is the end of the last member if it is removed, and `between` the whitespace before a member.
    fn at_end(&mut self, member: usize, gone: Option<usize>, new: &[String], between: &str) {
        let gone = gone.map(|gone| self.comment_behind(gone).map_or(gone, |comment| comment.end));
        let Some(comment) = self.comment_behind(member) else {
            let new: String = new.iter().map(|one| format!(",{between}{one}")).collect();
            return self.edit(member..gone.unwrap_or(member), new);
        };
        let line = if between.contains('\n') {
            between.to_owned()
        } else {
            let start = self.layout.of(self.layout.line_start(member)..member);
            let indent = start.get(..start.len() - start.trim_start().len()).unwrap_or_default();
            format!("{}{indent}", self.layout.newline)
        };
        // Without new members, the closing bracket must not become part of the comment.
        let text = match new {
            [] => line,
            _ => new
                .iter()
                .map(|one| format!("{line}{one}"))
                .collect::<Vec<_>>()
                .join(","),
        };
        if !comment.has_comma && !new.is_empty() {
            self.edit(member..member, ",");
        }
        self.edit(comment.end..gone.unwrap_or(comment.end), text);
    }

    /// Returns the comment on the line on which a member ends, if any.
    fn comment_behind(&self, end: usize) -> Option<Comment> {
        let line = self.layout.of(end..self.layout.next_line(end)).trim_end();
        let behind = line.trim_start();
        let rest = behind.strip_prefix(',').unwrap_or(behind);
        (!self.layout.is_json() && rest.trim_start().starts_with('#')).then(|| Comment {
            end: end + line.len(),
            has_comma: behind.starts_with(','),
        })
    }

    /// Returns the start of a member with the comments on the lines above it. `gap` is the text between the preceding
    /// member, or the bracket, and this member.
    fn with_comments_above(&self, gap: Range<usize>) -> usize {
        let text = self.layout.of(gap.clone());
        let lines = text.split_once('\n').map_or("", |(_, lines)| lines).trim_start();
        if lines.starts_with('#') {
            gap.end - lines.len()
        } else {
            gap.end
        }
    }

    /// Returns the line break and the indentation of a gap between two members without its comments, which belong to
    /// one of these members.
    fn without_comments(&self, gap: &str) -> String {
        if gap.trim().is_empty() {
            return gap.to_owned();
        }
        let (_, line) = gap.rsplit_once('\n').unwrap_or_default();
        let indent = line.get(..line.len() - line.trim_start().len()).unwrap_or_default();
        format!("{}{indent}", self.layout.newline)
    }

    /// Replaces a value between brackets.
    pub(super) fn replace_in_flow(&mut self, path: &Path, new: &Value) {
        let span = self.layout.span(path);
        let text = self.flow_text(new, path);
        if span.is_empty() {
            let Some(colon) = self.layout.colon(path) else { return };
            return self.edit(colon + 1..colon + 1, format!(" {text}"));
        }
        self.edit(span, text);
    }

    /// Returns the text of a value between brackets, on the line of the value at `path`.
    pub(super) fn flow_text(&self, value: &Value, path: &Path) -> String {
        self.bracketed(value, self.indent_of(path))
    }

    /// Returns the indentation of the line on which a value begins.
    fn indent_of(&self, path: &Path) -> &str {
        let start = self.layout.span(path).start;
        let line = self.layout.of(self.layout.line_start(start)..start);
        line.get(..line.len() - line.trim_start().len()).unwrap_or_default()
    }

    /// Returns the text of a member; `between` is the whitespace before it.
    fn flow_member(&self, key: Option<&str>, value: &Value, path: &Path, between: &str) -> String {
        let indent = between
            .rsplit_once('\n')
            .map_or_else(|| self.indent_of(path), |(_, indent)| indent);
        let value = self.bracketed(value, indent);
        match key {
            Some(key) => format!("{}{}{value}", self.flow_string(key), self.colon_between()),
            None => value,
        }
    }

    /// Returns the text of a value in the form of the document: JSON on one or several lines, or YAML on one line.
    fn bracketed(&self, value: &Value, indent: &str) -> String {
        let unit = self.json_indent();
        let newline = self.layout.newline;
        let (open, close, members) = match value {
            Value::Object(map) if !map.is_empty() => {
                let member = |(key, value): (&String, &Value)| {
                    let value = self.bracketed(value, &format!("{indent}{}", unit.as_deref().unwrap_or_default()));
                    format!("{}{}{value}", self.flow_string(key), self.colon_between())
                };
                ('{', '}', map.iter().map(member).collect::<Vec<_>>())
            }
            Value::Array(items) if !items.is_empty() => {
                let inner = format!("{indent}{}", unit.as_deref().unwrap_or_default());
                (
                    '[',
                    ']',
                    items.iter().map(|item| self.bracketed(item, &inner)).collect(),
                )
            }
            Value::String(text) => return self.flow_string(text),
            other => return other.to_string(),
        };
        if let Some(unit) = unit {
            let line = format!("{newline}{indent}{unit}");
            let members = members.join(&format!(",{line}"));
            return format!("{open}{line}{members}{newline}{indent}{close}");
        }
        let comma = if self.is_compact() { "," } else { ", " };
        format!("{open}{}{close}", members.join(comma))
    }

    /// Returns the text of a string, without quotes in YAML if none are needed.
    fn flow_string(&self, text: &str) -> String {
        let simple = |letter: char| letter.is_ascii_alphanumeric() || ['.', '-', '/', '_'].contains(&letter);
        let plain = !self.layout.is_json() && text.chars().all(simple) && to_yaml(&json!(text)).trim_end() == text;
        if plain {
            text.to_owned()
        } else {
            json!(text).to_string()
        }
    }

    /// Returns whether the document is JSON without whitespace.
    fn is_compact(&self) -> bool {
        self.layout.is_json() && !self.text_of_document().contains("\": ")
    }

    fn colon_between(&self) -> &'static str {
        if self.is_compact() { ":" } else { ": " }
    }

    fn text_of_document(&self) -> &str {
        self.layout.of(self.layout.span(&Path::root()))
    }

    /// Returns the indentation of one level of multi-line JSON.
    fn json_indent(&self) -> Option<String> {
        if !self.layout.is_json() {
            return None;
        }
        let inside = self.text_of_document().strip_prefix(['{', '['])?;
        let blank = inside.get(..inside.len() - inside.trim_start().len())?;
        let (_, indent) = blank.rsplit_once('\n')?;
        Some(indent.to_owned())
    }
}

/// Returns the text of new members before another member; `between` is the whitespace before a member.
fn before_next(new: &[String], between: &str) -> String {
    new.iter().map(|one| format!("{one},{between}")).collect()
}
