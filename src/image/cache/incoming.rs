//! Content on its way into the cache, or past it.

use super::Cache;
use crate::files::{self, FileError, temporary_directory};
use std::fs::{self, File};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

/// A file that is being filled. Where the cache fails, the content goes on in a temporary file.
#[derive(Debug)]
pub(in crate::image) struct Incoming {
    file: File,
    length: u64,
    place: Option<Place>,
}

/// A file in the cache that does not count yet. It goes with the value unless it is kept.
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
    /// A file that no cache will keep.
    ///
    /// # Errors
    /// When it cannot be made.
    #[cfg_attr(
        not(feature = "registry"),
        expect(dead_code, reason = "for what comes from registries")
    )]
    pub(in crate::image) fn nameless() -> Result<Self, FileError> {
        Ok(Self {
            file: files::nameless_file()?,
            length: 0,
            place: None,
        })
    }

    /// A file in `folder` that will have the name `target` there.
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

    /// Adds bytes.
    ///
    /// # Errors
    /// When the temporary file cannot be written, which is there without a cache, and where the cache cannot be written.
    #[cfg_attr(
        not(feature = "registry"),
        expect(dead_code, reason = "for what comes from registries")
    )]
    pub(in crate::image) fn write(&mut self, bytes: &[u8]) -> Result<(), FileError> {
        let written = self.file.write_all(bytes).or_else(|error| {
            let Some(place) = self.place.take() else {
                return Err(error);
            };
            place
                .cache
                .pass_over_writing(&FileError::new("write", &place.target, error));
            // What may have come of these bytes is behind the length.
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

    /// Puts all that is read into the cache.
    ///
    /// # Errors
    /// When it cannot be read, or the cache cannot be written.
    pub(in crate::image) fn fill(&mut self, content: &mut dyn Read) -> io::Result<()> {
        self.length += io::copy(content, &mut self.file)?;
        Ok(())
    }

    /// Gives the content, which is complete, its name in the cache. The open file stays, whatever becomes of its name.
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
