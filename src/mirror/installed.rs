//! Creates a mirror request from the objects of a cluster: the installed versions and their upgrades.

use super::request::{CatalogRequest, MirrorRequest, Place};
use crate::catalog::selection::part::{Part, Versions};
use crate::resolver::closure::Follow;
use crate::version::parse_strict;
use semver::Version;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The content that a cluster needs.
#[derive(Debug, Clone, Default)]
pub struct Installed {
    /// The mirror request for the catalogs of the cluster.
    pub request: MirrorRequest,
    /// Remarks about the objects of the cluster that are ignored.
    pub remarks: Vec<String>,
}

/// A package that objects of a cluster follow.
#[derive(Debug, Default)]
struct Followed {
    channels: BTreeSet<String>,
    /// Whether an object follows the package without specifying a channel.
    any_channel: bool,
    installed: BTreeSet<Version>,
    /// The installed bundles whose versions the objects do not contain.
    installed_names: BTreeSet<String>,
}

/// Returns the parts of catalogs that Subscriptions and ClusterExtensions follow, from the installed versions to the
/// heads of their channels. `catalogs` maps the name of a CatalogSource or ClusterCatalog to the index that is used
/// instead of its own index.
pub fn installed(objects: &[Value], catalogs: &BTreeMap<String, String>, follow: &Follow) -> Installed {
    let mut needed = Installed::default();
    let mut parts: BTreeMap<String, BTreeMap<String, Followed>> = BTreeMap::new();
    for object in of_kind(objects, "operators.coreos.com/", "Subscription") {
        let name = format!("the Subscription {}", name_of(object));
        let Some(package) = text(object, "/spec/name") else {
            continue;
        };
        let (source, namespace) = (text(object, "/spec/source"), text(object, "/spec/sourceNamespace"));
        let index = source.and_then(|source| {
            catalogs
                .get(source)
                .cloned()
                .or_else(|| catalog_source(objects, source, namespace))
        });
        let Some(index) = index else {
            let reason = match source {
                Some(source) => format!("there is no CatalogSource {source} with an image"),
                None => "it does not specify a CatalogSource".to_owned(),
            };
            needed.remarks.push(format!("{name} is skipped, because {reason}"));
            continue;
        };
        let followed = parts.entry(index).or_default().entry(package.to_owned()).or_default();
        match text(object, "/spec/channel") {
            Some(channel) => drop(followed.channels.insert(channel.to_owned())),
            None => followed.any_channel = true,
        }
        if let Some(csv) = text(object, "/status/installedCSV") {
            let own = text(object, "/metadata/namespace");
            match version_of(objects, csv, own) {
                Some(version) => drop(followed.installed.insert(version)),
                None => drop(followed.installed_names.insert(csv.to_owned())),
            }
        }
    }
    let cluster_catalogs: Vec<(&str, String)> = of_kind(objects, "olm.operatorframework.io/", "ClusterCatalog")
        .filter_map(|object| {
            let name = text(object, "/metadata/name")?;
            let image = text(object, "/spec/source/image/ref").map(str::to_owned);
            Some((name, catalogs.get(name).cloned().or(image)?))
        })
        .collect();
    for object in of_kind(objects, "olm.operatorframework.io/", "ClusterExtension") {
        let name = format!("the ClusterExtension {}", name_of(object));
        let Some(package) = text(object, "/spec/source/catalog/packageName") else {
            continue;
        };
        let [(_, index)] = cluster_catalogs.as_slice() else {
            let reason = match cluster_catalogs.len() {
                0 => "no ClusterCatalog with a known image was found".to_owned(),
                count => format!("its package could be in any of {count} ClusterCatalogs"),
            };
            needed.remarks.push(format!("{name} is skipped, because {reason}"));
            continue;
        };
        let followed = parts
            .entry(index.clone())
            .or_default()
            .entry(package.to_owned())
            .or_default();
        let channels = object
            .pointer("/spec/source/catalog/channels")
            .and_then(Value::as_array);
        let channels: Vec<&str> = channels.into_iter().flatten().filter_map(Value::as_str).collect();
        followed.any_channel |= channels.is_empty();
        followed.channels.extend(channels.into_iter().map(str::to_owned));
        let version = text(object, "/status/install/bundle/version");
        followed
            .installed
            .extend(version.and_then(|version| parse_strict(version).ok()));
    }
    needed.request.catalogs = parts
        .into_iter()
        .map(|(catalog, packages)| CatalogRequest {
            catalog,
            installed: packages
                .iter()
                .filter(|(_, followed)| !followed.installed_names.is_empty())
                .map(|(name, followed)| (name.clone(), followed.installed_names.clone()))
                .collect(),
            parts: packages
                .into_iter()
                .map(|(name, followed)| (name, part(followed)))
                .collect(),
            versions: Versions::Head,
            is_of_cluster: true,
            default_channels: BTreeMap::new(),
            follow: follow.clone(),
            place: Place::default(),
            platforms: BTreeSet::new(),
        })
        .collect();
    needed
}

