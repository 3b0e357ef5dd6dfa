use super::repair::{Repair, repair};
use super::*;
use crate::causes::with_causes;
use crate::database::change::ChangeOptions;
use crate::database::remove::RemoveError;
use crate::database::schema;
use rusqlite::Connection;
use std::path::{Path, PathBuf};

/// Package k with channel stable: k.v2 replaces k.v1 and skips k.vghost, which does not exist.
const SOUND: &str = "
    INSERT INTO operatorbundle VALUES ('k.v1', NULL, NULL, 'registry.example.com/k:1', '', '1.0.0', '', '', ''),
        ('k.v2', '{}', '{}', 'registry.example.com/k:2', '', '2.0.0', 'k.v1', 'k.vghost', '');
    INSERT INTO channel VALUES ('stable', 'k', 'k.v2');
    INSERT INTO package VALUES ('k', 'stable');
    INSERT INTO channel_entry VALUES (1, 'stable', 'k', 'k.v2', 4, 0), (2, 'stable', 'k', 'k.vghost', NULL, 1),
        (3, 'stable', 'k', 'k.v2', 2, 1), (4, 'stable', 'k', 'k.v1', NULL, 2);
    INSERT INTO properties VALUES ('olm.package', '{}', 'k.v2', '2.0.0', 'registry.example.com/k:2'),
        ('olm.package', '{}', 'k.v1', '1.0.0', NULL);
";

pub(crate) fn database(folder: &Path, change: &str) -> PathBuf {
    database_in(folder, "UTF-8", change)
}

/// `encoding` is the encoding of text in the file.
fn database_in(folder: &Path, encoding: &str, change: &str) -> PathBuf {
    let path = folder.join("index.db");
    let _ = std::fs::remove_file(&path);
    let connection = Connection::open(&path).unwrap();
    connection.pragma_update(None, "encoding", encoding).unwrap();
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
            "UPDATE channel_entry SET depth = depth + 1; INSERT INTO channel VALUES ('alpha', 'k', 'k.v1');
             INSERT INTO channel_entry VALUES (8, 'alpha', 'k', 'k.v1', NULL, 0)",
            r#"index-entry-depth: channel "stable" of package "k" begins at depth 1 instead of 0, so OLM finds no update line in it"#,
        ),
        (
            "INSERT INTO channel VALUES ('alpha', 'k', 'k.v1');
             INSERT INTO channel_entry VALUES (8, 'alpha', 'k', 'k.v1', NULL, -1)",
            r#"index-entry-depth: channel "alpha" of package "k" has an entry of depth -1, so OLM finds no update line in channels that begin at 0"#,
        ),
        (
            "UPDATE channel_entry SET depth = NULL WHERE entry_id = 3",
            r#"index-entry-depth: channel "stable" of package "k" has an entry without a depth, so its order is unknown"#,
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
            "UPDATE operatorbundle SET version = 'one' WHERE name = 'k.v1';
             UPDATE properties SET operatorbundle_version = NULL",
            r#"index-bundle-version: the version "one" of bundle "k.v1" is not a semantic version: unexpected character 'o' while parsing major version number"#,
        ),
        (
            r#"UPDATE properties SET value = '{"packageName":"x"}' WHERE operatorbundle_name = 'k.v1'"#,
            r#"index-package-property: the property olm.package of bundle "k.v1" names package "x", but the bundle is in package "k""#,
        ),
        (
            r#"UPDATE properties SET value = CAST('{"packageName":"k","version":"9.9.9"}' AS BLOB)
                WHERE operatorbundle_name = 'k.v1'"#,
            r#"index-package-property: the property olm.package of bundle "k.v1" states version "9.9.9", but the version of the bundle is "1.0.0""#,
        ),
        (
            "INSERT INTO properties VALUES ('olm.deprecated', '{}', 'k.v1', NULL, NULL)",
            r#"index-deprecated-row: bundle "k.v1" has the property olm.deprecated, but no row in table deprecated"#,
        ),
        (
            "UPDATE operatorbundle SET bundlepath = NULL WHERE name = 'k.v2';
             UPDATE properties SET operatorbundle_path = NULL",
            r#"index-bundle-unlisted: OLM does not see bundle "k.v2", because its bundlepath is NULL"#,
        ),
        (
            "UPDATE operatorbundle SET version = NULL WHERE name = 'k.v1';
             UPDATE properties SET operatorbundle_version = NULL",
            r#"index-bundle-unlisted: OLM does not see bundle "k.v1", because its version is NULL"#,
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
fn missing_columns_and_keys_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let cases = [
        (
            "ALTER TABLE operatorbundle DROP COLUMN substitutesfor",
            "column substitutesfor",
        ),
        ("DROP INDEX pk", "unique key name, version, bundlepath"),
    ];
    for (change, missing) in cases {
        let expected =
            format!("index-table-shape: table operatorbundle has no {missing}, so commands that change the index fail");
        assert_eq!(found(&database(folder.path(), change)), [expected], "{change}");
    }
    // The column came with a later schema version.
    let older = "ALTER TABLE operatorbundle DROP COLUMN substitutesfor; DROP TABLE deprecated;
        UPDATE schema_migrations SET version = 10";
    assert_eq!(found(&database(folder.path(), older)), Vec::<String>::new());
}

