//! The source of an operator's updates, and the updates in an index.

use super::component::Component;
use crate::catalog::updates::update_from;
use crate::csv::GROUP;
use crate::install::named_catalog::NamedCatalog;
use crate::olm::property::PACKAGE;
use crate::version::parse_tolerant;
use serde::Serialize;
use serde_json::{Map, Value, json};

/// The annotation of a ClusterServiceVersion that contains the properties of its bundle.
const PROPERTIES: &str = "/metadata/annotations/operatorframework.io~1properties";

/// `status.updates` of an operator.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Updates {
    /// `CatalogSource` or `ManifestImage`: the source of the resolved content, if the components were compared.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<&'static str>,
    /// The package, channel and CatalogSource, with the resolved bundle as `entrypoint`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub catalog_source: Option<Value>,
    /// The bundle image, by digest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub manifest_image: Option<String>,
    /// The channels with an update, by name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub available: Vec<Available>,
}

/// A channel with an update.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Available {
    /// The CatalogSource that the operator follows, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The package.
    pub package: String,
    /// The channel.
    pub channel: String,
}

/// The package and channel that an operator follows, and its installed version.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Followed {
    pub(super) package: Option<String>,
    pub(super) channel: Option<String>,
    /// The namespace and name of the CatalogSource.
    pub(super) catalog: Option<(String, String)>,
    /// The installed ClusterServiceVersion.
    pub(super) installed: Option<String>,
    pub(super) version: Option<String>,
}

/// An update in an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) channel: String,
    pub(super) bundle: String,
}

/// A channel of a package in a CatalogSource. `channel` is `None` if no channel is specified.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct CatalogReference {
    pub(super) package: String,
    channel: Option<String>,
    catalog: String,
    namespace: String,
}

impl CatalogReference {
    pub(super) fn of_subscription(subscription: Component<'_>) -> Self {
        let text = |pointer: &str| subscription.text(pointer).to_owned();
        Self {
            package: text("/spec/name"),
            channel: subscription.some_text("/spec/channel").map(str::to_owned),
            catalog: text("/spec/source"),
            namespace: text("/spec/sourceNamespace"),
        }
    }
}

/// Returns the package and channel that an `Operator` follows, if it follows a CatalogSource. If the `Operator`
/// specifies only an entrypoint, the package and channel are looked up in the catalogs that stand for the
/// CatalogSource; without such a catalog, returns `None`.
pub(super) fn reference_of(resource: Component<'_>, catalogs: &[NamedCatalog<'_>]) -> Option<CatalogReference> {
    let spec = spec_of(resource)?;
    let source = Component(spec.get("catalogSource")?);
    let text = |pointer: &str| source.some_text(pointer).map(str::to_owned);
    let (catalog, namespace) = (text("/ref/name")?, text("/ref/namespace")?);
    let (package, channel) = if let Some(package) = text("/package") {
        (package, text("/channel"))
    } else {
        let mut own = catalogs
            .iter()
            .filter(|named| named.is_of(Some((&namespace, &catalog))));
        let (package, channel) = own.find_map(|named| named.catalog.channel_of(source.text("/entrypoint")))?;
        (package, Some(channel))
    };
    Some(CatalogReference {
        package,
        channel,
        catalog,
        namespace,
    })
}

/// Returns the Subscription of an operator. If there are several, prefers those with an installed version, and returns
/// the first of these by namespace and name.
pub(super) fn subscription<'a>(components: &[Component<'a>]) -> Option<Component<'a>> {
    let subscriptions = components
        .iter()
        .filter(|component| component.is(GROUP, "Subscription"));
    let key = |subscription: &&Component<'a>| {
        let installed = subscription.some_text("/status/installedCSV");
        (
            installed.is_none(),
            subscription.text("/metadata/namespace"),
            subscription.name(),
        )
    };
    subscriptions.min_by_key(key).copied()
}

/// Returns `spec.updates` of a resource in the cluster. The proposal also calls this field `source`.
pub(super) fn spec_of(resource: Component<'_>) -> Option<Value> {
    let updates = resource.get("/spec/updates").or(resource.get("/spec/source"))?;
    Some(updates.clone())
}

/// Returns the `spec.updates` for a Subscription, as OLM would write it when migrating the Subscription.
pub(super) fn spec_from(subscription: Component<'_>) -> Value {
    let mut source = Map::new();
    for (key, pointer) in [
        ("package", "/spec/name"),
        ("channel", "/spec/channel"),
        ("entrypoint", "/spec/startingCSV"),
        ("approval", "/spec/installPlanApproval"),
    ] {
        if let Some(text) = subscription.some_text(pointer) {
            source.insert(key.to_owned(), json!(text));
        }
    }
    let mut reference = Map::new();
    for (key, pointer) in [("name", "/spec/source"), ("namespace", "/spec/sourceNamespace")] {
        reference.insert(key.to_owned(), json!(subscription.text(pointer)));
    }
    source.insert("ref".to_owned(), Value::Object(reference));
    json!({"type": "CatalogSource", "catalogSource": source})
}

