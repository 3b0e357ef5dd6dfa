//! Truncates the channels of a package below a bundle.
//!
//! The bundle stays, marked as deprecated, at the end of its channels. The bundles below it are removed, unless a
//! remaining bundle still leads to them or another channel contains them. Several bundles are processed from the bottom
//! up: of two bundles in one chain, the upper one stays, regardless of the order in which they are specified.

use super::change::{self, ChangeOptions, Target};
use super::error::DatabaseError;
use super::listed::remove_unlisted;
use super::load;
use super::named::{self, NamedBundle, UnknownBundles};
use super::remove::{self, Removal, RemoveError};
use rusqlite::{OptionalExtension, Transaction};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The bundles to deprecate, and the options for deprecating them.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The bundles, each identified by its name or by its image as stored in the index.
    pub bundles: &'a BTreeSet<String>,
    /// Whether to skip bundles that are not in the index.
    pub permissive: bool,
    /// Whether to remove a package if the heads of all of its channels are among the bundles.
    pub allow_package_removal: bool,
}

/// The result of a truncation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Truncation {
    /// Bundles that are now deprecated, by name.
    pub deprecated: Vec<String>,
    /// Channels that were removed because their head is deprecated, as pairs of package and channel.
    pub channels: Vec<(String, String)>,
    /// The bundles and packages that were removed completely.
    pub removal: Removal,
}

