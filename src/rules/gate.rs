//! How much a finding weighs where it is made.
//!
//! Who writes a bundle or a catalog can still correct it, and is told of every fault. What is published cannot be
//! changed any more: whatever OLM's own tools have put into indexes for years is taken, with a warning that says what
//! becomes of it, and what was taken once is never refused later.

use super::{Rule, Severity};
use crate::rules;
use std::fmt;

/// Where something is judged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Gate {
    /// One's own files, which can still be corrected.
    Authoring,
    /// What is published, on its way into an index or a catalog.
    #[default]
    Intake,
    /// An index or a catalog that is there, to be read or served.
    Serving,
}

impl Gate {
    /// All gates, in the order in which a bundle passes them.
    pub const ALL: [Self; 3] = [Self::Authoring, Self::Intake, Self::Serving];
}

impl fmt::Display for Gate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Authoring => "authoring",
            Self::Intake => "intake",
            Self::Serving => "serving",
        })
    }
}

/// The gates at which findings of a rule are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Nobody but the author of a bundle is told.
    Authoring,
    /// Bundles, until they are in an index.
    Bundles,
    /// File-based catalogs, at every gate.
    Catalogs,
    /// Indexes that are there.
    Indexes,
    /// Bundles of authors and indexes that are there, where a policy is named.
    Policies,
}

impl Rule {
    /// How much its findings weigh at a gate; `None` where there are none.
    pub fn at(&self, gate: Gate) -> Option<Severity> {
        let judged = match self.scope {
            Scope::Authoring => gate == Gate::Authoring,
            Scope::Bundles => gate != Gate::Serving,
            Scope::Policies => gate != Gate::Intake,
            Scope::Indexes => gate == Gate::Serving,
            Scope::Catalogs => true,
        };
        judged.then(|| match self.consequence() {
            Some(_) if gate != Gate::Authoring => self.severity.max(Severity::Warning),
            _ => self.severity,
        })
    }

    /// What becomes of what is published with this fault, where that is taken all the same.
    pub fn consequence(&self) -> Option<&'static str> {
        let mut tolerated = TOLERATED.iter();
        tolerated
            .find(|(rule, _)| *rule == self)
            .map(|(_, consequence)| *consequence)
    }
}

const UNREAD_DEPENDENCY: &str = "It is stored as it is. OLM installs no bundle whose dependencies it cannot read.";
const UNREAD_PROPERTY: &str = "It is stored as it is. OLM installs no bundle whose properties it cannot read.";
const NO_VERSION: &str =
    "The bundle is in no range of versions, and no index takes it whose channels are ordered by version.";
const NO_IMAGE: &str = "It is stored as it is, and cannot be pulled or mirrored.";

const NO_LIFECYCLE: &str = "It is served as it is, and consoles show no lifecycle of the package.";

/// Errors of an author that are warnings for what is published, each with what becomes of it.
static TOLERATED: &[(&Rule, &str)] = &[
    (&rules::TEXT_ENCODING, "The file is left out."),
    (&rules::YAML_SYNTAX, "The file is left out."),
    (&rules::YAML_UNREPRESENTABLE, "The file is left out."),
    (&rules::YAML_DUPLICATE_KEY, "The last one counts."),
    (&rules::JSON_SYNTAX, "What cannot be read is left out."),
    (&rules::OBJECT_NOT_A_MAP, "It is left out."),
    (
        &rules::OBJECT_FIELD_MISSING,
        "An object without a kind is left out; without another field it is stored as it is.",
    ),
    (
        &rules::OBJECT_FIELD_TYPE,
        "It is stored as it is. OLM cannot install the bundle: the API server refuses the object.",
    ),
    (&rules::METADATA_ENTRY_SHAPE, "The entry is left out."),
    (
        &rules::LOAD_MULTIPLE_CSV,
        "The first one counts, by the name of its file.",
    ),
    (
        &rules::LOAD_FILE_NAME,
        "It is stored as it is, and OLM installs one of the two.",
    ),
    (&rules::ANN_KEY_MISSING, "It counts as empty."),
    (&rules::ANN_NAME_QUOTING, "The name is what YAML reads."),
    (&rules::ANN_MEDIATYPE_MISMATCH, "The content counts."),
    (
        &rules::ANN_DEFAULT_CHANNEL_EMPTY,
        "The bundle names no default channel.",
    ),
    (&rules::PROP_FILES, "The first file counts, by its name."),
    (&rules::PROP_SHAPE, UNREAD_PROPERTY),
    (&rules::OPT_VALUE_SHAPE, UNREAD_PROPERTY),
    (
        &rules::DEP_RANGE_QUOTING,
        "The file is left out, so the bundle has none of its dependencies.",
    ),
    (
        &rules::DEP_TYPE_UNKNOWN,
        "It is stored as it is, and OLM passes it over.",
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
        "It is stored as it is. OLM cannot unpack it from its image.",
    ),
    (&rules::DEP_INTENT_VALUE, "The dependency counts as required."),
    (
        &rules::DEP_INTENT_PLACE,
        "The intent is not read: the dependency is required.",
    ),
    (&rules::DEP_SELF, "It is stored as it is."),
    (&rules::DEP_DUPLICATE, "Both are stored, and both must hold."),
    (
        &rules::CSV_SKIP_RANGE,
        "OLM updates to the bundle by replaces and skips alone.",
    ),
    (&rules::INDEX_VERSION_MISSING, NO_VERSION),
    (&rules::INDEX_RELEASE_SHAPE, "The release is not read."),
    (
        &rules::CONTENT_CSV_SHAPE,
        "It is stored as it is. OLM installs no bundle whose ClusterServiceVersion it cannot read.",
    ),
    (&rules::BUNDLE_RELATEDIMAGE_FORMAT, NO_IMAGE),
    (&rules::CATALOG_PACKAGE_NAME, "The package is served under this name."),
    (
        &rules::CATALOG_SKIP_RANGE,
        "OLM updates to the bundle by replaces and skips alone.",
    ),
    (&rules::CATALOG_IMAGE_REFERENCE, NO_IMAGE),
    (
        &rules::CATALOG_ENTRY_STRANDED,
        "The bundle is served, and no update leads to it or from it.",
    ),
    (&rules::CATALOG_PROPERTY, UNREAD_PROPERTY),
    (&rules::CATALOG_VERSION_MISSING, NO_VERSION),
    (&rules::CATALOG_BUNDLE_RELEASE, "The release is not read."),
    (
        &rules::CATALOG_VERSION_DUPLICATE,
        "OLM chooses one of the two by its place in the channel.",
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
    fn what_intake_takes_is_served() {
        for rule in rules::all() {
            let (intake, serving) = (rule.at(Gate::Intake), rule.at(Gate::Serving));
            if intake.is_some() {
                assert!(serving.is_none() || serving >= intake, "{}", rule.id);
            }
        }
    }

    #[test]
    fn only_errors_that_are_looked_for_at_intake_are_tolerated() {
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
