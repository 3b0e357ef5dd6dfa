//! The reasons why candidates were selected or rejected.

use super::entries::EntryId;
use super::failure;
use super::problem::ResolverOptions;
use super::resolution::{Considered, Note, NoteKind};
use super::search::{Choice, Demand, DemandOf, Enabled, ListId, Outcome, Variable, search};
use super::variables::{Stands, Variables};
use crate::cluster::state::Subscription;
use std::collections::{HashMap, HashSet};

/// The maximum number of candidates for which a reason is determined by a search. More searches would take too long.
const TRIED: usize = 200;

/// The data for explanations.
pub(super) struct Explaining<'v> {
    variables: &'v Variables<'v>,
    options: ResolverOptions,
}

impl<'v> Explaining<'v> {
    pub(super) fn new(variables: &'v Variables<'_>, options: &ResolverOptions) -> Self {
        let mut options = options.clone();
        options.steps /= 10;
        Self { variables, options }
    }
}

/// Explains all candidates for the requirements of the chosen bundles and of the subscriptions. Also explains why the
/// other bundles in the channels of a subscription are not candidates.
pub(super) fn of_choices(explaining: &Explaining<'_>, choices: &[Choice]) -> Vec<Considered> {
    let variables = explaining.variables;
    let mut tried = 0;
    let mut rows = Vec::new();
    for choice in choices {
        let needs = variables.instance.needs[choice.variable].iter();
        let mut lists: Vec<(ListId, String)> = needs
            .map(|(list, constraint)| (*list, wanted_by(variables, choice.variable, *constraint)))
            .collect();
        // `needs` contains only the required dependencies of a bundle. The other dependencies are found through the
        // bundles that were chosen for them.
        let chosen_for = choices.iter().filter_map(|other| match other.of {
            DemandOf::Some(list, by) if by == choice.variable => Some(list),
            _ => None,
        });
        let name = variables.entry(choice.variable).map(|id| variables.name(id));
        for list in chosen_for {
            if lists.iter().all(|(known, _)| *known != list) {
                let name = name.as_deref().unwrap_or_default();
                lists.push((list, format!("{name}, which does not require it")));
            }
        }
        for (list, wanted_by) in lists {
            of_list(
                explaining,
                choices,
                (list, choice.variable),
                &wanted_by,
                &mut tried,
                &mut rows,
            );
        }
        if let Stands::Subscription(place) = variables.stands[choice.variable] {
            let members = variables.instance.needs[choice.variable].first().map(|(list, _)| *list);
            others(variables, place, members, &mut rows);
        }
    }
    rows
}

/// Returns notes about the subscriptions that stay at their version although there are updates. OLM does not report
/// this.
pub(super) fn staying(explaining: &Explaining<'_>, choices: &[Choice]) -> Vec<Note> {
    let variables = explaining.variables;
    let mut tried = 0;
    let mut notes = Vec::new();
    for choice in choices {
        let Stands::Subscription(place) = variables.stands[choice.variable] else {
            continue;
        };
        let current = variables.current(&variables.problem.subscriptions[place]);
        let list = variables.instance.needs[choice.variable].first();
        let members = list
            .map(|(list, _)| &variables.instance.lists[*list][..])
            .unwrap_or_default();
        let is_taken = |member: &Variable| choices.iter().position(|choice| choice.variable == *member);
        let taken = members.iter().find_map(|member| Some((*member, is_taken(member)?)));
        let (Some(current), Some((taken, at)), Some(update)) = (current, taken, members.first()) else {
            continue;
        };
        if variables.entry(taken) != Some(current) || taken == *update {
            continue;
        }
        let before: Vec<Variable> = choices.iter().take(at).map(|choice| choice.variable).collect();
        let why = why_not(explaining, &before, *update, true, &mut tried);
        let why = why.unwrap_or_else(|| "it conflicts with another requirement".to_owned());
        let (current, update) = (
            variables.name(current),
            variables.entry(*update).map(|id| variables.name(id)),
        );
        notes.push(Note {
            kind: NoteKind::Stays,
            subject: current.to_string(),
            message: format!(
                "{current} is not updated to {}: {why}",
                update.as_deref().unwrap_or_default()
            ),
        });
    }
    notes
}

/// Explains all candidates of the subscriptions after a failed resolution.
pub(super) fn of_failure(explaining: &Explaining<'_>) -> Vec<Considered> {
    let variables = explaining.variables;
    let mut tried = 0;
    let mut rows = Vec::new();
    for (variable, stands) in variables.stands.iter().enumerate() {
        let Stands::Subscription(place) = stands else {
            continue;
        };
        let first = variables.instance.needs[variable].first();
        if let Some((list, constraint)) = first {
            let wanted_by = wanted_by(variables, variable, *constraint);
            for member in variables.instance.lists[*list].iter() {
                let alone = why_not(explaining, &[], *member, false, &mut tried);
                let why = alone.unwrap_or_else(|| "it conflicts with another requirement".to_owned());
                rows.extend(row(variables, *member, &wanted_by, false, why));
            }
        }
        others(variables, *place, first.map(|(list, _)| *list), &mut rows);
    }
    rows
}

fn wanted_by(variables: &Variables<'_>, by: Variable, constraint: usize) -> String {
    use super::clause::Clause;
    match (&variables.constraints[constraint], variables.stands[by]) {
        (Clause::Needs(id, predicate, _), _) => {
            format!("{}: {predicate}", variables.name(*id))
        }
        (_, Stands::Subscription(place)) => format!("subscription {}", variables.problem.subscriptions[place].name),
        (_, Stands::Entry(id)) => variables.name(id).to_string(),
    }
}

