//! Which rules are held already, as the API server decides it before it lets somebody grant them.
//!
//! A required rule is broken into [`atoms`]: one group, one resource, one verb, at most one name; or one path and one
//! verb. An atom is covered when one single granted rule covers all its parts. Everything is compared with case.

use super::{ALL, Rule};
use std::collections::BTreeMap;

/// More atoms than any rules need that an operator can be reviewed with.
pub(crate) const MOST_ATOMS: usize = 50_000;

/// Rules that say so much that they are not taken apart.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the rules stand for {atoms} single permissions (each group with each resource, verb and name), more than the \
     {MOST_ATOMS} that are taken apart; split them, or write a wildcard where everything is meant"
)]
pub struct TooManyAtoms {
    /// How many there are.
    pub atoms: usize,
}

/// How many atoms the rules are broken into.
///
/// # Errors
/// When there are more than [`MOST_ATOMS`].
pub(crate) fn count_atoms<'a>(rules: impl IntoIterator<Item = &'a Rule>) -> Result<usize, TooManyAtoms> {
    let of_rule = |rule: &Rule| {
        let named = rule
            .api_groups
            .len()
            .saturating_mul(rule.resources.len())
            .saturating_mul(rule.resource_names.len().max(1));
        named
            .saturating_add(rule.non_resource_urls.len())
            .saturating_mul(rule.verbs.len())
    };
    let atoms = rules.into_iter().map(of_rule).fold(0_usize, usize::saturating_add);
    if atoms > MOST_ATOMS {
        return Err(TooManyAtoms { atoms });
    }
    Ok(atoms)
}

/// Breaks a rule into what it allows one by one: by group, resource, verb and name, then by path and verb. A rule
/// without verbs allows nothing.
pub(crate) fn atoms(rule: &Rule) -> impl Iterator<Item = Rule> {
    let of_group = move |group: &'_ String| {
        let group = group.clone();
        rule.resources.iter().flat_map(move |resource| {
            let group = group.clone();
            rule.verbs.iter().flat_map(move |verb| {
                let atom = Rule::new(&group, resource, &[verb]);
                let names = rule.resource_names.iter();
                let unnamed = rule.resource_names.is_empty().then(|| atom.clone());
                unnamed
                    .into_iter()
                    .chain(names.map(move |name| atom.clone().named(name)))
            })
        })
    };
    let urls = rule.non_resource_urls.iter().flat_map(move |url| {
        rule.verbs.iter().map(move |verb| Rule {
            non_resource_urls: vec![url.clone()],
            verbs: vec![verb.clone()],
            ..Rule::default()
        })
    });
    rule.api_groups.iter().flat_map(of_group).chain(urls)
}

/// The atoms of `required` that no rule of `granted` covers, in their order.
pub fn uncovered<'a>(granted: &[Rule], required: impl IntoIterator<Item = &'a Rule>) -> Vec<Rule> {
    let missing = |atom: &Rule| !granted.iter().any(|rule| covers_atom(rule, atom));
    required.into_iter().flat_map(atoms).filter(missing).collect()
}

/// Whether `granted` allows everything that `required` does.
pub fn covers<'a>(granted: &[Rule], required: impl IntoIterator<Item = &'a Rule>) -> bool {
    let held = |atom: Rule| granted.iter().any(|rule| covers_atom(rule, &atom));
    required.into_iter().flat_map(atoms).all(held)
}

/// Whether one rule covers every part of an atom.
fn covers_atom(granted: &Rule, atom: &Rule) -> bool {
    let listed = |list: &[String], item: &String| list.iter().any(|own| own == ALL || own == item);
    atom.verbs.iter().all(|verb| listed(&granted.verbs, verb))
        && atom.api_groups.iter().all(|group| listed(&granted.api_groups, group))
        && atom
            .resources
            .iter()
            .all(|resource| covers_resource(&granted.resources, resource))
        && covers_names(&granted.resource_names, &atom.resource_names)
        && atom
            .non_resource_urls
            .iter()
            .all(|url| granted.non_resource_urls.iter().any(|own| covers_url(own, url)))
}

/// `*` covers subresources, too; `*/status` covers the status of everything, and only that.
fn covers_resource(granted: &[String], resource: &str) -> bool {
    let subresource = resource.split_once('/').map(|(_, subresource)| subresource);
    granted.iter().any(|own| {
        own == ALL
            || own == resource
            || subresource.is_some_and(|subresource| own.strip_prefix("*/") == Some(subresource))
    })
}

/// A rule with names covers these names only; a `*` among them is a name.
fn covers_names(granted: &[String], names: &[String]) -> bool {
    granted.is_empty() || !names.is_empty() && names.iter().all(|name| granted.contains(name))
}

/// A `*` at the end of a path stands for whatever follows; elsewhere it is a character.
fn covers_url(granted: &str, url: &str) -> bool {
    granted == url || granted.ends_with('*') && url.starts_with(granted.trim_end_matches('*'))
}

