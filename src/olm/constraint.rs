//! Constraints: nested conditions on other bundles, beyond a required package or API.

mod intents;
mod words;

pub(super) use intents::{required, required_package};

use super::intent::{INTENT, Intent};
use super::limits;
use super::problem::{Fields, Problem, What, of_type};
use crate::kubernetes::GroupVersionKind;
use crate::text::Path;
use serde_json::Value;
use std::fmt;

/// What one other bundle must meet: a condition, or several constraints. `L` is the type of the conditions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Constraint<L = Condition> {
    /// The bundle meets this condition.
    Leaf(L),
    /// The bundle meets all of these constraints.
    All(Vec<Self>),
    /// The bundle meets at least one of these constraints.
    Any(Vec<Self>),
    /// The bundle meets none of these constraints.
    Not(Vec<Self>),
}

/// A single condition of a constraint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    /// The bundle belongs to a package and has a version in a range.
    Package(PackageConstraint),
    /// The bundle provides an API.
    Api(GroupVersionKind),
    /// The bundle has a label. Only a dependency of the type `olm.label` can require this.
    Label(String),
    /// A rule in the Common Expression Language is true for the bundle.
    Cel {
        /// The rule.
        rule: String,
        /// The message that OLM shows if the rule is true for no bundle.
        message: String,
    },
}

/// A package that a bundle needs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PackageConstraint {
    /// The package.
    pub name: String,
    /// The range of versions, as written.
    pub range: String,
    /// The intent of the dependency.
    pub intent: Intent,
}

/// The key of the message that describes what a constraint requires.
pub(crate) const FAILURE_MESSAGE: &str = "failureMessage";
/// The key of a package's name.
pub(crate) const PACKAGE_NAME: &str = "packageName";
/// The key of a package's version range, in constraints and in catalogs.
pub(crate) const VERSION_RANGE: &str = "versionRange";
/// The key of the parts of `all`, `any` and `not`.
const CONSTRAINTS: &str = "constraints";

/// The keys of constraints. Each constraint has exactly one of these keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// A provider of an API.
    Gvk,
    /// A package.
    Package,
    /// All of the listed constraints.
    All,
    /// At least one of the listed constraints.
    Any,
    /// None of the listed constraints.
    Not,
    /// A rule in the Common Expression Language.
    Cel,
}

impl Key {
    /// All keys. If a constraint has several, OLM uses the first in this order.
    pub const ORDER: &[Self] = &[Self::Gvk, Self::Package, Self::All, Self::Any, Self::Not, Self::Cel];

    /// Returns the names of all keys, in the order of `ORDER`.
    pub(crate) fn names() -> Vec<&'static str> {
        Self::ORDER.iter().map(|key| key.name()).collect()
    }

    /// Returns the advice for a key that is unknown.
    pub(crate) fn usage() -> String {
        let mut names = Self::names();
        names.sort_unstable();
        let last = names.pop().unwrap_or_default();
        format!("Use {FAILURE_MESSAGE} and one of {} and {last}.", names.join(", "))
    }

    /// Returns the name of the key.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gvk => "gvk",
            Self::Package => "package",
            Self::All => "all",
            Self::Any => "any",
            Self::Not => "not",
            Self::Cel => "cel",
        }
    }

    /// Returns the fields of the key's value.
    pub(crate) fn fields(self) -> &'static [&'static str] {
        match self {
            Self::Gvk => &["group", "version", "kind"],
            Self::Package => &[PACKAGE_NAME, VERSION_RANGE, INTENT],
            Self::All | Self::Any | Self::Not => &[CONSTRAINTS],
            Self::Cel => &["rule"],
        }
    }
}

/// Reads a constraint, and collects all problems with it. Returns `None` and the problems if the constraint cannot be
/// read.
pub fn read(value: &Value, bytes: usize) -> (Option<Constraint>, Vec<Problem>) {
    let mut problems = Vec::new();
    if bytes > limits::CONSTRAINT {
        let what = What::Long(bytes);
        let path = Path::root();
        return (None, vec![Problem { path, what }]);
    }
    let constraint = nested(value, &Path::root(), 0, &mut problems);
    (constraint, problems)
}

fn nested(value: &Value, path: &Path, depth: usize, problems: &mut Vec<Problem>) -> Option<Constraint> {
    let report = |what: What, problems: &mut Vec<Problem>| {
        let path = path.clone();
        problems.push(Problem { path, what });
    };
    if depth > limits::CONSTRAINT_DEPTH {
        report(What::Deep, problems);
        return None;
    }
    if !value.is_object() {
        problems.push(of_type(path, "a map", value));
        return None;
    }
    let mut fields = Fields::new(value, path.clone(), problems);
    fields.only(&[&[FAILURE_MESSAGE], &*Key::names()].concat());
    let message = fields.string(FAILURE_MESSAGE);
    let given: Vec<_> = Key::ORDER
        .iter()
        .filter_map(|key| fields.value(key.name()).map(|(written, value)| (*key, written, value)))
        .collect();
    let Some(&(key, written, value)) = given.first() else {
        report(What::Nothing(Key::names()), problems);
        return None;
    };
    if given.len() > 1 {
        report(
            What::Several(given.iter().map(|(key, ..)| key.name()).collect()),
            problems,
        );
    }
    let path = path.key(written);
    if !value.is_object() {
        problems.push(of_type(&path, "a map", value));
        return None;
    }
    let mut fields = Fields::new(value, path.clone(), problems);
    fields.only(key.fields());
    let condition = match key {
        Key::Gvk => Condition::Api(api(&mut fields)),
        Key::Package => Condition::Package(package(&mut fields, VERSION_RANGE)),
        Key::Cel => Condition::Cel {
            rule: fields.string("rule"),
            message,
        },
        Key::All | Key::Any | Key::Not => {
            let (written, items) = fields.list(CONSTRAINTS);
            let path = path.key(written);
            let items = items.iter().enumerate();
            let parts = items
                .filter_map(|(at, item)| nested(item, &path.index(at), depth + 1, problems))
                .collect();
            return Some(match key {
                Key::All => Constraint::All(parts),
                Key::Any => Constraint::Any(parts),
                _ => Constraint::Not(parts),
            });
        }
    };
    Some(Constraint::Leaf(condition))
}

