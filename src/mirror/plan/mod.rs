//! The plan of a mirror: all content to copy, with the reason, size and destination, stored as `plan.json`.
//!
//! A plan refers to all content by digest, so that copying, loading, verifying and deleting need only the plan, the
//! source and the target. All entries are sorted, so that the same selection of the same content results in the same
//! bytes.

mod extras;
mod objects;
mod read;

pub(in crate::mirror) use extras::ExtrasByDigest;
pub use objects::{CatalogKind, CatalogObject};
pub use read::{PLAN_LIMIT, PlanError, PlanFileError};

use super::images::Role;
use crate::image::{Digest, Platform};
use crate::text::to_json;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The format version in [`Plan::schema`].
pub const SCHEMA: &str = "opmx.mirror.plan/v1";

/// The plan of a mirror.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// The format version; always [`SCHEMA`].
    pub schema: String,
    /// The registry and path prefix of all destinations; `None` if the plan was created without a target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The catalogs, in the order in which they were requested.
    pub catalogs: Vec<PlannedCatalog>,
    /// The images, sorted by source.
    pub images: Vec<PlannedImage>,
    /// Signatures and other referrers of images, sorted by subject and digest.
    pub extras: Vec<Extra>,
    /// All manifests and image indexes, including those of extras.
    pub manifests: BTreeMap<Digest, PlannedManifest>,
    /// All configs and layers.
    pub blobs: BTreeMap<Digest, PlannedBlob>,
    /// The total size of the content to copy.
    pub totals: Totals,
    /// The reasons why packages that were not selected are included.
    pub because: Vec<Because>,
    /// The content that was selected but cannot be copied.
    pub left_out: Vec<LeftOut>,
}

/// A catalog in a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedCatalog {
    /// The name of the index, as requested.
    pub source: String,
    /// The digest of the index image; `None` for a folder or file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<Digest>,
    /// The kept part of the catalog, by package name.
    pub kept: Vec<KeptPackage>,
    /// Whether the image was built for this plan, from the kept part. A rebuilt image, or an unchanged one from a
    /// layout or archive, is in the OCI layout next to the plan.
    pub rebuilt: bool,
    /// Whether the rebuilt image contains a program that serves the catalog.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub serves: bool,
    /// The folder of the file-based catalog in an unchanged image that contains no program to serve it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// Whether the image contains a database instead of a file-based catalog.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub database: bool,
    /// The digest of the catalog image that is copied.
    pub digest_after: Digest,
    /// The requested path of the catalog image below the target, if not the default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The repository and tag of the catalog image at the target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub destination: Option<String>,
    /// The objects through which a cluster uses the catalog, if the plan was created for a cluster.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub objects: Vec<CatalogObject>,
}

/// The kept part of a package.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeptPackage {
    /// The name of the package.
    pub package: String,
    /// The channels, by name.
    pub channels: Vec<KeptChannel>,
    /// The selected channels that contain no selected version, sorted.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub channels_left_out: BTreeSet<String>,
}

/// The kept part of a channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeptChannel {
    /// The name of the channel.
    pub name: String,
    /// The bundle at the head of the channel.
    pub head: String,
    /// The bundles, head first.
    pub entries: Vec<String>,
    /// The bundles in `entries` that were not selected, each with the reason why the channel needs it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub kept_for: BTreeMap<String, String>,
}

/// An image in a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedImage {
    /// The source of the image: its reference by digest, or `catalog:N` for the image of the catalog at position `N` in
    /// [`Plan::catalogs`] if it is in the OCI layout next to the plan.
    pub source: String,
    /// The references to the image in catalogs and on the command line, sorted.
    pub origins: BTreeSet<String>,
    /// The digest of the image, or of the image index if there are several platforms.
    pub digest: Digest,
    /// The media type of the manifest.
    pub media_type: String,
    /// The platforms of the image, sorted.
    pub platforms: BTreeSet<Platform>,
    /// The platforms of the image that are not copied.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub platforms_left_out: BTreeSet<Platform>,
    /// The total size in bytes of the manifests and blobs of the image, each counted once.
    pub bytes: u64,
    /// The uses of the image.
    #[serde(rename = "for")]
    pub uses: Vec<Use>,
    /// The requested path of the image below the target, if not the default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The repository of the image at the target, including the registry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub destination: Option<String>,
    /// The tags of the image at the target.
    pub tags: BTreeSet<String>,
    /// The digests of the [`Plan::extras`] that are copied with the image.
    pub extras: BTreeSet<Digest>,
}

