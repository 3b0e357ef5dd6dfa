//! Fields that the API server and OLM set in addition to the manifest of an object.

use super::component::Component;
use crate::csv;
use crate::kubernetes::builtin;
use serde_json::{Value, json};

/// A field that is set automatically to this value, or to any value if the value is `None`. Fields of pods, containers
/// and probes are listed under the kind `Pod`, `Container` or `Probe`, because several kinds contain them. `[]` is any
/// item of a list.
type Row = (&'static str, &'static str, Option<&'static str>);

const FIELDS: [Row; 51] = [
    ("Secret", "type", Some("\"Opaque\"")),
    ("Deployment", "spec.progressDeadlineSeconds", Some("600")),
    ("Deployment", "spec.replicas", Some("1")),
    ("Deployment", "spec.revisionHistoryLimit", None),
    ("Deployment", "spec.strategy.type", Some("\"RollingUpdate\"")),
    ("Deployment", "spec.strategy.rollingUpdate.maxSurge", Some("\"25%\"")),
    (
        "Deployment",
        "spec.strategy.rollingUpdate.maxUnavailable",
        Some("\"25%\""),
    ),
    ("Pod", "dnsPolicy", Some("\"ClusterFirst\"")),
    ("Pod", "enableServiceLinks", Some("true")),
    ("Pod", "restartPolicy", Some("\"Always\"")),
    ("Pod", "schedulerName", Some("\"default-scheduler\"")),
    ("Pod", "serviceAccount", None),
    ("Pod", "terminationGracePeriodSeconds", Some("30")),
    ("Pod", "volumes[].configMap.defaultMode", Some("420")),
    ("Pod", "volumes[].downwardAPI.defaultMode", Some("420")),
    ("Pod", "volumes[].hostPath.type", Some("\"\"")),
    ("Pod", "volumes[].projected.defaultMode", Some("420")),
    (
        "Pod",
        "volumes[].projected.sources[].serviceAccountToken.expirationSeconds",
        Some("3600"),
    ),
    ("Pod", "volumes[].secret.defaultMode", Some("420")),
    ("Container", "imagePullPolicy", None),
    ("Container", "ports[].protocol", Some("\"TCP\"")),
    ("Container", "env[].valueFrom.fieldRef.apiVersion", Some("\"v1\"")),
    ("Container", "env[].valueFrom.resourceFieldRef.divisor", Some("\"0\"")),
    ("Container", "lifecycle.postStart.httpGet.scheme", Some("\"HTTP\"")),
    ("Container", "lifecycle.preStop.httpGet.scheme", Some("\"HTTP\"")),
    ("Container", "terminationMessagePath", Some("\"/dev/termination-log\"")),
    ("Container", "terminationMessagePolicy", Some("\"File\"")),
    ("Probe", "failureThreshold", Some("3")),
    ("Probe", "grpc.service", Some("\"\"")),
    ("Probe", "httpGet.scheme", Some("\"HTTP\"")),
    ("Probe", "periodSeconds", Some("10")),
    ("Probe", "successThreshold", Some("1")),
    ("Probe", "timeoutSeconds", Some("1")),
    ("Service", "spec.allocateLoadBalancerNodePorts", Some("true")),
    ("Service", "spec.clusterIP", None),
    ("Service", "spec.clusterIPs", None),
    ("Service", "spec.externalTrafficPolicy", Some("\"Cluster\"")),
    ("Service", "spec.internalTrafficPolicy", Some("\"Cluster\"")),
    ("Service", "spec.ipFamilies", None),
    ("Service", "spec.ipFamilyPolicy", None),
    ("Service", "spec.ports[].nodePort", None),
    ("Service", "spec.ports[].protocol", Some("\"TCP\"")),
    ("Service", "spec.ports[].targetPort", None),
    ("Service", "spec.sessionAffinity", Some("\"None\"")),
    ("Service", "spec.type", Some("\"ClusterIP\"")),
    ("ServiceAccount", "secrets", None),
    ("ServiceAccount", "imagePullSecrets", None),
    ("PriorityClass", "preemptionPolicy", Some("\"PreemptLowerPriority\"")),
    ("NetworkPolicy", "spec.policyTypes", None),
    ("CustomResourceDefinition", "spec.names.listKind", None),
    ("CustomResourceDefinition", "spec.names.singular", None),
];

/// Fields that OLM sets regardless of the manifest: in a CustomResourceDefinition, the conversion between versions; in
/// a ClusterServiceVersion, the replaced version and the cleanup settings.
const OF_OLM: [(&str, &str); 5] = [
    ("CustomResourceDefinition", "spec.conversion.webhook.clientConfig"),
    ("CustomResourceDefinition", "spec.conversion.strategy"),
    ("CustomResourceDefinition", "spec.preserveUnknownFields"),
    (csv::KIND, "spec.cleanup"),
    (csv::KIND, "spec.replaces"),
];

/// The list items, by name, that OLM adds to the containers and volumes of a Deployment.
const ITEMS: [(&str, &str); 5] = [
    ("env[]", "OPERATOR_CONDITION_NAME"),
    ("volumeMounts[]", "apiservice-cert"),
    ("volumeMounts[]", "webhook-cert"),
    ("volumes[]", "apiservice-cert"),
    ("volumes[]", "webhook-cert"),
];

/// Whether a label or annotation key belongs to OLM or the API server.
pub(super) fn is_own_key(key: &str) -> bool {
    let prefix = key.split_once('/').map_or("", |(prefix, _)| prefix);
    key.starts_with("olm.")
        || [
            "operators.coreos.com",
            "operatorframework.io",
            "kubernetes.io",
            "k8s.io",
        ]
        .iter()
        .any(|own| prefix == *own || prefix.strip_suffix(own).is_some_and(|rest| rest.ends_with('.')))
            && prefix != "app.kubernetes.io"
}

/// The related objects that influence the fields of an object.
#[derive(Debug, Clone, Copy)]
pub(super) struct Surroundings<'a> {
    /// The ClusterServiceVersion in the cluster that the object belongs to. OLM copies its annotations to the pods.
    pub(super) csv: Option<Component<'a>>,
}

