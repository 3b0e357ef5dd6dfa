//! A few connections to one database, lent to calls.

use crate::causes::with_causes;
use crate::database::read::{Database, FileWatch, ReadError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tonic::Status;

/// The connections of a server. All were opened when it began, and see the file as it was then.
#[derive(Debug)]
pub(super) struct Pool {
    idle: Mutex<Vec<Database>>,
    permits: Arc<Semaphore>,
    watch: FileWatch,
}

impl Pool {
    /// Lends `index` and as many more connections to its file as make `size`. From here on others may write the file,
    /// and are noticed.
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

    /// Lends a connection to `read`, here and now: what a call asks for is mostly in the memory of the system, and read
    /// sooner than another thread could be told to.
    ///
    /// # Errors
    /// `UNAVAILABLE` when the file is no longer what it was, `INTERNAL` when it cannot be read.
    pub(super) async fn read<T>(&self, read: impl FnOnce(&Database) -> Result<T, ReadError>) -> Result<T, Status> {
        let _permit = self.permits.acquire().await.map_err(|_| stopping())?;
        answer(self.lend(read))
    }

    /// Lends a connection to `read`, which takes long, on a thread that may wait for the disk.
    ///
    /// # Errors
    /// As [`Pool::read`].
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

    /// What `read` gives for a connection that nobody else has; none when all are lost.
    fn lend<T>(&self, read: impl FnOnce(&Database) -> Result<T, ReadError>) -> Option<Result<T, ReadError>> {
        let index = self.lock().pop()?;
        index.renew_budget();
        let result = read(&index);
        self.lock().push(index);
        Some(result)
    }

    /// Whether the file is still what it was when it was opened.
    pub(super) fn is_unchanged(&self) -> bool {
        self.watch.check_unchanged().is_ok()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Database>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn answer<T>(read: Option<Result<T, ReadError>>) -> Result<T, Status> {
    match read {
        Some(read) => read.map_err(|error| status(&error)),
        None => Err(Status::internal("a connection to the index was lost")),
    }
}

fn stopping() -> Status {
    Status::unavailable("the server is stopping")
}

fn status(error: &ReadError) -> Status {
    let said = with_causes(error);
    tracing::error!(error = said, "cannot answer");
    match error {
        ReadError::Changed { .. } => {
            Status::unavailable("the index was changed while it was being served; restart the server")
        }
        _ => Status::internal(said),
    }
}
