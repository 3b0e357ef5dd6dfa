//! The bundles that chosen bundles may need, directly or indirectly.
//!
//! All alternative providers are included, because a cluster chooses among them later, based on its state. So the
//! result resolves in the same way as the whole catalog.

use super::needs::{Need, Needs};
use super::preferences::Preferences;
use super::problem::Problem;
use crate::catalog::{BundleId, Catalog, Property};
use crate::olm::intent::{INTENT, Intent};
use crate::olm::releases::Olm;
use crate::olm::spelling::is_requirement;
use serde::Serialize;
use serde_json::Value;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Options for following dependencies.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Follow {
    /// The intents of the dependencies that are followed for the chosen bundles. For all other bundles, required
    /// dependencies are followed even if their intent is not listed. If this set is empty and `preferences` names no
    /// optional packages, no dependency is followed.
    pub intents: BTreeSet<Intent>,
    /// The user's decisions about individual packages.
    pub preferences: Preferences,
}

impl Follow {
    /// Returns options that follow all dependencies, regardless of intent.
    pub fn all() -> Self {
        Self {
            intents: Intent::ALL.into_iter().collect(),
            preferences: Preferences::default(),
        }
    }

    fn takes(&self, need: &Need, is_chosen: bool) -> bool {
        let by_default = self.intents.contains(&need.intent) || (need.intent == Intent::Required && !is_chosen);
        self.preferences.take(need.intent, &need.packages, by_default)
    }

    fn is_nothing(&self) -> bool {
        self.intents.is_empty() && self.preferences.with_optional.is_empty()
    }
}

/// The reason why a closure contains a member that was not chosen.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Reason {
    /// The intent of the dependency.
    pub intent: Intent,
    /// The bundle that has the dependency.
    pub bundle: String,
    /// A description of the dependency, such as `package etcd in the range 1.x`.
    #[serde(rename = "needs")]
    pub wish: String,
}

/// A followed dependency that no bundle of the catalog satisfies.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unsatisfied {
    /// A description of the dependency, as in [`Reason::wish`]. If the dependency cannot be read, its type and its
    /// value.
    pub wish: String,
    /// The bundles that have the dependency, sorted by name.
    pub bundles: Vec<String>,
    /// The intent of the dependency.
    pub intent: Intent,
    /// The reason why the dependency cannot be read; otherwise `None`.
    pub problem: Option<String>,
}

/// The result of following dependencies.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Closure<Member> {
    /// All chosen or needed members, with the reasons; chosen members have none.
    pub members: BTreeMap<Member, Vec<Reason>>,
    /// The unsatisfied dependencies, in a fixed order.
    pub unsatisfied: Vec<Unsatisfied>,
}

/// Returns the chosen bundles and all bundles that they may need.
pub fn of_bundles(catalog: &Catalog, chosen: &BTreeSet<BundleId>, follow: &Follow) -> Closure<BundleId> {
    let found = walk(catalog, chosen, follow, |_| BTreeSet::new());
    let members = found.members.into_iter();
    Closure {
        members: members
            .map(|(id, needs)| (id, sorted(needs.into_iter().map(|(_, reason)| reason))))
            .collect(),
        unsatisfied: found.unsatisfied,
    }
}

/// Returns the chosen packages and all packages that their bundles may need. A needed package is included completely,
/// so the needs of all its bundles are also followed. Names that the catalog does not contain are ignored.
pub fn of_packages(catalog: &Catalog, chosen: &BTreeSet<String>, follow: &Follow) -> Closure<String> {
    let places = Places::of(catalog);
    let of_package = |name: &str| places.bundles.get(name).into_iter().flatten().copied();
    let bundles = chosen.iter().flat_map(|name| of_package(name)).collect();
    let beside = |id: BundleId| {
        let packages = places.packages.get(&id).into_iter().flatten();
        packages.flat_map(|name| of_package(name)).collect()
    };
    let found = walk(catalog, &bundles, follow, beside);
    let mut members: BTreeMap<&str, Vec<Rc<Reason>>> = BTreeMap::new();
    for name in chosen.iter().filter(|name| catalog.package(name).is_some()) {
        members.insert(name, Vec::new());
    }
    for (id, needs) in &found.members {
        for name in places.packages.get(id).into_iter().flatten() {
            if !chosen.contains(*name) {
                // A dependency of a package on itself is not a reason to include the package.
                let is_own = |by| places.packages.get(by).is_some_and(|packages| packages.contains(name));
                let foreign = needs.iter().filter(|(by, _)| !is_own(by));
                let reasons = foreign.map(|(_, reason)| Rc::clone(reason));
                members.entry(name).or_default().extend(reasons);
            }
        }
    }
    let members = members.into_iter();
    Closure {
        members: members
            .map(|(name, reasons)| (name.to_owned(), sorted(reasons)))
            .collect(),
        unsatisfied: found.unsatisfied,
    }
}

