//! Images as values: the stored bytes of the manifest and config, and the layers.

use super::digest::Digest;
use super::error::ImageError;
use super::json;
use super::manifest::{Descriptor, ImageManifest, Manifest};
use super::platform::Platform;
use super::problem::ContentProblem;
use crate::causes::with_causes;
use crate::files::{FileError, Stamp, open_regular};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::Arc;

/// An image for one platform.
///
/// The manifest is never rewritten, so copies of the image keep its digest.
#[derive(Debug, Clone)]
pub struct Image {
    origin: String,
    source_digest: Digest,
    digest: Digest,
    bytes: Arc<[u8]>,
    manifest: ImageManifest,
    config: Arc<[u8]>,
    config_value: Value,
    layers: Vec<Layer>,
}

/// A layer: a tar file, usually compressed with gzip.
#[derive(Debug, Clone)]
pub struct Layer {
    /// Media type, digest and size of the stored bytes.
    pub descriptor: Descriptor,
    /// The digest of the uncompressed tar file, if it is listed in the config.
    pub diff_id: Option<Digest>,
    /// The stored bytes.
    pub content: Blob,
}

/// The bytes of a layer. Large layers stay on disk.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Blob {
    /// Bytes in memory.
    Memory(Arc<[u8]>),
    /// A whole file.
    File(PathBuf),
    /// A part of an open file: an archive, a cached file, or a temporary file that no longer has a name.
    Section {
        /// The open file.
        file: Arc<File>,
        /// The start offset of the part.
        start: u64,
        /// The length of the part in bytes.
        length: u64,
    },
    /// A part of a file that is opened only while the part is read.
    Part {
        /// The file.
        file: Arc<CheckedFile>,
        /// The start offset of the part.
        start: u64,
        /// The length of the part in bytes.
        length: u64,
    },
    /// A concatenation of several blobs.
    Joined(Arc<[Blob]>),
}

/// A file whose content was verified. It is opened again only if it has not changed since.
#[derive(Debug)]
pub struct CheckedFile {
    path: PathBuf,
    stamp: Stamp,
}

impl CheckedFile {
    /// Creates a handle to the file at `path`. `stamp` is its state before its content was read.
    pub(super) fn new(path: PathBuf, stamp: Stamp) -> Self {
        Self { path, stamp }
    }

    fn open(&self) -> Result<File, FileError> {
        let open = || {
            let file = open_regular(&self.path)?;
            if Stamp::from(&file.metadata()?) != self.stamp {
                return Err(io::Error::other("the file was changed after it was verified"));
            }
            Ok(file)
        };
        open().map_err(|error| FileError::new("read", &self.path, error))
    }
}

impl Image {
    /// Assembles an image from its parts. `origin` names it in messages.
    ///
    /// # Errors
    /// Returns an error if the manifest or config cannot be parsed, or the config does not match its descriptor in the
    /// manifest.
    pub fn new(
        origin: impl Into<String>,
        media_type: Option<&str>,
        manifest: impl Into<Arc<[u8]>>,
        config: impl Into<Arc<[u8]>>,
        blobs: Vec<Blob>,
    ) -> Result<Self, ImageError> {
        let (origin, bytes, config) = (origin.into(), manifest.into(), config.into());
        let manifest = match Manifest::parse(&bytes, media_type) {
            Ok(Manifest::Image(manifest)) => manifest,
            Ok(Manifest::Index(_)) => return Err(ContentProblem::EmptyIndex.of(origin, "the manifest")),
            Err(problem) => return Err(problem.of(origin, "the manifest")),
        };
        let fail = |problem: ContentProblem| problem.of(&origin, "the config");
        manifest.config.check(&config).map_err(fail)?;
        let config_value = json::config(&config).map_err(|error| fail(error.into()))?;
        let diff_ids = diff_ids(&config_value).map_err(fail)?;
        let layers = manifest.layers.iter().zip(blobs).enumerate();
        let layers: Vec<_> = layers
            .map(|(index, (descriptor, content))| Layer {
                descriptor: descriptor.clone(),
                diff_id: diff_ids.get(index).copied(),
                content,
            })
            .collect();
        if layers.len() != manifest.layers.len() {
            let found = layers.len();
            return Err(ContentProblem::DiffIds {
                expected: manifest.layers.len(),
                found,
            }
            .of(origin, "the image"));
        }
        let digest = Digest::of(&bytes);
        Ok(Self {
            origin,
            source_digest: digest,
            digest,
            bytes,
            manifest,
            config,
            config_value,
            layers,
        })
    }

    /// Sets the digest of the index from which this image was chosen.
    #[must_use]
    pub(super) fn chosen_from(mut self, index: Digest) -> Self {
        self.source_digest = index;
        self
    }

    /// Returns the reference from which the image was read, or another name for use in messages.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// Returns the digest of the manifest.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// Returns the digest that the reference resolved to: the digest of the index if the image was chosen from an
    /// index, otherwise the digest of the manifest.
    pub fn source_digest(&self) -> Digest {
        self.source_digest
    }

