//! The files next to a plan file.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Returns the path of the OCI layout that contains the catalog images of the plan that are not in a registry.
pub fn layout_of(plan: &Path) -> PathBuf {
    beside(plan, "catalogs")
}

/// Returns the path of the file that records the result of copying the plan.
pub fn result_of(plan: &Path) -> PathBuf {
    beside(plan, "result.json")
}

/// Returns the path of the journal of copied content.
pub fn journal_of(plan: &Path) -> PathBuf {
    beside(plan, "journal")
}

/// Replaces the extension of a plan that names a format. Any other text after a dot is part of the name, such as in
/// `plan-4.18`.
fn beside(plan: &Path, extension: &str) -> PathBuf {
    let is_format = |extension: &OsStr| ["json", "yaml", "yml"].iter().any(|format| extension == *format);
    if plan.extension().is_some_and(is_format) {
        return plan.with_extension(extension);
    }
    let mut path = plan.as_os_str().to_owned();
    path.push(".");
    path.push(extension);
    path.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_with_a_dot_in_their_name_have_their_own_files() {
        let of = |plan: &str| layout_of(Path::new(plan)).display().to_string();
        assert_eq!(of("a/plan.json"), "a/plan.catalogs");
        assert_eq!(of("plan"), "plan.catalogs");
        assert_eq!(of("plan-4.17"), "plan-4.17.catalogs");
        assert_eq!(of("plan-4.18"), "plan-4.18.catalogs");
        let result = result_of(Path::new("plan-4.18.yaml"));
        assert_eq!(result.display().to_string(), "plan-4.18.result.json");
    }
}
