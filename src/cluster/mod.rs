//! A cluster as a file says it is: the what-if file, from which opmx tells what OLM would do there.
//!
//! [`State`] is the whole file: catalogs, installed operators, subscriptions, and what the API server has and answers.
//! [`read`] reads it from YAML or JSON and points at the line that is wrong; [`json_schema`] describes it to editors.
//! Both follow one table of keys. [`dump`] adds to a state what kubectl says of a cluster.

pub mod dump;
mod inline;
mod keys;
mod read;
mod schema;
pub mod state;

pub use inline::{InlineCatalog, inline};
pub use read::{StateError, StateProblem, read, source_beside};
pub use schema::json_schema;
pub use state::State;
