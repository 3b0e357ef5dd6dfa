//! `opmx plan`: the InstallPlan that OLM would make, and how it would end.

use crate::cli::Context;
use crate::cli::arguments::OutputArguments;
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::cli::requests::{self, OpenOperator};
use crate::cli::resolve::{IntentArguments, unresolved};
use crate::cli::what_if::{self, InstallArguments, OlmArgument};
use crate::cluster::State;
use crate::cluster::conditions::NOT_UPGRADEABLE;
use crate::cluster::requested;
use crate::cluster::state::Approval;
use crate::install::apis::Apis;
use crate::install::apply::{Applied, FailedVersion};
use crate::install::handling::{self, Handling, Resource};
use crate::install::hold::{HeldUpgrade, held_upgrade};
use crate::install::install_plan::Phase;
use crate::install::plan::{PlanOptions, Planned, Subject, plan};
use crate::install::requests::installs::OpenInstall;
use crate::install::requests::labels;
use crate::install::resolve::ResolveOptions;
use crate::olm::limits::OBJECT;
use crate::olm::releases::Olm;
use crate::steps::{Repetition, Step, StepStatus};
use crate::terminal::table::Table;
use crate::terminal::{self, Format, conditions};
use clap::{Args, ValueEnum};
use serde_json::json;

const EXAMPLES: &str = "\
Examples:
  What would be created, and what has to be there for it
  $ opmx plan etcd

  The resource, as OLM would write it
  $ opmx plan registry.example.com/etcd-bundle:v0.9.4 --namespace operators -o yaml

  Of a bundle in an index
  $ opmx plan etcdoperator.v0.9.4 --index registry.example.com/index:v1

  How it would end on a cluster, and what would be missing there
  $ opmx plan etcd --state cluster.yaml

  Of everything that the subscriptions of a what-if file resolve to
  $ opmx plan --state cluster.yaml

  Of an Install resource, or of what an Operator resource resolves to
  $ opmx plan install.yaml --cluster dump.yaml
  $ opmx plan operator.yaml --catalog community=registry.example.com/index:v1

  Of the updates that a newer index brings to a cluster
  $ opmx plan --cluster dump.yaml --catalog operatorhubio-catalog=registry.example.com/index:v2";

/// Show the InstallPlan of a bundle, and how it would end on a cluster
///
/// The steps are those of OLM, in the order of the ClusterServiceVersion, CustomResourceDefinitions, all else: the
/// objects of the bundle, and the RBAC that OLM makes of its permissions, with the same names. What the property
/// olm.manifests.optional names is marked as optional.
///
/// With --state or --cluster the plan is applied to the cluster that the files describe. The exit status is then 0 only
/// if it would be complete, and the versions in it would not fail because of their Deployments; else it is 3, as where
/// nothing can be resolved. A plan that a person has to approve is printed as it waits; --approval automatic shows how
/// it ends. Where the condition of an installed operator holds back the upgrade to the bundle, there is no plan;
/// the output names what holds it back, since when, and how to override it. Without a bundle the subscriptions of the files are
/// resolved first, and the plan is that of all that OLM would install for them. In place of a bundle a YAML or JSON
/// file with Operator and Install resources may be named: an Operator counts as a Subscription, and an Install is
/// applied as it is, once nothing that it needs waits for approval.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct PlanArguments {
    /// The bundle: a folder, HOST/NAME:TAG, oci:DIR:TAG or oci-archive:FILE:TAG; with --index its name. Or a file with
    /// Operator and Install resources, - for standard input
    #[arg(value_name = "BUNDLE|FILE", required_unless_present_any = ["state", "cluster"])]
    bundle: Option<String>,
    /// Name of the CatalogSource that the bundle comes from; without it catalog
    ///
    /// Without a bundle NAME=INDEX[,PRIORITY]: a catalog of the cluster, or one more, that is read from this index.
    /// Then it may be repeated.
    #[arg(long, value_name = "NAME[=INDEX]")]
    catalog: Vec<String>,
    /// Namespace of the CatalogSource
    #[arg(long, value_name = "NS", default_value = "olm")]
    catalog_namespace: String,
    /// Version that is upgraded from; without it the one that the bundle says it replaces, and "" is none
    #[arg(long, value_name = "CSV", requires = "bundle")]
    replaces: Option<String>,
    /// Who approves the plan; without it a person where any Subscription of the namespace says so, else OLM
    #[arg(long, value_enum, value_name = "WHO")]
    approval: Option<Approver>,
    /// Name what the bundle needs twice among its properties, as OLM does that reads a file-based catalog
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
    /// OLM
    Automatic,
    /// A person
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
    let bundle = match &arguments.bundle {
        None => return of_requests(None, olm, arguments, context),
        Some(file) if requests::is_file(file) => return of_requests(Some(file), olm, arguments, context),
        Some(bundle) => bundle,
    };
    let catalog = match &arguments.catalog[..] {
        [] => "catalog",
        [name] if !name.contains('=') => name,
        _ => {
            return Err(CommandError::usage(
                "--catalog names the one CatalogSource that BUNDLE comes from; --index says where it is taken from",
            ));
        }
    };
    let install = &arguments.install;
    let state = install.state(context)?;
    let Some(content) = install.content(bundle, context)? else {
        return Ok(Status::Failure);
    };
    if let Some(reason) = content.unreadable_need(olm) {
        let name = &content.name;
        let message = format!("OLM does not look at {name}: {reason}");
        context.printer.warning(message);
    }
    install.note_suggested(&content, &state, context);
    if install.cluster.is_given() {
        let namespace = install.namespace(&state);
        if let Some(held) = held_upgrade(&content, arguments.replaces.as_deref(), &state, namespace) {
            return withheld(&content.name, &held, arguments, context);
        }
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
    show(bundle, known, options, None, arguments, context)
}

