//! File-based catalogs: a catalog as a stream of JSON or YAML documents, which tools call blobs.
//!
//! [`Blob`] is one document with the fields of its schema; [`write`](mod@write) writes it in the output format of other
//! OLM tools, with the fields in the same order.

pub mod check;
pub mod document;
pub mod draft;
pub mod edit;
pub mod error;
pub(crate) mod folder;
pub mod format;
pub(crate) mod heads;
pub mod init;
pub mod lifecycle;
pub mod limits;
pub mod load;
pub mod manifests;
mod memory;
pub mod migrate;
pub(crate) mod picture_type;
pub mod read;
pub mod rendered;
mod schema;
pub mod shown;
mod stream;
pub mod template;
pub mod write;

pub(crate) use schema::OlmSchema;
pub use schema::{Key, Schema, Subject};

use crate::olm::property::{self, BUNDLE_OBJECT};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;
use std::borrow::{Borrow, Cow};
use std::cmp::Ordering;

/// One document of a catalog.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "schema")]
pub enum Blob {
    /// A package.
    #[serde(rename = "olm.package")]
    Package(Package),
    /// A channel of a package, with its update graph.
    #[serde(rename = "olm.channel")]
    Channel(Channel),
    /// A bundle.
    #[serde(rename = "olm.bundle")]
    Bundle(Bundle),
}

/// A package.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Package {
    /// The name.
    pub name: String,
    /// The channel for users who specify none.
    pub default_channel: String,
    /// The icon that user interfaces show.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub icon: Option<Icon>,
    /// The description of the package, as Markdown.
    #[serde(skip_serializing_if = "String::is_empty", serialize_with = "with_escaped_breaks")]
    pub description: String,
}

/// Writes a string like Go, which escapes two characters that are line breaks in JavaScript.
fn with_escaped_breaks<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    let json = serde_json::to_string(text).map_err(S::Error::custom)?;
    let json = json.replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029");
    let json = RawValue::from_string(json).map_err(S::Error::custom)?;
    json.serialize(serializer)
}

/// An icon.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Icon {
    /// The bytes of the icon, in standard base64.
    #[serde(rename = "base64data")]
    pub data: String,
    /// The media type of the icon, such as `image/png`.
    #[serde(rename = "mediatype")]
    pub media_type: String,
}

/// A channel of a package.
#[derive(Debug, Clone, Serialize)]
pub struct Channel {
    /// The name.
    pub name: String,
    /// The package.
    pub package: String,
    /// The bundles of the channel with their edges.
    pub entries: Vec<WrittenEntry>,
}

/// A bundle in a channel, with its edges there.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct WrittenEntry {
    /// The name of the bundle.
    #[serde(deserialize_with = "or_default")]
    pub name: String,
    /// The bundle from which clusters update directly to this one.
    #[serde(skip_serializing_if = "String::is_empty", deserialize_with = "or_default")]
    pub replaces: String,
    /// Bundles that may be updated to this one, but are not offered for installation.
    #[serde(skip_serializing_if = "Vec::is_empty", deserialize_with = "or_default")]
    pub skips: Vec<String>,
    /// The range of versions that may be updated to this one.
    #[serde(skip_serializing_if = "String::is_empty", deserialize_with = "or_default")]
    pub skip_range: String,
}

/// Reads a field that may be null, as in the output of Go programs.
fn or_default<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(deserializer: D) -> Result<T, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// A bundle.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Bundle {
    /// The name of the bundle's ClusterServiceVersion.
    pub name: String,
    /// The package.
    pub package: String,
    /// The bundle image; empty if the manifests are among the properties.
    pub image: String,
    /// The declared properties, and the manifests.
    pub properties: Vec<Property>,
    /// The images that the bundle needs, sorted by image.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub related_images: Vec<RelatedImage>,
}

/// A property that borrows from its document.
pub type WrittenProperty<'a> = property::Property<Cow<'a, str>, &'a RawValue>;

