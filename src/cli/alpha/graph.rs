//! `opmx alpha render-graph`: the update graph, with opm's command line.

use crate::catalog::drawing::{self, View};
use crate::catalog::selection::{Selection, minimum};
use crate::cli::arguments::{IndexLimitArguments, RegistryArguments};
use crate::cli::error::{CommandResult, Status};
use crate::cli::index::catalog_argument::CatalogArgument;
use crate::cli::{Context, sources};
use clap::Args;

/// Draw the update graph of an index or catalog as Mermaid
#[derive(Debug, Args)]
pub(crate) struct GraphArguments {
    #[command(flatten)]
    index: CatalogArgument,
    /// Draw only this package
    #[arg(short, long, value_name = "PACKAGE")]
    package_name: Option<String>,
    /// Draw only this bundle and the higher versions of its package
    #[arg(long, value_name = "BUNDLE")]
    minimum_edge: Option<String>,
    /// Distinguish skipped bundles, which OLM updates from but never to
    #[arg(
        long,
        value_name = "BOOL",
        num_args = 0..=1,
        require_equals = true,
        default_value_t = false,
        default_missing_value = "true"
    )]
    draw_v0_semantics: bool,
    #[command(flatten)]
    registry: RegistryArguments,
    #[command(flatten)]
    limits: IndexLimitArguments,
}

pub(crate) fn run(arguments: &GraphArguments, context: &Context<'_>) -> CommandResult {
    let limits = arguments.limits.index(&arguments.registry);
    let opened = sources::open_catalog(&arguments.index.index, &arguments.registry, limits, context)?;
    let catalog = opened.catalog()?;
    let mut selection = Selection {
        packages: arguments.package_name.iter().cloned().collect(),
        channels: Vec::new(),
    };
    let unknown = |error| arguments.index.unknown(error);
    let _ = selection.of(&catalog).map_err(unknown)?;
    let lowest = match &arguments.minimum_edge {
        Some(bundle) => {
            let lowest = minimum(&catalog, bundle, &selection).map_err(unknown)?;
            selection.packages = lowest.packages;
            Some(lowest.version)
        }
        None => None,
    };
    let view = View {
        lowest: lowest.as_ref(),
        tell_skipped: arguments.draw_v0_semantics,
        deprecated: opened.loaded().map(|loaded| &loaded.deprecated),
    };
    let channels = selection.of(&catalog).map_err(unknown)?;
    let drawn = drawing::mermaid(&view.drawing(&catalog, &channels));
    context.printer.written(&drawn)?;
    Ok(Status::Success)
}
