//! The documents of a catalog in a folder: their positions, in output order. Each document is read again on request,
//! and only one is in memory at a time.

mod place;

use super::document::Document;
use super::error::CatalogError;
use super::folder::files;
use super::limits::CatalogLimits;
use super::stream::{CutError, Piece, Stream};
use super::{Key, Schema, Subject, memory};
use crate::catalog::{Text, Texts};
use crate::diagnostic::Diagnostic;
use crate::files::{FileError, Stamp, open_regular};
use crate::rules;
use crate::text::{self, Unfit};
use std::fs::{self, File, Metadata};
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The position of a document, with its schema, package and name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Handle {
    /// The schema of the document.
    pub schema: Schema,
    /// The package that the document belongs to; a package belongs to itself. Empty if the document names none.
    pub package: Text,
    /// The name of the document; may be empty.
    pub name: Text,
    /// The line on which the document begins, counted from 1.
    pub line: usize,
    pub(super) file: usize,
    pub(super) start: u64,
    length: usize,
    pub(super) json: bool,
}

impl Handle {
    /// Returns the sort key of the document in a catalog.
    pub fn key(&self) -> Key<'_> {
        Key::new(&self.schema, &self.package, &self.name)
    }

    /// Returns the subject of the document.
    pub fn subject(&self) -> Subject {
        Subject::new(self.schema.clone(), &self.package, &self.name)
    }

    /// Returns whether the document is written in JSON instead of YAML.
    pub fn is_json(&self) -> bool {
        self.json
    }

    /// Returns the number of bytes of the document in its file.
    pub fn length(&self) -> usize {
        self.length
    }
}

/// One file, with its state when the catalog was opened.
#[derive(Debug)]
struct CatalogFile {
    path: PathBuf,
    /// The path in messages.
    shown: PathBuf,
    stamp: Stamp,
    kept: Option<File>,
}

impl CatalogFile {
    /// Reads `length` bytes from the offset `start`.
    fn read(&self, start: u64, length: usize) -> Result<Vec<u8>, CatalogError> {
        let opened;
        let file = if let Some(file) = &self.kept {
            file
        } else {
            opened = open_regular(&self.path).map_err(|error| self.failed(error))?;
            &opened
        };
        let mut bytes = vec![0; length];
        let read = read_exactly(file, &mut bytes, start).map_err(|error| self.failed(error));
        // If the file has changed, that is the error to report, because it explains any other failure.
        self.compare(&file.metadata().map_err(|error| self.failed(error))?)?;
        read.map(|()| bytes)
    }

    fn check_unchanged(&self) -> Result<(), CatalogError> {
        let metadata = match &self.kept {
            Some(file) => file.metadata(),
            None => fs::metadata(&self.path),
        };
        self.compare(&metadata.map_err(|error| self.failed(error))?)
    }

    fn compare(&self, now: &Metadata) -> Result<(), CatalogError> {
        if Stamp::from(now) == self.stamp {
            return Ok(());
        }
        Err(self.changed())
    }

    fn changed(&self) -> CatalogError {
        let file = self.shown.clone();
        CatalogError::Changed { file }
    }

    /// Returns the error for a failed read. A file that is missing, or ends too early, has changed.
    fn failed(&self, error: io::Error) -> CatalogError {
        match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::UnexpectedEof => self.changed(),
            _ => FileError::new("read", &self.path, error).into(),
        }
    }
}

/// Fills `bytes` from the offset `start`. Several threads may read the same file concurrently.
#[cfg(unix)]
fn read_exactly(file: &File, bytes: &mut [u8], start: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, start)
}

#[cfg(not(unix))]
fn read_exactly(mut file: &File, bytes: &mut [u8], start: u64) -> io::Result<()> {
    use std::io::{Read, Seek, SeekFrom};
    file.seek(SeekFrom::Start(start))?;
    file.read_exact(bytes)
}

