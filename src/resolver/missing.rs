//! Finds remedies for all dependencies without candidates. The search itself ends at the first of these
//! dependencies.

use super::clause::{Clause, listed};
use super::predicate::{Predicate, Test};
use super::search::ConstraintId;
use super::unoffered::{Remedy, unoffered};
use super::variables::Variables;
use crate::kubernetes::platform::is_platform_group;
use crate::olm::constraint::Condition;
use std::collections::{BTreeMap, BTreeSet};

/// The unsatisfied dependencies of a bundle, in words.
#[derive(Default)]
struct Missing {
    /// Descriptions of the bundles that a catalog must contain.
    wishes: Vec<String>,
    /// The catalogs that OLM must use.
    catalogs: Vec<String>,
    /// The APIs that only the platform serves.
    natives: Vec<String>,
}

/// Returns a remedy for each bundle in `core` that has dependencies without a provider.
pub(super) fn remedies(variables: &Variables<'_>, core: &BTreeSet<ConstraintId>) -> Vec<String> {
    let mut bundles: BTreeMap<String, Missing> = BTreeMap::new();
    for constraint in core {
        let Clause::Needs(id, ..) = &variables.constraints[*constraint] else {
            continue;
        };
        let own = variables
            .by_entry
            .get(id)
            .map(|own| &variables.instance.needs[*own][..]);
        for (_, constraint) in own.unwrap_or_default() {
            let Clause::Needs(_, predicate, candidates) = &variables.constraints[*constraint] else {
                continue;
            };
            if !candidates.is_empty() {
                continue;
            }
            let missing = bundles.entry(variables.name(*id).to_string()).or_default();
            let (list, text) = match &**predicate {
                Predicate::Leaf(Test {
                    condition: Condition::Api(api),
                    ..
                }) if is_platform_group(&api.group) => {
                    (&mut missing.natives, format!("{} ({})", api.kind, api.api_version()))
                }
                other => match unoffered(variables, other).map(|found| found.remedy) {
                    Some(Remedy::Bundle(bundle)) => (&mut missing.wishes, bundle),
                    Some(Remedy::Catalog(catalog)) => (&mut missing.catalogs, catalog),
                    None => (&mut missing.wishes, other.to_string()),
                },
            };
            if !list.contains(&text) {
                list.push(text);
            }
        }
    }
    bundles
        .into_iter()
        .map(|(name, missing)| missing.remedy(&name))
        .collect()
}

impl Missing {
    fn remedy(&self, bundle: &str) -> String {
        let mut parts = Vec::new();
        if !self.wishes.is_empty() {
            parts.push(format!("a catalog with {}, for {bundle}", listed(&self.wishes, "and")));
        }
        if !self.catalogs.is_empty() {
            parts.push(format!("{}, for {bundle}", listed(&self.catalogs, "and")));
        }
        if !self.natives.is_empty() {
            parts.push(format!(
                "{} among the native APIs of {bundle} instead of the required ones (dependency: native in its \
                 olm.yaml), because the platform serves such APIs, and no bundle does",
                listed(&self.natives, "and")
            ));
        }
        parts.join("; and ")
    }
}
