//! The catalog as the server keeps it: messages encoded once, and what is needed to find them.

use super::encoded::{Encoded, put_element, put_text};
use crate::catalog::{Bundle, Catalog, GroupVersionKind, ManifestsId, Property, Text};
use crate::index::load::Manifests;
use prost::bytes::Bytes;
use std::collections::HashMap;
use std::ops::Range;

/// The resource names of kinds.
type Plurals = HashMap<GroupVersionKind, String>;

/// All that is served but the manifests.
#[derive(Debug)]
pub(super) struct Listing {
    /// The names as messages, sorted.
    package_names: Vec<Bytes>,
    packages: HashMap<Text, ServedPackage>,
    bundles: Vec<ServedBundle>,
    /// Sorted by the names of bundle, package and channel.
    entries: Vec<ServedEntry>,
    /// Every encoded piece of a bundle.
    pieces: Bytes,
}

#[derive(Debug)]
struct ServedPackage {
    message: Bytes,
    /// Channel name, head, and the handle of the head's manifests.
    channels: Vec<(Text, Text, ManifestsId)>,
}

#[derive(Debug)]
struct ServedBundle {
    name: Text,
    manifests: ManifestsId,
    inline: bool,
    /// In [`Listing::pieces`]: the APIs with their resource names, the other fields, the APIs without. A listing sends
    /// the last two, the answer to a question for one bundle the first two.
    with_plurals: Range<usize>,
    without_plurals: Range<usize>,
}

#[derive(Debug)]
pub(super) struct ServedEntry {
    /// In [`Listing::bundles`], always.
    bundle: usize,
    package: Text,
    channel: Text,
    /// Whether the rows of the index are complete enough for the listing of all bundles.
    listed: bool,
    names: Range<usize>,
    names_and_edges: Range<usize>,
}

/// What a listing must fetch to complete the message of an entry.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted {
    /// The bundle.
    pub(super) id: ManifestsId,
    /// Whether its manifests are part of the message.
    pub(super) inline: bool,
}

impl Listing {
    pub(super) fn new(catalog: &Catalog, plurals: &Plurals) -> Self {
        let mut pieces = Vec::new();
        let bundles: Vec<_> = catalog
            .bundles
            .iter()
            .map(|bundle| serve_bundle(bundle, plurals, &mut pieces))
            .collect();
        let mut listing = Self {
            package_names: Vec::with_capacity(catalog.packages.len()),
            packages: HashMap::with_capacity(catalog.packages.len()),
            bundles,
            entries: Vec::new(),
            pieces: Bytes::new(),
        };
        for package in &catalog.packages {
            let mut name = Vec::new();
            put_text(&mut name, 1, &package.name);
            listing.package_names.push(name.clone().into());
            let mut message = name;
            let mut channels = Vec::with_capacity(package.channels.len());
            for channel in &package.channels {
                let head = channel.head.clone().unwrap_or_default();
                let mut encoded = Vec::new();
                put_text(&mut encoded, 1, &channel.name);
                put_text(&mut encoded, 2, &head);
                put_element(&mut message, 2, &encoded);
                if let Some(bundle) = catalog.find(&head).and_then(|id| catalog.bundle(id)) {
                    channels.push((channel.name.clone(), head, bundle.manifests));
                }
                for entry in &channel.entries {
                    let Some(bundle) = catalog.bundle(entry.bundle) else {
                        continue;
                    };
                    let start = pieces.len();
                    put_text(&mut pieces, 2, &package.name);
                    put_text(&mut pieces, 3, &channel.name);
                    let names = start..pieces.len();
                    put_text(&mut pieces, 13, entry.replaces.as_deref().unwrap_or_default());
                    for skipped in &entry.skips {
                        put_element(&mut pieces, 14, skipped.as_bytes());
                    }
                    listing.entries.push(ServedEntry {
                        bundle: entry.bundle.0 as usize,
                        package: package.name.clone(),
                        channel: channel.name.clone(),
                        listed: bundle.version.is_some() && bundle.image.is_some(),
                        names,
                        names_and_edges: start..pieces.len(),
                    });
                }
            }
            put_text(&mut message, 3, package.default_channel.as_deref().unwrap_or_default());
            // A package without channels is listed, but nobody can ask for it.
            if !package.channels.is_empty() {
                let message = message.into();
                listing
                    .packages
                    .insert(package.name.clone(), ServedPackage { message, channels });
            }
        }
        // The bundles are sorted by name, so that their places sort as their names do.
        listing.entries.sort_unstable_by(|one, other| {
            (one.bundle, &one.package, &one.channel).cmp(&(other.bundle, &other.package, &other.channel))
        });
        listing.entries.shrink_to_fit();
        listing.pieces = pieces.into();
        listing
    }

    pub(super) fn package_name(&self, at: usize) -> Option<Encoded> {
        self.package_names.get(at).cloned().map(Encoded::from)
    }

    pub(super) fn package(&self, name: &str) -> Option<Encoded> {
        Some(Encoded::from(self.packages.get(name)?.message.clone()))
    }

