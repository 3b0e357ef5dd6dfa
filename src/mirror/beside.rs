//! The files next to a plan file.

use std::path::{Path, PathBuf};

/// Returns the path of the OCI layout that contains the catalog images built for the plan.
pub fn layout_of(plan: &Path) -> PathBuf {
    plan.with_extension("catalogs")
}

/// Returns the path of the file that records the result of copying the plan.
pub fn result_of(plan: &Path) -> PathBuf {
    plan.with_extension("result.json")
}

/// Returns the path of the journal of copied content.
pub fn journal_of(plan: &Path) -> PathBuf {
    plan.with_extension("journal")
}
