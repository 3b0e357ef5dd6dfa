//! `opmx mirror schema`: the JSON Schemas of mirror files.

use crate::cli::Context;
use crate::cli::error::{CommandResult, Status};
use crate::mirror::schema::{archive_schema, plan_schema, result_schema};
use crate::terminal::Format;
use clap::{Args, ValueEnum};

const EXAMPLES: &str = "\
Examples:
  $ opmx mirror schema plan > plan.schema.json";

/// Print the JSON Schema of a plan, a result or the list of an archive
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct SchemaArguments {
    /// Schema to print
    #[arg(value_enum, value_name = "FILE", default_value = "plan")]
    of: Described,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Described {
    /// plan.json
    Plan,
    /// plan.result.json
    Result,
    /// The list of an archive
    Archive,
}

pub(super) fn run(arguments: &SchemaArguments, context: &Context<'_>) -> CommandResult {
    let schema = match arguments.of {
        Described::Plan => plan_schema(),
        Described::Result => result_schema(),
        Described::Archive => archive_schema(),
    };
    context.printer.document(Format::Json, &schema)?;
    Ok(Status::Success)
}
