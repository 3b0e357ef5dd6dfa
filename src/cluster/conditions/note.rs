//! What a person should know about a condition resource that was understood.

use super::list::{Listed, Lists, find};
use super::{OperatorCondition, UPGRADEABLE, UPGRADING};
use std::fmt;

/// The conditions that change what OLM does.
pub(super) const SUPPORTED: [&str; 2] = [UPGRADEABLE, UPGRADING];

/// Something that a cluster would refuse, or that does not do what it seems to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// `status.conditions` is one condition, not a list.
    SingleCondition,
    /// A status that YAML reads as true or false.
    BareStatus {
        /// The type of the condition.
        kind: String,
        /// The status.
        status: String,
    },
    /// A status that is none.
    UnknownStatus {
        /// The type of the condition.
        kind: String,
        /// The status.
        status: String,
    },
    /// A reason that the API server refuses.
    Reason {
        /// The type of the condition.
        kind: String,
        /// The reason.
        reason: String,
    },
    /// A type that differs little from one that OLM supports.
    Misspelled {
        /// The type as it is written.
        kind: String,
        /// The type that is meant.
        meant: &'static str,
    },
    /// An override of a type that OLM does not support. It changes nothing.
    UnknownOverride {
        /// The type.
        kind: String,
        /// The type that may be meant.
        meant: Option<&'static str>,
    },
    /// `Upgrading` is Unknown, and counts as absent.
    UpgradingUnknown,
    /// The resource has no status yet; what the operator wrote counts, as OLM will copy it.
    NotCopied,
    /// The operator wrote another status than OLM has copied.
    WrittenOtherwise {
        /// The type of the condition.
        kind: String,
        /// What the operator wrote.
        written: String,
    },
}

impl fmt::Display for Note {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SingleCondition => {
                formatter.write_str("status.conditions is one condition; a cluster takes only a list of them")
            }
            Self::BareStatus { kind, status } => write!(
                formatter,
                "the status of {kind} is written without quotes; a cluster takes only the text {status:?}"
            ),
            Self::UnknownStatus { kind, status } => write!(
                formatter,
                "the status {status:?} of {kind} is none of True, False and Unknown"
            ),
            Self::Reason { kind, reason } => write!(
                formatter,
                "the reason {reason:?} of {kind} is not in CamelCase; a cluster refuses it"
            ),
            Self::Misspelled { kind, meant } => {
                write!(formatter, "OLM does not know the condition {kind}; is {meant} meant?")
            }
            Self::UnknownOverride { kind, meant } => {
                write!(
                    formatter,
                    "the override of {kind} changes nothing: OLM does not know this condition"
                )?;
                meant.map_or(Ok(()), |meant| write!(formatter, "; is {meant} meant?"))
            }
            Self::UpgradingUnknown => formatter.write_str("the status of Upgrading is Unknown, and counts for nothing"),
            Self::NotCopied => formatter
                .write_str("there is no status yet; spec.conditions counts, which OLM is going to copy to the status"),
            Self::WrittenOtherwise { kind, written } => write!(
                formatter,
                "spec.conditions has {kind}={written}, which OLM has not copied to the status yet"
            ),
        }
    }
}

/// What there is to say of a resource, whatever it comes to.
pub(super) fn of(condition: OperatorCondition<'_>, lists: &Lists<'_>) -> Vec<Note> {
    let mut notes = Vec::new();
    if lists.single {
        notes.push(Note::SingleCondition);
    }
    if condition.is_new() && !lists.written.is_empty() {
        notes.push(Note::NotCopied);
    }
    for listed in &lists.reported {
        of_condition(listed, &mut notes);
        if let Some(meant) = misspelled(listed.kind) {
            let kind = listed.kind.to_owned();
            notes.push(Note::Misspelled { kind, meant });
        }
    }
    for listed in &lists.overrides {
        of_condition(listed, &mut notes);
        if !SUPPORTED.contains(&listed.kind) {
            let kind = listed.kind.to_owned();
            let meant = misspelled(listed.kind);
            notes.push(Note::UnknownOverride { kind, meant });
        }
    }
    for kind in SUPPORTED {
        if let Some(written) = find(&lists.written, kind)
            && find(&lists.reported, kind).is_none_or(|reported| reported.status != written.status)
        {
            let (kind, written) = (kind.to_owned(), written.status.to_owned());
            notes.push(Note::WrittenOtherwise { kind, written });
        }
    }
    notes
}

fn of_condition(listed: &Listed<'_>, notes: &mut Vec<Note>) {
    let (kind, status) = (listed.kind.to_owned(), listed.status.to_owned());
    if listed.bare_status {
        notes.push(Note::BareStatus { kind, status });
    } else if !["True", "False", "Unknown"].contains(&listed.status) {
        notes.push(Note::UnknownStatus { kind, status });
    }
    if let Some(reason) = listed.reason.filter(|reason| !is_reason(reason)) {
        let (kind, reason) = (listed.kind.to_owned(), reason.to_owned());
        notes.push(Note::Reason { kind, reason });
    }
}

/// The supported type that a string differs from by one letter, or by capitals.
fn misspelled(kind: &str) -> Option<&'static str> {
    let near = |supported: &&str| {
        let distance = strsim::damerau_levenshtein(&supported.to_lowercase(), &kind.to_lowercase());
        distance <= 1 && *supported != kind
    };
    SUPPORTED.into_iter().find(near)
}

/// Whether a string matches `^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$` and is not too long.
fn is_reason(text: &str) -> bool {
    let word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let bytes = text.as_bytes();
    bytes.len() <= 1024
        && bytes.first().is_some_and(u8::is_ascii_alphabetic)
        && bytes.last().is_some_and(|byte| word(*byte))
        && bytes.iter().all(|byte| word(*byte) || b",:".contains(byte))
}
