//! `opmx index deprecatetruncate`.

use crate::cli::Context;
use crate::cli::arguments::ImageToolArguments;
use crate::cli::error::CommandResult;
use crate::cli::index::publication::ChangeArguments;
use crate::cli::removals::{self, DeprecationArguments};
use crate::cli::values::name;
use crate::database::change::Target;
use crate::database::deprecate::truncate;
use crate::index::publish::Applied;
use clap::Args;

const EXAMPLES: &str = "\
Examples:
  Remove everything below version 0.9.2
  $ opmx index deprecatetruncate -b registry.example.com/etcd-bundle:v0.9.2 -f registry.example.com/index:v1 -t registry.example.com/index:v2";

/// Deprecate bundles, and truncate their channels below them
///
/// A deprecated bundle becomes the lowest bundle of its channels. Lower bundles are removed, unless another channel
/// contains them or another bundle leads to them. A channel whose head is deprecated is removed completely. It
/// is an error to deprecate the head of the default channel, unless --allow-package-removal removes the package. In a
/// file-based catalog, the package's deprecations name the bundle, and bundles that no channel lists anymore are
/// removed.
#[derive(Debug, Args)]
#[command(
    after_help = EXAMPLES,
    override_usage = "opmx index deprecatetruncate [OPTIONS] -b <BUNDLES> -f <INDEX>"
)]
pub(crate) struct DeprecateTruncateArguments {
    /// Bundles to deprecate, separated by commas: their names, or their images as stored in the index
    #[arg(short = 'b', long, value_name = "BUNDLES", value_delimiter = ',', value_parser = name, required = true)]
    bundles: Vec<String>,
    #[command(flatten)]
    deprecation: DeprecationArguments,
    #[command(flatten)]
    change: ChangeArguments,
    #[command(flatten)]
    tools: ImageToolArguments,
}

pub(crate) fn run(arguments: &DeprecateTruncateArguments, context: &Context<'_>) -> CommandResult {
    arguments.tools.answer(&context.printer);
    let writing = arguments.change.writing()?;
    let names = arguments.bundles.iter().cloned().collect();
    let change = |target: &Target<'_>, applied: Applied| {
        let mut request = arguments.deprecation.request(&names);
        request.permissive |= applied == Applied::Maybe;
        Ok(truncate(request, target, &writing)?)
    };
    arguments.change.run(context, change, |published, printer| {
        removals::report_truncation(&published.changed, &published.unlisted, printer);
    })
}
