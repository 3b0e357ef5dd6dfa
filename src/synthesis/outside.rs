//! What is known outside the bundle: sample custom resources, and the kinds of resources that nothing in it explains.

use super::samples::examples;
use super::{Unresolved, synthesize};
use crate::bundle::Bundle;
use crate::bundle::stamp::ApiHint;
use crate::diagnostic::Diagnostic;
use crate::kubernetes::served::{Resolution, ServedResources};
use crate::manifest::Object;
use crate::rules;
use serde_json::Value;

/// What is known outside the bundle.
#[derive(Debug, Default)]
pub struct Outside {
    /// Sample custom resources; `None` where the examples of the bundle stay as they are.
    pub samples: Option<Vec<Object>>,
    /// What is served by clusters, as far as is known.
    pub sources: ServedResources,
}

/// What a bundle can take over from outside.
#[derive(Debug, Default)]
pub struct Learned {
    /// Its examples.
    pub examples: Option<Vec<Value>>,
    /// The resources that its rules name and that a source explains.
    pub resolved: Vec<Resolved>,
    /// What is wrong with the samples, and where a person must choose.
    pub findings: Vec<Diagnostic>,
}

/// A resource that a source explains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolved {
    /// What to write into `olm.yaml`.
    pub hint: ApiHint,
    /// The source that says so.
    pub source: String,
}

/// Looks for what a bundle lacks. `reading` are the findings that were made when it was read.
pub fn learn(bundle: &Bundle, reading: &[Diagnostic], outside: &Outside) -> Learned {
    let synthesis = synthesize(bundle, reading);
    let (resolved, mut findings) = resolve(&synthesis.unresolved, &outside.sources);
    let examples = outside.samples.as_ref().map(|samples| {
        let (examples, found) = examples(samples, &synthesis.provided);
        findings.extend(found);
        examples
    });
    Learned {
        examples,
        resolved,
        findings,
    }
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
