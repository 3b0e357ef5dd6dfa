//! Converts the OLM objects of a dump into the content of a what-if file.

use super::State;
use super::state::{Approval, CatalogSource, FAIL_FORWARD, Installed, NAMESPACE, Subscription, UpgradeStrategy};
use super::unfinished::with_unfinished_plan;
use crate::csv::{self, Csv};
use crate::olm::annotation::PROPERTIES;
use crate::olm::property::{PACKAGE, Property};
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};

/// The namespaces of global catalogs in usual installations of OLM.
const GLOBAL_NAMESPACES: [&str; 3] = ["olm", "openshift-marketplace", "operator-lifecycle-manager"];
/// The annotation of an OperatorGroup that excludes the catalogs of the global namespace.
const EXCLUDE_GLOBAL: &str = "olm.operatorframework.io/exclude-global-namespace-resolution";

/// The reason why the namespace to resolve cannot be determined.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ObservedError {
    /// Several namespaces contain Subscriptions, and no namespace was specified.
    #[error("there are Subscriptions in the namespaces {}, but OLM resolves each namespace separately", .namespaces.join(", "))]
    Namespaces {
        /// The namespaces.
        namespaces: Vec<String>,
    },
    /// A what-if file describes another namespace.
    #[error("the what-if file describes the namespace {of_state}, not {named}")]
    Other {
        /// The namespace of the file.
        of_state: String,
        /// The namespace that was specified.
        named: String,
    },
    /// The namespace has no OperatorGroup, or more than one, so OLM resolves nothing.
    #[error("expected 1 OperatorGroup in the namespace {namespace}, found {count}")]
    OperatorGroups {
        /// The namespace.
        namespace: String,
        /// The number of OperatorGroups.
        count: usize,
    },
}

/// The treatment of a namespace that contains no OperatorGroup, or more than one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OperatorGroups {
    /// As in the proposal simplify-olm-apis, no OperatorGroup is used, because each install has its own service
    /// account.
    #[default]
    Proposed,
    /// As in all releases of OLM, nothing is installed in the namespace.
    Released,
}

/// Returns the names of the ClusterExtensions among the objects. They belong to OLM v1, which decides differently.
pub fn cluster_extensions(objects: &[Value]) -> impl Iterator<Item = &str> {
    let extensions = objects.iter().filter(|object| {
        let text = |key: &str| object.get(key).and_then(Value::as_str).unwrap_or_default();
        text("kind") == "ClusterExtension" && text("apiVersion").starts_with("olm.operatorframework.io/")
    });
    extensions.filter_map(|object| object.pointer("/metadata/name")?.as_str())
}

/// Reads the Subscriptions, ClusterServiceVersions, CatalogSources and the OperatorGroup among the objects of a state,
/// and adds their content to the state. Existing content takes precedence. If no namespace is specified, the namespace
/// of the state is used; if the state has none, the objects determine it, as in [`observed_namespace`].
///
/// # Errors
/// Returns an error if the objects do not determine the namespace, or contradict the state.
pub fn observe(state: &mut State, namespace: Option<&str>) -> Result<(), ObservedError> {
    observe_with(state, namespace, OperatorGroups::default())
}

/// Like [`observe`], but `groups` specifies the treatment of a namespace with several OperatorGroups or none.
///
/// # Errors
/// Returns an error if the objects do not determine the namespace or contradict the state, or if OLM rejects the
/// OperatorGroups.
pub fn observe_with(state: &mut State, namespace: Option<&str>, groups: OperatorGroups) -> Result<(), ObservedError> {
    let objects = std::mem::take(&mut state.objects);
    let observed = Objects(&objects).complete(state, namespace, groups);
    state.objects = objects;
    observed
}

