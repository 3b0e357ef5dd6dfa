//! Converts a bundle to the other media type, unless a rule that the conversion itself does not check is violated.

use super::judge::{Strictness, judge_shipped};
use crate::bundle::{BundleReading, MediaType};
use crate::conversion::{self, Conversion};
use crate::diagnostic::{self, Diagnostic};
use crate::rules::Gate;
use crate::synthesis::Shipping;
use crate::text::Limits;
use crate::tree::{Tree, TreeError};
use std::collections::BTreeSet;

/// Like [`conversion::convert`], but every error in a `k8s+v1` bundle prevents its conversion to `registry+v1`, because
/// no image of the new bundle could be built.
///
/// # Errors
/// Returns an error if a file of the new bundle would be outside its folder.
pub fn convert_valid(
    tree: &Tree,
    reading: &BundleReading,
    target: &str,
    limits: &Limits,
) -> Result<Option<Conversion>, TreeError> {
    let Some(mut conversion) = conversion::convert(tree, reading, target, limits)? else {
        return Ok(None);
    };
    let media_type = reading.bundle.as_ref().map(|bundle| bundle.media_type);
    if media_type == Some(MediaType::K8sV1) {
        let known: BTreeSet<(&str, &str)> = conversion.diagnostics.iter().map(Diagnostic::identity).collect();
        let mut found = judge_shipped(reading, Shipping::RegistryV1, &Strictness::at(Gate::Authoring)).findings;
        found.retain(|finding| finding.is_error() && !known.contains(&finding.identity()));
        if !found.is_empty() {
            conversion.tree = None;
            conversion.diagnostics.extend(found);
            diagnostic::sort(&mut conversion.diagnostics);
        }
    }
    Ok(Some(conversion))
}
