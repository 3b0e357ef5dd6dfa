//! Collects the facts about a bundle that a policy may restrict: kinds of objects, permissions, images.
//!
//! The objects are those that OLM creates: it decides by the kind alone what to create, and reads the names of fields
//! in any case.

use super::grant::{Grant, Origin, Spot};
use super::roles::RolesInPlace;
use super::{Scope, Setting};
use crate::bundle::image_use;
use crate::csv::{self, Csv};
use crate::kubernetes::GroupVersionKind;
use crate::kubernetes::rbac::role::{auth_delegation, authentication_reader};
use crate::kubernetes::rbac::{self, Rule};
use crate::shape::{entry, typed};
use crate::steps::{decoded, group_of};
use crate::text::{Path, Step};
use serde_json::Value;
use std::borrow::Cow;

/// An object that OLM creates.
#[derive(Debug)]
pub(super) struct Created {
    pub(super) group: String,
    pub(super) kind: String,
    pub(super) from: Source,
    pub(super) spot: Spot,
}

/// What OLM creates an object from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// An object of this group and kind.
    Object,
    /// An object of the same kind in another group.
    OtherGroup,
    /// A field of the ClusterServiceVersion.
    Field,
    /// A Role or RoleBinding that OLM copies for the whole cluster.
    Copy,
}

/// All facts about a bundle that a policy may restrict.
#[derive(Debug, Default)]
pub(super) struct Facts {
    pub(super) kinds: Vec<Created>,
    pub(super) grants: Vec<Grant>,
    pub(super) images: Vec<(String, Spot)>,
}

/// A group and a kind.
type Kind = (&'static str, &'static str);
/// A path in the specification of a ClusterServiceVersion, and the kinds that OLM creates if it has a value there.
type Made = (&'static [&'static str], &'static [Kind]);

/// The kinds that OLM creates from every ClusterServiceVersion.
const MADE: &[Made] = &[
    (&["install", "spec", "deployments"], &[("apps", "Deployment")]),
    (
        &["install", "spec", "permissions"],
        &[
            (rbac::GROUP, "Role"),
            (rbac::GROUP, "RoleBinding"),
            ("", "ServiceAccount"),
        ],
    ),
    (
        &["install", "spec", "clusterPermissions"],
        &[
            (rbac::GROUP, "ClusterRole"),
            (rbac::GROUP, "ClusterRoleBinding"),
            ("", "ServiceAccount"),
        ],
    ),
    (
        &["apiservicedefinitions", "owned"],
        &[("apiregistration.k8s.io", "APIService")],
    ),
    (&["apiservicedefinitions", "owned"], SERVING),
    (&["webhookdefinitions"], SERVING),
];

/// The kinds that OLM creates for Deployments that serve webhooks or APIs: the Service, its certificate, and the
/// permissions to read the certificate and to authenticate requests.
const SERVING: &[Kind] = &[
    ("", "Service"),
    ("", "Secret"),
    (rbac::GROUP, "Role"),
    (rbac::GROUP, "RoleBinding"),
    (rbac::GROUP, "ClusterRoleBinding"),
];

/// Kinds that OLM also creates if it installs the operator for all namespaces.
const EXTENDED: &[Made] = &[(
    &["install", "spec", "permissions"],
    &[(rbac::GROUP, "ClusterRole"), (rbac::GROUP, "ClusterRoleBinding")],
)];

/// The kinds of webhook configurations, by webhook type.
const WEBHOOKS: [(&str, &str); 2] = [
    ("ValidatingAdmissionWebhook", "ValidatingWebhookConfiguration"),
    ("MutatingAdmissionWebhook", "MutatingWebhookConfiguration"),
];

