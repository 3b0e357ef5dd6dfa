use super::INSTALL_MODES;
use crate::rules::{self, Rule};

/// The shape of a value in `olm.yaml`.
#[derive(Debug, Clone, Copy)]
pub enum Shape {
    /// A text. A number or boolean in its place is an error that shows the quoted form.
    Text,
    /// The name of a `ClusterServiceVersion`.
    Name,
    /// A strict semantic version.
    Version,
    /// Identifiers as in the pre-release of a semantic version, at most 20 characters.
    Release,
    /// One of these texts; any other breaks the rule.
    Choice(&'static [&'static str], &'static Rule),
    /// `true` or `false`.
    Boolean,
    /// Anything: checked by who uses it.
    Any,
    /// A list of texts.
    TextList,
    /// A map of texts.
    TextMap,
    /// A map of texts where maps and lists are allowed, too, and become JSON. These keys are well known.
    AnnotationMap(&'static [Field]),
    /// A map with these keys.
    Map(&'static [Field]),
    /// A list of maps with these keys.
    List(&'static [Field]),
    /// The path of an image file in the bundle, base64 text, or maps with these keys.
    Icon(&'static [Field]),
}

/// Longest release that a cluster takes.
pub(super) const RELEASE_LENGTH: usize = 20;

/// The classes of an API that RBAC rules mention.
const DEPENDENCIES: &[&str] = &["required", "optional", "native", "none"];

/// One key of a map.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// The key.
    pub key: &'static str,
    /// What may stand behind it.
    pub shape: Shape,
    /// Whether the map is wrong without it.
    pub required: bool,
    /// One sentence for an author.
    pub about: &'static str,
}

const fn required(key: &'static str, shape: Shape, about: &'static str) -> Field {
    Field {
        key,
        shape,
        required: true,
        about,
    }
}

const fn optional(key: &'static str, shape: Shape, about: &'static str) -> Field {
    Field {
        key,
        shape,
        required: false,
        about,
    }
}

const DESCRIPTORS: Shape = Shape::List(&[
    required(
        "path",
        Shape::Text,
        "Path of the field inside spec or status, such as replicas.",
    ),
    optional("displayName", Shape::Text, "Name that a console shows."),
    optional("description", Shape::Text, "Description that a console shows."),
    optional("x-descriptors", Shape::TextList, "How a console draws the field."),
    optional("value", Shape::Any, "A fixed value."),
]);

const RESOURCES: Shape = Shape::List(&[
    required("name", Shape::Text, "Name of the resource, may be empty."),
    required("kind", Shape::Text, "Kind of the resource."),
    required("version", Shape::Text, "Version of the resource."),
]);

/// The description of an API after the fields that name it: these are the same for custom and for aggregated APIs.
macro_rules! description_of {
    ($($name:expr),* $(,)?) => {
        Shape::List(&[
            $($name,)*
            optional("displayName", Shape::Text, "Name that a console shows."),
            optional("description", Shape::Text, "Description that a console shows."),
            optional(
                "resources",
                RESOURCES,
                "What a resource of this kind makes the operator create.",
            ),
            optional("specDescriptors", DESCRIPTORS, "Fields of spec."),
            optional("statusDescriptors", DESCRIPTORS, "Fields of status."),
            optional("actionDescriptors", DESCRIPTORS, "Actions."),
        ])
    };
}

const CRD_DESCRIPTIONS: Shape = description_of![
    required(
        "name",
        Shape::Text,
        "Name of the CustomResourceDefinition, <plural>.<group>.",
    ),
    required("version", Shape::Text, "Version, such as v1."),
    required("kind", Shape::Text, "Kind."),
];

const API_SERVICE_DESCRIPTIONS: Shape = description_of![
    required("group", Shape::Text, "API group."),
    required("version", Shape::Text, "Version, such as v1."),
    required("kind", Shape::Text, "Kind."),
    required("name", Shape::Text, "Plural name of the resource."),
];

const ICON: &[Field] = &[
    required("base64data", Shape::Text, "The image in base64."),
    required("mediatype", Shape::Text, "Such as image/png."),
];

const LABEL_SELECTOR: Shape = Shape::Map(&[
    optional("matchLabels", Shape::TextMap, "Labels that an object must have."),
    optional(
        "matchExpressions",
        Shape::List(&[
            required("key", Shape::Text, "Key of the label."),
            required("operator", Shape::Text, "In, NotIn, Exists or DoesNotExist."),
            optional("values", Shape::TextList, "Values of the label."),
        ]),
        "Conditions on labels.",
    ),
]);

/// Annotations that OLM and consoles read.
const ANNOTATIONS: &[Field] = &[
    optional(
        "capabilities",
        Shape::Text,
        "Basic Install, Seamless Upgrades, Full Lifecycle, Deep Insights or Auto Pilot.",
    ),
    optional(
        "categories",
        Shape::Text,
        "Categories of a catalog, separated by commas.",
    ),
    optional("containerImage", Shape::Text, "The operator's image, to be shown."),
    optional("createdAt", Shape::Text, "When this version was made, to be shown."),
    optional("repository", Shape::Text, "Address of the sources."),
    optional("support", Shape::Text, "Who supports it."),
    optional(
        "alm-examples",
        Shape::Any,
        "Sample custom resources: JSON text, or the list itself, which becomes JSON.",
    ),
    optional(
        "olm.skipRange",
        Shape::Text,
        "Range of versions that upgrade to this one directly.",
    ),
    optional(
        "operatorframework.io/suggested-namespace",
        Shape::Text,
        "Namespace that a console proposes.",
    ),
    optional(
        "operatorframework.io/initialization-resource",
        Shape::Any,
        "A custom resource that must be created first.",
    ),
    optional(
        "operators.operatorframework.io/internal-objects",
        Shape::Any,
        "Names of CustomResourceDefinitions that consoles hide.",
    ),
];

const INSTALL_MODE: &[Field] = &[
    required(
        "type",
        Shape::Choice(&INSTALL_MODES, &rules::INSTALLMODES_UNKNOWN),
        "OwnNamespace, SingleNamespace, MultiNamespace or AllNamespaces.",
    ),
    required("supported", Shape::Boolean, "Whether the operator can watch so."),
];

const HINT: &[Field] = &[
    required("group", Shape::Text, "API group, as the RBAC rule writes it."),
    required("resource", Shape::Text, "Plural name, as the RBAC rule writes it."),
    optional("kind", Shape::Text, "Kind of the resource."),
    optional("version", Shape::Text, "Version to require."),
    optional(
        "dependency",
        Shape::Choice(DEPENDENCIES, &rules::OLM_TYPE),
        "required, optional, native or none.",
    ),
    optional("apiService", Shape::Boolean, "Whether an aggregated API serves it."),
];

/// Every key of `olm.yaml`, in the order in which `bundle init` writes them.
pub const FIELDS: &[Field] = &[
    required(
        "name",
        Shape::Name,
        "Name of this version of the operator, by custom <package>.v<version>.",
    ),
    required("version", Shape::Version, "Semantic version, such as 1.2.3."),
    required(
        "minKubeVersion",
        Shape::Version,
        "The oldest Kubernetes version that it runs on, such as 1.25.0; 0.0.0 for any.",
    ),
    required(
        "installModes",
        Shape::List(INSTALL_MODE),
        "Which namespaces the operator can watch.",
    ),
    optional("displayName", Shape::Text, "Name that a console shows."),
    optional("description", Shape::Text, "Description in Markdown."),
    optional("maturity", Shape::Text, "Such as alpha, beta, stable."),
    optional("replaces", Shape::Name, "Name of the version that this one replaces."),
    optional(
        "skips",
        Shape::TextList,
        "Names of versions that an upgrade may leave out.",
    ),
    optional("keywords", Shape::TextList, "Words that a search finds it by."),
    optional(
        "maintainers",
        Shape::List(&[
            optional("name", Shape::Text, "Who."),
            optional("email", Shape::Text, "Where to write to."),
        ]),
        "Who maintains it.",
    ),
    optional(
        "provider",
        Shape::Map(&[
            optional("name", Shape::Text, "Who publishes it."),
            optional("url", Shape::Text, "The publisher's page."),
        ]),
        "Who publishes it.",
    ),
    optional(
        "links",
        Shape::List(&[
            optional("name", Shape::Text, "What is behind the link."),
            optional("url", Shape::Text, "The address."),
        ]),
        "Pages about it.",
    ),
    optional(
        "icon",
        Shape::Icon(ICON),
        "Path of a PNG, JPEG, GIF, WebP or SVG image in the bundle, such as metadata/icon.svg, or its base64.",
    ),
    optional("labels", Shape::TextMap, "spec.labels of the ClusterServiceVersion."),
    optional(
        "selector",
        LABEL_SELECTOR,
        "spec.selector of the ClusterServiceVersion, a label selector.",
    ),
    optional(
        "annotations",
        Shape::AnnotationMap(ANNOTATIONS),
        "metadata.annotations of the ClusterServiceVersion: capabilities, categories, alm-examples, olm.skipRange and so on.",
    ),
    optional(
        "csv",
        Shape::Map(&[
            optional(
                "labels",
                Shape::TextMap,
                "metadata.labels of the ClusterServiceVersion.",
            ),
            optional(
                "specAnnotations",
                Shape::TextMap,
                "spec.annotations of the ClusterServiceVersion.",
            ),
        ]),
        "Rarely needed parts of the ClusterServiceVersion.",
    ),
    optional(
        "cleanup",
        Shape::Map(&[required(
            "enabled",
            Shape::Boolean,
            "Whether OLM deletes the custom resources with the operator.",
        )]),
        "What happens when the operator is removed.",
    ),
    optional(
        "relatedImages",
        Shape::List(&[
            required("name", Shape::Text, "A name for the image."),
            required("image", Shape::Text, "The image reference."),
        ]),
        "Images that the operator uses and that its Deployments do not name.",
    ),
    optional(
        "release",
        Shape::Release,
        "Release of this version, at most 20 characters.",
    ),
    optional(
        "nativeAPIs",
        Shape::List(&[
            required("group", Shape::Text, "API group, \"\" for the core group."),
            required("version", Shape::Text, "Version."),
            required("kind", Shape::Text, "Kind."),
        ]),
        "APIs that the cluster itself must serve.",
    ),
    optional(
        "customresourcedefinitions",
        Shape::Map(&[
            optional(
                "owned",
                CRD_DESCRIPTIONS,
                "Display names, descriptions and descriptors of the bundle's own kinds.",
            ),
            optional(
                "required",
                CRD_DESCRIPTIONS,
                "Kinds that another operator must provide.",
            ),
            optional(
                "unlisted",
                Shape::List(&[
                    required(
                        "name",
                        Shape::Text,
                        "Name of the CustomResourceDefinition, <plural>.<group>.",
                    ),
                    required("version", Shape::Text, "A version that it serves, such as v1alpha1."),
                ]),
                "Served versions of the bundle's own kinds that the ClusterServiceVersion does not name as owned.",
            ),
        ]),
        "More about custom resources.",
    ),
    optional(
        "apiservicedefinitions",
        Shape::Map(&[
            optional(
                "owned",
                API_SERVICE_DESCRIPTIONS,
                "Kinds that the bundle's APIServices serve.",
            ),
            optional(
                "required",
                API_SERVICE_DESCRIPTIONS,
                "Aggregated kinds that another operator must provide.",
            ),
        ]),
        "More about aggregated APIs.",
    ),
    optional(
        "apis",
        Shape::List(HINT),
        "What the resources in RBAC rules are that no file of the bundle explains.",
    ),
    optional(
        "extraServiceAccounts",
        Shape::TextList,
        "Service accounts of operands, whose permissions shall be in the ClusterServiceVersion.",
    ),
];
