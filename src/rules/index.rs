//! Databases, as `index check` looks at them.

use super::{INDEX, INTENTS, OLM, PLAIN};

rules! { DATABASES
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
        INDEX_MESSAGE_SIZE = "index-message-size", Warning, INDEX, "Publish the bundle as a registry+v1 image in a registry, and add it from there.";
        INDEX_BUNDLE_SIZE = "index-bundle-size", Warning, INDEX, "Publish the bundle as a registry+v1 image in a registry, and add it from there.";

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
}
