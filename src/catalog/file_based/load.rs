//! Loading a file-based catalog into a [`Catalog`], with the same names, edges and values as one that is loaded from a
//! database.
//!
//! In a file-based catalog, the requirements of a bundle are among its properties: `olm.gvk.required`,
//! `olm.package.required` and `olm.constraint`. They become dependencies in the format of a database. Manifests and
//! display data are not loaded; [`ManifestsId`] is the number of the bundle's document.

mod error;

pub use error::{At, LoadError, LoadProblem};

use super::document::Document;
use super::read::FileBasedCatalog;
use super::schema::{OlmSchema, Referred};
use super::{Deprecation, Identity, Schema, Subject};
use crate::catalog::{Bundle, BundleId, Catalog, Channel, ChannelEntry, ManifestsId, Package, Property, Text, Texts};
use crate::olm::property::holds_manifests;
use crate::olm::spelling::as_dependency;
use crate::text::canonical;
use crate::version::parse_strict;
use semver::Version;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// A file-based catalog in memory.
#[derive(Debug, Default)]
pub struct Loaded {
    /// Packages, channels and bundles. Two packages may contain bundles with the same name; [`Catalog::find`] returns
    /// one of them.
    pub catalog: Catalog,
    /// The items that `olm.deprecations` documents deprecate.
    pub deprecated: Deprecated,
}

/// The deprecated items of a catalog.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Deprecated {
    /// The deprecated packages.
    pub packages: BTreeSet<Text>,
    /// The deprecated channels, as pairs of package and channel.
    pub channels: BTreeSet<(Text, Text)>,
    /// The deprecated bundles, as pairs of package and bundle.
    pub bundles: BTreeSet<(Text, Text)>,
}

