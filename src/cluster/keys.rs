//! The keys of a what-if file: one table for its reader, its JSON Schema and its errors.

use crate::shape::Shape::{self, Any, Boolean, Choice, List, Map, Object, Text, Within};
use crate::shape::{DRAFT_2020_12, Field, TEXTS, json_schema as schema_of, not_empty, optional, required};
use serde_json::{Value, json};

/// Kubernetes objects, whole.
const OBJECTS: Shape = List(&Map(
    &[not_empty("apiVersion", Text, ""), not_empty("kind", Text, "")],
    &Any,
));

const APIS: Shape = List(&Object(&[
    optional("group", Text, "API group; the core group where it is absent."),
    not_empty("version", Text, "Version, such as v1."),
    not_empty("kind", Text, "Kind."),
]));

const TYPED_VALUES: Shape = List(&Object(&[
    not_empty("type", Text, "Type, such as olm.package."),
    optional("value", Any, "Value, in the form of its type."),
]));

const ENTRIES: &[Field] = &[
    not_empty("name", Text, "Name of the bundle."),
    optional("replaces", Text, "The bundle from which this one is the next update."),
    optional(
        "skips",
        TEXTS,
        "Bundles that may be updated to this one without being offered themselves.",
    ),
    optional("skipRange", Text, "Range of versions that may be updated to this one."),
];

const BUNDLES: &[Field] = &[
    not_empty("name", Text, "Name of its ClusterServiceVersion."),
    optional("version", Text, "Version, such as 1.2.3."),
    optional("provides", APIS, "APIs that it owns."),
    optional("requires", APIS, "APIs that it requires."),
    optional(
        "properties",
        TYPED_VALUES,
        "Further properties, besides those of its package and its APIs.",
    ),
    optional(
        "dependencies",
        TYPED_VALUES,
        "Further dependencies, as in metadata/dependencies.yaml.",
    ),
];

const CATALOGS: &[Field] = &[
    not_empty("name", Text, "Name of the CatalogSource."),
    optional(
        "namespace",
        Text,
        "Its namespace; where there is none, globalNamespace, else namespace.",
    ),
    optional(
        "priority",
        Within(i32::MIN as i64, i32::MAX as i64),
        "A higher one is preferred; 0 where there is none.",
    ),
    optional(
        "source",
        Text,
        "An index image, a database or a folder with a file-based catalog, instead of packages. A path is relative to this file.",
    ),
    optional(
        "packages",
        List(&Object(&[
            not_empty("name", Text, "Name of the package."),
            optional("defaultChannel", Text, "Channel of a subscription that names none."),
            optional(
                "channels",
                List(&Object(&[
                    not_empty("name", Text, "Name of the channel."),
                    optional("entries", List(&Object(ENTRIES)), "Its bundles."),
                ])),
                "Channels.",
            ),
            optional("bundles", List(&Object(BUNDLES)), "Bundles."),
        ])),
        "Packages, written out.",
    ),
];

const INSTALLED: &[Field] = &[
    not_empty("name", Text, "Name of the ClusterServiceVersion."),
    optional("version", Text, "Its version, such as 1.2.3."),
    optional("package", Text, "Package that it was installed from."),
    optional("phase", Text, "Its phase; Succeeded where there is none."),
    optional("replaces", Text, "The one that it replaced."),
    optional("provides", APIS, "APIs that it owns."),
    optional("requires", APIS, "APIs that it requires."),
    optional(
        "properties",
        TYPED_VALUES,
        "Further properties, in the form of the annotation operatorframework.io/properties.",
    ),
    optional(
        "withoutPropertiesAnnotation",
        Boolean,
        "Whether it has no annotation operatorframework.io/properties.",
    ),
];

const SUBSCRIPTIONS: &[Field] = &[
    optional("name", Text, "Its name; that of the package where there is none."),
    not_empty("package", Text, "The package."),
    optional("channel", Text, "The channel; any where there is none."),
    optional(
        "catalog",
        Text,
        "Name of the CatalogSource; the only one where there is none.",
    ),
    optional("catalogNamespace", Text, "Namespace of the CatalogSource."),
    optional("startingCSV", Text, "The version that a first installation takes."),
    optional("installedCSV", Text, "The version that is installed."),
    optional(
        "currentCSV",
        Text,
        "The version that OLM is working on; installedCSV where there is none.",
    ),
    optional(
        "installPlanApproval",
        Choice(&["Automatic", "Manual"]),
        "Who approves what it installs; Automatic where there is none.",
    ),
];

