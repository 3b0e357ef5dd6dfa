//! The SQLite database of an index: its schema, opening it for a change, and adding bundles.

pub mod add;
pub mod error;
pub mod open;
pub mod record;
pub mod schema;
mod spool;
