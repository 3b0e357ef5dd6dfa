//! A file-based catalog as a [`Catalog`]: the same names, edges and values that a database would give.
//!
//! What a bundle needs stands among its properties here. It becomes dependencies, in the form of an index: of
//! `olm.gvk.required`, `olm.package.required` and `olm.constraint`. Manifests and what user interfaces show stay where
//! they are; [`ManifestsId`] is the number of the bundle's document.
//!
//! In this form the range that a bundle skips belongs to its entry in a channel. [`Bundle::skip_range`] is that of the
//! entry in the default channel, else of the first channel, by name, that gives one; [`Loaded::skip_range`] knows each.

use super::document::Document;
use super::read::{CatalogError, FileBasedCatalog};
use super::{BUNDLE, BUNDLE_OBJECT, CHANNEL, CSV_METADATA, DEPRECATIONS, PACKAGE};
use crate::catalog::{Bundle, BundleId, Catalog, Channel, Entry, ManifestsId, Package, Property, Text, Texts};
use crate::text::canonical;
use crate::version::parse_strict;
use semver::Version;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt;
use std::path::PathBuf;

/// A file-based catalog in memory.
#[derive(Debug, Default)]
pub struct Loaded {
    /// Packages, channels and bundles. Two packages may have a bundle of one name; [`Catalog::find`] gives one of them.
    pub catalog: Catalog,
    /// What the documents `olm.deprecations` are about.
    pub deprecated: Deprecated,
    /// By package and channel: entries whose range is not that of the bundle.
    ranges: HashMap<(Text, Text, BundleId), Option<Text>>,
}

/// What should no longer be chosen, for a reason that users are told.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Deprecated {
    /// Packages.
    pub packages: BTreeSet<Text>,
    /// Package and channel.
    pub channels: BTreeSet<(Text, Text)>,
    /// Package and bundle.
    pub bundles: BTreeSet<(Text, Text)>,
}

impl Loaded {
    /// The range that an entry of a channel skips.
    pub fn skip_range(&self, package: &Package, channel: &Channel, bundle: BundleId) -> Option<&Text> {
        let key = (package.name.clone(), channel.name.clone(), bundle);
        match self.ranges.get(&key) {
            Some(own) => own.as_ref(),
            None => self.catalog.bundle(bundle)?.skip_range.as_ref(),
        }
    }
}

/// Where a document begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct At {
    /// The file.
    pub file: PathBuf,
    /// The line, from 1.
    pub line: usize,
}

impl fmt::Display for At {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.file.display(), self.line)
    }
}

/// Why documents make no catalog.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// They cannot be read.
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    /// One of them is wrong.
    #[error("{}{problem}", .at.as_ref().map(|at| format!("{at}: ")).unwrap_or_default())]
    Document {
        /// Where it is, if in a file.
        at: Option<At>,
        /// What is wrong with it.
        problem: LoadProblem,
    },
}

/// What is wrong with a document.
#[derive(Debug, thiserror::Error)]
pub enum LoadProblem {
    /// A field has another shape than its schema says.
    #[error("{field} of {subject}: {source}")]
    Shape {
        /// What the document is about.
        subject: Subject,
        /// The field.
        field: &'static str,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// It has no name.
    #[error("the {schema} has no name")]
    Nameless {
        /// The schema.
        schema: String,
    },
    /// There is another of the name.
    #[error("there is {subject} already")]
    Duplicate {
        /// What stands twice.
        subject: Subject,
    },
    /// It belongs to a package that is not there.
    #[error("{subject} belongs to a package that is not in the catalog")]
    NoPackage {
        /// What belongs to it.
        subject: Subject,
    },
    /// A channel has an entry for which there is no bundle.
    #[error("{subject} has an entry of bundle {bundle:?}, which is not in the catalog")]
    NoBundle {
        /// The channel.
        subject: Subject,
        /// The bundle.
        bundle: String,
    },
    /// A channel has two entries of a name.
    #[error("{subject} has two entries of bundle {bundle:?}")]
    DuplicateEntry {
        /// The channel.
        subject: Subject,
        /// The bundle.
        bundle: String,
    },
}

/// What a document is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// A package.
    Package(String),
    /// A channel, behind its package.
    Channel(String, String),
    /// A bundle, behind its package.
    Bundle(String, String),
    /// The deprecations of a package.
    Deprecations(String),
}

