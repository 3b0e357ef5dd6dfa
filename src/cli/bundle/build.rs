//! `opmx bundle build`: the image of a bundle.

use super::inference::{self, InferenceArguments};
use super::wildcards::{self, WildcardArguments};
use super::{AnnotationArguments, FolderArguments};
use crate::build::{BuildError, BuildOptions, build};
use crate::bundle::stamp::Stamp;
use crate::cli::arguments::{ImageBuilderArgument, LimitArguments, RegistryArguments};
use crate::cli::error::{CommandResult, Status};
use crate::cli::{Context, environment};
use crate::diagnostic;
use crate::image::Reference;
use crate::tree::Tree;
use clap::Args;
use serde_json::Value;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  Build and push
  $ opmx bundle build etcd -t registry.example.com/etcd-bundle:v0.9.4

  Into an OCI layout, or an archive, for another tool to copy
  $ opmx bundle build etcd -t oci:build/layout:v0.9.4
  $ opmx bundle build etcd -t oci-archive:etcd.tar:v0.9.4

  With what a pipeline decides
  $ opmx bundle build etcd -t oci:out:next --version 0.9.5 --replaces etcdoperator.v0.9.4

  For clusters that know only registry+v1
  $ opmx bundle build etcd -t registry.example.com/etcd-bundle:v0.9.4 \\
      --media-type registry+v1

  With digests in place of the tags of all images that it names
  $ opmx bundle build etcd -t registry.example.com/etcd-bundle:v0.9.4 --pin";

/// Build the image of a bundle, with no container daemon
///
/// The bundle is validated first; what has errors is not built. The same content gives the same digest, whenever and
/// wherever it is built. The reference with that digest is printed.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct BuildArguments {
    #[command(flatten)]
    folder: FolderArguments,
    /// Where the image goes: HOST/NAME:TAG, oci:DIR:TAG or oci-archive:FILE:TAG
    #[arg(short, long, value_name = "REF")]
    tag: String,
    /// What opm builds on; here nothing but the files of the bundle is in the image
    #[arg(long, hide = true, value_name = "IMAGE", value_parser = ["scratch"])]
    base_image: Option<String>,
    /// Version of the operator, in place of the one in the bundle
    #[arg(long, value_name = "VERSION")]
    version: Option<String>,
    /// Name of the bundle that this one replaces, in place of the one in the bundle
    #[arg(long, value_name = "NAME")]
    replaces: Option<String>,
    /// Write digests for the tags of images, as the registries have them now
    ///
    /// In Deployments (containers, init containers and the variables RELATED_IMAGE_*) and in the related images; what
    /// names the same image in an argument, a variable or a ConfigMap follows. The files of the bundle stay as they
    /// are: only the image has the digests.
    #[arg(long)]
    pin: bool,
    /// Add the images in arguments, variables and ConfigMaps to the related images
    ///
    /// Those that are neither of a container nor a related image already, so that a mirror has them. With --pin they
    /// get digests, too. The files of the bundle stay as they are.
    #[arg(long)]
    related_images: bool,
    /// Media type of the image: registry+v1 or k8s+v1
    ///
    /// A bundle of plain manifests becomes a registry+v1 image, with the ClusterServiceVersion that an index would
    /// store, for clusters and catalogs that know nothing else, and for operators whose RBAC must keep its wildcards.
    #[arg(long, value_name = "TYPE", value_parser = ["registry+v1", "k8s+v1"])]
    media_type: Option<String>,
    #[command(flatten)]
    wildcards: WildcardArguments,
    #[command(flatten)]
    inference: InferenceArguments,
    /// Build it even if it has errors
    #[arg(long)]
    no_validate: bool,
    #[command(flatten)]
    annotations: AnnotationArguments,
    /// Replace a metadata/annotations.yaml that says something else than the options
    #[arg(short, long)]
    overwrite: bool,
    /// Copy manifests/ and metadata/ into this folder before building
    #[arg(short = 'u', long, value_name = "DIR")]
    output_dir: Option<PathBuf>,
    #[command(flatten)]
    registry: RegistryArguments,
    #[command(flatten)]
    limits: LimitArguments,
    #[command(flatten)]
    tools: ImageBuilderArgument,
}

pub(crate) fn run(arguments: &BuildArguments, context: &Context<'_>) -> CommandResult {
    let printer = &context.printer;
    arguments.tools.answer(printer);
    let epoch = environment::epoch()?;
    let target: Reference = arguments.tag.parse()?;
    let (registry, limits) = (&arguments.registry, &arguments.limits);
    let options = BuildOptions {
        stamp: Stamp {
            version: arguments.version.clone(),
            replaces: arguments.replaces.clone(),
            ..Stamp::default()
        },
        annotations: arguments.annotations.asked(),
        overwrite_annotations: arguments.overwrite,
        outside: arguments.inference.outside(registry, limits, context)?,
        related_images: arguments.related_images,
        pin: arguments.pin,
        expand_wildcards: arguments.wildcards.expand_wildcards,
        media_type: arguments.media_type.as_deref().map(str::parse).transpose()?,
        allow_errors: arguments.no_validate,
        epoch,
        limits: limits.bundle(),
    };
    let tree = Tree::from_directory(&arguments.folder.bundle(), &options.limits.tree)?;
    let origin = tree.origin().to_owned();
    let transports = registry.transports(context);
    let built = context.runtime.block_on(build(tree, &options, &transports));
    let built = built.map_err(|error| match error {
        BuildError::Annotations(error) => super::annotation_error(error),
        error => error.into(),
    })?;
    wildcards::expanded(&built.expanded, context);
    inference::report(&built.outside_findings, &built.resolved, context);
    if diagnostic::has_errors(&built.outside_findings) {
        printer.error(format_args!("no image of {origin} was built"));
        return Ok(Status::Failure);
    }
    if diagnostic::has_errors(&built.findings) || !arguments.no_validate {
        printer.report(&built.findings);
    }
    let Some((image, files)) = built.image else {
        printer.error(format_args!("{origin} has errors, so no image was built"));
        return Ok(Status::Failure);
    };
    for entry in &built.related_images {
        let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default();
        printer.status(format_args!("related image {}: {}", text("name"), text("image")));
    }
    for (image, by_digest) in &built.pinned {
        printer.status(format_args!("{image} -> {by_digest}"));
    }
    if let Some(folder) = &arguments.output_dir {
        files.write_to(folder)?;
    }
    let pinned = context.runtime.block_on(transports.push(&image, &target))?;
    printer.status(format_args!("built {origin} as {target}"));
    printer.line(pinned.to_string())?;
    Ok(Status::Success)
}
