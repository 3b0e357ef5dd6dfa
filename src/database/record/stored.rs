//! Reads data about a bundle from the manifests that an index already stores, for schema versions that have no tables
//! or columns for the data.

use super::field::Field;
use super::{Api, Contents, Provided, RecordError, apis, images, olm_properties};
use crate::olm::annotation::{INDEX_PROPERTIES, SKIP_RANGE};
use serde_json::Value;
use std::collections::BTreeSet;

/// The data in stored manifests. The index accepted the bundle when it was added, so nothing is refused now: unreadable
/// values are treated as absent.
#[derive(Debug, Default)]
pub(crate) struct Stored {
    pub(crate) version: String,
    pub(crate) replaces: String,
    pub(crate) skips: Vec<String>,
    pub(crate) skip_range: String,
    pub(crate) related_images: BTreeSet<String>,
    pub(crate) provided: BTreeSet<Api>,
    pub(crate) required: BTreeSet<Api>,
    /// The type and value of each property in the annotation of the `ClusterServiceVersion`.
    pub(crate) properties: Vec<(String, String)>,
}

impl Stored {
    /// Reads the manifests of the bundle `name`.
    pub(crate) fn read(name: &str, csv: &Value, objects: Vec<&Value>, bundle_path: &str) -> Self {
        let field = Field::of(name, csv);
        let (spec, annotations) = (field.at("spec"), field.at("metadata").at("annotations"));
        let owned = |text: Result<&str, RecordError>| text.unwrap_or_default().to_owned();
        let bundle = apis::Bundle {
            origin: name,
            name,
            csv: &field,
        };
        let annotation = annotations.at(INDEX_PROPERTIES).text().unwrap_or_default();
        let provided = bundle.defined(&objects).unwrap_or_default();
        let contents = Contents {
            origin: name,
            csv,
            objects,
            package: "",
            channels: Vec::new(),
            default_channel: None,
            dependencies: Vec::new(),
            properties: Vec::new(),
            bundle_path,
            extra_images: Vec::new(),
            provided: Provided::Defined,
        };
        Self {
            version: owned(spec.at("version").text()),
            replaces: owned(spec.at("replaces").text()),
            skips: spec.at("skips").names().unwrap_or_default(),
            skip_range: owned(annotations.at(SKIP_RANGE).text()),
            related_images: images::related(&contents, &field).unwrap_or_default(),
            provided,
            required: bundle.required().unwrap_or_default(),
            properties: olm_properties::read(annotation).unwrap_or_default(),
        }
    }
}
