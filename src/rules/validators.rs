//! The checks of the suites: catalogs, removed APIs, good practices, objects, package manifests.

use super::{CATALOG, OBJECTS, OLM, PACKAGE, PRACTICE, REMOVED};

rules! { CATALOGS
    Authoring {
        // Fields that catalogs show.
        HUB_V1_DEPRECATED = "hub-v1-deprecated", Warning, CATALOG, "Run operatorhubv2, capabilities and categories instead.";
        HUB_PROVIDER_NAME = "hub-provider-name", Error, CATALOG, "Add provider: {name: …}.";
        HUB_MAINTAINER_INCOMPLETE = "hub-maintainer-incomplete", Error, CATALOG, "Set both name and email.";
        HUB_MAINTAINER_EMAIL = "hub-maintainer-email", Error, CATALOG, "Use an address such as team@example.com.";
        HUB_LINK_INCOMPLETE = "hub-link-incomplete", Error, CATALOG, "Set both name and url.";
        HUB_LINK_URL = "hub-link-url", Error, CATALOG, "Use an address such as https://example.com/docs.";
        HUB_VERSION_MISSING = "hub-version-missing", Error, CATALOG, "Set spec.version.";
        HUB_ICON_MISSING = "hub-icon-missing", Warning, CATALOG, "Add an icon for catalogs to show.";
        HUB_ICON_COUNT = "hub-icon-count", Error, CATALOG, "Keep only one icon.";
        HUB_ICON_INCOMPLETE = "hub-icon-incomplete", Error, CATALOG, "Set both base64data and mediatype.";
        HUB_ICON_MEDIATYPE = "hub-icon-mediatype", Error, CATALOG, "Use image/png, image/jpeg, image/gif or image/svg+xml.";
        HUB_MINKUBEVERSION_MISSING = "hub-minkubeversion-missing", Warning, CATALOG, "Set spec.minKubeVersion to the oldest Kubernetes version that the operator supports, such as 1.25.0.";
        HUB_MINKUBEVERSION_FORMAT = "hub-minkubeversion-format", Error, CATALOG, "Use three numbers without a leading v, such as 1.25.0.";
        CAP_UNKNOWN = "cap-unknown", Error, CATALOG, "Use Basic Install, Seamless Upgrades, Full Lifecycle, Deep Insights or Auto Pilot.";
        CAT_UNKNOWN = "cat-unknown", Error, CATALOG, "Use the standard categories, such as Database or Monitoring, separated by commas.";
        CAT_CUSTOM_UNKNOWN = "cat-custom-unknown", Error, CATALOG, "Use the categories listed in the specified file.";

        // APIs that newer clusters no longer serve.
        REMOVED_API_1_22 = "removed-api-1.22", Warning, REMOVED, "Migrate the objects to API versions that Kubernetes 1.22 serves.";
        REMOVED_API_1_25 = "removed-api-1.25", Warning, REMOVED, "Migrate the objects to API versions that Kubernetes 1.25 serves.";
        REMOVED_API_1_26 = "removed-api-1.26", Warning, REMOVED, "Migrate the objects to API versions that Kubernetes 1.26 serves.";
        REMOVED_API_MINKUBE_UNPARSABLE = "removed-api-minkube-unparsable", Error, REMOVED, "Use three numbers without a leading v, such as 1.25.0.";

        // Good practices.
        GP_NO_DEPLOYMENT = "gp-no-deployment", Error, PRACTICE, "Add the operator's Deployment to spec.install.spec.deployments.";
        GP_RESOURCE_REQUESTS = "gp-resource-requests", Warning, PRACTICE, "Set resources.requests for cpu and memory; otherwise clusters with quotas reject the pods.";
        GP_CRD_DESCRIPTION_EMPTY = "gp-crd-description-empty", Warning, PRACTICE, "Describe the purpose of the kind in a sentence.";
        GP_CHANNEL_NAME = "gp-channel-name", Warning, PRACTICE, "Use channel names that begin with candidate, fast or stable.";
        GP_RBAC_CREATE_CRD = "gp-rbac-create-crd", Warning, PRACTICE, "Let OLM install the CustomResourceDefinitions of the bundle.";
        GP_NAME_SEMVER = "gp-name-semver", Warning, PRACTICE, "Name the ClusterServiceVersion <operator>.v<version>, such as memcached-operator.v0.0.1.";
        GP_NAME_SHAPE = "gp-name-shape", Warning, PRACTICE, "Name the ClusterServiceVersion <operator>.v<version>, such as memcached-operator.v0.0.1.";
    }
}

