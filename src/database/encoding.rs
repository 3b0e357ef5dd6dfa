//! Strings that are not valid UTF-8.

use rusqlite::Connection;
use rusqlite::types::ValueRef;

/// The columns with strings that readers use, by table. The first one names the rows. The manifests are not among them.
const TEXTS: [(&str, &[&str]); 11] = [
    ("package", &["name", "default_channel"]),
    ("channel", &["name", "package_name", "head_operatorbundle_name"]),
    (
        "channel_entry",
        &["operatorbundle_name", "package_name", "channel_name"],
    ),
    ("operatorbundle", &["name", "version", "bundlepath", "skiprange"]),
    ("related_image", &["operatorbundle_name", "image"]),
    ("api", &["kind", "group_name", "version", "plural"]),
    (
        "api_provider",
        &["operatorbundle_name", "group_name", "version", "kind"],
    ),
    (
        "api_requirer",
        &["operatorbundle_name", "group_name", "version", "kind"],
    ),
    ("dependencies", &["operatorbundle_name", "type", "value"]),
    ("properties", &["operatorbundle_name", "type", "value"]),
    (DEPRECATED, &["operatorbundle_name"]),
];

const DEPRECATED: &str = "deprecated";

/// Returns the places of the strings that are not valid UTF-8, in a fixed order. `limit` is the maximum number of
/// places. `with_deprecated` states whether the schema version has the table of deprecated bundles.
pub(super) fn invalid(connection: &Connection, limit: usize, with_deprecated: bool) -> rusqlite::Result<Vec<String>> {
    let mut places = Vec::new();
    for (table, columns) in TEXTS {
        if table == DEPRECATED && !with_deprecated {
            continue;
        }
        let mut query = connection.prepare(&format!("SELECT {} FROM {table} ORDER BY rowid", columns.join(", ")))?;
        let mut rows = query.query([])?;
        while let Some(row) = rows.next()? {
            for (number, column) in columns.iter().enumerate() {
                if places.len() < limit && std::str::from_utf8(bytes(row.get_ref(number)?)).is_err() {
                    let owner = String::from_utf8_lossy(bytes(row.get_ref(0)?));
                    places.push(format!("column {column} of the row of {owner:?} in table {table}"));
                }
            }
        }
    }
    Ok(places)
}

/// Returns the bytes of a string or a blob.
pub(super) fn bytes(value: ValueRef<'_>) -> &[u8] {
    match value {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => bytes,
        _ => &[],
    }
}