/// Returns the names of the catalogs of a cluster: its CatalogSources and ClusterCatalogs, and the CatalogSources that
/// its Subscriptions use.
pub fn catalog_names(objects: &[Value]) -> BTreeSet<String> {
    let sources = of_kind(objects, "operators.coreos.com/", "CatalogSource");
    let catalogs = of_kind(objects, "olm.operatorframework.io/", "ClusterCatalog");
    let named = sources.chain(catalogs);
    let named = named.filter_map(|object| text(object, "/metadata/name"));
    let subscriptions = of_kind(objects, "operators.coreos.com/", "Subscription");
    let used = subscriptions.filter_map(|object| text(object, "/spec/source"));
    named.chain(used).map(str::to_owned).collect()
}

fn part(followed: Followed) -> Part {
    Part {
        channels: if followed.any_channel {
            Vec::new()
        } else {
            followed.channels.into_iter().collect()
        },
        versions: Versions::Head,
        from: followed.installed.into_iter().collect(),
        past_from: false,
    }
}

fn of_kind<'o>(objects: &'o [Value], group: &'o str, kind: &'o str) -> impl Iterator<Item = &'o Value> {
    let is_it = move |object: &&Value| {
        text(object, "/kind") == Some(kind)
            && text(object, "/apiVersion").is_some_and(|version| version.starts_with(group))
    };
    objects.iter().filter(is_it)
}

fn text<'o>(object: &'o Value, path: &str) -> Option<&'o str> {
    object
        .pointer(path)
        .and_then(Value::as_str)
        .filter(|text| !text.is_empty())
}

fn name_of(object: &Value) -> String {
    let name = text(object, "/metadata/name").unwrap_or_default();
    match text(object, "/metadata/namespace") {
        Some(namespace) => format!("{namespace}/{name}"),
        None => name.to_owned(),
    }
}

fn catalog_source(objects: &[Value], name: &str, namespace: Option<&str>) -> Option<String> {
    let mut sources = of_kind(objects, "operators.coreos.com/", "CatalogSource");
    let is_it = |object: &&Value| {
        text(object, "/metadata/name") == Some(name)
            && (namespace.is_none() || text(object, "/metadata/namespace") == namespace)
    };
    text(sources.find(is_it)?, "/spec/image").map(str::to_owned)
}