/// A property, with its value as written.
pub type Property = property::Property<String, Box<RawValue>>;

/// An image that a bundle needs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RelatedImage {
    /// The purpose of the image; may be empty.
    #[serde(deserialize_with = "or_default")]
    pub name: String,
    /// The image.
    #[serde(deserialize_with = "or_default")]
    pub image: String,
}

/// A deprecation.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Deprecation {
    /// The deprecated item.
    pub reference: Reference,
    /// The reason and the recommended replacement.
    #[serde(default, deserialize_with = "or_default")]
    pub message: String,
}

/// The deprecated item: the package itself, or one of its channels or bundles.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Reference {
    /// The schema of the item's document.
    pub schema: Option<Schema>,
    /// The name of the item; empty for the package.
    #[serde(default, deserialize_with = "or_default")]
    pub name: String,
}

/// The version of a bundle, from its property `olm.package`.
#[derive(Debug, Clone, Default)]
pub struct Identity {
    /// The version.
    pub version: Option<String>,
    /// The release, which distinguishes bundles with the same version.
    pub release: Option<String>,
}

impl Identity {
    /// Returns the identity in the first property `olm.package`.
    pub fn among<Type, Value>(properties: &[property::Property<Type, Value>]) -> Self
    where
        Type: Borrow<str>,
        Value: Borrow<RawValue>,
    {
        let is_package = |property: &&property::Property<Type, Value>| property.kind.borrow() == property::PACKAGE;
        let value = properties
            .iter()
            .find(is_package)
            .map(|property| property.value.borrow());
        let value: serde_json::Value = value
            .and_then(|value| serde_json::from_str(value.get()).ok())
            .unwrap_or_default();
        let text = |field: &str| value[field].as_str().map(str::to_owned);
        Self {
            version: text("version"),
            release: text("release"),
        }
    }
}

impl Property {
    /// Creates a property with a JSON value.
    ///
    /// # Errors
    /// Returns an error if the value is not JSON.
    pub fn parse(kind: &str, value: &str) -> Result<Self, serde_json::Error> {
        Ok(Self::new(kind, RawValue::from_string(value.to_owned())?))
    }

    /// Creates the property that contains one JSON manifest.
    pub(crate) fn of_object(manifest: &str) -> Self {
        let data = STANDARD.encode(manifest);
        let value = RawValue::from_string(format!("{{\"data\":\"{data}\"}}"));
        // Base64 has no character that JSON would have to escape.
        Self::new(BUNDLE_OBJECT, value.unwrap_or_default())
    }
}

impl Bundle {
    /// Sorts the properties by type and JSON text, and removes duplicates. The manifests come last and keep their
    /// order.
    pub(crate) fn sort_properties(&mut self) {
        let is_object = |property: &Property| property.kind == BUNDLE_OBJECT;
        self.properties.sort_by(|one, other| {
            let kinds = (is_object(one), &one.kind).cmp(&(is_object(other), &other.kind));
            kinds.then_with(|| {
                if is_object(one) {
                    Ordering::Equal
                } else {
                    one.value.get().cmp(other.value.get())
                }
            })
        });
        self.properties
            .dedup_by(|one, other| !is_object(one) && one.kind == other.kind && one.value.get() == other.value.get());
    }

    /// Sets the related images to the result of [`related`].
    pub(crate) fn relate(&mut self, named: Vec<RelatedImage>, others: impl IntoIterator<Item = String>) {
        self.related_images = related(named, others);
    }
}

/// Returns the images of a ClusterServiceVersion with their names, and the images that are only in `others`, sorted by
/// image.
pub(crate) fn related(named: Vec<RelatedImage>, others: impl IntoIterator<Item = String>) -> Vec<RelatedImage> {
    let mut images = named;
    for image in others {
        if !images.iter().any(|known| known.image == image) {
            let name = String::new();
            images.push(RelatedImage { name, image });
        }
    }
    images.sort_by(|one, other| one.image.cmp(&other.image));
    images
}
