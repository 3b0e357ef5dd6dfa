//! Checks whether the images of a mirror have the signatures that a policy requires.

use super::evidence::Evidence;
use super::{DEFAULT, Identity, Policy, PublicKey, Requirement};
use crate::image::{Digest, Reference, RegistryReference};
use crate::mirror::plan::{ImageRole, Plan, PlannedImage};
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt;

/// The verdict of a policy on an image under one of its names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// The name of the image.
    pub image: String,
    /// The digest of the image.
    pub digest: Digest,
    /// The policy scope that applies to the image, or `default`; `None` if the policy does not cover the image.
    pub scope: Option<String>,
    /// The reason why the image is rejected; `None` if the image is accepted.
    pub refused: Option<String>,
}

/// The verdicts of a policy on all images of a plan.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Verdicts {
    /// A verdict for each name of each image, in the order of the plan.
    pub images: Vec<Verdict>,
}

impl Verdicts {
    /// Iterates over the verdicts that reject an image.
    pub fn refused(&self) -> impl Iterator<Item = &Verdict> {
        self.images.iter().filter(|verdict| verdict.refused.is_some())
    }

    /// Returns the number of accepted names that no scope of the policy covers, so that at most its default applies.
    pub fn unscoped(&self) -> usize {
        let accepted = self.images.iter().filter(|verdict| verdict.refused.is_none());
        let is_unscoped = |scope: &Option<String>| scope.as_deref().is_none_or(|scope| scope == DEFAULT);
        accepted.filter(|verdict| is_unscoped(&verdict.scope)).count()
    }
}

/// Checks each image in a plan under all names by which clusters pull it.
pub fn verdicts(plan: &Plan, policy: &Policy, evidence: &Evidence) -> Verdicts {
    let mut verdicts = Verdicts::default();
    for image in &plan.images {
        for image_name in names(image) {
            let Ok(Reference::Registry(name)) = image_name.parse() else {
                continue;
            };
            let judge = Judge { plan, image, evidence };
            let found = policy.requirements(&name);
            let refused = found.and_then(|(_, requirements)| judge.refusal(&name, requirements));
            verdicts.images.push(Verdict {
                image: image_name,
                digest: image.digest,
                scope: found.map(|(scope, _)| scope.to_owned()),
                refused,
            });
        }
    }
    verdicts
}

/// Returns the names by which clusters pull an image. They pull catalogs by their names at the mirror, and all other
/// images by their names in catalogs, which the cluster maps to the mirror. Without a destination, the name of a
/// catalog at the mirror is unknown.
fn names(image: &PlannedImage) -> BTreeSet<String> {
    let Some(destination) = image.destination.as_deref().filter(|_| image.is_catalog()) else {
        return image.origins.clone();
    };
    let at_mirror = image.tags.iter().map(|tag| format!("{destination}:{tag}"));
    let is_also_used = image.uses.iter().any(|used| used.role != ImageRole::Catalog);
    let origins = image.origins.iter().filter(|_| is_also_used).cloned();
    at_mirror.chain(origins).collect()
}

struct Judge<'a> {
    plan: &'a Plan,
    image: &'a PlannedImage,
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

    /// Checks that the image is signed. Of an image index, container engines check only the image that they choose for
    /// their platform: a signature of the index itself is neither sufficient nor needed. Attestations from builders
    /// are never chosen.
    fn signed(&self, name: &RegistryReference, keys: &[PublicKey], identity: &Identity) -> Result<(), String> {
        let check = |digest: Digest| self.manifest(digest, name, keys, identity);
        let index = self.plan.manifests.get(&self.image.digest);
        let listed = index.map_or(&[][..], |index| &index.manifests);
        let unsigned = listed
            .iter()
            .filter_map(|digest| Some((*digest, check(*digest).err()?)));
        let unsigned: Vec<(Digest, Unsigned)> = unsigned.collect();
        // Only the index tells which of its entries a container engine may run: several can be for the same platform,
        // and some specify no platform.
        let attestations = match self.evidence.attestations.get(&self.image.digest) {
            Some(Err(error)) if !unsigned.is_empty() => return Err(format!("its image index cannot be read: {error}")),
            Some(Ok(attestations)) => Some(attestations),
            _ => None,
        };
        let is_attestation = |digest: &Digest| attestations.is_some_and(|found| found.contains(digest));
        if listed.iter().all(is_attestation) {
            return check(self.image.digest).map_err(|why| why.to_string());
        }
        let Some((first, why)) = unsigned.iter().find(|(digest, _)| !is_attestation(digest)) else {
            return Ok(());
        };
        Err(match why {
            Unsigned::Other(why) => format!("{first} in its index is not signed as required: {why}"),
            Unsigned::Absent if unsigned.len() < listed.len() => {
                format!("some images of its index are signed, but {first} is not")
            }
            Unsigned::Absent => match check(self.image.digest) {
                Ok(()) => format!(
                    "only its index is signed, but container engines check the images in it, such as {first}; sign the \
                     index recursively"
                ),
                Err(why) => why.to_string(),
            },
        })
    }

    fn manifest(
        &self,
        digest: Digest,
        name: &RegistryReference,
        keys: &[PublicKey],
        identity: &Identity,
    ) -> Result<(), Unsigned> {
        let place = (self.image.destination.clone(), digest);
        let found = match self.evidence.signatures.get(&place) {
            Some(Ok(found)) => found,
            Some(Err(error)) => return Err(Unsigned::Other(format!("its signature cannot be read: {error}"))),
            None => return Err(Unsigned::Absent),
        };
        let mut why = Unsigned::Absent;
        for signature in found {
            why = Unsigned::Other(match signature.identity(digest, keys) {
                Ok(signed) if identity.matches(name, &signed) => return Ok(()),
                Ok(signed) => format!("its signature is for the name {signed:?}"),
                Err(error) => format!("its signature is invalid: {error}"),
            });
        }
        Err(why)
    }
}

/// The reason why a manifest is not signed as required.
enum Unsigned {
    /// There is no signature.
    Absent,
    /// No signature is acceptable, for this reason.
    Other(String),
}

impl fmt::Display for Unsigned {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absent => formatter.write_str("it has no signature"),
            Self::Other(why) => formatter.write_str(why),
        }
    }
}
