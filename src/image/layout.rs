//! OCI image layouts on disk: `oci-layout`, `index.json` and `blobs/sha256/…`.

use super::digest::{Digest, Hasher, Hashing};
use super::document::Document;
use super::error::ImageError;
use super::image::{Blob, Image};
use super::layer_writer::MEMORY_LIMIT;
use super::manifest::{
    self, CONFIG_LIMIT, Descriptor, INDEX, IndexEntry, LAYOUT_INDEX_LIMIT, MANIFEST_LIMIT, Manifest, REF_NAME,
    check_digest, layout_index,
};
use super::platform::Offer;
use super::platform::Platform;
use super::problem::ContentProblem;
use super::tag_state::{Race, TagState};
use super::tagged_image::Tagged;
use crate::files::{self, FileError, Replacement, open_regular, require_regular};
use crate::tree::LAYOUT_FILE;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

pub(super) const INDEX_FILE: &str = "index.json";
/// The content of the file that marks a folder as an OCI layout.
pub(super) const LAYOUT_CONTENT: &str = r#"{"imageLayoutVersion":"1.0.0"}"#;

const LOCK_WAIT: Duration = Duration::from_mins(1);

/// Reads the image with this tag or digest from a layout directory, or the only image if `tag` is `None`.
///
/// `platform` selects an image if the tag refers to images for several platforms. Large layers stay on disk.
///
/// # Errors
/// Returns an error if the directory is not a layout, the image does not exist, or its manifest or config is damaged.
pub fn read_layout(directory: &Path, tag: Option<&str>, platform: &Platform) -> Result<Image, ImageError> {
    let source = open_layout(directory, tag)?;
    source.read(tag, platform)
}

/// Returns the digest that a tag in a layout currently refers to.
///
/// # Errors
/// Returns an error if the directory is not a layout, or the image does not exist.
pub(super) fn resolve_layout(directory: &Path, tag: Option<&str>) -> Result<Digest, ImageError> {
    Ok(open_layout(directory, tag)?.find(tag)?.digest)
}

/// Returns the manifest or image index that a tag or digest in a layout refers to.
///
/// # Errors
/// Returns an error if the directory is not a layout, or the manifest does not exist or is damaged.
pub(super) fn document_in_layout(directory: &Path, tag: Option<&str>) -> Result<Document, ImageError> {
    open_layout(directory, tag)?.stored(tag)
}

/// Returns the state of the tag that [`write_layout`] would replace, or of the untagged image if `tag` is `None`.
///
/// # Errors
/// Returns an error if the index of the layout cannot be read.
pub(super) fn state_in_layout(directory: &Path, tag: Option<&str>) -> Result<TagState, ImageError> {
    let found = open_layout(directory, tag).and_then(|source| {
        let entries = source.entries()?;
        Ok(entries.into_iter().find(|entry| entry.tag() == tag))
    });
    tag_state(found.map(|entry| entry.map(|entry| entry.descriptor.digest)))
}

/// Returns the images that a tag in a layout refers to, each with its platform.
///
/// # Errors
/// Returns an error if the directory is not a layout, the image does not exist, or its manifest is damaged.
pub(super) fn offers_in_layout(directory: &Path, tag: Option<&str>) -> Result<Vec<Offer>, ImageError> {
    open_layout(directory, tag)?.offers(tag)
}

fn open_layout<'a>(directory: &'a Path, tag: Option<&str>) -> Result<LayoutSource<'a>, ImageError> {
    let origin = super::Reference::Layout {
        directory: directory.to_owned(),
        tag: tag.map(str::to_owned),
    };
    let origin = origin.to_string();
    let index = match read_file(&directory.join(INDEX_FILE), &origin, LAYOUT_INDEX_LIMIT) {
        Err(ImageError::File(error)) if error.source.kind() == io::ErrorKind::NotFound => {
            return Err(ImageError::NotFound {
                image: origin,
                what: format!("an OCI image layout ({INDEX_FILE} in {})", directory.display()),
                available: Vec::new(),
            });
        }
        index => index?,
    };
    let image = origin.clone();
    Ok(LayoutSource {
        origin,
        index,
        blob: Box::new(move |descriptor| {
            let path = blob_path(directory, &descriptor.digest);
            let found = require_regular(&path)
                .map_err(|error| FileError::new("read", &path, error))?
                .len();
            let expected = descriptor.size;
            if found != expected {
                let problem = ContentProblem::WrongSize { expected, found };
                return Err(problem.of(&image, format!("the blob {}", descriptor.digest)));
            }
            Ok(Blob::File(path))
        }),
    })
}

