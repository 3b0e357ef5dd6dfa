//! Explanations of failed resolutions: in OLM's words, in plain words, and with remedies.

use super::clause::{Clause, Unmet};
use super::entries::EntryId;
use super::missing;
use super::names::{few, named};
use super::predicate::{Predicate, Test};
use super::problem::ResolverOptions;
use super::replaced::{still_there, successor, way_out};
use super::resolution::{Considered, Unresolved};
use super::search::{ConstraintId, Demand, DemandOf, Enabled, Outcome, Variable, minimal, search};
use super::unoffered::unoffered;
use super::variables::{Stands, Variables};
use crate::cluster::state::Subscription;
use crate::olm::constraint::{Condition, PackageConstraint};
use crate::shape::nearest;
use std::collections::BTreeSet;

/// The maximum number of remedies that are tried.
const TRIED: usize = 12;

/// Returns the error for constraints that cannot be satisfied together. `core` contains constraints that rule out a
/// solution even without the other constraints, and `released` contains remedies that are already known.
pub(super) fn unsatisfiable(
    variables: &Variables<'_>,
    core: BTreeSet<ConstraintId>,
    options: &ResolverOptions,
    released: Vec<String>,
    explain: Vec<Considered>,
) -> Unresolved {
    let demands = &variables.demands;
    let core = least(variables, demands, core, options);
    let mut messages: Vec<String> = core.iter().map(|constraint| variables.message(*constraint)).collect();
    messages.sort();
    messages.dedup();
    let reasons = core.iter().filter_map(|constraint| plain(variables, *constraint));
    let reasons = without_repeats(reasons.collect());
    Unresolved::Unsatisfiable {
        messages,
        reasons,
        remedies: without_repeats([released, remedies(variables, &core, options)].concat()),
        explain,
    }
}

/// Removes repeated strings. A bundle in several channels has several candidates with the same description.
fn without_repeats(mut texts: Vec<String>) -> Vec<String> {
    let mut known = BTreeSet::new();
    texts.retain(|text| known.insert(text.clone()));
    texts
}

/// Explains in plain words why requirements cannot be satisfied, without the constraint `known`.
pub(super) fn in_words(
    variables: &Variables<'_>,
    demands: &[Demand],
    core: BTreeSet<ConstraintId>,
    known: Option<ConstraintId>,
    options: &ResolverOptions,
) -> Vec<String> {
    let core = least(variables, demands, core, options);
    let words = core.iter().filter(|constraint| Some(**constraint) != known);
    without_repeats(words.filter_map(|constraint| plain(variables, *constraint)).collect())
}

/// Reduces `core` to a minimal set of constraints that cannot be satisfied together.
fn least(
    variables: &Variables<'_>,
    demands: &[Demand],
    core: BTreeSet<ConstraintId>,
    options: &ResolverOptions,
) -> BTreeSet<ConstraintId> {
    let mut order: Vec<ConstraintId> = core.iter().copied().collect();
    order.sort_by_cached_key(|constraint| std::cmp::Reverse(variables.message(*constraint)));
    let mut steps = options.steps;
    minimal(&variables.instance, demands, core, &order, &mut steps)
}

fn members(variables: &Variables<'_>, members: &[Variable], word: &str) -> String {
    let ids = members.iter().filter_map(|member| variables.entry(*member));
    few(ids.map(|id| named(variables, id)).collect(), word)
}

