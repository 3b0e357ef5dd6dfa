//! The content of a what-if file as plain data, with the defaults of optional values filled in.

use crate::csv::GROUP;
use crate::kubernetes::GroupVersionKind;
use crate::olm::property::Property;
use crate::version::parse_tolerant;
use semver::Version;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// The only version of the format.
pub const VERSION: u64 = 1;
/// `spec.upgradeStrategy` of an OperatorGroup in whose namespace OLM upgrades failed versions.
pub(super) const FAIL_FORWARD: &str = "TechPreviewUnsafeFailForward";
/// The default namespace.
pub const NAMESPACE: &str = "operators";

/// A namespace of a cluster with its operators and all other data that OLM considers for the namespace.
///
/// [`read`](super::read) reads it from a what-if file.
// Without a public `Deserialize`, which would skip the defaults and checks of `read`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct State {
    /// The name of the situation that the file describes.
    pub name: String,
    /// The description of the situation.
    pub description: String,
    /// The namespace that operators are installed into. Empty, as in [`State::default`], means unknown:
    /// [`observe`](super::observe) then determines it from the objects. If a what-if file does not specify it, or no
    /// object determines it, it becomes [`NAMESPACE`].
    pub namespace: String,
    /// The namespace whose catalogs serve all namespaces.
    pub global_namespace: Option<String>,
    /// Whether the OperatorGroup excludes the catalogs of the global namespace.
    pub exclude_global_catalogs: bool,
    /// `spec.upgradeStrategy` of the OperatorGroup.
    pub upgrade_strategy: UpgradeStrategy,
    /// `spec.serviceAccountName` of the OperatorGroup.
    pub service_account: Option<String>,
    /// The catalogs that operators can come from.
    pub catalogs: Vec<CatalogSource>,
    /// The CatalogSources, by namespace and name, that a dump contains, but that OLM does not use for this namespace.
    pub other_catalogs: Vec<(String, String)>,
    /// The CatalogSources that an `Operator` refers to, by namespace and name. OLM uses them in any namespace.
    pub referred: BTreeSet<(String, String)>,
    /// The ClusterServiceVersions in [`State::namespace`].
    pub installed: Vec<Installed>,
    /// The Subscriptions in [`State::namespace`].
    pub subscriptions: Vec<Subscription>,
    /// The APIs that the cluster serves; `None` if the file does not list them.
    pub apis: Option<Vec<Api>>,
    /// The version of Kubernetes, such as `v1.30.2`, if known.
    pub kubernetes_version: Option<String>,
    /// Complete objects in the cluster.
    pub objects: Vec<Value>,
    /// The permissions of service accounts.
    pub grants: Vec<Grant>,
    /// Complete objects of kind Condition or OperatorCondition.
    pub conditions: Vec<Value>,
    /// Errors that the API server returns.
    pub errors: Vec<ErrorAnswer>,
}

/// The behavior of OLM after a failed upgrade.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
pub enum UpgradeStrategy {
    /// OLM waits until the failed version is repaired.
    #[default]
    Default,
    /// OLM upgrades the failed version.
    #[serde(rename = "TechPreviewUnsafeFailForward")]
    FailForward,
}

/// A CatalogSource: either a reference to an index, or packages defined in the file.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CatalogSource {
    /// The name.
    pub name: String,
    /// The namespace; by default, the global namespace or, if there is none, the namespace of the state.
    pub namespace: String,
    /// The priority; higher values are preferred.
    pub priority: i64,
    /// The index as named in the file, either a path or an image. `source_beside` resolves a path relative to the file.
    pub source: Option<String>,
    /// The packages, if there is no [`CatalogSource::source`].
    pub packages: Vec<Package>,
}

/// A package that is defined in the file.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Package {
    /// The name.
    pub name: String,
    /// The channel for Subscriptions that do not specify a channel.
    pub default_channel: Option<String>,
    /// The channels.
    pub channels: Vec<Channel>,
    /// The bundles that entries of channels can refer to.
    pub bundles: Vec<Bundle>,
}

