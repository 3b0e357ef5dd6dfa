//! Matches the kinds, images and catalogs of a bundle with the patterns of a policy.

use super::Names;
use crate::image::{Reference, plain_host};
use std::borrow::Cow;
use std::collections::HashSet;

/// The name of the core group in a policy; in Kubernetes, the name of this group is empty.
pub(super) const CORE: &str = "core";
/// The beginnings of the locations of images that are not in registries.
pub(super) const OUTSIDE_REGISTRIES: [&str; 2] = ["oci:", "oci-archive:"];

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
    plain: HashSet<Cow<'p, str>>,
    wild: Vec<Cow<'p, str>>,
}

/// Returns the normal form of a pattern.
type Normal = for<'s> fn(&'s str) -> Cow<'s, str>;

impl<'p> PatternSet<'p> {
    /// Prepares patterns. `normal` removes the parts of a pattern that have no meaning.
    fn of(patterns: &'p [String], normal: Normal) -> Self {
        let patterns = patterns.iter().map(|pattern| normal(pattern));
        let (wild, plain): (Vec<_>, Vec<_>) = patterns.partition(|pattern| pattern.contains('*'));
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
    fn of(names: &'p Names, normal: Normal) -> Self {
        Self {
            allow: names.allow.as_deref().map(|patterns| PatternSet::of(patterns, normal)),
            deny: PatternSet::of(&names.deny, normal),
        }
    }

    /// Prepares patterns for kinds.
    pub(super) fn of_kinds(names: &'p Names) -> Self {
        Self::of(names, |pattern| Cow::Borrowed(pattern))
    }

    /// Prepares patterns for registries.
    pub(super) fn of_registries(names: &'p Names) -> Self {
        Self::of(names, |pattern| Cow::Owned(registry_pattern(pattern)))
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
    contains_place(&registry_pattern(pattern), &place_of(image))
}

/// Returns the normal form of a pattern for registries.
fn registry_pattern(pattern: &str) -> String {
    with_plain_host(pattern.trim_end_matches('/'))
}

/// Returns a location with the shortest spelling of its host. Locations outside registries stay unchanged.
fn with_plain_host(place: &str) -> String {
    if OUTSIDE_REGISTRIES.iter().any(|scheme| place.starts_with(scheme)) {
        return place.to_owned();
    }
    let (host, path) = place.split_at(place.find('/').unwrap_or(place.len()));
    plain_host(host) + path
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
        Ok(Reference::Registry(reference)) => with_plain_host(&reference.full_repository()),
        Ok(_) => image.to_owned(),
        // A container runtime may read what opmx cannot.
        Err(_) => with_plain_host(image),
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
            ("registry.example.com", "registry.example.com:443/team/etcd", true),
            ("registry.example.com:443/team", "registry.example.com/team/etcd", true),
            ("registry.example.com", "Registry.EXAMPLE.com/team/etcd", true),
            ("Registry.example.com", "registry.example.com/team/etcd", true),
            ("registry.example.com", "registry.example.com:5000/team/etcd", false),
            ("registry.example.com:5000", "registry.example.com:443/team/etcd", false),
            ("docker.io", "registry-1.docker.io/team/etcd", true),
            ("registry-1.docker.io/team", "docker.io/team/etcd", true),
            ("index.docker.io", "nginx", true),
            ("oci:Layout", "oci:Layout:v1", false),
            ("oci:Layout:*", "oci:Layout:v1", true),
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

    proptest! {
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
