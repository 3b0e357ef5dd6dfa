//! A plan under construction: content that is added twice is stored once.

use super::contested::{Contested, drop_contested};
use super::placed::{PlacedError, spread};
use super::plan::{Because, Extra, LeftOut, Plan, PlannedCatalog, PlannedImage, PlannedManifest, Totals, Use};
use super::survey::Survey;
use super::taken::require_names;
use crate::image::{Digest, Platform};
use std::collections::{BTreeMap, BTreeSet};

/// A plan to which catalogs, images and their referrers are added.
pub(super) struct Assembly {
    plan: Plan,
}

/// The names of an image: at its source, in the request, and at the target.
pub(super) struct ImageNames {
    /// The reference by digest.
    pub(super) source: String,
    /// The references in the request and in catalogs.
    pub(super) origins: BTreeSet<String>,
    /// The requested path below the target, if not the default.
    pub(super) path: Option<String>,
    /// The repository at the target, if the plan has a target.
    pub(super) destination: Option<String>,
    pub(super) tags: BTreeSet<String>,
}

/// For each image, its position in the plan, and the digests of the manifests that may have referrers.
type SubjectsOfImages = Vec<(usize, BTreeSet<Digest>)>;

impl Assembly {
    /// Creates an empty plan; `to` is the target.
    pub(super) fn new(to: Option<String>) -> Self {
        Self { plan: Plan::empty(to) }
    }

    /// Returns the unfinished plan.
    pub(super) const fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Adds a catalog. Its image is added separately.
    pub(super) fn add_catalog(&mut self, catalog: PlannedCatalog) {
        self.plan.catalogs.push(catalog);
    }

    /// Adds the reasons why packages that were not requested are included.
    pub(super) fn add_reasons(&mut self, reasons: impl IntoIterator<Item = Because>) {
        self.plan.because.extend(reasons);
    }

    /// Records that an image is excluded, and why.
    pub(super) fn leave_out(&mut self, image: impl Into<String>, bundles: BTreeSet<String>, why: String) {
        self.plan.left_out.push(LeftOut {
            image: image.into(),
            bundles,
            why,
            blocked: false,
        });
    }

    /// Records that the request blocks an image.
    pub(super) fn block(&mut self, image: impl Into<String>, bundles: BTreeSet<String>, pattern: &str) {
        self.plan.left_out.push(LeftOut {
            image: image.into(),
            bundles,
            why: format!("it is blocked by the pattern `{pattern}`"),
            blocked: true,
        });
    }

    /// Adds an image with its manifests and blobs. If the image is already in the plan, only its names and uses are
    /// added.
    pub(super) fn add_image(&mut self, names: ImageNames, uses: BTreeSet<Use>, looked: &Survey) {
        self.add_content(looked);
        // Without a target, the requested paths decide whether two images have the same destination.
        let is_same = |image: &PlannedImage| {
            image.source == names.source
                && image.destination == names.destination
                && (image.destination.is_some() || image.path == names.path)
        };
        if let Some(known) = self.plan.images.iter_mut().find(|image| is_same(image)) {
            known.origins.extend(names.origins);
            let all: BTreeSet<Use> = std::mem::take(&mut known.uses).into_iter().chain(uses).collect();
            known.uses = all.into_iter().collect();
            known.tags.extend(names.tags);
            known.platforms.extend(looked.platforms.iter().cloned());
            known
                .platforms_left_out
                .extend(looked.platforms_left_out.iter().cloned());
            return;
        }
        self.plan.images.push(PlannedImage {
            source: names.source,
            origins: names.origins,
            digest: looked.digest,
            media_type: looked.media_type.clone(),
            platforms: looked.platforms.clone(),
            platforms_left_out: looked.platforms_left_out.clone(),
            bytes: 0,
            uses: uses.into_iter().collect(),
            path: names.path,
            destination: names.destination,
            tags: names.tags,
            extras: BTreeSet::new(),
        });
    }

    fn add_content(&mut self, looked: &Survey) {
        for (digest, found) in &looked.manifests {
            let known = self.plan.manifests.entry(*digest).or_insert_with(|| found.clone());
            known.sources.extend(found.sources.iter().cloned());
            // Another request for the same image index may include other platforms.
            let listed: BTreeSet<Digest> = known.manifests.iter().copied().collect();
            let more = found.manifests.iter().filter(|digest| !listed.contains(digest));
            known.manifests.extend(more);
        }
        for (digest, found) in &looked.blobs {
            let known = self.plan.blobs.entry(*digest).or_insert_with(|| found.clone());
            known.sources.extend(found.sources.iter().cloned());
        }
    }

    /// Adds referrers, each with its repository and content, to the images that they refer to, directly or through
    /// other referrers.
    pub(super) fn add_extras(&mut self, mut waiting: Vec<(Extra, String, Survey)>) {
        let mut subjects = self.subjects();
        // Referrers of referrers may occur in any order.
        loop {
            let before = waiting.len();
            waiting.retain(|(extra, source, looked)| {
                let subjects = subjects.get_mut(source).map(Vec::as_mut_slice).unwrap_or_default();
                !self.add_extra(subjects, extra, looked)
            });
            if waiting.is_empty() || waiting.len() == before {
                return;
            }
        }
    }

