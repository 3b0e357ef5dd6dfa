//! What the newest version of an operator that works says of itself.

use super::component::Component;
use crate::version::parse_tolerant;
use serde::Serialize;
use serde_json::Value;

/// `status.metadata` of an operator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Metadata {
    /// The name for people.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub display_name: String,
    /// What it is for.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// `spec.version` of the ClusterServiceVersion.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub version: String,
    /// The APIs that it is about.
    pub apis: Apis,
}

/// The APIs of an operator.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Apis {
    /// Those that it serves.
    pub provides: Vec<Api>,
    /// Those that others have to serve.
    pub requires: Vec<Api>,
}

/// One API.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Api {
    /// The group.
    pub group: String,
    /// The version; a required API may have none.
    pub version: String,
    /// The kind.
    pub kind: String,
    /// The name of the resource.
    pub plural: String,
    /// The name of one of them: as the CustomResourceDefinition has it, else the kind in small letters.
    pub singular: String,
}

/// The ClusterServiceVersion to tell of: of those that work the one of the highest version, then the youngest, then the
/// last by name.
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

/// What a ClusterServiceVersion says. `all` are the objects among which its CustomResourceDefinitions may be.
pub(super) fn of(csv: Component<'_>, all: &[Component<'_>]) -> Metadata {
    let apis = |what: &str| {
        let crds = csv.list(&format!("/spec/customresourcedefinitions/{what}"));
        let services = csv.list(&format!("/spec/apiservicedefinitions/{what}"));
        let crds = crds.iter().filter_map(|entry| of_crd(entry, all));
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

/// The API of a CustomResourceDefinition, whose name is `<plural>.<group>`.
fn of_crd(entry: &Value, all: &[Component<'_>]) -> Option<Api> {
    let entry = Component(entry);
    let name = entry.text("/name");
    let (plural, group) = name.split_once('.')?;
    let definition = all
        .iter()
        .find(|object| object.text("/kind") == "CustomResourceDefinition" && object.name() == name);
    let kind = entry.text("/kind");
    let singular = definition.and_then(|definition| definition.some_text("/spec/names/singular"));
    Some(Api {
        group: group.to_owned(),
        version: entry.text("/version").to_owned(),
        kind: kind.to_owned(),
        plural: plural.to_owned(),
        singular: singular.map_or_else(|| kind.to_lowercase(), str::to_owned),
    })
}

/// The API of an APIService, whose entry names the plural.
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
