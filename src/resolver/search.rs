//! The search for variables that satisfy all demands without conflicts.
//!
//! Like OLM's own search, it takes the first demand of a queue, tries its members in order, and appends the demands of
//! the selected member to the queue. So it finds the first solution in that order. Three optimizations skip only
//! attempts that cannot succeed, so they do not change the order: variables that can never be selected are found in
//! advance; after a failure, the search returns to the last choice that contributed to it; and such failures are
//! cached.

use std::collections::BTreeSet;
use std::rc::Rc;

/// A variable, which represents a subscription or an entry.
pub(super) type Variable = usize;
/// The position of a constraint in the list of messages.
pub(super) type ConstraintId = usize;
/// The position of a list of variables, one of which must be selected.
pub(super) type ListId = usize;

/// The maximum number of cached failures.
const REMEMBERED: usize = 50_000;
/// The maximum number of variables in a cached failure.
const LONGEST_REMEMBERED: usize = 12;
/// The number of variables that are looked up in one step.
const LOOKUPS_OF_STEP: u64 = 256;

/// Variables and the constraints between them.
#[derive(Debug, Default)]
pub(super) struct Instance {
    /// For each variable, the lists from which it needs one member each.
    pub(super) needs: Vec<Vec<(ListId, ConstraintId)>>,
    /// For each variable, the constraint that prohibits it, if any.
    pub(super) prohibited: Vec<Option<ConstraintId>>,
    /// For each variable, its groups. At most one member of each group may be selected.
    pub(super) groups: Vec<Vec<usize>>,
    /// For each variable, the variables that must not be selected with it.
    pub(super) conflicts: Vec<Vec<(Variable, ConstraintId)>>,
    /// For each group, its constraint.
    pub(super) group_constraints: Vec<ConstraintId>,
    /// The members of each list, in order of preference. Several variables can need the same list.
    pub(super) lists: Vec<Rc<[Variable]>>,
    /// The number of constraints.
    pub(super) constraints: usize,
}

/// A requirement for a selection.
#[derive(Debug, Clone, Copy)]
pub(super) struct Demand {
    pub(super) of: DemandOf,
    /// The constraint that makes the demand; `None` for a variable that is fixed in advance.
    pub(super) constraint: Option<ConstraintId>,
}

/// The content of a demand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DemandOf {
    /// A variable that must be selected.
    One(Variable),
    /// A list from which a member must be selected, and the variable that needs the list.
    Some(ListId, Variable),
}

/// The outcome of a search.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The selected variables, in the order of their selection, with their demands.
    Selected(Vec<Choice>),
    /// No selection exists, because of these constraints alone.
    Unsatisfiable(BTreeSet<ConstraintId>),
    /// The search took too many steps.
    GaveUp,
}

/// A selected variable with its demand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Choice {
    pub(super) variable: Variable,
    pub(super) of: DemandOf,
}

/// The enabled constraints.
#[derive(Debug, Clone)]
pub(super) struct Enabled(Vec<bool>);

impl Enabled {
    pub(super) fn all(instance: &Instance) -> Self {
        Self(vec![true; instance.constraints])
    }

    pub(super) fn only(instance: &Instance, constraints: &BTreeSet<ConstraintId>) -> Self {
        let mut enabled = vec![false; instance.constraints];
        for constraint in constraints {
            if let Some(slot) = enabled.get_mut(*constraint) {
                *slot = true;
            }
        }
        Self(enabled)
    }

    pub(super) fn set(&mut self, constraint: ConstraintId, on: bool) {
        if let Some(slot) = self.0.get_mut(constraint) {
            *slot = on;
        }
    }

    fn has(&self, constraint: ConstraintId) -> bool {
        self.0.get(constraint).copied().unwrap_or(false)
    }
}

/// A choice that has been made or is in progress.
struct Frame {
    /// The position of the demand in the queue.
    demand: usize,
    /// The length of the queue before the choice.
    queue: usize,
    /// The next member to try.
    next: usize,
    /// The selected variables that rule out the members tried so far, and the variable that makes the demand.
    blame: BTreeSet<Variable>,
}

/// The reason why a variable can never be selected.
#[derive(Clone, Copy)]
enum Never {
    Prohibited(ConstraintId),
    Needs(ListId, ConstraintId),
}

struct Search<'i> {
    instance: &'i Instance,
    enabled: &'i Enabled,
    never: Vec<Option<Never>>,
    /// For each variable, the position of the frame that selected it.
    level: Vec<Option<usize>>,
    order: Vec<Variable>,
    queue: Vec<Demand>,
    frames: Vec<Frame>,
    /// For each group, the selected member.
    holders: Vec<Option<Variable>>,
    /// Sets of variables that cannot be selected together, and for each variable, the sets that contain it.
    failures: Vec<Vec<Variable>>,
    failures_with: Vec<Vec<usize>>,
    used: BTreeSet<ConstraintId>,
}

