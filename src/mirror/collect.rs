//! Creates a plan from a mirror request: collects the requested parts of catalogs, their images, the content of these
//! images, and their referrers.

use super::assembly::{Assembly, ImageNames};
use super::extras::{self, FoundExtra, Subjects};
use super::filter::{Filtered, Unreached, filter};
use super::images::{ImagesError, Query, images};
use super::naming::{TakenError, digest_tag, repository_of, tags};
use super::placed::CATALOG;
use super::plan::{ImageRole, Plan, PlannedCatalog, Use};
use super::request::{CatalogRequest, MirrorRequest, Place};
use super::survey::{Subject, of_document, survey};
use crate::bundle::location::is_path;
use crate::catalog::file_based::edit::{CatalogEditError, Editor};
use crate::causes::with_causes;
use crate::diagnostic::Diagnostic;
use crate::files::{FileError, TemporaryFolder};
use crate::image::{Digest, ImageError, Platform, Reference, RegistryReference, Transports};
use crate::index::catalog_image::{CatalogImageError, CatalogImageOptions, CatalogServer, build};
use crate::index::location::CatalogFolder;
use crate::index::open::{Index, OpenError};
use crate::index::render::folder::{FolderError, write_folder};
use crate::index::render::sources::{Form, RenderSource, SourceError, SourceOptions};
use crate::resolver::closure::Unsatisfied;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The options for creating a plan.
#[derive(Debug)]
pub struct PlanOptions<'a> {
    /// The options for reading catalogs.
    pub reading: SourceOptions<'a>,
    /// The options for building the images of filtered catalogs.
    pub building: CatalogImageOptions<'a>,
    /// The OCI layout for the images of filtered catalogs, which are tagged with [`catalog_tag`].
    pub layout: PathBuf,
    /// Whether to include signatures and other referrers.
    pub extras: bool,
    /// The number of images that are looked up concurrently.
    pub parallel: usize,
}

/// A plan and the findings about it.
#[derive(Debug)]
pub struct Collected {
    /// The plan.
    pub plan: Plan,
    /// Followed dependencies that no bundle in the catalog satisfies.
    pub unsatisfied: Vec<Unsatisfied>,
    /// Findings about the catalogs, none of which are errors.
    pub findings: Vec<Diagnostic>,
    /// Versions to upgrade from for which a package has no update path.
    pub unreached: Vec<Unreached>,
    /// The errors of registries that could not be reached, by the reason in the plan for leaving out their images.
    pub unreachable: BTreeMap<String, ImageError>,
    /// Whether none of the wanted images could be read, so that the plan contains at most catalogs.
    pub is_empty: bool,
}

/// An error while creating a plan.
#[derive(Debug, thiserror::Error)]
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
    /// Two images would have the same name at the target.
    #[error(transparent)]
    Taken(#[from] TakenError),
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

/// Returns the tag of a filtered catalog image in the layout next to a plan; `place` is the index of the catalog in the
/// plan.
pub fn catalog_tag(place: usize) -> String {
    format!("catalog-{place}")
}

/// Returns the repository name of a filtered catalog image in a plan; `place` is the index of the catalog in the plan.
pub fn catalog_source(place: usize) -> String {
    format!("{CATALOG}{place}")
}

/// A requested image.
struct Wanted {
    uses: BTreeSet<Use>,
    /// The requested platforms; all platforms if empty.
    platforms: BTreeSet<Platform>,
}

/// Creates the plan of a mirror. Only the manifests of images are read. Unreadable content is excluded, and the plan
/// records the reason.
///
/// ```
/// use opmx::catalog::file_based::limits::CatalogLimits;
/// use opmx::catalog::selection::part::Versions;
/// use opmx::image::{ImageOptions, RetryPolicy, Silent, Transports};
/// use opmx::index::catalog_image::{CatalogImageOptions, CatalogServer};
/// use opmx::index::open::SourceLimits;
/// use opmx::index::render::{RenderOptions, sources::SourceOptions};
/// use opmx::mirror::collect::{PlanOptions, collect};
/// use opmx::mirror::request::{CatalogRequest, MirrorRequest, Place};
/// use opmx::resolver::closure::Follow;
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
///         parts: [].into(),
///         versions: Versions::Head,
///         default_channels: [].into(),
///         follow: Follow::default(),
///         place: Place::default(),
///         platforms: [].into(),
///     }],
///     ..MirrorRequest::default()
/// };
/// let strictness = Strictness::default();
/// let options = PlanOptions {
///     reading: SourceOptions {
///         limits: SourceLimits::default(),
///         strictness: Strictness::default(),
///         options: RenderOptions::default(),
///         published: None,
///     },
///     building: CatalogImageOptions {
///         server: CatalogServer::Absent(vec!["linux/amd64".parse()?]),
///         labels: [].into(),
///         limits: CatalogLimits::default(),
///         strictness: &strictness,
///         epoch: 0,
///     },
///     layout: folder.path().join("plan.catalogs"),
///     extras: true,
///     parallel: 8,
/// };
/// let retry = RetryPolicy { retries: 0, ..RetryPolicy::default() };
/// let transports = Transports::new(ImageOptions { retry, ..ImageOptions::default() }, Arc::new(Silent));
/// let plan = collect(&request, &transports, &options).await?.plan;
/// assert_eq!(plan.catalogs[0].kept[0].channels[0].entries, ["rake.v1.1.0"]);
/// // Nobody serves the image of the bundle.
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
    let mut collector = Collector {
        request,
        transports,
        options,
        assembly: Assembly::new(request.naming.as_ref().map(|naming| naming.target.to_string())),
        wanted: BTreeMap::new(),
        unsatisfied: Vec::new(),
        findings: Vec::new(),
        unreached: Vec::new(),
        unreachable: BTreeMap::new(),
        is_empty: false,
    };
    for (place, catalog) in request.catalogs.iter().enumerate() {
        collector.add_catalog(place, catalog).await?;
    }
    for image in &request.images {
        let use_of = Use {
            role: ImageRole::Additional,
            package: None,
            bundle: None,
            name: None,
        };
        collector.want(&image.image, use_of, &image.place, &image.platforms);
    }
    collector.add_images().await?;
    if options.extras {
        collector.add_extras().await;
    }
    let mut unsatisfied = collector.unsatisfied;
    unsatisfied.sort();
    unsatisfied.dedup();
    Ok(Collected {
        plan: collector.assembly.finish()?,
        unsatisfied,
        findings: collector.findings,
        unreached: collector.unreached,
        unreachable: collector.unreachable,
        is_empty: collector.is_empty,
    })
}

