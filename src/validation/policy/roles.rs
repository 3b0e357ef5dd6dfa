//! The roles and bindings of a bundle, and the scope in which they grant their permissions.
//!
//! OLM decides by the kind alone what to create, so the group of an object does not matter.

use super::grant::{Grant, Origin, Spot};
use super::{Scope, Setting};
use crate::csv::{self, owner};
use crate::kubernetes::rbac::Rule;
use crate::kubernetes::rbac::role::{Roles, is_aggregated};
use crate::text::Path;
use crate::value::text_at;
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// The beginning of the labels with which a ClusterRole extends the roles that users of the cluster have.
const AGGREGATE_TO: &str = "rbac.authorization.k8s.io/aggregate-to-";

/// The roles and bindings of a bundle, and those of the cluster.
pub(super) struct RolesInPlace<'a> {
    /// The namespaces of the roles of the bundle, by the kind and the name of the role.
    own: HashMap<(&'a str, &'a str), HashSet<&'a str>>,
    /// The widest scope in which a binding refers to a ClusterRole, by the name of the role.
    bound: HashMap<&'a str, Scope>,
    known: Roles<'a>,
    namespace: &'a str,
    /// The name of the operator, if OLM copies its roles and their bindings for the whole cluster.
    copied: Option<&'a str>,
}

impl<'a> RolesInPlace<'a> {
    /// Indexes the objects of a bundle, whose operator is `name`.
    pub(super) fn of(name: Option<&'a str>, objects: &'a [impl AsRef<Value>], setting: &Setting<'a>) -> Self {
        let mut roles = Self {
            own: HashMap::new(),
            bound: HashMap::new(),
            known: Roles::of(setting.objects),
            namespace: setting.namespace,
            copied: name.filter(|_| setting.everywhere),
        };
        for object in objects.iter().map(AsRef::as_ref) {
            let role = text_at(object, "/roleRef/name");
            match text_at(object, "/kind") {
                kind @ ("Role" | "ClusterRole") => {
                    let homes = roles.own.entry((kind, text_at(object, "/metadata/name"))).or_default();
                    homes.insert(text_at(object, "/metadata/namespace"));
                }
                "ClusterRoleBinding" => roles.bind(role, Scope::Cluster),
                "RoleBinding" if roles.is_copied(object) => roles.bind(role, Scope::Cluster),
                "RoleBinding" if text_at(object, "/roleRef/kind") == "ClusterRole" => {
                    roles.bind(role, Scope::Namespace);
                }
                _ => {}
            }
        }
        for object in setting.objects {
            if text_at(object, "/kind") == "ClusterRoleBinding" {
                roles.bind(text_at(object, "/roleRef/name"), Scope::Cluster);
            }
        }
        roles
    }

    fn bind(&mut self, role: &'a str, scope: Scope) {
        let widest = self.bound.entry(role).or_insert(scope);
        if scope == Scope::Cluster {
            *widest = scope;
        }
    }

    /// Whether OLM copies a Role or a RoleBinding for the whole cluster. It recognizes those that it has created itself
    /// only by their labels.
    pub(super) fn is_copied(&self, object: &Value) -> bool {
        let is_namespaced = ["Role", "RoleBinding"].contains(&text_at(object, "/kind"));
        let version = self.copied.map(|name| [name, self.namespace, csv::KIND]);
        is_namespaced && version == Some(owner::recorded(object))
    }

