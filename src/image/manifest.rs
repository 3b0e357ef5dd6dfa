//! The JSON documents of images: manifests and indexes in the OCI and Docker formats. The types are read-only views;
//! the stored bytes are never changed.

use super::digest::Digest;
use super::json;
use super::platform::{Offer, Platform};
use super::problem::ContentProblem;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// The supported media types.
pub(super) const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
pub(crate) const INDEX: &str = "application/vnd.oci.image.index.v1+json";
pub(super) const CONFIG: &str = "application/vnd.oci.image.config.v1+json";
pub(super) const LAYER_TAR: &str = "application/vnd.oci.image.layer.v1.tar";
pub(super) const LAYER_GZIP: &str = "application/vnd.oci.image.layer.v1.tar+gzip";
pub(super) const DOCKER_MANIFEST: &str = "application/vnd.docker.distribution.manifest.v2+json";
pub(super) const DOCKER_INDEX: &str = "application/vnd.docker.distribution.manifest.list.v2+json";

/// The annotation that contains the tag of an entry in the index of a layout.
pub(crate) const REF_NAME: &str = "org.opencontainers.image.ref.name";

/// The maximum size in bytes of a manifest or index. The distribution specification requires registries to accept at
/// least this size.
pub(super) const MANIFEST_LIMIT: u64 = 4 << 20;
/// The maximum size in bytes of `index.json` in a layout, which is high because a layout may have many tags.
pub(super) const LAYOUT_INDEX_LIMIT: u64 = 16 << 20;
/// The maximum size in bytes of an image config.
pub(super) const CONFIG_LIMIT: u64 = 16 << 20;
/// The maximum blob size in bytes that a descriptor may state.
const BLOB_LIMIT: u64 = 1 << 40;
const LAYER_COUNT_LIMIT: usize = 1000;

/// A descriptor of content in a manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Descriptor {
    /// The media type of the content.
    pub media_type: String,
    /// The digest of the stored bytes.
    pub digest: Digest,
    /// The number of stored bytes.
    pub size: u64,
}

#[cfg(feature = "registry")]
impl Descriptor {
    /// Whether this describes the manifest of a single image.
    pub(crate) fn is_single_image(&self) -> bool {
        matches!(self.media_type.as_str(), MANIFEST | DOCKER_MANIFEST)
    }
}

/// A parsed manifest: an image, or a list of images for several platforms.
#[derive(Debug, Clone)]
pub enum Manifest {
    /// An image, or an artifact in the format of an image.
    Image(ImageManifest),
    /// The entries of an image index.
    Index(Vec<IndexEntry>),
}

/// The manifest of an image.
#[derive(Debug, Clone)]
pub struct ImageManifest {
    /// The media type.
    pub media_type: String,
    /// The artifact type, if the manifest is not for a runnable image.
    pub artifact_type: Option<String>,
    /// The manifest that the image refers to as its subject.
    pub subject: Option<Descriptor>,
    /// The config.
    pub config: Descriptor,
    /// The layers, lowest first.
    pub layers: Vec<Descriptor>,
    /// The annotations.
    pub annotations: BTreeMap<String, String>,
}

