//! What is known outside the bundle: sample custom resources, and the kinds of resources that nothing in it explains.

use super::samples::examples;
use super::{Unresolved, synthesize};
use crate::bundle::stamp::{ApiHint, Stamp, stamp};
use crate::bundle::{self, Bundle, BundleLimits, BundleReading, EditError, MediaType};
use crate::diagnostic::{self, Diagnostic};
use crate::kubernetes::served::{Resolution, ServedResources};
use crate::manifest::Object;
use crate::rules;
use crate::tree::Tree;
use serde_json::Value;

/// What is known outside the bundle.
#[derive(Debug, Default)]
pub struct Outside {
    /// Sample custom resources; `None` where the examples of the bundle stay as they are.
    pub samples: Option<Vec<Object>>,
    /// What is served by clusters, as far as is known.
    pub sources: ServedResources,
}

/// Why nothing can be written into a bundle.
#[derive(Debug, thiserror::Error)]
pub enum OutsideError {
    /// It has a ClusterServiceVersion already.
    #[error("{origin} has a ClusterServiceVersion, so nothing is inferred for it")]
    Written {
        /// The bundle.
        origin: String,
    },
    /// A file cannot be changed.
    #[error(transparent)]
    Edit(#[from] EditError),
}

/// What came of writing into a bundle what is known outside of it.
#[derive(Debug)]
pub(crate) struct Inferred {
    /// The bundle as it is now; `None` where the findings are errors, and nothing was written.
    pub reading: Option<BundleReading>,
    /// The resources that its rules name and that a source explains.
    pub resolved: Vec<Resolved>,
    /// What is wrong with the samples, and where a person must choose.
    pub findings: Vec<Diagnostic>,
}

/// Writes into the files of a bundle what the caller decides and what is known outside, so that the bundle says it from
/// then on. `reading` is what was read of the files.
///
/// # Errors
/// When there is nothing to infer for the bundle, or a file cannot be changed.
pub(crate) fn write_into(
    tree: &mut Tree,
    reading: BundleReading,
    mut wanted: Stamp,
    outside: Option<&Outside>,
    limits: &BundleLimits,
) -> Result<Inferred, OutsideError> {
    let mut inferred = Inferred {
        reading: None,
        resolved: Vec::new(),
        findings: Vec::new(),
    };
    if let (Some(bundle), Some(outside)) = (&reading.bundle, outside) {
        if bundle.media_type == MediaType::RegistryV1 {
            let origin = bundle.origin.clone();
            return Err(OutsideError::Written { origin });
        }
        let learned = learn(bundle, &reading.diagnostics, outside);
        inferred.findings = learned.findings;
        if diagnostic::has_errors(&inferred.findings) {
            return Ok(inferred);
        }
        wanted.examples = learned.examples;
        wanted.apis = learned.resolved.iter().map(|resolved| resolved.hint.clone()).collect();
        inferred.resolved = learned.resolved;
    }
    inferred.reading = Some(match &reading.bundle {
        Some(bundle) if wanted != Stamp::default() => {
            stamp(tree, bundle, &wanted, limits)?;
            bundle::read(tree, &limits.text)
        }
        _ => reading,
    });
    Ok(inferred)
}

/// Lets a `k8s+v1` bundle say what is known of the APIs that it uses, as if its `olm.yaml` said it; its files stay. A
/// `registry+v1` bundle says it all itself. `reading` are the findings that were made when it was read. Returns where a
/// person must choose.
pub fn inform(bundle: &mut Bundle, reading: &[Diagnostic], outside: &Outside) -> Vec<Diagnostic> {
    let Some(olm) = bundle.olm.clone().filter(|_| bundle.media_type == MediaType::K8sV1) else {
        return Vec::new();
    };
    let learned = learn(bundle, reading, outside);
    let mut value = olm.value().clone();
    if let Value::Object(map) = &mut value {
        let list = map.entry("apis").or_insert_with(|| Value::Array(Vec::new()));
        if list.is_null() {
            *list = Value::Array(Vec::new());
        }
        for Resolved { hint, .. } in &learned.resolved {
            let Value::Array(entries) = &mut *list else { break };
            match hint.entry.and_then(|entry| entries.get_mut(entry)) {
                Some(Value::Object(said)) => {
                    for (key, known) in [("kind", &hint.kind), ("version", &hint.version)] {
                        let value = said.entry(key).or_insert(Value::Null);
                        if value.is_null() {
                            *value = known.as_str().into();
                        }
                    }
                }
                _ => entries.push(hint.to_value()),
            }
        }
    }
    bundle.olm = Some(olm.with_value(value));
    learned.findings
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
