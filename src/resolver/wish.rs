//! Words for what a bundle needs, for users. OLM's own words are those of [`Predicate`]'s `Display`.

use super::predicate::Predicate;
use crate::kubernetes::GroupVersionKind;

/// Describes a dependency of a bundle.
pub(super) fn wish(predicate: &Predicate) -> String {
    match predicate {
        Predicate::Api(api) => provider(api),
        Predicate::Package { name, written, .. } => package(name, written),
        Predicate::Label(label) => format!("an operator with the label {label}"),
        Predicate::All(parts) => format!("an operator that is all of ({})", wishes(parts)),
        Predicate::Any(parts) => format!("one of ({})", wishes(parts)),
        Predicate::Not(parts) => format!("an operator that is none of ({})", wishes(parts)),
        Predicate::Cel { written, message, .. } if message.is_empty() => {
            format!("an operator for which this rule is true: {written}")
        }
        Predicate::Cel { message, .. } => format!("an operator with this purpose: {message}"),
    }
}

fn wishes(parts: &[Predicate]) -> String {
    let parts: Vec<String> = parts.iter().map(wish).collect();
    parts.join(", ")
}

/// Describes a package that a bundle needs.
pub(crate) fn package(name: &str, range: &str) -> String {
    format!("package {name} in the range {range}")
}

/// Describes an API that a bundle needs.
pub(crate) fn provider(api: &GroupVersionKind) -> String {
    format!("a provider of {} ({})", api.kind, api.api_version())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::version::VersionRange;

    #[test]
    fn nested_conditions_are_described_part_by_part() {
        let package = |name: &str, range: &str| Predicate::Package {
            name: name.to_owned(),
            written: range.to_owned(),
            range: VersionRange::parse(range).unwrap(),
        };
        let api = GroupVersionKind {
            group: "garden.example.com".to_owned(),
            version: "v1".to_owned(),
            kind: "Rake".to_owned(),
        };
        let bad = Predicate::Not(vec![package("rake", "=1.2.0")]);
        let all = Predicate::All(vec![package("rake", ">=1.0.0"), Predicate::Api(api), bad]);
        let any = Predicate::Any(vec![Predicate::Label("tools".to_owned()), all]);
        assert_eq!(
            wish(&any),
            "one of (an operator with the label tools, an operator that is all of (package rake in the range >=1.0.0, a \
             provider of Rake (garden.example.com/v1), an operator that is none of (package rake in the range =1.2.0)))"
        );
    }
}
