//! Compares the databases that opmx writes with recorded ones, table by table.

use opmx::catalog::graph::Mode;
use opmx::database::add::{AddError, Additions};
use opmx::database::change::{ChangeOptions, Target};
use opmx::database::check::check;
use opmx::database::deprecate::{Request, truncate};
use opmx::database::read::Database;
use opmx::database::record::{Contents, Record};
use opmx::database::remove::{self, Packages};
use opmx::diagnostic;
use opmx::text::{self, Document, Format, Limits, canonical};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The cases with all permitted differences from the recorded rows: repeated `olm.package` rows that opmx writes once,
/// rows that a rejected call left in the recorded database, rows of the graph that opmx deliberately changed, and rows
/// about APIs that the original lost although other bundles still provide them. Everything else must be equal.
const CASES: &[Case] = &[
    case("added-twice", 2, 0),
    case("dependencies", 1, 0),
    case("deprecatetruncate", 5, 0),
    Case {
        kept: 3,
        ..case("deprecatetruncate-with-crds", 2, 0)
    },
    case("error-default-channel", 0, 8),
    case("error-prunes-lower", 2, 4),
    case("error-replaces-missing", 0, 8),
    case("multichannel-default", 12, 0),
    case("olm-properties-annotation", 3, 0),
    case("properties-yaml", 1, 0),
    case("related-images", 1, 0),
    case("replaces-chain-4", 10, 0),
    case("replaces-one-call", 4, 0),
    case("rm", 2, 0),
    case("second-package", 3, 0),
    case("semver", 0, 0),
    case("semver-skippatch", 0, 0),
    case("single", 1, 0),
    Case {
        moved: 5,
        ..case("skippatch-minor-then-patch-fails", 0, 7)
    },
    case("skiprange", 2, 0),
    case("skips-only", 2, 0),
    case("skips-with-replaces", 6, 0),
];

/// The message of a rejected call: case, line number, words of the message.
const REFUSALS: &[(&str, usize, &str)] = &[
    (
        "added-twice",
        2,
        r#"bundle microcks-operator.v0.1.0 of microcks/0.1.0 is already in package "microcks""#,
    ),
    (
        "error-default-channel",
        1,
        r#"that bundle etcdoperator.v0.6.1 declares for package "etcd" is not one of its channels ("alpha")"#,
    ),
    (
        "error-prunes-lower",
        2,
        r#"bundle cert-utils-operator.v1.0.0 (version "1.0.0") cannot be reached in channel "alpha""#,
    ),
    (
        "error-replaces-missing",
        1,
        "(head windup-operator.v0.0.12) replaces windup-operator.v0.0.11, which is neither in the index",
    ),
    (
        "skippatch-minor-then-patch-fails",
        3,
        r#"channel "alpha" of package "cert-utils-operator" (head cert-utils-operator.v1.3.1) would lose the update path from cert-utils-operator.v1.2.0"#,
    ),
];

struct Case {
    name: &'static str,
    repeated: usize,
    left_behind: usize,
    moved: usize,
    kept: usize,
}

const fn case(name: &'static str, repeated: usize, left_behind: usize) -> Case {
    Case {
        name,
        repeated,
        left_behind,
        moved: 0,
        kept: 0,
    }
}

/// Rows by table, each as one JSON text, sorted.
type Tables = BTreeMap<String, Vec<String>>;

