//! The rows of one bundle, computed from its manifests and metadata alone.

mod apis;
mod field;
mod images;
mod olm_properties;
pub(crate) mod stored;

use crate::bundle::stated::StatedAt;
use crate::olm::annotation::SUBSTITUTES_FOR;
use crate::olm::annotation::{INDEX_PROPERTIES, SKIP_RANGE};
use crate::olm::property::{GVK, PACKAGE};
use crate::text::canonical;
use field::Field;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashSet};
use std::ops::Range;

/// The parts of a bundle that an index stores.
#[derive(Debug, Clone)]
pub struct Contents<'a> {
    /// The folder or image of the bundle, for messages.
    pub origin: &'a str,
    /// The `ClusterServiceVersion`.
    pub csv: &'a Value,
    /// All objects to store, in order, including the `ClusterServiceVersion`.
    pub objects: Vec<&'a Value>,
    /// The package that the annotations name.
    pub package: &'a str,
    /// The channels that the annotations name.
    pub channels: Vec<String>,
    /// The default channel that the annotations name.
    pub default_channel: Option<String>,
    /// The type and value of each entry in the dependencies file; the value is JSON text as stored.
    pub dependencies: Vec<(String, String)>,
    /// The type and value of each entry in the properties file; the value is JSON text as stored.
    pub properties: Vec<(String, String)>,
    /// The reference of the bundle image; empty if the bundle is stored inline.
    pub bundle_path: &'a str,
    /// Images that belong to the bundle but do not appear in its `ClusterServiceVersion`.
    pub extra_images: Vec<String>,
    /// The APIs that the index advertises as provided by the bundle.
    pub provided: Provided,
}

/// The APIs that an index advertises as provided by a bundle.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Provided {
    /// Every version of every custom resource definition, whether served or not, as in opm.
    #[default]
    Defined,
    /// The APIs that the `ClusterServiceVersion` owns.
    Owned,
}

/// The rows of one bundle, ready to be added.
#[derive(Debug, Clone)]
pub struct Record {
    pub(crate) origin: String,
    pub(crate) name: String,
    pub(crate) package: String,
    pub(crate) version: String,
    pub(crate) bundle_path: String,
    pub(crate) replaces: String,
    pub(crate) skips: Vec<String>,
    /// The bundle for which this one substitutes; empty if there is none.
    pub(crate) substitutes: String,
    pub(crate) channels: BTreeSet<String>,
    pub(crate) default_channel: Option<String>,
    pub(crate) stated: StatedAt,
    pub(crate) manifests: Manifests,
    pub(crate) rows: Rows,
}

impl Record {
    /// Returns the name of the bundle, which is the name of its `ClusterServiceVersion`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the package of the bundle.
    pub fn package(&self) -> &str {
        &self.package
    }

    /// Returns the version as written, or an empty string.
    pub fn version(&self) -> &str {
        &self.version
    }
}

/// The objects of a bundle in the form that an index stores: one line of canonical JSON each. The
/// `ClusterServiceVersion` is one of them, so the columns `csv` and `bundle` are both ranges of the same text.
#[derive(Debug, Clone)]
pub(crate) struct Manifests {
    pub(crate) text: Vec<u8>,
    pub(crate) csv: Range<usize>,
    pub(crate) bundle: Range<usize>,
}

/// The data of a bundle that is stored next to its manifests, mostly in tables other than `operatorbundle`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Rows {
    pub(crate) skip_range: String,
    pub(crate) related_images: BTreeSet<String>,
    pub(crate) provided: BTreeSet<Api>,
    pub(crate) required: BTreeSet<Api>,
    pub(crate) dependencies: Vec<(String, String)>,
    pub(crate) properties: Vec<(String, String)>,
}

/// An API: a kind in one version, with the plural name of its resource.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Api {
    /// The group; empty for the core group.
    pub group: String,
    /// The version, such as `v1alpha1`.
    pub version: String,
    /// The kind.
    pub kind: String,
    /// The plural resource name.
    pub plural: String,
}

impl Api {
    /// Returns the group, version and kind.
    pub(super) fn identity(&self) -> [&str; 3] {
        [&self.group, &self.version, &self.kind]
    }
}

