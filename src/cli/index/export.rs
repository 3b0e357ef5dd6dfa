//! `opmx index export`: writing the packages of an index as folders of manifests.

use crate::cli::additions::PARALLEL;
use crate::cli::arguments::{ContainerToolArgument, DatabaseLimitArguments, LimitArguments, RegistryArguments};
use crate::cli::error::{CommandResult, Status};
use crate::cli::values::{filled, name, output};
use crate::cli::{Context, containment, sources};
use crate::index::export::{ExportError, ExportOptions, export};
use crate::terminal::counted;
use clap::Args;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  Export one package to the folder downloaded
  $ opmx index export -i registry.example.com/index:v1 -p etcd

  Export all packages of a database file
  $ opmx index export -i index.db -f manifests

  Export one package of a file-based catalog
  $ opmx index export -i catalog -p etcd";

/// Write the packages of an index as package manifests
///
/// Package manifests are the predecessor of bundle images: PACKAGE/VERSION/*.yaml and PACKAGE/package.yaml. A k8s+v1
/// bundle is written as its synthesized ClusterServiceVersion and the accompanying objects. The packages appear in the
/// folder only when all of them are complete. Warnings report information in the index that manifests cannot express,
/// such as a dependency on a package.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ExportArguments {
    /// The index: HOST/NAME:TAG, oci:DIR:TAG, oci-archive:FILE:TAG, a database file, or the folder of a file-based
    /// catalog
    #[arg(short, long, value_name = "REF|FILE|DIR", value_parser = filled())]
    index: String,
    /// Packages to export, separated by commas [default: all]
    #[arg(short, long, value_name = "PACKAGES", value_delimiter = ',', value_parser = name)]
    package: Vec<String>,
    /// Folder for the packages; it is an error if it already contains one of them, and nothing is written
    #[arg(short = 'f', long, value_name = "DIR", default_value = "downloaded", value_parser = output())]
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

pub(crate) fn run(arguments: &ExportArguments, context: &Context<'_>) -> CommandResult {
    let printer = &context.printer;
    arguments.tools.answer(printer);
    containment::require_outside(&arguments.download_folder, Path::new(&arguments.index))?;
    let limits = arguments.limits.index(&arguments.database, &arguments.registry);
    let opened = sources::open_catalog(&arguments.index, &arguments.registry, limits, context)?;
    let transports = arguments.registry.transports(context);
    let options = ExportOptions {
        packages: arguments.package.clone(),
        limits: arguments.limits.bundle(),
        parallel: PARALLEL,
    };
    let exporting = export(opened, &arguments.download_folder, &transports, &options);
    match context.runtime.block_on(exporting) {
        Ok(packages) => {
            for package in packages {
                let bundles = counted(package.bundles, "bundle");
                let (name, folder) = (&package.name, package.folder.display());
                printer.status(format_args!("wrote {bundles} of {name} to {folder}"));
                for lost in package.lost {
                    printer.warning(format_args!(
                        "package manifests have no field for a {} of {}: {} {}",
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
