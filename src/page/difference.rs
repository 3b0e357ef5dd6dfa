//! The page of what differs between two versions.

use super::access::{Access, Row};
use super::change::{Change, Part, facts, of_maps, part};
use super::facts::{Api, group_version};
use super::fields::{ApiVersion, Definition, Field};
use super::frame::{File, Frame, Site, page};
use super::model::{Model, Release};
use super::package_page::VersionLink;
use super::path;
use crate::install::permissions::{Need, approved, pending};
use crate::kubernetes::rbac::account::Grants;
use askama::Template;
use std::collections::BTreeMap;

/// How a digest begins, and the characters behind that are shown.
const DIGEST: &str = "sha256:";
const SHORT: usize = 16;

#[derive(Template)]
#[template(path = "page/difference.html")]
struct DifferencePage<'a> {
    frame: Frame<'a>,
    package: &'a str,
    from: VersionLink,
    to: VersionLink,
    parts: Vec<Part>,
    breaking: usize,
    has_manifests: bool,
}

/// What differs in `after`.
///
/// # Errors
/// As [`page`].
pub(super) fn difference_page(
    site: &Site,
    model: &Model<'_>,
    before: &Release,
    after: &Release,
) -> Result<File, askama::Error> {
    let path = path::difference(&model.package.name, &before.name, &after.name);
    let parts = parts(before, after);
    let link = |version: &Release| VersionLink {
        bundle: version.name.clone(),
        version: version.version.clone(),
        path: format!("../{}", version.path.rsplit('/').next().unwrap_or_default()),
    };
    let title = format!("{} → {} · {}", before.version, after.version, model.display_name());
    let changes = parts.iter().flat_map(|part| &part.changes);
    let filled = DifferencePage {
        frame: Frame::new(site, &path, title),
        package: &model.package.name,
        from: link(before),
        to: link(after),
        breaking: changes.filter(|change| change.breaking).count(),
        has_manifests: before.has_manifests() && after.has_manifests(),
        parts,
    };
    page(&path, &filled)
}

fn parts(before: &Release, after: &Release) -> Vec<Part> {
    let parts = [
        part("Facts", told(before, after)),
        part("Install modes", modes(before, after)),
        part("APIs", of_maps(&apis(&before.owned), &apis(&after.owned), true)),
        part(
            "APIs needed from others",
            of_maps(&apis(&before.required), &apis(&after.required), false),
        ),
        part("Fields of the APIs", fields(before, after)),
        part("Permissions", permissions(before, after)),
        part("Images", shortened(of_maps(&images(before), &images(after), false))),
        part("Dependencies", of_maps(&needs(before), &needs(after), false)),
    ];
    parts.into_iter().flatten().collect()
}

/// Facts other than those that every version has of its own.
fn told(before: &Release, after: &Release) -> Vec<Change> {
    let (mut old, mut new) = (facts(&before.facts.rows), facts(&after.facts.rows));
    for facts in [&mut old, &mut new] {
        for own in ["Version", "Bundle", "Bundle image", "Created"] {
            facts.remove(own);
        }
    }
    shortened(of_maps(&old, &new, false))
}

fn modes(before: &Release, after: &Release) -> Vec<Change> {
    let modes = |version: &Release| -> BTreeMap<String, String> {
        let supported = version.facts.install_modes.iter().filter(|(_, supported)| *supported);
        supported.map(|(name, _)| (name.clone(), String::new())).collect()
    };
    of_maps(&modes(before), &modes(after), true)
}

fn apis(apis: &[Api]) -> BTreeMap<String, String> {
    let name = |api: &Api| format!("{} ({})", api.kind, group_version(&api.group, &api.version));
    apis.iter().map(|api| (name(api), String::new())).collect()
}

/// Images by where they are, with their tags or digests.
fn images(version: &Release) -> BTreeMap<String, String> {
    let mut images: BTreeMap<String, String> = BTreeMap::new();
    for image in &version.images {
        let (place, which) = match image.image.split_once('@') {
            Some((place, digest)) => (place, digest),
            None => match image.image.rsplit_once(':').filter(|(_, tag)| !tag.contains('/')) {
                Some((place, tag)) => (place, tag),
                None => (image.image.as_str(), ""),
            },
        };
        let several = images.entry(place.to_owned()).or_default();
        let between = if several.is_empty() { "" } else { ", " };
        several.push_str(between);
        several.push_str(which);
    }
    images
}

fn needs(version: &Release) -> BTreeMap<String, String> {
    let needs = version.needs.iter();
    needs.map(|need| (need.wish.clone(), need.intent.to_owned())).collect()
}

