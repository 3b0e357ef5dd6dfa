//! Mending what needs no decision, in one transaction.

use super::rows::{ORPHANS, OWNED, UNUSED_APIS, WITH_VERSION};
use crate::database::change::{self, ChangeOptions, Target};
use crate::database::error::DatabaseError;
use crate::database::remove::{RemoveError, remove_stranded};
use rusqlite::Transaction;
use std::fmt;
use std::path::Path;

/// What was mended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Repair {
    /// Rows of bundles that are not there went.
    OrphansRemoved {
        /// Their table.
        table: &'static str,
        /// How many.
        rows: usize,
    },
    /// Rows got the version and image of their bundle.
    OwnersCorrected {
        /// Their table.
        table: &'static str,
        /// How many.
        rows: usize,
    },
    /// A bundle that no channel has went.
    BundleRemoved {
        /// Its name.
        bundle: String,
    },
    /// APIs that no bundle provides or requires went.
    ApisRemoved {
        /// How many.
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
            Self::OrphansRemoved { table, rows } => {
                write!(
                    formatter,
                    "removed {rows} row(s) of table {table} whose bundles are not in the index"
                )
            }
            Self::OwnersCorrected { table, rows } => {
                write!(
                    formatter,
                    "gave {rows} row(s) of table {table} the version and image of their bundles"
                )
            }
            Self::BundleRemoved { bundle } => write!(formatter, "removed bundle {bundle}, which no channel has"),
            Self::ApisRemoved { rows } => {
                write!(formatter, "removed {rows} API(s) that no bundle provides or requires")
            }
            Self::DefaultChannelSet { package, channel } => {
                write!(formatter, "made {channel:?} the default channel of package {package}")
            }
        }
    }
}

/// Mends a database file: rows of bundles that are not there, rows with the version or image of another bundle, bundles
/// of no channel, APIs of no bundle, and the default channel of a package that has one channel. What was done, in
/// order.
///
/// # Errors
/// When there is no such file, or it cannot be changed. Then it is as it was.
pub fn repair(path: &Path, options: &ChangeOptions) -> Result<Vec<Repair>, RemoveError> {
    let target = Target::InPlace(path);
    let failed = |error: rusqlite::Error| RemoveError::from(DatabaseError::new(path, options.busy_timeout, &error));
    change::removing(&target, options, |transaction| mend(transaction).map_err(failed))
}

fn mend(transaction: &Transaction<'_>) -> rusqlite::Result<Vec<Repair>> {
    let mut repairs = Vec::new();
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
