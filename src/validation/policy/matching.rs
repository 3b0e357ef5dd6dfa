//! Matches the facts of a bundle with the patterns of a policy.

use super::{Names, Permission, Permissions, Scope};
use crate::image::Reference;
use crate::kubernetes::rbac::covering::{Granted, Mask, Region, Steps, TooComplex};
use crate::kubernetes::rbac::{ALL, Rule};

/// The name of the core group in a policy; in Kubernetes, the name of this group is empty.
pub(super) const CORE: &str = "core";

impl Names {
    /// Returns whether a name is allowed; `matches` returns whether a pattern matches the name.
    pub(super) fn allows(&self, matches: impl Fn(&str) -> bool) -> bool {
        let any = |patterns: &[String]| patterns.iter().any(|pattern| matches(pattern));
        self.allow.as_deref().is_none_or(any) && !any(&self.deny)
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
    let pattern = pattern.trim_end_matches('/');
    let place = place_of(image);
    is_like(pattern, &place) || is_like(&format!("{pattern}/*"), &place)
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

impl Permissions {
    /// Returns the parts of a rule that are not allowed. `scope` states whether the rule applies to the whole cluster
    /// or to a namespace.
    ///
    /// # Errors
    /// Returns an error if comparing the rules takes too many steps.
    pub(super) fn refused(&self, scope: Scope, rule: &Rule) -> Result<Vec<Rule>, TooComplex> {
        let here = |list: &[Permission]| -> Vec<Rule> {
            let here = list
                .iter()
                .filter(|permission| permission.scope.is_none_or(|own| own == scope));
            here.map(Permission::rule).collect()
        };
        let allow = self.allow.as_deref().map(here);
        let deny = here(&self.deny);
        let steps = Steps::default();
        let mut refused = Vec::new();
        for whole in Region::both(rule) {
            // Subtracting from the whole rule keeps the remaining parts in the order of the rule.
            let mut allowed = whole.clone();
            if let Some(allow) = &allow {
                let mut not_allowed = whole.clone();
                Granted::of(allow).remove_from(&mut not_allowed, &steps)?;
                allowed.remove_all(&not_allowed, &steps)?;
            }
            for denied in &deny {
                if let Some(mask) = meet(denied, &allowed) {
                    allowed.remove(&mask, &steps)?;
                }
            }
            let mut left = whole;
            left.remove_all(&allowed, &steps)?;
            refused.extend(left.into_rules());
        }
        Ok(refused)
    }
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

    #[test]
    fn denied_permissions_are_found_in_wildcards() {
        let denied = |deny: &str, atom: &Rule| {
            let permissions = Permissions {
                allow: None,
                deny: vec![permission(deny)],
            };
            !permissions.refused(Scope::Cluster, atom).unwrap().is_empty()
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
            permissions.refused(Scope::Namespace, atom).unwrap().is_empty()
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
}
