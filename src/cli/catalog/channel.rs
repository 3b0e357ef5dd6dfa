//! `opmx catalog channel`: channels as a whole.

use super::edit::EditArguments;
use crate::cli::Context;
use crate::cli::error::CommandResult;
use clap::{Args, Subcommand};

const EXAMPLES: &str = "\
Examples:
  Let new installations choose another channel
  $ opmx catalog channel set-default catalog etcd stable";

const SET_DEFAULT: &str = "\
Examples:
  Let new installations choose stable
  $ opmx catalog channel set-default catalog etcd stable";

const RENAME: &str = "\
Examples:
  Clusters with a Subscription to the old name get no updates any more: copy first
  $ opmx catalog channel copy catalog etcd alpha candidate
  $ opmx catalog channel rename catalog etcd singlenamespace-alpha alpha";

const COPY: &str = "\
Examples:
  Offer what is in alpha in candidate, too
  $ opmx catalog channel copy catalog etcd alpha candidate";

/// Change channels of a package as a whole
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

/// Make a channel the default one
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

/// Give a channel another name
///
/// The default channel and deprecations follow. Clusters with a Subscription to the old name get no updates any more.
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
    /// Its new name
    #[arg(value_name = "NEW")]
    to: String,
}

/// Make a channel with the entries of another one
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
    /// Name of the new one
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
