//! The connected clients: their activity, and the order in which they are disconnected when there is no room for all.

use super::ServerOptions;
use super::outgoing::OfConnection;
use crate::concurrent::lock;
use futures_util::task::AtomicWaker;
use std::collections::{HashMap, VecDeque};
use std::mem::discriminant;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::Waker;
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;

/// The time for which a client is treated as new, so that it can make a call.
const NEW: Duration = Duration::from_millis(500);

/// The maximum number of clients chosen at once to be disconnected one after another.
const CHOSEN: usize = 32;

/// The minimum time between two searches for stalled clients, in milliseconds.
const LOOK: u64 = 50;

/// The value for a call that is waiting for the server, not for its client.
const OURS: u64 = u64::MAX;

/// All clients of a server.
#[derive(Debug)]
pub(super) struct Clients {
    /// The reference instant; times are in milliseconds since then.
    epoch: Instant,
    connected: Mutex<HashMap<u64, Arc<Client>>>,
    /// The next clients to disconnect, with the rank because of which they were chosen.
    chosen: Mutex<VecDeque<(Rank, Arc<Client>)>>,
    next: AtomicU64,
    looked: AtomicU64,
    /// The number of bytes of manifests that one client may leave unread.
    manifests: usize,
    /// The maximum number of calls of one client that may read manifests at once.
    readers: usize,
    /// The number of times that any client has received a part of an answer that uses much memory.
    moves: Arc<AtomicU64>,
    /// The number of places reserved for new clients.
    places_for_new: usize,
    /// The maximum time that a call may wait for its client while other clients wait for a place. After that, the
    /// client may be disconnected.
    stall: Duration,
}

/// The priority of a client: clients with a smaller rank are disconnected first; among equals, those that have been
/// silent for longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// The client has not started HTTP/2.
    Silent(u64),
    /// The client has never made a call.
    Uncalled(u64),
    /// The client does not read an answer, or does not send the rest of a request.
    Stalled(u64),
    /// The client has just connected. Some places are reserved for such clients; otherwise, a probe would have no time
    /// to send its request.
    New(u64),
    /// The client has no call in progress.
    Idle(u64),
    /// The client is waiting for the server, or is reading its answers.
    Busy(u64),
}

/// A connected client.
#[derive(Debug)]
pub(super) struct Client {
    number: u64,
    epoch: Instant,
    /// The time of the last activity: the connection, or the beginning or end of a call.
    active: AtomicU64,
    greeted: AtomicBool,
    called: AtomicBool,
    /// For each call of the client, the time at which the call began to wait for the client, or [`OURS`].
    calls: Mutex<Vec<Arc<AtomicU64>>>,
    closing: AtomicBool,
    connection: AtomicWaker,
    /// The budget in bytes for manifests that the client has not received yet.
    pub(super) manifests: Arc<Semaphore>,
    /// The place for one answer beyond this budget.
    pub(super) further: Arc<Semaphore>,
    /// The budget for calls that read manifests.
    pub(super) readers: Arc<Semaphore>,
    /// The moves of this client, and of all clients.
    moves: [Arc<AtomicU64>; 2],
    /// The encoded answers that wait to be sent.
    pub(super) unsent: OfConnection,
}

/// A call of a client that is in progress.
#[derive(Debug)]
pub(super) struct Turn {
    client: Arc<Client>,
    since: Arc<AtomicU64>,
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

impl Clients {
    /// Creates an empty list of clients.
    pub(super) fn new(options: &ServerOptions) -> Self {
        Self {
            epoch: Instant::now(),
            connected: Mutex::default(),
            chosen: Mutex::default(),
            next: AtomicU64::new(0),
            looked: AtomicU64::new(0),
            manifests: options.manifests_per_connection.clamp(1, Semaphore::MAX_PERMITS),
            readers: options.readers.max(1),
            moves: Arc::default(),
            places_for_new: options.connections / 4,
            stall: options.stall,
        }
    }

