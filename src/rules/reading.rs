//! Text, objects, and the folders of a bundle.

use super::{FORMAT, JSON, LIMITS, OBJECTS, OLM, YAML};

rules! { TEXT
    Bundles {
        // Reading text, of bundles and of catalogs.
        TEXT_ENCODING = "text-encoding", Error, YAML, "Save the file as UTF-8.";
        TEXT_TOO_LARGE = "text-too-large", Error, LIMITS, "Split the file, or raise the limit.";
        YAML_SYNTAX = "yaml-syntax", Error, YAML, "Correct the YAML at the place shown.";
        YAML_DUPLICATE_KEY = "yaml-duplicate-key", Error, YAML, "Keep one of the two keys: readers silently take the last one.";
        YAML_TOO_DEEP = "yaml-too-deep", Error, LIMITS, "Flatten the document, or raise the limit.";
        YAML_EXCESSIVE_ALIASING = "yaml-excessive-aliasing", Error, YAML, "Write the values out instead of repeating aliases of aliases.";
        YAML_TOO_MANY_DOCUMENTS = "yaml-too-many-documents", Error, LIMITS, "Split the file, or raise the limit.";
        YAML_TOO_MANY_VALUES = "yaml-too-many-values", Error, LIMITS, "Write less into the files, or raise the limit.";
        YAML_UNREPRESENTABLE = "yaml-unrepresentable", Error, YAML, "Write a value that JSON can hold: .inf, .nan and null keys cannot be stored.";
        YAML_EMPTY_DOCUMENT = "yaml-empty-document", Info, YAML, "Remove the empty document.";
        YAML_HIDDEN_TEXT = "yaml-hidden-text", Warning, YAML, "Begin the next document with a line `---`, or remove the text.";
        JSON_SYNTAX = "json-syntax", Error, JSON, "Correct the JSON at the place shown.";

        // Objects.
        OBJECT_NOT_A_MAP = "object-not-a-map", Error, OBJECTS, "A manifest is a map with apiVersion, kind and metadata.";
        OBJECT_FIELD_MISSING = "object-field-missing", Error, OBJECTS, "Every object needs apiVersion, kind and metadata.name.";
        OBJECT_FIELD_TYPE = "object-field-type", Error, OBJECTS, "Write a value of the right type: the API server refuses the object.";
        OBJECT_FIELD_UNKNOWN = "object-field-unknown", Warning, OBJECTS, "Correct the name or the place of the field: the API server drops fields that it does not know.";
        OBJECT_DUPLICATE = "object-duplicate", Error, OBJECTS, "Remove one of the two objects, or give it another name.";

        // Names, in bundles and in catalogs.
        NAME_HIDDEN_CHARACTER = "name-hidden-character", Error, LIMITS, "Write the name without control characters, line breaks and characters that nobody sees.";

        // The bundle's folders and files.
        YAML_EXTRA_DOCUMENT = "yaml-extra-document", Warning, FORMAT, "Give each object a file of its own: OLM reads only the first document.";
        FORMAT_MANIFESTS_DIR = "format-manifests-dir", Error, FORMAT, "Put the manifests into a folder manifests/ of the bundle.";
        FORMAT_METADATA_DIR = "format-metadata-dir", Error, FORMAT, "Put annotations.yaml, and olm.yaml for a k8s+v1 bundle, into a folder metadata/; `opmx bundle init` writes both.";
        METADATA_ENTRY_SHAPE = "metadata-entry-shape", Error, FORMAT, "Each entry is a map with type and value.";
    }
}

rules! { LOADING
    Bundles {
        TREE_PATH_ESCAPE = "tree-path-escape", Error, LIMITS, "Make the bundle anew: a path of it leads out of its folder.";
        TREE_ENTRY_TYPE = "tree-entry-type", Error, LIMITS, "Put a file in its place: a bundle holds files and folders only.";
        TREE_LIMIT = "tree-limit", Error, LIMITS, "Make the bundle smaller, or raise the limit.";
        LOAD_MULTIPLE_CSV = "load-multiple-csv", Error, FORMAT, "Keep one ClusterServiceVersion: a bundle is one version of an operator.";
        LOAD_FILE_NAME = "load-file-name", Error, OLM, "Rename one of the files: OLM unpacks a bundle into one ConfigMap, whose keys have letters, digits, dashes, underscores and dots only.";
    }

    Authoring {
        // Loading and content, as other programs judge them.
        LOAD_SUBDIRECTORY = "load-subdirectory", Error, FORMAT, "Put its files into manifests/ itself: some readers pass folders over, others refuse them.";
        LOAD_HIDDEN_FILE = "load-hidden-file", Error, FORMAT, "Remove it: some readers pass hidden files over, others refuse or read them.";
        CONTENT_UNPARSABLE = "content-unparsable", Error, FORMAT, "Write one Kubernetes object with apiVersion and kind.";
        CONTENT_KIND_UNSUPPORTED = "content-kind-unsupported", Error, OLM, "Let the operator create it, or leave it out of the bundle.";
        CONTENT_METADATA = "content-metadata", Error, OBJECTS, "Correct the metadata: the API server refuses the object.";
        CONTENT_CRD_SHAPE = "content-crd-shape", Error, OBJECTS, "Write a value of the right type: the API server refuses the CustomResourceDefinition.";
        CONTENT_CRD_VERSION = "content-crd-version", Error, OBJECTS, "Write it for apiextensions.k8s.io/v1.";
    }
}