impl std::fmt::Display for Api {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            group,
            version,
            kind,
            plural,
        } = self;
        write!(formatter, "{group}/{version}/{kind} ({plural})")
    }
}

impl Api {
    /// Returns the value of a property or dependency of type `olm.gvk`.
    fn gvk(&self) -> String {
        canonical::to_string(&json!({"group": self.group, "kind": self.kind, "version": self.version}))
    }
}

/// An error that prevents storing a bundle in an index. The message names the bundle and the expected value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// A value has a type that the format does not allow.
    #[error("{origin}: {path} of {object} is {found}; it must be {expected}")]
    Shape {
        /// The folder or image of the bundle.
        origin: String,
        /// The object, as `Kind name`.
        object: String,
        /// The path of the value in the object.
        path: String,
        /// The type that the format requires.
        expected: &'static str,
        /// The actual type.
        found: String,
    },
    /// The `ClusterServiceVersion` has no name.
    #[error("{origin}: the ClusterServiceVersion has no metadata.name, which names the bundle")]
    NameMissing {
        /// The folder or image of the bundle.
        origin: String,
    },
    /// The annotations name no package.
    #[error("{origin}: bundle {bundle} does not belong to a package; specify the package in metadata/annotations.yaml")]
    NoPackage {
        /// The folder or image of the bundle.
        origin: String,
        /// The bundle.
        bundle: String,
    },
    /// The annotations name no channel.
    #[error(
        "{origin}: bundle {bundle} is not in any channel; specify at least one channel in metadata/annotations.yaml"
    )]
    NoChannel {
        /// The folder or image of the bundle.
        origin: String,
        /// The bundle.
        bundle: String,
    },
    /// The `ClusterServiceVersion` refers to a custom resource definition by a name without a group.
    #[error(
        "{origin}: bundle {bundle}: {name:?} at {path} of its ClusterServiceVersion is not a valid name of a custom \
        resource definition; use the format PLURAL.GROUP"
    )]
    CrdName {
        /// The folder or image of the bundle.
        origin: String,
        /// The bundle.
        bundle: String,
        /// The name as written.
        name: String,
        /// The path in the `ClusterServiceVersion`.
        path: String,
    },
    /// The `ClusterServiceVersion` owns APIs that no manifest defines.
    #[error(
        "{origin}: the ClusterServiceVersion of bundle {bundle} owns {}, but the bundle does not contain the \
        corresponding custom resource definition (defined APIs: {}); add the definition, or correct \
        spec.customresourcedefinitions.owned",
        listed(.missing), listed(.defined)
    )]
    OwnedApiMissing {
        /// The folder or image of the bundle.
        origin: String,
        /// The bundle.
        bundle: String,
        /// The APIs that are owned but not defined.
        missing: Vec<Api>,
        /// The APIs that are defined.
        defined: Vec<Api>,
    },
    /// The annotation `olm.properties` cannot be read.
    #[error(
        "{origin}: the annotation olm.properties of bundle {bundle} {reason}; the annotation must be a JSON list of \
        objects with type and value"
    )]
    OlmProperties {
        /// The folder or image of the bundle.
        origin: String,
        /// The bundle.
        bundle: String,
        /// The problem with the annotation.
        reason: String,
    },
}

impl RecordError {
    /// Returns the folder or image of the bundle, with which the message begins.
    pub(crate) fn origin(&mut self) -> &mut String {
        match self {
            Self::Shape { origin, .. }
            | Self::NameMissing { origin }
            | Self::NoPackage { origin, .. }
            | Self::NoChannel { origin, .. }
            | Self::CrdName { origin, .. }
            | Self::OwnedApiMissing { origin, .. }
            | Self::OlmProperties { origin, .. } => origin,
        }
    }
}

fn listed(apis: &[Api]) -> String {
    if apis.is_empty() {
        return "none".to_owned();
    }
    let apis: Vec<_> = apis.iter().map(Api::to_string).collect();
    apis.join(", ")
}