    /// Returns the number of bytes of manifests that one client may leave unread.
    pub(super) fn share(&self) -> usize {
        self.manifests
    }

    /// Returns a number that increases while any client receives answers that use much memory.
    pub(super) fn moves(&self) -> u64 {
        self.moves.load(Ordering::Relaxed)
    }

    /// Adds a client that has connected.
    pub(super) fn add(&self) -> Arc<Client> {
        let client = Arc::new(Client {
            number: self.next.fetch_add(1, Ordering::Relaxed),
            epoch: self.epoch,
            active: AtomicU64::new(milliseconds(self.epoch.elapsed())),
            greeted: AtomicBool::new(false),
            called: AtomicBool::new(false),
            calls: Mutex::default(),
            closing: AtomicBool::new(false),
            connection: AtomicWaker::new(),
            manifests: Arc::new(Semaphore::new(self.manifests)),
            further: Arc::new(Semaphore::new(1)),
            readers: Arc::new(Semaphore::new(self.readers)),
            moves: [Arc::default(), Arc::clone(&self.moves)],
            unsent: OfConnection::default(),
        });
        lock(&self.connected).insert(client.number, Arc::clone(&client));
        client
    }

    /// Removes a client whose connection is closed.
    pub(super) fn remove(&self, client: &Client) {
        lock(&self.connected).remove(&client.number);
    }

    /// Disconnects the client with the lowest priority.
    pub(super) fn close_one(&self) {
        let mut chosen = lock(&self.chosen);
        loop {
            let Some((rank, client)) = chosen.pop_front() else {
                *chosen = self.next_to_disconnect().into();
                if chosen.is_empty() {
                    return;
                }
                continue;
            };
            // The client may have made a call since then.
            if client.rank(self.stall) == Some(rank) {
                tracing::debug!(?rank, "a client was disconnected to make room for another");
                client.close();
                return;
            }
        }
    }

    /// Returns the clients to disconnect next, in order. Clients that connect in the meantime are disconnected only
    /// after them.
    fn next_to_disconnect(&self) -> Vec<(Rank, Arc<Client>)> {
        let mut ranked = self.ranked();
        let is_new = |(rank, _): &(Rank, _)| matches!(rank, Rank::New(_));
        let new = ranked.iter().filter(|ranked| is_new(ranked)).count();
        let by_rank = |(rank, client): &(Rank, Arc<Client>)| (*rank, client.number);
        let Some(mut first) = ranked.iter().map(by_rank).min() else {
            return ranked;
        };
        if matches!(first.0, Rank::New(_)) && new <= self.places_for_new {
            let others = ranked.iter().filter(|ranked| !is_new(ranked));
            first = others.map(by_rank).min().unwrap_or(first);
        }
        ranked.retain(|(rank, _)| discriminant(rank) == discriminant(&first.0));
        ranked.sort_unstable_by_key(by_rank);
        // Clients that connect in the meantime have a lower priority than clients that have made calls.
        let has_called = matches!(first.0, Rank::Idle(_) | Rank::Busy(_));
        ranked.truncate(if has_called { 1 } else { CHOSEN });
        ranked
    }

    /// Disconnects clients that leave answers unread, or requests unfinished, while other clients wait for room.
    pub(super) fn close_stalled(&self) {
        let now = milliseconds(self.epoch.elapsed());
        let looked = self.looked.load(Ordering::Relaxed);
        let again = now.saturating_sub(looked) >= LOOK;
        if !again
            || self
                .looked
                .compare_exchange(looked, now, Ordering::Relaxed, Ordering::Relaxed)
                .is_err()
        {
            return;
        }
        let stalled = self.ranked().into_iter();
        for (_, client) in stalled.filter(|(rank, _)| matches!(rank, Rank::Stalled(_))) {
            tracing::debug!("a client that does not read its responses was disconnected to make room for others");
            client.close();
        }
    }

