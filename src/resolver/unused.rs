//! The content of the catalogs that OLM does not use for the namespace. Only explanations use it.

use super::entries::{Entries, EntryId};
use super::predicate::Providers;
use super::problem::Problem;

/// The content of the catalogs that OLM does not use for the namespace.
#[derive(Debug)]
pub(super) struct Unused {
    pub(super) entries: Entries,
    pub(super) providers: Providers<EntryId>,
}

impl Unused {
    pub(super) fn of(problem: &Problem<'_>) -> Self {
        let entries = Entries::of(&Problem {
            olm: problem.olm.clone(),
            catalogs: problem.unused_catalogs.clone(),
            ..Problem::default()
        });
        let providers = entries.providers();
        Self { entries, providers }
    }
}
