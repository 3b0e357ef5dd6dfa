use super::*;
use crate::database::change::{self, ChangeOptions, Target};
use crate::database::error::DatabaseError;
use crate::database::read::Database;
use rusqlite::types::Value;
use serde_json::json;

/// An empty database in the state after the migrations up to `version`.
fn old(version: i64) -> Connection {
    let from = |first: i64, text: &'static str| if version >= first { text } else { "" };
    let cascade = from(4, " ON DELETE CASCADE");
    let of_package = if version < 4 {
        ", FOREIGN KEY(package_name) REFERENCES package(name)"
    } else {
        ""
    };
    let link = if version < 6 {
        "group_name TEXT, version TEXT, kind TEXT, channel_entry_id INTEGER,
         FOREIGN KEY(channel_entry_id) REFERENCES channel_entry(entry_id),
         FOREIGN KEY(group_name, version, kind) REFERENCES api(group_name, version, kind)"
    } else {
        "group_name TEXT, version TEXT, kind TEXT, operatorbundle_name TEXT, operatorbundle_version TEXT,
         operatorbundle_path TEXT, FOREIGN KEY(operatorbundle_name, operatorbundle_version, operatorbundle_path)
            REFERENCES operatorbundle(name, version, bundlepath) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
         FOREIGN KEY(group_name, version, kind) REFERENCES api(group_name, version, kind) ON DELETE CASCADE"
    };
    let typed = "type TEXT, value TEXT, operatorbundle_name TEXT, operatorbundle_version TEXT,
        operatorbundle_path TEXT, FOREIGN KEY(operatorbundle_name, operatorbundle_version, operatorbundle_path)
            REFERENCES operatorbundle(name, version, bundlepath) ON DELETE CASCADE";
    let mut sql = format!(
        "CREATE TABLE operatorbundle (name TEXT PRIMARY KEY, csv TEXT, bundle TEXT{}{}{}{});
         CREATE TABLE package (name TEXT PRIMARY KEY, default_channel TEXT,
            FOREIGN KEY(name, default_channel) REFERENCES channel(package_name, name){cascade});
         CREATE TABLE channel (name TEXT, package_name TEXT, head_operatorbundle_name TEXT,
            PRIMARY KEY(name, package_name){of_package},
            FOREIGN KEY(head_operatorbundle_name) REFERENCES operatorbundle(name){cascade});
         CREATE TABLE channel_entry (entry_id INTEGER PRIMARY KEY, channel_name TEXT, package_name TEXT,
            operatorbundle_name TEXT, replaces INTEGER, depth INTEGER,
            FOREIGN KEY(replaces) REFERENCES channel_entry(entry_id) DEFERRABLE INITIALLY DEFERRED,
            FOREIGN KEY(channel_name, package_name) REFERENCES channel(name, package_name){cascade});
         CREATE TABLE api (group_name TEXT, version TEXT, kind TEXT, plural TEXT NOT NULL,
            PRIMARY KEY(group_name, version, kind));
         CREATE TABLE api_provider ({link});",
        from(2, ", bundlepath TEXT"),
        from(5, ", skiprange TEXT, version TEXT"),
        from(7, ", replaces TEXT, skips TEXT"),
        from(11, ", substitutesfor TEXT")
    );
    if version >= 0 {
        sql += &format!(
            "CREATE TABLE schema_migrations (version bigint NOT NULL, timestamp DATETIME);
             INSERT INTO schema_migrations VALUES ({version}, '2020-01-01 00:00:00');"
        );
    }
    for (first, table) in [
        (1, "related_image (image TEXT, operatorbundle_name TEXT)"),
        (3, &format!("api_requirer ({link})")),
        (8, &format!("dependencies ({typed})")),
        (9, &format!("properties ({typed})")),
        (12, "deprecated (operatorbundle_name TEXT PRIMARY KEY)"),
    ] {
        if version >= first {
            sql += &format!("CREATE TABLE {table};");
        }
    }
    sql += from(
        6,
        "CREATE UNIQUE INDEX pk ON operatorbundle(name, version, bundlepath);",
    );
    let connection = Connection::open_in_memory().unwrap();
    connection.pragma_update(None, "foreign_keys", true).unwrap();
    connection.execute_batch(&sql).unwrap();
    connection
}

