//! Finds bundles that OLM v1 chooses from an index but does not install, and the consequences for clusters.

use super::listed::listed;
use super::stops::{Scope, Stops};
use crate::catalog::olm_v1::refusal::Refusal;
use crate::catalog::olm_v1::refusals;
use crate::catalog::{Bundle, BundleId, Catalog, Channel, Package, olm_v1};
use crate::csv::Csv;
use crate::diagnostic::{self, Diagnostic};
use crate::index::open::{DescribedPackage, Describer, Index, OpenError};
use crate::rules::{self, Severity};
use serde_json::Value;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// Adds findings about the packages and channels that OLM v1 cannot name, and about the bundles that it chooses from
/// the channels of an index, for new installations and for updates, but does not install. In a file-based catalog, they
/// have the places of their documents. A single finding names the chosen bundles whose manifests the index does not
/// contain.
///
/// # Errors
/// Returns an error if the index cannot be read or changes while it is being read.
pub fn add_for_olm_v1(findings: &mut Vec<Diagnostic>, index: &Index) -> Result<(), OpenError> {
    let catalog = index.catalog()?;
    let describer = Describer::new(index)?;
    let mut unseen = Vec::new();
    for package in &catalog.packages {
        if let Some(refusal) = refusals::of_package(&package.name) {
            let finding = Diagnostic::new(&rules::CLUSTER_OLM_V1, refusal.reason).help(refusal.help);
            let finding = finding.object(format!("olm.package/{}", package.name));
            findings.push(finding.at(index.place_of_package(package)?));
        }
        for channel in &package.channels {
            if let Some(refusal) = refusals::of_channel(&channel.name) {
                let finding = Diagnostic::new(&rules::CLUSTER_OLM_V1, refusal.reason).help(refusal.help);
                let mut finding = finding.object(format!("olm.channel/{}", channel.name));
                // A ClusterExtension without channels installs the bundles nevertheless.
                finding.severity = Severity::Warning;
                findings.push(finding.at(index.place_of_channel(package, channel)?));
            }
        }
        let mut reader = Reader {
            catalog: &catalog,
            describer: &describer,
            described: describer.package(&package.name)?,
            read: BTreeMap::new(),
        };
        let is_deprecated = |bundle: &Bundle| match index {
            Index::Database(_) => false,
            Index::Catalog(open) => {
                let key = (package.name.clone(), bundle.name.clone());
                open.loaded.deprecated.bundles.contains(&key)
            }
        };
        let stops = stops(&mut reader, package, is_deprecated)?;
        for (id, stops) in stops {
            let stops = stops.join("; ");
            let Some(bundle) = catalog.bundle(id) else { continue };
            let place = index.place_of_bundle(bundle)?;
            for refusal in reader.refusals(id)? {
                let message = format!(
                    "OLM v1 does not install bundle {:?}: {}; {stops}",
                    bundle.name, refusal.reason
                );
                let finding = Diagnostic::new(&rules::CLUSTER_OLM_V1, message).help(refusal.help);
                let finding = finding.object(format!("olm.bundle/{}", bundle.name));
                findings.push(finding.at(place.clone()));
            }
        }
        unseen.extend(reader.unseen());
    }
    findings.extend(unseen_finding(&unseen));
    diagnostic::sort(findings);
    Ok(())
}

/// Returns the bundles that block something, each with the descriptions of what it blocks.
fn stops(
    reader: &mut Reader<'_>,
    package: &Package,
    is_deprecated: impl Fn(&Bundle) -> bool + Copy,
) -> Result<BTreeMap<BundleId, Vec<String>>, OpenError> {
    let catalog = reader.catalog;
    let mut stops = Stops::default();
    let nameable = package.channels.iter();
    let nameable = nameable.filter(|channel| refusals::of_channel(&channel.name).is_none());
    let single = nameable.map(|channel| (Scope::Channel(&channel.name), std::slice::from_ref(channel)));
    let mut scopes: Vec<(Scope<'_>, &[Channel])> = single.collect();
    // For a package with a single channel, that channel stands for all of them.
    if package.channels.len() > 1 || scopes.is_empty() {
        scopes.push((Scope::AllChannels, &package.channels));
    }
    for (scope, channels) in scopes {
        let new = olm_v1::chosen(catalog, channels, is_deprecated);
        let mut held: BTreeMap<BundleId, Vec<String>> = BTreeMap::new();
        for update in olm_v1::updates(catalog, channels, is_deprecated) {
            // A bundle that is itself refused is not installed on any cluster.
            if !reader.refusals(update.to)?.is_empty()
                && reader.refusals(update.from)?.is_empty()
                && let Some(installed) = catalog.bundle(update.from)
            {
                held.entry(update.to).or_default().push(format!("{:?}", installed.name));
            }
        }
        let refused: BTreeSet<BundleId> = match new {
            Some(new) if !reader.refusals(new)?.is_empty() => held.keys().copied().chain([new]).collect(),
            _ => held.keys().copied().collect(),
        };
        for id in refused {
            stops.add(scope, id, new == Some(id), held.get(&id).map_or(&[], Vec::as_slice));
        }
    }
    Ok(stops.described(&package.name))
}

/// The reasons why OLM v1 does not install the bundles of a package, each read once.
struct Reader<'a> {
    catalog: &'a Catalog,
    describer: &'a Describer<'a>,
    described: DescribedPackage,
    read: BTreeMap<BundleId, Judged>,
}

/// What is known about a bundle.
struct Judged {
    refusals: Vec<Refusal>,
    has_manifests: bool,
}

impl Reader<'_> {
    fn refusals(&mut self, id: BundleId) -> Result<&[Refusal], OpenError> {
        let judged = match self.read.entry(id) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => {
                let Some(bundle) = self.catalog.bundle(id) else {
                    return Ok(&[]);
                };
                let read = self.describer.bundle(&self.described, bundle)?;
                let csv = read.csv.and_then(|csv| serde_json::from_str(&csv).ok());
                let csv: Value = csv.unwrap_or_default();
                let parsed = read
                    .objects
                    .iter()
                    .filter_map(|object| serde_json::from_str(object).ok());
                let objects: Vec<Value> = parsed.collect();
                let objects: Vec<&Value> = objects.iter().collect();
                let has_manifests = !objects.is_empty();
                new.insert(Judged {
                    refusals: refusals::of_bundle(bundle, Csv(&csv), has_manifests.then_some(&objects[..])),
                    has_manifests,
                })
            }
        };
        Ok(&judged.refusals)
    }

    /// Returns the names of the bundles that seem to be installable, but whose manifests the index does not contain.
    fn unseen(&self) -> Vec<String> {
        let unseen = self
            .read
            .iter()
            .filter(|(_, judged)| !judged.has_manifests && judged.refusals.is_empty());
        let bundles = unseen.filter_map(|(id, _)| self.catalog.bundle(*id));
        bundles.map(|bundle| bundle.name.to_string()).collect()
    }
}

fn unseen_finding(unseen: &[String]) -> Option<Diagnostic> {
    let (bundles, them) = match unseen {
        [] => return None,
        [_] => ("bundle", "its"),
        _ => ("bundles", "their"),
    };
    let message = format!(
        "the index contains no manifests of {} {bundles} that OLM v1 may install ({}), so only {them} properties were \
         checked",
        unseen.len(),
        listed(unseen)
    );
    Some(Diagnostic::new(&rules::CLUSTER_OLM_V1_UNSEEN, message))
}
