//! `index check`: the problems of an index, and those that `--fix` repairs.

use crate::bundles::{bundle_names, garden, miss, outcome_of, rake, small_base, succeed};
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

/// Returns the exit status and the rules of the findings.
fn findings(sandbox: &Sandbox, line: &str) -> (Option<i32>, Vec<String>) {
    let outcome = sandbox.run(line.split_whitespace().chain(["-o", "json"]));
    let report: Value = serde_json::from_str(&outcome.stdout).unwrap_or_else(|_| panic!("{line}: {outcome}"));
    let rules = report["findings"].as_array().unwrap().iter();
    let rules = rules.map(|finding| finding["rule"].as_str().unwrap().to_owned());
    (outcome.status, rules.collect())
}

const GREENHOUSE: &str = "greenhouse-operator.v1.2.0";

/// The findings about the greenhouse operator, whose certificates another catalog provides.
fn foreign() -> Vec<String> {
    vec!["index-dependency".to_owned()]
}

#[test]
fn indexes_written_by_opmx_pass_the_check_as_files_and_as_images() {
    let sandbox = indexed();
    small_base(&sandbox);
    succeed(
        &sandbox,
        "index add -q -i oci:base:v1 -f index.db -b rake3 -t oci:index:v1",
    );
    let before = fs::read(sandbox.path("index.db")).unwrap();
    for index in ["index.db", "oci:index:v1"] {
        assert_eq!(
            findings(&sandbox, &format!("index check {index}")),
            (Some(0), foreign())
        );
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
        r#"of package "rake" is "rake.v1.0.0", but bundle "rake.v1.1.0" replaces or skips it"#,
        "help: Add a new bundle of the channel, or rebuild the index. `opmx index check --fix` sets the head",
    ] {
        assert!(outcome.stdout.contains(words), "{words}: {outcome}");
    }
    assert!(fs::read(sandbox.path("index.db")).unwrap() == before);
}

#[test]
fn the_advice_for_a_damaged_index_mends_it() {
    const NEXT: &[&str] = &["registry add -q -b rake3 -d index.db"];
    const FIX: &[&str] = &["index check -q index.db --fix"];
    const OVERWRITE: &[&str] = &["registry add -q -b rake2 --overwrite-latest -d index.db"];
    const ALL_AGAIN: &[&str] = &[
        "registry rm -q -o rake -d index.db",
        "registry add -q -b rake1,rake2 -d index.db",
    ];
    let of_rake = "package_name = 'rake'";
    let (oldest, newest) = ("WHERE name = 'rake.v1.0.0'", "WHERE name = 'rake.v1.1.0'");
    let content = |of: &str| format!("UPDATE operatorbundle SET csv = '{{x' {of}");
    for (damage, ways) in [
        (
            format!("UPDATE channel SET head_operatorbundle_name = 'rake.v1.0.0' WHERE {of_rake}"),
            &[NEXT, FIX][..],
        ),
        ("DELETE FROM package WHERE name = 'rake'".to_owned(), &[NEXT, FIX]),
        (format!("DELETE FROM channel WHERE {of_rake}"), &[NEXT, FIX]),
        (
            "UPDATE channel_entry SET replaces = 99 WHERE operatorbundle_name = 'rake.v1.1.0'".to_owned(),
            &[NEXT],
        ),
        (
            format!("UPDATE channel_entry SET depth = depth + 1 WHERE {of_rake}"),
            &[NEXT],
        ),
        (format!("UPDATE channel_entry SET depth = -1 WHERE {of_rake}"), &[NEXT]),
        (
            format!("UPDATE operatorbundle SET bundlepath = NULL {oldest}"),
            &[FIX, ALL_AGAIN],
        ),
        (
            format!("UPDATE operatorbundle SET version = 'one' {oldest}"),
            &[ALL_AGAIN],
        ),
        (content(newest), &[OVERWRITE, ALL_AGAIN]),
        (content(oldest), &[ALL_AGAIN]),
    ] {
        for way in ways {
            let sandbox = indexed();
            change(&sandbox, &damage);
            assert_eq!(findings(&sandbox, "index check index.db").0, Some(1), "{damage}");
            for line in *way {
                succeed(&sandbox, line);
            }
            let left = findings(&sandbox, "index check index.db");
            assert_eq!(left, (Some(0), foreign()), "{damage}: {way:?}");
        }
    }
}

