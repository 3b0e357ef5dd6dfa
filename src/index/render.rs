//! An index as a file-based catalog, document by document: only one bundle is in memory at a time.
//!
//! The form is that of the tools that read these databases before, but for three things: dependencies of every type
//! become properties, intents stay with the packages that they are about, and nothing is done to the database.

use super::read::{Index, ReadError};
use super::record::Record;
use crate::catalog::file_based::{Blob, Bundle, Channel, Entry, Icon, Package, Property, RelatedImage};
use crate::catalog::{self, Catalog};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};

/// The property of bundles that nobody should install any more. They are left out.
const DEPRECATED: &str = "olm.deprecated";

/// What goes into the catalog.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Options {
    /// Leave out dependencies that are not required, for an OLM that does not know intents and takes each as required.
    pub required_only: bool,
}

/// Why an index cannot be rendered.
#[derive(Debug, thiserror::Error)]
pub enum RenderError<E> {
    /// The index cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A property or a dependency is not JSON.
    #[error("the {kind} of bundle {bundle} is not JSON ({source}); remove the bundle from the index and add it again")]
    Property {
        /// The bundle.
        bundle: String,
        /// The type.
        kind: String,
        /// What is wrong with its value.
        source: serde_json::Error,
    },
    /// A document could not be handed on.
    #[error(transparent)]
    Sink(E),
}

/// Hands the documents of the catalog to `sink`, package by package: the package, its channels, its bundles, each by
/// name.
///
/// # Errors
/// When the index cannot be read, or `sink` fails.
pub fn render<E>(
    index: &Index,
    options: Options,
    mut sink: impl FnMut(&Blob) -> Result<(), E>,
) -> Result<(), RenderError<E>> {
    let catalog = index.catalog()?;
    let images = index.related_images()?;
    for package in &catalog.packages {
        let blob = Blob::Package(package_of(index, &catalog, package)?);
        sink(&blob).map_err(RenderError::Sink)?;
        let mut bundles = BTreeSet::new();
        for channel in &package.channels {
            let (channel, members) = channel_of(&catalog, package, channel);
            bundles.extend(members);
            sink(&Blob::Channel(channel)).map_err(RenderError::Sink)?;
        }
        for id in bundles {
            let Some(bundle) = catalog.bundle(id) else { continue };
            let blob = bundle_of(index, package, bundle, &images, options)?;
            sink(&Blob::Bundle(blob)).map_err(RenderError::Sink)?;
        }
    }
    Ok(())
}

fn package_of(index: &Index, catalog: &Catalog, package: &catalog::Package) -> Result<Package, ReadError> {
    let default_channel = package.default_channel.as_deref().unwrap_or_default();
    let head = package
        .channel(default_channel)
        .and_then(|channel| channel.head.as_deref());
    let head = head.and_then(|head| catalog.bundle(catalog.find(head)?));
    let csv = head.map(|head| index.csv(head.manifests)).transpose()?.flatten();
    Ok(Package {
        name: package.name.to_string(),
        default_channel: default_channel.to_owned(),
        icon: csv.as_deref().and_then(icon),
        description: String::new(),
    })
}

/// The first icon of a ClusterServiceVersion, if it is base64 once spaces are removed.
fn icon(csv: &str) -> Option<Icon> {
    let csv: Csv = serde_json::from_str(csv).ok()?;
    let icon = csv.spec?.icon?.into_iter().next()?;
    let bytes = STANDARD
        .decode(icon.base64data.split_whitespace().collect::<String>())
        .ok()?;
    Some(Icon {
        data: STANDARD.encode(bytes),
        media_type: icon.mediatype,
    })
}