/// The same rules for a reader: those about one resource of one group, and at most one name, are put together with all
/// their verbs, sorted; what cannot be put together stands before them as it is.
pub fn compact(rules: &[Rule]) -> Vec<Rule> {
    let mut compacted = Vec::new();
    let mut merged: BTreeMap<(&str, &str, Option<&str>), Vec<String>> = BTreeMap::new();
    for rule in rules {
        let ([group], [resource], []) = (&rule.api_groups[..], &rule.resources[..], &rule.non_resource_urls[..]) else {
            compacted.push(rule.clone());
            continue;
        };
        let name = match &rule.resource_names[..] {
            [] => None,
            [name] => Some(name.as_str()),
            _ => {
                compacted.push(rule.clone());
                continue;
            }
        };
        let verbs = merged.entry((group, resource, name)).or_default();
        for verb in &rule.verbs {
            if !verbs.contains(verb) {
                verbs.push(verb.clone());
            }
        }
    }
    compacted.extend(merged.into_iter().map(|((group, resource, name), verbs)| Rule {
        api_groups: vec![group.to_owned()],
        resources: vec![resource.to_owned()],
        resource_names: name.map(str::to_owned).into_iter().collect(),
        verbs,
        ..Rule::default()
    }));
    compacted
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use proptest::sample::select;

    fn rule(groups: &[&str], resources: &[&str], names: &[&str], urls: &[&str], verbs: &[&str]) -> Rule {
        let owned = |list: &[&str]| list.iter().map(|item| (*item).to_owned()).collect();
        Rule {
            api_groups: owned(groups),
            resources: owned(resources),
            resource_names: owned(names),
            non_resource_urls: owned(urls),
            verbs: owned(verbs),
        }
    }

    #[test]
    fn atoms_are_counted_before_they_are_made() {
        let wide: Vec<String> = (0..1000).map(|number| number.to_string()).collect();
        let hostile = Rule {
            api_groups: wide.clone(),
            resources: wide.clone(),
            resource_names: wide.clone(),
            verbs: wide,
            ..Rule::default()
        };
        assert_eq!(
            count_atoms([&hostile]),
            Err(TooManyAtoms {
                atoms: 1_000_000_000_000
            })
        );
        let plain = rule(&["", "apps"], &["a"], &[], &["/x"], &["get", "list"]);
        assert_eq!(count_atoms([&plain]), Ok(6));
        assert_eq!(atoms(&plain).count(), 6);
        assert_eq!(
            count_atoms([&rule(&[""], &["a"], &[], &[], &[])]),
            Ok(0),
            "no verbs, no atoms"
        );
    }

    #[test]
    fn compact_puts_the_verbs_of_one_resource_together() {
        let of = |resource, verb| Rule::new("", resource, &[verb]);
        let url = rule(&[], &[], &[], &["/metrics"], &["get"]);
        let rules = [
            of("pods", "list"),
            of("nodes", "get"),
            url.clone(),
            of("pods", "get"),
            of("pods", "list"),
            of("pods", "get").named("a"),
        ];
        assert_eq!(
            compact(&rules),
            [
                url,
                of("nodes", "get"),
                Rule::new("", "pods", &["list", "get"]),
                of("pods", "get").named("a")
            ]
        );
    }

    fn some(words: &'static [&'static str]) -> impl Strategy<Value = Vec<String>> {
        prop::collection::vec(select(words).prop_map(str::to_owned), 0..3)
    }

    /// Rules as the API server takes them: about resources, or about paths.
    fn any_rule() -> impl Strategy<Value = Rule> {
        let verbs = || some(&["*", "get", "list", "bind"]);
        let resources = (
            some(&["*", "", "apps"]),
            some(&["*", "pods", "pods/log", "*/log", "pods/log/x", "pods/*"]),
            some(&["*", "a", "b"]),
            verbs(),
        );
        let resources = resources.prop_map(|(api_groups, resources, resource_names, verbs)| Rule {
            api_groups,
            resources,
            resource_names,
            verbs,
            ..Rule::default()
        });
        let urls = (some(&["*", "/api", "/api/*", "/api/**", "/a*i", "/api/v1"]), verbs());
        let urls = urls.prop_map(|(non_resource_urls, verbs)| Rule {
            non_resource_urls,
            verbs,
            ..Rule::default()
        });
        prop_oneof![3 => resources, 1 => urls]
    }

    fn rules() -> impl Strategy<Value = Vec<Rule>> {
        prop::collection::vec(any_rule(), 0..4)
    }

    proptest! {
        #[test]
        fn rules_cover_themselves(rules in rules()) {
            prop_assert!(covers(&rules, &rules));
        }

        #[test]
        fn covering_is_transitive(first in rules(), second in rules(), third in rules()) {
            let wider: Vec<Rule> = first.iter().chain(&second).cloned().collect();
            prop_assert!(covers(&wider, &second));
            if covers(&first, &second) && covers(&second, &third) {
                prop_assert!(covers(&first, &third));
            }
        }

        #[test]
        fn what_is_missing_is_all_that_is_missing(granted in rules(), required in rules()) {
            let missing = uncovered(&granted, &required);
            prop_assert_eq!(missing.is_empty(), covers(&granted, &required));
            let together: Vec<Rule> = granted.iter().chain(&missing).cloned().collect();
            prop_assert!(covers(&together, &required));
            let shown = compact(&missing);
            prop_assert!(covers(&shown, &missing) && covers(&missing, &shown));
        }
    }
}
