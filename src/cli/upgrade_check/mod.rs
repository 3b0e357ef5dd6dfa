//! `opmx upgrade-check`: checking whether OLM would hold back the upgrade of an operator.

mod init;

use crate::cli::arguments::{DatabaseLimitArguments, LimitArguments, OutputArguments, RegistryArguments};
use crate::cli::cluster_files::{read_cluster, warn_of_extensions};
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::cli::values::filled;
use crate::cli::{Context, named_catalogs};
use crate::cluster::conditions::{Check, check_in};
use crate::cluster::{CatalogName, dump};
use crate::install::named_catalog::NamedCatalog;
use crate::install::waiting::{Missing, Outlook, Waiting, catalogs_of, waiting};
use crate::terminal::{Format, Printer, conditions};
use clap::{Args, Subcommand};
use serde::Serialize;

const EXAMPLES: &str = "\
Examples:
  Check the operators of a namespace
  $ kubectl get csv,operatorconditions -n operators -o yaml > dump.yaml
  $ opmx upgrade-check dump.yaml

  Check in a pipeline, before a new version is published
  $ kubectl get operatorconditions -A -o json | opmx upgrade-check - -q

  Show the available updates, and the updates that are held back
  $ kubectl get csv,sub,og,installplans,operatorconditions -A -o yaml > dump.yaml
  $ opmx upgrade-check dump.yaml --catalog registry.example.com/index:v2

  Print a condition resource for a new operator
  $ opmx upgrade-check init --name etcd.v0.9.4 --namespace operators";

/// Check whether OLM would hold back the upgrade of an operator
///
/// Reads ClusterServiceVersions and the conditions that their operators report: an OperatorCondition, or a Condition as
/// it was first proposed. OLM holds an upgrade back if an override forbids it, or if no override allows it and the
/// condition Upgradeable is False or outdated. If the condition Upgrading is outdated, or shows that an upgrade is in
/// progress or has not begun, the next upgrade is also held back. These are the rules of the proposal
/// operator-conditions; released versions of OLM consider only Upgradeable in an OperatorCondition, since 0.18.0, and
/// ignore Upgrading and the kind Condition. The output shows the reason, its time, and the command that overrides
/// the condition. Conditions that OLM does not know are also shown. OLM allows the upgrade of an operator without
/// conditions; a warning is printed if the files contain no conditions at all.
///
/// OLM also does not replace a version in the phase Pending or Failed until it succeeds. If the upgradeStrategy of the
/// OperatorGroup is TechPreviewUnsafeFailForward, a version in the phase Failed is replaced, so include the
/// OperatorGroups in the input. If the Subscription of an operator waits for an InstallPlan that failed or that nobody
/// has approved, the last upgrade is not shown as done, provided that the input contains the Subscriptions and
/// InstallPlans.
///
/// On OpenShift, an operator whose property olm.maxOpenShiftVersion is lower than the next minor version, or cannot be
/// read, makes OLM block the upgrade of the cluster. A warning names such operators. Include the ClusterVersion in the
/// input to compare them with the version of the cluster.
///
/// The exit status is 3 if an upgrade of an operator is held back.
#[derive(Debug, Args)]
#[command(
    after_help = EXAMPLES,
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    arg_required_else_help = true
)]
pub(crate) struct UpgradeCheckArguments {
    #[command(subcommand)]
    command: Option<UpgradeCheckCommand>,
    /// Files or folders with the output of kubectl get -o yaml or -o json, or - for standard input
    ///
    /// If they contain an object more than once, the last one is used.
    #[arg(value_name = "FILE|DIR", required_unless_present = "state", value_parser = filled())]
    files: Vec<String>,
    /// What-if file with the installed operators and their conditions; - for standard input
    #[arg(long, value_name = "FILE")]
    state: Option<String>,
    /// Index to search for updates: HOST/NAME:TAG, oci:DIR:TAG, oci-archive:FILE:TAG, a database file, or a folder;
    /// may be repeated
    ///
    /// For each operator, shows the available update, in the catalog and channel of its Subscription if known. NAME is
    /// the name of the CatalogSource, or NAMESPACE/NAME if several have this name; without a name, the index stands for
    /// all of them.
    #[arg(long, value_name = "[NAME=]INDEX", value_parser = filled())]
    catalog: Vec<String>,
    #[command(flatten)]
    output: OutputArguments,
    #[command(flatten)]
    registry: RegistryArguments,
    #[command(flatten)]
    limits: LimitArguments,
    #[command(flatten)]
    database: DatabaseLimitArguments,
}

