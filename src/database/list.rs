//! The contents of an index, row by row: names and edges, to print as tables or to pass to other programs.
//!
//! A listing returns its rows while it reads them, so that a large index is never completely in memory. Rows have a
//! fixed order: by package and channel name, and within a channel from the head downwards. Callers that read all rows
//! call `Database::check_unchanged` afterwards.

use super::edges::{ChannelMembers, ChannelQuery, Channels, Member};
use super::read::{Database, ReadError, text};
use crate::catalog::manifests::display_name;
use crate::catalog::order::{Standing, from_head};
use crate::olm::property;
use crate::shape::nearest;
use rusqlite::{OptionalExtension, Row, Rows, Statement};
use serde::Serialize;
use std::collections::HashMap;

/// A package.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PackageRow {
    /// The package.
    pub name: String,
    /// The display name from the head of the default channel.
    pub display_name: Option<String>,
    /// The default channel.
    pub default_channel: Option<String>,
}

/// A channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ChannelRow {
    /// The package.
    pub package: String,
    /// The channel.
    pub channel: String,
    /// The head of the channel.
    pub head: Option<String>,
}

/// A bundle in a channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BundleRow {
    /// The package.
    pub package: String,
    /// The channel.
    pub channel: String,
    /// The bundle.
    pub bundle: String,
    /// The version of the bundle.
    pub version: Option<String>,
    /// The bundle that this bundle replaces in the channel.
    pub replaces: Option<String>,
    /// The bundles that this bundle skips in the channel.
    pub skips: Vec<String>,
    /// The range of versions that this bundle skips.
    pub skip_range: Option<String>,
    /// The bundle image; absent if the manifests are part of the index.
    pub image: Option<String>,
    /// The media type of the bundle: `registry+v1` or `k8s+v1`.
    pub media_type: String,
}

/// The packages, sorted by name.
#[derive(Debug)]
pub struct Packages<'index> {
    index: &'index Database,
    statement: Statement<'index>,
}

/// The channels, sorted by package and name.
#[derive(Debug)]
pub struct ChannelList<'index> {
    index: &'index Database,
    statement: Statement<'index>,
    package: Option<String>,
}

/// The bundles of all channels, sorted by package and channel, and within a channel from the head downwards.
#[derive(Debug)]
pub struct Bundles<'index> {
    index: &'index Database,
    channels: ChannelQuery<'index>,
    details: Statement<'index>,
    media_types: HashMap<String, String>,
}

/// Lists the packages.
///
/// # Errors
/// Returns an error if the database is damaged.
pub fn packages(index: &Database) -> Result<Packages<'_>, ReadError> {
    let statement = index.connection().prepare(
        "SELECT package.name, package.default_channel, operatorbundle.csv FROM package
        LEFT JOIN channel ON channel.package_name = package.name AND channel.name = package.default_channel
        LEFT JOIN operatorbundle ON operatorbundle.name = channel.head_operatorbundle_name
        WHERE package.name IS NOT NULL ORDER BY package.name",
    );
    Ok(Packages {
        index,
        statement: statement.map_err(|error| index.content_error("the packages", error))?,
    })
}

/// Looks up a package. If the index does not contain the package, the inner error is the most similar name.
///
/// # Errors
/// Returns an error if the database is damaged.
pub(crate) fn find_package(index: &Database, package: &str) -> Result<Result<(), Option<String>>, ReadError> {
    let mut known = Vec::new();
    for row in packages(index)?.rows()? {
        let name = row?.name;
        if name == package {
            return Ok(Ok(()));
        }
        known.push(name);
    }
    let nearest = nearest(package, known.iter().map(String::as_str));
    Ok(Err(nearest.map(str::to_owned)))
}