/// An error that prevents a truncation.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DeprecateError {
    /// The index does not contain these bundles.
    #[error(transparent)]
    Unknown(#[from] UnknownBundles),
    /// The bundle is not in any channel, so no bundle is below it.
    #[error("bundle {bundle} is not in any channel, so there is nothing below it")]
    NoChannel {
        /// The bundle.
        bundle: String,
    },
    /// A package cannot lose its default channel.
    #[error(
        "bundle {bundle} cannot be deprecated because it is at or above the head {head} of channel {channel}, the \
        default channel of package {package}; add a newer bundle to that channel first, or make another channel \
        the default"
    )]
    DefaultChannel {
        /// The bundle.
        bundle: String,
        /// The head of the default channel.
        head: String,
        /// The default channel.
        channel: String,
        /// The package.
        package: String,
    },
    /// A package can be removed only if the heads of all of its channels are among the bundles.
    #[error(
        "package {package} can be removed only if the heads of all of its channels are specified; missing: {}",
        missing.iter().map(|(channel, head)| format!("{head} (head of {channel})")).collect::<Vec<_>>().join(", ")
    )]
    PackageHeads {
        /// The package.
        package: String,
        /// The channels whose heads are not among the bundles, together with these heads.
        missing: Vec<(String, String)>,
    },
    /// Nothing can be removed from the index.
    #[error(transparent)]
    Remove(#[from] RemoveError),
    /// The database cannot be read or written.
    #[error(transparent)]
    Database(#[from] DatabaseError),
}

/// Deprecates bundles and removes the bundles below them, in one transaction.
///
/// # Errors
/// Returns an error if names are stored as bytes, if a bundle is unknown or in no channel, if a package would lose its
/// default channel, or if the database cannot be changed. The database is then unchanged.
pub fn truncate(
    request: Request<'_>,
    target: &Target<'_>,
    options: &ChangeOptions,
) -> Result<Truncation, DeprecateError> {
    let failed = |error: rusqlite::Error| target.failed(options, &error);
    change::removing(target, options, |transaction| {
        remove::refuse_name_bytes(transaction, target, options)?;
        let found = named::find(transaction, request.bundles).map_err(failed)?;
        if !found.missing.is_empty() && !request.permissive {
            let index = target.origin().display().to_string();
            return Err(named::unknown(transaction, index, found.missing)
                .map_err(failed)?
                .into());
        }
        let mut truncation = Truncation::default();
        truncation.removal.missing = found.missing;
        let before = load::of_connection(transaction);
        let mut packages: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for NamedBundle { name, package } in found.bundles {
            let package = package.ok_or_else(|| DeprecateError::NoChannel { bundle: name.clone() })?;
            packages.entry(package).or_default().insert(name);
        }
        for (name, bundles) in packages {
            let package = Package::read(transaction, name).map_err(failed)?;
            cut(
                transaction,
                package,
                &bundles,
                request.allow_package_removal,
                &mut truncation,
                failed,
            )?;
        }
        // An index that cannot be loaded completely can still be truncated.
        if let Ok(mut before) = before {
            remove_unlisted(&mut before);
            truncation.removal.lost = remove::lost_since(&before, transaction).map_err(failed)?;
        }
        Ok(truncation)
    })
}

/// A package as stored in the index.
#[derive(Debug)]
struct Package {
    name: String,
    default_channel: Option<String>,
    /// The head of each channel.
    heads: BTreeMap<String, String>,
    /// The entries of the channels, by number.
    entries: BTreeMap<i64, EntryRow>,
    /// The numbers of the entries of each bundle, including entries that have been removed from `entries`.
    numbers: HashMap<String, Vec<i64>>,
}

#[derive(Debug)]
struct EntryRow {
    channel: String,
    bundle: String,
    replaces: Option<i64>,
}

impl Package {
    fn read(transaction: &Transaction<'_>, name: String) -> rusqlite::Result<Self> {
        let default = transaction.query_row("SELECT default_channel FROM package WHERE name = ?1", [&name], |row| {
            row.get(0)
        });
        let mut heads = transaction.prepare(
            "SELECT name, head_operatorbundle_name FROM channel
             WHERE package_name = ?1 AND name IS NOT NULL AND head_operatorbundle_name IS NOT NULL",
        )?;
        let mut entries = transaction.prepare(
            "SELECT entry_id, channel_name, operatorbundle_name, replaces FROM channel_entry
             WHERE package_name = ?1 AND channel_name IS NOT NULL AND operatorbundle_name IS NOT NULL",
        )?;
        let entry = |row: &rusqlite::Row<'_>| {
            Ok((
                row.get(0)?,
                EntryRow {
                    channel: row.get(1)?,
                    bundle: row.get(2)?,
                    replaces: row.get(3)?,
                },
            ))
        };
        let entries: BTreeMap<i64, EntryRow> = entries.query_map([&name], entry)?.collect::<Result<_, _>>()?;
        let mut numbers: HashMap<String, Vec<i64>> = HashMap::new();
        for (number, entry) in &entries {
            numbers.entry(entry.bundle.clone()).or_default().push(*number);
        }
        Ok(Self {
            default_channel: default.optional()?.flatten(),
            heads: heads
                .query_map([&name], |row| Ok((row.get(0)?, row.get(1)?)))?
                .collect::<Result<_, _>>()?,
            entries,
            numbers,
            name,
        })
    }

    /// Returns the bundles that can be reached from `bundle` in at least one channel, except `bundle` itself.
    fn below(&self, bundle: &str) -> BTreeSet<String> {
        let mut seen = BTreeSet::new();
        let mut next: Vec<i64> = self.entries_of(bundle).collect();
        let mut below = BTreeSet::new();
        while let Some(number) = next.pop() {
            let Some(entry) = self.entries.get(&number).filter(|_| seen.insert(number)) else {
                continue;
            };
            // One entry of a bundle leads to the bundle that it replaces; the other entries lead to the bundles that it
            // skips.
            if entry.bundle != bundle && below.insert(entry.bundle.clone()) {
                next.extend(self.entries_of(&entry.bundle));
            }
            next.extend(entry.replaces);
        }
        below
    }

    fn entries_of(&self, bundle: &str) -> impl Iterator<Item = i64> {
        let numbers = self.numbers.get(bundle).into_iter().flatten().copied();
        numbers.filter(|number| self.entries.contains_key(number))
    }
}

