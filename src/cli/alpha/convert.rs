//! `opmx alpha convert-template`: a catalog as a template.

use crate::catalog::file_based::template::Kind;
use crate::catalog::file_based::template::convert::convert;
use crate::catalog::file_based::write::write;
use crate::cli::arguments::CatalogLimitArguments;
use crate::cli::catalog_output::OutputLanguage;
use crate::cli::error::{CommandResult, Status};
use crate::cli::{Context, input};
use clap::{Args, ValueEnum};

const EXAMPLES: &str = "\
Examples:
  A template to edit, in place of a catalog
  $ opmx alpha convert-template basic catalog/catalog.json -o yaml > template.yaml

  Of a whole index
  $ opmx render index.db | opmx alpha convert-template basic > template.json";

/// Make a template of a file-based catalog
///
/// In a basic template bundles keep only their images; a bundle without one is refused. A substitutes template holds
/// the whole catalog, and an empty list of substitutions.
#[derive(Debug, Args)]
#[command(
    after_help = EXAMPLES,
    // The whole catalog is in memory.
    mut_arg("max_total_size", |argument| argument.default_value("1GiB").help("Largest size of the catalog"))
)]
pub(crate) struct ConvertArguments {
    /// Type of the template
    #[arg(value_enum, value_name = "TYPE")]
    kind: ConvertKind,
    /// File of the catalog; without it, or as "-", standard input
    #[arg(value_name = "FILE", default_value = "-", hide_default_value = true)]
    file: String,
    /// Language of the template
    #[arg(short, long, value_enum, value_name = "LANGUAGE", default_value_t)]
    output: OutputLanguage,
    #[command(flatten)]
    limits: CatalogLimitArguments,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ConvertKind {
    /// A catalog whose bundles have only their images
    Basic,
    /// The catalog, and bundles that stand in for others of it
    Substitutes,
}

pub(crate) fn run(arguments: &ConvertArguments, context: &Context<'_>) -> CommandResult {
    let limits = arguments.limits.catalog();
    let largest = (limits.kept_bytes, Some("--max-total-size"));
    let (name, bytes) = input::read(&arguments.file, largest, context)?;
    let kind = match arguments.kind {
        ConvertKind::Basic => Kind::Basic,
        ConvertKind::Substitutes => Kind::Substitutes,
    };
    let template = convert(&name, &bytes, kind, limits)?;
    let mut out = Vec::new();
    write(&template, arguments.output.into(), &mut out)?;
    context.printer.written(&String::from_utf8_lossy(&out))?;
    Ok(Status::Success)
}
