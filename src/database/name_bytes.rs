//! Names that are stored as bytes instead of text.
//!
//! SQLite compares no bytes as equal to a string, so rows with such a name seem to belong to nothing. Programs that
//! only read the rows show the names nevertheless.

use rusqlite::{Connection, Transaction};

/// The columns with names of packages, channels and bundles, by table.
pub(super) const NAMES: [(&str, &[&str]); 10] = [
    ("package", &["name", "default_channel"]),
    ("channel", &["name", "package_name", "head_operatorbundle_name"]),
    (
        "channel_entry",
        &["channel_name", "package_name", "operatorbundle_name"],
    ),
    ("operatorbundle", &["name"]),
    ("related_image", &["operatorbundle_name"]),
    ("api_provider", &["operatorbundle_name"]),
    ("api_requirer", &["operatorbundle_name"]),
    ("dependencies", &["operatorbundle_name"]),
    ("properties", &["operatorbundle_name"]),
    ("deprecated", &["operatorbundle_name"]),
];

/// A column that contains names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NameColumn {
    /// The table.
    pub table: &'static str,
    /// The column.
    pub column: &'static str,
}

fn columns() -> impl Iterator<Item = NameColumn> {
    let of_table = |(table, columns): (&'static str, &'static [&'static str])| {
        columns.iter().map(move |column| NameColumn { table, column })
    };
    NAMES.into_iter().flat_map(of_table)
}

/// Returns the first column that contains names as bytes.
pub(super) fn first(connection: &Connection) -> rusqlite::Result<Option<NameColumn>> {
    for found in columns() {
        let NameColumn { table, column } = found;
        let query = format!("SELECT 1 FROM {table} WHERE typeof({column}) = 'blob'");
        if connection.prepare(&query)?.exists([])? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Stores names as text that are stored as bytes. Returns the columns and their numbers of changed rows. Bytes that are
/// not text stay.
pub(super) fn to_text(transaction: &Transaction<'_>) -> rusqlite::Result<Vec<(NameColumn, usize)>> {
    let encoding: String = transaction.pragma_query_value(None, "encoding", |row| row.get(0))?;
    let mut changed = Vec::new();
    for place in columns() {
        let NameColumn { table, column } = place;
        let query = format!("SELECT rowid, {column} FROM {table} WHERE typeof({column}) = 'blob'");
        let mut query = transaction.prepare(&query)?;
        let found = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let found: Vec<(i64, Vec<u8>)> = found.collect::<rusqlite::Result<_>>()?;
        let mut update = transaction.prepare(&format!("UPDATE {table} SET {column} = ?1 WHERE rowid = ?2"))?;
        let mut rows = 0;
        for (row, bytes) in found {
            if let Some(name) = decoded(&bytes, &encoding) {
                rows += update.execute((name, row))?;
            }
        }
        changed.extend((rows > 0).then_some((place, rows)));
    }
    Ok(changed)
}

/// Decodes a name. SQL statements that turn text into bytes use the encoding of the database; programs use UTF-8.
fn decoded(bytes: &[u8], encoding: &str) -> Option<String> {
    if let Ok(name) = std::str::from_utf8(bytes)
        && !name.contains('\0')
    {
        return Some(name.to_owned());
    }
    let unit: fn([u8; 2]) -> u16 = match encoding {
        "UTF-16le" => u16::from_le_bytes,
        "UTF-16be" => u16::from_be_bytes,
        _ => return None,
    };
    let (units, rest) = bytes.as_chunks::<2>();
    let units: Vec<u16> = units.iter().copied().map(unit).collect();
    String::from_utf16(&units).ok().filter(|_| rest.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_a_name_are_read_as_utf_8_or_in_the_encoding_of_the_database() {
        let little: Vec<u8> = "k.v1".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = "k.v1".encode_utf16().flat_map(u16::to_be_bytes).collect();
        let name = Some("k.v1".to_owned());
        for encoding in ["UTF-8", "UTF-16le", "UTF-16be"] {
            assert_eq!(decoded(b"k.v1", encoding), name, "{encoding}");
        }
        assert_eq!(decoded(&little, "UTF-16le"), name);
        assert_eq!(decoded(&big, "UTF-16be"), name);
        assert_eq!(decoded(&little, "UTF-8"), None);
        assert_eq!(decoded(&little[..7], "UTF-16le"), None);
        assert_eq!(decoded(b"k.v\xff", "UTF-8"), None);
    }
}
