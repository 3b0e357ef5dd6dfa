//! Findings with the affected source line, as text, and as JSON for programs.

mod schema;

pub(crate) use schema::RULE_PATTERN;
pub use schema::json_schema;

use crate::diagnostic::{Diagnostic, DiagnosticJson};
use crate::rules::Severity;
use crate::source::{Place, Position};
use crate::terminal::{advice, counted};
use crate::visible::{is_hidden, is_marker, one_line, visible};
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet, Title};
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;

/// How many characters of a line are shown before, in and after the position. Longer lines, which can
/// be a megabyte long, are cut.
const BEFORE: usize = 40;
const MARKED: usize = 80;
const BEHIND: usize = 40;
const CUT: &str = "...";

/// Renders a finding as text: message, source line with the position underlined, related positions, advice. There is no
/// final newline.
pub fn render(diagnostic: &Diagnostic, color: bool) -> String {
    render_next(diagnostic, color, &mut BTreeSet::new())
}

/// Like [`render`], but for a finding that is printed after other findings, whose rules are in `explained`.
pub(crate) fn render_next(diagnostic: &Diagnostic, color: bool, explained: &mut BTreeSet<&'static str>) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Info => Level::INFO,
    };
    let title = level
        .clone()
        .primary_title(one_line(&diagnostic.message).into_owned())
        .id(diagnostic.rule.id);
    let mut groups = with_place(title, level, diagnostic.place.as_ref(), AnnotationKind::Primary);
    if let Some(about) = subject(diagnostic) {
        add(&mut groups, Level::NOTE.message(about));
    }
    let label = if diagnostic.states_consequence() {
        Level::NOTE
    } else {
        Level::HELP
    };
    add(
        &mut groups,
        label.message(visible(&advice::of_next(diagnostic, explained)).into_owned()),
    );
    if diagnostic.is_fixable() {
        add(
            &mut groups,
            Level::NOTE.message("\"opmx bundle validate --fix\" can fix this"),
        );
    }
    for (place, label) in &diagnostic.related {
        let title = Level::NOTE.secondary_title(one_line(label).into_owned());
        groups.extend(with_place(title, Level::NOTE, Some(place), AnnotationKind::Context));
    }
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    // Lines are already cut, so the renderer never needs to cut them.
    joined(&renderer.term_width(usize::from(u16::MAX)).render(&groups))
}

/// The escape sequence that ends a style.
const RESET: &str = "\u{1b}[0m";

/// Removes one of the two empty margin lines that the renderer prints between the position and the excerpt, if the
/// excerpt is cut on the left.
fn joined(rendered: &str) -> String {
    let is_margin = |line: &str| line.trim_end_matches(RESET).ends_with('|');
    let mut lines: Vec<&str> = rendered.lines().collect();
    lines.dedup_by(|line, before| line == before && is_margin(line));
    lines.join("\n")
}

fn add<'a>(groups: &mut [Group<'a>], message: annotate_snippets::Message<'a>) {
    if let Some(group) = groups.last_mut() {
        *group = group.clone().element(message);
    }
}

fn subject(diagnostic: &Diagnostic) -> Option<String> {
    let subject = match (&diagnostic.object, &diagnostic.path) {
        (Some(object), Some(path)) => format!("in {object} at {path}"),
        (Some(object), None) => format!("in {object}"),
        (None, Some(path)) => format!("at {path}"),
        (None, None) => return None,
    };
    Some(one_line(&subject).into_owned())
}

fn with_place<'a>(
    title: Title<'a>,
    level: Level<'a>,
    place: Option<&'a Place>,
    kind: AnnotationKind,
) -> Vec<Group<'a>> {
    let Some(place) = place else {
        return vec![Group::with_title(title)];
    };
    let Position { line, column } = place.start();
    let name = one_line(place.source.name());
    let excerpt = Excerpt::of(place);
    let marked = kind.span(excerpt.marked.clone());
    let snippet = Snippet::source(excerpt.text).line_start(line).annotation(marked);
    if excerpt.cut_left {
        // The snippet does not start at the beginning of the line, so the column must be specified separately.
        let origin = Origin::path(name).line(line).char_column(column);
        vec![title.element(origin), Group::with_level(level).element(snippet)]
    } else {
        vec![title.element(snippet.path(name))]
    }
}

/// The shown part of a line.
struct Excerpt {
    text: String,
    marked: Range<usize>,
    cut_left: bool,
}

