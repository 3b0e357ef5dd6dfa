//! Deployments and pods that the API server rejects, as objects of their own and in ClusterServiceVersions.

use crate::rule_examples::bundles::right_bundle;
use opmx::diagnostic::Diagnostic;
use opmx::text::{Path, Step};
use opmx::tree::{Tree, TreeLimits};
use opmx::validation::{Request, validate};
use serde_json::{Value, json};
use std::mem::discriminant;

/// The media type of a bundle, the file that contains its Deployment, and the path of the spec of the Deployment.
type Form = (&'static str, &'static str, &'static str);
const PLAIN: Form = ("k8s+v1", "manifests/deployment.yaml", "spec");
const REGISTRY: Form = (
    "registry+v1",
    "manifests/memcached-operator.clusterserviceversion.yaml",
    "spec.install.spec.deployments[0].spec",
);

/// Returns the spec of a Deployment that the API server accepts.
fn spec() -> Value {
    let container = json!({
        "name": "manager",
        "image": "registry.example.com/memcached-operator:1.0.0",
        "ports": [{"name": "https", "containerPort": 9443}],
        "env": [
            {"name": "LEVEL", "value": "info"},
            {"name": "POD", "value": "", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
        ],
        "volumeMounts": [{"name": "files", "mountPath": "/files"}, {"name": "scratch", "mountPath": "/scratch"}],
        "resources": {
            "requests": {"cpu": "100m", "memory": "64Mi", "ephemeral-storage": "1G"},
            "limits": {"cpu": 1, "memory": "128Mi", "ephemeral-storage": "1Gi"},
        },
        "livenessProbe": {"httpGet": {"path": "/", "port": "https"}, "periodSeconds": 0, "successThreshold": 1},
        "readinessProbe": {"exec": {"command": ["ready"]}, "successThreshold": 3},
        "startupProbe": {"tcpSocket": {"port": 9443}},
        "lifecycle": {"preStop": {"sleep": {"seconds": 5}}},
    });
    json!({
        "replicas": 0,
        "minReadySeconds": 0,
        "revisionHistoryLimit": 0,
        "progressDeadlineSeconds": 60,
        "strategy": {"type": "Recreate", "rollingUpdate": null},
        "selector": {"matchLabels": {"app": "memcached-operator"}},
        "template": {
            "metadata": {"labels": {"app": "memcached-operator"}},
            "spec": {
                "serviceAccountName": "memcached-operator",
                "restartPolicy": "Always",
                "affinity": {
                    "nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "preference": {}}]},
                    "podAffinity": {
                        "requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "kubernetes.io/hostname"}],
                    },
                    "podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [
                        {"weight": 100, "podAffinityTerm": {"topologyKey": "kubernetes.io/hostname"}},
                    ]},
                },
                "topologySpreadConstraints": [
                    {"maxSkew": 1, "topologyKey": "kubernetes.io/hostname", "whenUnsatisfiable": "DoNotSchedule",
                        "labelSelector": {"matchLabels": {"app": "memcached-operator"}}},
                ],
                "volumes": [
                    {"name": "files", "secret": {"secretName": "files"}, "emptyDir": null},
                    {"name": "scratch"},
                ],
                "initContainers": [{
                    "name": "copy",
                    "image": "registry.example.com/memcached-operator:1.0.0",
                    "volumeMounts": [{"name": "scratch", "mountPath": "/scratch"}],
                }],
                "containers": [container],
            },
        },
    })
}

/// Returns the findings about values and ports in a bundle with this spec.
fn found(form: Form, spec: &Value) -> Vec<Diagnostic> {
    let is_asked = |finding: &Diagnostic| ["object-field-value", "deployment-port"].contains(&finding.rule.id);
    findings(form, spec).into_iter().filter(is_asked).collect()
}

