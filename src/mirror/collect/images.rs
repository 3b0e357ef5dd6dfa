//! Adds the requested images to a plan, with their content and their referrers.

use super::Collector;
use crate::causes::with_causes;
use crate::image::{Digest, ImageError, Platform, Reference, RegistryReference};
use crate::mirror::assembly::ImageNames;
use crate::mirror::extras::{self, FoundExtra, Subjects};
use crate::mirror::images::Unlisted;
use crate::mirror::naming::{CATALOG, pinned_name, tags};
use crate::mirror::plan::Use;
use crate::mirror::request::Place;
use crate::mirror::survey::{Subject, Unsurveyed, survey, unread};
use std::collections::{BTreeMap, BTreeSet};

/// A requested image.
pub(super) struct Wanted {
    uses: BTreeSet<Use>,
    /// The requested platforms; all platforms if empty.
    platforms: BTreeSet<Platform>,
}

impl Collector<'_> {
    pub(super) fn want(&mut self, image: &str, use_of: Use, place: &Place, platforms: &BTreeSet<Platform>) {
        let key = (image.to_owned(), place.clone());
        let Some(known) = self.wanted.get_mut(&key) else {
            let wanted = Wanted {
                uses: BTreeSet::from([use_of]),
                platforms: platforms.clone(),
            };
            self.wanted.insert(key, wanted);
            return;
        };
        known.uses.insert(use_of);
        // If one use of the image requests all platforms, all platforms are included.
        if platforms.is_empty() || known.platforms.is_empty() {
            known.platforms.clear();
        } else {
            known.platforms.extend(platforms.iter().cloned());
        }
    }

    /// Returns the unlisted images of bundles that are neither requested otherwise nor blocked.
    pub(super) fn still_unlisted(&mut self) -> Unlisted {
        let mut unlisted = std::mem::take(&mut self.notes.unlisted);
        for (image, _) in self.wanted.keys() {
            unlisted.remove(image);
        }
        unlisted.retain(|image, _| !self.request.blocked.iter().any(|pattern| pattern.is_match(image)));
        unlisted
    }

    /// Adds the content of the requested images.
    pub(super) async fn add_images(&mut self) {
        let wanted = std::mem::take(&mut self.wanted);
        let (mut subjects, mut names) = (Vec::new(), Vec::new());
        for ((image, place), wanted) in &wanted {
            let blocked = self.request.blocked.iter().find(|pattern| pattern.is_match(image));
            if let Some(pattern) = blocked {
                self.assembly.block(image, bundles(&wanted.uses), pattern.as_str());
                continue;
            }
            match image.parse() {
                Ok(Reference::Registry(reference)) => {
                    subjects.push(Subject {
                        reference: Reference::Registry(reference.clone()),
                        source: reference.full_repository(),
                        platforms: wanted.platforms.clone(),
                    });
                    names.push((image, place, reference, wanted));
                }
                Ok(_) => self.assembly.leave_out(
                    image,
                    bundles(&wanted.uses),
                    "it is not an image in a registry".to_owned(),
                ),
                Err(error) => self
                    .assembly
                    .leave_out(image, bundles(&wanted.uses), with_causes(&error)),
            }
        }
        let looked = survey(self.transports, &subjects, self.options.parallel).await;
        let mut read = 0_usize;
        for ((image, place, reference, wanted), looked) in names.into_iter().zip(looked) {
            let looked = match looked {
                Ok(looked) => looked,
                Err(Unsurveyed { part, error }) => {
                    let part = part.filter(|_| !error.is_unreachable());
                    let failed = part.as_ref().map(|part| format!("{part} cannot be read: "));
                    let why = self.noted(failed.as_deref().unwrap_or_default(), &reference, error);
                    if part.is_some_and(|part| part.platform.is_some()) {
                        self.notes.without_platform.insert(why.clone());
                    }
                    self.assembly.leave_out(image, bundles(&wanted.uses), why);
                    continue;
                }
            };
            if let Some(why) = looked.without_platforms() {
                self.assembly.leave_out(image, bundles(&wanted.uses), why);
                continue;
            }
            for layer in &looked.foreign {
                let why = format!("its layer {layer} is distributed by the vendor, not by registries");
                self.assembly.leave_out(image, bundles(&wanted.uses), why);
            }
            let naming = self.request.naming.as_ref();
            let destination = naming.map(|naming| naming.repository(&reference, place));
            let names = ImageNames {
                source: pinned_name(&reference, &looked.digest),
                origins: BTreeSet::from([image.clone()]),
                path: place.repository.clone(),
                destination,
                tags: tags(&reference, place),
            };
            self.assembly.add_image(names, wanted.uses.clone(), &looked);
            read += 1;
        }
        self.notes.is_empty = read == 0 && self.assembly.plan().left_out.iter().any(|left_out| !left_out.blocked);
    }

    /// Returns the reason for leaving out an image after a failed request, and notes the error of a registry that
    /// cannot be reached. `failed` describes what failed, if not all of the image.
    fn noted(&mut self, failed: &str, reference: &RegistryReference, error: ImageError) -> String {
        let why = format!("{failed}{}", unread(reference.registry(), &error));
        if error.is_unreachable() {
            self.notes.unreachable.entry(why.clone()).or_insert(error);
        }
        why
    }

    /// Adds the referrers of the images.
    pub(super) async fn add_extras(&mut self) {
        let mut by_repository: BTreeMap<String, (RegistryReference, BTreeSet<Digest>)> = BTreeMap::new();
        for image in &self.assembly.plan().images {
            if image.source.starts_with(CATALOG) {
                continue;
            }
            let Ok(Reference::Registry(reference)) = image.source.parse() else {
                continue;
            };
            let name = reference.full_repository();
            let entry = by_repository
                .entry(name)
                .or_insert_with(|| (reference, BTreeSet::new()));
            entry.1.extend(self.assembly.plan().all_behind(image));
        }
        let subjects = by_repository.into_values();
        let subjects = subjects
            .map(|(repository, digests)| Subjects { repository, digests })
            .collect();
        let found = extras::find(self.transports, subjects, self.options.parallel).await;
        for (reference, unlisted) in found.failed {
            let failed = "its referrers cannot be listed: ";
            let why = match unlisted {
                extras::Unlisted::Failed(error) => self.noted(failed, &reference, error),
                extras::Unlisted::Refused(error) => self.noted("it is listed, but cannot be read: ", &reference, error),
                why @ extras::Unlisted::TooMany => format!("{failed}{why}"),
            };
            self.assembly.leave_out(reference.to_string(), BTreeSet::new(), why);
        }
        let mut waiting = Vec::new();
        for FoundExtra {
            extra,
            reference,
            content,
        } in found.found
        {
            match content {
                Ok(looked) => waiting.push((extra, reference.full_repository(), looked)),
                Err(Unsurveyed { part, error }) => {
                    let failed = part.map(|part| format!("{part} cannot be read: "));
                    let why = self.noted(failed.as_deref().unwrap_or_default(), &reference, error);
                    self.assembly.leave_out(reference.to_string(), BTreeSet::new(), why);
                }
            }
        }
        self.assembly.add_extras(waiting);
    }
}

/// Returns the bundles that use an image.
fn bundles(uses: &BTreeSet<Use>) -> BTreeSet<String> {
    uses.iter().filter_map(|used| used.bundle.clone()).collect()
}
