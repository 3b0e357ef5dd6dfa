//! A package of a catalog as plain data, with the operations that commands perform on it.
//!
//! A [`Draft`] is read from the documents of a package and changed by one of the operations; then it returns the
//! changes to the documents. Unknown fields stay in their documents.

mod add;
mod channels;
mod deprecate;
mod difference;
mod error;
mod follow;
mod lifecycle;
mod links;
mod list;
mod prune;
mod remove;
mod way;

pub use add::{NewBundle, Placement};
pub use deprecate::Deprecated;
pub(crate) use difference::differing;
pub use error::{Above, DraftError};
pub use follow::Shape;
pub use lifecycle::LifecycleChange;
pub use remove::{Removal, Target};

use super::shown::Shown;
use super::{Deprecation, OlmSchema, Schema, Subject, WrittenEntry};
use crate::version::parse_tolerant;
use semver::Version;
use serde_json::{Map, Value, json};
use std::collections::{HashMap, HashSet};

/// A package.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    /// The name of the package.
    pub name: String,
    /// The channel for users who specify none; empty if there is no such channel.
    pub default_channel: String,
    /// The channels, in the order of their documents.
    pub channels: Vec<DraftChannel>,
    /// The bundles, by name.
    pub bundles: Vec<DraftBundle>,
    /// The deprecations.
    pub deprecations: Vec<Deprecation>,
    /// The maintenance periods and platforms of the versions, as written in the document.
    lifecycles: Vec<Value>,
    /// What user interfaces show of the package, for the document of a new package.
    shown: Shown,
    /// Whether to remove the package with all of its documents.
    pub gone: bool,
}

/// A channel of a draft.
#[derive(Debug, Clone, PartialEq)]
pub struct DraftChannel {
    /// The position of the channel's document among those that the draft was read from; `None` for a new channel.
    source: Option<usize>,
    /// The position of the document from which a new channel copies its other fields.
    like: Option<usize>,
    /// The name of the channel.
    pub name: String,
    /// The bundles with their edges.
    pub entries: Vec<WrittenEntry>,
}

/// A bundle of a draft.
#[derive(Debug, Clone, PartialEq)]
pub struct DraftBundle {
    /// The position of the bundle's document among those that the draft was read from; `None` for a new bundle.
    source: Option<usize>,
    /// The document of a new bundle, or the new document of an existing one.
    document: Option<Value>,
    /// The name of the bundle.
    pub name: String,
    /// The version of the bundle; `None` if it cannot be ordered.
    pub version: Option<Version>,
}

/// The revision of a package's document. Documents without a revision are removed.
#[derive(Debug, Clone, PartialEq)]
pub enum Revised {
    /// The document at this position is unchanged.
    Kept(usize),
    /// The document at this position is replaced by this value.
    Changed(usize, Value),
    /// A new document.
    New(Value),
}

