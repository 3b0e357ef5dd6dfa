//! The ClusterServiceVersion of a registry+v1 bundle, and the bundle as a whole.

use super::{CSV, FORMAT, OBJECTS, OLM};

rules! { OPM
    Authoring {
        // The checks of opm.
        OPM_OWNED_CRD_ABSENT = "opm-owned-crd-absent", Error, CSV, "Add the CRD version to manifests/, or remove the entry; opm finds no CRD for an entry that specifies a group.";
        OPM_RELEASE_AND_SUBSTITUTES = "opm-release-and-substitutes", Error, CSV, "Set either spec.release or the annotation olm.substitutesFor, but not both.";
    }
}

rules! { ADMISSION
    Bundles {
        BUNDLE_UNREADABLE = "bundle-unreadable", Error, FORMAT, "Check the name, and check that opmx can read the folder or image.";
        INDEX_CRD_DECODE = "index-crd-decode", Error, OBJECTS, "Add the missing parts of the CustomResourceDefinition.";
    }

    RegistryBundles {
        // The requirements of the index.
        INDEX_NO_OBJECTS = "index-no-objects", Error, FORMAT, "Move the manifests directly into manifests/, because subfolders of a registry+v1 bundle are not read.";
        INDEX_NO_CSV = "index-no-csv", Error, FORMAT, "Add a ClusterServiceVersion, or let opmx infer one: `opmx bundle init DIR` writes metadata/olm.yaml.";
        CONTENT_CSV_SHAPE = "content-csv-shape", Error, CSV, "Use a value of the correct type; otherwise the ClusterServiceVersion is unreadable.";
        CSV_ICON = "csv-icon", Warning, CSV, "Set base64data to the output of `base64 -w0 icon.svg`.";
        INDEX_VERSION_SHAPE = "index-version-shape", Error, CSV, "Quote the version.";
        INDEX_VERSION_MISSING = "index-version-missing", Error, CSV, "Set spec.version.";
        INDEX_RELEASE_SHAPE = "index-release-shape", Error, CSV, "Quote the release.";
        INDEX_CSV_VERSION_SEMVER = "index-csv-version-semver", Error, CSV, "Use a semantic version such as 1.2.3.";
        INDEX_OLM_PROPERTIES = "index-olm-properties", Error, CSV, "Move the properties into metadata/properties.yaml.";
        INDEX_OWNED_CRD_NAME = "index-owned-crd-name", Error, CSV, "Name the CustomResourceDefinition <plural>.<group>.";
        CSV_OWNED_VERSION_UNSERVED = "csv-owned-version-unserved", Error, OLM, "Set served: true for the version in the CustomResourceDefinition, or remove the entry.";
        INDEX_OWNED_CRD_ABSENT = "index-owned-crd-absent", Error, CSV, "Add the CRD version to manifests/, or remove the entry.";
    }
}

rules! { FIELDS
    Authoring {
        // The ClusterServiceVersion checks of the Operator Framework.
        CSV_REPLACES_FORMAT = "csv-replaces-format", Error, CSV, "Set the name of the previous version: at most 63 lowercase letters, digits, dots and hyphens.";
        CSV_ANNOTATIONS_MISSING = "csv-annotations-missing", Warning, CSV, "Add annotations; alm-examples shows users which objects to create.";
        CSV_EXAMPLES_MISSING = "csv-examples-missing", Warning, CSV, "Add the annotation alm-examples with a JSON list of custom resources.";
        CSV_EXAMPLES_BOTH = "csv-examples-both", Warning, CSV, "Keep alm-examples and remove olm.examples.";
        CSV_OWNED_CRD_NAME_SHAPE = "csv-owned-crd-name-shape", Error, CSV, "Name the CustomResourceDefinition <plural>.<group>.";
        CSV_RESOURCE_FIELD = "csv-resource-field", Warning, CSV, "Add the field: a resource has a name (which may be empty), a kind and a version.";
        CSV_OWNED_GROUP_KEY = "csv-owned-group-key", Warning, CSV, "Remove group: the API group is the part of the name after the first dot.";
        CSV_PROVIDED_API_WITHOUT_EXAMPLE = "csv-provided-api-without-example", Warning, CSV, "Add an example of the kind to the annotation alm-examples.";
        CSV_INSTALLMODES_MISSING = "csv-installmodes-missing", Error, CSV, "List the install modes, each with supported: true or false.";
        CSV_CONVERSION_ALLNAMESPACES_ONLY = "csv-conversion-allnamespaces-only", Error, OLM, "Support only the install mode AllNamespaces, because a CustomResourceDefinition has a single conversion webhook for the whole cluster.";
        CSV_MINKUBEVERSION_MISSING = "csv-minkubeversion-missing", Warning, CSV, "Set spec.minKubeVersion to the oldest Kubernetes version that the operator supports, such as 1.25.0.";
        CSV_MINKUBEVERSION_FORMAT = "csv-minkubeversion-format", Error, CSV, "Use three numbers without a leading v, such as 1.25.0.";
        CSV_REQUIRED_FIELD = "csv-required-field", Error, CSV, "Add the field; otherwise the cluster rejects the ClusterServiceVersion.";
        CSV_OLM_PROPERTIES_ANNOTATION = "csv-olm-properties-annotation", Warning, CSV, "Move the properties into metadata/properties.yaml.";
    }
}

rules! { WHOLE
    Authoring {
        // The bundle as a whole.
        CSV_DEPLOYMENT_UNKNOWN = "csv-deployment-unknown", Error, OLM, "Use the name of a Deployment in spec.install.spec.deployments.";
        CSV_WEBHOOK_TYPE = "csv-webhook-type", Error, CSV, "Use ValidatingAdmissionWebhook, MutatingAdmissionWebhook or ConversionWebhook.";
        CSV_REPLACES_VERSION = "csv-replaces-version", Warning, CSV, "Use the name of the bundle, such as NAME.v1.0.0.";
        CSV_REPLACES_HIGHER = "csv-replaces-higher", Warning, CSV, "Name the previous version of the operator, or correct the version.";
        BUNDLE_CRD_DUPLICATE = "bundle-crd-duplicate", Error, FORMAT, "Remove one of the two definitions.";
        BUNDLE_OWNED_CRD_ABSENT = "bundle-owned-crd-absent", Error, FORMAT, "Add the CustomResourceDefinition version to manifests/, or remove the entry.";
        BUNDLE_SERVICEACCOUNT_CLASH = "bundle-serviceaccount-clash", Error, OLM, "Remove the ServiceAccount, because OLM creates it from the ClusterServiceVersion.";
        BUNDLE_RELATEDIMAGE_EMPTY = "bundle-relatedimage-empty", Error, CSV, "Set the image, or remove the entry.";
    }

    PlainBundles {
        BUNDLE_CRD_NOT_OWNED = "bundle-crd-not-owned", Error, FORMAT, "List the CustomResourceDefinition in spec.customresourcedefinitions.owned, or remove the file.";
    }
}
