//! Renders templates: fetches their bundles, several at once, and renders the catalog that the template describes.

use super::bundle::{BundleError, RenderedBundle, render_bundle};
use super::sources::{RenderSource, SourceError, SourceOptions};
use crate::catalog::file_based::check::check_unplaced;
use crate::catalog::file_based::limits::CatalogLimits;
use crate::catalog::file_based::load::{self, Loaded};
use crate::catalog::file_based::template::{self, Image, Template, TemplateDocument, TemplateError};
use crate::concurrent;
use crate::counted::counted;
use crate::diagnostic::Diagnostic;
use crate::image::Transports;
use futures_util::StreamExt;

/// The catalog that a template describes.
#[derive(Debug)]
pub struct TemplateCatalog {
    documents: Vec<TemplateDocument>,
    /// Findings about the bundles.
    pub findings: Vec<Diagnostic>,
}

/// An error that prevents rendering a template.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TemplateRenderError {
    /// Some bundles cannot be rendered. Contains each of these bundles with its problem, in the order of the template.
    #[error("{} of {} cannot be rendered", .problems.len(), counted(*.of, "bundle"))]
    Bundles {
        /// The bundles, each with its problem.
        problems: Vec<(Image, BundleError)>,
        /// The number of bundles.
        of: usize,
    },
    /// The bundles do not match the template.
    #[error(transparent)]
    Template(#[from] TemplateError),
}

/// Fetches and renders the bundles of a template, `parallel` at once. All bundles are tried, so that all problems are
/// reported.
///
/// # Errors
/// Returns an error if a bundle cannot be rendered, or the bundles do not match the template.
pub async fn render(
    template: Template,
    transports: &Transports,
    opening: &SourceOptions<'_>,
    parallel: usize,
) -> Result<TemplateCatalog, TemplateRenderError> {
    let fetches = concurrent::in_order(&template.images, parallel, |image| {
        render_bundle(&image.reference, transports, opening)
    });
    let fetched: Vec<Result<RenderedBundle, BundleError>> = fetches.collect().await;
    let of = fetched.len();
    let (mut bundles, mut findings, mut problems) = (Vec::with_capacity(of), Vec::new(), Vec::new());
    for (image, fetched) in template.images.iter().zip(fetched) {
        match fetched {
            Ok(rendered) => {
                bundles.push(rendered.bundle);
                findings.extend(rendered.findings);
            }
            Err(problem) => problems.push((image.clone(), problem)),
        }
    }
    if !problems.is_empty() {
        return Err(TemplateRenderError::Bundles { problems, of });
    }
    let documents = template.documents(bundles)?;
    Ok(TemplateCatalog { documents, findings })
}

impl TemplateCatalog {
    /// Returns a source with the documents of the catalog, for writing.
    ///
    /// # Errors
    /// Returns an error if a document cannot be written as JSON.
    pub fn source(&self) -> Result<RenderSource, SourceError> {
        RenderSource::of_documents(&self.documents)
    }

    /// Checks the documents, except for items that other files of the catalog may contain. The findings have no places.
    ///
    /// # Errors
    /// Returns an error if a document cannot be written as JSON.
    pub fn check(&self, limits: CatalogLimits) -> Result<Vec<Diagnostic>, SourceError> {
        let documents = self.documents.iter();
        let documents = documents.map(|made| serde_json::to_string(&made.document()?));
        let documents = documents
            .collect::<Result<Vec<String>, _>>()
            .map_err(SourceError::Write)?;
        check_unplaced(&documents, limits).map_err(SourceError::Write)
    }

    /// Loads the catalog, to draw its graph.
    ///
    /// # Errors
    /// Returns an error if the documents are inconsistent.
    pub fn load(&self) -> Result<Loaded, load::LoadError> {
        template::load(&self.documents)
    }
}
