//! What the policy asks of operator bundles by which Konflux releases them. The ids are those that the policy has.

use super::CONFORMA;

rules! { RELEASE_POLICY
    Authoring {
        OLM_UNPINNED_REFERENCES = "olm.unpinned_references", Error, CONFORMA, "Name the image by its digest, as a pinned build of the bundle does.";
        OLM_UNPINNED_RELATED_IMAGES = "olm.unpinned_related_images", Error, CONFORMA, "Name the image by its digest, as a pinned build of the bundle does.";
        OLM_UNMAPPED_REFERENCES = "olm.unmapped_references", Error, CONFORMA, "Add the image to spec.relatedImages.";
        OLM_CSV_SEMVER_FORMAT = "olm.csv_semver_format", Error, CONFORMA, "Write three numbers, such as 1.2.3.";
        OLM_FEATURE_ANNOTATIONS_FORMAT = "olm.feature_annotations_format", Error, CONFORMA, "Write \"true\" or \"false\", in quotes.";
        OLM_SUBSCRIPTIONS_ANNOTATION_FORMAT = "olm.subscriptions_annotation_format", Error, CONFORMA, "Write a JSON list of texts, such as '[\"Example Platform\"]'.";
        OLM_ALLOWED_REGISTRIES = "olm.allowed_registries", Error, CONFORMA, "Take the image from one of the registries that are allowed.";
        OLM_ALLOWED_REGISTRIES_RELATED = "olm.allowed_registries_related", Error, CONFORMA, "Take the image from one of the registries that are allowed.";
        OLM_BUNDLE_MULTI_ARCH = "olm.olm_bundle_multi_arch", Error, CONFORMA, "Push the image of the bundle by itself: what it holds is the same for all platforms.";
        OLM_ALLOWED_RESOURCE_KINDS = "olm.allowed_resource_kinds", Error, CONFORMA, "Let the operator create it, or leave it out of the bundle.";
        OLM_REQUIRED_NETWORK_POLICY_RBAC = "olm.required_network_policy_rbac_for_operands", Error, CONFORMA, "Let the operator create NetworkPolicies for its operands: {apiGroups: [networking.k8s.io], resources: [networkpolicies], verbs: [create]}.";
        OLM_INACCESSIBLE_RELATED_IMAGES = "olm.inaccessible_related_images", Error, CONFORMA, "Correct the image's name, push it, or log in to its registry.";
    }
}