impl Surroundings<'_> {
    /// Whether the API server or OLM can set a field to `value`, although the manifest does not.
    pub(super) fn is_filled_in(self, group: &str, kind: &str, path: &str, value: &Value) -> bool {
        // The defaults of custom resources are unknown.
        if builtin::find_kind(group, kind).is_none() && kind != csv::KIND {
            return true;
        }
        let (kind, path) = rooted(kind, path);
        let is_default = FIELDS.iter().any(|(of, field, default)| {
            let same =
                || default.is_none_or(|default| serde_json::from_str(default).is_ok_and(|is: Value| is == *value));
            *of == kind && *field == path && same()
        });
        is_default || self.is_annotation_of_version(path, value)
    }

    /// Whether OLM sets a field regardless of the manifest.
    pub(super) fn is_of_olm(kind: &str, path: &str) -> bool {
        OF_OLM.contains(&(kind, path))
    }

    /// Whether OLM adds an item with this name to a list.
    pub(super) fn is_added_item(kind: &str, path: &str, name: &str) -> bool {
        let (_, path) = rooted(kind, path);
        ITEMS.iter().any(|(list, item)| ends_with(path, list) && *item == name)
    }

    fn is_annotation_of_version(self, path: &str, value: &Value) -> bool {
        let Some(key) = path.strip_prefix("spec.template.metadata.annotations.") else {
            return false;
        };
        let annotations = self.csv.and_then(|csv| csv.get("/metadata/annotations")?.as_object());
        annotations.is_some_and(|annotations| annotations.get(key) == Some(value))
    }
}

fn ends_with(path: &str, last: &str) -> bool {
    path == last || path.strip_suffix(last).is_some_and(|rest| rest.ends_with('.'))
}

/// Returns the kind under which [`FIELDS`] lists a field, and the path of the field below this kind.
fn rooted<'k, 'p>(kind: &'k str, path: &'p str) -> (&'k str, &'p str) {
    let Some(of_pod) = path.strip_prefix("spec.template.spec.") else {
        return (kind, path);
    };
    let containers = ["containers[].", "initContainers[]."];
    let Some(of_container) = containers.iter().find_map(|start| of_pod.strip_prefix(start)) else {
        return ("Pod", of_pod);
    };
    let probes = ["livenessProbe.", "readinessProbe.", "startupProbe."];
    match probes.iter().find_map(|start| of_container.strip_prefix(start)) {
        Some(of_probe) => ("Probe", of_probe),
        None => ("Container", of_container),
    }
}

/// Returns an object in the form in which it is compared: the strings of a Secret are encoded as in a cluster.
pub(super) fn stored(kind: &str, mut object: Value) -> Value {
    use base64::Engine;
    let texts = object.as_object_mut().and_then(|map| map.shift_remove("stringData"));
    if let (true, Some(Value::Object(texts))) = (kind == "Secret", texts) {
        for (key, text) in texts {
            let encoded = base64::engine::general_purpose::STANDARD.encode(text.as_str().unwrap_or_default());
            if object.get("data").is_none_or(Value::is_null) {
                object["data"] = json!({});
            }
            object["data"][key] = encoded.into();
        }
    }
    object
}
