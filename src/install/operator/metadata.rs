//! Metadata of the newest working version of an operator.

use super::component::Component;
use super::defined::Defined;
use crate::version::parse_tolerant;
use serde::Serialize;
use serde_json::Value;

/// `status.metadata` of an operator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Metadata {
    /// The display name.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub display_name: String,
    /// The description.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// `spec.version` of the ClusterServiceVersion.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub version: String,
    /// The APIs that the operator provides and requires.
    pub apis: Apis,
}

/// The APIs of an operator.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Apis {
    /// The APIs that the operator serves.
    pub provides: Vec<Api>,
    /// The APIs that the operator requires.
    pub requires: Vec<Api>,
}

/// An API that an operator provides or requires.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Api {
    /// The group.
    pub group: String,
    /// The version; empty if a required API has none.
    pub version: String,
    /// The kind.
    pub kind: String,
    /// The name of the resource.
    pub plural: String,
    /// The singular name, from the CustomResourceDefinition; by default, the kind in lowercase.
    pub singular: String,
}

/// Returns the ClusterServiceVersion to report: the working one with the highest version. If several have that version,
/// returns the youngest or, if they have the same age, the last one by name.
pub(super) fn newest<'a>(components: &[Component<'a>]) -> Option<Component<'a>> {
    let works = |csv: &&Component<'_>| csv.is_csv() && csv.text("/status/phase") == "Succeeded";
    let age = |csv: &&Component<'_>| {
        (
            parse_tolerant(csv.text("/spec/version")),
            csv.text("/metadata/creationTimestamp").to_owned(),
            csv.name().to_owned(),
        )
    };
    components.iter().filter(works).max_by_key(age).copied()
}

/// Returns the metadata of a ClusterServiceVersion. `defined` are the CustomResourceDefinitions of the cluster.
pub(super) fn of(csv: Component<'_>, defined: &Defined<'_>) -> Metadata {
    let apis = |what: &str| {
        let crds = csv.list(&format!("/spec/customresourcedefinitions/{what}"));
        let services = csv.list(&format!("/spec/apiservicedefinitions/{what}"));
        let crds = crds.iter().filter_map(|entry| of_crd(entry, defined));
        let mut apis: Vec<Api> = crds.chain(services.iter().map(of_service)).collect();
        apis.sort();
        apis.dedup();
        apis
    };
    Metadata {
        display_name: csv.text("/spec/displayName").to_owned(),
        description: csv.text("/spec/description").to_owned(),
        version: csv.text("/spec/version").to_owned(),
        apis: Apis {
            provides: apis("owned"),
            requires: apis("required"),
        },
    }
}

/// Returns the API of a CustomResourceDefinition, whose name is `<plural>.<group>`.
fn of_crd(entry: &Value, defined: &Defined<'_>) -> Option<Api> {
    let entry = Component(entry);
    let name = entry.text("/name");
    let (plural, group) = name.split_once('.')?;
    let kind = entry.text("/kind");
    Some(Api {
        group: group.to_owned(),
        version: entry.text("/version").to_owned(),
        kind: kind.to_owned(),
        plural: plural.to_owned(),
        singular: defined
            .singular(name)
            .map_or_else(|| kind.to_lowercase(), str::to_owned),
    })
}

/// Returns the API of an APIService. The entry in the ClusterServiceVersion specifies the plural name.
fn of_service(entry: &Value) -> Api {
    let entry = Component(entry);
    let text = |pointer: &str| entry.text(pointer).to_owned();
    Api {
        group: text("/group"),
        version: text("/version"),
        kind: text("/kind"),
        plural: text("/name"),
        singular: text("/kind").to_lowercase(),
    }
}