/// Returns all findings in a bundle with this spec.
fn findings((media_type, file, at): Form, spec: &Value) -> Vec<Diagnostic> {
    let mut files = right_bundle(media_type);
    let mut object: Value = serde_yaml::from_slice(&files[file]).unwrap();
    put(&mut object, at, spec.clone());
    files.insert(file.to_owned(), object.to_string().into_bytes());
    let mut tree = Tree::new("bundle");
    for (path, content) in files {
        tree.insert(&path, content, &TreeLimits::default()).unwrap();
    }
    let findings = validate(&tree, &Request::default()).findings.into_iter();
    findings.map(|finding| finding.diagnostic).collect()
}

/// Sets the value at a path.
fn put(value: &mut Value, path: &str, new: Value) {
    let path = Path::parse(path);
    let place = path.steps().iter().fold(value, |value, step| match step {
        Step::Key(key) => &mut value[&**key],
        Step::Index(index) => &mut value[index],
    });
    *place = new;
}

fn with(path: &str, value: Value) -> Value {
    let mut spec = spec();
    put(&mut spec, path, value);
    spec
}

/// A change that the API server rejects.
struct Case {
    /// The path of the value that changes, in the spec of the Deployment.
    path: String,
    value: Value,
    /// The path of the finding.
    at: String,
    message: &'static str,
    advice: &'static str,
}

impl Case {
    fn new(path: &str, value: Value, message: &'static str, advice: &'static str) -> Self {
        Self {
            path: path.to_owned(),
            value,
            at: path.to_owned(),
            message,
            advice,
        }
    }

    fn at(mut self, path: &str) -> Self {
        self.at = path.to_owned();
        self
    }

    fn inside(mut self, outer: &str) -> Self {
        self.path = format!("{outer}.{}", self.path);
        self.at = format!("{outer}.{}", self.at);
        self
    }
}

fn of_deployments() -> Vec<Case> {
    let new = Case::new;
    let least = |path| new(path, json!(-1), "is -1, but must be at least 0", "Use 0 or");
    vec![
        least("replicas"),
        least("minReadySeconds"),
        least("revisionHistoryLimit"),
        least("progressDeadlineSeconds"),
        new(
            "strategy.rollingUpdate",
            json!({}),
            "the strategy Recreate allows no rollingUpdate",
            "Remove rollingUpdate",
        ),
    ]
}

fn of_pods() -> Vec<Case> {
    let new = Case::new;
    vec![
        new(
            "restartPolicy",
            json!("Never"),
            "restartPolicy is Never, but a Deployment allows only Always",
            "Use Always",
        ),
        new(
            "volumes[0].emptyDir",
            json!({}),
            "a volume has more than one source: ",
            "separate volume",
        )
        .at("volumes[0]"),
        new(
            "volumes",
            json!([{"name": "files"}, {"name": "scratch"}, {"name": "files"}]),
            "two volumes are named \"files\"",
            "a different name",
        )
        .at("volumes[2].name"),
        new(
            "initContainers[0].name",
            json!("manager"),
            "two containers are named \"manager\"",
            "a different name",
        ),
        new(
            "initContainers[0].volumeMounts[0].name",
            json!("scrath"),
            "the pod has no such volume",
            "Use the name scratch.",
        ),
    ]
}

fn of_affinities() -> Vec<Case> {
    let new = Case::new;
    let key = |path, value| new(path, value, "has no topologyKey", "kubernetes.io/hostname");
    let weight = |path, value, message| new(path, value, message, "Use a number from 1 to 100.");
    vec![
        key(
            "podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey",
            json!(""),
        ),
        key(
            "podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey",
            Value::Null,
        ),
        key(
            "podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm",
            Value::Null,
        )
        .at("podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.topologyKey"),
        weight(
            "podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight",
            json!(101),
            "is 101, but must be between",
        ),
        weight(
            "nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight",
            Value::Null,
            "is 0, but must be between",
        ),
    ]
}

fn of_spread() -> Case {
    let selector = json!({"matchExpressions": [{"key": "app", "operator": "In"}]});
    let path = "topologySpreadConstraints[0].labelSelector";
    let case = Case::new(
        path,
        selector,
        "the operator In of a label selector needs values",
        "List values",
    );
    case.at("topologySpreadConstraints[0].labelSelector.matchExpressions[0].values")
}