/// An entry in an image index.
#[derive(Debug, Clone)]
pub struct IndexEntry {
    /// The descriptor of the manifest.
    pub descriptor: Descriptor,
    /// The platform of the image.
    pub platform: Option<Platform>,
    /// The artifact type, if the manifest is not for a runnable image.
    pub artifact_type: Option<String>,
    /// The annotations.
    pub annotations: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ReadManifest {
    artifact_type: Option<String>,
    subject: Option<ReadDescriptor>,
    config: ReadDescriptor,
    layers: Vec<ReadDescriptor>,
    annotations: Option<BTreeMap<String, String>>,
}

#[derive(Deserialize)]
struct ReadIndex {
    manifests: Vec<ReadEntry>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ReadEntry {
    #[serde(flatten)]
    descriptor: ReadDescriptor,
    artifact_type: Option<String>,
    platform: Option<ReadPlatform>,
    annotations: Option<BTreeMap<String, String>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ReadDescriptor {
    media_type: String,
    digest: String,
    size: i64,
}

#[derive(Deserialize)]
struct ReadPlatform {
    os: String,
    architecture: String,
}

impl Manifest {
    /// Parses a manifest. `declared` is its media type from a response header or descriptor.
    pub(super) fn parse(bytes: &[u8], declared: Option<&str>) -> Result<Self, ContentProblem> {
        let manifest = Self::read(bytes, declared)?;
        if let Self::Index(entries) = &manifest {
            limit("entries", entries.len())?;
        }
        Ok(manifest)
    }

    /// Parses a manifest without limiting the number of entries of an image index.
    fn read(bytes: &[u8], declared: Option<&str>) -> Result<Self, ContentProblem> {
        let value = json::manifest(bytes)?;
        let version = value.get("schemaVersion").and_then(Value::as_i64).unwrap_or_default();
        if version != 2 {
            return Err(ContentProblem::SchemaVersion { version });
        }
        let stated = value.get("mediaType").and_then(Value::as_str);
        let media_type = stated.or(declared).unwrap_or_default();
        // Reject ambiguous documents, because different readers would interpret them as different images.
        match (value.get("layers").is_some(), value.get("manifests").is_some()) {
            (true, false) if !matches!(media_type, INDEX | DOCKER_INDEX) => {
                let fallback = if declared == Some(DOCKER_MANIFEST) {
                    DOCKER_MANIFEST
                } else {
                    MANIFEST
                };
                let media_type = stated.unwrap_or(fallback).to_owned();
                ImageManifest::read(value, media_type).map(Self::Image)
            }
            (false, true) if !matches!(media_type, MANIFEST | DOCKER_MANIFEST) => {
                let index: ReadIndex = serde_json::from_value(value)?;
                let entries = index.manifests.into_iter().map(IndexEntry::read);
                Ok(Self::Index(entries.collect::<Result<_, _>>()?))
            }
            _ => Err(ContentProblem::MediaType {
                media_type: media_type.to_owned(),
            }),
        }
    }
}

/// Parses `index.json` of a layout. Only the size of the file is limited, not the number of its entries: the file lists
/// all tags of the layout, whereas an image index lists the platforms of an image.
pub(super) fn layout_index(bytes: &[u8]) -> Result<Vec<IndexEntry>, ContentProblem> {
    if bytes.len() as u64 > LAYOUT_INDEX_LIMIT {
        return Err(ContentProblem::TooLarge {
            limit: LAYOUT_INDEX_LIMIT,
            raised_by: None,
        });
    }
    match Manifest::read(bytes, None)? {
        Manifest::Index(entries) => Ok(entries),
        Manifest::Image(ImageManifest { media_type, .. }) => Err(ContentProblem::MediaType { media_type }),
    }
}

impl ImageManifest {
    fn read(value: Value, media_type: String) -> Result<Self, ContentProblem> {
        let manifest: ReadManifest = serde_json::from_value(value)?;
        limit("layers", manifest.layers.len())?;
        let layers = manifest.layers.into_iter().map(Descriptor::try_from);
        Ok(Self {
            media_type,
            artifact_type: manifest.artifact_type,
            subject: manifest.subject.map(Descriptor::try_from).transpose()?,
            config: manifest.config.try_into()?,
            layers: layers.collect::<Result<_, _>>()?,
            annotations: manifest.annotations.unwrap_or_default(),
        })
    }
}

impl IndexEntry {
    fn read(entry: ReadEntry) -> Result<Self, ContentProblem> {
        Ok(Self {
            descriptor: entry.descriptor.try_into()?,
            platform: entry
                .platform
                .map(|ReadPlatform { os, architecture }| Platform { os, architecture }),
            artifact_type: entry.artifact_type,
            annotations: entry.annotations.unwrap_or_default(),
        })
    }

    /// Returns the tag of an entry in the index of a layout.
    pub(super) fn tag(&self) -> Option<&str> {
        self.annotations.get(REF_NAME).map(String::as_str)
    }
}

impl TryFrom<ReadDescriptor> for Descriptor {
    type Error = ContentProblem;

    fn try_from(read: ReadDescriptor) -> Result<Self, ContentProblem> {
        Ok(Self {
            media_type: read.media_type,
            digest: read.digest.parse()?,
            size: size(read.size)?,
        })
    }
}

/// Returns the size if it is valid. Because each size is limited, the sum of all sizes in a plan or an image fits into
/// 64 bits.
fn size(found: i64) -> Result<u64, ContentProblem> {
    let size = u64::try_from(found).ok().filter(|size| *size <= BLOB_LIMIT);
    size.ok_or(ContentProblem::Size {
        found,
        limit: BLOB_LIMIT,
    })
}

impl Descriptor {
    /// Whether the content is a layer that registries do not store because its vendor distributes it elsewhere.
    pub fn is_foreign(&self) -> bool {
        self.media_type.contains("nondistributable") || self.media_type.contains("rootfs.foreign")
    }

    /// Checks that the bytes match the size and digest of the descriptor.
    pub(super) fn check(&self, bytes: &[u8]) -> Result<(), ContentProblem> {
        let found = bytes.len() as u64;
        if found != self.size {
            return Err(ContentProblem::WrongSize {
                expected: self.size,
                found,
            });
        }
        check_digest(&self.digest, Digest::of(bytes))
    }
}

pub(super) fn check_digest(expected: &Digest, found: Digest) -> Result<(), ContentProblem> {
    if found == *expected {
        return Ok(());
    }
    Err(ContentProblem::WrongDigest {
        expected: *expected,
        found,
    })
}

fn limit(what: &'static str, count: usize) -> Result<(), ContentProblem> {
    if count > LAYER_COUNT_LIMIT {
        return Err(ContentProblem::TooMany {
            what,
            limit: LAYER_COUNT_LIMIT,
        });
    }
    Ok(())
}

/// Returns the entries with a known platform. Entries with an empty or unknown platform, such as attestations, are
/// omitted.
pub(super) fn offers(entries: Vec<IndexEntry>) -> Vec<Offer> {
    let real = entries.into_iter().filter_map(|entry| {
        let platform = entry.platform.filter(Platform::is_real)?;
        let digest = entry.descriptor.digest;
        Some(Offer { platform, digest })
    });
    real.collect()
}

/// Chooses an entry from an index. In order of preference: the wanted platform, the first entry for Linux, the first
/// entry without a platform, the first entry with a known operating system, and the first entry.
///
/// The content of bundles and index databases does not depend on the platform, so any image is better than none.
/// Entries for an unknown platform, such as the attestations that some builders add, come last.
pub(super) fn choose<'a>(entries: &'a [IndexEntry], wanted: &Platform) -> Option<&'a IndexEntry> {
    let first = |suits: &dyn Fn(&Platform) -> bool| {
        let mut entries = entries.iter();
        entries.find(|entry| entry.platform.as_ref().is_some_and(suits))
    };
    first(&|platform| platform == wanted)
        .or_else(|| first(&|platform| platform.os == "linux"))
        .or_else(|| entries.iter().find(|entry| entry.platform.is_none()))
        .or_else(|| first(&|platform| platform.os != "unknown"))
        .or_else(|| entries.first())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(platform: Option<(&str, &str)>) -> IndexEntry {
        IndexEntry {
            descriptor: Descriptor {
                media_type: MANIFEST.to_owned(),
                digest: Digest::of(b""),
                size: 0,
            },
            platform: platform.map(|(os, architecture)| Platform {
                os: os.to_owned(),
                architecture: architecture.to_owned(),
            }),
            artifact_type: None,
            annotations: BTreeMap::new(),
        }
    }

