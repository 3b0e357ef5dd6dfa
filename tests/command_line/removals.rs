//! `rm`, `prune`, `prune-stranded` and `deprecatetruncate` on database files and index images, dry runs, and existing
//! bundles that are skipped or overwritten.

use crate::bundles::{
    assert_sound, bundle_names, column, database_of, fail, garden, image, miss, names, outcome_of, rake, succeed,
};
use crate::common::Sandbox;
use rusqlite::Connection;
use std::fs;

/// A database with three versions of rake, each with an image, and the two bundles of the repository.
fn with_index() -> Sandbox {
    let sandbox = garden();
    let mut before: Option<String> = None;
    for version in ["1.0.0", "1.1.0", "1.2.0"] {
        rake(&sandbox, version, version, before.as_deref());
        let image = format!("registry.example.com/rake:{version}");
        succeed(
            &sandbox,
            &format!("registry add -q -b {version} --record-as {image} -d index.db"),
        );
        before = Some(format!("rake.v{version}"));
    }
    succeed(&sandbox, "registry add -q -b greenhouse,compost -d index.db");
    sandbox
}

const COMPOST: &str = "compost-operator.v0.3.1";
const GREENHOUSE: &str = "greenhouse-operator.v1.2.0";
const RAKES: [&str; 3] = ["rake.v1.0.0", "rake.v1.1.0", "rake.v1.2.0"];

