use super::super::api_error::REASONS;
use super::*;
use crate::bundle;
use crate::cluster::dump::kept;
use crate::cluster::state::Api;
use crate::install::content::of_files;
use crate::kubernetes::GroupVersionKind;
use crate::olm::property::Property;
use crate::steps::optional;
use crate::steps::tests::{content, csv, deployment, object, target};
use crate::steps::{in_order, of_bundle};
use crate::text::Limits;
use crate::tree::{Tree, TreeLimits};
use serde_json::{Value, json};

mod broken;
mod names;
mod owners;
mod phases;
mod rejected;
mod replaced;
mod roles;
mod serving;
mod unseen;
mod unserved;

const MONITORING: &str = "monitoring.coreos.com";

/// The steps of a bundle with these objects; `optional` lists the optional ones.
fn steps(objects: Vec<Value>, optional: &Value) -> Vec<Step> {
    let mut content = content(csv("memo.v1"), objects);
    content.properties = vec![Property {
        kind: optional::PROPERTY.to_owned(),
        value: json!({ "manifests": optional }),
    }];
    in_order(of_bundle(&content, &target(), "").unwrap())
}

/// A ServiceMonitor, optional or not, in addition to the objects of every bundle.
fn monitor(is_optional: bool) -> Vec<Step> {
    let named = json!([{"group": MONITORING, "kind": "ServiceMonitor", "name": "m"}]);
    let monitor = object("monitoring.coreos.com/v1", "ServiceMonitor", "m");
    steps(vec![monitor], if is_optional { &named } else { &Value::Null })
}

fn answering(verb: Option<&str>, reason: &str, code: u16) -> State {
    State {
        errors: vec![ErrorAnswer {
            kind: Some("ServiceMonitor".to_owned()),
            verb: verb.map(str::to_owned),
            reason: (!reason.is_empty()).then(|| reason.to_owned()),
            code: (code != 0).then_some(code),
            ..ErrorAnswer::default()
        }],
        ..State::default()
    }
}

fn of_kind<'a>(steps: &[Step], applied: &'a Applied, kind: &str) -> &'a Outcome {
    let index = steps.iter().position(|step| step.resource.kind == kind).unwrap();
    &applied.steps[index]
}

fn run(steps: &[Step], state: &State) -> Applied {
    run_with(steps, state, &Olm::Proposed)
}

/// Applies the steps, and checks that the result is the same if the objects are read from a dump. Every test of this
/// module therefore also tests that a dump keeps the fields that the checks read.
fn run_with(steps: &[Step], state: &State, olm: &Olm) -> Applied {
    let applied = apply(steps, "operators", state, olm).unwrap();
    let dumped = State {
        objects: state.objects.iter().cloned().map(kept).collect(),
        ..state.clone()
    };
    assert_eq!(
        apply(steps, "operators", &dumped, olm).unwrap(),
        applied,
        "a dump lacks a field"
    );
    applied
}

#[test]
fn an_unobstructed_plan_completes_in_one_pass_or_in_two_with_a_definition() {
    let applied = run(&monitor(false), &State::default());
    assert_eq!(
        (applied.phase, applied.passes, &*applied.message),
        (Phase::Complete, 1, "")
    );
    assert!(
        applied
            .steps
            .iter()
            .all(|outcome| outcome.status == StepStatus::Created)
    );
    assert_eq!(applied.conditions()[0].status, "True");
    let steps = steps(vec![definition("v1"), object("v1", "ConfigMap", "c")], &Value::Null);
    let applied = run(&steps, &State::default());
    assert_eq!((applied.phase, applied.passes), (Phase::Complete, 2));
}

/// Second group of the proposal's tests, first bullet: errors of the class NotCreated do not fail the plan if the step
/// is optional.
#[test]
fn an_optional_step_does_not_fail_the_plan_if_the_cluster_lacks_its_api() {
    let steps = monitor(true);
    let rows = REASONS.into_iter().filter(|row| row.class == Class::NotCreated);
    let mut seen = 0;
    for row in rows {
        let applied = run(&steps, &answering(None, row.name, row.code));
        let outcome = of_kind(&steps, &applied, "ServiceMonitor");
        assert_eq!(
            (outcome.status, applied.phase),
            (StepStatus::NotCreated, Phase::Complete),
            "{}",
            row.name
        );
        assert_eq!(
            applied.warnings,
            [format!(
                "the optional manifest monitoring.coreos.com/ServiceMonitor m was not created: {}",
                row.name
            )]
        );
        let others = applied
            .steps
            .iter()
            .filter(|outcome| outcome.status == StepStatus::Created);
        assert_eq!(others.count(), steps.len() - 1, "the plan continues after it");
        seen += 1;
    }
    assert_eq!(seen, 7);
}

/// Second bullet: errors of the class Failure still fail the plan.
#[test]
fn an_optional_step_fails_the_plan_for_other_errors() {
    let steps = monitor(true);
    let mut rows: Vec<(&str, u16)> = REASONS
        .iter()
        .filter(|row| row.class == Class::Failure)
        .map(|row| (row.name, row.code))
        .collect();
    rows.extend([("", 500), ("", 503), ("", 410), ("", 413), ("", 418), ("New", 599)]);
    for (reason, code) in rows {
        let applied = run(&steps, &answering(None, reason, code));
        let outcome = of_kind(&steps, &applied, "ServiceMonitor");
        assert_eq!(
            (outcome.status, applied.phase),
            (StepStatus::Unknown, Phase::Failed),
            "{reason} {code}"
        );
        assert!(
            !applied.message.is_empty() && applied.warnings.is_empty(),
            "{reason} {code}"
        );
        let behind = of_kind(&steps, &applied, "ServiceAccount");
        assert_eq!(behind.status, StepStatus::Unknown, "no later step was tried");
        assert_eq!(applied.conditions()[0].reason, "InstallComponentFailed");
    }
}

