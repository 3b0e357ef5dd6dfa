//! A pool of connections to one database, which calls borrow.

use crate::causes::with_causes;
use crate::concurrent;
use crate::database::read::{Database, FileWatch, ReadError};
use std::fmt::Display;
use std::sync::{Arc, Mutex, MutexGuard};
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tonic::Status;

/// The connections of a server. All were opened when the server started, and read the file as it was then.
#[derive(Debug)]
pub(super) struct Pool {
    idle: Mutex<Vec<Database>>,
    permits: Arc<Semaphore>,
    watch: FileWatch,
}

impl Pool {
    /// Creates a pool of `size` connections: `index` and further connections to its file. From then on, other programs
    /// may write to the file, and such changes are detected.
    pub(super) fn new(index: Database, size: usize) -> Result<Self, ReadError> {
        let watch = index.watch();
        let mut idle = (1..size).map(|_| index.reopen()).collect::<Result<Vec<_>, _>>()?;
        index.let_others_write();
        idle.push(index);
        Ok(Self {
            permits: Arc::new(Semaphore::new(idle.len())),
            idle: Mutex::new(idle),
            watch,
        })
    }

    /// Lends a connection to `read` on the current thread: the requested data is usually cached by the system, so
    /// reading it is faster than switching to another thread.
    ///
    /// # Errors
    /// Returns `UNAVAILABLE` if the file has changed and `INTERNAL` if it cannot be read.
    pub(super) async fn read<T>(&self, read: impl FnOnce(&Database) -> Result<T, ReadError>) -> Result<T, Status> {
        let _permit = self.permits.acquire().await.map_err(|_| stopping())?;
        answer(self.lend(read))
    }

    /// Like [`Pool::read`], but runs `read` on a thread that may wait for the disk, because `read` takes a long time.
    ///
    /// # Errors
    /// Returns the same errors as [`Pool::read`].
    pub(super) async fn read_long<T: Send + 'static>(
        self: &Arc<Self>,
        read: impl FnOnce(&Database) -> Result<T, ReadError> + Send + 'static,
    ) -> Result<T, Status> {
        let permit = Arc::clone(&self.permits).acquire_owned().await;
        let permit = permit.map_err(|_| stopping())?;
        let pool = Arc::clone(self);
        let finished = spawn_blocking(move || {
            let result = pool.lend(read);
            drop(permit);
            result
        });
        answer(finished.await.unwrap_or_default())
    }

    /// Returns the result of `read` on an unused connection; `None` if all connections are lost.
    fn lend<T>(&self, read: impl FnOnce(&Database) -> Result<T, ReadError>) -> Option<Result<T, ReadError>> {
        let index = self.lock().pop()?;
        index.renew_budget();
        let result = read(&index);
        self.lock().push(index);
        Some(result)
    }

    /// Checks that the file is unchanged since it was opened.
    pub(super) fn check_unchanged(&self) -> Result<(), ReadError> {
        self.watch.check_unchanged()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Database>> {
        concurrent::lock(&self.idle)
    }
}

fn answer<T>(read: Option<Result<T, ReadError>>) -> Result<T, Status> {
    match read {
        Some(read) => read.map_err(|error| status(&error)),
        None => Err(Status::internal("a connection to the index was lost")),
    }
}

pub(super) fn stopping() -> Status {
    Status::unavailable("the server is stopping")
}

/// Returns the message for content that has changed since it was opened. Reading it again does not help a server.
pub(super) fn changed(what: impl Display) -> String {
    format!("{what} was changed while it was being served; restart the server")
}

pub(super) fn fault_of_database(error: &ReadError) -> String {
    match error {
        ReadError::Changed { path } => changed(path.display()),
        _ => with_causes(error),
    }
}

fn status(error: &ReadError) -> Status {
    let said = fault_of_database(error);
    tracing::error!(error = said, "cannot answer");
    match error {
        ReadError::Changed { .. } => Status::unavailable(changed("the index")),
        _ => Status::internal(said),
    }
}
