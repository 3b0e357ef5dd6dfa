//! Which rules are held already, as the API server decides it before it lets somebody grant them.
//!
//! A required rule stands for single permissions: one group, one resource, one verb, at most one name; or one path and
//! one verb. Each is covered when one single granted rule covers all its parts. Everything is compared with case, and a
//! wildcard that is required is covered by a wildcard only. So what is left of a rule is a set of products, a
//! [`Region`], and nobody has to list what they multiply to.

mod region;
mod rows;

pub(crate) use region::{Mask, Region};
pub use rows::compact;
pub(crate) use rows::{are_readable, cells, halves};

use super::{ALL, Rule};
use std::cell::Cell;
use std::collections::{BTreeSet, HashMap, HashSet};

/// How many steps rules are compared with. Five thousand rules that differ in one list each take less than a
/// thousandth.
const MOST_STEPS: usize = 50_000_000;

/// Rules that are made so that what is held of them cannot be told in reasonable time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "it takes more than {MOST_STEPS} steps to compare the rules with what is held; write fewer rules, or fewer groups, \
     resources and names in each"
)]
pub struct TooComplex;

/// The steps that are left for comparing.
#[derive(Debug)]
pub(crate) struct Steps(Cell<usize>);

impl Default for Steps {
    fn default() -> Self {
        Self(Cell::new(MOST_STEPS))
    }
}

impl Steps {
    /// Takes so many of them.
    fn take(&self, steps: usize) -> Result<(), TooComplex> {
        self.0.set(self.0.get().checked_sub(steps).ok_or(TooComplex)?);
        Ok(())
    }
}

/// Rules that are held, prepared for questions.
#[derive(Debug)]
pub struct Granted<'a> {
    rules: Vec<Held<'a>>,
    /// The places of the rules about a resource, as they write it.
    by_resource: HashMap<&'a str, Vec<usize>>,
    /// The places of the rules about paths.
    about_paths: Vec<usize>,
    steps: Steps,
}

/// One of the rules that are held.
#[derive(Debug)]
struct Held<'a> {
    groups: HashSet<&'a str>,
    resources: HashSet<&'a str>,
    names: HashSet<&'a str>,
    paths: &'a [String],
    verbs: HashSet<&'a str>,
}

impl<'a> Granted<'a> {
    /// What these rules grant together.
    pub fn of(rules: impl IntoIterator<Item = &'a Rule>) -> Self {
        let mut granted = Self {
            rules: Vec::new(),
            by_resource: HashMap::new(),
            about_paths: Vec::new(),
            steps: Steps::default(),
        };
        for (place, rule) in rules.into_iter().enumerate() {
            for resource in &rule.resources {
                granted.by_resource.entry(resource).or_default().push(place);
            }
            if !rule.non_resource_urls.is_empty() {
                granted.about_paths.push(place);
            }
            let set = |list: &'a [String]| list.iter().map(String::as_str).collect();
            granted.rules.push(Held {
                groups: set(&rule.api_groups),
                resources: set(&rule.resources),
                names: set(&rule.resource_names),
                paths: &rule.non_resource_urls,
                verbs: set(&rule.verbs),
            });
        }
        granted
    }

    /// What of `required` no rule covers, in its order: rules of which no two are about the same resource of one group
    /// and name, or the same path.
    ///
    /// # Errors
    /// When it takes too many steps to tell.
    pub fn uncovered<'r>(&self, required: impl IntoIterator<Item = &'r Rule>) -> Result<Vec<Rule>, TooComplex> {
        let mut missing = Vec::new();
        for rule in required {
            for mut region in Region::both(rule) {
                self.remove_from(&mut region)?;
                missing.extend(region.into_rules());
            }
        }
        Ok(missing)
    }

    /// Whether the rules allow everything that `required` does.
    ///
    /// # Errors
    /// When it takes too many steps to tell.
    pub fn covers<'r>(&self, required: impl IntoIterator<Item = &'r Rule>) -> Result<bool, TooComplex> {
        for rule in required {
            for mut region in Region::both(rule) {
                self.remove_from(&mut region)?;
                if !region.is_empty() {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Whether one of the rules alone covers all of a rule, as it must where that is a single permission.
    pub fn one_covers(&self, rule: &Rule) -> bool {
        Region::both(rule).iter().all(|region| {
            let covers = |mask: Mask| mask.iter().flatten().all(|is_covered| *is_covered);
            let mut candidates = self
                .candidates(region)
                .into_iter()
                .filter_map(|place| self.rules.get(place));
            region.is_empty() || candidates.any(|held| held.mask(region).is_some_and(covers))
        })
    }

    /// Takes what the rules cover from a region.
    pub(crate) fn remove_from(&self, region: &mut Region<'_>) -> Result<(), TooComplex> {
        if region.is_empty() {
            return Ok(());
        }
        for place in self.candidates(region) {
            let Some(held) = self.rules.get(place) else { continue };
            let rule = region.rule();
            let lists = [&rule.api_groups, &rule.resources, &rule.resource_names, &rule.verbs];
            let paths = rule.non_resource_urls.len().saturating_mul(held.paths.len());
            self.steps
                .take(lists.iter().map(|list| list.len()).fold(paths, usize::saturating_add))?;
            if let Some(mask) = held.mask(region) {
                region.remove(&mask, &self.steps)?;
            }
            if region.is_empty() {
                break;
            }
        }
        Ok(())
    }

    /// The places of the rules that may cover something of a region.
    fn candidates(&self, region: &Region<'_>) -> Vec<usize> {
        if region.of_paths() {
            return self.about_paths.clone();
        }
        let resources = &region.rule().resources;
        let below: BTreeSet<String> = resources
            .iter()
            .filter_map(|resource| subresource(resource).map(|subresource| format!("*/{subresource}")))
            .collect();
        let written = resources.iter().chain(&below).map(String::as_str).chain([ALL]);
        let found: BTreeSet<usize> = written
            .filter_map(|resource| self.by_resource.get(resource))
            .flatten()
            .copied()
            .collect();
        found.into_iter().collect()
    }
}

impl Held<'_> {
    /// What it covers of a region.
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
            // A rule with names covers these names only; a `*` among them is a name.
            |name| self.names.is_empty() || name.is_some_and(|name| self.names.contains(name)),
            |verb| listed(&self.verbs, verb),
        )
    }

    /// `*` covers subresources, too; `*/status` covers the status of everything, and only that.
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

/// A `*` at the end of a path stands for whatever follows; elsewhere it is a character.
fn covers_path(granted: &str, path: &str) -> bool {
    granted == path || granted.ends_with('*') && path.starts_with(granted.trim_end_matches('*'))
}

/// What of `required` no rule of `granted` covers; see [`Granted::uncovered`].
///
/// # Errors
/// When it takes too many steps to tell.
pub fn uncovered<'a>(granted: &[Rule], required: impl IntoIterator<Item = &'a Rule>) -> Result<Vec<Rule>, TooComplex> {
    Granted::of(granted).uncovered(required)
}

/// Whether `granted` allows everything that `required` does.
///
/// # Errors
/// When it takes too many steps to tell.
pub fn covers<'a>(granted: &[Rule], required: impl IntoIterator<Item = &'a Rule>) -> Result<bool, TooComplex> {
    Granted::of(granted).covers(required)
}

#[cfg(test)]
mod tests;
