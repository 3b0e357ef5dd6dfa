//! The keys of a what-if file: one table for its reader, its JSON Schema and its errors.

/// What may stand behind a key.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shape {
    Text,
    Flag,
    /// A whole number in this range.
    Number(i64, i64),
    /// One of these texts.
    Choice(&'static [&'static str]),
    /// Anything.
    Any,
    TextList,
    /// Maps with any keys, which have at least these, as texts.
    Objects(&'static [&'static str]),
    /// Maps with these keys and no other.
    List(&'static [Key]),
}

/// One key of a map.
#[derive(Debug, Clone, Copy)]
pub(super) struct Key {
    pub(super) name: &'static str,
    pub(super) shape: Shape,
    /// Whether it must be there; a text or number then must not be empty.
    pub(super) required: bool,
    pub(super) about: &'static str,
}

const fn required(name: &'static str, shape: Shape, about: &'static str) -> Key {
    Key {
        name,
        shape,
        required: true,
        about,
    }
}

const fn optional(name: &'static str, shape: Shape, about: &'static str) -> Key {
    Key {
        name,
        shape,
        required: false,
        about,
    }
}

const APIS: Shape = Shape::List(&[
    optional("group", Shape::Text, "API group; the core group where it is absent."),
    required("version", Shape::Text, "Version, such as v1."),
    required("kind", Shape::Text, "Kind."),
]);

const TYPED_VALUES: Shape = Shape::List(&[
    required("type", Shape::Text, "Type, such as olm.package."),
    optional("value", Shape::Any, "Value, in the form of its type."),
]);

const ENTRIES: &[Key] = &[
    required("name", Shape::Text, "Name of the bundle."),
    optional(
        "replaces",
        Shape::Text,
        "The bundle from which this one is the next update.",
    ),
    optional(
        "skips",
        Shape::TextList,
        "Bundles that may be updated to this one without being offered themselves.",
    ),
    optional(
        "skipRange",
        Shape::Text,
        "Range of versions that may be updated to this one.",
    ),
];