impl Excerpt {
    /// Returns the excerpt of the first line of the position. A position past the end of the text is treated as the end
    /// of the text.
    fn of(place: &Place) -> Self {
        let text = place.source.text();
        let start = text.floor_char_boundary(place.span.start);
        let end = text.floor_char_boundary(place.span.end).max(start);
        // Of a long line, only what may be shown is read. A character has at most four bytes.
        let left = text.floor_char_boundary(start.saturating_sub(4 * (BEFORE + 2)));
        let right = text.floor_char_boundary(start.saturating_add(4 * (MARKED + BEHIND + 2)));
        let line_start = text[left..start].rfind('\n').map_or(left, |at| left + at + 1);
        let line_end = text[start..right].find('\n').map_or(right, |at| start + at);
        let line = &text[line_start..line_end];
        let (start, end) = (start - line_start, end.min(line_end) - line_start);
        let (before, cut_left) = last_characters(&line[..start], BEFORE);
        let (marked, cut_mark) = first_characters(&line[start..end], MARKED);
        let end = start + marked.len();
        let (behind, cut_right) = first_characters(&line[end..], BEHIND);
        let mut shown = String::new();
        if cut_left {
            shown.push_str(CUT);
        }
        push_visible(&mut shown, line, start - before.len()..start);
        let marked_start = shown.len();
        push_visible(&mut shown, line, start..end);
        let marked_end = shown.len();
        if cut_mark {
            shown.push_str(CUT);
        } else {
            push_visible(&mut shown, line, end..end + behind.trim_end_matches('\r').len());
            if cut_right {
                shown.push_str(CUT);
            }
        }
        Self {
            text: shown,
            marked: marked_start..marked_end,
            cut_left,
        }
    }
}

/// Appends a part of a line. Hidden characters, and characters that start a workflow command, are replaced one for one,
/// so that columns stay correct. The renderer handles tabs and ASCII control characters.
fn push_visible(shown: &mut String, line: &str, part: Range<usize>) {
    let start = part.start;
    shown.extend(line[part].char_indices().map(|(at, character)| {
        if is_marker(line, start + at) || is_hidden(character) && !character.is_ascii() {
            '\u{fffd}'
        } else {
            character
        }
    }));
}

fn first_characters(text: &str, count: usize) -> (&str, bool) {
    match text.char_indices().nth(count) {
        Some((at, _)) => (&text[..at], true),
        None => (text, false),
    }
}

fn last_characters(text: &str, count: usize) -> (&str, bool) {
    match text.char_indices().rev().nth(count - 1) {
        Some((at, _)) => (&text[at..], at > 0),
        None => (text, false),
    }
}

/// The number of findings of each severity; displayed as the last line below them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Findings that fail the command.
    pub errors: usize,
    /// Findings that do not fail the command.
    pub warnings: usize,
    /// Remarks.
    pub infos: usize,
}

impl Summary {
    /// Counts the findings.
    pub fn of(diagnostics: &[Diagnostic]) -> Self {
        let count = |severity| diagnostics.iter().filter(|found| found.severity == severity).count();
        Self {
            errors: count(Severity::Error),
            warnings: count(Severity::Warning),
            infos: count(Severity::Info),
        }
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = [(self.errors, "error"), (self.warnings, "warning"), (self.infos, "info")];
        let mut said = false;
        for (count, name) in counts.into_iter().filter(|(count, _)| *count > 0) {
            let comma = if said { ", " } else { "" };
            write!(formatter, "{comma}{}", counted(count, name))?;
            said = true;
        }
        if said {
            Ok(())
        } else {
            formatter.write_str("no findings")
        }
    }
}

/// All findings, in machine-readable form.
#[derive(Debug, Serialize)]
pub struct Report<'a> {
    /// The findings, in input order.
    findings: Vec<DiagnosticJson<'a>>,
    /// The number of findings of each severity.
    summary: Summary,
}

impl<'a> Report<'a> {
    /// Describes the findings, in input order.
    pub fn of(diagnostics: &'a [Diagnostic]) -> Self {
        let findings = diagnostics.iter();
        Self {
            findings: findings
                .map(|diagnostic| DiagnosticJson::new(diagnostic, advice::of(diagnostic)))
                .collect(),
            summary: Summary::of(diagnostics),
        }
    }
}

#[cfg(test)]
mod tests;
