//! Builds the image of a file-based catalog from its folder.

use super::check::check_catalog;
use super::image::{IndexContent, Program, image_of};
use super::location::CatalogFolder;
use super::server::{BaseDoubt, Server, ServerError, check_bases, serving};
use crate::catalog::file_based::error::CatalogError;
use crate::catalog::file_based::folder::files_inside;
use crate::catalog::file_based::limits::CatalogLimits;
use crate::catalog::file_based::{Schema, read::FileBasedCatalog};
use crate::diagnostic::Diagnostic;
use crate::image::{Image, ImageError, Platform, Reference, Transports};
use crate::olm::label::DATABASE_LABEL;
use crate::validation::Strictness;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The program that serves a catalog from its image.
#[derive(Debug, Clone)]
pub enum CatalogServer {
    /// A program in the image.
    Program(Server),
    /// No program. One image is built for each of these platforms, and OLM and catalogd extract the catalog from it.
    Absent(Vec<Platform>),
}

/// The options for building an image.
#[derive(Debug, Clone)]
pub struct CatalogImageOptions<'a> {
    /// The program that serves the catalog.
    pub server: CatalogServer,
    /// Additional labels. The label with the path of the catalog cannot be replaced.
    pub labels: BTreeMap<String, String>,
    /// The size limits of the catalog.
    pub limits: CatalogLimits,
    /// The strictness of the catalog check.
    pub strictness: &'a Strictness,
    /// The time recorded in the image, in seconds since 1970.
    pub epoch: u64,
}

impl<'a> CatalogImageOptions<'a> {
    /// Returns the options for an image without additional labels whose time is 1970.
    pub fn new(server: CatalogServer, strictness: &'a Strictness) -> Self {
        Self {
            server,
            labels: BTreeMap::new(),
            limits: CatalogLimits::default(),
            strictness,
            epoch: 0,
        }
    }
}

/// An image that was built and pushed.
#[derive(Debug)]
pub struct CatalogImage {
    /// The pinned reference of the image.
    pub pinned: Reference,
    /// The platforms of the image.
    pub platforms: Vec<Platform>,
    /// Findings about the catalog, none of which is an error.
    pub findings: Vec<Diagnostic>,
    /// The reasons why the image probably cannot serve the catalog.
    pub doubts: Vec<BaseDoubt>,
}

/// An error that prevents the build of an image. In this case, nothing was pushed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CatalogImageError {
    /// The catalog cannot be read.
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    /// The catalog has errors.
    #[error("the catalog {} has errors, so no image was built from it", folder.display())]
    Findings {
        /// The folder of the catalog.
        folder: PathBuf,
        /// All findings, including the errors.
        findings: Vec<Diagnostic>,
    },
    /// The catalog contains no package.
    #[error(transparent)]
    Empty(#[from] EmptyCatalog),
    /// The base image contains a database, which every reader would use instead of the catalog.
    #[error("the base image {base} is an index with a database")]
    BaseIsIndex {
        /// The base image.
        base: String,
    },
    /// The program or the base image cannot be used.
    #[error(transparent)]
    Server(#[from] ServerError),
    /// The image cannot be built or written.
    #[error(transparent)]
    Image(#[from] ImageError),
}

/// The error for a catalog that contains no package. Publishing it could replace an index that has packages.
#[derive(Debug, thiserror::Error)]
#[error("the catalog {} contains no package", catalog.display())]
pub struct EmptyCatalog {
    /// The folder or image of the catalog.
    pub catalog: PathBuf,
}

impl CatalogImageError {
    /// Returns the same error with another name for the catalog, for example if a temporary copy was read.
    pub(crate) fn named(self, name: &str) -> Self {
        match self {
            Self::Empty(_) => Self::Empty(EmptyCatalog { catalog: name.into() }),
            Self::Findings { findings, .. } => Self::Findings {
                folder: name.into(),
                findings: of_copy(findings, name),
            },
            error => error,
        }
    }
}

/// Returns findings about a temporary copy of the catalog `name`. They name the catalog instead of places in the copy,
/// whose files have other names and lines.
pub(crate) fn of_copy(findings: Vec<Diagnostic>, name: &str) -> Vec<Diagnostic> {
    let of_copy = |finding: Diagnostic| Diagnostic {
        message: format!("{name}: {}", finding.message),
        place: None,
        related: Vec::new(),
        edits: Vec::new(),
        ..finding
    };
    findings.into_iter().map(of_copy).collect()
}

/// Checks the catalog in a folder, then builds and pushes an image of it. The same catalog and options produce the same
/// digest.
///
/// ```
/// use opmx::image::{ImageOptions, Reference, Silent, Transports};
/// use opmx::index::catalog_image::{CatalogImageOptions, CatalogServer, build};
/// use opmx::validation::Strictness;
/// use std::path::Path;
/// use std::sync::Arc;
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let folder = tempfile::tempdir()?;
/// let to = Reference::layout(folder.path().join("images"), Some("v1".to_owned()))?;
/// let transports = Transports::new(ImageOptions::default(), Arc::new(Silent));
/// let server = CatalogServer::Absent(vec!["linux/amd64".parse()?, "linux/arm64".parse()?]);
/// let strictness = Strictness::default();
/// let options = CatalogImageOptions::new(server, &strictness);
/// let image = build(Path::new("testdata/catalog"), &to, &transports, &options).await?;
/// assert_eq!(image.platforms.len(), 2);
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Returns an error if the catalog has errors or contains no package, or if the image cannot be built or pushed.
pub async fn build(
    folder: &Path,
    to: &Reference,
    transports: &Transports,
    options: &CatalogImageOptions<'_>,
) -> Result<CatalogImage, CatalogImageError> {
    let findings = check_catalog(&CatalogFolder::from(folder), options.limits, options.strictness)?;
    if findings.iter().any(Diagnostic::is_error) {
        let folder = folder.to_owned();
        return Err(CatalogImageError::Findings { folder, findings });
    }
    let catalog = FileBasedCatalog::open(folder, options.limits)?;
    require_package(&catalog, folder)?;
    let content = IndexContent::Catalog(files_inside(folder, options.limits)?);
    let programs = match &options.server {
        CatalogServer::Program(server) => serving(server, transports).await?,
        CatalogServer::Absent(platforms) => platforms.iter().cloned().map(Program::Absent).collect(),
    };
    for program in &programs {
        refuse_index(program).map_err(|base| CatalogImageError::BaseIsIndex { base })?;
    }
    let doubts = check_bases(&programs, transports).map_err(ServerError::from)?;
    let tagged = image_of(&content, &options.labels, &programs, options.epoch, transports.cache())?;
    catalog.check_unchanged()?;
    let pinned = transports.push_over(&tagged, to, None).await?;
    Ok(CatalogImage {
        pinned,
        platforms: tagged.images().iter().filter_map(Image::platform).collect(),
        findings,
        doubts,
    })
}

/// Refuses a catalog without a package; the error names it `shown`.
pub(super) fn require_package(catalog: &FileBasedCatalog, shown: &Path) -> Result<(), EmptyCatalog> {
    if catalog.handles.iter().any(|handle| handle.schema == Schema::Package) {
        return Ok(());
    }
    let catalog = shown.to_owned();
    Err(EmptyCatalog { catalog })
}

/// Refuses a base image that is an index with a database; the error is the name of the image.
pub(super) fn refuse_index(program: &Program) -> Result<(), String> {
    match program {
        Program::Base(base) | Program::Binary { base: Some(base), .. } if base.label(DATABASE_LABEL).is_some() => {
            Err(base.origin().to_owned())
        }
        _ => Ok(()),
    }
}
