//! Packages, channels and bundles in memory: what every reader of an index works on.
//!
//! A [`Catalog`] holds names, the edges of the update graph, and the texts of properties and dependencies as they are
//! stored. It never holds manifests: a [`Bundle`] carries a handle with which the index reads them. Texts are shared,
//! because the versions of one operator repeat most of them. [`file_based`] is the form of a catalog as files.

pub mod difference;
pub mod drawing;
pub mod file_based;
pub mod graph;
pub mod losses;
pub(crate) mod manifests;
pub(crate) mod order;
pub mod published;
pub mod release;
pub mod selection;
pub mod updates;

use crate::kubernetes::GroupVersionKind;
use crate::olm::property;
use std::collections::HashSet;
use std::sync::Arc;

/// A string that many values share.
pub type Text = Arc<str>;

/// Packages and bundles, in one order whatever the index was made of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Catalog {
    /// Sorted by name.
    pub packages: Vec<Package>,
    /// Sorted by name. Bundles that are in no channel are here, too.
    pub bundles: Vec<Bundle>,
}

/// A package: the channels that users choose from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Package {
    /// The name.
    pub name: Text,
    /// The channel of a user who named none.
    pub default_channel: Option<Text>,
    /// Sorted by name.
    pub channels: Vec<Channel>,
}

/// A channel: a line of updates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Channel {
    /// The name.
    pub name: Text,
    /// The bundle that a new installation gets.
    pub head: Option<Text>,
    /// The bundles of the channel, from the head downwards. Each bundle appears once.
    pub entries: Vec<ChannelEntry>,
}

/// A bundle in a channel, with its edges there. A bundle may be both replaced and skipped by the same entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelEntry {
    /// The bundle.
    pub bundle: BundleId,
    /// The bundle from which this one is the next update. It need not be in the catalog.
    pub replaces: Option<Text>,
    /// The bundles that may be updated to this one without being offered themselves. They need not be in the catalog.
    pub skips: Vec<Text>,
    /// The range of versions that may be updated to this one; never empty. A database has one for all entries of a
    /// bundle.
    pub skip_range: Option<Text>,
}

/// The place of a bundle in [`Catalog::bundles`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BundleId(pub u32);

/// One version of an operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bundle {
    /// The name of its ClusterServiceVersion.
    pub name: Text,
    /// The version as stored; it need not be a semantic version.
    pub version: Option<Text>,
    /// The bundle image. `Some("")` where the manifests are part of the index, `None` where the index does not say.
    pub image: Option<Text>,
    /// What it declares about itself, as stored, without repetitions.
    pub properties: Vec<Property>,
    /// What it needs, as stored, without repetitions.
    pub dependencies: Vec<Property>,
    /// Where its manifests are.
    pub manifests: ManifestsId,
}

/// A property or a dependency of a bundle. The value is the JSON text, byte for byte as stored.
pub type Property = property::Property<Text, Text>;

/// What the reader of an index needs to find the manifests of a bundle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ManifestsId(pub i64);

impl Property {
    /// The API that a value of type `olm.gvk` names; `None` for other types and for values of another shape.
    pub(crate) fn group_version_kind(&self) -> Option<GroupVersionKind> {
        if &*self.kind != property::GVK {
            return None;
        }
        serde_json::from_str(&self.value).ok()
    }
}

impl Catalog {
    /// The package of this name.
    pub fn package(&self, name: &str) -> Option<&Package> {
        let at = self
            .packages
            .binary_search_by(|package| (*package.name).cmp(name))
            .ok()?;
        self.packages.get(at)
    }

    /// The place of the bundle of this name.
    pub fn find(&self, name: &str) -> Option<BundleId> {
        let at = self.bundles.binary_search_by(|bundle| (*bundle.name).cmp(name)).ok()?;
        u32::try_from(at).ok().map(BundleId)
    }

    /// The package of the bundle with this name, and its channel: the default one where the bundle is in that, else the
    /// first by name. `None` where it is in no channel.
    pub fn channel_of(&self, bundle: &str) -> Option<(String, String)> {
        let id = self.find(bundle)?;
        self.packages.iter().find_map(|package| {
            let channels = package.channels.iter();
            let holds = |channel: &&Channel| channel.entries.iter().any(|entry| entry.bundle == id);
            // What is not the default sorts behind what is.
            let found = channels
                .filter(holds)
                .min_by_key(|channel| package.default_channel.as_ref() != Some(&channel.name));
            Some((package.name.to_string(), found?.name.to_string()))
        })
    }

    /// The bundle at a place.
    pub fn bundle(&self, id: BundleId) -> Option<&Bundle> {
        self.bundles.get(id.0 as usize)
    }
}

impl Package {
    /// The channel of this name.
    pub fn channel(&self, name: &str) -> Option<&Channel> {
        let at = self
            .channels
            .binary_search_by(|channel| (*channel.name).cmp(name))
            .ok()?;
        self.channels.get(at)
    }
}

/// Hands out one [`Text`] for equal texts while a catalog is being read.
#[derive(Debug, Default)]
pub struct Texts(HashSet<Text>);

impl Texts {
    /// The shared text equal to `text`.
    pub fn share(&mut self, text: &str) -> Text {
        if let Some(known) = self.0.get(text) {
            return Arc::clone(known);
        }
        let new = Text::from(text);
        self.0.insert(Arc::clone(&new));
        new
    }
}
