//! Verifies that the content of a plan is at its target or in an archive.

use super::CONCURRENCY;
use super::archive::Archive;
use super::plan::{ExtraVia, ExtrasByDigest, Plan, PlannedImage};
use super::policy::{Evidence, attached, attestations_in, is_index, is_signature};
use super::reach::reach;
use crate::causes::with_causes;
use crate::concurrent;
use crate::files::{FileError, read_at_most};
use crate::image::copy::{has_layers_of, referrers};
use crate::image::{
    Descriptor, Digest, Document, Image, ImageError, Reference, RegistryReference, TagState, Transports,
};
use futures_util::StreamExt;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::future::ready;

/// The maximum size in bytes of the manifest or config of a signature in an archive.
const DOCUMENT_LIMIT: u64 = 4 << 20;

/// The result of a verification.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Verified {
    /// The number of checked images.
    pub images: u64,
    /// The number of checked manifests and image indexes, counted separately for each repository.
    pub manifests: u64,
    /// The number of checked configs and layers, counted separately for each repository.
    pub blobs: u64,
    /// The number of configs and layers that are only in the earlier archives on which an archive is based, and were
    /// not checked.
    #[serde(skip_serializing_if = "is_zero")]
    pub unchecked: u64,
    /// The problems that were found, sorted.
    pub problems: Vec<Problem>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
const fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Content that is missing, or that differs from the plan.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Problem {
    /// The expected location of the content.
    pub place: String,
    /// A description of the problem.
    pub problem: String,
    /// The images in the plan that need the content.
    pub images: BTreeSet<String>,
}

/// The reason why a target was not verified.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// The target cannot be reached, or a name in the plan is not valid.
    #[error(transparent)]
    Image(#[from] ImageError),
    /// The images of the plan have no destinations.
    #[error("the plan does not specify a target, so its images have no destinations")]
    Nowhere,
}

/// The options for verifying a target.
#[derive(Debug, Clone, Copy)]
pub struct VerifyOptions {
    /// Whether to read all blobs, instead of only checking their existence.
    pub read: bool,
    /// The maximum number of concurrent requests.
    pub parallel: usize,
}

impl Default for VerifyOptions {
    fn default() -> Self {
        Self {
            read: false,
            parallel: CONCURRENCY.into(),
        }
    }
}

/// A check of content in a repository.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Look {
    /// The tag must refer to the manifest with this digest.
    Tag(String, Digest),
    /// The tag must refer to the manifest with this digest, or to one that also contains all its layers.
    Layers(String, Digest),
    /// The manifest must be in the repository.
    Manifest(Digest),
    /// The blob must be in the repository.
    Blob(Digest),
    /// The registry must list the manifest as a referrer of its subject.
    Referrer { subject: Digest, digest: Digest },
}

/// Verifies all content of a plan at its target. If the plan was created without a target,
/// [`placed`](super::placed::placed) adds the destinations.
///
/// # Errors
/// Returns an error if the plan has no target, a name in the plan is not valid, or the target cannot be reached. Any
/// other failed request is reported as a problem with the requested content.
pub async fn verify(plan: &Plan, target: &Transports, options: VerifyOptions) -> Result<Verified, VerifyError> {
    if plan.to.is_none() {
        return Err(VerifyError::Nowhere);
    }
    reach(plan, target).await?;
    let looks = looks(plan);
    let count = |is: fn(&Look) -> bool| looks.keys().filter(|(_, look)| is(look)).count() as u64;
    let mut verified = Verified {
        images: plan.images.len() as u64,
        manifests: count(|look| matches!(look, Look::Manifest(_))),
        blobs: count(|look| matches!(look, Look::Blob(_))),
        unchecked: 0,
        problems: Vec::new(),
    };
    let (mut work, mut read) = (Vec::new(), BTreeSet::new());
    for ((repository, look), images) in &looks {
        let reference = RegistryReference::of_repository(repository).map_err(ImageError::from)?;
        // A digest identifies the same content in all repositories of a registry, so each blob is read only once.
        let whole = matches!(look, Look::Blob(digest) if options.read && read.insert(*digest));
        work.push((repository, reference, look, whole, images));
    }
    let found = concurrent::unordered(
        work,
        options.parallel,
        |(repository, reference, look, whole, images)| async move {
            let problem = wrong(plan, target, &reference, look, whole).await;
            problem.map(|(name, problem)| Problem {
                place: format!("{repository}{name}"),
                problem,
                images: images.clone(),
            })
        },
    );
    verified.problems = found.filter_map(ready).collect().await;
    verified.problems.sort();
    Ok(verified)
}

