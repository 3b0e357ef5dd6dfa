//! `index from-fbc`, and changes to an index that start from a file-based catalog.

use crate::bundles::{assert_sound, column, fail, garden, miss, outcome_of, push, rake, small_base, succeed};
use crate::common::Sandbox;
use opmx::image::{EntryContent, ImageConfig, LayerEntry, build, layer_from_files};
use std::collections::BTreeMap;
use std::fs;

const DATABASE: &str = "database/index.db";

/// Bundles of both media types, stored inline and by their image, in a database and as a catalog.
fn indexed() -> Sandbox {
    let sandbox = garden();
    rake(&sandbox, "rake1", "1.0.0", None);
    rake(&sandbox, "rake2", "1.1.0", Some("rake.v1.0.0"));
    let dependencies = "dependencies:\n- type: olm.package\n  value: {packageName: hose, version: '>=1.0.0', intent: recommended}\n- type: olm.constraint\n  value: {failureMessage: no, gvk: {group: g, version: v1, kind: K}}\n";
    fs::write(sandbox.path("rake1/metadata/dependencies.yaml"), dependencies).unwrap();
    succeed(&sandbox, "registry add -q -b greenhouse,compost,rake1 -d index.db");
    succeed(
        &sandbox,
        "registry add -q -b rake2 -d index.db --record-as registry.example.com/rake:v1.1.0",
    );
    succeed(&sandbox, "migrate -q index.db catalog");
    sandbox
}

/// A catalog of one package with content that a database cannot store.
fn particular(sandbox: &Sandbox) {
    let bundle = |name: &str, version: &str| {
        format!(
            "---\nschema: olm.bundle\npackage: p\nname: {name}\nimage: registry.example.com/p:{version}\nmood: calm\nproperties:\n\
             - type: olm.package\n  value: {{packageName: p, version: {version}}}\n\
             - type: olm.csv.metadata\n  value: {{displayName: The P, apiServiceDefinitions: {{}}, crdDescriptions: {{owned: [{{name: ps.example.com, version: v1, kind: P}}]}}, provider: {{}}}}\n\
             - type: olm.gvk\n  value: {{group: example.com, version: v1, kind: P}}\n\
             relatedImages:\n- {{name: sidecar, image: registry.example.com/sidecar:1}}\n"
        )
    };
    let head = "schema: olm.package\nname: p\ndefaultChannel: stable\ndescription: About P.\nicon: {base64data: PHN2Zy8+, mediatype: image/svg+xml}\n\
                ---\nschema: olm.channel\npackage: p\nname: stable\nentries:\n\
                - {name: p.v3, skips: [p.v2, p.v1], skipRange: '<3.0.0'}\n\
                - {name: p.v2, replaces: p.v1}\n\
                - {name: p.v1, replaces: p.v0}\n\
                ---\nschema: olm.channel\npackage: p\nname: fast\nproperties: [{type: x, value: 1}]\nentries:\n- {name: p.v3, replaces: p.v2}\n\
                ---\nschema: olm.deprecations\npackage: p\nentries:\n- {reference: {schema: olm.bundle, name: p.v1}, message: Old.}\n- {reference: {schema: olm.package}, message: All of it.}\n\
                ---\nschema: example.note\nname: note\npackage: p\n---\nschema: example.note\n";
    let bundles = bundle("p.v1", "1.0.0") + &bundle("p.v2", "2.0.0") + &bundle("p.v3", "3.0.0");
    fs::create_dir_all(sandbox.path("particular")).unwrap();
    fs::write(sandbox.path("particular/catalog.yaml"), head.to_owned() + &bundles).unwrap();
}

