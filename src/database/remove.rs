//! Removes packages, and bundles that are not in any channel, from an index.
//!
//! All rows that belong to a bundle are removed with it. This includes the rows that the schema does not link to the
//! bundle because the bundle has no version or image. An API stays as long as any bundle provides or requires it.

use super::change::{self, ChangeOptions, Target};
use super::error::DatabaseError;
use super::listed::remove_unlisted;
use super::load;
use super::name_bytes::{self, NameColumn};
use crate::catalog::{BundleId, Catalog};
use crate::resolver::closure::{self, Closure, Follow, Lost, Reason, Unsatisfied};
use crate::shape::nearest;
use rusqlite::Transaction;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The result of a removal.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Removal {
    /// The removed packages, by name.
    pub packages: Vec<String>,
    /// The bundles of these packages, by name.
    pub bundles: Vec<String>,
    /// The removed bundles that were not in any channel, by name.
    pub stranded: Vec<String>,
    /// Packages that should have been removed but are not in the index.
    pub missing: Vec<String>,
    /// With [`Packages::AllButNeeded`], the packages that stay because they are named or needed, each with the reasons.
    pub needed: BTreeMap<String, Vec<Reason>>,
    /// The requirements of these packages that no bundle in the index satisfies.
    pub unsatisfied: Vec<Unsatisfied>,
    /// The requirements that remaining bundles have but no bundle satisfies anymore.
    pub lost: Vec<Lost>,
}

/// The packages to remove.
#[derive(Debug, Clone, Copy)]
pub enum Packages<'a> {
    /// Only these packages.
    Only(&'a BTreeSet<String>),
    /// All packages except these and the packages that these may need.
    AllButNeeded(&'a BTreeSet<String>, &'a Follow),
}

/// An error that prevents a removal.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RemoveError {
    /// The index does not contain these packages.
    #[error(
        "{index} has no package {}{}",
        packages.join(", "),
        nearest.as_ref().map_or(String::new(), |nearest| format!("; did you mean {nearest}?"))
    )]
    Unknown {
        /// The index, as the user named it.
        index: String,
        /// The unknown names.
        packages: Vec<String>,
        /// The name most similar to the first unknown name.
        nearest: Option<String>,
    },
    /// Names are stored as bytes. No query finds the rows with these names, so bundles that are in channels seem to be
    /// in none.
    #[error(
        "column {} of table {} in {index} contains names as bytes instead of text, so bundles that are in channels \
        would be removed",
        place.column, place.table
    )]
    NameBytes {
        /// The index, as the user named it.
        index: String,
        /// The first column with such names.
        place: NameColumn,
    },
    /// A name that is stored as bytes is not text.
    #[error("column {} of table {} in {index} contains a name that is not text", place.column, place.table)]
    UnreadableName {
        /// The index, as the user named it.
        index: String,
        /// The first column with such a name.
        place: NameColumn,
    },
    /// The database cannot be read or written.
    #[error(transparent)]
    Database(#[from] DatabaseError),
}

