//! The clauses that a resolution has to satisfy, as OLM words them.

use super::entries::EntryId;
use super::predicate::Predicate;
use super::search::Variable;
use crate::kubernetes::GroupVersionKind;
use std::rc::Rc;

/// One of them.
#[derive(Debug, Clone)]
pub(super) enum Clause {
    /// The subscription at this place in the problem exists.
    Subscription(usize),
    /// It needs one of these.
    Requires(usize, Rc<[Variable]>),
    /// It cannot be met at all.
    Unmet(usize, Unmet),
    /// An installed version without a subscription stays.
    Installed(EntryId),
    /// A bundle needs something.
    Needs(EntryId, Rc<Predicate>, Rc<[Variable]>),
    /// A bundle is deprecated.
    Deprecated(EntryId),
    /// What a bundle needs cannot be told.
    Unreadable(EntryId, String),
    /// One bundle of a package at most.
    OnePackage(String, Vec<Variable>),
    /// One provider of an API at most.
    OneProvider(GroupVersionKind, Vec<Variable>),
    /// A version and the one that it replaces.
    Replaces(EntryId, EntryId),
}

/// Why there is nothing that a subscription could install.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unmet {
    Catalog,
    Package,
    Channel,
    StartingCsv,
}

/// `a`, `a and b`, `a, b and c`, with this word before the last one.
pub(super) fn listed(names: &[String], word: &str) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [rest @ .., last] => format!("{} {word} {last}", rest.join(", ")),
    }
}