impl PlannedImage {
    /// Returns whether this is the image of a catalog.
    pub fn is_catalog(&self) -> bool {
        self.uses.iter().any(|used| used.role == ImageRole::Catalog)
    }
}

/// A use of an image.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Use {
    /// The role of the image.
    pub role: ImageRole,
    /// The package that uses the image.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub package: Option<String>,
    /// The bundle that uses the image.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bundle: Option<String>,
    /// The name of the image in the bundle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// The role of an image in a mirror.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ImageRole {
    /// The image is a bundle.
    Bundle,
    /// A deployment of a bundle runs the image.
    Operator,
    /// A bundle lists the image as a related image, or another document of the catalog names it.
    Related,
    /// The image is a catalog.
    Catalog,
    /// The image was requested by name.
    Additional,
}

/// An extra: a signature or other referrer of an image.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Extra {
    /// The manifest to which the extra refers: the manifest of an image, of a platform image, or of another extra.
    pub subject: Digest,
    /// The digest of the manifest of the extra.
    pub digest: Digest,
    /// The kind of extra.
    pub kind: ExtraKind,
    /// The method for finding the extra.
    pub via: ExtraVia,
    /// The artifact type in the manifest of the extra.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact_type: Option<String>,
    /// The tag of the extra, if it is found by tag.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
    /// The total size in bytes of the manifest and blobs of the extra.
    pub bytes: u64,
}

/// The kind of an [`Extra`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ExtraKind {
    /// A signature.
    Signature,
    /// An attestation.
    Attestation,
    /// A software bill of materials.
    Sbom,
    /// Any other referrer.
    Referrer,
}

/// The method for finding an extra from its subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ExtraVia {
    /// By a tag that is derived from the digest of the subject.
    Tag,
    /// By the referrers of the subject. The manifest of the extra specifies the subject, and the registry lists the
    /// extra.
    Referrers,
}

/// A manifest or image index in a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedManifest {
    /// The media type.
    pub media_type: String,
    /// The size of the manifest itself in bytes.
    pub bytes: u64,
    /// The source repositories, as `REGISTRY/PATH` or `catalog:N`, in the order in which they are tried.
    pub sources: BTreeSet<String>,
    /// The manifests that this manifest references and that must be copied before it, in the order of the references.
    /// Excluded manifests are omitted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub manifests: Vec<Digest>,
    /// The config and layers that are copied, in the order of the manifest.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blobs: Vec<Digest>,
    /// The digest of the subject in the manifest, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<Digest>,
    /// The repositories of the manifest at the target, without the registry. In a plan without a target, these are the
    /// source repositories.
    #[serde(rename = "in")]
    pub repositories: BTreeSet<String>,
}

/// A config or layer in a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedBlob {
    /// The stored size in bytes.
    pub bytes: u64,
    /// The media type.
    pub media_type: String,
    /// The source repositories, as `REGISTRY/PATH` or `catalog:N`.
    pub sources: BTreeSet<String>,
    /// The repositories of the blob at the target, without the registry. The blob is uploaded to the first repository,
    /// and mounted in the other repositories. In a plan without a target, these are the source repositories.
    #[serde(rename = "in")]
    pub repositories: BTreeSet<String>,
}