#[test]
fn recorded_databases_are_reproduced_row_by_row() {
    let Some(goldens) = crate::shared::folder("goldens/index") else {
        return;
    };
    let listed: Vec<_> = CASES.iter().map(|case| case.name).collect();
    assert_eq!(
        listed,
        cases(&goldens),
        "the table of cases is not that of the recordings"
    );
    let mut surprises = Vec::new();
    let (mut rows, mut repeated, mut left_behind, mut calls) = (0, 0, 0, 0);
    for case in CASES {
        let folder = goldens.join(case.name);
        let index = tempfile::tempdir().unwrap();
        let refused = run(case.name, &folder, &index.path().join("index.db"), false);
        let ours = tables(&index.path().join("index.db"));
        let recorded = recorded(&folder);
        let found = Differences::between(&recorded, &ours, &refused);
        println!(
            "{:32} {:4} rows equal, {} repeated rows written once, {} rows of refused calls not written, {} not changed, {} kept",
            case.name, found.equal, found.repeated, found.left_behind, found.moved, found.kept
        );
        assert!(found.wrong.is_empty(), "{}:\n{}", case.name, found.wrong.join("\n"));
        let differences = (found.repeated, found.left_behind, found.moved, found.kept);
        let allowed = (case.repeated, case.left_behind, case.moved, case.kept);
        if differences != allowed {
            surprises.push(format!("{}: {differences:?}, not {allowed:?}", case.name));
        }
        rows += found.equal;
        repeated += found.repeated;
        left_behind += found.left_behind;
        calls += lines(&folder).len();
        same_bytes_again(case.name, &folder, &index.path().join("index.db"));
    }
    println!(
        "{} cases, {calls} calls, {rows} rows equal, {repeated} repeated, {left_behind} left behind",
        CASES.len()
    );
    assert!(surprises.is_empty(), "{}", surprises.join("\n"));
    assert!(rows > 0);
}

/// The findings of `index check` in the recorded databases: case, line number after which it is found, finding.
const FOUND: &[(&str, usize, &str)] = &[(
    "skiprange",
    2,
    "index-bundle-unreachable: bundle \"rhoas-operator.0.7.8\" is not in any channel",
)];

#[test]
fn index_check_reports_the_known_problems_of_recorded_databases() {
    let Some(goldens) = crate::shared::folder("goldens/index") else {
        return;
    };
    let (mut found, mut databases) = (Vec::new(), 0);
    for case in CASES {
        let folder = tempfile::tempdir().unwrap();
        let index = folder.path().join("index.db");
        run_and_look(case.name, &goldens.join(case.name), &index, false, |line| {
            let findings = check(&Database::open(&index).unwrap()).unwrap();
            assert!(
                !diagnostic::has_errors(&findings),
                "{}, line {line}: {findings:?}",
                case.name
            );
            let findings = findings.iter();
            found
                .extend(findings.map(|finding| (case.name, line, format!("{}: {}", finding.rule.id, finding.message))));
            databases += 1;
        });
    }
    println!("{databases} databases checked, {} findings", found.len());
    for (case, line, finding) in &found {
        println!("{case}, line {line}: {finding}");
    }
    let found: Vec<_> = found
        .iter()
        .map(|(case, line, finding)| (*case, *line, finding.as_str()))
        .collect();
    assert_eq!(found, FOUND);
    assert!(databases > 40, "{databases}");
}

/// Asserts that a second run, with the bundles of each call in reverse order, writes the same file.
fn same_bytes_again(case: &str, folder: &Path, first: &Path) {
    let index = tempfile::tempdir().unwrap();
    let second = index.path().join("index.db");
    run(case, folder, &second, true);
    let same = fs::read(first).ok() == fs::read(second).ok();
    assert!(same, "{case}: two runs differ");
}

fn cases(goldens: &Path) -> Vec<String> {
    let folders = fs::read_dir(goldens).unwrap().map(|entry| entry.unwrap().path());
    let mut names: Vec<_> = folders
        .filter(|folder| folder.is_dir())
        .map(|folder| folder.file_name().unwrap().to_str().unwrap().to_owned())
        .collect();
    names.sort();
    names
}

fn lines(folder: &Path) -> Vec<String> {
    let text = fs::read_to_string(folder.join("bundles.txt")).unwrap();
    text.lines().map(str::to_owned).collect()
}

/// Runs all calls of a case, and returns the names of the rejected bundles.
fn run(case: &str, folder: &Path, index: &Path, backwards: bool) -> Vec<String> {
    run_and_look(case, folder, index, backwards, |_| ())
}