/// A catalog in a folder.
#[derive(Debug)]
pub struct FileBasedCatalog {
    folder: PathBuf,
    /// The folder in messages.
    shown: PathBuf,
    files: Vec<CatalogFile>,
    /// The documents, in output order.
    pub handles: Vec<Handle>,
    limits: CatalogLimits,
    /// The number of bytes that are kept in memory for the documents.
    kept: usize,
}

impl FileBasedCatalog {
    /// Reads all files of a folder once, except those that `.indexignore` files exclude.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read or contains anything other than documents with a schema, or a limit is
    /// exceeded.
    pub fn open(folder: &Path, limits: CatalogLimits) -> Result<Self, CatalogError> {
        Self::open_and_visit(folder, limits, |_, _| {})
    }

    /// Like [`FileBasedCatalog::open`], but messages name the folder `shown`: the user does not know where an image was
    /// unpacked, and the folder is gone when the message is read.
    ///
    /// # Errors
    /// Fails like [`FileBasedCatalog::open`].
    pub(crate) fn open_shown_as(folder: &Path, shown: &Path, limits: CatalogLimits) -> Result<Self, CatalogError> {
        Self::read((folder, shown), limits, &mut |_, _| {})
    }

    /// Creates an empty catalog.
    pub(super) fn empty(folder: &Path, limits: CatalogLimits) -> Self {
        Self {
            folder: folder.to_owned(),
            shown: folder.to_owned(),
            files: Vec::new(),
            handles: Vec::new(),
            limits,
            kept: 0,
        }
    }

    /// Like [`FileBasedCatalog::open`], and also passes every document to `visit`, in the order of the files.
    ///
    /// # Errors
    /// Fails like [`FileBasedCatalog::open`].
    pub(crate) fn open_and_visit(
        folder: &Path,
        limits: CatalogLimits,
        mut visit: impl FnMut(&Handle, &Document),
    ) -> Result<Self, CatalogError> {
        Self::read((folder, folder), limits, &mut visit)
    }

    fn read(
        (folder, shown): (&Path, &Path),
        limits: CatalogLimits,
        visit: &mut impl FnMut(&Handle, &Document),
    ) -> Result<Self, CatalogError> {
        let paths = files(folder, limits)?;
        let keep = cfg!(unix) && paths.len() <= limits.open_files;
        let mut catalog = Self {
            shown: shown.to_owned(),
            ..Self::empty(folder, limits)
        };
        let mut texts = Texts::default();
        for path in paths {
            let file = catalog.read_file(path, keep, &mut texts, visit)?;
            catalog.files.push(file);
        }
        // A folder may contain only documents of other programs, for example before the first package is added.
        let is_other = |handle: &Handle| !handle.schema.is_of_olm();
        if let Some(first) = catalog.handles.first()
            && folder.is_file()
            && catalog.handles.iter().all(is_other)
        {
            return Err(CatalogError::NotACatalog {
                file: folder.to_owned(),
                schema: first.schema.to_string(),
            });
        }
        catalog.handles.sort_by(|one, other| one.key().cmp(&other.key()));
        Ok(catalog)
    }

    /// Returns the folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the number of files.
    pub(crate) fn files(&self) -> usize {
        self.files.len()
    }

    /// Returns the paths of the catalog's files.
    pub(super) fn paths(&self) -> impl ExactSizeIterator<Item = &Path> {
        self.files.iter().map(|file| &*file.path)
    }

    /// Returns the file that contains a document, as messages name it.
    pub fn file(&self, handle: &Handle) -> &Path {
        self.files.get(handle.file).map_or(&self.shown, |file| &file.shown)
    }

    /// Sets the folder in messages, if this folder is a copy.
    pub(super) fn show_as(&mut self, shown: &Path) {
        shown.clone_into(&mut self.shown);
        let paths: Vec<PathBuf> = self
            .files
            .iter()
            .map(|file| self.path_in_messages(&file.path))
            .collect();
        for (file, path) in self.files.iter_mut().zip(paths) {
            file.shown = path;
        }
    }

    /// Returns the path of a file in messages.
    fn path_in_messages(&self, path: &Path) -> PathBuf {
        match path.strip_prefix(&self.folder) {
            Ok(inside) if self.shown != self.folder => self.shown.join(inside),
            _ => path.to_owned(),
        }
    }

