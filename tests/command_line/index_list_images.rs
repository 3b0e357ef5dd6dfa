//! `index list images`: the images to mirror.

use crate::bundle_files::write;
use crate::bundles::{fail, garden, miss, outcome_of, succeed};
use crate::common::Sandbox;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use opmx::database::schema;
use rusqlite::Connection;
use serde_json::{Value, json};
use std::collections::BTreeSet;

const DIGEST: &str = "sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

/// Package `app` requires `base` 1.x, recommends `extra` and an API of `kinds`, and names a package that does not
/// exist.
fn indexed(more: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    let connection = Connection::open(sandbox.path("index.db")).unwrap();
    schema::create(&connection, 0).unwrap();
    let csv = r#"{"spec":{"install":{"spec":{"deployments":[{"spec":{"template":{"spec":{"containers":[{"image":"registry.example.com/run/app:2"}]}}}}]}}}}"#;
    let bundle = |name: &str, package: &str, channel: &str, version: &str, csv: &str| {
        format!(
            "INSERT INTO operatorbundle VALUES ('{name}', '{csv}', NULL, 'registry.example.com/bundles/{package}:{version}', '', '{version}', '', '', '');
            INSERT OR IGNORE INTO package VALUES ('{package}', '{channel}');
            INSERT OR IGNORE INTO channel VALUES ('{channel}', '{package}', '{name}');
            INSERT INTO channel_entry (channel_name, package_name, operatorbundle_name, depth) VALUES ('{channel}', '{package}', '{name}', 0);"
        )
    };
    let sql = [
        "BEGIN; PRAGMA defer_foreign_keys = ON;".to_owned(),
        bundle("app.v2", "app", "stable", "2.0.0", csv),
        bundle("app.v1", "app", "old", "1.0.0", ""),
        bundle("base.v1", "base", "stable", "1.5.0", ""),
        bundle("base.v2", "base", "next", "2.0.0", ""),
        bundle("extra.v1", "extra", "stable", "1.0.0", ""),
        bundle("kinds.v1", "kinds", "stable", "1.0.0", ""),
        format!(
            r#"INSERT INTO related_image VALUES ('registry.example.com/run/app:2', 'app.v2'),
                ('registry.example.com/run/helper@{DIGEST}', 'app.v2'), ('registry.example.com/run/app', 'app.v1'),
                ('registry.example.com/bundles/app:2.0.0', 'app.v2');
            INSERT INTO dependencies VALUES
                ('olm.package', '{{"packageName":"base","version":"1.x"}}', 'app.v2', NULL, NULL),
                ('olm.package', '{{"packageName":"gone","version":"1.x"}}', 'app.v2', NULL, NULL),
                ('olm.package', '{{"packageName":"extra","version":">=1.0.0","intent":"recommended"}}', 'base.v1', NULL, NULL),
                ('olm.gvk', '{{"group":"k.io","kind":"K","version":"v1"}}', 'app.v2', NULL, NULL);
            INSERT INTO properties VALUES ('olm.gvk', '{{"group":"k.io","kind":"K","version":"v1"}}', 'kinds.v1', NULL, NULL);"#
        ),
        more.to_owned(),
        "COMMIT;".to_owned(),
    ];
    connection.execute_batch(&sql.concat()).unwrap();
    sandbox
}

#[test]
fn each_image_is_listed_with_its_bundles_roles_and_kind_of_reference() {
    let sandbox = indexed("");
    insta::assert_snapshot!(outcome_of(&sandbox, "index list images index.db app --no-dependencies").stdout, @"
    IMAGE                                                                                                    NAMED BY  ROLES     BUNDLES  WHY
    registry.example.com/bundles/app:1.0.0                                                                   tag       bundle    app.v1   chosen
    registry.example.com/bundles/app:2.0.0                                                                   tag       bundle    app.v2   chosen
    registry.example.com/run/app                                                                             nothing   related   app.v1   chosen
    registry.example.com/run/app:2                                                                           tag       operator  app.v2   chosen
    registry.example.com/run/helper@sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa  digest    related   app.v2   chosen
    ");
    let json = outcome_of(
        &sandbox,
        "index list images index.db --channel old -o json --no-dependencies",
    )
    .stdout;
    insta::assert_snapshot!(json, @r#"
    [
      {
        "image": "registry.example.com/bundles/app:1.0.0",
        "namedBy": "tag",
        "bundles": [
          {
            "name": "app.v1",
            "role": "bundle"
          }
        ]
      },
      {
        "image": "registry.example.com/run/app",
        "namedBy": "nothing",
        "bundles": [
          {
            "name": "app.v1",
            "role": "related"
          }
        ]
      }
    ]
    "#);
}

#[test]
fn images_mounted_as_volumes_are_listed() {
    let csv = r#"{"spec":{"install":{"spec":{"deployments":[{"spec":{"template":{"spec":{"volumes":[
        {"name":"cache","emptyDir":{}},{"name":"models","image":{"reference":"registry.example.com/models:1"}}]}}}}]}}}}"#;
    let sandbox = indexed(&format!(
        "UPDATE operatorbundle SET csv = '{csv}' WHERE name = 'app.v2';"
    ));
    let outcome = outcome_of(&sandbox, "index list images index.db app --no-dependencies");
    assert!(outcome.stdout.contains("registry.example.com/models:1 "), "{outcome}");
}

