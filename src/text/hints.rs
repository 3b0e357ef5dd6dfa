//! Findings about text that is not YAML, each with the mistake that most often causes it.

use super::events::Fault;
use super::passage::Passage;
use super::scalar::shortened;
use crate::diagnostic::{Diagnostic, Edit};
use crate::rules::{self, Rule};
use std::ops::Range;

/// Characters that have a special meaning in YAML at the beginning of a value.
const SPECIAL: [char; 8] = ['>', '|', '*', '&', '!', '@', '%', '`'];

const TEMPLATE: &str = "This looks like a template: render it (`helm template`) and use the output.";

/// Reports a line that begins with `---` but is not a valid document separator.
pub(super) fn separator(text: &str, line: Range<usize>, passage: &Passage) -> Diagnostic {
    let written = text.get(line.clone()).unwrap_or_default();
    let help = if written.bytes().all(|byte| byte == b'-') {
        "Use exactly three dashes between two documents."
    } else if written.starts_with("----") {
        "Indent the text that this line belongs to, because only a document separator may begin with `---`."
    } else {
        "Move the text after `---` to a separate line, because Kubernetes tools allow only a comment there."
    };
    Diagnostic::new(
        &rules::YAML_SYNTAX,
        "this line begins with `---` but is not a valid document separator",
    )
    .at(passage.place(line))
    .help(help)
}

/// Reports a value that is valid YAML but cannot be read.
pub(super) fn value(rule: &'static Rule, message: String, span: Range<usize>, part: &Passage) -> Diagnostic {
    let quoting = (rule.id == rules::YAML_SYNTAX.id)
        .then(|| special_value(part.text(), span.start))
        .flatten();
    let text = part.text();
    let line = line_start(text, span.start)..line_end(text, span.start);
    let diagnostic = Diagnostic::new(rule, message);
    match quoting {
        Some(quoting) => quoting.apply(diagnostic, part),
        None if text[line].contains("{{") => diagnostic.at(part.place(span)).help(TEMPLATE),
        None => diagnostic.at(part.place(span)),
    }
}

/// Reports text that libyaml cannot read.
pub(super) fn syntax(fault: &Fault, part: &Passage) -> Diagnostic {
    let text = part.text();
    let at = floor(text, fault.at);
    let context = fault.context.map(|(what, at)| (what, floor(text, at)));
    let message = match context {
        Some((what, _)) => format!("not YAML: {} {what}", fault.problem),
        None => format!("not YAML: {}", fault.problem),
    };
    let diagnostic = Diagnostic::new(&rules::YAML_SYNTAX, message);
    let quoted = context.filter(|(what, _)| what.contains("quoted scalar"));
    if let Some((_, quote)) = quoted
        && fault.problem.contains("unexpected")
    {
        return diagnostic
            .at(part.place(quote..line_end(text, quote)))
            .help("Close the quote that opens here.");
    }
    if let Some(tab) = tab(text, at) {
        let place = part.place(tab..tab + 1);
        let message = format!(
            "not YAML: the line is indented with a tab in column {}",
            place.start().column
        );
        return Diagnostic::new(&rules::YAML_SYNTAX, message)
            .at(place)
            .help("Indent with spaces, because YAML does not allow a tab here.");
    }
    let line = line_start(text, at)..line_end(text, at);
    if text[line.clone()].contains("{{") {
        return diagnostic.at(part.place(visible(text, line))).help(TEMPLATE);
    }
    let begun = context.map(|(_, begun)| begun);
    if let Some(quoting) = special_value(text, at).or_else(|| special_value(text, begun?)) {
        return quoting.apply(diagnostic, part);
    }
    if fault.problem.starts_with("mapping values are not allowed") {
        if let Some(quoting) = colon_in_value(text, at) {
            return quoting.apply(diagnostic, part);
        }
        if let Some((above, column)) = continued(text, at) {
            return diagnostic
                .at(part.place(visible(text, line)))
                .also(part.place(above), "this value would continue")
                .help(format!(
                    "Begin this line in column {column}, like the line above, which cannot contain nested keys \
                     because it already has a value."
                ));
        }
    }
    let place = part.place(visible(text, at..line_end(text, at)));
    let Some(help) = advice(fault.problem, text, at) else {
        return diagnostic.at(place);
    };
    let diagnostic = match (context, fault.problem) {
        (Some((_, begun)), problem) if problem.starts_with("could not find expected ':'") => {
            diagnostic.at(part.place(visible(text, begun..line_end(text, begun))))
        }
        (Some((what, begun)), _) if begun < at => {
            let label = what
                .trim_start_matches("while parsing ")
                .trim_start_matches("while scanning ");
            diagnostic
                .at(place)
                .also(part.place(begun..line_end(text, begun)), format!("{label} begins here"))
        }
        _ => diagnostic.at(place),
    };
    diagnostic.help(help)
}

