//! Reads OCI image layouts on disk: `oci-layout`, `index.json` and `blobs/sha256/…`.

use super::digest::Digest;
use super::document::Document;
use super::error::ImageError;
use super::image::{Blob, Image};
use super::manifest::{
    self, CONFIG_LIMIT, Descriptor, IndexEntry, LAYOUT_INDEX_LIMIT, MANIFEST_LIMIT, Manifest, layout_index,
};
use super::memory::{MEMORY_LIMIT, distinct};
use super::platform::{Offer, Platform};
use super::problem::ContentProblem;
use super::reference::fallback_tag;
use super::tag_state::TagState;
use crate::concurrent::lock;
use crate::files::{FileError, open_regular, require_regular};
use std::collections::{BTreeSet, HashMap};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

pub(crate) const INDEX_FILE: &str = "index.json";

/// Reads the image with this tag or digest from a layout directory, or the only image if `tag` is `None`.
///
/// `platform` selects an image if the tag refers to images for several platforms. Large layers stay on disk, as do the
/// other layers if they are large together.
///
/// # Errors
/// Returns an error if the directory is not a layout, the image does not exist, or its manifest or config is damaged.
pub fn read_layout(directory: &Path, tag: Option<&str>, platform: &Platform) -> Result<Image, ImageError> {
    Layouts::default().open(directory, tag)?.read(tag, platform)
}

/// Reads layouts. An index that has not changed since the last call is not parsed again, because commands read
/// thousands of images from one layout.
#[derive(Default)]
pub(super) struct Layouts {
    /// The content of the last index, and its entries.
    last: Mutex<Option<(Vec<u8>, Entries)>>,
}

type Entries = Arc<[IndexEntry]>;

impl Layouts {
    /// Returns the state of a tag in a layout, or of the untagged image if `tag` is `None`.
    ///
    /// # Errors
    /// Returns an error if the index of the layout cannot be read.
    pub(super) fn state(&self, directory: &Path, tag: Option<&str>) -> Result<TagState, ImageError> {
        let found = self.open(directory, tag).map(|source| {
            let found = source.entries.iter().find(|entry| entry.tag() == tag);
            found.map(|entry| entry.descriptor.digest)
        });
        tag_state(found)
    }

    pub(super) fn open<'a>(&self, directory: &'a Path, tag: Option<&str>) -> Result<LayoutSource<'a>, ImageError> {
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
        let entries = self.entries(index).map_err(|problem| problem.of(&origin, INDEX_FILE))?;
        let image = origin.clone();
        Ok(LayoutSource {
            origin,
            entries,
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

    /// Returns the entries of an index with this content.
    fn entries(&self, index: Vec<u8>) -> Result<Entries, ContentProblem> {
        let mut last = lock(&self.last);
        if let Some((read, entries)) = &*last
            && *read == index
        {
            return Ok(Arc::clone(entries));
        }
        let entries = Entries::from(layout_index(&index)?);
        *last = Some((index, Arc::clone(&entries)));
        Ok(entries)
    }
}

/// A function that finds a blob and checks that its length matches the descriptor.
type FindBlob<'a> = Box<dyn Fn(&Descriptor) -> Result<Blob, ImageError> + 'a>;

/// An image layout in a directory or an archive.
pub(super) struct LayoutSource<'a> {
    pub(super) origin: String,
    pub(super) entries: Arc<[IndexEntry]>,
    pub(super) blob: FindBlob<'a>,
}

impl LayoutSource<'_> {
    /// Returns the index entry with this tag or digest, or the only entry if `tag` is `None`.
    pub(super) fn find(&self, tag: Option<&str>) -> Result<Descriptor, ImageError> {
        let entries = &self.entries;
        if let Some(digest) = tag.and_then(|tag| tag.parse::<Digest>().ok()) {
            return self.find_digest(&digest);
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
    pub(super) fn first(&self, tag: Option<&str>) -> Option<Digest> {
        let found = self.entries.iter().find(|entry| entry.tag() == tag);
        found.or(self.entries.first()).map(|entry| entry.descriptor.digest)
    }

    /// Finds the index entry with this digest, or the image with this digest in an image index of the layout.
    fn find_digest(&self, digest: &Digest) -> Result<Descriptor, ImageError> {
        let entries = &self.entries;
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
        let layers = self.layers(&manifest.layers)?;
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

    /// Returns the number of referrers of these manifests: entries that have the tag of a signature or another referrer
    /// or, without a tag, one of the manifests as their subject.
    pub(super) fn count_referrers(&self, of: &BTreeSet<Digest>) -> usize {
        let tags: BTreeSet<String> = of.iter().map(fallback_tag).collect();
        let others = self
            .entries
            .iter()
            .filter(|entry| !of.contains(&entry.descriptor.digest));
        let referrers = others.filter(|entry| match entry.tag() {
            Some(tag) => tag.split('.').next().is_some_and(|start| tags.contains(start)),
            None => self
                .subject(&entry.descriptor)
                .is_some_and(|subject| of.contains(&subject)),
        });
        referrers.count()
    }

    fn subject(&self, descriptor: &Descriptor) -> Option<Digest> {
        let bytes = self.document(descriptor).ok()?;
        Document::new(&descriptor.media_type, bytes).subject()
    }

    fn layers(&self, descriptors: &[Descriptor]) -> Result<Vec<Blob>, ImageError> {
        let mut found = HashMap::new();
        for (descriptor, in_memory) in distinct(descriptors) {
            found.insert(descriptor.digest, self.layer(descriptor, in_memory)?);
        }
        let found = descriptors.iter().map(|descriptor| found.get(&descriptor.digest));
        Ok(found.flatten().cloned().collect())
    }

    fn layer(&self, descriptor: &Descriptor, in_memory: bool) -> Result<Blob, ImageError> {
        if !in_memory {
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

pub(super) fn blob_path(directory: &Path, digest: &Digest) -> PathBuf {
    directory.join("blobs").join("sha256").join(digest.hex())
}

pub(super) fn read_file(path: &Path, origin: &str, limit: u64) -> Result<Vec<u8>, ImageError> {
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

#[cfg(test)]
mod tests;
