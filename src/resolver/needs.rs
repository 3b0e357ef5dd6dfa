//! Bundles of a catalog that satisfy the dependencies of a bundle.

use super::predicate::{Dependency, dependencies};
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
        for package in &catalog.packages {
            let entries = package.channels.iter().flat_map(|channel| &channel.entries);
            let mut ids: Vec<_> = entries.map(|entry| entry.bundle).collect();
            ids.sort_unstable();
            ids.dedup();
            for id in ids {
                let Some(bundle) = catalog.bundle(id) else { continue };
                let mut own = bundle.clone();
                own.dependencies.clear();
                candidates.push(Candidate {
                    bundle: id,
                    package: package.name.clone(),
                    version: bundle.version.as_deref().and_then(parse_tolerant),
                    facts: of_bundle(&package.name, &own, &olm).unwrap_or_default(),
                });
            }
        }
        Self {
            catalog,
            olm,
            candidates,
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
        let found = self.candidates.iter().filter(holds);
        let found = found.map(|candidate| candidate.bundle).collect();
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
