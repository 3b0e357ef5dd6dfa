//! A stack that is deep enough for the deepest rules.

use std::panic::resume_unwind;
use std::thread;

/// The size of the stack in bytes. In unoptimized builds, parsing takes up to 180 KiB for each level of brackets, and
/// evaluation up to 40 KiB for each level of the tree; threads often have only 2 MiB. Memory is used only as it is
/// needed.
const STACK: usize = 64 << 20;

/// The depth of a tree that can be evaluated on the stack of any thread.
pub(super) const SHALLOW: usize = 16;

/// Runs `work` on a thread with a deep stack. Returns `None` if the system cannot start another thread.
pub(super) fn on_deep_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Option<T> {
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        Some(thread.ok()?.join().unwrap_or_else(|panic| resume_unwind(panic)))
    })
}
