//! Releases of an operator in a community repository: what its `ci.yaml` and the `release-config.yaml` of a version ask
//! for.
//!
//! Such a repository has a folder for each operator, with a folder for each version and templates of catalogs, and
//! beside them the catalogs, which are rendered from the templates:
//!
//! ```text
//! operators/PACKAGE/ci.yaml
//! operators/PACKAGE/VERSION/release-config.yaml
//! operators/PACKAGE/catalog-templates/TEMPLATE
//! catalogs/CATALOG/PACKAGE/catalog.yaml
//! ```

mod check;
mod config;
mod template;

pub use template::{TemplateChange, TemplateChangeError, released};

use crate::catalog::file_based::lifecycle::MinorVersion;
use crate::catalog::file_based::migrate::Level;
use crate::catalog::file_based::read::CatalogLimits;
use crate::catalog::file_based::template::Kind;
use crate::diagnostic::Diagnostic;
use crate::files::{FileError, open_regular};
use crate::rules;
use crate::source::{Place, SourceFile};
use crate::text::{self, Document};
use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The file of an operator.
pub const OPERATOR_FILE: &str = "ci.yaml";
/// The file of a version.
pub const RELEASE_FILE: &str = "release-config.yaml";
/// The folder of an operator's templates.
pub const TEMPLATES: &str = "catalog-templates";

/// From this version of OpenShift on, bundles are without their manifests.
const SMALL_BUNDLES: MinorVersion = MinorVersion { major: 4, minor: 17 };

/// A template, and the catalogs that are rendered from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mapping {
    /// The name of its file.
    pub template: String,
    /// Its type.
    pub kind: Kind,
    /// The names of the catalogs.
    pub catalogs: Vec<String>,
}

/// What a version asks of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateRelease {
    /// The name of its file.
    pub template: String,
    /// The channels; of a semver template the lists of bundles.
    pub channels: Vec<String>,
    /// The default channel of a new template.
    pub default_channel: Option<String>,
    /// The bundle that the version replaces.
    pub replaces: Option<String>,
    /// The bundles that it skips.
    pub skips: Vec<String>,
    /// The versions that it skips.
    pub skip_range: Option<String>,
}

/// The files of an operator.
#[derive(Debug, Default)]
pub struct OperatorFiles {
    operator: Option<Document>,
    releases: Vec<Document>,
    templates: BTreeMap<String, Document>,
}

/// An operator and a version, as their files say.
#[derive(Debug, Default)]
pub struct Released {
    /// What is wrong with the files.
    pub findings: Vec<Diagnostic>,
    /// The templates, and the catalogs of each.
    pub mappings: Vec<Mapping>,
    /// What the version asks of them.
    pub templates: Vec<TemplateRelease>,
}

impl OperatorFiles {
    /// Reads the files of the operator in a folder; those of all versions where none is named. What is wrong with their
    /// text is added to `findings`.
    ///
    /// # Errors
    /// When a file cannot be read, or one that is asked for is not there.
    pub fn read(
        folder: &Path,
        version: Option<&str>,
        limits: CatalogLimits,
        findings: &mut Vec<Diagnostic>,
    ) -> Result<Self, FileError> {
        let mut read = |path: &Path| read_one(path, limits, findings);
        let mut files = Self {
            operator: read(&folder.join(OPERATOR_FILE))?,
            ..Self::default()
        };
        let releases = match version {
            Some(version) => vec![folder.join(version).join(RELEASE_FILE)],
            None => of_folder(folder)?
                .into_iter()
                .map(|version| version.join(RELEASE_FILE))
                .filter(|path| path.exists())
                .collect(),
        };
        for path in releases {
            files.releases.extend(read(&path)?);
        }
        let templates = folder.join(TEMPLATES);
        if templates.is_dir() {
            for path in of_folder(&templates)? {
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                if path.is_file()
                    && let Some(template) = read(&path)?
                {
                    files.templates.insert(name, template);
                }
            }
        }
        Ok(files)
    }

    /// Whether there is a version of this name.
    pub fn has_version(folder: &Path, version: &str) -> bool {
        folder.join(version).join(RELEASE_FILE).is_file()
    }

    /// A template that is there.
    pub fn template(&self, name: &str) -> Option<&Document> {
        self.templates.get(name)
    }

    /// What the files say together, and what is wrong with that.
    pub fn released(&self) -> Released {
        check::released(self)
    }
}

/// What is in a folder, sorted.
fn of_folder(folder: &Path) -> Result<Vec<PathBuf>, FileError> {
    let fail = |error| FileError::new("read", folder, error);
    let entries = std::fs::read_dir(folder).map_err(fail)?;
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    let mut paths: Vec<PathBuf> = paths.collect::<io::Result<_>>().map_err(fail)?;
    paths.sort();
    Ok(paths)
}

/// The one document of a file; none where it is not one, which is reported.
fn read_one(path: &Path, limits: CatalogLimits, findings: &mut Vec<Diagnostic>) -> Result<Option<Document>, FileError> {
    let fail = |error| FileError::new("read", path, error);
    let limits = limits.of_document();
    let mut bytes = Vec::new();
    let most = u64::try_from(limits.file_bytes).unwrap_or(u64::MAX).saturating_add(1);
    let file = open_regular(path).map_err(fail)?;
    file.take(most).read_to_end(&mut bytes).map_err(fail)?;
    let name = path.display().to_string();
    let reading = text::read(&name, &bytes, &limits);
    let broken = reading.diagnostics.iter().any(Diagnostic::is_error);
    findings.extend(reading.diagnostics);
    let mut documents: Vec<Document> = reading.documents;
    documents.retain(|document| !document.value().is_null());
    match documents.len() {
        1 if !broken => Ok(documents.pop()),
        _ if broken => Ok(None),
        count => {
            let place = Place::new(&SourceFile::new(name, String::new()), 0..0);
            let message = format!("the file holds {count} documents, not one");
            findings.push(Diagnostic::new(&rules::RELEASE_VALUE, message).at(place));
            Ok(None)
        }
    }
}

/// The version of OpenShift that the name of a catalog says.
fn openshift(catalog: &str) -> Option<MinorVersion> {
    catalog.strip_prefix('v')?.parse().ok()
}

/// The form of the bundles in a catalog of this name.
pub fn level(catalog: &str) -> Level {
    match openshift(catalog) {
        Some(version) if version >= SMALL_BUNDLES => Level::BundleObjectToCsvMetadata,
        _ => Level::None,
    }
}
