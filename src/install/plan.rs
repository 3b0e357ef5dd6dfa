//! Creates the InstallPlan that OLM would create for a bundle, or for everything that a resolution installs, and
//! applies it.

use super::apis::Apis;
use super::apply::requirements::unchecked;
use super::apply::{Applied, BrokenVersion, COMPONENT_FAILED, FailedVersion, Requirements, apply};
use super::catalogs::Catalogs;
use super::hold::HeldUpgrade;
use super::install_plan::{Condition, InstallPlan, Phase};
use super::permissions::{Operator, operators};
use super::requests::labels;
use super::resolution_steps::{self, ResolvedError};
use super::upgrade::replaced;
use crate::cluster::State;
use crate::cluster::conditions::NOT_UPGRADEABLE;
use crate::cluster::state::{Approval, NAMESPACE};
use crate::kubernetes::rbac::covering::TooComplex;
use crate::olm::limits::OBJECT;
use crate::olm::releases::Olm;
use crate::resolver::{Resolution, Selected};
use crate::steps::Content;
use crate::steps::{self, Repetition, Target};
use std::collections::BTreeSet;

/// The content of a plan.
#[derive(Debug, Clone, Copy)]
pub enum Subject<'a> {
    /// A single bundle.
    Bundle {
        /// The bundle as OLM reads it.
        content: &'a Content,
        /// The CatalogSource of the bundle.
        catalog: &'a str,
        /// The namespace of the CatalogSource.
        catalog_namespace: &'a str,
        /// The version to upgrade from, or `""` for none; `None` means the version that the bundle replaces.
        replaces: Option<&'a str>,
    },
    /// All bundles of a resolution.
    Resolution {
        /// The resolution.
        resolution: &'a Resolution,
        /// The catalogs that contain the bundles.
        catalogs: &'a Catalogs,
    },
}

/// Options for creating a plan.
#[derive(Debug, Clone, Default)]
pub struct PlanOptions {
    /// The namespace to install into; by default, the namespace of the cluster state, or [`NAMESPACE`] if the state has
    /// none.
    pub namespace: Option<String>,
    /// The approval of the plan; by default, manual if a Subscription requires that, otherwise automatic.
    pub approval: Option<Approval>,
    /// Names of Subscriptions whose install plans require manual approval, in addition to those of the cluster.
    pub manual: Vec<String>,
    /// Whether the properties annotation lists dependencies once, or twice as OLM does.
    pub repetition: Repetition,
    /// The version of OLM that creates the plan.
    pub olm: Olm,
    /// The keys of the labels that all objects get, as [`labels::projected`] returns them.
    pub labels: BTreeSet<String>,
}

/// A plan and its results.
#[derive(Debug)]
pub struct Planned {
    /// The plan; if a cluster is known, in its final state.
    pub plan: InstallPlan,
    /// The result of applying the plan to the cluster, if a cluster is known.
    pub applied: Option<Applied>,
    /// The APIs that the cluster serves after the plan.
    pub apis: Apis,
    /// The versions with required APIs that were not checked, because the APIs of the cluster are unknown. A resolution
    /// has already checked the APIs that other operators provide.
    pub unchecked: Vec<Requirements>,
    /// The operators with the permissions of their accounts after the plan.
    pub operators: Vec<Operator>,
    /// The Subscriptions that make the plan wait until a person approves it.
    pub held_by: Vec<String>,
    /// The upgrades that are not part of the plan, because conditions block them. [`plan`] returns none.
    pub held_upgrades: Vec<HeldUpgrade>,
    /// The size of the plan in bytes, if it is too large for a cluster; OLM then creates no plan.
    pub too_large: Option<usize>,
    /// The plan of the newest OLM release. Set only if `olm` follows the proposals, and their plan differs or has a
    /// different result.
    pub released: Option<InstallPlan>,
}

