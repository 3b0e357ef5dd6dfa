//! Checks the package manifest of the layout that preceded bundle images: `package.yaml`, or a file whose name ends in
//! `.package.yaml`, next to the version folders.

use super::Input;
use crate::diagnostic::Diagnostic;
use crate::rules::{self, Rule};
use crate::text::{self, Document, Limits, Path};
use serde_json::Value;
use std::collections::BTreeMap;

pub(super) fn check(input: &Input<'_>, findings: &mut Vec<Diagnostic>) {
    let named = |path: &str| path == "package.yaml" || path.ends_with(".package.yaml");
    for (path, content) in input.files.iter() {
        if path.contains('/') || !named(path) {
            continue;
        }
        let shown = format!("{}/{path}", input.files.origin().trim_end_matches('/'));
        let reading = text::read(shown.trim_start_matches('/'), content, &Limits::default());
        findings.extend(reading.diagnostics);
        if let Some(document) = reading.documents.first() {
            manifest(document, findings);
        }
    }
}

fn manifest(document: &Document, findings: &mut Vec<Diagnostic>) {
    let mut report = |rule: &'static Rule, path: &Path, message: String| {
        let finding = Diagnostic::new(rule, message).path(path);
        findings.push(finding.at(document.place(path)));
    };
    let root = Path::root();
    let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    if text(document.value(), "packageName").is_empty() {
        let message = "the package has no name".to_owned();
        report(&rules::PKG_NAME_EMPTY, &root.key("packageName"), message);
    }
    let list = root.key("channels");
    let channels = list.get(document.value()).and_then(Value::as_array);
    let Some(channels) = channels.filter(|channels| !channels.is_empty()) else {
        return report(
            &rules::PKG_CHANNELS_EMPTY,
            &list,
            "the package has no channels".to_owned(),
        );
    };
    let default = text(document.value(), "defaultChannel");
    let default_path = root.key("defaultChannel");
    if default.is_empty() && channels.len() > 1 {
        let message = "one of the channels must be the default".to_owned();
        report(&rules::PKG_DEFAULT_MISSING, &default_path, message);
    }
    let mut seen = BTreeMap::new();
    for (index, channel) in channels.iter().enumerate() {
        let (name, path) = (text(channel, "name"), list.index(index));
        if name.is_empty() {
            report(
                &rules::PKG_CHANNEL_NAME_EMPTY,
                &path.key("name"),
                format!("{path} has no name"),
            );
        }
        if text(channel, "currentCSV").is_empty() {
            let message = format!("the channel {name:?} has no currentCSV");
            report(&rules::PKG_CHANNEL_CSV_EMPTY, &path.key("currentCSV"), message);
        }
        if let Some(first) = seen.insert(name.clone(), index) {
            let message = format!("the channel {name:?} is listed twice, first at index {first}");
            report(&rules::PKG_CHANNEL_DUPLICATE, &path.key("name"), message);
        }
    }
    if !default.is_empty() && !seen.contains_key(&default) {
        let message = format!("the default channel {default:?} is not one of the channels");
        report(&rules::PKG_DEFAULT_UNKNOWN, &default_path, message);
    }
}