/// Third bullet: nothing changes for steps that are not optional.
#[test]
fn a_required_step_fails_the_plan() {
    let steps = monitor(false);
    for row in REASONS.into_iter().filter(|row| row.class != Class::Update) {
        let applied = run(&steps, &answering(None, row.name, row.code));
        let outcome = of_kind(&steps, &applied, "ServiceMonitor");
        let phase = if row.name == "Forbidden" {
            Phase::Installing
        } else {
            Phase::Failed
        };
        assert_eq!(
            (outcome.status, applied.phase),
            (StepStatus::Unknown, phase),
            "{}",
            row.name
        );
        assert!(applied.warnings.is_empty());
    }
    let applied = run(&steps, &answering(None, "Forbidden", 403));
    assert!(
        applied
            .message
            .starts_with("retrying execution due to error: error creating unstructured object m: Forbidden: cannot create servicemonitors"),
        "{}",
        applied.message
    );
}

#[test]
fn existing_objects_are_updated_and_updates_judged_by_the_same_table() {
    for is_optional in [true, false] {
        let steps = monitor(is_optional);
        let applied = run(&steps, &answering(None, "AlreadyExists", 409));
        assert_eq!(of_kind(&steps, &applied, "ServiceMonitor").status, StepStatus::Present);
        assert_eq!(applied.phase, Phase::Complete);
        let bare = run(&steps, &answering(Some("create"), "", 409));
        assert_eq!(
            of_kind(&steps, &bare, "ServiceMonitor").status,
            StepStatus::Present,
            "409 for a creation"
        );
    }
    let mut existing = object("monitoring.coreos.com/v1", "ServiceMonitor", "m");
    existing["metadata"]["namespace"] = "operators".into();
    for row in REASONS.into_iter().filter(|row| row.class != Class::Update) {
        let steps = monitor(true);
        let mut state = answering(Some("update"), row.name, row.code);
        state.objects.push(existing.clone());
        let status = of_kind(&steps, &run(&steps, &state), "ServiceMonitor").status;
        let expected = if row.class == Class::NotCreated {
            StepStatus::NotCreated
        } else {
            StepStatus::Unknown
        };
        assert_eq!(status, expected, "{}", row.name);
    }
    let steps = monitor(true);
    let mut state = answering(Some("update"), "", 409);
    state.objects.push(existing);
    let applied = run(&steps, &state);
    assert_eq!(
        of_kind(&steps, &applied, "ServiceMonitor").reason,
        "Conflict",
        "409 for an update"
    );
}

fn served(group: &str, version: &str, kind: &str) -> Api {
    Api {
        kind: GroupVersionKind::new(group, version, kind),
        ..Api::default()
    }
}

#[test]
fn an_unserved_api_or_kind_is_not_found() {
    for apis in [
        Vec::new(),
        vec![served(MONITORING, "v1", "PrometheusRule")],
        vec![served(MONITORING, "v1beta1", "ServiceMonitor")],
    ] {
        let state = State {
            apis: Some(apis),
            ..State::default()
        };
        let steps = monitor(true);
        let applied = run(&steps, &state);
        let outcome = of_kind(&steps, &applied, "ServiceMonitor");
        assert_eq!((outcome.status, outcome.reason), (StepStatus::NotCreated, "NotFound"));
        assert_eq!(applied.phase, Phase::Complete);
        let applied = run(&monitor(false), &state);
        assert_eq!(applied.phase, Phase::Failed);
        assert!(
            applied.message.starts_with(
                "api-server resource not found installing ServiceMonitor m: GroupVersionKind monitoring.coreos.com/v1, \
                 Kind=ServiceMonitor not found on the cluster."
            ),
            "{}",
            applied.message
        );
    }
}

fn definition(version: &str) -> Value {
    json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": CRD, "metadata": {"name": "servicemonitors.monitoring.coreos.com"},
        "spec": {"group": MONITORING, "names": {"kind": "ServiceMonitor", "plural": "servicemonitors"}, "scope": "Namespaced",
            "versions": [{"name": version, "served": true}]}})
}

#[test]
fn a_definition_of_an_unserved_version_is_not_found() {
    let mut old = definition("v1");
    old["apiVersion"] = json!("apiextensions.k8s.io/v1beta1");
    let steps = steps(vec![old], &Value::Null);
    let with = |apis: Option<Vec<Api>>| {
        let state = State {
            apis,
            ..State::default()
        };
        let applied = run(&steps, &state);
        (applied.phase, applied.message)
    };
    let of = |version: &str| Some(vec![served("apiextensions.k8s.io", version, CRD)]);
    for complete in [None, of("v1beta1")] {
        assert_eq!(with(complete), (Phase::Complete, String::new()));
    }
    for failed in [of("v1"), Some(Vec::new())] {
        let (phase, message) = with(failed);
        assert_eq!(phase, Phase::Failed);
        let said = "api-server resource not found installing CustomResourceDefinition servicemonitors.monitoring.coreos.com: \
                    GroupVersionKind apiextensions.k8s.io/v1beta1, Kind=CustomResourceDefinition not found on the cluster.";
        assert!(message.starts_with(said), "{message}");
    }
}

