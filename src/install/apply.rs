//! The result of applying a plan to a cluster that a file describes: the status of each step, the phase of the plan,
//! and the versions that fail or stay `Pending` after the plan.
//!
//! OLM applies the steps repeatedly. A pass runs them in order and ends at the first error; OLM then retries the plan
//! until every step is done or the plan times out. A new CustomResourceDefinition is served from the next pass on.
//! After a `Forbidden` error, OLM retries without a time limit.
//!
//! If the OperatorGroup names a service account, OLM creates all objects except CustomResourceDefinitions with the
//! permissions of that account, and after the plan the Deployments and what belongs to them.
//!
//! Optional steps follow the proposal *optional-manifest*, which no OLM release implements: released OLM versions
//! ignore that a step is optional.

mod broken;
mod definition;
mod deployments;
mod failed_version;
mod invalid;
mod names;
mod operator_group;
mod owners;
mod provided_apis;
mod requests;
pub(crate) mod requirements;
mod unseen;
mod webhooks;
mod wording;

pub use broken::BrokenVersion;
pub use failed_version::FailedVersion;
pub use names::NameConflict;
pub use requirements::{NewerKubernetes, Requirements, UnservedVersion};
pub use unseen::{Lacks, UncheckedUpdate};

use super::api_error::{ApiError, Class, reason_of};
use super::apis::{Apis, defined};
use super::existing::Existing;
use super::handling::{self, Handling, Resource};
use super::install_plan::{Condition, InstallPlan, Phase};
use super::permissions::{account_of, held};
use crate::cluster::State;
use crate::cluster::state::ErrorAnswer;
use crate::kubernetes::rbac::account::{Account, Grants};
use crate::kubernetes::rbac::covering::TooComplex;
use crate::olm::releases::Olm;
use crate::steps::{CRD, Step, StepStatus};
use requests::{Installer, refused_while};
use serde_json::Value;
use std::collections::BTreeMap;

/// OLM's reason for a plan that fails.
pub(super) const COMPONENT_FAILED: &str = "InstallComponentFailed";
/// OLM's message for a plan with a step that OLM cannot apply.
const INVALID_DATA: &str = "the InstallPlan contains invalid data";

/// The result of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The final status of the step.
    pub status: StepStatus,
    /// The reason in one word, if an optional object was not created; otherwise empty.
    pub reason: &'static str,
    /// The explanation, if the step did not succeed; otherwise empty.
    pub why: String,
}

/// The result of applying a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Applied {
    /// The outcomes of the steps, in order.
    pub steps: Vec<Outcome>,
    /// The number of passes until no status changed.
    pub passes: usize,
    /// The final phase; `Installing` if OLM keeps retrying the plan.
    pub phase: Phase,
    /// The error that prevents the plan from completing; empty if there is none.
    pub message: String,
    /// Messages that OLM would log, for example about optional objects that were not created, or about problems after
    /// the plan is complete; and messages about checks that were not possible.
    pub warnings: Vec<String>,
    /// The versions that fail, or that OLM does not install or never finishes installing, although the plan completes.
    pub failed: Vec<FailedVersion>,
    /// The versions that stay `Pending` although the plan is complete, with the requirements that the cluster does not
    /// meet, or the replaced version that OLM does not replace yet.
    pub pending: Vec<Requirements>,
    /// The installed versions that fail because of definitions that the plan updates.
    pub broken: Vec<BrokenVersion>,
    /// The updates of definitions that were not checked, because the description of the cluster is incomplete.
    pub unchecked: Vec<UncheckedUpdate>,
}

impl Applied {
    /// Whether the plan completes, and no version fails or stays `Pending`.
    pub fn succeeds(&self) -> bool {
        let is_installed = self.phase == Phase::Complete && self.failed.is_empty() && self.pending.is_empty();
        is_installed && self.broken.is_empty()
    }

    /// Returns the plan with the resulting steps and status.
    #[must_use]
    pub(crate) fn written_to(&self, mut plan: InstallPlan) -> InstallPlan {
        for (step, outcome) in plan.status.plan.iter_mut().zip(&self.steps) {
            step.status = outcome.status;
        }
        plan.status.phase = self.phase;
        plan.status.message.clone_from(&self.message);
        plan.status.conditions = self.conditions();
        plan
    }

    /// Returns the conditions that the plan gets.
    fn conditions(&self) -> Vec<Condition> {
        let installed = |status, reason, message: &str| Condition::new("Installed", status, reason, message.to_owned());
        match self.phase {
            Phase::Complete => vec![installed("True", "", "")],
            Phase::Failed => vec![installed("False", COMPONENT_FAILED, &self.message)],
            Phase::Installing | Phase::RequiresApproval => Vec::new(),
        }
    }
}

