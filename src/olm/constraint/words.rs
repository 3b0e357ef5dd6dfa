//! Describes constraints for users.

use super::{Condition, Constraint};
use std::borrow::Borrow;
use std::fmt;

impl<L: Borrow<Condition>> fmt::Display for Constraint<L> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Leaf(condition) => condition.borrow().fmt(formatter),
            Self::All(parts) => formatter.write_str(&all(parts)),
            Self::Any(parts) => match &parts[..] {
                [] => formatter.write_str("an operator that meets one of no conditions"),
                [one] => one.fmt(formatter),
                several => formatter.write_str(&several.iter().map(part).collect::<Vec<_>>().join(" or ")),
            },
            Self::Not(_) => formatter.write_str(&all(std::slice::from_ref(self))),
        }
    }
}

fn all<L: Borrow<Condition>>(parts: &[Constraint<L>]) -> String {
    let (mut wanted, mut unwanted) = (Vec::new(), Vec::new());
    for part in parts {
        match part {
            Constraint::Not(parts) => unwanted.extend(parts),
            other => wanted.push(other),
        }
    }
    if let ([one], []) = (&wanted[..], &unwanted[..]) {
        return one.to_string();
    }
    let mut wanted = wanted.into_iter().map(part);
    let first = wanted.next();
    let more: Vec<String> = wanted
        .map(|part| format!("also {part}"))
        .chain(unwanted.into_iter().map(|unwanted| format!("not {}", part(unwanted))))
        .collect();
    match first.as_deref() {
        None if more.is_empty() => "any operator".to_owned(),
        first => format!("{} that is {}", first.unwrap_or("an operator"), more.join(" and ")),
    }
}

/// Describes a part of a constraint, in parentheses if it is not clear where the part ends.
fn part<L: Borrow<Condition>>(constraint: &Constraint<L>) -> String {
    match constraint {
        Constraint::All(parts) | Constraint::Any(parts) if parts.len() == 1 => part(&parts[0]),
        Constraint::Leaf(condition) if !matches!(condition.borrow(), Condition::Cel { .. }) => constraint.to_string(),
        _ => format!("({constraint})"),
    }
}

#[cfg(test)]
mod tests {
    use crate::olm::constraint::{Condition, Constraint, read};
    use serde_json::{Value, json};

    fn described(value: &Value) -> String {
        read(value, 0).0.unwrap().to_string()
    }

    #[test]
    fn nested_constraints_are_described_as_one_bundle() {
        let rake = |range: &str| json!({"package": {"packageName": "rake", "versionRange": range}});
        let api = json!({"gvk": {"group": "garden.example.com", "version": "v1", "kind": "Rake"}});
        let rule = json!({"cel": {"rule": "1 < 2"}, "failureMessage": "needs a lamp"});
        let group = |key: &str, parts: &[&Value]| json!({key: {"constraints": parts}});
        let bad = group("not", &[&rake("1.2.0")]);
        let usual = group("all", &[&rake(">=1.0.0"), &bad]);
        let says = |value: &Value, words: &str| assert_eq!(described(value), words);
        says(
            &usual,
            "package rake in the range >=1.0.0 that is not package rake in the range 1.2.0",
        );
        says(
            &group("all", &[&bad, &rake(">=1.0.0"), &api]),
            "package rake in the range >=1.0.0 that is also a provider of Rake (garden.example.com/v1) and not package \
             rake in the range 1.2.0",
        );
        says(
            &group("any", &[&rule, &usual, &group("all", &[&api])]),
            "(an operator with this purpose: needs a lamp) or (package rake in the range >=1.0.0 that is not package \
             rake in the range 1.2.0) or a provider of Rake (garden.example.com/v1)",
        );
        says(&bad, "an operator that is not package rake in the range 1.2.0");
        says(
            &group("not", &[&bad, &group("any", &[&api, &rule])]),
            "an operator that is not (an operator that is not package rake in the range 1.2.0) and not (a provider of \
             Rake (garden.example.com/v1) or (an operator with this purpose: needs a lamp))",
        );
        says(
            &group("all", &[&group("any", &[&rule])]),
            "an operator with this purpose: needs a lamp",
        );
        let label = Constraint::Leaf(Condition::Label("tools".to_owned()));
        assert_eq!(label.to_string(), "an operator with the label tools");
        says(&group("all", &[]), "any operator");
        says(&group("not", &[]), "any operator");
        says(&group("any", &[]), "an operator that meets one of no conditions");
    }
}
