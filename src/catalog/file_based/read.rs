//! The documents of a catalog in a folder: where each is, in the order in which they are written, and each again when
//! it is asked for. Only one is in memory at a time.

use super::document::Document;
use super::stream::{CutError, Piece, Stream};
use super::{Key, Schema, memory};
use crate::catalog::{Text, Texts};
use crate::diagnostic::Diagnostic;
use crate::files::{self, FileError, Pending, Stamp, open_regular, require_regular};
use crate::rules;
use crate::text::{self, Limits};
use ignore::WalkBuilder;
use std::fs::{self, File, Metadata};
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Files of this name say which others are none of the catalog's, as `.gitignore` does.
const IGNORE: &str = ".indexignore";

/// How much a catalog may hold. Every limit is named in the error of the input that passes it.
#[derive(Debug, Clone, Copy)]
pub struct CatalogLimits {
    /// Number of files.
    pub files: usize,
    /// Bytes of one document.
    pub document_bytes: usize,
    /// Number of documents.
    pub documents: usize,
    /// Lists and maps inside one another.
    pub depth: usize,
    /// Keys and values of one document.
    pub values: usize,
    /// Keys and values of all documents of a template together, which are kept.
    pub template_values: usize,
    /// Bytes of memory for what is kept of all documents: names, edges and properties, and what is wrong with them.
    pub kept_bytes: usize,
    /// Files that stay open, so that they can be read as they were also after others took their names. Those of a
    /// catalog that has more are opened again by name.
    pub open_files: usize,
}

impl Default for CatalogLimits {
    fn default() -> Self {
        Self {
            files: 100_000,
            document_bytes: 64 << 20,
            documents: 1_000_000,
            depth: Limits::default().depth,
            values: Limits::default().values,
            template_values: 2_000_000,
            kept_bytes: 64 << 20,
            open_files: 0,
        }
    }
}

impl CatalogLimits {
    /// The limits of one manifest inside a document.
    pub(super) fn of_manifest(&self) -> Limits {
        Limits {
            values: self.values,
            ..Limits::default()
        }
    }

    /// The limits of one document.
    pub(crate) fn of_document(&self) -> Limits {
        Limits {
            file_bytes: self.document_bytes,
            depth: self.depth,
            documents: 1,
            values: self.values,
        }
    }
}

/// Why a catalog cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum CatalogError {
    /// The system refused.
    #[error(transparent)]
    File(#[from] FileError),
    /// A folder elsewhere that is linked to is no part of a catalog.
    #[error("{} is a link to a folder, and links to folders are not followed; copy the folder there", link.display())]
    LinkedFolder {
        /// The link.
        link: PathBuf,
    },
    /// A folder cannot be searched.
    #[error("cannot search {}", folder.display())]
    Walk {
        /// The catalog's folder.
        folder: PathBuf,
        /// What the system said.
        source: ignore::Error,
    },
    /// A file holds what is no document of a catalog.
    #[error("{}:{line}: {problem}", file.display())]
    Document {
        /// The file.
        file: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        problem: String,
    },
    /// There is too much of something.
    #[error("{}: the catalog has more than {limit} {what}", folder.display())]
    Limit {
        /// The catalog's folder.
        folder: PathBuf,
        /// What there is too much of.
        what: &'static str,
        /// How much there may be.
        limit: usize,
    },
    /// A document holds too many values.
    #[error("{}:{line}: up to here, the document has more than {limit} keys and values", file.display())]
    Values {
        /// The file.
        file: PathBuf,
        /// The line where there are too many, from 1.
        line: usize,
        /// How many there may be.
        limit: usize,
    },
    /// What has to be kept of the documents is too much.
    #[error("{}:{line}: up to here, the names, edges and properties of the catalog take more than {limit} bytes", file.display())]
    TooMuch {
        /// The file.
        file: PathBuf,
        /// The line of the document with which it becomes too much, from 1.
        line: usize,
        /// How much it may be.
        limit: usize,
    },
    /// A catalog is a folder.
    #[error("{} is not a directory: a file-based catalog is a folder of files", file.display())]
    NotAFolder {
        /// What is not one.
        file: PathBuf,
    },
    /// A file whose name cannot be written into an image.
    #[error("the name of {} is not UTF-8", file.display())]
    Name {
        /// The file.
        file: PathBuf,
    },
    /// A file is no longer what it was.
    #[error("{} changed while it was read; try again", file.display())]
    Changed {
        /// The file.
        file: PathBuf,
    },
}

