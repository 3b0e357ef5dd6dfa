//! What a change writes, and its settings.

use crate::database::error::DatabaseError;
use crate::database::guard;
use std::path::Path;
use std::time::Duration;

/// The target of a change.
#[derive(Debug, Clone, Copy)]
pub enum Target<'a> {
    /// The database itself is changed, or created if absent.
    InPlace(&'a Path),
    /// A changed copy of `from` is written to `to`; without `from`, the change starts with an empty index.
    Copy {
        /// The original database, which is only read.
        from: Option<&'a Path>,
        /// The file to write; replaced if it exists.
        to: &'a Path,
        /// The file in error messages. It differs from `to` if the copy is moved to its place later, together with
        /// other files.
        shown: &'a Path,
    },
}

impl Target<'_> {
    /// Returns the file that is written.
    pub fn path(&self) -> &Path {
        match self {
            Self::InPlace(path) => path,
            Self::Copy { to, .. } => to,
        }
    }

    /// Returns the file that is written, as error messages name it.
    pub(in crate::database) fn path_in_messages(&self) -> &Path {
        match self {
            Self::InPlace(path) => path,
            Self::Copy { shown, .. } => shown,
        }
    }

    /// Returns the file that provides the original content; if there is none, the file that is written.
    pub(in crate::database) fn origin(&self) -> &Path {
        match self {
            Self::Copy { from: Some(from), .. } => from,
            other => other.path_in_messages(),
        }
    }

    /// Converts an error from SQLite. The error names the original file if the copy is damaged, because the damage was
    /// already in the original.
    pub(in crate::database) fn failed(&self, options: &ChangeOptions, error: &rusqlite::Error) -> DatabaseError {
        match (
            DatabaseError::new(self.path_in_messages(), options.busy_timeout, error),
            self,
        ) {
            (DatabaseError::Damaged { source, .. }, Self::Copy { from: Some(from), .. }) => {
                let path = (*from).to_owned();
                DatabaseError::Damaged { path, source }
            }
            (DatabaseError::Steps { .. }, Self::Copy { from: Some(from), .. }) => {
                let path = (*from).to_owned();
                DatabaseError::Steps { path }
            }
            (other, _) => other,
        }
    }
}

/// The settings of a change other than its target.
#[derive(Debug, Clone, Copy)]
pub struct ChangeOptions {
    /// The maximum time to wait for another writer.
    pub busy_timeout: Duration,
    /// The creation time that a new database records, in seconds since 1970: `SOURCE_DATE_EPOCH` or 0, never the
    /// current time.
    pub epoch: i64,
    /// Whether to discard the result: the change can be reported, but nothing is written.
    pub dry_run: bool,
    /// The maximum number of steps that SQLite may take for the change. The limit protects against malicious databases.
    pub steps: u64,
}

impl Default for ChangeOptions {
    fn default() -> Self {
        Self {
            busy_timeout: Duration::from_secs(30),
            epoch: 0,
            dry_run: false,
            steps: guard::STEPS,
        }
    }
}
