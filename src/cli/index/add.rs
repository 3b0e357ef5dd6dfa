//! `opmx index add`: bundles into an index image.

use crate::cli::Context;
use crate::cli::additions::{self, AdditionArguments};
use crate::cli::arguments::{ImageToolArguments, LimitArguments, RegistryArguments};
use crate::cli::error::{CommandResult, Status};
use crate::image::Reference;
use crate::index::gather;
use crate::index::location::IndexLocation;
use crate::index::open::Target;
use crate::index::publish::{self, Generation, Publication, PublishError};
use clap::Args;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  A new index, pushed to a registry
  $ opmx index add -b registry.example.com/etcd-bundle:v0.9.4 -t registry.example.com/index:v1

  More bundles into it, from images and folders
  $ opmx index add -b registry.example.com/etcd-bundle:v0.9.5,./prometheus \\
      -f registry.example.com/index:v1 -t registry.example.com/index:v2

  Many bundles, one on each line of a file
  $ opmx index add --bundles-from bundles.txt -t oci:index:latest

  Only the database and a Dockerfile, for another tool to build
  $ opmx index add -b ./etcd --generate";

/// The base image that opm's own Dockerfile stands on.
const OPM_IMAGE: &str = "opm:latest";

/// Add bundles to an index image
///
/// All bundles are added, or none. The index begins empty, or with what --from-index holds. The image holds the
/// database and opmx itself, which serves it. The reference with its digest is printed.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct AddArguments {
    /// Bundles, separated by commas: HOST/NAME:TAG, oci:DIR:TAG, oci-archive:FILE:TAG or folders
    #[arg(
        short,
        long,
        value_name = "BUNDLES",
        value_delimiter = ',',
        required_unless_present = "bundles_from"
    )]
    bundles: Vec<String>,
    /// Index to begin with: an image, or a database file
    #[arg(short, long, value_name = "REF|FILE")]
    from_index: Option<String>,
    /// Where the index image goes: HOST/NAME:TAG, oci:DIR:TAG or oci-archive:FILE:TAG
    #[arg(
        short,
        long,
        value_name = "REF",
        required_unless_present = "generate",
        conflicts_with = "generate"
    )]
    tag: Option<String>,
    /// Base image, with a program that serves the index; without it the image holds only opmx
    #[arg(short = 'i', long, value_name = "REF")]
    binary_image: Option<String>,
    /// Build no image: write database/index.db and index.Dockerfile into the working folder
    #[arg(long)]
    generate: bool,
    /// Name of the Dockerfile that --generate writes
    #[arg(
        short = 'd',
        long,
        value_name = "FILE",
        default_value = "index.Dockerfile",
        requires = "generate"
    )]
    out_dockerfile: PathBuf,
    #[command(flatten)]
    additions: AdditionArguments,
    #[command(flatten)]
    registry: RegistryArguments,
    #[command(flatten)]
    limits: LimitArguments,
    #[command(flatten)]
    tools: ImageToolArguments,
}

pub(crate) fn run(arguments: &AddArguments, context: &Context<'_>) -> CommandResult {
    let printer = &context.printer;
    arguments.tools.answer(printer);
    let transports = arguments.registry.transports(context);
    let from: Option<IndexLocation> = arguments.from_index.as_deref().map(str::parse).transpose()?;
    let (locations, options) = arguments.additions.call(&arguments.bundles, &arguments.limits)?;
    let writing = additions::writing()?;
    let add = async |target: &Target<'_>| Ok(gather::add(&locations, &transports, &options, target, &writing).await?);
    let limit = arguments.registry.max_image_size.0;
    let Some(to) = &arguments.tag else {
        let generation = Generation {
            from: from.as_ref(),
            folder: Path::new(""),
            dockerfile: &arguments.out_dockerfile,
            base: arguments.binary_image.as_deref().unwrap_or(OPM_IMAGE),
            limit,
        };
        let generated = publish::generate(generation, &transports, add);
        return match context.runtime.block_on(generated) {
            Ok((database, added)) => {
                additions::report(&added, context);
                let (database, dockerfile) = (database.display(), generation.dockerfile.display());
                printer.status(format_args!("wrote {database} and {dockerfile}"));
                Ok(Status::Success)
            }
            Err(error) => refused(error, context),
        };
    };
    let to: Reference = to.parse()?;
    let base: Option<Reference> = arguments.binary_image.as_deref().map(str::parse).transpose()?;
    let publication = Publication {
        from: from.as_ref(),
        to: &to,
        base: base.as_ref(),
        limit,
    };
    match context
        .runtime
        .block_on(publish::publish(publication, &transports, add))
    {
        Ok((pinned, added)) => {
            additions::report(&added, context);
            printer.line(pinned.to_string())?;
            Ok(Status::Success)
        }
        Err(error) => refused(error, context),
    }
}

fn refused(error: PublishError, context: &Context<'_>) -> CommandResult {
    match error {
        PublishError::Gather(error) => additions::refused(error, context),
        error => Err(error.into()),
    }
}
