//! Collects the facts about a bundle that a policy may restrict: kinds of objects, permissions, images.

use super::{Scope, Setting};
use crate::bundle::image_use;
use crate::kubernetes::GroupVersionKind;
use crate::kubernetes::rbac::role::{Roles, is_aggregated};
use crate::kubernetes::rbac::{self, Rule};
use crate::text::Path;
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// A place: the position among the judged objects, and the path in the object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Spot {
    pub(super) object: usize,
    pub(super) path: Path,
}

/// Permissions that a bundle grants.
#[derive(Debug)]
pub(super) struct Grant {
    pub(super) scope: Scope,
    pub(super) rules: Vec<Rule>,
    pub(super) origin: Origin,
    pub(super) spot: Spot,
}

/// The origin of the rules of a grant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Origin {
    /// The bundle contains them.
    Written,
    /// The bundle contains them for a namespace, and OLM extends them to the whole cluster.
    Extended,
    /// The bundle binds this role, which is not part of the bundle.
    Bound(String),
    /// The rules are unknown, and could be any. The text describes the grant and states the reason.
    Unknown(String),
}

/// All facts about a bundle that a policy may restrict.
#[derive(Debug, Default)]
pub(super) struct Facts {
    /// Group and kind of each object, and whether OLM creates it.
    pub(super) kinds: Vec<(String, String, bool, Spot)>,
    pub(super) grants: Vec<Grant>,
    pub(super) images: Vec<(String, Spot)>,
}

/// Kinds that OLM creates if a ClusterServiceVersion has a value at a path.
const MADE: &[(&[&str], &str, &str)] = &[
    (&["install", "spec", "deployments"], "apps", "Deployment"),
    (&["install", "spec", "permissions"], rbac::GROUP, "Role"),
    (&["install", "spec", "permissions"], rbac::GROUP, "RoleBinding"),
    (&["install", "spec", "clusterPermissions"], rbac::GROUP, "ClusterRole"),
    (
        &["install", "spec", "clusterPermissions"],
        rbac::GROUP,
        "ClusterRoleBinding",
    ),
    (&["install", "spec", "permissions"], "", "ServiceAccount"),
    (&["install", "spec", "clusterPermissions"], "", "ServiceAccount"),
    (
        &["apiservicedefinitions", "owned"],
        "apiregistration.k8s.io",
        "APIService",
    ),
    (&["apiservicedefinitions", "owned"], "", "Service"),
    (&["webhookdefinitions"], "", "Service"),
];

/// Kinds that OLM also creates if it installs the operator for all namespaces.
const EXTENDED: &[(&[&str], &str, &str)] = &[
    (&["install", "spec", "permissions"], rbac::GROUP, "ClusterRole"),
    (&["install", "spec", "permissions"], rbac::GROUP, "ClusterRoleBinding"),
];

/// The kinds of webhook configurations, by webhook type.
const WEBHOOKS: [(&str, &str); 2] = [
    ("ValidatingAdmissionWebhook", "ValidatingWebhookConfiguration"),
    ("MutatingAdmissionWebhook", "MutatingWebhookConfiguration"),
];

/// The namespaces of the roles among the judged objects, by the kind and the name of the role.
type OwnRoles<'a> = HashMap<(&'a str, &'a str), HashSet<&'a str>>;

fn own_roles<'a>(objects: &[&'a Value]) -> OwnRoles<'a> {
    let mut own = OwnRoles::new();
    for object in objects {
        let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        if text("/apiVersion").starts_with(rbac::GROUP) {
            let homes = own.entry((text("/kind"), text("/metadata/name"))).or_default();
            homes.insert(text("/metadata/namespace"));
        }
    }
    own
}

impl Facts {
    /// Collects the facts of a ClusterServiceVersion and of other objects. The ClusterServiceVersion, if any, has the
    /// number 0, and `objects` are numbered after it.
    pub(super) fn of(csv: Option<&Value>, objects: &[&Value], setting: &Setting<'_>) -> Self {
        let mut facts = Self::default();
        if let Some(csv) = csv {
            facts.csv(csv, setting.everywhere);
        }
        let known = Roles::of(setting.objects);
        let own = own_roles(objects);
        for (number, object) in (usize::from(csv.is_some())..).zip(objects) {
            facts.object(number, object);
            facts.binding(number, object, &own, (&known, setting.namespace));
        }
        facts
    }

