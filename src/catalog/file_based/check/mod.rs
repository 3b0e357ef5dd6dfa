//! Checks file-based catalogs: reports all findings at once, each with its line.
//!
//! Documents are read one at a time. Only names and edges are kept; manifests are decoded, checked and dropped. Content
//! that other OLM tools refuse is an error, even if only their newest versions refuse it.

mod bundle;
mod contents;
mod document;
mod found;
mod graph;
mod lifecycle;
mod object;
mod packages;
mod places;
mod reader;
mod scratch;

use super::error::CatalogError;
use super::folder::files;
use super::limits::CatalogLimits;
use super::read::{fault, unfit};
use super::stream::{CutError, Piece, Stream};
use crate::diagnostic::Diagnostic;
use crate::files::{FileError, open_regular};
use crate::rules;
use crate::source::{Place, Position, SourceFile};
use crate::text::{self, Document, Limits};
use crate::visible::hidden_in;
use contents::Contents;
use found::{At, DocumentId, Found, Inside};
use scratch::Scratch;
use std::borrow::Cow;
use std::fs;
use std::io::{Read, Seek, SeekFrom};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// The maximum number of threads that read files.
const THREADS: usize = 4;

/// The number of bytes that are kept in memory for a document if only its position is kept.
const SPOT: usize = 32;
/// The approximate size of a finding in bytes.
const FINDING: usize = 512;

/// The maximum number of bytes to show of text that cannot be split into documents.
const SHOWN: usize = 120;

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

/// Returns all findings about the catalog in a folder or a file. Unreadable documents are also reported as findings; all other
/// documents are still checked.
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

/// Reports a document without content, at its first line that is not blank.
fn empty(id: DocumentId, text: &str) -> Found {
    let written = text.lines().position(|line| !line.trim().is_empty());
    let is_comment = |line: &str| line.trim().is_empty() || line.trim_start().starts_with('#');
    let are_comments = text.lines().all(is_comment);
    let message = match written {
        Some(_) if are_comments => "the document contains only comments",
        Some(_) => "the document contains no fields",
        None => "the document is empty",
    };
    let at = At {
        document: id,
        place: Inside::Line(written.unwrap_or_default() + 1),
    };
    Found::new(&rules::CATALOG_DOCUMENT_EMPTY, message, at)
}

/// Reports invisible characters in the path of a file, relative to the folder.
fn hidden_in_path(folder: &Path, path: &Path) -> Option<Diagnostic> {
    let inside = path.strip_prefix(folder).unwrap_or(path);
    let message = hidden_in("the path", &inside.to_string_lossy())?;
    let place = Place::new(&SourceFile::new(path.display().to_string(), String::new()), 0..0);
    Some(Diagnostic::new(&rules::NAME_HIDDEN_CHARACTER, message).at(place))
}