/// A function that finds a blob and checks that its length matches the descriptor.
type FindBlob<'a> = Box<dyn Fn(&Descriptor) -> Result<Blob, ImageError> + 'a>;

/// An image layout in a directory or an archive.
pub(super) struct LayoutSource<'a> {
    pub(super) origin: String,
    pub(super) index: Vec<u8>,
    pub(super) blob: FindBlob<'a>,
}

impl LayoutSource<'_> {
    /// Returns the index entry with this tag or digest, or the only entry if `tag` is `None`.
    pub(super) fn find(&self, tag: Option<&str>) -> Result<Descriptor, ImageError> {
        let entries = self.entries()?;
        if let Some(digest) = tag.and_then(|tag| tag.parse::<Digest>().ok()) {
            return self.find_digest(&entries, &digest);
        }
        let matching: Vec<_> = match tag {
            Some(tag) => entries.iter().filter(|entry| entry.tag() == Some(tag)).collect(),
            None if entries.len() == 1 => entries.iter().collect(),
            None => entries.iter().filter(|entry| entry.tag().is_none()).collect(),
        };
        let names = || entries.iter().map(IndexEntry::name).collect();
        match (matching.as_slice(), tag) {
            ([entry], _) => Ok(entry.descriptor.clone()),
            ([], Some(tag)) => Err(ImageError::NotFound {
                image: self.origin.clone(),
                what: format!("the tag {tag}"),
                available: names(),
            }),
            ([], None) if entries.is_empty() => Err(ImageError::NotFound {
                image: self.origin.clone(),
                what: "an image".to_owned(),
                available: Vec::new(),
            }),
            _ => Err(ImageError::Ambiguous {
                image: self.origin.clone(),
                tags: names(),
            }),
        }
    }

    /// Returns the digest of the index entry with this tag (the untagged entry if `tag` is `None`) or, if there is
    /// none, of the first entry.
    pub(super) fn first(&self, tag: Option<&str>) -> Result<Option<Digest>, ImageError> {
        let entries = self.entries()?;
        let found = entries.iter().find(|entry| entry.tag() == tag);
        Ok(found.or(entries.first()).map(|entry| entry.descriptor.digest))
    }

    /// Finds the index entry with this digest, or the image with this digest in an image index of the layout.
    fn find_digest(&self, entries: &[IndexEntry], digest: &Digest) -> Result<Descriptor, ImageError> {
        if let Some(entry) = entries.iter().find(|entry| entry.descriptor.digest == *digest) {
            return Ok(entry.descriptor.clone());
        }
        // Many tags may refer to the same image index, which is read only once.
        let mut read = BTreeSet::new();
        let new = entries.iter().filter(|entry| read.insert(entry.descriptor.digest));
        for entry in new {
            if let Ok(bytes) = self.document(&entry.descriptor)
                && let Ok(Manifest::Index(inner)) = Manifest::parse(&bytes, Some(&entry.descriptor.media_type))
                && let Some(entry) = inner.iter().find(|entry| entry.descriptor.digest == *digest)
            {
                return Ok(entry.descriptor.clone());
            }
        }
        Err(ImageError::NotFound {
            image: self.origin.clone(),
            what: format!("the image {digest}"),
            available: entries.iter().map(IndexEntry::name).collect(),
        })
    }

    pub(super) fn read(&self, tag: Option<&str>, platform: &Platform) -> Result<Image, ImageError> {
        let found = self.find(tag)?;
        let mut descriptor = found.clone();
        let mut bytes = self.document(&descriptor)?;
        let part = |descriptor: &Descriptor| format!("the manifest {}", descriptor.digest);
        let mut manifest = self.parse(&bytes, &descriptor)?;
        if let Manifest::Index(entries) = &manifest {
            let chosen = manifest::choose(entries, platform);
            let chosen = chosen.ok_or_else(|| ContentProblem::EmptyIndex.of(&self.origin, part(&descriptor)))?;
            descriptor = chosen.descriptor.clone();
            bytes = self.document(&descriptor)?;
            manifest = self.parse(&bytes, &descriptor)?;
        }
        let Manifest::Image(manifest) = manifest else {
            return Err(ContentProblem::EmptyIndex.of(&self.origin, part(&found)));
        };
        let config = self.load(&manifest.config, CONFIG_LIMIT, "the config")?;
        let layers = manifest.layers.iter().map(|layer| self.layer(layer));
        let layers = layers.collect::<Result<_, _>>()?;
        let image = Image::new(&self.origin, Some(&descriptor.media_type), bytes, config, layers)?;
        Ok(image.chosen_from(found.digest))
    }

    /// Returns the manifest or image index that a tag or digest refers to.
    pub(super) fn stored(&self, tag: Option<&str>) -> Result<Document, ImageError> {
        let found = self.find(tag)?;
        let document = Document::read(self.document(&found)?, Some(&found.media_type));
        document.map_err(|problem| problem.of(&self.origin, format!("the manifest {}", found.digest)))
    }

    /// Returns the images that a tag refers to, each with its platform.
    pub(super) fn offers(&self, tag: Option<&str>) -> Result<Vec<Offer>, ImageError> {
        let found = self.find(tag)?;
        match self.parse(&self.document(&found)?, &found)? {
            Manifest::Index(entries) => Ok(manifest::offers(entries)),
            Manifest::Image(_) => {
                let image = self.read(tag, &Platform::default())?;
                Ok(Offer::of_image(&image).into_iter().collect())
            }
        }
    }

    fn layer(&self, descriptor: &Descriptor) -> Result<Blob, ImageError> {
        if descriptor.size > MEMORY_LIMIT as u64 {
            return (self.blob)(descriptor);
        }
        let part = format!("layer {}", descriptor.digest);
        Ok(Blob::Memory(self.load(descriptor, MEMORY_LIMIT as u64, &part)?.into()))
    }

    fn document(&self, descriptor: &Descriptor) -> Result<Vec<u8>, ImageError> {
        self.load(
            descriptor,
            MANIFEST_LIMIT,
            &format!("the manifest {}", descriptor.digest),
        )
    }

    fn parse(&self, bytes: &[u8], descriptor: &Descriptor) -> Result<Manifest, ImageError> {
        let manifest = Manifest::parse(bytes, Some(&descriptor.media_type));
        manifest.map_err(|problem| problem.of(&self.origin, format!("the manifest {}", descriptor.digest)))
    }

    /// Returns the entries of `index.json`.
    fn entries(&self) -> Result<Vec<IndexEntry>, ImageError> {
        layout_index(&self.index).map_err(|problem| problem.of(&self.origin, INDEX_FILE))
    }

    fn load(&self, descriptor: &Descriptor, limit: u64, part: &str) -> Result<Vec<u8>, ImageError> {
        if descriptor.size > limit {
            let problem = ContentProblem::TooLarge { limit, raised_by: None };
            return Err(problem.of(&self.origin, part));
        }
        let mut bytes = Vec::new();
        let reader = (self.blob)(descriptor)?.open()?;
        let read = reader.take(descriptor.size + 1).read_to_end(&mut bytes);
        read.map_err(|error| ContentProblem::Damaged(error).of(&self.origin, part))?;
        descriptor
            .check(&bytes)
            .map_err(|problem| problem.of(&self.origin, part))?;
        Ok(bytes)
    }
}

