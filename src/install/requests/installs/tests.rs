use super::*;
use crate::cluster::requested::RequestedContent;
use crate::steps::tests::content;
use crate::steps::tests::{csv, object};
use serde_json::json;
use std::collections::BTreeMap;

fn open(content: Vec<OpenContent>, namespaces: &[(&str, &str)], approved: bool) -> OpenInstall {
    let namespaces = namespaces
        .iter()
        .map(|(from, to)| ((*from).to_owned(), (*to).to_owned()));
    OpenInstall {
        install: RequestedInstall {
            name: "plan".to_owned(),
            namespaces: namespaces.collect::<BTreeMap<_, _>>(),
            approved,
            content: Vec::new(),
        },
        content,
    }
}

fn image(name: &str, objects: Vec<Value>) -> OpenContent {
    OpenContent::Image {
        named: format!("registry.example.com/{name}:1"),
        resolved: format!("registry.example.com/{name}@sha256:0"),
        bundle: Box::new(content(csv(name), objects)),
    }
}

fn inside(namespace: &str, mut object: Value) -> Value {
    object["metadata"]["namespace"] = namespace.into();
    object
}

fn lines(steps: &[Step]) -> Vec<String> {
    let line = |step: &Step| {
        format!(
            "{} {} in {}",
            step.resource.kind,
            step.resource.name,
            step.namespace("?")
        )
    };
    steps.iter().map(line).collect()
}

/// S71, S72, S73: contents of both types form one install, and each object is in the namespace that replaces its own.
#[test]
fn s71_several_contents_are_installed_in_their_mapped_namespaces() {
    let raw = vec![
        inside("my-namespace", object("v1", "Pod", "nginx")),
        inside("untouched", object("v1", "Service", "s")),
        object("v1", "ConfigMap", "c"),
    ];
    let bundle = image("memo.v1", vec![inside("my-namespace", object("v1", "Service", "memo"))]);
    let install = open(
        vec![bundle, image("note.v1", Vec::new()), OpenContent::Raw(raw)],
        &[("default", "operators"), ("my-namespace", "mapped")],
        false,
    );
    assert_eq!(install.namespace(None), "operators");
    let shown = lines(&install.steps("operators").unwrap());
    assert_eq!(
        shown
            .iter()
            .filter(|line| !line.contains("Role") && !line.contains("Account"))
            .collect::<Vec<_>>(),
        [
            "ClusterServiceVersion memo.v1 in operators",
            "ClusterServiceVersion note.v1 in operators",
            "Service memo in mapped",
            "Pod nginx in mapped",
            "Service s in untouched",
            "ConfigMap c in operators",
        ]
    );
}

