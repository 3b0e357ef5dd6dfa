//! The request for a validation.

use super::policy::Terms;
use super::validators::{ValidatorName, ValidatorOptions};
use crate::bundle::BundleLimits;
use crate::synthesis::Shipping;
use crate::synthesis::outside::Outside;
use std::sync::Arc;

/// The checks to run on a bundle, and their settings.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// The names of validators in addition to those that every bundle must pass.
    pub validators: Vec<ValidatorName>,
    /// The program whose verdict is requested instead of that of opmx.
    pub reference: Option<Reference>,
    /// The options of the validators.
    pub options: ValidatorOptions,
    /// The policy terms to check against, if any.
    pub policy: Option<Terms>,
    /// The form in which a bundle of plain manifests will be shipped.
    pub shipping: Shipping,
    /// Information from outside the bundles.
    pub outside: Option<Arc<Outside>>,
    /// Size limits for a bundle.
    pub limits: BundleLimits,
}

/// A program whose verdict can be reproduced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reference {
    /// `opm alpha bundle validate`.
    Opm,
    /// `operator-sdk bundle validate`.
    OperatorSdk,
    /// All validators of the API library on the whole directory.
    Api,
}
