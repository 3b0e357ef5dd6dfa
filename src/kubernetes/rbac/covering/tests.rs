use super::*;
use proptest::prelude::*;
use proptest::sample::select;
use std::collections::BTreeSet;

fn words(list: &[&str]) -> Vec<String> {
    list.iter().map(|item| (*item).to_owned()).collect()
}

fn numbered(what: &str, count: usize) -> Vec<String> {
    (0..count).map(|number| format!("{what}{number}")).collect()
}

/// A rule that grants a trillion permissions, too many to list.
fn trillion() -> Rule {
    Rule {
        api_groups: numbered("group", 1000),
        resources: numbered("resource", 1000),
        resource_names: numbered("name", 1000),
        verbs: numbered("verb", 1000),
        ..Rule::default()
    }
}

#[test]
fn rules_that_cannot_be_enumerated_are_compared() {
    let all = trillion();
    assert_eq!(covers(std::slice::from_ref(&all), [&all]), Ok(true));
    let mut held = all.clone();
    held.resource_names.pop();
    held.verbs.pop();
    let missing = uncovered(&[held], [&all]).unwrap();
    let last_name = Rule {
        resource_names: words(&["name999"]),
        ..all.clone()
    };
    let last_verb = Rule {
        resource_names: numbered("name", 999),
        verbs: words(&["verb999"]),
        ..all
    };
    assert_eq!(missing, [last_verb, last_name]);
}

/// Five thousand rules, where one granted rule lacks a verb.
#[test]
fn thousands_of_rules_are_compared() {
    let required: Vec<Rule> = (0..5000)
        .map(|number| Rule {
            api_groups: numbered("group", 4),
            resources: vec![format!("resource{number}"), format!("resource{number}/status")],
            verbs: words(&["get", "list", "watch"]),
            ..Rule::default()
        })
        .collect();
    let mut held = required.clone();
    held[2500].verbs.pop();
    held.extend((0..5000).map(|number| Rule::new("group1", &format!("other{number}"), &["get"])));
    let granted = Granted::of(&held);
    let missing = granted.uncovered(&required).unwrap();
    let lacking = Rule {
        verbs: words(&["watch"]),
        ..required[2500].clone()
    };
    assert_eq!(missing, [lacking]);
    let used = MOST_STEPS - granted.steps.0.get();
    assert!(used < MOST_STEPS / 100, "{used} steps");
    // One rule that combines a thousand separately granted rules.
    let required = &required[..1000];
    let one = Rule {
        api_groups: numbered("group", 4),
        resources: required.iter().flat_map(|rule| rule.resources.clone()).collect(),
        verbs: words(&["get", "list", "watch"]),
        ..Rule::default()
    };
    assert_eq!(uncovered(required, [&one]), Ok(Vec::new()));
    assert_eq!(uncovered(&[one], required), Ok(Vec::new()));
}

/// Rules that differ only in one list are compared with few others, whichever list that is.
#[test]
fn thousands_of_rules_about_the_same_resource_are_compared() {
    let configs = |number: usize| Rule::new("", "configmaps", &["get", "list"]).named(&format!("c{number}"));
    let groups = |number: usize| Rule::new(&format!("g{number}"), "things", &["get", "list"]);
    let paths = |number: usize| Rule {
        non_resource_urls: vec![format!(
            "/p{number}/{}",
            if number.is_multiple_of(2) { "*" } else { "a" }
        )],
        verbs: words(&["get", "post"]),
        ..Rule::default()
    };
    let kinds: [&dyn Fn(usize) -> Rule; 3] = [&configs, &groups, &paths];
    for rule in kinds {
        let required: Vec<Rule> = (0..5000).map(rule).collect();
        let mut held = required.clone();
        held[2500].verbs.pop();
        let granted = Granted::of(&held);
        let missing = granted.uncovered(&required).unwrap();
        let lacking = Rule {
            verbs: required[2500].verbs[1..].to_vec(),
            ..required[2500].clone()
        };
        assert_eq!(missing, [lacking]);
        let used = MOST_STEPS - granted.steps.0.get();
        assert!(used < MOST_STEPS / 100, "{used} steps");
    }
}

#[test]
fn rules_designed_to_take_forever_are_rejected() {
    let all = trillion();
    // Each rule selects a different part of every list.
    let some = |list: &[String], by: usize| -> Vec<String> {
        let chosen = (0..).zip(list).filter(|(place, _)| place * (by + 1) % 101 < 50);
        chosen.map(|(_, item)| item.clone()).collect()
    };
    let of = |number: usize| Rule {
        api_groups: some(&all.api_groups, number),
        resources: some(&all.resources, number + 17),
        resource_names: some(&all.resource_names, number + 31),
        verbs: some(&all.verbs, number + 43),
        ..Rule::default()
    };
    let held: Vec<Rule> = (0..100).map(of).collect();
    let granted = Granted::of(&held);
    // Fewer steps than usual, to keep the test fast.
    granted.steps.0.set(1_000_000);
    assert_eq!(granted.uncovered([&all]), Err(TooComplex));
}

