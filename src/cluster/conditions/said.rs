//! The content of a condition, for the person who has to act on it.

use super::list::Listed;
use serde::Serialize;
use std::fmt;

/// A condition that an operator reports or that an administrator sets in an override.
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
    /// The message, in a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The time of the last status change, as written in the resource (RFC 3339 on a cluster).
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

    /// Returns `Type=Status`.
    pub fn state(&self) -> String {
        format!("{}={}", self.kind, self.status)
    }
}

/// Displays `Type=Status (Reason) since TIME`, without the message.
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
