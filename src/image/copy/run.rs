//! One run of a copy: schedules its jobs and processes their results.

use super::agenda::{Agenda, Job};
use super::content::Contents;
use super::existing::{Found, look};
use super::fallback::{ListChange, ListEdit, change_lists};
use super::{Copy, CopyOptions, Item, Moved, Outcome, Place, State, Stored};
use crate::causes::with_causes;
use crate::concurrent::lock;
use crate::image::blob_source::BlobSource;
use crate::image::digest::Digest;
use crate::image::document::Document;
use crate::image::error::ImageError;
use crate::image::progress::{TICK, Whole};
use crate::image::reference::RegistryReference;
use crate::image::registry::{Before, PlaceError, Placed};
use crate::image::transport::Transports;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt, StreamExt};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

/// Copies all content that the target does not contain yet.
pub async fn copy(copy: &Copy, source: &Transports, target: &Transports, options: &CopyOptions<'_>) -> Outcome {
    let options = &CopyOptions {
        concurrency: options.concurrency.max(1),
        ..*options
    };
    let contents = Contents {
        target: Some(target),
        ..Contents::within(options.memory, options.concurrency, source)
    };
    let (found, states) = look(copy, &contents, target, options.concurrency).await;
    let run = Run {
        copy,
        contents,
        target,
        options,
        found,
        repositories: copy.items.iter().map(|item| item.to.repository()).collect(),
        put: Mutex::default(),
        referrers: Mutex::default(),
        moved: Mutex::default(),
    };
    let states = run.work(states).await;
    let problems = run.list_referrers().await;
    let moved = *lock(&run.moved);
    Outcome {
        states,
        replaced: run.found.replaced,
        lost: run.found.lost,
        problems,
        moved,
    }
}

/// The repositories that did not receive a blob, each with the reason.
type Failures = BTreeMap<String, String>;

/// A finished job, with its errors.
enum Done {
    Blob(Digest, Failures),
    Item(usize, Result<(), String>),
}

/// A repository, and referrers of one of its manifests. The registry itself does not list these referrers.
type Unlisted = (RegistryReference, BTreeMap<Digest, Document>);

struct Run<'a> {
    copy: &'a Copy,
    contents: Contents<'a>,
    target: &'a Transports,
    options: &'a CopyOptions<'a>,
    found: Found,
    /// The repositories of the items, without the registry.
    repositories: BTreeSet<&'a str>,
    /// The manifests that were pushed, each with its repository.
    put: Mutex<BTreeSet<(Digest, String)>>,
    /// The referrers that the registry does not list itself, by repository and manifest.
    referrers: Mutex<BTreeMap<(String, Digest), Unlisted>>,
    moved: Mutex<Moved>,
}

