//! The keys of a policy file: one table for its reader, its JSON Schema and its errors.

use crate::shape::Shape::{self, Choice, List, Object, Within};
use crate::shape::{DRAFT_2020_12, Field, TEXTS, json_schema as schema_of, optional, required};
use serde_json::{Value, json};

const NAMES: &[Field] = &[
    optional(
        "allow",
        TEXTS,
        "Only what one of these patterns matches is allowed; everything where it is absent.",
    ),
    optional(
        "deny",
        TEXTS,
        "What one of these patterns matches is refused, also where allow matches it.",
    ),
];

const PERMISSION: &[Field] = &[
    optional(
        "apiGroups",
        TEXTS,
        "API groups, \"\" for the core group; all where it is absent.",
    ),
    optional(
        "resources",
        TEXTS,
        "Resources, such as secrets or deployments/status; all where it is absent.",
    ),
    optional(
        "nonResourceURLs",
        TEXTS,
        "Paths that are no resources, such as /metrics.",
    ),
    optional(
        "verbs",
        TEXTS,
        "Verbs, such as get or escalate; all where it is absent.",
    ),
    optional(
        "scope",
        Choice(&["Cluster", "Namespace"]),
        "Where the permission holds: in the whole cluster or in a namespace; both where it is absent.",
    ),
];

const PERMISSIONS: &[Field] = &[
    optional(
        "allow",
        List(&Object(PERMISSION)),
        "Only permissions that one of these covers are allowed, as in RBAC; all where it is absent.",
    ),
    optional(
        "deny",
        List(&Object(PERMISSION)),
        "Permissions that give any of these are refused, also those with a wildcard.",
    ),
];

const KINDS: Field = optional(
    "kinds",
    Object(NAMES),
    "Kinds of objects that a bundle installs, and that OLM makes of its ClusterServiceVersion: Kind or group/Kind, with * for \
     any characters; the core group is core.",
);
const GRANTS: Field = optional(
    "permissions",
    Object(PERMISSIONS),
    "Permissions that a bundle gives to its operator and to others.",
);
const REGISTRIES: Field = optional(
    "registries",
    Object(NAMES),
    "Where images come from, bundles and what they run: registry.example.com or registry.example.com/team and all below it, \
     with * for any characters.",
);
const CATALOGS: Field = optional(
    "catalogs",
    Object(NAMES),
    "Catalogs that may be used: NAMESPACE/NAME of a CatalogSource, or its index image as in registries.",
);

const SECTION: &[Field] = &[
    optional("users", TEXTS, "Users that the section is for."),
    optional("groups", TEXTS, "Groups that the section is for."),
    KINDS,
    GRANTS,
    REGISTRIES,
    CATALOGS,
];

/// The whole file.
pub(super) const SHAPE: Shape = Object(&[
    required("version", Within(1, 1), "Version of this format: 1."),
    KINDS,
    GRANTS,
    REGISTRIES,
    CATALOGS,
    optional(
        "for",
        List(&Object(SECTION)),
        "What holds for some users, key by key in place of what is said to all. The first section that fits a user counts.",
    ),
]);

/// The JSON Schema (draft 2020-12) of a policy file. It refuses what [`super::read`] refuses.
pub fn json_schema() -> Value {
    let about = "What an administrator allows to be installed, for opmx bundle validate, index check and permissions.";
    let mut schema = schema_of(DRAFT_2020_12, "Policy file of opmx, version 1", about, &SHAPE);
    let given = |name: &str| json!({"required": [name], "properties": {name: {"type": "array", "minItems": 1}}});
    if let Some(items) = schema.pointer_mut("/properties/for/items") {
        items["anyOf"] = json!([given("users"), given("groups")]);
    }
    schema
}
