//! The constraints that a resolution must satisfy.

use super::entries::EntryId;
use super::predicate::Predicate;
use super::search::Variable;
use crate::kubernetes::GroupVersionKind;
use std::rc::Rc;

/// A constraint on subscriptions or bundles.
#[derive(Debug, Clone)]
pub(super) enum Clause {
    /// The subscription at this position in the problem exists.
    Subscription(usize),
    /// The subscription at this position needs one of these variables.
    Requires(usize, Rc<[Variable]>),
    /// The subscription at this position cannot be satisfied.
    Unmet(usize, Unmet),
    /// An installed version without a subscription stays installed.
    Installed(EntryId),
    /// Only these variables satisfy a dependency of a bundle.
    Needs(EntryId, Rc<Predicate>, Rc<[Variable]>),
    /// A bundle is deprecated.
    Deprecated(EntryId),
    /// The dependencies of a bundle cannot be read.
    Unreadable(EntryId, String),
    /// At most one bundle of a package may be selected.
    OnePackage(String, Vec<Variable>),
    /// At most one provider of an API may be selected.
    OneProvider(GroupVersionKind, Vec<Variable>),
    /// A version conflicts with the installed version that it replaces.
    Replaces(EntryId, EntryId),
}

/// The reason why a subscription has no candidates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unmet {
    Catalog,
    Package,
    Channel,
    StartingCsv,
}

/// Joins names as `a`, `a and b` or `a, b and c`, with `word` before the last one.
pub(super) fn listed(names: &[String], word: &str) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [rest @ .., last] => format!("{} {word} {last}", rest.join(", ")),
    }
}
