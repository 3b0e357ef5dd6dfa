//! Images that a bundle mentions in places that tools do not check: in arguments, environment variables, volumes and
//! ConfigMaps. A mirror of the bundle contains such an image only if the image is also a related image.

mod related;

pub use related::{entries_of_variables, missing_entries, outdated};

use super::image_use::{self, CONTAINERS, ImageUse, RELATED_IMAGE};
use super::references::{in_text, reference, words, written_out};
use super::{Bundle, MediaType};
use crate::manifest::{Layout, Manifests, Object};
use crate::olm::annotation::EXAMPLES;
use crate::text::{Document, Limits, Path};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The suffix of the names of variables that contain images.
const IMAGE_SUFFIX: &str = "_IMAGE";

/// The key that documents the other keys of a ConfigMap. Nothing reads its value.
const DOCUMENTATION: &str = "_example";

/// The characters that separate the words of an annotation.
const ANNOTATION_ENDS: [char; 4] = [',', ';', '\n', ' '];

/// Returns the images in arguments, variables, volumes and ConfigMaps, in the order of the objects.
pub fn of_bundle(bundle: &Bundle) -> Vec<ImageUse> {
    let mut uses = Vec::new();
    for object in &bundle.objects {
        let (document, root) = object.document();
        if object.gvk().is("", "ConfigMap") {
            of_config_map(document, &root.key("data"), &mut uses);
        }
        for template in pod_templates(bundle, object) {
            of_pod(document, &template.key("spec"), &mut uses);
        }
    }
    uses
}

/// Returns the paths of the pod templates in a Deployment or a CSV.
fn pod_templates(bundle: &Bundle, object: &Object) -> Vec<Path> {
    let (document, root) = object.document();
    if object.gvk().is("apps", "Deployment") && bundle.media_type == MediaType::K8sV1 {
        vec![root.key("spec").key("template")]
    } else if super::is_csv(object) {
        let keys = ["spec", "install", "spec", "deployments"];
        let deployments = keys.iter().fold(root.clone(), |path, key| path.key(key));
        let deployments = (0..length(document, &deployments)).map(|index| deployments.index(index));
        deployments
            .map(|deployment| deployment.key("spec").key("template"))
            .collect()
    } else {
        Vec::new()
    }
}

/// Returns all places where the text of a bundle can be edited to name another image: where it names and mentions
/// images, in annotations, and in examples.
pub(crate) fn replaceable(bundle: &Bundle) -> Vec<ImageUse> {
    let mut uses = image_use::of_bundle(bundle);
    uses.extend(of_bundle(bundle));
    uses.extend(in_annotations(bundle));
    uses.extend(in_examples(bundle));
    uses
}

/// Returns the images that a bundle names, and those in annotations, where tools also look for images. An image that is
/// mentioned elsewhere might not exist.
pub(crate) fn with_annotations(bundle: &Bundle) -> Vec<ImageUse> {
    let mut uses = image_use::of_bundle(bundle);
    uses.extend(in_annotations(bundle).into_iter().filter(|used| used.name != EXAMPLES));
    uses
}

/// Returns the images in the annotations of the objects and the pod templates of a bundle.
fn in_annotations(bundle: &Bundle) -> Vec<ImageUse> {
    let mut uses = Vec::new();
    if let Some(olm) = &bundle.olm {
        uses.extend(in_map(olm, &Path::from("annotations")));
    }
    for object in &bundle.objects {
        uses.extend(of_annotations(bundle, object));
    }
    uses
}

/// Returns the images in the annotations of an object and its pod templates.
pub(crate) fn of_annotations(bundle: &Bundle, object: &Object) -> Vec<ImageUse> {
    let (document, root) = object.document();
    let mut uses = in_map(document, &root.key("metadata").key("annotations"));
    for template in pod_templates(bundle, object) {
        uses.extend(in_map(document, &template.key("metadata").key("annotations")));
    }
    uses
}

/// Returns the images in annotations. Each word of an annotation may be an image.
fn in_map(document: &Document, map: &Path) -> Vec<ImageUse> {
    let mut uses = Vec::new();
    let annotations = map.get(document.value()).and_then(Value::as_object);
    for (key, value) in annotations.into_iter().flatten() {
        let text = value.as_str().unwrap_or_default();
        for (start, word) in words(text, |letter| ANNOTATION_ENDS.contains(&letter)) {
            let (path, is_alone) = (map.key(key), word == text);
            uses.push(ImageUse::within(document, path, key, (start, word), is_alone));
        }
    }
    uses
}

/// Returns the images in the examples of custom resources.
pub(crate) fn in_examples(bundle: &Bundle) -> Vec<ImageUse> {
    let mut uses = Vec::new();
    let mut add = |document: &Document, annotations: &Path| {
        of_strings(document, &annotations.key(EXAMPLES), &mut uses);
    };
    if let Some(olm) = &bundle.olm {
        add(olm, &Path::from("annotations"));
    }
    for object in bundle.objects.iter().filter(|object| super::is_csv(object)) {
        let (document, root) = object.document();
        add(document, &root.key("metadata").key("annotations"));
    }
    uses.into_iter().map(ImageUse::in_example).collect()
}

