//! Changing an index image: its database is taken out, a copy of it changed and put into a new image. Of a file-based
//! catalog a database is made first; the catalog follows what changes there, and is put into the new image itself.

use super::catalog_image::refuse_index;
use super::follow::{FollowError, follow};
use super::gather::GatherError;
use super::image::{DATABASE_PATH, IndexContent, Program, dockerfile, image_of};
use super::import::{ImportError, Imported, import};
use super::location::{CatalogFolder, FetchError, Fetched, IndexLocation};
use super::open::OpenLimits;
use super::program::ProgramError;
use super::server::{Server, ServerError, serving};
use crate::database::add::promote::PromoteError;
use crate::database::change::{self, ChangeOptions, Target};
use crate::database::deprecate::DeprecateError;
use crate::database::error::DatabaseError;
use crate::database::named::UnknownBundles;
use crate::database::remove::RemoveError;
use crate::files::{self, FileError, FolderChange, Replacement, TemporaryFolder, directory_of};
use crate::image::{Digest, ImageError, Platform, Race, Reference, TagState, Tagged, Transports};
use crate::validation::Strictness;
use std::collections::BTreeMap;
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
    /// Into a database file, where nothing is yet.
    Database(PathBuf),
    /// Nowhere: the change is tried and thrown away.
    Nowhere,
}

/// What was made of a changed index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PublishedOutput {
    /// An image, by its pinned reference.
    Image(Reference),
    /// Two files.
    Files {
        /// The database.
        database: PathBuf,
        /// The Dockerfile.
        dockerfile: PathBuf,
    },
    /// A database file.
    Database(PathBuf),
    /// Nothing.
    Nothing,
}

/// Whether the index that a change is made to may hold it already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Applied {
    /// It does not.
    No,
    /// It may: a try before this one was published, and others have gone on from there.
    Maybe,
}

/// What became of an index.
#[derive(Debug)]
pub struct Published<T> {
    /// What was made of it.
    pub made: PublishedOutput,
    /// What the change returned.
    pub changed: T,
    /// What is to be said about the file-based catalog that it was made of.
    pub imported: Imported,
    /// The platforms that the image to begin with was for, and the new one is not.
    pub lost: Vec<Platform>,
    /// The image whose place was taken, unless it is what the index began with.
    pub replaced: Option<Reference>,
    /// How often the change was made again, on what somebody else had published meanwhile.
    pub redone: usize,
}

impl<T> Published<T> {
    /// What was made beside a registry, layout or archive.
    fn locally(made: PublishedOutput, changed: T, imported: Imported) -> Self {
        Self {
            made,
            changed,
            imported,
            lost: Vec::new(),
            replaced: None,
            redone: 0,
        }
    }
}

/// How the index to begin with is read, and the changed one written.
#[derive(Clone, Copy)]
pub struct PublishOptions<'a> {
    /// Where images are.
    pub transports: &'a Transports,
    /// How much may be read of the index to begin with.
    pub limits: OpenLimits,
    /// How databases are written.
    pub writing: &'a ChangeOptions,
    /// How strictly a file-based catalog is judged.
    pub strictness: &'a Strictness,
    /// What a file-based catalog becomes in an image.
    pub form: CatalogForm,
    /// Make the change again where somebody else publishes under the same tag meanwhile, on what they published.
    pub redo: bool,
}

/// What a file-based catalog becomes in an image, once it is changed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CatalogForm {
    /// A file-based catalog.
    #[default]
    Catalog,
    /// A database.
    Database,
}

/// How often a change is made on one index after another that others publish.
const TRIES: usize = 20;