#[test]
fn packages_are_removed_with_everything_that_belongs_to_them() {
    let sandbox = with_index();
    let outcome = outcome_of(&sandbox, "registry rm -o rake,compost-operator -d index.db");
    insta::assert_snapshot!(outcome.stderr, @"
    removed package compost-operator
    removed package rake
    removed bundle compost-operator.v0.3.1
    removed bundle rake.v1.0.0
    removed bundle rake.v1.1.0
    removed bundle rake.v1.2.0
    ");
    assert_sound(&sandbox.path("index.db"));
    assert_eq!(bundle_names(&sandbox.path("index.db")), [GREENHOUSE]);
    for table in [
        "properties",
        "dependencies",
        "related_image",
        "api_provider",
        "api_requirer",
    ] {
        let sql = format!("SELECT DISTINCT operatorbundle_name FROM {table}");
        let owners = column(&sandbox.path("index.db"), &sql);
        assert!(owners.iter().all(|owner| owner == GREENHOUSE), "{table}: {owners:?}");
    }
}

#[test]
fn an_empty_name_is_an_error_and_changes_nothing() {
    let sandbox = with_index();
    let before = fs::read(sandbox.path("index.db")).unwrap();
    for empty in ["", " ", ",", "rake,"] {
        for command in [
            "rm -o",
            "prune -p",
            "deprecatetruncate -b",
            "promote rake.v1.0.0 --channel",
            "promote --channel stable",
            "add --bundle-images",
        ] {
            let mut arguments = vec!["registry"];
            arguments.extend(command.split(' '));
            arguments.extend([empty, "--database", "index.db"]);
            let outcome = sandbox.run(&arguments);
            assert_eq!(outcome.status, Some(2), "{command} {empty:?}: {outcome}");
            assert!(outcome.stderr.contains("a name is missing"), "{outcome}");
        }
        for command in ["rm -o", "prune -p", "deprecatetruncate -b"] {
            let mut arguments = vec!["index"];
            arguments.extend(command.split(' '));
            arguments.extend([empty, "-f", "index.db", "-t", "oci:new:v1"]);
            let outcome = sandbox.run(&arguments);
            assert_eq!(outcome.status, Some(2), "{command} {empty:?}: {outcome}");
        }
    }
    assert!(fs::read(sandbox.path("index.db")).unwrap() == before);
    assert!(!sandbox.path("new").exists());
    let outcome = sandbox.run(["mirror", "plan", "--image", ""]);
    assert_eq!(outcome.status, Some(2), "{outcome}");
}

#[test]
fn a_missing_name_removes_nothing() {
    let sandbox = with_index();
    let before = fs::read(sandbox.path("index.db")).unwrap();
    for line in ["rm -o rack", "prune -p rack", "prune -p rake,compost"] {
        let outcome = miss(&sandbox, &format!("registry {line} -d index.db"));
        assert!(outcome.stderr.contains("index.db has no package"), "{outcome}");
        assert!(fs::read(sandbox.path("index.db")).unwrap() == before, "{line}");
    }
    let outcome = miss(&sandbox, "registry rm -o rack -d index.db");
    assert!(outcome.stderr.contains("did you mean rake?"), "{outcome}");
    let outcome = outcome_of(&sandbox, "registry prune -p rake,rack --permissive -d index.db");
    assert!(
        outcome.stderr.contains("warning: the index contains no rack"),
        "{outcome}"
    );
    assert_eq!(bundle_names(&sandbox.path("index.db")), RAKES);
    for line in [
        "rm -o rake",
        "prune -p rake",
        "prune-stranded",
        "deprecatetruncate -b a",
    ] {
        let outcome = miss(&sandbox, &format!("registry {line} -d absent.db"));
        assert!(outcome.stderr.contains("absent.db"), "{outcome}");
        assert!(!sandbox.path("absent.db").exists(), "{line}");
    }
}

#[test]
fn a_dry_run_lists_removals_and_writes_nothing() {
    let sandbox = with_index();
    let before = fs::read(sandbox.path("index.db")).unwrap();
    let outcome = outcome_of(&sandbox, "registry prune -p rake -d index.db --dry-run");
    insta::assert_snapshot!(outcome.stderr, @"
    removed package compost-operator
    removed package greenhouse-operator
    removed bundle compost-operator.v0.3.1
    removed bundle greenhouse-operator.v1.2.0
    nothing was written
    ");
    rake(&sandbox, "next", "1.3.0", Some("rake.v1.2.0"));
    let outcome = outcome_of(&sandbox, "registry add -b next -d index.db --dry-run");
    insta::assert_snapshot!(outcome, @"
    package rake
      default channel stable
      + bundle rake.v1.3.0 in stable
      channel stable: head rake.v1.2.0 -> rake.v1.3.0
    ");
    let outcome = outcome_of(&sandbox, "index add -b next -f index.db --dry-run");
    assert!(outcome.stdout.contains("+ bundle rake.v1.3.0 in stable"), "{outcome}");
    let outcome = outcome_of(&sandbox, "registry add -b compost -d new.db --dry-run");
    assert!(
        outcome.stdout.contains("+ channel alpha: head compost-operator.v0.3.1"),
        "{outcome}"
    );
    assert!(fs::read(sandbox.path("index.db")).unwrap() == before);
    let left = names(&sandbox.path(""));
    assert!(!left.contains(&"new.db".to_owned()), "{left:?}");
}

#[test]
fn channels_are_truncated_below_a_deprecated_bundle() {
    let sandbox = with_index();
    let reference = |version: &str| format!("registry.example.com/rake:{version}");
    let outcome = fail(
        &sandbox,
        &format!("registry deprecatetruncate -b {}", reference("1.2.0")),
    );
    assert!(
        outcome
            .stderr
            .contains("rake.v1.2.0 of channel stable, the default channel"),
        "{outcome}"
    );
    let outcome = miss(&sandbox, "registry deprecatetruncate -b registry.example.com/rake:9");
    assert!(
        outcome
            .stderr
            .contains("no bundle with the name or image registry.example.com/rake:9"),
        "{outcome}"
    );

    let outcome = outcome_of(
        &sandbox,
        &format!("registry deprecatetruncate -b {}", reference("1.1.0")),
    );
    insta::assert_snapshot!(outcome.stderr, @"
    deprecated bundle rake.v1.1.0
    removed bundle rake.v1.0.0
    ");
    assert_sound(&sandbox.path("index.db"));
    let all = [COMPOST, GREENHOUSE, RAKES[1], RAKES[2]];
    assert_eq!(bundle_names(&sandbox.path("index.db")), all);
    rake(&sandbox, "next", "1.3.0", Some("rake.v1.2.0"));
    succeed(&sandbox, "registry add -q -b next -d index.db");
    let sql = "SELECT operatorbundle_name FROM channel_entry WHERE package_name = 'rake' ORDER BY depth";
    let chain = ["rake.v1.3.0", "rake.v1.2.0", "rake.v1.1.0"];
    assert_eq!(
        column(&sandbox.path("index.db"), sql),
        chain,
        "the graph ends at the deprecated bundle"
    );

    let both = format!("{},{}", reference("1.1.0"), reference("1.2.0"));
    succeed(&sandbox, &format!("registry deprecatetruncate -q -b {both}"));
    assert_eq!(
        column(&sandbox.path("index.db"), sql),
        chain[..2],
        "of two the upper one stays"
    );
    assert_eq!(
        column(&sandbox.path("index.db"), "SELECT * FROM deprecated"),
        chain[1..2]
    );
}

#[test]
fn a_package_is_removed_when_the_heads_of_all_its_channels_are_deprecated() {
    let sandbox = with_index();
    let line = "registry deprecatetruncate -b registry.example.com/rake:1.2.0 --allow-package-removal";
    let outcome = outcome_of(&sandbox, line);
    assert!(outcome.stderr.contains("removed package rake"), "{outcome}");
    assert_eq!(bundle_names(&sandbox.path("index.db")), [COMPOST, GREENHOUSE]);
    assert_sound(&sandbox.path("index.db"));
}

#[test]
fn a_migration_to_a_newer_schema_version_is_reported() {
    let sandbox = with_index();
    let connection = Connection::open(sandbox.path("index.db")).unwrap();
    connection
        .execute_batch("DROP TABLE deprecated; UPDATE schema_migrations SET version = 11")
        .unwrap();
    drop(connection);
    let outcome = outcome_of(&sandbox, "registry rm -o rake -d index.db --dry-run");
    insta::assert_snapshot!(outcome.stderr, @"
    removed package rake
    removed bundle rake.v1.0.0
    removed bundle rake.v1.1.0
    removed bundle rake.v1.2.0
    migrated index.db from schema version 11 to 13
    nothing was written
    ");
    let outcome = outcome_of(&sandbox, "registry prune-stranded -d index.db");
    insta::assert_snapshot!(outcome.stderr, @"
    there was nothing to remove
    migrated index.db from schema version 11 to 13
    ");
    let outcome = outcome_of(&sandbox, "registry prune-stranded -d index.db");
    assert_eq!(outcome.stderr, "there was nothing to remove\n");
}

#[test]
fn a_removed_package_leaves_no_deprecated_bundle_behind() {
    let sandbox = with_index();
    let connection = Connection::open(sandbox.path("index.db")).unwrap();
    connection
        .execute_batch(
            "UPDATE channel_entry SET replaces = NULL WHERE operatorbundle_name = 'rake.v1.1.0';
             DELETE FROM channel_entry WHERE operatorbundle_name = 'rake.v1.0.0';
             INSERT INTO deprecated VALUES ('rake.v1.0.0')",
        )
        .unwrap();
    drop(connection);
    let outcome = outcome_of(
        &sandbox,
        "registry deprecatetruncate -b rake.v1.2.0 --allow-package-removal -d index.db",
    );
    insta::assert_snapshot!(outcome.stderr, @"
    removed package rake
    removed bundle rake.v1.1.0
    removed bundle rake.v1.2.0
    removed bundle rake.v1.0.0, which was not in any channel
    ");
    assert_eq!(bundle_names(&sandbox.path("index.db")), [COMPOST, GREENHOUSE]);
    assert!(column(&sandbox.path("index.db"), "SELECT * FROM deprecated").is_empty());
    assert_sound(&sandbox.path("index.db"));
}

#[test]
fn pruning_removes_channels_of_packages_without_a_row() {
    let sandbox = with_index();
    let connection = Connection::open(sandbox.path("index.db")).unwrap();
    connection
        .execute_batch("DELETE FROM package WHERE name = 'rake'; INSERT INTO channel VALUES ('c', 'ghost', NULL)")
        .unwrap();
    drop(connection);
    let outcome = outcome_of(
        &sandbox,
        "registry prune -p compost-operator,greenhouse-operator -d index.db",
    );
    insta::assert_snapshot!(outcome.stderr, @"
    removed package ghost
    removed package rake
    removed bundle rake.v1.0.0
    removed bundle rake.v1.1.0
    removed bundle rake.v1.2.0
    ");
    assert_eq!(bundle_names(&sandbox.path("index.db")), [COMPOST, GREENHOUSE]);
    let packages = "SELECT package_name FROM channel UNION SELECT package_name FROM channel_entry";
    assert_eq!(
        column(&sandbox.path("index.db"), packages),
        ["compost-operator", "greenhouse-operator"]
    );
    assert_sound(&sandbox.path("index.db"));
}

#[test]
fn bundles_in_no_channel_are_pruned() {
    let sandbox = with_index();
    // Nothing leads from here to the older ones.
    rake(&sandbox, "alone", "2.0.0", None);
    let outcome = outcome_of(&sandbox, "registry add -b alone -d index.db");
    assert!(
        outcome
            .stderr
            .contains("rake.v1.0.0, rake.v1.1.0, rake.v1.2.0 are no longer in channel stable"),
        "{outcome}"
    );
    let outcome = outcome_of(&sandbox, "registry prune-stranded -d index.db");
    insta::assert_snapshot!(outcome.stderr, @"
    removed bundle rake.v1.0.0, which was not in any channel
    removed bundle rake.v1.1.0, which was not in any channel
    removed bundle rake.v1.2.0, which was not in any channel
    ");
    let outcome = outcome_of(&sandbox, "registry prune-stranded -d index.db");
    assert_eq!(outcome.stderr, "there was nothing to remove\n");
    assert_eq!(
        bundle_names(&sandbox.path("index.db")),
        [COMPOST, GREENHOUSE, "rake.v2.0.0"]
    );
    assert_sound(&sandbox.path("index.db"));
}

#[test]
fn index_images_are_changed_into_new_index_images() {
    let sandbox = with_index();
    let steps = [
        (
            "rm -o compost-operator -f index.db -t oci:images:a",
            vec![GREENHOUSE, RAKES[0], RAKES[1], RAKES[2]],
        ),
        ("prune -p rake -f oci:images:a -t oci:images:b", RAKES.to_vec()),
        (
            "deprecatetruncate -b registry.example.com/rake:1.1.0 -f oci:images:b -t oci:images:c",
            RAKES[1..].to_vec(),
        ),
        ("prune-stranded -f oci:images:c -t oci:images:d", RAKES[1..].to_vec()),
    ];
    for (line, expected) in steps {
        let outcome = outcome_of(&sandbox, &format!("index {line}"));
        assert!(outcome.stdout.starts_with("oci:images@sha256:"), "{outcome}");
        let tag = line.rsplit(':').next().unwrap();
        let database = database_of(&sandbox, &image(&sandbox, "images", tag));
        assert_eq!(bundle_names(&database), expected, "{line}");
        assert_sound(&database);
    }
    succeed(&sandbox, "index rm -q -o rake -f oci:images:a --generate");
    assert_eq!(bundle_names(&sandbox.path("database/index.db")), [GREENHOUSE]);
    assert!(sandbox.path("index.Dockerfile").exists());
    let outcome = outcome_of(
        &sandbox,
        "index prune -c podman -p rake -f oci:images:a -t oci:images:e",
    );
    assert!(outcome.stderr.contains("ignoring --container-tool"), "{outcome}");
}

#[test]
fn existing_bundles_are_skipped_or_overwritten_on_request() {
    let sandbox = with_index();
    let before = fs::read(sandbox.path("index.db")).unwrap();
    let outcome = outcome_of(
        &sandbox,
        "registry add -b greenhouse,compost -d index.db --if-exists skip",
    );
    insta::assert_snapshot!(outcome.stderr, @"
    compost-operator.v0.3.1 is already in the index
    greenhouse-operator.v1.2.0 is already in the index
    ");
    assert!(
        fs::read(sandbox.path("index.db")).unwrap() == before,
        "nothing is written"
    );
    let csv = sandbox.path("compost/manifests/compost-operator.clusterserviceversion.yaml");
    let text = fs::read_to_string(&csv)
        .unwrap()
        .replace("Example Gardens", "Other Gardens");
    fs::write(&csv, text).unwrap();
    insta::assert_snapshot!(fail(&sandbox, "registry add -b compost -d index.db --if-exists skip"), @r#"
    ------- stderr -------
    error: bundle compost-operator.v0.3.1 of compost is already in package "compost-operator" of the index, with different manifests
      hint: use a new version for the bundle, or replace the head of its channels with --overwrite-latest
    ------- exit 1 -------
    "#);
    insta::assert_snapshot!(fail(&sandbox, "registry add -b greenhouse -d index.db"), @r#"
    ------- stderr -------
    error: bundle greenhouse-operator.v1.2.0 of greenhouse is already in package "greenhouse-operator" of the index, with the same image, content and channels
      hint: skip existing bundles with --if-exists skip
    ------- exit 1 -------
    "#);
    let annotations = sandbox.path("1.2.0/metadata/annotations.yaml");
    let text = fs::read_to_string(&annotations).unwrap();
    fs::write(
        &annotations,
        text.replace(".channels.v1: stable", ".channels.v1: stable,fast"),
    )
    .unwrap();
    let skip = "registry add -b 1.2.0 -d index.db --if-exists skip --record-as registry.example.com/rake:";
    insta::assert_snapshot!(fail(&sandbox, &format!("{skip}1.2.0")), @r#"
    ------- stderr -------
    error: bundle rake.v1.2.0 of 1.2.0 is already in package "rake" of the index, but not in fast
      hint: use opmx index promote or opmx registry promote to publish a bundle in additional channels
    ------- exit 1 -------
    "#);
    insta::assert_snapshot!(fail(&sandbox, &format!("{skip}other")), @r#"
    ------- stderr -------
    error: bundle rake.v1.2.0 of 1.2.0 is already in package "rake" of the index, with a different image (registry.example.com/rake:1.2.0 in the index, registry.example.com/rake:other in the new bundle), and not in fast
      hint: use a new version for the bundle, or replace the head of its channels with --overwrite-latest
    ------- exit 1 -------
    "#);
    let outcome = outcome_of(&sandbox, "registry add -b compost -d index.db --overwrite-latest");
    assert!(
        outcome
            .stderr
            .contains("overwrote the existing bundle compost-operator.v0.3.1"),
        "{outcome}"
    );
    let csvs = column(
        &sandbox.path("index.db"),
        "SELECT CAST(csv AS TEXT) FROM operatorbundle",
    );
    assert_eq!(csvs.iter().filter(|csv| csv.contains("Other Gardens")).count(), 1);
    assert_sound(&sandbox.path("index.db"));
}

#[test]
fn overwriting_a_bundle_with_itself_changes_nothing() {
    let sandbox = garden();
    succeed(&sandbox, "registry add -b greenhouse,compost -d index.db");
    let before = fs::read(sandbox.path("index.db")).unwrap();
    let line = "registry add -b compost -d index.db --overwrite-latest";
    insta::assert_snapshot!(outcome_of(&sandbox, line).stderr, @"compost-operator.v0.3.1 is already in the index");
    assert!(fs::read(sandbox.path("index.db")).unwrap() == before);
    let dependencies = sandbox.path("compost/metadata/dependencies.yaml");
    let text = fs::read_to_string(&dependencies).unwrap();
    fs::write(&dependencies, text.replace("<2.0.0", "<3.0.0")).unwrap();
    assert!(outcome_of(&sandbox, line).stderr.contains("overwrote"));
}

#[test]
fn overwriting_a_head_outside_its_channel_requires_the_channel() {
    let sandbox = with_index();
    let annotations = sandbox.path("1.2.0/metadata/annotations.yaml");
    let text = fs::read_to_string(&annotations).unwrap();
    fs::write(
        &annotations,
        text.replace(".channels.v1: stable", ".channels.v1: alpha"),
    )
    .unwrap();
    let line = "registry add -b 1.2.0 -d index.db --overwrite-latest --record-as registry.example.com/rake:1.2.0";
    insta::assert_snapshot!(outcome_of(&sandbox, line).stderr, @"
    overwrote the existing bundle rake.v1.2.0
    added rake.v1.2.0 to package rake (alpha)
    warning: rake.v1.2.0 is no longer in channel stable of package rake because the new annotations of rake.v1.2.0 do not list the channel
      hint: to avoid this, list channel stable in the annotation operators.operatorframework.io.bundle.channels.v1 of rake.v1.2.0; if rake.v1.2.0 was promoted to stable, promote it again
    ");
}

#[test]
fn permissive_adds_the_valid_bundles_and_fails() {
    let sandbox = garden();
    let outcome = sandbox.run("registry add -b greenhouse,./absent,compost -d index.db --permissive".split(' '));
    assert_eq!(outcome.status, Some(1), "{outcome}");
    assert!(outcome.stderr.contains("./absent cannot be added"), "{outcome}");
    assert!(outcome.stderr.contains("1 bundle was omitted"), "{outcome}");
    assert_eq!(bundle_names(&sandbox.path("index.db")), [COMPOST, GREENHOUSE]);
    // A name without a path is skipped, too.
    let outcome = sandbox.run("registry add -b compost,absent -d word.db --permissive".split(' '));
    assert_eq!(outcome.status, Some(1), "{outcome}");
    assert!(outcome.stderr.contains("absent cannot be added"), "{outcome}");
    assert_eq!(bundle_names(&sandbox.path("word.db")), [COMPOST]);
    let outcome = miss(&sandbox, "registry add -b ./absent -d other.db --permissive");
    assert!(!sandbox.path("other.db").exists(), "{outcome}");
}

#[test]
fn media_types_that_the_clusters_cannot_read_are_rejected() {
    let sandbox = garden();
    let line = "registry add -b greenhouse,compost -d index.db --allow-media-types registry+v1";
    insta::assert_snapshot!(fail(&sandbox, line), @r#"
    ------- stderr -------
    error: greenhouse cannot be added
      caused by: it is a k8s+v1 bundle, but only registry+v1 bundles may be added
      hint: use "opmx bundle convert BUNDLE OUT --to registry+v1" to convert the bundle to a format that every version of OLM can read
    error: 1 of 2 bundles cannot be added, so no bundle was added
    ------- exit 1 -------
    "#);
    assert!(!sandbox.path("index.db").exists());
    succeed(
        &sandbox,
        "registry add -q -b greenhouse,compost -d index.db --allow-media-types registry+v1,k8s+v1",
    );
}
