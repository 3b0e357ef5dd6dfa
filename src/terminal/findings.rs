//! Findings for a person, with the line they are about, and for a program, as JSON.

use crate::diagnostic::Diagnostic;
use crate::rules::Severity;
use crate::source::{Place, Position};
use crate::terminal::{advice, counted};
use crate::visible::{is_hidden, is_marker, one_line, visible};
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet, Title};
use serde::Serialize;
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

/// Characters of a line shown before the place, on it, and behind it. A line of a megabyte is cut to this.
const BEFORE: usize = 40;
const MARKED: usize = 80;
const BEHIND: usize = 40;
const CUT: &str = "...";

/// One finding as text: message, source line with the place underlined, related places, advice. No final newline.
pub fn render(diagnostic: &Diagnostic, color: bool) -> String {
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
    add(
        &mut groups,
        Level::HELP.message(visible(&advice::of(diagnostic)).into_owned()),
    );
    if diagnostic.is_fixable() {
        add(
            &mut groups,
            Level::NOTE.message("\"opmx bundle validate --fix\" does this"),
        );
    }
    for (place, label) in &diagnostic.related {
        let title = Level::NOTE.secondary_title(one_line(label).into_owned());
        groups.extend(with_place(title, Level::NOTE, Some(place), AnnotationKind::Context));
    }
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    // Lines are cut here already, so the renderer never needs to.
    renderer.term_width(usize::from(u16::MAX)).render(&groups)
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
        // The snippet does not begin where the line does, so that the column must be said apart from it.
        let origin = Origin::path(name).line(line).char_column(column);
        vec![title.element(origin), Group::with_level(level).element(snippet)]
    } else {
        vec![title.element(snippet.path(name))]
    }
}

/// The part of one line that is shown.
struct Excerpt {
    text: String,
    marked: Range<usize>,
    cut_left: bool,
}

impl Excerpt {
    /// Shows the first line of the place. What is behind the end of the text counts as the end.
    fn of(place: &Place) -> Self {
        let text = place.source.text();
        let start = text.floor_char_boundary(place.span.start);
        let end = text.floor_char_boundary(place.span.end).max(start);
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
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

/// Adds a part of a line, one character for one, so that columns stay true. The renderer shows tabs and the control
/// characters of ASCII.
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

/// How many findings there are of each severity; prints as the last line under them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Findings that fail the command.
    pub errors: usize,
    /// Findings that do not.
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

/// All findings as a program reads them.
#[derive(Debug, Serialize)]
pub struct Report<'a> {
    /// The findings in the order given.
    pub findings: Vec<Finding<'a>>,
    /// How many there are of each severity.
    pub summary: Summary,
}

/// One finding as a program reads it. A field that does not apply is null.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Finding<'a> {
    /// The id of the rule.
    pub rule: &'a str,
    /// `error`, `warning` or `info`.
    pub severity: String,
    /// What is wrong.
    pub message: &'a str,
    /// Where it is wrong.
    #[serde(flatten)]
    pub location: Location<'a>,
    /// The object, as `Kind/name`.
    pub object: Option<&'a str>,
    /// The path of the value inside the object.
    pub path: Option<&'a str>,
    /// What to do about it.
    pub help: Cow<'a, str>,
    /// Other places that explain it.
    pub related: Vec<Related<'a>>,
}

/// A second place of a finding.
#[derive(Debug, Serialize)]
pub struct Related<'a> {
    /// What this place has to do with the finding.
    pub message: &'a str,
    /// Where it is.
    #[serde(flatten)]
    pub location: Location<'a>,
}

/// A place as a program reads it. Lines and columns start at 1, columns count characters, the end is behind the last.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Location<'a> {
    file: Option<&'a str>,
    line: Option<usize>,
    column: Option<usize>,
    end_line: Option<usize>,
    end_column: Option<usize>,
}

impl<'a> Report<'a> {
    /// Describes the findings in the order given.
    pub fn of(diagnostics: &'a [Diagnostic]) -> Self {
        Self {
            findings: diagnostics.iter().map(Finding::of).collect(),
            summary: Summary::of(diagnostics),
        }
    }
}

impl<'a> Finding<'a> {
    fn of(diagnostic: &'a Diagnostic) -> Self {
        let related = diagnostic.related.iter().map(|(place, label)| Related {
            message: label,
            location: Location::of(place),
        });
        Self {
            rule: diagnostic.rule.id,
            severity: diagnostic.severity.to_string(),
            message: &diagnostic.message,
            location: diagnostic.place.as_ref().map(Location::of).unwrap_or_default(),
            object: diagnostic.object.as_deref(),
            path: diagnostic.path.as_deref(),
            help: advice::of(diagnostic),
            related: related.collect(),
        }
    }
}

impl<'a> Location<'a> {
    fn of(place: &'a Place) -> Self {
        let (start, end) = (place.start(), place.end());
        Self {
            file: Some(place.source.name()),
            line: Some(start.line),
            column: Some(start.column),
            end_line: Some(end.line),
            end_column: Some(end.column),
        }
    }
}

#[cfg(test)]
mod tests;
