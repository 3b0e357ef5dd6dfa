//! `opmx catalog prune`: a part of a catalog.

use super::edit::{self, EditArguments};
use crate::catalog::selection::part::{Part, RangeStyle, Versions, WrittenPart};
use crate::cli::error::{CommandError, CommandResult};
use crate::cli::following::{self, FollowArguments};
use crate::cli::{Context, removals};
use crate::index::curate::{PruneRequest, PrunedPackage, prune};
use crate::version::parse_strict;
use clap::{Args, ValueEnum};
use semver::Version;

const EXAMPLES: &str = "\
Examples:
  Two packages, one of them with one channel
  $ opmx catalog prune catalog -p etcd -p prometheus=stable

  The versions from 1.4.0 on
  $ opmx catalog prune catalog -p 'etcd@>=1.4.0'

  Only the heads of the channels
  $ opmx catalog prune catalog -p etcd@heads

  What a cluster needs that runs 1.2.0
  $ opmx catalog prune catalog -p etcd=stable --from 1.2.0

  A package, and the packages that it requires
  $ opmx catalog prune catalog -p etcd --with-dependencies=required";

/// Keep a part of a catalog, and remove the rest
///
/// Packages that are not named are removed. If a channel keeps some of its versions, the bundles between them stay as far as
/// the channel needs them to hold together, and are named. The lowest bundle that a channel keeps still names what it
/// replaces and skips. Bundles that are in no channel any more and deprecations of what was removed are removed, too. If a
/// bundle that stays requires what nothing provides any more, this is a warning; --with-dependencies keeps it.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct PruneArguments {
    #[command(flatten)]
    edit: EditArguments,
    /// What to keep: PACKAGE or PACKAGE=CHANNEL,CHANNEL, followed by the versions to keep: @heads, @all or a range such as
    /// @>=1.2.0; may be given several times
    #[arg(short, long = "package", required = true, value_name = "PART")]
    parts: Vec<WrittenPart>,
    /// How ranges of versions are written
    #[arg(long, value_enum, value_name = "STYLE", default_value_t)]
    range_style: StyleArgument,
    /// Keep what leads a cluster from this version to the heads of the channels, by the shortest way
    #[arg(long, value_name = "VERSION", value_parser = parse_strict)]
    from: Option<Version>,
    /// New default channel, if the current one is removed
    #[arg(long, value_name = "CHANNEL")]
    default_channel: Option<String>,
    #[command(flatten)]
    follow: FollowArguments,
}

/// How ranges of versions are written.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum StyleArgument {
    /// As OLM reads them: terms separated by blanks, and ||
    #[default]
    Olm,
    /// As image set configurations and Helm charts have them: also commas, ^ and ~
    Masterminds,
}

impl From<StyleArgument> for RangeStyle {
    fn from(style: StyleArgument) -> Self {
        match style {
            StyleArgument::Olm => Self::Olm,
            StyleArgument::Masterminds => Self::Masterminds,
        }
    }
}

pub(crate) fn run(arguments: &PruneArguments, context: &Context<'_>) -> CommandResult {
    let mut request = PruneRequest {
        default_channel: arguments.default_channel.clone(),
        follow: arguments.follow.or_nothing(),
        ..PruneRequest::default()
    };
    for WrittenPart {
        package,
        channels,
        versions,
    } in &arguments.parts
    {
        let versions = versions
            .as_ref()
            .map(|text| Versions::parse(text, arguments.range_style.into()));
        let versions = versions
            .transpose()
            .map_err(|reason| CommandError::usage(format!("the versions of package {package}: {reason}")))?;
        let part = Part {
            channels: channels.clone(),
            versions: versions.unwrap_or_default(),
            from: arguments.from.clone(),
        };
        if request.parts.insert(package.clone(), part).is_some() {
            let error = CommandError::usage(format!("package {package} is named twice"));
            return Err(error.hint("name all of its channels behind one --package, with commas between them"));
        }
    }
    arguments.edit.run(
        context,
        |opened| prune(opened.catalog()?, &request),
        |pruned, printer| {
            for (package, PrunedPackage { removal, between }) in &pruned.packages {
                edit::removed(package, removal, printer);
                for (bundle, channel) in between {
                    printer.status(format_args!(
                        "bundle {bundle} stays in channel {channel} of package {package}, to hold it together"
                    ));
                }
            }
            following::report(&pruned.needed, &pruned.unsatisfied, printer);
            removals::report_lost(&pruned.lost, "catalog", printer);
        },
    )
}
