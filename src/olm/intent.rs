//! How much a bundle wants what it needs, of the proposal *olm-optional-dependency-declaration*.

use serde::Serialize;
use std::fmt;
use std::str::FromStr;

/// How much a bundle wants something. The strictest comes first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Intent {
    /// It cannot be installed without it.
    #[default]
    Required,
    /// It is installed with it where that is possible.
    Recommended,
    /// It makes use of it where it is installed.
    Optional,
}

/// What is none of the intents.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is none of required, recommended and optional")]
pub struct UnknownIntent(pub String);

impl Intent {
    /// All of them, the strictest first.
    pub const ALL: [Self; 3] = [Self::Required, Self::Recommended, Self::Optional];

    /// As it is written.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Required => "required",
            Self::Recommended => "recommended",
            Self::Optional => "optional",
        }
    }
}

impl Intent {
    /// What a bundle does that has a dependency with this intent, such as `requires`.
    pub const fn verb(self) -> &'static str {
        match self {
            Self::Required => "requires",
            Self::Recommended => "recommends",
            Self::Optional => "would like",
        }
    }
}

impl fmt::Display for Intent {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// An empty string is as good as none, and so required.
impl FromStr for Intent {
    type Err = UnknownIntent;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.is_empty() {
            return Ok(Self::default());
        }
        let known = Self::ALL.into_iter().find(|intent| intent.name() == text);
        known.ok_or_else(|| UnknownIntent(text.to_owned()))
    }
}
