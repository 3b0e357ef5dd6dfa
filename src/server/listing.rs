//! The catalog in the memory of the server: encoded messages, and the data needed to find them.
//!
//! A [`Listing`] does not depend on its source; a [`Builder`] is filled from a database or from files.

mod database;

use super::encoded::{Encoded, put_element, put_text};
use super::proto::fields::{bundle, channel, deprecation, group_version_kind, package, package_name, property};
use crate::catalog::{Bundle, ManifestsId, Property, Text};
use crate::kubernetes::GroupVersionKind;
use prost::bytes::Bytes;
use std::collections::HashMap;
use std::ops::Range;

/// The resource names of kinds.
pub(super) type Plurals = HashMap<GroupVersionKind, String>;

/// All served data except the manifests and the edges for queries.
#[derive(Debug)]
pub(super) struct Listing {
    /// The names as messages, sorted.
    package_names: Vec<Bytes>,
    packages: HashMap<Text, ServedPackage>,
    bundles: Vec<ServedBundle>,
    /// The entries, in the order of the listing.
    entries: Vec<ServedEntry>,
    /// All encoded pieces of bundles.
    pieces: Bytes,
}

#[derive(Debug)]
struct ServedPackage {
    message: Bytes,
    /// Sorted by name.
    channels: Vec<ServedChannel>,
}

#[derive(Debug)]
struct ServedChannel {
    name: Text,
    head: Text,
    /// `None` if the head is not a bundle in the catalog.
    head_manifests: Option<ManifestsId>,
    /// Indexes into [`Listing::entries`], sorted by the names of the bundles.
    entries: Vec<u32>,
}

#[derive(Debug)]
struct ServedBundle {
    name: Text,
    manifests: ManifestsId,
    inline: bool,
    /// Ranges of [`Listing::pieces`]. For each bundle, these contain the APIs with their resource names, the other
    /// fields, and the APIs without resource names, in this order. The listing of all bundles sends the last two parts,
    /// and the answer to a request for one bundle sends the first two.
    with_plurals: Range<usize>,
    without_plurals: Range<usize>,
}

#[derive(Debug)]
pub(super) struct ServedEntry {
    /// A valid index into [`Listing::bundles`].
    bundle: usize,
    package: Text,
    channel: Text,
    /// Whether the index contains all fields that the listing of all bundles requires of an entry.
    listed: bool,
    names: Range<usize>,
    names_and_edges: Range<usize>,
}

/// The data that must be fetched to complete the message of an entry.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted {
    /// The bundle.
    pub(super) id: ManifestsId,
    /// Whether the manifests of the bundle are part of the message.
    pub(super) inline: bool,
}

/// The first object that is missing: the package, the channel in the package, or the bundle in the channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Absent {
    /// The package does not exist or has no channels.
    Package,
    /// The package does not contain the channel.
    Channel,
    /// The channel does not contain the bundle.
    Bundle,
}

/// The size of a catalog.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) packages: usize,
    pub(super) channels: usize,
    pub(super) bundles: usize,
    pub(super) entries: usize,
}

impl Listing {
    pub(super) fn size(&self) -> Size {
        Size {
            packages: self.package_names.len(),
            channels: self.packages.values().map(|package| package.channels.len()).sum(),
            bundles: self.bundles.len(),
            entries: self.entries.len(),
        }
    }

    pub(super) fn package_name(&self, at: usize) -> Option<Encoded> {
        self.package_names.get(at).cloned().map(Encoded::from)
    }

    pub(super) fn package(&self, name: &str) -> Option<Encoded> {
        Some(Encoded::from(self.packages.get(name)?.message.clone()))
    }

    fn channel(&self, package: &str, channel: &str) -> Result<&ServedChannel, Absent> {
        let channels = &self.packages.get(package).ok_or(Absent::Package)?.channels;
        let at = channels.binary_search_by(|known| (*known.name).cmp(channel));
        at.ok().and_then(|at| channels.get(at)).ok_or(Absent::Channel)
    }