const SERVED: &[Field] = &[
    optional("group", Text, "API group; the core group where it is absent."),
    not_empty("version", Text, "Version, such as v1."),
    not_empty("kind", Text, "Kind."),
    optional("plural", Text, "Name of the resource, such as deployments."),
    optional(
        "namespaced",
        Boolean,
        "Whether its objects are in namespaces; true where it is absent.",
    ),
];

const GRANTS: &[Field] = &[
    not_empty("serviceAccount", Text, "Name of the service account."),
    optional(
        "namespace",
        Text,
        "Its namespace; the namespace of the file where there is none.",
    ),
    required(
        "rules",
        List(&Map(&[], &Any)),
        "RBAC rules. A list \"namespaces\" in a rule says where it holds; without, it holds in the whole cluster.",
    ),
];

const ERRORS: &[Field] = &[
    optional("group", Text, "API group of the object."),
    optional("version", Text, "Version of its API."),
    optional("kind", Text, "Its kind."),
    optional("namespace", Text, "Its namespace."),
    optional("name", Text, "Its name."),
    optional("verb", Text, "What is asked for, such as create."),
    optional("reason", Text, "Reason of the answer, such as Forbidden."),
    optional("code", Within(100, 599), "Code of the answer, such as 403."),
    optional("message", Text, "Message of the answer."),
];

/// The keys of the file.
const KEYS: &[Field] = &[
    optional("version", Within(1, 1), "Version of this format: 1."),
    optional("name", Text, "What the case is called."),
    optional("description", Text, "What it is about."),
    optional(
        "namespace",
        Text,
        "Namespace that operators are installed into; operators where there is none.",
    ),
    optional(
        "globalNamespace",
        Text,
        "Namespace whose catalogs serve all namespaces, such as olm.",
    ),
    optional(
        "excludeGlobalCatalogs",
        Boolean,
        "Whether the OperatorGroup keeps the catalogs of the global namespace out.",
    ),
    optional(
        "upgradeStrategy",
        Choice(&["Default", "TechPreviewUnsafeFailForward"]),
        "spec.upgradeStrategy of the OperatorGroup.",
    ),
    optional("serviceAccount", Text, "spec.serviceAccountName of the OperatorGroup."),
    optional("catalogs", List(&Object(CATALOGS)), "CatalogSources."),
    optional(
        "installed",
        List(&Object(INSTALLED)),
        "ClusterServiceVersions in the namespace.",
    ),
    optional(
        "subscriptions",
        List(&Object(SUBSCRIPTIONS)),
        "Subscriptions in the namespace.",
    ),
    optional("apis", List(&Object(SERVED)), "APIs that the cluster serves."),
    optional("objects", OBJECTS, "Objects in the cluster, whole."),
    optional("grants", List(&Object(GRANTS)), "What service accounts may do."),
    optional(
        "conditions",
        OBJECTS,
        "Objects of kind Condition or OperatorCondition, whole.",
    ),
    optional(
        "errors",
        List(&Object(ERRORS)),
        "Errors that the API server answers with, for requests that match everything given; reason or code is.",
    ),
];

/// The whole file.
pub(super) const SHAPE: Shape = Object(KEYS);

/// The JSON Schema (draft 2020-12) of a what-if file.
///
/// It refuses what [`super::read`] refuses, but for names: that a name stands twice, or is of nothing.
pub fn json_schema() -> Value {
    let about = "A namespace of a cluster with its operators, for opmx resolve and opmx plan.";
    let mut schema = schema_of(DRAFT_2020_12, "What-if file of opmx, version 1", about, &SHAPE);
    let given = |name: &str| json!({"required": [name], "properties": {name: {"not": {"type": "null"}}}});
    let one = json!({"allOf": [given("source"), given("packages")]});
    let some = json!([given("reason"), given("code")]);
    for (list, keyword, value) in [("catalogs", "not", one), ("errors", "anyOf", some)] {
        if let Some(items) = schema.pointer_mut(&format!("/properties/{list}/items")) {
            items[keyword] = value;
        }
    }
    schema
}