#[test]
fn an_api_defined_by_the_plan_is_waited_for() {
    let named = json!([{"group": MONITORING, "kind": "ServiceMonitor", "name": "m"}]);
    let monitor = object("monitoring.coreos.com/v1", "ServiceMonitor", "m");
    let state = State {
        apis: Some(Vec::new()),
        ..State::default()
    };
    for optional in [&named, &Value::Null] {
        let steps = steps(vec![monitor.clone(), definition("v1")], optional);
        let applied = run(&steps, &state);
        assert_eq!(of_kind(&steps, &applied, "ServiceMonitor").status, StepStatus::Created);
        assert_eq!((applied.phase, applied.warnings.len()), (Phase::Complete, 0));
    }
    let steps = steps(vec![monitor, definition("v2")], &named);
    let applied = run(&steps, &state);
    assert_eq!(
        of_kind(&steps, &applied, "ServiceMonitor").status,
        StepStatus::NotCreated,
        "another version"
    );
}

#[test]
fn a_kind_that_olm_does_not_install_fails_the_plan_even_if_optional() {
    let named = json!([{"group": "example.com", "kind": "Memo", "name": "m"}]);
    let steps = steps(
        vec![object("example.com/v1", "Memo", "m"), object("v1", "Service", "s")],
        &named,
    );
    let applied = run(&steps, &State::default());
    assert_eq!(
        of_kind(&steps, &applied, "Memo").status,
        StepStatus::UnsupportedResource
    );
    assert_eq!(of_kind(&steps, &applied, "Service").status, StepStatus::Unknown);
    assert_eq!((applied.phase, &*applied.message), (Phase::Failed, INVALID_DATA));
}

#[test]
fn objects_in_the_cluster_are_present_in_the_namespace_of_the_plan() {
    let in_namespace = |kind: &str, api: &str, name: &str, namespace: &str| {
        let mut object = object(api, kind, name);
        object["metadata"]["namespace"] = namespace.into();
        object
    };
    let steps = steps(
        vec![
            object("v1", "Secret", "a"),
            object("v1", "Service", "b"),
            object("v1", "Service", "c"),
        ],
        &Value::Null,
    );
    let state = State {
        objects: vec![
            in_namespace("Secret", "v1", "a", "operators"),
            in_namespace("Service", "v1", "b", "elsewhere"),
            in_namespace("ClusterServiceVersion", crate::csv::API_VERSION, "memo.v1", "operators"),
        ],
        ..State::default()
    };
    let applied = run(&steps, &state);
    let status = |kind: &str| of_kind(&steps, &applied, kind).status;
    assert_eq!(status("BundleSecret"), StepStatus::Present);
    assert_eq!(status("Service"), StepStatus::Created);
    assert_eq!(status("ClusterServiceVersion"), StepStatus::Present);
}

#[test]
fn an_existing_definition_is_updated_unless_a_stored_version_would_be_removed() {
    let mut existing = definition("v1");
    existing["status"] = json!({"storedVersions": ["v1"]});
    let state = State {
        objects: vec![existing],
        ..State::default()
    };
    let with = |version: &str| {
        let steps = steps(vec![definition(version)], &Value::Null);
        let applied = run(&steps, &state);
        (of_kind(&steps, &applied, CRD).clone(), applied.phase, applied.message)
    };
    let (outcome, phase, message) = with("v1");
    assert_eq!(
        (outcome.status, phase, &*message),
        (StepStatus::Present, Phase::Complete, "")
    );
    let (outcome, phase, message) = with("v2");
    assert_eq!((outcome.status, phase), (StepStatus::Unknown, Phase::Failed));
    assert_eq!(
        message,
        "risk of data loss updating \"servicemonitors.monitoring.coreos.com\": new CRD removes version v1 that is listed \
         as a stored version on the existing CRD",
        "as OLM says it"
    );
    assert_eq!(
        outcome.why,
        "the new definition lacks the version v1, in which objects are stored"
    );
}

fn sized(kind: &str, name: &str, size: &Value) -> Value {
    json!({"apiVersion": "monitoring.coreos.com/v1", "kind": kind, "metadata": {"name": name, "namespace": "shop"},
        "spec": {"size": size}})
}

/// The definition with a schema in which the size has this type.
fn typed(kind: &str, strategy: &str) -> Value {
    let mut new = definition("v1");
    let schema =
        json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {"size": {"type": kind}}}}});
    new["spec"]["versions"][0]["schema"] = json!({"openAPIV3Schema": schema});
    new["spec"]["conversion"] = json!({"strategy": strategy});
    new
}

#[test]
fn the_scope_and_kind_of_an_established_definition_are_immutable() {
    let mut existing = definition("v1");
    existing["spec"]["scope"] = json!("Cluster");
    let steps = steps(vec![definition("v1")], &Value::Null);
    let with = |existing: &Value| {
        let state = State {
            objects: vec![existing.clone()],
            ..State::default()
        };
        let applied = run(&steps, &state);
        (of_kind(&steps, &applied, CRD).status, applied.phase, applied.message)
    };
    let message = "error updating CRD: servicemonitors.monitoring.coreos.com: \
                   CustomResourceDefinition.apiextensions.k8s.io \"servicemonitors.monitoring.coreos.com\" is invalid: ";
    let scope = "spec.scope: Invalid value: \"Namespaced\": field is immutable";
    let failed = |problems: &str| (StepStatus::Unknown, Phase::Failed, format!("{message}{problems}"));
    assert_eq!(with(&existing), failed(scope));
    existing["spec"]["names"]["kind"] = json!("Other");
    let both = format!("[{scope}, spec.names.kind: Invalid value: \"ServiceMonitor\": field is immutable]");
    assert_eq!(with(&existing), failed(&both));
    existing["status"] = json!({"conditions": [{"type": "Established", "status": "False"}]});
    assert_eq!(with(&existing), (StepStatus::Present, Phase::Complete, String::new()));
}

