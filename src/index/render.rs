//! Renders an index as a file-based catalog, document by document: only one bundle is in memory at a time. [`sources`]
//! opens all other sources that can be rendered, and [`folder`] writes a catalog to disk.
//!
//! The documents have the form that existing tools produce, except that dependencies of every type become properties,
//! and dependencies on packages keep their intents. Unlike those tools, opmx does not change the database.

pub mod bundle;
pub(crate) mod dockerfile;
pub mod folder;
pub mod image_reference;
pub mod sources;
pub mod template;

use crate::catalog::file_based::heads::heads;
use crate::catalog::file_based::migrate::{Loss, LostIcons, metadata};
use crate::catalog::file_based::shown::Shown;
use crate::catalog::file_based::{Blob, Bundle, Channel, Key, Package, Property, RelatedImage, Schema, WrittenEntry};
use crate::catalog::{self, BundleId, Catalog};
use crate::database::read::{Database, ReadError};
use crate::database::record::Record;
use crate::olm::dependency::DependencyKind;
use crate::olm::dependency::Spelling;
use crate::olm::property::{CSV_METADATA, DEPRECATED, PACKAGE as IDENTITY};
use crate::olm::spelling::{as_property, required_only};
use crate::text::canonical;
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeSet, HashMap, HashSet};

/// The options for rendering an index.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RenderOptions {
    /// Whether to omit dependencies that are not required, for an OLM that does not support intents and treats each
    /// dependency as required.
    pub required_only: bool,
}

/// An error that prevents rendering an index or a bundle.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RenderError {
    /// The index cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A property or a dependency is not JSON.
    #[error("the {kind} of bundle {bundle} is not JSON")]
    Property {
        /// The bundle.
        bundle: String,
        /// The type of the property or dependency.
        kind: String,
        /// The problem with the value.
        source: serde_json::Error,
    },
}

/// An index, ready to be written document by document.
#[derive(Debug)]
pub struct RenderedIndex {
    index: Database,
    catalog: Catalog,
    images: HashMap<String, Vec<String>>,
    options: RenderOptions,
    /// Whether deprecated bundles are omitted.
    only_current: bool,
}

/// A document in the catalog of an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Item {
    /// A package.
    Package(usize),
    /// A channel of a package.
    Channel(usize, usize),
    /// A bundle of a package.
    Bundle(usize, BundleId),
}

impl RenderedIndex {
    /// Reads the data for the documents, without the manifests.
    ///
    /// # Errors
    /// Returns an error if the index cannot be read.
    pub fn new(index: Database, options: RenderOptions) -> Result<Self, ReadError> {
        Ok(Self {
            catalog: index.catalog()?,
            images: index.related_images()?,
            index,
            options,
            only_current: true,
        })
    }

    /// Returns the packages, channels and bundles of the index.
    pub(crate) fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// Includes deprecated bundles, which are omitted otherwise.
    pub(super) fn with_deprecated(mut self) -> Self {
        self.only_current = false;
        self
    }

    /// Returns whether the index marks a bundle as deprecated.
    pub(super) fn is_deprecated(&self, name: &str) -> bool {
        let bundle = self.catalog.find(name).and_then(|id| self.catalog.bundle(id));
        bundle.is_some_and(has_mark)
    }

    /// Returns whether the index contains a bundle, in a channel or in none.
    pub(super) fn contains(&self, name: &str) -> bool {
        self.catalog.find(name).is_some()
    }

    /// Returns the documents package by package: the package, its channels and its bundles, sorted by name.
    pub fn items(&self) -> Vec<Item> {
        let mut items = Vec::new();
        for (number, package) in self.catalog.packages.iter().enumerate() {
            items.push(Item::Package(number));
            let channels = package.channels.iter().enumerate();
            items.extend(channels.map(|(channel, _)| Item::Channel(number, channel)));
            let entries = package.channels.iter().flat_map(|channel| &channel.entries);
            let bundles: BTreeSet<BundleId> = entries
                .filter(|entry| self.current(entry.bundle).is_some())
                .map(|entry| entry.bundle)
                .collect();
            items.extend(bundles.into_iter().map(|bundle| Item::Bundle(number, bundle)));
        }
        items
    }

