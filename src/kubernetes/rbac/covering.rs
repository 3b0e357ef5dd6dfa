//! Determines which rules are already granted, as the API server does before it allows a user to grant them.
//!
//! A required rule stands for single permissions: one group, one resource, one verb and at most one name; or one path
//! and one verb. A permission is covered if a single granted rule covers all its parts. Comparisons are case-sensitive,
//! and only a wildcard covers a required wildcard. The uncovered part of a rule is therefore a set of products (a
//! `Region`), and the single permissions never have to be listed.

mod index;
mod region;
mod rows;

pub(crate) use index::Index;
pub(crate) use region::{Mask, Region};
pub use rows::compact;
pub(crate) use rows::{are_readable, cells, halves};

use super::{ALL, Rule};
use std::cell::Cell;
use std::collections::HashSet;

/// The maximum number of steps for comparing rules. Comparing five thousand rules that name different resources takes
/// less than a thousandth of this number.
const MOST_STEPS: usize = 50_000_000;

/// The error for rules that are so complex that comparing them with the granted rules would take too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "comparing the required rules with the granted rules takes more than {MOST_STEPS} steps; use fewer rules, \
     bindings and aggregated roles, or fewer groups, resources and names in each rule"
)]
pub struct TooComplex;

/// The remaining steps for comparing rules.
#[derive(Debug)]
pub(crate) struct Steps(Cell<usize>);

impl Default for Steps {
    fn default() -> Self {
        Self(Cell::new(MOST_STEPS))
    }
}

impl Steps {
    /// Leaves only this many steps.
    #[cfg(test)]
    pub(crate) fn limited(steps: usize) -> Self {
        Self(Cell::new(steps))
    }

    /// Consumes this many steps.
    pub(crate) fn take(&self, steps: usize) -> Result<(), TooComplex> {
        self.0.set(self.0.get().checked_sub(steps).ok_or(TooComplex)?);
        Ok(())
    }
}

/// Granted rules, indexed for lookups.
#[derive(Debug)]
pub struct Granted<'a> {
    rules: Vec<Held<'a>>,
    index: Index<'a>,
    steps: Steps,
}

/// A granted rule.
#[derive(Debug)]
struct Held<'a> {
    groups: HashSet<&'a str>,
    resources: HashSet<&'a str>,
    names: HashSet<&'a str>,
    paths: &'a [String],
    verbs: HashSet<&'a str>,
}

impl<'a> Granted<'a> {
    /// Combines rules.
    pub fn of(rules: impl IntoIterator<Item = &'a Rule>) -> Self {
        let rules: Vec<&Rule> = rules.into_iter().collect();
        let set = |list: &'a [String]| list.iter().map(String::as_str).collect();
        let held = rules.iter().map(|rule| Held {
            groups: set(&rule.api_groups),
            resources: set(&rule.resources),
            names: set(&rule.resource_names),
            paths: &rule.non_resource_urls,
            verbs: set(&rule.verbs),
        });
        Self {
            rules: held.collect(),
            index: Index::of(rules),
            steps: Steps::default(),
        }
    }

