//! Moves a tag that other clients may also move, without silently losing changes.
//!
//! Registries do not support locks. opmx sends `If-Match`, but few registries support it. The following procedure works
//! with all registries:
//!
//! 1. The tag is checked before the manifest is pushed to it. If the tag has moved, it is left unchanged.
//! 2. While the registry processes the manifest, the tag is checked repeatedly. If another image appears under the tag
//!    in the meantime, the manifest replaces that image, and the replacement is reported.
//! 3. After the manifest has been accepted, the writer waits and then checks the tag again. If the tag has moved, the
//!    image of another writer has replaced the image of this writer. The other writer might not have noticed this,
//!    because it may have been between its own steps 1 and 2.
//!
//! Of two writers, at least one always notices the other. If the second writer pushes its manifest while the first
//! writer waits, the first writer notices this in step 3. Otherwise, the image of the first writer stays under the tag
//! for longer than the wait, and the second writer notices it in step 1 or 2. For this, the interval between checks
//! must be shorter than the wait. If a writer measures a longer interval, for example because its process was
//! suspended, it reports this instead of success.

use super::error::RegistryError;
use super::repository::{Access, Repository};
use super::retry::with_retries;
use super::{Registry, manifest_request, stated_digest};
use crate::concurrent;
use crate::image::digest::Digest;
use crate::image::document::Document;
use crate::image::error::ImageError;
use crate::image::reference::RegistryReference;
use crate::image::tag_state::{Race, TagState};
use reqwest::header::{ETAG, HeaderName, HeaderValue, IF_MATCH, IF_NONE_MATCH};
use reqwest::{Method, StatusCode};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The number of times that a tag is checked while a writer waits.
const LOOKS: u32 = 8;

/// The result of checking a tag.
struct Look {
    state: TagState,
    /// The entity tag of this state, for a conditional request.
    etag: Option<HeaderValue>,
    /// The time of the request.
    asked: Instant,
}

/// The result of trying to push a manifest to a tag.
enum Put {
    /// The manifest is stored under the tag.
    Done,
    /// The tag referred to an unexpected image.
    Moved { found: TagState },
}

/// Observations during the push of a manifest to a tag.
struct Noticed {
    /// Whether the manifest was sent, and may have been stored even if no response confirmed it.
    sent: bool,
    /// Another image that was temporarily under the tag, and the request time of the last check before it appeared.
    between: Option<(Digest, Instant)>,
    /// The request time of the last check.
    asked: Instant,
    /// The longest time from the request of a check to the response of the next check.
    longest: Duration,
}

impl Noticed {
    /// Records a check that was requested at `asked` and has just completed. `other` is the image of another writer, if
    /// the check found one.
    fn looked(&mut self, asked: Instant, other: Option<Digest>) {
        if let Some(other) = other
            && self.between.is_none_or(|(known, _)| known != other)
        {
            self.between = Some((other, self.asked));
        }
        self.longest = self.longest.max(self.asked.elapsed());
        self.asked = asked;
    }

    /// Returns another writer's image that this push replaced, if the image was under the tag long enough for its
    /// writer to have finished.
    fn lost(&self, settle: Duration) -> Option<Digest> {
        let (digest, since) = self.between?;
        (since.elapsed() >= settle).then_some(digest)
    }
}

impl Registry {
    /// Returns the state of a tag that is about to be moved.
    pub(in crate::image) async fn state(&self, reference: &RegistryReference) -> Result<TagState, ImageError> {
        let repository = self.repository(reference);
        let target = Target {
            repository: &repository,
            image: reference.as_written(),
            tag: reference.tag().unwrap_or_else(|| reference.manifest_name()),
        };
        Ok(self.settled(target).await?)
    }

    /// Pushes a manifest to a tag that refers to `over`.
    pub(super) async fn move_tag(
        &self,
        document: &Document,
        target: Target<'_>,
        over: TagState,
    ) -> Result<(), ImageError> {
        let moved = |race| {
            let image = target.image.to_owned();
            Err(ImageError::Moved { image, race })
        };
        let ours = TagState::Image(document.descriptor.digest);
        if over == ours {
            return match self.settled(target).await? {
                found if found == ours => Ok(()),
                found => moved(Race::Before { found }),
            };
        }
        let noticed = Mutex::new(Noticed {
            sent: false,
            between: None,
            asked: Instant::now(),
            longest: Duration::ZERO,
        });
        let put = {
            let _permit = self.permits.acquire().await;
            with_retries(&self.retry, || self.put_over(document, target, over, &noticed)).await?
        };
        let noticed = noticed.into_inner().unwrap_or_else(PoisonError::into_inner);
        let (lost, timely) = (noticed.lost(self.settle()), noticed.longest < self.settle());
        match put {
            Put::Moved { found } if noticed.sent => return moved(Race::After { found }),
            Put::Moved { found } => return moved(Race::Before { found }),
            Put::Done => {}
        }
        tokio::time::sleep(self.settle()).await;
        let found = self.settled(target).await?;
        match lost {
            None if found == ours && timely => Ok(()),
            None if found != ours => moved(Race::After { found }),
            Some(lost) if found == ours && timely => moved(Race::Over { lost }),
            lost => moved(Race::Unknown { lost }),
        }
    }

