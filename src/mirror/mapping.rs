//! Where images go in another registry: the lines `SOURCE=DESTINATION` that mirroring clients read from a file.
//!
//! Such a client names what it copies by tag or digest, and what it writes by a tag; without a tag nothing in the
//! registry would hold on to the image. So an image that is named by digest gets a tag that is made of its digest. It
//! keeps its digest, and with it its name below the new repository.

use crate::image::{Reference, RegistryReference};
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// A registry, with the folder in it under which images are put.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target(String);

/// A string that names no place for images.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is no place for images: expected REGISTRY[/PREFIX], such as mirror.example.com:5000/operators")]
pub struct TargetError {
    /// The text.
    pub text: String,
}

/// An image to copy.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Line {
    /// The image with its whole name, by tag or digest.
    pub source: String,
    /// The repository and tag that it gets.
    pub destination: String,
}

/// Why images cannot be copied.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MappingError {
    /// It is not a name that a registry could be asked for.
    #[error("{image:?} cannot be copied: it is not an image in a registry")]
    NotAnImage {
        /// The text.
        image: String,
    },
    /// Images of two registries would get one name.
    #[error("{first} and {second} would both become {destination}")]
    Taken {
        /// The name.
        destination: String,
        /// An image.
        first: String,
        /// The other image.
        second: String,
    },
}

impl FromStr for Target {
    type Err = TargetError;

    fn from_str(text: &str) -> Result<Self, TargetError> {
        let fail = || TargetError { text: text.to_owned() };
        let place = text.trim_end_matches('/');
        let host = place.split('/').next().unwrap_or_default();
        // A tag or digest would end up in the middle of the names.
        let rest = place.strip_prefix(host).unwrap_or_default();
        let is_host = host == "localhost" || host.contains(['.', ':']);
        if !is_host || rest.contains([':', '@']) {
            return Err(fail());
        }
        match format!("{place}/image:tag").parse() {
            Ok(Reference::Registry(parsed)) if parsed.registry() == host => Ok(Self(place.to_owned())),
            _ => Err(fail()),
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl fmt::Display for Line {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}={}", self.source, self.destination)
    }
}

/// Where each image goes: below the target under the path that it has in its own registry, with the host of that in
/// front of the path where `keep_host` is set. Sorted by source; an image that is named in two ways stands there once.
///
/// # Errors
/// All that cannot be copied. Names are never made up to avoid that two images get one: the place of an image would
/// depend on which others are copied with it.
pub fn mapping<'a>(
    images: impl IntoIterator<Item = &'a str>,
    target: &Target,
    keep_host: bool,
) -> Result<Vec<Line>, Vec<MappingError>> {
    let (mut sources, mut taken) = (BTreeMap::new(), BTreeMap::<String, String>::new());
    let mut errors = Vec::new();
    for image in images {
        match image.parse() {
            Ok(Reference::Registry(reference)) if reference.as_written() == image => {
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
    let (registry, repository) = (reference.registry(), reference.repository());
    // No path may hold the colon of a port.
    let host = if keep_host {
        format!("{}/", registry.replace(':', "-"))
    } else {
        String::new()
    };
    let (name, tag) = if let Some(digest) = reference.digest() {
        let digest = digest.to_string();
        let hex = digest.split(':').next_back().unwrap_or_default();
        // The form ALGORITHM-HEX is taken: registries and signing tools keep there what refers to the image.
        let tag = format!("digest-{hex}");
        (format!("@{digest}"), tag)
    } else {
        let tag = reference.tag().unwrap_or("latest");
        (format!(":{tag}"), tag.to_owned())
    };
    (
        format!("{registry}/{repository}{name}"),
        format!("{target}/{host}{repository}:{tag}"),
    )
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
    fn the_path_stays_and_a_digest_becomes_a_tag() {
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
    fn two_images_never_get_one_name() {
        let images = ["one.example.com:80/a/b:v1", "two.example.com/a/b:v1"];
        let errors = lines(&images, false).unwrap_err();
        assert_eq!(
            errors[0].to_string(),
            "one.example.com:80/a/b:v1 and two.example.com/a/b:v1 would both become mirror.example.com:5000/olm/a/b:v1"
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
    fn what_is_no_image_in_a_registry_is_refused() {
        for image in ["oci:dir:v1", "docker://registry.example.com/a:v1", "A b", "a=b", ""] {
            let errors = lines(&[image, "registry.example.com/fine:v1"], false).unwrap_err();
            assert_eq!(
                errors,
                [MappingError::NotAnImage {
                    image: image.to_owned()
                }]
            );
        }
    }

    #[test]
    fn a_target_is_a_registry_with_a_path() {
        for text in ["localhost", "localhost:5000", "mirror.example.com/a/b/"] {
            assert_eq!(text.parse::<Target>().unwrap().to_string(), text.trim_end_matches('/'));
        }
        for text in [
            "",
            "/",
            "a",
            "a/b",
            "mirror.example.com/a:v1",
            "mirror.example.com/A",
            "oci:dir",
            "mirror.example.com/a=b",
        ] {
            assert!(text.parse::<Target>().is_err(), "{text:?}");
        }
    }
}
