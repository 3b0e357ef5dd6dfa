//! A site in a folder.

use super::frame::File;
use super::path::{FILES, FOLDERS, may_be_of_site};
use super::site::{Sink, Summary, build};
use super::{PageError, SiteOptions};
use crate::concurrent;
use crate::files::{FileError, FolderOutput, finish_change};
use crate::index::open::Index;
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// The file that marks a folder as a site.
const MARK: &str = "assets/opmx.css";

/// Writes the site of an index to a folder. A new folder appears only when the site is complete. An existing site is
/// replaced; unrelated files in its folder stay.
///
/// ```
/// use opmx::catalog::file_based::limits::CatalogLimits;
/// use opmx::index::open::Index;
/// use opmx::page::{SiteOptions, write};
/// use std::path::Path;
///
/// let folder = tempfile::tempdir()?;
/// let index = Index::of_catalog(Path::new("testdata/catalog").into(), CatalogLimits::default())?;
/// let options = SiteOptions { source: "testdata/catalog", ..SiteOptions::default() };
/// let site = write(&index, &folder.path().join("site"), &options)?;
/// assert_eq!((site.packages, site.versions), (1, 2));
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Returns an error if the index cannot be read, the folder contains files but no site, or the folder cannot be
/// written.
pub fn write(index: &Index, folder: &Path, options: &SiteOptions<'_>) -> Result<Summary, PageError> {
    // Before the files are listed: the change may remove some of them.
    finish_change(folder)?;
    let before = files_of_site(folder)?;
    let mut output = FolderOutput::new(folder)?;
    let written = Written {
        folder: output.path().to_owned(),
        paths: Mutex::default(),
    };
    let summary = build(index, options, &written)?;
    let now = written.paths.into_inner().unwrap_or_else(PoisonError::into_inner);
    for path in before.difference(&now) {
        output.remove(path);
    }
    output.commit()?;
    Ok(summary)
}

/// Returns the files of the site in a folder, recognized by their paths.
///
/// # Errors
/// Returns an error if the folder is not empty and contains no site.
fn files_of_site(folder: &Path) -> Result<BTreeSet<String>, PageError> {
    let is_empty = match fs::read_dir(folder) {
        Ok(mut entries) => entries.next().is_none(),
        Err(_) => !folder.exists(),
    };
    if is_empty {
        return Ok(BTreeSet::new());
    }
    if !folder.join(MARK).is_file() {
        let folder = folder.to_owned();
        return Err(PageError::Other { folder });
    }
    let mut files: BTreeSet<String> = FILES
        .into_iter()
        .filter(|file| folder.join(file).is_file())
        .map(str::to_owned)
        .collect();
    for below in FOLDERS {
        let entries = walkdir::WalkDir::new(folder.join(below))
            .follow_root_links(false)
            .into_iter()
            .filter_map(Result::ok);
        let found = entries.filter(|entry| entry.file_type().is_file());
        let paths = found.filter_map(|entry| Some(entry.path().strip_prefix(folder).ok()?.to_str()?.to_owned()));
        files.extend(paths.filter(|path| may_be_of_site(path)));
    }
    Ok(files)
}

/// The files of a site that is not yet visible.
struct Written {
    folder: std::path::PathBuf,
    paths: Mutex<BTreeSet<String>>,
}

impl Sink for Written {
    fn keep(&self, (path, content): File) -> Result<(), PageError> {
        // Otherwise, the next site would not replace the file.
        debug_assert!(FILES.contains(&&*path) || may_be_of_site(&path), "{path}");
        let file = self.folder.join(&path);
        let is_new = concurrent::lock(&self.paths).insert(path);
        if !is_new {
            return Ok(());
        }
        let mut written = fs::write(&file, &content);
        if let (Err(error), Some(parent)) = (&written, file.parent())
            && error.kind() == io::ErrorKind::NotFound
        {
            fs::create_dir_all(parent).map_err(|error| FileError::new("create the directory", parent, error))?;
            written = fs::write(&file, &content);
        }
        written.map_err(|error| FileError::new("write", &file, error))?;
        Ok(())
    }
}
