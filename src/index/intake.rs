//! Converts the files of a bundle to the rows that an index stores.

use crate::bundle::stated::{Stated, StatedAt, stated};
use crate::bundle::{self, Annotations, Bundle, MediaType, TypedValue};
use crate::csv;
use crate::database::record::{Contents, Manifests, Provided, Record, RecordError};
use crate::diagnostic::{self, Diagnostic};
use crate::manifest::Object;
use crate::olm;
use crate::rules;
use crate::steps;
use crate::synthesis::Synthesis;
use crate::synthesis::outside::{Outside, inform};
use crate::text::{Limits, Path, canonical};
use crate::tree::Tree;
use crate::validation::{self, Judged, Strictness, judge_files};
use serde_json::{Value, json};
use std::ops::Range;

/// The options for recording a bundle.
#[derive(Debug, Clone, Copy, Default)]
pub struct Recording<'a> {
    /// The reference of the bundle's image in a registry, as the user wrote it.
    pub reference: Option<&'a str>,
    /// Whether to store a reference to a `k8s+v1` bundle instead of its content, for an OLM that supports the media
    /// type.
    pub by_reference: bool,
    /// Information that the bundle does not contain: sample resources, and the resources that clusters serve.
    pub outside: Option<&'a Outside>,
    /// Whether to record where the bundle states its position in an index, for errors in the index.
    pub places: bool,
}

/// A bundle that is ready to be added.
#[derive(Debug)]
pub struct Prepared {
    /// The rows of the bundle.
    pub record: Record,
    /// The media type of the bundle.
    pub media_type: MediaType,
    /// The ClusterServiceVersion and the other objects that OLM installs from the image of the bundle, if they are not
    /// those that an index stores.
    pub installed: Option<(Value, Vec<Value>)>,
    /// Warnings and remarks about the bundle.
    pub diagnostics: Vec<Diagnostic>,
}

/// An error that prevents adding a bundle.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IntakeError {
    /// The bundle has errors, all of which are listed.
    #[error("{origin} has errors")]
    Findings {
        /// The folder or image.
        origin: String,
        /// All findings.
        diagnostics: Vec<Diagnostic>,
    },
    /// The bundle should be stored by reference, but has no reference.
    #[error("{origin} is not in a registry, so there is no reference to store")]
    NoReference {
        /// The folder or image.
        origin: String,
    },
    /// An index cannot store the bundle.
    #[error(transparent)]
    Record(#[from] RecordError),
}

/// Reads a bundle, checks it and computes its rows. A `k8s+v1` bundle is stored as its synthesized CSV and the objects
/// that stay next to the CSV.
///
/// # Errors
/// Returns an error if the bundle has errors, or values that an index cannot store.
pub fn prepare(
    tree: &Tree,
    recording: Recording<'_>,
    limits: &Limits,
    strictness: &Strictness,
) -> Result<Prepared, IntakeError> {
    let mut reading = bundle::read(tree, limits);
    if let (Some(outside), Some(bundle)) = (recording.outside, &mut reading.bundle) {
        let found = inform(bundle, &reading.diagnostics, outside);
        reading.diagnostics.extend(found);
    }
    let Judged {
        mut findings,
        synthesis,
    } = judge_files(tree, &reading, recording.reference.is_some(), strictness);
    if recording.by_reference && recording.reference.is_some() {
        findings.retain(|finding| *finding.rule != rules::BUNDLE_INLINE_SIZE);
    }
    let refuse = |diagnostics: Vec<Diagnostic>| IntakeError::Findings {
        origin: tree.origin().to_owned(),
        diagnostics,
    };
    if diagnostic::has_errors(&findings) {
        return Err(refuse(findings));
    }
    let parts = reading.bundle.as_ref().and_then(|bundle| {
        let csv = match &synthesis {
            Some(synthesis) => synthesis.csv.as_ref(),
            None => bundle.csv().map(Object::value),
        };
        Some((bundle, bundle.annotations.as_ref()?, csv?))
    });
    // A missing part always causes a finding, but the strictness may suppress it. The check for authors reports it
    // again.
    let Some((bundle, annotations, csv)) = parts else {
        return Err(refuse(validation::check_reading(&reading)));
    };
    let placed = |error| placed(error, bundle, &stated(bundle));
    let mut record = match &synthesis {
        None => {
            let record = registry_v1(bundle, annotations, csv, recording).map_err(placed)?;
            if recording.reference.is_none() {
                findings.extend(inline_finding(bundle, csv, &record.manifests));
            }
            record
        }
        Some(_) if recording.by_reference && recording.reference.is_none() => {
            let origin = bundle.origin.clone();
            return Err(IntakeError::NoReference { origin });
        }
        Some(synthesis) => k8s_v1(bundle, annotations, csv, synthesis, recording).map_err(placed)?,
    };
    if recording.places {
        record.stated = stated(bundle);
    }
    Ok(Prepared {
        record,
        media_type: bundle.media_type,
        installed: installed(bundle),
        diagnostics: findings,
    })
}

