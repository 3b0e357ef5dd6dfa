//! What an error of the API server means for a step that an install may do without (proposal *optional-manifest*).

use std::fmt;

/// What follows from an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    /// This cluster cannot have the object: the step ends as `NotCreated`, and the plan goes on.
    NotCreated,
    /// The object is there, and is updated.
    Update,
    /// The step fails, and the plan is tried again.
    Failure,
}

/// One error that API servers answer with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reason {
    /// `reason` of the Status; empty where it says none that is known.
    pub name: &'static str,
    /// The number of the answer, 0 where there is no answer.
    pub code: u16,
    /// What it means for an optional step.
    pub class: Class,
}

const fn row(name: &'static str, code: u16, class: Class) -> Reason {
    Reason { name, code, class }
}

/// No answer, or one with a reason and a number that nobody knows.
pub(crate) const UNKNOWN: Reason = row("", 0, Class::Failure);

/// The table of the proposal. It gives Invalid the number 442, which is 422; some numbers stand for several reasons, so
/// the reason is what counts. StorageReadError is younger than the proposal.
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

/// Finds the error by its reason, and by its number only where the reason is not known, as Kubernetes' clients do.
/// `verb` tells the two apart that share the number 409.
pub(crate) fn reason_of(reason: &str, code: u16, verb: &str) -> Reason {
    let named = |name: &str| REASONS.into_iter().find(|row| row.name == name);
    if let Some(row) = named(reason) {
        return row;
    }
    let name = match code {
        409 if verb == "create" => "AlreadyExists",
        409 => "Conflict",
        // These two mean nothing to a client without a reason.
        410 | 413 => "",
        400..=499 | 503 | 504 => REASONS.iter().find(|row| row.code == code).map_or("", |row| row.name),
        500..=599 => "InternalError",
        _ => "",
    };
    named(name).unwrap_or(UNKNOWN)
}

/// An error that a request was answered with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// Which one.
    pub reason: Reason,
    /// What OLM says of it.
    pub message: String,
    /// The same in plain words.
    pub plain: String,
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_found_by_name_before_number() {
        for row in REASONS {
            assert_eq!(reason_of(row.name, 0, "create"), row);
            assert_eq!(reason_of(row.name, 599, "update"), row, "the number does not count");
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
