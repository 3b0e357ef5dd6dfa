//! The rules, in one file for each subject. Reading, synthesis, validation, the index and install all report by these
//! ids.
//!
//! An id never changes its meaning, and the id of a rule that is gone is not used again.

/// Rules of one subject, as statics and as a table of them.
macro_rules! rules {
    ($table:ident $($scope:ident { $($name:ident = $id:literal, $severity:ident, $source:expr, $help:literal;)* })*) => {
        $($(
            #[doc = $help]
            pub static $name: $crate::rules::Rule = $crate::rules::Rule {
                id: $id,
                severity: $crate::rules::Severity::$severity,
                scope: $crate::rules::Scope::$scope,
                source: $source,
                help: $help,
            };
        )*)*

        pub(super) static $table: &[&$crate::rules::Rule] = &[$($(&$name),*),*];
    };
}

mod conforma;
mod conversion;
mod crd;
mod csv;
mod dependencies;
pub mod examples;
mod file_based_catalog;
mod gate;
mod index;
mod manifests;
mod metadata;
mod platforms;
mod policy;
mod reading;
mod release;
mod services;
mod validators;

pub use conforma::*;
pub use conversion::*;
pub use crd::*;
pub use csv::*;
pub use dependencies::*;
pub use file_based_catalog::*;
pub use gate::{Gate, Scope};
pub use index::*;
pub use manifests::*;
pub use metadata::*;
pub use platforms::*;
pub use policy::*;
pub use reading::*;
pub use release::*;
pub use services::*;
pub use validators::*;

use std::fmt;

/// How much a finding weighs. Only an error fails a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The bundle, index or file cannot be used as it is.
    Error,
    /// Very likely not what the author wants, or lost on a cluster.
    Warning,
    /// Worth knowing; nothing to do.
    Info,
}

impl fmt::Display for Severity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Info => "info",
        })
    }
}

/// What opmx checks or notices, as data.
#[derive(Debug, PartialEq, Eq)]
pub struct Rule {
    /// Stable kebab-case id, `<subject>-<what>`.
    pub id: &'static str,
    /// The usual severity while authoring, see [`Rule::at`]; a finding may carry another one where the rule says so.
    pub severity: Severity,
    /// Where findings of it are made.
    pub scope: Scope,
    /// The proposal or format that asks for it.
    pub source: &'static str,
    /// What to do about it, for every finding that has nothing more precise to say.
    pub help: &'static str,
}

const YAML: &str = "YAML as Kubernetes reads it";
const JSON: &str = "JSON as Kubernetes reads it";
const OBJECTS: &str = "Kubernetes API conventions";
const LIMITS: &str = "the limits of opmx";
const FORMAT: &str = "operator bundle format";
const PLAIN: &str = "proposal plain-k8s-bundles";
const CSV: &str = "ClusterServiceVersion";
const RBAC: &str = "Kubernetes RBAC";
const OPTIONAL_MANIFESTS: &str = "proposal optional-manifest";
const INTENTS: &str = "proposal olm-optional-dependency-declaration";
const OLM: &str = "what OLM installs";
const CRD: &str = "CustomResourceDefinition";
const CATALOG: &str = "OperatorHub catalog";
const REMOVED: &str = "Kubernetes deprecated API migration guide";
const PRACTICE: &str = "Operator Framework best practices";
const PACKAGE: &str = "package manifest format";
const INDEX: &str = "operator index database";
const FBC: &str = "file-based catalog format";
const LIFECYCLE: &str = "lifecycle metadata of operators";
const CONFORMA: &str = "release policy of Konflux";
const PIPELINES: &str = "release configuration of the community pipelines";
const POLICY: &str = "policy of an administrator";

/// The tables, in the order in which the rules are listed.
const TABLES: &[&[&Rule]] = &[
    reading::TEXT,
    metadata::OLM_YAML,
    manifests::MANIFESTS,
    services::SERVICES,
    metadata::ANNOTATIONS,
    dependencies::DEPENDENCIES,
    reading::LOADING,
    csv::OPM,
    metadata::PATHS,
    dependencies::PROPERTIES_AND_CONSTRAINTS,
    csv::ADMISSION,
    index::DATABASES,
    csv::FIELDS,
    crd::DEFINITIONS,
    csv::WHOLE,
    validators::CATALOGS,
    platforms::PLATFORMS,
    conforma::RELEASE_POLICY,
    validators::OBJECTS_BESIDE,
    policy::POLICIES,
    file_based_catalog::FILE_BASED_CATALOG,
    release::RELEASES,
    validators::OLDER,
    conversion::CONVERSION,
];

/// Every rule, in the order of the tables.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    TABLES.iter().copied().flatten().copied()
}

/// The rule with this id.
pub fn by_id(id: &str) -> Option<&'static Rule> {
    all().find(|rule| rule.id == id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn ids_are_unique_kebab_case_and_helpful() {
        let mut seen = BTreeSet::new();
        for rule in all() {
            assert!(seen.insert(rule.id), "{} stands twice", rule.id);
            // Rules of a policy that is not ours have its ids.
            let others: &[u8] = if rule.source == CONFORMA { b"_." } else { b"-." };
            assert!(
                rule.id
                    .bytes()
                    .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || others.contains(&byte)),
                "{} is not kebab-case",
                rule.id
            );
            assert!(rule.help.ends_with('.'), "the help of {} is no sentence", rule.id);
            assert_eq!(by_id(rule.id), Some(rule));
        }
    }
}
