//! Building the image of a file-based catalog from its folder.

use super::check::check_catalog;
use super::image::{DATABASE_LABEL, IndexContent, Program, image_of};
use super::location::CatalogFolder;
use super::server::{Server, ServerError, serving};
use crate::catalog::file_based::read::{CatalogError, CatalogLimits, files_inside};
use crate::catalog::file_based::{Schema, read::FileBasedCatalog};
use crate::diagnostic::Diagnostic;
use crate::image::{Image, ImageError, Platform, Reference, Transports};
use crate::validation::Strictness;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What serves a catalog from its image.
#[derive(Debug, Clone)]
pub enum CatalogServer {
    /// A program in the image.
    Program(Server),
    /// None, in an image for each of these platforms. OLM and catalogd take the catalog out of the image.
    Absent(Vec<Platform>),
}

/// What is built.
#[derive(Debug, Clone)]
pub struct CatalogImageOptions<'a> {
    /// What serves the catalog.
    pub server: CatalogServer,
    /// More labels. That which says where the catalog is cannot be replaced.
    pub labels: BTreeMap<String, String>,
    /// How much the catalog may hold.
    pub limits: CatalogLimits,
    /// How strictly the catalog is judged.
    pub strictness: &'a Strictness,
    /// The time that the image carries, in seconds since 1970.
    pub epoch: u64,
}

/// An image that was built and pushed.
#[derive(Debug)]
pub struct CatalogImage {
    /// Its pinned reference.
    pub pinned: Reference,
    /// The platforms that it is for.
    pub platforms: Vec<Platform>,
    /// What is to be said about the catalog; none is an error.
    pub findings: Vec<Diagnostic>,
}

/// Why no image was built. Nothing was pushed then.
#[derive(Debug, thiserror::Error)]
pub enum CatalogImageError {
    /// The catalog cannot be read.
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    /// The catalog has errors.
    #[error("the catalog {} has errors, and no image was built of it", folder.display())]
    Findings {
        /// Its folder.
        folder: PathBuf,
        /// All findings, errors and others.
        findings: Vec<Diagnostic>,
    },
    /// There is nothing to serve.
    #[error("the catalog {} holds no package", folder.display())]
    Empty {
        /// Its folder.
        folder: PathBuf,
    },
    /// The base image brings a database, which every reader would take for the content.
    #[error("the base image {base} is an index with a database")]
    BaseIsIndex {
        /// The base.
        base: String,
    },
    /// The program or the image to stand on cannot be used.
    #[error(transparent)]
    Server(#[from] ServerError),
    /// The image cannot be built or written.
    #[error(transparent)]
    Image(#[from] ImageError),
}

/// Checks the catalog in a folder, and builds and pushes an image of it. The same catalog and options give the same
/// digest.
///
/// # Errors
/// When the catalog has errors or no package, and when the image cannot be built or pushed.
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
    if !catalog.handles.iter().any(|handle| handle.schema == Schema::Package) {
        let folder = folder.to_owned();
        return Err(CatalogImageError::Empty { folder });
    }
    let content = IndexContent::Catalog(files_inside(folder, options.limits)?);
    let programs = match &options.server {
        CatalogServer::Program(server) => serving(server, transports).await?,
        CatalogServer::Absent(platforms) => platforms.iter().cloned().map(Program::Absent).collect(),
    };
    for program in &programs {
        refuse_index(program).map_err(|base| CatalogImageError::BaseIsIndex { base })?;
    }
    let tagged = image_of(&content, &options.labels, &programs, options.epoch, transports.cache())?;
    catalog.check_unchanged()?;
    let pinned = transports.push_over(&tagged, to, None).await?;
    Ok(CatalogImage {
        pinned,
        platforms: tagged.images().iter().filter_map(Image::platform).collect(),
        findings,
    })
}

/// Refuses an image to stand on that is an index with a database, by its name.
pub(super) fn refuse_index(program: &Program) -> Result<(), String> {
    match program {
        Program::Base(base) | Program::Binary { base: Some(base), .. } if base.label(DATABASE_LABEL).is_some() => {
            Err(base.origin().to_owned())
        }
        _ => Ok(()),
    }
}
