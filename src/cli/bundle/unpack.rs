//! `opmx bundle unpack`: writing the files of a bundle image to a folder.

use crate::cli::arguments::{LimitArguments, RegistryArguments};
use crate::cli::error::{CommandResult, Status};
use crate::cli::{Context, sources};
use crate::terminal::counted;
use crate::{bundle, diagnostic, validation};
use clap::Args;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  Unpack into the folder etcd
  $ opmx bundle unpack registry.example.com/etcd-bundle:v0.9.4 -o etcd

  Unpack an archive without validation
  $ opmx bundle unpack oci-archive:etcd.tar -o etcd --skip-validation";

/// Write the files of a bundle image to a folder
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct UnpackArguments {
    /// The bundle: HOST/NAME:TAG, oci:DIR:TAG, oci-archive:FILE:TAG, or a folder
    #[arg(value_name = "REF")]
    bundle: String,
    /// Folder for manifests/ and metadata/; created if absent
    #[arg(short, long, value_name = "DIR", default_value = ".")]
    out: PathBuf,
    /// Write the files even if the bundle has errors
    #[arg(long)]
    skip_validation: bool,
    /// Same as --ca-file, for compatibility with opm
    #[arg(short = 'c', long, hide = true, value_name = "FILE")]
    root_ca: Option<PathBuf>,
    /// Same as --skip-tls-verify, for compatibility with opm
    #[arg(short = 's', hide = true)]
    skip_tls: bool,
    /// Ignored, for compatibility with opm
    #[arg(short = 'd', hide = true)]
    debugging: bool,
    #[command(flatten)]
    registry: RegistryArguments,
    #[command(flatten)]
    limits: LimitArguments,
}

pub(crate) fn run(arguments: &UnpackArguments, context: &Context<'_>) -> CommandResult {
    let mut registry = arguments.registry.clone();
    registry.connection.skip_tls_verify |= arguments.skip_tls;
    let connection = &mut registry.connection;
    connection.ca_file = connection.ca_file.take().or_else(|| arguments.root_ca.clone());
    let tree = sources::bundle_files(&arguments.bundle, &registry, &arguments.limits, context)?;
    if !arguments.skip_validation {
        let reading = bundle::read(&tree, &arguments.limits.text());
        let findings = validation::check_reading(&reading);
        context.printer.report(&findings);
        if diagnostic::has_errors(&findings) {
            context.printer.error("the bundle has errors, so nothing was written");
            context
                .printer
                .detail("hint", "use --skip-validation to write the files despite the errors");
            return Ok(Status::Failure);
        }
    }
    tree.write_to(&arguments.out)?;
    let out = arguments.out.display();
    context
        .printer
        .status(format_args!("wrote {} to {out}", counted(tree.len(), "file")));
    Ok(Status::Success)
}
