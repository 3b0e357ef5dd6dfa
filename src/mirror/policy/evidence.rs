//! Reads the content of a mirror on which a policy bases its verdicts: signatures and image indexes.

use super::{Attached, attached};
use crate::causes::with_causes;
use crate::image::{Digest, Document, ImageError, Manifest, Platform, Reference, Transports};
use crate::mirror::plan::{Extra, ExtraKind, ExtraVia, ExtrasByDigest, Plan, PlannedImage};
use std::collections::{BTreeMap, BTreeSet};

/// The content of a mirror that a policy is checked against. What cannot be read is the reason why.
#[derive(Debug, Clone, Default)]
pub struct Evidence {
    /// The signatures, by the digest of the manifest that contains them.
    pub signatures: BTreeMap<Digest, Result<Vec<Attached>, String>>,
    /// The manifests that are attestations, by the digest of the image index that lists them.
    pub attestations: BTreeMap<Digest, Result<BTreeSet<Digest>, String>>,
}

/// Reads the signatures and image indexes of the images in a plan, each from the reference that `place` returns for its
/// digest.
pub async fn evidence_of(
    plan: &Plan,
    transports: &Transports,
    place: impl Fn(&PlannedImage, &Digest) -> Option<Reference>,
) -> Evidence {
    let unplaced = || "no location is known for it".to_owned();
    let mut evidence = Evidence::default();
    let extras = ExtrasByDigest::of(plan);
    for image in &plan.images {
        let mut is_signed = false;
        for extra in extras.of_image(image).filter(|extra| is_signature(extra)) {
            is_signed = true;
            if evidence.signatures.contains_key(&extra.digest) {
                continue;
            }
            let read = match place(image, &extra.digest) {
                Some(reference) => signatures(transports, &reference)
                    .await
                    .map_err(|error| with_causes(&error)),
                None => Err(unplaced()),
            };
            evidence.signatures.insert(extra.digest, read);
        }
        // Without any signature, the image is rejected anyway.
        if !is_signed || !is_index(plan, image) || evidence.attestations.contains_key(&image.digest) {
            continue;
        }
        let read = match place(image, &image.digest) {
            Some(reference) => match transports.document(&reference).await {
                Ok(document) => attestations_in(&document),
                Err(error) => Err(with_causes(&error)),
            },
            None => Err(unplaced()),
        };
        evidence.attestations.insert(image.digest, read);
    }
    evidence
}

async fn signatures(transports: &Transports, reference: &Reference) -> Result<Vec<Attached>, ImageError> {
    attached(&transports.pull(reference).await?)
}

pub(super) fn is_signature(extra: &Extra) -> bool {
    extra.kind == ExtraKind::Signature && extra.via == ExtraVia::Tag
}

/// Whether an image is an image index of which some manifests are copied.
pub(in crate::mirror) fn is_index(plan: &Plan, image: &PlannedImage) -> bool {
    let manifest = plan.manifests.get(&image.digest);
    manifest.is_some_and(|manifest| !manifest.manifests.is_empty())
}

/// Returns the attestations from builders in an image index: the manifests that are listed only for the unknown
/// platform. Container engines may run every other entry, also one without a platform, whatever its annotations say.
///
/// # Errors
/// Returns the reason why the document is not an image index.
pub fn attestations_in(document: &Document) -> Result<BTreeSet<Digest>, String> {
    let entries = match document.manifest() {
        Ok(Manifest::Index(entries)) => entries,
        Ok(Manifest::Image(_)) => return Err("it is a single image".to_owned()),
        Err(problem) => return Err(format!("it {problem}")),
    };
    let (mut attestations, mut others) = (BTreeSet::new(), BTreeSet::new());
    for entry in entries {
        let is_unknown = entry.platform.as_ref().is_some_and(Platform::is_unknown);
        let set = if is_unknown { &mut attestations } else { &mut others };
        set.insert(entry.descriptor.digest);
    }
    Ok(&attestations - &others)
}
