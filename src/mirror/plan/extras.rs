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
        let mut waiting = self.placed(image);
        waiting.retain(|(_, extra)| behind.contains(&extra.subject));
        let mut found: Vec<(usize, &Extra)> = Vec::new();
        let mut known = BTreeSet::from([image.digest]);
        loop {
            let is_next = |extra: &Extra| known.contains(&extra.subject) || !image.extras.contains(&extra.subject);
            let (next, later): (Vec<_>, Vec<_>) = waiting.into_iter().partition(|(_, extra)| is_next(extra));
            if next.is_empty() {
                return found;
            }
            known.extend(next.iter().map(|(_, extra)| extra.digest));
            found.extend(next);
            waiting = later;
        }
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