    fn object(&mut self, number: usize, object: &Value) {
        let text = |key: &str| object.get(key).and_then(Value::as_str).unwrap_or_default();
        let gvk = GroupVersionKind::from_api_version(text("apiVersion"), text("kind"));
        if gvk.kind.is_empty() {
            return;
        }
        let spot = |path| Spot { object: number, path };
        let scope = match gvk.kind.as_str() {
            "ClusterRole" => Some(Scope::Cluster),
            "Role" => Some(Scope::Namespace),
            _ => None,
        };
        if let Some(scope) = scope.filter(|_| gvk.group == rbac::GROUP) {
            let rules = Path::root().key("rules");
            for (index, rule) in Rule::read_all(object).into_iter().enumerate() {
                self.grants.push(Grant {
                    scope,
                    rules: vec![rule],
                    origin: Origin::Written,
                    spot: spot(rules.index(index)),
                });
            }
            if is_aggregated(object) {
                self.grants.push(Grant {
                    scope,
                    rules: Rule::everything().into(),
                    origin: Origin::Unknown(
                        "an aggregated role, because the roles that it combines are unknown".to_owned(),
                    ),
                    spot: spot(Path::root().key("aggregationRule")),
                });
            }
        }
        self.kinds
            .push((gvk.group, gvk.kind, false, spot(Path::root().key("kind"))));
    }

    /// Adds the rules that a binding grants, unless it binds a role among the objects: the rules of these roles are
    /// separate facts. `own` are the roles among the objects, `known` are the roles of the cluster, and `namespace` is
    /// the namespace of bindings that specify none.
    fn binding(&mut self, number: usize, object: &Value, own: &OwnRoles<'_>, (known, namespace): (&Roles<'_>, &str)) {
        let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        let gvk = GroupVersionKind::from_api_version(text("/apiVersion"), text("/kind"));
        let scope = match gvk.kind.as_str() {
            "ClusterRoleBinding" => Scope::Cluster,
            "RoleBinding" => Scope::Namespace,
            _ => return,
        };
        if gvk.group != rbac::GROUP {
            return;
        }
        let (kind, name) = (text("/roleRef/kind"), text("/roleRef/name"));
        let home = text("/metadata/namespace");
        // OLM installs objects without a namespace into the same one.
        let is_here = |homes: &HashSet<&str>| {
            kind == "ClusterRole" || home.is_empty() || homes.contains("") || homes.contains(home)
        };
        if own.get(&(kind, name)).is_some_and(is_here) {
            return;
        }
        let namespace = if home.is_empty() { namespace } else { home };
        let (rules, origin) = if let Some(rules) = known.rules(kind, name, namespace) {
            (rules, Origin::Bound(format!("{kind} {name}")))
        } else {
            let reason = format!(
                "a binding to {kind} {name}, because this role is not in the input and its permissions are unknown"
            );
            (Rule::everything().into(), Origin::Unknown(reason))
        };
        self.grants.push(Grant {
            scope,
            rules,
            origin,
            spot: Spot {
                object: number,
                path: Path::root().key("roleRef"),
            },
        });
    }

    fn csv(&mut self, csv: &Value, everywhere: bool) {
        let spec = Path::root().key("spec");
        let at = |keys: &[&str]| keys.iter().fold(spec.clone(), |path, key| path.key(key));
        let list = |path: &Path| {
            path.get(csv)
                .and_then(Value::as_array)
                .map(Vec::as_slice)
                .unwrap_or_default()
        };
        let spot = |path| Spot { object: 0, path };
        let extended = if everywhere { EXTENDED } else { &[] };
        for (keys, group, kind) in MADE.iter().chain(extended) {
            let path = at(keys);
            let is_known = self
                .kinds
                .iter()
                .any(|(known, own, ..)| (known, own) == (&(*group).to_owned(), &(*kind).to_owned()));
            if !list(&path).is_empty() && !is_known {
                self.kinds
                    .push(((*group).to_owned(), (*kind).to_owned(), true, spot(path)));
            }
        }
        let webhooks = at(&["webhookdefinitions"]);
        for (index, webhook) in list(&webhooks).iter().enumerate() {
            let of = webhook.get("type").and_then(Value::as_str);
            if let Some((_, kind)) = WEBHOOKS.iter().find(|(name, _)| Some(*name) == of) {
                let group = "admissionregistration.k8s.io".to_owned();
                self.kinds
                    .push((group, (*kind).to_owned(), true, spot(webhooks.index(index).key("type"))));
            }
        }
        for (key, scope) in [
            ("permissions", Scope::Namespace),
            ("clusterPermissions", Scope::Cluster),
        ] {
            let permissions = at(&["install", "spec", key]);
            for (index, permission) in list(&permissions).iter().enumerate() {
                let rules = permissions.index(index).key("rules");
                for (number, rule) in Rule::read_all(permission).into_iter().enumerate() {
                    let grant = |scope, origin| Grant {
                        scope,
                        rules: vec![rule.clone()],
                        origin,
                        spot: spot(rules.index(number)),
                    };
                    if everywhere && scope == Scope::Namespace {
                        self.grants.push(grant(Scope::Cluster, Origin::Extended));
                    }
                    self.grants.push(grant(scope, Origin::Written));
                }
            }
        }
        let images = image_use::in_csv(csv, &Path::root()).into_iter();
        self.images
            .extend(images.map(|found| (found.image.to_owned(), spot(found.path))));
    }
}
