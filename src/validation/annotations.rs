//! `metadata/annotations.yaml`.

use crate::bundle::annotations::{CHANNELS, DEFAULT_CHANNEL, MANIFESTS, MEDIA_TYPE, METADATA, PACKAGE};
use crate::bundle::{Annotations, Bundle};
use crate::diagnostic::Diagnostic;
use crate::rules;

pub(super) fn check(bundle: &Bundle, findings: &mut Vec<Diagnostic>) {
    let Some(annotations) = &bundle.annotations else {
        let message = format!("{} has no annotations file in metadata/", bundle.origin);
        findings.push(Diagnostic::new(&rules::ANN_FILE_MISSING, message));
        return;
    };
    let mut report = |rule, message: String, key: &str| {
        findings.push(Diagnostic::new(rule, message).at(annotations.place(key)));
    };
    for key in [MEDIA_TYPE, MANIFESTS, METADATA, PACKAGE, CHANNELS] {
        if annotations.get(key).is_none() {
            report(&rules::ANN_KEY_MISSING, format!("the annotation {key} is missing"), key);
        }
    }
    let media_type = annotations.media_type().unwrap_or_default();
    if annotations.get(MEDIA_TYPE).is_some() && !is_judged_elsewhere(bundle, media_type) {
        let message = format!("the media type is {media_type}, the content is {}", bundle.media_type);
        report(&rules::ANN_MEDIATYPE_MISMATCH, message, MEDIA_TYPE);
    }
    if annotations.get(PACKAGE) == Some("") {
        report(&rules::ANN_PACKAGE_EMPTY, "no package is named".to_owned(), PACKAGE);
    }
    if annotations.get(CHANNELS) == Some("") {
        report(&rules::ANN_CHANNELS_EMPTY, "no channel is named".to_owned(), CHANNELS);
    }
    if annotations.get(DEFAULT_CHANNEL) == Some("") {
        report(
            &rules::ANN_DEFAULT_CHANNEL_EMPTY,
            "the default channel is empty".to_owned(),
            DEFAULT_CHANNEL,
        );
    }
    blanks(annotations, findings);
}

/// Reading a bundle already says when `olm.yaml` and the annotations disagree about the media type.
fn is_judged_elsewhere(bundle: &Bundle, named: &str) -> bool {
    let known = ["registry+v1", "k8s+v1"].contains(&named);
    named == bundle.media_type.as_str() || known && (bundle.olm.is_some() || bundle.csv().is_some())
}

/// Channels are split at commas alone, so a blank becomes part of a name.
fn blanks(annotations: &Annotations, findings: &mut Vec<Diagnostic>) {
    let channels = annotations.channels();
    for channel in channels
        .iter()
        .filter(|channel| channel.trim() != channel.as_str() || channel.is_empty())
    {
        let message = if channel.trim().is_empty() {
            "a channel without a name stands between two commas".to_owned()
        } else {
            format!("the channel {channel:?} has a blank in its name")
        };
        let written: Vec<&str> = channels
            .iter()
            .map(|channel| channel.trim())
            .filter(|channel| !channel.is_empty())
            .collect();
        let finding = Diagnostic::new(&rules::ANN_CHANNEL_BLANK, message).at(annotations.place(CHANNELS));
        findings.push(finding.help(format!("Write {}.", written.join(","))));
    }
}
