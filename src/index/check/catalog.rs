//! What is wrong with a file-based catalog, for who reads it as an index.

use crate::catalog::file_based::check::check;
use crate::catalog::file_based::read::{CatalogError, CatalogLimits};
use crate::diagnostic::Diagnostic;
use crate::index::location::CatalogFolder;
use crate::source::Place;
use crate::validation::Strictness;
use std::path::Path;

/// All findings about the documents of a catalog, in a fixed order, with the files as the user knows them.
///
/// # Errors
/// When a file cannot be read at all, or there is too much of something.
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
