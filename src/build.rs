//! Stamps, pins and validates the files of a bundle, and builds its image.

use crate::bundle::image::image_of;
use crate::bundle::image_map::{ImageMap, MapImagesError, Mapped, map_images};
use crate::bundle::image_use::ImageUse;
use crate::bundle::mentions;
use crate::bundle::pin::{self, PinError};
use crate::bundle::stamp::{self, Stamp};
use crate::bundle::{self, AnnotationError, AskedAnnotations, BundleLimits, BundleReading, EditError, MediaType};
use crate::conversion;
use crate::diagnostic::{self, Diagnostic};
use crate::image::{Image, ImageError, Transports};
use crate::rules::Gate;
use crate::synthesis::Shipping;
use crate::synthesis::outside::{self, Outside, OutsideError, Resolved};
use crate::synthesis::synthesize;
use crate::synthesis::wildcards::{self, WildcardRule};
use crate::tree::{Tree, TreeError};
use crate::validation::{self, Strictness};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Options for building the image of a bundle.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each option is independent")]
pub struct BuildOptions {
    /// The values that the caller chooses for the bundle.
    pub stamp: Stamp,
    /// The sources outside the bundle from which values are inferred; `None` to infer nothing.
    pub outside: Option<Outside>,
    /// Whether to replace wildcards in the operator's rules with names. Only wildcards that stand for the bundle's own
    /// kinds are replaced.
    pub expand_wildcards: bool,
    /// The media type of the image; `None` for the media type of the bundle.
    pub media_type: Option<MediaType>,
    /// The annotations that determine the position of the bundle in an index.
    pub annotations: AskedAnnotations,
    /// Whether the requested annotations may replace the annotations of the bundle.
    pub overwrite_annotations: bool,
    /// Images to add to the related images.
    pub related_images: Option<RelatedImages>,
    /// Images and their replacements.
    pub image_map: ImageMap,
    /// Whether to replace the tags of images with the digests that the registries currently return.
    pub pin: bool,
    /// Whether to build the image even if the bundle has errors.
    pub allow_errors: bool,
    /// The time in the image, in seconds since 1970.
    pub epoch: u64,
    /// Limits on the content of the bundle.
    pub limits: BundleLimits,
}

/// The images to add to the related images.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RelatedImages {
    /// The images in arguments, variables and ConfigMaps.
    Mentioned,
    /// The images in the variables `RELATED_IMAGE_*`, each under the name of its variable.
    Variables,
}

/// The result of a build.
#[derive(Debug, Clone, Default)]
pub struct Built {
    /// Findings about the information from outside the bundle. If they include errors, nothing else was done.
    pub outside_findings: Vec<Diagnostic>,
    /// The resources in the bundle's rules for which a source outside the bundle specifies the kind.
    pub resolved: Vec<Resolved>,
    /// The rules whose wildcards were replaced.
    pub expanded: Vec<WildcardRule>,
    /// Findings about the bundle.
    pub findings: Vec<Diagnostic>,
    /// The entries that were added to the related images.
    pub related_images: Vec<Value>,
    /// The images that were replaced, and the entries of the map that do not occur in the bundle.
    pub mapped: Mapped,
    /// The images whose tags were replaced: each original reference, with the reference by digest.
    pub pinned: BTreeMap<String, String>,
    /// The images whose tags were not replaced, because the bundle only mentions them.
    pub unpinned: Vec<ImageUse>,
    /// The image and its files; `None` if errors prevent the build.
    pub image: Option<(Image, Tree)>,
}

