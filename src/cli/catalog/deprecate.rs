//! `opmx catalog deprecate` and `undeprecate`: adding and removing deprecations of packages, channels and bundles.

use super::edit::EditArguments;
use super::target::TargetArgument;
use crate::catalog::file_based::draft::Deprecated;
use crate::cli::Context;
use crate::cli::error::{CommandError, CommandResult};
use clap::Args;

const DEPRECATE: &str = "\
Examples:
  Deprecate a package
  $ opmx catalog deprecate catalog etcd -m \"Use the operator from your cloud provider.\"

  Deprecate a channel
  $ opmx catalog deprecate catalog etcd:alpha -m \"Use the channel stable.\"

  Deprecate a version
  $ opmx catalog deprecate catalog etcd@0.9.2 -m \"0.9.4 fixes data loss.\"";

const UNDEPRECATE: &str = "\
Examples:
  Remove the deprecation of a channel
  $ opmx catalog undeprecate catalog etcd:alpha";

/// Deprecate a package, a channel or a bundle
///
/// User interfaces show the message. A new message replaces the message of an existing deprecation.
#[derive(Debug, Args)]
#[command(after_help = DEPRECATE)]
pub(crate) struct DeprecateArguments {
    #[command(flatten)]
    edit: EditArguments,
    /// Target to deprecate: PACKAGE, PACKAGE:CHANNEL or PACKAGE@BUNDLE; BUNDLE is the version or name of a bundle, in
    /// a basic template only the name
    #[arg(value_name = "TARGET")]
    target: TargetArgument,
    /// Reason and replacement, as Markdown
    #[arg(short, long, value_name = "TEXT", value_parser = message, allow_hyphen_values = true)]
    message: String,
}

/// Remove a deprecation
#[derive(Debug, Args)]
#[command(after_help = UNDEPRECATE)]
pub(crate) struct UndeprecateArguments {
    #[command(flatten)]
    edit: EditArguments,
    /// Target of the deprecation: PACKAGE, PACKAGE:CHANNEL or PACKAGE@BUNDLE; BUNDLE is the version or name of a
    /// bundle, in a basic template only the name
    #[arg(value_name = "TARGET")]
    target: TargetArgument,
}

pub(crate) fn run(arguments: &DeprecateArguments, context: &Context<'_>) -> CommandResult {
    let what = deprecated(&arguments.target)?;
    let package = &arguments.target.package;
    arguments.edit.run(
        context,
        |editor| editor.change(package, |draft| draft.deprecate(&what, &arguments.message)),
        |(), report| {
            let words = report.words("is deprecated", "would be deprecated");
            report.printer.status(format_args!("{} {words}", arguments.target));
        },
    )
}

pub(crate) fn take_back(arguments: &UndeprecateArguments, context: &Context<'_>) -> CommandResult {
    let what = deprecated(&arguments.target)?;
    let package = &arguments.target.package;
    arguments.edit.run(
        context,
        |editor| editor.change(package, |draft| draft.undeprecate(&what)),
        |known, report| {
            let target = &arguments.target;
            if *known {
                let words = report.words("is no longer deprecated", "would no longer be deprecated");
                report.printer.status(format_args!("{target} {words}"));
            } else {
                report.printer.warning(format_args!("{target} was not deprecated"));
            }
        },
    )
}

/// Parses a message. User interfaces show an empty message as a warning without a reason.
fn message(text: &str) -> Result<String, &'static str> {
    if text.trim().is_empty() {
        return Err("the message is empty; specify a reason and a replacement");
    }
    Ok(text.to_owned())
}

fn deprecated(target: &TargetArgument) -> Result<Deprecated, CommandError> {
    Ok(match (&target.channel, &target.bundle) {
        (None, None) => Deprecated::Package,
        (Some(channel), None) => Deprecated::Channel(channel.clone()),
        (None, Some(bundle)) => Deprecated::Bundle(bundle.clone()),
        (Some(_), Some(_)) => {
            let error = CommandError::usage("a bundle can only be deprecated in all of its channels at once");
            return Err(error.hint("specify the bundle as PACKAGE@BUNDLE"));
        }
    })
}