/// The position of a document in its file.
#[derive(Debug, Clone, Copy)]
struct Spot {
    start: u64,
    length: usize,
    line: usize,
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

/// Documents that cannot be read, or only in part.
#[derive(Default)]
struct Unreadable {
    findings: Vec<Diagnostic>,
    first: Option<At>,
}

impl Unreadable {
    fn add(&mut self, other: Self) {
        self.findings.extend(other.findings);
        if self.first.is_none() {
            self.first = other.first;
        }
    }
}

/// The data that was read from a file.
struct OfFile {
    contents: Contents,
    spots: Vec<Spot>,
    unreadable: Unreadable,
}

/// Reads all files, on several threads if there are several files. The results are in the order of the files.
fn read_all(folder: &Path, paths: &[PathBuf], limits: CatalogLimits) -> Result<Vec<OfFile>, CatalogError> {
    let (next, documents, kept) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
    let work = || {
        let mut done = Vec::new();
        let mut place = Scratch::new(limits);
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(path) = paths.get(number) else {
                return Ok(done);
            };
            let reading = FileReader {
                folder,
                path,
                number,
                limits,
                documents: &documents,
                kept: &kept,
            };
            match reading.read(&mut place) {
                Ok(of_file) => done.push((number, of_file)),
                Err(error) => {
                    // The remaining files are no longer needed.
                    next.store(paths.len(), Ordering::Relaxed);
                    return Err((number, error));
                }
            }
        }
    };
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    let threads = processors.min(THREADS).min(paths.len()).max(1);
    let results = thread::scope(|scope| {
        // If a thread cannot be started, the other threads do its work.
        let start = |_| thread::Builder::new().spawn_scoped(scope, work).ok();
        let others: Vec<_> = (1..threads).map_while(start).collect();
        let mut results = vec![work()];
        for other in others {
            match other.join() {
                Ok(result) => results.push(result),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        results
    });
    let mut all = Vec::new();
    let mut failed: Option<(usize, CatalogError)> = None;
    for result in results {
        match result {
            Ok(done) => all.extend(done),
            Err(error) if failed.as_ref().is_none_or(|first| error.0 < first.0) => failed = Some(error),
            Err(_) => {}
        }
    }
    if let Some((_, error)) = failed {
        return Err(error);
    }
    all.sort_by_key(|(number, _)| *number);
    Ok(all.into_iter().map(|(_, of_file)| of_file).collect())
}

struct FileReader<'a> {
    folder: &'a Path,
    path: &'a Path,
    number: usize,
    limits: CatalogLimits,
    /// The number of documents that all threads together have read.
    documents: &'a AtomicUsize,
    /// The number of bytes that all threads together keep in memory for the documents.
    kept: &'a AtomicUsize,
}

impl FileReader<'_> {
    fn read(&self, place: &mut Scratch) -> Result<OfFile, CatalogError> {
        let fail = |error| FileError::new("read", self.path, error);
        let mut stream = Stream::new(open_regular(self.path).map_err(fail)?, self.limits.document_bytes);
        let mut spots = Vec::new();
        let mut unreadable = Unreadable::default();
        loop {
            let id = DocumentId {
                file: self.number,
                number: spots.len(),
            };
            let piece = match stream.next() {
                Ok(Some(piece)) => piece,
                Ok(None) => break,
                Err(CutError::Io(error)) => return Err(fail(error).into()),
                Err(error) => {
                    // The file cannot be split beyond this position.
                    let line = error.line();
                    spots.push(Spot {
                        start: stream.position(),
                        length: SHOWN,
                        line,
                    });
                    let at = At {
                        document: id,
                        place: Inside::Line(1),
                    };
                    unreadable.first.get_or_insert_with(|| at.clone());
                    let finding = Found::new(&rules::CATALOG_DOCUMENT, format!("{error}"), at);
                    place.contents.found.push(finding);
                    break;
                }
            };
            if self.documents.fetch_add(1, Ordering::Relaxed) >= self.limits.documents {
                return Err(CatalogError::Limit {
                    folder: self.folder.to_owned(),
                    what: "documents",
                    limit: self.limits.documents,
                });
            }
            spots.push(Spot {
                start: piece.start,
                length: piece.bytes.len(),
                line: piece.line,
            });
            let before = place.contents.found.len() + unreadable.findings.len();
            let of_document = self.document(id, &piece, place, &mut unreadable);
            let findings = place.contents.found.len() + unreadable.findings.len() - before;
            let of_document = of_document + findings * FINDING;
            if self.kept.fetch_add(of_document, Ordering::Relaxed) + of_document > self.limits.kept_bytes {
                return Err(CatalogError::TooMuch {
                    file: self.path.to_owned(),
                    line: piece.line,
                    limit: self.limits.kept_bytes,
                });
            }
        }
        Ok(OfFile {
            contents: std::mem::take(&mut place.contents),
            spots,
            unreadable,
        })
    }

