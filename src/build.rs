//! From the files of a bundle to its image: stamped, pinned and judged.

use crate::bundle::image::image_of;
use crate::bundle::image_map::{ImageMap, Mapped, map_images};
use crate::bundle::mentions;
use crate::bundle::pin::{self, PinError};
use crate::bundle::stamp::{self, Stamp};
use crate::bundle::{self, AnnotationError, AskedAnnotations, BundleLimits, EditError, MediaType};
use crate::conversion;
use crate::diagnostic::{self, Diagnostic};
use crate::image::{Image, ImageError, Transports};
use crate::rules::Gate;
use crate::synthesis::outside::{self, Outside, OutsideError, Resolved};
use crate::synthesis::synthesize;
use crate::synthesis::wildcards::{self, WildcardRule};
use crate::tree::{Tree, TreeError};
use crate::validation::{self, Strictness};
use serde_json::Value;
use std::collections::BTreeMap;

/// How the image of a bundle is built.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a decision of its own")]
pub struct BuildOptions {
    /// What the caller decides about the bundle.
    pub stamp: Stamp,
    /// What is known outside the bundle; `None` where nothing is to be inferred from there.
    pub outside: Option<Outside>,
    /// Write out by name what wildcards in the operator's rules stand for, as far as it is the bundle's own kinds.
    pub expand_wildcards: bool,
    /// The media type of the image; `None` for that of the bundle.
    pub media_type: Option<MediaType>,
    /// What the image is to say of its place in an index.
    pub annotations: AskedAnnotations,
    /// Let them replace what the bundle says.
    pub overwrite_annotations: bool,
    /// Images to add to the related ones.
    pub related_images: Option<RelatedImages>,
    /// Images to write in the place of others.
    pub image_map: ImageMap,
    /// Write digests for the tags of images, as the registries have them now.
    pub pin: bool,
    /// Build it even if it has errors.
    pub allow_errors: bool,
    /// The time that the image carries, in seconds since 1970.
    pub epoch: u64,
    /// How much the bundle may hold.
    pub limits: BundleLimits,
}

/// Which images are added to the related ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RelatedImages {
    /// Those in arguments, variables and ConfigMaps.
    Mentioned,
    /// Those in the variables `RELATED_IMAGE_*`, each under the name of its variable.
    Variables,
}

/// What came of it.
#[derive(Debug, Default)]
pub struct Built {
    /// What is wrong with what is known outside the bundle; with errors nothing further was done.
    pub outside_findings: Vec<Diagnostic>,
    /// The resources that rules of the bundle name and that a source explains.
    pub resolved: Vec<Resolved>,
    /// The rules whose wildcards were written out.
    pub expanded: Vec<WildcardRule>,
    /// What is wrong with the bundle.
    pub findings: Vec<Diagnostic>,
    /// The entries that were added to the related images.
    pub related_images: Vec<Value>,
    /// The images that became others, and what of the map the bundle does not have.
    pub mapped: Mapped,
    /// The images whose tags became digests: as written, and by digest.
    pub pinned: BTreeMap<String, String>,
    /// The image, and the files that are in it; `None` where errors forbid it.
    pub image: Option<(Image, Tree)>,
}

/// Why no image can be built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The annotations cannot be written.
    #[error(transparent)]
    Annotations(#[from] AnnotationError),
    /// What is known outside cannot be written into the bundle.
    #[error(transparent)]
    Outside(#[from] OutsideError),
    /// A digest cannot be had.
    #[error(transparent)]
    Pin(#[from] PinError),
    /// A digest cannot be written.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// A file of the bundle in its new media type would lead out of its folder.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// The image cannot be built.
    #[error(transparent)]
    Image(#[from] ImageError),
}

impl Built {
    /// The images that became others, as the author wrote them, and what stands there now.
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

/// Builds the image of a bundle. The same files and options give the same digest, whenever and wherever.
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
/// When a file cannot be changed, a registry does not say a digest, or a temporary file cannot be written. What is wrong
/// with the bundle is a finding.
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
    if let (Some(bundle), Some(wanted)) = (&reading.bundle, options.media_type)
        && bundle.media_type != wanted
        && let Some(conversion) = {
            let target = format!("{} as {wanted}", tree.origin());
            conversion::convert(&tree, &reading, &target, &limits.text)?
        }
    {
        built.findings = conversion.diagnostics;
        let Some(converted) = conversion.tree else {
            return Ok(built);
        };
        tree = converted;
        reading = bundle::read(&tree, &limits.text);
    }
    let strictness = Strictness::at(Gate::Authoring);
    built
        .findings
        .extend(validation::judge_files(&tree, &reading, true, &strictness).findings);
    if diagnostic::has_errors(&built.findings) && !options.allow_errors {
        return Ok(built);
    }
    if options.pin
        && let Some(bundle) = &reading.bundle
    {
        let mut uses = pin::of_bundle(bundle);
        built.pinned = pin::digests(&uses, transports).await?;
        // What is only mentioned may not be there; where it is pinned elsewhere, it follows.
        uses.extend(mentions::of_bundle(bundle));
        pin::pin(&mut tree, &uses, &built.pinned, limits)?;
        reading = bundle::read(&tree, &limits.text);
    }
    let annotations = reading.bundle.and_then(|bundle| bundle.annotations);
    let labels = annotations.map(|annotations| annotations.values().clone());
    let image = image_of(&tree, &labels.unwrap_or_default(), options.epoch)?;
    built.image = Some((image, tree));
    Ok(built)
}