/// Adds the images in the strings of a value.
fn of_strings(document: &Document, path: &Path, uses: &mut Vec<ImageUse>) {
    match path.get(document.value()) {
        Some(Value::String(text)) => of_words(document, path, text, uses),
        Some(Value::Array(items)) => {
            (0..items.len()).for_each(|index| of_strings(document, &path.index(index), uses));
        }
        Some(Value::Object(map)) => map.keys().for_each(|key| of_strings(document, &path.key(key), uses)),
        _ => {}
    }
}

/// Returns the images in arguments, variables, volumes and ConfigMaps that are neither container images nor related
/// images. Each image comes with all places that mention it. An index lists the images of containers, but not those of
/// volumes.
pub fn unlisted(bundle: &Bundle) -> Vec<Vec<ImageUse>> {
    let known: BTreeSet<String> = image_use::of_bundle(bundle)
        .into_iter()
        .filter(|used| used.is_container() || used.is_related())
        .map(|used| used.image)
        .collect();
    let mut missing: BTreeMap<String, Vec<ImageUse>> = BTreeMap::new();
    for used in of_bundle(bundle) {
        if !known.contains(&used.image) {
            missing.entry(used.image.clone()).or_default().push(used);
        }
    }
    missing.into_values().collect()
}

/// Like [`unlisted`], for the manifests of a `registry+v1` bundle, as an index contains them.
pub(crate) fn unlisted_in(manifests: &[&str]) -> BTreeSet<String> {
    let mut read = Manifests::default();
    for manifest in manifests {
        read.read_file("", manifest.as_bytes(), Layout::Flat, &Limits::default());
    }
    let missing = unlisted(&Bundle::of_manifests(read.objects));
    missing.into_iter().flatten().map(|used| used.image).collect()
}

/// Returns the images with tags that a bundle only mentions, also in examples, and that `pinned` does not contain, each
/// at its first place.
pub(crate) fn unpinned(bundle: &Bundle, pinned: &BTreeMap<String, String>) -> Vec<ImageUse> {
    let mut seen = BTreeSet::new();
    let mut uses = of_bundle(bundle);
    uses.extend(in_examples(bundle));
    uses.retain(|used| {
        let is_pinned = used.image.contains('@') || pinned.contains_key(&used.image);
        !is_pinned && seen.insert(used.image.clone())
    });
    uses
}

fn of_pod(document: &Document, pod: &Path, uses: &mut Vec<ImageUse>) {
    for field in CONTAINERS {
        let list = pod.key(field);
        for index in 0..length(document, &list) {
            let container = list.index(index);
            for field in ["command", "args"] {
                let words = container.key(field);
                for index in 0..length(document, &words) {
                    argument(document, words.index(index), uses);
                }
            }
            let variables = container.key("env");
            for index in 0..length(document, &variables) {
                let variable = variables.index(index);
                let name = text(document, &variable.key("name")).unwrap_or_default();
                let value = text(document, &variable.key("value")).unwrap_or_default();
                let is_meant = name.starts_with(RELATED_IMAGE) || name.ends_with(IMAGE_SUFFIX);
                let named = is_meant && value.contains(['/', ':', '@']) && reference(value).is_some();
                let path = variable.key("value");
                if named || written_out(value).is_some() {
                    let short = name.strip_prefix(RELATED_IMAGE).unwrap_or(name);
                    uses.push(ImageUse::within(document, path, short, (0, value), true));
                } else {
                    of_words(document, &path, value, uses);
                }
            }
        }
    }
    let volumes = pod.key("volumes");
    for index in 0..length(document, &volumes) {
        let volume = volumes.index(index);
        let path = volume.key("image").key("reference");
        if let Some(image) = text(document, &path).filter(|image| reference(image).is_some()) {
            let name = text(document, &volume.key("name")).unwrap_or_default();
            uses.push(ImageUse::within(document, path.clone(), name, (0, image), true));
        }
    }
}

/// Adds the images in an argument: the argument itself, the value of an option `--name=IMAGE`, or words within it.
fn argument(document: &Document, path: Path, uses: &mut Vec<ImageUse>) {
    let word = text(document, &path).unwrap_or_default();
    let (option, value) = match word.split_once('=') {
        Some((option, value)) if option.starts_with('-') => (option, value),
        _ => ("", word),
    };
    if written_out(value).is_some() {
        let start = word.len() - value.len();
        uses.push(ImageUse::within(document, path, option, (start, value), true));
    } else {
        of_words(document, &path, word, uses);
    }
}

/// Adds the images in the values of a ConfigMap, which are often entire files.
fn of_config_map(document: &Document, data: &Path, uses: &mut Vec<ImageUse>) {
    let Some(Value::Object(map)) = data.get(document.value()) else {
        return;
    };
    for (key, value) in map.iter().filter(|(key, _)| *key != DOCUMENTATION) {
        let Some(value) = value.as_str() else { continue };
        let path = data.key(key);
        if written_out(value).is_some() {
            uses.push(ImageUse::within(document, path, key, (0, value), true));
            continue;
        }
        of_words(document, &path, value, uses);
    }
}

/// Adds the images among the words of a longer text.
fn of_words(document: &Document, path: &Path, value: &str, uses: &mut Vec<ImageUse>) {
    for word in in_text(value) {
        uses.push(ImageUse::within(document, path.clone(), "", word, false));
    }
}

fn length(document: &Document, list: &Path) -> usize {
    list.get(document.value()).and_then(Value::as_array).map_or(0, Vec::len)
}

fn text<'a>(document: &'a Document, path: &Path) -> Option<&'a str> {
    path.get(document.value())?.as_str()
}

#[cfg(test)]
mod tests;