/// Runs all calls of a case, and calls a function with the database after each.
fn run_and_look(case: &str, folder: &Path, index: &Path, backwards: bool, mut look: impl FnMut(usize)) -> Vec<String> {
    let steps: Value = serde_json::from_slice(&fs::read(folder.join("expected.json")).unwrap()).unwrap();
    let mut refused = Vec::new();
    for (number, line) in lines(folder).iter().enumerate() {
        let before = fs::read(index).ok();
        let (result, names) = call(&folder.join("bundles"), index, line, backwards);
        let code = &steps["steps"][number]["exit"];
        assert_eq!(result.is_ok(), *code == 0, "{case}, line {}: {result:?}", number + 1);
        let expected = REFUSALS
            .iter()
            .find(|refusal| (refusal.0, refusal.1) == (case, number + 1));
        match (result, expected) {
            (Ok(()), None) => {}
            (Err(error), Some((_, _, words))) => {
                assert!(error.contains(words), "{case}: {error}");
                assert!(
                    fs::read(index).ok() == before,
                    "{case}: a refused call changed the database"
                );
                refused.extend(names);
            }
            (result, _) => panic!("{case}, line {}: {result:?}", number + 1),
        }
        if index.exists() {
            assert_sound(index);
            look(number + 1);
        }
    }
    refused
}

/// Runs one call, and returns its outcome and the names of its bundles.
fn call(bundles: &Path, index: &Path, line: &str, backwards: bool) -> (Result<(), String>, Vec<String>) {
    let mut words: Vec<&str> = line.split(' ').collect();
    let target = Target::InPlace(index);
    let text = |error: &dyn std::error::Error| error.to_string();
    match words.remove(0) {
        "rm" => {
            let packages = words.iter().map(|name| (*name).to_owned()).collect();
            let removed = remove::packages(Packages::Only(&packages), false, &target, &ChangeOptions::default());
            (removed.map(drop).map_err(|error| text(&error)), Vec::new())
        }
        "deprecatetruncate" => {
            let request = Request {
                bundles: &words.iter().map(|directory| reference(directory)).collect(),
                permissive: false,
                allow_package_removal: false,
            };
            let truncated = truncate(request, &target, &ChangeOptions::default());
            (truncated.map(drop).map_err(|error| text(&error)), Vec::new())
        }
        "add" => {
            let mode = match words.remove(0) {
                "replaces" => Mode::Replaces,
                "semver" => Mode::Semver,
                "semver-skippatch" => Mode::SemverSkipPatch,
                other => panic!("{other}"),
            };
            if backwards {
                words.reverse();
            }
            let records: Vec<_> = words.iter().map(|directory| record(bundles, directory)).collect();
            let names = records.iter().map(|record| record.name().to_owned()).collect();
            (add(index, mode, &records).map_err(|error| text(&error)), names)
        }
        other => panic!("{other}"),
    }
}

/// The reference under which the bundle in a directory was recorded.
fn reference(directory: &str) -> String {
    let (operator, version) = directory.split_once('/').unwrap();
    format!("REGISTRY/{}:v{}", operator.to_lowercase(), version.replace('+', "_"))
}

fn add(index: &Path, mode: Mode, records: &[Record]) -> Result<(), AddError> {
    let mut additions = Additions::new(index.parent().unwrap());
    for record in records {
        additions.push(record)?;
    }
    additions
        .commit(mode, &Target::InPlace(index), &ChangeOptions::default())
        .map(drop)
}

/// The bundle in a directory, under the reference under which it was recorded.
fn record(bundles: &Path, directory: &str) -> Record {
    let root = bundles.join(directory);
    let reference = reference(directory);
    let manifests = documents(&root.join("manifests"));
    let objects: Vec<_> = manifests
        .iter()
        .map(Document::value)
        .filter(|object| object["kind"].is_string())
        .collect();
    let csv = objects
        .iter()
        .find(|object| object["kind"] == "ClusterServiceVersion")
        .unwrap();
    let metadata = documents(&root.join("metadata"));
    let annotations = metadata
        .iter()
        .map(|document| &document.value()["annotations"])
        .find(|map| map.is_object())
        .unwrap();
    let annotation = |key: &str| annotations[format!("operators.operatorframework.io.bundle.{key}")].as_str();
    Record::new(&Contents {
        origin: directory,
        csv,
        objects: objects.clone(),
        package: annotation("package.v1").unwrap(),
        channels: annotation("channels.v1")
            .unwrap()
            .split(',')
            .map(str::to_owned)
            .collect(),
        default_channel: annotation("channel.default.v1").map(str::to_owned),
        dependencies: typed_values(&metadata, "dependencies"),
        properties: typed_values(&metadata, "properties"),
        bundle_path: &reference,
        extra_images: Vec::new(),
        provided: opmx::database::record::Provided::Defined,
    })
    .unwrap()
}

