use super::*;
use crate::steps::tests::content;
use crate::steps::tests::{csv, object};

/// A version with a Deployment, a Service, a Secret and a definition.
fn resolved() -> Content {
    let mut csv = csv("memo.v1");
    csv["metadata"]["annotations"] = json!({"createdAt": "today"});
    csv["spec"]["install"]["spec"]["deployments"] = json!([{"name": "memo", "label": {"app": "memo"}, "spec": {
    "selector": {"matchLabels": {"app": "memo"}},
    "template": {"metadata": {"labels": {"app": "memo"}}, "spec": {"serviceAccountName": "sa", "containers": [{
        "name": "memo", "image": "registry.example.com/memo:1", "env": [{"name": "A", "value": "1"}, {"name": "B"}],
        "resources": {"limits": {"cpu": "1000m"}},
        "readinessProbe": {"httpGet": {"path": "/", "port": 80}, "initialDelaySeconds": 0},
    }]}}}}]);
    let mut service = object("v1", "Service", "memo");
    service["spec"] = json!({"selector": {"app": "memo"}, "ports": [{"name": "web", "port": 80}]});
    let mut secret = object("v1", "Secret", "key");
    secret["stringData"] = json!({"token": "abc"});
    let mut definition = object(
        "apiextensions.k8s.io/v1",
        "CustomResourceDefinition",
        "memos.example.com",
    );
    definition["spec"] = json!({"group": "example.com", "scope": "Namespaced", "names": {"kind": "Memo", "plural": "memos"},
        "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object"}}}]});
    content(csv, vec![service, secret, definition])
}

/// The objects of that version in a cluster, including all fields that OLM and the API server set.
fn installed() -> Vec<Value> {
    let resolved = resolved();
    let target = Target {
        namespace: "operators".to_owned(),
        ..Target::default()
    };
    let steps = steps::of_bundle(&resolved, &target, "").unwrap();
    let mut objects: Vec<Value> = steps
        .into_iter()
        .map(|step| {
            let mut object = step.resource.manifest;
            let (group, version) = (step.resource.group, step.resource.version);
            let api_version = if group.is_empty() {
                version
            } else {
                format!("{group}/{version}")
            };
            object["apiVersion"] = api_version.into();
            let kind = step.resource.kind.replace("BundleSecret", "Secret");
            if !["CustomResourceDefinition", "ClusterRole"].contains(&&*kind) {
                object["metadata"]["namespace"] = "operators".into();
            }
            object["kind"] = kind.into();
            object["metadata"]["uid"] = "1".into();
            object["metadata"]["labels"]["olm.managed"] = "true".into();
            object["metadata"]["annotations"]["kubectl.kubernetes.io/last-applied-configuration"] = "{}".into();
            object
        })
        .collect();
    let mut template = steps_template();
    template["metadata"] = json!({"labels": {"app": "memo"}, "creationTimestamp": null,
        "annotations": {"olm.targetNamespaces": "", "createdAt": "today"}});
    objects.push(json!({"apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": "memo", "namespace": "operators", "labels": {"app": "memo", "olm.deployment-spec-hash": "x"},
            "annotations": {"deployment.kubernetes.io/revision": "1"}},
        "spec": {"replicas": 1, "revisionHistoryLimit": 1, "progressDeadlineSeconds": 600, "template": template,
            "selector": {"matchLabels": {"app": "memo"}},
            "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}}},
        "status": {"replicas": 1}}));
    for object in &mut objects {
        match object["kind"].as_str().unwrap() {
            "Service" => {
                object["spec"]["clusterIP"] = "10.0.0.1".into();
                object["spec"]["type"] = "ClusterIP".into();
                object["spec"]["ports"][0]["protocol"] = "TCP".into();
                object["spec"]["ports"][0]["targetPort"] = 80.into();
            }
            "Secret" => {
                object.as_object_mut().unwrap().shift_remove("stringData");
                object["data"] = json!({"token": "YWJj"});
                object["type"] = "Opaque".into();
            }
            "CustomResourceDefinition" => {
                object["spec"]["conversion"] = json!({"strategy": "None"});
                object["spec"]["names"]["singular"] = "memo".into();
                object["status"] = json!({"storedVersions": ["v1"]});
            }
            "ServiceAccount" => object["secrets"] = json!([{"name": "sa-token"}]),
            _ => {}
        }
    }
    objects
}

