//! A version of an operator released into all catalogs of a community repository: into their templates, and into the
//! catalogs that are rendered from them, as one change.

use super::render::bundle::{BundleError, RenderedBundle, render_bundle};
use super::render::sources::SourceOptions;
use crate::catalog::file_based::draft::{DraftError, differing};
use crate::catalog::file_based::edit::{CatalogEditError, Edited, Editor, Wanted};
use crate::catalog::file_based::template::{Image, Kind, Template, TemplateDocument, TemplateError};
use crate::catalog::file_based::{Blob, Bundle, Property, Schema};
use crate::catalog::release::{
    Mapping, OperatorFiles, TEMPLATES, TemplateChange, TemplateChangeError, TemplateRelease, level, released,
};
use crate::diagnostic::{Diagnostic, has_errors};
use crate::files::{self, FileChange, FileError};
use crate::image::Transports;
use crate::olm::property::PACKAGE;
use crate::version::parse_tolerant;
use futures_util::StreamExt;
use futures_util::stream;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The folder of the catalogs in a repository.
const CATALOGS: &str = "catalogs";

/// What is released.
#[derive(Debug, Clone, Copy)]
pub struct ReleaseRequest<'r> {
    /// The folder of the operator, two levels below that of the repository.
    pub operator: &'r Path,
    /// The name of the version's folder; none for the version that the bundle says.
    pub version: Option<&'r str>,
    /// The bundle.
    pub bundle: &'r str,
    /// Replace what the templates and catalogs have of the version, and take away what the templates do not have.
    pub overwrite: bool,
    /// How many bundles are fetched at once.
    pub parallel: usize,
}

/// What a release changes.
#[derive(Debug)]
pub struct Release {
    /// What was found about the files of the operator, and about the bundles.
    pub findings: Vec<Diagnostic>,
    /// The folder of the repository.
    pub root: PathBuf,
    /// The change of templates and catalogs; none where `findings` has errors.
    pub edited: Option<Edited>,
    /// The name of the bundle.
    pub bundle: String,
    /// The catalogs that it is in.
    pub catalogs: Vec<String>,
}

/// Why a version is not released. Nothing has changed then.
#[derive(Debug, thiserror::Error)]
pub enum ReleaseError {
    /// The folder of the operator is not in a repository.
    #[error("{} is not the folder of an operator in a repository", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
    },
    /// A file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// The bundle cannot be rendered.
    #[error("cannot render {reference}")]
    Bundle {
        /// What names it.
        reference: String,
        /// Why not.
        source: Box<BundleError>,
    },
    /// Other bundles of a template cannot be rendered.
    #[error("{} of {of} bundles cannot be rendered", .problems.len())]
    Bundles {
        /// The bundles, and what is wrong with them.
        problems: Vec<(Image, BundleError)>,
        /// How many bundles there are.
        of: usize,
    },
    /// The bundle is of another package.
    #[error("{reference} is a bundle of package {found:?}, and the operator is {package:?}")]
    Package {
        /// What names the bundle.
        reference: String,
        /// Its package.
        found: String,
        /// The operator.
        package: String,
    },
    /// The bundle is of another version.
    #[error("{reference} is a bundle of version {found:?}, and {version:?} is to be released")]
    Version {
        /// What names the bundle.
        reference: String,
        /// Its version.
        found: String,
        /// The version that was asked for.
        version: String,
    },
    /// There is no folder of the version.
    #[error("{} has no folder of version {version:?} with a release-config.yaml", folder.display())]
    NoVersion {
        /// The folder of the operator.
        folder: PathBuf,
        /// The version.
        version: String,
    },
    /// The version does not fit into a template.
    #[error("{}: the version does not fit", template.display())]
    Template {
        /// The template.
        template: PathBuf,
        /// Why not.
        source: TemplateChangeError,
    },
    /// The template with the version is none.
    #[error(transparent)]
    Changed(#[from] TemplateError),
    /// A catalog cannot be changed.
    #[error(transparent)]
    Catalog(Box<CatalogEditError>),
    /// A catalog has what its template does not have.
    #[error("{} has what the template {template} does not have: {}", catalog.display(), documents.join(", "))]
    Foreign {
        /// The catalog.
        catalog: PathBuf,
        /// The name of the template.
        template: String,
        /// The documents.
        documents: Vec<String>,
    },
}

impl From<CatalogEditError> for ReleaseError {
    fn from(error: CatalogEditError) -> Self {
        Self::Catalog(Box::new(error))
    }
}

/// A catalog that is rendered from a template.
struct Target {
    /// The name of the catalog.
    name: String,
    /// The folder of the package in it.
    folder: PathBuf,
    editor: Editor,
    /// Name and version of the bundles that it has, by image.
    known: BTreeMap<String, (String, String)>,
}

