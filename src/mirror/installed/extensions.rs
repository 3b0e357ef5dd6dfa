//! Creates requests from the ClusterExtensions of a cluster, for the catalogs in which OLM v1 looks for their packages.

use super::{Installed, catalog_object, of_kind, text};
use crate::catalog::olm_v1::{Allowed, InstalledBundle};
use crate::cluster::CatalogName;
use crate::kubernetes::selector::selects;
use crate::mirror::plan::{CatalogKind, CatalogObject};
use crate::mirror::request::{ExtensionCatalog, ExtensionRequest};
use crate::version::masterminds::Constraint;
use crate::version::parse_strict;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

const GROUP: &str = "olm.operatorframework.io/";
/// The label with the name of the ClusterCatalog, which every ClusterCatalog has.
const NAME_LABEL: &str = "olm.operatorframework.io/metadata.name";

/// A ClusterCatalog.
struct ClusterCatalog<'o> {
    object: &'o Value,
    name: &'o str,
    labels: Map<String, Value>,
    priority: i64,
    is_available: bool,
    /// The index that is used.
    index: Option<String>,
}

impl<'o> ClusterCatalog<'o> {
    fn of(object: &'o Value, catalogs: &BTreeMap<CatalogName, String>) -> Option<Self> {
        let name = text(object, "/metadata/name")?;
        let labels = object.pointer("/metadata/labels").and_then(Value::as_object);
        let mut labels = labels.cloned().unwrap_or_default();
        labels.insert(NAME_LABEL.to_owned(), name.into());
        let own = CatalogName {
            namespace: None,
            name: name.to_owned(),
        };
        let image = || text(object, "/spec/source/image/ref").map(str::to_owned);
        Some(Self {
            object,
            name,
            labels,
            priority: object
                .pointer("/spec/priority")
                .and_then(Value::as_i64)
                .unwrap_or_default(),
            is_available: text(object, "/spec/availabilityMode") != Some("Unavailable"),
            index: catalogs.get(&own).cloned().or_else(image),
        })
    }

    /// Returns the object for a plan, without the label that the cluster adds again.
    fn object(&self) -> CatalogObject {
        let mut object = catalog_object(self.object, CatalogKind::ClusterCatalog);
        object.labels.remove(NAME_LABEL);
        object
    }
}

/// Adds a request for each ClusterExtension. `catalogs` maps the name of a ClusterCatalog to the index that is used
/// instead of its own index. Returns the ClusterCatalogs that the extensions use, with their indexes.
pub(super) fn add_extensions(
    needed: &mut Installed,
    objects: &[Value],
    catalogs: &BTreeMap<CatalogName, String>,
) -> Vec<(String, CatalogObject)> {
    let cluster_catalogs = of_kind(objects, GROUP, "ClusterCatalog");
    let cluster_catalogs = cluster_catalogs.filter_map(|object| ClusterCatalog::of(object, catalogs));
    let cluster_catalogs: Vec<ClusterCatalog<'_>> = cluster_catalogs.collect();
    for object in of_kind(objects, GROUP, "ClusterExtension") {
        let Some(package) = text(object, "/spec/source/catalog/packageName") else {
            continue;
        };
        let name = text(object, "/metadata/name").unwrap_or_default();
        match extension(object, name, package, &cluster_catalogs) {
            Ok(extension) => needed.request.extensions.push(extension),
            Err(reason) => needed
                .skipped
                .push(format!("the ClusterExtension {name} is skipped, because {reason}")),
        }
    }
    let extensions = &needed.request.extensions;
    let available = cluster_catalogs.iter().filter(|catalog| catalog.is_available);
    let used = available.filter_map(|catalog| {
        let index = catalog.index.as_ref()?;
        let mut looked_in = extensions.iter().flat_map(|extension| &extension.catalogs);
        let is_used = looked_in.any(|looked_in| looked_in.index == *index);
        is_used.then(|| (index.clone(), catalog.object()))
    });
    used.collect()
}

