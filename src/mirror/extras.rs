//! Extras, which belong to images without being part of them: signatures, attestations, software bills of materials and
//! other referrers.
//!
//! Extras are found in two ways. Older signing tools tag each extra with a name derived from the digest of its subject.
//! Newer tools specify the subject in the manifest of the extra, and either the registry or an image index under a
//! fallback tag lists the extras of each subject. Most images have no extras, so finding none is not an error.

use super::plan::{Extra, ExtraKind, ExtraVia};
use super::survey::{BYTES_LIMIT, Survey, Unsurveyed, of_document};
use crate::causes::with_causes;
use crate::concurrent;
use crate::image::{Digest, Document, ImageError, IndexEntry, Manifest, RegistryReference, Transports, fallback_tag};
use futures_util::StreamExt;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;

/// The suffixes of the tags that signing tools create, each with the kind of the tagged extra.
const SUFFIXES: [(&str, ExtraKind); 3] = [
    ("sig", ExtraKind::Signature),
    ("att", ExtraKind::Attestation),
    ("sbom", ExtraKind::Sbom),
];
/// The maximum depth to which referrers of referrers are followed.
const DEPTH: usize = 8;
/// The maximum number of manifests of extras in a repository, so that a registry cannot keep the program busy
/// indefinitely.
pub(super) const REFERRER_LIMIT: usize = 10_000;

/// A repository and the manifests in it whose extras are searched for.
#[derive(Debug, Clone)]
pub struct Subjects {
    /// The repository; its tag or digest is ignored.
    pub repository: RegistryReference,
    /// The manifests of images, and of the platform images in image indexes.
    pub digests: BTreeSet<Digest>,
}

/// The result of a search for extras.
#[derive(Debug, Default)]
pub struct Extras {
    /// The extras in the order of the repositories, sorted by subject and digest within each repository.
    pub found: Vec<FoundExtra>,
    /// The references whose extras could not be looked up, and the extras that could not be read, each with the reason.
    pub failed: Vec<(RegistryReference, Unlisted)>,
}

/// The reason why not all extras of a manifest are known.
#[derive(Debug)]
pub enum Unlisted {
    /// A request failed.
    Failed(ImageError),
    /// The registry lists the extra, but refuses access to it.
    Refused(ImageError),
    /// There are too many extras, they are too large together, or they refer to each other over too many levels.
    TooMany,
}

impl fmt::Display for Unlisted {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(error) | Self::Refused(error) => formatter.write_str(&with_causes(error)),
            Self::TooMany => write!(
                formatter,
                "the referrers in its repository exceed the limit of {DEPTH} levels, {REFERRER_LIMIT} manifests or {BYTES_LIMIT} \
                 bytes"
            ),
        }
    }
}

/// An extra that was found. Its manifest is not kept, because there can be thousands of large ones.
#[derive(Debug)]
pub struct FoundExtra {
    /// The description of the extra. Its size includes only the manifest.
    pub extra: Extra,
    /// The reference of the manifest, by digest.
    pub reference: RegistryReference,
    /// The content of the extra, or the reason why it cannot be surveyed.
    pub content: Result<Survey, Unsurveyed>,
}

/// Searches registries for the extras of images, `parallel` repositories at a time.
pub async fn find(transports: &Transports, subjects: Vec<Subjects>, parallel: usize) -> Extras {
    let mut searches = concurrent::in_order(subjects, parallel, |subjects| search(transports, subjects));
    let mut extras = Extras::default();
    while let Some(found) = searches.next().await {
        extras.found.extend(found.found);
        extras.failed.extend(found.failed);
    }
    extras
}

