//! What sources outside the bundle say about the resources that nothing in it explains.

use super::Unresolved;
use crate::bundle::stamp::ApiHint;
use crate::diagnostic::Diagnostic;
use crate::kubernetes::served::{Resolution, ServedResources};
use crate::rules;

/// A resource that a source explains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolved {
    /// What to write into `olm.yaml`.
    pub hint: ApiHint,
    /// The source that says so.
    pub source: String,
}

/// Looks the resources up. One of which there are several kinds is a finding: a person must choose.
pub fn resolve(unresolved: &[Unresolved], sources: &ServedResources) -> (Vec<Resolved>, Vec<Diagnostic>) {
    let (mut resolved, mut findings) = (Vec::new(), Vec::new());
    for entry in unresolved {
        let (group, resource) = (&entry.group, &entry.resource);
        match sources.resolve(group, resource) {
            Resolution::Unknown => {}
            Resolution::Found { kind, version, source } => resolved.push(Resolved {
                hint: ApiHint {
                    group: group.clone(),
                    resource: resource.clone(),
                    kind,
                    version,
                    entry: entry.entry,
                },
                source,
            }),
            Resolution::Conflict { kinds } => {
                let said: Vec<_> = kinds
                    .iter()
                    .map(|(kind, source)| format!("{kind} in {source}"))
                    .collect();
                let message = format!("{resource} of group {group} are of several kinds: {}", said.join(", "));
                let help = format!(
                    "Say which in metadata/olm.yaml:\napis:\n- {{group: {group}, resource: {resource}, kind: …, version: …}}"
                );
                let finding = Diagnostic::new(&rules::RBAC_KIND_AMBIGUOUS, message).help(help);
                findings.push(finding.at(entry.place.clone()));
            }
        }
    }
    (resolved, findings)
}
