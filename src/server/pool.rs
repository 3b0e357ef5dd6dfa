//! A few connections to one database, lent to threads that may wait for the disk.

use crate::index::read::{FileWatch, Index, ReadError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tonic::Status;

/// The connections of a server. All were opened when it began, and see the file as it was then.
#[derive(Debug)]
pub(super) struct Pool {
    idle: Mutex<Vec<Index>>,
    permits: Arc<Semaphore>,
    watch: FileWatch,
}

impl Pool {
    /// Lends `index` and as many more connections to its file as make `size`.
    pub(super) fn new(index: Index, size: usize) -> Result<Self, ReadError> {
        let watch = index.watch();
        let mut idle = (1..size).map(|_| index.reopen()).collect::<Result<Vec<_>, _>>()?;
        idle.push(index);
        Ok(Self {
            permits: Arc::new(Semaphore::new(idle.len())),
            idle: Mutex::new(idle),
            watch,
        })
    }

    /// Lends a connection to `read`, on a thread that may block.
    ///
    /// # Errors
    /// `UNAVAILABLE` when the file is no longer what it was, `INTERNAL` when it cannot be read.
    pub(super) async fn read<T: Send + 'static>(
        self: &Arc<Self>,
        read: impl FnOnce(&Index) -> Result<T, ReadError> + Send + 'static,
    ) -> Result<T, Status> {
        let permit = Arc::clone(&self.permits)
            .acquire_owned()
            .await
            .map_err(|_| Status::unavailable("the server is stopping"))?;
        let pool = Arc::clone(self);
        let finished = spawn_blocking(move || {
            let index = pool.lock().pop();
            let result = index.as_ref().map(read);
            pool.lock().extend(index);
            drop(permit);
            result
        });
        match finished.await {
            Ok(Some(Ok(value))) => Ok(value),
            Ok(Some(Err(error))) => Err(status(&error)),
            Ok(None) | Err(_) => Err(Status::internal("a connection to the index was lost")),
        }
    }

    /// Whether the file is still what it was when it was opened.
    pub(super) fn is_unchanged(&self) -> bool {
        self.watch.check_unchanged().is_ok()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Index>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn status(error: &ReadError) -> Status {
    tracing::error!(%error, "cannot answer");
    match error {
        ReadError::Changed { .. } => {
            Status::unavailable("the index was changed while it was being served; restart the server")
        }
        error => Status::internal(error.to_string()),
    }
}