async fn search(transports: &Transports, subjects: Subjects) -> Extras {
    let Subjects { repository, digests } = subjects;
    let mut search = Search {
        transports,
        repository,
        tags: None,
        found: BTreeMap::new(),
        manifests: 0,
        bytes: 0,
        failed: Vec::new(),
    };
    search.tags = match transports.tags(&search.repository).await {
        // If the registry does not list tags, the possible tags of each image are requested.
        Ok(tags) => tags,
        // If a registry fails, do not send it another request for each image.
        Err(error) => {
            search.failed.push((search.repository.clone(), Unlisted::Failed(error)));
            return search.extras();
        }
    };
    let mut waiting: VecDeque<(Digest, usize)> = digests.iter().map(|digest| (*digest, 0)).collect();
    let mut seen = digests;
    while let Some((subject, depth)) = waiting.pop_front() {
        if let Err(error) = search.of(subject, depth == 0).await {
            let reference = search.repository.with_digest(&subject);
            search.failed.push((reference, Unlisted::Failed(error)));
        }
        if search.is_full() {
            let reference = search.repository.with_digest(&subject);
            search.failed.push((reference, Unlisted::TooMany));
            break;
        }
        let new = search.found.keys().filter(|(about, _)| *about == subject);
        let new: Vec<Digest> = new
            .map(|(_, digest)| *digest)
            .filter(|digest| seen.insert(*digest))
            .collect();
        if new.is_empty() {
            continue;
        }
        if depth == DEPTH {
            let reference = search.repository.with_digest(&subject);
            search.failed.push((reference, Unlisted::TooMany));
            continue;
        }
        waiting.extend(new.into_iter().map(|digest| (digest, depth + 1)));
    }
    search.extras()
}

/// A search in a repository.
struct Search<'a> {
    transports: &'a Transports,
    repository: RegistryReference,
    tags: Option<BTreeSet<String>>,
    /// The extras found, by subject and digest.
    found: BTreeMap<(Digest, Digest), FoundExtra>,
    /// The number of manifests of the extras.
    manifests: usize,
    /// The total size of these manifests.
    bytes: u64,
    failed: Vec<(RegistryReference, Unlisted)>,
}

