//! References to images in registries, layout directories and archive files.
//!
//! The syntax is that of the container tools: `[docker://]host/repository:tag`, `oci:DIRECTORY[:TAG]` and
//! `oci-archive:FILE[:TAG]`. In the last two forms, `@sha256:…` selects an image by digest.

mod error;
mod name;
mod registry;

pub use error::ReferenceError;
pub(crate) use name::{check_path, check_tag, plain_host};
pub use registry::RegistryReference;

use super::digest::Digest;
use crate::causes::with_causes;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// A reference to an image.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Reference {
    /// An image in a registry that implements the OCI distribution specification.
    Registry(RegistryReference),
    /// An image in an OCI image layout directory. [`Reference::layout`] creates one.
    #[non_exhaustive]
    Layout {
        /// The directory that contains `index.json`.
        directory: PathBuf,
        /// The value of the annotation `org.opencontainers.image.ref.name`, or a digest. `None` selects the only image.
        tag: Option<String>,
    },
    /// An image in a tar file with an OCI image layout. [`Reference::archive`] creates one.
    #[non_exhaustive]
    Archive {
        /// The tar file.
        file: PathBuf,
        /// The tag or digest, as in [`Reference::Layout`].
        tag: Option<String>,
    },
}

impl Reference {
    /// Creates a reference to an image in an OCI image layout directory. `tag` is a tag or a digest; without it, the
    /// reference selects the only image.
    ///
    /// # Errors
    /// Returns an error if the reference cannot be written as a string, for example because the path contains a colon.
    pub fn layout(directory: impl Into<PathBuf>, tag: Option<String>) -> Result<Self, ReferenceError> {
        let directory = directory.into();
        Self::Layout { directory, tag }.if_writable()
    }

    /// Creates a reference to an image in a tar file with an OCI image layout, as [`Reference::layout`] does.
    ///
    /// # Errors
    /// Returns an error if the reference cannot be written as a string, for example because the path contains a colon.
    pub fn archive(file: impl Into<PathBuf>, tag: Option<String>) -> Result<Self, ReferenceError> {
        let file = file.into();
        Self::Archive { file, tag }.if_writable()
    }

    fn if_writable(self) -> Result<Self, ReferenceError> {
        let written = self.to_string();
        if written.parse::<Self>()? == self {
            return Ok(self);
        }
        let problem = match self {
            Self::Layout { directory: path, .. } | Self::Archive { file: path, .. } if path.to_str().is_none() => {
                "its path is not UTF-8".to_owned()
            }
            _ => COLON.to_owned(),
        };
        Err(ReferenceError::Grammar {
            reference: written,
            problem,
        })
    }

    /// Returns a reference to the image with this digest in the same place. The tag is omitted.
    #[must_use]
    pub fn with_digest(&self, digest: &Digest) -> Self {
        match self {
            Self::Registry(registry) => Self::Registry(registry.with_digest(digest)),
            Self::Layout { directory, .. } => Self::Layout {
                directory: directory.clone(),
                tag: Some(digest.to_string()),
            },
            Self::Archive { file, .. } => Self::Archive {
                file: file.clone(),
                tag: Some(digest.to_string()),
            },
        }
    }

    /// Returns the digest in the reference, if any.
    pub fn digest(&self) -> Option<Digest> {
        match self {
            Self::Registry(registry) => registry.digest(),
            Self::Layout { tag, .. } | Self::Archive { tag, .. } => tag.as_deref()?.parse().ok(),
        }
    }

    /// Returns the tag in the reference, if any. For a registry reference with neither tag nor digest, the tag is
    /// `latest`.
    pub fn tag(&self) -> Option<&str> {
        match self {
            Self::Registry(registry) => registry.tag(),
            Self::Layout { tag, .. } | Self::Archive { tag, .. } => {
                tag.as_deref().filter(|tag| tag.parse::<Digest>().is_err())
            }
        }
    }

    /// Whether both references refer to the same place, regardless of their spelling.
    pub(crate) fn is_same_place(&self, other: &Self) -> bool {
        let absolute = |path: &Path| path.canonicalize().or_else(|_| std::path::absolute(path)).ok();
        match (self, other) {
            (Self::Registry(one), Self::Registry(other)) => one.is_same_name(other),
            (
                Self::Layout { directory: one, tag },
                Self::Layout {
                    directory: other,
                    tag: other_tag,
                },
            )
            | (
                Self::Archive { file: one, tag },
                Self::Archive {
                    file: other,
                    tag: other_tag,
                },
            ) => tag == other_tag && absolute(one) == absolute(other),
            _ => false,
        }
    }
}

