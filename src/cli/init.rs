//! `opmx init`: the `olm.package` document of a new package in a file-based catalog.

use crate::catalog::file_based::Blob;
use crate::catalog::file_based::init::{InitError, NewPackage, package};
use crate::catalog::file_based::limits::CatalogLimits;
use crate::catalog::file_based::write::write;
use crate::cli::catalog_output::OutputLanguage;
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::cli::{Context, input};
use clap::Args;

const EXAMPLES: &str = "\
Examples:
  Start a catalog
  $ mkdir catalog
  $ opmx init etcd -c stable -d README.md -i logo.svg > catalog/etcd.json

  Write YAML
  $ opmx init etcd --default-channel stable -o yaml";

/// Print the olm.package document for a new package in a file-based catalog
///
/// The description is copied from a Markdown file. The type of the icon is detected from its content: PNG, JPEG, GIF,
/// WebP, SVG, TIFF, BMP and others that opm knows.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct InitArguments {
    /// Name of the package
    #[arg(value_name = "PACKAGE")]
    package: String,
    /// Default channel
    #[arg(
        short = 'c',
        long,
        value_name = "CHANNEL",
        default_value = "",
        hide_default_value = true
    )]
    default_channel: String,
    /// File that describes the operator, such as its README.md; - for standard input
    #[arg(short, long, value_name = "FILE")]
    description: Option<String>,
    /// File with the icon of the operator
    #[arg(short, long, value_name = "FILE")]
    icon: Option<String>,
    /// Language of the document
    #[arg(short, long, value_enum, value_name = "LANGUAGE", default_value_t)]
    output: OutputLanguage,
}

pub(crate) fn run(arguments: &InitArguments, context: &Context<'_>) -> CommandResult {
    let limit = CatalogLimits::default().document_bytes;
    let content = |name: &Option<String>| {
        name.as_deref()
            .map(|name| input::read(name, (limit, None), context))
            .transpose()
    };
    let description = match content(&arguments.description)? {
        Some((name, bytes)) => String::from_utf8(bytes)
            .map_err(|_| CommandError::failure(format!("{name} is not valid UTF-8, but a description must be text")))?,
        None => String::new(),
    };
    let icon = content(&arguments.icon)?;
    let new = NewPackage {
        name: &arguments.package,
        default_channel: &arguments.default_channel,
        description: &description,
        icon: icon.as_ref().map(|(_, data)| data.as_slice()),
    };
    let package = package(&new).map_err(|error| match (&error, &icon) {
        (InitError::Icon, Some((name, _))) => {
            CommandError::from(error).context(format!("cannot use {name} as the icon"))
        }
        _ => error.into(),
    })?;
    let mut document = Vec::new();
    write(&Blob::Package(package), arguments.output.into(), &mut document)?;
    context.printer.written(&String::from_utf8_lossy(&document))?;
    Ok(Status::Success)
}
