//! `opmx catalog truncate`: old versions out of a package.

use super::edit::{self, EditArguments};
use crate::cli::Context;
use crate::cli::error::CommandResult;
use crate::version::parse_strict;
use clap::Args;
use semver::Version;

const EXAMPLES: &str = "\
Examples:
  Keep 1.4.0 and what is higher
  $ opmx catalog truncate catalog etcd --below 1.4.0";

/// Take the versions of a package below one out of its channels
///
/// The lowest bundle that stays in a channel skips those that go, so that clusters which run one of them still get an
/// update. A channel with none but lower versions goes.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct TruncateArguments {
    #[command(flatten)]
    edit: EditArguments,
    /// Name of the package
    #[arg(value_name = "PACKAGE")]
    package: String,
    /// Lowest version that stays
    #[arg(long, value_name = "VERSION", value_parser = parse_strict)]
    below: Version,
    /// Channel that takes the place of a default channel which goes
    #[arg(long, value_name = "CHANNEL")]
    default_channel: Option<String>,
}

pub(crate) fn run(arguments: &TruncateArguments, context: &Context<'_>) -> CommandResult {
    let (package, default_channel) = (&arguments.package, arguments.default_channel.as_deref());
    arguments.edit.run(
        context,
        |editor| editor.change(package, |draft| draft.truncate(&arguments.below, default_channel)),
        |removal, printer| edit::removed(package, removal, printer),
    )
}
