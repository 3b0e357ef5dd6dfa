//! Loads the whole index as a [`Catalog`], and the manifests that it refers to.

use super::edges::ChannelQuery;
use super::read::{Database, ReadError, text};
use crate::catalog::file_based::manifests::is_stand_in;
use crate::catalog::manifests;
use crate::catalog::{Bundle, BundleId, Catalog, Channel, ChannelEntry, ManifestsId, Package, Property, Text, Texts};
use crate::kubernetes::GroupVersionKind;
use rusqlite::{Connection, OptionalExtension};
use std::collections::{HashMap, HashSet};

/// The stored manifests of one bundle.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Manifests {
    /// The ClusterServiceVersion among the objects; `None` if the index does not contain the manifests.
    pub csv: Option<String>,
    /// All objects as JSON strings, in the order of their files, including the ClusterServiceVersion.
    pub objects: Vec<String>,
}

impl Database {
    /// Returns packages, channels and bundles, without the manifests.
    ///
    /// # Errors
    /// Returns an error if the database is damaged or changes while it is being read.
    pub fn catalog(&self) -> Result<Catalog, ReadError> {
        let mut catalog = self.catalog_without_skip_ranges()?;
        let ranges = self.skip_ranges()?;
        let Catalog { packages, bundles } = &mut catalog;
        let channels = packages.iter_mut().flat_map(|package| &mut package.channels);
        for entry in channels.flat_map(|channel| &mut channel.entries) {
            let bundle = bundles.get(entry.bundle.0 as usize);
            entry.skip_range = bundle.and_then(|bundle| ranges.get(&bundle.manifests)).cloned();
        }
        Ok(catalog)
    }

    /// Like [`Database::catalog`], but every [`Entry::skip_range`] is `None`: the ranges are stored after the
    /// manifests, so reading all of them takes longer than reading everything else.
    ///
    /// # Errors
    /// Returns an error if the database is damaged or changes while it is being read.
    pub(crate) fn catalog_without_skip_ranges(&self) -> Result<Catalog, ReadError> {
        let catalog = of_connection(self.connection()).map_err(|(what, error)| self.content_error(what, error))?;
        self.check_unchanged()?;
        Ok(catalog)
    }

    /// Returns whether the database contains no package.
    ///
    /// # Errors
    /// Returns an error if the database is damaged.
    pub(crate) fn is_empty(&self) -> Result<bool, ReadError> {
        let query = "SELECT NOT EXISTS (SELECT 1 FROM package)";
        let is_empty = self.connection().query_row(query, [], |row| row.get(0));
        is_empty.map_err(|error| self.content_error("the packages", error))
    }

    /// Returns the skip range of each bundle: the versions that may be updated directly to the bundle. Bundles without
    /// a range are omitted.
    ///
    /// # Errors
    /// Returns an error if the database is damaged or changes while it is being read.
    pub(crate) fn skip_ranges(&self) -> Result<HashMap<ManifestsId, Text>, ReadError> {
        self.reading("the skip ranges", |connection| {
            let mut query = connection.prepare("SELECT rowid, skiprange FROM operatorbundle WHERE skiprange <> ''")?;
            let mut rows = query.query([])?;
            let mut ranges = HashMap::new();
            while let Some(row) = rows.next()? {
                ranges.insert(ManifestsId(row.get(0)?), Text::from(text(row, 1)?.unwrap_or_default()));
            }
            Ok(ranges)
        })
    }

    /// Returns the plural names of the kinds that bundles of this index provide or require.
    ///
    /// # Errors
    /// Returns an error if the database is damaged or changes while it is being read.
    pub(crate) fn plurals(&self) -> Result<HashMap<GroupVersionKind, String>, ReadError> {
        self.reading("the APIs", |connection| {
            let mut query = connection.prepare("SELECT group_name, version, kind, plural FROM api")?;
            let mut rows = query.query([])?;
            let mut plurals = HashMap::new();
            while let Some(row) = rows.next()? {
                let field = |column| text(row, column).map(|text| text.unwrap_or_default().to_owned());
                let kind = GroupVersionKind {
                    group: field(0)?,
                    version: field(1)?,
                    kind: field(2)?,
                };
                plurals.insert(kind, field(3)?);
            }
            Ok(plurals)
        })
    }

