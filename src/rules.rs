//! The one table of rules. Reading, synthesis, validation, the index and install all report by these ids.
//!
//! An id never changes its meaning, and the id of a rule that is gone is not used again.

pub mod examples;
mod gate;

pub use gate::{Gate, Scope};

use std::fmt;

/// How much a finding weighs. Only an error fails a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The bundle, index or file cannot be used as it is.
    Error,
    /// Very likely not what the author wants, or lost on a cluster.
    Warning,
    /// Worth knowing; nothing to do.
    Info,
}

impl fmt::Display for Severity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Info => "info",
        })
    }
}

/// What opmx checks or notices, as data.
#[derive(Debug, PartialEq, Eq)]
pub struct Rule {
    /// Stable kebab-case id, `<subject>-<what>`.
    pub id: &'static str,
    /// The usual severity while authoring, see [`Rule::at`]; a finding may carry another one where the rule says so.
    pub severity: Severity,
    /// Where findings of it are made.
    pub scope: Scope,
    /// The proposal or format that asks for it.
    pub source: &'static str,
    /// What to do about it, for every finding that has nothing more precise to say.
    pub help: &'static str,
}

macro_rules! rules {
    ($($scope:ident { $($name:ident = $id:literal, $severity:ident, $source:expr, $help:literal;)* })*) => {
        $($(
            #[doc = $help]
            pub static $name: Rule = Rule {
                id: $id,
                severity: Severity::$severity,
                scope: Scope::$scope,
                source: $source,
                help: $help,
            };
        )*)*

        /// Every rule, in the order of the table.
        pub static ALL: &[&Rule] = &[$($(&$name),*),*];
    };
}

const YAML: &str = "YAML as Kubernetes reads it";
const JSON: &str = "JSON as Kubernetes reads it";
const OBJECTS: &str = "Kubernetes API conventions";
const LIMITS: &str = "the limits of opmx";
const FORMAT: &str = "operator bundle format";
const PLAIN: &str = "proposal plain-k8s-bundles";
const CSV: &str = "ClusterServiceVersion";
const RBAC: &str = "Kubernetes RBAC";
const OPTIONAL_MANIFESTS: &str = "proposal optional-manifest";
const INTENTS: &str = "proposal olm-optional-dependency-declaration";
const OLM: &str = "what OLM installs";
const CRD: &str = "CustomResourceDefinition";
const CATALOG: &str = "OperatorHub catalog";
const REMOVED: &str = "Kubernetes deprecated API migration guide";
const PRACTICE: &str = "Operator Framework best practices";
const PACKAGE: &str = "package manifest format";
const INDEX: &str = "operator index database";
const FBC: &str = "file-based catalog format";

