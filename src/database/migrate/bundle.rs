//! Writes the rows of one bundle, in all tables, from the data that an older schema version stores about it.

use super::since;
use crate::catalog::manifests;
use crate::database::read::text;
use crate::database::record::Api;
use crate::database::record::stored::Stored;
use crate::database::rows::{INSERT_BUNDLE, Inserts, Owner};
use crate::database::skips;
use crate::olm::property::{GVK, PACKAGE};
use crate::text::canonical;
use rusqlite::types::Value;
use rusqlite::{Connection, Row, Statement};
use serde_json::json;
use std::collections::{BTreeSet, HashSet};

/// Writes the bundles from the temporary tables.
pub(super) struct Writer<'c> {
    connection: &'c Connection,
    /// The schema version of the rows.
    version: i64,
    bundle: Statement<'c>,
    packages: Statement<'c>,
    links: Statement<'c>,
    images: Statement<'c>,
    providers: Statement<'c>,
    requirers: Statement<'c>,
    dependencies: Statement<'c>,
    rows: Inserts<'c>,
}

/// The columns of a bundle; `None` if the value is NULL or the schema version has no such column.
struct Old {
    row: i64,
    name: String,
    csv: Option<String>,
    bundle: Option<String>,
    path: String,
    skip_range: Option<String>,
    version: Option<String>,
    replaces: Option<String>,
    skips: Option<String>,
}

type Gvk = (String, String, String);

impl<'c> Writer<'c> {
    pub(super) fn new(connection: &'c Connection, version: i64) -> rusqlite::Result<Self> {
        let apis = |table: &str| {
            format!(
                "SELECT group_name, version, kind FROM temp.old_{table} WHERE operatorbundle_name = ?1
                 UNION SELECT api.group_name, api.version, api.kind FROM temp.old_channel_entry AS entry
                    JOIN temp.old_{table} AS api ON api.channel_entry_id = entry.entry_id
                    WHERE entry.operatorbundle_name = ?1"
            )
        };
        Ok(Self {
            connection,
            version,
            bundle: connection.prepare(&format!(
                "{INSERT_BUNDLE} SELECT name, csv, bundle, ?2, ?3, ?4, ?5, ?6, ''
                 FROM temp.old_operatorbundle WHERE rowid = ?1"
            ))?,
            packages: connection.prepare(
                "SELECT DISTINCT package_name FROM temp.old_channel_entry
                 WHERE operatorbundle_name = ?1 AND package_name IS NOT NULL ORDER BY 1",
            )?,
            links: connection.prepare(
                "SELECT below.operatorbundle_name, entry.package_name, entry.channel_name
                 FROM temp.old_channel_entry AS entry
                 LEFT JOIN temp.old_channel_entry AS below ON below.entry_id = entry.replaces
                 WHERE entry.operatorbundle_name = ?1 AND NOT (entry.replaces IS NULL AND EXISTS (
                    SELECT 1 FROM temp.old_channel_entry AS skipping
                    WHERE skipping.replaces = entry.entry_id AND skipping.depth = entry.depth))
                 ORDER BY entry.depth, entry.entry_id",
            )?,
            images: connection
                .prepare("SELECT image FROM temp.old_related_image WHERE operatorbundle_name = ?1 ORDER BY rowid")?,
            providers: connection.prepare(&apis("api_provider"))?,
            requirers: connection.prepare(&apis("api_requirer"))?,
            dependencies: connection.prepare(
                "SELECT type, value FROM temp.old_dependencies WHERE operatorbundle_name = ?1 ORDER BY rowid",
            )?,
            rows: Inserts::new(connection)?,
        })
    }

    /// Writes every bundle that has a name. Rows without a name were written by an old program, and contain no other
    /// values either.
    pub(super) fn write_all(mut self) -> rusqlite::Result<()> {
        let connection = self.connection;
        let mut bundles = connection.prepare(
            "SELECT rowid, name, csv, bundle, bundlepath, skiprange, version, replaces, skips
             FROM temp.old_operatorbundle WHERE name IS NOT NULL ORDER BY rowid",
        )?;
        let mut rows = bundles.query([])?;
        while let Some(row) = rows.next()? {
            self.write(&Old::read(row)?)?;
        }
        Ok(())
    }

