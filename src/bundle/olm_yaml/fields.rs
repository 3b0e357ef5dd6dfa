//! The keys of `metadata/olm.yaml`. Each row lists the valid values, the purpose, an initial value, and the target of
//! the value in the ClusterServiceVersion.

use super::syntax::{NAME, RELEASE, VERSION};
use crate::olm::annotation::{CONTAINER_IMAGE, SKIP_RANGE, SUGGESTED_NAMESPACE};
use crate::olm::install_mode::INSTALL_MODES;
use crate::shape::Shape::{self, Any, Boolean, Choice, List, Map, Object, OneOf, Syntax, Text};
use crate::shape::{DRAFT_7, Field, TEXT_MAP, TEXTS, Target, json_schema as schema_of, not_empty, optional, required};
use crate::text::Path;
use serde_json::{Value, json};

const DESCRIPTORS: Shape = List(&Object(&[
    required(
        "path",
        Text,
        "Path of the field inside spec or status, such as replicas.",
    ),
    optional("displayName", Text, "Name shown in consoles."),
    optional("description", Text, "Description shown in consoles."),
    optional("x-descriptors", TEXTS, "Hints for how consoles render the field."),
    optional("value", Any, "A fixed value."),
]));

const RESOURCES: Shape = List(&Object(&[
    optional("name", Text, "Name of the resource; may be empty."),
    optional("kind", Text, "Kind of the resource."),
    optional("version", Text, "Version of the resource."),
]));

/// The fields of an API description that follow the fields that name the API. They are the same for custom and
/// aggregated APIs.
macro_rules! description_of {
    ($($name:expr),* $(,)?) => {
        List(&Object(&[
            $($name,)*
            optional("displayName", Text, "Name shown in consoles."),
            optional("description", Text, "Description shown in consoles."),
            optional(
                "resources",
                RESOURCES,
                "Resources that the operator creates for a resource of this kind.",
            ),
            optional("specDescriptors", DESCRIPTORS, "Fields of spec."),
            optional("statusDescriptors", DESCRIPTORS, "Fields of status."),
            optional("actionDescriptors", DESCRIPTORS, "Actions."),
        ]))
    };
}

const CRD_DESCRIPTIONS: Shape = description_of![
    required("name", Text, "Name of the CustomResourceDefinition, <plural>.<group>.",),
    required("version", Text, "Version, such as v1."),
    required("kind", Text, "Kind."),
];

const API_SERVICE_DESCRIPTIONS: Shape = description_of![
    required("group", Text, "API group."),
    required("version", Text, "Version, such as v1."),
    required("kind", Text, "Kind."),
    required("name", Text, "Plural name of the resource."),
];

const IMAGE: Shape = Object(&[
    required("base64data", Text, "The image in base64."),
    required("mediatype", Text, "Media type, such as image/png."),
]);

const ICON: Shape = OneOf(
    &[Text, IMAGE, List(&IMAGE)],
    "the path of a file, base64 text or a list of images",
);

const LABEL_SELECTOR: Shape = Object(&[
    optional("matchLabels", TEXT_MAP, "Labels that an object must have."),
    optional(
        "matchExpressions",
        List(&Object(&[
            required("key", Text, "Key of the label."),
            required("operator", Text, "In, NotIn, Exists or DoesNotExist."),
            optional("values", TEXTS, "Values of the label."),
        ])),
        "Conditions on labels.",
    ),
]);

static A_NAME: Shape = Syntax(&NAME);

/// The value of an annotation. Maps and lists are converted to JSON.
const ANNOTATION: Shape = OneOf(&[Text, Map(&[], &Any), List(&Any)], "a string");

const fn annotation(key: &'static str, about: &'static str) -> Field {
    optional(key, ANNOTATION, about)
}

