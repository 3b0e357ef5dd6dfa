//! Changes an index image: its database is extracted, and a changed copy of the database is put into a new image. For a
//! file-based catalog, a database is made first. The changes to the database are then repeated in the catalog, and the
//! catalog is put into the new image.

mod changed_copy;
mod index_change;

use super::catalog_image::refuse_index;
use super::follow::FollowError;
use super::image::{DATABASE_PATH, IndexContent, Program, dockerfile, image_of};
use super::import::{ImportError, Imported, import_packages};
use super::location::{FetchError, IndexLocation};
use super::open::OpenLimits;
use super::program::ProgramError;
use super::server::{BaseDoubt, Server, ServerError, check_bases, serving};
use crate::catalog::graph::Mode;
use crate::database::change::{ChangeOptions, Target};
use crate::database::error::DatabaseError;
use crate::files::{self, FileError, FolderChange, TemporaryFolder, directory_of};
use crate::image::{Digest, ImageError, Platform, Race, Reference, TagState, Tagged, Transports};
use crate::validation::Strictness;
pub use index_change::{AddBundles, Applied, ChangeError, IndexChange};

use changed_copy::{Copied, change_copy};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The destination of a changed index.
#[derive(Debug, Clone)]
#[expect(clippy::large_enum_variant, reason = "a command has only one destination")]
pub enum Destination {
    /// An image that serves the index.
    Image {
        /// The reference of the image.
        to: Reference,
        /// The program that serves the index from the image.
        server: Server,
    },
    /// Files from which another tool builds the image.
    Files {
        /// The folder for `database/index.db`; empty for the working directory.
        folder: PathBuf,
        /// The Dockerfile.
        dockerfile: PathBuf,
        /// The base image in the Dockerfile.
        base: String,
    },
    /// A database file that does not exist yet.
    Database(PathBuf),
    /// No destination: the change is tried and discarded.
    Nowhere,
}

/// The output of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PublishedOutput {
    /// An image, by its pinned reference.
    Image(Reference),
    /// A database and a Dockerfile.
    Files {
        /// The database.
        database: PathBuf,
        /// The Dockerfile.
        dockerfile: PathBuf,
        /// The base image in the Dockerfile.
        base: String,
    },
    /// A database file.
    Database(PathBuf),
    /// No output.
    Nothing,
}

/// The result of changing an index.
#[derive(Debug)]
pub struct Published<T> {
    /// The output of the change.
    pub made: PublishedOutput,
    /// The value that the change returned.
    pub changed: T,
    /// The findings about the file-based catalog from which the database was made.
    pub imported: Imported,
    /// The bundles that were removed because no channel of the file-based catalog lists them anymore.
    pub unlisted: Vec<String>,
    /// The platforms of the original image that the new image does not support.
    pub lost: Vec<Platform>,
    /// The reasons why the new image probably cannot serve the index.
    pub doubts: Vec<BaseDoubt>,
    /// The image that was replaced, unless it contained the original index.
    pub replaced: Option<Reference>,
    /// The number of times that the change was repeated on an image that another program had published in the meantime.
    pub redone: usize,
}

impl<T> Published<T> {
    /// Returns the result of a change that does not write an image.
    fn locally(made: PublishedOutput, changed: T, imported: Imported) -> Self {
        Self {
            made,
            changed,
            imported,
            unlisted: Vec::new(),
            lost: Vec::new(),
            doubts: Vec::new(),
            replaced: None,
            redone: 0,
        }
    }
}

/// The options for reading the original index and writing the changed index.
#[derive(Clone, Copy)]
pub struct PublishOptions<'a> {
    /// The access to images.
    pub transports: &'a Transports,
    /// The limits for reading the original index.
    pub limits: OpenLimits,
    /// The options for writing databases.
    pub writing: &'a ChangeOptions,
    /// The strictness of the checks of a file-based catalog.
    pub strictness: &'a Strictness,
    /// The form that a file-based catalog has in an image after the change.
    pub form: CatalogForm,
    /// The mode in which the change computes all channels of the packages that it touches; `None` if it changes only
    /// the channels that it names.
    pub mode: Option<Mode>,
    /// Whether to repeat the change on the new image if another program publishes an image under the same tag during
    /// the change.
    pub redo: bool,
}

/// The form that a file-based catalog has in an image after a change.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CatalogForm {
    /// A file-based catalog.
    #[default]
    Catalog,
    /// A database.
    Database,
}

/// The maximum number of attempts to make a change while other programs keep publishing.
const TRIES: usize = 20;

