//! From one media type to the other.

use super::{CSV, FORMAT, OLM, PLAIN};

rules! { CONVERSION
    Authoring {
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
