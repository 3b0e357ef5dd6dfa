//! Image platforms.

use super::digest::Digest;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;
use std::str::FromStr;

/// The operating system and processor of an image, by their Go names, such as `linux` and `amd64`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Platform {
    /// The operating system, such as `linux`.
    pub os: String,
    /// The processor, such as `amd64` or `arm64`.
    pub architecture: String,
}

impl Default for Platform {
    /// Returns `linux/amd64`, the platform of most clusters, regardless of the current machine.
    fn default() -> Self {
        Self {
            os: "linux".to_owned(),
            architecture: "amd64".to_owned(),
        }
    }
}

impl Platform {
    /// Returns the platform specified in the config of an image.
    pub(super) fn of_config(config: &Value) -> Option<Self> {
        Some(Self {
            os: config.get("os")?.as_str()?.to_owned(),
            architecture: config.get("architecture")?.as_str()?.to_owned(),
        })
    }

    /// Whether the platform is real. Builders add attestations with an empty or unknown platform to image indexes.
    pub(crate) fn is_real(&self) -> bool {
        [&self.os, &self.architecture]
            .iter()
            .all(|word| !word.is_empty() && *word != "unknown")
    }
}

#[cfg(feature = "database")]
impl Platform {
    /// Whether the platform is explicitly unknown, so that no container engine runs the image on any platform.
    pub(crate) fn is_unknown(&self) -> bool {
        self.os == "unknown" && self.architecture == "unknown"
    }
}

impl From<Platform> for String {
    fn from(platform: Platform) -> Self {
        platform.to_string()
    }
}

impl TryFrom<String> for Platform {
    type Error = PlatformError;

    fn try_from(text: String) -> Result<Self, PlatformError> {
        text.parse()
    }
}

/// The error for a string that is not a platform.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not a platform: expected OS/ARCHITECTURE such as linux/arm64, or an architecture alone")]
pub struct PlatformError {
    /// The rejected string.
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

/// One of the images that a tag refers to, with its platform.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// The platform.
    pub platform: Platform,
    /// The digest of the image manifest.
    pub digest: Digest,
}
