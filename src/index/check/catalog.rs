//! Findings about a file-based catalog that is used as an index.

use crate::catalog::file_based::check::check;
use crate::catalog::file_based::error::CatalogError;
use crate::catalog::file_based::limits::CatalogLimits;
use crate::diagnostic::Diagnostic;
use crate::index::location::CatalogFolder;
use crate::validation::Strictness;

/// Returns all findings about catalog documents, in a fixed order. The findings name files as the user knows them.
///
/// # Errors
/// Returns an error if a file cannot be read or a limit is exceeded.
pub fn check_catalog(
    folder: &CatalogFolder,
    limits: CatalogLimits,
    strictness: &Strictness,
) -> Result<Vec<Diagnostic>, CatalogError> {
    let mut findings = check(folder.path(), limits)?.findings;
    strictness.weigh_catalog(&mut findings);
    for finding in &mut findings {
        finding.rename_files(|file| Some(folder.known_as(file)).filter(|name| name != file));
    }
    Ok(findings)
}