/// The source of the second volume; the mode belongs to one of its files.
fn of_modes() -> Vec<Case> {
    let items = |mode: i64| json!([{"key": "a", "path": "a", "mode": mode}]);
    let new = |value, at: &str, message, advice| Case::new("volumes[1]", value, message, advice).at(at);
    vec![
        new(
            json!({"name": "scratch", "configMap": {"name": "a", "defaultMode": 644}}),
            "volumes[1].configMap.defaultMode",
            "the file mode 644 is not between 0 and 511",
            "Write 0644 for the octal number.",
        ),
        new(
            json!({"name": "scratch", "secret": {"secretName": "a", "items": items(-1)}}),
            "volumes[1].secret.items[0].mode",
            "the file mode -1 is not between",
            "Use a mode from 0 to 0777.",
        ),
        new(
            json!({"name": "scratch", "projected": {"sources": [{"configMap": {"name": "a", "items": items(512)}}]}}),
            "volumes[1].projected.sources[0].configMap.items[0].mode",
            "the file mode 512 is not between",
            "Write 0512",
        ),
    ]
}

fn of_containers() -> Vec<Case> {
    let new = Case::new;
    let name = |name, message, advice| new("name", name, message, advice);
    let request = |path, value| new(path, json!(value), "is above the limit of", "Lower the request");
    vec![
        new(
            "ports",
            json!([{"name": "https", "containerPort": 9443}, {"name": "https", "containerPort": 8443}]),
            "two ports of the container are named \"https\"",
            "a different name",
        )
        .at("ports[1].name"),
        name(
            json!("Manager"),
            "\"Manager\" is not a valid container name",
            "lowercase",
        ),
        name(json!("a.b"), "\"a.b\" is not a valid container name", "hyphens"),
        name(Value::Null, "a container has no name", "Add a name."),
        new(
            "volumeMounts[0].name",
            json!("fils"),
            "a volume named \"fils\" is mounted",
            "Use the name files.",
        ),
        new(
            "volumeMounts[0].name",
            json!("certificates"),
            "the pod has no such volume",
            "add the volume",
        ),
        new(
            "volumeMounts[1].mountPath",
            json!("/files"),
            "two volumes are mounted at \"/files\"",
            "a different path",
        ),
        request("resources.requests.cpu", "1001m"),
        request("resources.requests.memory", "129Mi"),
        request("resources.requests.ephemeral-storage", "2G"),
    ]
}

fn of_probes() -> Vec<Case> {
    let new = Case::new;
    let least = |path| new(path, json!(-1), "is -1, but must be at least 0", "Use 0 or");
    let no_handler = |path, value| new(path, value, "has no handler", "Add one of httpGet, tcpSocket, exec, ");
    let once = |path| new(path, json!(2), "successThreshold is 2", "Use 1");
    vec![
        new(
            "livenessProbe.exec",
            json!({"command": ["alive"]}),
            "livenessProbe has more than one handler: httpGet, exec",
            "Keep one of them.",
        )
        .at("livenessProbe"),
        new(
            "lifecycle.postStart",
            json!({"exec": {"command": ["start"]}, "sleep": {"seconds": 1}}),
            "postStart has more than one handler: exec, sleep",
            "Keep one of them.",
        ),
        no_handler("startupProbe", json!({"periodSeconds": 5})),
        no_handler("readinessProbe", json!({"httpGet": null})),
        // Only hooks can sleep.
        no_handler("readinessProbe", json!({"sleep": {"seconds": 1}})),
        no_handler("lifecycle.preStop", json!({})),
        once("livenessProbe.successThreshold"),
        once("startupProbe.successThreshold"),
        least("livenessProbe.initialDelaySeconds"),
        least("livenessProbe.periodSeconds"),
        least("readinessProbe.timeoutSeconds"),
        least("readinessProbe.successThreshold"),
        least("startupProbe.successThreshold"),
        least("startupProbe.failureThreshold"),
        new(
            "livenessProbe.terminationGracePeriodSeconds",
            json!(0),
            "must be at least 1",
            "Use 1 or",
        ),
    ]
}

