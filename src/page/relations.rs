//! Dependencies between the packages of a catalog.

use super::path;
use crate::catalog::{BundleId, Catalog, Property, Text};
use crate::olm::constraint::{Condition, Constraint};
use crate::olm::dependency::{self, Dependency, Spelling};
use crate::olm::intent::Intent;
use crate::olm::property::CONSTRAINT;
use crate::olm::releases::Olm;
use crate::resolver::{Need, Needs};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;

/// The maximum number of packages that are listed for a dependency, and of dependents of a package. If many packages
/// provide and require the same API, the size of all lists would otherwise be the square of that of the catalog.
const LISTED: usize = 50;

/// The dependencies of the bundles in a catalog.
#[derive(Debug, Default)]
pub(super) struct Relations {
    /// The distinct dependencies, each with the packages that have it.
    distinct: Vec<(Needed, BTreeSet<Text>)>,
    /// The dependencies of each bundle, as positions in `distinct`.
    needs: HashMap<BundleId, Vec<usize>>,
    /// The dependencies that each package satisfies, as positions in `distinct`.
    satisfied: HashMap<Text, Vec<usize>>,
}

/// A dependency of a version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Needed {
    pub(super) wish: String,
    pub(super) intent: &'static str,
    /// The first packages that satisfy the dependency.
    pub(super) providers: Vec<Provider>,
    /// The number of other packages that satisfy the dependency.
    pub(super) more_providers: usize,
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

/// The packages that depend on a package.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Dependents {
    /// The first dependents, sorted by package.
    pub(super) first: Vec<Dependent>,
    /// The number of other dependents.
    pub(super) more: usize,
}

/// A package that depends on a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Dependent {
    pub(super) package: String,
    pub(super) wish: String,
    pub(super) intent: &'static str,
    pub(super) path: String,
}

impl Relations {
    /// Determines the dependencies of all bundles in channels.
    pub(super) fn of(catalog: &Catalog) -> Self {
        let mut packages_of: BTreeMap<BundleId, Vec<&Text>> = BTreeMap::new();
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
        let mut places: HashMap<(Property, Intent, String), usize> = HashMap::new();
        for (id, packages) in &packages_of {
            for need in needs.of(*id) {
                let key = (need.stored.clone(), need.intent, need.wish.clone());
                let place = *places.entry(key).or_insert_with(|| relations.add(&need, &packages_of));
                relations.needs.entry(*id).or_default().push(place);
                if let Some((_, dependents)) = relations.distinct.get_mut(place) {
                    dependents.extend(packages.iter().map(|package| Text::clone(package)));
                }
            }
        }
        relations
    }

    /// Adds a dependency and returns its position.
    fn add(&mut self, need: &Need, packages_of: &BTreeMap<BundleId, Vec<&Text>>) -> usize {
        let mut providers: BTreeMap<&Text, usize> = BTreeMap::new();
        for id in need.bundles.iter().flatten() {
            for package in packages_of.get(id).into_iter().flatten() {
                *providers.entry(package).or_default() += 1;
            }
        }
        let place = self.distinct.len();
        for provider in providers.keys() {
            self.satisfied.entry(Text::clone(provider)).or_default().push(place);
        }
        self.distinct.push((needed(need, &providers), BTreeSet::new()));
        place
    }

    /// Returns the dependencies of a bundle; `up` is the path from the page to the root.
    pub(super) fn needs(&self, id: BundleId, up: &str) -> Vec<Needed> {
        let places = self.needs.get(&id).into_iter().flatten();
        let needs = places.filter_map(|place| self.distinct.get(*place));
        let mut needs: Vec<Needed> = needs.map(|(needed, _)| needed.clone()).collect();
        for provider in needs.iter_mut().flat_map(|need| &mut need.providers) {
            provider.path.insert_str(0, up);
        }
        needs
    }

