//! Checks `metadata/annotations.yaml`.

use super::index_needs::unknown_media_type;
use crate::bundle::annotations::{CHANNELS, DEFAULT_CHANNEL, MANIFESTS, MEDIA_TYPE, METADATA, PACKAGE};
use crate::bundle::{ANNOTATIONS_YAML, Annotations, Bundle, field};
use crate::diagnostic::Diagnostic;
use crate::kubernetes::names::{fault_of_dns1123_label, is_channel_name};
use crate::rules::{self, Severity};
use crate::shape::nearest;
use crate::text::{Document, Path, as_string, kind_of};
use crate::tree::Tree;
use crate::visible::is_hidden;
use serde_json::json;

pub(super) fn check(bundle: &Bundle, findings: &mut Vec<Diagnostic>) {
    let Some(annotations) = present(bundle, findings) else {
        return;
    };
    let mut report = |rule, message: String, key: &str| {
        findings.push(Diagnostic::new(rule, message).at(annotations.place(key)));
    };
    let media_type = annotations.media_type().unwrap_or_default();
    if annotations.get(MEDIA_TYPE).is_some() && !is_judged_elsewhere(bundle, media_type) {
        let message = format!(
            "the media type is {media_type}, but the content is {}",
            bundle.media_type
        );
        report(&rules::ANN_MEDIATYPE_MISMATCH, message, MEDIA_TYPE);
    }
    if annotations.get(PACKAGE) == Some("") {
        report(&rules::ANN_PACKAGE_EMPTY, "no package is specified".to_owned(), PACKAGE);
    }
    if let Some(package) = annotations.get(PACKAGE)
        && !package.is_empty()
        && !package.contains(is_hidden)
        && let Some(fault) = fault_of_dns1123_label(package.trim())
    {
        let message = format!("the package name {package:?} {fault}");
        report(&rules::ANN_PACKAGE_NAME, message, PACKAGE);
    }
    if annotations.get(CHANNELS) == Some("") {
        report(
            &rules::ANN_CHANNELS_EMPTY,
            "no channel is specified".to_owned(),
            CHANNELS,
        );
    }
    let channels = annotations.channels();
    if let Some(default) = annotations.default_channel()
        && !channels.is_empty()
        && !channels.iter().any(|channel| channel.trim() == default.trim())
    {
        let message = format!(
            "the default channel {default} is not one of the channels {}",
            channels.join(", ")
        );
        report(&rules::ANN_DEFAULT_CHANNEL_UNKNOWN, message, DEFAULT_CHANNEL);
    }
    unquoted(annotations, findings);
    blanks(annotations, findings);
    channel_names(annotations, findings);
}

/// Reports unquoted names that YAML reads as numbers or booleans, because YAML may read a name that differs from the
/// written name. Other values are reported only if they differ: `4.10` becomes the label `4.1`.
fn unquoted(annotations: &Annotations, findings: &mut Vec<Diagnostic>) {
    for (key, what) in [
        (PACKAGE, "the name of the package"),
        (CHANNELS, "the name of the channel"),
        (DEFAULT_CHANNEL, "the name of the default channel"),
    ] {
        if annotations.is_unquoted(key) {
            let place = annotations.place(key);
            let (written, read) = (place.text(), annotations.get(key).unwrap_or_default());
            let message = format!("{what} is {written} without quotes, which YAML reads as {read}");
            let finding = Diagnostic::new(&rules::ANN_NAME_QUOTING, message);
            let finding = finding.help(format!("Use quotes: \"{written}\"."));
            findings.push(finding.at(place).fixed_by(annotations.quote(key)));
        }
    }
    for (key, read) in annotations.values() {
        if [PACKAGE, CHANNELS, DEFAULT_CHANNEL].contains(&key.as_str()) || !annotations.is_unquoted(key) {
            continue;
        }
        let Some(edit) = annotations.quote(key) else { continue };
        let written = edit.place.text().to_owned();
        if !written.eq_ignore_ascii_case(read) {
            let message = format!("the annotation {key} is {written} without quotes, which YAML reads as {read}");
            let finding = Diagnostic::new(&rules::ANN_NAME_QUOTING, message).at(edit.place.clone());
            let finding = finding.help(format!("Use quotes: \"{written}\"."));
            findings.push(finding.fixed_by(Some(edit)));
        }
    }
}

