//! A database as a file: the data in its header, changes to the file, and the files next to it.

use super::{ReadError, content};
use crate::database::admission::Unfit;
use crate::database::guard::guard;
use crate::database::migrate::migrate;
use crate::files::{
    FileError, Stamp, TemporaryFolder, create_private, open_regular, require_regular, temporary_directory,
};
use rusqlite::Connection;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

/// The bytes that a SQLite database begins with.
const MAGIC: &[u8] = b"SQLite format 3\0";

/// Returns whether a file begins like a database.
///
/// # Errors
/// Returns an error if the file cannot be read.
pub(crate) fn is_database(path: &Path) -> Result<bool, FileError> {
    let mut start = Vec::new();
    open_regular(path)
        .and_then(|file| file.take(MAGIC.len() as u64).read_to_end(&mut start))
        .map_err(|error| FileError::new("read", path, error))?;
    Ok(start == MAGIC)
}

/// Returns whether a file is a database with a write-ahead log.
pub(crate) fn has_log(path: &Path) -> bool {
    open_file(path).is_ok_and(|(handle, _)| Head::read(path, &handle).is_ok_and(|head| head.has_log()))
}

/// The name of the database in its private copy.
pub(super) const COPY: &str = "index.db";

pub(super) fn open_file(path: &Path) -> Result<(File, Stamp), ReadError> {
    let failed = |source: io::Error| match source.kind() {
        io::ErrorKind::NotFound => ReadError::Missing { path: path.to_owned() },
        io::ErrorKind::IsADirectory => ReadError::Folder { path: path.to_owned() },
        _ => ReadError::File {
            path: path.to_owned(),
            source,
        },
    };
    let handle = open_regular(path).map_err(failed)?;
    let metadata = handle.metadata().map_err(failed)?;
    Ok((handle, Stamp::from(&metadata)))
}

/// The first 100 bytes of a database, which identify the file and specify how many pages it should have.
pub(super) struct Head(Vec<u8>);

impl Head {
    /// # Errors
    /// Returns an error if the file cannot be read or does not begin like a database.
    pub(super) fn read(path: &Path, handle: &File) -> Result<Self, ReadError> {
        let mut head = Vec::with_capacity(100);
        let mut reader = handle;
        reader
            .seek(SeekFrom::Start(0))
            .and_then(|_| reader.take(100).read_to_end(&mut head))
            .map_err(|source| ReadError::File {
                path: path.to_owned(),
                source,
            })?;
        let path = || path.to_owned();
        match head.len() {
            0 => Err(Unfit::Empty { path: path() }.into()),
            100 if head.starts_with(MAGIC) => Ok(Self(head)),
            _ => Err(ReadError::NotADatabase { path: path() }),
        }
    }

    fn number(&self, at: usize, length: usize) -> u64 {
        let bytes = self.0.get(at..at + length).unwrap_or_default();
        bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
    }

    /// Returns whether changes are first written to a log, so that readers and writers do not block each other.
    pub(super) fn has_log(&self) -> bool {
        self.number(19, 1) == 2
    }

    /// Returns the total size of the pages in bytes, if it is known.
    fn length(&self) -> Option<u64> {
        let page_size = match self.number(16, 2) {
            1 => 65536,
            size => size,
        };
        let pages_are_counted = self.number(24, 4) == self.number(92, 4);
        pages_are_counted.then(|| page_size * self.number(28, 4))
    }
}

/// Checks that all pages exist. Returns the current stamp of the file.
pub(super) fn check_length(path: &Path, handle: &File) -> Result<Stamp, ReadError> {
    let failed = |source| ReadError::File {
        path: path.to_owned(),
        source,
    };
    let stamp = Stamp::from(&handle.metadata().map_err(failed)?);
    match Head::read(path, handle)?.length() {
        Some(expected) if expected > stamp.length() => {
            // Another program may be writing the file.
            let now = Stamp::from(&handle.metadata().map_err(failed)?);
            let path = path.to_owned();
            Err(if now == stamp {
                let found = stamp.length();
                ReadError::Truncated { path, expected, found }
            } else {
                ReadError::Changed { path }
            })
        }
        _ => Ok(stamp),
    }
}