#[test]
fn existing_objects_must_match_a_new_definition() {
    let end = |new: Value, objects: Vec<Value>| {
        let steps = steps(vec![new], &Value::Null);
        let mut state = State {
            objects,
            ..State::default()
        };
        state.objects.push(definition("v1"));
        let applied = run(&steps, &state);
        (applied.phase, applied.message, applied.warnings)
    };
    let fit = sized("ServiceMonitor", "a", &json!(1));
    let unfit = sized("ServiceMonitor", "b", &json!("one"));
    let other = sized("Rule", "c", &json!("one"));
    let number = || typed("integer", "None");
    let complete = (Phase::Complete, String::new(), Vec::<String>::new());
    assert_eq!(end(number(), vec![fit.clone(), other]), complete);
    let message = "error validating existing CRs against new CRD's schema for \"servicemonitors.monitoring.coreos.com\": error \
                   validating monitoring.coreos.com/v1, Kind=ServiceMonitor \"shop/b\": updated validation is too \
                   restrictive: spec.size: want integer, but got string";
    assert_eq!(
        end(number(), vec![fit, unfit.clone()]),
        (Phase::Failed, message.to_owned(), Vec::new())
    );
    let by_webhook = typed("integer", "Webhook");
    assert_eq!(
        end(by_webhook, vec![unfit.clone()]),
        (Phase::Complete, String::new(), vec![message.to_owned()])
    );
    let warning = "existing custom resources were not compared with the schema of monitoring.coreos.com/v1, \
                   Kind=ServiceMonitor, because the schema is not valid";
    assert_eq!(
        end(typed("number or string", "None"), vec![unfit.clone()]),
        (Phase::Complete, String::new(), vec![warning.to_owned()])
    );
    assert_eq!(end(typed("number or string", "None"), Vec::new()), complete);
    // With a conversion webhook, the objects in a different version are unknown.
    let steps = steps(vec![number()], &Value::Null);
    let mut converted = definition("v1");
    converted["spec"]["conversion"] = json!({"strategy": "Webhook"});
    let mut elsewhere = unfit;
    elsewhere["apiVersion"] = json!("monitoring.coreos.com/v2");
    let state = State {
        objects: vec![converted, elsewhere],
        ..State::default()
    };
    assert_eq!(run(&steps, &state).phase, Phase::Complete);
}

#[test]
fn existing_custom_resources_of_a_group_of_kubernetes_must_match_a_new_definition() {
    let definition = |schema: Value| {
        json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": CRD,
            "metadata": {"name": "volumesnapshots.snapshot.storage.k8s.io"},
            "spec": {"group": "snapshot.storage.k8s.io", "names": {"kind": "VolumeSnapshot", "plural": "volumesnapshots"},
                "scope": "Namespaced", "versions": [{"name": "v1", "served": true, "schema": {"openAPIV3Schema": schema}}]}})
    };
    let new = definition(json!({"type": "object", "required": ["spec"], "properties": {"spec": {"type": "object"}}}));
    let snapshot = json!({"apiVersion": "snapshot.storage.k8s.io/v1", "kind": "VolumeSnapshot",
        "metadata": {"name": "s", "namespace": "shop"}, "spec": {}});
    let state = State {
        objects: vec![definition(json!({"type": "object"})), snapshot],
        ..State::default()
    };
    let applied = run(&steps(vec![new], &Value::Null), &state);
    assert_eq!((applied.phase, &*applied.message), (Phase::Complete, ""));
}

#[test]
fn a_version_fails_if_another_installed_version_owns_its_definition() {
    let owning = |name: &str, namespace: &str| {
        let mut csv = csv(name);
        csv["metadata"]["namespace"] = json!(namespace);
        csv["spec"]["customresourcedefinitions"] =
            json!({"owned": [{"name": "monitors.example.com", "version": "v1", "kind": "Monitor"}]});
        csv
    };
    let failed = |replaces: &str, objects: Vec<Value>| {
        let content = content(owning("memo.v2", ""), Vec::new());
        let steps = in_order(of_bundle(&content, &target(), replaces).unwrap());
        let state = State {
            objects,
            ..State::default()
        };
        let applied = run(&steps, &state);
        assert_eq!(applied.succeeds(), applied.failed.is_empty());
        applied.failed
    };
    let found = failed("", vec![owning("memo.v1", "operators")]);
    assert_eq!(found[0].reason, "OwnerConflict");
    assert_eq!(
        found[0].message,
        "conflicting CRD owner in namespace: monitors.example.com is also owned by memo.v1, which stays installed"
    );
    assert!(failed("memo.v1", vec![owning("memo.v1", "operators")]).is_empty());
    assert!(failed("", vec![owning("memo.v1", "elsewhere"), owning("memo.v2", "operators")]).is_empty());
}

