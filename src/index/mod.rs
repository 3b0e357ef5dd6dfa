//! The SQLite database of an operator index.
//!
//! Any database may come from a stranger: [`guard`] is what holds for every connection, [`gate`] what a database must be
//! before it is looked at. [`read`] opens one without ever changing it, [`list`] says what is in it. [`open`] opens one for a change, and
//! brings an older one up to date, and [`add`] adds bundles, each of them a [`record::Record`] that [`intake`] makes of
//! the files of a bundle; [`gather`] fetches those of one call. [`remove`] takes packages out again, [`deprecate`] cuts
//! their channels off below a bundle. [`image`] puts a database into an image in which a [`program`] serves it, [`location`] takes it
//! out again, [`opened`] opens databases and file-based catalogs alike, and [`publish`] does both around a change. [`export`]
//! writes packages as folders of manifests, [`render`] a whole index as a file-based catalog, and [`import`] makes an
//! index of one. [`check`] finds what is wrong with a database, and by the table of [`capabilities`] what the clusters
//! of an older OLM cannot use.

pub mod add;
pub mod api_sources;
mod apis;
pub mod capabilities;
pub mod check;
pub mod deprecate;
pub mod edges;
pub mod entries;
pub mod error;
pub mod export;
pub mod gate;
pub mod gather;
pub mod guard;
pub mod image;
pub mod import;
pub mod intake;
pub mod list;
pub mod load;
pub mod location;
pub mod migrate;
pub mod open;
pub mod opened;
pub mod program;
pub mod publish;
pub mod read;
pub mod record;
pub mod remove;
pub mod render;
pub mod schema;
mod spool;

#[cfg(test)]
mod sample;
