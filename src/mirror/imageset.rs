//! Reads mirror requests from an ImageSetConfiguration, the file format for mirroring OpenShift catalogs, in the
//! version `mirror.openshift.io/v2alpha1`.
//!
//! Catalogs, images and blocked images are supported, but releases, Helm charts and samples are not. Parts of the file
//! that are ignored are reported.

use super::request::{CatalogRequest, ImageRequest, MirrorRequest, Place as Destination};
use crate::catalog::selection::part::{Part, Versions};
use crate::image::{Platform, PlatformError};
use crate::resolver::closure::Follow;
use crate::shape::Shape::{self, Any, Boolean, Integer, List, Object, Text};
use crate::shape::{self, Fault, Field, optional, required};
use crate::source::{Place, SourceFile};
use crate::text::{self, Document, Limits, Path};
use crate::version::masterminds::Constraint;
use regex::Regex;
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

const API_VERSION: &str = "mirror.openshift.io/v2alpha1";
const KIND: &str = "ImageSetConfiguration";

const PLATFORMS: Shape = List(&Object(&[
    required("os", Text, "The operating system, such as linux."),
    required("architecture", Text, "The processor, such as amd64."),
]));

const CHANNEL: &[Field] = &[
    required("name", Text, "Name of the channel."),
    optional("minVersion", Text, "Lowest version."),
    optional("maxVersion", Text, "Highest version."),
];

const PACKAGE: &[Field] = &[
    required("name", Text, "Name of the package."),
    optional(
        "channels",
        List(&Object(CHANNEL)),
        "Channels of the package; all channels if empty.",
    ),
    optional(
        "defaultChannel",
        Text,
        "Default channel, overriding the default channel in the catalog.",
    ),
    optional("minVersion", Text, "Lowest version in every channel."),
    optional("maxVersion", Text, "Highest version in every channel."),
];

const OPERATOR: &[Field] = &[
    required("catalog", Text, "Catalog image, or oci:// followed by a folder."),
    optional("targetCatalog", Text, "Path of the catalog at the target."),
    optional("targetTag", Text, "Tag of the catalog at the target."),
    optional("targetCatalogSourceTemplate", Text, "Ignored."),
    optional("full", Boolean, "Whether to include all versions."),
    optional(
        "skipDependencies",
        Boolean,
        "Whether to exclude the dependencies of the packages.",
    ),
    optional("platforms", PLATFORMS, "Platforms of the images."),
    optional(
        "packages",
        List(&Object(PACKAGE)),
        "Packages to mirror; all packages if empty.",
    ),
];

const ADDITIONAL: &[Field] = &[
    required("name", Text, "Reference of the image."),
    optional("targetRepo", Text, "Path of the image at the target."),
    optional("targetTag", Text, "Tag of the image at the target."),
    optional("platforms", PLATFORMS, "Platforms of the image."),
];

const MIRROR: &[Field] = &[
    optional(
        "operators",
        List(&Object(OPERATOR)),
        "Catalogs and their packages to mirror.",
    ),
    optional(
        "additionalImages",
        List(&Object(ADDITIONAL)),
        "Images to mirror in addition to those of the catalogs.",
    ),
    optional(
        "blockedImages",
        List(&Object(&[required(
            "name",
            Text,
            "Regular expression that matches image references.",
        )])),
        "Images to exclude.",
    ),
    optional("platform", Any, "Releases; ignored because they are not mirrored."),
    optional("helm", Any, "Helm charts; ignored because they are not mirrored."),
    optional("samples", Any, "Samples; ignored because they are not mirrored."),
];

