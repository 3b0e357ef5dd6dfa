//! Adds the bundles that OLM v1 installs for ClusterExtensions to the requested parts of their catalogs.

use super::CollectError;
use super::opened::Opened;
use crate::catalog::Bundle;
use crate::catalog::file_based::edit::Editor;
use crate::catalog::file_based::limits::CatalogLimits;
use crate::catalog::file_based::load::Loaded;
use crate::catalog::olm_v1::{Source, refusals, steps};
use crate::catalog::selection::part::Part;
use crate::csv::Csv;
use crate::mirror::request::{CatalogRequest, ExtensionCatalog, ExtensionRequest, MirrorRequest};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// A request whose catalogs contain the bundles that its extensions need.
pub(super) struct Extended {
    pub(super) request: MirrorRequest,
    /// The extensions for which OLM v1 finds nothing to install, as messages.
    pub(super) skipped: Vec<String>,
    /// Remarks about the other extensions.
    pub(super) remarks: Vec<String>,
}

/// Adds what the extensions need to the parts of the catalogs, and removes the catalogs that no part needs. `opened`
/// contains the catalogs of the request.
pub(super) fn extended(
    request: &MirrorRequest,
    opened: &mut Vec<Opened>,
    limits: CatalogLimits,
) -> Result<Extended, CollectError> {
    let mut extended = Extended {
        request: request.clone(),
        skipped: Vec::new(),
        remarks: Vec::new(),
    };
    let is_named = |catalog: &CatalogRequest| {
        let mut named = request.extensions.iter().flat_map(|extension| &extension.catalogs);
        named.any(|named| named.index == catalog.catalog)
    };
    let mut loaded: BTreeMap<&str, Read> = BTreeMap::new();
    for (catalog, opened) in request.catalogs.iter().zip(&*opened) {
        if is_named(catalog) {
            let editor = opened.editor(&catalog.catalog, limits)?;
            let content = editor
                .loaded()
                .map_err(|error| CollectError::filter(&catalog.catalog, error))?;
            loaded.insert(&catalog.catalog, Read { editor, content });
        }
    }
    for extension in &request.extensions {
        extended.add(extension, &loaded)?;
    }
    let catalogs = std::mem::take(&mut extended.request.catalogs);
    let pairs = catalogs.into_iter().zip(std::mem::take(opened));
    // A request without parts selects all packages.
    let used = pairs.filter(|(catalog, _)| !catalog.parts.is_empty() || !is_named(catalog));
    (extended.request.catalogs, *opened) = used.unzip();
    Ok(extended)
}

/// The content of a catalog.
struct Read {
    editor: Editor,
    content: Loaded,
}

impl Read {
    /// Returns the reasons why OLM v1 does not install a bundle, as far as the catalog shows them.
    fn refusals(&self, catalog: &str, bundle: &Bundle) -> Result<Vec<String>, CollectError> {
        let manifests = self.editor.manifests(bundle);
        let manifests = manifests.map_err(|error| CollectError::filter(catalog, error))?;
        let parsed = manifests.objects.iter();
        let objects: Vec<Value> = parsed.filter_map(|object| serde_json::from_str(object).ok()).collect();
        let objects: Vec<&Value> = objects.iter().collect();
        let csv = manifests.csv.and_then(|csv| serde_json::from_str(&csv).ok());
        let csv: Value = csv.unwrap_or_default();
        let has_manifests = !objects.is_empty();
        let refusals = refusals::of_bundle(bundle, Csv(&csv), has_manifests.then_some(&objects[..]));
        Ok(refusals.into_iter().map(|refusal| refusal.reason).collect())
    }
}

