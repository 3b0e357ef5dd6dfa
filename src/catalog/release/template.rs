//! Adding a version to a template; the rest of its text is unchanged.

use super::TemplateRelease;
use crate::catalog::file_based::draft::{Draft, DraftError, NewBundle, Placement, Revised};
use crate::catalog::file_based::shown::Shown;
use crate::catalog::file_based::template::Kind;
use crate::catalog::file_based::{Schema, WrittenEntry};
use crate::catalog::graph::Mode;
use crate::text::{self, Document, ReviseError};
use semver::Version;
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// The bundle lists of a semver template, as spelled in new templates.
const LISTS: [&str; 3] = ["Candidate", "Fast", "Stable"];

/// The bundle to add to a template.
#[derive(Debug, Clone, Copy)]
pub struct TemplateChange<'b> {
    /// The package of the bundle.
    pub package: &'b str,
    /// The name of the bundle.
    pub name: &'b str,
    /// The version of the bundle.
    pub version: Option<&'b Version>,
    /// What user interfaces show of a new package.
    pub shown: &'b Shown,
    /// The image reference for the template.
    pub image: &'b str,
    /// The image that the template already contains for a bundle with this name.
    pub known_image: Option<&'b str>,
    /// Whether to replace the existing image, and edges that differ.
    pub overwrite: bool,
}

/// The reason why a version cannot be added to a template.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TemplateChangeError {
    /// The version does not fit into a channel.
    #[error(transparent)]
    Draft(#[from] DraftError),
    /// The form of the template does not allow the change.
    #[error(transparent)]
    Revise(#[from] ReviseError),
}

/// Adds a version to the template as `release` requests, and returns the new text. Without a template, returns the text
/// of a new one.
///
/// # Errors
/// Returns an error if the version does not fit, or the form of the template does not allow the change.
pub fn released(
    template: Option<&Document>,
    kind: Kind,
    release: &TemplateRelease,
    change: &TemplateChange<'_>,
) -> Result<String, TemplateChangeError> {
    let before = template.map(|template| template.value().clone());
    let value = match kind {
        Kind::Semver => semver(before, release, change),
        _ => basic(before, release, change)?,
    };
    Ok(match template {
        Some(template) => text::revise(template, &value)?,
        None => text::to_yaml(&value),
    })
}

/// Returns the schema of a template, whose keys may be capitalized.
pub(super) fn schema(template: &Value) -> Option<&str> {
    find(template.as_object()?, "schema")?.1.as_str()
}

/// Returns the bundle list with this name in a semver template, ignoring case.
pub(super) fn list_of(channel: &str) -> Option<&'static str> {
    LISTS.into_iter().find(|list| list.eq_ignore_ascii_case(channel))
}

/// Returns the entries of a channel of a basic template.
pub(super) fn entries(template: &Value, channel: &str) -> Vec<WrittenEntry> {
    let items = template.get("entries").and_then(Value::as_array).into_iter().flatten();
    let channels = items.filter(|item| item["schema"] == Schema::Channel.name() && item["name"] == *channel);
    let entries = channels.filter_map(|channel| channel["entries"].as_array()).flatten();
    entries
        .filter_map(|entry| WrittenEntry::deserialize(entry).ok())
        .collect()
}

