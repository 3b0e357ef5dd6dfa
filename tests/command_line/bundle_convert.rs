//! `opmx bundle convert`.

use crate::bundle_files::{copy, edit, errors, files, findings, greenhouse, place, read, succeeds, testdata, write};
use crate::common::Sandbox;
use std::fs;

/// A sandbox with the compost operator, a `registry+v1` bundle, in the folder `bundle`.
fn compost() -> Sandbox {
    let sandbox = Sandbox::new();
    copy(&sandbox, "compost-operator", "bundle");
    sandbox
}

const CSV: &str = "manifests/compost-operator.clusterserviceversion.yaml";

#[test]
fn plain_manifests_are_converted_to_a_csv_and_shipped_manifests() {
    let sandbox = greenhouse();
    write(&sandbox, "bundle/tests/scorecard/config.yaml", "kind: Configuration\n");
    let csv = sandbox.run(["bundle", "synthesize", "bundle", "-o", "json"]);
    let outcome = sandbox.run(["bundle", "convert", "bundle", "out", "--to", "registry+v1"]);
    assert_eq!(succeeds(&outcome), "");
    insta::assert_snapshot!(outcome.stderr, @r#"
    info[convert-comments-lost]: the comments in manifests/deployment.yaml, manifests/rbac.yaml are omitted
     |
     = help: Keep the k8s+v1 bundle as the source.

    info[k8s-namespace-dropped]: Namespace greenhouse-system is omitted, because OLM installs into an existing namespace
     --> bundle/manifests/deployment.yaml:4:9
      |
    4 |   name: greenhouse-system
      |         ^^^^^^^^^^^^^^^^^
      |
      = note: in Namespace/greenhouse-system
      = help: If the labels of the Namespace are needed, add the Namespace as JSON to the annotation operatorframework.io/suggested-namespace-template, under annotations in metadata/olm.yaml.

    info[convert-hints-lost]: apis of metadata/olm.yaml is omitted, because it is no longer needed
      --> bundle/metadata/olm.yaml:41:1
       |
    41 | apis:
       | ^^^^
       |
       = help: Keep the k8s+v1 bundle as the source.

    3 infos
    wrote 6 files to out
    "#);
    let files: Vec<String> = files(&sandbox.path("out")).into_keys().collect();
    insta::assert_debug_snapshot!(files, @r#"
    [
        "manifests/greenhouse-metrics_v1_service.yaml",
        "manifests/greenhouse-operator.clusterserviceversion.yaml",
        "manifests/greenhouses.garden.example.com_apiextensions.k8s.io_v1_customresourcedefinition.yaml",
        "manifests/sensors.garden.example.com_apiextensions.k8s.io_v1_customresourcedefinition.yaml",
        "metadata/annotations.yaml",
        "tests/scorecard/config.yaml",
    ]
    "#);
    let written = read(&sandbox, "out/manifests/greenhouse-operator.clusterserviceversion.yaml");
    let written: serde_json::Value = serde_yaml::from_str(&written).unwrap();
    let csv: serde_json::Value = serde_json::from_str(succeeds(&csv)).unwrap();
    assert_eq!(written, csv);
    let inspected = sandbox.run(["bundle", "inspect", "out"]);
    assert!(
        inspected.stdout.contains("media type       registry+v1\n"),
        "{inspected}"
    );
    succeeds(&sandbox.run(["bundle", "build", "out", "-t", "oci:image:v1"]));
}

#[test]
fn a_csv_is_converted_to_plain_manifests() {
    let sandbox = compost();
    let outcome = sandbox.run(["bundle", "convert", "bundle", "out", "--to", "k8s+v1"]);
    assert_eq!(succeeds(&outcome), "");
    insta::assert_snapshot!(outcome.stderr, @"wrote 6 files to out");
    let made: Vec<String> = files(&sandbox.path("out")).into_keys().collect();
    insta::assert_debug_snapshot!(made, @r#"
    [
        "manifests/compost-operator.deployment.yaml",
        "manifests/compost-operator.rbac.yaml",
        "manifests/compostheaps.crd.yaml",
        "metadata/annotations.yaml",
        "metadata/dependencies.yaml",
        "metadata/olm.yaml",
    ]
    "#);
    insta::assert_snapshot!(read(&sandbox, "out/metadata/olm.yaml"), @r#"
    name: compost-operator.v0.3.1
    version: 0.3.1
    minKubeVersion: 1.25.0
    installModes:
    - type: OwnNamespace
      supported: true
    - type: SingleNamespace
      supported: true
    - type: MultiNamespace
      supported: false
    - type: AllNamespaces
      supported: true
    displayName: Compost Operator
    description: Turns heaps.
    provider:
      name: Example Gardens
    annotations:
      capabilities: Basic Install
      olm.skipRange: ">=0.2.0 <0.3.1"
      alm-examples: '[{"apiVersion":"garden.example.org/v1alpha1","kind":"CompostHeap","metadata":{"name":"corner"}}]'
    relatedImages:
    - name: fork
      image: registry.example.com/garden/fork@sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
    customresourcedefinitions:
      owned:
      - name: compostheaps.garden.example.org
        version: v1alpha1
        kind: CompostHeap
        displayName: Compost heap
        description: A heap to turn.
    "#);
    for carried in ["manifests/compostheaps.crd.yaml", "metadata/dependencies.yaml"] {
        let original = fs::read_to_string(testdata("compost-operator").join(carried)).unwrap();
        assert_eq!(read(&sandbox, &format!("out/{carried}")), original, "{carried}");
    }
    let annotations = read(&sandbox, "bundle/metadata/annotations.yaml").replace("registry+v1", "k8s+v1");
    assert_eq!(read(&sandbox, "out/metadata/annotations.yaml"), annotations);
    succeeds(&sandbox.run(["bundle", "build", "out", "-t", "oci:image:v1"]));

    succeeds(&sandbox.run(["bundle", "convert", "oci:image:v1", "back", "--to", "registry+v1"]));
    let value = |path: &str| -> serde_json::Value { serde_yaml::from_str(&read(&sandbox, path)).unwrap() };
    assert_eq!(value(&format!("back/{CSV}")), value(&format!("bundle/{CSV}")));
}

#[test]
fn conversion_to_the_same_media_type_is_rejected() {
    let sandbox = greenhouse();
    let outcome = sandbox.run(["bundle", "convert", "bundle", "out", "--to", "k8s+v1"]);
    insta::assert_snapshot!(outcome, @"
    ------- stderr -------
    error: bundle is already a k8s+v1 bundle, so there is nothing to convert
    ------- exit 1 -------
    ");
    assert!(!sandbox.path("out").exists());
    let outcome = sandbox.run(["bundle", "convert", "bundle", "out", "--to", "helm"]);
    assert_eq!(outcome.status, Some(2), "{outcome}");
    let outcome = sandbox.run(["bundle", "convert", "bundle", "out"]);
    assert_eq!(outcome.status, Some(2), "{outcome}");
}

#[test]
fn a_folder_that_is_not_empty_is_not_written_to() {
    let sandbox = compost();
    write(&sandbox, "out/mine.txt", "mine");
    write(&sandbox, "file", "mine");
    for out in ["out", "file", "bundle"] {
        let outcome = sandbox.run(["bundle", "convert", "bundle", out, "--to", "k8s+v1"]);
        assert_eq!((outcome.status, outcome.stdout.as_str()), (Some(1), ""), "{outcome}");
        let said = format!("  caused by: {out} already exists and is not an empty folder\n");
        assert!(outcome.stderr.contains(&said), "{outcome}");
    }
    assert_eq!(files(&sandbox.path("out")).len(), 1);
    assert_eq!(files(&sandbox.path("bundle")), files(&testdata("compost-operator")));
    fs::remove_file(sandbox.path("out/mine.txt")).unwrap();
    succeeds(&sandbox.run(["bundle", "convert", "bundle", "out", "--to", "k8s+v1"]));
    let mut names: Vec<_> = fs::read_dir(sandbox.path(""))
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["bundle", "file", "out"], "nothing temporary stays");
}

#[test]
fn wildcards_are_rejected_with_their_location() {
    let sandbox = compost();
    let csv = read(&sandbox, &format!("bundle/{CSV}"));
    let resources = csv
        .lines()
        .find(|line| line.trim_start().starts_with("resources: ["))
        .unwrap()
        .to_owned();
    let indent = resources.split("resources").next().unwrap();
    edit(
        &sandbox,
        &format!("bundle/{CSV}"),
        &resources,
        &format!("{indent}resources: [\"*\"]"),
    );
    let outcome = sandbox.run(["bundle", "convert", "bundle", "out", "--to", "k8s+v1"]);
    assert_eq!(outcome.status, Some(1), "{outcome}");
    let wildcard = place(&sandbox, &format!("bundle/{CSV}"), "\"*\"]");
    assert_eq!(errors(&outcome), [("rbac-wildcard".to_owned(), wildcard)]);
    assert!(
        outcome
            .stderr
            .ends_with("error: bundle cannot be converted to a k8s+v1 bundle, so nothing was written\n"),
        "{outcome}"
    );
    assert!(!sandbox.path("out").exists());
}

#[test]
fn errors_in_the_manifests_are_reported_and_nothing_is_written() {
    let sandbox = greenhouse();
    edit(&sandbox, "bundle/metadata/olm.yaml", "version: 1.2.0", "version: one");
    let outcome = sandbox.run(["bundle", "convert", "bundle", "out", "--to", "registry+v1"]);
    assert_eq!(outcome.status, Some(1), "{outcome}");
    assert_eq!(
        errors(&outcome),
        [("olm-version".to_owned(), "bundle/metadata/olm.yaml:2:10".to_owned())]
    );
    assert!(!sandbox.path("out").exists());

    let sandbox = compost();
    write(&sandbox, "bundle/manifests/broken.yaml", "kind: [");
    let outcome = sandbox.run(["bundle", "convert", "bundle", "out", "--to", "k8s+v1"]);
    assert_eq!(outcome.status, Some(1), "{outcome}");
    assert_eq!(errors(&outcome)[0].0, "yaml-syntax", "{outcome}");
    assert!(!sandbox.path("out").exists());
    fs::remove_dir_all(sandbox.path("bundle/manifests")).unwrap();
    let outcome = sandbox.run(["bundle", "convert", "bundle", "out", "--to", "k8s+v1"]);
    assert_eq!(errors(&outcome)[0].0, "format-manifests-dir", "{outcome}");
}

#[test]
fn an_object_that_build_rejects_is_not_converted() {
    let sandbox = greenhouse();
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: 1}\n";
    write(&sandbox, "bundle/manifests/map.yaml", map);
    let outcome = sandbox.run(["bundle", "convert", "bundle", "out", "--to", "registry+v1"]);
    assert_eq!(outcome.status, Some(1), "{outcome}");
    let value = place(&sandbox, "bundle/manifests/map.yaml", "1}");
    assert_eq!(errors(&outcome), [("object-field-type".to_owned(), value)]);
    assert!(!sandbox.path("out").exists());
}

#[test]
fn lost_fields_are_reported_with_their_location() {
    let sandbox = compost();
    let csv = format!("bundle/{CSV}");
    edit(&sandbox, &csv, "\nspec:\n", "\nspec:\n  MinKubeVersion: 1.20.0\n");
    let outcome = sandbox.run(["bundle", "convert", "bundle", "out", "--to", "k8s+v1"]);
    succeeds(&outcome);
    let lost = (
        "warning[convert-field-lost]".to_owned(),
        place(&sandbox, &csv, "MinKubeVersion"),
    );
    assert!(findings(&outcome).contains(&lost), "{outcome}");
}
