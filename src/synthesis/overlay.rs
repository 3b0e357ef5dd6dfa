//! Values from `olm.yaml`: names, strings, images, install modes, and descriptions of the inferred APIs.

use super::Work;
use super::annotated::Annotated;
use super::draft::Origin;
use crate::bundle::METADATA;
use crate::bundle::olm_yaml;
use crate::catalog::file_based::picture_type;
use crate::csv;
use crate::diagnostic::Diagnostic;
use crate::olm::install_mode::INSTALL_MODES;
use crate::rules;
use crate::shape::Target;
use crate::text::{Path, Step, canonical, to_json};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};

/// Writes all values that come from `olm.yaml` alone.
pub(super) fn write(work: &mut Work<'_>) {
    for (from, field) in olm_yaml::targeted() {
        match field.target {
            Target::Nowhere => {}
            Target::Copied(to) => copy(work, &from, &to.into()),
            Target::Made(to) => make(work, field.key, &from, &to.into()),
        }
    }
}

/// Writes a field whose form in the ClusterServiceVersion differs from its form in `olm.yaml`. API descriptions are
/// written with the APIs that the manifests define.
fn make(work: &mut Work<'_>, key: &str, from: &Path, to: &Path) {
    match key {
        "minKubeVersion" if work.olm.text(&[key]) != Some(olm_yaml::ANY_KUBE_VERSION) => copy(work, from, to),
        "displayName" => display_name(work, from, to),
        "annotations" => annotations(work, to),
        "installModes" => install_modes(work, to),
        "icon" => icon(work, from, to),
        _ => {}
    }
}

fn copy(work: &mut Work<'_>, from: &Path, to: &Path) {
    if from.get(work.olm.document().value()).is_some_and(says_something) {
        work.draft.copy(to, Origin::olm(work.olm, from));
    } else if let Some(Annotated { value, origin }) = annotated(work, from).cloned() {
        work.draft.put(to, value, [origin]);
    }
}

/// Returns the value that an annotation sets for a top-level key, if the key is missing from `olm.yaml`.
fn annotated<'w>(work: &'w Work<'_>, from: &Path) -> Option<&'w Annotated> {
    let [Step::Key(key)] = from.steps() else {
        return None;
    };
    let unsaid = work.olm.get(&[key]).is_none();
    unsaid.then(|| work.annotated.get(&**key)).flatten()
}

/// Whether a value must be written. An empty string is treated as absent; lists and maps are kept unchanged.
fn says_something(value: &Value) -> bool {
    !value.is_null() && value.as_str() != Some("")
}

/// Writes the display name, which the CSV's schema requires; by default, the name without its version.
fn display_name(work: &mut Work<'_>, from: &Path, to: &Path) {
    let said = work.olm.text(&["displayName"]).is_some_and(|name| !name.is_empty());
    if said || annotated(work, from).is_some_and(|found| says_something(&found.value)) {
        return copy(work, from, to);
    }
    let Some(name) = work.olm.text(&["name"]) else {
        return;
    };
    let version = name.char_indices().find(|(at, _)| {
        let rest = &name.as_bytes()[*at..];
        matches!(rest, [b'.' | b'-', b'v', digit, ..] if digit.is_ascii_digit())
    });
    let short = version.map_or(name, |(at, _)| &name[..at]).to_owned();
    let origin = Origin::olm(work.olm, &Path::root().key("name"));
    let message = format!("olm.yaml contains no displayName, so {short} is used");
    let finding = Diagnostic::new(&rules::OLM_DISPLAYNAME_DEFAULTED, message);
    work.report(finding.at(origin.place()));
    work.draft
        .put(to, short, [origin.derived("the name without its version")]);
}

fn annotations(work: &mut Work<'_>, to: &Path) {
    let root = Path::root().key("annotations");
    let noted = annotated(work, &root).cloned();
    let written = work.olm.get(&["annotations"]);
    let map = written.or(noted.as_ref().map(|noted| &noted.value));
    for (key, value) in map.and_then(Value::as_object).into_iter().flatten() {
        let origin = match &noted {
            Some(noted) => noted.origin.clone(),
            None => Origin::olm(work.olm, &root.key(key)),
        };
        if value.is_object() || value.is_array() {
            let text = if key == crate::olm::annotation::EXAMPLES {
                // People read the examples in a CSV, so the examples are indented.
                let mut sorted = value.clone();
                sorted.sort_all_objects();
                to_json(&sorted).trim_end().to_owned()
            } else {
                canonical::to_string(value)
            };
            let origin = if noted.is_some() {
                origin
            } else {
                origin.derived("written as JSON")
            };
            work.draft.put(&to.key(key), text, [origin]);
            continue;
        }
        match &noted {
            Some(_) => work.draft.put(&to.key(key), value.clone(), [origin]),
            None => work.draft.copy(&to.key(key), origin),
        }
    }
}