/// Annotations that OLM and consoles read.
pub(super) const ANNOTATIONS: &[Field] = &[
    annotation(
        "capabilities",
        "Basic Install, Seamless Upgrades, Full Lifecycle, Deep Insights or Auto Pilot.",
    ),
    annotation("categories", "Catalog categories, separated by commas."),
    annotation(CONTAINER_IMAGE, "The operator's image, for display."),
    annotation("createdAt", "Creation time of this version, for display."),
    annotation("repository", "URL of the source code."),
    annotation("support", "Person or organization that supports the operator."),
    annotation(
        "alm-examples",
        "Sample custom resources, as JSON text or as a list that is converted to JSON.",
    ),
    annotation(
        SKIP_RANGE,
        "Range of versions that can be upgraded directly to this version.",
    ),
    annotation(SUGGESTED_NAMESPACE, "Namespace that consoles suggest."),
    annotation(
        "operatorframework.io/initialization-resource",
        "A custom resource that must be created first.",
    ),
    annotation(
        "operators.operatorframework.io/internal-objects",
        "Names of CustomResourceDefinitions that consoles hide.",
    ),
];

const INSTALL_MODE: Shape = Object(&[
    required(
        "type",
        Choice(&INSTALL_MODES),
        "OwnNamespace, SingleNamespace, MultiNamespace or AllNamespaces.",
    ),
    required("supported", Boolean, "Whether the operator supports this mode."),
]);

const HINT: Shape = Object(&[
    required("group", Text, "API group, as in the RBAC rule."),
    required("resource", Text, "Plural name, as in the RBAC rule."),
    optional("kind", Text, "Kind of the resource."),
    optional("version", Text, "Version to require."),
    optional(
        "dependency",
        Choice(&["required", "optional", "native", "none"]),
        "How the bundle depends on the API: required, optional, native or none.",
    ),
    optional("apiService", Boolean, "Whether an aggregated API serves the resource."),
]);

