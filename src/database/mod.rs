//! The SQLite database of an operator index: its schema, and all code that contains SQL.
//!
//! A database may come from an untrusted source: `guard` limits every connection, and [`admission`] checks a database
//! before it is used. [`read`] opens a database without ever changing it; [`list`], [`edges`], `entries` and [`load`]
//! return its contents. [`change`] opens a database for a change in one transaction, and migrates an older database.
//! [`add`] adds bundles, each of which is a [`record::Record`], and [`add::promote`] publishes bundles of the index in
//! additional channels. [`remove`] removes packages, and [`deprecate`] truncates the channels of a package below a
//! bundle.

pub mod add;
pub mod admission;
mod apis;
pub mod change;
pub mod check;
pub mod compare;
pub mod content_error;
pub mod deprecate;
pub mod edges;
mod encoding;
pub(crate) mod entries;
pub mod error;
pub(crate) mod guard;
pub mod list;
pub(crate) mod listed;
pub mod load;
pub(crate) mod migrate;
pub mod name_bytes;
pub mod named;
mod reach;
pub mod read;
pub mod record;
pub mod remove;
mod rows;
pub mod schema;
mod skips;
mod spool;

#[cfg(test)]
pub(crate) mod sample;