    /// Returns the name of a channel head, and the handle of its manifests; `None` if the head is not a bundle in the
    /// catalog.
    pub(super) fn head(&self, package: &str, channel: &str) -> Result<(&str, Option<ManifestsId>), Absent> {
        let channel = self.channel(package, channel)?;
        Ok((&*channel.head, channel.head_manifests))
    }

    /// Returns the entry of a bundle in a channel.
    pub(super) fn entry(&self, package: &str, channel: &str, bundle: &str) -> Result<&ServedEntry, Absent> {
        let entries = &self.channel(package, channel)?.entries;
        let of = |place: u32| self.entries.get(place as usize);
        let name = |place: u32| {
            of(place)
                .and_then(|entry| self.bundles.get(entry.bundle))
                .map(|bundle| &*bundle.name)
        };
        let at = entries.binary_search_by(|place| name(*place).cmp(&Some(bundle)));
        let found = at.ok().and_then(|at| of(*entries.get(at)?));
        found.ok_or(Absent::Bundle)
    }

    /// Returns the first entry of the listing at or after the position `at`, with its position.
    pub(super) fn listed(&self, at: usize) -> Option<(usize, &ServedEntry)> {
        let behind = self.entries.get(at..)?;
        let skipped = behind.iter().position(|entry| entry.listed)?;
        behind.get(skipped).map(|entry| (at + skipped, entry))
    }

    /// Returns the encoded skip range of every bundle, in the order of the bundles.
    pub(super) fn encode_skip_ranges(&self, ranges: &HashMap<ManifestsId, Text>) -> Vec<Bytes> {
        let field = |range: &Text| {
            let mut field = Vec::new();
            put_text(&mut field, bundle::SKIP_RANGE, range);
            Bytes::from(field)
        };
        let bundles = self.bundles.iter();
        bundles
            .map(|bundle| ranges.get(&bundle.manifests).map(field).unwrap_or_default())
            .collect()
    }

    pub(super) fn wanted(&self, entry: &ServedEntry) -> Wanted {
        let bundle = &self.bundles[entry.bundle];
        Wanted {
            id: bundle.manifests,
            inline: bundle.inline,
        }
    }

    /// Returns the message of an entry in the listing of all bundles.
    pub(super) fn listed_message(&self, entry: &ServedEntry, skip_ranges: &[Bytes], manifests: Bytes) -> Encoded {
        Encoded([
            self.pieces.slice(self.bundles[entry.bundle].without_plurals.clone()),
            self.pieces.slice(entry.names_and_edges.clone()),
            skip_ranges.get(entry.bundle).cloned().unwrap_or_default(),
            manifests,
        ])
    }

    /// Returns the message of an entry requested by name: without edges, and with the resource names of its APIs.
    pub(super) fn single_message(&self, entry: &ServedEntry, skip_ranges: &[Bytes], manifests: Bytes) -> Encoded {
        Encoded([
            self.pieces.slice(self.bundles[entry.bundle].with_plurals.clone()),
            self.pieces.slice(entry.names.clone()),
            skip_ranges.get(entry.bundle).cloned().unwrap_or_default(),
            manifests,
        ])
    }
}

/// A bundle in a channel, to be added to a listing.
#[derive(Debug)]
pub(super) struct NewEntry<'a> {
    /// The result of [`Builder::bundle`].
    pub(super) bundle: usize,
    pub(super) package: &'a Text,
    pub(super) channel: &'a Text,
    /// See [`ServedEntry`].
    pub(super) listed: bool,
    /// Empty if the entry has no skip range, or if the skip range is stored with the bundle.
    pub(super) skip_range: &'a str,
    /// The deprecation message of the bundle; empty if it is not deprecated.
    pub(super) deprecation: &'a str,
    pub(super) replaces: &'a str,
    pub(super) skips: &'a [Text],
}

/// A package, to be added to a listing.
#[derive(Debug)]
pub(super) struct NewPackage<'a> {
    pub(super) name: &'a Text,
    pub(super) default_channel: &'a str,
    /// The deprecation message of the package; empty if it is not deprecated.
    pub(super) deprecation: &'a str,
    /// Sorted by name.
    pub(super) channels: Vec<NewChannel<'a>>,
}

