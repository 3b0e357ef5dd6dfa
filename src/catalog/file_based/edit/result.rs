//! Validating a changed catalog before it is written to disk.

use super::{CatalogEditError, Editor};
use crate::catalog::file_based::Schema;
use crate::catalog::file_based::check::{check as check_folder, check_part};
use crate::catalog::file_based::limits::CatalogLimits;
use crate::catalog::file_based::read::FileBasedCatalog;
use crate::diagnostic::Diagnostic;
use crate::files::{self, FileChange, FileError, TemporaryFolder};
use crate::rules::{self, Rule};
use crate::text::{self, Document};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Makes sure that the change introduces no errors in the changed packages. Returns the errors that the packages
/// already have.
pub(super) fn check(
    editor: &Editor,
    files: &BTreeMap<String, FileChange>,
) -> Result<Vec<Diagnostic>, CatalogEditError> {
    let related = related(editor);
    let after = errors(editor, &related, Some(files))?;
    if after.is_empty() {
        return Ok(after);
    }
    let before = errors(editor, &related, None)?;
    refuse(&editor.shown, after, &before, editor.adds_published)
}

/// Makes sure that a new catalog has only errors that one of its sources also has, and returns them. In the errors,
/// `shown` is the path of the catalog.
pub(super) fn check_new(
    folder: &Path,
    shown: &Path,
    made_of: &[PathBuf],
    limits: CatalogLimits,
) -> Result<Vec<Diagnostic>, CatalogEditError> {
    let errors = |folder: &Path| -> Result<Vec<Diagnostic>, CatalogEditError> {
        let mut findings = check_folder(folder, limits)?.findings;
        findings.retain(Diagnostic::is_error);
        Ok(findings)
    };
    let mut after = errors(folder)?;
    if after.is_empty() {
        return Ok(after);
    }
    rename(&mut after, folder, shown);
    let mut before = Vec::new();
    for folder in made_of {
        before.extend(errors(folder)?);
    }
    refuse(shown, after, &before, false)
}

/// The rules that published bundles may violate. The violations were already reported when the bundles were added.
static OF_BUNDLES: [&Rule; 9] = [
    &rules::CATALOG_BUNDLE_RELEASE,
    &rules::CATALOG_ENTRY_SKIPS_ITSELF,
    &rules::CATALOG_IMAGE_REFERENCE,
    &rules::CATALOG_PROPERTY,
    &rules::CATALOG_SKIP_RANGE,
    &rules::CATALOG_VERSION_MISSING,
    &rules::DEP_INTENT_VALUE,
    &rules::OPT_VALUE_SHAPE,
    &rules::PROP_MAX_OPENSHIFT,
];

/// Like [`check`], for the entries of a basic template. Findings that need several documents are not reported, because
/// the contents of the bundles are not known.
pub(super) fn check_entries(
    file: &Path,
    (before, after): (&Document, &Document),
    adds_published: bool,
    limits: CatalogLimits,
) -> Result<Vec<Diagnostic>, CatalogEditError> {
    let errors = |document: &Document| {
        let mut findings = Vec::new();
        for (key, list) in document.value().as_object().into_iter().flatten() {
            let entries = list.as_array().filter(|_| key.eq_ignore_ascii_case("entries"));
            for (index, entry) in entries.into_iter().flatten().enumerate() {
                let schema = entry.get("schema").and_then(Value::as_str).unwrap_or_default();
                if Schema::from(schema) != Schema::Bundle {
                    let path = text::Path::root().key(key).index(index);
                    findings.extend(check_part(document, &path, limits));
                }
            }
        }
        findings.retain(Diagnostic::is_error);
        findings
    };
    refuse(file, errors(after), &errors(before), adds_published)
}

/// Fails if there are new errors. Otherwise returns the tolerated errors: those that existed before the change, and
/// those that report several published bundles with the same version.
fn refuse(
    folder: &Path,
    after: Vec<Diagnostic>,
    before: &[Diagnostic],
    adds_published: bool,
) -> Result<Vec<Diagnostic>, CatalogEditError> {
    let mut known = Known::default();
    for finding in before {
        known.add(finding);
    }
    let (mut tolerated, mut new): (Vec<Diagnostic>, Vec<Diagnostic>) =
        after.into_iter().partition(|finding| known.has(finding));
    if adds_published {
        new.retain(|finding| !OF_BUNDLES.contains(&finding.rule));
        tolerated.extend(new.extract_if(.., |finding| *finding.rule == rules::CATALOG_VERSION_DUPLICATE));
    }
    if new.is_empty() {
        return Ok(tolerated);
    }
    Err(CatalogEditError::Findings {
        folder: folder.to_owned(),
        findings: new,
    })
}

