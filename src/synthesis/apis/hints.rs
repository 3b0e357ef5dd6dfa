//! The entries of `apis` in `olm.yaml`: the kinds of resources, and whether the operator depends on them.

use crate::diagnostic::Diagnostic;
use crate::rules;
use crate::synthesis::Work;
use crate::synthesis::draft::{Origin, Sourced};
use crate::text::Path;
use serde_json::Value;

/// The kind and version of a resource in `olm.yaml`.
pub(super) struct Hinted {
    pub(super) kind: Sourced,
    pub(super) version: Sourced,
}

/// Returns the first entry for this resource, and its position. Other entries for it differ only in the version.
pub(super) fn hint<'a>(work: &Work<'a>, group: &str, resource: &str) -> Option<(usize, &'a Value)> {
    hints(work, group, resource).next()
}

/// Returns the entries for this resource, and their positions.
fn hints<'a>(work: &Work<'a>, group: &str, resource: &str) -> impl Iterator<Item = (usize, &'a Value)> {
    let hints = work.olm.list(&["apis"]).iter().enumerate();
    let text = |hint: &'a Value, key: &str| hint.get(key).and_then(Value::as_str);
    hints.filter(move |(_, hint)| text(hint, "group") == Some(group) && text(hint, "resource") == Some(resource))
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
    for (index, entry) in work.olm.list(&["apis"]).iter().enumerate() {
        let text = |key: &str| entry.get(key).and_then(Value::as_str);
        let (Some(group), Some(resource)) = (text("group"), text("resource")) else {
            continue;
        };
        let earlier: Vec<(usize, &Value)> = hints(work, group, resource).take_while(|(at, _)| *at < index).collect();
        let conflict = earlier.into_iter().find_map(|(first, other)| {
            let differ = |key: &&str| {
                let (left, right) = (value(other, key), value(entry, key));
                left.is_some() && right.is_some() && left != right
            };
            let key = ["kind", "dependency", "apiService"].into_iter().find(differ)?;
            Some((first, key))
        });
        let Some((first, key)) = conflict else { continue };
        let apis = Path::root().key("apis");
        let (first, path) = (apis.index(first), apis.index(index));
        let message = format!("{first} and {path} describe {resource} of group {group}, but differ in {key}");
        let finding = Diagnostic::new(&rules::OLM_API_CONFLICT, message).at(work.olm.place(&path));
        work.report(finding.also(work.olm.place(&first), "the other entry"));
    }
}
