//! Makes a database from a file-based catalog: the reverse of [`render`](super::render).
//!
//! Channels keep their edges, and bundles keep their properties, dependencies, images and manifests. A database cannot
//! represent everything that a catalog can contain; [`NotKept`] lists all lost data, and nothing is omitted silently.

mod bundle;
mod not_kept;

pub use not_kept::{NotKept, Part};

use super::catalog_image::{EmptyCatalog, require_package};
use super::check::check_catalog;
use super::location::{CatalogFolder, IndexLocation};
use crate::catalog::file_based::document::Document;
use crate::catalog::file_based::error::CatalogError;
use crate::catalog::file_based::limits::CatalogLimits;
use crate::catalog::file_based::load::{LoadError, Loaded, load};
use crate::catalog::file_based::read::FileBasedCatalog;
use crate::catalog::file_based::shown::Shown;
use crate::catalog::file_based::{Deprecation, Icon, Schema};
use crate::catalog::graph::{Graph, HeadError, listed};
use crate::catalog::{BundleId, ChannelEntry, Package};
use crate::database::add::{AddError, Additions};
use crate::database::change::{self, Target};
use crate::diagnostic::{self, Diagnostic};
use crate::files::FileError;
use crate::rules;
use crate::text;
use crate::validation::Strictness;
use bundle::{Beside, Membership};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

