//! The opened catalogs of a what-if file: the content for a resolution, and the source of the selected bundles.

use super::content::{ContentError, IndexBundles};
use crate::catalog::{Catalog, Text};
use crate::cluster::{self, State};
use crate::counted::counted;
use crate::database::listed::remove_unlisted;
use crate::database::read::ReadError;
use crate::index::open::{Index, OpenDatabase};
use crate::resolver::Selected;
use crate::steps::Content;
use std::borrow::Cow;
use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};

/// The catalogs of a what-if file, in the order of the file.
#[derive(Debug)]
pub struct Catalogs {
    catalogs: Vec<Open>,
    /// Bundles from images, for packages that the file itself lists.
    contents: Vec<Content>,
}

#[derive(Debug)]
struct Open {
    /// `namespace/name` of the CatalogSource.
    name: String,
    /// The index, if the catalog has an index.
    index: Option<Index>,
    /// The packages that the file lists, if the catalog has no index.
    inline: Catalog,
}

impl Open {
    /// Returns what OLM sees of the catalog, and the names of the bundles that it does not see.
    fn read(&self, with_skip_ranges: bool) -> Result<(Cow<'_, Catalog>, BTreeSet<Text>), ReadError> {
        let catalog = match &self.index {
            Some(Index::Database(OpenDatabase { database, .. })) => {
                let mut catalog = if with_skip_ranges {
                    database.catalog()?
                } else {
                    database.catalog_without_skip_ranges()?
                };
                let unlisted = remove_unlisted(&mut catalog);
                return Ok((Cow::Owned(catalog), unlisted));
            }
            Some(Index::Catalog(open)) => &open.loaded.catalog,
            None => &self.inline,
        };
        Ok((Cow::Borrowed(catalog), BTreeSet::new()))
    }
}

/// The reason why a bundle cannot be read from its catalog.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SelectedError {
    /// The catalog cannot be read.
    #[error("bundle {bundle} of catalog {catalog}")]
    Content {
        /// The bundle.
        bundle: String,
        /// `namespace/name` of the CatalogSource.
        catalog: String,
        /// The cause.
        source: Box<ContentError>,
    },
    /// The catalog contains no manifests.
    #[error(
        "bundle {bundle} of catalog {catalog} has no manifests, because the packages of the catalog are listed in \
         the what-if file"
    )]
    WrittenOut {
        /// The bundle.
        bundle: String,
        /// `namespace/name` of the CatalogSource.
        catalog: String,
    },
}

/// The content of catalogs as OLM sees it, and notes about the rest.
type Seen<'c> = (Vec<Cow<'c, Catalog>>, Vec<String>);

/// The maximum number of bundles that one note names.
const NAMED: usize = 3;

fn unseen(catalog: &str, bundles: &BTreeSet<Text>) -> String {
    let mut named: Vec<&str> = bundles.iter().map(|name| &**name).take(NAMED).collect();
    let more = (bundles.len() > NAMED).then(|| format!("{} more", bundles.len() - NAMED));
    named.extend(more.as_deref());
    format!(
        "OLM does not see {} of the catalog {catalog} whose version or image in the database is NULL: {}",
        counted(bundles.len(), "bundle"),
        named.join(", ")
    )
}

impl Catalogs {
    /// Returns the catalogs of a state. `indexes` contains the index of each catalog that has a source, and `None` for
    /// each other catalog.
    pub fn new(state: &State, indexes: Vec<Option<Index>>) -> Self {
        let catalogs = state.catalogs.iter().zip(indexes).map(|(catalog, index)| Open {
            name: format!("{}/{}", catalog.namespace, catalog.name),
            index,
            inline: cluster::inline(&catalog.packages),
        });
        Self {
            catalogs: catalogs.collect(),
            contents: Vec::new(),
        }
    }

    /// Adds bundles for packages that the file itself lists.
    #[must_use]
    pub fn with_contents(mut self, contents: impl IntoIterator<Item = Content>) -> Self {
        self.contents.extend(contents);
        self
    }

