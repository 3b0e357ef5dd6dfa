//! `render` and `migrate`: databases, images, catalogs and bundles as file-based catalogs.

use crate::bundles::{fail, fail_or_miss, garden, names, outcome_of, push, rake, small_base, succeed};
use crate::common::Sandbox;
use opmx::image::{EntryContent, ImageConfig, LayerEntry, build, layer_from_files};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;

const BUNDLE_OBJECT: &str = "olm.bundle.object";

/// A database with a bundle of plain manifests, a registry+v1 bundle, and a package of two, one of them by its image.
fn indexed() -> Sandbox {
    let sandbox = garden();
    rake(&sandbox, "rake1", "1.0.0", None);
    rake(&sandbox, "rake2", "1.1.0", Some("rake.v1.0.0"));
    let dependencies = "dependencies:\n- type: olm.package\n  value: {packageName: hose, version: '>=1.0.0', intent: recommended}\n- type: olm.package\n  value: {packageName: bucket, version: '>=1.0.0'}\n";
    fs::write(sandbox.path("rake1/metadata/dependencies.yaml"), dependencies).unwrap();
    succeed(&sandbox, "registry add -q -b greenhouse,compost,rake1 -d index.db");
    succeed(
        &sandbox,
        "registry add -q -b rake2 -d index.db --record-as registry.example.com/rake:v1.1.0",
    );
    sandbox
}

fn documents(catalog: &str) -> Vec<Value> {
    let documents = serde_json::Deserializer::from_str(catalog).into_iter();
    documents.map(Result::unwrap).collect()
}

fn bundle<'a>(documents: &'a [Value], name: &str) -> &'a Value {
    let mut bundles = documents.iter().filter(|document| document["schema"] == "olm.bundle");
    bundles.find(|bundle| bundle["name"] == name).unwrap()
}

/// The types of the properties of a bundle without duplicates, and the values of the properties of one type.
fn types(bundle: &Value) -> Vec<&str> {
    let mut types: Vec<&str> = properties(bundle)
        .map(|property| property["type"].as_str().unwrap())
        .collect();
    types.dedup();
    types
}

fn properties(bundle: &Value) -> impl Iterator<Item = &Value> {
    bundle["properties"].as_array().unwrap().iter()
}

fn values<'a>(bundle: &'a Value, kind: &str) -> Vec<&'a Value> {
    let of_kind = properties(bundle).filter(|property| property["type"] == kind);
    of_kind.map(|property| &property["value"]).collect()
}

