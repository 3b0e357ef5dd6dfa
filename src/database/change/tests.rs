use super::super::guard;
use super::super::read::ReadError;
use super::*;
use std::sync::Barrier;
use std::thread;

const SHORT: ChangeOptions = ChangeOptions {
    busy_timeout: Duration::from_millis(60),
    epoch: 0,
    dry_run: false,
    steps: guard::STEPS,
};

fn add_package(target: &Target<'_>, options: &ChangeOptions, name: &str) -> Result<(), DatabaseError> {
    adding(target, options, |transaction| insert(transaction, target, name))
}

fn insert(transaction: &Transaction<'_>, target: &Target<'_>, name: &str) -> Result<(), DatabaseError> {
    transaction
        .execute("INSERT INTO package (name) VALUES (?1)", [name])
        .map_err(|error| DatabaseError::new(target.path(), Duration::ZERO, &error))?;
    Ok(())
}

fn packages(path: &Path) -> Vec<String> {
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    let mut statement = connection.prepare("SELECT name FROM package ORDER BY name").unwrap();
    let names = statement.query_map([], |row| row.get(0)).unwrap();
    names.map(Result::unwrap).collect()
}

fn files(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_file_with_an_incomplete_last_page_is_neither_changed_nor_copied() {
    let folder = tempfile::tempdir().unwrap();
    let (path, to) = (folder.path().join("index.db"), folder.path().join("to.db"));
    add_package(&Target::InPlace(&path), &SHORT, "p").unwrap();
    let length = fs::metadata(&path).unwrap().len();
    fs::File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_len(length - 1)
        .unwrap();
    let copy = Target::Copy {
        from: Some(&path),
        to: &to,
        shown: &to,
    };
    for target in [Target::InPlace(&path), copy] {
        let error = add_package(&target, &SHORT, "q").unwrap_err();
        let DatabaseError::Read(ReadError::Truncated { expected, found, .. }) = error else {
            panic!("{error:?}")
        };
        assert_eq!((expected, found), (length, length - 1));
    }
    assert_eq!(files(folder.path()), ["index.db"]);
    assert_eq!(fs::metadata(&path).unwrap().len(), length - 1);
}

#[test]
fn a_new_database_is_an_index_with_default_settings() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index.db");
    add_package(&Target::InPlace(&path), &SHORT, "p").unwrap();
    let connection = Connection::open(&path).unwrap();
    assert_eq!(schema::state(&connection).unwrap(), State::Index(13));
    for (pragma, expected) in [
        ("page_size", "4096"),
        ("journal_mode", "delete"),
        ("user_version", "0"),
        ("auto_vacuum", "0"),
        ("encoding", "UTF-8"),
    ] {
        let value: rusqlite::types::Value = connection.pragma_query_value(None, pragma, |row| row.get(0)).unwrap();
        let value = match value {
            rusqlite::types::Value::Integer(number) => number.to_string(),
            rusqlite::types::Value::Text(text) => text,
            other => panic!("{other:?}"),
        };
        assert_eq!(value, expected, "{pragma}");
    }
    assert_eq!(files(folder.path()), ["index.db"]);
}

#[test]
fn an_empty_file_becomes_an_index() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index.db");
    fs::write(&path, "").unwrap();
    add_package(&Target::InPlace(&path), &SHORT, "p").unwrap();
    assert_eq!(packages(&path), ["p"]);
}

#[test]
fn a_failed_change_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index.db");
    let fail = |target: &Target<'_>| {
        adding(target, &SHORT, |transaction| {
            insert(transaction, target, "half")?;
            Err::<(), _>(DatabaseError::Full { path: path.clone() })
        })
    };
    assert!(fail(&Target::InPlace(&path)).is_err());
    assert_eq!(files(folder.path()), Vec::<String>::new());
    add_package(&Target::InPlace(&path), &SHORT, "p").unwrap();
    let before = fs::read(&path).unwrap();
    for target in [
        Target::InPlace(&path),
        Target::Copy {
            from: Some(&path),
            to: &path,
            shown: &path,
        },
    ] {
        assert!(fail(&target).is_err());
        assert!(fs::read(&path).unwrap() == before);
        assert_eq!(files(folder.path()), ["index.db"]);
    }
}

