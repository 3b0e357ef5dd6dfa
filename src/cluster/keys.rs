//! The keys of a what-if file: one table for the reader, the JSON Schema and the errors.

use crate::shape::Shape::{self, Any, Boolean, Choice, List, Map, Object, Text, Within};
use crate::shape::{DRAFT_2020_12, Field, TEXTS, json_schema as schema_of, not_empty, optional, required};
use serde_json::{Value, json};

/// Complete Kubernetes objects.
const OBJECTS: Shape = List(&Map(
    &[not_empty("apiVersion", Text, ""), not_empty("kind", Text, "")],
    &Any,
));

const APIS: Shape = List(&Object(&[
    optional("group", Text, "API group; defaults to the core group."),
    not_empty("version", Text, "Version, such as v1."),
    not_empty("kind", Text, "Kind."),
]));

const TYPED_VALUES: Shape = List(&Object(&[
    not_empty("type", Text, "Type, such as olm.package."),
    optional("value", Any, "Value, in the form that the type requires."),
]));

const ENTRIES: &[Field] = &[
    not_empty("name", Text, "Name of the bundle."),
    optional("replaces", Text, "The bundle that this bundle replaces."),
    optional(
        "skips",
        TEXTS,
        "Bundles that can be updated to this bundle, but that are not offered as updates.",
    ),
    optional(
        "skipRange",
        Text,
        "Range of versions that can be updated to this bundle.",
    ),
];

const BUNDLES: &[Field] = &[
    not_empty("name", Text, "Name of the bundle's ClusterServiceVersion."),
    optional("version", Text, "Version, such as 1.2.3."),
    optional("provides", APIS, "Owned APIs."),
    optional("requires", APIS, "Required APIs."),
    optional(
        "properties",
        TYPED_VALUES,
        "Properties in addition to those of the package and the APIs.",
    ),
    optional(
        "dependencies",
        TYPED_VALUES,
        "Additional dependencies, as in metadata/dependencies.yaml.",
    ),
];

const CATALOGS: &[Field] = &[
    not_empty("name", Text, "Name of the CatalogSource."),
    optional(
        "namespace",
        Text,
        "Namespace of the CatalogSource; defaults to globalNamespace, then to namespace.",
    ),
    optional(
        "priority",
        Within(i32::MIN as i64, i32::MAX as i64),
        "Priority; higher values are preferred; defaults to 0.",
    ),
    optional(
        "source",
        Text,
        "Index image, database or folder with a file-based catalog, instead of packages. Paths are relative to this \
         file.",
    ),
    optional(
        "packages",
        List(&Object(&[
            not_empty("name", Text, "Name of the package."),
            optional(
                "defaultChannel",
                Text,
                "Channel for Subscriptions that do not specify a channel.",
            ),
            optional(
                "channels",
                List(&Object(&[
                    not_empty("name", Text, "Name of the channel."),
                    optional("entries", List(&Object(ENTRIES)), "Bundles in the channel."),
                ])),
                "Channels.",
            ),
            optional("bundles", List(&Object(BUNDLES)), "Bundles."),
        ])),
        "Packages, defined in this file.",
    ),
];

const INSTALLED: &[Field] = &[
    not_empty("name", Text, "Name of the ClusterServiceVersion."),
    optional("version", Text, "Version of the operator, such as 1.2.3."),
    optional("package", Text, "Package from which the operator was installed."),
    optional(
        "phase",
        Text,
        "Phase of the ClusterServiceVersion; defaults to Succeeded.",
    ),
    optional(
        "replaces",
        Text,
        "Name of the ClusterServiceVersion that this one replaced.",
    ),
    optional("provides", APIS, "Owned APIs."),
    optional("requires", APIS, "Required APIs."),
    optional(
        "properties",
        TYPED_VALUES,
        "Additional properties, in the form of the annotation operatorframework.io/properties.",
    ),
    optional(
        "withoutPropertiesAnnotation",
        Boolean,
        "Whether the annotation operatorframework.io/properties is absent.",
    ),
];

