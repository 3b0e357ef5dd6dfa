//! `opmx index diff`: what differs between two indexes.

use crate::catalog::difference::difference;
use crate::cli::arguments::{IndexLimitArguments, RegistryArguments};
use crate::cli::error::{CommandResult, Status};
use crate::cli::{Context, sources};
use crate::terminal::{Format, index_difference};
use clap::{Args, ValueEnum};

const EXAMPLES: &str = "\
Examples:
  What a new version of an index image brings
  $ opmx index diff registry.example.com/index:v1 registry.example.com/index:v2

  For a pull request
  $ opmx index diff registry.example.com/index:v1 index.db -o markdown

  What is lost on the way to a file-based catalog: nothing
  $ opmx migrate index.db catalog && opmx index diff index.db catalog

  In a script
  $ opmx index diff old.db new.db -q --exit-code";

/// Say what differs between two indexes
///
/// Compared are packages with their default channels, channels with their heads, what bundles replace and skip in them,
/// and of each bundle version, image, skipRange, properties and dependencies. Manifests are not.
///
/// What only NEW holds has a plus, what only OLD holds a minus, what differs a tilde.
///
/// The exit status is 0 even where there are differences (see --exit-code).
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct DiffArguments {
    /// The index before: HOST/NAME:TAG, oci:DIR:TAG, oci-archive:FILE:TAG, a database file, or a folder with a catalog
    #[arg(value_name = "OLD")]
    old: String,
    /// The index after it, in the same or another form
    #[arg(value_name = "NEW")]
    new: String,
    /// Form of the result
    #[arg(short, long, value_enum, value_name = "FORM", default_value_t)]
    output: Form,
    /// End with exit status 3 where the indexes differ
    #[arg(long)]
    exit_code: bool,
    #[command(flatten)]
    registry: RegistryArguments,
    #[command(flatten)]
    limits: IndexLimitArguments,
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum Form {
    /// For a person
    #[default]
    Text,
    /// JSON, with stable field names
    Json,
    /// The same fields as YAML
    Yaml,
    /// Lists for a pull request
    Markdown,
}

pub(crate) fn run(arguments: &DiffArguments, context: &Context<'_>) -> CommandResult {
    let printer = &context.printer;
    let limits = arguments.limits.index(&arguments.registry);
    let open = |name: &str| sources::open_catalog(name, &arguments.registry, limits, context);
    let (old, new) = (open(&arguments.old)?, open(&arguments.new)?);
    let found = difference(&*old.catalog()?, &*new.catalog()?);
    match arguments.output {
        Form::Text => {
            if found.is_empty() {
                printer.status("the indexes do not differ");
            }
            for line in index_difference::lines(&found) {
                printer.line(line)?;
            }
        }
        Form::Json => printer.document(Format::Json, &found)?,
        Form::Yaml => printer.document(Format::Yaml, &found)?,
        Form::Markdown => printer.lines(&index_difference::markdown(&found))?,
    }
    Ok(Status::of_answer(!arguments.exit_code || found.is_empty()))
}
