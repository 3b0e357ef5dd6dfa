//! Surveys the content of images: reads their manifests, and lists the referenced blobs.
//!
//! Only manifests are read. A manifest is read once for each image that contains it.

use super::plan::{PlannedBlob, PlannedManifest};
use crate::concurrent;
use crate::image::{
    ContentProblem, Digest, Document, ImageError, IndexEntry, Manifest, Platform, Reference, RegistryReference,
    Transports,
};
use futures_util::StreamExt;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// The maximum nesting depth of image indexes.
const DEPTH: usize = 4;
/// The maximum number of manifests in an image.
const LIMIT: usize = 10_000;
/// The maximum total size in bytes of the manifests in an image, and of the manifests of all referrers in a repository,
/// because their content is kept until the plan is complete.
pub(super) const BYTES_LIMIT: u64 = 64 << 20;

/// All manifests of an image, in the message about their total size.
const ALL: &str = "the total of all manifests";

/// An image to survey.
#[derive(Debug, Clone)]
pub struct Subject {
    /// The reference from which the image is read.
    pub reference: Reference,
    /// The name of the source repository in a plan: `REGISTRY/PATH` or `catalog:N`.
    pub source: String,
    /// The requested platforms; all platforms if empty.
    pub platforms: BTreeSet<Platform>,
}

/// The content of an image.
#[derive(Debug, Clone)]
pub struct Survey {
    /// The digest of the image, or of the image index if there are several platforms.
    pub digest: Digest,
    /// The media type of the image manifest.
    pub media_type: String,
    /// The requested platforms in the image index.
    pub platforms: BTreeSet<Platform>,
    /// The other platforms in the image index, or the platform of a single image that is not for a requested platform.
    pub platforms_left_out: BTreeSet<Platform>,
    /// The layers that registries do not store.
    pub foreign: BTreeSet<Digest>,
    /// The manifests of the image, as in a plan, but without the repositories at the target.
    pub manifests: BTreeMap<Digest, PlannedManifest>,
    /// The configs and layers of the image, as in a plan, but without the repositories at the target.
    pub blobs: BTreeMap<Digest, PlannedBlob>,
}

impl Survey {
    /// Returns the total size in bytes of all manifests and blobs.
    pub fn bytes(&self) -> u64 {
        let manifests = self.manifests.values().map(|manifest| manifest.bytes);
        let blobs = self.blobs.values().map(|blob| blob.bytes);
        manifests.chain(blobs).fold(0, u64::saturating_add)
    }

    /// Returns the reason why an image is excluded, if it has none of the requested platforms.
    pub fn without_platforms(&self) -> Option<String> {
        let platforms: Vec<String> = self.platforms_left_out.iter().map(ToString::to_string).collect();
        let is_empty = self.platforms.is_empty() && !platforms.is_empty();
        is_empty.then(|| format!("it is only for {}, none of which was requested", platforms.join(", ")))
    }
}

/// The reason why an image cannot be surveyed.
#[derive(Debug)]
pub struct Unsurveyed {
    /// The manifest in an image index that cannot be read; `None` if the image itself cannot be read.
    pub part: Option<Part>,
    /// The underlying error.
    pub error: ImageError,
}

/// A manifest in an image index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The digest of the manifest.
    pub digest: Digest,
    /// The platform in the image index; `None` if the entry has none.
    pub platform: Option<Platform>,
}

impl fmt::Display for Part {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { digest, platform } = self;
        match platform {
            Some(platform) => write!(formatter, "its image {digest} for {platform}"),
            None => write!(formatter, "its manifest {digest}"),
        }
    }
}

impl From<ImageError> for Unsurveyed {
    fn from(error: ImageError) -> Self {
        Self { part: None, error }
    }
}

/// Surveys images, `parallel` at a time. The results are in the order of the subjects.
pub async fn survey(transports: &Transports, subjects: &[Subject], parallel: usize) -> Vec<Result<Survey, Unsurveyed>> {
    let looks = concurrent::in_order(subjects, parallel, |subject| look(transports, subject));
    looks.collect().await
}

/// Surveys a manifest that has already been read, such as that of a referrer, for all platforms.
///
/// # Errors
/// Returns an error if the manifest cannot be parsed, or a manifest that it references cannot be read.
pub(super) async fn of_document(
    transports: &Transports,
    document: Document,
    repository: &RegistryReference,
) -> Result<Survey, Unsurveyed> {
    let subject = Subject {
        reference: Reference::Registry(repository.with_digest(&document.descriptor.digest)),
        source: repository.full_repository(),
        platforms: BTreeSet::new(),
    };
    let survey = empty(&document);
    completed(survey, transports, &subject, document).await
}

/// Returns the reason why an image cannot be read, for a message that names the image. All images of a registry that
/// cannot be reached have the same reason.
pub fn unread(registry: &str, error: &ImageError) -> String {
    let reason = error.reason();
    if error.is_unreachable() && !error.is_local() {
        return format!("the registry {registry} cannot be reached: {reason}");
    }
    reason
}

async fn look(transports: &Transports, subject: &Subject) -> Result<Survey, Unsurveyed> {
    let document = transports.document(&subject.reference).await?;
    let mut survey = empty(&document);
    if let (false, Ok(Manifest::Image(manifest))) = (subject.platforms.is_empty(), document.manifest()) {
        let reference = subject.reference.with_digest(&survey.digest);
        let platform = transports.program_platform(&reference, &manifest).await?;
        let other = platform.filter(|platform| !subject.platforms.contains(platform));
        survey.platforms_left_out.extend(other);
    }
    completed(survey, transports, subject, document).await
}

