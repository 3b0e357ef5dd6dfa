//! `opmx index from-fbc`: converting a file-based catalog to an index with a database.

use crate::cli::arguments::{IndexLimitArguments, RegistryArguments};
use crate::cli::error::{CommandResult, Status};
use crate::cli::index::publication::{self, PublicationArguments};
use crate::cli::strictness::StrictnessArguments;
use crate::cli::values::filled;
use crate::cli::{Context, additions, guesses};
use crate::index::location::IndexLocation;
use crate::index::publish::{self, CatalogForm, PublishOptions};
use clap::Args;

const EXAMPLES: &str = "\
Examples:
  Push an index image of the catalog in a folder
  $ opmx index from-fbc catalog -t registry.example.com/index:v1

  Write only the database and a Dockerfile
  $ opmx index from-fbc registry.example.com/catalog:v1 --generate";

/// Convert a file-based catalog to an index with a database
///
/// The result is for clusters and pipelines that read databases. Packages, channels with their edges, and bundles with
/// their properties, dependencies, images and manifests are kept. A database has no fields for some parts of a catalog,
/// such as descriptions and deprecations; these parts are reported on standard error. To convert a database to a
/// catalog, use "opmx render". It is an error if the tag appears or moves in the meantime.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct FromFbcArguments {
    /// The catalog: a folder, a file or an image
    #[arg(value_name = "REF|FILE|DIR", value_parser = filled())]
    catalog: String,
    #[command(flatten)]
    publication: PublicationArguments,
    #[command(flatten)]
    strictness: StrictnessArguments,
    #[command(flatten)]
    registry: RegistryArguments,
    #[command(flatten)]
    limits: IndexLimitArguments,
}

pub(crate) fn run(arguments: &FromFbcArguments, context: &Context<'_>) -> CommandResult {
    let printer = &context.printer;
    let transports = arguments.registry.transports(context);
    let catalog: IndexLocation = arguments.catalog.parse()?;
    let destination = arguments.publication.destination()?;
    let options = PublishOptions {
        transports: &transports,
        limits: arguments.limits.index(&arguments.registry),
        writing: &additions::writing(&arguments.limits.database)?,
        strictness: &arguments.strictness.strictness(),
        form: CatalogForm::Database,
        mode: None,
        // Another index under the tag is not made from this catalog, so there is nothing to repeat.
        redo: false,
    };
    match context
        .runtime
        .block_on(publish::convert(&catalog, &destination, options))
    {
        Ok(published) => {
            publication::remark(&published, printer);
            publication::report(&published.made, printer)?;
            Ok(Status::Success)
        }
        Err(error) => {
            let refused = publication::refused(error, context);
            refused.map_err(|error| guesses::with_index_guess(error, &arguments.catalog))
        }
    }
}
