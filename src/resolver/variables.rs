//! Turns catalogs and subscriptions into variables and constraints, but only those that can be reached from the
//! subscriptions and the installed versions.

mod candidates;

use super::clause::Clause;
use super::entries::{ChannelKey, Entries, EntryId, Origin};
use super::order::{Chains, catalog_rank, channel_rank};
use super::predicate::{Dependency, Predicate, Providers, needs_of};
use super::problem::Problem;
use super::search::{ConstraintId, Demand, DemandOf, Instance, ListId, Variable};
use super::unused::Unused;
use crate::catalog::{Property, Text};
use crate::cel::Budget;
use crate::kubernetes::GroupVersionKind;
use crate::olm::intent::Intent;
use crate::olm::property::DEPRECATED;
use crate::olm::releases::Feature;
use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

/// The meaning of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stands {
    /// The position of a subscription in the problem.
    Subscription(usize),
    Entry(EntryId),
}

/// The variables and constraints built so far.
#[derive(Debug)]
pub(super) struct Variables<'p> {
    pub(super) problem: &'p Problem<'p>,
    pub(super) entries: Entries,
    pub(super) instance: Instance,
    pub(super) stands: Vec<Stands>,
    pub(super) constraints: Vec<Clause>,
    /// The required variables: subscriptions, and installed versions without a subscription.
    pub(super) demands: Vec<Demand>,
    /// For an update, the version that it replaces.
    pub(super) replaces: HashMap<Variable, EntryId>,
    pub(super) by_entry: HashMap<EntryId, Variable>,
    /// For each variable, the dependencies of its bundle, in the order of its properties.
    pub(super) dependencies: Vec<Vec<Dependency>>,
    providers: Providers<EntryId>,
    chains: Chains,
    budget: Budget,
    /// The budget of explanations.
    pub(super) explaining: Budget,
    unused: OnceCell<Unused>,
    /// The lists built so far, by dependency and by the catalog of the bundle that has the dependency.
    known: HashMap<(Property, Intent, Origin), ListId>,
    packages: HashMap<String, usize>,
    apis: HashMap<GroupVersionKind, usize>,
    /// The variables of bundles whose dependencies have not been read yet.
    waiting: Vec<Variable>,
}

impl<'p> Variables<'p> {
    /// Builds all variables that can be reached from the subscriptions and the installed versions.
    ///
    /// # Errors
    /// Returns an error, in OLM's words, if a channel has no order, or if a range or constraint cannot be read.
    pub(super) fn of(problem: &'p Problem<'p>, evaluations: u64) -> Result<Self, String> {
        let entries = Entries::of(problem);
        let providers = entries.providers();
        let mut made = Self {
            problem,
            entries,
            instance: Instance::default(),
            stands: Vec::new(),
            constraints: Vec::new(),
            demands: Vec::new(),
            replaces: HashMap::new(),
            by_entry: HashMap::new(),
            dependencies: Vec::new(),
            providers,
            chains: Chains::default(),
            budget: Budget::new(evaluations),
            explaining: Budget::new(evaluations / 10),
            unused: OnceCell::new(),
            known: HashMap::new(),
            packages: HashMap::new(),
            apis: HashMap::new(),
            waiting: Vec::new(),
        };
        let mut subscribed = HashSet::new();
        for (place, subscription) in problem.subscriptions.iter().enumerate() {
            made.add_subscription(place)?;
            subscribed.extend(made.current(subscription));
        }
        let installed: Vec<EntryId> = made.entries.ids().filter(|id| made.entries.is_existing(*id)).collect();
        for id in installed {
            let variable = made.variable(id);
            if !subscribed.contains(&id) {
                let constraint = made.constraint(Clause::Installed(id));
                made.demand(variable, constraint);
            }
        }
        made.expand()?;
        let name = |demand: &Demand| match demand.of {
            DemandOf::One(variable) | DemandOf::Some(_, variable) => made.identifier(variable),
        };
        let mut demands = made.demands.clone();
        demands.sort_by_cached_key(name);
        made.demands = demands;
        Ok(made)
    }

    fn demand(&mut self, variable: Variable, constraint: ConstraintId) {
        self.demands.push(Demand {
            of: DemandOf::One(variable),
            constraint: Some(constraint),
        });
    }

    fn constraint(&mut self, constraint: Clause) -> ConstraintId {
        self.constraints.push(constraint);
        self.instance.constraints = self.constraints.len();
        self.constraints.len() - 1
    }