/// Adds a manifest and all requested manifests that it references to an empty survey.
async fn completed(
    mut survey: Survey,
    transports: &Transports,
    subject: &Subject,
    document: Document,
) -> Result<Survey, Unsurveyed> {
    let mut platforms: BTreeMap<Digest, Platform> = BTreeMap::new();
    let mut bytes = 0;
    // Manifests are read when it is their turn, so that only one is in memory.
    let mut waiting = Vec::new();
    let mut next = Some((document, 0));
    while let Some((document, depth)) = next.take() {
        if let Ok(Manifest::Index(entries)) = document.manifest() {
            let real = |entry: IndexEntry| Some((entry.descriptor.digest, entry.platform.filter(Platform::is_real)?));
            platforms.extend(entries.into_iter().filter_map(real));
        }
        let part = format!("the manifest {}", document.descriptor.digest);
        let fail = |problem: ContentProblem| problem.of(subject.reference.to_string(), &part);
        bytes += document.descriptor.size;
        if bytes > BYTES_LIMIT {
            let limit = BYTES_LIMIT;
            return Err(ContentProblem::TooMuch { limit }
                .of(subject.reference.to_string(), ALL)
                .into());
        }
        let named = survey
            .add(&document, &subject.source, &subject.platforms)
            .map_err(fail)?;
        if !named.is_empty() && (depth == DEPTH || survey.manifests.len() + named.len() > LIMIT) {
            let (what, limit) = ("manifests, or too deeply nested image indexes", LIMIT);
            return Err(fail(ContentProblem::TooMany { what, limit }).into());
        }
        waiting.extend(named.into_iter().rev().map(|digest| (digest, depth + 1)));
        while let Some((digest, depth)) = waiting.pop() {
            if survey.manifests.contains_key(&digest) {
                continue;
            }
            let reference = subject.reference.with_digest(&digest);
            let document = transports.document(&reference).await.map_err(|error| Unsurveyed {
                part: Some(Part {
                    digest,
                    platform: platforms.get(&digest).cloned(),
                }),
                error,
            })?;
            next = Some((document, depth));
            break;
        }
    }
    Ok(survey)
}

fn empty(document: &Document) -> Survey {
    Survey {
        digest: document.descriptor.digest,
        media_type: document.descriptor.media_type.clone(),
        platforms: BTreeSet::new(),
        platforms_left_out: BTreeSet::new(),
        foreign: BTreeSet::new(),
        manifests: BTreeMap::new(),
        blobs: BTreeMap::new(),
    }
}

impl Survey {
    /// Adds a manifest and its blobs. Returns the requested manifests that the manifest references, in the order of the
    /// references.
    fn add(
        &mut self,
        document: &Document,
        source: &str,
        wanted: &BTreeSet<Platform>,
    ) -> Result<Vec<Digest>, ContentProblem> {
        let sources = BTreeSet::from([source.to_owned()]);
        let mut planned = PlannedManifest {
            media_type: document.descriptor.media_type.clone(),
            bytes: document.descriptor.size,
            sources: sources.clone(),
            manifests: Vec::new(),
            blobs: Vec::new(),
            subject: None,
            repositories: BTreeSet::new(),
        };
        match document.manifest()? {
            Manifest::Index(entries) => {
                planned.manifests = self.choose(&entries, wanted);
            }
            Manifest::Image(manifest) => {
                planned.subject = manifest.subject.map(|subject| subject.digest);
                for descriptor in std::iter::once(manifest.config).chain(manifest.layers) {
                    if descriptor.is_foreign() {
                        self.foreign.insert(descriptor.digest);
                        continue;
                    }
                    planned.blobs.push(descriptor.digest);
                    self.blobs.insert(
                        descriptor.digest,
                        PlannedBlob {
                            bytes: descriptor.size,
                            media_type: descriptor.media_type,
                            sources: sources.clone(),
                            repositories: BTreeSet::new(),
                        },
                    );
                }
            }
        }
        let named = planned.manifests.clone();
        self.manifests.insert(document.descriptor.digest, planned);
        Ok(named)
    }

    /// Returns the requested entries of an image index. An attestation, which has no platform, is left out together
    /// with the image that it describes. Other entries without a platform are kept.
    fn choose(&mut self, entries: &[IndexEntry], wanted: &BTreeSet<Platform>) -> Vec<Digest> {
        let is_wanted = |platform: &Platform| wanted.is_empty() || wanted.contains(platform);
        let real = |entry: &IndexEntry| entry.platform.clone().filter(Platform::is_real);
        let mut dropped = BTreeSet::new();
        for entry in entries {
            match real(entry) {
                Some(platform) if is_wanted(&platform) => drop(self.platforms.insert(platform)),
                Some(platform) => {
                    dropped.insert(entry.descriptor.digest.to_string());
                    self.platforms_left_out.insert(platform);
                }
                None => {}
            }
        }
        let is_of_dropped = |entry: &IndexEntry| {
            let subject = entry.annotations.get(ATTESTED);
            subject.is_some_and(|subject| dropped.contains(subject))
        };
        let kept = entries.iter().filter(|entry| match real(entry) {
            Some(platform) => is_wanted(&platform),
            None => !is_of_dropped(entry),
        });
        kept.map(|entry| entry.descriptor.digest).collect()
    }
}

/// The annotation that contains the digest of the attested image. Builders add it to each attestation in an image
/// index.
const ATTESTED: &str = "vnd.docker.reference.digest";