/// An error that prevents the creation of a new index. In this case, existing files and images are unchanged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PublishError {
    /// The original index cannot be fetched.
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// The original index is a file-based catalog that cannot be converted to a database.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// The file-based catalog cannot follow the change.
    #[error(transparent)]
    Follow(#[from] FollowError),
    /// The base image is an index with a database.
    #[error("the base image {base} is an index with a database")]
    BaseIsIndex {
        /// The base image.
        base: String,
    },
    /// The database cannot be written.
    #[error(transparent)]
    Database(#[from] DatabaseError),
    /// The change cannot be made.
    #[error(transparent)]
    Change(#[from] ChangeError),
    /// The base image cannot be read, or the new image cannot be built or written.
    #[error(transparent)]
    Image(#[from] ImageError),
    /// A program cannot serve an index from an image.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// A file cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The target of the new database already exists.
    #[error("{} already exists", file.display())]
    Taken {
        /// The path.
        file: PathBuf,
    },
}

impl From<ServerError> for PublishError {
    fn from(error: ServerError) -> Self {
        match error {
            ServerError::Program(error) => Self::Program(error),
            ServerError::Image(error) => Self::Image(error),
        }
    }
}

/// Applies `change` to the index `from`, or to an empty index, and writes the result to `destination`.
///
/// If another program moves the tag of the new image in the meantime, the change is repeated on the image that the
/// other program published. Thus, no bundle that the other program added is lost. Without an original index, or without
/// [`PublishOptions::redo`], the moved tag causes the error [`ImageError::Moved`].
///
/// # Errors
/// Returns an error if `change` fails, if the original index cannot be read, or if the image or the files cannot be
/// written.
pub async fn make<C: IndexChange>(
    from: Option<&IndexLocation>,
    destination: &Destination,
    options: PublishOptions<'_>,
    change: C,
) -> Result<Published<C::Outcome>, PublishError> {
    match destination {
        Destination::Image { to, server } => publish(from, (to, server), options, change).await,
        Destination::Files {
            folder,
            dockerfile,
            base,
        } => generate(from, (folder, dockerfile, base), options, change).await,
        Destination::Database(file) => {
            if file.symlink_metadata().is_ok() {
                // A process that was killed after it had finished its work may have left files that it no longer
                // needed.
                files::remove_leftovers_beside(file);
                drop(TemporaryFolder::new()?);
                let file = file.clone();
                return Err(PublishError::Taken { file });
            }
            let Copied { changed, imported, .. } =
                change_copy(from, (file, file), options, &change, Applied::No).await?;
            let made = PublishedOutput::Database(file.clone());
            Ok(Published::locally(made, changed, imported))
        }
        Destination::Nowhere => {
            let folder = TemporaryFolder::new()?;
            let database = folder.file("index.db")?;
            let mut copied = change_copy(from, (&database, &database), options, &change, Applied::No).await?;
            let followed = copied.follow::<C>(&database, options)?;
            let published = Published::locally(PublishedOutput::Nothing, copied.changed, copied.imported);
            Ok(Published {
                unlisted: followed.map(|followed| followed.unlisted).unwrap_or_default(),
                ..published
            })
        }
    }
}

/// Makes an index from the file-based catalog `from`.
///
/// # Errors
/// Returns an error if there is no valid catalog, or if [`make`] fails.
pub async fn convert(
    from: &IndexLocation,
    destination: &Destination,
    options: PublishOptions<'_>,
) -> Result<Published<()>, PublishError> {
    let catalog = from.fetch_catalog(options.transports, options.limits.image).await?;
    let converting = |target: &Target<'_>, _: Applied| {
        let limits = options.limits.catalog;
        let (strictness, writing) = (options.strictness, options.writing);
        Ok(import_packages(&catalog, from, limits, strictness, target, writing)?)
    };
    let published = make(None, destination, options, converting).await?;
    Ok(Published {
        made: published.made,
        changed: (),
        imported: published.changed,
        unlisted: published.unlisted,
        lost: published.lost,
        doubts: published.doubts,
        replaced: published.replaced,
        redone: published.redone,
    })
}

async fn publish<C: IndexChange>(
    from: Option<&IndexLocation>,
    (to, server): (&Reference, &Server),
    options: PublishOptions<'_>,
    change: C,
) -> Result<Published<C::Outcome>, PublishError> {
    let transports = options.transports;
    let before = transports.state(to).await?;
    let programs = serving(server, transports).await?;
    let doubts = check_bases(&programs, transports)?;
    let mut start = Start {
        from: from.cloned(),
        over: before,
        applied: Applied::No,
        lost: None,
    };
    let mut redone = 0;
    loop {
        let (image, changed, offered) = changed_image(&start, &programs, options, &change).await?;
        match transports.push_over(&image, to, Some(start.over)).await {
            Ok(pinned) => {
                let is_new = before.digest() != pinned.digest();
                return Ok(Published {
                    made: PublishedOutput::Image(pinned),
                    changed: changed.changed,
                    imported: changed.imported,
                    unlisted: changed.unlisted,
                    lost: offered
                        .into_iter()
                        .filter(|platform| !is_for(&image, platform))
                        .collect(),
                    doubts,
                    replaced: replaced(from, to, before).filter(|_| redone == 0 && is_new),
                    redone,
                });
            }
            Err(ImageError::Moved { race, .. }) if from.is_some() && options.redo && redone + 1 < TRIES => {
                start = start.after(race, from, to, image.digest())?;
                redone += 1;
                tracing::info!(image = %to, now = %start.over, "repeating the change");
            }
            Err(error) => return Err(error.into()),
        }
    }
}

/// The starting point of a change.
struct Start {
    /// The index; `None` for an empty index.
    from: Option<IndexLocation>,
    /// The expected state of the tag.
    over: TagState,
    applied: Applied,
    /// An image that another program published and this call replaced. The change is repeated on the replaced image.
    /// Until the result is published, the tag refers to an image without the changes of the other program.
    lost: Option<Digest>,
}

impl Start {
    /// Returns the new starting point after another program moved the tag `to`. The call started from `first`, and has
    /// built the image `ours`.
    fn after(
        self,
        race: Race,
        first: Option<&IndexLocation>,
        to: &Reference,
        ours: Digest,
    ) -> Result<Self, ImageError> {
        let (from, over, applied, lost) = match race {
            // The tag was moved again, so it is not known whether the image under it contains the changes in `lost`.
            Race::Unknown { .. } | Race::Before { .. } | Race::After { .. } if self.lost.is_some() => {
                let (image, lost) = (to.to_string(), self.lost);
                let race = Race::Unknown { lost };
                return Err(ImageError::Moved { image, race });
            }
            Race::Unknown { .. } => {
                let image = to.to_string();
                return Err(ImageError::Moved { image, race });
            }
            Race::Before { found } => (found.digest(), found, self.applied, None),
            Race::After { found } => (found.digest(), found, Applied::Maybe, None),
            Race::Over { lost } => (Some(lost), TagState::Image(ours), self.applied, Some(lost)),
        };
        let from = match (from, to) {
            (None, _) => first.cloned(),
            (Some(digest), Reference::Registry(_)) => Some(IndexLocation::Image(to.with_digest(&digest))),
            // Outside a registry, the tag leads to the current image, which is compared with `over` once more.
            (Some(_), _) => Some(IndexLocation::Image(to.clone())),
        };
        Ok(Self {
            from,
            over,
            applied,
            lost,
        })
    }
}

/// The result of a change whose index is in an image.
struct Change<T> {
    changed: T,
    imported: Imported,
    unlisted: Vec<String>,
}

/// Returns the image of the changed index, the result of the change, and the platforms of the original image.
async fn changed_image<C: IndexChange>(
    start: &Start,
    programs: &[Program],
    options: PublishOptions<'_>,
    change: &C,
) -> Result<(Tagged, Change<C::Outcome>, Vec<Platform>), PublishError> {
    let from = start.from.as_ref();
    let offered = match from {
        Some(IndexLocation::Image(from)) => options.transports.offers(from).await?,
        _ => Vec::new(),
    };
    let folder = TemporaryFolder::new()?;
    let database = folder.file("index.db")?;
    let mut copied = change_copy(from, (&database, &database), options, change, start.applied).await?;
    let epoch = options.writing.epoch.try_into().unwrap_or_default();
    let followed = copied.follow::<C>(&database, options)?;
    if followed.is_some() {
        for program in programs {
            refuse_index(program).map_err(|base| PublishError::BaseIsIndex { base })?;
        }
    }
    let content = match &followed {
        Some(followed) => IndexContent::Catalog(followed.files.clone()),
        None => IndexContent::Database(database),
    };
    let image = image_of(&content, &BTreeMap::new(), programs, epoch, options.transports.cache())?;
    let offered = offered.into_iter().map(|offer| offer.platform).collect();
    let changed = Change {
        changed: copied.changed,
        imported: copied.imported,
        unlisted: followed.map(|followed| followed.unlisted).unwrap_or_default(),
    };
    Ok((image, changed, offered))
}

/// Returns whether one of the images is for this platform.
fn is_for(tagged: &Tagged, platform: &Platform) -> bool {
    let mut images = tagged.images().iter();
    images.any(|image| image.platform().as_ref() == Some(platform))
}

/// Returns the image that a tag referred to, unless it is the original index.
fn replaced(from: Option<&IndexLocation>, to: &Reference, before: TagState) -> Option<Reference> {
    let before = before.digest()?;
    match from {
        Some(IndexLocation::Image(from)) if from.is_same_place(to) || from.digest() == Some(before) => None,
        _ => Some(to.with_digest(&before)),
    }
}

async fn generate<C: IndexChange>(
    from: Option<&IndexLocation>,
    (folder, dockerfile_path, base): (&Path, &Path, &str),
    options: PublishOptions<'_>,
    change_database: C,
) -> Result<Published<C::Outcome>, PublishError> {
    let database = folder.join(DATABASE_PATH.trim_start_matches('/'));
    // This step comes first because it finishes an interrupted change, which may affect the original index and the
    // Dockerfile.
    let change = FolderChange::new(&directory_of(&database))?;
    let dockerfile = files::prepare(dockerfile_path, dockerfile(base).as_bytes())?;
    let staged = change.path().join(database.file_name().unwrap_or_default());
    let copied = change_copy(from, (&staged, &database), options, &change_database, Applied::No).await?;
    change.commit_with(dockerfile)?;
    let dockerfile = dockerfile_path.to_owned();
    let base = base.to_owned();
    let made = PublishedOutput::Files {
        database,
        dockerfile,
        base,
    };
    Ok(Published::locally(made, copied.changed, copied.imported))
}
