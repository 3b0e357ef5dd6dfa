//! The SQLite database of an index: its schema, opening and adding.

pub mod schema;
