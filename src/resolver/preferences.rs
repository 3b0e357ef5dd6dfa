//! Preferences for dependencies that are not required.

use crate::olm::intent::Intent;
use std::collections::BTreeSet;

/// A user's decisions about dependencies that are not required.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Preferences {
    /// The recommended dependencies to exclude.
    pub without_recommended: Without,
    /// Packages to include if possible, even if they are only optional dependencies.
    pub with_optional: BTreeSet<String>,
}

/// The recommended dependencies to exclude.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Without {
    /// No dependency.
    #[default]
    Nothing,
    /// The dependencies on these packages.
    Packages(BTreeSet<String>),
    /// All recommended dependencies.
    Everything,
}

impl Preferences {
    /// Returns whether to include a dependency that names these packages. `by_default` is the result if no preference
    /// decides.
    pub(super) fn take(&self, intent: Intent, packages: &[String], by_default: bool) -> bool {
        let names_one_of = |set: &BTreeSet<String>| packages.iter().any(|name| set.contains(name));
        match intent {
            Intent::Required => by_default,
            _ if names_one_of(&self.with_optional) => true,
            Intent::Optional => by_default,
            Intent::Recommended => match &self.without_recommended {
                Without::Nothing => by_default,
                Without::Everything => false,
                Without::Packages(left_out) => by_default && !names_one_of(left_out),
            },
        }
    }

    /// Returns the packages that the preferences name, sorted by name.
    pub(crate) fn named(&self) -> BTreeSet<&str> {
        let left_out = match &self.without_recommended {
            Without::Packages(packages) => Some(packages),
            Without::Nothing | Without::Everything => None,
        };
        let names = self.with_optional.iter().chain(left_out.into_iter().flatten());
        names.map(String::as_str).collect()
    }
}
