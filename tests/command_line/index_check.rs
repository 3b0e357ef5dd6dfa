//! `index check`: what is wrong with an index, and what `--fix` mends.

use crate::bundles::{fail, garden, outcome_of, rake, small_base, succeed};
use crate::common::Sandbox;
use rusqlite::Connection;
use serde_json::Value;
use std::fs;

/// A database of three packages, one of them with two bundles, and a bundle to add.
fn indexed() -> Sandbox {
    let sandbox = garden();
    rake(&sandbox, "rake1", "1.0.0", None);
    rake(&sandbox, "rake2", "1.1.0", Some("rake.v1.0.0"));
    rake(&sandbox, "rake3", "1.2.0", Some("rake.v1.1.0"));
    succeed(
        &sandbox,
        "registry add -q -b greenhouse,compost,rake1,rake2 -d index.db",
    );
    sandbox
}

fn change(sandbox: &Sandbox, statements: &str) {
    let connection = Connection::open(sandbox.path("index.db")).unwrap();
    connection.pragma_update(None, "foreign_keys", false).unwrap();
    connection.execute_batch(statements).unwrap();
}

/// The exit code, and the rules of the findings.
fn findings(sandbox: &Sandbox, line: &str) -> (Option<i32>, Vec<String>) {
    let outcome = sandbox.run(line.split_whitespace().chain(["-o", "json"]));
    let report: Value = serde_json::from_str(&outcome.stdout).unwrap_or_else(|_| panic!("{line}: {outcome}"));
    let rules = report["findings"].as_array().unwrap().iter();
    let rules = rules.map(|finding| finding["rule"].as_str().unwrap().to_owned());
    (outcome.status, rules.collect())
}

#[test]
fn indexes_that_opmx_writes_have_no_findings_as_files_and_as_images() {
    let sandbox = indexed();
    small_base(&sandbox);
    succeed(
        &sandbox,
        "index add -q -i oci:base:v1 -f index.db -b rake3 -t oci:index:v1",
    );
    let before = fs::read(sandbox.path("index.db")).unwrap();
    for index in ["index.db", "oci:index:v1"] {
        assert_eq!(findings(&sandbox, &format!("index check {index}")), (Some(0), vec![]));
    }
    assert!(fs::read(sandbox.path("index.db")).unwrap() == before);
}

#[test]
fn errors_fail_the_command_and_are_explained() {
    let sandbox = indexed();
    change(
        &sandbox,
        "UPDATE channel SET head_operatorbundle_name = 'rake.v1.0.0' WHERE package_name = 'rake'",
    );
    let before = fs::read(sandbox.path("index.db")).unwrap();
    let outcome = sandbox.run(["index", "check", "index.db"]);
    assert_eq!(outcome.status, Some(1));
    for words in [
        "error[index-channel-head]",
        r#"of package "rake" is "rake.v1.0.0", and bundle "rake.v1.1.0" replaces or skips it"#,
        "help: Add the newest bundle of the channel again",
    ] {
        assert!(outcome.stdout.contains(words), "{words}: {outcome}");
    }
    assert!(fs::read(sandbox.path("index.db")).unwrap() == before);
}

#[test]
fn fix_mends_a_file_says_what_it_did_and_shows_what_is_left() {
    let sandbox = indexed();
    change(
        &sandbox,
        "INSERT INTO operatorbundle (name) VALUES ('rake.v0.9.0');
         INSERT INTO related_image VALUES ('registry.example.com/x', 'gone');
         UPDATE package SET default_channel = 'gone' WHERE name = 'rake'",
    );
    let (status, rules) = findings(&sandbox, "index check index.db");
    assert_eq!(
        (status, rules),
        (
            Some(1),
            ["index-bundle-unreachable", "index-default-channel", "index-orphan-row"]
                .map(str::to_owned)
                .to_vec()
        )
    );
    let outcome = outcome_of(&sandbox, "index check index.db --fix");
    for words in [
        "removed bundle rake.v0.9.0, which no channel has",
        "removed 1 row(s) of table related_image whose bundles are not in the index",
        "the default channel of package rake",
    ] {
        assert!(outcome.stderr.contains(words), "{words}: {outcome}");
    }
    assert_eq!(findings(&sandbox, "index check index.db"), (Some(0), vec![]));
}

#[test]
fn images_are_not_fixed() {
    let sandbox = indexed();
    let outcome = sandbox.run(["index", "check", "oci:index:v1", "--fix"]);
    assert_eq!(outcome.status, Some(2), "{outcome}");
    let outcome = fail(&sandbox, "index check missing.db --fix");
    assert!(outcome.stderr.contains("missing.db"), "{outcome}");
    assert!(!sandbox.path("missing.db").exists());
}
