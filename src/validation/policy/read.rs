//! Reads a policy file from its text; errors point at the place of the problem.

use super::keys::SHAPE;
use super::{Policy, Section};
use crate::shape::{self, Fault};
use crate::source::{Place, SourceFile};
use crate::text::{self, Document, Limits, Path};

/// The reason why a file is not a valid policy file.
#[derive(Debug, thiserror::Error)]
#[error("{place}: {message}")]
pub struct PolicyError {
    /// The place of the problem.
    pub place: Place,
    /// A description of the problem.
    pub message: String,
}

/// Reads a policy file. `name` is the path that errors and findings show.
///
/// # Errors
/// Returns an error if the file is not YAML or JSON, or has an unknown key or an invalid value; the error points at the
/// line.
pub fn read(name: &str, bytes: &[u8], limits: &Limits) -> Result<Policy, PolicyError> {
    let mut reading = text::read(name, bytes, limits);
    let whole = || Place::new(&SourceFile::new(name, ""), 0..0);
    if let Some(finding) = reading.diagnostics.iter().find(|finding| finding.is_error()) {
        return Err(PolicyError {
            place: finding.place.clone().unwrap_or_else(whole),
            message: finding.message.clone(),
        });
    }
    reading.documents.retain(|document| !document.value().is_null());
    let count = reading.documents.len();
    let (Some(document), 1) = (reading.documents.pop(), count) else {
        return Err(PolicyError {
            place: whole(),
            message: format!("expected 1 document in a policy file, found {count}"),
        });
    };
    let mut policy = of_document(&document)?;
    policy.name = name.to_owned();
    Ok(policy)
}

fn of_document(document: &Document) -> Result<Policy, PolicyError> {
    let value = document.value();
    if let Some(problem) = shape::check(value, &SHAPE, 1).pop() {
        let place = match &problem.fault {
            Fault::UnknownKey { .. } => document.key_place(&problem.path),
            _ => document.place(&problem.path),
        };
        let message = format!("{}{}", problem.message("the file"), problem.advice());
        return Err(PolicyError { place, message });
    }
    let read: Result<Policy, _> = serde_json::from_value(shape::given(value, &SHAPE));
    let policy = read.map_err(|error| PolicyError {
        place: document.place(&Path::root()),
        message: error.to_string(),
    })?;
    let is_for_nobody = |section: &Section| section.users.is_empty() && section.groups.is_empty();
    if let Some(index) = policy.sections.iter().position(is_for_nobody) {
        return Err(PolicyError {
            place: document.place(&Path::root().key("for").index(index)),
            message: "the section names neither users nor groups, so it has no effect".to_owned(),
        });
    }
    Ok(policy)
}
