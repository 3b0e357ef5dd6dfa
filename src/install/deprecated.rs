//! Notes about deprecated packages, channels and bundles in a resolution.

use super::catalogs::Catalogs;
use crate::catalog::file_based::{Deprecation, Schema};
use crate::cluster::state::CatalogSource;
use crate::index::open::{Describer, Index, OpenError};
use crate::resolver::{Note, NoteKind, Selected};
use std::collections::BTreeSet;

/// Returns a note for each deprecated item that is selected. OLM reports these items as conditions of the
/// Subscriptions. `sources` are the CatalogSources of the catalogs.
///
/// # Errors
/// Returns the CatalogSource and the error if a catalog cannot be read again.
pub(super) fn notes<'s>(
    selected: &[Selected],
    sources: &'s [CatalogSource],
    catalogs: &Catalogs,
) -> Result<Vec<Note>, (&'s CatalogSource, Box<OpenError>)> {
    let mut notes = Vec::new();
    for (source, index) in sources.iter().zip(catalogs.indexes()) {
        let name = format!("{}/{}", source.namespace, source.name);
        let selected: Vec<&Selected> = selected.iter().filter(|selected| selected.catalog == name).collect();
        // Databases contain no deprecations.
        if let (Some(index @ Index::Catalog(_)), false) = (index, selected.is_empty()) {
            notes.extend(of_catalog(&name, &selected, index).map_err(|error| (source, Box::new(error)))?);
        }
    }
    Ok(notes)
}

fn of_catalog(catalog: &str, selected: &[&Selected], index: &Index) -> Result<Vec<Note>, OpenError> {
    let describer = Describer::new(index)?;
    let packages: BTreeSet<&str> = selected.iter().map(|selected| &*selected.package).collect();
    let mut notes = Vec::new();
    for package in packages {
        let of_package = selected.iter().filter(|selected| selected.package == package);
        for Deprecation { reference, message } in describer.package(package)?.deprecations {
            let (subject, what) = match reference.schema {
                Some(Schema::Package) => (package, format!("package {package}")),
                Some(Schema::Channel) if of_package.clone().any(|selected| selected.channel == reference.name) => (
                    &*reference.name,
                    format!("channel {} of package {package}", reference.name),
                ),
                Some(Schema::Bundle) if of_package.clone().any(|selected| selected.name == reference.name) => {
                    (&*reference.name, reference.name.clone())
                }
                _ => continue,
            };
            let separator = if message.trim().is_empty() { "" } else { ": " };
            notes.push(Note {
                kind: NoteKind::Deprecated,
                subject: subject.to_owned(),
                message: format!("the catalog {catalog} deprecates {what}{separator}{}", message.trim()),
            });
        }
    }
    Ok(notes)
}