#[derive(Debug, Subcommand)]
enum UpgradeCheckCommand {
    Init(init::InitArguments),
}

/// The report in a machine-readable format.
#[derive(Debug, Serialize)]
struct Report<'a> {
    operators: &'a [Row<'a>],
}

/// An operator and its available update.
#[derive(Debug, Serialize)]
struct Row<'a> {
    #[serde(flatten)]
    check: &'a Check,
    #[serde(skip_serializing_if = "Option::is_none")]
    update: Option<Waiting>,
    /// The package or channel of the Subscription that its catalog does not contain.
    #[serde(skip_serializing_if = "Option::is_none")]
    missing: Option<Missing>,
}

pub(crate) fn run(arguments: &UpgradeCheckArguments, context: &Context<'_>) -> CommandResult {
    if let Some(UpgradeCheckCommand::Init(arguments)) = &arguments.command {
        return init::run(arguments, context);
    }
    let printer = &context.printer;
    let state = arguments.state.as_deref();
    let state = read_cluster(state, &arguments.files, dump::kept, &arguments.limits, context)?;
    warn_of_extensions(&state, context);
    let checks = check_in(&state);
    if checks.is_empty() && state.objects.is_empty() && state.conditions.is_empty() {
        printer.status("there are no operators, so no upgrade is held back");
    } else if checks.is_empty() {
        return Err(
            CommandError::failure("the input contains neither operators nor operator conditions").hint(
                "pass the output of \"kubectl get csv,operatorconditions -o yaml\" for the namespace of the operator; \
                     the copies that OLM makes in other namespaces do not count",
            ),
        );
    }
    let of_dump = !checks.is_empty() && !arguments.files.is_empty();
    if of_dump && checks.iter().all(|check| check.condition.is_none()) {
        printer.warning(
            "the input contains no OperatorConditions, so whether an operator refuses its upgrade is unknown; OLM allows \
             an upgrade without one; use \"kubectl get csv,operatorconditions -o yaml\" to include them",
        );
    }
    for check in &checks {
        for note in &check.notes {
            let resource = check.condition.as_deref().unwrap_or(&check.operator);
            printer.warning(format_args!("{resource}: {note}"));
        }
    }
    let limits = arguments.limits.index(&arguments.database, &arguments.registry);
    let used = catalogs_of(&state, &checks);
    let indexes = named_catalogs::open(&arguments.catalog, &used, &arguments.registry, limits, context)?;
    let mut read = Vec::new();
    for (name, index) in &indexes {
        read.push((name.as_ref(), index.catalog()?));
    }
    let catalogs = read.iter().map(|(name, catalog)| NamedCatalog { name: *name, catalog });
    let catalogs: Vec<NamedCatalog<'_>> = catalogs.collect();
    let names: Vec<Option<&CatalogName>> = catalogs.iter().map(|named| named.name).collect();
    named_catalogs::warn_of_unread(&used, &names, printer);
    let row = |check| {
        let (update, missing) = match waiting(&state, &catalogs, check) {
            Outlook::Nothing => (None, None),
            Outlook::Update(update) => (Some(update), None),
            Outlook::Missing(missing) => (None, Some(missing)),
        };
        Row { check, update, missing }
    };
    let rows: Vec<Row<'_>> = checks.iter().map(row).collect();
    for row in &rows {
        if let Some(missing) = &row.missing {
            warn_of_missing(row.check, missing, printer);
        }
    }
    match arguments.output.output {
        Format::Text if checks.is_empty() => {}
        Format::Text => {
            let update = |update: &Waiting| format!("{} ({})", update.name, update.channel);
            let rows = rows.iter().map(|row| (row.check, row.update.as_ref().map(update)));
            let rows: Vec<(&Check, Option<String>)> = rows.collect();
            conditions::print(&rows, !catalogs.is_empty(), printer)?;
        }
        format => printer.document(format, &Report { operators: &rows })?,
    }
    Ok(Status::of_answer(checks.iter().all(|check| check.upgradeable)))
}

/// Warns of a Subscription that OLM cannot resolve.
fn warn_of_missing(check: &Check, missing: &Missing, printer: &Printer) {
    let Missing { package, channel } = missing;
    let what = match channel {
        Some(channel) => format!("channel {channel} of package {package}"),
        None => format!("package {package}"),
    };
    let namespace = check.namespace.as_deref().map(|namespace| format!(" {namespace}"));
    printer.warning(format_args!(
        "{}: the catalog of its Subscription has no {what}; OLM installs and updates nothing in the namespace{} until \
         the Subscription is changed",
        check.operator,
        namespace.unwrap_or_default()
    ));
}
