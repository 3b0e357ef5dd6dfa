//! Changing an index image: its database is taken out, a copy of it changed and put into a new image.

use super::deprecate::DeprecateError;
use super::gather::GatherError;
use super::image::{DATABASE_PATH, Program, StaticError, dockerfile, image_of, require_static};
use super::location::{FetchError, IndexLocation};
use super::open::{self, Target};
use super::remove::RemoveError;
use crate::files::{FileError, Replacement, TemporaryFolder};
use crate::image::{Image, ImageError, Reference, Transports};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Where a changed index goes.
#[derive(Debug, Clone)]
#[expect(clippy::large_enum_variant, reason = "a command has one of them")]
pub enum Destination {
    /// Into an image that serves it.
    Image {
        /// Where the image goes.
        to: Reference,
        /// The image to stand on, whose program serves; without one, the image holds only this program itself.
        base: Option<Reference>,
    },
    /// Into files, for another tool to build the image.
    Files {
        /// The folder for `database/index.db`; empty for the working folder.
        folder: PathBuf,
        /// The Dockerfile.
        dockerfile: PathBuf,
        /// The image that the Dockerfile stands on.
        base: String,
    },
    /// Nowhere: the change is tried and thrown away.
    Nowhere,
}

/// What was made of a changed index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Made {
    /// An image, by its pinned reference.
    Image(Reference),
    /// Two files.
    Files {
        /// The database.
        database: PathBuf,
        /// The Dockerfile.
        dockerfile: PathBuf,
    },
    /// Nothing.
    Nothing,
}

/// Why no new index was made. What was there before is unchanged.
#[derive(Debug, thiserror::Error)]
pub enum PublishError {
    /// The index to begin with cannot be had.
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// The bundles cannot be added.
    #[error(transparent)]
    Gather(#[from] GatherError),
    /// The packages cannot be taken out.
    #[error(transparent)]
    Remove(#[from] RemoveError),
    /// The bundles cannot be deprecated.
    #[error(transparent)]
    Deprecate(#[from] DeprecateError),
    /// The image to stand on cannot be read, or the new one not built or written.
    #[error(transparent)]
    Image(#[from] ImageError),
    /// This program cannot serve from an image of its own.
    #[error(transparent)]
    Static(#[from] StaticError),
    /// A file cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The tag of the index to begin with names another image than it did.
    #[error("{image} was changed by somebody else meanwhile, so nothing was pushed")]
    Moved {
        /// The index.
        image: Reference,
    },
}

/// Makes of the index `from`, or of an empty one, what `change` leads to, and returns what was made with what `change`
/// returned. `limit` is how large the database may be that is taken out of an image, in bytes.
///
/// Where the new image takes the place of the one to begin with, and somebody else has moved that tag since, nothing
/// is pushed: so no bundle of another pipeline is lost.
///
/// # Errors
/// Those of `change`, and of reading the index to begin with and writing the image or the files.
pub async fn make<T>(
    from: Option<&IndexLocation>,
    destination: &Destination,
    limit: u64,
    transports: &Transports,
    change: impl AsyncFnOnce(&Target<'_>) -> Result<T, PublishError>,
) -> Result<(Made, T), PublishError> {
    match destination {
        Destination::Image { to, base } => {
            let base = base.as_ref();
            let (image, changed) = publish(from, (to, base), limit, transports, change).await?;
            Ok((Made::Image(image), changed))
        }
        Destination::Files {
            folder,
            dockerfile,
            base,
        } => {
            let (database, changed) = generate(from, (folder, dockerfile, base), limit, transports, change).await?;
            let dockerfile = dockerfile.clone();
            Ok((Made::Files { database, dockerfile }, changed))
        }
        Destination::Nowhere => {
            let folder = TemporaryFolder::new()?;
            let database = folder.path().join("index.db");
            let changed = change_copy(from, &database, limit, transports, change).await?;
            Ok((Made::Nothing, changed))
        }
    }
}

async fn publish<T>(
    from: Option<&IndexLocation>,
    (to, base): (&Reference, Option<&Reference>),
    limit: u64,
    transports: &Transports,
    change: impl AsyncFnOnce(&Target<'_>) -> Result<T, PublishError>,
) -> Result<(Reference, T), PublishError> {
    let own = own_program()?;
    let base: Option<Image> = match base {
        Some(base) => Some(transports.pull(base).await?),
        None => None,
    };
    let program = base.as_ref().map_or(Program::Static(&own), Program::Base);
    if let Program::Static(own) = program {
        require_static(own)?;
    }
    let before = match from {
        Some(IndexLocation::Image(from)) if from.is_same_place(to) => Some(transports.resolve(to).await?),
        _ => None,
    };
    let folder = TemporaryFolder::new()?;
    let database = folder.path().join("index.db");
    let changed = change_copy(from, &database, limit, transports, change).await?;
    let image = image_of(&database, &program)?;
    match transports.push_over(&image, to, before).await {
        Ok(pinned) => Ok((pinned, changed)),
        Err(ImageError::Moved { .. }) => Err(PublishError::Moved { image: to.clone() }),
        Err(error) => Err(error.into()),
    }
}

async fn generate<T>(
    from: Option<&IndexLocation>,
    (folder, dockerfile_path, base): (&Path, &Path, &str),
    limit: u64,
    transports: &Transports,
    change: impl AsyncFnOnce(&Target<'_>) -> Result<T, PublishError>,
) -> Result<(PathBuf, T), PublishError> {
    let database = folder.join(DATABASE_PATH.trim_start_matches('/'));
    let folder = database.parent().unwrap_or(&database);
    std::fs::create_dir_all(folder).map_err(|error| FileError::new("create the directory", folder, error))?;
    let written = async {
        // Complete on the disk before the database takes its place, so that only a name is left to give.
        let dockerfile = prepared(dockerfile_path, &dockerfile(base))?;
        let changed = change_copy(from, &database, limit, transports, change).await?;
        dockerfile.commit()?;
        Ok(changed)
    };
    let written: Result<T, PublishError> = written.await;
    if written.is_err() {
        // Only an empty folder goes: one that was made here for nothing.
        let _ = std::fs::remove_dir(folder);
    }
    Ok((database, written?))
}

async fn change_copy<T>(
    from: Option<&IndexLocation>,
    to: &Path,
    limit: u64,
    transports: &Transports,
    change: impl AsyncFnOnce(&Target<'_>) -> Result<T, PublishError>,
) -> Result<T, PublishError> {
    let start = match from {
        Some(from) => Some(from.fetch(transports, limit).await?),
        None => None,
    };
    let target = Target::Copy {
        from: start.as_ref().map(super::location::DatabaseFile::path),
        to,
    };
    open::check(&target).map_err(GatherError::from)?;
    change(&target).await
}

fn prepared(path: &Path, content: &str) -> Result<Replacement, FileError> {
    let mut replacement = Replacement::new(path)?;
    let file = replacement.file();
    file.write_all(content.as_bytes())
        .and_then(|()| file.sync_all())
        .map_err(|error| FileError::new("write", path, error))?;
    Ok(replacement)
}

fn own_program() -> Result<PathBuf, FileError> {
    std::env::current_exe().map_err(|error| FileError::new("find", "opmx", error))
}