fn cut(
    transaction: &Transaction<'_>,
    mut package: Package,
    bundles: &BTreeSet<String>,
    allow_package_removal: bool,
    truncation: &mut Truncation,
    failed: impl Fn(rusqlite::Error) -> DatabaseError,
) -> Result<(), DeprecateError> {
    if let Some(channel) = &package.default_channel
        && let Some(head) = package.heads.get(channel)
        && let Some(bundle) = bundles
            .iter()
            .find(|bundle| *bundle == head || package.below(bundle).contains(head))
    {
        if !(allow_package_removal && bundles.contains(head)) {
            return Err(DeprecateError::DefaultChannel {
                bundle: bundle.clone(),
                head: head.clone(),
                channel: channel.clone(),
                package: package.name,
            });
        }
        let missing = package.heads.iter().filter(|(_, head)| !bundles.contains(*head));
        let missing: Vec<_> = missing.map(|(channel, head)| (channel.clone(), head.clone())).collect();
        if !missing.is_empty() {
            return Err(DeprecateError::PackageHeads {
                package: package.name,
                missing,
            });
        }
        let gone = BTreeSet::from([package.name]);
        let removed = remove::remove_packages(transaction, &gone).map_err(&failed)?;
        truncation.removal.bundles.extend(removed);
        // Deprecated bundles of the package may be in no channel.
        let stranded = remove::remove_stranded_of(transaction, &gone).map_err(failed)?;
        truncation.removal.stranded.extend(stranded);
        truncation.removal.packages.extend(gone);
        return Ok(());
    }
    // Bundles are processed from the bottom up, so that the removed bundles include bundles deprecated further down.
    let mut order: Vec<(usize, &String)> = bundles
        .iter()
        .map(|bundle| (package.below(bundle).len(), bundle))
        .collect();
    order.sort_unstable();
    let (mut deleted, mut unlinked, mut gone) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for (_, bundle) in order {
        let below = package.below(bundle);
        let channels: BTreeSet<String> = package
            .entries_of(bundle)
            .filter_map(|number| Some(package.entries.get(&number)?.channel.clone()))
            .collect();
        let held: BTreeSet<String> = held(&package, bundle, &below);
        let headed = |channel: &String| package.heads.get(channel) == Some(bundle);
        let ended: BTreeSet<String> = channels.iter().filter(|channel| headed(channel)).cloned().collect();
        let cut = package.entries.iter().filter(|(_, entry)| {
            ended.contains(&entry.channel) || below.contains(&entry.bundle) && channels.contains(&entry.channel)
        });
        let cut: BTreeSet<i64> = cut.map(|(number, _)| *number).collect();
        package.entries.retain(|number, _| !cut.contains(number));
        for (number, entry) in &mut package.entries {
            let loose = entry.bundle == *bundle || entry.replaces.is_some_and(|below| cut.contains(&below));
            if loose && entry.replaces.take().is_some() {
                unlinked.insert(*number);
            }
        }
        deleted.extend(cut);
        for channel in ended {
            package.heads.remove(&channel);
            truncation.channels.push((package.name.clone(), channel));
        }
        let stays = |name: &String| held.contains(name) || package.entries_of(name).next().is_some();
        gone.extend(below.into_iter().filter(|name| !stays(name)));
    }
    let kept: Vec<String> = bundles.difference(&gone).cloned().collect();
    write(transaction, &package, &deleted, &unlinked, &kept).map_err(&failed)?;
    truncation
        .removal
        .bundles
        .extend(remove::remove_bundles(transaction, &gone).map_err(failed)?);
    truncation.deprecated.extend(kept);
    Ok(())
}

/// Returns the targets of all entries that belong neither to `bundle` nor to a bundle below it.
fn held(package: &Package, bundle: &str, below: &BTreeSet<String>) -> BTreeSet<String> {
    let outside = package
        .entries
        .values()
        .filter(|entry| entry.bundle != bundle && !below.contains(&entry.bundle));
    let targets = outside.filter_map(|entry| package.entries.get(&entry.replaces?));
    targets.map(|target| target.bundle.clone()).collect()
}

fn write(
    transaction: &Transaction<'_>,
    package: &Package,
    deleted: &BTreeSet<i64>,
    unlinked: &BTreeSet<i64>,
    deprecated: &[String],
) -> rusqlite::Result<()> {
    let mut delete = transaction.prepare("DELETE FROM channel_entry WHERE entry_id = ?1")?;
    for number in deleted {
        delete.execute([number])?;
    }
    let mut unlink = transaction.prepare("UPDATE channel_entry SET replaces = NULL WHERE entry_id = ?1")?;
    for number in unlinked.difference(deleted) {
        unlink.execute([number])?;
    }
    let heads: BTreeSet<String> = package.heads.keys().cloned().collect();
    transaction.execute(
        "DELETE FROM channel WHERE package_name = ?1 AND name NOT IN (SELECT value FROM json_each(?2))",
        (&package.name, remove::json(&heads)),
    )?;
    let mut mark = transaction.prepare("INSERT OR IGNORE INTO deprecated (operatorbundle_name) VALUES (?1)")?;
    let mut property = transaction.prepare(
        "INSERT INTO properties
            (type, value, operatorbundle_name, operatorbundle_version, operatorbundle_path)
         SELECT 'olm.deprecated', '{}', name, nullif(version, ''), nullif(bundlepath, '') FROM operatorbundle
         WHERE name = ?1 AND name NOT IN (
            SELECT operatorbundle_name FROM properties WHERE type = 'olm.deprecated' AND operatorbundle_name IS NOT NULL)",
    )?;
    for bundle in deprecated {
        mark.execute([bundle])?;
        property.execute([bundle])?;
    }
    Ok(())
}
