//! Dependencies between the packages of a catalog.

use super::path;
use crate::catalog::{BundleId, Catalog, Text};
use crate::olm::constraint::{Condition, Constraint};
use crate::olm::dependency::{self, Dependency, Spelling};
use crate::olm::property::CONSTRAINT;
use crate::olm::releases::Olm;
use crate::resolver::{Need, Needs};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;

/// The dependencies of the bundles in a catalog.
#[derive(Debug, Default)]
pub(super) struct Relations {
    needs: HashMap<BundleId, Vec<Needed>>,
    dependents: BTreeMap<Text, BTreeSet<Dependent>>,
}

/// A dependency of a version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Needed {
    pub(super) wish: String,
    pub(super) intent: &'static str,
    /// The packages that satisfy the dependency.
    pub(super) providers: Vec<Provider>,
    /// The reason why the providers cannot be determined.
    pub(super) unknown: Option<String>,
    /// The constraint and its parts, each on its own line; empty if the dependency is not a constraint.
    pub(super) tree: String,
}

/// A package that satisfies a dependency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Provider {
    pub(super) package: String,
    /// The path from the root of the site; on a page, prefixed with the path to the root.
    pub(super) path: String,
    pub(super) versions: usize,
}

/// A package that depends on a provider.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Dependent {
    pub(super) package: String,
    pub(super) wish: String,
    pub(super) intent: &'static str,
    pub(super) path: String,
}

impl Relations {
    /// Determines the dependencies of all bundles in channels.
    pub(super) fn of(catalog: &Catalog) -> Self {
        let mut packages_of: HashMap<BundleId, Vec<&Text>> = HashMap::new();
        for package in &catalog.packages {
            for entry in package.channels.iter().flat_map(|channel| &channel.entries) {
                let packages = packages_of.entry(entry.bundle).or_default();
                if packages.last() != Some(&&package.name) {
                    packages.push(&package.name);
                }
            }
        }
        let mut relations = Self::default();
        let mut needs = Needs::new(catalog, Olm::Proposed);
        let mut ids: Vec<&BundleId> = packages_of.keys().collect();
        ids.sort_unstable();
        for id in ids {
            let found = needs.of(*id);
            if found.is_empty() {
                continue;
            }
            let found: Vec<Needed> = found.iter().map(|need| needed(need, &packages_of)).collect();
            for package in packages_of.get(id).into_iter().flatten() {
                for need in &found {
                    for provider in need.providers.iter().filter(|provider| *provider.package != ***package) {
                        let dependents = relations
                            .dependents
                            .entry(provider.package.as_str().into())
                            .or_default();
                        dependents.insert(Dependent {
                            package: package.to_string(),
                            wish: need.wish.clone(),
                            intent: need.intent,
                            path: path::package(package),
                        });
                    }
                }
            }
            relations.needs.insert(*id, found);
        }
        relations
    }

    /// Returns the dependencies of a bundle; `up` is the path from the page to the root.
    pub(super) fn needs(&self, id: BundleId, up: &str) -> Vec<Needed> {
        let mut needs = self.needs.get(&id).cloned().unwrap_or_default();
        for provider in needs.iter_mut().flat_map(|need| &mut need.providers) {
            provider.path.insert_str(0, up);
        }
        needs
    }

    /// Returns the packages that depend on this package; `up` is the path from the page to the root.
    pub(super) fn dependents(&self, package: &str, up: &str) -> Vec<Dependent> {
        let dependents = self.dependents.get(package).into_iter().flatten().cloned();
        dependents
            .map(|mut dependent| {
                dependent.path.insert_str(0, up);
                dependent
            })
            .collect()
    }
}

fn needed(need: &Need, packages_of: &HashMap<BundleId, Vec<&Text>>) -> Needed {
    let mut counts: BTreeMap<&Text, usize> = BTreeMap::new();
    for id in need.bundles.iter().flatten() {
        for package in packages_of.get(id).into_iter().flatten() {
            *counts.entry(package).or_default() += 1;
        }
    }
    let providers = counts.into_iter().map(|(package, versions)| Provider {
        package: package.to_string(),
        path: path::package(package),
        versions,
    });
    let wish = if need.wish.is_empty() {
        format!("a match for its {}", need.stored.kind)
    } else {
        need.wish.clone()
    };
    Needed {
        wish,
        intent: need.intent.name(),
        providers: providers.collect(),
        unknown: need.bundles.as_ref().err().cloned(),
        tree: tree(need),
    }
}

/// Formats a constraint with its parts below it. Returns an empty string if the dependency is not a constraint.
fn tree(need: &Need) -> String {
    if &*need.stored.kind != CONSTRAINT {
        return String::new();
    }
    let reading = dependency::read(&need.stored.kind, &need.stored.value, Spelling::Property);
    let read = reading.ok().flatten().and_then(|reading| reading.dependency);
    let mut out = String::new();
    if let Some(Dependency::Constraint(constraint)) = read {
        write_tree(&constraint, 0, &mut out);
    }
    out
}

fn write_tree(constraint: &Constraint, depth: usize, out: &mut String) {
    let words = match constraint {
        Constraint::Leaf(Condition::Cel { rule, message }) if message.is_empty() => format!("rule {rule}"),
        Constraint::Leaf(Condition::Cel { rule, message }) => format!("rule {rule} ({message})"),
        Constraint::Leaf(condition) => condition.to_string(),
        Constraint::All(_) => "all of".to_owned(),
        Constraint::Any(_) => "one of".to_owned(),
        Constraint::Not(_) => "none of".to_owned(),
    };
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{}{words}", "  ".repeat(depth));
    let (_, parts) = constraint.parts().unzip();
    for part in parts.into_iter().flatten() {
        write_tree(part, depth + 1, out);
    }
}
