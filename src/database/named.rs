//! Looks up bundles of an index by name, or by the image that the index stores.

use crate::shape::nearest;
use rusqlite::{Connection, OptionalExtension};
use std::collections::BTreeSet;

/// Names that match no bundle of the index.
#[derive(Debug, thiserror::Error)]
#[error(
    "{index} has no bundle with the name or image {}{}",
    bundles.join(", "),
    nearest.as_ref().map_or(String::new(), |nearest| format!("; did you mean {nearest}?"))
)]
pub struct UnknownBundles {
    /// The index, as the user named it.
    pub index: String,
    /// The unknown names.
    pub bundles: Vec<String>,
    /// The name or image most similar to the first unknown name.
    pub nearest: Option<String>,
}

/// A bundle specified by the user.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct NamedBundle {
    pub(super) name: String,
    /// The package, if the bundle is in a channel.
    pub(super) package: Option<String>,
}

/// The bundles that were found, and the names that match no bundle.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) bundles: BTreeSet<NamedBundle>,
    pub(super) missing: Vec<String>,
}

/// Looks up bundles. A string that matches a bundle name is not compared with images.
pub(super) fn find(connection: &Connection, named: &BTreeSet<String>) -> rusqlite::Result<Found> {
    let mut by_name = connection.prepare("SELECT name FROM operatorbundle WHERE name = ?1")?;
    let mut by_image = connection.prepare("SELECT name FROM operatorbundle WHERE bundlepath = ?1 ORDER BY name")?;
    let mut package = connection.prepare(
        "SELECT package_name FROM channel_entry WHERE operatorbundle_name = ?1 ORDER BY package_name LIMIT 1",
    )?;
    let mut found = Found::default();
    for text in named {
        let mut names: Vec<String> = by_name.query_map([text], |row| row.get(0))?.collect::<Result<_, _>>()?;
        if names.is_empty() {
            names = by_image
                .query_map([text], |row| row.get(0))?
                .collect::<Result<_, _>>()?;
        }
        if names.is_empty() {
            found.missing.push(text.clone());
        }
        for name in names {
            let package: Option<Option<String>> = package.query_row([&name], |row| row.get(0)).optional()?;
            let package = package.flatten();
            found.bundles.insert(NamedBundle { name, package });
        }
    }
    Ok(found)
}

/// Returns the error for names that match no bundle of `index`.
pub(super) fn unknown(
    connection: &Connection,
    index: String,
    bundles: Vec<String>,
) -> rusqlite::Result<UnknownBundles> {
    let mut all = connection.prepare("SELECT name, nullif(bundlepath, '') FROM operatorbundle ORDER BY name")?;
    let mut known: Vec<String> = Vec::new();
    let mut rows = all.query([])?;
    while let Some(row) = rows.next()? {
        known.extend(row.get::<_, Option<String>>(0)?);
        known.extend(row.get::<_, Option<String>>(1)?);
    }
    let first = bundles.first().map(String::as_str).unwrap_or_default();
    let nearest = nearest(first, known.iter().map(String::as_str)).map(str::to_owned);
    Ok(UnknownBundles {
        index,
        bundles,
        nearest,
    })
}
