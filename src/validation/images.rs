//! Reports images that a mirror of the bundle would not contain, and related images that still belong to the previous
//! release.

use crate::bundle::mentions::{missing_entries, outdated, unlisted};
use crate::bundle::{Bundle, MediaType};
use crate::diagnostic::Diagnostic;
use crate::rules;
use crate::text::to_yaml;
use serde_json::json;

pub(super) fn check(bundle: &Bundle, findings: &mut Vec<Diagnostic>) {
    let is_plain = bundle.media_type == MediaType::K8sV1;
    if is_plain && bundle.olm.is_none() {
        // The related images are in metadata/olm.yaml.
        return;
    }
    let mut replaced = Vec::new();
    if is_plain {
        for (entry, used) in outdated(bundle) {
            let message = format!(
                "the related image {} is {}, but the operator uses {}",
                entry.name, entry.image, used.image
            );
            let finding = Diagnostic::new(&rules::RELATED_IMAGE_OUTDATED, message).path(entry.path());
            findings.push(finding.at(entry.place()).also(used.place(), "the image that is used"));
            replaced.push(used.image);
        }
    }
    let (file, map) = if is_plain {
        ("metadata/olm.yaml", "relatedImages")
    } else {
        ("the ClusterServiceVersion", "spec.relatedImages")
    };
    for (places, entry) in unlisted(bundle).iter().zip(missing_entries(bundle)) {
        let Some((first, others)) = places
            .split_first()
            .filter(|(first, _)| !replaced.contains(&first.image))
        else {
            continue;
        };
        let message = format!(
            "a mirror of the bundle would not contain {}, which is not a related image",
            first.image
        );
        let help = format!("Add it to {map} of {file}:\n{}", to_yaml(&json!([entry])).trim_end());
        let finding = Diagnostic::new(&rules::RELATED_IMAGE_MISSING, message).help(help);
        let finding = finding.path(first.path()).at(first.place());
        let finding = others
            .iter()
            .take(OTHERS)
            .fold(finding, |finding, other| finding.also(other.place(), "and here"));
        findings.push(finding);
    }
}

/// The maximum number of places that are shown in addition to the first one.
const OTHERS: usize = 3;
