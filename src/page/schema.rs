//! What the data of a site look like, as JSON Schema.

use crate::shape::DRAFT_2020_12;
use serde_json::{Map, Value, json};

/// The schema of `catalog.json`.
pub fn catalog_schema() -> Value {
    let package = object([
        ("name", string("The name of the package.")),
        ("displayName", string("Its name for people.")),
        ("provider", string("Who provides it; may be empty.")),
        ("summary", string("One sentence; may be empty.")),
        ("version", string("The version that a new installation gets.")),
        ("capabilityLevel", string("Such as Full Lifecycle; may be empty.")),
        (
            "infrastructureFeatures",
            strings("Features of the infrastructure that it supports."),
        ),
        (
            "deprecated",
            json!({"type": "boolean", "description": "Whether it should no longer be chosen."}),
        ),
        ("versions", count("How many versions there are.")),
        ("page", string("Its page, from the root of the site.")),
        ("data", string("Its data, from the root of the site.")),
    ]);
    root(
        "catalog.json of a site of opmx index page",
        [
            ("form", form()),
            ("title", string("The title of the site.")),
            ("source", string("The index as it was named.")),
            ("packages", list("In the order of the list.", &package)),
        ],
    )
}

/// The schema of the data of a package.
pub fn package_schema() -> Value {
    let entry = object([
        ("bundle", string("The name of the bundle.")),
        ("replaces", optional("The bundle from which it is the next update.")),
        (
            "skips",
            strings("Bundles that may be updated to it without being offered themselves."),
        ),
        (
            "skipRange",
            optional("The range of versions that may be updated to it."),
        ),
    ]);
    let channel = object([
        ("name", string("The name of the channel.")),
        ("head", optional("The bundle that a new installation gets.")),
        ("deprecated", optional("Why it is deprecated; null where it is not.")),
        ("entries", list("Its bundles, from the head downwards.", &entry)),
    ]);
    let dependent = object([
        ("package", string("A package of the same index.")),
        ("needs", string("What it needs.")),
        ("intent", intent()),
    ]);
    root(
        "p/PACKAGE.json of a site of opmx index page",
        [
            ("form", form()),
            ("name", string("The name of the package.")),
            ("displayName", string("Its name for people.")),
            ("defaultChannel", optional("The channel of a user who names none.")),
            ("deprecated", optional("Why it is deprecated; null where it is not.")),
            ("channels", list("By name.", &channel)),
            ("versions", list("From the newest.", &version())),
            ("neededBy", list("What needs it.", &dependent)),
        ],
    )
}

fn version() -> Value {
    let api = object([
        ("group", string("Empty for the core group.")),
        ("version", string("Such as v1.")),
        ("kind", string("The kind.")),
    ]);
    let image = object([
        ("name", string("What it is for; may be empty.")),
        ("image", string("The image.")),
    ]);
    let need = object([
        ("what", string("What it is.")),
        ("intent", intent()),
        ("packages", strings("The packages of the index that have it.")),
    ]);
    object([
        ("bundle", string("The name of the bundle.")),
        ("version", string("Its version, or its name where it has none.")),
        ("image", string("Its image; empty where the index holds it.")),
        ("page", string("Its page, from the root of the site.")),
        (
            "deprecated",
            optional("Why it is deprecated, which may be empty; null where it is not."),
        ),
        ("channels", strings("The channels that it is in.")),
        ("summary", string("One sentence; may be empty.")),
        ("provider", string("Who provides it; may be empty.")),
        ("capabilityLevel", string("Such as Full Lifecycle; may be empty.")),
        ("categories", strings("Its categories.")),
        ("keywords", strings("Its keywords.")),
        (
            "infrastructureFeatures",
            strings("Features of the infrastructure that it supports."),
        ),
        ("installModes", strings("The install modes that it supports.")),
        (
            "createdAt",
            string("When it was made, as its author wrote it; may be empty."),
        ),
        ("owned", list("The APIs that it provides.", &api)),
        ("required", list("The APIs that it needs.", &api)),
        ("relatedImages", list("The images that it needs.", &image)),
        ("needs", list("What it needs of other operators.", &need)),
        (
            "hasManifests",
            json!({"type": "boolean", "description": "Whether its permissions, fields and Deployments are known."}),
        ),
    ])
}

fn root<const N: usize>(title: &str, fields: [(&str, Value); N]) -> Value {
    let mut schema = Map::new();
    schema.insert("$schema".to_owned(), DRAFT_2020_12.into());
    schema.insert("title".to_owned(), title.into());
    if let Value::Object(object) = object(fields) {
        schema.extend(object);
    }
    Value::Object(schema)
}

/// An object with all of these fields, and later perhaps with more.
fn object<const N: usize>(fields: [(&str, Value); N]) -> Value {
    let required: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
    let properties: Map<String, Value> = fields
        .iter()
        .map(|(name, field)| ((*name).to_owned(), field.clone()))
        .collect();
    json!({"type": "object", "required": required, "properties": properties})
}

fn form() -> Value {
    json!({
        "type": "integer",
        "const": super::data::FORM,
        "description": "The version of this form. Fields may be added to it; none goes or changes its meaning.",
    })
}

fn intent() -> Value {
    json!({"type": "string", "enum": ["required", "recommended", "optional"], "description": "How much it is wanted."})
}

fn string(about: &str) -> Value {
    json!({"type": "string", "description": about})
}

fn optional(about: &str) -> Value {
    json!({"type": ["string", "null"], "description": about})
}

fn strings(about: &str) -> Value {
    json!({"type": "array", "items": {"type": "string"}, "description": about})
}

fn count(about: &str) -> Value {
    json!({"type": "integer", "minimum": 0, "description": about})
}

fn list(about: &str, items: &Value) -> Value {
    json!({"type": "array", "items": items, "description": about})
}
