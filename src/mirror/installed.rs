//! Creates a mirror request from the objects of a cluster: the installed versions and their upgrades.

mod extensions;

use super::plan::{CatalogKind, CatalogObject};
use super::request::{CatalogRequest, MirrorRequest, Place};
use crate::catalog::selection::part::{Part, Versions};
use crate::cluster::{CatalogName, subscribed_catalogs};
use crate::resolver::closure::Follow;
use crate::version::parse_strict;
use extensions::add_extensions;
use semver::Version;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// The content that a cluster needs.
#[derive(Debug, Clone, Default)]
pub struct Installed {
    /// The mirror request for the catalogs of the cluster.
    pub request: MirrorRequest,
    /// Messages about the packages that the cluster uses, but that are not requested.
    pub skipped: Vec<String>,
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

/// Returns the parts of catalogs that Subscriptions follow, from the installed versions to the heads of their channels,
/// and requests for the packages of ClusterExtensions. `catalogs` maps the name of a CatalogSource or ClusterCatalog to
/// the index that is used instead of its own index.
pub fn installed(objects: &[Value], catalogs: &BTreeMap<CatalogName, String>, follow: &Follow) -> Installed {
    let mut needed = Installed::default();
    let mut parts: BTreeMap<String, BTreeMap<String, Followed>> = BTreeMap::new();
    let mut used: BTreeMap<String, Vec<CatalogObject>> = BTreeMap::new();
    for object in of_kind(objects, "operators.coreos.com/", "Subscription") {
        let name = format!("the Subscription {}", name_of(object));
        let Some(package) = text(object, "/spec/name") else {
            continue;
        };
        let (source, namespace) = (text(object, "/spec/source"), text(object, "/spec/sourceNamespace"));
        let known = source.and_then(|source| catalog_source(objects, source, namespace));
        let index = source.and_then(|source| {
            let image = || text(known?, "/spec/image").map(str::to_owned);
            let is_it = |name: &CatalogName| name.is_of(namespace.unwrap_or_default(), source);
            let replaced = catalogs.iter().find(|(name, _)| is_it(name));
            replaced.map(|(_, index)| index.clone()).or_else(image)
        });
        let Some(index) = index else {
            let reason = match source {
                Some(source) => format!("there is no CatalogSource {source} with an image"),
                None => "it does not specify a CatalogSource".to_owned(),
            };
            needed.skipped.push(format!("{name} is skipped, because {reason}"));
            continue;
        };
        add_object(
            &mut used,
            &index,
            match known {
                Some(known) => catalog_object(known, CatalogKind::CatalogSource),
                None => CatalogObject {
                    kind: CatalogKind::CatalogSource,
                    name: source.unwrap_or_default().to_owned(),
                    namespace: namespace.map(str::to_owned),
                    labels: BTreeMap::new(),
                    spec: Map::new(),
                },
            },
        );
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
    for (index, object) in add_extensions(&mut needed, objects, catalogs) {
        add_object(&mut used, &index, object);
    }
    // The parts of these catalogs depend on what the catalogs contain.
    let extensions = needed.request.extensions.iter();
    for catalog in extensions.flat_map(|extension| &extension.catalogs) {
        parts.entry(catalog.index.clone()).or_default();
    }
    needed.request.catalogs = parts
        .into_iter()
        .map(|(catalog, packages)| CatalogRequest {
            objects: used.remove(&catalog).unwrap_or_default(),
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
/// its Subscriptions use. Only a ClusterCatalog has no namespace.
pub fn catalog_names(objects: &[Value]) -> BTreeSet<CatalogName> {
    let sources = of_kind(objects, "operators.coreos.com/", "CatalogSource");
    let sources = sources.filter_map(|object| {
        let namespace = text(object, "/metadata/namespace").unwrap_or_default();
        Some((namespace, text(object, "/metadata/name")?))
    });
    let sources = sources
        .chain(subscribed_catalogs(objects))
        .map(|(namespace, name)| CatalogName {
            namespace: Some(namespace.to_owned()),
            name: name.to_owned(),
        });
    let catalogs = of_kind(objects, "olm.operatorframework.io/", "ClusterCatalog");
    let catalogs = catalogs.filter_map(|object| text(object, "/metadata/name"));
    let catalogs = catalogs.map(|name| CatalogName {
        namespace: None,
        name: name.to_owned(),
    });
    sources.chain(catalogs).collect()
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

/// Adds an object through which the cluster uses an index, unless it is known already.
fn add_object(used: &mut BTreeMap<String, Vec<CatalogObject>>, index: &str, object: CatalogObject) {
    let objects = used.entry(index.to_owned()).or_default();
    if !objects.contains(&object) {
        objects.push(object);
    }
}

fn catalog_object(object: &Value, kind: CatalogKind) -> CatalogObject {
    let map = |path: &str| {
        object
            .pointer(path)
            .and_then(Value::as_object)
            .cloned()
            .unwrap_or_default()
    };
    let label = |(name, value): (String, Value)| Some((name, value.as_str()?.to_owned()));
    CatalogObject {
        kind,
        name: text(object, "/metadata/name").unwrap_or_default().to_owned(),
        namespace: text(object, "/metadata/namespace").map(str::to_owned),
        labels: map("/metadata/labels").into_iter().filter_map(label).collect(),
        spec: map("/spec"),
    }
}

fn name_of(object: &Value) -> String {
    let name = text(object, "/metadata/name").unwrap_or_default();
    match text(object, "/metadata/namespace") {
        Some(namespace) => format!("{namespace}/{name}"),
        None => name.to_owned(),
    }
}

fn catalog_source<'o>(objects: &'o [Value], name: &'o str, namespace: Option<&str>) -> Option<&'o Value> {
    let mut sources = of_kind(objects, "operators.coreos.com/", "CatalogSource");
    let is_it = |object: &&Value| {
        text(object, "/metadata/name") == Some(name)
            && (namespace.is_none() || text(object, "/metadata/namespace") == namespace)
    };
    sources.find(is_it)
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
        let object = &catalog.objects[0];
        assert_eq!((object.name.as_str(), object.namespace.as_deref()), ("cs", Some("ns")));
        assert_eq!(catalog.objects.len(), 1);
        assert_eq!(catalog.parts["a"].channels, ["stable"]);
        assert_eq!(catalog.parts["a"].from, [Version::new(1, 0, 0)]);
        assert_eq!(catalog.parts["b"].channels, Vec::<String>::new());
        assert_eq!(
            found.skipped,
            [
                "the Subscription ns/c is skipped, because there is no CatalogSource other with an image",
                "the Subscription ns/d is skipped, because it does not specify a CatalogSource",
            ]
        );
        assert_eq!(
            catalog_names(&objects),
            BTreeSet::from([CatalogName::from("ns/cs"), CatalogName::from("ns/other")])
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
            (CatalogName::from("cs"), "new.db".to_owned()),
            (CatalogName::from("ns/other"), "other.db".to_owned()),
            (CatalogName::from("elsewhere/cs"), "no.db".to_owned()),
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
}