    /// Returns the related images of each bundle, by bundle name, in the order of the table.
    ///
    /// # Errors
    /// Returns an error if the database is damaged or changes while it is being read.
    pub(crate) fn related_images(&self) -> Result<HashMap<String, Vec<String>>, ReadError> {
        self.reading("the images", |connection| {
            let mut query =
                connection.prepare("SELECT operatorbundle_name, image FROM related_image ORDER BY rowid")?;
            let mut rows = query.query([])?;
            let mut images: HashMap<String, Vec<String>> = HashMap::new();
            while let Some(row) = rows.next()? {
                let field = |column| text(row, column).map(|text| text.unwrap_or_default().to_owned());
                images.entry(field(0)?).or_default().push(field(1)?);
            }
            Ok(images)
        })
    }

    /// Returns the ClusterServiceVersion of a bundle as the index stores it, including the trailing line break; `None`
    /// if the index does not contain it.
    ///
    /// # Errors
    /// Returns an error if the database is damaged or changes while it is being read.
    pub(crate) fn csv(&self, id: ManifestsId) -> Result<Option<String>, ReadError> {
        self.reading("the manifests", |connection| {
            let mut query = connection.prepare_cached("SELECT csv FROM operatorbundle WHERE rowid = ?1")?;
            let found = query.query_row([id.0], |row| Ok(text(row, 0)?.map(ToOwned::to_owned)));
            Ok(found.optional()?.flatten())
        })
    }

    /// Returns the ClusterServiceVersion that an import of a file-based catalog stores for a bundle whose manifests are
    /// only in its image; `None` for any other bundle. It is not among the manifests, because OLM cannot install it.
    ///
    /// # Errors
    /// Returns an error if the database is damaged or changes while it is being read.
    pub(crate) fn stand_in(&self, id: ManifestsId) -> Result<Option<String>, ReadError> {
        let csv = self.csv(id)?.map(|csv| csv.trim_end().to_owned());
        Ok(csv.filter(|csv| is_stand_in(csv)))
    }

    /// Returns the manifests of a bundle; empty if the index does not contain them.
    ///
    /// # Errors
    /// Returns an error if the database is damaged or changes while it is being read, or the manifests are not JSON.
    pub fn manifests(&self, id: ManifestsId) -> Result<Manifests, ReadError> {
        self.with_manifests(id, |csv, objects| Manifests {
            csv: csv.map(ToOwned::to_owned),
            objects: objects.iter().map(|&object| object.to_owned()).collect(),
        })
    }

    /// Passes the stored manifests of a bundle to `read`: the ClusterServiceVersion, and all objects.
    ///
    /// # Errors
    /// Returns the same errors as [`Database::manifests`].
    pub(crate) fn with_manifests<T>(
        &self,
        id: ManifestsId,
        read: impl FnOnce(Option<&str>, &[&str]) -> T,
    ) -> Result<T, ReadError> {
        let result = self.reading("the manifests", |connection| {
            let mut query = connection.prepare_cached("SELECT name, bundle FROM operatorbundle WHERE rowid = ?1")?;
            let mut rows = query.query([id.0])?;
            let row = rows.next()?;
            let stored = row.map(|row| text(row, 1)).transpose()?.flatten().unwrap_or_default();
            match manifests::documents(stored) {
                Ok(objects) => {
                    let csv = objects
                        .iter()
                        .find(|object| manifests::kind(object) == "ClusterServiceVersion");
                    Ok(Ok(read(csv.copied(), &objects)))
                }
                Err(error) => {
                    let name = row.map(|row| text(row, 0)).transpose()?.flatten().unwrap_or_default();
                    Ok(Err((name.to_owned(), error)))
                }
            }
        })?;
        result.map_err(|(bundle, source): (String, serde_json::Error)| ReadError::Manifests {
            path: self.path().to_owned(),
            bundle,
            source,
        })
    }

