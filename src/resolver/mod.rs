//! Determines the bundles that OLM would install or update to, for subscriptions, catalogs and installed versions.
//!
//! [`resolve`] takes a [`Problem`] and returns a [`Resolution`], or an [`Unresolved`] with the reason why there is
//! none. It selects the same bundles as OLM's own resolver. Where OLM chooses at random, this module chooses the name
//! that sorts first. Manifests are never read.
//!
//! `entries` lists all candidates, `predicate` tests whether they satisfy a dependency, and `order` ranks them.
//! `variables` turns the candidates into constraints, `search` finds the first selection that satisfies the
//! constraints, and `wording` describes unsatisfied constraints. `Needs` finds all bundles of a catalog that satisfy
//! the dependencies of a bundle, without choosing among them, and [`closure`] follows dependencies from bundle to
//! bundle. `preferences` contains a user's decisions about dependencies that are not required.

mod clause;
pub mod closure;
mod entries;
mod explain;
mod failure;
mod missing;
mod names;
mod needs;
mod order;
mod planned;
mod predicate;
mod preferences;
mod problem;
mod properties;
mod replaced;
mod resolution;
mod resolve;
mod search;
mod unoffered;
mod unused;
mod variables;
mod wording;

pub use needs::Need;
pub(crate) use needs::{Needs, wishes};
pub use planned::as_planned;
pub use preferences::{Preferences, Without};
pub use problem::{CatalogSource, Problem, ResolverOptions};
pub use properties::annotation;
pub use resolution::{
    Considered, NewSubscription, Note, NoteKind, Resolution, Selected, Unresolved, UpdatedSubscription,
};
pub use resolve::resolve;
