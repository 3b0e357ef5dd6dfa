//! The lists of required and native APIs, in a fixed order.

use crate::kubernetes::version::compare_priority;
use crate::synthesis::Work;
use crate::synthesis::draft::{Origin, Sourced};
use crate::text::Path;
use serde_json::Value;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// A required API that was inferred.
pub(super) struct Requirement {
    /// Whether the API is aggregated, that is, served by an APIService.
    pub(super) aggregated: bool,
    pub(super) fields: BTreeMap<&'static str, Sourced>,
}

/// An API that the cluster itself must serve.
pub(super) struct Native {
    pub(super) group: Sourced,
    pub(super) version: Sourced,
    pub(super) kind: Sourced,
}

/// The key by which entries are sorted and identified: group, name, version, kind.
type Key = [String; 4];

/// The origin of an entry.
enum EntryOrigin {
    /// `olm.yaml` lists the entry, at this position.
    Listed(usize),
    Inferred(BTreeMap<&'static str, Sourced>),
}

/// Writes the entries of `olm.yaml` and the inferred entries, without duplicates.
pub(super) fn write_required(work: &mut Work<'_>, inferred: Vec<Requirement>) {
    let (aggregated, custom): (Vec<_>, Vec<_>) = inferred.into_iter().partition(|entry| entry.aggregated);
    write_section(work, "customresourcedefinitions", custom);
    write_section(work, "apiservicedefinitions", aggregated);
}

fn write_section(work: &mut Work<'_>, section: &str, inferred: Vec<Requirement>) {
    let listed = Path::root().key(section).key("required");
    let key = |text: &dyn Fn(&str) -> String| -> Key { ["group", "name", "version", "kind"].map(text) };
    let explicit = work
        .olm
        .list(&[section, "required"])
        .iter()
        .enumerate()
        .map(|(index, entry)| {
            let text = |name: &str| entry.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
            (key(&text), EntryOrigin::Listed(index))
        });
    let inferred = inferred.into_iter().map(|entry| {
        let text = |name: &str| entry.fields.get(name).map(|(text, _)| text.clone()).unwrap_or_default();
        (key(&text), EntryOrigin::Inferred(entry.fields))
    });
    let mut entries: Vec<(Key, EntryOrigin)> = explicit.chain(inferred).collect();
    entries.sort_by(|(left, _), (right, _)| order(left, right));
    entries.dedup_by(|(later, _), (earlier, _)| later == earlier);
    let list = Path::root().key("spec").key(section).key("required");
    for (position, (_, source)) in entries.into_iter().enumerate() {
        let entry = list.index(position);
        match source {
            EntryOrigin::Listed(index) => work.draft.copy(&entry, Origin::olm(work.olm, &listed.index(index))),
            EntryOrigin::Inferred(fields) => {
                for (field, (text, origins)) in fields {
                    work.draft.put(&entry.key(field), text, origins);
                }
            }
        }
    }
}

fn order([group, name, version, kind]: &Key, [other_group, other_name, other_version, other_kind]: &Key) -> Ordering {
    let names = (group, name).cmp(&(other_group, other_name));
    names
        .then_with(|| compare_priority(version, other_version))
        .then_with(|| kind.cmp(other_kind))
}

/// Writes the entries of `olm.yaml` and the inferred entries, without duplicates.
pub(super) fn write_native(work: &mut Work<'_>, mut natives: Vec<Native>) {
    for (index, entry) in work.olm.list(&["nativeAPIs"]).iter().enumerate() {
        let path = Path::root().key("nativeAPIs").index(index);
        let field = |key: &str| {
            let text = entry.get(key).and_then(Value::as_str).unwrap_or_default();
            (text.to_owned(), vec![Origin::olm(work.olm, &path.key(key))])
        };
        natives.push(Native {
            group: field("group"),
            version: field("version"),
            kind: field("kind"),
        });
    }
    natives.sort_by(|left, right| {
        let group = left.group.0.cmp(&right.group.0);
        group
            .then_with(|| compare_priority(&left.version.0, &right.version.0))
            .then_with(|| left.kind.0.cmp(&right.kind.0))
    });
    let name = |native: &Native| (native.group.0.clone(), native.version.0.clone(), native.kind.0.clone());
    natives.dedup_by_key(|native| name(native));
    let list = Path::root().key("spec").key("nativeAPIs");
    for (position, native) in natives.into_iter().enumerate() {
        let entry = list.index(position);
        for (field, (text, origins)) in [
            ("group", native.group),
            ("version", native.version),
            ("kind", native.kind),
        ] {
            work.draft.put(&entry.key(field), text, origins);
        }
    }
}
