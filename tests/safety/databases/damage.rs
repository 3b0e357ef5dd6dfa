//! Databases that are damaged, locked, or not databases: every command ends without a crash and reports the problem in
//! its own words.

use super::names;
use super::words::assert_clean;
use crate::bundles::{self, Release};
use crate::chance::Chance;
use crate::common::{Outcome, Sandbox};
use rusqlite::{Connection, OpenFlags};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Stdio;

/// Commands that only read the database.
const READING: [&str; 11] = [
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
];

/// Commands that change it.
const WRITING: [&str; 7] = [
    "registry add -b new -d db/index.db",
    "registry add -b old --record-as registry.example.com/tool1:1.4.0 --if-exists skip -d db/index.db",
    "registry rm -o tool0 -d db/index.db",
    "registry prune -p tool0 -d db/index.db",
    "registry prune-stranded -d db/index.db",
    "registry deprecatetruncate -b registry.example.com/tool0:1.2.0 -d db/index.db",
    "index check db/index.db --fix",
];

const TABLES: [&str; 11] = [
    "api",
    "operatorbundle",
    "package",
    "channel",
    "channel_entry",
    "related_image",
    "api_provider",
    "api_requirer",
    "dependencies",
    "properties",
    "deprecated",
];

struct Place {
    sandbox: Sandbox,
    runs: usize,
    codes: BTreeMap<i32, usize>,
}

impl Place {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        for folder in ["db", "tmp"] {
            fs::create_dir(sandbox.path(folder)).unwrap();
        }
        let releases = (0..3).flat_map(|package| {
            let package = format!("tool{package}");
            Release::line_of(&package, 5).collect::<Vec<_>>()
        });
        bundles::add(releases, &sandbox.path("sound.db"));
        Release::new("tool1", 5).write(&sandbox.path("new"));
        Release::new("tool1", 4).write(&sandbox.path("old"));
        Self {
            sandbox,
            runs: 0,
            codes: BTreeMap::new(),
        }
    }

    fn database(&self) -> PathBuf {
        self.sandbox.path("db/index.db")
    }

    fn sound(&self) -> Vec<u8> {
        fs::read(self.sandbox.path("sound.db")).unwrap()
    }

    /// The valid database after some statements, which need not be meaningful.
    fn changed(&self, statements: &str) -> Vec<u8> {
        let file = self.sandbox.path("changed.db");
        fs::write(&file, self.sound()).unwrap();
        let connection = Connection::open(&file).unwrap();
        connection
            .execute_batch(
                "PRAGMA foreign_keys = OFF; PRAGMA writable_schema = ON; PRAGMA ignore_check_constraints = ON;",
            )
            .unwrap();
        connection
            .execute_batch(statements)
            .unwrap_or_else(|error| panic!("{statements}: {error}"));
        drop(connection);
        fs::read(&file).unwrap()
    }

    /// Runs a command on a file; it must not crash.
    fn run(&mut self, line: &str, content: &[u8], of: &str) -> Outcome {
        for left in names(&self.sandbox.path("db")) {
            fs::remove_file(self.sandbox.path("db").join(left)).unwrap();
        }
        let _ = fs::remove_dir_all(self.sandbox.path("out"));
        fs::write(self.database(), content).unwrap();
        let mut command = self.sandbox.command(line.split(' '));
        let outcome = self.sandbox.finish(command.env("TMPDIR", self.sandbox.path("tmp")));
        self.runs += 1;
        *self.codes.entry(outcome.status.unwrap_or(-1)).or_default() += 1;
        let of = format!("{line}: {of}");
        assert_clean(&outcome, &of);
        if outcome.status != Some(0) {
            assert!(
                outcome.stderr.contains("error") || !outcome.stdout.is_empty(),
                "{of}: nothing is said: {outcome}"
            );
        }
        if READING.contains(&line) {
            assert!(
                fs::read(self.database()).unwrap() == content,
                "{of}: reading changed the file"
            );
            assert_eq!(names(&self.sandbox.path("db")), ["index.db"], "{of}");
        }
        assert_eq!(names(&self.sandbox.path("tmp")), Vec::<String>::new(), "{of}");
        outcome
    }

    /// Runs all commands, which must fail, name the file and change nothing.
    fn all_fail(&mut self, content: &[u8], of: &str) {
        for line in READING.into_iter().chain(WRITING) {
            let outcome = self.run(line, content, of);
            assert_eq!(outcome.status, Some(1), "{line}: {of}: {outcome}");
            let said = format!("{}{}", outcome.stdout, outcome.stderr);
            assert!(said.contains("db/index.db"), "{line}: {of}: {outcome}");
            assert!(
                fs::read(self.database()).unwrap() == content,
                "{line}: {of}: the file changed"
            );
            assert_eq!(names(&self.sandbox.path("db")), ["index.db"], "{line}: {of}");
        }
    }

    fn report(&self, of: &str) {
        println!("{of}: {} commands, exit codes {:?}", self.runs, self.codes);
    }
}