impl Extended {
    fn add(&mut self, extension: &ExtensionRequest, loaded: &BTreeMap<&str, Read>) -> Result<(), CollectError> {
        let ExtensionRequest { name, package, .. } = extension;
        let with_package = extension.catalogs.iter().filter_map(|catalog| {
            let read = loaded.get(catalog.index.as_str())?;
            read.content.catalog.package(package)?;
            Some((catalog, read))
        });
        let with_package: Vec<(&ExtensionCatalog, &Read)> = with_package.collect();
        let sources = with_package.iter().map(|(catalog, read)| Source {
            catalog: &read.content.catalog,
            deprecated: &read.content.deprecated.bundles,
            priority: catalog.priority,
        });
        let sources: Vec<Source<'_>> = sources.collect();
        let reasons = |place: usize, bundle: &Bundle| {
            let (catalog, read) = with_package[place];
            read.refusals(&catalog.index, bundle)
        };
        let is_refused = |place: usize, bundle: &Bundle| reasons(place, bundle).map(|reasons| !reasons.is_empty());
        let installed = extension.installed.as_ref();
        let steps = steps(&sources, package, &extension.allowed, installed, is_refused)?;
        if steps.bundles.iter().all(BTreeSet::is_empty) {
            self.skipped.push(format!(
                "the ClusterExtension {name} is skipped, because {}",
                nothing(extension, &sources)
            ));
        }
        for (place, id) in steps.refused {
            let Some(bundle) = sources[place].catalog.bundle(id) else {
                continue;
            };
            let remark = format!(
                "OLM v1 does not install {} for the ClusterExtension {name}: {}; the plan includes this bundle, but no \
                 later ones",
                bundle.name,
                reasons(place, bundle)?.join(", and ")
            );
            // Several catalogs may offer the bundle.
            if !self.remarks.contains(&remark) {
                self.remarks.push(remark);
            }
        }
        let mut names = Vec::new();
        let mut is_installed_known = extension.installed.is_none();
        for ((looked_in, read), ids) in with_package.iter().zip(steps.bundles) {
            let catalog = &read.content.catalog;
            if !ids.is_empty() {
                names.push(looked_in.name.as_str());
            }
            let installed = installed.and_then(|installed| catalog.find_in(package, &installed.name));
            is_installed_known |= installed.is_some();
            let mut bundles: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
            for id in ids.into_iter().chain(installed) {
                let Some(bundle) = catalog.bundle(id) else { continue };
                let channels = catalog
                    .package(package)
                    .into_iter()
                    .flat_map(|package| &package.channels);
                let containing = channels.filter(|channel| channel.entries.iter().any(|entry| entry.bundle == id));
                let (allowed, others): (Vec<_>, Vec<_>) =
                    containing.partition(|channel| extension.allowed.has_channel(&channel.name));
                // The installed bundle may be from a channel that the extension does not allow anymore.
                for channel in if allowed.is_empty() { others } else { allowed } {
                    bundles
                        .entry(channel.name.to_string())
                        .or_default()
                        .insert(bundle.name.to_string());
                }
            }
            self.add_bundles(&looked_in.index, package, bundles);
        }
        if steps.are_contested {
            self.remarks.push(format!(
                "the ClusterCatalogs {} have the same priority and offer package {package:?} for the ClusterExtension \
                 {name}, so OLM v1 installs nothing; the plan includes the bundles of all of them",
                names.join(" and ")
            ));
        }
        if let Some(installed) = &extension.installed
            && !is_installed_known
        {
            self.remarks.push(format!(
                "the images of {}, which the ClusterExtension {name} has installed, are not included, because its \
                 catalogs do not contain this bundle",
                installed.name
            ));
        }
        Ok(())
    }

    fn add_bundles(&mut self, index: &str, package: &str, bundles: BTreeMap<String, BTreeSet<String>>) {
        let mut catalogs = self.request.catalogs.iter_mut();
        if let Some(catalog) = catalogs.find(|catalog| catalog.catalog == index)
            && !bundles.is_empty()
        {
            match catalog.parts.get_mut(package) {
                Some(part) => part.add(bundles),
                None => drop(catalog.parts.insert(package.to_owned(), Part::of_bundles(bundles))),
            }
        }
    }
}

/// Returns the reason why OLM v1 finds nothing to install for an extension. `sources` are the catalogs that contain its
/// package.
fn nothing(extension: &ExtensionRequest, sources: &[Source<'_>]) -> String {
    let ExtensionRequest { package, allowed, .. } = extension;
    if sources.is_empty() {
        let catalogs: BTreeSet<&str> = extension.catalogs.iter().map(|catalog| &*catalog.index).collect();
        let catalogs: Vec<&str> = catalogs.into_iter().collect();
        return format!("there is no package {package:?} in {}", catalogs.join(" or "));
    }
    let channels: Vec<&str> = allowed.channels.iter().map(String::as_str).collect();
    let channels = (!channels.is_empty()).then(|| format!("is in {}", channels.join(" or ")));
    let range = extension
        .range
        .as_ref()
        .map(|range| format!("has a version in the range {range:?}"));
    let installed = extension.installed.as_ref().filter(|_| !allowed.any_update);
    let installed = installed.map(|installed| format!("is an update of {}", installed.name));
    let conditions: Vec<String> = [channels, range, installed].into_iter().flatten().collect();
    if conditions.is_empty() {
        return format!("package {package:?} has no bundles");
    }
    format!("no bundle of package {package:?} {}", conditions.join(" and "))
}
