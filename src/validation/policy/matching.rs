//! Matches the facts of a bundle with the patterns of a policy.

use super::{Names, Permission, Permissions, Scope};
use crate::image::Reference;
use crate::kubernetes::rbac::covering::{Granted, Index, Mask, Region, Steps, TooComplex};
use crate::kubernetes::rbac::{ALL, Rule};
use std::collections::HashSet;

/// The name of the core group in a policy; in Kubernetes, the name of this group is empty.
pub(super) const CORE: &str = "core";

impl Names {
    /// Returns whether a name is allowed; `matches` returns whether a pattern matches the name.
    pub(super) fn allows(&self, matches: impl Fn(&str) -> bool) -> bool {
        let any = |patterns: &[String]| patterns.iter().any(|pattern| matches(pattern));
        self.allow.as_deref().is_none_or(any) && !any(&self.deny)
    }
}

/// The patterns of allowed and of denied names, prepared for many names.
#[derive(Debug)]
pub(super) struct Patterns<'p> {
    allow: Option<PatternSet<'p>>,
    deny: PatternSet<'p>,
}

/// Patterns without and with a `*`. The former are looked up, and only the latter are compared one by one.
#[derive(Debug)]
struct PatternSet<'p> {
    plain: HashSet<&'p str>,
    wild: Vec<&'p str>,
}

impl<'p> PatternSet<'p> {
    /// Prepares patterns. `trimmed` removes the parts of a pattern that have no meaning.
    fn of(patterns: &'p [String], trimmed: fn(&str) -> &str) -> Self {
        let patterns = patterns.iter().map(|pattern| trimmed(pattern));
        let (wild, plain): (Vec<&str>, Vec<&str>) = patterns.partition(|pattern| pattern.contains('*'));
        Self {
            plain: plain.into_iter().collect(),
            wild,
        }
    }

    /// Returns whether a plain pattern among `spellings`, or a wild pattern, matches. `matches` decides in both cases.
    fn any(&self, spellings: &[&str], matches: impl Fn(&str) -> bool) -> bool {
        let mut plain = spellings.iter().filter(|spelling| self.plain.contains(**spelling));
        plain.any(|pattern| matches(pattern)) || self.wild.iter().any(|pattern| matches(pattern))
    }
}

impl<'p> Patterns<'p> {
    fn of(names: &'p Names, trimmed: fn(&str) -> &str) -> Self {
        Self {
            allow: names.allow.as_deref().map(|patterns| PatternSet::of(patterns, trimmed)),
            deny: PatternSet::of(&names.deny, trimmed),
        }
    }

    /// Prepares patterns for kinds.
    pub(super) fn of_kinds(names: &'p Names) -> Self {
        Self::of(names, |pattern| pattern)
    }

    /// Prepares patterns for registries.
    pub(super) fn of_registries(names: &'p Names) -> Self {
        Self::of(names, |pattern| pattern.trim_end_matches('/'))
    }

    fn allows(&self, spellings: &[&str], matches: impl Fn(&str) -> bool) -> bool {
        let is_allowed = |patterns: &PatternSet<'_>| patterns.any(spellings, &matches);
        self.allow.as_ref().is_none_or(is_allowed) && !self.deny.any(spellings, &matches)
    }

    /// Returns whether a kind is allowed.
    pub(super) fn allow_kind(&self, group: &str, kind: &str) -> bool {
        let named = if group.is_empty() { CORE } else { group };
        let (whole, of_core) = (format!("{named}/{kind}"), format!("/{kind}"));
        self.allows(&[kind, &whole, &of_core], |pattern| is_kind(pattern, group, kind))
    }

    /// Returns whether the location of an image is allowed.
    pub(super) fn allow_image(&self, image: &str) -> bool {
        let place = place_of(image);
        let above = place.match_indices('/').filter_map(|(end, _)| place.get(..end));
        let spellings: Vec<&str> = above.chain([place.as_str()]).collect();
        self.allows(&spellings, |pattern| contains_place(pattern, &place))
    }
}

/// Returns whether a pattern matches a kind: `Kind` of any group, or `group/Kind`.
pub(super) fn is_kind(pattern: &str, group: &str, kind: &str) -> bool {
    let group = if group.is_empty() { CORE } else { group };
    match pattern.split_once('/') {
        Some(("", of_core)) => group == CORE && is_like(of_core, kind),
        Some((of_group, of_kind)) => is_like(of_group, group) && is_like(of_kind, kind),
        None => is_like(pattern, kind),
    }
}

