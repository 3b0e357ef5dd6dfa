//! The intent of a dependency, from the proposal *olm-optional-dependency-declaration*.

use serde::Serialize;
use std::fmt;
use std::str::FromStr;

/// The key of an intent.
pub(crate) const INTENT: &str = "intent";

/// The importance of a dependency to a bundle, the strictest intent first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Intent {
    /// The bundle cannot be installed without the dependency.
    #[default]
    Required,
    /// The dependency is installed together with the bundle, if possible.
    Recommended,
    /// The bundle uses the dependency if it is installed.
    Optional,
}

/// A string that is not an intent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the intent {0:?} is unknown; use required, recommended or optional")]
pub struct UnknownIntent(pub String);

impl Intent {
    /// All intents, the strictest first.
    pub const ALL: [Self; 3] = [Self::Required, Self::Recommended, Self::Optional];

    /// Returns the name of the intent.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Required => "required",
            Self::Recommended => "recommended",
            Self::Optional => "optional",
        }
    }
}

impl Intent {
    /// Returns the verb for a bundle that has a dependency with this intent, such as `requires`.
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

/// An empty string counts as no intent, and therefore as required.
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
