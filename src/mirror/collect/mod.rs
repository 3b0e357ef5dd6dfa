//! Creates a plan from a mirror request: collects the requested parts of catalogs, their images, the content of these
//! images, and their referrers.

mod catalog;
mod extensions;
mod images;
mod opened;

use super::CONCURRENCY;
use super::assembly::Assembly;
use super::contested::Contested;
use super::filter::{UnknownBundle, Unreached};
use super::images::Unlisted;
use super::naming::CATALOG;
use super::placed::PlacedError;
use super::plan::{ImageRole, Plan, PlanError, Use};
use super::request::{MirrorRequest, Place};
use crate::catalog::file_based::edit::CatalogEditError;
use crate::catalog::file_based::error::CatalogError;
use crate::catalog::file_based::load::LoadError;
use crate::catalog::file_based::migrate::LostIcons;
use crate::diagnostic::Diagnostic;
use crate::files::FileError;
use crate::image::{ImageError, Platform, Transports};
use crate::index::catalog_image::{CatalogImageError, CatalogImageOptions};
use crate::index::open::OpenError;
use crate::index::render::folder::FolderError;
use crate::index::render::sources::{SourceError, SourceOptions};
use crate::index::server::BaseDoubt;
use crate::resolver::closure::Unsatisfied;
use crate::shape::nearest;
use extensions::{Extended, extended};
use images::Wanted;
use opened::Opened;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// The options for creating a plan.
#[derive(Debug, Clone)]
pub struct PlanOptions<'a> {
    /// The options for reading catalogs.
    pub reading: SourceOptions<'a>,
    /// The options for building the images of filtered catalogs.
    pub building: CatalogImageOptions<'a>,
    /// The OCI layout for the catalog images that are not in a registry, which are tagged with [`catalog_tag`].
    pub layout: PathBuf,
    /// Whether to include signatures and other referrers.
    pub extras: bool,
    /// The number of images that are looked up concurrently.
    pub parallel: usize,
}

impl<'a> PlanOptions<'a> {
    /// Returns the options for a plan that includes referrers. `layout` receives the images that `building` describes.
    pub fn new(building: CatalogImageOptions<'a>, layout: PathBuf) -> Self {
        Self {
            reading: SourceOptions::default(),
            building,
            layout,
            extras: true,
            parallel: CONCURRENCY.into(),
        }
    }
}

/// A plan and the notes about it.
#[derive(Debug)]
pub struct Collected {
    /// The plan.
    pub plan: Plan,
    /// The notes.
    pub notes: CollectNotes,
}

/// What a user needs to know about a plan in addition to its content.
#[derive(Debug, Default)]
pub struct CollectNotes {
    /// Messages about the requested extensions that the plan lacks, because the catalogs contain nothing for them.
    pub skipped: Vec<String>,
    /// Remarks about the other extensions.
    pub remarks: Vec<String>,
    /// The dependencies that were followed, but that no bundle in the catalog satisfies.
    pub unsatisfied: Vec<Unsatisfied>,
    /// Findings about the catalogs, none of which are errors.
    pub findings: Vec<Diagnostic>,
    /// Versions that clusters upgrade from, but that have no update path in the kept channels of their package.
    pub unreached: Vec<Unreached>,
    /// The bundles of kept packages that are not in the plan because a database marks them as deprecated.
    pub deprecated: BTreeSet<String>,
    /// The icons of kept packages that the rebuilt catalogs lack.
    pub lost_icons: Vec<LostIcons>,
    /// The installed bundles that their catalog does not contain, so that it is not known how to upgrade from them.
    pub unknown: Vec<UnknownBundle>,
    /// For each rebuilt catalog, the platforms of its image that the program in the new image does not support, if all
    /// platforms were requested.
    pub lost: Vec<(String, Vec<Platform>)>,
    /// For each rebuilt catalog, the platforms that were requested by name, but that the program in the new image does
    /// not support.
    pub lacking: Vec<(String, Vec<Platform>)>,
    /// The reasons why the new catalog images probably cannot serve their catalogs.
    pub doubts: Vec<BaseDoubt>,
    /// The tags that references give to several images, which are therefore mirrored without them.
    pub contested: Vec<Contested>,
    /// The errors of registries that could not be reached. The key is the reason that the plan gives for leaving out
    /// the images of the registry.
    pub unreachable: BTreeMap<String, ImageError>,
    /// The reasons that the plan gives for leaving out image indexes of which the image for one platform cannot be
    /// read.
    pub without_platform: BTreeSet<String>,
    /// The images that kept bundles mention but do not list, each with the names of the bundles, except those that are
    /// requested or blocked. The plan does not contain them.
    pub unlisted: Unlisted,
    /// Whether none of the wanted images could be read, so that the plan contains at most catalogs.
    pub is_empty: bool,
}

