//! `opmx bundle build`: building the image of a bundle.

use super::inference::{self, InferenceArguments};
use super::output_folder::require_unmixed;
use super::wildcards::{self, WildcardArguments};
use super::{AnnotationArguments, FolderArguments};
use crate::build::{BuildError, BuildOptions, Built, RelatedImages, build};
use crate::bundle::image_map::ImageMap;
use crate::bundle::stamp::Stamp;
use crate::cli::arguments::{ImageBuilderArgument, LimitArguments, RegistryArguments};
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::cli::values::{self, output};
use crate::cli::{Context, environment, input, replaced};
use crate::diagnostic;
use crate::files;
use crate::image::Reference;
use crate::terminal::Printer;
use crate::version::parse_strict;
use clap::{Args, ValueEnum};
use semver::Version;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  Build and push
  $ opmx bundle build etcd -t registry.example.com/etcd-bundle:v0.9.4

  Build into an OCI layout or an archive, to copy with another tool
  $ opmx bundle build etcd -t oci:build/layout:v0.9.4
  $ opmx bundle build etcd -t oci-archive:etcd.tar:v0.9.4

  Set values in a pipeline
  $ opmx bundle build etcd -t oci:out:next --version 0.9.5 --replaces etcdoperator.v0.9.4

  Build for clusters that support only registry+v1
  $ opmx bundle build etcd -t registry.example.com/etcd-bundle:v0.9.4 \\
      --media-type registry+v1

  Replace the tags of all images in the bundle with digests
  $ opmx bundle build etcd -t registry.example.com/etcd-bundle:v0.9.4 --pin

  Replace images as listed in images.txt, pin them, and write the replacements to pins.txt
  $ opmx bundle build etcd -t registry.example.com/etcd-bundle:v0.9.4 \\
      --image-map images.txt --pin --pins-out pins.txt";

/// Build the image of a bundle, without a container daemon
///
/// The bundle is checked first; a bundle with errors is not built. `opmx bundle validate` also runs the validators of
/// the Operator Framework. Builds are reproducible: the same content always has the same digest. The reference with
/// that digest is printed.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct BuildArguments {
    #[command(flatten)]
    folder: FolderArguments,
    /// Destination of the image: HOST/NAME:TAG, oci:DIR:TAG or oci-archive:FILE:TAG
    #[arg(short, long, value_name = "REF", value_parser = values::destination)]
    tag: Reference,
    /// Not needed: a bundle image contains only the files of the bundle
    #[arg(long, hide = true, value_name = "IMAGE", value_parser = ["scratch"])]
    base_image: Option<String>,
    /// Version of the operator, instead of the version in the bundle
    #[arg(long, value_name = "VERSION", value_parser = parse_strict)]
    version: Option<Version>,
    /// Name of the bundle that this version replaces, instead of the name in the bundle
    #[arg(long, value_name = "NAME")]
    replaces: Option<String>,
    /// Replace image tags with their current digests in the registries
    ///
    /// Images are replaced in Deployments (containers, init containers, image volumes and the variables
    /// RELATED_IMAGE_*), in the related images, in the annotations of objects and pod templates, and also in arguments,
    /// variables, ConfigMaps and examples that mention the same images. A warning names every other image that these
    /// mention, because such an image might not exist. The files of the bundle are not changed; only the image contains
    /// the digests.
    #[arg(long)]
    pin: bool,
    /// Replace images as specified in this file
    ///
    /// The file has one of three formats: lines FROM TO or FROM=TO, where FROM is an image, a repository, or a registry
    /// with or without a path; a JSON or YAML list of {name, image}, where each name is that of a related image, a
    /// RELATED_IMAGE_* variable, a container or a volume; or ImageDigestMirrorSet, ImageTagMirrorSet and
    /// ImageContentSourcePolicy objects. Names of images on Docker Hub match with and without docker.io. Images are
    /// replaced in the same places as with --pin. The files of the bundle are not changed.
    #[arg(long, value_name = "FILE")]
    image_map: Option<String>,
    /// Write the image replacements to this file, in the format of --image-map
    ///
    /// Each line contains the name of an image in the bundle, and its replacement in the bundle image.
    #[arg(long, value_name = "FILE")]
    pins_out: Option<PathBuf>,
    /// Add images to the related images: mentioned or from-env
    ///
    /// "mentioned", the default value, adds the images that arguments, variables, image volumes and ConfigMaps mention,
    /// except container images and existing related images. Mirrors then include the added images. "from-env" adds the
    /// images of RELATED_IMAGE_* variables, each under the name of its variable. With --pin, the added images are also
    /// pinned. The files of the bundle are not changed.
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
    /// With registry+v1, the image of a bundle of plain manifests contains the ClusterServiceVersion that an index
    /// would store. This is for clusters and catalogs that support only registry+v1, and for operators that need
    /// wildcards in their RBAC rules.
    #[arg(long, value_name = "TYPE", value_parser = ["registry+v1", "k8s+v1"])]
    media_type: Option<String>,
    #[command(flatten)]
    wildcards: WildcardArguments,
    #[command(flatten)]
    inference: InferenceArguments,
    /// Build the image even if the bundle has errors
    #[arg(long)]
    no_validate: bool,
    #[command(flatten)]
    annotations: AnnotationArguments,
    /// Use the options in the image even if metadata/annotations.yaml contradicts them; the file is not changed
    #[arg(short, long)]
    overwrite: bool,
    /// Also write the manifests/ and metadata/ of the image to this folder, which must not contain another bundle
    ///
    /// Files of the same names are overwritten. It is an error if the folder is that of DIR itself, or if its
    /// manifests/ or metadata/ already contain other files.
    #[arg(short = 'u', long, value_name = "DIR", value_parser = output())]
    output_dir: Option<PathBuf>,
    #[command(flatten)]
    registry: RegistryArguments,
    #[command(flatten)]
    limits: LimitArguments,
    #[command(flatten)]
    tools: ImageBuilderArgument,
}

