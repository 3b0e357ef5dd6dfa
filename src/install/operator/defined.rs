//! What the CustomResourceDefinitions of a cluster say about names and kinds.

use super::component::Component;
use std::collections::{HashMap, HashSet};

/// The CustomResourceDefinitions of a cluster.
pub(super) struct Defined<'a> {
    by_name: HashMap<&'a str, Component<'a>>,
    /// The cluster-scoped kinds, by group and kind.
    cluster_scoped: HashSet<(&'a str, &'a str)>,
}

impl<'a> Defined<'a> {
    /// Reads the definitions among objects. Skips objects of other kinds.
    pub(super) fn among(objects: &[Component<'a>]) -> Self {
        let mut defined = Self {
            by_name: HashMap::new(),
            cluster_scoped: HashSet::new(),
        };
        let definitions = objects
            .iter()
            .filter(|object| object.text("/kind") == "CustomResourceDefinition");
        for definition in definitions {
            defined.by_name.entry(definition.name()).or_insert(*definition);
            if definition.text("/spec/scope") == "Cluster" {
                let kind = (definition.text("/spec/group"), definition.text("/spec/names/kind"));
                defined.cluster_scoped.insert(kind);
            }
        }
        defined
    }

    /// Returns the singular name in the definition with this name.
    pub(super) fn singular(&self, name: &str) -> Option<&'a str> {
        self.by_name.get(name)?.some_text("/spec/names/singular")
    }

    /// Whether a definition makes a kind cluster-scoped.
    pub(super) fn is_cluster_scoped(&self, group: &str, kind: &str) -> bool {
        self.cluster_scoped.contains(&(group, kind))
    }
}
