//! Finds entries of a policy that match nothing, whatever a bundle contains.

use crate::kubernetes::builtin;
use crate::validation::api_server::permissions::VERBS;

/// Returns why a pattern for kinds matches nothing, with advice.
pub(super) fn kind(pattern: &str) -> Option<String> {
    let (group, rest) = pattern.split_once('/')?;
    let (_, kind) = rest.rsplit_once('/')?;
    Some(format!(
        "matches nothing, because kinds are written without a version; use {group}/{kind}"
    ))
}

/// Returns why a pattern for registries matches nothing, with advice.
pub(super) fn registry(pattern: &str) -> Option<String> {
    // The location of an image outside registries contains its tag.
    if ["oci:", "oci-archive:"]
        .iter()
        .any(|scheme| pattern.starts_with(scheme))
    {
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
    if group == super::matching::CORE {
        return Some("matches nothing, because the name of the core group is empty; use \"\"".to_owned());
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

/// Returns why a verb of a permission matches nothing, with advice. Extensions can define other verbs, also with capital
/// letters.
pub(super) fn verb(verb: &str) -> Option<String> {
    let known = VERBS.contains(&verb.to_lowercase().as_str());
    lowercase(verb, "verbs").filter(|_| known)
}

fn lowercase(text: &str, what: &str) -> Option<String> {
    let lower = text.to_lowercase();
    (lower != text).then(|| format!("matches nothing, because {what} are written in lowercase; use {lower}"))
}