    /// Makes sure that no file has changed since the catalog was opened.
    ///
    /// # Errors
    /// Returns an error if a file has changed.
    pub(crate) fn check_unchanged(&self) -> Result<(), CatalogError> {
        self.files.iter().try_for_each(CatalogFile::check_unchanged)
    }

    /// Reads the text of a document.
    pub(super) fn bytes(&self, handle: &Handle) -> Result<Vec<u8>, CatalogError> {
        match self.files.get(handle.file) {
            Some(file) => file.read(handle.start, handle.length),
            None => Ok(Vec::new()),
        }
    }

    /// Reads a range of bytes of a file.
    pub(super) fn part(&self, file: usize, range: Range<u64>) -> Result<Vec<u8>, CatalogError> {
        let length = usize::try_from(range.end.saturating_sub(range.start)).unwrap_or(usize::MAX);
        match self.files.get(file) {
            Some(file) => file.read(range.start, length),
            None => Ok(Vec::new()),
        }
    }

    /// Returns the size of a file in bytes.
    pub(super) fn file_length(&self, file: usize) -> u64 {
        self.files.get(file).map_or(0, |file| file.stamp.length())
    }

    /// Reads a document again.
    ///
    /// # Errors
    /// Returns an error if its file cannot be read, or has changed in the meantime.
    pub fn document(&self, handle: &Handle) -> Result<Document, CatalogError> {
        let path = self.file(handle);
        let bytes = self.bytes(handle)?;
        let changed = || CatalogError::Changed { file: path.to_owned() };
        let piece = Piece {
            json: handle.json,
            start: handle.start,
            line: handle.line,
            bytes: &bytes,
        };
        let document = document(&piece, &self.limits).map_err(|_| changed())?;
        document
            .filter(|document| document.schema().as_ref() == Some(&handle.schema))
            .ok_or_else(changed)
    }

    fn read_file(
        &mut self,
        path: PathBuf,
        keep: bool,
        texts: &mut Texts,
        visit: &mut impl FnMut(&Handle, &Document),
    ) -> Result<CatalogFile, CatalogError> {
        let fail = |error| FileError::new("read", &path, error);
        let file = open_regular(&path).map_err(fail)?;
        let stamp = Stamp::from(&file.metadata().map_err(fail)?);
        let shown = self.path_in_messages(&path);
        let wrong = |line, problem: String| CatalogError::Document {
            file: shown.clone(),
            line,
            problem,
        };
        let mut stream = Stream::new(&file, self.limits.document_bytes);
        loop {
            let piece = match stream.next() {
                Ok(Some(piece)) => piece,
                Ok(None) => break,
                Err(CutError::Io(error)) => return Err(fail(error).into()),
                Err(error) => return Err(wrong(error.line(), error.to_string())),
            };
            let excess = text::excess(&[(String::new(), piece.bytes)], &self.limits.of_document());
            if let Some(excess) = excess.filter(|excess| excess.rule.id == rules::YAML_TOO_MANY_VALUES.id) {
                return Err(CatalogError::Values {
                    line: line_of(&excess, &piece),
                    limit: self.limits.values,
                    file: shown,
                });
            }
            if let Some((at, unfit)) = unfit(&piece, &self.limits) {
                return Err(wrong(piece.line + at, unfit.problem));
            }
            let read = document(&piece, &self.limits);
            let Some(document) = read.map_err(|(line, problem)| wrong(line, problem))? else {
                continue;
            };
            let Some(schema) = document.schema() else {
                return Err(wrong(piece.line, no_schema(&document, path == self.folder).to_owned()));
            };
            if let Some(problem) = document.wrong_type() {
                return Err(wrong(piece.line, problem));
            }
            if self.handles.len() >= self.limits.documents {
                return Err(self.over("documents", self.limits.documents));
            }
            self.kept += memory::kept(&schema, |name| document.field(name));
            if self.kept > self.limits.kept_bytes {
                return Err(CatalogError::TooMuch {
                    line: piece.line,
                    limit: self.limits.kept_bytes,
                    file: shown,
                });
            }
            let handle = Handle {
                schema,
                package: texts.share(&document.package()),
                name: texts.share(&document.text("name")),
                line: piece.line,
                file: self.files.len(),
                start: piece.start,
                length: piece.bytes.len(),
                json: piece.json,
            };
            visit(&handle, &document);
            self.handles.push(handle);
        }
        let file = CatalogFile {
            kept: keep.then_some(file),
            path,
            shown,
            stamp,
        };
        file.check_unchanged()?;
        Ok(file)
    }