pub(super) fn api(fields: &mut Fields<'_, '_>) -> GroupVersionKind {
    let [group, version, kind] = ["group", "version", "kind"].map(|name| fields.string(name));
    GroupVersionKind { group, version, kind }
}

/// Reads the package of a dependency or a constraint; `range` is the name of the field that contains the
/// version range.
pub(super) fn package(fields: &mut Fields<'_, '_>, range: &str) -> PackageConstraint {
    let name = fields.string(PACKAGE_NAME);
    let range = fields.string(range);
    let intent = fields.string(INTENT).parse().unwrap_or_else(|unknown| {
        fields.report(INTENT, What::Intent(unknown));
        Intent::default()
    });
    PackageConstraint { name, range, intent }
}

impl<L> Constraint<L> {
    /// Returns the constraints that this one consists of, and their key; `None` for a single condition.
    pub(crate) fn parts(&self) -> Option<(Key, &[Self])> {
        match self {
            Self::Leaf(_) => None,
            Self::All(parts) => Some((Key::All, parts)),
            Self::Any(parts) => Some((Key::Any, parts)),
            Self::Not(parts) => Some((Key::Not, parts)),
        }
    }

    /// Returns this constraint and all nested ones, each with its path.
    pub(crate) fn flattened(&self) -> Vec<(Path, &Self)> {
        let mut all = Vec::new();
        self.flatten(Path::root(), &mut all);
        all
    }

    fn flatten<'own>(&'own self, path: Path, all: &mut Vec<(Path, &'own Self)>) {
        let parts = self.parts();
        let inside = parts.map(|(key, parts)| (path.key(key.name()).key(CONSTRAINTS), parts));
        all.push((path, self));
        if let Some((path, parts)) = inside {
            for (at, part) in parts.iter().enumerate() {
                part.flatten(path.index(at), all);
            }
        }
    }
}

/// Describes the condition for users, such as `a provider of Etcd (etcd.example.com/v1)`.
impl fmt::Display for Condition {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Package(PackageConstraint { name, range, .. }) => {
                write!(formatter, "package {name} in the range {range}")
            }
            Self::Api(api) => write!(formatter, "a provider of {} ({})", api.kind, api.api_version()),
            Self::Label(label) => write!(formatter, "an operator with the label {label}"),
            Self::Cel { rule, message } if message.is_empty() => {
                write!(formatter, "an operator for which this rule is true: {rule}")
            }
            Self::Cel { message, .. } => write!(formatter, "an operator with this purpose: {message}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_problem_is_reported_with_its_place() {
        let value = json!({"failureMessage": 1, "more": 1, "all": {"constraints": [
            {"gvk": {"group": [], "Kind": "K"}}, {}, 5,
            {"cel": {"rule": "true"}, "any": {"constraints": []}},
            {"package": {"packageName": "a", "intent": "Required"}, "intent": "optional"},
        ]}});
        let (constraint, problems) = read(&value, 0);
        assert!(constraint.is_some());
        let found: Vec<_> = problems
            .iter()
            .map(|problem| format!("{}: {}", problem.path, problem.what))
            .collect();
        assert_eq!(
            found,
            [
                "more: is not a field of a constraint",
                "failureMessage: is a number, not a string",
                "all.constraints[0].gvk.group: is a list, not a string",
                "all.constraints[1]: has none of gvk, package, all, any, not, cel",
                "all.constraints[2]: is a number, not a map",
                "all.constraints[3]: has any, cel at once",
                "all.constraints[4].intent: is not a field of a constraint",
                "all.constraints[4].package.intent: is not supported by released versions of OLM",
                "all.constraints[4].package.intent: is \"Required\", but must be required, recommended or optional",
            ]
        );
        assert_eq!(problems.iter().filter(|problem| !problem.is_fatal()).count(), 3);
    }

    #[test]
    fn names_are_matched_case_insensitively_as_in_go() {
        let value = json!({"PACKAGE": {"PackageName": "a", "versionrange": ">=1.0.0"}});
        let package = PackageConstraint {
            name: "a".to_owned(),
            range: ">=1.0.0".to_owned(),
            intent: Intent::Required,
        };
        let constraint = Constraint::Leaf(Condition::Package(package));
        assert_eq!(read(&value, 0), (Some(constraint), Vec::new()));
    }

    #[test]
    fn constraints_that_are_too_long_or_deep_are_rejected() {
        assert!(matches!(
            read(&json!({}), limits::CONSTRAINT + 1).1[..],
            [Problem {
                what: What::Long(_),
                ..
            }]
        ));
        let mut value = json!({"package": {"packageName": "a"}});
        for _ in 0..=limits::CONSTRAINT_DEPTH {
            value = json!({"not": {"constraints": [value]}});
        }
        assert_eq!(read(&value, 0).1[0].what, What::Deep);
    }
}