impl IndexEntry {
    fn name(&self) -> String {
        self.tag()
            .map_or_else(|| self.descriptor.digest.to_string(), str::to_owned)
    }
}

/// Writes an image to a layout directory, which is created if absent.
///
/// The blobs are written first and `index.json` last, so that readers see either the old image or the complete new
/// image. The old image of the tag is replaced, but its blobs are kept. Other tags are kept, even if several processes
/// write at the same time. Without a tag, the untagged image of the layout is replaced. A Docker manifest is not
/// converted, so that its digest stays the same.
///
/// # Errors
/// Returns an error if a file cannot be written, a layer does not match its descriptor, or the layout stays locked by
/// another process.
pub fn write_layout(image: &Image, directory: &Path, tag: Option<&str>) -> Result<(), ImageError> {
    replace_in_layout(&image.into(), directory, tag, None)
}

/// Like [`write_layout`], but also supports images for several platforms. If `over` is `Some`, the tag must still be in
/// that state when it is replaced.
///
/// # Errors
/// Returns an error in the same cases as [`write_layout`], or if the tag is no longer in the state `over`.
pub(super) fn replace_in_layout(
    tagged: &Tagged,
    directory: &Path,
    tag: Option<&str>,
    over: Option<TagState>,
) -> Result<(), ImageError> {
    refuse_other_content(directory)?;
    let blobs = directory.join("blobs").join("sha256");
    fs::create_dir_all(&blobs).map_err(|error| FileError::new("create the directory", &blobs, error))?;
    let origin = tagged.origin();
    for (descriptor, content, part) in blobs_of(tagged) {
        let path = blob_path(directory, &descriptor.digest);
        write_blob(&origin, &path, &descriptor, &content, &part)?;
    }
    let _lock = lock(directory)?;
    if let Some(over) = over {
        let found = state_in_layout(directory, tag)?;
        if found != over {
            let (directory, tag) = (directory.to_owned(), tag.map(str::to_owned));
            let image = super::Reference::Layout { directory, tag }.to_string();
            let race = Race::Before { found };
            return Err(ImageError::Moved { image, race });
        }
    }
    let path = directory.join(INDEX_FILE);
    // Fail if an existing index cannot be read, because replacing it would lose the images that it lists.
    let old = match fs::symlink_metadata(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        _ => Some(read_file(&path, &directory.display().to_string(), LAYOUT_INDEX_LIMIT)?),
    };
    let index = with_entry(old.as_deref(), &tagged.document().descriptor, tag);
    let index = index.map_err(|problem| problem.of(directory.display().to_string(), INDEX_FILE))?;
    Ok(files::write(&path, &index)?)
}