fn steps_template() -> Value {
    json!({"spec": {"serviceAccountName": "sa", "serviceAccount": "sa", "dnsPolicy": "ClusterFirst", "restartPolicy": "Always",
        "schedulerName": "default-scheduler", "securityContext": {}, "terminationGracePeriodSeconds": 30,
        "volumes": [{"name": "webhook-cert", "secret": {"secretName": "w", "defaultMode": 420}}],
        "containers": [{"name": "memo", "image": "registry.example.com/memo:1", "imagePullPolicy": "IfNotPresent",
            "env": [{"name": "A", "value": "1"}, {"name": "B"}, {"name": "OPERATOR_CONDITION_NAME", "value": "memo.v1"}],
            "resources": {"limits": {"cpu": "1"}}, "terminationMessagePath": "/dev/termination-log",
            "terminationMessagePolicy": "File", "volumeMounts": [{"name": "webhook-cert", "mountPath": "/c"}],
            "readinessProbe": {"httpGet": {"path": "/", "port": 80, "scheme": "HTTP"}, "timeoutSeconds": 1,
                "periodSeconds": 10, "successThreshold": 1, "failureThreshold": 3}}]}})
}

fn differences(objects: &[Value]) -> Vec<String> {
    let comparison = compare(&resolved(), "memo.v1", "operators", &ObservedObjects::of(objects)).unwrap();
    let mut words: Vec<String> = comparison
        .differences
        .iter()
        .map(|one| format!("{}: {}", one.component(), one.words()))
        .collect();
    words.extend(comparison.unknown.into_iter().map(|kind| format!("no {kind}")));
    words
}

/// S59: fields that the API server and OLM set are not differences.
#[test]
fn s59_defaulted_fields_are_no_difference() {
    assert_eq!(differences(&installed()), [""; 0]);
}

/// S59, S60: every manual change is a difference.
#[test]
fn s59_manual_changes_are_a_difference() {
    let changed = |kind: &str, change: &dyn Fn(&mut Value)| {
        let mut objects = installed();
        change(objects.iter_mut().find(|object| object["kind"] == kind).unwrap());
        differences(&objects)
    };
    let deployment = "Deployment operators/memo: ";
    let container = "spec.template.spec.containers[memo]";
    for (pointer, value, message) in [
        (
            "/spec/replicas",
            json!(0),
            "spec.replicas is 0, which the bundle does not set".to_owned(),
        ),
        (
            "/spec/strategy",
            json!({"type": "Recreate"}),
            "spec.strategy.type is \"Recreate\", which the bundle does not set".to_owned(),
        ),
        (
            "/spec/template/spec/containers/0/image",
            json!("registry.example.com/other"),
            format!(
                "{container}.image is \"registry.example.com/other\", but the bundle specifies \"registry.example.com/memo:1\""
            ),
        ),
        (
            "/spec/template/spec/containers/0/env/0/value",
            json!("2"),
            format!("{container}.env[A].value is \"2\", but the bundle specifies \"1\""),
        ),
        (
            "/spec/template/spec/containers/0/env/2/name",
            json!("MORE"),
            format!(
                "{container}.env[MORE] is {{\"name\":\"MORE\",\"value\":\"memo.v1\"}}, which the bundle does not set"
            ),
        ),
        (
            "/spec/template/spec/containers/0/resources/limits/cpu",
            json!("2"),
            format!("{container}.resources.limits.cpu is \"2\", but the bundle specifies \"1\""),
        ),
        (
            "/spec/template/spec/containers/0/readinessProbe/periodSeconds",
            json!(5),
            format!("{container}.readinessProbe.periodSeconds is 5, which the bundle does not set"),
        ),
        (
            "/metadata/labels/app",
            json!("other"),
            "metadata.labels.app is \"other\", but the bundle specifies \"memo\"".to_owned(),
        ),
    ] {
        let found = changed("Deployment", &|object| {
            *object.pointer_mut(pointer).unwrap() = value.clone();
        });
        assert_eq!(found, [format!("{deployment}{message}")], "{pointer}");
    }
    let rules = changed("Role", &|role| role["rules"][0]["verbs"] = json!(["*"]));
    assert!(
        rules[0].ends_with("rules[0].verbs[0] is \"*\", but the bundle specifies \"get\""),
        "{rules:?}"
    );
    let added = changed("Deployment", &|object| {
        object["metadata"]["annotations"]["mine"] = "1".into();
    });
    assert_eq!(
        added,
        [format!(
            "{deployment}metadata.annotations.mine is \"1\", which the bundle does not set"
        )]
    );
    let secret = changed("Secret", &|secret| secret["data"]["token"] = "eA==".into());
    assert_eq!(
        secret,
        ["Secret operators/key: data.token differs from the bundle"],
        "and no word of it"
    );
    let csv = changed("ClusterServiceVersion", &|csv| csv["spec"]["version"] = "2.0.0".into());
    assert_eq!(csv.len(), 1);
}

