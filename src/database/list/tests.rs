use super::super::sample;
use super::*;

fn opened() -> (tempfile::TempDir, Database) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("index.db");
    sample::write(&path);
    (directory, Database::open(&path).unwrap())
}

fn json<T: Serialize>(rows: impl Iterator<Item = Result<T, ReadError>>) -> Vec<String> {
    rows.map(|row| serde_json::to_string(&row.unwrap()).unwrap()).collect()
}

#[test]
fn packages_show_the_display_name_of_their_head() {
    let (_directory, index) = opened();
    assert_eq!(
        json(packages(&index).unwrap().rows().unwrap()),
        [
            r#"{"name":"a","displayName":null,"defaultChannel":null}"#,
            r#"{"name":"k","displayName":"The K","defaultChannel":"stable"}"#,
        ]
    );
}

#[test]
fn channels_can_be_listed_for_one_package() {
    let (_directory, index) = opened();
    assert_eq!(
        json(channels(&index, None).unwrap().rows().unwrap()),
        [
            r#"{"package":"a","channel":"alpha","head":"a.v1"}"#,
            r#"{"package":"k","channel":"old","head":"k.v1.0.0"}"#,
            r#"{"package":"k","channel":"stable","head":"k.v1.2.0"}"#,
        ]
    );
    assert_eq!(json(channels(&index, Some("a")).unwrap().rows().unwrap()).len(), 1);
    assert!(json(channels(&index, Some("none")).unwrap().rows().unwrap()).is_empty());
}

#[test]
fn bundles_are_ordered_from_the_head_down_with_edges_and_media_types() {
    let (_directory, index) = opened();
    assert_eq!(
        json(bundles(&index, None).unwrap().rows().unwrap()),
        [
            r#"{"package":"a","channel":"alpha","bundle":"a.v1","version":null,"replaces":null,"skips":[],"skipRange":null,"image":null,"mediaType":"k8s+v1"}"#,
            r#"{"package":"k","channel":"old","bundle":"k.v1.0.0","version":"1.0.0","replaces":null,"skips":[],"skipRange":null,"image":"registry.example.com/k:1.0","mediaType":"registry+v1"}"#,
            r#"{"package":"k","channel":"stable","bundle":"k.v1.2.0","version":"1.2.0","replaces":"k.v1.0.0","skips":["k.v1.1.0","k.vghost","k.v1.0.0"],"skipRange":"<1.2.0","image":"registry.example.com/k:1.2","mediaType":"registry+v1"}"#,
            r#"{"package":"k","channel":"stable","bundle":"k.v1.1.0","version":"1.1.0","replaces":null,"skips":[],"skipRange":null,"image":"registry.example.com/k:1.1","mediaType":"registry+v1"}"#,
            r#"{"package":"k","channel":"stable","bundle":"k.v1.0.0","version":"1.0.0","replaces":null,"skips":[],"skipRange":null,"image":"registry.example.com/k:1.0","mediaType":"registry+v1"}"#,
        ]
    );
    assert_eq!(json(bundles(&index, Some("a")).unwrap().rows().unwrap()).len(), 1);
}

#[test]
fn damage_ends_a_listing_with_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("index.db");
    sample::write(&path);
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection
        .execute_batch("UPDATE operatorbundle SET version = CAST(x'ff' AS TEXT) WHERE name = 'k.v1.1.0'")
        .unwrap();
    drop(connection);
    let index = Database::open(&path).unwrap();
    let mut list = bundles(&index, None).unwrap();
    let rows: Vec<_> = list.rows().unwrap().take_while(Result::is_ok).collect();
    // A channel is sorted before its first row.
    assert_eq!(rows.len(), 2);
}
