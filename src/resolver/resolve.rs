//! Resolves a problem to the actions that OLM would take.

use super::explain::{self, Explaining};
use super::failure;
use super::problem::{Problem, ResolverOptions};
use super::resolution::{NewSubscription, Note, NoteKind, Resolution, Selected, Unresolved, UpdatedSubscription};
use super::search::{Choice, Demand, DemandOf, Enabled, Outcome, search};
use super::unoffered::unoffered;
use super::variables::Variables;
use crate::cluster::state::Subscription;
use crate::olm::intent::Intent;
use std::collections::{BTreeMap, BTreeSet};

/// The maximum number of times that parts of constraint rules are evaluated, for all bundles together.
pub(super) const EVALUATIONS: u64 = 200_000_000;
/// The maximum number of operator conditions that are ignored on a trial basis if there is no resolution.
const HOLDS_TRIED: usize = 12;

/// Resolves a problem.
///
/// # Errors
/// Returns an error if the constraints cannot be satisfied, if OLM would fail because of the content of a catalog, or
/// if the search takes more steps than the options allow.
pub fn resolve(problem: &Problem<'_>, options: &ResolverOptions) -> Result<Resolution, Unresolved> {
    let refused = |message: String| Unresolved::Refused { message };
    let mut variables = Variables::of(problem, EVALUATIONS).map_err(refused)?;
    let mut steps = options.steps;
    let gave_up = || Unresolved::GaveUp { steps: options.steps };
    let enabled = Enabled::all(&variables.instance);
    let outcome = search(&variables.instance, &variables.demands, &enabled, &mut steps);
    let mut choices = match outcome {
        Outcome::Selected(choices) => choices,
        Outcome::GaveUp => return Err(gave_up()),
        Outcome::Unsatisfiable(core) => {
            let explain = if options.explain {
                explain::of_failure(&Explaining::new(&variables, options))
            } else {
                Vec::new()
            };
            let released = released(problem, options);
            return Err(failure::unsatisfiable(&variables, core, options, released, explain));
        }
    };
    let mut notes = held(problem);
    let stays = explain::staying(&Explaining::new(&variables, options), &choices);
    notes.extend(passed_over(&variables, problem));
    notes.extend(add_wanted(&mut variables, &mut choices, options, &mut steps));
    let explain = if options.explain {
        explain::of_choices(&Explaining::new(&variables, options), &choices)
    } else {
        Vec::new()
    };
    Ok(Resolution {
        notes,
        stays,
        explain,
        steps: options.steps - steps,
        ..answer(&variables, &choices)
    })
}

/// Returns notes about the installed versions that must not be updated.
fn held(problem: &Problem<'_>) -> Vec<Note> {
    let subscribed = |csv: &&String| {
        let mut subscriptions = problem.subscriptions.iter();
        subscriptions.any(|subscription| subscription.installed_csv.as_ref() == Some(csv))
    };
    let held = problem.held.iter().filter(|(csv, _)| subscribed(csv));
    held.map(|(csv, hold)| Note {
        kind: NoteKind::Held,
        subject: csv.clone(),
        message: format!("{csv} is not updated: {}", hold.explained()),
    })
    .collect()
}

/// Returns the overrides of conditions that would allow a resolution: each override that suffices by itself or, if
/// there is none, all overrides together.
fn released(problem: &Problem<'_>, options: &ResolverOptions) -> Vec<String> {
    let is_met_without = |names: &[&String]| {
        let mut problem = problem.clone();
        problem.held.retain(|name, _| !names.contains(&name));
        let Ok(variables) = Variables::of(&problem, EVALUATIONS) else {
            return false;
        };
        let enabled = Enabled::all(&variables.instance);
        let mut steps = options.steps / 10;
        let outcome = search(&variables.instance, &variables.demands, &enabled, &mut steps);
        matches!(outcome, Outcome::Selected(_))
    };
    let subscribed = |csv: &String| {
        let mut subscriptions = problem.subscriptions.iter();
        subscriptions.any(|subscription| subscription.installed_csv.as_ref() == Some(csv))
    };
    let held: Vec<&String> = problem
        .held
        .keys()
        .filter(|csv| subscribed(csv))
        .take(HOLDS_TRIED)
        .collect();
    let mut alone: Vec<&String> = held.clone();
    alone.retain(|csv| is_met_without(&[*csv]));
    if alone.is_empty() && held.len() > 1 && is_met_without(&held) {
        let resources: Vec<&str> = held.iter().map(|csv| problem.held[*csv].condition.as_str()).collect();
        return vec![format!("overrides in {}", resources.join(" and "))];
    }
    let way_out = |csv: &String| {
        let hold = &problem.held[csv];
        let what = if hold.by_override {
            "a different override"
        } else {
            "an override"
        };
        format!("{what} in {}, which blocks {csv}", hold.condition)
    };
    alone.into_iter().map(way_out).collect()
}

/// Returns notes about the bundles that OLM skips in subscribed packages.
fn passed_over(variables: &Variables<'_>, problem: &Problem<'_>) -> Vec<Note> {
    let known: BTreeMap<_, _> = variables.entries.passed_over.iter().cloned().collect();
    let subscribed = |name: &str| {
        problem
            .catalogs
            .iter()
            .flat_map(|source| &source.catalog.packages)
            .filter(|package| problem.subscriptions.iter().any(|to| *to.package == *package.name))
            .flat_map(|package| &package.channels)
            .flat_map(|channel| &channel.entries)
            .any(|entry| {
                let mut sources = problem.catalogs.iter();
                sources.any(|source| {
                    source
                        .catalog
                        .bundle(entry.bundle)
                        .is_some_and(|bundle| &*bundle.name == name)
                })
            })
    };
    let notes = known.into_iter().filter(|(name, _)| subscribed(name));
    notes
        .map(|(name, reason)| Note {
            kind: NoteKind::PassedOver,
            subject: name.to_string(),
            message: format!("OLM skips {name}: {reason}"),
        })
        .collect()
}