/// S73: permissions are needed in the target namespace, including those that a RoleBinding grants there.
#[test]
fn s73_permissions_are_needed_in_the_mapped_namespaces() {
    let rules = json!([{"apiGroups": [""], "resources": ["secrets"], "verbs": ["get"]}]);
    let mut role = inside("my-namespace", object("rbac.authorization.k8s.io/v1", "Role", "r"));
    role["rules"] = rules;
    let mut binding = inside(
        "my-namespace",
        object("rbac.authorization.k8s.io/v1", "RoleBinding", "b"),
    );
    binding["roleRef"] = json!({"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "r"});
    let install = open(
        vec![OpenContent::Raw(vec![role, binding])],
        &[("my-namespace", "mapped")],
        false,
    );
    let reviewed = install.review(&State::default(), None, None).unwrap();
    let places: Vec<_> = reviewed
        .pending
        .iter()
        .map(|permission| permission.namespaces.join(","))
        .collect();
    assert_eq!(places, ["mapped"; 3]);
    assert!(
        reviewed
            .pending
            .iter()
            .any(|permission| permission.rule.resources == ["secrets"])
    );
    assert_eq!(
        reviewed.account.as_ref().map(ToString::to_string).as_deref(),
        Some("olm/plan")
    );
    let written = install.written(&reviewed);
    assert_eq!(
        written["status"]["serviceAccountRef"],
        json!({"name": "plan", "namespace": "olm"})
    );
    assert_eq!(
        written["spec"]["namespaces"],
        json!([{"from": "my-namespace", "to": "mapped"}])
    );
}

/// S74, S81: nothing is applied before a person approves the pending permissions, and afterwards the account holds
/// them.
#[test]
fn s74_an_install_waits_for_approval_if_permissions_are_pending() {
    let phase = |approved: bool, state: &State| {
        let install = open(
            vec![image("memo.v1", Vec::new())],
            &[("default", "operators")],
            approved,
        );
        let (planned, reviewed) = install.plan(Some(state), None, None).unwrap();
        (
            planned.plan.status.phase,
            planned.applied.is_some(),
            reviewed.pending.is_empty(),
        )
    };
    let nobody = State::default();
    assert_eq!(phase(false, &nobody), (Phase::RequiresApproval, false, false));
    assert_eq!(phase(true, &nobody), (Phase::Complete, true, false));
    // OLM's own permissions need no approval.
    let group = json!({"apiVersion": "operators.coreos.com/v1", "kind": "OperatorGroup",
        "metadata": {"name": "g", "namespace": "operators"}, "spec": {}});
    let of_olm = State {
        objects: vec![group],
        ..State::default()
    };
    assert_eq!(phase(false, &of_olm), (Phase::Complete, true, true));
}

/// S72: an Install applies any kind, whereas an OLM plan fails.
#[test]
fn s72_raw_content_can_be_of_any_kind() {
    let pod = inside("operators", object("v1", "Pod", "nginx"));
    let install = open(vec![OpenContent::Raw(vec![pod])], &[], true);
    let (planned, reviewed) = install.plan(Some(&State::default()), None, None).unwrap();
    assert_eq!(planned.plan.status.phase, Phase::Complete);
    let [permission] = &reviewed.pending[..] else {
        panic!("one permission: {:?}", reviewed.pending);
    };
    assert_eq!(
        (&*permission.rule.resources[0], &*permission.namespaces[0]),
        ("pods", "operators")
    );
}

/// S73: the content printed for a bundle lists its optional manifests, and the namespace in the property is mapped with
/// that of the manifest.
#[test]
fn s73_an_optional_manifest_stays_optional_in_an_install() {
    let rule = inside(
        "my-namespace",
        object("monitoring.coreos.com/v1", "PrometheusRule", "my-rule"),
    );
    let mut bundle = content(csv("memo.v1"), vec![rule]);
    bundle.properties = vec![Property {
        kind: optional::PROPERTY.to_owned(),
        value: json!({"manifests": [{"group": "monitoring.coreos.com", "kind": "PrometheusRule",
            "namespace": "my-namespace", "name": "my-rule"}]}),
    }];
    let marked = |install: &OpenInstall| -> Vec<String> {
        let steps = install.steps("operators").unwrap();
        lines(&steps.into_iter().filter(|step| step.optional).collect::<Vec<_>>())
    };
    let namespaces = [("my-namespace", "mapped")];
    let install = open(vec![OpenContent::Manifests(Box::new(bundle))], &namespaces, false);
    assert_eq!(marked(&install), ["PrometheusRule my-rule in mapped"]);
    let written = crate::cluster::requested::installs(&[install.resolved()])
        .unwrap()
        .remove(0);
    let read = written.content.iter().map(|content| match content {
        RequestedContent::Raw(objects) => OpenContent::Raw(objects.clone()),
        RequestedContent::Image(_) => OpenContent::Raw(Vec::new()),
    });
    assert_eq!(
        marked(&open(read.collect(), &namespaces, false)),
        ["PrometheusRule my-rule in mapped"]
    );
}

#[test]
fn a_raw_version_includes_its_permissions() {
    let raw = OpenContent::Raw(vec![csv("memo.v1")]);
    let of_raw = open(vec![raw], &[], false).steps("operators").unwrap();
    let of_image = open(vec![image("memo.v1", Vec::new())], &[], false)
        .steps("operators")
        .unwrap();
    assert_eq!(lines(&of_raw), lines(&of_image));
    assert_eq!(of_raw.len(), 4);
}

#[test]
fn an_object_that_occurs_twice_is_created_once_and_then_changed() {
    let with = |data: &str| {
        let mut map = object("v1", "ConfigMap", "c");
        map["data"] = json!({"key": data});
        map
    };
    let install = open(
        vec![
            image("memo.v1", Vec::new()),
            OpenContent::Raw(vec![with("a"), with("b")]),
            image("memo.v1", vec![object("v1", "Service", "s")]),
        ],
        &[],
        true,
    );
    let (planned, reviewed) = install.plan(Some(&State::default()), None, None).unwrap();
    assert_eq!(planned.plan.spec.cluster_service_version_names, ["memo.v1"]);
    assert_eq!(planned.operators.len(), 1);
    let status = |kind: &str| -> Vec<String> {
        let steps = planned.plan.status.plan.iter();
        let steps = steps.filter(|step| step.resource.kind == kind);
        steps.map(|step| step.status.to_string()).collect()
    };
    assert_eq!(status(csv::KIND), ["Created", "Present"]);
    assert_eq!(status("ConfigMap"), ["Created", "Present"]);
    assert_eq!(
        reviewed.notes,
        ["the content contains two different objects ConfigMap/c; the later one changes the earlier one"]
    );
    let verbs =
        |need: &Need| need.rules[0].resources == ["configmaps"] && need.rules[0].verbs.contains(&"patch".to_owned());
    assert!(reviewed.needs.iter().any(verbs));
    let mut other = csv("memo.v1");
    other["spec"]["version"] = "1.0.1".into();
    let other = OpenContent::Manifests(Box::new(content(other, Vec::new())));
    let install = open(vec![image("memo.v1", Vec::new()), other], &[], true);
    assert_eq!(
        install.review(&State::default(), None, None).unwrap().notes,
        ["the content contains two different objects ClusterServiceVersion/memo.v1; only the first of them is created"]
    );
}
