//! Writes a catalog as a folder: each package becomes a subfolder that contains one file, and all other documents are
//! in one file next to these subfolders.

use super::sources::{Form, RenderSource, SourceError, write_all};
use crate::catalog::file_based::migrate::LostIcons;
use crate::catalog::file_based::write::Language;
use crate::files::{FileError, NewFolder, NewFolderError};
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Component, Path, PathBuf};

/// An error that prevents writing a catalog as a folder.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FolderError {
    /// A source cannot be rendered.
    #[error(transparent)]
    Source(Box<SourceError>),
    /// The target already exists, or the folder cannot be created.
    #[error(transparent)]
    Folder(#[from] NewFolderError),
    /// A file cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The name of a package is not a valid folder name.
    #[error("the name of package {package:?} is not a valid folder name")]
    PackageName {
        /// The package.
        package: String,
    },
}

impl From<SourceError> for FolderError {
    fn from(error: SourceError) -> Self {
        Self::Source(Box::new(error))
    }
}

/// A catalog that was written as a folder.
#[derive(Debug)]
pub struct WrittenFolder {
    /// The packages, by name.
    pub packages: Vec<String>,
    /// The icons that the documents lack.
    pub lost_icons: Vec<LostIcons>,
}

/// Writes the catalog of all sources to `target`, which appears when it is complete.
///
/// # Errors
/// Returns an error if `target` already exists, a document cannot be read, or the folder cannot be written.
pub fn write_folder(sources: &[RenderSource], form: Form, target: &Path) -> Result<WrittenFolder, FolderError> {
    let folder = NewFolder::new(target)?;
    let root = folder.path();
    let mut packages = Vec::new();
    let mut open: Option<Open> = None;
    let lost_icons = write_all(sources, form, |package, document| -> Result<(), FolderError> {
        let file = match &mut open {
            Some(file) if file.package == package => file,
            other => {
                if let Some(done) = other.take() {
                    done.close()?;
                }
                if !package.is_empty() {
                    packages.push(package.to_owned());
                }
                other.insert(Open::new(root, package, form.language)?)
            }
        };
        file.write(document)?;
        Ok(())
    })?;
    if let Some(done) = open {
        done.close()?;
    }
    folder.commit()?;
    Ok(WrittenFolder { packages, lost_icons })
}

/// The file that is currently being written.
struct Open {
    package: String,
    path: PathBuf,
    file: BufWriter<File>,
}

impl Open {
    fn new(root: &Path, package: &str, language: Language) -> Result<Self, FolderError> {
        let is_name = |package: &str| {
            let mut parts = Path::new(package).components();
            matches!((parts.next(), parts.next()), (Some(Component::Normal(name)), None) if name == package)
        };
        if !package.is_empty() && !is_name(package) {
            let package = package.to_owned();
            return Err(FolderError::PackageName { package });
        }
        let folder = root.join(package);
        fs::create_dir_all(&folder).map_err(|error| FileError::new("create the directory", &folder, error))?;
        let path = folder.join(match language {
            Language::Json => "catalog.json",
            Language::Yaml => "catalog.yaml",
        });
        let file = File::create_new(&path).map_err(|error| FileError::new("create", &path, error))?;
        Ok(Self {
            package: package.to_owned(),
            path,
            file: BufWriter::new(file),
        })
    }

    fn write(&mut self, document: &[u8]) -> Result<(), FileError> {
        let written = self.file.write_all(document);
        written.map_err(|error| FileError::new("write", &self.path, error))
    }

    fn close(self) -> Result<(), FileError> {
        let written = self.file.into_inner().map_err(std::io::IntoInnerError::into_error);
        written
            .map(drop)
            .map_err(|error| FileError::new("write", &self.path, error))
    }
}