/// Returns the reasons without duplicates. Many members share the same reasons.
fn sorted(reasons: impl IntoIterator<Item = Rc<Reason>>) -> Vec<Reason> {
    let reasons: BTreeSet<Rc<Reason>> = reasons.into_iter().collect();
    reasons.into_iter().map(Rc::unwrap_or_clone).collect()
}

/// Returns the packages of the chosen bundles, and all packages that these bundles may need. Needed packages are
/// included completely, but the other bundles of the chosen packages are treated as absent.
pub fn of_parts(catalog: &Catalog, chosen: &BTreeMap<String, BTreeSet<String>>, follow: &Follow) -> Closure<String> {
    let part = part_of(catalog, chosen);
    let names = chosen.iter().filter(|(_, bundles)| !bundles.is_empty());
    of_packages(&part, &names.map(|(name, _)| name.clone()).collect(), follow)
}

/// Returns a copy of the catalog in which the channels of the named packages contain only the chosen bundles.
fn part_of(catalog: &Catalog, chosen: &BTreeMap<String, BTreeSet<String>>) -> Catalog {
    let mut part = catalog.clone();
    for package in &mut part.packages {
        let Some(stay) = chosen.get(&*package.name) else {
            continue;
        };
        for channel in &mut package.channels {
            let name = |id| catalog.bundle(id).map(|bundle| &*bundle.name);
            channel
                .entries
                .retain(|entry| name(entry.bundle).is_some_and(|name| stay.contains(name)));
        }
    }
    part
}

/// Like [`lost`], for a catalog in which the named packages keep only the chosen bundles.
pub fn lost_of_parts(catalog: &Catalog, chosen: &BTreeMap<String, BTreeSet<String>>) -> Vec<Lost> {
    let part = part_of(catalog, chosen);
    let entries = part.packages.iter().flat_map(|package| &package.channels);
    let stay: BTreeSet<BundleId> = entries
        .flat_map(|channel| &channel.entries)
        .map(|entry| entry.bundle)
        .collect();
    lost(catalog, |id| !stay.contains(&id))
}

/// Returns the description of a dependency, or, if there is none, its type and its value. The value is written without
/// the escapes that JSON for web pages contains.
fn described(wish: &str, stored: &Property) -> String {
    if !wish.is_empty() {
        return wish.to_owned();
    }
    let value: Result<Value, _> = serde_json::from_str(&stored.value);
    let value = value.map_or_else(|_| stored.value.to_string(), |value| value.to_string());
    format!("{} {value}", stored.kind)
}

/// The bundles in the channels of each package, and the packages of each bundle.
struct Places<'catalog> {
    bundles: BTreeMap<&'catalog str, BTreeSet<BundleId>>,
    packages: BTreeMap<BundleId, BTreeSet<&'catalog str>>,
}

impl<'catalog> Places<'catalog> {
    fn of(catalog: &'catalog Catalog) -> Self {
        let (mut bundles, mut packages) = (BTreeMap::new(), BTreeMap::new());
        for package in &catalog.packages {
            let entries = package.channels.iter().flat_map(|channel| &channel.entries);
            let ids: BTreeSet<BundleId> = entries.map(|entry| entry.bundle).collect();
            for id in &ids {
                let of_bundle: &mut BTreeSet<&str> = packages.entry(*id).or_default();
                of_bundle.insert(&*package.name);
            }
            bundles.insert(&*package.name, ids);
        }
        Self { bundles, packages }
    }
}

/// The result of [`walk`].
struct Found {
    /// All chosen or needed bundles, with the dependencies on them and the bundles that have these dependencies.
    members: BTreeMap<BundleId, Vec<(BundleId, Rc<Reason>)>>,
    unsatisfied: Vec<Unsatisfied>,
}

