//! The result of a resolution, in its output format.

use crate::counted::counted;
use serde::Serialize;
use std::fmt;

/// The actions that OLM would take.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Resolution {
    /// The bundles that get an install plan, sorted by name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub install: Vec<String>,
    /// The subscriptions that are created for dependencies, sorted by name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub new_subscriptions: Vec<NewSubscription>,
    /// The bundles that are not installed yet, sorted by name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub selected: Vec<Selected>,
    /// The subscriptions with a new `currentCSV`, sorted by name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub updated_subscriptions: Vec<UpdatedSubscription>,
    /// Notes about the resolution.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
    /// The outcome for each candidate, if requested.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub explain: Vec<Considered>,
    /// The installed versions whose updates cannot be selected. This is not serialized, because OLM reports nothing in
    /// this case.
    #[serde(skip)]
    pub stays: Vec<Note>,
    /// The number of candidates that were tried.
    #[serde(skip)]
    pub steps: u64,
}

/// A selected bundle that is not installed yet.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Selected {
    /// The name of the ClusterServiceVersion.
    pub name: String,
    /// The package.
    pub package: String,
    /// The channel.
    pub channel: String,
    /// `namespace/name` of the CatalogSource.
    pub catalog: String,
    /// The `spec.replaces` of the new ClusterServiceVersion.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaces: Option<String>,
}

/// A subscription that is created for a dependency.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NewSubscription {
    /// The name of the subscription.
    pub name: String,
    /// The package.
    pub package: String,
    /// The channel.
    pub channel: String,
    /// `namespace/name` of the CatalogSource.
    pub catalog: String,
    /// The version to start with.
    #[serde(rename = "startingCSV")]
    pub starting_csv: String,
    /// Always `Automatic`.
    pub install_plan_approval: &'static str,
}

/// A subscription with a new `currentCSV`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct UpdatedSubscription {
    /// The name of the subscription.
    pub name: String,
    /// The new `currentCSV`.
    #[serde(rename = "currentCSV")]
    pub current_csv: String,
}

/// A note about a resolution.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Note {
    /// The topic of the note.
    pub kind: NoteKind,
    /// The bundle, the InstallPlan, the package from the preferences, or the deprecated item.
    pub subject: String,
    /// The text of the note.
    pub message: String,
}

/// The topic of a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoteKind {
    /// A recommended or optional dependency is omitted.
    LeftOut,
    /// An installed version must not be updated.
    Held,
    /// An installed version has updates, but none of them can be selected.
    Stays,
    /// OLM skips a bundle.
    PassedOver,
    /// A preference names a package that no dependency names.
    Unknown,
    /// A chosen bundle gets no install plan.
    NoPlan,
    /// Subscriptions wait for an InstallPlan.
    UnfinishedPlan,
    /// A bundle that is selected or stays installed, its channel or its package is deprecated.
    Deprecated,
}

impl fmt::Display for Note {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

/// A candidate and its outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Considered {
    /// The subscription or dependency that the bundle was considered for.
    #[serde(rename = "for")]
    pub wanted_by: String,
    /// The name of the bundle.
    pub name: String,
    /// The channel; empty for an installed version.
    pub channel: String,
    /// `namespace/name` of the CatalogSource; empty for an installed version.
    pub catalog: String,
    /// Whether the bundle was selected.
    pub taken: bool,
    /// The reason for the outcome.
    pub why: String,
}

/// The maximum number of OLM's messages in one error.
const MESSAGES: usize = 100;

/// Joins messages as OLM does.
fn few(messages: &[String]) -> String {
    match messages.split_at_checked(MESSAGES) {
        Some((shown, more @ [_, ..])) => format!("{} and {} more", shown.join(", "), more.len()),
        _ => messages.join(", "),
    }
}

/// The reason why there is no resolution.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unresolved {
    /// Some constraints cannot be satisfied together.
    #[error("constraints not satisfiable: {}", few(.messages))]
    Unsatisfiable {
        /// OLM's messages about the constraints, sorted. Unless there are hundreds, the others can be satisfied if any
        /// one of these constraints is removed.
        messages: Vec<String>,
        /// The same messages in plain words.
        reasons: Vec<String>,
        /// Changes that would make the resolution succeed.
        remedies: Vec<String>,
        /// The reasons why the candidates were not selected, if requested.
        explain: Vec<Considered>,
    },
    /// OLM fails because it cannot read or order the content of a catalog.
    #[error("{message}")]
    Refused {
        /// OLM's message.
        message: String,
    },
    /// The search took too many steps. OLM's own search may find a solution.
    #[error("no solution was found in {}", counted(*.steps, "step"))]
    GaveUp {
        /// The number of steps.
        steps: u64,
    },
}