fn of_environments() -> Vec<Case> {
    let new = Case::new;
    let field = |path: &str, advice| {
        let place = "env[1].valueFrom.fieldRef.fieldPath";
        new(place, json!(path), "is not a pod field", advice)
    };
    let secret = json!({"name": "login", "key": "password"});
    vec![
        new("env[0].name", json!(""), "has no name", "Add a name."),
        new("env[0].name", Value::Null, "has no name", "Add a name."),
        new(
            "env[0].name",
            json!("A=B"),
            "not a valid name of an",
            "Use letters, digits",
        ),
        new(
            "env[0].name",
            json!("Ä"),
            "not a valid name of an",
            "Use letters, digits",
        ),
        new(
            "env[0].valueFrom",
            json!({"secretKeyRef": secret}),
            "\"LEVEL\" is set in addition to value",
            "Remove value or",
        ),
        new(
            "env[1].valueFrom",
            json!({}),
            "\"POD\" has no source",
            "Add one of fieldRef, ",
        ),
        new(
            "env[1].valueFrom.secretKeyRef",
            secret,
            "\"POD\" has more than one source: fieldRef, secretKeyRef",
            "Keep one of them.",
        )
        .at("env[1].valueFrom"),
        field("metadata.nmae", "Did you mean metadata.name?"),
        field("status.phase", "Use metadata.name, "),
        field("metadata.labels", "Add the key, as in metadata.labels['"),
        field("metadata.annotations", "Add the key, as in metadata.annotations['"),
        field("metadata.labels['a b']", "or a key of metadata.labels"),
        field("metadata.labels['']", "or a key of metadata.labels"),
        field("spec.nodeName['a']", "Use "),
    ]
}

fn cases() -> Vec<Case> {
    let pod = "template.spec";
    let container = "template.spec.containers[0]";
    let mut cases = of_deployments();
    let affinities = of_affinities().into_iter().map(|case| case.inside("affinity"));
    let of_pod = of_pods()
        .into_iter()
        .chain(of_modes())
        .chain(affinities)
        .chain([of_spread()]);
    cases.extend(of_pod.map(|case| case.inside(pod)));
    let inner = [of_containers(), of_probes(), of_environments()];
    cases.extend(inner.into_iter().flatten().map(|case| case.inside(container)));
    cases
}

