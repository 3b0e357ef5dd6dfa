//! `opmx index graph`: drawing the update graph.

use super::catalog_argument::CatalogArgument;
use crate::catalog::drawing::{self, View};
use crate::catalog::selection::Selection;
use crate::cli::arguments::{IndexLimitArguments, RegistryArguments};
use crate::cli::error::{CommandResult, Status};
use crate::cli::values::name;
use crate::cli::{Context, sources};
use clap::{Args, ValueEnum};

const EXAMPLES: &str = "\
Examples:
  Draw one package for a Markdown page
  $ opmx index graph registry.example.com/index:v1 -p etcd

  Draw one channel as a picture
  $ opmx index graph index.db -p etcd --channel stable -o svg > etcd.svg

  Draw with Graphviz
  $ opmx index graph index.db -p etcd -o dot | dot -Tpng > etcd.png";

/// Draw the update graph of an index
///
/// Lines lead from older to newer bundles: solid if the newer bundle replaces the older bundle, dashed if it skips the
/// older bundle, and dotted if its skipRange contains the older bundle. Heads, deprecated bundles and bundles that a
/// channel only mentions have distinct borders and labels.
///
/// Mermaid renderers accept 500 lines by default; in larger graphs, the formats mermaid and dot draw one line for a
/// whole skipRange. The format svg has no such limit and needs no other program.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct GraphArguments {
    #[command(flatten)]
    index: CatalogArgument,
    /// Packages to draw, separated by commas [default: all]
    #[arg(short, long, alias = "package-name", value_name = "PACKAGES", value_delimiter = ',', value_parser = name)]
    package: Vec<String>,
    /// Channels to draw, separated by commas [default: all]
    #[arg(long, value_name = "CHANNELS", value_delimiter = ',', value_parser = name)]
    channel: Vec<String>,
    /// Output format
    #[arg(short, long, value_enum, value_name = "FORMAT", default_value_t)]
    output: Form,
    #[command(flatten)]
    registry: RegistryArguments,
    #[command(flatten)]
    limits: IndexLimitArguments,
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum Form {
    /// A Mermaid flowchart
    #[default]
    Mermaid,
    /// The DOT language of Graphviz
    Dot,
    /// An SVG picture
    Svg,
}

pub(crate) fn run(arguments: &GraphArguments, context: &Context<'_>) -> CommandResult {
    let limits = arguments.limits.index(&arguments.registry);
    let opened = sources::open_catalog(&arguments.index.index, &arguments.registry, limits, context)?;
    let catalog = opened.catalog()?;
    let selection = Selection {
        packages: arguments.package.clone(),
        channels: arguments.channel.clone(),
    };
    let channels = selection.of(&catalog).map_err(|error| arguments.index.unknown(error))?;
    let view = View {
        deprecated: opened.loaded().map(|loaded| &loaded.deprecated),
        ..View::default()
    };
    let drawing = view.drawing(&catalog, &channels);
    let drawn = match arguments.output {
        Form::Mermaid => drawing::mermaid(&drawing),
        Form::Dot => drawing::dot(&drawing),
        Form::Svg => drawing::svg(&drawing),
    };
    context.printer.written(&drawn)?;
    Ok(Status::Success)
}
