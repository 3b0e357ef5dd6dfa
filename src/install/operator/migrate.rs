//! Migrates Subscriptions and OperatorGroups to Operators and Installs, as OLM would according to the proposal. For
//! each Subscription, creates an `Operator` with the same package, channel and CatalogSource, and an `Install` with the
//! installed content. Also lists the copied ClusterServiceVersions that are no longer needed.

use super::component::Component;
use super::content::{Contents, Originals, home_of, originals};
use super::updates::{CatalogReference, reference_of, spec_from};
use crate::cluster::labels::{self, LabelStyle};
use crate::cluster::operator_groups_by_namespace;
use crate::cluster::requested::{API_VERSION, proposed_operator};
use crate::csv::GROUP;
use crate::install::permissions::{self, Review};
use crate::install::requests::account::Accounts;
use crate::install::requests::namespaces::DEFAULT;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The resources that replace Subscriptions and OperatorGroups, and the resources that are replaced.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Migration {
    /// The Operators to create.
    pub operators: Vec<Value>,
    /// The Installs to create.
    pub installs: Vec<Value>,
    /// The replaced Subscriptions.
    pub subscriptions: Vec<Replaced>,
    /// The replaced OperatorGroups.
    pub groups: Vec<Group>,
    /// The copied ClusterServiceVersions.
    pub copies: Vec<CopiedVersion>,
    /// Notes for the user.
    pub notes: Vec<String>,
}

/// A Subscription that an Operator replaces.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Replaced {
    /// `namespace/name` of the Subscription.
    pub subscription: String,
    /// The name of the Operator.
    pub operator: String,
    /// Whether the Operator already exists.
    pub is_there: bool,
    /// The name of the Install, if a version is installed.
    pub install: Option<String>,
}

/// An OperatorGroup that no Install needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Group {
    /// The OperatorGroup, as `namespace/name`.
    pub group: String,
    /// The service account that the Installs of the namespace inherit from the OperatorGroup, as `namespace/name`;
    /// `None` if each Install has a separate account or uses OLM's permissions.
    pub account: Option<String>,
    /// The target namespaces of the OperatorGroup, for which an Install has no field.
    pub targets: Vec<String>,
}

/// A ClusterServiceVersion that OLM copied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CopiedVersion {
    /// The copy, as `namespace/name`.
    pub copy: String,
    /// The Operator that the original belongs to. If `None`, the copy is kept.
    pub operator: Option<String>,
    /// The objects that the copy owns in its namespace, as `Kind name`. The Operator becomes their owner.
    pub owned: Vec<String>,
}

/// Looks up the image of a bundle by the namespace and name of its CatalogSource, and by the names of its package and
/// ClusterServiceVersion.
pub type Images<'a> = &'a dyn Fn((&str, &str), &str, &str) -> Option<String>;

/// Returns the resources that replace the Subscriptions and OperatorGroups among the objects.
pub fn migrate(objects: &[Value], images: Images<'_>) -> Migration {
    let all: Vec<Component<'_>> = objects.iter().map(Component).collect();
    let accounts = Accounts::of(objects, None);
    // The first Operator that follows each channel of a catalog, and whether it already exists.
    let mut followed: HashMap<CatalogReference, (String, bool)> = HashMap::new();
    for object in all.iter().filter(|object| proposed_operator(object.0).is_some()) {
        if let Some(reference) = reference_of(*object, &[]) {
            followed
                .entry(reference)
                .or_insert_with(|| (object.name().to_owned(), true));
        }
    }
    let mut subscriptions: Vec<Component<'_>> = all
        .iter()
        .filter(|object| object.is(GROUP, "Subscription"))
        .copied()
        .collect();
    subscriptions.sort_by_key(|object| (object.text("/metadata/namespace"), object.name()));
    subscriptions.dedup_by_key(|object| (object.text("/metadata/namespace"), object.name()));
    let originals = originals(&all);
    let contents = Contents::of(&all, &originals);
    let mut migration = Migration::default();
    // The Operator that each version belongs to, by the namespace and name of the version.
    let mut owners: BTreeMap<(String, String), String> = BTreeMap::new();
    for subscription in &subscriptions {
        let namespace = subscription.text("/metadata/namespace");
        let own = CatalogReference::of_subscription(*subscription);
        let shown = format!("{namespace}/{}", subscription.name());
        let (operator, is_there) = if let Some((operator, is_there)) = followed.get(&own) {
            if !is_there {
                migration.notes.push(format!(
                    "the Subscription {shown} shares its package, channel and catalog with another Subscription; the \
                     Operator {operator} replaces both, because the proposal allows an operator only once per cluster"
                ));
            }
            (operator.clone(), *is_there)
        } else {
            let labelled = labels::operators(subscription.labels()).next();
            let name = labelled.map_or_else(|| format!("{}.{namespace}", own.package), str::to_owned);
            migration.operators.push(json!({
                "apiVersion": API_VERSION, "kind": "Operator", "metadata": {"name": name},
                "spec": {"updates": spec_from(*subscription)},
            }));
            followed.insert(own.clone(), (name.clone(), false));
            (name, false)
        };
        let installed = subscription.some_text("/status/installedCSV");
        let install = installed.map(|installed| {
            let name = format!("{}.{namespace}", own.package);
            owners.insert((namespace.to_owned(), installed.to_owned()), operator.clone());
            let image = images(
                (
                    subscription.text("/spec/sourceNamespace"),
                    subscription.text("/spec/source"),
                ),
                subscription.text("/spec/name"),
                installed,
            );
            let (content, note) = contents.of_version(namespace, installed, image);
            migration.notes.extend(note);
            let mut install = permissions::install(&Review {
                account: accounts.of_install(namespace, &name),
                namespaces: BTreeMap::from([(DEFAULT.to_owned(), namespace.to_owned())]),
                pending: Vec::new(),
                operators: Vec::new(),
                refused_by_policy: Vec::new(),
                name: name.clone(),
                content,
            });
            install["metadata"]["labels"] =
                Map::from_iter([(labels::key(LabelStyle::Shipped, &operator), json!(""))]).into();
            install["spec"]["approval"] = "Approved".into();
            if let Some(status) = install.get_mut("status").and_then(Value::as_object_mut)
                && let Some(resolved) = status.get("resolved").and_then(Value::as_array)
                && resolved.iter().any(|entry| !is_pinned(entry))
            {
                status.shift_remove("resolved");
            }
            migration.installs.push(install);
            name
        });
        migration.subscriptions.push(Replaced {
            subscription: shown,
            operator,
            is_there,
            install,
        });
    }
    migration.groups = groups(objects, &subscriptions);
    migration.copies = copies(&all, &originals, &owners);
    migration
}

