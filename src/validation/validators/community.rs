//! `community`: checks the OpenShift versions that a bundle names, and whether a bundle that contains objects that
//! Kubernetes 1.22 (OpenShift 4.9) no longer serves stays below this version.

use super::{Input, found, removed_apis};
use crate::bundle::Bundle;
use crate::diagnostic::Diagnostic;
use crate::manifest::Object;
use crate::olm::annotation::INDEX_PROPERTIES;
use crate::olm::openshift::{VERSIONS, selects_versions};
use crate::olm::property::MAX_OPENSHIFT_VERSION;
use crate::rules::{self, Rule, Severity};
use crate::source::{Place, SourceFile};
use crate::text::Path;
use crate::version::parse_tolerant;
use semver::Version;
use serde_json::Value;

/// The first version of OpenShift without the removed APIs.
const REMOVED_IN: Version = Version::new(4, 9, 0);

pub(super) fn check(input: &Input<'_>, findings: &mut Vec<Diagnostic>) {
    if !input.options.reference {
        findings.extend(versions(input.bundle));
    }
    let Some(object) = input.bundle.csv() else {
        return;
    };
    let Some(gone) = removed_apis::gone_in_1_22(input) else {
        return;
    };
    let wrong = max_openshift(object, &gone);
    findings.extend(wrong.clone());
    let Some((name, content)) = &input.options.index_dockerfile else {
        let message = "the OpenShift versions that the index is for are unknown";
        findings.push(Diagnostic::new(&rules::COMMUNITY_INDEX_PATH_MISSING, message).at(object.name_place()));
        // The original reports its earlier finding again, as a warning.
        let again = wrong.filter(|finding| input.options.reference && finding.is_error());
        findings.extend(again.map(|mut finding| {
            finding.severity = Severity::Warning;
            finding
        }));
        return;
    };
    findings.extend(index_label(name, content, &gone));
}

/// Checks the annotation that selects the catalogs.
fn versions(bundle: &Bundle) -> Option<Diagnostic> {
    let annotations = bundle.annotations.as_ref()?;
    let value = annotations.get(VERSIONS).filter(|value| !selects_versions(value))?;
    let message = format!("{VERSIONS} is {value:?}, which selects no catalogs");
    Some(Diagnostic::new(&rules::COMMUNITY_OPENSHIFT_VERSIONS, message).at(annotations.place(VERSIONS)))
}

/// Checks the property that keeps OpenShift from being upgraded while this version is installed.
fn max_openshift(object: &Object, gone: &str) -> Option<Diagnostic> {
    let path = Path::from("metadata.annotations").key(INDEX_PROPERTIES);
    let report = |rule: &'static Rule, message: String| Some(found(rule, object, &path, message));
    let text = object
        .text(&["metadata", "annotations", INDEX_PROPERTIES])
        .unwrap_or_default();
    if text.is_empty() {
        let message = format!(
            "OpenShift 4.9 no longer serves {gone}, but {MAX_OPENSHIFT_VERSION} does not prevent the upgrade to 4.9"
        );
        return report(&rules::COMMUNITY_MAXOPENSHIFT_MISSING, message);
    }
    let Some(properties) = texts(text) else {
        let message = format!("the annotation {INDEX_PROPERTIES} is not a list of properties whose values are strings");
        return report(&rules::COMMUNITY_MAXOPENSHIFT_JSON, message);
    };
    let Some((_, value)) = properties.into_iter().find(|(kind, _)| kind == MAX_OPENSHIFT_VERSION) else {
        let message =
            format!("OpenShift 4.9 no longer serves {gone}, but there is no property {MAX_OPENSHIFT_VERSION}");
        return report(&rules::COMMUNITY_MAXOPENSHIFT_ABSENT, message);
    };
    let Some(version) = parse_tolerant(&value) else {
        let message = format!("{MAX_OPENSHIFT_VERSION} {value:?} is not a version");
        return report(&rules::COMMUNITY_MAXOPENSHIFT_VERSION, message);
    };
    if version >= REMOVED_IN {
        let message = format!("{MAX_OPENSHIFT_VERSION} is {value}, but OpenShift 4.9 no longer serves {gone}");
        return report(&rules::COMMUNITY_MAXOPENSHIFT_TOO_HIGH, message);
    }
    if value.trim().split('.').count() > 2 {
        let message = format!("{MAX_OPENSHIFT_VERSION} {value} names a patch version instead of only a minor version");
        return report(&rules::COMMUNITY_MAXOPENSHIFT_PATCH, message);
    }
    None
}

