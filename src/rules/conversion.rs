//! Conversion between the bundle media types.

use super::{CSV, FORMAT, OLM, PLAIN};

rules! { CONVERSION
    Authoring {
        CONVERT_CSV_MISSING = "convert-csv-missing", Error, FORMAT, "Add the ClusterServiceVersion to manifests/.";
        CONVERT_DEPLOYMENT_UNKNOWN = "convert-deployment-unknown", Error, CSV, "Name a Deployment of the install strategy.";
        CONVERT_POD_LABELS = "convert-pod-labels", Error, PLAIN, "Add a label that only the pods of this Deployment have, so that a Service can select them.";
        CONVERT_FIELD_LOST = "convert-field-lost", Warning, PLAIN, "No action needed, unless something reads the field.";
        CONVERT_FIELD_SET_BY_CLUSTER = "convert-field-set-by-cluster", Info, PLAIN, "No action needed: the cluster and OLM set the field.";
        CONVERT_FIELD_CHANGED = "convert-field-changed", Warning, PLAIN, "Check the new value.";
        CONVERT_FIELD_ADDED = "convert-field-added", Warning, PLAIN, "Check the added value.";
        CONVERT_ORDER = "convert-order", Info, PLAIN, "No action needed: the order has no effect.";
        CONVERT_REPEATED_RULE = "convert-repeated-rule", Info, PLAIN, "No action needed: the first rule already grants these permissions.";
        CONVERT_FILE_LEFT_OUT = "convert-file-left-out", Warning, FORMAT, "Copy the file manually if it is needed.";
        CONVERT_OBJECT_NOT_SHIPPED = "convert-object-not-shipped", Info, OLM, "No action needed: OLM creates the object from the ClusterServiceVersion.";
        CONVERT_CRD_CHANGED = "convert-crd-changed", Info, OLM, "No action needed: OLM always sets this part of the CustomResourceDefinition.";
        CONVERT_HINTS_LOST = "convert-hints-lost", Info, PLAIN, "Keep the k8s+v1 bundle as the source.";
        CONVERT_COMMENTS_LOST = "convert-comments-lost", Info, PLAIN, "Keep the k8s+v1 bundle as the source.";
    }
}
