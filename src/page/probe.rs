//! The sizes and platforms of images, from their manifests in registries.

use super::reason::reason;
use crate::causes::with_causes;
use crate::concurrent;
use crate::image::{Reference, Transports};
use crate::mirror::survey::{Subject, Survey, survey};
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex};
use tokio::runtime::Runtime;

/// The number of images to look up concurrently.
const AT_ONCE: usize = 8;

/// Looks up images, each of them only once. Only manifests are read.
pub struct Probe<'a> {
    transports: &'a Transports,
    runtime: &'a Runtime,
    known: Mutex<HashMap<String, Option<Arc<Size>>>>,
}

/// The size of an image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Size {
    /// The number of bytes for all platforms.
    pub(super) bytes: u64,
    /// The number of bytes for the largest platform.
    pub(super) most: u64,
    /// The platforms; empty if the manifest does not name any.
    pub(super) platforms: Vec<String>,
}

/// An image that could not be looked up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unprobed {
    /// The image.
    pub image: String,
    /// The reason.
    pub reason: String,
}

/// What is known about the images of a package.
#[derive(Debug, Default)]
pub(super) struct Sizes {
    /// Whether images were looked up.
    pub(super) probed: bool,
    by_image: HashMap<String, Arc<Size>>,
}

impl Sizes {
    pub(super) fn of(&self, image: &str) -> Option<&Size> {
        self.by_image.get(image).map(AsRef::as_ref)
    }
}

impl Size {
    /// Formats the size for readers.
    pub(super) fn in_words(&self) -> String {
        let most = human_size(self.most);
        if self.platforms.len() > 1 {
            format!(
                "at most {most} for each platform, {} for all platforms",
                human_size(self.bytes)
            )
        } else {
            most
        }
    }
}

/// Formats a number of bytes for readers, rounded to a tenth.
fn human_size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    let Some(last) = (0..UNITS.len()).rev().find(|unit| bytes >> (10 * (unit + 1)) > 0) else {
        return format!("{bytes} B");
    };
    let tenths = (u128::from(bytes) * 10 + (1 << (10 * (last + 1) - 1))) >> (10 * (last + 1));
    format!("{}.{} {}", tenths / 10, tenths % 10, UNITS[last])
}

impl<'a> Probe<'a> {
    /// Creates a probe without any known images.
    pub fn new(transports: &'a Transports, runtime: &'a Runtime) -> Self {
        Self {
            transports,
            runtime,
            known: Mutex::default(),
        }
    }

    /// Looks up the images that are not yet known. Returns the sizes of all images, and the new images that could not
    /// be looked up.
    pub(super) fn look<'i>(&self, images: impl Iterator<Item = &'i str>) -> (Sizes, Vec<Unprobed>) {
        let mut known = concurrent::lock(&self.known);
        let images: BTreeSet<&str> = images.collect();
        let new = images.iter().filter(|image| !known.contains_key(**image));
        let mut unprobed = Vec::new();
        let mut subjects = Vec::new();
        for image in new.copied().collect::<Vec<_>>() {
            match subject(image) {
                Ok(subject) => subjects.push((image, subject)),
                Err(reason) => {
                    known.insert(image.to_owned(), None);
                    unprobed.push(Unprobed {
                        image: image.to_owned(),
                        reason,
                    });
                }
            }
        }
        let (names, subjects): (Vec<&str>, Vec<Subject>) = subjects.into_iter().unzip();
        let found = self.runtime.block_on(survey(self.transports, &subjects, AT_ONCE));
        for (image, found) in names.into_iter().zip(found) {
            if let Err(error) = &found {
                unprobed.push(Unprobed {
                    image: image.to_owned(),
                    reason: reason(&error.error, image),
                });
            }
            known.insert(image.to_owned(), found.ok().map(|survey| Arc::new(size(&survey))));
        }
        let of_image = |image: &&str| Some(((*image).to_owned(), known.get(*image)?.clone()?));
        let sizes = Sizes {
            probed: true,
            by_image: images.iter().filter_map(of_image).collect(),
        };
        (sizes, unprobed)
    }
}

/// Parses a reference to an image in a registry. Rejects all other references that an untrusted catalog may contain.
fn subject(image: &str) -> Result<Subject, String> {
    let reference: Reference = image.parse().map_err(|error| with_causes(&error))?;
    if !matches!(reference, Reference::Registry(_)) {
        return Err("not an image in a registry".to_owned());
    }
    Ok(Subject {
        reference,
        source: String::new(),
        platforms: BTreeSet::new(),
    })
}

fn size(survey: &Survey) -> Size {
    let images = survey
        .manifests
        .values()
        .filter(|manifest| manifest.manifests.is_empty());
    let bytes = images.map(|manifest| {
        let blobs: BTreeSet<_> = manifest.blobs.iter().collect();
        let blobs = blobs.into_iter().filter_map(|blob| survey.blobs.get(blob));
        manifest.bytes + blobs.map(|blob| blob.bytes).sum::<u64>()
    });
    Size {
        bytes: survey.bytes(),
        most: bytes.max().unwrap_or_default(),
        platforms: survey.platforms.iter().map(ToString::to_string).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::human_size;

    #[test]
    fn bytes_are_shown_in_the_largest_fitting_unit() {
        let told_as = [
            (0, "0 B"),
            (1023, "1023 B"),
            (1024, "1.0 KiB"),
            (1 << 20, "1.0 MiB"),
            (47_395_635, "45.2 MiB"),
            (u64::MAX, "16777216.0 TiB"),
        ];
        for (bytes, text) in told_as {
            assert_eq!(human_size(bytes), text);
        }
    }
}