/// Writes the modes in their usual order, regardless of their order in `olm.yaml`.
fn install_modes(work: &mut Work<'_>, to: &Path) {
    let modes = work.olm.list(&["installModes"]);
    let mut position = 0;
    for mode in INSTALL_MODES {
        let listed = modes
            .iter()
            .position(|entry| entry.get("type").and_then(Value::as_str) == Some(mode));
        if let Some(index) = listed {
            let from = Path::root().key("installModes").index(index);
            work.draft.copy(&to.index(position), Origin::olm(work.olm, &from));
            position += 1;
        }
    }
}

fn icon(work: &mut Work<'_>, from: &Path, to: &Path) {
    let noted = annotated(work, from).cloned();
    let written = work.olm.get(&["icon"]);
    match written.or(noted.as_ref().map(|noted| &noted.value)) {
        None | Some(Value::Bool(_) | Value::Number(_) | Value::Null) => {}
        Some(Value::Array(images)) => {
            for (index, image) in images.iter().enumerate() {
                check_image(work, image, &from.index(index), noted.as_ref());
            }
            copy(work, from, to);
        }
        Some(image @ Value::Object(_)) => {
            check_image(work, image, from, noted.as_ref());
            copy(work, from, &to.index(0));
        }
        Some(Value::String(text)) => {
            let origin = match &noted {
                Some(noted) => noted.origin.clone(),
                None => Origin::olm(work.olm, from),
            };
            // Only `olm.yaml` can specify a file.
            let file = work.olm.icon_path();
            let (bytes, how) = match (file, work.icon) {
                (Some(path), None) => return absent_icon(work, path, &origin),
                (Some(_), Some(bytes)) => (
                    Some(bytes.to_vec()),
                    "the file in base64, with the media type inferred from its first bytes",
                ),
                (None, _) => (
                    picture_type::decoded(text),
                    "the media type is inferred from the first bytes of the image",
                ),
            };
            let image = bytes.and_then(|bytes| Some((picture_type::web_type(&bytes)?, bytes)));
            let Some(((media_type, _), bytes)) = image else {
                let message = match file {
                    Some(path) => format!("{path} is not a PNG, JPEG, GIF, WebP or SVG image"),
                    None => "icon is not a base64-encoded PNG, JPEG, GIF, WebP or SVG image".to_owned(),
                };
                return work.report(Diagnostic::new(&rules::OLM_ICON, message).at(origin.place()));
            };
            let value = json!({"base64data": STANDARD.encode(bytes), "mediatype": media_type});
            let origin = if noted.is_some() { origin } else { origin.derived(how) };
            work.draft.put(&to.index(0), value, [origin]);
        }
    }
}

/// Reports an image whose data is not base64, because catalogs would omit it, or is not an image.
fn check_image(work: &mut Work<'_>, image: &Value, from: &Path, noted: Option<&Annotated>) {
    let Some(data) = image.get("base64data").and_then(Value::as_str) else {
        return;
    };
    let fault = match picture_type::decoded(data) {
        None => "is not base64",
        Some(bytes) if bytes.is_empty() => return,
        // A type that only other programs show is not an error: the author states the media type.
        Some(bytes) if picture_type::media_type(&bytes).is_some() => return,
        Some(_) => "is not an image",
    };
    let path = from.key("base64data");
    let place = noted.map_or_else(|| work.olm.place(&path), |noted| noted.origin.place());
    work.report(Diagnostic::new(&rules::OLM_ICON, format!("{path} {fault}")).at(place));
}

/// Reports a missing icon file. A bundle image contains only manifests and metadata, so the file must be in the
/// metadata folder.
fn absent_icon(work: &mut Work<'_>, path: &str, origin: &Origin) {
    let name = path.rsplit('/').next().unwrap_or(path);
    let finding = if path.starts_with(&format!("{METADATA}/")) {
        Diagnostic::new(&rules::OLM_ICON_FILE, format!("the bundle contains no file {path}"))
    } else {
        let message = format!("the icon {path} is not in {METADATA}/, so it is not part of the bundle");
        let help = format!("Move the file to {METADATA}/ and set icon: {METADATA}/{name}.");
        Diagnostic::new(&rules::OLM_ICON_FILE, message).help(help)
    };
    work.report(finding.at(origin.place()));
}

