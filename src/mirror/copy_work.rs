//! Determines the work needed to copy the content of a plan to a registry, and converts the outcome to a result for
//! each image.

use super::naming::CATALOG;
use super::needs::Needs;
use super::plan::{Extra, ExtraKind, ExtraVia, ExtrasByDigest, Plan, PlannedImage};
use crate::image::copy::{Copy, Item, Moved, Outcome, Place, State, Stored};
use crate::image::{Blob, Descriptor, Digest, ReferenceError, RegistryReference};
use crate::text::to_json;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The format version in [`CopyResult::schema`].
pub const SCHEMA: &str = "opmx.mirror.result/v1";

/// Tags, each with the digest to which it referred before.
pub type Replaced = BTreeMap<String, Digest>;

/// The work needed to copy a plan, with the subject of each item.
#[derive(Debug, Clone)]
pub struct Work<'p> {
    /// The plan.
    pub plan: &'p Plan,
    /// The description of the copy.
    pub copy: Copy,
    /// The subjects of the items of the copy, in the same order.
    pub subjects: Vec<Subject<'p>>,
}

/// The subject of an item.
#[derive(Debug, Clone, Copy)]
pub enum Subject<'p> {
    /// An image.
    Image(&'p PlannedImage),
    /// A referrer of an image.
    Extra(&'p Extra),
}

/// The subject of an item, with the item, its state, its replaced tags and the number of its lost layers.
type Entry<'a> = ((&'a Subject<'a>, &'a Item), ((&'a State, &'a Replaced), &'a usize));

/// A source of the content of a plan.
pub trait Holdings: Sync {
    /// Returns the places from which a manifest or blob can be read. `sources` are its source repositories in the plan.
    ///
    /// # Errors
    /// Returns an error if the name of a repository in the plan is invalid.
    fn places(&self, stored: &Descriptor, sources: &BTreeSet<String>) -> Result<Vec<Place>, ReferenceError>;
}

/// Returns the content of a plan: each manifest and blob, with the places that contain it.
///
/// # Errors
/// Returns an error if the name of a repository in the plan is invalid.
pub fn content(plan: &Plan, holdings: &dyn Holdings) -> Result<Copy, ReferenceError> {
    let stored = |media_type: &str, digest: &Digest, size: u64, sources: &BTreeSet<String>| {
        let descriptor = Descriptor {
            media_type: media_type.to_owned(),
            digest: *digest,
            size,
        };
        let places = holdings.places(&descriptor, sources)?;
        Ok((*digest, Stored { descriptor, places }))
    };
    let blobs = plan.blobs.iter();
    let blobs = blobs.map(|(digest, blob)| stored(&blob.media_type, digest, blob.bytes, &blob.sources));
    let manifests = plan.manifests.iter();
    let manifests = manifests.map(|(digest, found)| stored(&found.media_type, digest, found.bytes, &found.sources));
    Ok(Copy {
        blobs: blobs.collect::<Result<_, _>>()?,
        manifests: manifests.collect::<Result<_, _>>()?,
        items: Vec::new(),
    })
}

/// The source repositories in a plan, and the layout next to the plan.
#[derive(Debug, Clone, Copy)]
pub struct Sources<'a> {
    /// The OCI layout that contains the catalog images that are not in a registry.
    pub layout: &'a Path,
}

impl Holdings for Sources<'_> {
    fn places(&self, stored: &Descriptor, sources: &BTreeSet<String>) -> Result<Vec<Place>, ReferenceError> {
        let place = |source: &String| {
            if source.starts_with(CATALOG) {
                let blob = self.layout.join("blobs").join("sha256").join(stored.digest.hex());
                return Ok(Place::Held(Blob::File(blob)));
            }
            RegistryReference::of_repository(source).map(Place::Registry)
        };
        sources.iter().map(place).collect()
    }
}

/// Returns the work needed to copy the images of a plan. The images must already have destinations.
///
/// # Errors
/// Returns an error if the name of a repository in the plan is invalid.
pub fn work<'p>(plan: &'p Plan, holdings: &dyn Holdings) -> Result<Work<'p>, ReferenceError> {
    let mut adding = Adding {
        work: Work {
            plan,
            copy: content(plan, holdings)?,
            subjects: Vec::new(),
        },
        extras: ExtrasByDigest::of(plan),
        known: BTreeMap::new(),
        owners: Vec::new(),
    };
    let (catalogs, others): (Vec<_>, Vec<_>) = plan.images.iter().partition(|image| image.is_catalog());
    for image in others.into_iter().chain(catalogs) {
        if let Some(destination) = &image.destination {
            adding.add_image(image, destination)?;
        }
    }
    Ok(adding.work)
}

