//! `opmx bundle unpack`: writing the files of a bundle image to a folder.

use super::output_folder::require_unmixed;
use crate::cli::arguments::{LimitArguments, RegistryArguments};
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::cli::values::{filled, output};
use crate::cli::{Context, sources};
use crate::terminal::counted;
use crate::tree::Tree;
use crate::{bundle, diagnostic, validation};
use clap::Args;
use std::path::{Path, PathBuf};

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
    #[arg(value_name = "REF", value_parser = filled())]
    bundle: String,
    /// Folder for manifests/ and metadata/; created if absent
    ///
    /// Files of the same names are overwritten. It is an error if manifests/, metadata/ or another folder of the bundle
    /// already contains other files.
    #[arg(short, long, value_name = "DIR", default_value = ".", value_parser = output())]
    out: PathBuf,
    /// Write the files even if the bundle has errors
    #[arg(long)]
    skip_validation: bool,
    /// Same as --ca-file, for compatibility with opm
    #[arg(short = 'c', long, hide = true, value_name = "FILE")]
    root_ca: Option<PathBuf>,
    /// Same as --use-http, for compatibility with opm
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
    let Some(tree) = valid_files(arguments, context)? else {
        return Ok(Status::Failure);
    };
    let out = &arguments.out;
    require_unmixed(&tree, out)?;
    write(&tree, out, context)
}

/// Runs the command as `opm alpha bundle unpack`, which leaves other files in the folder.
pub(crate) fn run_as_opm(arguments: &UnpackArguments, context: &Context<'_>) -> CommandResult {
    match valid_files(arguments, context)? {
        Some(tree) => write(&tree, &arguments.out, context),
        None => Ok(Status::Failure),
    }
}

/// Returns the files of the bundle, or `None` if the bundle has errors, which are reported.
fn valid_files(arguments: &UnpackArguments, context: &Context<'_>) -> Result<Option<Tree>, CommandError> {
    let mut registry = arguments.registry.clone();
    let connection = &mut registry.connection;
    connection.use_http |= arguments.skip_tls;
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
            return Ok(None);
        }
    }
    Ok(Some(tree))
}

fn write(tree: &Tree, out: &Path, context: &Context<'_>) -> CommandResult {
    tree.write_to(out)?;
    let (files, out) = (counted(tree.len(), "file"), out.display());
    context.printer.status(format_args!("wrote {files} to {out}"));
    Ok(Status::Success)
}
