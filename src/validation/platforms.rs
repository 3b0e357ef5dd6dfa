//! Queries registries for the platforms of a bundle's images.

use super::validators::Platforms;
use crate::bundle::{self, image_use, mentions};
use crate::causes::with_causes;
use crate::concurrent;
use crate::image::{Platform, Reference, Transports};
use crate::text::Limits;
use crate::tree::Tree;
use futures_util::StreamExt;
use std::collections::{BTreeSet, HashSet};

/// The number of images that are queried concurrently.
const AT_ONCE: usize = 8;

/// Returns the images that a bundle names, each once; with `in_annotations`, also those in annotations.
pub fn images(tree: &Tree, in_annotations: bool, limits: &Limits) -> Vec<String> {
    let of = if in_annotations {
        mentions::with_annotations
    } else {
        image_use::of_bundle
    };
    let uses = bundle::read(tree, limits).bundle.map(|bundle| of(&bundle));
    let mut seen = HashSet::new();
    let images = uses.into_iter().flatten().map(|used| used.image);
    images.filter(|image| seen.insert(image.clone())).collect()
}

/// Queries the registries for the platforms of each image. For an image that is not available, returns the reason
/// instead.
pub async fn platforms(images: Vec<String>, transports: &Transports) -> Platforms {
    let asked = concurrent::unordered(images, AT_ONCE, |image| async move {
        let answer = ask(&image, transports).await;
        (image, answer)
    });
    asked.collect().await
}

async fn ask(image: &str, transports: &Transports) -> Result<BTreeSet<Platform>, String> {
    let reference = match image.parse() {
        Ok(reference @ Reference::Registry(_)) => reference,
        Ok(_) => return Err("a cluster pulls images from registries only".to_owned()),
        Err(error) => return Err(with_causes(&error)),
    };
    let offers = transports.offers(&reference).await;
    let platforms = offers.map(|offers| offers.into_iter().map(|offer| offer.platform).collect());
    platforms.map_err(|error| {
        let reasons = with_causes(&error);
        // The finding already names the image.
        let rest = reasons.strip_prefix(image).and_then(|rest| rest.strip_prefix(": "));
        rest.map_or(reasons.clone(), str::to_owned)
    })
}

/// Returns the platforms of an image that is an index of several images; `None` for any other image or if the image
/// cannot be read.
pub(super) async fn index_platforms(reference: &Reference, transports: &Transports) -> Option<BTreeSet<Platform>> {
    let digest = transports.resolve(reference).await.ok()?;
    let offers = transports.offers(reference).await.ok()?;
    let is_index = offers.iter().all(|offer| offer.digest != digest);
    is_index.then(|| offers.into_iter().map(|offer| offer.platform).collect())
}