/// Adds the images of a plan to the work.
struct Adding<'p> {
    work: Work<'p>,
    extras: ExtrasByDigest<'p>,
    /// The items of referrers, by repository, digest and tag. Images in one repository can share referrers.
    known: BTreeMap<(&'p str, Digest, Option<&'p str>), usize>,
    /// The items with the images to which they belong.
    owners: Vec<(usize, &'p PlannedImage)>,
}

impl<'p> Adding<'p> {
    fn add_image(&mut self, image: &'p PlannedImage, destination: &'p str) -> Result<(), ReferenceError> {
        let to = RegistryReference::of_repository(destination)?;
        // Copy a catalog after the images that it needs, because clusters may install its bundles as soon as it is
        // available.
        let after = if image.is_catalog() {
            let needs = Needs::of(self.work.plan, image);
            let needed = self.owners.iter().filter(|(_, owner)| needs.include(owner));
            needed.map(|(place, _)| *place).collect()
        } else {
            BTreeSet::new()
        };
        let subject = Subject::Image(image);
        let place = self.work.add(subject, to.clone(), image.source.clone(), after);
        self.owners.push((place, image));
        self.add_extras(image, destination, &to, place);
        Ok(())
    }

    /// Adds the referrers of an image, each after the one that it refers to.
    fn add_extras(&mut self, image: &'p PlannedImage, destination: &'p str, to: &RegistryReference, place: usize) {
        let mut placed = BTreeMap::from([(image.digest, place)]);
        for (_, extra) in self.extras.attached_to(image) {
            let key = (destination, extra.digest, extra.tag.as_deref());
            let added = self.known.get(&key).copied().unwrap_or_else(|| {
                let before = placed.get(&extra.subject).copied().unwrap_or(place);
                let name = format!("{} of {destination}@{}", extra.kind.as_str(), extra.subject);
                let subject = Subject::Extra(extra);
                self.work.add(subject, to.clone(), name, BTreeSet::from([before]))
            });
            self.known.insert(key, added);
            self.owners.push((added, image));
            placed.insert(extra.digest, added);
        }
    }
}

impl<'p> Work<'p> {
    fn add(&mut self, subject: Subject<'p>, to: RegistryReference, name: String, after: BTreeSet<usize>) -> usize {
        let (digest, tags, about) = match subject {
            Subject::Image(image) => (image.digest, image.tags.clone(), None),
            Subject::Extra(extra) => {
                let about = (extra.via == ExtraVia::Referrers).then_some(extra.subject);
                (extra.digest, extra.tag.iter().cloned().collect(), about)
            }
        };
        let mut manifests = Vec::new();
        self.plan.behind(digest, &mut BTreeSet::new(), &mut manifests);
        let named = manifests.iter().filter_map(|digest| self.plan.manifests.get(digest));
        self.copy.items.push(Item {
            name,
            to,
            blobs: named.flat_map(|manifest| &manifest.blobs).copied().collect(),
            manifests,
            tags,
            grows: matches!(subject, Subject::Extra(_)),
            subject: about,
            after,
        });
        self.subjects.push(subject);
        self.subjects.len() - 1
    }

    /// Returns the result of copying the plan.
    pub fn result(&self, work: Digest, outcome: &Outcome) -> CopyResult {
        let states = self.subjects.iter().zip(&self.copy.items);
        let places = outcome.states.iter().zip(&outcome.replaced).zip(&outcome.lost);
        let entry = |((subject, item), ((state, replaced), lost)): Entry<'_>| {
            let (digest, bundles, is_sparse) = match subject {
                Subject::Image(image) => {
                    let bundles = image.uses.iter().filter_map(|used| used.bundle.clone()).collect();
                    (image.digest, bundles, !image.platforms_left_out.is_empty())
                }
                Subject::Extra(extra) => (extra.digest, BTreeSet::new(), false),
            };
            let (state, mut why) = match state {
                State::Present => (CopyState::Present, None),
                State::Copied => (CopyState::Copied, None),
                State::Failed(why) => (CopyState::Failed, Some(why.clone())),
                State::NotTried => (CopyState::NotTried, None),
            };
            if is_sparse && let Some(why) = &mut why {
                why.push_str(
                    "; some of its platforms are excluded, and not every registry accepts an incomplete image index",
                );
            }
            CopiedItem {
                name: item.name.clone(),
                destination: Some(item.to.full_repository()),
                digest,
                tags: item.tags.clone(),
                replaced: match state {
                    CopyState::Copied => replaced.clone(),
                    _ => Replaced::new(),
                },
                lost: if state == CopyState::Copied { *lost as u64 } else { 0 },
                bundles,
                state,
                why,
            }
        };
        CopyResult {
            schema: SCHEMA.to_owned(),
            plan: work,
            to: self.plan.to.clone().unwrap_or_default(),
            complete: outcome.is_whole(),
            items: states.zip(places).map(entry).collect(),
            problems: outcome.problems.clone(),
            moved: outcome.moved,
        }
    }
}