/// Returns the package and channel that the operator follows. A value that its `spec` does not contain is taken from
/// its Subscription. If neither names a package, returns the package of the operator's version.
pub(super) fn followed(
    name: &str,
    spec: &Value,
    subscription: Option<Component<'_>>,
    newest: Option<Component<'_>>,
    components: &[Component<'_>],
) -> Followed {
    let spec = Component(spec);
    let of_spec = |pointer: &str| spec.some_text(&format!("/updates/catalogSource/{pointer}"));
    let of_subscription = |pointer: &str| subscription.and_then(|subscription| subscription.some_text(pointer));
    let installed = of_subscription("/status/installedCSV");
    let csv = installed
        .and_then(|installed| components.iter().find(|csv| csv.is_csv() && csv.name() == installed))
        .copied()
        .or(newest.filter(|_| installed.is_none()));
    let package = of_spec("package")
        .or(of_subscription("/spec/name"))
        .map(str::to_owned)
        .or_else(|| csv.and_then(package_of))
        .or_else(|| Some(package_in(name, csv?.text("/metadata/namespace")).to_owned()));
    Followed {
        package,
        channel: of_spec("channel")
            .or(of_subscription("/spec/channel"))
            .map(str::to_owned),
        catalog: of_spec("ref/name")
            .map(|name| (of_spec("ref/namespace"), name))
            .or_else(|| {
                Some((
                    of_subscription("/spec/sourceNamespace"),
                    of_subscription("/spec/source")?,
                ))
            })
            .map(|(namespace, name)| (namespace.unwrap_or_default().to_owned(), name.to_owned())),
        installed: installed.or(csv.map(Component::name)).map(str::to_owned),
        version: csv.and_then(|csv| csv.some_text("/spec/version")).map(str::to_owned),
    }
}

/// Returns the package in the properties annotation that OLM adds to a ClusterServiceVersion.
fn package_of(csv: Component<'_>) -> Option<String> {
    let properties: Value = serde_json::from_str(csv.some_text(PROPERTIES)?).ok()?;
    let properties = properties.get("properties")?.as_array()?;
    let package = properties
        .iter()
        .find(|property| property.get("type").and_then(Value::as_str) == Some(PACKAGE))?;
    package.pointer("/value/packageName")?.as_str().map(str::to_owned)
}

/// Returns the package in an operator name that OLM generated, `<package>.<namespace>`.
fn package_in<'a>(operator: &'a str, namespace: &str) -> &'a str {
    let suffix = operator.strip_suffix(namespace).and_then(|rest| rest.strip_suffix('.'));
    suffix.filter(|_| !namespace.is_empty()).unwrap_or(operator)
}

/// Returns the channels of the package that have an update for the installed version, by name. Of the catalogs that
/// stand for the CatalogSource of the operator, the first with the package is searched.
pub(super) fn found(catalogs: &[NamedCatalog<'_>], followed: &Followed) -> Vec<Found> {
    let (Some(package), Some(installed)) = (&followed.package, &followed.installed) else {
        return Vec::new();
    };
    let source = followed.catalog.as_ref();
    let source = source.map(|(namespace, name)| (namespace.as_str(), name.as_str()));
    let mut own = catalogs.iter().filter(|named| named.is_of(source));
    let Some(NamedCatalog { catalog, .. }) = own.find(|named| named.catalog.package(package).is_some()) else {
        return Vec::new();
    };
    let of_index = || {
        let bundle = catalog.bundle(catalog.find_in(package, installed)?)?;
        bundle.version.as_deref()
    };
    let version = followed.version.as_deref().or_else(of_index).and_then(parse_tolerant);
    let channels = catalog
        .package(package)
        .into_iter()
        .flat_map(|package| &package.channels);
    let update = |channel| update_from(catalog, channel, installed, version.as_ref());
    channels
        .filter_map(|channel| {
            let bundle = catalog.bundle(update(channel)?)?;
            Some(Found {
                channel: channel.name.to_string(),
                bundle: bundle.name.to_string(),
            })
        })
        .collect()
}

pub(super) fn updates(found: &[Found], followed: &Followed) -> Option<Updates> {
    let package = followed.package.as_ref()?;
    let available: Vec<Available> = found
        .iter()
        .map(|found| Available {
            name: followed.catalog.as_ref().map(|(_, name)| name.clone()),
            package: package.clone(),
            channel: found.channel.clone(),
        })
        .collect();
    (!available.is_empty()).then_some(Updates {
        available,
        ..Updates::default()
    })
}
