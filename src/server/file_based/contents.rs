//! The data about a catalog that the server keeps in memory: names and edges, and bundle messages without manifests.

use super::super::listing::{Builder, Listing, NewChannel, NewEntry, NewPackage, Plurals};
use super::graph::{self, Graph};
use crate::catalog::file_based::document::Document;
use crate::catalog::file_based::read::Handle;
use crate::catalog::file_based::{Deprecation, Identity, OlmSchema, Reference, Schema, WrittenProperty};
use crate::catalog::{Bundle, ManifestsId, Property, Text, Texts};
use crate::kubernetes::GroupVersionKind;
use crate::olm::property::{CONSTRAINT, holds_manifests};
use crate::olm::spelling::{as_dependency, is_requirement};
use crate::text::canonical;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

/// The documents read so far, until they are sorted.
#[derive(Debug, Default)]
pub(super) struct Contents {
    texts: Texts,
    builder: Builder,
    packages: BTreeMap<Text, Package>,
    /// The positions of bundles in the listing, by package and name.
    bundles: HashMap<(Text, Text), usize>,
    /// The package and name of each bundle, in the order of the documents.
    names: Vec<(Text, Text)>,
    /// For each API, the positions of the bundles that provide it, in ascending order.
    providers: HashMap<GroupVersionKind, Vec<usize>>,
}

/// The data derived from the documents of a catalog.
#[derive(Debug)]
pub(super) struct Finished {
    pub(super) listing: Listing,
    pub(super) graph: Graph,
    /// The package and name of each bundle, indexed by [`ManifestsId`].
    pub(super) bundles: Vec<(Text, Text)>,
}

#[derive(Debug, Default)]
struct Package {
    /// `None` if the catalog has no `olm.package` document for the package, only documents that refer to it.
    default_channel: Option<Text>,
    channels: BTreeMap<Text, Vec<ReadEntry>>,
    /// The deprecation messages by schema and name; the message of the package itself has no name.
    deprecations: HashMap<(Schema, Text), String>,
}

#[derive(Debug)]
struct ReadEntry {
    name: Text,
    replaces: Text,
    skips: Vec<Text>,
    skip_range: Text,
}

impl Contents {
    /// Adds the required data from a document.
    pub(super) fn add(&mut self, handle: &Handle, document: &Document) {
        match handle.schema.of_olm() {
            Some(OlmSchema::Package) => {
                let default_channel = self.texts.share(&document.text("defaultChannel"));
                self.package(handle).default_channel = Some(default_channel);
            }
            Some(OlmSchema::Channel) => {
                let entries = document.entries().unwrap_or_default();
                let mut texts = std::mem::take(&mut self.texts);
                let entries = entries.into_iter().map(|entry| ReadEntry {
                    name: texts.share(&entry.name),
                    replaces: texts.share(&entry.replaces),
                    skips: entry.skips.iter().map(|skipped| texts.share(skipped)).collect(),
                    skip_range: texts.share(&entry.skip_range),
                });
                let entries = entries.collect();
                self.texts = texts;
                self.package(handle).channels.insert(Text::clone(&handle.name), entries);
            }
            Some(OlmSchema::Bundle) => self.bundle(handle, document),
            Some(OlmSchema::Deprecations) => {
                let entries = document.deprecations().unwrap_or_default();
                let of = |entry: Deprecation| {
                    let Reference { schema, name } = entry.reference;
                    Some(((schema?, name.into()), entry.message))
                };
                self.package(handle)
                    .deprecations
                    .extend(entries.into_iter().filter_map(of));
            }
            None => {}
        }
    }

    fn package(&mut self, handle: &Handle) -> &mut Package {
        self.packages.entry(Text::clone(&handle.package)).or_default()
    }

    /// Adds a bundle, which is encoded at once so that its document can be dropped.
    fn bundle(&mut self, handle: &Handle, document: &Document) {
        let properties = document.properties().unwrap_or_default();
        let place = self.names.len();
        let mut bundle = Bundle {
            name: Text::clone(&handle.name),
            version: Identity::among(&properties).version.map(Text::from),
            image: Some(document.text("image").into()),
            properties: Vec::with_capacity(properties.len()),
            dependencies: Vec::new(),
            manifests: ManifestsId(i64::try_from(place).unwrap_or(i64::MAX)),
        };
        for WrittenProperty { kind, value } in &properties {
            // Manifests are sent in separate fields.
            if holds_manifests(kind) {
                continue;
            }
            bundle.dependencies.extend(dependency(kind, value.get()));
            let property = Property {
                kind: self.texts.share(kind),
                value: compact(value.get()).into(),
            };
            if let Some(api) = property.group_version_kind() {
                let providers = self.providers.entry(api).or_default();
                if providers.last() != Some(&place) {
                    providers.push(place);
                }
            }
            bundle.properties.push(property);
        }
        self.builder.bundle(&bundle, &Plurals::new());
        let name = (Text::clone(&handle.package), bundle.name);
        self.bundles.insert(name.clone(), place);
        self.names.push(name);
    }

