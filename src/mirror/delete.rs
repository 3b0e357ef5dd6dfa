//! Deletes the content of a plan from a registry, except content that other plans need.

use super::parts::{Tagged, parts};
use super::plan::{ExtraVia, ExtrasByDigest, Plan};
use super::reach::reach;
use crate::causes::with_causes;
use crate::concurrent;
use crate::image::copy::{ListChange, ListEdit, change_lists};
use crate::image::{Deletion, Digest, ImageError, Reference, RegistryReference, TagState, Transports, fallback_tag};
use futures_util::{StreamExt, TryStreamExt};
use serde::Serialize;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// A manifest to delete.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Doomed {
    /// The repository of the manifest, including the registry.
    pub repository: String,
    /// The digest of the manifest.
    pub digest: Digest,
    /// The tags of the manifest in the plan, except those that belong to another manifest in a kept plan.
    pub tags: BTreeSet<String>,
}

/// The result of deleting a manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Gone {
    /// The manifest was deleted.
    Deleted,
    /// The manifest did not exist.
    Absent,
    /// The manifest could not be deleted; contains the reason.
    Failed(String),
}

/// Returns the manifests of a plan that are not in any kept plan: neither as an image, nor within an image index, nor
/// as a referrer. Each manifest precedes the manifests that it references. All plans must have the same target.
pub fn doomed(plan: &Plan, kept: &[Plan]) -> Vec<Doomed> {
    let mut keep: BTreeSet<(&str, Digest)> = BTreeSet::new();
    let moved = tags_of(kept);
    let is_moved = |repository: &str, tag: &str| moved.get(repository).is_some_and(|tags| tags.contains(tag));
    for image in kept
        .iter()
        .flat_map(|plan| plan.images.iter().map(move |image| (plan, image)))
    {
        let (plan, image) = image;
        if let Some(repository) = &image.destination {
            keep.extend(
                plan.all_behind(image)
                    .into_iter()
                    .map(|digest| (repository.as_str(), digest)),
            );
        }
    }
    let mut tags: BTreeMap<(&str, Digest), BTreeSet<String>> = BTreeMap::new();
    let mut doomed: Vec<(&str, Digest)> = Vec::new();
    let extras = ExtrasByDigest::of(plan);
    for image in &plan.images {
        let Some(repository) = image.destination.as_deref() else {
            continue;
        };
        tags.entry((repository, image.digest))
            .or_default()
            .extend(image.tags.iter().filter(|tag| !is_moved(repository, tag)).cloned());
        for extra in extras.of_image(image) {
            let known = tags.entry((repository, extra.digest)).or_default();
            known.extend(extra.tag.iter().filter(|tag| !is_moved(repository, tag)).cloned());
        }
        // Delete top down: an index before its images, and a referrer before its subject.
        let behind = plan.all_behind(image).into_iter().rev();
        doomed.extend(
            behind
                .map(|digest| (repository, digest))
                .filter(|pair| !keep.contains(pair)),
        );
    }
    let mut seen = BTreeSet::new();
    let new = doomed.into_iter().filter(|pair| seen.insert(*pair));
    new.map(|(repository, digest)| Doomed {
        repository: repository.to_owned(),
        digest,
        tags: tags.remove(&(repository, digest)).unwrap_or_default(),
    })
    .collect()
}

/// Returns the catalogs that the kept plans contain but the target does not. A kept plan whose catalog is missing is
/// useless at the target.
///
/// # Errors
/// Returns an error if a name is not valid, or a request to the registry fails.
pub async fn missing_catalogs(kept: &[Plan], target: &Transports) -> Result<Vec<String>, ImageError> {
    let mut missing = Vec::new();
    for plan in kept {
        for catalog in &plan.catalogs {
            let image = plan.images.iter().find(|image| image.digest == catalog.digest_after);
            let Some(repository) = image.and_then(|image| image.destination.as_deref()) else {
                continue;
            };
            let reference = RegistryReference::of_repository(repository)?.with_digest(&catalog.digest_after);
            if target.state(&Reference::Registry(reference)).await? == TagState::Absent {
                missing.push(catalog.destination.clone().unwrap_or_else(|| repository.to_owned()));
            }
        }
    }
    Ok(missing)
}

/// The number of tags or manifests that are looked up at once, and of repositories from which manifests are deleted.
const PARALLEL: usize = 8;

/// Tags that refer to manifests to delete, but do not belong to the plan alone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OtherTags {
    /// The tags, by repository and digest.
    pub found: BTreeMap<(String, Digest), BTreeSet<String>>,
    /// The manifests among them that have tags of kept plans. Another plan with the same target has moved these tags.
    pub of_kept: BTreeSet<(String, Digest)>,
    /// The tags of image indexes that list manifests to delete, by the repository and digest of these manifests.
    pub parts: BTreeMap<(String, Digest), BTreeSet<String>>,
    /// The repositories whose tags the registry does not list.
    pub unlisted: BTreeSet<String>,
    /// The repositories that do not exist, or are empty.
    pub new: BTreeSet<String>,
}