    fn push(&mut self, stands: Stands) -> Variable {
        self.stands.push(stands);
        self.dependencies.push(Vec::new());
        self.instance.needs.push(Vec::new());
        self.instance.prohibited.push(None);
        self.instance.groups.push(Vec::new());
        self.instance.conflicts.push(Vec::new());
        self.stands.len() - 1
    }

    fn list(&mut self, members: Vec<Variable>) -> ListId {
        self.instance.lists.push(members.into());
        self.instance.lists.len() - 1
    }

    /// Returns the variable of an entry, and creates it on first use.
    fn variable(&mut self, id: EntryId) -> Variable {
        if let Some(known) = self.by_entry.get(&id) {
            return *known;
        }
        let variable = self.push(Stands::Entry(id));
        self.by_entry.insert(id, variable);
        self.waiting.push(variable);
        let facts = self.entries.facts(id);
        let deprecated = facts.deprecated && self.problem.olm.does(Feature::Property(DEPRECATED));
        let packages: BTreeSet<String> = facts.packages.iter().map(|package| package.name.clone()).collect();
        let apis: BTreeSet<GroupVersionKind> = facts.apis.iter().cloned().collect();
        if deprecated {
            self.instance.prohibited[variable] = Some(self.constraint(Clause::Deprecated(id)));
        }
        // The groups of packages are added first, so that a failure reports the package if the groups of a package and
        // of an API are both violated.
        for package in packages {
            let known = self.packages.get(&package).copied();
            let group = known.unwrap_or_else(|| self.group(Clause::OnePackage(package.clone(), Vec::new())));
            self.packages.insert(package, group);
            self.join(variable, group);
        }
        for api in apis {
            let known = self.apis.get(&api).copied();
            let group = known.unwrap_or_else(|| self.group(Clause::OneProvider(api.clone(), Vec::new())));
            self.apis.insert(api, group);
            self.join(variable, group);
        }
        variable
    }

    fn group(&mut self, constraint: Clause) -> usize {
        let id = self.constraint(constraint);
        self.instance.group_constraints.push(id);
        self.instance.group_constraints.len() - 1
    }

    fn join(&mut self, variable: Variable, group: usize) {
        self.instance.groups[variable].push(group);
        let constraint = self.instance.group_constraints[group];
        if let Some(Clause::OnePackage(_, members) | Clause::OneProvider(_, members)) =
            self.constraints.get_mut(constraint)
        {
            members.push(variable);
        }
    }

    fn add_subscription(&mut self, place: usize) -> Result<(), String> {
        let problem = self.problem;
        let subscription = &problem.subscriptions[place];
        let current = self.current(subscription);
        let variable = self.push(Stands::Subscription(place));
        let exists = self.constraint(Clause::Subscription(place));
        self.demand(variable, exists);
        match self.candidates(subscription)? {
            Err(unmet) => {
                self.instance.prohibited[variable] = Some(self.constraint(Clause::Unmet(place, unmet)));
            }
            Ok(candidates) => {
                let mut members = Vec::with_capacity(candidates.len());
                for id in candidates {
                    let member = self.variable(id);
                    members.push(member);
                    let Some(current) = current.filter(|current| *current != id) else {
                        continue;
                    };
                    let old = self.variable(current);
                    self.replaces.insert(member, current);
                    let constraint = self.constraint(Clause::Replaces(id, current));
                    self.instance.conflicts[member].push((old, constraint));
                    self.instance.conflicts[old].push((member, constraint));
                }
                let list = self.list(members);
                let constraint = Clause::Requires(place, Rc::clone(&self.instance.lists[list]));
                let constraint = self.constraint(constraint);
                self.instance.needs[variable].push((list, constraint));
            }
        }
        Ok(())
    }

    /// Reads the dependencies of all waiting bundles.
    fn expand(&mut self) -> Result<(), String> {
        while let Some(variable) = self.waiting.pop() {
            if let Err(reason) = self.ask(variable) {
                self.waiting.push(variable);
                return Err(reason);
            }
        }
        Ok(())
    }

    fn ask(&mut self, variable: Variable) -> Result<(), String> {
        let Stands::Entry(id) = self.stands[variable] else {
            return Ok(());
        };
        let dependencies = needs_of(self.entries.facts(id), &self.problem.olm)?;
        for dependency in &dependencies {
            if dependency.intent == Intent::Required {
                let need = self.need(id, dependency)?;
                self.instance.needs[variable].push(need);
            }
        }
        self.dependencies[variable] = dependencies;
        Ok(())
    }