/// Removes packages from an index, with all of their bundles and with all bundles in no channel, in one transaction.
///
/// # Errors
/// Returns an error if a named package is not in the index and `permissive` is `false`, if names are stored as bytes,
/// or if the database cannot be changed. The database is then unchanged.
pub fn packages(
    packages: Packages<'_>,
    permissive: bool,
    target: &Target<'_>,
    options: &ChangeOptions,
) -> Result<Removal, RemoveError> {
    let failed = |error: rusqlite::Error| target.failed(options, &error);
    change::removing(target, options, |transaction| {
        refuse_name_bytes(transaction, target, options)?;
        // A package whose own row is missing still has channels and entries, which readers show.
        let known = names(
            transaction,
            "SELECT name FROM package UNION SELECT package_name FROM channel
             UNION SELECT package_name FROM channel_entry",
        )
        .map_err(failed)?;
        let (Packages::Only(named) | Packages::AllButNeeded(named, _)) = packages;
        let preferred = match packages {
            // A preference for a package that does not exist would have no effect.
            Packages::AllButNeeded(_, follow) => follow.preferences.named(),
            Packages::Only(_) => BTreeSet::new(),
        };
        let wanted: BTreeSet<&str> = named.iter().map(String::as_str).chain(preferred).collect();
        let missing = wanted.into_iter().filter(|name| !known.contains(*name));
        let missing: Vec<String> = missing.map(str::to_owned).collect();
        if !missing.is_empty() && !permissive {
            let index = target.origin().display().to_string();
            return Err(unknown(index, missing, &known));
        }
        let catalog = load::of_connection(transaction);
        let needed = match packages {
            Packages::AllButNeeded(named, follow) if *follow != Follow::default() => {
                let catalog = catalog.as_ref().map_err(|(_, error)| target.failed(options, error))?;
                closure::of_packages(catalog, named, follow)
            }
            Packages::AllButNeeded(named, _) => Closure {
                members: named.iter().map(|name| (name.clone(), Vec::new())).collect(),
                unsatisfied: Vec::new(),
            },
            Packages::Only(_) => Closure::default(),
        };
        let gone: BTreeSet<String> = match packages {
            Packages::Only(named) => known.intersection(named).cloned().collect(),
            Packages::AllButNeeded(..) => {
                let stays = |name: &&String| needed.members.contains_key(*name);
                known.iter().filter(|name| !stays(name)).cloned().collect()
            }
        };
        // Packages can be removed even from an index that cannot be loaded completely.
        let lost = catalog.map(|mut catalog| {
            remove_unlisted(&mut catalog);
            lost_without(&catalog, &gone)
        });
        let lost = lost.unwrap_or_default();
        let bundles = remove_packages(transaction, &gone).map_err(failed)?;
        let stranded = remove_stranded(transaction).map_err(failed)?;
        Ok(Removal {
            packages: gone.into_iter().collect(),
            bundles,
            stranded,
            missing,
            needed: needed.members,
            unsatisfied: needed.unsatisfied,
            lost,
        })
    })
}

/// Returns the requirements that remaining bundles have but no bundle satisfies once these packages are removed.
fn lost_without(catalog: &Catalog, gone: &BTreeSet<String>) -> Vec<Lost> {
    if gone.is_empty() {
        return Vec::new();
    }
    let packages = catalog.packages.iter().filter(|package| !gone.contains(&*package.name));
    let entries = packages
        .flat_map(|package| &package.channels)
        .flat_map(|channel| &channel.entries);
    let stay: BTreeSet<BundleId> = entries.map(|entry| entry.bundle).collect();
    closure::lost(catalog, |id| !stay.contains(&id))
}

/// Returns the requirements that no bundle satisfies anymore. Only the requirements of bundles in channels are
/// considered.
pub(super) fn lost_since(before: &Catalog, transaction: &Transaction<'_>) -> rusqlite::Result<Vec<Lost>> {
    let stay = names(transaction, "SELECT DISTINCT operatorbundle_name FROM channel_entry")?;
    Ok(closure::lost(before, |id| {
        !before.bundle(id).is_some_and(|bundle| stay.contains(&*bundle.name))
    }))
}

/// Returns an error if names are stored as bytes.
pub(super) fn refuse_name_bytes(
    transaction: &Transaction<'_>,
    target: &Target<'_>,
    options: &ChangeOptions,
) -> Result<(), RemoveError> {
    let found = name_bytes::first(transaction).map_err(|error| target.failed(options, &error))?;
    found.map_or(Ok(()), |place| {
        let index = target.origin().display().to_string();
        Err(RemoveError::NameBytes { index, place })
    })
}

