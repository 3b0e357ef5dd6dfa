//! Moving a tag that others move, too, so that no change is lost without a word.
//!
//! A registry gives no lock, and few of them honour `If-Match`, which is sent all the same. What holds everywhere is
//! this:
//!
//! 1. The tag is looked at before the manifest is put there. If it moved, it is left alone.
//! 2. While the registry takes the manifest, the tag is looked at again and again. An image that turns up there in between
//!    loses its place to this one, and is reported.
//! 3. When the manifest is there, the writer waits for a while and looks at the tag once more. If it
//!    moved, somebody else was between their own first two steps, and the image may have lost its place to theirs.
//!
//! Of two writers, one sees the other: either the one that comes second puts its manifest within that wait, and the
//! first sees it in step 3, or the image of the first stands there for longer than that, and the second sees it in step
//! 1 or 2. That takes looks that follow each other faster than the wait is long; a writer that measures slower ones, as
//! one whose process was stopped meanwhile, says so and does not count as first.

use super::error::RegistryError;
use super::repository::{Access, Repository};
use super::retry::with_retries;
use super::{Registry, manifest_request, stated_digest};
use crate::image::digest::Digest;
use crate::image::error::ImageError;
use crate::image::reference::RegistryReference;
use crate::image::tag_state::{Race, TagState};
use crate::image::tagged_image::Document;
use reqwest::header::{ETAG, HeaderName, HeaderValue, IF_MATCH, IF_NONE_MATCH};
use reqwest::{Method, StatusCode};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often a tag is looked at in the time that every writer waits.
const LOOKS: u32 = 8;

/// What a tag stood for when it was looked at.
struct Look {
    state: TagState,
    /// The registry's name for this state, for a request that depends on it.
    etag: Option<HeaderValue>,
    /// When the registry was asked.
    asked: Instant,
}

/// What came of the tries to put a manifest under a tag.
enum Put {
    /// It is there.
    Done,
    /// The tag stood for something else.
    Moved { found: TagState },
}

/// What was noticed while a manifest was put under a tag.
struct Noticed {
    /// Whether the manifest was sent, and may have arrived although no answer said so.
    sent: bool,
    /// An image that stood there in between, and when the registry was asked for the last look that did not show it.
    between: Option<(Digest, Instant)>,
    /// When the registry was asked for the last look.
    asked: Instant,
    /// The longest time within which one look, or none, was taken.
    longest: Duration,
}

impl Noticed {
    /// A look that was asked for at `asked` is answered now, and shows an image of somebody else, or none.
    fn looked(&mut self, asked: Instant, other: Option<Digest>) {
        if let Some(other) = other
            && self.between.is_none_or(|(known, _)| known != other)
        {
            self.between = Some((other, self.asked));
        }
        self.longest = self.longest.max(self.asked.elapsed());
        self.asked = asked;
    }

    /// The image that stood there until now, for so long that its writer may have gone.
    fn lost(&self, settle: Duration) -> Option<Digest> {
        let (digest, since) = self.between?;
        (since.elapsed() >= settle).then_some(digest)
    }
}

impl Registry {
    /// What a tag stands for, for somebody who is about to move it.
    pub(in crate::image) async fn state(&self, reference: &RegistryReference) -> Result<TagState, ImageError> {
        let repository = self.repository(reference);
        let target = Target {
            repository: &repository,
            image: reference.as_written(),
            tag: reference.tag().unwrap_or_else(|| reference.manifest_name()),
        };
        Ok(self.settled(target).await?)
    }

    /// Puts a manifest under a tag that stands for `over`.
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

    /// Looks at the tag, puts the manifest there, and keeps looking until the registry has taken it.
    async fn put_over(
        &self,
        document: &Document,
        target: Target<'_>,
        over: TagState,
        noticed: &Mutex<Noticed>,
    ) -> Result<Put, RegistryError> {
        let noticed = || noticed.lock().unwrap_or_else(PoisonError::into_inner);
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
                // The answer to a try before this one was lost.
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
                    // One that fails makes the time without a look longer.
                    let Ok(look) = target.look().await else {
                        continue;
                    };
                    let other = (look.state != over && look.state != ours).then_some(look.state);
                    noticed().looked(look.asked, other.and_then(TagState::digest));
                }
            };
            let accepted = tokio::select! {
                accepted = put => accepted?,
                () = watch => false,
            };
            if accepted {
                noticed().looked(Instant::now(), None);
                return Ok(Put::Done);
            }
            // The registry goes by the condition, so the manifest did not arrive: the tag was moved, or the registry does
            // not know its own name for what is there.
            noticed().sent = sent_before;
            by_condition = false;
        }
    }
}

/// A tag of a repository.
#[derive(Clone, Copy)]
pub(super) struct Target<'a> {
    pub(super) repository: &'a Repository,
    /// The reference as the user wrote it.
    pub(super) image: &'a str,
    pub(super) tag: &'a str,
}

impl Target<'_> {
    async fn look(self) -> Result<Look, RegistryError> {
        let asked = Instant::now();
        let mut request = manifest_request(self.repository, self.image, Method::HEAD, self.tag)?;
        // Who moves a tag needs this access in any case, and a registry may keep from others whether there is one.
        request.access = Access::Push;
        let answer = self.repository.send(&request, &[StatusCode::OK, StatusCode::NOT_FOUND]);
        let answer = answer.await?;
        let state = match (answer.status(), stated_digest(&answer)) {
            (StatusCode::NOT_FOUND, _) => TagState::Absent,
            (_, Some(digest)) => TagState::Image(digest),
            // Not every registry states it.
            (_, None) => {
                request.method = Method::GET;
                TagState::Image(Registry::document_once(self.repository, &request, None).await?.digest)
            }
        };
        let etag = answer.headers().get(ETAG).cloned();
        Ok(Look { state, etag, asked })
    }
}

/// What the request says the tag stands for, to a registry that goes by it.
fn condition(look: &Look) -> Option<(HeaderName, HeaderValue)> {
    match (look.state, &look.etag) {
        (TagState::Absent, _) => Some((IF_NONE_MATCH, HeaderValue::from_static("*"))),
        // Weak ones never match.
        (TagState::Image(_), Some(etag)) if etag.as_bytes().starts_with(b"\"") => Some((IF_MATCH, etag.clone())),
        (TagState::Image(_), _) => None,
    }
}
