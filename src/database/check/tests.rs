use super::repair::{Repair, repair};
use super::*;
use crate::database::change::ChangeOptions;
use crate::database::schema;
use rusqlite::Connection;
use std::path::{Path, PathBuf};

/// Package k with channel stable: k.v2 replaces k.v1 and skips k.vghost, which does not exist.
const SOUND: &str = "
    INSERT INTO operatorbundle VALUES ('k.v1', NULL, NULL, 'registry.example.com/k:1', '', '1', '', '', ''),
        ('k.v2', '{}', '{}', 'registry.example.com/k:2', '', '2', 'k.v1', 'k.vghost', '');
    INSERT INTO channel VALUES ('stable', 'k', 'k.v2');
    INSERT INTO package VALUES ('k', 'stable');
    INSERT INTO channel_entry VALUES (1, 'stable', 'k', 'k.v2', 4, 0), (2, 'stable', 'k', 'k.vghost', NULL, 1),
        (3, 'stable', 'k', 'k.v2', 2, 1), (4, 'stable', 'k', 'k.v1', NULL, 2);
    INSERT INTO properties VALUES ('olm.package', '{}', 'k.v2', '2', 'registry.example.com/k:2'),
        ('olm.package', '{}', 'k.v1', '1', NULL);
";

pub(crate) fn database(folder: &Path, change: &str) -> PathBuf {
    let path = folder.join("index.db");
    let _ = std::fs::remove_file(&path);
    let connection = Connection::open(&path).unwrap();
    connection.pragma_update(None, "foreign_keys", false).unwrap();
    schema::create(&connection, 0).unwrap();
    connection.execute_batch(SOUND).unwrap();
    connection.execute_batch(change).unwrap();
    path
}

fn found(path: &Path) -> Vec<String> {
    let findings = check(&Database::open(path).unwrap()).unwrap();
    findings
        .iter()
        .map(|finding| format!("{}: {}", finding.rule.id, finding.message))
        .collect()
}

#[test]
fn a_valid_database_has_no_findings_and_is_not_changed() {
    let folder = tempfile::tempdir().unwrap();
    let path = database(folder.path(), "");
    let before = std::fs::read(&path).unwrap();
    assert_eq!(found(&path), Vec::<String>::new());
    assert!(std::fs::read(&path).unwrap() == before);
    assert_eq!(repair(&path, &ChangeOptions::default()).unwrap(), []);
}

#[test]
fn graph_errors_name_package_channel_and_bundle() {
    let folder = tempfile::tempdir().unwrap();
    let cases = [
        (
            "UPDATE channel SET head_operatorbundle_name = NULL",
            r#"index-channel-head: the head of channel "stable" of package "k" is not specified"#,
        ),
        (
            "UPDATE channel SET head_operatorbundle_name = 'k.v1'",
            r#"index-channel-head: the head of channel "stable" of package "k" is "k.v1", but bundle "k.v2" replaces or skips it"#,
        ),
        (
            "UPDATE channel SET head_operatorbundle_name = 'x'",
            r#"index-channel-head: the head of channel "stable" of package "k" is "x", which has no entry in the channel"#,
        ),
        (
            "INSERT INTO channel VALUES ('alpha', 'k', 'k.v2')",
            r#"index-channel-head: channel "alpha" of package "k" has no bundles"#,
        ),
        (
            "UPDATE package SET default_channel = NULL",
            r#"index-default-channel: package "k" has no default channel"#,
        ),
        (
            "UPDATE package SET default_channel = 'alpha'",
            r#"index-default-channel: the default channel "alpha" of package "k" is not one of its channels ("stable")"#,
        ),
        (
            "DELETE FROM operatorbundle WHERE name = 'k.v1'; DELETE FROM properties WHERE operatorbundle_name = 'k.v1'",
            r#"index-bundle-missing: channel "stable" of package "k" has an entry for bundle "k.v1", which is not in the index"#,
        ),
        (
            "UPDATE channel_entry SET replaces = NULL WHERE entry_id = 1",
            r#"index-bundle-unreachable: channel "stable" of package "k" has no update path from bundle "k.v1" to the head "k.v2""#,
        ),
        (
            "INSERT INTO channel_entry VALUES (8, 'stable', 'k', 'k.v2', NULL, 2), (9, 'stable', 'k', 'k.v2', 8, 2)",
            r#"index-skips-itself: in channel "stable" of package "k", bundle "k.v2" skips itself"#,
        ),
        (
            "INSERT INTO operatorbundle (name) VALUES ('k.v0')",
            r#"index-bundle-unreachable: bundle "k.v0" is not in any channel"#,
        ),
        (
            "UPDATE channel_entry SET replaces = 4 WHERE entry_id = 4",
            r#"index-cycle: in channel "stable" of package "k", bundles replace each other: "k.v1" replaces "k.v1""#,
        ),
        (
            "INSERT INTO channel VALUES ('alpha', 'k', 'k.v2'); INSERT INTO channel_entry VALUES (5, 'alpha', 'k', 'k.v2', 4, 0)",
            r#"index-entry-target: in channel "alpha" of package "k", an entry for bundle "k.v2" refers to channel "stable" of package "k""#,
        ),
        (
            "UPDATE channel_entry SET replaces = 9 WHERE entry_id = 3; DELETE FROM channel_entry WHERE entry_id = 2",
            r#"index-entry-target: in channel "stable" of package "k", an entry for bundle "k.v2" refers to an entry that does not exist"#,
        ),
        (
            "DELETE FROM channel",
            r#"index-channel-missing: there are entries of channel "stable" of package "k", but the channel is not in the index"#,
        ),
    ];
    for (change, expected) in cases {
        let found = found(&database(folder.path(), change));
        assert_eq!(found.first().map(String::as_str), Some(expected), "{change}");
        // Without its only channel, a package cannot have a valid default channel.
        let more = usize::from(change == "DELETE FROM channel");
        assert_eq!(found.len(), 1 + more, "{change}: {found:?}");
    }
}