/// Returns the objects that OLM installs from the image of a bundle, if an index does not store all of them.
fn installed(bundle: &Bundle) -> Option<(Value, Vec<Value>)> {
    if bundle.unpacked.is_empty() {
        return None;
    }
    let installed = bundle.installed();
    let others = installed.others.into_iter().map(|object| object.value().clone());
    Some((installed.csv?.value().clone(), others.collect()))
}

/// Replaces the origin in an error with the place of the fault, as `FILE:LINE`, if the place is known.
fn placed(mut error: RecordError, bundle: &Bundle, stated: &StatedAt) -> RecordError {
    let in_csv = |path: &str| {
        let place = bundle.csv()?.place(&Path::from(path));
        Some(format!("{}:{}", place.source.name(), place.start().line))
    };
    let place = match &error {
        RecordError::NoChannel { .. } => stated.get(&Stated::Channels).cloned(),
        RecordError::NoPackage { .. } => stated.get(&Stated::Package).cloned(),
        RecordError::NameMissing { .. } => in_csv("metadata"),
        RecordError::CrdName { path, .. } => in_csv(path),
        RecordError::OwnedApiMissing { .. } => in_csv("spec.customresourcedefinitions.owned"),
        RecordError::OlmProperties { .. } => in_csv("metadata.annotations"),
        RecordError::Shape { object, path, .. } if object.starts_with(csv::KIND) => in_csv(path),
        RecordError::Shape { .. } => None,
    };
    if let Some(place) = place {
        *error.origin() = place;
    }
    error
}

fn pairs(values: &[TypedValue]) -> Vec<(String, String)> {
    let pairs = values.iter().map(|value| (value.kind.clone(), value.stored.clone()));
    pairs.collect()
}

fn contents<'a>(bundle: &'a Bundle, annotations: &'a Annotations, csv: &'a Value) -> Contents<'a> {
    Contents {
        origin: &bundle.origin,
        csv,
        objects: Vec::new(),
        package: annotations.package(),
        channels: annotations.channels(),
        default_channel: annotations.default_channel().map(str::to_owned),
        dependencies: pairs(&bundle.dependencies),
        properties: pairs(&bundle.properties),
        bundle_path: "",
        extra_images: Vec::new(),
        provided: Provided::Defined,
    }
}

fn registry_v1(
    bundle: &Bundle,
    annotations: &Annotations,
    csv: &Value,
    recording: Recording<'_>,
) -> Result<Record, RecordError> {
    Record::new(&Contents {
        objects: bundle.objects.iter().map(Object::value).collect(),
        bundle_path: recording.reference.unwrap_or_default(),
        ..contents(bundle, annotations, csv)
    })
}

/// Checks the size of the objects of a `registry+v1` bundle in an index that embeds them.
fn inline_finding(bundle: &Bundle, csv: &Value, manifests: &Manifests) -> Option<Diagnostic> {
    let text = |range: &Range<usize>| manifests.text.get(range.clone()).unwrap_or_default();
    let lines = std::str::from_utf8(text(&manifests.bundle)).unwrap_or_default().lines();
    let others = bundle.objects.iter().map(Object::value).zip(lines.map(str::as_bytes));
    let others: Vec<(&Value, &[u8])> = others.filter(|(object, _)| !std::ptr::eq(*object, csv)).collect();
    steps::inline_finding((csv, text(&manifests.csv).trim_ascii_end()), others.iter().copied())
}

fn k8s_v1(
    bundle: &Bundle,
    annotations: &Annotations,
    csv: &Value,
    synthesis: &Synthesis,
    recording: Recording<'_>,
) -> Result<Record, RecordError> {
    let mut contents = contents(bundle, annotations, csv);
    contents.objects = std::iter::once(csv).chain(synthesis.kept()).collect();
    contents.provided = Provided::Owned;
    for (property, (_, stored)) in bundle.properties.iter().zip(&mut contents.properties) {
        if property.kind == olm::property::OPTIONAL_MANIFESTS
            && let Some(value) = synthesis.optional_manifests(&property.value)
        {
            *stored = canonical::to_string(&value);
        }
    }
    let property = |kind: &str, value: &str| (kind.to_owned(), json!(value).to_string());
    let media_type = property(olm::property::MEDIA_TYPE, MediaType::K8sV1.as_str());
    contents.properties.push(media_type);
    if let Some(reference) = recording.reference {
        if recording.by_reference {
            contents.bundle_path = reference;
        } else {
            contents.extra_images.push(reference.to_owned());
            contents.properties.push(property(olm::property::IMAGE, reference));
        }
    }
    Record::new(&contents)
}