/// Returns the single permissions of rules.
fn singles<'a>(rules: impl IntoIterator<Item = &'a Rule>) -> BTreeSet<Rule> {
    let of_cell = |cell: Rule| {
        let verbs = cell.verbs.clone();
        verbs.into_iter().map(move |verb| Rule {
            verbs: vec![verb],
            ..cell.clone()
        })
    };
    rules.into_iter().flat_map(cells).flat_map(of_cell).collect()
}

/// Whether a granted rule covers a single permission, decided part by part like the API server.
fn covers_single(granted: &Rule, single: &Rule) -> bool {
    let listed = |list: &[String], item: &String| list.iter().any(|own| own == ALL || own == item);
    let resource = |item: &String| {
        granted.resources.iter().any(|own| {
            own == ALL || own == item || subresource(item).is_some_and(|below| own.strip_prefix("*/") == Some(below))
        })
    };
    let path = |item: &String| granted.non_resource_urls.iter().any(|own| covers_path(own, item));
    let names = &granted.resource_names;
    let named = !single.resource_names.is_empty() && single.resource_names.iter().all(|name| names.contains(name));
    single.verbs.iter().all(|verb| listed(&granted.verbs, verb))
        && single.api_groups.iter().all(|group| listed(&granted.api_groups, group))
        && single.resources.iter().all(resource)
        && single.non_resource_urls.iter().all(path)
        && (names.is_empty() || named)
}

fn some(words: &'static [&'static str]) -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(select(words).prop_map(str::to_owned), 0..3)
}

/// Rules that the API server accepts: about resources, or about paths.
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

/// Rules about both resources and paths, which the API server rejects but files contain.
fn both_halves() -> impl Strategy<Value = Rule> {
    (any_rule(), any_rule()).prop_map(|(one, other)| Rule {
        non_resource_urls: other.non_resource_urls,
        ..one
    })
}

fn rules() -> impl Strategy<Value = Vec<Rule>> {
    prop::collection::vec(any_rule(), 0..4)
}

proptest! {
    #[test]
    fn rules_cover_themselves(rules in rules()) {
        prop_assert!(covers(&rules, &rules).unwrap());
    }

    #[test]
    fn covering_is_transitive(first in rules(), second in rules(), third in rules()) {
        let wider: Vec<Rule> = first.iter().chain(&second).cloned().collect();
        prop_assert!(covers(&wider, &second).unwrap());
        if covers(&first, &second).unwrap() && covers(&second, &third).unwrap() {
            prop_assert!(covers(&first, &third).unwrap());
        }
    }

    #[test]
    fn missing_permissions_complete_the_granted_ones(granted in rules(), required in rules()) {
        let missing = uncovered(&granted, &required).unwrap();
        prop_assert_eq!(missing.is_empty(), covers(&granted, &required).unwrap());
        let together: Vec<Rule> = granted.iter().chain(&missing).cloned().collect();
        prop_assert!(covers(&together, &required).unwrap());
        let shown = compact(&missing);
        prop_assert!(covers(&shown, &missing).unwrap() && covers(&missing, &shown).unwrap());
    }

    /// Products give the same result as looking up each single permission.
    #[test]
    fn missing_permissions_equal_those_found_one_by_one(
        granted in prop::collection::vec(prop_oneof![3 => any_rule(), 1 => both_halves()], 0..6),
        required in prop::collection::vec(prop_oneof![3 => any_rule(), 1 => both_halves()], 0..4),
    ) {
        let is_missing = |single: &Rule| !granted.iter().any(|rule| covers_single(rule, single));
        let expected: BTreeSet<Rule> = singles(&required).into_iter().filter(is_missing).collect();
        let missing = uncovered(&granted, &required).unwrap();
        prop_assert_eq!(&singles(&missing), &expected);
        prop_assert_eq!(&singles(&compact(&missing)), &expected);
        for single in singles(&required) {
            prop_assert_eq!(Granted::of(&granted).one_covers(&single), !expected.contains(&single));
        }
        // Each combination of group, resource and name, and each path, is in only one of the uncovered rules.
        for rule in &required {
            let left = uncovered(&granted, [rule]).unwrap();
            let mut about: Vec<Rule> = left.iter().flat_map(cells).collect();
            let count = about.len();
            for cell in &mut about {
                cell.verbs.clear();
            }
            about.sort();
            about.dedup();
            let repeats = [&rule.api_groups, &rule.resources, &rule.resource_names, &rule.non_resource_urls];
            let unique = |list: &Vec<String>| list.iter().collect::<BTreeSet<_>>().len() == list.len();
            prop_assert!(about.len() == count || !repeats.into_iter().all(unique));
        }
    }
}