/// Returns the namespace that the objects of a dump determine: the only one that contains Subscriptions or, without
/// Subscriptions, the only one that contains an OperatorGroup. Otherwise, returns [`NAMESPACE`].
///
/// # Errors
/// Returns an error if several namespaces contain Subscriptions.
pub fn observed_namespace(objects: &[Value]) -> Result<String, ObservedError> {
    let of_kind = |kind| -> BTreeSet<&str> {
        let homes = Objects(objects).of_kind(kind).map(home);
        homes.filter(|namespace| !namespace.is_empty()).collect()
    };
    let subscribed = of_kind("Subscription");
    if subscribed.len() > 1 {
        let namespaces = subscribed.into_iter().map(str::to_owned).collect();
        return Err(ObservedError::Namespaces { namespaces });
    }
    let groups = of_kind("OperatorGroup");
    let only_group = groups.first().filter(|_| groups.len() == 1);
    let namespace = subscribed.first().or(only_group).copied();
    Ok(namespace.unwrap_or(NAMESPACE).to_owned())
}

/// Returns the OperatorGroups of a namespace.
pub fn operator_groups<'a>(objects: &'a [Value], namespace: &str) -> Vec<&'a Value> {
    let groups = Objects(objects).inside(namespace, "OperatorGroup");
    groups.map(|group| group.0).collect()
}

/// Returns the OperatorGroups of each namespace that has any.
pub(crate) fn operator_groups_by_namespace(objects: &[Value]) -> HashMap<&str, Vec<&Value>> {
    let mut by_namespace: HashMap<&str, Vec<&Value>> = HashMap::new();
    for group in all_operator_groups(objects) {
        by_namespace.entry(home(group)).or_default().push(group.0);
    }
    by_namespace
}

/// Returns the OperatorGroups of all namespaces.
pub(crate) fn all_operator_groups(objects: &[Value]) -> impl Iterator<Item = Csv<'_>> {
    Objects(objects).of_kind("OperatorGroup")
}

/// Returns the number of OperatorGroups in a namespace if all releases of OLM reject the namespace because of that
/// number; otherwise returns `None`. If the dumps contain no OperatorGroup at all, the one that OLM needs is assumed to
/// exist.
pub fn refused_operator_groups(objects: &[Value], namespace: &str) -> Option<usize> {
    match Objects(objects).operator_group(namespace) {
        Err(ObservedError::OperatorGroups { count, .. }) => Some(count),
        _ => None,
    }
}

/// Returns the CatalogSources among objects.
pub fn catalog_sources(objects: &[Value]) -> impl Iterator<Item = CatalogSource> {
    Objects(objects).of_kind("CatalogSource").map(catalog)
}

/// The objects of a cluster.
#[derive(Clone, Copy)]
struct Objects<'a>(&'a [Value]);

impl<'a> Objects<'a> {
    /// Returns the OLM objects of this kind.
    fn of_kind(self, kind: &'static str) -> impl Iterator<Item = Csv<'a>> + use<'a> {
        let views = self.0.iter().map(Csv);
        views.filter(move |view| view.text(&["kind"]) == kind && view.text(&["apiVersion"]).starts_with(csv::GROUP))
    }

    /// Returns the OLM objects of this kind in a namespace.
    fn inside<'n>(self, namespace: &'n str, kind: &'static str) -> impl Iterator<Item = Csv<'a>> + use<'a, 'n> {
        self.of_kind(kind).filter(move |view| home(*view) == namespace)
    }

