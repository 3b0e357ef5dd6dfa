//! The share of each package and channel in the size of a plan, and how much smaller the plan would be without it.

use super::plan::{Plan, PlannedImage};
use crate::image::Digest;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// The share of a package or channel in a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Share {
    /// The package; `None` for images that belong to no package, such as catalogs.
    pub package: Option<String>,
    /// The channel; `None` for the package as a whole.
    pub channel: Option<String>,
    /// The number of images that the package or channel needs.
    pub images: u64,
    /// The total size in bytes of these images, with each blob and manifest counted once.
    pub bytes: u64,
    /// The number of these bytes that no other package or channel needs. They would be saved if the package or channel
    /// were not mirrored.
    pub own: u64,
}

/// Returns the shares of all packages, and of the channels of each package that has several kept channels.
pub fn shares(plan: &Plan) -> Vec<Share> {
    let channels = channels(plan);
    let contents: Vec<BTreeSet<Digest>> = plan.images.iter().map(|image| content(plan, image)).collect();
    let mut holders: BTreeMap<Digest, Vec<usize>> = BTreeMap::new();
    for (place, content) in contents.iter().enumerate() {
        for digest in content {
            holders.entry(*digest).or_default().push(place);
        }
    }
    // For each share, the images that it needs, and for each image, whether no other share needs it.
    let mut needed: BTreeMap<Holder<'_>, BTreeMap<usize, bool>> = BTreeMap::new();
    for (place, image) in plan.images.iter().enumerate() {
        let packages: BTreeSet<Option<&str>> = image.uses.iter().map(|used| used.package.as_deref()).collect();
        for package in &packages {
            let alone = packages.len() == 1;
            needed.entry((*package, None)).or_default().insert(place, alone);
            let Some(own) = package.and_then(|package| channels.get(package)) else {
                continue;
            };
            if own.names.len() < 2 {
                continue;
            }
            let bundles = image.uses.iter().filter(|used| used.package.as_deref() == *package);
            let bundles = bundles.filter_map(|used| used.bundle.as_deref());
            let holding: BTreeSet<&str> = bundles
                .filter_map(|bundle| own.of_bundles.get(bundle))
                .flatten()
                .copied()
                .collect();
            for channel in &holding {
                let alone = alone && holding.len() == 1;
                let share = needed.entry((*package, Some(channel))).or_default();
                share.insert(place, alone);
            }
        }
    }
    let share = |((package, channel), images): (Holder<'_>, BTreeMap<usize, bool>)| {
        let digests: BTreeSet<Digest> = images.keys().flat_map(|place| &contents[*place]).copied().collect();
        let is_own = |digest: &&Digest| {
            let mut holders = holders.get(digest).into_iter().flatten();
            holders.all(|place| images.get(place) == Some(&true))
        };
        Share {
            package: package.map(str::to_owned),
            channel: channel.map(str::to_owned),
            images: images.len() as u64,
            bytes: digests.iter().map(|digest| bytes(plan, digest)).sum(),
            own: digests.iter().filter(is_own).map(|digest| bytes(plan, digest)).sum(),
        }
    };
    needed.into_iter().map(share).collect()
}

/// The package and the channel of a [`Share`].
type Holder<'p> = (Option<&'p str>, Option<&'p str>);

/// The kept channels of a package.
#[derive(Default)]
struct Channels<'p> {
    names: BTreeSet<&'p str>,
    of_bundles: BTreeMap<&'p str, BTreeSet<&'p str>>,
}

fn channels(plan: &Plan) -> BTreeMap<&str, Channels<'_>> {
    let mut channels: BTreeMap<&str, Channels<'_>> = BTreeMap::new();
    for package in plan.catalogs.iter().flat_map(|catalog| &catalog.kept) {
        let known = channels.entry(&package.package).or_default();
        for channel in &package.channels {
            known.names.insert(&channel.name);
            for bundle in &channel.entries {
                known.of_bundles.entry(bundle).or_default().insert(&channel.name);
            }
        }
    }
    channels
}

/// Returns the digests of the content of an image and its extras.
fn content(plan: &Plan, image: &PlannedImage) -> BTreeSet<Digest> {
    let manifests = plan.all_behind(image);
    let blobs = manifests.iter().filter_map(|digest| plan.manifests.get(digest));
    let blobs = blobs.flat_map(|manifest| &manifest.blobs).copied();
    blobs.chain(manifests.iter().copied()).collect()
}

fn bytes(plan: &Plan, digest: &Digest) -> u64 {
    let blob = plan.blobs.get(digest).map(|blob| blob.bytes);
    let manifest = plan.manifests.get(digest).map(|manifest| manifest.bytes);
    blob.or(manifest).unwrap_or_default()
}
