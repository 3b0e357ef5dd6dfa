//! The operator bundle rules of Konflux's release policy, with the ids of that policy.

use super::CONFORMA;

rules! { RELEASE_POLICY
    Authoring {
        OLM_UNPINNED_REFERENCES = "olm.unpinned_references", Error, CONFORMA, "Refer to the image by digest.";
        OLM_UNPINNED_RELATED_IMAGES = "olm.unpinned_related_images", Error, CONFORMA, "Refer to the image by digest.";
        OLM_UNMAPPED_REFERENCES = "olm.unmapped_references", Error, CONFORMA, "Correct the image name, push the image, or log in to its registry. The policy also accepts images that are released together with the bundle.";
        OLM_CSV_SEMVER_FORMAT = "olm.csv_semver_format", Error, CONFORMA, "Use three numbers, such as 1.2.3.";
        OLM_FEATURE_ANNOTATIONS_FORMAT = "olm.feature_annotations_format", Error, CONFORMA, "Use \"true\" or \"false\", in quotes.";
        OLM_SUBSCRIPTIONS_ANNOTATION_FORMAT = "olm.subscriptions_annotation_format", Error, CONFORMA, "Use a JSON list of strings, such as '[\"Example Platform\"]'.";
        OLM_ALLOWED_REGISTRIES = "olm.allowed_registries", Error, CONFORMA, "Use an image from an allowed registry.";
        OLM_ALLOWED_REGISTRIES_RELATED = "olm.allowed_registries_related", Error, CONFORMA, "Use an image from an allowed registry.";
        OLM_BUNDLE_MULTI_ARCH = "olm.olm_bundle_multi_arch", Error, CONFORMA, "Push the bundle image as a single image, not as an image index: its content is the same for all platforms.";
        OLM_ALLOWED_RESOURCE_KINDS = "olm.allowed_resource_kinds", Error, CONFORMA, "Let the operator create the object, or remove it from the bundle.";
        OLM_REQUIRED_NETWORK_POLICY_RBAC = "olm.required_network_policy_rbac_for_operands", Error, CONFORMA, "Let the operator manage NetworkPolicies for its operands: {apiGroups: [networking.k8s.io], resources: [networkpolicies], verbs: [create, delete, update, patch]}.";
        OLM_INACCESSIBLE_RELATED_IMAGES = "olm.inaccessible_related_images", Error, CONFORMA, "Correct the image name, push the image, or log in to its registry.";
    }
}
