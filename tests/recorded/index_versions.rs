//! Databases of every schema version with the rows of published bundles: migrated to version 13, they equal a new
//! database with the same bundles, and reading them gives the same result and changes nothing.

use opmx::catalog::graph::Mode;
use opmx::database::add::Additions;
use opmx::database::change::{ChangeOptions, Target};
use opmx::database::read::Database;
use opmx::index::intake::{self, Recording};
use opmx::text::Limits;
use opmx::tree::{Tree, TreeLimits};
use opmx::validation::Strictness;
use rusqlite::{Connection, OpenFlags};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Folders of bundles under `goldens/index`: dependencies and properties in files and in annotations, skips, a skip
/// range, and a chain of replacements.
const BUNDLES: [&str; 6] = [
    "properties-yaml/bundles/dbaas-operator/0.5.0",
    "olm-properties-annotation/bundles/aws-efs-operator/0.0.1",
    "olm-properties-annotation/bundles/aws-efs-operator/0.0.2",
    "skips-with-replaces/bundles/pelorus-operator/0.0.1",
    "skips-with-replaces/bundles/pelorus-operator/0.0.2",
    "skips-with-replaces/bundles/pelorus-operator/0.0.3",
];

const TABLES: [&str; 11] = [
    "operatorbundle",
    "package",
    "channel",
    "channel_entry",
    "api",
    "api_provider",
    "api_requirer",
    "related_image",
    "dependencies",
    "properties",
    "deprecated",
];

/// The rows that a migrated database may lack because its version did not store them: the last such version, the table,
/// the number of rows, and their meaning.
const LOST: [(i64, &str, usize, &str); 2] = [
    (7, "dependencies", 7, "the entries of metadata/dependencies.yaml"),
    (8, "properties", 1, "the entry of metadata/properties.yaml"),
];

#[test]
fn every_schema_version_is_migrated_to_the_rows_of_a_new_database() {
    let Some((recorded, bundles)) = folders() else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut compared = 0;
    for version in 0..=13 {
        let fresh = folder.path().join(format!("fresh{version}.db"));
        add(&bundles, &fresh, version);
        let old = old(&recorded, &fresh, folder.path(), version);
        let before = fs::read(&old).unwrap();
        let output = folder.path().join(format!("output{version}.db"));
        let copy = Target::Copy {
            from: Some(&old),
            to: &output,
            shown: &output,
        };
        migrate(&copy);
        assert!(
            fs::read(&old).unwrap() == before,
            "version {version}: the copied file changed"
        );
        migrate(&Target::InPlace(&old));
        for migrated in [&old, &output] {
            let rows = equal_rows(&fresh, migrated, version);
            assert!(rows > 60, "version {version}: only {rows} rows");
            compared += rows;
        }
    }
    println!("14 versions, in place and as a copy: {compared} rows equal");
}

#[test]
fn databases_of_every_schema_version_are_read_identically_and_not_changed() {
    let Some((recorded, bundles)) = folders() else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut commands = 0;
    for version in 0..=13 {
        let fresh = folder.path().join(format!("fresh{version}.db"));
        add(&bundles, &fresh, version);
        let old = old(&recorded, &fresh, folder.path(), version);
        let before = fs::read(&old).unwrap();
        let mut readonly = fs::metadata(&old).unwrap().permissions();
        readonly.set_readonly(true);
        fs::set_permissions(&old, readonly).unwrap();
        for what in ["packages", "channels", "bundles", "images"] {
            let shown = list(what, &old);
            assert_eq!(shown, list(what, &fresh), "{what} of version {version}");
            assert!(shown.lines().count() > 2, "{shown}");
            commands += 1;
        }
        assert_eq!(apis(&old), apis(&fresh));
        if version < 2 {
            assert_eq!(
                export(&old, folder.path()),
                export(&fresh, folder.path()),
                "version {version}"
            );
            commands += 1;
        }
        assert!(fs::read(&old).unwrap() == before, "version {version} changed");
    }
    // Two databases for each version, and nothing beside them.
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 28);
    println!("14 versions, {commands} listings and exports equal");
}

fn folders() -> Option<(PathBuf, PathBuf)> {
    Some((
        crate::shared::folder("goldens/index-versions")?,
        crate::shared::folder("goldens/index")?,
    ))
}

/// Adds the bundles to a new database, by the references of their images if `version` supports them.
fn add(bundles: &Path, index: &Path, version: i64) {
    let mut additions = Additions::new(index.parent().unwrap());
    for bundle in BUNDLES {
        let tree = Tree::from_directory(&bundles.join(bundle), &TreeLimits::default()).unwrap();
        let reference = format!("registry.example.com/{}", bundle.rsplit_once("bundles/").unwrap().1);
        let recording = Recording {
            reference: (version >= 2).then_some(reference.as_str()),
            ..Recording::default()
        };
        let prepared = intake::prepare(&tree, recording, &Limits::default(), &Strictness::default()).unwrap();
        additions.push(&prepared.record).unwrap();
    }
    let target = Target::InPlace(index);
    additions
        .commit(Mode::Replaces, &target, &ChangeOptions::default())
        .unwrap();
}

/// A change without any bundle.
fn migrate(target: &Target<'_>) {
    let nothing = Additions::new(target.path().parent().unwrap());
    nothing
        .commit(Mode::Replaces, target, &ChangeOptions::default())
        .unwrap();
}

