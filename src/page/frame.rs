//! What all pages of a site have in common.

use super::path;

/// The site.
#[derive(Debug, Clone)]
pub(super) struct Site {
    pub(super) title: String,
    /// The index as it was named.
    pub(super) source: String,
    /// The version of this program.
    pub(super) program: &'static str,
    /// Where the site will be, with a slash at the end; may be empty.
    pub(super) base: String,
    /// The name of the catalog on clusters.
    pub(super) catalog: String,
    /// Whether pages load themselves anew when the site changes.
    pub(super) live: bool,
    pub(super) has_changes: bool,
    pub(super) has_catalogs: bool,
}

impl Site {
    /// The path of [`Site::base`] on its server.
    pub(super) fn base_path(&self) -> &str {
        let host = self.base.split_once("//").map_or("", |(_, host)| host);
        host.find('/').and_then(|at| host.get(at..)).unwrap_or_default()
    }
}

/// The surroundings of a page.
#[derive(Debug)]
pub(super) struct Frame<'a> {
    pub(super) site: &'a Site,
    pub(super) title: String,
    /// From the root.
    pub(super) path: String,
    /// The way to the root.
    pub(super) up: String,
    pub(super) is_home: bool,
}

impl<'a> Frame<'a> {
    pub(super) fn new(site: &'a Site, path: &str, title: impl Into<String>) -> Self {
        Self {
            site,
            title: title.into(),
            path: path.to_owned(),
            up: path::up(path),
            is_home: path == HOME,
        }
    }
}

/// The list of packages.
pub(super) const HOME: &str = "index.html";

/// A file of the site: its path from the root, and what is in it.
pub(super) type File = (String, Vec<u8>);

/// A page as a file.
///
/// # Errors
/// When a template cannot be filled in, which only a failing writer could cause.
pub(super) fn page(path: &str, template: &impl askama::Template) -> Result<File, askama::Error> {
    Ok((path.to_owned(), template.render()?.into_bytes()))
}