struct Collector<'a> {
    request: &'a MirrorRequest,
    transports: &'a Transports,
    options: &'a PlanOptions<'a>,
    assembly: Assembly,
    /// The requested images, by stored reference and place.
    wanted: BTreeMap<(String, Place), Wanted>,
    unsatisfied: Vec<Unsatisfied>,
    findings: Vec<Diagnostic>,
    unreached: Vec<Unreached>,
    unreachable: BTreeMap<String, ImageError>,
    is_empty: bool,
}

impl Collector<'_> {
    async fn add_catalog(&mut self, place: usize, request: &CatalogRequest) -> Result<(), CollectError> {
        let named = self.pinned(&request.catalog).await?;
        let temporary = TemporaryFolder::new()?;
        let folder = temporary.path().join("catalog");
        let filtered = self.filtered(&named.text, request, &folder).await?;
        let index = Index::of_catalog(
            CatalogFolder::from(folder.as_path()),
            self.options.reading.limits.index.catalog,
        )?;
        self.want_images_of(&index, &filtered, request)?;
        drop(index);
        let rebuilt = !(request.is_whole() && named.reference.is_some() && self.request.blocked.is_empty());
        let (subject, tags) = if rebuilt {
            let to = Reference::Layout {
                directory: self.options.layout.clone(),
                tag: Some(catalog_tag(place)),
            };
            let built = build(&folder, &to, self.transports, &self.options.building).await;
            let built = built.map_err(|error| error.named(&request.catalog))?;
            self.findings.extend(built.findings);
            let source = catalog_source(place);
            (
                Subject {
                    reference: built.pinned,
                    source,
                    platforms: BTreeSet::new(),
                },
                BTreeSet::new(),
            )
        } else {
            let reference = named.reference.clone().unwrap_or(Reference::Layout {
                directory: PathBuf::from(&named.text),
                tag: None,
            });
            let tags = named
                .registry()
                .map(|image| tags(image, &request.place))
                .unwrap_or_default();
            let source = named.registry().map_or_else(|| catalog_source(place), repository_of);
            (
                Subject {
                    reference,
                    source,
                    platforms: request.platforms.clone(),
                },
                tags,
            )
        };
        let looked = survey(self.transports, std::slice::from_ref(&subject), 1).await;
        let looked = looked.into_iter().next().transpose()?;
        let Some(looked) = looked else { return Ok(()) };
        self.assembly.add_reasons(filtered.because);
        self.unsatisfied.extend(filtered.unsatisfied);
        self.unreached.extend(filtered.unreached);
        if let Some(why) = looked.without_platforms() {
            self.assembly.leave_out(&request.catalog, BTreeSet::new(), why);
            return Ok(());
        }
        let destination = self
            .request
            .naming
            .as_ref()
            .map(|naming| naming.catalog(&request.catalog, named.digest.is_some(), &request.place));
        let tag = request.place.tag.clone().or_else(|| named.tag());
        let mut tags = tags;
        tags.insert(tag.unwrap_or_else(|| match named.reference {
            Some(_) => digest_tag(&looked.digest),
            None => "latest".to_owned(),
        }));
        let name = destination
            .as_ref()
            .zip(tags.first())
            .map(|(destination, tag)| format!("{destination}:{tag}"));
        self.assembly.add_catalog(PlannedCatalog {
            source: request.catalog.clone(),
            digest: named.digest,
            kept: filtered.kept,
            rebuilt,
            serves: rebuilt && matches!(self.options.building.server, CatalogServer::Program(_)),
            digest_after: looked.digest,
            path: request.place.repository.clone(),
            destination: name,
        });
        let use_of = Use {
            role: ImageRole::Catalog,
            package: None,
            bundle: None,
            name: None,
        };
        let source = if rebuilt {
            subject.source.clone()
        } else {
            subject.reference.with_digest(&looked.digest).to_string()
        };
        let names = ImageNames {
            source,
            origins: BTreeSet::from([request.catalog.clone()]),
            path: request.place.repository.clone(),
            destination,
            tags,
        };
        self.assembly.add_image(names, BTreeSet::from([use_of]), &looked);
        Ok(())
    }

    /// Resolves the name of an index. If the index is an image, it is resolved to a digest.
    async fn pinned(&self, name: &str) -> Result<Named, CollectError> {
        let mut named = Named {
            text: name.to_owned(),
            written: None,
            reference: None,
            digest: None,
        };
        if Path::new(name).exists() || is_path(name) {
            return Ok(named);
        }
        if let Ok(reference) = name.parse::<Reference>() {
            let digest = self.transports.resolve(&reference).await?;
            let pinned = reference.with_digest(&digest);
            named.text = pinned.to_string();
            named.written = Some(reference);
            named.reference = Some(pinned);
            named.digest = Some(digest);
        }
        Ok(named)
    }

    /// Writes the requested part of a catalog to a folder.
    async fn filtered(&self, name: &str, request: &CatalogRequest, folder: &Path) -> Result<Filtered, CollectError> {
        let source = |source: SourceError| CollectError::Source {
            catalog: request.catalog.clone(),
            source: Box::new(source),
        };
        let opened = RenderSource::open(name, self.transports, &self.options.reading)
            .await
            .map_err(source)?;
        write_folder(&[opened], Form::default(), folder)?;
        let catalog = request.catalog.clone();
        let fail = |error: CatalogEditError| match error {
            CatalogEditError::Package { package, nearest, .. } => CollectError::Package {
                catalog: catalog.clone(),
                package,
                nearest,
            },
            error => CollectError::Filter {
                catalog: catalog.clone(),
                source: Box::new(error),
            },
        };
        let mut editor = Editor::open(folder, self.options.reading.limits.index.catalog).map_err(fail)?;
        let filtered = filter(&mut editor, request).map_err(fail)?;
        editor.finish().map_err(fail)?.write()?;
        Ok(filtered)
    }

    fn want_images_of(
        &mut self,
        index: &Index,
        filtered: &Filtered,
        request: &CatalogRequest,
    ) -> Result<(), CollectError> {
        let mut packages: BTreeMap<&str, &str> = BTreeMap::new();
        for package in &filtered.kept {
            let entries = package.channels.iter().flat_map(|channel| &channel.entries);
            packages.extend(entries.map(|bundle| (bundle.as_str(), package.package.as_str())));
        }
        let found = images(index, &Query::default()).map_err(|error| match error {
            ImagesError::Index(error) => CollectError::Open(error),
            // The query does not select anything by name.
            ImagesError::Selection(_) => CollectError::Open(Box::new(OpenError::Bundle {
                name: request.catalog.clone(),
            })),
        })?;
        for image in found.images {
            for used in image.bundles {
                let use_of = Use {
                    role: used.role.into(),
                    package: packages.get(used.name.as_str()).map(|package| (*package).to_owned()),
                    bundle: Some(used.name),
                    name: None,
                };
                self.want(&image.image, use_of, &Place::default(), &request.platforms);
            }
        }
        Ok(())
    }

    fn want(&mut self, image: &str, use_of: Use, place: &Place, platforms: &BTreeSet<Platform>) {
        let key = (image.to_owned(), place.clone());
        let Some(known) = self.wanted.get_mut(&key) else {
            let wanted = Wanted {
                uses: BTreeSet::from([use_of]),
                platforms: platforms.clone(),
            };
            self.wanted.insert(key, wanted);
            return;
        };
        known.uses.insert(use_of);
        // If all platforms are requested for one use of the image, all are included.
        if platforms.is_empty() || known.platforms.is_empty() {
            known.platforms.clear();
        } else {
            known.platforms.extend(platforms.iter().cloned());
        }
    }

    async fn add_images(&mut self) -> Result<(), CollectError> {
        let wanted = std::mem::take(&mut self.wanted);
        let (mut subjects, mut names) = (Vec::new(), Vec::new());
        for ((image, place), wanted) in &wanted {
            let blocked = self.request.blocked.iter().find(|pattern| pattern.is_match(image));
            if let Some(pattern) = blocked {
                self.assembly.block(image, bundles(&wanted.uses), pattern.as_str());
                continue;
            }
            match image.parse() {
                Ok(Reference::Registry(reference)) => {
                    subjects.push(Subject {
                        reference: Reference::Registry(reference.clone()),
                        source: repository_of(&reference),
                        platforms: wanted.platforms.clone(),
                    });
                    names.push((image, place, reference, wanted));
                }
                Ok(_) => self.assembly.leave_out(
                    image,
                    bundles(&wanted.uses),
                    "it is not an image in a registry".to_owned(),
                ),
                Err(error) => self
                    .assembly
                    .leave_out(image, bundles(&wanted.uses), with_causes(&error)),
            }
        }
        let looked = survey(self.transports, &subjects, self.options.parallel).await;
        let mut read = 0_usize;
        for ((image, place, reference, wanted), looked) in names.into_iter().zip(looked) {
            let looked = match looked {
                Ok(looked) => looked,
                Err(error) => {
                    let mut why = error.reason();
                    if error.is_unreachable() {
                        why = format!("the registry {} cannot be reached: {why}", reference.registry());
                        self.unreachable.entry(why.clone()).or_insert(error);
                    }
                    self.assembly.leave_out(image, bundles(&wanted.uses), why);
                    continue;
                }
            };
            if let Some(why) = looked.without_platforms() {
                self.assembly.leave_out(image, bundles(&wanted.uses), why);
                continue;
            }
            for layer in &looked.foreign {
                let why = format!("its layer {layer} is distributed by its vendor, not by registries");
                self.assembly.leave_out(image, bundles(&wanted.uses), why);
            }
            let naming = self.request.naming.as_ref();
            let destination = naming.map(|naming| naming.repository(&reference, place));
            let names = ImageNames {
                source: reference.with_digest(&looked.digest).to_string(),
                origins: BTreeSet::from([image.clone()]),
                path: place.repository.clone(),
                destination,
                tags: tags(&reference, place),
            };
            self.assembly.add_image(names, wanted.uses.clone(), &looked);
            read += 1;
        }
        self.is_empty = read == 0 && self.assembly.plan().left_out.iter().any(|left_out| !left_out.blocked);
        Ok(())
    }

    /// Adds the referrers of the images.
    async fn add_extras(&mut self) {
        let mut by_repository: BTreeMap<String, (RegistryReference, BTreeSet<Digest>)> = BTreeMap::new();
        for image in &self.assembly.plan().images {
            if image.source.starts_with(CATALOG) {
                continue;
            }
            let Ok(Reference::Registry(reference)) = image.source.parse() else {
                continue;
            };
            let name = repository_of(&reference);
            let entry = by_repository
                .entry(name)
                .or_insert_with(|| (reference, BTreeSet::new()));
            entry.1.extend(self.assembly.plan().all_behind(image));
        }
        let subjects = by_repository.into_values();
        let subjects = subjects
            .map(|(repository, digests)| Subjects { repository, digests })
            .collect();
        let found = extras::find(self.transports, subjects, self.options.parallel).await;
        for (image, why) in found.failed {
            let why = format!("its referrers cannot be listed: {why}");
            self.assembly.leave_out(image, BTreeSet::new(), why);
        }
        let mut waiting = Vec::new();
        for FoundExtra {
            extra,
            reference,
            document,
        } in found.found
        {
            let source = repository_of(&reference);
            match of_document(&document, &source) {
                Ok(looked) => waiting.push((extra, source, looked)),
                Err(problem) => {
                    let why = format!("the manifest {problem}");
                    self.assembly.leave_out(reference.to_string(), BTreeSet::new(), why);
                }
            }
        }
        self.assembly.add_extras(waiting);
    }
}

/// Returns the bundles that use an image.
fn bundles(uses: &BTreeSet<Use>) -> BTreeSet<String> {
    uses.iter().filter_map(|used| used.bundle.clone()).collect()
}

/// The resolved name of an index.
struct Named {
    /// The name for opening the index.
    text: String,
    /// The original reference, if the index is an image.
    written: Option<Reference>,
    /// The same reference, by digest.
    reference: Option<Reference>,
    digest: Option<Digest>,
}

impl Named {
    fn registry(&self) -> Option<&RegistryReference> {
        match &self.written {
            Some(Reference::Registry(reference)) => Some(reference),
            _ => None,
        }
    }

    fn tag(&self) -> Option<String> {
        let written = self.written.as_ref()?;
        written.tag().map(str::to_owned)
    }
}
