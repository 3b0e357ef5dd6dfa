//! Operators as input for a resolution: each Operator represents a Subscription to its package. An existing
//! Subscription to the same package, channel and catalog is migrated, as OLM would do before deleting it.

use crate::catalog::Catalog;
use crate::cluster::requested::{CatalogUpdates, RequestedOperator, Updates};
use crate::cluster::state::{Bundle, CatalogSource, Channel, Installed, Package, StateEntry, Subscription};
use crate::cluster::{State, catalog_sources, labels};
use crate::csv::{Csv, GROUP};
use crate::olm::property::PACKAGE;
use crate::shape::nearest;
use crate::steps::Content;
use crate::version::parse_tolerant;
use serde_json::Value;
use std::borrow::Cow;

/// The channel of a bundle that comes from an image.
const IMAGE_CHANNEL: &str = "manifest-image";

/// An Operator to resolve, with the content of its image if it specifies one.
#[derive(Debug, Clone)]
pub struct AskedOperator {
    /// The resource.
    pub operator: RequestedOperator,
    /// The bundle in the image. If `None`, an Operator that specifies an image is skipped.
    pub content: Option<Content>,
}

/// The reason why an entrypoint cannot be installed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "Operator {operator}: the catalog {catalog} has no channel with the bundle {entrypoint:?}{}",
    .nearest.as_ref().map_or(String::new(), |name| format!("; did you mean {name:?}?"))
)]
pub struct EntrypointError {
    /// The Operator.
    pub operator: String,
    /// The bundle that the Operator specifies as its entrypoint.
    pub entrypoint: String,
    /// `namespace/name` of the CatalogSource.
    pub catalog: String,
    /// The bundle with the most similar name.
    pub nearest: Option<String>,
}

/// Adds the catalogs that the Operators refer to: catalogs of the cluster that OLM would otherwise not consider, and
/// for each image a catalog with its bundle. `installed` lists names of installed versions in addition to those of the
/// cluster.
pub fn add_catalogs(operators: &[AskedOperator], installed: &[String], state: &mut State) {
    for AskedOperator { operator, content } in operators {
        match (&operator.updates, content) {
            (Updates::Catalog(updates), _) => refer_to(updates, state),
            (Updates::Image(_), Some(content)) => {
                let known = state.installed.iter().map(|csv| csv.name.clone());
                let skips = known.chain(installed.iter().cloned());
                let skips = skips.filter(|name| *name != content.name).collect();
                let catalog = CatalogSource {
                    name: operator.name.clone(),
                    namespace: state.namespace.clone(),
                    // Catalogs with a higher priority are preferred for dependencies.
                    priority: i64::from(i32::MIN),
                    source: None,
                    packages: vec![package(content, skips)],
                };
                state.referred.insert((catalog.namespace.clone(), catalog.name.clone()));
                state.catalogs.push(catalog);
            }
            (Updates::Image(_), None) => {}
        }
    }
}

/// Adds a CatalogSource to a resolution. An unknown CatalogSource is treated as empty.
fn refer_to(updates: &CatalogUpdates, state: &mut State) {
    let (namespace, name) = (&updates.catalog_namespace, &updates.catalog);
    let is_it = |(of, called): (&str, &str)| of == namespace && called == name;
    if !state
        .catalogs
        .iter()
        .any(|known| is_it((&known.namespace, &known.name)))
    {
        let mut found = catalog_sources(&state.objects);
        let found = found.find(|found| is_it((&found.namespace, &found.name)));
        state.catalogs.push(found.unwrap_or_else(|| CatalogSource {
            name: name.clone(),
            namespace: namespace.clone(),
            ..CatalogSource::default()
        }));
    }
    state.other_catalogs.retain(|(of, called)| !is_it((of, called)));
    state.referred.insert((namespace.clone(), name.clone()));
}

/// Returns a package with only this bundle, which replaces any installed version.
fn package(content: &Content, skips: Vec<String>) -> Package {
    let version = Csv(&content.csv).version();
    Package {
        name: content.package.clone(),
        default_channel: Some(IMAGE_CHANNEL.to_owned()),
        channels: vec![Channel {
            name: IMAGE_CHANNEL.to_owned(),
            entries: vec![StateEntry {
                name: content.name.clone(),
                skips,
                ..StateEntry::default()
            }],
        }],
        bundles: vec![Bundle {
            name: content.name.clone(),
            version: Some(version.to_owned()).filter(|version| !version.is_empty()),
            properties: content.properties.clone(),
            ..Bundle::default()
        }],
    }
}

