//! CustomResourceDefinitions, as the API server validates them.

use super::{CRD, OBJECTS};

rules! { DEFINITIONS
    Authoring {
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
    }
}