    /// Returns all clients that are not being disconnected, with their ranks.
    fn ranked(&self) -> Vec<(Rank, Arc<Client>)> {
        let ranked = |client: &Arc<Client>| Some((client.rank(self.stall)?, Arc::clone(client)));
        lock(&self.connected).values().filter_map(ranked).collect()
    }
}

impl Client {
    fn now(&self) -> u64 {
        milliseconds(self.epoch.elapsed())
    }

    /// Records that the client speaks HTTP/2.
    pub(super) fn greeted(&self) {
        self.greeted.store(true, Ordering::Relaxed);
    }

    /// Returns whether the client speaks HTTP/2.
    pub(super) fn has_greeted(&self) -> bool {
        self.greeted.load(Ordering::Relaxed)
    }

    /// Records that the client has made a call of any kind.
    pub(super) fn called(&self) {
        self.called.store(true, Ordering::Relaxed);
        self.active.store(self.now(), Ordering::Relaxed);
    }

    /// Begins a call, which waits for the server at first.
    pub(super) fn begin(self: &Arc<Self>) -> Turn {
        let since = Arc::new(AtomicU64::new(OURS));
        lock(&self.calls).push(Arc::clone(&since));
        let client = Arc::clone(self);
        Turn { client, since }
    }

    /// Records that the client has received a part of an answer that uses much memory.
    pub(super) fn moved(&self) {
        for moves in &self.moves {
            moves.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Returns a number that increases while the client receives answers that use much memory.
    pub(super) fn moves(&self) -> u64 {
        let [own, _] = &self.moves;
        own.load(Ordering::Relaxed)
    }

    /// Returns the rank of the client; `None` if it is being disconnected.
    fn rank(&self, stall: Duration) -> Option<Rank> {
        if self.is_closing() {
            return None;
        }
        let active = self.active.load(Ordering::Relaxed);
        if !self.called.load(Ordering::Relaxed) {
            let age = self.now().saturating_sub(active);
            return Some(if age < milliseconds(NEW) {
                Rank::New(active)
            } else if self.has_greeted() {
                Rank::Uncalled(active)
            } else {
                Rank::Silent(active)
            });
        }
        let calls = lock(&self.calls);
        let Some(since) = calls.iter().map(|since| since.load(Ordering::Relaxed)).min() else {
            return Some(Rank::Idle(active));
        };
        let stalled = Duration::from_millis(self.now().saturating_sub(since));
        Some(if stalled > stall {
            Rank::Stalled(since)
        } else {
            Rank::Busy(since)
        })
    }

    /// Disconnects the client.
    fn close(&self) {
        self.closing.store(true, Ordering::Release);
        self.connection.wake();
    }

    /// Returns whether the client should be disconnected.
    pub(super) fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Acquire)
    }

    /// Returns whether the client should be disconnected. If not, registers the task of its connection, so that the
    /// task is woken when the client should be disconnected.
    pub(super) fn poll_closing(&self, connection: &Waker) -> bool {
        self.connection.register(connection);
        self.is_closing()
    }
}

impl Turn {
    /// Records that the call is waiting for the client, which has to send its request or read the answer.
    pub(super) fn of_client(&self) {
        self.since.store(self.client.now(), Ordering::Relaxed);
    }

