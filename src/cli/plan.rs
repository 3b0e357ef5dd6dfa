//! `opmx plan`: the InstallPlan that OLM would create, and its result.

mod outcome;
mod requirements;
mod text;
mod unchecked;

use crate::cli::Context;
use crate::cli::arguments::OutputArguments;
use crate::cli::cluster_files::warn_of_missing_conditions;
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::cli::named_catalogs::named_indexes;
use crate::cli::requests::{self, OpenOperator};
use crate::cli::resolve::{IntentArguments, unresolved};
use crate::cli::values::{filled, namespace};
use crate::cli::what_if::{self, InstallArguments, OlmArgument};
use crate::cluster::State;
use crate::cluster::requested;
use crate::cluster::state::{Approval, Subscription, UnfinishedPlan};
use crate::cluster::unfinished::REQUIRES_APPROVAL;
use crate::install::hold::{held_upgrade, upgraded};
use crate::install::plan::{PlanOptions, Subject};
use crate::install::requests::installs::OpenInstall;
use crate::install::requests::labels;
use crate::install::resolve::ResolveOptions;
use crate::olm::releases::{Feature, Olm};
use crate::resolver::{Note, NoteKind};
use crate::terminal::shell::word;
use clap::{Args, ValueEnum};
use outcome::{printed, report_held, show, withheld};
use std::collections::BTreeSet;

const EXAMPLES: &str = "\
Examples:
  Show the objects to be created, and the permissions that they need
  $ opmx plan etcd

  Print the InstallPlan as OLM would create it
  $ opmx plan registry.example.com/etcd-bundle:v0.9.4 --namespace operators -o yaml

  Plan a bundle in an index
  $ opmx plan etcdoperator.v0.9.4 --index registry.example.com/index:v1

  Show the result on a cluster, and missing objects
  $ opmx plan etcd --state cluster.yaml

  Plan everything that the Subscriptions of a what-if file resolve to
  $ opmx plan --state cluster.yaml

  Plan an Install resource, or the bundles that an Operator resource resolves to
  $ opmx plan install.yaml --cluster dump.yaml
  $ opmx plan operator.yaml --catalog community=registry.example.com/index:v1

  Plan the updates that a newer index brings to a cluster
  $ kubectl get sub,csv,og,catsrc,installplans,operatorconditions,crd -A -o yaml > dump.yaml
  $ opmx plan --cluster dump.yaml --catalog operatorhubio-catalog=registry.example.com/index:v2";

