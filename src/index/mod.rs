//! An index of either form: a SQLite database or a file-based catalog, in a file, a folder or an image.
//!
//! [`location`] fetches an index from its location, and [`open`] opens an index of either form for reading. [`gather`]
//! fetches the bundles of one command, and [`intake`] converts them to records for the database. [`image`] puts an
//! index into an image in which a [`program`] serves it, as described by [`server`]. [`publish`] builds such an image
//! from a changed database. If the database was made from a catalog, [`follow`] makes the same change to the catalog.
//! [`catalog_image`] builds such an image from the folder of a file-based catalog, and [`curate`] removes parts of such
//! a folder. [`export`] writes packages as folders of manifests, and [`extract`] writes some packages with everything
//! that they need. [`render`] converts a whole index to a file-based catalog, and [`import`] makes a database from a
//! catalog. [`check`] finds problems in an index and, according to the table in [`crate::olm::releases`], the contents
//! that clusters with an older OLM cannot use.

pub mod api_sources;
pub mod catalog_image;
pub mod check;
pub mod curate;
pub mod details;
pub mod export;
pub mod extract;
pub mod follow;
pub mod gather;
pub mod image;
pub mod import;
pub mod intake;
pub mod list_file_based;
pub mod location;
pub mod object_name;
pub mod open;
pub mod program;
pub mod publish;
pub mod release;
pub mod render;
pub mod server;