/// The same with digests by their first characters, which tell them apart from any other.
fn shortened(mut changes: Vec<Change>) -> Vec<Change> {
    for value in changes
        .iter_mut()
        .flat_map(|change| [&mut change.before, &mut change.after])
    {
        let mut rest = value.as_str();
        let mut short = String::new();
        while let Some((before, behind)) = rest.split_once(DIGEST) {
            let end = behind
                .find(|letter: char| !letter.is_ascii_hexdigit())
                .unwrap_or(behind.len());
            let (digest, others) = behind.split_at(end);
            let shown = digest.get(..SHORT).filter(|shown| shown.len() < digest.len());
            short += before;
            short += DIGEST;
            short += shown.unwrap_or(digest);
            short += if shown.is_some() { "…" } else { "" };
            rest = others;
        }
        *value = short + rest;
    }
    changes
}

/// What differs in the fields of definitions that both versions bring.
fn fields(before: &Release, after: &Release) -> Vec<Change> {
    let mut changes = Vec::new();
    for old in &before.definitions {
        let Some(new) = after.definition(&old.name).filter(|new| new.digest != old.digest) else {
            continue;
        };
        for version in &old.versions {
            let name = format!("{} {}", old.kind, version.name);
            match new.versions.iter().find(|other| other.name == version.name) {
                None => changes.push(Change::removed(format!("{name}: the version")).breaking(version.is_served)),
                Some(other) => {
                    if version.is_served && !other.is_served {
                        changes.push(
                            Change::changed(format!("{name}: the version"), "served", "not served").breaking(true),
                        );
                    }
                    changes.extend(of_version(&name, version, other));
                }
            }
        }
        changes.extend(new_versions(old, new));
    }
    changes
}

fn new_versions<'a>(old: &'a Definition, new: &'a Definition) -> impl Iterator<Item = Change> + 'a {
    let known = |name: &str| old.versions.iter().any(|version| version.name == name);
    let new_ones = new.versions.iter().filter(move |version| !known(&version.name));
    new_ones.map(|version| Change::added(format!("{} {}: the version", new.kind, version.name)))
}

fn of_version(name: &str, before: &ApiVersion, after: &ApiVersion) -> Vec<Change> {
    let by_path = |version: &ApiVersion| -> BTreeMap<String, Field> {
        let fields = version.fields.iter();
        fields.map(|field| (field.path.clone(), field.clone())).collect()
    };
    let (old, new) = (by_path(before), by_path(after));
    let mut changes = Vec::new();
    for (path, field) in &old {
        let what = format!("{name}: {path}");
        match new.get(path) {
            // What goes with the field that it is a part of is not told again.
            None if parent(path, &old).is_some_and(|parent| !new.contains_key(parent)) => {}
            None => changes.push(Change::removed(what).breaking(true)),
            Some(other) => changes.extend(of_field(&what, field, other)),
        }
    }
    for (path, field) in &new {
        if !old.contains_key(path) && parent(path, &new).is_none_or(|parent| old.contains_key(parent)) {
            // A new required field breaks objects only where what it is a part of was there.
            changes.push(Change::added(format!("{name}: {path}")).breaking(field.required));
        }
    }
    changes
}

/// The field that one is a part of.
fn parent<'a>(path: &'a str, known: &BTreeMap<String, Field>) -> Option<&'a str> {
    let mut at = path;
    while let Some((above, _)) = at.rsplit_once('.') {
        let bare = above.trim_end_matches("[]");
        if known.contains_key(bare) {
            return Some(bare);
        }
        at = above;
    }
    None
}

fn of_field(what: &str, before: &Field, after: &Field) -> Vec<Change> {
    let mut changes = Vec::new();
    if before.kind != after.kind {
        changes.push(Change::changed(format!("{what}, type"), &before.kind, &after.kind).breaking(true));
    }
    if before.required != after.required {
        let words = |required: bool| if required { "required" } else { "optional" };
        let change = Change::changed(what, words(before.required), words(after.required));
        changes.push(change.breaking(after.required));
    }
    let bounds = |field: &Field| -> BTreeMap<String, String> {
        let bounds = field.bounds.iter();
        bounds
            .map(|(name, value)| ((*name).to_owned(), value.clone()))
            .collect()
    };
    let (old, new) = (bounds(before), bounds(after));
    for mut change in of_maps(&old, &new, false) {
        change.breaking = narrows(&change.what, old.get(&change.what), new.get(&change.what));
        if change.kind == "added" {
            change.after = new.get(&change.what).cloned().unwrap_or_default();
        }
        change.what = format!("{what}, {}", change.what);
        changes.push(change);
    }
    changes
}

