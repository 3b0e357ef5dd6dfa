//! The versions of OpenShift that installed operators support. While an operator is installed that does not support the
//! next minor version, OLM reports that the cluster cannot be upgraded to it.

use super::state::State;
use crate::csv::{self, Csv};
use crate::olm::annotation::PROPERTIES;
use crate::olm::openshift::max_version;
use crate::olm::property::Property;
use crate::version::parse_tolerant;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// The last version of OpenShift that an installed operator supports.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OpenShiftLimit {
    /// The major and minor version, such as `4.15`; `None` if OLM cannot read it, which blocks every upgrade to another
    /// minor version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_version: Option<String>,
    /// Whether the operator blocks the upgrade of the cluster to the next minor version; `None` if this is unknown,
    /// because the version of the cluster is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocks_upgrade: Option<bool>,
    /// What the operator blocks, in words; `None` if it does not block the upgrade.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// The properties annotation of a ClusterServiceVersion.
#[derive(Deserialize)]
struct Annotation {
    #[serde(default)]
    properties: Vec<Property>,
}

/// Returns the next minor version of the OpenShift cluster that objects belong to, if they contain its version.
pub(crate) fn next_version(objects: &[Value]) -> Option<(u64, u64)> {
    let mut versions = objects.iter().filter(|object| {
        let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        text("/kind") == "ClusterVersion" && text("/apiVersion").starts_with("config.openshift.io/")
    });
    let desired = versions.find_map(|version| version.pointer("/status/desired/version")?.as_str());
    let desired = parse_tolerant(desired?)?;
    Some((desired.major, desired.minor.saturating_add(1)))
}

/// Returns the limit that a ClusterServiceVersion sets. `next` is the next minor version of the cluster, if known.
pub(crate) fn limit_of(csv: Csv<'_>, next: Option<(u64, u64)>) -> Option<OpenShiftLimit> {
    let annotation = csv.text(&["metadata", "annotations", PROPERTIES]);
    if annotation.is_empty() {
        return None;
    }
    let read: Result<Annotation, _> = serde_json::from_str(annotation);
    match read {
        Ok(Annotation { properties }) => limit(csv.name(), &properties, next),
        Err(_) => Some(unreadable(
            csv.name(),
            &format!("its annotation {PROPERTIES} cannot be read"),
        )),
    }
}

fn limit(operator: &str, properties: &[Property], next: Option<(u64, u64)>) -> Option<OpenShiftLimit> {
    let (major, minor) = match max_version(properties) {
        Ok(max) => max?,
        Err(problem) => return Some(unreadable(operator, &problem)),
    };
    let max = format!("{major}.{minor}");
    let is_blocked = next.map(|next| (major, minor) < next);
    let message = match (is_blocked, next) {
        (Some(true), Some((major, minor))) => Some(format!(
            "the cluster cannot be upgraded to OpenShift {major}.{minor} while {operator} is installed, which supports \
             OpenShift only up to {max}"
        )),
        (None, _) => Some(format!(
            "an OpenShift cluster cannot be upgraded beyond {max} while {operator} is installed, which supports \
             OpenShift only up to {max}"
        )),
        _ => None,
    };
    Some(OpenShiftLimit {
        max_version: Some(max),
        blocks_upgrade: is_blocked,
        message,
    })
}

fn unreadable(operator: &str, problem: &str) -> OpenShiftLimit {
    OpenShiftLimit {
        max_version: None,
        blocks_upgrade: Some(true),
        message: Some(format!(
            "an OpenShift cluster cannot be upgraded to another minor version while {operator} is installed, because \
             {problem}"
        )),
    }
}