#[test]
fn images_that_a_bundle_only_mentions_are_reported() {
    let csv = r#"{"kind":"ClusterServiceVersion","metadata":{"name":"app.v2"},"spec":{"install":{"spec":{"deployments":[{"spec":{"template":{"spec":{
        "containers":[{"image":"registry.example.com/run/app:2","env":[
        {"name":"RELATED_IMAGE_PROXY","value":"registry.example.com/run/proxy:1"},
        {"name":"RELATED_IMAGE_APP","value":"registry.example.com/run/app:2"}]}]}}}}]}}}}"#;
    let map = r#"{"kind":"ConfigMap","metadata":{"name":"m"},"data":{"agent":"registry.example.com/run/agent:1"}}"#;
    let sandbox = indexed(&format!(
        "UPDATE operatorbundle SET csv = '{csv}', bundle = '{csv}\n{map}' WHERE name = 'app.v2';"
    ));
    let outcome = outcome_of(&sandbox, "index list images index.db app --no-dependencies");
    insta::assert_snapshot!(outcome.stderr, @"
    warning: the list lacks registry.example.com/run/agent:1: app.v2 mentions it but does not list it as a related image
    warning: the list lacks registry.example.com/run/proxy:1: app.v2 mentions it but does not list it as a related image
      hint: to mirror such an image, copy it separately
    ");
    let outcome = outcome_of(&sandbox, "index list images index.db base --no-dependencies");
    assert_eq!(outcome.stderr, "");
}

#[test]
fn images_of_documents_of_other_schemas_are_listed_with_their_package() {
    let sandbox = Sandbox::new();
    let documents = [
        r#"{"schema":"olm.package","name":"rake","defaultChannel":"stable"}"#,
        r#"{"schema":"olm.channel","package":"rake","name":"stable","entries":[{"name":"rake.v1"}]}"#,
        r#"{"schema":"olm.bundle","package":"rake","name":"rake.v1","image":"registry.example.com/rake:1","properties":[
            {"type":"olm.package","value":{"packageName":"rake","version":"1.0.0"}}]}"#,
        r#"{"schema":"my.custom","package":"rake","relatedImages":[{"name":"z","image":"registry.example.com/z:1"}]}"#,
        r#"{"schema":"my.other","image":"registry.example.com/other:1"}"#,
    ];
    write(&sandbox, "catalog/catalog.json", documents.join("\n"));
    insta::assert_snapshot!(outcome_of(&sandbox, "index list images catalog").stdout, @"
    IMAGE                         NAMED BY  ROLES     BUNDLES    WHY
    registry.example.com/other:1  tag       document  my.other   chosen
    registry.example.com/rake:1   tag       bundle    rake.v1    chosen
    registry.example.com/z:1      tag       document  my.custom  chosen
    ");
    let chosen = outcome_of(&sandbox, "index list images catalog rake -o json").stdout;
    let chosen: Value = serde_json::from_str(&chosen).unwrap();
    assert_eq!(chosen.as_array().unwrap().len(), 2, "{chosen}");
    assert_eq!(
        chosen[1]["documents"],
        json!([{"schema": "my.custom", "package": "rake"}])
    );
}