/// A channel that is defined in the file.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Channel {
    /// The name.
    pub name: String,
    /// The bundles of the channel, with the edges between them.
    pub entries: Vec<StateEntry>,
}

/// A bundle in a channel.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StateEntry {
    /// The name of the bundle.
    pub name: String,
    /// The bundle that this bundle replaces.
    pub replaces: Option<String>,
    /// Bundles that can be updated to this bundle, but that are not offered as updates.
    pub skips: Vec<String>,
    /// The range of versions that can be updated to this bundle.
    pub skip_range: Option<String>,
}

/// A bundle that is defined in the file.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Bundle {
    /// The name of the bundle's ClusterServiceVersion.
    pub name: String,
    /// The version.
    pub version: Option<String>,
    /// The owned APIs, which become properties of type `olm.gvk`.
    pub provides: Vec<GroupVersionKind>,
    /// The required APIs, which become dependencies of type `olm.gvk`.
    pub requires: Vec<GroupVersionKind>,
    /// Additional properties.
    pub properties: Vec<Property>,
    /// Additional dependencies, as in `metadata/dependencies.yaml`.
    pub dependencies: Vec<Property>,
}

/// An installed ClusterServiceVersion.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Installed {
    /// The name.
    pub name: String,
    /// `spec.version`.
    pub version: Option<String>,
    /// The package in the properties annotation.
    pub package: Option<String>,
    /// `status.phase`; `Succeeded` by default.
    pub phase: String,
    /// `spec.replaces`.
    pub replaces: Option<String>,
    /// The owned APIs.
    pub provides: Vec<GroupVersionKind>,
    /// The required APIs.
    pub requires: Vec<GroupVersionKind>,
    /// Additional properties, as in the properties annotation.
    pub properties: Vec<Property>,
    /// Whether the operator was installed by an older OLM, which writes no properties annotation.
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
    /// The name; by default, that of the package.
    pub name: String,
    /// The package.
    pub package: String,
    /// The channel; `None` for any.
    pub channel: Option<String>,
    /// The name of the CatalogSource; by default, that of the only CatalogSource.
    pub catalog: String,
    /// The namespace of the CatalogSource; by default, that of the first CatalogSource with this name.
    pub catalog_namespace: String,
    /// The version to install first.
    #[serde(rename = "startingCSV")]
    pub starting_csv: Option<String>,
    /// `status.installedCSV`.
    #[serde(rename = "installedCSV")]
    pub installed_csv: Option<String>,
    /// `status.currentCSV`; by default, the installed version.
    #[serde(rename = "currentCSV")]
    pub current_csv: Option<String>,
    /// The approval mode for its install plans.
    pub install_plan_approval: Approval,
    /// The InstallPlan of [`Subscription::current_csv`], if that version does not exist yet. Only dumps specify it.
    #[serde(skip)]
    pub install_plan: Option<UnfinishedPlan>,
}

/// An InstallPlan that a Subscription waits for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UnfinishedPlan {
    /// The name.
    pub name: String,
    /// The ClusterServiceVersions that the plan installs.
    pub versions: Vec<String>,
    /// `status.phase`, such as `RequiresApproval`; empty if unknown.
    pub phase: String,
    /// Whether OLM creates no other plan for the Subscription.
    pub blocks: bool,
}

/// The approval mode of an InstallPlan.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Approval {
    /// OLM approves the plan.
    #[default]
    Automatic,
    /// A person approves the plan.
    Manual,
}

