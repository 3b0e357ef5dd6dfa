//! The remaining work of a copy: the state of each item, and the jobs that can start.

use super::{Copy, Item, State};
use crate::image::digest::Digest;
use std::collections::{BTreeMap, VecDeque};

/// A job that is ready to start.
pub(super) enum Job {
    Blob(Digest),
    Item(usize),
}

/// The remaining work of a copy.
pub(super) struct Agenda<'a> {
    copy: &'a Copy,
    /// The state of each item; `None` until it is decided.
    pub(super) states: Vec<Option<State>>,
    /// The number of items that are at the target.
    pub(super) done: u64,
    /// The number of items that have failed.
    pub(super) failed: u64,
    /// The number of blobs and other items that each item waits for.
    waits: Vec<usize>,
    /// For each blob, the items that wait for it.
    of_blob: BTreeMap<Digest, Vec<usize>>,
    /// For each item, the items that wait for it.
    of_item: Vec<Vec<usize>>,
    jobs: VecDeque<Job>,
}

impl<'a> Agenda<'a> {
    pub(super) fn new(copy: &'a Copy, states: Vec<Option<State>>) -> Self {
        let mut agenda = Self {
            copy,
            waits: vec![0; copy.items.len()],
            of_blob: BTreeMap::new(),
            of_item: vec![Vec::new(); copy.items.len()],
            jobs: VecDeque::new(),
            done: 0,
            failed: 0,
            states: Vec::new(),
        };
        states.iter().flatten().for_each(|state| agenda.count(state));
        agenda.states = states;
        for place in agenda.by_size() {
            let Some(item) = copy.items.get(place) else { continue };
            let mut blobs: Vec<Digest> = item.blobs.iter().copied().collect();
            blobs.sort_by_key(|digest| std::cmp::Reverse(agenda.size(digest)));
            for digest in blobs {
                let waiting = agenda.of_blob.entry(digest).or_default();
                if waiting.is_empty() {
                    agenda.jobs.push_back(Job::Blob(digest));
                }
                waiting.push(place);
                agenda.waits[place] += 1;
            }
            for before in &item.after {
                if agenda
                    .states
                    .get(*before)
                    .is_some_and(|state| *state != Some(State::Present))
                {
                    agenda.of_item[*before].push(place);
                    agenda.waits[place] += 1;
                }
            }
            if agenda.waits[place] == 0 {
                agenda.jobs.push_back(Job::Item(place));
            }
        }
        // If looking up an item failed, the items that depend on it fail as well.
        for place in 0..copy.items.len() {
            if let Some(Some(state @ State::Failed(_))) = agenda.states.get(place).cloned() {
                agenda.decide(place, state);
            }
        }
        agenda
    }

    /// Returns the positions of the items to be copied, largest first.
    fn by_size(&self) -> Vec<usize> {
        let open = self.copy.items.iter().enumerate();
        let open = open.filter(|(place, _)| self.states.get(*place).is_some_and(Option::is_none));
        let size = |item: &Item| item.blobs.iter().map(|digest| self.size(digest)).sum::<u64>();
        let mut open: Vec<(u64, usize)> = open.map(|(place, item)| (size(item), place)).collect();
        open.sort_by_key(|(size, place)| (std::cmp::Reverse(*size), *place));
        open.into_iter().map(|(_, place)| place).collect()
    }

    fn size(&self, digest: &Digest) -> u64 {
        self.copy.blobs.get(digest).map_or(0, |blob| blob.descriptor.size)
    }

    /// Returns the total size in bytes of the blobs to be copied.
    pub(super) fn bytes(&self) -> u64 {
        self.of_blob.keys().map(|digest| self.size(digest)).sum()
    }

    fn count(&mut self, state: &State) {
        match state {
            State::Present | State::Copied => self.done += 1,
            State::Failed(_) => self.failed += 1,
            State::NotTried => {}
        }
    }

    /// Returns the undecided items that wait for a blob.
    pub(super) fn waiting_for(&self, digest: &Digest) -> Vec<usize> {
        let waiting = self.of_blob.get(digest).into_iter().flatten().copied();
        waiting.filter(|place| self.is_open(*place)).collect()
    }

    fn is_open(&self, place: usize) -> bool {
        self.states.get(place).is_some_and(Option::is_none)
    }

    /// Removes and returns the next job that is still needed.
    pub(super) fn next(&mut self) -> Option<Job> {
        loop {
            let job = self.jobs.pop_front()?;
            let wanted = match &job {
                Job::Blob(digest) => !self.waiting_for(digest).is_empty(),
                Job::Item(place) => self.is_open(*place),
            };
            if wanted {
                return Some(job);
            }
        }
    }

    /// Updates the items that wait for a blob. `failed` contains the repositories that did not receive the blob, each
    /// with the reason.
    pub(super) fn blob_done(&mut self, digest: &Digest, failed: &BTreeMap<String, String>) {
        for place in self.of_blob.get(digest).cloned().unwrap_or_default() {
            let item = self.copy.items.get(place);
            match item.and_then(|item| failed.get(item.to.repository())) {
                None => self.less(place),
                Some(why) => self.decide(place, State::Failed(why.clone())),
            }
        }
    }

    /// Decrements the number of blobs and items that an item waits for.
    fn less(&mut self, place: usize) {
        if let Some(waits) = self.waits.get_mut(place) {
            *waits -= 1;
            if *waits == 0 {
                // Finish the item first: it takes little time, and finished items survive an interruption.
                self.jobs.push_front(Job::Item(place));
            }
        }
    }

    /// Sets the state of an item and updates the items that wait for it.
    pub(super) fn decide(&mut self, place: usize, state: State) {
        let is_failure = matches!(state, State::Failed(_));
        match self.states.get(place) {
            Some(Some(State::Failed(_))) if !is_failure => return,
            Some(None) => {
                self.count(&state);
                self.states[place] = Some(state);
            }
            _ => {}
        }
        let waiting = self.of_item.get_mut(place).map(std::mem::take).unwrap_or_default();
        for after in waiting {
            if !is_failure {
                self.less(after);
            } else if self.is_open(after) {
                let name = self.copy.items.get(place).map(|item| item.name.as_str());
                let why = format!("it depends on {}, which failed", name.unwrap_or_default());
                self.decide(after, State::Failed(why));
            }
        }
    }
}
