//! The one table of rules. Reading, synthesis, validation, the index and install all report by these ids.
//!
//! An id never changes its meaning, and the id of a rule that is gone is not used again.

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
    /// The usual severity; a finding may carry another one where the rule says so.
    pub severity: Severity,
    /// The proposal or format that asks for it.
    pub source: &'static str,
    /// What to do about it, for every finding that has nothing more precise to say.
    pub help: &'static str,
}

macro_rules! rules {
    ($($name:ident = $id:literal, $severity:ident, $source:expr, $help:literal;)*) => {
        $(
            #[doc = $help]
            pub static $name: Rule = Rule {
                id: $id,
                severity: Severity::$severity,
                source: $source,
                help: $help,
            };
        )*

        /// Every rule, in the order of the table.
        pub static ALL: &[&Rule] = &[$(&$name),*];
    };
}

const YAML: &str = "YAML as Kubernetes reads it";
const JSON: &str = "JSON as Kubernetes reads it";
const OBJECTS: &str = "Kubernetes API conventions";
const LIMITS: &str = "the limits of opmx";

rules! {
    // Reading text.
    TEXT_ENCODING = "text-encoding", Error, YAML, "Save the file as UTF-8.";
    TEXT_TOO_LARGE = "text-too-large", Error, LIMITS, "Split the file, or raise the limit with --max-file-size.";
    YAML_SYNTAX = "yaml-syntax", Error, YAML, "Correct the YAML at the place shown.";
    YAML_DUPLICATE_KEY = "yaml-duplicate-key", Error, YAML, "Keep one of the two keys: readers silently take the last one.";
    YAML_TOO_DEEP = "yaml-too-deep", Error, LIMITS, "Flatten the document, or raise the limit with --max-depth.";
    YAML_EXCESSIVE_ALIASING = "yaml-excessive-aliasing", Error, YAML, "Write the values out instead of repeating aliases of aliases.";
    YAML_TOO_MANY_DOCUMENTS = "yaml-too-many-documents", Error, LIMITS, "Split the file, or raise the limit with --max-documents.";
    YAML_UNREPRESENTABLE = "yaml-unrepresentable", Error, YAML, "Write a value that JSON can hold: .inf, .nan and null keys cannot be stored.";
    YAML_EMPTY_DOCUMENT = "yaml-empty-document", Info, YAML, "Remove the empty document.";
    YAML_HIDDEN_TEXT = "yaml-hidden-text", Warning, YAML, "Begin the next document with a line `---`, or remove the text.";
    JSON_SYNTAX = "json-syntax", Error, JSON, "Correct the JSON at the place shown.";

    // Objects.
    OBJECT_NOT_A_MAP = "object-not-a-map", Error, OBJECTS, "A manifest is a map with apiVersion, kind and metadata.";
    OBJECT_FIELD_MISSING = "object-field-missing", Error, OBJECTS, "Every object needs apiVersion, kind and metadata.name.";
    OBJECT_DUPLICATE = "object-duplicate", Error, OBJECTS, "Remove one of the two objects, or give it another name.";
}

/// The rule with this id.
pub fn by_id(id: &str) -> Option<&'static Rule> {
    ALL.iter().find(|rule| rule.id == id).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn ids_are_unique_kebab_case_and_helpful() {
        let mut seen = BTreeSet::new();
        for rule in ALL {
            assert!(seen.insert(rule.id), "{} stands twice", rule.id);
            assert!(
                rule.id
                    .bytes()
                    .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-'),
                "{} is not kebab-case",
                rule.id
            );
            assert!(rule.help.ends_with('.'), "the help of {} is no sentence", rule.id);
            assert_eq!(by_id(rule.id), Some(*rule));
        }
    }
}