impl fmt::Display for Subject {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Package(name) => write!(formatter, "package {name:?}"),
            Self::Channel(package, name) => write!(formatter, "channel {name:?} of package {package:?}"),
            Self::Bundle(package, name) => write!(formatter, "bundle {name:?} of package {package:?}"),
            Self::Deprecations(package) => write!(formatter, "the deprecations of package {package:?}"),
        }
    }
}

/// Reads all of a catalog.
///
/// # Errors
/// When a document cannot be read, or they do not fit together.
pub fn load(files: &FileBasedCatalog) -> Result<Loaded, LoadError> {
    let mut loader = Loader::default();
    for (number, handle) in files.handles.iter().enumerate() {
        let known = [PACKAGE, CHANNEL, BUNDLE, DEPRECATIONS];
        if !known.contains(&&*handle.schema) {
            continue;
        }
        let at = At {
            file: files.file(handle).to_owned(),
            line: handle.line,
        };
        loader.add(number, Some(at), &files.document(handle)?)?;
    }
    loader.finish()
}

/// Puts a catalog together out of its documents, which come in any order.
#[derive(Debug, Default)]
pub struct Loader {
    texts: Texts,
    packages: BTreeMap<Text, Option<Text>>,
    channels: BTreeMap<(Text, Text), (Option<At>, Vec<ReadEntry>)>,
    /// By name and package, as in a catalog.
    bundles: BTreeMap<(Text, Text), (Option<At>, Bundle)>,
    deprecated: Deprecated,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ReadEntry {
    #[serde(default)]
    name: String,
    replaces: Option<String>,
    skips: Option<Vec<String>>,
    skip_range: Option<String>,
}

#[derive(Debug, Deserialize)]
struct ReadProperty {
    #[serde(rename = "type", default)]
    kind: String,
    value: Option<Box<RawValue>>,
}

#[derive(Debug, Deserialize)]
struct ReadDeprecation {
    reference: Reference,
}

#[derive(Debug, Deserialize)]
struct Reference {
    #[serde(default)]
    schema: String,
    #[serde(default)]
    name: String,
}

impl Loader {
    /// Adds a document. `number` becomes the handle of a bundle. Documents of schemas that say nothing about packages,
    /// channels and bundles do no harm.
    ///
    /// # Errors
    /// When it is not what its schema says, or stands there already.
    pub fn add(&mut self, number: usize, at: Option<At>, document: &Document) -> Result<(), LoadError> {
        let added = match document.text("schema").as_str() {
            PACKAGE => self.package(document),
            CHANNEL => self.channel(at.as_ref(), document),
            BUNDLE => self.bundle(number, at.as_ref(), document),
            DEPRECATIONS => self.deprecations(document),
            _ => Ok(()),
        };
        added.map_err(|problem| LoadError::Document { at, problem })
    }

    fn package(&mut self, document: &Document) -> Result<(), LoadProblem> {
        let name = named(document)?;
        let default_channel = document.text("defaultChannel");
        let default_channel = (!default_channel.is_empty()).then(|| self.texts.share(&default_channel));
        if self.packages.insert(self.texts.share(&name), default_channel).is_some() {
            let subject = Subject::Package(name);
            return Err(LoadProblem::Duplicate { subject });
        }
        Ok(())
    }

    fn channel(&mut self, at: Option<&At>, document: &Document) -> Result<(), LoadProblem> {
        let (package, name) = (document.text("package"), named(document)?);
        let subject = Subject::Channel(package.clone(), name.clone());
        let entries: Vec<ReadEntry> = list(document, "entries", &subject)?;
        let key = (self.texts.share(&package), self.texts.share(&name));
        if self.channels.insert(key, (at.cloned(), entries)).is_some() {
            return Err(LoadProblem::Duplicate { subject });
        }
        Ok(())
    }

