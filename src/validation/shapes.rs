//! Whether an object has the shape of its type: what a reader in Go could not take in at all.

use super::MOST_OF_A_RULE;
use crate::text::{Path, kind_of};
use serde_json::Value;

/// The shape of a value. `null` and what is absent have every shape, and keys that are not listed may hold anything.
#[derive(Debug, Clone, Copy)]
enum Shape {
    Text,
    Boolean,
    Integer,
    /// A text or an integer.
    Port,
    /// A text or a number.
    Quantity,
    /// A text that a tolerant reader of versions takes.
    Version,
    List(&'static Shape),
    /// A map from any key.
    Map(&'static Shape),
    Object(&'static [(&'static str, Shape)]),
}

use Shape::{Boolean, Integer, List, Map, Object, Port, Quantity, Text, Version};

const TEXTS: Shape = List(&Text);
const TEXT_MAP: Shape = Map(&Text);

const METADATA: Shape = Object(&[
    ("name", Text),
    ("generateName", Text),
    ("namespace", Text),
    ("uid", Text),
    ("resourceVersion", Text),
    ("generation", Integer),
    ("creationTimestamp", Text),
    ("labels", TEXT_MAP),
    ("annotations", TEXT_MAP),
    ("finalizers", TEXTS),
    (
        "ownerReferences",
        List(&Object(&[("name", Text), ("kind", Text), ("uid", Text)])),
    ),
]);

const SELECTOR: Shape = Object(&[
    ("matchLabels", TEXT_MAP),
    (
        "matchExpressions",
        List(&Object(&[("key", Text), ("operator", Text), ("values", TEXTS)])),
    ),
]);

const DESCRIPTORS: Shape = List(&Object(&[
    ("path", Text),
    ("displayName", Text),
    ("description", Text),
    ("x-descriptors", TEXTS),
]));

const RESOURCES: Shape = List(&Object(&[("name", Text), ("kind", Text), ("version", Text)]));

const CRD_ENTRIES: Shape = List(&Object(&[
    ("name", Text),
    ("version", Text),
    ("kind", Text),
    ("displayName", Text),
    ("description", Text),
    ("resources", RESOURCES),
    ("statusDescriptors", DESCRIPTORS),
    ("specDescriptors", DESCRIPTORS),
    ("actionDescriptors", DESCRIPTORS),
]));

const API_SERVICE_ENTRIES: Shape = List(&Object(&[
    ("name", Text),
    ("group", Text),
    ("version", Text),
    ("kind", Text),
    ("deploymentName", Text),
    ("containerPort", Integer),
    ("displayName", Text),
    ("description", Text),
    ("resources", RESOURCES),
    ("statusDescriptors", DESCRIPTORS),
    ("specDescriptors", DESCRIPTORS),
    ("actionDescriptors", DESCRIPTORS),
]));

const WEBHOOKS: Shape = List(&Object(&[
    ("generateName", Text),
    ("type", Text),
    ("deploymentName", Text),
    ("containerPort", Integer),
    ("targetPort", Port),
    (
        "rules",
        List(&Object(&[
            ("operations", TEXTS),
            ("apiGroups", TEXTS),
            ("apiVersions", TEXTS),
            ("resources", TEXTS),
            ("scope", Text),
        ])),
    ),
    ("failurePolicy", Text),
    ("matchPolicy", Text),
    ("objectSelector", SELECTOR),
    ("sideEffects", Text),
    ("timeoutSeconds", Integer),
    ("admissionReviewVersions", TEXTS),
    ("reinvocationPolicy", Text),
    ("webhookPath", Text),
    ("conversionCRDs", TEXTS),
]));

const PERMISSIONS: Shape = List(&Object(&[
    ("serviceAccountName", Text),
    (
        "rules",
        List(&Object(&[
            ("apiGroups", TEXTS),
            ("resources", TEXTS),
            ("verbs", TEXTS),
            ("resourceNames", TEXTS),
            ("nonResourceURLs", TEXTS),
        ])),
    ),
]));

