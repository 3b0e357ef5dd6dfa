//! A cache of pulled content, keyed by digest, in the user's cache directory.
//!
//! Each file is checked against its digest whenever it is used, and is removed on a mismatch, so files do not need to
//! be synced to disk. When the cache exceeds its size limit, the least recently used files are removed.
//!
//! The cache never makes an operation fail: if the cache cannot be read or written, opmx warns once and continues
//! without it.

mod incoming;
pub(super) mod layer_name;

pub(super) use incoming::Incoming;

use super::digest::{Digest, Hasher};
use super::image::Blob;
use super::progress::{Progress, Silent};
use crate::causes::with_causes;
use crate::concurrent;
use crate::files::{self, FileError};
use crate::tree::LAYOUT_FILE;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::SystemTime;

/// The default size limit of the cache in bytes.
pub const DEFAULT_CACHE_SIZE: u64 = 4 << 30;

/// The name prefix of files that are still being written.
const INCOMING: &str = ".opmx-";

/// A directory that keeps blobs between runs.
#[derive(Debug, Clone)]
pub struct Cache {
    directory: PathBuf,
    size: u64,
    state: Arc<State>,
}

/// The state shared by all clones of a cache.
struct State {
    /// The cache size in bytes at the last scan plus the bytes added since; `None` before the first scan.
    held: Mutex<Option<u64>>,
    /// Whether the directory may be used as a cache.
    suitable: OnceLock<bool>,
    /// Whether a write has failed, after which no further writes are attempted.
    full: AtomicBool,
    has_warned: AtomicBool,
    progress: Arc<dyn Progress>,
}

impl fmt::Debug for State {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("State")
            .field("full", &self.full)
            .finish_non_exhaustive()
    }
}

impl Cache {
    /// Creates a cache in `directory` with a limit of `size` bytes.
    pub fn new(directory: impl Into<PathBuf>, size: u64) -> Self {
        Self::watched(directory, size, Arc::new(Silent))
    }

    /// Like [`Cache::new`], but reports to `progress` when the cache cannot be used.
    pub(super) fn watched(directory: impl Into<PathBuf>, size: u64, progress: Arc<dyn Progress>) -> Self {
        Self {
            directory: directory.into(),
            size,
            state: Arc::new(State {
                held: Mutex::default(),
                suitable: OnceLock::new(),
                full: AtomicBool::new(false),
                has_warned: AtomicBool::new(false),
                progress,
            }),
        }
    }

    /// Returns the content with this digest if the cache contains it undamaged. The returned content stays readable
    /// even if another process removes the file.
    pub(super) fn get(&self, digest: &Digest) -> Option<Blob> {
        let path = self.path(digest);
        let file = self.open(&path)?;
        let mut hasher = Hasher::new();
        let mut buffer = vec![0; 64 << 10];
        let mut reader = &file;
        loop {
            let read = reader.read(&mut buffer);
            let read = read.map_err(|error| self.pass_over(&FileError::new("read", &path, error)));
            match buffer.get(..read.ok()?) {
                None | Some([]) => break,
                Some(bytes) => hasher.update(bytes),
            }
        }
        let length = hasher.length();
        if hasher.finish() != *digest {
            self.remove_damaged(&path);
            return None;
        }
        // Record the use; this fails on a read-only file system.
        let _ = file.set_modified(SystemTime::now());
        Some(Blob::of_file(file, length))
    }

    /// Opens a cache file if it exists. Anything other than a file or directory is treated as damage and removed.
    pub(super) fn open(&self, path: &Path) -> Option<File> {
        if !self.is_suitable() {
            return None;
        }
        let error = match files::open_regular(path) {
            Ok(file) => return Some(file),
            Err(error) => error,
        };
        match fs::symlink_metadata(path) {
            // A dangling link, a pipe, a socket, or a device.
            Ok(metadata) if !metadata.is_file() && !metadata.is_dir() => self.remove_damaged(path),
            _ if error.kind() == io::ErrorKind::NotFound => {}
            _ => self.pass_over(&FileError::new("read", path, error)),
        }
        None
    }

