//! Objects that are written for a version that Kubernetes no longer serves, and that are read all the same.

use super::Work;
use crate::diagnostic::Diagnostic;
use crate::kubernetes::rbac;
use crate::rules::{self, Severity};
use crate::text::{Path, mend};

/// Groups whose `v1beta1` has the shape of `v1`; Kubernetes 1.22 removed it.
const GROUPS: [&str; 3] = [rbac::GROUP, "admissionregistration.k8s.io", "apiregistration.k8s.io"];

/// Says which objects should be written for `v1`.
pub(super) fn look_at(work: &mut Work<'_>) {
    for group in GROUPS {
        for index in work.inventory.of_version(group, "v1beta1") {
            let object = work.inventory.object(index);
            let message = format!(
                "{} is written for {group}/v1beta1, which Kubernetes 1.22 removed",
                object.label()
            );
            let mut finding = Diagnostic::new(&rules::K8S_OLD_API, message).object(object.label());
            // Most of these become part of the CSV, where their own version no longer matters.
            finding.severity = Severity::Warning;
            let path = Path::root().key("apiVersion");
            let (document, root) = object.document();
            // Webhooks have other defaults in v1, so that somebody must look at them.
            let same = group != "admissionregistration.k8s.io";
            let edit = mend::rewrite(document, &root.join(&path), &format!("{group}/v1")).filter(|_| same);
            let finding = finding.at(object.place(&path)).mended_by(edit);
            work.report(finding.help(format!("Write it for {group}/v1.")));
        }
    }
}