const SHAPE: Shape = Object(&[
    required("apiVersion", Text, "mirror.openshift.io/v2alpha1."),
    required("kind", Text, "ImageSetConfiguration."),
    optional("metadata", Any, "Ignored."),
    optional("archiveSize", Integer, "Maximum size of an archive volume in GiB."),
    required("mirror", Object(MIRROR), "Content to mirror."),
]);

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
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct File {
    archive_size: Option<u64>,
    mirror: Mirror,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[derive(Default)]
struct Mirror {
    operators: Vec<Operator>,
    additional_images: Vec<Additional>,
    blocked_images: Vec<Blocked>,
    platform: Value,
    helm: Value,
    samples: Value,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Operator {
    catalog: String,
    target_catalog: Option<String>,
    target_tag: Option<String>,
    target_catalog_source_template: Option<String>,
    #[serde(default)]
    full: bool,
    #[serde(default)]
    skip_dependencies: bool,
    #[serde(default)]
    platforms: Vec<WrittenPlatform>,
    #[serde(default)]
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct WrittenPlatform {
    os: String,
    architecture: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Package {
    name: String,
    #[serde(default)]
    channels: Vec<Channel>,
    default_channel: Option<String>,
    min_version: Option<String>,
    max_version: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Channel {
    name: String,
    min_version: Option<String>,
    max_version: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Additional {
    name: String,
    target_repo: Option<String>,
    target_tag: Option<String>,
    #[serde(default)]
    platforms: Vec<WrittenPlatform>,
}

#[derive(Deserialize)]
struct Blocked {
    name: String,
}

/// Reads an ImageSetConfiguration. `name` is the file path in error messages; `follow` specifies the dependencies to
/// follow, unless the file skips dependencies.
///
/// # Errors
/// Returns an error if the file has a wrong kind or version, an unknown key, or an invalid value.
pub fn read(name: &str, bytes: &[u8], limits: &Limits, follow: &Follow) -> Result<ImageSet, ImageSetError> {
    let mut reading = text::read(name, bytes, limits);
    let whole = || Place::new(&SourceFile::new(name, ""), 0..0);
    if let Some(finding) = reading.diagnostics.iter().find(|finding| finding.is_error()) {
        return Err(ImageSetError {
            place: finding.place.clone().unwrap_or_else(whole),
            message: finding.message.clone(),
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
        match (text("kind"), text("apiVersion")) {
            // A missing key is reported later with other invalid keys.
            (KIND, API_VERSION) | ("", _) | (_, "") => Ok(()),
            (KIND, other) => self.fail(
                &root.key("apiVersion"),
                format!("the file has the apiVersion {other}, but only {API_VERSION} is supported"),
            ),
            (other, _) => self.fail(
                &root.key("kind"),
                format!("the file is of the kind {other}, but {KIND} is expected"),
            ),
        }
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
        Err(ImageSetError { place, message })
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
        if let Some(size) = file.archive_size {
            set.remarks.push(format!(
                "archiveSize is not part of a plan; specify {size}GiB as the volume size when writing an archive"
            ));
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
                    "{} is skipped because it is not in a registry",
                    additional.name
                ));
                continue;
            }
            set.request.images.push(ImageRequest {
                image: additional.name.clone(),
                place: Destination {
                    repository: additional.target_repo.clone(),
                    tag: additional.target_tag.clone(),
                },
                platforms: self.platforms(&additional.platforms, &path)?,
            });
        }
        for (index, blocked) in mirror.blocked_images.iter().enumerate() {
            let path = root.key("blockedImages").index(index).key("name");
            let pattern = Regex::new(&blocked.name);
            let pattern = pattern.or_else(|error| self.fail(&path, format!("invalid regular expression: {error}")))?;
            set.request.blocked.push(pattern);
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
            default_channels,
            follow: if operator.skip_dependencies {
                Follow::default()
            } else {
                follow.clone()
            },
            place: Destination {
                repository: operator.target_catalog.clone(),
                tag: operator.target_tag.clone(),
            },
            platforms: self.platforms(&operator.platforms, path)?,
        })
    }

    fn platforms(&self, written: &[WrittenPlatform], path: &Path) -> Result<BTreeSet<Platform>, ImageSetError> {
        let platform = |(index, written): (usize, &WrittenPlatform)| {
            let parsed = format!("{}/{}", written.os, written.architecture).parse();
            parsed.or_else(|error: PlatformError| self.fail(&path.key("platforms").index(index), error.to_string()))
        };
        written.iter().enumerate().map(platform).collect()
    }

    fn part(&self, package: &Package, full: bool, path: &Path) -> Result<Part, ImageSetError> {
        let own = self.range(package.min_version.as_deref(), package.max_version.as_deref(), path)?;
        if own.is_some() && full {
            return self.fail(
                path,
                "full selects all versions, but minVersion and maxVersion restrict the versions",
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
                        "full selects all versions, but minVersion and maxVersion restrict the versions",
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
        let bounds: Vec<String> = bound(least, ">=").into_iter().chain(bound(most, "<=")).collect();
        if bounds.is_empty() {
            return Ok(None);
        }
        let text = bounds.join(" ");
        match Constraint::parse(&text) {
            Ok(constraint) => Ok(Some(Versions::Meeting(constraint))),
            Err(reason) => self.fail(path, format!("the version range {text} is invalid: {reason}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::selection::part::Candidate;
    use crate::olm::intent::Intent;

    fn set(text: &str) -> Result<ImageSet, String> {
        let text = format!("apiVersion: {API_VERSION}\nkind: {KIND}\n{text}");
        let follow = Follow {
            intents: BTreeSet::from([Intent::Required]),
            ..Follow::default()
        };
        read("imageset.yaml", text.as_bytes(), &Limits::default(), &follow).map_err(|error| error.to_string())
    }

    fn catalog(text: &str) -> CatalogRequest {
        set(&format!(
            "mirror:\n  operators:\n  - {{catalog: registry.example.com/c:v1, {text}}}\n"
        ))
        .unwrap()
        .request
        .catalogs
        .remove(0)
    }

    /// Returns the requested versions of a channel from a fixed list whose last version is the head.
    fn wanted(part: &Part, channel: &str) -> Vec<&'static str> {
        let versions = ["1.0.0", "1.1.0", "1.2.0-rc1", "1.2.0"];
        let wants = |version: &&'static str| {
            part.versions.wants(Candidate {
                channel,
                bundle: version,
                version: Some(&version.parse().unwrap()),
                is_head: *version == "1.2.0",
            })
        };
        versions.into_iter().filter(wants).collect()
    }

    #[test]
    fn each_selection_wants_what_the_field_expects() {
        for (packages, channel, expected) in [
            ("packages: [{name: a}]", "stable", vec!["1.2.0"]),
            (
                "full: true, packages: [{name: a}]",
                "stable",
                vec!["1.0.0", "1.1.0", "1.2.0-rc1", "1.2.0"],
            ),
            (
                "packages: [{name: a, minVersion: 1.1.0}]",
                "stable",
                vec!["1.1.0", "1.2.0"],
            ),
            (
                "packages: [{name: a, maxVersion: 1.1.0}]",
                "stable",
                vec!["1.0.0", "1.1.0"],
            ),
            (
                "packages: [{name: a, channels: [{name: stable}]}]",
                "stable",
                vec!["1.2.0"],
            ),
            ("packages: [{name: a, channels: [{name: stable}]}]", "fast", vec![]),
            (
                "packages: [{name: a, channels: [{name: stable, minVersion: 1.1.0, maxVersion: 1.1.0}, {name: fast}]}]",
                "stable",
                vec!["1.1.0"],
            ),
            (
                "packages: [{name: a, channels: [{name: stable, minVersion: 1.1.0}, {name: fast}]}]",
                "fast",
                vec!["1.2.0"],
            ),
            (
                "packages: [{name: a, minVersion: 1.1.0, channels: [{name: fast}]}]",
                "fast",
                vec!["1.1.0", "1.2.0"],
            ),
            (
                "packages: [{name: a, minVersion: 1.2.0-0}]",
                "stable",
                vec!["1.2.0-rc1", "1.2.0"],
            ),
        ] {
            assert_eq!(wanted(&catalog(packages).parts["a"], channel), expected, "{packages}");
        }
        assert!(matches!(catalog("full: false").versions, Versions::Head));
        assert!(catalog("full: true").is_whole());
    }

    #[test]
    fn everything_else_that_is_followed_becomes_part_of_the_request() {
        let set = set(
            "mirror:\n  operators:\n  - catalog: oci:///catalogs/c\n    targetCatalog: ns/c\n    targetTag: v2\n    skipDependencies: true\n    \
             platforms: [{os: linux, architecture: arm64}]\n    packages: [{name: a, defaultChannel: fast}]\n  \
             additionalImages: [{name: 'registry.example.com/tool:v1', targetRepo: tools/tool, targetTag: latest}]\n  \
             blockedImages: [{name: 'quay\\.example\\.com/.*-debug'}]\n",
        )
        .unwrap();
        assert_eq!(set.remarks, Vec::<String>::new());
        let catalog = &set.request.catalogs[0];
        assert_eq!(catalog.catalog, "oci:/catalogs/c");
        assert_eq!(catalog.place.repository.as_deref(), Some("ns/c"));
        assert_eq!(catalog.place.tag.as_deref(), Some("v2"));
        assert_eq!(catalog.follow, Follow::default());
        assert_eq!(catalog.default_channels["a"], "fast");
        assert_eq!(catalog.platforms.first().unwrap().to_string(), "linux/arm64");
        let image = &set.request.images[0];
        assert_eq!(
            (image.image.as_str(), image.place.tag.as_deref()),
            ("registry.example.com/tool:v1", Some("latest"))
        );
        assert!(set.request.blocked[0].is_match("quay.example.com/a/b-debug:v1"));
    }

    #[test]
    fn what_is_not_followed_is_told() {
        let set = set(
            "archiveSize: 4\nmirror:\n  platform: {channels: [{name: stable-4.18}]}\n  helm: {}\n  samples: []\n  operators:\n  \
             - {catalog: c, targetCatalogSourceTemplate: cs.yaml}\n  additionalImages: [{name: 'oci:///images/a'}]\n",
        )
        .unwrap();
        let told = set.remarks.join("\n");
        for part in [
            "mirror.platform",
            "mirror.helm",
            "mirror.samples",
            "4GiB as the volume size",
            "targetCatalogSourceTemplate",
            "oci:///images/a",
        ] {
            assert!(told.contains(part), "{part}: {told}");
        }
    }

    #[test]
    fn files_that_say_what_cannot_be_are_refused_at_their_line() {
        let package =
            |text: &str| format!("mirror:\n  operators:\n  - catalog: c\n    packages:\n    - {{name: a, {text}}}\n");
        for (text, expected) in [
            (package("bundles: [{name: x}]"), "imageset.yaml:7"),
            (
                "mirror:\n  operators:\n  - catalog: c\n    platforms:\n    - {os: linux, architecture: am d64}\n"
                    .to_owned(),
                "imageset.yaml:7",
            ),
            (package("minVersion: one"), "the version range >=one is invalid"),
            (
                package("minVersion: 1.0.0, channels: [{name: s, maxVersion: 2.0.0}]"),
                "for the package and for this channel",
            ),
            (
                package("channels: [{name: s}, {name: s}]"),
                "the channel s appears twice",
            ),
            (
                "mirror:\n  operators:\n  - {catalog: c, packages: [{name: a}, {name: a}]}\n".to_owned(),
                "the package a appears twice",
            ),
            (
                "mirror:\n  operators: [{catalog: c}, {catalog: c}]\n".to_owned(),
                "the catalog c appears twice",
            ),
            (
                "mirror:\n  operators:\n  - {catalog: c, full: true, packages: [{name: a, minVersion: 1.0.0}]}\n"
                    .to_owned(),
                "full selects all",
            ),
            (
                "mirror:\n  blockedImages: [{name: '('}]\n".to_owned(),
                "regular expression",
            ),
            ("mirror:\n  operator: []\n".to_owned(), "operators"),
            ("storageConfig: {}\nmirror: {}\n".to_owned(), "storageConfig"),
            (String::new(), "mirror"),
        ] {
            let error = set(&text).unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        }
        for (text, expected) in [
            (
                "apiVersion: mirror.openshift.io/v1alpha2\nkind: ImageSetConfiguration\nmirror: {}\n",
                "v2alpha1 is supported",
            ),
            (
                "apiVersion: mirror.openshift.io/v2alpha1\nkind: DeleteImageSetConfiguration\ndelete: {}\n",
                "but ImageSetConfiguration is expected",
            ),
            ("", "0 documents"),
        ] {
            let error = read("imageset.yaml", text.as_bytes(), &Limits::default(), &Follow::default()).unwrap_err();
            assert!(error.to_string().contains(expected), "{text}: {error}");
        }
    }
}
