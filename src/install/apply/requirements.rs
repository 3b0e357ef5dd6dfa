//! What a version requires of the cluster: APIs, a version of Kubernetes, and that the version that it replaces allows
//! the upgrade by its conditions and its phase. After its plan, the version stays `Pending` until the cluster meets
//! these requirements.

use super::{Apis, NameConflict, Step, StepStatus};
use crate::cluster::State;
use crate::cluster::conditions::{Hold, NOT_UPGRADEABLE, REQUIREMENTS_UNKNOWN, Unready, held_in, installed_in};
use crate::csv::{self, Csv};
use crate::install::apis::serves;
use crate::kubernetes::GroupVersionKind;
use crate::olm::property::GVK;
use crate::olm::releases::Olm;
use crate::steps::CRD;
use crate::version::parse_tolerant;
use semver::Version;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// What a version requires before it can start.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Requirements {
    /// The name of the ClusterServiceVersion.
    pub name: String,
    /// The APIs that another operator must provide.
    pub required: Vec<GroupVersionKind>,
    /// The APIs that the cluster itself must serve.
    pub native: Vec<GroupVersionKind>,
    /// The definitions of owned or required APIs whose names the API server does not accept.
    pub conflicts: Vec<NameConflict>,
    /// The owned or required definitions that do not serve the version that OLM waits for.
    pub unserved: Vec<UnservedVersion>,
    /// The owned APIs of APIServices whose Deployment is not in the install strategy, each with the name of the
    /// Deployment.
    pub undeployed: Vec<(GroupVersionKind, String)>,
    /// The version of Kubernetes, if the cluster has an older one, or if OLM cannot read it.
    pub kubernetes: Option<NewerKubernetes>,
    /// The conditions of the replaced version, if they hold back the upgrade. OLM checks nothing else then.
    pub held: Option<Hold>,
    /// The replaced version, if OLM does not replace it in its phase.
    pub unready: Option<Unready>,
}

/// A version of a CustomResourceDefinition that the API server does not serve.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnservedVersion {
    /// The name of the definition.
    pub definition: String,
    /// The version.
    pub version: String,
}

impl fmt::Display for UnservedVersion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The words in parentheses are OLM's.
        write!(
            formatter,
            "the CustomResourceDefinition {} does not serve the version {:?} (\"CRD version not served\")",
            self.definition, self.version
        )
    }
}

/// A version of Kubernetes that is newer than that of the cluster, or that OLM cannot read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewerKubernetes {
    /// `spec.minKubeVersion`.
    pub minimum: String,
    /// The version of the cluster; empty if unknown.
    pub found: String,
}

impl NewerKubernetes {
    /// Returns the version of Kubernetes that a version requires if the version of the cluster is known and older, or
    /// if OLM cannot read the required version, which no cluster satisfies.
    fn of(csv: Csv<'_>, state: &State) -> Option<Self> {
        let minimum = csv.text(&["spec", "minKubeVersion"]);
        let is_older = |release| readable(minimum).is_some_and(|required| required.cmp_precedence(&release).is_gt());
        let is_unmet = readable(minimum).is_none() || state.kubernetes().is_some_and(is_older);
        (!minimum.is_empty() && is_unmet).then(|| Self {
            minimum: minimum.to_owned(),
            found: state.kubernetes_version.clone().unwrap_or_default(),
        })
    }
}

/// Reads `spec.minKubeVersion` as OLM does: three numbers, optionally after a `v`.
fn readable(minimum: &str) -> Option<Version> {
    let written = minimum.strip_prefix('v').unwrap_or(minimum);
    let numbers: Vec<&str> = written.split(['-', '+']).next()?.split('.').collect();
    let is_number = |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    (numbers.len() == 3 && numbers.iter().all(is_number)).then(|| parse_tolerant(written))?
}