/// Returns advice on an error that no single value causes.
fn advice(problem: &str, text: &str, at: usize) -> Option<&'static str> {
    const MARKERS: [&str; 3] = ["<<<<<<< ", "=======\n", ">>>>>>> "];
    let before = text[..line_start(text, at)].rfind('\n').unwrap_or_default();
    let around = line_start(text, before)..line_end(text, at);
    if MARKERS.iter().any(|marker| text[around.clone()].contains(marker)) {
        return Some("Resolve the merge conflict that is marked here.");
    }
    let after_quote = {
        let line = &text[line_start(text, at)..at];
        let value = line.rsplit_once(": ").map_or(line, |(_, value)| value).trim_start();
        value.chars().next().filter(|quote| matches!(quote, '"' | '\''))
    };
    match (problem, after_quote) {
        ("did not find expected key" | "did not find expected <document start>", Some('"')) => {
            Some("Use `\\\"` for a quote inside double quotes, or quote the whole value with single quotes.")
        }
        ("did not find expected key" | "did not find expected <document start>", Some(_)) => {
            Some("Use `''` for a quote inside single quotes, or quote the whole value with double quotes.")
        }
        ("did not find expected <document start>", None) if text.trim_start().starts_with('%') => {
            Some("Remove the line that begins with `%`, because Kubernetes tools do not read YAML directives.")
        }
        ("did not find expected <document start>", None) => {
            Some("Add a line `---` before the next document, or indent the lines that belong to this document.")
        }
        ("did not find expected key" | "did not find expected '-' indicator", _) => {
            Some("Begin this line in the same column as the other entries of its map or list.")
        }
        ("did not find expected ',' or ']'" | "did not find expected ',' or '}'", _) => {
            Some("Close the open bracket, or add a comma between the two items.")
        }
        ("could not find expected ':'", _) => {
            Some("Use the form `key: value`, or indent the line to continue the value above it.")
        }
        ("mapping values are not allowed in this context", _) => {
            Some("Check the indentation: this line continues the value above it, so it cannot be `key: value`.")
        }
        ("control characters are not allowed", _) => {
            Some("Remove the control character, or use an escape inside double quotes.")
        }
        ("found character that cannot start any token", _) => Some("Quote the value that begins here."),
        _ => None,
    }
}

/// A value that could be read if it were quoted.
struct Quoting {
    span: Range<usize>,
    quoted: String,
    shown: String,
}

impl Quoting {
    fn new(text: &str, span: Range<usize>, with_key: bool) -> Self {
        let quoted = quoted(&text[span.clone()]);
        let before = if with_key {
            text[line_start(text, span.start)..span.start].trim_start()
        } else {
            ""
        };
        Self {
            shown: format!("{before}{}", shortened(&quoted)),
            span,
            quoted,
        }
    }

    fn apply(self, diagnostic: Diagnostic, part: &Passage) -> Diagnostic {
        let place = part.place(self.span);
        // There is no automatic fix in two cases. Only the author can decide whether a value is meant as an alias, an
        // anchor or a tag. Quotes inside a quoted string would have to be escaped.
        let decided = !is_name(place.text()) && !part.is_embedded();
        let edit = decided.then(|| Edit {
            place: place.clone(),
            replacement: self.quoted,
        });
        diagnostic
            .at(place)
            .fixed_by(edit)
            .help(format!("Quote the value: `{}`.", self.shown))
    }
}

/// Returns whether a value may be an alias, an anchor or a tag.
fn is_name(value: &str) -> bool {
    let word = |text: &str| {
        let simple = |letter: char| letter.is_alphanumeric() || ['_', '-'].contains(&letter);
        text.split([' ', '\t'])
            .next()
            .is_some_and(|word| !word.is_empty() && word.chars().all(simple))
    };
    match value.chars().next() {
        Some('*' | '&') => word(&value[1..]),
        Some('!') => !value[1..].starts_with('='),
        _ => false,
    }
}

