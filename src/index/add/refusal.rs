//! What keeps bundles from being added.

use super::Addition;
use super::stored::Stored;
use crate::catalog::graph::GraphError;
use std::collections::{BTreeMap, BTreeSet};

/// One reason to refuse a call. Each names the bundle and says what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Two of the given bundles have one name.
    #[error("bundle {bundle} is given twice, by {first} and by {second}; give it once")]
    Twice {
        /// The bundle.
        bundle: String,
        /// The directory or image of the first.
        first: String,
        /// The directory or image of the second.
        second: String,
    },
    /// The bundle is in the index.
    #[error("bundle {bundle} of {origin} is already in package {package:?} of the index; leave it out")]
    AlreadyPresent {
        /// The bundle.
        bundle: String,
        /// Its package.
        package: String,
        /// The directory or image.
        origin: String,
    },
    /// The bundle is in the index, though in no channel.
    #[error(
        "bundle {bundle} of {origin} is already stored in the index, though in no channel, which an earlier change \
         left it out of; remove it (prune-stranded) before it is added again"
    )]
    Stranded {
        /// The bundle.
        bundle: String,
        /// The directory or image.
        origin: String,
    },
    /// Another bundle of the package came from the same image.
    #[error(
        "bundle {bundle} has the image {image}, which is in the index as bundle {present} of package {package:?}; \
         give each version its own tag, or a digest"
    )]
    ImagePresent {
        /// The bundle.
        bundle: String,
        /// The reference of the image.
        image: String,
        /// The bundle that has it in the index.
        present: String,
        /// The package of both.
        package: String,
    },
    /// The given bundles put one bundle into several packages.
    #[error(
        "bundle {bundle} would belong to several packages ({}) by its own annotations and by what replaces or skips \
         it; a bundle belongs to one package",
        .packages.join(", ")
    )]
    SeveralPackages {
        /// The bundle.
        bundle: String,
        /// The packages, in byte order.
        packages: Vec<String>,
    },
    /// A bundle, or one that it replaces or skips, belongs to another package of the index.
    #[error(
        "bundle {edge} belongs to package {present:?} of the index, and bundle {bundle} would put it into package \
         {package:?}; a bundle belongs to one package"
    )]
    OtherPackage {
        /// The bundle that is added.
        bundle: String,
        /// Its package.
        package: String,
        /// The bundle that is elsewhere: the added one, or one that it replaces or skips.
        edge: String,
        /// Where it is.
        present: String,
    },
    /// The bundles do not make a graph.
    #[error(transparent)]
    Graph(#[from] GraphError),
}

/// All reasons to refuse the bundles before their graph is looked at, in a fixed order. `added` is sorted by package
/// and name.
pub(super) fn check(added: &[Addition], stored: &Stored) -> Vec<Refusal> {
    let mut refusals = twice(added);
    refusals.extend(several_packages(added));
    for bundle in added {
        refusals.extend(other_package(bundle, stored).or_else(|| present(bundle, stored)));
    }
    refusals
}

fn twice(added: &[Addition]) -> Vec<Refusal> {
    let mut origins: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for bundle in added {
        origins.entry(&bundle.name).or_default().push(&bundle.origin);
    }
    let mut refusals = Vec::new();
    for (bundle, mut origins) in origins {
        origins.sort_unstable();
        if let [first, second, ..] = origins.as_slice() {
            refusals.push(Refusal::Twice {
                bundle: bundle.to_owned(),
                first: (*first).to_owned(),
                second: (*second).to_owned(),
            });
        }
    }
    refusals
}

fn several_packages(added: &[Addition]) -> Vec<Refusal> {
    let mut packages: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for bundle in added {
        for name in bundle.names() {
            packages.entry(name).or_default().insert(&bundle.package);
        }
    }
    packages.retain(|_, packages| packages.len() > 1);
    let refusals = packages.into_iter().map(|(bundle, packages)| Refusal::SeveralPackages {
        bundle: bundle.to_owned(),
        packages: packages.into_iter().map(str::to_owned).collect(),
    });
    refusals.collect()
}

fn other_package(bundle: &Addition, stored: &Stored) -> Option<Refusal> {
    bundle.names().find_map(|edge| {
        let packages = stored.elsewhere.get(edge)?;
        let present = packages.iter().find(|package| **package != bundle.package)?;
        Some(Refusal::OtherPackage {
            bundle: bundle.name.clone(),
            package: bundle.package.clone(),
            edge: edge.to_owned(),
            present: present.clone(),
        })
    })
}

fn present(bundle: &Addition, stored: &Stored) -> Option<Refusal> {
    let package = stored.packages.get(&bundle.package)?;
    if package
        .graph
        .bundles
        .get(&bundle.name)
        .is_some_and(|node| !node.channels.is_empty())
    {
        return Some(Refusal::AlreadyPresent {
            bundle: bundle.name.clone(),
            package: bundle.package.clone(),
            origin: bundle.origin.clone(),
        });
    }
    if stored.present.contains(&bundle.name) {
        return Some(Refusal::Stranded {
            bundle: bundle.name.clone(),
            origin: bundle.origin.clone(),
        });
    }
    let same = |(_, image): &(&String, &String)| **image == bundle.bundle_path;
    let (present, image) = package.images.iter().find(same)?;
    Some(Refusal::ImagePresent {
        bundle: bundle.name.clone(),
        image: image.clone(),
        present: present.clone(),
        package: bundle.package.clone(),
    })
}