impl Search<'_> {
    fn extras(self) -> Extras {
        Extras {
            found: self.found.into_values().collect(),
            failed: self.failed,
        }
    }

    /// Whether the extras exceed a limit.
    fn is_full(&self) -> bool {
        self.manifests > REFERRER_LIMIT || self.bytes > BYTES_LIMIT
    }

    /// Searches for the extras of a manifest. If the registry does not list tags, the tags of extras are guessed, but
    /// only for images.
    async fn of(&mut self, subject: Digest, is_image: bool) -> Result<(), ImageError> {
        for (suffix, kind) in SUFFIXES {
            let tag = format!("{}.{suffix}", fallback_tag(&subject));
            if let Some(document) = self.under(&tag, is_image).await? {
                let artifact_type = artifact_type(&document);
                self.add(subject, kind, ExtraVia::Tag, artifact_type, Some(tag), document)
                    .await;
            }
        }
        let entries = self.referrers(subject, is_image).await?;
        for entry in entries {
            if self.is_full() {
                break;
            }
            let reference = self.repository.with_digest(&entry.descriptor.digest);
            let Some(document) = self.listed(reference).await? else {
                continue;
            };
            // A list may contain unrelated entries, so check the subject in the manifest itself.
            if document.subject() == Some(subject) {
                let artifact_type = entry.artifact_type.or_else(|| artifact_type(&document));
                let kind = artifact_type.as_deref().map_or(ExtraKind::Referrer, kind_of);
                self.add(subject, kind, ExtraVia::Referrers, artifact_type, None, document)
                    .await;
            }
        }
        Ok(())
    }

    async fn referrers(&mut self, subject: Digest, is_image: bool) -> Result<Vec<IndexEntry>, ImageError> {
        let reference = self.repository.with_digest(&subject);
        match self.transports.referrers(&reference).await {
            Ok(Some(entries)) => return Ok(entries),
            Ok(None) => {}
            // Some registries refuse access instead of reporting that they do not support the request.
            Err(error) if error.is_login() => {}
            Err(error) => return Err(error),
        }
        let document = self.under(&fallback_tag(&subject), is_image).await?;
        Ok(match document.map(|document| document.manifest()) {
            Some(Ok(Manifest::Index(entries))) => entries,
            _ => Vec::new(),
        })
    }

    /// Returns the manifest under a tag. If the registry does not list tags, it is requested only if `guess` is set,
    /// and counts as absent if it is refused: some registries refuse access to tags that do not exist.
    async fn under(&mut self, tag: &str, guess: bool) -> Result<Option<Document>, ImageError> {
        let reference = self.repository.with_tag(tag)?;
        match &self.tags {
            Some(tags) if tags.contains(tag) => self.listed(reference).await,
            None if guess => self.transports.find(&reference).await,
            _ => Ok(None),
        }
    }

    /// Returns a manifest that the registry lists, or `None` if it does not exist. A refusal is recorded.
    async fn listed(&mut self, reference: RegistryReference) -> Result<Option<Document>, ImageError> {
        match self.transports.lookup(&reference).await {
            Err(error) if error.is_refusal() => {
                self.failed.push((reference, Unlisted::Refused(error)));
                Ok(None)
            }
            found => found,
        }
    }

    async fn add(
        &mut self,
        subject: Digest,
        kind: ExtraKind,
        via: ExtraVia,
        artifact_type: Option<String>,
        tag: Option<String>,
        document: Document,
    ) {
        let descriptor = document.descriptor.clone();
        // A registry may also list an extra that is tagged.
        if let Some(known) = self.found.get_mut(&(subject, descriptor.digest)) {
            known.extra.via = via;
            return;
        }
        let content = of_document(self.transports, document, &self.repository).await;
        let manifests = content.iter().flat_map(|survey| survey.manifests.values());
        let (count, bytes) = manifests.fold((0, 0), |(count, bytes), found| (count + 1, bytes + found.bytes));
        self.manifests += count.max(1);
        self.bytes += bytes.max(descriptor.size);
        if self.is_full() {
            return;
        }
        let found = FoundExtra {
            extra: Extra {
                subject,
                digest: descriptor.digest,
                kind,
                via,
                artifact_type,
                tag,
                bytes: descriptor.size,
            },
            reference: self.repository.with_digest(&descriptor.digest),
            content,
        };
        self.found.insert((subject, descriptor.digest), found);
    }
}

/// Returns the artifact type in a manifest.
fn artifact_type(document: &Document) -> Option<String> {
    match document.manifest() {
        Ok(Manifest::Image(manifest)) => Some(manifest.artifact_type.unwrap_or(manifest.config.media_type)),
        _ => None,
    }
}

/// Returns the kind of an extra with this artifact type.
fn kind_of(artifact_type: &str) -> ExtraKind {
    let has = |words: &[&str]| words.iter().any(|word| artifact_type.contains(word));
    if has(&["spdx", "cyclonedx", "syft", "sbom"]) {
        ExtraKind::Sbom
    } else if has(&["in-toto", "artifact.att", "attestation"]) {
        ExtraKind::Attestation
    } else if has(&["sigstore.bundle", "notary.signature", "artifact.sig", "simplesigning"]) {
        ExtraKind::Signature
    } else {
        ExtraKind::Referrer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn artifacts_are_recognized_by_their_types() {
        for (artifact_type, kind) in [
            ("application/vnd.dev.sigstore.bundle.v0.3+json", ExtraKind::Signature),
            ("application/vnd.cncf.notary.signature", ExtraKind::Signature),
            ("application/vnd.in-toto+json", ExtraKind::Attestation),
            ("application/spdx+json", ExtraKind::Sbom),
            ("application/vnd.cyclonedx+json", ExtraKind::Sbom),
            ("application/vnd.example.scan", ExtraKind::Referrer),
        ] {
            assert_eq!(kind_of(artifact_type), kind, "{artifact_type}");
        }
    }
}