    /// Returns the media type of the manifest.
    pub fn media_type(&self) -> &str {
        &self.manifest.media_type
    }

    /// Returns the unchanged bytes of the manifest.
    pub fn manifest(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the unchanged bytes of the config.
    pub fn config(&self) -> &[u8] {
        &self.config
    }

    /// Returns the config as JSON.
    pub fn config_value(&self) -> &Value {
        &self.config_value
    }

    /// Returns the descriptor of the config.
    pub fn config_descriptor(&self) -> &Descriptor {
        &self.manifest.config
    }

    /// Returns the layers, lowest first.
    pub fn layers(&self) -> &[Layer] {
        &self.layers
    }

    /// Returns the annotations of the manifest.
    pub fn annotations(&self) -> &BTreeMap<String, String> {
        &self.manifest.annotations
    }

    /// Returns the labels of the config.
    pub fn labels(&self) -> BTreeMap<String, String> {
        let labels = self.config_value.pointer("/config/Labels").and_then(Value::as_object);
        let labels = labels.into_iter().flatten();
        labels
            .filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned())))
            .collect()
    }

    /// Returns one label of the config.
    pub fn label(&self, key: &str) -> Option<&str> {
        self.config_value.pointer("/config/Labels")?.get(key)?.as_str()
    }

    /// Returns whether the config specifies a program to start.
    pub fn starts_a_program(&self) -> bool {
        starts_a_program(&self.config_value)
    }

    /// Returns the platform specified in the config.
    pub fn platform(&self) -> Option<Platform> {
        Platform::of_config(&self.config_value)
    }
}

/// Returns the platform of the program that an image with this config starts. Returns `None` if it starts none, because
/// images without a program are the same for every platform, or if the platform is unknown.
pub(super) fn program_platform(config: &Value) -> Option<Platform> {
    let platform = Platform::of_config(config).filter(Platform::is_real);
    platform.filter(|_| starts_a_program(config))
}

fn starts_a_program(config: &Value) -> bool {
    let is_set = |key: &str| {
        let command = config.pointer(key).and_then(Value::as_array);
        command.is_some_and(|command| !command.is_empty())
    };
    is_set("/config/Entrypoint") || is_set("/config/Cmd")
}

pub(super) fn diff_ids(config: &Value) -> Result<Vec<Digest>, ContentProblem> {
    let diff_ids = config.pointer("/rootfs/diff_ids").and_then(Value::as_array);
    let texts = diff_ids
        .into_iter()
        .flatten()
        .map(|digest| digest.as_str().unwrap_or_default());
    Ok(texts.map(str::parse).collect::<Result<_, _>>()?)
}

impl Blob {
    /// Creates a blob from a whole open file.
    pub(super) fn of_file(file: File, length: u64) -> Self {
        Self::Section {
            file: Arc::new(file),
            start: 0,
            length,
        }
    }

    /// Opens the stored bytes for reading from the start.
    ///
    /// # Errors
    /// Returns an error if the file no longer exists or cannot be opened.
    pub fn open(&self) -> Result<Box<dyn Read + Send>, FileError> {
        Ok(match self {
            Self::Memory(bytes) => Box::new(io::Cursor::new(Arc::clone(bytes))),
            Self::File(path) => Box::new(open_regular(path).map_err(|error| FileError::new("read", path, error))?),
            Self::Section { file, start, length } => Box::new(Section {
                file: Arc::clone(file),
                position: *start,
                left: *length,
            }),
            Self::Part { file, start, length } => Box::new(Section {
                file: Arc::new(file.open()?),
                position: *start,
                left: *length,
            }),
            Self::Joined(parts) => Box::new(Joined {
                parts: Arc::clone(parts),
                opened: 0,
                reader: Box::new(io::empty()),
            }),
        })
    }
}

/// Reads blobs one after another, and opens each blob only when it is reached.
struct Joined {
    parts: Arc<[Blob]>,
    /// The number of blobs that have been opened.
    opened: usize,
    reader: Box<dyn Read + Send>,
}

impl Read for Joined {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.reader.read(buffer)?;
            if read > 0 || buffer.is_empty() {
                return Ok(read);
            }
            let Some(part) = self.parts.get(self.opened) else {
                return Ok(0);
            };
            // Close the previous blob first.
            self.reader = Box::new(io::empty());
            let opened = part.open();
            self.reader = opened.map_err(|error| io::Error::new(error.source.kind(), with_causes(&error)))?;
            self.opened += 1;
        }
    }
}

/// Reads a part of a shared file without moving the file's own position.
struct Section {
    file: Arc<File>,
    position: u64,
    left: u64,
}

impl Read for Section {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let wanted = usize::try_from(self.left).unwrap_or(usize::MAX).min(buffer.len());
        let Some(buffer) = buffer.get_mut(..wanted) else {
            return Ok(0);
        };
        let read = read_at(&self.file, buffer, self.position)?;
        self.position += read as u64;
        self.left -= read as u64;
        Ok(read)
    }
}

#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], position: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, position)
}

#[cfg(windows)]
fn read_at(file: &File, buffer: &mut [u8], position: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, position)
}
