//! Content that was pulled before, by digest, in the user's cache directory.
//!
//! A file is compared with its digest whenever it is used, and what does not match is removed; so nothing here needs to
//! be synced. Files that were not used for longest go when the cache grows over its size.

use super::digest::{Digest, Hasher};
use super::image::Blob;
use crate::files::FileError;
use std::ffi::OsString;
use std::fs::{self, DirBuilder, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;
use tempfile::NamedTempFile;

/// Bytes that the cache may hold unless told otherwise.
pub const DEFAULT_CACHE_SIZE: u64 = 4 << 30;

/// Where blobs are kept between runs.
#[derive(Debug, Clone)]
pub struct Cache {
    directory: PathBuf,
    size: u64,
    /// The bytes that were here when they were counted, and those that came since; none before the first count.
    held: Arc<Mutex<Option<u64>>>,
}

/// Content on its way into the cache.
#[derive(Debug)]
pub(super) struct Incoming {
    file: NamedTempFile,
    target: PathBuf,
    cache: Cache,
}

impl Incoming {
    /// The file to write to.
    pub(super) fn file(&mut self) -> &mut File {
        self.file.as_file_mut()
    }

    /// Where the file is.
    pub(super) fn path(&self) -> &Path {
        self.file.path()
    }

    /// Puts the content, which is complete, under its digest. The open file stays, whatever becomes of its name.
    pub(super) fn keep(self) -> File {
        let length = self.file.as_file().metadata().map_or(0, |metadata| metadata.len());
        match self.file.persist(&self.target) {
            Ok(file) => {
                self.cache.grow(length);
                file
            }
            Err(refused) => {
                tracing::warn!(error = %refused.error, "the cache is not used");
                refused.file.into_file()
            }
        }
    }
}

impl Cache {
    /// A cache in `directory` that holds at most `size` bytes.
    pub fn new(directory: impl Into<PathBuf>, size: u64) -> Self {
        Self {
            directory: directory.into(),
            size,
            held: Arc::default(),
        }
    }

    /// The user's own cache directory: `$OPMX_CACHE_DIR`, or `opmx` below `$XDG_CACHE_HOME` or `~/.cache`.
    /// There is none where no home is known.
    pub fn default_directory() -> Option<PathBuf> {
        directory_of(&|name| std::env::var_os(name))
    }

    /// Content that is here and whole. Opened, it stays readable even when another process removes it.
    pub(super) fn get(&self, digest: &Digest) -> Option<Blob> {
        let path = self.path(digest);
        let file = File::open(&path).ok()?;
        let mut hasher = Hasher::new();
        let mut buffer = vec![0; 64 << 10];
        let mut reader = &file;
        loop {
            let read = reader.read(&mut buffer).ok()?;
            match buffer.get(..read) {
                None | Some([]) => break,
                Some(bytes) => hasher.update(bytes),
            }
        }
        let length = hasher.length();
        if hasher.finish() != *digest {
            tracing::warn!(%digest, "removing a damaged file from the cache");
            let _ = fs::remove_file(&path);
            return None;
        }
        // Used just now; a cache on a read-only file system does not learn it.
        let _ = file.set_modified(SystemTime::now());
        Some(Blob::of_file(file, length))
    }

    /// Starts a file for content with this digest, which counts when it is kept.
    ///
    /// # Errors
    /// When the directory or the file cannot be made.
    pub(super) fn start(&self, digest: &Digest) -> Result<Incoming, FileError> {
        let directory = self.blobs();
        self.make_directory()?;
        let file = tempfile::Builder::new().prefix(".").tempfile_in(&directory);
        let file = file.map_err(|error| FileError::new("create a file in", &directory, error))?;
        // The lock tells that it is in use. Without locks, or where another process was faster, it may be taken for a
        // leftover and go; then the cache does without it.
        let _ = file.as_file().try_lock();
        Ok(Incoming {
            file,
            target: self.path(digest),
            cache: self.clone(),
        })
    }

    /// Keeps content that is in memory, under its own name at once: who finds it half written removes it, and fetches it
    /// again. A cache that cannot be written is no reason to fail.
    pub(super) fn keep(&self, digest: &Digest, content: &[u8]) {
        let path = self.path(digest);
        let created = match create_new(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => self.make_directory().and_then(|()| {
                let created = create_new(&path);
                created.map_err(|error| FileError::new("create", &path, error))
            }),
            // It is here, or another process is writing it.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return,
            created => created.map_err(|error| FileError::new("create", &path, error)),
        };
        let written = created.and_then(|mut file| {
            file.write_all(content).map_err(|error| {
                let _ = fs::remove_file(&path);
                FileError::new("write", &path, error)
            })
        });
        match written {
            Ok(()) => self.grow(content.len() as u64),
            Err(error) => tracing::warn!(%error, "the cache is not used"),
        }
    }

    fn make_directory(&self) -> Result<(), FileError> {
        make_private(&self.blobs())
    }

    /// Counts what came in, and looks at all files only before the first time and when the cache is too large.
    fn grow(&self, length: u64) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        *held = Some(match held.map(|bytes| bytes.saturating_add(length)) {
            Some(bytes) if bytes <= self.size => bytes,
            _ => self.trim(),
        });
    }

    /// Removes the files that were not used for longest until the rest is within the size, and says how much that is.
    fn trim(&self) -> u64 {
        let mut files = self.files().unwrap_or_default();
        files.sort();
        let mut total: u64 = files.iter().map(|(_, _, length)| length).sum();
        for (_, path, length) in files {
            if total <= self.size {
                break;
            }
            if fs::remove_file(&path).is_ok() {
                total = total.saturating_sub(length);
            }
        }
        total
    }

    fn files(&self) -> io::Result<Vec<(SystemTime, PathBuf, u64)>> {
        let mut files = Vec::new();
        for entry in fs::read_dir(self.blobs())? {
            let entry = entry?;
            // Names with a dot in front are being written, or were when their process was killed.
            if entry.file_name().to_string_lossy().starts_with('.') {
                if File::open(entry.path()).is_ok_and(|file| file.try_lock().is_ok()) {
                    let _ = fs::remove_file(entry.path());
                }
                continue;
            }
            if let Ok(metadata) = entry.metadata()
                && metadata.is_file()
            {
                files.push((metadata.modified()?, entry.path(), metadata.len()));
            }
        }
        Ok(files)
    }

    pub(super) fn blobs(&self) -> PathBuf {
        self.directory.join("blobs").join("sha256")
    }

    /// Where layers are named by their tar files.
    pub(super) fn layers(&self) -> PathBuf {
        self.directory.join("layers")
    }

    fn path(&self, digest: &Digest) -> PathBuf {
        self.blobs().join(digest.hex())
    }
}

