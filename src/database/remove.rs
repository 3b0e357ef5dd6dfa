//! Taking packages out of an index, and bundles that no channel has.
//!
//! With a bundle go all rows that belong to it, also those of bundles without a version or image, which the schema
//! itself does not tie to their bundle. An API stays as long as any bundle provides or requires it.

use super::change::{self, ChangeOptions, Target};
use super::error::DatabaseError;
use super::load;
use crate::catalog::{BundleId, Catalog};
use crate::resolver::closure::{self, Closure, Follow, Lost, Reason, Unsatisfied};
use crate::shape::nearest;
use rusqlite::Transaction;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// What was taken out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Removal {
    /// The packages, by name.
    pub packages: Vec<String>,
    /// Their bundles, by name.
    pub bundles: Vec<String>,
    /// Bundles of no channel, by name.
    pub stranded: Vec<String>,
    /// Packages that were to go and are not there.
    pub missing: Vec<String>,
    /// The packages that stay because they are named or needed, with [`Packages::AllButNeeded`], each with the reasons.
    pub needed: BTreeMap<String, Vec<Reason>>,
    /// What is needed there and is not in the index.
    pub unsatisfied: Vec<Unsatisfied>,
    /// What bundles that stay require and nothing provides any more.
    pub lost: Vec<Lost>,
}

/// Which packages go.
#[derive(Debug, Clone, Copy)]
pub enum Packages<'a> {
    /// These.
    Only(&'a BTreeSet<String>),
    /// All but these.
    AllBut(&'a BTreeSet<String>),
    /// All but these and those that they could need.
    AllButNeeded(&'a BTreeSet<String>, &'a Follow),
}

/// Why nothing was taken out.
#[derive(Debug, thiserror::Error)]
pub enum RemoveError {
    /// Packages that the index does not have.
    #[error(
        "{index} has no package {}{}",
        packages.join(", "),
        nearest.as_ref().map_or(String::new(), |nearest| format!("; did you mean {nearest}?"))
    )]
    Unknown {
        /// The index, as the user named it.
        index: String,
        /// The names.
        packages: Vec<String>,
        /// The name that is most like the first of them.
        nearest: Option<String>,
    },
    /// The database cannot be read or written.
    #[error(transparent)]
    Database(#[from] DatabaseError),
}

/// Takes packages out of an index, with all of their bundles and with those of no channel, in one transaction.
///
/// # Errors
/// When a package that is named is not there, unless `permissive`, or the database cannot be changed. Then it is as it
/// was.
pub fn packages(
    packages: Packages<'_>,
    permissive: bool,
    target: &Target<'_>,
    options: &ChangeOptions,
) -> Result<Removal, RemoveError> {
    let failed = |error: rusqlite::Error| target.failed(options, &error);
    change::removing(target, options, |transaction| {
        let known = names(transaction, "SELECT name FROM package").map_err(failed)?;
        let (Packages::Only(named) | Packages::AllBut(named) | Packages::AllButNeeded(named, _)) = packages;
        let missing: Vec<String> = named.difference(&known).cloned().collect();
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
            Packages::Only(_) | Packages::AllBut(_) => Closure::default(),
        };
        let gone: BTreeSet<String> = match packages {
            Packages::Only(named) => known.intersection(named).cloned().collect(),
            Packages::AllBut(named) => known.difference(named).cloned().collect(),
            Packages::AllButNeeded(..) => {
                let stays = |name: &&String| needed.members.contains_key(*name);
                known.iter().filter(|name| !stays(name)).cloned().collect()
            }
        };
        // What cannot be read of an index is no reason to leave it all there.
        let lost = catalog.map(|catalog| lost_without(&catalog, &gone)).unwrap_or_default();
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

/// What bundles that stay require, and nothing provides without these packages.
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

/// What bundles that are still in a channel require, and nothing provides any more.
pub(super) fn lost_since(before: &Catalog, transaction: &Transaction<'_>) -> rusqlite::Result<Vec<Lost>> {
    let stay = names(transaction, "SELECT DISTINCT operatorbundle_name FROM channel_entry")?;
    Ok(closure::lost(before, |id| {
        !before.bundle(id).is_some_and(|bundle| stay.contains(&*bundle.name))
    }))
}

/// Takes the bundles out that no channel has, but for deprecated ones of a package that is there.
///
/// # Errors
/// When the database cannot be changed. Then it is as it was.
pub fn stranded(target: &Target<'_>, options: &ChangeOptions) -> Result<Removal, RemoveError> {
    let failed = |error: rusqlite::Error| target.failed(options, &error);
    change::removing(target, options, |transaction| {
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

/// Takes packages out; their bundles, by name. A bundle that another package has, too, stays.
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

/// Takes bundles out that no channel has; their names.
pub(crate) fn remove_stranded(transaction: &Transaction<'_>) -> rusqlite::Result<Vec<String>> {
    // A deprecated bundle may stand outside of the graph, but not without its package.
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

/// Takes bundles out with all rows that name them, but not the entries of channels; those of them that were stored.
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

/// Takes the rows away that name bundles, in all tables but those of the bundles themselves and of channels.
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

/// Takes the APIs away that no bundle provides or requires.
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
