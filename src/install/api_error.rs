//! The meaning of an API server error for an optional step of an install (proposal *optional-manifest*).

use crate::shape::nearest;
use std::fmt;

/// The consequence of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    /// The cluster cannot have the object: the step ends as `NotCreated`, and the plan continues.
    NotCreated,
    /// The object already exists, so it is updated.
    Update,
    /// The step fails, and the plan is retried.
    Failure,
}

/// An error in the answer of an API server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reason {
    /// The `reason` of the Status; empty if unknown.
    pub name: &'static str,
    /// The status code of the answer; 0 if there is no answer.
    pub code: u16,
    /// The consequence for an optional step.
    pub class: Class,
}

const fn row(name: &'static str, code: u16, class: Class) -> Reason {
    Reason { name, code, class }
}

/// No answer, or an answer with an unknown reason and an unknown code.
pub(crate) const UNKNOWN: Reason = row("", 0, Class::Failure);

/// The table of the proposal, but with the correct code 422 instead of 442 for Invalid. Some codes stand for several
/// reasons, so the reason takes precedence. StorageReadError is newer than the proposal.
#[rustfmt::skip]
pub(crate) const REASONS: [Reason; 19] = [
    row("Unauthorized", 401, Class::NotCreated),
    row("Forbidden", 403, Class::NotCreated),
    row("NotFound", 404, Class::NotCreated),
    row("Conflict", 409, Class::NotCreated),
    row("NotAcceptable", 406, Class::NotCreated),
    row("UnsupportedMediaType", 415, Class::NotCreated),
    row("Invalid", 422, Class::NotCreated),
    row("AlreadyExists", 409, Class::Update),
    row("BadRequest", 400, Class::Failure),
    row("MethodNotAllowed", 405, Class::Failure),
    row("Gone", 410, Class::Failure),
    row("Expired", 410, Class::Failure),
    row("RequestEntityTooLarge", 413, Class::Failure),
    row("TooManyRequests", 429, Class::Failure),
    row("InternalError", 500, Class::Failure),
    row("ServerTimeout", 500, Class::Failure),
    row("StorageReadError", 500, Class::Failure),
    row("ServiceUnavailable", 503, Class::Failure),
    row("Timeout", 504, Class::Failure),
];

/// Finds the error by its reason, and by its code only if the reason is unknown, as Kubernetes clients do. `verb`
/// distinguishes the two errors with the code 409.
pub(crate) fn reason_of(reason: &str, code: u16, verb: &str) -> Reason {
    let named = |name: &str| REASONS.into_iter().find(|row| row.name == name);
    if let Some(row) = named(reason) {
        return row;
    }
    let name = match code {
        409 if verb == "create" => "AlreadyExists",
        409 => "Conflict",
        // Without a reason, Kubernetes clients do not distinguish these codes.
        410 | 413 => "",
        400..=499 | 503 | 504 => REASONS.iter().find(|row| row.code == code).map_or("", |row| row.name),
        500..=599 => "InternalError",
        _ => "",
    };
    named(name).unwrap_or(UNKNOWN)
}

/// Returns the known reason that an unknown one probably stands for, such as `Forbidden` for `forbidden`.
pub fn meant_reason(reason: &str) -> Option<&'static str> {
    let is_known = REASONS.iter().any(|row| row.name == reason);
    nearest(reason, REASONS.iter().map(|row| row.name)).filter(|_| !is_known)
}

/// The error in the answer to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiError {
    /// The error.
    pub reason: Reason,
    /// The message that OLM reports.
    pub message: String,
    /// The same message in plain words.
    pub plain: String,
}

impl fmt::Display for ApiError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_reason_is_suggested_for_a_similar_one() {
        assert_eq!(meant_reason("forbidden"), Some("Forbidden"));
        assert_eq!(meant_reason("NotFond"), Some("NotFound"));
        for reason in ["Forbidden", "", "SomethingNew"] {
            assert_eq!(meant_reason(reason), None, "{reason}");
        }
    }

    #[test]
    fn reasons_are_looked_up_by_name_before_code() {
        for row in REASONS {
            assert_eq!(reason_of(row.name, 0, "create"), row);
            assert_eq!(reason_of(row.name, 599, "update"), row, "the code is ignored");
        }
        for (code, verb, name) in [
            (400, "create", "BadRequest"),
            (401, "create", "Unauthorized"),
            (403, "create", "Forbidden"),
            (404, "create", "NotFound"),
            (405, "create", "MethodNotAllowed"),
            (406, "create", "NotAcceptable"),
            (409, "create", "AlreadyExists"),
            (409, "update", "Conflict"),
            (410, "create", ""),
            (413, "create", ""),
            (415, "create", "UnsupportedMediaType"),
            (422, "create", "Invalid"),
            (429, "create", "TooManyRequests"),
            (442, "create", ""),
            (500, "create", "InternalError"),
            (502, "create", "InternalError"),
            (503, "create", "ServiceUnavailable"),
            (504, "create", "Timeout"),
            (0, "create", ""),
            (302, "create", ""),
        ] {
            assert_eq!(reason_of("", code, verb).name, name, "{code}");
            assert_eq!(reason_of("SomethingNew", code, verb).name, name, "{code}");
        }
    }
}