/// Says that the conditions of what is installed hold a bundle back, who says so, and what lets it through.
fn withheld(bundle: &str, held: &HeldUpgrade, arguments: &PlanArguments, context: &Context<'_>) -> CommandResult {
    let HeldUpgrade { operator, hold } = held;
    let message = format!("{bundle} does not take the place of {operator}: {}", hold.message);
    if arguments.output.output != Format::Text {
        let answer = json!({"error": message, "operator": operator, "heldBy": hold});
        context.printer.document(arguments.output.output, &answer)?;
    }
    let printer = &context.printer;
    printer.error(message);
    printer.detail("because", hold);
    printer.detail(
        "note",
        format!("OLM makes the InstallPlan all the same, and leaves {bundle} in the phase Pending with the reason {NOT_UPGRADEABLE}"),
    );
    if let Some(release) = &hold.release {
        printer.detail("it would work after", conditions::command(release));
    }
    Ok(Status::No)
}

/// The plan of what the subscriptions of a cluster and the Operators of a file resolve to, and those of Installs: of a
/// file, else of a cluster that has nothing else.
fn of_requests(file: Option<&str>, olm: &Olm, arguments: &PlanArguments, context: &Context<'_>) -> CommandResult {
    let install = &arguments.install;
    if arguments.replaces.is_some() {
        return Err(CommandError::usage("--replaces is about BUNDLE, and there is none"));
    }
    if install.index.is_some() {
        return Err(CommandError::usage(
            "--index says where BUNDLE is taken from, and there is none",
        ));
    }
    if let Some(name) = arguments.catalog.iter().find(|text| !text.contains('=')) {
        return Err(CommandError::usage(format!(
            "--catalog {name} says where BUNDLE comes from, and there is none; --catalog {name}=INDEX reads a catalog from there"
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
    state.objects.extend(requested.iter().cloned());
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
        catalogs: what_if::named_indexes(&arguments.catalog),
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
    for note in resolution.stays.iter().chain(&resolution.notes) {
        context.printer.warning(note);
    }
    let all = Subject::Resolution {
        resolution,
        catalogs: &resolved.catalogs,
    };
    let known = install.cluster.is_given().then_some(&resolved.state);
    // Without a cluster the plan is not applied, and yet is what was resolved.
    let options = PlanOptions {
        namespace: Some(resolved.state.namespace.clone()),
        manual: resolved.state.manual_subscriptions(&resolved.state.namespace),
        labels: labels::projected(resolution, &resolved.state),
        olm: olm.clone(),
        ..PlanOptions::default()
    };
    let released = resolved.released.as_ref().map(what_if::other_resolution);
    show(all, known, options, released, arguments, context)
}

/// The plan of an Install, and how it ends.
fn of_install(
    install: &OpenInstall,
    state: Option<&State>,
    arguments: &PlanArguments,
    context: &Context<'_>,
) -> CommandResult {
    let named = arguments.install.namespace.as_deref();
    let (planned, reviewed) = install.plan(state, named, arguments.approval.map(Approval::from))?;
    let status = printed(planned, None, state, arguments, context)?;
    if state.is_none() || reviewed.pending.is_empty() || install.install.approved {
        return Ok(status);
    }
    let account = reviewed.account.map(|account| account.to_string()).unwrap_or_default();
    context.printer.warning(format_args!(
        "Install {} waits for approval: {account} does not hold all that it needs; opmx permissions lists it",
        install.install.name
    ));
    Ok(Status::No)
}

/// Prints the plan of something; where a cluster is known, as it would end there. `released` says what the newest
/// release would plan otherwise, where that is known already.
fn show(
    subject: Subject<'_>,
    state: Option<&State>,
    options: PlanOptions,
    released: Option<String>,
    arguments: &PlanArguments,
    context: &Context<'_>,
) -> CommandResult {
    let options = PlanOptions {
        approval: arguments.approval.map(Approval::from).or(options.approval),
        repetition: if arguments.repeat_properties {
            Repetition::AsOlm
        } else {
            Repetition::Once
        },
        ..options
    };
    let Some(planned) = plan(subject, state, &options)? else {
        if let Some(released) = released {
            what_if::note_released(&released, context);
        }
        context
            .printer
            .status("there is nothing to install, and so OLM makes no plan");
        return Ok(Status::Success);
    };
    printed(planned, released, state, arguments, context)
}

/// Prints a plan, and says how it ends.
fn printed(
    planned: Planned,
    released: Option<String>,
    state: Option<&State>,
    arguments: &PlanArguments,
    context: &Context<'_>,
) -> CommandResult {
    let other = planned.released.as_ref().map(|released| {
        let requires = "requires every manifest, the optional ones, too";
        match &planned.applied {
            None => requires.to_owned(),
            Some(_) => format!("{requires}, and its plan would end as {:?}", released.status.phase),
        }
    });
    if let Some(other) = released.or(other) {
        what_if::note_released(&other, context);
    }
    for note in planned.operators.iter().flat_map(|operator| &operator.notes) {
        context.printer.warning(note);
    }
    let unsupported = unsupported_kinds(&planned.plan.status.plan, arguments.olm.get());
    if !unsupported.is_empty() {
        let kinds = unsupported.join(", ");
        context.printer.warning(format_args!(
            "{} does not install {kinds}, so the plan fails",
            arguments.olm.get()
        ));
    }
    match arguments.output.output {
        Format::Text => print(&planned, arguments.olm.get(), context)?,
        format => context.printer.document(format, &planned.plan)?,
    }
    if let Some(bytes) = planned.too_large {
        context.printer.error(format!(
            "the InstallPlan takes {bytes} bytes, and a cluster stores objects of at most {OBJECT}: OLM makes no plan, and the \
             Subscription says \"error ensuring InstallPlan: etcdserver: request is too large\""
        ));
        return Ok(Status::Failure);
    }
    let Some(applied) = planned.applied else {
        return Ok(Status::Success);
    };
    for warning in &applied.warnings {
        context.printer.warning(warning);
    }
    for FailedVersion { name, reason, message } in &applied.failed {
        context.printer.error(format!(
            "the plan completes, and then {name} ends as Failed with the reason {reason}: {message}"
        ));
    }
    if state.is_some_and(|state| state.apis.is_none()) {
        context
            .printer
            .status("nothing lists the APIs of the cluster, so every API is taken to be served");
    }
    Ok(Status::of_answer(applied.succeeds()))
}

fn print(planned: &Planned, olm: &Olm, context: &Context<'_>) -> Result<(), CommandError> {
    let Planned { plan, apis, .. } = planned;
    let applied = planned.applied.as_ref();
    let names = plan.spec.cluster_service_version_names.join(", ");
    context.printer.line(format!("installs   {names}"))?;
    context.printer.line(format!("namespace  {}", plan.namespace()))?;
    for label in plan.labels() {
        context.printer.line(format!(
            "label      {label}, on all of this and on the Deployments and APIServices that come of it"
        ))?;
    }
    context.printer.line(format!("phase      {:?}", plan.status.phase))?;
    if plan.spec.approval == Approval::Manual {
        let by = match &planned.held_by[..] {
            [] => String::new(),
            [name] => format!(", as the Subscription {name} says for the whole namespace"),
            names => format!(
                ", as the Subscriptions {} say for the whole namespace",
                names.join(", ")
            ),
        };
        context.printer.line(format!("approval   Manual{by}"))?;
    }
    if let Some(applied) = applied.filter(|_| plan.spec.approval == Approval::Manual) {
        let phase = format!(
            "approved   this is how the plan ends once a person has approved it: {:?}",
            applied.phase
        );
        context.printer.line(phase)?;
    }
    if let Some(message) = applied
        .map(|applied| &applied.message)
        .filter(|message| !message.is_empty())
    {
        paragraph("message    ", message, context)?;
    }
    context.printer.line("")?;
    let steps = &plan.status.plan;
    if let Some(applied) = applied {
        let mut table = Table::new(context.printer.stdout(), ["KIND", "NAME", "STATUS", "NEEDS"]);
        for (step, outcome) in steps.iter().zip(&applied.steps) {
            let status = outcome.status.to_string();
            table.row([
                &*step.resource.kind,
                &step.resource.name,
                &status,
                &needs(step, plan.namespace(), apis, olm),
            ])?;
        }
        table.finish()?;
        // Of a plan that is not completed the accounts hold a part only.
        if applied.phase == Phase::Complete {
            terminal::permissions::operators(&context.printer, &planned.operators)?;
        }
        return summary(steps, applied, context);
    }
    let mut table = Table::new(context.printer.stdout(), ["KIND", "NAME", "NEEDS"]);
    for step in steps {
        table.row([
            &*step.resource.kind,
            &step.resource.name,
            &needs(step, plan.namespace(), apis, olm),
        ])?;
    }
    table.finish()?;
    Ok(terminal::permissions::operators(&context.printer, &planned.operators)?)
}

/// The kinds of a plan that this OLM does not install.
fn unsupported_kinds<'a>(steps: &'a [Step], olm: &Olm) -> Vec<&'a str> {
    let steps = steps.iter().filter(|step| !handling::is_supported(step, olm));
    let mut kinds: Vec<&str> = steps.map(handling::manifest_kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

/// What has to be there for a step: the resource that is written to, and where.
fn needs(step: &Step, namespace: &str, apis: &Apis, olm: &Olm) -> String {
    let resource = Resource::of(step, apis);
    let place = if resource.namespaced {
        step.namespace(namespace)
    } else {
        "the cluster"
    };
    let optional = if step.optional { ", optional" } else { "" };
    if !handling::is_supported(step, olm) {
        return handling::unsupported(olm);
    }
    match handling::of_step(step) {
        Handling::Updated => format!("{}/{} in {place}{optional}", resource.label(), step.resource.version),
        Handling::Definition | Handling::Once | Handling::Patched | Handling::Unsupported => {
            format!("{} in {place}", resource.label())
        }
    }
}

/// What would be missing on the cluster, and why.
fn summary(steps: &[Step], applied: &Applied, context: &Context<'_>) -> Result<(), CommandError> {
    let missing: Vec<_> = steps
        .iter()
        .zip(&applied.steps)
        .filter(|(_, outcome)| ![StepStatus::Created, StepStatus::Present].contains(&outcome.status))
        .collect();
    context.printer.line("")?;
    let passes = if applied.passes == 1 {
        "one pass".to_owned()
    } else {
        format!("{} passes", applied.passes)
    };
    if missing.is_empty() {
        context
            .printer
            .line(format!("Nothing would be missing after {passes}."))?;
        return Ok(());
    }
    context.printer.line(format!("Missing after {passes}:"))?;
    for (step, outcome) in missing {
        let why = match outcome.status {
            _ if !outcome.why.is_empty() => outcome.why.as_str(),
            _ => "the plan ends before it",
        };
        let optional = if step.optional { " (optional)" } else { "" };
        let (kind, name) = (&step.resource.kind, &step.resource.name);
        paragraph(&format!("  {kind} {name}{optional}: "), why, context)?;
    }
    Ok(())
}

/// A string of several lines, the further ones below the first.
fn paragraph(begin: &str, text: &str, context: &Context<'_>) -> Result<(), CommandError> {
    let mut lines = text.split('\n');
    context
        .printer
        .line(format!("{begin}{}", lines.next().unwrap_or_default()))?;
    for line in lines {
        context.printer.line(format!("    {line}"))?;
    }
    Ok(())
}
