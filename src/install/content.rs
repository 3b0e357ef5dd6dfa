//! A bundle as OLM reads it, from its files or from a catalog.

mod index_bundles;

pub use index_bundles::IndexBundles;

use crate::catalog::file_based::error::CatalogError;
use crate::catalog::file_based::{self, manifests};
use crate::csv::Csv;
use crate::database::read::ReadError;
use crate::diagnostic::Diagnostic;
use crate::index::intake::{self, IntakeError, Recording};
use crate::index::open::Index;
use crate::index::render::{RenderError, RenderOptions, render_record};
use crate::olm::property::{BUNDLE_OBJECT, CSV_METADATA, GVK_REQUIRED, Property, holds_manifests};
use crate::olm::spelling::is_requirement;
use crate::steps::Content;
use crate::synthesis::outside::Outside;
use crate::text::{Limits, Values};
use crate::tree::Tree;
use crate::validation::Strictness;
use serde_json::{Map, Value};

/// The reason why a bundle cannot be installed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ContentError {
    /// An index would reject the bundle.
    #[error(transparent)]
    Intake(#[from] IntakeError),
    /// A property or dependency is not JSON.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// A manifest or property in a catalog is malformed.
    #[error("the property {kind} of bundle {bundle} cannot be read: {reason}")]
    Property {
        /// The bundle.
        bundle: String,
        /// The type of the property.
        kind: String,
        /// The cause.
        reason: String,
    },
    /// An index cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A file-based catalog cannot be read.
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    /// An index does not contain the bundle.
    #[error("the index does not contain the bundle {bundle:?}{}", .nearest.as_ref().map_or(String::new(), |name| format!("; did you mean {name:?}?")))]
    Unknown {
        /// The name.
        bundle: String,
        /// The most similar name.
        nearest: Option<String>,
    },
    /// The bundle is in the index only so that clusters that have it installed can upgrade.
    #[error("the bundle {bundle:?} is deprecated in the index, so it is no longer offered for installation")]
    Deprecated {
        /// The name.
        bundle: String,
    },
    /// The catalog contains no manifests of the bundle.
    #[error(
        "the catalog contains no ClusterServiceVersion of bundle {bundle}{}",
        if .image.is_empty() { String::new() } else { format!("; its manifests are in the image {}", .image) }
    )]
    NoCsv {
        /// The bundle.
        bundle: String,
        /// The image; empty if unknown.
        image: String,
    },
}

/// Reads a bundle from its files, and returns it with the findings. `reference` is the image reference that a catalog
/// uses instead of embedding the files.
///
/// A `k8s+v1` bundle is returned as an index stores it: with its synthesized ClusterServiceVersion and the objects that
/// OLM does not generate from this CSV.
///
/// # Errors
/// Returns an error if an index would reject the bundle.
pub fn of_files(
    tree: &Tree,
    reference: Option<&str>,
    limits: &Limits,
) -> Result<(Content, Vec<Diagnostic>), ContentError> {
    of_files_with(tree, reference, None, limits)
}

/// Like [`of_files`], but also uses information from outside the bundle about the APIs that the bundle uses.
///
/// # Errors
/// Returns the same errors as [`of_files`].
pub fn of_files_with(
    tree: &Tree,
    reference: Option<&str>,
    outside: Option<&Outside>,
    limits: &Limits,
) -> Result<(Content, Vec<Diagnostic>), ContentError> {
    let recording = Recording {
        reference,
        outside,
        ..Recording::default()
    };
    let prepared = intake::prepare(tree, recording, limits, &Strictness::default())?;
    let document = render_record(&prepared.record, RenderOptions::default())?;
    let mut content = of_document(&document)?;
    if let Some((csv, objects)) = prepared.installed {
        (content.csv, content.objects) = (csv, objects);
    }
    if content.served.is_some() {
        let properties = prepared.record.rows.properties.iter();
        content.served = Some(served(
            &document.name,
            properties.map(|(kind, value)| (&**kind, &**value)),
        )?);
    }
    Ok((content, prepared.diagnostics))
}

/// Returns the properties that a database serves for a bundle whose manifests the database embeds.
fn served<'a>(bundle: &str, stored: impl Iterator<Item = (&'a str, &'a str)>) -> Result<Vec<Property>, ContentError> {
    let served = stored.filter(|(kind, _)| !holds_manifests(kind)).map(|(kind, value)| {
        let value = serde_json::from_str(value).map_err(|error| ContentError::Property {
            bundle: bundle.to_owned(),
            kind: kind.to_owned(),
            reason: error.to_string(),
        })?;
        Ok(Property {
            kind: kind.to_owned(),
            value,
        })
    });
    served.collect()
}

/// Returns the bundle with this name from an index of any format, as [`IndexBundles::content`] does.
///
/// # Errors
/// Returns the same errors as [`IndexBundles::content`].
pub fn of_index(opened: &Index, package: Option<&str>, bundle: &str) -> Result<Content, ContentError> {
    IndexBundles::of(opened)?.content(package, bundle)
}

