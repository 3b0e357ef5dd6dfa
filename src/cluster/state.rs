//! What a what-if file says, as plain data. Everything that the file may leave out has its default here already.

use crate::csv::GROUP;
use crate::kubernetes::GroupVersionKind;
use crate::olm::property::Property;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;

/// The only version of the format.
pub const VERSION: u64 = 1;
/// The namespace of a file that names none.
pub const NAMESPACE: &str = "operators";

/// A namespace of a cluster with its operators, and what else matters to OLM there.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct State {
    /// What the case is called.
    pub name: String,
    /// What it is about.
    pub description: String,
    /// The namespace that operators are installed into, [`NAMESPACE`] where none is named.
    pub namespace: String,
    /// The namespace whose catalogs serve all namespaces.
    pub global_namespace: Option<String>,
    /// Whether the OperatorGroup keeps the catalogs of the global namespace out.
    pub exclude_global_catalogs: bool,
    /// `spec.upgradeStrategy` of the OperatorGroup.
    pub upgrade_strategy: UpgradeStrategy,
    /// `spec.serviceAccountName` of the OperatorGroup.
    pub service_account: Option<String>,
    /// What operators can be taken from.
    pub catalogs: Vec<CatalogSource>,
    /// The CatalogSources of a dump that OLM does not look at from here, by namespace and name.
    #[serde(skip)]
    pub other_catalogs: Vec<(String, String)>,
    /// The CatalogSources that an `Operator` refers to, by namespace and name. OLM looks at them wherever they are.
    #[serde(skip)]
    pub referred: BTreeSet<(String, String)>,
    /// The ClusterServiceVersions in [`State::namespace`].
    pub installed: Vec<Installed>,
    /// The Subscriptions in [`State::namespace`].
    pub subscriptions: Vec<Subscription>,
    /// The APIs that the cluster serves; `None` where the file does not say.
    pub apis: Option<Vec<Api>>,
    /// Objects in the cluster, whole.
    pub objects: Vec<Value>,
    /// What service accounts may do.
    pub grants: Vec<Grant>,
    /// Objects of kind Condition or OperatorCondition, whole.
    pub conditions: Vec<Value>,
    /// Errors that the API server answers with.
    pub errors: Vec<ErrorAnswer>,
}

/// How OLM goes on from a failed upgrade.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
pub enum UpgradeStrategy {
    /// It waits until the failed version is mended.
    #[default]
    Default,
    /// It upgrades the failed version.
    #[serde(rename = "TechPreviewUnsafeFailForward")]
    FailForward,
}

/// A CatalogSource: an index that is named, or packages that are written out.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CatalogSource {
    /// Its name.
    pub name: String,
    /// Its namespace; where the file names none, the global one, else that of the state.
    pub namespace: String,
    /// A higher one is preferred.
    pub priority: i64,
    /// The index as the file names it, a path or an image. [`super::source_beside`] makes a path relative to the file.
    pub source: Option<String>,
    /// The packages, where there is no [`CatalogSource::source`].
    pub packages: Vec<Package>,
}

/// A package that is written out.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Package {
    /// The name.
    pub name: String,
    /// The channel of a subscription that names none.
    pub default_channel: Option<String>,
    /// The channels.
    pub channels: Vec<Channel>,
    /// The bundles, each of which some channel may have an entry for.
    pub bundles: Vec<Bundle>,
}

/// A channel that is written out.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Channel {
    /// The name.
    pub name: String,
    /// Its bundles, with the edges between them.
    pub entries: Vec<StateEntry>,
}

/// A bundle in a channel.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StateEntry {
    /// The name of the bundle.
    pub name: String,
    /// The bundle from which this one is the next update.
    pub replaces: Option<String>,
    /// Bundles that may be updated to this one without being offered themselves.
    pub skips: Vec<String>,
    /// The range of versions that may be updated to this one.
    pub skip_range: Option<String>,
}

/// A bundle that is written out.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Bundle {
    /// The name of its ClusterServiceVersion.
    pub name: String,
    /// The version.
    pub version: Option<String>,
    /// The APIs that it owns, which become properties of type `olm.gvk`.
    pub provides: Vec<GroupVersionKind>,
    /// The APIs that it requires, which become dependencies of type `olm.gvk`.
    pub requires: Vec<GroupVersionKind>,
    /// Further properties.
    pub properties: Vec<Property>,
    /// Further dependencies, as in `metadata/dependencies.yaml`.
    pub dependencies: Vec<Property>,
}

