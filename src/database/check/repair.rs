//! Fixes the problems that can be fixed without a decision by the user, in one transaction.

use super::rows::{NAMES, ORPHANS, OWNED, UNUSED_APIS, WITH_VERSION};
use crate::database::change::{self, ChangeOptions, Target};
use crate::database::error::DatabaseError;
use crate::database::remove::{RemoveError, remove_stranded};
use rusqlite::Transaction;
use std::fmt;
use std::path::Path;

/// A completed repair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Repair {
    /// Names that were stored as bytes are stored as text.
    NamesConverted {
        /// The table of the names.
        table: &'static str,
        /// The column of the names.
        column: &'static str,
        /// The number of rows.
        rows: usize,
    },
    /// Rows of bundles that are not in the index were removed.
    OrphansRemoved {
        /// The table of the rows.
        table: &'static str,
        /// The number of rows.
        rows: usize,
    },
    /// In rows that refer to a bundle, the version and image were corrected to match the bundle.
    OwnersCorrected {
        /// The table of the rows.
        table: &'static str,
        /// The number of rows.
        rows: usize,
    },
    /// A bundle in no channel was removed.
    BundleRemoved {
        /// The name of the bundle.
        bundle: String,
    },
    /// APIs that no bundle provides or requires were removed.
    ApisRemoved {
        /// The number of APIs.
        rows: usize,
    },
    /// The only channel of a package became its default channel.
    DefaultChannelSet {
        /// The package.
        package: String,
        /// The channel.
        channel: String,
    },
}

impl fmt::Display for Repair {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NamesConverted { table, column, rows } => {
                write!(
                    formatter,
                    "stored {rows} name(s) in column {column} of table {table} as text"
                )
            }
            Self::OrphansRemoved { table, rows } => {
                write!(
                    formatter,
                    "removed {rows} row(s) from table {table}, because their bundles are not in the index"
                )
            }
            Self::OwnersCorrected { table, rows } => {
                write!(
                    formatter,
                    "corrected the version and image in {rows} row(s) of table {table}"
                )
            }
            Self::BundleRemoved { bundle } => write!(formatter, "removed bundle {bundle}, which is in no channel"),
            Self::ApisRemoved { rows } => {
                write!(formatter, "removed {rows} API(s) that no bundle provides or requires")
            }
            Self::DefaultChannelSet { package, channel } => {
                write!(formatter, "made {channel:?} the default channel of package {package}")
            }
        }
    }
}

/// Repairs a database file: stores names as text that are stored as bytes; removes bundles that are in no channel, rows that belong to missing bundles, and unused
/// APIs; corrects rows whose version or image differs from that of their bundle; and sets the default channel of
/// packages that have a single channel. Returns the repairs, in order.
///
/// # Errors
/// Returns an error if the file does not exist or cannot be changed. The file is then unchanged.
pub fn repair(path: &Path, options: &ChangeOptions) -> Result<Vec<Repair>, RemoveError> {
    let target = Target::InPlace(path);
    let failed = |error: rusqlite::Error| RemoveError::from(DatabaseError::new(path, options.busy_timeout, &error));
    change::removing(&target, options, |transaction| mend(transaction).map_err(failed))
}

fn mend(transaction: &Transaction<'_>) -> rusqlite::Result<Vec<Repair>> {
    let mut repairs = Vec::new();
    // This comes first, because rows with a name as bytes seem to belong to no bundle.
    for (table, columns) in NAMES {
        for &column in columns {
            let sql = format!("UPDATE {table} SET {column} = CAST({column} AS TEXT) WHERE typeof({column}) = 'blob'");
            let rows = transaction.execute(&sql, [])?;
            repairs.extend((rows > 0).then_some(Repair::NamesConverted { table, column, rows }));
        }
    }
    for table in OWNED {
        let rows = transaction.execute(&format!("DELETE FROM {table} WHERE {ORPHANS}"), [])?;
        repairs.extend((rows > 0).then_some(Repair::OrphansRemoved { table, rows }));
    }
    for table in WITH_VERSION {
        let rows = transaction.execute(
            &format!(
                "UPDATE {table} SET (operatorbundle_version, operatorbundle_path) =
                    (SELECT nullif(version, ''), nullif(bundlepath, '') FROM operatorbundle WHERE name = operatorbundle_name)
                 WHERE EXISTS (SELECT 1 FROM operatorbundle AS bundle WHERE bundle.name = operatorbundle_name AND (
                    (operatorbundle_version IS NOT NULL AND operatorbundle_version IS NOT bundle.version)
                    OR (operatorbundle_path IS NOT NULL AND operatorbundle_path IS NOT bundle.bundlepath)))"
            ),
            [],
        )?;
        repairs.extend((rows > 0).then_some(Repair::OwnersCorrected { table, rows }));
    }
    let apis = |sql: &str| transaction.query_row(sql, [], |row| row.get::<_, i64>(0));
    let before = apis("SELECT count(*) FROM api")?;
    let stranded = remove_stranded(transaction)?;
    repairs.extend(stranded.into_iter().map(|bundle| Repair::BundleRemoved { bundle }));
    transaction.execute(&format!("DELETE FROM api WHERE {UNUSED_APIS}"), [])?;
    let rows = usize::try_from(before - apis("SELECT count(*) FROM api")?).unwrap_or_default();
    repairs.extend((rows > 0).then_some(Repair::ApisRemoved { rows }));
    let mut only = transaction.prepare(
        "UPDATE package SET default_channel = (SELECT channel.name FROM channel WHERE package_name = package.name)
         WHERE (SELECT count(*) FROM channel WHERE package_name = package.name) = 1
            AND NOT EXISTS (SELECT 1 FROM channel
                WHERE package_name = package.name AND channel.name = package.default_channel)
         RETURNING name, default_channel",
    )?;
    let mut rows = only.query([])?;
    while let Some(row) = rows.next()? {
        repairs.push(Repair::DefaultChannelSet {
            package: row.get::<_, Option<String>>(0)?.unwrap_or_default(),
            channel: row.get::<_, Option<String>>(1)?.unwrap_or_default(),
        });
    }
    Ok(repairs)
}