/// Whether the content specifies no image, or an image by digest.
fn is_pinned(entry: &Value) -> bool {
    let image = entry.get("manifestImage").and_then(Value::as_str);
    image.is_none_or(|image| image.contains("@sha256:"))
}

/// Returns the OperatorGroups of the namespaces that have Subscriptions.
fn groups(objects: &[Value], subscriptions: &[Component<'_>]) -> Vec<Group> {
    let namespaces: BTreeSet<&str> = subscriptions
        .iter()
        .map(|subscription| subscription.text("/metadata/namespace"))
        .collect();
    let mut found = Vec::new();
    let mut groups = operator_groups_by_namespace(objects);
    for namespace in namespaces {
        let here = groups.remove(namespace).unwrap_or_default();
        let is_only = here.len() == 1;
        found.extend(here.into_iter().map(|group| {
            let group = Component(group);
            let account = group.some_text("/spec/serviceAccountName").filter(|_| is_only);
            let targets = group.list("/spec/targetNamespaces").iter().filter_map(Value::as_str);
            Group {
                group: format!("{namespace}/{}", group.name()),
                account: account.map(|account| format!("{namespace}/{account}")),
                targets: targets.map(str::to_owned).collect(),
            }
        }));
    }
    found
}

/// Returns the copied versions, each with the Operator that takes over its objects.
fn copies(
    all: &[Component<'_>],
    originals: &Originals<'_>,
    owners: &BTreeMap<(String, String), String>,
) -> Vec<CopiedVersion> {
    // There can be a copy of each version in each namespace.
    let mut owned: HashMap<(&str, &str), Vec<Component<'_>>> = HashMap::new();
    for object in all {
        let namespace = object.text("/metadata/namespace");
        let references = object.list("/metadata/ownerReferences").iter().map(Component);
        let versions = references.filter(|owner| owner.text("/kind") == crate::csv::KIND);
        let names: BTreeSet<&str> = versions.map(|owner| owner.text("/name")).collect();
        for name in names {
            owned.entry((namespace, name)).or_default().push(*object);
        }
    }
    let mut found = Vec::new();
    for copy in all.iter().filter(|object| object.is_copied()) {
        let namespace = copy.text("/metadata/namespace");
        let home = home_of(*copy);
        let original = originals.get(&(home, copy.name()));
        let of_label = || labels::operators(original?.labels()).next().map(str::to_owned);
        let operator = owners
            .get(&(home.to_owned(), copy.name().to_owned()))
            .cloned()
            .or_else(of_label);
        let owned = owned.get(&(namespace, copy.name())).into_iter().flatten();
        found.push(CopiedVersion {
            copy: format!("{namespace}/{}", copy.name()),
            owned: match operator {
                Some(_) => owned
                    .map(|object| format!("{} {}", object.text("/kind"), object.name()))
                    .collect(),
                None => Vec::new(),
            },
            operator,
        });
    }
    found.sort_by(|one, other| one.copy.cmp(&other.copy));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_install_contains_the_original_version_and_not_a_copy() {
        let version = |namespace: &str, labels: Value, spec: Value| {
            json!({"apiVersion": "operators.coreos.com/v1alpha1", "kind": "ClusterServiceVersion",
                "metadata": {"name": "rake.v1.0.0", "namespace": namespace, "labels": labels}, "spec": spec})
        };
        let subscription = |namespace: &str| {
            json!({"apiVersion": "operators.coreos.com/v1alpha1", "kind": "Subscription",
                "metadata": {"name": "rake", "namespace": namespace},
                "spec": {"name": "rake"}, "status": {"installedCSV": "rake.v1.0.0"}})
        };
        let copy = version("shed", json!({"olm.copiedFrom": "garden"}), json!({"version": "0.0.0"}));
        let original = version("garden", json!({}), json!({"version": "1.0.0"}));
        let content = |objects: &[Value]| {
            let migration = migrate(objects, &|_, _, _| None);
            let content = &migration.installs[0]["spec"]["content"];
            let object: Value = serde_json::from_str(content[0]["raw"].as_str().unwrap()).unwrap();
            object["spec"]["version"].clone()
        };
        for namespace in ["garden", "shed"] {
            let objects = [copy.clone(), original.clone(), subscription(namespace)];
            assert_eq!(content(&objects), "1.0.0", "{namespace}");
        }
        assert_eq!(content(&[copy, subscription("shed")]), Value::Null);
    }
}