/// Checks the annotations as opm does: a missing key also counts as empty, and the media type of a bundle without a
/// `ClusterServiceVersion` is `plain`.
pub(super) fn check_as_opm(bundle: &Bundle, findings: &mut Vec<Diagnostic>) {
    let Some(annotations) = present(bundle, findings) else {
        return;
    };
    let mut report = |rule, message: String, key: &str| {
        findings.push(Diagnostic::new(rule, message).at(annotations.place(key)));
    };
    let named = annotations.media_type().unwrap_or_default();
    let detected = if bundle.csv().is_some() { "registry+v1" } else { "plain" };
    if named != detected {
        let message = format!("the media type is {named:?}, but the content is {detected}");
        report(&rules::ANN_MEDIATYPE_MISMATCH, message, MEDIA_TYPE);
    }
    if annotations.get(CHANNELS).unwrap_or_default().is_empty() {
        report(
            &rules::ANN_CHANNELS_EMPTY,
            "no channel is specified".to_owned(),
            CHANNELS,
        );
    }
}

/// The annotations that every bundle needs.
const KEYS: [&str; 5] = [MEDIA_TYPE, MANIFESTS, METADATA, PACKAGE, CHANNELS];

/// Returns the annotations, and reports the problems that every reader reports.
fn present<'a>(bundle: &'a Bundle, findings: &mut Vec<Diagnostic>) -> Option<&'a Annotations> {
    let Some(annotations) = &bundle.annotations else {
        let misshapen: Vec<Diagnostic> = bundle.metadata.iter().flat_map(misshapen).collect();
        if !misshapen.is_empty() {
            findings.extend(misshapen);
            return None;
        }
        let mut empty = bundle.empty_metadata.iter();
        let empty = empty.find(|place| place.source.name().ends_with(ANNOTATIONS_YAML));
        let mut documents = bundle.metadata.iter();
        let named = documents.find(|document| document.source().name().ends_with(ANNOTATIONS_YAML));
        let finding = if let Some(place) = empty {
            let message = format!("{ANNOTATIONS_YAML} is empty");
            Diagnostic::new(&rules::ANN_FILE_MISSING, message).at(place.clone())
        } else if let Some(document) = named {
            let message = format!("{ANNOTATIONS_YAML} has no map named annotations");
            let finding = Diagnostic::new(&rules::ANN_FILE_MISSING, message).at(document.place(&Path::root()));
            finding.help("Put the annotations, indented, under the key annotations.")
        } else {
            let message = format!("{} has no annotations file in metadata/", bundle.origin);
            Diagnostic::new(&rules::ANN_FILE_MISSING, message)
        };
        findings.push(finding);
        return None;
    };
    for key in KEYS {
        if annotations.get(key).is_none() {
            let message = format!("the annotation {key} is missing");
            let finding = Diagnostic::new(&rules::ANN_KEY_MISSING, message);
            let others = annotations.values().keys().map(String::as_str);
            findings.push(match nearest(key, others.filter(|other| !KEYS.contains(other))) {
                Some(other) => finding
                    .at(annotations.key_place(other))
                    .help(format!("Correct the name of the annotation {other}."))
                    .fixed_by(annotations.recapitalize(other, key)),
                None => finding.at(annotations.place(key)),
            });
        }
    }
    if annotations.get(DEFAULT_CHANNEL) == Some("") {
        let finding = Diagnostic::new(
            &rules::ANN_DEFAULT_CHANNEL_EMPTY,
            "the annotation for the default channel is empty",
        );
        findings.push(finding.at(annotations.place(DEFAULT_CHANNEL)));
    }
    Some(annotations)
}

/// Reports annotations that are lists or maps, because no reader accepts a file with such annotations.
fn misshapen(document: &Document) -> Vec<Diagnostic> {
    let Some((key, map)) = field(document.value(), "annotations") else {
        return Vec::new();
    };
    let annotations = Path::root().key(key);
    let wrong = map
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(_, value)| as_string(value).is_none());
    wrong
        .map(|(key, value)| {
            let wanted = if key == CHANNELS {
                "a string with the channels separated by commas"
            } else {
                "a string"
            };
            let message = format!("the annotation {key} must be {wanted}, not {}", kind_of(value));
            let finding = Diagnostic::new(&rules::ANN_VALUE_TYPE, message).at(document.place(&annotations.key(key)));
            let items: Option<Vec<String>> = value.as_array().and_then(|items| items.iter().map(as_string).collect());
            match items.filter(|items| !items.is_empty()) {
                Some(items) => finding.help(format!("Use {key}: {}.", json!(items.join(",")))),
                None => finding,
            }
        })
        .collect()
}

