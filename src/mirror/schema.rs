//! JSON Schemas for mirror files.

use crate::shape::Shape::{self, Any, Boolean, Choice, Integer, List, Map, Object, Text};
use crate::shape::{DRAFT_2020_12, Field, TEXT_MAP, TEXTS, json_schema, optional, required};
use serde_json::Value;

const ABOUT: &str =
    "Fields are never removed and never change their meaning. If fields are added, the value of `schema` changes.";

/// Returns the JSON Schema of a plan.
pub fn plan_schema() -> Value {
    json_schema(DRAFT_2020_12, "Plan written by opmx mirror plan", ABOUT, &PLAN)
}

/// Returns the JSON Schema of the result of a copy.
pub fn result_schema() -> Value {
    json_schema(
        DRAFT_2020_12,
        "Result written by opmx mirror copy or load",
        ABOUT,
        &RESULT,
    )
}

/// Returns the JSON Schema of an archive list.
pub fn archive_schema() -> Value {
    json_schema(
        DRAFT_2020_12,
        "Archive list written by opmx mirror copy",
        ABOUT,
        &ARCHIVE,
    )
}

const PLAN: Shape = Object(&[
    required("schema", Choice(&[super::plan::SCHEMA]), "The schema of this document."),
    optional("to", Text, "The registry and path prefix of all destinations."),
    required("catalogs", List(&CATALOG), "The catalogs."),
    required("images", List(&IMAGE), "The images, sorted by source."),
    required("extras", List(&EXTRA), "Signatures and other referrers of images."),
    required(
        "manifests",
        Map(&[], &MANIFEST),
        "All manifests and image indexes, by digest.",
    ),
    required("blobs", Map(&[], &BLOB), "All configs and layers, by digest."),
    required("totals", TOTALS, "The total size of the plan."),
    required(
        "because",
        List(&BECAUSE),
        "The reasons why packages that were not selected are included.",
    ),
    required(
        "left_out",
        List(&LEFT_OUT),
        "The content that was selected but cannot be copied.",
    ),
]);

const CATALOG: Shape = Object(&[
    required("source", Text, "The name of the index, as requested."),
    optional("digest", Text, "The digest of the index image."),
    required("kept", List(&PACKAGE), "The kept part of the catalog."),
    required(
        "rebuilt",
        Boolean,
        "Whether the catalog image was built from the kept part of the catalog.",
    ),
    optional(
        "serves",
        Boolean,
        "Whether the rebuilt image contains a program that serves the catalog.",
    ),
    optional(
        "folder",
        Text,
        "The folder of the file-based catalog in an unchanged image that contains no program to serve it.",
    ),
    optional(
        "database",
        Boolean,
        "Whether the image contains a database instead of a file-based catalog.",
    ),
    required("digest_after", Text, "The digest of the catalog image that is copied."),
    optional(
        "path",
        Text,
        "The requested path of the catalog image below the target, if not the default.",
    ),
    optional(
        "destination",
        Text,
        "The repository and tag of the catalog image at the target.",
    ),
    optional(
        "objects",
        List(&CATALOG_OBJECT),
        "The objects through which a cluster uses the catalog, if the plan was created for a cluster.",
    ),
]);

const CATALOG_OBJECT: Shape = Object(&[
    required("kind", Choice(&["CatalogSource", "ClusterCatalog"]), "The kind."),
    required("name", Text, "The name."),
    optional("namespace", Text, "The namespace of a CatalogSource."),
    optional("labels", TEXT_MAP, "The labels."),
    optional(
        "spec",
        Map(&[], &Any),
        "The field spec, which refers to the original catalog.",
    ),
]);

const PACKAGE: Shape = Object(&[
    required("package", Text, "The name of the package."),
    required("channels", List(&CHANNEL), "The channels."),
    optional(
        "channels_left_out",
        TEXTS,
        "The selected channels that contain no selected version.",
    ),
]);

const CHANNEL: Shape = Object(&[
    required("name", Text, "The name of the channel."),
    required("head", Text, "The bundle at the head of the channel."),
    required("entries", TEXTS, "The bundles, head first."),
    optional(
        "kept_for",
        TEXT_MAP,
        "The bundles that were not selected, each with the reason why the channel needs it.",
    ),
]);

const IMAGE: Shape = Object(&[
    required(
        "source",
        Text,
        "The source of the image: a reference by digest, or catalog:N for the image of that catalog in the layout next to the plan.",
    ),
    required("origins", TEXTS, "The references that resolve to the image."),
    required("digest", Text, "The digest of the image."),
    required("media_type", Text, "The media type of the manifest."),
    required("platforms", TEXTS, "The platforms of the image."),
    optional(
        "platforms_left_out",
        TEXTS,
        "The platforms of the image that are not copied.",
    ),
    required(
        "bytes",
        Integer,
        "The total size in bytes of the manifests and blobs of the image, each counted once.",
    ),
    required("for", List(&USE), "The uses of the image."),
    optional(
        "path",
        Text,
        "The requested path of the image below the target, if not the default.",
    ),
    optional(
        "destination",
        Text,
        "The repository of the image at the target, including the registry.",
    ),
    required("tags", TEXTS, "The tags of the image at the target."),
    required(
        "extras",
        TEXTS,
        "The digests of the extras that are copied with the image.",
    ),
]);

const USE: Shape = Object(&[
    required(
        "role",
        Choice(&["bundle", "operator", "related", "catalog", "additional"]),
        "The role of the image.",
    ),
    optional("package", Text, "The package that uses the image."),
    optional("bundle", Text, "The bundle that uses the image."),
    optional("name", Text, "The name of the image in the bundle."),
]);