/// A template with the version.
struct Changed<'m> {
    mapping: &'m Mapping,
    path: PathBuf,
    before: Option<String>,
    after: String,
    targets: Vec<Target>,
}

/// Releases a version: says what changes, and writes nothing. Each bundle is fetched and rendered once for all catalogs,
/// and only where one of them does not have it.
///
/// # Errors
/// When a file cannot be read, a bundle cannot be rendered, or the version does not fit. What is wrong with the files of
/// the operator is a finding.
pub async fn release(
    request: &ReleaseRequest<'_>,
    transports: &Transports,
    opening: &SourceOptions<'_>,
) -> Result<Release, ReleaseError> {
    let (root, package) = repository(request.operator)?;
    let limits = opening.limits.index.catalog;
    files::finish_change(&root)?;
    let mut release = Release {
        findings: Vec::new(),
        root,
        edited: None,
        bundle: String::new(),
        catalogs: Vec::new(),
    };
    let rendered = match request.version {
        Some(version) => {
            // What is wrong with the files is said before anything is fetched.
            let files = OperatorFiles::read(request.operator, Some(version), limits, &mut release.findings)?;
            release.findings.extend(files.released().findings);
            if has_errors(&release.findings) {
                return Ok(release);
            }
            release.findings.clear();
            render(request.bundle, transports, opening).await?
        }
        None => render(request.bundle, transports, opening).await?,
    };
    let version = version_of(request, &rendered, &package)?;
    let files = OperatorFiles::read(request.operator, Some(&version), limits, &mut release.findings)?;
    let said = files.released();
    release.findings.extend(said.findings);
    if has_errors(&release.findings) {
        return Ok(release);
    }
    release.findings.extend(rendered.findings.iter().cloned());
    release.bundle.clone_from(&rendered.entry.name);

    let mut changed = Vec::new();
    for wanted in &said.templates {
        if let Some(mapping) = said.mappings.iter().find(|mapping| mapping.template == wanted.template) {
            changed.push(change(
                request,
                &files,
                (mapping, wanted),
                &rendered,
                &release.root,
                opening,
            )?);
        }
    }
    let mut bundles = BTreeMap::from([(request.bundle.to_owned(), rendered)]);
    fetch(&changed, &mut bundles, (transports, opening), request.parallel).await?;

    let mut all: BTreeMap<String, FileChange> = BTreeMap::new();
    for template in changed {
        if template.before.as_ref() != Some(&template.after) {
            let change = FileChange {
                before: template.before.clone().map(String::into_bytes),
                after: Some(template.after.clone().into_bytes()),
            };
            all.insert(inside(&release.root, &template.path)?, change);
        }
        let Changed {
            mapping,
            path,
            after,
            targets,
            ..
        } = template;
        for target in targets {
            release.catalogs.push(target.name.clone());
            let read = Template::read(
                &path.display().to_string(),
                after.as_bytes(),
                Some(mapping.kind),
                limits,
            )?;
            let folder = target.folder.clone();
            let edited = rendered_into(target, read, &bundles, (mapping, &package), request)?;
            for (file, change) in edited.files {
                all.insert(inside(&release.root, &folder.join(file))?, change);
            }
        }
    }
    let others = bundles.into_iter().filter(|(reference, _)| reference != request.bundle);
    release.findings.extend(others.flat_map(|(_, bundle)| bundle.findings));
    release.edited = Some(Edited::new(release.root.clone(), all));
    Ok(release)
}

/// The folder of the repository, and the name of the operator.
fn repository(operator: &Path) -> Result<(PathBuf, String), ReleaseError> {
    let real = operator
        .canonicalize()
        .map_err(|error| FileError::new("read", operator, error))?;
    let package = real.file_name().map(|name| name.to_string_lossy().into_owned());
    // As the user wrote it, where that leads so far up.
    let written = operator.parent().and_then(Path::parent).map(|root| match root {
        root if root.as_os_str().is_empty() => Path::new("."),
        root => root,
    });
    let real = real.parent().and_then(Path::parent);
    let is_plain = |root: &&Path| root.canonicalize().ok().as_deref() == real;
    let root = written.filter(is_plain).or(real);
    match (root, package) {
        (Some(root), Some(package)) => Ok((root.to_owned(), package)),
        _ => Err(ReleaseError::Folder {
            folder: operator.to_owned(),
        }),
    }
}

/// The path of a file inside the repository.
fn inside(root: &Path, path: &Path) -> Result<String, ReleaseError> {
    let root = match root.to_str() {
        Some(".") => Path::new(""),
        _ => root,
    };
    let inside = path.strip_prefix(root).map_err(|_| ReleaseError::Folder {
        folder: path.to_owned(),
    })?;
    Ok(inside.to_string_lossy().into_owned())
}

