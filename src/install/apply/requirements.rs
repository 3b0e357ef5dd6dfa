//! The APIs that a version requires. After its plan, the version stays `Pending` until the cluster serves these APIs.

use super::{Apis, Step, StepStatus};
use crate::cluster::State;
use crate::csv::{self, Csv};
use crate::kubernetes::GroupVersionKind;
use crate::olm::property::GVK;
use serde_json::Value;

/// The APIs that a version requires before it can start.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RequiredApis {
    /// The name of the ClusterServiceVersion.
    pub name: String,
    /// The APIs that another operator must provide.
    pub required: Vec<GroupVersionKind>,
    /// The APIs that the cluster itself must serve.
    pub native: Vec<GroupVersionKind>,
}

impl RequiredApis {
    /// Returns the APIs in words.
    pub(crate) fn in_words(&self) -> String {
        let sorts = [("native", &self.native), ("required", &self.required)];
        let some = sorts.into_iter().filter(|(_, apis)| !apis.is_empty());
        let named: Vec<String> = some
            .map(|(sort, apis)| format!("its {sort} APIs {}", listed(apis)))
            .collect();
        named.join(" and ")
    }

    fn of(csv: Csv<'_>) -> Self {
        Self {
            name: csv.name().to_owned(),
            required: csv.apis("required"),
            native: csv.native_apis(),
        }
    }

    /// Returns the required APIs that neither `apis` nor the operators in `state` provide; `None` if there are none.
    fn open(mut self, apis: &Apis, state: &State) -> Option<Self> {
        self.native.retain(|api| !apis.serves(api));
        self.required
            .retain(|api| !apis.serves(api) && !is_provided(api, state));
        (!self.required.is_empty() || !self.native.is_empty()).then_some(self)
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

/// Returns the new versions among these steps that stay `Pending` because required APIs are missing, each with the
/// missing APIs. `statuses` are the final statuses of the steps.
pub(super) fn pending(steps: &[Step], statuses: &[StepStatus], apis: &Apis, state: &State) -> Vec<RequiredApis> {
    let new = steps
        .iter()
        .zip(statuses)
        .filter(|(step, status)| step.resource.kind == csv::KIND && **status == StepStatus::Created);
    new.filter_map(|(step, _)| RequiredApis::of(Csv(&step.resource.manifest)).open(apis, state))
        .collect()
}

/// Returns each version among these steps with the APIs that it requires but that neither the plan nor the description
/// of the cluster contains. Returns an empty list if the description lists the APIs of the cluster, because then
/// [`pending`] checks them.
pub(crate) fn unchecked(steps: &[Step], state: &State) -> Vec<RequiredApis> {
    if state.apis.is_some() {
        return Vec::new();
    }
    let apis = Apis::of(state).with_steps(steps).alone();
    steps
        .iter()
        .filter(|step| step.resource.kind == csv::KIND)
        .filter_map(|step| RequiredApis::of(Csv(&step.resource.manifest)).open(&apis, state))
        .collect()
}