impl Planned {
    /// Returns the plan as a resource. In addition to the conditions that OLM writes, it has conditions for everything
    /// else that decides whether the versions of the plan get installed.
    pub fn resource(&self) -> InstallPlan {
        let mut plan = self.plan.clone();
        let conditions = &mut plan.status.conditions;
        if let Some(bytes) = self.too_large {
            let message = format!("the InstallPlan takes {bytes} bytes, and a cluster stores at most {OBJECT}");
            conditions.push(Condition::new("Created", "False", "RequestTooLarge", message));
        }
        for upgrade in &self.held_upgrades {
            conditions.push(Condition::new(
                "UpdateBlocked",
                "True",
                NOT_UPGRADEABLE,
                upgrade.message(),
            ));
        }
        let Some(applied) = &self.applied else {
            return plan;
        };
        if plan.spec.approval == Approval::Manual {
            let (status, reason) = match applied.phase {
                Phase::Complete => ("True", ""),
                Phase::Failed => ("False", COMPONENT_FAILED),
                Phase::Installing | Phase::RequiresApproval => ("False", ""),
            };
            let message = applied.message.clone();
            conditions.push(Condition::new("InstalledAfterApproval", status, reason, message));
        }
        for FailedVersion {
            name, reason, message, ..
        } in &applied.failed
        {
            let message = format!("{name}: {message}");
            conditions.push(Condition::new("VersionFailed", "True", reason, message));
        }
        for version in &applied.broken {
            let message = format!(
                "{} in the namespace {}: {}",
                version.name,
                version.namespace,
                version.message()
            );
            conditions.push(Condition::new("VersionFailed", "True", BrokenVersion::REASON, message));
        }
        for version in &applied.pending {
            let message = format!("{}: {}", version.name, version.reason());
            conditions.push(Condition::new(
                "VersionPending",
                "True",
                version.status_reason(),
                message,
            ));
        }
        plan
    }
}

