//! Bundles of a catalog that satisfy the dependencies of a bundle.

use super::predicate::{Dependency, Providers, dependencies};
use super::properties::{Facts, as_property, of_bundle};
use super::resolve::EVALUATIONS;
use crate::catalog::{BundleId, Catalog, Property, Text};
use crate::cel::Budget;
use crate::olm::intent::Intent;
use crate::olm::releases::Olm;
use crate::olm::spelling::is_requirement;
use crate::version::parse_tolerant;
use semver::Version;
use std::collections::HashMap;
use std::rc::Rc;

/// Looks up the dependencies of the bundles in a catalog.
#[derive(Debug)]
pub(crate) struct Needs<'catalog> {
    catalog: &'catalog Catalog,
    /// The OLM that reads the dependencies.
    olm: Olm,
    /// Every bundle in a channel.
    candidates: Vec<Candidate>,
    /// The positions of candidates.
    providers: Providers<usize>,
    budget: Budget,
    /// Cached results, because the versions of a package often have the same dependencies.
    known: HashMap<Property, Rc<[Found]>>,
}

#[derive(Debug)]
struct Candidate {
    bundle: BundleId,
    package: Text,
    version: Option<Version>,
    facts: Facts,
}

/// A dependency with the bundles that satisfy it.
#[derive(Debug, Clone)]
struct Found {
    intent: Intent,
    wish: String,
    packages: Vec<String>,
    bundles: Result<Vec<BundleId>, String>,
}

/// A dependency of a bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Need {
    /// The stored dependency or property.
    pub stored: Property,
    /// The intent of the dependency.
    pub intent: Intent,
    /// A description of the dependency, such as `package etcd in the range 1.x`; empty if unknown.
    pub wish: String,
    /// The packages that the dependency names.
    pub packages: Vec<String>,
    /// All bundles in channels that satisfy the dependency, or the reason why these are unknown.
    pub bundles: Result<Vec<BundleId>, String>,
}

/// Describes what a property of a bundle requires, once for each intent. Returns `None` if opmx cannot read the
/// property, or if nothing is required.
pub(crate) fn wishes(property: &Property) -> Option<Vec<(Intent, String)>> {
    let read = dependencies(property, &Olm::Proposed).ok()?;
    let wishes: Vec<_> = read.iter().map(|one| (one.intent, one.predicate.to_string())).collect();
    (!wishes.is_empty()).then_some(wishes)
}

impl<'catalog> Needs<'catalog> {
    /// Reads every bundle in a channel. Bundles with unreadable dependencies can still satisfy dependencies of other
    /// bundles.
    pub(crate) fn new(catalog: &'catalog Catalog, olm: Olm) -> Self {
        let mut candidates = Vec::new();
        let mut providers = Providers::default();
        for package in &catalog.packages {
            let entries = package.channels.iter().flat_map(|channel| &channel.entries);
            let mut ids: Vec<_> = entries.map(|entry| entry.bundle).collect();
            ids.sort_unstable();
            ids.dedup();
            for id in ids {
                let Some(bundle) = catalog.bundle(id) else { continue };
                let mut own = bundle.clone();
                own.dependencies.clear();
                let facts = of_bundle(&package.name, &own, &olm).unwrap_or_default();
                providers.add(candidates.len(), &package.name, &facts);
                candidates.push(Candidate {
                    bundle: id,
                    package: package.name.clone(),
                    version: bundle.version.as_deref().and_then(parse_tolerant),
                    facts,
                });
            }
        }
        Self {
            catalog,
            olm,
            candidates,
            providers,
            budget: Budget::new(EVALUATIONS),
            known: HashMap::new(),
        }
    }

    /// Returns the dependencies of a bundle, in the order of their declaration.
    pub(crate) fn of(&mut self, id: BundleId) -> Vec<Need> {
        let Some(bundle) = self.catalog.bundle(id) else {
            return Vec::new();
        };
        let constraints = bundle
            .properties
            .iter()
            .filter(|property| is_requirement(&property.kind));
        let mut needs = Vec::new();
        for stored in bundle.dependencies.iter().chain(constraints) {
            let known = self.known.get(stored).map(Rc::clone);
            let found = known.unwrap_or_else(|| {
                let found: Rc<[Found]> = self.find(stored).into();
                self.known.insert(stored.clone(), Rc::clone(&found));
                found
            });
            needs.extend(found.iter().cloned().map(|found| Need {
                stored: stored.clone(),
                intent: found.intent,
                wish: found.wish,
                packages: found.packages,
                bundles: found.bundles,
            }));
        }
        needs
    }

