//! `promote` on database files and index images, bundles given by name, and changes without effect.

use crate::bundles::{
    assert_sound, bundle_names, column, database_of, fail, garden, image, miss, operator, outcome_of, rake, small_base,
    succeed,
};
use crate::common::Sandbox;
use std::fs;

/// A database with three versions of rake in the channel stable; the second has an image.
fn with_index() -> Sandbox {
    let sandbox = garden();
    rake(&sandbox, "a", "1.0.0", None);
    rake(&sandbox, "b", "1.1.0", Some("rake.v1.0.0"));
    rake(&sandbox, "c", "1.2.0", Some("rake.v1.1.0"));
    succeed(&sandbox, "registry add -q -b a -d index.db");
    let image = "registry.example.com/rake:1.1.0";
    succeed(
        &sandbox,
        &format!("registry add -q -b b --record-as {image} -d index.db"),
    );
    succeed(&sandbox, "registry add -q -b c -d index.db");
    sandbox
}

/// The channels with their entries, starting with their heads.
fn entries(sandbox: &Sandbox) -> Vec<String> {
    column(
        &sandbox.path("index.db"),
        "SELECT channel_name || ' ' || operatorbundle_name FROM channel_entry ORDER BY channel_name, depth",
    )
}

/// Adds a bundle to channels other than stable.
fn in_channels(sandbox: &Sandbox, folder: &str, channels: &str) {
    let file = sandbox.path(folder).join("metadata/annotations.yaml");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(
        &file,
        text.replace("channels.v1: stable", &format!("channels.v1: {channels}")),
    )
    .unwrap();
}

