//! Platforms of the images, as their registries report them.

use super::PRACTICE;

rules! { PLATFORMS
    Authoring {
        MULTIARCH_INSPECT_FAILED = "multiarch-inspect-failed", Warning, PRACTICE, "Correct the image name, log in to its registry, or check that the registry can be reached.";
        MULTIARCH_UNSUPPORTED = "multiarch-unsupported", Error, PRACTICE, "Build the image for the platform, or remove the label for it.";
        MULTIARCH_LABEL_MISSING_ARCH = "multiarch-label-missing-arch", Warning, PRACTICE, "Add the label operatorframework.io/arch.ARCHITECTURE: supported for each architecture, so that catalogs offer the operator there.";
        MULTIARCH_LABEL_MISSING_OS = "multiarch-label-missing-os", Warning, PRACTICE, "Add the label operatorframework.io/os.OS: supported for each operating system, so that catalogs offer the operator there.";
        MULTIARCH_IMAGE_NARROWER = "multiarch-image-narrower", Warning, PRACTICE, "Build the image for the same platforms as the operator's image.";
        MULTIARCH_AFFINITY_MISSING = "multiarch-affinity-missing", Warning, PRACTICE, "Add a node affinity that allows only values of kubernetes.io/arch and kubernetes.io/os that the image supports.";
        MULTIARCH_AFFINITY_EXTRA = "multiarch-affinity-extra", Warning, PRACTICE, "Remove the value from the node affinity, or build the image for it.";
        MULTIARCH_AFFINITY_NARROW = "multiarch-affinity-narrow", Warning, PRACTICE, "Add the value to the node affinity if the operator can run on such nodes.";
    }
}