    /// Returns the manifests that may have referrers, by source repository.
    fn subjects(&self) -> BTreeMap<String, SubjectsOfImages> {
        let mut subjects: BTreeMap<String, SubjectsOfImages> = BTreeMap::new();
        for (place, image) in self.plan.images.iter().enumerate() {
            let (source, _) = image.source.split_once('@').unwrap_or((&image.source, ""));
            let manifests = self.plan.all_behind(image).into_iter().collect();
            subjects.entry(source.to_owned()).or_default().push((place, manifests));
        }
        subjects
    }

    /// Adds a referrer to the images that contain its subject. Returns whether there is such an image.
    fn add_extra(&mut self, subjects: &mut [(usize, BTreeSet<Digest>)], extra: &Extra, looked: &Survey) -> bool {
        let mut is_about_any = false;
        for (place, manifests) in subjects {
            if manifests.contains(&extra.subject)
                && let Some(image) = self.plan.images.get_mut(*place)
            {
                image.extras.insert(extra.digest);
                manifests.insert(extra.digest);
                is_about_any = true;
            }
        }
        if is_about_any {
            self.add_content(looked);
            let bytes = looked.bytes();
            self.plan.extras.push(Extra { bytes, ..extra.clone() });
        }
        is_about_any
    }

    /// Sorts the plan, drops contested tags, computes the totals, and assigns each blob to the repositories that need
    /// it.
    ///
    /// # Errors
    /// Returns an error if two images would have the same name at the target, or an image would have an invalid name.
    pub(super) fn finish(self) -> Result<(Plan, Vec<Contested>), PlacedError> {
        let mut plan = self.plan;
        unite_platforms(&mut plan);
        plan.images
            .sort_by_cached_key(|image| (image.source.clone(), image.destination.clone(), image.path.clone()));
        plan.extras.sort_by_key(|extra| (extra.subject, extra.digest));
        plan.extras.dedup();
        plan.left_out.sort();
        plan.left_out.dedup();
        plan.because.sort();
        plan.because.dedup();
        let manifests = plan.manifests.values().map(|manifest| manifest.bytes);
        let referenced = plan.images.iter().map(|image| image.bytes);
        let sum = |sizes: &mut dyn Iterator<Item = u64>| sizes.fold(0, u64::saturating_add);
        plan.totals = Totals {
            images: plan.images.len() as u64,
            manifests: plan.manifests.len() as u64,
            blobs: plan.blobs.len() as u64,
            bytes_referenced: sum(&mut referenced.chain(plan.extras.iter().map(|extra| extra.bytes))),
            bytes_unique: sum(&mut manifests.chain(plan.blobs.values().map(|blob| blob.bytes))),
            bytes_present: None,
        };
        let contested = drop_contested(&mut plan);
        spread(&mut plan);
        require_names(&plan)?;
        plan.check_destinations()?;
        Ok((plan, contested))
    }
}

/// Sets the platforms and sizes of all images. An image index that was requested several times gets the platforms of
/// all these requests.
fn unite_platforms(plan: &mut Plan) {
    let mut copied: BTreeMap<Digest, BTreeSet<Platform>> = BTreeMap::new();
    let mut left_out = copied.clone();
    for image in &plan.images {
        copied
            .entry(image.digest)
            .or_default()
            .extend(image.platforms.iter().cloned());
        let left_out = left_out.entry(image.digest).or_default();
        left_out.extend(image.platforms_left_out.iter().cloned());
    }
    for place in 0..plan.images.len() {
        let bytes = bytes(plan, plan.images[place].digest);
        let image = &mut plan.images[place];
        image.bytes = bytes;
        image.platforms = copied.get(&image.digest).cloned().unwrap_or_default();
        let left_out = left_out.get(&image.digest).into_iter().flatten();
        image.platforms_left_out = left_out.filter(|one| !image.platforms.contains(one)).cloned().collect();
    }
}

/// Returns the total size of a manifest and all manifests and blobs that it references, each counted once.
fn bytes(plan: &Plan, root: Digest) -> u64 {
    let mut manifests = Vec::new();
    plan.behind(root, &mut BTreeSet::new(), &mut manifests);
    let manifests: Vec<&PlannedManifest> = manifests
        .iter()
        .filter_map(|digest| plan.manifests.get(digest))
        .collect();
    let blobs: BTreeSet<&Digest> = manifests.iter().flat_map(|manifest| &manifest.blobs).collect();
    let blobs = blobs
        .into_iter()
        .filter_map(|digest| plan.blobs.get(digest))
        .map(|blob| blob.bytes);
    let own = manifests.iter().map(|manifest| manifest.bytes);
    own.chain(blobs).fold(0, u64::saturating_add)
}