    /// Reads a part of the content, which errors call `what`, and makes sure that the file has not changed since it was
    /// opened.
    fn reading<T>(
        &self,
        what: &'static str,
        read: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, ReadError> {
        let content = read(self.connection()).map_err(|error| self.content_error(what, error))?;
        self.check_unchanged()?;
        Ok(content)
    }
}

/// Like [`Database::catalog_without_skip_ranges`], but an error includes the name of the unreadable part.
pub(super) fn of_connection(connection: &Connection) -> Result<Catalog, (&'static str, rusqlite::Error)> {
    let mut texts = Texts::default();
    let mut catalog = Catalog {
        packages: Vec::new(),
        bundles: bundles(connection, &mut texts).map_err(|error| ("the bundles", error))?,
    };
    for (table, what) in [("properties", "the properties"), ("dependencies", "the dependencies")] {
        attach(connection, &mut catalog, &mut texts, table).map_err(|error| (what, error))?;
    }
    catalog.packages = packages(connection, &catalog, &mut texts).map_err(|error| ("the channels", error))?;
    Ok(catalog)
}

fn bundles(connection: &Connection, texts: &mut Texts) -> rusqlite::Result<Vec<Bundle>> {
    // These columns are in the index `pk`, so that the query does not read the manifests.
    let mut query =
        connection.prepare("SELECT rowid, name, version, bundlepath FROM operatorbundle WHERE name IS NOT NULL")?;
    let mut rows = query.query([])?;
    let mut bundles = Vec::new();
    while let Some(row) = rows.next()? {
        let mut field = |column| text(row, column).map(|text| text.map(|text| texts.share(text)));
        bundles.push(Bundle {
            name: field(1)?.unwrap_or_default(),
            version: field(2)?,
            image: field(3)?,
            properties: Vec::new(),
            dependencies: Vec::new(),
            manifests: ManifestsId(row.get(0)?),
        });
    }
    bundles.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(bundles)
}

/// Reads a table of typed values. Rows may be repeated many times; of equal rows, only the first is used.
fn attach(connection: &Connection, catalog: &mut Catalog, texts: &mut Texts, table: &str) -> rusqlite::Result<()> {
    let mut query = connection.prepare(&format!(
        "SELECT operatorbundle_name, type, value FROM {table} ORDER BY rowid"
    ))?;
    let mut rows = query.query([])?;
    let mut seen = HashSet::new();
    // The rows of a bundle are mostly adjacent.
    let (mut last_name, mut last_id) = (String::new(), None);
    while let Some(row) = rows.next()? {
        let name = text(row, 0)?.unwrap_or_default();
        if name != last_name {
            last_id = catalog.find(name);
            name.clone_into(&mut last_name);
        }
        let Some(id) = last_id else { continue };
        let property = Property {
            kind: texts.share(text(row, 1)?.unwrap_or_default()),
            value: texts.share(text(row, 2)?.unwrap_or_default()),
        };
        // Equal strings are shared, so their addresses identify them.
        let fingerprint = (id, property.kind.as_ptr() as usize, property.value.as_ptr() as usize);
        if seen.insert(fingerprint)
            && let Some(bundle) = catalog.bundles.get_mut(id.0 as usize)
        {
            match table {
                "properties" => bundle.properties.push(property),
                _ => bundle.dependencies.push(property),
            }
        }
    }
    for bundle in &mut catalog.bundles {
        bundle.properties.shrink_to_fit();
        bundle.dependencies.shrink_to_fit();
    }
    Ok(())
}

fn packages(connection: &Connection, catalog: &Catalog, texts: &mut Texts) -> rusqlite::Result<Vec<Package>> {
    let mut packages = Vec::new();
    let mut query =
        connection.prepare("SELECT name, default_channel FROM package WHERE name IS NOT NULL ORDER BY name")?;
    let mut rows = query.query([])?;
    while let Some(row) = rows.next()? {
        packages.push(Package {
            name: texts.share(text(row, 0)?.unwrap_or_default()),
            default_channel: text(row, 1)?.map(|name| texts.share(name)),
            channels: Vec::new(),
        });
    }
    let place = |packages: &[Package], name: &str| packages.binary_search_by(|package| (*package.name).cmp(name));
    let mut query = connection.prepare(
        "SELECT package_name, name, head_operatorbundle_name FROM channel
        WHERE package_name IS NOT NULL AND name IS NOT NULL ORDER BY package_name, name",
    )?;
    let mut rows = query.query([])?;
    while let Some(row) = rows.next()? {
        let (package, name) = (text(row, 0)?.unwrap_or_default(), text(row, 1)?.unwrap_or_default());
        if let Ok(at) = place(&packages, package)
            && let Some(package) = packages.get_mut(at)
        {
            package.channels.push(Channel {
                name: texts.share(name),
                head: text(row, 2)?.map(|head| texts.share(head)),
                entries: Vec::new(),
            });
        }
    }
    let mut query = ChannelQuery::new(connection, None)?;
    for members in query.channels()? {
        let members = members?;
        let Ok(at) = place(&packages, &members.package) else {
            continue;
        };
        let Some(package) = packages.get_mut(at) else { continue };
        let Ok(at) = package
            .channels
            .binary_search_by(|channel| (*channel.name).cmp(&members.channel))
        else {
            continue;
        };
        let Some(channel) = package.channels.get_mut(at) else {
            continue;
        };
        channel.entries = members
            .members
            .iter()
            .filter_map(|member| {
                let bundle: BundleId = catalog.find(&member.bundle)?;
                Some(ChannelEntry {
                    bundle,
                    replaces: member.replaces.as_deref().map(|name| texts.share(name)),
                    skips: member.skips.iter().map(|name| texts.share(name)).collect(),
                    skip_range: None,
                })
            })
            .collect();
    }
    Ok(packages)
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    fn opened() -> (tempfile::TempDir, Database) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("index.db");
        sample::write(&path);
        (directory, Database::open(&path).unwrap())
    }