/// Checks that the two folders that the annotations name are those of the bundle.
pub(super) fn check_folders(bundle: &Bundle, tree: &Tree, findings: &mut Vec<Diagnostic>) {
    let Some(annotations) = &bundle.annotations else {
        return;
    };
    for (key, folder, rule) in [
        (MANIFESTS, crate::bundle::MANIFESTS, &rules::ANN_MANIFESTS_PATH),
        (METADATA, crate::bundle::METADATA, &rules::ANN_METADATA_PATH),
    ] {
        let Some(named) = annotations.get(key) else { continue };
        let bare = named.trim_start_matches("./").trim_matches('/');
        if bare == folder {
            continue;
        }
        let message = if tree.below(bare).next().is_some() {
            format!("the annotation names the folder {named:?}, but OLM reads {folder}/")
        } else {
            format!("the annotation names the folder {named:?}, which does not exist")
        };
        let finding = Diagnostic::new(rule, message).at(annotations.place(key));
        findings.push(finding.help(format!("Use {folder}/.")));
    }
}

/// Returns whether the media type is checked elsewhere: reading a bundle already reports a mismatch between `olm.yaml`
/// and the annotations.
fn is_judged_elsewhere(bundle: &Bundle, named: &str) -> bool {
    let known = ["registry+v1", "k8s+v1"].contains(&named);
    named == bundle.media_type.as_str()
        || known && (bundle.olm.is_some() || bundle.csv().is_some())
        || !bundle.objects.is_empty() && unknown_media_type(bundle).is_some()
}

/// Reports channel names that clusters cannot follow and that [`blanks`] does not report.
fn channel_names(annotations: &Annotations, findings: &mut Vec<Diagnostic>) {
    for channel in annotations.channels() {
        if !is_channel_name(&channel) && !is_blank(&channel) && !channel.contains(is_hidden) {
            let message = format!("{channel:?} is not a valid channel name");
            findings.push(Diagnostic::new(&rules::ANN_CHANNEL_NAME, message).at(annotations.place(CHANNELS)));
        }
    }
}

fn is_blank(channel: &str) -> bool {
    channel.contains([';', '|']) || channel.contains(char::is_whitespace) || channel.is_empty()
}

/// Reports spaces in channel names: the list is split only at commas, so a space becomes part of a name.
fn blanks(annotations: &Annotations, findings: &mut Vec<Diagnostic>) {
    let channels = annotations.channels();
    let written = channels
        .iter()
        .map(|channel| channel.trim())
        .filter(|channel| !channel.is_empty());
    let written = written.collect::<Vec<_>>().join(",");
    if written.is_empty() && !channels.is_empty() {
        // Published bundles keep the warning: the channel exists, although nobody can name it.
        let message = format!("no channel is specified, because the list is {:?}", channels.join(","));
        let finding = Diagnostic::new(&rules::ANN_CHANNEL_BLANK, message).help(rules::ANN_CHANNELS_EMPTY.help);
        let severity = Severity::Error;
        findings.push(Diagnostic { severity, ..finding }.at(annotations.place(CHANNELS)));
        return;
    }
    for channel in channels.iter().filter(|channel| is_blank(channel)) {
        let message = if channel.trim().is_empty() {
            "a channel name between two commas is empty".to_owned()
        } else if channel.contains([';', '|']) {
            format!("{channel:?} is read as one channel, because only commas separate channels")
        } else {
            format!("the channel {channel:?} has a space in its name")
        };
        let finding = Diagnostic::new(&rules::ANN_CHANNEL_BLANK, message).at(annotations.place(CHANNELS));
        if channel.contains([';', '|']) {
            findings.push(finding);
            continue;
        }
        if channel.trim().contains(char::is_whitespace) {
            findings.push(finding.help("Use a name without spaces."));
            continue;
        }
        let edit = annotations.rewrite(CHANNELS, &written);
        findings.push(finding.help(format!("Use {written}.")).fixed_by(edit));
    }
}
