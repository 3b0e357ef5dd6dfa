//! Finds bundles that OLM v1 chooses from an index but does not install.

use super::listed::listed;
use crate::catalog::{Bundle, BundleId, olm_v1};
use crate::csv::Csv;
use crate::diagnostic::{self, Diagnostic};
use crate::index::open::{Describer, Index, OpenError};
use crate::rules;
use serde_json::Value;
use std::collections::BTreeMap;

/// Adds findings about the bundles that OLM v1 chooses from the channels of an index, but does not install.
///
/// # Errors
/// Returns an error if the index cannot be read or changes while it is being read.
pub fn add_for_olm_v1(findings: &mut Vec<Diagnostic>, index: &Index) -> Result<(), OpenError> {
    let catalog = index.catalog_without_skip_ranges()?;
    let describer = Describer::new(index)?;
    for package in &catalog.packages {
        let is_deprecated = |bundle: &Bundle| match index {
            Index::Database(_) => false,
            Index::Catalog(open) => {
                let key = (package.name.clone(), bundle.name.clone());
                open.loaded.deprecated.bundles.contains(&key)
            }
        };
        let mut chosen: BTreeMap<BundleId, Vec<String>> = BTreeMap::new();
        for channel in &package.channels {
            if let Some(id) = olm_v1::chosen(&catalog, [channel], is_deprecated) {
                chosen.entry(id).or_default().push(format!("{:?}", channel.name));
            }
        }
        let described = describer.package(&package.name)?;
        for (id, channels) in chosen {
            let Some(bundle) = catalog.bundle(id) else { continue };
            let csv = describer.bundle(&described, bundle)?.csv;
            let csv: Value = csv.and_then(|csv| serde_json::from_str(&csv).ok()).unwrap_or_default();
            let reasons = olm_v1::refusals(bundle, Csv(&csv));
            if reasons.is_empty() {
                continue;
            }
            let word = if channels.len() == 1 { "channel" } else { "channels" };
            let message = format!(
                "OLM v1 chooses bundle {:?} in {word} {} of package {:?}, but does not install it: {}",
                bundle.name,
                listed(&channels),
                package.name,
                reasons.join("; ")
            );
            findings.push(Diagnostic::new(&rules::CLUSTER_OLM_V1, message));
        }
    }
    diagnostic::sort(findings);
    Ok(())
}