    async fn settled(&self, target: Target<'_>) -> Result<TagState, RegistryError> {
        let _permit = self.permits.acquire().await;
        Ok(with_retries(&self.retry, || target.look()).await?.state)
    }

    /// Checks the tag, pushes the manifest to it, and keeps checking the tag until the registry has accepted the
    /// manifest.
    async fn put_over(
        &self,
        document: &Document,
        target: Target<'_>,
        over: TagState,
        noticed: &Mutex<Noticed>,
    ) -> Result<Put, RegistryError> {
        let noticed = || concurrent::lock(noticed);
        let ours = TagState::Image(document.descriptor.digest);
        let mut by_condition = true;
        loop {
            let look = target.look().await?;
            let sent_before = noticed().sent;
            if sent_before {
                noticed().looked(look.asked, None);
            } else {
                noticed().asked = look.asked;
            }
            match look.state {
                // An earlier attempt succeeded, but its response was lost.
                state if state == ours && sent_before => return Ok(Put::Done),
                state if state == over => {}
                found => return Ok(Put::Moved { found }),
            }
            noticed().sent = true;
            let condition = condition(&look).filter(|_| by_condition);
            let put = Self::push_manifest(target.repository, document, (target.image, target.tag), condition);
            let watch = async {
                loop {
                    tokio::time::sleep(self.settle() / LOOKS).await;
                    // A failed check extends the interval between checks.
                    let Ok(look) = target.look().await else {
                        continue;
                    };
                    let other = (look.state != over && look.state != ours).then_some(look.state);
                    noticed().looked(look.asked, other.and_then(TagState::digest));
                }
            };
            let accepted = tokio::select! {
                accepted = put => accepted? != super::put::Put::Refused,
                () = watch => false,
            };
            if accepted {
                noticed().looked(Instant::now(), None);
                return Ok(Put::Done);
            }
            // The registry supports the condition, so the manifest was not stored: either the tag was moved, or the
            // registry does not recognize its own entity tag.
            noticed().sent = sent_before;
            by_condition = false;
        }
    }
}

/// A tag of a repository.
#[derive(Clone, Copy)]
pub(super) struct Target<'a> {
    pub(super) repository: &'a Repository,
    /// The reference in its original spelling.
    pub(super) image: &'a str,
    pub(super) tag: &'a str,
}

impl Target<'_> {
    async fn look(self) -> Result<Look, RegistryError> {
        let asked = Instant::now();
        let mut request = manifest_request(self.repository, self.image, Method::HEAD, self.tag)?;
        // Moving a tag requires push access in any case, and a registry may hide its tags from clients without this
        // access.
        request.access = Access::Push;
        let answer = self.repository.send(&request, &[StatusCode::OK, StatusCode::NOT_FOUND]);
        let answer = answer.await?;
        let state = match (answer.status(), stated_digest(&answer)) {
            (StatusCode::NOT_FOUND, _) => TagState::Absent,
            (_, Some(digest)) => TagState::Image(digest),
            // Not every registry reports the digest.
            (_, None) => {
                request.method = Method::GET;
                TagState::Image(Registry::document_once(self.repository, &request, None).await?.digest)
            }
        };
        let etag = answer.headers().get(ETAG).cloned();
        Ok(Look { state, etag, asked })
    }
}

/// Returns the header that makes the request conditional on the state of the tag, in registries that support
/// conditional requests.
fn condition(look: &Look) -> Option<(HeaderName, HeaderValue)> {
    match (look.state, &look.etag) {
        (TagState::Absent, _) => Some((IF_NONE_MATCH, HeaderValue::from_static("*"))),
        // Weak entity tags never match.
        (TagState::Image(_), Some(etag)) if etag.as_bytes().starts_with(b"\"") => Some((IF_MATCH, etag.clone())),
        (TagState::Image(_), _) => None,
    }
}