/// The state of the cluster during the application of the plan.
struct Cluster<'a> {
    namespace: &'a str,
    apis: Apis,
    existing: Existing<'a>,
    errors: &'a [ErrorAnswer],
    installer: Option<Installer>,
    olm: &'a Olm,
    /// The definitions so far whose names the API server does not accept, by their names.
    conflicts: BTreeMap<String, NameConflict>,
    /// The messages that OLM would log for the steps so far.
    warnings: Vec<String>,
    /// The definitions that must exist, with the installed versions that own them.
    owners: BTreeMap<&'a str, &'a str>,
    /// The updates so far that were not checked.
    unchecked: Vec<UncheckedUpdate>,
}

/// The reason why a pass ended early.
enum Stop {
    Refused(ApiError),
    InvalidData,
}

impl Stop {
    fn message(&self) -> &str {
        match self {
            Self::Refused(refusal) => &refusal.message,
            Self::InvalidData => INVALID_DATA,
        }
    }
}

/// Applies the steps of a plan, in order, in a namespace of the cluster that `state` describes. `olm` is the OLM
/// version whose behavior is reproduced.
///
/// # Errors
/// Returns an error if comparing the roles of the plan with the permissions of a service account takes too many steps.
pub fn apply(steps: &[Step], namespace: &str, state: &State, olm: &Olm) -> Result<Applied, TooComplex> {
    let account = account_of(state, namespace).map(|account| {
        let held = held(&account, state).0;
        (account, held)
    });
    let mut applied = apply_as(steps, namespace, state, account, olm)?;
    let statuses: Vec<StepStatus> = applied.steps.iter().map(|outcome| outcome.status).collect();
    applied.broken = broken::broken(steps, &statuses, namespace, state);
    if applied.phase == Phase::Complete {
        let refused = operator_group::refused(steps, &statuses, namespace, state, olm);
        // OLM checks the membership before everything else.
        let is_refused = |name: &str| refused.iter().any(|refused| refused.name == name);
        applied.failed.retain(|failed| !is_refused(&failed.name));
        applied.pending.retain(|pending| !is_refused(&pending.name));
        applied.failed.extend(refused);
    }
    Ok(applied)
}

/// Like [`apply`], with the permissions of `account`, or with OLM's own permissions if `account` is `None`.
/// OperatorGroups have no effect.
///
/// # Errors
/// Returns an error if comparing the roles of the plan with the permissions of a service account takes too many steps.
pub fn apply_as(
    steps: &[Step],
    namespace: &str,
    state: &State,
    account: Option<(Account, Grants)>,
    olm: &Olm,
) -> Result<Applied, TooComplex> {
    let installer = account
        .map(|account| Installer::of(steps, state, namespace, account))
        .transpose()?;
    let mut cluster = Cluster::of(state, namespace, installer, olm);
    let mut outcomes: Vec<Outcome> = steps
        .iter()
        .map(|step| Outcome {
            status: step.status,
            reason: "",
            why: String::new(),
        })
        .collect();
    let mut passes = 0;
    // Every pass except the last one changes the status of a step, and no step returns to an earlier status.
    loop {
        passes += 1;
        let before: Vec<StepStatus> = outcomes.iter().map(|outcome| outcome.status).collect();
        let stop = pass(steps, &mut outcomes, &mut cluster);
        let done = |outcome: &Outcome| {
            use StepStatus::{Created, NotCreated, Present};
            [Created, Present, NotCreated].contains(&outcome.status)
        };
        if stop.is_none() && outcomes.iter().all(done) {
            let end = (Phase::Complete, String::new());
            let statuses: Vec<StepStatus> = outcomes.iter().map(|outcome| outcome.status).collect();
            let served = (&cluster.apis, &cluster.conflicts);
            let mut pending = requirements::pending(steps, &statuses, served, (state, namespace), olm);
            // OLM checks the conditions of the replaced version first, then the requirements, the webhooks, the owners
            // and the phase of the replaced version. The Deployments are written only after all of this.
            let mut failed = webhooks::refused(steps, &statuses, olm);
            failed_version::add(&mut failed, owners::refused(steps, &statuses, &cluster, state));
            pending.retain(|pending| {
                !pending.waits_for_phase() || failed.iter().all(|failed| failed.name != pending.name)
            });
            failed_version::add(&mut failed, deployments::refused(steps, &statuses, &cluster)?);
            failed_version::add(&mut failed, webhooks::waiting(steps, &statuses, &cluster)?);
            failed.extend(failed_version::hidden_by_copies(steps, &statuses, namespace, state));
            failed.retain(|failed| pending.iter().all(|pending| pending.name != failed.name));
            let mut warnings = cluster.warnings;
            // No version waits for a definition that none of them lists.
            let is_listed =
                |conflict: &NameConflict| pending.iter().any(|version| version.conflicts.contains(conflict));
            let unlisted = cluster.conflicts.values().filter(|conflict| !is_listed(conflict));
            warnings.extend(unlisted.map(|conflict| format!("{conflict}, so it does not serve them")));
            let applied = ended(steps, outcomes, passes, end, (warnings, cluster.unchecked));
            return Ok(Applied {
                failed,
                pending,
                ..applied
            });
        }
        let moved = before
            .iter()
            .zip(&outcomes)
            .any(|(before, outcome)| *before != outcome.status);
        if moved {
            continue;
        }
        let end = match &stop {
            Some(Stop::Refused(refusal)) if refusal.reason.name == "Forbidden" => {
                (Phase::Installing, format!("retrying execution due to error: {refusal}"))
            }
            Some(stop) => (Phase::Failed, stop.message().to_owned()),
            None => (Phase::Installing, String::new()),
        };
        return Ok(ended(
            steps,
            outcomes,
            passes,
            end,
            (cluster.warnings, cluster.unchecked),
        ));
    }
}

