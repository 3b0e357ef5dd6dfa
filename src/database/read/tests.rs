use super::super::sample;
use super::file::beside;
use super::*;

fn names(directory: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn message(path: &Path) -> String {
    let message = Database::open(path).unwrap_err().to_string();
    message.replace(path.parent().unwrap().to_str().unwrap(), "DIR")
}

#[test]
fn files_that_are_not_an_index_are_rejected_with_their_kind() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("index.db");
    assert_eq!(message(&path), "there is no index database at DIR/index.db");
    fs::write(&path, "").unwrap();
    assert_eq!(
        message(&path),
        "DIR/index.db is empty, possibly because of a failed download"
    );
    let connection = Connection::open(&path).unwrap();
    connection.execute_batch("CREATE TABLE t (x)").unwrap();
    drop(connection);
    assert_eq!(
        message(&path),
        "DIR/index.db is a SQLite database, but not an operator index: it has no table operatorbundle"
    );
    fs::write(&path, "packages:\n").unwrap();
    assert_eq!(message(&path), "DIR/index.db is not a SQLite database");
    fs::write(&path, [b"SQLite format 3\0".as_slice(), &[0xff; 4096]].concat()).unwrap();
    assert!(Database::open(&path).is_err());
    assert!(message(directory.path()).ends_with(" is a folder, but an index is a database file or an image"));
}

#[test]
fn a_truncated_database_is_rejected_with_both_lengths() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("index.db");
    sample::write(&path);
    let length = fs::metadata(&path).unwrap().len();
    let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
    file.set_len(length - 4096).unwrap();
    let expected = format!(
        "DIR/index.db is truncated: its size should be {length} bytes, but is {} bytes; restore it from a copy",
        length - 4096
    );
    assert_eq!(message(&path), expected);
}

#[test]
fn unknown_schema_versions_are_rejected() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("index.db");
    sample::write(&path);
    let set = |version: i64| {
        let connection = Connection::open(&path).unwrap();
        connection
            .execute("UPDATE schema_migrations SET version = ?1", [version])
            .unwrap();
    };
    for version in FIRST_READ_IN_PLACE..=schema::VERSION {
        set(version);
        assert_eq!(Database::open(&path).unwrap().schema_version(), version);
    }
    set(14);
    assert!(message(&path).contains("schema version 14, but this program supports versions up to 13"));
}

#[test]
fn an_unfinished_transaction_is_rolled_back_only_in_a_copy() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("index.db");
    sample::write(&path);
    // The journal of a killed writer, copied after the transaction has written to the file.
    let connection = Connection::open(&path).unwrap();
    connection
        .execute_batch(
            "PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN IMMEDIATE; DELETE FROM properties;
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
            INSERT INTO properties SELECT 'half', 'written', 'k.v1.2.0', NULL, printf('%200d', i) FROM n;",
        )
        .unwrap();
    let killed = tempfile::tempdir().unwrap();
    let left = killed.path().join("in dex%.db");
    fs::copy(&path, &left).unwrap();
    fs::copy(beside(&path, "-journal"), beside(&left, "-journal")).unwrap();
    connection.execute_batch("ROLLBACK").unwrap();
    // The first page may be written before the pages that it counts.
    let mut content = fs::read(&left).unwrap();
    content.copy_within(24..28, 92);
    content[28..32].copy_from_slice(&1_000_u32.to_be_bytes());
    fs::write(&left, content).unwrap();
    let before = (fs::read(&left).unwrap(), fs::read(beside(&left, "-journal")).unwrap());
    assert_ne!(before.0, fs::read(&path).unwrap());

    let index = Database::open(&left).unwrap();
    assert_eq!(
        index.catalog().unwrap(),
        Database::open(&path).unwrap().catalog().unwrap()
    );
    index.reopen().unwrap();
    assert_eq!(names(killed.path()), ["in dex%.db", "in dex%.db-journal"]);
    assert!(before == (fs::read(&left).unwrap(), fs::read(beside(&left, "-journal")).unwrap()));
    let copy = index.file.database.clone();
    assert!(copy.exists());
    drop(index);
    assert!(!copy.exists());
}

