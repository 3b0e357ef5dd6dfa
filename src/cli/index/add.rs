//! `opmx index add`: adding bundles to an index image.

use crate::cli::Context;
use crate::cli::additions::{self, AdditionArguments};
use crate::cli::arguments::{DatabaseLimitArguments, ImageToolArguments, LimitArguments, RegistryArguments};
use crate::cli::error::CommandResult;
use crate::cli::guesses;
use crate::cli::index::publication::{self, CatalogFormArguments, PublicationArguments, RedoArgument};
use crate::cli::values::{filled, name};
use crate::index::location::IndexLocation;
use crate::index::publish::{self, AddBundles, PublishOptions, PublishedOutput};
use clap::{ArgGroup, Args};

const EXAMPLES: &str = "\
Examples:
  Push a new index to a registry
  $ opmx index add -b registry.example.com/etcd-bundle:v0.9.4 -t registry.example.com/index:v1

  Add more bundles, from images and folders
  $ opmx index add -b registry.example.com/etcd-bundle:v0.9.5,./prometheus \\
      -f registry.example.com/index:v1 -t registry.example.com/index:v2

  Add many bundles, listed in a file, one per line
  $ opmx index add --bundles-from bundles.txt -t oci:index:latest

  Build for two platforms, with the opmx binary for the second platform
  $ opmx index add -b ./etcd -t registry.example.com/index:v1 --binary linux/arm64=opmx-arm64

  Write only the database and a Dockerfile, to build with another tool
  $ opmx index add -b ./etcd --generate";

/// Add bundles to an index image
///
/// Either all bundles are added or none. The index starts empty, or with the content of --from-index. The image
/// contains the database, or the file-based catalog if --from-index is a catalog, and opmx to serve it. In a catalog,
/// bundles are placed as by "opmx catalog add". The reference of the image, with its digest, is printed. Without
/// --from-index, it is an error if the tag appears or moves in the meantime.
#[derive(Debug, Args)]
#[command(
    after_help = EXAMPLES,
    group = ArgGroup::new("added").args(["bundles", "bundles_from"]).required(true).multiple(true)
)]
pub(crate) struct AddArguments {
    /// Bundles to add, separated by commas: HOST/NAME:TAG, oci:DIR:TAG, oci-archive:FILE:TAG or folders
    #[arg(short, long, value_name = "BUNDLES", value_delimiter = ',', value_parser = name)]
    bundles: Vec<String>,
    /// Index to start from: an image, a database file, or the folder of a file-based catalog
    #[arg(short, long, value_name = "INDEX", value_parser = filled())]
    from_index: Option<String>,
    #[command(flatten)]
    form: CatalogFormArguments,
    #[command(flatten)]
    publication: PublicationArguments,
    #[command(flatten)]
    redo: RedoArgument,
    #[command(flatten)]
    additions: AdditionArguments,
    #[command(flatten)]
    registry: RegistryArguments,
    #[command(flatten)]
    limits: LimitArguments,
    #[command(flatten)]
    database: DatabaseLimitArguments,
    #[command(flatten)]
    tools: ImageToolArguments,
}

pub(crate) fn run(arguments: &AddArguments, context: &Context<'_>) -> CommandResult {
    let printer = &context.printer;
    arguments.tools.answer(printer);
    let transports = arguments.registry.transports(context);
    let from: Option<IndexLocation> = arguments.from_index.as_deref().map(str::parse).transpose()?;
    let (additions, limits) = (&arguments.additions, &arguments.limits);
    let reading = limits.source(&arguments.database, &arguments.registry);
    let outside = additions.sources.outside(&arguments.registry, &reading, context)?;
    let (locations, options) = additions.call(&arguments.bundles, limits, outside, context)?;
    let destination = arguments.publication.destination()?;
    let writing = additions::writing(&arguments.database)?;
    let add = AddBundles {
        locations: &locations,
        transports: &transports,
        options: &options,
        writing: &writing,
    };
    let publishing = PublishOptions {
        transports: &transports,
        limits: arguments.limits.index(&arguments.database, &arguments.registry),
        writing: &writing,
        strictness: &options.strictness,
        form: arguments.form.at(&arguments.publication)?,
        mode: Some(options.policy.mode),
        redo: arguments.redo.get(),
    };
    match context
        .runtime
        .block_on(publish::make(from.as_ref(), &destination, publishing, add))
    {
        Ok(published) => {
            publication::remark(&published, printer);
            if published.made == PublishedOutput::Nothing {
                return additions::tried(published.changed, context);
            }
            let status = additions::report(published.changed, context);
            publication::report(&published.made, printer)?;
            Ok(status)
        }
        Err(error) => publication::refused(error, context).map_err(|error| match &arguments.from_index {
            Some(name) => guesses::with_index_guess(error, name),
            None => error,
        }),
    }
}