/// The first document of each file of a folder, in the order of names.
fn documents(folder: &Path) -> Vec<Document> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    let read = |path: PathBuf| {
        let reading = text::read(
            &path.display().to_string(),
            &fs::read(&path).unwrap(),
            &Limits::default(),
        );
        reading.documents.into_iter().next()
    };
    paths.into_iter().filter_map(read).collect()
}

fn typed_values(metadata: &[Document], key: &str) -> Vec<(String, String)> {
    let lists = metadata
        .iter()
        .filter_map(|document| Some((document, document.value()[key].as_array()?)));
    let Some((document, list)) = lists.into_iter().next() else {
        return Vec::new();
    };
    assert!(
        matches!(document.format(), Format::Yaml),
        "no recorded bundle has these files as JSON"
    );
    let typed = |entry: &Value| {
        (
            entry["type"].as_str().unwrap().to_owned(),
            canonical::to_string(&entry["value"]),
        )
    };
    list.iter().map(typed).collect()
}

fn assert_sound(index: &Path) {
    let connection = open(index);
    let check: String = connection
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .unwrap();
    assert_eq!(check, "ok");
    let mut statement = connection.prepare("PRAGMA foreign_key_check").unwrap();
    assert!(
        statement.query([]).unwrap().next().unwrap().is_none(),
        "dangling references"
    );
}

fn open(index: &Path) -> Connection {
    Connection::open_with_flags(index, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap()
}

/// The rows of a database in the format of the recordings, or none if it does not exist.
fn tables(index: &Path) -> Tables {
    if !index.exists() {
        return Tables::new();
    }
    let connection = open(index);
    let mut statement = connection
        .prepare("SELECT name FROM sqlite_master WHERE type = 'table'")
        .unwrap();
    let names: Vec<String> = statement
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let mut tables = Tables::new();
    for name in names {
        let rows = if name == "channel_entry" {
            entries(&connection)
        } else {
            plain_rows(&connection, &name)
        };
        tables.insert(name, sorted(&rows));
    }
    tables
}

fn sorted(rows: &[Value]) -> Vec<String> {
    let mut rows: Vec<_> = rows.iter().map(canonical::to_string).collect();
    rows.sort();
    rows
}

fn plain_rows(connection: &Connection, table: &str) -> Vec<Value> {
    let mut statement = connection.prepare(&format!("SELECT * FROM {table}")).unwrap();
    let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let mut rows = statement.query([]).unwrap();
    let mut found = Vec::new();
    while let Some(row) = rows.next().unwrap() {
        let mut object = Map::new();
        for (number, column) in columns.iter().enumerate() {
            let value = row.get_ref(number).unwrap();
            match (table, column.as_str()) {
                ("operatorbundle", "csv" | "bundle") => {
                    let bytes = value.as_bytes_or_null().unwrap();
                    object.insert(format!("{column}_storage"), storage(value));
                    if let Some(bytes) = bytes {
                        object.insert(format!("{column}_bytes"), bytes.len().into());
                        object.insert(format!("{column}_sha256"), hexadecimal(bytes).into());
                    }
                }
                ("dependencies" | "properties", "value") => {
                    object.insert("value_storage".to_owned(), storage(value));
                    object.insert(column.clone(), plain(value));
                }
                ("schema_migrations", "timestamp") => {
                    object.insert(column.clone(), "TIMESTAMP".into());
                }
                _ => {
                    object.insert(column.clone(), plain(value));
                }
            }
        }
        found.push(object.into());
    }
    found
}

fn hexadecimal(bytes: &[u8]) -> String {
    opmx::image::Digest::of(bytes).hex()
}

fn storage(value: ValueRef<'_>) -> Value {
    value.data_type().to_string().to_lowercase().into()
}

fn plain(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => number.into(),
        ValueRef::Real(number) => number.into(),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => std::str::from_utf8(bytes).unwrap().into(),
    }
}