#[test]
fn an_incomplete_index_is_rejected_by_every_command() {
    let mut place = Place::new();
    let sound = place.sound();
    let length = sound.len();
    for kept in [
        2,
        15,
        50,
        99,
        100,
        512,
        4096,
        5000,
        length / 2,
        length - 4096,
        length - 1,
    ] {
        place.all_fail(&sound[..kept], &format!("cut to {kept} of {length} bytes"));
    }
    let other = Connection::open(place.sandbox.path("other.db")).unwrap();
    other.execute_batch("CREATE TABLE flowers (name TEXT)").unwrap();
    drop(other);
    let other = fs::read(place.sandbox.path("other.db")).unwrap();
    let cases: [(&str, Vec<u8>); 6] = [
        (
            "a string",
            b"hello, this is a string and no database at all\n".repeat(200),
        ),
        ("zeros", vec![0; 8192]),
        ("a compressed file", [b"\x1f\x8b\x08".to_vec(), vec![7; 9000]].concat()),
        ("another database", other),
        (
            "a newer version",
            place.changed("UPDATE schema_migrations SET version = 14"),
        ),
        (
            "a much newer version",
            place.changed("UPDATE schema_migrations SET version = 9000000000000"),
        ),
    ];
    for (of, content) in cases {
        place.all_fail(&content, of);
    }
    place.report("cut short or a value of another type");
}

#[test]
fn a_missing_table_or_column_is_reported_without_the_sql_statement() {
    let mut place = Place::new();
    for table in TABLES {
        for statements in [
            format!("DROP TABLE {table}"),
            format!("ALTER TABLE {table} RENAME TO before; CREATE VIEW {table} AS SELECT * FROM before"),
            format!("ALTER TABLE {table} RENAME TO before; CREATE TABLE {table} (something TEXT)"),
        ] {
            let content = place.changed(&statements);
            for line in READING.into_iter().chain(WRITING) {
                let outcome = place.run(line, &content, &statements);
                if line.starts_with("index check") {
                    assert_eq!(outcome.status, Some(1), "{line}: {statements}: {outcome}");
                }
            }
        }
    }
    for (table, column) in columns(&place) {
        let statements = format!("ALTER TABLE {table} RENAME COLUMN {column} TO something");
        let content = place.changed(&statements);
        for line in READING.into_iter().chain(WRITING) {
            let _ = place.run(line, &content, &statements);
        }
    }
    place.report("tables and columns");
}

/// All columns of the tables of an index.
fn columns(place: &Place) -> Vec<(&'static str, String)> {
    let file = place.sandbox.path("sound.db");
    let connection = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    let mut all = Vec::new();
    for table in TABLES {
        let mut statement = connection.prepare("SELECT name FROM pragma_table_info(?1)").unwrap();
        let names = statement.query_map([table], |row| row.get::<_, String>(0)).unwrap();
        all.extend(names.map(|name| (table, name.unwrap())));
    }
    all
}

#[test]
fn values_of_other_types_are_rejected_or_read_without_a_panic() {
    let mut place = Place::new();
    let mut chance = Chance::new(7);
    let values = [
        "NULL",
        "17",
        "-1.5",
        "x'ff00fe'",
        "''",
        "'x'",
        "zeroblob(70000)",
        "9223372036854775807",
    ];
    let columns = columns(&place);
    // The number of an entry is always a number.
    for (table, column) in columns.into_iter().filter(|(_, column)| column != "entry_id") {
        for value in values {
            let row = "ORDER BY rowid LIMIT 1 OFFSET (SELECT count(*) / 2 FROM";
            let statements = format!(
                "UPDATE OR IGNORE {table} SET {column} = {value} WHERE rowid = (SELECT rowid FROM {table} {row} {table}))"
            );
            let content = place.changed(&statements);
            let reading = READING[chance.below(READING.len())];
            let writing = WRITING[chance.below(WRITING.len())];
            for line in [reading, writing] {
                let _ = place.run(line, &content, &statements);
            }
        }
    }
    place.report("values");
}