/// Finds the first selection that satisfies all demands. Decrements `steps`.
pub(super) fn search(instance: &Instance, demands: &[Demand], enabled: &Enabled, steps: &mut u64) -> Outcome {
    let count = instance.needs.len();
    let met = |demand: &Demand| demand.constraint.is_none_or(|constraint| enabled.has(constraint));
    let search = Search {
        instance,
        enabled,
        never: never(instance, enabled),
        level: vec![None; count],
        order: Vec::new(),
        queue: demands.iter().copied().filter(met).collect(),
        frames: Vec::new(),
        holders: vec![None; instance.group_constraints.len()],
        failures: Vec::new(),
        failures_with: vec![Vec::new(); count],
        used: BTreeSet::new(),
    };
    search.run(steps)
}

/// Returns the variables that can never be selected: prohibited variables, and variables that need a list of which no
/// member can ever be selected.
fn never(instance: &Instance, enabled: &Enabled) -> Vec<Option<Never>> {
    let mut never: Vec<Option<Never>> = instance
        .prohibited
        .iter()
        .map(|constraint| constraint.filter(|id| enabled.has(*id)).map(Never::Prohibited))
        .collect();
    let mut needed_by: Vec<Vec<(Variable, ConstraintId)>> = vec![Vec::new(); instance.lists.len()];
    for (variable, needs) in instance.needs.iter().enumerate() {
        for (list, constraint) in needs.iter().filter(|(_, constraint)| enabled.has(*constraint)) {
            needed_by[*list].push((variable, *constraint));
        }
    }
    let mut member_of: Vec<Vec<ListId>> = vec![Vec::new(); instance.needs.len()];
    let mut left: Vec<usize> = vec![0; instance.lists.len()];
    let mut empty = Vec::new();
    for (list, members) in instance.lists.iter().enumerate() {
        for member in members.iter() {
            // A member that appears twice in a list counts twice in `left`, so it is also subtracted twice.
            member_of[*member].push(list);
        }
        left[list] = members.len();
        if members.is_empty() {
            empty.push(list);
        }
    }
    let mut lost: Vec<Variable> = (0..never.len()).filter(|variable| never[*variable].is_some()).collect();
    loop {
        if let Some(list) = empty.pop() {
            for (variable, constraint) in &needed_by[list] {
                if never[*variable].is_none() {
                    never[*variable] = Some(Never::Needs(list, *constraint));
                    lost.push(*variable);
                }
            }
        } else if let Some(variable) = lost.pop() {
            for list in &member_of[variable] {
                left[*list] -= 1;
                if left[*list] == 0 {
                    empty.push(*list);
                }
            }
        } else {
            return never;
        }
    }
}