/// Loads a whole catalog.
///
/// # Errors
/// Returns an error if a document cannot be read, or documents are inconsistent.
pub fn load(files: &FileBasedCatalog) -> Result<Loaded, LoadError> {
    let mut loader = Loader::default();
    for (number, handle) in files.handles.iter().enumerate() {
        if !handle.schema.is_of_olm() {
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

/// Builds a catalog from its documents, which may come in any order.
#[derive(Debug, Default)]
pub(crate) struct Loader {
    texts: Texts,
    packages: BTreeMap<Text, Option<Text>>,
    channels: BTreeMap<(Text, Text), (Option<At>, Vec<super::WrittenEntry>)>,
    /// The bundles by package and name, in catalog order.
    bundles: BTreeMap<(Text, Text), (Option<At>, Bundle)>,
    deprecated: Deprecated,
}

impl Loader {
    /// Adds a document. `number` becomes the handle of a bundle. Documents other than packages, channels, bundles and
    /// deprecations are ignored.
    ///
    /// # Errors
    /// Returns an error if the document does not have the form of its schema, or if a document with the same subject
    /// was added before.
    pub(crate) fn add(&mut self, number: usize, at: Option<At>, document: &Document) -> Result<(), LoadError> {
        let added = match document.schema().as_ref().and_then(Schema::of_olm) {
            Some(OlmSchema::Package) => self.package(document),
            Some(OlmSchema::Channel) => self.channel(at.as_ref(), document),
            Some(OlmSchema::Bundle) => self.bundle(number, at.as_ref(), document),
            Some(OlmSchema::Deprecations) => self.deprecations(document),
            None => Ok(()),
        };
        added.map_err(|problem| LoadError::Document { at, problem })
    }

    fn package(&mut self, document: &Document) -> Result<(), LoadProblem> {
        let name = named(document)?;
        let default_channel = document.text("defaultChannel");
        let default_channel = (!default_channel.is_empty()).then(|| self.texts.share(&default_channel));
        if self.packages.insert(self.texts.share(&name), default_channel).is_some() {
            let subject = Subject::new(Schema::Package, &name, "");
            return Err(LoadProblem::Duplicate { subject });
        }
        Ok(())
    }

    fn channel(&mut self, at: Option<&At>, document: &Document) -> Result<(), LoadProblem> {
        let (package, name) = (document.text("package"), named(document)?);
        let subject = Subject::new(Schema::Channel, &package, &name);
        let entries = document.entries().map_err(shape("entries", &subject))?;
        let key = (self.texts.share(&package), self.texts.share(&name));
        if self.channels.insert(key, (at.cloned(), entries)).is_some() {
            return Err(LoadProblem::Duplicate { subject });
        }
        Ok(())
    }

    fn bundle(&mut self, number: usize, at: Option<&At>, document: &Document) -> Result<(), LoadProblem> {
        let (package, name) = (document.text("package"), named(document)?);
        let subject = Subject::new(Schema::Bundle, &package, &name);
        let mut bundle = Bundle {
            name: self.texts.share(&name),
            version: None,
            image: Some(self.texts.share(&document.text("image"))),
            properties: Vec::new(),
            dependencies: Vec::new(),
            manifests: ManifestsId(i64::try_from(number).unwrap_or(i64::MAX)),
        };
        let properties = document.properties().map_err(shape("properties", &subject))?;
        let version = Identity::among(&properties).version;
        bundle.version = version.map(|version| self.texts.share(&version));
        let mut seen = HashSet::new();
        for property in properties {
            if holds_manifests(&property.kind) {
                continue;
            }
            let value = serde_json::from_str(property.value.get()).map_err(shape("properties", &subject))?;
            let (is_need, kind, value) = stored(&property.kind, &value, property.value.get());
            let stored = Property {
                kind: self.texts.share(kind),
                value: self.texts.share(&value),
            };
            let list = if is_need {
                &mut bundle.dependencies
            } else {
                &mut bundle.properties
            };
            if seen.insert((is_need, stored.clone())) {
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
        let subject = Subject::new(Schema::Deprecations, &package, "");
        let entries = document.deprecations().map_err(shape("entries", &subject))?;
        let package = self.texts.share(&package);
        for Deprecation { reference, .. } in entries {
            let name = self.texts.share(&reference.name);
            match reference.schema.as_ref().and_then(Schema::referred) {
                Some(Referred::Package) => drop(self.deprecated.packages.insert(package.clone())),
                Some(Referred::Channel) => drop(self.deprecated.channels.insert((package.clone(), name))),
                Some(Referred::Bundle) => drop(self.deprecated.bundles.insert((package.clone(), name))),
                None => {}
            }
        }
        Ok(())
    }

    /// Returns the catalog.
    ///
    /// # Errors
    /// Returns an error if a channel or bundle belongs to no package, or a channel has an entry without a bundle or two
    /// entries with the same name.
    pub(crate) fn finish(self) -> Result<Loaded, LoadError> {
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
                let subject = Subject::new(Schema::Bundle, &package, &name);
                let problem = LoadProblem::NoPackage { subject };
                return Err(LoadError::Document { at, problem });
            }
            ids.insert((name, package), BundleId(u32::try_from(ids.len()).unwrap_or(u32::MAX)));
            catalog.bundles.push(bundle);
        }
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
            let subject = || Subject::new(Schema::Channel, &package, &name);
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
                let mut some = |text: String| (!text.is_empty()).then(|| texts.share(&text));
                made.push(ChannelEntry {
                    bundle,
                    replaces: some(entry.replaces),
                    skip_range: some(entry.skip_range),
                    skips: entry.skips.into_iter().filter_map(some).collect(),
                });
            }
            into.channels.push(channel(&catalog, name, made));
        }
        catalog.packages = all.into_values().collect();
        Ok(Loaded { catalog, deprecated })
    }
}

/// Builds a channel, with its entries from the head downwards: the heads, then the other entries by descending version.
fn channel(catalog: &Catalog, name: Text, mut entries: Vec<ChannelEntry>) -> Channel {
    let heads: HashSet<BundleId> = heads_of(catalog, &entries).into_iter().collect();
    let version = |entry: &ChannelEntry| -> Option<Version> {
        parse_strict(catalog.bundle(entry.bundle)?.version.as_deref()?).ok()
    };
    let name_of = |entry: &ChannelEntry| catalog.bundle(entry.bundle).map(|bundle| bundle.name.clone());
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

/// Returns the heads of a channel: the bundles that no other entry replaces or skips. A valid channel has exactly one.
pub fn heads(catalog: &Catalog, channel: &Channel) -> Vec<BundleId> {
    heads_of(catalog, &channel.entries)
}

fn heads_of(catalog: &Catalog, entries: &[ChannelEntry]) -> Vec<BundleId> {
    let name = |entry: &ChannelEntry| catalog.bundle(entry.bundle).map(|bundle| &*bundle.name);
    let named = entries.iter().filter(|entry| name(entry).is_some());
    let links = named.clone().map(|entry| {
        let below = entry.replaces.iter().chain(&entry.skips).map(|name| &**name);
        (name(entry).unwrap_or_default(), below)
    });
    let named: Vec<&ChannelEntry> = named.collect();
    let places = super::heads::heads(links).into_iter();
    places
        .filter_map(|place| named.get(place).map(|entry| entry.bundle))
        .collect()
}

fn named(document: &Document) -> Result<String, LoadProblem> {
    let name = document.text("name");
    if name.is_empty()
        && let Some(schema) = document.schema()
    {
        return Err(LoadProblem::Nameless { schema });
    }
    Ok(name)
}

/// Returns a function that creates the error for a field that cannot be read.
fn shape(field: &'static str, subject: &Subject) -> impl FnOnce(serde_json::Error) -> LoadProblem {
    let subject = subject.clone();
    move |reason| LoadProblem::Shape { subject, field, reason }
}

/// Returns the type and value of a property in the format of a database, and whether it is a dependency there. `json`
/// is the value as written.
fn stored<'a>(kind: &'a str, value: &Value, json: &str) -> (bool, &'a str, String) {
    match as_dependency(kind, value) {
        Some((kind, dependency)) if dependency != *value => (true, kind, canonical::to_string(&dependency)),
        Some((kind, _)) => (true, kind, canonical::as_written(value, json)),
        None => (false, kind, canonical::as_written(value, json)),
    }
}

#[cfg(test)]
mod tests;