    fn write(&mut self, old: &Old) -> rusqlite::Result<()> {
        let said = old.read_manifests();
        let or_said = |column: &Option<String>, said: &str| column.clone().unwrap_or_else(|| said.to_owned());
        let (mut replaces, mut skips) = (said.replaces.clone(), said.skips.clone());
        if old.csv.is_none() && (old.replaces.is_none() || old.skips.is_none()) {
            (replaces, skips) = self.linked(&old.name)?;
        }
        let version = or_said(&old.version, &said.version);
        self.bundle.execute((
            old.row,
            &old.path,
            or_said(&old.skip_range, &said.skip_range),
            &version,
            or_said(&old.replaces, &replaces),
            or_said(&old.skips, &skips::join(&skips)),
        ))?;
        self.write_images(old, &said)?;
        let owner = Owner::new(&old.name, &version, &old.path);
        let provided = self.write_provided(owner, &said)?;
        let required = self.write_required(owner, &said)?;
        self.write_dependencies(owner, &required)?;
        self.write_properties(owner, &version, &provided, &said)
    }

    /// Returns the bundles that a bundle without manifests replaces and skips, according to its entries. Of the
    /// bundle's entries in a channel, the entry nearest to the head leads to the replaced bundle; the other entries
    /// lead to the skipped bundles. A channel in which another bundle skips the bundle has an entry at the depth of the
    /// entry that skips it, and this entry leads nowhere. If channels disagree, opm prefers the smallest depth; a
    /// channel that ends at the bundle does not count if another channel continues.
    fn linked(&mut self, name: &str) -> rusqlite::Result<(String, Vec<String>)> {
        let mut rows = self.links.query([name])?;
        let (mut replaces, mut skips, mut channels) = (None, Vec::new(), HashSet::new());
        while let Some(row) = rows.next()? {
            let owned = |column| Ok::<_, rusqlite::Error>(text(row, column)?.map(str::to_owned));
            let target = owned(0)?;
            let is_first = channels.insert((owned(1)?, owned(2)?));
            if is_first && replaces.is_none() {
                replaces = target;
            } else {
                skips.extend(target);
            }
        }
        let replaces = replaces.unwrap_or_default();
        let mut seen = HashSet::from([replaces.clone()]);
        skips.retain(|target| seen.insert(target.clone()));
        Ok((replaces, skips))
    }

    fn write_images(&mut self, old: &Old, said: &Stored) -> rusqlite::Result<()> {
        if self.version < since::IMAGES {
            for image in &said.related_images {
                self.rows.image(image, &old.name)?;
            }
            return Ok(());
        }
        let mut rows = self.images.query([&old.name])?;
        while let Some(row) = rows.next()? {
            self.rows.image(row.get::<_, Value>(0)?, &old.name)?;
        }
        Ok(())
    }

    /// Writes the provided APIs. In older schema versions, APIs belong to channel entries. Databases of these versions
    /// contain no APIs of a bundle that is only skipped, so the APIs are derived from the manifests of the bundle.
    fn write_provided(&mut self, owner: Owner<'_>, said: &Stored) -> rusqlite::Result<BTreeSet<Gvk>> {
        let mut provided = apis(&mut self.providers, owner.name)?;
        if self.version < since::APIS {
            self.learn(&mut provided, &said.provided)?;
        }
        for api in &provided {
            self.rows.provided(parts(api), owner)?;
        }
        Ok(provided)
    }

    fn write_required(&mut self, owner: Owner<'_>, said: &Stored) -> rusqlite::Result<BTreeSet<Gvk>> {
        let mut required = apis(&mut self.requirers, owner.name)?;
        if self.version < since::APIS {
            self.learn(&mut required, &said.required)?;
        }
        for api in &required {
            self.rows.required(parts(api), owner)?;
        }
        Ok(required)
    }

