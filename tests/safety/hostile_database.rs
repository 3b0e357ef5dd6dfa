//! Malicious databases and files that are not databases: every command ends soon with a message and leaves the file
//! unchanged.

use crate::bundles::{self, Release};
use crate::common::{Outcome, Sandbox};
use rusqlite::Connection;
use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::process::Command;

/// Commands that read the database.
const READING: [&str; 13] = [
    "index list packages db/index.db",
    "index list channels db/index.db",
    "index list bundles db/index.db",
    "index list images db/index.db",
    "index graph db/index.db -p tool0",
    "index page db/index.db -o out",
    "index check db/index.db",
    "index diff sound.db db/index.db",
    "index export -i db/index.db -f out -p tool0",
    "index add -f db/index.db -b new --dry-run",
    "index rm -f db/index.db -o tool0 --dry-run",
    "render db/index.db",
    "migrate db/index.db out",
];

/// Commands that change it.
const WRITING: [&str; 7] = [
    "registry add -b new -d db/index.db",
    "registry rm -o tool0 -d db/index.db",
    "registry prune -p tool0 -d db/index.db",
    "registry prune-stranded -d db/index.db",
    "registry deprecatetruncate -b registry.example.com/tool0:1.1.0 -d db/index.db",
    "registry promote tool0.v1.1.0 -c fast -d db/index.db",
    "index check db/index.db --fix",
];

/// Command lines of servers, which end only if they reject the database.
const SERVING: [&str; 2] = ["registry serve -d db/index.db -p 0", "serve db/index.db -p 0"];

/// Endless rows.
const ENDLESS: &str = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)";

struct Place {
    sandbox: Sandbox,
}

impl Place {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        for folder in ["db", "tmp"] {
            fs::create_dir(sandbox.path(folder)).unwrap();
        }
        let releases = ["tool0", "tool1"]
            .into_iter()
            .flat_map(|package| Release::line_of(package, 3));
        bundles::add(releases, &sandbox.path("sound.db"));
        Release::new("tool1", 3).write(&sandbox.path("new"));
        Self { sandbox }
    }

    fn database(&self) -> PathBuf {
        self.sandbox.path("db/index.db")
    }

    /// Restores the valid database and executes some statements on it.
    fn make(&self, statements: &str) -> Vec<u8> {
        self.clear();
        fs::copy(self.sandbox.path("sound.db"), self.database()).unwrap();
        let connection = Connection::open(self.database()).unwrap();
        connection
            .execute_batch(&format!("PRAGMA foreign_keys = OFF; {statements}"))
            .unwrap_or_else(|error| panic!("{statements}: {error}"));
        drop(connection);
        fs::read(self.database()).unwrap()
    }

    fn clear(&self) {
        for left in self.files("db") {
            fs::remove_file(self.sandbox.path("db").join(left)).unwrap();
        }
        let _ = fs::remove_dir_all(self.sandbox.path("out"));
    }

    fn files(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(self.sandbox.path(folder)).unwrap();
        let mut names: Vec<_> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    /// Runs a command, which must end within a minute without a crash.
    fn run(&self, line: &str, of: &str) -> Outcome {
        let mut command = Command::new("timeout");
        command
            .args(["-s", "KILL", "60", env!("CARGO_BIN_EXE_opmx")])
            .args(line.split(' '));
        self.sandbox.surround(&mut command);
        let outcome = self.sandbox.finish(command.env("TMPDIR", self.sandbox.path("tmp")));
        assert!(matches!(outcome.status, Some(0..=4)), "{line}: {of}: {outcome}");
        assert!(!outcome.stderr.contains("panicked"), "{line}: {of}: {outcome}");
        assert_eq!(self.files("tmp"), Vec::<String>::new(), "{line}: {of}");
        outcome
    }

    /// Runs commands that must reject the database with these words, and leave it unchanged.
    fn refused<'a>(&self, lines: impl IntoIterator<Item = &'a str>, content: &[u8], expected: &str, of: &str) {
        for line in lines {
            let outcome = self.run(line, of);
            assert_eq!(outcome.status, Some(1), "{line}: {of}: {outcome}");
            let said = outcome.stderr.replace('\n', " ");
            assert!(said.contains("db/index.db"), "{line}: {of}: {outcome}");
            assert!(said.contains(expected), "{line}: {of}: {expected}: {outcome}");
            assert!(!said.contains("restore it"), "{line}: {of}: {outcome}");
            assert!(
                fs::read(self.database()).unwrap() == content,
                "{line}: {of}: the file changed"
            );
            assert_eq!(self.files("db"), ["index.db"], "{line}: {of}");
            assert!(!self.sandbox.path("out").exists(), "{line}: {of}");
        }
    }
}

