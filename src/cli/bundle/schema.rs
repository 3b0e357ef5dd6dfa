//! `opmx bundle schema`: the JSON Schemas of `metadata/olm.yaml`, of annotations in its place, of the findings and of
//! policies.

use crate::bundle::olm_yaml::{annotations, json_schema};
use crate::cli::Context;
use crate::cli::error::{CommandResult, Status};
use crate::terminal::{Format, reports};
use crate::validation::policy;
use clap::{Args, ValueEnum};

const EXAMPLES: &str = "\
Examples:
  Write it beside the bundle
  $ opmx bundle schema > olm.schema.json

  Editors with the YAML language server then complete and check the file, if
  it begins with this line:
  # yaml-language-server: $schema=../../olm.schema.json

  The annotations that can stand in place of its keys
  $ opmx bundle schema --annotations

  That of what opmx bundle validate -o json prints
  $ opmx bundle schema findings

  That of the file for --policy
  $ opmx bundle schema policy > policy.schema.json";

/// Print the JSON Schema of metadata/olm.yaml, of annotations in its place, of findings, or of policies
///
/// With that of olm.yaml, editors complete the keys, explain them, and show what is wrong while it is written. It is
/// JSON Schema draft 7. Most of what olm.yaml says can also stand in annotations of a Deployment, and what it says of
/// own kinds in those of their CustomResourceDefinitions; olm.yaml has precedence. What depends on the manifests, only
/// "opmx bundle synthesize" can tell.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct SchemaArguments {
    /// What the schema is to describe
    #[arg(value_enum, value_name = "OF", default_value_t)]
    of: Described,
    /// The same as OF annotations
    #[arg(long, conflicts_with = "of")]
    annotations: bool,
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum Described {
    /// metadata/olm.yaml
    #[default]
    Olm,
    /// Annotations of Deployments and CustomResourceDefinitions that say what olm.yaml says otherwise
    Annotations,
    /// What opmx bundle validate -o json prints
    Findings,
    /// The file that --policy names: what an administrator allows to be installed
    Policy,
}

pub(crate) fn run(arguments: &SchemaArguments, context: &Context<'_>) -> CommandResult {
    let of = if arguments.annotations {
        Described::Annotations
    } else {
        arguments.of
    };
    let schema = match of {
        Described::Olm => json_schema(),
        Described::Annotations => annotations::json_schema(),
        Described::Findings => reports::json_schema(),
        Described::Policy => policy::json_schema(),
    };
    context.printer.document(Format::Json, &schema)?;
    Ok(Status::Success)
}
