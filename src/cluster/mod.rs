//! A cluster as described by files, from which opmx predicts the behavior of OLM.
//!
//! [`State`] is the what-if file: catalogs, installed operators, subscriptions, and the objects and responses of the
//! API server. [`read`] reads it from YAML or JSON, with errors that point at the line; [`json_schema`] describes it
//! for editors. Both use the same table of keys. [`dump`] adds kubectl output about a cluster to a state, and
//! [`drop_copies`] removes objects that the input repeats, and [`observe`] derives the Subscriptions and installed
//! operators from the objects in the state. [`CatalogName`] is the name by which a request refers to a CatalogSource.
//! [`conditions`] determines whether operators allow their upgrade, and [`labels`] determines which objects belong to
//! an operator, and [`unready_catalogs`] finds catalogs that OLM cannot read. [`requested`] reads the requests of
//! `Operator` and `Install` resources.

mod catalog_name;
pub mod conditions;
mod copies;
pub mod dump;
mod inline;
mod keys;
pub mod labels;
mod observed;
pub(crate) mod openshift;
mod read;
pub mod requested;
pub mod state;
pub(crate) mod unfinished;
mod unready;

pub use catalog_name::{AmbiguousCatalog, CatalogName, subscribed_catalogs};
pub use copies::drop_copies;
pub use inline::inline;
pub use keys::json_schema;
pub use observed::{
    ObservedError, OperatorGroups, assumes_operator_group, catalog_sources, cluster_extensions, observe, observe_with,
    observed_namespace, operator_groups, refused_operator_groups,
};
pub(crate) use observed::{all_operator_groups, operator_groups_by_namespace};
pub use openshift::OpenShiftLimit;
pub(crate) use read::source_beside;
pub use read::{StateError, StateProblem, read};
pub use state::State;
pub use unready::{UnreadyCatalog, unready_catalogs};
