//! A small index for the tests of the readers.

use rusqlite::Connection;
use std::path::Path;

/// The tables of schema version 13 that readers use.
pub(crate) const SCHEMA: &str = "
    CREATE TABLE schema_migrations (version bigint NOT NULL, timestamp DATETIME DEFAULT CURRENT_TIMESTAMP);
    CREATE TABLE api (group_name TEXT, version TEXT, kind TEXT, plural TEXT NOT NULL, PRIMARY KEY(group_name, version, kind));
    CREATE TABLE operatorbundle (name TEXT PRIMARY KEY, csv TEXT, bundle TEXT, bundlepath TEXT, skiprange TEXT,
        version TEXT, replaces TEXT, skips TEXT, substitutesfor TEXT);
    CREATE UNIQUE INDEX pk ON operatorbundle(name, version, bundlepath);
    CREATE TABLE package (name TEXT PRIMARY KEY, default_channel TEXT);
    CREATE TABLE channel (name TEXT, package_name TEXT, head_operatorbundle_name TEXT, PRIMARY KEY(name, package_name));
    CREATE TABLE channel_entry (entry_id INTEGER PRIMARY KEY, channel_name TEXT, package_name TEXT,
        operatorbundle_name TEXT, replaces INTEGER, depth INTEGER);
    CREATE TABLE related_image (image TEXT, operatorbundle_name TEXT);
    CREATE TABLE dependencies (type TEXT, value TEXT, operatorbundle_name TEXT, operatorbundle_version TEXT,
        operatorbundle_path TEXT);
    CREATE TABLE properties (type TEXT, value TEXT, operatorbundle_name TEXT, operatorbundle_version TEXT,
        operatorbundle_path TEXT);
    CREATE TABLE deprecated (operatorbundle_name TEXT PRIMARY KEY);
    INSERT INTO schema_migrations VALUES (13, '2020-01-01 00:00:00');
";

/// Package `k`: k.v1.2.0 replaces k.v1.0.0 and skips k.v1.1.0, k.v1.0.0 and a bundle that does not exist.
/// Package `a` has an inline bundle of media type `k8s+v1`, and no default channel.
const ROWS: &str = r#"
    INSERT INTO operatorbundle VALUES
        ('k.v1.0.0', NULL, NULL, 'registry.example.com/k:1.0', '', '1.0.0', '', '', ''),
        ('k.v1.1.0', NULL, NULL, 'registry.example.com/k:1.1', '', '1.1.0', '', '', ''),
        ('k.v1.2.0', CAST('{"spec":{"displayName":"The K"}}' AS BLOB), NULL, 'registry.example.com/k:1.2', '<1.2.0',
            '1.2.0', '', '', ''),
        ('a.v1', '{"apiVersion":"operators.coreos.com/v1alpha1","kind":"ClusterServiceVersion"}' || char(10),
            '{"apiVersion":"operators.coreos.com/v1alpha1","kind":"ClusterServiceVersion"}' || char(10)
            || '{"apiVersion":"v1","kind":"Service"}' || char(10), '', '', '', '', '', ''),
        ('stranded.v1', NULL, NULL, 'registry.example.com/s:1', NULL, NULL, NULL, NULL, NULL);
    INSERT INTO package VALUES ('k', 'stable'), ('a', NULL);
    INSERT INTO channel VALUES ('stable', 'k', 'k.v1.2.0'), ('alpha', 'a', 'a.v1'), ('old', 'k', 'k.v1.0.0');
    INSERT INTO channel_entry VALUES
        (10, 'stable', 'k', 'k.v1.2.0', 17, 0),
        (11, 'stable', 'k', 'k.v1.1.0', NULL, 1),
        (12, 'stable', 'k', 'k.v1.2.0', 11, 1),
        (13, 'stable', 'k', 'k.vghost', NULL, 2),
        (14, 'stable', 'k', 'k.v1.2.0', 13, 2),
        (15, 'stable', 'k', 'k.v1.0.0', NULL, 3),
        (16, 'stable', 'k', 'k.v1.2.0', 15, 3),
        (17, 'stable', 'k', 'k.v1.0.0', NULL, 4),
        (18, 'alpha', 'a', 'a.v1', NULL, 0),
        (19, 'old', 'k', 'k.v1.0.0', NULL, 0);
    INSERT INTO properties VALUES
        ('olm.gvk', '{"group":"k.io","kind":"K","version":"v1"}', 'k.v1.2.0', '1.2.0', 'registry.example.com/k:1.2'),
        ('olm.package', CAST('{"packageName":"k","version":"1.2.0"}' AS BLOB), 'k.v1.2.0', NULL, NULL),
        ('olm.package', '{"packageName":"k","version":"1.2.0"}', 'k.v1.2.0', NULL, NULL),
        ('olm.package', '{"packageName":"gone","version":"1.2.0"}', 'gone.v1', NULL, NULL),
        ('olm.bundle.mediatype', '"k8s+v1"', 'a.v1', NULL, NULL);
    INSERT INTO dependencies VALUES ('olm.package', CAST('{"packageName":"a","version":"1"}' AS BLOB), 'k.v1.2.0', NULL, NULL);
    INSERT INTO related_image VALUES ('registry.example.com/run:1', 'k.v1.0.0'), ('registry.example.com/run:1', 'a.v1'),
        ('', 'a.v1'), ('registry.example.com/k:1.0', 'k.v1.0.0');
    INSERT INTO api VALUES ('k.io', 'v1', 'K', 'kays');
"#;

/// Writes the sample to `path`.
pub(crate) fn write(path: &Path) {
    write_rows(path, ROWS);
}

/// Writes an index with these rows to `path`.
pub(crate) fn write_rows(path: &Path, rows: &str) {
    let connection = Connection::open(path).unwrap();
    connection.execute_batch(SCHEMA).unwrap();
    connection.execute_batch(rows).unwrap();
}
