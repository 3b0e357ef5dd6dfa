//! A cluster as files say it is: from it opmx tells what OLM would do there.
//!
//! [`State`] is the what-if file: catalogs, installed operators, subscriptions, and what the API server has and
//! answers. [`read`] reads it from YAML or JSON and points at the line that is wrong; [`json_schema`] describes it to
//! editors. Both follow one table of keys. [`dump`] adds to a state what kubectl says of a cluster, and [`observe`]
//! takes from its objects what is subscribed to and installed. [`conditions`] tells whether operators allow their
//! upgrade, and [`labels`] which objects belong to an operator. [`requested`] reads what `Operator` and `Install`
//! resources ask for.

pub mod conditions;
pub mod dump;
mod inline;
mod keys;
pub mod labels;
mod observed;
mod read;
pub mod requested;
pub mod state;

pub use inline::inline;
pub use keys::json_schema;
pub use observed::{
    ObservedError, OperatorGroups, catalog_sources, observe, observe_with, operator_groups, refused_operator_groups,
};
pub(crate) use read::source_beside;
pub use read::{StateError, StateProblem, read};
pub use state::State;