    fn bundle(&mut self, number: usize, at: Option<&At>, document: &Document) -> Result<(), LoadProblem> {
        let (package, name) = (document.text("package"), named(document)?);
        let subject = Subject::Bundle(package.clone(), name.clone());
        let mut bundle = Bundle {
            name: self.texts.share(&name),
            version: None,
            image: Some(self.texts.share(&document.text("image"))),
            skip_range: None,
            properties: Vec::new(),
            dependencies: Vec::new(),
            manifests: ManifestsId(i64::try_from(number).unwrap_or(i64::MAX)),
        };
        for property in list::<ReadProperty>(document, "properties", &subject)? {
            if [BUNDLE_OBJECT, CSV_METADATA].contains(&property.kind.as_str()) {
                continue;
            }
            let value = property
                .value
                .as_ref()
                .map_or(Ok(Value::Null), |value| serde_json::from_str(value.get()));
            let value = value.map_err(|source| LoadProblem::Shape {
                subject: subject.clone(),
                field: "properties",
                source,
            })?;
            if property.kind == PACKAGE
                && let Some(version) = value["version"].as_str()
            {
                bundle.version = Some(self.texts.share(version));
            }
            let (is_need, kind, value) = stored(property.kind, value);
            let stored = Property {
                kind: self.texts.share(&kind),
                value: self.texts.share(&canonical::to_string(&value)),
            };
            let list = if is_need {
                &mut bundle.dependencies
            } else {
                &mut bundle.properties
            };
            if !list.contains(&stored) {
                list.push(stored);
            }
        }
        let key = (bundle.name.clone(), self.texts.share(&package));
        if self.bundles.insert(key, (at.cloned(), bundle)).is_some() {
            return Err(LoadProblem::Duplicate { subject });
        }
        Ok(())
    }

    fn deprecations(&mut self, document: &Document) -> Result<(), LoadProblem> {
        let package = document.text("package");
        let entries: Vec<ReadDeprecation> = list(document, "entries", &Subject::Deprecations(package.clone()))?;
        let package = self.texts.share(&package);
        for ReadDeprecation { reference } in entries {
            let name = self.texts.share(&reference.name);
            match reference.schema.as_str() {
                PACKAGE => drop(self.deprecated.packages.insert(package.clone())),
                CHANNEL => drop(self.deprecated.channels.insert((package.clone(), name))),
                BUNDLE => drop(self.deprecated.bundles.insert((package.clone(), name))),
                _ => {}
            }
        }
        Ok(())
    }

