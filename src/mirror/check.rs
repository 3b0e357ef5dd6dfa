//! Checks a plan that was read from a file: all content of the plan must be copied, and only to the target of the plan.

use super::extras::REFERRER_LIMIT;
use super::naming::shown;
use super::plan::{ExtrasByDigest, Plan, PlanError, PlannedImage};
use crate::image::{Digest, RegistryReference, check_tag};
use std::collections::BTreeSet;

/// The maximum size in bytes of the content of a plan, so that no sum of sizes overflows.
const SIZE_LIMIT: u64 = 1 << 56;
/// The maximum number of references to content that are followed for all images together. Content that images share
/// counts for each of them.
const EFFORT_LIMIT: usize = 10_000_000;

impl Plan {
    /// Checks that a plan is consistent.
    ///
    /// # Errors
    /// Returns an error for content that is referenced but missing, content that would not be copied, and a
    /// destination outside the target.
    pub(super) fn check(&self) -> Result<(), PlanError> {
        self.check_references()?;
        self.check_sizes()?;
        self.check_cycles()?;
        self.check_effort()?;
        self.check_reach()?;
        self.check_places()
    }

    fn check_references(&self) -> Result<(), PlanError> {
        let dangling = |who: String, digest: Digest| Err(PlanError::Dangling { who, digest });
        let images = self.images.iter().map(|image| (&image.source, image.digest));
        let catalogs = self
            .catalogs
            .iter()
            .map(|catalog| (&catalog.source, catalog.digest_after));
        for (source, digest) in images.chain(catalogs) {
            if !self.manifests.contains_key(&digest) {
                return dangling(source.clone(), digest);
            }
        }
        for extra in &self.extras {
            if !self.manifests.contains_key(&extra.digest) {
                return dangling(format!("a referrer of {}", extra.subject), extra.digest);
            }
        }
        for (digest, manifest) in &self.manifests {
            let child = manifest
                .manifests
                .iter()
                .find(|child| !self.manifests.contains_key(child));
            let blob = manifest.blobs.iter().find(|blob| !self.blobs.contains_key(blob));
            if let Some(missing) = child.or(blob) {
                return dangling(format!("the manifest {digest}"), *missing);
            }
        }
        Ok(())
    }

    /// Checks that two sums are plausible: the sum of the sizes of all content, and the sum of the sizes stated for
    /// images and extras, which may count shared content more than once.
    fn check_sizes(&self) -> Result<(), PlanError> {
        let content = self.manifests.values().map(|manifest| manifest.bytes);
        let content = content.chain(self.blobs.values().map(|blob| blob.bytes));
        let stated = self.images.iter().map(|image| image.bytes);
        let stated = stated.chain(self.extras.iter().map(|extra| extra.bytes));
        let sum = |sizes: &mut dyn Iterator<Item = u64>| sizes.fold(0_u128, |sum, size| sum + u128::from(size));
        if sum(&mut content.into_iter()) > u128::from(SIZE_LIMIT) || sum(&mut stated.into_iter()) > u128::from(u64::MAX)
        {
            return Err(PlanError::Size { limit: SIZE_LIMIT });
        }
        Ok(())
    }

    /// Checks that no manifest contains itself.
    fn check_cycles(&self) -> Result<(), PlanError> {
        let mut done = BTreeSet::new();
        for root in self.manifests.keys() {
            // Avoid recursion, because deep nesting must not overflow the stack.
            let mut waiting = vec![(*root, false)];
            let mut open = BTreeSet::new();
            while let Some((digest, is_open)) = waiting.pop() {
                if is_open {
                    open.remove(&digest);
                    done.insert(digest);
                } else if open.contains(&digest) {
                    return Err(PlanError::Cycle { digest });
                } else if !done.contains(&digest) {
                    open.insert(digest);
                    waiting.push((digest, true));
                    let manifest = self.manifests.get(&digest);
                    let named = manifest.into_iter().flat_map(|manifest| &manifest.manifests);
                    waiting.extend(named.map(|child| (*child, false)));
                }
            }
        }
        Ok(())
    }

    /// Checks that the content of each image can be listed in reasonable time.
    ///
    /// # Errors
    /// Returns an error if an image has too many referrers, or images share too much content.
    pub(super) fn check_effort(&self) -> Result<(), PlanError> {
        let extras = ExtrasByDigest::of(self);
        let mut effort = 0;
        for image in &self.images {
            if image.extras.len() > REFERRER_LIMIT {
                let (what, limit) = ("referrers of one image", REFERRER_LIMIT);
                return Err(PlanError::Limit { what, limit });
            }
            let manifests = self.all_behind(image).into_iter();
            let manifests = manifests.filter_map(|digest| self.manifests.get(&digest));
            let contents = manifests.map(|manifest| 1 + manifest.manifests.len() + manifest.blobs.len());
            effort += contents.sum::<usize>() + extras.of_image(image).count();
            if effort > EFFORT_LIMIT {
                let (what, limit) = ("references to content, counted for each image", EFFORT_LIMIT);
                return Err(PlanError::Limit { what, limit });
            }
        }
        Ok(())
    }