/// Returns whether a pattern matches the location of an image: the location itself, or a host or folder above it.
pub(super) fn is_registry(pattern: &str, image: &str) -> bool {
    contains_place(pattern.trim_end_matches('/'), &place_of(image))
}

/// Returns whether a pattern without a slash at its end matches a place, or a host or folder above it.
fn contains_place(pattern: &str, place: &str) -> bool {
    is_like(pattern, place) || is_like(&format!("{pattern}/*"), place)
}

/// Returns whether a pattern matches one of the names of a catalog, either `NAMESPACE/NAME` or the name of its image.
pub(super) fn is_catalog(pattern: &str, name: &str) -> bool {
    is_like(pattern, name) || is_registry(pattern, name)
}

/// Returns the registry and repository of an image, without tag and digest.
fn place_of(image: &str) -> String {
    match image.parse() {
        Ok(Reference::Registry(reference)) => reference.full_repository(),
        _ => image.to_owned(),
    }
}

/// Returns whether a string matches a pattern, in which `*` stands for any characters.
fn is_like(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else {
        return false;
    };
    let parts: Vec<&str> = parts.collect();
    let Some((last, between)) = parts.split_last() else {
        return rest.is_empty();
    };
    for part in between {
        let Some(at) = rest.find(part) else {
            return false;
        };
        rest = rest.get(at + part.len()..).unwrap_or_default();
    }
    rest.ends_with(last)
}

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

    #[test]
    fn patterns_match_kinds() {
        for (pattern, group, kind, is) in [
            ("Deployment", "apps", "Deployment", true),
            ("Deployment", "apps", "DeploymentConfig", false),
            ("apps/*", "apps", "Deployment", true),
            ("apps/*", "apps.example.com", "Deployment", false),
            ("*.example.com/*", "apps.example.com", "Thing", true),
            ("core/Secret", "", "Secret", true),
            ("/Secret", "", "Secret", true),
            ("core/Secret", "example.com", "Secret", false),
            ("*Role*", "rbac.authorization.k8s.io", "ClusterRoleBinding", true),
        ] {
            assert_eq!(is_kind(pattern, group, kind), is, "{pattern} {group} {kind}");
        }
    }

    #[test]
    fn patterns_match_registries_and_their_repositories() {
        for (pattern, image, is) in [
            ("registry.example.com", "registry.example.com/team/etcd:v1", true),
            (
                "registry.example.com/team",
                "registry.example.com/team/etcd@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
                true,
            ),
            (
                "registry.example.com/team/",
                "registry.example.com/teams/etcd:v1",
                false,
            ),
            ("registry.example.com", "registry.example.com.evil.com/etcd", false),
            ("*.example.com/team", "eu.example.com/team/etcd", true),
            ("docker.io/library", "nginx", true),
            ("registry.example.com", "oci:layout:v1", false),
        ] {
            assert_eq!(is_registry(pattern, image), is, "{pattern} {image}");
        }
    }

    #[test]
    fn stars_match_any_characters() {
        for (pattern, text, is) in [
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "abc", true),
            ("a*b", "ab*", false),
            ("ab*ba", "aba", false),
            ("*", "", true),
            ("", "a", false),
        ] {
            assert_eq!(is_like(pattern, text), is, "{pattern} {text}");
        }
    }

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

        #[test]
        fn prepared_patterns_match_like_single_ones(
            patterns in vec(
                select(&["*", "a", "a/", "a/b", "a/*", "core/a", "/a", "b", "a/b/c", "*/b", "a//", ""][..]), 0..4),
            group in select(&["", "a", "b", "a/b"][..]),
            kind in select(&["a", "b", "a/b", ""][..]),
            image in select(&["a/b:1", "a/b/c", "a", "b/a@x", "oci:a:b", "/a"][..]),
        ) {
            let patterns: Vec<String> = patterns.into_iter().map(str::to_owned).collect();
            let names = Names { allow: Some(patterns), deny: Vec::new() };
            let kinds = names.allows(|pattern| is_kind(pattern, group, kind));
            prop_assert_eq!(Patterns::of_kinds(&names).allow_kind(group, kind), kinds);
            let images = names.allows(|pattern| is_registry(pattern, image));
            prop_assert_eq!(Patterns::of_registries(&names).allow_image(image), images);
        }
    }
}
