//! A single bundle: fetched, judged and rendered.

use super::sources::SourceOptions;
use super::{RenderError, render_record};
use crate::bundle::location::{LoadError, Location, LocationError};
use crate::catalog::file_based::document::Document;
use crate::catalog::file_based::draft::NewBundle;
use crate::catalog::file_based::migrate::{Level, migrated};
use crate::catalog::file_based::{Blob, Bundle, WrittenEntry};
use crate::diagnostic::Diagnostic;
use crate::image::Transports;
use crate::index::intake::{IntakeError, Recording, prepare};
use crate::version::parse_tolerant;

/// Why a bundle cannot be rendered.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    /// What names it is neither a folder nor a reference.
    #[error(transparent)]
    Location(#[from] LocationError),
    /// It cannot be fetched.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// It has errors.
    #[error(transparent)]
    Intake(#[from] IntakeError),
    /// It cannot be written as a document.
    #[error(transparent)]
    Render(#[from] RenderError),
}

/// A bundle as a catalog has it, and what it says of its place there.
#[derive(Debug)]
pub struct RenderedBundle {
    /// Its document.
    pub bundle: Bundle,
    /// Its name, with what its ClusterServiceVersion replaces and skips.
    pub entry: WrittenEntry,
    /// Its version as written; may be empty.
    pub version: String,
    /// The channels of its annotations, sorted.
    pub channels: Vec<String>,
    /// The default channel of its annotations.
    pub default_channel: Option<String>,
    /// What was found about it; none is an error.
    pub findings: Vec<Diagnostic>,
}

/// Fetches a bundle by a reference or from a folder, and renders it.
///
/// # Errors
/// When it cannot be fetched or has errors.
pub async fn render_bundle(
    reference: &str,
    transports: &Transports,
    opening: &SourceOptions<'_>,
) -> Result<RenderedBundle, BundleError> {
    let SourceOptions {
        limits,
        strictness,
        options,
        ..
    } = opening.clone();
    let location: Location = reference.parse()?;
    let tree = location.load(transports, limits.bundle.tree).await?;
    let written = location.registry_reference().map(str::to_owned);
    let work = move || -> Result<RenderedBundle, BundleError> {
        let recording = Recording {
            reference: written.as_deref(),
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
            findings: prepared.diagnostics,
        })
    };
    let rendered = tokio::task::spawn_blocking(work).await;
    rendered.map_err(|_| LoadError::Interrupted)?
}

impl RenderedBundle {
    /// The bundle as it is added to a catalog, with old forms replaced up to a level.
    ///
    /// # Errors
    /// When the document holds what JSON cannot.
    pub fn to_add(&self, level: Level) -> Result<NewBundle, serde_json::Error> {
        let document = Document::from_json(&serde_json::to_string(&Blob::Bundle(self.bundle.clone()))?)?;
        let document = serde_json::from_str(&serde_json::to_string(&migrated(document, level))?)?;
        Ok(NewBundle {
            document,
            entry: self.entry.clone(),
            version: parse_tolerant(&self.version),
            channels: self.channels.clone(),
            default_channel: self.default_channel.clone(),
        })
    }
}