#[test]
fn promoting_a_bundle_also_adds_the_bundles_it_replaces() {
    let sandbox = with_index();
    let outcome = outcome_of(
        &sandbox,
        "registry promote registry.example.com/rake:1.1.0 -c fast,beta -d index.db",
    );
    insta::assert_snapshot!(outcome.stderr, @"
    promoted bundle rake.v1.1.0 to beta, fast
    also added bundle rake.v1.0.0 to beta, fast, because a promoted bundle replaces or skips it
    new channel beta of package rake: head rake.v1.1.0
    new channel fast of package rake: head rake.v1.1.0
    ");
    let outcome = outcome_of(&sandbox, "registry promote rake.v1.2.0 -c fast,stable -d index.db");
    insta::assert_snapshot!(outcome.stderr, @"
    rake.v1.2.0 is already in stable
    promoted bundle rake.v1.2.0 to fast
    channel fast of package rake: head rake.v1.1.0 -> rake.v1.2.0
    ");
    assert_eq!(
        entries(&sandbox),
        [
            "beta rake.v1.1.0",
            "beta rake.v1.0.0",
            "fast rake.v1.2.0",
            "fast rake.v1.1.0",
            "fast rake.v1.0.0",
            "stable rake.v1.2.0",
            "stable rake.v1.1.0",
            "stable rake.v1.0.0",
        ]
    );
    assert_sound(&sandbox.path("index.db"));
    succeed(&sandbox, "index check index.db");
    let default = column(&sandbox.path("index.db"), "SELECT default_channel FROM package");
    assert_eq!(default, ["stable"]);
    // The next version comes into the channels that it names.
    rake(&sandbox, "d", "1.3.0", Some("rake.v1.2.0"));
    in_channels(&sandbox, "d", "fast");
    succeed(&sandbox, "registry add -q -b d -d index.db");
    assert_eq!(entries(&sandbox)[2], "fast rake.v1.3.0");
}

#[test]
fn bundles_can_be_separated_by_commas_or_spaces() {
    let sandbox = with_index();
    let bundles = ["rake.v1.1.0, rake.v1.2.0", "rake.v1.0.0"];
    let mut arguments = vec!["registry", "promote", "-c", "fast", "-d", "index.db"];
    arguments.extend(bundles);
    let outcome = sandbox.run(arguments);
    assert_eq!(outcome.status, Some(0), "{outcome}");
    assert!(
        outcome
            .stderr
            .contains("new channel fast of package rake: head rake.v1.2.0"),
        "{outcome}"
    );
}

#[test]
fn a_promotion_that_would_push_out_other_bundles_is_rejected() {
    let sandbox = with_index();
    rake(&sandbox, "alone", "2.0.0", None);
    in_channels(&sandbox, "alone", "beta");
    rake(&sandbox, "old", "0.9.0", None);
    in_channels(&sandbox, "old", "alpha");
    succeed(&sandbox, "registry add -q -b alone,old -d index.db");
    let before = fs::read(sandbox.path("index.db")).unwrap();
    insta::assert_snapshot!(fail(&sandbox, "registry promote rake.v2.0.0 -c stable -d index.db"), @"
    ------- stderr -------
    error: package rake would lose updates: channel stable would have no update path to its head rake.v2.0.0 from rake.v1.0.0, rake.v1.1.0, rake.v1.2.0; promote a bundle that replaces or skips these bundles
      hint: use --mode semver to order bundles only by version
    ------- exit 1 -------
    ");
    insta::assert_snapshot!(fail(&sandbox, "registry promote rake.v0.9.0 -c stable -d index.db"), @r#"
    ------- stderr -------
    error: bundle rake.v0.9.0 (version "0.9.0") cannot be reached in channel "stable" of package "rake": the head is rake.v1.2.0 (version "1.2.0"), which replaces rake.v1.1.0; make rake.v1.2.0 or a bundle below it replace or skip rake.v0.9.0, or give rake.v0.9.0 a version higher than "1.2.0"
    ------- exit 1 -------
    "#);
    assert!(fs::read(sandbox.path("index.db")).unwrap() == before);
    let trial = outcome_of(
        &sandbox,
        "registry promote rake.v2.0.0 -c stable --mode semver -d index.db --dry-run",
    );
    insta::assert_snapshot!(trial.stderr, @"
    promoted bundle rake.v2.0.0 to stable
    channel stable of package rake: head rake.v1.2.0 -> rake.v2.0.0
    nothing was written
    ");
    assert!(fs::read(sandbox.path("index.db")).unwrap() == before);
    succeed(
        &sandbox,
        "registry promote -q rake.v2.0.0 -c stable --mode semver -d index.db",
    );
    assert_sound(&sandbox.path("index.db"));
    let stable = entries(&sandbox)
        .into_iter()
        .filter(|entry| entry.starts_with("stable "));
    assert_eq!(
        stable.collect::<Vec<_>>(),
        [
            "stable rake.v2.0.0",
            "stable rake.v1.2.0",
            "stable rake.v1.1.0",
            "stable rake.v1.0.0"
        ]
    );
}

#[test]
fn missing_and_conflicting_bundles_are_reported() {
    let sandbox = with_index();
    small_base(&sandbox);
    succeed(
        &sandbox,
        "index prune -q -p rake -f index.db -t oci:images:a -i oci:base:v1",
    );
    let change = "-f oci:images:a -t oci:images:b -i oci:base:v1";
    insta::assert_snapshot!(miss(&sandbox, &format!("index promote rake.v1.2.1 -c fast {change}")), @"
    ------- stderr -------
    error: oci:images:a has no bundle with the name or image rake.v1.2.1; did you mean rake.v1.2.0?
    ------- exit 4 -------
    ");
    insta::assert_snapshot!(miss(&sandbox, &format!("index deprecatetruncate -b registry.example.com/rake:1.1.1 {change}")), @"
    ------- stderr -------
    error: oci:images:a has no bundle with the name or image registry.example.com/rake:1.1.1; did you mean registry.example.com/rake:1.1.0?
    ------- exit 4 -------
    ");
    insta::assert_snapshot!(miss(&sandbox, &format!("index rm -o rak {change}")), @"
    ------- stderr -------
    error: oci:images:a has no package rak; did you mean rake?
    ------- exit 4 -------
    ");
    insta::assert_snapshot!(miss(&sandbox, "registry promote rake.v1.2.0 -c fast -d absent.db"), @"
    ------- stderr -------
    error: there is no index database at absent.db
      hint: specify an existing database, or create it with opmx registry add or, from a file-based catalog, with opmx index from-fbc
    ------- exit 4 -------
    ");
    let before = entries(&sandbox);
    let hidden = sandbox.run([
        "registry",
        "promote",
        "rake.v1.2.0",
        "-c",
        "fa\u{202e}st",
        "-d",
        "index.db",
    ]);
    assert_eq!(hidden.status, Some(1), "{hidden}");
    assert!(hidden.stderr.contains("U+202E, an invisible character"), "{hidden}");
    assert_eq!(entries(&sandbox), before);
}

#[test]
fn a_bundle_without_an_image_is_deprecated_by_name() {
    let sandbox = with_index();
    let outcome = outcome_of(&sandbox, "registry deprecatetruncate -b rake.v1.1.0 -d index.db");
    insta::assert_snapshot!(outcome.stderr, @"
    deprecated bundle rake.v1.1.0
    removed bundle rake.v1.0.0
    ");
    rake(&sandbox, "d", "1.3.0", Some("rake.v1.2.0"));
    succeed(&sandbox, "registry add -q -b d -d index.db");
    succeed(&sandbox, "registry deprecatetruncate -q -b rake.v1.2.0 -d index.db");
    assert_eq!(bundle_names(&sandbox.path("index.db")), ["rake.v1.2.0", "rake.v1.3.0"]);
    assert_eq!(
        column(&sandbox.path("index.db"), "SELECT * FROM deprecated"),
        ["rake.v1.2.0"]
    );
}

#[test]
fn an_unchanged_index_keeps_its_digest() {
    let sandbox = with_index();
    small_base(&sandbox);
    operator(&sandbox, "hoe", "hoe", "1.0.0", None);
    let made = |line: &str| outcome_of(&sandbox, &format!("index {line} -i oci:base:v1 -q")).stdout;
    let first = made("add -b a,b,c,hoe -t oci:images:a");
    let again = |line: &str| made(&format!("{line} -f oci:images:a -t oci:images:a"));
    assert_eq!(again("add -b a,c --if-exists skip"), first);
    assert_eq!(again("prune-stranded"), first);
    assert_eq!(again("prune -p rake,hoe"), first);
    assert_eq!(again("promote rake.v1.2.0 -c stable"), first);
    assert_eq!(again("rm -o spade --permissive"), first);
    let pruned = again("prune -p rake");
    assert_ne!(pruned, first);
    assert_eq!(again("prune -p rake"), pruned);
    let promoted = again("promote rake.v1.2.0 -c fast");
    assert_ne!(promoted, pruned);
    assert_eq!(again("promote rake.v1.2.0 -c fast"), promoted);
    let deprecated = again("deprecatetruncate -b rake.v1.1.0");
    assert_ne!(deprecated, promoted);
    assert_eq!(again("deprecatetruncate -b rake.v1.1.0"), deprecated);
    // The same steps on another day, of a copy of each.
    let _ = made("add -b a,b,c,hoe -t oci:others:a");
    let _ = made("prune -p rake -f oci:others:a -t oci:others:b");
    let _ = made("promote rake.v1.2.0 -c fast -f oci:others:b -t oci:others:c");
    let other = made("deprecatetruncate -b rake.v1.1.0 -f oci:others:c -t oci:others:d");
    assert_eq!(other.split('@').nth(1), deprecated.split('@').nth(1));
    assert_sound(&database_of(&sandbox, &image(&sandbox, "images", "a")));
}

#[test]
fn a_catalog_is_promoted_in_like_a_database() {
    let sandbox = with_index();
    small_base(&sandbox);
    succeed(&sandbox, "migrate index.db catalog");
    let outcome = outcome_of(
        &sandbox,
        "index promote rake.v1.2.0 -c fast -f catalog -t oci:images:a -i oci:base:v1",
    );
    assert!(
        outcome
            .stderr
            .contains("new channel fast of package rake: head rake.v1.2.0"),
        "{outcome}"
    );
    let listed = outcome_of(&sandbox, "index list channels oci:images:a").stdout;
    assert!(listed.contains("fast"), "{listed}");
}

#[test]
fn catalog_entries_keep_their_edges_in_each_channel() {
    let sandbox = Sandbox::new();
    small_base(&sandbox);
    let mut catalog = "schema: olm.package\nname: p\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: p\n\
        name: stable\nentries:\n- {name: p.v1}\n- {name: p.v2, replaces: p.v1, skipRange: <2.0.0}\n\
        - {name: p.v3, replaces: p.v2}\n---\nschema: olm.channel\npackage: p\nname: fast\nentries:\n\
        - {name: p.v2, replaces: p.v0}\n"
        .to_owned();
    for number in 1..=3 {
        catalog += &format!(
            "---\nschema: olm.bundle\npackage: p\nname: p.v{number}\nimage: registry.example.com/p:{number}\n\
             properties: [{{type: olm.package, value: {{packageName: p, version: {number}.0.0}}}}]\n"
        );
    }
    fs::create_dir(sandbox.path("catalog")).unwrap();
    fs::write(sandbox.path("catalog/c.yaml"), catalog).unwrap();
    let promote = "index promote p.v3 -c fast -f catalog -t oci:images:a -i oci:base:v1";
    insta::assert_snapshot!(outcome_of(&sandbox, promote).stderr, @"
    promoted bundle p.v3 to fast
    channel fast of package p: head p.v2 -> p.v3
    ");
    let rendered = outcome_of(&sandbox, "render oci:images:a").stdout;
    let mut documents = serde_json::Deserializer::from_str(&rendered).into_iter::<serde_json::Value>();
    let fast = documents.find_map(|document| Some(document.unwrap()).filter(|document| document["name"] == "fast"));
    assert_eq!(
        fast.unwrap()["entries"],
        serde_json::json!([{"name": "p.v2", "replaces": "p.v0"}, {"name": "p.v3", "replaces": "p.v2"}])
    );
    let channels = outcome_of(
        &sandbox,
        "index promote p.v1 -c old -f catalog -t oci:images:b -i oci:base:v1",
    )
    .stderr;
    assert!(
        channels.contains("new channel old of package p: head p.v1"),
        "{channels}"
    );
}

#[test]
fn a_deprecated_bundle_is_promoted_below_a_newer_one_or_refused_with_the_reason() {
    let sandbox = with_index();
    succeed(&sandbox, "registry deprecatetruncate -q -b rake.v1.1.0 -d index.db");
    insta::assert_snapshot!(fail(&sandbox, "registry promote rake.v1.1.0 -c slow -d index.db"), @r#"
    ------- stderr -------
    error: bundle rake.v1.1.0 cannot be the head of channel "slow" of package "rake" because it is deprecated; also add a newer bundle, which replaces it, to the channel
    ------- exit 1 -------
    "#);
    succeed(&sandbox, "registry promote rake.v1.1.0,rake.v1.2.0 -c slow -d index.db");
    rusqlite::Connection::open(sandbox.path("index.db"))
        .unwrap()
        .execute_batch("PRAGMA foreign_keys = OFF; DELETE FROM channel_entry WHERE operatorbundle_name = 'rake.v1.1.0'")
        .unwrap();
    insta::assert_snapshot!(fail(&sandbox, "registry promote rake.v1.1.0 -c new -d index.db"), @"
    ------- stderr -------
    error: bundle rake.v1.1.0 cannot be promoted because it is deprecated and in no channel
      hint: promote a newer bundle of the package instead
    ------- exit 1 -------
    ");
}