    /// Returns the part of `required` that no granted rule covers, in the order of `required`. Each combination of
    /// group, resource and name, and each path, is in only one of the returned rules.
    ///
    /// # Errors
    /// Returns an error if the comparison takes too many steps.
    pub fn uncovered<'r>(&self, required: impl IntoIterator<Item = &'r Rule>) -> Result<Vec<Rule>, TooComplex> {
        let mut missing = Vec::new();
        for rule in required {
            for mut region in Region::both(rule) {
                self.remove_from(&mut region, &self.steps)?;
                missing.extend(region.into_rules());
            }
        }
        Ok(missing)
    }

    /// Whether the granted rules allow everything that `required` allows.
    ///
    /// # Errors
    /// Returns an error if the comparison takes too many steps.
    pub fn covers<'r>(&self, required: impl IntoIterator<Item = &'r Rule>) -> Result<bool, TooComplex> {
        for rule in required {
            for mut region in Region::both(rule) {
                self.remove_from(&mut region, &self.steps)?;
                if !region.is_empty() {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Whether a single granted rule covers all of `rule`. If `rule` is a single permission, several rules cannot cover
    /// it together.
    pub fn one_covers(&self, rule: &Rule) -> bool {
        Region::both(rule).iter().all(|region| {
            let covers = |mask: Mask| mask.iter().flatten().all(|is_covered| *is_covered);
            let mut candidates = self
                .index
                .covering(region)
                .into_iter()
                .filter_map(|place| self.rules.get(place));
            region.is_empty() || candidates.any(|held| held.mask(region).is_some_and(covers))
        })
    }

    /// Removes the part of a region that the granted rules cover. Each comparison consumes `steps`.
    pub(crate) fn remove_from(&self, region: &mut Region<'_>, steps: &Steps) -> Result<(), TooComplex> {
        if region.is_empty() {
            return Ok(());
        }
        for place in self.index.covering(region) {
            let Some(held) = self.rules.get(place) else { continue };
            let rule = region.rule();
            let lists = [&rule.api_groups, &rule.resources, &rule.resource_names, &rule.verbs];
            let paths = rule.non_resource_urls.len().saturating_mul(held.paths.len());
            steps.take(lists.iter().map(|list| list.len()).fold(paths, usize::saturating_add))?;
            if let Some(mask) = held.mask(region) {
                region.remove(&mask, steps)?;
            }
            if region.is_empty() {
                break;
            }
        }
        Ok(())
    }
}

impl Held<'_> {
    /// Returns the mask of the part of a region that the rule covers.
    fn mask(&self, region: &Region<'_>) -> Option<Mask> {
        let listed = |list: &HashSet<&str>, item: &str| list.contains(item) || list.contains(ALL);
        let what = |what: &str| {
            if region.of_paths() {
                self.paths.iter().any(|own| covers_path(own, what))
            } else {
                self.covers_resource(what)
            }
        };
        region.mask(
            |group| listed(&self.groups, group),
            what,
            // A rule with names covers only these names; `*` is an ordinary name here.
            |name| self.names.is_empty() || name.is_some_and(|name| self.names.contains(name)),
            |verb| listed(&self.verbs, verb),
        )
    }

    /// Whether the rule covers a resource. `*` also covers subresources; `*/status` covers only the status of each
    /// resource.
    fn covers_resource(&self, resource: &str) -> bool {
        self.resources.contains(resource)
            || self.resources.contains(ALL)
            || subresource(resource)
                .is_some_and(|subresource| self.resources.contains(format!("*/{subresource}").as_str()))
    }
}

fn subresource(resource: &str) -> Option<&str> {
    resource.split_once('/').map(|(_, subresource)| subresource)
}

/// Whether a granted path covers a path. A `*` at the end stands for any suffix; elsewhere, it is an ordinary
/// character.
fn covers_path(granted: &str, path: &str) -> bool {
    granted == path || granted.ends_with(ALL) && path.starts_with(index::prefix(granted))
}

/// Returns the part of `required` that no rule of `granted` covers; see [`Granted::uncovered`].
///
/// # Errors
/// Returns an error if the comparison takes too many steps.
pub fn uncovered<'a>(granted: &[Rule], required: impl IntoIterator<Item = &'a Rule>) -> Result<Vec<Rule>, TooComplex> {
    Granted::of(granted).uncovered(required)
}

/// Whether `granted` allows everything that `required` allows.
///
/// # Errors
/// Returns an error if the comparison takes too many steps.
pub fn covers<'a>(granted: &[Rule], required: impl IntoIterator<Item = &'a Rule>) -> Result<bool, TooComplex> {
    Granted::of(granted).covers(required)
}

#[cfg(test)]
mod tests;