#[test]
fn absent_objects_are_missing_or_unknown() {
    let mut objects = installed();
    objects.retain(|object| object["kind"] != "Service");
    assert_eq!(differences(&objects), ["no Service"]);
    let mut other = object("v1", "Service", "other");
    other["metadata"]["namespace"] = "operators".into();
    objects.push(other);
    assert_eq!(differences(&objects), ["Service operators/memo: is missing"]);
}

/// OLM releases name generated roles differently.
#[test]
fn a_generated_role_with_a_different_name_is_equivalent() {
    let mut objects = installed();
    for object in &mut objects {
        if object["kind"].as_str().unwrap().starts_with("Role") {
            object["metadata"]["name"] = "memo.v1-other".into();
        }
    }
    assert_eq!(differences(&objects), [""; 0]);
}

#[test]
fn subscription_configuration_is_no_difference() {
    let mut objects = installed();
    let deployment = objects
        .iter_mut()
        .find(|object| object["kind"] == "Deployment")
        .unwrap();
    let pod = &mut deployment["spec"]["template"]["spec"];
    pod["nodeSelector"] = json!({"disk": "fast"});
    pod["containers"][0]["env"]
        .as_array_mut()
        .unwrap()
        .push(json!({"name": "PROXY", "value": "p"}));
    assert_eq!(differences(&objects).len(), 2);
    objects.push(
        json!({"apiVersion": "operators.coreos.com/v1alpha1", "kind": "Subscription",
        "metadata": {"name": "memo", "namespace": "operators"}, "status": {"installedCSV": "memo.v1"},
        "spec": {"config": {"nodeSelector": {"disk": "fast"}, "env": [{"name": "PROXY", "value": "p"}]}}}),
    );
    assert_eq!(differences(&objects), [""; 0]);
    let subscription = objects.last_mut().unwrap();
    subscription["spec"]["config"]["env"][0]["value"] = "q".into();
    let found = differences(&objects);
    assert!(
        found.len() == 1 && found[0].contains("env[PROXY].value is \"p\", but"),
        "{found:?}"
    );
}

#[test]
fn variables_for_the_proxy_of_the_cluster_are_no_difference_unless_the_subscription_sets_one() {
    let mut objects = installed();
    let deployment = objects
        .iter_mut()
        .find(|object| object["kind"] == "Deployment")
        .unwrap();
    deployment["spec"]["template"]["spec"]["containers"][0]["env"]
        .as_array_mut()
        .unwrap()
        .push(json!({"name": "HTTPS_PROXY", "value": "http://proxy.example.com"}));
    assert_eq!(differences(&objects).len(), 1, "no proxy");
    let proxy = |status: Value| json!({"apiVersion": "config.openshift.io/v1", "kind": "Proxy", "metadata": {"name": "cluster"}, "status": status});
    let with = |more: &[Value]| differences(&[&objects[..], more].concat());
    let set = proxy(json!({"httpsProxy": "http://proxy.example.com"}));
    assert_eq!(with(std::slice::from_ref(&set)), [""; 0]);
    assert_eq!(
        with(&[proxy(json!({"httpProxy": "http://proxy.example.com"}))]).len(),
        2,
        "OLM sets only HTTP_PROXY"
    );
    let subscription = json!({"apiVersion": "operators.coreos.com/v1alpha1", "kind": "Subscription",
        "metadata": {"name": "memo", "namespace": "operators"}, "status": {"installedCSV": "memo.v1"},
        "spec": {"config": {"env": [{"name": "NO_PROXY", "value": "a"}]}}});
    assert_eq!(with(&[set, subscription]).len(), 2, "OLM sets only NO_PROXY");
}