/// An installed ClusterServiceVersion.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Installed {
    /// Its name.
    pub name: String,
    /// `spec.version`.
    pub version: Option<String>,
    /// The package of its properties annotation.
    pub package: Option<String>,
    /// `status.phase`, `Succeeded` where the file names none.
    pub phase: String,
    /// `spec.replaces`.
    pub replaces: Option<String>,
    /// The APIs that it owns.
    pub provides: Vec<GroupVersionKind>,
    /// The APIs that it requires.
    pub requires: Vec<GroupVersionKind>,
    /// Further properties of its properties annotation, as they stand there.
    pub properties: Vec<Property>,
    /// Whether an older OLM installed it, which writes no properties annotation.
    pub without_properties_annotation: bool,
}

impl Default for Installed {
    fn default() -> Self {
        Self {
            name: String::new(),
            version: None,
            package: None,
            phase: "Succeeded".to_owned(),
            replaces: None,
            provides: Vec::new(),
            requires: Vec::new(),
            properties: Vec::new(),
            without_properties_annotation: false,
        }
    }
}

/// A Subscription.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Subscription {
    /// Its name; that of the package where the file names none.
    pub name: String,
    /// The package.
    pub package: String,
    /// The channel; any where there is none.
    pub channel: Option<String>,
    /// The name of the CatalogSource; the only one where the file names none.
    pub catalog: String,
    /// The namespace of the CatalogSource; where the file names none, that of the first with this name.
    pub catalog_namespace: String,
    /// The version that a first installation takes.
    #[serde(rename = "startingCSV")]
    pub starting_csv: Option<String>,
    /// `status.installedCSV`.
    #[serde(rename = "installedCSV")]
    pub installed_csv: Option<String>,
    /// `status.currentCSV`; the installed one where the file names none.
    #[serde(rename = "currentCSV")]
    pub current_csv: Option<String>,
    /// Who approves what it installs.
    pub install_plan_approval: Approval,
}

/// Who lets an InstallPlan run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Approval {
    /// OLM.
    #[default]
    Automatic,
    /// A person.
    Manual,
}

impl State {
    /// The Subscriptions of a namespace whose plans a person approves, by name. A single one holds every plan there,
    /// also those of the others.
    pub fn manual_subscriptions(&self, namespace: &str) -> Vec<String> {
        let here = self.namespace.is_empty() || self.namespace == namespace;
        let named = self
            .subscriptions
            .iter()
            .filter(|to| here && to.install_plan_approval == Approval::Manual);
        let objects = self.objects.iter().filter(|object| {
            let text = |path: &str| object.pointer(path).and_then(Value::as_str).unwrap_or_default();
            text("/kind") == "Subscription"
                && text("/apiVersion").starts_with(GROUP)
                && text("/metadata/namespace") == namespace
                && text("/spec/installPlanApproval") == "Manual"
        });
        let objects = objects.filter_map(|object| object.pointer("/metadata/name")?.as_str());
        let all: BTreeSet<&str> = named.map(|to| &*to.name).chain(objects).collect();
        all.into_iter().map(str::to_owned).collect()
    }
}

/// A resource that the API server serves.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Api {
    /// Group, version and kind.
    #[serde(flatten)]
    pub kind: GroupVersionKind,
    /// The name of the resource, such as `deployments`.
    pub plural: Option<String>,
    /// Whether its objects are in namespaces, which they are where the file does not say.
    pub namespaced: bool,
}

impl Default for Api {
    fn default() -> Self {
        Self {
            kind: GroupVersionKind::default(),
            plural: None,
            namespaced: true,
        }
    }
}

/// What a service account may do.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Grant {
    /// The name of the account.
    pub service_account: String,
    /// Its namespace; that of the state where the file names none.
    pub namespace: String,
    /// PolicyRules. One may have a key `namespaces`, a list of the namespaces that it holds in; one without holds in
    /// the whole cluster.
    pub rules: Vec<Value>,
}

/// An error that the API server answers a request with. A request matches where all that is given here is the same.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ErrorAnswer {
    /// API group of the object; `""` is the core group.
    pub group: Option<String>,
    /// Version.
    pub version: Option<String>,
    /// Kind.
    pub kind: Option<String>,
    /// Namespace of the object.
    pub namespace: Option<String>,
    /// Name of the object.
    pub name: Option<String>,
    /// What is asked for, such as `create`.
    pub verb: Option<String>,
    /// `reason` of the Status, such as `Forbidden`.
    pub reason: Option<String>,
    /// `code` of the Status, such as 403.
    pub code: Option<u16>,
    /// `message` of the Status.
    pub message: Option<String>,
}
