//! The severity of a finding at each stage of publication.
//!
//! The author of a bundle or a catalog can still correct problems, so every problem is reported. Published content can
//! no longer be changed, so anything that OLM's own tools have accepted into indexes for years is accepted, with a
//! warning about the consequence. Accepted content is never rejected later.

use super::{Rule, Severity};
use crate::rules;
use std::fmt;

/// The stage at which content is checked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Gate {
    /// The author's own files, which can still be corrected.
    Authoring,
    /// A published `registry+v1` bundle or catalog on its way into an index or a catalog.
    #[default]
    Intake,
    /// A published `k8s+v1` bundle on its way into an index or a catalog. No other program publishes these bundles, so
    /// their problems have the same severity as for their authors.
    PlainIntake,
    /// An existing index or catalog that is read or served.
    Serving,
}

impl Gate {
    /// All gates, in the order in which a bundle passes them.
    pub const ALL: [Self; 4] = [Self::Authoring, Self::Intake, Self::PlainIntake, Self::Serving];
}

impl fmt::Display for Gate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Authoring => "authoring",
            Self::Intake => "intake",
            Self::PlainIntake => "intake-k8s+v1",
            Self::Serving => "serving",
        })
    }
}

/// The kinds of input for which findings of a rule are reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Reported only to the author of a bundle.
    Authoring,
    /// Bundles of each media type, until they are in an index.
    Bundles,
    /// Bundles, until they are in an index; at intake only those with the media type `registry+v1`.
    RegistryBundles,
    /// Bundles, until they are in an index; at intake only those with the media type `k8s+v1`.
    PlainBundles,
    /// File-based catalogs, at every gate.
    Catalogs,
    /// Existing indexes.
    Indexes,
    /// Bundles of each media type, and existing indexes.
    BundlesAndIndexes,
    /// Authors' bundles and existing indexes, if an option requests the check.
    Requested,
}

impl Rule {
    /// Returns the severity of the rule's findings at a gate, or `None` if the rule is not checked there.
    pub fn at(&self, gate: Gate) -> Option<Severity> {
        let judged = match self.scope {
            Scope::Authoring => gate == Gate::Authoring,
            Scope::Bundles => gate != Gate::Serving,
            Scope::RegistryBundles => matches!(gate, Gate::Authoring | Gate::Intake),
            Scope::PlainBundles => matches!(gate, Gate::Authoring | Gate::PlainIntake),
            Scope::Requested => matches!(gate, Gate::Authoring | Gate::Serving),
            Scope::Indexes => gate == Gate::Serving,
            Scope::BundlesAndIndexes => true,
            Scope::Catalogs => gate != Gate::PlainIntake,
        };
        judged.then(|| match gate {
            Gate::Intake | Gate::Serving if self.consequence().is_some() => self.severity.max(Severity::Warning),
            _ => self.severity,
        })
    }

    /// Returns the consequence for published content that has this problem, or `None` if such content is rejected.
    pub fn consequence(&self) -> Option<&'static str> {
        let mut tolerated = TOLERATED.iter();
        tolerated
            .find(|(rule, _)| *rule == self)
            .map(|(_, consequence)| *consequence)
    }
}

const UNREAD_DEPENDENCY: &str = "The dependency is stored unchanged. OLM does not install a bundle whose dependencies \
                                 it cannot read.";
const UNREAD_PROPERTY: &str = "The property is stored unchanged. If OLM reads properties of this type, it does not \
                               install the bundle.";
const NO_VERSION: &str =
    "No version range includes the bundle, and no index with channels ordered by version accepts it.";
const SKIPS_ITSELF: &str = "While the bundle is the newest of a channel, OLM finds no head of the channel, and installs \
                            nothing from it.";
const NO_IMAGE: &str = "The image reference is stored unchanged, but clusters cannot pull the image.";

const NO_LIFECYCLE: &str = "The document is served unchanged, but consoles show no lifecycle for the package.";

