//! Reasons to refuse bundles.

use super::existing::Differences;
use super::stored::Stored;
use super::{Addition, Existing, Policy};
use crate::bundle::stated::Stated;
use crate::catalog::graph::{GraphError, Mode};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// A reason to refuse the bundles of a call. The message names the bundle and, where possible, a fix.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// Two of the specified bundles have the same name.
    #[error("bundle {bundle} was specified twice, by {first} and by {second}; specify it once")]
    Twice {
        /// The bundle.
        bundle: String,
        /// The folder or image of the first bundle.
        first: String,
        /// The folder or image of the second bundle.
        second: String,
    },
    /// The bundle is already in the index.
    #[error("bundle {bundle} of {origin} is already in package {package:?} of the index, {differences}")]
    AlreadyPresent {
        /// The bundle.
        bundle: String,
        /// The package of the bundle.
        package: String,
        /// The folder or image of the bundle.
        origin: String,
        /// The differences from the bundle in the index.
        differences: Differences,
    },
    /// The bundle is already stored in the index, but is not in any channel.
    #[error(
        "bundle {bundle} of {origin} is already in the index, but has not been in any channel since an earlier change; \
        remove it with prune-stranded before adding it again"
    )]
    Stranded {
        /// The bundle.
        bundle: String,
        /// The folder or image of the bundle.
        origin: String,
    },
    /// The bundle is deprecated and in no channel, but stays in the index for the clusters that have it.
    #[error(
        "bundle {bundle} of {origin} is already in the index, but is deprecated and in no channel; it stays there so \
        that clusters can upgrade from it, and cannot be added again"
    )]
    Deprecated {
        /// The bundle.
        bundle: String,
        /// The folder or image of the bundle.
        origin: String,
    },
    /// Another bundle of the package has the same image.
    #[error(
        "bundle {bundle} has the image {image}, which is in the index as bundle {present} of package {package:?}; use \
        a different tag or a digest for each version"
    )]
    ImagePresent {
        /// The bundle.
        bundle: String,
        /// The reference of the image.
        image: String,
        /// The bundle in the index that has this image.
        present: String,
        /// The package of both bundles.
        package: String,
    },
    /// A bundle that another bundle replaces or skips cannot be overwritten.
    #[error(
        "bundle {bundle} of {origin} cannot overwrite the bundle in the index because {by} replaces or skips it in \
        channel {channel:?} of package {package:?}; only the head of a channel can be overwritten"
    )]
    NotLatest {
        /// The bundle.
        bundle: String,
        /// The package of the bundle.
        package: String,
        /// The folder or image of the bundle.
        origin: String,
        /// The bundle that replaces or skips the bundle in the index.
        by: String,
        /// The channel.
        channel: String,
    },
    /// More than one bundle of a package would be overwritten.
    #[error(
        "{} of package {package:?} would all be overwritten; overwrite one bundle per package at a time",
        .bundles.join(", ")
    )]
    SeveralOverwritten {
        /// The package.
        package: String,
        /// The bundles.
        bundles: Vec<String>,
    },
    /// Bundles can be overwritten only in `replaces` mode.
    #[error("bundles can be overwritten only in replaces mode")]
    OverwriteMode,
    /// The bundle substitutes for another bundle, which the policy does not allow.
    #[error(
        "bundle {bundle} of {origin} substitutes for {substitutes} (annotation olm.substitutesFor); the substitution \
         would rewrite the edges of other bundles"
    )]
    Substitutes {
        /// The bundle.
        bundle: String,
        /// The folder or image of the bundle.
        origin: String,
        /// The bundle that it substitutes for.
        substitutes: String,
    },
    /// The specified bundles assign one bundle to several packages.
    #[error(
        "bundle {bundle} would belong to several packages ({}), according to its annotations and to the bundles that \
        replace or skip it; a bundle can belong to only one package",
        .packages.join(", ")
    )]
    SeveralPackages {
        /// The bundle.
        bundle: String,
        /// The packages, in byte order.
        packages: Vec<String>,
    },
    /// A bundle, or one that it replaces, skips or substitutes for, belongs to another package of the index.
    #[error(
        "bundle {edge} belongs to package {present:?} of the index, but bundle {bundle} would put it into package \
        {package:?}; a bundle can belong to only one package"
    )]
    OtherPackage {
        /// The added bundle.
        bundle: String,
        /// The package of the added bundle.
        package: String,
        /// The bundle in the other package: the added bundle, or one that it replaces, skips or substitutes for.
        edge: String,
        /// The package that contains the bundle `edge` in the index.
        present: String,
    },
    /// The bundles do not form a valid graph.
    #[error(transparent)]
    Graph(#[from] GraphError),
}