/// All keys of `olm.yaml`, in the order used by `bundle init`.
pub const FIELDS: &[Field] = &[
    not_empty(
        "name",
        Syntax(&NAME),
        "Name of this version of the operator, by convention <package>.v<version>.",
    )
    .example("my-operator.v1.0.0")
    .copied_to("metadata.name"),
    not_empty("version", Syntax(&VERSION), "Semantic version, such as 1.2.3.")
        .example("1.0.0")
        .copied_to("spec.version"),
    not_empty(
        "minKubeVersion",
        Syntax(&VERSION),
        "The lowest Kubernetes version that the operator supports, such as 1.25.0; 0.0.0 for any version.",
    )
    .example("1.25.0")
    .made_into("spec.minKubeVersion"),
    not_empty(
        "installModes",
        List(&INSTALL_MODE),
        "Install modes: the namespaces that the operator can watch.",
    )
    .example("[{type: AllNamespaces, supported: true}]")
    .made_into("spec.installModes"),
    optional("displayName", Text, "Name shown in consoles.")
        .example("My Operator")
        .made_into("spec.displayName"),
    optional("description", Text, "Description in Markdown.")
        .example("A few sentences about the operator.")
        .copied_to("spec.description"),
    optional("maturity", Text, "Maturity level, such as alpha, beta or stable.")
        .example("alpha")
        .copied_to("spec.maturity"),
    optional(
        "replaces",
        Syntax(&NAME),
        "Name of the version that this version replaces.",
    )
    .example("my-operator.v0.9.0")
    .copied_to("spec.replaces"),
    optional("skips", List(&A_NAME), "Names of versions that an upgrade may skip.")
        .example("[]")
        .copied_to("spec.skips"),
    optional("keywords", TEXTS, "Search keywords.")
        .example("[database, backup]")
        .copied_to("spec.keywords"),
    optional(
        "maintainers",
        List(&Object(&[
            optional("name", Text, "Name of the person or team."),
            optional("email", Text, "Email address."),
        ])),
        "Maintainers of the operator.",
    )
    .example("[{name: Jane Doe, email: jane@example.com}]")
    .copied_to("spec.maintainers"),
    optional(
        "provider",
        Object(&[
            optional("name", Text, "Name of the publisher."),
            optional("url", Text, "Website of the publisher."),
        ]),
        "Publisher of the operator.",
    )
    .example("{name: Example Inc., url: https://example.com}")
    .copied_to("spec.provider"),
    optional(
        "links",
        List(&Object(&[
            optional("name", Text, "Title of the linked page."),
            optional("url", Text, "URL of the page."),
        ])),
        "Links to pages about the operator.",
    )
    .example("[{name: Documentation, url: https://example.com/docs}]")
    .copied_to("spec.links"),
    optional(
        "icon",
        ICON,
        "Path of a PNG, JPEG, GIF, WebP or SVG image in the bundle, such as metadata/icon.svg, or the image in base64.",
    )
    .example("metadata/icon.svg")
    .made_into("spec.icon"),
    optional(
        "labels",
        TEXT_MAP,
        "Labels for organizing and selecting operators: spec.labels of the ClusterServiceVersion.",
    )
    .example("{}")
    .copied_to("spec.labels"),
    optional(
        "selector",
        LABEL_SELECTOR,
        "A label selector for resources that belong to the operator: spec.selector of the ClusterServiceVersion.",
    )
    .example("{}")
    .copied_to("spec.selector"),
    optional(
        "annotations",
        Map(ANNOTATIONS, &ANNOTATION),
        "Annotations of the ClusterServiceVersion: capabilities, categories, alm-examples, olm.skipRange and so on.",
    )
    .example("{capabilities: Basic Install, alm-examples: []}")
    .made_into("metadata.annotations"),
    optional(
        "csv",
        Object(&[
            optional(
                "labels",
                TEXT_MAP,
                "Labels of the ClusterServiceVersion itself: metadata.labels.",
            )
            .copied_to("metadata.labels"),
            optional(
                "specAnnotations",
                TEXT_MAP,
                "Annotations that describe the operator: spec.annotations of the ClusterServiceVersion.",
            )
            .copied_to("spec.annotations"),
        ]),
        "Rarely needed parts of the ClusterServiceVersion.",
    )
    .example("{}"),
    optional(
        "cleanup",
        Object(&[required(
            "enabled",
            Boolean,
            "Whether OLM deletes the custom resources together with the operator.",
        )]),
        "What OLM deletes when the operator is removed.",
    )
    .example("{enabled: false}")
    .copied_to("spec.cleanup"),
    optional(
        "relatedImages",
        List(&Object(&[
            required("name", Text, "A name for the image."),
            required("image", Text, "The image reference."),
        ])),
        "Images that the operator uses but that its Deployments do not reference.",
    )
    .example("[{name: agent, image: registry.example.com/agent:1.0.0}]")
    .copied_to("spec.relatedImages"),
    optional(
        "release",
        Syntax(&RELEASE),
        "Release of this version, at most 20 characters.",
    )
    .example("\"1\"")
    .copied_to("spec.release"),
    optional(
        "nativeAPIs",
        List(&Object(&[
            required("group", Text, "API group, \"\" for the core group."),
            required("version", Text, "Version."),
            required("kind", Text, "Kind."),
        ])),
        "APIs that the cluster itself must serve.",
    )
    .example("[]")
    .made_into("spec.nativeAPIs"),
    optional(
        "customresourcedefinitions",
        Object(&[
            optional(
                "owned",
                CRD_DESCRIPTIONS,
                "Display names, descriptions and descriptors of the bundle's own kinds.",
            )
            .made_into("spec.customresourcedefinitions.owned"),
            optional(
                "required",
                CRD_DESCRIPTIONS,
                "Kinds that another operator must provide.",
            )
            .made_into("spec.customresourcedefinitions.required"),
            optional(
                "unlisted",
                List(&Object(&[
                    required("name", Text, "Name of the CustomResourceDefinition, <plural>.<group>."),
                    required("version", Text, "A served version, such as v1alpha1."),
                ])),
                "Served versions of the bundle's own kinds that the ClusterServiceVersion does not list as owned.",
            ),
        ]),
        "Additional information about custom resources.",
    )
    .example("{owned: []}"),
    optional(
        "apiservicedefinitions",
        Object(&[
            optional(
                "owned",
                API_SERVICE_DESCRIPTIONS,
                "Kinds that the bundle's APIServices serve.",
            )
            .made_into("spec.apiservicedefinitions.owned"),
            optional(
                "required",
                API_SERVICE_DESCRIPTIONS,
                "Aggregated kinds that another operator must provide.",
            )
            .made_into("spec.apiservicedefinitions.required"),
        ]),
        "Additional information about aggregated APIs.",
    )
    .example("{owned: []}"),
    optional(
        "apis",
        List(&HINT),
        "The kinds of the resources that RBAC rules name but the bundle does not define, and whether the operator \
         depends on these APIs. With required, OLM installs a provider. With native, the cluster itself must serve the \
         API. With optional or none, the API may be absent.",
    )
    .example("[]"),
    optional(
        "extraServiceAccounts",
        TEXTS,
        "Service accounts that operands use and whose permissions belong in the ClusterServiceVersion.",
    )
    .example("[]"),
];

