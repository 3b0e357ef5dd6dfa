//! From a bundle, or from all that a resolution installs, to the InstallPlan that OLM would make, and how it would end.

use super::apis::Apis;
use super::apply::{Applied, apply};
use super::catalogs::Catalogs;
use super::install_plan::InstallPlan;
use super::permissions::{Operator, operators};
use super::requests::labels;
use super::resolution_steps::{self, ResolvedError};
use crate::cluster::State;
use crate::cluster::state::{Approval, NAMESPACE};
use crate::csv::Csv;
use crate::kubernetes::rbac::covering::TooComplex;
use crate::olm::limits::OBJECT;
use crate::olm::releases::Olm;
use crate::resolver::Resolution;
use crate::steps::Content;
use crate::steps::{self, Repetition, Target};
use std::collections::BTreeSet;

/// What a plan is of.
#[derive(Debug, Clone, Copy)]
pub enum Subject<'a> {
    /// A bundle.
    Bundle {
        /// What OLM sees of it.
        content: &'a Content,
        /// The CatalogSource that it comes from.
        catalog: &'a str,
        /// The namespace of the CatalogSource.
        catalog_namespace: &'a str,
        /// The bundle that is upgraded from, `""` for none; without it the one that the bundle says it replaces.
        replaces: Option<&'a str>,
    },
    /// All that a resolution installs.
    Resolution {
        /// The resolution.
        resolution: &'a Resolution,
        /// The catalogs that its bundles come from.
        catalogs: &'a Catalogs,
    },
}

/// How a plan is made.
#[derive(Debug, Clone, Default)]
pub struct PlanOptions {
    /// The namespace that is installed into; without it that of the cluster, else [`NAMESPACE`].
    pub namespace: Option<String>,
    /// Who approves it; without it a person where a Subscription says so, else OLM.
    pub approval: Option<Approval>,
    /// Subscriptions, by name, whose plans a person approves, besides those of the cluster.
    pub manual: Vec<String>,
    /// How the properties are written.
    pub repetition: Repetition,
    /// The OLM that makes it.
    pub olm: Olm,
    /// The keys of the labels that all of it gets, as [`labels::projected`] tells them.
    pub labels: BTreeSet<String>,
}

/// A plan.
#[derive(Debug)]
pub struct Planned {
    /// The plan; where a cluster is known, as it ends there.
    pub plan: InstallPlan,
    /// How it ends on the cluster, where one is known.
    pub applied: Option<Applied>,
    /// The APIs that the cluster serves then.
    pub apis: Apis,
    /// What the accounts of the operators hold then.
    pub operators: Vec<Operator>,
    /// The Subscriptions that keep the plan waiting for a person.
    pub held_by: Vec<String>,
    /// The bytes of the plan, where they are more than a cluster stores; OLM then makes none.
    pub too_large: Option<usize>,
    /// Where this is what the proposals describe: the plan of the newest release, if that is another one or ends
    /// otherwise.
    pub released: Option<InstallPlan>,
}

/// Why there is no plan.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// The bundles have no steps.
    #[error(transparent)]
    Steps(#[from] ResolvedError),
    /// The permissions that it needs are too many.
    #[error(transparent)]
    Permissions(#[from] TooComplex),
}

/// Makes the plan, and applies it to the cluster where one is known. `None` where there is nothing to install. A plan
/// that waits for a person is as it is until then, and [`Planned::applied`] tells how it ends afterwards.
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
/// When the manifests of a bundle cannot be read, OLM could not read them, or they name too many permissions.
pub fn plan(subject: Subject<'_>, state: Option<&State>, options: &PlanOptions) -> Result<Option<Planned>, PlanError> {
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
            let replaces = replaces.unwrap_or(Csv(&content.csv).replaces());
            let steps = steps::of_bundle(content, &target, replaces).map_err(ResolvedError::from)?;
            // Of a bundle in an image of its own a plan holds only references.
            let bytes = content.served.as_ref().map_or(0, |_| steps::size(&steps));
            (steps, bytes)
        }
        Subject::Resolution { resolution, catalogs } => {
            resolution_steps::steps(resolution, catalogs, namespace, options.repetition, &options.olm)?
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
    let released = released(subject, state, options, &plan)?;
    Ok(Some(Planned {
        apis: Apis::of(known).with_steps(&plan.status.plan),
        operators: operators(&plan.status.plan, namespace, known)?,
        held_by,
        too_large: Some(bytes).filter(|bytes| *bytes > OBJECT),
        plan,
        applied,
        released,
    }))
}

/// The plan of the newest release where it is another one than `proposed`. On a known cluster only how it ends counts.
fn released(
    subject: Subject<'_>,
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
    let planned = plan(subject, state, &options)?.map(|planned| planned.plan);
    Ok(planned.filter(|plan| {
        let (other, this): ((_, Vec<_>), _) = (ends(plan), ends(proposed));
        state.is_none() || other != this
    }))
}
