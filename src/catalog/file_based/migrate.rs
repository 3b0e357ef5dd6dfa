//! Migration of documents from older to newer formats.

use super::document::Document;
use super::error::CatalogError;
use super::manifests;
use super::picture_type::decoded;
use super::read::FileBasedCatalog;
use super::{Schema, WrittenProperty};
use crate::olm::property::{BUNDLE_OBJECT, CSV_METADATA};
use crate::text::{Limits, Values};
use crate::value::is_empty;
use serde::Deserialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// The extent of the migration.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Level {
    /// Documents are unchanged.
    #[default]
    None,
    /// In bundles with an image, manifests are replaced by the metadata that user interfaces show.
    BundleObjectToCsvMetadata,
}

/// The fields of the property. Each is followed by the part of the `ClusterServiceVersion` (`metadata` or `spec`) and
/// the field in that part from which it is copied.
const FIELDS: [(&str, &str, &str); 14] = [
    ("annotations", "metadata", "annotations"),
    ("apiServiceDefinitions", "spec", "apiservicedefinitions"),
    ("crdDescriptions", "spec", "customresourcedefinitions"),
    ("description", "spec", "description"),
    ("displayName", "spec", "displayName"),
    ("installModes", "spec", "installModes"),
    ("keywords", "spec", "keywords"),
    ("labels", "metadata", "labels"),
    ("links", "spec", "links"),
    ("maintainers", "spec", "maintainers"),
    ("maturity", "spec", "maturity"),
    ("minKubeVersion", "spec", "minKubeVersion"),
    ("nativeAPIs", "spec", "nativeAPIs"),
    ("provider", "spec", "provider"),
];

/// The fields that are always written, even if the object has no value for them.
const ALWAYS: [&str; 3] = ["apiServiceDefinitions", "crdDescriptions", "provider"];

/// Returns the document migrated to a level. Values that are already migrated, or cannot be read, are unchanged.
pub fn migrated(document: Document, level: Level) -> Document {
    match level {
        Level::None => document,
        Level::BundleObjectToCsvMetadata => with_csv_metadata(&document).unwrap_or(document),
    }
}

/// The icons of a package that a catalog lacks, although the manifests of its bundles contain them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LostIcons {
    /// The package, whose own document has no icon.
    pub package: String,
    /// The first of the bundles.
    pub bundle: String,
    /// The number of bundles.
    pub count: usize,
    /// The reason for the loss.
    pub loss: Loss,
}

/// The reason why a catalog lacks an icon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// The icon is not base64.
    Unreadable,
    /// Only the manifests contained the icon, and a migration has removed them.
    Migrated,
}

/// Finds lost icons while the documents of a catalog are migrated in their order.
#[derive(Debug, Default)]
pub struct IconWatch {
    /// The current package, if its document has no icon.
    bare: Option<String>,
    /// The lost icons of each package.
    pub lost: Vec<LostIcons>,
}

impl IconWatch {
    /// Looks at a document before and after its migration.
    pub fn add(&mut self, before: &Document, after: &Document) {
        match before.schema() {
            Some(Schema::Package) => {
                let has_icon = before.field("icon").is_some_and(|icon| icon.get() != "null");
                self.bare = (!has_icon).then(|| before.package());
            }
            Some(Schema::Bundle) => self.add_bundle(before, after),
            _ => {}
        }
    }

    fn add_bundle(&mut self, before: &Document, after: &Document) {
        let package = before.package();
        let properties = |document: &Document| document.field("properties").map(|list| list.get().to_owned());
        if self.bare.as_ref() != Some(&package) || properties(before) == properties(after) || !has_icon(before) {
            return;
        }
        let same = |lost: &&mut LostIcons| lost.package == package && lost.loss == Loss::Migrated;
        match self.lost.last_mut().filter(same) {
            Some(lost) => lost.count += 1,
            None => self.lost.push(LostIcons {
                package,
                bundle: before.text("name"),
                count: 1,
                loss: Loss::Migrated,
            }),
        }
    }
}

