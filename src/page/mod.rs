//! An index as a site of plain files: a list of packages, a page for each package, version and API, and for what
//! differs between two versions. The files need no server and ask no other host for anything.
//!
//! [`write`] makes a site. It reads one package after the other; `model` is a package with all that its pages show,
//! and each kind of page has a file that fills in its template. `path` says where pages stand.
//!
//! Everything in a bundle comes from strangers. Templates escape what they are given, and write out hidden characters
//! (`escape`); descriptions go through a parser and a sanitizer (`markdown`); addresses lead to sites and people only
//! (`link`); pictures are told by their bytes, and those that could hold scripts never become files (`icon`). Every page
//! forbids scripts and styles that are not files of the site.
//!
//! [`live`] shows a site while its index is being written.

mod access;
mod catalogs;
mod change;
mod data;
mod difference;
mod escape;
mod facts;
mod feed;
mod fields;
mod findings;
mod frame;
mod icon;
mod images;
mod install;
mod lifecycle;
mod link;
mod list;
pub mod live;
mod markdown;
mod model;
mod output;
mod package_page;
mod path;
mod relations;
mod schema;
mod site;
mod version_page;
mod workload;

pub use images::{Images, Unread};
pub use output::write;
pub use schema::{catalog_schema, package_schema};
pub use site::Summary;

use crate::catalog::Catalog;
use crate::database::read::ReadError;
use crate::files::FileError;
use crate::index::open::OpenError;
use frame::Site;
use std::path::PathBuf;

/// What a site is to be like.
#[derive(Clone, Copy, Default)]
pub struct SiteOptions<'a> {
    /// What it is called; without it, something general.
    pub title: Option<&'a str>,
    /// The index as it was named.
    pub source: &'a str,
    /// What the index is called beside others, and on clusters.
    pub source_name: &'a str,
    /// Where the site will be, for the feed.
    pub base: Option<&'a str>,
    /// An older index, by its name, whose differences are listed.
    pub compare: Option<(&'a str, &'a Catalog)>,
    /// Other indexes to look at side by side.
    pub beside: &'a [(String, Catalog)],
    /// How the images of bundles are reached, where manifests that the index does not hold are read from them.
    pub images: Option<Images<'a>>,
    /// Whether pages load themselves anew when the site changes.
    pub live: bool,
}

/// Why there is no site.
#[derive(Debug, thiserror::Error)]
pub enum PageError {
    /// The index cannot be read.
    #[error(transparent)]
    Open(Box<OpenError>),
    /// The database cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A page cannot be put together.
    #[error("cannot fill in the template of a page")]
    Template(#[from] askama::Error),
    /// The system refused.
    #[error(transparent)]
    File(#[from] FileError),
    /// No thread can be started.
    #[error("the system allows no thread that makes the pages")]
    Threads,
    /// The folder is taken.
    #[error("{} holds other files than those of a site", folder.display())]
    Other {
        /// The folder.
        folder: PathBuf,
    },
}

impl From<OpenError> for PageError {
    fn from(error: OpenError) -> Self {
        Self::Open(Box::new(error))
    }
}

impl SiteOptions<'_> {
    fn site(&self) -> Site {
        let base = self.base.unwrap_or_default();
        let slash = if base.is_empty() || base.ends_with('/') {
            ""
        } else {
            "/"
        };
        Site {
            title: self.title.unwrap_or("Operator catalog").to_owned(),
            source: self.source.to_owned(),
            program: env!("CARGO_PKG_VERSION"),
            base: format!("{base}{slash}"),
            catalog: self.source_name.to_owned(),
            live: self.live,
            has_changes: self.compare.is_some(),
            has_catalogs: !self.beside.is_empty(),
        }
    }
}