/// Returns the limits of the installed operators of a state, by their namespaces and names.
pub(super) fn limits_in(state: &State) -> BTreeMap<(String, String), OpenShiftLimit> {
    let next = next_version(&state.objects);
    let named = state.installed.iter().filter_map(|installed| {
        let limit = limit(&installed.name, &installed.properties, next)?;
        Some(((state.namespace.clone(), installed.name.clone()), limit))
    });
    let objects = state
        .objects
        .iter()
        .map(Csv)
        .filter(|csv| csv.text(&["kind"]) == csv::KIND && !csv.is_copied());
    let objects = objects.filter_map(|csv| {
        let namespace = csv.text(&["metadata", "namespace"]);
        Some(((namespace.to_owned(), csv.name().to_owned()), limit_of(csv, next)?))
    });
    named.chain(objects).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn csv(properties: &Value) -> Value {
        json!({"apiVersion": csv::API_VERSION, "kind": csv::KIND, "metadata": {"name": "rake.v1", "namespace": "garden",
            "annotations": {PROPERTIES: json!({"properties": properties}).to_string()}}})
    }

    fn limited(value: &Value) -> Value {
        csv(&json!([{"type": "olm.maxOpenShiftVersion", "value": value}]))
    }

    fn found(csv: &Value, cluster: Option<&str>) -> Option<OpenShiftLimit> {
        let cluster = cluster.map(|version| {
            json!({"apiVersion": "config.openshift.io/v1", "kind": "ClusterVersion", "metadata": {"name": "version"},
                "status": {"desired": {"version": version}}})
        });
        limit_of(Csv(csv), next_version(cluster.as_slice()))
    }

    #[test]
    fn an_operator_blocks_the_upgrade_to_a_version_that_it_does_not_support() {
        let blocks = |max: &str, cluster: &str| found(&limited(&json!(max)), Some(cluster)).unwrap().blocks_upgrade;
        assert_eq!(blocks("4.15", "4.15.3"), Some(true));
        assert_eq!(blocks("4.14", "4.15.3"), Some(true));
        assert_eq!(blocks("4.16", "4.15.3"), Some(false));
        assert_eq!(blocks("4.15", "4.14.0-rc.1"), Some(false));
        assert_eq!(found(&csv(&json!([])), Some("4.15.3")), None);
        let expected = "the cluster cannot be upgraded to OpenShift 4.16 while rake.v1 is installed, which supports \
                        OpenShift only up to 4.15";
        assert_eq!(
            found(&limited(&json!("4.15")), Some("4.15.3"))
                .unwrap()
                .message
                .unwrap(),
            expected
        );
        assert_eq!(found(&limited(&json!("4.16")), Some("4.15.3")).unwrap().message, None);
    }

    #[test]
    fn without_the_version_of_the_cluster_the_limit_is_reported() {
        let limit = found(&limited(&json!("4.15")), None).unwrap();
        assert_eq!(
            (limit.max_version.as_deref(), limit.blocks_upgrade),
            (Some("4.15"), None)
        );
        assert!(limit.message.unwrap().contains("cannot be upgraded beyond 4.15"));
    }

    #[test]
    fn a_limit_that_olm_cannot_read_blocks_every_upgrade() {
        let mut annotated = limited(&json!("4.15"));
        annotated["metadata"]["annotations"][PROPERTIES] = json!("[");
        let twice = json!([{"type": "olm.maxOpenShiftVersion", "value": "4.15"},
            {"type": "olm.maxOpenShiftVersion", "value": "4.15"}]);
        for (csv, problem) in [
            (limited(&json!("4.x")), "is \"4.x\", which is not a version"),
            (limited(&json!("4.15.1")), "must consist of a major and a minor version"),
            (limited(&json!("")), "is empty"),
            (csv(&twice), "occurs more than once"),
            (annotated, "cannot be read"),
        ] {
            let limit = found(&csv, Some("4.10.0")).unwrap();
            assert_eq!((limit.max_version, limit.blocks_upgrade), (None, Some(true)));
            let message = limit.message.unwrap();
            assert!(message.contains(problem), "{message}");
        }
    }

    #[test]
    fn copies_of_a_version_set_no_limit() {
        let mut copy = limited(&json!("4.15"));
        copy["metadata"]["namespace"] = json!("elsewhere");
        copy["metadata"]["labels"] = json!({"olm.copiedFrom": "garden"});
        let state = State {
            objects: vec![limited(&json!("4.15")), copy],
            ..State::default()
        };
        let limits = limits_in(&state);
        assert_eq!(
            limits.keys().map(|(namespace, _)| &**namespace).collect::<Vec<_>>(),
            ["garden"]
        );
    }
}
