//! Information from outside the bundle: sample custom resources, and the kinds of resources that the bundle does not
//! explain.

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

/// Information from outside the bundle.
#[derive(Debug, Clone, Default)]
pub struct Outside {
    /// Sample custom resources; `None` if the examples of the bundle stay unchanged.
    pub samples: Option<Vec<Object>>,
    /// The resources that clusters are known to serve.
    pub sources: ServedResources,
}

/// The reason why information cannot be added to a bundle.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OutsideError {
    /// The bundle already has a ClusterServiceVersion.
    #[error("{origin} already contains a ClusterServiceVersion, so nothing is inferred")]
    Written {
        /// The bundle.
        origin: String,
    },
    /// A file cannot be changed.
    #[error(transparent)]
    Edit(#[from] EditError),
}

/// The result of adding outside information to a bundle.
#[derive(Debug)]
pub(crate) struct Inferred {
    /// The bundle after the changes; `None` if nothing was written because of errors among the findings.
    pub reading: Option<BundleReading>,
    /// The resources in the bundle's rules whose kinds were found in a source.
    pub resolved: Vec<Resolved>,
    /// Problems in the samples, and choices that a person must make.
    pub findings: Vec<Diagnostic>,
}

/// Writes the caller's decisions and outside information into the files of a bundle, so that the bundle itself contains
/// them. `reading` is the result of reading the files.
///
/// # Errors
/// Returns an error if the bundle already contains a ClusterServiceVersion, or if a file cannot be changed.
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

/// Adds information about the APIs that a `k8s+v1` bundle uses, as if its `olm.yaml` contained the information; the
/// files do not change. A `registry+v1` bundle already contains all of this information. `reading` contains the
/// findings from reading the bundle. Returns findings about choices that a person must make.
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

/// The outside information that a bundle can adopt.
#[derive(Debug, Default)]
pub struct Learned {
    /// The examples for the bundle.
    pub examples: Option<Vec<Value>>,
    /// The resources in the bundle's rules whose kinds were found in a source.
    pub resolved: Vec<Resolved>,
    /// Problems in the samples, and choices that a person must make.
    pub findings: Vec<Diagnostic>,
}

/// A resource whose kind was found in a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolved {
    /// The entry for `olm.yaml`.
    pub hint: ApiHint,
    /// The source that contains the resource.
    pub source: String,
}

/// Looks up missing information for a bundle. `reading` contains the findings from reading the bundle.
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

/// Looks up the resources. A resource for which the sources contain several kinds becomes a finding, because a person
/// must choose. A resource in a group of the bundle is not looked up: a source cannot tell whether another operator
/// must provide it, and the bundle does not require it unless its author says so.
pub fn resolve(unresolved: &[Unresolved], sources: &ServedResources) -> (Vec<Resolved>, Vec<Diagnostic>) {
    let (mut resolved, mut findings) = (Vec::new(), Vec::new());
    for entry in unresolved.iter().filter(|entry| !entry.of_own_group) {
        let (group, resource) = (&entry.group, &entry.resource);
        match sources.resolve(group, resource) {
            Resolution::Unknown => {}
            Resolution::Found { kind, version, source } => resolved.push(Resolved {
                hint: ApiHint {
                    group: group.clone(),
                    resource: resource.clone(),
                    kind,
                    version,
                    native: entry.of_platform,
                    entry: entry.entry,
                },
                source,
            }),
            Resolution::Conflict { kinds } => {
                let said: Vec<_> = kinds
                    .iter()
                    .map(|(kind, source)| format!("{kind} in {source}"))
                    .collect();
                let message = format!("{resource} of group {group} have several kinds: {}", said.join(", "));
                let help = format!(
                    "Specify the kind in metadata/olm.yaml:\napis:\n- {{group: {group}, resource: {resource}, kind: …, version: …}}"
                );
                let finding = Diagnostic::new(&rules::RBAC_KIND_AMBIGUOUS, message).help(help);
                findings.push(finding.at(entry.place.clone()));
            }
        }
    }
    (resolved, findings)
}
