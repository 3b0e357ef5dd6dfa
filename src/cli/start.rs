//! Starting the process.

use std::io;

/// Why the process cannot begin its work.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// It may not open as many files as the runtime needs.
    #[error("cannot start: opening the files that every command needs")]
    Files(#[source] io::Error),
    /// It may not start as many threads as it needs.
    #[error("cannot start: starting the threads that the command needs")]
    Threads(#[source] io::Error),
    /// The system refuses something else.
    #[error("cannot start")]
    Runtime(#[source] io::Error),
}