/// Show the InstallPlan of a bundle, and its result on a cluster
///
/// The steps are the same as in OLM v0, in the same order: the ClusterServiceVersion, then CustomResourceDefinitions,
/// then everything else. There is a step for each object of the bundle, and for each RBAC object that OLM generates
/// from the bundle's permissions; the generated names are those that OLM uses. Manifests that are named in the property
/// olm.manifests.optional are marked as optional.
///
/// The plan of a bundle contains the bundle alone, and lists the required APIs that were not checked; opmx resolve
/// looks for their providers.
///
/// Instead of a bundle, a YAML or JSON file with Operator and Install resources may be specified. An Operator is
/// treated as a Subscription. An Install is applied unchanged, unless its permissions require approval.
///
/// Without a bundle or a file, the Subscriptions in --state or --cluster are resolved first, and the plan contains
/// everything that OLM would install for them, including the providers of required APIs.
///
/// With --state or --cluster, the plan is applied to the cluster that the files describe. The exit status is then 0
/// only if the plan would complete, the cluster would serve all required APIs and all owned versions of
/// CustomResourceDefinitions and not be older than spec.minKubeVersion, no other CustomResourceDefinition would have a
/// name of a new one that a version owns or requires, every replaced version would be ready for it, and no version
/// would fail because of its Deployments, which the API server must accept, or its webhooks, an installed version that
/// owns the same definition, an existing APIService that belongs to someone else, or the OperatorGroup of its
/// namespace, and no installed version of any namespace would fail because an updated CustomResourceDefinition no
/// longer serves a version that it owns or requires. If the files do not contain the version of Kubernetes, only the
/// form of spec.minKubeVersion is checked, and API versions that Kubernetes has removed are assumed to be served.
/// Otherwise, or if nothing can be resolved, the exit status is 3. A plan that requires manual approval is printed as
/// waiting; --approval automatic shows its result. An InstallPlan that is already on the cluster remains as it is;
/// specify its bundle to show its result. If the condition of an installed operator holds back an upgrade, the plan
/// does not contain the upgrade; the output shows the condition, its time, and how to override it, and the exit status
/// is 3. With --olm and a release, the plan contains the upgrade, but its version stays Pending.
///
/// In addition to OLM's condition Installed, the formats yaml and json show a condition for everything else that
/// affects the exit status: VersionFailed and VersionPending for each version that is not installed although the plan
/// completes, or that fails because of the plan, UpdateBlocked for an upgrade that a condition holds back,
/// InstalledAfterApproval for a plan that requires manual approval, PendingApproval for an Install that waits for the
/// approval of permissions, and Created if the plan is too large for a cluster. If there is nothing to install, the
/// output is null.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct PlanArguments {
    /// Bundle: a folder, HOST/NAME:TAG, oci:DIR:TAG or oci-archive:FILE:TAG, or with --index a bundle name; or a file
    /// with Operator and Install resources, - for standard input
    #[arg(value_name = "BUNDLE|FILE", required_unless_present_any = ["state", "cluster"], value_parser = filled())]
    bundle: Option<String>,
    /// Name of the CatalogSource that contains the bundle [default: catalog]
    ///
    /// Without a bundle, the form is NAME=INDEX[,PRIORITY]: the catalog NAME is read from INDEX, whether or not the
    /// cluster has it. If several namespaces have a catalog of this name, NAME is NAMESPACE/NAME. The option may then
    /// be repeated.
    #[arg(long, value_name = "NAME[=INDEX]")]
    catalog: Vec<String>,
    /// Namespace of the CatalogSource
    #[arg(long, value_name = "NS", default_value = "olm", value_parser = namespace)]
    catalog_namespace: String,
    /// Version to upgrade from, or "" for none [default: the version that the bundle replaces, or an installed version
    /// that it skips]
    #[arg(long, value_name = "CSV", requires = "bundle")]
    replaces: Option<String>,
    /// Approval of the plan [default: manual if a Subscription of the namespace requires it, otherwise automatic]
    #[arg(long, value_enum, value_name = "MODE")]
    approval: Option<Approver>,
    /// List the dependencies of the bundle twice among its properties, as OLM does with file-based catalogs
    #[arg(long)]
    repeat_properties: bool,
    #[command(flatten)]
    intents: IntentArguments,
    #[command(flatten)]
    olm: OlmArgument,
    #[command(flatten)]
    install: InstallArguments,
    #[command(flatten)]
    output: OutputArguments,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Approver {
    /// By OLM
    Automatic,
    /// By a person
    Manual,
}

impl From<Approver> for Approval {
    fn from(approver: Approver) -> Self {
        match approver {
            Approver::Automatic => Self::Automatic,
            Approver::Manual => Self::Manual,
        }
    }
}

pub(crate) fn run(arguments: &PlanArguments, context: &Context<'_>) -> CommandResult {
    let olm = arguments.olm.announced(context);
    let file = arguments.bundle.as_ref().filter(|file| requests::is_file(file));
    let Some(bundle) = arguments.bundle.as_ref().filter(|_| file.is_none()) else {
        arguments.install.form.require_bundle()?;
        return of_requests(file.map(String::as_str), olm, arguments, context);
    };
    let catalog = match &arguments.catalog[..] {
        [] => "catalog",
        [name] if !name.contains('=') => name,
        _ => {
            let error = CommandError::usage(
                "with BUNDLE, --catalog must be the name of the CatalogSource that contains the bundle",
            );
            return Err(error.hint("specify the index that contains the bundle with --index"));
        }
    };
    let install = &arguments.install;
    let state = install.state(olm, context)?;
    let content = install.content(bundle, context).map_err(|error| {
        if install.index.is_none() && !bundle.contains(['/', ':']) && !std::path::Path::new(bundle).exists() {
            error.hint("specify the index that contains the bundle with --index")
        } else {
            error
        }
    });
    let Some(content) = content? else {
        return Ok(Status::Failure);
    };
    if let Some(reason) = content.unreadable_need(olm) {
        let name = &content.name;
        let message = format!("OLM ignores {name}: {reason}");
        context.printer.warning(message);
    }
    install.note_suggested(&content, &state, context);
    if install.cluster.is_given() {
        let namespace = install.namespace(&state);
        if olm.does(Feature::UpdateOutsidePlan)
            && let Some(held) = held_upgrade(&content, arguments.replaces.as_deref(), &state, namespace)
        {
            return withheld(&[held], &state, namespace, arguments, context);
        }
        let upgraded = upgraded(&content, arguments.replaces.as_deref(), &state, namespace);
        warn_of_missing_conditions(&state, upgraded.iter().map(|operator| operator.name), context);
    }
    let bundle = Subject::Bundle {
        content: &content,
        catalog,
        catalog_namespace: &arguments.catalog_namespace,
        replaces: arguments.replaces.as_deref(),
    };
    let known = install.cluster.is_given().then_some(&state);
    let options = PlanOptions {
        namespace: install.namespace.clone(),
        olm: olm.clone(),
        ..PlanOptions::default()
    };
    show(bundle, known, options, (None, &[]), arguments, context)
}

