//! The candidates: one entry per channel of each bundle, and the installed versions.

use super::predicate::{Predicate, Providers};
use super::problem::Problem;
use super::properties::{self, Facts};
use crate::catalog::{Property, Text, Texts};
use crate::cel::Budget;
use crate::cluster::state::{Installed, Subscription};
use crate::olm::property::{self, GVK, GVK_REQUIRED, PACKAGE};
use crate::text::canonical;
use crate::version::parse_tolerant;
use semver::Version;
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashMap, HashSet};

/// The position of an entry in [`Entries::all`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct EntryId(pub(super) u32);

/// The origin of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Origin {
    /// An installed version.
    Existing,
    /// A catalog, by its position in the problem.
    Catalog(usize),
}

/// A bundle in a channel, or an installed version, which has neither a channel nor edges.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub(super) origin: Origin,
    pub(super) package: Text,
    pub(super) channel: Text,
    pub(super) name: Text,
    /// Whether the channel is the default channel of the package.
    pub(super) default_channel: bool,
    pub(super) version: Option<Version>,
    pub(super) replaces: Option<Text>,
    pub(super) skips: Vec<Text>,
    pub(super) skip_range: Option<Text>,
    /// The position of the bundle's facts in [`Entries::facts`].
    facts: usize,
}

/// A channel of a package in a catalog.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct ChannelKey {
    pub(super) origin: Origin,
    pub(super) package: Text,
    pub(super) channel: Text,
}

/// All entries that may be chosen.
#[derive(Debug, Default)]
pub(super) struct Entries {
    all: Vec<Candidate>,
    facts: Vec<Facts>,
    /// The entries of each channel, in their listed order.
    pub(super) channels: HashMap<ChannelKey, Vec<EntryId>>,
    /// The installed entries, by the name of the ClusterServiceVersion.
    pub(super) existing: HashMap<Text, EntryId>,
    /// Bundles that OLM skips, with the reasons.
    pub(super) passed_over: Vec<(Text, String)>,
}

impl Entries {
    pub(super) fn of(problem: &Problem<'_>) -> Self {
        let mut entries = Self::default();
        for (place, source) in problem.catalogs.iter().enumerate() {
            let origin = Origin::Catalog(place);
            let mut read: HashMap<u32, Option<usize>> = HashMap::new();
            for package in &source.catalog.packages {
                for channel in &package.channels {
                    let mut ids = Vec::with_capacity(channel.entries.len());
                    for entry in &channel.entries {
                        let Some(bundle) = source.catalog.bundle(entry.bundle) else {
                            continue;
                        };
                        let facts = *read.entry(entry.bundle.0).or_insert_with(|| {
                            match properties::of_bundle(&package.name, bundle, &problem.olm) {
                                Ok(facts) => {
                                    entries.facts.push(facts);
                                    Some(entries.facts.len() - 1)
                                }
                                Err(reason) => {
                                    entries.passed_over.push((bundle.name.clone(), reason));
                                    None
                                }
                            }
                        });
                        let Some(facts) = facts else { continue };
                        ids.push(entries.add(Candidate {
                            origin,
                            package: package.name.clone(),
                            channel: channel.name.clone(),
                            name: bundle.name.clone(),
                            default_channel: package.default_channel.as_ref() == Some(&channel.name),
                            version: bundle.version.as_deref().and_then(parse_tolerant),
                            replaces: entry.replaces.clone().filter(|name| !name.is_empty()),
                            skips: entry.skips.clone(),
                            skip_range: entry.skip_range.clone(),
                            facts,
                        }));
                    }
                    let key = ChannelKey {
                        origin,
                        package: package.name.clone(),
                        channel: channel.name.clone(),
                    };
                    entries.channels.insert(key, ids);
                }
            }
        }
        let left_out = if problem.fail_forward {
            replaced_by_failed(&problem.installed)
        } else {
            HashSet::new()
        };
        let mut texts = Texts::default();
        for csv in &problem.installed {
            if !left_out.contains(&*csv.name) {
                entries.add_installed(csv, &problem.subscriptions, &mut texts);
            }
        }
        entries
    }

    fn add(&mut self, entry: Candidate) -> EntryId {
        self.all.push(entry);
        // Four billion entries do not fit into memory.
        EntryId(u32::try_from(self.all.len() - 1).unwrap_or(u32::MAX))
    }

