//! How OLM handles the object of a step. This depends only on the kind, not on the group.

use super::apis::Apis;
use crate::csv;
use crate::kubernetes::{GroupVersionKind, rbac};
use crate::olm::releases::Olm;
use crate::steps::{BUNDLE_SECRET, CRD, Place, Step};

/// How OLM handles the objects of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Handling {
    /// A CustomResourceDefinition: created with OLM's own permissions; checked and updated if it already exists.
    Definition,
    /// Created; left unchanged if it already exists.
    Once,
    /// Created; read and patched if it already exists.
    Patched,
    /// Created after a look-up of its API; read and updated if it already exists.
    Updated,
    /// Not installed: a plan with such an object fails.
    Unsupported,
}

/// Kinds whose APIs OLM looks up.
const UPDATED: [&str; 11] = [
    "ConsoleCLIDownload",
    "ConsoleLink",
    "ConsolePlugin",
    "ConsoleQuickStart",
    "ConsoleYAMLSample",
    "NetworkPolicy",
    "PodDisruptionBudget",
    "PriorityClass",
    "PrometheusRule",
    "ServiceMonitor",
    "VerticalPodAutoscaler",
];

/// Kinds that OLM knows by name, with their handling, group and resource, and whether they are namespaced.
const KNOWN: [(&str, Handling, &str, &str, bool); 12] = [
    (
        CRD,
        Handling::Definition,
        "apiextensions.k8s.io",
        "customresourcedefinitions",
        false,
    ),
    (csv::KIND, Handling::Once, csv::GROUP, "clusterserviceversions", true),
    ("Subscription", Handling::Once, csv::GROUP, "subscriptions", true),
    ("Secret", Handling::Once, "", "secrets", true),
    (BUNDLE_SECRET, Handling::Patched, "", "secrets", true),
    ("ConfigMap", Handling::Patched, "", "configmaps", true),
    ("Service", Handling::Patched, "", "services", true),
    ("ServiceAccount", Handling::Patched, "", "serviceaccounts", true),
    ("Role", Handling::Patched, rbac::GROUP, "roles", true),
    ("RoleBinding", Handling::Patched, rbac::GROUP, "rolebindings", true),
    ("ClusterRole", Handling::Patched, rbac::GROUP, "clusterroles", false),
    (
        "ClusterRoleBinding",
        Handling::Patched,
        rbac::GROUP,
        "clusterrolebindings",
        false,
    ),
];

/// Returns how OLM handles a kind. `kind` is the name that the step of a plan uses for the kind.
pub(crate) fn of(kind: &str) -> Handling {
    match KNOWN.iter().find(|(known, ..)| *known == kind) {
        Some((_, handling, ..)) => *handling,
        None if UPDATED.contains(&kind) => Handling::Updated,
        None => Handling::Unsupported,
    }
}

/// Returns how OLM handles a step. An `Install` may contain objects of any kind.
pub(crate) fn of_step(step: &Step) -> Handling {
    match (of(&step.resource.kind), &step.place) {
        (Handling::Unsupported, Place::Own(_)) => Handling::Updated,
        (handling, _) => handling,
    }
}

/// Returns the kind of the manifest of a step.
pub(crate) fn manifest_kind(step: &Step) -> &str {
    match &*step.resource.kind {
        BUNDLE_SECRET => "Secret",
        kind => kind,
    }
}

/// Whether the OLM version `olm` supports the step, as far as opmx knows.
pub(crate) fn is_supported(step: &Step, olm: &Olm) -> bool {
    let kind = manifest_kind(step);
    let of_bundle = !matches!(step.place, Place::Own(_));
    of_step(step) != Handling::Unsupported && (!of_bundle || olm.installs(&kind_of(step).api_version(), kind))
}

/// Returns the reason why OLM does not execute a step of an unsupported kind.
pub(crate) fn unsupported(olm: &Olm) -> String {
    match olm {
        Olm::Release(version) => format!("OLM {version} does not install objects of this kind"),
        Olm::Proposed | Olm::AnyRelease => "OLM does not install objects of this kind".to_owned(),
    }
}

/// The resource that the object of a step belongs to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Resource {
    /// The API group.
    pub group: String,
    /// The plural name.
    pub plural: String,
    /// Whether objects of the resource are namespaced. Namespaced objects are created in the namespace of the plan.
    pub namespaced: bool,
}

impl Resource {
    /// Returns the resource of a kind that OLM knows by name.
    pub(crate) fn known(kind: &str) -> Option<Self> {
        let (_, _, group, plural, namespaced) = KNOWN.iter().find(|(known, ..)| *known == kind)?;
        Some(Self {
            group: (*group).to_owned(),
            plural: (*plural).to_owned(),
            namespaced: *namespaced,
        })
    }

    /// Returns the resource of a step. For a kind that OLM knows by name, the group of the object is ignored.
    pub(crate) fn of(step: &Step, apis: &Apis) -> Self {
        if let Some(known) = Self::known(&step.resource.kind) {
            return known;
        }
        let gvk = kind_of(step);
        let (plural, namespaced) = apis.resource(&gvk);
        Self {
            group: gvk.group,
            plural,
            namespaced,
        }
    }

    /// Returns `plural.group`, or the plural name alone for the core group.
    pub(crate) fn label(&self) -> String {
        if self.group.is_empty() {
            self.plural.clone()
        } else {
            format!("{}.{}", self.plural, self.group)
        }
    }
}

/// Returns the group, version and kind of a step.
pub(crate) fn kind_of(step: &Step) -> GroupVersionKind {
    let resource = &step.resource;
    GroupVersionKind::new(&*resource.group, &*resource.version, &*resource.kind)
}

/// Returns the verbs that an install needs for an object, depending on whether the object already exists. OLM writes
/// CustomResourceDefinitions with its own account.
pub(crate) fn verbs(handling: Handling, exists: bool) -> &'static [&'static str] {
    match handling {
        Handling::Definition | Handling::Unsupported => &[],
        Handling::Patched if exists => &["create", "get", "patch"],
        Handling::Updated if exists => &["create", "get", "update"],
        Handling::Once | Handling::Patched | Handling::Updated => &["create"],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::steps::of_bundle;
    use crate::steps::tests::{content, csv, object, target};

    #[test]
    fn the_kind_decides_regardless_of_the_group() {
        let objects = vec![
            object("secretsmanager.services.k8s.aws/v1alpha1", "Secret", "a"),
            object("example.com/v1", "Role", "b"),
            object("policy/v1", "PodDisruptionBudget", "c"),
            object("example.com/v1", "Memo", "d"),
        ];
        let steps = of_bundle(&content(csv("memo.v1"), objects), &target(), "").unwrap();
        let apis = Apis::default();
        let of = |index: usize| {
            let step = &steps[index];
            (Resource::of(step, &apis).label(), super::of(&step.resource.kind))
        };
        assert_eq!(of(1), ("secrets".to_owned(), Handling::Patched));
        assert_eq!(of(2), ("roles.rbac.authorization.k8s.io".to_owned(), Handling::Patched));
        assert_eq!(of(3), ("poddisruptionbudgets.policy".to_owned(), Handling::Updated));
        assert_eq!(of(4), ("memos.example.com".to_owned(), Handling::Unsupported));
    }
}