#[test]
fn damage_found_before_a_page_that_ends_the_check_is_reported_with_its_table() {
    let folder = tempfile::tempdir().unwrap();
    let path = database(folder.path(), "");
    let connection = Connection::open(&path).unwrap();
    let query = "SELECT rootpage, page_size FROM sqlite_master, pragma_page_size WHERE name = 'related_image'";
    let (page, size): (u64, u64) = connection
        .query_row(query, [], |row| {
            Ok((row.get::<_, u32>(0)?.into(), row.get::<_, u32>(1)?.into()))
        })
        .unwrap();
    connection.close().unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    let start = usize::try_from((page - 1) * size).unwrap();
    bytes[start..start + 200].fill(0xff);
    std::fs::write(&path, bytes).unwrap();
    assert_eq!(
        found(&path),
        [format!(
            "index-database-damaged: the database is damaged: Tree {page} page {page}: btreeInitPage() returns error \
            code 11 (table related_image)"
        )]
    );
}

#[test]
fn strings_that_are_not_utf_8_are_reported_with_their_rows() {
    let folder = tempfile::tempdir().unwrap();
    let cases = [
        (
            "UPDATE operatorbundle SET version = CAST(x'ff' AS TEXT) WHERE name = 'k.v1'",
            "version",
            "k.v1",
        ),
        (
            "UPDATE operatorbundle SET skiprange = x'ff' WHERE name = 'k.v2'",
            "skiprange",
            "k.v2",
        ),
        (
            "UPDATE operatorbundle SET name = x'6bff' WHERE name = 'k.v2'",
            "name",
            "k\u{fffd}",
        ),
    ];
    for (change, column, row) in cases {
        let path = database(folder.path(), change);
        let place = format!("column {column} of the row of {row:?} in table operatorbundle is not valid UTF-8");
        let findings = found(&path);
        let expected = format!("index-text-encoding: {place}");
        assert!(findings.contains(&expected), "{change}: {findings:?}");
        let error = Database::open(&path).unwrap().catalog().unwrap_err();
        let expected = format!("from {}: {place}", path.display());
        assert!(with_causes(&error).ends_with(&expected), "{}", with_causes(&error));
    }
    let path = database(
        folder.path(),
        "UPDATE operatorbundle SET csv = x'22ff22' WHERE name = 'k.v2'",
    );
    assert_eq!(
        found(&path),
        [
            r#"index-manifests-json: the stored ClusterServiceVersion of bundle "k.v2" cannot be read: invalid utf-8 sequence of 1 bytes from index 1"#
        ]
    );
}

#[test]
fn invisible_characters_in_names_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = database(
        folder.path(),
        "INSERT INTO operatorbundle (name, bundlepath, version)
             VALUES ('b' || char(7), 'registry.example.com/b:1', '1.0.0');
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
fn names_as_bytes_become_text_in_the_encoding_of_the_database() {
    let folder = tempfile::tempdir().unwrap();
    for encoding in ["UTF-8", "UTF-16le", "UTF-16be"] {
        // The first name is stored in UTF-8, the second one in the encoding of the database.
        let path = database_in(
            folder.path(),
            encoding,
            "UPDATE operatorbundle SET name = x'6b2e7631' WHERE name = 'k.v1';
             UPDATE channel_entry SET operatorbundle_name = CAST('k.v2' AS BLOB) WHERE operatorbundle_name = 'k.v2'",
        );
        let converted = |table, column, rows| Repair::NamesConverted { table, column, rows };
        assert_eq!(
            repair(&path, &ChangeOptions::default()).unwrap(),
            [
                converted("channel_entry", "operatorbundle_name", 2),
                converted("operatorbundle", "name", 1)
            ],
            "{encoding}"
        );
        assert_eq!(found(&path), Vec::<String>::new(), "{encoding}");
    }
}

#[test]
fn nothing_is_repaired_if_a_name_is_not_text() {
    let folder = tempfile::tempdir().unwrap();
    let path = database(
        folder.path(),
        "UPDATE channel_entry SET operatorbundle_name = x'ff' WHERE operatorbundle_name = 'k.v1'",
    );
    let before = std::fs::read(&path).unwrap();
    let refused = repair(&path, &ChangeOptions::default()).unwrap_err();
    assert!(matches!(refused, RemoveError::UnreadableName { .. }), "{refused}");
    assert!(std::fs::read(&path).unwrap() == before);
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
         UPDATE operatorbundle SET bundle = '{', bundlepath = NULL WHERE name = 'k.v2'",
    );
    let rules = |path: &Path| {
        let findings = check(&Database::open(path).unwrap()).unwrap();
        findings.iter().map(|finding| finding.rule.id).collect::<Vec<_>>()
    };
    assert_eq!(
        rules(&path),
        [
            "index-api-unused",
            "index-bundle-unlisted",
            "index-bundle-unreachable",
            "index-default-channel",
            "index-manifests-json",
            "index-orphan-row",
            "index-orphan-row",
            "index-row-owner",
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
                rows: 2
            },
            Repair::BundleRemoved { bundle: name("k.v0") },
            Repair::BundlesListed { rows: 1 },
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