impl Draft {
    /// Creates a package that is not in the catalog yet.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            default_channel: String::new(),
            channels: Vec::new(),
            bundles: Vec::new(),
            deprecations: Vec::new(),
            lifecycles: Vec::new(),
            shown: Shown::default(),
            gone: false,
        }
    }

    /// Reads the documents of a package. Of bundles, only the fields `name` and `version` are read.
    ///
    /// # Errors
    /// Returns an error if entries do not have the form of their schema, or two documents have the same subject.
    pub fn read(name: &str, documents: &[Value]) -> Result<Self, DraftError> {
        let mut draft = Self::new(name);
        let mut known = HashSet::new();
        for (place, document) in documents.iter().enumerate() {
            let text = |field: &str| document.get(field).and_then(Value::as_str).unwrap_or_default();
            let schema = Schema::from(text("schema"));
            // In a template, a bundle may be an image without a name.
            let is_only_image = schema == Schema::Bundle && text("name").is_empty();
            let subject = Subject::new(schema.clone(), name, text("name"));
            if schema.is_unique() && !is_only_image && !known.insert(subject.clone()) {
                return Err(DraftError::Twice { subject });
            }
            match schema.of_olm() {
                Some(OlmSchema::Package) => text("defaultChannel").clone_into(&mut draft.default_channel),
                Some(OlmSchema::Channel) => draft.channels.push(DraftChannel {
                    source: Some(place),
                    like: None,
                    name: text("name").to_owned(),
                    entries: list::items(document, &format!("channel {}", text("name")))?,
                }),
                Some(OlmSchema::Bundle) => draft.bundles.push(DraftBundle {
                    source: Some(place),
                    document: None,
                    name: text("name").to_owned(),
                    version: parse_tolerant(text("version")),
                }),
                Some(OlmSchema::Deprecations) => draft.deprecations = list::items(document, "the deprecations")?,
                None if schema == Schema::Lifecycles => {
                    draft.lifecycles = list::of(document, "versions").to_vec();
                }
                None => {}
            }
        }
        Ok(draft)
    }

    /// Returns the revisions of the documents that the draft was read from.
    pub fn revise(&self, documents: &[Value]) -> Vec<Revised> {
        if self.gone {
            return Vec::new();
        }
        let mut revised = Vec::new();
        let (mut has_package, mut has_deprecations, mut has_lifecycles) = (false, false, false);
        let channels = self
            .channels
            .iter()
            .filter_map(|channel| Some((channel.source?, channel)));
        let channels: HashMap<usize, &DraftChannel> = channels.collect();
        let bundles = self.bundles.iter().filter_map(|bundle| Some((bundle.source?, bundle)));
        let bundles: HashMap<usize, &DraftBundle> = bundles.collect();
        for (place, document) in documents.iter().enumerate() {
            let schema = Schema::from(document.get("schema").and_then(Value::as_str).unwrap_or_default());
            let changed = match schema.of_olm() {
                Some(OlmSchema::Package) => {
                    has_package = true;
                    with_text(document, "defaultChannel", &self.default_channel)
                }
                Some(OlmSchema::Channel) => match channels.get(&place) {
                    Some(channel) => channel.document(document),
                    None => continue,
                },
                Some(OlmSchema::Bundle) => match bundles.get(&place) {
                    Some(bundle) => bundle.document.clone(),
                    None => continue,
                },
                Some(OlmSchema::Deprecations) if self.deprecations.is_empty() => continue,
                Some(OlmSchema::Deprecations) => {
                    has_deprecations = true;
                    list::with_deprecations(document, &self.deprecations)
                }
                None if schema == Schema::Lifecycles => {
                    has_lifecycles = true;
                    let changed = list::with(document, "versions", self.lifecycles.clone());
                    if changed.is_some() && self.lifecycles.is_empty() {
                        continue;
                    }
                    changed
                }
                None => None,
            };
            revised.push(changed.map_or(Revised::Kept(place), |value| Revised::Changed(place, value)));
        }
        let name = &self.name;
        if !has_package {
            revised.push(Revised::New(self.package()));
        }
        for channel in self.channels.iter().filter(|channel| channel.source.is_none()) {
            let new = json!({"schema": Schema::Channel.name(), "name": channel.name, "package": name, "entries": []});
            let like = channel.like.and_then(|like| documents.get(like)).unwrap_or(&new);
            revised.push(Revised::New(channel.document(like).unwrap_or_else(|| like.clone())));
        }
        let new = self.bundles.iter().filter(|bundle| bundle.source.is_none());
        revised.extend(new.filter_map(|bundle| bundle.document.clone().map(Revised::New)));
        if !has_deprecations && !self.deprecations.is_empty() {
            let new = json!({"schema": Schema::Deprecations.name(), "package": name, "entries": []});
            let new = list::with_deprecations(&new, &self.deprecations).unwrap_or(new);
            revised.push(Revised::New(new));
        }
        if !has_lifecycles && !self.lifecycles.is_empty() {
            let new = json!({"schema": Schema::Lifecycles.name(), "package": name, "versions": self.lifecycles});
            revised.push(Revised::New(new));
        }
        revised
    }

    /// Returns the document of a new package.
    fn package(&self) -> Value {
        let mut package = Map::new();
        let mut put = |field: &str, value: Value| package.insert(field.to_owned(), value);
        put("schema", Schema::Package.name().into());
        put("name", self.name.as_str().into());
        put("defaultChannel", self.default_channel.as_str().into());
        if let Some(icon) = &self.shown.icon {
            put("icon", json!({"base64data": icon.data, "mediatype": icon.media_type}));
        }
        if !self.shown.description.is_empty() {
            put("description", self.shown.description.as_str().into());
        }
        Value::Object(package)
    }

    /// Returns the versions by bundle name. Bundles without a version are omitted.
    fn versions(&self) -> HashMap<&str, &Version> {
        let versions = self.bundles.iter();
        let versions = versions.filter_map(|bundle| Some((bundle.name.as_str(), bundle.version.as_ref()?)));
        versions.collect()
    }

    /// Returns the bundle with this name.
    pub fn bundle(&self, name: &str) -> Option<&DraftBundle> {
        self.bundles.iter().find(|bundle| bundle.name == name)
    }

    /// Returns the position of the channel with this name.
    ///
    /// # Errors
    /// Returns an error if the channel does not exist.
    pub fn channel(&self, name: &str) -> Result<usize, DraftError> {
        let found = self.channels.iter().position(|channel| channel.name == name);
        found.ok_or_else(|| DraftError::channel(self, name))
    }
}

impl DraftChannel {
    /// Creates a channel that the catalog does not have yet.
    pub fn new(name: &str) -> Self {
        Self {
            source: None,
            like: None,
            name: name.to_owned(),
            entries: Vec::new(),
        }
    }

    /// Returns the changed document of the channel, or `None` if nothing changes.
    fn document(&self, document: &Value) -> Option<Value> {
        let renamed = with_text(document, "name", &self.name);
        let listed = list::with_entries(renamed.as_ref().unwrap_or(document), &self.entries);
        listed.or(renamed)
    }
}

/// Returns the document with a new string in a field, or `None` if the string is unchanged.
fn with_text(document: &Value, field: &str, text: &str) -> Option<Value> {
    let before = document.get(field).and_then(Value::as_str).unwrap_or_default();
    if before == text {
        return None;
    }
    let mut changed: Map<String, Value> = document.as_object().cloned()?;
    changed.insert(field.to_owned(), text.into());
    Some(Value::Object(changed))
}

#[cfg(test)]
mod tests;