    /// The catalog.
    ///
    /// # Errors
    /// When a channel or bundle belongs to no package, or a channel has an entry without a bundle, or two of a name.
    pub fn finish(self) -> Result<Loaded, LoadError> {
        let Self {
            mut texts,
            packages,
            channels,
            bundles,
            deprecated,
        } = self;
        let mut ids: HashMap<(Text, Text), BundleId> = HashMap::with_capacity(bundles.len());
        let mut catalog = Catalog::default();
        for ((name, package), (at, bundle)) in bundles {
            if !packages.contains_key(&package) {
                let subject = Subject::Bundle(package.to_string(), name.to_string());
                let problem = LoadProblem::NoPackage { subject };
                return Err(LoadError::Document { at, problem });
            }
            ids.insert((name, package), BundleId(u32::try_from(ids.len()).unwrap_or(u32::MAX)));
            catalog.bundles.push(bundle);
        }
        let mut loaded = Loaded {
            catalog,
            deprecated,
            ranges: HashMap::new(),
        };
        let mut own: Vec<((Text, Text, BundleId), Option<Text>)> = Vec::new();
        let package = |(name, default_channel)| Package {
            name,
            default_channel,
            channels: Vec::new(),
        };
        let mut all: BTreeMap<Text, Package> = packages
            .into_iter()
            .map(|package_of| (package_of.0.clone(), package(package_of)))
            .collect();
        for ((package, name), (at, entries)) in channels {
            let subject = || Subject::Channel(package.to_string(), name.to_string());
            let Some(into) = all.get_mut(&package) else {
                let problem = LoadProblem::NoPackage { subject: subject() };
                return Err(LoadError::Document { at, problem });
            };
            let mut seen = HashSet::new();
            let mut made = Vec::with_capacity(entries.len());
            for entry in entries {
                let key = (texts.share(&entry.name), package.clone());
                let Some(&bundle) = ids.get(&key) else {
                    let (subject, bundle) = (subject(), entry.name);
                    let problem = LoadProblem::NoBundle { subject, bundle };
                    return Err(LoadError::Document { at, problem });
                };
                if !seen.insert(bundle) {
                    let (subject, bundle) = (subject(), entry.name);
                    let problem = LoadProblem::DuplicateEntry { subject, bundle };
                    return Err(LoadError::Document { at, problem });
                }
                let mut some = |text: Option<String>| {
                    let text = text.filter(|text| !text.is_empty());
                    text.map(|text| texts.share(&text))
                };
                own.push(((package.clone(), name.clone(), bundle), some(entry.skip_range)));
                let skips = entry.skips.unwrap_or_default().into_iter();
                made.push(Entry {
                    bundle,
                    replaces: some(entry.replaces),
                    skips: skips.filter_map(|name| some(Some(name))).collect(),
                });
            }
            into.channels.push(channel(&loaded.catalog, name, made));
        }
        loaded.catalog.packages = all.into_values().collect();
        loaded.take_ranges(own);
        Ok(loaded)
    }
}

impl Loaded {
    /// Gives each bundle the range of its entries, and remembers those that differ. `own` is in the order of the channels.
    fn take_ranges(&mut self, own: Vec<((Text, Text, BundleId), Option<Text>)>) {
        let is_default = |package: &str, channel: &str| {
            let package = self.catalog.package(package);
            package.is_some_and(|package| package.default_channel.as_deref() == Some(channel))
        };
        let mut chosen: HashMap<BundleId, (bool, Text)> = HashMap::new();
        for ((package, channel, bundle), range) in &own {
            let Some(range) = range else { continue };
            let default = is_default(package, channel);
            match chosen.get(bundle) {
                Some((true, _)) => {}
                Some((false, _)) if !default => {}
                _ => drop(chosen.insert(*bundle, (default, range.clone()))),
            }
        }
        for (bundle, (_, range)) in chosen {
            if let Some(bundle) = self.catalog.bundles.get_mut(bundle.0 as usize) {
                bundle.skip_range = Some(range);
            }
        }
        for (key, range) in own {
            let of_bundle = self.catalog.bundle(key.2).and_then(|bundle| bundle.skip_range.as_ref());
            if of_bundle != range.as_ref() {
                self.ranges.insert(key, range);
            }
        }
    }
}

/// The channel, its entries from the head downwards: the others by their versions.
fn channel(catalog: &Catalog, name: Text, mut entries: Vec<Entry>) -> Channel {
    let heads: HashSet<BundleId> = heads_of(catalog, &entries).into_iter().collect();
    let version =
        |entry: &Entry| -> Option<Version> { parse_strict(catalog.bundle(entry.bundle)?.version.as_deref()?).ok() };
    let name_of = |entry: &Entry| catalog.bundle(entry.bundle).map(|bundle| bundle.name.clone());
    entries.sort_by_cached_key(|entry| {
        let behind = !heads.contains(&entry.bundle);
        (behind, std::cmp::Reverse(version(entry)), name_of(entry))
    });
    let head = match (heads.len(), entries.first()) {
        (1, Some(head)) => name_of(head),
        _ => None,
    };
    Channel { name, head, entries }
}

/// The bundles of a channel that no other entry of it replaces or skips. A sound channel has one.
pub fn heads(catalog: &Catalog, channel: &Channel) -> Vec<BundleId> {
    heads_of(catalog, &channel.entries)
}

fn heads_of(catalog: &Catalog, entries: &[Entry]) -> Vec<BundleId> {
    let name = |entry: &Entry| catalog.bundle(entry.bundle).map(|bundle| &*bundle.name);
    let below = |entry| {
        let own = name(entry);
        let named = entry.replaces.iter().chain(&entry.skips).map(|name| &**name);
        named.filter(move |name| Some(*name) != own)
    };
    let named: HashSet<&str> = entries.iter().flat_map(below).collect();
    let heads = entries
        .iter()
        .filter(|entry| name(entry).is_some_and(|name| !named.contains(name)));
    heads.map(|entry| entry.bundle).collect()
}

fn named(document: &Document) -> Result<String, LoadProblem> {
    let name = document.text("name");
    if name.is_empty() {
        let schema = document.text("schema");
        return Err(LoadProblem::Nameless { schema });
    }
    Ok(name)
}

/// A field that is a list; empty where it is not there.
fn list<T: DeserializeOwned>(
    document: &Document,
    field: &'static str,
    subject: &Subject,
) -> Result<Vec<T>, LoadProblem> {
    let items = document
        .field(field)
        .map_or(Ok(None), |value| serde_json::from_str::<Option<Vec<T>>>(value.get()));
    let items = items.map_err(|source| LoadProblem::Shape {
        subject: subject.clone(),
        field,
        source,
    })?;
    Ok(items.unwrap_or_default())
}

/// A property as an index stores it, and whether it is a dependency there.
fn stored(kind: String, mut value: Value) -> (bool, String, Value) {
    match kind.as_str() {
        "olm.gvk.required" => (true, "olm.gvk".to_owned(), value),
        "olm.package.required" => {
            if let Some(map) = value.as_object_mut()
                && let Some(range) = map.shift_remove("versionRange")
            {
                map.insert("version".to_owned(), range);
            }
            (true, "olm.package".to_owned(), value)
        }
        "olm.constraint" => (true, kind, value),
        _ => (false, kind, value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn loaded(documents: &[Value]) -> Result<Loaded, LoadError> {
        let mut loader = Loader::default();
        for (number, document) in documents.iter().enumerate() {
            let document = Document::from_json(&document.to_string()).unwrap();
            loader.add(number, None, &document)?;
        }
        loader.finish()
    }

    fn package(default_channel: &str) -> Value {
        json!({"schema": "olm.package", "name": "p", "defaultChannel": default_channel})
    }

    fn channel(name: &str, entries: &Value) -> Value {
        json!({"schema": "olm.channel", "package": "p", "name": name, "entries": entries})
    }

    fn bundle(name: &str, version: &str) -> Value {
        json!({"schema": "olm.bundle", "package": "p", "name": name, "image": "", "properties": [
            {"type": "olm.package", "value": {"version": version, "packageName": "p"}},
        ]})
    }

    #[test]
    fn what_a_bundle_needs_becomes_dependencies_and_manifests_stay_away() {
        let mut of_bundle = bundle("p.v1", "1.0.0");
        let more = json!([
            {"type": "olm.gvk", "value": {"version": "v1", "kind": "K", "group": "g"}},
            {"type": "olm.gvk.required", "value": {"version": "v1", "kind": "N", "group": "g"}},
            {"type": "olm.package.required", "value": {"versionRange": ">1.0.0", "packageName": "q", "intent": "optional"}},
            {"type": "olm.constraint", "value": {"all": {}}},
            {"type": "olm.bundle.object", "value": {"data": "e30="}},
            {"type": "olm.csv.metadata", "value": {"displayName": "P"}},
        ]);
        let list = of_bundle["properties"].as_array_mut().unwrap();
        list.extend(more.as_array().unwrap().iter().cloned());
        let documents = [of_bundle, channel("a", &json!([{"name": "p.v1"}])), package("a")];
        let loaded = loaded(&documents).unwrap();
        let bundle = &loaded.catalog.bundles[0];
        let shown = |list: &[Property]| -> Vec<String> {
            list.iter()
                .map(|property| format!("{} {}", property.kind, property.value))
                .collect()
        };
        assert_eq!(
            shown(&bundle.properties),
            [
                r#"olm.package {"packageName":"p","version":"1.0.0"}"#,
                r#"olm.gvk {"group":"g","kind":"K","version":"v1"}"#
            ]
        );
        assert_eq!(
            shown(&bundle.dependencies),
            [
                r#"olm.gvk {"group":"g","kind":"N","version":"v1"}"#,
                r#"olm.package {"intent":"optional","packageName":"q","version":"\u003e1.0.0"}"#,
                r#"olm.constraint {"all":{}}"#
            ]
        );
        assert_eq!(
            (bundle.version.as_deref(), bundle.image.as_deref()),
            (Some("1.0.0"), Some(""))
        );
        assert_eq!(bundle.manifests, ManifestsId(0));
    }

    #[test]
    fn entries_come_from_the_head_downwards() {
        let entries = json!([
            {"name": "p.v1"},
            {"name": "p.v10", "replaces": "p.v2", "skips": ["p.v9"]},
            {"name": "p.v2", "replaces": "p.v1"},
            {"name": "p.v9"},
        ]);
        let documents = [
            package("a"),
            channel("a", &entries),
            bundle("p.v1", "1.0.0"),
            bundle("p.v2", "2.0.0"),
            bundle("p.v9", "9.0.0"),
            bundle("p.v10", "10.0.0"),
        ];
        let loaded = loaded(&documents).unwrap();
        let channel = &loaded.catalog.packages[0].channels[0];
        let names = |ids: &[BundleId]| -> Vec<String> {
            let bundles = ids.iter().map(|id| loaded.catalog.bundle(*id).unwrap());
            bundles.map(|bundle| bundle.name.to_string()).collect()
        };
        let order: Vec<BundleId> = channel.entries.iter().map(|entry| entry.bundle).collect();
        assert_eq!(names(&order), ["p.v10", "p.v9", "p.v2", "p.v1"]);
        assert_eq!(channel.head.as_deref(), Some("p.v10"));
        assert_eq!(names(&heads(&loaded.catalog, channel)), ["p.v10"]);
    }

    #[test]
    fn each_entry_keeps_its_range() {
        let with = |range: &str| json!([{"name": "p.v1", "skipRange": range}]);
        let documents = [
            package("c"),
            channel("a", &with("<1.0.0")),
            channel("b", &with("")),
            channel("c", &with("<0.9.0")),
            bundle("p.v1", "1.0.0"),
        ];
        let loaded = loaded(&documents).unwrap();
        let package = &loaded.catalog.packages[0];
        let ranges: Vec<_> = package
            .channels
            .iter()
            .map(|channel| loaded.skip_range(package, channel, BundleId(0)).map(|range| &**range))
            .collect();
        assert_eq!(ranges, [Some("<1.0.0"), None, Some("<0.9.0")]);
        assert_eq!(loaded.catalog.bundles[0].skip_range.as_deref(), Some("<0.9.0"));
    }

    #[test]
    fn what_does_not_fit_together_is_refused() {
        let entry = |name: &str| json!([{"name": name}]);
        let cases: [(Vec<Value>, &str); 7] = [
            (vec![package(""), package("")], "there is package \"p\" already"),
            (
                vec![channel("a", &json!([]))],
                "channel \"a\" of package \"p\" belongs to a package",
            ),
            (
                vec![bundle("p.v1", "1.0.0")],
                "bundle \"p.v1\" of package \"p\" belongs to a package",
            ),
            (
                vec![package("a"), channel("a", &entry("p.v2"))],
                "has an entry of bundle \"p.v2\"",
            ),
            (
                vec![
                    package("a"),
                    channel("a", &json!([{"name": "b"}, {"name": "b"}])),
                    bundle("b", "1.0.0"),
                ],
                "has two entries of bundle \"b\"",
            ),
            (vec![package("a"), channel("a", &json!({}))], "entries of channel \"a\""),
            (
                vec![json!({"schema": "olm.bundle", "package": "p"})],
                "the olm.bundle has no name",
            ),
        ];
        for (documents, words) in cases {
            let error = loaded(&documents).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
    }

    #[test]
    fn deprecations_are_known_by_their_packages() {
        let deprecations = json!({"schema": "olm.deprecations", "package": "p", "entries": [
            {"reference": {"schema": "olm.package"}, "message": "m"},
            {"reference": {"schema": "olm.channel", "name": "a"}, "message": "m"},
            {"reference": {"schema": "olm.bundle", "name": "p.v1"}, "message": "m"},
        ]});
        let deprecated = loaded(&[package("a"), deprecations]).unwrap().deprecated;
        let pair = |name: &str| BTreeSet::from([(Text::from("p"), Text::from(name))]);
        assert_eq!(deprecated.packages, BTreeSet::from([Text::from("p")]));
        assert_eq!((deprecated.channels, deprecated.bundles), (pair("a"), pair("p.v1")));
    }
}
