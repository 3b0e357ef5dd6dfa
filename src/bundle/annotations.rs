//! `metadata/annotations.yaml`: the package, the channels and the media type of a bundle.

use super::MediaType;
use crate::diagnostic::Edit;
use crate::source::Place;
use crate::text::{Document, Path, as_string, mend};
use serde_json::Value;
use std::collections::BTreeMap;

/// Key of the media type.
pub(crate) const MEDIA_TYPE: &str = "operators.operatorframework.io.bundle.mediatype.v1";
/// Key of the manifests folder.
pub(crate) const MANIFESTS: &str = "operators.operatorframework.io.bundle.manifests.v1";
/// Key of the metadata folder.
pub(crate) const METADATA: &str = "operators.operatorframework.io.bundle.metadata.v1";
/// Key of the package name.
pub const PACKAGE: &str = "operators.operatorframework.io.bundle.package.v1";
/// Key of the comma-separated channels.
pub const CHANNELS: &str = "operators.operatorframework.io.bundle.channels.v1";
/// Key of the default channel.
pub(crate) const DEFAULT_CHANNEL: &str = "operators.operatorframework.io.bundle.channel.default.v1";

/// The annotations file of a bundle.
#[derive(Debug, Clone)]
pub struct Annotations {
    document: Document,
    values: BTreeMap<String, String>,
}

impl Annotations {
    /// Takes the file when it has a non-empty `annotations` map of scalars. Booleans and numbers become text,
    /// as in every reader of the format.
    pub(crate) fn from_document(document: &Document) -> Option<Self> {
        let map = document.value().get("annotations")?.as_object()?;
        let values: Option<BTreeMap<_, _>> = map
            .iter()
            .map(|(key, value)| Some((key.clone(), as_string(value)?)))
            .collect();
        let values = values.filter(|values| !values.is_empty())?;
        Some(Self {
            document: document.clone(),
            values,
        })
    }

    /// One annotation.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.values.get(key).map(String::as_str)
    }

    /// All annotations, sorted by key. They are the labels of the bundle image.
    pub fn values(&self) -> &BTreeMap<String, String> {
        &self.values
    }

    /// The package, `""` where the file names none.
    pub fn package(&self) -> &str {
        self.get(PACKAGE).unwrap_or_default()
    }

    /// The channels: split at commas and, as in the index, nothing is trimmed.
    pub fn channels(&self) -> Vec<String> {
        let channels = self.get(CHANNELS).unwrap_or_default();
        if channels.is_empty() {
            return Vec::new();
        }
        channels.split(',').map(str::to_owned).collect()
    }

    /// The default channel, where one is named.
    pub fn default_channel(&self) -> Option<&str> {
        self.get(DEFAULT_CHANNEL).filter(|channel| !channel.is_empty())
    }

    /// The media type as text, where it is named.
    pub fn media_type(&self) -> Option<&str> {
        self.get(MEDIA_TYPE)
    }

    /// Another text in place of one annotation, where it is written on one line.
    pub fn rewrite(&self, key: &str, text: &str) -> Option<Edit> {
        mend::rewrite(&self.document, &Path::root().key("annotations").key(key), text)
    }

    /// Whether an annotation is written without the quotes that keep YAML from reading a number or a boolean.
    pub(crate) fn is_unquoted(&self, key: &str) -> bool {
        let value = self.document.value().get("annotations");
        let value = value.and_then(|map| map.get(key));
        matches!(value, Some(Value::Bool(_) | Value::Number(_)))
    }

    /// Quotes around one annotation that lacks them.
    pub fn quote(&self, key: &str) -> Option<Edit> {
        mend::quote(&self.document, &Path::root().key("annotations").key(key))
    }

    /// The place of one annotation, or of the map where it is absent.
    pub fn place(&self, key: &str) -> Place {
        self.document.place(&Path::root().key("annotations").key(key))
    }
}

/// The annotations of a new bundle, as opm writes them.
pub fn standard(
    media_type: MediaType,
    package: &str,
    channels: &str,
    default_channel: Option<&str>,
) -> BTreeMap<String, String> {
    let pairs = [
        (MEDIA_TYPE, media_type.as_str()),
        (MANIFESTS, "manifests/"),
        (METADATA, "metadata/"),
        (PACKAGE, package),
        (CHANNELS, channels),
    ];
    let default = default_channel.map(|channel| (DEFAULT_CHANNEL, channel));
    pairs
        .into_iter()
        .chain(default)
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .collect()
}