#[test]
fn bundles_are_selected_by_package_channel_version_and_intent() {
    let sandbox = indexed("");
    let bundles = |options: &[&str]| {
        let outcome = sandbox.run(
            ["index", "list", "images", "index.db", "-o", "json"]
                .iter()
                .chain(options),
        );
        assert_eq!(outcome.status, Some(0), "{outcome}");
        let images: Value = serde_json::from_str(&outcome.stdout).unwrap();
        let images = images.as_array().unwrap().iter();
        let uses = images.flat_map(|image| image["bundles"].as_array().unwrap());
        let names: BTreeSet<String> = uses.map(|used| used["name"].as_str().unwrap().to_owned()).collect();
        (names.into_iter().collect::<Vec<_>>().join(" "), outcome.stderr)
    };
    let names = |options: &[&str]| bundles(options).0;
    assert_eq!(names(&[]), "app.v1 app.v2 base.v1 base.v2 extra.v1 kinds.v1");
    assert_eq!(names(&["-p", "app,extra"]), "app.v1 app.v2 base.v1 extra.v1 kinds.v1");
    assert_eq!(
        names(&["-p", "app,extra", "--no-dependencies"]),
        "app.v1 app.v2 extra.v1"
    );
    assert_eq!(names(&["--channel", "next,old"]), "app.v1 base.v2");
    assert_eq!(names(&["--version", ">=1.1.0 <2.0.0 || >2.0.0"]), "base.v1 extra.v1");
    let stable = ["-p", "app", "--channel", "stable", "--intent"];
    let with = |intents: &str| bundles(&[&stable[..], &[intents]].concat());
    let (required, said) = with("required");
    assert_eq!(required, "app.v2 base.v1 kinds.v1");
    assert_eq!(
        said,
        "warning: app.v2 depends on package gone in the range 1.x, which nothing in the index satisfies\n"
    );
    assert_eq!(with("required,recommended").0, "app.v2 base.v1 extra.v1 kinds.v1");
    assert_eq!(with("optional"), ("app.v2".to_owned(), String::new()));
    let wrong = sandbox.run(["index", "list", "images", "index.db", "--version", "^1.0.0"]);
    assert_eq!(wrong.status, Some(2), "{wrong}");
}

