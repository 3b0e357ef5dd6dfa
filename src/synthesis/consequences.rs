//! Findings that only result from an unreadable manifest: they report missing content that the manifest might contain.

use crate::bundle::ANNOTATIONS_YAML;
use crate::diagnostic::Diagnostic;
use crate::rules::{self, Rule};

/// Rules that report a manifest as unreadable.
static UNREADABLE: [&Rule; 7] = [
    &rules::YAML_SYNTAX,
    &rules::YAML_EXCESSIVE_ALIASING,
    &rules::YAML_TOO_DEEP,
    &rules::JSON_SYNTAX,
    &rules::TEXT_ENCODING,
    &rules::TEXT_TOO_LARGE,
    &rules::OBJECT_NOT_A_MAP,
];

/// Rules about missing content of a bundle.
static ABSENCES: [&Rule; 15] = [
    &rules::INDEX_NO_OBJECTS,
    &rules::INDEX_NO_CSV,
    &rules::K8S_DEPLOYMENT_MISSING,
    &rules::WEBHOOK_SERVICE_MISSING,
    &rules::WEBHOOK_CONVERSION_SERVICE_MISSING,
    &rules::APISERVICE_SERVICE_MISSING,
    &rules::SERVICE_SELECTOR,
    &rules::SERVICE_UNPROJECTED,
    &rules::RBAC_ROLE_MISSING,
    &rules::RBAC_UNBOUND_ROLE,
    &rules::RBAC_ACCOUNT_MISSING,
    &rules::RBAC_ACCOUNT_UNBOUND,
    &rules::RBAC_KEPT_SUBJECT_NAMESPACE,
    &rules::CERT_OWN_SECRET,
    &rules::VOLUME_SOURCE_MISSING,
];

/// Whether a finding reports a manifest as unreadable.
pub(crate) fn is_unread(finding: &Diagnostic) -> bool {
    let place = finding.place.as_ref();
    UNREADABLE.contains(&finding.rule)
        && place.is_some_and(|place| place.source.name().contains(&format!("{}/", crate::bundle::MANIFESTS)))
}

/// Whether a finding reports the annotations file as unreadable.
pub(crate) fn is_unread_annotations(finding: &Diagnostic) -> bool {
    let name = finding.place.as_ref().map(|place| place.source.name());
    finding.is_error() && name.is_some_and(|name| name.ends_with(ANNOTATIONS_YAML))
}

/// Removes findings about missing content if a manifest could not be read, because that manifest might contain the
/// content. Without a Deployment, findings about Services that select no pods, and about accounts that no Deployment
/// uses, are also removed. If the annotations could not be read, the finding that they are missing is removed.
pub(crate) fn leave_out(reading: &[Diagnostic], findings: &mut Vec<Diagnostic>) {
    if reading.iter().any(is_unread) {
        findings.retain(|finding| !ABSENCES.contains(&finding.rule));
    }
    if reading.iter().any(is_unread_annotations) {
        let absent: &Rule = &rules::ANN_FILE_MISSING;
        findings.retain(|finding| finding.rule != absent);
    }
    let missing: &Rule = &rules::K8S_DEPLOYMENT_MISSING;
    if findings.iter().any(|finding| finding.rule == missing) {
        let follow: [&Rule; 2] = [&rules::SERVICE_SELECTOR, &rules::RBAC_KEPT_SUBJECT_NAMESPACE];
        findings.retain(|finding| !follow.contains(&finding.rule));
    }
}