/// The recorded empty database of a version, with those rows of `fresh` that the version can store.
fn old(recorded: &Path, fresh: &Path, folder: &Path, version: i64) -> PathBuf {
    let path = folder.join(format!("old{version}.db"));
    fs::write(&path, fs::read(recorded.join(format!("v{version:02}.db"))).unwrap()).unwrap();
    let connection = Connection::open(&path).unwrap();
    connection.execute_batch("PRAGMA foreign_keys = 0").unwrap();
    connection
        .execute("ATTACH ?1 AS fresh", [fresh.to_str().unwrap()])
        .unwrap();
    for table in TABLES {
        let columns = columns(&connection, "main", table);
        let common: Vec<_> = columns
            .iter()
            .filter(|column| self::columns(&connection, "fresh", table).contains(column))
            .cloned()
            .collect();
        let common = common.join(", ");
        if columns.iter().any(|column| column == "channel_entry_id") {
            // APIs belonged to the entries of a channel.
            connection
                .execute_batch(&format!(
                    "INSERT INTO main.{table} SELECT group_name, version, kind, entry_id FROM fresh.{table} AS api
                     JOIN fresh.channel_entry AS entry ON entry.operatorbundle_name = api.operatorbundle_name"
                ))
                .unwrap();
        } else if !columns.is_empty() {
            connection
                .execute_batch(&format!(
                    "INSERT INTO main.{table} ({common}) SELECT {common} FROM fresh.{table}"
                ))
                .unwrap();
        }
    }
    let of_its_time = match version {
        8 => "UPDATE main.dependencies SET value = CAST(json_insert(CAST(value AS TEXT), '$.type', type) AS BLOB)",
        9 => "UPDATE main.properties SET operatorbundle_path = NULL",
        11 => "UPDATE main.operatorbundle SET substitutesfor = NULL",
        _ => "",
    };
    connection.execute_batch(of_its_time).unwrap();
    path
}

fn columns(connection: &Connection, schema: &str, table: &str) -> Vec<String> {
    let query = "SELECT name FROM pragma_table_info(?1, ?2)";
    let mut statement = connection.prepare(query).unwrap();
    let names = statement.query_map([table, schema], |row| row.get(0)).unwrap();
    names.map(Result::unwrap).collect()
}

/// Compares two databases row by row, including the types of values, and returns the number of equal rows.
fn equal_rows(fresh: &Path, migrated: &Path, version: i64) -> i64 {
    let connection = Connection::open_with_flags(migrated, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    connection
        .execute("ATTACH ?1 AS fresh", [fresh.to_str().unwrap()])
        .unwrap();
    let count = |query: &str| -> i64 { connection.query_row(query, [], |row| row.get(0)).unwrap() };
    let text = |query: &str| -> String { connection.query_row(query, [], |row| row.get(0)).unwrap() };
    assert_eq!(text("PRAGMA main.integrity_check"), "ok");
    assert_eq!(count("SELECT count(*) FROM pragma_foreign_key_check"), 0);
    let objects = |schema: &str| {
        text(&format!(
            "SELECT group_concat(type || name || tbl_name || coalesce(sql, ''), char(10)) FROM
             (SELECT * FROM {schema}.sqlite_master ORDER BY rowid)"
        ))
    };
    // Later versions are migrated without rebuilding their tables.
    if version < 9 {
        assert_eq!(objects("main"), objects("fresh"), "version {version}");
    }
    assert_eq!(count("SELECT version FROM main.schema_migrations"), 13);
    let mut equal = 0;
    for table in TABLES {
        // Of equal rows the first, the second and so on are told apart, and so each row has its counterpart.
        let all = |schema: &str| {
            let columns = columns(&connection, schema, table).join(", ");
            format!("SELECT {columns}, row_number() OVER (PARTITION BY {columns}) FROM {schema}.{table}")
        };
        let (ours, theirs) = (all("main"), all("fresh"));
        let missing = count(&format!("SELECT count(*) FROM ({theirs} EXCEPT {ours})"));
        let more = count(&format!("SELECT count(*) FROM ({ours} EXCEPT {theirs})"));
        let lost = LOST.iter().find(|(last, lost, ..)| version <= *last && *lost == table);
        let allowed = lost.map_or(0, |(_, _, rows, _)| i64::try_from(*rows).unwrap());
        assert_eq!((missing, more), (allowed, 0), "{table} of version {version}");
        equal += count(&format!("SELECT count(*) FROM fresh.{table}")) - missing;
    }
    equal
}

fn list(what: &str, index: &Path) -> String {
    opmx(&["index", "list", what, index.to_str().unwrap(), "-o", "json"])
}

fn opmx(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_opmx"))
        .args(arguments)
        .output()
        .unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{arguments:?}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

fn apis(index: &Path) -> Vec<String> {
    let apis = Database::open(index).unwrap().apis().unwrap();
    apis.iter().map(|api| format!("{} {}", api.gvk, api.resource)).collect()
}

/// The files that an export writes, with their contents.
fn export(index: &Path, folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let target = folder.join("export");
    opmx(&[
        "index",
        "export",
        "-i",
        index.to_str().unwrap(),
        "-f",
        target.to_str().unwrap(),
        "-p",
        "dbaas-operator,pelorus-operator",
    ]);
    let mut files = Vec::new();
    let mut folders = vec![target.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                folders.push(entry);
            } else {
                let content = fs::read(&entry).unwrap();
                files.push((entry.strip_prefix(&target).unwrap().to_owned(), content));
            }
        }
    }
    fs::remove_dir_all(&target).unwrap();
    files.sort();
    assert!(files.len() > 4, "{files:?}");
    files
}