    /// Creates a file for content with this digest. [`Incoming::keep`] makes the file part of the cache. Returns `None`
    /// if the cache cannot be written.
    pub(super) fn start(&self, digest: &Digest) -> Option<Incoming> {
        self.start_in(&self.blobs(), self.path(digest))
    }

    /// Creates a file that will be named `target` in one of the cache folders.
    pub(super) fn start_in(&self, folder: &Path, target: PathBuf) -> Option<Incoming> {
        if self.state.full.load(Ordering::Relaxed) || !self.is_suitable() {
            return None;
        }
        let made = files::create_private_folders(folder)
            .map_err(|error| FileError::new("create the directory", folder, error))
            .and_then(|()| Incoming::within(self, folder, target));
        made.map_err(|error| self.pass_over_writing(&error)).ok()
    }

    /// Stores content that is in memory.
    #[cfg_attr(
        not(feature = "registry"),
        expect(dead_code, reason = "only used for content from registries")
    )]
    pub(super) fn keep(&self, digest: &Digest, content: &[u8]) {
        let path = self.path(digest);
        if fs::symlink_metadata(&path).is_ok() {
            return;
        }
        if let Some(mut incoming) = self.start(digest) {
            match incoming.fill(&mut &*content) {
                Ok(()) => drop(incoming.keep()),
                Err(error) => self.pass_over_writing(&FileError::new("write", path, error)),
            }
        }
    }

    /// Reports that the cache or a file in it cannot be used; only the first report is a warning.
    pub(super) fn pass_over(&self, error: &FileError) {
        self.tell(&format!("cannot use the cache: {}", with_causes(error)));
    }

    /// Like [`Cache::pass_over`], but also stops writing to the cache.
    pub(super) fn pass_over_writing(&self, error: &FileError) {
        self.state.full.store(true, Ordering::Relaxed);
        self.pass_over(error);
    }

    fn remove_damaged(&self, path: &Path) {
        self.tell(&format!("the cache is damaged; removing {}", path.display()));
        let _ = fs::remove_file(path);
    }

    fn tell(&self, message: &str) {
        if self.state.has_warned.swap(true, Ordering::Relaxed) {
            tracing::debug!("{message}");
        } else {
            tracing::warn!("{message}");
            self.state.progress.warned(message);
        }
    }

    /// Whether the directory may be used as a cache. An image layout is rejected: its blobs have the same names as
    /// cache files, so the cache would remove them when it exceeds its size limit.
    fn is_suitable(&self) -> bool {
        *self.state.suitable.get_or_init(|| {
            let is_layout = fs::symlink_metadata(self.directory.join(LAYOUT_FILE)).is_ok();
            if is_layout {
                self.tell(&format!(
                    "cannot use the cache: {} is an image layout",
                    self.directory.display()
                ));
            }
            !is_layout
        })
    }

    /// Increases the recorded cache size. The directory is scanned only the first time and when the cache is too large.
    fn grow(&self, length: u64) {
        let mut held = concurrent::lock(&self.state.held);
        *held = Some(match held.map(|bytes| bytes.saturating_add(length)) {
            Some(bytes) if bytes <= self.size => bytes,
            _ => self.trim(),
        });
    }

    /// Removes the least recently used files until the cache is within its size limit, and returns its new size in
    /// bytes. Also removes partial files of killed processes.
    fn trim(&self) -> u64 {
        for folder in [self.blobs(), self.layers()] {
            files::remove_leftovers(&folder, INCOMING);
        }
        let mut files = self.files();
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

    /// Returns all files of the cache, each with the time of its last use, its path, and its size in bytes. Removes
    /// layer name files whose blob is missing, so that they do not accumulate.
    fn files(&self) -> Vec<(SystemTime, PathBuf, u64)> {
        let is_blob = |name: &str| format!("sha256:{name}").parse::<Digest>().is_ok();
        let mut files = regular_files(&self.blobs(), is_blob);
        for (used, path, length) in regular_files(&self.layers(), layer_name::is_name) {
            let named = layer_name::named_by(&path);
            if named.is_some_and(|digest| self.path(&digest).exists()) {
                files.push((used, path, length));
            } else {
                let _ = fs::remove_file(&path);
            }
        }
        files
    }

    fn blobs(&self) -> PathBuf {
        self.directory.join("blobs").join("sha256")
    }

    /// Returns the folder of the layer name files, which map the digests of tar files to blobs.
    pub(super) fn layers(&self) -> PathBuf {
        self.directory.join("layers")
    }

    fn path(&self, digest: &Digest) -> PathBuf {
        self.blobs().join(digest.hex())
    }
}

