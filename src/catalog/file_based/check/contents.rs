//! The data that is kept in memory from a catalog's documents: names and edges, for the rules that compare several
//! documents.

use super::found::{DocumentId, Found};
use crate::catalog::Text;
use crate::catalog::file_based::Schema;
use crate::catalog::file_based::schema::Referred;
use std::collections::BTreeSet;

/// The data that is kept in memory from some files.
#[derive(Debug, Default)]
pub(super) struct Contents {
    pub(super) packages: Vec<Package>,
    pub(super) channels: Vec<Channel>,
    pub(super) bundles: Vec<Bundle>,
    pub(super) singles: Vec<Single>,
    /// The packages of which a document cannot be read, or a name or edge has the wrong type; an empty name stands for
    /// all packages.
    pub(super) unread: BTreeSet<Text>,
    /// Findings that need no other document.
    pub(super) found: Vec<Found>,
}

#[derive(Debug)]
pub(super) struct Package {
    pub(super) id: DocumentId,
    pub(super) name: Text,
    pub(super) default_channel: Text,
}

#[derive(Debug)]
pub(super) struct Channel {
    pub(super) id: DocumentId,
    pub(super) package: Text,
    pub(super) name: Text,
    /// The names of the bundles, each with the position of its entry in the list.
    pub(super) entries: Vec<(usize, Text)>,
}

#[derive(Debug)]
pub(super) struct Bundle {
    pub(super) id: DocumentId,
    pub(super) package: Text,
    pub(super) name: Text,
    /// The version with the release, and the position of its property; `None` if the version has a fault.
    pub(super) version: Option<(usize, Text)>,
}

/// A document that only belongs to its package, which has at most one document of the schema.
#[derive(Debug)]
pub(super) struct Single {
    pub(super) schema: Schema,
    pub(super) id: DocumentId,
    pub(super) package: Text,
    /// The channels and bundles that are deprecated, with the positions of their entries in the list.
    pub(super) references: Vec<(usize, Referred, Text)>,
}

impl Contents {
    /// Appends the contents of another file.
    pub(super) fn extend(&mut self, other: Self) {
        self.packages.extend(other.packages);
        self.channels.extend(other.channels);
        self.bundles.extend(other.bundles);
        self.singles.extend(other.singles);
        self.unread.extend(other.unread);
        self.found.extend(other.found);
    }
}
