//! Variables and violated constraints in OLM's words.

use super::clause::{Clause, Unmet, listed};
use super::entries::EntryId;
use super::search::{ConstraintId, Variable};
use super::variables::{Stands, Variables};
use crate::cluster::state::Subscription;
use crate::kubernetes::GroupVersionKind;

impl Variables<'_> {
    /// Returns OLM's identifier of a variable.
    pub(super) fn identifier(&self, variable: Variable) -> String {
        match self.stands[variable] {
            Stands::Subscription(place) => format!("subscription:{}", self.problem.subscriptions[place].name),
            Stands::Entry(id) => self.identifier_of(id),
        }
    }

    pub(super) fn identifier_of(&self, id: EntryId) -> String {
        let entry = self.entries.get(id);
        let existing = ("@existing", self.problem.namespace.as_str());
        let (catalog, namespace) = self.catalog(id).unwrap_or(existing);
        format!("{catalog}/{namespace}/{}/{}", entry.channel, entry.name)
    }

    /// Returns OLM's message for a violated constraint.
    pub(super) fn message(&self, constraint: ConstraintId) -> String {
        let name = |id: &EntryId| &self.entries.get(*id).name;
        let subscription = |place: &usize| &self.problem.subscriptions[*place];
        let identifiers =
            |members: &[Variable]| -> Vec<String> { members.iter().map(|member| self.identifier(*member)).collect() };
        let sorted = |members: &[Variable]| {
            let mut names = identifiers(members);
            names.sort();
            names
        };
        let api = |api: &GroupVersionKind| format!("{} ({})", api.kind, api.api_version());
        match &self.constraints[constraint] {
            Clause::Subscription(place) => format!("subscription {} exists", subscription(place).name),
            Clause::Requires(place, members) => {
                let name = &subscription(place).name;
                match &identifiers(members)[..] {
                    [] => format!("no operators found matching the criteria of subscription {name}"),
                    [one] => format!("subscription {name} requires {one}"),
                    several => format!("subscription {name} requires at least one of {}", listed(several, "or")),
                }
            }
            Clause::Unmet(place, unmet) => {
                let Subscription {
                    name,
                    package,
                    channel,
                    catalog,
                    catalog_namespace,
                    starting_csv,
                    ..
                } = subscription(place);
                let channel = channel.as_deref().unwrap_or_default();
                let csv = starting_csv.as_deref().unwrap_or_default();
                let of_package = format!("package {package} in the catalog referenced by subscription {name}");
                match unmet {
                    Unmet::Catalog => format!(
                        "no operators found from catalog {catalog} in namespace {catalog_namespace} referenced by \
                         subscription {name}"
                    ),
                    Unmet::Package => format!("no operators found in {of_package}"),
                    Unmet::Channel => format!("no operators found in channel {channel} of {of_package}"),
                    Unmet::StartingCsv => {
                        format!("no operators found with name {csv} in channel {channel} of {of_package}")
                    }
                }
            }
            Clause::Installed(id) => format!(
                "clusterserviceversion {} exists and is not referenced by a subscription",
                name(id)
            ),
            Clause::Needs(id, predicate, _) => {
                format!("bundle {} requires an operator {}", name(id), predicate.message())
            }
            Clause::Deprecated(id) => format!("bundle {} is deprecated", self.identifier_of(*id)),
            Clause::Unreadable(_, reason) => reason.clone(),
            Clause::OnePackage(package, members) => match &sorted(members)[..] {
                [_, _, ..] => format!("{} originate from package {package}", listed(&sorted(members), "and")),
                _ => format!("there can be only one operator from package {package}"),
            },
            Clause::OneProvider(kind, members) => match &sorted(members)[..] {
                [_, _, ..] => format!("{} provide {}", listed(&sorted(members), "and"), api(kind)),
                _ => format!("there can be only one provider of {}", api(kind)),
            },
            Clause::Replaces(new, old) => {
                format!(
                    "{} conflicts with {}",
                    self.identifier_of(*new),
                    self.identifier_of(*old)
                )
            }
        }
    }
}
