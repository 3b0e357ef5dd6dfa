//! Rules in a readable form, with each resource and path in a separate row.

use super::super::Rule;
use super::region::Region;
use std::collections::{BTreeMap, BTreeSet};

/// The maximum number of rows in the readable form. Larger sets of rules stay as written.
pub(crate) const MOST_ROWS: usize = 50_000;

/// Returns the number of [`cells`] in these rules. A path counts once for each of its verbs.
fn count<'a>(rules: impl IntoIterator<Item = &'a Rule>) -> usize {
    let of_rule = |rule: &Rule| {
        let named = rule
            .api_groups
            .len()
            .saturating_mul(rule.resources.len())
            .saturating_mul(rule.resource_names.len().max(1));
        let paths = rule.non_resource_urls.len().saturating_mul(rule.verbs.len());
        named.saturating_add(paths)
    };
    rules.into_iter().map(of_rule).fold(0, usize::saturating_add)
}

/// Whether these rules have few enough [`cells`] to be readable.
pub(crate) fn are_readable<'a>(rules: impl IntoIterator<Item = &'a Rule>) -> bool {
    count(rules) <= MOST_ROWS
}

/// Splits a rule into cells: each group with each resource and at most one name, then each path, all with the verbs of
/// the rule. A rule without verbs allows nothing.
pub(crate) fn cells(rule: &Rule) -> impl Iterator<Item = Rule> {
    let with_verbs = !rule.verbs.is_empty();
    let resources = rule.api_groups.iter().flat_map(move |group| {
        rule.resources.iter().flat_map(move |resource| {
            let cell = Rule {
                api_groups: vec![group.clone()],
                resources: vec![resource.clone()],
                verbs: rule.verbs.clone(),
                ..Rule::default()
            };
            let names = rule.resource_names.iter();
            let unnamed = rule.resource_names.is_empty().then(|| cell.clone());
            unnamed
                .into_iter()
                .chain(names.map(move |name| cell.clone().named(name)))
        })
    });
    let paths = rule.non_resource_urls.iter().map(|path| Rule {
        non_resource_urls: vec![path.clone()],
        verbs: rule.verbs.clone(),
        ..Rule::default()
    });
    resources.chain(paths).filter(move |_| with_verbs)
}

/// Splits a rule into a rule for its permissions on resources, and a rule for its permissions on each path.
pub(crate) fn halves(rule: &Rule) -> impl Iterator<Item = Rule> {
    Region::both(rule).into_iter().flat_map(Region::into_rules)
}

/// Returns rules that grant the same permissions in a readable form, without duplicates. The first rules are for one
/// path and one verb each. The next rules, in sorted order, are for one resource of a group each, with at most one name
/// and with all verbs of the resource. Rules with too many rows stay as written, except that their permissions on paths
/// are in separate rules.
pub fn compact(rules: &[Rule]) -> Vec<Rule> {
    let mut seen = BTreeSet::new();
    if !are_readable(rules) {
        let halves = rules.iter().flat_map(halves);
        return halves.filter(|rule| seen.insert(rule.clone())).collect();
    }
    let mut compacted = Vec::new();
    let mut merged: BTreeMap<(String, String, Option<String>), Vec<String>> = BTreeMap::new();
    for mut cell in rules.iter().flat_map(cells) {
        let (Some(group), Some(resource)) = (cell.api_groups.pop(), cell.resources.pop()) else {
            for verb in &cell.verbs {
                let row = Rule {
                    verbs: vec![verb.clone()],
                    ..cell.clone()
                };
                if seen.insert(row.clone()) {
                    compacted.push(row);
                }
            }
            continue;
        };
        let verbs = merged.entry((group, resource, cell.resource_names.pop())).or_default();
        for verb in cell.verbs {
            if !verbs.contains(&verb) {
                verbs.push(verb);
            }
        }
    }
    compacted.extend(merged.into_iter().map(|((group, resource, name), verbs)| Rule {
        api_groups: vec![group],
        resources: vec![resource],
        resource_names: name.into_iter().collect(),
        verbs,
        ..Rule::default()
    }));
    compacted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(path: &str, verbs: &[&str]) -> Rule {
        Rule {
            non_resource_urls: vec![path.to_owned()],
            verbs: verbs.iter().map(|verb| (*verb).to_owned()).collect(),
            ..Rule::default()
        }
    }

    #[test]
    fn compact_merges_the_verbs_of_a_resource() {
        let of = |resource, verb| Rule::new("", resource, &[verb]);
        let rules = [
            of("pods", "list"),
            of("nodes", "get"),
            path("/metrics", &["get", "put"]),
            of("pods", "get"),
            of("pods", "list"),
            of("pods", "get").named("a"),
            path("/metrics", &["get"]),
            Rule::new("", "events", &[]),
        ];
        assert_eq!(
            compact(&rules),
            [
                path("/metrics", &["get"]),
                path("/metrics", &["put"]),
                of("nodes", "get"),
                Rule::new("", "pods", &["list", "get"]),
                of("pods", "get").named("a")
            ]
        );
    }

    #[test]
    fn rules_with_too_many_rows_to_read_are_not_expanded() {
        let wide: Vec<String> = (0..1000).map(|number| number.to_string()).collect();
        let resources = Rule {
            api_groups: wide.clone(),
            resources: wide.clone(),
            verbs: vec!["get".to_owned()],
            ..Rule::default()
        };
        let hostile = Rule {
            non_resource_urls: vec!["/metrics".to_owned()],
            ..resources.clone()
        };
        assert_eq!(
            compact(&[hostile.clone(), hostile]),
            [resources, path("/metrics", &["get"])]
        );
    }
}