/// Returns an error if a folder has content but is not a layout: an image among the files of a bundle or catalog would
/// make the bundle or catalog unreadable. Blobs alone are accepted, because a killed command may have left them.
fn refuse_other_content(directory: &Path) -> Result<(), ImageError> {
    let is_there = |name: &str| directory.join(name).is_file();
    if is_there(LAYOUT_FILE) || is_there(INDEX_FILE) {
        return Ok(());
    }
    let Ok(mut entries) = fs::read_dir(directory) else {
        return Ok(());
    };
    let is_other = |entry: io::Result<fs::DirEntry>| entry.is_ok_and(|entry| entry.file_name() != "blobs");
    if entries.any(is_other) {
        let source = io::Error::other("the folder contains files, but no OCI image layout");
        return Err(FileError::new("write an image to", directory, source).into());
    }
    Ok(())
}

/// Returns all blobs in a safe order for writing: the manifest that the tag will refer to comes last.
pub(super) fn blobs_of(tagged: &Tagged) -> Vec<(Descriptor, Blob, String)> {
    let mut blobs = Vec::new();
    for image in tagged.images() {
        for layer in image.layers() {
            let part = format!("layer {}", layer.descriptor.digest);
            blobs.push((layer.descriptor.clone(), layer.content.clone(), part));
        }
        let config = Blob::Memory(image.config().into());
        blobs.push((image.config_descriptor().clone(), config, "the config".to_owned()));
    }
    for document in tagged.behind().chain([tagged.document().clone()]) {
        let content = Blob::Memory(document.bytes);
        blobs.push((document.descriptor, content, "the manifest".to_owned()));
    }
    blobs
}

/// Returns the content of `index.json` after `descriptor` has replaced the entry that has the tag. Without old content,
/// returns a new index. An index that could not be read again is an error.
pub(super) fn with_entry(
    old: Option<&[u8]>,
    descriptor: &Descriptor,
    tag: Option<&str>,
) -> Result<Vec<u8>, ContentProblem> {
    let mut index = match old {
        None => json!({"schemaVersion": 2, "mediaType": INDEX, "manifests": []}),
        Some(old) => serde_json::from_slice(old)?,
    };
    let mut entry = Map::new();
    entry.insert("mediaType".to_owned(), descriptor.media_type.clone().into());
    entry.insert("digest".to_owned(), descriptor.digest.to_string().into());
    entry.insert("size".to_owned(), descriptor.size.into());
    if let Some(tag) = tag {
        entry.insert("annotations".to_owned(), json!({ REF_NAME: tag }));
    }
    let entry = Value::Object(entry);
    let not_an_index = || ContentProblem::MediaType {
        media_type: String::new(),
    };
    let manifests = index
        .as_object_mut()
        .ok_or_else(not_an_index)?
        .entry("manifests")
        .or_insert(json!([]));
    if manifests.is_null() {
        *manifests = json!([]);
    }
    let manifests = manifests.as_array_mut().ok_or_else(not_an_index)?;
    let tag_of = |entry: &Value| Some(entry.get("annotations")?.get(REF_NAME)?.as_str()?.to_owned());
    let same = |old: &Value| tag_of(old).as_deref() == tag;
    match manifests.iter().position(same) {
        Some(position) => {
            let mut kept = 0..;
            manifests.retain(|old| kept.next() == Some(position) || !same(old));
            if let Some(old) = manifests.iter_mut().find(|old| same(old)) {
                *old = entry;
            }
        }
        None => manifests.push(entry),
    }
    let index = index.to_string().into_bytes();
    layout_index(&index)?;
    Ok(index)
}

