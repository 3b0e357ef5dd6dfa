//! Converts a bundle to the other media type.
//!
//! Converted to `registry+v1`, a bundle contains the synthesized `ClusterServiceVersion` and the objects to ship with
//! it, for clusters and catalogs that support no other format. For a conversion to `k8s+v1`, the CSV is split into the
//! manifests that its author would have written. The values that manifests cannot express are written to
//! `metadata/olm.yaml`.
//!
//! Content that the other format cannot represent is reported by a finding. For `k8s+v1`, the findings are always
//! complete: before the conversion returns the new bundle, it synthesizes a CSV from it. Each difference between the
//! two CSVs becomes a finding, unless another finding already names the difference.
//!
//! This module is separate from `synthesis` because it needs both a finished synthesis and the files of a bundle, while
//! the synthesis does not need this module.

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
use crate::tree::{Tree, TreeError};

/// The result of a conversion.
#[derive(Debug)]
pub struct Conversion {
    /// The files of the new bundle; `None` if errors prevent the conversion.
    pub tree: Option<Tree>,
    /// Errors that prevent the conversion, content that the new format cannot represent, and notes.
    pub diagnostics: Vec<Diagnostic>,
}

/// Converts a bundle that was read from `tree` to the other media type. `target` is the name of the new bundle in
/// messages, such as its folder. Returns `None` if `reading` contains no bundle; its findings describe the reason.
///
/// # Errors
/// Returns an error if a file of the new bundle would be outside its folder.
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

/// Returns the prefix of file names in the bundle: the package name, or the name of the CSV without its version.
fn short_name<'b>(bundle: &'b Bundle, csv_name: &'b str) -> &'b str {
    let package = bundle.annotations.as_ref().map(crate::bundle::Annotations::package);
    match package.filter(|package| !package.is_empty()) {
        Some(package) => package,
        None => csv_name.split_once('.').map_or(csv_name, |(name, _)| name),
    }
}
