//! Notes about deprecated packages, channels and bundles that are selected or stay installed.

use super::catalogs::Catalogs;
use crate::catalog::file_based::{Deprecation, Schema};
use crate::cluster::State;
use crate::cluster::state::{CatalogSource, Subscription};
use crate::index::open::{Describer, Index, OpenError};
use crate::resolver::{Note, NoteKind, Resolution};
use std::collections::BTreeSet;

/// A version that is selected, or that stays installed.
struct Used<'a> {
    name: &'a str,
    package: &'a str,
    /// The channel; empty if the Subscription names none.
    channel: &'a str,
    /// `namespace/name` of the CatalogSource.
    catalog: String,
}

/// Returns the selected versions, and the installed versions of the Subscriptions that are not updated.
fn used<'a>(resolution: &'a Resolution, state: &'a State) -> Vec<Used<'a>> {
    let selected = resolution.selected.iter().map(|selected| Used {
        name: &selected.name,
        package: &selected.package,
        channel: &selected.channel,
        catalog: selected.catalog.clone(),
    });
    let is_updated = |to: &Subscription| {
        let mut updated = resolution.updated_subscriptions.iter();
        updated.any(|updated| updated.name == to.name)
    };
    let staying = state.subscriptions.iter().filter_map(|to| {
        let name = to.installed_csv.as_deref().filter(|_| !is_updated(to))?;
        Some(Used {
            name,
            package: &to.package,
            channel: to.channel.as_deref().unwrap_or_default(),
            catalog: format!("{}/{}", to.catalog_namespace, to.catalog),
        })
    });
    selected.chain(staying).collect()
}

/// Returns a note for each deprecated item that is selected or stays installed. OLM reports these items as conditions
/// of the Subscriptions.
///
/// # Errors
/// Returns the CatalogSource and the error if a catalog cannot be read again.
pub(super) fn notes<'s>(
    resolution: &Resolution,
    state: &'s State,
    catalogs: &Catalogs,
) -> Result<Vec<Note>, (&'s CatalogSource, Box<OpenError>)> {
    let all = used(resolution, state);
    let mut notes = Vec::new();
    for (source, index) in state.catalogs.iter().zip(catalogs.indexes()) {
        let name = format!("{}/{}", source.namespace, source.name);
        let used: Vec<&Used<'_>> = all.iter().filter(|used| used.catalog == name).collect();
        // Databases contain no deprecations.
        if let (Some(index @ Index::Catalog(_)), false) = (index, used.is_empty()) {
            notes.extend(of_catalog(&name, &used, index).map_err(|error| (source, Box::new(error)))?);
        }
    }
    Ok(notes)
}

fn of_catalog(catalog: &str, used: &[&Used<'_>], index: &Index) -> Result<Vec<Note>, OpenError> {
    let describer = Describer::new(index)?;
    let packages: BTreeSet<&str> = used.iter().map(|used| used.package).collect();
    let mut notes = Vec::new();
    for package in packages {
        let of_package = used.iter().filter(|used| used.package == package);
        for Deprecation { reference, message } in describer.package(package)?.deprecations {
            let (subject, what) = match reference.schema {
                Some(Schema::Package) => (package, format!("package {package}")),
                Some(Schema::Channel) if of_package.clone().any(|used| used.channel == reference.name) => (
                    &*reference.name,
                    format!("channel {} of package {package}", reference.name),
                ),
                Some(Schema::Bundle) if of_package.clone().any(|used| used.name == reference.name) => {
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
