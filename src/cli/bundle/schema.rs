//! `opmx bundle schema`: the JSON Schema of `metadata/olm.yaml`.

use crate::bundle::olm::json_schema;
use crate::cli::Context;
use crate::cli::error::{CommandResult, Status};
use crate::terminal::Format;
use clap::Args;

const EXAMPLES: &str = "\
Examples:
  Write it beside the bundle
  $ opmx bundle schema > olm.schema.json

  Editors with the YAML language server then complete and check the file, if
  it begins with this line:
  # yaml-language-server: $schema=../../olm.schema.json";

/// Print the JSON Schema of metadata/olm.yaml
///
/// With it, editors complete the keys, explain them, and show what is wrong while it is written. It is JSON Schema
/// draft 7. What depends on the manifests, only \"opmx bundle synthesize\" can tell.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct SchemaArguments {}

pub(crate) fn run(SchemaArguments {}: &SchemaArguments, context: &Context<'_>) -> CommandResult {
    context.printer.document(Format::Json, &json_schema())?;
    Ok(Status::Success)
}
