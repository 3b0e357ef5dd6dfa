//! Packages, channels and bundles in memory: the data structure for all readers of an index.
//!
//! A [`Catalog`] contains names, the edges of the update graph, and the stored texts of properties and dependencies. A
//! catalog never contains manifests: a [`Bundle`] has a handle for reading them from the index. Strings are shared,
//! because the versions of one operator repeat most of them. [`file_based`] is the form of a catalog as files.

pub mod difference;
pub mod drawing;
pub mod file_based;
pub mod graph;
pub mod losses;
pub(crate) mod manifests;
pub mod olm_v1;
pub(crate) mod order;
pub mod published;
pub mod release;
pub mod selection;
pub mod updates;

use crate::kubernetes::GroupVersionKind;
use crate::olm::property;
use serde::Deserialize;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

/// A string that many values share.
pub type Text = Arc<str>;

/// Packages and bundles, in an order that does not depend on the source of the index.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Catalog {
    /// The packages, sorted by name.
    pub packages: Vec<Package>,
    /// The bundles, sorted by name, including bundles that are not in any channel.
    pub bundles: Vec<Bundle>,
}

/// A package: the channels that users choose from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Package {
    /// The name.
    pub name: Text,
    /// The channel for users who specify none.
    pub default_channel: Option<Text>,
    /// The channels, sorted by name.
    pub channels: Vec<Channel>,
}

/// A channel: a sequence of versions that clusters follow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Channel {
    /// The name.
    pub name: Text,
    /// The bundle for new installations.
    pub head: Option<Text>,
    /// The bundles of the channel, from the head downwards. Each bundle appears once.
    pub entries: Vec<ChannelEntry>,
}

/// A bundle in a channel, with its edges there. A bundle may be both replaced and skipped by the same entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelEntry {
    /// The bundle.
    pub bundle: BundleId,
    /// The bundle from which clusters update directly to this one. It need not be in the catalog.
    pub replaces: Option<Text>,
    /// The bundles that may be updated to this one, but are not offered for installation. They need not be in the
    /// catalog.
    pub skips: Vec<Text>,
    /// The range of versions that may be updated to this one; never empty. A database has a single range for all
    /// entries of a bundle.
    pub skip_range: Option<Text>,
}

/// The position of a bundle in [`Catalog::bundles`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BundleId(pub u32);

/// One version of an operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bundle {
    /// The name of the bundle's ClusterServiceVersion.
    pub name: Text,
    /// The version as stored; it need not be a semantic version.
    pub version: Option<Text>,
    /// The bundle image. `Some("")` if the manifests are part of the index, `None` if the index does not specify it.
    pub image: Option<Text>,
    /// The declared properties, as stored, without duplicates.
    pub properties: Vec<Property>,
    /// The dependencies, as stored, without duplicates.
    pub dependencies: Vec<Property>,
    /// The handle of the manifests.
    pub manifests: ManifestsId,
}

/// A property or a dependency of a bundle. The value is the JSON text, byte for byte as stored.
pub type Property = property::Property<Text, Text>;

/// The handle with which the reader of an index finds the manifests of a bundle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ManifestsId(pub i64);

impl Property {
    /// Returns the API in a value of type `olm.gvk`; `None` for other types and for values that have another form.
    pub(crate) fn group_version_kind(&self) -> Option<GroupVersionKind> {
        if &*self.kind != property::GVK {
            return None;
        }
        serde_json::from_str(&self.value).ok()
    }
}

impl Catalog {
    /// Returns the package with this name.
    pub fn package(&self, name: &str) -> Option<&Package> {
        let at = self
            .packages
            .binary_search_by(|package| (*package.name).cmp(name))
            .ok()?;
        self.packages.get(at)
    }

    /// Returns the id of a bundle with this name. If several packages have one, [`Catalog::find_in`] tells them apart.
    pub fn find(&self, name: &str) -> Option<BundleId> {
        let at = self.bundles.binary_search_by(|bundle| (*bundle.name).cmp(name)).ok()?;
        u32::try_from(at).ok().map(BundleId)
    }

