//! Reads the files of a catalog, on several threads, and checks each document by itself.

use super::contents::Contents;
use super::document;
use super::found::{At, DocumentId, Found, Inside};
use super::guess;
use super::scratch::Scratch;
use crate::catalog::file_based::error::CatalogError;
use crate::catalog::file_based::limits::CatalogLimits;
use crate::catalog::file_based::read::{fault, unfit};
use crate::catalog::file_based::stream::{CutError, Piece, Stream};
use crate::diagnostic::Diagnostic;
use crate::files::{FileError, open_regular};
use crate::rules;
use crate::source::{Place, Position, SourceFile};
use crate::text;
use std::borrow::Cow;
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

/// The number of bytes of text that cannot be split into documents in which its package is looked for.
const HEAD: u64 = 4 << 10;

/// The maximum number of bytes to show of text that cannot be split into documents.
const SHOWN: usize = 120;

/// The position of a document in its file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spot {
    pub(super) start: u64,
    pub(super) length: usize,
    pub(super) line: usize,
}

/// Documents that cannot be read, or only in part.
#[derive(Default)]
pub(super) struct Unreadable {
    pub(super) findings: Vec<Diagnostic>,
    pub(super) first: Option<At>,
}

impl Unreadable {
    pub(super) fn add(&mut self, other: Self) {
        self.findings.extend(other.findings);
        if self.first.is_none() {
            self.first = other.first;
        }
    }
}

/// The data that was read from a file.
pub(super) struct OfFile {
    pub(super) contents: Contents,
    pub(super) spots: Vec<Spot>,
    pub(super) unreadable: Unreadable,
}

/// Reads all files, on several threads if there are several files. The results are in the order of the files.
pub(super) fn read_all(folder: &Path, paths: &[PathBuf], limits: CatalogLimits) -> Result<Vec<OfFile>, CatalogError> {
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
                    if let Some(package) = self.package_at(stream.position()) {
                        place.contents.unread.insert(place.texts.share(&package));
                    }
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

    /// Guesses the package of the document at an offset of the file.
    fn package_at(&self, start: u64) -> Option<String> {
        let mut file = open_regular(self.path).ok()?;
        file.seek(SeekFrom::Start(start)).ok()?;
        let mut bytes = Vec::new();
        file.take(HEAD).read_to_end(&mut bytes).ok()?;
        let text = String::from_utf8_lossy(&bytes);
        guess::package(&text, text.trim_start().starts_with('{'))
    }

    /// Checks one document. Returns the number of bytes that are kept in memory for the document, not counting
    /// findings.
    fn document(&self, id: DocumentId, piece: &Piece<'_>, place: &mut Scratch, unreadable: &mut Unreadable) -> usize {
        let fault = match self.read_document(id, piece, place, unreadable) {
            Ok(kept) => return kept,
            Err(fault) => fault,
        };
        unreadable.first.get_or_insert(fault);
        let text = String::from_utf8_lossy(piece.bytes);
        if let Some(package) = guess::package(&text, piece.json) {
            place.contents.unread.insert(place.texts.share(&package));
        }
        SPOT
    }

    /// Like [`document`](Self::document). If the document cannot be read, reports that and returns the position of the
    /// fault.
    fn read_document(
        &self,
        id: DocumentId,
        piece: &Piece<'_>,
        place: &mut Scratch,
        unreadable: &mut Unreadable,
    ) -> Result<usize, At> {
        let on_line = |line| At {
            document: id,
            place: Inside::Line(line),
        };
        let text = std::str::from_utf8(piece.bytes).map_err(|error| {
            let before = piece.bytes.get(..error.valid_up_to()).unwrap_or_default();
            let at = on_line(before.split(|byte| *byte == b'\n').count());
            let message = "the line contains a byte that is not UTF-8";
            let finding = Found::new(&rules::TEXT_ENCODING, message, at.clone());
            place.contents.found.push(finding);
            at
        })?;
        let json = if piece.json {
            if let Some(finding) = self.excess(piece) {
                unreadable.findings.push(finding);
                return Err(id.at(""));
            }
            if let Some((before, unfit)) = unfit(piece, &self.limits) {
                let at = on_line(before + 1);
                let rule = if unfit.is_too_deep {
                    &rules::YAML_TOO_DEEP
                } else {
                    &rules::CATALOG_DOCUMENT
                };
                let finding = Found::new(rule, unfit.problem, at.clone());
                place.contents.found.push(finding);
                return Err(at);
            }
            Cow::Borrowed(text)
        } else {
            match self.yaml(piece, unreadable) {
                Ok(Some(json)) => Cow::Owned(json),
                Ok(None) => {
                    place.contents.found.push(empty(id, text));
                    return Ok(SPOT);
                }
                Err(()) => return Err(id.at("")),
            }
        };
        let problem = match document::check(id, &json, place) {
            Ok(kept) => return Ok(kept),
            Err(problem) => problem,
        };
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
            let finding = Found::new(&rules::CATALOG_DOCUMENT, message, on_line(line));
            place.contents.found.push(finding);
        }
        unreadable.findings.extend(findings);
        Err(id.at(""))
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