fn write_blob(
    origin: &str,
    target: &Path,
    descriptor: &Descriptor,
    content: &Blob,
    part: &str,
) -> Result<(), ImageError> {
    if holds(target, descriptor) {
        return Ok(());
    }
    let mut replacement = Replacement::new(target)?;
    copy_blob(origin, descriptor, content, part, |bytes| {
        let written = replacement.file().write_all(bytes);
        written.map_err(|error| FileError::new("write", target, error).into())
    })?;
    Ok(replacement.commit()?)
}

/// Whether a file contains a blob. A damaged file is replaced.
fn holds(file: &Path, descriptor: &Descriptor) -> bool {
    let Ok(file) = open_regular(file) else {
        return false;
    };
    let mut content = Hashing::new(file.take(descriptor.size.saturating_add(1)));
    let read = io::copy(&mut content, &mut io::sink());
    let (_, hasher) = content.into_parts();
    read.is_ok() && hasher.length() == descriptor.size && hasher.finish() == descriptor.digest
}

/// Streams a blob. At its end, returns an error if the blob does not match the descriptor.
pub(super) fn copy_blob(
    origin: &str,
    descriptor: &Descriptor,
    content: &Blob,
    part: &str,
    mut write: impl FnMut(&[u8]) -> Result<(), ImageError>,
) -> Result<(), ImageError> {
    let mut reader = content.open()?.take(descriptor.size.saturating_add(1));
    let mut hasher = Hasher::new();
    let mut buffer = vec![0; 64 << 10];
    loop {
        let read = reader.read(&mut buffer);
        let read = read.map_err(|error| ContentProblem::Damaged(error).of(origin, part))?;
        let Some(bytes) = buffer.get(..read).filter(|bytes| !bytes.is_empty()) else {
            break;
        };
        hasher.update(bytes);
        write(bytes)?;
    }
    let (expected, found) = (descriptor.size, hasher.length());
    if expected != found {
        return Err(ContentProblem::WrongSize { expected, found }.of(origin, part));
    }
    check_digest(&descriptor.digest, hasher.finish()).map_err(|problem| problem.of(origin, part))
}

fn blob_path(directory: &Path, digest: &Digest) -> PathBuf {
    directory.join("blobs").join("sha256").join(digest.hex())
}

fn read_file(path: &Path, origin: &str, limit: u64) -> Result<Vec<u8>, ImageError> {
    let fail = |error| FileError::new("read", path, error);
    let mut bytes = Vec::new();
    let file = open_regular(path).map_err(fail)?;
    file.take(limit.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(fail)?;
    if bytes.len() as u64 > limit {
        let problem = ContentProblem::TooLarge { limit, raised_by: None };
        return Err(problem.of(origin, path.display().to_string()));
    }
    Ok(bytes)
}

/// Locks the layout for writing. The lock is on the marker file, the only file that never changes.
fn lock(directory: &Path) -> Result<File, ImageError> {
    let path = directory.join(LAYOUT_FILE);
    let fail = |error| FileError::new("write", &path, error);
    match require_regular(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(fail(error).into()),
        _ => {}
    }
    let open = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(&path);
    let mut file = open.map_err(fail)?;
    wait_for(&file, directory)?;
    // This also repairs a layout whose first writer was killed after creating this file but before writing its content.
    if file.metadata().map_err(fail)?.len() == 0 {
        file.write_all(LAYOUT_CONTENT.as_bytes()).map_err(fail)?;
        file.sync_all().map_err(fail)?;
    }
    Ok(file)
}

/// Waits for the lock on `file`, a file or folder that protects `place`.
pub(super) fn wait_for(file: &File, place: &Path) -> Result<(), ImageError> {
    if files::lock_within(file, LOCK_WAIT) {
        return Ok(());
    }
    Err(ImageError::Busy {
        place: place.display().to_string(),
        seconds: LOCK_WAIT.as_secs(),
    })
}

#[cfg(test)]
pub(in crate::image) mod tests;

/// Converts the result of a lookup to the state of a tag; "not found" is also a state.
///
/// # Errors
/// Returns the error of the lookup, unless the image was not found.
pub(super) fn tag_state(found: Result<Option<Digest>, ImageError>) -> Result<TagState, ImageError> {
    match found {
        Ok(found) => Ok(found.map_or(TagState::Absent, TagState::Image)),
        Err(ImageError::NotFound { .. }) => Ok(TagState::Absent),
        Err(error) => Err(error),
    }
}