/// The result of copying a plan, stored as `plan.result.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CopyResult {
    /// The format version; always [`SCHEMA`].
    pub schema: String,
    /// The digest of the plan, including its destinations at the target.
    pub plan: Digest,
    /// The target of the copy.
    pub to: String,
    /// Whether all content of the plan is at the target.
    pub complete: bool,
    /// The images and their referrers.
    pub items: Vec<CopiedItem>,
    /// Problems that do not concern a single image.
    pub problems: Vec<String>,
    /// The amount of content transferred in this run.
    pub moved: Moved,
}

/// The result for an image or a referrer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CopiedItem {
    /// The source of the image, or the kind and subject of the referrer.
    pub name: String,
    /// The repository at the target, including the registry; `None` in an archive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub destination: Option<String>,
    /// The digest of the image or referrer.
    pub digest: Digest,
    /// The tags at the target.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub tags: BTreeSet<String>,
    /// The tags that this run moved from other images or referrers, each with the digest of the other one.
    #[serde(skip_serializing_if = "Replaced::is_empty")]
    pub replaced: Replaced,
    /// The number of layers, such as signatures, that only the replaced referrers had.
    #[serde(skip_serializing_if = "is_zero")]
    pub lost: u64,
    /// The bundles that need the image.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub bundles: BTreeSet<String>,
    /// The state after the copy.
    pub state: CopyState,
    /// The reason for a failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
const fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// The state of an item after a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CopyState {
    /// The item was already at the target.
    Present,
    /// The item was copied.
    Copied,
    /// The item could not be copied.
    Failed,
    /// The item was not copied because another item had already failed.
    NotTried,
}

/// The content of a plan that a run was to add to an archive.
#[derive(Debug, Clone, Default)]
pub struct Packing {
    /// The digests of the content that was to be added, including the content in `missing`.
    pub added: BTreeSet<Digest>,
    /// The digests of the content that could not be added, each with the reason.
    pub missing: BTreeMap<Digest, String>,
}

/// Returns the result of writing a plan to an archive.
pub fn packed(plan: &Plan, digest: Digest, to: String, packing: &Packing, moved: Moved) -> CopyResult {
    let state = |root: Digest| {
        let mut manifests = Vec::new();
        plan.behind(root, &mut BTreeSet::new(), &mut manifests);
        let blobs = manifests.iter().filter_map(|digest| plan.manifests.get(digest));
        let mut contents: BTreeSet<Digest> = blobs.flat_map(|manifest| &manifest.blobs).copied().collect();
        contents.extend(manifests);
        match contents.iter().find_map(|digest| packing.missing.get(digest)) {
            Some(why) => (CopyState::Failed, Some(why.clone())),
            None if contents.is_disjoint(&packing.added) => (CopyState::Present, None),
            None => (CopyState::Copied, None),
        }
    };
    let item = |name: String, digest: Digest, tags: BTreeSet<String>, bundles: BTreeSet<String>| {
        let (state, why) = state(digest);
        CopiedItem {
            name,
            destination: None,
            digest,
            tags,
            replaced: Replaced::new(),
            lost: 0,
            bundles,
            state,
            why,
        }
    };
    let images = plan.images.iter().map(|image| {
        let bundles = image.uses.iter().filter_map(|used| used.bundle.clone()).collect();
        item(image.source.clone(), image.digest, image.tags.clone(), bundles)
    });
    let extras = plan.extras.iter().map(|extra| {
        let name = format!("{} of {}", extra.kind.as_str(), extra.subject);
        item(name, extra.digest, extra.tag.iter().cloned().collect(), BTreeSet::new())
    });
    CopyResult {
        schema: SCHEMA.to_owned(),
        plan: digest,
        to,
        complete: packing.missing.is_empty(),
        items: images.chain(extras).collect(),
        problems: Vec::new(),
        moved,
    }
}

impl CopyResult {
    /// Returns the bytes of the result file: indented JSON that ends with a newline.
    pub fn to_bytes(&self) -> Vec<u8> {
        to_json(self).into_bytes()
    }

    /// Returns the number of items in this state.
    pub fn count(&self, state: CopyState) -> usize {
        self.items.iter().filter(|item| item.state == state).count()
    }
}

impl ExtraKind {
    /// Returns the name of the kind in output.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Signature => "signature",
            Self::Attestation => "attestation",
            Self::Sbom => "bill of materials",
            Self::Referrer => "referrer",
        }
    }
}
