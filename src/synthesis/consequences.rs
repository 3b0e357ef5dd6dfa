//! What follows from a manifest that cannot be read: that what it holds is missing is no news.

use crate::diagnostic::Diagnostic;
use crate::rules::{self, Rule};

/// Rules by which a manifest cannot be read.
static UNREADABLE: [&Rule; 7] = [
    &rules::YAML_SYNTAX,
    &rules::YAML_EXCESSIVE_ALIASING,
    &rules::YAML_TOO_DEEP,
    &rules::JSON_SYNTAX,
    &rules::TEXT_ENCODING,
    &rules::TEXT_TOO_LARGE,
    &rules::OBJECT_NOT_A_MAP,
];

/// Rules about what a bundle does not have.
static ABSENCES: [&Rule; 11] = [
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
    &rules::CERT_OWN_SECRET,
];

/// Leaves out what a bundle lacks where a manifest could not be read: it may be there. Without a Deployment, that no
/// Service selects its pods is no news either.
pub(crate) fn leave_out(reading: &[Diagnostic], findings: &mut Vec<Diagnostic>) {
    let unread = reading.iter().any(|finding| {
        let place = finding.place.as_ref();
        UNREADABLE.contains(&finding.rule)
            && place.is_some_and(|place| place.source.name().contains(&format!("{}/", crate::bundle::MANIFESTS)))
    });
    if unread {
        findings.retain(|finding| !ABSENCES.contains(&finding.rule));
    }
    let missing: &Rule = &rules::K8S_DEPLOYMENT_MISSING;
    if findings.iter().any(|finding| finding.rule == missing) {
        let selector: &Rule = &rules::SERVICE_SELECTOR;
        findings.retain(|finding| finding.rule != selector);
    }
}
