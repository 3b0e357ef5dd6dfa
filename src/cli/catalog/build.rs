//! `opmx catalog build`: the image of a file-based catalog.

use crate::cli::arguments::{CatalogLimitArguments, RegistryArguments, label};
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::cli::index::publication::ServerArguments;
use crate::cli::strictness::{self, StrictnessArguments};
use crate::cli::{Context, environment};
use crate::image::{Platform, Reference};
use crate::index::catalog_image::{CatalogImageError, CatalogImageOptions, CatalogServer, build};
use crate::index::program::platforms;
use clap::Args;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  Build and push an image that serves the catalog
  $ opmx catalog build catalog -t registry.example.com/catalog:v1

  For two platforms
  $ opmx catalog build catalog -t registry.example.com/catalog:v1 \\
      --binary linux/arm64=opmx-arm64

  On the image of opm, whose program then serves it
  $ opmx catalog build catalog -t registry.example.com/catalog:v1 \\
      --binary-image registry.example.com/opm:v1.47 --all-platforms

  Only the catalog, for OLM and catalogd to take out of the image
  $ opmx catalog build catalog -t oci:layout:v1 --no-binary";

/// Build the image of a file-based catalog, with no container daemon
///
/// The catalog is validated first; one with errors is not built. The image holds the files of the catalog in /configs,
/// without those that .indexignore excludes, and opmx to serve them, also under the names that OLM calls: opm and
/// grpc_health_probe. It runs as any user, on a root file system that cannot be written. No cache is written into the
/// image: opmx needs none, and a CatalogSource with extractContent has to leave out cacheDir.
///
/// The same catalog gives the same digest, whenever and wherever it is built. The reference with that digest is printed.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct BuildArguments {
    /// Folder of the catalog
    #[arg(value_name = "DIR")]
    catalog: PathBuf,
    /// Where the image goes: HOST/NAME:TAG, oci:DIR:TAG or oci-archive:FILE:TAG
    #[arg(short, long, value_name = "REF")]
    tag: String,
    #[command(flatten)]
    server: ServerArguments,
    /// Put no program into the image
    ///
    /// Readers take the catalog out of it: catalogd, and OLM where the CatalogSource has
    /// grpcPodConfig.extractContent.catalogDir: /configs.
    #[arg(long, conflicts_with_all = ["binary_image", "binaries"])]
    no_binary: bool,
    /// Set this label, in addition to the one that says where the catalog is; may be given several times
    #[arg(long = "label", value_name = "KEY=VALUE", value_parser = label)]
    labels: Vec<(String, String)>,
    #[command(flatten)]
    strictness: StrictnessArguments,
    #[command(flatten)]
    registry: RegistryArguments,
    #[command(flatten)]
    limits: CatalogLimitArguments,
}

impl BuildArguments {
    fn server(&self) -> Result<CatalogServer, CommandError> {
        Ok(match (self.no_binary, self.server.all_platforms()) {
            (false, _) => CatalogServer::Program(self.server.server()?),
            (true, false) => CatalogServer::Absent(vec![self.registry.platform.clone()]),
            (true, true) => CatalogServer::Absent(platforms()),
        })
    }
}

pub(crate) fn run(arguments: &BuildArguments, context: &Context<'_>) -> CommandResult {
    let printer = &context.printer;
    let to: Reference = arguments.tag.parse()?;
    let strictness = arguments.strictness.strictness();
    let options = CatalogImageOptions {
        server: arguments.server()?,
        labels: arguments.labels.iter().cloned().collect(),
        limits: arguments.limits.catalog(),
        strictness: &strictness,
        epoch: environment::epoch()?,
    };
    let transports = arguments.registry.transports(context);
    let built = build(&arguments.catalog, &to, &transports, &options);
    match context.runtime.block_on(built) {
        Ok(image) => {
            strictness::warn(&image.findings, printer);
            let platforms: Vec<_> = image.platforms.iter().map(Platform::to_string).collect();
            printer.status(format_args!("built for {}", platforms.join(", ")));
            printer.line(image.pinned.to_string())?;
            Ok(Status::Success)
        }
        Err(error) => {
            if let CatalogImageError::Findings { findings, .. } = &error {
                printer.report(findings);
                printer.error(&error);
                return Ok(Status::Failure);
            }
            Err(error.into())
        }
    }
}
