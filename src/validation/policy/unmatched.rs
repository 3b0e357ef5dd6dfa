//! Finds entries of a policy that match nothing, whatever a bundle contains.

use super::matching::{CORE, OUTSIDE_REGISTRIES};
use crate::kubernetes::builtin;
use crate::kubernetes::rbac::{ALL, parent_resource};
use crate::kubernetes::version::is_version;
use crate::validation::api_server::permissions::{VERBS, meant_verb};

/// Words that are not verbs of Kubernetes, with the verbs that they stand for.
const WORDS: [(&str, &str); 7] = [
    ("read", "get, list, watch"),
    ("view", "get, list, watch"),
    ("write", "create, update, patch, delete"),
    ("edit", "update, patch"),
    ("modify", "update, patch"),
    ("remove", "delete, deletecollection"),
    ("all", "*"),
];

/// Returns why a pattern for kinds matches nothing, with advice.
pub(super) fn kind(pattern: &str) -> Option<String> {
    let (group, rest) = pattern.split_once('/')?;
    if is_version(group) {
        // Only the core group is left out of an apiVersion.
        return Some(format!(
            "matches nothing, because kinds are written with a group instead of a version; use {CORE}/{rest}"
        ));
    }
    let (_, kind) = rest.rsplit_once('/')?;
    Some(format!(
        "matches nothing, because kinds are written without a version; use {group}/{kind}"
    ))
}

/// Returns why a pattern for registries matches nothing, with advice.
pub(super) fn registry(pattern: &str) -> Option<String> {
    // The location of an image outside registries contains its tag.
    if OUTSIDE_REGISTRIES.iter().any(|scheme| pattern.starts_with(scheme)) {
        return None;
    }
    let (place, what) = if let Some((place, _)) = pattern.split_once('@') {
        (place, "digest")
    } else {
        let (place, tag) = pattern.rsplit_once(':')?;
        let is_port = !place.contains('/') && tag.starts_with(|first: char| first.is_ascii_digit() || first == '*');
        if is_port || tag.contains('/') {
            return None;
        }
        (place, "tag")
    };
    Some(format!(
        "matches nothing, because images are compared without tag and digest; remove the {what}: {place}"
    ))
}

/// Returns why an API group of a permission matches nothing, with advice.
pub(super) fn api_group(group: &str) -> Option<String> {
    if group.contains('*') && group != ALL {
        return Some("matches nothing, because in API groups * only stands for all of them, as in RBAC".to_owned());
    }
    if group == CORE {
        return Some("matches nothing, because the name of the core group is empty; use \"\"".to_owned());
    }
    if is_version(group) {
        return Some(
            "matches nothing, because it is a version and not an API group; use \"\" for the core group".to_owned(),
        );
    }
    if let Some((bare, _)) = group.split_once('/') {
        return Some(format!(
            "matches nothing, because API groups are written without a version; use {bare:?}"
        ));
    }
    lowercase(group, "API groups")
}

/// Returns why a resource of a permission matches nothing, with advice.
pub(super) fn resource(resource: &str) -> Option<String> {
    let named = resource.strip_prefix("*/").unwrap_or(resource);
    if named.contains('*') && resource != ALL {
        return Some(
            "matches nothing, because in resources * only stands for all of them, and */NAME for the subresource NAME \
             of all of them, as in RBAC"
                .to_owned(),
        );
    }
    let kinds = builtin::all().iter();
    let mut named = kinds.filter(|row| row.kind.eq_ignore_ascii_case(resource));
    match named.next().filter(|_| resource.contains(char::is_uppercase)) {
        Some(row) => Some(format!(
            "matches nothing, because resources are written in lowercase and in the plural; use {}",
            row.resource
        )),
        None => lowercase(resource, "resources"),
    }
}

/// Returns why a verb of a permission matches nothing, with advice. Extensions can define other verbs, also with
/// capital letters.
pub(super) fn verb(verb: &str) -> Option<String> {
    if verb.contains('*') && verb != ALL {
        return Some("matches nothing, because in verbs * only stands for all of them, as in RBAC".to_owned());
    }
    let known = VERBS.contains(&verb.to_lowercase().as_str());
    lowercase(verb, "verbs").filter(|_| known)
}

/// Returns why a non-resource path of a permission matches nothing, with advice.
pub(super) fn path(path: &str) -> Option<String> {
    let (before, _) = path.split_once('*')?;
    let is_prefix = before.len() + ALL.len() == path.len();
    (!is_prefix)
        .then(|| format!("matches nothing, because in paths * only stands for any ending, as in RBAC; use {before}*"))
}

/// Returns why a permission with these numbers of items in its lists matches nothing, with the key of the list that has
/// none. A list that is absent has no number and stands for everything.
pub(super) fn empty_list(size: impl Fn(&str) -> Option<usize>) -> Option<(&'static str, String)> {
    let is_empty = |key: &&'static str| size(key) == Some(0);
    let of_resources = ["apiGroups", "resources"].into_iter().find(is_empty);
    let asks_for_resources = size("apiGroups").is_some() || size("resources").is_some();
    let of_paths = ["nonResourceURLs"].into_iter().find(is_empty);
    let key = ["verbs"]
        .into_iter()
        .find(is_empty)
        .or(match (of_resources, of_paths) {
            (Some(key), _) if size("nonResourceURLs").is_none_or(|size| size == 0) => Some(key),
            (None, Some(key)) if !asks_for_resources => Some(key),
            _ => None,
        })?;
    let reason = format!("matches nothing, because the list {key} is empty; remove {key} to match all");
    Some((key, reason))
}

/// Returns the plural of a built-in resource that is written in the singular. Custom resources can have any names.
pub(super) fn meant_resource(resource: &str) -> Option<String> {
    let parent = parent_resource(resource);
    let mut kinds = builtin::all().iter();
    if builtin::all().iter().any(|row| row.resource == parent) {
        return None;
    }
    let row = kinds.find(|row| row.kind.to_lowercase() == parent)?;
    let subresource = resource.strip_prefix(parent).unwrap_or_default();
    Some(format!(
        "{resource} is not a Kubernetes resource; did you mean {}{subresource}?",
        row.resource
    ))
}

/// Returns the verbs that an unknown verb probably stands for. Extensions can define other verbs.
pub(super) fn meant_verbs(verb: &str) -> Option<String> {
    let word = WORDS.iter().find(|(word, _)| *word == verb).map(|(_, verbs)| *verbs);
    let meant = word.or_else(|| meant_verb(verb))?;
    Some(format!("{verb} is not a Kubernetes verb; did you mean {meant}?"))
}

fn lowercase(text: &str, what: &str) -> Option<String> {
    let lower = text.to_lowercase();
    (lower != text).then(|| format!("matches nothing, because {what} are written in lowercase; use {lower}"))
}