    fn complete(self, state: &mut State, namespace: Option<&str>, groups: OperatorGroups) -> Result<(), ObservedError> {
        let here = self.namespace(state, namespace)?;
        let group = match (self.operator_group(&here), groups) {
            (Err(_), OperatorGroups::Proposed) => None,
            (group, _) => group?,
        };
        if let Some(group) = group {
            let text = |keys: &[&str]| Some(group.text(keys)).filter(|text| !text.is_empty());
            if text(&["spec", "upgradeStrategy"]) == Some(FAIL_FORWARD) {
                state.upgrade_strategy = UpgradeStrategy::FailForward;
            }
            state.exclude_global_catalogs |= group.text(&["metadata", "annotations", EXCLUDE_GLOBAL]) == "true";
            let account = || text(&["spec", "serviceAccountName"]).map(str::to_owned);
            state.service_account = state.service_account.take().or_else(account);
        }
        let versions: BTreeSet<&str> = self.inside(&here, csv::KIND).map(Csv::name).collect();
        let plans: Vec<Csv<'_>> = self.inside(&here, "InstallPlan").collect();
        for view in self.inside(&here, "Subscription") {
            if !state.subscriptions.iter().any(|known| known.name == view.name()) {
                let subscription = with_current_version(subscription(view), &versions);
                let subscription = with_unfinished_plan(subscription, view, &versions, &plans, state.upgrade_strategy);
                state.subscriptions.push(subscription);
            }
        }
        for view in self.inside(&here, csv::KIND).filter(|view| !view.is_copied()) {
            if !state.installed.iter().any(|known| known.name == view.name()) {
                state.installed.push(installed(view));
            }
        }
        let global = || self.global_namespace(&here).map(str::to_owned);
        state.global_namespace = state.global_namespace.take().or_else(global);
        for view in self.of_kind("CatalogSource") {
            let is_looked_at = home(view) == here || state.global_namespace.as_deref() == Some(home(view));
            let mut known = state.catalogs.iter();
            if !is_looked_at {
                state
                    .other_catalogs
                    .push((home(view).to_owned(), view.name().to_owned()));
            } else if !known.any(|known| known.name == view.name() && known.namespace == home(view)) {
                state.catalogs.push(catalog(view));
            }
        }
        state.namespace = here;
        Ok(())
    }

    /// Returns the namespace to resolve.
    fn namespace(self, state: &State, named: Option<&str>) -> Result<String, ObservedError> {
        match (named, &*state.namespace) {
            (Some(named), "") => Ok(named.to_owned()),
            (None, "") => observed_namespace(self.0),
            (Some(named), of_state) if named != of_state => Err(ObservedError::Other {
                of_state: of_state.to_owned(),
                named: named.to_owned(),
            }),
            (_, of_state) => Ok(of_state.to_owned()),
        }
    }

    /// Returns the OperatorGroup of a namespace. If the dumps contain no OperatorGroup at all, one with the defaults is
    /// assumed to exist.
    fn operator_group(self, namespace: &str) -> Result<Option<Csv<'a>>, ObservedError> {
        let mut groups = self.inside(namespace, "OperatorGroup");
        let group = groups.next();
        match groups.count() {
            0 if group.is_some() || self.of_kind("OperatorGroup").next().is_none() => Ok(group),
            0 => Err(ObservedError::OperatorGroups {
                namespace: namespace.to_owned(),
                count: 0,
            }),
            more => Err(ObservedError::OperatorGroups {
                namespace: namespace.to_owned(),
                count: more + 1,
            }),
        }
    }

    /// Returns the namespace whose catalogs serve all namespaces. Only OLM's own configuration specifies this
    /// namespace, so the result is a guess. In order of preference, it is a usual global namespace with catalogs, the
    /// catalog namespace of a Subscription in `here`, or the first namespace with a catalog. It is never `here`.
    fn global_namespace(self, here: &str) -> Option<&'a str> {
        let with_catalogs = || self.of_kind("CatalogSource").map(home);
        let usual = GLOBAL_NAMESPACES
            .into_iter()
            .find_map(|usual| with_catalogs().find(|namespace| *namespace == usual));
        let subscribed = self.inside(here, "Subscription");
        let subscribed = subscribed.map(|view| view.text(&["spec", "sourceNamespace"]));
        let mut elsewhere = usual.into_iter().chain(subscribed).chain(with_catalogs());
        elsewhere.find(|namespace| !namespace.is_empty() && *namespace != here)
    }
}

/// Returns the namespace of an object.
fn home(view: Csv<'_>) -> &str {
    view.text(&["metadata", "namespace"])
}

fn subscription(view: Csv<'_>) -> Subscription {
    let text = |keys: &[&str]| view.text(keys).to_owned();
    let given = |keys: &[&str]| Some(text(keys)).filter(|text| !text.is_empty());
    let installed_csv = given(&["status", "installedCSV"]);
    Subscription {
        name: view.name().to_owned(),
        package: text(&["spec", "name"]),
        channel: given(&["spec", "channel"]),
        catalog: text(&["spec", "source"]),
        catalog_namespace: text(&["spec", "sourceNamespace"]),
        starting_csv: given(&["spec", "startingCSV"]),
        current_csv: given(&["status", "currentCSV"]).or_else(|| installed_csv.clone()),
        installed_csv,
        install_plan_approval: match view.text(&["spec", "installPlanApproval"]) {
            "Manual" => Approval::Manual,
            _ => Approval::Automatic,
        },
        install_plan: None,
    }
}