/// Looks for tags that refer to manifests to delete, but are in no plan or in a kept one. Deleting a manifest also
/// removes these tags. If `with_parts` is set, also looks for such tags of image indexes that list manifests to delete,
/// directly or indirectly. Deleting these manifests would leave the image indexes incomplete.
///
/// # Errors
/// Returns an error if a name is not valid, a request to the registry fails, or a tag refers to something other than a
/// manifest or image index.
pub async fn other_tags(
    plan: &Plan,
    kept: &[Plan],
    doomed: &[Doomed],
    target: &Transports,
    with_parts: bool,
) -> Result<OtherTags, ImageError> {
    reach(plan, target).await?;
    let own = tags_of(std::slice::from_ref(plan));
    let kept = tags_of(kept);
    let mut digests: BTreeMap<&str, BTreeSet<Digest>> = BTreeMap::new();
    for Doomed { repository, digest, .. } in doomed {
        digests.entry(repository).or_default().insert(*digest);
    }
    // These tags are lists of referrers, from which the deletion removes the deleted referrers.
    let listed = plan.extras.iter().filter(|extra| extra.via == ExtraVia::Referrers);
    let lists: BTreeSet<String> = listed.map(|extra| fallback_tag(&extra.subject)).collect();
    let mut other = OtherTags::default();
    for (repository, digests) in digests {
        let reference = RegistryReference::of_repository(repository)?;
        if target.is_new(&reference).await? {
            other.new.insert(repository.to_owned());
            continue;
        }
        let tags = target.tags(&reference).await?.unwrap_or_else(|| {
            other.unlisted.insert(repository.to_owned());
            let kept = kept.get(repository).into_iter().flatten();
            kept.map(|tag| (*tag).to_owned()).collect()
        });
        let is_of = |tags: &TagsOf<'_>, tag: &str| tags.get(repository).is_some_and(|tags| tags.contains(tag));
        let tags = tags
            .into_iter()
            .filter(|tag| (is_of(&kept, tag) || !is_of(&own, tag)) && !lists.contains(tag));
        let reference = &reference;
        let looks = concurrent::in_order(tags, PARALLEL, |tag| async move {
            let state = target.state(&Reference::Registry(reference.with_tag(&tag)?)).await?;
            Ok::<_, ImageError>((tag, state))
        });
        let states: Vec<(String, TagState)> = looks.try_collect().await?;
        let mut tagged = Tagged::new();
        for (tag, state) in states {
            if let Some(digest) = state.digest() {
                if is_of(&kept, &tag) && digests.contains(&digest) {
                    other.of_kept.insert((repository.to_owned(), digest));
                }
                tagged.entry(digest).or_default().insert(tag);
            }
        }
        let named = |(digest, tags): (&Digest, &BTreeSet<String>)| {
            let is_doomed = digests.contains(digest);
            is_doomed.then(|| ((repository.to_owned(), *digest), tags.clone()))
        };
        other.found.extend(tagged.iter().filter_map(named));
        if with_parts {
            let parts = parts(plan, reference, tagged, target, PARALLEL).await?;
            other.parts.extend(parts.iter().filter_map(named));
        }
    }
    Ok(other)
}

/// The tags of plans, by repository.
type TagsOf<'p> = BTreeMap<&'p str, BTreeSet<&'p str>>;

fn tags_of(plans: &[Plan]) -> TagsOf<'_> {
    let mut all = TagsOf::new();
    for plan in plans {
        let extras = ExtrasByDigest::of(plan);
        for image in &plan.images {
            let Some(repository) = image.destination.as_deref() else {
                continue;
            };
            let tags = all.entry(repository).or_default();
            tags.extend(extras.of_image(image).filter_map(|extra| extra.tag.as_deref()));
            tags.extend(image.tags.iter().map(String::as_str));
        }
    }
    all
}

