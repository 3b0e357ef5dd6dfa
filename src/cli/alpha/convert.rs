//! `opmx alpha convert-template`: converting a catalog to a template.

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
  Convert a catalog to a template that is easier to edit
  $ opmx alpha convert-template basic catalog/catalog.json -o yaml > template.yaml

  Convert a whole index
  $ opmx render index.db | opmx alpha convert-template basic > template.json";

/// Convert a file-based catalog to a template
///
/// In a basic template, bundles keep only their images; a bundle without an image is an error. A substitutes template
/// contains the whole catalog and an empty list of substitutions.
#[derive(Debug, Args)]
#[command(
    after_help = EXAMPLES,
    // The whole catalog is kept in memory, so this limit applies to the size of the catalog.
    mut_arg("max_total_size", |argument| argument.default_value("1GiB").help("Maximum size of the catalog"))
)]
pub(crate) struct ConvertArguments {
    /// Type of the template
    #[arg(value_enum, value_name = "TYPE")]
    kind: ConvertKind,
    /// File of the catalog; - or no file for standard input
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
    /// A catalog that specifies bundles only by their images
    Basic,
    /// A catalog, and a list of bundles that substitute for other bundles
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