    /// The name of a channel's head, and the handle of its manifests.
    pub(super) fn head(&self, package: &str, channel: &str) -> Option<(&str, ManifestsId)> {
        let channels = &self.packages.get(package)?.channels;
        let at = channels.binary_search_by(|(name, ..)| (**name).cmp(channel)).ok()?;
        channels.get(at).map(|(_, head, id)| (&**head, *id))
    }

    /// The entry of a bundle in a channel.
    pub(super) fn entry(&self, package: &str, channel: &str, bundle: &str) -> Option<&ServedEntry> {
        let bundle = self.bundles.binary_search_by(|known| (*known.name).cmp(bundle)).ok()?;
        let at = self.entries.binary_search_by(|entry| {
            (entry.bundle, &*entry.package, &*entry.channel).cmp(&(bundle, package, channel))
        });
        self.entries.get(at.ok()?)
    }

    /// The next entry of the listing at or behind the place `at`, with its place.
    pub(super) fn listed(&self, at: usize) -> Option<(usize, &ServedEntry)> {
        let behind = self.entries.get(at..)?;
        let skipped = behind.iter().position(|entry| entry.listed)?;
        behind.get(skipped).map(|entry| (at + skipped, entry))
    }

    pub(super) fn wanted(&self, entry: &ServedEntry) -> Wanted {
        let bundle = &self.bundles[entry.bundle];
        Wanted {
            id: bundle.manifests,
            inline: bundle.inline,
        }
    }

    /// The message of an entry in the listing of all bundles.
    pub(super) fn listed_message(&self, entry: &ServedEntry, skip_range: Bytes, manifests: Bytes) -> Encoded {
        Encoded([
            self.pieces.slice(self.bundles[entry.bundle].without_plurals.clone()),
            self.pieces.slice(entry.names_and_edges.clone()),
            skip_range,
            manifests,
        ])
    }

    /// The message of an entry that was asked for by name: without edges, and with the resource names of its APIs.
    pub(super) fn single_message(&self, entry: &ServedEntry, skip_range: Bytes, manifests: Bytes) -> Encoded {
        Encoded([
            self.pieces.slice(self.bundles[entry.bundle].with_plurals.clone()),
            self.pieces.slice(entry.names.clone()),
            skip_range,
            manifests,
        ])
    }
}

fn serve_bundle(bundle: &Bundle, plurals: &Plurals, pieces: &mut Vec<u8>) -> ServedBundle {
    let start = pieces.len();
    put_apis(pieces, bundle, Some(plurals));
    let common = pieces.len();
    put_text(pieces, 1, &bundle.name);
    put_text(pieces, 6, bundle.image.as_deref().unwrap_or_default());
    put_text(pieces, 9, bundle.version.as_deref().unwrap_or_default());
    for (field, values) in [(11, &bundle.dependencies), (12, &bundle.properties)] {
        for value in values {
            let mut encoded = Vec::new();
            put_text(&mut encoded, 1, &value.kind);
            put_text(&mut encoded, 2, &value.value);
            put_element(pieces, field, &encoded);
        }
    }
    let end_of_common = pieces.len();
    put_apis(pieces, bundle, None);
    ServedBundle {
        name: bundle.name.clone(),
        manifests: bundle.manifests,
        inline: bundle.image.as_deref().is_none_or(str::is_empty),
        with_plurals: start..end_of_common,
        without_plurals: common..pieces.len(),
    }
}

fn put_apis(pieces: &mut Vec<u8>, bundle: &Bundle, plurals: Option<&Plurals>) {
    for (field, values) in [(7, &bundle.properties), (8, &bundle.dependencies)] {
        for api in values.iter().filter_map(Property::group_version_kind) {
            let mut encoded = Vec::new();
            put_text(&mut encoded, 1, &api.group);
            put_text(&mut encoded, 2, &api.version);
            put_text(&mut encoded, 3, &api.kind);
            if let Some(plural) = plurals.and_then(|plurals| plurals.get(&api)) {
                put_text(&mut encoded, 4, plural);
            }
            put_element(pieces, field, &encoded);
        }
    }
}

/// The fields of a bundle that hold its manifests.
pub(super) fn encode_manifests(manifests: &Manifests) -> Bytes {
    let length = manifests.objects.iter().map(|object| object.len() + 8).sum::<usize>();
    let mut fields = Vec::with_capacity(length + manifests.csv.as_ref().map_or(0, |csv| csv.len() + 8));
    if let Some(csv) = &manifests.csv {
        put_text(&mut fields, 4, csv);
    }
    for object in &manifests.objects {
        put_element(&mut fields, 5, object.as_bytes());
    }
    fields.into()
}

/// The field of a bundle that holds its skip range.
pub(super) fn encode_skip_range(range: &str) -> Bytes {
    let mut field = Vec::new();
    put_text(&mut field, 10, range);
    field.into()
}

/// The head of a channel as [`GetBundleForChannel`](super::proto::registry_client::RegistryClient) answers with it.
pub(super) fn head_message(name: &str, csv: &str) -> Encoded {
    let mut message = Vec::with_capacity(name.len() + csv.len() + 16);
    put_text(&mut message, 1, name);
    put_text(&mut message, 4, csv);
    Encoded::from(Bytes::from(message))
}