#[test]
fn what_the_api_server_rejects_is_reported_at_its_place() {
    let mut problems = Vec::new();
    for form in [PLAIN, REGISTRY] {
        assert_eq!(found(form, &spec()), []);
        for case in cases() {
            let findings = found(form, &with(&case.path, case.value.clone()));
            let at = format!("{}.{}", form.2, case.at);
            let is_right = |finding: &Diagnostic| {
                finding.rule.id == "object-field-value"
                    && finding.is_error()
                    && finding.path.as_deref() == Some(&*at)
                    && finding.place.is_some()
                    && finding.message.contains(case.message)
                    && finding.advice().contains(case.advice)
            };
            if findings.len() != 1 || !findings.iter().all(is_right) {
                problems.push(format!("{at}, {}: {}: {findings:#?}", case.value, case.message));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn labels_and_annotations_of_pods_are_checked_like_those_of_objects() {
    for (form, (path, value, message)) in [PLAIN, REGISTRY].into_iter().flat_map(|form| {
        let labels = "template.metadata.labels";
        let all = [
            (
                labels,
                json!({"app": "memcached-operator", "v": "1.0.0+git1"}),
                "\"1.0.0+git1\" is not a valid label value",
            ),
            (
                labels,
                json!({"app": "memcached-operator", "x y": "a"}),
                "\"x y\" is not a valid label key",
            ),
            (
                "template.metadata.annotations",
                json!({"a b": ""}),
                "\"a b\" is not a valid annotation key",
            ),
            (
                "selector.matchLabels",
                json!({"app": "a".repeat(64)}),
                "is not a valid label value",
            ),
        ];
        all.map(|case| (form, case))
    }) {
        let findings = findings(form, &with(path, value));
        let of_metadata: Vec<_> = findings
            .iter()
            .filter(|finding| finding.rule.id == "content-metadata")
            .collect();
        let [finding] = &of_metadata[..] else {
            panic!("{path}: {findings:#?}");
        };
        assert!(finding.is_error() && finding.place.is_some(), "{finding}");
        assert!(finding.message.contains(message), "{finding}");
        assert!(
            finding
                .path
                .as_ref()
                .unwrap()
                .starts_with(&format!("{}.{path}", form.2)),
            "{finding}"
        );
    }
}

#[test]
fn what_the_api_server_accepts_is_not_reported() {
    let container = "template.spec.containers[0]";
    let field = format!("{container}.env[1].valueFrom.fieldRef.fieldPath");
    let mount = format!("{container}.volumeMounts[0]");
    for (path, value) in [
        (&*field, json!("metadata.annotations['olm.targetNamespaces']")),
        (&*field, json!("metadata.annotations['Example.com/Key']")),
        (&*field, json!("metadata.labels['app.kubernetes.io/name']")),
        (&*field, json!("spec.host")),
        (&*field, json!("status.podIPs")),
        // OLM adds these volumes, and replaces the mounts at its paths.
        (&*mount, json!({"name": "webhook-cert", "mountPath": "/certs"})),
        (
            &*mount,
            json!({"name": "gone", "mountPath": "/tmp/k8s-webhook-server/serving-certs"}),
        ),
        (&format!("{container}.resources.requests.cpu"), json!("1000m")),
        (&format!("{container}.livenessProbe.successThreshold"), json!(0)),
        (&format!("{container}.livenessProbe"), Value::Null),
        ("template.spec.volumes[0].secret.defaultMode", json!(0o777)),
        // The field is unknown, so the API server drops it.
        ("template.spec.volumes[0].configmap", json!({"name": "files"})),
        // The API server stores a negative grace period, and nodes treat it like 1.
        ("template.spec.terminationGracePeriodSeconds", json!(-1)),
        ("template.spec.initContainers", Value::Null),
    ] {
        assert_eq!(found(PLAIN, &with(path, value.clone())), [], "{path}: {value}");
        assert_eq!(found(REGISTRY, &with(path, value.clone())), [], "{path}: {value}");
    }
}

/// Collects the paths of all values, except `null`.
fn paths(value: &Value, path: &Path, all: &mut Vec<Path>) {
    match value {
        Value::Null => return,
        Value::Object(map) => map.iter().for_each(|(key, item)| paths(item, &path.key(key), all)),
        Value::Array(items) => {
            let items = items.iter().enumerate();
            items.for_each(|(index, item)| paths(item, &path.index(index), all));
        }
        _ => {}
    }
    all.push(path.clone());
}

#[test]
fn a_value_of_the_wrong_type_is_not_also_an_invalid_value() {
    let spec = spec();
    let mut all = Vec::new();
    paths(&spec, &Path::root(), &mut all);
    let others = [
        json!(true),
        json!(-7),
        json!("\u{fc}.v"),
        json!([7, "x"]),
        json!({"x": 7}),
    ];
    for path in &all {
        for other in &others {
            if discriminant(other) == discriminant(path.get(&spec).unwrap()) {
                continue;
            }
            let at = format!("{}.{path}", REGISTRY.2);
            let findings = found(REGISTRY, &with(&path.to_string(), other.clone()));
            let is_about_it = |finding: &&Diagnostic| {
                finding.rule.id == "object-field-value" && finding.path.as_deref() == Some(at.trim_end_matches('.'))
            };
            assert_eq!(findings.iter().find(is_about_it), None, "{at}: {other}");
        }
    }
}