#[test]
fn a_database_is_rendered_in_a_fixed_order() {
    let sandbox = indexed();
    let before = fs::read(sandbox.path("index.db")).unwrap();
    let catalog = outcome_of(&sandbox, "render index.db").stdout;
    assert!(before == fs::read(sandbox.path("index.db")).unwrap());
    let documents = documents(&catalog);
    let shown: Vec<String> = documents
        .iter()
        .map(|document| format!("{} {}", document["schema"], document["name"]).replace('"', ""))
        .collect();
    insta::assert_snapshot!(shown.join("\n"), @"
    olm.package compost-operator
    olm.channel alpha
    olm.bundle compost-operator.v0.3.1
    olm.package greenhouse-operator
    olm.channel candidate
    olm.channel stable
    olm.bundle greenhouse-operator.v1.2.0
    olm.package rake
    olm.channel stable
    olm.bundle rake.v1.0.0
    olm.bundle rake.v1.1.0
    ");
    let rake = bundle(&documents, "rake.v1.1.0");
    assert_eq!(rake["image"], "registry.example.com/rake:v1.1.0");

    // A bundle of plain manifests is one that every OLM installs: no image, and a ClusterServiceVersion among its
    // objects.
    let greenhouse = bundle(&documents, "greenhouse-operator.v1.2.0");
    assert_eq!(greenhouse["image"], "");
    let types = types(greenhouse);
    assert!(types.contains(&"olm.bundle.mediatype"), "{types:?}");
    assert!(values(greenhouse, BUNDLE_OBJECT).len() > 1);
}

#[test]
fn images_and_folders_with_the_same_content_are_rendered_identically() {
    let sandbox = indexed();
    small_base(&sandbox);
    succeed(
        &sandbox,
        "index prune-stranded -q -f index.db -i oci:base:v1 -t oci:index:v1",
    );
    let catalog = outcome_of(&sandbox, "render index.db").stdout;
    assert!(outcome_of(&sandbox, "render oci:index:v1").stdout == catalog);

    fs::create_dir(sandbox.path("catalog")).unwrap();
    fs::write(sandbox.path("catalog/any"), &catalog).unwrap();
    fs::write(sandbox.path("catalog/.indexignore"), "*.md\n").unwrap();
    fs::write(sandbox.path("catalog/README.md"), "# no document").unwrap();
    assert!(outcome_of(&sandbox, "render catalog").stdout == catalog);
    assert!(outcome_of(&sandbox, "render catalog/any").stdout == catalog);

    let yaml = outcome_of(&sandbox, "render catalog -o yaml").stdout;
    fs::write(sandbox.path("catalog.yaml"), &yaml).unwrap();
    assert!(outcome_of(&sandbox, "render catalog.yaml -o yaml").stdout == yaml);
    assert!(documents(&outcome_of(&sandbox, "render catalog.yaml").stdout) == documents(&catalog));

    let labels = [("operators.operatorframework.io.index.configs.v1", "/configs")];
    let entry = |path: &str, file: &str| LayerEntry {
        path: path.to_owned(),
        mode: 0o644,
        content: EntryContent::File(sandbox.path(file)),
    };
    let layer = layer_from_files(
        &[entry("configs/catalog.json", "catalog/any"), entry("etc/x", "index.db")],
        0,
    )
    .unwrap();
    let config = ImageConfig {
        labels: BTreeMap::from(labels.map(|(key, value)| (key.to_owned(), value.to_owned()))),
        ..ImageConfig::default()
    };
    push(&sandbox, &build(&config, vec![layer]).unwrap(), "oci:catalog-image:v1");
    assert!(outcome_of(&sandbox, "render oci:catalog-image:v1").stdout == catalog);
}

#[test]
fn bundles_from_several_sources_are_rendered_into_one_catalog() {
    let sandbox = indexed();
    succeed(&sandbox, "bundle build -q rake2 -t oci:bundles:rake");
    let catalog = outcome_of(&sandbox, "render oci:bundles:rake greenhouse compost").stdout;
    let documents = documents(&catalog);
    let names: Vec<&str> = documents
        .iter()
        .map(|document| document["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        ["compost-operator.v0.3.1", "greenhouse-operator.v1.2.0", "rake.v1.1.0"]
    );
    let stored = documents_of_index(&sandbox);
    for name in &names[..2] {
        assert_eq!(
            bundle(&documents, name)["properties"],
            bundle(&stored, name)["properties"],
            "{name}"
        );
    }
}

fn documents_of_index(sandbox: &Sandbox) -> Vec<Value> {
    documents(&outcome_of(sandbox, "render index.db").stdout)
}

#[test]
fn intents_are_kept_unless_only_required_dependencies_are_requested() {
    let sandbox = indexed();
    let all = documents_of_index(&sandbox);
    let required = values(bundle(&all, "rake.v1.0.0"), "olm.package.required");
    let expected: [Value; 2] = [
        serde_json::json!({"intent": "recommended", "packageName": "hose", "versionRange": ">=1.0.0"}),
        serde_json::json!({"packageName": "bucket", "versionRange": ">=1.0.0"}),
    ];
    assert_eq!(required, [&expected[0], &expected[1]]);
    let less = documents(&outcome_of(&sandbox, "render index.db --required-only").stdout);
    let required = values(bundle(&less, "rake.v1.0.0"), "olm.package.required");
    assert_eq!(required, [&expected[1]]);
}

#[test]
fn a_migration_that_removes_the_only_icon_of_a_package_reports_it() {
    use base64::Engine;
    let sandbox = crate::common::Sandbox::new();
    let csv = r#"{"apiVersion":"operators.coreos.com/v1alpha1","kind":"ClusterServiceVersion","metadata":{"name":"p.v1"},"spec":{"icon":[{"base64data":"aWNvbg==","mediatype":"image/png"}]}}"#;
    let data = base64::engine::general_purpose::STANDARD.encode(csv);
    let write = |package: &str| {
        std::fs::create_dir_all(sandbox.path("catalog")).unwrap();
        let documents = format!(
            "schema: olm.package\nname: p\ndefaultChannel: a\n{package}---\nschema: olm.channel\npackage: p\nname: a\n\
             entries: [{{name: p.v1}}]\n---\nschema: olm.bundle\npackage: p\nname: p.v1\n\
             image: registry.example.com/p:1\nproperties:\n\
             - {{type: olm.package, value: {{packageName: p, version: 1.0.0}}}}\n\
             - {{type: olm.bundle.object, value: {{data: {data}}}}}\n"
        );
        std::fs::write(sandbox.path("catalog/c.yaml"), documents).unwrap();
    };
    let told = |line: &str| {
        let outcome = sandbox.run(line.split(' '));
        assert_eq!(outcome.status, Some(0), "{outcome}");
        outcome.stderr
    };
    let warning = "warning: package p has no icon, and the manifests with the icon of p.v1 were replaced; add the icon to \
                   the olm.package document";
    write("");
    for line in ["render catalog --migrate", "migrate catalog small --migrate-level all"] {
        let told = told(line);
        assert!(told.contains(warning), "{line}: {told}");
    }
    assert!(!told("render catalog").contains("icon"));
    write("icon: {base64data: aWNvbg==, mediatype: image/png}\n");
    assert!(!told("render catalog --migrate").contains("icon"));
}

#[test]
fn manifests_of_bundles_with_an_image_are_removed_on_request() {
    let sandbox = indexed();
    for flag in [
        "--migrate",
        "--migrate-level all",
        "--migrate-level bundle-object-to-csv-metadata",
    ] {
        let catalog = documents(&outcome_of(&sandbox, &format!("render index.db {flag}")).stdout);
        let rake = bundle(&catalog, "rake.v1.1.0");
        assert_eq!(types(rake), ["olm.package", "olm.csv.metadata"], "{flag}");
        assert_eq!(values(rake, "olm.csv.metadata")[0]["displayName"], "rake");
        assert!(types(bundle(&catalog, "greenhouse-operator.v1.2.0")).contains(&BUNDLE_OBJECT));
    }
    for level in ["none", "all"] {
        let both = sandbox.run(["render", "index.db", "--migrate", "--migrate-level", level]);
        assert_eq!(both.status, Some(2), "{both}");
    }
}

#[test]
fn migrate_writes_a_folder_per_package() {
    let sandbox = indexed();
    let outcome = outcome_of(&sandbox, "migrate index.db catalog");
    insta::assert_snapshot!(outcome, @"
    ------- stderr -------
    wrote catalog/compost-operator
    wrote catalog/greenhouse-operator
    wrote catalog/rake
    ");
    assert_eq!(names(&sandbox.path("catalog/rake")), ["catalog.json"]);
    let catalog = outcome_of(&sandbox, "render index.db").stdout;
    assert!(outcome_of(&sandbox, "render catalog").stdout == catalog);

    let refused = fail(&sandbox, "migrate index.db catalog -o yaml");
    assert!(refused.stderr.contains("catalog already exists"), "{refused}");
    succeed(&sandbox, "migrate -q catalog again -o yaml");
    assert_eq!(names(&sandbox.path("again/rake")), ["catalog.yaml"]);
    assert!(documents(&outcome_of(&sandbox, "render again").stdout) == documents(&catalog));
}

#[test]
fn database_errors_that_invalidate_the_catalog_are_reported() {
    let sandbox = indexed();
    let database = rusqlite::Connection::open(sandbox.path("index.db")).unwrap();
    database
        .execute_batch(
            "PRAGMA foreign_keys = OFF;
             DELETE FROM channel WHERE package_name = 'rake';
             DELETE FROM channel_entry WHERE package_name = 'rake';
             INSERT INTO package VALUES ('hoe', NULL);
             UPDATE package SET default_channel = 'gone' WHERE name = 'compost-operator'",
        )
        .unwrap();
    drop(database);
    let stderr = outcome_of(&sandbox, "migrate index.db catalog").stderr;
    for fault in [
        "package compost-operator has the default channel \"gone\", which is not one of its channels",
        "package hoe has no channel",
        "package rake has no channel",
    ] {
        let warning = format!("warning: {fault}, so the catalog is invalid and cannot be served");
        assert!(stderr.contains(&warning), "{stderr}");
    }
    assert_eq!(sandbox.run(["validate", "catalog"]).status, Some(1));
}

#[test]
fn input_that_cannot_be_rendered_is_reported_and_nothing_is_written() {
    let sandbox = indexed();
    fs::create_dir(sandbox.path("broken")).unwrap();
    fs::write(
        sandbox.path("broken/a.yaml"),
        "schema: olm.package\nname: a\n---\nname: b\n",
    )
    .unwrap();
    fs::create_dir(sandbox.path("climbing")).unwrap();
    fs::write(
        sandbox.path("climbing/a.json"),
        "{\"schema\":\"olm.package\",\"name\":\"../a\"}",
    )
    .unwrap();
    push(
        &sandbox,
        &build(&ImageConfig::default(), Vec::new()).unwrap(),
        "oci:plain:v1",
    );
    for (line, words) in [
        ("render ./nothing", "there is no file or folder ./nothing"),
        ("render no/index.db", "there is no file or folder no/index.db"),
        (
            "migrate no/catalog.yaml out",
            "there is no file or folder no/catalog.yaml",
        ),
        ("render Not/An/Image", "neither a file, a folder nor an image"),
        ("render oci:plain:v1", "none of the corresponding labels"),
        ("render broken", "broken/a.yaml:4: the document has no schema"),
        ("migrate broken out", "broken/a.yaml:4: the document has no schema"),
        (
            "migrate climbing out",
            "the name of package \"../a\" is not a valid folder name",
        ),
    ] {
        let outcome = fail_or_miss(&sandbox, line);
        assert!(outcome.stderr.contains(words), "{line}: {outcome}");
        assert!(!sandbox.path("out").exists(), "{line}");
    }
}

#[test]
fn bundles_in_folders_are_rendered_with_their_future_images() {
    let sandbox = indexed();
    let line =
        "render rake1 greenhouse index.db --alpha-image-ref-template registry.example.com/{{.Package}}:v{{.Version}}";
    let all = documents(&outcome_of(&sandbox, line).stdout);
    let rakes: Vec<&Value> = all
        .iter()
        .filter(|document| document["name"] == "rake.v1.0.0")
        .collect();
    let images: Vec<&Value> = rakes.iter().map(|bundle| &bundle["image"]).collect();
    assert_eq!(images, ["registry.example.com/rake:v1.0.0", ""]);
    assert_eq!(
        rakes[0]["relatedImages"][1]["image"],
        "registry.example.com/rake:v1.0.0"
    );
    // A bundle of plain manifests stays in the catalog, because OLM would not find its ClusterServiceVersion in the
    // image.
    let greenhouse = bundle(&all, "greenhouse-operator.v1.2.0");
    assert_eq!(greenhouse["image"], "");
    assert_eq!(
        values(greenhouse, "olm.bundle.image"),
        ["registry.example.com/greenhouse-operator:v1.2.0"]
    );
    let wrong = sandbox.run(["render", "rake1", "--alpha-image-ref-template", "r/{{.Tag}}"]);
    assert_eq!(wrong.status, Some(2), "{wrong}");
    assert!(
        wrong.stderr.contains("\"{{.Tag}}\" is not a valid placeholder"),
        "{wrong}"
    );
}

/// Chain of trust: no later command rejects what this one accepts.
#[test]
fn a_field_of_a_wrong_type_is_rejected_by_render_as_by_validate() {
    let bundle = "schema: olm.bundle\nname: rake.v1\npackage: rake\n";
    for (document, problem) in [
        (
            "schema: olm.package\nname: 1.10\n",
            "name is a number, not a string; quote it",
        ),
        (
            "schema: olm.channel\npackage: rake\nname: on\n",
            "name is true or false, not a string; quote it",
        ),
        (
            "schema: olm.channel\npackage: {}\nname: stable\n",
            "package is a map, not a string",
        ),
        (
            "schema: olm.channel\npackage: rake\nname: stable\nentries: {}\n",
            "entries is a map, not a list",
        ),
        (
            &format!("{bundle}image: 5\n"),
            "image is a number, not a string; quote it",
        ),
    ] {
        let sandbox = Sandbox::new();
        fs::create_dir(sandbox.path("catalog")).unwrap();
        fs::write(sandbox.path("catalog/catalog.yaml"), format!("{bundle}---\n{document}")).unwrap();
        let validated = sandbox.run(["validate", "catalog"]);
        assert_eq!(validated.status, Some(1), "{validated}");
        assert!(validated.stdout.contains("catalog-field-type"), "{validated}");
        let rendered = fail(&sandbox, "render catalog");
        assert_eq!(rendered.stdout, "");
        assert!(
            rendered.stderr.contains(&format!("catalog.yaml:5: {problem}")),
            "{rendered}"
        );
    }
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.path("catalog")).unwrap();
    fs::write(
        sandbox.path("catalog/catalog.yaml"),
        format!("{bundle}image: null\nproperties: null\n"),
    )
    .unwrap();
    let _ = outcome_of(&sandbox, "render catalog");
    // What belongs to others may be anything.
    fs::write(
        sandbox.path("catalog/catalog.yaml"),
        "schema: example.com/own\nname: 5\n",
    )
    .unwrap();
    let _ = outcome_of(&sandbox, "render catalog");
}

#[test]
fn deprecated_bundles_of_a_database_are_omitted_with_a_warning() {
    let sandbox = Sandbox::new();
    for (folder, version, replaces) in [
        ("rake1", "1.0.0", None),
        ("rake2", "1.1.0", Some("rake.v1.0.0")),
        ("rake3", "1.2.0", Some("rake.v1.1.0")),
    ] {
        rake(&sandbox, folder, version, replaces);
        let image = format!("registry.example.com/rake:v{version}");
        succeed(
            &sandbox,
            &format!("registry add -q -b {folder} -d index.db --record-as {image}"),
        );
    }
    succeed(
        &sandbox,
        "registry deprecatetruncate -q -d index.db -b registry.example.com/rake:v1.1.0",
    );
    for line in [
        "render index.db",
        "migrate index.db migrated",
        "index extract rake -f index.db -o extracted",
        "mirror plan --catalog index.db -o plan.json",
    ] {
        let outcome = sandbox.run(line.split(' '));
        assert!(
            outcome.stderr.contains("omitted 1 deprecated bundle: rake.v1.1.0\n"),
            "{outcome}"
        );
    }
}

#[test]
fn an_icon_of_a_database_that_is_not_base64_is_omitted_with_a_warning() {
    let sandbox = indexed();
    let connection = rusqlite::Connection::open(sandbox.path("index.db")).unwrap();
    let icon = r#"json('[{"base64data": "R0l!"}]')"#;
    let changed = format!(
        "UPDATE operatorbundle SET csv = json_set(CAST(csv AS TEXT), '$.spec.icon', {icon}) WHERE name = 'rake.v1.1.0'"
    );
    connection.execute_batch(&changed).unwrap();
    drop(connection);
    let warning = "warning: package rake has no icon, because the icon of rake.v1.1.0 is not base64; add the icon to the \
                   olm.package document\n";
    for line in [
        "render index.db",
        "migrate index.db migrated --migrate-level all",
        "index extract rake -f index.db -o extracted",
        "mirror plan --catalog index.db -o plan.json",
    ] {
        let outcome = sandbox.run(line.split(' '));
        assert_eq!(outcome.stderr.matches(warning).count(), 1, "{outcome}");
    }
}

#[test]
fn database_bundles_in_no_package_are_reported() {
    let sandbox = indexed();
    let connection = rusqlite::Connection::open(sandbox.path("index.db")).unwrap();
    connection
        .execute_batch("PRAGMA foreign_keys = OFF; DELETE FROM package WHERE name <> 'rake'")
        .unwrap();
    let outcome = outcome_of(&sandbox, "migrate index.db some");
    insta::assert_snapshot!(outcome.stderr, @r#"
    warning: the catalog omits 2 bundles not in a channel of any package: compost-operator.v0.3.1, greenhouse-operator.v1.2.0; "opmx index check" lists the problems in the index
    wrote some/rake
    "#);
    connection.execute_batch("DELETE FROM package").unwrap();
    drop(connection);
    for command in ["migrate index.db none", "render index.db"] {
        let outcome = outcome_of(&sandbox, command);
        insta::allow_duplicates! {
            insta::assert_snapshot!(outcome, @r#"
            ------- stderr -------
            warning: the catalog omits 4 bundles not in a channel of any package: compost-operator.v0.3.1, greenhouse-operator.v1.2.0, rake.v1.0.0, rake.v1.1.0; "opmx index check" lists the problems in the index
            warning: index.db contains no package, so nothing is rendered from it
            "#);
        }
    }
}

#[test]
fn a_bundle_without_a_package_property_gets_one() {
    let sandbox = indexed();
    let before = outcome_of(&sandbox, "render index.db").stdout;
    let connection = rusqlite::Connection::open(sandbox.path("index.db")).unwrap();
    connection
        .execute_batch("DELETE FROM properties WHERE type = 'olm.package'")
        .unwrap();
    drop(connection);
    assert_eq!(outcome_of(&sandbox, "render index.db").stdout, before);
}
