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