const EXTRA: Shape = Object(&[
    required("subject", Text, "The digest of the manifest to which the extra refers."),
    required("digest", Text, "The digest of the manifest of the extra."),
    required(
        "kind",
        Choice(&["signature", "attestation", "sbom", "referrer"]),
        "The kind of extra.",
    ),
    required(
        "via",
        Choice(&["tag", "referrers"]),
        "The method for finding the extra from its subject.",
    ),
    optional("artifact_type", Text, "The artifact type in the manifest of the extra."),
    optional("tag", Text, "The tag of the extra."),
    required(
        "bytes",
        Integer,
        "The total size in bytes of the manifest and blobs of the extra.",
    ),
]);

const SOURCES: Field = required("sources", TEXTS, "The source repositories, or catalog:N.");
const PLACES: Field = required("in", TEXTS, "The repositories at the target, without the registry.");

const MANIFEST: Shape = Object(&[
    required("media_type", Text, "The media type."),
    required("bytes", Integer, "The size of the manifest itself in bytes."),
    SOURCES,
    optional(
        "manifests",
        TEXTS,
        "The referenced manifests that must be copied before this manifest.",
    ),
    optional("blobs", TEXTS, "The config and layers of the manifest."),
    optional("subject", Text, "The digest of the subject in the manifest."),
    PLACES,
]);

const BLOB: Shape = Object(&[
    required("bytes", Integer, "The stored size in bytes."),
    required("media_type", Text, "The media type."),
    SOURCES,
    PLACES,
]);

const TOTALS: Shape = Object(&[
    required("images", Integer, "The number of images."),
    required("manifests", Integer, "The number of manifests and image indexes."),
    required("blobs", Integer, "The number of configs and layers."),
    required(
        "bytes_referenced",
        Integer,
        "The total size in bytes if each image is counted separately.",
    ),
    required(
        "bytes_unique",
        Integer,
        "The total size in bytes if each blob and manifest is counted once.",
    ),
    optional(
        "bytes_present",
        Integer,
        "The total size in bytes of the blobs and manifests that were already at the target.",
    ),
]);

const BECAUSE: Shape = Object(&[
    required("package", Text, "The included package."),
    required("needed_by", Text, "The bundle that needs the package."),
    required("constraint", Text, "The dependency as stated in that bundle."),
]);

const LEFT_OUT: Shape = Object(&[
    required(
        "image",
        Text,
        "The image reference in the catalog, or the reference that was requested.",
    ),
    optional("bundles", TEXTS, "The bundles that contain the reference."),
    required("why", Text, "The reason why the content is not copied."),
    optional("blocked", Boolean, "Whether the request itself excludes the image."),
]);

const RESULT: Shape = Object(&[
    required(
        "schema",
        Choice(&["opmx.mirror.result/v1"]),
        "The schema of this document.",
    ),
    required(
        "plan",
        Text,
        "The digest of the plan, including its destinations at the target.",
    ),
    required("to", Text, "The target of the copy."),
    required("complete", Boolean, "Whether all content of the plan is at the target."),
    required("items", List(&ITEM), "The images and their referrers."),
    required("problems", TEXTS, "Problems that do not concern a single image."),
    required("moved", MOVED, "The amount of content transferred in this run."),
]);

const ITEM: Shape = Object(&[
    required(
        "name",
        Text,
        "The source of the image, or the kind and subject of the referrer.",
    ),
    optional(
        "destination",
        Text,
        "The repository at the target, including the registry.",
    ),
    required("digest", Text, "The digest of the image or referrer."),
    optional("tags", TEXTS, "The tags at the target."),
    optional(
        "replaced",
        TEXT_MAP,
        "The tags that this run moved from other images or referrers, each with the digest of the other one.",
    ),
    optional(
        "lost",
        Integer,
        "The number of layers, such as signatures, that only the replaced referrers had.",
    ),
    optional("bundles", TEXTS, "The bundles that need the image."),
    required(
        "state",
        Choice(&["present", "copied", "failed", "not-tried"]),
        "The state after the copy.",
    ),
    optional("why", Text, "The reason for a failure."),
]);

const MOVED: Shape = Object(&[
    required("sent", Integer, "The number of blobs that were uploaded."),
    required("bytes_sent", Integer, "The total size in bytes of the uploaded blobs."),
    required(
        "mounted",
        Integer,
        "The number of blobs that the registry mounted from another repository.",
    ),
    required(
        "there",
        Integer,
        "The number of blobs that were already in their repository.",
    ),
    required("manifests", Integer, "The number of manifests that were pushed."),
]);

const ARCHIVE: Shape = Object(&[
    required(
        "schema",
        Choice(&[super::archive::SCHEMA]),
        "The schema of this document.",
    ),
    required("plan", Text, "The digest of the plan."),
    required(
        "complete",
        Boolean,
        "Whether this archive and the archives on which it is based contain all content of the plan.",
    ),
    required("volume_size", Integer, "The maximum size of a volume in bytes."),
    required("volumes", List(&VOLUME), "The volumes."),
    optional("base", Text, "The digest of the list of the base archive."),
    required(
        "blobs",
        Map(&[], &TEXTS),
        "The blobs in this archive, each with its repositories.",
    ),
    optional(
        "omitted",
        Map(&[], &TEXTS),
        "The blobs in the archives on which this archive is based.",
    ),
    optional(
        "missing",
        TEXT_MAP,
        "The digests of the missing content, each with the reason.",
    ),
]);

const VOLUME: Shape = Object(&[
    required("name", Text, "The file name of the volume."),
    required("bytes", Integer, "The size of the file in bytes."),
    required("sha256", Text, "The digest of the file."),
]);