fn ended(
    steps: &[Step],
    outcomes: Vec<Outcome>,
    passes: usize,
    (phase, message): (Phase, String),
    (mut warnings, unchecked): (Vec<String>, Vec<UncheckedUpdate>),
) -> Applied {
    let not_created = steps
        .iter()
        .zip(&outcomes)
        .filter(|(_, outcome)| outcome.status == StepStatus::NotCreated);
    warnings.extend(not_created.map(|(step, outcome)| {
        let resource = &step.resource;
        let kind = match resource.group.as_str() {
            "" => resource.kind.clone(),
            group => format!("{group}/{}", resource.kind),
        };
        format!(
            "the optional manifest {kind} {} was not created: {}",
            resource.name, outcome.reason
        )
    }));
    Applied {
        warnings,
        steps: outcomes,
        passes,
        phase,
        message,
        failed: Vec::new(),
        pending: Vec::new(),
        broken: Vec::new(),
        unchecked,
    }
}

/// Runs the steps once. If a step ends the pass early, its outcome also records why.
fn pass<'a>(steps: &'a [Step], outcomes: &mut [Outcome], cluster: &mut Cluster<'a>) -> Option<Stop> {
    for (index, step) in steps.iter().enumerate() {
        let status = outcomes.get(index)?.status;
        let waiting = |group: &str, version: &str, kind: &str| {
            let pending = steps.iter().zip(outcomes.iter()).filter(|(step, outcome)| {
                step.resource.kind == CRD && ![StepStatus::Created, StepStatus::Present].contains(&outcome.status)
            });
            let mut pending = pending.flat_map(|(step, _)| defined(&step.resource.manifest));
            pending.any(|served| served.gvk.is(group, kind) && served.gvk.version == version)
        };
        let result = match status {
            StepStatus::Present | StepStatus::Created | StepStatus::NotCreated => continue,
            // OLM does not wait until the API server accepts the names: it writes the definition again, and continues.
            StepStatus::WaitingForApi if cluster.conflicts.contains_key(&step.resource.name) => Ok(StepStatus::Present),
            StepStatus::WaitingForApi => {
                cluster.apis.define(&step.resource.manifest);
                Ok(StepStatus::Created)
            }
            StepStatus::UnsupportedResource => Err(Stop::InvalidData),
            StepStatus::Unknown | StepStatus::NotPresent => match cluster.execute(index, step) {
                Err(Stop::Refused(refusal)) if step.optional && refusal.reason.class == Class::NotCreated => {
                    let resource = &step.resource;
                    if refusal.reason.name == "NotFound" && waiting(&resource.group, &resource.version, &resource.kind)
                    {
                        // A definition in this plan provides the API.
                        continue;
                    }
                    if let Some(outcome) = outcomes.get_mut(index) {
                        outcome.reason = refusal.reason.name;
                        outcome.why = refusal.plain;
                    }
                    Ok(StepStatus::NotCreated)
                }
                result => result,
            },
        };
        let outcome = outcomes.get_mut(index)?;
        match result {
            Ok(StepStatus::UnsupportedResource) => {
                outcome.status = StepStatus::UnsupportedResource;
                outcome.why = handling::unsupported(cluster.olm);
                return Some(Stop::InvalidData);
            }
            Ok(status) => {
                outcome.status = status;
                if status != StepStatus::NotCreated {
                    outcome.why.clear();
                }
            }
            Err(stop) => {
                if let Stop::Refused(refusal) = &stop {
                    outcome.why.clone_from(&refusal.plain);
                }
                return Some(stop);
            }
        }
    }
    None
}