/// Splits the manifests to delete into those that can be deleted and those that are spared. A manifest is spared if it
/// has tags of kept plans or, unless `only_kept` is set, other tags; if a spared manifest or an image index with other
/// tags references it; or if it is a referrer of a spared manifest.
pub fn spare(plan: &Plan, doomed: Vec<Doomed>, other: &OtherTags, only_kept: bool) -> (Vec<Doomed>, Vec<Doomed>) {
    let mut spared: BTreeMap<&str, BTreeSet<Digest>> = BTreeMap::new();
    let found = other.found.keys().chain(other.parts.keys());
    let mut waiting: Vec<(&str, Digest)> = found
        .filter(|manifest| !only_kept || other.of_kept.contains(manifest))
        .map(|(name, digest)| (name.as_str(), *digest))
        .collect();
    while let Some((repository, digest)) = waiting.pop() {
        let mut behind = Vec::new();
        plan.behind(digest, spared.entry(repository).or_default(), &mut behind);
        let extras = plan.extras.iter().filter(|extra| behind.contains(&extra.subject));
        waiting.extend(extras.map(|extra| (repository, extra.digest)));
    }
    let is_spared = |one: &Doomed| {
        let spared = spared.get(one.repository.as_str());
        spared.is_some_and(|spared| spared.contains(&one.digest))
    };
    doomed.into_iter().partition(|one| !is_spared(one))
}

/// Returns whether each of these manifests is absent from its repository, in the same order.
///
/// # Errors
/// Returns an error if a name is not valid, or a request to the registry fails.
pub async fn absent(doomed: &[Doomed], target: &Transports) -> Result<Vec<bool>, ImageError> {
    let looks = concurrent::in_order(doomed, PARALLEL, |one| async move {
        let reference = RegistryReference::of_repository(&one.repository)?.with_digest(&one.digest);
        let state = target.state(&Reference::Registry(reference)).await?;
        Ok::<_, ImageError>(state == TagState::Absent)
    });
    looks.try_collect().await
}

/// Manifests of a repository, each with its position among all manifests to delete.
type Positioned = Vec<(usize, Digest)>;

/// The result of a deletion.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Deleted {
    /// The result for each manifest, in the order of the manifests.
    pub gone: Vec<Gone>,
    /// The lists of referrers that could not be changed, each with the reason.
    pub problems: Vec<String>,
}

/// Deletes manifests from their registry, and removes them from the lists of referrers that contain them.
///
/// # Errors
/// Returns an error if a name is not valid, or the registry cannot be reached. If the registry refuses to delete a
/// manifest, the result for that manifest says so.
pub async fn delete(plan: &Plan, doomed: &[Doomed], target: &Transports) -> Result<Deleted, ImageError> {
    reach(plan, target).await?;
    // After the first deletion, an error must not hide what was deleted.
    let mut repositories: BTreeMap<&str, (RegistryReference, Positioned)> = BTreeMap::new();
    for (place, Doomed { repository, digest, .. }) in doomed.iter().enumerate() {
        let (_, manifests) = match repositories.entry(repository) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert((RegistryReference::of_repository(repository)?, Vec::new())),
        };
        manifests.push((place, *digest));
    }
    let deletions = concurrent::in_order(repositories.values(), PARALLEL, |(repository, manifests)| async move {
        let mut gone = Vec::new();
        for (place, digest) in manifests {
            gone.push((*place, *digest, one(target, &repository.with_digest(digest)).await));
        }
        (repository, gone)
    });
    let deletions: Vec<_> = deletions.collect().await;
    let absent = deletions.iter().map(|(repository, gone)| {
        let absent = gone.iter().filter(|(_, _, gone)| !matches!(gone, Gone::Failed(_)));
        (*repository, absent.map(|(_, digest, _)| *digest).collect())
    });
    let absent: Vec<(&RegistryReference, BTreeSet<Digest>)> = absent.collect();
    let mut changes = Vec::new();
    for (repository, absent) in &absent {
        let listed = plan.extras.iter().filter(|extra| extra.via == ExtraVia::Referrers);
        let listed = listed.filter(|extra| absent.contains(&extra.digest));
        let subjects: BTreeSet<Digest> = listed.map(|extra| extra.subject).collect();
        changes.extend(subjects.into_iter().map(|subject| ListChange {
            repository,
            subject,
            edit: ListEdit::Remove(absent),
        }));
    }
    let failed = change_lists(target, &changes).await;
    let problem = |(change, why): (&ListChange<'_>, String)| {
        let (registry, repository) = (change.repository.registry(), change.repository.repository());
        let subject = change.subject;
        format!("the list of the referrers of {registry}/{repository}@{subject} cannot be changed: {why}")
    };
    let problems = failed.into_iter().map(problem).collect();
    let gone = deletions.into_iter().flat_map(|(_, gone)| gone);
    let gone: BTreeMap<usize, Gone> = gone.map(|(place, _, gone)| (place, gone)).collect();
    Ok(Deleted {
        gone: gone.into_values().collect(),
        problems,
    })
}

async fn one(target: &Transports, reference: &RegistryReference) -> Gone {
    match target.delete_manifest(reference).await {
        Ok(Deletion::Done) => Gone::Deleted,
        Ok(Deletion::Absent) => Gone::Absent,
        Ok(Deletion::Unsupported) => Gone::Failed("the registry does not allow deletion".to_owned()),
        Err(error) => Gone::Failed(with_causes(&error)),
    }
}
