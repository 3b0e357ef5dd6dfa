//! The rules, in one file for each subject. Reading, synthesis, validation, the index and install report findings with
//! the ids of these rules.
//!
//! An id never changes its meaning, and the id of a removed rule is never reused.

/// Defines the rules of one subject, as statics and as a table.
macro_rules! rules {
    ($table:ident $($scope:ident { $($name:ident = $id:literal, $severity:ident, $source:expr, $help:literal;)* })*) => {
        $($(
            #[doc = concat!("```text\n", $help, "\n```")]
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

use serde::Serialize;
use std::fmt;

/// The severity of a finding. Only an error makes a command fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The bundle, index or file cannot be used as it is.
    Error,
    /// Content that is probably unintended, or that is lost on a cluster.
    Warning,
    /// For information; no action needed.
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

/// Something that opmx checks or observes.
#[derive(Debug, PartialEq, Eq)]
pub struct Rule {
    /// A stable id in kebab case: `<subject>-<what>`.
    pub id: &'static str,
    /// The usual severity during authoring (see [`Rule::at`]). The check of the rule may give a finding another
    /// severity.
    pub severity: Severity,
    /// The inputs for which findings are reported.
    pub scope: Scope,
    /// The proposal or format that contains the requirement.
    pub source: &'static str,
    /// The advice for findings that have no more specific advice.
    pub help: &'static str,
}

const YAML: &str = "the YAML dialect of Kubernetes";
const JSON: &str = "the JSON dialect of Kubernetes";
const OBJECTS: &str = "Kubernetes API conventions";
const LIMITS: &str = "the limits of opmx";
const FORMAT: &str = "operator bundle format";
const PLAIN: &str = "proposal plain-k8s-bundles";
const CSV: &str = "ClusterServiceVersion";
const RBAC: &str = "Kubernetes RBAC";
const OPTIONAL_MANIFESTS: &str = "proposal optional-manifest";
const INTENTS: &str = "proposal olm-optional-dependency-declaration";
const OLM: &str = "OLM's install behavior";
const CRD: &str = "CustomResourceDefinition";
const CATALOG: &str = "OperatorHub catalog";
const REMOVED: &str = "Kubernetes deprecated API migration guide";
const PRACTICE: &str = "Operator Framework best practices";
const PACKAGE: &str = "package manifest format";
const INDEX: &str = "operator index database";
const FBC: &str = "file-based catalog format";
const LIFECYCLE: &str = "operator lifecycle metadata";
const CONFORMA: &str = "Konflux release policy";
const PIPELINES: &str = "release configuration of the community pipelines";
const POLICY: &str = "administrator policy";

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

/// Returns every rule, in the order of the tables.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    TABLES.iter().copied().flatten().copied()
}

/// Returns the rule with this id.
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
            assert!(seen.insert(rule.id), "{} appears twice", rule.id);
            // The ids of another project's policy are used unchanged.
            let others: &[u8] = if rule.source == CONFORMA { b"_." } else { b"-." };
            assert!(
                rule.id
                    .bytes()
                    .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || others.contains(&byte)),
                "{} is not kebab-case",
                rule.id
            );
            assert!(rule.help.ends_with('.'), "the help of {} is not a sentence", rule.id);
            assert_eq!(by_id(rule.id), Some(rule));
        }
    }
}
