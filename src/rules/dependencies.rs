//! Dependencies, properties and optional manifests.

use super::{FORMAT, INTENTS, OPTIONAL_MANIFESTS};

rules! { DEPENDENCIES
    Bundles {
        DEP_TYPE_UNKNOWN = "dep-type-unknown", Error, FORMAT, "Use olm.package, olm.gvk, olm.label or olm.constraint.";
        DEP_VALUE_SHAPE = "dep-value-shape", Error, FORMAT, "Write the value as the type wants it.";
        DEP_GVK_GROUP_EMPTY = "dep-gvk-group-empty", Error, FORMAT, "Name the group.";
        DEP_GVK_VERSION_EMPTY = "dep-gvk-version-empty", Error, FORMAT, "Name the version.";
        DEP_GVK_KIND_EMPTY = "dep-gvk-kind-empty", Error, FORMAT, "Name the kind.";
        DEP_PACKAGE_NAME_EMPTY = "dep-package-name-empty", Error, FORMAT, "Write packageName.";
        DEP_PACKAGE_VERSION_EMPTY = "dep-package-version-empty", Error, FORMAT, "Write a range such as \">=1.0.0 <2.0.0\".";
        DEP_PACKAGE_VERSION_FORMAT = "dep-package-version-format", Error, FORMAT, "Write a range such as \">=1.0.0 <2.0.0\", with three numbers in each version.";
        DEP_LABEL_EMPTY = "dep-label-empty", Error, FORMAT, "Write the label.";
        DEP_CEL_MISSING = "dep-cel-missing", Error, FORMAT, "Write cel: {rule: …}, or one of the other constraints.";
        DEP_CEL_INVALID = "dep-cel-invalid", Error, FORMAT, "Correct the expression; properties is the list of properties of the bundles to choose from.";
        DEP_CEL_EMPTY = "dep-cel-empty", Error, FORMAT, "Write the rule.";
    }
}

rules! { PROPERTIES_AND_CONSTRAINTS
    Bundles {
        // Properties.
        PROP_FILES = "prop-files", Error, OPTIONAL_MANIFESTS, "Put all properties into one file: OLM reads the first by name and passes the others over.";
        PROP_SHAPE = "prop-shape", Error, FORMAT, "Write a list of {type, value}.";
        PROP_FILE_NAME = "prop-file-name", Warning, FORMAT, "Name the file for what it holds.";
        PROP_DERIVED_CLASH = "prop-derived-clash", Warning, FORMAT, "Remove the property: an index derives it from the bundle.";

        // Optional manifests.
        OPT_VALUE_SHAPE = "opt-value-shape", Error, OPTIONAL_MANIFESTS, "Write manifests: [{group: …, kind: …, namespace: …, name: …}].";
        OPT_EMPTY = "opt-empty", Warning, OPTIONAL_MANIFESTS, "Add the manifests, or remove the property.";
        OPT_UNKNOWN_KEY = "opt-unknown-key", Warning, OPTIONAL_MANIFESTS, "Remove it: an entry has group, kind, namespace and name.";
        OPT_DUPLICATE = "opt-duplicate", Warning, OPTIONAL_MANIFESTS, "Remove one of the two entries.";
        OPT_SEVERAL = "opt-several", Info, OPTIONAL_MANIFESTS, "Nothing to do; one list is easier to read.";
        OPT_NO_MATCH = "opt-no-match", Warning, OPTIONAL_MANIFESTS, "Correct group, kind, namespace or name: OLM passes an entry without a manifest over.";
        OPT_GROUP_VERSION = "opt-group-version", Warning, OPTIONAL_MANIFESTS, "Write the group alone.";
        OPT_CORE_KIND = "opt-core-kind", Warning, OPTIONAL_MANIFESTS, "Remove the entry.";
        OPT_CRD = "opt-crd", Warning, OPTIONAL_MANIFESTS, "Remove the entry: what follows in the install plan needs the CustomResourceDefinition.";
        OPT_BUILTIN_KIND = "opt-builtin-kind", Info, OPTIONAL_MANIFESTS, "Nothing to do.";
        OPT_PROJECTED = "opt-projected", Error, OPTIONAL_MANIFESTS, "Remove the entry.";

        // Constraints, intents and ranges.
        DEP_CONSTRAINT_KEY = "dep-constraint-key", Error, FORMAT, "Use failureMessage and one of all, any, cel, gvk, not and package.";
        DEP_CONSTRAINT_SEVERAL = "dep-constraint-several", Error, FORMAT, "Give each constraint one alternative.";
        DEP_CONSTRAINT_SIZE = "dep-constraint-size", Error, FORMAT, "Split the constraint.";
        DEP_RANGE_QUOTING = "dep-range-quoting", Error, INTENTS, "Quote the range: YAML reads an unquoted > as the beginning of a block of text.";
        DEP_INTENT_VALUE = "dep-intent-value", Error, INTENTS, "Write required, recommended or optional.";
        DEP_INTENT_PLACE = "dep-intent-place", Error, INTENTS, "Only a dependency of type olm.package has an intent, inside its value.";
        DEP_INTENT_CONSTRAINT = "dep-intent-constraint", Warning, INTENTS, "Use a dependency of type olm.package: released versions of OLM ignore its intent.";
        DEP_DUPLICATE = "dep-duplicate", Warning, INTENTS, "Keep one of the two entries.";
        DEP_CONFLICTING_INTENT = "dep-conflicting-intent", Warning, INTENTS, "Keep one of the two entries: the strictest intent is what counts.";
        DEP_SELF = "dep-self", Error, FORMAT, "Remove the dependency.";
        DEP_CSV_DOUBLE = "dep-csv-double", Info, FORMAT, "Nothing to do; one of the two is enough.";
        RANGE_HYPHEN = "range-hyphen", Warning, FORMAT, "Write a range such as \">=1.0.0 <=2.0.0\".";
    }
}