#[test]
fn content_unusable_by_later_commands_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let cases = [
        (
            "UPDATE operatorbundle SET bundlepath = '' WHERE name = 'k.v1'",
            r#"index-bundle-content: bundle "k.v1" has neither an image nor manifests"#,
        ),
        (
            "INSERT INTO properties VALUES ('t', '{x', 'k.v1', NULL, NULL)",
            r#"index-property-json: the property t of bundle "k.v1" is not JSON: key must be a string at line 1 column 2"#,
        ),
        (
            "INSERT INTO dependencies VALUES ('t', '', 'k.v1', NULL, NULL)",
            r#"index-property-json: the dependency t of bundle "k.v1" is not JSON: EOF while parsing a value at line 1 column 0"#,
        ),
    ];
    for (change, expected) in cases {
        assert_eq!(found(&database(folder.path(), change)), [expected], "{change}");
    }
}

#[test]
fn invisible_characters_in_names_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = database(
        folder.path(),
        "INSERT INTO operatorbundle (name, bundlepath) VALUES ('b' || char(7), 'registry.example.com/b:1');
         INSERT INTO package VALUES ('p' || char(0x202e), 'c' || char(0x200b));
         INSERT INTO channel VALUES ('c' || char(0x200b), 'p' || char(0x202e), 'b' || char(7));
         INSERT INTO channel_entry VALUES (5, 'c' || char(0x200b), 'p' || char(0x202e), 'b' || char(7), NULL, 0);",
    );
    assert_eq!(
        found(&path),
        [
            r#"name-hidden-character: in package "p\u{202e}", the channel "c\u{200b}" contains U+200B, an invisible character"#,
            r#"name-hidden-character: the bundle "b\u{7}" contains U+0007, an invisible character"#,
            r#"name-hidden-character: the package "p\u{202e}" contains U+202E, an invisible character"#,
        ]
    );
}

#[test]
fn names_stored_as_bytes_become_text_and_their_rows_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = database(
        folder.path(),
        "UPDATE operatorbundle SET name = CAST(name AS BLOB) WHERE name = 'k.v1'",
    );
    let findings = found(&path);
    let expected = "index-name-bytes: column name of table operatorbundle contains 1 name(s) as bytes instead of text, \
        so no query finds them";
    assert!(findings.iter().any(|finding| finding == expected), "{findings:?}");
    let rows = 1;
    let (table, column) = ("operatorbundle", "name");
    assert_eq!(
        repair(&path, &ChangeOptions::default()).unwrap(),
        [Repair::NamesConverted { table, column, rows }]
    );
    assert_eq!(found(&path), Vec::<String>::new());
}

