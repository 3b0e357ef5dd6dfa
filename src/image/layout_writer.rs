//! Writes OCI image layouts to disk.

use super::digest::{Hasher, Hashing};
use super::error::ImageError;
use super::image::{Blob, Image};
use super::layout::{INDEX_FILE, Layouts, blob_path, read_file};
use super::manifest::{Descriptor, INDEX, LAYOUT_INDEX_LIMIT, REF_NAME, check_digest, layout_index};
use super::problem::ContentProblem;
use super::tag_state::{Race, TagState};
use super::tagged_image::Tagged;
use crate::concurrent::Cancellation;
use crate::files::{self, FileError, Replacement, open_regular};
use crate::tree::LAYOUT_FILE;
use serde_json::{Map, Value, json};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;
use std::time::Duration;

/// The content of the file that marks a folder as an OCI layout.
pub(crate) const LAYOUT_CONTENT: &str = r#"{"imageLayoutVersion":"1.0.0"}"#;

const LOCK_WAIT: Duration = Duration::from_mins(1);

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
    replace_in_layout(&image.into(), directory, tag, None, &Cancellation::default())
}

/// Like [`write_layout`], but also supports images for several platforms. If `over` is `Some`, the tag must still be in
/// that state when it is replaced. Once cancelled, it writes no more blobs and does not set the tag.
///
/// # Errors
/// Returns an error in the same cases as [`write_layout`], or if the tag is no longer in the state `over`.
pub(super) fn replace_in_layout(
    tagged: &Tagged,
    directory: &Path,
    tag: Option<&str>,
    over: Option<TagState>,
    cancellation: &Cancellation,
) -> Result<(), ImageError> {
    refuse_other_content(directory)?;
    let blobs = directory.join("blobs").join("sha256");
    fs::create_dir_all(&blobs).map_err(|error| FileError::new("create the directory", &blobs, error))?;
    let origin = tagged.origin();
    for (descriptor, content, part) in blobs_of(tagged) {
        if cancellation.is_requested() {
            return Ok(());
        }
        let path = blob_path(directory, &descriptor.digest);
        write_blob(&origin, &path, &descriptor, &content, &part)?;
    }
    let _lock = lock(directory)?;
    if let Some(over) = over {
        let found = Layouts::default().state(directory, tag)?;
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
    if cancellation.is_requested() {
        return Ok(());
    }
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

/// Locks the layout for writing. The lock is on the marker file, the only file that never changes.
fn lock(directory: &Path) -> Result<File, ImageError> {
    let path = directory.join(LAYOUT_FILE);
    let fail = |error| FileError::new("write", &path, error);
    let mut file = files::open_or_create(&path).map_err(fail)?;
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