#[test]
fn the_catalog_of_a_database_is_converted_back_to_that_database() {
    let sandbox = indexed();
    let outcome = outcome_of(&sandbox, "index from-fbc catalog --generate");
    insta::assert_snapshot!(outcome, @"
    ------- stderr -------
    warning: opm:latest is a placeholder for your own image that contains opm or opmx; specify it with --binary-image
    wrote database/index.db and index.Dockerfile
    ");
    let (before, after) = (sandbox.path("index.db"), sandbox.path(DATABASE));
    assert_sound(&after);
    // What an index is made of, the order of the rows apart.
    for query in [
        "SELECT name || '|' || coalesce(csv, '') || '|' || coalesce(bundle, '') || '|' || bundlepath || '|' || skiprange \
         || '|' || version || '|' || replaces || '|' || skips || '|' || coalesce(substitutesfor, '') FROM operatorbundle",
        "SELECT name || '|' || default_channel FROM package",
        "SELECT name || '|' || package_name || '|' || head_operatorbundle_name FROM channel",
        "SELECT channel_name || '|' || package_name || '|' || operatorbundle_name || '|' || depth FROM channel_entry",
        "SELECT type || '|' || CAST(value AS TEXT) || '|' || operatorbundle_name FROM dependencies",
        "SELECT type || '|' || CAST(value AS TEXT) || '|' || operatorbundle_name FROM properties",
        "SELECT group_name || '|' || version || '|' || kind || '|' || plural FROM api",
        "SELECT kind || '|' || operatorbundle_name || '|' || coalesce(operatorbundle_path, '') FROM api_provider",
        "SELECT kind || '|' || operatorbundle_name || '|' || coalesce(operatorbundle_path, '') FROM api_requirer",
        "SELECT image || '|' || operatorbundle_name FROM related_image",
    ] {
        let sorted = |database| {
            let mut rows = column(database, query);
            rows.sort();
            rows
        };
        assert_eq!(sorted(&before), sorted(&after), "{query}");
    }
    let again = outcome_of(&sandbox, &format!("render {DATABASE}")).stdout;
    assert_eq!(again, outcome_of(&sandbox, "render index.db").stdout);
    assert_eq!(again, outcome_of(&sandbox, "render catalog").stdout);
}

#[test]
fn content_that_a_database_cannot_store_is_reported() {
    let sandbox = Sandbox::new();
    particular(&sandbox);
    let outcome = outcome_of(&sandbox, "index from-fbc particular --generate");
    insta::assert_snapshot!(outcome, @"
    ------- stderr -------
    warning: not kept: the document example.note
    warning: not kept: package p: a database has no field for the description of a package
    warning: not kept: package p: in channel stable, p.v1 skips p.v0 instead of replacing it because one of the bundles is not on the path from the head
    warning: not kept: package p: in channel stable, p.v2 skips p.v1 instead of replacing it because one of the bundles is not on the path from the head
    warning: not kept: package p: in a database, p.v2 also belongs to channel fast because a bundle in this channel replaces or skips it
    warning: not kept: package p: a database stores one skipRange of p.v3 for all channels, so its skipRange in channel fast changes from nothing to <3.0.0
    warning: not kept: package p: a database cannot mark olm.bundle p.v1 as deprecated
    warning: not kept: package p: a database cannot mark olm.package as deprecated
    warning: not kept: package p: the field mood of olm.bundle p.v1
    warning: not kept: package p: the field mood of olm.bundle p.v2
    warning: not kept: package p: the field mood of olm.bundle p.v3
    warning: not kept: package p: the field properties of olm.channel fast
    warning: not kept: package p: the document example.note note
    warning: opm:latest is a placeholder for your own image that contains opm or opmx; specify it with --binary-image
    wrote database/index.db and index.Dockerfile
    ");
    let database = sandbox.path(DATABASE);
    assert_sound(&database);
    // What stands for a ClusterServiceVersion is shown to people, and is not a manifest.
    let shown = "SELECT json_extract(csv, '$.spec.displayName') || coalesce(bundle, '-') FROM operatorbundle";
    assert_eq!(column(&database, shown), ["The P-"; 3]);
    let plurals = "SELECT plural FROM api";
    assert_eq!(column(&database, plurals), ["ps"]);
}

#[test]
fn metadata_and_names_of_images_survive_the_way_to_a_database_and_back() {
    let sandbox = Sandbox::new();
    let catalog = "schema: olm.package\nname: p\ndefaultChannel: stable\n\
        ---\nschema: olm.channel\npackage: p\nname: stable\nentries:\n- name: p.v1\n\
        ---\nschema: olm.bundle\npackage: p\nname: p.v1\nimage: registry.example.com/p:1\nproperties:\n\
        - type: olm.csv.metadata\n  value: {apiServiceDefinitions: {}, crdDescriptions: {}, displayName: The P, mood: calm, provider: {name: us}}\n\
        - type: olm.package\n  value: {packageName: p, version: 1.0.0}\n\
        relatedImages:\n- {name: main, image: registry.example.com/m:1}\n- {name: spare, image: registry.example.com/m:1}\n";
    fs::create_dir(sandbox.path("catalog")).unwrap();
    fs::write(sandbox.path("catalog/p.yaml"), catalog).unwrap();
    insta::assert_snapshot!(outcome_of(&sandbox, "index from-fbc catalog --generate"), @"
    ------- stderr -------
    warning: not kept: package p: the field mood in the olm.csv.metadata of p.v1, because its ClusterServiceVersion does not contain it
    warning: opm:latest is a placeholder for your own image that contains opm or opmx; specify it with --binary-image
    wrote database/index.db and index.Dockerfile
    ");
    fs::write(sandbox.path("catalog/p.yaml"), catalog.replace("mood: calm, ", "")).unwrap();
    let before = outcome_of(&sandbox, "render catalog").stdout;
    assert_eq!(outcome_of(&sandbox, &format!("render {DATABASE}")).stdout, before);
    let difference = outcome_of(&sandbox, &format!("index diff catalog {DATABASE}"));
    assert_eq!(difference.stdout, "", "{difference}");
}

#[test]
fn unknown_fields_inside_values_are_reported_as_dropped() {
    let sandbox = Sandbox::new();
    particular(&sandbox);
    let catalog = sandbox.path("particular/catalog.yaml");
    let text = fs::read_to_string(&catalog).unwrap();
    let text = text.replace(
        "{name: p.v3, replaces: p.v2}",
        "{name: p.v3, replaces: p.v2, skipRanges: '<2.0.0'}",
    );
    fs::write(&catalog, text).unwrap();
    let stderr = outcome_of(&sandbox, "index from-fbc particular --generate").stderr;
    let lost = "warning[catalog-field-unknown]: unknown field \"skipRanges\" in entries[0] of channel \"fast\" of package \"p\"\n  --> particular/catalog.yaml:20:32\n";
    assert!(stderr.contains(lost), "{stderr}");
    assert_eq!(stderr.matches("catalog-field-unknown").count(), 1, "{stderr}");
}

#[test]
fn bundles_are_added_to_a_catalog_as_to_a_database() {
    let sandbox = indexed();
    rake(&sandbox, "rake3", "1.2.0", Some("rake.v1.1.0"));
    let outcome = outcome_of(&sandbox, "index add -f catalog -b rake3 --generate");
    insta::assert_snapshot!(outcome, @"
    ------- stderr -------
    added rake.v1.2.0 to package rake (stable)
    warning: opm:latest is a placeholder for your own image that contains opm or opmx; specify it with --binary-image
    wrote database/index.db and index.Dockerfile
    ");
    let heads = "SELECT head_operatorbundle_name FROM channel WHERE package_name = 'rake'";
    assert_eq!(column(&sandbox.path(DATABASE), heads), ["rake.v1.2.0"]);
    let outcome = outcome_of(&sandbox, "index rm -f catalog -o rake --generate");
    insta::assert_snapshot!(outcome, @"
    ------- stderr -------
    removed package rake
    removed bundle rake.v1.0.0
    removed bundle rake.v1.1.0
    warning: opm:latest is a placeholder for your own image that contains opm or opmx; specify it with --binary-image
    wrote database/index.db and index.Dockerfile
    ");
    assert_sound(&sandbox.path(DATABASE));
}

#[test]
fn a_catalog_image_is_converted_to_an_index_image() {
    let sandbox = indexed();
    small_base(&sandbox);
    let file = |path: &str| LayerEntry {
        path: format!("configs/{path}"),
        mode: 0o644,
        content: EntryContent::File(sandbox.path("catalog").join(path)),
    };
    let paths = ["rake", "compost-operator", "greenhouse-operator"];
    let files: Vec<LayerEntry> = paths
        .iter()
        .map(|package| file(&format!("{package}/catalog.json")))
        .collect();
    let label = "operators.operatorframework.io.index.configs.v1".to_owned();
    let config = ImageConfig {
        labels: BTreeMap::from([(label, "/configs".to_owned())]),
        ..ImageConfig::default()
    };
    let image = build(&config, vec![layer_from_files(&files, 0).unwrap()]).unwrap();
    push(&sandbox, &image, "oci:catalog-image:v1");
    succeed(
        &sandbox,
        "index from-fbc -q oci:catalog-image:v1 -t oci:index:v1 -i oci:base:v1",
    );
    let ours = outcome_of(&sandbox, "render oci:index:v1").stdout;
    assert_eq!(ours, outcome_of(&sandbox, "render catalog").stdout);
}

#[test]
fn an_invalid_catalog_is_rejected_with_all_its_errors() {
    let sandbox = Sandbox::new();
    particular(&sandbox);
    let path = sandbox.path("particular/catalog.yaml");
    let broken = fs::read_to_string(&path)
        .unwrap()
        .replace("skips: [p.v2, p.v1]", "skips: [p.v1]");
    fs::write(&path, broken.replace("defaultChannel: stable", "defaultChannel: none")).unwrap();
    for line in [
        "index from-fbc particular --generate",
        "index rm -f particular -o p --generate",
    ] {
        let outcome = fail(&sandbox, line);
        assert!(outcome.stderr.contains("particular/catalog.yaml:3"), "{outcome}");
        assert!(
            outcome.stderr.contains("catalog-default-channel") && outcome.stderr.contains("catalog-channel-head"),
            "{outcome}"
        );
        assert!(
            outcome
                .stderr
                .contains("particular is not a valid catalog, so no index was written"),
            "{outcome}"
        );
        assert!(!sandbox.path("database").exists() && !sandbox.path("index.Dockerfile").exists());
    }
}

#[test]
fn a_bundle_name_in_two_packages_and_databases_are_rejected() {
    let sandbox = indexed();
    particular(&sandbox);
    let text = fs::read_to_string(sandbox.path("particular/catalog.yaml")).unwrap();
    fs::create_dir(sandbox.path("twice")).unwrap();
    fs::write(sandbox.path("twice/p.yaml"), &text).unwrap();
    let other = text
        .replace("package: p\n", "package: q\n")
        .replace("name: p\n", "name: q\n");
    fs::write(
        sandbox.path("twice/q.yaml"),
        other.replace("packageName: p,", "packageName: q,"),
    )
    .unwrap();
    insta::assert_snapshot!(fail(&sandbox, "index from-fbc twice --generate"), @"
    ------- stderr -------
    error: the packages p and q both contain a bundle p.v1, but bundle names must be unique in a database; rename one of them
    ------- exit 1 -------
    ");
    fs::write(sandbox.path("notes.db"), "x\n").unwrap();
    insta::assert_snapshot!(fail(&sandbox, "index from-fbc ./notes.db --generate"), @"
    ------- stderr -------
    error: ./notes.db is not a file-based catalog, which is a folder or a file of YAML or JSON documents
    ------- exit 1 -------
    ");
    insta::assert_snapshot!(miss(&sandbox, "index from-fbc ./nowhere --generate"), @"
    ------- stderr -------
    error: there is no file or folder ./nowhere
      hint: an index is an image, a database file or the folder of a file-based catalog
    ------- exit 4 -------
    ");
    insta::assert_snapshot!(fail(&sandbox, "index from-fbc index.db --generate"), @"
    ------- stderr -------
    error: index.db is an index with a database, not a file-based catalog
      hint: an index with a database needs no conversion; use a command of opmx index to change it
    ------- exit 1 -------
    ");
}

#[test]
fn an_empty_catalog_does_not_replace_an_index() {
    let sandbox = indexed();
    small_base(&sandbox);
    let from = |catalog: &str| format!("index from-fbc {catalog} -t oci:images:a -i oci:base:v1");
    let before = outcome_of(&sandbox, &from("catalog")).stdout;
    fs::write(sandbox.path("catalog/.indexignore"), "*.json\n").unwrap();
    for command in [from("catalog"), "catalog build catalog -t oci:images:a".to_owned()] {
        insta::allow_duplicates! {
            insta::assert_snapshot!(fail(&sandbox, &command), @"
            ------- stderr -------
            error: the catalog catalog contains no package
              hint: add bundles with opmx catalog add; if the folder contains a template, render it first with opmx alpha render-template
            ------- exit 1 -------
            ");
        }
    }
    fs::remove_file(sandbox.path("catalog/.indexignore")).unwrap();
    assert_eq!(outcome_of(&sandbox, &from("catalog")).stdout, before);
    fs::create_dir(sandbox.path("empty")).unwrap();
    insta::assert_snapshot!(outcome_of(&sandbox, "validate empty"), @"
    ------- stderr -------
    warning: empty contains no package
    empty: 0 packages, 0 channels, 0 bundles
    ");
    insta::assert_snapshot!(outcome_of(&sandbox, "serve empty --cache-only"), @"
    ------- stderr -------
    warning: empty contains no package
    empty can be served
    ");
}
