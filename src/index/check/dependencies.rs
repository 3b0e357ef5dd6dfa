//! Finds bundles whose requirements no bundle of the index satisfies.

use super::constraints::has_faulty_rule;
use super::listed::listed;
use crate::catalog::{BundleId, Catalog, Property};
use crate::diagnostic::{self, Diagnostic};
use crate::olm::intent::Intent;
use crate::olm::property::DEPRECATED;
use crate::olm::releases::{Feature, Olm};
use crate::resolver::Needs;
use crate::rules;
use std::collections::{BTreeMap, BTreeSet};

/// Returns findings about the requirements that, according to this OLM, the catalog does not satisfy: each requirement
/// once, in a fixed order. Only bundles in channels are checked. Deprecated bundles are not reported if the OLM
/// supports deprecation, because they are never newly installed.
pub(super) fn without_provider(catalog: &Catalog, olm: &Olm) -> Vec<Diagnostic> {
    let channels = catalog.packages.iter().flat_map(|package| &package.channels);
    let entries = channels.flat_map(|channel| &channel.entries);
    let offered: BTreeSet<BundleId> = entries.map(|entry| entry.bundle).collect();
    let knows_deprecated = olm.does(Feature::Property(DEPRECATED));
    let mut needs = Needs::new(catalog, olm.clone());
    let mut missing: BTreeMap<Property, (Vec<String>, Result<String, String>)> = BTreeMap::new();
    for id in offered {
        let Some(bundle) = catalog.bundle(id) else { continue };
        let mut properties = bundle.properties.iter();
        if knows_deprecated && properties.any(|property| &*property.kind == DEPRECATED) {
            continue;
        }
        for need in needs.of(id) {
            let what = match need.bundles {
                Ok(providers) if providers.is_empty() => Ok(need.wish),
                Ok(_) => continue,
                // For a release, the check of features reports constraints that OLM cannot read.
                Err(_) if *olm != Olm::Proposed => continue,
                Err(reason) => Err(reason),
            };
            if need.intent == Intent::Required {
                let (bundles, _) = missing.entry(need.stored).or_insert_with(|| (Vec::new(), what));
                bundles.push(format!("{:?}", bundle.name));
            }
        }
    }
    let mut findings: Vec<Diagnostic> = missing
        .into_iter()
        .filter(|(stored, (_, what))| what.is_ok() || !has_faulty_rule(&stored.value))
        .map(|(_, (bundles, what))| {
            let (word, requires) = match bundles.len() {
                1 => ("bundle", "requires"),
                _ => ("bundles", "require"),
            };
            let bundles = listed(&bundles);
            match what {
                Ok(wish) => {
                    let message = format!("{word} {bundles} {requires} {wish}, but no bundle in the index provides it");
                    Diagnostic::new(&rules::INDEX_DEPENDENCY, message)
                }
                Err(reason) => {
                    let message = format!("OLM cannot determine what {word} {bundles} {requires}: {reason}");
                    let finding = Diagnostic::new(&rules::INDEX_DEPENDENCY, message);
                    finding.help("Correct the dependency in the bundle, and add the bundle again.")
                }
            }
        })
        .collect();
    diagnostic::sort(&mut findings);
    findings
}