/// Rows that fit the tables of every version: k.v2 replaces k.v1 and skips k.v1.5, which does not exist.
const GRAPH_ROWS: &str = "
    INSERT INTO package VALUES ('k', NULL);
    INSERT INTO channel VALUES ('stable', 'k', 'k.v2');
    UPDATE package SET default_channel = 'stable';
    INSERT INTO channel_entry VALUES (7, 'stable', 'k', 'k.v2', 10, 0), (8, 'stable', 'k', 'k.v1.5', NULL, 1),
        (9, 'stable', 'k', 'k.v2', 8, 1), (10, 'stable', 'k', 'k.v1', NULL, 2);
";

fn csv(name: &str, version: &str, replaces: Option<&str>, skips: &[&str]) -> serde_json::Value {
    json!({
        "apiVersion": "operators.coreos.com/v1alpha1", "kind": "ClusterServiceVersion",
        "metadata": {"name": name, "annotations": {"olm.skipRange": "<2.0.0",
            "olm.properties": r#"[{"type": "olm.maxOpenShiftVersion", "value": "4.8"}]"#}},
        "spec": {"version": version, "replaces": replaces, "skips": skips,
            "relatedImages": [{"image": "registry.example.com/run:1"}],
            "customresourcedefinitions": {"required": [
                {"name": "bars.k.io", "version": "v1", "kind": "Bar"}, {"name": "bazes.k.io", "version": "v2", "kind": "Baz"}]}}
    })
}

fn crd() -> serde_json::Value {
    json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "spec": {"group": "k.io", "names": {"kind": "Foo", "plural": "foos"}, "versions": [{"name": "v1"}]}})
}

/// Inserts the two bundles of the graph, with the columns that every version has.
fn insert_bundles(connection: &Connection) {
    let bundles = [
        ("k.v1", csv("k.v1", "1.0.0", None, &[])),
        ("k.v2", csv("k.v2", "2.0.0", Some("k.v1"), &["k.v1.5"])),
    ];
    for (name, csv) in bundles {
        let csv = format!("{csv}\n");
        let bundle = format!("{}\n{csv}", crd());
        connection
            .execute(
                "INSERT INTO operatorbundle (name, csv, bundle) VALUES (?1, ?2, ?3)",
                (name, csv.as_bytes(), bundle.as_bytes()),
            )
            .unwrap();
    }
    connection.execute_batch(GRAPH_ROWS).unwrap();
}

fn migrated(connection: Connection, version: i64) -> Connection {
    let connection = migrated_with_damage(connection, version);
    assert!(rows(&connection, "PRAGMA foreign_key_check").is_empty());
    connection
}

fn migrated_with_damage(mut connection: Connection, version: i64) -> Connection {
    connection
        .pragma_update(None, "foreign_keys", !rebuilds(version))
        .unwrap();
    let transaction = connection.transaction().unwrap();
    assert_eq!(schema::state(&transaction).unwrap(), schema::State::Index(version));
    migrate(&transaction, version, 0).unwrap();
    transaction.commit().unwrap();
    assert_eq!(rows(&connection, "PRAGMA integrity_check"), ["ok"]);
    let fresh = Connection::open_in_memory().unwrap();
    schema::create(&fresh, 0).unwrap();
    if rebuilds(version) {
        let objects = "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE tbl_name != 'audit'";
        assert_eq!(rows(&connection, objects), rows(&fresh, objects));
    }
    for (table, _) in TABLES {
        let columns = format!("SELECT name, type FROM pragma_table_info('{table}') WHERE name != 'note'");
        assert_eq!(rows(&connection, &columns), rows(&fresh, &columns));
    }
    assert_eq!(
        rows(&connection, "SELECT * FROM schema_migrations"),
        ["13 1970-01-01 00:00:00"]
    );
    assert!(rows(&connection, "SELECT name FROM temp.sqlite_master").is_empty());
    connection
}