/// Whether the ClusterServiceVersion among the manifests of a bundle contains a readable icon.
fn has_icon(bundle: &Document) -> bool {
    let properties = bundle.properties().unwrap_or_default();
    let csv = csv_of(&properties);
    let data = csv
        .as_ref()
        .and_then(|csv| csv.pointer("/spec/icon/0/base64data")?.as_str());
    data.and_then(decoded).is_some_and(|bytes| !bytes.is_empty())
}

/// Returns the level of the bundles in a catalog, or in one of its packages, according to the first bundle that
/// indicates it. Returns `None` if no bundle does.
///
/// # Errors
/// Returns an error if a bundle cannot be read.
pub fn level_of(catalog: &FileBasedCatalog, package: Option<&str>) -> Result<Option<Level>, CatalogError> {
    let bundles = catalog.handles.iter().filter(|handle| handle.schema == Schema::Bundle);
    for handle in bundles.filter(|handle| package.is_none_or(|package| *handle.package == *package)) {
        let document = catalog.document(handle)?;
        let properties = document.properties().unwrap_or_default();
        let has = |kind: &str| properties.iter().any(|property| property.kind == kind);
        if has(CSV_METADATA) {
            return Ok(Some(Level::BundleObjectToCsvMetadata));
        }
        if has(BUNDLE_OBJECT) && !document.text("image").is_empty() {
            return Ok(Some(Level::None));
        }
    }
    Ok(None)
}

#[derive(Deserialize)]
struct Object {
    data: String,
}

/// Returns the bundle with `olm.csv.metadata` instead of its manifests, or `None` if no change is needed.
fn with_csv_metadata(document: &Document) -> Option<Document> {
    if document.schema() != Some(Schema::Bundle) || document.text("image").is_empty() {
        return None;
    }
    let properties = document.properties().ok()?;
    if properties.iter().any(|property| property.kind == CSV_METADATA) {
        return None;
    }
    let csv = csv_of(&properties)?;
    let metadata = to_raw_value(&metadata(&csv)).ok()?;
    let kept = properties.into_iter().filter(|property| property.kind != BUNDLE_OBJECT);
    let properties: Vec<_> = kept.chain([WrittenProperty::new(CSV_METADATA, &*metadata)]).collect();
    Some(document.clone().with("properties", to_raw_value(&properties).ok()?))
}

/// Returns the fields in the properties `olm.csv.metadata` of a bundle that [`metadata`] does not return for a
/// ClusterServiceVersion.
pub(crate) fn fields_beside(bundle: &Document, csv: &Value) -> Result<BTreeSet<String>, serde_json::Error> {
    let known = metadata(csv);
    let mut beside = BTreeSet::new();
    for property in bundle.properties()? {
        if property.kind != CSV_METADATA {
            continue;
        }
        let own: Map<String, Value> = serde_json::from_str(property.value.get())?;
        let lost = own
            .into_iter()
            .filter(|(field, value)| !is_empty(value) && known.get(field) != Some(value));
        beside.extend(lost.map(|(field, _)| field));
    }
    Ok(beside)
}

