//! `opmx operator crds`: the CustomResourceDefinitions of Operator, Install and Condition.

use crate::cli::Context;
use crate::cli::arguments::OutputArguments;
use crate::cli::error::{CommandResult, Status};
use crate::install::operator::definitions;
use crate::terminal::Format;
use clap::Args;
use serde_json::json;

const EXAMPLES: &str = "\
Examples:
  Apply the definitions to a cluster, with or without OLM
  $ opmx operator crds | kubectl apply --server-side --field-manager opmx --force-conflicts -f -";

/// Print the CustomResourceDefinitions of Operator, Install and Condition
///
/// OLM has a CustomResourceDefinition of the same name for its own kind Operator, in version v1. The definition here
/// also contains v1, and keeps it as the storage version, so that applying the definition replaces no object. The list
/// of versions is a single field, which belongs to the field manager that installed OLM. With --force-conflicts,
/// another field manager takes over the list, and loses it when OLM is applied again.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CrdsArguments {
    #[command(flatten)]
    output: OutputArguments,
}

pub(super) fn run(arguments: &CrdsArguments, context: &Context<'_>) -> CommandResult {
    let printer = &context.printer;
    if arguments.output.output == Format::Json {
        let list = json!({"apiVersion": "v1", "kind": "List", "items": definitions::values()});
        printer.document(Format::Json, &list)?;
    } else {
        printer.written(&definitions::ALL.map(|(_, yaml)| yaml).join("---\n"))?;
    }
    Ok(Status::Success)
}
