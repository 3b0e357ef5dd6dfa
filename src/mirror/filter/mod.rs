//! Selects the part of a catalog that is mirrored: the requested packages and versions, and everything that they
//! could need.
//!
//! For each dependency of a kept bundle, all bundles in the catalog that could satisfy it are kept, because the cluster
//! decides which of them is installed. Therefore, dependencies resolve in the same way as in the whole catalog. In each
//! channel, bundles between kept bundles are also kept if the channel would be inconsistent without them.

use super::plan::{Because, KeptChannel, KeptPackage};
use super::request::CatalogRequest;
use crate::catalog::file_based::WrittenEntry;
use crate::catalog::file_based::draft::{Draft, DraftError, Target};
use crate::catalog::file_based::edit::{CatalogEditError, Editor};
use crate::catalog::selection::part::Part;
use crate::catalog::{BundleId, Catalog};
use crate::olm::intent::Intent;
use crate::resolver::closure::{self, Closure, Follow, Reason, Unsatisfied};
use semver::Version;
use std::collections::{BTreeMap, BTreeSet};

/// The result of filtering a catalog.
#[derive(Debug, Clone, Default)]
pub struct Filtered {
    /// The kept packages, sorted by name.
    pub kept: Vec<KeptPackage>,
    /// The reasons why packages and bundles that were not selected are included, sorted.
    pub because: Vec<Because>,
    /// Followed dependencies that no bundle in the catalog satisfies.
    pub unsatisfied: Vec<Unsatisfied>,
    /// Versions that clusters upgrade from, but that have no update path in the kept channels of their package.
    pub unreached: Vec<Unreached>,
    /// Installed bundles that the catalog does not contain.
    pub unknown: Vec<UnknownBundle>,
}

/// A version that clusters upgrade from, but that has no update path in the kept channels of its package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreached {
    /// The package.
    pub package: String,
    /// The version.
    pub version: Version,
}

/// An installed bundle that the catalog does not contain, or contains without a version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownBundle {
    /// The package.
    pub package: String,
    /// The name of the bundle.
    pub bundle: String,
}

/// The bundles to keep, by package and channel.
type Stay = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;

/// Removes everything from a catalog except the requested content and what it could need.
///
/// # Errors
/// Returns an error if a package or channel does not exist or would be empty, or if the default channel of a package
/// would be removed. Also returns an error if the catalog cannot be read.
pub fn filter(editor: &mut Editor, request: &CatalogRequest) -> Result<Filtered, CatalogEditError> {
    let mut parts = parts_of(editor, request);
    let unknown = add_installed(&mut parts, editor, request)?;
    let mut between: BTreeSet<(String, String, String)> = BTreeSet::new();
    let mut stay = Stay::new();
    let mut selected: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut unreached = Vec::new();
    for (package, part) in &parts {
        let mut draft = draft_of(editor, package)?;
        let default_channel = default_channel(&draft, request, part.channels.iter().collect());
        let channels = draft.channels.iter().map(|channel| channel.name.clone());
        let is_selected = |channel: &String| part.channels.is_empty() || part.channels.contains(channel);
        selected.insert(package.clone(), channels.filter(is_selected).collect());
        let lost = prune(&mut draft, part, default_channel.as_deref(), &mut between)?;
        let lost = lost.into_iter().map(|version| Unreached {
            package: package.clone(),
            version,
        });
        unreached.extend(lost);
        stay.insert(package.clone(), kept_of(&draft));
    }
    let catalog = editor.catalog()?;
    let chosen: BTreeSet<BundleId> = ids(&catalog, &stay);
    let mut needed: Closure<BundleId>;
    loop {
        let all = ids(&catalog, &stay);
        needed = needed_by(&catalog, &chosen, &all, &request.follow);
        let mut grown = grown(&stay, &catalog, &needed);
        keep_default_channels(&mut grown, &selected, &catalog, &needed);
        if grown == stay {
            break;
        }
        // Bundles that are kept for the consistency of their channels may also have dependencies.
        for (package, channels) in grown {
            if stay.get(&package) != Some(&channels) {
                let mut draft = draft_of(editor, &package)?;
                let default_channel = default_channel(&draft, request, channels.keys().collect());
                let part = Part::of_bundles(channels);
                prune(&mut draft, &part, default_channel.as_deref(), &mut between)?;
                stay.insert(package, kept_of(&draft));
            }
        }
    }
    let mut filtered = Filtered {
        unsatisfied: needed.unsatisfied.clone(),
        because: because(&catalog, &stay, &needed),
        unreached,
        unknown,
        ..Filtered::default()
    };
    let names: Vec<String> = editor.packages().into_iter().map(str::to_owned).collect();
    for name in names {
        let Some(channels) = stay.get(&name) else {
            editor.change(&name, |draft| draft.remove(&[Target::default()], None))?;
            continue;
        };
        let default_channel = default_channel(&draft_of(editor, &name)?, request, channels.keys().collect());
        let part = Part::of_bundles(channels.clone());
        let mut kept = editor.change(&name, |draft| {
            draft.prune(&part, default_channel.as_deref())?;
            Ok(described(draft, &between))
        })?;
        let selected = selected.get(&name).into_iter().flatten();
        kept.channels_left_out = selected
            .filter(|channel| !channels.contains_key(*channel))
            .cloned()
            .collect();
        filtered.kept.push(kept);
    }
    Ok(filtered)
}