#[test]
fn of_several_owners_of_its_definitions_the_first_is_named() {
    let owning = |name: &str, kinds: &[&str]| {
        let mut csv = csv(name);
        let owned = |kind: &&str| json!({"name": format!("{kind}s.example.com"), "version": "v1", "kind": kind});
        csv["spec"]["customresourcedefinitions"] = json!({"owned": kinds.iter().map(owned).collect::<Vec<_>>()});
        csv["metadata"]["namespace"] = json!("operators");
        csv
    };
    let content = content(owning("memo.v3", &["leaf", "rake", "hoe"]), Vec::new());
    let steps = in_order(of_bundle(&content, &target(), "memo.v2").unwrap());
    let state = State {
        objects: vec![
            owning("other.v1", &["spade"]),
            owning("memo.v2", &["leaf"]),
            owning("tools.v1", &["hoe", "rake"]),
            owning("leaves.v1", &["leaf"]),
        ],
        ..State::default()
    };
    let message =
        "conflicting CRD owner in namespace: rakes.example.com is also owned by tools.v1, which stays installed";
    let failed: Vec<_> = run(&steps, &state)
        .failed
        .into_iter()
        .map(|failed| failed.message)
        .collect();
    assert_eq!(failed, [message]);
}

#[test]
fn the_objects_of_a_cluster_are_read_once_for_all_versions_and_definitions_of_a_plan() {
    // Reading all objects for each version or definition would take many minutes.
    const VERSIONS: usize = 1000;
    let definition = |number: usize| {
        let mut definition = definition("v1");
        let plural = format!("things{number}");
        definition["metadata"]["name"] = format!("{plural}.{MONITORING}").into();
        definition["spec"]["names"] = json!({"kind": format!("Thing{number}"), "plural": plural});
        definition
    };
    let of_version = |number: usize| {
        let mut csv = csv(&format!("memo{number}.v1"));
        csv["spec"]["installModes"] = json!([{"type": "AllNamespaces", "supported": true}]);
        of_bundle(&content(csv, vec![definition(number)]), &target(), "").unwrap()
    };
    let steps = in_order((0..VERSIONS).flat_map(of_version).collect());
    let group = json!({"apiVersion": "operators.coreos.com/v1", "kind": "OperatorGroup",
        "metadata": {"name": "all", "namespace": "operators"}, "spec": {}});
    let maps = (0..30 * VERSIONS).map(|number| object("v1", "ConfigMap", &format!("c{number}")));
    let objects = maps.chain((0..VERSIONS).map(definition)).chain([group]).collect();
    let state = State {
        objects,
        ..State::default()
    };
    let applied = apply(&steps, "operators", &state, &Olm::newest()).unwrap();
    assert_eq!((applied.phase, &*applied.failed), (Phase::Complete, &[][..]));
}

/// Both media types produce the same steps, so the same manifests are optional.
#[test]
fn plain_manifests_and_bundles_with_a_version_have_the_same_outcome() {
    let properties = "properties:\n- type: olm.manifests.optional\n  value: {manifests: [{group: monitoring.coreos.com, kind: ServiceMonitor, name: m}]}\n";
    let monitor = "apiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor\nmetadata: {name: m}\nspec: {endpoints: [{port: http}], selector: {}}\n";
    let annotations = |media_type: &str| {
        format!(
            "annotations:\n  operators.operatorframework.io.bundle.mediatype.v1: {media_type}\n  \
             operators.operatorframework.io.bundle.manifests.v1: manifests/\n  \
             operators.operatorframework.io.bundle.metadata.v1: metadata/\n  \
             operators.operatorframework.io.bundle.package.v1: memo\n  \
             operators.operatorframework.io.bundle.channels.v1: stable\n"
        )
    };
    let olm =
        "name: memo\nversion: 1.0.0\nminKubeVersion: 1.20.0\ninstallModes: [{type: AllNamespaces, supported: true}]\n";
    let deployment = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: memo}\nspec:\n  selector: {matchLabels: {a: b}}\n  template:\n    metadata: {labels: {a: b}}\n    spec: {containers: [{name: memo, image: registry.example.com/memo:1}]}\n";
    let of = |files: &[(&str, &str)]| {
        let mut tree = Tree::new("memo");
        for (path, text) in files {
            tree.insert(path, text.as_bytes().to_vec(), &TreeLimits::default())
                .unwrap();
        }
        of_files(&tree, None, &Limits::default()).unwrap().0
    };
    let registry = of(&[
        ("metadata/annotations.yaml", &annotations("registry+v1")),
        ("metadata/properties.yaml", properties),
        ("manifests/monitor.yaml", monitor),
        ("manifests/csv.yaml", &csv("memo.v1.0.0").to_string()),
    ]);
    let plain = of(&[
        (
            "metadata/annotations.yaml",
            &annotations(bundle::MediaType::K8sV1.as_str()),
        ),
        (bundle::OLM_YAML, olm),
        ("metadata/properties.yaml", properties),
        ("manifests/monitor.yaml", monitor),
        ("manifests/deployment.yaml", deployment),
    ]);
    for content in [registry, plain] {
        let steps = in_order(of_bundle(&content, &target(), "").unwrap());
        let state = State {
            apis: Some(Vec::new()),
            ..State::default()
        };
        let applied = run(&steps, &state);
        assert_eq!(
            of_kind(&steps, &applied, "ServiceMonitor").status,
            StepStatus::NotCreated,
            "{}",
            content.name
        );
        assert_eq!(applied.phase, Phase::Complete);
    }
}

