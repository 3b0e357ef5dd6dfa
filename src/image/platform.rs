//! The platforms that images are for.

use super::digest::Digest;
use serde_json::Value;
use std::fmt;
use std::str::FromStr;

/// The operating system and processor that an image is for, as Go names them: `linux`, `amd64`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Platform {
    /// Such as `linux`.
    pub os: String,
    /// Such as `amd64` or `arm64`.
    pub architecture: String,
}

impl Default for Platform {
    /// The platform of most clusters, whatever this machine is.
    fn default() -> Self {
        Self {
            os: "linux".to_owned(),
            architecture: "amd64".to_owned(),
        }
    }
}

impl Platform {
    /// What the config of an image names.
    pub(super) fn of_config(config: &Value) -> Option<Self> {
        Some(Self {
            os: config.get("os")?.as_str()?.to_owned(),
            architecture: config.get("architecture")?.as_str()?.to_owned(),
        })
    }

    /// Whether something can run there: the attestations that builders put into lists have none, or an unknown one.
    pub(super) fn is_real(&self) -> bool {
        [&self.os, &self.architecture]
            .iter()
            .all(|word| !word.is_empty() && *word != "unknown")
    }
}

/// A string that is not a platform.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not a platform: expected OS/ARCHITECTURE such as linux/arm64, or an architecture alone")]
pub struct PlatformError {
    /// The text as it was given.
    pub text: String,
}

impl FromStr for Platform {
    type Err = PlatformError;

    fn from_str(text: &str) -> Result<Self, PlatformError> {
        let (os, architecture) = text.split_once('/').unwrap_or(("linux", text));
        let word = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if !word(os) || !word(architecture) {
            return Err(PlatformError { text: text.to_owned() });
        }
        Ok(Self {
            os: os.to_owned(),
            architecture: architecture.to_owned(),
        })
    }
}

impl fmt::Display for Platform {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.os, self.architecture)
    }
}

/// An image that a tag offers for a platform.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// The platform.
    pub platform: Platform,
    /// The digest of its manifest.
    pub digest: Digest,
}