/// Returns the checks for a plan, each with its repository and the images that need the checked content.
fn looks(plan: &Plan) -> BTreeMap<(String, Look), BTreeSet<String>> {
    let mut looks: BTreeMap<(String, Look), BTreeSet<String>> = BTreeMap::new();
    let extras = ExtrasByDigest::of(plan);
    for image in &plan.images {
        let Some(repository) = &image.destination else { continue };
        let mut look = |look: Look| {
            let images = looks.entry((repository.clone(), look)).or_default();
            images.insert(image.source.clone());
        };
        for tag in &image.tags {
            look(Look::Tag(tag.clone(), image.digest));
        }
        for digest in plan.all_behind(image) {
            look(Look::Manifest(digest));
            for blob in plan
                .manifests
                .get(&digest)
                .into_iter()
                .flat_map(|manifest| &manifest.blobs)
            {
                look(Look::Blob(*blob));
            }
        }
        for extra in extras.of_image(image) {
            if let Some(tag) = &extra.tag {
                look(Look::Layers(tag.clone(), extra.digest));
            }
            if extra.via == ExtraVia::Referrers {
                let (subject, digest) = (extra.subject, extra.digest);
                look(Look::Referrer { subject, digest });
            }
        }
    }
    looks
}

/// Performs a check. If there is a problem, returns the name of the content in the repository and a description of the
/// problem.
async fn wrong(
    plan: &Plan,
    target: &Transports,
    repository: &RegistryReference,
    look: &Look,
    whole: bool,
) -> Option<(String, String)> {
    let name = match look {
        Look::Tag(tag, _) | Look::Layers(tag, _) => format!(":{tag}"),
        Look::Manifest(digest) | Look::Blob(digest) | Look::Referrer { digest, .. } => format!("@{digest}"),
    };
    match asked(plan, target, repository, look, whole).await {
        Ok(None) => None,
        Ok(Some(problem)) => Some((name, problem)),
        Err(error) => Some((name, error.reason())),
    }
}

async fn asked(
    plan: &Plan,
    target: &Transports,
    repository: &RegistryReference,
    look: &Look,
    whole: bool,
) -> Result<Option<String>, ImageError> {
    let absent = |what: &str| Some(format!("the {what} is missing"));
    Ok(match look {
        Look::Tag(tag, digest) | Look::Layers(tag, digest) => {
            let tagged = repository.with_tag(tag)?;
            match target.state(&Reference::Registry(tagged.clone())).await? {
                TagState::Absent => absent("tag"),
                TagState::Image(found) if found == *digest => None,
                TagState::Image(found) => {
                    let may_grow = matches!(look, Look::Layers(..));
                    let has_layers = may_grow && has_layers(target, &tagged, &repository.with_digest(digest)).await?;
                    (!has_layers).then(|| format!("the tag refers to {found} instead of {digest}"))
                }
            }
        }
        Look::Manifest(digest) => {
            let found = target.lookup(&repository.with_digest(digest)).await?;
            if found.is_none() { absent("manifest") } else { None }
        }
        Look::Blob(digest) => {
            let blob = plan.blobs.get(digest);
            if !target.has_blob(repository, digest, blob.map(|blob| blob.bytes)).await? {
                Some("the blob is missing or has a wrong size".to_owned())
            } else if let Some(blob) = blob.filter(|_| whole) {
                let descriptor = Descriptor {
                    media_type: blob.media_type.clone(),
                    digest: *digest,
                    size: blob.bytes,
                };
                target.read_through(repository, &descriptor).await?;
                None
            } else {
                None
            }
        }
        Look::Referrer { subject, digest } => {
            let listed = referrers(target, repository, subject).await?;
            if listed.contains(digest) {
                None
            } else {
                Some(format!("it is not listed among the referrers of {subject}"))
            }
        }
    })
}

/// Whether the manifest under a tag contains all layers of a planned one, because a signing tool added others.
async fn has_layers(
    target: &Transports,
    tagged: &RegistryReference,
    planned: &RegistryReference,
) -> Result<bool, ImageError> {
    let (found, planned) = (target.lookup(tagged).await?, target.lookup(planned).await?);
    Ok(found
        .zip(planned)
        .is_some_and(|(found, planned)| has_layers_of(&found, &planned)))
}

/// Verifies that an archive contains a plan and its content. The volumes of the archive must have been verified. Blobs
/// in the archives on which the archive is based are not checked.
pub fn verify_archive(plan: &Plan, archive: &Archive) -> Verified {
    let mut problems: BTreeMap<String, Problem> = BTreeMap::new();
    let mut unchecked = BTreeSet::new();
    if archive.require(plan).is_err() {
        let place = archive.path.display().to_string();
        let problem = Problem {
            place: place.clone(),
            problem: "it contains another plan, which would be loaded instead".to_owned(),
            images: BTreeSet::new(),
        };
        problems.insert(place, problem);
    }
    for image in &plan.images {
        for (digest, bytes) in contents(plan, image) {
            if archive.volumes.blob(&digest, bytes).is_some() {
                continue;
            }
            // Archives contain all manifests of their plans.
            if archive.list.omitted.contains_key(&digest) && !plan.manifests.contains_key(&digest) {
                unchecked.insert(digest);
                continue;
            }
            let why = archive.list.missing.get(&digest);
            let problem = problems.entry(digest.to_string()).or_insert_with(|| Problem {
                place: digest.to_string(),
                problem: why.cloned().unwrap_or_else(|| "it is missing".to_owned()),
                images: BTreeSet::new(),
            });
            problem.images.insert(image.source.clone());
        }
    }
    Verified {
        images: plan.images.len() as u64,
        manifests: plan.manifests.len() as u64,
        blobs: (plan.blobs.len() - unchecked.len()) as u64,
        unchecked: unchecked.len() as u64,
        problems: problems.into_values().collect(),
    }
}