/// Returns the modification time, path, and size in bytes of each regular file in a folder. Omits files whose names
/// `is_such` rejects.
fn regular_files(folder: &Path, is_such: impl Fn(&str) -> bool) -> Vec<(SystemTime, PathBuf, u64)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let of_such = entries.filter(|entry| entry.file_name().to_str().is_some_and(&is_such));
    let found = of_such.filter_map(|entry| {
        let metadata = entry.metadata().ok().filter(fs::Metadata::is_file)?;
        Some((metadata.modified().ok()?, entry.path(), metadata.len()))
    });
    found.collect()
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
    fn content_is_returned_until_it_is_damaged() {
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
    fn least_recently_used_content_is_evicted_first_and_open_files_stay_readable() {
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
    fn leftovers_of_a_killed_process_are_removed() {
        let directory = tempfile::tempdir().unwrap();
        let cache = Cache::new(directory.path(), 100);
        let mut writing = cache.start(&Digest::of(b"1")).unwrap();
        writing.write(b"half").unwrap();
        let (dead, mine) = (
            cache.blobs().join(".opmx-1-0123456789abcdef"),
            cache.blobs().join(".notes"),
        );
        fs::write(&dead, "half").unwrap();
        fs::write(&mine, "mine").unwrap();
        cache.keep(&Digest::of(b"2"), b"2");
        assert!(!dead.exists() && mine.exists());
        drop(writing.keep());
        assert!(cache.path(&Digest::of(b"1")).exists());
    }

    #[test]
    fn the_size_limit_holds_after_every_file_and_content_is_still_returned() {
        let directory = tempfile::tempdir().unwrap();
        let cache = Cache::new(directory.path(), 10);
        for number in 0..9_u8 {
            cache.clone().keep(&Digest::of(&[number; 4]), &[number; 4]);
            let held: u64 = cache.files().iter().map(|(_, _, length)| length).sum();
            assert_eq!(held, if number == 0 { 4 } else { 8 });
        }
        let mut large = cache.start(&Digest::of(&[9; 11])).unwrap();
        large.write(&[9; 11]).unwrap();
        assert_eq!(large.keep().metadata().unwrap().len(), 11);
        assert!(cache.files().is_empty());
    }

    #[test]
    fn names_count_and_are_evicted_with_their_blobs() {
        let directory = tempfile::tempdir().unwrap();
        let cache = Cache::new(directory.path(), 1000);
        let name = |number: u8| cache.layers().join(format!("{}.1", Digest::of(&[number]).hex()));
        let keep_name = |number: u8, blob: &Digest| {
            let mut incoming = cache.start_in(&cache.layers(), name(number)).unwrap();
            incoming.fill(&mut format!("{blob}\n").as_bytes()).unwrap();
            let file = incoming.keep();
            let ago = Duration::from_secs(1000 - u64::from(number));
            file.set_modified(SystemTime::now() - ago).unwrap();
        };
        let blob = Digest::of(b"blob");
        cache.keep(&blob, b"blob");
        for number in 0..200 {
            assert!(cache.get(&blob).is_some());
            keep_name(number, &blob);
            let held: u64 = cache.files().iter().map(|(_, _, length)| length).sum();
            assert!(held <= 1000, "{held}");
        }
        assert!(name(199).exists() && !name(0).exists());
        let mine = cache.layers().join("notes");
        fs::write(&mine, "mine").unwrap();
        fs::write(name(200), "damaged").unwrap();
        fs::remove_file(cache.path(&blob)).unwrap();
        cache.trim();
        let left: Vec<_> = fs::read_dir(cache.layers())
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        assert_eq!(left, [mine]);
    }

    #[test]
    fn content_evicted_by_another_process_while_written_is_still_read() {
        let directory = tempfile::tempdir().unwrap();
        let cache = Cache::new(directory.path(), 100);
        let mut incoming = cache.start(&Digest::of(b"content")).unwrap();
        incoming.write(b"content").unwrap();
        for entry in fs::read_dir(cache.blobs()).unwrap() {
            fs::remove_file(entry.unwrap().path()).unwrap();
        }
        assert_eq!(incoming.keep().metadata().unwrap().len(), 7);
        assert!(cache.get(&Digest::of(b"content")).is_none());
    }

    /// Collects the messages.
    #[derive(Default)]
    struct Listener(Mutex<Vec<String>>);

    impl Progress for Listener {
        fn started(&self, _: &str, _: Option<u64>) -> u64 {
            0
        }

        fn advanced(&self, _: u64, _: u64) {}

        fn finished(&self, _: u64) {}

        fn warned(&self, message: &str) {
            self.0.lock().unwrap().push(message.to_owned());
        }
    }

    fn watched(directory: &Path) -> (Cache, Arc<Listener>) {
        let listener = Arc::new(Listener::default());
        let progress: Arc<dyn Progress> = listener.clone();
        (Cache::watched(directory, 100, progress), listener)
    }

    #[test]
    fn an_unusable_cache_is_bypassed_with_one_warning() {
        use std::os::unix::fs::symlink;
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        fs::write(at("file"), "").unwrap();
        symlink("loop", at("loop")).unwrap();
        fs::create_dir(at("layout")).unwrap();
        fs::write(at("layout").join(LAYOUT_FILE), "").unwrap();
        for (name, expected) in [
            ("file", "file/blobs/sha256"),
            ("loop", "loop/blobs/sha256"),
            ("layout", "layout is an image layout"),
        ] {
            let (cache, listener) = watched(&at(name));
            for content in [b"1", b"2"] {
                cache.keep(&Digest::of(content), content);
                assert!(cache.get(&Digest::of(content)).is_none(), "{name}");
                assert!(cache.start(&Digest::of(content)).is_none(), "{name}");
            }
            let said = listener.0.lock().unwrap();
            assert_eq!(said.len(), 1, "{said:?}");
            assert!(said[0].contains(expected), "{said:?}");
        }
    }

    #[test]
    fn damaged_content_is_removed_with_one_warning_and_fetched_again() {
        use std::os::unix::fs::symlink;
        let directory = tempfile::tempdir().unwrap();
        let (cache, listener) = watched(directory.path());
        let contents = ["changed", "pipe", "loop", "nowhere"].map(str::as_bytes);
        let digests = contents.map(Digest::of);
        fs::create_dir_all(cache.blobs()).unwrap();
        let [changed, pipe, knot, nowhere] = digests.map(|digest| cache.path(&digest));
        fs::write(changed, "damaged").unwrap();
        let made = std::process::Command::new("mkfifo").arg(pipe).status().unwrap();
        assert!(made.success());
        symlink(&knot, &knot).unwrap();
        symlink("nowhere", nowhere).unwrap();
        for (found, digest) in contents.into_iter().zip(&digests) {
            assert!(cache.get(digest).is_none());
            cache.keep(digest, found);
            assert_eq!(content(&cache.get(digest).unwrap()), found);
        }
        let said = listener.0.lock().unwrap();
        assert_eq!(said.len(), 1, "{said:?}");
    }
}
