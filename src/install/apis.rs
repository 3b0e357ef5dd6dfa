//! The APIs that a cluster serves, and the resource type of each object in a plan.

use crate::cluster::State;
use crate::kubernetes::removed::removed_in;
use crate::kubernetes::{GroupVersionKind, builtin};
use crate::steps::{CRD, Step};
use semver::Version;
use serde_json::Value;

/// A served resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Served {
    /// Group, version and kind.
    pub gvk: GroupVersionKind,
    /// The plural name of the resource.
    pub plural: String,
    /// Whether objects of the resource are namespaced.
    pub namespaced: bool,
}

/// The APIs of a cluster.
#[derive(Debug, Clone, Default)]
pub struct Apis {
    /// Whether the state lists the APIs that the cluster serves.
    complete: bool,
    served: Vec<Served>,
    /// The version of Kubernetes, if it is known.
    kubernetes: Option<Version>,
}

impl Apis {
    /// Returns the APIs that a state lists, and those of the CustomResourceDefinitions among its objects. If the state
    /// lists no APIs, every API is assumed to be served.
    pub(crate) fn of(state: &State) -> Self {
        let mut apis = Self {
            complete: state.apis.is_some(),
            served: Vec::new(),
            kubernetes: state.kubernetes(),
        };
        for api in state.apis.iter().flatten() {
            let plural = api.plural.clone().unwrap_or_else(|| plural_of(&api.kind.kind));
            apis.served.push(Served {
                gvk: api.kind.clone(),
                plural,
                namespaced: api.namespaced,
            });
        }
        let definitions = state
            .objects
            .iter()
            .filter(|object| object.get("kind").and_then(Value::as_str) == Some(CRD));
        definitions.for_each(|definition| apis.define(definition));
        apis
    }

    /// Adds the resources that a CustomResourceDefinition defines.
    pub(crate) fn define(&mut self, definition: &Value) {
        self.served.extend(defined(definition));
    }

    /// Adds the resources that a plan's CustomResourceDefinitions define, even if the plan has not been applied yet.
    #[must_use]
    pub(crate) fn with_steps(mut self, steps: &[Step]) -> Self {
        let definitions = steps.iter().filter(|step| step.resource.kind == CRD);
        definitions.for_each(|step| self.define(&step.resource.manifest));
        self
    }

    /// Assumes that the cluster serves no APIs other than the known ones.
    #[must_use]
    pub(crate) fn alone(self) -> Self {
        Self { complete: true, ..self }
    }

    /// Whether the cluster serves a kind in this exact version. Kubernetes serves no version that it has removed,
    /// unless the state lists it.
    ///
    /// If the state does not mention a built-in API group, the kinds in this group are assumed to be served in the
    /// version that current clusters serve. Users rarely list such groups, because they list only the APIs that
    /// distinguish a cluster from other clusters.
    pub(crate) fn serves(&self, gvk: &GroupVersionKind) -> bool {
        if self.served.iter().any(|served| served.gvk == *gvk) {
            return true;
        }
        if self.has_removed(gvk) {
            return false;
        }
        if !self.complete {
            return true;
        }
        let mentioned = self.served.iter().any(|served| served.gvk.group == gvk.group);
        let preferred = builtin::find_kind(&gvk.group, &gvk.kind).and_then(|row| row.versions.first());
        !mentioned && preferred.is_some_and(|version| *version == gvk.version)
    }

    /// Whether the cluster's version of Kubernetes is known to no longer serve a kind in this version.
    fn has_removed(&self, gvk: &GroupVersionKind) -> bool {
        let is_gone = |known: &Version| removed_in(gvk).is_some_and(|minor| (known.major, known.minor) >= (1, minor));
        self.kubernetes.as_ref().is_some_and(is_gone)
    }

    /// Returns the plural name of a kind, and whether its objects are namespaced. If neither the cluster nor the plan
    /// defines the kind, the built-in kind with the same group and name is used. If there is no such built-in kind, the
    /// plural name and the scope are derived from the name of the kind.
    pub(crate) fn resource(&self, gvk: &GroupVersionKind) -> (String, bool) {
        let known = self.served.iter().find(|served| served.gvk.is(&gvk.group, &gvk.kind));
        if let Some(served) = known {
            return (served.plural.clone(), served.namespaced);
        }
        if let Some(row) = builtin::find_kind(&gvk.group, &gvk.kind) {
            return (row.resource.to_owned(), row.namespaced);
        }
        (plural_of(&gvk.kind), !CLUSTER_KINDS.contains(&gvk.kind.as_str()))
    }
}

/// Cluster-scoped kinds that bundles can contain and that are not built into Kubernetes.
const CLUSTER_KINDS: [&str; 5] = [
    "ConsoleCLIDownload",
    "ConsoleLink",
    "ConsolePlugin",
    "ConsoleQuickStart",
    "ConsoleYAMLSample",
];

/// Whether a CustomResourceDefinition serves a version.
pub(crate) fn serves(definition: &Value, version: &str) -> bool {
    defined(definition).iter().any(|served| served.gvk.version == version)
}