/// Returns the rows of a query as words; a value that is not stored as text includes its type.
fn rows(connection: &Connection, query: &str) -> Vec<String> {
    let mut statement = connection.prepare(query).unwrap();
    let columns = statement.column_count();
    let word = |value| match value {
        Value::Null => "NULL".to_owned(),
        Value::Integer(number) => number.to_string(),
        Value::Text(text) => text,
        Value::Blob(bytes) => format!("x'{}'", String::from_utf8(bytes).unwrap()),
        Value::Real(number) => format!("{number:?}"),
    };
    let rows = statement
        .query_map([], |row| {
            let words: rusqlite::Result<Vec<_>> = (0..columns).map(|column| row.get(column).map(word)).collect();
            Ok(words?.join(" "))
        })
        .unwrap();
    rows.map(Result::unwrap).collect()
}

#[test]
fn an_empty_database_of_any_version_is_migrated_to_an_empty_one() {
    for version in FIRST_VERSION..schema::VERSION {
        let connection = migrated(old(version), version);
        for (table, _) in TABLES {
            assert!(rows(&connection, &format!("SELECT * FROM {table}")).is_empty());
        }
    }
    let counted = Connection::open_in_memory().unwrap();
    counted
        .execute_batch("CREATE TABLE schema_migrations (version bigint NOT NULL, timestamp DATETIME)")
        .unwrap();
    migrated(counted, FIRST_VERSION);
}

#[test]
fn data_missing_in_the_first_versions_comes_from_the_manifests() {
    for version in FIRST_VERSION..=0 {
        let connection = old(version);
        insert_bundles(&connection);
        let connection = migrated(connection, version);
        let queries = [
            "SELECT name, bundlepath, skiprange, version, replaces, skips, substitutesfor FROM operatorbundle",
            "SELECT * FROM related_image",
            "SELECT * FROM api",
            "SELECT * FROM api_provider",
            "SELECT * FROM api_requirer",
            "SELECT * FROM dependencies WHERE operatorbundle_name = 'k.v1'",
            "SELECT * FROM properties WHERE operatorbundle_name = 'k.v1'",
            "SELECT * FROM channel_entry",
            "SELECT * FROM package JOIN channel",
        ];
        let shown: Vec<_> = queries.iter().flat_map(|query| rows(&connection, query)).collect();
        assert_eq!(
            shown,
            [
                "k.v1  <2.0.0 1.0.0   ",
                "k.v2  <2.0.0 2.0.0 k.v1 k.v1.5 ",
                "registry.example.com/run:1 k.v1",
                "registry.example.com/run:1 k.v2",
                "k.io v1 Foo foos",
                "k.io v1 Bar bars",
                "k.io v2 Baz bazes",
                "k.io v1 Foo k.v1 1.0.0 NULL",
                "k.io v1 Foo k.v2 2.0.0 NULL",
                "k.io v1 Bar k.v1 1.0.0 NULL",
                "k.io v2 Baz k.v1 1.0.0 NULL",
                "k.io v1 Bar k.v2 2.0.0 NULL",
                "k.io v2 Baz k.v2 2.0.0 NULL",
                r#"olm.gvk x'{"group":"k.io","kind":"Bar","version":"v1"}' k.v1 1.0.0 NULL"#,
                r#"olm.gvk x'{"group":"k.io","kind":"Baz","version":"v2"}' k.v1 1.0.0 NULL"#,
                r#"olm.package {"packageName":"k","version":"1.0.0"} k.v1 1.0.0 NULL"#,
                r#"olm.gvk {"group":"k.io","kind":"Foo","version":"v1"} k.v1 1.0.0 NULL"#,
                r#"olm.maxOpenShiftVersion "4.8" k.v1 1.0.0 NULL"#,
                "7 stable k k.v2 10 0",
                "8 stable k k.v1.5 NULL 1",
                "9 stable k k.v2 8 1",
                "10 stable k k.v1 NULL 2",
                "k stable stable k k.v2"
            ]
        );
    }
}

