//! The findings of `index check`.

use super::{INDEX, INTENTS, OLM, PLAIN};

rules! { DATABASES
    Indexes {
        // Findings of `index check` in a database.
        INDEX_DATABASE_DAMAGED = "index-database-damaged", Error, INDEX, "Restore the file from a backup, or rebuild the index.";
        INDEX_TABLE_SHAPE = "index-table-shape", Error, INDEX, "Restore the file from a backup, or rebuild the index.";
        INDEX_TEXT_ENCODING = "index-text-encoding", Error, INDEX, "Correct the value, or restore the file from a backup.";
        INDEX_PACKAGE_MISSING = "index-package-missing", Error, INDEX, "Add a new bundle of the package, or rebuild the index.";
        INDEX_DEFAULT_CHANNEL = "index-default-channel", Error, INDEX, "Add a new bundle that names a default channel.";
        INDEX_CHANNEL_MISSING = "index-channel-missing", Error, INDEX, "Add a new bundle of the channel, or rebuild the index.";
        INDEX_CHANNEL_HEAD = "index-channel-head", Error, INDEX, "Add a new bundle of the channel, or rebuild the index.";
        INDEX_BUNDLE_MISSING = "index-bundle-missing", Error, INDEX, "Add the bundle, or a bundle that skips it.";
        INDEX_ENTRY_TARGET = "index-entry-target", Error, INDEX, "Add a new bundle of the channel; this rewrites the channel's entries.";
        INDEX_ENTRY_DEPTH = "index-entry-depth", Error, INDEX, "Add a new bundle of the channel; this rewrites the channel's entries.";
        INDEX_CYCLE = "index-cycle", Error, INDEX, "Add a bundle that skips the bundles of the cycle.";
        INDEX_SKIPS_ITSELF = "index-skips-itself", Warning, INDEX, "Add a newer bundle that does not skip itself, or remove the bundle.";
        INDEX_BUNDLE_UNREACHABLE = "index-bundle-unreachable", Warning, INDEX, "Make a bundle of the channel replace or skip this bundle.";
        INDEX_DEPENDENCY = "index-dependency", Warning, INDEX, "Add a bundle that satisfies the dependency, or specify an additional catalog that contains one.";
        INDEX_ORPHAN_ROW = "index-orphan-row", Warning, INDEX, "Remove the row.";
        INDEX_ROW_OWNER = "index-row-owner", Warning, INDEX, "Correct the row.";
        INDEX_API_MISSING = "index-api-missing", Error, INDEX, "Remove the package and add all of its bundles again.";
        INDEX_API_UNUSED = "index-api-unused", Warning, INDEX, "Remove the API from the index.";
        INDEX_MANIFESTS_JSON = "index-manifests-json", Error, INDEX, "Overwrite the bundle if it is the head of its channels; otherwise, remove the package and add all of its bundles again.";
        INDEX_BUNDLE_CONTENT = "index-bundle-content", Error, INDEX, "Overwrite the bundle if it is the head of its channels; otherwise, remove the package and add all of its bundles again.";
        INDEX_BUNDLE_VERSION = "index-bundle-version", Error, INDEX, "Remove the package and add its bundles again, with semantic versions such as 1.2.3.";
        INDEX_PACKAGE_PROPERTY = "index-package-property", Warning, INDEX, "Correct the property, or remove it if the bundle has another one of this type.";
        INDEX_DEPRECATED_ROW = "index-deprecated-row", Warning, INDEX, "Add the row, or remove the property.";
        INDEX_BUNDLE_UNLISTED = "index-bundle-unlisted", Error, INDEX, "Set the version and the bundlepath of the bundle; bundlepath is its image, or an empty string if the index contains its manifests.";
        INDEX_PROPERTY_JSON = "index-property-json", Error, INDEX, "Overwrite the bundle if it is the head of its channels; otherwise, remove the package and add all of its bundles again.";
        INDEX_NAME_BYTES = "index-name-bytes", Error, INDEX, "Store the names as text.";
        INDEX_MESSAGE_SIZE = "index-message-size", Warning, INDEX, "Publish the bundle as a registry+v1 image, and add it from the registry.";
        INDEX_BUNDLE_SIZE = "index-bundle-size", Warning, INDEX, "Publish the bundle as a registry+v1 image, and add it from the registry.";

        // Findings of `index check --images` in registries.
        INDEX_IMAGE_MISSING = "index-image-missing", Error, INDEX, "Push the image again under this name, or remove the bundle from the index; clusters cannot install it.";
        INDEX_IMAGE_UNKNOWN = "index-image-unknown", Error, INDEX, "Check again when the registry is available; the image may still exist.";
        INDEX_IMAGE_REFERENCE = "index-image-reference", Error, INDEX, "Push the image to a registry, and add the bundle from the registry.";

        // Findings of `index check --for`: content that clusters with an older OLM cannot use.
        CLUSTER_BUNDLE_IMAGE = "cluster-bundle-image", Error, OLM, "Update OLM on the clusters, or add the bundle from its folder, so that the index contains its manifests.";
        CLUSTER_MEDIA_TYPE = "cluster-media-type", Error, PLAIN, "Convert the bundle to registry+v1, store its ClusterServiceVersion in the index, or move it to a separate index.";
        CLUSTER_BUNDLE_SIZE = "cluster-bundle-size", Error, OLM, "Remove descriptions from the schemas of CustomResourceDefinitions, or move the bundle to an index for newer clusters.";
        CLUSTER_MESSAGE_SIZE = "cluster-message-size", Error, OLM, "Publish the bundle as a registry+v1 image, and add it from the registry.";
        CLUSTER_MANIFEST_KIND = "cluster-manifest-kind", Error, OLM, "Update OLM on the clusters, remove the object from the bundle, or move the bundle to an index for newer clusters.";
        CLUSTER_CONSTRAINT = "cluster-constraint", Error, OLM, "Use a condition that OLM on these clusters knows, or move the bundle to an index for newer clusters.";
        CLUSTER_DEPENDENCY = "cluster-dependency", Warning, OLM, "Depend on the API with olm.gvk if that is sufficient, or move the bundle to an index for newer clusters.";
        CLUSTER_INTENT = "cluster-intent", Warning, INTENTS, "Provide the package in a catalog of these clusters, or remove the dependency.";
        CLUSTER_PROPERTY = "cluster-property", Warning, OLM, "No action needed if the difference is acceptable on these clusters; otherwise move the bundle to an index for newer clusters.";
        CLUSTER_OLM_V1_UNSEEN = "cluster-olm-v1-unseen", Warning, OLM, "Check the images of these bundles with the suite olm-v1.";
        CLUSTER_WEBHOOK = "cluster-webhook", Warning, OLM, "Make the operator work without the webhook, or move the bundle to an index for newer clusters.";
    }
    Requested {
        CLUSTER_OLM_V1 = "cluster-olm-v1", Error, OLM, "Change what OLM v1 does not support, or use the operator only on clusters with OLM v0.";
    }
}