/// Shows the plan for the Subscriptions of a cluster and the Operators of a file. Also shows the plans for the
/// Installs: those of the file or, without a file, those of a cluster that has neither Subscriptions nor Operators.
fn of_requests(file: Option<&str>, olm: &Olm, arguments: &PlanArguments, context: &Context<'_>) -> CommandResult {
    let install = &arguments.install;
    if arguments.replaces.is_some() {
        return Err(CommandError::usage("--replaces requires BUNDLE"));
    }
    if install.index.is_some() {
        return Err(CommandError::usage("--index requires BUNDLE"));
    }
    if let Some(name) = arguments.catalog.iter().find(|text| !text.contains('=')) {
        return Err(CommandError::usage(format!(
            "--catalog {name} requires BUNDLE; use --catalog {}=INDEX to read a catalog from an index",
            word(name)
        )));
    }
    let outside = install.outside(context)?;
    let named = install.namespace.as_deref();
    let requested = file
        .map(|file| requests::read(file, olm, &install.limits, context))
        .transpose()?;
    let requested = requested.unwrap_or_default();
    let mut state = install.cluster.read_observed(named, olm, &install.limits, context)?;
    let known = install.cluster.is_given().then(|| state.clone());
    requested::add(&requested, &mut state.objects);
    let opened = requests::open_operators(
        &state.objects,
        outside.as_ref(),
        &install.registry,
        &install.limits,
        context,
    )?;
    let Some(operators) = opened else {
        return Ok(Status::Failure);
    };
    let nothing_else = operators.is_empty() && state.subscriptions.is_empty();
    let installs = if file.is_some() { &requested } else { &state.objects };
    if file.is_some() || nothing_else {
        let opened = requests::open_installs(installs, outside.as_ref(), &install.registry, &install.limits, context)?;
        let Some(installs) = opened else {
            return Ok(Status::Failure);
        };
        let mut status = Status::Success;
        let has_some = !installs.is_empty();
        for planned in installs {
            if of_install(&planned, known.as_ref(), arguments, context)? != Status::Success {
                status = Status::No;
            }
        }
        let of_file = requested::operators(&requested)?;
        if has_some && of_file.is_empty() || status != Status::Success {
            return Ok(status);
        }
    }
    let options = ResolveOptions {
        catalogs: named_indexes(&arguments.catalog),
        search: arguments.intents.options(olm)?,
        olm: olm.clone(),
        operators: operators.iter().map(OpenOperator::asked).collect(),
        limits: install.index_limits(),
        ..ResolveOptions::default()
    };
    let resolved = what_if::resolve(state, &options, &install.registry, context)?;
    let resolution = match &resolved.answer {
        Ok(resolution) => resolution,
        Err(error) => return unresolved(error, &arguments.output, context),
    };
    // Upgrades that are held back are reported together with the plan.
    let is_reported = |note: &&Note| {
        let mut held = resolved.held.iter();
        note.kind == NoteKind::Held && held.any(|held| [&held.operator, &held.bundle].contains(&&note.subject))
    };
    for note in resolution.stays.iter().chain(&resolution.notes) {
        if !is_reported(&note) {
            context.printer.warning(note);
        }
    }
    let namespace = resolved.state.namespace.clone();
    let held = if olm.does(Feature::UpdateOutsidePlan) {
        &resolved.held[..]
    } else {
        &[]
    };
    if !held.is_empty() && resolution.install.is_empty() {
        return withheld(held, &resolved.state, &namespace, arguments, context);
    }
    let all = Subject::Resolution {
        resolution,
        catalogs: &resolved.catalogs,
    };
    let known = install.cluster.is_given().then_some(&resolved.state);
    // Without a cluster, the plan still contains everything that was resolved, but it is not applied.
    let options = PlanOptions {
        namespace: Some(namespace.clone()),
        manual: resolved.state.manual_subscriptions(&resolved.state.namespace),
        labels: labels::projected(resolution, &resolved.state),
        olm: olm.clone(),
        ..PlanOptions::default()
    };
    let released = resolved.released.as_ref().map(what_if::other_resolution);
    let status = show(all, known, options, (released, held), arguments, context)?;
    if resolution.install.is_empty() {
        suggest_bundles(&resolved.state, context);
    }
    if matches!(arguments.approval, Some(Approver::Automatic)) {
        warn_of_existing(&resolved.state, context);
    }
    report_held(held, &resolved.state, &namespace, context);
    Ok(if held.is_empty() || status != Status::Success {
        status
    } else {
        Status::No
    })
}

