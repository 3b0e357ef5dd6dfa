//! Content that is being written to the cache, or to a temporary file if the cache is not used.

use super::Cache;
use crate::files::{self, FileError, temporary_directory};
use std::fs::{self, File};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

/// A file that is being written. If writing to the cache fails, writing continues in a temporary file.
#[derive(Debug)]
pub(in crate::image) struct Incoming {
    file: File,
    length: u64,
    place: Option<Place>,
}

/// An unfinished cache file. The file is removed when this value is dropped, unless it is kept.
#[derive(Debug)]
struct Place {
    temporary: PathBuf,
    target: PathBuf,
    cache: Cache,
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.temporary);
    }
}

impl Incoming {
    /// Creates a temporary file outside any cache.
    ///
    /// # Errors
    /// Returns an error if the file cannot be created.
    #[cfg_attr(
        not(feature = "registry"),
        expect(dead_code, reason = "only used for content from registries")
    )]
    pub(in crate::image) fn nameless() -> Result<Self, FileError> {
        Ok(Self {
            file: files::nameless_file()?,
            length: 0,
            place: None,
        })
    }

    /// Creates a file in `folder` that will be renamed to `target`.
    pub(super) fn within(cache: &Cache, folder: &Path, target: PathBuf) -> Result<Self, FileError> {
        let fail = |error| FileError::new("create a file in", folder, error);
        let (temporary, file) = files::create_temporary(folder, super::INCOMING).map_err(fail)?;
        let cache = cache.clone();
        Ok(Self {
            file,
            length: 0,
            place: Some(Place {
                temporary,
                target,
                cache,
            }),
        })
    }

    /// Appends bytes to the file.
    ///
    /// # Errors
    /// Returns an error if a temporary file cannot be written. Temporary files are used if there is no cache, or if
    /// writing to the cache fails.
    #[cfg_attr(
        not(feature = "registry"),
        expect(dead_code, reason = "only used for content from registries")
    )]
    pub(in crate::image) fn write(&mut self, bytes: &[u8]) -> Result<(), FileError> {
        let written = self.file.write_all(bytes).or_else(|error| {
            let Some(place) = self.place.take() else {
                return Err(error);
            };
            place
                .cache
                .pass_over_writing(&FileError::new("write", &place.target, error));
            // `self.length` excludes any of these bytes that were already written.
            self.file.rewind()?;
            let mut temporary = tempfile::tempfile()?;
            io::copy(&mut (&self.file).take(self.length), &mut temporary)?;
            self.file = temporary;
            self.file.write_all(bytes)
        });
        written.map_err(|error| FileError::new("write a temporary file in", temporary_directory(), error))?;
        self.length += bytes.len() as u64;
        Ok(())
    }

    /// Copies all of `content` to the file.
    ///
    /// # Errors
    /// Returns an error if the content cannot be read, or the file cannot be written.
    pub(in crate::image) fn fill(&mut self, content: &mut dyn Read) -> io::Result<()> {
        self.length += io::copy(content, &mut self.file)?;
        Ok(())
    }

    /// Moves the complete content to its final path in the cache. The returned file stays readable even if the cache
    /// removes that path.
    pub(in crate::image) fn keep(self) -> File {
        if let Some(place) = self.place {
            match fs::rename(&place.temporary, &place.target) {
                Ok(()) => place.cache.grow(self.length),
                Err(error) => place
                    .cache
                    .pass_over_writing(&FileError::new("replace", &place.target, error)),
            }
        }
        self.file
    }
}