impl State {
    /// Takes the fields from the keys of a what-if file. Defaults that depend on other fields are not filled in.
    pub(super) fn from_keys(mut keys: Map<String, Value>) -> Result<Self, serde_json::Error> {
        fn take<T: DeserializeOwned + Default>(
            keys: &mut Map<String, Value>,
            key: &str,
        ) -> Result<T, serde_json::Error> {
            keys.remove(key)
                .map_or_else(|| Ok(T::default()), serde_json::from_value)
        }
        Ok(Self {
            name: take(&mut keys, "name")?,
            description: take(&mut keys, "description")?,
            namespace: take(&mut keys, "namespace")?,
            global_namespace: take(&mut keys, "globalNamespace")?,
            exclude_global_catalogs: take(&mut keys, "excludeGlobalCatalogs")?,
            upgrade_strategy: take(&mut keys, "upgradeStrategy")?,
            service_account: take(&mut keys, "serviceAccount")?,
            catalogs: take(&mut keys, "catalogs")?,
            other_catalogs: Vec::new(),
            referred: BTreeSet::new(),
            installed: take(&mut keys, "installed")?,
            subscriptions: take(&mut keys, "subscriptions")?,
            apis: take(&mut keys, "apis")?,
            kubernetes_version: take(&mut keys, "kubernetesVersion")?,
            objects: take(&mut keys, "objects")?,
            grants: take(&mut keys, "grants")?,
            conditions: take(&mut keys, "conditions")?,
            errors: take(&mut keys, "errors")?,
        })
    }

    /// Returns the version of Kubernetes. Like OLM, ignores its suffixes, such as `+k3s1`. Returns `None` if it is
    /// unknown or cannot be read.
    pub fn kubernetes(&self) -> Option<Version> {
        let release = self.kubernetes_version.as_deref()?.split(['-', '+']).next()?;
        parse_tolerant(release)
    }

    /// Returns the namespaces in which OLM upgrades failed versions.
    pub(super) fn fail_forward_namespaces(&self) -> BTreeSet<&str> {
        let fails_forward = self.upgrade_strategy == UpgradeStrategy::FailForward;
        let own = fails_forward.then_some(&*self.namespace);
        let groups = self.objects.iter().filter(|object| {
            let text = |path: &str| object.pointer(path).and_then(Value::as_str).unwrap_or_default();
            text("/kind") == "OperatorGroup"
                && text("/apiVersion").starts_with(GROUP)
                && text("/spec/upgradeStrategy") == FAIL_FORWARD
        });
        let groups = groups.filter_map(|group| group.pointer("/metadata/namespace")?.as_str());
        own.into_iter().chain(groups).collect()
    }

    /// Returns the names of the Subscriptions in a namespace that require manual approval of their install plans. A
    /// single such Subscription makes every plan in the namespace wait, including those of other Subscriptions.
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
    /// The group, version and kind.
    #[serde(flatten)]
    pub kind: GroupVersionKind,
    /// The name of the resource, such as `deployments`.
    pub plural: Option<String>,
    /// Whether the resource is namespaced; `true` by default.
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

/// The permissions of a service account.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Grant {
    /// The name of the account.
    pub service_account: String,
    /// The namespace of the account; by default, that of the state.
    pub namespace: String,
    /// PolicyRules. A rule may have a key `namespaces`, a list of the namespaces to which the rule applies; otherwise
    /// the rule applies to the whole cluster.
    pub rules: Vec<Value>,
}

/// An error that the API server returns for a request. A request matches if it agrees with all specified fields.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ErrorAnswer {
    /// The API group of the object; `""` is the core group.
    pub group: Option<String>,
    /// The API version of the object.
    pub version: Option<String>,
    /// The kind of the object.
    pub kind: Option<String>,
    /// The namespace of the object.
    pub namespace: Option<String>,
    /// The name of the object.
    pub name: Option<String>,
    /// The verb of the request, such as `create`.
    pub verb: Option<String>,
    /// `reason` of the Status, such as `Forbidden`.
    pub reason: Option<String>,
    /// `code` of the Status, such as 403.
    pub code: Option<u16>,
    /// `message` of the Status.
    pub message: Option<String>,
}