    fn learn(&mut self, known: &mut BTreeSet<Gvk>, apis: &BTreeSet<Api>) -> rusqlite::Result<()> {
        for api in apis {
            self.rows.api(api.identity(), &api.plural)?;
            known.insert((api.group.clone(), api.version.clone(), api.kind.clone()));
        }
        Ok(())
    }

    fn write_dependencies(&mut self, owner: Owner<'_>, required: &BTreeSet<Gvk>) -> rusqlite::Result<()> {
        if self.version < since::DEPENDENCIES {
            for api in required {
                self.rows.dependency(GVK, gvk(api).into_bytes(), owner)?;
            }
            return Ok(());
        }
        let mut rows = self.dependencies.query([owner.name])?;
        while let Some(row) = rows.next()? {
            let value = match text(row, 1)?.and_then(without_type) {
                Some(plain) => Value::Blob(plain.into_bytes()),
                None => row.get(1)?,
            };
            self.rows.dependency(row.get::<_, Value>(0)?, value, owner)?;
        }
        Ok(())
    }

    fn write_properties(
        &mut self,
        owner: Owner<'_>,
        bundle_version: &str,
        provided: &BTreeSet<Gvk>,
        said: &Stored,
    ) -> rusqlite::Result<()> {
        let mut properties = Vec::new();
        let mut packages = self.packages.query([owner.name])?;
        while let Some(row) = packages.next()? {
            let package = json!({"packageName": text(row, 0)?.unwrap_or_default(), "version": bundle_version});
            properties.push((PACKAGE.to_owned(), canonical::to_string(&package)));
        }
        properties.extend(provided.iter().map(|api| (GVK.to_owned(), gvk(api))));
        properties.extend(said.properties.iter().cloned());
        let mut seen = HashSet::new();
        properties.retain(|property| seen.insert(property.clone()));
        for (kind, value) in &properties {
            self.rows.property(kind, value, owner)?;
        }
        Ok(())
    }
}

impl Old {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        let column = |column| Ok::<_, rusqlite::Error>(text(row, column)?.map(str::to_owned));
        Ok(Self {
            row: row.get(0)?,
            name: column(1)?.unwrap_or_default(),
            csv: column(2)?.filter(|csv| !csv.is_empty()),
            bundle: column(3)?,
            path: column(4)?.unwrap_or_default(),
            skip_range: column(5)?,
            version: column(6)?,
            replaces: column(7)?,
            skips: column(8)?,
        })
    }

    /// Reads the data that the manifests contain; returns empty data if there are no manifests.
    fn read_manifests(&self) -> Stored {
        let Some(csv) = self.csv.as_deref().and_then(|csv| serde_json::from_str(csv).ok()) else {
            return Stored::default();
        };
        let documents = self.bundle.as_deref().map(manifests::documents);
        let objects: Vec<serde_json::Value> = documents
            .and_then(Result::ok)
            .unwrap_or_default()
            .into_iter()
            .filter_map(|document| serde_json::from_str(document).ok())
            .collect();
        Stored::read(&self.name, &csv, objects.iter().collect(), &self.path)
    }
}

fn apis(statement: &mut Statement<'_>, bundle: &str) -> rusqlite::Result<BTreeSet<Gvk>> {
    let mut rows = statement.query([bundle])?;
    let mut apis = BTreeSet::new();
    while let Some(row) = rows.next()? {
        let column = |column| Ok::<_, rusqlite::Error>(text(row, column)?.unwrap_or_default().to_owned());
        apis.insert((column(0)?, column(1)?, column(2)?));
    }
    Ok(apis)
}

fn parts((group, version, kind): &Gvk) -> [&str; 3] {
    [group, version, kind]
}

/// Returns the value of a property or dependency of type `olm.gvk`.
fn gvk((group, version, kind): &Gvk) -> String {
    canonical::to_string(&json!({"group": group, "kind": kind, "version": version}))
}

/// Removes the type from the value of a dependency of schema version 8. Returns `None` if the value does not repeat the
/// type.
fn without_type(value: &str) -> Option<String> {
    let mut value: serde_json::Value = serde_json::from_str(value).ok()?;
    value.as_object_mut()?.shift_remove("type")?;
    Some(canonical::to_string(&value))
}