    fn need(&mut self, by: EntryId, dependency: &Dependency) -> Result<(ListId, ConstraintId), String> {
        let list = self.providers_of(dependency, self.entries.get(by).origin)?;
        let members = Rc::clone(&self.instance.lists[list]);
        let constraint = self.constraint(Clause::Needs(by, Rc::clone(&dependency.predicate), members));
        Ok((list, constraint))
    }

    /// Returns the list for a recommended or optional dependency. A member of this list is chosen after all other
    /// choices. Adds the variables that can be reached only through this dependency.
    ///
    /// # Errors
    /// Returns an error for the same reasons as [`Variables::of`]. Bundles with unreadable dependencies are not
    /// selected later.
    pub(super) fn extend(&mut self, by: EntryId, dependency: &Dependency) -> Result<(ListId, ConstraintId), String> {
        let extended = self.need(by, dependency).and_then(|need| {
            self.expand()?;
            Ok(need)
        });
        if let Err(reason) = &extended {
            for variable in std::mem::take(&mut self.waiting) {
                if let Stands::Entry(id) = self.stands[variable] {
                    let constraint = self.constraint(Clause::Unreadable(id, reason.clone()));
                    self.instance.prohibited[variable] = Some(constraint);
                }
            }
        }
        extended
    }

    /// Returns the bundles that satisfy a dependency, in the order of preference for a bundle of `home`.
    fn providers_of(&mut self, dependency: &Dependency, home: Origin) -> Result<ListId, String> {
        let key = (dependency.written.clone(), dependency.intent, home);
        if let Some(known) = self.known.get(&key) {
            return Ok(*known);
        }
        let holding = self
            .entries
            .satisfying(&self.providers, &dependency.predicate, &self.budget);
        if self.budget.is_spent() {
            return Err(format!(
                "evaluating the constraint rules takes too long: {} evaluations of their parts were not enough",
                self.budget.limit()
            ));
        }
        let mut channels: HashSet<ChannelKey> = HashSet::new();
        let mut installed = Vec::new();
        for id in &holding {
            let entry = self.entries.get(*id);
            if entry.origin == Origin::Existing {
                installed.push(*id);
                continue;
            }
            channels.insert(ChannelKey {
                origin: entry.origin,
                package: entry.package.clone(),
                channel: entry.channel.clone(),
            });
        }
        installed.sort_by_key(|id| {
            let entry = self.entries.get(*id);
            (entry.package.clone(), entry.name.clone())
        });
        let mut channels: Vec<ChannelKey> = channels.into_iter().collect();
        channels.sort_by_cached_key(|key| {
            let (class, priority, other, name, namespace) = catalog_rank(self.problem, home, key.origin);
            let catalog = (
                class,
                priority,
                other,
                name.to_owned(),
                namespace.to_owned(),
                key.origin,
            );
            (catalog, channel_rank(&self.entries, key))
        });
        let mut found = installed;
        for key in &channels {
            let chain = self.chains.of(&self.entries, key)?;
            found.extend(chain.iter().filter(|id| holding.contains(id)));
        }
        let members = found.into_iter().map(|id| self.variable(id)).collect();
        let list = self.list(members);
        self.known.insert(key, list);
        Ok(list)
    }

    /// Returns the entries that satisfy a predicate, for explanations.
    pub(super) fn satisfying(&self, predicate: &Predicate) -> BTreeSet<EntryId> {
        self.entries.satisfying(&self.providers, predicate, &self.explaining)
    }

    /// Returns the content of the catalogs that OLM does not use, which is read on first use.
    pub(super) fn unused(&self) -> &Unused {
        self.unused.get_or_init(|| Unused::of(self.problem))
    }

    /// Returns the catalog and namespace of an entry; `None` for an installed version.
    pub(super) fn catalog(&self, id: EntryId) -> Option<(&'p str, &'p str)> {
        match self.entries.get(id).origin {
            Origin::Existing => None,
            Origin::Catalog(place) => {
                let source = self.problem.catalogs.get(place)?;
                Some((source.name, source.namespace))
            }
        }
    }

    /// Returns the entry of a variable; `None` for a subscription.
    pub(super) fn entry(&self, variable: Variable) -> Option<EntryId> {
        match self.stands.get(variable)? {
            Stands::Entry(id) => Some(*id),
            Stands::Subscription(_) => None,
        }
    }

    /// Returns the name of an entry, as a shared string.
    pub(super) fn name(&self, id: EntryId) -> Text {
        self.entries.get(id).name.clone()
    }
}
