//! `opmx catalog prune`: a part of a catalog.

use super::edit::{self, EditArguments};
use crate::catalog::file_based::draft::{Part, Removal, Target, Versions};
use crate::cli::Context;
use crate::cli::error::{CommandError, CommandResult};
use crate::version::{VersionRange, parse_strict};
use clap::Args;
use semver::Version;
use std::collections::BTreeSet;
use std::str::FromStr;

const EXAMPLES: &str = "\
Examples:
  Two packages, one of them with one channel
  $ opmx catalog prune catalog -p etcd -p prometheus=stable

  The versions from 1.4.0 on
  $ opmx catalog prune catalog -p 'etcd@>=1.4.0'

  Only the heads of the channels
  $ opmx catalog prune catalog -p etcd@heads

  What a cluster needs that runs 1.2.0
  $ opmx catalog prune catalog -p etcd=stable --from 1.2.0";

/// Keep a part of a catalog, and remove the rest
///
/// Packages that are not named are removed. If a channel keeps some of its versions, the bundles between them stay as far as
/// the channel needs them to hold together, and are named. The lowest bundle that a channel keeps still names what it
/// replaces and skips. Bundles that are in no channel any more and deprecations of what was removed are removed, too.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct PruneArguments {
    #[command(flatten)]
    edit: EditArguments,
    /// What to keep: PACKAGE or PACKAGE=CHANNEL,CHANNEL, followed by the versions to keep: @heads, @all or a range such as
    /// @>=1.2.0; may be given several times
    #[arg(short, long = "package", required = true, value_name = "PART")]
    parts: Vec<PartArgument>,
    /// Keep what leads a cluster from this version to the heads of the channels, by the shortest way
    #[arg(long, value_name = "VERSION", value_parser = parse_strict)]
    from: Option<Version>,
    /// New default channel, if the current one is removed
    #[arg(long, value_name = "CHANNEL")]
    default_channel: Option<String>,
}

/// A package, and what of it stays.
#[derive(Debug, Clone)]
struct PartArgument {
    package: String,
    part: Part,
}

impl FromStr for PartArgument {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (names, versions) = match text.split_once('@') {
            Some((names, versions)) => (names, Some(versions)),
            None => (text, None),
        };
        let (package, channels) = match names.split_once('=') {
            Some((package, channels)) => (package, channels.split(',').map(str::to_owned).collect()),
            None => (names, Vec::new()),
        };
        if package.is_empty() || channels.iter().any(String::is_empty) {
            return Err("expected PACKAGE, PACKAGE=CHANNEL, PACKAGE@heads or PACKAGE@RANGE".to_owned());
        }
        let versions = match versions {
            None | Some("all") => Versions::All,
            Some("heads") => Versions::Head,
            Some(range) => Versions::In(VersionRange::parse(range).map_err(|error| error.to_string())?),
        };
        Ok(Self {
            package: package.to_owned(),
            part: Part {
                channels,
                versions,
                from: None,
            },
        })
    }
}

/// What happened to a package: what went, and what stays only because other bundles need it.
type Pruned = (String, Removal, Vec<(String, String)>);

pub(crate) fn run(arguments: &PruneArguments, context: &Context<'_>) -> CommandResult {
    let mut named = BTreeSet::new();
    if let Some(twice) = arguments.parts.iter().find(|argument| !named.insert(&argument.package)) {
        let error = CommandError::usage(format!("package {} is named twice", twice.package));
        return Err(error.hint("name all of its channels behind one --package, with commas between them"));
    }
    arguments.edit.run(
        context,
        |opened| {
            let editor = opened.catalog()?;
            let mut pruned: Vec<Pruned> = Vec::new();
            for argument in &arguments.parts {
                let part = Part {
                    from: arguments.from.clone(),
                    ..argument.part.clone()
                };
                let default_channel = arguments.default_channel.as_deref();
                let (removal, between) =
                    editor.change(&argument.package, |draft| draft.prune(&part, default_channel))?;
                pruned.push((argument.package.clone(), removal, between));
            }
            let is_named = |name: &&str| arguments.parts.iter().any(|argument| argument.package == *name);
            let others: Vec<String> = editor
                .packages()
                .into_iter()
                .filter(|name| !is_named(name))
                .map(str::to_owned)
                .collect();
            for package in others {
                let removal = editor.change(&package, |draft| draft.remove(&[Target::default()], None))?;
                pruned.push((package, removal, Vec::new()));
            }
            Ok(pruned)
        },
        |pruned, printer| {
            for (package, removal, between) in pruned {
                edit::removed(package, removal, printer);
                for (bundle, channel) in between {
                    printer.status(format_args!(
                        "bundle {bundle} stays in channel {channel} of package {package}, to hold it together"
                    ));
                }
            }
        },
    )
}
