//! The JSON Schemas of the data of a site.

use crate::shape::Shape::{Boolean, Choice, Integer, List, Object, Text, Within};
use crate::shape::{DRAFT_2020_12, Field, Shape, TEXTS, always, json_schema, nullable, optional};
use serde_json::Value;

/// Returns the schema of `catalog.json`.
pub fn catalog_schema() -> Value {
    extensible("catalog.json of a site built by opmx index page", &CATALOG)
}

/// Returns the schema of the data of a package.
pub fn package_schema() -> Value {
    extensible("The package data of a site built by opmx index page", &PACKAGE)
}

/// Returns a schema that also accepts the data of later versions, which may contain more fields.
fn extensible(title: &str, shape: &Shape) -> Value {
    let mut schema = json_schema(DRAFT_2020_12, title, ABOUT, shape);
    accept_more_fields(&mut schema);
    schema
}

fn accept_more_fields(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            if fields.get("additionalProperties") == Some(&Value::Bool(false)) {
                fields.remove("additionalProperties");
            }
            fields.values_mut().for_each(accept_more_fields);
        }
        Value::Array(values) => values.iter_mut().for_each(accept_more_fields),
        _ => {}
    }
}

const ABOUT: &str = "Fields may be added, but no field is removed or changes its meaning.";
const FORM: Field = always(
    "form",
    Within(super::data::FORM, super::data::FORM),
    "The schema of this document.",
);
const INTENT: Shape = Choice(&["required", "recommended", "optional"]);

const CATALOG: Shape = Object(&[
    FORM,
    always("title", Text, "The title of the site."),
    always(
        "source",
        Text,
        "The index: the reference of an image, or the name of a file or folder.",
    ),
    always("packages", List(&ROW), "The packages in the order of the list."),
]);

const ROW: Shape = Object(&[
    always("name", Text, "The name of the package."),
    always("displayName", Text, "The display name of the package."),
    always("provider", Text, "The provider; may be empty."),
    always("summary", Text, "A summary in one sentence; may be empty."),
    nullable(
        "version",
        Text,
        "The version that a new installation gets; null if it gets none, for example because a channel has no head.",
    ),
    always(
        "capabilityLevel",
        Text,
        "The capability level, such as Full Lifecycle; may be empty.",
    ),
    always(
        "infrastructureFeatures",
        TEXTS,
        "The supported infrastructure features.",
    ),
    always(
        "deprecated",
        Boolean,
        "Whether the package or its current version is deprecated.",
    ),
    always("versions", Within(0, i64::MAX), "The number of versions."),
    always("page", Text, "The path of the page from the root of the site."),
    always("data", Text, "The path of the package data from the root of the site."),
]);

const PACKAGE: Shape = Object(&[
    FORM,
    always("name", Text, "The name of the package."),
    always("displayName", Text, "The display name of the package."),
    nullable("defaultChannel", Text, "The default channel."),
    nullable("deprecated", Text, "The deprecation message; null if there is none."),
    always("channels", List(&CHANNEL), "The channels, sorted by name."),
    always("versions", List(&VERSION), "The versions, newest first."),
    always(
        "neededBy",
        List(&DEPENDENT),
        "The packages that depend on this package; at most the first 50 dependencies.",
    ),
    always(
        "moreNeededBy",
        Within(0, i64::MAX),
        "The number of dependencies on this package that are not in neededBy.",
    ),
]);

const CHANNEL: Shape = Object(&[
    always("name", Text, "The name of the channel."),
    nullable("head", Text, "The bundle that a new installation gets."),
    nullable("deprecated", Text, "The deprecation message; null if there is none."),
    always(
        "entries",
        List(&ENTRY),
        "The bundles of the channel, from the head downwards.",
    ),
]);

const ENTRY: Shape = Object(&[
    always("bundle", Text, "The name of the bundle."),
    nullable("replaces", Text, "The bundle that this bundle replaces."),
    always(
        "skips",
        TEXTS,
        "Bundles that can be updated to this bundle but are not offered themselves.",
    ),
    nullable(
        "skipRange",
        Text,
        "The range of versions that can be updated to this bundle.",
    ),
]);

const DEPENDENT: Shape = Object(&[
    always("package", Text, "A package of the same index."),
    always("needs", Text, "The dependency."),
    always(
        "intent",
        INTENT,
        "Whether the dependency is required, recommended or optional.",
    ),
]);

const VERSION: Shape = Object(&[
    always("bundle", Text, "The name of the bundle."),
    always(
        "version",
        Text,
        "The version, or the bundle name if there is no version.",
    ),
    always(
        "image",
        Text,
        "The bundle image; empty if the bundle is stored in the index.",
    ),
    always("page", Text, "The path of the page from the root of the site."),
    nullable(
        "deprecated",
        Text,
        "The deprecation message, which may be empty; null if the bundle is not deprecated.",
    ),
    always("channels", TEXTS, "The channels that contain the bundle."),
    always("summary", Text, "A summary in one sentence; may be empty."),
    always("provider", Text, "The provider; may be empty."),
    always(
        "capabilityLevel",
        Text,
        "The capability level, such as Full Lifecycle; may be empty.",
    ),
    always("categories", TEXTS, "The categories."),
    always("keywords", TEXTS, "The keywords."),
    always(
        "infrastructureFeatures",
        TEXTS,
        "The supported infrastructure features.",
    ),
    always("installModes", TEXTS, "The supported install modes."),
    always(
        "createdAt",
        Text,
        "The creation time as written by the author; may be empty.",
    ),
    always("owned", List(&API), "The provided APIs."),
    always("required", List(&API), "The required APIs."),
    always("relatedImages", List(&IMAGE), "The images that the operator needs."),
    always("needs", List(&NEED), "The dependencies on other operators."),
    always(
        "hasManifests",
        Boolean,
        "Whether the permissions, API fields and Deployments are known.",
    ),
]);

const API: Shape = Object(&[
    always("group", Text, "The API group; empty for the core group."),
    always("version", Text, "The version, such as v1."),
    always("kind", Text, "The kind."),
]);

const IMAGE: Shape = Object(&[
    always("name", Text, "The name of the image; may be empty."),
    always("image", Text, "The image."),
    optional(
        "bytes",
        Integer,
        "The number of bytes for all platforms; only present if images were looked up.",
    ),
    optional(
        "platforms",
        TEXTS,
        "The platforms; empty if the manifest does not name any. Only present if images were looked up.",
    ),
]);

const NEED: Shape = Object(&[
    always("what", Text, "The dependency."),
    always(
        "intent",
        INTENT,
        "Whether the dependency is required, recommended or optional.",
    ),
    always(
        "packages",
        TEXTS,
        "The packages in the index that satisfy the dependency; at most the first 50.",
    ),
    always(
        "morePackages",
        Within(0, i64::MAX),
        "The number of packages that satisfy the dependency and are not in packages.",
    ),
]);