fn all() -> impl Iterator<Item = &'static str> {
    READING.into_iter().chain(WRITING).chain(SERVING)
}

/// Two commands that read and two that write, different ones for each number.
fn some(number: usize) -> [&'static str; 4] {
    let (reading, writing) = (READING.len(), WRITING.len());
    [
        READING[2 * number % reading],
        READING[(2 * number + 1) % reading],
        WRITING[2 * number % writing],
        WRITING[(2 * number + 1) % writing],
    ]
}

#[test]
fn an_endless_view_instead_of_a_table_is_rejected_by_every_command() {
    let place = Place::new();
    let statements =
        format!("DROP TABLE package; CREATE VIEW package AS {ENDLESS} SELECT i AS name, '' AS default_channel FROM n");
    let content = place.make(&statements);
    let expected = "is refused because it defines the view \"package\"; opmx accepts only databases that consist of \
                    plain tables and indexes";
    place.refused(all(), &content, expected, "a view");
}

#[test]
fn schema_objects_that_execute_code_are_rejected() {
    let place = Place::new();
    let mut cases: Vec<(String, String)> = [
        "api",
        "operatorbundle",
        "channel",
        "channel_entry",
        "api_provider",
        "api_requirer",
        "related_image",
        "dependencies",
        "properties",
        "deprecated",
        "schema_migrations",
    ]
    .map(|table| {
        let statements = format!("DROP TABLE {table}; CREATE VIEW {table} AS {ENDLESS} SELECT i AS name FROM n");
        (statements, format!("it defines the view \"{table}\""))
    })
    .into();
    let trigger = |body: &str| format!("CREATE TRIGGER t AFTER INSERT ON operatorbundle BEGIN {body}; END");
    let remade = |columns: &str| format!("DROP TABLE package; CREATE TABLE package ({columns})");
    let (is_trigger, is_table) = (
        "it defines the trigger \"t\"",
        "its table \"package\" has a computed column",
    );
    for (statements, expected) in [
        (
            trigger("INSERT INTO package SELECT 'p' || random() FROM package, channel"),
            is_trigger,
        ),
        (trigger("DELETE FROM package"), is_trigger),
        (
            "CREATE TRIGGER t INSTEAD OF DELETE ON v BEGIN SELECT 1; END"
                .replace("CREATE", "CREATE VIEW v AS SELECT 1; CREATE"),
            "it defines the view \"v\"",
        ),
        (
            format!("CREATE VIEW \"PACKAGE \" AS {ENDLESS} SELECT i FROM n"),
            "it defines the view \"PACKAGE \"",
        ),
        (
            remade("name TEXT PRIMARY KEY, default_channel TEXT AS (hex(zeroblob(60000000)))"),
            is_table,
        ),
        (
            remade("name TEXT PRIMARY KEY, default_channel TEXT CHECK (default_channel LIKE '%a%a%a%b')"),
            is_table,
        ),
        (
            remade("name TEXT DEFAULT (hex(zeroblob(60000000))), default_channel TEXT"),
            is_table,
        ),
        (
            "CREATE INDEX i ON package (hex(zeroblob(60000000)))".to_owned(),
            "its index \"i\" covers an expression",
        ),
        (
            "CREATE INDEX i ON package (name) WHERE name LIKE '%a%a%b'".to_owned(),
            "its index \"i\" covers an expression",
        ),
        (
            "PRAGMA writable_schema = ON;
            INSERT INTO sqlite_schema VALUES ('table', 'f', 'f', 0, 'CREATE VIRTUAL TABLE f USING fts5(x)')"
                .to_owned(),
            "it defines the virtual table \"f\"",
        ),
    ] {
        cases.push((statements, expected.to_owned()));
    }
    for (number, (statements, expected)) in cases.iter().enumerate() {
        let content = place.make(statements);
        place.refused(some(number), &content, expected, statements);
    }
}

