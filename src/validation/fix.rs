//! Mending what can be mended without a decision by a person: the edits that findings carry, made in the author's own
//! text until none is left.
//!
//! A changed file is kept only if it can be read, says the same as before wherever nothing was to be mended, and brings
//! no finding that weighs more than those that are gone.

use super::judge::Selection;
use super::request::Request;
use super::run::{Validated, validate_bundle};
use super::stages::Finding;
use crate::diagnostic::{self, Edit};
use crate::files::{self, FileError, FolderChange};
use crate::rules::{Rule, Severity};
use crate::source::SourceFile;
use crate::text::{self, mend};
use crate::tree::{Tree, TreeLimits};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

/// What mends one finding can uncover the next, and what was refused is tried again after each. Real files need two
/// rounds.
const ROUNDS: usize = 20;

/// What was mended in the files of one bundle.
#[derive(Debug, Clone, Default)]
pub struct Fixing {
    /// What is gone, in the order in which it was mended.
    pub fixed: Vec<Finding>,
    /// The files that change, by their paths inside the bundle.
    pub files: BTreeMap<String, Change>,
    /// Files whose edits would have made something worse, and the rules that the edits were for.
    pub refused: BTreeSet<(String, &'static str)>,
}

/// The content of a file before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// What it holds.
    pub before: Vec<u8>,
    /// What it is to hold.
    pub after: Vec<u8>,
}

impl Fixing {
    /// Writes the changed files into the folder that they came from: all of them or none. Other files are not touched.
    ///
    /// # Errors
    /// When a file was changed by somebody else or cannot be written; none is changed then.
    pub fn write(&self, directory: &Path) -> Result<(), FileError> {
        if self.files.is_empty() {
            return files::finish_change(directory);
        }
        let folder = FolderChange::new(directory)?;
        for (path, change) in &self.files {
            files::require_content(&directory.join(path), &change.before)?;
        }
        let changed = self
            .files
            .iter()
            .map(|(path, change)| (path.as_str(), change.after.as_slice()));
        files::place(folder.path(), changed)?;
        folder.commit()
    }
}

/// Mends the findings of the rules of the selection in the files of a bundle, and looks at what comes out. Nothing on
/// disk changes.
pub fn fix(mut tree: Tree, request: &Request, selection: &Selection) -> (Fixing, Validated) {
    let mut fixing = Fixing::default();
    let mut validated = validate_bundle(&tree, request);
    for _ in 0..ROUNDS {
        let round = Round::new(&tree, &validated.validation.findings, request, selection, &fixing);
        if round.files.is_empty() {
            fixing.refused.extend(round.refused);
            break;
        }
        fixing.refused.extend(round.refused.iter().cloned());
        let (kept, next, after) = round.keep(&tree, &validated, request, &mut fixing);
        if !kept.is_empty() {
            // What another file was to blame for may do no harm now.
            fixing.refused.clear();
            for (path, file) in kept {
                fixing.fixed.extend(file.mended);
                let before = tree.get(&path).unwrap_or_default().to_vec();
                let change = fixing.files.entry(path).or_insert_with(|| Change {
                    before,
                    after: Vec::new(),
                });
                change.after = file.text;
            }
            (tree, validated) = (next, after);
        }
    }
    let mut once: Vec<Finding> = Vec::new();
    for finding in std::mem::take(&mut fixing.fixed) {
        if !once.contains(&finding) {
            once.push(finding);
        }
    }
    fixing.fixed = once;
    (fixing, validated)
}

/// The new text of one file, and the findings that it mends.
struct File {
    text: Vec<u8>,
    mended: Vec<Finding>,
}

/// Edits of one file that can be made together.
#[derive(Default)]
struct FileEdits<'a> {
    edits: Vec<&'a Edit>,
    edited: Option<mend::Edited>,
    mended: Vec<Finding>,
}

