//! `opmx bundle build`: the image of a bundle.

use super::inference::{self, InferenceArguments};
use super::wildcards::{self, WildcardArguments};
use super::{AnnotationArguments, FolderArguments};
use crate::build::{BuildError, BuildOptions, RelatedImages, build};
use crate::bundle::image_map::ImageMap;
use crate::bundle::stamp::Stamp;
use crate::cli::arguments::{ImageBuilderArgument, LimitArguments, RegistryArguments};
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::cli::{Context, environment, input};
use crate::diagnostic;
use crate::files;
use crate::image::Reference;
use crate::tree::Tree;
use clap::{Args, ValueEnum};
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
  $ opmx bundle build etcd -t registry.example.com/etcd-bundle:v0.9.4 --pin

  With images from where they are released, by digest, and a file that says which
  $ opmx bundle build etcd -t registry.example.com/etcd-bundle:v0.9.4 \\
      --image-map images.txt --pin --pins-out pins.txt";

/// Build the image of a bundle, with no container daemon
///
/// The bundle is validated first; what has errors is not built. The same content gives the same digest, whenever and
/// wherever it is built. The reference with that digest is printed.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
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
    /// Write other images in the place of those that this file names
    ///
    /// The file has lines FROM TO or FROM=TO, where FROM is an image, a repository or all below a registry; or a list of
    /// {name, image} as JSON or YAML, by the names of related images, of variables RELATED_IMAGE_* and of containers; or
    /// objects ImageDigestMirrorSet, ImageTagMirrorSet and ImageContentSourcePolicy. They are written wherever --pin writes
    /// digests, and into annotations. The files of the bundle stay as they are.
    #[arg(long, value_name = "FILE")]
    image_map: Option<String>,
    /// Write to this file which images became others, in lines that --image-map reads
    ///
    /// Each as the bundle has it, and as the image of the bundle does.
    #[arg(long, value_name = "FILE")]
    pins_out: Option<PathBuf>,
    /// Add images to the related ones: mentioned or from-env
    ///
    /// "mentioned" adds those in arguments, variables and ConfigMaps that are neither of a container nor a related image
    /// already, so that a mirror has them; it is meant where nothing is named. "from-env" adds those of the variables
    /// RELATED_IMAGE_*, each under the name of its variable. With --pin they get digests, too. The files of the bundle stay
    /// as they are.
    #[arg(
        long,
        value_enum,
        value_name = "WHICH",
        num_args = 0..=1,
        default_missing_value = "mentioned",
        hide_possible_values = true
    )]
    related_images: Option<Which>,
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

/// Which images are added to the related ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Which {
    /// Those that are mentioned
    Mentioned,
    /// Those of variables
    FromEnv,
}

/// Bytes of a file that maps images.
const MAP_LIMIT: usize = 16 << 20;

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
        related_images: arguments.related_images.map(|which| match which {
            Which::Mentioned => RelatedImages::Mentioned,
            Which::FromEnv => RelatedImages::Variables,
        }),
        image_map: arguments.map(context)?,
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
    let Some((image, in_image)) = &built.image else {
        printer.error(format_args!("{origin} has errors, so no image was built"));
        return Ok(Status::Failure);
    };
    for entry in &built.related_images {
        let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default();
        printer.status(format_args!("related image {}: {}", text("name"), text("image")));
    }
    for unused in &built.mapped.unused {
        printer.warning(format_args!(
            "the bundle has no image {unused}, which is to become another"
        ));
    }
    let images = built.images();
    for (image, other) in &images {
        printer.status(format_args!("{image} -> {other}"));
    }
    let pins: String = images
        .iter()
        .map(|(image, other)| format!("{image} {other}\n"))
        .collect();
    if let Some(folder) = &arguments.output_dir {
        in_image.write_to(folder)?;
    }
    let pinned = context.runtime.block_on(transports.push(image, &target))?;
    if let Some(file) = &arguments.pins_out {
        files::write(file, pins.as_bytes())?;
    }
    printer.status(format_args!("built {origin} as {target}"));
    printer.line(pinned.to_string())?;
    Ok(Status::Success)
}

impl BuildArguments {
    /// The images that are to become others.
    fn map(&self, context: &Context<'_>) -> Result<ImageMap, CommandError> {
        let Some(file) = &self.image_map else {
            return Ok(ImageMap::default());
        };
        let (name, bytes) = input::read(file, (MAP_LIMIT, None), context)?;
        Ok(ImageMap::read(&name, &bytes, &self.limits.text())?)
    }
}