/// Returns the resources that a CustomResourceDefinition defines, one per served version.
pub(crate) fn defined(definition: &Value) -> Vec<Served> {
    let text = |path: &str| definition.pointer(path).and_then(Value::as_str).unwrap_or_default();
    let versions = definition.pointer("/spec/versions").and_then(Value::as_array);
    let served = versions
        .into_iter()
        .flatten()
        .filter(|version| version.get("served") != Some(&Value::Bool(false)));
    let mut names: Vec<&str> = served.filter_map(|version| version.get("name")?.as_str()).collect();
    if names.is_empty() && !text("/spec/version").is_empty() {
        names.push(text("/spec/version"));
    }
    let served = |version: &str| Served {
        gvk: GroupVersionKind::new(text("/spec/group"), version, text("/spec/names/kind")),
        plural: text("/spec/names/plural").to_owned(),
        namespaced: text("/spec/scope") != "Cluster",
    };
    names.into_iter().map(served).collect()
}

/// Returns the plural name of a kind, formed by the spelling rules of English. All kinds that a bundle may contain
/// follow these rules.
fn plural_of(kind: &str) -> String {
    let name = kind.to_ascii_lowercase();
    let before_y = name
        .strip_suffix('y')
        .filter(|stem| !stem.ends_with(['a', 'e', 'i', 'o', 'u']));
    if let Some(stem) = before_y {
        return format!("{stem}ies");
    }
    if ["s", "x", "z", "ch", "sh"].iter().any(|end| name.ends_with(end)) {
        return format!("{name}es");
    }
    format!("{name}s")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::state::Api;
    use serde_json::json;

    fn api(group: &str, version: &str, kind: &str) -> Api {
        Api {
            kind: GroupVersionKind::new(group, version, kind),
            ..Api::default()
        }
    }

    #[test]
    fn plurals_follow_english_rules() {
        for (kind, plural) in [
            ("NetworkPolicy", "networkpolicies"),
            ("PriorityClass", "priorityclasses"),
            ("ServiceMonitor", "servicemonitors"),
            ("Gateway", "gateways"),
            ("Mesh", "meshes"),
        ] {
            assert_eq!(plural_of(kind), plural);
        }
    }

    #[test]
    fn a_cluster_serves_the_listed_and_the_built_in_apis() {
        let monitor = GroupVersionKind::new("monitoring.coreos.com", "v1", "ServiceMonitor");
        let budget = |version: &str| GroupVersionKind::new("policy", version, "PodDisruptionBudget");
        let mut state = State::default();
        assert!(Apis::of(&state).serves(&monitor), "nothing is known");
        state.apis = Some(Vec::new());
        assert!(!Apis::of(&state).serves(&monitor));
        assert!(Apis::of(&state).serves(&budget("v1")) && !Apis::of(&state).serves(&budget("v1beta1")));
        state.apis = Some(vec![
            api("monitoring.coreos.com", "v1", "ServiceMonitor"),
            api("policy", "v1beta1", "PodDisruptionBudget"),
        ]);
        let apis = Apis::of(&state);
        assert!(apis.serves(&monitor));
        assert!(apis.serves(&budget("v1beta1")) && !apis.serves(&budget("v1")));
        assert_eq!(apis.resource(&monitor), ("servicemonitors".to_owned(), true));
    }

    #[test]
    fn a_known_version_of_kubernetes_serves_no_removed_apis() {
        let budget = GroupVersionKind::new("policy", "v1beta1", "PodDisruptionBudget");
        let mut state = State::default();
        for (version, is_served) in [("1.24.9", true), ("v1.25.0-eks-1", false), ("1.31.2+k3s1", false)] {
            state.kubernetes_version = Some(version.to_owned());
            assert_eq!(Apis::of(&state).serves(&budget), is_served, "{version}");
        }
        let current = GroupVersionKind::new("policy", "v1", "PodDisruptionBudget");
        assert!(Apis::of(&state).serves(&current));
        state.apis = Some(vec![api("policy", "v1beta1", "PodDisruptionBudget")]);
        assert!(Apis::of(&state).serves(&budget), "a list of the APIs takes precedence");
    }

    #[test]
    fn definitions_declare_their_plural_and_scope() {
        let definition = json!({"kind": CRD, "spec": {"group": "example.com", "scope": "Cluster",
            "names": {"kind": "Ox", "plural": "oxen"},
            "versions": [{"name": "v1", "served": true}, {"name": "v0", "served": false}]}});
        let state = State {
            apis: Some(Vec::new()),
            objects: vec![definition],
            ..State::default()
        };
        let apis = Apis::of(&state);
        let ox = |version: &str| GroupVersionKind::new("example.com", version, "Ox");
        assert!(apis.serves(&ox("v1")) && !apis.serves(&ox("v0")));
        assert_eq!(apis.resource(&ox("v2")), ("oxen".to_owned(), false));
        let link = GroupVersionKind::new("console.openshift.io", "v1", "ConsoleLink");
        assert_eq!(apis.resource(&link), ("consolelinks".to_owned(), false));
        let old =
            json!({"spec": {"group": "example.com", "version": "v1beta1", "names": {"kind": "A", "plural": "as"}}});
        assert_eq!(defined(&old).len(), 1);
    }
}