#[test]
fn odd_but_harmless_schema_objects_are_kept() {
    let place = Place::new();
    for (number, statements) in [
        "CREATE TABLE \"a\"\"; DROP TABLE package; --\" (\"b\"\"c\" TEXT PRIMARY KEY) WITHOUT ROWID",
        "CREATE TABLE \"main.package\" (name); INSERT INTO \"main.package\" VALUES (zeroblob(100000)); ANALYZE",
        "PRAGMA journal_mode = WAL",
        "DROP TABLE deprecated; CREATE TABLE deprecated (operatorbundle_name TEXT PRIMARY KEY) WITHOUT ROWID",
    ]
    .into_iter()
    .enumerate()
    {
        for line in some(number + 1) {
            place.make(statements);
            let outcome = place.run(line, statements);
            assert_eq!(outcome.status, Some(0), "{line}: {statements}: {outcome}");
            assert_eq!(place.files("db"), ["index.db"], "{line}: {statements}");
        }
    }
}

#[test]
fn a_value_that_is_too_large_is_reported() {
    let place = Place::new();
    let content = place.make("UPDATE operatorbundle SET csv = zeroblob(68000000), bundle = NULL");
    for line in ["index list packages db/index.db", "index check db/index.db"] {
        let outcome = place.run(line, "a large value");
        assert_eq!(outcome.status, Some(1), "{line}: {outcome}");
        assert!(outcome.stderr.contains("too large"), "{line}: {outcome}");
    }
    assert!(fs::read(place.database()).unwrap() == content);
}

#[test]
fn a_file_that_is_not_a_database_is_reported_without_waiting() {
    let place = Place::new();
    let sound = fs::read(place.sandbox.path("sound.db")).unwrap();
    let chance: Vec<u8> = (0..20_000_u32)
        .flat_map(|number| (number * number).to_le_bytes())
        .collect();
    let cases = [
        ("cut to a page", sound[..4096].to_vec(), "db/index.db"),
        ("bytes by chance", chance, "database"),
        ("a page of zeros", vec![0; 4096], "database"),
    ];
    for (number, (of, content, expected)) in cases.into_iter().enumerate() {
        place.clear();
        fs::write(place.database(), &content).unwrap();
        for line in some(number) {
            let outcome = place.run(line, of);
            assert_eq!(outcome.status, Some(1), "{line}: {of}: {outcome}");
            assert!(outcome.stderr.contains(expected), "{line}: {of}: {outcome}");
            assert!(fs::read(place.database()).unwrap() == content, "{line}: {of}");
            assert_eq!(place.files("db"), ["index.db"], "{line}: {of}");
        }
    }
}

#[test]
fn an_empty_file_is_not_an_index() {
    let place = Place::new();
    fs::write(place.database(), "").unwrap();
    // A change in place may begin an index in a file that is there already.
    for line in all().filter(|line| !line.starts_with("registry add")) {
        let outcome = place.run(line, "an empty file");
        assert_eq!(outcome.status, Some(1), "{line}: {outcome}");
        assert!(
            outcome.stderr.replace('\n', " ").contains("db/index.db is empty"),
            "{line}: {outcome}"
        );
        assert_eq!(fs::read(place.database()).unwrap(), b"", "{line}");
        assert_eq!(place.files("db"), ["index.db"], "{line}");
    }
}

#[test]
fn pipes_sockets_and_devices_are_reported_without_waiting() {
    let place = Place::new();
    let mkfifo = |name: &str| {
        let made = Command::new("mkfifo").arg(place.sandbox.path(name)).status().unwrap();
        assert!(made.success());
    };
    mkfifo("db/index.db");
    for line in all() {
        let outcome = place.run(line, "a pipe");
        assert_eq!(outcome.status, Some(1), "{line}: {outcome}");
        assert!(
            outcome.stderr.contains("db/index.db: it is a named pipe"),
            "{line}: {outcome}"
        );
    }
    for suffix in ["-journal", "-wal"] {
        place.make("");
        mkfifo(&format!("db/index.db{suffix}"));
        for line in some(3) {
            let outcome = place.run(line, suffix);
            assert_eq!(outcome.status, Some(1), "{line}: {outcome}");
            assert!(
                outcome
                    .stderr
                    .contains(&format!("db/index.db{suffix}: it is a named pipe")),
                "{line}: {outcome}"
            );
        }
    }
    for (target, expected) in [
        ("/dev/zero", "device"),
        ("/dev/null", "device"),
        ("../socket", "socket"),
    ] {
        place.clear();
        let _listener = (expected == "socket").then(|| UnixListener::bind(place.sandbox.path("socket")).unwrap());
        symlink(target, place.database()).unwrap();
        for line in some(1) {
            let outcome = place.run(line, target);
            assert_eq!(outcome.status, Some(1), "{line}: {target}: {outcome}");
            assert!(
                outcome.stderr.contains(&format!("it is a {expected}")),
                "{line}: {target}: {outcome}"
            );
        }
    }
}