/// Lists the channels of all packages or of one package.
///
/// # Errors
/// Returns an error if the database is damaged.
pub fn channels<'index>(index: &'index Database, package: Option<&str>) -> Result<ChannelList<'index>, ReadError> {
    let statement = index.connection().prepare(
        "SELECT package_name, name, head_operatorbundle_name FROM channel
        WHERE package_name = coalesce(?1, package_name) AND name IS NOT NULL ORDER BY package_name, name",
    );
    Ok(ChannelList {
        index,
        statement: statement.map_err(|error| index.content_error("the channels", error))?,
        package: package.map(ToOwned::to_owned),
    })
}

/// Lists the bundles of all packages or of one package: one row for each channel that a bundle is in.
///
/// # Errors
/// Returns an error if the database is damaged.
pub fn bundles<'index>(index: &'index Database, package: Option<&str>) -> Result<Bundles<'index>, ReadError> {
    let prepared = || -> rusqlite::Result<Bundles<'index>> {
        Ok(Bundles {
            index,
            channels: ChannelQuery::new(index.connection(), package)?,
            details: index
                .connection()
                .prepare("SELECT version, bundlepath, skiprange FROM operatorbundle WHERE name = ?1")?,
            media_types: media_types(index)?,
        })
    };
    prepared().map_err(|error| index.content_error("the bundles", error))
}

impl Packages<'_> {
    /// Starts reading.
    ///
    /// # Errors
    /// Returns an error if the database is damaged.
    pub fn rows(&mut self) -> Result<impl Iterator<Item = Result<PackageRow, ReadError>> + '_, ReadError> {
        let index = self.index;
        let failed = move |error| index.content_error("the packages", error);
        let rows = self.statement.query([]).map_err(failed)?;
        Ok(each(rows, |row| {
            Ok(PackageRow {
                name: text(row, 0)?.unwrap_or_default().to_owned(),
                default_channel: text(row, 1)?.map(ToOwned::to_owned),
                display_name: text(row, 2)?.and_then(display_name),
            })
        })
        .map(move |row| row.map_err(failed)))
    }
}

impl ChannelList<'_> {
    /// Starts reading.
    ///
    /// # Errors
    /// Returns an error if the database is damaged.
    pub fn rows(&mut self) -> Result<impl Iterator<Item = Result<ChannelRow, ReadError>> + '_, ReadError> {
        let index = self.index;
        let failed = move |error| index.content_error("the channels", error);
        let rows = self.statement.query([&self.package]).map_err(failed)?;
        Ok(each(rows, |row| {
            Ok(ChannelRow {
                package: text(row, 0)?.unwrap_or_default().to_owned(),
                channel: text(row, 1)?.unwrap_or_default().to_owned(),
                head: text(row, 2)?.map(ToOwned::to_owned),
            })
        })
        .map(move |row| row.map_err(failed)))
    }
}

impl Bundles<'_> {
    /// Starts reading.
    ///
    /// # Errors
    /// Returns an error if the database is damaged.
    pub fn rows(&mut self) -> Result<impl Iterator<Item = Result<BundleRow, ReadError>> + '_, ReadError> {
        let index = self.index;
        let failed = move |error| index.content_error("the bundles", error);
        let mut rows = BundleRows {
            channels: self.channels.channels().map_err(failed)?,
            details: &mut self.details,
            media_types: &self.media_types,
            current: None,
            known: HashMap::new(),
        };
        Ok(std::iter::from_fn(move || rows.advance().transpose()).map(move |row| row.map_err(failed)))
    }
}

struct BundleRows<'list, 'index> {
    channels: Channels<'list>,
    details: &'list mut Statement<'index>,
    media_types: &'list HashMap<String, String>,
    /// The package, the channel, and the remaining bundles of the channel, from the last bundle upwards.
    current: Option<(String, String, Vec<Listed>)>,
    /// The details already read for bundles of the current package: most bundles are in several of its channels, and
    /// reading the details is expensive.
    known: HashMap<String, Option<Details>>,
}

/// A bundle that is in a channel and in the index.
type Listed = (Member, Details);

