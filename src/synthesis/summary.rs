//! A summary of a bundle and the fate of each object.

use super::fate::applied;
use super::{Fate, synthesize};
use crate::bundle::{Annotations, Bundle, MediaType, is_csv};
use crate::csv::Csv;
use crate::diagnostic::Diagnostic;
use crate::olm::kinds::KINDS;
use serde::Serialize;

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
}

/// Summarizes a bundle. A `k8s+v1` bundle is synthesized to determine the fate of its objects.
pub(crate) fn summarize(bundle: &Bundle, reading: &[Diagnostic]) -> Summary {
    let (csv, objects) = match bundle.media_type {
        MediaType::RegistryV1 => {
            let csv = bundle.csv().map(|csv| csv.value().clone());
            let objects = bundle.objects.iter().map(|object| {
                let reason = match object.gvk().kind.as_str() {
                    _ if is_csv(object) => "OLM installs from it",
                    kind if !KINDS.contains(&kind) => "OLM does not install this kind",
                    _ => applied(object),
                };
                of_object(object, "kept", reason)
            });
            (csv, objects.collect())
        }
        MediaType::K8sV1 => {
            let synthesis = synthesize(bundle, reading);
            let objects = synthesis.outcomes.iter().map(|outcome| {
                let fate = match outcome.fate {
                    Fate::Projected => "projected",
                    Fate::Kept(_) => "kept",
                    Fate::Dropped => "dropped",
                };
                of_object(&outcome.object, fate, &outcome.reason)
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
        replaces: Some(text(&|csv| csv.replaces().to_owned())).filter(|name| !name.is_empty()),
        objects,
    }
}

fn of_object(object: &crate::manifest::Object, fate: &'static str, reason: &str) -> ObjectSummary {
    ObjectSummary {
        api_version: object.gvk().api_version(),
        kind: object.gvk().kind.clone(),
        name: object.name().to_owned(),
        file: object.file().to_owned(),
        fate,
        reason: reason.to_owned(),
    }
}
