//! The hosts that cannot be reached: a run contacts each of them once, instead of once per image.

use super::error::RegistryFailure;
use crate::concurrent;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use tokio::sync::watch;

/// The known states of the hosts.
#[derive(Debug, Default)]
pub(super) struct Hosts {
    known: Mutex<HashMap<String, watch::Sender<Known>>>,
}

#[derive(Debug, Clone)]
enum Known {
    Nothing,
    /// The first request is in progress; other requests wait for its result.
    Asked,
    Reached,
    Unreachable(Arc<RegistryFailure>),
}

impl Hosts {
    /// Waits until it is known whether a host can be reached. The first request does not wait; its caller keeps the
    /// returned value until the request has ended.
    ///
    /// # Errors
    /// Returns the failure of the first request if the host could not be reached.
    pub(super) async fn enter(&self, host: &str) -> Result<Option<First<'_>>, Arc<RegistryFailure>> {
        loop {
            let mut state = self.state(host).subscribe();
            let is_first = self.state(host).send_if_modified(|known| {
                let is_first = matches!(known, Known::Nothing);
                if is_first {
                    *known = Known::Asked;
                }
                is_first
            });
            if is_first {
                let host = host.to_owned();
                return Ok(Some(First {
                    hosts: self,
                    host,
                    ended: false,
                }));
            }
            // The sender is never dropped.
            let Ok(known) = state.wait_for(|known| !matches!(known, Known::Asked)).await else {
                return Ok(None);
            };
            match &*known {
                Known::Reached => return Ok(None),
                Known::Unreachable(failure) => return Err(Arc::clone(failure)),
                Known::Nothing | Known::Asked => {}
            }
        }
    }

    /// Returns the failure of an earlier request if the host could not be reached, without waiting for requests that
    /// are in progress.
    pub(super) fn failure(&self, host: &str) -> Option<Arc<RegistryFailure>> {
        match &*self.state(host).borrow() {
            Known::Unreachable(failure) => Some(Arc::clone(failure)),
            _ => None,
        }
    }

    /// Records the failure of a request, after all retries. A host that has answered before stays reachable.
    pub(super) fn failed(&self, host: &str, failure: &Arc<RegistryFailure>) {
        if failure.is_unreachable() {
            self.state(host).send_if_modified(|known| {
                let is_open = matches!(known, Known::Nothing | Known::Asked);
                if is_open {
                    *known = Known::Unreachable(Arc::clone(failure));
                }
                is_open
            });
        }
    }

    /// Records that a host has answered.
    pub(super) fn reached(&self, host: &str) {
        self.state(host).send_replace(Known::Reached);
    }

    /// Forgets which hosts could not be reached, so that requests are sent to them again.
    pub(super) fn forget(&self) {
        let mut known = concurrent::lock(&self.known);
        known.retain(|_, state| !matches!(&*state.borrow(), Known::Unreachable(_)));
    }

    fn state(&self, host: &str) -> watch::Sender<Known> {
        let mut known = concurrent::lock(&self.known);
        let new = || watch::Sender::new(Known::Nothing);
        known.entry(host.to_owned()).or_insert_with(new).clone()
    }
}

/// The first request to a host.
#[derive(Debug)]
pub(super) struct First<'a> {
    hosts: &'a Hosts,
    host: String,
    /// Whether the request has ended, as opposed to being cancelled.
    pub(super) ended: bool,
}

impl Drop for First<'_> {
    fn drop(&mut self) {
        // After a request that ended without an answer, other requests do not wait again.
        let known = if self.ended { Known::Reached } else { Known::Nothing };
        self.hosts.state(&self.host).send_if_modified(|state| {
            let is_open = matches!(state, Known::Asked);
            if is_open {
                *state = known;
            }
            is_open
        });
    }
}
