//! `metadata/annotations.yaml` and `metadata/olm.yaml`.

use super::{CSV, FORMAT, OLM, PLAIN};

rules! { OLM_YAML
    Bundles {
        // The media type.
        K8S_MEDIA_TYPE_AMBIGUOUS = "k8s-media-type-ambiguous", Error, PLAIN, "Remove metadata/olm.yaml to build a registry+v1 bundle, or the ClusterServiceVersion to build a k8s+v1 bundle.";
        K8S_MEDIA_TYPE_MISMATCH = "k8s-media-type-mismatch", Error, PLAIN, "Correct operators.operatorframework.io.bundle.mediatype.v1 in the annotations.";
        K8S_OLM_YAML_MISSING = "k8s-olm-yaml-missing", Error, PLAIN, "Create metadata/olm.yaml with `opmx bundle init DIR`, which fills in the values from the manifests.";

        // The content of any bundle.
        CSV_SKIP_RANGE = "csv-skip-range", Error, OLM, "Use a range such as \">=1.0.0 <1.2.0\", with three numbers in each version.";
        BUNDLE_RELATEDIMAGE_FORMAT = "bundle-relatedimage-format", Error, CSV, "Use an image reference as in a container, such as registry.example.com/agent:1.0.0.";
        BUNDLE_SIZE_EXCEEDED = "bundle-size-exceeded", Error, OLM, "Remove descriptions from the schemas of CustomResourceDefinitions, or split the operator.";
        BUNDLE_SIZE_NEAR_LIMIT = "bundle-size-near-limit", Warning, OLM, "Remove descriptions from the schemas of CustomResourceDefinitions before the bundle becomes too large.";
        BUNDLE_INLINE_SIZE = "bundle-inline-size", Warning, OLM, "Ship the bundle as a registry+v1 image, and add it from the registry, so that OLM fetches the manifests itself.";
    }

    PlainBundles {
        // metadata/olm.yaml, and the content that is synthesized from it.
        OLM_REQUIRED = "olm-required", Error, PLAIN, "Add the key.";
        OLM_TYPE = "olm-type", Error, PLAIN, "Use a value of the correct type.";
        OLM_UNKNOWN_KEY = "olm-unknown-key", Warning, PLAIN, "Remove the key, or correct its spelling.";
        OLM_MISINDENTED = "olm-misindented", Error, PLAIN, "Indent the key below its parent block.";
        OLM_EXTRA_DOCUMENT = "olm-extra-document", Error, PLAIN, "Keep only one document in metadata/olm.yaml.";
        OLM_VERSION = "olm-version", Error, PLAIN, "Use a semantic version such as 1.2.3.";
        OLM_RELEASE = "olm-release", Error, CSV, "Use identifiers of letters, digits and hyphens, separated by dots and with at most 20 characters in total, such as 1 or 20250101.1.";
        OLM_ICON = "olm-icon", Error, PLAIN, "Use the path of a PNG, JPEG, GIF, WebP or SVG file in the bundle, such as metadata/icon.svg, or the output of `base64 -w0 icon.svg`.";
        OLM_ICON_FILE = "olm-icon-file", Error, PLAIN, "Correct the path, which is relative to the bundle folder, or add the file.";
        OLM_OVERLAY_UNMATCHED = "olm-overlay-unmatched", Error, PLAIN, "Correct the entry's name, version or kind, or remove the entry.";
        OLM_API_CONFLICT = "olm-api-conflict", Error, PLAIN, "Keep one of the entries, or make them agree; only their versions may differ.";
        OLM_ANNOTATION_KEY = "olm-annotation-key", Warning, PLAIN, "Correct the key, or remove the annotation.";
        OLM_ANNOTATION_VALUE = "olm-annotation-value", Error, PLAIN, "Use a value of the correct type, as YAML or JSON.";
        OLM_DISPLAYNAME_DEFAULTED = "olm-displayname-defaulted", Warning, CSV, "Add displayName to metadata/olm.yaml.";
        CSV_NAME_FORMAT = "csv-name-format", Error, CSV, "Use at most 63 lowercase letters, digits, dots and hyphens, with a letter or digit at both ends.";
        CSV_REPLACES_ITSELF = "csv-replaces-itself", Error, CSV, "Set replaces to the previous version, or remove it.";
        CSV_EXAMPLES_JSON = "csv-examples-json", Error, CSV, "Use a JSON list of custom resources.";
        CSV_EXAMPLE_WITHOUT_PROVIDED_API = "csv-example-without-provided-api", Error, CSV, "Correct apiVersion and kind of the example, or remove it.";
        CSV_ANNOTATION_CASE = "csv-annotation-case", Error, OLM, "Use exactly this capitalization for the key.";
        CSV_API_BOTH_WAYS = "csv-api-both-ways", Error, OLM, "Remove the requirement, because no other bundle may provide a kind that this bundle provides.";
        BUNDLE_RELEASE_NAME = "bundle-release-name", Error, CSV, "Name the bundle <package>-v<version>-<release>.";
        INSTALLMODES_UNKNOWN = "csv-installmodes-unknown", Warning, CSV, "Use OwnNamespace, SingleNamespace, MultiNamespace or AllNamespaces.";
        INSTALLMODES_DUPLICATE = "csv-installmodes-duplicate", Error, CSV, "List each install mode once.";
        INSTALLMODES_NONE_SUPPORTED = "csv-installmodes-none-supported", Error, CSV, "Set supported: true for at least one install mode.";
    }
}