/// Returns the type and the value of each property, or `None` if one of them is not a string.
fn texts(json: &str) -> Option<Vec<(String, String)>> {
    let value: Value = serde_json::from_str(json).ok()?;
    let text = |entry: &Value, key: &str| match entry.get(key) {
        None | Some(Value::Null) => Some(String::new()),
        Some(Value::String(text)) => Some(text.clone()),
        Some(_) => None,
    };
    let entries = value.as_array()?.iter();
    entries
        .map(|entry| {
            entry.as_object()?;
            Some((text(entry, "type")?, text(entry, "value")?))
        })
        .collect()
}

/// Checks the first line that contains the label.
fn index_label(name: &str, content: &str, gone: &str) -> Option<Diagnostic> {
    let source = SourceFile::new(name, content);
    let mut start = 0;
    let mut line = None;
    for written in content.split_inclusive('\n') {
        if written.contains(VERSIONS) {
            line = Some(written.trim_end());
            break;
        }
        start += written.len();
    }
    let Some(line) = line else {
        let message = format!("{name} has no label {VERSIONS}, but OpenShift 4.9 no longer serves {gone}");
        let place = Place::new(&source, 0..content.lines().next().map_or(0, str::len));
        return Some(Diagnostic::new(&rules::COMMUNITY_INDEX_LABEL_MISSING, message).at(place));
    };
    let place = Place::new(&source, start..start + line.len());
    let report = |rule, message: String| Some(Diagnostic::new(rule, message).at(place.clone()));
    let Some((_, value)) = line.split_once('=') else {
        let message = format!("the label {VERSIONS} has no value");
        return report(&rules::COMMUNITY_INDEX_LABEL_SYNTAX, message);
    };
    let range = value.replace(['"', '\''], "");
    // The end of a range is the version after its dash; a single version after an equals sign is itself the end.
    let sign = if range.contains('=') { '=' } else { '-' };
    let Some(end) = range.split(sign).nth(1) else {
        let message = format!(
            "the version range {range:?} of the index has no upper limit, but OpenShift 4.9 no longer serves \
                     {gone}"
        );
        return report(&rules::COMMUNITY_INDEX_RANGE, message);
    };
    let end = end.trim();
    let message = match parse_tolerant(end) {
        None => format!("the version range {range:?} of the index does not end in a version"),
        Some(version) if version >= REMOVED_IN => {
            format!("the index is for OpenShift versions up to {end}, but OpenShift 4.9 no longer serves {gone}")
        }
        Some(_) => return None,
    };
    report(&rules::COMMUNITY_INDEX_RANGE, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_range_of_the_index_label_must_end_below_4_9() {
        let rule = |content: &str| index_label("Dockerfile", content, "CRD/a").map(|finding| finding.rule.id);
        for content in [
            "LABEL com.redhat.openshift.versions=\"v4.6-v4.8\"",
            "FROM scratch\nLABEL com.redhat.openshift.versions='4.6-4.8'\n",
            "LABEL com.redhat.openshift.versions==v4.8",
        ] {
            assert_eq!(rule(content), None, "{content}");
        }
        for (content, id) in [
            ("FROM scratch", "community-index-label-missing"),
            ("LABEL com.redhat.openshift.versions", "community-index-label-syntax"),
            ("LABEL com.redhat.openshift.versions=v4.6", "community-index-range"),
            ("LABEL com.redhat.openshift.versions=v4.6-v4.9", "community-index-range"),
            ("LABEL com.redhat.openshift.versions==v4.10", "community-index-range"),
            ("LABEL com.redhat.openshift.versions=v4.6-x", "community-index-range"),
            ("LABEL com.redhat.openshift.versions=", "community-index-range"),
        ] {
            assert_eq!(rule(content), Some(id), "{content}");
        }
        let content = "FROM scratch\nLABEL com.redhat.openshift.versions=v4.6\r\n";
        let place = index_label("Dockerfile", content, "CRD/a").unwrap().place.unwrap();
        assert_eq!(place.text(), "LABEL com.redhat.openshift.versions=v4.6");
    }
}