impl Requirements {
    /// Returns the reason why the version stays `Pending`, in words.
    pub(crate) fn reason(&self) -> String {
        if let Some(hold) = &self.held {
            return hold.explained();
        }
        let sorts = [("native", &self.native), ("required", &self.required)];
        let some = sorts.into_iter().filter(|(_, apis)| !apis.is_empty());
        let named: Vec<String> = some
            .map(|(sort, apis)| format!("its {sort} APIs {}", listed(apis)))
            .collect();
        let apis = (!named.is_empty()).then(|| format!("the cluster does not serve {}", named.join(" and ")));
        let kubernetes = self.kubernetes.as_ref().map(|NewerKubernetes { minimum, found }| {
            if readable(minimum).is_none() {
                return format!(
                    "OLM cannot read its minKubeVersion {minimum:?}, which must consist of three numbers, such as 1.25.0 \
                     (\"CSV version parsing error\")"
                );
            }
            format!("it requires Kubernetes {minimum} or newer, but the cluster has {found}")
        });
        let unready = self.unready.as_ref().map(ToString::to_string);
        let conflicts = self.conflicts.iter().map(NameConflict::to_string);
        let unserved = self.unserved.iter().map(UnservedVersion::to_string);
        let undeployed = self.undeployed.iter().map(|(api, deployment)| {
            format!(
                "its install strategy has no Deployment {deployment:?} for its API {}",
                listed(std::slice::from_ref(api))
            )
        });
        let all: Vec<String> = apis
            .into_iter()
            .chain(conflicts)
            .chain(unserved)
            .chain(undeployed)
            .chain(kubernetes)
            .chain(unready)
            .collect();
        all.join("; ")
    }

    /// Returns `status.reason` of the version.
    pub(crate) fn status_reason(&self) -> &'static str {
        if self.held.is_some() {
            NOT_UPGRADEABLE
        } else if self.lacks() {
            "RequirementsNotMet"
        } else {
            REQUIREMENTS_UNKNOWN
        }
    }

    /// Whether the cluster lacks an API or the version of Kubernetes, or the version lacks a Deployment.
    fn lacks(&self) -> bool {
        let lacks_apis = !self.required.is_empty() || !self.native.is_empty() || !self.conflicts.is_empty();
        lacks_apis || !self.unserved.is_empty() || !self.undeployed.is_empty() || self.kubernetes.is_some()
    }

    /// Whether only the phase of the replaced version makes the version wait. OLM checks the phase last.
    pub(super) fn waits_for_phase(&self) -> bool {
        self.held.is_none() && !self.lacks()
    }

    fn of(csv: Csv<'_>) -> Self {
        Self {
            name: csv.name().to_owned(),
            required: csv.apis("required"),
            native: csv.native_apis(),
            conflicts: Vec::new(),
            unserved: Vec::new(),
            undeployed: Vec::new(),
            kubernetes: None,
            held: None,
            unready: None,
        }
    }

    /// Returns the requirements without the APIs that `apis` or the operators in `state` provide; `None` if nothing is
    /// left.
    fn open(mut self, apis: &Apis, state: &State) -> Option<Self> {
        self.native.retain(|api| !apis.serves(api));
        let is_unserved = |api: &GroupVersionKind| {
            let mut unserved = self.unserved.iter();
            unserved.any(|unserved| {
                let group = unserved.definition.split_once('.').map(|(_, group)| group);
                group == Some(&*api.group) && unserved.version == api.version
            })
        };
        self.required
            .retain(|api| !apis.serves(api) && !is_provided(api, state) && !is_unserved(api));
        (self.lacks() || self.unready.is_some()).then_some(self)
    }
}

/// Returns a list of APIs in words.
pub(crate) fn listed(apis: &[GroupVersionKind]) -> String {
    let api = |api: &GroupVersionKind| format!("{} ({})", api.kind, api.api_version());
    apis.iter().map(api).collect::<Vec<_>>().join(", ")
}

/// Whether an installed operator provides an API.
fn is_provided(api: &GroupVersionKind, state: &State) -> bool {
    state.installed.iter().any(|operator| {
        let mut properties = operator.properties.iter().filter(|property| property.kind == GVK);
        let is_it = |value: &Value| {
            let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default();
            api.is(text("group"), text("kind")) && api.version == text("version")
        };
        operator.provides.contains(api) || properties.any(|property| is_it(&property.value))
    })
}

/// Returns the owned APIs of APIServices whose Deployment is not in the install strategy.
fn undeployed(csv: Csv<'_>) -> Vec<(GroupVersionKind, String)> {
    let names = csv
        .deployments()
        .iter()
        .filter_map(|deployment| deployment.get("name")?.as_str());
    let names: BTreeSet<&str> = names.collect();
    let owned = csv.list(&["spec", "apiservicedefinitions", "owned"]).iter();
    let deployments = owned.map(|api| api.get("deploymentName").and_then(Value::as_str).unwrap_or_default());
    let apis = csv.owned_api_services().zip(deployments);
    apis.filter(|(_, deployment)| !names.contains(deployment))
        .map(|(api, deployment)| (api, deployment.to_owned()))
        .collect()
}

