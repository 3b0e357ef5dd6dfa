//! Changing an index image: its database is taken out, a copy of it changed and put into a new image. A file-based
//! catalog becomes a database first.

use super::deprecate::DeprecateError;
use super::gather::GatherError;
use super::image::{DATABASE_PATH, Program, StaticError, dockerfile, image_of, require_static};
use super::import::{ImportError, NotKept, import};
use super::location::{FetchError, Fetched, IndexLocation};
use super::open::{self, Options, Target};
use super::remove::RemoveError;
use crate::catalog::file_based::read::CatalogLimits;
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

/// What became of an index.
#[derive(Debug)]
pub struct Published<T> {
    /// What was made of it.
    pub made: Made,
    /// What the change returned.
    pub changed: T,
    /// What the index cannot hold of the file-based catalog that it was made of.
    pub not_kept: Vec<NotKept>,
}

/// How the index to begin with is read, and the changed one written.
#[derive(Clone, Copy)]
pub struct Making<'a> {
    /// Where images are.
    pub transports: &'a Transports,
    /// How large the database may be that is taken out of an image, in bytes.
    pub limit: u64,
    /// How databases are written.
    pub writing: &'a Options,
}

/// Why no new index was made. What was there before is unchanged.
#[derive(Debug, thiserror::Error)]
pub enum PublishError {
    /// The index to begin with cannot be had.
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// The index to begin with is a file-based catalog that cannot become a database.
    #[error(transparent)]
    Import(#[from] ImportError),
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

/// Makes of the index `from`, or of an empty one, what `change` leads to.
///
/// Where the new image takes the place of the one to begin with, and somebody else has moved that tag since, nothing
/// is pushed: so no bundle of another pipeline is lost.
///
/// # Errors
/// Those of `change`, and of reading the index to begin with and writing the image or the files.
pub async fn make<T>(
    from: Option<&IndexLocation>,
    destination: &Destination,
    making: Making<'_>,
    change: impl AsyncFnOnce(&Target<'_>) -> Result<T, PublishError>,
) -> Result<Published<T>, PublishError> {
    match destination {
        Destination::Image { to, base } => publish(from, (to, base.as_ref()), making, change).await,
        Destination::Files {
            folder,
            dockerfile,
            base,
        } => generate(from, (folder, dockerfile, base), making, change).await,
        Destination::Nowhere => {
            let folder = TemporaryFolder::new()?;
            let database = folder.path().join("index.db");
            let (changed, not_kept) = change_copy(from, &database, making, change).await?;
            Ok(Published {
                made: Made::Nothing,
                changed,
                not_kept,
            })
        }
    }
}

/// Makes an index of the file-based catalog `from`.
///
/// # Errors
/// When there is no valid catalog, and as [`make`].
pub async fn convert(
    from: &IndexLocation,
    destination: &Destination,
    making: Making<'_>,
) -> Result<Published<()>, PublishError> {
    let catalog = from.fetch_catalog(making.transports, making.limit).await?;
    let converting = async |target: &Target<'_>| {
        let not_kept = import(catalog.path(), CatalogLimits::default(), target, making.writing)?;
        Ok(not_kept)
    };
    let Published { made, changed, .. } = make(None, destination, making, converting).await?;
    Ok(Published {
        made,
        changed: (),
        not_kept: changed,
    })
}

async fn publish<T>(
    from: Option<&IndexLocation>,
    (to, base): (&Reference, Option<&Reference>),
    making: Making<'_>,
    change: impl AsyncFnOnce(&Target<'_>) -> Result<T, PublishError>,
) -> Result<Published<T>, PublishError> {
    let own = own_program()?;
    let transports = making.transports;
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
    let (changed, not_kept) = change_copy(from, &database, making, change).await?;
    let image = image_of(&database, &program)?;
    match transports.push_over(&image, to, before).await {
        Ok(pinned) => Ok(Published {
            made: Made::Image(pinned),
            changed,
            not_kept,
        }),
        Err(ImageError::Moved { .. }) => Err(PublishError::Moved { image: to.clone() }),
        Err(error) => Err(error.into()),
    }
}

async fn generate<T>(
    from: Option<&IndexLocation>,
    (folder, dockerfile_path, base): (&Path, &Path, &str),
    making: Making<'_>,
    change: impl AsyncFnOnce(&Target<'_>) -> Result<T, PublishError>,
) -> Result<Published<T>, PublishError> {
    let database = folder.join(DATABASE_PATH.trim_start_matches('/'));
    let folder = database.parent().unwrap_or(&database);
    std::fs::create_dir_all(folder).map_err(|error| FileError::new("create the directory", folder, error))?;
    let written = async {
        // Complete on the disk before the database takes its place, so that only a name is left to give.
        let dockerfile = prepared(dockerfile_path, &dockerfile(base))?;
        let changed = change_copy(from, &database, making, change).await?;
        dockerfile.commit()?;
        Ok(changed)
    };
    let written: Result<(T, Vec<NotKept>), PublishError> = written.await;
    if written.is_err() {
        // Only an empty folder goes: one that was made here for nothing.
        let _ = std::fs::remove_dir(folder);
    }
    let (changed, not_kept) = written?;
    let dockerfile = dockerfile_path.to_owned();
    Ok(Published {
        made: Made::Files { database, dockerfile },
        changed,
        not_kept,
    })
}

async fn change_copy<T>(
    from: Option<&IndexLocation>,
    to: &Path,
    making: Making<'_>,
    change: impl AsyncFnOnce(&Target<'_>) -> Result<T, PublishError>,
) -> Result<(T, Vec<NotKept>), PublishError> {
    let fetched = match from {
        Some(from) => Some(from.fetch_any(making.transports, making.limit).await?),
        None => None,
    };
    // What a catalog becomes lies here until the changed copy of it is written.
    let folder = TemporaryFolder::new()?;
    let imported = folder.path().join("index.db");
    let mut not_kept = Vec::new();
    let from = match &fetched {
        None => None,
        Some(Fetched::Database(database)) => Some(database.path()),
        Some(Fetched::Catalog(catalog)) => {
            let target = Target::Copy {
                from: None,
                to: &imported,
            };
            // Also where the change is only tried.
            let writing = Options {
                dry_run: false,
                ..*making.writing
            };
            not_kept = import(catalog.path(), CatalogLimits::default(), &target, &writing)?;
            Some(&*imported)
        }
    };
    let target = Target::Copy { from, to };
    open::check(&target).map_err(GatherError::from)?;
    Ok((change(&target).await?, not_kept))
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
