//! The ClusterServiceVersion of a registry+v1 bundle, and the bundle as a whole.

use super::{CSV, FORMAT, OBJECTS, OLM};

rules! { OPM
    Authoring {
        // As opm judges it.
        OPM_OWNED_CRD_ABSENT = "opm-owned-crd-absent", Error, CSV, "Add the CRD version to manifests/, or remove the entry; opm finds no CRD for an entry that names its group.";
        OPM_RELEASE_AND_SUBSTITUTES = "opm-release-and-substitutes", Error, CSV, "Use one of the two.";
    }
}

rules! { ADMISSION
    Bundles {
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
}

rules! { FIELDS
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
    }
}

rules! { WHOLE
    Authoring {
        // The bundle as a whole.
        BUNDLE_CRD_DUPLICATE = "bundle-crd-duplicate", Error, FORMAT, "Remove one of the two.";
        BUNDLE_OWNED_CRD_ABSENT = "bundle-owned-crd-absent", Error, FORMAT, "Add the CustomResourceDefinition version to manifests/, or remove the entry.";
        BUNDLE_CRD_NOT_OWNED = "bundle-crd-not-owned", Error, FORMAT, "List it in spec.customresourcedefinitions.owned, or remove the file.";
        BUNDLE_SERVICEACCOUNT_CLASH = "bundle-serviceaccount-clash", Error, OLM, "Remove the ServiceAccount: OLM creates it from the ClusterServiceVersion.";
        BUNDLE_RELATEDIMAGE_EMPTY = "bundle-relatedimage-empty", Error, CSV, "Write the image, or remove the entry.";
    }
}