rules! { ANNOTATIONS
    Bundles {
        // The update graph, in metadata/olm.yaml or the ClusterServiceVersion.
        CSV_SKIPS_ITSELF = "csv-skips-itself", Error, CSV, "Remove the name from skips.";

        // metadata/annotations.yaml.
        ANN_FILE_MISSING = "ann-file-missing", Error, FORMAT, "Create metadata/annotations.yaml with `opmx bundle generate DIR -p PACKAGE -c CHANNELS`.";
        ANN_KEY_MISSING = "ann-key-missing", Error, FORMAT, "Add the annotation to metadata/annotations.yaml.";
        ANN_VALUE_TYPE = "ann-value-type", Error, FORMAT, "Write the value as a string; separate channels with commas.";
        ANN_MEDIATYPE_MISMATCH = "ann-mediatype-mismatch", Error, FORMAT, "Set the media type of the content: registry+v1 with a ClusterServiceVersion, k8s+v1 with metadata/olm.yaml.";
        ANN_PACKAGE_EMPTY = "ann-package-empty", Error, FORMAT, "Set the package name.";
        ANN_PACKAGE_NAME = "ann-package-name", Error, FORMAT, "Use at most 63 lowercase letters, digits and hyphens, with a letter or digit at both ends.";
        ANN_CHANNELS_EMPTY = "ann-channels-empty", Error, FORMAT, "List at least one channel.";
        ANN_CHANNEL_BLANK = "ann-channel-blank", Warning, FORMAT, "Separate the channels with commas, without spaces.";
        ANN_CHANNEL_NAME = "ann-channel-name", Warning, FORMAT, "Use letters, digits, hyphens, dots and underscores, with a letter or digit at both ends.";
        ANN_NAME_QUOTING = "ann-name-quoting", Error, FORMAT, "Put the value in quotes.";
        ANN_DEFAULT_CHANNEL_EMPTY = "ann-default-channel-empty", Error, FORMAT, "Set the default channel, or remove the annotation.";
    }
}

rules! { PATHS
    Authoring {
        ANN_MANIFESTS_PATH = "ann-manifests-path", Error, FORMAT, "Use manifests/.";
        RELATED_IMAGE_MISSING = "related-image-missing", Warning, CSV, "Add the image to the related images, which are mirrored with the bundle.";
    }

    PlainBundles {
        RELATED_IMAGE_OUTDATED = "related-image-outdated", Error, PLAIN, "Set the image that the operator currently uses, or remove the entry.";
    }

    Authoring {
        ANN_METADATA_PATH = "ann-metadata-path", Error, FORMAT, "Use metadata/.";
    }

    Bundles {
        ANN_DEFAULT_CHANNEL_UNKNOWN = "ann-default-channel-unknown", Warning, FORMAT, "Use one of the channels, or add the default channel to the list.";
    }
}