/// Returns the CustomResourceDefinitions on the cluster after these steps, by name.
fn definitions<'a>(steps: &'a [Step], statuses: &[StepStatus], state: &'a State) -> BTreeMap<&'a str, &'a Value> {
    let written = steps
        .iter()
        .zip(statuses)
        .filter(|(_, status)| [StepStatus::Created, StepStatus::Present].contains(status));
    let written = written.map(|(step, _)| &step.resource.manifest);
    let all = state.objects.iter().chain(written);
    let definitions = all.filter(|object| Csv(object).text(&["kind"]) == CRD);
    definitions
        .map(|definition| (Csv(definition).name(), definition))
        .collect()
}

/// Returns the owned and required definitions that do not serve the version that OLM waits for.
fn unserved(csv: Csv<'_>, definitions: &BTreeMap<&str, &Value>) -> Vec<UnservedVersion> {
    let awaited = csv.awaited_crds().into_iter();
    let unserved = awaited.filter(|(name, version)| {
        let definition = definitions.get(*name);
        definition.is_some_and(|definition| !serves(definition, version))
    });
    unserved
        .map(|(definition, version)| UnservedVersion {
            definition: definition.to_owned(),
            version: version.to_owned(),
        })
        .collect()
}

/// Returns the new versions among these steps that stay `Pending`, each with the requirements that the cluster does not
/// meet, or with the conditions or the phase of the replaced version that hold it back. `statuses` are the final
/// statuses of the steps, and `conflicts` the definitions whose names the API server does not accept.
pub(super) fn pending(
    steps: &[Step],
    statuses: &[StepStatus],
    (apis, conflicts): (&Apis, &BTreeMap<String, NameConflict>),
    (state, namespace): (&State, &str),
    olm: &Olm,
) -> Vec<Requirements> {
    let mut held = held_in(state, namespace, olm);
    let installed = installed_in(state).into_iter();
    let here = installed.filter(|operator| operator.namespace.is_none_or(|own| own == namespace));
    let mut unready: BTreeMap<String, Unready> = here
        .filter_map(|operator| Some((operator.name.to_owned(), Unready::of(&operator)?)))
        .collect();
    let on_cluster = definitions(steps, statuses, state);
    let new = steps
        .iter()
        .zip(statuses)
        .filter(|(step, status)| step.resource.kind == csv::KIND && **status == StepStatus::Created);
    new.filter_map(|(step, _)| {
        let csv = Csv(&step.resource.manifest);
        if let Some(hold) = held.remove(csv.replaces()) {
            return Some(Requirements {
                name: csv.name().to_owned(),
                held: Some(hold),
                ..Requirements::default()
            });
        }
        let definitions = ["owned", "required"].map(|list| csv.list(&["spec", "customresourcedefinitions", list]));
        let named = definitions
            .into_iter()
            .flatten()
            .filter_map(|api| api.get("name")?.as_str());
        // A list may name a definition once for each version.
        let named: BTreeSet<&str> = named.collect();
        let all = Requirements {
            conflicts: named
                .into_iter()
                .filter_map(|name| conflicts.get(name).cloned())
                .collect(),
            unserved: unserved(csv, &on_cluster),
            undeployed: undeployed(csv),
            kubernetes: NewerKubernetes::of(csv, state),
            unready: unready.remove(csv.replaces()),
            ..Requirements::of(csv)
        };
        all.open(apis, state)
    })
    .collect()
}

/// Returns each version among these steps with the APIs that it requires but that neither the plan nor the description
/// of the cluster contains. Returns an empty list if the description lists the APIs of the cluster, because then
/// [`pending`] checks them.
pub(crate) fn unchecked(steps: &[Step], state: &State) -> Vec<Requirements> {
    if state.apis.is_some() {
        return Vec::new();
    }
    let apis = Apis::of(state).with_steps(steps).alone();
    steps
        .iter()
        .filter(|step| step.resource.kind == csv::KIND)
        .filter_map(|step| Requirements::of(Csv(&step.resource.manifest)).open(&apis, state))
        .collect()
}
