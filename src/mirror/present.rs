//! Determines how much content of a plan is already at its target.

use super::plan::Plan;
use super::reach::reach;
use crate::concurrent;
use crate::image::{Digest, ImageError, Reference, RegistryReference, TagState, Transports};
use futures_util::TryStreamExt;
use std::collections::{BTreeMap, BTreeSet};

/// A manifest or blob in a plan.
struct Content<'p> {
    digest: Digest,
    bytes: u64,
    is_manifest: bool,
    /// The repositories of the content at the target, including the registry.
    repositories: BTreeSet<&'p str>,
}

/// Returns the total size in bytes of the manifests and blobs of a plan that are already in one of their repositories
/// at the target. Their existence is checked, but their content is not read.
///
/// # Errors
/// Returns an error if a name in the plan is invalid, or a request to the target fails.
pub async fn bytes_present(plan: &Plan, target: &Transports, parallel: usize) -> Result<u64, ImageError> {
    reach(plan, target).await?;
    let there = concurrent::unordered(contents(plan), parallel, |content| async move {
        let is_there = is_there(&content, target).await?;
        Ok::<u64, ImageError>(if is_there { content.bytes } else { 0 })
    });
    there.try_fold(0, async |sum, bytes| Ok(sum + bytes)).await
}

fn contents(plan: &Plan) -> Vec<Content<'_>> {
    let mut contents: BTreeMap<(bool, Digest), Content<'_>> = BTreeMap::new();
    for image in &plan.images {
        let Some(repository) = &image.destination else { continue };
        let mut add = |is_manifest, digest, bytes| {
            let content = contents.entry((is_manifest, digest)).or_insert(Content {
                digest,
                bytes,
                is_manifest,
                repositories: BTreeSet::new(),
            });
            content.repositories.insert(repository);
        };
        for digest in plan.all_behind(image) {
            let Some(manifest) = plan.manifests.get(&digest) else {
                continue;
            };
            add(true, digest, manifest.bytes);
            for blob in &manifest.blobs {
                add(false, *blob, plan.blobs.get(blob).map_or(0, |blob| blob.bytes));
            }
        }
    }
    contents.into_values().collect()
}

async fn is_there(content: &Content<'_>, target: &Transports) -> Result<bool, ImageError> {
    for name in &content.repositories {
        let repository = RegistryReference::of_repository(name)?;
        let found = if content.is_manifest {
            let reference = Reference::Registry(repository.with_digest(&content.digest));
            target.state(&reference).await? != TagState::Absent
        } else {
            target.has_blob(&repository, &content.digest, None).await?
        };
        if found {
            return Ok(true);
        }
    }
    Ok(false)
}
