//! Fixes findings that need no human decision: applies the edits of findings to the author's text until no edit is
//! left.
//!
//! A changed file is kept only if it can be read, has the same values as before outside the fixed places, and causes no
//! finding that is more severe than the fixed findings.

use super::bundle_checks::{Validation, validate};
use super::judge::Selection;
use super::request::Request;
use super::stages::Finding;
use crate::diagnostic::{self, Edit};
use crate::files::{FileChange, FileError, write_changes};
use crate::rules::{Rule, Severity};
use crate::source::SourceFile;
use crate::text::{self, Reading, source_edit};
use crate::tree::{Tree, TreeLimits};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

/// The maximum number of rounds: fixing one finding can uncover the next, and rejected edits are tried again after each
/// round. Real files need two rounds.
const ROUNDS: usize = 20;

/// The fixes in the files of one bundle.
#[derive(Debug, Clone, Default)]
#[must_use = "nothing on disk changes before `Fixing::write`"]
pub struct Fixing {
    /// The fixed findings, in the order in which they were fixed.
    pub fixed: Vec<Finding>,
    /// The changed files, by their paths inside the bundle.
    pub files: BTreeMap<String, FileChange>,
    /// Files whose edits were rejected because they would have caused worse findings, with the rules of these edits.
    pub refused: BTreeSet<(String, &'static str)>,
}

impl Fixing {
    /// Writes the changed files to the folder that they came from: either all of them or none. Other files are not
    /// changed.
    ///
    /// # Errors
    /// Returns an error if a file has been changed since it was read, or cannot be written; then no file is changed.
    pub fn write(&self, directory: &Path) -> Result<(), FileError> {
        write_changes(directory, &self.files)
    }

    /// Restores the files whose edits only moved a syntax error further down, also in `tree`. Returns whether there are
    /// any.
    fn restore_unreadable(&mut self, tree: &mut Tree, request: &Request) -> bool {
        let unreadable = |path: &str, change: &FileChange| {
            let [before, after] = [&change.before, &change.after]
                .map(|text| text::read(path, text.as_deref().unwrap_or_default(), &request.limits.text));
            let same_number = after.diagnostics.len() == before.diagnostics.len();
            same_number && first_error(&after) > first_error(&before)
        };
        let files = self.files.iter().filter(|(path, change)| unreadable(path, change));
        let restored: Vec<String> = files.map(|(path, _)| path.clone()).collect();
        for path in &restored {
            let Some(change) = self.files.remove(path) else {
                continue;
            };
            replace(tree, path, change.before.unwrap_or_default());
            let here = |finding: &Finding| {
                finding
                    .diagnostic
                    .edits
                    .iter()
                    .any(|edit| inside(tree, edit.place.source.name()) == *path)
            };
            let (refused, fixed): (Vec<Finding>, _) = std::mem::take(&mut self.fixed).into_iter().partition(here);
            self.fixed = fixed;
            self.refused
                .extend(refused.iter().map(|finding| (path.clone(), finding.diagnostic.rule.id)));
        }
        !restored.is_empty()
    }
}

/// Fixes the findings of the selected rules in the files of a bundle, and validates the result. Files on disk are not
/// changed.
pub fn fix(tree: Tree, request: &Request, selection: &Selection) -> (Fixing, Validation) {
    let before = validate(&tree, request);
    // A fix can uncover a worse finding that the next round fixes, so worse findings are tolerated until the end.
    let (fixing, after) = fix_in_rounds(tree.clone(), &before, request, selection, Uncovered::IfFixable);
    let fixed = |path: &str| {
        let severities = fixing.fixed.iter().map(|finding| finding.diagnostic.severity);
        fixing.files.contains_key(path).then(|| severities.min()).flatten()
    };
    let worse = worse(&tree, &before.findings, &after.findings);
    if harmed(&fixing.files, fixed, &worse).is_empty() {
        return (fixing, after);
    }
    fix_in_rounds(tree, &before, request, selection, Uncovered::Never)
}

/// Whether a fix may uncover findings that are worse than the fixed findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Uncovered {
    /// Never.
    Never,
    /// If these findings also have fixes.
    IfFixable,
}

/// Applies the edits of findings until no edit is left.
fn fix_in_rounds(
    mut tree: Tree,
    before: &Validation,
    request: &Request,
    selection: &Selection,
    uncovered: Uncovered,
) -> (Fixing, Validation) {
    let mut fixing = Fixing::default();
    let mut refused = BTreeSet::new();
    let mut validation = before.clone();
    for _ in 0..ROUNDS {
        let round = Round::new(&tree, &validation.findings, request, selection, &refused);
        if round.files.is_empty() {
            refused.extend(round.refused);
            break;
        }
        refused.extend(round.refused.iter().cloned());
        let (kept, next, after) = round.keep(&tree, &validation, request, selection, uncovered, &mut refused);
        if !kept.is_empty() {
            // Edits that were rejected because of another file may be harmless now.
            refused.clear();
            for (path, file) in kept {
                fixing.fixed.extend(file.fixed);
                let before = tree.get(&path).map(<[u8]>::to_vec);
                let change = fixing
                    .files
                    .entry(path)
                    .or_insert_with(|| FileChange { before, after: None });
                change.after = Some(file.text);
            }
            (tree, validation) = (next, after);
        }
    }
    let rules = refused.into_iter().map(|(path, rule, _)| (path, rule));
    fixing.refused.extend(rules);
    let mut once: Vec<Finding> = Vec::new();
    for finding in std::mem::take(&mut fixing.fixed) {
        if !once.contains(&finding) {
            once.push(finding);
        }
    }
    fixing.fixed = once;
    if fixing.restore_unreadable(&mut tree, request) {
        validation = validate(&tree, request);
    }
    (fixing, validation)
}