/// Removes the bundles that are not in any channel, except deprecated bundles whose package is in the index.
///
/// # Errors
/// Returns an error if names are stored as bytes, or if the database cannot be changed. The database is then unchanged.
pub fn stranded(target: &Target<'_>, options: &ChangeOptions) -> Result<Removal, RemoveError> {
    let failed = |error: rusqlite::Error| target.failed(options, &error);
    change::removing(target, options, |transaction| {
        refuse_name_bytes(transaction, target, options)?;
        Ok(Removal {
            stranded: remove_stranded(transaction).map_err(failed)?,
            ..Removal::default()
        })
    })
}

fn unknown(index: String, packages: Vec<String>, known: &BTreeSet<String>) -> RemoveError {
    let nearest = packages
        .first()
        .and_then(|name| nearest(name, known.iter().map(String::as_str)));
    RemoveError::Unknown {
        index,
        nearest: nearest.map(str::to_owned),
        packages,
    }
}

/// Removes packages, and returns their bundles by name. A bundle that is also in another package stays.
pub(super) fn remove_packages(
    transaction: &Transaction<'_>,
    packages: &BTreeSet<String>,
) -> rusqlite::Result<Vec<String>> {
    let packages = json(packages);
    let gone = names_with(
        transaction,
        "SELECT operatorbundle_name FROM channel_entry
         WHERE package_name IN (SELECT value FROM json_each(?1)) AND operatorbundle_name NOT IN (
            SELECT operatorbundle_name FROM channel_entry
            WHERE package_name NOT IN (SELECT value FROM json_each(?1)) AND operatorbundle_name IS NOT NULL)",
        &packages,
    )?;
    for table in ["channel_entry", "channel"] {
        let sql = format!("DELETE FROM {table} WHERE package_name IN (SELECT value FROM json_each(?1))");
        transaction.execute(&sql, [&packages])?;
    }
    transaction.execute(
        "DELETE FROM package WHERE name IN (SELECT value FROM json_each(?1))",
        [&packages],
    )?;
    remove_bundles(transaction, &gone)
}

/// Removes the bundles of these packages that are not in any channel, and returns their names.
pub(super) fn remove_stranded_of(
    transaction: &Transaction<'_>,
    packages: &BTreeSet<String>,
) -> rusqlite::Result<Vec<String>> {
    let stranded = names_with(
        transaction,
        "SELECT name FROM operatorbundle
         WHERE name NOT IN (SELECT operatorbundle_name FROM channel_entry WHERE operatorbundle_name IS NOT NULL)
            AND name IN (SELECT operatorbundle_name FROM properties
                WHERE type = 'olm.package' AND json_valid(CAST(value AS TEXT))
                    AND json_extract(CAST(value AS TEXT), '$.packageName') IN (SELECT value FROM json_each(?1)))",
        &json(packages),
    )?;
    remove_bundles(transaction, &stranded)
}

/// Removes the bundles that are not in any channel, and returns their names. All names must be stored as text.
pub(crate) fn remove_stranded(transaction: &Transaction<'_>) -> rusqlite::Result<Vec<String>> {
    // A deprecated bundle does not have to be in a channel, but its package must exist.
    let stranded = names(
        transaction,
        "SELECT name FROM operatorbundle
         WHERE name NOT IN (SELECT operatorbundle_name FROM channel_entry WHERE operatorbundle_name IS NOT NULL)
            AND (name NOT IN (SELECT operatorbundle_name FROM deprecated WHERE operatorbundle_name IS NOT NULL)
                OR name IN (SELECT operatorbundle_name FROM properties
                    WHERE type = 'olm.package' AND json_valid(CAST(value AS TEXT))
                        AND json_extract(CAST(value AS TEXT), '$.packageName') NOT IN (SELECT name FROM package)))",
    )?;
    remove_bundles(transaction, &stranded)
}

