//! The rows of one bundle, computed from its manifests and metadata alone.

mod apis;
mod field;
mod images;
mod olm_properties;
pub(crate) mod stored;

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
    /// The directory or image, for messages.
    pub origin: &'a str,
    /// The `ClusterServiceVersion`.
    pub csv: &'a Value,
    /// All objects to store, in their order, the `ClusterServiceVersion` among them.
    pub objects: Vec<&'a Value>,
    /// The package that the annotations name.
    pub package: &'a str,
    /// The channels that they name.
    pub channels: Vec<String>,
    /// The default channel that they name.
    pub default_channel: Option<String>,
    /// Type and value of each entry of the dependencies file; the value as JSON text, as it is stored.
    pub dependencies: Vec<(String, String)>,
    /// Type and value of each entry of the properties file; the value as JSON text, as it is stored.
    pub properties: Vec<(String, String)>,
    /// The reference of the bundle image; empty for a bundle that is stored inline.
    pub bundle_path: &'a str,
    /// Images that belong to the bundle and stand nowhere in its `ClusterServiceVersion`.
    pub extra_images: Vec<String>,
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
    /// The bundle that it stands in for, or empty.
    pub(crate) substitutes: String,
    pub(crate) channels: BTreeSet<String>,
    pub(crate) default_channel: Option<String>,
    pub(crate) manifests: Manifests,
    pub(crate) rows: Rows,
}

impl Record {
    /// The name of the bundle: that of its `ClusterServiceVersion`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The package that it belongs to.
    pub fn package(&self) -> &str {
        &self.package
    }

    /// Its version as written, or empty.
    pub fn version(&self) -> &str {
        &self.version
    }
}

/// The objects of a bundle as an index stores them: one line of canonical JSON each. The `ClusterServiceVersion` is
/// one of them, so that both columns are ranges of one text.
#[derive(Debug, Clone)]
pub(crate) struct Manifests {
    pub(crate) text: Vec<u8>,
    pub(crate) csv: Range<usize>,
    pub(crate) bundle: Range<usize>,
}

/// The rows in the small tables.
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
    /// The group, empty for the core group.
    pub group: String,
    /// The version, such as `v1alpha1`.
    pub version: String,
    /// The kind.
    pub kind: String,
    /// The plural resource name.
    pub plural: String,
}

impl Api {
    /// Group, version and kind.
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
    /// The value of a property or dependency of type `olm.gvk`.
    fn gvk(&self) -> String {
        canonical::to_string(&json!({"group": self.group, "kind": self.kind, "version": self.version}))
    }
}

/// Why a bundle cannot be stored in an index. Each names the bundle and says what is expected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// A value of another type than the format asks for.
    #[error("{origin}: {path} of {object} is {found}, and must be {expected}")]
    Shape {
        /// The directory or image.
        origin: String,
        /// The object, as `Kind name`.
        object: String,
        /// Where in the object.
        path: String,
        /// What the format asks for.
        expected: &'static str,
        /// What is there.
        found: String,
    },
    /// The `ClusterServiceVersion` has no name.
    #[error("{origin}: the ClusterServiceVersion has no metadata.name, which names the bundle")]
    NameMissing {
        /// The directory or image.
        origin: String,
    },
    /// The annotations name no package.
    #[error("{origin}: bundle {bundle} is in no package; name it in metadata/annotations.yaml")]
    NoPackage {
        /// The directory or image.
        origin: String,
        /// The bundle.
        bundle: String,
    },
    /// The annotations name no channel.
    #[error("{origin}: bundle {bundle} is in no channel; name at least one in metadata/annotations.yaml")]
    NoChannel {
        /// The directory or image.
        origin: String,
        /// The bundle.
        bundle: String,
    },
    /// A custom resource definition is referred to by a name without a group.
    #[error(
        "{origin}: bundle {bundle}: {name:?} at {path} of its ClusterServiceVersion is not the name of a custom \
         resource definition, which is PLURAL.GROUP"
    )]
    CrdName {
        /// The directory or image.
        origin: String,
        /// The bundle.
        bundle: String,
        /// The name as written.
        name: String,
        /// Where in the `ClusterServiceVersion`.
        path: String,
    },
    /// The `ClusterServiceVersion` owns what no manifest defines.
    #[error(
        "{origin}: the ClusterServiceVersion of bundle {bundle} owns {}, but no custom resource definition in the \
         bundle defines it (defined are: {}); add the definition, or correct \
         spec.customresourcedefinitions.owned",
        listed(.missing), listed(.defined)
    )]
    OwnedApiMissing {
        /// The directory or image.
        origin: String,
        /// The bundle.
        bundle: String,
        /// What is owned and not defined.
        missing: Vec<Api>,
        /// What is defined.
        defined: Vec<Api>,
    },
    /// The annotation `olm.properties` cannot be read.
    #[error(
        "{origin}: the annotation olm.properties of bundle {bundle} {reason}; \
         it must be a JSON list of objects with type and value"
    )]
    OlmProperties {
        /// The directory or image.
        origin: String,
        /// The bundle.
        bundle: String,
        /// What is wrong with it.
        reason: String,
    },
}

fn listed(apis: &[Api]) -> String {
    if apis.is_empty() {
        return "none".to_owned();
    }
    let apis: Vec<_> = apis.iter().map(Api::to_string).collect();
    apis.join(", ")
}

impl Record {
    /// Computes the rows of a bundle. Nothing outside of `contents` is looked at, so that bundles can be computed in
    /// parallel.
    ///
    /// # Errors
    /// What keeps the bundle from being stored.
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
        let provided = bundle.provided(&contents.objects)?;
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

/// All objects in canonical form, and where the `ClusterServiceVersion` is among them.
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

/// The dependencies file in its order, then one row for each required API.
fn dependencies(contents: &Contents<'_>, required: &BTreeSet<Api>) -> Vec<(String, String)> {
    let apis = required.iter().map(|api| (GVK.to_owned(), api.gvk()));
    contents.dependencies.iter().cloned().chain(apis).collect()
}

/// A set in the order of its sources: two entries are the same if type and text of the value are.
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