#[test]
fn problems_without_a_decision_are_fixed_and_not_reported_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = database(
        folder.path(),
        "INSERT INTO related_image VALUES ('x', 'gone'), ('y', 'gone');
         INSERT INTO deprecated VALUES ('gone');
         INSERT INTO operatorbundle (name) VALUES ('k.v0');
         INSERT INTO related_image VALUES ('z', 'k.v0');
         INSERT INTO api VALUES ('g', 'v1', 'K', 'ks');
         UPDATE properties SET operatorbundle_version = '0' WHERE operatorbundle_name = 'k.v1';
         UPDATE package SET default_channel = 'alpha';
         UPDATE operatorbundle SET bundle = '{' WHERE name = 'k.v2'",
    );
    let rules = |path: &Path| {
        let findings = check(&Database::open(path).unwrap()).unwrap();
        findings.iter().map(|finding| finding.rule.id).collect::<Vec<_>>()
    };
    assert_eq!(
        rules(&path),
        [
            "index-api-unused",
            "index-bundle-unreachable",
            "index-default-channel",
            "index-manifests-json",
            "index-orphan-row",
            "index-orphan-row",
            "index-row-owner"
        ]
    );
    let name = |text: &str| text.to_owned();
    assert_eq!(
        repair(&path, &ChangeOptions::default()).unwrap(),
        [
            Repair::OrphansRemoved {
                table: "related_image",
                rows: 2
            },
            Repair::OrphansRemoved {
                table: "deprecated",
                rows: 1
            },
            Repair::OwnersCorrected {
                table: "properties",
                rows: 1
            },
            Repair::BundleRemoved { bundle: name("k.v0") },
            Repair::ApisRemoved { rows: 1 },
            Repair::DefaultChannelSet {
                package: name("k"),
                channel: name("stable")
            },
        ]
    );
    assert_eq!(rules(&path), ["index-manifests-json"]);
    assert_eq!(repair(&path, &ChangeOptions::default()).unwrap(), []);
}

#[test]
fn heads_channels_and_packages_are_repaired_where_only_one_bundle_or_channel_is_possible() {
    let folder = tempfile::tempdir().unwrap();
    let name = |text: &str| text.to_owned();
    let (package, channel) = (name("k"), name("stable"));
    let head_set = [Repair::HeadSet {
        package: package.clone(),
        channel: channel.clone(),
        head: name("k.v2"),
    }];
    let added = [Repair::PackageAdded {
        package: package.clone(),
        channel,
    }];
    let removed = [Repair::ChannelRemoved {
        package,
        channel: name("alpha"),
    }];
    let cases: [(&str, &[Repair]); 6] = [
        ("UPDATE channel SET head_operatorbundle_name = NULL", &head_set),
        ("UPDATE channel SET head_operatorbundle_name = 'k.v1'", &head_set),
        ("UPDATE channel SET head_operatorbundle_name = 'x'", &head_set),
        ("DELETE FROM channel", &head_set),
        ("DELETE FROM package", &added),
        ("INSERT INTO channel VALUES ('alpha', 'k', 'k.v2')", &removed),
    ];
    for (change, repairs) in cases {
        let path = database(folder.path(), change);
        assert_eq!(repair(&path, &ChangeOptions::default()).unwrap(), repairs, "{change}");
        assert_eq!(found(&path), Vec::<String>::new(), "{change}");
    }
}

#[test]
fn what_only_the_user_can_decide_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let cases = [
        // Two bundles can be the head.
        "UPDATE channel SET head_operatorbundle_name = NULL;
         INSERT INTO operatorbundle (name, bundlepath) VALUES ('k.v3', 'registry.example.com/k:3');
         INSERT INTO channel_entry VALUES (8, 'stable', 'k', 'k.v3', NULL, 0)",
        // The head is not in the index.
        "UPDATE channel SET head_operatorbundle_name = 'x'; DELETE FROM operatorbundle WHERE name = 'k.v2';
         DELETE FROM properties WHERE operatorbundle_name = 'k.v2'",
        // Two channels can be the default.
        "DELETE FROM package; INSERT INTO channel VALUES ('alpha', 'k', 'k.v1');
         INSERT INTO channel_entry VALUES (8, 'alpha', 'k', 'k.v1', NULL, 0)",
        // Without the default channel, the package would be removed with it.
        "INSERT INTO channel VALUES ('alpha', 'k', 'k.v2'); UPDATE package SET default_channel = 'alpha'",
    ];
    for change in cases {
        let path = database(folder.path(), change);
        let before = found(&path);
        assert!(!before.is_empty(), "{change}");
        assert_eq!(repair(&path, &ChangeOptions::default()).unwrap(), [], "{change}");
        assert_eq!(found(&path), before, "{change}");
    }
}
