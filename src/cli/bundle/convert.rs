//! `opmx bundle convert`: converting a bundle to the other media type.

use super::wildcards::WildcardArguments;
use crate::bundle::{self, MediaType};
use crate::cli::api_sources::ApiSourceArguments;
use crate::cli::arguments::{DatabaseLimitArguments, LimitArguments, RegistryArguments};
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::cli::values::{filled, output};
use crate::cli::{Context, sources};
use crate::synthesis::outside::inform;
use crate::terminal::counted;
use crate::validation::convert_valid;
use clap::Args;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  Convert for clusters and catalogs that support only registry+v1
  $ opmx bundle convert etcd etcd-registry --to registry+v1

  Convert a ClusterServiceVersion to plain manifests and metadata/olm.yaml
  $ opmx bundle convert registry.example.com/etcd-bundle:v0.9.4 etcd \\
      --to k8s+v1";

/// Convert a bundle to the other media type
///
/// A registry+v1 bundle contains the ClusterServiceVersion that an index would store, and the accompanying objects. A
/// k8s+v1 bundle contains the Deployments, RBAC, Services and webhooks that the ClusterServiceVersion describes, and
/// metadata/olm.yaml with all settings that manifests cannot express.
///
/// Content that the other media type does not support is reported. A k8s+v1 bundle with errors is not converted. If the
/// ClusterServiceVersion has no minKubeVersion, metadata/olm.yaml sets it to 0.0.0, which stands for any version.
/// Wildcards in RBAC are allowed in registry+v1 bundles, with a warning, but not in k8s+v1 bundles. All other files of
/// the bundle are copied.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ConvertArguments {
    /// The bundle: a folder, HOST/NAME:TAG, oci:DIR:TAG or oci-archive:FILE:TAG
    #[arg(value_name = "DIR|REF", value_parser = filled())]
    bundle: String,
    /// Folder for the new bundle; must be absent or empty
    #[arg(value_name = "OUT", value_parser = output())]
    out: PathBuf,
    /// Media type of the new bundle: registry+v1 or k8s+v1
    #[arg(long, value_name = "TYPE", value_parser = ["registry+v1", "k8s+v1"])]
    to: String,
    #[command(flatten)]
    wildcards: WildcardArguments,
    #[command(flatten)]
    sources: ApiSourceArguments,
    #[command(flatten)]
    database: DatabaseLimitArguments,
    #[command(flatten)]
    registry: RegistryArguments,
    #[command(flatten)]
    limits: LimitArguments,
}

pub(crate) fn run(arguments: &ConvertArguments, context: &Context<'_>) -> CommandResult {
    let printer = &context.printer;
    let to: MediaType = arguments.to.parse()?;
    let mut tree = sources::bundle_files(&arguments.bundle, &arguments.registry, &arguments.limits, context)?;
    let limits = arguments.limits.text();
    let reading = bundle::read(&tree, &limits);
    let mut reading = arguments
        .wildcards
        .expand_in(&mut tree, reading, &arguments.limits.bundle(), context)?;
    let of_sources = arguments.limits.source(&arguments.database, &arguments.registry);
    let outside = arguments.sources.outside(&arguments.registry, &of_sources, context)?;
    if let (Some(outside), Some(bundle)) = (&outside, &mut reading.bundle) {
        let found = inform(bundle, &reading.diagnostics, outside);
        reading.diagnostics.extend(found);
    }
    if reading.bundle.as_ref().is_some_and(|bundle| bundle.media_type == to) {
        let message = format!(
            "{} is already a {to} bundle, so there is nothing to convert",
            arguments.bundle
        );
        return Err(CommandError::failure(message));
    }
    let out = arguments.out.display().to_string();
    let Some(conversion) = convert_valid(&tree, &reading, &out, &limits)? else {
        printer.report(&reading.diagnostics);
        return Ok(Status::Failure);
    };
    printer.report(&conversion.diagnostics);
    let Some(converted) = conversion.tree else {
        printer.error(format_args!(
            "{} cannot be converted to a {to} bundle, so nothing was written",
            arguments.bundle
        ));
        return Ok(Status::Failure);
    };
    converted
        .write_new(&arguments.out)
        .map_err(|error| CommandError::from(error).context("the bundle was not converted"))?;
    printer.status(format_args!("wrote {} to {out}", counted(converted.len(), "file")));
    Ok(Status::Success)
}
