//! A buffer that holds the rows of bundles until all rows are known. A small buffer is kept in memory, and a large
//! buffer in an unnamed file.

use crate::files::FileError;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use tempfile::SpooledTempFile;

/// The maximum number of bytes that stay in memory.
const IN_MEMORY: usize = 8 << 20;

/// Bytes that are written piece by piece and read back in any order. They are deleted when the process ends, even if it
/// is killed.
#[derive(Debug)]
pub(super) struct Spool {
    file: SpooledTempFile,
    folder: PathBuf,
    end: u64,
}

/// The position of a piece.
#[derive(Debug, Clone, Copy)]
pub(super) struct Piece {
    start: u64,
    length: usize,
}

impl Spool {
    /// Creates an empty spool. If the spool becomes large, a file for it is created in `folder`.
    pub(super) fn new(folder: &Path) -> Self {
        Self {
            file: tempfile::spooled_tempfile_in(IN_MEMORY, folder),
            folder: folder.to_owned(),
            end: 0,
        }
    }

    /// Adds a piece.
    ///
    /// # Errors
    /// Returns an error if the file cannot be created or written.
    pub(super) fn push(&mut self, content: &[u8]) -> Result<Piece, FileError> {
        let piece = Piece {
            start: self.end,
            length: content.len(),
        };
        self.file
            .seek(SeekFrom::Start(self.end))
            .and_then(|_| self.file.write_all(content))
            .map_err(|error| self.failed("write", error))?;
        self.end += content.len() as u64;
        Ok(piece)
    }

    /// Reads a piece into `content`, replacing its previous content.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read.
    pub(super) fn read(&mut self, piece: Piece, content: &mut Vec<u8>) -> Result<(), FileError> {
        content.resize(piece.length, 0);
        self.file
            .seek(SeekFrom::Start(piece.start))
            .and_then(|_| self.file.read_exact(content))
            .map_err(|error| self.failed("read", error))
    }

    /// Returns an error about this spool; `action` is "read" or "write".
    pub(super) fn failed(&self, action: &'static str, error: io::Error) -> FileError {
        let action = match action {
            "read" => "read a temporary file in",
            _ => "write a temporary file in",
        };
        FileError::new(action, &self.folder, error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_read_back_from_memory_and_from_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let mut spool = Spool::new(folder.path());
        let contents: Vec<Vec<u8>> = (0..5_u8)
            .map(|byte| vec![byte; (IN_MEMORY / 3) + usize::from(byte)])
            .collect();
        let mut pieces: Vec<_> = contents.iter().map(|content| spool.push(content).unwrap()).collect();
        pieces.reverse();
        let mut read = Vec::new();
        for (piece, content) in pieces.into_iter().zip(contents.iter().rev()) {
            spool.read(piece, &mut read).unwrap();
            assert!(read == *content);
        }
        assert_eq!(
            std::fs::read_dir(folder.path()).unwrap().count(),
            0,
            "the file has a name"
        );
    }
}
