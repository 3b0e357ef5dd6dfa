//! Reads dumps of a cluster: the output of `kubectl get … -o yaml` or `-o json`, of `kubectl version -o yaml` and of
//! `kubectl api-resources`, and discovery documents.
//!
//! Files are read piece by piece: the items of JSON lists, and of YAML lists that kubectl has written, are read one by
//! one. Memory use therefore depends on the kept parts of the objects, not on the size of a dump.

mod gathered;
mod json;
mod keep;
mod pieces;
mod yaml;

pub use keep::{kept, kept_whole};

use super::state::State;
use crate::files::FileError;
use crate::kubernetes::served;
use crate::manifest::has_manifest_extension;
use crate::text::Limits;
use gathered::{Gathered, Refusal};
use serde_json::Value;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use walkdir::{DirEntry, WalkDir};

/// The number of bytes at the start of a file that are checked for bytes that do not occur in text.
const START: usize = 512;
/// The number of values that a row of a table counts as.
const ROW: usize = 5;
/// The beginning of the tables that kubectl prints.
const TABLE: &[u8] = b"NAME ";
/// The byte order mark with which PowerShell begins files.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Size limits for dumps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DumpLimits {
    /// The maximum size in bytes of an object, or of a document that is not a list.
    pub object: usize,
    /// The maximum memory in bytes for everything that is kept from all dumps together.
    pub kept: usize,
    /// The maximum number of files that are read from a folder.
    pub files: usize,
    /// The maximum nesting depth of an object.
    pub depth: usize,
    /// The maximum number of keys and values in an object.
    pub values: usize,
}

impl Default for DumpLimits {
    fn default() -> Self {
        Self {
            object: Limits::default().file_bytes,
            kept: 64 << 20,
            files: 10_000,
            depth: Limits::default().depth,
            values: Limits::default().values,
        }
    }
}

/// The reason why a dump cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DumpError {
    /// A file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// A folder cannot be listed.
    #[error("cannot list {}: {reason}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// The cause.
        reason: walkdir::Error,
    },
    /// The text is not YAML or JSON.
    #[error("{}:{line}:{column}: {message}", path.display())]
    Text {
        /// The file.
        path: PathBuf,
        /// The line.
        line: usize,
        /// The column.
        column: usize,
        /// A description of the problem.
        message: String,
    },
    /// A value is not an object.
    #[error("{}:{line}: expected a Kubernetes object, found {found}", path.display())]
    NoObject {
        /// The file.
        path: PathBuf,
        /// The line where the value begins or, in JSON, where it ends.
        line: usize,
        /// A description of the value that was found.
        found: String,
    },
    /// An object is too large.
    #[error("{}:{line}: an object is larger than {limit} bytes", path.display())]
    Object {
        /// The file.
        path: PathBuf,
        /// The line where the object begins, or where it becomes too large.
        line: usize,
        /// The maximum size of an object in bytes.
        limit: usize,
    },
    /// A table other than that of `kubectl api-resources`, which lacks the content of the objects.
    #[error("{} is a table of kubectl, but not the one of \"kubectl api-resources\"", path.display())]
    OtherTable {
        /// The file.
        path: PathBuf,
    },
    /// The table of `kubectl api-resources` is too large.
    #[error("the table of APIs in {} is larger than {limit} bytes", path.display())]
    Table {
        /// The file.
        path: PathBuf,
        /// The maximum size in bytes.
        limit: usize,
    },
    /// An object has too many values.
    #[error("{}:{line}: an object has more than {limit} keys and values", path.display())]
    Values {
        /// The file.
        path: PathBuf,
        /// The line where the limit is exceeded.
        line: usize,
        /// The limit.
        limit: usize,
    },
    /// The dumps together are too large.
    #[error(
        "{}:{line}: at this line, the relevant parts of the dumps exceed the limit of {limit} bytes{}",
        path.display(),
        most_of(largest.as_ref())
    )]
    TooMuch {
        /// The file.
        path: PathBuf,
        /// The line of the object that exceeds the limit.
        line: usize,
        /// The limit in bytes.
        limit: usize,
        /// The kind of objects that takes the most memory, and the number of bytes.
        largest: Option<(String, usize)>,
    },
    /// A folder contains too many dumps.
    #[error("{} contains more than {limit} YAML and JSON files", path.display())]
    Files {
        /// The folder.
        path: PathBuf,
        /// The limit.
        limit: usize,
    },
    /// A database, an archive or an image was passed instead of a dump.
    #[error("{} is not text, so it does not describe a cluster", path.display())]
    NoText {
        /// The file.
        path: PathBuf,
    },
    /// A dump contains no information about a cluster.
    #[error("{} contains neither objects nor the APIs of a cluster", path.display())]
    Nothing {
        /// The file or folder.
        path: PathBuf,
    },
}

