//! Checks file-based catalogs: reports all findings at once, each with its line.
//!
//! Documents are read one at a time. Only names and edges are kept; manifests are decoded, checked and dropped. Content
//! that other OLM tools refuse is an error, even if only their newest versions refuse it.

mod bundle;
mod contents;
mod document;
mod found;
mod graph;
mod guess;
mod lifecycle;
mod object;
mod of_file;
mod packages;
mod places;
mod reader;
mod scratch;

use super::error::CatalogError;
use super::folder::files;
use super::limits::CatalogLimits;
use crate::diagnostic::Diagnostic;
use crate::files::{FileError, open_regular};
use crate::rules;
use crate::source::{Place, SourceFile};
use crate::text::{self, Document, Limits};
use crate::visible::hidden_in;
use contents::Contents;
use found::{At, DocumentId, Inside};
use of_file::{Spot, Unreadable, read_all};
use scratch::Scratch;
use std::fs;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// The result of checking a catalog.
#[derive(Debug)]
pub struct Checked {
    /// The findings, in the order of files and lines.
    pub findings: Vec<Diagnostic>,
    /// The number of packages.
    pub packages: usize,
    /// The number of channels.
    pub channels: usize,
    /// The number of bundles.
    pub bundles: usize,
}

/// Returns all findings about the catalog in a folder or a file. Unreadable documents are also reported as findings;
/// all other documents are still checked.
///
/// # Errors
/// Returns an error if the folder does not exist, a file cannot be read at all, or a limit is exceeded.
pub fn check(folder: &Path, limits: CatalogLimits) -> Result<Checked, CatalogError> {
    fs::metadata(folder).map_err(|error| FileError::new("read", folder, error))?;
    let paths = files(folder, limits)?;
    let mut files = Files {
        paths: &paths,
        spots: Vec::new(),
        limits,
    };
    let mut contents = Contents::default();
    let mut unreadable = Unreadable::default();
    for of_file in read_all(folder, &paths, limits)? {
        files.spots.push(of_file.spots);
        contents.extend(of_file.contents);
        unreadable.add(of_file.unreadable);
    }
    let mut found = std::mem::take(&mut contents.found);
    let own = found.len();
    packages::check(&contents, &mut found);
    if let Some(first) = unreadable.first {
        for finding in found.iter_mut().skip(own).filter(|finding| finding.seeks()) {
            let label = "missing items may be in this unreadable part";
            finding.related.push((first.clone(), label.to_owned()));
        }
    }
    let mut findings = places::placed(&files, found);
    findings.extend(unreadable.findings);
    findings.extend(paths.iter().filter_map(|path| hidden_in_path(folder, path)));
    crate::diagnostic::sort(&mut findings);
    Ok(Checked {
        findings,
        packages: contents.packages.len(),
        channels: contents.channels.len(),
        bundles: contents.bundles.len(),
    })
}

/// Returns the findings about documents that are in no file yet, each as JSON. The findings have no places. Missing
/// items are not reported, because they may be in the files that the documents will be added to.
///
/// # Errors
/// Returns an error if a document is not a JSON object.
pub fn check_unplaced(documents: &[String], limits: CatalogLimits) -> Result<Vec<Diagnostic>, serde_json::Error> {
    let mut work = Scratch::new(limits);
    for (number, json) in documents.iter().enumerate() {
        document::check(DocumentId { file: 0, number }, json, &mut work)?;
    }
    let mut found = std::mem::take(&mut work.contents.found);
    packages::check(&work.contents, &mut found);
    found.retain(|finding| !finding.seeks());
    Ok(found.into_iter().map(|found| found.diagnostic).collect())
}

/// Returns those findings about a document that do not depend on other documents of the catalog.
pub fn check_document(document: &Document, limits: CatalogLimits) -> Vec<Diagnostic> {
    check_part(document, &text::Path::root(), limits)
}

/// Like [`check_document`], for a catalog document that is the value at `part` of another document, such as an entry of
/// a template.
pub(super) fn check_part(document: &Document, part: &text::Path, limits: CatalogLimits) -> Vec<Diagnostic> {
    let Some(value) = part.get(document.value()) else {
        return Vec::new();
    };
    let mut work = Scratch::new(limits);
    let id = DocumentId { file: 0, number: 0 };
    if let Err(problem) = document::check(id, &value.to_string(), &mut work) {
        let message = format!("the document cannot be read as an object: {problem}");
        let place = document.place(part);
        return vec![Diagnostic::new(&rules::CATALOG_DOCUMENT, message).at(place)];
    }
    let place = |at: &At| match &at.place {
        Inside::Value(path) => document.place(&part.join(path)),
        Inside::Key(path) => document.key_place(&part.join(path)),
        Inside::Line(_) => document.place(part),
    };
    let found = work.contents.found.into_iter().map(|found| {
        let mut finding = found.diagnostic.at(place(&found.at));
        let path = places::path_of(&found.at.place).map(|path| part.join(&text::Path::parse(&path)).to_string());
        finding.path = path;
        finding.related = found
            .related
            .iter()
            .map(|(at, label)| (place(at), label.clone()))
            .collect();
        finding
    });
    let mut findings: Vec<Diagnostic> = found.collect();
    crate::diagnostic::sort(&mut findings);
    findings
}

/// Reports invisible characters in the path of a file, relative to the folder.
fn hidden_in_path(folder: &Path, path: &Path) -> Option<Diagnostic> {
    let inside = path.strip_prefix(folder).unwrap_or(path);
    let message = hidden_in("the path", &inside.to_string_lossy())?;
    let place = Place::new(&SourceFile::new(path.display().to_string(), String::new()), 0..0);
    Some(Diagnostic::new(&rules::NAME_HIDDEN_CHARACTER, message).at(place))
}

/// The positions of all documents.
struct Files<'p> {
    paths: &'p [PathBuf],
    spots: Vec<Vec<Spot>>,
    limits: CatalogLimits,
}

impl Files<'_> {
    fn name(&self, id: DocumentId) -> String {
        let path = self.paths.get(id.file);
        path.map(|path| path.display().to_string()).unwrap_or_default()
    }

    fn spot(&self, id: DocumentId) -> Option<Spot> {
        self.spots.get(id.file)?.get(id.number).copied()
    }

    fn limits(&self) -> Limits {
        self.limits.of_document()
    }

    /// Reads the text of a document again.
    fn text(&self, id: DocumentId) -> Option<String> {
        let spot = self.spot(id)?;
        let mut file = open_regular(self.paths.get(id.file)?).ok()?;
        file.seek(SeekFrom::Start(spot.start)).ok()?;
        let mut bytes = Vec::with_capacity(spot.length);
        file.take(spot.length as u64).read_to_end(&mut bytes).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }
}

#[cfg(test)]
mod tests;
