//! Templates with their bundles: fetched several at once, and rendered into the catalog that the template describes.

use super::sources::{Source, SourceError};
use super::{Options, RenderError, render_record};
use crate::bundle::location::{LoadError, Location, LocationError};
use crate::catalog::file_based::Bundle;
use crate::catalog::file_based::load::{self, Loaded};
use crate::catalog::file_based::template::{self, Image, Made, Template, TemplateError};
use crate::image::Transports;
use crate::index::intake::{IntakeError, Recording, prepare};
use crate::index::open::SourceLimits;
use futures_util::StreamExt;
use futures_util::stream;

/// The catalog that a template describes.
#[derive(Debug)]
pub struct TemplateCatalog(Vec<Made>);

/// Why a bundle of a template cannot be rendered.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    /// The template says neither a folder nor a reference.
    #[error("{0}")]
    Location(#[from] LocationError),
    /// It cannot be fetched.
    #[error("{0}")]
    Load(#[from] LoadError),
    /// It has errors.
    #[error("{0}")]
    Intake(#[from] IntakeError),
    /// It cannot be written as a document.
    #[error("{0}")]
    Render(#[from] RenderError),
}

/// Why a template gives no catalog.
#[derive(Debug, thiserror::Error)]
pub enum TemplateRenderError {
    /// Some bundles cannot be rendered, each with its place, in the order of the template.
    #[error("{} of {of} bundles cannot be rendered", .problems.len())]
    Bundles {
        /// The bundles, and what is wrong with them.
        problems: Vec<(Image, BundleError)>,
        /// How many bundles there are.
        of: usize,
    },
    /// The bundles do not fit the template.
    #[error("{0}")]
    Template(#[from] TemplateError),
}

/// Fetches and renders the bundles of a template, `parallel` at once. All are tried, so that all problems are said.
///
/// # Errors
/// When a bundle cannot be rendered, or the bundles do not fit the template.
pub async fn render(
    template: Template,
    transports: &Transports,
    limits: SourceLimits,
    options: Options,
    parallel: usize,
) -> Result<TemplateCatalog, TemplateRenderError> {
    let fetches = template
        .images
        .iter()
        .map(|image| bundle(&image.reference, transports, limits, options));
    let fetched: Vec<Result<Bundle, BundleError>> = stream::iter(fetches).buffered(parallel.max(1)).collect().await;
    let of = fetched.len();
    let (mut bundles, mut problems) = (Vec::with_capacity(of), Vec::new());
    for (image, fetched) in template.images.iter().zip(fetched) {
        match fetched {
            Ok(bundle) => bundles.push(bundle),
            Err(problem) => problems.push((image.clone(), problem)),
        }
    }
    if !problems.is_empty() {
        return Err(TemplateRenderError::Bundles { problems, of });
    }
    Ok(TemplateCatalog(template.documents(bundles)?))
}

async fn bundle(
    reference: &str,
    transports: &Transports,
    limits: SourceLimits,
    options: Options,
) -> Result<Bundle, BundleError> {
    let location: Location = reference.parse()?;
    let tree = location.load(transports, limits.bundle.tree).await?;
    let written = location.registry_reference().map(str::to_owned);
    let work = move || -> Result<Bundle, BundleError> {
        let recording = Recording {
            reference: written.as_deref(),
            by_reference: false,
        };
        let prepared = prepare(&tree, recording, &limits.bundle.text)?;
        Ok(render_record(&prepared.record, options)?)
    };
    let rendered = tokio::task::spawn_blocking(work).await;
    rendered.map_err(|_| LoadError::Interrupted)?
}

impl TemplateCatalog {
    /// Its documents, to be written.
    ///
    /// # Errors
    /// When one of them holds what JSON cannot.
    pub fn source(&self) -> Result<Source, SourceError> {
        Source::of_documents(&self.0)
    }

    /// What it says, to be drawn.
    ///
    /// # Errors
    /// When the documents do not fit together.
    pub fn load(&self) -> Result<Loaded, load::LoadError> {
        template::load(&self.0)
    }
}