const BUNDLES: &[Key] = &[
    required("name", Shape::Text, "Name of its ClusterServiceVersion."),
    optional("version", Shape::Text, "Version, such as 1.2.3."),
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

const CATALOGS: &[Key] = &[
    required("name", Shape::Text, "Name of the CatalogSource."),
    optional(
        "namespace",
        Shape::Text,
        "Its namespace; where there is none, globalNamespace, else namespace.",
    ),
    optional(
        "priority",
        Shape::Number(i32::MIN as i64, i32::MAX as i64),
        "A higher one is preferred; 0 where there is none.",
    ),
    optional(
        "source",
        Shape::Text,
        "An index image, a database or a folder with a file-based catalog, instead of packages. A path is relative to this file.",
    ),
    optional(
        "packages",
        Shape::List(&[
            required("name", Shape::Text, "Name of the package."),
            optional(
                "defaultChannel",
                Shape::Text,
                "Channel of a subscription that names none.",
            ),
            optional(
                "channels",
                Shape::List(&[
                    required("name", Shape::Text, "Name of the channel."),
                    optional("entries", Shape::List(ENTRIES), "Its bundles."),
                ]),
                "Channels.",
            ),
            optional("bundles", Shape::List(BUNDLES), "Bundles."),
        ]),
        "Packages, written out.",
    ),
];

const INSTALLED: &[Key] = &[
    required("name", Shape::Text, "Name of the ClusterServiceVersion."),
    optional("version", Shape::Text, "Its version, such as 1.2.3."),
    optional("package", Shape::Text, "Package that it was installed from."),
    optional("phase", Shape::Text, "Its phase; Succeeded where there is none."),
    optional("replaces", Shape::Text, "The one that it replaced."),
    optional("provides", APIS, "APIs that it owns."),
    optional("requires", APIS, "APIs that it requires."),
    optional(
        "properties",
        TYPED_VALUES,
        "Further properties, in the form of the annotation operatorframework.io/properties.",
    ),
    optional(
        "withoutPropertiesAnnotation",
        Shape::Flag,
        "Whether it has no annotation operatorframework.io/properties.",
    ),
];

const SUBSCRIPTIONS: &[Key] = &[
    optional(
        "name",
        Shape::Text,
        "Its name; that of the package where there is none.",
    ),
    required("package", Shape::Text, "The package."),
    optional("channel", Shape::Text, "The channel; any where there is none."),
    optional(
        "catalog",
        Shape::Text,
        "Name of the CatalogSource; the only one where there is none.",
    ),
    optional("catalogNamespace", Shape::Text, "Namespace of the CatalogSource."),
    optional(
        "startingCSV",
        Shape::Text,
        "The version that a first installation takes.",
    ),
    optional("installedCSV", Shape::Text, "The version that is installed."),
    optional(
        "currentCSV",
        Shape::Text,
        "The version that OLM is working on; installedCSV where there is none.",
    ),
    optional(
        "installPlanApproval",
        Shape::Choice(&["Automatic", "Manual"]),
        "Who approves what it installs; Automatic where there is none.",
    ),
];

const SERVED: &[Key] = &[
    optional("group", Shape::Text, "API group; the core group where it is absent."),
    required("version", Shape::Text, "Version, such as v1."),
    required("kind", Shape::Text, "Kind."),
    optional("plural", Shape::Text, "Name of the resource, such as deployments."),
    optional(
        "namespaced",
        Shape::Flag,
        "Whether its objects are in namespaces; true where it is absent.",
    ),
];

const GRANTS: &[Key] = &[
    required("serviceAccount", Shape::Text, "Name of the service account."),
    optional(
        "namespace",
        Shape::Text,
        "Its namespace; the namespace of the file where there is none.",
    ),
    required(
        "rules",
        Shape::Objects(&[]),
        "RBAC rules. A list \"namespaces\" in a rule says where it holds; without, it holds in the whole cluster.",
    ),
];

const ERRORS: &[Key] = &[
    optional("group", Shape::Text, "API group of the object."),
    optional("version", Shape::Text, "Version of its API."),
    optional("kind", Shape::Text, "Its kind."),
    optional("namespace", Shape::Text, "Its namespace."),
    optional("name", Shape::Text, "Its name."),
    optional("verb", Shape::Text, "What is asked for, such as create."),
    optional("reason", Shape::Text, "Reason of the answer, such as Forbidden."),
    optional("code", Shape::Number(100, 599), "Code of the answer, such as 403."),
    optional("message", Shape::Text, "Message of the answer."),
];

/// The keys of the file.
pub(super) const KEYS: &[Key] = &[
    optional("version", Shape::Number(1, 1), "Version of this format: 1."),
    optional("name", Shape::Text, "What the case is called."),
    optional("description", Shape::Text, "What it is about."),
    optional(
        "namespace",
        Shape::Text,
        "Namespace that operators are installed into; operators where there is none.",
    ),
    optional(
        "globalNamespace",
        Shape::Text,
        "Namespace whose catalogs serve all namespaces, such as olm.",
    ),
    optional(
        "excludeGlobalCatalogs",
        Shape::Flag,
        "Whether the OperatorGroup keeps the catalogs of the global namespace out.",
    ),
    optional(
        "upgradeStrategy",
        Shape::Choice(&["Default", "TechPreviewUnsafeFailForward"]),
        "spec.upgradeStrategy of the OperatorGroup.",
    ),
    optional(
        "serviceAccount",
        Shape::Text,
        "spec.serviceAccountName of the OperatorGroup.",
    ),
    optional("catalogs", Shape::List(CATALOGS), "CatalogSources."),
    optional(
        "installed",
        Shape::List(INSTALLED),
        "ClusterServiceVersions in the namespace.",
    ),
    optional(
        "subscriptions",
        Shape::List(SUBSCRIPTIONS),
        "Subscriptions in the namespace.",
    ),
    optional("apis", Shape::List(SERVED), "APIs that the cluster serves."),
    optional(
        "objects",
        Shape::Objects(&["apiVersion", "kind"]),
        "Objects in the cluster, whole.",
    ),
    optional("grants", Shape::List(GRANTS), "What service accounts may do."),
    optional(
        "conditions",
        Shape::Objects(&["apiVersion", "kind"]),
        "Objects of kind Condition or OperatorCondition, whole.",
    ),
    optional(
        "errors",
        Shape::List(ERRORS),
        "Errors that the API server answers with, for requests that match everything given; reason or code is.",
    ),
];
