//! `opmx generate dockerfile`: the Dockerfile for building the image of a file-based catalog with another tool.

use crate::cli::Context;
use crate::cli::error::{CommandResult, Status};
use crate::cli::index::publication::OPM_IMAGE;
use crate::cli::values::label;
use crate::index::render::dockerfile::{CatalogImage, SCRATCH, write_beside};
use clap::{Args, Subcommand};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  Write a Dockerfile for the catalog in the folder catalog
  $ opmx generate dockerfile catalog -i registry.example.com/opm:v1";

const EXAMPLES_DOCKERFILE: &str = "\
Examples:
  Build an image that serves the catalog
  $ opmx generate dockerfile catalog -i registry.example.com/opm:v1
  $ docker build . -f catalog.Dockerfile -t registry.example.com/catalog:v1

  Write a Dockerfile for an image that contains only the catalog; OLM provides the program
  $ opmx generate dockerfile catalog -i scratch -b registry.example.com/opm:v1";

/// Generate a Dockerfile for a file-based catalog
#[derive(Debug, Args)]
#[command(subcommand_required = true, arg_required_else_help = true, after_help = EXAMPLES)]
pub(crate) struct GenerateArguments {
    #[command(subcommand)]
    command: GenerateCommand,
}

#[derive(Debug, Subcommand)]
enum GenerateCommand {
    Dockerfile(DockerfileArguments),
}

/// Write DIR.Dockerfile, which builds the image of the catalog in DIR
///
/// The file is written next to DIR, and must not exist yet. It has two stages: the builder creates the cache of the
/// catalog, and only the catalog and the cache are copied into the image. The builder image, and the base image unless
/// it is scratch, must contain opm or opmx as /bin/opm, and no catalog, because its files would be part of the new one.
/// The images that "opmx index add" builds are suitable.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES_DOCKERFILE)]
struct DockerfileArguments {
    /// Folder of the catalog
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Base image; "scratch" for an image without a program
    ///
    /// The default is the builder image, or opm:latest.
    #[arg(short = 'i', long, alias = "binary-image", value_name = "REF")]
    base_image: Option<String>,
    /// Image whose /bin/opm creates the cache
    ///
    /// The default is the base image, or opm:latest if the base image contains no program.
    #[arg(short, long, value_name = "REF")]
    builder_image: Option<String>,
    /// Additional labels, separated by commas; for a repeated label, the last value applies
    #[arg(short = 'l', long, value_name = "KEY=VALUE", value_delimiter = ',', value_parser = label)]
    extra_labels: Vec<(String, String)>,
}

pub(crate) fn run(arguments: &GenerateArguments, context: &Context<'_>) -> CommandResult {
    match &arguments.command {
        GenerateCommand::Dockerfile(arguments) => dockerfile(arguments, context),
    }
}

fn dockerfile(arguments: &DockerfileArguments, context: &Context<'_>) -> CommandResult {
    let (base, builder) = (arguments.base_image.as_deref(), arguments.builder_image.as_deref());
    let program = base.filter(|base| *base != SCRATCH);
    let image = CatalogImage {
        base: base.or(builder).unwrap_or(OPM_IMAGE).to_owned(),
        builder: builder.or(program).unwrap_or(OPM_IMAGE).to_owned(),
        labels: arguments.extra_labels.iter().cloned().collect(),
    };
    let file = write_beside(&arguments.folder, &image)?;
    if [&image.base, &image.builder].into_iter().any(|name| name == OPM_IMAGE) {
        context.printer.warning(format_args!(
            "{OPM_IMAGE} is a placeholder for your own image that contains opm or opmx; specify it with \
            --base-image or --builder-image"
        ));
    }
    context.printer.status(format_args!("wrote {}", file.display()));
    Ok(Status::Success)
}