impl<'a> Cluster<'a> {
    fn of(state: &'a State, namespace: &'a str, installer: Option<Installer>, olm: &'a Olm) -> Self {
        Self {
            namespace,
            olm,
            apis: Apis::of(state),
            existing: Existing::of(&state.objects),
            errors: &state.errors,
            installer,
            conflicts: BTreeMap::new(),
            warnings: Vec::new(),
            owners: unseen::owners(&state.objects),
            unchecked: Vec::new(),
        }
    }

    /// Creates or updates the object of a step.
    fn execute(&mut self, index: usize, step: &'a Step) -> Result<StepStatus, Stop> {
        let handling = handling::of_step(step);
        if !handling::is_supported(step, self.olm) {
            return Ok(StepStatus::UnsupportedResource);
        }
        let kind = handling::manifest_kind(step);
        let resource = Resource::of(step, &self.apis);
        match handling {
            Handling::Updated | Handling::Definition => self.discover(step)?,
            Handling::Once | Handling::Patched | Handling::Unsupported => {}
        }
        let existing = self.existing.of_step(step, &resource, self.namespace);
        let owner = self.owners.get(&*step.resource.name).copied();
        let owner = owner.filter(|_| handling == Handling::Definition && existing.is_none());
        self.authorize(index, step, &resource, "create")?;
        let refused = self.ask(step, &resource, "create", existing.is_some() || owner.is_some());
        let exists = match refused {
            None => false,
            Some(refusal) if refusal.reason.class == Class::Update => true,
            Some(refusal) => return Err(refused_while(step, "create", refusal)),
        };
        if !exists {
            if let Some(refusal) = invalid::new(kind, &step.resource.manifest) {
                return Err(refused_while(step, "create", refusal));
            }
            if handling == Handling::Definition {
                self.claim_names(step, None);
            }
            self.existing.add(step, &resource, self.namespace);
            return Ok(if handling == Handling::Definition {
                StepStatus::WaitingForApi
            } else {
                StepStatus::Created
            });
        }
        let verbs: &[&str] = match handling {
            Handling::Once | Handling::Unsupported => &[],
            Handling::Patched => &["get", "patch"],
            Handling::Updated | Handling::Definition => &["get", "update"],
        };
        for verb in verbs {
            self.authorize(index, step, &resource, verb)?;
            if let Some(refusal) = self.ask(step, &resource, verb, false) {
                return Err(refused_while(step, verb, refusal));
            }
        }
        let updates = [Handling::Updated, Handling::Patched].contains(&handling);
        if let Some(refusal) = existing
            .filter(|_| updates)
            .and_then(|existing| invalid::update(kind, existing, &step.resource.manifest))
        {
            return Err(refused_while(step, "update", refusal));
        }
        if handling == Handling::Definition {
            if let Some(existing) = existing {
                let warnings = definition::update(existing, &step.resource.manifest, &self.existing)?;
                self.warnings.extend(warnings);
                if let Some(refusal) = definition::immutable(existing, &step.resource.manifest) {
                    return Err(refused_while(step, "update", refusal));
                }
                let unchecked = unseen::without_objects(existing, &step.resource.manifest, &self.existing);
                self.unchecked.extend(unchecked);
                self.claim_names(step, Some(existing));
            }
            if let Some(owner) = owner {
                self.unchecked.push(UncheckedUpdate {
                    definition: step.resource.name.clone(),
                    lacks: Lacks::Definition {
                        owner: owner.to_owned(),
                    },
                });
                self.existing.add(step, &resource, self.namespace);
            }
            self.apis.define(&step.resource.manifest);
        }
        Ok(StepStatus::Present)
    }

    /// Records whether the API server accepts the names of a definition. Earlier steps get their names first.
    fn claim_names(&mut self, step: &Step, existing: Option<&Value>) {
        if let Some(conflict) = names::conflict(&step.resource.manifest, existing, &self.existing) {
            self.conflicts.insert(step.resource.name.clone(), conflict);
        }
    }

    /// Checks that the cluster serves the API of a step. OLM looks up this API for a CustomResourceDefinition, and for
    /// each kind that OLM does not know by name.
    fn discover(&self, step: &Step) -> Result<(), Stop> {
        let gvk = handling::kind_of(step);
        if self.apis.serves(&gvk) {
            return Ok(());
        }
        let resource = &step.resource;
        let message = format!(
            "api-server resource not found installing {} {}: GroupVersionKind {}/{}, Kind={} not found on the cluster. \
             This API may have been deprecated and removed, see \
             https://kubernetes.io/docs/reference/using-api/deprecation-guide/ for more information.",
            resource.kind, resource.name, gvk.group, gvk.version, gvk.kind
        );
        Err(Stop::Refused(ApiError {
            reason: reason_of("NotFound", 404, "get"),
            message,
            plain: format!("the cluster does not serve {} of {}", gvk.kind, gvk.api_version()),
        }))
    }
}

#[cfg(test)]
mod tests;
