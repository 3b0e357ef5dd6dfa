//! Fetches, checks and renders a single bundle.

use super::sources::SourceOptions;
use super::{RenderError, render_record};
use crate::bundle::location::{LoadError, Location, LocationError};
use crate::bundle::stated::StatedAt;
use crate::catalog::file_based::document::Document;
use crate::catalog::file_based::draft::NewBundle;
use crate::catalog::file_based::migrate::{Level, migrated};
use crate::catalog::file_based::shown::Shown;
use crate::catalog::file_based::{Blob, Bundle, WrittenEntry};
use crate::concurrent;
use crate::diagnostic::Diagnostic;
use crate::image::Transports;
use crate::index::intake::{IntakeError, Recording, prepare};
use crate::version::parse_tolerant;
use futures_util::Stream;

/// An error that prevents rendering a bundle.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BundleError {
    /// The argument is neither a folder nor a reference.
    #[error(transparent)]
    Location(#[from] LocationError),
    /// The bundle cannot be fetched.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The bundle has errors.
    #[error(transparent)]
    Intake(#[from] IntakeError),
    /// The bundle cannot be written as a document.
    #[error(transparent)]
    Render(#[from] RenderError),
}

/// A bundle in catalog form, with the data that determines its position in the catalog.
#[derive(Debug)]
pub struct RenderedBundle {
    /// The document of the bundle.
    pub bundle: Bundle,
    /// The name of the bundle, with the bundles that its ClusterServiceVersion replaces and skips.
    pub entry: WrittenEntry,
    /// The version as written; may be empty.
    pub version: String,
    /// The channels in its annotations, sorted.
    pub channels: Vec<String>,
    /// The default channel in its annotations.
    pub default_channel: Option<String>,
    /// The places in the bundle's files that determine its position, as `FILE:LINE`.
    pub stated: StatedAt,
    /// Findings about the bundle, none of which is an error.
    pub findings: Vec<Diagnostic>,
}

/// Fetches a bundle by reference or from a folder, and renders it.
///
/// # Errors
/// Returns an error if the bundle cannot be fetched or has errors.
pub async fn render_bundle(
    reference: &str,
    transports: &Transports,
    opening: &SourceOptions<'_>,
) -> Result<RenderedBundle, BundleError> {
    let SourceOptions {
        limits,
        strictness,
        options,
        outside,
        published: _,
    } = opening.clone();
    let location: Location = reference.parse()?;
    let tree = location.load(transports, limits.bundle.tree).await?;
    let written = location.registry_reference().map(str::to_owned);
    let work = move || -> Result<RenderedBundle, BundleError> {
        let recording = Recording {
            reference: written.as_deref(),
            outside: outside.as_deref(),
            places: true,
            ..Recording::default()
        };
        let prepared = prepare(&tree, recording, &limits.bundle.text, &strictness)?;
        let record = &prepared.record;
        let entry = WrittenEntry {
            name: record.name().to_owned(),
            replaces: record.replaces.clone(),
            skips: record.skips.clone(),
            skip_range: record.rows.skip_range.clone(),
        };
        Ok(RenderedBundle {
            bundle: render_record(record, options)?,
            entry,
            version: record.version().to_owned(),
            channels: record.channels.iter().cloned().collect(),
            default_channel: record.default_channel.clone(),
            stated: record.stated.clone(),
            findings: prepared.diagnostics,
        })
    };
    let rendered = tokio::task::spawn_blocking(work).await;
    rendered.map_err(|_| LoadError::Interrupted)?
}

/// Fetches and renders several bundles, `parallel` at once. The results are in the order of the references.
pub fn render_bundles<'a>(
    references: Vec<&'a str>,
    transports: &'a Transports,
    opening: &'a SourceOptions<'a>,
    parallel: usize,
) -> impl Stream<Item = (&'a str, Result<RenderedBundle, BundleError>)> + 'a {
    concurrent::in_order(references, parallel, move |reference| async move {
        (reference, render_bundle(reference, transports, opening).await)
    })
}

impl RenderedBundle {
    /// Returns the bundle as it is added to a catalog, migrated to `level`.
    ///
    /// # Errors
    /// Returns an error if the document cannot be written as JSON.
    pub fn to_add(&self, level: Level) -> Result<NewBundle, serde_json::Error> {
        let document = Document::from_json(&serde_json::to_string(&Blob::Bundle(self.bundle.clone()))?)?;
        let document = serde_json::from_str(&serde_json::to_string(&migrated(document, level))?)?;
        Ok(NewBundle {
            document,
            entry: self.entry.clone(),
            version: parse_tolerant(&self.version),
            channels: self.channels.clone(),
            default_channel: self.default_channel.clone(),
            shown: Shown::of_bundle(&self.bundle),
            stated: self.stated.clone(),
        })
    }
}
