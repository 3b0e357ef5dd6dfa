//! Objects in a version that Kubernetes no longer serves, but that opmx still reads.

use super::Work;
use crate::diagnostic::Diagnostic;
use crate::kubernetes::rbac;
use crate::rules::{self, Severity};
use crate::text::{Path, source_edit};

/// Groups whose `v1beta1` has the same structure as `v1`; Kubernetes 1.22 removed `v1beta1`.
const GROUPS: [&str; 3] = [rbac::GROUP, "admissionregistration.k8s.io", "apiregistration.k8s.io"];

/// Reports the objects that should use `v1`.
pub(super) fn look_at(work: &mut Work<'_>) {
    for group in GROUPS {
        for index in work.inventory.of_version(group, "v1beta1") {
            let object = work.inventory.object(index);
            let message = format!("{} uses {group}/v1beta1, which Kubernetes 1.22 removed", object.label());
            let mut finding = Diagnostic::new(&rules::K8S_OLD_API, message).object(object.label());
            // Most of these objects become part of the CSV, where their version no longer matters.
            finding.severity = Severity::Warning;
            let path = Path::root().key("apiVersion");
            let (document, root) = object.document();
            // Webhooks have different defaults in v1, so a person must review them.
            let same = group != "admissionregistration.k8s.io";
            let edit = source_edit::rewrite(document, &root.join(&path), &format!("{group}/v1")).filter(|_| same);
            let finding = finding.at(object.place(&path)).fixed_by(edit);
            work.report(finding.help(format!("Migrate the object to {group}/v1.")));
        }
    }
}
