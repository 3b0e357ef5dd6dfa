//! `opmx bundle synthesize`: the `ClusterServiceVersion` of a bundle of plain manifests.

use super::inference::{self, InferenceArguments};
use super::wildcards::WildcardArguments;
use crate::bundle::stamp::Stamp;
use crate::bundle::{self, MediaType};
use crate::cli::arguments::{LimitArguments, RegistryArguments};
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::cli::values::filled;
use crate::cli::{Context, sources};
use crate::diagnostic;
use crate::rules::Gate;
use crate::synthesis::{Explanation, outside};
use crate::terminal::Format;
use crate::terminal::table::Table;
use crate::validation::{Strictness, judge};
use clap::{Args, ValueEnum};

const EXAMPLES: &str = "\
Examples:
  Print the ClusterServiceVersion
  $ opmx bundle synthesize etcd

  Explain the origin of each field
  $ opmx bundle synthesize etcd --explain

  Add examples, and look up the kinds of other operators in an index
  $ opmx bundle synthesize etcd --samples config/samples \\
      --api-source registry.example.com/index:latest

  Read an image, with machine-readable output
  $ opmx bundle synthesize registry.example.com/etcd-bundle:v0.9.4 -o json";

/// Print the ClusterServiceVersion of a bundle of plain manifests
///
/// An index stores this ClusterServiceVersion for the bundle, and OLM installs from it. If the manifests have errors,
/// only the errors are shown, with file and line.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct SynthesizeArguments {
    /// The bundle: a folder, HOST/NAME:TAG, oci:DIR:TAG or oci-archive:FILE:TAG
    #[arg(value_name = "DIR|REF", value_parser = filled())]
    bundle: String,
    /// Print the object, file and line that each inferred field comes from
    #[arg(long)]
    explain: bool,
    /// Output format [default: yaml, or a table with --explain]
    #[arg(short, long, value_enum, value_name = "FORMAT")]
    output: Option<DocumentFormat>,
    #[command(flatten)]
    wildcards: WildcardArguments,
    #[command(flatten)]
    inference: InferenceArguments,
    #[command(flatten)]
    registry: RegistryArguments,
    #[command(flatten)]
    limits: LimitArguments,
}

/// The output formats of a Kubernetes object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum DocumentFormat {
    /// YAML
    Yaml,
    /// JSON
    Json,
}

impl SynthesizeArguments {
    fn format(&self) -> Format {
        match self.output {
            Some(DocumentFormat::Json) => Format::Json,
            None if self.explain => Format::Text,
            Some(DocumentFormat::Yaml) | None => Format::Yaml,
        }
    }
}

pub(crate) fn run(arguments: &SynthesizeArguments, context: &Context<'_>) -> CommandResult {
    let printer = &context.printer;
    let (registry, limits) = (&arguments.registry, &arguments.limits);
    let mut tree = sources::bundle_files(&arguments.bundle, registry, limits, context)?;
    let reading = bundle::read(&tree, &limits.text());
    let outside = arguments.inference.outside(registry, limits, context)?;
    let limits = &limits.bundle();
    let reading = arguments.wildcards.expand_in(&mut tree, reading, limits, context)?;
    let inferred = outside::write_into(&mut tree, reading, Stamp::default(), outside.as_ref(), limits)?;
    inference::report(&inferred.findings, &inferred.resolved, context);
    let Some(reading) = inferred.reading else {
        return Ok(Status::Failure);
    };
    let Some(bundle) = &reading.bundle else {
        printer.report(&reading.diagnostics);
        return Ok(Status::Failure);
    };
    if bundle.media_type == MediaType::RegistryV1 {
        printer.report(&reading.diagnostics);
        let message = format!(
            "{} is not a k8s+v1 bundle, so there is nothing to infer",
            arguments.bundle
        );
        let hint = "create a k8s+v1 bundle from the manifests with opmx bundle init";
        return Err(CommandError::failure(message).hint(hint));
    }
    let judged = judge(&reading, &Strictness::at(Gate::Authoring));
    printer.report(&judged.findings);
    let Some(synthesis) = judged.synthesis.filter(|_| !diagnostic::has_errors(&judged.findings)) else {
        return Ok(Status::Failure);
    };
    let Some(csv) = synthesis.csv else {
        return Ok(Status::Failure);
    };
    if arguments.explain {
        explain(&synthesis.provenance.explain(&csv), arguments.format(), context)?;
    } else {
        printer.document(arguments.format(), &csv)?;
    }
    Ok(Status::Success)
}

/// Prints one row for each inferred value, with its place in the source.
fn explain(rows: &[Explanation], format: Format, context: &Context<'_>) -> Result<(), CommandError> {
    if format != Format::Text {
        return Ok(context.printer.document(format, &rows)?);
    }
    let mut table = Table::new(context.printer.stdout(), ["FIELD", "PLACE", "OBJECT", "HOW", "VALUE"]);
    for row in rows {
        let place = format!("{}:{}:{}", row.file, row.line, row.column);
        table.row([row.field.as_str(), &place, &row.object, row.how, &row.value])?;
    }
    Ok(table.finish()?)
}
