//! A database as a file: what it is by its first bytes, whether it stays what it was, and what stands beside it.

use super::{ReadError, content};
use crate::files::{FileError, Stamp, TemporaryFolder};
use crate::index::migrate::migrate;
use rusqlite::Connection;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// The bytes with which a SQLite database begins.
const MAGIC: &[u8] = b"SQLite format 3\0";

/// Whether a file begins as a database does.
///
/// # Errors
/// When it cannot be read.
pub(in crate::index) fn is_database(path: &Path) -> Result<bool, FileError> {
    let mut start = Vec::new();
    File::open(path)
        .and_then(|file| file.take(MAGIC.len() as u64).read_to_end(&mut start))
        .map_err(|error| FileError::new("read", path, error))?;
    Ok(start == MAGIC)
}

/// The name of the database in its private copy.
pub(super) const COPY: &str = "index.db";

pub(super) fn open_file(path: &Path) -> Result<(File, Stamp), ReadError> {
    let failed = |source: io::Error| match source.kind() {
        io::ErrorKind::NotFound => ReadError::Missing { path: path.to_owned() },
        _ => ReadError::File {
            path: path.to_owned(),
            source,
        },
    };
    let handle = File::open(path).map_err(failed)?;
    let metadata = handle.metadata().map_err(failed)?;
    if metadata.is_dir() {
        return Err(ReadError::Folder { path: path.to_owned() });
    }
    Ok((handle, Stamp::from(&metadata)))
}

/// Looks at the first 100 bytes, which say what the file is and how many pages it should have.
pub(super) fn check_header(path: &Path, handle: &File, stamp: Stamp) -> Result<(), ReadError> {
    let mut header = Vec::with_capacity(100);
    let mut reader = handle;
    reader
        .seek(SeekFrom::Start(0))
        .and_then(|_| reader.take(100).read_to_end(&mut header))
        .map_err(|source| ReadError::File {
            path: path.to_owned(),
            source,
        })?;
    if header.is_empty() {
        // What SQLite takes for a database without tables.
        return Err(ReadError::NotAnIndex {
            path: path.to_owned(),
            table: "operatorbundle",
        });
    }
    let number = |at: usize, length: usize| {
        let bytes = header.get(at..at + length).unwrap_or_default();
        bytes.iter().fold(0_u64, |number, byte| number << 8 | u64::from(*byte))
    };
    if header.len() < 100 || !header.starts_with(MAGIC) {
        return Err(ReadError::NotADatabase { path: path.to_owned() });
    }
    let page_size = match number(16, 2) {
        1 => 65536,
        size => size,
    };
    let pages_are_counted = number(24, 4) == number(92, 4);
    let expected = page_size * number(28, 4);
    if pages_are_counted && expected > stamp.length() {
        return Err(ReadError::Truncated {
            path: path.to_owned(),
            expected,
            found: stamp.length(),
        });
    }
    Ok(())
}

/// The file that SQLite keeps beside a database under its name and `suffix`.
pub(in crate::index) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

pub(super) fn has_unfinished_transaction(path: &Path) -> bool {
    let journal = File::open(beside(path, "-journal")).is_ok_and(|journal| {
        // A finished transaction may leave its journal behind with an empty head.
        let mut magic = Vec::new();
        journal.take(8).read_to_end(&mut magic).is_ok() && magic.iter().any(|byte| *byte != 0)
    });
    journal || fs::metadata(beside(path, "-wal")).is_ok_and(|log| log.len() > 0)
}

/// Copies the database with what stands beside it and lets SQLite finish or undo the transaction there.
pub(super) fn private_copy(path: &Path, handle: &File, stamp: Stamp) -> Result<TemporaryFolder, ReadError> {
    let copied = || -> io::Result<TemporaryFolder> {
        let directory = TemporaryFolder::new().map_err(|error| error.source)?;
        let target = directory.path().join(COPY);
        let mut source = handle;
        source.seek(SeekFrom::Start(0))?;
        io::copy(&mut source, &mut File::create_new(&target)?)?;
        for suffix in ["-journal", "-wal"] {
            match fs::copy(beside(path, suffix), beside(&target, suffix)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(directory)
    };
    let directory = copied().map_err(|source| ReadError::Copy {
        path: path.to_owned(),
        directory: std::env::temp_dir(),
        source,
    })?;
    // Two files that were copied while someone wrote them need not belong together.
    match handle.metadata() {
        Ok(metadata) if Stamp::from(&metadata) == stamp => {}
        _ => return Err(ReadError::Changed { path: path.to_owned() }),
    }
    let mended = || -> rusqlite::Result<()> {
        let connection = Connection::open(directory.path().join(COPY))?;
        connection.query_row("SELECT count(*) FROM sqlite_master", [], |_| Ok(()))?;
        connection.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(()))
    };
    mended().map_err(|source| content(path, "the unfinished transaction", source))?;
    Ok(directory)
}

/// Brings a private copy to the schema version that readers know.
pub(super) fn bring_up_to_date(path: &Path, copy: &TemporaryFolder, version: i64) -> Result<(), ReadError> {
    let migrated = || -> rusqlite::Result<()> {
        let mut connection = Connection::open(copy.path().join(COPY))?;
        // Nobody else knows the file, and it is thrown away if this fails.
        connection.execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA foreign_keys = 0;")?;
        connection.pragma_update(None, "trusted_schema", false)?;
        let transaction = connection.transaction()?;
        migrate(&transaction, version, 0)?;
        transaction.commit()
    };
    migrated().map_err(|source| content(path, "the older tables", source))
}