/// Returns the ClusterServiceVersion among the manifests of a bundle.
fn csv_of(properties: &[WrittenProperty<'_>]) -> Option<Value> {
    let values = Values::new(Limits::default().values);
    let objects = properties.iter().filter(|property| property.kind == BUNDLE_OBJECT);
    let mut manifests = objects.filter_map(|object| manifest(object.value, &values));
    manifests.find(|object| object["kind"] == crate::csv::KIND)
}

fn manifest(value: &RawValue, values: &Values) -> Option<Value> {
    let Object { data } = serde_json::from_str(value.get()).ok()?;
    manifests::parse(&data, values).ok()
}

/// Returns the value of `olm.csv.metadata` for a ClusterServiceVersion.
pub(crate) fn metadata(csv: &Value) -> Map<String, Value> {
    let mut metadata = Map::new();
    for (name, part, field) in FIELDS {
        let value = csv[part].get(field).filter(|value| !is_empty(value));
        match value {
            Some(value) => metadata.insert(name.to_owned(), value.clone()),
            None if ALWAYS.contains(&name) => metadata.insert(name.to_owned(), Value::Object(Map::new())),
            None => None,
        };
    }
    metadata
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    use serde_json::json;

    fn bundle(image: &str, properties: &Value) -> Document {
        let bundle =
            json!({"schema": "olm.bundle", "name": "a.v1", "image": image, "properties": properties, "own": 1});
        Document::from_json(&bundle.to_string()).unwrap()
    }

    fn object(object: &Value) -> Value {
        json!({"type": BUNDLE_OBJECT, "value": {"data": STANDARD.encode(object.to_string())}})
    }

    fn properties(document: &Document) -> Value {
        serde_json::from_str(document.field("properties").unwrap().get()).unwrap()
    }

    #[test]
    fn manifests_of_a_bundle_with_an_image_are_replaced_by_csv_metadata() {
        let csv = json!({
            "kind": "ClusterServiceVersion",
            "metadata": {"name": "a.v1", "annotations": {"capabilities": "Basic Install"}, "labels": {}},
            "spec": {"displayName": "A", "keywords": ["a"], "install": {"strategy": "deployment"}},
        });
        let package = json!({"type": "olm.package", "value": {"packageName": "a", "version": "1.0.0"}});
        let old = bundle(
            "registry.example.com/a:v1",
            &json!([package, object(&json!({"kind": "Service"})), object(&csv)]),
        );
        let new = migrated(old, Level::BundleObjectToCsvMetadata);
        let metadata = json!({
            "annotations": {"capabilities": "Basic Install"},
            "apiServiceDefinitions": {},
            "crdDescriptions": {},
            "displayName": "A",
            "keywords": ["a"],
            "provider": {},
        });
        assert_eq!(
            properties(&new),
            json!([package, {"type": CSV_METADATA, "value": metadata}])
        );
        assert_eq!(new.field("own").unwrap().get(), "1");
        let again = migrated(new.clone(), Level::BundleObjectToCsvMetadata);
        assert_eq!(properties(&again), properties(&new));
    }

    #[test]
    fn bundles_without_an_image_or_csv_keep_their_manifests() {
        let csv = json!([object(&json!({"kind": "ClusterServiceVersion"}))]);
        let service = json!([object(&json!({"kind": "Service"})), {"type": BUNDLE_OBJECT, "value": {"data": "?"}}]);
        for (image, list) in [("", &csv), ("registry.example.com/a:v1", &service)] {
            let document = migrated(bundle(image, list), Level::BundleObjectToCsvMetadata);
            assert_eq!(&properties(&document), list);
        }
        let document = migrated(bundle("registry.example.com/a:v1", &csv), Level::None);
        assert_eq!(properties(&document), csv);
    }

    #[test]
    fn icons_that_only_the_removed_manifests_contain_are_found() {
        let csv = |icon: &Value| {
            let csv = json!({"kind": "ClusterServiceVersion", "metadata": {"name": "a.v1"}, "spec": {"icon": icon}});
            bundle("registry.example.com/a:v1", &json!([object(&csv)])).with("package", to_raw_value("a").unwrap())
        };
        let package = |package: &Value| Document::from_json(&package.to_string()).unwrap();
        let with_icon = csv(&json!([{"base64data": "aWNvbg==", "mediatype": "image/png"}]));
        let bare = package(&json!({"schema": "olm.package", "name": "a"}));
        let iconic = package(&json!({"schema": "olm.package", "name": "a", "icon": {"base64data": "aWNvbg=="}}));
        let lost = |documents: &[&Document], level| {
            let mut watch = IconWatch::default();
            for document in documents {
                watch.add(document, &migrated((*document).clone(), level));
            }
            watch.lost
        };
        let all = Level::BundleObjectToCsvMetadata;
        let expected = LostIcons {
            package: "a".to_owned(),
            bundle: "a.v1".to_owned(),
            count: 2,
            loss: Loss::Migrated,
        };
        assert_eq!(lost(&[&bare, &with_icon, &with_icon], all), [expected]);
        assert_eq!(lost(&[&bare, &with_icon], Level::None), []);
        assert_eq!(lost(&[&iconic, &with_icon], all), []);
        assert_eq!(lost(&[&bare, &csv(&json!([]))], all), []);
        assert_eq!(lost(&[&bare, &csv(&json!([{"base64data": "R0l!"}]))], all), []);
        // The package of a single bundle is in another catalog.
        assert_eq!(lost(&[&with_icon], all), []);
    }
}
