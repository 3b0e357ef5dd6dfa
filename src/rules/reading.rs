//! Text, objects, and the folders of a bundle.

use super::{FORMAT, JSON, LIMITS, OBJECTS, OLM, YAML};

rules! { TEXT
    Bundles {
        // Reading the text of bundles and catalogs.
        TEXT_ENCODING = "text-encoding", Error, YAML, "Save the file as UTF-8.";
        TEXT_TOO_LARGE = "text-too-large", Error, LIMITS, "Split the file, or raise the limit.";
        YAML_SYNTAX = "yaml-syntax", Error, YAML, "Correct the YAML at the position shown.";
        YAML_DUPLICATE_KEY = "yaml-duplicate-key", Error, YAML, "Keep one of the two keys; most readers silently use the last one.";
        YAML_TOO_DEEP = "yaml-too-deep", Error, LIMITS, "Flatten the document.";
        YAML_EXCESSIVE_ALIASING = "yaml-excessive-aliasing", Error, YAML, "Replace the aliases of aliases with the values themselves.";
        YAML_TOO_MANY_DOCUMENTS = "yaml-too-many-documents", Error, LIMITS, "Split the file, or raise the limit.";
        YAML_TOO_MANY_VALUES = "yaml-too-many-values", Error, LIMITS, "Shorten the files, or raise the limit.";
        YAML_UNREPRESENTABLE = "yaml-unrepresentable", Error, YAML, "Use a value that JSON can represent; .inf, .nan and null keys cannot be stored.";
        YAML_EMPTY_DOCUMENT = "yaml-empty-document", Info, YAML, "Remove the empty document.";
        YAML_HIDDEN_TEXT = "yaml-hidden-text", Warning, YAML, "Begin the next document with a line `---`, or remove the text.";
        JSON_SYNTAX = "json-syntax", Error, JSON, "Correct the JSON at the position shown.";

        // Objects.
        OBJECT_NOT_A_MAP = "object-not-a-map", Error, OBJECTS, "Use a map with apiVersion, kind and metadata for each manifest.";
        OBJECT_FIELD_MISSING = "object-field-missing", Error, OBJECTS, "Add apiVersion, kind and metadata.name to the object.";
        OBJECT_FIELD_TYPE = "object-field-type", Error, OBJECTS, "Use a value of the correct type; otherwise the API server rejects the object.";
        OBJECT_FIELD_VALUE = "object-field-value", Error, OBJECTS, "Use a value that the API server accepts.";
        OBJECT_FIELD_UNKNOWN = "object-field-unknown", Warning, OBJECTS, "Correct the name or the position of the field; the API server drops unknown fields.";

        // Names, in bundles and in catalogs.
        NAME_HIDDEN_CHARACTER = "name-hidden-character", Error, LIMITS, "Use a name without control characters, line breaks or invisible characters.";

        // The bundle's folders and files.
        FORMAT_MANIFESTS_DIR = "format-manifests-dir", Error, FORMAT, "Move the manifests into the folder manifests/ of the bundle.";
        FORMAT_METADATA_DIR = "format-metadata-dir", Error, FORMAT, "Add a folder metadata/ with annotations.yaml, and with olm.yaml for a k8s+v1 bundle; `opmx bundle init` creates both.";
        METADATA_LIST_MISSING = "metadata-list-missing", Error, FORMAT, "Put the entries into a list under the key dependencies or properties.";
        METADATA_EXTRA_DOCUMENT = "metadata-extra-document", Warning, FORMAT, "Move the content into the first document, because OLM reads only that document.";
        METADATA_KEY_CASE = "metadata-key-case", Warning, FORMAT, "Use exactly this capitalization for the key; opm accepts others, but other programs may not.";
        METADATA_ENTRY_SHAPE = "metadata-entry-shape", Error, FORMAT, "Use a map with type and value for each entry.";
    }

    RegistryBundles {
        YAML_EXTRA_DOCUMENT = "yaml-extra-document", Warning, FORMAT, "Move each object to a separate file, because OLM v0 reads only the first document.";
    }

    PlainBundles {
        OBJECT_DUPLICATE = "object-duplicate", Error, OBJECTS, "Remove one of the two objects, or rename it.";
    }
}

rules! { LOADING
    Bundles {
        TREE_PATH_ESCAPE = "tree-path-escape", Error, LIMITS, "Rebuild the bundle, because one of its paths leads outside its folder.";
        TREE_ENTRY_TYPE = "tree-entry-type", Error, LIMITS, "Replace links, devices, pipes and sparse files with regular files, and put files into folders that are not links; only files and folders are supported.";
        TREE_LIMIT = "tree-limit", Error, LIMITS, "Reduce the size of the bundle, or raise the limit.";
    }

    RegistryBundles {
        LOAD_MULTIPLE_CSV = "load-multiple-csv", Error, FORMAT, "Keep one ClusterServiceVersion, because a bundle is one version of an operator.";
        LOAD_METADATA_OBJECT = "load-metadata-object", Error, OLM, "Move the file to manifests/, because indexes do not read it in metadata/.";
        LOAD_HIDDEN_FILE = "load-hidden-file", Error, FORMAT, "Remove the file, because some readers ignore hidden files, and others refuse or read them.";
        LOAD_FILE_NAME = "load-file-name", Error, OLM, "Rename one of the files: OLM unpacks a bundle into one ConfigMap, whose keys may contain only letters, digits, hyphens, underscores and dots.";
    }

    Authoring {
        // The loading and content checks of other programs.
        LOAD_SUBDIRECTORY = "load-subdirectory", Error, FORMAT, "Move the files of the folder directly into manifests/, because some readers ignore folders and others refuse them.";
        CONTENT_UNPARSABLE = "content-unparsable", Error, FORMAT, "Use one Kubernetes object with apiVersion and kind.";
        CONTENT_KIND_UNSUPPORTED = "content-kind-unsupported", Error, OLM, "Let the operator create the object, or remove it from the bundle.";
        CONTENT_KIND_FOREIGN = "content-kind-foreign", Warning, OLM, "Let the operator create the object, because OLM compares only the kind.";
        CONTENT_CRD_SHAPE = "content-crd-shape", Error, OBJECTS, "Use a value of the correct type; otherwise the API server rejects the CustomResourceDefinition.";
        CONTENT_CRD_VERSION = "content-crd-version", Error, OBJECTS, "Use apiextensions.k8s.io/v1.";
    }

    PlainBundles {
        CONTENT_METADATA = "content-metadata", Error, OBJECTS, "Correct the metadata; otherwise the API server rejects the object.";
    }
}
