//! `opmx bundle inspect`.

use crate::bundle_files::{copy, edit, greenhouse, succeeds, write};
use crate::common::Sandbox;
use serde_json::Value;

fn summary(sandbox: &Sandbox, bundle: &str) -> Value {
    let outcome = sandbox.run(["bundle", "inspect", bundle, "-o", "json"]);
    serde_json::from_str(succeeds(&outcome)).unwrap_or_else(|error| panic!("{error}: {outcome}"))
}

#[test]
fn every_object_is_listed_with_its_fate_and_reason() {
    let sandbox = greenhouse();
    let outcome = sandbox.run(["--quiet", "bundle", "inspect", "bundle"]);
    insta::assert_snapshot!(outcome, @"
    media type       k8s+v1
    package          greenhouse-operator
    channels         candidate, stable
    default channel  stable
    name             greenhouse-operator.v1.2.0
    version          1.2.0
    requires         a provider of Certificate (cert-manager.io/v1)

    OBJECT                                                   API VERSION                      IN THE BUNDLE  WHY
    Namespace/greenhouse-system                              v1                               dropped        OLM installs into an existing namespace
    Service/greenhouse-metrics                               v1                               kept           no webhook or APIService refers to it, so OLM applies it
    Service/greenhouse-webhook                               v1                               projected      OLM creates a Service for the webhooks and APIServices
    ServiceAccount/greenhouse-operator                       v1                               projected      OLM creates the service accounts of the CSV's permissions
    ValidatingWebhookConfiguration/greenhouse-validation     admissionregistration.k8s.io/v1  projected      becomes a webhook definition, for which OLM creates a configuration
    CustomResourceDefinition/greenhouses.garden.example.com  apiextensions.k8s.io/v1          kept           the CSV lists it as owned, and OLM applies it
    CustomResourceDefinition/sensors.garden.example.com      apiextensions.k8s.io/v1          kept           the CSV lists it as owned, and OLM applies it
    Deployment/greenhouse-operator                           apps/v1                          projected      becomes part of the install strategy
    ClusterRole/greenhouse-monitoring                        rbac.authorization.k8s.io/v1     projected      its rules become permissions of the CSV
    ClusterRole/greenhouse-operator                          rbac.authorization.k8s.io/v1     projected      its rules become permissions of the CSV
    ClusterRoleBinding/greenhouse-monitoring                 rbac.authorization.k8s.io/v1     projected      its role becomes permissions of the CSV
    ClusterRoleBinding/greenhouse-operator                   rbac.authorization.k8s.io/v1     projected      its role becomes permissions of the CSV
    Role/greenhouse-leader-election                          rbac.authorization.k8s.io/v1     projected      its rules become permissions of the CSV
    RoleBinding/greenhouse-leader-election                   rbac.authorization.k8s.io/v1     projected      its role becomes permissions of the CSV
    ");
}

#[test]
fn json_is_identical_for_a_folder_and_its_image() {
    let sandbox = greenhouse();
    succeeds(&sandbox.run(["bundle", "build", "bundle", "-t", "oci:out:v1"]));
    succeeds(&sandbox.run(["bundle", "build", "bundle", "-t", "oci-archive:out.tar:v1"]));
    let of_folder = summary(&sandbox, "bundle");
    for image in ["oci:out:v1", "oci-archive:out.tar:v1"] {
        let text = summary(&sandbox, image).to_string();
        let same: Value = serde_json::from_str(&text.replace(image, "bundle")).unwrap();
        assert_eq!(same, of_folder, "{image}");
    }
    let objects = of_folder["objects"].as_array().unwrap();
    assert_eq!(objects.len(), 14);
    for object in objects {
        let text = |key: &str| object[key].as_str().unwrap_or_else(|| panic!("{object} has no {key}"));
        assert!(["projected", "kept", "dropped"].contains(&text("fate")), "{object}");
        assert!(
            !text("reason").is_empty() && text("file").starts_with("bundle/manifests/"),
            "{object}"
        );
    }
    let fates = |fate: &str| objects.iter().filter(|object| object["fate"] == fate).count();
    assert_eq!((fates("projected"), fates("kept"), fates("dropped")), (10, 3, 1));
    assert_eq!(of_folder["package"], "greenhouse-operator");
    assert_eq!(of_folder["channels"], serde_json::json!(["candidate", "stable"]));
    assert_eq!(of_folder["defaultChannel"], "stable");
}

#[test]
fn all_objects_of_a_registry_v1_bundle_are_kept() {
    let sandbox = Sandbox::new();
    copy(&sandbox, "compost-operator", "compost");
    let summary = summary(&sandbox, "compost");
    assert_eq!(summary["name"], "compost-operator.v0.3.1");
    let objects = summary["objects"].as_array().unwrap();
    assert_eq!(objects.len(), 2);
    assert!(objects.iter().all(|object| object["fate"] == "kept"), "{objects:?}");
}

#[test]
fn dependencies_are_listed_with_their_intents_and_optional_manifests_are_marked() {
    let sandbox = Sandbox::new();
    copy(&sandbox, "compost-operator", "compost");
    let dependencies = "\
dependencies:
- {type: olm.package, value: {packageName: rake, version: '>=1.0.0', intent: recommended}}
- {type: olm.gvk, value: {group: garden.example.com, version: v1, kind: Greenhouse}}
";
    write(&sandbox, "compost/metadata/dependencies.yaml", dependencies);
    let properties = "\
properties:
- type: olm.manifests.optional
  value: {manifests: [{group: monitoring.coreos.com, kind: PrometheusRule, name: turning}]}
";
    write(&sandbox, "compost/metadata/properties.yaml", properties);
    let rule = "apiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nmetadata: {name: turning}\n";
    write(&sandbox, "compost/manifests/rule.yaml", rule);
    let outcome = sandbox.run(["bundle", "inspect", "compost"]);
    insta::assert_snapshot!(outcome, @"
    media type       registry+v1
    package          compost-operator
    channels         alpha
    name             compost-operator.v0.3.1
    version          0.3.1
    recommends       package rake in the range >=1.0.0
    requires         a provider of Greenhouse (garden.example.com/v1)

    OBJECT                                                    API VERSION                    IN THE BUNDLE   WHY
    ClusterServiceVersion/compost-operator.v0.3.1             operators.coreos.com/v1alpha1  kept            OLM installs from it
    CustomResourceDefinition/compostheaps.garden.example.org  apiextensions.k8s.io/v1        kept            OLM applies it unchanged
    PrometheusRule/turning                                    monitoring.coreos.com/v1       kept, optional  OLM applies it unchanged
    ");
    let summary = summary(&sandbox, "compost");
    let need = serde_json::json!({"packageName": "rake", "versionRange": ">=1.0.0", "intent": "recommended"});
    assert_eq!(
        summary["dependencies"][0],
        serde_json::json!({"type": "olm.package.required", "value": need})
    );
    let optional: Vec<_> = summary["objects"]
        .as_array()
        .unwrap()
        .iter()
        .map(|object| object["optional"].clone())
        .collect();
    assert_eq!(optional, [false, false, true]);
}

#[test]
fn a_bundle_with_errors_is_shown_with_a_failing_exit_status() {
    let sandbox = greenhouse();
    edit(&sandbox, "bundle/metadata/olm.yaml", "version: 1.2.0", "version: one");
    let set = "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: store}}\n";
    write(&sandbox, "bundle/manifests/store.yaml", set);
    let outcome = sandbox.run(["bundle", "inspect", "bundle"]);
    assert_eq!(outcome.status, Some(1), "{outcome}");
    assert!(outcome.stderr.contains("error[olm-version]"), "{outcome}");
    assert!(
        outcome.stderr.contains("2 errors, 2 infos"),
        "each finding stands once: {outcome}"
    );
    let line = outcome
        .stdout
        .lines()
        .find(|line| line.starts_with("StatefulSet/store"));
    assert!(line.is_some_and(|line| line.contains("dropped")), "{outcome}");
}

#[test]
fn a_path_that_is_not_a_bundle_is_rejected_by_name() {
    let sandbox = Sandbox::new();
    let outcome = sandbox.run(["bundle", "inspect", "oci:nowhere:v1"]);
    assert_eq!((outcome.status, outcome.stdout.as_str()), (Some(4), ""), "{outcome}");
    assert!(outcome.stderr.contains("nowhere"), "{outcome}");
    let outcome = sandbox.run(["bundle", "inspect", "./nowhere"]);
    assert_eq!((outcome.status, outcome.stdout.as_str()), (Some(4), ""), "{outcome}");
    assert!(
        outcome.stderr.starts_with("error: cannot read ./nowhere: No such file"),
        "{outcome}"
    );
}
