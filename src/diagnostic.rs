//! Findings of all modules: a rule, a message, a place, and advice.

mod json;

pub(crate) use json::DiagnosticJson;

use crate::counted::counted;
use crate::rules::{Rule, Severity};
use crate::source::Place;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

/// A finding. Findings are collected, never returned as errors; an error that stops the work is an `Err`.
///
/// A serialized finding has the fields that `opmx index check -o json` prints for it. Its `help` is
/// [`Diagnostic::advice`]; the program adds commands and flags to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Diagnostic {
    /// The rule, from the table of all rules.
    pub rule: &'static Rule,
    /// The severity, usually that of the rule.
    pub severity: Severity,
    /// The problem, as one sentence without a final period.
    pub message: String,
    /// The place of the problem.
    pub place: Option<Place>,
    /// Related places, each with a label.
    pub related: Vec<(Place, String)>,
    /// The object, as `Kind/name`.
    pub object: Option<String>,
    /// The items that the finding is about, if its message also names other items. Findings of one rule about the same
    /// items report the same fault, even if their messages differ.
    pub about: Vec<String>,
    /// The path of the value inside the object, such as `spec.rules[0].verbs`.
    pub path: Option<String>,
    /// Advice that is more precise than the help of the rule.
    pub help: Option<String>,
    /// Edits that together fix the problem without a human decision. Empty if there are no such edits.
    pub edits: Vec<Edit>,
}

/// A mechanical change to a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Edit {
    /// The text to replace; empty for an insertion.
    pub place: Place,
    /// The replacement text.
    pub replacement: String,
}

impl Diagnostic {
    /// Creates a finding of `rule` with the rule's severity. Line breaks, which come from quoted text, are escaped, and
    /// a message longer than [`LONGEST_MESSAGE`] is shortened in the middle.
    pub fn new(rule: &'static Rule, message: impl Into<String>) -> Self {
        let mut message = message.into();
        if message.len() > LONGEST_MESSAGE {
            message = shortened(&message);
        }
        if message.contains(['\n', '\r']) {
            message = message.replace('\n', "\\n").replace('\r', "\\r");
        }
        Self {
            rule,
            severity: rule.severity,
            message,
            place: None,
            related: Vec::new(),
            object: None,
            about: Vec::new(),
            path: None,
            help: None,
            edits: Vec::new(),
        }
    }

    /// Gives other names to the files of all places, if `name` returns one.
    pub(crate) fn rename_files(&mut self, name: impl Fn(&Path) -> Option<PathBuf>) {
        let related = self.related.iter_mut().map(|(place, _)| place);
        for place in self.place.iter_mut().chain(related) {
            if let Some(name) = name(Path::new(place.source.name())) {
                let source = place.source.renamed(name.display().to_string());
                *place = Place::new(&source, place.span.clone());
            }
        }
    }

    /// Sets the place of the text that is wrong.
    #[must_use]
    pub fn at(mut self, place: impl Into<Option<Place>>) -> Self {
        self.place = place.into();
        self
    }

    /// Adds a related place with a label.
    #[must_use]
    pub fn also(mut self, place: impl Into<Option<Place>>, label: impl Into<String>) -> Self {
        if let Some(place) = place.into() {
            self.related.push((place, label.into()));
        }
        self
    }

    /// Sets the object, as `Kind/name`.
    #[must_use]
    pub fn object(mut self, object: impl Into<String>) -> Self {
        self.object = Some(object.into());
        self
    }

    /// Sets the path of the value inside the object.
    #[must_use]
    pub fn path(mut self, path: impl fmt::Display) -> Self {
        self.path = Some(path.to_string());
        self
    }

    /// Sets advice that is more precise than the help of the rule.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds the edits that fix the problem.
    #[must_use]
    pub(crate) fn fixed_by(mut self, edits: impl IntoIterator<Item = Edit>) -> Self {
        self.edits.extend(edits);
        self
    }

    /// Returns the rule and the message, which are the same if two readers report the same defect.
    pub(crate) fn identity(&self) -> (&'static str, &str) {
        (self.rule.id, &self.message)
    }

    /// Whether the problem can be fixed without a human decision.
    pub(crate) fn is_fixable(&self) -> bool {
        !self.edits.is_empty()
    }

    /// Returns the finding's own advice if there is any, otherwise the help of the rule.
    pub fn advice(&self) -> &str {
        self.help.as_deref().unwrap_or(self.rule.help)
    }

    /// Whether the advice only states the consequence for published content, which can no longer be corrected.
    pub fn states_consequence(&self) -> bool {
        self.help.is_some() && self.help.as_deref() == self.rule.consequence()
    }

    /// Whether this finding makes the command fail.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(formatter, "{place}: ")?;
        }
        write!(formatter, "{}[{}]: {}", self.severity, self.rule.id, self.message)
    }
}

/// Whether any of the findings makes the command fail.
pub fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(Diagnostic::is_error)
}

/// Compares findings in the order in which they are shown: by file, place, rule and message.
pub fn compare(left: &Diagnostic, right: &Diagnostic) -> Ordering {
    fn key(diagnostic: &Diagnostic) -> (&str, u64, &str, &str) {
        let place = diagnostic.place.as_ref();
        (
            place.map_or("", |place| place.source.name()),
            place.map_or(0, Place::offset),
            diagnostic.rule.id,
            &diagnostic.message,
        )
    }
    key(left).cmp(&key(right))
}

/// Sorts findings in the order of [`compare`], and removes duplicates.
pub fn sort(diagnostics: &mut Vec<Diagnostic>) {
    diagnostics.sort_by(compare);
    diagnostics.dedup();
}

