//! The format of an ImageSetConfiguration: the table of its fields, and the types that they are read into.

use crate::shape::Shape::{self, Any, Boolean, Integer, List, Object, Text};
use crate::shape::{Field, optional, required};
use serde::Deserialize;
use serde_json::Value;

pub(super) const API_VERSION: &str = "mirror.openshift.io/v2alpha1";
/// The start of older versions of the format.
pub(super) const OLDER_VERSIONS: &str = "mirror.openshift.io/v1";
/// The kind of files that list what to delete from a mirror.
pub(super) const DELETION: &str = "DeleteImageSetConfiguration";
pub(super) const KIND: &str = "ImageSetConfiguration";

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

pub(super) const SHAPE: Shape = Object(&[
    required("apiVersion", Text, "mirror.openshift.io/v2alpha1."),
    required("kind", Text, "ImageSetConfiguration."),
    optional("metadata", Any, "Ignored."),
    optional("archiveSize", Integer, "Maximum size of an archive volume in GiB."),
    required("mirror", Object(MIRROR), "Content to mirror."),
]);

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct File {
    pub(super) archive_size: Option<u64>,
    pub(super) mirror: Mirror,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[derive(Default)]
pub(super) struct Mirror {
    pub(super) operators: Vec<Operator>,
    pub(super) additional_images: Vec<Additional>,
    pub(super) blocked_images: Vec<Blocked>,
    pub(super) platform: Value,
    pub(super) helm: Value,
    pub(super) samples: Value,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Operator {
    pub(super) catalog: String,
    pub(super) target_catalog: Option<String>,
    pub(super) target_tag: Option<String>,
    pub(super) target_catalog_source_template: Option<String>,
    #[serde(default)]
    pub(super) full: bool,
    #[serde(default)]
    pub(super) skip_dependencies: bool,
    #[serde(default)]
    pub(super) platforms: Vec<WrittenPlatform>,
    #[serde(default)]
    pub(super) packages: Vec<Package>,
}

#[derive(Deserialize)]
pub(super) struct WrittenPlatform {
    pub(super) os: String,
    pub(super) architecture: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Package {
    pub(super) name: String,
    #[serde(default)]
    pub(super) channels: Vec<Channel>,
    pub(super) default_channel: Option<String>,
    pub(super) min_version: Option<String>,
    pub(super) max_version: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Channel {
    pub(super) name: String,
    pub(super) min_version: Option<String>,
    pub(super) max_version: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Additional {
    pub(super) name: String,
    pub(super) target_repo: Option<String>,
    pub(super) target_tag: Option<String>,
    #[serde(default)]
    pub(super) platforms: Vec<WrittenPlatform>,
}

#[derive(Deserialize)]
pub(super) struct Blocked {
    pub(super) name: String,
}
