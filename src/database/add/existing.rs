//! Bundles of a call that the index holds already.

use super::stored::Stored;
use super::{AddError, Addition, Existing, Policy};
use crate::catalog::graph::Mode;
use crate::database::error::DatabaseError;
use crate::database::remove;
use crate::database::spool::Spool;
use rusqlite::types::ValueRef;
use rusqlite::{OptionalExtension, Transaction};
use std::collections::BTreeSet;

/// Leaves out the bundles that are in the index as they are, and returns their names. Manifests that the index has left
/// to the image count as the same, if the image is.
pub(super) fn leave_out(
    transaction: &Transaction<'_>,
    bundles: &mut Vec<Addition>,
    spool: &mut Spool,
    failed: impl Fn(rusqlite::Error) -> DatabaseError,
) -> Result<Vec<String>, AddError> {
    let mut same = BTreeSet::new();
    let mut manifests = Vec::new();
    for bundle in bundles.iter() {
        spool.read(bundle.manifests, &mut manifests)?;
        if is_the_same(transaction, bundle, &manifests).map_err(&failed)? {
            same.insert(bundle.name.clone());
        }
    }
    bundles.retain(|bundle| !same.contains(&bundle.name));
    Ok(same.into_iter().collect())
}

fn is_the_same(transaction: &Transaction<'_>, bundle: &Addition, manifests: &[u8]) -> rusqlite::Result<bool> {
    let mut statement = transaction.prepare("SELECT bundlepath, csv, bundle FROM operatorbundle WHERE name = ?1")?;
    let same = statement.query_row([&bundle.name], |row| {
        let path = row.get::<_, Option<String>>(0)?.unwrap_or_default();
        let part = |range: &std::ops::Range<usize>| manifests.get(range.clone()).unwrap_or_default();
        let as_stored = |stored: ValueRef<'_>, given: &[u8]| match stored {
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => bytes == given,
            _ => !path.is_empty(),
        };
        let csv = as_stored(row.get_ref(1)?, part(&bundle.csv));
        Ok(path == bundle.bundle_path && csv && as_stored(row.get_ref(2)?, part(&bundle.bundle)))
    });
    Ok(same.optional()?.unwrap_or(false))
}

/// The bundles of the index that bundles of the call are to take the place of.
pub(super) fn overwritten(bundles: &[Addition], stored: &Stored, policy: Policy) -> BTreeSet<String> {
    if policy.existing != Existing::Overwrite || policy.mode != Mode::Replaces {
        return BTreeSet::new();
    }
    let names = bundles.iter().map(|bundle| &bundle.name);
    names.filter(|name| stored.present.contains(*name)).cloned().collect()
}

/// Takes away what belongs to bundles that others take the place of; their own rows are written over.
pub(super) fn clear(transaction: &Transaction<'_>, overwritten: &BTreeSet<String>) -> rusqlite::Result<()> {
    if overwritten.is_empty() {
        return Ok(());
    }
    remove::remove_small_rows(transaction, overwritten)?;
    remove::remove_orphan_apis(transaction)
}