/// Updates a Subscription as OLM does before resolving: the current version counts as installed as soon as it exists,
/// although the status shows this only a moment later.
fn with_current_version(subscription: Subscription, versions: &BTreeSet<&str>) -> Subscription {
    let current = subscription.current_csv.as_deref();
    let arrived = current.filter(|current| versions.contains(current)).map(str::to_owned);
    Subscription {
        installed_csv: arrived.or(subscription.installed_csv),
        ..subscription
    }
}

fn catalog(view: Csv<'_>) -> CatalogSource {
    CatalogSource {
        name: view.name().to_owned(),
        namespace: home(view).to_owned(),
        priority: view
            .get(&["spec", "priority"])
            .and_then(Value::as_i64)
            .unwrap_or_default(),
        source: Some(view.text(&["spec", "image"]).to_owned()).filter(|image| !image.is_empty()),
        packages: Vec::new(),
    }
}

/// The properties annotation.
#[derive(Deserialize)]
struct Annotation {
    #[serde(default)]
    properties: Vec<Property>,
}

fn installed(view: Csv<'_>) -> Installed {
    let text = |keys: &[&str]| Some(view.text(keys).to_owned()).filter(|text| !text.is_empty());
    let annotation: Option<Annotation> = serde_json::from_str(view.text(&["metadata", "annotations", PROPERTIES])).ok();
    let csv = Installed {
        name: view.name().to_owned(),
        version: text(&["spec", "version"]),
        phase: text(&["status", "phase"]).unwrap_or(Installed::default().phase),
        replaces: text(&["spec", "replaces"]),
        ..Installed::default()
    };
    match annotation {
        Some(Annotation { properties }) => Installed {
            package: properties.iter().find_map(package),
            properties,
            ..csv
        },
        None => Installed {
            provides: view.apis("owned"),
            requires: view.apis("required"),
            without_properties_annotation: true,
            ..csv
        },
    }
}

