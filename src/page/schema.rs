//! What the data of a site look like, as JSON Schema.

use crate::shape::Shape::{Boolean, Choice, List, Object, Text, Within};
use crate::shape::{DRAFT_2020_12, Field, Presence, Shape, TEXTS, json_schema};
use serde_json::Value;

/// The schema of `catalog.json`.
pub fn catalog_schema() -> Value {
    json_schema(
        DRAFT_2020_12,
        "catalog.json of a site of opmx index page",
        ABOUT,
        &CATALOG,
    )
}

/// The schema of the data of a package.
pub fn package_schema() -> Value {
    json_schema(
        DRAFT_2020_12,
        "The data of a package of a site of opmx index page",
        ABOUT,
        &PACKAGE,
    )
}

const ABOUT: &str = "Fields may be added to a form; none goes or changes its meaning.";
const FORM: Field = always(
    "form",
    Within(super::data::FORM, super::data::FORM),
    "The version of this form.",
);
const INTENT: Shape = Choice(&["required", "recommended", "optional"]);

const CATALOG: Shape = Object(&[
    FORM,
    always("title", Text, "The title of the site."),
    always("source", Text, "The index as it was named."),
    always("packages", List(&ROW), "In the order of the list."),
]);

const ROW: Shape = Object(&[
    always("name", Text, "The name of the package."),
    always("displayName", Text, "Its name for people."),
    always("provider", Text, "Who provides it; may be empty."),
    always("summary", Text, "One sentence; may be empty."),
    always("version", Text, "The version that a new installation gets."),
    always("capabilityLevel", Text, "Such as Full Lifecycle; may be empty."),
    always(
        "infrastructureFeatures",
        TEXTS,
        "Features of the infrastructure that it supports.",
    ),
    always("deprecated", Boolean, "Whether it should no longer be chosen."),
    always("versions", Within(0, i64::MAX), "How many versions there are."),
    always("page", Text, "Its page, from the root of the site."),
    always("data", Text, "Its data, from the root of the site."),
]);

const PACKAGE: Shape = Object(&[
    FORM,
    always("name", Text, "The name of the package."),
    always("displayName", Text, "Its name for people."),
    nullable("defaultChannel", Text, "The channel of a user who names none."),
    nullable("deprecated", Text, "Why it is deprecated; null where it is not."),
    always("channels", List(&CHANNEL), "By name."),
    always("versions", List(&VERSION), "From the newest."),
    always("neededBy", List(&DEPENDENT), "What needs it."),
]);

const CHANNEL: Shape = Object(&[
    always("name", Text, "The name of the channel."),
    nullable("head", Text, "The bundle that a new installation gets."),
    nullable("deprecated", Text, "Why it is deprecated; null where it is not."),
    always("entries", List(&ENTRY), "Its bundles, from the head downwards."),
]);

const ENTRY: Shape = Object(&[
    always("bundle", Text, "The name of the bundle."),
    nullable("replaces", Text, "The bundle from which it is the next update."),
    always(
        "skips",
        TEXTS,
        "Bundles that may be updated to it without being offered themselves.",
    ),
    nullable("skipRange", Text, "The range of versions that may be updated to it."),
]);

const DEPENDENT: Shape = Object(&[
    always("package", Text, "A package of the same index."),
    always("needs", Text, "What it needs."),
    always("intent", INTENT, "How much it is wanted."),
]);

const VERSION: Shape = Object(&[
    always("bundle", Text, "The name of the bundle."),
    always("version", Text, "Its version, or its name where it has none."),
    always("image", Text, "Its image; empty where the index holds it."),
    always("page", Text, "Its page, from the root of the site."),
    nullable(
        "deprecated",
        Text,
        "Why it is deprecated, which may be empty; null where it is not.",
    ),
    always("channels", TEXTS, "The channels that it is in."),
    always("summary", Text, "One sentence; may be empty."),
    always("provider", Text, "Who provides it; may be empty."),
    always("capabilityLevel", Text, "Such as Full Lifecycle; may be empty."),
    always("categories", TEXTS, "Its categories."),
    always("keywords", TEXTS, "Its keywords."),
    always(
        "infrastructureFeatures",
        TEXTS,
        "Features of the infrastructure that it supports.",
    ),
    always("installModes", TEXTS, "The install modes that it supports."),
    always(
        "createdAt",
        Text,
        "When it was made, as its author wrote it; may be empty.",
    ),
    always("owned", List(&API), "The APIs that it provides."),
    always("required", List(&API), "The APIs that it needs."),
    always("relatedImages", List(&IMAGE), "The images that it needs."),
    always("needs", List(&NEED), "What it needs of other operators."),
    always(
        "hasManifests",
        Boolean,
        "Whether its permissions, fields and Deployments are known.",
    ),
]);

const API: Shape = Object(&[
    always("group", Text, "Empty for the core group."),
    always("version", Text, "Such as v1."),
    always("kind", Text, "The kind."),
]);

const IMAGE: Shape = Object(&[
    always("name", Text, "What it is for; may be empty."),
    always("image", Text, "The image."),
]);

const NEED: Shape = Object(&[
    always("what", Text, "What it is."),
    always("intent", INTENT, "How much it is wanted."),
    always("packages", TEXTS, "The packages of the index that have it."),
]);

const fn always(key: &'static str, shape: Shape, about: &'static str) -> Field {
    Field::new(key, shape, Presence::Always, about)
}

const fn nullable(key: &'static str, shape: Shape, about: &'static str) -> Field {
    Field::new(key, shape, Presence::Nullable, about)
}
