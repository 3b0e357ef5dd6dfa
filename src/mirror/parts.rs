//! Finds the manifests that image indexes at the target list, directly or through other image indexes.

use super::plan::Plan;
use crate::concurrent;
use crate::image::{Digest, ImageError, Manifest, RegistryReference, Transports};
use futures_util::TryStreamExt;
use std::collections::{BTreeMap, BTreeSet};

/// The manifests behind tags, each with the tags.
pub(super) type Tagged = BTreeMap<Digest, BTreeSet<String>>;

/// The entries of an image index, and whether each may be an image index itself.
type Entries = Vec<(Digest, bool)>;

/// Returns the manifests that the manifests in `tagged` list. A plan already says what its own manifests list; others
/// are read from the repository, each at most once.
pub(super) async fn parts(
    plan: &Plan,
    repository: &RegistryReference,
    tagged: Tagged,
    target: &Transports,
    parallel: usize,
) -> Result<Tagged, ImageError> {
    let mut parts = Tagged::new();
    let mut seen: BTreeSet<Digest> = tagged.keys().copied().collect();
    let mut level = tagged;
    while !level.is_empty() {
        let looks = concurrent::unordered(level, parallel, |(digest, tags)| async move {
            let listed = match plan.manifests.get(&digest) {
                Some(manifest) => manifest.manifests.iter().map(|digest| (*digest, true)).collect(),
                None => listed(&repository.with_digest(&digest), target).await?,
            };
            Ok::<_, ImageError>((listed, tags))
        });
        let listed: Vec<(Entries, BTreeSet<String>)> = looks.try_collect().await?;
        level = Tagged::new();
        for (listed, tags) in listed {
            for (digest, may_list) in listed {
                parts.entry(digest).or_default().extend(tags.iter().cloned());
                if may_list && (level.contains_key(&digest) || seen.insert(digest)) {
                    level.entry(digest).or_default().extend(tags.iter().cloned());
                }
            }
        }
    }
    Ok(parts)
}

/// Returns the entries of an image index. Other manifests, and manifests that the repository does not contain, have no
/// entries.
async fn listed(reference: &RegistryReference, target: &Transports) -> Result<Entries, ImageError> {
    let Some(document) = target.lookup(reference).await? else {
        return Ok(Vec::new());
    };
    let manifest = document.manifest();
    Ok(
        match manifest.map_err(|problem| problem.of(reference.to_string(), "the manifest"))? {
            Manifest::Image(_) => Vec::new(),
            Manifest::Index(entries) => {
                let entries = entries.into_iter().map(|entry| entry.descriptor);
                entries.map(|entry| (entry.digest, !entry.is_single_image())).collect()
            }
        },
    )
}
