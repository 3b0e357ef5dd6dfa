//! The bundles of a database that OLM can see.
//!
//! A server of a database lists one message for each bundle of a channel, but skips bundles whose version or image is
//! `NULL`. An empty string is not `NULL`: the image of a bundle whose manifests are in the database is empty.

use crate::catalog::{Bundle, BundleId, Catalog, Text};
use std::collections::BTreeSet;

/// Selects the bundles that OLM cannot see; the same condition as in [`is_listed`].
pub(super) const UNLISTED: &str = "(version IS NULL OR bundlepath IS NULL)";

/// Returns whether the bundle of a database is listed for OLM if it is in a channel.
pub(crate) fn is_listed(bundle: &Bundle) -> bool {
    bundle.version.is_some() && bundle.image.is_some()
}

/// Removes what OLM cannot see from the catalog of a database: the entries of unlisted bundles, and the channels and
/// packages that have no other entries. Returns the names of the bundles, sorted.
pub(crate) fn remove_unlisted(catalog: &mut Catalog) -> BTreeSet<Text> {
    let Catalog { packages, bundles } = catalog;
    let unlisted = |id: BundleId| bundles.get(id.0 as usize).filter(|bundle| !is_listed(bundle));
    let mut names = BTreeSet::new();
    packages.retain_mut(|package| {
        let mut has_unlisted = false;
        for channel in &mut package.channels {
            channel.entries.retain(|entry| match unlisted(entry.bundle) {
                Some(bundle) => {
                    has_unlisted = true;
                    names.insert(Text::clone(&bundle.name));
                    false
                }
                None => true,
            });
        }
        if has_unlisted {
            package.channels.retain(|channel| !channel.entries.is_empty());
        }
        !(has_unlisted && package.channels.is_empty())
    });
    names
}