impl Facts {
    /// Collects the facts of a ClusterServiceVersion and of other objects. The ClusterServiceVersion, if any, has the
    /// number 0, and `objects` are numbered after it. The paths are those in the objects as they are written.
    pub(super) fn of(csv: Option<&Value>, objects: &[&Value], setting: &Setting<'_>) -> Self {
        let mut facts = Self::default();
        // What OLM cannot decode, it does not install either.
        let read = csv.map(|csv| typed(csv, &csv::SHAPE).map_or(Cow::Borrowed(csv), Cow::Owned));
        if let Some(csv) = &read {
            facts.csv(csv, setting.everywhere);
        }
        let all: Vec<Cow<'_, Value>> = objects.iter().map(|object| decoded(object)).collect();
        let roles = RolesInPlace::of(read.as_deref().map(|csv| Csv(csv).name()), &all, setting);
        for (number, object) in (usize::from(csv.is_some())..).zip(&all) {
            facts.object(number, object, &roles);
            facts.grants.extend(roles.grants(number, object));
        }
        let written: Vec<&Value> = csv.into_iter().chain(objects.iter().copied()).collect();
        let kinds = facts.kinds.iter_mut().map(|created| &mut created.spot);
        let grants = facts.grants.iter_mut().map(|grant| &mut grant.spot);
        let images = facts.images.iter_mut().map(|(_, spot)| spot);
        for spot in kinds.chain(grants).chain(images) {
            if let Some(object) = written.get(spot.object) {
                spot.path = as_written(object, &spot.path);
            }
        }
        facts
    }

    fn object(&mut self, number: usize, object: &Value, roles: &RolesInPlace<'_>) {
        let text = |key: &str| object.get(key).and_then(Value::as_str).unwrap_or_default();
        let GroupVersionKind { group, kind, .. } = GroupVersionKind::from_api_version(text("apiVersion"), text("kind"));
        if kind.is_empty() {
            return;
        }
        let mut add = |group: String, kind: String, from: Source| {
            let path = Path::root().key("kind");
            let spot = Spot { object: number, path };
            self.kinds.push(Created {
                group,
                kind,
                from,
                spot,
            });
        };
        if roles.is_copied(object) {
            add(rbac::GROUP.to_owned(), format!("Cluster{kind}"), Source::Copy);
        }
        match group_of(&kind).filter(|created| *created != group) {
            Some(created) => add(created.to_owned(), kind, Source::OtherGroup),
            None => add(group, kind, Source::Object),
        }
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
        for (keys, made) in MADE.iter().chain(extended) {
            let path = at(keys);
            if list(&path).is_empty() {
                continue;
            }
            for (group, kind) in *made {
                let mut known = self.kinds.iter();
                if !known.any(|known| (&*known.group, &*known.kind) == (*group, *kind)) {
                    self.kinds.push(Created {
                        group: (*group).to_owned(),
                        kind: (*kind).to_owned(),
                        from: Source::Field,
                        spot: spot(path.clone()),
                    });
                }
            }
        }
        let webhooks = at(&["webhookdefinitions"]);
        for (index, webhook) in list(&webhooks).iter().enumerate() {
            let of = webhook.get("type").and_then(Value::as_str);
            if let Some((_, kind)) = WEBHOOKS.iter().find(|(name, _)| Some(*name) == of) {
                self.kinds.push(Created {
                    group: "admissionregistration.k8s.io".to_owned(),
                    kind: (*kind).to_owned(),
                    from: Source::Field,
                    spot: spot(webhooks.index(index).key("type")),
                });
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
        // The permission to read the certificate is no fact, because OLM mounts the certificate in any case.
        let served = [webhooks, at(&["apiservicedefinitions", "owned"])];
        if let Some(path) = served.into_iter().find(|path| !list(path).is_empty()) {
            for (scope, rules) in [
                (Scope::Cluster, auth_delegation().to_vec()),
                (Scope::Namespace, vec![authentication_reader()]),
            ] {
                self.grants.push(Grant {
                    scope,
                    rules,
                    origin: Origin::Serving,
                    spot: spot(path.clone()),
                });
            }
        }
        let images = image_use::in_csv(csv, &Path::root()).into_iter();
        self.images
            .extend(images.map(|found| (found.image.to_owned(), spot(found.path))));
    }
}

/// Returns a path in an object as the object spells its keys.
fn as_written(object: &Value, path: &Path) -> Path {
    let (mut written, mut at) = (Path::root(), Some(object));
    for step in path.steps() {
        match step {
            Step::Key(key) => {
                let found = at.and_then(Value::as_object).and_then(|map| entry(map, key));
                written = written.key(found.map_or(&**key, |(key, _)| key));
                at = found.map(|(_, value)| value);
            }
            Step::Index(index) => {
                written = written.index(*index);
                at = at.and_then(|list| list.get(index));
            }
        }
    }
    written
}
