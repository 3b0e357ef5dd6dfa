//! Compares the permissions of a bundle with those that a policy allows and denies in a scope.

use super::{Permission, Permissions, Scope};
use crate::kubernetes::rbac::covering::{Granted, Index, Mask, Region, Steps, TooComplex};
use crate::kubernetes::rbac::{ALL, Rule};

/// The rules of a policy that apply in one scope.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ScopeRules {
    allow: Option<Vec<Rule>>,
    deny: Vec<Rule>,
}

/// The rules of a policy in one scope, indexed for comparisons with many rules.
#[derive(Debug)]
pub(super) struct ScopeJudge<'p> {
    allow: Option<Granted<'p>>,
    deny: &'p [Rule],
    denied: Index<'p>,
}

impl Permissions {
    /// Returns the rules in a scope: the whole cluster, or a namespace.
    pub(super) fn rules(&self, scope: Scope) -> ScopeRules {
        let here = |list: &[Permission]| -> Vec<Rule> {
            let here = list
                .iter()
                .filter(|permission| permission.scope.is_none_or(|own| own == scope));
            here.map(Permission::rule).collect()
        };
        ScopeRules {
            allow: self.allow.as_deref().map(here),
            deny: here(&self.deny),
        }
    }
}

impl<'p> ScopeJudge<'p> {
    pub(super) fn of(rules: &'p ScopeRules) -> Self {
        Self {
            allow: rules.allow.as_ref().map(Granted::of),
            deny: &rules.deny,
            denied: Index::of(&rules.deny),
        }
    }

    /// Returns the parts of a rule that are not allowed. Each comparison consumes `steps`.
    ///
    /// # Errors
    /// Returns an error if no steps are left.
    pub(super) fn refused(&self, rule: &Rule, steps: &Steps) -> Result<Vec<Rule>, TooComplex> {
        let mut refused = Vec::new();
        for whole in Region::both(rule) {
            // Subtracting from the whole rule keeps the remaining parts in the order of the rule.
            let mut allowed = whole.clone();
            if let Some(allow) = &self.allow {
                let mut not_allowed = whole.clone();
                allow.remove_from(&mut not_allowed, steps)?;
                allowed.remove_all(&not_allowed, steps)?;
            }
            for denied in self
                .denied
                .meeting(&whole)
                .into_iter()
                .filter_map(|place| self.deny.get(place))
            {
                steps.take(size_of_meeting(denied, rule))?;
                if let Some(mask) = meet(denied, &allowed) {
                    allowed.remove(&mask, steps)?;
                }
            }
            let mut left = whole;
            left.remove_all(&allowed, steps)?;
            refused.extend(left.into_rules());
        }
        Ok(refused)
    }
}

/// Returns the number of comparisons of [`meet`].
fn size_of_meeting(denied: &Rule, rule: &Rule) -> usize {
    let lists = [
        (&denied.api_groups, &rule.api_groups),
        (&denied.resources, &rule.resources),
        (&denied.non_resource_urls, &rule.non_resource_urls),
        (&denied.verbs, &rule.verbs),
    ];
    let sizes = lists.iter().map(|(own, other)| own.len().saturating_mul(other.len()));
    sizes.fold(rule.resource_names.len(), usize::saturating_add)
}

impl Permission {
    /// Returns the equivalent RBAC rule. A permission that names neither resources nor paths covers all of them.
    fn rule(&self) -> Rule {
        let about_resources = self.api_groups.is_some() || self.resources.is_some();
        let about_urls = self.non_resource_urls.is_some();
        let all = || vec![ALL.to_owned()];
        let list = |list: &Option<Vec<String>>, is_meant: bool| match list {
            Some(list) => list.clone(),
            None if is_meant => all(),
            None => Vec::new(),
        };
        Rule {
            api_groups: list(&self.api_groups, about_resources || !about_urls),
            resources: list(&self.resources, about_resources || !about_urls),
            non_resource_urls: list(&self.non_resource_urls, about_urls || !about_resources),
            verbs: list(&self.verbs, true),
            ..Rule::default()
        }
    }
}