/// Returns the requested parts by package name; all packages if none were specified.
fn parts_of(editor: &Editor, request: &CatalogRequest) -> BTreeMap<String, Part> {
    if !request.parts.is_empty() {
        return request.parts.clone();
    }
    let part = |name: &str| {
        let part = Part {
            versions: request.versions.clone(),
            ..Part::default()
        };
        (name.to_owned(), part)
    };
    editor.packages().into_iter().map(part).collect()
}

/// Adds the versions of installed bundles to the versions from which the parts have update paths. Returns the bundles
/// without a version in the catalog.
fn add_installed(
    parts: &mut BTreeMap<String, Part>,
    editor: &Editor,
    request: &CatalogRequest,
) -> Result<Vec<UnknownBundle>, CatalogEditError> {
    let mut unknown = Vec::new();
    for (package, names) in &request.installed {
        let draft = draft_of(editor, package)?;
        for name in names {
            let known = draft.bundles.iter().find(|bundle| bundle.name == *name);
            match (known.and_then(|bundle| bundle.version.clone()), parts.get_mut(package)) {
                (Some(version), Some(part)) if !part.from.contains(&version) => part.from.push(version),
                (Some(_), _) => {}
                (None, _) => unknown.push(UnknownBundle {
                    package: package.clone(),
                    bundle: name.clone(),
                }),
            }
        }
    }
    Ok(unknown)
}

fn draft_of(editor: &Editor, package: &str) -> Result<Draft, CatalogEditError> {
    let documents = editor.known(package)?;
    Ok(Draft::read(package, &documents.values)?)
}

fn prune(
    draft: &mut Draft,
    part: &Part,
    default_channel: Option<&str>,
    between: &mut BTreeSet<(String, String, String)>,
) -> Result<Vec<Version>, DraftError> {
    let (removal, kept) = draft.prune(part, default_channel)?;
    let package = &draft.name;
    between.extend(
        kept.into_iter()
            .map(|(bundle, channel)| (package.clone(), channel, bundle)),
    );
    Ok(removal.unreached)
}

fn kept_of(draft: &Draft) -> BTreeMap<String, BTreeSet<String>> {
    let channels = draft.channels.iter();
    let names = |entries: &[WrittenEntry]| entries.iter().map(|entry| entry.name.clone()).collect();
    channels
        .map(|channel| (channel.name.clone(), names(&channel.entries)))
        .collect()
}

