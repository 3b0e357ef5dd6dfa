//! The names of images at the target of a mirror.

use super::plan::{Plan, PlannedImage};
use super::request::{Naming, Place};
use crate::image::{Digest, Reference, RegistryReference};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Returns the tag for an image that is referenced only by digest. The tag does not have the form ALGORITHM-HEX,
/// because registries and signing tools use such tags for the referrers of the image.
pub fn digest_tag(digest: &Digest) -> String {
    format!("digest-{}", digest.hex())
}

/// Returns the tags of an image at the target: its own tag, and a digest tag if it is referenced by digest.
pub fn tags(image: &RegistryReference, place: &Place) -> BTreeSet<String> {
    let own = place.tag.as_deref().or_else(|| image.tag()).map(str::to_owned);
    let digest = image.digest().map(|digest| digest_tag(&digest));
    own.into_iter().chain(digest).collect()
}

/// Returns the repository of an image, including the registry.
pub fn repository_of(image: &RegistryReference) -> String {
    format!("{}/{}", image.registry(), image.repository())
}

/// Returns the path of a repository without its registry.
pub fn path_of(repository: &str) -> String {
    let path = repository.split_once('/').map(|(_, path)| path);
    path.unwrap_or(repository).to_owned()
}

/// The error for two images that would have the same name at the target.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{first} and {second} would both be copied to {destination}")]
pub struct TakenError {
    /// The common destination.
    pub destination: String,
    /// The first image.
    pub first: String,
    /// The second image.
    pub second: String,
}

/// Checks that no two images in a plan have the same name at the target.
///
/// # Errors
/// Returns an error if two images have the same name.
pub fn require_names(plan: &Plan) -> Result<(), TakenError> {
    let mut taken: BTreeMap<String, &PlannedImage> = BTreeMap::new();
    for image in &plan.images {
        let Some(repository) = &image.destination else { continue };
        for tag in &image.tags {
            let destination = format!("{repository}:{tag}");
            if let Some(first) = taken.insert(destination.clone(), image) {
                return Err(TakenError {
                    destination,
                    first: first.source.clone(),
                    second: image.source.clone(),
                });
            }
        }
    }
    Ok(())
}

impl Naming {
    /// Returns the repository of an image at the target, including the registry.
    pub fn repository(&self, image: &RegistryReference, place: &Place) -> String {
        let path = match &place.repository {
            Some(repository) => repository.clone(),
            None => self.path(image.registry(), image.repository()),
        };
        format!("{}/{path}", self.target)
    }

    /// Returns the repository of a catalog at the target, including the registry. `index` is the name of the index. A
    /// catalog outside a registry is named after the last component of `index`.
    pub fn catalog(&self, index: &str, is_image: bool, place: &Place) -> String {
        let parsed = if is_image { index.parse().ok() } else { None };
        let last = match &parsed {
            Some(Reference::Registry(image)) => return self.repository(image, place),
            Some(Reference::Layout { directory: path, .. } | Reference::Archive { file: path, .. }) => path.file_stem(),
            None => Path::new(index).file_stem(),
        };
        let last = last.and_then(|name| name.to_str()).unwrap_or("catalog").to_lowercase();
        let path = place.repository.clone().unwrap_or(last);
        format!("{}/{path}", self.target)
    }

    /// Returns the path of an image below the target. `repository` is its path in its own registry.
    pub fn path(&self, registry: &str, repository: &str) -> String {
        // A path cannot contain the colon of a port.
        let path = if self.keep_host {
            format!("{}/{repository}", registry.replace(':', "-"))
        } else {
            repository.to_owned()
        };
        let parts: Vec<&str> = path.split('/').collect();
        match self.most_parts {
            0 => path,
            most if parts.len() <= most => path,
            most => {
                let (kept, joined) = parts.split_at(most - 1);
                kept.iter()
                    .copied()
                    .chain([joined.join("-").as_str()])
                    .collect::<Vec<_>>()
                    .join("/")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn naming(keep_host: bool, most_parts: usize) -> Naming {
        Naming {
            target: "mirror.example.com:5000/ocp".parse().unwrap(),
            keep_host,
            most_parts,
        }
    }

    #[test]
    fn the_path_stays_below_the_target() {
        let path = |keep_host, most| naming(keep_host, most).path("registry.example.com:80", "a/b/c/d");
        assert_eq!(path(false, 0), "a/b/c/d");
        assert_eq!(path(true, 0), "registry.example.com-80/a/b/c/d");
        assert_eq!(path(false, 2), "a/b-c-d");
        assert_eq!(path(false, 1), "a-b-c-d");
        assert_eq!(path(false, 4), "a/b/c/d");
    }
}