impl Refusal {
    /// Returns the bundles and packages that this refusal is about. Their graphs are not checked, because errors in
    /// them may have the same cause as the refusal.
    pub(super) fn in_the_graph(&self) -> Vec<&str> {
        match self {
            Self::AlreadyPresent { bundle, .. }
            | Self::Stranded { bundle, .. }
            | Self::Deprecated { bundle, .. }
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

/// A reason to refuse bundles, with the place of the refused value in the bundle's files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The reason.
    pub refusal: Refusal,
    /// The place, as `FILE:LINE`.
    pub place: Option<String>,
}

impl Refused {
    pub(super) fn new(refusal: Refusal, added: &[Addition]) -> Self {
        let place = refusal.stated().and_then(|(is_about, statement)| {
            let about = added.iter().filter(|bundle| is_about.matches(bundle));
            let mut places =
                about.filter_map(|bundle| bundle.stated.get(&statement).or(bundle.stated.get(&Stated::Name)));
            places.next().cloned()
        });
        Self { refusal, place }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Some(place) => write!(formatter, "{place}: {}", self.refusal),
            None => self.refusal.fmt(formatter),
        }
    }
}

/// The added bundles that a refusal is about.
enum About<'a> {
    Bundle(&'a str),
    AnyOf(&'a [String]),
    Package(&'a str),
}

impl About<'_> {
    fn matches(&self, bundle: &Addition) -> bool {
        match self {
            Self::Bundle(name) => bundle.name == *name,
            Self::AnyOf(names) => names.contains(&bundle.name),
            Self::Package(package) => bundle.package == *package,
        }
    }
}

impl Refusal {
    /// Returns the bundles that the refusal is about, and the kind of value that is refused. Returns `None` if the
    /// refusal names the folder or image of the bundle, or is not about a value in the bundle's files.
    fn stated(&self) -> Option<(About<'_>, Stated)> {
        Some(match self {
            Self::OtherPackage { bundle, .. } | Self::SeveralPackages { bundle, .. } => {
                (About::Bundle(bundle), Stated::Package)
            }
            Self::Graph(error) => match error {
                GraphError::Version { bundle, .. }
                | GraphError::Unreachable { bundle, .. }
                | GraphError::ChannelDeprecated { bundle, .. }
                | GraphError::VersionPresent { bundle, .. } => (About::Bundle(bundle), Stated::Version),
                GraphError::AmbiguousMaximum { bundles, .. } | GraphError::AmbiguousHead { bundles, .. } => {
                    (About::AnyOf(bundles), Stated::Version)
                }
                GraphError::SubstitutesMissing { bundle, .. } => (About::Bundle(bundle), Stated::Substitutes),
                GraphError::SubstitutesAmbiguous { bundles, .. } => (About::AnyOf(bundles), Stated::Substitutes),
                GraphError::ReplacesMissing { bundle, .. }
                | GraphError::Cycle { bundle, .. }
                | GraphError::ReplacesItself { bundle, .. } => (About::Bundle(bundle), Stated::Replaces),
                GraphError::HeadSkipped { bundle, .. } => (About::Bundle(bundle), Stated::Skips),
                GraphError::NoChannel { package } | GraphError::TooManyEntries { package, .. } => {
                    (About::Package(package), Stated::Channels)
                }
                GraphError::DefaultChannelMissing { package, .. } => (About::Package(package), Stated::DefaultChannel),
                GraphError::DefaultChannelUnknown { bundle, .. } => (About::Bundle(bundle), Stated::DefaultChannel),
                GraphError::DefaultChannelDeprecated { .. }
                | GraphError::SeveralUnreachable { .. }
                | GraphError::SeveralHeads { .. }
                | GraphError::Disconnected { .. } => return None,
            },
            _ => return None,
        })
    }
}

/// Returns, in a fixed order, all reasons for refusal that are known before the graph of the bundles is computed.
/// `added` must be sorted by package and name.
pub(super) fn check(
    added: &[Addition],
    stored: &Stored,
    overwritten: &BTreeSet<String>,
    differences: &BTreeMap<String, Differences>,
    policy: Policy,
) -> Vec<Refusal> {
    let mut refusals = twice(added);
    // As in opm, new bundles are added as without the policy.
    let is_stored = |bundle: &Addition| stored.present.contains(&bundle.name);
    if policy.existing == Existing::Overwrite && policy.mode != Mode::Replaces && added.iter().any(is_stored) {
        refusals.push(Refusal::OverwriteMode);
    }
    refusals.extend(several_packages(added, policy.mode));
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
        refusals.extend(other_package(bundle, stored, policy.mode).or_else(in_the_way));
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

fn several_packages(added: &[Addition], mode: Mode) -> Vec<Refusal> {
    let mut packages: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for bundle in added {
        for name in bundle.names_in(mode) {
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

fn other_package(bundle: &Addition, stored: &Stored, mode: Mode) -> Option<Refusal> {
    bundle.names_in(mode).find_map(|edge| {
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
        let is_deprecated = stored.deprecated.contains(&bundle.name);
        let (bundle, origin) = (bundle.name.clone(), bundle.origin.clone());
        return Some(if is_deprecated {
            Refusal::Deprecated { bundle, origin }
        } else {
            Refusal::Stranded { bundle, origin }
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