async fn render(
    reference: &str,
    transports: &Transports,
    opening: &SourceOptions<'_>,
) -> Result<RenderedBundle, ReleaseError> {
    let rendered = render_bundle(reference, transports, opening).await;
    rendered.map_err(|source| ReleaseError::Bundle {
        reference: reference.to_owned(),
        source: Box::new(source),
    })
}

/// The folder of the version, which is that of the bundle.
fn version_of(request: &ReleaseRequest<'_>, bundle: &RenderedBundle, package: &str) -> Result<String, ReleaseError> {
    let reference = request.bundle.to_owned();
    if bundle.bundle.package != package {
        return Err(ReleaseError::Package {
            reference,
            found: bundle.bundle.package.clone(),
            package: package.to_owned(),
        });
    }
    let said = &bundle.version;
    let Some(version) = request.version else {
        let names = [said.clone(), format!("v{said}")];
        let mut names = names.into_iter();
        let found = names.find(|name| OperatorFiles::has_version(request.operator, name));
        return found.ok_or_else(|| ReleaseError::NoVersion {
            folder: request.operator.to_owned(),
            version: said.clone(),
        });
    };
    let plain = |version: &str| version.strip_prefix('v').unwrap_or(version).to_owned();
    if plain(version) != plain(said) {
        return Err(ReleaseError::Version {
            reference,
            found: said.clone(),
            version: version.to_owned(),
        });
    }
    Ok(version.to_owned())
}

/// Puts the version into a template, and opens its catalogs.
fn change<'m>(
    request: &ReleaseRequest<'_>,
    files: &OperatorFiles,
    (mapping, wanted): (&'m Mapping, &TemplateRelease),
    bundle: &RenderedBundle,
    root: &Path,
    opening: &SourceOptions<'_>,
) -> Result<Changed<'m>, ReleaseError> {
    let (name, package) = (&bundle.entry.name, &bundle.bundle.package);
    let mut targets = Vec::new();
    let mut known_image = None;
    for catalog in &mapping.catalogs {
        let folder = root.join(CATALOGS).join(catalog).join(package);
        let folder = folder.strip_prefix(".").map_or(folder.clone(), Path::to_path_buf);
        let editor = Editor::open_or_new(&folder, opening.limits.index.catalog)?;
        if let Some(known) = editor.bundle_of(package, name)? {
            let new = bundle.to_add(level(catalog)).map_err(CatalogEditError::Write)?.document;
            if known != new && !request.overwrite {
                let (package, bundle) = (package.clone(), name.clone());
                let fields = differing(&known, &new);
                return Err(CatalogEditError::Draft(DraftError::Differs {
                    package,
                    bundle,
                    fields,
                })
                .into());
            }
            known_image = known_image.or_else(|| known["image"].as_str().map(str::to_owned));
        }
        let documents = editor.documents(package)?.values;
        let mut known = BTreeMap::new();
        for document in documents
            .iter()
            .filter(|document| document["schema"] == Schema::Bundle.name())
        {
            let text = |field: &str| document[field].as_str().unwrap_or_default().to_owned();
            known.insert(text("image"), (text("name"), text("version")));
        }
        // What has no image was taken from a folder, and may be another one now.
        known.remove("");
        targets.push(Target {
            name: catalog.clone(),
            folder,
            editor,
            known,
        });
    }
    let template = files.template(&mapping.template);
    let path = request.operator.join(TEMPLATES).join(&mapping.template);
    let version = parse_tolerant(&bundle.version);
    let change = TemplateChange {
        package,
        name,
        version: version.as_ref(),
        image: request.bundle,
        known_image: known_image.as_deref().filter(|image| !image.is_empty()),
        overwrite: request.overwrite,
    };
    let after = released(template, mapping.kind, wanted, &change).map_err(|source| ReleaseError::Template {
        template: path.clone(),
        source,
    })?;
    Ok(Changed {
        mapping,
        path,
        before: template.map(|template| template.source().text().to_owned()),
        after,
        targets,
    })
}

