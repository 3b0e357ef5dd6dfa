//! Additions to indexes that another program has altered.

use super::*;

#[test]
fn entries_get_free_numbers_after_the_greatest_possible_number() {
    let index = Index::new();
    index.add(&["k1 1.0.0"]).unwrap();
    let connection = Connection::open(index.path()).unwrap();
    let greatest = format!("UPDATE channel_entry SET entry_id = {}", i64::MAX);
    connection.execute_batch(&greatest).unwrap();
    drop(connection);
    index.add(&["k2 2.0.0 replaces=k1 skips=k0"]).unwrap();
    let mut entries = index.entries("p");
    entries.sort();
    assert_eq!(entries, ["a k0@1", "a k1@2", "a k2@0>k1", "a k2@1>k0"]);
    index.assert_sound();
}

#[test]
fn additional_columns_and_indexes_are_kept() {
    let index = Index::new();
    index.add(&["k1 1.0.0"]).unwrap();
    let tables = [
        "operatorbundle",
        "package",
        "channel",
        "channel_entry",
        "related_image",
        "api",
        "api_provider",
        "api_requirer",
        "dependencies",
        "properties",
        "deprecated",
    ];
    let connection = Connection::open(index.path()).unwrap();
    for table in tables {
        let note = format!("ALTER TABLE {table} ADD COLUMN note TEXT; UPDATE {table} SET note = 'kept'");
        connection.execute_batch(&note).unwrap();
    }
    connection
        .execute_batch("CREATE INDEX notes ON properties(note)")
        .unwrap();
    drop(connection);
    index.add(&["k2 2.0.0 replaces=k1"]).unwrap();
    let noted = |table: &str| {
        let query = format!("SELECT count(*) FROM {table} WHERE note = 'kept'");
        index.connection().query_row(&query, [], |row| row.get::<_, i64>(0))
    };
    assert_eq!(noted("operatorbundle").unwrap(), 1);
    assert_eq!(noted("properties").unwrap(), 2);
    assert_eq!(index.entries("p"), ["a k2@0>k1", "a k1@1"]);
    index.assert_sound();
}
