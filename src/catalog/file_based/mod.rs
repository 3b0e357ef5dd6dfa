//! File-based catalogs: a catalog as a stream of JSON or YAML documents, which tools call blobs.
//!
//! [`Blob`] is one document in the shape of its schema, [`write`] gives it the form that the tools of the field write.
//! The order of the fields is part of that form.

pub mod check;
pub mod document;
pub mod draft;
pub mod edit;
pub mod format;
mod heads;
pub mod init;
pub mod lifecycle;
pub mod load;
pub mod manifests;
mod memory;
pub mod migrate;
pub(crate) mod picture_type;
pub mod read;
pub mod rendered;
mod schema;
mod stream;
pub mod template;
pub mod write;

pub use schema::{Key, Schema};

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
    /// The channel of a user who named none.
    pub default_channel: String,
    /// The picture that user interfaces show.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub icon: Option<Icon>,
    /// What the package is about, as Markdown.
    #[serde(skip_serializing_if = "String::is_empty", serialize_with = "with_escaped_breaks")]
    pub description: String,
}

/// Writes a string as Go does, which escapes two characters that are line breaks to JavaScript.
fn with_escaped_breaks<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    let json = serde_json::to_string(text).map_err(S::Error::custom)?;
    let json = json.replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029");
    let json = RawValue::from_string(json).map_err(S::Error::custom)?;
    json.serialize(serializer)
}

/// A picture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Icon {
    /// Its bytes, in standard base64.
    #[serde(rename = "base64data")]
    pub data: String,
    /// Its media type, such as `image/png`.
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
    /// The bundles of the channel and its edges.
    pub entries: Vec<WrittenEntry>,
}

/// A bundle in a channel, with its edges there.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct WrittenEntry {
    /// The bundle.
    #[serde(deserialize_with = "or_default")]
    pub name: String,
    /// The bundle from which it is the next update.
    #[serde(skip_serializing_if = "String::is_empty", deserialize_with = "or_default")]
    pub replaces: String,
    /// Bundles that may be updated to it without being offered themselves.
    #[serde(skip_serializing_if = "Vec::is_empty", deserialize_with = "or_default")]
    pub skips: Vec<String>,
    /// The versions that may be updated to it.
    #[serde(skip_serializing_if = "String::is_empty", deserialize_with = "or_default")]
    pub skip_range: String,
}

/// A field that may be null, as tools that are written in Go read it.
fn or_default<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(deserializer: D) -> Result<T, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// A bundle.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Bundle {
    /// The name of its ClusterServiceVersion.
    pub name: String,
    /// The package.
    pub package: String,
    /// The image that holds it; empty where its manifests are among the properties.
    pub image: String,
    /// What it declares, and its manifests.
    pub properties: Vec<Property>,
    /// The images that it needs, by image.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub related_images: Vec<RelatedImage>,
}

/// A property of a document in memory.
pub type WrittenProperty<'a> = property::Property<Cow<'a, str>, &'a RawValue>;

/// A property, with its value as it was written.
pub type Property = property::Property<String, Box<RawValue>>;

/// An image that a bundle needs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RelatedImage {
    /// What it is for; may be empty.
    #[serde(deserialize_with = "or_default")]
    pub name: String,
    /// The image.
    #[serde(deserialize_with = "or_default")]
    pub image: String,
}

/// Something that should no longer be chosen.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Deprecation {
    /// What.
    pub reference: Reference,
    /// Why, and what to choose in its place.
    #[serde(default, deserialize_with = "or_default")]
    pub message: String,
}

/// What is deprecated in a package: itself, or one of its channels or bundles.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Reference {
    /// The schema of its document.
    pub schema: Option<Schema>,
    /// Its name; empty for the package.
    #[serde(default, deserialize_with = "or_default")]
    pub name: String,
}

/// Which version a bundle is, as its property `olm.package` says.
#[derive(Debug, Clone, Default)]
pub struct Identity {
    /// The version.
    pub version: Option<String>,
    /// Which release of the version, where there are several.
    pub release: Option<String>,
}

impl Identity {
    /// What the first property `olm.package` says.
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
    /// A property with a value that is JSON.
    ///
    /// # Errors
    /// When the value is not.
    pub fn parse(kind: &str, value: &str) -> Result<Self, serde_json::Error> {
        Ok(Self::new(kind, RawValue::from_string(value.to_owned())?))
    }

    /// The property that holds one manifest, which is JSON.
    pub(crate) fn of_object(manifest: &str) -> Self {
        let data = STANDARD.encode(manifest);
        let value = RawValue::from_string(format!("{{\"data\":\"{data}\"}}"));
        // Base64 has no character that JSON would have to escape.
        Self::new(BUNDLE_OBJECT, value.unwrap_or_default())
    }
}

impl Bundle {
    /// Brings the properties into the order of the form: by type and text of the value, each once, the manifests
    /// behind all others in their own order.
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

    /// Sets the images to those of [`related`].
    pub(crate) fn relate(&mut self, named: Vec<RelatedImage>, others: impl IntoIterator<Item = String>) {
        self.related_images = related(named, others);
    }
}

/// The images of a ClusterServiceVersion with their names, and those of `others` that it does not name, by image.
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