/// Returns the part of a region that overlaps with a rule without resource names. A wildcard in the region or the rule
/// overlaps with everything.
fn meet(rule: &Rule, region: &Region<'_>) -> Option<Mask> {
    let same = |own: &str, other: &str| own == ALL || other == ALL || own == other;
    let any = |list: &[String], other: &str, is: &dyn Fn(&str, &str) -> bool| list.iter().any(|own| is(own, other));
    let resource = |own: &str, other: &str| {
        let below = |all: &str, one: &str| {
            let subresource = one.split_once('/').map(|(_, subresource)| subresource);
            subresource.is_some() && all.strip_prefix("*/") == subresource
        };
        same(own, other) || below(own, other) || below(other, own)
    };
    let path = |own: &str, other: &str| {
        let reaches = |all: &str, one: &str| all.ends_with('*') && one.starts_with(all.trim_end_matches('*'));
        own == other || reaches(own, other) || reaches(other, own)
    };
    let what = |what: &str| {
        if region.of_paths() {
            any(&rule.non_resource_urls, what, &path)
        } else {
            any(&rule.resources, what, &resource)
        }
    };
    region.mask(
        |group| any(&rule.api_groups, group, &same),
        what,
        |_| true,
        |verb| any(&rule.verbs, verb, &same),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::select;

    fn permission(yaml: &str) -> Permission {
        serde_yaml::from_str(yaml).unwrap()
    }

    fn refused(permissions: &Permissions, scope: Scope, rule: &Rule) -> Vec<Rule> {
        let rules = permissions.rules(scope);
        ScopeJudge::of(&rules).refused(rule, &Steps::default()).unwrap()
    }

    #[test]
    fn denied_permissions_are_found_in_wildcards() {
        let denied = |deny: &str, atom: &Rule| {
            let permissions = Permissions {
                allow: None,
                deny: vec![permission(deny)],
            };
            !refused(&permissions, Scope::Cluster, atom).is_empty()
        };
        let secrets = "{resources: [secrets], verbs: [list]}";
        for (atom, is) in [
            (Rule::new("", "secrets", &["list"]), true),
            (Rule::new("", "secrets", &["list"]).named("a"), true),
            (Rule::new("", "*", &["*"]), true),
            (Rule::new("", "secrets", &["get"]), false),
            (Rule::new("", "secrets/status", &["list"]), false),
        ] {
            assert_eq!(denied(secrets, &atom), is, "{atom}");
        }
        let url = Rule {
            non_resource_urls: vec!["/metrics".to_owned()],
            verbs: vec!["get".to_owned()],
            ..Rule::default()
        };
        assert!(denied("{verbs: [get]}", &url) && denied("{nonResourceURLs: [/met*]}", &url) && !denied(secrets, &url));
        assert!(!denied("{verbs: [get], scope: Namespace}", &url));
        assert!(denied(
            "{resources: ['*/scale']}",
            &Rule::new("apps", "deployments/scale", &["get"])
        ));
    }

    #[test]
    fn allowed_permissions_are_compared_like_rbac() {
        let allowed = |allow: &str, atom: &Rule| {
            let permissions = Permissions {
                allow: Some(vec![permission(allow)]),
                deny: Vec::new(),
            };
            refused(&permissions, Scope::Namespace, atom).is_empty()
        };
        assert!(allowed(
            "{apiGroups: [apps]}",
            &Rule::new("apps", "deployments", &["get"])
        ));
        assert!(!allowed(
            "{apiGroups: [apps]}",
            &Rule::new("*", "deployments", &["get"])
        ));
        assert!(!allowed(
            "{verbs: [get, list]}",
            &Rule::new("apps", "deployments", &["*"])
        ));
        assert!(!allowed(
            "{apiGroups: [apps], scope: Cluster}",
            &Rule::new("apps", "deployments", &["get"])
        ));
    }
    fn numbered(group: &str, count: usize) -> Vec<Permission> {
        (0..count)
            .map(|number| {
                permission(&format!(
                    "{{apiGroups: ['{group}{number}'], resources: [things], verbs: [get]}}"
                ))
            })
            .collect()
    }

    #[test]
    fn a_rule_is_compared_with_few_entries_of_a_large_policy() {
        let permissions = Permissions {
            allow: Some(numbered("allowed", 2000)),
            deny: numbered("denied", 2000),
        };
        let rules = permissions.rules(Scope::Cluster);
        let (judge, steps) = (ScopeJudge::of(&rules), Steps::limited(200_000));
        for number in 0..2000 {
            let refused = |group: &str| {
                let rule = Rule::new(&format!("{group}{number}"), "things", &["get"]);
                judge.refused(&rule, &steps).unwrap().len()
            };
            assert_eq!((refused("allowed"), refused("denied")), (0, 1));
        }
    }

    #[test]
    fn comparing_rules_with_denied_entries_takes_a_limited_number_of_steps() {
        let permissions = Permissions {
            allow: None,
            deny: numbered("denied", 2000),
        };
        let rules = permissions.rules(Scope::Cluster);
        let judge = ScopeJudge::of(&rules);
        // The wildcards overlap with every entry.
        let rule = Rule::new("*", "*", &["*"]);
        let answer = |steps: usize| {
            judge
                .refused(&rule, &Steps::limited(steps))
                .map(|refused| refused.len())
        };
        assert_eq!(answer(50_000), Ok(1));
        assert_eq!(answer(5000), Err(TooComplex));
    }

    fn entries() -> impl Strategy<Value = Vec<Permission>> {
        let words = |words: &'static [&'static str]| {
            let words = select(words).prop_map(str::to_owned);
            prop::option::of(vec(words, 1..3))
        };
        let entry = (
            words(&["*", "", "apps"]),
            words(&["*", "pods", "pods/log", "*/log", "nodes"]),
            words(&["*", "/api", "/api/*", "/api/v1"]),
            words(&["*", "get", "list"]),
        );
        let entry = entry.prop_map(|(api_groups, resources, non_resource_urls, verbs)| Permission {
            api_groups,
            resources,
            non_resource_urls,
            verbs,
            scope: None,
        });
        vec(entry, 0..5)
    }

    proptest! {
        #[test]
        fn all_entries_that_deny_part_of_a_rule_are_found(deny in entries(), required in entries()) {
            let permissions = Permissions { allow: None, deny };
            let rules = permissions.rules(Scope::Cluster);
            for rule in required.iter().map(Permission::rule) {
                let mut expected = Vec::new();
                for whole in Region::both(&rule) {
                    let mut allowed = whole.clone();
                    for denied in &rules.deny {
                        if let Some(mask) = meet(denied, &allowed) {
                            allowed.remove(&mask, &Steps::default()).unwrap();
                        }
                    }
                    let mut left = whole;
                    left.remove_all(&allowed, &Steps::default()).unwrap();
                    expected.extend(left.into_rules());
                }
                prop_assert_eq!(refused(&permissions, Scope::Cluster, &rule), expected);
            }
        }
    }
}
