//! Checks whether the images of a mirror have the signatures that a policy requires.

use super::evidence::{Evidence, is_signature};
use super::{Identity, Policy, PublicKey, Requirement};
use crate::image::{Digest, Reference, RegistryReference};
use crate::mirror::plan::{ExtrasByDigest, Plan, PlannedImage};
use serde::Serialize;

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

/// Checks each image in a plan under all its names in catalogs and on the command line.
pub fn verdicts(plan: &Plan, policy: &Policy, evidence: &Evidence) -> Verdicts {
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
                evidence,
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
    evidence: &'a Evidence,
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

    /// Checks that the image is signed. An image index counts as signed if the index itself or all its images are
    /// signed, because container engines check either. Attestations from builders are never signed.
    fn signed(&self, name: &RegistryReference, keys: &[PublicKey], identity: &Identity) -> Result<(), String> {
        let whole = self.manifest(self.image.digest, name, keys, identity);
        let Err(why) = whole else { return Ok(()) };
        let root = self.plan.manifests.get(&self.image.digest);
        let children = root.into_iter().flat_map(|root| &root.manifests);
        let is_signed = |child: &Digest| self.manifest(*child, name, keys, identity).is_ok();
        let (signed, unsigned): (Vec<Digest>, Vec<Digest>) = children.copied().partition(is_signed);
        if signed.is_empty() {
            return Err(why);
        }
        // Only the index tells which of its entries a container engine may run: several can be for the same platform,
        // and some specify no platform.
        let attestations = match self.evidence.attestations.get(&self.image.digest) {
            Some(Err(error)) if !unsigned.is_empty() => return Err(format!("its image index cannot be read: {error}")),
            Some(Ok(attestations)) => Some(attestations),
            _ => None,
        };
        let is_attestation = |child: &Digest| attestations.is_some_and(|found| found.contains(child));
        match unsigned.iter().find(|child| !is_attestation(child)) {
            Some(first) => Err(format!("some images of its index are signed, but {first} is not")),
            None => Ok(()),
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
            let found = match self.evidence.signatures.get(&extra.digest) {
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
