//! `opmx bundle schema`: the JSON Schemas of `metadata/olm.yaml`, of the annotations that can replace it, of the
//! findings and of policies.

use crate::bundle::olm_yaml::{annotations, json_schema};
use crate::cli::Context;
use crate::cli::error::{CommandResult, Status};
use crate::terminal::{Format, findings, reports};
use crate::validation::policy;
use clap::{Args, ValueEnum};

const EXAMPLES: &str = "\
Examples:
  Write the schema into the folder of the bundle
  $ opmx bundle schema > etcd/olm.schema.json

  Editors with the YAML language server then complete and check
  etcd/metadata/olm.yaml, if it begins with this line:
  # yaml-language-server: $schema=../olm.schema.json

  Print the schema of the annotations that can replace keys of olm.yaml
  $ opmx bundle schema --annotations

  Print the schema of the output of opmx bundle validate -o json
  $ opmx bundle schema findings

  Print the schema of the output of opmx validate -o json and opmx index check -o json
  $ opmx bundle schema catalog-findings

  Print the schema of the file for --policy
  $ opmx bundle schema policy > policy.schema.json";

/// Print the JSON Schema of metadata/olm.yaml, or of annotations, findings or policy files
///
/// With the schema of olm.yaml, editors complete and explain the keys, and show mistakes while you type. The format is
/// JSON Schema: draft 7 for olm and annotations, draft 2020-12 for findings, catalog-findings and policy. Most values
/// in olm.yaml can also be set in annotations of a Deployment, and values about the bundle's own kinds in annotations
/// of their CustomResourceDefinitions; olm.yaml takes precedence. The schema cannot check values that depend on the
/// manifests; use "opmx bundle validate" to check them.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct SchemaArguments {
    /// Subject of the schema
    #[arg(value_enum, value_name = "SUBJECT", default_value_t)]
    of: Described,
    /// Same as the argument "annotations"
    #[arg(long, conflicts_with = "of")]
    annotations: bool,
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum Described {
    /// metadata/olm.yaml
    #[default]
    Olm,
    /// Annotations that can replace keys of olm.yaml, on Deployments and CustomResourceDefinitions
    Annotations,
    /// The output of opmx bundle validate -o json
    Findings,
    /// The output of opmx validate -o json and opmx index check -o json
    CatalogFindings,
    /// The file for --policy, with an administrator's rules for installations
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
        Described::CatalogFindings => findings::json_schema(),
        Described::Policy => policy::json_schema(),
    };
    context.printer.document(Format::Json, &schema)?;
    Ok(Status::Success)
}