impl<'a> FileEdits<'a> {
    /// Adds the edits of one finding, unless they meet others or the text is not to be had. Whether the text is.
    fn add(
        &mut self,
        finding: &Finding,
        edits: &[&'a Edit],
        source: &Arc<SourceFile>,
        sound: impl Fn(&mend::Edited) -> bool,
    ) -> bool {
        let mut wanted = self.edits.clone();
        wanted.extend(edits);
        let Some(edited) = mend::apply(source, &wanted) else {
            return true;
        };
        if !sound(&edited) {
            return false;
        }
        self.edits = wanted;
        self.edited = Some(edited);
        self.mended.push(finding.clone());
        true
    }
}

/// What can be mended at once: edits of different places.
#[derive(Default)]
struct Round {
    files: BTreeMap<String, File>,
    refused: BTreeSet<(String, &'static str)>,
}

impl Round {
    fn new(tree: &Tree, findings: &[Finding], request: &Request, selection: &Selection, done: &Fixing) -> Self {
        let mut by_file: BTreeMap<String, Vec<(&Finding, Vec<&Edit>)>> = BTreeMap::new();
        let fixable = findings
            .iter()
            .filter(|finding| finding.diagnostic.is_fixable() && selection.includes(finding.diagnostic.rule));
        for finding in fixable {
            let mut edits: BTreeMap<String, Vec<&Edit>> = BTreeMap::new();
            for edit in &finding.diagnostic.edits {
                let path = inside(tree, edit.place.source.name());
                if edit.place.text() != edit.replacement {
                    edits.entry(path).or_default().push(edit);
                }
            }
            for (path, edits) in edits {
                if !done.refused.contains(&(path.clone(), finding.diagnostic.rule.id)) {
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

    /// Takes the findings whose edits do not meet: all of them where the text then says what it should, else those of
    /// which it does, one after the other.
    fn file(&mut self, tree: &Tree, path: String, candidates: &[(&Finding, Vec<&Edit>)], request: &Request) {
        let Some(bytes) = tree.get(&path) else { return };
        let source = candidates.first().and_then(|(_, edits)| edits.first());
        // The text that was read is the file, byte for byte.
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
        let sound = |edited: &mend::Edited| is_sound(source, edited, request);
        if !all.edited.as_ref().is_some_and(sound) {
            all = FileEdits::default();
            for (finding, edits) in candidates {
                if !all.add(finding, edits, source, sound) {
                    self.refused.insert((path.clone(), finding.diagnostic.rule.id));
                }
            }
        }
        if let Some(edited) = all.edited {
            let (text, mended) = (edited.text.into_bytes(), all.mended);
            self.files.insert(path, File { text, mended });
        }
    }

    /// Looks at the changed bundle, and takes files back that make something worse. What is left is in the tree.
    fn keep(
        mut self,
        tree: &Tree,
        before: &Validated,
        request: &Request,
        fixing: &mut Fixing,
    ) -> (BTreeMap<String, File>, Tree, Validated) {
        loop {
            let mut next = tree.clone();
            for (path, file) in &self.files {
                // The file was read within the limits, and an edit is a few bytes.
                let roomy = TreeLimits {
                    files: usize::MAX,
                    file_bytes: u64::MAX,
                    total_bytes: u64::MAX,
                };
                let _ = next.insert(path, file.text.clone(), &roomy);
            }
            let after = validate_bundle(&next, request);
            let worse = worse(tree, &before.validation.findings, &after.validation.findings);
            let back: Vec<String> = self
                .files
                .iter()
                .filter(|(path, file)| {
                    let mended = file.mended.iter().map(|finding| finding.diagnostic.severity).min();
                    worse.iter().any(|(place, severity)| {
                        let concerns = *place == **path || !self.files.contains_key(place);
                        concerns && mended.is_some_and(|mended| *severity < mended)
                    })
                })
                .map(|(path, _)| path.clone())
                .collect();
            if back.is_empty() {
                return (self.files, next, after);
            }
            for path in back {
                let file = self.files.remove(&path);
                for finding in file.into_iter().flat_map(|file| file.mended) {
                    fixing.refused.insert((path.clone(), finding.diagnostic.rule.id));
                }
            }
        }
    }
}

/// Whether a changed text can be read, and says what it said wherever it was not changed.
fn is_sound(source: &Arc<SourceFile>, edited: &mend::Edited, request: &Request) -> bool {
    let before = text::read(source.name(), source.text().as_bytes(), &request.limits.text);
    let after = text::read(source.name(), edited.text.as_bytes(), &request.limits.text);
    let readable = !diagnostic::has_errors(&after.diagnostics) || after.diagnostics.len() < before.diagnostics.len();
    readable && edited.only_its_values_differ(&before, &after)
}

/// Rules of which there are more findings than before, with their files and severities.
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

/// The path inside the bundle of a file that findings name with the bundle's own.
fn inside(tree: &Tree, name: &str) -> String {
    let origin = tree.origin().trim_end_matches('/');
    let below = name.strip_prefix(origin).and_then(|rest| rest.strip_prefix('/'));
    below.unwrap_or(name).to_owned()
}
