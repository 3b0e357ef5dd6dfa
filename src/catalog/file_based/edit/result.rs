//! What a catalog becomes: validated before anything on disk changes.

use super::{CatalogEditError, Editor};
use crate::catalog::file_based::check::check as check_folder;
use crate::catalog::file_based::read::CatalogLimits;
use crate::diagnostic::Diagnostic;
use crate::files::{self, FileChange, FileError, TemporaryFolder};
use crate::source::Place;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Makes sure that the packages which change have no errors that they have not now.
pub(super) fn check(editor: &Editor, files: &BTreeMap<String, FileChange>) -> Result<(), CatalogEditError> {
    let related = related(editor);
    let after = errors(editor, &related, Some(files))?;
    if after.is_empty() {
        return Ok(());
    }
    let before = errors(editor, &related, None)?;
    refuse(&editor.folder, after, &before)
}

/// Makes sure that a new catalog has no errors that none of those has which it was made of. Errors call it `shown`.
pub(super) fn check_new(
    folder: &Path,
    shown: &Path,
    made_of: &[PathBuf],
    limits: CatalogLimits,
) -> Result<(), CatalogEditError> {
    let errors = |folder: &Path| -> Result<Vec<Diagnostic>, CatalogEditError> {
        let mut findings = check_folder(folder, limits)?.findings;
        findings.retain(Diagnostic::is_error);
        Ok(findings)
    };
    let mut after = errors(folder)?;
    if after.is_empty() {
        return Ok(());
    }
    rename(&mut after, folder, shown);
    let mut before = Vec::new();
    for folder in made_of {
        before.extend(errors(folder)?);
    }
    refuse(shown, after, &before)
}

/// Gives errors that were not there before.
fn refuse(folder: &Path, after: Vec<Diagnostic>, before: &[Diagnostic]) -> Result<(), CatalogEditError> {
    let mut known: Vec<(&str, &str)> = before
        .iter()
        .map(|finding| (finding.rule.id, &*finding.message))
        .collect();
    let mut findings = Vec::new();
    for finding in after {
        let said = (finding.rule.id, &*finding.message);
        match known.iter().position(|known| *known == said) {
            Some(place) => drop(known.swap_remove(place)),
            None => findings.push(finding),
        }
    }
    if findings.is_empty() {
        return Ok(());
    }
    let folder = folder.to_owned();
    Err(CatalogEditError::Findings { folder, findings })
}

/// The files that hold documents of the packages which change, and of all packages that share a file with them.
fn related(editor: &Editor) -> BTreeSet<usize> {
    let mut packages: BTreeSet<&str> = editor.packages.iter().map(String::as_str).collect();
    let mut files: BTreeSet<usize> = editor.edits.keys().copied().collect();
    loop {
        let known = (packages.len(), files.len());
        for handle in &editor.catalog.handles {
            if packages.contains(&*handle.package) || files.contains(&handle.file) {
                packages.insert(&handle.package);
                files.insert(handle.file);
            }
        }
        if known == (packages.len(), files.len()) {
            return files;
        }
    }
}

/// The errors of some files of the catalog, as they are or as they become.
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
            let real = path
                .canonicalize()
                .map_err(|error| FileError::new("read", path, error))?;
            link(&real, &folder.path().join(inside))?;
        }
    }
    let written = changes.into_iter().flatten();
    let written = written.filter_map(|(path, file)| Some((path.as_str(), file.after.as_deref()?)));
    files::place(folder.path(), written)?;
    let mut findings = check_folder(folder.path(), editor.limits)?.findings;
    findings.retain(Diagnostic::is_error);
    rename(&mut findings, folder.path(), &editor.folder);
    Ok(findings)
}

/// Lets findings about files in one folder name another one.
fn rename(findings: &mut [Diagnostic], from: &Path, to: &Path) {
    for finding in findings {
        let related = finding.related.iter_mut().map(|(place, _)| place);
        for place in finding.place.iter_mut().chain(related) {
            if let Ok(inside) = Path::new(place.source.name()).strip_prefix(from) {
                let name = to.join(inside).display().to_string();
                *place = Place::new(&place.source.renamed(name), place.span.clone());
            }
        }
    }
}

/// Stands in for a file that does not change.
fn link(file: &Path, at: &Path) -> Result<(), FileError> {
    if let Some(parent) = at.parent() {
        std::fs::create_dir_all(parent).map_err(|error| FileError::new("create the directory", parent, error))?;
    }
    #[cfg(unix)]
    let made = std::os::unix::fs::symlink(file, at);
    #[cfg(not(unix))]
    let made = std::fs::copy(file, at).map(drop);
    made.map_err(|error| FileError::new("create", at, error))
}
