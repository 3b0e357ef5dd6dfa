//! The names of images at the target of a mirror.

use super::plan::{Plan, PlannedCatalog, PlannedImage};
use super::request::{Naming, Place};
use crate::image::{Digest, Reference, RegistryReference};
use std::collections::BTreeSet;
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

/// Returns the tag that names an image at the target: its own tag or, if it has none, the tag of its digest.
pub(super) fn main_tag<'t>(tags: &'t BTreeSet<String>, digest: &Digest) -> Option<&'t String> {
    let of_digest = digest_tag(digest);
    tags.iter().find(|tag| **tag != of_digest).or_else(|| tags.first())
}

/// Returns the name of an image by digest. It does not depend on the spelling of the reference, such as a transport or
/// an omitted registry, so that the names of one image are the same.
pub(super) fn pinned_name(image: &RegistryReference, digest: &Digest) -> String {
    format!("{}@{digest}", image.full_repository())
}

/// Returns the path of a repository without its registry.
pub fn path_of(repository: &str) -> String {
    let path = repository.split_once('/').map(|(_, path)| path);
    path.unwrap_or(repository).to_owned()
}

/// The prefix of the source of a catalog image in the OCI layout next to a plan.
pub const CATALOG: &str = "catalog:";

/// Returns the name of an image as shown to users: the name of the index for a catalog in the layout, and
/// otherwise the reference. `catalogs` are the names of the indexes in the plan.
pub fn shown<'a>(image: &'a str, catalogs: &'a [String]) -> &'a str {
    let place = image.strip_prefix(CATALOG).and_then(|place| place.parse().ok());
    let catalog = place.and_then(|place: usize| catalogs.get(place));
    catalog.map_or(image, String::as_str)
}

/// Returns the position of the catalog to which this image belongs.
pub(super) fn catalog_of(plan: &Plan, image: &PlannedImage) -> Option<usize> {
    if let Some(place) = image.source.strip_prefix(CATALOG) {
        return place.parse().ok().filter(|place| *place < plan.catalogs.len());
    }
    let own = |catalog: &PlannedCatalog| catalog.digest_after == image.digest && catalog.path == image.path;
    plan.catalogs.iter().position(own).filter(|_| image.is_catalog())
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
    /// catalog outside a registry is named after the last component of `index`, in the form that registries allow.
    pub fn catalog(&self, index: &str, is_image: bool, place: &Place) -> String {
        let parsed = if is_image { index.parse().ok() } else { None };
        let last = match &parsed {
            Some(Reference::Registry(image)) => return self.repository(image, place),
            Some(Reference::Layout { directory: path, .. } | Reference::Archive { file: path, .. }) => path.file_stem(),
            None => Path::new(index).file_stem(),
        };
        let last = || component(&last.unwrap_or_default().to_string_lossy());
        let path = place.repository.clone().unwrap_or_else(last);
        format!("{}/{path}", self.target)
    }

    /// Returns the path of an image below the target. `repository` is its path in its own registry.
    pub fn path(&self, registry: &str, repository: &str) -> String {
        // A path cannot contain the colon of a port or uppercase letters.
        let path = if self.keep_host {
            format!("{}/{repository}", component(registry))
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

/// Returns a component of a repository path for a file name. Only lowercase ASCII letters and digits are allowed, with
/// certain separators between them; everything else becomes a hyphen between its neighbors.
fn component(name: &str) -> String {
    let (mut component, mut between) = (String::new(), String::new());
    for letter in name.to_lowercase().chars() {
        if !letter.is_ascii_lowercase() && !letter.is_ascii_digit() {
            between.push(letter);
            continue;
        }
        if !component.is_empty() {
            component.push_str(match between.as_str() {
                "" | "." | "_" | "__" => &between,
                dashes if dashes.bytes().all(|byte| byte == b'-') => dashes,
                _ => "-",
            });
        }
        between.clear();
        component.push(letter);
    }
    if component.is_empty() {
        "catalog".to_owned()
    } else {
        component
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
    fn the_path_is_kept_below_the_target() {
        let path = |keep_host, most| naming(keep_host, most).path("registry.example.com:80", "a/b/c/d");
        assert_eq!(path(false, 0), "a/b/c/d");
        assert_eq!(path(true, 0), "registry.example.com-80/a/b/c/d");
        let named = naming(true, 0).path("Registry.Example.com", "a");
        assert_eq!(named, "registry.example.com/a");
        assert_eq!(path(false, 2), "a/b-c-d");
        assert_eq!(path(false, 1), "a-b-c-d");
        assert_eq!(path(false, 4), "a/b/c/d");
    }

    #[test]
    fn all_spellings_of_an_image_have_one_name() {
        let digest = Digest::of(b"x");
        for written in [
            "busybox",
            "docker.io/library/busybox:v1",
            "docker://docker.io/library/busybox",
        ] {
            let Ok(Reference::Registry(image)) = written.parse() else {
                panic!("{written} is in no registry");
            };
            let name = format!("docker.io/library/busybox@{digest}");
            assert_eq!(pinned_name(&image, &digest), name, "{written}");
        }
    }

    #[test]
    fn an_image_is_named_by_its_tag_rather_than_its_digest() {
        let digest = Digest::of(b"x");
        let of = |tags: &[&str]| main_tag(&tags.iter().map(|tag| (*tag).to_owned()).collect(), &digest).cloned();
        let by_digest = digest_tag(&digest);
        assert_eq!(of(&[&by_digest, "v1"]).as_deref(), Some("v1"));
        assert_eq!(of(&[&by_digest, "digest-a"]).as_deref(), Some("digest-a"));
        assert_eq!(of(&[&by_digest]), Some(by_digest.clone()));
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn a_catalog_in_a_file_gets_a_valid_registry_name() {
        for (index, name) in [
            ("index.db", "index"),
            ("indexes/My Index.db", "my-index"),
            ("a__b.c--d_2.db", "a__b.c--d_2"),
            ("v4.18 (old)!.db", "v4.18-old"),
            ("Ünï.db", "n"),
            ("__x_.-y.db", "x-y"),
            ("a:1.db", "a-1"),
            ("目录.db", "catalog"),
            ("..", "catalog"),
        ] {
            let made = naming(false, 0).catalog(index, false, &Place::default());
            assert_eq!(made, format!("mirror.example.com:5000/ocp/{name}"), "{index}");
            RegistryReference::of_repository(&made).unwrap();
        }
    }
}
