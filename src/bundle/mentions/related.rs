//! Compares the related images of a bundle with the images that it uses: missing entries and outdated ones.

use super::{of_bundle, unlisted};
use crate::bundle::Bundle;
use crate::bundle::image_use::{self, ImageUse};
use crate::bundle::references::reference;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Returns the entries that are missing from the related images of a bundle. An image in a variable `RELATED_IMAGE_*`
/// is named after the variable, any other image after its first place.
pub fn missing_entries(bundle: &Bundle) -> Vec<Value> {
    let (related, others): (Vec<ImageUse>, Vec<ImageUse>) =
        image_use::of_bundle(bundle).into_iter().partition(ImageUse::is_related);
    let mut variables: BTreeMap<&str, &ImageUse> = BTreeMap::new();
    for variable in others.iter().filter(|used| used.is_variable() && used.is_alone()) {
        variables.entry(&variable.image).or_insert(variable);
    }
    let missing = unlisted(bundle);
    let named = missing.iter().filter_map(|places| {
        let first = places.first()?;
        Some(variables.get(first.image.as_str()).copied().unwrap_or(first))
    });
    entries(named, related.into_iter().map(|related| related.name).collect())
}

/// Returns the entries for the variables `RELATED_IMAGE_*` that are missing from the related images of a bundle, each
/// named after its variable.
pub fn entries_of_variables(bundle: &Bundle) -> Vec<Value> {
    let (related, others): (Vec<ImageUse>, Vec<ImageUse>) =
        image_use::of_bundle(bundle).into_iter().partition(ImageUse::is_related);
    let mut listed: BTreeSet<String> = related.iter().map(|related| related.image.clone()).collect();
    let mut names: BTreeSet<String> = related.into_iter().map(|related| related.name).collect();
    let mut entries = Vec::new();
    for variable in others.into_iter().filter(ImageUse::is_variable) {
        if listed.insert(variable.image.clone()) {
            let name = free_name(variable.name.to_lowercase().replace('_', "-"), &mut names);
            entries.push(json!({"name": name, "image": variable.image}));
        }
    }
    entries
}

/// Returns entries of `relatedImages` for images. Each entry gets a name that is not among the `names` in use.
pub(super) fn entries<'u>(images: impl IntoIterator<Item = &'u ImageUse>, mut names: BTreeSet<String>) -> Vec<Value> {
    let mut entries = Vec::new();
    for used in images {
        let name = free_name(entry_name(used), &mut names);
        entries.push(json!({"name": name, "image": used.image}));
    }
    entries
}

/// Picks an unused name and adds it to `names`.
fn free_name(name: String, names: &mut BTreeSet<String>) -> String {
    let numbered = (2..).map(|number| format!("{name}-{number}"));
    let free = std::iter::once(name.clone())
        .chain(numbered)
        .find(|name| !names.contains(name));
    let name = free.unwrap_or(name);
    names.insert(name.clone());
    name
}

/// Returns the name for an image, such as `agent` for `AGENT_IMAGE`, `--agent-image` and `agent.image`.
fn entry_name(used: &ImageUse) -> String {
    let plain = |letter: char| {
        if letter.is_ascii_alphanumeric() {
            letter.to_ascii_lowercase()
        } else {
            '-'
        }
    };
    let name: String = used.name.chars().map(plain).collect();
    let name = name.trim_matches('-');
    let name = name.strip_suffix("-image").unwrap_or(name);
    if !name.is_empty() && name != "image" {
        return name.to_owned();
    }
    let repository = used.image.split('@').next().unwrap_or_default();
    let last = repository.rsplit('/').next().unwrap_or_default();
    last.split(':').next().unwrap_or_default().to_lowercase()
}

/// Returns the related images that seem outdated, each with the image that is used now. A related image seems outdated
/// if nothing in the bundle uses it, and the bundle uses another tag or digest of the same repository. Only a registry
/// knows the digest of a tag, so a tag never contradicts a digest.
pub fn outdated(bundle: &Bundle) -> Vec<(ImageUse, ImageUse)> {
    let (related, mut used): (Vec<ImageUse>, Vec<ImageUse>) =
        image_use::of_bundle(bundle).into_iter().partition(ImageUse::is_related);
    used.extend(of_bundle(bundle).into_iter().filter(ImageUse::is_alone));
    let listed: BTreeSet<&str> = related.iter().map(|entry| entry.image.as_str()).collect();
    let named: BTreeSet<&str> = used.iter().map(|one| one.image.as_str()).collect();
    let is_new = |one: &&ImageUse| one.is_alone() && !listed.contains(one.image.as_str());
    let new: Vec<&ImageUse> = used.iter().filter(is_new).collect();
    let stale = related.iter().filter(|entry| !named.contains(entry.image.as_str()));
    stale
        .filter_map(|entry| {
            let now = new.iter().find(|one| contradict(&entry.image, &one.image))?;
            Some((entry.clone(), (*now).clone()))
        })
        .collect()
}

/// Whether two images of the same repository have different tags, or different digests.
fn contradict(one: &str, other: &str) -> bool {
    let (Some(one), Some(other)) = (reference(one), reference(other)) else {
        return false;
    };
    let differ = match (one.digest(), other.digest()) {
        (Some(one), Some(other)) => one != other,
        _ => matches!((one.tag(), other.tag()), (Some(one), Some(other)) if one != other),
    };
    differ && (one.registry(), one.repository()) == (other.registry(), other.repository())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_different_tags_or_digests_contradict_each_other() {
        let digest = |letter: &str| format!("example.com/op@sha256:{}", letter.repeat(64));
        let one = "example.com/op:1";
        assert!(contradict(one, "example.com/op:2"));
        assert!(contradict(&digest("a"), &digest("b")));
        for (left, right) in [
            (one, &*digest("a")),
            (one, "example.com/other:2"),
            (one, "op:2"),
            (one, one),
        ] {
            assert!(!contradict(left, right), "{left} and {right}");
        }
    }
}