/// Transports of other container tools that users may try.
const FOREIGN_TRANSPORTS: [&str; 7] = [
    "containers-storage",
    "dir",
    "docker-archive",
    "docker-daemon",
    "ostree",
    "sif",
    "tarball",
];

/// Whether `rest` is a port followed by a repository.
fn is_port(rest: &str) -> bool {
    rest.contains('/') && rest.starts_with(|letter: char| letter.is_ascii_digit())
}

impl FromStr for Reference {
    type Err = ReferenceError;

    fn from_str(text: &str) -> Result<Self, ReferenceError> {
        let empty = || ReferenceError::Empty {
            reference: text.to_owned(),
        };
        if let Some(rest) = text.strip_prefix("docker://") {
            if rest.is_empty() {
                return Err(empty());
            }
            return Ok(Self::Registry(RegistryReference::parse(rest, true)?));
        }
        if let Some(rest) = text.strip_prefix("oci:") {
            if let Some(rest) = rest.strip_prefix("//") {
                return Err(ReferenceError::Grammar {
                    reference: text.to_owned(),
                    problem: format!(
                        "write an OCI layout as oci:DIR:TAG, such as oci:{rest}, and an image in a registry as HOST/NAME:TAG"
                    ),
                });
            }
            let (directory, tag) = split_path(text, rest)?;
            return Ok(Self::Layout { directory, tag });
        }
        if let Some(rest) = text.strip_prefix("oci-archive:") {
            let (file, tag) = split_path(text, rest)?;
            return Ok(Self::Archive { file, tag });
        }
        for scheme in ["http://", "https://"] {
            if text.starts_with(scheme) {
                return Err(ReferenceError::Address {
                    reference: text.to_owned(),
                    scheme: scheme.to_owned(),
                });
            }
        }
        if let Some((transport, rest)) = text.split_once(':')
            && (rest.starts_with("//") || FOREIGN_TRANSPORTS.contains(&transport) && !is_port(rest))
        {
            return Err(ReferenceError::Transport {
                reference: text.to_owned(),
                transport: transport.to_owned(),
            });
        }
        if text.is_empty() {
            return Err(empty());
        }
        Ok(Self::Registry(RegistryReference::parse(text, false)?))
    }
}

impl Reference {
    /// Parses a reference in a place where a path is also allowed. Rejects a name without a host, path or tag, because
    /// it is more likely the name of a file or folder that does not exist.
    ///
    /// # Errors
    /// Returns an error if `text` is such a name, or not a reference.
    pub(crate) fn parse_unless_word(text: &str) -> Result<Self, ReferenceError> {
        let reference = text.parse()?;
        if text.contains(['/', ':', '@']) {
            return Ok(reference);
        }
        Err(ReferenceError::Grammar {
            reference: text.to_owned(),
            problem: "it has neither a host nor a tag".to_owned(),
        })
    }
}

/// Checks that a cluster can pull the image `image`. The error message begins with a verb, because it follows the name
/// of the checked field.
///
/// # Errors
/// Returns an error if `image` is empty, is not the name of a registry image, or has a transport prefix, which clusters
/// do not support.
pub(crate) fn check_pullable(image: &str) -> Result<(), String> {
    match image.parse() {
        _ if image.is_empty() => Err("is empty".to_owned()),
        Ok(Reference::Registry(_)) if !image.starts_with("docker://") => Ok(()),
        Ok(_) => Err(format!(
            "is {image:?}, which a cluster cannot pull: expected HOST/NAME:TAG"
        )),
        Err(error) => Err(format!("is not an image: {}", with_causes(&error))),
    }
}

const COLON: &str = "its path contains a colon, but a tag begins there; rename the folder or file, and do not combine \
                     a tag and a digest";

/// Splits `PATH`, `PATH:TAG` and `PATH@sha256:…`. As in other container tools, the path ends at the first colon.
fn split_path(text: &str, rest: &str) -> Result<(PathBuf, Option<String>), ReferenceError> {
    let (path, tag) = if let Some((path, digest)) = rest.rsplit_once('@')
        && let Some((algorithm, _)) = digest.split_once(':')
        && algorithm.starts_with("sha")
        && !algorithm.contains('/')
    {
        let digest: Digest = digest.parse().map_err(|source| ReferenceError::Digest {
            reference: text.to_owned(),
            source,
        })?;
        if path.contains(':') {
            return Err(ReferenceError::Grammar {
                reference: text.to_owned(),
                problem: COLON.to_owned(),
            });
        }
        (path, Some(digest.to_string()))
    } else {
        match rest.split_once(':') {
            Some((_, "")) => {
                return Err(ReferenceError::Grammar {
                    reference: text.to_owned(),
                    problem: "the tag after the last colon is empty".to_owned(),
                });
            }
            Some((path, tag)) => (path, Some(tag.to_owned())),
            None => (rest, None),
        }
    };
    if path.is_empty() {
        return Err(ReferenceError::Empty {
            reference: text.to_owned(),
        });
    }
    if let Some(tag) = &tag
        && let Some(odd) = tag.chars().find(|letter| letter.is_whitespace() || letter.is_control())
    {
        return Err(ReferenceError::Grammar {
            reference: text.to_owned(),
            problem: format!("the tag {tag:?} contains the character {odd:?}"),
        });
    }
    Ok((PathBuf::from(path), tag))
}