fn quoted(value: &str) -> String {
    if value.contains(['"', '\\']) {
        format!("'{}'", value.replace('\'', "''"))
    } else {
        format!("\"{value}\"")
    }
}

/// Returns the value that begins with a special character at `at`, or before `at` on the same line.
fn special_value(text: &str, at: usize) -> Option<Quoting> {
    let start = line_start(text, at);
    let end = line_end(text, at);
    let line = &text[start..end];
    let in_reach = line.len().min(at - start + 1);
    let mut candidates = line.char_indices().filter(|(offset, letter)| {
        if *offset >= in_reach || !SPECIAL.contains(letter) {
            return false;
        }
        let before = line[..*offset].trim_end();
        let blank = before.len() < *offset;
        match before.chars().next_back() {
            Some(':' | '-') => blank,
            Some('[' | '{' | ',') => true,
            _ => false,
        }
    });
    let (offset, letter) = candidates.next_back()?;
    let value = &line[offset..];
    if matches!(letter, '>' | '|') && is_block_header(value) {
        return None;
    }
    let before = line[..offset].trim_end();
    let (opened, closed) = (before.matches(['[', '{']).count(), before.matches([']', '}']).count());
    let flow = before.ends_with(['[', '{', ',']) || opened > closed;
    let length = if flow {
        value.find([',', ']', '}']).unwrap_or(value.len())
    } else {
        value.find(" #").unwrap_or(value.len())
    };
    let value = value[..length].trim_end();
    let span = start + offset..start + offset + value.len();
    Some(Quoting::new(text, span, !flow))
}

fn is_block_header(value: &str) -> bool {
    let header = value.split('#').next().unwrap_or_default().trim_end();
    header[1..]
        .chars()
        .all(|letter| letter.is_ascii_digit() || matches!(letter, '+' | '-'))
        && !header.contains('0')
        && header.len() <= 3
}

/// Returns the value of a line `key: text: more` whose second colon is at `at`.
fn colon_in_value(text: &str, at: usize) -> Option<Quoting> {
    let start = line_start(text, at);
    let end = line_end(text, at);
    let key = text[start..at].find(": ")?;
    let value = &text[start + key + 2..end];
    let offset = start + key + 2 + (value.len() - value.trim_start().len());
    let value = text[offset..end].split(" #").next().unwrap_or_default().trim_end();
    if value.starts_with(['"', '\'', '[', '{']) || offset > at {
        return None;
    }
    Some(Quoting::new(text, offset..offset + value.len(), true))
}

/// Returns the line above and its start column, if that line is indented less and has a value.
fn continued(text: &str, at: usize) -> Option<(Range<usize>, usize)> {
    let start = line_start(text, at);
    let above = visible(text, line_start(text, start.checked_sub(1)?)..start - 1);
    let indentation = |at: usize| {
        let line = &text[line_start(text, at)..];
        line.len() - line.trim_start_matches([' ', '-']).len()
    };
    let line = &text[start..];
    let indented = line.len() - line.trim_start_matches(' ').len();
    let column = indentation(above.start);
    let has_value = text[above.clone()].contains(": ");
    (has_value && indented > column).then_some((above, column + 1))
}

/// Returns the position of a tab in the indentation of the line, or of the content at `at`.
fn tab(text: &str, at: usize) -> Option<usize> {
    let start = line_start(text, at);
    let line = &text[start..];
    let blanks = &line[..line.len() - line.trim_start_matches([' ', '\t']).len()];
    blanks
        .find('\t')
        .map(|offset| start + offset)
        .or_else(|| text[at..].starts_with('\t').then_some(at))
}

fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    // The end of the text, after the last line feed, belongs to the last line with content.
    if at == text.len() { text.trim_end().len() } else { at }
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |found| found + 1)
}

/// Returns the end of a line without its line break.
fn line_end(text: &str, at: usize) -> usize {
    let end = text[at..].find('\n').map_or(text.len(), |found| at + found);
    at + text[at..end].trim_end_matches('\r').len()
}

/// Returns a range without the surrounding whitespace.
fn visible(text: &str, range: Range<usize>) -> Range<usize> {
    let written = &text[range.clone()];
    let start = range.start + (written.len() - written.trim_start().len());
    if written.trim().is_empty() {
        return range.start..range.start;
    }
    start..range.start + written.trim_end().len()
}