/// The shape of the whole file.
pub const SHAPE: Shape = Object(FIELDS);

/// Returns the fields whose values are copied to the ClusterServiceVersion, each with its path in the file.
pub(crate) fn targeted() -> Vec<(Path, &'static Field)> {
    fn walk(above: &Path, fields: &'static [Field], found: &mut Vec<(Path, &'static Field)>) {
        for field in fields {
            let path = above.key(field.key);
            match (field.target, field.shape) {
                (Target::Nowhere, Object(below)) => walk(&path, below, found),
                (Target::Nowhere, _) => {}
                _ => found.push((path, field)),
            }
        }
    }
    let mut found = Vec::new();
    walk(&Path::root(), FIELDS, &mut found);
    found
}

/// Returns the fields that the description of an owned API can add to the information in the manifests. `section` is
/// the key above `owned`.
pub(crate) fn description_fields(section: &str) -> impl Iterator<Item = &'static Field> {
    let owned = SHAPE.field(section).and_then(|section| section.shape.field("owned"));
    let fields = match owned.map(|owned| owned.shape) {
        Some(List(Object(fields))) => *fields,
        _ => &[],
    };
    fields.iter().filter(|field| !field.presence.is_required())
}

/// Returns the JSON Schema (draft 7) of `metadata/olm.yaml`.
///
/// The schema rejects the problems that [`super::check`] reports, including unknown keys. opmx itself checks the rules
/// that a schema cannot express: no duplicate keys or install modes, no version that replaces itself, and all rules
/// that depend on the manifests.
pub fn json_schema() -> Value {
    let about = "Information about an operator that its plain manifests cannot express. opmx infers the rest of the ClusterServiceVersion.";
    let mut schema = schema_of(DRAFT_7, "metadata/olm.yaml of a k8s+v1 bundle", about, &SHAPE);
    if let Some(modes) = schema.pointer_mut("/properties/installModes") {
        modes["contains"] =
            json!({"type": "object", "properties": {"supported": {"const": true}}, "required": ["supported"]});
    }
    schema
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::csv;
    use crate::shape::check;
    use crate::text::{self, Limits, Step};

    #[test]
    fn every_example_matches_its_type() {
        for field in FIELDS {
            let text = format!("{}: {}", field.key, field.example);
            let reading = text::read("olm.yaml", text.as_bytes(), &Limits::default());
            let value = &reading.documents[0].value()[field.key];
            assert!(!value.is_null(), "{text}");
            assert!(check(value, &field.shape, 1).is_empty(), "{text}");
        }
    }

    #[test]
    fn every_target_is_a_field_of_the_csv() {
        for (from, field) in targeted() {
            let (Target::Copied(to) | Target::Made(to)) = field.target else {
                panic!("{from} has no target")
            };
            let path = Path::parse(to);
            let found = path.steps().iter().try_fold(csv::SHAPE, |shape, step| match step {
                Step::Key(key) => match shape {
                    Map(_, values) => Some(*values),
                    shape => Some(shape.field(key)?.shape),
                },
                Step::Index(_) => None,
            });
            assert!(found.is_some(), "{from}: {to}");
        }
    }
}