impl Record {
    /// Computes the rows of a bundle. Uses only `contents`, so that bundles can be processed in parallel.
    ///
    /// # Errors
    /// Returns an error if the bundle cannot be stored.
    pub fn new(contents: &Contents<'_>) -> Result<Self, RecordError> {
        let origin = contents.origin;
        let csv = Field::of(origin, contents.csv);
        let name = csv.at("metadata").at("name").text()?;
        if name.is_empty() {
            return Err(RecordError::NameMissing {
                origin: origin.to_owned(),
            });
        }
        if contents.package.is_empty() {
            return Err(RecordError::NoPackage {
                origin: origin.to_owned(),
                bundle: name.to_owned(),
            });
        }
        if contents.channels.is_empty() {
            return Err(RecordError::NoChannel {
                origin: origin.to_owned(),
                bundle: name.to_owned(),
            });
        }
        let spec = csv.at("spec");
        let version = spec.at("version").text()?;
        let annotations = csv.at("metadata").at("annotations");
        let substitutes = annotations.at(SUBSTITUTES_FOR).text()?;
        let bundle = apis::Bundle {
            origin,
            name,
            csv: &csv,
        };
        let provided = bundle.provided(&contents.objects, contents.provided)?;
        let required = bundle.required()?;
        Ok(Self {
            origin: origin.to_owned(),
            name: name.to_owned(),
            package: contents.package.to_owned(),
            version: version.to_owned(),
            bundle_path: contents.bundle_path.to_owned(),
            replaces: spec.at("replaces").text()?.to_owned(),
            skips: spec.at("skips").names()?,
            substitutes: substitutes.to_owned(),
            channels: contents.channels.iter().cloned().collect(),
            default_channel: contents.default_channel.clone().filter(|channel| !channel.is_empty()),
            stated: StatedAt::new(),
            manifests: manifests(contents),
            rows: Rows {
                skip_range: annotations.at(SKIP_RANGE).text()?.to_owned(),
                related_images: images::related(contents, &csv)?,
                dependencies: dependencies(contents, &required),
                properties: properties(contents, name, version, &annotations, &provided)?,
                provided,
                required,
            },
        })
    }
}

/// Returns all objects in canonical form, and the range of the `ClusterServiceVersion` among them.
fn manifests(contents: &Contents<'_>) -> Manifests {
    let mut text = Vec::new();
    let mut csv = None;
    for object in &contents.objects {
        let start = text.len();
        write_line(object, &mut text);
        if csv.is_none() && (std::ptr::eq(*object, contents.csv) || *object == contents.csv) {
            csv = Some(start..text.len());
        }
    }
    let bundle = 0..text.len();
    let csv = csv.unwrap_or_else(|| {
        let start = text.len();
        write_line(contents.csv, &mut text);
        start..text.len()
    });
    Manifests { text, csv, bundle }
}

fn write_line(object: &Value, text: &mut Vec<u8>) {
    canonical::write(object, text);
    text.push(b'\n');
}

/// Returns the entries of the dependencies file in order, then one row for each required API.
fn dependencies(contents: &Contents<'_>, required: &BTreeSet<Api>) -> Vec<(String, String)> {
    let apis = required.iter().map(|api| (GVK.to_owned(), api.gvk()));
    contents.dependencies.iter().cloned().chain(apis).collect()
}

/// Returns the properties in the order of their sources, without duplicates. Properties are equal if both their types
/// and the texts of their values are equal.
fn properties(
    contents: &Contents<'_>,
    bundle: &str,
    version: &str,
    annotations: &Field<'_>,
    provided: &BTreeSet<Api>,
) -> Result<Vec<(String, String)>, RecordError> {
    let package = json!({"packageName": contents.package, "version": version});
    let mut properties = vec![(PACKAGE.to_owned(), canonical::to_string(&package))];
    properties.extend(provided.iter().map(|api| (GVK.to_owned(), api.gvk())));
    properties.extend(contents.properties.iter().cloned());
    let annotation = annotations.at(INDEX_PROPERTIES).text()?;
    let annotated = olm_properties::read(annotation).map_err(|reason| RecordError::OlmProperties {
        origin: contents.origin.to_owned(),
        bundle: bundle.to_owned(),
        reason,
    })?;
    properties.extend(annotated);
    let mut seen = HashSet::new();
    properties.retain(|property| seen.insert(property.clone()));
    Ok(properties)
}

#[cfg(test)]
mod tests;