/// Errors for authors that are warnings for published content, each with its consequence.
static TOLERATED: &[(&Rule, &str)] = &[
    (&rules::TEXT_ENCODING, "The file is omitted."),
    (&rules::YAML_SYNTAX, "The file is omitted."),
    (&rules::YAML_UNREPRESENTABLE, "The file is omitted."),
    (&rules::YAML_DUPLICATE_KEY, "The last value is used."),
    (&rules::JSON_SYNTAX, "Unreadable content is omitted."),
    (&rules::OBJECT_NOT_A_MAP, "The document is omitted."),
    (
        &rules::OBJECT_FIELD_MISSING,
        "An object without a kind is omitted; an object that lacks another required field is stored unchanged.",
    ),
    (
        &rules::OBJECT_FIELD_VALUE,
        "The object is stored unchanged. OLM cannot install the bundle, because the API server rejects the object.",
    ),
    (
        &rules::OBJECT_FIELD_TYPE,
        "The object is stored unchanged. OLM cannot install the bundle, because the API server rejects the object.",
    ),
    (&rules::METADATA_LIST_MISSING, "The content of the file is ignored."),
    (&rules::METADATA_ENTRY_SHAPE, "The entry is omitted."),
    (
        &rules::LOAD_MULTIPLE_CSV,
        "The first ClusterServiceVersion by file name is used.",
    ),
    (
        &rules::LOAD_METADATA_OBJECT,
        "Indexes do not contain the object, but OLM installs it from the image of the bundle.",
    ),
    (
        &rules::LOAD_HIDDEN_FILE,
        "Indexes do not contain the object in the file, but OLM installs it from the image of the bundle.",
    ),
    (
        &rules::LOAD_FILE_NAME,
        "Both files are stored unchanged, but OLM installs only one of the two.",
    ),
    (&rules::ANN_KEY_MISSING, "The missing value is treated as empty."),
    (
        &rules::ANN_PACKAGE_NAME,
        "File-based catalogs cannot contain the package.",
    ),
    (&rules::ANN_NAME_QUOTING, "The value that YAML reads is used."),
    (&rules::ANN_MEDIATYPE_MISMATCH, "The media type of the content is used."),
    (
        &rules::ANN_DEFAULT_CHANNEL_EMPTY,
        "The bundle specifies no default channel.",
    ),
    (&rules::PROP_FILES, "Only the first file by name is used."),
    (&rules::PROP_SHAPE, UNREAD_PROPERTY),
    (
        &rules::PROP_MAX_OPENSHIFT,
        "The property is stored unchanged. OpenShift does not install the bundle, and no cluster on which it is \
         installed can be upgraded to the next minor version.",
    ),
    (
        &rules::OPT_VALUE_SHAPE,
        "The property is stored unchanged, but what cannot be read makes no manifest optional.",
    ),
    (
        &rules::DEP_RANGE_QUOTING,
        "The file is omitted, so the bundle has none of the dependencies in the file.",
    ),
    (
        &rules::DEP_TYPE_UNKNOWN,
        "The dependency is stored unchanged, but OLM ignores it.",
    ),
    (&rules::DEP_VALUE_SHAPE, UNREAD_DEPENDENCY),
    (&rules::DEP_GVK_GROUP_EMPTY, UNREAD_DEPENDENCY),
    (&rules::DEP_GVK_VERSION_EMPTY, UNREAD_DEPENDENCY),
    (&rules::DEP_GVK_KIND_EMPTY, UNREAD_DEPENDENCY),
    (&rules::DEP_PACKAGE_NAME_EMPTY, UNREAD_DEPENDENCY),
    (&rules::DEP_PACKAGE_VERSION_EMPTY, UNREAD_DEPENDENCY),
    (&rules::DEP_PACKAGE_VERSION_FORMAT, UNREAD_DEPENDENCY),
    (&rules::DEP_LABEL_EMPTY, UNREAD_DEPENDENCY),
    (&rules::DEP_CEL_MISSING, UNREAD_DEPENDENCY),
    (&rules::DEP_CEL_INVALID, UNREAD_DEPENDENCY),
    (&rules::DEP_CEL_EMPTY, UNREAD_DEPENDENCY),
    (&rules::DEP_CONSTRAINT_KEY, UNREAD_DEPENDENCY),
    (&rules::DEP_CONSTRAINT_SEVERAL, UNREAD_DEPENDENCY),
    (&rules::DEP_CONSTRAINT_SIZE, UNREAD_DEPENDENCY),
    (
        &rules::BUNDLE_SIZE_EXCEEDED,
        "The bundle is stored unchanged. OLM cannot unpack it from its image.",
    ),
    (&rules::DEP_INTENT_VALUE, "The dependency is treated as required."),
    (
        &rules::DEP_INTENT_PLACE,
        "The intent is ignored, so the dependency is required.",
    ),
    (&rules::DEP_SELF, "The dependency is stored unchanged."),
    (
        &rules::DEP_DUPLICATE,
        "Both dependencies are stored, and both must be satisfied.",
    ),
    (
        &rules::CSV_SKIP_RANGE,
        "OLM ignores the range, so the bundle updates only the bundles that it replaces or skips.",
    ),
    (&rules::CSV_SKIPS_ITSELF, SKIPS_ITSELF),
    (&rules::CATALOG_ENTRY_SKIPS_ITSELF, SKIPS_ITSELF),
    (
        &rules::CSV_OWNED_VERSION_UNSERVED,
        "The bundle is stored unchanged, but OLM does not finish its installation: the version stays in the phase \
         Pending.",
    ),
    (&rules::INDEX_VERSION_MISSING, NO_VERSION),
    (&rules::INDEX_RELEASE_SHAPE, "The release is ignored."),
    (
        &rules::CONTENT_CSV_SHAPE,
        "The ClusterServiceVersion is stored unchanged. OLM does not install a bundle whose ClusterServiceVersion it \
         cannot read.",
    ),
    (&rules::BUNDLE_RELATEDIMAGE_FORMAT, NO_IMAGE),
    (
        &rules::CATALOG_DOCUMENT_EMPTY,
        "The document is skipped, but opm rejects the catalog.",
    ),
    (&rules::CATALOG_DUPLICATE_KEY, "The last value is used."),
    (&rules::CATALOG_PACKAGE_NAME, "The package is served under this name."),
    (
        &rules::CATALOG_SKIP_RANGE,
        "OLM ignores the range, so the bundle updates only the bundles that it replaces or skips.",
    ),
    (&rules::CATALOG_IMAGE_REFERENCE, NO_IMAGE),
    (
        &rules::CATALOG_ENTRY_STRANDED,
        "The bundle is served, but no update leads to it or from it, and opm rejects the catalog.",
    ),
    (
        &rules::CATALOG_PROPERTY,
        "The property is stored unchanged. OLM does not install a bundle whose properties it cannot read, and opm \
         rejects a catalog with a property that has no type, no value or a value of the wrong type.",
    ),
    (
        &rules::CATALOG_VERSION_MISSING,
        "No version range includes the bundle, no index with channels ordered by version accepts it, and opm rejects \
         the catalog.",
    ),
    (&rules::CATALOG_BUNDLE_RELEASE, "The release is ignored."),
    (
        &rules::CATALOG_VERSION_DUPLICATE,
        "OLM chooses one of the two bundles by its position in the channel.",
    ),
    (&rules::CATALOG_LIFECYCLE_PACKAGE, NO_LIFECYCLE),
    (&rules::CATALOG_LIFECYCLE_FIELD, NO_LIFECYCLE),
    (&rules::CATALOG_LIFECYCLE_VERSION, NO_LIFECYCLE),
    (&rules::CATALOG_LIFECYCLE_PHASE, NO_LIFECYCLE),
    (&rules::CATALOG_LIFECYCLE_DATE, NO_LIFECYCLE),
    (&rules::CATALOG_LIFECYCLE_PLATFORM, NO_LIFECYCLE),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_at_most_as_severe_when_serving_as_at_intake() {
        for rule in rules::all() {
            let (intake, serving) = (rule.at(Gate::Intake), rule.at(Gate::Serving));
            if intake.is_some() {
                assert!(serving.is_none() || serving >= intake, "{}", rule.id);
            }
        }
    }

    #[test]
    fn tolerated_errors_are_checked_at_intake() {
        for (rule, consequence) in TOLERATED {
            assert!(rule.at(Gate::Intake).is_some(), "{}", rule.id);
            assert!(consequence.ends_with('.'), "{}", rule.id);
            assert_eq!(
                TOLERATED.iter().filter(|(other, _)| other == rule).count(),
                1,
                "{}",
                rule.id
            );
        }
    }
}
