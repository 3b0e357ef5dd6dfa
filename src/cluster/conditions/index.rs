//! Finds the conditions of an operator among many, without comparing each operator with each condition.

use super::{InstalledOperator, OperatorCondition};
use crate::cluster::labels;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The positions of conditions by their namespace.
type Places<'a> = BTreeMap<Option<&'a str>, Vec<usize>>;

/// Conditions, indexed by the names that can link them to an operator.
#[derive(Debug, Default)]
pub(crate) struct Conditions<'a> {
    all: Vec<OperatorCondition<'a>>,
    by_name: HashMap<&'a str, Places<'a>>,
}

impl<'a> Conditions<'a> {
    /// Reads the conditions among objects. Skips objects of other kinds.
    pub(crate) fn among(objects: impl IntoIterator<Item = &'a Value>) -> Self {
        let conditions = objects.into_iter().filter_map(OperatorCondition::of);
        Self::of(conditions.collect())
    }

    pub(super) fn of(all: Vec<OperatorCondition<'a>>) -> Self {
        let mut by_name: HashMap<&str, Places<'_>> = HashMap::new();
        for (place, condition) in all.iter().enumerate() {
            let labels = condition.get(&["metadata", "labels"]).and_then(Value::as_object);
            let links = condition.owners().chain(labels::operators(labels));
            let names: BTreeSet<&str> = links.chain([condition.name()]).collect();
            for name in names {
                let places = by_name.entry(name).or_default();
                places.entry(condition.namespace()).or_default().push(place);
            }
        }
        Self { all, by_name }
    }

    /// Returns the conditions.
    pub(super) fn all(&self) -> &[OperatorCondition<'a>] {
        &self.all
    }

    /// Returns the conditions of an operator, in their order, with their positions.
    pub(crate) fn of_operator(&self, operator: &InstalledOperator<'_>) -> Vec<(usize, OperatorCondition<'a>)> {
        let package = operator.package;
        let whole = package
            .zip(operator.namespace)
            .map(|(package, namespace)| format!("{package}.{namespace}"));
        let labelled = [package, whole.as_deref()].into_iter().flatten();
        let labelled = labelled.flat_map(|name| [name, labels::cut(name)]);
        let linked = labelled
            .chain([operator.name])
            .filter_map(|name| self.by_name.get(name));
        let mut places: BTreeSet<usize> = BTreeSet::new();
        for by_namespace in linked {
            match operator.namespace {
                None => places.extend(by_namespace.values().flatten()),
                namespace => {
                    let near = [namespace, None].into_iter().filter_map(|own| by_namespace.get(&own));
                    places.extend(near.flatten());
                }
            }
        }
        let found = places
            .into_iter()
            .filter_map(|place| Some((place, *self.all.get(place)?)));
        found.filter(|(_, condition)| condition.is_of(operator)).collect()
    }
}
