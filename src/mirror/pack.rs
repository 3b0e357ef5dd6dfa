//! Writes the content of plans to archives, and loads archives into registries.

use super::archive::{Archive, ArchiveError, ArchiveOptions, begin};
use super::check::is_below;
use super::copy_work::{CopyResult, CopyState, Holdings, Packing, content, packed};
use super::placed::{PlacedError, placed, spread};
use super::plan::Plan;
use super::reach::reach;
use super::request::{Naming, Place as Wanted};
use super::transfer::{TransferError, TransferOptions, transfer_placed};
use crate::concurrent;
use crate::files::{self, FileError};
use crate::image::copy::{CopyOptions, Moved, Place};
use crate::image::volumes::fill;
use crate::image::{Descriptor, Digest, ImageError, ReferenceError, RegistryReference, Transports};
use futures_util::StreamExt;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// An error while writing or loading an archive.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PackError {
    /// An archive cannot be written or read.
    #[error(transparent)]
    Archive(Box<ArchiveError>),
    /// Content cannot be written.
    #[error(transparent)]
    Image(#[from] ImageError),
    /// A name in the plan is invalid.
    #[error("the plan has an invalid repository name")]
    Name(#[from] ReferenceError),
    /// The result cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The images have no destinations at a target.
    #[error(transparent)]
    Placed(#[from] PlacedError),
    /// No content was copied.
    #[error(transparent)]
    Transfer(#[from] TransferError),
    /// Blobs of the base archive are missing at the target.
    #[error("{target} is missing {count} {} {digest}", blobs_of_base(*count))]
    Base {
        /// The target.
        target: String,
        /// The number of missing blobs.
        count: usize,
        /// An example of a missing blob.
        digest: Digest,
    },
}

/// Introduces the example in the message about missing blobs.
fn blobs_of_base(count: usize) -> &'static str {
    match count {
        1 => "blob of the base archive:",
        _ => "blobs of the base archive, for example",
    }
}

impl From<ArchiveError> for PackError {
    fn from(error: ArchiveError) -> Self {
        Self::Archive(Box::new(error))
    }
}

/// Writes the content of a plan to an archive. Unreadable content is omitted, and the archive records the reason.
///
/// # Errors
/// Returns an error if the archive cannot be written, or another archive has the same name.
pub async fn pack(
    plan: &Plan,
    holdings: &dyn Holdings,
    source: &Transports,
    archive: &ArchiveOptions<'_>,
    options: &CopyOptions<'_>,
    result: &Path,
) -> Result<CopyResult, PackError> {
    let (to, digest) = (archive.folder.display().to_string(), Digest::of(&plan.to_bytes()));
    let (mut missing, mut moved) = (BTreeMap::new(), Moved::default());
    let mut added = BTreeSet::new();
    if let Some(new) = begin(plan, archive)? {
        let copy = content(plan, holdings)?;
        let there = new.present()?;
        missing = fill(&new.writer, &copy, &new.wanted, &there, source, options).await?;
        let arrived = new
            .wanted
            .iter()
            .filter(|(digest, _)| !there.contains(digest) && !missing.contains_key(digest));
        let blobs = arrived.filter(|(digest, _)| copy.blobs.contains_key(digest));
        added.extend(new.wanted.keys().filter(|digest| !there.contains(digest)));
        (moved.sent, moved.bytes_sent) = blobs.fold((0, 0), |(sent, all), (_, bytes)| (sent + 1, all + bytes));
        new.finish(missing.clone())?;
    }
    let packed = packed(plan, digest, to, &Packing { added, missing }, moved);
    files::write(result, &packed.to_bytes())?;
    Ok(packed)
}

/// The content of an archive, and the content of its base archives at the target.
struct Volumes<'a> {
    archive: &'a Archive,
    at_target: BTreeMap<Digest, RegistryReference>,
}

impl Holdings for Volumes<'_> {
    fn places(&self, stored: &Descriptor, _sources: &BTreeSet<String>) -> Result<Vec<Place>, ReferenceError> {
        let held = self.archive.volumes.blob(&stored.digest, stored.size).map(Place::Held);
        let there = self.at_target.get(&stored.digest).cloned().map(Place::Target);
        Ok(held.into_iter().chain(there).collect())
    }
}

