//! What is asked about a bundle.

use super::policy::Terms;
use super::validators::ValidatorOptions;
use crate::bundle::BundleLimits;
use crate::synthesis::outside::Outside;
use std::sync::Arc;

/// What is to be looked at.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// Validators beyond those that every bundle must pass, by their names.
    pub validators: Vec<&'static str>,
    /// Whose verdict is wanted in place of ours.
    pub reference: Option<Reference>,
    /// What the validators are told.
    pub options: ValidatorOptions,
    /// What an administrator allows, where that is asked for.
    pub policy: Option<Terms>,
    /// What is known outside the bundles.
    pub outside: Option<Arc<Outside>>,
    /// How much a bundle may hold.
    pub limits: BundleLimits,
}

/// A program whose verdict can be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reference {
    /// `opm alpha bundle validate`.
    Opm,
    /// `operator-sdk bundle validate`.
    OperatorSdk,
    /// All validators of the API library on the whole directory.
    Api,
}