/// A channel, to be added to a listing.
#[derive(Debug)]
pub(super) struct NewChannel<'a> {
    pub(super) name: &'a Text,
    pub(super) head: Text,
    pub(super) head_manifests: Option<ManifestsId>,
    /// The deprecation message of the channel; empty if it is not deprecated.
    pub(super) deprecation: &'a str,
}

/// A listing under construction.
#[derive(Debug, Default)]
pub(super) struct Builder {
    package_names: Vec<Bytes>,
    packages: HashMap<Text, ServedPackage>,
    bundles: Vec<ServedBundle>,
    entries: Vec<ServedEntry>,
    pieces: Vec<u8>,
}

impl Builder {
    /// Adds a bundle, and returns its position. Its skip range is ignored.
    pub(super) fn bundle(&mut self, bundle: &Bundle, plurals: &Plurals) -> usize {
        let pieces = &mut self.pieces;
        let mut start = pieces.len();
        if !plurals.is_empty() {
            put_apis(pieces, bundle, Some(plurals));
        }
        let common = pieces.len();
        put_text(pieces, bundle::CSV_NAME, &bundle.name);
        put_text(pieces, bundle::BUNDLE_PATH, bundle.image.as_deref().unwrap_or_default());
        put_text(pieces, bundle::VERSION, bundle.version.as_deref().unwrap_or_default());
        // Dependencies have the same fields as properties.
        for (field, values) in [
            (bundle::DEPENDENCIES, &bundle.dependencies),
            (bundle::PROPERTIES, &bundle.properties),
        ] {
            for value in values {
                let mut encoded = Vec::new();
                put_text(&mut encoded, property::TYPE, &value.kind);
                put_text(&mut encoded, property::VALUE, &value.value);
                put_element(pieces, field, &encoded);
            }
        }
        let mut end = pieces.len();
        put_apis(pieces, bundle, None);
        if plurals.is_empty() {
            // Both kinds of messages use the same piece.
            (start, end) = (common, pieces.len());
        }
        self.bundles.push(ServedBundle {
            name: bundle.name.clone(),
            manifests: bundle.manifests,
            inline: bundle.image.as_deref().is_none_or(str::is_empty),
            with_plurals: start..end,
            without_plurals: common..pieces.len(),
        });
        self.bundles.len() - 1
    }

    /// Appends an entry.
    pub(super) fn entry(&mut self, entry: &NewEntry<'_>) {
        let pieces = &mut self.pieces;
        let start = pieces.len();
        put_text(pieces, bundle::PACKAGE_NAME, entry.package);
        put_text(pieces, bundle::CHANNEL_NAME, entry.channel);
        put_text(pieces, bundle::SKIP_RANGE, entry.skip_range);
        put_deprecation(pieces, bundle::DEPRECATION, entry.deprecation);
        let names = start..pieces.len();
        put_text(pieces, bundle::REPLACES, entry.replaces);
        for skipped in entry.skips {
            put_element(pieces, bundle::SKIPS, skipped.as_bytes());
        }
        self.entries.push(ServedEntry {
            bundle: entry.bundle,
            package: Text::clone(entry.package),
            channel: Text::clone(entry.channel),
            listed: entry.listed,
            names,
            names_and_edges: start..pieces.len(),
        });
    }

    /// Adds a package. Packages must be added in the order of their names.
    pub(super) fn package(&mut self, package: NewPackage<'_>) {
        let mut name = Vec::new();
        put_text(&mut name, package_name::NAME, package.name);
        self.package_names.push(name.into());
        let mut message = Vec::new();
        put_text(&mut message, package::NAME, package.name);
        for channel in &package.channels {
            let mut encoded = Vec::new();
            put_text(&mut encoded, channel::NAME, channel.name);
            put_text(&mut encoded, channel::CSV_NAME, &channel.head);
            put_deprecation(&mut encoded, channel::DEPRECATION, channel.deprecation);
            put_element(&mut message, package::CHANNELS, &encoded);
        }
        put_text(&mut message, package::DEFAULT_CHANNEL_NAME, package.default_channel);
        put_deprecation(&mut message, package::DEPRECATION, package.deprecation);
        // A package without channels is listed, but cannot be requested.
        if package.channels.is_empty() {
            return;
        }
        let channels = package.channels.into_iter().map(|channel| ServedChannel {
            name: Text::clone(channel.name),
            head: channel.head,
            head_manifests: channel.head_manifests,
            entries: Vec::new(),
        });
        let served = ServedPackage {
            message: message.into(),
            channels: channels.collect(),
        };
        self.packages.insert(Text::clone(package.name), served);
    }