/// Returns the path of the file that SQLite keeps next to a database: the database path with `suffix` appended.
pub(crate) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// The suffixes of the files that SQLite opens next to a database.
const BESIDE: [&str; 3] = ["-journal", "-wal", "-shm"];

/// Checks that all existing files next to a database are regular files, because SQLite would wait for a named pipe.
///
/// # Errors
/// Returns an error if one of them is not a regular file.
pub(crate) fn check_beside(path: &Path) -> Result<(), FileError> {
    for suffix in BESIDE {
        let file = beside(path, suffix);
        match require_regular(&file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(FileError::new("read", file, error)),
            _ => {}
        }
    }
    Ok(())
}

pub(super) fn has_unfinished_transaction(path: &Path) -> bool {
    let journal = open_regular(&beside(path, "-journal")).is_ok_and(|journal| {
        // A finished transaction may leave its journal with an empty header.
        let mut magic = Vec::new();
        journal.take(8).read_to_end(&mut magic).is_ok() && magic.iter().any(|byte| *byte != 0)
    });
    journal || fs::metadata(beside(path, "-wal")).is_ok_and(|log| log.len() > 0)
}

/// Returns the current stamps of a database and of the files next to it.
fn stamps(path: &Path, handle: &File) -> Result<[Option<Stamp>; 3], ReadError> {
    let now = handle.metadata().map_err(|source| ReadError::File {
        path: path.to_owned(),
        source,
    })?;
    let of = |suffix| fs::metadata(beside(path, suffix)).ok().map(|now| Stamp::from(&now));
    Ok([Some(Stamp::from(&now)), of("-journal"), of("-wal")])
}

/// The time for which a file must stay unchanged before its modification time reliably shows later writes. It is longer
/// than the tick of the clock that sets the modification time.
const TICK: Duration = Duration::from_millis(20);

/// Copies the database and the files next to it, and lets SQLite finish or undo the transaction in the copy.
///
/// # Errors
/// Returns [`ReadError::Changed`] if another program writes to one of the files during the copy, because the copies
/// might then be inconsistent.
pub(super) fn private_copy(path: &Path, handle: &File, steps: u64) -> Result<TemporaryFolder, ReadError> {
    let before = stamps(path, handle)?;
    thread::sleep(TICK);
    let copied = || -> io::Result<TemporaryFolder> {
        let directory = TemporaryFolder::new().map_err(|error| error.source)?;
        let target = directory.path().join(COPY);
        let mut source = handle;
        source.seek(SeekFrom::Start(0))?;
        io::copy(&mut source, &mut create_private(&target)?)?;
        for suffix in ["-journal", "-wal"] {
            let copied = open_regular(&beside(path, suffix))
                .and_then(|mut from| io::copy(&mut from, &mut create_private(&beside(&target, suffix))?));
            match copied {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(directory)
    };
    let directory = copied().map_err(|source| ReadError::Copy {
        path: path.to_owned(),
        directory: temporary_directory(),
        source,
    })?;
    let copy = directory.path().join(COPY);
    if stamps(path, handle)? != before {
        return Err(ReadError::Changed { path: path.to_owned() });
    }
    let recovered = || -> rusqlite::Result<()> {
        let mut connection = Connection::open(&copy)?;
        guard(&mut connection, steps)?;
        connection.query_row("PRAGMA schema_version", [], |_| Ok(()))?;
        connection.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(()))
    };
    recovered().map_err(|source| content(path, "the unfinished transaction", source))?;
    check_length(&copy, &open_file(&copy)?.0)?;
    Ok(directory)
}

/// Migrates a private copy to the schema version that readers support.
pub(super) fn bring_up_to_date(path: &Path, copy: &TemporaryFolder, version: i64, steps: u64) -> Result<(), ReadError> {
    let migrated = || -> rusqlite::Result<()> {
        let mut connection = Connection::open(copy.path().join(COPY))?;
        // No other program uses the file, and it is discarded on failure.
        connection.execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA foreign_keys = 0;")?;
        guard(&mut connection, steps)?;
        let transaction = connection.transaction()?;
        migrate(&transaction, version, 0)?;
        transaction.commit()
    };
    migrated().map_err(|source| content(path, "the older tables", source))
}
