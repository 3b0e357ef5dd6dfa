//! The SQLite database of an operator index: its schema, and everything that knows SQL.
//!
//! Any database may come from a stranger: [`guard`] is what holds for every connection, [`gate`] what a database must
//! be before it is looked at. [`read`] opens one without ever changing it; [`list`], [`edges`], [`entries`] and
//! [`load`] say what is in it. [`change`] opens one for a change, in one transaction, and brings an older one up to
//! date; [`add`] adds bundles, each of them a [`record::Record`], and [`add::promote`] publishes them in further
//! channels; [`remove`] takes packages out again, and [`deprecate`] cuts their channels off below a bundle.

pub mod add;
pub mod admission;
mod apis;
pub mod change;
pub mod check;
pub mod compare;
pub mod content_error;
pub mod deprecate;
pub mod edges;
pub(crate) mod entries;
pub mod error;
pub(crate) mod guard;
pub mod list;
pub mod load;
pub(crate) mod migrate;
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