    /// Sorts the entries by bundle, package and channel, as database servers do. The bundles must have been added in
    /// the order of their names.
    pub(super) fn sort_by_bundle(&mut self) {
        self.entries.sort_unstable_by(|one, other| {
            (one.bundle, &one.package, &one.channel).cmp(&(other.bundle, &other.package, &other.channel))
        });
    }

    /// Returns the listing, with its entries in their current order. The entries of each channel must be in the order
    /// of their names.
    pub(super) fn finish(mut self) -> Listing {
        for (place, entry) in self.entries.iter().enumerate() {
            let Some(package) = self.packages.get_mut(&entry.package) else {
                continue;
            };
            let at = package
                .channels
                .binary_search_by(|channel| channel.name.cmp(&entry.channel));
            if let Some(channel) = at.ok().and_then(|at| package.channels.get_mut(at)) {
                channel.entries.extend(u32::try_from(place));
            }
        }
        self.entries.shrink_to_fit();
        self.bundles.shrink_to_fit();
        self.pieces.shrink_to_fit();
        Listing {
            package_names: self.package_names,
            packages: self.packages,
            bundles: self.bundles,
            entries: self.entries,
            pieces: self.pieces.into(),
        }
    }
}

fn put_apis(pieces: &mut Vec<u8>, bundle: &Bundle, plurals: Option<&Plurals>) {
    for (field, values) in [
        (bundle::PROVIDED_APIS, &bundle.properties),
        (bundle::REQUIRED_APIS, &bundle.dependencies),
    ] {
        for api in values.iter().filter_map(Property::group_version_kind) {
            let mut encoded = Vec::new();
            put_text(&mut encoded, group_version_kind::GROUP, &api.group);
            put_text(&mut encoded, group_version_kind::VERSION, &api.version);
            put_text(&mut encoded, group_version_kind::KIND, &api.kind);
            if let Some(plural) = plurals.and_then(|plurals| plurals.get(&api)) {
                put_text(&mut encoded, group_version_kind::PLURAL, plural);
            }
            put_element(pieces, field, &encoded);
        }
    }
}

fn put_deprecation(message: &mut Vec<u8>, field: u32, why: &str) {
    if !why.is_empty() {
        let mut encoded = Vec::new();
        put_text(&mut encoded, deprecation::MESSAGE, why);
        put_element(message, field, &encoded);
    }
}

/// Encodes the manifest fields of a bundle.
pub(super) fn encode_manifests<T: AsRef<str>>(csv: Option<&str>, objects: &[T]) -> Bytes {
    let texts = csv.into_iter().chain(objects.iter().map(AsRef::as_ref));
    let mut fields = Vec::with_capacity(texts.map(|text| text.len() + 8).sum());
    put_text(&mut fields, bundle::CSV_JSON, csv.unwrap_or_default());
    for object in objects {
        put_element(&mut fields, bundle::OBJECT, object.as_ref().as_bytes());
    }
    fields.into()
}

/// Returns the head of a channel in the form that `GetBundleForChannel` returns for a database. `csv` is the encoded
/// field with its ClusterServiceVersion.
pub(super) fn head_message(name: &str, csv: Bytes) -> Encoded {
    let mut named = Vec::new();
    put_text(&mut named, bundle::CSV_NAME, name);
    Encoded([named.into(), csv, Bytes::new(), Bytes::new()])
}

#[cfg(test)]
mod tests;