/// Where a document is, and what it says it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Handle {
    /// Its schema.
    pub schema: Schema,
    /// The package that it belongs to; a package belongs to itself. Empty where it says none.
    pub package: Text,
    /// Its name; may be empty.
    pub name: Text,
    /// The line on which it begins, from 1.
    pub line: usize,
    pub(super) file: usize,
    pub(super) start: u64,
    length: usize,
    pub(super) json: bool,
}

impl Handle {
    /// Where it stands in a catalog.
    pub fn key(&self) -> Key<'_> {
        Key::new(&self.schema, &self.package, &self.name)
    }

    /// Whether it stands in its file as JSON, not YAML.
    pub fn is_json(&self) -> bool {
        self.json
    }

    /// How many bytes it has in its file.
    pub fn length(&self) -> usize {
        self.length
    }
}

/// One file, as it was when the catalog was opened.
#[derive(Debug)]
struct CatalogFile {
    path: PathBuf,
    stamp: Stamp,
    kept: Option<File>,
}

impl CatalogFile {
    /// So many bytes from `start` on.
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
        // That the file was cut or written to explains everything else.
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
        let file = self.path.clone();
        CatalogError::Changed { file }
    }

    /// A file that is gone, or ends too early, has changed.
    fn failed(&self, error: io::Error) -> CatalogError {
        match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::UnexpectedEof => self.changed(),
            _ => FileError::new("read", &self.path, error).into(),
        }
    }
}

/// Fills `bytes` from the place `start` on. Several threads may read one file at once.
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
    files: Vec<CatalogFile>,
    /// In the order in which a catalog is written.
    pub handles: Vec<Handle>,
    limits: CatalogLimits,
    /// Bytes that are kept of the documents.
    kept: usize,
}

impl FileBasedCatalog {
    /// Reads all files of a folder once, but for those that files named `.indexignore` exclude.
    ///
    /// # Errors
    /// When a file cannot be read or holds something else than documents with a schema, or there is too much.
    pub fn open(folder: &Path, limits: CatalogLimits) -> Result<Self, CatalogError> {
        Self::open_and_visit(folder, limits, |_, _| {})
    }

    /// A catalog that has nothing yet.
    pub(super) fn empty(folder: &Path, limits: CatalogLimits) -> Self {
        Self {
            folder: folder.to_owned(),
            files: Vec::new(),
            handles: Vec::new(),
            limits,
            kept: 0,
        }
    }