    /// Checks that everything in the plan belongs to an image.
    fn check_reach(&self) -> Result<(), PlanError> {
        let mut manifests: BTreeSet<Digest> = BTreeSet::new();
        let mut extras: BTreeSet<usize> = BTreeSet::new();
        let by_digest = ExtrasByDigest::of(self);
        for image in &self.images {
            let own = by_digest.attached_to(image);
            let found: BTreeSet<Digest> = own.iter().map(|(_, extra)| extra.digest).collect();
            if let Some(digest) = image.extras.iter().find(|digest| !found.contains(digest)) {
                return Err(PlanError::Loose {
                    what: format!("the referrer {digest} of {}", image.source),
                });
            }
            extras.extend(own.iter().map(|(place, _)| *place));
            manifests.extend(self.all_behind(image));
        }
        let extra = self
            .extras
            .iter()
            .enumerate()
            .find(|(place, _)| !extras.contains(place));
        if let Some((_, extra)) = extra {
            let what = format!("the referrer {} of {}", extra.digest, extra.subject);
            return Err(PlanError::Loose { what });
        }
        let loose = self.manifests.keys().find(|digest| !manifests.contains(digest));
        if let Some(digest) = loose {
            let what = format!("the manifest {digest}");
            return Err(PlanError::Loose { what });
        }
        let blobs: BTreeSet<&Digest> = self.manifests.values().flat_map(|manifest| &manifest.blobs).collect();
        match self.blobs.keys().find(|digest| !blobs.contains(digest)) {
            Some(digest) => Err(PlanError::Loose {
                what: format!("the blob {digest}"),
            }),
            None => Ok(()),
        }
    }

    /// Checks that all destinations are repositories, and all tags are valid.
    ///
    /// # Errors
    /// Returns an error for a destination that is not the name of a repository in a registry, and for an invalid tag.
    pub(super) fn check_destinations(&self) -> Result<(), PlanError> {
        let tags = self.images.iter();
        let tags = tags.flat_map(|image| image.tags.iter().map(|tag| (tag, image.source.clone())));
        let of_extras = self.extras.iter();
        let of_extras = of_extras.filter_map(|extra| Some((extra.tag.as_ref()?, extra.digest.to_string())));
        for (tag, image) in tags.chain(of_extras) {
            check_tag(tag).map_err(|problem| PlanError::Tag {
                image,
                tag: tag.clone(),
                problem,
            })?;
        }
        for (place, image) in self.images.iter().enumerate() {
            let Some(destination) = &image.destination else {
                continue;
            };
            RegistryReference::of_repository(destination).map_err(|source| {
                let catalogs: Vec<String> = self.catalogs.iter().map(|catalog| catalog.source.clone()).collect();
                PlanError::Destination {
                    place,
                    image: shown(&image.source, &catalogs).to_owned(),
                    source,
                }
            })?;
        }
        Ok(())
    }

    /// Checks that all destinations are below the target of the plan.
    ///
    /// # Errors
    /// Returns an error for an image or catalog without a destination, or with a destination that is outside the target
    /// or not the name of a repository.
    pub(super) fn check_places(&self) -> Result<(), PlanError> {
        let images = self.images.iter().map(|image| (&image.source, &image.destination));
        let catalogs = self
            .catalogs
            .iter()
            .map(|catalog| (&catalog.source, &catalog.destination));
        for (source, destination) in images.chain(catalogs) {
            match (&self.to, destination) {
                (None, None) => {}
                (Some(to), Some(destination)) if is_below(destination, to) => {}
                (to, Some(destination)) => {
                    return Err(PlanError::Outside {
                        image: source.clone(),
                        destination: destination.clone(),
                        to: to.clone(),
                    });
                }
                (Some(_), None) => return Err(PlanError::Nowhere { image: source.clone() }),
            }
        }
        self.check_destinations()?;
        let digests: BTreeSet<Digest> = self.catalogs.iter().map(|catalog| catalog.digest_after).collect();
        let images = self.images.iter().filter(|image| digests.contains(&image.digest));
        let names = images.flat_map(|image| image.tags.iter().map(move |tag| (image, tag)));
        let name = |(image, tag): (&PlannedImage, &String)| {
            Some((image.digest, format!("{}:{tag}", image.destination.as_ref()?)))
        };
        let names: BTreeSet<(Digest, String)> = names.filter_map(name).collect();
        for catalog in &self.catalogs {
            if let Some(destination) = &catalog.destination
                && !names.contains(&(catalog.digest_after, destination.clone()))
            {
                return Err(PlanError::NoImage {
                    catalog: catalog.source.clone(),
                    destination: destination.clone(),
                });
            }
        }
        Ok(())
    }
}

/// Returns whether a repository, with or without a tag, is below a target.
pub(super) fn is_below(destination: &str, target: &str) -> bool {
    let path = destination.strip_prefix(target).and_then(|rest| rest.strip_prefix('/'));
    path.is_some_and(|path| !path.is_empty())
}
