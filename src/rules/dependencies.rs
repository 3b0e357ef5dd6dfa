//! Dependencies, properties and optional manifests.

use super::{FORMAT, INTENTS, OPTIONAL_MANIFESTS};

rules! { DEPENDENCIES
    Bundles {
        DEP_TYPE_UNKNOWN = "dep-type-unknown", Error, FORMAT, "Use olm.package, olm.gvk, olm.label or olm.constraint.";
        DEP_VALUE_SHAPE = "dep-value-shape", Error, FORMAT, "Use a value that is valid for the type.";
        DEP_GVK_GROUP_EMPTY = "dep-gvk-group-empty", Error, FORMAT, "Set the group.";
        DEP_GVK_VERSION_EMPTY = "dep-gvk-version-empty", Error, FORMAT, "Set the version.";
        DEP_GVK_KIND_EMPTY = "dep-gvk-kind-empty", Error, FORMAT, "Set the kind.";
        DEP_PACKAGE_NAME_EMPTY = "dep-package-name-empty", Error, FORMAT, "Set packageName.";
        DEP_PACKAGE_VERSION_EMPTY = "dep-package-version-empty", Error, FORMAT, "Use a range such as \">=1.0.0 <2.0.0\".";
        DEP_PACKAGE_VERSION_FORMAT = "dep-package-version-format", Error, FORMAT, "Use a range such as \">=1.0.0 <2.0.0\", with three numbers in each version.";
        DEP_LABEL_EMPTY = "dep-label-empty", Error, FORMAT, "Set the label.";
        DEP_CEL_MISSING = "dep-cel-missing", Error, FORMAT, "Use cel: {rule: …}, or another kind of constraint.";
    }
    BundlesAndIndexes {
        DEP_CEL_INVALID = "dep-cel-invalid", Error, FORMAT, "Correct the expression; the variable `properties` is the list of the properties of a candidate bundle.";
        DEP_CEL_EMPTY = "dep-cel-empty", Error, FORMAT, "Set the rule.";
        DEP_CEL_NOT_EVALUATED = "dep-cel-not-evaluated", Warning, FORMAT, "Compare strings, numbers or versions instead of timestamps and durations. OLM accepts the rule, but opmx cannot resolve the dependencies of the bundle.";
    }
}

rules! { PROPERTIES_AND_CONSTRAINTS
    Bundles {
        // Properties.
        PROP_FILES = "prop-files", Error, OPTIONAL_MANIFESTS, "Move all properties into one file, because OLM reads only the first file by name.";
        METADATA_SUBFOLDER = "metadata-subfolder", Warning, OPTIONAL_MANIFESTS, "Move the file directly into metadata/.";
        PROP_SHAPE = "prop-shape", Error, FORMAT, "Use a list of {type, value}.";
        PROP_VERSION_QUOTING = "prop-version-quoting", Warning, FORMAT, "Put the version in quotes.";
        PROP_TYPE_UNKNOWN = "prop-type-unknown", Warning, FORMAT, "Correct the type; OLM ignores properties of unknown types.";
        PROP_FILE_NAME = "prop-file-name", Warning, FORMAT, "Rename the file to match its content.";
        PROP_DERIVED_CLASH = "prop-derived-clash", Warning, FORMAT, "Remove the property, because an index derives it from the bundle.";

        // Optional manifests.
        OPT_EMPTY = "opt-empty", Warning, OPTIONAL_MANIFESTS, "Add the manifests, or remove the property.";
        OPT_UNKNOWN_KEY = "opt-unknown-key", Warning, OPTIONAL_MANIFESTS, "Remove the key: an entry consists of group, kind, namespace and name.";
        OPT_DUPLICATE = "opt-duplicate", Warning, OPTIONAL_MANIFESTS, "Remove one of the two entries.";
        OPT_SEVERAL = "opt-several", Info, OPTIONAL_MANIFESTS, "No action needed, but a single list is easier to read.";
        OPT_NO_MATCH = "opt-no-match", Warning, OPTIONAL_MANIFESTS, "Correct group, kind, namespace or name; OLM ignores an entry without a manifest.";
        OPT_GROUP_VERSION = "opt-group-version", Warning, OPTIONAL_MANIFESTS, "Specify only the group.";
        OPT_CORE_KIND = "opt-core-kind", Warning, OPTIONAL_MANIFESTS, "Remove the entry.";
        OPT_CRD = "opt-crd", Warning, OPTIONAL_MANIFESTS, "Remove the entry, because later steps of the install plan need the CustomResourceDefinition.";
        OPT_BUILTIN_KIND = "opt-builtin-kind", Info, OPTIONAL_MANIFESTS, "No action needed.";

        // Constraints, intents and ranges.
        DEP_CONSTRAINT_KEY = "dep-constraint-key", Error, FORMAT, "Correct or remove the key: a constraint consists of failureMessage and one condition, such as package or all.";
        DEP_CONSTRAINT_SEVERAL = "dep-constraint-several", Error, FORMAT, "Use only one condition in each constraint, and list several under all.";
        DEP_CONSTRAINT_SIZE = "dep-constraint-size", Error, FORMAT, "Split the constraint.";
        DEP_RANGE_QUOTING = "dep-range-quoting", Error, INTENTS, "Quote the range: YAML reads an unquoted > as the start of a block scalar.";
        DEP_INTENT_PLACE = "dep-intent-place", Error, INTENTS, "Set the intent only inside the value of an olm.package dependency.";
        DEP_INTENT_CONSTRAINT = "dep-intent-constraint", Warning, INTENTS, "Set the intent in an olm.package dependency instead: released versions of OLM ignore an intent there, but reject it inside a constraint.";
        DEP_DUPLICATE = "dep-duplicate", Warning, INTENTS, "Keep one of the two entries.";
        DEP_CONFLICTING_INTENT = "dep-conflicting-intent", Warning, INTENTS, "Keep one of the two entries: the strictest intent applies.";
        DEP_SELF = "dep-self", Error, FORMAT, "Remove the dependency.";
        DEP_CSV_DOUBLE = "dep-csv-double", Info, FORMAT, "No action needed, but one of the two requirements is enough.";
        RANGE_HYPHEN = "range-hyphen", Warning, FORMAT, "Use a range such as \">=1.0.0 <=2.0.0\".";
    }

    BundlesAndIndexes {
        PROP_MAX_OPENSHIFT = "prop-max-openshift", Error, FORMAT, "Use the major and minor version of the last OpenShift release that the operator supports, in quotes, such as \"4.20\".";
        OPT_VALUE_SHAPE = "opt-value-shape", Error, OPTIONAL_MANIFESTS, "Use manifests: [{group: …, kind: …, namespace: …, name: …}].";
        DEP_INTENT_VALUE = "dep-intent-value", Error, INTENTS, "Use required, recommended or optional.";
    }

    PlainBundles {
        OPT_PROJECTED = "opt-projected", Error, OPTIONAL_MANIFESTS, "Remove the entry.";
    }
}
