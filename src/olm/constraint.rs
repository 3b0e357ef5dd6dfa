//! Constraints: nested conditions on other bundles, beyond a required package or API.

use super::intent::{INTENT, Intent};
use super::limits;
use super::problem::{Fields, Problem, What, of_type};
use crate::kubernetes::GroupVersionKind;
use crate::text::Path;
use serde_json::Value;

/// A condition that one other bundle must meet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Constraint {
    /// The bundle belongs to a package and has a version in a range.
    Package(PackageConstraint),
    /// The bundle provides an API.
    Api(GroupVersionKind),
    /// The bundle meets all of these conditions.
    All(Vec<Constraint>),
    /// The bundle meets at least one of these conditions.
    Any(Vec<Constraint>),
    /// The bundle meets none of these conditions.
    Not(Vec<Constraint>),
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
            Self::All | Self::Any | Self::Not => &["constraints"],
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
    let several = |problems: &mut Vec<Problem>| -> Vec<Constraint> {
        let mut fields = Fields::new(value, path.clone(), problems);
        fields.only(key.fields());
        let (written, items) = fields.list("constraints");
        let path = path.key(written);
        let items = items.iter().enumerate();
        items
            .filter_map(|(at, item)| nested(item, &path.index(at), depth + 1, problems))
            .collect()
    };
    Some(match key {
        Key::Gvk => {
            let mut fields = Fields::new(value, path, problems);
            fields.only(key.fields());
            Constraint::Api(api(&mut fields))
        }
        Key::Package => {
            let mut fields = Fields::new(value, path, problems);
            fields.only(key.fields());
            Constraint::Package(package(&mut fields, VERSION_RANGE))
        }
        Key::Cel => {
            let mut fields = Fields::new(value, path, problems);
            fields.only(key.fields());
            let rule = fields.string("rule");
            Constraint::Cel { rule, message }
        }
        Key::All => Constraint::All(several(problems)),
        Key::Any => Constraint::Any(several(problems)),
        Key::Not => Constraint::Not(several(problems)),
    })
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

impl Constraint {
    /// Returns the needed constraint for each intent, the strictest first. Each weaker intent includes the constraints
    /// of the stricter ones, so that the same bundle has to meet all of them.
    ///
    /// Packages without an intent, and all parts that are not packages, are required. Parts of `all` that have a weaker
    /// intent are omitted from the required constraint. An `any` is not required at all if even one of its parts has a
    /// weaker intent. Inside `not`, an intent has no meaning.
    pub(crate) fn by_intent(&self) -> Vec<(Intent, Self)> {
        let mut parts: Vec<(Intent, Self)> = Vec::new();
        for intent in Intent::ALL {
            if let Some(part) = self.up_to(intent)
                && parts.last().is_none_or(|(_, before)| *before != part)
            {
                parts.push((intent, part));
            }
        }
        parts
    }

    /// Returns the constraint without the parts whose intent is weaker than `intent`; `None` if no requirement remains.
    fn up_to(&self, intent: Intent) -> Option<Self> {
        match self {
            Self::Package(package) => {
                let required = PackageConstraint {
                    intent: Intent::Required,
                    ..package.clone()
                };
                (package.intent <= intent).then_some(Self::Package(required))
            }
            Self::All(parts) => {
                let left: Vec<_> = parts.iter().filter_map(|part| part.up_to(intent)).collect();
                (!left.is_empty() || parts.is_empty()).then_some(Self::All(left))
            }
            Self::Any(parts) => {
                let all: Option<Vec<_>> = parts.iter().map(|part| part.up_to(intent)).collect();
                all.map(Self::Any)
            }
            Self::Not(_) | Self::Api(_) | Self::Cel { .. } => Some(self.clone()),
        }
    }
}

