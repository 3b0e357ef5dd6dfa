//! Fixes the problems that can be fixed without a decision by the user, in one transaction.

use super::rows::{ORPHANS, OWNED, UNUSED_APIS, WITH_VERSION};
use crate::database::change::{self, ChangeOptions, Target};
use crate::database::edges::ChannelQuery;
use crate::database::error::DatabaseError;
use crate::database::name_bytes::{self, NameColumn};
use crate::database::read::text;
use crate::database::remove::{RemoveError, remove_stranded};
use rusqlite::{Row, Transaction};
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
    /// The image of bundles whose manifests are in the index became an empty string, so that OLM sees the bundles.
    BundlesListed {
        /// The number of bundles.
        rows: usize,
    },
    /// APIs that no bundle provides or requires were removed.
    ApisRemoved {
        /// The number of APIs.
        rows: usize,
    },
    /// The head of a channel became the only bundle of the channel that no other bundle replaces or skips.
    HeadSet {
        /// The package.
        package: String,
        /// The channel.
        channel: String,
        /// The head.
        head: String,
    },
    /// A channel without bundles, which was not the default channel of its package, was removed.
    ChannelRemoved {
        /// The package.
        package: String,
        /// The channel.
        channel: String,
    },
    /// A package with a single channel was added.
    PackageAdded {
        /// The package.
        package: String,
        /// The channel, which became its default channel.
        channel: String,
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
            Self::BundleRemoved { bundle } => write!(formatter, "removed bundle {bundle}, which is not in any channel"),
            Self::BundlesListed { rows } => write!(
                formatter,
                "set the bundlepath of {rows} bundle(s), whose manifests are in the index, to an empty string"
            ),
            Self::ApisRemoved { rows } => {
                write!(formatter, "removed {rows} API(s) that no bundle provides or requires")
            }
            Self::HeadSet { package, channel, head } => {
                write!(
                    formatter,
                    "made {head} the head of channel {channel:?} of package {package}"
                )
            }
            Self::ChannelRemoved { package, channel } => write!(
                formatter,
                "removed channel {channel:?} of package {package}, because it has no bundles"
            ),
            Self::PackageAdded { package, channel } => {
                write!(
                    formatter,
                    "added package {package} with the default channel {channel:?}"
                )
            }
            Self::DefaultChannelSet { package, channel } => {
                write!(formatter, "made {channel:?} the default channel of package {package}")
            }
        }
    }
}

/// Repairs a database file: stores names as text that are stored as bytes; removes bundles that are not in any channel,
/// channels without bundles, rows that belong to missing bundles, and unused APIs; corrects rows whose version or image
/// differs from that of their bundle; sets the missing image of bundles whose manifests are in the index to an empty
/// string; sets the head of channels in which only one bundle can be the head; and adds packages that have a single
/// channel, and sets their default channel. Returns the repairs, in order.
///
/// # Errors
/// Returns an error if the file does not exist or cannot be changed, or if a name cannot be read as text. The file is
/// then unchanged.
pub fn repair(path: &Path, options: &ChangeOptions) -> Result<Vec<Repair>, RemoveError> {
    let target = Target::InPlace(path);
    let failed = |error: rusqlite::Error| RemoveError::from(DatabaseError::new(path, options.busy_timeout, &error));
    change::removing(&target, options, |transaction| {
        // This comes first, because rows with a name as bytes seem to belong to no bundle.
        let converted = name_bytes::to_text(transaction).map_err(failed)?;
        if let Some(place) = name_bytes::first(transaction).map_err(failed)? {
            let index = path.display().to_string();
            return Err(RemoveError::UnreadableName { index, place });
        }
        let mut repairs: Vec<Repair> = converted
            .into_iter()
            .map(|(NameColumn { table, column }, rows)| Repair::NamesConverted { table, column, rows })
            .collect();
        apply_repairs(transaction, &mut repairs).map_err(failed)?;
        Ok(repairs)
    })
}

