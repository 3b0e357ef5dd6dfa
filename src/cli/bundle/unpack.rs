//! `opmx bundle unpack`: writing the files of a bundle image to a folder.

use crate::cli::arguments::{LimitArguments, RegistryArguments};
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::cli::values::{filled, output};
use crate::cli::{Context, sources};
use crate::files::{self, FileError};
use crate::terminal::counted;
use crate::tree::Tree;
use crate::{bundle, diagnostic, validation};
use clap::Args;
use std::collections::BTreeSet;
use std::fs;
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
    files::finish_change(out)?;
    if let Some(file) = foreign_file(&tree, out)? {
        let error = CommandError::failure(format!("{} is not a file of the bundle", out.join(file).display()));
        return Err(error.hint("choose another folder, or remove the files of the other bundle"));
    }
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

/// Returns the path of a file that is in a folder of the bundle below `out`, but not in the bundle. Together with it,
/// the files of the bundle would be another bundle.
fn foreign_file(tree: &Tree, out: &Path) -> Result<Option<String>, FileError> {
    let folders = tree.iter().filter_map(|(path, _)| path.split_once('/'));
    let folders: BTreeSet<&str> = folders.map(|(folder, _)| folder).collect();
    let mut pending: Vec<String> = folders.into_iter().map(str::to_owned).collect();
    while let Some(folder) = pending.pop() {
        let directory = out.join(&folder);
        // A link is refused when the files are written.
        if !fs::symlink_metadata(&directory).is_ok_and(|metadata| metadata.is_dir()) {
            continue;
        }
        let fail = |error| FileError::new("read", &directory, error);
        for entry in fs::read_dir(&directory).map_err(fail)? {
            let entry = entry.map_err(fail)?;
            let name = entry.file_name();
            let path = format!("{folder}/{}", name.to_string_lossy());
            if name.to_str().is_some() && entry.file_type().map_err(fail)?.is_dir() {
                pending.push(path);
            } else if tree.get(&path).is_none() {
                return Ok(Some(path));
            }
        }
    }
    Ok(None)
}