/// Returns all manifests and blobs of an image, with their sizes in bytes.
fn contents(plan: &Plan, image: &PlannedImage) -> BTreeMap<Digest, u64> {
    let mut contents = BTreeMap::new();
    for digest in plan.all_behind(image) {
        let Some(manifest) = plan.manifests.get(&digest) else {
            continue;
        };
        contents.insert(digest, manifest.bytes);
        let blobs = manifest.blobs.iter();
        contents.extend(blobs.filter_map(|blob| Some((*blob, plan.blobs.get(blob)?.bytes))));
    }
    contents
}

/// Returns the signatures and image indexes that an archive contains for the images in its plan.
pub fn evidence_in(archive: &Archive) -> Evidence {
    let plan = &archive.plan;
    let read = |digest: &Digest| {
        if is_omitted(archive, digest) {
            return Err("it is in an earlier archive, on which this one is based".to_owned());
        }
        let image = image_in(archive, digest).map_err(|error| with_causes(&error))?;
        attached(&image).map_err(|error| with_causes(&error))
    };
    let listed = |image: &PlannedImage| {
        let document = document_in(archive, &image.digest).map_err(|error| with_causes(&error))?;
        attestations_in(&document)
    };
    let extras = ExtrasByDigest::of(plan);
    let mut evidence = Evidence::default();
    for image in &plan.images {
        for extra in extras.of_image(image).filter(|extra| is_signature(extra)) {
            let place = (image.destination.clone(), extra.subject);
            evidence.signatures.entry(place).or_insert_with(|| read(&extra.digest));
        }
        if is_index(plan, image) {
            evidence
                .attestations
                .entry(image.digest)
                .or_insert_with(|| listed(image));
        }
    }
    evidence
}

/// Whether a part of an image is only in the archives on which an archive is based.
fn is_omitted(archive: &Archive, digest: &Digest) -> bool {
    let manifest = archive.plan.manifests.get(digest);
    let mut blobs = manifest.into_iter().flat_map(|manifest| &manifest.blobs);
    blobs.any(|blob| archive.list.omitted.contains_key(blob))
}

/// Reads a manifest or config in an archive; `bytes` is its size.
fn bytes_in(archive: &Archive, digest: &Digest, bytes: u64) -> Result<Vec<u8>, ImageError> {
    let blob = archive
        .volumes
        .blob(digest, bytes)
        .ok_or_else(|| ImageError::absent(digest))?;
    let read = read_at_most(blob.open()?, DOCUMENT_LIMIT);
    Ok(read.map_err(|error| FileError::new("read", &archive.path, error))?)
}

fn document_in(archive: &Archive, digest: &Digest) -> Result<Document, ImageError> {
    let manifest = archive
        .plan
        .manifests
        .get(digest)
        .ok_or_else(|| ImageError::absent(digest))?;
    let bytes = bytes_in(archive, digest, manifest.bytes)?;
    Ok(Document::new(&manifest.media_type, bytes))
}

fn image_in(archive: &Archive, digest: &Digest) -> Result<Image, ImageError> {
    let manifest = archive
        .plan
        .manifests
        .get(digest)
        .ok_or_else(|| ImageError::absent(digest))?;
    let size = |digest: &Digest| archive.plan.blobs.get(digest).map_or(0, |blob| blob.bytes);
    let (config, layers) = manifest.blobs.split_first().ok_or_else(|| ImageError::absent(digest))?;
    let layers = layers.iter().map(|layer| {
        archive
            .volumes
            .blob(layer, size(layer))
            .ok_or_else(|| ImageError::absent(layer))
    });
    let layers = layers.collect::<Result<Vec<_>, _>>()?;
    let text = bytes_in(archive, digest, manifest.bytes)?;
    let config = bytes_in(archive, config, size(config))?;
    Image::new(digest.to_string(), Some(&manifest.media_type), text, config, layers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::{ImageOptions, Silent};
    use std::sync::Arc;

    #[tokio::test]
    async fn a_plan_without_a_target_is_not_verified() {
        let target = Transports::new(ImageOptions::default(), Arc::new(Silent));
        let options = VerifyOptions::default();
        let error = verify(&Plan::empty(None), &target, options).await.unwrap_err();
        assert!(matches!(error, VerifyError::Nowhere), "{error}");
    }
}
