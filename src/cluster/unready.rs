//! CatalogSources of a cluster that OLM cannot read.

use super::State;
use super::observed::is_olm_object;
use crate::csv::Csv;
use serde_json::Value;

/// A CatalogSource that OLM cannot read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadyCatalog {
    /// The namespace.
    pub namespace: String,
    /// The name.
    pub name: String,
    /// `status.connectionState.lastObservedState`, such as `TRANSIENT_FAILURE`, or `status.reason`.
    pub state: String,
    /// `status.message`; may be empty.
    pub message: String,
}

/// The states of connections in which OLM can read a catalog. It opens an idle connection again.
const READY: [&str; 2] = ["READY", "IDLE"];

/// Returns the catalogs that OLM uses in the namespace of a state, but cannot read according to their status. A
/// CatalogSource without a status was not observed in a cluster.
pub fn unready_catalogs(state: &State) -> Vec<UnreadyCatalog> {
    let views = state
        .objects
        .iter()
        .filter(|object| is_olm_object(object, "CatalogSource"));
    let unready = views.filter_map(|object| {
        let view = Csv(object);
        let (namespace, name) = (view.text(&["metadata", "namespace"]), view.name());
        let is_it = |namespace_of: &str, name_of: &str| (namespace_of, name_of) == (namespace, name);
        let mut used = state.catalogs.iter();
        let is_used = used.any(|catalog| is_it(&catalog.namespace, &catalog.name))
            && (namespace == state.namespace || !state.exclude_global_catalogs);
        if !is_used || !view.get(&["status"]).is_some_and(Value::is_object) {
            return None;
        }
        let connection = view.text(&["status", "connectionState", "lastObservedState"]);
        let problem = match (view.text(&["status", "reason"]), connection) {
            ("", "") => "no connection",
            ("", state) if READY.contains(&state) => return None,
            ("", state) => state,
            (reason, _) => reason,
        };
        Some(UnreadyCatalog {
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            state: problem.to_owned(),
            message: view.text(&["status", "message"]).to_owned(),
        })
    });
    unready.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::state::CatalogSource;
    use serde_json::json;

    /// Returns the problem of the catalog olm/main with this status, if it has one.
    fn problem(status: &Value, change: impl Fn(&mut State)) -> Option<String> {
        let catalog = json!({"apiVersion": "operators.coreos.com/v1alpha1", "kind": "CatalogSource",
            "metadata": {"name": "main", "namespace": "olm"}, "status": status});
        let mut state = State {
            namespace: "garden".to_owned(),
            catalogs: vec![CatalogSource {
                name: "main".to_owned(),
                namespace: "olm".to_owned(),
                ..CatalogSource::default()
            }],
            objects: vec![catalog],
            ..State::default()
        };
        change(&mut state);
        unready_catalogs(&state).pop().map(|catalog| catalog.state)
    }

    #[test]
    fn catalogs_with_a_connection_that_is_not_ready_or_with_an_error_are_unready() {
        let connected = |state: &str| json!({"connectionState": {"lastObservedState": state}});
        let of = |status: &Value| problem(status, |_| {});
        for ready in ["READY", "IDLE"] {
            assert_eq!(of(&connected(ready)), None);
        }
        for state in ["TRANSIENT_FAILURE", "CONNECTING", "SHUTDOWN"] {
            assert_eq!(of(&connected(state)).as_deref(), Some(state));
        }
        assert_eq!(of(&json!({})).as_deref(), Some("no connection"));
        assert_eq!(of(&Value::Null), None, "not observed");
        let mut invalid = connected("READY");
        invalid["reason"] = json!("SpecInvalidError");
        assert_eq!(of(&invalid).as_deref(), Some("SpecInvalidError"));
    }

    #[test]
    fn catalogs_that_olm_does_not_use_in_the_namespace_are_not_unready() {
        let status = json!({"connectionState": {"lastObservedState": "TRANSIENT_FAILURE"}});
        assert_eq!(problem(&status, |state| state.exclude_global_catalogs = true), None);
        assert_eq!(problem(&status, |state| state.catalogs.clear()), None);
    }
}
