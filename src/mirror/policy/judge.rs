//! Checks whether the images of a mirror have the signatures that a policy requires.

use super::{Attached, Identity, Policy, PublicKey, Requirement, attached};
use crate::causes::with_causes;
use crate::image::{Digest, ImageError, Reference, RegistryReference, Transports};
use crate::mirror::plan::{Extra, ExtraKind, ExtraVia, ExtrasByDigest, Plan, PlannedImage};
use serde::Serialize;
use std::collections::BTreeMap;

/// The verdict of a policy on an image under one of its names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// The name of the image.
    pub image: String,
    /// The digest of the image.
    pub digest: Digest,
    /// The policy scope that applies to the image; `None` if the policy does not cover the image.
    pub scope: Option<String>,
    /// The reason why the image is rejected; `None` if the image is accepted.
    pub refused: Option<String>,
}

/// The verdicts of a policy on all images.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Verdicts {
    /// A verdict for each name of each image, in the order of the plan.
    pub images: Vec<Verdict>,
}

impl Verdicts {
    /// Iterates over the verdicts that reject an image.
    pub fn refused(&self) -> impl Iterator<Item = &Verdict> {
        self.images.iter().filter(|verdict| verdict.refused.is_some())
    }
}

/// The signatures, or the reason why they cannot be read, by the digest of the manifest that contains them.
pub type Signatures = BTreeMap<Digest, Result<Vec<Attached>, String>>;

/// Reads the signatures of the images in a plan, each from the reference that `place` returns for its manifest.
pub async fn signatures_of(
    plan: &Plan,
    transports: &Transports,
    place: impl Fn(&PlannedImage, &Extra) -> Option<Reference>,
) -> Signatures {
    let mut signatures = Signatures::new();
    let extras = ExtrasByDigest::of(plan);
    for image in &plan.images {
        for extra in extras.of_image(image).filter(|extra| is_signature(extra)) {
            if signatures.contains_key(&extra.digest) {
                continue;
            }
            let read = match place(image, extra) {
                Some(reference) => read(transports, &reference).await.map_err(|error| with_causes(&error)),
                None => Err("no location is known for it".to_owned()),
            };
            signatures.insert(extra.digest, read);
        }
    }
    signatures
}

async fn read(transports: &Transports, reference: &Reference) -> Result<Vec<Attached>, ImageError> {
    attached(&transports.pull(reference).await?)
}

fn is_signature(extra: &Extra) -> bool {
    extra.kind == ExtraKind::Signature && extra.via == ExtraVia::Tag
}

/// Checks each image in a plan under all its names in catalogs and on the command line.
pub fn verdicts(plan: &Plan, policy: &Policy, signatures: &Signatures) -> Verdicts {
    let mut verdicts = Verdicts::default();
    let extras = ExtrasByDigest::of(plan);
    for image in &plan.images {
        for origin in &image.origins {
            let Ok(Reference::Registry(name)) = origin.parse() else {
                continue;
            };
            let judge = Judge {
                plan,
                image,
                extras: &extras,
                signatures,
            };
            let found = policy.requirements(&name);
            let refused = found.and_then(|(_, requirements)| judge.refusal(&name, requirements));
            verdicts.images.push(Verdict {
                image: origin.clone(),
                digest: image.digest,
                scope: found.map(|(scope, _)| scope.to_owned()),
                refused,
            });
        }
    }
    verdicts
}

struct Judge<'a> {
    plan: &'a Plan,
    image: &'a PlannedImage,
    extras: &'a ExtrasByDigest<'a>,
    signatures: &'a Signatures,
}

impl Judge<'_> {
    /// Returns the reason if the image is rejected.
    fn refusal(&self, name: &RegistryReference, requirements: &[Requirement]) -> Option<String> {
        requirements.iter().find_map(|requirement| match requirement {
            Requirement::Accept => None,
            Requirement::Reject => Some("the policy rejects it".to_owned()),
            Requirement::Unsupported { what } => Some(format!("the policy requires {what}, which is not supported")),
            Requirement::Signed { keys, identity } => self.signed(name, keys, identity).err(),
        })
    }

    /// Checks that the image is signed. An image index counts as signed if the index itself or all its platform images
    /// are signed, because container engines check either.
    fn signed(&self, name: &RegistryReference, keys: &[PublicKey], identity: &Identity) -> Result<(), String> {
        let whole = self.manifest(self.image.digest, name, keys, identity);
        let Err(why) = whole else { return Ok(()) };
        let children = self
            .plan
            .manifests
            .get(&self.image.digest)
            .map(|manifest| &manifest.manifests);
        let children: Vec<Digest> = children.into_iter().flatten().copied().collect();
        let signed = |child: &Digest| self.manifest(*child, name, keys, identity).is_ok();
        let (signed, unsigned): (Vec<Digest>, Vec<Digest>) = children.into_iter().partition(signed);
        match (signed.is_empty(), unsigned.first()) {
            (true, _) => Err(why),
            (false, None) => Ok(()),
            // Some of the manifests in the image index are attestations from builders. They are never signed.
            (false, Some(_)) if signed.len() >= self.image.platforms.len() => Ok(()),
            (false, Some(first)) => Err(format!("some platform images are signed, but {first} is not")),
        }
    }

    fn manifest(
        &self,
        digest: Digest,
        name: &RegistryReference,
        keys: &[PublicKey],
        identity: &Identity,
    ) -> Result<(), String> {
        let extras = self.extras.of_image(self.image);
        let mut why = "it has no signature".to_owned();
        for extra in extras.filter(|extra| extra.subject == digest && is_signature(extra)) {
            let found = match self.signatures.get(&extra.digest) {
                Some(Ok(found)) => found,
                Some(Err(error)) => {
                    why = format!("its signature cannot be read: {error}");
                    continue;
                }
                None => continue,
            };
            for signature in found {
                match signature.identity(digest, keys) {
                    Ok(signed) if identity.matches(name, &signed) => return Ok(()),
                    Ok(signed) => why = format!("its signature is for the name {signed:?}"),
                    Err(error) => why = format!("its signature is invalid: {error}"),
                }
            }
        }
        Err(why)
    }
}