/// Renders the bundles that a catalog does not have, each once.
async fn fetch(
    changed: &[Changed<'_>],
    bundles: &mut BTreeMap<String, RenderedBundle>,
    (transports, opening): (&Transports, &SourceOptions<'_>),
    parallel: usize,
) -> Result<(), ReleaseError> {
    let limits = opening.limits.index.catalog;
    let mut missing: Vec<Image> = Vec::new();
    let mut seen: BTreeSet<String> = bundles.keys().cloned().collect();
    for template in changed {
        let name = template.path.display().to_string();
        let read = Template::read(&name, template.after.as_bytes(), Some(template.mapping.kind), limits)?;
        for image in read.images {
            let is_known = |target: &Target| target.known.contains_key(&image.reference);
            if !template.targets.iter().all(is_known) && seen.insert(image.reference.clone()) {
                missing.push(image);
            }
        }
    }
    let of = missing.len();
    let fetches = missing
        .iter()
        .map(|image| render_bundle(&image.reference, transports, opening));
    let fetched: Vec<_> = stream::iter(fetches).buffered(parallel.max(1)).collect().await;
    let mut problems = Vec::new();
    for (image, fetched) in missing.into_iter().zip(fetched) {
        match fetched {
            Ok(bundle) => drop(bundles.insert(image.reference, bundle)),
            Err(problem) => problems.push((image, problem)),
        }
    }
    if problems.is_empty() {
        Ok(())
    } else {
        Err(ReleaseError::Bundles { problems, of })
    }
}

/// Renders a template into one of its catalogs.
fn rendered_into(
    target: Target,
    template: Template,
    bundles: &BTreeMap<String, RenderedBundle>,
    (mapping, package): (&Mapping, &str),
    request: &ReleaseRequest<'_>,
) -> Result<Edited, ReleaseError> {
    let Target {
        name,
        folder,
        mut editor,
        known,
    } = target;
    let images: Vec<String> = template.images.iter().map(|image| image.reference.clone()).collect();
    let rendered = images.iter().filter_map(|image| match known.get(image) {
        Some((name, version)) if image != request.bundle => Some(stand_in(package, name, version, image)),
        _ => bundles.get(image).map(|rendered| rendered.bundle.clone()),
    });
    let documents = template.documents(rendered.collect())?;
    let mut images = images.into_iter();
    let mut wanted = Vec::with_capacity(documents.len());
    for document in documents {
        wanted.push(match document {
            TemplateDocument::Generated(Blob::Bundle(_)) => {
                let image = images.next().unwrap_or_default();
                match bundles.get(&image) {
                    Some(bundle) if image == request.bundle || !known.contains_key(&image) => {
                        let new = bundle.to_add(level(&name)).map_err(CatalogEditError::Write)?;
                        Wanted::Document(new.document)
                    }
                    _ => Wanted::Bundle { image },
                }
            }
            document => {
                let written = document
                    .document()
                    .and_then(|document| serde_json::to_string(&document));
                let value = written.and_then(|written| serde_json::from_str(&written));
                Wanted::Document(value.map_err(CatalogEditError::Write)?)
            }
        });
    }
    if mapping.kind == Kind::Semver {
        keep(&editor, package, &mut wanted)?;
    }
    let leaving = editor.set_documents(package, wanted)?;
    if !leaving.is_empty() && !request.overwrite {
        return Err(ReleaseError::Foreign {
            catalog: folder,
            template: mapping.template.clone(),
            documents: leaving
                .iter()
                .map(|(schema, name)| format!("{schema} {name}").trim_end().to_owned())
                .collect(),
        });
    }
    Ok(editor.finish()?)
}

/// What a template has to know of a bundle that is in the catalog.
fn stand_in(package: &str, name: &str, version: &str, image: &str) -> Bundle {
    let identity = json!({"packageName": package, "version": version}).to_string();
    Bundle {
        name: name.to_owned(),
        package: package.to_owned(),
        image: image.to_owned(),
        properties: Property::parse(PACKAGE, &identity).into_iter().collect(),
        related_images: Vec::new(),
    }
}

/// What a semver template has no place for stays in the catalog: deprecations, and documents of other schemas. Such a
/// template takes what user interfaces show of a package from the head of its default channel: where that is in the
/// catalog already, so is what they show.
fn keep(editor: &Editor, package: &str, wanted: &mut Vec<Wanted>) -> Result<(), CatalogEditError> {
    let documents = editor.documents(package)?.values;
    let schema = |value: &Value| Schema::from(value["schema"].as_str().unwrap_or_default());
    let others = documents
        .iter()
        .filter(|value| matches!(schema(value), Schema::Deprecations | Schema::Other(_)));
    wanted.extend(others.cloned().map(Wanted::Document));
    let is_package = |value: &&Value| value["schema"] == Schema::Package.name();
    let Some(known) = documents.iter().find(is_package) else {
        return Ok(());
    };
    for wanted in wanted.iter_mut() {
        if let Wanted::Document(value) = wanted
            && value["schema"] == Schema::Package.name()
            && value.get("icon").is_none()
            && value.get("description").is_none()
        {
            let default = value["defaultChannel"].clone();
            *value = known.clone();
            value["defaultChannel"] = default;
        }
    }
    Ok(())
}