/// An error that prevents an import.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// The catalog cannot be read.
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    /// The catalog is not valid.
    #[error("{catalog} is not a valid catalog")]
    Findings {
        /// The folder of the catalog.
        catalog: String,
        /// All findings, including the errors.
        findings: Vec<Diagnostic>,
    },
    /// The documents of the catalog are inconsistent.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The catalog contains no package.
    #[error(transparent)]
    Empty(#[from] EmptyCatalog),
    /// A document contains invalid JSON.
    #[error("bundle {bundle} of package {package} cannot be read")]
    Bundle {
        /// The package.
        package: String,
        /// The bundle.
        bundle: String,
        /// The problem with the document.
        source: serde_json::Error,
    },
    /// Two packages contain a bundle of the same name.
    #[error(
        "the packages {} and {} both contain a bundle {bundle}, but bundle names must be unique in a database; rename \
        one of them",
        .packages[0], .packages[1]
    )]
    SameName {
        /// The bundle.
        bundle: String,
        /// Both packages.
        packages: [String; 2],
    },
    /// A channel does not have exactly one head.
    #[error(transparent)]
    Head(#[from] HeadError),
    /// The buffer that holds the rows until all bundles are available cannot be written or read.
    #[error(transparent)]
    Spool(#[from] FileError),
    /// The database cannot be written.
    #[error(transparent)]
    Add(#[from] AddError),
}

/// The result of an import.
#[derive(Debug, Default)]
pub struct Imported {
    /// Defects of the catalog that are tolerated, and unknown fields inside values, which the database does not
    /// contain.
    pub findings: Vec<Diagnostic>,
    /// The data of the catalog that the database cannot represent, by package.
    pub not_kept: Vec<NotKept>,
}

/// Makes a database from the catalog in a folder.
///
/// # Errors
/// Returns an error if the catalog is not valid or the database cannot be written. In this case, no database is
/// created.
pub fn import(
    folder: &CatalogFolder,
    limits: CatalogLimits,
    strictness: &Strictness,
    target: &Target<'_>,
    options: &change::ChangeOptions,
) -> Result<Imported, ImportError> {
    import_if(folder, limits, strictness, target, options, |_| Ok(()))
}

/// Makes a database from the catalog in a folder that was fetched from `location`, like [`import`], but refuses a
/// catalog without a package.
///
/// # Errors
/// Returns an error if the catalog contains no package, or [`import`] fails.
pub fn import_packages(
    folder: &CatalogFolder,
    location: &IndexLocation,
    limits: CatalogLimits,
    strictness: &Strictness,
    target: &Target<'_>,
    options: &change::ChangeOptions,
) -> Result<Imported, ImportError> {
    let has_package = |files: &FileBasedCatalog| require_package(files, Path::new(&location.to_string()));
    import_if(folder, limits, strictness, target, options, has_package)
}

fn import_if(
    folder: &CatalogFolder,
    limits: CatalogLimits,
    strictness: &Strictness,
    target: &Target<'_>,
    options: &change::ChangeOptions,
    fits: impl FnOnce(&FileBasedCatalog) -> Result<(), EmptyCatalog>,
) -> Result<Imported, ImportError> {
    let mut findings = check_catalog(folder, limits, strictness)?;
    let origin = folder.known_as(folder.path()).display().to_string();
    if diagnostic::has_errors(&findings) {
        return Err(ImportError::Findings {
            catalog: origin,
            findings,
        });
    }
    let files = folder.read(limits)?;
    fits(&files)?;
    let loaded = load(&files)?;
    let beside = target.path().parent().filter(|folder| folder.is_dir());
    let mut import = Import {
        files: &files,
        loaded: &loaded,
        origin,
        additions: Additions::new(beside.unwrap_or_else(|| Path::new("."))),
        graphs: Vec::new(),
        packages: HashMap::new(),
        not_kept: Vec::new(),
    };
    import.documents()?;
    for package in &loaded.catalog.packages {
        import.package(package)?;
    }
    import.additions.commit_as(&import.graphs, target, options)?;
    import.not_kept.sort();
    findings.retain(|finding| finding.rule.consequence().is_some() || is_lost_inside(finding));
    Ok(Imported {
        findings,
        not_kept: import.not_kept,
    })
}

/// Returns whether the finding is about an unknown field inside a value, such as an entry of a channel. The unknown
/// fields of documents are in [`NotKept`].
fn is_lost_inside(finding: &Diagnostic) -> bool {
    let steps = finding
        .path
        .as_deref()
        .map_or(0, |path| text::Path::parse(path).steps().len());
    *finding.rule == rules::CATALOG_FIELD_UNKNOWN && steps > 1
}

struct Import<'a> {
    files: &'a FileBasedCatalog,
    loaded: &'a Loaded,
    origin: String,
    additions: Additions,
    graphs: Vec<Graph>,
    /// The documents of packages, by package.
    packages: HashMap<String, Document>,
    not_kept: Vec<NotKept>,
}

impl<'a> Import<'a> {
    fn not_kept(&mut self, package: &str, part: Part) {
        let package = package.to_owned();
        self.not_kept.push(NotKept { package, part });
    }

    /// Reads all documents, keeps those of packages, and records the data that a database cannot represent.
    fn documents(&mut self) -> Result<(), ImportError> {
        for handle in &self.files.handles {
            let document = self.files.document(handle)?;
            let (schema, name) = (handle.schema.to_string(), handle.name.to_string());
            if handle.schema == Schema::Deprecations {
                for Deprecation { reference, .. } in document.deprecations().unwrap_or_default() {
                    let schema = reference.schema.map(|schema| schema.to_string()).unwrap_or_default();
                    let name = reference.name;
                    self.not_kept(&handle.package, Part::Deprecation { schema, name });
                }
                continue;
            }
            // A database cannot represent any other document of a catalog.
            if !matches!(handle.schema, Schema::Package | Schema::Channel | Schema::Bundle) {
                self.not_kept(&handle.package, Part::Document { schema, name });
                continue;
            }
            for field in document.unknown_fields() {
                let (schema, name, field) = (schema.clone(), name.clone(), field.to_owned());
                self.not_kept(&handle.package, Part::Field { schema, name, field });
            }
            // A database has properties of bundles only.
            if handle.schema != Schema::Bundle && document.properties().is_ok_and(|properties| !properties.is_empty()) {
                let (schema, name, field) = (schema.clone(), name.clone(), "properties".to_owned());
                self.not_kept(&handle.package, Part::Field { schema, name, field });
            }
            if handle.schema == Schema::Package {
                self.packages.insert(name, document);
            }
        }
        Ok(())
    }

    fn package(&mut self, package: &'a Package) -> Result<(), ImportError> {
        let (graph, differences) = listed(&self.loaded.catalog, package)?;
        for difference in differences {
            self.not_kept(&package.name, Part::Graph(difference));
        }
        let default_channel = package.default_channel.as_deref().unwrap_or_default();
        let head = package
            .channel(default_channel)
            .and_then(|channel| channel.head.clone());
        let mut icon = None;
        for (bundle, membership) in self.members(package) {
            let shown = self.bundle(package, bundle, membership)?;
            let name = self.loaded.catalog.bundle(bundle).map(|bundle| &bundle.name);
            if name == head.as_ref() {
                icon = shown;
            }
        }
        self.graphs.push(graph);
        let Some(document) = self.packages.get(&*package.name) else {
            return Ok(());
        };
        let own = document
            .field("icon")
            .and_then(|icon| serde_json::from_str::<Icon>(icon.get()).ok());
        let described = !document.text("description").is_empty();
        if described {
            self.not_kept(&package.name, Part::Description);
        }
        if own.is_some() && own != icon {
            self.not_kept(&package.name, Part::Icon);
        }
        Ok(())
    }

    /// Returns the bundles of a package, each with its channels and its effective entry: the entry in the default
    /// channel, otherwise the entry in the first channel, by name, that lists the bundle. The skip range is chosen in
    /// the same way among the entries that have one.
    fn members(&mut self, package: &'a Package) -> BTreeMap<BundleId, Membership<'a>> {
        let mut members: BTreeMap<BundleId, Membership<'a>> = BTreeMap::new();
        for channel in &package.channels {
            let is_default = package.default_channel.as_deref() == Some(&*channel.name);
            for entry in &channel.entries {
                let (replaces, skips) = self.edges(entry);
                let member = members.entry(entry.bundle).or_insert_with(|| Membership {
                    package: &package.name,
                    channels: BTreeSet::new(),
                    replaces,
                    skips: skips.clone(),
                    skip_range: None,
                });
                member.channels.insert(channel.name.to_string());
                if is_default {
                    (member.replaces, member.skips) = (replaces, skips);
                }
                if let Some(range) = entry.skip_range.as_deref()
                    && (is_default || member.skip_range.is_none())
                {
                    member.skip_range = Some(range);
                }
            }
        }
        for channel in &package.channels {
            for entry in &channel.entries {
                let stored = members.get(&entry.bundle).and_then(|member| member.skip_range);
                if entry.skip_range.as_deref() == stored {
                    continue;
                }
                let bundle = self.loaded.catalog.bundle(entry.bundle);
                let part = Part::SkipRange {
                    channel: channel.name.to_string(),
                    bundle: bundle.map(|bundle| bundle.name.to_string()).unwrap_or_default(),
                    range: entry.skip_range.as_deref().map(str::to_owned),
                    stored: stored.map(str::to_owned),
                };
                self.not_kept(&package.name, part);
            }
        }
        members
    }

    /// Returns the bundles that an entry replaces and skips in a database. In a database, an entry can replace only a
    /// bundle that the database contains. If the replaced bundle is absent, the entry skips it instead.
    fn edges(&self, entry: &'a ChannelEntry) -> (Option<&'a str>, Vec<&'a str>) {
        let is_there = |name: &&str| self.loaded.catalog.find(name).is_some();
        let mut skips: Vec<&str> = entry.skips.iter().map(|name| &**name).collect();
        let listed = entry.replaces.as_deref();
        let replaces = listed.filter(is_there);
        let absent = listed.filter(|name| !is_there(name) && !skips.contains(name));
        skips.extend(absent);
        (replaces, skips)
    }

    /// Adds a bundle. Returns the icon from its ClusterServiceVersion.
    fn bundle(
        &mut self,
        package: &Package,
        id: BundleId,
        membership: Membership<'_>,
    ) -> Result<Option<Icon>, ImportError> {
        let Some(bundle) = self.loaded.catalog.bundle(id) else {
            return Ok(None);
        };
        if self.is_named_elsewhere(id) {
            return Err(self.same_name(&bundle.name));
        }
        let number = usize::try_from(bundle.manifests.0).unwrap_or(usize::MAX);
        let Some(handle) = self.files.handles.get(number) else {
            return Ok(None);
        };
        let document = self.files.document(handle)?;
        let of_package = self.packages.get(&*package.name);
        let read = bundle::read(&self.origin, bundle, membership, &document, of_package);
        let (record, Beside { unnamed, metadata }) = read.map_err(|source| ImportError::Bundle {
            package: package.name.to_string(),
            bundle: bundle.name.to_string(),
            source,
        })?;
        if !unnamed.is_empty() {
            let (bundle, images) = (bundle.name.to_string(), unnamed);
            self.not_kept(&package.name, Part::ImageNames { bundle, images });
        }
        for field in metadata {
            let bundle = bundle.name.to_string();
            self.not_kept(&package.name, Part::Metadata { bundle, field });
        }
        self.additions.push(&record)?;
        let csv = record.manifests.text.get(record.manifests.csv).unwrap_or_default();
        Ok(std::str::from_utf8(csv).ok().and_then(|csv| Shown::of_csv(csv).icon))
    }

    /// Returns whether another bundle has the same name. Bundles are sorted by name, so only the adjacent ones are
    /// compared.
    fn is_named_elsewhere(&self, id: BundleId) -> bool {
        let bundles = &self.loaded.catalog.bundles;
        let at = id.0 as usize;
        let name = |at: usize| bundles.get(at).map(|bundle| &bundle.name);
        name(at).is_some()
            && (name(at) == name(at + 1) || at.checked_sub(1).is_some_and(|before| name(before) == name(at)))
    }

    fn same_name(&self, bundle: &str) -> ImportError {
        let handles = self.files.handles.iter();
        let mut packages = handles
            .filter(|handle| handle.schema == Schema::Bundle && &*handle.name == bundle)
            .map(|handle| handle.package.to_string());
        let mut next = || packages.next().unwrap_or_default();
        ImportError::SameName {
            bundle: bundle.to_owned(),
            packages: [next(), next()],
        }
    }
}
