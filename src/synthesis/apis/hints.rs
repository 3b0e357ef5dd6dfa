//! The entries of `apis` in `olm.yaml`: the kinds of resources, and whether the operator depends on them.

use crate::bundle::olm_yaml::Olm;
use crate::diagnostic::Diagnostic;
use crate::rules;
use crate::synthesis::Work;
use crate::synthesis::draft::{Origin, Sourced};
use crate::text::Path;
use serde_json::Value;
use std::collections::HashMap;

/// The kind and version of a resource in `olm.yaml`.
pub(super) struct Hinted {
    pub(super) kind: Sourced,
    pub(super) version: Sourced,
}

/// The positions of the entries for each resource, by group and resource.
pub(in crate::synthesis) type Entries<'a> = HashMap<(&'a str, &'a str), Vec<usize>>;

/// Returns the positions of the entries for each resource.
pub(in crate::synthesis) fn entries(olm: Olm<'_>) -> Entries<'_> {
    let mut entries = Entries::new();
    for (index, entry) in olm.list(&["apis"]).iter().enumerate() {
        if let Some(resource) = described(entry) {
            entries.entry(resource).or_default().push(index);
        }
    }
    entries
}

/// Returns the group and the resource that an entry describes.
fn described(entry: &Value) -> Option<(&str, &str)> {
    Some((entry.get("group")?.as_str()?, entry.get("resource")?.as_str()?))
}

/// Returns the first entry for this resource, and its position. Other entries for it differ only in the version.
pub(super) fn hint<'a>(work: &Work<'a>, group: &str, resource: &str) -> Option<(usize, &'a Value)> {
    hints(work, group, resource).next()
}

/// Returns the entries for this resource, and their positions.
fn hints<'w, 'a>(
    work: &'w Work<'a>,
    group: &'w str,
    resource: &'w str,
) -> impl Iterator<Item = (usize, &'a Value)> + use<'w, 'a> {
    let all = work.olm.list(&["apis"]);
    let found = work.api_entries.get(&(group, resource)).into_iter().flatten();
    found.filter_map(|index| Some((*index, all.get(*index)?)))
}

/// Returns the kind and each version in the entries for this resource.
pub(super) fn hinted(work: &Work<'_>, group: &str, resource: &str) -> Vec<Hinted> {
    let complete = hints(work, group, resource).filter_map(|(index, hint)| {
        let path = Path::root().key("apis").index(index);
        let field = |key: &str| -> Option<Sourced> {
            let origin = Origin::olm(work.olm, &path.key(key));
            Some((hint.get(key)?.as_str()?.to_owned(), vec![origin]))
        };
        Some(Hinted {
            kind: field("kind")?,
            version: field("version")?,
        })
    });
    complete.collect()
}

/// Reports entries for the same resource that differ in more than the version, because only one of them could apply.
pub(super) fn contradictions(work: &mut Work<'_>) {
    // An entry without these keys says the same as one with these values.
    let defaults = [
        ("dependency", Value::from("required")),
        ("apiService", Value::from(false)),
    ];
    let value = |entry: &Value, key: &str| {
        let written = entry.get(key).filter(|value| !value.is_null()).cloned();
        let default = || Some(defaults.iter().find(|(name, _)| *name == key)?.1.clone());
        written.or_else(default)
    };
    let mut stated = HashMap::new();
    for (index, entry) in work.olm.list(&["apis"]).iter().enumerate() {
        let Some((group, resource)) = described(entry) else {
            continue;
        };
        let conflict = ["kind", "dependency", "apiService"].into_iter().find_map(|key| {
            let value = value(entry, key)?;
            let (first, other) = stated
                .entry((group, resource, key))
                .or_insert_with(|| (index, value.clone()));
            (*other != value).then_some((*first, key))
        });
        let Some((first, key)) = conflict else { continue };
        let apis = Path::root().key("apis");
        let (first, path) = (apis.index(first), apis.index(index));
        let message = format!("{first} and {path} describe {resource} of group {group}, but differ in {key}");
        let finding = Diagnostic::new(&rules::OLM_API_CONFLICT, message).at(work.olm.place(&path));
        work.report(finding.also(work.olm.place(&first), "the other entry"));
    }
}
