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
            let mut text = String::new();
            for one in added(self, 0..*place) {
                text.push_str(&one);
                text.push(',');
                text.push_str(&between);
            }
            if first_kept > 0 || !text.is_empty() {
                self.edit(first.start..member.start, text);
            }
        }
        for (at, (place, member)) in old
            .iter()
            .enumerate()
            .skip(first_kept)
            .filter(|(_, (place, _))| kept(*place))
        {
            // The range up to the next member that is kept.
            let next = old
                .iter()
                .skip(at + 1)
                .position(|(place, _)| kept(*place))
                .map(|gone| at + 1 + gone);
            let (until, gone) = match next.and_then(|next| Some((next, old.get(next)?))) {
                Some((next, (until, _))) => (*until, old.get(at + 1..next)),
                None => (children.len(), old.get(at + 1..)),
            };
            let new = added(self, place + 1..until);
            if let Some(comment) = self.comment_behind(member.end) {
                let next = next.and_then(|next| Some(old.get(next)?.1.start));
                let gone = gone.and_then(<[_]>::last).map(|(_, last)| last.end);
                if self.behind_comment(member.end, &comment, &new, &between, (next, gone)) {
                    continue;
                }
            }
            let mut text = String::new();
            for one in new {
                text.push(',');
                text.push_str(&between);
                text.push_str(&one);
            }
            let end = gone.and_then(<[_]>::last).map_or(member.end, |(_, last)| last.end);
            if end > member.end || !text.is_empty() {
                self.edit(member.end..end, text);
            }
        }
    }

    /// Changes the members behind a kept member that ends at `member` and whose line ends with a comment, which stays
    /// on this line. `next` is the start of the next member that is kept, and `gone` the end of the last member that is
    /// removed before it. Returns `false` if the comma is not on the line of the comment.
    fn behind_comment(
        &mut self,
        member: usize,
        comment: &Comment,
        new: &[String],
        between: &str,
        (next, gone): (Option<usize>, Option<usize>),
    ) -> bool {
        if new.is_empty() && gone.is_none() {
            return true;
        }
        let line = if between.contains('\n') {
            between.to_owned()
        } else {
            let start = self.layout.of(self.layout.line_start(member)..member);
            let indent = start.get(..start.len() - start.trim_start().len()).unwrap_or_default();
            format!("{}{indent}", self.layout.newline)
        };
        let mut text = new
            .iter()
            .map(|one| format!("{line}{one}"))
            .collect::<Vec<_>>()
            .join(",");
        match next {
            Some(_) if !comment.has_comma => return false,
            Some(next) => {
                if !text.is_empty() {
                    text.push(',');
                }
                if gone.is_some() {
                    text.push_str(&line);
                }
                self.edit(comment.end..gone.map_or(comment.end, |_| next), text);
            }
            None => {
                if !comment.has_comma && !new.is_empty() {
                    self.edit(member..member, ",");
                }
                // The closing bracket must not become part of the comment.
                if new.is_empty() {
                    text.push_str(&line);
                }
                self.edit(comment.end..gone.unwrap_or(comment.end), text);
            }
        }
        true
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
