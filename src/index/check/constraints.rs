//! Finds constraints with rules that OLM rejects, or that opmx cannot evaluate.

use super::listed::listed;
use crate::catalog::Catalog;
use crate::diagnostic::Diagnostic;
use crate::olm::constraint;
use crate::olm::property::CONSTRAINT;
use crate::olm::releases::{Feature, Olm};
use crate::rules::Gate;
use crate::validation::{cel_problems, weigh};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Returns the findings about the rules of all constraints of a catalog, each once. An OLM that ignores constraints
/// does not read the rules.
pub(super) fn with_faulty_rules(catalog: &Catalog, olm: &Olm) -> Vec<Diagnostic> {
    if !olm.does(Feature::Dependency(CONSTRAINT)) {
        return Vec::new();
    }
    let mut constraints: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for bundle in &catalog.bundles {
        let all = bundle.properties.iter().chain(&bundle.dependencies);
        for property in all.filter(|property| &*property.kind == CONSTRAINT) {
            constraints.entry(&property.value).or_default().insert(&bundle.name);
        }
    }
    let mut findings = Vec::new();
    for (value, bundles) in constraints {
        let bundles: Vec<String> = bundles.into_iter().map(|name| format!("{name:?}")).collect();
        let word = if bundles.len() == 1 { "bundle" } else { "bundles" };
        let bundles = listed(&bundles);
        let Ok(parsed) = serde_json::from_str::<Value>(value) else {
            continue;
        };
        let (Some(constraint), _) = constraint::read(&parsed, value.len()) else {
            continue;
        };
        for (path, problem) in cel_problems(&constraint) {
            let message = format!("{word} {bundles}: {path} of {CONSTRAINT}: {}", problem.message);
            findings.push(Diagnostic::new(problem.rule, message));
        }
    }
    findings.retain_mut(|finding| weigh(finding, Gate::Serving));
    findings
}

/// Whether the findings of [`with_faulty_rules`] include the reason why opmx cannot read this constraint.
pub(super) fn has_faulty_rule(value: &str) -> bool {
    let parsed: Value = serde_json::from_str(value).unwrap_or_default();
    let (constraint, _) = constraint::read(&parsed, value.len());
    constraint.is_some_and(|constraint| !cel_problems(&constraint).is_empty())
}

#[cfg(test)]
mod tests {
    use crate::database::check::tests::database;
    use crate::database::read::Database;
    use crate::index::check::add_for_olm;
    use crate::rules::Severity;

    fn found(olm: &str, value: &str) -> Vec<(&'static str, Severity, String)> {
        let folder = tempfile::tempdir().unwrap();
        let change = format!(
            "INSERT INTO dependencies VALUES ('olm.constraint', '{value}', 'k.v1', '1', NULL);
             INSERT INTO properties VALUES ('olm.constraint', '{value}', 'k.v1', '1', NULL);"
        );
        let index = Database::open(&database(folder.path(), &change)).unwrap().into();
        let mut findings = Vec::new();
        add_for_olm(&mut findings, &index, &olm.parse().unwrap()).unwrap();
        let findings = findings.into_iter();
        findings
            .map(|finding| (finding.rule.id, finding.severity, finding.message))
            .collect()
    }

    #[test]
    fn a_rule_that_olm_rejects_is_one_finding_with_bundle_and_place() {
        let value = r#"{"all":{"constraints":[{"cel":{"rule":"true"}},{"cel":{"rule":"size(properties)"}}]}}"#;
        let message = "bundle \"k.v1\": all.constraints[1].cel.rule of olm.constraint: the rule of a constraint evaluates \
                       to a number instead of true or false";
        for olm in ["proposed", "registry+v1", "0.28.0"] {
            let expected = ("dep-cel-invalid", Severity::Warning, message.to_owned());
            assert_eq!(found(olm, value), [expected], "{olm}");
        }
        assert!(
            found("0.19.1", value)
                .iter()
                .all(|(rule, ..)| *rule == "cluster-dependency")
        );
    }

    #[test]
    fn an_empty_rule_and_an_unevaluable_one_are_findings() {
        for (rule, id) in [
            ("", "dep-cel-empty"),
            ("timestamp(0) > timestamp(1)", "dep-cel-not-evaluated"),
        ] {
            let found = found("proposed", &format!(r#"{{"cel":{{"rule":"{rule}"}}}}"#));
            let ids: Vec<&str> = found.iter().map(|(id, ..)| *id).collect();
            assert_eq!(ids, [id], "{found:?}");
        }
    }
}
