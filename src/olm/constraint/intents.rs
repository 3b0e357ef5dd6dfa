//! The parts of a constraint that an intent requires.

use super::{Condition, Constraint, Key, PackageConstraint, VERSION_RANGE, package};
use crate::olm::intent::{INTENT, Intent};
use crate::olm::problem::Fields;
use crate::text::Path;
use serde_json::Value;

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
            Self::Leaf(Condition::Package(package)) => {
                let required = PackageConstraint {
                    intent: Intent::Required,
                    ..package.clone()
                };
                (package.intent <= intent).then_some(Self::Leaf(Condition::Package(required)))
            }
            Self::All(parts) => {
                let left: Vec<_> = parts.iter().filter_map(|part| part.up_to(intent)).collect();
                (!left.is_empty() || parts.is_empty()).then_some(Self::All(left))
            }
            Self::Any(parts) => {
                let all: Option<Vec<_>> = parts.iter().map(|part| part.up_to(intent)).collect();
                all.map(Self::Any)
            }
            Self::Leaf(_) | Self::Not(_) => Some(self.clone()),
        }
    }
}

/// Returns the value of a constraint without intents and without parts that are not required; `None` if nothing
/// remains. A value that is not a constraint is returned unchanged.
pub(in crate::olm) fn required(value: &Value) -> Option<Value> {
    let mut left = value.clone();
    for key in Key::ORDER {
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
            _ => {}
        }
    }
    Some(left)
}

/// Returns the value of a package without its intent; `None` if the package is not required.
pub(in crate::olm) fn required_package(value: &Value) -> Option<Value> {
    let mut left = value.clone();
    if let Some(map) = left.as_object_mut() {
        let mut problems = Vec::new();
        let read = package(&mut Fields::new(value, Path::root(), &mut problems), VERSION_RANGE);
        map.retain(|key, _| !key.eq_ignore_ascii_case(INTENT));
        return (read.intent == Intent::Required).then_some(left);
    }
    Some(left)
}

#[cfg(test)]
mod tests {
    use super::super::read;
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
        Constraint::Leaf(Condition::Package(PackageConstraint { name, range, intent }))
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
}