impl Search<'_> {
    fn run(mut self, steps: &mut u64) -> Outcome {
        let mut at = 0;
        loop {
            while let Some(demand) = self.queue.get(at).copied() {
                if !self.is_met(demand, steps) {
                    break;
                }
                at += 1;
            }
            let Some(demand) = self.queue.get(at) else {
                let demand = |frame: &Frame| self.queue[frame.demand].of;
                let choices = self.order.iter().zip(&self.frames);
                let choices = choices.map(|(variable, frame)| Choice {
                    variable: *variable,
                    of: demand(frame),
                });
                return Outcome::Selected(choices.collect());
            };
            let needing = match demand.of {
                DemandOf::One(_) => None,
                DemandOf::Some(_, by) => Some(by),
            };
            self.frames.push(Frame {
                demand: at,
                queue: self.queue.len(),
                next: 0,
                blame: needing.into_iter().collect(),
            });
            loop {
                if let Some(next) = self.choose(steps) {
                    at = next;
                    break;
                }
                if *steps == 0 {
                    return Outcome::GaveUp;
                }
                if !self.go_back() {
                    return Outcome::Unsatisfiable(self.used);
                }
            }
        }
    }

    fn is_met(&self, demand: Demand, steps: &mut u64) -> bool {
        match demand.of {
            DemandOf::One(variable) => self.level[variable].is_some(),
            DemandOf::Some(list, _) => {
                let members = &self.instance.lists[list];
                *steps = steps.saturating_sub(members.len() as u64 / LOOKUPS_OF_STEP);
                members.iter().any(|member| self.level[*member].is_some())
            }
        }
    }

    /// Selects the next possible member of the last choice, and returns the position in the queue at which to continue.
    fn choose(&mut self, steps: &mut u64) -> Option<usize> {
        let level = self.frames.len().checked_sub(1)?;
        let demand = self.queue[self.frames[level].demand];
        loop {
            let next = self.frames[level].next;
            let member = match demand.of {
                DemandOf::One(variable) => (next == 0).then_some(variable),
                DemandOf::Some(list, _) => self.instance.lists[list].get(next).copied(),
            };
            let Some(member) = member else {
                self.used.extend(demand.constraint);
                return None;
            };
            self.frames[level].next += 1;
            *steps = steps.saturating_sub(1);
            if *steps == 0 {
                return None;
            }
            if let Some(blame) = self.obstacle(member, steps) {
                self.frames[level].blame.extend(blame);
                continue;
            }
            self.select(member, level);
            return Some(self.frames[level].demand + 1);
        }
    }

    /// Returns the selected variables that rule out a variable, or `None` if the variable can be selected. The list is
    /// empty if the variable can never be selected.
    fn obstacle(&mut self, variable: Variable, steps: &mut u64) -> Option<Vec<Variable>> {
        if self.never[variable].is_some() {
            self.use_never(variable);
            return Some(Vec::new());
        }
        for group in &self.instance.groups[variable] {
            let constraint = self.instance.group_constraints[*group];
            if let Some(holder) = self.holders[*group].filter(|_| self.enabled.has(constraint)) {
                self.used.insert(constraint);
                return Some(vec![holder]);
            }
        }
        for (other, constraint) in &self.instance.conflicts[variable] {
            if self.level[*other].is_some() && self.enabled.has(*constraint) {
                self.used.insert(*constraint);
                return Some(vec![*other]);
            }
        }
        let mut lookups = 0;
        let known = self.failures_with[variable].iter().find(|failure| {
            self.failures[**failure].iter().all(|member| {
                lookups += 1;
                *member == variable || self.level[*member].is_some()
            })
        });
        *steps = steps.saturating_sub(lookups / LOOKUPS_OF_STEP);
        let others = |failure: &usize| {
            let members = self.failures[*failure].iter().copied();
            members.filter(|member| *member != variable).collect()
        };
        known.map(others)
    }

    /// Records all constraints that prevent a variable from ever being selected.
    fn use_never(&mut self, variable: Variable) {
        let mut waiting = vec![variable];
        while let Some(variable) = waiting.pop() {
            match self.never[variable] {
                Some(Never::Prohibited(constraint)) => {
                    self.used.insert(constraint);
                }
                Some(Never::Needs(list, constraint)) if self.used.insert(constraint) => {
                    waiting.extend(self.instance.lists[list].iter());
                }
                Some(Never::Needs(..)) | None => {}
            }
        }
    }

    fn select(&mut self, variable: Variable, level: usize) {
        self.level[variable] = Some(level);
        self.order.push(variable);
        for group in &self.instance.groups[variable] {
            self.holders[*group].get_or_insert(variable);
        }
        let needs = self.instance.needs[variable].iter();
        let needs = needs.filter(|(_, constraint)| self.enabled.has(*constraint));
        self.queue.extend(needs.map(|(list, constraint)| Demand {
            of: DemandOf::Some(*list, variable),
            constraint: Some(*constraint),
        }));
    }

    fn take_back(&mut self, variable: Variable) {
        self.level[variable] = None;
        for group in &self.instance.groups[variable] {
            if self.holders[*group] == Some(variable) {
                self.holders[*group] = None;
            }
        }
    }

    /// Undoes all choices after the last one that contributed to the latest failure. Returns false if no choice
    /// contributed.
    fn go_back(&mut self) -> bool {
        let Some(failed) = self.frames.pop() else {
            return false;
        };
        let mut blame = failed.blame;
        let deepest = blame.iter().copied().max_by_key(|variable| self.level[*variable]);
        let Some((deepest, level)) = deepest.and_then(|variable| Some((variable, self.level[variable]?))) else {
            return false;
        };
        if blame.len() <= LONGEST_REMEMBERED && self.failures.len() < REMEMBERED {
            for variable in &blame {
                self.failures_with[*variable].push(self.failures.len());
            }
            self.failures.push(blame.iter().copied().collect());
        }
        self.frames.truncate(level + 1);
        for variable in self.order.split_off(level) {
            self.take_back(variable);
        }
        blame.remove(&deepest);
        if let Some(frame) = self.frames.last_mut() {
            self.queue.truncate(frame.queue);
            frame.blame.extend(blame);
        }
        true
    }
}

/// The maximum number of searches to find the constraints that matter.
const SEARCHES: usize = 500;

/// Removes constraints, in the order `order`, as long as the remaining constraints cannot be satisfied. Decrements
/// `steps`; at 0, or after [`SEARCHES`], no more constraints are removed.
pub(super) fn minimal(
    instance: &Instance,
    demands: &[Demand],
    core: BTreeSet<ConstraintId>,
    order: &[ConstraintId],
    steps: &mut u64,
) -> BTreeSet<ConstraintId> {
    let mut enabled = Enabled::only(instance, &core);
    let mut left = core;
    let order: Vec<ConstraintId> = order.iter().copied().filter(|one| left.contains(one)).collect();
    let mut rest = &order[..];
    // If several constraints can be removed together, they can also be removed one by one.
    let mut together = 1;
    for _ in 0..SEARCHES {
        let (tried, others) = rest.split_at(together.min(rest.len()));
        if tried.is_empty() {
            break;
        }
        for one in tried {
            enabled.set(*one, false);
        }
        match search(instance, demands, &enabled, steps) {
            Outcome::Unsatisfiable(_) => {
                left.retain(|one| !tried.contains(one));
                rest = others;
                together *= 2;
            }
            Outcome::Selected(_) => {
                for one in tried {
                    enabled.set(*one, true);
                }
                if tried.len() == 1 {
                    rest = others;
                }
                together = (tried.len() / 2).max(1);
            }
            Outcome::GaveUp => break,
        }
    }
    left
}

#[cfg(test)]
mod tests;