/// Applies all repairs of an index whose names are stored as text.
fn apply_repairs(transaction: &Transaction<'_>, repairs: &mut Vec<Repair>) -> rusqlite::Result<()> {
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
    let rows = transaction.execute(
        "UPDATE operatorbundle SET bundlepath = ''
         WHERE bundlepath IS NULL AND length(csv) > 0 AND length(bundle) > 0",
        [],
    )?;
    repairs.extend((rows > 0).then_some(Repair::BundlesListed { rows }));
    transaction.execute(&format!("DELETE FROM api WHERE {UNUSED_APIS}"), [])?;
    let rows = usize::try_from(before - apis("SELECT count(*) FROM api")?).unwrap_or_default();
    repairs.extend((rows > 0).then_some(Repair::ApisRemoved { rows }));
    heads(transaction, repairs)?;
    let removed = "DELETE FROM channel
         WHERE NOT EXISTS (SELECT 1 FROM channel_entry
                WHERE channel_name = channel.name AND package_name = channel.package_name)
            AND NOT EXISTS (SELECT 1 FROM package
                WHERE package.name = package_name AND default_channel = channel.name)
         RETURNING package_name, name";
    for (package, channel) in changed(transaction, removed)? {
        repairs.push(Repair::ChannelRemoved { package, channel });
    }
    let added = "INSERT INTO package (name, default_channel)
         SELECT package_name, min(name) FROM channel
         WHERE package_name NOT IN (SELECT name FROM package WHERE name IS NOT NULL)
         GROUP BY package_name HAVING count(*) = 1
         RETURNING name, default_channel";
    for (package, channel) in changed(transaction, added)? {
        repairs.push(Repair::PackageAdded { package, channel });
    }
    let only =
        "UPDATE package SET default_channel = (SELECT channel.name FROM channel WHERE package_name = package.name)
         WHERE (SELECT count(*) FROM channel WHERE package_name = package.name) = 1
            AND NOT EXISTS (SELECT 1 FROM channel
                WHERE package_name = package.name AND channel.name = package.default_channel)
         RETURNING name, default_channel";
    for (package, channel) in changed(transaction, only)? {
        repairs.push(Repair::DefaultChannelSet { package, channel });
    }
    Ok(())
}

/// Changes rows, and returns the two columns that the statement returns for each, sorted.
fn changed(transaction: &Transaction<'_>, statement: &str) -> rusqlite::Result<Vec<(String, String)>> {
    let mut statement = transaction.prepare(statement)?;
    let rows = statement.query_map([], |row| Ok((name(row, 0)?, name(row, 1)?)))?;
    let mut rows = rows.collect::<rusqlite::Result<Vec<_>>>()?;
    rows.sort();
    Ok(rows)
}

fn name(row: &Row<'_>, column: usize) -> rusqlite::Result<String> {
    Ok(text(row, column)?.unwrap_or_default().to_owned())
}

/// Sets the heads of channels, and adds channels that have only entries.
fn heads(transaction: &Transaction<'_>, repairs: &mut Vec<Repair>) -> rusqlite::Result<()> {
    let channels = ChannelQuery::new(transaction, None)?
        .channels()?
        .collect::<rusqlite::Result<Vec<_>>>()?;
    for members in channels {
        let Some(head) = members.only_head() else { continue };
        let row = (&members.channel, &members.package, head);
        let rows = transaction.execute(
            "INSERT INTO channel (name, package_name, head_operatorbundle_name)
             SELECT ?1, ?2, name FROM operatorbundle WHERE name = ?3
             ON CONFLICT (name, package_name) DO UPDATE SET head_operatorbundle_name = excluded.head_operatorbundle_name
                WHERE head_operatorbundle_name IS NOT excluded.head_operatorbundle_name",
            row,
        )?;
        let head = head.to_owned();
        let (package, channel) = (members.package, members.channel);
        repairs.extend((rows > 0).then_some(Repair::HeadSet { package, channel, head }));
    }
    Ok(())
}