/// The images to add to the related images.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Which {
    /// Mentioned images
    Mentioned,
    /// Images of RELATED_IMAGE_* variables
    FromEnv,
}

/// The maximum size in bytes of an image map.
const MAP_LIMIT: usize = 16 << 20;

pub(crate) fn run(arguments: &BuildArguments, context: &Context<'_>) -> CommandResult {
    let printer = &context.printer;
    arguments.tools.answer(printer);
    if arguments.pins_out.as_deref() == Some(Path::new("-")) {
        let error = CommandError::usage(
            "--pins-out cannot write to standard output, where the reference of the image is printed",
        );
        return Err(error.hint("specify a file"));
    }
    if let Some(out) = &arguments.output_dir {
        arguments.folder.require_outside(out)?;
    }
    let target = &arguments.tag;
    let options = arguments.options(context)?;
    let tree = arguments.folder.tree(&options.limits.tree)?;
    let origin = tree.origin().to_owned();
    let transports = arguments.registry.transports(context);
    let built = context.runtime.block_on(build(tree, &options, &transports));
    let mut built = built.map_err(|error| match error {
        BuildError::Annotations(error) => super::annotation_error(error),
        error => error.into(),
    })?;
    arguments.folder.name_files(&mut built.findings);
    wildcards::expanded(&built.expanded, &BTreeSet::new(), context);
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
    report_images(&built, printer);
    let images = built.images();
    for (image, other) in &images {
        printer.status(format_args!("{image} -> {other}"));
    }
    let pins: String = images
        .iter()
        .map(|(image, other)| format!("{image} {other}\n"))
        .collect();
    if let Some(folder) = &arguments.output_dir {
        require_unmixed(in_image, folder)?;
        in_image.write_to(folder)?;
    }
    // If the existing image at the target cannot be read, it is still replaced, but its digest is unknown.
    let before = context.runtime.block_on(transports.state(target)).ok();
    let pinned = context.runtime.block_on(transports.push(image, target))?;
    replaced::report(target, before, &pinned, printer);
    if let Some(file) = &arguments.pins_out {
        files::write(&files::behind_links(file)?, pins.as_bytes())?;
    }
    printer.status(format_args!("built {origin} as {target}"));
    printer.line(pinned.to_string())?;
    Ok(Status::Success)
}

/// Reports the related images, and the images that were not replaced or pinned.
fn report_images(built: &Built, printer: &Printer) {
    for entry in &built.related_images {
        let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default();
        printer.status(format_args!("related image {}: {}", text("name"), text("image")));
    }
    for unused in &built.mapped.unused {
        printer.warning(format_args!(
            "the bundle does not use the image {unused}, which the image map replaces"
        ));
    }
    for used in &built.unpinned {
        let advice = if used.is_in_example() {
            "add it there if the operator runs it"
        } else {
            "--related-images adds it"
        };
        printer.warning(format_args!(
            "{}: {} is not pinned, because it is not a related image; {advice}",
            used.place(),
            used.image
        ));
    }
}

impl BuildArguments {
    fn options(&self, context: &Context<'_>) -> Result<BuildOptions, CommandError> {
        let epoch = environment::epoch()?;
        Ok(BuildOptions {
            stamp: Stamp {
                version: self.version.as_ref().map(ToString::to_string),
                replaces: self.replaces.clone(),
                ..Stamp::default()
            },
            annotations: self.annotations.asked(),
            overwrite_annotations: self.overwrite,
            outside: self.inference.outside(&self.registry, &self.limits, context)?,
            related_images: self.related_images.map(|which| match which {
                Which::Mentioned => RelatedImages::Mentioned,
                Which::FromEnv => RelatedImages::Variables,
            }),
            image_map: self.map(context)?,
            pin: self.pin,
            expand_wildcards: self.wildcards.expand_wildcards,
            media_type: self.media_type.as_deref().map(str::parse).transpose()?,
            allow_errors: self.no_validate,
            epoch,
            limits: self.limits.bundle(),
        })
    }

    /// Reads the image map, which is empty by default.
    fn map(&self, context: &Context<'_>) -> Result<ImageMap, CommandError> {
        let Some(file) = &self.image_map else {
            return Ok(ImageMap::default());
        };
        let (name, bytes) = input::read(file, (MAP_LIMIT, None), context)?;
        Ok(ImageMap::read(&name, &bytes, &self.limits.text())?)
    }
}
