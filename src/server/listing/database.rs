//! The listing of an index database.

use super::{Builder, Listing, NewChannel, NewEntry, NewPackage, Plurals};
use crate::catalog::Catalog;
use crate::database::listed::is_listed;

impl Listing {
    /// Creates the listing of a database, without the skip ranges of its bundles.
    pub(in crate::server) fn of_database(catalog: &Catalog, plurals: &Plurals) -> Self {
        let mut builder = Builder::default();
        let bundles: Vec<usize> = catalog
            .bundles
            .iter()
            .map(|bundle| builder.bundle(bundle, plurals))
            .collect();
        for package in &catalog.packages {
            let mut channels = Vec::with_capacity(package.channels.len());
            for channel in &package.channels {
                let head = channel.head.clone().unwrap_or_default();
                let bundle = catalog.find(&head).and_then(|id| catalog.bundle(id));
                channels.push(NewChannel {
                    name: &channel.name,
                    head,
                    head_manifests: bundle.map(|bundle| bundle.manifests),
                    deprecation: "",
                });
                for entry in &channel.entries {
                    let (Some(bundle), Some(at)) = (catalog.bundle(entry.bundle), bundles.get(entry.bundle.0 as usize))
                    else {
                        continue;
                    };
                    builder.entry(&NewEntry {
                        bundle: *at,
                        package: &package.name,
                        channel: &channel.name,
                        listed: is_listed(bundle),
                        skip_range: "",
                        deprecation: "",
                        replaces: entry.replaces.as_deref().unwrap_or_default(),
                        skips: &entry.skips,
                    });
                }
            }
            builder.package(NewPackage {
                name: &package.name,
                default_channel: package.default_channel.as_deref().unwrap_or_default(),
                deprecation: "",
                channels,
            });
        }
        builder.sort_by_bundle();
        builder.finish()
    }
}
