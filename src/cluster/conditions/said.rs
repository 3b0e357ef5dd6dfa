//! What a condition says, for the person who has to deal with it.

use super::list::Listed;
use serde::Serialize;
use std::fmt;

/// A condition as an operator reports it, or as an administrator writes it in an override.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Said {
    /// The type.
    #[serde(rename = "type")]
    pub kind: String,
    /// True, False or Unknown.
    pub status: String,
    /// The reason, in one word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What there is to say, in a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Since when the status is what it is, in the form of the resource (RFC 3339 on a cluster).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_transition_time: Option<String>,
}

impl Said {
    pub(super) fn of(listed: &Listed<'_>) -> Self {
        let some = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        Self {
            kind: listed.kind.to_owned(),
            status: listed.status.to_owned(),
            reason: listed.reason.and_then(some),
            message: some(listed.message),
            last_transition_time: listed.since.and_then(some),
        }
    }

    /// `Type=Status`.
    pub fn state(&self) -> String {
        format!("{}={}", self.kind, self.status)
    }
}

/// `Type=Status (Reason) since TIME`, without the message.
impl fmt::Display for Said {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}={}", self.kind, self.status)?;
        if let Some(reason) = &self.reason {
            write!(formatter, " ({reason})")?;
        }
        if let Some(since) = &self.last_transition_time {
            write!(formatter, " since {since}")?;
        }
        Ok(())
    }
}