/// Adds the dependencies that are not required, one by one, without changing earlier choices. Returns a note about each
/// dependency that cannot be added.
fn add_wanted(
    variables: &mut Variables<'_>,
    choices: &mut Vec<Choice>,
    options: &ResolverOptions,
    steps: &mut u64,
) -> Vec<Note> {
    let mut notes = Vec::new();
    let preferences = &options.preferences;
    let mut named: BTreeSet<String> = BTreeSet::new();
    let mut at = 0;
    while let Some(choice) = choices.get(at).copied() {
        at += 1;
        let Some(by) = variables.entry(choice.variable) else {
            continue;
        };
        for dependency in variables.dependencies[choice.variable].clone() {
            let packages: Vec<String> = dependency.packages().into_iter().map(str::to_owned).collect();
            if dependency.intent == Intent::Required {
                named.extend(packages);
                continue;
            }
            let by_default = dependency.intent == Intent::Recommended;
            let is_taken = preferences.take(dependency.intent, &packages, by_default);
            named.extend(packages);
            if !is_taken {
                continue;
            }
            let word = dependency.intent.verb();
            let name = variables.name(by);
            let mut leave_out = |reason: &str| {
                notes.push(Note {
                    kind: NoteKind::LeftOut,
                    subject: name.to_string(),
                    message: format!("{name} {word} {}, which is omitted: {reason}", dependency.predicate),
                });
            };
            let extended = variables.extend(by, &dependency);
            let (list, constraint) = match extended {
                Ok(need) => need,
                Err(reason) => {
                    leave_out(&reason);
                    continue;
                }
            };
            let fixed = choices.iter().map(|choice| Demand {
                of: DemandOf::One(choice.variable),
                constraint: None,
            });
            let wanted = Demand {
                of: DemandOf::Some(list, choice.variable),
                constraint: Some(constraint),
            };
            let demands: Vec<Demand> = fixed.chain([wanted]).collect();
            let enabled = Enabled::all(&variables.instance);
            match search(&variables.instance, &demands, &enabled, steps) {
                Outcome::Selected(found) => choices.extend(found.into_iter().skip(choices.len())),
                Outcome::GaveUp => leave_out("the search took too long"),
                Outcome::Unsatisfiable(core) => {
                    let reason = if variables.instance.lists[list].is_empty() {
                        let unoffered = unoffered(variables, &dependency.predicate);
                        unoffered.map_or_else(|| "no catalog contains it".to_owned(), |found| found.reason)
                    } else {
                        failure::in_words(variables, &demands, core, Some(constraint), options).join(", ")
                    };
                    leave_out(&reason);
                }
            }
        }
    }
    for name in preferences.named().into_iter().filter(|name| !named.contains(*name)) {
        notes.push(Note {
            kind: NoteKind::Unknown,
            subject: name.to_owned(),
            message: format!("no selected bundle depends on package {name}"),
        });
    }
    notes
}

fn answer(variables: &Variables<'_>, choices: &[Choice]) -> Resolution {
    let problem = variables.problem;
    let mut answer = Resolution::default();
    for choice in choices {
        let Some(id) = variables.entry(choice.variable) else {
            continue;
        };
        let Some((catalog, namespace)) = variables.catalog(id) else {
            continue;
        };
        let entry = variables.entries.get(id);
        let name = entry.name.to_string();
        let update_of = variables.replaces.get(&choice.variable).map(|old| variables.name(*old));
        answer.selected.push(Selected {
            name: name.clone(),
            package: entry.package.to_string(),
            channel: entry.channel.to_string(),
            catalog: format!("{namespace}/{catalog}"),
            replaces: update_of
                .or_else(|| entry.replaces.clone())
                .map(|name| name.to_string()),
        });
        let matches = |subscription: &&Subscription| {
            subscription.package == *entry.package
                && subscription
                    .channel
                    .as_deref()
                    .is_none_or(|channel| channel == &*entry.channel)
                && subscription.catalog == catalog
                && subscription.catalog_namespace == namespace
        };
        let matching: Vec<&Subscription> = problem.subscriptions.iter().filter(matches).collect();
        let is_at = |subscription: &&Subscription| subscription.current_csv.as_deref() == Some(&name);
        let exists = problem.installed.iter().any(|csv| csv.name == name);
        if matching.is_empty() || !exists || !matching.iter().all(is_at) {
            answer.install.push(name.clone());
        }
        if matching.is_empty() {
            answer.new_subscriptions.push(NewSubscription {
                name: format!("{}-{}-{catalog}-{namespace}", entry.package, entry.channel),
                package: entry.package.to_string(),
                channel: entry.channel.to_string(),
                catalog: format!("{namespace}/{catalog}"),
                starting_csv: name.clone(),
                install_plan_approval: "Automatic",
            });
        }
        for subscription in matching.into_iter().filter(|subscription| !is_at(subscription)) {
            answer.updated_subscriptions.push(UpdatedSubscription {
                name: subscription.name.clone(),
                current_csv: name.clone(),
            });
        }
    }
    answer.selected.sort();
    answer.install.sort();
    answer.install.dedup();
    answer.new_subscriptions.sort();
    answer.updated_subscriptions.sort();
    answer
}