    fn chosen(entries: &[IndexEntry], platform: &str) -> Option<usize> {
        let chosen = choose(entries, &platform.parse().unwrap())?;
        entries.iter().position(|entry| std::ptr::eq(entry, chosen))
    }

    #[test]
    fn impossible_sizes_are_rejected() {
        assert_eq!(size(1 << 40).unwrap(), BLOB_LIMIT);
        for found in [-1, i64::MIN, (1 << 40) + 1, i64::MAX] {
            let problem = size(found).unwrap_err();
            assert!(
                matches!(problem, ContentProblem::Size { found: named, .. } if named == found),
                "{problem}"
            );
        }
    }

    #[test]
    fn the_platform_is_selected_independently_of_this_machine() {
        let entries = [
            entry(Some(("unknown", "unknown"))),
            entry(Some(("windows", "arm64"))),
            entry(Some(("linux", "amd64"))),
            entry(Some(("linux", "arm64"))),
        ];
        assert_eq!(chosen(&entries, "linux/arm64"), Some(3));
        assert_eq!(chosen(&entries, "windows/arm64"), Some(1));
        assert_eq!(chosen(&entries, "s390x"), Some(2));
        assert_eq!(chosen(&entries[..2], "s390x"), Some(1));
        assert_eq!(chosen(&entries[..1], "amd64"), Some(0));
        assert_eq!(chosen(&[], "amd64"), None);
    }

    #[test]
    fn a_platform_is_parsed_as_displayed() {
        assert_eq!("linux/arm64".parse::<Platform>().unwrap().to_string(), "linux/arm64");
        assert_eq!("s390x".parse::<Platform>().unwrap().to_string(), "linux/s390x");
        for text in ["", "/", "linux/", "linux/arm/v7", "a b"] {
            assert!(text.parse::<Platform>().is_err(), "{text}");
        }
    }

    #[test]
    fn old_and_ambiguous_manifests_are_rejected() {
        let parse = |text: &str| Manifest::parse(text.as_bytes(), None).unwrap_err().to_string();
        assert!(parse(r#"{"schemaVersion":1,"fsLayers":[]}"#).contains("schema version 1"));
        assert!(parse(r#"{"schemaVersion":2,"layers":[],"manifests":[]}"#).contains("neither"));
        let index = format!(r#"{{"schemaVersion":2,"mediaType":"{INDEX}","layers":[]}}"#);
        assert!(parse(&index).contains("neither"));
        assert!(parse("[").contains("is invalid"));
    }
}
