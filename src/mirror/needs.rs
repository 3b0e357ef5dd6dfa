//! Which images of a plan a catalog needs.

use super::naming::CATALOG;
use super::plan::{Plan, PlannedCatalog, PlannedImage};
use std::collections::BTreeSet;

/// The bundles of one or more catalogs, by package and name.
pub(super) struct Needs<'p>(BTreeSet<(&'p str, &'p str)>);

impl<'p> Needs<'p> {
    /// Returns the needs of the catalogs whose image this is.
    pub(super) fn of(plan: &'p Plan, image: &PlannedImage) -> Self {
        let own = image.source.strip_prefix(CATALOG);
        let is_own = |(place, catalog): &(usize, &PlannedCatalog)| match own {
            Some(own) => own.parse() == Ok(*place),
            None => catalog.digest_after == image.digest,
        };
        let catalogs = plan.catalogs.iter().enumerate().filter(is_own);
        let packages = catalogs.flat_map(|(_, catalog)| &catalog.kept);
        let bundles = packages.flat_map(|package| {
            let entries = package.channels.iter().flat_map(|channel| &channel.entries);
            entries.map(|bundle| (package.package.as_str(), bundle.as_str()))
        });
        Self(bundles.collect())
    }

    /// Returns whether a bundle of the catalogs uses an image.
    pub(super) fn include(&self, image: &PlannedImage) -> bool {
        image
            .uses
            .iter()
            .any(|used| match (used.package.as_deref(), used.bundle.as_deref()) {
                (Some(package), Some(bundle)) => self.0.contains(&(package, bundle)),
                // The package of a bundle that no channel lists is not recorded, so any catalog may contain it.
                (None, Some(_)) => true,
                (_, None) => false,
            })
    }
}
