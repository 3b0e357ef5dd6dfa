//! Copies images into a registry. Existing content is kept, every blob is transferred once, and tags are set last.
//!
//! A [`Copy`](struct@Copy) describes the copy: blobs and manifests, with the places that contain them, and items. An
//! item is a manifest with everything that it references, to be copied to one repository. [`copy`] transfers the blobs
//! of an item to its repository, then its manifests bottom-up, and finally sets its tags. A failed item does not stop
//! other items, except those that depend on it.

mod agenda;
mod appended_layers;
mod content;
mod existing;
mod fallback;
mod journal;
mod run;

pub use appended_layers::has_layers_of;
pub(super) use content::Contents;
pub use fallback::{ListChange, ListEdit, change_lists, referrers};
pub use journal::{Journal, JournalError};
pub use run::copy;

use super::digest::Digest;
use super::image::Blob;
use super::manifest::Descriptor;
use super::progress::Progress;
use super::reference::RegistryReference;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// A description of the images to copy.
#[derive(Debug, Clone, Default)]
pub struct Copy {
    /// The configs and layers.
    pub blobs: BTreeMap<Digest, Stored>,
    /// The manifests and image indexes.
    pub manifests: BTreeMap<Digest, Stored>,
    /// The items to create in the target registry.
    pub items: Vec<Item>,
}

/// Content that is stored under its digest.
#[derive(Debug, Clone)]
pub struct Stored {
    /// The media type, digest and size.
    pub descriptor: Descriptor,
    /// The places that contain the content, in the order in which they are tried until one succeeds.
    pub places: Vec<Place>,
}

/// A place that contains content.
#[derive(Debug, Clone)]
pub enum Place {
    /// A repository; the tag or digest of the reference is ignored.
    Registry(RegistryReference),
    /// A blob in memory or in files.
    Held(Blob),
    /// A repository in the target registry that is known to contain the content.
    Target(RegistryReference),
}

/// A manifest with everything that it references, to be copied to one repository.
#[derive(Debug, Clone)]
pub struct Item {
    /// The name of the item in messages.
    pub name: String,
    /// The target repository; the tag or digest of the reference is ignored.
    pub to: RegistryReference,
    /// The manifests, with referenced manifests first. The last manifest is the one that is tagged.
    pub manifests: Vec<Digest>,
    /// The blobs that the manifests reference.
    pub blobs: BTreeSet<Digest>,
    /// The tags. If there are none, the manifest is pushed by its digest.
    pub tags: BTreeSet<String>,
    /// Whether other clients add layers to the manifest under the tags, as signing tools do. A tag is kept if its
    /// manifest contains all layers of the last manifest, which is then pushed by its digest.
    pub grows: bool,
    /// The manifest that the last manifest refers to as its subject.
    pub subject: Option<Digest>,
    /// The items that this item depends on, by position in [`Copy::items`]. The item is not copied if any of them
    /// fails.
    pub after: BTreeSet<usize>,
}

/// The options of a copy.
pub struct CopyOptions<'a> {
    /// The maximum number of concurrent transfers; at least one.
    pub concurrency: usize,
    /// The maximum number of bytes of content in memory.
    pub memory: u64,
    /// Whether to stop starting transfers once an item has failed.
    pub fail_fast: bool,
    /// The record of the blobs that an interrupted run copied.
    pub journal: Option<&'a Journal>,
    /// The receiver of overall progress reports.
    pub progress: &'a dyn Progress,
}

/// The state of an item after a copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// The item was already in the registry.
    Present,
    /// The item was copied.
    Copied,
    /// The item could not be copied; contains the reason.
    Failed(String),
    /// The item was not copied, because another item failed.
    NotTried,
}

/// The result of a copy.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The states of the items, in the order of [`Copy::items`].
    pub states: Vec<State>,
    /// For each item, its tags that referred to other manifests before the copy, each with the digest of that manifest.
    pub replaced: Vec<BTreeMap<String, Digest>>,
    /// For each item, the number of layers that other clients added under its tags, and that the copy removed from
    /// there.
    pub lost: Vec<usize>,
    /// Problems that do not belong to any one item.
    pub problems: Vec<String>,
    /// The amount of content transferred.
    pub moved: Moved,
}

/// The amount of content transferred. A blob counts once for each repository that received it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Moved {
    /// The number of blobs that were uploaded.
    pub sent: u64,
    /// The total size in bytes of the uploaded blobs.
    pub bytes_sent: u64,
    /// The number of blobs that the registry mounted from another repository.
    pub mounted: u64,
    /// The number of blobs that were already in their repository.
    pub there: u64,
    /// The number of manifests that were pushed.
    pub manifests: u64,
}

impl Item {
    /// Returns the digest of the manifest that is tagged.
    pub fn root(&self) -> Option<Digest> {
        self.manifests.last().copied()
    }
}

impl Outcome {
    /// Whether all items are in the registry.
    pub fn is_whole(&self) -> bool {
        let there = |state: &State| matches!(state, State::Present | State::Copied);
        self.problems.is_empty() && self.states.iter().all(there)
    }
}
