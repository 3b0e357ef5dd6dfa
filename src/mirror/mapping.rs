//! Maps images to their destinations in another registry, as the lines `SOURCE=DESTINATION` that mirroring clients read
//! from a file.
//!
//! These clients read the source by tag or digest, and write the destination by tag, because registries may delete
//! untagged images. Therefore, an image that is referenced by digest is written with a tag derived from its digest. The
//! image keeps its digest, so it can still be referenced by digest in the new repository.

use super::naming::digest_tag;
use super::request::{Naming, Place};
use super::target::Target;
use crate::image::{Reference, RegistryReference};
use std::collections::BTreeMap;
use std::fmt;

/// An image to copy.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Line {
    /// The full image name, by tag or digest.
    pub source: String,
    /// The repository and tag of the copy.
    pub destination: String,
}

/// The reason why images cannot be copied.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MappingError {
    /// The string is not the name of an image in a registry.
    #[error("{image:?} cannot be copied because it is not an image in a registry")]
    NotAnImage {
        /// The invalid image name.
        image: String,
    },
    /// Images from two registries would have the same name.
    #[error("{first} and {second} would both be copied to {destination}")]
    Taken {
        /// The common destination.
        destination: String,
        /// The first image.
        first: String,
        /// The second image.
        second: String,
    },
}

impl fmt::Display for Line {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}={}", self.source, self.destination)
    }
}

/// Returns the destination of each image: the target followed by the path of the image in its registry. If `keep_host`
/// is set, the path begins with the host of that registry. The lines are sorted by source. Two spellings of the same
/// reference, such as with and without `:latest`, result in one line.
///
/// # Errors
/// Returns the images that cannot be copied. Conflicting names are never changed, because the destination of an image
/// would then depend on the other images that are copied.
pub fn mapping<'a>(
    images: impl IntoIterator<Item = &'a str>,
    target: &Target,
    keep_host: bool,
) -> Result<Vec<Line>, Vec<MappingError>> {
    let (mut sources, mut taken) = (BTreeMap::new(), BTreeMap::<String, String>::new());
    let mut errors = Vec::new();
    for image in images {
        match image.parse() {
            Ok(Reference::Registry(reference)) => {
                let (source, destination) = place(&reference, target, keep_host);
                sources.insert(source, destination);
            }
            _ => errors.push(MappingError::NotAnImage {
                image: image.to_owned(),
            }),
        }
    }
    for (source, destination) in &sources {
        if let Some(first) = taken.insert(destination.clone(), source.clone()) {
            errors.push(MappingError::Taken {
                destination: destination.clone(),
                first,
                second: source.clone(),
            });
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let lines = sources
        .into_iter()
        .map(|(source, destination)| Line { source, destination });
    Ok(lines.collect())
}

fn place(reference: &RegistryReference, target: &Target, keep_host: bool) -> (String, String) {
    let naming = Naming {
        target: target.clone(),
        keep_host,
        most_parts: 0,
    };
    let (name, tag) = if let Some(digest) = reference.digest() {
        (format!("@{digest}"), digest_tag(&digest))
    } else {
        let tag = reference.tag().unwrap_or("latest");
        (format!(":{tag}"), tag.to_owned())
    };
    let (registry, repository) = (reference.registry(), reference.repository());
    let destination = naming.repository(reference, &Place::default());
    (format!("{registry}/{repository}{name}"), format!("{destination}:{tag}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIGEST: &str = "sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

    fn lines(images: &[&str], keep_host: bool) -> Result<Vec<String>, Vec<MappingError>> {
        let target: Target = "mirror.example.com:5000/olm/".parse().unwrap();
        let lines = mapping(images.iter().copied(), &target, keep_host)?;
        Ok(lines.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn the_path_is_kept_and_a_digest_becomes_a_tag() {
        let by_digest = format!("registry.example.com/a/b@{DIGEST}");
        let by_both = format!("registry.example.com/a/b:v1@{DIGEST}");
        let hex = &DIGEST[7..];
        assert_eq!(
            lines(
                &[
                    &by_digest,
                    &by_both,
                    "registry.example.com/a/b:v1",
                    "registry.example.com/c"
                ],
                false
            )
            .unwrap(),
            [
                "registry.example.com/a/b:v1=mirror.example.com:5000/olm/a/b:v1".to_owned(),
                format!("registry.example.com/a/b@{DIGEST}=mirror.example.com:5000/olm/a/b:digest-{hex}"),
                "registry.example.com/c:latest=mirror.example.com:5000/olm/c:latest".to_owned(),
            ]
        );
    }

    #[test]
    fn all_spellings_of_an_image_are_one_line_readable_by_clients() {
        let images = [
            "docker://registry.example.com/a",
            "registry.example.com/a",
            "registry.example.com/a:latest",
        ];
        let line = "registry.example.com/a:latest=mirror.example.com:5000/olm/a:latest";
        assert_eq!(lines(&images, false).unwrap(), [line]);
    }

    #[test]
    fn two_images_never_get_the_same_name() {
        let images = ["one.example.com:80/a/b:v1", "two.example.com/a/b:v1"];
        let errors = lines(&images, false).unwrap_err();
        assert_eq!(
            errors[0].to_string(),
            "one.example.com:80/a/b:v1 and two.example.com/a/b:v1 would both be copied to mirror.example.com:5000/olm/a/b:v1"
        );
        assert_eq!(
            lines(&images, true).unwrap(),
            [
                "one.example.com:80/a/b:v1=mirror.example.com:5000/olm/one.example.com-80/a/b:v1",
                "two.example.com/a/b:v1=mirror.example.com:5000/olm/two.example.com/a/b:v1",
            ]
        );
    }

    #[test]
    fn a_name_that_is_not_a_registry_image_is_rejected() {
        for image in ["oci:dir:v1", "A b", "a=b", ""] {
            let errors = lines(&[image, "registry.example.com/fine:v1"], false).unwrap_err();
            assert_eq!(
                errors,
                [MappingError::NotAnImage {
                    image: image.to_owned()
                }]
            );
        }
    }
}
