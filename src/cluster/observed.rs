//! Converts the OLM objects of a dump into the content of a what-if file.

mod convert;
mod waits;

pub(crate) use waits::{Wait, waits_in};

use super::State;
use super::state::{CatalogSource, FAIL_FORWARD, NAMESPACE, UpgradeStrategy};
use super::unfinished::with_unfinished_plan;
use crate::csv::{self, Csv};
use convert::{catalog, installed, subscription, with_current_version};
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

/// Whether dumps contain Subscriptions but no OperatorGroup, so that one is assumed to exist in every namespace.
pub fn assumes_operator_group(objects: &[Value]) -> bool {
    let has = |kind| Objects(objects).of_kind(kind).next().is_some();
    has("Subscription") && !has("OperatorGroup")
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
        self.0.iter().filter(move |object| is_olm_object(object, kind)).map(Csv)
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

/// Whether an object has this kind of OLM.
pub(super) fn is_olm_object(object: &Value, kind: &str) -> bool {
    let view = Csv(object);
    view.text(&["kind"]) == kind && view.text(&["apiVersion"]).starts_with(csv::GROUP)
}

/// Returns the namespace of an object.
fn home(view: Csv<'_>) -> &str {
    view.text(&["metadata", "namespace"])
}

#[cfg(test)]
mod tests;