    fn find(&self, stored: &Property) -> Vec<Found> {
        let property = if is_requirement(&stored.kind) {
            Ok(Some(stored.clone()))
        } else {
            as_property(stored, &self.olm)
        };
        let read = property
            .and_then(|property| property.map_or(Ok(Vec::new()), |property| dependencies(&property, &self.olm)));
        match read {
            Ok(dependencies) => dependencies.iter().map(|dependency| self.holding(dependency)).collect(),
            Err(reason) => vec![Found {
                intent: Intent::Required,
                wish: String::new(),
                packages: Vec::new(),
                bundles: Err(reason),
            }],
        }
    }

    fn holding(&self, dependency: &Dependency) -> Found {
        let holds = |candidate: &&Candidate| {
            let (package, version) = (&candidate.package, candidate.version.as_ref());
            dependency
                .predicate
                .holds(package, version, &candidate.facts, &self.budget)
        };
        let bundles = |candidates: &mut dyn Iterator<Item = &Candidate>| {
            candidates.filter(holds).map(|candidate| candidate.bundle).collect()
        };
        let found = match self.providers.of(&dependency.predicate) {
            Some(places) => bundles(&mut places.into_iter().filter_map(|place| self.candidates.get(place))),
            None => bundles(&mut self.candidates.iter()),
        };
        Found {
            intent: dependency.intent,
            wish: dependency.predicate.to_string(),
            packages: dependency.packages().into_iter().map(str::to_owned).collect(),
            bundles: if self.budget.is_spent() {
                Err("evaluating the constraint rules takes too long".to_owned())
            } else {
                Ok(found)
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::{Bundle, Channel, ChannelEntry, ManifestsId, Package};

    /// Returns a catalog with one bundle for each package. The dependencies are values of `olm.constraint`.
    fn catalog<'a>(packages: impl Iterator<Item = (String, &'a [&'a str])>) -> Catalog {
        let mut catalog = Catalog::default();
        for (number, (name, constraints)) in (0..).zip(packages) {
            let name = Text::from(name);
            catalog.packages.push(Package {
                name: Text::clone(&name),
                default_channel: None,
                channels: vec![Channel {
                    name: "stable".into(),
                    head: Some(Text::clone(&name)),
                    entries: vec![ChannelEntry {
                        bundle: BundleId(number),
                        replaces: None,
                        skips: Vec::new(),
                        skip_range: None,
                    }],
                }],
            });
            let constraints = constraints.iter().map(|value| Property {
                kind: "olm.constraint".into(),
                value: (*value).into(),
            });
            catalog.bundles.push(Bundle {
                name,
                version: Some("1.0.0".into()),
                image: None,
                properties: constraints.collect(),
                dependencies: Vec::new(),
                manifests: ManifestsId(i64::from(number)),
            });
        }
        catalog
    }

    #[test]
    fn the_bundles_of_named_packages_and_of_any_package_are_found() {
        let constraints = [
            r#"{"package":{"packageName":"b","versionRange":"1.x"}}"#,
            r#"{"package":{"packageName":"b","versionRange":"2.x"}}"#,
            r#"{"any":{"constraints":[{"package":{"packageName":"b","versionRange":"1.x"}},{"package":{"packageName":"c","versionRange":"1.x"}}]}}"#,
            r#"{"all":{"constraints":[{"not":{"constraints":[{"package":{"packageName":"b","versionRange":"1.x"}}]}}]}}"#,
            r#"{"cel":{"rule":"true"}}"#,
        ];
        let packages = [("a", &constraints[..]), ("b", &[]), ("c", &[])];
        let catalog = catalog(
            packages
                .into_iter()
                .map(|(name, constraints)| (name.to_owned(), constraints)),
        );
        let found = Needs::new(&catalog, Olm::Proposed).of(BundleId(0));
        let ids = |need: &Need| {
            need.bundles
                .clone()
                .unwrap()
                .into_iter()
                .map(|id| id.0)
                .collect::<Vec<_>>()
        };
        let found: Vec<_> = found.iter().map(ids).collect();
        assert_eq!(found, [vec![1], vec![], vec![1, 2], vec![0, 2], vec![0, 1, 2]]);
    }

    #[test]
    fn many_packages_with_different_dependencies_do_not_exhaust_the_budget() {
        let packages = 15_000;
        let written: Vec<String> = (0..packages)
            .map(|number| format!(r#"{{"package":{{"packageName":"p{number:05}","versionRange":"1.x"}}}}"#))
            .collect();
        let written: Vec<[&str; 1]> = written.iter().map(|value| [value.as_str()]).collect();
        let all = written.iter().enumerate();
        let catalog = catalog(all.map(|(number, value)| (format!("p{number:05}"), &value[..])));
        let mut needs = Needs::new(&catalog, Olm::Proposed);
        for number in 0..packages {
            assert_eq!(needs.of(BundleId(number))[0].bundles, Ok(vec![BundleId(number)]));
        }
    }
}
