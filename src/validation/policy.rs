//! Policies in which an administrator specifies what may be installed: kinds of objects, permissions, registries and
//! catalogs, for all or for some users.
//!
//! [`read`] reads a policy file, which [`json_schema`] describes for editors; both use the same table of keys.
//! [`Policy::terms`] returns the terms for a user, and [`check`] and [`judge`] compare a bundle with these terms.

mod facts;
mod grant;
mod judge;
mod keys;
mod matching;
mod read;
mod roles;
mod scopes;
mod unmatched;

pub use judge::{Broken, Judge, check, judge, judge_catalog, judge_image};
pub use keys::json_schema;
pub use read::{PolicyError, read};

use crate::kubernetes::rbac::user::User;
use scopes::ScopeRules;
use serde::Deserialize;
use serde_json::Value;

/// The only version of the format.
pub const VERSION: u64 = 1;

/// A policy file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Policy {
    /// The file, as findings name it.
    #[serde(skip)]
    pub name: String,
    /// Entries that probably match nothing, each with its place and a suggestion.
    #[serde(skip)]
    pub doubts: Vec<String>,
    #[serde(flatten)]
    all: Conditions,
    #[serde(rename = "for")]
    sections: Vec<Section>,
}

/// A section for some users, which overrides the terms for all users.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Section {
    users: Vec<String>,
    groups: Vec<String>,
    #[serde(flatten)]
    conditions: Conditions,
}

/// The terms, with one field for each key of the policy. A field is `None` if the policy does not restrict it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Conditions {
    kinds: Option<Names>,
    permissions: Option<Permissions>,
    registries: Option<Names>,
    catalogs: Option<Names>,
}

/// Patterns of allowed names and of denied names.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
struct Names {
    allow: Option<Vec<String>>,
    deny: Vec<String>,
}

/// Allowed permissions and denied permissions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
struct Permissions {
    allow: Option<Vec<Permission>>,
    deny: Vec<Permission>,
}

/// A set of permissions. An absent field does not limit the set.
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

/// The scope of a permission.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
enum Scope {
    Cluster,
    Namespace,
}

/// The place where a bundle is installed, as far as it is known.
#[derive(Debug, Clone, Copy, Default)]
pub struct Setting<'a> {
    /// The objects of the cluster, which can include roles that the bundle binds.
    pub objects: &'a [Value],
    /// The namespace of the install.
    pub namespace: &'a str,
    /// Whether the operator is installed for all namespaces, so that OLM extends the permissions for one namespace to
    /// the whole cluster.
    pub everywhere: bool,
}

/// The terms of a policy for one user.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Terms {
    /// The file, as findings name it.
    policy: String,
    conditions: Conditions,
    /// The rules of the permissions in the whole cluster, and in a namespace.
    rules: Option<[ScopeRules; 2]>,
}

impl Policy {
    /// Returns the terms for a user who belongs to these groups, and to those that the API server adds. Each key of the
    /// first section for the user, or for one of the groups, replaces the same key of the terms for all users; other
    /// keys keep the terms for all users.
    pub fn terms(&self, user: Option<&str>, groups: &[String]) -> Terms {
        let groups = User {
            name: user.map(str::to_owned),
            groups: groups.to_vec(),
        };
        let groups = groups.all_groups();
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
        let permissions = own.permissions.or(all.permissions);
        let rules =
            |permissions: &Permissions| [Scope::Cluster, Scope::Namespace].map(|scope| permissions.rules(scope));
        Terms {
            policy: self.name.clone(),
            rules: permissions.as_ref().map(rules),
            conditions: Conditions {
                kinds: own.kinds.or(all.kinds),
                permissions,
                registries: own.registries.or(all.registries),
                catalogs: own.catalogs.or(all.catalogs),
            },
        }
    }
}

impl Terms {
    /// Returns whether the manifests of a bundle are needed to judge the bundle.
    pub fn ask_for_manifests(&self) -> bool {
        self.conditions.kinds.is_some() || self.conditions.permissions.is_some()
    }
}

#[cfg(test)]
mod tests;
