//! `opmx alpha`: catalog templates, and hidden commands that opm has under `alpha` and opmx has elsewhere.

mod convert;
mod graph;
mod list;
pub(crate) mod template;

use crate::cli::error::CommandResult;
use crate::cli::{Context, bundle, opm};
use clap::{Args, Subcommand};

const EXAMPLES: &str = "\
Examples:
  Render a template as a catalog
  $ opmx alpha render-template template.yaml > catalog/catalog.json";

/// Render and convert templates of file-based catalogs
#[derive(Debug, Args)]
#[command(subcommand_required = true, arg_required_else_help = true, after_help = EXAMPLES)]
pub(crate) struct AlphaArguments {
    #[command(subcommand)]
    command: AlphaCommand,
}

#[derive(Debug, Subcommand)]
enum AlphaCommand {
    RenderTemplate(template::TemplateArguments),
    ConvertTemplate(convert::ConvertArguments),
    #[command(hide = true)]
    Bundle(AlphaBundleArguments),
    #[command(hide = true)]
    List(list::ListArguments),
    #[command(hide = true)]
    RenderGraph(graph::GraphArguments),
}

/// Create, inspect and build bundles
#[derive(Debug, Args)]
#[command(subcommand_required = true, arg_required_else_help = true)]
struct AlphaBundleArguments {
    #[command(subcommand)]
    command: AlphaBundleCommand,
}

#[derive(Debug, Subcommand)]
enum AlphaBundleCommand {
    #[command(flatten)]
    Shared(bundle::SharedCommand),
    Validate(bundle::validate::OpmValidateArguments),
    /// Not supported: write a bundle to a ConfigMap
    #[command(hide = true)]
    Extract(opm::Refused),
}

pub(crate) fn run(arguments: &AlphaArguments, context: &Context<'_>) -> CommandResult {
    match &arguments.command {
        AlphaCommand::RenderTemplate(arguments) => template::run(arguments, context),
        AlphaCommand::ConvertTemplate(arguments) => convert::run(arguments, context),
        AlphaCommand::Bundle(arguments) => match &arguments.command {
            AlphaBundleCommand::Shared(command) => bundle::run_shared_as_opm(command, context),
            AlphaBundleCommand::Validate(arguments) => bundle::validate::run_as_opm(arguments, context),
            AlphaBundleCommand::Extract(_) => opm::refuse(
                "alpha bundle extract",
                "it writes to a cluster, but opmx does not access clusters",
                "write the files of the bundle with opmx bundle unpack, and create a ConfigMap from them with kubectl \
                create configmap",
            ),
        },
        AlphaCommand::List(arguments) => list::run(arguments, context),
        AlphaCommand::RenderGraph(arguments) => graph::run(arguments, context),
    }
}
