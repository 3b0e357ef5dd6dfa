//! `opmx catalog rm`: packages, channels and bundles out of a catalog.

use super::edit::{self, EditArguments};
use super::target::TargetArgument;
use crate::catalog::file_based::draft::{Removal, Target};
use crate::cli::error::CommandResult;
use crate::cli::{Context, removals};
use crate::index::curate::lost;
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

/// Remove packages, channels or bundles from a catalog
///
/// An entry that replaced a removed bundle takes over what the bundle replaced and skipped, and skips the bundle itself:
/// every channel keeps one head, and clusters that run the bundle still get there. Clusters that run a removed head stay on
/// it, which is a warning. Channels that become empty are removed, and so are bundles that are in no channel any more, and
/// deprecations of what was removed.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct RmArguments {
    #[command(flatten)]
    edit: EditArguments,
    /// What to remove: PACKAGE, PACKAGE:CHANNEL, PACKAGE@BUNDLE or PACKAGE:CHANNEL@BUNDLE, with a bundle by version or name
    #[arg(required = true, value_name = "TARGET")]
    targets: Vec<TargetArgument>,
    /// New default channel, if the current one is removed
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
            Ok((removals, lost(editor)))
        },
        |(removals, lost), printer| {
            for (package, removal) in removals {
                edit::removed(package, removal, printer);
            }
            removals::report_lost(lost, "catalog", printer);
        },
    )
}
