//! What keeps bundles from being added.

use super::existing::Differences;
use super::stored::Stored;
use super::{Addition, Existing, Policy};
use crate::catalog::graph::{GraphError, Mode};
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
    #[error("bundle {bundle} of {origin} is already in package {package:?} of the index, {differences}")]
    AlreadyPresent {
        /// The bundle.
        bundle: String,
        /// Its package.
        package: String,
        /// The directory or image.
        origin: String,
        /// How the bundle there differs.
        differences: Differences,
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
    /// A bundle that another one leads to cannot give its place to one of its name.
    #[error(
        "bundle {bundle} of {origin} cannot take the place of the one in the index: {by} replaces or skips it in channel \
         {channel:?} of package {package:?}, and only the last one of a channel can be overwritten"
    )]
    NotLatest {
        /// The bundle.
        bundle: String,
        /// Its package.
        package: String,
        /// The directory or image.
        origin: String,
        /// The bundle that leads to it.
        by: String,
        /// The channel.
        channel: String,
    },
    /// More than one bundle of a package would be overwritten.
    #[error(
        "{} of package {package:?} would all be overwritten; overwrite one of a package in one call",
        .bundles.join(", ")
    )]
    SeveralOverwritten {
        /// The package.
        package: String,
        /// The bundles.
        bundles: Vec<String>,
    },
    /// A bundle can only be overwritten in the mode `replaces`.
    #[error("bundles can be overwritten in the mode replaces only")]
    OverwriteMode,
    /// A bundle that stands in for another one.
    #[error(
        "bundle {bundle} of {origin} substitutes for {substitutes} (annotation olm.substitutesFor), which rewrites the \
         edges of other bundles"
    )]
    Substitutes {
        /// The bundle.
        bundle: String,
        /// The directory or image.
        origin: String,
        /// The bundle that it substitutes for.
        substitutes: String,
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

impl Refusal {
    /// The bundles and packages of which the graph is no use to look at, because of this.
    pub(super) fn in_the_graph(&self) -> Vec<&str> {
        match self {
            Self::AlreadyPresent { bundle, .. }
            | Self::Stranded { bundle, .. }
            | Self::ImagePresent { bundle, .. }
            | Self::NotLatest { bundle, .. }
            | Self::Substitutes { bundle, .. }
            | Self::OtherPackage { bundle, .. } => vec![bundle],
            Self::SeveralPackages { packages, .. } => packages.iter().map(String::as_str).collect(),
            Self::SeveralOverwritten { bundles, .. } => bundles.iter().map(String::as_str).collect(),
            Self::Twice { .. } | Self::OverwriteMode | Self::Graph(_) => Vec::new(),
        }
    }
}

/// All reasons to refuse the bundles before their graph is looked at, in a fixed order. `added` is sorted by package
/// and name.
pub(super) fn check(
    added: &[Addition],
    stored: &Stored,
    overwritten: &BTreeSet<String>,
    differences: &BTreeMap<String, Differences>,
    policy: Policy,
) -> Vec<Refusal> {
    let mut refusals = twice(added);
    if policy.existing == Existing::Overwrite && policy.mode != Mode::Replaces {
        refusals.push(Refusal::OverwriteMode);
    }
    refusals.extend(several_packages(added));
    refusals.extend(several_overwritten(added, overwritten));
    for bundle in added {
        let overwrites = overwritten.contains(&bundle.name);
        let in_the_way = || {
            if overwrites {
                not_latest(bundle, stored)
            } else {
                present(bundle, stored, differences)
            }
        };
        refusals.extend(other_package(bundle, stored).or_else(in_the_way));
        let allowed = policy.substitutes && policy.mode == Mode::Replaces;
        if !allowed && !bundle.node.substitutes.is_empty() {
            refusals.push(Refusal::Substitutes {
                bundle: bundle.name.clone(),
                origin: bundle.origin.clone(),
                substitutes: bundle.node.substitutes.clone(),
            });
        }
    }
    refusals
}

fn several_overwritten(added: &[Addition], overwritten: &BTreeSet<String>) -> Vec<Refusal> {
    let mut packages: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for bundle in added.iter().filter(|bundle| overwritten.contains(&bundle.name)) {
        packages.entry(&bundle.package).or_default().push(bundle.name.clone());
    }
    packages.retain(|_, bundles| bundles.len() > 1);
    let refusals = packages
        .into_iter()
        .map(|(package, bundles)| Refusal::SeveralOverwritten {
            package: package.to_owned(),
            bundles,
        });
    refusals.collect()
}

fn not_latest(bundle: &Addition, stored: &Stored) -> Option<Refusal> {
    let package = stored.packages.get(&bundle.package)?;
    package.graph.edges.iter().find_map(|(channel, edges)| {
        let (by, _) = edges.iter().find(|(_, targets)| targets.contains(&bundle.name))?;
        Some(Refusal::NotLatest {
            bundle: bundle.name.clone(),
            package: bundle.package.clone(),
            origin: bundle.origin.clone(),
            by: by.clone(),
            channel: channel.clone(),
        })
    })
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

fn present(bundle: &Addition, stored: &Stored, differences: &BTreeMap<String, Differences>) -> Option<Refusal> {
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
            differences: differences.get(&bundle.name).cloned().unwrap_or_default(),
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
