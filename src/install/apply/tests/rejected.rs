//! Versions and Deployments that the API server rejects.

use super::*;

/// Applies a version after a change of its `spec`.
fn applied(change: impl Fn(&mut Value)) -> Applied {
    let mut csv = csv("memo.v1");
    csv["spec"]["install"]["spec"]["deployments"] = json!([deployment("memo")]);
    change(&mut csv["spec"]);
    let steps = in_order(of_bundle(&content(csv, Vec::new()), &target(), "").unwrap());
    run(&steps, &State::default())
}

#[test]
fn a_version_that_its_definition_does_not_allow_fails_the_plan() {
    let webhook = json!({"type": "ValidatingAdmissionWebhook", "generateName": "a.example.com",
        "admissionReviewVersions": ["v1"], "sideEffects": "None", "deploymentName": "memo", "containerPort": 443});
    for (path, value, problem) in [
        (
            "/install/spec/deployments",
            Value::Null,
            "spec.install.spec.deployments: Required value",
        ),
        (
            "/install/spec/deployments/0/spec/selector",
            Value::Null,
            "spec.install.spec.deployments[0].spec.selector: Required value",
        ),
        (
            "/install/spec/deployments/0/spec/template/spec/containers",
            Value::Null,
            "spec.install.spec.deployments[0].spec.template.spec.containers: Required value",
        ),
        (
            "/install/spec/permissions/0/rules",
            Value::Null,
            "spec.install.spec.permissions[0].rules: Required value",
        ),
        (
            "/webhookdefinitions/0/sideEffects",
            Value::Null,
            "spec.webhookdefinitions[0].sideEffects: Required value",
        ),
        (
            "/webhookdefinitions/0/containerPort",
            json!(65_536),
            "spec.webhookdefinitions[0].containerPort: Invalid value: 65536: \
             spec.webhookdefinitions[0].containerPort in body should be less than or equal to 65535",
        ),
        (
            "/webhookdefinitions/0/containerPort",
            json!(-1),
            "spec.webhookdefinitions[0].containerPort: Invalid value: -1: spec.webhookdefinitions[0].containerPort in \
             body should be greater than or equal to 1",
        ),
        (
            "/webhookdefinitions/0/type",
            json!("Webhook"),
            "spec.webhookdefinitions[0].type: Unsupported value: \"Webhook\": supported values: \
             \"ValidatingAdmissionWebhook\", \"MutatingAdmissionWebhook\", \"ConversionWebhook\"",
        ),
    ] {
        let applied = applied(|spec| {
            spec["webhookdefinitions"] = json!([webhook]);
            *spec.pointer_mut(path).unwrap() = value.clone();
        });
        assert_eq!(applied.phase, Phase::Failed, "{path}");
        let message = format!(
            "error creating csv memo.v1: ClusterServiceVersion.operators.coreos.com \"memo.v1\" is invalid: {problem}"
        );
        assert_eq!(applied.message, message);
    }
}

#[test]
fn empty_values_that_olm_writes_do_not_fail_the_plan() {
    // OLM writes an absent string as an empty one, which the API server accepts, and omits an optional list.
    let applied = applied(|spec| {
        spec["displayName"] = Value::Null;
        spec["keywords"] = Value::Null;
        spec["customresourcedefinitions"] = json!({"owned": null});
    });
    assert!(applied.succeeds(), "{}", applied.message);
}

#[test]
fn a_version_fails_if_the_api_server_rejects_a_deployment() {
    let pod = "/install/spec/deployments/0/spec/template/spec";
    for (path, value, problem) in [
        (
            "/install/spec/deployments/0/spec/selector/matchLabels/app",
            json!("other"),
            "spec.selector: the selector of Deployment/memo does not select its own pods",
        ),
        (
            "/install/spec/deployments/0/spec/selector",
            json!({}),
            "spec.selector: Deployment/memo has an empty selector",
        ),
        (
            &*format!("{pod}/containers"),
            json!([]),
            "spec.template.spec.containers: Deployment/memo has no containers",
        ),
        (
            &*format!("{pod}/containers/0/image"),
            json!(""),
            "spec.template.spec.containers[0].image: container \"manager\" of Deployment/memo has no image",
        ),
        (
            &*format!("{pod}/containers/0/name"),
            json!("A_B"),
            "spec.template.spec.containers[0].name: \"A_B\" is not a valid container name",
        ),
        (
            &*format!("{pod}/containers/0/ports"),
            json!([{"name": "a", "containerPort": 1}, {"name": "a", "containerPort": 2}]),
            "spec.template.spec.containers[0].ports[1].name: two ports of the container are named \"a\"",
        ),
        (
            &*format!("{pod}/restartPolicy"),
            json!("Never"),
            "spec.template.spec.restartPolicy: restartPolicy is Never, but a Deployment allows only Always",
        ),
        (
            &*format!("{pod}/containers/0/imagePullPolicy"),
            json!("Sometimes"),
            "spec.template.spec.containers[0].imagePullPolicy is \"Sometimes\", but must be Always, IfNotPresent or Never",
        ),
    ] {
        let applied = applied(|spec| {
            spec["install"]["spec"]["deployments"][0]["spec"]["template"]["spec"]["restartPolicy"] = json!("Always");
            for key in ["ports", "imagePullPolicy"] {
                spec["install"]["spec"]["deployments"][0]["spec"]["template"]["spec"]["containers"][0][key] =
                    Value::Null;
            }
            *spec.pointer_mut(path).unwrap() = value.clone();
        });
        assert_eq!(applied.phase, Phase::Complete, "{path}: {}", applied.message);
        let [failed] = &applied.failed[..] else {
            panic!("{path}: {:?}", applied.failed);
        };
        let message = format!("install strategy failed: Deployment.apps \"memo\" is invalid: {problem}");
        assert_eq!((failed.reason, &*failed.message), ("InstallComponentFailed", &*message));
    }
}

#[test]
fn what_only_nodes_and_registries_reject_does_not_fail_a_version() {
    let applied = applied(|spec| {
        let container = &mut spec["install"]["spec"]["deployments"][0]["spec"]["template"]["spec"]["containers"][0];
        container["image"] = json!("not an image");
        container["livenessProbe"] = json!({"httpGet": {"port": "unknown"}});
    });
    assert!(applied.succeeds(), "{:?}", applied.failed);
}