#[test]
fn apis_of_entries_become_apis_of_bundles() {
    for version in 3..=5 {
        let connection = old(version);
        connection
            .execute_batch(&format!(
                "INSERT INTO operatorbundle (name) VALUES ('k.v1'), ('k.v2'); {GRAPH_ROWS}
                 INSERT INTO api VALUES ('k.io', 'v1', 'Foo', 'foos'), ('k.io', 'v1', 'Bar', 'bars');
                 INSERT INTO api_provider VALUES ('k.io', 'v1', 'Foo', 7), ('k.io', 'v1', 'Foo', 9), ('k.io', 'v1', 'Foo', 10);
                 INSERT INTO api_requirer VALUES ('k.io', 'v1', 'Bar', 7);"
            ))
            .unwrap();
        let connection = migrated(connection, version);
        assert_eq!(
            rows(&connection, "SELECT kind, operatorbundle_name FROM api_provider"),
            ["Foo k.v1", "Foo k.v2"]
        );
        assert_eq!(
            rows(&connection, "SELECT kind, operatorbundle_name FROM api_requirer"),
            ["Bar k.v2"]
        );
        assert_eq!(
            rows(&connection, "SELECT type, value, operatorbundle_name FROM dependencies"),
            [r#"olm.gvk x'{"group":"k.io","kind":"Bar","version":"v1"}' k.v2"#]
        );
    }
}

#[test]
fn edges_of_bundles_without_manifests_come_from_the_entries() {
    let connection = old(6);
    connection
        .execute_batch(&format!(
            "INSERT INTO operatorbundle (name, bundlepath, skiprange, version) VALUES
                ('k.v1', 'registry.example.com/k:1', '', '1.0.0'), ('k.v2', 'registry.example.com/k:2', '', '2.0.0');
             {GRAPH_ROWS}
             INSERT INTO api VALUES ('k.io', 'v1', 'Foo', 'foos');
             INSERT INTO api_provider VALUES ('k.io', 'v1', 'Foo', 'k.v2', '2.0.0', 'registry.example.com/k:2');"
        ))
        .unwrap();
    let connection = migrated(connection, 6);
    assert_eq!(
        rows(&connection, "SELECT name, replaces, skips FROM operatorbundle"),
        ["k.v1  ", "k.v2 k.v1 k.v1.5"]
    );
    assert_eq!(
        rows(
            &connection,
            "SELECT type, value, operatorbundle_path FROM properties WHERE operatorbundle_name = 'k.v2'"
        ),
        [
            r#"olm.package {"packageName":"k","version":"2.0.0"} registry.example.com/k:2"#,
            r#"olm.gvk {"group":"k.io","kind":"Foo","version":"v1"} registry.example.com/k:2"#
        ]
    );
}

#[test]
fn every_dependency_keeps_its_value_without_the_repeated_type() {
    let connection = old(8);
    insert_bundles(&connection);
    connection
        .execute_batch(
            r#"INSERT INTO dependencies VALUES
                ('olm.gvk', CAST('{"group":"k.io","kind":"Bar","type":"olm.gvk","version":"v1"}' AS BLOB), 'k.v2', NULL, NULL),
                ('olm.package', '{"type":"olm.package","packageName":"p","version":"\u003e1.0.0"}', 'k.v2', NULL, NULL),
                ('olm.label', '{ "label": "x" }', 'k.v2', NULL, NULL), ('other', 'no JSON', 'k.v2', NULL, NULL)"#,
        )
        .unwrap();
    let connection = migrated(connection, 8);
    assert_eq!(
        rows(
            &connection,
            "SELECT type, value, operatorbundle_version FROM dependencies"
        ),
        [
            r#"olm.gvk x'{"group":"k.io","kind":"Bar","version":"v1"}' 2.0.0"#,
            r#"olm.package x'{"packageName":"p","version":"\u003e1.0.0"}' 2.0.0"#,
            r#"olm.label { "label": "x" } 2.0.0"#,
            "other no JSON 2.0.0"
        ]
    );
}

#[test]
fn a_replaced_bundle_stays_replaced_if_another_channel_skips_it_or_ends_at_it() {
    let connection = old(6);
    // In alpha, k.v3 skips k.v2, and in beta, the channel ends at k.v2; in stable, k.v2 replaces k.v1 and skips k.v1.5.
    connection
        .execute_batch(
            "INSERT INTO operatorbundle (name, bundlepath, skiprange, version) VALUES
                ('k.v1', 'registry.example.com/k:1', '', '1.0.0'), ('k.v2', 'registry.example.com/k:2', '', '2.0.0'),
                ('k.v3', 'registry.example.com/k:3', '', '3.0.0');
             INSERT INTO package VALUES ('k', NULL);
             INSERT INTO channel VALUES ('alpha', 'k', 'k.v3'), ('beta', 'k', 'k.v2'), ('stable', 'k', 'k.v3');
             INSERT INTO channel_entry VALUES
                (1, 'alpha', 'k', 'k.v3', NULL, 0), (2, 'alpha', 'k', 'k.v2', NULL, 1), (3, 'alpha', 'k', 'k.v3', 2, 1),
                (4, 'beta', 'k', 'k.v2', NULL, 0),
                (5, 'stable', 'k', 'k.v3', 6, 0), (6, 'stable', 'k', 'k.v2', 9, 1),
                (7, 'stable', 'k', 'k.v1.5', NULL, 2), (8, 'stable', 'k', 'k.v2', 7, 2),
                (9, 'stable', 'k', 'k.v1', NULL, 3);",
        )
        .unwrap();
    let connection = migrated(connection, 6);
    assert_eq!(
        rows(&connection, "SELECT name, replaces, skips FROM operatorbundle"),
        ["k.v1  ", "k.v2 k.v1 k.v1.5", "k.v3 k.v2 "]
    );
}

#[test]
fn a_bundle_that_only_skips_replaces_nothing() {
    let connection = old(6);
    connection
        .execute_batch(
            "INSERT INTO operatorbundle (name, bundlepath, skiprange, version) VALUES
                ('k.v2', 'registry.example.com/k:2', '', '2.0.0');
             INSERT INTO package VALUES ('k', NULL);
             INSERT INTO channel VALUES ('stable', 'k', 'k.v2');
             INSERT INTO channel_entry VALUES (1, 'stable', 'k', 'k.v2', NULL, 0), (2, 'stable', 'k', 'k.v1', NULL, 1),
                (3, 'stable', 'k', 'k.v2', 2, 1), (4, 'stable', 'k', 'k.v0', NULL, 2), (5, 'stable', 'k', 'k.v2', 4, 2);",
        )
        .unwrap();
    let connection = migrated(connection, 6);
    assert_eq!(
        rows(&connection, "SELECT name, replaces, skips FROM operatorbundle"),
        ["k.v2  k.v1,k.v0"]
    );
}

#[test]
fn later_versions_keep_their_rows() {
    let dependency = r#"{"type":"kept","n":1.0}"#;
    for version in 9..=12 {
        let connection = old(version);
        insert_bundles(&connection);
        connection
            .execute_batch(
                "UPDATE operatorbundle SET version = substr(name, 4) || '.0.0', bundlepath = 'registry.example.com/' || name;
                 UPDATE operatorbundle SET replaces = 'other', skips = '' WHERE name = 'k.v2';",
            )
            .unwrap();
        connection
            .execute_batch(&format!(
                "INSERT INTO properties VALUES ('t', CAST('1' AS BLOB), 'k.v1', '1.0.0', NULL), ('t', '1', 'k.v1', '1.0.0', NULL),
                    ('olm.deprecated', '{{}}', 'k.v1', '1.0.0', 'registry.example.com/k.v1');
                 INSERT INTO dependencies VALUES ('t', '{dependency}', 'k.v1', '1.0.0', 'registry.example.com/k.v1');"
            ))
            .unwrap();
        if version == 12 {
            connection
                .execute_batch("INSERT INTO deprecated VALUES ('k.v1'), ('k.gone')")
                .unwrap();
        }
        let connection = migrated(connection, version);
        let path = if version == 9 {
            "registry.example.com/k.v1"
        } else {
            "NULL"
        };
        assert_eq!(
            rows(&connection, "SELECT type, value, operatorbundle_path FROM properties"),
            [
                &format!("t x'1' {path}"),
                &format!("t 1 {path}"),
                "olm.deprecated {} registry.example.com/k.v1"
            ]
        );
        assert_eq!(rows(&connection, "SELECT value FROM dependencies"), [dependency]);
        assert_eq!(rows(&connection, "SELECT * FROM deprecated"), ["k.v1"]);
        assert_eq!(
            rows(
                &connection,
                "SELECT replaces, skips, substitutesfor FROM operatorbundle WHERE name = 'k.v2'"
            ),
            ["other  "]
        );
    }
}

#[test]
fn properties_of_another_version_of_their_bundle_are_kept() {
    let connection = old(9);
    connection
        .execute_batch(
            "INSERT INTO operatorbundle (name, version, bundlepath) VALUES ('k.v1', '1.0.0', 'registry.example.com/k:1');
             INSERT INTO properties VALUES ('t', '1', 'k.v1', '0.9.0', NULL), ('t', '2', 'k.v1', NULL, NULL);",
        )
        .unwrap();
    let connection = migrated(connection, 9);
    assert_eq!(
        rows(&connection, "SELECT value, operatorbundle_path FROM properties"),
        ["1 NULL", "2 registry.example.com/k:1"]
    );
}

/// A package, a channel and entries that refer to rows that do not exist.
const DAMAGED_GRAPH: &str = "
    INSERT INTO package VALUES ('k', 'gone');
    INSERT INTO channel VALUES ('stable', 'k', 'k.gone');
    INSERT INTO channel_entry VALUES (1, 'stable', 'k', 'k.v1', 5, 0), (2, 'gone', 'k', 'k.v1', NULL, 0);
";

#[test]
fn channels_and_entries_are_kept_if_they_refer_to_missing_rows() {
    for version in [0, 5, 8, 9, 11, 12] {
        let connection = old(version);
        connection.pragma_update(None, "foreign_keys", false).unwrap();
        connection
            .execute_batch(&format!(
                "INSERT INTO operatorbundle (name) VALUES ('k.v1'); {DAMAGED_GRAPH}"
            ))
            .unwrap();
        let connection = migrated_with_damage(connection, version);
        assert_eq!(rows(&connection, "SELECT * FROM package"), ["k gone"], "{version}");
        assert_eq!(rows(&connection, "SELECT * FROM channel"), ["stable k k.gone"]);
        assert_eq!(
            rows(&connection, "SELECT * FROM channel_entry"),
            ["1 stable k k.v1 5 0", "2 gone k k.v1 NULL 0"]
        );
    }
}

#[test]
fn rows_with_data_about_a_missing_bundle_or_api_are_dropped_when_tables_are_rebuilt() {
    let connection = old(8);
    connection.pragma_update(None, "foreign_keys", false).unwrap();
    connection
        .execute_batch(
            "INSERT INTO operatorbundle (name, version) VALUES (NULL, '1.0.0'), ('k.v1', '1.0.0');
             INSERT INTO related_image VALUES ('registry.example.com/x', 'k.gone');
             INSERT INTO api_provider VALUES ('k.io', 'v1', 'Foo', 'k.v1', '1.0.0', NULL);
             INSERT INTO dependencies VALUES ('t', '1', 'k.gone', '1.0.0', 'x');",
        )
        .unwrap();
    let connection = migrated(connection, 8);
    assert_eq!(
        rows(&connection, "SELECT name, version FROM operatorbundle"),
        ["k.v1 1.0.0"]
    );
    for table in ["related_image", "api_provider", "dependencies"] {
        assert!(
            rows(&connection, &format!("SELECT * FROM {table}")).is_empty(),
            "{table}"
        );
    }
}

/// A table of another program, whose rows are deleted together with their bundle.
const AUDIT: &str = "
    CREATE TABLE audit (bundle REFERENCES operatorbundle(name) ON DELETE CASCADE, who);
    INSERT INTO audit VALUES ('k.v1', 'me'), ('k.v2', 'me');
";

#[test]
fn later_versions_keep_additional_columns_and_indexes() {
    for version in 9..=12 {
        let connection = old(version);
        insert_bundles(&connection);
        connection
            .execute_batch(
                "ALTER TABLE operatorbundle ADD COLUMN note TEXT; UPDATE operatorbundle SET note = 'of ' || name;
                 CREATE INDEX entries_by_package ON channel_entry(package_name);",
            )
            .unwrap();
        let connection = migrated(connection, version);
        assert_eq!(
            rows(&connection, "SELECT note FROM operatorbundle"),
            ["of k.v1", "of k.v2"]
        );
        let index = "SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name = 'channel_entry'";
        assert_eq!(rows(&connection, index), ["entries_by_package"]);
    }
}

/// Writes the database to a file, and adds nothing to it.
fn changed(connection: &Connection, path: &std::path::Path) -> Result<(), DatabaseError> {
    connection.execute("VACUUM INTO ?1", [path.to_str().unwrap()]).unwrap();
    let target = Target::InPlace(path);
    change::adding(&target, &ChangeOptions::default(), |_| Ok::<_, DatabaseError>(()))
}

#[test]
fn tables_of_other_programs_keep_their_rows() {
    for version in [0, 8, 12] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("index.db");
        let connection = old(version);
        insert_bundles(&connection);
        connection.execute_batch(AUDIT).unwrap();
        changed(&connection, &path).unwrap();
        let connection = Connection::open(&path).unwrap();
        assert_eq!(
            rows(&connection, "SELECT * FROM audit"),
            ["k.v1 me", "k.v2 me"],
            "{version}"
        );
        assert!(rows(&connection, "PRAGMA foreign_key_check").is_empty());
        assert_eq!(rows(&connection, "SELECT version FROM schema_migrations"), ["13"]);
    }
}