    /// Records that the call is waiting for the server.
    pub(super) fn of_server(&self) {
        self.since.store(OURS, Ordering::Relaxed);
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut calls = lock(&self.client.calls);
        if let Some(at) = calls.iter().position(|since| Arc::ptr_eq(since, &self.since)) {
            calls.swap_remove(at);
        }
        self.client.active.store(self.client.now(), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STALL: Duration = Duration::from_secs(5);

    /// Returns the clients of a server that has been running for a minute.
    fn none_yet() -> Clients {
        let mut clients = Clients::new(&ServerOptions::default());
        clients.epoch -= Duration::from_mins(1);
        clients
    }

    fn closed(clients: &[&Arc<Client>]) -> Vec<bool> {
        clients.iter().map(|client| client.is_closing()).collect()
    }

    /// Returns clients for the ranks silent, uncalled, stalled, idle and busy, in this order. The first two still count
    /// as new.
    fn of_all_ranks(clients: &Clients) -> [Arc<Client>; 5] {
        let all = [(); 5].map(|()| clients.add());
        let [_, uncalled, stalled, idle, busy] = &all;
        for client in [uncalled, stalled, idle, busy] {
            client.greeted();
        }
        for client in [stalled, idle, busy] {
            client.called();
        }
        all
    }

    fn age(client: &Client) {
        client.active.fetch_sub(milliseconds(NEW), Ordering::Relaxed);
    }

    #[test]
    fn the_least_active_clients_are_closed_first() {
        let clients = none_yet();
        let [silent, uncalled, stalled, idle, busy] = &of_all_ranks(&clients);
        let (untaken, taken) = (stalled.begin(), busy.begin());
        untaken.since.store(1, Ordering::Relaxed);
        taken.of_server();
        let late = clients.add();
        for client in [silent, uncalled, &late] {
            age(client);
        }
        let in_order = [silent, &late, uncalled, stalled, idle, busy];
        for count in 0..in_order.len() {
            assert_eq!(closed(&in_order).iter().filter(|closed| **closed).count(), count);
            assert!(closed(&in_order)[..count].iter().all(|closed| *closed), "{count}");
            clients.close_one();
        }
        clients.close_one();
        assert_eq!(closed(&in_order), [true; 6]);
    }

    #[test]
    fn a_client_that_becomes_active_after_selection_is_kept() {
        let clients = none_yet();
        let all = [(); 3].map(|()| clients.add());
        clients.close_one();
        all[1].called();
        clients.close_one();
        assert_eq!(closed(&all.each_ref()), [true, false, true]);
    }

    #[test]
    fn some_connections_are_reserved_for_new_clients() {
        let mut clients = none_yet();
        clients.places_for_new = 2;
        let called = [(); 3].map(|()| clients.add());
        for client in &called {
            client.called();
        }
        let new = [(); 3].map(|()| clients.add());
        clients.close_one();
        assert_eq!(closed(&new.each_ref()), [true, false, false]);
        // Otherwise, the clients chosen earlier would be disconnected next.
        lock(&clients.chosen).clear();
        for count in 1..=3 {
            clients.close_one();
            assert_eq!(
                closed(&called.each_ref()).iter().filter(|closed| **closed).count(),
                count
            );
        }
        assert_eq!(closed(&new.each_ref()), [true, false, false]);
    }

    #[test]
    fn clients_that_have_called_are_not_closed_for_later_silent_ones() {
        let clients = none_yet();
        let called = clients.add();
        called.called();
        for _ in 0..3 {
            let silent = clients.add();
            age(&silent);
            clients.close_one();
            assert!(silent.is_closing());
        }
        assert!(!called.is_closing());
    }

    #[test]
    fn only_stalled_clients_are_closed_while_others_wait_for_room() {
        let clients = none_yet();
        let all = of_all_ranks(&clients);
        let (untaken, taken) = (all[2].begin(), all[4].begin());
        untaken.since.store(1, Ordering::Relaxed);
        taken.of_client();
        clients.close_stalled();
        assert_eq!(closed(&all.each_ref()), [false, false, true, false, false]);
    }

    #[test]
    fn a_call_counts_until_its_end() {
        let clients = none_yet();
        let client = clients.add();
        client.greeted();
        client.called();
        let (one, other) = (client.begin(), client.begin());
        drop(one);
        assert!(matches!(client.rank(STALL), Some(Rank::Busy(_))));
        drop(other);
        assert!(matches!(client.rank(STALL), Some(Rank::Idle(_))));
        clients.remove(&client);
        clients.close_one();
        assert!(!client.is_closing());
    }
}
