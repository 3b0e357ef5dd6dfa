//! The common parts of all pages of a site.

use super::path;

/// The site.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each specifies whether an independent part is present"
)]
#[derive(Debug, Clone)]
pub(super) struct Site {
    pub(super) title: String,
    /// The index, as the pages name it.
    pub(super) source: String,
    /// Whether the index is an image in a registry.
    pub(super) is_in_registry: bool,
    /// The version of this program.
    pub(super) program: &'static str,
    /// The address of the site with a trailing slash; may be empty.
    pub(super) base: String,
    /// The name of the catalog in clusters.
    pub(super) catalog: String,
    /// Whether pages reload when the site changes.
    pub(super) live: bool,
    pub(super) has_changes: bool,
    pub(super) has_catalogs: bool,
    /// Whether the site has a feed. That is known only after all packages are read, so only the pages about several
    /// packages link to the feed.
    pub(super) has_feed: bool,
}

impl Site {
    /// Returns the path of [`Site::base`] on its server.
    pub(super) fn base_path(&self) -> &str {
        let host = self.base.split_once("//").map_or("", |(_, host)| host);
        host.find('/').and_then(|at| host.get(at..)).unwrap_or_default()
    }
}

/// The parts of a page around its content.
#[derive(Debug)]
pub(super) struct Frame<'a> {
    pub(super) site: &'a Site,
    pub(super) title: String,
    /// The path from the root.
    pub(super) path: String,
    /// The relative path to the root.
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

/// The page with the list of packages.
pub(super) const HOME: &str = "index.html";

/// A file of the site: its path from the root, and its content.
pub(super) type File = (String, Vec<u8>);

/// Renders a page as a file.
///
/// # Errors
/// Returns an error if a template cannot be rendered, which only a failing writer could cause.
pub(super) fn page(path: &str, template: &impl askama::Template) -> Result<File, askama::Error> {
    Ok((path.to_owned(), template.render()?.into_bytes()))
}
