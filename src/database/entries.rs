//! Queries for single edges of the update graph: the bundles that replace a bundle, and the entries that provide an
//! API.

use super::read::{Database, ReadError, text};
use crate::kubernetes::GroupVersionKind;
use rusqlite::Params;

/// One edge of a channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Edge {
    /// The package.
    pub package: String,
    /// The channel.
    pub channel: String,
    /// The bundle.
    pub bundle: String,
    /// The bundle that this edge replaces or skips.
    pub replaces: Option<String>,
}

impl Database {
    /// Returns all entries that replace or skip the bundle `name`, sorted by package and channel; within a channel,
    /// from the head downwards.
    ///
    /// # Errors
    /// Returns an error if the database is damaged or changes while it is being read.
    pub(crate) fn entries_that_replace(&self, name: &str) -> Result<Vec<Edge>, ReadError> {
        self.edges(
            "SELECT entry.package_name, entry.channel_name, entry.operatorbundle_name, below.operatorbundle_name
            FROM channel_entry AS entry JOIN channel_entry AS below ON below.entry_id = entry.replaces
            WHERE below.operatorbundle_name = ?1
            GROUP BY 1, 2, 3 ORDER BY 1, 2, min(entry.depth), min(entry.entry_id)",
            [name],
        )
    }

    /// Returns the stored bundle that replaces or skips the bundle `name` in a channel; of several such bundles, the
    /// one nearest to the head.
    ///
    /// # Errors
    /// Returns an error if the database is damaged or changes while it is being read.
    pub(crate) fn bundle_that_replaces(
        &self,
        package: &str,
        channel: &str,
        name: &str,
    ) -> Result<Option<Edge>, ReadError> {
        let edges = self.edges(
            "SELECT entry.package_name, entry.channel_name, entry.operatorbundle_name, below.operatorbundle_name
            FROM channel_entry AS entry JOIN channel_entry AS below ON below.entry_id = entry.replaces
            WHERE entry.package_name = ?1 AND entry.channel_name = ?2 AND below.operatorbundle_name = ?3
                AND entry.operatorbundle_name IN (SELECT name FROM operatorbundle)
            ORDER BY entry.depth, entry.entry_id LIMIT 1",
            [package, channel, name],
        )?;
        Ok(edges.into_iter().next())
    }

    /// Returns all edges of the bundles that provide an API, sorted by package and channel; within a channel, from the
    /// head downwards.
    ///
    /// # Errors
    /// Returns an error if the database is damaged or changes while it is being read.
    pub(crate) fn entries_that_provide(&self, api: &GroupVersionKind) -> Result<Vec<Edge>, ReadError> {
        self.edges(
            &format!(
                "{PROVIDERS} GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, min(entry.depth), entry.operatorbundle_name,
                min(entry.replaces)"
            ),
            [stored_form(api)],
        )
    }

    /// Returns, for each channel, the entry that provides an API and is nearest to the head. The entries are sorted by
    /// package and channel.
    ///
    /// # Errors
    /// Returns an error if the database is damaged or changes while it is being read.
    pub(crate) fn latest_entries_that_provide(&self, api: &GroupVersionKind) -> Result<Vec<Edge>, ReadError> {
        let mut edges = self.edges(
            &format!("{PROVIDERS} ORDER BY 1, 2, entry.depth, entry.entry_id"),
            [stored_form(api)],
        )?;
        edges.dedup_by(|next, kept| next.package == kept.package && next.channel == kept.channel);
        Ok(edges)
    }

    /// Returns the bundle that provides an API and is nearest to the head of the default channel of its package; of
    /// several packages, the first by name. Like opm, returns `None` if the index does not contain the manifests of
    /// that bundle.
    ///
    /// # Errors
    /// Returns an error if the database is damaged or changes while it is being read.
    pub(crate) fn default_bundle_that_provides(&self, api: &GroupVersionKind) -> Result<Option<Edge>, ReadError> {
        let edges = self.edges(
            &format!(
                "SELECT * FROM (
                    {PROVIDERS} AND EXISTS (SELECT 1 FROM package
                        WHERE package.name = entry.package_name AND package.default_channel = entry.channel_name)
                    ORDER BY 1, entry.depth, entry.entry_id LIMIT 1
                ) WHERE bundle IN (SELECT name FROM operatorbundle WHERE bundle IS NOT NULL)"
            ),
            [stored_form(api)],
        )?;
        Ok(edges.into_iter().next())
    }

    fn edges(&self, query: &str, parameters: impl Params) -> Result<Vec<Edge>, ReadError> {
        let read = || -> rusqlite::Result<Vec<Edge>> {
            let mut query = self.connection().prepare(query)?;
            let mut rows = query.query(parameters)?;
            let mut edges = Vec::new();
            while let Some(row) = rows.next()? {
                let field = |column| text(row, column).map(|text| text.unwrap_or_default().to_owned());
                edges.push(Edge {
                    package: field(0)?,
                    channel: field(1)?,
                    bundle: field(2)?,
                    replaces: text(row, 3)?.map(ToOwned::to_owned),
                });
            }
            Ok(edges)
        };
        let edges = read().map_err(|error| self.content_error("the channels", error))?;
        self.check_unchanged()?;
        Ok(edges)
    }
}

/// The edges of the bundles that have a property of type `olm.gvk` with the value `?1`.
const PROVIDERS: &str = "
    SELECT entry.package_name, entry.channel_name, entry.operatorbundle_name AS bundle, below.operatorbundle_name
    FROM channel_entry AS entry LEFT JOIN channel_entry AS below ON below.entry_id = entry.replaces
    WHERE entry.operatorbundle_name IN (SELECT operatorbundle_name FROM properties
        WHERE type = 'olm.gvk' AND CAST(value AS TEXT) = ?1)";

/// Returns an API as an index stores it in a property value: as JSON without spaces and with sorted keys.
fn stored_form(api: &GroupVersionKind) -> String {
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let form = format!(
        "{{\"group\":{},\"kind\":{},\"version\":{}}}",
        quoted(&api.group),
        quoted(&api.kind),
        quoted(&api.version)
    );
    form.replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
}
