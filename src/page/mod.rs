//! An index as a site of static files: a list of packages, a page for each package, version and API, and pages that
//! compare two versions. The files need no server and request nothing from other hosts.
//!
//! [`write()`] builds a site and reads one package after another. `model` contains all the data that the pages of a
//! package show, and each kind of page has a module that renders its template. `path` defines the paths of the pages.
//!
//! Everything in a bundle is untrusted. Templates escape their values, including hidden characters (`escape`);
//! descriptions go through a parser and a sanitizer (`markdown`); addresses lead only to websites and mailboxes
//! (`link`); icons are recognized by their bytes, and those that could contain scripts are never files that a browser
//! would run (`icon`).
//! Every page forbids scripts and styles that are not files of the site.
//!
//! [`live`] serves a site while its index is being written.

mod access;
mod catalogs;
mod change;
mod crd_fields;
mod csv_facts;
mod data;
mod difference;
mod escape;
mod feed;
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
mod nesting;
mod output;
mod package_page;
mod path;
mod probe;
mod reason;
mod relations;
mod schema;
mod site;
mod source;
mod version_page;
mod workload;

pub use images::{Images, Unread};
pub use output::write;
pub use probe::{Probe, Unprobed};
pub use schema::{catalog_schema, package_schema};
pub use site::{Summary, Unpublished};

use crate::catalog::Catalog;
use crate::database::read::ReadError;
use crate::files::FileError;
use crate::index::open::OpenError;
use frame::Site;
use std::path::PathBuf;

/// Options for building a site.
#[derive(Clone, Copy, Default)]
pub struct SiteOptions<'a> {
    /// The title; a generic title by default.
    pub title: Option<&'a str>,
    /// The index, as specified by the user.
    pub source: &'a str,
    /// The name of the index in comparisons and in clusters.
    pub source_name: &'a str,
    /// The address of the site, for the feed.
    pub base: Option<&'a str>,
    /// An older index and its name, for a list of the differences.
    pub compare: Option<(&'a str, &'a Catalog)>,
    /// Other indexes to show side by side.
    pub beside: &'a [(String, Catalog)],
    /// Access to the images of bundles, if missing manifests are read from these images.
    pub images: Option<Images<'a>>,
    /// The probe that looks up the sizes and platforms of images, if the site shows them.
    pub probe: Option<&'a Probe<'a>>,
    /// Whether pages reload when the site changes.
    pub live: bool,
}

/// An error while building a site.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PageError {
    /// The index cannot be read.
    #[error(transparent)]
    Open(Box<OpenError>),
    /// The database cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A page cannot be rendered.
    #[error("cannot render a page")]
    Template(#[from] askama::Error),
    /// A file operation failed.
    #[error(transparent)]
    File(#[from] FileError),
    /// No thread could be started.
    #[error("cannot start a thread to build the pages")]
    Threads,
    /// The site needs the path of a file that does not belong to it.
    #[error("{} does not belong to the site in this folder, but the new site has a file with this name", file.display())]
    Taken {
        /// The file.
        file: PathBuf,
    },
    /// The list of the files of a site is damaged.
    #[error("{}:{line}: a site has no file with this path", file.display())]
    Listing {
        /// The list.
        file: PathBuf,
        /// The line, counted from 1.
        line: usize,
    },
    /// The folder contains files that do not belong to a site.
    #[error("{} contains files that do not belong to a site", folder.display())]
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
            source: source::shown(self.source),
            is_in_registry: source::is_in_registry(self.source),
            program: env!("CARGO_PKG_VERSION"),
            base: format!("{base}{slash}"),
            catalog: self.source_name.to_owned(),
            live: self.live,
            has_changes: self.compare.is_some(),
            has_catalogs: !self.beside.is_empty(),
            has_feed: false,
        }
    }
}