    /// Returns the position of a document in a catalog.
    pub fn key(&self, item: Item) -> Key<'_> {
        let (Item::Package(package) | Item::Channel(package, _) | Item::Bundle(package, _)) = item;
        let package = self.catalog.packages.get(package);
        let (schema, name) = match item {
            Item::Package(_) => (&Schema::Package, None),
            Item::Channel(_, channel) => {
                let channel = package.and_then(|package| package.channels.get(channel));
                (&Schema::Channel, channel.map(|channel| &*channel.name))
            }
            Item::Bundle(_, bundle) => (&Schema::Bundle, self.catalog.bundle(bundle).map(|bundle| &*bundle.name)),
        };
        let package = package.map(|package| &*package.name);
        Key::new(schema, package.unwrap_or_default(), name.unwrap_or_default())
    }

    /// Returns a document; `None` if there is no such item.
    ///
    /// # Errors
    /// Returns an error if the index cannot be read or contains properties that are not JSON.
    pub fn blob(&self, item: Item) -> Result<Option<Blob>, RenderError> {
        let (Item::Package(package) | Item::Channel(package, _) | Item::Bundle(package, _)) = item;
        let Some(package) = self.catalog.packages.get(package) else {
            return Ok(None);
        };
        match item {
            Item::Package(_) => Ok(Some(Blob::Package(self.package_of(package)?))),
            Item::Channel(_, channel) => {
                let channel = package.channels.get(channel);
                Ok(channel.map(|channel| Blob::Channel(self.channel_of(package, channel))))
            }
            Item::Bundle(_, bundle) => match self.current(bundle) {
                Some(bundle) => Ok(Some(Blob::Bundle(self.bundle_of(package, bundle)?))),
                None => Ok(None),
            },
        }
    }

    /// Returns the deprecated bundles in channels, which are omitted, each after the name of its package.
    pub fn omitted(&self) -> BTreeSet<(&str, &str)> {
        let mut omitted = BTreeSet::new();
        for package in &self.catalog.packages {
            let entries = package.channels.iter().flat_map(|channel| &channel.entries);
            let deprecated = entries.filter(|entry| self.current(entry.bundle).is_none());
            let bundles = deprecated.filter_map(|entry| self.catalog.bundle(entry.bundle));
            omitted.extend(bundles.map(|bundle| (&*package.name, &*bundle.name)));
        }
        omitted
    }

    /// Returns the bundles that are not in any channel of a package and thus in no document, unless they are
    /// deprecated.
    pub fn unlisted(&self) -> Vec<&str> {
        let packages = self.catalog.packages.iter();
        let channels = packages.flat_map(|package| &package.channels);
        let listed: HashSet<BundleId> = channels
            .flat_map(|channel| &channel.entries)
            .map(|entry| entry.bundle)
            .collect();
        let bundles = (0..).map(BundleId).zip(&self.catalog.bundles);
        bundles
            .filter(|(id, bundle)| !listed.contains(id) && !has_mark(bundle))
            .map(|(_, bundle)| &*bundle.name)
            .collect()
    }

    /// Returns the faults that make the documents of packages an invalid catalog, each after the name of its package.
    pub fn faults(&self) -> Vec<(&str, String)> {
        let mut faults = Vec::new();
        for package in &self.catalog.packages {
            let mut report = |fault: String| faults.push((&*package.name, fault));
            match package.default_channel.as_deref().unwrap_or_default() {
                _ if package.channels.is_empty() => report("has no channel".to_owned()),
                "" => report("has no default channel".to_owned()),
                default if package.channel(default).is_none() => {
                    report(format!(
                        "has the default channel {default:?}, which is not one of its channels"
                    ));
                }
                _ => {}
            }
            for channel in &package.channels {
                let written = self.channel_of(package, channel);
                let entries = written.entries.iter().map(|entry| {
                    let below = std::iter::once(&entry.replaces).chain(&entry.skips);
                    (entry.name.as_str(), below.map(String::as_str))
                });
                let name = &channel.name;
                match heads(entries)[..] {
                    _ if written.entries.is_empty() => report(format!("has no bundles in channel {name:?}")),
                    [] => report(format!("has no head in channel {name:?}")),
                    [_] => {}
                    [..] => report(format!("has several heads in channel {name:?}")),
                }
            }
        }
        faults
    }

    /// Returns a bundle unless it is deprecated and deprecated bundles are omitted.
    fn current(&self, id: BundleId) -> Option<&catalog::Bundle> {
        let bundle = self.catalog.bundle(id);
        bundle.filter(|bundle| !(self.only_current && has_mark(bundle)))
    }

    fn package_of(&self, package: &catalog::Package) -> Result<Package, ReadError> {
        let default_channel = package.default_channel.as_deref().unwrap_or_default();
        Ok(Package {
            name: package.name.to_string(),
            default_channel: default_channel.to_owned(),
            icon: self.shown_of(package)?.and_then(|(_, shown)| shown.icon),
            description: String::new(),
        })
    }

    /// Returns the head of the default channel, and what it shows of the package.
    fn shown_of(&self, package: &catalog::Package) -> Result<Option<(&str, Shown)>, ReadError> {
        let channel = package.channel(package.default_channel.as_deref().unwrap_or_default());
        let head = channel.and_then(|channel| channel.head.as_deref());
        let Some(head) = head.and_then(|head| self.catalog.bundle(self.catalog.find(head)?)) else {
            return Ok(None);
        };
        let csv = self.index.csv(head.manifests)?;
        Ok(csv.map(|csv| (&*head.name, Shown::of_csv(&csv))))
    }

    /// Returns the icon that the document of a package omits because it is not base64.
    ///
    /// # Errors
    /// Returns an error if the index cannot be read.
    pub(super) fn unreadable_icon(&self, item: Item) -> Result<Option<LostIcons>, ReadError> {
        let Item::Package(number) = item else { return Ok(None) };
        let Some(package) = self.catalog.packages.get(number) else {
            return Ok(None);
        };
        let shown = self.shown_of(package)?.filter(|(_, shown)| shown.is_icon_unreadable);
        Ok(shown.map(|(bundle, _)| LostIcons {
            package: package.name.to_string(),
            bundle: bundle.to_owned(),
            count: 1,
            loss: Loss::Unreadable,
        }))
    }

    fn channel_of(&self, package: &catalog::Package, channel: &catalog::Channel) -> Channel {
        let entry = |entry: &catalog::ChannelEntry| {
            let bundle = self.current(entry.bundle)?;
            Some(WrittenEntry {
                name: bundle.name.to_string(),
                replaces: entry.replaces.as_deref().unwrap_or_default().to_owned(),
                skips: entry.skips.iter().map(ToString::to_string).collect(),
                skip_range: entry.skip_range.as_deref().unwrap_or_default().to_owned(),
            })
        };
        let mut entries: Vec<WrittenEntry> = channel.entries.iter().filter_map(entry).collect();
        entries.sort_by(|one, other| one.name.cmp(&other.name));
        Channel {
            name: channel.name.to_string(),
            package: package.name.to_string(),
            entries,
        }
    }

    fn bundle_of(&self, package: &catalog::Package, bundle: &catalog::Bundle) -> Result<Bundle, RenderError> {
        let typed = |properties: &[catalog::Property]| -> Vec<(String, String)> {
            let pairs = properties.iter();
            pairs
                .map(|property| (property.kind.to_string(), property.value.to_string()))
                .collect()
        };
        let name = bundle.name.to_string();
        let (own, needed) = (typed(&bundle.properties), typed(&bundle.dependencies));
        let version = bundle.version.as_deref().unwrap_or_default();
        let mut blob = Bundle {
            properties: properties((&package.name, &name, version), own, needed, self.options)?,
            package: package.name.to_string(),
            image: bundle.image.as_deref().unwrap_or_default().to_owned(),
            related_images: Vec::new(),
            name,
        };
        let read = self.index.with_manifests(bundle.manifests, |csv, objects| {
            let objects = objects.iter().map(|object| Property::of_object(object));
            (csv.map(named_images), objects.collect::<Vec<_>>())
        });
        let (named, objects) = read?;
        let stand_in = match named {
            Some(_) => None,
            None => self.index.stand_in(bundle.manifests)?,
        };
        if let Some(stand_in) = &stand_in {
            let metadata = Value::Object(metadata(&serde_json::from_str(stand_in).unwrap_or_default()));
            blob.properties
                .extend(Property::parse(CSV_METADATA, &metadata.to_string()));
        }
        blob.sort_properties();
        blob.properties.extend(objects);
        if let Some(stand_in) = stand_in {
            // It lists all related images of the bundle.
            blob.relate(named_images(&stand_in), []);
        } else {
            let others = self.images.get(&*bundle.name).cloned().unwrap_or_default();
            blob.relate(named.unwrap_or_default(), others);
        }
        Ok(blob)
    }
}