fn most_of(largest: Option<&(String, usize)>) -> String {
    largest.map_or_else(String::new, |(kind, bytes)| {
        format!("; objects of kind {kind} take the most, {bytes} bytes")
    })
}

impl DumpError {
    /// Whether the content of a file is the cause: the file is not a dump, or is damaged.
    fn is_about_content(&self) -> bool {
        matches!(
            self,
            Self::Text { .. } | Self::NoObject { .. } | Self::NoText { .. } | Self::OtherTable { .. }
        )
    }
}

/// Adds the content of a file, or of the files in a folder, to a state. `keep` returns the parts of an object that are
/// needed.
///
/// In a folder, YAML files, JSON files and the output of `kubectl api-resources` are read. The folder may also contain
/// files that are not dumps, as that of a must-gather does: the result contains the error of each such file, which was
/// read up to the place of the error.
///
/// # Errors
/// Returns an error if the input cannot be read, is too large, or contains no information about a cluster. If the path
/// is a file, a value that is not an object is also an error.
pub fn read(
    path: &Path,
    keep: fn(Value) -> Value,
    limits: &DumpLimits,
    state: &mut State,
) -> Result<Vec<DumpError>, DumpError> {
    let mut gathered = Gathered::new(keep, limits, state);
    let mut skipped = Vec::new();
    if path.is_dir() {
        skipped = read_folder(path, limits, &mut gathered)?;
    } else {
        read_stream_into(path, open(path)?, limits, &mut gathered)?;
    }
    match gathered.something() {
        Some(()) => Ok(skipped),
        None => Err(skipped
            .into_iter()
            .next()
            .unwrap_or(DumpError::Nothing { path: path.to_owned() })),
    }
}

/// Adds the content of a stream, such as standard input, to a state. `name` is the name of the stream in errors.
///
/// # Errors
/// Returns the same errors as [`read`].
pub fn read_stream(
    name: &Path,
    input: impl BufRead,
    keep: fn(Value) -> Value,
    limits: &DumpLimits,
    state: &mut State,
) -> Result<(), DumpError> {
    let mut gathered = Gathered::new(keep, limits, state);
    read_stream_into(name, input, limits, &mut gathered)?;
    gathered.something().ok_or(DumpError::Nothing { path: name.to_owned() })
}

fn open(path: &Path) -> Result<BufReader<File>, FileError> {
    let file = File::open(path).map_err(|error| FileError::new("read", path, error))?;
    Ok(BufReader::with_capacity(1 << 16, file))
}

/// Reads the dumps in a folder. Returns the errors of files with other content.
fn read_folder(path: &Path, limits: &DumpLimits, gathered: &mut Gathered<'_>) -> Result<Vec<DumpError>, DumpError> {
    let is_hidden = |entry: &DirEntry| entry.depth() > 0 && entry.file_name().as_encoded_bytes().starts_with(b".");
    let mut read = 0;
    let mut skipped = Vec::new();
    let entries = WalkDir::new(path).sort_by_file_name().into_iter();
    for entry in entries.filter_entry(|entry| !is_hidden(entry)) {
        let entry = entry.map_err(|reason| DumpError::Folder {
            path: path.to_owned(),
            reason,
        })?;
        // The files of a mounted ConfigMap are links.
        let is_file = entry.file_type().is_file() || entry.path_is_symlink() && entry.path().is_file();
        if !is_file {
            continue;
        }
        let mut input = open(entry.path())?;
        let is_manifest = entry.file_name().to_str().is_some_and(has_manifest_extension);
        if !is_manifest && !is_api_table(beginning(entry.path(), &mut input)?) {
            continue;
        }
        read += 1;
        if read > limits.files {
            return Err(DumpError::Files {
                path: path.to_owned(),
                limit: limits.files,
            });
        }
        match read_stream_into(entry.path(), input, limits, gathered) {
            Err(error) if error.is_about_content() => skipped.push(error),
            other => other?,
        }
    }
    Ok(skipped)
}