pub(super) fn make_private(directory: &Path) -> Result<(), FileError> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    // Images may be private, so other users do not get to see them.
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    let made = builder.create(directory);
    made.map_err(|error| FileError::new("create the directory", directory, error))
}

fn create_new(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn directory_of(variable: &dyn Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let path = |name: &str| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let below = |name: &str, folder: &str| {
        path(name)
            .filter(|path| path.is_absolute())
            .map(|path| path.join(folder))
    };
    path("OPMX_CACHE_DIR")
        .or_else(|| below("XDG_CACHE_HOME", "opmx"))
        .or_else(|| below("HOME", ".cache/opmx"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn content(blob: &Blob) -> Vec<u8> {
        let mut content = Vec::new();
        blob.open().unwrap().read_to_end(&mut content).unwrap();
        content
    }

    #[test]
    fn content_comes_back_until_it_is_damaged() {
        let directory = tempfile::tempdir().unwrap();
        let cache = Cache::new(directory.path().join("deep/cache"), 100);
        let digest = Digest::of(b"content");
        assert!(cache.get(&digest).is_none());
        cache.keep(&digest, b"content");
        let blob = cache.get(&digest).unwrap();
        assert_eq!(content(&blob), b"content");
        fs::write(cache.path(&digest), "damaged").unwrap();
        assert!(cache.get(&digest).is_none());
        assert!(!cache.path(&digest).exists());
    }

    #[test]
    fn what_was_not_used_for_longest_goes_first_and_open_files_stay_readable() {
        let directory = tempfile::tempdir().unwrap();
        let cache = Cache::new(directory.path(), 10);
        let (one, two, three) = (Digest::of(b"1111"), Digest::of(b"2222"), Digest::of(b"3333"));
        cache.keep(&one, b"1111");
        cache.keep(&two, b"2222");
        let old = SystemTime::now() - Duration::from_mins(1);
        for digest in [&one, &two] {
            File::options()
                .write(true)
                .open(cache.path(digest))
                .unwrap()
                .set_modified(old)
                .unwrap();
        }
        let held = cache.get(&two).unwrap();
        assert!(cache.get(&one).is_some());
        File::options()
            .write(true)
            .open(cache.path(&two))
            .unwrap()
            .set_modified(old)
            .unwrap();
        cache.keep(&three, b"3333");
        assert!(cache.get(&one).is_some() && cache.get(&two).is_none() && cache.get(&three).is_some());
        assert_eq!(content(&held), b"2222");
    }

    #[test]
    fn what_a_killed_process_left_behind_goes() {
        let directory = tempfile::tempdir().unwrap();
        let cache = Cache::new(directory.path(), 100);
        let mut writing = cache.start(&Digest::of(b"1")).unwrap();
        writing.file().write_all(b"half").unwrap();
        let dead = cache.blobs().join(".dead");
        fs::write(&dead, "half").unwrap();
        cache.keep(&Digest::of(b"2"), b"2");
        assert!(writing.path().exists() && !dead.exists());
    }

    #[test]
    fn the_size_holds_after_every_file_and_the_content_is_returned_all_the_same() {
        let directory = tempfile::tempdir().unwrap();
        let cache = Cache::new(directory.path(), 10);
        for number in 0..9_u8 {
            cache.clone().keep(&Digest::of(&[number; 4]), &[number; 4]);
            let held: u64 = cache.files().unwrap().iter().map(|(_, _, length)| length).sum();
            assert_eq!(held, if number == 0 { 4 } else { 8 });
        }
        let mut large = cache.start(&Digest::of(&[9; 11])).unwrap();
        large.file().write_all(&[9; 11]).unwrap();
        assert_eq!(large.keep().metadata().unwrap().len(), 11);
        assert!(cache.files().unwrap().is_empty());
    }

    #[test]
    fn what_another_process_took_away_while_it_was_written_is_still_read() {
        let directory = tempfile::tempdir().unwrap();
        let cache = Cache::new(directory.path(), 100);
        let mut incoming = cache.start(&Digest::of(b"content")).unwrap();
        incoming.file().write_all(b"content").unwrap();
        fs::remove_file(incoming.path()).unwrap();
        assert_eq!(incoming.keep().metadata().unwrap().len(), 7);
        assert!(cache.get(&Digest::of(b"content")).is_none());
    }

    #[test]
    fn a_cache_that_cannot_be_written_is_passed_over() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("file");
        fs::write(&file, "").unwrap();
        let cache = Cache::new(&file, 100);
        cache.keep(&Digest::of(b"1"), b"1");
        assert!(cache.get(&Digest::of(b"1")).is_none());
    }

    #[test]
    fn the_environment_says_where_the_cache_is() {
        let directory = |variables: &[(&str, &str)]| {
            directory_of(&|name| {
                variables
                    .iter()
                    .find(|(key, _)| *key == name)
                    .map(|(_, value)| value.into())
            })
        };
        assert_eq!(directory(&[("HOME", "/h")]), Some("/h/.cache/opmx".into()));
        assert_eq!(
            directory(&[("HOME", "/h"), ("XDG_CACHE_HOME", "/x")]),
            Some("/x/opmx".into())
        );
        assert_eq!(
            directory(&[("HOME", "/h"), ("XDG_CACHE_HOME", "rel")]),
            Some("/h/.cache/opmx".into())
        );
        assert_eq!(
            directory(&[("HOME", "/h"), ("OPMX_CACHE_DIR", "/o")]),
            Some("/o".into())
        );
        assert_eq!(directory(&[]), None);
    }
}