/// The reason why there is no plan.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// The steps of the bundles cannot be created.
    #[error(transparent)]
    Steps(#[from] ResolvedError),
    /// The plan needs too many permissions.
    #[error(transparent)]
    Permissions(#[from] TooComplex),
}

/// Creates the plan, and applies it to the cluster if a cluster is known. Returns `None` if there is nothing to
/// install. If the plan waits for approval, the steps of the returned plan are not applied, and [`Planned::applied`]
/// contains the result of applying them after approval.
///
/// ```
/// use opmx::install::content::of_files;
/// use opmx::install::plan::{PlanOptions, Subject, plan};
/// use opmx::tree::{Tree, TreeLimits};
///
/// let files = Tree::from_directory("testdata/compost-operator".as_ref(), &TreeLimits::default())?;
/// let (content, _warnings) = of_files(&files, None, &Default::default())?;
/// let bundle = Subject::Bundle { content: &content, catalog: "catalog", catalog_namespace: "olm", replaces: None };
/// let planned = plan(bundle, None, &PlanOptions::default())?.ok_or("nothing to install")?;
/// assert_eq!(planned.plan.namespace(), "operators");
/// assert_eq!(planned.plan.spec.cluster_service_version_names, [content.name]);
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Returns an error if the manifests of a bundle cannot be read, if OLM could not read them, or if they specify too
/// many permissions.
pub fn plan(subject: Subject<'_>, state: Option<&State>, options: &PlanOptions) -> Result<Option<Planned>, PlanError> {
    let contents = match subject {
        Subject::Bundle { .. } => Vec::new(),
        Subject::Resolution { resolution, catalogs } => {
            resolution_steps::contents(resolution, catalogs).map_err(ResolvedError::from)?
        }
    };
    plan_of(subject, &contents, state, options)
}

/// Like [`plan`], with the bundles of a resolution.
fn plan_of(
    subject: Subject<'_>,
    contents: &[(&Selected, Content)],
    state: Option<&State>,
    options: &PlanOptions,
) -> Result<Option<Planned>, PlanError> {
    let unknown = State::default();
    let known = state.unwrap_or(&unknown);
    let of_state = Some(known.namespace.as_str()).filter(|namespace| !namespace.is_empty());
    let namespace = options.namespace.as_deref().or(of_state).unwrap_or(NAMESPACE);
    let (mut steps, bytes) = match subject {
        Subject::Bundle {
            content,
            catalog,
            catalog_namespace,
            replaces,
        } => {
            let target = Target {
                namespace: namespace.to_owned(),
                catalog: catalog.to_owned(),
                catalog_namespace: catalog_namespace.to_owned(),
                repetition: options.repetition,
                olm: options.olm.clone(),
            };
            let replaces = replaces.unwrap_or_else(|| replaced(content, known, namespace));
            let steps = steps::of_bundle(content, &target, replaces).map_err(ResolvedError::from)?;
            // For a bundle in its own image, a plan contains only references.
            let bytes = content.served.as_ref().map_or(0, |_| steps::size(&steps));
            (steps, bytes)
        }
        Subject::Resolution { resolution, .. } => {
            let steps = resolution_steps::steps(resolution, contents, namespace, options.repetition, &options.olm);
            steps.map_err(ResolvedError::from)?
        }
    };
    if steps.is_empty() {
        return Ok(None);
    }
    labels::put(&options.labels, &mut steps);
    let known_manual = known.manual_subscriptions(namespace);
    let manual: BTreeSet<&String> = known_manual.iter().chain(&options.manual).collect();
    let by_subscription = if manual.is_empty() {
        Approval::Automatic
    } else {
        Approval::Manual
    };
    let approval = options.approval.unwrap_or(by_subscription);
    let held_by = manual
        .into_iter()
        .filter(|_| options.approval.is_none())
        .cloned()
        .collect();
    let mut plan = InstallPlan::new(namespace, steps, approval, 1).labelled(&options.labels);
    let applied = state
        .map(|state| apply(&plan.status.plan, namespace, state, &options.olm))
        .transpose()?;
    if let Some(applied) = applied.as_ref().filter(|_| approval == Approval::Automatic) {
        plan = applied.written_to(plan);
    }
    let released = released(subject, contents, state, options, &plan)?;
    Ok(Some(Planned {
        unchecked: match subject {
            Subject::Bundle { .. } => unchecked(&plan.status.plan, known),
            Subject::Resolution { .. } => natives(unchecked(&plan.status.plan, known)),
        },
        apis: Apis::of(known).with_steps(&plan.status.plan),
        operators: operators(&plan.status.plan, namespace, known)?,
        held_by,
        held_upgrades: Vec::new(),
        too_large: Some(bytes).filter(|bytes| *bytes > OBJECT),
        plan,
        applied,
        released,
    }))
}

/// Keeps only the APIs that the cluster itself must serve.
fn natives(versions: Vec<Requirements>) -> Vec<Requirements> {
    let natives = versions.into_iter().map(|version| Requirements {
        required: Vec::new(),
        ..version
    });
    natives.filter(|version| !version.native.is_empty()).collect()
}

/// Returns the plan of the newest OLM release if it differs from `proposed`. If a cluster is known, only the results of
/// the plans are compared.
fn released(
    subject: Subject<'_>,
    contents: &[(&Selected, Content)],
    state: Option<&State>,
    options: &PlanOptions,
    proposed: &InstallPlan,
) -> Result<Option<InstallPlan>, PlanError> {
    if options.olm != Olm::Proposed || !proposed.status.plan.iter().any(|step| step.optional) {
        return Ok(None);
    }
    let options = PlanOptions {
        olm: Olm::newest(),
        ..options.clone()
    };
    let ends = |plan: &InstallPlan| {
        (
            plan.status.phase,
            plan.status.plan.iter().map(|step| step.status).collect(),
        )
    };
    let planned = plan_of(subject, contents, state, &options)?.map(|planned| planned.plan);
    Ok(planned.filter(|plan| {
        let (other, this): ((_, Vec<_>), _) = (ends(plan), ends(proposed));
        state.is_none() || other != this
    }))
}