    fn add_installed(&mut self, csv: &Installed, subscriptions: &[Subscription], texts: &mut Texts) {
        let package = if csv.without_properties_annotation {
            let mut naming = subscriptions
                .iter()
                .filter(|subscription| subscription.installed_csv.as_ref() == Some(&csv.name));
            match (naming.next(), naming.next()) {
                (Some(subscription), None) => Some(&subscription.package),
                _ => None,
            }
        } else {
            csv.package.as_ref()
        };
        let facts = properties::of_stored(installed_properties(csv, package, texts));
        self.facts.push(facts);
        let name = texts.share(&csv.name);
        let entry = Candidate {
            origin: Origin::Existing,
            package: texts.share(package.map(String::as_str).unwrap_or_default()),
            channel: texts.share(""),
            name: name.clone(),
            default_channel: false,
            version: csv.version.as_deref().and_then(parse_tolerant),
            replaces: None,
            skips: Vec::new(),
            skip_range: None,
            facts: self.facts.len() - 1,
        };
        let id = self.add(entry);
        self.existing.insert(name, id);
    }

    pub(super) fn get(&self, id: EntryId) -> &Candidate {
        &self.all[id.0 as usize]
    }

    pub(super) fn facts(&self, id: EntryId) -> &Facts {
        &self.facts[self.get(id).facts]
    }

    pub(super) fn ids(&self) -> impl Iterator<Item = EntryId> + use<> {
        (0..u32::try_from(self.all.len()).unwrap_or(u32::MAX)).map(EntryId)
    }

    /// Returns an index of the entries.
    pub(super) fn providers(&self) -> Providers<EntryId> {
        let mut providers = Providers::default();
        for id in self.ids() {
            providers.add(id, &self.get(id).package, self.facts(id));
        }
        providers
    }

    /// Returns the entries that satisfy a predicate; `providers` is the index of the entries.
    pub(super) fn satisfying(
        &self,
        providers: &Providers<EntryId>,
        predicate: &Predicate,
        budget: &Budget,
    ) -> BTreeSet<EntryId> {
        let holds = |id: &EntryId| {
            let (entry, facts) = (self.get(*id), self.facts(*id));
            predicate.holds(&entry.package, entry.version.as_ref(), facts, budget)
        };
        let ids = providers.of(predicate).unwrap_or_else(|| self.ids().collect());
        ids.into_iter().filter(holds).collect()
    }

    pub(super) fn is_existing(&self, id: EntryId) -> bool {
        self.get(id).origin == Origin::Existing
    }
}

/// Returns the properties of an installed ClusterServiceVersion: first the properties that OLM derives from its package
/// and APIs, then the properties in its annotation, if present.
fn installed_properties(csv: &Installed, package: Option<&String>, texts: &mut Texts) -> Vec<Property> {
    let mut values: Vec<property::Property> = Vec::new();
    let mut add = |kind: &str, value: Value| values.push(property::Property::new(kind, value));
    if let Some(package) = package {
        let version = csv.version.as_deref().unwrap_or_default();
        add(PACKAGE, json!({"packageName": package, "version": version}));
    }
    for (kind, apis) in [(GVK, &csv.provides), (GVK_REQUIRED, &csv.requires)] {
        for api in apis {
            add(
                kind,
                json!({"group": api.group, "kind": api.kind, "version": api.version}),
            );
        }
    }
    if !csv.without_properties_annotation {
        values.extend(csv.properties.iter().cloned());
    }
    let stored = |value: property::Property| Property {
        kind: texts.share(&value.kind),
        value: texts.share(&canonical::to_string(&value.value)),
    };
    values.into_iter().map(stored).collect()
}

/// Returns the versions that a failed version replaces, directly or indirectly. The fail-forward strategy excludes
/// them.
fn replaced_by_failed(installed: &[Installed]) -> HashSet<&str> {
    let by: HashMap<&str, &Installed> = installed
        .iter()
        .filter_map(|csv| Some((csv.replaces.as_deref()?, csv)))
        .collect();
    let ends_failed = |csv: &Installed| {
        let (mut at, mut left) = (csv, installed.len());
        while at.phase == "Replacing" && left > 0 {
            left -= 1;
            match by.get(&*at.name) {
                Some(next) => at = next,
                None => return false,
            }
        }
        at.phase == "Failed"
    };
    installed
        .iter()
        .filter(|csv| csv.phase == "Replacing" && ends_failed(csv))
        .map(|csv| &*csv.name)
        .collect()
}
