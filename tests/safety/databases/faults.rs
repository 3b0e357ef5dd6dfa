//! A full disk or an unwritable location: the old state is kept, and the message names the file, the cause and what to
//! do.

use super::words::assert_clean;
use super::{names, succeed};
use crate::bundles::{self, Release};
use crate::common::{Outcome, Sandbox};
use crate::full_disks::can_mount;
use crate::state::{State, assert_whole, journal, state};
use rusqlite::Connection;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The state of the database before a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Before {
    Sound,
    /// With a bundle in no channel and rows without an owner.
    Untidy,
    /// Of an older schema version.
    Old,
}

/// All commands that change a database file.
const COMMANDS: [(&str, Before, &str); 8] = [
    ("add", Before::Sound, "registry add -q -b new -d db/index.db"),
    (
        "add several",
        Before::Sound,
        "registry add -q -b tool3,tool4,tool5 -d db/index.db",
    ),
    ("rm", Before::Sound, "registry rm -o tool1 -d db/index.db"),
    ("prune", Before::Sound, "registry prune -p tool1 -d db/index.db"),
    (
        "deprecatetruncate",
        Before::Sound,
        "registry deprecatetruncate -b registry.example.com/tool0:1.17.0 -d db/index.db",
    ),
    (
        "prune-stranded",
        Before::Untidy,
        "registry prune-stranded -d db/index.db",
    ),
    ("check --fix", Before::Untidy, "index check db/index.db --fix"),
    ("migration", Before::Old, "registry add -q -b new -d db/index.db"),
];

const UNTIDY: &str = "
    INSERT INTO operatorbundle (name, csv, bundle) VALUES ('tool0.v0.1.0', '{}', '{}');
    INSERT INTO related_image VALUES ('registry.example.com/gone', 'gone');
    INSERT INTO api VALUES ('gone.example.com', 'v1', 'Gone', 'gones');";
/// The schema of version 10, without substitutions and the table of deprecated bundles.
const OLD: &str = "
    ALTER TABLE operatorbundle DROP COLUMN substitutesfor;
    DROP TABLE deprecated;
    UPDATE schema_migrations SET version = 10;";

/// Databases in all states, and a bundle to add.
struct Place {
    sandbox: Sandbox,
}

impl Place {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        for folder in ["db", "tmp", "disk"] {
            fs::create_dir(sandbox.path(folder)).unwrap();
        }
        let new = Release {
            lines: 2000,
            ..Release::new("tool2", 20)
        };
        new.write(&sandbox.path("new"));
        // Together larger than SQLite's cache, so that pages are written before the end of the transaction.
        for package in ["tool3", "tool4", "tool5"] {
            let first = Release {
                lines: 12_000,
                ..Release::new(package, 0)
            };
            first.write(&sandbox.path(package));
        }
        let place = Self { sandbox };
        let sound = place.before(Before::Sound);
        let releases = ["tool0", "tool1", "tool2"].into_iter().flat_map(|package| {
            Release::line_of(package, 20)
                .map(|release| Release { lines: 60, ..release })
                .collect::<Vec<_>>()
        });
        bundles::add(releases, &sound);
        for (before, statements) in [(Before::Untidy, UNTIDY), (Before::Old, OLD)] {
            fs::copy(&sound, place.before(before)).unwrap();
            let connection = Connection::open(place.before(before)).unwrap();
            connection.pragma_update(None, "foreign_keys", false).unwrap();
            connection.execute_batch(statements).unwrap();
            connection.execute_batch("VACUUM").unwrap();
        }
        place
    }

    fn before(&self, before: Before) -> PathBuf {
        self.sandbox.path(format!("{before:?}.db"))
    }

    fn folder(&self) -> PathBuf {
        self.sandbox.path("db")
    }

    fn database(&self) -> PathBuf {
        self.sandbox.path("db/index.db")
    }

    /// Restores a fresh database, and returns its state and length.
    fn fresh(&self, before: Before) -> (State, u64) {
        let _ = fs::remove_file(journal(&self.database()));
        let length = fs::copy(self.before(before), self.database()).unwrap();
        (state(&self.database()), length)
    }

    /// The result of the command without obstacles.
    fn changed(&self, before: Before, line: &str) -> State {
        self.fresh(before);
        succeed(&self.sandbox, line);
        state(&self.database())
    }

    /// A program that runs opmx with these arguments.
    fn wrapped(&self, program: &str, arguments: &[&str], line: &str) -> Outcome {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .arg(env!("CARGO_BIN_EXE_opmx"))
            .args(line.split(' '))
            .current_dir(self.sandbox.path(""))
            .env_clear()
            .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
            .env("HOME", self.sandbox.path("tmp"))
            .env("TMPDIR", self.sandbox.path("tmp"));
        self.sandbox.finish(&mut command)
    }
}

