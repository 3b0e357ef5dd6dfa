//! `opmx catalog rm`: packages, channels and bundles out of a catalog.

use super::edit::{self, EditArguments, Opened};
use super::target::TargetArgument;
use crate::catalog::file_based::draft::{Removal, Target};
use crate::catalog::file_based::edit::CatalogEditError;
use crate::catalog::file_based::edit::template::TemplateEditor;
use crate::catalog::file_based::template::Kind;
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
  $ opmx catalog rm catalog etcd

  An image, out of a list of a semver template
  $ opmx catalog rm template.yaml stable=registry.example.com/etcd-bundle:v0.9.2";

/// Remove packages, channels or bundles from a catalog
///
/// An entry that replaced a removed bundle takes over what the bundle replaced and skipped, its skipRange included, and skips
/// the bundle itself: every channel keeps one head, and clusters that run the bundle still get there. Clusters that run a
/// removed head stay on it, which is a warning. Channels that become empty are removed, and so are bundles that are in no
/// channel any more, and deprecations of what was removed.
///
/// In a basic template, bundles are named by the field "name" of their entries. In a semver template, a target is an image:
/// IMAGE, or LIST=IMAGE for one of the lists candidate, fast and stable.
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

/// What went from a package, or from lists of a semver template.
enum Removed {
    Package(String, Removal),
    Image(String, Vec<String>),
}

/// Takes images out of a semver template: IMAGE, or LIST=IMAGE.
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
        |(removals, lost), printer| {
            for removed in removals {
                match removed {
                    Removed::Package(package, removal) => edit::removed(package, removal, printer),
                    Removed::Image(image, lists) => {
                        printer.status(format_args!("removed {image} from {}", lists.join(", ")));
                    }
                }
            }
            removals::report_lost(lost, "catalog", printer);
        },
    )
}