    /// Returns the permissions that an object of the bundle grants: those in a role, and those of a binding to a role
    /// that is not in the bundle. `number` is the position of the object.
    pub(super) fn grants(&self, number: usize, object: &Value) -> Vec<Grant> {
        let spot = |path| Spot { object: number, path };
        match text_at(object, "/kind") {
            "Role" => {
                let copy = self.is_copied(object).then_some((Scope::Cluster, Origin::Extended));
                let places = copy.into_iter().chain([(Scope::Namespace, Origin::Written)]);
                rules_of(object, &places.collect::<Vec<_>>(), spot)
            }
            "ClusterRole" => rules_of(object, &[self.place_of(object)], spot),
            "ClusterRoleBinding" => {
                let role = (text_at(object, "/roleRef/kind"), text_at(object, "/roleRef/name"));
                let grant = self.bound(role, text_at(object, "/metadata/namespace"), Scope::Cluster, spot);
                grant.into_iter().collect()
            }
            "RoleBinding" => {
                let role = (text_at(object, "/roleRef/kind"), text_at(object, "/roleRef/name"));
                // The copy refers to the ClusterRole with the name of the role, whatever the kind of the role is. OLM
                // copies a Role of the bundle unless the cluster has such a ClusterRole.
                let copied = ("ClusterRole", role.1);
                let is_known = self.known.rules(copied.0, copied.1, "").is_some();
                let copy = self.is_copied(object) && (is_known || !self.own.contains_key(&role));
                let copy = copy.then(|| self.bound(copied, "", Scope::Cluster, spot));
                let grant = self.bound(role, text_at(object, "/metadata/namespace"), Scope::Namespace, spot);
                copy.flatten().into_iter().chain(grant).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Returns the scope of a ClusterRole of the bundle.
    fn place_of(&self, role: &Value) -> (Scope, Origin) {
        let labels = role.pointer("/metadata/labels").and_then(Value::as_object);
        let mut labels = labels.into_iter().flatten();
        if labels.any(|(key, value)| key.starts_with(AGGREGATE_TO) && value == "true") {
            return (Scope::Cluster, Origin::Written);
        }
        match self.bound.get(text_at(role, "/metadata/name")) {
            Some(scope) => (*scope, Origin::Written),
            None => (Scope::Cluster, Origin::Unbound),
        }
    }

    /// Returns the rules that a binding in a namespace grants, unless it binds a role of the bundle: the rules of these
    /// roles are separate facts.
    fn bound(
        &self,
        (kind, name): (&str, &str),
        home: &str,
        scope: Scope,
        spot: impl Fn(Path) -> Spot,
    ) -> Option<Grant> {
        // OLM installs objects without a namespace into the same one.
        let is_here = |homes: &HashSet<&str>| {
            kind == "ClusterRole" || home.is_empty() || homes.contains("") || homes.contains(home)
        };
        if self.own.get(&(kind, name)).is_some_and(is_here) {
            return None;
        }
        let namespace = if home.is_empty() { self.namespace } else { home };
        let (rules, origin) = if let Some(rules) = self.known.rules(kind, name, namespace) {
            (rules, Origin::Bound(format!("{kind} {name}")))
        } else {
            let reason = format!(
                "a binding to {kind} {name}, because this role is not in the input and its permissions are unknown"
            );
            (Rule::everything().into(), Origin::Unknown(reason))
        };
        Some(Grant {
            scope,
            rules,
            origin,
            spot: spot(Path::root().key("roleRef")),
        })
    }
}

/// Returns the rules of a role in each of these scopes.
fn rules_of(role: &Value, places: &[(Scope, Origin)], spot: impl Fn(Path) -> Spot) -> Vec<Grant> {
    let rules = Path::root().key("rules");
    let mut grants = Vec::new();
    for (index, rule) in Rule::read_all(role).into_iter().enumerate() {
        grants.extend(places.iter().map(|(scope, origin)| Grant {
            scope: *scope,
            rules: vec![rule.clone()],
            origin: origin.clone(),
            spot: spot(rules.index(index)),
        }));
    }
    if is_aggregated(role) {
        let reason = "an aggregated role, because the roles that it combines are unknown";
        grants.extend(places.iter().map(|(scope, _)| Grant {
            scope: *scope,
            rules: Rule::everything().into(),
            origin: Origin::Unknown(reason.to_owned()),
            spot: spot(Path::root().key("aggregationRule")),
        }));
    }
    grants
}
