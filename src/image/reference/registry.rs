//! References to images in registries.

use super::error::ReferenceError;
use super::name;
use crate::image::digest::Digest;
use std::fmt;

/// A reference to an image in a registry, in its original spelling and in its normalized form.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RegistryReference {
    written: String,
    transport: bool,
    parsed: oci_spec::distribution::Reference,
    digest: Option<Digest>,
}

impl RegistryReference {
    /// Creates a reference to `latest` in a repository, whose name must include the registry.
    ///
    /// # Errors
    /// Returns an error if `name` is not a repository name.
    pub fn of_repository(name: &str) -> Result<Self, ReferenceError> {
        Self::parse(name, true)
    }

    /// Returns the original string without `docker://`. An index stores a bundle under exactly this string.
    pub(crate) fn as_written(&self) -> &str {
        &self.written
    }

    /// Returns the reference with its registry and its complete repository, without `docker://`. The tag and the digest
    /// are as written.
    pub(crate) fn qualified(&self) -> String {
        let name = self.written.split('@').next().unwrap_or_default();
        let (name, _) = name::split_tag(name);
        let rest = self.written.get(name.len()..).unwrap_or_default();
        format!("{}{rest}", self.full_repository())
    }

    /// Returns the host to connect to, with its port. For a name without a host, this is the host of Docker Hub.
    pub fn host(&self) -> &str {
        self.parsed.resolve_registry()
    }

    /// Returns the name of the registry in credential files, such as `docker.io`.
    pub fn registry(&self) -> &str {
        self.parsed.registry()
    }

    /// Returns the repository within the registry. In Docker Hub, this includes the prefix `library/` that a reference
    /// may omit.
    pub fn repository(&self) -> &str {
        self.parsed.repository()
    }

    /// Returns the repository with its registry.
    pub fn full_repository(&self) -> String {
        format!("{}/{}", self.registry(), self.repository())
    }

    /// Returns the tag, or `latest` if the reference has neither tag nor digest.
    pub fn tag(&self) -> Option<&str> {
        self.parsed.tag()
    }

    /// Returns the digest, which takes precedence over the tag.
    pub fn digest(&self) -> Option<Digest> {
        self.digest
    }

    /// Returns the manifest name for requests: the digest or, if there is none, the tag.
    pub(crate) fn manifest_name(&self) -> &str {
        self.parsed.digest().or_else(|| self.parsed.tag()).unwrap_or("latest")
    }

    /// Returns a reference to this digest in the same repository. The spelling of the repository is kept, and the tag
    /// is omitted.
    #[must_use]
    pub fn with_digest(&self, digest: &Digest) -> Self {
        let name = self.written.split('@').next().unwrap_or_default();
        let (name, _) = name::split_tag(name);
        Self {
            written: format!("{name}@{digest}"),
            transport: self.transport,
            parsed: self.parsed.clone_with_digest(digest.to_string()),
            digest: Some(*digest),
        }
    }

    /// Returns a reference to this tag in the same repository. The spelling of the repository is kept.
    ///
    /// # Errors
    /// Returns an error if `tag` is not a valid tag.
    pub(crate) fn with_tag(&self, tag: &str) -> Result<Self, ReferenceError> {
        let name = self.written.split('@').next().unwrap_or_default();
        let (name, _) = name::split_tag(name);
        Self::parse(&format!("{name}:{tag}"), self.transport)
    }

    /// Returns whether both are the same name, in any spelling.
    pub(super) fn is_same_name(&self, other: &Self) -> bool {
        (&self.parsed, self.digest) == (&other.parsed, other.digest)
    }

    /// Parses a name without a transport; `transport` tells whether `docker://` preceded it.
    pub(super) fn parse(text: &str, transport: bool) -> Result<Self, ReferenceError> {
        let reference = || text.to_owned();
        if let Some((_, digest)) = text.split_once('@') {
            digest.parse::<Digest>().map_err(|source| ReferenceError::Digest {
                reference: reference(),
                source,
            })?;
        }
        let parsed = name::parse(text).map_err(|problem| ReferenceError::Grammar {
            reference: reference(),
            problem,
        })?;
        Ok(Self {
            digest: parsed.digest().and_then(|digest| digest.parse().ok()),
            written: text.to_owned(),
            transport,
            parsed,
        })
    }
}

impl fmt::Display for RegistryReference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let transport = if self.transport { "docker://" } else { "" };
        write!(formatter, "{transport}{}", self.written)
    }
}
