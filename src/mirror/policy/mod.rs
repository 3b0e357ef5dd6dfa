//! Reads signature policies in the formats of container engines and clusters, and checks whether mirrored images comply
//! with them.
//!
//! opmx checks signatures as container engines do. It supports only signatures that can be verified with a public key
//! and are stored under a tag derived from the digest of the signed image. The signatures are read from the target of
//! the image, but the policy for the original image name applies, as on a cluster with mirrors. Catalogs are judged by
//! their names at the target, because clusters pull them from there. No other servers are contacted.

mod evidence;
mod judge;
mod read;
mod signature;

pub use evidence::{Evidence, Signable, attestations_in, evidence_of};
pub(in crate::mirror) use evidence::{is_index, is_signature};
pub use judge::{Verdict, Verdicts, verdicts};
pub use read::{PolicyError, read};
pub use signature::{Attached, KeyError, PublicKey, attached};

use crate::image::{Reference, RegistryReference};
use std::collections::BTreeMap;

/// The name of the default in verdicts, instead of a scope.
const DEFAULT: &str = "default";

/// A signature policy.
#[derive(Debug, Clone, Default)]
pub struct Policy {
    /// The requirements for images to which no scope applies; `None` if there are none.
    pub default: Option<Vec<Requirement>>,
    /// The requirements for scopes. A scope is `*.DOMAIN`, `HOST[:PORT]`, a path below a host, a repository, or a tag
    /// or digest in a repository. All requirements of the most specific scope that contains an image apply to the
    /// image; no other requirements do.
    pub scopes: BTreeMap<String, Vec<Requirement>>,
}

/// A policy requirement for an image.
#[derive(Debug, Clone)]
pub enum Requirement {
    /// The image is always accepted.
    Accept,
    /// The image is always rejected.
    Reject,
    /// The image must have a signature by one of these keys for a name that matches the identity.
    Signed {
        /// The keys.
        keys: Vec<PublicKey>,
        /// The identity that a signature must match.
        identity: Identity,
    },
    /// A requirement that opmx cannot check.
    Unsupported {
        /// A description of the requirement.
        what: String,
    },
}

/// The image name that a signature must contain, usually derived from the name of the image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Identity {
    /// The same name and tag.
    Exact,
    /// The same name and tag or, for an image that is referenced by digest, the same repository.
    RepositoryOrExact,
    /// The same repository.
    Repository,
    /// This name and tag.
    ExactReference(String),
    /// This repository.
    ExactRepository(String),
    /// Like [`Identity::RepositoryOrExact`], but with a prefix of the image name replaced.
    Remap {
        /// The prefix of the image name.
        prefix: String,
        /// The corresponding prefix of the name in the signature.
        signed: String,
    },
}

impl Policy {
    /// Returns the requirements for an image and their scope, or `None` if there are no requirements.
    pub fn requirements(&self, image: &RegistryReference) -> Option<(&str, &[Requirement])> {
        let scoped = scopes(image).into_iter().find_map(|scope| {
            let (scope, requirements) = self.scopes.get_key_value(&scope)?;
            Some((scope.as_str(), requirements.as_slice()))
        });
        scoped.or_else(|| Some((DEFAULT, self.default.as_deref()?)))
    }
}

/// Returns the scopes of an image, most specific first.
fn scopes(image: &RegistryReference) -> Vec<String> {
    let repository = image.full_repository();
    let mut scopes = vec![exact(&repository, image)];
    let mut path = repository.as_str();
    loop {
        scopes.push(path.to_owned());
        match path.rsplit_once('/') {
            Some((parent, _)) => path = parent,
            None => break,
        }
    }
    let mut domain = path.split(':').next().unwrap_or_default();
    while let Some((_, parent)) = domain.split_once('.') {
        scopes.push(format!("*.{parent}"));
        domain = parent;
    }
    // The empty scope contains all images in registries.
    scopes.push(String::new());
    scopes
}

/// Returns the exact name of an image: its repository with its digest or, if it has none, its tag. Container engines
/// drop the tag of a name that contains both.
fn exact(repository: &str, image: &RegistryReference) -> String {
    match (image.digest(), image.tag()) {
        (Some(digest), _) => format!("{repository}@{digest}"),
        (None, tag) => format!("{repository}:{}", tag.unwrap_or("latest")),
    }
}

/// Returns the exact name that a policy or signature specifies, or `None` if it specifies only a repository. The tag
/// `latest` is not implied.
fn stated(name: &RegistryReference) -> Option<String> {
    let repository = name.full_repository();
    let written = name.as_written().split('@').next().unwrap_or_default();
    let has_tag = written.rsplit('/').next().is_some_and(|last| last.contains(':'));
    let tag = name.tag().filter(|_| has_tag).map(|tag| format!(":{tag}"));
    let digest = name.digest().map(|digest| format!("@{digest}"));
    let is_exact = tag.is_some() || digest.is_some();
    is_exact.then(|| format!("{repository}{}{}", tag.unwrap_or_default(), digest.unwrap_or_default()))
}

