//! The catalog as the server keeps it: messages encoded once, and what is needed to find them.

use super::encoded::{Encoded, put_element, put_text};
use crate::catalog::{Bundle, Catalog, ManifestsId, Property, Text};
use crate::kubernetes::GroupVersionKind;
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

    /// The field with the skip range for every bundle, in the order of the bundles.
    pub(super) fn encode_skip_ranges(&self, ranges: &HashMap<ManifestsId, Text>) -> Vec<Bytes> {
        let field = |range: &Text| {
            let mut field = Vec::new();
            put_text(&mut field, 10, range);
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

    /// The message of an entry in the listing of all bundles.
    pub(super) fn listed_message(&self, entry: &ServedEntry, skip_ranges: &[Bytes], manifests: Bytes) -> Encoded {
        Encoded([
            self.pieces.slice(self.bundles[entry.bundle].without_plurals.clone()),
            self.pieces.slice(entry.names_and_edges.clone()),
            skip_ranges.get(entry.bundle).cloned().unwrap_or_default(),
            manifests,
        ])
    }

    /// The message of an entry that was asked for by name: without edges, and with the resource names of its APIs.
    pub(super) fn single_message(&self, entry: &ServedEntry, skip_ranges: &[Bytes], manifests: Bytes) -> Encoded {
        Encoded([
            self.pieces.slice(self.bundles[entry.bundle].with_plurals.clone()),
            self.pieces.slice(entry.names.clone()),
            skip_ranges.get(entry.bundle).cloned().unwrap_or_default(),
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
pub(super) fn encode_manifests(csv: Option<&str>, objects: &[&str]) -> Bytes {
    let lengths = csv.iter().chain(objects).map(|text| text.len() + 8);
    let mut fields = Vec::with_capacity(lengths.sum());
    put_text(&mut fields, 4, csv.unwrap_or_default());
    for object in objects {
        put_element(&mut fields, 5, object.as_bytes());
    }
    fields.into()
}

/// The head of a channel as `GetBundleForChannel` answers with it.
pub(super) fn head_message(name: &str, csv: &str) -> Encoded {
    let mut message = Vec::with_capacity(name.len() + csv.len() + 16);
    put_text(&mut message, 1, name);
    put_text(&mut message, 4, csv);
    Encoded::from(Bytes::from(message))
}

#[cfg(test)]
mod tests {
    use super::super::proto;
    use super::*;
    use crate::catalog::{BundleId, Channel, Entry, Package};
    use prost::Message;

    fn bundle(name: &str, at: i64, image: Option<&str>) -> Bundle {
        let property = |kind: &str, value: &str| Property {
            kind: kind.into(),
            value: value.into(),
        };
        Bundle {
            name: name.into(),
            version: Some("1.0.0".into()),
            image: image.map(Into::into),
            skip_range: None,
            properties: vec![
                property("olm.gvk", r#"{"group":"g.io","kind":"K","version":"v1"}"#),
                property("olm.gvk", "not JSON"),
            ],
            dependencies: vec![property("olm.label", "")],
            manifests: ManifestsId(at),
        }
    }

    fn listing() -> Listing {
        let entry = |bundle, replaces: Option<&str>| Entry {
            bundle: BundleId(bundle),
            replaces: replaces.map(Into::into),
            skips: vec!["s".into(), "".into()],
        };
        let channel = |name: &str, entries| Channel {
            name: name.into(),
            head: Some("b".into()),
            entries,
        };
        let package = |name: &str, channels| Package {
            name: name.into(),
            default_channel: None,
            channels,
        };
        let catalog = Catalog {
            packages: vec![
                package("empty", vec![]),
                package(
                    "p",
                    vec![
                        channel("x", vec![entry(1, Some("a")), entry(0, None), entry(9, None)]),
                        channel("y", vec![entry(1, None)]),
                    ],
                ),
            ],
            bundles: vec![bundle("a", 7, None), bundle("b", 8, Some("registry.example.com/b:1"))],
        };
        let kind = GroupVersionKind {
            group: "g.io".to_owned(),
            version: "v1".to_owned(),
            kind: "K".to_owned(),
        };
        Listing::new(&catalog, &HashMap::from([(kind, "kays".to_owned())]))
    }

    #[test]
    fn a_package_without_channels_is_named_but_not_found() {
        let listing = listing();
        assert!(listing.package_name(1).is_some() && listing.package_name(2).is_none());
        assert!(listing.package("empty").is_none());
        let package = proto::Package::decode(&*listing.package("p").unwrap().encode_to_vec()).unwrap();
        assert_eq!(package.channels.len(), 2);
        assert_eq!(listing.head("p", "y"), Some(("b", ManifestsId(8))));
        assert_eq!(listing.head("p", "z"), None);
    }

    #[test]
    fn the_listing_leaves_out_rows_that_are_not_whole() {
        let listing = listing();
        let ranges = listing.encode_skip_ranges(&HashMap::from([(ManifestsId(8), Text::from("<1"))]));
        let (mut at, mut shown) = (0, Vec::new());
        while let Some((place, entry)) = listing.listed(at) {
            let message = listing.listed_message(entry, &ranges, Bytes::new()).encode_to_vec();
            let message = proto::Bundle::decode(&*message).unwrap();
            assert_eq!(message.provided_apis.len(), 1);
            assert_eq!(message.provided_apis[0].plural, "");
            assert_eq!(message.properties.len(), 2);
            shown.push((
                message.csv_name,
                message.channel_name,
                message.replaces,
                message.skips,
                message.skip_range,
            ));
            at = place + 1;
        }
        let row = |channel: &str, replaces: &str| {
            let skips = vec!["s".to_owned(), String::new()];
            (
                "b".to_owned(),
                channel.to_owned(),
                replaces.to_owned(),
                skips,
                "<1".to_owned(),
            )
        };
        assert_eq!(shown, [row("x", "a"), row("y", "")]);
    }

    #[test]
    fn a_single_bundle_has_manifests_and_plurals_but_no_edges() {
        let listing = listing();
        assert!(listing.entry("p", "y", "a").is_none());
        let entry = listing.entry("p", "x", "a").unwrap();
        let manifests = encode_manifests(Some("{}"), &["{}", "{\"kind\":\"X\"}"]);
        let message = listing.single_message(entry, &[], manifests).encode_to_vec();
        let message = proto::Bundle::decode(&*message).unwrap();
        assert_eq!((message.csv_json.as_str(), message.object.len()), ("{}", 2));
        assert_eq!(message.provided_apis[0].plural, "kays");
        assert!(message.replaces.is_empty() && message.skips.is_empty() && message.bundle_path.is_empty());
    }
}
