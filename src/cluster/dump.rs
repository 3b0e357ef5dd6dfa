//! A cluster as people can get it: files of `kubectl get … -o yaml` or `-o json`, of `kubectl api-resources`, and
//! discovery documents.
//!
//! Files are read piece by piece, so that memory depends on what is kept of the objects and not on how much a dump
//! holds: the items of a YAML list that kubectl wrote, and those of a JSON list, are read one by one.

mod gathered;
mod json;
mod keep;
mod pieces;
mod yaml;

pub use keep::kept;

use super::state::State;
use crate::files::FileError;
use crate::kubernetes::served;
use crate::manifest::has_manifest_extension;
use crate::text::Limits;
use gathered::{Gathered, Refusal};
use serde_json::Value;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// How much of a file is looked at for bytes that no text has.
const START: usize = 512;
/// How many values a row of that table counts as.
const ROW: usize = 5;
/// How the table begins that `kubectl api-resources` prints.
const TABLE: &[u8] = b"NAME ";

/// How much a dump may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DumpLimits {
    /// One object, or one document that is no list, in bytes.
    pub object: usize,
    /// The objects of all dumps together, in bytes of memory for what is kept of them.
    pub kept: usize,
    /// The files of a folder.
    pub files: usize,
    /// The nesting of an object.
    pub depth: usize,
    /// The keys and values of an object.
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

/// Why a dump cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DumpError {
    /// A file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// A folder cannot be listed.
    #[error("cannot list {}: {reason}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Why.
        reason: walkdir::Error,
    },
    /// The text is no YAML or JSON.
    #[error("{}:{line}:{column}: {message}", path.display())]
    Text {
        /// The file.
        path: PathBuf,
        /// The line.
        line: usize,
        /// The column.
        column: usize,
        /// What is wrong.
        message: String,
    },
    /// Something is no object.
    #[error("{}:{line}: {found} stands where a Kubernetes object is expected", path.display())]
    NoObject {
        /// The file.
        path: PathBuf,
        /// The line where it begins; in JSON the one where it ends.
        line: usize,
        /// What it is.
        found: String,
    },
    /// One object is too large.
    #[error("{}:{line}: an object is larger than {limit} bytes", path.display())]
    Object {
        /// The file.
        path: PathBuf,
        /// The line where it begins, or where it becomes too large.
        line: usize,
        /// How large one may be.
        limit: usize,
    },
    /// One object has too many values.
    #[error("{}:{line}: an object has more than {limit} keys and values", path.display())]
    Values {
        /// The file.
        path: PathBuf,
        /// The line where there are too many.
        line: usize,
        /// How many there may be.
        limit: usize,
    },
    /// All of it is too much.
    #[error(
        "{}:{line}: up to here, what is needed of the dumps takes more than {limit} bytes; leave out what OLM does not \
         look at, such as Secrets and events",
        path.display()
    )]
    TooMuch {
        /// The file.
        path: PathBuf,
        /// The line of the object with which it becomes too much.
        line: usize,
        /// How much it may be.
        limit: usize,
    },
    /// There are too many files.
    #[error("{} holds more than {limit} files", path.display())]
    Files {
        /// The folder.
        path: PathBuf,
        /// How many there may be.
        limit: usize,
    },
    /// A database, an archive or an image was given in place of a dump.
    #[error("{} is no text, and so not what a cluster says of itself", path.display())]
    NoText {
        /// The file.
        path: PathBuf,
    },
    /// There is nothing about a cluster.
    #[error("{} holds no objects, and says nothing about the APIs of a cluster", path.display())]
    Nothing {
        /// The file or folder.
        path: PathBuf,
    },
}

/// Adds what a file, or the files of a folder, say to a state. `keep` takes from each object what is needed of it.
///
/// Of a folder the YAML and JSON files are read, and those that `kubectl api-resources` wrote.
///
/// # Errors
/// When something cannot be read, is no object, is too large, or says nothing about a cluster.
pub fn read(path: &Path, keep: fn(Value) -> Value, limits: &DumpLimits, state: &mut State) -> Result<(), DumpError> {
    let mut gathered = Gathered::new(keep, limits, state);
    if path.is_dir() {
        read_folder(path, limits, &mut gathered)?;
    } else {
        read_stream_into(path, open(path)?, limits, &mut gathered)?;
    }
    gathered.something().ok_or(DumpError::Nothing { path: path.to_owned() })
}

/// Adds what a stream, such as standard input, says to a state. `name` is what errors call it.
///
/// # Errors
/// As [`read`].
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

fn read_folder(path: &Path, limits: &DumpLimits, gathered: &mut Gathered<'_>) -> Result<(), DumpError> {
    let mut seen = 0;
    for entry in WalkDir::new(path).sort_by_file_name() {
        let entry = entry.map_err(|reason| DumpError::Folder {
            path: path.to_owned(),
            reason,
        })?;
        if !entry.file_type().is_file() || entry.file_name().as_encoded_bytes().starts_with(b".") {
            continue;
        }
        seen += 1;
        if seen > limits.files {
            return Err(DumpError::Files {
                path: path.to_owned(),
                limit: limits.files,
            });
        }
        let mut input = open(entry.path())?;
        let is_manifest = entry.file_name().to_str().is_some_and(has_manifest_extension);
        if is_manifest || beginning(entry.path(), &mut input)?.starts_with(TABLE) {
            read_stream_into(entry.path(), input, limits, gathered)?;
        }
    }
    Ok(())
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
    // UTF-16 has zeros, too, and is not read either.
    if beginning.iter().take(START).any(|byte| *byte == 0) {
        return Err(DumpError::NoText { path: path.to_owned() });
    }
    if beginning.starts_with(TABLE) {
        return read_table(path, input, limits, gathered);
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
    let mut text = String::new();
    let read = input.take(limit).read_to_string(&mut text);
    read.map_err(|error| FileError::new("read", path, error))?;
    let rows = memchr::memchr_iter(b'\n', text.as_bytes()).count();
    if rows > limits.values / ROW {
        return Err(Refusal::Values.at(path, limits.values / ROW, limits));
    }
    let served = served::read_table(&text).unwrap_or_default();
    gathered.serve(served).map_err(|refusal| refusal.at(path, rows, limits))
}

impl Refusal {
    /// The error of what stands on this line of a file.
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
            Self::TooMuch => DumpError::TooMuch {
                path: path.to_owned(),
                line,
                limit: limits.kept,
            },
        }
    }
}

#[cfg(test)]
mod tests;