    /// Returns the content of the catalogs, as far as OLM sees it. `with_skip_ranges` is needed only for updates;
    /// without it, reading from a database is faster.
    ///
    /// # Errors
    /// Returns an error if a database cannot be read.
    pub fn read(&self, with_skip_ranges: bool) -> Result<Vec<Cow<'_, Catalog>>, ReadError> {
        Ok(self.read_with_notes(with_skip_ranges)?.0)
    }

    /// Like [`Catalogs::read`], but also returns notes about the bundles that OLM does not see.
    ///
    /// # Errors
    /// Returns an error if a database cannot be read.
    pub(super) fn read_with_notes(&self, with_skip_ranges: bool) -> Result<Seen<'_>, ReadError> {
        let mut seen = Seen::default();
        for open in &self.catalogs {
            let (catalog, unlisted) = open.read(with_skip_ranges)?;
            seen.0.push(catalog);
            seen.1
                .extend((!unlisted.is_empty()).then(|| unseen(&open.name, &unlisted)));
        }
        Ok(seen)
    }

    /// Returns the index of each catalog that has one, in the order of the catalogs.
    pub(super) fn indexes(&self) -> impl Iterator<Item = Option<&Index>> {
        self.catalogs.iter().map(|open| open.index.as_ref())
    }

    /// Returns the bundles of the catalogs, for any number of selected ones.
    pub fn bundles(&self) -> SelectedBundles<'_> {
        SelectedBundles {
            catalogs: self,
            read: HashMap::new(),
        }
    }
}

/// The bundles of the catalogs of a what-if file. Each index is read when a bundle of it is selected, and only once.
#[derive(Debug)]
pub struct SelectedBundles<'c> {
    catalogs: &'c Catalogs,
    /// The indexes that have been read, by the names of their catalogs.
    read: HashMap<&'c str, IndexBundles<'c>>,
}