/// The new text of one file, and the findings that it fixes.
struct File {
    text: Vec<u8>,
    fixed: Vec<Finding>,
}

/// Edits of one file that can be made together.
#[derive(Default)]
struct FileEdits<'a> {
    edits: Vec<&'a Edit>,
    edited: Option<source_edit::Edited>,
    fixed: Vec<Finding>,
}

impl<'a> FileEdits<'a> {
    /// Adds the edits of one finding, unless they overlap with other edits or `sound` rejects the result. Returns
    /// `false` only if `sound` rejects the result.
    fn add(
        &mut self,
        finding: &Finding,
        edits: &[&'a Edit],
        source: &Arc<SourceFile>,
        sound: impl Fn(&source_edit::Edited) -> bool,
    ) -> bool {
        let mut wanted = self.edits.clone();
        wanted.extend(edits);
        let Some(edited) = source_edit::apply(source, &wanted) else {
            return true;
        };
        if !sound(&edited) {
            return false;
        }
        self.edits = wanted;
        self.edited = Some(edited);
        self.fixed.push(finding.clone());
        true
    }
}

/// A finding whose edits of a file are refused: the file, the rule and the message.
type Refused = (String, &'static str, String);

fn refusal(path: &str, finding: &Finding) -> Refused {
    let diagnostic = &finding.diagnostic;
    (path.to_owned(), diagnostic.rule.id, diagnostic.message.clone())
}

/// Edits in different places, which can be applied at once.
#[derive(Default)]
struct Round {
    files: BTreeMap<String, File>,
    refused: BTreeSet<Refused>,
}

impl Round {
    fn new(
        tree: &Tree,
        findings: &[Finding],
        request: &Request,
        selection: &Selection,
        refused: &BTreeSet<Refused>,
    ) -> Self {
        let mut by_file: BTreeMap<String, Vec<(&Finding, Vec<&Edit>)>> = BTreeMap::new();
        let fixable = findings
            .iter()
            .filter(|finding| finding.diagnostic.is_fixable() && selection.includes(finding.diagnostic.rule));
        for finding in fixable {
            let edits = finding.diagnostic.edits.iter();
            let files: BTreeSet<String> = edits.map(|edit| inside(tree, edit.place.source.name())).collect();
            for path in files {
                let edits = edits_of(tree, finding, &path);
                if !edits.is_empty() && !refused.contains(&refusal(&path, finding)) {
                    by_file.entry(path).or_default().push((finding, edits));
                }
            }
        }
        let mut round = Self::default();
        for (path, candidates) in by_file {
            round.file(tree, path, &candidates, request);
        }
        round
    }

    /// Applies the edits of findings in one file, except edits that overlap with earlier edits. If `is_sound` rejects
    /// the result, starts again, and adds the findings one by one, except those whose result `is_sound` rejects.
    fn file(&mut self, tree: &Tree, path: String, candidates: &[(&Finding, Vec<&Edit>)], request: &Request) {
        let Some(bytes) = tree.get(&path) else { return };
        let source = candidates.first().and_then(|(_, edits)| edits.first());
        // The text must match the file byte for byte.
        let Some(source) = source.map(|edit| &edit.place.source) else {
            return;
        };
        if source.text().as_bytes() != bytes {
            return;
        }
        let mut all = FileEdits::default();
        for (finding, edits) in candidates {
            all.add(finding, edits, source, |_| true);
        }
        let sound = |edited: &source_edit::Edited| is_sound(source, edited, request);
        if !all.edited.as_ref().is_some_and(sound) {
            all = FileEdits::default();
            for (finding, edits) in candidates {
                if !all.add(finding, edits, source, sound) {
                    self.refused.insert(refusal(&path, finding));
                }
            }
        }
        if let Some(edited) = all.edited {
            let (text, fixed) = (edited.text.into_bytes(), all.fixed);
            self.files.insert(path, File { text, fixed });
        }
    }

    /// Validates the changed bundle, and reverts the edits that cause worse findings. The returned tree contains the
    /// remaining changes.
    fn keep(
        mut self,
        tree: &Tree,
        before: &Validation,
        request: &Request,
        selection: &Selection,
        uncovered: Uncovered,
        refused: &mut BTreeSet<Refused>,
    ) -> (BTreeMap<String, File>, Tree, Validation) {
        loop {
            let mut next = tree.clone();
            for (path, file) in &self.files {
                replace(&mut next, path, file.text.clone());
            }
            let after = validate(&next, request);
            let lasting: Vec<Finding> = after
                .findings
                .iter()
                .filter(|finding| {
                    let diagnostic = &finding.diagnostic;
                    uncovered == Uncovered::Never || !diagnostic.is_fixable() || !selection.includes(diagnostic.rule)
                })
                .cloned()
                .collect();
            let worse = worse(tree, &before.findings, &lasting);
            let fixed = |path: &str| {
                let fixed = self.files.get(path)?.fixed.iter();
                fixed.map(|finding| finding.diagnostic.severity).min()
            };
            let back = harmed(&self.files, fixed, &worse);
            if back.is_empty() {
                return (self.files, next, after);
            }
            for path in back {
                let Some(mut file) = self.files.remove(&path) else {
                    continue;
                };
                if let [finding] = file.fixed.as_slice() {
                    refused.insert(refusal(&path, finding));
                    continue;
                }
                // The other edits may be harmless, and are tried again in the next round.
                file.fixed.truncate(file.fixed.len() / 2);
                let fewer = file
                    .fixed
                    .iter()
                    .map(|finding| (finding, edits_of(tree, finding, &path)));
                self.file(tree, path.clone(), &fewer.collect::<Vec<_>>(), request);
            }
        }
    }
}

/// Returns the edits of a finding that change the file at `path`.
fn edits_of<'f>(tree: &Tree, finding: &'f Finding, path: &str) -> Vec<&'f Edit> {
    let edits = finding.diagnostic.edits.iter();
    let edits = edits.filter(|edit| edit.place.text() != edit.replacement);
    edits
        .filter(|edit| inside(tree, edit.place.source.name()) == path)
        .collect()
}