/// Returns the request for a ClusterExtension, or the reason why it is skipped.
fn extension(
    object: &Value,
    name: &str,
    package: &str,
    catalogs: &[ClusterCatalog<'_>],
) -> Result<ExtensionRequest, String> {
    let source = |path: &str| text(object, &format!("/spec/source/catalog/{path}"));
    let range = source("version");
    let versions = range.map(|range| {
        Constraint::parse(range).map_err(|fault| format!("its version {range:?} is not a valid range: {fault}"))
    });
    let channels = object
        .pointer("/spec/source/catalog/channels")
        .and_then(Value::as_array);
    let channels = channels.into_iter().flatten().filter_map(Value::as_str);
    let of_installed = |field: &str| text(object, &format!("/status/install/bundle/{field}"));
    Ok(ExtensionRequest {
        name: name.to_owned(),
        package: package.to_owned(),
        allowed: Allowed {
            channels: channels.map(str::to_owned).collect(),
            versions: versions.transpose()?,
            any_update: source("upgradeConstraintPolicy") == Some("SelfCertified"),
        },
        range: range.map(str::to_owned),
        installed: of_installed("name").map(|name| InstalledBundle {
            name: name.to_owned(),
            version: of_installed("version").and_then(|version| parse_strict(version).ok()),
        }),
        catalogs: of_selector(object.pointer("/spec/source/catalog/selector"), catalogs)?,
    })
}

/// Returns the available catalogs that a selector selects.
fn of_selector(selector: Option<&Value>, catalogs: &[ClusterCatalog<'_>]) -> Result<Vec<ExtensionCatalog>, String> {
    if catalogs.is_empty() {
        return Err("there is no ClusterCatalog".to_owned());
    }
    let listed = |catalogs: &[&ClusterCatalog<'_>]| {
        let names: Vec<&str> = catalogs.iter().map(|catalog| catalog.name).collect();
        names.join(", ")
    };
    let is_selected =
        |catalog: &&ClusterCatalog<'_>| selector.is_none_or(|selector| selects(selector, &catalog.labels));
    let selected: Vec<&ClusterCatalog<'_>> = catalogs.iter().filter(is_selected).collect();
    if selected.is_empty() {
        let all: Vec<&ClusterCatalog<'_>> = catalogs.iter().collect();
        return Err(format!(
            "its selector matches none of the ClusterCatalogs: {}",
            listed(&all)
        ));
    }
    let (available, others): (Vec<_>, Vec<_>) = selected.into_iter().partition(|catalog| catalog.is_available);
    if available.is_empty() {
        return Err(format!(
            "all of its ClusterCatalogs are unavailable: {}",
            listed(&others)
        ));
    }
    let unknown: Vec<&ClusterCatalog<'_>> = available
        .iter()
        .filter(|catalog| catalog.index.is_none())
        .copied()
        .collect();
    if !unknown.is_empty() {
        return Err(format!(
            "ClusterCatalogs that it uses have no image: {}",
            listed(&unknown)
        ));
    }
    let requested = available.into_iter().map(|catalog| ExtensionCatalog {
        name: catalog.name.to_owned(),
        index: catalog.index.clone().unwrap_or_default(),
        priority: catalog.priority,
    });
    Ok(requested.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mirror::installed::installed;
    use crate::resolver::closure::Follow;
    use semver::Version;
    use serde_json::json;

    fn object(kind: &str, name: &str, labels: &Value, spec: &Value) -> Value {
        json!({"apiVersion": "olm.operatorframework.io/v1", "kind": kind,
            "metadata": {"name": name, "labels": labels}, "spec": spec})
    }

    fn catalog(name: &str, labels: &Value, mode: &str) -> Value {
        let image = json!({"type": "Image", "image": {"ref": format!("registry.example.com/{name}:v1")}});
        let spec = json!({"source": image, "priority": 5, "availabilityMode": mode});
        object("ClusterCatalog", name, labels, &spec)
    }

    fn extension(of_catalog: &Value) -> Value {
        let mut source = json!({"packageName": "a"});
        source
            .as_object_mut()
            .unwrap()
            .extend(of_catalog.as_object().unwrap().clone());
        let spec = json!({"source": {"sourceType": "Catalog", "catalog": source}});
        object("ClusterExtension", "a", &json!({}), &spec)
    }

    fn found(objects: &[Value]) -> Installed {
        installed(objects, &BTreeMap::new(), &Follow::default())
    }

    #[test]
    fn the_range_policy_and_installed_bundle_of_an_extension_are_requested() {
        let mut wanted =
            extension(&json!({"channels": ["fast"], "version": "1.1.x", "upgradeConstraintPolicy": "SelfCertified"}));
        wanted["status"] = json!({"install": {"bundle": {"name": "a.v1", "version": "1.2.0"}}});
        let found = found(&[wanted, catalog("one", &json!({}), "Available")]);
        let [extension] = &found.request.extensions[..] else {
            panic!("{found:?}")
        };
        assert!(extension.allowed.has_channel("fast") && !extension.allowed.has_channel("stable"));
        let range = extension.allowed.versions.as_ref().unwrap();
        assert!(range.contains(&Version::new(1, 1, 7)) && !range.contains(&Version::new(1, 2, 0)));
        assert!(extension.allowed.any_update);
        let expected = InstalledBundle {
            name: "a.v1".to_owned(),
            version: Some(Version::new(1, 2, 0)),
        };
        assert_eq!(extension.installed, Some(expected));
        let index = "registry.example.com/one:v1";
        let expected = ExtensionCatalog {
            name: "one".to_owned(),
            index: index.to_owned(),
            priority: 5,
        };
        assert_eq!(extension.catalogs, [expected]);
        assert_eq!(found.request.catalogs[0].catalog, index);
    }

    #[test]
    fn the_labels_and_priority_of_a_used_catalog_are_kept_without_the_implicit_label() {
        let labels = json!({"tier": "a", NAME_LABEL: "one"});
        let found = found(&[extension(&json!({})), catalog("one", &labels, "Available")]);
        let [object] = &found.request.catalogs[0].objects[..] else {
            panic!("{found:?}")
        };
        assert_eq!(
            (object.kind, object.name.as_str()),
            (CatalogKind::ClusterCatalog, "one")
        );
        assert_eq!(object.labels, BTreeMap::from([("tier".to_owned(), "a".to_owned())]));
        assert_eq!(object.spec["priority"], json!(5));
    }

    #[test]
    fn selectors_and_availability_decide_which_catalogs_an_extension_uses() {
        let used = |selector: Value, mode: &str| {
            let catalogs = [
                catalog("one", &json!({"tier": "a"}), "Available"),
                catalog("two", &json!({"tier": "b"}), mode),
            ];
            let found = found(&[&[extension(&json!({"selector": selector}))], &catalogs[..]].concat());
            let names = |extension: &ExtensionRequest| {
                let names = extension.catalogs.iter().map(|catalog| catalog.name.as_str());
                names.collect::<Vec<_>>().join(" ")
            };
            let skipped = found.skipped.join("");
            let extension = found.request.extensions.first();
            extension.map_or(skipped, names)
        };
        let label = |operator: &str| json!({"matchExpressions": [{"key": NAME_LABEL, "operator": operator, "values": ["two"]}]});
        assert_eq!(used(json!({}), "Available"), "one two");
        assert_eq!(used(json!({}), "Unavailable"), "one");
        assert_eq!(used(json!({"matchLabels": {NAME_LABEL: "one"}}), "Available"), "one");
        assert_eq!(used(label("In"), "Available"), "two");
        assert_eq!(used(label("NotIn"), "Available"), "one");
        let skipped = "the ClusterExtension a is skipped, because";
        assert_eq!(
            used(label("In"), "Unavailable"),
            format!("{skipped} all of its ClusterCatalogs are unavailable: two")
        );
        assert_eq!(
            used(json!({"matchLabels": {"tier": "z"}}), "Available"),
            format!("{skipped} its selector matches none of the ClusterCatalogs: one, two")
        );
    }

    #[test]
    fn an_extension_that_cannot_be_requested_is_named_with_the_reason() {
        assert_eq!(
            found(&[extension(&json!({}))]).skipped,
            ["the ClusterExtension a is skipped, because there is no ClusterCatalog"]
        );
        let mut without = catalog("one", &json!({}), "Available");
        without["spec"] = json!({});
        assert_eq!(
            found(&[extension(&json!({})), without]).skipped,
            ["the ClusterExtension a is skipped, because ClusterCatalogs that it uses have no image: one"]
        );
        let invalid = extension(&json!({"version": "banana"}));
        let skipped = found(&[invalid, catalog("one", &json!({}), "Available")]).skipped;
        let start = "the ClusterExtension a is skipped, because its version \"banana\" is not a valid range: ";
        assert!(skipped[0].starts_with(start), "{skipped:?}");
    }
}