impl fmt::Display for Reference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let local = |formatter: &mut fmt::Formatter<'_>, transport: &str, path: &Path, tag: Option<&str>| {
            write!(formatter, "{transport}:{}", path.display())?;
            match tag {
                Some(tag) if tag.parse::<Digest>().is_ok() => write!(formatter, "@{tag}"),
                Some(tag) => write!(formatter, ":{tag}"),
                None => Ok(()),
            }
        };
        match self {
            Self::Registry(registry) => registry.fmt(formatter),
            Self::Layout { directory, tag } => local(formatter, "oci", directory, tag.as_deref()),
            Self::Archive { file, tag } => local(formatter, "oci-archive", file, tag.as_deref()),
        }
    }
}

/// Returns the fallback tag of a manifest: the tag of an image index that lists its referrers, for registries without a
/// referrers API. The tags that signing tools create start with the same string.
pub fn fallback_tag(digest: &Digest) -> String {
    digest.to_string().replace(':', "-")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const DIGEST: &str = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    fn registry(text: &str) -> RegistryReference {
        match text.parse() {
            Ok(Reference::Registry(registry)) => registry,
            other => panic!("{text}: {other:?}"),
        }
    }

    fn message(text: &str) -> String {
        with_causes(&text.parse::<Reference>().unwrap_err())
    }

    #[test]
    fn one_location_can_be_written_in_several_ways() {
        let same = |one: &str, other: &str| {
            let [one, other]: [Reference; 2] = [one, other].map(|text| text.parse().unwrap());
            one.is_same_place(&other)
        };
        let image = "registry.example.com/team/index:v1";
        assert!(same(image, &format!("docker://{image}")));
        assert!(same(
            "registry.example.com/team/index",
            "registry.example.com/team/index:latest"
        ));
        assert!(!same(image, "registry.example.com/team/index:v2"));
        assert!(!same(image, &format!("{image}@{DIGEST}")));
        assert!(same("oci:absent/index:v1", "oci:./absent/index:v1"));
        assert!(same("oci:src/../src:v1", "oci:src:v1"));
        assert!(!same("oci:src:v1", "oci:src:v2"));
        assert!(!same("oci:src:v1", "oci-archive:src:v1"));
    }

    #[test]
    fn a_registry_reference_keeps_its_text_and_has_parts() {
        let reference = registry("registry.example.com:5000/team/bundle:v1");
        assert_eq!(reference.as_written(), "registry.example.com:5000/team/bundle:v1");
        assert_eq!(reference.host(), "registry.example.com:5000");
        assert_eq!(reference.repository(), "team/bundle");
        assert_eq!(reference.tag(), Some("v1"));
        let pinned = reference.with_digest(&DIGEST.parse().unwrap());
        assert_eq!(
            pinned.as_written(),
            format!("registry.example.com:5000/team/bundle@{DIGEST}")
        );
        assert_eq!(pinned, registry(pinned.as_written()));
        assert_eq!(pinned.manifest_name(), DIGEST);
    }

    #[test]
    fn short_names_are_requested_from_docker_hub_and_kept_as_written() {
        let reference = registry("busybox");
        assert_eq!(reference.as_written(), "busybox");
        assert_eq!(reference.registry(), "docker.io");
        assert_eq!(reference.repository(), "library/busybox");
        assert_eq!(reference.tag(), Some("latest"));
        let pinned = reference.with_digest(&DIGEST.parse().unwrap());
        assert_eq!(pinned.as_written(), format!("busybox@{DIGEST}"));
        assert_eq!(registry("dir:5000/bundle").host(), "dir:5000");
        assert_eq!(registry("docker://docker.io/library/dir:foo").tag(), Some("foo"));
        let port = registry("localhost:5000/bundle").with_digest(&DIGEST.parse().unwrap());
        assert_eq!(port.as_written(), format!("localhost:5000/bundle@{DIGEST}"));
    }

    #[test]
    fn a_tag_and_a_digest_together_request_the_digest() {
        let reference = registry(&format!("registry.example.com/bundle:v1@{DIGEST}"));
        assert_eq!((reference.tag(), reference.manifest_name()), (Some("v1"), DIGEST));
    }

    #[test]
    fn layouts_and_archives_take_a_tag_or_a_digest() {
        let layout = |directory: &str, tag: Option<&str>| Reference::Layout {
            directory: directory.into(),
            tag: tag.map(str::to_owned),
        };
        assert_eq!("oci:out".parse(), Ok(layout("out", None)));
        assert_eq!("oci:/a/b:v1".parse(), Ok(layout("/a/b", Some("v1"))));
        assert_eq!("oci:out:host/name:v1".parse(), Ok(layout("out", Some("host/name:v1"))));
        assert_eq!(format!("oci:out@{DIGEST}").parse(), Ok(layout("out", Some(DIGEST))));
        let pinned = layout("out", Some("v1")).with_digest(&DIGEST.parse().unwrap());
        assert_eq!(pinned.to_string(), format!("oci:out@{DIGEST}"));
        assert_eq!(
            (pinned.tag(), pinned.digest().unwrap().to_string().as_str()),
            (None, DIGEST)
        );
        let archive = "oci-archive:bundle.tar:v1".parse::<Reference>().unwrap();
        assert_eq!(archive.tag(), Some("v1"));
    }

    #[test]
    fn invalid_references_are_rejected_with_the_reason() {
        for (text, expected) in [
            ("", "does not specify an image"),
            ("docker://", "does not specify an image"),
            ("oci:", "does not specify an image"),
            ("oci::v1", "does not specify an image"),
            ("oci:out:", "is empty"),
            ("https://registry.example.com/a", "remove \"https://\""),
            ("http://registry.example.com/a", "remove \"http://\""),
            ("docker-daemon:team/bundle:v1", "transport \"docker-daemon\""),
            ("docker-daemon:", "transport \"docker-daemon\""),
            ("docker-archive:x.tar", "transport \"docker-archive\""),
            ("docker-archive:/a/x.tar:name", "transport \"docker-archive\""),
            ("containers-storage:foo", "transport \"containers-storage\""),
            ("ostree:foo@/repo", "transport \"ostree\""),
            ("sif:x.sif", "transport \"sif\""),
            ("tarball:x.tar", "transport \"tarball\""),
            ("dir:foo", "on Docker Hub, write docker://docker.io/library/dir:foo"),
            ("ftp://registry.example.com/a", "transport \"ftp\""),
            ("registry.example.com/Team/bundle", "must be lowercase"),
            ("registry.example.com/team//bundle", "empty component"),
            ("registry.example.com/", "repository is missing"),
            ("registry.example.com:port/a", "port \"port\""),
            ("registry.example.com/a:.v1", "tag \".v1\""),
            ("registry.example.com/a b", "' '"),
            ("registry.example.com/a@sha256:abc", "64 lowercase"),
            ("oci:out@sha256:abc", "64 lowercase"),
            (&format!("oci:out:v1@{DIGEST}"), "contains a colon"),
            ("registry.example.com/a@v1", "is not a digest"),
        ] {
            assert!(message(text).contains(expected), "{text}: {}", message(text));
        }
    }

    proptest! {
        #[test]
        fn a_parsed_reference_displays_as_written(text in "(docker://|oci:|oci-archive:)?[a-z./:@-]{0,24}(:[A-Za-z0-9._-]{0,8})?") {
            if let Ok(reference) = text.parse::<Reference>() {
                prop_assert_eq!(reference.to_string(), text.clone());
                let digest = Digest::of(text.as_bytes());
                let pinned = reference.with_digest(&digest);
                prop_assert_eq!(pinned.digest(), Some(digest));
                prop_assert_eq!(pinned.to_string().parse::<Reference>(), Ok(pinned));
            }
        }

        #[test]
        fn a_path_and_a_tag_are_rejected_or_survive_a_round_trip(path in "[a-c:@/. ]{0,6}", tag in "[a-c:@]{0,6}", pinned in any::<bool>()) {
            let tag = Some(if pinned { DIGEST.to_owned() } else { tag }).filter(|tag| !tag.is_empty());
            let colon = path.is_empty() || path.contains(':');
            for (made, misplaced) in [
                (Reference::layout(&path, tag.clone()), colon || path.starts_with("//")),
                (Reference::archive(&path, tag.clone()), colon),
            ] {
                match made {
                    Ok(reference) => {
                        prop_assert!(!misplaced);
                        prop_assert_eq!(reference.to_string().parse::<Reference>(), Ok(reference));
                    }
                    Err(_) => prop_assert!(misplaced || tag.as_deref().is_some_and(|tag| tag != DIGEST)),
                }
            }
        }

        #[test]
        fn parsing_any_text_does_not_panic(text in ".*") {
            let _ = text.parse::<Reference>();
        }
    }
}
