//! Changing an index image: its database is taken out, a copy of it changed and put into a new image. A file-based
//! catalog becomes a database first.

use super::deprecate::DeprecateError;
use super::gather::GatherError;
use super::image::{DATABASE_PATH, Program, dockerfile, image_of};
use super::import::{ImportError, NotKept, import};
use super::location::{FetchError, Fetched, IndexLocation};
use super::open::{self, Options, Target};
use super::program::{Binary, ProgramError, programs};
use super::remove::RemoveError;
use crate::catalog::file_based::read::CatalogLimits;
use crate::files::{FileError, Replacement, TemporaryFolder};
use crate::image::{Image, ImageError, Offer, Platform, Reference, Transports};
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
        /// What serves it there.
        server: Server,
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

/// Whose program serves an index from its image, and for which platforms.
#[derive(Debug, Clone)]
pub enum Server {
    /// This program itself, and each of these binaries of it for another platform.
    Opmx {
        /// The binaries. One for the platform of this program takes its place.
        binaries: Vec<Binary>,
        /// The image to stand on, of which each platform takes its own; without one, the image holds nothing else.
        base: Option<Reference>,
    },
    /// The program of the image to stand on.
    Base {
        /// That image.
        base: Reference,
        /// Stand on the images of all its platforms, and not only on that for the platform of the transports.
        all_platforms: bool,
    },
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
    /// The platforms that the image to begin with was for, and the new one is not.
    pub lost: Vec<Platform>,
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
    #[error("{0}")]
    Fetch(#[from] FetchError),
    /// The index to begin with is a file-based catalog that cannot become a database.
    #[error("{0}")]
    Import(#[from] ImportError),
    /// The bundles cannot be added.
    #[error("{0}")]
    Gather(#[from] GatherError),
    /// The packages cannot be taken out.
    #[error("{0}")]
    Remove(#[from] RemoveError),
    /// The bundles cannot be deprecated.
    #[error("{0}")]
    Deprecate(#[from] DeprecateError),
    /// The image to stand on cannot be read, or the new one not built or written.
    #[error("{0}")]
    Image(#[from] ImageError),
    /// A program cannot serve from an image.
    #[error("{0}")]
    Program(#[from] ProgramError),
    /// A file cannot be written.
    #[error("{0}")]
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
        Destination::Image { to, server } => publish(from, (to, server), making, change).await,
        Destination::Files {
            folder,
            dockerfile,
            base,
        } => generate(from, (folder, dockerfile, base), making, change).await,
        Destination::Nowhere => {
            let folder = TemporaryFolder::new()?;
            let database = folder.file("index.db")?;
            let (changed, not_kept) = change_copy(from, &database, making, change).await?;
            Ok(Published {
                made: Made::Nothing,
                changed,
                not_kept,
                lost: Vec::new(),
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
        let not_kept = import(&catalog, CatalogLimits::default(), target, making.writing)?;
        Ok(not_kept)
    };
    let Published { made, changed, .. } = make(None, destination, making, converting).await?;
    Ok(Published {
        made,
        changed: (),
        not_kept: changed,
        lost: Vec::new(),
    })
}

async fn publish<T>(
    from: Option<&IndexLocation>,
    (to, server): (&Reference, &Server),
    making: Making<'_>,
    change: impl AsyncFnOnce(&Target<'_>) -> Result<T, PublishError>,
) -> Result<Published<T>, PublishError> {
    let transports = making.transports;
    let programs = serving(server, transports).await?;
    let before = match from {
        Some(IndexLocation::Image(from)) if from.is_same_place(to) => Some(transports.resolve(to).await?),
        _ => None,
    };
    let offered = match from {
        Some(IndexLocation::Image(from)) => transports.offers(from).await?,
        _ => Vec::new(),
    };
    let folder = TemporaryFolder::new()?;
    let database = folder.file("index.db")?;
    let (changed, not_kept) = change_copy(from, &database, making, change).await?;
    let image = image_of(&database, &programs, transports.cache())?;
    let is_lost = |platform: &Platform| {
        !image
            .images()
            .iter()
            .any(|image| image.platform().as_ref() == Some(platform))
    };
    let lost = offered
        .into_iter()
        .map(|offer| offer.platform)
        .filter(is_lost)
        .collect();
    match transports.push_over(&image, to, before).await {
        Ok(pinned) => Ok(Published {
            made: Made::Image(pinned),
            changed,
            not_kept,
            lost,
        }),
        Err(ImageError::Moved { .. }) => Err(PublishError::Moved { image: to.clone() }),
        Err(error) => Err(error.into()),
    }
}

/// The programs of the image, with what they stand on.
async fn serving(server: &Server, transports: &Transports) -> Result<Vec<Program>, PublishError> {
    match server {
        Server::Opmx { binaries, base } => {
            let mut serving = Vec::new();
            for binary in programs(binaries)? {
                let base = match base {
                    Some(base) => Some(pull_for(&binary.platform, base, transports).await?),
                    None => None,
                };
                serving.push(Program::Binary { binary, base });
            }
            Ok(serving)
        }
        Server::Base {
            base,
            all_platforms: false,
        } => Ok(vec![Program::Base(transports.pull(base).await?)]),
        Server::Base {
            base,
            all_platforms: true,
        } => {
            let offers = transports.offers(base).await?;
            if offers.is_empty() {
                return Err(absent(base, "an image for any platform", &offers).into());
            }
            let mut serving = Vec::new();
            for offer in offers {
                let image = transports.pull(&base.with_digest(&offer.digest)).await?;
                serving.push(Program::Base(image));
            }
            Ok(serving)
        }
    }
}

/// The image of exactly this platform.
async fn pull_for(platform: &Platform, base: &Reference, transports: &Transports) -> Result<Image, ImageError> {
    let offers = transports.offers(base).await?;
    let Some(offer) = offers.iter().find(|offer| offer.platform == *platform) else {
        return Err(absent(base, &format!("an image for {platform}"), &offers));
    };
    transports.pull(&base.with_digest(&offer.digest)).await
}

fn absent(base: &Reference, what: &str, offers: &[Offer]) -> ImageError {
    ImageError::NotFound {
        image: base.to_string(),
        what: what.to_owned(),
        available: offers.iter().map(|offer| offer.platform.to_string()).collect(),
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
        lost: Vec::new(),
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
    let imported = folder.file("index.db")?;
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
            not_kept = import(catalog, CatalogLimits::default(), &target, &writing)?;
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
