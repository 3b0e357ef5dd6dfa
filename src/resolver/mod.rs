//! Which bundles OLM would install or update to: for subscriptions, over catalogs, beside what is installed.
//!
//! [`resolve`] takes a [`Problem`] and gives a [`Resolution`], or says in [`Unresolved`] why there is none. It selects
//! what OLM's own resolver selects; where that one leaves it to chance, the order of names decides. Manifests are never
//! read.
//!
//! `entries` lists all bundles that could be chosen, `predicate` says which are what a bundle needs, `order` which is
//! preferred, `variables` makes constraints of it, `search` finds the first selection that meets them, and `wording`
//! says which ones cannot be met. [`Needs`] says what all bundles of a catalog have that one of them needs, with
//! nothing to be chosen, and [`closure`] follows that from bundle to bundle. `preferences` is what somebody decides
//! about dependencies that are not required.

mod clause;
pub mod closure;
mod entries;
mod explain;
mod failure;
mod needs;
mod order;
mod predicate;
mod preferences;
mod problem;
mod properties;
mod resolution;
mod resolve;
mod search;
mod variables;
mod wording;

pub use needs::Need;
pub(crate) use needs::Needs;
pub use preferences::{Preferences, Without};
pub use problem::{CatalogSource, Problem, ResolverOptions};
pub use properties::annotation;
pub use resolution::{
    Considered, NewSubscription, Note, NoteKind, Resolution, Selected, Unresolved, UpdatedSubscription,
};
pub use resolve::resolve;
