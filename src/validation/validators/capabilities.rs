//! `capabilities` and `categories`: two annotations with fixed values.

use super::{Input, found};
use crate::diagnostic::Diagnostic;
use crate::rules;
use crate::text::Path;

const LEVELS: [&str; 5] = [
    "Basic Install",
    "Seamless Upgrades",
    "Full Lifecycle",
    "Deep Insights",
    "Auto Pilot",
];

/// The categories that catalogs use.
const CATEGORIES: [&str; 16] = [
    "AI/Machine Learning",
    "Application Runtime",
    "Big Data",
    "Cloud Provider",
    "Database",
    "Developer Tools",
    "Integration & Delivery",
    "Logging & Tracing",
    "Modernization & Migration",
    "Monitoring",
    "Networking",
    "Observability",
    "OpenShift Optional",
    "Security",
    "Storage",
    "Streaming & Messaging",
];

/// The maximum number of unknown categories that are reported with their exact places.
const MOST_PLACES: usize = 100;

pub(super) fn check_capabilities(input: &Input<'_>, findings: &mut Vec<Diagnostic>) {
    let Some(object) = input.bundle.csv() else {
        return;
    };
    let path = Path::from("metadata.annotations.capabilities");
    let level = object.text(&["metadata", "annotations", "capabilities"]);
    if let Some(level) = level.filter(|level| !LEVELS.contains(level)) {
        let message = format!("{level:?} is not a capability level");
        findings.push(found(&rules::CAP_UNKNOWN, object, &path, message));
    }
}

pub(super) fn check_categories(input: &Input<'_>, findings: &mut Vec<Diagnostic>) {
    let Some(object) = input.bundle.csv() else {
        return;
    };
    let Some(text) = object.text(&["metadata", "annotations", "categories"]) else {
        return;
    };
    let path = Path::from("metadata.annotations.categories");
    let (document, root) = object.document();
    let custom = input.options.categories.as_ref();
    let (mut start, mut unknown) = (0, 0);
    for written in text.split(',') {
        let end = start + written.len();
        let category = written.trim();
        let known = match custom {
            Some(categories) => categories.iter().any(|known| known == category),
            None => CATEGORIES.contains(&category),
        };
        if !known {
            let (rule, what) = match custom {
                Some(_) => (&rules::CAT_CUSTOM_UNKNOWN, "one of the specified categories"),
                None => (&rules::CAT_UNKNOWN, "a category that catalogs use"),
            };
            let message = if text.trim().is_empty() {
                "the list of categories is empty".to_owned()
            } else if category.is_empty() {
                "a category is empty, because the list has an extra comma".to_owned()
            } else {
                format!("{category:?} is not {what}")
            };
            let blanks = written.len() - written.trim_start().len();
            let span = if category.is_empty() {
                start..end
            } else {
                start + blanks..start + blanks + category.len()
            };
            let finding = found(rule, object, &path, message);
            // Finding each place takes time, so beyond the limit, as in a string of only commas, findings point at the
            // whole string.
            unknown += 1;
            findings.push(if unknown > MOST_PLACES {
                finding
            } else {
                finding.at(document.scalar_place(&root.join(&path), span))
            });
        }
        start = end + 1;
    }
}