    /// Checks one document. Returns the number of bytes that are kept in memory for the document, not counting
    /// findings.
    fn document(&self, id: DocumentId, piece: &Piece<'_>, place: &mut Scratch, unreadable: &mut Unreadable) -> usize {
        let text = match std::str::from_utf8(piece.bytes) {
            Ok(text) => text,
            Err(error) => {
                let before = piece.bytes.get(..error.valid_up_to()).unwrap_or_default();
                let at = At {
                    document: id,
                    place: Inside::Line(before.split(|byte| *byte == b'\n').count()),
                };
                unreadable.first.get_or_insert_with(|| at.clone());
                let message = "the line contains a byte that is not UTF-8";
                place
                    .contents
                    .found
                    .push(Found::new(&rules::TEXT_ENCODING, message, at));
                return SPOT;
            }
        };
        let json = if piece.json {
            if let Some(finding) = self.excess(piece) {
                unreadable.findings.push(finding);
                unreadable.first.get_or_insert_with(|| id.at(""));
                return SPOT;
            }
            if let Some((before, unfit)) = unfit(piece, &self.limits) {
                let at = At {
                    document: id,
                    place: Inside::Line(before + 1),
                };
                unreadable.first.get_or_insert_with(|| at.clone());
                let rule = if unfit.is_too_deep {
                    &rules::YAML_TOO_DEEP
                } else {
                    &rules::CATALOG_DOCUMENT
                };
                place.contents.found.push(Found::new(rule, unfit.problem, at));
                return SPOT;
            }
            Cow::Borrowed(text)
        } else {
            match self.yaml(piece, unreadable) {
                Ok(Some(json)) => Cow::Owned(json),
                Ok(None) => {
                    place.contents.found.push(empty(id, text));
                    return SPOT;
                }
                Err(()) => {
                    unreadable.first.get_or_insert_with(|| id.at(""));
                    return SPOT;
                }
            }
        };
        let problem = match document::check(id, &json, place) {
            Ok(kept) => return kept,
            Err(problem) => problem,
        };
        unreadable.first.get_or_insert_with(|| id.at(""));
        let (before, problem) = fault(&json, &problem);
        let line = if piece.json { before + 1 } else { 1 };
        let findings = self.syntax(piece);
        if findings.is_empty() {
            let what = if piece.json {
                "as JSON, because it begins with {"
            } else {
                "as an object"
            };
            let message = format!("the document cannot be read {what}: {problem}");
            let at = At {
                document: id,
                place: Inside::Line(line),
            };
            place
                .contents
                .found
                .push(Found::new(&rules::CATALOG_DOCUMENT, message, at));
        }
        unreadable.findings.extend(findings);
        SPOT
    }

    /// Reports a JSON document that contains too many values.
    fn excess(&self, piece: &Piece<'_>) -> Option<Diagnostic> {
        let finding = text::excess(&[(String::new(), piece.bytes)], &self.limits.of_document())?;
        let place = finding.place.as_ref()?;
        let shown = Place::new(&place.source, 0..0);
        let start = Position {
            line: piece.line + shown.start().line - 1,
            ..shown.start()
        };
        let offset = piece.start + shown.offset();
        let source = SourceFile::part(self.path.display().to_string(), place.source.text(), start, offset);
        let span = place.span.clone();
        Some(finding.at(Place::new(&source, span)))
    }

    /// Returns the syntax errors of a document.
    fn syntax(&self, piece: &Piece<'_>) -> Vec<Diagnostic> {
        let mut findings = text::read_source(&self.source(piece), &self.limits.of_document()).diagnostics;
        findings.retain(Diagnostic::is_error);
        findings
    }

    fn source(&self, piece: &Piece<'_>) -> Arc<SourceFile> {
        let begin = Position {
            line: piece.line,
            column: 1,
        };
        let text = String::from_utf8_lossy(piece.bytes);
        SourceFile::part(self.path.display().to_string(), text, begin, piece.start)
    }

    /// Converts a YAML document to JSON, or returns `None` if it is empty. Reports repeated keys, of which the last one
    /// counts, and the faults that make the document unreadable.
    fn yaml(&self, piece: &Piece<'_>, unreadable: &mut Unreadable) -> Result<Option<String>, ()> {
        let reading = text::read_source(&self.source(piece), &self.limits.of_document());
        let errors = reading.diagnostics.into_iter().filter(Diagnostic::is_error);
        let errors = errors.map(|mut finding| {
            if finding.rule == &rules::YAML_DUPLICATE_KEY {
                finding.rule = &rules::CATALOG_DUPLICATE_KEY;
            }
            finding
        });
        let before = unreadable.findings.len();
        unreadable.findings.extend(errors);
        match reading.documents.into_iter().next() {
            Some(document) if document.value().is_null() => Ok(None),
            Some(document) => Ok(Some(document.value().to_string())),
            None if unreadable.findings.len() > before => Err(()),
            None => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests;