    /// Returns the packages that depend on this package; `up` is the path from the page to the root.
    pub(super) fn dependents(&self, package: &str, up: &str) -> Dependents {
        // Versions may write the same dependency in different ways.
        let mut by_wish: BTreeMap<(&str, &'static str), Vec<&BTreeSet<Text>>> = BTreeMap::new();
        let places = self.satisfied.get(package).into_iter().flatten();
        for (needed, dependents) in places.filter_map(|place| self.distinct.get(*place)) {
            by_wish
                .entry((&needed.wish, needed.intent))
                .or_default()
                .push(dependents);
        }
        let mut all = 0;
        let mut first = BTreeSet::new();
        for ((wish, intent), written) in by_wish {
            let dependents = match written[..] {
                [dependents] => Cow::Borrowed(dependents),
                _ => Cow::Owned(written.into_iter().flatten().cloned().collect()),
            };
            all += dependents.len() - usize::from(dependents.contains(package));
            let others = dependents.iter().filter(|dependent| ***dependent != *package);
            first.extend(
                others
                    .take(LISTED)
                    .map(|dependent| (dependent.to_string(), wish, intent)),
            );
        }
        let first = first.into_iter().take(LISTED);
        let first = first.map(|(package, wish, intent)| Dependent {
            path: format!("{up}{}", path::package(&package)),
            package,
            wish: wish.to_owned(),
            intent,
        });
        let first: Vec<Dependent> = first.collect();
        Dependents {
            more: all - first.len(),
            first,
        }
    }
}

/// Describes a dependency. `providers` are the packages that satisfy it, each with the number of its versions.
fn needed(need: &Need, providers: &BTreeMap<&Text, usize>) -> Needed {
    let listed = providers.iter().take(LISTED).map(|(package, versions)| Provider {
        package: package.to_string(),
        path: path::package(package),
        versions: *versions,
    });
    let wish = if need.wish.is_empty() {
        format!("a match for its {}", need.stored.kind)
    } else {
        need.wish.clone()
    };
    Needed {
        wish,
        intent: need.intent.name(),
        providers: listed.collect(),
        more_providers: providers.len().saturating_sub(LISTED),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::{Bundle, Channel, ChannelEntry, ManifestsId, Package};

    /// Returns packages with one version each, all of which provide and require the same API. Every second package
    /// writes the requirement in a different way.
    fn catalog(packages: u32) -> Catalog {
        let property = |kind: &str, value: &str| Property {
            kind: kind.into(),
            value: value.into(),
        };
        let name = |number: u32| Text::from(format!("p{number:03}"));
        let bundle = |number: u32| Bundle {
            name: name(number),
            version: Some("1.0.0".into()),
            image: None,
            properties: vec![
                property("olm.gvk", r#"{"group":"g","kind":"K","version":"v1"}"#),
                if number.is_multiple_of(2) {
                    property("olm.gvk.required", r#"{"group":"g","kind":"K","version":"v1"}"#)
                } else {
                    property("olm.gvk.required", r#"{"version":"v1","group":"g","kind":"K"}"#)
                },
            ],
            dependencies: Vec::new(),
            manifests: ManifestsId(i64::from(number)),
        };
        let package = |number: u32| Package {
            name: name(number),
            default_channel: None,
            channels: vec![Channel {
                name: "stable".into(),
                head: Some(name(number)),
                entries: vec![ChannelEntry {
                    bundle: BundleId(number),
                    replaces: None,
                    skips: Vec::new(),
                    skip_range: None,
                }],
            }],
        };
        Catalog {
            packages: (0..packages).map(package).collect(),
            bundles: (0..packages).map(bundle).collect(),
        }
    }

    #[test]
    fn all_providers_and_dependents_are_listed_if_they_are_few() {
        let relations = Relations::of(&catalog(3));
        let needs = relations.needs(BundleId(1), "../");
        let providers: Vec<_> = needs[0].providers.iter().map(|provider| &*provider.path).collect();
        assert_eq!(
            providers,
            ["p000", "p001", "p002"].map(|name| format!("../{}", path::package(name)))
        );
        assert_eq!((needs.len(), needs[0].more_providers), (1, 0));
        let dependents = relations.dependents("p001", "");
        let names: Vec<_> = dependents.first.iter().map(|dependent| &*dependent.package).collect();
        assert_eq!((names, dependents.more), (vec!["p000", "p002"], 0));
        assert_eq!(relations.dependents("unknown", ""), Dependents::default());
    }

    #[test]
    fn the_first_of_many_providers_and_dependents_are_listed_and_the_others_counted() {
        let relations = Relations::of(&catalog(200));
        let needs = relations.needs(BundleId(7), "");
        assert_eq!(
            (needs[0].providers.len(), needs[0].more_providers),
            (LISTED, 200 - LISTED)
        );
        let dependents = relations.dependents("p007", "");
        let names: Vec<_> = dependents
            .first
            .iter()
            .map(|dependent| dependent.package.clone())
            .collect();
        let expected: Vec<_> = (0..=LISTED)
            .filter(|number| *number != 7)
            .map(|number| format!("p{number:03}"))
            .collect();
        assert_eq!((names, dependents.more), (expected, 199 - LISTED));
        // Both spellings of the dependency are stored once.
        assert_eq!(relations.distinct.len(), 2);
    }
}