/// Describes a constraint for users; `None` if the constraint is obvious.
pub(super) fn plain(variables: &Variables<'_>, constraint: ConstraintId) -> Option<String> {
    let subscription = |place: &usize| &variables.problem.subscriptions[*place];
    let name = |id: &EntryId| variables.name(*id);
    let text = match &variables.constraints[constraint] {
        Clause::Subscription(_) => return None,
        Clause::Requires(place, candidates) => {
            let name = &subscription(place).name;
            let current = variables.current(subscription(place));
            let hold = current.and_then(|id| variables.problem.held.get(&*variables.name(id)));
            let why = hold.map_or(String::new(), |hold| format!(", because {}", hold.explained()));
            format!(
                "the subscription {name} can use only {}{why}",
                members(variables, candidates, "or")
            )
        }
        Clause::Unmet(place, unmet) => unmet_because(variables, subscription(place), *unmet),
        Clause::Installed(id) => match successor(variables.problem, &name(id)) {
            Some(new) => still_there(&name(id), new),
            None => format!("{} is installed without a subscription, so it stays", name(id)),
        },
        Clause::Needs(id, predicate, candidates) if candidates.is_empty() => {
            let there_is = what_there_is(variables, predicate);
            format!("{} needs {predicate}, but {there_is}", name(id))
        }
        Clause::Needs(id, predicate, candidates) => {
            format!(
                "{} needs {predicate}, and only {} satisfies this",
                name(id),
                members(variables, candidates, "or")
            )
        }
        Clause::Deprecated(id) => format!("{} is deprecated, so OLM no longer installs it", name(id)),
        Clause::Unreadable(id, reason) => format!("the dependencies of {} cannot be determined: {reason}", name(id)),
        Clause::OnePackage(package, candidates) => format!(
            "only one version of package {package} can be installed: {}",
            members(variables, candidates, "or")
        ),
        Clause::OneProvider(api, candidates) => format!(
            "only one provider of {} ({}) can be installed: {}",
            api.kind,
            api.api_version(),
            members(variables, candidates, "or")
        ),
        Clause::Replaces(new, old) => format!("{} replaces {}", name(new), name(old)),
    };
    Some(text)
}

/// Describes, for a dependency without candidates, what the catalogs contain instead.
fn what_there_is(variables: &Variables<'_>, predicate: &Predicate) -> String {
    if let Some(unoffered) = unoffered(variables, predicate) {
        return unoffered.reason;
    }
    let Predicate::Leaf(Test {
        condition: Condition::Package(PackageConstraint { name, .. }),
        ..
    }) = predicate
    else {
        return "no catalog contains one".to_owned();
    };
    let of_package = variables.entries.ids().filter(|id| {
        let facts = variables.entries.facts(*id);
        *variables.entries.get(*id).package == **name || facts.packages.iter().any(|package| package.name == *name)
    });
    let mut versions: Vec<_> = of_package
        .filter_map(|id| variables.entries.get(id).version.clone())
        .collect();
    versions.sort();
    versions.dedup();
    match &versions[..] {
        [] => "no catalog contains this package".to_owned(),
        [one] => format!("the only available version is {one}"),
        [first, .., last] => format!("only {} versions are available, from {first} to {last}", versions.len()),
    }
}

fn unmet_because(variables: &Variables<'_>, subscription: &Subscription, unmet: Unmet) -> String {
    let Subscription {
        name,
        package,
        channel,
        catalog,
        catalog_namespace,
        starting_csv,
        ..
    } = subscription;
    let sources = &variables.problem.catalogs;
    let of = |known: Vec<&str>, wanted: &str| {
        let mut known: Vec<&str> = known;
        known.sort_unstable();
        known.dedup();
        match nearest(wanted, known.iter().copied()) {
            _ if known.is_empty() => "none is available".to_owned(),
            Some(near) => format!("did you mean {near}?"),
            None => format!(
                "available: {}",
                few(known.into_iter().map(str::to_owned).collect(), "and")
            ),
        }
    };
    let here = || {
        let here = sources.iter().filter(|source| source.name == catalog);
        here.filter(|source| source.namespace == catalog_namespace)
    };
    let package_here = || here().filter_map(|source| source.catalog.package(package));
    match unmet {
        Unmet::Catalog if here().next().is_some() => {
            format!("the catalog {catalog} in {catalog_namespace}, which the subscription {name} uses, is empty")
        }
        Unmet::Catalog => {
            let others = &variables.problem.other_catalogs;
            if others
                .iter()
                .any(|other| other.0 == *catalog_namespace && other.1 == *catalog)
            {
                let namespace = &variables.problem.namespace;
                return format!(
                    "the subscription {name} uses the catalog {catalog} in {catalog_namespace}, which OLM does not use \
                     for the namespace {namespace}: OLM uses only catalogs in {namespace} and in the namespace of \
                     global catalogs"
                );
            }
            let looked_at = sources.iter().map(|source| (source.namespace, source.name));
            let mut known = looked_at.chain(others.iter().map(|(namespace, name)| (&**namespace, &**name)));
            let there = match known.find(|(_, known)| *known == catalog) {
                Some((namespace, _)) => format!("a catalog with this name is in {namespace}"),
                None => of(sources.iter().map(|source| source.name).collect(), catalog),
            };
            format!(
                "the subscription {name} uses the catalog {catalog} in {catalog_namespace}, which does not exist; {there}"
            )
        }
        Unmet::Package => {
            let packages = here().flat_map(|source| &source.catalog.packages);
            let known = of(packages.map(|package| &*package.name).collect(), package);
            format!("the catalog {catalog} has no package {package}; {known}")
        }
        Unmet::Channel => {
            let channel = channel.as_deref().unwrap_or_default();
            let channels = package_here().flat_map(|package| &package.channels);
            let known = of(channels.map(|channel| &*channel.name).collect(), channel);
            format!("the package {package} has no channel {channel}; {known}")
        }
        Unmet::StartingCsv => {
            let csv = starting_csv.as_deref().unwrap_or_default();
            let offered = here().flat_map(|source| {
                let channels = source.catalog.package(package).map(|package| &package.channels[..]);
                let channels = channels.unwrap_or_default().iter();
                channels.flat_map(|channel| {
                    let bundles = channel
                        .entries
                        .iter()
                        .filter_map(|entry| source.catalog.bundle(entry.bundle));
                    bundles.map(|bundle| (&*channel.name, &*bundle.name))
                })
            });
            let wanted = |name: &str| channel.as_deref().is_none_or(|channel| channel == name);
            let (names, elsewhere): (Vec<_>, Vec<_>) = offered.partition(|(channel, _)| wanted(channel));
            let others = elsewhere.into_iter().filter(|(_, name)| *name == csv);
            let others: BTreeSet<&str> = others.map(|(channel, _)| channel).collect();
            if !others.is_empty() {
                let channel = channel.as_deref().unwrap_or_default();
                let others = few(others.into_iter().map(str::to_owned).collect(), "and");
                return format!(
                    "the subscription {name} starts at {csv}, which is not in the channel {channel}, but in {others}"
                );
            }
            let names = names.into_iter().map(|(_, name)| name);
            let known = of(names.collect(), csv);
            format!("the subscription {name} starts at {csv}, which does not exist; {known}")
        }
    }
}

