//! The objects of a cluster that the objects of a bundle are compared with.

use super::super::component::Component;
use super::Expected;
use crate::csv::{self, GROUP, owner};
use serde_json::Value;
use std::collections::HashMap;

/// The group and the kind of an object.
type Kind<'a> = (&'a str, &'a str);

/// The objects of a cluster, indexed for comparisons with any number of bundles. Versions that OLM copied are omitted.
#[derive(Debug, Default)]
pub struct ObservedObjects<'a> {
    kinds: HashMap<Kind<'a>, OfKind<'a>>,
    /// The first Subscription of each installed version, by the namespace and the name of the version.
    subscriptions: HashMap<(&'a str, &'a str), Component<'a>>,
}

/// The objects of a kind. Of several objects with the same key, the first one is kept.
#[derive(Debug, Default)]
struct OfKind<'a> {
    named: HashMap<&'a str, Component<'a>>,
    /// Indexed by namespace and name.
    placed: HashMap<(&'a str, &'a str), Component<'a>>,
    /// Indexed by the version that OLM recorded as the owner.
    owned: HashMap<&'a str, Vec<Component<'a>>>,
}

impl<'a> ObservedObjects<'a> {
    /// Indexes the objects of a cluster.
    pub fn of(objects: &'a [Value]) -> Self {
        let mut observed = Self::default();
        for object in objects.iter().map(Component).filter(|object| !object.is_copied()) {
            let group = object
                .text("/apiVersion")
                .rsplit_once('/')
                .map_or("", |(group, _)| group);
            let kind = (group, object.text("/kind"));
            let namespace = object.text("/metadata/namespace");
            let of_kind = observed.kinds.entry(kind).or_default();
            of_kind.named.entry(object.name()).or_insert(object);
            of_kind.placed.entry((namespace, object.name())).or_insert(object);
            let [owner, ..] = owner::recorded(object.0);
            if !owner.is_empty() {
                of_kind.owned.entry(owner).or_default().push(object);
            }
            if kind == (GROUP, "Subscription") {
                let installed = (namespace, object.text("/status/installedCSV"));
                observed.subscriptions.entry(installed).or_insert(object);
            }
        }
        observed
    }

    /// Returns an installed version.
    pub(super) fn version(&self, namespace: &str, name: &str) -> Option<Component<'a>> {
        self.find(csv::GROUP, csv::KIND, namespace, name)
    }

    /// Returns the Subscription of an installed version.
    pub(super) fn subscription(&self, namespace: &str, installed: &str) -> Option<Component<'a>> {
        self.subscriptions.get(&(namespace, installed)).copied()
    }

    /// Returns the proxy of the cluster, which only OpenShift has.
    pub(super) fn proxy(&self) -> Option<Component<'a>> {
        self.find("config.openshift.io", "Proxy", "", "cluster")
    }

    fn find(&self, group: &str, kind: &str, namespace: &str, name: &str) -> Option<Component<'a>> {
        let of_kind = self.kinds.get(&(group, kind))?;
        let found = if namespace.is_empty() {
            of_kind.named.get(name)
        } else {
            of_kind.placed.get(&(namespace, name))
        };
        found.copied()
    }

    /// Whether the cluster has any object of the kind, so that an object that is not found is really missing.
    pub(super) fn knows(&self, expected: &Expected) -> bool {
        self.kinds.contains_key(&(&*expected.group, &*expected.kind))
    }

    /// Returns the object in the cluster that an expected object is compared with. If OLM generated the name, an object
    /// with the same owner and content also matches.
    pub(super) fn counterpart(&self, expected: &Expected, version: &str) -> Option<Component<'a>> {
        let named = self.find(&expected.group, &expected.kind, &expected.namespace, &expected.name);
        if named.is_some() || !expected.is_generated {
            return named;
        }
        let content = |object: &Value| {
            let part = |key: &str| object.get(key).cloned().unwrap_or_default();
            (part("rules"), part("subjects"))
        };
        let of_kind = self.kinds.get(&(&*expected.group, &*expected.kind))?;
        let mut owned = of_kind.owned.get(version).into_iter().flatten();
        let found = owned.find(|object| content(object.0) == content(&expected.object));
        found.copied()
    }
}