/// Why a change to a database was not made.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    /// The bundles cannot be added.
    #[error(transparent)]
    Gather(#[from] GatherError),
    /// The packages cannot be taken out.
    #[error(transparent)]
    Remove(#[from] RemoveError),
    /// The bundles cannot be deprecated.
    #[error(transparent)]
    Deprecate(#[from] DeprecateError),
    /// The bundles cannot be published in further channels.
    #[error(transparent)]
    Promote(#[from] PromoteError),
    /// The file-based catalog cannot become a database.
    #[error(transparent)]
    Import(#[from] ImportError),
}

impl ChangeError {
    /// The same error about `from`, of which a copy was changed, in place of that copy.
    fn of_index(mut self, from: Option<&IndexLocation>) -> Self {
        let named = match &mut self {
            Self::Remove(RemoveError::Unknown { index, .. })
            | Self::Deprecate(DeprecateError::Unknown(UnknownBundles { index, .. }))
            | Self::Promote(PromoteError::Unknown(UnknownBundles { index, .. })) => Some(index),
            _ => None,
        };
        if let (Some(named), Some(from)) = (named, from) {
            *named = from.to_string();
        }
        self
    }
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
    /// The file-based catalog cannot become what the change leads to.
    #[error(transparent)]
    Follow(#[from] FollowError),
    /// The image to stand on is an index with a database.
    #[error("the base image {base} is an index with a database")]
    BaseIsIndex {
        /// The base.
        base: String,
    },
    /// The database cannot be written.
    #[error(transparent)]
    Database(#[from] DatabaseError),
    /// The change cannot be made.
    #[error(transparent)]
    Change(#[from] ChangeError),
    /// The image to stand on cannot be read, or the new one not built or written.
    #[error(transparent)]
    Image(#[from] ImageError),
    /// A program cannot serve from an image.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// A file cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// There is something where a new database is to be.
    #[error("there is something at {} already", file.display())]
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

/// Makes of the index `from`, or of an empty one, what `change` leads to.
///
/// Where somebody else moves the tag of the new image meanwhile, the change is made again on what they published, so
/// that no bundle of another pipeline is lost. Without an index to begin with that is an error, [`ImageError::Moved`].
///
/// # Errors
/// Those of `change`, and of reading the index to begin with and writing the image or the files.
pub async fn make<T>(
    from: Option<&IndexLocation>,
    destination: &Destination,
    options: PublishOptions<'_>,
    change: impl AsyncFn(&Target<'_>, Applied) -> Result<T, ChangeError>,
) -> Result<Published<T>, PublishError> {
    match destination {
        Destination::Image { to, server } => publish(from, (to, server), options, change).await,
        Destination::Files {
            folder,
            dockerfile,
            base,
        } => generate(from, (folder, dockerfile, base), options, change).await,
        Destination::Database(file) => {
            if file.symlink_metadata().is_ok() {
                // A process that was killed can have left what it needed no more when it had done its work.
                Replacement::remove_left_beside(file);
                drop(TemporaryFolder::new()?);
                let file = file.clone();
                return Err(PublishError::Taken { file });
            }
            let Copied { changed, imported, .. } = change_copy(from, file, options, &change, Applied::No).await?;
            let made = PublishedOutput::Database(file.clone());
            Ok(Published::locally(made, changed, imported))
        }
        Destination::Nowhere => {
            let folder = TemporaryFolder::new()?;
            let database = folder.file("index.db")?;
            let Copied { changed, imported, .. } = change_copy(from, &database, options, &change, Applied::No).await?;
            Ok(Published::locally(PublishedOutput::Nothing, changed, imported))
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
    options: PublishOptions<'_>,
) -> Result<Published<()>, PublishError> {
    let catalog = from.fetch_catalog(options.transports, options.limits.image).await?;
    let converting = async |target: &Target<'_>, _: Applied| {
        let limits = options.limits.catalog;
        Ok(import(&catalog, limits, options.strictness, target, options.writing)?)
    };
    let published = make(None, destination, options, converting).await?;
    Ok(Published {
        made: published.made,
        changed: (),
        imported: published.changed,
        lost: published.lost,
        replaced: published.replaced,
        redone: published.redone,
    })
}

async fn publish<T>(
    from: Option<&IndexLocation>,
    (to, server): (&Reference, &Server),
    options: PublishOptions<'_>,
    change: impl AsyncFn(&Target<'_>, Applied) -> Result<T, ChangeError>,
) -> Result<Published<T>, PublishError> {
    let transports = options.transports;
    let before = transports.state(to).await?;
    let programs = serving(server, transports).await?;
    let mut start = Start {
        from: from.cloned(),
        over: before,
        applied: Applied::No,
        lost: None,
    };
    let mut redone = 0;
    loop {
        let (image, changed, imported, offered) = changed_image(&start, &programs, options, &change).await?;
        match transports.push_over(&image, to, Some(start.over)).await {
            Ok(pinned) => {
                return Ok(Published {
                    made: PublishedOutput::Image(pinned),
                    changed,
                    imported,
                    lost: offered
                        .into_iter()
                        .filter(|platform| !is_for(&image, platform))
                        .collect(),
                    replaced: replaced(from, to, before).filter(|_| redone == 0),
                    redone,
                });
            }
            Err(ImageError::Moved { race, .. }) if from.is_some() && options.redo && redone + 1 < TRIES => {
                start = start.after(race, from, to, image.digest())?;
                redone += 1;
                tracing::info!(image = %to, now = %start.over, "making the change again");
            }
            Err(error) => return Err(error.into()),
        }
    }
}

/// What a change begins with.
struct Start {
    /// The index, where it does not begin empty.
    from: Option<IndexLocation>,
    /// What the tag stands for.
    over: TagState,
    applied: Applied,
    /// An image whose place was taken and whose changes are not under the tag, unless `from` brings them back.
    lost: Option<Digest>,
}

impl Start {
    /// What it begins with after somebody else moved the tag `to`. The call began with `first`, and has made `ours`.
    fn after(
        self,
        race: Race,
        first: Option<&IndexLocation>,
        to: &Reference,
        ours: Digest,
    ) -> Result<Self, ImageError> {
        let (from, over, applied, lost) = match race {
            // Those who took the place of `lost` here have moved on, and nobody knows all of their changes.
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
            // What stands there now, which is compared with `over` once more.
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

/// The image of the changed index, what the change returned, what the index cannot hold, and the platforms of the image
/// to begin with.
async fn changed_image<T>(
    start: &Start,
    programs: &[Program],
    options: PublishOptions<'_>,
    change: &impl AsyncFn(&Target<'_>, Applied) -> Result<T, ChangeError>,
) -> Result<(Tagged, T, Imported, Vec<Platform>), PublishError> {
    let from = start.from.as_ref();
    let offered = match from {
        Some(IndexLocation::Image(from)) => options.transports.offers(from).await?,
        _ => Vec::new(),
    };
    let folder = TemporaryFolder::new()?;
    let database = folder.file("index.db")?;
    let copied = change_copy(from, &database, options, change, start.applied).await?;
    let (changed, mut imported) = (copied.changed, copied.imported);
    let epoch = options.writing.epoch.try_into().unwrap_or_default();
    let followed = match &copied.made_of {
        Some(made_of) if options.form == CatalogForm::Catalog => {
            for program in programs {
                refuse_index(program).map_err(|base| PublishError::BaseIsIndex { base })?;
            }
            // The catalog has what the database has not.
            imported.not_kept.clear();
            let MadeOf { catalog, before, .. } = made_of;
            Some(follow(catalog, before, &database, options.limits.catalog)?)
        }
        _ => None,
    };
    let content = match &followed {
        Some(followed) => IndexContent::Catalog(followed.files.clone()),
        None => IndexContent::Database(database),
    };
    let image = image_of(&content, &BTreeMap::new(), programs, epoch, options.transports.cache())?;
    let offered = offered.into_iter().map(|offer| offer.platform).collect();
    Ok((image, changed, imported, offered))
}

/// Whether one of the images is for this platform.
fn is_for(tagged: &Tagged, platform: &Platform) -> bool {
    let mut images = tagged.images().iter();
    images.any(|image| image.platform().as_ref() == Some(platform))
}

/// The image that a tag stood for, unless it is the index to begin with.
fn replaced(from: Option<&IndexLocation>, to: &Reference, before: TagState) -> Option<Reference> {
    let before = before.digest()?;
    match from {
        Some(IndexLocation::Image(from)) if from.is_same_place(to) || from.digest() == Some(before) => None,
        _ => Some(to.with_digest(&before)),
    }
}

async fn generate<T>(
    from: Option<&IndexLocation>,
    (folder, dockerfile_path, base): (&Path, &Path, &str),
    options: PublishOptions<'_>,
    change_database: impl AsyncFn(&Target<'_>, Applied) -> Result<T, ChangeError>,
) -> Result<Published<T>, PublishError> {
    let database = folder.join(DATABASE_PATH.trim_start_matches('/'));
    // First of all: the change that it finishes may have left the index to begin with, and the Dockerfile.
    let change = FolderChange::new(&directory_of(&database))?;
    let dockerfile = files::prepare(dockerfile_path, dockerfile(base).as_bytes())?;
    let staged = change.path().join(database.file_name().unwrap_or_default());
    let copied = change_copy(from, &staged, options, &change_database, Applied::No).await?;
    change.commit_with(dockerfile)?;
    let dockerfile = dockerfile_path.to_owned();
    let made = PublishedOutput::Files { database, dockerfile };
    Ok(Published::locally(made, copied.changed, copied.imported))
}

/// A changed copy of an index.
struct Copied<T> {
    /// What the change returned.
    changed: T,
    imported: Imported,
    made_of: Option<MadeOf>,
}

/// The file-based catalog that a database was made of.
struct MadeOf {
    catalog: CatalogFolder,
    /// The database before the change.
    before: PathBuf,
    // Deleted with this value.
    _folder: TemporaryFolder,
}

async fn change_copy<T>(
    from: Option<&IndexLocation>,
    to: &Path,
    options: PublishOptions<'_>,
    change: &impl AsyncFn(&Target<'_>, Applied) -> Result<T, ChangeError>,
    applied: Applied,
) -> Result<Copied<T>, PublishError> {
    let named = from;
    let fetched = match from {
        Some(from) => Some(from.fetch_any(options.transports, options.limits.image).await?),
        None => None,
    };
    // What a catalog becomes lies here until the changed copy of it is written.
    let folder = TemporaryFolder::new()?;
    let database = folder.file("index.db")?;
    let mut imported = Imported::default();
    let from = match &fetched {
        None => None,
        Some(Fetched::Database(database)) => Some(database.path()),
        Some(Fetched::Catalog(catalog)) => {
            let target = Target::Copy {
                from: None,
                to: &database,
            };
            // Also where the change is only tried.
            let writing = ChangeOptions {
                dry_run: false,
                ..*options.writing
            };
            imported = import(catalog, options.limits.catalog, options.strictness, &target, &writing)?;
            Some(&*database)
        }
    };
    let target = Target::Copy { from, to };
    change::check(&target, options.writing)?;
    let changed = change(&target, applied).await.map_err(|error| error.of_index(named))?;
    let made_of = match fetched {
        Some(Fetched::Catalog(catalog)) => Some(MadeOf {
            catalog,
            before: database,
            _folder: folder,
        }),
        _ => None,
    };
    Ok(Copied {
        changed,
        imported,
        made_of,
    })
}
