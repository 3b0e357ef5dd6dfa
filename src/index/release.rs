//! Releases a version of an operator to all catalogs of a community repository: changes their templates, and the
//! catalogs that are rendered from them, in one step.

mod error;
mod lost;
mod repository;
mod target;

pub use error::ReleaseError;

use super::render::bundle::{RenderedBundle, render_bundle};
use super::render::sources::SourceOptions;
use crate::catalog::file_based::Schema;
use crate::catalog::file_based::draft::{DraftError, differing};
use crate::catalog::file_based::edit::{CatalogEditError, Edited, Editor};
use crate::catalog::file_based::migrate::Level;
use crate::catalog::file_based::shown::Shown;
use crate::catalog::file_based::template::{Image, Template};
use crate::catalog::release::{Mapping, OperatorFiles, TEMPLATES, TemplateChange, TemplateRelease, level, released};
use crate::concurrent;
use crate::diagnostic::{Diagnostic, has_errors};
use crate::files::{self, FileChange};
use crate::image::Transports;
use crate::version::parse_tolerant;
use futures_util::StreamExt;
use repository::{Repository, inside, repository};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use target::{Target, rendered_into};

/// The folder of the catalogs in a repository.
const CATALOGS: &str = "catalogs";

/// The options for a release.
#[derive(Debug, Clone, Copy)]
pub struct ReleaseRequest<'r> {
    /// The folder of the operator, two levels below the folder of the repository.
    pub operator: &'r Path,
    /// The name of the version folder; `None` for the version that the bundle specifies.
    pub version: Option<&'r str>,
    /// The bundle.
    pub bundle: &'r str,
    /// Whether to replace the data of an existing version in the templates and catalogs, and to remove content that the
    /// templates do not contain.
    pub overwrite: bool,
    /// The migration level of new bundles; `None` for the level that suits the OpenShift release of each catalog.
    pub level: Option<Level>,
    /// The number of bundles fetched at once.
    pub parallel: usize,
}

impl ReleaseRequest<'_> {
    /// Returns the migration level of new bundles in a catalog.
    fn level(&self, catalog: &str) -> Level {
        self.level.unwrap_or_else(|| level(catalog))
    }
}

/// The changes that a release makes.
#[derive(Debug)]
pub struct Release {
    /// Findings about the files of the operator, and about the bundles.
    pub findings: Vec<Diagnostic>,
    /// The folder of the repository.
    pub root: PathBuf,
    /// The changes to templates and catalogs; `None` if `findings` has errors.
    pub edited: Option<Edited>,
    /// The name of the bundle.
    pub bundle: String,
    /// The catalogs that contain the bundle.
    pub catalogs: Vec<String>,
}

/// A template after the version has been added.
struct Changed<'m> {
    mapping: &'m Mapping,
    path: PathBuf,
    before: Option<String>,
    after: String,
    targets: Vec<Target>,
}

/// Prepares the release of a version: returns the changes without writing them. Each bundle is fetched and rendered
/// once for all catalogs, and only if a catalog does not contain it.
///
/// # Errors
/// Returns an error if a file cannot be read, a bundle cannot be rendered, or the version does not match. Problems with
/// the files of the operator are findings.
pub async fn release(
    request: &ReleaseRequest<'_>,
    transports: &Transports,
    opening: &SourceOptions<'_>,
) -> Result<Release, ReleaseError> {
    let Repository {
        root,
        shown,
        operator,
        package,
    } = repository(request.operator)?;
    let request = &ReleaseRequest {
        operator: &operator,
        ..*request
    };
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
            // Problems with the files are reported before anything is fetched.
            let files = OperatorFiles::read(request.operator, Some(version), limits, &mut release.findings)?;
            release
                .findings
                .extend(selected(files.released(None).findings, opening));
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
    let said = files.released(Some(&rendered.entry.name));
    release.findings.extend(selected(said.findings, opening));
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
            before,
            after,
            targets,
        } = template;
        for target in targets {
            release.catalogs.push(target.name.clone());
            let read = Template::read(
                &path.display().to_string(),
                after.as_bytes(),
                Some(mapping.kind),
                limits,
            )?;
            let read_before = |text: &String| {
                let name = path.display().to_string();
                Template::read(&name, text.as_bytes(), Some(mapping.kind), limits).ok()
            };
            let templates = (before.as_ref().and_then(read_before), read);
            let folder = target.folder.clone();
            let edited = rendered_into(target, templates, &bundles, (mapping, &package), request)?;
            for (file, change) in edited.files {
                all.insert(inside(&release.root, &folder.join(file))?, change);
            }
        }
    }
    let others = bundles.into_iter().filter(|(reference, _)| reference != request.bundle);
    release.findings.extend(others.flat_map(|(_, bundle)| bundle.findings));
    let mut edited = Edited::new(release.root.clone(), all);
    edited.shown = shown;
    release.edited = Some(edited);
    Ok(release)
}

/// Returns the findings of the rules that are not allowed.
fn selected(mut findings: Vec<Diagnostic>, opening: &SourceOptions<'_>) -> Vec<Diagnostic> {
    findings.retain_mut(|finding| opening.strictness.selection.keep(finding));
    findings
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

/// Returns the name of the version folder, after checking that it matches the version of the bundle.
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

/// Adds the version to a template, and opens its catalogs.
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
            let new = bundle
                .to_add(request.level(catalog))
                .map_err(CatalogEditError::Write)?
                .document;
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
        // A bundle without an image comes from a folder, which may have changed.
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
        shown: &Shown::of_bundle(&bundle.bundle),
        image: request.bundle,
        known_image: known_image.as_deref().filter(|image| !image.is_empty()),
        overwrite: request.overwrite,
    };
    let after = released(template, mapping.kind, wanted, &change).map_err(|source| ReleaseError::Template {
        template: path.clone(),
        source: Box::new(source),
    })?;
    Ok(Changed {
        mapping,
        path,
        before: template.map(|template| template.source().text().to_owned()),
        after,
        targets,
    })
}

/// Renders the bundles that are missing from at least one catalog, each once.
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
    let fetches = concurrent::in_order(&missing, parallel, |image| {
        render_bundle(&image.reference, transports, opening)
    });
    let fetched: Vec<_> = fetches.collect().await;
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