/// Asserts that the message of a command that could not write names the file, the cause and what to do.
fn assert_said(outcome: &Outcome, file: &str, cause: &[&str], advice: &[&str], of: &str) {
    assert_eq!(
        (outcome.status, outcome.stdout.as_str()),
        (Some(1), ""),
        "{of}: {outcome}"
    );
    let said = &outcome.stderr;
    assert!(said.starts_with("error: "), "{of}: {said}");
    for words in [&[file][..], cause, advice] {
        assert!(
            words.iter().any(|word| said.contains(word)),
            "{of}: none of {words:?} in: {said}"
        );
    }
    assert_clean(outcome, of);
}

#[test]
fn a_file_size_limit_leaves_the_old_state_or_the_complete_new_one() {
    let place = Place::new();
    for (name, before, line) in COMMANDS {
        let new = place.changed(before, line);
        let (old, length) = place.fresh(before);
        let kilobytes = u32::try_from(length / 1024).unwrap();
        let mut failed = 0;
        let limits = [
            0,
            1,
            4,
            16,
            64,
            kilobytes / 4,
            kilobytes / 2,
            kilobytes,
            kilobytes + 16,
            kilobytes + 64,
        ];
        for limit in limits {
            place.fresh(before);
            let script = format!("ulimit -f {limit}; exec \"$0\" \"$@\"");
            let outcome = place.wrapped("bash", &["-c", &script], line);
            let of = format!("{name} with {limit} of {kilobytes} KiB");
            let found = state(&place.database());
            if outcome.status == Some(0) {
                assert!(found == new, "{of}: {outcome}");
            } else {
                assert!(found == old, "{of}: {outcome}");
                assert_said(
                    &outcome,
                    "db/index.db",
                    &["an I/O operation on", "no space is left"],
                    &[
                        "check the disk, its free space, the quota and the limit on file sizes",
                        "free some space",
                    ],
                    &of,
                );
                failed += 1;
            }
            assert_eq!(names(&place.folder()), ["index.db"], "{of}");
            assert_eq!(names(&place.sandbox.path("tmp")), Vec::<String>::new(), "{of}");
            assert_whole(&place.database());
        }
        println!(
            "{name}: {failed} of {} limits on the size of files stop it",
            limits.len()
        );
        assert!(failed > 0, "{name}");
    }
}

