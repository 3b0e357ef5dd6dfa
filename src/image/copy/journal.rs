//! A record of copied blobs, so that the next run can continue an interrupted copy.

use crate::concurrent;
use crate::files::{self, FileError};
use crate::image::digest::Digest;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// The start of each journal file, whatever its version.
const MARK: &str = "opmx.mirror.journal/";
/// The first word of a journal file in the current version.
const FORM: &str = "opmx.mirror.journal/v1";
/// The maximum number of bytes read from a journal.
const LIMIT: u64 = 256 << 20;

/// A file that records the blobs that were copied to the target. Its header line identifies the source and the target
/// of the copy; every other line has the form `DIGEST REPOSITORY`.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    known: BTreeSet<(Digest, String)>,
    file: Mutex<File>,
}

/// An error while reading, writing or removing a journal.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JournalError {
    /// The file cannot be read, written or removed.
    #[error("cannot use the journal of copied blobs")]
    File(#[from] FileError),
    /// Another run is using the journal.
    #[error("another run is using the journal {}", path.display())]
    Busy {
        /// The path of the journal.
        path: PathBuf,
    },
    /// The file is not a journal, so it is left unchanged.
    #[error("{} is not a journal of copied blobs; move it elsewhere", path.display())]
    Foreign {
        /// The path of the file.
        path: PathBuf,
    },
}

impl Journal {
    /// Opens the journal that an earlier run of the same copy left behind, or starts a new journal if there is none.
    /// The journal is locked until it is removed or dropped.
    ///
    /// # Errors
    /// Returns an error if the journal file cannot be read or written, another run is using it, or the file is not a
    /// journal.
    pub fn open(path: &Path, work: &Digest, target: &str) -> Result<Self, JournalError> {
        let fail = |error| JournalError::File(FileError::new("write", path, error));
        let opened = files::open_locked(path, || files::open_or_create(path)).map_err(fail)?;
        let mut file = opened.ok_or_else(|| JournalError::Busy { path: path.to_owned() })?;
        let head = format!("{FORM} {work} {target}\n");
        let mut bytes = Vec::new();
        let read = Read::by_ref(&mut file).take(LIMIT).read_to_end(&mut bytes);
        read.map_err(fail)?;
        let (known, length) = match bytes.strip_prefix(head.as_bytes()) {
            Some(lines) => (entries(lines), head.len() + whole_lines(lines)),
            // A run that was killed may have written only a part of the header.
            None if bytes.starts_with(MARK.as_bytes()) || MARK.as_bytes().starts_with(&bytes) => (BTreeSet::new(), 0),
            None => return Err(JournalError::Foreign { path: path.to_owned() }),
        };
        file.set_len(length as u64).map_err(fail)?;
        std::io::Seek::seek(&mut file, std::io::SeekFrom::End(0)).map_err(fail)?;
        if length == 0 {
            file.write_all(head.as_bytes()).map_err(fail)?;
        }
        Ok(Self {
            path: path.to_owned(),
            known,
            file: Mutex::new(file),
        })
    }

    /// Returns the names, without the registry, of the repositories to which an earlier run copied a blob.
    pub(super) fn repositories<'j>(&'j self, digest: &'j Digest) -> impl Iterator<Item = &'j str> {
        let from = (*digest, String::new());
        let range = self.known.range(from..).take_while(move |(known, _)| known == digest);
        range.map(|(_, repository)| repository.as_str())
    }

    /// Records that a repository contains a blob. Losing a line is harmless: it only causes an extra request to the
    /// registry.
    pub(super) fn note(&self, digest: &Digest, repository: &str) {
        let mut file = concurrent::lock(&self.file);
        if let Err(error) = file.write_all(format!("{digest} {repository}\n").as_bytes()) {
            tracing::warn!(%error, path = %self.path.display(), "cannot write the journal");
        }
    }

    /// Removes the journal after the copy has completed.
    ///
    /// # Errors
    /// Returns an error if the journal file cannot be removed.
    pub fn remove(self) -> Result<(), JournalError> {
        std::fs::remove_file(&self.path).map_err(|error| FileError::new("remove", self.path, error).into())
    }
}

/// Returns the number of bytes up to the end of the last complete line.
fn whole_lines(lines: &[u8]) -> usize {
    lines.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1)
}

fn entries(lines: &[u8]) -> BTreeSet<(Digest, String)> {
    let whole = String::from_utf8_lossy(lines.get(..whole_lines(lines)).unwrap_or_default());
    whole
        .lines()
        .filter_map(|line| {
            let (digest, repository) = line.split_once(' ')?;
            Some((digest.parse().ok()?, repository.to_owned()))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_run_reads_the_journal_without_a_truncated_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("plan.journal");
        let (work, blob, other) = (Digest::of(b"plan"), Digest::of(b"blob"), Digest::of(b"other"));
        let journal = Journal::open(&path, &work, "registry.example.com").unwrap();
        assert!(journal.known.is_empty());
        journal.note(&blob, "a/b");
        journal.note(&blob, "a/c");
        drop(journal);
        let mut text = std::fs::read_to_string(&path).unwrap();
        text.push_str(&other.to_string());
        text.push_str(" a/");
        std::fs::write(&path, text).unwrap();
        let journal = Journal::open(&path, &work, "registry.example.com").unwrap();
        assert_eq!(journal.repositories(&blob).collect::<Vec<_>>(), ["a/b", "a/c"]);
        assert_eq!(journal.repositories(&other).count(), 0);
        journal.note(&other, "a/d");
        drop(journal);
        let journal = Journal::open(&path, &work, "registry.example.com").unwrap();
        assert_eq!(journal.repositories(&other).collect::<Vec<_>>(), ["a/d"]);
    }

    #[test]
    fn a_journal_in_use_by_another_run_is_unchanged() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("plan.journal");
        let open = || Journal::open(&path, &Digest::of(b"plan"), "registry.example.com");
        let first = open().unwrap();
        let error = open().unwrap_err();
        assert!(matches!(error, JournalError::Busy { .. }), "{error}");
        first.remove().unwrap();
        assert!(open().is_ok());
    }

    #[test]
    fn a_file_that_is_not_a_journal_is_unchanged() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("plan.journal");
        let open = || Journal::open(&path, &Digest::of(b"plan"), "registry.example.com");
        std::fs::write(&path, "notes of mine\n").unwrap();
        let error = open().unwrap_err();
        assert!(matches!(error, JournalError::Foreign { .. }), "{error}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "notes of mine\n");
        std::fs::write(&path, "opmx.mirr").unwrap();
        assert!(open().is_ok(), "a header that was cut short");
    }

    #[test]
    fn the_journal_of_different_work_is_ignored() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("plan.journal");
        let (work, blob) = (Digest::of(b"plan"), Digest::of(b"blob"));
        Journal::open(&path, &work, "registry.example.com")
            .unwrap()
            .note(&blob, "a");
        for (work, target) in [
            (Digest::of(b"new"), "registry.example.com"),
            (work, "mirror.example.com"),
        ] {
            let journal = Journal::open(&path, &work, target).unwrap();
            assert!(journal.known.is_empty());
            assert_eq!(journal.repositories(&blob).count(), 0);
        }
    }
}
