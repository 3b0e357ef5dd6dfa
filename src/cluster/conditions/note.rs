//! Notes for people about a condition resource that could be read.

use super::list::{Listed, Lists, find};
use super::{OperatorCondition, UPGRADEABLE, UPGRADING};
use crate::kubernetes::names::{is_dns1123_label, is_dns1123_subdomain};
use crate::text::kind_of;
use crate::version::parse_strict;
use std::fmt;

/// The conditions that affect OLM.
pub(super) const SUPPORTED: [&str; 2] = [UPGRADEABLE, UPGRADING];

/// A part of a resource that a cluster would reject, or that does not have the effect that a reader would expect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// A name that clusters reject.
    Name {
        /// The field.
        field: &'static str,
        /// The name.
        name: String,
    },
    /// `status.conditions` is one condition, not a list.
    SingleCondition,
    /// A status that YAML reads as true or false.
    BareStatus {
        /// The type of the condition.
        kind: String,
        /// The status.
        status: String,
    },
    /// `status.version` is not a string.
    VersionType {
        /// The type that was found, such as `a number`.
        found: &'static str,
    },
    /// `status.version` is not a version.
    Version {
        /// The version as written.
        version: String,
    },
    /// A status that is not True, False or Unknown.
    UnknownStatus {
        /// The type of the condition.
        kind: String,
        /// The status.
        status: String,
    },
    /// A reason that the API server rejects.
    Reason {
        /// The type of the condition.
        kind: String,
        /// The reason.
        reason: String,
    },
    /// A type that differs slightly from one that OLM supports.
    Misspelled {
        /// The type as written.
        kind: String,
        /// The probably intended type.
        meant: &'static str,
    },
    /// An override of a type that OLM does not support, which has no effect.
    UnknownOverride {
        /// The type.
        kind: String,
        /// The possibly intended type.
        meant: Option<&'static str>,
    },
    /// The status of `Upgrading` is Unknown, which counts as absent.
    UpgradingUnknown,
    /// The resource has no status yet; the operator's conditions in the spec are used, because OLM will copy them.
    NotCopied,
    /// The operator wrote a status that differs from the status that OLM has copied.
    WrittenOtherwise {
        /// The type of the condition.
        kind: String,
        /// The status that the operator wrote.
        written: String,
    },
}

impl fmt::Display for Note {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name { field, name } => {
                write!(
                    formatter,
                    "{field} is {name:?}, which is not a valid name; clusters reject it"
                )
            }
            Self::SingleCondition => {
                formatter.write_str("status.conditions is one condition; clusters accept only a list of them")
            }
            Self::BareStatus { kind, status } => write!(
                formatter,
                "the status of {kind} is written without quotes; clusters accept only the string {status:?}"
            ),
            Self::VersionType { found } => write!(
                formatter,
                "status.version is {found}; clusters accept only a string, such as \"1.2.3\""
            ),
            Self::Version { version } => write!(
                formatter,
                "status.version is {version:?}, which is not a version such as 1.2.3"
            ),
            Self::UnknownStatus { kind, status } => write!(
                formatter,
                "the status {status:?} of {kind} is not True, False or Unknown"
            ),
            Self::Reason { kind, reason } => write!(
                formatter,
                "the reason {reason:?} of {kind} is not in CamelCase; clusters reject it"
            ),
            Self::Misspelled { kind, meant } => {
                write!(
                    formatter,
                    "OLM does not know the condition {kind}; did you mean {meant}?"
                )
            }
            Self::UnknownOverride { kind, meant } => {
                write!(
                    formatter,
                    "the override of {kind} has no effect, because OLM does not know this condition"
                )?;
                meant.map_or(Ok(()), |meant| write!(formatter, "; did you mean {meant}?"))
            }
            Self::UpgradingUnknown => formatter.write_str("the status of Upgrading is Unknown, so it is ignored"),
            Self::NotCopied => formatter.write_str(
                "there is no status yet; spec.conditions is used instead, because OLM will copy it to the status",
            ),
            Self::WrittenOtherwise { kind, written } => write!(
                formatter,
                "spec.conditions has {kind}={written}, which OLM has not copied to the status yet"
            ),
        }
    }
}

/// Returns the notes about a resource, regardless of the judgement.
pub(super) fn of(condition: OperatorCondition<'_>, lists: &Lists<'_>) -> Vec<Note> {
    let mut notes = of_names(condition);
    if lists.single {
        notes.push(Note::SingleCondition);
    }
    notes.extend(of_version(condition));
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

/// Returns the notes about the names of a resource. A missing namespace is known from elsewhere.
pub(super) fn of_names(condition: OperatorCondition<'_>) -> Vec<Note> {
    let name = Some(("metadata.name", condition.name())).filter(|(_, name)| !is_dns1123_subdomain(name));
    let namespace = condition.namespace().map(|namespace| ("metadata.namespace", namespace));
    let namespace = namespace.filter(|(_, name)| !is_dns1123_label(name));
    let notes = [name, namespace].into_iter().flatten();
    notes
        .map(|(field, name)| Note::Name {
            field,
            name: name.to_owned(),
        })
        .collect()
}

/// Returns the notes about `status.version`.
fn of_version(condition: OperatorCondition<'_>) -> Vec<Note> {
    let written = condition.get(&["status", "version"]).filter(|value| !value.is_string());
    let mistyped = written.map(|value| Note::VersionType { found: kind_of(value) });
    let is_version = |text: &str| parse_strict(text.strip_prefix('v').unwrap_or(text)).is_ok();
    let version = condition.version().filter(|version| !is_version(version));
    let unknown = version.map(|version| Note::Version {
        version: version.into_owned(),
    });
    mistyped.into_iter().chain(unknown).collect()
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

/// Returns the supported type that differs from `kind` only in one letter or in case.
fn misspelled(kind: &str) -> Option<&'static str> {
    let near = |supported: &&str| {
        let distance = strsim::damerau_levenshtein(&supported.to_lowercase(), &kind.to_lowercase());
        distance <= 1 && *supported != kind
    };
    SUPPORTED.into_iter().find(near)
}

/// Returns whether a string matches `^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$` and is not too long.
fn is_reason(text: &str) -> bool {
    let word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let bytes = text.as_bytes();
    bytes.len() <= 1024
        && bytes.first().is_some_and(u8::is_ascii_alphabetic)
        && bytes.last().is_some_and(|byte| word(*byte))
        && bytes.iter().all(|byte| word(*byte) || b",:".contains(byte))
}