#[test]
fn a_database_is_read_with_its_write_ahead_log() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("index.db");
    sample::write(&path);
    let connection = Connection::open(&path).unwrap();
    connection
        .execute_batch("PRAGMA journal_mode = WAL; DELETE FROM package WHERE name = 'a';")
        .unwrap();
    let before = names(directory.path());
    assert_eq!(Database::open(&path).unwrap().catalog().unwrap().packages.len(), 1);
    assert_eq!(names(directory.path()), before);
    drop(connection);
    assert_eq!(names(directory.path()), ["index.db"]);
    assert_eq!(Database::open(&path).unwrap().catalog().unwrap().packages.len(), 1);
    assert_eq!(names(directory.path()), ["index.db"]);
}

#[test]
fn writers_wait_until_a_reader_allows_them_to_write() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("index.db");
    sample::write(&path);
    let index = Database::open(&path).unwrap();
    let again = index.reopen().unwrap();
    index.catalog().unwrap();
    let connection = Connection::open(&path).unwrap();
    connection.busy_timeout(Duration::ZERO).unwrap();
    let error = connection.execute("DELETE FROM package", []).unwrap_err();
    assert_eq!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy));
    index.catalog().unwrap();
    again.let_others_write();
    connection.execute("DELETE FROM package", []).unwrap();
    assert!(matches!(index.catalog(), Err(ReadError::Changed { .. })));
    assert!(matches!(again.catalog(), Err(ReadError::Changed { .. })));
}

#[test]
fn a_file_overwritten_without_a_lock_is_detected() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("index.db");
    sample::write(&path);
    let content = fs::read(&path).unwrap();
    let index = Database::open(&path).unwrap();
    fs::write(&path, [content.as_slice(), b"more"].concat()).unwrap();
    assert!(matches!(index.catalog(), Err(ReadError::Changed { .. })));
}

#[test]
fn a_database_locked_by_another_program_is_read_from_a_copy() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("index.db");
    sample::write(&path);
    let writer = Connection::open(&path).unwrap();
    writer
        .execute_batch("PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN EXCLUSIVE")
        .unwrap();
    let packages = |index: &Database| index.catalog().unwrap().packages.len();
    assert_eq!(packages(&Database::open(&path).unwrap()), 2);
    // The file contains half of the change by now.
    writer
        .execute_batch(
            "DELETE FROM package; WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
            INSERT INTO properties SELECT 'half', 'written', 'k.v1.2.0', NULL, printf('%200d', i) FROM n;",
        )
        .unwrap();
    let index = Database::open(&path).unwrap();
    assert_eq!(packages(&index), 2);
    writer.execute_batch("COMMIT").unwrap();
    assert_eq!(packages(&index), 2);
    assert_eq!(packages(&Database::open(&path).unwrap()), 0);
}

#[test]
fn a_replaced_file_does_not_affect_the_reader() {
    let directory = tempfile::tempdir().unwrap();
    let (path, other) = (directory.path().join("index.db"), directory.path().join("new.db"));
    sample::write(&path);
    let index = Database::open(&path).unwrap();
    fs::copy(&path, &other).unwrap();
    fs::rename(&other, &path).unwrap();
    assert_eq!(index.catalog().unwrap().packages.len(), 2);
    assert!(matches!(index.reopen(), Err(ReadError::Changed { .. })));
}

#[test]
fn an_index_without_a_valid_schema_version_is_not_missing_a_table() {
    let folder = tempfile::tempdir().unwrap();
    for change in [
        "DELETE FROM schema_migrations",
        "UPDATE schema_migrations SET version = -2",
    ] {
        let path = crate::database::check::tests::database(folder.path(), change);
        let error = Database::open(&path).unwrap_err();
        assert!(matches!(error, ReadError::NoVersion { .. }), "{change}: {error}");
    }
}