#[test]
fn bundles_that_olm_does_not_see_are_not_resolved() {
    let sandbox = indexed();
    change(
        &sandbox,
        "UPDATE operatorbundle SET bundlepath = NULL WHERE name LIKE 'rake.%'",
    );
    let outcome = sandbox.run("resolve rake --catalog index.db".split(' '));
    assert_eq!(outcome.status, Some(3), "{outcome}");
    let note = "OLM does not see 2 bundles of the catalog operators/catalog whose version or image in the database is \
        NULL: rake.v1.0.0, rake.v1.1.0\n";
    assert!(outcome.stderr.contains(note), "{outcome}");
    assert!(outcome.stderr.contains("has no package rake"), "{outcome}");
    succeed(&sandbox, "index check -q index.db --fix");
    let outcome = sandbox.run("resolve rake --catalog index.db".split(' '));
    assert!(outcome.stdout.contains("rake.v1.1.0"), "{outcome}");
}

#[test]
fn bundles_in_channels_stay_while_names_are_stored_as_bytes() {
    let sandbox = indexed();
    change(
        &sandbox,
        "UPDATE channel_entry SET operatorbundle_name = CAST(operatorbundle_name AS BLOB)",
    );
    let before = fs::read(sandbox.path("index.db")).unwrap();
    for line in ["registry prune-stranded -d index.db", "registry rm -o rake -d index.db"] {
        let outcome = sandbox.run(line.split(' '));
        assert_eq!(outcome.status, Some(1), "{outcome}");
        assert!(outcome.stderr.contains("opmx index check --fix"), "{outcome}");
        assert!(fs::read(sandbox.path("index.db")).unwrap() == before, "{line}");
    }
    succeed(&sandbox, "index check -q index.db --fix");
    succeed(&sandbox, "registry prune-stranded -q -d index.db");
    assert_eq!(findings(&sandbox, "index check index.db"), (Some(0), foreign()));
}

#[test]
fn fix_repairs_a_file_and_reports_the_remaining_findings() {
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
            [
                "index-bundle-unreachable",
                "index-default-channel",
                "index-dependency",
                "index-orphan-row"
            ]
            .map(str::to_owned)
            .to_vec()
        )
    );
    let outcome = outcome_of(&sandbox, "index check index.db --fix");
    for words in [
        "removed bundle rake.v0.9.0, which is not in any channel",
        "removed 1 row(s) from table related_image, because their bundles are not in the index",
        "the default channel of package rake",
    ] {
        assert!(outcome.stderr.contains(words), "{words}: {outcome}");
    }
    assert_eq!(findings(&sandbox, "index check index.db"), (Some(0), foreign()));
}

#[test]
fn every_output_format_names_the_rule_and_the_index() {
    let sandbox = indexed();
    change(&sandbox, "INSERT INTO related_image VALUES ('x', 'gone')");
    for form in ["text", "json", "yaml", "sarif", "github", "junit"] {
        let outcome = sandbox.run(["index", "check", "index.db", "-o", form]);
        assert_eq!(outcome.status, Some(0), "{outcome}");
        assert!(outcome.stdout.contains("index-orphan-row"), "{form}: {outcome}");
        let names_index = ["sarif", "github", "junit"].contains(&form);
        assert!(!names_index || outcome.stdout.contains("index.db"), "{form}: {outcome}");
    }
}

