//! Errors that prevent the release of a version.

use crate::catalog::file_based::edit::CatalogEditError;
use crate::catalog::file_based::template::{Image, TemplateError};
use crate::catalog::release::TemplateChangeError;
use crate::counted::counted;
use crate::files::FileError;
use crate::index::render::bundle::BundleError;
use std::path::PathBuf;

/// An error that prevents the release of a version. In this case, nothing was changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
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
        /// The reference or folder of the bundle.
        reference: String,
        /// The error from rendering the bundle.
        source: Box<BundleError>,
    },
    /// Some other bundles of a template cannot be rendered.
    #[error("{} of {} cannot be rendered", .problems.len(), counted(*.of, "bundle"))]
    Bundles {
        /// The bundles, each with its problem.
        problems: Vec<(Image, BundleError)>,
        /// The number of bundles.
        of: usize,
    },
    /// The package of the bundle is not the package of the operator.
    #[error("{reference} is a bundle of package {found:?}, but the operator is {package:?}")]
    Package {
        /// The reference or folder of the bundle.
        reference: String,
        /// The package of the bundle.
        found: String,
        /// The package of the operator.
        package: String,
    },
    /// The version of the bundle is not the requested version.
    #[error("{reference} is a bundle of version {found:?}, but {version:?} is being released")]
    Version {
        /// The reference or folder of the bundle.
        reference: String,
        /// The version of the bundle.
        found: String,
        /// The requested version.
        version: String,
    },
    /// The version has no folder with a `release-config.yaml`.
    #[error("{} has no folder with a release-config.yaml for version {version:?}", folder.display())]
    NoVersion {
        /// The folder of the operator.
        folder: PathBuf,
        /// The version.
        version: String,
    },
    /// The version cannot be added to a template.
    #[error("the version cannot be added to the template {}", template.display())]
    Template {
        /// The template.
        template: PathBuf,
        /// The problem with the template.
        source: Box<TemplateChangeError>,
    },
    /// The template is invalid after the version has been added.
    #[error(transparent)]
    Changed(#[from] TemplateError),
    /// A catalog cannot be changed.
    #[error(transparent)]
    Catalog(Box<CatalogEditError>),
    /// A catalog contains documents, or parts of documents, that its template does not contain.
    #[error("{} contains content that the template {template} does not contain: {}", catalog.display(), content.join(", "))]
    Foreign {
        /// The catalog.
        catalog: PathBuf,
        /// The name of the template.
        template: String,
        /// The documents, and the parts of documents.
        content: Vec<String>,
    },
}

impl From<CatalogEditError> for ReleaseError {
    fn from(error: CatalogEditError) -> Self {
        Self::Catalog(Box::new(error))
    }
}
