//! Updates of CustomResourceDefinitions that cannot be checked, because the description of the cluster lacks the
//! definition or its custom resources.

use super::definition::{is_served, text, versions};
use crate::csv::{self, Csv, OwnedCrd};
use crate::install::existing::Existing;
use crate::kubernetes::schema_digest;
use serde_json::Value;
use std::collections::BTreeMap;

/// An update of a CustomResourceDefinition that was not checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UncheckedUpdate {
    /// The name of the definition, which is also the full name of its resource.
    pub definition: String,
    /// What the description of the cluster lacks.
    pub lacks: Lacks,
}

/// What the description of a cluster lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lacks {
    /// The definition. It exists, because this installed version, which owns it, has succeeded.
    Definition {
        /// The name of the ClusterServiceVersion.
        owner: String,
    },
    /// Custom resources, although the schema that they must match changes.
    Objects {
        /// The kind of the custom resources.
        kind: String,
    },
}

/// Returns the definitions that versions in the phase `Succeeded` own, with the names of these versions. OLM installs
/// no version without its definitions.
pub(super) fn owners(objects: &[Value]) -> BTreeMap<&str, &str> {
    let versions = objects.iter().map(Csv);
    let succeeded = versions.filter(|csv| {
        csv.text(&["kind"]) == csv::KIND && csv.text(&["status", "phase"]) == "Succeeded" && !csv.is_copied()
    });
    let owned = succeeded.flat_map(|csv| csv.owned_crds().map(OwnedCrd::name).map(move |crd| (crd, csv.name())));
    owned.collect()
}

/// Returns the update of a definition if the schema of a version that is served both before and after the update
/// changes, and there are no custom resources to compare with the new schema.
pub(super) fn without_objects(existing: &Value, new: &Value, objects: &Existing<'_>) -> Option<UncheckedUpdate> {
    let (group, kind) = (text(new, "/spec/group"), text(new, "/spec/names/kind"));
    let changes = versions(new).filter(|version| is_served(version)).any(|version| {
        let mut before = versions(existing).filter(|version| is_served(version));
        let before = before.find(|before| text(before, "/name") == text(version, "/name"));
        let before = before.and_then(schema_digest::of);
        before.is_some() && before != schema_digest::of(version)
    });
    let is_unchecked = changes && objects.of_kind(group, kind).next().is_none();
    is_unchecked.then(|| UncheckedUpdate {
        definition: text(new, "/metadata/name").to_owned(),
        lacks: Lacks::Objects { kind: kind.to_owned() },
    })
}