/// Warns that the requested approval does not apply to InstallPlans of the cluster that wait for approval.
fn warn_of_existing(state: &State, context: &Context<'_>) {
    let names: BTreeSet<&str> = waiting_plans(state).map(|(_, plan)| &*plan.name).collect();
    for name in names {
        context.printer.warning(format_args!(
            "--approval automatic does not apply to the existing InstallPlan {name}: OLM waits until somebody approves \
            it, even if its Subscription no longer requires manual approval; to approve it, run: kubectl patch \
            installplans.operators.coreos.com {} -n {} --type merge -p '{{\"spec\":{{\"approved\":true}}}}'",
            word(name),
            word(&state.namespace)
        ));
    }
}

/// Returns the InstallPlans of a cluster that wait for approval, with their Subscriptions.
fn waiting_plans(state: &State) -> impl Iterator<Item = (&Subscription, &UnfinishedPlan)> {
    let plans = state
        .subscriptions
        .iter()
        .filter_map(|to| Some((to, to.install_plan.as_ref()?)));
    plans.filter(|(_, plan)| plan.phase == REQUIRES_APPROVAL)
}

/// Names the commands that show the results of InstallPlans that wait for approval.
fn suggest_bundles(state: &State, context: &Context<'_>) {
    let waiting = waiting_plans(state).filter_map(|(to, plan)| {
        let mut catalogs = state.catalogs.iter();
        let catalog = catalogs.find(|known| known.name == to.catalog && known.namespace == to.catalog_namespace);
        let index = catalog.and_then(|catalog| catalog.source.as_deref()).unwrap_or("INDEX");
        Some((&*plan.name, to.current_csv.as_deref()?, index))
    });
    for (plan, bundle, index) in waiting {
        context.printer.status(format_args!(
            "to show the result of the InstallPlan {plan}, plan its bundle: opmx plan {} --index {} --namespace {}, with \
            the same --cluster or --state",
            word(bundle),
            word(index),
            word(&state.namespace)
        ));
    }
}

/// Shows the plan of an Install, and its result.
fn of_install(
    install: &OpenInstall,
    state: Option<&State>,
    arguments: &PlanArguments,
    context: &Context<'_>,
) -> CommandResult {
    let named = arguments.install.namespace_of(install, state);
    let (planned, reviewed) = install.plan(state, named, arguments.approval.map(Approval::from))?;
    for note in &reviewed.notes {
        context.printer.warning(note);
    }
    let status = printed(planned, None, state, arguments, context)?;
    if state.is_none() || reviewed.pending.is_empty() || install.install.approved {
        return Ok(status);
    }
    let account = reviewed.account.map(|account| account.to_string()).unwrap_or_default();
    context.printer.warning(format_args!(
        "Install {} waits for approval because {account} does not hold all the permissions that it \
        needs; use opmx permissions to list them",
        install.install.name
    ));
    Ok(Status::No)
}