/// Follows dependencies from bundle to bundle. For each bundle found, the bundles that `beside` returns are also added.
fn walk(
    catalog: &Catalog,
    chosen: &BTreeSet<BundleId>,
    follow: &Follow,
    beside: impl Fn(BundleId) -> BTreeSet<BundleId>,
) -> Found {
    let mut members: BTreeMap<BundleId, Vec<(BundleId, Rc<Reason>)>> =
        chosen.iter().map(|id| (*id, Vec::new())).collect();
    let mut providing: BTreeSet<BundleId> = BTreeSet::new();
    let mut missing: BTreeMap<(Property, Intent), Unsatisfied> = BTreeMap::new();
    let mut waiting: Vec<BundleId> = if follow.is_nothing() {
        Vec::new()
    } else {
        chosen.iter().copied().collect()
    };
    let mut needs = Needs::new(catalog, Olm::Proposed);
    while let Some(id) = waiting.pop() {
        let Some(bundle) = catalog.bundle(id) else { continue };
        for need in needs.of(id) {
            if !follow.takes(&need, chosen.contains(&id)) {
                continue;
            }
            let (providers, problem) = match need.bundles {
                Ok(bundles) => (bundles, None),
                Err(reason) => (Vec::new(), Some(reason)),
            };
            if providers.is_empty() {
                let key = (need.stored.clone(), need.intent);
                let missing = missing.entry(key).or_insert_with(|| Unsatisfied {
                    wish: described(&need.wish, &need.stored),
                    bundles: Vec::new(),
                    intent: need.intent,
                    problem,
                });
                missing.bundles.push(bundle.name.to_string());
            }
            let reason = Rc::new(Reason {
                intent: need.intent,
                bundle: bundle.name.to_string(),
                wish: need.wish,
            });
            for provider in providers.into_iter().filter(|provider| !chosen.contains(provider)) {
                if providing.insert(provider) {
                    for new in std::iter::once(provider).chain(beside(provider)) {
                        if let Entry::Vacant(entry) = members.entry(new) {
                            entry.insert(Vec::new());
                            waiting.push(new);
                        }
                    }
                }
                if let Some(needs) = members.get_mut(&provider) {
                    needs.push((id, Rc::clone(&reason)));
                }
            }
        }
    }
    let mut unsatisfied: Vec<Unsatisfied> = missing.into_values().collect();
    for missing in &mut unsatisfied {
        missing.bundles.sort();
    }
    unsatisfied.sort();
    Found { members, unsatisfied }
}

/// A required dependency of remaining bundles that loses all its providers.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Lost {
    /// The remaining bundles, sorted by name.
    pub bundles: Vec<String>,
    /// A description of the dependency, such as `package etcd in the range 1.x`.
    pub wish: String,
    /// The removed providers, sorted by package and name.
    pub providers: Vec<String>,
}

/// Returns the required dependencies that lose all their providers when the bundles for which `goes` is true are
/// removed. Only the dependencies of remaining bundles in channels are considered.
pub fn lost(catalog: &Catalog, goes: impl Fn(BundleId) -> bool) -> Vec<Lost> {
    let channels = catalog.packages.iter().flat_map(|package| &package.channels);
    let entries = channels.flat_map(|channel| &channel.entries);
    let stays: BTreeSet<BundleId> = entries.map(|entry| entry.bundle).filter(|id| !goes(*id)).collect();
    let name = |id: &BundleId| catalog.bundle(*id).map(|bundle| bundle.name.to_string());
    let mut needs = Needs::new(catalog, Olm::Proposed);
    let mut lost: BTreeMap<Property, Lost> = BTreeMap::new();
    for id in stays {
        for need in needs.of(id) {
            let providers = need.bundles.unwrap_or_default();
            let is_lost = !providers.is_empty() && providers.iter().all(|provider| goes(*provider));
            if need.intent != Intent::Required || !is_lost {
                continue;
            }
            let entry = lost.entry(need.stored).or_insert_with(|| Lost {
                bundles: Vec::new(),
                wish: need.wish,
                providers: providers.iter().filter_map(name).collect(),
            });
            entry.bundles.extend(name(&id));
        }
    }
    let mut lost: Vec<Lost> = lost.into_values().collect();
    lost.sort();
    lost
}

/// Returns whether any dependency in the catalogs or of the installed operators mentions intents. An OLM that does not
/// know intents may resolve such a dependency differently.
pub fn mentions_intents(problem: &Problem<'_>) -> bool {
    let bundles = problem.catalogs.iter().flat_map(|source| &source.catalog.bundles);
    let mut needs = bundles.flat_map(|bundle| {
        let constraints = bundle.properties.iter();
        let constraints = constraints.filter(|property| is_requirement(&property.kind));
        bundle.dependencies.iter().chain(constraints)
    });
    // Most dependencies do not contain the word `intent`, in upper or lower case, so they need not be parsed.
    let is_said = |json: &str| {
        json.to_ascii_lowercase().contains(INTENT) && serde_json::from_str(json).is_ok_and(|value| says_intent(&value))
    };
    let installed = problem.installed.iter().flat_map(|csv| &csv.properties);
    let mut installed = installed.filter(|property| is_requirement(&property.kind));
    needs.any(|need| is_said(&need.value)) || installed.any(|property| says_intent(&property.value))
}

fn says_intent(value: &Value) -> bool {
    match value {
        Value::Object(map) => {
            let mut fields = map.iter();
            fields.any(|(key, value)| key.eq_ignore_ascii_case(INTENT) || says_intent(value))
        }
        Value::Array(items) => items.iter().any(says_intent),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unreadable_dependency_is_described_without_html_escapes() {
        let stored = |value: &str| Property {
            kind: "olm.package".into(),
            value: value.into(),
        };
        let described = |value: &str| described("", &stored(value));
        assert_eq!(
            described(r#"{"version":"\u003e=1.0.0 \u003c2.0.0"}"#),
            r#"olm.package {"version":">=1.0.0 <2.0.0"}"#
        );
        assert_eq!(described("{"), "olm.package {");
    }
}