rules! {
    Bundles {
        // Reading text, of bundles and of catalogs.
        TEXT_ENCODING = "text-encoding", Error, YAML, "Save the file as UTF-8.";
        TEXT_TOO_LARGE = "text-too-large", Error, LIMITS, "Split the file, or raise the limit.";
        YAML_SYNTAX = "yaml-syntax", Error, YAML, "Correct the YAML at the place shown.";
        YAML_DUPLICATE_KEY = "yaml-duplicate-key", Error, YAML, "Keep one of the two keys: readers silently take the last one.";
        YAML_TOO_DEEP = "yaml-too-deep", Error, LIMITS, "Flatten the document, or raise the limit.";
        YAML_EXCESSIVE_ALIASING = "yaml-excessive-aliasing", Error, YAML, "Write the values out instead of repeating aliases of aliases.";
        YAML_TOO_MANY_DOCUMENTS = "yaml-too-many-documents", Error, LIMITS, "Split the file, or raise the limit.";
        YAML_TOO_MANY_VALUES = "yaml-too-many-values", Error, LIMITS, "Write less into the files, or raise the limit.";
        YAML_UNREPRESENTABLE = "yaml-unrepresentable", Error, YAML, "Write a value that JSON can hold: .inf, .nan and null keys cannot be stored.";
        YAML_EMPTY_DOCUMENT = "yaml-empty-document", Info, YAML, "Remove the empty document.";
        YAML_HIDDEN_TEXT = "yaml-hidden-text", Warning, YAML, "Begin the next document with a line `---`, or remove the text.";
        JSON_SYNTAX = "json-syntax", Error, JSON, "Correct the JSON at the place shown.";

        // Objects.
        OBJECT_NOT_A_MAP = "object-not-a-map", Error, OBJECTS, "A manifest is a map with apiVersion, kind and metadata.";
        OBJECT_FIELD_MISSING = "object-field-missing", Error, OBJECTS, "Every object needs apiVersion, kind and metadata.name.";
        OBJECT_DUPLICATE = "object-duplicate", Error, OBJECTS, "Remove one of the two objects, or give it another name.";

        // Names, in bundles and in catalogs.
        NAME_HIDDEN_CHARACTER = "name-hidden-character", Error, LIMITS, "Write the name without control characters, line breaks and characters that nobody sees.";

        // The bundle's folders and files.
        YAML_EXTRA_DOCUMENT = "yaml-extra-document", Warning, FORMAT, "Give each object a file of its own: OLM reads only the first document.";
        FORMAT_MANIFESTS_DIR = "format-manifests-dir", Error, FORMAT, "Put the manifests into a folder manifests/ of the bundle.";
        FORMAT_METADATA_DIR = "format-metadata-dir", Error, FORMAT, "Put annotations.yaml, and olm.yaml for a k8s+v1 bundle, into a folder metadata/; `opmx bundle init` writes both.";
        METADATA_ENTRY_SHAPE = "metadata-entry-shape", Error, FORMAT, "Each entry is a map with type and value.";
        K8S_MEDIA_TYPE_AMBIGUOUS = "k8s-media-type-ambiguous", Error, PLAIN, "Remove metadata/olm.yaml to build a registry+v1 bundle, or the ClusterServiceVersion to build a k8s+v1 bundle.";
        K8S_MEDIA_TYPE_MISMATCH = "k8s-media-type-mismatch", Error, PLAIN, "Correct operators.operatorframework.io.bundle.mediatype.v1 in the annotations.";
        K8S_OLM_YAML_MISSING = "k8s-olm-yaml-missing", Error, PLAIN, "Write it with `opmx bundle init DIR`: it fills in what the manifests say.";

        // metadata/olm.yaml.
        OLM_REQUIRED = "olm-required", Error, PLAIN, "Add the key.";
        OLM_TYPE = "olm-type", Error, PLAIN, "Write a value of the right type.";
        OLM_UNKNOWN_KEY = "olm-unknown-key", Warning, PLAIN, "Remove the key, or correct its spelling.";
        OLM_MISINDENTED = "olm-misindented", Error, PLAIN, "Indent the key below the block that it belongs to.";
        OLM_EXTRA_DOCUMENT = "olm-extra-document", Error, PLAIN, "Keep one document in metadata/olm.yaml.";
        OLM_VERSION = "olm-version", Error, PLAIN, "Write a semantic version such as 1.2.3.";
        OLM_RELEASE = "olm-release", Error, CSV, "Write identifiers of letters, digits and dashes with dots between them, at most 20 characters, such as 1 or 20250101.1.";
        OLM_ICON = "olm-icon", Error, PLAIN, "Write the path of a PNG, JPEG, GIF, WebP or SVG file of the bundle, such as metadata/icon.svg, or what `base64 -w0 icon.svg` prints.";
        OLM_ICON_FILE = "olm-icon-file", Error, PLAIN, "Correct the path, which begins at the bundle's folder, or add the file.";
        OLM_OVERLAY_UNMATCHED = "olm-overlay-unmatched", Error, PLAIN, "Correct its name, version or kind, or remove the entry.";
        OLM_DISPLAYNAME_DEFAULTED = "olm-displayname-defaulted", Warning, CSV, "Add displayName to metadata/olm.yaml.";
        CSV_NAME_FORMAT = "csv-name-format", Error, CSV, "Use at most 63 lower-case letters, digits, dots and dashes, with a letter or digit at both ends.";
        CSV_SKIP_RANGE = "csv-skip-range", Error, OLM, "Write a range such as \">=1.0.0 <1.2.0\", with three numbers in each version.";
        CSV_REPLACES_ITSELF = "csv-replaces-itself", Error, CSV, "Name the version before this one, or remove replaces.";
        CSV_EXAMPLES_JSON = "csv-examples-json", Error, CSV, "Write a JSON list of custom resources.";
        CSV_EXAMPLE_WITHOUT_PROVIDED_API = "csv-example-without-provided-api", Error, CSV, "Correct apiVersion and kind of the example, or remove it.";
        CSV_ANNOTATION_CASE = "csv-annotation-case", Error, OLM, "Write the key in exactly these letters.";
        CSV_API_BOTH_WAYS = "csv-api-both-ways", Error, OLM, "Remove the requirement: no other bundle may provide the same kind.";
        BUNDLE_RELATEDIMAGE_FORMAT = "bundle-relatedimage-format", Error, CSV, "Write the image as a container would name it, such as registry.example.com/agent:1.0.0.";
        BUNDLE_RELEASE_NAME = "bundle-release-name", Error, CSV, "Name the bundle <package>-v<version>-<release>.";
        BUNDLE_SIZE_EXCEEDED = "bundle-size-exceeded", Error, OLM, "Leave out descriptions in the schemas of CustomResourceDefinitions, or split the operator.";
        BUNDLE_SIZE_NEAR_LIMIT = "bundle-size-near-limit", Warning, OLM, "Leave out descriptions in the schemas of CustomResourceDefinitions before the bundle grows too large.";
        INSTALLMODES_UNKNOWN = "csv-installmodes-unknown", Warning, CSV, "Use OwnNamespace, SingleNamespace, MultiNamespace or AllNamespaces.";
        INSTALLMODES_DUPLICATE = "csv-installmodes-duplicate", Error, CSV, "List each install mode once.";
        INSTALLMODES_NONE_SUPPORTED = "csv-installmodes-none-supported", Error, CSV, "Set supported: true for at least one install mode.";

        // Objects of a k8s+v1 bundle.
        K8S_DUPLICATE_COPY = "k8s-duplicate-copy", Info, PLAIN, "Remove one of the two copies.";
        K8S_OLD_API = "k8s-old-api", Error, PLAIN, "Write the Deployment for apps/v1.";
        K8S_NAMESPACES = "k8s-namespaces", Error, OLM, "Give all Deployments the same namespace, or none.";
        K8S_KIND_UNSUPPORTED = "k8s-kind-unsupported", Error, OLM, "Let the operator create it, or leave it out of the bundle.";
        K8S_CUSTOM_RESOURCE = "k8s-custom-resource", Error, OLM, "Show it as an example instead: annotations: {alm-examples: […]} in metadata/olm.yaml.";
        K8S_NAMESPACE_DROPPED = "k8s-namespace-dropped", Info, OLM, "Its labels can go into the annotation operatorframework.io/suggested-namespace-template.";
        K8S_CERT_MANAGER_DROPPED = "k8s-cert-manager-dropped", Info, OLM, "Nothing to do: OLM mounts a serving certificate into the Deployment.";
        K8S_DEPLOYMENT_MISSING = "k8s-deployment-missing", Error, PLAIN, "Add the operator's Deployment to manifests/: it is what OLM installs.";
        DEPLOYMENT_DUPLICATE = "deployment-duplicate", Error, OLM, "Give the Deployments different names.";
        DEPLOYMENT_NAME = "deployment-name", Error, OBJECTS, "Use lower-case letters, digits, dots and dashes, with a letter or digit at both ends.";
        DEPLOYMENT_SELECTOR = "deployment-selector", Error, OBJECTS, "Make spec.selector.matchLabels a part of the labels of the pod template.";
        DEPLOYMENT_ANNOTATIONS = "deployment-annotations", Warning, OLM, "Put what the pods need into the annotations of the pod template.";
        DEPLOYMENT_DOT_NAME = "deployment-dot-name", Warning, OLM, "Name the Deployment without a dot.";
        DEPLOYMENT_WATCH_NAMESPACE = "deployment-watch-namespace", Info, OLM, "Read it from the annotation olm.targetNamespaces by fieldRef to follow the OperatorGroup.";
        DEPLOYMENT_CERT_VOLUME = "deployment-cert-volume", Info, OLM, "Nothing to do: OLM puts its own certificate there.";
        SERVICEACCOUNT_FIELDS = "serviceaccount-fields", Warning, OLM, "Put imagePullSecrets into the pod template; a ClusterServiceVersion has no place for the rest.";
        CERT_SECRET_MISSING = "cert-secret-missing", Warning, OLM, "Remove the mount, or ship the Secret: nothing will create it.";

        K8S_LIST_OBJECT = "k8s-list-object", Warning, PLAIN, "Write each object as a document of its own: not every reader opens lists.";
        OLM_NAME_VERSION = "olm-name-version", Warning, PLAIN, "End the name in v and the version: channels go by the name, ranges by the version.";

        // RBAC of a k8s+v1 bundle.
        RBAC_CLUSTER_ADMIN = "rbac-cluster-admin", Error, PLAIN, "Bind the operator to a role that names what it uses; a k8s+v1 bundle may not ask for everything.";
        RBAC_WILDCARD_VERB = "rbac-wildcard-verb", Warning, PLAIN, "Name the verbs that the operator uses.";
        RBAC_ACCOUNT_MISSING = "rbac-account-missing", Warning, PLAIN, "Correct the name, or add the ServiceAccount: OLM creates it, but only bindings that name it grant it something.";
        RBAC_OPTIONAL_OWN_API = "rbac-optional-own-api", Warning, PLAIN, "Grant it through a binding without the annotation: what the bundle provides is always there.";
        RBAC_UNBOUND_ROLE = "rbac-unbound-role", Info, PLAIN, "Nothing to do, unless the operator needs it.";
        RBAC_WILDCARD = "rbac-wildcard", Error, PLAIN, "Name the groups and resources that the operator uses; a k8s+v1 bundle may not ask for all of them.";
        RBAC_GROUP_SUBJECT = "rbac-group-subject", Error, PLAIN, "Bind the operator's service account itself to a role without wildcards.";
        RBAC_SUBJECT_FORM = "rbac-subject-form", Warning, PLAIN, "Bind the operator's service account itself, so that OLM grants it these rules.";
        RBAC_KIND_UNKNOWN = "rbac-kind-unknown", Error, PLAIN, "Say in metadata/olm.yaml, under apis, which kind and version it is.";
        RBAC_KIND_AMBIGUOUS = "rbac-kind-ambiguous", Error, PLAIN, "Say in metadata/olm.yaml, under apis, which kind and version it is.";
        RBAC_ROLE_REF = "rbac-role-ref", Error, RBAC, "A RoleBinding refers to a Role or ClusterRole, a ClusterRoleBinding to a ClusterRole.";
        RBAC_ROLE_MISSING = "rbac-role-missing", Warning, PLAIN, "Add the role to the bundle; the binding is shipped as it is.";
        RBAC_PARTIAL_BINDING = "rbac-partial-binding", Warning, PLAIN, "Nothing to do, or name the other accounts in extraServiceAccounts of metadata/olm.yaml.";
        RBAC_OTHER_NAMESPACE = "rbac-other-namespace", Warning, OLM, "Use a ClusterRole and a ClusterRoleBinding where the operator needs another namespace.";
        RBAC_KEPT_SUBJECT_NAMESPACE = "rbac-kept-subject-namespace", Warning, OLM, "Remove the namespace, or name the account in extraServiceAccounts of metadata/olm.yaml.";
        RBAC_AGGREGATED = "rbac-aggregated", Warning, RBAC, "List the rules in the role itself where they must not depend on the cluster.";
        RBAC_AGGREGATED_RULES = "rbac-aggregated-rules", Warning, RBAC, "Move the rules into one of the aggregated roles.";
        RBAC_OPTIONAL_ANNOTATION = "rbac-optional-annotation", Warning, PLAIN, "Write optional, or remove the annotation.";
        RBAC_OPENSHIFT_REQUIRED = "rbac-openshift-required", Warning, PLAIN, "Mark it as native or optional under apis in metadata/olm.yaml.";
        RBAC_UNKNOWN_RESOURCE = "rbac-unknown-resource", Warning, RBAC, "Correct the group or the resource: the rule grants nothing.";
        RBAC_SUBRESOURCE_WILDCARD = "rbac-subresource-wildcard", Warning, RBAC, "Name the subresources.";
        RBAC_NONRESOURCE_NAMESPACED = "rbac-nonresource-namespaced", Warning, RBAC, "Grant nonResourceURLs through a ClusterRoleBinding.";
        RBAC_GENERATED_BINDING = "rbac-generated-binding", Info, OLM, "Nothing to do.";
        RBAC_NONRESOURCE = "rbac-nonresource", Info, PLAIN, "Nothing to do: the rule stays in the permissions.";
        RBAC_OLM_API = "rbac-olm-api", Info, PLAIN, "Nothing to do: OLM's own APIs are there wherever OLM is.";

        // CRDs, Services, APIServices and webhooks of a k8s+v1 bundle.
        CRD_NAME = "crd-name", Error, OBJECTS, "Name it <plural>.<group>.";
        CRD_NOT_SERVED = "crd-not-served", Error, OLM, "Set served: true for at least one version.";
        CRD_V1BETA1 = "crd-v1beta1", Warning, OLM, "Write it for apiextensions.k8s.io/v1.";
        SERVICE_SELECTOR = "service-selector", Error, PLAIN, "Make its selector match the pod labels of exactly one Deployment of the bundle.";
        SERVICE_PORT = "service-port", Error, PLAIN, "Add the port to the Service, or correct the reference.";
        SERVICE_PORT_NAME = "service-port-name", Error, OBJECTS, "Name a port of a container so, or write the number.";
        SERVICE_NAME_CLASH = "service-name-clash", Error, OLM, "Rename the Service.";
        SERVICE_KEPT = "service-kept", Warning, OLM, "Put the further ports into a Service of their own to let OLM create this one.";
        SERVICE_UNPROJECTED = "service-unprojected", Info, PLAIN, "Nothing to do.";
        CRD_PROVIDED_CLASH = "crd-provided-clash", Error, OBJECTS, "Serve the version one way: a cluster asks the APIService alone.";
        APISERVICE_NAME = "apiservice-name", Error, OBJECTS, "Name it <version>.<group>.";
        APISERVICE_LOCAL = "apiservice-local", Error, PLAIN, "Name the Service that serves the API, or remove the APIService.";
        APISERVICE_SERVICE_MISSING = "apiservice-service-missing", Error, PLAIN, "Add the Service to the bundle.";
        APISERVICE_KIND_MISSING = "apiservice-kind-missing", Error, PLAIN, "List its kinds under apiservicedefinitions in metadata/olm.yaml.";
        APISERVICE_INSECURE = "apiservice-insecure", Warning, OLM, "Serve with the certificate at /apiserver.local.config/certificates.";
        APISERVICE_FIELDS = "apiservice-fields", Info, OLM, "Nothing to do: a ClusterServiceVersion has no place for it.";
        WEBHOOK_NAME = "webhook-name", Error, OBJECTS, "Use lower-case letters, digits, dots and dashes.";
        WEBHOOK_URL = "webhook-url", Error, PLAIN, "Put the webhook's server behind a Service of the bundle.";
        WEBHOOK_SERVICE_MISSING = "webhook-service-missing", Error, PLAIN, "Add the Service to the bundle.";
        WEBHOOK_RULES = "webhook-rules", Error, OLM, "Narrow the rules of the webhook.";
        WEBHOOK_DUPLICATE = "webhook-duplicate", Error, OLM, "Give the webhooks different names.";
        WEBHOOK_MATCH_CONDITIONS = "webhook-match-conditions", Error, CSV, "Check the conditions in the webhook itself: without them it would be called more often.";
        WEBHOOK_NAMESPACE_SELECTOR = "webhook-namespace-selector", Warning, OLM, "Choose the namespaces by the OperatorGroup.";
        WEBHOOK_CABUNDLE = "webhook-cabundle", Info, OLM, "Nothing to do.";
        WEBHOOK_CONVERSION_SERVICE_MISSING = "webhook-conversion-service-missing", Warning, PLAIN, "Add the Service to the bundle, or let the operator patch its CustomResourceDefinitions.";
        WEBHOOK_CONVERSION_PRESERVE = "webhook-conversion-preserve", Error, OBJECTS, "Set preserveUnknownFields: false.";
        WEBHOOK_CONVERSION_MODES = "webhook-conversion-modes", Error, OLM, "Support AllNamespaces and no other install mode.";

        // Annotations and dependencies of every bundle.
        ANN_FILE_MISSING = "ann-file-missing", Error, FORMAT, "Write metadata/annotations.yaml with `opmx bundle init` or `opmx bundle generate`.";
        ANN_KEY_MISSING = "ann-key-missing", Error, FORMAT, "Add the annotation to metadata/annotations.yaml.";
        ANN_MEDIATYPE_MISMATCH = "ann-mediatype-mismatch", Error, FORMAT, "Write the media type of the content: registry+v1 with a ClusterServiceVersion, k8s+v1 with metadata/olm.yaml.";
        ANN_PACKAGE_EMPTY = "ann-package-empty", Error, FORMAT, "Name the package.";
        ANN_CHANNELS_EMPTY = "ann-channels-empty", Error, FORMAT, "Name at least one channel.";
        ANN_CHANNEL_BLANK = "ann-channel-blank", Warning, FORMAT, "Write the channels with commas and nothing else between them.";
        ANN_NAME_QUOTING = "ann-name-quoting", Error, FORMAT, "Write the name in quotes.";
        ANN_DEFAULT_CHANNEL_EMPTY = "ann-default-channel-empty", Error, FORMAT, "Name the default channel, or remove the annotation.";
        DEP_TYPE_UNKNOWN = "dep-type-unknown", Error, FORMAT, "Use olm.package, olm.gvk, olm.label or olm.constraint.";
        DEP_VALUE_SHAPE = "dep-value-shape", Error, FORMAT, "Write the value as the type wants it.";
        DEP_GVK_GROUP_EMPTY = "dep-gvk-group-empty", Error, FORMAT, "Name the group.";
        DEP_GVK_VERSION_EMPTY = "dep-gvk-version-empty", Error, FORMAT, "Name the version.";
        DEP_GVK_KIND_EMPTY = "dep-gvk-kind-empty", Error, FORMAT, "Name the kind.";
        DEP_PACKAGE_NAME_EMPTY = "dep-package-name-empty", Error, FORMAT, "Write packageName.";
        DEP_PACKAGE_VERSION_EMPTY = "dep-package-version-empty", Error, FORMAT, "Write a range such as \">=1.0.0 <2.0.0\".";
        DEP_PACKAGE_VERSION_FORMAT = "dep-package-version-format", Error, FORMAT, "Write a range such as \">=1.0.0 <2.0.0\", with three numbers in each version.";
        DEP_LABEL_EMPTY = "dep-label-empty", Error, FORMAT, "Write the label.";
        DEP_CEL_MISSING = "dep-cel-missing", Error, FORMAT, "Write cel: {rule: …}, or one of the other constraints.";
        DEP_CEL_INVALID = "dep-cel-invalid", Error, FORMAT, "Correct the expression; properties is the list of properties of the bundles to choose from.";
        DEP_CEL_EMPTY = "dep-cel-empty", Error, FORMAT, "Write the rule.";

        // What `bundle validate` looks at beyond that: loading, content, properties, constraints and intents.
        TREE_PATH_ESCAPE = "tree-path-escape", Error, LIMITS, "Make the bundle anew: a path of it leads out of its folder.";
        TREE_ENTRY_TYPE = "tree-entry-type", Error, LIMITS, "Put a file in its place: a bundle holds files and folders only.";
        TREE_LIMIT = "tree-limit", Error, LIMITS, "Make the bundle smaller, or raise the limit.";
        LOAD_MULTIPLE_CSV = "load-multiple-csv", Error, FORMAT, "Keep one ClusterServiceVersion: a bundle is one version of an operator.";
    }

    Authoring {
        // Loading and content, as other programs judge them.
        LOAD_SUBDIRECTORY = "load-subdirectory", Error, FORMAT, "Put its files into manifests/ itself: some readers pass folders over, others refuse them.";
        LOAD_HIDDEN_FILE = "load-hidden-file", Error, FORMAT, "Remove it: some readers pass hidden files over, others refuse or read them.";
        CONTENT_UNPARSABLE = "content-unparsable", Error, FORMAT, "Write one Kubernetes object with apiVersion and kind.";
        CONTENT_KIND_UNSUPPORTED = "content-kind-unsupported", Error, OLM, "Let the operator create it, or leave it out of the bundle.";
        CONTENT_METADATA = "content-metadata", Error, OBJECTS, "Correct the metadata: the API server refuses the object.";
        CONTENT_CRD_SHAPE = "content-crd-shape", Error, OBJECTS, "Write a value of the right type: the API server refuses the CustomResourceDefinition.";
        CONTENT_CRD_VERSION = "content-crd-version", Error, OBJECTS, "Write it for apiextensions.k8s.io/v1.";
        OPM_OWNED_CRD_ABSENT = "opm-owned-crd-absent", Error, CSV, "Add the CRD version to manifests/, or remove the entry; opm finds no CRD for an entry that names its group.";
        OPM_RELEASE_AND_SUBSTITUTES = "opm-release-and-substitutes", Error, CSV, "Use one of the two.";
        ANN_MANIFESTS_PATH = "ann-manifests-path", Error, FORMAT, "Write manifests/.";
        ANN_METADATA_PATH = "ann-metadata-path", Error, FORMAT, "Write metadata/.";
    }

    Bundles {
        ANN_DEFAULT_CHANNEL_UNKNOWN = "ann-default-channel-unknown", Warning, FORMAT, "Name one of the channels, or add the default channel to them.";
        PROP_FILES = "prop-files", Error, OPTIONAL_MANIFESTS, "Put all properties into one file: OLM reads the first by name and passes the others over.";
        PROP_SHAPE = "prop-shape", Error, FORMAT, "Write a list of {type, value}.";
        PROP_FILE_NAME = "prop-file-name", Warning, FORMAT, "Name the file for what it holds.";
        PROP_DERIVED_CLASH = "prop-derived-clash", Warning, FORMAT, "Remove the property: an index derives it from the bundle.";
        OPT_VALUE_SHAPE = "opt-value-shape", Error, OPTIONAL_MANIFESTS, "Write manifests: [{group: …, kind: …, namespace: …, name: …}].";
        OPT_EMPTY = "opt-empty", Warning, OPTIONAL_MANIFESTS, "Add the manifests, or remove the property.";
        OPT_UNKNOWN_KEY = "opt-unknown-key", Warning, OPTIONAL_MANIFESTS, "Remove it: an entry has group, kind, namespace and name.";
        OPT_DUPLICATE = "opt-duplicate", Warning, OPTIONAL_MANIFESTS, "Remove one of the two entries.";
        OPT_SEVERAL = "opt-several", Info, OPTIONAL_MANIFESTS, "Nothing to do; one list is easier to read.";
        OPT_NO_MATCH = "opt-no-match", Warning, OPTIONAL_MANIFESTS, "Correct group, kind, namespace or name: OLM passes an entry without a manifest over.";
        OPT_GROUP_VERSION = "opt-group-version", Warning, OPTIONAL_MANIFESTS, "Write the group alone.";
        OPT_CORE_KIND = "opt-core-kind", Warning, OPTIONAL_MANIFESTS, "Remove the entry.";
        OPT_CRD = "opt-crd", Warning, OPTIONAL_MANIFESTS, "Remove the entry: what follows in the install plan needs the CustomResourceDefinition.";
        OPT_BUILTIN_KIND = "opt-builtin-kind", Info, OPTIONAL_MANIFESTS, "Nothing to do.";
        OPT_PROJECTED = "opt-projected", Error, OPTIONAL_MANIFESTS, "Remove the entry.";
        DEP_CONSTRAINT_KEY = "dep-constraint-key", Error, FORMAT, "Use failureMessage and one of all, any, cel, gvk, not and package.";
        DEP_CONSTRAINT_SEVERAL = "dep-constraint-several", Error, FORMAT, "Give each constraint one alternative.";
        DEP_CONSTRAINT_SIZE = "dep-constraint-size", Error, FORMAT, "Split the constraint.";
        DEP_RANGE_QUOTING = "dep-range-quoting", Error, INTENTS, "Quote the range: YAML reads an unquoted > as the beginning of a block of text.";
        DEP_INTENT_VALUE = "dep-intent-value", Error, INTENTS, "Write required, recommended or optional.";
        DEP_INTENT_PLACE = "dep-intent-place", Error, INTENTS, "Only a dependency of type olm.package has an intent, inside its value.";
        DEP_INTENT_CONSTRAINT = "dep-intent-constraint", Warning, INTENTS, "Use a dependency of type olm.package: released versions of OLM ignore its intent.";
        DEP_DUPLICATE = "dep-duplicate", Warning, INTENTS, "Keep one of the two entries.";
        DEP_CONFLICTING_INTENT = "dep-conflicting-intent", Warning, INTENTS, "Keep one of the two entries: the strictest intent is what counts.";
        DEP_SELF = "dep-self", Error, FORMAT, "Remove the dependency.";
        DEP_CSV_DOUBLE = "dep-csv-double", Info, FORMAT, "Nothing to do; one of the two is enough.";
        RANGE_HYPHEN = "range-hyphen", Warning, FORMAT, "Write a range such as \">=1.0.0 <=2.0.0\".";
        BUNDLE_UNREADABLE = "bundle-unreadable", Error, FORMAT, "Check the name, and that the folder or image can be read from here.";

        // What the index asks of a registry+v1 bundle.
        INDEX_NO_OBJECTS = "index-no-objects", Error, FORMAT, "Put the manifests into manifests/ itself: folders in it are not read in a registry+v1 bundle.";
        INDEX_NO_CSV = "index-no-csv", Error, FORMAT, "Add a ClusterServiceVersion, or let opmx infer one: `opmx bundle init DIR` writes metadata/olm.yaml.";
        CONTENT_CSV_SHAPE = "content-csv-shape", Error, CSV, "Write a value of the right type: no reader can take in the ClusterServiceVersion as it is.";
        INDEX_VERSION_SHAPE = "index-version-shape", Error, CSV, "Quote the version.";
        INDEX_VERSION_MISSING = "index-version-missing", Error, CSV, "Set spec.version.";
        INDEX_RELEASE_SHAPE = "index-release-shape", Error, CSV, "Quote the release.";
        INDEX_CSV_VERSION_SEMVER = "index-csv-version-semver", Error, CSV, "Write a semantic version such as 1.2.3.";
        INDEX_OLM_PROPERTIES = "index-olm-properties", Error, CSV, "Move the properties into metadata/properties.yaml.";
        INDEX_OWNED_CRD_NAME = "index-owned-crd-name", Error, CSV, "Name it <plural>.<group>.";
        INDEX_OWNED_CRD_ABSENT = "index-owned-crd-absent", Error, CSV, "Add the CRD version to manifests/, or remove the entry.";
        INDEX_CRD_DECODE = "index-crd-decode", Error, OBJECTS, "Complete the CustomResourceDefinition.";
    }

    Indexes {
        // What `index check` looks at in a database.
        INDEX_DATABASE_DAMAGED = "index-database-damaged", Error, INDEX, "Restore the file from a copy, or make the index anew.";
        INDEX_PACKAGE_MISSING = "index-package-missing", Error, INDEX, "Add a bundle of the package again, or make the index anew.";
        INDEX_DEFAULT_CHANNEL = "index-default-channel", Error, INDEX, "Add a bundle that names a default channel.";
        INDEX_CHANNEL_MISSING = "index-channel-missing", Error, INDEX, "Add a bundle of the channel again, or make the index anew.";
        INDEX_CHANNEL_HEAD = "index-channel-head", Error, INDEX, "Add the newest bundle of the channel again, or make the index anew.";
        INDEX_BUNDLE_MISSING = "index-bundle-missing", Error, INDEX, "Add the bundle, or one that skips it.";
        INDEX_ENTRY_TARGET = "index-entry-target", Error, INDEX, "Add a bundle of the channel again, which writes its entries anew.";
        INDEX_CYCLE = "index-cycle", Error, INDEX, "Add a bundle that skips the bundles of the circle.";
        INDEX_BUNDLE_UNREACHABLE = "index-bundle-unreachable", Warning, INDEX, "Let a bundle of the channel replace or skip it.";
        INDEX_DEPENDENCY = "index-dependency", Warning, INDEX, "Add a bundle that is it, or say in which other catalog there is one.";
        INDEX_ORPHAN_ROW = "index-orphan-row", Warning, INDEX, "Remove it.";
        INDEX_ROW_OWNER = "index-row-owner", Warning, INDEX, "Correct it.";
        INDEX_API_MISSING = "index-api-missing", Error, INDEX, "Remove the bundle and add it again.";
        INDEX_API_UNUSED = "index-api-unused", Warning, INDEX, "Remove it.";
        INDEX_MANIFESTS_JSON = "index-manifests-json", Error, INDEX, "Remove the bundle and add it again.";
        INDEX_MESSAGE_SIZE = "index-message-size", Warning, INDEX, "Publish the bundle as an image in a registry, and add it from there.";
        INDEX_BUNDLE_SIZE = "index-bundle-size", Warning, INDEX, "Publish the bundle as an image in a registry, and add it from there.";

        // What `index check --images` asks registries for.
        INDEX_IMAGE_MISSING = "index-image-missing", Error, INDEX, "Push the image again under this name, or take the bundle out of the index: clusters cannot install it.";
        INDEX_IMAGE_UNKNOWN = "index-image-unknown", Error, INDEX, "Check again when the registry answers: the image may be there or not.";
        INDEX_IMAGE_REFERENCE = "index-image-reference", Error, INDEX, "Push the image to a registry, and add the bundle from there.";

        // What `index check --for` finds that clusters of an older OLM cannot use.
        CLUSTER_BUNDLE_IMAGE = "cluster-bundle-image", Error, OLM, "Update OLM there, or add the bundle from its folder, so that the index holds its manifests.";
        CLUSTER_MEDIA_TYPE = "cluster-media-type", Error, PLAIN, "Make a registry+v1 bundle of it, store its ClusterServiceVersion in the index, or keep it in an index of its own.";
        CLUSTER_BUNDLE_SIZE = "cluster-bundle-size", Error, OLM, "Leave out descriptions in the schemas of CustomResourceDefinitions, or keep the bundle in an index for newer clusters.";
        CLUSTER_MESSAGE_SIZE = "cluster-message-size", Error, OLM, "Publish the bundle as a registry+v1 image in a registry, and add it from there.";
        CLUSTER_MANIFEST_KIND = "cluster-manifest-kind", Error, OLM, "Update OLM there, leave the object out of the bundle, or keep the bundle in an index for newer clusters.";
        CLUSTER_CONSTRAINT = "cluster-constraint", Error, OLM, "Use failureMessage and one of all, any, cel, gvk, not and package.";
        CLUSTER_DEPENDENCY = "cluster-dependency", Warning, OLM, "Depend on the API with olm.gvk where that says enough, or keep the bundle in an index for newer clusters.";
        CLUSTER_INTENT = "cluster-intent", Warning, INTENTS, "Provide the package in a catalog of these clusters, or leave the dependency out.";
        CLUSTER_PROPERTY = "cluster-property", Warning, OLM, "Nothing to do where the clusters can live with it; else keep the bundle in an index for newer clusters.";
        CLUSTER_WEBHOOK = "cluster-webhook", Warning, OLM, "Let the operator do without the webhook, or keep the bundle in an index for newer clusters.";
    }

    Authoring {
        // The ClusterServiceVersion, as the Operator Framework validates it.
        CSV_REPLACES_FORMAT = "csv-replaces-format", Error, CSV, "Write the name of the version before this one: at most 63 lower-case letters, digits, dots and dashes.";
        CSV_ANNOTATIONS_MISSING = "csv-annotations-missing", Warning, CSV, "Add annotations; alm-examples shows users what to create.";
        CSV_EXAMPLES_MISSING = "csv-examples-missing", Warning, CSV, "Add the annotation alm-examples with a JSON list of custom resources.";
        CSV_EXAMPLES_BOTH = "csv-examples-both", Warning, CSV, "Keep alm-examples and remove olm.examples.";
        CSV_OWNED_CRD_NAME_SHAPE = "csv-owned-crd-name-shape", Error, CSV, "Name it <plural>.<group>.";
        CSV_RESOURCE_FIELD = "csv-resource-field", Warning, CSV, "Add the field; a resource has a name, which may be empty, a kind and a version.";
        CSV_OWNED_GROUP_KEY = "csv-owned-group-key", Warning, CSV, "Remove the key group: the group is what follows the first dot of the name.";
        CSV_PROVIDED_API_WITHOUT_EXAMPLE = "csv-provided-api-without-example", Warning, CSV, "Add an example of it to the annotation alm-examples.";
        CSV_INSTALLMODES_MISSING = "csv-installmodes-missing", Error, CSV, "List the install modes, each with supported: true or false.";
        CSV_CONVERSION_ALLNAMESPACES_ONLY = "csv-conversion-allnamespaces-only", Error, OLM, "Support AllNamespaces and no other install mode: a CustomResourceDefinition has one conversion webhook for the whole cluster.";
        CSV_MINKUBEVERSION_MISSING = "csv-minkubeversion-missing", Warning, CSV, "Set spec.minKubeVersion to the oldest Kubernetes that the operator runs on, such as 1.25.0.";
        CSV_MINKUBEVERSION_FORMAT = "csv-minkubeversion-format", Error, CSV, "Write three numbers and no v, such as 1.25.0.";
        CSV_REQUIRED_FIELD = "csv-required-field", Error, CSV, "Add the field: the cluster refuses a ClusterServiceVersion without it.";
        CSV_OLM_PROPERTIES_ANNOTATION = "csv-olm-properties-annotation", Warning, CSV, "Move the properties into metadata/properties.yaml.";

        // CustomResourceDefinitions, as the API server validates them.
        CRD_METADATA = "crd-metadata", Error, OBJECTS, "Correct the metadata: the API server refuses it.";
        CRD_GROUP = "crd-group", Error, CRD, "Write a group of lower-case letters, digits, dashes and at least one dot, such as example.com.";
        CRD_SCOPE = "crd-scope", Error, CRD, "Write Namespaced or Cluster.";
        CRD_VERSION_NAME = "crd-version-name", Error, CRD, "Write a name such as v1 or v1beta1.";
        CRD_VERSION_UNIQUE = "crd-version-unique", Error, CRD, "List each version once.";
        CRD_STORAGE_COUNT = "crd-storage-count", Error, CRD, "Set storage: true for exactly one version.";
        CRD_VERSION_FIELD = "crd-version-field", Error, CRD, "Remove spec.version; spec.versions says it.";
        CRD_NAMES_REQUIRED = "crd-names-required", Error, CRD, "Add the name.";
        CRD_NAMES_FORMAT = "crd-names-format", Error, CRD, "Use letters, digits and dashes, beginning with a letter; only kind and listKind may have capitals.";
        CRD_GLOBAL_AND_VERSION = "crd-global-and-version", Error, CRD, "Write it either once for all versions or in each version.";
        CRD_PRINTER_COLUMN = "crd-printer-column", Error, CRD, "A column has a name, a type (boolean, date, integer, number or string) and a path that begins with a dot.";
        CRD_SCALE_PATH = "crd-scale-path", Error, CRD, "Write a path such as .spec.replicas or .status.replicas.";
        CRD_SELECTABLE_FIELDS = "crd-selectable-fields", Error, CRD, "Name up to eight text, number or boolean fields of the schema, each once, outside metadata.";
        CRD_DEPRECATION_WARNING = "crd-deprecation-warning", Error, CRD, "Set deprecated: true, and a warning of at most 256 printable characters.";
        CRD_PRESERVE_UNKNOWN_FIELDS = "crd-preserve-unknown-fields", Error, CRD, "Set it to false, and x-kubernetes-preserve-unknown-fields: true in the schema where unknown fields must stay.";
        CRD_DEFAULTS_NEED_PRUNING = "crd-defaults-need-pruning", Error, CRD, "Set preserveUnknownFields: false.";
        CRD_CONVERSION_STRATEGY = "crd-conversion-strategy", Error, CRD, "Write None or Webhook.";
        CRD_CONVERSION_CLIENT = "crd-conversion-client", Error, CRD, "Name the service of the conversion webhook: namespace, name and a path that begins with /.";
        CRD_CONVERSION_REVIEW_VERSIONS = "crd-conversion-review-versions", Error, CRD, "List v1.";
        CRD_API_APPROVED = "crd-api-approved", Error, CRD, "Use a group of your own: those below k8s.io and kubernetes.io belong to Kubernetes.";

        CRD_SCHEMA_MISSING = "crd-schema-missing", Error, CRD, "Add schema: {openAPIV3Schema: {type: object, …}} to the version.";
        CRD_SCHEMA_STRUCTURAL = "crd-schema-structural", Error, CRD, "Give every field its type, and describe it outside of allOf, anyOf, oneOf and not.";
        CRD_SCHEMA_KEYWORD = "crd-schema-keyword", Error, CRD, "Write it without the keyword: the API server refuses it.";
        CRD_SCHEMA_TYPE = "crd-schema-type", Error, CRD, "Use array, boolean, integer, number, object or string.";
        CRD_SCHEMA_DEFAULT = "crd-schema-default", Error, CRD, "Write a default of the field's type.";

        // The bundle as a whole.
        BUNDLE_CRD_DUPLICATE = "bundle-crd-duplicate", Error, FORMAT, "Remove one of the two.";
        BUNDLE_OWNED_CRD_ABSENT = "bundle-owned-crd-absent", Error, FORMAT, "Add the CustomResourceDefinition version to manifests/, or remove the entry.";
        BUNDLE_CRD_NOT_OWNED = "bundle-crd-not-owned", Error, FORMAT, "List it in spec.customresourcedefinitions.owned, or remove the file.";
        BUNDLE_SERVICEACCOUNT_CLASH = "bundle-serviceaccount-clash", Error, OLM, "Remove the ServiceAccount: OLM creates it from the ClusterServiceVersion.";
        BUNDLE_RELATEDIMAGE_EMPTY = "bundle-relatedimage-empty", Error, CSV, "Write the image, or remove the entry.";

        // What catalogs show.
        HUB_V1_DEPRECATED = "hub-v1-deprecated", Warning, CATALOG, "Run operatorhubv2, capabilities and categories instead.";
        HUB_PROVIDER_NAME = "hub-provider-name", Error, CATALOG, "Add provider: {name: …}.";
        HUB_MAINTAINER_INCOMPLETE = "hub-maintainer-incomplete", Error, CATALOG, "Write both name and email.";
        HUB_MAINTAINER_EMAIL = "hub-maintainer-email", Error, CATALOG, "Write an address such as team@example.com.";
        HUB_LINK_INCOMPLETE = "hub-link-incomplete", Error, CATALOG, "Write both name and url.";
        HUB_LINK_URL = "hub-link-url", Error, CATALOG, "Write an address such as https://example.com/docs.";
        HUB_VERSION_MISSING = "hub-version-missing", Error, CATALOG, "Set spec.version.";
        HUB_ICON_MISSING = "hub-icon-missing", Warning, CATALOG, "Add an icon: catalogs show it.";
        HUB_ICON_COUNT = "hub-icon-count", Error, CATALOG, "Keep one icon.";
        HUB_ICON_INCOMPLETE = "hub-icon-incomplete", Error, CATALOG, "Write both base64data and mediatype.";
        HUB_ICON_MEDIATYPE = "hub-icon-mediatype", Error, CATALOG, "Use image/png, image/jpeg, image/gif or image/svg+xml.";
        HUB_MINKUBEVERSION_MISSING = "hub-minkubeversion-missing", Warning, CATALOG, "Set spec.minKubeVersion to the oldest Kubernetes that the operator runs on, such as 1.25.0.";
        HUB_MINKUBEVERSION_FORMAT = "hub-minkubeversion-format", Error, CATALOG, "Write three numbers and no v, such as 1.25.0.";
        CAP_UNKNOWN = "cap-unknown", Error, CATALOG, "Use Basic Install, Seamless Upgrades, Full Lifecycle, Deep Insights or Auto Pilot.";
        CAT_UNKNOWN = "cat-unknown", Error, CATALOG, "Use the standard categories, such as Database or Monitoring, with commas between them.";
        CAT_CUSTOM_UNKNOWN = "cat-custom-unknown", Error, CATALOG, "Use the categories of the file that was given.";

        // APIs that newer clusters no longer serve.
        REMOVED_API_1_22 = "removed-api-1.22", Warning, REMOVED, "Write the objects for the versions that Kubernetes 1.22 serves.";
        REMOVED_API_1_25 = "removed-api-1.25", Warning, REMOVED, "Write the objects for the versions that Kubernetes 1.25 serves.";
        REMOVED_API_1_26 = "removed-api-1.26", Warning, REMOVED, "Write the objects for the versions that Kubernetes 1.26 serves.";
        REMOVED_API_MINKUBE_UNPARSABLE = "removed-api-minkube-unparsable", Error, REMOVED, "Write three numbers and no v, such as 1.25.0.";

        // Good practices.
        GP_NO_DEPLOYMENT = "gp-no-deployment", Error, PRACTICE, "Add the operator's Deployment to spec.install.spec.deployments.";
        GP_RESOURCE_REQUESTS = "gp-resource-requests", Warning, PRACTICE, "Set resources.requests for cpu and memory: clusters with quotas refuse pods without them.";
        GP_CRD_DESCRIPTION_EMPTY = "gp-crd-description-empty", Warning, PRACTICE, "Say in a sentence what the kind is for.";
        GP_CHANNEL_NAME = "gp-channel-name", Warning, PRACTICE, "Begin the names of channels with candidate, fast or stable.";
        GP_RBAC_CREATE_CRD = "gp-rbac-create-crd", Warning, PRACTICE, "Let OLM install the CustomResourceDefinitions of the bundle.";
        GP_NAME_SEMVER = "gp-name-semver", Warning, PRACTICE, "Name it <operator>.v<version>, such as memcached-operator.v0.0.1.";
        GP_NAME_SHAPE = "gp-name-shape", Warning, PRACTICE, "Name it <operator>.v<version>, such as memcached-operator.v0.0.1.";

        // Platforms of the images, as their registries have them.
        MULTIARCH_INSPECT_FAILED = "multiarch-inspect-failed", Warning, PRACTICE, "Correct the image's name, or log in to its registry.";
        MULTIARCH_UNSUPPORTED = "multiarch-unsupported", Error, PRACTICE, "Build the image for the platform too, or remove the label that promises it.";
        MULTIARCH_LABEL_MISSING_ARCH = "multiarch-label-missing-arch", Warning, PRACTICE, "Add a label operatorframework.io/arch.ARCHITECTURE: supported for each, so that catalogs offer the operator there.";
        MULTIARCH_LABEL_MISSING_OS = "multiarch-label-missing-os", Warning, PRACTICE, "Add a label operatorframework.io/os.OS: supported for each, so that catalogs offer the operator there.";
        MULTIARCH_IMAGE_NARROWER = "multiarch-image-narrower", Warning, PRACTICE, "Build the image for the same platforms as the operator's own.";
        MULTIARCH_AFFINITY_MISSING = "multiarch-affinity-missing", Warning, PRACTICE, "Require nodes with one of the image's values of kubernetes.io/arch and kubernetes.io/os by node affinity.";
        MULTIARCH_AFFINITY_EXTRA = "multiarch-affinity-extra", Warning, PRACTICE, "Remove the value from the node affinity, or build the image for it.";
        MULTIARCH_AFFINITY_NARROW = "multiarch-affinity-narrow", Warning, PRACTICE, "Add the value to the node affinity, unless the operator must not run there.";

        // Objects beside the ClusterServiceVersion.
        OBJ_PDB_MAXUNAVAILABLE_ZERO = "obj-pdb-maxunavailable-zero", Error, OLM, "Allow at least one pod to be evicted: no node could be drained.";
        OBJ_PDB_MINAVAILABLE_FULL = "obj-pdb-minavailable-full", Error, OLM, "Allow at least one pod to be evicted: no node could be drained.";
        OBJ_PRIORITYCLASS_GLOBAL_DEFAULT = "obj-priorityclass-global-default", Error, OLM, "Remove globalDefault: it would apply to every pod of the cluster.";
        OBJ_RBAC_PDB_WRITE = "obj-rbac-pdb-write", Warning, OLM, "Leave it out if the operator can do without: it can keep nodes from being drained.";
        OBJ_RBAC_DEFAULT_SCC_WRITE = "obj-rbac-default-scc-write", Error, OLM, "Create a SecurityContextConstraints object of your own instead.";
        OBJ_UNPARSABLE = "obj-unparsable", Error, OBJECTS, "Write the field as its kind defines it.";
        OG_ANNOTATION_CASE = "og-annotation-case", Error, OLM, "Write the key in exactly these letters.";
    }

    Catalogs {
        // File-based catalogs: documents and fields.
        CATALOG_DOCUMENT = "catalog-document", Error, FBC, "Correct the file; if it is none of the catalog's, name it in a file .indexignore.";
        CATALOG_SCHEMA_MISSING = "catalog-schema-missing", Error, FBC, "Write schema: olm.package, olm.channel, olm.bundle or olm.deprecations; if the file is none of the catalog's, name it in a file .indexignore.";
        CATALOG_SCHEMA_UNKNOWN = "catalog-schema-unknown", Warning, FBC, "Correct the schema: documents of unknown schemas are kept and mean nothing.";
        CATALOG_FIELD_TYPE = "catalog-field-type", Error, FBC, "Write a value of the right type.";
        CATALOG_FIELD_UNKNOWN = "catalog-field-unknown", Warning, FBC, "Correct the name of the field, or remove it: it is ignored.";
        CATALOG_FIELD_CASE = "catalog-field-case", Warning, FBC, "Write the field in exactly these letters.";
        CATALOG_FIELD_REPEATED = "catalog-field-repeated", Error, FBC, "Keep one of the two fields.";

        // File-based catalogs: packages.
        CATALOG_PACKAGE_NAME = "catalog-package-name", Error, FBC, "Name the package with at most 63 lower-case letters, digits and dashes.";
        CATALOG_PACKAGE_NAMELESS = "catalog-package-nameless", Error, FBC, "Name the package.";
        CATALOG_PACKAGE_DUPLICATE = "catalog-package-duplicate", Error, FBC, "Keep one of the two documents.";
        CATALOG_PACKAGE_MISSING = "catalog-package-missing", Error, FBC, "Add a document of schema olm.package with this name, or correct the name.";
        CATALOG_PACKAGE_EMPTY = "catalog-package-empty", Error, FBC, "Add a document of schema olm.channel for the package.";
        CATALOG_PACKAGE_ICON = "catalog-package-icon", Error, FBC, "Write what `base64 -w0 icon.svg` prints to base64data, and its media type such as image/svg+xml to mediatype.";
        CATALOG_DEFAULT_CHANNEL = "catalog-default-channel", Error, FBC, "Name a channel of the package in defaultChannel.";

        // File-based catalogs: channels and their graphs.
        CATALOG_CHANNEL_NAME = "catalog-channel-name", Error, FBC, "Name the channel.";
        CATALOG_CHANNEL_DUPLICATE = "catalog-channel-duplicate", Error, FBC, "Put the entries of both into one document.";
        CATALOG_CHANNEL_EMPTY = "catalog-channel-empty", Error, FBC, "List the bundles of the channel in entries, or remove the channel.";
        CATALOG_CHANNEL_HEAD = "catalog-channel-head", Error, FBC, "Let exactly one entry be named by no other entry's replaces or skips.";
        CATALOG_CHANNEL_CYCLE = "catalog-channel-cycle", Error, FBC, "Take one of the edges away, so that the chain of replaces ends.";
        CATALOG_ENTRY_NAME = "catalog-entry-name", Error, FBC, "Name the bundle of the entry.";
        CATALOG_ENTRY_DUPLICATE = "catalog-entry-duplicate", Error, FBC, "Put the edges of both into one entry.";
        CATALOG_ENTRY_BUNDLE = "catalog-entry-bundle", Error, FBC, "Add the bundle, correct the name, or remove the entry.";
        CATALOG_ENTRY_STRANDED = "catalog-entry-stranded", Error, FBC, "Let an entry of the chain from the head replace or skip it.";
        CATALOG_ENTRY_ITSELF = "catalog-entry-itself", Error, FBC, "Name another bundle, or take the name away.";
        CATALOG_SKIPS_EMPTY = "catalog-skips-empty", Error, FBC, "Take the empty name away.";
        CATALOG_SKIP_RANGE = "catalog-skip-range", Error, FBC, "Write a range such as >=1.0.0 <1.2.0.";

        // File-based catalogs: bundles.
        CATALOG_BUNDLE_NAME = "catalog-bundle-name", Error, FBC, "Write the name of the bundle's ClusterServiceVersion.";
        CATALOG_BUNDLE_DUPLICATE = "catalog-bundle-duplicate", Error, FBC, "Keep one of the two documents.";
        CATALOG_BUNDLE_UNLISTED = "catalog-bundle-unlisted", Error, FBC, "Add an entry for it to a channel of the package, or remove the bundle.";
        CATALOG_BUNDLE_IMAGE = "catalog-bundle-image", Error, FBC, "Write the bundle's image.";
        CATALOG_IMAGE_REFERENCE = "catalog-image-reference", Error, FBC, "Write the image as a container would name it, such as registry.example.com/agent:1.0.0.";
        CATALOG_PROPERTY = "catalog-property", Error, FBC, "Write type and value as the type of the property asks for.";
        CATALOG_BUNDLE_IDENTITY = "catalog-bundle-identity", Error, FBC, "Give the bundle exactly one property olm.package, with the name of its package.";
        CATALOG_BUNDLE_VERSION = "catalog-bundle-version", Error, FBC, "Write a semantic version such as 1.2.3.";
        CATALOG_VERSION_MISSING = "catalog-version-missing", Error, FBC, "Write version, a semantic version such as 1.2.3, into the property olm.package.";
        CATALOG_BUNDLE_RELEASE = "catalog-bundle-release", Error, FBC, "Name the bundle <package>-v<version>-<release>, with at most 20 letters, digits and dashes between dots as the release.";
        CATALOG_VERSION_DUPLICATE = "catalog-version-duplicate", Error, FBC, "Give each bundle of a package a version of its own.";
        CATALOG_OBJECT = "catalog-object", Error, FBC, "Write one manifest, as JSON in base64, to data.";
        CATALOG_OBJECT_CONTENT = "catalog-object-content", Warning, FBC, "Give each bundle the manifests of one operator, with one ClusterServiceVersion of the bundle's name.";
        CATALOG_OBJECT_REF = "catalog-object-ref", Warning, FBC, "Write the file itself, in base64, to data: newer programs do not follow ref.";
        CATALOG_CSV_METADATA = "catalog-csv-metadata", Warning, FBC, "Keep one property olm.csv.metadata.";
        CATALOG_MESSAGE_SIZE = "catalog-message-size", Warning, FBC, "Publish the bundle as an image, and write its name to image.";
        CATALOG_MANIFESTS_SIZE = "catalog-manifests-size", Warning, FBC, "Publish the bundle as an image, and write its name to image.";

        // File-based catalogs: deprecations.
        CATALOG_DEPRECATION_PACKAGE = "catalog-deprecation-package", Error, FBC, "Keep one document of schema olm.deprecations for each package of the catalog.";
        CATALOG_DEPRECATION_REFERENCE = "catalog-deprecation-reference", Error, FBC, "Refer to {schema: olm.package}, or to an olm.channel or olm.bundle of the package by its name.";
        CATALOG_DEPRECATION_DUPLICATE = "catalog-deprecation-duplicate", Error, FBC, "Keep one of the two entries.";
        CATALOG_DEPRECATION_MESSAGE = "catalog-deprecation-message", Error, FBC, "Say in message what users are to do.";
        CATALOG_DEPRECATION_IGNORED = "catalog-deprecation-ignored", Info, FBC, "Nothing to do where all clusters have a newer one.";
    }

    Authoring {
        // The package manifest of the older layout.
        PKG_NAME_EMPTY = "pkg-name-empty", Error, PACKAGE, "Write packageName.";
        PKG_CHANNELS_EMPTY = "pkg-channels-empty", Error, PACKAGE, "List at least one channel.";
        PKG_DEFAULT_MISSING = "pkg-default-missing", Error, PACKAGE, "Write defaultChannel.";
        PKG_DEFAULT_UNKNOWN = "pkg-default-unknown", Error, PACKAGE, "Name one of the channels.";
        PKG_CHANNEL_NAME_EMPTY = "pkg-channel-name-empty", Error, PACKAGE, "Name the channel.";
        PKG_CHANNEL_CSV_EMPTY = "pkg-channel-csv-empty", Error, PACKAGE, "Write currentCSV.";
        PKG_CHANNEL_DUPLICATE = "pkg-channel-duplicate", Error, PACKAGE, "List each channel once.";

        // What community catalogs for OpenShift ask of bundles with removed APIs.
        COMMUNITY_MAXOPENSHIFT_MISSING = "community-maxopenshift-missing", Error, CATALOG, "Migrate the objects, or add the property olm.maxOpenShiftVersion below 4.9 to the annotation olm.properties.";
        COMMUNITY_MAXOPENSHIFT_JSON = "community-maxopenshift-json", Error, CATALOG, "Write a JSON list of properties whose values are texts.";
        COMMUNITY_MAXOPENSHIFT_ABSENT = "community-maxopenshift-absent", Error, CATALOG, "Add the property olm.maxOpenShiftVersion below 4.9 to the annotation olm.properties.";
        COMMUNITY_MAXOPENSHIFT_VERSION = "community-maxopenshift-version", Error, CATALOG, "Write a version such as 4.8.";
        COMMUNITY_MAXOPENSHIFT_PATCH = "community-maxopenshift-patch", Warning, CATALOG, "Write major and minor version alone, such as 4.8.";
        COMMUNITY_MAXOPENSHIFT_TOO_HIGH = "community-maxopenshift-too-high", Error, CATALOG, "Write a version below 4.9, the first that does not serve the removed APIs.";
        COMMUNITY_INDEX_PATH_MISSING = "community-index-path-missing", Warning, CATALOG, "Give the Dockerfile of the index, so that its OpenShift versions can be checked.";
        COMMUNITY_INDEX_LABEL_MISSING = "community-index-label-missing", Error, CATALOG, "Add LABEL com.redhat.openshift.versions=\"v4.6-v4.8\".";
        COMMUNITY_INDEX_LABEL_SYNTAX = "community-index-label-syntax", Error, CATALOG, "Write LABEL com.redhat.openshift.versions=\"v4.6-v4.8\".";
        COMMUNITY_INDEX_RANGE = "community-index-range", Error, CATALOG, "End the range below 4.9, as in v4.6-v4.8.";

        // From one media type to the other.
        CONVERT_CSV_MISSING = "convert-csv-missing", Error, FORMAT, "Add the ClusterServiceVersion to manifests/.";
        CONVERT_DEPLOYMENT_UNKNOWN = "convert-deployment-unknown", Error, CSV, "Name a Deployment of the install strategy.";
        CONVERT_POD_LABELS = "convert-pod-labels", Error, PLAIN, "Give the pods of the Deployment a label that no other Deployment's pods have, so that a Service can lead to them.";
        CONVERT_FIELD_LOST = "convert-field-lost", Warning, PLAIN, "Nothing to do, unless something reads it.";
        CONVERT_FIELD_SET_BY_CLUSTER = "convert-field-set-by-cluster", Info, PLAIN, "Nothing to do: the cluster and OLM set it.";
        CONVERT_FIELD_CHANGED = "convert-field-changed", Warning, PLAIN, "Check the new value.";
        CONVERT_FIELD_ADDED = "convert-field-added", Warning, PLAIN, "Check the value that is added.";
        CONVERT_ORDER = "convert-order", Info, PLAIN, "Nothing to do: the order has no meaning.";
        CONVERT_REPEATED_RULE = "convert-repeated-rule", Info, PLAIN, "Nothing to do: the rule is granted by the first one.";
        CONVERT_FILE_LEFT_OUT = "convert-file-left-out", Warning, FORMAT, "Carry it over by hand where it is needed.";
        CONVERT_OBJECT_NOT_SHIPPED = "convert-object-not-shipped", Info, OLM, "Nothing to do: OLM creates it from the ClusterServiceVersion.";
        CONVERT_CRD_CHANGED = "convert-crd-changed", Info, OLM, "Nothing to do: OLM writes this part of the CustomResourceDefinition in any case.";
        CONVERT_HINTS_LOST = "convert-hints-lost", Info, PLAIN, "Keep the k8s+v1 bundle as the source.";
        CONVERT_COMMENTS_LOST = "convert-comments-lost", Info, PLAIN, "Keep the k8s+v1 bundle as the source.";
    }
}

/// The rule with this id.
pub fn by_id(id: &str) -> Option<&'static Rule> {
    ALL.iter().find(|rule| rule.id == id).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn ids_are_unique_kebab_case_and_helpful() {
        let mut seen = BTreeSet::new();
        for rule in ALL {
            assert!(seen.insert(rule.id), "{} stands twice", rule.id);
            assert!(
                rule.id
                    .bytes()
                    .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-.".contains(&byte)),
                "{} is not kebab-case",
                rule.id
            );
            assert!(rule.help.ends_with('.'), "the help of {} is no sentence", rule.id);
            assert_eq!(by_id(rule.id), Some(*rule));
        }
    }
}
