//! `opmx index export`: package manifests from bundles of both media types, stored inline or by reference.

use crate::bundle_files::files;
use crate::bundles::{BOTH, fail, garden, miss, outcome_of, rake, serve_layout, succeed};
use crate::common::Sandbox;
use opmx::text::canonical;
use serde_json::Value;
use std::fs;

fn yaml(sandbox: &Sandbox, path: &str) -> Value {
    let file = fs::read_to_string(sandbox.path(path)).unwrap();
    serde_yaml::from_str(&file).unwrap()
}

#[test]
fn stored_bundles_are_exported_to_a_folder_per_package_and_version() {
    let sandbox = garden();
    rake(&sandbox, "rake", "1.0.0", None);
    rake(&sandbox, "rake-2", "1.1.0", Some("rake.v1.0.0"));
    succeed(&sandbox, &format!("registry add -b {BOTH},rake,rake-2 -d index.db"));
    let before = fs::read(sandbox.path("index.db")).unwrap();
    let outcome = outcome_of(&sandbox, "index export -i index.db");
    insta::assert_snapshot!(outcome, @r#"
    ------- stderr -------
    wrote 1 bundle of compost-operator to downloaded/compost-operator
    warning: package manifests have no field for a dependency of compost-operator.v0.3.1: olm.package {"packageName":"greenhouse-operator","version":">=1.0.0 <2.0.0"}
    wrote 1 bundle of greenhouse-operator to downloaded/greenhouse-operator
    wrote 2 bundles of rake to downloaded/rake
    "#);
    assert!(before == fs::read(sandbox.path("index.db")).unwrap());
    insta::assert_snapshot!(fs::read_to_string(sandbox.path("downloaded/rake/package.yaml")).unwrap(), @"
    packageName: rake
    channels:
    - name: stable
      currentCSV: rake.v1.1.0
    defaultChannel: stable
    ");
    let written: Vec<String> = files(&sandbox.path("downloaded")).into_keys().collect();
    insta::assert_snapshot!(written.join("\n"), @"
    compost-operator/0.3.1/compost-operator.v0.3.1.clusterserviceversion.yaml
    compost-operator/0.3.1/compostheaps.garden.example.org.customresourcedefinition.yaml
    compost-operator/package.yaml
    greenhouse-operator/1.2.0/greenhouse-metrics.service.yaml
    greenhouse-operator/1.2.0/greenhouse-operator.v1.2.0.clusterserviceversion.yaml
    greenhouse-operator/1.2.0/greenhouses.garden.example.com.customresourcedefinition.yaml
    greenhouse-operator/1.2.0/sensors.garden.example.com.customresourcedefinition.yaml
    greenhouse-operator/package.yaml
    rake/1.0.0/rake.v1.0.0.clusterserviceversion.yaml
    rake/1.1.0/rake.v1.1.0.clusterserviceversion.yaml
    rake/package.yaml
    ");

    // Of a k8s+v1 bundle, what an index stores: the CSV that is synthesized, and what it does not stand for.
    let folder = "downloaded/greenhouse-operator/1.2.0";
    let csv = sandbox.run("bundle synthesize greenhouse -q -o json".split(' ')).stdout;
    let csv: Value = serde_json::from_str(&csv).unwrap();
    let exported = yaml(
        &sandbox,
        &format!("{folder}/greenhouse-operator.v1.2.0.clusterserviceversion.yaml"),
    );
    assert_eq!(exported, csv);
}

#[test]
fn bundles_stored_by_reference_are_exported_from_their_images() {
    let sandbox = garden();
    for name in ["greenhouse", "compost"] {
        succeed(&sandbox, &format!("bundle build {name} -q -t oci:bundles:{name}"));
    }
    let registry = serve_layout(&sandbox, "bundles", || ());
    let bundles = format!("{0}/greenhouse:v1,{0}/compost:v1", registry.host);
    succeed(
        &sandbox,
        &format!("registry add -b {bundles} --by-reference --use-http -d index.db"),
    );
    // opm keeps the manifests of the heads of channels only.
    let database = rusqlite::Connection::open(sandbox.path("index.db")).unwrap();
    database
        .execute("UPDATE operatorbundle SET csv = NULL, bundle = NULL", [])
        .unwrap();
    drop(database);
    succeed(&sandbox, "registry add -b greenhouse,compost -d stored.db");
    succeed(&sandbox, "index export -i index.db -f referenced --use-http");
    succeed(&sandbox, "index export -i stored.db -f stored");

    // The same objects, whatever their files are called; those of registry+v1 are the author's own files.
    let objects = |folder: &str| {
        let mut objects: Vec<String> = files(&sandbox.path(folder))
            .into_keys()
            .map(|path| canonical::to_string(&yaml(&sandbox, &format!("{folder}/{path}"))))
            .collect();
        objects.sort();
        objects
    };
    assert_eq!(objects("referenced"), objects("stored"));
    let author = files(&sandbox.path("compost/manifests"));
    assert!(files(&sandbox.path("referenced/compost-operator/0.3.1")) == author);
}

#[test]
fn a_package_is_exported_by_name_and_an_unknown_one_rejected() {
    let sandbox = garden();
    succeed(&sandbox, "index add -b greenhouse,compost -t oci:index:v1");
    succeed(&sandbox, "index export -i oci:index:v1 -p compost-operator -f out");
    assert_eq!(fs::read_dir(sandbox.path("out")).unwrap().count(), 1);
    insta::assert_snapshot!(miss(&sandbox, "index export -i oci:index:v1 -p compost-operater -f new"), @r#"
    ------- stderr -------
    error: the index has no package "compost-operater"
      hint: did you mean "compost-operator"?
    ------- exit 4 -------
    "#);
    assert!(!sandbox.path("new").exists());
}

#[test]
fn existing_files_are_not_changed() {
    let sandbox = garden();
    succeed(&sandbox, "registry add -b greenhouse,compost -d index.db");
    fs::create_dir_all(sandbox.path("downloaded/greenhouse-operator")).unwrap();
    fs::write(sandbox.path("downloaded/greenhouse-operator/mine"), "mine").unwrap();
    insta::assert_snapshot!(fail(&sandbox, "index export -i index.db"), @"
    ------- stderr -------
    error: downloaded/greenhouse-operator already exists and is not an empty folder
      hint: choose another folder, or remove the existing content
    ------- exit 1 -------
    ");
    assert_eq!(
        files(&sandbox.path("downloaded")).into_keys().collect::<Vec<_>>(),
        ["greenhouse-operator/mine"]
    );
}

#[test]
fn k103_content_that_package_manifests_cannot_represent_is_reported() {
    let sandbox = garden();
    rake(&sandbox, "rake", "1.0.0", None);
    let dependencies = "dependencies:\n- {type: olm.package, value: {packageName: hose, version: '>=1.0.0'}}\n";
    fs::write(sandbox.path("rake/metadata/dependencies.yaml"), dependencies).unwrap();
    let properties = "properties:\n- {type: example.com/team, value: garden}\n";
    fs::write(sandbox.path("rake/metadata/properties.yaml"), properties).unwrap();
    succeed(&sandbox, "registry add -b rake -d index.db");
    fs::create_dir(sandbox.path("catalog")).unwrap();
    let catalog = outcome_of(&sandbox, "render index.db -o json -q").stdout;
    fs::write(sandbox.path("catalog/index.json"), catalog).unwrap();
    for (index, folder) in [("index.db", "one"), ("catalog", "two")] {
        let outcome = outcome_of(&sandbox, &format!("index export -i {index} -f {folder}"));
        let warnings: Vec<&str> = outcome
            .stderr
            .lines()
            .filter(|line| line.starts_with("warning"))
            .collect();
        assert_eq!(warnings.len(), 2, "{outcome}");
        assert!(
            warnings[0].contains("a dependency of rake.v1.0.0: olm.package"),
            "{outcome}"
        );
        assert!(
            warnings[1].contains("a property of rake.v1.0.0: example.com/team"),
            "{outcome}"
        );
    }
}