/// The size of a plan.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Totals {
    /// The number of images.
    pub images: u64,
    /// The number of manifests and image indexes.
    pub manifests: u64,
    /// The number of configs and layers.
    pub blobs: u64,
    /// The total size in bytes if each image is counted separately.
    pub bytes_referenced: u64,
    /// The total size in bytes if each blob and manifest is counted once.
    pub bytes_unique: u64,
    /// The total size in bytes of the blobs and manifests that were already at the target when the plan was created.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes_present: Option<u64>,
}

impl Plan {
    /// Returns a plan without content. `to` is the target.
    pub(super) fn empty(to: Option<String>) -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            to,
            catalogs: Vec::new(),
            images: Vec::new(),
            extras: Vec::new(),
            manifests: BTreeMap::new(),
            blobs: BTreeMap::new(),
            totals: Totals::default(),
            because: Vec::new(),
            left_out: Vec::new(),
        }
    }

    /// Returns the names of the images that were selected but cannot be copied, except those that the request blocks.
    pub fn missing(&self) -> BTreeSet<&str> {
        &self.lacking() - &self.origins()
    }

    /// Returns the names of the images that are copied without a part that registries do not store.
    pub fn partial(&self) -> BTreeSet<&str> {
        &self.lacking() & &self.origins()
    }

    fn lacking(&self) -> BTreeSet<&str> {
        let lacking = self.left_out.iter().filter(|left_out| !left_out.blocked);
        lacking.map(|left_out| left_out.image.as_str()).collect()
    }

    fn origins(&self) -> BTreeSet<&str> {
        let origins = self.images.iter().flat_map(|image| &image.origins);
        origins.map(String::as_str).collect()
    }

    /// Returns the names of the indexes that the catalogs were made from, in the order of the catalogs.
    pub fn catalog_names(&self) -> Vec<String> {
        self.catalogs.iter().map(|catalog| catalog.source.clone()).collect()
    }
}

/// The reason why a package that was not selected is included.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Because {
    /// The included package.
    pub package: String,
    /// The bundle that needs the package.
    pub needed_by: String,
    /// The dependency as stated in that bundle.
    pub constraint: String,
}

/// Selected content that is not copied.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeftOut {
    /// The image reference in the catalog, or the reference that was requested.
    pub image: String,
    /// The bundles that contain the reference, sorted.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub bundles: BTreeSet<String>,
    /// The reason why the content is not copied.
    pub why: String,
    /// Whether the request itself excludes the image.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub blocked: bool,
}

impl From<Role> for ImageRole {
    fn from(role: Role) -> Self {
        match role {
            Role::Bundle => Self::Bundle,
            Role::Operator => Self::Operator,
            Role::Related => Self::Related,
        }
    }
}

impl Plan {
    /// Returns the manifests of an image and its extras, each after the manifests that it references.
    pub fn all_behind(&self, image: &PlannedImage) -> Vec<Digest> {
        let mut ordered = Vec::new();
        let mut seen = BTreeSet::new();
        for digest in [image.digest].iter().chain(&image.extras) {
            self.behind(*digest, &mut seen, &mut ordered);
        }
        ordered
    }

    /// Appends a manifest and all manifests that it references, directly or indirectly, except those in `seen`. Each
    /// manifest comes after the manifests that it references.
    pub fn behind(&self, digest: Digest, seen: &mut BTreeSet<Digest>, ordered: &mut Vec<Digest>) {
        // Avoid recursion, because deep nesting must not overflow the stack.
        let mut waiting = vec![(digest, false)];
        while let Some((digest, is_open)) = waiting.pop() {
            if is_open {
                ordered.push(digest);
            } else if seen.insert(digest) {
                waiting.push((digest, true));
                let named = self.manifests.get(&digest).map(|manifest| &manifest.manifests);
                waiting.extend(named.into_iter().flatten().map(|child| (*child, false)));
            }
        }
    }

    /// Returns the bytes of `plan.json`: indented JSON that ends with a newline.
    pub fn to_bytes(&self) -> Vec<u8> {
        to_json(self).into_bytes()
    }
}

#[cfg(test)]
mod tests;