    #[test]
    fn a_bundle_may_be_both_replaced_and_skipped() {
        let (_directory, index) = opened();
        let catalog = index.catalog().unwrap();
        let channel = catalog.package("k").unwrap().channel("stable").unwrap();
        let shown: Vec<_> = channel
            .entries
            .iter()
            .map(|entry| {
                let name = &*catalog.bundle(entry.bundle).unwrap().name;
                let skips: Vec<&str> = entry.skips.iter().map(|name| &**name).collect();
                (name, entry.replaces.as_deref(), skips)
            })
            .collect();
        assert_eq!(
            shown,
            [
                ("k.v1.2.0", Some("k.v1.0.0"), vec!["k.v1.1.0", "k.vghost", "k.v1.0.0"]),
                ("k.v1.1.0", None, vec![]),
                ("k.v1.0.0", None, vec![]),
            ]
        );
        let ranges: Vec<_> = channel
            .entries
            .iter()
            .map(|entry| entry.skip_range.as_deref())
            .collect();
        assert_eq!(ranges, [Some("<1.2.0"), None, None]);
        assert_eq!(channel.head.as_deref(), Some("k.v1.2.0"));
    }

    #[test]
    fn text_is_kept_as_stored_and_repeated_rows_count_once() {
        let (_directory, index) = opened();
        let catalog = index.catalog().unwrap();
        let bundle = catalog.bundle(catalog.find("k.v1.2.0").unwrap()).unwrap();
        let values: Vec<_> = bundle.properties.iter().map(|property| &*property.value).collect();
        assert_eq!(
            values,
            [
                r#"{"group":"k.io","kind":"K","version":"v1"}"#,
                r#"{"packageName":"k","version":"1.2.0"}"#
            ]
        );
        assert_eq!(bundle.properties[0].group_version_kind().unwrap().group, "k.io");
        assert_eq!(&*bundle.dependencies[0].value, r#"{"packageName":"a","version":"1"}"#);
        assert_eq!(bundle.image.as_deref(), Some("registry.example.com/k:1.2"));
        let names: Vec<_> = catalog.bundles.iter().map(|bundle| &*bundle.name).collect();
        assert_eq!(names, ["a.v1", "k.v1.0.0", "k.v1.1.0", "k.v1.2.0", "stranded.v1"]);
        assert_eq!(catalog.bundles[4].version, None);
    }

    #[test]
    fn manifests_are_read_by_their_handles() {
        let (_directory, index) = opened();
        let catalog = index.catalog().unwrap();
        let id = |name| catalog.bundle(catalog.find(name).unwrap()).unwrap().manifests;
        let manifests = index.manifests(id("a.v1")).unwrap();
        assert_eq!(manifests.objects.len(), 2);
        assert_eq!(manifests.csv.as_ref(), manifests.objects.first());
        assert_eq!(index.csv(id("a.v1")).unwrap().unwrap(), manifests.csv.unwrap() + "\n");
        assert_eq!(index.manifests(id("k.v1.0.0")).unwrap(), Manifests::default());
        assert_eq!(index.csv(id("k.v1.0.0")).unwrap(), None);
    }
}
