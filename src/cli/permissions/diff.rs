//! `opmx permissions diff`: what an upgrade asks for in addition.

use super::{InstallerArguments, needs};
use crate::catalog::published::published;
use crate::cli::arguments::OutputArguments;
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::cli::{Context, sources};
use crate::index::open::Index;
use crate::install::content::{self, ContentError};
use crate::install::permissions::{approved, pending};
use crate::steps::Content;
use crate::terminal::{self, Format};
use clap::Args;
use serde_json::json;

const EXAMPLES: &str = "\
Examples:
  Does the new version ask for more?
  $ opmx permissions diff registry.example.com/etcd-bundle:v0.9.2 etcd

  More than all that was approved on the way?
  $ opmx permissions diff etcd-0.9.0 etcd-0.9.2 etcd-0.9.4

  Before publishing: more than the head of the package in the index?
  $ opmx permissions diff etcd --index registry.example.com/index:v1 --package etcd

  For a program
  $ opmx permissions diff etcd-0.9.2 etcd-0.9.4 -o json";

/// Show what an upgrade needs that the versions before were not approved for
///
/// What NEW needs is compared with all that the OLD ones need together, and with what the service account holds where
/// one is named. The exit status is 3 where something is left, because somebody has to approve the upgrade then; a
/// version that needs less asks for nothing.
///
/// With --package the head of the package in the index is one of the OLD ones, others are bundles of the index, and NEW
/// is a folder or an image.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct DiffArguments {
    /// The bundles that were approved, then the one that is upgraded to
    ///
    /// Each is a folder, HOST/NAME:TAG, oci:DIR:TAG or oci-archive:FILE:TAG; with --index its name.
    #[arg(value_name = "OLD... NEW", required = true, num_args = 1..)]
    bundles: Vec<String>,
    /// Package of the index whose published head was approved
    #[arg(long, value_name = "NAME", requires = "index")]
    package: Option<String>,
    /// Channel that the head is taken from; without it the default channel
    #[arg(long, value_name = "NAME", requires = "package")]
    channel: Option<String>,
    #[command(flatten)]
    installer: InstallerArguments,
    #[command(flatten)]
    output: OutputArguments,
}

pub(super) fn run(arguments: &DiffArguments, context: &Context<'_>) -> CommandResult {
    let install = &arguments.installer.install;
    let state = install.state(context)?;
    let Some((olds, new)) = contents(arguments, context)? else {
        return Ok(Status::Failure);
    };
    let namespace = install.namespace(&state);
    let (_, mut held) = arguments.installer.held(&state, &new.name, context);
    let olm = arguments.installer.olm.announced(context);
    for old in &olds {
        held = approved(&needs(old, namespace, &state, olm)?, held);
    }
    let added = pending(&needs(&new, namespace, &state, olm)?, &held)?;
    let names: Vec<&str> = olds.iter().map(|old| old.name.as_str()).collect();
    let before = match &names[..] {
        [rest @ .., last] if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        names => names.concat(),
    };
    match arguments.output.output {
        Format::Text if added.is_empty() => {
            let (were, new) = (if names.len() == 1 { "was" } else { "were" }, &new.name);
            context
                .printer
                .line(format!("{new} needs nothing that {before} {were} not approved for"))?;
        }
        Format::Text => {
            context
                .printer
                .line(format!("{} needs in addition to {before}:", new.name))?;
            terminal::permissions::permissions(&context.printer, &added)?;
        }
        format => {
            let answer = json!({
                "old": names.last(), "approved": names, "new": new.name, "permissions": added,
            });
            context.printer.document(format, &answer)?;
        }
    }
    Ok(Status::of_answer(added.is_empty()))
}

/// What was approved, and what is upgraded to. `None` where a bundle has errors; they have been reported.
fn contents(arguments: &DiffArguments, context: &Context<'_>) -> Result<Option<(Vec<Content>, Content)>, CommandError> {
    let install = &arguments.installer.install;
    let Some((new, olds)) = arguments.bundles.split_last() else {
        return Err(CommandError::usage("name the bundle that is upgraded to"));
    };
    let mut found = Vec::new();
    let new = match (&arguments.package, &install.index) {
        (Some(package), Some(index)) => {
            let opened = sources::open_catalog(index, &install.registry, install.index_limits(), context)?;
            let catalog = opened.catalog()?;
            let head = published(&catalog, package, arguments.channel.as_deref());
            let head = head?;
            for name in olds.iter().map(String::as_str).filter(|old| *old != head).chain([head]) {
                found.push(of_index(&opened, name, arguments, context)?);
            }
            install.content_at(new, context)?
        }
        _ if olds.is_empty() => {
            let usage =
                CommandError::usage("there is nothing to compare with: name the bundle that was approved before");
            return Err(usage.hint("--index INDEX --package NAME takes the published one"));
        }
        _ => {
            for old in olds {
                found.push(install.content(old, context)?);
            }
            install.content(new, context)?
        }
    };
    let found: Option<Vec<Content>> = found.into_iter().collect();
    Ok(found.zip(new))
}

/// A bundle of an index, from its image where the index holds no manifests of it.
fn of_index(
    opened: &Index,
    name: &str,
    arguments: &DiffArguments,
    context: &Context<'_>,
) -> Result<Option<Content>, CommandError> {
    match content::of_index(opened, name) {
        Err(ContentError::NoCsv { image, .. }) if !image.is_empty() => {
            arguments.installer.install.content_at(&image, context)
        }
        read => Ok(Some(read?)),
    }
}
