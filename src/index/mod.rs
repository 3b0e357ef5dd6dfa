//! An index of either form: a SQLite database or a file-based catalog, in a file, a folder or an image.
//!
//! [`location`] says where an index is and fetches it, and [`open`] opens it for reading, whatever its form. [`gather`]
//! fetches the bundles of one call, and [`intake`] makes records of them for the database. [`image`] puts an index into
//! an image in which a [`program`] serves it, as [`server`] says; [`publish`] does so around a change of a database, which a catalog that it was made of [`follow`]s, and [`catalog_image`]
//! with the folder of a file-based catalog. [`curate`] takes parts out of such a folder. [`export`] writes packages as
//! folders of manifests, [`extract`] a part with all that it needs, [`render`] a whole index as a
//! file-based catalog, and [`import`] makes a database of one. [`check`] finds what is wrong with an index, and by the
//! table of [`crate::olm::releases`] what the clusters of an older OLM cannot use.

pub mod api_sources;
pub mod catalog_image;
pub mod check;
pub mod curate;
pub mod export;
pub mod extract;
pub mod follow;
pub mod gather;
pub mod image;
pub mod import;
pub mod intake;
pub mod list_file_based;
pub mod location;
pub mod open;
pub mod program;
pub mod publish;
pub mod release;
pub mod render;
pub mod server;