fn ids(catalog: &Catalog, stay: &Stay) -> BTreeSet<BundleId> {
    let of_package = |(package, channels): (&String, &BTreeMap<String, BTreeSet<String>>)| {
        ids_in(catalog, package, &channels.values().flatten().collect())
    };
    stay.iter().flat_map(of_package).collect()
}

/// Returns the bundles of a package with these names.
fn ids_in(catalog: &Catalog, package: &str, names: &BTreeSet<&String>) -> BTreeSet<BundleId> {
    let channels = catalog
        .package(package)
        .into_iter()
        .flat_map(|package| &package.channels);
    let ids = channels.flat_map(|channel| &channel.entries).map(|entry| entry.bundle);
    let named = |id: &BundleId| {
        let bundle = catalog.bundle(*id);
        bundle.is_some_and(|bundle| names.contains(&bundle.name.to_string()))
    };
    ids.filter(named).collect()
}

/// Returns the new default channel of a package of which only these channels are kept; all if empty. If the default
/// channel of a package that was not selected is removed, this is the first remaining channel, which a resolver would
/// prefer. The same applies to packages that were selected for a cluster, which names the channels that it follows.
fn default_channel(draft: &Draft, request: &CatalogRequest, channels: BTreeSet<&String>) -> Option<String> {
    if let Some(channel) = request.default_channels.get(&draft.name) {
        return Some(channel.clone());
    }
    let is_kept = channels.is_empty() || channels.contains(&draft.default_channel);
    if is_kept || (request.parts.contains_key(&draft.name) && !request.is_of_cluster) {
        return None;
    }
    channels.into_iter().next().cloned()
}

/// Adds the needed bundles to the bundles to keep. A needed bundle is added to the kept channels of its package that
/// contain it or, if there are none, to all channels that contain it.
fn grown(stay: &Stay, catalog: &Catalog, needed: &Closure<BundleId>) -> Stay {
    let mut grown = stay.clone();
    for package in &catalog.packages {
        let own = stay.get(&*package.name);
        for id in needed.members.keys() {
            let Some(bundle) = catalog.bundle(*id) else { continue };
            let holding = package.channels.iter();
            // A bundle that a channel skips is never installed from that channel, but could be if the bundle that skips
            // it were missing.
            let holding = holding.filter(|channel| {
                let skipped = channel.entries.iter().flat_map(|entry| &entry.skips);
                channel.entries.iter().any(|entry| entry.bundle == *id)
                    && !skipped.into_iter().any(|name| **name == *bundle.name)
            });
            let holding: Vec<&str> = holding.map(|channel| &*channel.name).collect();
            let is_kept = |name: &&&str| own.is_some_and(|channels| channels.contains_key(**name));
            let kept: Vec<&str> = holding.iter().filter(is_kept).copied().collect();
            for channel in if kept.is_empty() { holding } else { kept } {
                let channels = grown.entry(package.name.to_string()).or_default();
                let bundles = channels.entry(channel.to_owned()).or_default();
                bundles.insert(bundle.name.to_string());
            }
        }
    }
    grown
}

/// Keeps the head of the default channel of each package that was not selected and of which another channel is kept, if
/// another package satisfies the same dependency: resolvers prefer bundles in default channels, so a different default
/// channel could make them choose another package.
fn keep_default_channels(
    stay: &mut Stay,
    selected: &BTreeMap<String, BTreeSet<String>>,
    catalog: &Catalog,
    needed: &Closure<BundleId>,
) {
    let mut satisfying: BTreeMap<&Reason, BTreeSet<&str>> = BTreeMap::new();
    for package in &catalog.packages {
        let entries = package.channels.iter().flat_map(|channel| &channel.entries);
        for reason in entries.filter_map(|entry| needed.members.get(&entry.bundle)).flatten() {
            satisfying.entry(reason).or_default().insert(&package.name);
        }
    }
    let contested: BTreeSet<&str> = satisfying
        .into_values()
        .filter(|names| names.len() > 1)
        .flatten()
        .collect();
    for package in &catalog.packages {
        let (name, channels) = (&*package.name, stay.get_mut(&*package.name));
        let default = package
            .channels
            .iter()
            .find(|channel| Some(&channel.name) == package.default_channel.as_ref());
        if let (Some(channels), Some(default)) = (channels, default)
            && let Some(head) = &default.head
            && contested.contains(name)
            && !selected.contains_key(name)
            && !channels.contains_key(&*default.name)
        {
            channels.insert(default.name.to_string(), BTreeSet::from([head.to_string()]));
        }
    }
}

