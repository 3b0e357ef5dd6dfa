//! `opmx upgrade-check`: whether OLM would hold back the upgrade of an operator.

mod init;

use crate::cli::Context;
use crate::cli::arguments::{LimitArguments, OutputArguments};
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::cli::what_if::read_cluster;
use crate::cluster::conditions::{Check, Upgrade, check_in};
use crate::cluster::dump;
use crate::terminal::Format;
use crate::terminal::output::OutputError;
use crate::terminal::table::Table;
use clap::{Args, Subcommand};
use serde::Serialize;

const EXAMPLES: &str = "\
Examples:
  The operators of a namespace
  $ kubectl get csv,operatorconditions -n operators -o yaml > dump.yaml
  $ opmx upgrade-check dump.yaml

  In a pipeline, before a new version is published
  $ kubectl get operatorconditions -A -o json | opmx upgrade-check - -q

  A condition resource for a new operator
  $ opmx upgrade-check init --name etcd.v0.9.4 --namespace operators";

/// Say whether OLM would hold back the upgrade of an operator
///
/// Read are ClusterServiceVersions and what their operators say of themselves: an OperatorCondition, or a Condition
/// as it was first proposed. OLM holds an upgrade back where the condition Upgradeable is False or outdated and nobody overrides
/// it, or where an override refuses; and an upgrade that is going on (Upgrading) is not followed by another one.
///
/// The exit status is 1 where an upgrade is held back.
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
    /// Files or folders with what kubectl get -o yaml or -o json prints, or - for standard input
    #[arg(value_name = "FILE|DIR", required_unless_present = "state")]
    files: Vec<String>,
    /// What-if file with the operators that are installed, and their conditions; - is standard input
    #[arg(long, value_name = "FILE")]
    state: Option<String>,
    #[command(flatten)]
    output: OutputArguments,
    #[command(flatten)]
    limits: LimitArguments,
}

#[derive(Debug, Subcommand)]
enum UpgradeCheckCommand {
    Init(init::InitArguments),
}

/// What is printed for programs.
#[derive(Debug, Serialize)]
struct Report<'a> {
    operators: &'a [Check],
}

pub(crate) fn run(arguments: &UpgradeCheckArguments, context: &Context<'_>) -> CommandResult {
    if let Some(UpgradeCheckCommand::Init(arguments)) = &arguments.command {
        return init::run(arguments, context);
    }
    let printer = &context.printer;
    let state = arguments.state.as_deref();
    let state = read_cluster(state, &arguments.files, dump::kept, &arguments.limits, context)?;
    let checks = check_in(&state);
    if checks.is_empty() && state.objects.is_empty() && state.conditions.is_empty() {
        printer.status("there are no operators, and so no upgrade is held back");
    } else if checks.is_empty() {
        return Err(
            CommandError::failure("there is no operator and no condition of one in what was read")
                .hint("give what \"kubectl get csv,operatorconditions -o yaml\" prints"),
        );
    }
    for check in &checks {
        for note in &check.notes {
            let resource = check.condition.as_deref().unwrap_or(&check.operator);
            printer.warning(format_args!("{resource}: {note}"));
        }
    }
    match arguments.output.output {
        Format::Text if checks.is_empty() => {}
        Format::Text => print(&checks, context)?,
        format => printer.document(format, &Report { operators: &checks })?,
    }
    Ok(if checks.iter().all(|check| check.upgradeable) {
        Status::Success
    } else {
        Status::Failure
    })
}

fn print(checks: &[Check], context: &Context<'_>) -> Result<(), OutputError> {
    let headings = ["OPERATOR", "NAMESPACE", "UPGRADES", "LAST UPGRADE", "CONDITION", "WHY"];
    let mut table = Table::new(context.printer.stdout(), headings);
    for check in checks {
        let upgrades = if check.upgradeable { "allowed" } else { "held" };
        let last = match check.upgrade {
            Upgrade::Done => "done",
            Upgrade::Upgrading => "going on",
            Upgrade::NotStarted => "not begun",
            Upgrade::NotDone => "not done",
            Upgrade::Unknown => "",
        };
        table.row([
            &check.operator,
            check.namespace.as_deref().unwrap_or_default(),
            upgrades,
            last,
            check.condition.as_deref().unwrap_or_default(),
            check.message.as_deref().unwrap_or_default(),
        ])?;
    }
    table.finish()
}
