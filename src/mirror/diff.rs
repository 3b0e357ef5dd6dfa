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
    /// The images in both plans whose repositories or tags at the target differ.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub moved: Vec<Moved>,
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

/// An image whose repositories or tags at the target differ between the plans.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Moved {
    /// The source of the image, by digest.
    pub source: String,
    /// The bundles that need the image.
    pub bundles: BTreeSet<String>,
    /// The names that only the old plan gives to the image.
    pub from: BTreeSet<String>,
    /// The names that only the new plan gives to the image.
    pub to: BTreeSet<String>,
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
    /// Returns the number of images that are in both plans with the same referrers, platforms and names.
    pub fn unchanged(&self) -> u64 {
        let mut changed = self.of_other_content();
        changed.extend(self.moved.iter().map(|image| &*image.source));
        self.kept.saturating_sub(changed.len() as u64)
    }

    /// Returns the images that are in both plans with different referrers or platforms.
    pub fn of_other_content(&self) -> BTreeSet<&str> {
        let images = self.extended.iter().chain(&self.reduced);
        images.map(|image| &*image.source).collect()
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
        moved: moved(old, new),
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

/// Returns the names of the images at the target, by source and digest. In a plan without a target, names are tags.
fn names(plan: &Plan) -> BTreeMap<(&str, Digest), BTreeSet<String>> {
    let mut names: BTreeMap<_, BTreeSet<String>> = BTreeMap::new();
    for image in &plan.images {
        let repository = image.destination.as_deref().unwrap_or_default();
        let known = names.entry((image.source.as_str(), image.digest)).or_default();
        known.extend(image.tags.iter().map(|tag| format!("{repository}:{tag}")));
    }
    names
}

fn moved(old: &Plan, new: &Plan) -> Vec<Moved> {
    if old.to.is_some() != new.to.is_some() {
        return Vec::new();
    }
    let (before, after) = (names(old), names(new));
    let mut moved = BTreeSet::new();
    for image in &new.images {
        let key = (image.source.as_str(), image.digest);
        if let (Some(from), Some(to)) = (before.get(&key), after.get(&key))
            && from != to
        {
            moved.insert(Moved {
                source: image.source.clone(),
                bundles: image.uses.iter().filter_map(|used| used.bundle.clone()).collect(),
                from: from.difference(to).cloned().collect(),
                to: to.difference(from).cloned().collect(),
            });
        }
    }
    moved.into_iter().collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mirror::plan::PlannedImage;

    fn plan(destination: &str, tag: &str) -> Plan {
        let digest = Digest::of(b"x");
        let image = PlannedImage {
            source: format!("registry.example.com/op@{digest}"),
            origins: BTreeSet::new(),
            digest,
            media_type: String::new(),
            platforms: BTreeSet::new(),
            platforms_left_out: BTreeSet::new(),
            bytes: 0,
            uses: Vec::new(),
            path: None,
            destination: Some(destination.to_owned()),
            tags: BTreeSet::from([tag.to_owned()]),
            extras: BTreeSet::new(),
        };
        Plan {
            images: vec![image],
            ..Plan::empty(Some("mirror.example.com".to_owned()))
        }
    }

    #[test]
    fn an_image_with_a_different_target_name_is_changed() {
        let old = plan("mirror.example.com/op", "v1");
        assert_eq!(diff(&old, &old).unchanged(), 1);
        for new in [
            plan("mirror.example.com/op", "v2"),
            plan("mirror.example.com/other", "v1"),
        ] {
            let difference = diff(&old, &new);
            assert_eq!((difference.kept, difference.unchanged()), (1, 0));
            assert_eq!(
                difference.moved[0].from,
                BTreeSet::from(["mirror.example.com/op:v1".to_owned()])
            );
        }
    }
}