#[test]
fn dependencies_in_constraints_are_followed_like_package_dependencies() {
    let needs = |constraint: &str| {
        let sandbox = indexed(&format!(
            "DELETE FROM dependencies WHERE type = 'olm.package';
            INSERT INTO dependencies VALUES ('olm.constraint', '{constraint}', 'app.v2', NULL, NULL);"
        ));
        let with = |intent: &str| {
            let line = format!("index list images index.db app --channel stable --intent {intent} -o json");
            let outcome = sandbox.run(line.split(' '));
            assert_eq!(outcome.status, Some(0), "{outcome}");
            let names: BTreeSet<&str> = ["base.v1", "base.v2", "extra.v1", "kinds.v1"]
                .into_iter()
                .filter(|name| outcome.stdout.contains(name))
                .collect();
            (names.into_iter().collect::<Vec<_>>().join(" "), outcome.stderr)
        };
        [with("required").0, with("recommended").0]
    };
    let of =
        |name: &str, more: &str| format!(r#"{{"package":{{"packageName":"{name}","versionRange":">=1.0.0"{more}}}}}"#);
    let several = |key: &str, parts: &[String]| format!(r#"{{"{key}":{{"constraints":[{}]}}}}"#, parts.join(","));
    let recommended = r#","intent":"recommended""#;
    assert_eq!(needs(&of("base", "")), ["base.v1 base.v2 kinds.v1", ""]);
    assert_eq!(needs(&of("base", recommended)), ["kinds.v1", "base.v1 base.v2"]);
    let either = several("any", &[of("base", ""), of("extra", "")]);
    assert_eq!(needs(&either), ["base.v1 base.v2 extra.v1 kinds.v1", ""]);
    let cel = r#"{"cel":{"rule":"properties.exists(p, p.type == \"olm.gvk\")"}}"#;
    assert_eq!(needs(&several("all", &[cel.to_owned()])), ["kinds.v1", ""]);
}

#[test]
fn a_mapping_has_the_format_of_mirroring_clients() {
    let sandbox = indexed("");
    let line = "index list images index.db app --no-dependencies -o mapping --to mirror.example.com:5000/olm";
    insta::assert_snapshot!(outcome_of(&sandbox, line), @"
    registry.example.com/bundles/app:1.0.0=mirror.example.com:5000/olm/bundles/app:1.0.0
    registry.example.com/bundles/app:2.0.0=mirror.example.com:5000/olm/bundles/app:2.0.0
    registry.example.com/run/app:2=mirror.example.com:5000/olm/run/app:2
    registry.example.com/run/app:latest=mirror.example.com:5000/olm/run/app:latest
    registry.example.com/run/helper@sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa=mirror.example.com:5000/olm/run/helper:digest-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
    ");
    for wrong in [
        "index list images index.db -o mapping",
        "index list images index.db --to mirror.example.com",
        "index list images index.db -o mapping --to mirror",
        "index list images index.db --keep-host",
    ] {
        let outcome = sandbox.run(wrong.split(' '));
        assert_eq!(
            (outcome.status, outcome.stdout.as_str()),
            (Some(2), ""),
            "{wrong}: {outcome}"
        );
    }
}

#[test]
fn images_that_cannot_be_mirrored_are_reported_and_nothing_is_printed() {
    let sandbox = indexed(
        "INSERT INTO related_image VALUES ('other.example.com/run/app:2', 'base.v2'), ('no image', 'extra.v1');",
    );
    let line = "index list images index.db -o mapping --to mirror.example.com";
    insta::assert_snapshot!(fail(&sandbox, line), @r#"
    ------- stderr -------
    error: "no image" cannot be copied because it is not an image in a registry
      named by: extra.v1
    error: other.example.com/run/app:2 and registry.example.com/run/app:2 would both be copied to mirror.example.com/run/app:2
      hint: use --keep-host to distinguish the images by their hosts
    ------- exit 1 -------
    "#);
    let kept = outcome_of(&sandbox, &format!("{line} -p app,base --no-dependencies --keep-host")).stdout;
    assert!(
        kept.contains("other.example.com/run/app:2=mirror.example.com/other.example.com/run/app:2\n"),
        "{kept}"
    );
}

#[test]
fn an_empty_selection_is_an_error_that_lists_the_available_versions() {
    let sandbox = garden();
    succeed(&sandbox, "registry add -q -b greenhouse,compost -d index.db");
    insta::assert_snapshot!(miss(&sandbox, "index list images index.db --version >=9.0.0"), @"
    ------- stderr -------
    error: index.db contains no bundle with a version in the range of --version
      hint: available versions: 0.3.1, 1.2.0
      hint: use --allow-empty to accept an empty list
    ------- exit 4 -------
    ");
    let outcome = outcome_of(
        &sandbox,
        "index list images index.db --version >=9.0.0 --allow-empty -o json",
    );
    assert_eq!(outcome.stdout.trim(), "[]");
}

/// A file-based catalog with one bundle, which embeds its manifests.
fn with_related(related: &Value) -> Sandbox {
    let sandbox = Sandbox::new();
    let csv = json!({"apiVersion": "operators.coreos.com/v1alpha1", "kind": "ClusterServiceVersion", "metadata": {"name": "app.v1"},
        "spec": {"install": {"spec": {"deployments": [
            {"spec": {"template": {"spec": {"containers": [{"image": "registry.example.com/run/app:1"}]}}}}]}}}});
    let documents = [
        json!({"schema": "olm.package", "name": "app", "defaultChannel": "stable"}),
        json!({"schema": "olm.channel", "package": "app", "name": "stable", "entries": [{"name": "app.v1"}]}),
        json!({"schema": "olm.bundle", "package": "app", "name": "app.v1", "image": "registry.example.com/bundles/app:1",
            "relatedImages": related, "properties": [
                {"type": "olm.package", "value": {"packageName": "app", "version": "1.0.0"}},
                {"type": "olm.bundle.object", "value": {"data": STANDARD.encode(csv.to_string())}}]}),
    ];
    std::fs::create_dir(sandbox.path("catalog")).unwrap();
    std::fs::write(
        sandbox.path("catalog/catalog.json"),
        documents.map(|document| document.to_string()).join("\n"),
    )
    .unwrap();
    sandbox
}

#[test]
fn a_bundle_without_related_images_needs_the_images_it_runs() {
    let listed = outcome_of(&with_related(&json!([])), "index list images catalog");
    assert!(listed.stdout.contains("registry.example.com/run/app:1"), "{listed}");
}

#[test]
fn malformed_related_images_are_an_error() {
    let related = json!([{"name": "a", "image": "registry.example.com/run/app:1"}, {"name": "b", "image": 1}]);
    let listed = with_related(&related).run("index list images catalog".split(' '));
    assert_eq!(listed.status, Some(1), "{listed}");
    assert!(listed.stdout.is_empty(), "{listed}");
    let expected = "catalog.json:3: the field relatedImages of bundle app.v1 is malformed: ";
    let wrong = "image of entry 2 is a number, not a string\n";
    assert!(listed.stderr.ends_with(&format!("{expected}{wrong}")), "{listed}");
    let listed = with_related(&json!(["registry.example.com/run/app:1"])).run("index list images catalog".split(' '));
    let wrong = "entry 1 is a string, not a map\n";
    assert!(listed.stderr.ends_with(&format!("{expected}{wrong}")), "{listed}");
}

#[test]
fn errors_of_a_plan_name_the_catalog_and_not_its_temporary_copy() {
    let sandbox = with_related(&json!(["registry.example.com/run/app:1"]));
    let planned = sandbox.run("mirror plan --catalog catalog --to registry.example.com/mirror".split(' '));
    assert_eq!(planned.status, Some(1), "{planned}");
    let expected =
        "error: catalog: the field relatedImages of bundle app.v1 is malformed: entry 1 is a string, not a map\n";
    assert_eq!(planned.stderr, expected);
}