/// The descriptions of owned APIs in a section of `olm.yaml`, by the values of the keys that identify an API.
pub(super) struct Described<'a> {
    section: &'static str,
    keys: &'static [&'static str],
    places: HashMap<Vec<Option<&'a Value>>, usize>,
}

impl<'a> Described<'a> {
    pub(super) fn of(work: &Work<'a>, section: &'static str, keys: &'static [&'static str]) -> Self {
        let mut places = HashMap::new();
        for (index, entry) in work.olm.list(&[section, "owned"]).iter().enumerate() {
            places.entry(identity(entry, keys)).or_insert(index);
        }
        Self { section, keys, places }
    }
}

/// Adds the description in `olm.yaml` to an inferred API entry. Returns the keys that `olm.yaml` sets.
pub(super) fn describe(work: &mut Work<'_>, entry: &Path, described: &Described<'_>) -> Vec<String> {
    let section = described.section;
    let inferred = work.draft.get(entry);
    let found = inferred.and_then(|entry| described.places.get(&identity(entry, described.keys)));
    let Some(index) = found.copied() else {
        return Vec::new();
    };
    let said = work.olm.list(&[section, "owned"]).get(index).and_then(Value::as_object);
    let said = said
        .into_iter()
        .flatten()
        .filter(|(_, value)| !value.is_null())
        .map(|(key, _)| key.clone());
    let said = said.collect();
    let from = Path::root().key(section).key("owned").index(index);
    for field in olm_yaml::description_fields(section) {
        copy(work, &from.key(field.key), &entry.key(field.key));
    }
    resources(work, &from.key("resources"), &entry.key("resources"));
    said
}

/// Writes an empty string for each field that `olm.yaml` omits from a resource, as OLM does.
fn resources(work: &mut Work<'_>, from: &Path, to: &Path) {
    let listed = work.draft.get(to).and_then(Value::as_array);
    let absent: Vec<_> = listed.into_iter().flatten().map(csv::absent_of_resource).collect();
    for (index, absent) in absent.iter().enumerate().filter(|(_, absent)| !absent.is_empty()) {
        let from = from.index(index);
        let message = format!(
            "{from} contains no {}; OLM writes absent fields as empty strings",
            absent.join(" and no ")
        );
        let finding = Diagnostic::new(&rules::CSV_RESOURCE_FIELD, message);
        work.report(finding.at(work.olm.place(&from)));
        for field in absent {
            work.draft.constant(&to.index(index).key(field), "");
        }
    }
}

/// Reports descriptions of APIs that the manifests do not define, because the mistake would otherwise go unnoticed. An
/// entry that lacks one of `keys` is skipped, because the field checks report the missing key. `excused` returns `true`
/// for a description that must not be reported, because its API exists but is not in the CSV for another reason.
pub(super) fn report_unmatched(
    work: &mut Work<'_>,
    section: &str,
    list: &Path,
    keys: &[&str],
    excused: &dyn Fn(&Value) -> bool,
) {
    let described = work.olm.list(&[section, "owned"]);
    let inferred = work
        .draft
        .get(list)
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_default();
    let identities: HashSet<Vec<Option<&Value>>> = inferred.iter().map(|inferred| identity(inferred, keys)).collect();
    for (index, entry) in described.iter().enumerate() {
        let is_whole = keys.iter().all(|key| entry.get(key).is_some());
        if !is_whole || excused(entry) || identities.contains(&identity(entry, keys)) {
            continue;
        }
        let from = Path::root().key(section).key("owned").index(index);
        let name = entry.get("name").and_then(Value::as_str).unwrap_or_default();
        let message = format!("{from} describes {name}, but the manifests define no such API");
        let owned: Vec<String> = inferred
            .iter()
            .map(|inferred| {
                keys.iter()
                    .map(|key| inferred[key].as_str().unwrap_or_default())
                    .collect::<Vec<_>>()
                    .join(" ")
            })
            .collect();
        let mut finding = Diagnostic::new(&rules::OLM_OVERLAY_UNMATCHED, message).at(work.olm.place(&from));
        if !owned.is_empty() {
            finding = finding.help(format!(
                "The manifests define these APIs ({}): {}.",
                keys.join(", "),
                owned.join("; ")
            ));
        }
        work.report(finding);
    }
}

/// Returns the values of the keys that identify an API.
fn identity<'v>(api: &'v Value, keys: &[&str]) -> Vec<Option<&'v Value>> {
    keys.iter().map(|key| api.get(key)).collect()
}