/// Returns the value of a constraint without intents and without parts that are not required; `None` if nothing
/// remains. A value that is not a constraint is returned unchanged.
pub(super) fn required(value: &Value) -> Option<Value> {
    let mut left = value.clone();
    for key in Key::ORDER.iter().copied() {
        let Some(inside) = left.get_mut(key.name()) else {
            continue;
        };
        match key {
            Key::Package => *inside = required_package(inside)?,
            Key::All | Key::Any => {
                let Some(items) = inside.get_mut("constraints").and_then(Value::as_array_mut) else {
                    continue;
                };
                let before = items.len();
                let required: Vec<_> = items.iter().filter_map(required).collect();
                let holds_without = match key {
                    Key::Any => required.len() < before,
                    _ => required.is_empty(),
                };
                if holds_without && before > 0 {
                    return None;
                }
                *items = required;
            }
            Key::Gvk | Key::Not | Key::Cel => {}
        }
    }
    Some(left)
}

/// Returns the value of a package without its intent; `None` if the package is not required.
pub(super) fn required_package(value: &Value) -> Option<Value> {
    let mut left = value.clone();
    if let Some(map) = left.as_object_mut()
        && let Some(intent) = map.shift_remove(INTENT)
    {
        let required = intent
            .as_str()
            .is_none_or(|intent| intent.parse().is_ok_and(|intent: Intent| intent == Intent::Required));
        return required.then_some(left);
    }
    Some(left)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn package(name: &str, intent: &str) -> Value {
        json!({"package": {"packageName": name, "versionRange": ">=1.0.0", "intent": intent}})
    }

    fn parts(value: &Value) -> Vec<(Intent, Constraint)> {
        read(value, 0).0.unwrap().by_intent()
    }

    fn required(name: &str) -> Constraint {
        let (name, range, intent) = (name.to_owned(), ">=1.0.0".to_owned(), Intent::Required);
        Constraint::Package(PackageConstraint { name, range, intent })
    }

    #[test]
    fn a_package_has_the_intent_of_its_constraint() {
        for intent in Intent::ALL {
            assert_eq!(parts(&package("a", intent.name())), [(intent, required("a"))]);
        }
    }

    #[test]
    fn weaker_parts_of_an_all_constraint_apply_to_the_same_bundle() {
        let all =
            json!({"all": {"constraints": [package("a", ""), package("b", "optional"), package("c", "recommended")]}});
        assert_eq!(
            parts(&all),
            [
                (Intent::Required, Constraint::All(vec![required("a")])),
                (Intent::Recommended, Constraint::All(vec![required("a"), required("c")])),
                (
                    Intent::Optional,
                    Constraint::All(vec![required("a"), required("b"), required("c")])
                ),
            ]
        );
    }

    #[test]
    fn one_weaker_part_of_an_any_constraint_weakens_the_whole() {
        let any = json!({"any": {"constraints": [package("a", ""), package("b", "recommended")]}});
        let whole = Constraint::Any(vec![required("a"), required("b")]);
        assert_eq!(parts(&any), [(Intent::Recommended, whole)]);
        let nested = json!({"all": {"constraints": [any, package("c", "")]}});
        assert_eq!(parts(&nested).len(), 2);
    }

    #[test]
    fn an_intent_inside_not_is_ignored() {
        let not = json!({"not": {"constraints": [package("a", "optional")]}});
        assert_eq!(parts(&not).len(), 1);
        assert_eq!(parts(&not)[0].0, Intent::Required);
    }

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
        assert_eq!(problems.iter().filter(|problem| !problem.is_fatal()).count(), 2);
    }

    #[test]
    fn names_are_matched_case_insensitively_as_in_go() {
        let value = json!({"PACKAGE": {"PackageName": "a", "versionrange": ">=1.0.0"}});
        assert_eq!(read(&value, 0), (Some(required("a")), Vec::new()));
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
        let mut value = package("a", "");
        for _ in 0..=limits::CONSTRAINT_DEPTH {
            value = json!({"not": {"constraints": [value]}});
        }
        assert_eq!(read(&value, 0).1[0].what, What::Deep);
    }
}