#[derive(Deserialize)]
struct Csv {
    spec: Option<Spec>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Spec {
    icon: Option<Vec<StoredIcon>>,
    related_images: Option<Vec<StoredImage>>,
}

#[derive(Deserialize)]
struct StoredIcon {
    #[serde(default)]
    base64data: String,
    #[serde(default)]
    mediatype: String,
}

#[derive(Deserialize)]
struct StoredImage {
    #[serde(default)]
    name: String,
    #[serde(default)]
    image: String,
}

fn named_images(csv: &str) -> Vec<RelatedImage> {
    let csv = serde_json::from_str::<Csv>(csv).ok();
    let images = csv.and_then(|csv| csv.spec?.related_images).unwrap_or_default();
    let images = images
        .into_iter()
        .map(|StoredImage { name, image }| RelatedImage { name, image });
    images.collect()
}

/// A channel, and the bundles to render because of it.
fn channel_of(
    catalog: &Catalog,
    package: &catalog::Package,
    channel: &catalog::Channel,
) -> (Channel, Vec<catalog::BundleId>) {
    let mut members = Vec::new();
    let mut entries = Vec::new();
    for entry in &channel.entries {
        let Some(bundle) = catalog.bundle(entry.bundle) else {
            continue;
        };
        if bundle.properties.iter().any(|property| &*property.kind == DEPRECATED) {
            continue;
        }
        members.push(entry.bundle);
        entries.push(Entry {
            name: bundle.name.to_string(),
            replaces: entry.replaces.as_deref().unwrap_or_default().to_owned(),
            skips: entry.skips.iter().map(ToString::to_string).collect(),
            skip_range: bundle.skip_range.as_deref().unwrap_or_default().to_owned(),
        });
    }
    entries.sort_by(|one, other| one.name.cmp(&other.name));
    let channel = Channel {
        name: channel.name.to_string(),
        package: package.name.to_string(),
        entries,
    };
    (channel, members)
}

fn bundle_of<E>(
    index: &Index,
    package: &catalog::Package,
    bundle: &catalog::Bundle,
    images: &HashMap<String, Vec<String>>,
    options: Options,
) -> Result<Bundle, RenderError<E>> {
    let typed = |properties: &'_ [catalog::Property]| -> Vec<(String, String)> {
        let pairs = properties.iter();
        pairs
            .map(|property| (property.kind.to_string(), property.value.to_string()))
            .collect()
    };
    let name = bundle.name.to_string();
    let mut blob = Bundle {
        properties: properties(&name, typed(&bundle.properties), typed(&bundle.dependencies), options)?,
        package: package.name.to_string(),
        image: bundle.image.as_deref().unwrap_or_default().to_owned(),
        related_images: Vec::new(),
        name,
    };
    blob.sort_properties();
    let others = images.get(&*bundle.name).cloned().unwrap_or_default();
    let read = index.with_manifests(bundle.manifests, |csv, objects| {
        let objects = objects.iter().map(|object| Property::of_object(object));
        (csv.map(named_images).unwrap_or_default(), objects.collect::<Vec<_>>())
    });
    let (named, objects) = read?;
    blob.properties.extend(objects);
    blob.relate(named, others);
    Ok(blob)
}

/// The catalog's document of a bundle that is not in an index yet.
///
/// # Errors
/// When a property is not JSON.
pub fn render_record(record: &Record, options: Options) -> Result<Bundle, RenderError<std::convert::Infallible>> {
    let name = record.name().to_owned();
    let rows = &record.rows;
    let mut blob = Bundle {
        properties: properties(&name, rows.properties.clone(), rows.dependencies.clone(), options)?,
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

/// The properties of a bundle, and its dependencies as properties.
fn properties<E>(
    bundle: &str,
    properties: Vec<(String, String)>,
    dependencies: Vec<(String, String)>,
    options: Options,
) -> Result<Vec<Property>, RenderError<E>> {
    let dependencies = dependencies
        .into_iter()
        .filter_map(|(kind, value)| dependency(kind, value, options));
    let all = properties.into_iter().chain(dependencies).map(|(kind, value)| {
        Property::new(&kind, &value).map_err(|source| RenderError::Property {
            bundle: bundle.to_owned(),
            kind,
            source,
        })
    });
    all.collect()
}

/// The property that stands for a dependency, if it is to stay.
fn dependency(kind: String, value: String, options: Options) -> Option<(String, String)> {
    match kind.as_str() {
        "olm.gvk" => Some(("olm.gvk.required".to_owned(), value)),
        "olm.package" => {
            let Ok(Value::Object(mut map)) = serde_json::from_str(&value) else {
                return Some(("olm.package.required".to_owned(), value));
            };
            let intent = map.get("intent").and_then(Value::as_str).unwrap_or("required");
            if options.required_only && intent != "required" {
                return None;
            }
            if let Some(version) = map.shift_remove("version") {
                map.insert("versionRange".to_owned(), version);
            }
            let value = crate::text::canonical::to_string(&Value::Object(map));
            Some(("olm.package.required".to_owned(), value))
        }
        _ => Some((kind, value)),
    }
}