const CONTAINERS: Shape = List(&Object(&[
    ("name", Text),
    ("image", Text),
    ("imagePullPolicy", Text),
    ("command", TEXTS),
    ("args", TEXTS),
    ("workingDir", Text),
    ("env", List(&Object(&[("name", Text), ("value", Text)]))),
    (
        "ports",
        List(&Object(&[
            ("name", Text),
            ("containerPort", Integer),
            ("hostPort", Integer),
            ("protocol", Text),
        ])),
    ),
    (
        "resources",
        Object(&[("requests", Map(&Quantity)), ("limits", Map(&Quantity))]),
    ),
    (
        "volumeMounts",
        List(&Object(&[("name", Text), ("mountPath", Text), ("readOnly", Boolean)])),
    ),
]));

const POD: Shape = Object(&[
    ("containers", CONTAINERS),
    ("initContainers", CONTAINERS),
    ("serviceAccountName", Text),
    ("serviceAccount", Text),
    ("nodeSelector", TEXT_MAP),
    ("hostNetwork", Boolean),
    ("priorityClassName", Text),
    ("restartPolicy", Text),
    ("terminationGracePeriodSeconds", Integer),
    ("imagePullSecrets", List(&Object(&[("name", Text)]))),
    ("volumes", List(&Object(&[("name", Text)]))),
]);

const DEPLOYMENT: Shape = Object(&[
    ("replicas", Integer),
    ("selector", SELECTOR),
    ("revisionHistoryLimit", Integer),
    ("minReadySeconds", Integer),
    ("strategy", Object(&[("type", Text)])),
    ("template", Object(&[("metadata", METADATA), ("spec", POD)])),
]);

const CSV: Shape = Object(&[
    ("apiVersion", Text),
    ("kind", Text),
    ("metadata", METADATA),
    (
        "spec",
        Object(&[
            ("displayName", Text),
            ("description", Text),
            ("version", Version),
            ("release", Text),
            ("maturity", Text),
            ("minKubeVersion", Text),
            ("replaces", Text),
            ("skips", TEXTS),
            ("keywords", TEXTS),
            ("maintainers", List(&Object(&[("name", Text), ("email", Text)]))),
            ("provider", Object(&[("name", Text), ("url", Text)])),
            ("links", List(&Object(&[("name", Text), ("url", Text)]))),
            ("icon", List(&Object(&[("base64data", Text), ("mediatype", Text)]))),
            ("installModes", List(&Object(&[("type", Text), ("supported", Boolean)]))),
            ("labels", TEXT_MAP),
            ("annotations", TEXT_MAP),
            ("selector", SELECTOR),
            ("cleanup", Object(&[("enabled", Boolean)])),
            ("relatedImages", List(&Object(&[("name", Text), ("image", Text)]))),
            (
                "nativeAPIs",
                List(&Object(&[("group", Text), ("version", Text), ("kind", Text)])),
            ),
            (
                "customresourcedefinitions",
                Object(&[("owned", CRD_ENTRIES), ("required", CRD_ENTRIES)]),
            ),
            (
                "apiservicedefinitions",
                Object(&[("owned", API_SERVICE_ENTRIES), ("required", API_SERVICE_ENTRIES)]),
            ),
            ("webhookdefinitions", WEBHOOKS),
            (
                "install",
                Object(&[
                    ("strategy", Text),
                    (
                        "spec",
                        Object(&[
                            ("permissions", PERMISSIONS),
                            ("clusterPermissions", PERMISSIONS),
                            (
                                "deployments",
                                List(&Object(&[("name", Text), ("label", TEXT_MAP), ("spec", DEPLOYMENT)])),
                            ),
                        ]),
                    ),
                ]),
            ),
        ]),
    ),
]);

const COLUMNS: Shape = List(&Object(&[
    ("name", Text),
    ("type", Text),
    ("format", Text),
    ("description", Text),
    ("priority", Integer),
    ("jsonPath", Text),
    ("JSONPath", Text),
]));

const SUBRESOURCES: Shape = Object(&[
    ("status", Object(&[])),
    (
        "scale",
        Object(&[
            ("specReplicasPath", Text),
            ("statusReplicasPath", Text),
            ("labelSelectorPath", Text),
        ]),
    ),
]);

const SCHEMA: Shape = Object(&[("openAPIV3Schema", Object(&[("type", Text), ("description", Text)]))]);

