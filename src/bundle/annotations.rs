//! `metadata/annotations.yaml`: the package, the channels and the media type of a bundle.

use super::{MediaType, metadata};
use crate::diagnostic::Edit;
use crate::source::Place;
use crate::text::{Document, Path, as_string, source_edit};
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
    /// The path of the map in the document.
    path: Path,
    values: BTreeMap<String, String>,
}

impl Annotations {
    /// Reads the annotations if the document contains a non-empty `annotations` map of scalars. Converts booleans and
    /// numbers to strings, as all readers of the format do.
    pub(crate) fn from_document(document: &Document) -> Option<Self> {
        let (key, map) = metadata::field(document.value(), "annotations")?;
        let values: Option<BTreeMap<_, _>> = map
            .as_object()?
            .iter()
            .map(|(key, value)| Some((key.clone(), as_string(value)?)))
            .collect();
        let values = values.filter(|values| !values.is_empty())?;
        Some(Self {
            document: document.clone(),
            path: Path::root().key(key),
            values,
        })
    }

    /// Returns the value of an annotation.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.values.get(key).map(String::as_str)
    }

    /// Returns all annotations, sorted by key. They become the labels of the bundle image.
    pub fn values(&self) -> &BTreeMap<String, String> {
        &self.values
    }

    /// Returns the name of the file that contains the annotations.
    pub(crate) fn file(&self) -> &str {
        self.document.source().name()
    }

    /// Returns the package name, or `""` if the file does not set one.
    pub fn package(&self) -> &str {
        self.get(PACKAGE).unwrap_or_default()
    }

    /// Returns the channels, split at commas. As in the index, spaces around a name are kept.
    pub fn channels(&self) -> Vec<String> {
        let channels = self.get(CHANNELS).unwrap_or_default();
        if channels.is_empty() {
            return Vec::new();
        }
        channels.split(',').map(str::to_owned).collect()
    }

    /// Returns the default channel, if set.
    pub fn default_channel(&self) -> Option<&str> {
        self.get(DEFAULT_CHANNEL).filter(|channel| !channel.is_empty())
    }

    /// Returns the media type as a string, if set.
    pub fn media_type(&self) -> Option<&str> {
        self.get(MEDIA_TYPE)
    }

    /// Returns an edit that replaces the value of an annotation, if the value is on one line.
    pub fn rewrite(&self, key: &str, text: &str) -> Option<Edit> {
        source_edit::rewrite(&self.document, &self.path.key(key), text)
    }

    /// Whether the value of an annotation has no quotes, so that YAML reads it as a number or a boolean.
    pub(crate) fn is_unquoted(&self, key: &str) -> bool {
        let value = self.path.key(key);
        let value = value.get(self.document.value());
        matches!(value, Some(Value::Bool(_) | Value::Number(_)))
    }

    /// Returns an edit that adds the missing quotes to an annotation.
    pub fn quote(&self, key: &str) -> Option<Edit> {
        source_edit::quote(&self.document, &self.path.key(key))
    }

    /// Returns an edit that corrects the capitalization of the key `written` to `key`.
    pub(crate) fn recapitalize(&self, written: &str, key: &str) -> Option<Edit> {
        source_edit::recapitalize(&self.document, &self.path.key(written), key)
    }

    /// Returns the place of the key of an annotation.
    pub(crate) fn key_place(&self, key: &str) -> Place {
        self.document.key_place(&self.path.key(key))
    }

    /// Returns the place of an annotation. If the annotation is absent, this is the place of the key `annotations` and
    /// its map.
    pub fn place(&self, key: &str) -> Place {
        let all = &self.path;
        let path = all.key(key);
        if path.get(self.document.value()).is_some() {
            return self.document.place(&path);
        }
        let start = self.document.key_place(all).span.start;
        Place::new(self.document.source(), start..self.document.place(all).span.end)
    }
}

/// Returns the annotations of a new bundle, in the form that opm writes.
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