impl<'c> SelectedBundles<'c> {
    fn open(&self, selected: &Selected) -> Option<&'c Open> {
        let mut catalogs = self.catalogs.catalogs.iter();
        catalogs.find(|open| open.name == selected.catalog)
    }

    /// Returns the bundles of the index of a catalog; `None` if the catalog has no index.
    fn index(&mut self, open: &'c Open) -> Result<Option<&IndexBundles<'c>>, ReadError> {
        let Some(index) = &open.index else { return Ok(None) };
        Ok(Some(match self.read.entry(&open.name) {
            Entry::Occupied(read) => read.into_mut(),
            Entry::Vacant(entry) => entry.insert(IndexBundles::of(index)?),
        }))
    }

    /// Returns the image of a selected bundle, if the catalog names an image.
    ///
    /// # Errors
    /// Returns an error if the catalog cannot be read.
    pub fn image(&mut self, selected: &Selected) -> Result<Option<String>, ReadError> {
        let Some(open) = self.open(selected) else {
            return Ok(None);
        };
        let catalog = self.index(open)?.map_or(&open.inline, IndexBundles::catalog);
        let id = catalog.find_in(&selected.package, &selected.name);
        let bundle = id.and_then(|id| catalog.bundle(id));
        let image = bundle.and_then(|bundle| bundle.image.as_deref());
        Ok(image.filter(|image| !image.is_empty()).map(str::to_owned))
    }

    /// Returns a selected bundle with its manifests.
    ///
    /// # Errors
    /// Returns an error if the catalog has no manifests for the bundle, or if they cannot be read.
    pub fn content(&mut self, selected: &Selected) -> Result<Content, SelectedError> {
        let (bundle, catalog) = (selected.name.clone(), selected.catalog.clone());
        let open = self.open(selected);
        let content = match open.map(|open| self.index(open)).transpose() {
            Ok(Some(Some(index))) => index.content(Some(&selected.package), &bundle),
            Ok(_) => {
                let mut contents = self.catalogs.contents.iter();
                let content = contents.find(|content| content.name == bundle && content.package == selected.package);
                return content.cloned().ok_or(SelectedError::WrittenOut { bundle, catalog });
            }
            Err(error) => Err(error.into()),
        };
        content.map_err(|source| SelectedError::Content {
            bundle,
            catalog,
            source: Box::new(source),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::state::CatalogSource;
    use crate::database::read::Database;
    use crate::database::sample::write_rows;
    use std::fs;
    use std::path::Path;

    fn catalogs_of(folder: &Path, rows: &str) -> Catalogs {
        fs::create_dir(folder).unwrap();
        write_rows(&folder.join("index.db"), rows);
        let mut state = State::default();
        state.catalogs.push(CatalogSource {
            name: "tools".to_owned(),
            namespace: "olm".to_owned(),
            ..CatalogSource::default()
        });
        let index = Index::from(Database::open(&folder.join("index.db")).unwrap());
        Catalogs::new(&state, vec![Some(index)])
    }

    #[test]
    fn olm_does_not_see_bundles_of_a_database_without_a_version_or_an_image() {
        let parent = tempfile::tempdir().unwrap();
        let bundle = |name: &str, image: &str, version: &str| {
            format!("INSERT INTO operatorbundle (name, bundlepath, version) VALUES ('{name}', {image}, {version});")
        };
        let entry = |package: &str, channel: &str, name: &str| {
            format!(
                "INSERT INTO channel_entry (channel_name, package_name, operatorbundle_name, depth)
                    VALUES ('{channel}', '{package}', '{name}', 0);"
            )
        };
        let rows = [
            bundle("hoe.v1", "''", "''"),
            bundle("hoe.v2", "NULL", "'2.0.0'"),
            bundle("rake.v1", "''", "NULL"),
            "INSERT INTO package VALUES ('hoe', 'stable'), ('rake', 'stable');
            INSERT INTO channel VALUES ('stable', 'hoe', 'hoe.v1'), ('beta', 'hoe', 'hoe.v2'),
                ('stable', 'rake', 'rake.v1');"
                .to_owned(),
            entry("hoe", "stable", "hoe.v1"),
            entry("hoe", "beta", "hoe.v2"),
            entry("rake", "stable", "rake.v1"),
        ];
        let catalogs = catalogs_of(&parent.path().join("index"), &rows.concat());
        for with_skip_ranges in [true, false] {
            let (read, notes) = catalogs.read_with_notes(with_skip_ranges).unwrap();
            let seen: Vec<(&str, &str)> = read[0]
                .packages
                .iter()
                .flat_map(|package| package.channels.iter().map(|channel| (&*package.name, &*channel.name)))
                .collect();
            assert_eq!(seen, [("hoe", "stable")]);
            assert_eq!(
                notes,
                [
                    "OLM does not see 2 bundles of the catalog olm/tools whose version or image in the database is NULL: \
                hoe.v2, rake.v1"
                ]
            );
        }
    }

    #[test]
    fn an_index_is_read_once_for_all_bundles_that_a_plan_installs() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("index");
        let csv = r#"{"apiVersion":"operators.coreos.com/v1alpha1","kind":"ClusterServiceVersion","spec":{}}"#;
        let rows = ["hoe", "rake"].map(|package| {
            format!(
                "INSERT INTO operatorbundle VALUES ('{package}.v1', '{csv}', '{csv}', '', '', '1.0.0', '', '', '');
                INSERT INTO package VALUES ('{package}', 'stable');
                INSERT INTO channel VALUES ('stable', '{package}', '{package}.v1');
                INSERT INTO channel_entry (channel_name, package_name, operatorbundle_name, depth)
                    VALUES ('stable', '{package}', '{package}.v1', 0);"
            )
        });
        let catalogs = catalogs_of(&folder, &rows.concat());
        let mut bundles = catalogs.bundles();
        let mut package_of = |package: &str| {
            let selected = Selected {
                name: format!("{package}.v1"),
                package: package.to_owned(),
                channel: "stable".to_owned(),
                catalog: "olm/tools".to_owned(),
                replaces: None,
            };
            assert_eq!(bundles.image(&selected).unwrap(), None);
            bundles.content(&selected).unwrap().package
        };
        assert_eq!(package_of("hoe"), "hoe");
        // To read the index again, its file would have to be opened again.
        fs::rename(&folder, parent.path().join("elsewhere")).unwrap();
        assert_eq!(package_of("rake"), "rake");
    }
}
