//! `opmx permissions diff`: what an upgrade asks for in addition.

use super::{InstallerArguments, needs, table};
use crate::cli::Context;
use crate::cli::arguments::OutputArguments;
use crate::cli::error::{CommandResult, Status};
use crate::install::permissions::{approved, pending};
use crate::terminal::Format;
use clap::Args;
use serde_json::json;

const EXAMPLES: &str = "\
Examples:
  Does the new version ask for more?
  $ opmx permissions diff registry.example.com/etcd-bundle:v0.9.2 etcd

  For a program
  $ opmx permissions diff etcd-0.9.2 etcd-0.9.4 -o json";

/// Show what an upgrade needs that the version before was not approved for
///
/// What NEW needs is compared with what OLD needs, and with what the service account holds where one is named. The exit
/// status is 1 where something is left, because somebody has to approve the upgrade then; a version that needs less
/// asks for nothing.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct DiffArguments {
    /// The bundle that is installed: a folder, HOST/NAME:TAG, oci:DIR:TAG or oci-archive:FILE:TAG; with --index its name
    #[arg(value_name = "OLD")]
    old: String,
    /// The bundle that it is upgraded to
    #[arg(value_name = "NEW")]
    new: String,
    #[command(flatten)]
    installer: InstallerArguments,
    #[command(flatten)]
    output: OutputArguments,
}

pub(super) fn run(arguments: &DiffArguments, context: &Context<'_>) -> CommandResult {
    let install = &arguments.installer.install;
    let state = install.state(context)?;
    let read = |name: &str| install.content(name, context);
    let (Some(old), Some(new)) = (read(&arguments.old)?, read(&arguments.new)?) else {
        return Ok(Status::Failure);
    };
    let namespace = install.namespace(&state);
    let (_, held) = arguments.installer.held(&state, &new.name, context);
    let held = approved(&needs(&old, namespace, &state)?, held);
    let added = pending(&needs(&new, namespace, &state)?, &held);
    match arguments.output.output {
        Format::Text if added.is_empty() => {
            context.printer.line(format!(
                "{} needs nothing that {} was not approved for",
                new.name, old.name
            ))?;
        }
        Format::Text => {
            context
                .printer
                .line(format!("{} needs in addition to {}:", new.name, old.name))?;
            table(&added, context)?;
        }
        format => {
            let answer = json!({"old": old.name, "new": new.name, "permissions": added});
            context.printer.document(format, &answer)?;
        }
    }
    Ok(if added.is_empty() {
        Status::Success
    } else {
        Status::Failure
    })
}