#[test]
fn images_and_missing_files_are_not_fixed() {
    let sandbox = indexed();
    let outcome = sandbox.run(["index", "check", "oci:index:v1", "--fix"]);
    assert_eq!(outcome.status, Some(2), "{outcome}");
    let outcome = miss(&sandbox, "index check missing.db --fix");
    assert!(outcome.stderr.contains("missing.db"), "{outcome}");
    assert!(!sandbox.path("missing.db").exists());
}

#[test]
fn add_reports_stranded_bundles_like_check() {
    let sandbox = indexed();
    // The way down ends at a bundle that is skipped.
    let csv = sandbox.path("rake3/manifests/operator.clusterserviceversion.yaml");
    let text = fs::read_to_string(&csv).unwrap();
    fs::write(&csv, text.replace("replaces:", "skips: [rake.v1.1.0]\n  replaces:")).unwrap();
    let warning = "warning[index-bundle-unreachable]: channel \"stable\" of package \"rake\" has no update path from \
                   bundle \"rake.v1.0.0\" to the head \"rake.v1.2.0\"";
    let outcome = outcome_of(&sandbox, "registry add -b rake3 -d index.db");
    assert!(outcome.stderr.contains(warning), "{outcome}");
    assert!(outcome_of(&sandbox, "index check index.db").stdout.contains(warning));
    // Once is enough.
    rake(&sandbox, "rake4", "1.3.0", Some("rake.v1.2.0"));
    let outcome = outcome_of(&sandbox, "registry add -b rake4 -d index.db");
    assert!(!outcome.stderr.contains("warning"), "{outcome}");
}

#[test]
fn a_bundle_pushed_out_by_an_accepted_add_is_kept_with_a_warning() {
    let sandbox = indexed();
    // Nothing leads from here to the older ones.
    rake(&sandbox, "alone", "2.0.0", None);
    let before = fs::read(sandbox.path("index.db")).unwrap();
    for strictly in ["--deny warnings", "--strict"] {
        let outcome = sandbox.run(format!("registry add -b alone -d index.db {strictly}").split(' '));
        assert_eq!(outcome.status, Some(1), "{outcome}");
        assert!(
            outcome
                .stderr
                .contains("error: rake.v1.0.0, rake.v1.1.0 are no longer in channel stable of package rake"),
            "{outcome}"
        );
        assert_eq!(fs::read(sandbox.path("index.db")).unwrap(), before);
    }
    let outcome = outcome_of(&sandbox, "registry add -b alone -d index.db");
    let words = "warning: rake.v1.0.0, rake.v1.1.0 are no longer in channel stable of package rake";
    assert!(outcome.stderr.contains(words), "{outcome}");
    let hint = "hint: to avoid this, make rake.v2.0.0 replace or skip rake.v1.1.0, or order the channel by version \
                with --mode semver";
    assert!(outcome.stderr.contains(hint), "{outcome}");
    let names = bundle_names(&sandbox.path("index.db"));
    assert!(names.contains(&"rake.v1.0.0".to_owned()), "{names:?}");
    let outcome = outcome_of(&sandbox, "index check index.db");
    for words in [
        "warning[index-bundle-unreachable]: bundle \"rake.v1.0.0\" is not in any channel",
        "warning[index-bundle-unreachable]: bundle \"rake.v1.1.0\" is not in any channel",
    ] {
        assert!(outcome.stdout.contains(words), "{words}: {outcome}");
    }
    assert!(!outcome.stdout.contains("error["), "{outcome}");
}

