//! What Kubernetes itself defines: groups, versions and kinds, names, label selectors, RBAC rules.

pub mod builtin;
pub(crate) mod fields;
pub(crate) mod names;
pub mod quantity;
pub mod rbac;
pub(crate) mod selector;
pub mod served;
pub(crate) mod structural;
pub(crate) mod version;

use serde::Deserialize;
use std::fmt;

/// Group, version and kind of an API. The core group is the empty string. Read from JSON, an absent part is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(default)]
pub struct GroupVersionKind {
    /// API group, `""` for the core group.
    pub group: String,
    /// Version inside the group, such as `v1beta1`.
    pub version: String,
    /// Kind, such as `Deployment`.
    pub kind: String,
}

impl GroupVersionKind {
    /// Puts the three parts together.
    pub fn new(group: impl Into<String>, version: impl Into<String>, kind: impl Into<String>) -> Self {
        Self {
            group: group.into(),
            version: version.into(),
            kind: kind.into(),
        }
    }

    /// Reads `group/version`, or `version` alone for the core group, as it stands in `apiVersion`.
    pub(crate) fn from_api_version(api_version: &str, kind: &str) -> Self {
        let (group, version) = api_version.rsplit_once('/').unwrap_or(("", api_version));
        Self::new(group, version, kind)
    }

    /// Whether group and kind are these, whatever the version.
    pub fn is(&self, group: &str, kind: &str) -> bool {
        self.group == group && self.kind == kind
    }

    /// The form of `apiVersion`: `group/version`, or `version` alone.
    pub fn api_version(&self) -> String {
        if self.group.is_empty() {
            self.version.clone()
        } else {
            format!("{}/{}", self.group, self.version)
        }
    }
}

/// Group, version and kind with blanks between them, as the texts of the registry API have it.
impl fmt::Display for GroupVersionKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {} {}", self.group, self.version, self.kind)
    }
}