#[test]
fn a_migration_that_would_drop_additional_columns_or_indexes_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index.db");
    let connection = old(8);
    insert_bundles(&connection);
    connection
        .execute_batch(
            "ALTER TABLE operatorbundle ADD COLUMN note TEXT;
             CREATE INDEX entries_by_package ON channel_entry(package_name);",
        )
        .unwrap();
    let refused = changed(&connection, &path).unwrap_err();
    let expected = format!(
        "{} has schema version 8, and migrating it to version 13 would remove parts that no index contains: \
         index \"entries_by_package\", column \"note\" of table operatorbundle",
        path.display()
    );
    assert_eq!(refused.to_string(), expected);
    let target = Target::InPlace(&path);
    let early = change::check(&target, &ChangeOptions::default()).unwrap_err();
    assert_eq!(early.to_string(), expected);
    assert_eq!(Database::open(&path).unwrap().schema_version(), 8);
}

#[test]
fn a_file_is_changed_only_by_a_successful_migration() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index.db");
    let connection = old(0);
    insert_bundles(&connection);
    connection.execute("VACUUM INTO ?1", [path.to_str().unwrap()]).unwrap();
    let before = std::fs::read(&path).unwrap();
    let target = Target::InPlace(&path);
    change::check(&target, &ChangeOptions::default()).unwrap();
    let failing = |_: &rusqlite::Transaction<'_>| Err::<(), _>(DatabaseError::Full { path: path.clone() });
    change::adding(&target, &ChangeOptions::default(), failing).unwrap_err();
    let dry = ChangeOptions {
        dry_run: true,
        ..ChangeOptions::default()
    };
    change::adding(&target, &dry, |_| Ok::<_, DatabaseError>(())).unwrap();
    let index = Database::open(&path).unwrap();
    assert_eq!((index.schema_version(), index.apis().unwrap().len()), (0, 3));
    assert_eq!(index.reopen().unwrap().apis().unwrap().len(), 3);
    drop(index);
    assert!(std::fs::read(&path).unwrap() == before);
    change::adding(&target, &ChangeOptions::default(), |_| Ok::<_, DatabaseError>(())).unwrap();
    let index = Database::open(&path).unwrap();
    assert_eq!((index.schema_version(), index.apis().unwrap().len()), (13, 3));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}
