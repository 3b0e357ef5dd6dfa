//! A site in a folder.

use super::frame::File;
use super::path::{FILES, FOLDERS, is_of_site};
use super::site::{Sink, Summary, build};
use super::{PageError, SiteOptions};
use crate::concurrent;
use crate::files::{FileError, FolderOutput, finish_change, read_small};
use crate::index::open::Index;
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// The file that marks a folder as a site, and lists the files of the site, a path per line. Only these files are
/// replaced or removed.
const LISTING: &str = ".opmx-site";
/// The maximum size of a listing in bytes.
const LARGEST_LISTING: usize = 64 << 20;

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
/// Returns an error if the index cannot be read, the folder contains files but no site, the site needs the path of an
/// unrelated file, or the folder cannot be written.
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
    for path in now.difference(&before) {
        let file = folder.join(path);
        if fs::symlink_metadata(&file).is_ok() {
            return Err(PageError::Taken { file });
        }
    }
    for path in before.difference(&now) {
        output.remove(path);
    }
    let listing = output.path().join(LISTING);
    let lines: String = now.iter().map(|path| format!("{path}\n")).collect();
    fs::write(&listing, lines).map_err(|error| FileError::new("write", &listing, error))?;
    output.commit()?;
    Ok(summary)
}

/// Returns the existing files of the site in a folder: those that its listing names. Links are not followed.
///
/// # Errors
/// Returns an error if the folder is not empty and contains no site, or if its listing cannot be read.
fn files_of_site(folder: &Path) -> Result<BTreeSet<String>, PageError> {
    let is_empty = match fs::read_dir(folder) {
        Ok(mut entries) => entries.next().is_none(),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
            let error = io::Error::other("expected a folder, but found a file");
            return Err(FileError::new("write a site to", folder, error).into());
        }
        Err(_) => !folder.exists(),
    };
    if is_empty {
        return Ok(BTreeSet::new());
    }
    let listed = listed(folder)?;
    let at_root = FILES.into_iter().filter(|file| {
        let metadata = fs::symlink_metadata(folder.join(file));
        metadata.is_ok_and(|metadata| metadata.is_file())
    });
    let mut files: BTreeSet<String> = at_root
        .map(str::to_owned)
        .filter(|path| listed.contains(path))
        .collect();
    for below in FOLDERS {
        let entries = walkdir::WalkDir::new(folder.join(below))
            .follow_root_links(false)
            .into_iter()
            .filter_map(Result::ok);
        let found = entries.filter(|entry| entry.file_type().is_file());
        let paths = found.filter_map(|entry| Some(entry.path().strip_prefix(folder).ok()?.to_str()?.to_owned()));
        files.extend(paths.filter(|path| listed.contains(path)));
    }
    Ok(files)
}

/// Reads the listing of a site. It may come from anyone, so it may name only paths that a site can have.
fn listed(folder: &Path) -> Result<BTreeSet<String>, PageError> {
    let file = folder.join(LISTING);
    if fs::symlink_metadata(&file).is_err() {
        let folder = folder.to_owned();
        return Err(PageError::Other { folder });
    }
    let content = read_small(&file, LARGEST_LISTING)?;
    let text = String::from_utf8_lossy(&content);
    let mut paths = BTreeSet::new();
    for (number, path) in text.lines().enumerate() {
        if !is_of_site(path) {
            let line = number.saturating_add(1);
            return Err(PageError::Listing { file, line });
        }
        paths.insert(path.to_owned());
    }
    Ok(paths)
}

/// The files of a site that is not yet visible.
struct Written {
    folder: std::path::PathBuf,
    paths: Mutex<BTreeSet<String>>,
}

impl Sink for Written {
    fn keep(&self, (path, content): File) -> Result<(), PageError> {
        // Otherwise, the next site could not be written to the folder.
        debug_assert!(is_of_site(&path), "{path}");
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
