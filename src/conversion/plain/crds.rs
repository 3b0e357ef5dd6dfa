//! Converts the owned CRDs of a CSV: describes the versions that the CRDs define, and adds the served versions that the
//! CSV omits.

use super::Work;
use super::fit::lost;
use crate::manifest::Object;
use crate::synthesis::{described_versions, served_versions};
use crate::text::Path;
use serde_json::{Map, Value, json};

/// Converts the entries of the CSV, which are already in `values`, into descriptions of the versions that the CRDs
/// serve. Also adds the served versions that the CSV does not list.
pub(super) fn describe(work: &mut Work<'_>, values: &mut Map<String, Value>) {
    let crds: Vec<&Object> = work
        .others
        .iter()
        .copied()
        .filter(|object| object.gvk().is("apiextensions.k8s.io", "CustomResourceDefinition"))
        .collect();
    let served: Vec<(&str, &str, &str)> = crds
        .iter()
        .flat_map(|crd| {
            let kind = crd.text(&["spec", "names", "kind"]).unwrap_or_default();
            served_versions(crd)
                .into_iter()
                .map(move |version| (crd.name(), version, kind))
        })
        .collect();
    let list = Path::root().key("spec").key("customresourcedefinitions").key("owned");
    let section = values.entry("customresourcedefinitions").or_insert_with(|| json!({}));
    let Value::Object(section) = section else { return };
    let entries = match section.shift_remove("owned") {
        Some(Value::Array(entries)) => entries,
        _ => Vec::new(),
    };
    let key = |entry: &Value| {
        let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        (text("name"), text("version"), text("kind"))
    };
    let is = |entry: &Value, (name, version, kind): &(&str, &str, &str)| {
        let (own_name, own_version, own_kind) = key(entry);
        (own_name.as_str(), own_version.as_str(), own_kind.as_str()) == (*name, *version, *kind)
    };
    let original = list.get(work.csv.value()).and_then(Value::as_array);
    let by_schema: Vec<(&str, &str)> = crds
        .iter()
        .flat_map(|crd| described_versions(crd).into_iter().map(|version| (crd.name(), version)))
        .collect();
    let mut described = Vec::new();
    for entry in &entries {
        let mut entry = entry.clone();
        let (name, version, _) = key(&entry);
        let described_by_schema = by_schema.contains(&(name.as_str(), version.as_str()));
        if described_by_schema
            && entry.get("description").is_none()
            && let Some(map) = entry.as_object_mut()
        {
            // The CSV has no description, but the synthesis would add the description in the CRD's schema.
            map.insert("description".to_owned(), "".into());
        }
        let entry = &entry;
        if !served.iter().any(|version| is(entry, version)) {
            let index = original.and_then(|list| list.iter().position(|other| key(other) == key(entry)));
            let (name, version, kind) = key(entry);
            let why =
                format!("({version} {kind} of {name}) is not served by any CustomResourceDefinition of the bundle");
            lost(
                &mut work.findings,
                work.csv,
                &list.index(index.unwrap_or_default()),
                &why,
            );
        } else if entry.as_object().is_some_and(|map| map.len() > 3) {
            described.push(entry.clone());
        }
    }
    let unlisted: Vec<Value> = served
        .iter()
        .filter(|version| !entries.iter().any(|entry| is(entry, version)))
        .map(|(name, version, _)| json!({"name": name, "version": version}))
        .collect();
    for (key, entries) in [("unlisted", unlisted), ("owned", described)] {
        if !entries.is_empty() {
            section.shift_insert(0, key.to_owned(), entries.into());
        }
    }
    if section.is_empty() {
        values.shift_remove("customresourcedefinitions");
    }
}