fn row(variables: &Variables<'_>, variable: Variable, wanted_by: &str, taken: bool, why: String) -> Option<Considered> {
    let id = variables.entry(variable)?;
    Some(row_of(variables, id, wanted_by, taken, why))
}

fn row_of(variables: &Variables<'_>, id: EntryId, wanted_by: &str, taken: bool, why: String) -> Considered {
    let entry = variables.entries.get(id);
    let catalog = variables.catalog(id);
    Considered {
        wanted_by: wanted_by.to_owned(),
        name: entry.name.to_string(),
        channel: entry.channel.to_string(),
        catalog: catalog.map_or(String::new(), |(name, namespace)| format!("{namespace}/{name}")),
        taken,
        why,
    }
}

/// Adds a row for each member of a list from which a member was chosen.
fn of_list(
    explaining: &Explaining<'_>,
    choices: &[Choice],
    (list, by): (ListId, Variable),
    wanted_by: &str,
    tried: &mut usize,
    rows: &mut Vec<Considered>,
) {
    let variables = explaining.variables;
    let members = &variables.instance.lists[list];
    let places: HashMap<Variable, usize> = choices
        .iter()
        .zip(0..)
        .map(|(choice, at)| (choice.variable, at))
        .collect();
    let Some((chosen, at)) = members.iter().find_map(|member| Some((*member, *places.get(member)?))) else {
        return;
    };
    let name = variables
        .entry(chosen)
        .map(|id| variables.name(id).to_string())
        .unwrap_or_default();
    let for_this = choices
        .get(at)
        .is_some_and(|choice| choice.of == DemandOf::Some(list, by));
    let mut behind = false;
    for member in members.iter() {
        let taken = *member == chosen;
        let why = if taken {
            behind = true;
            let installed = variables
                .entry(chosen)
                .is_some_and(|id| variables.entries.is_existing(id));
            match (installed, for_this, members.first() == Some(&chosen)) {
                (true, ..) => "it is installed".to_owned(),
                (_, false, _) => "it is already selected for another requirement".to_owned(),
                (_, _, true) => "it is the first candidate".to_owned(),
                _ => "it is the first possible candidate".to_owned(),
            }
        } else if behind {
            let installed = variables
                .entry(*member)
                .is_some_and(|id| variables.entries.is_existing(id));
            let installed = if installed { "it is installed, and " } else { "" };
            format!("{installed}{name} comes before it")
        } else if for_this {
            let before: Vec<Variable> = choices.iter().take(at).map(|choice| choice.variable).collect();
            let why = why_not(explaining, &before, *member, true, tried);
            why.unwrap_or_else(|| "it conflicts with an earlier choice".to_owned())
        } else {
            format!("{name} is already selected")
        };
        rows.extend(row(variables, *member, wanted_by, taken, why));
    }
}

/// Returns the reason why a variable cannot be selected in addition to the variables in `before`, or `None` if unknown.
fn why_not(
    explaining: &Explaining<'_>,
    before: &[Variable],
    variable: Variable,
    with_demands: bool,
    tried: &mut usize,
) -> Option<String> {
    *tried += 1;
    if *tried > TRIED {
        return None;
    }
    let variables = explaining.variables;
    let fixed = before.iter().chain([&variable]).map(|variable| Demand {
        of: DemandOf::One(*variable),
        constraint: None,
    });
    let others = variables.demands.iter().copied().filter(|_| with_demands);
    let demands: Vec<Demand> = fixed.chain(others).collect();
    let enabled = Enabled::all(&variables.instance);
    let mut steps = explaining.options.steps;
    match search(&variables.instance, &demands, &enabled, &mut steps) {
        Outcome::Unsatisfiable(core) => {
            let words = failure::in_words(variables, &demands, core, None, &explaining.options);
            (!words.is_empty()).then(|| words.join("; "))
        }
        Outcome::Selected(_) | Outcome::GaveUp => None,
    }
}

/// Adds a row for each bundle that is in a channel of a subscription but is not a candidate.
fn others(variables: &Variables<'_>, place: usize, list: Option<ListId>, rows: &mut Vec<Considered>) {
    let subscription: &Subscription = &variables.problem.subscriptions[place];
    let Ok(channels) = variables.listed(subscription) else {
        return;
    };
    let members = list.map(|list| &variables.instance.lists[list][..]).unwrap_or_default();
    let candidates: HashSet<EntryId> = members.iter().filter_map(|member| variables.entry(*member)).collect();
    let current = variables.current(subscription);
    // If the installed version is a candidate, its entry in the channel needs no row.
    let selected = current.filter(|id| candidates.contains(id));
    let is_told = |id: EntryId| {
        candidates.contains(&id) || selected.is_some_and(|selected| variables.name(selected) == variables.name(id))
    };
    let wanted_by = format!("subscription {}", subscription.name);
    for (_, ids) in channels {
        for id in ids.iter().filter(|id| !is_told(**id)) {
            let entry = variables.entries.get(*id);
            let skipping = ids.iter().map(|other| variables.entries.get(*other));
            let skipping = skipping.into_iter().find(|other| other.skips.contains(&entry.name));
            let held = current.and_then(|id| variables.problem.held.get(&*variables.name(id)));
            let why = match (current, &subscription.starting_csv, held, skipping) {
                (Some(current), _, _, _) if variables.name(current) == entry.name => "it is installed".to_owned(),
                (Some(current), _, Some(hold), _) => format!("{} stays: {}", variables.name(current), hold.explained()),
                (_, _, _, Some(other)) => format!("{} skips it", other.name),
                (Some(current), ..) => format!("it does not update {}", variables.name(current)),
                (None, Some(starting), ..) => format!("the subscription starts at {starting}"),
                _ => "it has no update path to the head of the channel".to_owned(),
            };
            rows.push(row_of(variables, *id, &wanted_by, false, why));
        }
    }
}