    /// Sorts everything by the names of packages, channels and bundles.
    pub(super) fn finish(mut self) -> Finished {
        let mut channels = Vec::new();
        for (name, package) in &self.packages {
            let Some(default_channel) = &package.default_channel else {
                continue;
            };
            let why = |schema: Schema, name: &str| {
                let key = (schema, Text::from(name));
                package.deprecations.get(&key).map_or("", String::as_str)
            };
            let mut listed = Vec::with_capacity(package.channels.len());
            for (channel, entries) in &package.channels {
                let mut entries: Vec<(usize, &ReadEntry)> = entries
                    .iter()
                    .filter_map(|entry| {
                        let of = (Text::clone(name), Text::clone(&entry.name));
                        Some((*self.bundles.get(&of)?, entry))
                    })
                    .collect();
                entries.sort_by(|(_, one), (_, other)| one.name.cmp(&other.name));
                for (bundle, entry) in &entries {
                    self.builder.entry(&NewEntry {
                        bundle: *bundle,
                        package: name,
                        channel,
                        listed: true,
                        skip_range: &entry.skip_range,
                        deprecation: why(Schema::Bundle, &entry.name),
                        replaces: &entry.replaces,
                        skips: &entry.skips,
                    });
                }
                let in_graph = graph::Channel::new(
                    Text::clone(name),
                    Text::clone(channel),
                    channel == default_channel,
                    entries.iter().map(|(bundle, entry)| graph::ServedEntry {
                        bundle: *bundle,
                        name: Text::clone(&entry.name),
                        replaces: Text::clone(&entry.replaces),
                        skips: entry.skips.clone(),
                    }),
                );
                let head = in_graph.head();
                listed.push(NewChannel {
                    name: channel,
                    head: head.map(|head| Text::clone(&head.name)).unwrap_or_default(),
                    head_manifests: None,
                    deprecation: why(Schema::Channel, channel),
                });
                channels.push(in_graph);
            }
            self.builder.package(NewPackage {
                name,
                default_channel,
                deprecation: why(Schema::Package, ""),
                channels: listed,
            });
        }
        let graph = Graph {
            channels,
            providers: self.providers,
        };
        Finished {
            listing: self.builder.finish(),
            graph,
            bundles: self.names,
        }
    }
}

/// Converts a property that represents a requirement into a dependency. Constraints remain properties.
fn dependency(kind: &str, value: &str) -> Option<Property> {
    if kind == CONSTRAINT || !is_requirement(kind) {
        return None;
    }
    let parsed: Value = serde_json::from_str(value).ok()?;
    let (kind, respelled) = as_dependency(kind, &parsed).filter(|(_, value)| value.is_object())?;
    let value = if respelled == parsed {
        compact(value).into()
    } else {
        compact(&canonical::to_string(&respelled)).into()
    };
    Some(Property {
        kind: kind.into(),
        value,
    })
}

/// Removes the white space between JSON tokens. Like existing servers, also replaces the escapes `\u003c`, `\u003e` and
/// `\u0026` with the characters themselves; Go writes these escapes to make JSON safe in web pages.
fn compact(json: &str) -> Cow<'_, str> {
    const ESCAPES: [(&str, char); 3] = [("u003c", '<'), ("u003e", '>'), ("u0026", '&')];
    if !json.bytes().any(|byte| byte == b'\\' || byte.is_ascii_whitespace()) {
        return Cow::Borrowed(json);
    }
    let mut compact = String::with_capacity(json.len());
    let mut rest = json.chars();
    let mut inside = false;
    while let Some(letter) = rest.next() {
        match letter {
            '\\' if inside => {
                let behind = rest.as_str();
                let of_go = ESCAPES.iter().find(|(escape, _)| {
                    let start = behind.get(..escape.len());
                    start.is_some_and(|start| start.eq_ignore_ascii_case(escape))
                });
                if let Some((escape, meant)) = of_go {
                    rest = behind.get(escape.len()..).unwrap_or_default().chars();
                    compact.push(*meant);
                } else {
                    compact.push(letter);
                    compact.extend(rest.next());
                }
                continue;
            }
            '"' => inside = !inside,
            _ => {}
        }
        if inside || !letter.is_ascii_whitespace() {
            compact.push(letter);
        }
    }
    Cow::Owned(compact)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_required_package_survives_unchanged() {
        let value = r#"{"packageName": "p", "versionRange": ">=1 <2", "intent": "recommended"}"#;
        let property = dependency("olm.package.required", value).unwrap();
        assert_eq!(&*property.kind, "olm.package");
        assert_eq!(
            &*property.value,
            r#"{"intent":"recommended","packageName":"p","version":">=1 <2"}"#
        );
        assert_eq!(dependency("olm.package", value), None);
        assert_eq!(dependency("olm.package.required", "[]"), None);
    }

    #[test]
    fn characters_that_go_escapes_for_html_are_written_unescaped() {
        let json = r#"{"a": "\u003c\u003E\u0026 \\u003c \u00e9\""}"#;
        assert_eq!(compact(json), r#"{"a":"<>& \\u003c \u00e9\""}"#);
    }

    proptest! {
        #[test]
        fn compact_json_equals_that_of_a_compact_writer(
            keys in prop::collection::vec("[ a\"\\\\\n<é]{0,5}", 0..4),
            text in "[ \"\\\\\n\t{},]{0,9}",
        ) {
            let map: serde_json::Map<_, _> = keys.into_iter().map(|key| (key, Value::from(text.as_str()))).collect();
            let value = Value::Array(vec![Value::Object(map), Value::from(1), Value::Null]);
            let written = format!("{value:#}");
            prop_assert_eq!(compact(&written).into_owned(), value.to_string());
        }
    }
}
