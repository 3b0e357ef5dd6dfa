//! Structural schemas.

use super::Report;

pub(super) fn check(_report: &mut Report<'_>) {}
