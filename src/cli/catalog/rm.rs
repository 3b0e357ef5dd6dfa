//! `opmx catalog rm`: packages, channels and bundles out of a catalog.

use super::edit::{self, EditArguments};
use super::target::TargetArgument;
use crate::catalog::file_based::draft::{Removal, Target};
use crate::cli::Context;
use crate::cli::error::CommandResult;
use clap::Args;
use std::collections::BTreeMap;

const EXAMPLES: &str = "\
Examples:
  A version, out of all channels
  $ opmx catalog rm catalog etcd@0.9.2

  Out of one channel, by the name of the bundle
  $ opmx catalog rm catalog etcd:alpha@etcdoperator.v0.9.2

  The default channel
  $ opmx catalog rm catalog etcd:alpha --default-channel stable

  A package
  $ opmx catalog rm catalog etcd";

/// Take packages, channels or bundles out of a catalog
///
/// What replaced a bundle takes over what it replaced and skipped, and skips it: every channel keeps one head, and the
/// clusters that run the bundle still get there. Clusters that run the head of a channel stay where they are when it goes,
/// which is said. Channels that become empty go, and so do bundles that are in no channel any more, and what is deprecated
/// of what went.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct RmArguments {
    #[command(flatten)]
    edit: EditArguments,
    /// What goes: PACKAGE, PACKAGE:CHANNEL, PACKAGE@BUNDLE or PACKAGE:CHANNEL@BUNDLE, with a bundle by version or name
    #[arg(required = true, value_name = "TARGET")]
    targets: Vec<TargetArgument>,
    /// Channel that takes the place of a default channel which goes
    #[arg(long, value_name = "CHANNEL")]
    default_channel: Option<String>,
}

pub(crate) fn run(arguments: &RmArguments, context: &Context<'_>) -> CommandResult {
    let mut packages: BTreeMap<&str, Vec<Target>> = BTreeMap::new();
    for target in &arguments.targets {
        packages.entry(&target.package).or_default().push(Target {
            channel: target.channel.clone(),
            bundle: target.bundle.clone(),
        });
    }
    arguments.edit.run(
        context,
        |editor| {
            let mut removals: Vec<(String, Removal)> = Vec::new();
            for (package, targets) in packages {
                let default_channel = arguments.default_channel.as_deref();
                let removal = editor.change(package, |draft| draft.remove(&targets, default_channel))?;
                removals.push((package.to_owned(), removal));
            }
            Ok(removals)
        },
        |removals, printer| {
            for (package, removal) in removals {
                edit::removed(package, removal, printer);
            }
        },
    )
}
