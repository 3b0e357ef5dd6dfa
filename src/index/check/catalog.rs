//! Findings about a file-based catalog that is used as an index.

use crate::catalog::file_based::check::check;
use crate::catalog::file_based::error::CatalogError;
use crate::catalog::file_based::limits::CatalogLimits;
use crate::diagnostic::Diagnostic;
use crate::index::location::CatalogFolder;
use crate::source::Place;
use crate::validation::Strictness;
use std::path::Path;

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
        let related = finding.related.iter_mut().map(|(place, _)| place);
        for place in finding.place.iter_mut().chain(related) {
            let name = folder.known_as(Path::new(place.source.name())).display().to_string();
            if name != place.source.name() {
                *place = Place::new(&place.source.renamed(name), place.span.clone());
            }
        }
    }
    Ok(findings)
}