/// Copies a verified archive to a registry. No other servers are contacted.
///
/// # Errors
/// Returns an error in the same cases as [`transfer`](super::transfer::transfer), or if blobs of the base archive are
/// missing at the target.
pub async fn load(
    mut archive: Archive,
    target: &Transports,
    options: &TransferOptions<'_>,
) -> Result<CopyResult, PackError> {
    // A plan may be large, so there is only one in memory.
    let plan = std::mem::replace(&mut archive.plan, Plan::empty(None));
    archive.plan = placed(plan, options.naming)?;
    // The plan may state any repositories, but blobs may be mounted only from those that it copies images to.
    spread(&mut archive.plan);
    reach(&archive.plan, target).await.map_err(TransferError::Target)?;
    let at_target = at_target(&archive, target, options).await?;
    let holdings = Volumes {
        archive: &archive,
        at_target,
    };
    let mut result = transfer_placed(&archive.plan, &holdings, target, target, options).await?;
    let mut is_explained = false;
    for item in result.items.iter_mut().filter(|item| item.state == CopyState::Failed) {
        if let Some(reason) = archive.lack_of(item.digest) {
            item.why = Some(format!("the archive lacks a part of it: {reason}"));
            is_explained = true;
        }
    }
    if is_explained {
        files::write(&options.result, &result.to_bytes())?;
    }
    Ok(result)
}

/// Returns the repositories at the target that contain the blobs of the base archives. Only repositories below the
/// target of the plan are considered: the list of an archive may come from someone who cannot read the other ones.
async fn at_target(
    archive: &Archive,
    target: &Transports,
    options: &TransferOptions<'_>,
) -> Result<BTreeMap<Digest, RegistryReference>, PackError> {
    let plan = &archive.plan;
    let top = plan.to.as_deref().unwrap_or_default();
    let host = top.split('/').next().unwrap_or_default();
    let omitted = archive.list.omitted.iter();
    let needed = omitted.filter_map(|(digest, sources)| Some((digest, sources, plan.blobs.get(digest)?)));
    let mut looks = concurrent::in_order(needed, options.concurrency, |(digest, sources, blob)| async move {
        let mut candidates: BTreeSet<String> = blob.repositories.iter().map(|path| format!("{host}/{path}")).collect();
        candidates.extend(sources.iter().filter_map(|source| named(source, host, options.naming)));
        candidates.retain(|candidate| is_below(candidate, top));
        for candidate in candidates {
            let reference = RegistryReference::of_repository(&candidate)?;
            if target.has_blob(&reference, digest, None).await? {
                return Ok((*digest, Some(reference)));
            }
        }
        Ok::<_, PackError>((*digest, None))
    });
    let (mut found, mut absent) = (BTreeMap::new(), Vec::new());
    while let Some(look) = looks.next().await {
        match look? {
            (digest, Some(reference)) => drop(found.insert(digest, reference)),
            (digest, None) => absent.push(digest),
        }
    }
    match absent.first() {
        None => Ok(found),
        Some(digest) => Err(PackError::Base {
            target: plan.to.clone().unwrap_or_default(),
            count: absent.len(),
            digest: *digest,
        }),
    }
}

/// Returns the name of a repository at the target. A repository that is already at the target keeps its name.
fn named(repository: &str, host: &str, naming: Option<&Naming>) -> Option<String> {
    let reference = RegistryReference::of_repository(repository).ok()?;
    if reference.registry() == host {
        return Some(reference.full_repository());
    }
    Some(naming?.repository(&reference, &Wanted::default()))
}
