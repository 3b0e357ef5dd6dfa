//! `opmx catalog rm`: removing packages, channels and bundles from a catalog.

use super::edit::{self, EditArguments, Opened};
use super::target::TargetArgument;
use crate::catalog::file_based::draft::{Removal, Target};
use crate::catalog::file_based::edit::CatalogEditError;
use crate::catalog::file_based::edit::template::TemplateEditor;
use crate::catalog::file_based::template::Kind;
use crate::cli::error::CommandResult;
use crate::cli::values::name;
use crate::cli::{Context, removals};
use crate::index::curate::lost;
use clap::Args;
use std::collections::BTreeMap;

const EXAMPLES: &str = "\
Examples:
  Remove a version from all channels
  $ opmx catalog rm catalog etcd@0.9.2

  Remove a bundle from one channel, by name
  $ opmx catalog rm catalog etcd:alpha@etcdoperator.v0.9.2

  Remove the default channel
  $ opmx catalog rm catalog etcd:alpha --default-channel stable

  Remove a package
  $ opmx catalog rm catalog etcd

  Remove an image from a list of a semver template
  $ opmx catalog rm template.yaml stable=registry.example.com/etcd-bundle:v0.9.2";

/// Remove packages, channels or bundles from a catalog
///
/// An entry that replaced a removed bundle takes over the replaces, skips and skipRange of that bundle, and skips the
/// bundle itself. Therefore every channel keeps one head, and clusters that run a removed bundle still get updates.
/// Clusters that run a removed head stay on it; a warning reports this. Empty channels, bundles that are no longer in
/// any channel, and deprecations of removed items are also removed.
///
/// In a basic template, bundles are identified by the field "name" of their entries. In a semver template, a target is
/// an image: IMAGE, or LIST=IMAGE for one of the lists candidate, fast and stable.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct RmArguments {
    #[command(flatten)]
    edit: EditArguments,
    /// Targets to remove: PACKAGE, PACKAGE:CHANNEL, PACKAGE@BUNDLE or PACKAGE:CHANNEL@BUNDLE; BUNDLE is the version or
    /// name of a bundle, in a basic template only the name
    #[arg(required = true, value_name = "TARGET")]
    targets: Vec<TargetArgument>,
    /// New default channel, if the current default channel is removed
    #[arg(long, value_name = "CHANNEL", value_parser = name)]
    default_channel: Option<String>,
}

/// The removed parts of a package, or an image that was removed from lists of a semver template.
enum Removed {
    Package(String, Removal),
    Image(String, Vec<String>),
}

/// Removes images from a semver template. The targets have the form `IMAGE` or `LIST=IMAGE`.
fn images(template: &mut TemplateEditor, targets: &[TargetArgument]) -> Result<Vec<Removed>, CatalogEditError> {
    let mut removed = Vec::new();
    for target in targets {
        let target = target.to_string();
        let (list, image) = match target.split_once('=') {
            Some((list, image)) => (Some(list), image),
            None => (None, target.as_str()),
        };
        let lists = template.remove_image(image, list)?;
        removed.push(Removed::Image(image.to_owned(), lists));
    }
    Ok(removed)
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
            if let Opened::Template(template) = editor
                && template.kind() == Kind::Semver
            {
                return Ok((images(template, &arguments.targets)?, Vec::new()));
            }
            let mut removals = Vec::new();
            for (package, targets) in packages {
                let default_channel = arguments.default_channel.as_deref();
                let removal = editor.change(package, |draft| draft.remove(&targets, default_channel))?;
                removals.push(Removed::Package(package.to_owned(), removal));
            }
            let lost = editor.catalog().map_or_else(|_| Vec::new(), |editor| lost(editor));
            Ok((removals, lost))
        },
        |(removals, lost), report| {
            for removed in removals {
                match removed {
                    Removed::Package(package, removal) => edit::removed(package, removal, report),
                    Removed::Image(image, lists) => {
                        let removed = report.words("removed", "would remove");
                        let lists = lists.join(", ");
                        report.printer.status(format_args!("{removed} {image} from {lists}"));
                    }
                }
            }
            removals::report_lost(lost, "catalog", report.printer);
        },
    )
}