/// Removes bundles and all rows that name them, except channel entries. Returns the bundles that were stored.
pub(super) fn remove_bundles(
    transaction: &Transaction<'_>,
    bundles: &BTreeSet<String>,
) -> rusqlite::Result<Vec<String>> {
    let list = json(bundles);
    let stored = names_with(
        transaction,
        "SELECT name FROM operatorbundle WHERE name IN (SELECT value FROM json_each(?1))",
        &list,
    )?;
    remove_small_rows(transaction, bundles)?;
    transaction.execute(
        "DELETE FROM operatorbundle WHERE name IN (SELECT value FROM json_each(?1))",
        [&list],
    )?;
    remove_orphan_apis(transaction)?;
    Ok(stored.into_iter().collect())
}

/// Removes the rows that name bundles from all tables except the bundle and channel tables.
pub(super) fn remove_small_rows(transaction: &Transaction<'_>, bundles: &BTreeSet<String>) -> rusqlite::Result<()> {
    let list = json(bundles);
    for table in [
        "related_image",
        "api_provider",
        "api_requirer",
        "dependencies",
        "properties",
        "deprecated",
    ] {
        let sql = format!("DELETE FROM {table} WHERE operatorbundle_name IN (SELECT value FROM json_each(?1))");
        transaction.execute(&sql, [&list])?;
    }
    Ok(())
}

/// Removes the APIs that no bundle provides or requires.
pub(super) fn remove_orphan_apis(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    transaction.execute(
        "DELETE FROM api WHERE (group_name, version, kind) NOT IN (
            SELECT group_name, version, kind FROM api_provider
            WHERE group_name IS NOT NULL AND version IS NOT NULL AND kind IS NOT NULL
            UNION ALL SELECT group_name, version, kind FROM api_requirer
            WHERE group_name IS NOT NULL AND version IS NOT NULL AND kind IS NOT NULL)",
        [],
    )?;
    Ok(())
}

fn names(transaction: &Transaction<'_>, sql: &str) -> rusqlite::Result<BTreeSet<String>> {
    let mut statement = transaction.prepare(sql)?;
    let names = statement.query_map([], |row| row.get::<_, Option<String>>(0))?;
    names.filter_map(Result::transpose).collect()
}

fn names_with(transaction: &Transaction<'_>, sql: &str, list: &str) -> rusqlite::Result<BTreeSet<String>> {
    let mut statement = transaction.prepare(sql)?;
    let names = statement.query_map([list], |row| row.get::<_, Option<String>>(0))?;
    names.filter_map(Result::transpose).collect()
}

pub(super) fn json(names: &BTreeSet<String>) -> String {
    names.iter().map(String::as_str).collect::<Value>().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::database::check::tests::database;
    use crate::database::deprecate::{self, DeprecateError};

    #[test]
    fn nothing_is_removed_while_names_are_stored_as_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let columns = [
            ("channel_entry", "operatorbundle_name"),
            ("operatorbundle", "name"),
            ("package", "name"),
        ];
        for (table, column) in columns {
            let path = database(
                folder.path(),
                &format!("UPDATE {table} SET {column} = CAST({column} AS BLOB)"),
            );
            let before = std::fs::read(&path).unwrap();
            let target = Target::InPlace(&path);
            let named = BTreeSet::from(["k".to_owned()]);
            let options = ChangeOptions::default();
            let of_packages = packages(
                Packages::AllButNeeded(&named, &Follow::default()),
                true,
                &target,
                &options,
            )
            .map(drop);
            let bundles = BTreeSet::from(["k.v1".to_owned()]);
            let request = deprecate::Request {
                bundles: &bundles,
                permissive: true,
                allow_package_removal: true,
            };
            let truncated = match deprecate::truncate(request, &target, &options) {
                Err(DeprecateError::Remove(error)) => Err(error),
                other => panic!("{other:?}"),
            };
            for result in [of_packages, stranded(&target, &options).map(drop), truncated] {
                let Err(RemoveError::NameBytes { place, .. }) = result else {
                    panic!("{result:?}");
                };
                assert_eq!(place, NameColumn { table, column });
            }
            assert!(std::fs::read(&path).unwrap() == before, "{table}");
        }
    }
}