fn version_of(objects: &[Value], csv: &str, namespace: Option<&str>) -> Option<Version> {
    let mut all = of_kind(objects, "operators.coreos.com/", "ClusterServiceVersion");
    let is_it = |object: &&Value| {
        text(object, "/metadata/name") == Some(csv) && text(object, "/metadata/namespace") == namespace
    };
    parse_strict(text(all.find(is_it)?, "/spec/version")?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn olm(kind: &str, name: &str, more: &Value) -> Value {
        let mut object = json!({"apiVersion": "operators.coreos.com/v1alpha1", "kind": kind,
            "metadata": {"name": name, "namespace": "ns"}});
        object
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        object
    }

    fn subscription(name: &str, spec: &Value, installed: &str) -> Value {
        olm(
            "Subscription",
            name,
            &json!({"spec": spec, "status": {"installedCSV": installed}}),
        )
    }

    #[test]
    fn subscribed_packages_are_mirrored_from_the_installed_version() {
        let objects = [
            olm(
                "CatalogSource",
                "cs",
                &json!({"spec": {"image": "registry.example.com/c:v1"}}),
            ),
            olm("ClusterServiceVersion", "a.v1", &json!({"spec": {"version": "1.0.0"}})),
            subscription(
                "a",
                &json!({"name": "a", "channel": "stable", "source": "cs", "sourceNamespace": "ns"}),
                "a.v1",
            ),
            subscription("b", &json!({"name": "b", "source": "cs", "sourceNamespace": "ns"}), ""),
            subscription(
                "c",
                &json!({"name": "c", "source": "other", "sourceNamespace": "ns"}),
                "",
            ),
            subscription("d", &json!({"name": "d"}), ""),
        ];
        let found = installed(&objects, &BTreeMap::new(), &Follow::default());
        let [catalog] = found.request.catalogs.as_slice() else {
            panic!("{found:?}")
        };
        assert_eq!(catalog.catalog, "registry.example.com/c:v1");
        assert_eq!(catalog.parts["a"].channels, ["stable"]);
        assert_eq!(catalog.parts["a"].from, [Version::new(1, 0, 0)]);
        assert_eq!(catalog.parts["b"].channels, Vec::<String>::new());
        assert_eq!(
            found.remarks,
            [
                "the Subscription ns/c is skipped, because there is no CatalogSource other with an image",
                "the Subscription ns/d is skipped, because it does not specify a CatalogSource",
            ]
        );
        assert_eq!(
            catalog_names(&objects),
            BTreeSet::from(["cs".to_owned(), "other".to_owned()])
        );
        let found = installed(
            &objects.clone().map(|object| match object["kind"].as_str() {
                Some("ClusterServiceVersion") => Value::Null,
                _ => object,
            }),
            &BTreeMap::new(),
            &Follow::default(),
        );
        assert_eq!(
            found.request.catalogs[0].installed,
            BTreeMap::from([("a".to_owned(), BTreeSet::from(["a.v1".to_owned()]))])
        );
        let other = BTreeMap::from([
            ("cs".to_owned(), "new.db".to_owned()),
            ("other".to_owned(), "other.db".to_owned()),
        ]);
        let found = installed(&objects, &other, &Follow::default());
        let names: Vec<&str> = found
            .request
            .catalogs
            .iter()
            .map(|catalog| catalog.catalog.as_str())
            .collect();
        assert_eq!(names, ["new.db", "other.db"]);
    }

    #[test]
    fn packages_of_cluster_extensions_are_mirrored_if_there_is_one_catalog() {
        let v1 = |kind: &str, name: &str, spec: Value, status: Value| json!({"apiVersion": "olm.operatorframework.io/v1", "kind": kind, "metadata": {"name": name}, "spec": spec, "status": status});
        let extension = v1(
            "ClusterExtension",
            "a",
            json!({"source": {"sourceType": "Catalog", "catalog": {"packageName": "a", "channels": ["fast"]}}}),
            json!({"install": {"bundle": {"name": "a.v1", "version": "1.2.0"}}}),
        );
        let catalog = |name: &str| {
            v1(
                "ClusterCatalog",
                name,
                json!({"source": {"image": {"ref": "registry.example.com/c:v1"}}}),
                json!({}),
            )
        };
        let found = installed(
            &[extension.clone(), catalog("one")],
            &BTreeMap::new(),
            &Follow::default(),
        );
        let part = &found.request.catalogs[0].parts["a"];
        assert_eq!(
            (part.channels.as_slice(), part.from.as_slice()),
            (["fast".to_owned()].as_slice(), [Version::new(1, 2, 0)].as_slice())
        );
        let found = installed(
            &[extension.clone(), catalog("one"), catalog("two")],
            &BTreeMap::new(),
            &Follow::default(),
        );
        assert!(found.request.catalogs.is_empty());
        assert_eq!(
            found.remarks,
            ["the ClusterExtension a is skipped, because its package could be in any of 2 ClusterCatalogs"]
        );
        let found = installed(&[extension], &BTreeMap::new(), &Follow::default());
        assert_eq!(
            found.remarks,
            ["the ClusterExtension a is skipped, because no ClusterCatalog with a known image was found"]
        );
    }
}
