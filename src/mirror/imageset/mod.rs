//! Reads mirror requests from an ImageSetConfiguration, the file format for mirroring OpenShift catalogs. The version
//! of the format is `mirror.openshift.io/v2alpha1`.
//!
//! Catalogs, images and blocked images are supported, but releases, Helm charts and samples are not. Parts of the file
//! that are ignored are reported.

mod format;

use super::request::{CatalogRequest, ImageRequest, MirrorRequest, Place as Destination, platform};
use crate::catalog::selection::part::{Part, Versions};
use crate::image::{Platform, check_path, check_tag};
use crate::resolver::closure::Follow;
use crate::shape::{self, Fault};
use crate::source::{Place, SourceFile};
use crate::text::{self, Document, Limits, Path};
use crate::version::masterminds::Constraint;
use crate::version::{parse_strict, strict_part};
use format::{API_VERSION, DELETION, File, KIND, OLDER_VERSIONS, Operator, Package, SHAPE, WrittenPlatform};
use regex::Regex;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The content of an ImageSetConfiguration.
#[derive(Debug, Clone, Default)]
pub struct ImageSet {
    /// The mirror request.
    pub request: MirrorRequest,
    /// Remarks about the parts of the file that are ignored.
    pub remarks: Vec<String>,
}

/// An error in an ImageSetConfiguration.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{place}: {message}")]
pub struct ImageSetError {
    /// The location of the problem.
    pub place: Place,
    /// The description of the problem.
    pub message: String,
    /// The other format that the file has.
    pub other: Option<OtherFormat>,
}

/// A related format that is not supported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OtherFormat {
    /// An older version of the ImageSetConfiguration.
    Older,
    /// A list of what to delete.
    Deletion,
}

/// Reads an ImageSetConfiguration. `name` is the file path in error messages; `follow` specifies the dependencies to
/// follow, unless the file skips dependencies.
///
/// # Errors
/// Returns an error if the file has the wrong kind or version, an unknown key, or an invalid value.
pub fn read(name: &str, bytes: &[u8], limits: &Limits, follow: &Follow) -> Result<ImageSet, ImageSetError> {
    let mut reading = text::read(name, bytes, limits);
    let whole = || Place::new(&SourceFile::new(name, ""), 0..0);
    if let Some(finding) = reading.diagnostics.iter().find(|finding| finding.is_error()) {
        return Err(ImageSetError {
            place: finding.place.clone().unwrap_or_else(whole),
            message: finding.message.clone(),
            other: None,
        });
    }
    reading.documents.retain(|document| !document.value().is_null());
    let [document] = reading.documents.as_slice() else {
        let message = format!(
            "the file contains {} documents, but an ImageSetConfiguration must be a single document",
            reading.documents.len()
        );
        return Err(ImageSetError {
            place: whole(),
            message,
            other: None,
        });
    };
    let reader = Reader { document };
    reader.require_kind()?;
    reader.require_shape()?;
    let file: Result<File, _> = serde_json::from_value(shape::given(document.value(), &SHAPE));
    let file = file.or_else(|error| reader.fail(&Path::root(), error.to_string()))?;
    reader.set(&file, follow)
}

/// A reader for the document.
struct Reader<'d> {
    document: &'d Document,
}