rules! { OBJECTS_BESIDE
    Authoring {
        // Objects alongside the ClusterServiceVersion.
        OBJ_PDB_MAXUNAVAILABLE_ZERO = "obj-pdb-maxunavailable-zero", Error, OLM, "Allow at least one pod to be evicted; otherwise nodes cannot be drained.";
        OBJ_PDB_MINAVAILABLE_FULL = "obj-pdb-minavailable-full", Error, OLM, "Allow at least one pod to be evicted; otherwise nodes cannot be drained.";
        OBJ_PRIORITYCLASS_GLOBAL_DEFAULT = "obj-priorityclass-global-default", Error, OLM, "Remove globalDefault, because it would apply to every pod of the cluster.";
        OBJ_RBAC_PDB_WRITE = "obj-rbac-pdb-write", Warning, OLM, "Remove the permission if the operator can work without it; disruption budgets can prevent nodes from being drained.";
        OBJ_RBAC_DEFAULT_SCC_WRITE = "obj-rbac-default-scc-write", Error, OLM, "Create a separate SecurityContextConstraints object instead.";
        OBJ_UNPARSABLE = "obj-unparsable", Error, OBJECTS, "Use a value that the object's kind allows for the field.";
        OG_ANNOTATION_CASE = "og-annotation-case", Error, OLM, "Use exactly this capitalization for the key.";
    }
}

rules! { OLDER
    Authoring {
        // The package manifest of the older layout.
        PKG_NAME_EMPTY = "pkg-name-empty", Error, PACKAGE, "Set packageName.";
        PKG_CHANNELS_EMPTY = "pkg-channels-empty", Error, PACKAGE, "List at least one channel.";
        PKG_DEFAULT_MISSING = "pkg-default-missing", Error, PACKAGE, "Set defaultChannel.";
        PKG_DEFAULT_UNKNOWN = "pkg-default-unknown", Error, PACKAGE, "Use one of the channels.";
        PKG_CHANNEL_NAME_EMPTY = "pkg-channel-name-empty", Error, PACKAGE, "Set the channel name.";
        PKG_CHANNEL_CSV_EMPTY = "pkg-channel-csv-empty", Error, PACKAGE, "Set currentCSV.";
        PKG_CHANNEL_DUPLICATE = "pkg-channel-duplicate", Error, PACKAGE, "List each channel once.";

        // The OpenShift versions whose catalogs contain a bundle.
        COMMUNITY_OPENSHIFT_VERSIONS = "community-openshift-versions", Warning, CATALOG, "Use a first version such as \"v4.12\", a range such as \"v4.12-v4.19\", or a single version such as \"=v4.12\", without spaces.";

        // Requirements of the OpenShift community catalogs for bundles that use removed APIs.
        COMMUNITY_MAXOPENSHIFT_MISSING = "community-maxopenshift-missing", Error, CATALOG, "Migrate the objects, or add the property olm.maxOpenShiftVersion with a version below 4.9 to the annotation olm.properties.";
        COMMUNITY_MAXOPENSHIFT_JSON = "community-maxopenshift-json", Error, CATALOG, "Use a JSON list of properties whose values are strings.";
        COMMUNITY_MAXOPENSHIFT_ABSENT = "community-maxopenshift-absent", Error, CATALOG, "Add the property olm.maxOpenShiftVersion with a version below 4.9 to the annotation olm.properties.";
        COMMUNITY_MAXOPENSHIFT_VERSION = "community-maxopenshift-version", Error, CATALOG, "Use a version such as 4.8.";
        COMMUNITY_MAXOPENSHIFT_PATCH = "community-maxopenshift-patch", Warning, CATALOG, "Use only the major and minor version, such as 4.8.";
        COMMUNITY_MAXOPENSHIFT_TOO_HIGH = "community-maxopenshift-too-high", Error, CATALOG, "Use a version below 4.9, because 4.9 is the first version that does not serve the removed APIs.";
        COMMUNITY_INDEX_PATH_MISSING = "community-index-path-missing", Warning, CATALOG, "Specify the Dockerfile of the index, so that its OpenShift versions can be checked.";
        COMMUNITY_INDEX_LABEL_MISSING = "community-index-label-missing", Error, CATALOG, "Add LABEL com.redhat.openshift.versions=\"v4.6-v4.8\".";
        COMMUNITY_INDEX_LABEL_SYNTAX = "community-index-label-syntax", Error, CATALOG, "Use LABEL com.redhat.openshift.versions=\"v4.6-v4.8\".";
        COMMUNITY_INDEX_RANGE = "community-index-range", Error, CATALOG, "End the range below 4.9, as in v4.6-v4.8.";
    }
}