/// Whether a file begins like the output of `kubectl api-resources`.
fn is_api_table(beginning: &[u8]) -> bool {
    let head = without_mark(beginning).split(|byte| *byte == b'\n').next();
    head.and_then(|head| std::str::from_utf8(head).ok())
        .is_some_and(served::is_table_head)
}

fn without_mark(beginning: &[u8]) -> &[u8] {
    beginning.strip_prefix(BYTE_ORDER_MARK).unwrap_or(beginning)
}

fn beginning<'i>(path: &Path, input: &'i mut impl BufRead) -> Result<&'i [u8], FileError> {
    input.fill_buf().map_err(|error| FileError::new("read", path, error))
}

fn read_stream_into(
    path: &Path,
    mut input: impl BufRead,
    limits: &DumpLimits,
    gathered: &mut Gathered<'_>,
) -> Result<(), DumpError> {
    let beginning = beginning(path, &mut input)?;
    // UTF-16 text also has zero bytes, and is not supported either.
    if beginning.iter().take(START).any(|byte| *byte == 0) {
        return Err(DumpError::NoText { path: path.to_owned() });
    }
    if is_api_table(beginning) {
        return read_table(path, input, limits, gathered);
    }
    if without_mark(beginning).starts_with(TABLE) {
        return Err(DumpError::OtherTable { path: path.to_owned() });
    }
    match beginning.iter().find(|byte| !byte.is_ascii_whitespace()) {
        Some(b'{' | b'[') => json::read(path, input, limits, gathered),
        _ => yaml::read(path, input, limits, gathered),
    }
}

fn read_table(
    path: &Path,
    input: impl Read,
    limits: &DumpLimits,
    gathered: &mut Gathered<'_>,
) -> Result<(), DumpError> {
    let limit = u64::try_from(limits.object).unwrap_or(u64::MAX);
    let mut bytes = Vec::new();
    let read = input.take(limit.saturating_add(1)).read_to_end(&mut bytes);
    read.map_err(|error| FileError::new("read", path, error))?;
    let rows = memchr::memchr_iter(b'\n', &bytes).count();
    if bytes.len() > limits.object {
        return Err(DumpError::Table {
            path: path.to_owned(),
            limit: limits.object,
        });
    }
    let invalid = |error| FileError::new("read", path, io::Error::new(io::ErrorKind::InvalidData, error));
    let text = String::from_utf8(bytes).map_err(invalid)?;
    if rows > limits.values / ROW {
        return Err(Refusal::Values.at(path, limits.values / ROW, limits));
    }
    let served = served::read_table(&text).unwrap_or_default();
    gathered.serve(served).map_err(|refusal| refusal.at(path, rows, limits))
}

impl Refusal {
    /// Returns the error for this line of a file.
    fn at(self, path: &Path, line: usize, limits: &DumpLimits) -> DumpError {
        match self {
            Self::NoObject(found) => DumpError::NoObject {
                path: path.to_owned(),
                line,
                found,
            },
            Self::Values => DumpError::Values {
                path: path.to_owned(),
                line,
                limit: limits.values,
            },
            Self::TooMuch { largest } => DumpError::TooMuch {
                path: path.to_owned(),
                line,
                limit: limits.kept,
                largest,
            },
        }
    }
}

#[cfg(test)]
mod tests;