const SUBSCRIPTIONS: &[Field] = &[
    optional("name", Text, "Name of the Subscription; defaults to the package name."),
    not_empty("package", Text, "The package."),
    optional("channel", Text, "The channel; defaults to any."),
    optional(
        "catalog",
        Text,
        "Name of the CatalogSource; defaults to the only CatalogSource.",
    ),
    optional("catalogNamespace", Text, "Namespace of the CatalogSource."),
    optional("startingCSV", Text, "The version to install first."),
    optional("installedCSV", Text, "The version that is installed."),
    optional(
        "currentCSV",
        Text,
        "The version that OLM is working on; defaults to installedCSV.",
    ),
    optional(
        "installPlanApproval",
        Choice(&["Automatic", "Manual"]),
        "Approval of its install plans; defaults to Automatic.",
    ),
];

const SERVED: &[Field] = &[
    optional("group", Text, "API group; defaults to the core group."),
    not_empty("version", Text, "Version, such as v1."),
    not_empty("kind", Text, "Kind."),
    optional("plural", Text, "Name of the resource, such as deployments."),
    optional(
        "namespaced",
        Boolean,
        "Whether the resource is namespaced; defaults to true.",
    ),
];

const GRANTS: &[Field] = &[
    not_empty("serviceAccount", Text, "Name of the service account."),
    optional(
        "namespace",
        Text,
        "Namespace of the service account; defaults to the namespace of the file.",
    ),
    required(
        "rules",
        List(&Map(&[], &Any)),
        "RBAC rules. A list \"namespaces\" limits a rule to these namespaces; otherwise the rule applies to the whole \
         cluster.",
    ),
];

const ERRORS: &[Field] = &[
    optional("group", Text, "API group of the object."),
    optional("version", Text, "API version of the object."),
    optional("kind", Text, "Kind of the object."),
    optional("namespace", Text, "Namespace of the object."),
    optional("name", Text, "Name of the object."),
    optional("verb", Text, "Verb of the request, such as create."),
    optional("reason", Text, "Reason in the response, such as Forbidden."),
    optional("code", Within(100, 599), "Status code of the response, such as 403."),
    optional("message", Text, "Message in the response."),
];

/// The keys of the file.
const KEYS: &[Field] = &[
    optional("version", Within(1, 1), "Version of this format: 1."),
    optional("name", Text, "Name of the situation that the file describes."),
    optional("description", Text, "Description of the situation."),
    optional(
        "namespace",
        Text,
        "Namespace that operators are installed into; defaults to operators.",
    ),
    optional(
        "globalNamespace",
        Text,
        "Namespace whose catalogs serve all namespaces, such as olm.",
    ),
    optional(
        "excludeGlobalCatalogs",
        Boolean,
        "Whether the OperatorGroup excludes the catalogs of the global namespace.",
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
    optional("kubernetesVersion", Text, "Version of Kubernetes, such as 1.30.2."),
    optional("objects", OBJECTS, "Complete objects in the cluster."),
    optional("grants", List(&Object(GRANTS)), "Permissions of service accounts."),
    optional(
        "conditions",
        OBJECTS,
        "Complete objects of kind Condition or OperatorCondition.",
    ),
    optional(
        "errors",
        List(&Object(ERRORS)),
        "Errors that the API server returns for requests that match all specified fields; reason or code is required.",
    ),
];

/// The whole file.
pub(super) const SHAPE: Shape = Object(KEYS);

/// Returns the JSON Schema (draft 2020-12) of a what-if file.
///
/// The schema rejects the same files as [`super::read`], except those with duplicate names or references to unknown
/// names.
pub fn json_schema() -> Value {
    let about = "A namespace of a cluster with its operators, for opmx resolve and opmx plan.";
    let mut schema = schema_of(DRAFT_2020_12, "opmx what-if file, version 1", about, &SHAPE);
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