#[test]
fn regular_removals_leave_no_findings() {
    let sandbox = indexed();
    rake(&sandbox, "rake4", "1.3.0", Some("rake.v1.2.0"));
    succeed(&sandbox, "registry add -q -b rake3 -d index.db");
    succeed(&sandbox, "registry add -q -b rake4 -d index.db");
    change(
        &sandbox,
        "UPDATE operatorbundle SET bundlepath = 'registry.example.com/rake:' || version WHERE name LIKE 'rake%';
         UPDATE properties SET operatorbundle_path = 'registry.example.com/rake:' || operatorbundle_version
            WHERE operatorbundle_name LIKE 'rake%'",
    );
    for line in [
        "deprecatetruncate -b registry.example.com/rake:1.1.0",
        "deprecatetruncate -b registry.example.com/rake:1.2.0",
        "rm -o compost-operator",
        "prune -p rake",
        "prune-stranded",
    ] {
        succeed(&sandbox, &format!("registry {line} -q -d index.db"));
        let left = if bundle_names(&sandbox.path("index.db")).contains(&GREENHOUSE.to_owned()) {
            foreign()
        } else {
            Vec::new()
        };
        assert_eq!(findings(&sandbox, "index check index.db"), (Some(0), left), "{line}");
    }
    assert_eq!(bundle_names(&sandbox.path("index.db")), ["rake.v1.2.0", "rake.v1.3.0"]);
}

#[test]
fn bundles_that_a_version_of_olm_cannot_use_are_reported_with_a_hint() {
    let sandbox = garden();
    rake(&sandbox, "rake1", "1.0.0", None);
    let published = "--record-as registry.example.com/greenhouse:v1.2.0";
    succeed(&sandbox, "registry add -q -b rake1 -d index.db");
    succeed(
        &sandbox,
        &format!("registry add -q -b greenhouse {published} -d index.db"),
    );
    let line = "index check index.db --for registry+v1";
    let (status, rules) = findings(&sandbox, line);
    assert!(!rules.contains(&"cluster-media-type".to_owned()), "{rules:?}");
    assert_eq!(status, Some(0), "inline, it is an ordinary bundle");

    let add = format!("registry add -q -b greenhouse {published} --by-reference -d other.db");
    succeed(&sandbox, &add);
    let outcome = sandbox.run("index check other.db --for registry+v1".split(' '));
    assert_eq!(outcome.status, Some(1), "{outcome}");
    for words in [
        "error[cluster-media-type]: bundle \"greenhouse-operator.v1.2.0\" is a k8s+v1 bundle",
        "is stored as a reference to its image registry.example.com/greenhouse:v1.2.0",
        "unpacks registry+v1 images only",
        "in channels \"candidate\", \"stable\" of package \"greenhouse-operator\", new installations fail",
        "opmx bundle convert BUNDLE OUT --to registry+v1",
        "--allow-media-types registry+v1",
    ] {
        assert!(outcome.stdout.contains(words), "{words}: {outcome}");
    }
    let (status, rules) = findings(&sandbox, "index check other.db --for v0.13");
    assert_eq!(status, Some(1));
    for rule in ["cluster-bundle-image", "cluster-media-type"] {
        assert!(rules.contains(&rule.to_owned()), "{rules:?}");
    }
}

#[test]
fn unknown_olm_versions_are_rejected_and_those_beyond_the_table_reported() {
    let sandbox = indexed();
    for wrong in ["4.12", "k8s+v1", "latest"] {
        let outcome = sandbox.run(["index", "check", "index.db", "--for", wrong]);
        assert_eq!(outcome.status, Some(2), "{outcome}");
        for words in ["registry+v1", "from 0.14 to 0.46", wrong] {
            assert!(outcome.stderr.contains(words), "{words}: {outcome}");
        }
    }
    for (version, words) in [
        ("0.9", "opmx has incomplete information about OLM before 0.14.0"),
        ("0.99.0", "knows OLM up to 0.46; OLM 0.99.0"),
    ] {
        let outcome = sandbox.run(["index", "check", "index.db", "--for", version]);
        assert!(outcome.stderr.contains(words), "{outcome}");
        assert_ne!(outcome.status, Some(2), "{outcome}");
    }
}

#[test]
fn an_index_of_inline_bundles_has_no_bundle_images_to_check() {
    let sandbox = indexed();
    let outcome = outcome_of(&sandbox, "index check index.db --images");
    assert!(
        outcome.stderr.contains("checking 0 images in the registries"),
        "{outcome}"
    );
    let outcome = sandbox.run("index check index.db --images=some".split(' '));
    assert_eq!(outcome.status, Some(2), "{outcome}");
}
