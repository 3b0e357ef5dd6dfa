//! `opmx catalog build`: building the image of a file-based catalog.

use super::edit;
use crate::cli::arguments::{CatalogLimitArguments, RegistryArguments};
use crate::cli::containment;
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::cli::index::publication::{ServerArguments, warn_of_doubts};
use crate::cli::strictness::{self, StrictnessArguments};
use crate::cli::values::{self, label};
use crate::cli::{Context, environment, replaced};
use crate::image::{Platform, Reference};
use crate::index::catalog_image::{CatalogImageError, CatalogImageOptions, CatalogServer, build};
use crate::index::program::platforms;
use crate::olm::label::CONFIGS_LABEL;
use clap::Args;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  Build and push an image that serves the catalog
  $ opmx catalog build catalog -t registry.example.com/catalog:v1

  Build for two platforms
  $ opmx catalog build catalog -t registry.example.com/catalog:v1 \\
      --binary linux/arm64=opmx-arm64

  Build on the image of opm, whose program serves the catalog
  $ opmx catalog build catalog -t registry.example.com/catalog:v1 \\
      --binary-image registry.example.com/opm:v1.47 --all-platforms

  Include only the catalog, for extraction by OLM and catalogd
  $ opmx catalog build catalog -t oci:layout:v1 --no-binary";

/// Build the image of a file-based catalog, without a container daemon
///
/// The catalog is validated first; a catalog with errors is not built. The image contains the files of the catalog in
/// /configs, except those that .indexignore excludes. It also contains opmx, which serves the catalog; OLM calls it by
/// the names opm and grpc_health_probe. The image runs as any user, on a read-only root file system. It contains no
/// cache because opmx needs none; a CatalogSource with extractContent has to omit cacheDir.
///
/// Builds are reproducible: the same catalog always has the same digest. The reference with that digest is printed.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct BuildArguments {
    /// Folder or file of the catalog
    #[arg(value_name = "DIR|FILE")]
    catalog: PathBuf,
    /// Destination of the image: HOST/NAME:TAG, oci:DIR:TAG or oci-archive:FILE:TAG
    #[arg(short, long, value_name = "REF", value_parser = values::destination)]
    tag: Reference,
    #[command(flatten)]
    server: ServerArguments,
    /// Build the image without a program
    ///
    /// The catalog is extracted from the image by catalogd, and by OLM if the CatalogSource sets
    /// grpcPodConfig.extractContent.catalogDir: /configs.
    #[arg(long, conflicts_with_all = ["binary_image", "binaries"])]
    no_binary: bool,
    /// Set this label, in addition to the label with the location of the catalog; may be repeated
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
            (true, false) => CatalogServer::Absent(vec![self.registry.platform.clone().unwrap_or_default()]),
            (true, true) => CatalogServer::Absent(platforms()),
        })
    }
}

pub(crate) fn run(arguments: &BuildArguments, context: &Context<'_>) -> CommandResult {
    let printer = &context.printer;
    edit::require_catalog(&arguments.catalog)?;
    if arguments.labels.iter().any(|(key, _)| key == CONFIGS_LABEL) {
        let message =
            format!("the label {CONFIGS_LABEL} cannot be set, because opmx sets it to the location of the catalog");
        return Err(CommandError::usage(message).hint("omit this --label; the catalog is always in /configs"));
    }
    let to = &arguments.tag;
    containment::require_image_outside(to, &arguments.catalog)?;
    let strictness = arguments.strictness.strictness();
    let options = CatalogImageOptions {
        server: arguments.server()?,
        labels: arguments.labels.iter().cloned().collect(),
        limits: arguments.limits.catalog(),
        strictness: &strictness,
        epoch: environment::epoch()?,
    };
    let transports = arguments.registry.transports(context);
    // If the existing image at the target cannot be read, it is still replaced, but its digest is unknown.
    let before = context.runtime.block_on(transports.state(to)).ok();
    let built = build(&arguments.catalog, to, &transports, &options);
    match context.runtime.block_on(built) {
        Ok(image) => {
            strictness::warn(&image.findings, printer);
            warn_of_doubts(&image.doubts, printer);
            let platforms: Vec<_> = image.platforms.iter().map(Platform::to_string).collect();
            replaced::report(to, before, &image.pinned, printer);
            printer.status(format_args!(
                "built {} as {to} for {}",
                arguments.catalog.display(),
                platforms.join(", ")
            ));
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
