//! What is taken of all that bundles want without requiring it.

use crate::olm::intent::Intent;
use std::collections::BTreeSet;

/// What somebody decides about dependencies that are not required.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Preferences {
    /// What is left out although it is recommended.
    pub without_recommended: Without,
    /// Packages that are taken where they can be, although they are only optional to a bundle.
    pub with_optional: BTreeSet<String>,
}

/// What is left out of what is recommended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Without {
    /// Nothing.
    #[default]
    Nothing,
    /// These packages.
    Packages(BTreeSet<String>),
    /// Everything.
    Everything,
}

impl Preferences {
    /// Whether a dependency that names these packages is taken, where `by_default` says what holds for its intent
    /// without a word about the package.
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

    /// The packages that are named, in the order of their names.
    pub(super) fn named(&self) -> BTreeSet<&str> {
        let left_out = match &self.without_recommended {
            Without::Packages(packages) => Some(packages),
            Without::Nothing | Without::Everything => None,
        };
        let names = self.with_optional.iter().chain(left_out.into_iter().flatten());
        names.map(String::as_str).collect()
    }
}
