//! What an administrator allows to be installed: kinds of objects, permissions, registries and catalogs, for all or for
//! single users, as a file says it.
//!
//! [`read`] reads the file, which [`json_schema`] describes to editors; both follow one table of keys.
//! [`Policy::terms`] are those that hold for somebody, and [`check`] and [`judge`] hold a bundle against them.

mod facts;
mod judge;
mod keys;
mod matching;
mod read;

pub use judge::{Broken, check, judge, judge_catalog, judge_image};
pub use keys::json_schema;
pub use read::{PolicyError, read};

use serde::Deserialize;

/// The only version of the format.
pub const VERSION: u64 = 1;

/// A policy file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Policy {
    /// The file, as findings name it.
    #[serde(skip)]
    pub name: String,
    #[serde(flatten)]
    all: Conditions,
    #[serde(rename = "for")]
    sections: Vec<Section>,
}

/// What holds for some users in place of what holds for all.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Section {
    users: Vec<String>,
    groups: Vec<String>,
    #[serde(flatten)]
    conditions: Conditions,
}

/// What a policy says about each subject; nothing where everything is allowed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Conditions {
    kinds: Option<Names>,
    permissions: Option<Permissions>,
    registries: Option<Names>,
    catalogs: Option<Names>,
}

/// Names that are allowed, and names that are refused, as patterns.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
struct Names {
    allow: Option<Vec<String>>,
    deny: Vec<String>,
}

/// Permissions that are allowed, and permissions that are refused.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
struct Permissions {
    allow: Option<Vec<Permission>>,
    deny: Vec<Permission>,
}

/// A set of permissions. What is absent does not limit it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Permission {
    api_groups: Option<Vec<String>>,
    resources: Option<Vec<String>>,
    #[serde(rename = "nonResourceURLs")]
    non_resource_urls: Option<Vec<String>>,
    verbs: Option<Vec<String>>,
    scope: Option<Scope>,
}

/// Where a permission holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
enum Scope {
    Cluster,
    Namespace,
}

/// What a policy says to somebody.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Terms {
    /// The file, as findings name it.
    policy: String,
    conditions: Conditions,
}

impl Policy {
    /// What the policy says to a user with these groups. The first section for the user, or for one of the groups,
    /// counts in place of what is said to all, subject by subject; what it does not mention stays.
    pub fn terms(&self, user: Option<&str>, groups: &[String]) -> Terms {
        let is_for = |section: &&Section| {
            user.is_some_and(|user| section.users.iter().any(|name| name == user))
                || section.groups.iter().any(|name| groups.contains(name))
        };
        let own = self
            .sections
            .iter()
            .find(is_for)
            .map(|section| section.conditions.clone());
        let (own, all) = (own.unwrap_or_default(), self.all.clone());
        Terms {
            policy: self.name.clone(),
            conditions: Conditions {
                kinds: own.kinds.or(all.kinds),
                permissions: own.permissions.or(all.permissions),
                registries: own.registries.or(all.registries),
                catalogs: own.catalogs.or(all.catalogs),
            },
        }
    }
}

impl Terms {
    /// Whether it takes the manifests of a bundle to judge it.
    pub fn ask_for_manifests(&self) -> bool {
        self.conditions.kinds.is_some() || self.conditions.permissions.is_some()
    }
}

#[cfg(test)]
mod tests;
