//! `opmx catalog truncate`: removing old versions from a package.

use super::edit::{self, FolderEditArguments};
use crate::cli::error::CommandResult;
use crate::cli::values::name;
use crate::cli::{Context, removals};
use crate::index::curate::lost;
use crate::version::parse_strict;
use clap::Args;
use semver::Version;

const EXAMPLES: &str = "\
Examples:
  Keep 1.4.0 and higher versions
  $ opmx catalog truncate catalog etcd --below 1.4.0";

/// Remove the old versions of a package
///
/// In each channel, the lowest remaining bundle skips the removed bundles, so that clusters that run a removed bundle
/// still get updates. A channel that contains only versions below VERSION is removed.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct TruncateArguments {
    #[command(flatten)]
    edit: FolderEditArguments,
    /// Name of the package
    #[arg(value_name = "PACKAGE")]
    package: String,
    /// Lowest version to keep
    #[arg(long, value_name = "VERSION", value_parser = parse_strict)]
    below: Version,
    /// New default channel, if the current default channel is removed
    #[arg(long, value_name = "CHANNEL", value_parser = name)]
    default_channel: Option<String>,
}

pub(crate) fn run(arguments: &TruncateArguments, context: &Context<'_>) -> CommandResult {
    let (package, default_channel) = (&arguments.package, arguments.default_channel.as_deref());
    arguments.edit.run(
        context,
        |editor| {
            let removal = editor.change(package, |draft| draft.truncate(&arguments.below, default_channel))?;
            Ok((removal, lost(editor)))
        },
        |(removal, lost), report| {
            edit::removed(package, removal, report);
            removals::report_lost(lost, "catalog", report.printer);
        },
    )
}
