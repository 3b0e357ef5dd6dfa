//! `opmx generate dockerfile`: for those who build the image of a file-based catalog with another tool.

use crate::cli::Context;
use crate::cli::arguments::label;
use crate::cli::error::{CommandResult, Status};
use crate::cli::index::publication::OPM_IMAGE;
use crate::index::render::dockerfile::{CatalogImage, SCRATCH, write_beside};
use clap::{Args, Subcommand};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  For the catalog in the folder catalog
  $ opmx generate dockerfile catalog -i registry.example.com/opm:v1";

const EXAMPLES_DOCKERFILE: &str = "\
Examples:
  An image that serves the catalog
  $ opmx generate dockerfile catalog -i registry.example.com/opm:v1
  $ docker build . -f catalog.Dockerfile -t registry.example.com/catalog:v1

  An image with nothing but the catalog, for an OLM that brings the program
  $ opmx generate dockerfile catalog -i scratch -b registry.example.com/opm:v1";

/// Write what other tools need for a file-based catalog
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
/// The file stands beside DIR, and must not be there yet. It has two stages: the builder makes the cache of the
/// catalog, and only the catalog and the cache come into the image. Both images need opm, or opmx under its name, as
/// /bin/opm; an index image that opmx built has it.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES_DOCKERFILE)]
struct DockerfileArguments {
    /// The folder of the catalog
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Image to stand on; "scratch" for one that holds no program
    ///
    /// Without it, it is the builder image, or opm:latest.
    #[arg(short = 'i', long, alias = "binary-image", value_name = "REF")]
    base_image: Option<String>,
    /// Image whose /bin/opm makes the cache
    ///
    /// Without it, it is the base image, or opm:latest where that holds no program.
    #[arg(short, long, value_name = "REF")]
    builder_image: Option<String>,
    /// More labels, separated by commas; of one that stands twice the last counts
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
            "{OPM_IMAGE} stands for an image of yours that holds opm or opmx: name it with --base-image or --builder-image"
        ));
    }
    context.printer.status(format_args!("wrote {}", file.display()));
    Ok(Status::Success)
}