#[derive(Debug, Clone)]
struct Details {
    version: Option<String>,
    image: Option<String>,
    skip_range: Option<String>,
}

impl BundleRows<'_, '_> {
    fn advance(&mut self) -> rusqlite::Result<Option<BundleRow>> {
        loop {
            if let Some((package, channel, bundles)) = &mut self.current
                && let Some((member, details)) = bundles.pop()
            {
                return Ok(Some(BundleRow {
                    package: package.clone(),
                    channel: channel.clone(),
                    media_type: match self.media_types.get(&member.bundle) {
                        Some(media_type) => media_type.clone(),
                        None => property::REGISTRY_V1.to_owned(),
                    },
                    bundle: member.bundle,
                    version: details.version,
                    replaces: member.replaces,
                    skips: member.skips,
                    skip_range: details.skip_range,
                    image: details.image,
                }));
            }
            let Some(channel) = self.channels.next().transpose()? else {
                return Ok(None);
            };
            if self
                .current
                .as_ref()
                .is_none_or(|(package, ..)| *package != channel.package)
            {
                self.known.clear();
            }
            let ChannelMembers {
                package,
                channel,
                members,
            } = channel;
            self.current = Some((package, channel, self.in_order(members)?));
        }
    }

    /// Returns the bundles of a channel that are in the index, from the last bundle upwards.
    fn in_order(&mut self, members: Vec<Member>) -> rusqlite::Result<Vec<Listed>> {
        let mut bundles = Vec::with_capacity(members.len());
        for member in members {
            // A name that is only skipped does not have to be in the index.
            if let Some(details) = self.details(&member.bundle)? {
                bundles.push((member, details));
            }
        }
        let standings: Vec<Standing<'_>> = bundles
            .iter()
            .map(|(member, details)| Standing {
                name: &member.bundle,
                version: details.version.as_deref(),
                older: member
                    .replaces
                    .iter()
                    .chain(&member.skips)
                    .map(|name| &**name)
                    .collect(),
            })
            .collect();
        let places = from_head(&standings).into_iter().rev();
        Ok(places.filter_map(|place| bundles.get(place).cloned()).collect())
    }

    fn details(&mut self, bundle: &str) -> rusqlite::Result<Option<Details>> {
        if let Some(known) = self.known.get(bundle) {
            return Ok(known.clone());
        }
        let details = self.details.query_row([bundle], |row| {
            let field = |column| {
                let text = text(row, column)?.filter(|text| !text.is_empty());
                Ok::<_, rusqlite::Error>(text.map(ToOwned::to_owned))
            };
            Ok(Details {
                version: field(0)?,
                image: field(1)?,
                skip_range: field(2)?,
            })
        });
        let details = details.optional()?;
        self.known.insert(bundle.to_owned(), details.clone());
        Ok(details)
    }
}

/// Returns the media types of the bundles that declare one.
fn media_types(index: &Database) -> rusqlite::Result<HashMap<String, String>> {
    let mut query = index
        .connection()
        .prepare("SELECT operatorbundle_name, value FROM properties WHERE type = ?1")?;
    let mut rows = query.query([property::MEDIA_TYPE])?;
    let mut media_types = HashMap::new();
    while let Some(row) = rows.next()? {
        if let (Some(name), Some(value)) = (text(row, 0)?, text(row, 1)?)
            && let Ok(media_type) = serde_json::from_str(value)
        {
            media_types.insert(name.to_owned(), media_type);
        }
    }
    Ok(media_types)
}

/// Returns the rows of a query, each converted by `read`, up to the first unreadable row.
fn each<T>(
    mut rows: Rows<'_>,
    mut read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> impl Iterator<Item = rusqlite::Result<T>> {
    let mut failed = false;
    std::iter::from_fn(move || {
        if failed {
            return None;
        }
        let row = rows.next().and_then(|row| row.map(&mut read).transpose()).transpose();
        failed = matches!(row, Some(Err(_)));
        row
    })
}

#[cfg(test)]
mod tests;
