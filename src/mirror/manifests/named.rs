//! The catalog objects to write, with their names.

use super::{ManifestError, ManifestOptions};
use crate::index::object_name::object_name;
use crate::kubernetes::names::{fault_of_dns1123_label, is_dns1035_label, is_dns1123_label, is_dns1123_subdomain};
use crate::mirror::plan::{CatalogKind, CatalogObject, Plan, PlannedCatalog};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The namespace of CatalogSources if neither the options nor the cluster specify one.
const NAMESPACE: &str = "openshift-marketplace";

/// A catalog object to write.
#[derive(Debug)]
pub(super) struct Named<'p> {
    pub(super) catalog: &'p PlannedCatalog,
    pub(super) name: String,
    /// The namespace of a CatalogSource.
    namespace: Option<String>,
    /// The object through which a cluster uses the catalog, whose settings are kept.
    known: Option<&'p CatalogObject>,
}

impl Named<'_> {
    pub(super) fn metadata(&self) -> Value {
        let mut metadata = json!({ "name": self.name });
        if let Some(namespace) = &self.namespace {
            metadata["namespace"] = json!(namespace);
        }
        if let Some(known) = self.known.filter(|known| !known.labels.is_empty()) {
            metadata["labels"] = json!(known.labels);
        }
        metadata
    }

    pub(super) fn spec(&self) -> Map<String, Value> {
        self.known.map(|known| known.spec.clone()).unwrap_or_default()
    }
}

/// Returns the objects of this kind, in the order of the catalogs. A catalog that a cluster uses through several
/// objects has all of them, unless the options specify its name.
///
/// # Errors
/// Returns an error if a name is invalid or appears twice.
pub(super) fn named<'p>(
    plan: &'p Plan,
    options: &ManifestOptions,
    kind: CatalogKind,
) -> Result<Vec<Named<'p>>, ManifestError> {
    if let (CatalogKind::CatalogSource, Some(namespace)) = (kind, &options.namespace) {
        check_namespace(namespace)?;
    }
    let mut all = Vec::new();
    for catalog in &plan.catalogs {
        let known: Vec<&CatalogObject> = catalog.objects.iter().filter(|object| object.kind == kind).collect();
        let given = options.catalog_names.get(&catalog.source);
        let first = known.first().copied();
        let objects = if let (None, Some(_)) = (given, first) {
            known
                .into_iter()
                .map(|object| (object.name.clone(), Some(object)))
                .collect()
        } else {
            let derived = || object_name(catalog.destination.as_deref().unwrap_or(&catalog.source));
            vec![(given.cloned().unwrap_or_else(derived), first)]
        };
        for (name, known) in objects {
            let of_cluster = || known.and_then(|known| known.namespace.clone());
            let namespace = || options.namespace.clone().or_else(of_cluster);
            all.push(Named {
                catalog,
                name,
                namespace: (kind == CatalogKind::CatalogSource)
                    .then(|| namespace().unwrap_or_else(|| NAMESPACE.to_owned())),
                known,
            });
        }
    }
    check(&all, kind)?;
    Ok(all)
}

fn check(all: &[Named<'_>], kind: CatalogKind) -> Result<(), ManifestError> {
    let mut taken: BTreeMap<(&Option<String>, &str), &PlannedCatalog> = BTreeMap::new();
    for object in all {
        let name = object.name.clone();
        let is_of_cluster = object.known.is_some_and(|known| known.name == name);
        // A cluster accepts more names than can be derived or given.
        let is_valid = is_dns1123_label(&name)
            || (is_of_cluster && kind == CatalogKind::ClusterCatalog && is_dns1123_subdomain(&name));
        if !is_valid {
            return Err(ManifestError::Name { name });
        }
        if kind == CatalogKind::CatalogSource && !is_dns1035_label(&name) {
            return Err(ManifestError::SourceName { name });
        }
        if let Some(namespace) = &object.namespace {
            check_namespace(namespace)?;
        }
        if let Some(first) = taken.insert((&object.namespace, &object.name), object.catalog) {
            return Err(ManifestError::Same {
                name,
                first: first.source.clone(),
                second: object.catalog.source.clone(),
            });
        }
    }
    Ok(())
}

fn check_namespace(namespace: &str) -> Result<(), ManifestError> {
    match fault_of_dns1123_label(namespace) {
        Some(fault) => Err(ManifestError::Namespace {
            namespace: namespace.to_owned(),
            fault,
        }),
        None => Ok(()),
    }
}
