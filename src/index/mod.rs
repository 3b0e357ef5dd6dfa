//! The SQLite database of an operator index.
//!
//! [`read`] opens a database without ever changing it, [`list`] says what is in it.

pub mod edges;
pub mod entries;
pub mod list;
pub mod load;
pub mod manifests;
pub mod read;

#[cfg(test)]
mod sample;