/// Returns whether a bundle is marked as deprecated.
fn has_mark(bundle: &catalog::Bundle) -> bool {
    let mut properties = bundle.properties.iter();
    properties.any(|property| &*property.kind == DEPRECATED)
}

#[derive(Deserialize)]
struct Csv {
    spec: Option<Spec>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Spec {
    related_images: Option<Vec<StoredImage>>,
}

#[derive(Deserialize)]
struct StoredImage {
    #[serde(default)]
    name: String,
    #[serde(default)]
    image: String,
}

/// Returns the related images that a ClusterServiceVersion lists.
pub(super) fn named_images(csv: &str) -> Vec<RelatedImage> {
    let csv = serde_json::from_str::<Csv>(csv).ok();
    let images = csv.and_then(|csv| csv.spec?.related_images).unwrap_or_default();
    let images = images
        .into_iter()
        .map(|StoredImage { name, image }| RelatedImage { name, image });
    images.collect()
}

/// Renders the catalog document of a bundle that is not in an index yet.
///
/// # Errors
/// Returns an error if a property is not JSON.
pub fn render_record(record: &Record, options: RenderOptions) -> Result<Bundle, RenderError> {
    let name = record.name().to_owned();
    let rows = &record.rows;
    let mut blob = Bundle {
        properties: properties(
            (record.package(), &name, record.version()),
            rows.properties.clone(),
            rows.dependencies.clone(),
            options,
        )?,
        package: record.package().to_owned(),
        image: record.bundle_path.clone(),
        related_images: Vec::new(),
        name,
    };
    blob.sort_properties();
    let text = |range: &std::ops::Range<usize>| {
        let bytes = record.manifests.text.get(range.clone()).unwrap_or_default();
        std::str::from_utf8(bytes).unwrap_or_default()
    };
    blob.properties
        .extend(text(&record.manifests.bundle).lines().map(Property::of_object));
    blob.relate(
        named_images(text(&record.manifests.csv)),
        rows.related_images.iter().cloned(),
    );
    Ok(blob)
}

/// Returns the properties of a bundle, and its dependencies as properties.
fn properties(
    (package, bundle, version): (&str, &str, &str),
    properties: Vec<(String, String)>,
    dependencies: Vec<(String, String)>,
    options: RenderOptions,
) -> Result<Vec<Property>, RenderError> {
    let dependencies = dependencies
        .into_iter()
        .filter_map(|(kind, value)| dependency(kind, value, options));
    let all = properties.into_iter().chain(dependencies).map(|(kind, value)| {
        Property::parse(&kind, &value).map_err(|source| RenderError::Property {
            bundle: bundle.to_owned(),
            kind,
            source,
        })
    });
    let mut all: Vec<Property> = all.collect::<Result<_, _>>()?;
    one_identity((package, version), &mut all);
    Ok(all)
}

/// Leaves exactly one property with the package and version of the bundle, because a catalog needs one and accepts only
/// one. If a bundle has several such properties, the one for its own package is kept, otherwise the first. If it has
/// none, as in databases that were written before this property existed, the property is added.
fn one_identity((package, version): (&str, &str), properties: &mut Vec<Property>) {
    let is_identity = |property: &Property| property.kind == IDENTITY;
    let is_own = |property: &Property| {
        let value: Value = serde_json::from_str(property.value.get()).unwrap_or_default();
        is_identity(property) && value["packageName"] == *package
    };
    let own = properties.iter().position(is_own);
    let kept = own.or_else(|| properties.iter().position(is_identity));
    if kept.is_none() && !version.is_empty() {
        let value = serde_json::json!({"packageName": package, "version": version});
        properties.extend(Property::parse(IDENTITY, &value.to_string()));
    }
    let mut number = 0..;
    properties.retain(|property| {
        let number = number.next();
        !is_identity(property) || kept.is_none_or(|kept| number == Some(kept))
    });
}

/// Returns the property that represents a dependency, if the dependency should be kept.
fn dependency(kind: String, value: String, options: RenderOptions) -> Option<(String, String)> {
    let Ok(parsed) = serde_json::from_str::<Value>(&value) else {
        let known = DependencyKind::of(&kind, Spelling::Dependency);
        return Some((
            known.map_or(kind, |known| known.name(Spelling::Property).to_owned()),
            value,
        ));
    };
    let Some((kind, property)) = as_property(&kind, &parsed) else {
        return Some((kind, value));
    };
    let property = if options.required_only {
        required_only(kind, &property)?
    } else {
        property
    };
    let value = if property == parsed {
        value
    } else {
        canonical::to_string(&property)
    };
    Some((kind.to_owned(), value))
}