    fn over(&self, what: &'static str, limit: usize) -> CatalogError {
        let folder = self.shown.clone();
        CatalogError::Limit { folder, what, limit }
    }
}

/// Returns the fault of a document without a schema, with a hint about what the user probably intended. `is_alone`
/// specifies whether the user named the file, rather than a folder that contains it.
fn no_schema(document: &Document, is_alone: bool) -> &'static str {
    if document.field("apiVersion").is_some() && document.field("kind").is_some() {
        return "this is a Kubernetes manifest, not a catalog document; to specify a bundle, name the folder that \
                contains manifests/ and metadata/";
    }
    if is_alone {
        return "this is not a catalog: the document has no schema, which every catalog document needs";
    }
    "the document has no schema, which every catalog document needs; if this file is not part of the catalog, list it \
     in an .indexignore file"
}

/// Returns the line of a finding about a piece, counted from the start of the file.
fn line_of(finding: &Diagnostic, piece: &Piece<'_>) -> usize {
    piece.line + finding.place.as_ref().map_or(1, |place| place.start().line) - 1
}

/// Returns the number of line breaks before the fault in a JSON text, and the message of the parser without its
/// position, which is counted from the start of the text.
pub(super) fn fault(text: &str, error: &serde_json::Error) -> (usize, String) {
    let (at, message) = text::fault(text, error);
    let before = text.as_bytes().get(..at).unwrap_or_default();
    (memchr::memchr_iter(b'\n', before).count(), message)
}

/// Returns the first part of a JSON document that has no value, with the number of line breaks before it.
pub(super) fn unfit(piece: &Piece<'_>, limits: &CatalogLimits) -> Option<(usize, Unfit)> {
    let text = std::str::from_utf8(piece.bytes).ok().filter(|_| piece.json)?;
    let unfit = text::unfit(text, limits.of_document().depth)?;
    let before = piece.bytes.get(..unfit.at).unwrap_or_default();
    Some((memchr::memchr_iter(b'\n', before).count(), unfit))
}

/// Parses the document in a piece of a file. Returns `None` if the piece contains only comments. Otherwise, fails with
/// the line and the fault.
fn document(piece: &Piece<'_>, limits: &CatalogLimits) -> Result<Option<Document>, (usize, String)> {
    let text = std::str::from_utf8(piece.bytes).map_err(|_| (piece.line, "the content is not UTF-8".to_owned()))?;
    if piece.json {
        let wrong = |error: serde_json::Error| {
            let (before, message) = fault(text, &error);
            (piece.line + before, message)
        };
        return Document::from_json(text).map(Some).map_err(wrong);
    }
    let reading = text::read("", piece.bytes, &limits.of_document());
    // Of a repeated key, the last value counts, as in opm.
    let is_fatal = |finding: &&Diagnostic| finding.is_error() && finding.rule != &rules::YAML_DUPLICATE_KEY;
    if let Some(finding) = reading.diagnostics.iter().find(is_fatal) {
        return Err((line_of(finding, piece), finding.message.clone()));
    }
    let Some(document) = reading.documents.first() else {
        return Ok(None);
    };
    if document.value().is_null() {
        return Ok(None);
    }
    let json = document.value().to_string();
    let document = Document::from_json(&json);
    document.map(Some).map_err(|error| (piece.line, fault(&json, &error).1))
}

#[cfg(test)]
mod tests;