#[test]
fn a_file_that_is_not_an_index_of_this_version_is_rejected_and_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index.db");
    let cases: [(&str, &str); 2] = [
        (
            "UPDATE schema_migrations SET version = 14",
            "has schema version 14, but this program supports versions up to 13",
        ),
        ("DROP TABLE schema_migrations", "not an operator index"),
    ];
    for (sql, expected) in cases {
        let _ = fs::remove_file(&path);
        add_package(&Target::InPlace(&path), &SHORT, "p").unwrap();
        Connection::open(&path).unwrap().execute_batch(sql).unwrap();
        let before = fs::read(&path).unwrap();
        let output = folder.path().join("output.db");
        for target in [
            Target::InPlace(&path),
            Target::Copy {
                from: Some(&path),
                to: &output,
                shown: &output,
            },
        ] {
            let error = add_package(&target, &SHORT, "q").unwrap_err().to_string();
            assert!(error.contains(expected) && error.contains("index.db"), "{error}");
            assert_eq!(check(&target, &SHORT).unwrap_err().to_string(), error);
        }
        assert!(fs::read(&path).unwrap() == before);
    }
    fs::write(
        &path,
        "this is a string, and it is longer than the header of a database, which has a hundred bytes; so it is read",
    )
    .unwrap();
    let error = add_package(&Target::InPlace(&path), &SHORT, "q").unwrap_err();
    assert!(matches!(error, DatabaseError::NotADatabase { .. }), "{error:?}");
    assert_eq!(files(folder.path()), ["index.db"]);
}

#[test]
fn missing_folders_and_files_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("absent/index.db");
    let error = add_package(&Target::InPlace(&path), &SHORT, "p").unwrap_err();
    assert!(matches!(error, DatabaseError::NoFolder { .. }), "{error:?}");
    assert!(matches!(
        check(&Target::InPlace(&path), &SHORT),
        Err(DatabaseError::NoFolder { .. })
    ));
    let to = folder.path().join("index.db");
    let error = add_package(
        &Target::Copy {
            from: Some(&path),
            to: &to,
            shown: &to,
        },
        &SHORT,
        "p",
    )
    .unwrap_err();
    assert!(error.to_string().starts_with("cannot read"), "{error}");
    let error = add_package(&Target::InPlace(folder.path()), &SHORT, "p").unwrap_err();
    assert!(matches!(error, DatabaseError::CannotOpen { .. }), "{error:?}");
    assert_eq!(files(folder.path()), Vec::<String>::new());
}

#[test]
fn a_second_writer_gives_up_after_the_timeout() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index.db");
    let target = Target::InPlace(&path);
    add_package(&target, &SHORT, "p").unwrap();
    adding(&target, &SHORT, |transaction| {
        insert(transaction, &target, "q")?;
        let error = add_package(&target, &SHORT, "r").unwrap_err();
        assert!(matches!(error, DatabaseError::Locked { .. }), "{error:?}");
        check(&target, &SHORT).unwrap();
        assert!(error.to_string().contains("within 0.06 seconds"), "{error}");
        Ok::<_, DatabaseError>(())
    })
    .unwrap();
    assert_eq!(packages(&path), ["p", "q"]);
}

#[test]
fn writers_that_create_one_file_concurrently_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index.db");
    let barrier = Barrier::new(8);
    thread::scope(|scope| {
        for number in 0..8 {
            let (path, barrier) = (&path, &barrier);
            scope.spawn(move || {
                barrier.wait();
                add_package(&Target::InPlace(path), &ChangeOptions::default(), &format!("p{number}")).unwrap();
            });
        }
    });
    assert_eq!(packages(&path).len(), 8);
    assert_eq!(files(folder.path()), ["index.db"]);
}

#[cfg(unix)]
#[test]
fn an_unwritable_file_is_reported() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index.db");
    add_package(&Target::InPlace(&path), &SHORT, "p").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o555)).unwrap();
    let result = add_package(&Target::InPlace(&path), &SHORT, "q");
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    match result {
        // The superuser may write to any folder.
        Ok(()) => assert_eq!(packages(&path), ["p", "q"]),
        Err(error) => {
            assert!(
                matches!(error, DatabaseError::ReadOnly { .. } | DatabaseError::CannotOpen { .. }),
                "{error:?}"
            );
            assert_eq!(packages(&path), ["p"]);
        }
    }
}

#[test]
fn a_full_disk_is_reported_and_leaves_the_old_state() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index.db");
    let target = Target::InPlace(&path);
    add_package(&target, &SHORT, "p").unwrap();
    let before = fs::read(&path).unwrap();
    let error = adding(&target, &SHORT, |transaction| {
        let failed = |error: rusqlite::Error| DatabaseError::new(&path, SHORT.busy_timeout, &error);
        transaction.pragma_update(None, "max_page_count", 30).map_err(failed)?;
        insert(transaction, &target, &"long".repeat(100_000))
    })
    .unwrap_err();
    assert!(matches!(error, DatabaseError::Full { .. }), "{error:?}");
    assert!(fs::read(&path).unwrap() == before);
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Writes a database in the state that a process killed during a write leaves: the file contains half of the change,
/// and the journal that undoes this change is next to the file.
fn killed_in_the_middle(folder: &Path) -> PathBuf {
    let (live, path) = (folder.join("live.db"), folder.join("index.db"));
    let target = Target::InPlace(&live);
    add_package(&target, &SHORT, "p").unwrap();
    let connection = Connection::open(&live).unwrap();
    // A cache of one page writes changed pages to the file before the end of the transaction.
    connection
        .execute_batch("PRAGMA cache_size = 1; BEGIN IMMEDIATE")
        .unwrap();
    for number in 0..2000 {
        connection
            .execute("INSERT INTO package (name) VALUES (?1)", [format!("q{number}")])
            .unwrap();
    }
    for suffix in ["", "-journal"] {
        fs::copy(with_suffix(&live, suffix), with_suffix(&path, suffix)).unwrap();
    }
    drop(connection);
    fs::remove_file(live).unwrap();
    assert!(fs::metadata(with_suffix(&path, "-journal")).unwrap().len() > 512);
    path
}