#[test]
fn an_account_without_all_permissions_is_rejected_permanently() {
    let steps = monitor(true);
    let grant = |rules: Value| {
        let rules = rules.as_array().unwrap().clone();
        let grants = vec![crate::cluster::state::Grant {
            service_account: "scoped".to_owned(),
            namespace: "operators".to_owned(),
            rules,
        }];
        State {
            service_account: Some("scoped".to_owned()),
            grants,
            ..State::default()
        }
    };
    let all = json!({"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]});
    assert_eq!(run(&steps, &grant(json!([all]))).phase, Phase::Complete);
    let nothing = run(&steps, &grant(json!([])));
    assert_eq!(
        (nothing.phase, &*nothing.message),
        (
            Phase::Installing,
            "retrying execution due to error: error creating csv memo.v1: clusterserviceversions.operators.coreos.com is \
             forbidden: User \"system:serviceaccount:operators:scoped\" cannot create resource \"clusterserviceversions\" in API group \
             \"operators.coreos.com\" in the namespace \"operators\""
        )
    );
    let requests = json!({"apiGroups": ["operators.coreos.com", "", "rbac.authorization.k8s.io"],
        "resources": ["clusterserviceversions", "serviceaccounts", "roles", "rolebindings"], "verbs": ["create"]});
    let escalating = run(&steps, &grant(json!([requests])));
    assert_eq!(
        of_kind(&steps, &escalating, "ServiceMonitor").status,
        StepStatus::NotCreated,
        "the cluster answers Forbidden"
    );
    assert_eq!(of_kind(&steps, &escalating, "Role").status, StepStatus::Unknown);
    assert!(
        escalating.message.ends_with(
            "is attempting to grant RBAC permissions not currently held:\n\
             {APIGroups:[\"\"], Resources:[\"pods\"], Verbs:[\"get\"]}"
        ),
        "{}",
        escalating.message
    );
    let escalate =
        json!({"apiGroups": ["rbac.authorization.k8s.io"], "resources": ["roles"], "verbs": ["escalate", "bind"]});
    assert_eq!(run(&steps, &grant(json!([requests, escalate]))).phase, Phase::Complete);
}

/// OLM writes the Deployments with the installing account after the plan is complete.
#[test]
fn without_permissions_on_deployments_the_plan_completes_and_the_version_fails() {
    let mut csv = csv("memo.v1");
    csv["spec"]["install"]["spec"]["deployments"] = json!([deployment("memo")]);
    let steps = in_order(of_bundle(&content(csv, Vec::new()), &target(), "").unwrap());
    let ended = |verbs: Value, existing: &[Value]| {
        let everything = json!({"apiGroups": ["", "operators.coreos.com", "rbac.authorization.k8s.io"],
            "resources": ["*"], "verbs": ["*"]});
        let deployments = json!({"apiGroups": ["apps"], "resources": ["deployments"], "verbs": verbs});
        let state = State {
            service_account: Some("scoped".to_owned()),
            grants: vec![crate::cluster::state::Grant {
                service_account: "scoped".to_owned(),
                namespace: "operators".to_owned(),
                rules: vec![everything, deployments],
            }],
            objects: existing.to_vec(),
            ..State::default()
        };
        let applied = run(&steps, &state);
        assert_eq!((applied.phase, &*applied.message), (Phase::Complete, ""));
        let failed = applied
            .failed
            .iter()
            .map(|failed| failed.message.clone())
            .collect::<Vec<_>>();
        assert_eq!(applied.succeeds(), failed.is_empty());
        failed
    };
    let words = |verb: &str, name: &str| {
        format!(
            "install strategy failed: install strategy failed: deployments.apps{name} is forbidden: User \
             \"system:serviceaccount:operators:scoped\" cannot {verb} resource \"deployments\" in API group \"apps\" in the \
             namespace \"operators\""
        )
    };
    let mut there = object("apps/v1", "Deployment", "memo");
    there["metadata"]["namespace"] = json!("operators");
    assert_eq!(ended(json!([]), &[]), [words("get", " \"memo\"")]);
    assert_eq!(ended(json!(["get"]), &[]), [words("create", "")]);
    assert!(ended(json!(["get", "create"]), &[]).is_empty());
    assert_eq!(
        ended(json!(["get", "create"]), std::slice::from_ref(&there)),
        [words("patch", " \"memo\"")]
    );
    assert!(ended(json!(["*"]), &[there]).is_empty());
}

/// The words before the API server's answer are OLM's, which mention an update even when OLM creates objects of some
/// kinds.
#[test]
fn each_kind_is_rejected_with_its_own_message() {
    for (api_version, kind, create, get, patch) in [
        (
            "v1",
            "Service",
            "updating service:",
            "updating service:",
            "updating service:",
        ),
        (
            "v1",
            "ConfigMap",
            "updating configmap:",
            "updating configmap:",
            "updating configmap:",
        ),
        (
            "v1",
            "ServiceAccount",
            "creating service account:",
            "getting older version of service account:",
            "updating service account:",
        ),
        (
            "rbac.authorization.k8s.io/v1",
            "ClusterRoleBinding",
            "creating clusterrolebinding",
            "updating clusterrolebinding",
            "updating clusterrolebinding",
        ),
        (
            "policy/v1",
            "PodDisruptionBudget",
            "creating unstructured object",
            "getting unstructured object",
            "updating unstructured object",
        ),
    ] {
        let steps = steps(vec![object(api_version, kind, "x")], &Value::Null);
        let step = steps.iter().find(|step| step.resource.kind == kind).unwrap();
        for (verb, words) in [("create", create), ("get", get), ("patch", patch)] {
            assert_eq!(
                wording::doing(step, verb).unwrap(),
                format!("error {words} x"),
                "{kind} {verb}"
            );
        }
    }
}

#[test]
fn a_version_fails_if_it_does_not_support_the_operator_group_of_its_namespace() {
    let group = |name: &str, spec: Value| {
        json!({"apiVersion": "operators.coreos.com/v1", "kind": "OperatorGroup",
            "metadata": {"name": name, "namespace": "operators"}, "spec": spec})
    };
    let mut version = csv("memo.v1");
    version["spec"]["installModes"] = json!([{"type": "AllNamespaces", "supported": true}]);
    let steps = in_order(of_bundle(&content(version, Vec::new()), &target(), "").unwrap());
    let failed = |groups: Vec<Value>, olm: &Olm| {
        let state = State {
            objects: groups,
            ..State::default()
        };
        let applied = run_with(&steps, &state, olm);
        assert_eq!(applied.phase, Phase::Complete);
        assert_eq!(applied.succeeds(), applied.failed.is_empty());
        applied
            .failed
            .first()
            .map(|failed| (failed.reason, failed.message.clone()))
    };
    let newest = Olm::newest();
    let all = group("all", json!({}));
    let own = group("own", json!({"targetNamespaces": ["operators"]}));
    let selecting = group("selecting", json!({"selector": {"matchLabels": {"a": "b"}}}));
    let mut selected = selecting.clone();
    selected["status"] = json!({"namespaces": ["a", "b"]});
    let mut elsewhere = all.clone();
    elsewhere["metadata"]["namespace"] = json!("other");
    let namespace = |name: &str, labels: Value| {
        let mut namespace = object("v1", "Namespace", name);
        namespace["metadata"]["labels"] = labels;
        namespace
    };
    let labelled = |name: &str| namespace(name, json!({"a": "b"}));
    let by_labels = vec![
        selecting.clone(),
        labelled("a"),
        labelled("b"),
        namespace("c", json!({})),
    ];
    let message = "MultiNamespace InstallModeType not supported, cannot configure to watch 2 namespaces";
    let expected = Some(("UnsupportedOperatorGroup", message.to_owned()));
    assert_eq!(failed(by_labels, &newest), expected);
    for olm in [&newest, &Olm::Proposed] {
        assert_eq!(failed(Vec::new(), olm), None);
        assert_eq!(failed(vec![all.clone()], olm), None);
        assert_eq!(failed(vec![selecting.clone()], olm), None);
        for (group, message) in [
            (
                &own,
                "OwnNamespace InstallModeType not supported, cannot configure to watch own namespace",
            ),
            (
                &selected,
                "MultiNamespace InstallModeType not supported, cannot configure to watch 2 namespaces",
            ),
        ] {
            let expected = Some(("UnsupportedOperatorGroup", message.to_owned()));
            assert_eq!(failed(vec![group.clone()], olm), expected);
        }
    }
    let reason = |groups: Vec<Value>, olm: &Olm| failed(groups, olm).map(|failed| failed.0);
    assert_eq!(
        reason(vec![all.clone(), own.clone()], &newest),
        Some("TooManyOperatorGroups")
    );
    assert_eq!(reason(vec![all, own], &Olm::Proposed), None);
    assert_eq!(reason(vec![elsewhere.clone()], &newest), Some("NoOperatorGroup"));
    assert_eq!(reason(vec![elsewhere], &Olm::Proposed), None);
}

#[test]
fn roles_with_urls_and_changes_of_immutable_fields_fail_the_plan() {
    let end = |new: Value, existing: Vec<Value>| {
        let steps = steps(vec![new], &Value::Null);
        let state = State {
            objects: existing,
            ..State::default()
        };
        let applied = run(&steps, &state);
        assert_eq!(applied.succeeds(), applied.phase == Phase::Complete);
        applied.message
    };
    let mut role = object("rbac.authorization.k8s.io/v1", "Role", "urls");
    role["rules"] = json!([{"nonResourceURLs": ["/metrics"], "verbs": ["get"]}]);
    let message = end(role.clone(), Vec::new());
    let words = "Role.rbac.authorization.k8s.io \"urls\" is invalid: rules[0].nonResourceURLs: Invalid value: [\"/metrics\"]: \
                 namespaced rules cannot apply to non-resource URLs";
    assert!(message.ends_with(words), "{message}");
    role["kind"] = json!("ClusterRole");
    assert_eq!(end(role, Vec::new()), "");

    let class = |value: i64| {
        let mut class = object("scheduling.k8s.io/v1", "PriorityClass", "high");
        class["value"] = json!(value);
        class
    };
    let message = end(class(2), vec![class(1)]);
    let words =
        "PriorityClass.scheduling.k8s.io \"high\" is invalid: value: Forbidden: may not be changed in an update.";
    assert!(message.ends_with(words), "{message}");
    assert_eq!(end(class(1), vec![class(1)]), "");
    let with_policy = |policy: &str| {
        let mut class = class(1);
        class["preemptionPolicy"] = json!(policy);
        class
    };
    let message = end(class(1), vec![with_policy("Never")]);
    let words = "PriorityClass.scheduling.k8s.io \"high\" is invalid: preemptionPolicy: Invalid value: \
                 \"PreemptLowerPriority\": field is immutable";
    assert!(message.ends_with(words), "{message}");
    assert_eq!(end(class(1), vec![with_policy("PreemptLowerPriority")]), "");
    assert_eq!(end(with_policy("Never"), vec![with_policy("Never")]), "");

    let secret = |kind: Option<&str>, namespace: Option<&str>| {
        let mut secret = object("v1", "Secret", "login");
        if let Some(kind) = kind {
            secret["type"] = json!(kind);
        }
        if let Some(namespace) = namespace {
            secret["metadata"]["namespace"] = json!(namespace);
        }
        secret
    };
    let there = |kind| vec![secret(kind, Some("operators"))];
    let message = end(secret(None, None), there(Some("example.com/key")));
    let words = "Secret \"login\" is invalid: type: Invalid value: \"Opaque\": field is immutable";
    assert!(message.ends_with(words), "{message}");
    let message = end(secret(Some("example.com/key"), None), there(Some("Opaque")));
    assert!(
        message.ends_with("type: Invalid value: \"example.com/key\": field is immutable"),
        "{message}"
    );
    assert_eq!(end(secret(None, None), there(Some("Opaque"))), "");
    assert_eq!(
        end(secret(Some("example.com/key"), None), there(None)),
        "",
        "the type is unknown"
    );

    let map = |data: Value, namespace: Option<&str>, immutable: bool| {
        let mut map = object("v1", "ConfigMap", "files");
        map["data"] = data;
        if immutable {
            map["immutable"] = json!(true);
        }
        if let Some(namespace) = namespace {
            map["metadata"]["namespace"] = json!(namespace);
        }
        map
    };
    let (one, two) = (json!({"a": "1"}), json!({"a": "2"}));
    let there = |immutable| vec![map(one.clone(), Some("operators"), immutable)];
    let message = end(map(two.clone(), None, true), there(true));
    let words = "ConfigMap \"files\" is invalid: data: Forbidden: field is immutable when `immutable` is set";
    assert!(message.ends_with(words), "{message}");
    let message = end(map(one.clone(), None, false), there(true));
    assert!(
        message.contains("immutable: Forbidden: field is immutable"),
        "{message}"
    );
    assert_eq!(end(map(one.clone(), None, true), there(true)), "");
    assert_eq!(end(map(two, None, true), there(false)), "");
}

#[test]
fn a_version_fails_if_the_selector_of_an_existing_deployment_would_change() {
    let mut csv = csv("memo.v1");
    let selector = |label: &str| json!({"matchLabels": {"app": label}});
    csv["spec"]["install"]["spec"]["deployments"] = json!([deployment("memo")]);
    let steps = in_order(of_bundle(&content(csv, Vec::new()), &target(), "").unwrap());
    let failed = |label: &str| {
        let mut there = object("apps/v1", "Deployment", "memo");
        there["metadata"]["namespace"] = json!("operators");
        there["spec"] = json!({"selector": selector(label)});
        let state = State {
            objects: vec![there],
            ..State::default()
        };
        let applied = run(&steps, &state);
        assert_eq!(applied.succeeds(), applied.failed.is_empty());
        let failed = applied.failed.into_iter();
        failed.map(|failed| (failed.reason, failed.message)).collect::<Vec<_>>()
    };
    assert!(failed("memo").is_empty());
    let message = "install strategy failed: Deployment.apps \"memo\" is invalid: spec.selector: Invalid value: \
                   {\"matchLabels\":{\"app\":\"memo\"}}: field is immutable";
    assert_eq!(failed("old"), [("InstallComponentFailed", message.to_owned())]);
}

#[test]
fn the_role_of_an_existing_binding_is_immutable() {
    let binding = |kind: &str, role: Value| {
        let mut binding = object("rbac.authorization.k8s.io/v1", kind, "reads");
        binding["roleRef"] = role;
        binding
    };
    let end = |new: Value, mut existing: Value| {
        if existing["kind"] == "RoleBinding" {
            existing["metadata"]["namespace"] = json!("operators");
        }
        let steps = steps(vec![new], &Value::Null);
        let state = State {
            objects: vec![existing],
            ..State::default()
        };
        let applied = run(&steps, &state);
        (applied.phase, applied.message)
    };
    let group = "rbac.authorization.k8s.io";
    for kind in ["RoleBinding", "ClusterRoleBinding"] {
        let old = binding(kind, json!({"apiGroup": group, "kind": "ClusterRole", "name": "old"}));
        let new = binding(kind, json!({"apiGroup": group, "kind": "ClusterRole", "name": "new"}));
        let message = format!(
            "error updating {} reads: {kind}.{group} \"reads\" is invalid: roleRef: Invalid value: \
             rbac.RoleRef{{APIGroup:\"{group}\", Kind:\"ClusterRole\", Name:\"new\"}}: cannot change roleRef",
            kind.to_lowercase()
        );
        assert_eq!(end(new.clone(), old.clone()), (Phase::Failed, message));
        assert_eq!(end(old.clone(), old), (Phase::Complete, String::new()));
        let bare = binding(kind, json!({"kind": "ClusterRole", "name": "new"}));
        assert_eq!(
            end(bare, new.clone()),
            (Phase::Complete, String::new()),
            "the group has a default"
        );
        let unknown = object("rbac.authorization.k8s.io/v1", kind, "reads");
        assert_eq!(end(new, unknown), (Phase::Complete, String::new()));
    }
}
