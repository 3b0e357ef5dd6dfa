//! A bundle in the other media type.
//!
//! To `registry+v1`: the synthesized `ClusterServiceVersion` and the objects to ship beside it, for clusters and
//! catalogs that know nothing else. To `k8s+v1`: a CSV is taken apart into the manifests that its author would have
//! written, and what manifests cannot say becomes `metadata/olm.yaml`.
//!
//! What the other format cannot hold is named by a finding. On the way to `k8s+v1` that list is complete by
//! construction: the new bundle is synthesized again before anybody sees it, and every difference between the two CSVs
//! that no other finding names becomes one.
//!
//! The module stands beside `synthesis` and not inside it, because it needs both a finished synthesis and the files of
//! a bundle, and the synthesis itself needs nothing of it.

mod annotations;
mod compare;
mod files;
mod optional;
mod plain;
mod registry;
#[cfg(test)]
mod tests;

use crate::bundle::{Bundle, BundleReading, MediaType};
use crate::diagnostic::{self, Diagnostic};
use crate::text::Limits;
use crate::tree::{Tree, TreeError, TreeLimits};

/// What became of a bundle.
#[derive(Debug)]
pub struct Conversion {
    /// The files of the new bundle; `None` where an error stands among the findings.
    pub tree: Option<Tree>,
    /// What is in the way, what the new format cannot hold, and what is worth knowing.
    pub diagnostics: Vec<Diagnostic>,
}

/// Converts a bundle that was read from `tree` to the other of the two media types. `target` is what messages call
/// the new bundle, such as the folder it goes to. `None` where `reading` holds no bundle; its findings say why.
///
/// # Errors
/// When a file of the new bundle would lead out of its folder.
pub fn convert(
    tree: &Tree,
    reading: &BundleReading,
    target: &str,
    limits: &Limits,
) -> Result<Option<Conversion>, TreeError> {
    let Some(bundle) = &reading.bundle else {
        return Ok(None);
    };
    let mut conversion = match bundle.media_type {
        MediaType::RegistryV1 => plain::convert(tree, bundle, &reading.diagnostics, target, limits)?,
        MediaType::K8sV1 => registry::convert(tree, bundle, &reading.diagnostics, target, limits)?,
    };
    diagnostic::sort(&mut conversion.diagnostics);
    if diagnostic::has_errors(&conversion.diagnostics) {
        conversion.tree = None;
    }
    Ok(Some(conversion))
}

/// The name of the package, or of the CSV without its version: what files of the bundle are called by.
fn short_name<'b>(bundle: &'b Bundle, csv_name: &'b str) -> &'b str {
    let package = bundle.annotations.as_ref().map(crate::bundle::Annotations::package);
    match package.filter(|package| !package.is_empty()) {
        Some(package) => package,
        None => csv_name.split_once('.').map_or(csv_name, |(name, _)| name),
    }
}

/// The limits of a tree whose files were all read under the user's limits already.
const UNLIMITED: TreeLimits = TreeLimits {
    files: usize::MAX,
    file_bytes: u64::MAX,
    total_bytes: u64::MAX,
};
