//! `catalog build`: the image of a file-based catalog.

use crate::bundles::{CATALOG, fail, names, outcome_of, succeed};
use crate::common::Sandbox;
use opmx::image::{Platform, Reference, read_layout};
use serde_json::Value;
use std::fs;
use std::path::Path;

fn catalog() -> Sandbox {
    let sandbox = Sandbox::new();
    fs::create_dir_all(sandbox.path("catalog/rake")).unwrap();
    fs::write(sandbox.path("catalog/rake/catalog.yaml"), CATALOG).unwrap();
    sandbox
}

fn config(sandbox: &Sandbox, layout: &str) -> Value {
    let image = read_layout(&sandbox.path(layout), Some("v1"), &Platform::default()).unwrap();
    image.config_value()["config"].clone()
}

fn blobs(layout: &Path) -> usize {
    names(&layout.join("blobs/sha256")).len()
}

#[test]
fn the_image_is_readable_as_an_index_by_every_command() {
    let sandbox = catalog();
    let built = outcome_of(
        &sandbox,
        "catalog build catalog -t oci:image:v1 --label maintainer=garden",
    );
    let pinned: Reference = built.stdout.trim().parse().unwrap();
    assert!(pinned.digest().is_some(), "{}", built.stdout);
    let listed = outcome_of(&sandbox, "index list bundles oci:image:v1").stdout;
    assert_eq!(listed, outcome_of(&sandbox, "index list bundles catalog").stdout);
    insta::assert_snapshot!(config(&sandbox, "image"), @r#"{"User":"1001","Entrypoint":["/bin/opmx"],"Cmd":["serve","/configs","--cache-dir=/tmp/cache"],"ExposedPorts":{"50051/tcp":{}},"Env":["PATH=/bin"],"Labels":{"maintainer":"garden","operators.operatorframework.io.index.configs.v1":"/configs"}}"#);
}

#[test]
fn the_digest_is_reproducible() {
    let sandbox = catalog();
    let first = outcome_of(&sandbox, "catalog build catalog -t oci:one:v1").stdout;
    fs::rename(sandbox.path("catalog"), sandbox.path("moved")).unwrap();
    let file = sandbox.path("moved/rake/catalog.yaml");
    fs::write(&file, fs::read(&file).unwrap()).unwrap();
    let second = outcome_of(&sandbox, "catalog build moved -t oci:two:v1").stdout;
    assert_eq!(first.split_once('@').unwrap().1, second.split_once('@').unwrap().1);
}

#[test]
fn an_image_without_a_binary_contains_only_the_catalog() {
    let sandbox = catalog();
    succeed(&sandbox, "catalog build catalog -t oci:image:v1 --no-binary");
    insta::assert_snapshot!(config(&sandbox, "image"), @r#"{"Labels":{"operators.operatorframework.io.index.configs.v1":"/configs"}}"#);
    succeed(&sandbox, "index list bundles oci:image:v1");

    let built = outcome_of(
        &sandbox,
        "catalog build catalog -t oci:all:v1 --no-binary --all-platforms",
    );
    insta::assert_snapshot!(built.stderr, @"built catalog as oci:all:v1 for linux/amd64, linux/arm64, linux/loong64, linux/ppc64le, linux/riscv64, linux/s390x");
    // One layer for all, a manifest and a config for each, and the index.
    assert_eq!(blobs(&sandbox.path("all")), 1 + 6 * 2 + 1);
}

#[test]
fn the_catalog_of_the_base_image_is_not_kept() {
    let sandbox = catalog();
    succeed(&sandbox, "catalog build catalog -t oci:old:v1");
    fs::create_dir(sandbox.path("next")).unwrap();
    fs::write(sandbox.path("next/hoe.yaml"), CATALOG.replace("rake", "hoe")).unwrap();
    succeed(&sandbox, "catalog build next -t oci:new:v1 -i oci:old:v1");
    let listed = outcome_of(&sandbox, "index list packages oci:new:v1").stdout;
    assert_eq!(listed, outcome_of(&sandbox, "index list packages next").stdout);
    let command = &config(&sandbox, "new")["Cmd"];
    assert_eq!(
        command[3], "--cache-enforce-integrity=false",
        "opm would insist on a cache"
    );
}

#[test]
fn ignored_files_are_not_in_the_image() {
    let sandbox = catalog();
    fs::write(sandbox.path("catalog/.indexignore"), "notes.md\n").unwrap();
    fs::write(sandbox.path("catalog/notes.md"), "# notes").unwrap();
    let with = outcome_of(&sandbox, "catalog build catalog -t oci:image:v1 --no-binary").stdout;
    fs::remove_file(sandbox.path("catalog/notes.md")).unwrap();
    fs::remove_file(sandbox.path("catalog/.indexignore")).unwrap();
    assert_eq!(
        outcome_of(&sandbox, "catalog build catalog -t oci:image:v1 --no-binary").stdout,
        with
    );
}

#[test]
fn a_catalog_with_errors_is_not_built() {
    let sandbox = catalog();
    fs::write(
        sandbox.path("catalog/rake/catalog.yaml"),
        CATALOG.replace("- name: rake.v1.0.0", "- name: rake.v2"),
    )
    .unwrap();
    insta::assert_snapshot!(fail(&sandbox, "catalog build catalog -t oci:image:v1"), @r#"
    ------- stderr -------
    error[catalog-channel-head]: channel "stable" of package "rake" has 2 heads instead of one: "rake.v1.2.0" and "rake.v2" are neither replaced nor skipped by another entry
      --> catalog/rake/catalog.yaml:11:11
       |
    11 |   - name: rake.v1.2.0
       |           ^^^^^^^^^^^
       |
       = note: at entries[0].name
       = help: Leave exactly one entry that no other entry names in replaces or skips.
    note: another head
      --> catalog/rake/catalog.yaml:16:11
       |
    16 |   - name: rake.v2
       |           -------

    error[catalog-entry-bundle]: channel "stable" of package "rake" has an entry for bundle "rake.v2", which is not in the catalog
      --> catalog/rake/catalog.yaml:16:11
       |
    16 |   - name: rake.v2
       |           ^^^^^^^
       |
       = note: at entries[2].name
       = help: Add the bundle, correct the name, or remove the entry.

    error[catalog-bundle-unlisted]: bundle "rake.v1.0.0" of package "rake" is not in any channel of the package
      --> catalog/rake/catalog.yaml:26:7
       |
    26 | name: rake.v1.0.0
       |       ^^^^^^^^^^^
       |
       = note: at name
       = help: Did you mean "rake.v1.1.0"? Add an entry for the bundle to a channel of the package, or remove the bundle.

    3 errors
    error: the catalog catalog has errors, so no image was built from it
    ------- exit 1 -------
    "#);
    fs::create_dir(sandbox.path("empty")).unwrap();
    insta::assert_snapshot!(fail(&sandbox, "catalog build empty -t oci:image:v1"), @"
    ------- stderr -------
    error: the catalog empty contains no package
      hint: add bundles with opmx catalog add; if the folder contains a template, render it first with opmx alpha render-template
    ------- exit 1 -------
    ");
    assert!(!sandbox.path("image").exists());
}

#[test]
fn a_base_image_with_a_database_is_rejected() {
    let sandbox = catalog();
    let bundle = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/compost-operator");
    succeed(&sandbox, &format!("index add -b {} -t oci:index:v1", bundle.display()));
    insta::assert_snapshot!(fail(&sandbox, "catalog build catalog -t oci:image:v1 -i oci:index:v1"), @"
    ------- stderr -------
    error: the base image oci:index:v1 is an index with a database
      hint: use a base image that contains only a program
    ------- exit 1 -------
    ");
    assert!(!sandbox.path("image").exists());
}

#[test]
fn mutually_exclusive_flags_are_rejected() {
    let sandbox = catalog();
    let outcome = sandbox.run("catalog build catalog -t oci:image:v1 --all-platforms".split(' '));
    insta::assert_snapshot!(outcome, @"
    ------- stderr -------
    error: --all-platforms requires a base image
      hint: specify the base image with --binary-image, or a binary for each platform with --binary
    ------- exit 2 -------
    ");
    let outcome = sandbox.run("catalog build catalog -t oci:image:v1 --no-binary -i oci:base:v1".split(' '));
    assert!(outcome.stderr.contains("--no-binary"), "{}", outcome.stderr);
}

#[test]
fn the_label_of_the_catalog_cannot_be_set() {
    let sandbox = catalog();
    let label = "operators.operatorframework.io.index.configs.v1=/x";
    let outcome = sandbox.run(["catalog", "build", "catalog", "-t", "oci:image:v1", "--label", label]);
    assert_eq!(outcome.status, Some(2), "{outcome}");
    assert!(outcome.stderr.contains("cannot be set"), "{outcome}");
}
