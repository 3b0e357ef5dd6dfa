//! Bundles that satisfy a dependency although OLM does not consider them: skipped versions, and the catalogs of other
//! namespaces. Only explanations use them.

use super::entries::{ChannelKey, Entries, EntryId, Origin};
use super::names::{SHOWN, few, named};
use super::predicate::Predicate;
use super::unused::Unused;
use super::variables::Variables;
use crate::catalog::Text;
use std::collections::BTreeSet;

/// Bundles that satisfy a dependency although OLM does not consider them.
#[derive(Debug)]
pub(super) struct Unoffered {
    /// The reason why OLM does not consider them.
    pub(super) reason: String,
    pub(super) remedy: Remedy,
}

/// What would make OLM consider such bundles.
#[derive(Debug)]
pub(super) enum Remedy {
    /// A catalog with this bundle.
    Bundle(String),
    /// This catalog.
    Catalog(String),
}

/// Finds the bundles that satisfy a dependency without candidates.
pub(super) fn unoffered(variables: &Variables<'_>, predicate: &Predicate) -> Option<Unoffered> {
    let found = in_channels(variables, predicate).or_else(|| in_catalogs(variables, predicate));
    // Without a budget, bundles seem to satisfy negated constraints.
    found.filter(|_| !variables.explaining.is_spent())
}

/// Finds bundles in the catalogs that OLM uses.
fn in_channels(variables: &Variables<'_>, predicate: &Predicate) -> Option<Unoffered> {
    let mut groups: Vec<(Option<&Text>, Vec<String>)> = Vec::new();
    for id in variables.satisfying(predicate) {
        let (skipping, name) = (skipping(&variables.entries, id), named(variables, id));
        match groups.iter_mut().find(|(known, _)| *known == skipping) {
            Some((_, names)) => names.push(name),
            None => groups.push((skipping, vec![name])),
        }
    }
    let is_skipped = groups.iter().any(|(skipping, _)| skipping.is_some());
    let reasons = groups.into_iter().map(|(skipping, names)| {
        let is_one = names.len() == 1;
        let names = few(names, "or");
        match skipping {
            Some(other) if is_one => format!("{names}, because {other} skips it"),
            Some(other) => format!("{names}, because {other} skips them"),
            None if is_one => format!("{names}, because it has no update path to the head of its channel"),
            None => format!("{names}, because they have no update path to the head of their channel"),
        }
    });
    let reasons: Vec<String> = reasons.take(SHOWN).collect();
    (!reasons.is_empty()).then(|| Unoffered {
        reason: format!("OLM does not install {}", reasons.join(", or ")),
        remedy: Remedy::Bundle(if is_skipped {
            format!("{predicate} that no other bundle skips")
        } else {
            format!("{predicate} that has an update path to the head of its channel")
        }),
    })
}

/// Returns the first entry of the channel that skips an entry.
fn skipping(entries: &Entries, id: EntryId) -> Option<&Text> {
    let entry = entries.get(id);
    let key = ChannelKey {
        origin: entry.origin,
        package: entry.package.clone(),
        channel: entry.channel.clone(),
    };
    let mut others = entries.channels.get(&key)?.iter().map(|other| entries.get(*other));
    let other = others.find(|other| other.skips.contains(&entry.name))?;
    Some(&other.name)
}

/// Finds bundles in the first of the catalogs that OLM does not use.
fn in_catalogs(variables: &Variables<'_>, predicate: &Predicate) -> Option<Unoffered> {
    let problem = variables.problem;
    let Unused { entries, providers } = variables.unused();
    let ids = entries.satisfying(providers, predicate, &variables.explaining);
    let place = |id: &EntryId| match entries.get(*id).origin {
        Origin::Catalog(place) => Some(place),
        Origin::Existing => None,
    };
    let first = ids.iter().find_map(place)?;
    let source = problem.unused_catalogs.get(first)?;
    let names: BTreeSet<&str> = ids
        .iter()
        .filter(|id| place(id) == Some(first))
        .map(|id| &*entries.get(*id).name)
        .collect();
    let names = few(names.into_iter().map(str::to_owned).collect(), "and");
    let (name, namespace, here) = (source.name, source.namespace, &problem.namespace);
    Some(Unoffered {
        reason: format!(
            "OLM does not use the catalog {name} in {namespace}, which contains {names}, for the namespace {here}"
        ),
        remedy: Remedy::Catalog(format!("the catalog {name} in {here} instead of {namespace}")),
    })
}
