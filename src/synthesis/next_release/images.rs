//! The images that change with the next release.

use crate::bundle::Bundle;
use crate::bundle::{image_use, mentions};
use crate::manifest::Object;
use crate::olm::annotation::CONTAINER_IMAGE;
use crate::synthesis::starter::{RELATED_IMAGES, bundle_of, inferred};
use crate::text::Document;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// A place of an image that stays the same from one release to the next: the object, whether the image is that of a
/// container, and the name of the container, variable, argument or key.
type ImagePlace = (String, bool, String);

/// Returns the images that were inferred from the old manifests and replaced in the new manifests. Entries of a list
/// that the author has changed are still updated, because an entry with an old image is an error.
pub(super) fn replaced(before: &Bundle, objects: &[Object]) -> BTreeMap<String, String> {
    let (was, is) = (inferred_images(&before.objects), inferred_images(objects));
    let replaced = was.iter().filter_map(|(name, old)| {
        let (_, new) = is.iter().find(|(known, _)| known == name)?;
        Some((old.clone(), new.clone()))
    });
    let mut replaced: BTreeMap<String, String> = replaced.collect();
    // The inferred name of an image may change, but an image at the same place has the same purpose.
    let new = by_place(objects);
    for (place, old) in by_place(&before.objects) {
        if let (Some(old), Some(Some(new))) = (old, new.get(&place))
            && was.iter().any(|(_, image)| *image == old)
        {
            replaced.insert(old, new.clone());
        }
    }
    replaced.retain(|old, _| is.iter().all(|(_, image)| image != old));
    replaced
}

/// Returns the new value of the annotation `containerImage`, if its value is the image of a container that the new
/// manifests replace.
pub(super) fn container_image(before: &Bundle, objects: &[Object]) -> Option<String> {
    let olm = before.olm.as_ref().map(Document::value)?;
    let said = olm.get("annotations")?.get(CONTAINER_IMAGE)?.as_str()?;
    let new = by_place(objects);
    let used = by_place(&before.objects).into_iter();
    let of_containers = used.filter(|((_, is_container, _), image)| *is_container && image.as_deref() == Some(said));
    let is: BTreeSet<String> = of_containers
        .filter_map(|(place, _)| new.get(&place).cloned().flatten())
        .collect();
    // If only some of the containers have a new image, the annotation may still be right.
    let mut is = is.into_iter();
    is.next().filter(|image| image != said && is.next().is_none())
}

/// Returns the names and images of the related images that are inferred from manifests.
fn inferred_images(objects: &[Object]) -> Vec<(String, String)> {
    let inferred = inferred(objects);
    let entries = super::value_of(&inferred, RELATED_IMAGES).and_then(Value::as_array);
    let text = |entry: &Value, key: &str| Some(entry.get(key)?.as_str()?.to_owned());
    let pairs = entries.into_iter().flatten();
    pairs
        .filter_map(|entry| Some((text(entry, "name")?, text(entry, "image")?)))
        .collect()
}

/// Returns the images of manifests by their places. If several images have the same place, none is returned.
fn by_place(objects: &[Object]) -> BTreeMap<ImagePlace, Option<String>> {
    let mut images: BTreeMap<ImagePlace, Option<String>> = BTreeMap::new();
    for object in objects {
        let alone = bundle_of(std::slice::from_ref(object));
        let mut uses = image_use::of_bundle(&alone);
        uses.extend(mentions::of_bundle(&alone));
        for used in uses.into_iter().filter(|used| used.is_alone() && !used.name.is_empty()) {
            let place = (object.label(), used.is_container(), used.name);
            let image = Some(used.image);
            images
                .entry(place)
                .and_modify(|known| *known = known.take().filter(|known| Some(known) == image.as_ref()))
                .or_insert(image);
        }
    }
    images
}
