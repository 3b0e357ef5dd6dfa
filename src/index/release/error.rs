//! Why a version is not released.

use crate::catalog::file_based::edit::CatalogEditError;
use crate::catalog::file_based::template::{Image, TemplateError};
use crate::catalog::release::TemplateChangeError;
use crate::files::FileError;
use crate::index::render::bundle::BundleError;
use std::path::PathBuf;

/// Why a version is not released. Nothing has changed then.
#[derive(Debug, thiserror::Error)]
pub enum ReleaseError {
    /// The folder of the operator is not in a repository.
    #[error("{} is not the folder of an operator in a repository", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
    },
    /// A file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// The bundle cannot be rendered.
    #[error("cannot render {reference}")]
    Bundle {
        /// What names it.
        reference: String,
        /// Why not.
        source: Box<BundleError>,
    },
    /// Other bundles of a template cannot be rendered.
    #[error("{} of {of} bundles cannot be rendered", .problems.len())]
    Bundles {
        /// The bundles, and what is wrong with them.
        problems: Vec<(Image, BundleError)>,
        /// How many bundles there are.
        of: usize,
    },
    /// The bundle is of another package.
    #[error("{reference} is a bundle of package {found:?}, and the operator is {package:?}")]
    Package {
        /// What names the bundle.
        reference: String,
        /// Its package.
        found: String,
        /// The operator.
        package: String,
    },
    /// The bundle is of another version.
    #[error("{reference} is a bundle of version {found:?}, and {version:?} is to be released")]
    Version {
        /// What names the bundle.
        reference: String,
        /// Its version.
        found: String,
        /// The version that was asked for.
        version: String,
    },
    /// There is no folder of the version.
    #[error("{} has no folder of version {version:?} with a release-config.yaml", folder.display())]
    NoVersion {
        /// The folder of the operator.
        folder: PathBuf,
        /// The version.
        version: String,
    },
    /// The version does not fit into a template.
    #[error("{}: the version does not fit", template.display())]
    Template {
        /// The template.
        template: PathBuf,
        /// Why not.
        source: TemplateChangeError,
    },
    /// The template with the version is none.
    #[error(transparent)]
    Changed(#[from] TemplateError),
    /// A catalog cannot be changed.
    #[error(transparent)]
    Catalog(Box<CatalogEditError>),
    /// A catalog has what its template does not have.
    #[error("{} has what the template {template} does not have: {}", catalog.display(), documents.join(", "))]
    Foreign {
        /// The catalog.
        catalog: PathBuf,
        /// The name of the template.
        template: String,
        /// The documents.
        documents: Vec<String>,
    },
}

impl From<CatalogEditError> for ReleaseError {
    fn from(error: CatalogEditError) -> Self {
        Self::Catalog(Box::new(error))
    }
}