/// An error while building an image.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The annotations cannot be written.
    #[error(transparent)]
    Annotations(#[from] AnnotationError),
    /// Information from outside cannot be written into the bundle.
    #[error(transparent)]
    Outside(#[from] OutsideError),
    /// A digest cannot be determined.
    #[error(transparent)]
    Pin(#[from] PinError),
    /// A file of the bundle cannot be edited.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// An image cannot be replaced.
    #[error(transparent)]
    Map(#[from] MapImagesError),
    /// After the change to the new media type, the path of a file would lead out of the bundle folder.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// The image cannot be built.
    #[error(transparent)]
    Image(#[from] ImageError),
}

impl Built {
    /// Returns the replaced images as written by the author, each with its final reference.
    pub fn images(&self) -> BTreeMap<&str, &str> {
        let mapped = self.mapped.images.iter();
        let mut images: BTreeMap<&str, &str> = mapped
            .map(|(from, to)| (from.as_str(), self.pinned.get(to).unwrap_or(to).as_str()))
            .collect();
        for (from, to) in &self.pinned {
            if !self.mapped.images.values().any(|mapped| mapped == from) {
                images.insert(from, to);
            }
        }
        images
    }
}

/// Builds the image of a bundle. The same files and options produce the same digest at any time and on any machine.
///
/// ```
/// use opmx::build::{BuildOptions, build};
/// use opmx::image::{ImageOptions, Silent, Transports};
/// use opmx::tree::{Tree, TreeLimits};
/// use std::sync::Arc;
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let files = Tree::from_directory("testdata/compost-operator".as_ref(), &TreeLimits::default())?;
/// let transports = Transports::new(ImageOptions::default(), Arc::new(Silent));
/// let built = build(files, &BuildOptions::default(), &transports).await?;
/// let (image, _files) = built.image.ok_or("the bundle has errors")?;
/// let package = image.label("operators.operatorframework.io.bundle.package.v1");
/// assert_eq!(package, Some("compost-operator"));
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Returns an error if a file cannot be changed, a registry does not return a digest, or a temporary file cannot be
/// written. Problems in the bundle itself are reported as findings.
pub async fn build(mut tree: Tree, options: &BuildOptions, transports: &Transports) -> Result<Built, BuildError> {
    let limits = &options.limits;
    options
        .annotations
        .write_into(&mut tree, options.overwrite_annotations, limits)?;
    let mut reading = bundle::read(&tree, &limits.text);
    let mut expanded = Vec::new();
    if options.expand_wildcards
        && let Some(bundle) = reading
            .bundle
            .as_ref()
            .filter(|bundle| bundle.media_type == MediaType::K8sV1)
    {
        expanded = wildcards::expand_in(&mut tree, synthesize(bundle, &reading.diagnostics).wildcards, limits)?;
        reading = bundle::read(&tree, &limits.text);
    }
    let stamp = options.stamp.clone();
    let inferred = outside::write_into(&mut tree, reading, stamp, options.outside.as_ref(), limits)?;
    let mut built = Built {
        outside_findings: inferred.findings,
        resolved: inferred.resolved,
        expanded,
        ..Built::default()
    };
    let Some(mut reading) = inferred.reading else {
        return Ok(built);
    };
    if let (Some(which), Some(bundle)) = (options.related_images, &reading.bundle) {
        built.related_images = match which {
            RelatedImages::Mentioned => mentions::missing_entries(bundle),
            RelatedImages::Variables => mentions::entries_of_variables(bundle),
        };
        let wanted = Stamp {
            related_images: built.related_images.clone(),
            ..Stamp::default()
        };
        stamp::stamp(&mut tree, bundle, &wanted, limits)?;
        reading = bundle::read(&tree, &limits.text);
    }
    if options.image_map != ImageMap::default()
        && let Some(bundle) = &reading.bundle
    {
        built.mapped = map_images(&mut tree, bundle, &options.image_map, limits)?;
        reading = bundle::read(&tree, &limits.text);
    }
    let strictness = Strictness::at(Gate::Authoring);
    if let Some(wanted) = options.media_type
        && let Some(shipped) = converted(&tree, &reading, wanted, limits)?
    {
        built.findings = shipped.findings;
        let Some(converted) = shipped.tree else {
            return Ok(built);
        };
        tree = converted;
        reading = bundle::read(&tree, &limits.text);
    }
    // A fault is reported at its place in the original files, and not again at its place in the converted files.
    let reported: BTreeSet<(&str, bool)> = built
        .findings
        .iter()
        .map(|found| (found.rule.id, found.is_error()))
        .collect();
    let is_reported = |found: &Diagnostic| {
        reported.contains(&(found.rule.id, true)) || !found.is_error() && reported.contains(&(found.rule.id, false))
    };
    let mut found = validation::judge_files(&tree, &reading, true, &strictness).findings;
    found.retain(|finding| !is_reported(finding));
    built.findings.extend(found);
    if diagnostic::has_errors(&built.findings) && !options.allow_errors {
        return Ok(built);
    }
    if options.pin
        && let Some(bundle) = &reading.bundle
    {
        built.pinned = pin::digests(&mentions::with_annotations(bundle), transports).await?;
        built.unpinned = mentions::unpinned(bundle, &built.pinned);
        // A mention of an image that is pinned elsewhere gets the same digest.
        pin::pin(&mut tree, &mentions::replaceable(bundle), &built.pinned, limits)?;
        reading = bundle::read(&tree, &limits.text);
    }
    let annotations = reading.bundle.and_then(|bundle| bundle.annotations);
    let labels = annotations.map(|annotations| annotations.values().clone());
    let image = image_of(&tree, &labels.unwrap_or_default(), options.epoch)?;
    built.image = Some((image, tree));
    Ok(built)
}

/// A bundle in the form of another media type.
#[derive(Debug, Default)]
pub struct Shipped {
    /// The files; `None` if errors prevent the conversion.
    pub tree: Option<Tree>,
    /// Findings about the original files and their conversion.
    pub findings: Vec<Diagnostic>,
}

/// Returns a bundle as [`build`] ships it with the media type `registry+v1`. A bundle of this media type, or one that
/// cannot be read, is returned unchanged.
///
/// # Errors
/// Returns an error if information from outside cannot be written into the bundle, or if a file would be outside the
/// bundle folder.
pub fn in_registry_form(
    mut tree: Tree,
    outside: Option<&Outside>,
    limits: &BundleLimits,
) -> Result<Shipped, BuildError> {
    let reading = bundle::read(&tree, &limits.text);
    let is_plain = |bundle: &bundle::Bundle| bundle.media_type == MediaType::K8sV1;
    if !reading.bundle.as_ref().is_some_and(is_plain) {
        return Ok(Shipped {
            tree: Some(tree),
            findings: Vec::new(),
        });
    }
    let inferred = outside::write_into(&mut tree, reading, Stamp::default(), outside, limits)?;
    let Some(reading) = inferred.reading else {
        return Ok(Shipped {
            tree: None,
            findings: inferred.findings,
        });
    };
    let shipped = converted(&tree, &reading, MediaType::RegistryV1, limits)?;
    Ok(shipped.unwrap_or_default())
}

/// Converts a bundle to a media type. Returns `None` if the bundle already has the media type, or if `reading` contains
/// no bundle.
fn converted(
    tree: &Tree,
    reading: &BundleReading,
    wanted: MediaType,
    limits: &BundleLimits,
) -> Result<Option<Shipped>, TreeError> {
    if reading.bundle.as_ref().is_none_or(|bundle| bundle.media_type == wanted) {
        return Ok(None);
    }
    let target = format!("{} as {wanted}", tree.origin());
    let Some(conversion) = conversion::convert(tree, reading, &target, &limits.text)? else {
        return Ok(None);
    };
    let mut findings = Vec::new();
    if wanted == MediaType::RegistryV1 {
        let strictness = Strictness::at(Gate::Authoring);
        findings = validation::judge_shipped(reading, Shipping::RegistryV1, &strictness).findings;
    }
    let known: BTreeSet<(&str, &str)> = findings.iter().map(Diagnostic::identity).collect();
    let mut found = conversion.diagnostics;
    found.retain(|finding| !known.contains(&finding.identity()));
    findings.extend(found);
    Ok(Some(Shipped {
        tree: conversion.tree,
        findings,
    }))
}