/// Whether a bound allows less than before.
fn narrows(bound: &str, before: Option<&String>, after: Option<&String>) -> bool {
    let numbers = || Some((before?.parse::<f64>().ok()?, after?.parse::<f64>().ok()?));
    match (bound, before, after) {
        ("may be null", Some(_), None) => true,
        ("default" | "may be null", ..) | (_, _, None) => false,
        (_, None, Some(_)) => true,
        ("one of", Some(before), Some(after)) => {
            let after: Vec<&str> = after.split(", ").collect();
            before.split(", ").any(|value| !after.contains(&value))
        }
        ("at least" | "shortest" | "fewest items" | "fewest entries", ..) => {
            numbers().is_none_or(|(before, after)| after > before)
        }
        ("at most" | "longest" | "most items" | "most entries", ..) => {
            numbers().is_none_or(|(before, after)| after < before)
        }
        _ => true,
    }
}

/// Permissions that the newer version needs and the older did not, and those that it needs no longer.
fn permissions(before: &Release, after: &Release) -> Vec<Change> {
    let known = |version: &'_ Release| -> Option<Vec<Need>> {
        match &version.access {
            Some(Ok(Access { needs, .. })) => Some(needs.clone()),
            _ => None,
        }
    };
    let (Some(old), Some(new)) = (known(before), known(after)) else {
        return Vec::new();
    };
    let more = |needs: &[Need], than: &[Need]| {
        let held = approved(than, Grants::default());
        let missing = pending(needs, &held).unwrap_or_default();
        missing
            .iter()
            .map(|permission| Row::of(permission, &[]))
            .collect::<Vec<_>>()
    };
    let words = |row: &Row| {
        let [place, group, resource, names, verbs] = &row.cells;
        let names = if names.is_empty() {
            String::new()
        } else {
            format!(" named {names}")
        };
        let place = if place == "(all)" {
            String::new()
        } else {
            format!(" in {place}")
        };
        format!("{verbs} {resource}{names} of {group}{place}")
    };
    let gained = more(&new, &old).into_iter().map(|row| Change {
        remarks: row.dangers.clone(),
        ..Change::added(words(&row))
    });
    let lost = more(&old, &new).into_iter().map(|row| Change::removed(words(&row)));
    gained.chain(lost).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn definition(properties: &serde_json::Value, required: &[&str]) -> ApiVersion {
        let object = json!({"kind": "CustomResourceDefinition", "spec": {"versions": [{"name": "v1", "served": true,
            "schema": {"openAPIV3Schema": {"properties": {"spec": {"type": "object", "properties": properties, "required": required}}}}}]}});
        Definition::read(&object).unwrap().versions.remove(0)
    }

    #[test]
    fn digests_are_shown_short_and_compared_whole() {
        let digest = |end: &str| format!("sha256:{}{end}", "0".repeat(63));
        let image = |end: &str| BTreeMap::from([("registry.example.com/a".to_owned(), digest(end))]);
        let changes = shortened(of_maps(&image("1"), &image("2"), false));
        assert_eq!(changes.len(), 1);
        assert_eq!(changes[0].before, "sha256:0000000000000000…");
        assert_eq!(
            shortened(vec![Change::changed("a", "v1, sha256:12", "")])[0].before,
            "v1, sha256:12"
        );
    }

    #[test]
    fn fields_that_go_and_bounds_that_narrow_break_users() {
        let before = definition(
            &json!({
                "gone": {"type": "object", "properties": {"inside": {"type": "string"}}},
                "size": {"type": "integer", "minimum": 1, "maximum": 5},
                "mode": {"type": "string", "enum": ["a", "b"]},
                "name": {"type": "string"},
            }),
            &["name"],
        );
        let after = definition(
            &json!({
                "size": {"type": "integer", "minimum": 0, "maximum": 3, "default": 2},
                "mode": {"type": "string", "enum": ["a", "b", "c"]},
                "name": {"type": "integer"},
                "must": {"type": "object", "properties": {"part": {"type": "string"}}},
            }),
            &["must"],
        );
        let told: Vec<String> = of_version("Pad v1", &before, &after)
            .iter()
            .map(|change| {
                format!(
                    "{}{} {} -> {} {}",
                    change.mark, change.what, change.before, change.after, change.breaking
                )
            })
            .collect();
        assert_eq!(
            told,
            [
                "−Pad v1: spec.gone  ->  true",
                "~Pad v1: spec.mode, one of a, b -> a, b, c false",
                "~Pad v1: spec.name, type string -> integer true",
                "~Pad v1: spec.name required -> optional false",
                "~Pad v1: spec.size, at least 1 -> 0 false",
                "~Pad v1: spec.size, at most 5 -> 3 true",
                "+Pad v1: spec.size, default  -> 2 false",
                "+Pad v1: spec.must  ->  true",
            ]
        );
    }
}
