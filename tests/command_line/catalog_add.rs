//! `catalog add`: adding bundles to channels of file-based catalogs.

use crate::bundles::{CATALOG, fail, garden, names, operator, outcome_of, rake, small_base, succeed};
use crate::common::Sandbox;
use std::fs;

/// An empty catalog, and three versions of a bundle in folders, each of which replaces the one before.
fn catalog() -> Sandbox {
    let sandbox = garden();
    rake(&sandbox, "rake1", "1.0.0", None);
    rake(&sandbox, "rake2", "1.1.0", Some("rake.v1.0.0"));
    rake(&sandbox, "rake3", "1.2.0", Some("rake.v1.1.0"));
    fs::create_dir(sandbox.path("catalog")).unwrap();
    sandbox
}

fn text(sandbox: &Sandbox, catalog: &str) -> String {
    fs::read_to_string(sandbox.path(catalog).join("rake/catalog.yaml")).unwrap()
}

#[test]
fn a_package_is_created_with_its_first_bundle_and_extended() {
    let sandbox = catalog();
    insta::assert_snapshot!(outcome_of(&sandbox, "catalog add catalog -b rake1 --channel stable"), @"
    ------- stderr -------
    rake.v1.0.0 is stored with its manifests because it is not in a registry; to store only its reference, publish the bundle to a registry and add it from there
    added rake.v1.0.0 to stable
    wrote catalog/rake/catalog.yaml
    ");
    let begin: String = text(&sandbox, "catalog")
        .lines()
        .take(16)
        .map(|line| format!("{line}\n"))
        .collect();
    insta::assert_snapshot!(begin, @r#"
    ---
    schema: olm.package
    name: rake
    defaultChannel: stable
    ---
    schema: olm.channel
    name: stable
    package: rake
    entries:
    - name: rake.v1.0.0
    ---
    schema: olm.bundle
    name: rake.v1.0.0
    package: rake
    image: ""
    properties:
    "#);
    insta::assert_snapshot!(outcome_of(&sandbox, "catalog add catalog -b rake1 --channel stable"), @"
    ------- stderr -------
    rake.v1.0.0 is stored with its manifests because it is not in a registry; to store only its reference, publish the bundle to a registry and add it from there
    no changes in catalog
    ");
    insta::assert_snapshot!(outcome_of(&sandbox, "catalog add catalog -b rake3,rake2 --channel stable,fast"), @"
    ------- stderr -------
    rake.v1.1.0 is stored with its manifests because it is not in a registry; to store only its reference, publish the bundle to a registry and add it from there
    rake.v1.2.0 is stored with its manifests because it is not in a registry; to store only its reference, publish the bundle to a registry and add it from there
    created channel fast of package rake
    added rake.v1.1.0 to stable, fast
    added rake.v1.2.0 to stable, fast
    wrote catalog/rake/catalog.yaml
    ");
    insta::assert_snapshot!(outcome_of(&sandbox, "index list channels catalog"), @"
    PACKAGE  CHANNEL  HEAD
    rake     fast     rake.v1.2.0
    rake     stable   rake.v1.2.0
    ");
    succeed(&sandbox, "validate catalog");
    let before = text(&sandbox, "catalog");
    rake(&sandbox, "rake4", "1.3.0", Some("rake.v1.2.0"));
    succeed(&sandbox, "catalog add catalog -b rake4 --channel stable");
    succeed(&sandbox, "catalog rm catalog rake@1.3.0 -q");
    assert_eq!(
        text(&sandbox, "catalog"),
        before,
        "a head that was just added leaves nothing behind"
    );
}

#[test]
fn a_file_with_only_comments_keeps_them_when_a_package_is_added() {
    let sandbox = catalog();
    fs::create_dir(sandbox.path("catalog/rake")).unwrap();
    for (before, kept) in [
        ("# Owned by the gardeners.", "# Owned by the gardeners.\n"),
        ("", "---\n"),
    ] {
        fs::write(sandbox.path("catalog/rake/catalog.yaml"), before).unwrap();
        succeed(&sandbox, "catalog add catalog -q -b rake1 --channel stable");
        let after = text(&sandbox, "catalog");
        assert!(after.starts_with(&format!("{kept}schema: olm.package\n")), "{after}");
    }
}

#[test]
fn a_new_bundle_gets_its_own_file_if_every_other_bundle_has_one() {
    let sandbox = catalog();
    let list = "schema: olm.package\nname: rake\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: rake\n\
                name: stable\nentries:\n- name: rake.v1.0.0\n";
    let bundle = "schema: olm.bundle\npackage: rake\nname: rake.v1.0.0\nimage: registry.example.com/rake:1.0.0\n\
                  properties:\n- type: olm.package\n  value: {packageName: rake, version: 1.0.0}\n";
    let folder = sandbox.path("catalog/rake/bundles");
    fs::create_dir_all(&folder).unwrap();
    fs::write(sandbox.path("catalog/rake/rake.yaml"), list).unwrap();
    fs::write(folder.join("rake.v1.0.0.yaml"), bundle).unwrap();
    succeed(&sandbox, "catalog add -q catalog -b rake2,rake3");
    assert_eq!(
        names(&folder),
        ["rake.v1.0.0.yaml", "rake.v1.1.0.yaml", "rake.v1.2.0.yaml"]
    );
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    assert_eq!(read("rake.v1.0.0.yaml"), bundle);
    let new = read("rake.v1.2.0.yaml");
    assert!(new.starts_with("---\nschema: olm.bundle\nname: rake.v1.2.0\n"), "{new}");

    // In any other layout, it comes after the last bundle.
    let both = [read("rake.v1.0.0.yaml"), "---\n".to_owned(), read("rake.v1.1.0.yaml")].concat();
    fs::remove_file(folder.join("rake.v1.1.0.yaml")).unwrap();
    fs::write(folder.join("rake.v1.0.0.yaml"), both).unwrap();
    rake(&sandbox, "rake4", "1.3.0", Some("rake.v1.2.0"));
    succeed(&sandbox, "catalog add -q catalog -b rake4");
    assert_eq!(names(&folder), ["rake.v1.0.0.yaml", "rake.v1.2.0.yaml"]);
}

#[test]
fn version_modes_are_independent_of_the_order_of_addition() {
    let sandbox = catalog();
    rake(&sandbox, "rake4", "1.1.1", None);
    for mode in ["semver", "semver-skippatch"] {
        let mut texts = Vec::new();
        for order in ["1234", "4321", "3142", "2413"] {
            let _ = fs::remove_dir_all(sandbox.path("catalog"));
            fs::create_dir(sandbox.path("catalog")).unwrap();
            for number in order.chars() {
                let line = format!("catalog add catalog -b rake{number} --channel stable --mode {mode}");
                succeed(&sandbox, &line);
            }
            let graph = outcome_of(&sandbox, "index graph catalog").stdout;
            texts.push(graph);
        }
        assert!(texts.iter().all(|text| *text == texts[0]), "{texts:?}");
        if mode == "semver" {
            // The same as a database has it.
            succeed(
                &sandbox,
                "registry add -q -b rake1,rake2,rake3,rake4 -d index.db --mode semver",
            );
            assert_eq!(outcome_of(&sandbox, "index graph index.db").stdout, texts[0]);
        } else {
            insta::assert_snapshot!(texts[0], @r#"
    flowchart LR
      subgraph p0["rake"]
        subgraph c0["stable, default"]
          b0["rake.v1.2.0<br/>1.2.0, head"]
          b1["rake.v1.1.1<br/>1.1.1"]
          b2["rake.v1.1.0<br/>1.1.0"]
          b3["rake.v1.0.0<br/>1.0.0"]
          b1 -->|replaces| b0
          b3 -->|replaces| b1
          b2 -.->|skips| b1
          b3 -->|replaces| b2
        end
      end
      classDef head stroke-width:4px
      class b0 head
      linkStyle 2 stroke-dasharray:8 4
    "#);
        }
    }
}

#[test]
fn several_catalogs_are_changed_by_one_command() {
    let sandbox = catalog();
    for name in ["v1", "v2"] {
        fs::create_dir(sandbox.path(name)).unwrap();
        succeed(&sandbox, &format!("catalog add {name} -b rake1 --channel stable -q"));
    }
    insta::assert_snapshot!(outcome_of(&sandbox, "catalog add v1 v2 -b rake2 --channel stable"), @"
    ------- stderr -------
    rake.v1.1.0 is stored with its manifests because it is not in a registry; to store only its reference, publish the bundle to a registry and add it from there
    added rake.v1.1.0 to stable
    wrote v1/rake/catalog.yaml
    added rake.v1.1.0 to stable
    wrote v2/rake/catalog.yaml
    ");
    assert_eq!(text(&sandbox, "v1"), text(&sandbox, "v2"));
    let before = text(&sandbox, "v1");
    insta::assert_snapshot!(fail(&sandbox, "catalog add v1 v2/rake/catalog.yaml -b rake3 --channel stable"), @"
    ------- stderr -------
    error: v2/rake/catalog.yaml is not a folder; a file-based catalog is a folder of files
    ------- exit 1 -------
    ");
    assert_eq!(text(&sandbox, "v1"), before, "no catalog changes where one cannot");
}

#[test]
fn edges_can_be_specified_for_a_catalog() {
    let sandbox = catalog();
    succeed(&sandbox, "catalog add catalog -b rake1,rake2 --channel stable -q");
    let line =
        "catalog add catalog -b rake3 --channel stable --replaces rake.v1.0.0 --skips rake.v1.1.0 --skip-range <1.2.0";
    succeed(&sandbox, line);
    let entries: String = text(&sandbox, "catalog")
        .lines()
        .skip(8)
        .take(9)
        .map(|line| format!("{line}\n"))
        .collect();
    insta::assert_snapshot!(entries, @"
    entries:
    - name: rake.v1.2.0
      replaces: rake.v1.0.0
      skips:
      - rake.v1.1.0
      skipRange: <1.2.0
    - name: rake.v1.1.0
      replaces: rake.v1.0.0
    - name: rake.v1.0.0
    ");
    insta::assert_snapshot!(fail(&sandbox, "catalog add catalog -b rake3 --channel stable"), @r#"
    ------- stderr -------
    error: bundle "rake.v1.2.0" is already in channel "stable" of package "rake", but with different replaces or skips
      hint: change the edges with --overwrite, or omit --replaces and --skips
    ------- exit 1 -------
    "#);
    let outcome = sandbox.run("catalog add catalog -b rake1,rake2 --channel stable --replaces x".split(' '));
    assert_eq!(outcome.status, Some(2), "{outcome}");
}

#[test]
fn a_bundle_that_does_not_fit_is_rejected() {
    let sandbox = catalog();
    insta::assert_snapshot!(fail(&sandbox, "catalog add catalog -b rake1 --channel stable,fast"), @r#"
    ------- stderr -------
    error: rake1/metadata/annotations.yaml:1: package "rake" has no default channel
      hint: specify the default channel with --default-channel; the channels are stable, fast
    ------- exit 1 -------
    "#);
    succeed(
        &sandbox,
        "catalog add catalog -b rake1 --channel stable,fast --default-channel fast -q",
    );
    // Without what leads to it there are two heads.
    insta::assert_snapshot!(fail(&sandbox, "catalog add catalog -b rake3 --channel stable"), @r#"
    ------- stderr -------
    error: rake3/manifests/operator.clusterserviceversion.yaml:8: bundle rake.v1.2.0 would be a second head of channel "stable" of package "rake" beside rake.v1.0.0: it replaces rake.v1.1.0, which is not in the channel
      hint: make rake.v1.2.0 replace or skip rake.v1.0.0, in its ClusterServiceVersion or with "opmx catalog add --replaces", or order the channel by version with --mode semver
    ------- exit 1 -------
    "#);
    rake(&sandbox, "rake1", "1.0.0", Some("rake.v0.9.0"));
    let outcome = fail(&sandbox, "catalog add catalog -b rake1 --channel stable");
    let shown = "with different content: properties[olm.bundle.object] …";
    assert!(outcome.stderr.contains(shown), "{outcome}");
    assert!(outcome.stderr.contains("\"replaces\":\"rake.v0.9.0\""), "{outcome}");
    succeed(&sandbox, "catalog add catalog -b rake1 --channel stable --overwrite -q");
    succeed(&sandbox, "validate catalog");
}

/// The lines for a Makefile in the book.
#[test]
fn the_documented_operator_sdk_makefile_keeps_working_or_builds_a_catalog() {
    let sandbox = catalog();
    small_base(&sandbox);
    for (bundle, tag) in [("rake1", "v1"), ("rake2", "v2")] {
        succeed(&sandbox, &format!("bundle build {bundle} -t oci:bundles:{tag} -q"));
    }
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/guides/from-opm-index-add.md");
    let chapter = fs::read_to_string(page).unwrap();
    let lines: Vec<String> = chapter
        .lines()
        .filter_map(|line| line.strip_prefix('\t'))
        .map(|line| {
            line.replace("$(OPM)", "opmx")
                .replace("$(CATALOG_IMG)", "oci:out:v1")
                .replace("$(BUNDLE_IMGS)", "oci:bundles:v1,oci:bundles:v2")
                .replace("$(FROM_INDEX_OPT)", "--binary-image oci:base:v1")
        })
        .collect();
    let commands: Vec<&str> = lines.iter().filter_map(|line| line.strip_prefix("opmx ")).collect();
    let [index, add, build] = commands[..] else {
        panic!("{commands:?}")
    };
    let heads = |sandbox: &Sandbox| outcome_of(sandbox, "index list channels oci:out:v1").stdout;
    succeed(&sandbox, index);
    let with_database = heads(&sandbox);
    succeed(&sandbox, add);
    succeed(&sandbox, build);
    assert_eq!(heads(&sandbox), with_database);
    assert!(with_database.contains("rake.v1.1.0"), "{with_database}");
    // And the way from one to the other.
    succeed(&sandbox, index);
    succeed(&sandbox, "migrate oci:out:v1 migrated -o yaml -q");
    let migrated = outcome_of(&sandbox, "index list channels migrated").stdout;
    assert_eq!(migrated, with_database);
}

#[test]
fn two_bundles_with_one_name_in_one_command_are_rejected() {
    let sandbox = catalog();
    rake(&sandbox, "other", "1.0.0", Some("rake.v0.9.0"));
    let line = "catalog add catalog -b rake1,other --channel stable --default-channel stable";
    let outcome = fail(&sandbox, line);
    assert!(
        outcome.stderr.contains("with different content: properties"),
        "{outcome}"
    );
    assert!(!sandbox.path("catalog/rake").exists());
}

#[test]
fn several_catalogs_change_atomically() {
    let sandbox = Sandbox::new();
    for folder in ["all/a", "all/b"] {
        fs::create_dir_all(sandbox.path(folder)).unwrap();
        fs::write(sandbox.path(folder).join("rake.yaml"), CATALOG).unwrap();
    }
    operator(&sandbox, "next", "rake", "1.3.0", Some("rake.v1.2.0"));
    let text = |folder: &str| fs::read_to_string(sandbox.path(folder).join("rake.yaml")).unwrap();
    let add = "catalog add all/a all/b -b next --channel stable";
    // A link in the second catalog cannot be replaced.
    fs::rename(sandbox.path("all/b/rake.yaml"), sandbox.path("all/b/.real")).unwrap();
    fs::write(sandbox.path("all/b/.indexignore"), ".real\n").unwrap();
    std::os::unix::fs::symlink(".real", sandbox.path("all/b/rake.yaml")).unwrap();
    let _ = fail(&sandbox, add);
    assert_eq!(text("all/a"), CATALOG);
    fs::remove_file(sandbox.path("all/b/rake.yaml")).unwrap();
    fs::rename(sandbox.path("all/b/.real"), sandbox.path("all/b/rake.yaml")).unwrap();
    succeed(&sandbox, add);
    assert_ne!(text("all/a"), CATALOG);
    assert_eq!(text("all/a"), text("all/b"));
    assert!(!sandbox.path("all/.opmx-changes").exists());

    // The catalog with an error is named.
    operator(&sandbox, "loose", "rake", "1.4.0", None);
    let outcome = fail(&sandbox, "catalog add all/a all/b -b loose --channel stable");
    assert!(outcome.stderr.contains("cannot add to all/a"), "{outcome}");
    // Catalogs that are far from each other cannot change together.
    fs::create_dir_all(sandbox.path("far/1/2/3/4")).unwrap();
    let outcome = fail(
        &sandbox,
        "catalog add all/a far/1/2/3/4 -b loose --channel other --default-channel other",
    );
    assert!(outcome.stderr.contains("change them one at a time"), "{outcome}");
}

#[test]
fn a_bundle_whose_entry_was_edited_is_still_the_same_bundle() {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.path("catalog")).unwrap();
    fs::write(sandbox.path("catalog/rake.yaml"), CATALOG).unwrap();
    operator(&sandbox, "next", "rake", "1.3.0", Some("rake.v1.2.0"));
    let add = "catalog add catalog -b next --channel stable";
    succeed(&sandbox, add);
    succeed(&sandbox, "catalog rm catalog rake:stable@1.2.0");
    let outcome = outcome_of(&sandbox, add);
    assert!(outcome.stderr.contains("no changes in catalog"), "{outcome}");
}

#[test]
fn versions_that_cannot_be_ordered_are_rejected() {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.path("catalog")).unwrap();
    for build in ["a", "b"] {
        operator(&sandbox, build, "hoe", &format!("1.0.0+{build}"), None);
    }
    let outcome = fail(&sandbox, "catalog add catalog -b a,b --mode semver");
    assert!(outcome.stderr.contains("cannot be ordered"), "{outcome}");
}

#[test]
fn an_invalid_range_on_the_command_line_is_rejected() {
    let sandbox = catalog();
    let line = [
        "catalog",
        "add",
        "catalog",
        "-b",
        "rake1",
        "--channel",
        "stable",
        "--skip-range",
        "1.x to 2",
    ];
    let outcome = sandbox.run(line);
    assert_eq!(outcome.status, Some(2), "{outcome}");
    assert!(
        outcome
            .stderr
            .contains("invalid value '1.x to 2' for '--skip-range <RANGE>'"),
        "{outcome}"
    );
}

#[test]
fn an_index_and_a_catalog_reject_a_bundle_for_the_same_reason() {
    let sandbox = catalog();
    let add = "registry add -b rake1 -d index.db -q";
    succeed(&sandbox, add);
    rake(&sandbox, "itself", "2.0.0", Some("rake.v2.0.0"));
    rake(&sandbox, "skipping", "2.0.0", None);
    let csv = sandbox.path("skipping/manifests/operator.clusterserviceversion.yaml");
    let text = fs::read_to_string(&csv).unwrap();
    fs::write(&csv, text.replacen("spec:\n", "spec:\n  skips: rake.v1.0.0\n", 1)).unwrap();
    fs::create_dir(sandbox.path("empty")).unwrap();
    for (bundle, reason) in [
        (
            "itself",
            "itself/manifests/operator.clusterserviceversion.yaml:8: bundle rake.v2.0.0 of package \"rake\" replaces \
             itself; in replaces, name the bundle before it\n",
        ),
        (
            "skipping",
            "skipping/manifests/operator.clusterserviceversion.yaml:6: spec.skips of ClusterServiceVersion rake.v2.0.0 \
             is a string; it must be a list\n",
        ),
    ] {
        for to in ["registry add -d index.db", "catalog add empty --channel stable"] {
            let outcome = fail(&sandbox, &format!("{to} -b {bundle}"));
            assert!(outcome.stderr.contains(reason), "{to}: {outcome}");
        }
    }
}

#[test]
fn an_unknown_default_channel_is_rejected_unless_a_later_bundle_adds_the_channel() {
    let sandbox = catalog();
    let annotations = "rake1/metadata/annotations.yaml";
    let default = |name: &str| {
        let text = fs::read_to_string(sandbox.path(annotations)).unwrap();
        let key = "operators.operatorframework.io.bundle.channel.default.v1";
        let mut lines: Vec<&str> = text.lines().filter(|line| !line.contains(key)).collect();
        let line = format!("  {key}: {name}");
        lines.push(&line);
        fs::write(sandbox.path(annotations), lines.join("\n")).unwrap();
    };
    default("stabel");
    for to in ["registry add -d index.db", "catalog add catalog"] {
        let outcome = fail(&sandbox, &format!("{to} -b rake1"));
        let reason = "the default channel \"stabel\" that bundle rake.v1.0.0 declares for package \"rake\" is not one of \
                      its channels (\"stable\")";
        assert!(outcome.stderr.contains(reason), "{to}: {outcome}");
        assert!(
            outcome.stderr.contains("rake1/metadata/annotations.yaml:"),
            "{to}: {outcome}"
        );
    }
    succeed(&sandbox, "catalog add catalog -b rake1 --channel candidate -q");
    fs::remove_dir_all(sandbox.path("catalog/rake")).unwrap();
    let later = fs::read_to_string(sandbox.path("rake2/metadata/annotations.yaml")).unwrap();
    fs::write(
        sandbox.path("rake2/metadata/annotations.yaml"),
        later.replace("stable", "stable,fast"),
    )
    .unwrap();
    default("fast");
    succeed(&sandbox, "catalog add catalog -b rake1,rake2 -q");
    assert!(text(&sandbox, "catalog").contains("defaultChannel: fast\n"));
}

#[test]
fn every_bundle_that_cannot_be_added_is_reported_and_none_is_added() {
    let sandbox = catalog();
    for name in ["rake2", "rake3"] {
        fs::remove_file(sandbox.path(name).join("metadata/annotations.yaml")).unwrap();
    }
    let outcome = fail(&sandbox, "catalog add catalog -b rake1,rake2,rake3,nowhere/");
    for words in [
        "error[ann-file-missing]: rake2 has",
        "error[ann-file-missing]: rake3 has",
        "error: cannot render nowhere/\n",
        "error: 3 of 4 bundles cannot be added, so no bundle was added\n",
    ] {
        assert!(outcome.stderr.contains(words), "{words}: {outcome}");
    }
    assert!(!sandbox.path("catalog/rake").exists());
}

#[test]
fn an_invalid_channel_option_is_not_attributed_to_the_bundle() {
    let sandbox = catalog();
    let outcome = sandbox.run(["catalog", "add", "catalog", "-b", "rake1", "--channel", "sta ble"]);
    assert!(
        outcome
            .stderr
            .starts_with("error: \"sta ble\" is not a valid channel name"),
        "{outcome}"
    );
}

#[test]
fn a_database_is_rejected_with_the_commands_that_change_it() {
    let sandbox = catalog();
    succeed(&sandbox, "registry add -q -b rake1 -d index.db");
    for line in ["catalog add index.db -b rake2", "catalog rm index.db rake"] {
        let outcome = fail(&sandbox, line);
        assert_eq!(
            outcome.stderr,
            "error: index.db is a database, not a file-based catalog\n  hint: change the database with a command \
             such as opmx registry add -d index.db\n  hint: or convert it to a catalog first: opmx migrate index.db \
             FOLDER\n",
            "{line}"
        );
    }
}

#[test]
fn a_bundle_or_a_layout_is_not_an_index() {
    let sandbox = catalog();
    succeed(&sandbox, "bundle build rake1 -q -t oci:layout:rake1");
    for (index, refusal) in [
        ("rake1", "rake1 is a bundle, not an index"),
        ("oci:layout:rake1", "oci:layout:rake1 is a bundle, not an index"),
        (
            "layout",
            "layout is an OCI image layout, not an index\n  hint: specify an image in the layout as oci:layout:TAG",
        ),
    ] {
        let outcome = fail(&sandbox, &format!("index add -b rake2 -f {index} -t oci:new:v1"));
        assert!(outcome.stderr.starts_with(&format!("error: {refusal}")), "{outcome}");
        assert_eq!(outcome.stdout, "", "{outcome}");
    }
}

#[test]
fn a_new_channel_of_an_existing_package_is_reported() {
    let sandbox = catalog();
    succeed(&sandbox, "catalog add -q catalog -b rake1 --channel stable");
    let outcome = outcome_of(
        &sandbox,
        "catalog add catalog -b rake2 --channel stable,stabel --dry-run",
    );
    assert!(
        outcome.stderr.contains("would create channel stabel of package rake\n"),
        "{outcome}"
    );
    let outcome = outcome_of(&sandbox, "catalog add catalog -b rake2 --channel stable");
    assert!(!outcome.stderr.contains("the channel"), "{outcome}");
}

#[test]
fn an_error_in_another_package_of_the_same_file_is_tolerated() {
    let sandbox = catalog();
    let other = "schema: olm.package\nname: foo\ndefaultChannel: stable\n";
    fs::write(sandbox.path("catalog/c.yaml"), other).unwrap();
    insta::assert_snapshot!(outcome_of(&sandbox, "catalog add catalog -b rake1 --channel stable"), @"
    ------- stderr -------
    rake.v1.0.0 is stored with its manifests because it is not in a registry; to store only its reference, publish the bundle to a registry and add it from there
    created package rake in catalog
    added rake.v1.0.0 to stable
    wrote catalog/c.yaml
    ");
    let text = fs::read_to_string(sandbox.path("catalog/c.yaml")).unwrap();
    assert!(text.starts_with(other) && text.contains("name: rake.v1.0.0"), "{text}");
    // A fault in the changed package still is one.
    let unlisted = "---\nschema: olm.bundle\npackage: rake\nname: rake.v9\nimage: registry.example.com/rake:9\n\
        properties: [{type: olm.package, value: {packageName: rake, version: 9.0.0}}]\n";
    fs::write(sandbox.path("catalog/c.yaml"), text + unlisted).unwrap();
    let outcome = fail(&sandbox, "catalog add catalog -b rake2 --channel stable");
    assert!(
        outcome
            .stderr
            .contains("the changed packages in catalog would have errors"),
        "{outcome}"
    );
    assert!(!outcome.stderr.contains("foo"), "{outcome}");
}

#[test]
fn an_older_bundle_is_not_added_above_a_newer_one() {
    let sandbox = catalog();
    succeed(&sandbox, "catalog add catalog -b rake3 --channel stable -q");
    insta::assert_snapshot!(fail(&sandbox, "catalog add catalog -b rake1 --channel stable"), @r#"
    ------- stderr -------
    error: rake1/manifests/operator.clusterserviceversion.yaml:4: bundle rake.v1.0.0 would be a second head of channel "stable" of package "rake" beside rake.v1.2.0: it replaces nothing
      hint: rake.v1.2.0 replaces rake.v1.1.0, which is missing: add it first, or order the channel by version with --mode semver
    ------- exit 1 -------
    "#);
    // The advice works.
    succeed(&sandbox, "catalog add catalog -b rake2 --channel stable -q");
    succeed(&sandbox, "catalog add catalog -b rake1 --channel stable -q");
    let outcome = outcome_of(
        &sandbox,
        "catalog add catalog -b rake1 --channel old --replaces rake.v1.1.0",
    );
    assert!(
        outcome
            .stderr
            .contains("warning: version 1.0.0 replaces rake.v1.1.0, which has a higher version"),
        "{outcome}"
    );
    let empty = sandbox.run(["catalog", "add", "catalog", "-b", "rake1", "--replaces", ""]);
    assert!(empty.stderr.contains("the name is empty"), "{empty}");
}
