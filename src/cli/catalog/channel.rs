//! `opmx catalog channel`: changing whole channels.

use super::edit::EditArguments;
use crate::cli::Context;
use crate::cli::error::CommandResult;
use clap::{Args, Subcommand};

const EXAMPLES: &str = "\
Examples:
  Change the default channel for new installations
  $ opmx catalog channel set-default catalog etcd stable";

const SET_DEFAULT: &str = "\
Examples:
  Make stable the default channel for new installations
  $ opmx catalog channel set-default catalog etcd stable";

const RENAME: &str = "\
Examples:
  Rename a channel; to keep the old name for existing Subscriptions, copy the channel instead
  $ opmx catalog channel rename catalog etcd singlenamespace-alpha single";

const COPY: &str = "\
Examples:
  Also offer the bundles of alpha in candidate
  $ opmx catalog channel copy catalog etcd alpha candidate";

/// Rename or copy a channel, or set the default channel
#[derive(Debug, Args)]
#[command(subcommand_required = true, arg_required_else_help = true, after_help = EXAMPLES)]
pub(crate) struct ChannelArguments {
    #[command(subcommand)]
    command: ChannelCommand,
}

#[derive(Debug, Subcommand)]
enum ChannelCommand {
    SetDefault(SetDefaultArguments),
    Rename(RenameArguments),
    Copy(CopyArguments),
}

/// Set the default channel of a package
#[derive(Debug, Args)]
#[command(after_help = SET_DEFAULT)]
pub(crate) struct SetDefaultArguments {
    #[command(flatten)]
    edit: EditArguments,
    /// Name of the package
    #[arg(value_name = "PACKAGE")]
    package: String,
    /// Name of the channel
    #[arg(value_name = "CHANNEL")]
    channel: String,
}

/// Rename a channel
///
/// The default channel and deprecations are updated. Clusters with a Subscription to the old name no longer get
/// updates.
#[derive(Debug, Args)]
#[command(after_help = RENAME)]
pub(crate) struct RenameArguments {
    #[command(flatten)]
    edit: EditArguments,
    /// Name of the package
    #[arg(value_name = "PACKAGE")]
    package: String,
    /// Name of the channel
    #[arg(value_name = "OLD")]
    from: String,
    /// New name of the channel
    #[arg(value_name = "NEW")]
    to: String,
}

/// Create a channel with the entries of an existing channel
#[derive(Debug, Args)]
#[command(after_help = COPY)]
pub(crate) struct CopyArguments {
    #[command(flatten)]
    edit: EditArguments,
    /// Name of the package
    #[arg(value_name = "PACKAGE")]
    package: String,
    /// Name of the channel
    #[arg(value_name = "FROM")]
    from: String,
    /// Name of the new channel
    #[arg(value_name = "TO")]
    to: String,
}

pub(crate) fn run(arguments: &ChannelArguments, context: &Context<'_>) -> CommandResult {
    match &arguments.command {
        ChannelCommand::SetDefault(to) => to.edit.run(
            context,
            |editor| editor.change(&to.package, |draft| draft.set_default(&to.channel)),
            |(), _| {},
        ),
        ChannelCommand::Rename(to) => to.edit.run(
            context,
            |editor| editor.change(&to.package, |draft| draft.rename(&to.from, &to.to)),
            |(), _| {},
        ),
        ChannelCommand::Copy(to) => to.edit.run(
            context,
            |editor| editor.change(&to.package, |draft| draft.copy(&to.from, &to.to)),
            |(), _| {},
        ),
    }
}
