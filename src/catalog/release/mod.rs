//! Releases of an operator in a community repository, as specified in its `ci.yaml` and the `release-config.yaml` of a
//! version.
//!
//! Such a repository has a folder for each operator, which contains a folder for each version and the operator's
//! catalog templates. The catalogs that are rendered from the templates are in a separate folder:
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
use crate::catalog::file_based::limits::CatalogLimits;
use crate::catalog::file_based::migrate::Level;
use crate::catalog::file_based::template::Kind;
use crate::diagnostic::Diagnostic;
use crate::files::{FileError, open_regular};
use crate::rules;
use crate::source::{Place, SourceFile};
use crate::text::{self, Document};
use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The file name of an operator's configuration.
pub const OPERATOR_FILE: &str = "ci.yaml";
/// The file name of a version's release configuration.
pub const RELEASE_FILE: &str = "release-config.yaml";
/// The folder name of an operator's templates.
pub const TEMPLATES: &str = "catalog-templates";

/// The first OpenShift version whose catalogs contain bundles without their manifests.
const SMALL_BUNDLES: MinorVersion = MinorVersion { major: 4, minor: 17 };

/// A template, and the catalogs that are rendered from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mapping {
    /// The file name of the template.
    pub template: String,
    /// The type of the template.
    pub kind: Kind,
    /// The names of the catalogs.
    pub catalogs: Vec<String>,
}

/// The change that a version requests for a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateRelease {
    /// The file name of the template.
    pub template: String,
    /// The channels; for a semver template, the bundle lists.
    pub channels: Vec<String>,
    /// The default channel of a new template.
    pub default_channel: Option<String>,
    /// The bundle that the version replaces.
    pub replaces: Option<String>,
    /// The bundles that the version skips.
    pub skips: Vec<String>,
    /// The range of versions that the version skips.
    pub skip_range: Option<String>,
}

/// The files of an operator.
#[derive(Debug, Default)]
pub struct OperatorFiles {
    operator: Option<Document>,
    releases: Vec<Document>,
    templates: BTreeMap<String, Document>,
}

/// The content of the files of an operator and of one or all of its versions, with the faults in these files.
#[derive(Debug, Default)]
pub struct Released {
    /// The faults in the files.
    pub findings: Vec<Diagnostic>,
    /// The templates, and the catalogs of each.
    pub mappings: Vec<Mapping>,
    /// The changes that the version requests for the templates.
    pub templates: Vec<TemplateRelease>,
}

impl OperatorFiles {
    /// Reads the files of the operator in a folder, and those of `version` or, if it is `None`, of all versions. Adds
    /// the faults in the text of the files to `findings`.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read, or a requested file does not exist.
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

    /// Returns whether a version with this name exists.
    pub fn has_version(folder: &Path, version: &str) -> bool {
        folder.join(version).join(RELEASE_FILE).is_file()
    }

    /// Returns a template, or `None` if it does not exist.
    pub fn template(&self, name: &str) -> Option<&Document> {
        self.templates.get(name)
    }

    /// Returns the contents of all files together, with the faults. `bundle` is the name of the released bundle, if it
    /// is known.
    pub fn released(&self, bundle: Option<&str>) -> Released {
        check::released(self, bundle)
    }
}

/// Returns the paths in a folder, sorted.
fn of_folder(folder: &Path) -> Result<Vec<PathBuf>, FileError> {
    let fail = |error| FileError::new("read", folder, error);
    let entries = std::fs::read_dir(folder).map_err(fail)?;
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    let mut paths: Vec<PathBuf> = paths.collect::<io::Result<_>>().map_err(fail)?;
    paths.sort();
    Ok(paths)
}

/// Returns the only document in a file, or `None` with a finding if the file does not contain exactly one.
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
            let message = format!("the file contains {count} documents instead of one");
            findings.push(Diagnostic::new(&rules::RELEASE_VALUE, message).at(place));
            Ok(None)
        }
    }
}

/// Returns the OpenShift version in the name of a catalog.
fn openshift(catalog: &str) -> Option<MinorVersion> {
    catalog.strip_prefix('v')?.parse().ok()
}

/// Returns the bundle format of a catalog with this name.
pub fn level(catalog: &str) -> Level {
    match openshift(catalog) {
        Some(version) if version >= SMALL_BUNDLES => Level::BundleObjectToCsvMetadata,
        _ => Level::None,
    }
}