    /// Returns the id of the bundle of a package. Only the two names together are unique in a file-based catalog.
    pub fn find_in(&self, package: &str, name: &str) -> Option<BundleId> {
        let channels = self.package(package)?.channels.iter();
        let mut ids = channels.flat_map(|channel| &channel.entries).map(|entry| entry.bundle);
        ids.find(|id| self.bundle(*id).is_some_and(|bundle| *bundle.name == *name))
    }

    /// Returns the bundles by their names and packages. Only a database can contain a bundle in channels of several
    /// packages; it is returned for each of them. The package of a bundle in no channel is the one in its property
    /// `olm.package`, or an empty string.
    pub(crate) fn by_name_and_package(&self) -> BTreeMap<(&str, &str), &Bundle> {
        let mut known = BTreeMap::new();
        let mut listed = HashSet::new();
        for package in &self.packages {
            for entry in package.channels.iter().flat_map(|channel| &channel.entries) {
                if let Some(bundle) = self.bundle(entry.bundle) {
                    listed.insert(entry.bundle);
                    known.insert((&*bundle.name, &*package.name), bundle);
                }
            }
        }
        for (id, bundle) in (0..).map(BundleId).zip(&self.bundles) {
            if !listed.contains(&id) {
                known.insert((&*bundle.name, self.declared_package(bundle)), bundle);
            }
        }
        known
    }

    /// Returns the package in the property `olm.package` of a bundle if the catalog contains it, otherwise an empty
    /// string.
    fn declared_package(&self, bundle: &Bundle) -> &str {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Declared {
            package_name: String,
        }
        let mut properties = bundle.properties.iter();
        let declared = properties.find(|property| &*property.kind == property::PACKAGE);
        let declared = declared.and_then(|property| serde_json::from_str::<Declared>(&property.value).ok());
        let package = declared.and_then(|declared| self.package(&declared.package_name));
        package.map_or("", |package| &package.name)
    }

    /// Returns the package of the bundle with this name, and its channel: the default channel if it contains the
    /// bundle, otherwise the first channel by name. Returns `None` if the bundle is not in any channel.
    pub fn channel_of(&self, bundle: &str) -> Option<(String, String)> {
        let id = self.find(bundle)?;
        self.packages.iter().find_map(|package| {
            let channels = package.channels.iter();
            let holds = |channel: &&Channel| channel.entries.iter().any(|entry| entry.bundle == id);
            // The default channel sorts before the others.
            let found = channels
                .filter(holds)
                .min_by_key(|channel| package.default_channel.as_ref() != Some(&channel.name));
            Some((package.name.to_string(), found?.name.to_string()))
        })
    }

    /// Returns the bundle with this id.
    pub fn bundle(&self, id: BundleId) -> Option<&Bundle> {
        self.bundles.get(id.0 as usize)
    }
}

impl Package {
    /// Returns the channel with this name.
    pub fn channel(&self, name: &str) -> Option<&Channel> {
        let at = self
            .channels
            .binary_search_by(|channel| (*channel.name).cmp(name))
            .ok()?;
        self.channels.get(at)
    }
}

/// Shares one [`Text`] among equal strings while a catalog is being read.
#[derive(Debug, Default)]
pub struct Texts(HashSet<Text>);

impl Texts {
    /// Returns the shared string equal to `text`.
    pub fn share(&mut self, text: &str) -> Text {
        if let Some(known) = self.0.get(text) {
            return Arc::clone(known);
        }
        let new = Text::from(text);
        self.0.insert(Arc::clone(&new));
        new
    }
}

/// Quotes the names and joins them with commas.
pub(crate) fn quoted(names: &[String]) -> String {
    let quoted: Vec<_> = names.iter().map(|name| format!("{name:?}")).collect();
    quoted.join(", ")
}
