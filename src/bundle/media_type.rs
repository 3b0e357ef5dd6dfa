//! The media types of bundles.

use crate::olm::property;
use std::fmt;
use std::str::FromStr;

/// The kinds of bundle that opmx builds, indexes and serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MediaType {
    /// A `ClusterServiceVersion` and the other objects of the bundle.
    RegistryV1,
    /// Plain Kubernetes manifests and `metadata/olm.yaml`.
    K8sV1,
}

impl MediaType {
    /// Returns the name of the media type in annotations and labels.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::RegistryV1 => property::REGISTRY_V1,
            Self::K8sV1 => property::K8S_V1,
        }
    }
}

impl fmt::Display for MediaType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// The error for an unknown media type.
#[derive(Debug, thiserror::Error)]
#[error("unknown media type {0:?}; opmx supports registry+v1 and k8s+v1")]
pub struct UnknownMediaType(pub String);

impl FromStr for MediaType {
    type Err = UnknownMediaType;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        [Self::RegistryV1, Self::K8sV1]
            .into_iter()
            .find(|media_type| media_type.as_str() == text)
            .ok_or_else(|| UnknownMediaType(text.to_owned()))
    }
}
