//! Bounds the answers that wait in memory to be sent.
//!
//! The windows of HTTP/2 do not bound them, because the client chooses their size. A client that opens large windows
//! and does not read would let the server encode whole answers.

use futures_util::task::AtomicWaker;
use prost::bytes::Bytes;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

/// The number of unsent bytes from which a call encodes no more of its answer.
const OF_CALL: usize = 64 << 10;

/// The maximum number of bytes of an answer that are sent together. Two pieces may be unsent at a time, so that one is
/// always ready.
const PIECE: usize = OF_CALL / 2;

/// The number of unsent bytes on one connection from which a call encodes more only if it has sent everything.
const OF_CONNECTION: usize = 1 << 20;

/// The number of unsent bytes of a connection.
pub(super) type OfConnection = Arc<AtomicUsize>;

/// The unsent bytes of a call.
#[derive(Debug)]
pub(super) struct Outgoing {
    /// The rest of encoded data, which is sent in pieces. So a client that receives a long message slowly can be
    /// distinguished from one that does not receive it.
    rest: Bytes,
    unsent: Arc<Unsent>,
}

#[derive(Debug)]
struct Unsent {
    of_call: AtomicUsize,
    of_connection: OfConnection,
    waiting: AtomicWaker,
}

/// A part of an answer, which counts as unsent until it is dropped.
struct Part {
    bytes: Bytes,
    unsent: Arc<Unsent>,
}

impl Outgoing {
    pub(super) fn new(of_connection: OfConnection) -> Self {
        Self {
            rest: Bytes::new(),
            unsent: Arc::new(Unsent {
                of_call: AtomicUsize::new(0),
                of_connection,
                waiting: AtomicWaker::new(),
            }),
        }
    }

    /// Waits until the call may encode more of its answer. A call that has sent everything never waits, so that the
    /// calls on one connection cannot block each other.
    pub(super) fn poll_ready(&self, context: &mut Context<'_>) -> Poll<()> {
        if self.is_ready() {
            return Poll::Ready(());
        }
        self.unsent.waiting.register(context.waker());
        // Everything may have been sent before the waker was registered.
        if self.is_ready() {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    }

    fn is_ready(&self) -> bool {
        let of_call = self.unsent.of_call.load(Ordering::Acquire);
        of_call == 0 || of_call < OF_CALL && self.unsent.of_connection.load(Ordering::Relaxed) < OF_CONNECTION
    }

    /// Returns the first piece of encoded data, and keeps the rest for [`Outgoing::next_piece`].
    pub(super) fn first_piece(&mut self, mut data: Bytes) -> Bytes {
        let piece = data.split_to(data.len().min(PIECE));
        self.rest = data;
        self.count(piece)
    }

    /// Returns the next piece of data of which a piece has been returned before, if there is more.
    pub(super) fn next_piece(&mut self) -> Option<Bytes> {
        let data = std::mem::take(&mut self.rest);
        (!data.is_empty()).then(|| self.first_piece(data))
    }

    /// Returns whether all encoded data has been returned.
    pub(super) fn is_complete(&self) -> bool {
        self.rest.is_empty()
    }

    /// Counts a part of the answer until it has been sent.
    fn count(&self, bytes: Bytes) -> Bytes {
        self.unsent.of_call.fetch_add(bytes.len(), Ordering::Relaxed);
        self.unsent.of_connection.fetch_add(bytes.len(), Ordering::Relaxed);
        let unsent = Arc::clone(&self.unsent);
        Bytes::from_owner(Part { bytes, unsent })
    }
}

impl AsRef<[u8]> for Part {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        let length = self.bytes.len();
        self.unsent.of_connection.fetch_sub(length, Ordering::Relaxed);
        self.unsent.of_call.fetch_sub(length, Ordering::Release);
        self.unsent.waiting.wake();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::task::Waker;

    fn is_ready(call: &Outgoing) -> bool {
        call.poll_ready(&mut Context::from_waker(Waker::noop())).is_ready()
    }

    #[test]
    fn a_call_waits_until_its_answer_is_sent() {
        let call = Outgoing::new(OfConnection::default());
        let first = call.count(Bytes::from(vec![0; OF_CALL - 1]));
        assert!(is_ready(&call));
        let second = call.count(Bytes::from(vec![0; 2]));
        assert!(!is_ready(&call));
        let rest = first.slice(1..);
        drop((first, second));
        assert!(is_ready(&call) && rest.len() == OF_CALL - 2);
        drop(rest);
        assert_eq!(call.unsent.of_connection.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn a_long_message_is_returned_in_pieces() {
        let mut call = Outgoing::new(OfConnection::default());
        let data: Vec<u8> = (0..u8::MAX).cycle().take(2 * PIECE + 1).collect();
        let mut pieces = vec![call.first_piece(Bytes::from(data.clone()))];
        while !call.is_complete() {
            pieces.extend(call.next_piece());
        }
        assert!(call.next_piece().is_none());
        assert_eq!(pieces.iter().map(Bytes::len).collect::<Vec<_>>(), [PIECE, PIECE, 1]);
        assert_eq!(pieces.concat(), data);
    }

    #[test]
    fn calls_on_a_full_connection_send_one_part_at_a_time() {
        let connection = OfConnection::default();
        let [hog, other] = [(); 2].map(|()| Outgoing::new(Arc::clone(&connection)));
        let large = hog.count(Bytes::from(vec![0; OF_CONNECTION]));
        assert!(is_ready(&other));
        let part = other.count(Bytes::from_static(b"part"));
        assert!(!is_ready(&other));
        drop(part);
        assert!(is_ready(&other) && !is_ready(&hog));
        drop(large);
        assert!(is_ready(&hog));
    }
}
