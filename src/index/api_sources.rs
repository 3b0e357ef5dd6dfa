//! The sources for kinds that a bundle does not define: indexes, CRDs, and the API lists of a cluster.

use super::open::{Index, OpenError, SourceLimits};
use crate::catalog::file_based::Schema;
use crate::catalog::file_based::limits::CatalogLimits;
use crate::catalog::file_based::read::FileBasedCatalog;
use crate::counted::counted;
use crate::database::read::{ReadError, is_database};
use crate::diagnostic::{self, Diagnostic};
use crate::files::FileError;
use crate::image::Transports;
use crate::kubernetes::served::{self, ServedResource, ServedResources};
use crate::manifest::has_manifest_extension;
use crate::text::{self, Limits};
use crate::tree::{Tree, TreeError};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// An error that prevents the use of a source.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ApiSourceError {
    /// A file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// A folder cannot be read, or exceeds a limit.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// A file that may be a database cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// An index cannot be read.
    #[error(transparent)]
    Index(#[from] Box<OpenError>),
    /// A file has errors.
    #[error("{} cannot be read", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// The findings about the file.
        diagnostics: Vec<Diagnostic>,
    },
    /// A source lists too many resources.
    #[error("{name} lists more than {}", counted(*.limit, "resource"))]
    TooMany {
        /// The source.
        name: String,
        /// The maximum number of resources.
        limit: usize,
    },
    /// A source contains no information about APIs.
    #[error("{name} contains no information about the APIs of a cluster")]
    Nothing {
        /// The source.
        name: String,
    },
}

/// Reads the resources that the sources list: the indexes first, then the other sources, each in the order in which
/// they are named.
///
/// A source is a folder or file of CRDs, an index in any form, or a file that contains the output of `kubectl
/// api-resources` or `kubectl get --raw /apis/GROUP/VERSION`.
///
/// # Errors
/// Returns an error if a source cannot be read or contains no information about APIs.
pub async fn read(
    names: &[String],
    transports: &Transports,
    limits: &SourceLimits,
) -> Result<ServedResources, ApiSourceError> {
    let mut sources = ServedResources::default();
    let mut others = Vec::new();
    for name in names {
        let path = Path::new(name);
        let is_database = path.is_file() && is_database(path)?;
        if path.exists() && !is_database && is_catalog(path, limits.index.catalog) {
            let files = Index::of_catalog(path.into(), limits.index.catalog).map_err(Box::new)?;
            sources.add(name, files.apis().map_err(Box::new)?);
        } else if path.is_dir() {
            others.push((name, Tree::from_directory(path, &limits.bundle.tree)?));
        } else if path.is_file() && !is_database || name.starts_with(['/', '.']) && !path.is_file() {
            others.push((name, one_file(path, limits)?));
        } else {
            let opened = Index::open_named(name, transports, limits.index)
                .await
                .map_err(Box::new)?;
            sources.add(name, opened.apis().map_err(Box::new)?);
        }
    }
    for (name, files) in others {
        let resources = read_files(&files, Path::new(name), &limits.bundle.text)?;
        let resources = resources.ok_or_else(|| ApiSourceError::TooMany {
            name: name.clone(),
            limit: most_resources(&limits.bundle.text),
        })?;
        if resources.is_empty() {
            return Err(ApiSourceError::Nothing { name: name.clone() });
        }
        sources.add(name, resources);
    }
    Ok(sources)
}

/// Returns whether the path is a valid file-based catalog with at least one package.
fn is_catalog(path: &Path, limits: CatalogLimits) -> bool {
    let files = FileBasedCatalog::open(path, limits);
    files.is_ok_and(|files| files.handles.iter().any(|handle| handle.schema == Schema::Package))
}

/// Reads a file into a tree that contains only this file, within the limits of a tree.
fn one_file(path: &Path, limits: &SourceLimits) -> Result<Tree, ApiSourceError> {
    let content = beginning(path, limits.bundle.tree.file_bytes.saturating_add(1))?;
    let mut tree = Tree::new("");
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    tree.insert(&name, content, &limits.bundle.tree)?;
    Ok(tree)
}

fn beginning(path: &Path, length: u64) -> Result<Vec<u8>, FileError> {
    let mut content = Vec::new();
    File::open(path)
        .and_then(|file| file.take(length).read_to_end(&mut content))
        .map_err(|error| FileError::new("read", path, error))?;
    Ok(content)
}

/// The number of keys and values that a resource counts as: the keys and values of its name, kind and scope, and the
/// resource itself.
const VALUES: usize = 7;

/// Returns the maximum number of resources that a source may list. The number is limited because all resources stay in
/// memory.
fn most_resources(limits: &Limits) -> usize {
    limits.values / VALUES
}

/// Returns the resources that the files of a source list; `None` if there are too many. Skips unrelated documents.
fn read_files(files: &Tree, source: &Path, limits: &Limits) -> Result<Option<Vec<ServedResource>>, ApiSourceError> {
    let single = files.len() == 1;
    let mut resources = Vec::new();
    for (path, content) in files.iter() {
        if resources.len() > most_resources(limits) {
            return Ok(None);
        }
        let rows = memchr::memchr_iter(b'\n', content).count();
        if content.starts_with(b"NAME") && rows > most_resources(limits) {
            return Ok(None);
        }
        let table = std::str::from_utf8(content).ok().and_then(served::read_table);
        if let Some(table) = table {
            resources.extend(table);
            continue;
        }
        if !single && !has_manifest_extension(path) {
            continue;
        }
        let file = if source.is_dir() {
            source.join(path)
        } else {
            source.to_owned()
        };
        let reading = text::read(&file.display().to_string(), content, limits);
        if diagnostic::has_errors(&reading.diagnostics) {
            let diagnostics = reading.diagnostics;
            return Err(ApiSourceError::Unreadable { file, diagnostics });
        }
        let documents = reading.documents.iter();
        let named = documents.filter_map(|document| served::read(document.value()));
        resources.extend(named.flatten());
    }
    Ok((resources.len() <= most_resources(limits)).then_some(resources))
}