    /// As [`FileBasedCatalog::open`], and shows `visit` every document on the way, in the order of the files.
    ///
    /// # Errors
    /// The same.
    pub(crate) fn open_and_visit(
        folder: &Path,
        limits: CatalogLimits,
        mut visit: impl FnMut(&Handle, &Document),
    ) -> Result<Self, CatalogError> {
        let paths = files(folder, limits)?;
        let keep = cfg!(unix) && paths.len() <= limits.open_files;
        let mut catalog = Self::empty(folder, limits);
        let mut texts = Texts::default();
        for path in paths {
            let file = catalog.read_file(path, keep, &mut texts, &mut visit)?;
            catalog.files.push(file);
        }
        catalog.handles.sort_by(|one, other| one.key().cmp(&other.key()));
        Ok(catalog)
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The paths of its files.
    pub(super) fn paths(&self) -> impl ExactSizeIterator<Item = &Path> {
        self.files.iter().map(|file| &*file.path)
    }

    /// The file that a document is in.
    pub fn file(&self, handle: &Handle) -> &Path {
        self.files.get(handle.file).map_or(&self.folder, |file| &file.path)
    }

    /// Makes sure that all files are still what they were when the catalog was opened.
    ///
    /// # Errors
    /// When one is not.
    pub(crate) fn check_unchanged(&self) -> Result<(), CatalogError> {
        self.files.iter().try_for_each(CatalogFile::check_unchanged)
    }

    /// The text of a document.
    pub(super) fn bytes(&self, handle: &Handle) -> Result<Vec<u8>, CatalogError> {
        match self.files.get(handle.file) {
            Some(file) => file.read(handle.start, handle.length),
            None => Ok(Vec::new()),
        }
    }

    /// A part of a file.
    pub(super) fn part(&self, file: usize, range: Range<u64>) -> Result<Vec<u8>, CatalogError> {
        let length = usize::try_from(range.end.saturating_sub(range.start)).unwrap_or(usize::MAX);
        match self.files.get(file) {
            Some(file) => file.read(range.start, length),
            None => Ok(Vec::new()),
        }
    }

    /// How many bytes a file has.
    pub(super) fn file_length(&self, file: usize) -> u64 {
        self.files.get(file).map_or(0, |file| file.stamp.length())
    }

    /// Reads a document again.
    ///
    /// # Errors
    /// When its file cannot be read, or has changed meanwhile.
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
        let wrong = |line, problem: String| CatalogError::Document {
            file: path.clone(),
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
                    file: path,
                });
            }
            let read = document(&piece, &self.limits);
            let Some(document) = read.map_err(|(line, problem)| wrong(line, problem))? else {
                continue;
            };
            let Some(schema) = document.schema() else {
                return Err(wrong(piece.line, no_schema(&document).to_owned()));
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
                    file: path,
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
            stamp,
        };
        file.check_unchanged()?;
        Ok(file)
    }

    fn over(&self, what: &'static str, limit: usize) -> CatalogError {
        let folder = self.folder.clone();
        CatalogError::Limit { folder, what, limit }
    }
}

/// What is wrong with a document without a schema, and what was probably meant.
fn no_schema(document: &Document) -> &'static str {
    if document.field("apiVersion").is_some() && document.field("kind").is_some() {
        return "this is a manifest of Kubernetes, and no document of a catalog; of a bundle, name the folder that holds \
                its manifests/ and metadata/";
    }
    "the document has no schema, which every document of a catalog has; if this file is none of the catalog's, name it in \
     a file .indexignore"
}

/// The files of a catalog with their paths below its folder.
pub(crate) fn files_inside(folder: &Path, limits: CatalogLimits) -> Result<Vec<(String, PathBuf)>, CatalogError> {
    let files = files(folder, limits)?.into_iter();
    files
        .map(|file| match Pending::inside(folder, &file).and_then(Path::to_str) {
            Some(inside) => Ok((inside.to_owned(), file)),
            None => Err(CatalogError::Name { file }),
        })
        .collect()
}

