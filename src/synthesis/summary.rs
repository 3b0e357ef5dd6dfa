//! A summary of a bundle and the fate of each object.

use super::fate::applied;
use super::{Fate, synthesize};
use crate::bundle::{Annotations, Bundle, MediaType, is_csv};
use crate::csv::Csv;
use crate::diagnostic::Diagnostic;
use crate::kubernetes::GroupVersionKind;
use crate::olm::kinds::KINDS;
use crate::olm::optional_manifest::entries;
use crate::olm::property::{GVK_REQUIRED, OPTIONAL_MANIFESTS, Property};
use crate::olm::spelling::{as_property, is_requirement};
use crate::steps::optional::is_optional;
use serde::Serialize;
use serde_json::json;
use std::collections::HashSet;

/// The summary of a bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Summary {
    /// The directory or image.
    pub bundle: String,
    /// `registry+v1` or `k8s+v1`.
    pub media_type: String,
    /// The package; empty if unknown.
    pub package: String,
    /// The channels.
    pub channels: Vec<String>,
    /// The default channel.
    pub default_channel: Option<String>,
    /// The name of the ClusterServiceVersion; empty if none could be created.
    pub name: String,
    /// The version of the ClusterServiceVersion.
    pub version: String,
    /// The name of the replaced ClusterServiceVersion.
    pub replaces: Option<String>,
    /// What the bundle requires from other bundles, as in a catalog.
    pub dependencies: Vec<Property>,
    /// All objects of the bundle.
    pub objects: Vec<ObjectSummary>,
}

/// The summary of an object of a bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ObjectSummary {
    /// `apiVersion` as written.
    pub api_version: String,
    /// The kind.
    pub kind: String,
    /// `metadata.name`.
    pub name: String,
    /// The file.
    pub file: String,
    /// `projected`, `kept` or `dropped`.
    pub fate: &'static str,
    /// The reason for the fate.
    pub reason: String,
    /// Whether OLM may install the bundle without the object.
    pub optional: bool,
}

/// Summarizes a bundle. A `k8s+v1` bundle is synthesized to determine the fate of its objects.
pub(crate) fn summarize(bundle: &Bundle, reading: &[Diagnostic]) -> Summary {
    let optional = bundle
        .properties
        .iter()
        .filter(|property| property.kind == OPTIONAL_MANIFESTS);
    let (csv, objects) = match bundle.media_type {
        MediaType::RegistryV1 => {
            let named: Vec<_> = optional.flat_map(|property| entries(&property.value)).collect();
            let csv = bundle.csv().map(|csv| csv.value().clone());
            let objects = bundle.objects.iter().map(|object| {
                let reason = match object.gvk().kind.as_str() {
                    _ if is_csv(object) => "OLM installs from it",
                    kind if !KINDS.contains(&kind) => "OLM does not install this kind",
                    _ => applied(object),
                };
                of_object(object, "kept", reason, is_optional(object.value(), &named))
            });
            let objects = objects.collect();
            (csv, objects)
        }
        MediaType::K8sV1 => {
            let synthesis = synthesize(bundle, reading);
            let shipped = optional.flat_map(|property| {
                let moved = synthesis.optional_manifests(&property.value);
                entries(moved.as_ref().unwrap_or(&property.value)).collect::<Vec<_>>()
            });
            let named: Vec<_> = shipped.collect();
            let objects = synthesis.outcomes.iter().map(|outcome| {
                let fate = match outcome.fate {
                    Fate::Projected => "projected",
                    Fate::Kept(_) => "kept",
                    Fate::Dropped => "dropped",
                };
                let is_optional = outcome.shipped().is_some_and(|object| is_optional(object, &named));
                of_object(&outcome.object, fate, &outcome.reason, is_optional)
            });
            let objects = objects.collect();
            (synthesis.csv, objects)
        }
    };
    let csv = csv.as_ref().map(Csv);
    let text = |read: &dyn Fn(Csv<'_>) -> String| csv.map(read).unwrap_or_default();
    let annotations = bundle.annotations.as_ref();
    Summary {
        bundle: bundle.origin.clone(),
        media_type: bundle.media_type.to_string(),
        package: annotations.map(Annotations::package).unwrap_or_default().to_owned(),
        channels: annotations.map(Annotations::channels).unwrap_or_default(),
        default_channel: annotations.and_then(Annotations::default_channel).map(str::to_owned),
        name: text(&|csv| csv.name().to_owned()),
        version: text(&|csv| csv.version().to_owned()),
        dependencies: dependencies(bundle, csv),
        replaces: Some(text(&|csv| csv.replaces().to_owned())).filter(|name| !name.is_empty()),
        objects,
    }
}

/// Returns the dependencies that the metadata lists, then the APIs that the ClusterServiceVersion requires.
fn dependencies(bundle: &Bundle, csv: Option<Csv<'_>>) -> Vec<Property> {
    let listed = bundle.dependencies.iter();
    let listed = listed.filter_map(|entry| as_property(&entry.kind, &entry.value));
    let properties = bundle
        .properties
        .iter()
        .filter(|property| is_requirement(&property.kind));
    let properties = properties.map(|property| (property.kind.as_str(), property.value.clone()));
    let apis = csv.map(|csv| csv.apis("required")).unwrap_or_default().into_iter();
    let apis = apis.map(|GroupVersionKind { group, version, kind }| {
        let value = json!({"group": group, "kind": kind, "version": version});
        (GVK_REQUIRED, value)
    });
    let all = listed.chain(properties).chain(apis);
    let all = all.map(|(kind, value)| Property::new(kind, value));
    let mut seen: HashSet<Property> = HashSet::new();
    all.filter(|property| seen.insert(property.clone())).collect()
}

fn of_object(object: &crate::manifest::Object, fate: &'static str, reason: &str, optional: bool) -> ObjectSummary {
    ObjectSummary {
        api_version: object.gvk().api_version(),
        kind: object.gvk().kind.clone(),
        name: object.name().to_owned(),
        file: object.file().to_owned(),
        fate,
        reason: reason.to_owned(),
        optional,
    }
}