#[test]
fn flipped_bytes_are_reported_or_harmless() {
    let mut place = Place::new();
    let mut chance = Chance::new(11);
    let sound = place.sound();
    let pages = sound.len() / 4096;
    for number in 0..150 {
        let mut content = sound.clone();
        let page = chance.below(pages);
        let of = match number % 5 {
            // In the head of a page lie the numbers that everything else follows from.
            0 => {
                let at = page * 4096 + chance.below(12) + if page == 0 { 100 } else { 0 };
                content[at] ^= 1 << chance.below(8);
                format!("bit flipped at {at}")
            }
            1 => {
                content[page * 4096..(page + 1) * 4096].fill(0);
                format!("page {page} is empty")
            }
            2 => {
                let other = chance.below(pages);
                content.copy_within(other * 4096..(other + 1) * 4096, page * 4096);
                format!("page {page} is that of {other}")
            }
            _ => {
                let places: Vec<usize> = (0..20).map(|_| page * 4096 + chance.below(4096)).collect();
                for at in &places {
                    content[*at] = u8::try_from(chance.below(256)).unwrap();
                }
                format!("bytes changed at {places:?}")
            }
        };
        let (reading, writing) = (
            READING[chance.below(READING.len())],
            WRITING[chance.below(WRITING.len())],
        );
        for line in ["index check db/index.db", reading, writing] {
            let _ = place.run(line, &content, &of);
        }
    }
    place.report("flipped bytes");
}

#[test]
fn files_next_to_the_database_that_are_not_journals_are_harmless() {
    let place = Place::new();
    let sound = place.sound();
    for (suffix, content) in [
        ("-journal", b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7".repeat(700)),
        ("-journal", vec![0xff; 5000]),
        ("-wal", vec![0x37; 5000]),
    ] {
        for line in READING.into_iter().chain(WRITING) {
            for left in names(&place.sandbox.path("db")) {
                fs::remove_file(place.sandbox.path("db").join(left)).unwrap();
            }
            let _ = fs::remove_dir_all(place.sandbox.path("out"));
            fs::write(place.database(), &sound).unwrap();
            fs::write(place.sandbox.path(format!("db/index.db{suffix}")), &content).unwrap();
            let outcome = place.sandbox.run(line.split(' '));
            assert_clean(&outcome, line);
            // What is not of this database is not played back into it.
            assert_eq!(outcome.status, Some(0), "{line} with {suffix}: {outcome}");
        }
    }
}

#[test]
fn a_locked_database_is_waited_for_and_then_reported() {
    let place = Place::new();
    fs::write(place.database(), place.sound()).unwrap();
    let holder = Connection::open(place.database()).unwrap();
    holder.execute_batch("BEGIN EXCLUSIVE").unwrap();
    // All wait at once.
    let waiting: Vec<_> = WRITING
        .into_iter()
        .map(|line| {
            let mut command = place.sandbox.command(line.split(' '));
            let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
            (line, child)
        })
        .collect();
    for (line, child) in waiting {
        let output = child.wait_with_output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let outcome = Outcome {
            status: output.status.code(),
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
        };
        assert_clean(&outcome, line);
        assert_eq!(
            (outcome.status, outcome.stdout.as_str()),
            (Some(1), ""),
            "{line}: {outcome}"
        );
        let expected = "db/index.db is in use by another program and was not released within 30 seconds; try again";
        assert!(outcome.stderr.contains(expected), "{line}: {outcome}");
    }
    // Who only looks waits for nobody; a trial does, as the change itself would.
    for line in READING.into_iter().filter(|line| !line.ends_with("--dry-run")) {
        let outcome = place.sandbox.run(line.split(' '));
        assert_eq!(outcome.status, Some(0), "{line}: {outcome}");
    }
    drop(holder);
    assert!(fs::read(place.database()).unwrap() == place.sound());
}
