//! Kubernetes concepts: groups, versions, kinds, names, label selectors and RBAC rules.

pub mod builtin;
mod choices;
pub(crate) mod fields;
pub(crate) mod formats;
pub(crate) mod names;
pub(crate) mod platform;
pub mod quantity;
pub mod rbac;
pub(crate) mod removed;
pub(crate) mod schema_digest;
pub(crate) mod selector;
pub mod served;
pub(crate) mod structural;
pub(crate) mod version;

use serde::Deserialize;
use std::fmt;

/// The group, version and kind of an API. The core group is the empty string. Parts that are absent from JSON are
/// empty.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(default)]
pub struct GroupVersionKind {
    /// The API group; `""` for the core group.
    pub group: String,
    /// The version in the group, such as `v1beta1`.
    pub version: String,
    /// The kind, such as `Deployment`.
    pub kind: String,
}

impl GroupVersionKind {
    /// Creates a value from its three parts.
    pub fn new(group: impl Into<String>, version: impl Into<String>, kind: impl Into<String>) -> Self {
        Self {
            group: group.into(),
            version: version.into(),
            kind: kind.into(),
        }
    }

    /// Parses `group/version`, or `version` alone for the core group, as in `apiVersion`.
    pub(crate) fn from_api_version(api_version: &str, kind: &str) -> Self {
        let (group, version) = api_version.rsplit_once('/').unwrap_or(("", api_version));
        Self::new(group, version, kind)
    }

    /// Whether this is the API with the given group and kind, in any version.
    pub fn is(&self, group: &str, kind: &str) -> bool {
        self.group == group && self.kind == kind
    }

    /// Returns the value for `apiVersion`: `group/version`, or `version` alone.
    pub fn api_version(&self) -> String {
        if self.group.is_empty() {
            self.version.clone()
        } else {
            format!("{}/{}", self.group, self.version)
        }
    }
}

/// Formats group, version and kind with spaces between them, like the strings of the registry API.
impl fmt::Display for GroupVersionKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {} {}", self.group, self.version, self.kind)
    }
}
