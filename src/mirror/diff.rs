//! The difference between two plans.

use super::plan::{Plan, PlannedImage};
use crate::image::Digest;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// The difference between two plans.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// The images that are only in the new plan.
    pub added: Vec<Changed>,
    /// The images that are only in the old plan.
    pub removed: Vec<Changed>,
    /// The images in both plans for which the new plan contains more referrers or platforms.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub extended: Vec<Changed>,
    /// The images in both plans for which the old plan contains more referrers or platforms.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reduced: Vec<Changed>,
    /// The number of images that are in both plans.
    pub kept: u64,
    /// The blobs and manifests that are only in the new plan.
    pub to_add: Amount,
    /// The blobs and manifests that are only in the old plan.
    pub to_drop: Amount,
}

/// An image that is in only one of the plans, or of which one of the plans contains more.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Changed {
    /// The source of the image, by digest.
    pub source: String,
    /// The bundles that need the image.
    pub bundles: BTreeSet<String>,
    /// The number of bytes of the image that are not in the other plan.
    pub bytes: u64,
}

/// A number of blobs and manifests, and their size.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Amount {
    /// The number of blobs and manifests.
    pub count: u64,
    /// The total size in bytes.
    pub bytes: u64,
}

impl Difference {
    /// Returns the number of images that are in both plans with the same referrers and platforms.
    pub fn unchanged(&self) -> u64 {
        let changed: BTreeSet<&str> = self
            .extended
            .iter()
            .chain(&self.reduced)
            .map(|image| &*image.source)
            .collect();
        self.kept.saturating_sub(changed.len() as u64)
    }
}

/// Compares two plans.
pub fn diff(old: &Plan, new: &Plan) -> Difference {
    let (before, after) = (sizes(old), sizes(new));
    let (new_only, old_only) = (only(new, old, &before), only(old, new, &after));
    Difference {
        added: new_only.images,
        removed: old_only.images,
        extended: new_only.parts,
        reduced: old_only.parts,
        kept: new_only.kept,
        to_add: amount(&after, &before),
        to_drop: amount(&before, &after),
    }
}

/// Returns the sizes in bytes of all manifests and blobs.
fn sizes(plan: &Plan) -> BTreeMap<Digest, u64> {
    let manifests = plan
        .manifests
        .iter()
        .map(|(digest, manifest)| (*digest, manifest.bytes));
    let blobs = plan.blobs.iter().map(|(digest, blob)| (*digest, blob.bytes));
    manifests.chain(blobs).collect()
}

fn amount(these: &BTreeMap<Digest, u64>, those: &BTreeMap<Digest, u64>) -> Amount {
    let only = these.iter().filter(|(digest, _)| !those.contains_key(digest));
    only.fold(Amount::default(), |amount, (_, bytes)| Amount {
        count: amount.count + 1,
        bytes: amount.bytes + bytes,
    })
}

/// The content that is only in one of two plans.
struct Only {
    images: Vec<Changed>,
    /// The images of which the other plan contains less.
    parts: Vec<Changed>,
    /// The number of images in both plans.
    kept: u64,
}

/// Returns the content that is only in the plan `one`.
fn only(one: &Plan, other: &Plan, others: &BTreeMap<Digest, u64>) -> Only {
    // The source of a filtered catalog remains the same when its content changes, so the digest is also compared.
    let key = |image: &PlannedImage| (image.source.clone(), image.digest);
    let mut known: BTreeMap<(String, Digest), BTreeSet<Digest>> = BTreeMap::new();
    for image in &other.images {
        known.entry(key(image)).or_default().extend(other.all_behind(image));
    }
    let mut only = Only {
        images: Vec::new(),
        parts: Vec::new(),
        kept: 0,
    };
    let own = sizes(one);
    for image in &one.images {
        let known = known.get(&key(image));
        only.kept += u64::from(known.is_some());
        let mut content: BTreeSet<Digest> = one.all_behind(image).into_iter().collect();
        if known.is_some_and(|known| content.is_subset(known)) {
            continue;
        }
        let manifests = content.iter().filter_map(|digest| one.manifests.get(digest));
        let blobs: Vec<Digest> = manifests.flat_map(|manifest| &manifest.blobs).copied().collect();
        content.extend(blobs);
        let new = content.iter().filter(|digest| !others.contains_key(digest));
        let changed = if known.is_some() {
            &mut only.parts
        } else {
            &mut only.images
        };
        changed.push(Changed {
            source: image.source.clone(),
            bundles: image.uses.iter().filter_map(|used| used.bundle.clone()).collect(),
            bytes: new.filter_map(|digest| own.get(digest)).sum(),
        });
    }
    only.images.sort();
    only.parts.sort();
    only
}