/// Runs the remaining arguments on a disk of some kilobytes that contains the database, and copies the remaining files
/// back.
const ON_A_SMALL_DISK: &str = r#"
    size=$1; shift
    mount -t tmpfs -o "size=${size}k" tmpfs disk && cp db/index.db disk/index.db || exit 99
    "$@"
    code=$?
    ls -A disk > left.txt
    cp disk/* db/
    exit $code"#;

#[test]
fn a_full_disk_leaves_the_old_state_or_the_complete_new_one() {
    let place = Place::new();
    if !can_mount(&place.sandbox.path("disk")) {
        return;
    }
    for (name, before, line) in COMMANDS {
        let new = place.changed(before, line);
        let (old, length) = place.fresh(before);
        let kilobytes = length / 1024;
        let line = line.replace("db/index.db", "disk/index.db");
        let (mut failed, mut succeeded) = (0, 0);
        for free in [0, 4, 12, 32, 64, 256, 1024, 8192] {
            place.fresh(before);
            let size = (kilobytes + free).to_string();
            let outcome = place.wrapped("unshare", &["--mount", "sh", "-c", ON_A_SMALL_DISK, "sh", &size], &line);
            let of = format!("{name} with {free} KiB free beside {kilobytes}");
            assert_ne!(outcome.status, Some(99), "{of}: {outcome}");
            assert_eq!(
                fs::read_to_string(place.sandbox.path("left.txt")).unwrap(),
                "index.db\n",
                "{of}"
            );
            let found = state(&place.database());
            if outcome.status == Some(0) {
                assert!(found == new, "{of}: {outcome}");
                succeeded += 1;
            } else {
                assert!(found == old, "{of}: {outcome}");
                assert_said(
                    &outcome,
                    "disk/index.db",
                    &["no space is left"],
                    &["free some space"],
                    &of,
                );
                failed += 1;
            }
            assert_whole(&place.database());
        }
        println!("{name}: stopped by {failed} full disks, done on {succeeded}");
        assert!(failed > 0 && succeeded > 0, "{name}");
    }
}

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

fn is_root() -> bool {
    let output = Command::new("id").arg("-u").output().unwrap();
    output.stdout == b"0\n"
}

#[test]
fn a_read_only_folder_or_file_is_reported_and_unchanged() {
    let place = Place::new();
    // For root nothing is read-only, so the commands run as nobody.
    for path in place.folder().ancestors().take(3) {
        mode(path, 0o755);
    }
    mode(&place.sandbox.path("tmp"), 0o777);
    let run = |line: &str| {
        let line = line.replace("registry add", "registry add --no-cache");
        if is_root() {
            let nobody = ["--reuid=65534", "--regid=65534", "--clear-groups"];
            place.wrapped("setpriv", &nobody, &line)
        } else {
            place.wrapped("env", &[], &line)
        }
    };
    for (name, before, line) in COMMANDS {
        // The file and its folder; the folder alone; the file alone.
        for (file, folder) in [(0o444, 0o555), (0o666, 0o555), (0o444, 0o777)] {
            let of = format!("{name} on a file of mode {file:o} in a folder of mode {folder:o}");
            place.fresh(before);
            let bytes = fs::read(place.database()).unwrap();
            mode(&place.database(), file);
            mode(&place.folder(), folder);
            let outcome = run(line);
            mode(&place.folder(), 0o755);
            mode(&place.database(), 0o644);
            assert_said(
                &outcome,
                "db/index.db",
                &["cannot be changed", "cannot be opened"],
                &["read-only", "check that"],
                &of,
            );
            assert!(fs::read(place.database()).unwrap() == bytes, "{of}");
            assert_eq!(names(&place.folder()), ["index.db"], "{of}");
        }
    }
}

#[test]
fn a_read_only_mount_is_reported_even_to_root() {
    let place = Place::new();
    if !can_mount(&place.sandbox.path("disk")) {
        return;
    }
    let script = r#"mount --bind db disk && mount -o remount,bind,ro disk && exec "$@""#;
    for (name, before, line) in COMMANDS {
        place.fresh(before);
        let bytes = fs::read(place.database()).unwrap();
        let line = line.replace("db/index.db", "disk/index.db");
        let outcome = place.wrapped("unshare", &["--mount", "sh", "-c", script, "sh"], &line);
        assert_said(
            &outcome,
            "disk/index.db",
            &["cannot be changed", "cannot be opened"],
            &["read-only", "check that"],
            name,
        );
        assert!(fs::read(place.database()).unwrap() == bytes, "{name}");
        assert_eq!(names(&place.folder()), ["index.db"], "{name}");
        // It can still be read there.
        let listed = place.wrapped(
            "unshare",
            &["--mount", "sh", "-c", script, "sh"],
            "index list packages disk/index.db",
        );
        assert_eq!(listed.status, Some(0), "{name}: {listed}");
    }
}