/// Returns everything that the selected bundles could need, and everything that the other kept bundles require.
fn needed_by(
    catalog: &Catalog,
    chosen: &BTreeSet<BundleId>,
    all: &BTreeSet<BundleId>,
    follow: &Follow,
) -> Closure<BundleId> {
    let mut needed = closure::of_bundles(catalog, chosen, follow);
    let others: BTreeSet<BundleId> = all
        .iter()
        .filter(|id| !needed.members.contains_key(id))
        .copied()
        .collect();
    if *follow != Follow::default() && !others.is_empty() {
        let required = Follow {
            intents: BTreeSet::from([Intent::Required]),
            preferences: follow.preferences.clone(),
        };
        let more = closure::of_bundles(catalog, &others, &required);
        for (id, reasons) in more.members {
            needed.members.entry(id).or_default().extend(reasons);
        }
        needed.unsatisfied.extend(more.unsatisfied);
        needed.unsatisfied.sort();
        needed.unsatisfied.dedup();
    }
    needed
}

/// Returns the reasons why the result includes packages that were not selected, and bundles that the selection of their
/// package does not contain.
fn because(catalog: &Catalog, stay: &Stay, needed: &Closure<BundleId>) -> Vec<Because> {
    let mut because = BTreeSet::new();
    for (package, channels) in stay {
        let names: BTreeSet<&String> = channels.values().flatten().collect();
        let ids = ids_in(catalog, package, &names).into_iter();
        for Reason { bundle, wish, .. } in ids.filter_map(|id| needed.members.get(&id)).flatten() {
            because.insert(Because {
                package: package.clone(),
                needed_by: bundle.clone(),
                constraint: wish.clone(),
            });
        }
    }
    because.into_iter().collect()
}

fn described(draft: &Draft, between: &BTreeSet<(String, String, String)>) -> KeptPackage {
    let mut channels: Vec<KeptChannel> = Vec::new();
    for channel in &draft.channels {
        let names: BTreeSet<&str> = channel.entries.iter().map(|entry| entry.name.as_str()).collect();
        let is_between =
            |entry: &&WrittenEntry| between.contains(&(draft.name.clone(), channel.name.clone(), entry.name.clone()));
        let updates = draft.updates(channel);
        let why = |entry: &WrittenEntry| {
            // A bundle with a range may update clusters past this one.
            let is_next = |name: &&str| names.contains(name) && updates.get(name) == Some(&entry.name);
            let below: Vec<&str> = entry.below().filter(is_next).collect();
            match &below[..] {
                [] => "the channel would not be connected without it".to_owned(),
                below => format!("it is the next update from {}", below.join(", ")),
            }
        };
        let kept_for = channel.entries.iter().filter(is_between);
        channels.push(KeptChannel {
            name: channel.name.clone(),
            head: channel
                .heads()
                .first()
                .map(|head| (*head).to_owned())
                .unwrap_or_default(),
            entries: channel.from_head(),
            kept_for: kept_for.map(|entry| (entry.name.clone(), why(entry))).collect(),
        });
    }
    channels.sort_by(|one, other| one.name.cmp(&other.name));
    KeptPackage {
        package: draft.name.clone(),
        channels,
        channels_left_out: BTreeSet::new(),
    }
}

#[cfg(test)]
mod tests;
