//! What comes of a resolution, as data that is printed as it is.

use serde::Serialize;
use std::fmt;

/// What OLM would do.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Resolution {
    /// The bundles that get an install plan, sorted by name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub install: Vec<String>,
    /// The subscriptions that are made for dependencies, sorted by name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub new_subscriptions: Vec<NewSubscription>,
    /// The bundles that are not installed yet, sorted by name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub selected: Vec<Selected>,
    /// The subscriptions that get another `currentCSV`, sorted by name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub updated_subscriptions: Vec<UpdatedSubscription>,
    /// What else there is to know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
    /// Why each candidate was taken or not, where that is asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub explain: Vec<Considered>,
    /// What is installed and has updates of which none can be taken. To OLM there is nothing to do then and nothing to
    /// say, so the answer does not hold it.
    #[serde(skip)]
    pub stays: Vec<Note>,
    /// How many candidates were tried.
    #[serde(skip)]
    pub steps: u64,
}

impl Resolution {
    /// What OLM does of it: where no Subscription that is there changes, it makes no install plan, although something
    /// is missing. So a dependency that was deleted with its Subscription does not come back by itself.
    #[must_use]
    pub fn as_planned(mut self) -> Self {
        if self.updated_subscriptions.is_empty() {
            for name in std::mem::take(&mut self.install) {
                let message = format!(
                    "{name} is needed and not installed, but OLM makes no install plan, since no Subscription changes: \
                     subscribe to it, or wait for the next update"
                );
                self.selected.retain(|selected| selected.name != name);
                self.notes.push(Note {
                    kind: NoteKind::NoPlan,
                    subject: name,
                    message,
                });
            }
            self.new_subscriptions.clear();
        }
        self
    }
}

/// A bundle that was chosen.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Selected {
    /// The name of its ClusterServiceVersion.
    pub name: String,
    /// The package.
    pub package: String,
    /// The channel.
    pub channel: String,
    /// `namespace/name` of the CatalogSource.
    pub catalog: String,
    /// What `spec.replaces` of the new ClusterServiceVersion will say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaces: Option<String>,
}

/// A subscription that is made for a dependency.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NewSubscription {
    /// Its name.
    pub name: String,
    /// The package.
    pub package: String,
    /// The channel.
    pub channel: String,
    /// `namespace/name` of the CatalogSource.
    pub catalog: String,
    /// The version that it begins with.
    #[serde(rename = "startingCSV")]
    pub starting_csv: String,
    /// Always `Automatic`.
    pub install_plan_approval: &'static str,
}

/// A subscription that gets another `currentCSV`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct UpdatedSubscription {
    /// Its name.
    pub name: String,
    /// What it gets.
    #[serde(rename = "currentCSV")]
    pub current_csv: String,
}

/// Something to know about a resolution.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Note {
    /// What it is about.
    pub kind: NoteKind,
    /// The bundle, or the package that was named.
    pub subject: String,
    /// The sentence.
    pub message: String,
}

/// What a note is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoteKind {
    /// A dependency that is not required is not met.
    LeftOut,
    /// An installed version must not be updated now.
    Held,
    /// An installed version has updates, and none of them can be taken.
    Stays,
    /// OLM does not look at a bundle.
    PassedOver,
    /// A name that no dependency has.
    Unknown,
    /// What was chosen gets no install plan.
    NoPlan,
}

impl fmt::Display for Note {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

/// A bundle that was looked at, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Considered {
    /// Whom it was looked at for.
    #[serde(rename = "for")]
    pub wanted_by: String,
    /// Its name.
    pub name: String,
    /// The channel; empty for what is installed.
    pub channel: String,
    /// `namespace/name` of the CatalogSource; empty for what is installed.
    pub catalog: String,
    /// Whether it was taken.
    pub taken: bool,
    /// Why.
    pub why: String,
}

/// Why there is no resolution.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unresolved {
    /// Some things cannot be met together.
    #[error("constraints not satisfiable: {}", .messages.join(", "))]
    Unsatisfiable {
        /// What OLM says of them, sorted. Without any one of them the others could be met.
        messages: Vec<String>,
        /// The same for people.
        reasons: Vec<String>,
        /// What would make it work.
        remedies: Vec<String>,
        /// Why each candidate was not taken, where that is asked for.
        explain: Vec<Considered>,
    },
    /// OLM gives up over something that it cannot read or put into an order.
    #[error("{message}")]
    Refused {
        /// What it says.
        message: String,
    },
    /// The search took too long. OLM's may find an answer.
    #[error("no answer was found in {steps} steps")]
    GaveUp {
        /// How many steps there were.
        steps: u64,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_installed_where_no_subscription_changes() {
        let selected = |name: &str| Selected {
            name: name.to_owned(),
            package: "p".to_owned(),
            channel: "stable".to_owned(),
            catalog: "olm/main".to_owned(),
            replaces: None,
        };
        let mut resolution = Resolution {
            install: vec!["a.v1".to_owned()],
            selected: vec![selected("a.v1"), selected("b.v1")],
            updated_subscriptions: vec![UpdatedSubscription {
                name: "a".to_owned(),
                current_csv: "a.v1".to_owned(),
            }],
            ..Resolution::default()
        };
        assert_eq!(resolution.clone().as_planned(), resolution);
        resolution.updated_subscriptions.clear();
        let planned = resolution.as_planned();
        assert!(planned.install.is_empty() && planned.new_subscriptions.is_empty());
        let left: Vec<&str> = planned.selected.iter().map(|selected| &*selected.name).collect();
        assert_eq!(left, ["b.v1"]);
        let [note] = &planned.notes[..] else {
            panic!("{:?}", planned.notes)
        };
        assert_eq!((note.kind, &*note.subject), (NoteKind::NoPlan, "a.v1"));
    }
}