/// Returns the changed files that caused findings worse than their fixed findings, whose most severe severity `fixed`
/// returns. A worse finding in an unchanged file could come from any of the changed files.
fn harmed<T>(
    changed: &BTreeMap<String, T>,
    fixed: impl Fn(&str) -> Option<Severity>,
    worse: &[(String, Severity)],
) -> Vec<String> {
    let is_harmed = |path: &&String| {
        let fixed = fixed(path);
        worse.iter().any(|(place, severity)| {
            let concerns = place == *path || !changed.contains_key(place);
            concerns && fixed.is_some_and(|fixed| *severity < fixed)
        })
    };
    changed.keys().filter(is_harmed).cloned().collect()
}

/// Returns whether a changed text can be read, and has the same values as before outside the edits.
fn is_sound(source: &Arc<SourceFile>, edited: &source_edit::Edited, request: &Request) -> bool {
    let before = text::read(source.name(), source.text().as_bytes(), &request.limits.text);
    let after = text::read(source.name(), edited.text.as_bytes(), &request.limits.text);
    // A parser stops at the first error, so the next one appears further down once the first is fixed.
    let readable = !diagnostic::has_errors(&after.diagnostics)
        || after.diagnostics.len() < before.diagnostics.len()
        || after.diagnostics.len() == before.diagnostics.len() && first_error(&after) > first_error(&before);
    readable && edited.only_its_values_differ(&before, &after)
}

/// Returns the line of the first error.
fn first_error(reading: &Reading) -> Option<usize> {
    let places = reading.diagnostics.iter().filter(|finding| finding.is_error());
    let lines = places.filter_map(|finding| Some(finding.place.as_ref()?.start().line));
    lines.min()
}

/// Replaces a file that was read within the limits by its content with a few more or fewer bytes.
fn replace(tree: &mut Tree, path: &str, content: Vec<u8>) {
    let _ = tree.insert(path, content, &TreeLimits::UNLIMITED);
}

/// Returns each file in which a rule has more findings than before, with the severity of these findings.
fn worse(tree: &Tree, before: &[Finding], after: &[Finding]) -> Vec<(String, Severity)> {
    let count = |findings: &[Finding]| {
        let mut counts: BTreeMap<(String, &'static str, Severity), usize> = BTreeMap::new();
        for Finding { diagnostic, .. } in findings {
            let rule: &'static Rule = diagnostic.rule;
            let place = diagnostic.place.as_ref().map(|place| place.source.name());
            let file = place.map(|name| inside(tree, name)).unwrap_or_default();
            *counts.entry((file, rule.id, diagnostic.severity)).or_default() += 1;
        }
        counts
    };
    let before = count(before);
    let more = count(after)
        .into_iter()
        .filter(|(key, now)| *now > before.get(key).copied().unwrap_or_default());
    more.map(|((file, _, severity), _)| (file, severity)).collect()
}

/// Returns the path of a file inside the bundle. `name` is its name in findings, which includes the path of the bundle.
fn inside(tree: &Tree, name: &str) -> String {
    let origin = tree.origin().trim_end_matches('/');
    let below = name.strip_prefix(origin).and_then(|rest| rest.strip_prefix('/'));
    below.unwrap_or(name).to_owned()
}
