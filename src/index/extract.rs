//! Some packages of an index, with all that they need, as a file-based catalog of their own.
//!
//! Of a database the same is a copy of it from which all other packages are taken: see [`crate::database::remove`].

use super::render::folder::{FolderError, write_folder};
use super::render::sources::{Form, RenderSource, SourceError, SourceOptions};
use crate::catalog::selection::{Selection, SelectionError};
use crate::image::Transports;
use crate::resolver::closure::{Closure, Follow, of_packages};
use std::collections::BTreeSet;
use std::path::Path;

/// Which packages, and where they go.
#[derive(Debug, Clone, Copy)]
pub struct ExtractOptions<'a> {
    /// The packages.
    pub packages: &'a BTreeSet<String>,
    /// How far what they need is followed.
    pub follow: &'a Follow,
    /// The folder, which is not there yet; none where it is only to be told what would be there.
    pub folder: Option<&'a Path>,
    /// The form of the documents.
    pub form: Form,
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extracted {
    /// The packages, each with the reasons why it is there, and what is missing.
    pub packages: Closure<String>,
    /// How many documents of the catalog belong to no package, and so were left out.
    pub left_out: usize,
}

/// Why nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum ExtractError {
    /// The index cannot be read.
    #[error(transparent)]
    Source(Box<SourceError>),
    /// It has no such package.
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

/// Writes packages of the index `from`, and those that they need, as a file-based catalog. The folder appears when it
/// is complete.
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
/// When the index cannot be read or has no such package, there is something at the folder, or it cannot be written.
pub async fn extract(
    from: &str,
    options: &ExtractOptions<'_>,
    transports: &Transports,
    opening: &SourceOptions<'_>,
) -> Result<Extracted, ExtractError> {
    let mut source = RenderSource::open(from, transports, opening).await?;
    let catalog = source.catalog(from)?;
    let selection = Selection {
        packages: options.packages.iter().cloned().collect(),
        channels: Vec::new(),
    };
    selection.of(&catalog)?;
    let packages = of_packages(&catalog, options.packages, options.follow);
    drop(catalog);
    let left_out = source.keep(packages.members.keys().cloned().collect());
    if let Some(folder) = options.folder {
        write_folder(&[source], options.form, folder)?;
    }
    Ok(Extracted { packages, left_out })
}
