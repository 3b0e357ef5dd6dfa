//! Errors of archives.

use super::list::SCHEMA;
use crate::files::FileError;
use crate::image::volumes::{VolumeSizeError, VolumesError};
use crate::mirror::plan::PlanError;
use std::path::PathBuf;

/// An error while writing or reading an archive.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArchiveError {
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// A file is not an archive list, or is damaged.
    #[error("{} is not an archive list, or is damaged", path.display())]
    List {
        /// The file.
        path: PathBuf,
        /// The underlying error.
        source: serde_json::Error,
    },
    /// A volume was specified instead of its archive.
    #[error("{} is a volume of an archive, not the list of the archive", path.display())]
    Volume {
        /// The path of the volume.
        path: PathBuf,
    },
    /// The format version of the list is not supported.
    #[error("{} has the schema {found:?}, but this version of opmx supports only {SCHEMA:?}", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// The format version in the list.
        found: String,
    },
    /// An archive list names a volume that is not in the same folder.
    #[error("{} lists the volume {name:?}, which is not a file in the same folder", path.display())]
    Name {
        /// The file.
        path: PathBuf,
        /// The name of the volume.
        name: String,
    },
    /// An archive list contradicts itself, or exceeds a limit.
    #[error("{} {problem}", path.display())]
    Contradiction {
        /// The file.
        path: PathBuf,
        /// The problem with its content.
        problem: String,
    },
    /// A folder contains volumes without the list of the archive, which is written last.
    #[error("the archive in {} is not finished: it has volumes, but no list", folder.display())]
    Unfinished {
        /// The path of the folder.
        folder: PathBuf,
    },
    /// A folder contains no archive, or several archives.
    #[error("{} contains {} archives instead of one", folder.display(), names.len())]
    Ambiguous {
        /// The path of the folder.
        folder: PathBuf,
        /// The file names of the archive lists.
        names: Vec<String>,
    },
    /// The folder contains an archive with the same name but different content.
    #[error("{} is the list of another archive", path.display())]
    Taken {
        /// The file.
        path: PathBuf,
    },
    /// The folder contains this archive, but with volumes of another size.
    #[error("{} is the list of this archive with volumes of up to {recorded} bytes instead of {asked}", path.display())]
    OtherSize {
        /// The file.
        path: PathBuf,
        /// The maximum size of a volume that the list records.
        recorded: u64,
        /// The requested maximum size.
        asked: u64,
    },
    /// The base archive is incomplete.
    #[error("the archive {} is incomplete", path.display())]
    Incomplete {
        /// The file.
        path: PathBuf,
    },
    /// Another run is writing to the folder.
    #[error("another run is writing to {}", folder.display())]
    Busy {
        /// The folder.
        folder: PathBuf,
    },
    /// The volumes are too small.
    #[error(transparent)]
    Size(#[from] VolumeSizeError),
    /// A volume is missing or damaged.
    #[error(transparent)]
    Volumes(#[from] VolumesError),
    /// The plan in an archive is invalid.
    #[error("cannot read the plan in the archive {}", path.display())]
    Plan {
        /// The file with the list.
        path: PathBuf,
        /// The underlying error.
        source: PlanError,
    },
    /// The plan in an archive does not match the digest in its list.
    #[error("the volumes of the archive {} belong to another plan", path.display())]
    Swapped {
        /// The file with the list.
        path: PathBuf,
    },
    /// The archive contains the content of another plan than the one that was specified.
    #[error("the archive {} contains another plan", path.display())]
    OtherPlan {
        /// The file with the list.
        path: PathBuf,
    },
}