/// The entries with their position in the channel instead of their number.
fn entries(connection: &Connection) -> Vec<Value> {
    let mut statement = connection
        .prepare(
            "SELECT entry_id, replaces, channel_name, package_name, operatorbundle_name, depth,
                 row_number() OVER (PARTITION BY package_name, channel_name ORDER BY entry_id) - 1
             FROM channel_entry",
        )
        .unwrap();
    let text = |row: &rusqlite::Row<'_>, column: usize| row.get::<_, String>(column).unwrap();
    let mut rows = statement.query([]).unwrap();
    let mut entries: BTreeMap<i64, (Option<i64>, Value, String)> = BTreeMap::new();
    while let Some(row) = rows.next().unwrap() {
        let (depth, ordinal): (i64, i64) = (row.get(5).unwrap(), row.get(6).unwrap());
        let entry = json!({"channel_name": text(row, 2), "operatorbundle_name": text(row, 4), "depth": depth, "ordinal": ordinal});
        entries.insert(row.get(0).unwrap(), (row.get(1).unwrap(), entry, text(row, 3)));
    }
    let full = |(replaces, entry, package): &(Option<i64>, Value, String)| {
        let mut entry = entry.clone();
        entry["replaces"] = replaces.map_or(Value::Null, |below| entries[&below].1.clone());
        entry["package_name"] = package.clone().into();
        entry
    };
    entries.values().map(full).collect()
}

/// The recorded rows. For the two large columns, the recording contains the digest of the exact bytes, which is
/// compared.
fn recorded(folder: &Path) -> Tables {
    let expected: Value = serde_json::from_slice(&fs::read(folder.join("expected.json")).unwrap()).unwrap();
    let tables = expected["tables"].as_object().unwrap().iter().map(|(table, rows)| {
        let mut rows = rows.as_array().unwrap().clone();
        if table == "operatorbundle" {
            for row in rows.iter_mut().map(|row| row.as_object_mut().unwrap()) {
                row.remove("csv");
                row.remove("bundle");
            }
        }
        (table.clone(), sorted(&rows))
    });
    tables.collect()
}

/// The differences between our tables and the recorded ones.
#[derive(Default)]
struct Differences {
    equal: usize,
    repeated: usize,
    left_behind: usize,
    moved: usize,
    kept: usize,
    wrong: Vec<String>,
}

impl Differences {
    fn between(recorded: &Tables, ours: &Tables, refused: &[String]) -> Self {
        let mut differences = Self::default();
        let none = Vec::new();
        if !ours.is_empty() && ours.keys().ne(recorded.keys()) {
            differences.wrong.push(format!("tables: {:?}", ours.keys()));
        }
        for (table, expected) in recorded {
            let found = ours.get(table).unwrap_or(&none);
            let mut remaining = found.clone();
            let graph = !refused.is_empty() && ["channel", "channel_entry"].contains(&table.as_str());
            for row in expected {
                if let Some(at) = remaining.iter().position(|found| found == row) {
                    remaining.swap_remove(at);
                    differences.equal += 1;
                } else if row.contains(r#""type":"olm.package""#) && found.contains(row) {
                    differences.repeated += 1;
                } else if ours.is_empty() || names_one_of(row, refused) {
                    differences.left_behind += 1;
                } else if graph {
                    differences.moved += 1;
                } else {
                    differences.wrong.push(format!("{table}: missing {row}"));
                }
            }
            if graph {
                differences.moved += remaining.len();
                continue;
            }
            if ["api", "api_provider"].contains(&table.as_str()) {
                differences.kept += remaining.len();
                continue;
            }
            differences
                .wrong
                .extend(remaining.into_iter().map(|row| format!("{table}: not recorded {row}")));
        }
        differences
    }
}

/// Whether the row belongs to one of these bundles, and no other row refers to it.
fn names_one_of(row: &str, bundles: &[String]) -> bool {
    let row: Value = serde_json::from_str(row).unwrap();
    let owner = row
        .get("operatorbundle_name")
        .or_else(|| row.get("csv_sha256").and(row.get("name")));
    owner
        .and_then(Value::as_str)
        .is_some_and(|owner| bundles.iter().any(|bundle| bundle == owner))
}