/// Reads a bundle from a file-based catalog document. The document may have been rendered from a database.
///
/// # Errors
/// Returns an error if the document contains no manifests, or if they cannot be read.
pub(crate) fn of_document(document: &file_based::Bundle) -> Result<Content, ContentError> {
    let unreadable = |kind: &str, reason: String| ContentError::Property {
        bundle: document.name.clone(),
        kind: kind.to_owned(),
        reason,
    };
    let (mut objects, mut properties) = (Vec::new(), Vec::new());
    let limit = Values::new(Limits::default().values);
    for property in &document.properties {
        let parsed: Result<Value, _> = serde_json::from_str(property.value.get());
        let value = parsed.map_err(|error| unreadable(&property.kind, error.to_string()))?;
        match property.kind.as_str() {
            CSV_METADATA => {}
            BUNDLE_OBJECT => {
                objects.push(object_in(&value, &limit).map_err(|reason| unreadable(BUNDLE_OBJECT, reason))?);
            }
            kind => properties.push(Property {
                kind: kind.to_owned(),
                value,
            }),
        }
    }
    let Some(content) = Content::of_objects(&document.name, objects) else {
        return Err(ContentError::NoCsv {
            bundle: document.name.clone(),
            image: document.image.clone(),
        });
    };
    let served = document.image.is_empty().then(|| properties.clone());
    require_apis(&mut properties, Csv(&content.csv));
    Ok(Content {
        package: document.package.clone(),
        properties,
        served,
        ..content
    })
}

fn object_in(value: &Value, values: &Values) -> Result<Value, String> {
    let data = value.get("data").and_then(Value::as_str).ok_or("data is missing")?;
    manifests::parse(data, values)
}

/// Adds the required APIs of the ClusterServiceVersion, unless the properties already list requirements.
fn require_apis(properties: &mut Vec<Property>, csv: Csv<'_>) {
    let said = properties.iter();
    let mut said = said.filter(|property| is_requirement(&property.kind));
    if said.next().is_some() {
        return;
    }
    let entry = |group: &str, entry: &Value| {
        let mut value = Map::new();
        value.insert("group".to_owned(), group.into());
        for key in ["kind", "version"] {
            value.insert(key.to_owned(), entry.get(key).cloned().unwrap_or_default());
        }
        Property {
            kind: GVK_REQUIRED.to_owned(),
            value: Value::Object(value),
        }
    };
    let name = |entry: &Value, key: &str| {
        let name = entry.get(key).and_then(Value::as_str);
        name.unwrap_or_default().to_owned()
    };
    for crd in csv.list(&["spec", "customresourcedefinitions", "required"]) {
        if let Some((_, group)) = name(crd, "name").split_once('.') {
            properties.push(entry(group, crd));
        }
    }
    for service in csv.list(&["spec", "apiservicedefinitions", "required"]) {
        properties.push(entry(&name(service, "group"), service));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn document(objects: &[Value], properties: &[(&str, Value)]) -> file_based::Bundle {
        let objects = objects
            .iter()
            .map(|object| file_based::Property::of_object(&object.to_string()));
        let properties = properties
            .iter()
            .map(|(kind, value)| file_based::Property::parse(kind, &value.to_string()).unwrap());
        file_based::Bundle {
            name: "memo.v1".to_owned(),
            package: "memo".to_owned(),
            image: "registry.example.com/memo:1".to_owned(),
            properties: properties.chain(objects).collect(),
            related_images: Vec::new(),
        }
    }

    fn csv() -> Value {
        json!({"kind": "ClusterServiceVersion", "spec": {
            "customresourcedefinitions": {"required": [{"name": "pads.example.com", "version": "v1", "kind": "Pad"}]},
            "apiservicedefinitions": {"required": [{"group": "api.example.com", "version": "v2", "kind": "Ink"}]}}})
    }

    #[test]
    fn manifests_are_separated_from_properties_and_versions_from_other_objects() {
        let other = json!({"kind": "ClusterServiceVersion", "metadata": {"name": "second"}});
        let service = json!({"kind": "Service", "apiVersion": "v1"});
        let objects = [service.clone(), csv(), other, json!({"dependencies": []})];
        let content = of_document(&document(
            &objects,
            &[
                ("olm.constraint", json!({})),
                (CSV_METADATA, json!({})),
                ("x", json!(1)),
            ],
        ))
        .unwrap();
        assert_eq!((content.csv, content.objects), (csv(), vec![service]));
        let kinds: Vec<_> = content
            .properties
            .iter()
            .map(|property| property.kind.as_str())
            .collect();
        assert_eq!(kinds, ["olm.constraint", "x"]);
    }

    #[test]
    fn required_apis_become_properties_if_nothing_else_is_required() {
        let content = of_document(&document(&[csv()], &[("x", json!(1))])).unwrap();
        let required = |group, kind, version| json!({"group": group, "kind": kind, "version": version});
        let values: Vec<_> = content
            .properties
            .into_iter()
            .skip(1)
            .map(|property| property.value)
            .collect();
        assert_eq!(
            values,
            [
                required("example.com", "Pad", "v1"),
                required("api.example.com", "Ink", "v2")
            ]
        );
    }

    #[test]
    fn a_bundle_without_manifests_is_rejected_with_its_image() {
        let error = of_document(&document(&[], &[])).unwrap_err().to_string();
        assert!(
            error.ends_with("its manifests are in the image registry.example.com/memo:1"),
            "{error}"
        );
        let broken = document(&[], &[(BUNDLE_OBJECT, json!({"data": "!"}))]);
        let error = of_document(&broken).unwrap_err().to_string();
        assert!(
            error.starts_with("the property olm.bundle.object of bundle memo.v1 cannot be read"),
            "{error}"
        );
    }
}