impl Reader<'_> {
    fn fail<T>(&self, path: &Path, message: impl Into<String>) -> Result<T, ImageSetError> {
        Err(ImageSetError {
            place: self.document.place(path),
            message: message.into(),
            other: None,
        })
    }

    /// Checks the kind and version of the file before its keys, because files of other kinds and versions have
    /// different keys.
    fn require_kind(&self) -> Result<(), ImageSetError> {
        let root = Path::root();
        let text = |key: &str| {
            self.document
                .value()
                .get(key)
                .and_then(Value::as_str)
                .unwrap_or_default()
        };
        let (key, message, other) = match (text("kind"), text("apiVersion")) {
            // A missing key is reported later with other invalid keys.
            (KIND, API_VERSION) | ("", _) | (_, "") => return Ok(()),
            (KIND, other) => (
                "apiVersion",
                format!("the file has the apiVersion {other}, but only {API_VERSION} is supported"),
                other.starts_with(OLDER_VERSIONS).then_some(OtherFormat::Older),
            ),
            (other, _) => (
                "kind",
                format!("the file has the kind {other}, but {KIND} is expected"),
                (other == DELETION).then_some(OtherFormat::Deletion),
            ),
        };
        Err(ImageSetError {
            place: self.document.place(&root.key(key)),
            message,
            other,
        })
    }

    fn require_shape(&self) -> Result<(), ImageSetError> {
        let Some(problem) = shape::check(self.document.value(), &SHAPE, 1).pop() else {
            return Ok(());
        };
        let place = match &problem.fault {
            Fault::UnknownKey { .. } => self.document.key_place(&problem.path),
            _ => self.document.place(&problem.path),
        };
        let message = format!("{}{}", problem.message("the file"), problem.advice());
        Err(ImageSetError {
            place,
            message,
            other: None,
        })
    }

    fn set(&self, file: &File, follow: &Follow) -> Result<ImageSet, ImageSetError> {
        let mirror = &file.mirror;
        let mut set = ImageSet::default();
        for (key, value) in [
            ("platform", &mirror.platform),
            ("helm", &mirror.helm),
            ("samples", &mirror.samples),
        ] {
            if !value.is_null() {
                set.remarks.push(format!(
                    "mirror.{key} is ignored because opmx mirrors only catalogs and images"
                ));
            }
        }
        let root = Path::root().key("mirror");
        let mut seen = BTreeSet::new();
        for (index, operator) in mirror.operators.iter().enumerate() {
            let path = root.key("operators").index(index);
            let target = (&operator.catalog, &operator.target_catalog, &operator.target_tag);
            if !seen.insert(target) {
                return self.fail(&path, format!("the catalog {} appears twice", operator.catalog));
            }
            if operator.target_catalog_source_template.is_some() {
                set.remarks.push(format!(
                    "{path}.targetCatalogSourceTemplate is ignored, because a CatalogSource is generated for each catalog"
                ));
            }
            set.request.catalogs.push(self.catalog(operator, &path, follow)?);
        }
        for (index, additional) in mirror.additional_images.iter().enumerate() {
            let path = root.key("additionalImages").index(index);
            let is_local = additional.name.starts_with("oci://");
            if is_local {
                set.remarks.push(format!(
                    "{} is skipped, because it is not in a registry",
                    additional.name
                ));
                continue;
            }
            set.request.images.push(ImageRequest {
                image: additional.name.clone(),
                place: self.destination(
                    ("targetRepo", additional.target_repo.as_deref()),
                    additional.target_tag.as_deref(),
                    &path,
                )?,
                platforms: self.platforms(&additional.platforms, &path)?,
            });
        }
        for (index, blocked) in mirror.blocked_images.iter().enumerate() {
            let path = root.key("blockedImages").index(index).key("name");
            let pattern = Regex::new(&blocked.name);
            let pattern = pattern.or_else(|error| self.fail(&path, format!("invalid regular expression: {error}")))?;
            set.request.blocked.push(pattern);
        }
        if set.request.catalogs.is_empty() && set.request.images.is_empty() {
            let mut message = "`operators` and `additionalImages` select nothing to mirror".to_owned();
            for remark in &set.remarks {
                message.push_str("; ");
                message.push_str(remark);
            }
            return self.fail(&root, message);
        }
        if let Some(size) = file.archive_size {
            set.remarks.push(format!(
                "archiveSize is not part of a plan; specify {size}GiB as the volume size when writing an archive"
            ));
        }
        Ok(set)
    }

    fn catalog(&self, operator: &Operator, path: &Path, follow: &Follow) -> Result<CatalogRequest, ImageSetError> {
        let (mut parts, mut default_channels) = (BTreeMap::new(), BTreeMap::new());
        for (index, package) in operator.packages.iter().enumerate() {
            let path = path.key("packages").index(index);
            let part = self.part(package, operator.full, &path)?;
            if parts.insert(package.name.clone(), part).is_some() {
                return self.fail(&path, format!("the package {} appears twice", package.name));
            }
            let default_channel = package.default_channel.iter();
            default_channels.extend(default_channel.map(|channel| (package.name.clone(), channel.clone())));
        }
        let catalog = match operator.catalog.strip_prefix("oci://") {
            Some(folder) => format!("oci:{folder}"),
            None => operator.catalog.clone(),
        };
        Ok(CatalogRequest {
            catalog,
            parts,
            versions: if operator.full { Versions::All } else { Versions::Head },
            installed: BTreeMap::new(),
            is_of_cluster: false,
            default_channels,
            objects: Vec::new(),
            follow: if operator.skip_dependencies {
                Follow::default()
            } else {
                follow.clone()
            },
            place: self.destination(
                ("targetCatalog", operator.target_catalog.as_deref()),
                operator.target_tag.as_deref(),
                path,
            )?,
            platforms: self.platforms(&operator.platforms, path)?,
        })
    }

    /// Returns the place at the target that an entry requests. An empty field is the same as a missing one.
    fn destination(
        &self,
        (key, repository): (&str, Option<&str>),
        tag: Option<&str>,
        path: &Path,
    ) -> Result<Destination, ImageSetError> {
        let given = |field: Option<&str>| field.filter(|text| !text.is_empty()).map(str::to_owned);
        let (repository, tag) = (given(repository), given(tag));
        if let Some(repository) = &repository {
            check_path(repository).or_else(|problem| {
                let advice = if repository.contains(':') {
                    "; specify a tag in targetTag"
                } else {
                    ""
                };
                self.fail(&path.key(key), format!("invalid {key}: {problem}{advice}"))
            })?;
        }
        if let Some(tag) = &tag {
            check_tag(tag)
                .or_else(|problem| self.fail(&path.key("targetTag"), format!("invalid targetTag: {problem}")))?;
        }
        Ok(Destination { repository, tag })
    }

    fn platforms(&self, written: &[WrittenPlatform], path: &Path) -> Result<BTreeSet<Platform>, ImageSetError> {
        let checked = |(index, written): (usize, &WrittenPlatform)| {
            let parsed = platform(&format!("{}/{}", written.os, written.architecture));
            parsed.or_else(|error| self.fail(&path.key("platforms").index(index), error))
        };
        written.iter().enumerate().map(checked).collect()
    }

    fn part(&self, package: &Package, full: bool, path: &Path) -> Result<Part, ImageSetError> {
        let own = self.range(package.min_version.as_deref(), package.max_version.as_deref(), path)?;
        if own.is_some() && full {
            return self.fail(
                path,
                "`full` selects all versions, so it cannot be combined with `minVersion` or `maxVersion`",
            );
        }
        let others = if full { Versions::All } else { Versions::Head };
        let (mut channels, mut ranges) = (Vec::new(), BTreeMap::new());
        for (index, channel) in package.channels.iter().enumerate() {
            let path = path.key("channels").index(index);
            let range = self.range(channel.min_version.as_deref(), channel.max_version.as_deref(), &path)?;
            match (&range, &own) {
                (Some(_), Some(_)) => {
                    return self.fail(
                        &path,
                        "versions are specified both for the package and for this channel",
                    );
                }
                (Some(_), None) if full => {
                    return self.fail(
                        &path,
                        "`full` selects all versions, so it cannot be combined with `minVersion` or `maxVersion`",
                    );
                }
                _ => {}
            }
            if channels.contains(&channel.name) {
                return self.fail(&path, format!("the channel {} appears twice", channel.name));
            }
            channels.push(channel.name.clone());
            let versions = range.or_else(|| own.clone()).unwrap_or_else(|| others.clone());
            ranges.insert(channel.name.clone(), versions);
        }
        Ok(Part {
            versions: if channels.is_empty() {
                own.unwrap_or(others)
            } else {
                Versions::OfChannels(ranges)
            },
            channels,
            from: Vec::new(),
            past_from: false,
        })
    }

    fn range(&self, least: Option<&str>, most: Option<&str>, path: &Path) -> Result<Option<Versions>, ImageSetError> {
        let bound = |version: Option<&str>, sign: &str| {
            version
                .filter(|version| !version.is_empty())
                .map(|version| format!("{sign}{version}"))
        };
        for (key, version) in [("minVersion", least), ("maxVersion", most)] {
            if let Some(version) = version.filter(|version| !version.is_empty() && !may_be_version(version)) {
                return self.fail(&path.key(key), format!("{key} {version:?} is not a version"));
            }
        }
        let exact = |version: Option<&str>| parse_strict(strict_part(version?)?).ok();
        if let (Some(lowest), Some(highest)) = (exact(least), exact(most))
            && lowest.cmp_precedence(&highest).is_gt()
        {
            return self.fail(
                &path.key("minVersion"),
                format!("minVersion {lowest} is higher than maxVersion {highest}, so no version is selected"),
            );
        }
        let bounds: Vec<String> = bound(least, ">=").into_iter().chain(bound(most, "<=")).collect();
        if bounds.is_empty() {
            return Ok(None);
        }
        let text = bounds.join(" ");
        match Constraint::parse(&text) {
            Ok(constraint) => Ok(Some(Versions::Meeting(constraint))),
            Err(reason) => self.fail(path, format!("the version range {text:?} is invalid: {reason}")),
        }
    }
}

/// Whether a string can be a version, possibly with fewer numbers, rather than a range or another word.
fn may_be_version(text: &str) -> bool {
    let bare = text.trim();
    let bare = bare.strip_prefix(['v', 'V']).unwrap_or(bare);
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || ".-+".contains(letter);
    bare.starts_with(|first: char| first.is_ascii_digit()) && bare.chars().all(is_letter)
}

#[cfg(test)]
mod tests;