impl Run<'_> {
    async fn work(&self, states: Vec<Option<State>>) -> Vec<State> {
        let mut agenda = Agenda::new(self.copy, states);
        let mut running: FuturesUnordered<BoxFuture<'_, Done>> = FuturesUnordered::new();
        let total = self.copy.items.len() as u64;
        let (mut failed, mut bytes) = (false, 0);
        let all = agenda.bytes();
        loop {
            let stopping = failed && self.options.fail_fast;
            while !stopping && running.len() < self.options.concurrency {
                let Some(job) = agenda.next() else { break };
                match job {
                    Job::Blob(digest) => {
                        let items = agenda.waiting_for(&digest);
                        running.push(self.blob(digest, items).boxed());
                    }
                    Job::Item(place) => running.push(self.item(place).boxed()),
                }
            }
            self.options.progress.whole(Some(Whole {
                bytes,
                bytes_of: all,
                items: agenda.done,
                failed: agenda.failed,
                items_of: total,
            }));
            let done = tokio::select! {
                done = running.next() => done,
                () = tokio::time::sleep(TICK) => continue,
            };
            let Some(done) = done else { break };
            match done {
                Done::Blob(digest, failures) => {
                    failed |= !failures.is_empty();
                    bytes += self.copy.blobs.get(&digest).map_or(0, |blob| blob.descriptor.size);
                    agenda.blob_done(&digest, &failures);
                }
                Done::Item(place, result) => {
                    failed |= result.is_err();
                    let state = result.map_or_else(State::Failed, |()| State::Copied);
                    agenda.decide(place, state);
                }
            }
        }
        self.options.progress.whole(None);
        agenda
            .states
            .into_iter()
            .map(|state| state.unwrap_or(State::NotTried))
            .collect()
    }

    /// Copies a blob to the repositories of the items that need it.
    async fn blob(&self, digest: Digest, items: Vec<usize>) -> Done {
        let mut wanted: BTreeMap<String, &RegistryReference> = BTreeMap::new();
        for item in items.iter().filter_map(|place| self.copy.items.get(*place)) {
            wanted.entry(item.to.repository().to_owned()).or_insert(&item.to);
        }
        // The repositories that already contain the blob, according to the journal, the places of the blob, or the
        // registry.
        let mut known: BTreeSet<String> = BTreeSet::new();
        if let Some(journal) = self.options.journal {
            // A journal of another origin may name any repository, also one that only this login can read.
            let noted = journal
                .repositories(&digest)
                .filter(|noted| self.repositories.contains(noted));
            known.extend(noted.map(str::to_owned));
        }
        known.extend(self.at_target(&digest, &wanted));
        known.extend(self.found.repositories(&digest).map(str::to_owned));
        known.retain(|repository| !self.found.lacks(&digest, repository));
        wanted.retain(|repository, _| !known.contains(repository));
        let failures = match self.copy.blobs.get(&digest) {
            Some(stored) => self.spread(stored, wanted, known.into_iter().next()).await,
            None => Failures::new(),
        };
        Done::Blob(digest, failures)
    }

    /// Returns the repositories in the target registry that contain a blob: its [`Place::Target`]s, and its
    /// [`Place::Registry`] places in that registry.
    fn at_target(&self, digest: &Digest, wanted: &BTreeMap<String, &RegistryReference>) -> BTreeSet<String> {
        let places = self.copy.blobs.get(digest).map(|stored| &stored.places);
        let at_target = |place: &Place| match place {
            Place::Target(reference) => Some(reference.repository().to_owned()),
            Place::Registry(reference) => {
                let is_same = wanted.values().any(|wanted| wanted.host() == reference.host());
                is_same.then(|| reference.repository().to_owned())
            }
            Place::Held(_) => None,
        };
        places.into_iter().flatten().filter_map(at_target).collect()
    }

    /// Copies a blob to repositories. If a repository refuses the blob, the blob is still copied to the other
    /// repositories.
    async fn spread(
        &self,
        stored: &Stored,
        wanted: BTreeMap<String, &RegistryReference>,
        known: Option<String>,
    ) -> Failures {
        let mut failures = Failures::new();
        let mut from: Option<(String, Option<RegistryReference>)> = known.map(|known| (known, None));
        let content = self.contents.blob(stored);
        let mut wanted = wanted.into_iter();
        while let Some((repository, reference)) = wanted.next() {
            // Prefer reading from the target registry, which is usually faster than the source of the blob.
            let nearer = from.as_ref().and_then(|(_, reference)| reference.as_ref());
            let own = nearer.map(|reference| {
                let own = std::slice::from_ref(reference);
                self.target
                    .blob_in(own, &stored.descriptor, self.contents.is_small(stored))
            });
            let content = match (&content, own) {
                (BlobSource::Remote(_), Some(own)) => own,
                (content, _) => content.clone(),
            };
            let before = Before {
                mount: from.as_ref().map(|(from, _)| from.as_str()),
                is_new: self.found.is_new(&repository),
            };
            let placing = self.target.place(reference, &stored.descriptor, &content, before);
            match placing.await {
                Ok(placed) => {
                    self.placed(stored, &repository, placed);
                    from = Some((repository, Some(reference.clone())));
                }
                Err(error) => {
                    let why = with_causes(&error);
                    if matches!(error, PlaceError::Source(_)) && nearer.is_none() {
                        // The blob cannot be read for any other repository either.
                        failures.extend(wanted.by_ref().map(|(repository, _)| (repository, why.clone())));
                    }
                    failures.insert(repository, why);
                }
            }
        }
        failures
    }

    /// Records that a repository contains a blob.
    fn placed(&self, stored: &Stored, repository: &str, placed: Placed) {
        if let Some(journal) = self.options.journal {
            journal.note(&stored.descriptor.digest, repository);
        }
        let mut moved = lock(&self.moved);
        match placed {
            Placed::There => moved.there += 1,
            Placed::Mounted => moved.mounted += 1,
            Placed::Sent => {
                moved.sent += 1;
                moved.bytes_sent += stored.descriptor.size;
            }
        }
    }

    /// Pushes the manifests of an item once all its blobs are in its repository.
    async fn item(&self, place: usize) -> Done {
        let Some(item) = self.copy.items.get(place) else {
            return Done::Item(place, Ok(()));
        };
        let mut result = self.put_all(item).await;
        if result.is_err() && self.distrusts_journal(item).await {
            result = self.put_all(item).await;
        }
        Done::Item(place, result.map_err(|error| with_causes(&error)))
    }

    /// Checks the blobs that the journal lists for the repository, and copies the missing blobs: the registry may have
    /// been cleaned up in the meantime. Returns whether the repository contains at least one of the listed blobs
    /// afterwards.
    async fn distrusts_journal(&self, item: &Item) -> bool {
        let Some(journal) = self.options.journal else {
            return false;
        };
        let mut any = false;
        for digest in &item.blobs {
            let repository = item.to.repository();
            if let Some(stored) = self.copy.blobs.get(digest)
                && journal.repositories(digest).any(|known| known == repository)
            {
                let content = self.contents.blob(stored);
                let placed = self
                    .target
                    .place(&item.to, &stored.descriptor, &content, Before::default());
                any |= placed.await.is_ok();
            }
        }
        any
    }

    async fn put_all(&self, item: &Item) -> Result<(), ImageError> {
        let repository = item.to.repository().to_owned();
        for digest in &item.manifests {
            let is_root = Some(*digest) == item.root();
            let key = (*digest, repository.clone());
            if !is_root && lock(&self.put).contains(&key) {
                continue;
            }
            let document = self.document(digest).await?;
            let names = if is_root {
                self.found.names(item, digest)?
            } else {
                vec![item.to.with_digest(digest)]
            };
            for name in names {
                let is_listed = self.target.put_document(&name, &document).await?;
                lock(&self.moved).manifests += 1;
                if let Some(subject) = item.subject.filter(|_| is_root && !is_listed) {
                    let mut referrers = lock(&self.referrers);
                    let new = || (item.to.clone(), BTreeMap::new());
                    let (_, listed) = referrers.entry((repository.clone(), subject)).or_insert_with(new);
                    listed.insert(*digest, document.clone());
                }
            }
            lock(&self.put).insert(key);
        }
        Ok(())
    }

    async fn document(&self, digest: &Digest) -> Result<Document, ImageError> {
        match self.copy.manifests.get(digest) {
            Some(stored) => self.contents.document(stored).await,
            None => Err(ImageError::absent(digest)),
        }
    }

    /// Updates the fallback lists of referrers in registries that do not list referrers themselves.
    async fn list_referrers(&self) -> Vec<String> {
        let referrers = std::mem::take(&mut *lock(&self.referrers));
        let changes = referrers
            .iter()
            .map(|((_, subject), (repository, referrers))| ListChange {
                repository,
                subject: *subject,
                edit: ListEdit::Add(referrers),
            });
        let changes: Vec<ListChange<'_>> = changes.collect();
        let failed = change_lists(self.target, &changes).await;
        let problem = |(change, why): (&ListChange<'_>, String)| {
            let (repository, subject) = (change.repository.repository(), change.subject);
            format!("the referrers of {repository}@{subject} cannot be listed: {why}")
        };
        failed.into_iter().map(problem).collect()
    }
}
