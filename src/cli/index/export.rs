//! `opmx index export`: the packages of an index as folders of manifests.

use crate::cli::arguments::{ContainerToolArgument, DatabaseLimitArguments, LimitArguments, RegistryArguments};
use crate::cli::error::{CommandResult, Status};
use crate::cli::{Context, sources};
use crate::index::export::{ExportError, ExportOptions, export};
use crate::terminal::counted;
use clap::Args;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  One package, into the folder downloaded
  $ opmx index export -i registry.example.com/index:v1 -p etcd

  All packages of a database file
  $ opmx index export -i index.db -f manifests

  One package of a file-based catalog
  $ opmx index export -i catalog -p etcd";

/// Write the packages of an index as package manifests
///
/// The layout from before bundle images: PACKAGE/VERSION/*.yaml and PACKAGE/package.yaml. A k8s+v1 bundle is written
/// as its synthesized ClusterServiceVersion and the objects beside it. The packages appear when all are complete. What
/// the index knows of a bundle and no manifest says, such as a dependency on a package, is named by a warning.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ExportArguments {
    /// The index: HOST/NAME:TAG, oci:DIR:TAG, oci-archive:FILE:TAG, a database file, or the folder of a file-based
    /// catalog
    #[arg(short, long, value_name = "REF|FILE|DIR")]
    index: String,
    /// Packages, separated by commas; all where none is named
    #[arg(short, long, value_name = "PACKAGES", value_delimiter = ',')]
    package: Vec<String>,
    /// Folder for the packages; those that it holds already are not touched
    #[arg(short = 'f', long, value_name = "DIR", default_value = "downloaded")]
    download_folder: PathBuf,
    #[command(flatten)]
    registry: RegistryArguments,
    #[command(flatten)]
    limits: LimitArguments,
    #[command(flatten)]
    database: DatabaseLimitArguments,
    #[command(flatten)]
    tools: ContainerToolArgument,
}

/// How many bundle images are fetched at once.
const PARALLEL: usize = 4;

pub(crate) fn run(arguments: &ExportArguments, context: &Context<'_>) -> CommandResult {
    let printer = &context.printer;
    arguments.tools.answer(printer);
    let limits = arguments.limits.index(&arguments.database, &arguments.registry);
    let opened = sources::open_catalog(&arguments.index, &arguments.registry, limits, context)?;
    let transports = arguments.registry.transports(context);
    let options = ExportOptions {
        packages: arguments.package.clone(),
        limits: arguments.limits.bundle(),
        parallel: PARALLEL,
    };
    let exporting = export(&opened, &arguments.download_folder, &transports, &options);
    match context.runtime.block_on(exporting) {
        Ok(packages) => {
            for package in packages {
                let bundles = counted(package.bundles, "bundle");
                let (name, folder) = (&package.name, package.folder.display());
                printer.status(format_args!("wrote {bundles} of {name} to {folder}"));
                for lost in package.lost {
                    printer.warning(format_args!(
                        "package manifests have no place for a {} of {}: {} {}",
                        lost.what, lost.bundle, lost.kind, lost.value
                    ));
                }
            }
            Ok(Status::Success)
        }
        Err(error) => {
            if let ExportError::Findings { diagnostics, .. } = &error {
                printer.report(diagnostics);
            }
            Err(error.into())
        }
    }
}