/// Adds Subscriptions for the Operators, and returns notes about them. `read` contains the content of the catalogs of
/// the state, in the same order.
///
/// # Errors
/// Returns an error if the package of an entrypoint must be looked up, but the catalog does not contain the entrypoint.
pub fn subscribe(
    operators: &[AskedOperator],
    state: &mut State,
    read: &[Cow<'_, Catalog>],
) -> Result<Vec<String>, EntrypointError> {
    let mut notes = Vec::new();
    // The Subscriptions of Operators follow those of the cluster.
    let mut of_cluster = state.subscriptions.len();
    for AskedOperator { operator, content } in operators {
        let name = &operator.name;
        match (&operator.updates, content) {
            (Updates::Catalog(updates), _) => {
                let (package, channel) = if let Some(package) = &updates.package {
                    (package.clone(), updates.channel.clone())
                } else {
                    let (package, channel) = entrypoint(name, updates, state, read)?;
                    let entrypoint = updates.entrypoint.as_deref().unwrap_or_default();
                    notes.push(format!(
                        "Operator {name}: {entrypoint} belongs to the channel {channel} of the package {package}"
                    ));
                    (package, Some(channel))
                };
                let same = |known: &Subscription| {
                    known.package == package
                        && known.channel == channel
                        && known.catalog == updates.catalog
                        && known.catalog_namespace == updates.catalog_namespace
                };
                let taken_over = state.subscriptions.iter().take(of_cluster).position(same);
                let taken_over = taken_over.map(|index| state.subscriptions.remove(index));
                if let Some(taken_over) = &taken_over {
                    of_cluster -= 1;
                    let (namespace, old) = (&state.namespace, &taken_over.name);
                    state.objects.retain(|object| !is_subscription(object, namespace, old));
                    notes.push(format!("Operator {name} replaces the Subscription {namespace}/{old}"));
                }
                let of_subscription = taken_over.as_ref().and_then(|known| known.installed_csv.clone());
                let installed = of_subscription.or_else(|| installed(name, &package, state));
                if let Some(installed) = installed.as_ref().filter(|_| updates.package.is_none()) {
                    notes.push(format!(
                        "Operator {name} does not subscribe to updates, so the installed version {installed} is kept"
                    ));
                    continue;
                }
                let before = taken_over.as_ref().and_then(|known| known.current_csv.clone());
                state.subscriptions.push(Subscription {
                    name: name.clone(),
                    package,
                    channel,
                    catalog: updates.catalog.clone(),
                    catalog_namespace: updates.catalog_namespace.clone(),
                    starting_csv: updates.entrypoint.clone(),
                    current_csv: before.or_else(|| installed.clone()),
                    installed_csv: installed,
                    install_plan_approval: updates.approval,
                    install_plan: None,
                });
            }
            (Updates::Image(_), Some(content)) => {
                let installed = installed(name, &content.package, state);
                if installed.as_ref() == Some(&content.name) {
                    notes.push(format!("Operator {name}: {} is installed", content.name));
                    continue;
                }
                state.subscriptions.push(Subscription {
                    name: name.clone(),
                    package: content.package.clone(),
                    catalog: name.clone(),
                    catalog_namespace: state.namespace.clone(),
                    current_csv: installed.clone(),
                    installed_csv: installed,
                    ..Subscription::default()
                });
            }
            (Updates::Image(_), None) => {}
        }
    }
    Ok(notes)
}

fn is_subscription(object: &Value, namespace: &str, name: &str) -> bool {
    let text = |path: &str| object.pointer(path).and_then(Value::as_str).unwrap_or_default();
    text("/kind") == "Subscription"
        && text("/apiVersion").starts_with(GROUP)
        && text("/metadata/namespace") == namespace
        && text("/metadata/name") == name
}

/// Returns the package and channel of an entrypoint. The default channel is preferred; otherwise, the first channel by
/// name.
fn entrypoint(
    operator: &str,
    updates: &CatalogUpdates,
    state: &State,
    read: &[Cow<'_, Catalog>],
) -> Result<(String, String), EntrypointError> {
    let wanted = updates.entrypoint.as_deref().unwrap_or_default();
    let of_name = |(source, catalog): (&CatalogSource, _)| {
        let is_it = source.namespace == updates.catalog_namespace && source.name == updates.catalog;
        is_it.then_some(catalog)
    };
    let catalog: Option<&Cow<'_, Catalog>> = state.catalogs.iter().zip(read).find_map(of_name);
    catalog.and_then(|catalog| catalog.channel_of(wanted)).ok_or_else(|| {
        let names = catalog.into_iter().flat_map(|catalog| &catalog.bundles);
        EntrypointError {
            operator: operator.to_owned(),
            entrypoint: wanted.to_owned(),
            catalog: format!("{}/{}", updates.catalog_namespace, updates.catalog),
            nearest: nearest(wanted, names.map(|bundle| &*bundle.name)).map(str::to_owned),
        }
    })
}

/// Returns the newest installed version of an Operator, found by label or package.
fn installed(operator: &str, package: &str, state: &State) -> Option<String> {
    let labelled = |csv: &Installed| {
        let mut objects = state.objects.iter().map(Csv);
        let object = objects.find(|object| object.name() == csv.name && !object.is_copied());
        let labels = object.and_then(|object| object.get(&["metadata", "labels"])?.as_object());
        labels::operators(labels).any(|labelled| labels::is_name_of(labelled, operator))
    };
    let of_package = |csv: &Installed| {
        let mut packages = csv.properties.iter().filter(|property| property.kind == PACKAGE);
        csv.package.as_deref() == Some(package)
            || packages.any(|named| named.value.get("packageName").and_then(Value::as_str) == Some(package))
    };
    let own = state.installed.iter().filter(|csv| of_package(csv) || labelled(csv));
    let newest = own.max_by_key(|csv| {
        (
            parse_tolerant(csv.version.as_deref().unwrap_or_default()),
            csv.name.clone(),
        )
    });
    newest.map(|csv| csv.name.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::inline;
    use crate::cluster::state::Approval;
    use serde_json::json;

    fn state(subscriptions: Vec<Subscription>, installed: Vec<Installed>) -> State {
        let entry = |name: &str, replaces: Option<&str>| StateEntry {
            name: name.to_owned(),
            replaces: replaces.map(str::to_owned),
            ..StateEntry::default()
        };
        let channel = |name: &str| Channel {
            name: name.to_owned(),
            entries: vec![entry("plumbus.v2", Some("plumbus.v1")), entry("plumbus.v1", None)],
        };
        let bundle = |name: &str| Bundle {
            name: name.to_owned(),
            ..Bundle::default()
        };
        State {
            namespace: "operators".to_owned(),
            catalogs: vec![CatalogSource {
                name: "community".to_owned(),
                namespace: "olm".to_owned(),
                packages: vec![Package {
                    name: "plumbus".to_owned(),
                    default_channel: Some("stable".to_owned()),
                    channels: vec![channel("alpha"), channel("stable")],
                    bundles: vec![bundle("plumbus.v1"), bundle("plumbus.v2")],
                }],
                ..CatalogSource::default()
            }],
            subscriptions,
            installed,
            ..State::default()
        }
    }

    fn asked(package: Option<&str>, entrypoint: Option<&str>) -> Vec<AskedOperator> {
        let updates = CatalogUpdates {
            package: package.map(str::to_owned),
            channel: package.map(|_| "stable".to_owned()),
            entrypoint: entrypoint.map(str::to_owned),
            approval: Approval::Manual,
            catalog: "community".to_owned(),
            catalog_namespace: "olm".to_owned(),
        };
        vec![AskedOperator {
            operator: RequestedOperator {
                name: "my-plumbus".to_owned(),
                updates: Updates::Catalog(updates),
            },
            content: None,
        }]
    }

    fn subscribed(asked: &[AskedOperator], state: &mut State) -> Result<Vec<String>, EntrypointError> {
        add_catalogs(asked, &[], state);
        let catalogs: Vec<Catalog> = state.catalogs.iter().map(|catalog| inline(&catalog.packages)).collect();
        let read: Vec<Cow<'_, Catalog>> = catalogs.iter().map(Cow::Borrowed).collect();
        subscribe(asked, state, &read)
    }

    /// S50: an entrypoint without a package is looked up, first in the default channel, and is not updated to a newer
    /// version.
    #[test]
    fn s50_the_package_and_channel_of_an_entrypoint_are_looked_up() {
        let mut fresh = state(Vec::new(), Vec::new());
        subscribed(&asked(None, Some("plumbus.v1")), &mut fresh).unwrap();
        let subscription = &fresh.subscriptions[0];
        assert_eq!(
            (&*subscription.package, subscription.channel.as_deref()),
            ("plumbus", Some("stable"))
        );
        assert_eq!(subscription.starting_csv.as_deref(), Some("plumbus.v1"));
        let installed = Installed {
            name: "plumbus.v1".to_owned(),
            package: Some("plumbus".to_owned()),
            ..Installed::default()
        };
        let mut settled = state(Vec::new(), vec![installed]);
        let notes = subscribed(&asked(None, Some("plumbus.v1")), &mut settled).unwrap();
        assert_eq!(settled.subscriptions, []);
        assert!(
            notes[1].contains("so the installed version plumbus.v1 is kept"),
            "{notes:?}"
        );
        let error = subscribed(&asked(None, Some("plumbus.v3")), &mut fresh).unwrap_err();
        assert_eq!(
            error.to_string(),
            "Operator my-plumbus: the catalog olm/community has no channel with the bundle \"plumbus.v3\"; did you mean \"plumbus.v1\"?"
        );
    }

    /// S53: the Subscription with the same package, channel and catalog is migrated with its installed version.
    #[test]
    fn s53_a_subscription_to_the_same_package_is_replaced() {
        let subscription = |channel: &str| Subscription {
            name: "old".to_owned(),
            package: "plumbus".to_owned(),
            channel: Some(channel.to_owned()),
            catalog: "community".to_owned(),
            catalog_namespace: "olm".to_owned(),
            installed_csv: Some("plumbus.v1".to_owned()),
            current_csv: Some("plumbus.v1".to_owned()),
            ..Subscription::default()
        };
        let mut same = state(vec![subscription("stable")], Vec::new());
        same.objects = vec![
            json!({"apiVersion": "operators.coreos.com/v1alpha1", "kind": "Subscription",
            "metadata": {"name": "old", "namespace": "operators"}, "spec": {"installPlanApproval": "Manual"}}),
        ];
        let notes = subscribed(&asked(Some("plumbus"), None), &mut same).unwrap();
        assert_eq!(notes, ["Operator my-plumbus replaces the Subscription operators/old"]);
        let [only] = &same.subscriptions[..] else {
            panic!("one Subscription");
        };
        assert_eq!(
            (&*only.name, only.installed_csv.as_deref()),
            ("my-plumbus", Some("plumbus.v1"))
        );
        assert_eq!(only.install_plan_approval, Approval::Manual);
        assert_eq!(same.manual_subscriptions("operators"), ["my-plumbus"]);
        let mut other = state(vec![subscription("alpha")], Vec::new());
        assert_eq!(subscribed(&asked(Some("plumbus"), None), &mut other).unwrap(), [""; 0]);
        assert_eq!(other.subscriptions.len(), 2);
    }

    #[test]
    fn an_operator_does_not_replace_the_subscription_of_another_operator() {
        let mut two = asked(Some("plumbus"), None);
        two.extend(asked(Some("plumbus"), None));
        two[1].operator.name = "second".to_owned();
        let mut state = state(Vec::new(), Vec::new());
        assert_eq!(subscribed(&two, &mut state).unwrap(), [""; 0]);
        let names: Vec<&str> = state.subscriptions.iter().map(|to| &*to.name).collect();
        assert_eq!(names, ["my-plumbus", "second"]);
    }

    #[test]
    fn a_catalog_of_another_namespace_is_used_if_an_operator_refers_to_it() {
        let mut elsewhere = state(Vec::new(), Vec::new());
        elsewhere.other_catalogs = vec![("olm".to_owned(), "community".to_owned())];
        add_catalogs(&asked(Some("plumbus"), None), &[], &mut elsewhere);
        assert_eq!(elsewhere.other_catalogs, []);
        assert!(elsewhere.referred.contains(&("olm".to_owned(), "community".to_owned())));
        assert_eq!(elsewhere.catalogs.len(), 1);
        let mut nowhere = State::default();
        add_catalogs(&asked(Some("plumbus"), None), &[], &mut nowhere);
        assert_eq!(nowhere.catalogs[0].name, "community");
    }
}