/// Returns known changes that would make the resolution succeed.
fn remedies(variables: &Variables<'_>, core: &BTreeSet<ConstraintId>, options: &ResolverOptions) -> Vec<String> {
    let mut remedies = missing::remedies(variables, core);
    for constraint in core {
        if let Clause::Unmet(place, Unmet::StartingCsv) = &variables.constraints[*constraint] {
            let name = &variables.problem.subscriptions[*place].name;
            remedies.push(format!("another startingCSV in the subscription {name}, or none"));
        }
    }
    let mut successors = BTreeSet::new();
    for constraint in core {
        if let Clause::Installed(id) = &variables.constraints[*constraint]
            && let Some(new) = successor(variables.problem, &variables.name(*id))
        {
            remedies.push(way_out(&variables.name(*id), new));
            successors.insert(new.name.as_str());
        }
    }
    // OLM deletes a replaced version itself. Without it or the subscription, an unfinished upgrade would stay
    // unfinished.
    let is_upgrading = |variable: Variable| match variables.stands[variable] {
        Stands::Subscription(place) => {
            let current = variables.current(&variables.problem.subscriptions[place]);
            current.is_some_and(|id| successors.contains(&*variables.name(id)))
        }
        Stands::Entry(id) => successor(variables.problem, &variables.name(id)).is_some(),
    };
    let enabled = Enabled::all(&variables.instance);
    let mut steps = options.steps;
    let given_up = core.iter().filter_map(|constraint| {
        let demand = variables
            .demands
            .iter()
            .find(|demand| demand.constraint == Some(*constraint))?;
        match demand.of {
            DemandOf::One(variable) if !is_upgrading(variable) => Some((*constraint, variable)),
            DemandOf::One(_) | DemandOf::Some(..) => None,
        }
    });
    for (constraint, variable) in given_up.take(TRIED) {
        let others = variables.demands.iter().copied();
        let others: Vec<Demand> = others.filter(|demand| demand.constraint != Some(constraint)).collect();
        if others.is_empty() {
            continue;
        }
        if let Outcome::Selected(_) = search(&variables.instance, &others, &enabled, &mut steps) {
            remedies.push(match variables.stands[variable] {
                Stands::Subscription(place) => {
                    format!("no subscription {}", variables.problem.subscriptions[place].name)
                }
                Stands::Entry(id) => format!("the removal of {}", variables.name(id)),
            });
        }
    }
    without_repeats(remedies)
}
