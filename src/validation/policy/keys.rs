//! The keys of a policy file: one table for the reader, the JSON Schema and the errors.

use crate::shape::Shape::{self, Choice, List, Object, Within};
use crate::shape::{DRAFT_2020_12, Field, TEXTS, json_schema as schema_of, optional, required};
use serde_json::{Value, json};

const NAMES: &[Field] = &[
    optional(
        "allow",
        TEXTS,
        "Only names that match one of these patterns are allowed; defaults to all.",
    ),
    optional(
        "deny",
        TEXTS,
        "Names that match one of these patterns are denied, even if they also match allow.",
    ),
];

const PERMISSION: &[Field] = &[
    optional(
        "apiGroups",
        TEXTS,
        "API groups, with \"\" for the core group; defaults to all.",
    ),
    optional(
        "resources",
        TEXTS,
        "Resources, such as secrets or deployments/status; defaults to all.",
    ),
    optional("nonResourceURLs", TEXTS, "Non-resource paths, such as /metrics."),
    optional("verbs", TEXTS, "Verbs, such as get or escalate; defaults to all."),
    optional(
        "scope",
        Choice(&["Cluster", "Namespace"]),
        "Scope of the permission: the whole cluster or a namespace; defaults to both. OLM extends permissions for a \
         namespace to the whole cluster if the OperatorGroup has no target namespaces: opmx permissions takes this into \
         account, whereas opmx bundle validate and index check, which do not have an OperatorGroup, use the scope in the \
         ClusterServiceVersion.",
    ),
];

const PERMISSIONS: &[Field] = &[
    optional(
        "allow",
        List(&Object(PERMISSION)),
        "Only permissions that one of these entries covers are allowed, as in RBAC; defaults to all.",
    ),
    optional(
        "deny",
        List(&Object(PERMISSION)),
        "Permissions that overlap with one of these entries are denied, even if only a wildcard makes them overlap.",
    ),
];

const KINDS: Field = optional(
    "kinds",
    Object(NAMES),
    "Kinds of objects that a bundle installs or that OLM creates from its ClusterServiceVersion: Kind or group/Kind, \
     with * for any characters; the core group is core.",
);
const GRANTS: Field = optional(
    "permissions",
    Object(PERMISSIONS),
    "Permissions that a bundle grants to its operator and to other subjects. The rules of a role that the bundle binds but does not contain also count; if they are unknown, they could be any.",
);
const REGISTRIES: Field = optional(
    "registries",
    Object(NAMES),
    "Registries of bundle images and of the images that bundles run: registry.example.com, or \
     registry.example.com/team and everything below it, with * for any characters.",
);
const CATALOGS: Field = optional(
    "catalogs",
    Object(NAMES),
    "Catalogs that may be used: NAMESPACE/NAME of a CatalogSource, or its index image in the form used in registries.",
);

const SECTION: &[Field] = &[
    optional("users", TEXTS, "Users that the section applies to."),
    optional("groups", TEXTS, "Groups that the section applies to."),
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
        "Overrides for some users: each key here replaces the same key of the policy for all users. The first section \
         that matches a user applies.",
    ),
]);

/// Returns the JSON Schema (draft 2020-12) of a policy file. The schema rejects the same
/// files as [`super::read`], except for entries that match nothing.
pub fn json_schema() -> Value {
    let about = "An administrator's rules about what may be installed, for opmx bundle validate, index check and \
                 permissions.";
    let mut schema = schema_of(DRAFT_2020_12, "opmx policy file, version 1", about, &SHAPE);
    let given = |name: &str| json!({"required": [name], "properties": {name: {"type": "array", "minItems": 1}}});
    if let Some(items) = schema.pointer_mut("/properties/for/items") {
        items["anyOf"] = json!([given("users"), given("groups")]);
    }
    schema
}
