//! CustomResourceDefinitions, as the API server validates them.

use super::{CRD, OBJECTS};

rules! { DEFINITIONS
    PlainBundles {
        CRD_METADATA = "crd-metadata", Error, OBJECTS, "Correct the metadata; otherwise the API server rejects the object.";
        CRD_GROUP = "crd-group", Error, CRD, "Use a group such as example.com: lowercase letters, digits and hyphens, with at least one dot.";
        CRD_SCOPE = "crd-scope", Error, CRD, "Use Namespaced or Cluster.";
        CRD_VERSION_NAME = "crd-version-name", Error, CRD, "Use a name such as v1 or v1beta1.";
        CRD_VERSION_UNIQUE = "crd-version-unique", Error, CRD, "List each version once.";
        CRD_STORAGE_COUNT = "crd-storage-count", Error, CRD, "Set storage: true for exactly one version.";
        CRD_VERSION_FIELD = "crd-version-field", Error, CRD, "Remove spec.version, because spec.versions lists the version.";
        CRD_NAMES_REQUIRED = "crd-names-required", Error, CRD, "Add the name.";
        CRD_NAMES_FORMAT = "crd-names-format", Error, CRD, "Use letters, digits and hyphens, beginning with a letter; only kind and listKind may have capitals.";
        CRD_GLOBAL_AND_VERSION = "crd-global-and-version", Error, CRD, "Set the field either once for all versions or in each version.";
        CRD_PRINTER_COLUMN = "crd-printer-column", Error, CRD, "Set the column's name, type (boolean, date, integer, number or string) and a path that begins with a dot.";
        CRD_SCALE_PATH = "crd-scale-path", Error, CRD, "Use a path such as .spec.replicas or .status.replicas.";
        CRD_SCALE_FIELD = "crd-scale-field", Warning, CRD, "Use the path of the field that contains the number of replicas; otherwise, scaling has no effect.";
        CRD_SELECTABLE_FIELDS = "crd-selectable-fields", Error, CRD, "List at most eight fields, each once; each must be a string, integer or boolean in the schema, outside metadata.";
        CRD_DEPRECATION_WARNING = "crd-deprecation-warning", Error, CRD, "Set deprecated: true, and use a warning of at most 256 printable characters.";
        CRD_PRESERVE_UNKNOWN_FIELDS = "crd-preserve-unknown-fields", Error, CRD, "Set preserveUnknownFields to false, and x-kubernetes-preserve-unknown-fields to true in the schema where unknown fields must be preserved.";
        CRD_DEFAULTS_NEED_PRUNING = "crd-defaults-need-pruning", Error, CRD, "Set preserveUnknownFields: false.";
        CRD_CONVERSION_STRATEGY = "crd-conversion-strategy", Error, CRD, "Use None or Webhook.";
        CRD_CONVERSION_CLIENT = "crd-conversion-client", Error, CRD, "Name the conversion webhook's service: namespace, name and a path that begins with /.";
        CRD_CONVERSION_REVIEW_VERSIONS = "crd-conversion-review-versions", Error, CRD, "List v1.";
        CRD_API_APPROVED = "crd-api-approved", Error, CRD, "Use your own group, because the groups below k8s.io and kubernetes.io belong to Kubernetes.";
        CRD_SCHEMA_MISSING = "crd-schema-missing", Error, CRD, "Add schema: {openAPIV3Schema: {type: object, …}} to the version.";
        CRD_SCHEMA_STRUCTURAL = "crd-schema-structural", Error, CRD, "Specify the type of every field, and describe the fields outside allOf, anyOf, oneOf and not.";
        CRD_SCHEMA_KEYWORD = "crd-schema-keyword", Error, CRD, "Remove the keyword, because the API server rejects it.";
        CRD_SCHEMA_TYPE = "crd-schema-type", Error, CRD, "Use array, boolean, integer, number, object or string.";
        CRD_SCHEMA_DEFAULT = "crd-schema-default", Error, CRD, "Use a default of the field's type.";
        CRD_SCHEMA_REQUIRED = "crd-schema-required", Warning, CRD, "Correct the name, or add the property: the API server removes unknown fields, so no object can be created.";
    }
}