#[test]
fn the_journal_of_a_killed_writer_is_rolled_back_before_an_in_place_change() {
    let folder = tempfile::tempdir().unwrap();
    let path = killed_in_the_middle(folder.path());
    check(&Target::InPlace(&path), &SHORT).unwrap();
    add_package(&Target::InPlace(&path), &SHORT, "r").unwrap();
    assert_eq!(packages(&path), ["p", "r"]);
    assert_eq!(files(folder.path()), ["index.db"]);
}

#[test]
fn the_journal_of_a_killed_writer_is_rolled_back_in_a_copy() {
    let folder = tempfile::tempdir().unwrap();
    let path = killed_in_the_middle(folder.path());
    let before = fs::read(&path).unwrap();
    let to = folder.path().join("output.db");
    add_package(
        &Target::Copy {
            from: Some(&path),
            to: &to,
            shown: &to,
        },
        &SHORT,
        "r",
    )
    .unwrap();
    assert_eq!(packages(&to), ["p", "r"]);
    assert!(fs::read(&path).unwrap() == before, "the source of a copy was changed");
    assert_eq!(files(folder.path()), ["index.db", "index.db-journal", "output.db"]);
}

/// Writes a database with a write-ahead log in the state that a killed process leaves.
fn killed_with_a_log(folder: &Path) -> PathBuf {
    let (live, path) = (folder.join("live.db"), folder.join("index.db"));
    add_package(&Target::InPlace(&live), &SHORT, "p").unwrap();
    let connection = Connection::open(&live).unwrap();
    connection
        .execute_batch("PRAGMA journal_mode = WAL; INSERT INTO package (name) VALUES ('q')")
        .unwrap();
    for suffix in ["", "-wal"] {
        fs::copy(with_suffix(&live, suffix), with_suffix(&path, suffix)).unwrap();
    }
    drop(connection);
    fs::remove_file(live).unwrap();
    path
}

/// The content of all files in a folder.
fn contents(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let names = files(folder).into_iter();
    names
        .map(|name| (name.clone(), fs::read(folder.join(name)).unwrap()))
        .collect()
}

#[test]
fn a_dry_run_writes_nothing_even_if_a_killed_writer_left_work() {
    let dry = ChangeOptions { dry_run: true, ..SHORT };
    for killed in [killed_in_the_middle, killed_with_a_log] {
        let folder = tempfile::tempdir().unwrap();
        let path = killed(folder.path());
        let before = contents(folder.path());
        assert_eq!(before.len(), 2);
        let target = Target::InPlace(&path);
        check(&target, &dry).unwrap();
        add_package(&target, &dry, "r").unwrap();
        removing(&target, &dry, |transaction| insert(transaction, &target, "r")).unwrap();
        assert!(contents(folder.path()) == before);
    }
}

#[test]
fn a_dry_run_of_a_new_file_writes_nothing() {
    let dry = ChangeOptions { dry_run: true, ..SHORT };
    let folder = tempfile::tempdir().unwrap();
    let (absent, empty) = (folder.path().join("absent.db"), folder.path().join("empty.db"));
    fs::write(&empty, "").unwrap();
    add_package(&Target::InPlace(&absent), &dry, "p").unwrap();
    add_package(&Target::InPlace(&empty), &dry, "p").unwrap();
    assert_eq!(contents(folder.path()), [("empty.db".to_owned(), Vec::new())]);
}

#[test]
fn a_copy_leaves_the_write_ahead_log_of_its_source_unchanged() {
    let (folder, output) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let path = killed_with_a_log(folder.path());
    let before = contents(folder.path());
    let to = output.path().join("output.db");
    let target = Target::Copy {
        from: Some(&path),
        to: &to,
        shown: &to,
    };
    check(&target, &SHORT).unwrap();
    add_package(&target, &SHORT, "r").unwrap();
    assert_eq!(packages(&to), ["p", "q", "r"]);
    assert!(contents(folder.path()) == before);
}

#[test]
fn names_with_a_meaning_in_sqlite_are_files() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["file:x?mode=memory", ":memory:", "ü \u{1f600}.db"] {
        let path = folder.path().join(name);
        add_package(&Target::InPlace(&path), &SHORT, "p").unwrap();
        add_package(&Target::InPlace(&path), &SHORT, "q").unwrap();
        assert_eq!(packages(&path), ["p", "q"], "{name}");
    }
}
