//! Starting the process.

use std::io;

/// The reason why the process cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The process cannot open as many files as the runtime needs.
    #[error("cannot open as many files as every command needs")]
    Files(#[source] io::Error),
    /// The process cannot start as many threads as it needs.
    #[error("cannot start the threads that the command needs")]
    Threads(#[source] io::Error),
    /// The runtime cannot be created for another reason.
    #[error("cannot start the runtime")]
    Runtime(#[source] io::Error),
}
