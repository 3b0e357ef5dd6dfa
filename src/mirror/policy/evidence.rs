//! Reads the content of a mirror on which a policy bases its verdicts: signatures and image indexes.

use super::{Attached, attached};
use crate::causes::with_causes;
use crate::concurrent;
use crate::image::{
    Digest, Document, ImageError, Manifest, Platform, Reference, RegistryReference, Transports, fallback_tag,
};
use crate::mirror::plan::{Extra, ExtraKind, ExtraVia, Plan, PlannedImage};
use futures_util::StreamExt;
use std::collections::{BTreeMap, BTreeSet};

/// A manifest that may be signed: the destination of its image, if it has one, and the digest of the manifest.
pub type Signable = (Option<String>, Digest);

/// The content of a mirror that a policy is checked against. What cannot be read is the reason why.
#[derive(Debug, Clone, Default)]
pub struct Evidence {
    /// The signatures of each manifest. Unsigned manifests are absent.
    pub signatures: BTreeMap<Signable, Result<Vec<Attached>, String>>,
    /// The manifests that are attestations, by the digest of the image index that lists them.
    pub attestations: BTreeMap<Digest, Result<BTreeSet<Digest>, String>>,
}

/// Reads the signatures and image indexes of the images in a plan from their destinations, with `parallel` requests at
/// a time. The signatures need not be in the plan: images can also be signed at the mirror, as rebuilt catalogs are.
pub async fn evidence_of(plan: &Plan, target: &Transports, parallel: usize) -> Evidence {
    let placed = plan.images.iter().filter(|image| image.destination.is_some());
    let wanted: BTreeSet<Signable> = placed.flat_map(|image| signable(plan, image)).collect();
    let looks = concurrent::unordered(wanted, parallel, |place| async move {
        let read = signatures(target, &place).await;
        (place, read.map_err(|error| with_causes(&error)).transpose())
    });
    let signatures = looks.filter_map(async |(place, read)| Some((place, read?)));
    let mut evidence = Evidence {
        signatures: signatures.collect().await,
        attestations: BTreeMap::new(),
    };
    // Without any signature, the image is rejected anyway.
    let is_signed = |image: &&PlannedImage| {
        let mut signable = signable(plan, image).into_iter();
        is_index(plan, image) && signable.any(|place| evidence.signatures.contains_key(&place))
    };
    let indexes = plan.images.iter().filter(is_signed);
    let indexes: BTreeMap<Digest, &str> = indexes
        .filter_map(|image| Some((image.digest, image.destination.as_deref()?)))
        .collect();
    let looks = concurrent::unordered(indexes, parallel, |(digest, repository)| async move {
        let read = document(target, repository, &digest).await;
        let read = read.map_err(|error| with_causes(&error));
        (digest, read.and_then(|document| attestations_in(&document)))
    });
    evidence.attestations = looks.collect().await;
    evidence
}

/// Returns the manifests of an image whose signatures matter: its own and, in an image index, those that it lists.
pub(super) fn signable(plan: &Plan, image: &PlannedImage) -> Vec<Signable> {
    let listed = plan.manifests.get(&image.digest).map(|root| root.manifests.as_slice());
    let all = [image.digest].into_iter().chain(listed.into_iter().flatten().copied());
    all.map(|digest| (image.destination.clone(), digest)).collect()
}

/// Returns the signatures under the signature tag of a manifest, or `None` if there is no such tag.
async fn signatures(target: &Transports, place: &Signable) -> Result<Option<Vec<Attached>>, ImageError> {
    let (Some(repository), signed) = place else {
        return Ok(None);
    };
    let repository = RegistryReference::of_repository(repository)?;
    let tag = format!("{}.sig", fallback_tag(signed));
    let Some(found) = target.lookup(&repository.with_tag(&tag)?).await? else {
        return Ok(None);
    };
    let pinned = Reference::Registry(repository.with_digest(&found.descriptor.digest));
    attached(&target.pull(&pinned).await?).map(Some)
}

async fn document(target: &Transports, repository: &str, digest: &Digest) -> Result<Document, ImageError> {
    let repository = RegistryReference::of_repository(repository)?;
    target
        .document(&Reference::Registry(repository.with_digest(digest)))
        .await
}

/// Whether container engines find a referrer as a signature: by its tag, even if the registry also lists it.
pub(in crate::mirror) fn is_signature(extra: &Extra) -> bool {
    extra.kind == ExtraKind::Signature && (extra.via == ExtraVia::Tag || extra.tag.is_some())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_under_a_tag_counts_even_if_the_registry_also_lists_it() {
        let extra = |via, tag: Option<&str>| Extra {
            subject: Digest::of(b"image"),
            digest: Digest::of(b"signature"),
            kind: ExtraKind::Signature,
            via,
            artifact_type: None,
            tag: tag.map(str::to_owned),
            bytes: 1,
        };
        assert!(is_signature(&extra(ExtraVia::Tag, Some("sha256-1.sig"))));
        assert!(is_signature(&extra(ExtraVia::Referrers, Some("sha256-1.sig"))));
        assert!(!is_signature(&extra(ExtraVia::Referrers, None)));
    }
}
