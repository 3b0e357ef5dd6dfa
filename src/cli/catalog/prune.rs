//! `opmx catalog prune`: keeping a part of a catalog.

use super::edit::{self, FolderEditArguments};
use crate::catalog::selection::part::{Versions, WrittenPart};
use crate::cli::error::CommandResult;
use crate::cli::following::{self, FollowArguments};
use crate::cli::parts::PartArguments;
use crate::cli::values::name;
use crate::cli::{Context, removals};
use crate::index::curate::{PruneRequest, PrunedPackage, prune};
use clap::Args;

const EXAMPLES: &str = "\
Examples:
  Keep two packages, one of them with a single channel
  $ opmx catalog prune catalog -p etcd -p prometheus=stable

  Keep 1.4.0 and higher versions
  $ opmx catalog prune catalog -p 'etcd@>=1.4.0'

  Keep only the heads of the channels
  $ opmx catalog prune catalog -p etcd@heads

  Keep the upgrade path of a cluster that runs 1.2.0
  $ opmx catalog prune catalog -p etcd=stable --from 1.2.0

  Keep a package and the packages that it requires
  $ opmx catalog prune catalog -p etcd --with-dependencies=required";

/// Keep part of a catalog, and remove the rest
///
/// Packages that are not specified are removed. A channel also keeps the bundles that are needed to connect its
/// specified versions; these additional bundles are reported. The lowest bundle of a channel keeps its replaces and
/// skips fields. Bundles that are no longer in any channel, and deprecations of removed items, are also removed. A
/// warning lists each requirement of a remaining bundle that is no longer satisfied; --with-dependencies keeps the
/// required packages.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct PruneArguments {
    #[command(flatten)]
    edit: FolderEditArguments,
    /// Part to keep: PACKAGE or PACKAGE=CHANNEL,CHANNEL, optionally followed by the versions: @heads, @all or a range
    /// such as @>=1.2.0; may be repeated
    #[arg(short, long = "package", required = true, value_name = "PART")]
    parts: Vec<WrittenPart>,
    #[command(flatten)]
    versions: PartArguments,
    /// New default channel, if the current default channel is removed
    #[arg(long, value_name = "CHANNEL", value_parser = name)]
    default_channel: Option<String>,
    #[command(flatten)]
    follow: FollowArguments,
}

pub(crate) fn run(arguments: &PruneArguments, context: &Context<'_>) -> CommandResult {
    let request = PruneRequest {
        parts: arguments
            .versions
            .parts(&arguments.parts, &Versions::default(), false)?,
        default_channel: arguments.default_channel.clone(),
        follow: arguments.follow.or_nothing(),
    };
    arguments.edit.run(
        context,
        |editor| prune(editor, &request),
        |pruned, report| {
            let printer = report.printer;
            for (package, PrunedPackage { removal, between }) in &pruned.packages {
                edit::removed(package, removal, report);
                for (bundle, channel) in between {
                    printer.status(format_args!(
                        "bundle {bundle} stays in channel {channel} of package {package} to keep the channel connected"
                    ));
                }
            }
            following::report(&pruned.needed, &pruned.unsatisfied, printer);
            removals::report_lost(&pruned.lost, "catalog", printer);
        },
    )
}
