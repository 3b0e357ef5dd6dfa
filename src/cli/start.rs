//! Starting the process.

use std::io;

/// Why the process cannot begin its work.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// It may not open as many files as the runtime needs.
    #[error("cannot start: opening the files that every command needs: {0}")]
    Files(io::Error),
    /// It may not start as many threads as it needs.
    #[error("cannot start: starting the threads that the command needs: {0}")]
    Threads(io::Error),
    /// The system refuses something else.
    #[error("cannot start: {0}")]
    Runtime(io::Error),
}