fn basic(before: Option<Value>, release: &TemplateRelease, change: &TemplateChange<'_>) -> Result<Value, DraftError> {
    let is_new = before.is_none();
    let mut root = before.unwrap_or_else(|| json!({"schema": Kind::Basic.schema(), "entries": []}));
    let items = root
        .get("entries")
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_default();
    // The name is optional in a template, but identifies the bundle in later changes.
    let named = |image: &str| json!({"schema": Schema::Bundle.name(), "image": image, "name": change.name});
    let is_bundle = |item: &Value, image: &str| item["schema"] == Schema::Bundle.name() && item["image"] == *image;
    let known_image = change.known_image.unwrap_or(change.image);
    let known = items.iter().any(|item| is_bundle(item, known_image));
    let documents: Vec<Value> = items
        .iter()
        .map(|item| {
            if is_bundle(item, known_image) {
                named(known_image)
            } else {
                item.clone()
            }
        })
        .collect();
    let mut draft = Draft::read(change.package, &documents)?;
    let default = release.default_channel.as_ref().or(release.channels.first());
    let new = NewBundle {
        shown: change.shown.clone(),
        stated: [].into(),
        document: named(change.image),
        entry: WrittenEntry {
            name: change.name.to_owned(),
            replaces: release.replaces.clone().unwrap_or_default(),
            skips: release.skips.clone(),
            skip_range: release.skip_range.clone().unwrap_or_default(),
        },
        version: change.version.cloned(),
        channels: release.channels.clone(),
        default_channel: default.cloned(),
    };
    let placement = Placement {
        channels: release.channels.clone(),
        mode: Mode::Replaces,
        default_channel: default.filter(|_| is_new).cloned(),
        overwrite: change.overwrite,
    };
    let known = known.then(|| named(known_image));
    draft.add(&new, &placement, known.as_ref())?;
    draft.choose_default(std::iter::once(&new), &placement)?;
    let mut list = Vec::new();
    for revised in draft.revise(&documents) {
        match revised {
            Revised::Kept(place) => list.extend(items.get(place).cloned()),
            Revised::Changed(place, value) if value["schema"] == Schema::Bundle.name() => {
                let mut item = items.get(place).cloned().unwrap_or_default();
                item["image"] = value["image"].clone();
                list.push(item);
            }
            Revised::Changed(_, value) => list.push(value),
            Revised::New(value) => {
                let last = list.iter().rposition(|item: &Value| item["schema"] == value["schema"]);
                list.insert(last.map_or(list.len(), |last| last + 1), value);
            }
        }
    }
    root["entries"] = list.into();
    Ok(root)
}

fn semver(before: Option<Value>, release: &TemplateRelease, change: &TemplateChange<'_>) -> Value {
    let new = || {
        let value =
            json!({"Schema": Kind::Semver.schema(), "GenerateMajorChannels": true, "GenerateMinorChannels": true});
        value.as_object().cloned().unwrap_or_default()
    };
    let mut root = before
        .and_then(|before| before.as_object().cloned())
        .unwrap_or_else(new);
    let capital = find(&root, "schema").is_none_or(|(key, _)| key.starts_with('S'));
    let spelled = |word: &str| if capital { word.to_owned() } else { word.to_lowercase() };
    for list in release.channels.iter().filter_map(|channel| list_of(channel)) {
        let key = find(&root, list).map_or_else(|| spelled(list), |(key, _)| key.to_owned());
        let lists = root.entry(key).or_insert(Value::Null);
        if lists.is_null() {
            *lists = json!({});
        }
        let Some(lists) = lists.as_object_mut() else { continue };
        let key = find(lists, "bundles").map_or_else(|| spelled("Bundles"), |(key, _)| key.to_owned());
        let bundles = lists.entry(key).or_insert(Value::Null);
        if bundles.is_null() {
            *bundles = json!([]);
        }
        let Some(bundles) = bundles.as_array_mut() else {
            continue;
        };
        let known_image = change.known_image.unwrap_or(change.image);
        let is_known = |item: &&mut Value| {
            let image = item.as_object().and_then(|item| find(item, "image"));
            image.is_some_and(|(_, image)| *image == *known_image)
        };
        let spelling = bundles.last().and_then(|last| find(last.as_object()?, "image"));
        let key = spelling.map_or_else(|| spelled("Image"), |(key, _)| key.to_owned());
        match bundles.iter_mut().find(is_known).and_then(Value::as_object_mut) {
            Some(known) => {
                let key = find(known, "image").map_or(key, |(key, _)| key.to_owned());
                known.insert(key, change.image.into());
            }
            None => bundles.push(json!({key: change.image})),
        }
    }
    root.into()
}

/// Returns the field with this name, ignoring case.
fn find<'m>(map: &'m Map<String, Value>, name: &str) -> Option<(&'m str, &'m Value)> {
    let mut fields = map.iter();
    let (key, value) = fields.find(|(key, _)| key.eq_ignore_ascii_case(name))?;
    Some((key, value))
}
