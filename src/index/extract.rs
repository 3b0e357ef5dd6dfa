//! Extracts some packages of an index, with everything that they need, as a separate file-based catalog.
//!
//! For a database, the equivalent is a copy from which all other packages are removed: see [`crate::database::remove`].

use super::render::folder::{FolderError, write_folder};
use super::render::sources::{Form, RenderSource, SourceError, SourceOptions};
use crate::catalog::file_based::migrate::LostIcons;
use crate::catalog::selection::{Selection, SelectionError};
use crate::image::Transports;
use crate::resolver::closure::{Closure, Follow, of_packages};
use std::collections::BTreeSet;
use std::path::Path;

/// The packages to extract, and the target folder.
#[derive(Debug, Clone, Copy)]
pub struct ExtractOptions<'a> {
    /// The packages to extract.
    pub packages: &'a BTreeSet<String>,
    /// The kinds of needs to follow.
    pub follow: &'a Follow,
    /// The folder, which must not exist yet; `None` to only report the packages.
    pub folder: Option<&'a Path>,
    /// The form of the documents.
    pub form: Form,
}

/// The result of an extraction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extracted {
    /// The packages, each with the reasons for including it, and the unsatisfied needs.
    pub packages: Closure<String>,
    /// The number of catalog documents that were omitted because they belong to no package.
    pub left_out: usize,
    /// The names of the bundles of a database that were omitted because they are deprecated.
    pub deprecated: Vec<String>,
    /// The icons that the written documents lack.
    pub lost_icons: Vec<LostIcons>,
}

/// An error that prevents an extraction.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExtractError {
    /// The index cannot be read.
    #[error(transparent)]
    Source(Box<SourceError>),
    /// The index does not contain one of the packages.
    #[error(transparent)]
    Selection(#[from] SelectionError),
    /// The folder cannot be written.
    #[error(transparent)]
    Folder(#[from] FolderError),
}

impl From<SourceError> for ExtractError {
    fn from(error: SourceError) -> Self {
        Self::Source(Box::new(error))
    }
}

/// Writes packages of the index `from`, and the packages that they need, as a file-based catalog. The folder appears
/// when it is complete.
///
/// ```
/// use opmx::image::{ImageOptions, Silent, Transports};
/// use opmx::index::extract::{ExtractOptions, extract};
/// use opmx::resolver::closure::Follow;
/// use std::sync::Arc;
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let folder = tempfile::tempdir()?;
/// let options = ExtractOptions {
///     packages: &["compost-operator".to_owned()].into(),
///     follow: &Follow::all(),
///     folder: Some(&folder.path().join("catalog")),
///     form: Default::default(),
/// };
/// let transports = Transports::new(ImageOptions::default(), Arc::new(Silent));
/// let extracted = extract("testdata/catalog", &options, &transports, &Default::default()).await?;
/// assert!(extracted.packages.members["compost-operator"].is_empty(), "it was asked for");
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Returns an error if the index cannot be read or does not contain one of the packages, or if the folder already
/// exists or cannot be written.
pub async fn extract(
    from: &str,
    options: &ExtractOptions<'_>,
    transports: &Transports,
    opening: &SourceOptions<'_>,
) -> Result<Extracted, ExtractError> {
    let mut source = RenderSource::open(from, transports, opening).await?;
    let catalog = source.catalog(from)?;
    let preferred = options.follow.preferences.named().into_iter().map(str::to_owned);
    let selection = Selection {
        // A preference for a package that does not exist would have no effect.
        packages: options.packages.iter().cloned().chain(preferred).collect(),
        channels: Vec::new(),
    };
    selection.of(&catalog)?;
    let packages = of_packages(&catalog, options.packages, options.follow);
    drop(catalog);
    let left_out = source.keep(packages.members.keys().cloned().collect());
    let deprecated = source.omitted().into_iter().map(|(_, name)| name.to_owned()).collect();
    let lost_icons = match options.folder {
        Some(folder) => write_folder(&[source], options.form, folder)?.lost_icons,
        None => Vec::new(),
    };
    Ok(Extracted {
        packages,
        left_out,
        deprecated,
        lost_icons,
    })
}