/// The maximum length of a message in bytes. Only quoted text, such as a name, makes a message longer.
pub const LONGEST_MESSAGE: usize = 8_192;

/// Removes the middle of a message.
fn shortened(message: &str) -> String {
    let start = message.floor_char_boundary(LONGEST_MESSAGE / 2);
    let end = message.ceil_char_boundary(message.len() - LONGEST_MESSAGE / 2);
    let left_out = message[start..end].chars().count();
    format!("{} … ({left_out} characters) … {}", &message[..start], &message[end..])
}

/// The maximum number of findings of one rule that a check reports. More findings would only repeat the same mistake.
pub const MOST_OF_A_RULE: usize = 1_000;

/// Removes the findings of a rule beyond [`MOST_OF_A_RULE`]; the last finding of the rule then states their number.
/// Errors, warnings and remarks of a rule are counted separately, so that no error is lost.
pub fn limit_each_rule(diagnostics: &mut Vec<Diagnostic>) {
    let mut left: BTreeMap<(&str, Severity), usize> = BTreeMap::new();
    for Diagnostic { rule, severity, .. } in &*diagnostics {
        *left.entry((rule.id, *severity)).or_default() += 1;
    }
    left.retain(|_, count| *count > MOST_OF_A_RULE);
    if left.is_empty() {
        return;
    }
    let mut seen: BTreeMap<(&str, Severity), usize> = BTreeMap::new();
    diagnostics.retain_mut(|diagnostic| {
        let key = (diagnostic.rule.id, diagnostic.severity);
        let Some(count) = left.get(&key) else { return true };
        let seen = seen.entry(key).or_default();
        *seen += 1;
        if *seen == MOST_OF_A_RULE + 1 {
            let others = counted(count - MOST_OF_A_RULE, "more finding");
            let are = if count - MOST_OF_A_RULE == 1 { "is" } else { "are" };
            *diagnostic = Diagnostic {
                severity: diagnostic.severity,
                ..Diagnostic::new(diagnostic.rule, format!("{others} of this rule {are} not shown"))
            }
            .at(diagnostic.place.take());
        }
        *seen <= MOST_OF_A_RULE + 1
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceFile;

    #[test]
    fn a_long_message_keeps_its_beginning_and_end() {
        let message = format!("the name {} is not valid", "é".repeat(1_000_000));
        let shown = Diagnostic::new(&crate::rules::RBAC_WILDCARD, message).message;
        assert!(shown.len() < LONGEST_MESSAGE + 50, "{}", shown.len());
        assert!(
            shown.starts_with("the name éé") && shown.ends_with("éé is not valid"),
            "{shown}"
        );
        let kept = shown.matches('é').count();
        assert!(
            shown.contains(&format!("é … ({} characters) … é", 1_000_000 - kept)),
            "{shown}"
        );
        let short = "x".repeat(LONGEST_MESSAGE);
        assert_eq!(Diagnostic::new(&crate::rules::RBAC_WILDCARD, &*short).message, short);
    }

    #[test]
    fn the_findings_of_a_rule_beyond_the_limit_become_one_that_states_their_number() {
        let place = |at| Place::new(&SourceFile::new("a.yaml", "x".repeat(2_000)), at..at);
        let of = |rule, count: usize| (0..count).map(move |at| Diagnostic::new(rule, at.to_string()).at(place(at)));
        let as_warning = |finding| Diagnostic {
            severity: Severity::Warning,
            ..finding
        };
        let (wildcard, unlisted) = (&crate::rules::RBAC_WILDCARD, &crate::rules::CATALOG_BUNDLE_UNLISTED);
        let mut findings: Vec<Diagnostic> = of(wildcard, MOST_OF_A_RULE).collect();
        findings.extend(of(unlisted, MOST_OF_A_RULE + 2).map(as_warning));
        findings.extend(of(unlisted, MOST_OF_A_RULE + 1));
        let mut limited = findings.clone();
        limit_each_rule(&mut limited);
        let (first, rest) = limited.split_at(2 * MOST_OF_A_RULE);
        assert_eq!(first, &findings[..2 * MOST_OF_A_RULE]);
        let at = format!("a.yaml:1:{}", MOST_OF_A_RULE + 1);
        assert_eq!(
            rest[0].to_string(),
            format!("{at}: warning[catalog-bundle-unlisted]: 2 more findings of this rule are not shown")
        );
        assert_eq!(rest.len(), 1 + MOST_OF_A_RULE + 1);
        assert_eq!(
            rest.last().unwrap().to_string(),
            format!("{at}: error[catalog-bundle-unlisted]: 1 more finding of this rule is not shown")
        );
    }

    #[test]
    fn a_serialized_finding_has_the_fields_that_the_program_prints() {
        let place = Place::new(&SourceFile::new("a.yaml", "kind: Role\n"), 6..10);
        let finding = Diagnostic::new(&crate::rules::RBAC_WILDCARD, "a wildcard")
            .at(place)
            .help("list it");
        let expected = serde_json::json!({
            "rule": "rbac-wildcard", "severity": "error", "message": "a wildcard",
            "file": "a.yaml", "line": 1, "column": 7, "endLine": 1, "endColumn": 11,
            "object": null, "path": null, "help": "list it", "related": [],
        });
        assert_eq!(serde_json::to_value(finding).unwrap(), expected);
    }

    #[test]
    fn a_message_is_one_line_whatever_it_quotes() {
        let rule = crate::rules::all().next().unwrap();
        assert_eq!(
            Diagnostic::new(rule, "no resource a\r\nb").message,
            r"no resource a\r\nb"
        );
    }
}