const CRD: Shape = Object(&[
    ("metadata", METADATA),
    (
        "spec",
        Object(&[
            ("group", Text),
            ("version", Text),
            ("scope", Text),
            ("preserveUnknownFields", Boolean),
            (
                "names",
                Object(&[
                    ("plural", Text),
                    ("singular", Text),
                    ("kind", Text),
                    ("listKind", Text),
                    ("shortNames", TEXTS),
                    ("categories", TEXTS),
                ]),
            ),
            (
                "versions",
                List(&Object(&[
                    ("name", Text),
                    ("served", Boolean),
                    ("storage", Boolean),
                    ("deprecated", Boolean),
                    ("deprecationWarning", Text),
                    ("schema", SCHEMA),
                    ("subresources", SUBRESOURCES),
                    ("additionalPrinterColumns", COLUMNS),
                ])),
            ),
            ("validation", SCHEMA),
            ("subresources", SUBRESOURCES),
            ("additionalPrinterColumns", COLUMNS),
            ("conversion", Object(&[("strategy", Text)])),
        ]),
    ),
]);

/// A value that has not the shape of its type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Misfit {
    pub(super) path: Path,
    /// What it is to be, and what it is.
    pub(super) message: String,
}

/// What a reader of `ClusterServiceVersion`s cannot take in.
pub(super) fn of_csv(value: &Value) -> Vec<Misfit> {
    misfits(value, &CSV)
}

/// What a reader of `CustomResourceDefinition`s cannot take in.
pub(super) fn of_crd(value: &Value) -> Vec<Misfit> {
    misfits(value, &CRD)
}

fn misfits(value: &Value, shape: &Shape) -> Vec<Misfit> {
    let mut found = Vec::new();
    walk(value, shape, &Path::root(), &mut found);
    found
}

fn walk(value: &Value, shape: &Shape, path: &Path, found: &mut Vec<Misfit>) {
    if found.len() >= MOST_OF_A_RULE {
        return;
    }
    let wanted = match (shape, value) {
        (_, Value::Null)
        | (Boolean, Value::Bool(_))
        | (Text | Port | Quantity, Value::String(_))
        | (Quantity, Value::Number(_)) => return,
        (Integer | Port, Value::Number(number)) if number.is_i64() => return,
        (Version, Value::String(text)) => {
            if !text.is_empty() && crate::version::parse_tolerant(text).is_none() {
                let message = format!("{path} {text:?} is not a version such as 1.2.3");
                let path = path.clone();
                found.push(Misfit { path, message });
            }
            return;
        }
        (List(item), Value::Array(items)) => {
            for (index, value) in items.iter().enumerate() {
                walk(value, item, &path.index(index), found);
            }
            return;
        }
        (Map(item), Value::Object(map)) => {
            for (key, value) in map {
                walk(value, item, &path.key(key), found);
            }
            return;
        }
        (Object(fields), Value::Object(map)) => {
            for (key, shape) in *fields {
                if let Some(value) = map.get(*key) {
                    walk(value, shape, &path.key(key), found);
                }
            }
            return;
        }
        (Text | Version, _) => "a text",
        (Boolean, _) => "true or false",
        (Integer, _) => "a whole number",
        (Port, _) => "a port's number or name",
        (Quantity, _) => "a quantity",
        (List(_), _) => "a list",
        (Map(_) | Object(_), _) => "a map",
    };
    found.push(Misfit {
        path: path.clone(),
        message: format!("{path} must be {wanted}, not {}", kind_of(value)),
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn csv(spec: &Value) -> Vec<String> {
        let found = of_csv(&json!({"metadata": {"name": "a.v1.0.0"}, "spec": spec}));
        found.into_iter().map(|misfit| misfit.message).collect()
    }

    #[test]
    fn values_of_the_wrong_kind_are_named_with_their_path() {
        assert_eq!(csv(&json!({"skips": "a"})), ["spec.skips must be a list, not a text"]);
        assert_eq!(
            csv(&json!({"version": 1.2, "cleanup": {"enabled": "no"}})),
            [
                "spec.version must be a text, not a number",
                "spec.cleanup.enabled must be true or false, not a text"
            ]
        );
        assert_eq!(csv(&json!({"version": "0latest"})).len(), 1);
        assert_eq!(csv(&json!({"version": "v1.2", "skips": null, "unknown": 1})), [""; 0]);
    }

    #[test]
    fn ports_are_numbers_or_names_and_quantities_either() {
        let webhook = |port: Value| csv(&json!({"webhookdefinitions": [{"targetPort": port}]}));
        assert_eq!(webhook(json!("https")), [""; 0]);
        assert_eq!(webhook(json!(443)), [""; 0]);
        assert_eq!(webhook(json!(true)).len(), 1);
    }
}