/// An error while creating a plan.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CollectError {
    /// A catalog cannot be read.
    #[error("cannot read the catalog {catalog}")]
    Source {
        /// The name of the catalog.
        catalog: String,
        /// The underlying error.
        source: Box<SourceError>,
    },
    /// A catalog cannot be written to a folder.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The selection is not in a catalog, or does not form a consistent catalog.
    #[error("cannot filter the catalog {catalog}")]
    Filter {
        /// The name of the catalog.
        catalog: String,
        /// The underlying error.
        source: Box<CatalogEditError>,
    },
    /// A catalog does not contain a selected package.
    #[error("{catalog} has no package {package:?}")]
    Package {
        /// The name of the catalog.
        catalog: String,
        /// The name of the package.
        package: String,
        /// The most similar name in the catalog.
        nearest: Option<String>,
    },
    /// No catalog contains a package that the request names in addition to the selected parts.
    #[error("none of the catalogs has a package {package:?}")]
    NoPackage {
        /// The name of the package.
        package: String,
        /// The most similar name in the catalogs.
        nearest: Option<String>,
    },
    /// The filtered catalog has a fault. It is a temporary copy, so the place of the fault means nothing to the user.
    #[error("{catalog}: {problem}")]
    Content {
        /// The name of the catalog.
        catalog: String,
        /// The fault.
        problem: String,
    },
    /// The filtered catalog cannot be read.
    #[error(transparent)]
    Open(Box<OpenError>),
    /// The image of a filtered catalog cannot be built.
    #[error(transparent)]
    Build(Box<CatalogImageError>),
    /// An image cannot be read.
    #[error(transparent)]
    Image(#[from] ImageError),
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// Two images would have the same name at the target, or an image would have an invalid name.
    #[error(transparent)]
    Placed(#[from] PlacedError),
    /// The plan is inconsistent, so that no command could read it.
    #[error("the plan would be unusable")]
    Plan(#[from] PlanError),
}

impl CollectError {
    /// Converts an error about changes of a catalog.
    fn filter(catalog: &str, error: CatalogEditError) -> Self {
        let catalog = catalog.to_owned();
        match error {
            CatalogEditError::Package { package, nearest, .. } => Self::Package {
                catalog,
                package,
                nearest,
            },
            error => Self::Filter {
                catalog,
                source: Box::new(error),
            },
        }
    }

    /// Converts an error about the temporary copy of a part of a catalog.
    fn of_copy(catalog: &str, error: OpenError) -> Self {
        let problem = match error {
            OpenError::Catalog(CatalogError::Document { problem, .. }) => problem,
            OpenError::Load(LoadError::Document { problem, .. }) => problem.to_string(),
            other => return other.into(),
        };
        let catalog = catalog.to_owned();
        Self::Content { catalog, problem }
    }
}

impl From<OpenError> for CollectError {
    fn from(error: OpenError) -> Self {
        Self::Open(Box::new(error))
    }
}

impl From<CatalogImageError> for CollectError {
    fn from(error: CatalogImageError) -> Self {
        Self::Build(Box::new(error))
    }
}

/// Returns the tag of a catalog image in the layout next to a plan; `place` is the position of the catalog in
/// the plan.
pub fn catalog_tag(place: usize) -> String {
    format!("catalog-{place}")
}

/// Returns the repository name in a plan of a catalog image in the layout next to it; `place` is the position of the
/// catalog in the plan.
pub fn catalog_source(place: usize) -> String {
    format!("{CATALOG}{place}")
}

/// Creates the plan of a mirror. Only the manifests of images are read. Unreadable content is excluded, and the plan
/// records the reason.
///
/// ```
/// use opmx::catalog::selection::part::Versions;
/// use opmx::image::{ImageOptions, RetryPolicy, Silent, Transports};
/// use opmx::index::catalog_image::{CatalogImageOptions, CatalogServer};
/// use opmx::mirror::collect::{PlanOptions, collect};
/// use opmx::mirror::request::{CatalogRequest, MirrorRequest};
/// use opmx::validation::Strictness;
/// use std::sync::Arc;
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let folder = tempfile::tempdir()?;
/// let catalog = folder.path().join("catalog.yaml");
/// std::fs::write(&catalog, "\
/// schema: olm.package
/// name: rake
/// defaultChannel: stable
/// ---
/// schema: olm.channel
/// package: rake
/// name: stable
/// entries: [{name: rake.v1.0.0}, {name: rake.v1.1.0, replaces: rake.v1.0.0}]
/// ---
/// schema: olm.bundle
/// package: rake
/// name: rake.v1.0.0
/// properties: [{type: olm.package, value: {packageName: rake, version: 1.0.0}}]
/// image: 127.0.0.1:1/rake:v1.0.0
/// ---
/// schema: olm.bundle
/// package: rake
/// name: rake.v1.1.0
/// properties: [{type: olm.package, value: {packageName: rake, version: 1.1.0}}]
/// image: 127.0.0.1:1/rake:v1.1.0
/// ")?;
/// let request = MirrorRequest {
///     catalogs: vec![CatalogRequest {
///         catalog: catalog.display().to_string(),
///         versions: Versions::Head,
///         ..CatalogRequest::default()
///     }],
///     ..MirrorRequest::default()
/// };
/// let strictness = Strictness::default();
/// let server = CatalogServer::Absent(vec!["linux/amd64".parse()?]);
/// let building = CatalogImageOptions::new(server, &strictness);
/// let options = PlanOptions::new(building, folder.path().join("plan.catalogs"));
/// let retry = RetryPolicy { retries: 0, ..RetryPolicy::default() };
/// let transports = Transports::new(ImageOptions { retry, ..ImageOptions::default() }, Arc::new(Silent));
/// let plan = collect(&request, &transports, &options).await?.plan;
/// assert_eq!(plan.catalogs[0].kept[0].channels[0].entries, ["rake.v1.1.0"]);
/// // No registry serves the image of the bundle.
/// assert_eq!(plan.left_out[0].image, "127.0.0.1:1/rake:v1.1.0");
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Returns an error if a catalog cannot be read or filtered, or two images would have the same name at the target.
pub async fn collect(
    request: &MirrorRequest,
    transports: &Transports,
    options: &PlanOptions<'_>,
) -> Result<Collected, CollectError> {
    let mut opened = Vec::new();
    for catalog in &request.catalogs {
        opened.push(Opened::new(&catalog.catalog, transports, &options.reading).await?);
    }
    let limits = options.reading.limits.index.catalog;
    let Extended {
        request,
        skipped,
        remarks,
    } = extended(request, &mut opened, limits)?;
    let request = &request;
    let mut collector = Collector {
        request,
        transports,
        options,
        assembly: Assembly::new(request.naming.as_ref().map(|naming| naming.target.to_string())),
        wanted: BTreeMap::new(),
        packages: BTreeSet::new(),
        notes: CollectNotes {
            skipped,
            remarks,
            ..CollectNotes::default()
        },
    };
    for (place, (catalog, opened)) in request.catalogs.iter().zip(opened).enumerate() {
        collector.add_catalog(place, catalog, &opened).await?;
    }
    collector.require_named()?;
    for image in &request.images {
        let use_of = Use {
            role: ImageRole::Additional,
            package: None,
            bundle: None,
            name: None,
        };
        collector.want(&image.image, use_of, &image.place, &image.platforms);
    }
    collector.notes.unlisted = collector.still_unlisted();
    collector.add_images().await;
    if options.extras {
        collector.add_extras().await;
    }
    let mut notes = collector.notes;
    notes.unsatisfied.sort();
    notes.unsatisfied.dedup();
    let (plan, contested) = collector.assembly.finish()?;
    notes.contested = contested;
    plan.check()?;
    Ok(Collected { plan, notes })
}

struct Collector<'a> {
    request: &'a MirrorRequest,
    transports: &'a Transports,
    options: &'a PlanOptions<'a>,
    assembly: Assembly,
    /// The requested images, by stored reference and place at the target.
    wanted: BTreeMap<(String, Place), Wanted>,
    /// The names of all packages of the catalogs.
    packages: BTreeSet<String>,
    notes: CollectNotes,
}

impl Collector<'_> {
    /// Makes sure that the catalogs contain the packages for which the request specifies a default channel or a
    /// preference. A misspelled name would have no effect.
    fn require_named(&self) -> Result<(), CollectError> {
        for catalog in &self.request.catalogs {
            let channels = catalog.default_channels.keys().map(String::as_str);
            let mut named = channels.chain(catalog.follow.preferences.named());
            if let Some(package) = named.find(|name| !self.packages.contains(*name)) {
                return Err(CollectError::NoPackage {
                    package: package.to_owned(),
                    nearest: nearest(package, self.packages.iter().map(String::as_str)).map(str::to_owned),
                });
            }
        }
        Ok(())
    }
}