impl Identity {
    /// Whether a signature for the name `signed` applies to the image.
    pub fn matches(&self, image: &RegistryReference, signed: &str) -> bool {
        let Some(signed) = named(signed) else { return false };
        match self {
            Self::Exact => stated(&signed).is_some_and(|signed| signed == exact(&image.full_repository(), image)),
            Self::RepositoryOrExact => is_repository_or_exact(image, &image.full_repository(), &signed),
            Self::Repository => image.full_repository() == signed.full_repository(),
            Self::ExactReference(name) => {
                let name = named(name).and_then(|name| stated(&name));
                name.is_some() && name == stated(&signed)
            }
            Self::ExactRepository(name) => {
                named(name).is_some_and(|name| name.full_repository() == signed.full_repository())
            }
            Self::Remap { prefix, signed: to } => {
                let own = image.full_repository();
                let rest = own.strip_prefix(prefix.as_str());
                let mapped = rest
                    .filter(|rest| rest.is_empty() || rest.starts_with('/'))
                    .map_or_else(|| own.clone(), |rest| format!("{to}{rest}"));
                is_repository_or_exact(image, &mapped, &signed)
            }
        }
    }
}

/// Whether a signature for the name `signed` applies to an image, if `own` is used as the name of its repository.
fn is_repository_or_exact(image: &RegistryReference, own: &str, signed: &RegistryReference) -> bool {
    match image.digest() {
        Some(_) => own == signed.full_repository(),
        None => stated(signed).is_some_and(|signed| signed == exact(own, image)),
    }
}

fn named(text: &str) -> Option<RegistryReference> {
    match text.parse() {
        Ok(Reference::Registry(reference)) => Some(reference),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(text: &str) -> RegistryReference {
        named(text).unwrap()
    }

    const DIGEST: &str = "sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

    #[test]
    fn the_most_specific_scope_wins() {
        let scopes = scopes(&image("registry.example.com:5000/team/app:v1"));
        assert_eq!(
            scopes,
            [
                "registry.example.com:5000/team/app:v1",
                "registry.example.com:5000/team/app",
                "registry.example.com:5000/team",
                "registry.example.com:5000",
                "*.example.com",
                "*.com",
                ""
            ]
        );
        let policy = Policy {
            default: Some(vec![Requirement::Reject]),
            scopes: BTreeMap::from([("registry.example.com/team".to_owned(), vec![Requirement::Accept])]),
        };
        let scope = |text: &str| policy.requirements(&image(text)).unwrap().0;
        assert_eq!(scope("registry.example.com/team/app:v1"), "registry.example.com/team");
        assert_eq!(scope("registry.example.com/teams/app:v1"), "default");
        assert!(
            Policy::default()
                .requirements(&image("registry.example.com/a:v1"))
                .is_none()
        );
    }

    #[test]
    fn identities_are_matched_as_in_container_engines() {
        let own = "registry.example.com/team/app";
        let (by_tag, by_digest) = (format!("{own}:v1"), format!("{own}@{DIGEST}"));
        let by_both = format!("{own}:v1@{DIGEST}");
        let remap = Identity::Remap {
            prefix: "mirror.example.com/ours".to_owned(),
            signed: "registry.example.com/team".to_owned(),
        };
        let table: [(&Identity, &str, &str, bool); 24] = [
            (&Identity::RepositoryOrExact, &by_tag, &by_tag, true),
            (&Identity::RepositoryOrExact, &by_tag, own, false),
            (&Identity::RepositoryOrExact, &by_digest, own, true),
            (&Identity::RepositoryOrExact, &by_digest, &by_tag, true),
            (&Identity::RepositoryOrExact, &by_both, &by_tag, true),
            // Container engines drop the tag of a name with a digest.
            (&Identity::RepositoryOrExact, &by_both, own, true),
            (&Identity::RepositoryOrExact, &by_both, &format!("{own}:v2"), true),
            (
                &Identity::RepositoryOrExact,
                &by_both,
                "registry.example.com/team/other:v1",
                false,
            ),
            (&Identity::RepositoryOrExact, own, &format!("{own}:latest"), true),
            (&Identity::Repository, &by_tag, own, true),
            (&Identity::Repository, &by_tag, "registry.example.com/team/other", false),
            (&Identity::Exact, &by_tag, &by_tag, true),
            (&Identity::Exact, &by_digest, own, false),
            (&Identity::Exact, &by_digest, &by_digest, true),
            (&Identity::Exact, &by_both, &by_tag, false),
            (&Identity::Exact, &by_both, &by_digest, true),
            (&Identity::Exact, &by_tag, &by_both, false),
            (
                &Identity::ExactRepository(own.to_owned()),
                "other.example.com/a:v1",
                &by_tag,
                true,
            ),
            (
                &Identity::ExactReference(by_tag.clone()),
                "other.example.com/a:v1",
                &by_tag,
                true,
            ),
            (
                &Identity::ExactReference(by_tag.clone()),
                "other.example.com/a:v1",
                own,
                false,
            ),
            (&remap, "mirror.example.com/ours/app:v1", &by_tag, true),
            (&remap, "mirror.example.com/ourselves/app:v1", &by_tag, false),
            (&remap, &by_tag, &by_tag, true),
            (&Identity::Repository, &by_tag, "not a name", false),
        ];
        for (identity, image_name, signed, matches) in table {
            assert_eq!(
                identity.matches(&image(image_name), signed),
                matches,
                "{identity:?} {image_name} {signed}"
            );
        }
    }
}