/// The files of a catalog, by path.
pub(crate) fn files(folder: &Path, limits: CatalogLimits) -> Result<Vec<PathBuf>, CatalogError> {
    let mut found = Vec::new();
    let require_few = |count: usize| {
        (count <= limits.files)
            .then_some(())
            .ok_or_else(|| CatalogError::Limit {
                folder: folder.to_owned(),
                what: "files",
                limit: limits.files,
            })
    };
    check_ignore(folder)?;
    let pending = if folder.is_dir() {
        files::pending_change(folder)?
    } else {
        Pending::default()
    };
    let pending = Arc::new(pending);
    let refused = Arc::new(Mutex::new(None));
    let walk = WalkBuilder::new(folder)
        .standard_filters(false)
        .add_custom_ignore_filename(IGNORE)
        .sort_by_file_name(Ord::cmp)
        .filter_entry({
            let refused = Arc::clone(&refused);
            let pending = Arc::clone(&pending);
            move |entry| match entry.file_type() {
                _ if entry.depth() == 1 && pending.hides(entry.file_name()) => false,
                Some(kind) if kind.is_dir() => check_ignore(entry.path())
                    .map_err(|error| *refused.lock().unwrap_or_else(PoisonError::into_inner) = Some(error))
                    .is_ok(),
                _ => true,
            }
        })
        .build();
    for entry in walk {
        let fail = |source| CatalogError::Walk {
            folder: folder.to_owned(),
            source,
        };
        let entry = entry.map_err(fail)?;
        // A link counts as the file that it leads to.
        let metadata = fs::metadata(entry.path());
        if metadata.is_ok_and(|metadata| metadata.is_dir()) {
            // What is linked to inside of the catalog is there anyway, as in the mount of a ConfigMap.
            if entry.path_is_symlink() && entry.depth() > 0 && !leads_into(entry.path(), folder) {
                let link = entry.into_path();
                return Err(CatalogError::LinkedFolder { link });
            }
            continue;
        }
        if entry.file_name() == IGNORE {
            continue;
        }
        match require_regular(entry.path()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            regular => regular.map_err(|error| FileError::new("read", entry.path(), error))?,
        };
        let inside = entry.path().strip_prefix(folder).ok().and_then(Path::to_str);
        if inside.is_some_and(|inside| pending.replaces(inside) || pending.removes(inside)) {
            continue;
        }
        found.push(entry.into_path());
        require_few(found.len())?;
    }
    // What still waits to take its place is the catalog's already.
    found.extend(pending.files().map(|(_, waiting)| waiting.to_owned()));
    require_few(found.len())?;
    let refused = refused.lock().unwrap_or_else(PoisonError::into_inner).take();
    refused.map_or(Ok(found), |error| Err(error.into()))
}

/// Whether a link leads into a folder.
fn leads_into(link: &Path, folder: &Path) -> bool {
    match (fs::canonicalize(link), fs::canonicalize(folder)) {
        (Ok(target), Ok(folder)) => target.starts_with(folder),
        _ => false,
    }
}

/// Makes sure that the file in a folder that excludes others can be read without waiting for anyone.
fn check_ignore(folder: &Path) -> Result<(), FileError> {
    let path = folder.join(IGNORE);
    match require_regular(&path) {
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => Err(FileError::new("read", path, error)),
        _ => Ok(()),
    }
}

/// The line of the file that a finding about a piece is about.
fn line_of(finding: &Diagnostic, piece: &Piece<'_>) -> usize {
    piece.line + finding.place.as_ref().map_or(1, |place| place.start().line) - 1
}

/// What a piece of a file holds; none where it is nothing but comments. Else the line, and what is wrong there.
fn document(piece: &Piece<'_>, limits: &CatalogLimits) -> Result<Option<Document>, (usize, String)> {
    let text = std::str::from_utf8(piece.bytes).map_err(|_| (piece.line, "the text is not UTF-8".to_owned()))?;
    if piece.json {
        let wrong = |error: serde_json::Error| (piece.line + error.line().saturating_sub(1), error.to_string());
        return Document::from_json(text).map(Some).map_err(wrong);
    }
    let reading = text::read("", piece.bytes, &limits.of_document());
    if let Some(finding) = reading.diagnostics.iter().find(|finding| finding.is_error()) {
        return Err((line_of(finding, piece), finding.message.clone()));
    }
    let Some(document) = reading.documents.first() else {
        return Ok(None);
    };
    if document.value().is_null() {
        return Ok(None);
    }
    let document = Document::from_json(&document.value().to_string());
    document.map(Some).map_err(|error| (piece.line, error.to_string()))
}

#[cfg(test)]
mod tests;