fn package(property: &Property) -> Option<String> {
    let name = property.value.get("packageName").filter(|_| property.kind == PACKAGE)?;
    name.as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn object(kind: &str, name: &str, namespace: &str, more: Value) -> Value {
        let mut object = json!({"apiVersion": "operators.coreos.com/v1alpha1", "kind": kind,
            "metadata": {"name": name, "namespace": namespace}});
        let (Value::Object(object_map), Value::Object(more)) = (&mut object, more) else {
            unreachable!("both are maps");
        };
        object_map.extend(more);
        object
    }

    fn subscription(name: &str, namespace: &str) -> Value {
        object(
            "Subscription",
            name,
            namespace,
            json!({"spec": {"name": "rake", "channel": "stable", "source": "main", "sourceNamespace": "olm",
                "installPlanApproval": "Manual"}, "status": {"installedCSV": "rake.v1.0.0"}}),
        )
    }

    fn observed(objects: Vec<Value>, namespace: Option<&str>) -> Result<State, ObservedError> {
        let mut state = State {
            objects,
            ..State::default()
        };
        observe(&mut state, namespace)?;
        Ok(state)
    }

    #[test]
    fn subscriptions_and_installed_versions_are_read_as_from_a_what_if_file() {
        let properties = r#"{"properties":[{"type":"olm.package","value":{"packageName":"rake","version":"1.0.0"}}]}"#;
        let mut csv = object(
            csv::KIND,
            "rake.v1.0.0",
            "garden",
            json!({"spec": {"version": "1.0.0", "replaces": "rake.v0.9.0"}, "status": {"phase": "Succeeded"}}),
        );
        csv["metadata"]["annotations"] = json!({PROPERTIES: properties});
        let old = object(
            csv::KIND,
            "hoe.v1.0.0",
            "garden",
            json!({"spec": {"version": "1.0.0", "customresourcedefinitions": {
                "owned": [{"name": "hoes.example.com", "version": "v1", "kind": "Hoe"}],
                "required": [{"name": "beds.example.com", "version": "v1", "kind": "Bed"}]},
                "apiservicedefinitions": {"owned": [{"group": "g", "version": "v1", "kind": "K"}]}},
                "status": {"phase": "Failed"}}),
        );
        let mut copy = object(csv::KIND, "copied.v1.0.0", "garden", json!({}));
        copy["metadata"]["labels"] = json!({"olm.copiedFrom": "elsewhere"});
        let group = object(
            "OperatorGroup",
            "g",
            "garden",
            json!({"spec": {"serviceAccountName": "scoped", "upgradeStrategy": "TechPreviewUnsafeFailForward"}}),
        );
        let main = json!({"spec": {"image": "registry.example.com/index:v1", "priority": 7}});
        let catalogs = [
            object("CatalogSource", "main", "olm", main),
            object("CatalogSource", "own", "garden", json!({"spec": {}})),
            object("CatalogSource", "far", "elsewhere", json!({"spec": {}})),
        ];
        let mut objects = vec![csv, old, copy, group, subscription("rake", "garden")];
        objects.extend(catalogs);
        let state = observed(objects, None).unwrap();
        assert_eq!(
            (&*state.namespace, state.global_namespace.as_deref()),
            ("garden", Some("olm"))
        );
        assert_eq!(state.service_account.as_deref(), Some("scoped"));
        assert_eq!(state.upgrade_strategy, UpgradeStrategy::FailForward);
        let [rake] = &state.subscriptions[..] else {
            panic!("{:?}", state.subscriptions)
        };
        assert_eq!((&*rake.package, rake.channel.as_deref()), ("rake", Some("stable")));
        assert_eq!(rake.current_csv.as_deref(), Some("rake.v1.0.0"));
        assert_eq!(rake.install_plan_approval, Approval::Manual);
        let [csv, old] = &state.installed[..] else {
            panic!("{:?}", state.installed)
        };
        assert_eq!((csv.package.as_deref(), csv.properties.len()), (Some("rake"), 1));
        assert_eq!(csv.replaces.as_deref(), Some("rake.v0.9.0"));
        assert!(old.without_properties_annotation && old.phase == "Failed");
        assert_eq!((old.provides.len(), old.requires.len()), (2, 1));
        let catalogs: Vec<_> = state
            .catalogs
            .iter()
            .map(|catalog| (&*catalog.name, catalog.priority))
            .collect();
        assert_eq!(catalogs, [("main", 7), ("own", 0)]);
        assert_eq!(state.objects.len(), 8, "the objects stay");
    }

    #[test]
    fn the_what_if_file_takes_precedence() {
        let mut state = State {
            namespace: "garden".to_owned(),
            objects: vec![subscription("rake", "garden"), subscription("hoe", "elsewhere")],
            ..State::default()
        };
        state.subscriptions.push(Subscription {
            name: "rake".to_owned(),
            package: "other".to_owned(),
            ..Subscription::default()
        });
        observe(&mut state, None).unwrap();
        let error = observe(&mut state.clone(), Some("elsewhere")).unwrap_err().to_string();
        assert_eq!(error, "the what-if file describes the namespace garden, not elsewhere");
        let packages: Vec<&str> = state.subscriptions.iter().map(|to| &*to.package).collect();
        assert_eq!(packages, ["other"]);
        // Catalogs of other namespaces in a what-if file do not become global.
        let mut alone = State {
            namespace: "garden".to_owned(),
            ..State::default()
        };
        alone.subscriptions.push(Subscription {
            catalog_namespace: "olm".to_owned(),
            ..Subscription::default()
        });
        observe(&mut alone, None).unwrap();
        assert_eq!(alone.global_namespace, None);
    }

    #[test]
    fn global_catalogs_are_in_a_default_namespace_or_a_subscribed_one() {
        let catalog = |name: &str, namespace: &str| object("CatalogSource", name, namespace, json!({"spec": {}}));
        let global = |objects| observed(objects, Some("garden")).unwrap().global_namespace;
        let of = |name: &str| Some(name.to_owned());
        let all = || {
            vec![
                catalog("a", "dev"),
                catalog("b", "openshift-marketplace"),
                catalog("c", "garden"),
            ]
        };
        assert_eq!(global(all()), of("openshift-marketplace"));
        // `subscription` refers to a catalog in the namespace olm, which has no catalog.
        assert_eq!(
            global([all(), vec![subscription("rake", "garden")]].concat()),
            of("openshift-marketplace")
        );
        assert_eq!(
            global(vec![catalog("a", "dev"), subscription("rake", "garden")]),
            of("olm")
        );
        assert_eq!(global(vec![catalog("a", "dev")]), of("dev"));
        assert_eq!(global(vec![catalog("c", "garden")]), None);
        let state = observed(all(), Some("garden")).unwrap();
        assert_eq!(state.other_catalogs, [("dev".to_owned(), "a".to_owned())]);
        assert_eq!(state.catalogs.len(), 2);
    }

    #[test]
    fn a_pending_version_counts_as_installed_once_it_exists() {
        let stale = |versions: &[&str]| {
            let mut to = subscription("rake", "garden");
            to["status"]["currentCSV"] = json!("rake.v1.1.0");
            let versions = versions.iter().map(|name| object(csv::KIND, name, "garden", json!({})));
            let state = observed(versions.chain([to]).collect(), None).unwrap();
            state.subscriptions[0].installed_csv.clone().unwrap()
        };
        assert_eq!(stale(&["rake.v1.0.0"]), "rake.v1.0.0");
        assert_eq!(stale(&["rake.v1.0.0", "rake.v1.1.0"]), "rake.v1.1.0");
        let mut first = subscription("rake", "garden");
        first["status"] = json!({"currentCSV": "rake.v1.0.0"});
        let version = object(csv::KIND, "rake.v1.0.0", "garden", json!({}));
        let state = observed(vec![first, version], None).unwrap();
        assert_eq!(state.subscriptions[0].installed_csv.as_deref(), Some("rake.v1.0.0"));
    }

    #[test]
    fn the_one_namespace_with_an_operator_group_is_resolved() {
        let two = || vec![subscription("rake", "garden"), subscription("rake", "shed")];
        let error = observed(two(), None).unwrap_err().to_string();
        assert!(error.contains("in the namespaces garden, shed"), "{error}");
        assert_eq!(observed(two(), Some("shed")).unwrap().subscriptions.len(), 1);
        assert_eq!(observed(Vec::new(), None).unwrap().namespace, NAMESPACE);
        let group_in = |namespace: &str| object("OperatorGroup", "g", namespace, json!({"spec": {}}));
        let namespace = |objects| observed(objects, None).unwrap().namespace;
        assert_eq!(namespace(vec![group_in("shed")]), "shed");
        assert_eq!(namespace(vec![group_in("shed"), group_in("garden")]), NAMESPACE);
        assert_eq!(
            namespace(vec![group_in("shed"), subscription("rake", "garden")]),
            "garden"
        );
        let group = |name: &str| object("OperatorGroup", name, "operators", json!({"spec": {}}));
        assert!(observed(vec![group("a")], None).is_ok());
        // S57, S58: as proposed, an install then has its own account; released versions of OLM reject the namespace.
        for (objects, namespace, count) in [
            (vec![group("a")], "garden", 0),
            (vec![group("a"), group("b")], "operators", 2),
        ] {
            assert_eq!(refused_operator_groups(&objects, namespace), Some(count));
            let mut state = State {
                objects,
                ..State::default()
            };
            assert!(observe(&mut state.clone(), Some(namespace)).is_ok());
            let error = observe_with(&mut state, Some(namespace), OperatorGroups::Released).unwrap_err();
            let message = format!("expected 1 OperatorGroup in the namespace {namespace}, found {count}");
            assert_eq!(error.to_string(), message);
        }
        assert_eq!(refused_operator_groups(&[group("a")], "operators"), None);
        assert_eq!(refused_operator_groups(&[], "operators"), None);
    }
}
