//! Finds the referrers of the images in a plan.

use super::{Extra, Plan, PlannedImage};
use crate::image::Digest;
use std::collections::{BTreeMap, BTreeSet};

/// The referrers in a plan, by digest. A referrer can be in a plan several times, with different tags or subjects.
pub(in crate::mirror) struct ExtrasByDigest<'p> {
    plan: &'p Plan,
    places: BTreeMap<Digest, Vec<usize>>,
}

impl<'p> ExtrasByDigest<'p> {
    pub(in crate::mirror) fn of(plan: &'p Plan) -> Self {
        let mut places: BTreeMap<Digest, Vec<usize>> = BTreeMap::new();
        for (place, extra) in plan.extras.iter().enumerate() {
            places.entry(extra.digest).or_default().push(place);
        }
        Self { plan, places }
    }

    /// Returns the referrers that are copied with an image, in the order of the plan.
    pub(in crate::mirror) fn of_image(&self, image: &PlannedImage) -> impl Iterator<Item = &'p Extra> {
        self.placed(image).into_iter().map(|(_, extra)| extra)
    }

    /// Returns the referrers that are copied with an image and refer to it, directly or through each other. Each comes
    /// after the one that it refers to, and with its position in the plan.
    pub(in crate::mirror) fn attached_to(&self, image: &PlannedImage) -> Vec<(usize, &'p Extra)> {
        let behind: BTreeSet<Digest> = self.plan.all_behind(image).into_iter().collect();
        let (mut next, mut waiting) = (Vec::new(), BTreeMap::new());
        for (place, extra) in self.placed(image) {
            let is_of_image = extra.subject == image.digest || !image.extras.contains(&extra.subject);
            if is_of_image && behind.contains(&extra.subject) {
                next.push((place, extra));
            } else if !is_of_image {
                let about: &mut Vec<(usize, &Extra)> = waiting.entry(extra.subject).or_default();
                about.push((place, extra));
            }
        }
        let mut found: Vec<(usize, &Extra)> = Vec::new();
        while !next.is_empty() {
            let later = next.iter().filter_map(|(_, extra)| waiting.remove(&extra.digest));
            let mut later: Vec<_> = later.flatten().collect();
            later.sort_unstable_by_key(|(place, _)| *place);
            found.append(&mut next);
            next = later;
        }
        found
    }

    fn placed(&self, image: &PlannedImage) -> Vec<(usize, &'p Extra)> {
        let places = image.extras.iter().filter_map(|digest| self.places.get(digest));
        let mut places: Vec<usize> = places.flatten().copied().collect();
        places.sort_unstable();
        let extras = places.into_iter();
        extras
            .filter_map(|place| Some((place, self.plan.extras.get(place)?)))
            .collect()
    }
}