/// The errors before a change. Their messages may name items that the change renames or moves, such as the head of a
/// channel, so errors are compared by the items that they are about.
#[derive(Default)]
struct Known<'f> {
    items: BTreeSet<(&'f str, &'f str)>,
    /// The number of errors with the same message, if the errors name no items.
    messages: BTreeMap<(&'static str, String), usize>,
}

impl<'f> Known<'f> {
    fn add(&mut self, finding: &'f Diagnostic) {
        let rule = finding.rule.id;
        if finding.about.is_empty() {
            *self.messages.entry((rule, finding.message.clone())).or_default() += 1;
        }
        self.items.extend(finding.about.iter().map(|item| (rule, &**item)));
    }

    /// Returns whether the error existed before. Each message is matched only as often as it occurred.
    fn has(&mut self, finding: &Diagnostic) -> bool {
        let rule = finding.rule.id;
        if !finding.about.is_empty() {
            return finding.about.iter().all(|item| self.items.contains(&(rule, &**item)));
        }
        let left = self.messages.get_mut(&(rule, finding.message.clone()));
        left.filter(|left| **left > 0).map(|left| *left -= 1).is_some()
    }
}

/// Returns the changed files, and those that contain documents of the changed packages.
fn related(editor: &Editor) -> BTreeSet<usize> {
    let packages: BTreeSet<&str> = editor.packages.iter().map(String::as_str).collect();
    let handles = editor.catalog.handles.iter();
    let own = handles.filter(|handle| packages.contains(&*handle.package));
    own.map(|handle| handle.file)
        .chain(editor.edits.keys().copied())
        .collect()
}

/// Returns the errors about the changed packages in some files of the catalog, before or after the changes.
fn errors(
    editor: &Editor,
    related: &BTreeSet<usize>,
    changes: Option<&BTreeMap<String, FileChange>>,
) -> Result<Vec<Diagnostic>, CatalogEditError> {
    let folder = TemporaryFolder::new()?;
    for (number, path) in editor.catalog.paths().enumerate() {
        let inside = editor.inside(path);
        let changed = changes.is_some_and(|changes| changes.contains_key(&inside));
        if related.contains(&number) && !changed {
            copy(path, &folder.path().join(inside))?;
        }
    }
    let written = changes.into_iter().flatten();
    let written = written.filter_map(|(path, file)| Some((path.as_str(), file.after.as_deref()?)));
    files::place(folder.path(), written)?;
    let mut findings = check_folder(folder.path(), editor.limits)?.findings;
    findings.retain(Diagnostic::is_error);
    keep_changed(editor, folder.path(), &mut findings);
    rename(&mut findings, folder.path(), &editor.shown);
    Ok(findings)
}

/// Drops errors about documents of unchanged packages, which may share a file with a changed package. Keeps all errors
/// if a document cannot be read.
fn keep_changed(editor: &Editor, folder: &Path, findings: &mut Vec<Diagnostic>) {
    if findings.is_empty() {
        return;
    }
    let Ok(catalog) = FileBasedCatalog::open(folder, editor.limits) else {
        return;
    };
    // The packages of the documents that begin on each line of each file.
    let mut documents: BTreeMap<(&Path, usize), Vec<&str>> = BTreeMap::new();
    for handle in &catalog.handles {
        let packages = documents.entry((catalog.file(handle), handle.line)).or_default();
        packages.push(&handle.package);
    }
    findings.retain(|finding| {
        let Some(place) = &finding.place else { return true };
        let file = Path::new(place.source.name());
        let above = documents.range((file, 0)..=(file, place.start().line)).next_back();
        above.is_none_or(|(_, packages)| {
            let changed = |package: &&str| editor.packages.iter().any(|changed| changed == package);
            packages.iter().any(changed)
        })
    });
}

/// Replaces the folder `from` with `to` in the file paths of findings.
fn rename(findings: &mut [Diagnostic], from: &Path, to: &Path) {
    for finding in findings {
        finding.rename_files(|file| Some(to.join(file.strip_prefix(from).ok()?)));
    }
}

/// Copies an unchanged file. A link to the file would lead out of the folder, which no catalog may contain.
fn copy(file: &Path, at: &Path) -> Result<(), FileError> {
    if let Some(parent) = at.parent() {
        std::fs::create_dir_all(parent).map_err(|error| FileError::new("create the directory", parent, error))?;
    }
    let copied = std::fs::copy(file, at).map(drop);
    copied.map_err(|error| FileError::new("copy", file, error))
}
