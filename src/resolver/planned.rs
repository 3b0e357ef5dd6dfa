//! What OLM does with a resolution: whether it creates an install plan.

use super::names::few;
use super::problem::Problem;
use super::resolution::{Note, NoteKind, Resolution, Unresolved};
use crate::cluster::state::{Subscription, UnfinishedPlan};
use std::collections::{BTreeMap, BTreeSet};

/// Returns the result of a resolution as OLM applies it. While all Subscriptions of a namespace wait for InstallPlans,
/// OLM does not notice that they cannot be resolved.
///
/// # Errors
/// Returns the reason why there is no resolution if OLM resolves the namespace.
pub fn as_planned(answer: Result<Resolution, Unresolved>, problem: &Problem<'_>) -> Result<Resolution, Unresolved> {
    let resolution = match answer {
        Err(unresolved) if is_blocked(problem) => Resolution {
            explain: match unresolved {
                Unresolved::Unsatisfiable { explain, .. } => explain,
                _ => Vec::new(),
            },
            ..Resolution::default()
        },
        answer => answer?,
    };
    Ok(resolution.into_planned(problem))
}

/// Whether all Subscriptions wait for InstallPlans, so that OLM does not resolve the namespace.
fn is_blocked(problem: &Problem<'_>) -> bool {
    let blocks = |to: &Subscription| waits_for(to, problem).is_some_and(|plan| plan.blocks);
    !problem.subscriptions.is_empty() && problem.subscriptions.iter().all(blocks)
}

impl Resolution {
    /// Returns the resolution as OLM applies it.
    ///
    /// If no existing Subscription changes, OLM creates no install plan, even if a bundle is missing. So a dependency
    /// that was deleted together with its Subscription is not reinstalled. OLM does not even resolve a namespace while
    /// all its Subscriptions wait for InstallPlans.
    #[must_use]
    fn into_planned(mut self, problem: &Problem<'_>) -> Self {
        let plans = unfinished(problem);
        let is_blocked = is_blocked(problem);
        let planned: BTreeSet<&String> = plans.values().flat_map(|plan| &plan.versions).collect();
        if is_blocked || self.updated_subscriptions.is_empty() {
            for name in std::mem::take(&mut self.install) {
                self.selected.retain(|selected| selected.name != name);
                if planned.contains(&name) {
                    continue;
                }
                let message = if is_blocked {
                    format!(
                        "OLM does not yet create an install plan for {name}, because all Subscriptions of the \
                         namespace wait for an InstallPlan"
                    )
                } else if let Some(own) = current_of(problem, &name) {
                    format!(
                        "{name} is not installed, and OLM creates no install plan, because it is already the current \
                         version of the Subscription {own}: delete and recreate the Subscription, or wait for the next \
                         update"
                    )
                } else {
                    format!(
                        "{name} is needed but not installed, and OLM creates no install plan, because no Subscription \
                         changes: subscribe to it, or wait for the next update"
                    )
                };
                self.notes.push(Note {
                    kind: NoteKind::NoPlan,
                    subject: name,
                    message,
                });
            }
            self.new_subscriptions.clear();
        }
        if is_blocked {
            self.updated_subscriptions.clear();
        }
        self.notes.extend(plans.values().map(|plan| note(plan, is_blocked)));
        self
    }
}

/// Returns the name of the Subscription that has this current version.
fn current_of<'p>(problem: &'p Problem<'_>, name: &str) -> Option<&'p str> {
    let mut subscriptions = problem.subscriptions.iter();
    let own = subscriptions.find(|to| to.current_csv.as_deref() == Some(name))?;
    Some(&own.name)
}

/// Returns the InstallPlan that a Subscription waits for.
fn waits_for<'p>(subscription: &'p Subscription, problem: &Problem<'_>) -> Option<&'p UnfinishedPlan> {
    let exists = |csv: &String| problem.installed.iter().any(|installed| installed.name == *csv);
    let plan = subscription.install_plan.as_ref();
    plan.filter(|_| !subscription.current_csv.as_ref().is_some_and(exists))
}

/// Returns the InstallPlans that Subscriptions wait for, by name.
fn unfinished<'p>(problem: &'p Problem<'_>) -> BTreeMap<&'p str, &'p UnfinishedPlan> {
    let plans = problem.subscriptions.iter().filter_map(|to| waits_for(to, problem));
    plans.map(|plan| (&*plan.name, plan)).collect()
}

/// Returns the note about an InstallPlan. `is_blocked` means that OLM does not resolve the namespace.
fn note(plan: &UnfinishedPlan, is_blocked: bool) -> Note {
    let versions = few(plan.versions.clone(), "and");
    Note {
        kind: NoteKind::UnfinishedPlan,
        subject: plan.name.clone(),
        message: plan.explained(&versions, is_blocked),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resolver::{Selected, UpdatedSubscription};

    fn resolution(installed: &[&str]) -> Resolution {
        let selected = |name: &str| Selected {
            name: name.to_owned(),
            package: "p".to_owned(),
            channel: "stable".to_owned(),
            catalog: "olm/main".to_owned(),
            replaces: None,
        };
        Resolution {
            install: installed.iter().map(|name| (*name).to_owned()).collect(),
            selected: installed.iter().map(|name| selected(name)).collect(),
            updated_subscriptions: vec![UpdatedSubscription {
                name: "a".to_owned(),
                current_csv: "a.v1".to_owned(),
            }],
            ..Resolution::default()
        }
    }

    fn waiting(phase: &str, versions: &[&str]) -> Subscription {
        Subscription {
            current_csv: Some(versions[0].to_owned()),
            install_plan: Some(UnfinishedPlan {
                name: "install-abc".to_owned(),
                versions: versions.iter().map(|name| (*name).to_owned()).collect(),
                phase: phase.to_owned(),
                blocks: true,
            }),
            ..Subscription::default()
        }
    }

    fn messages(resolution: &Resolution) -> Vec<&str> {
        resolution.notes.iter().map(|note| &*note.message).collect()
    }

    #[test]
    fn nothing_is_installed_in_a_namespace_without_changed_subscriptions() {
        let problem = Problem::default();
        let mut resolution = resolution(&["a.v1", "b.v1"]);
        resolution.install.pop();
        assert_eq!(resolution.clone().into_planned(&problem), resolution);
        resolution.updated_subscriptions.clear();
        let planned = resolution.into_planned(&problem);
        assert!(planned.install.is_empty() && planned.new_subscriptions.is_empty());
        let left: Vec<&str> = planned.selected.iter().map(|selected| &*selected.name).collect();
        assert_eq!(left, ["b.v1"]);
        let [note] = &planned.notes[..] else {
            panic!("{:?}", planned.notes)
        };
        assert_eq!((note.kind, &*note.subject), (NoteKind::NoPlan, "a.v1"));
    }

    #[test]
    fn a_missing_version_that_a_subscription_already_has_needs_no_other_subscription() {
        let mut resolution = resolution(&["a.v1"]);
        resolution.updated_subscriptions.clear();
        let problem = Problem {
            subscriptions: vec![Subscription {
                name: "own".to_owned(),
                current_csv: Some("a.v1".to_owned()),
                ..Subscription::default()
            }],
            ..Problem::default()
        };
        let note = "a.v1 is not installed, and OLM creates no install plan, because it is already the current version of \
                    the Subscription own: delete and recreate the Subscription, or wait for the next update";
        assert_eq!(messages(&resolution.into_planned(&problem)), [note]);
    }

    #[test]
    fn nothing_is_planned_while_all_subscriptions_wait_for_install_plans() {
        let of = |phase: &str| {
            let problem = Problem {
                subscriptions: vec![waiting(phase, &["a.v1", "c.v1"])],
                ..Problem::default()
            };
            let planned = resolution(&["a.v1", "b.v1"]).into_planned(&problem);
            assert!(planned.install.is_empty() && planned.updated_subscriptions.is_empty());
            assert!(planned.selected.is_empty());
            messages(&planned).join("\n")
        };
        let of_b = "OLM does not yet create an install plan for b.v1, because all Subscriptions of the namespace wait \
                    for an InstallPlan\n";
        for (phase, expected) in [
            (
                "RequiresApproval",
                "waits for approval; OLM creates no other plan until you approve or delete it",
            ),
            ("Failed", "failed; OLM creates no other plan until you delete it"),
            (
                "Complete",
                "is complete, although not all of its versions exist; OLM creates no other plan until you delete it",
            ),
            (
                "Installing",
                "is not complete; OLM creates no other plan until it is complete, or you delete it",
            ),
        ] {
            let expected = format!("{of_b}the InstallPlan install-abc with a.v1 and c.v1 {expected}");
            assert_eq!(of(phase), expected);
        }
    }

    #[test]
    fn subscriptions_that_wait_for_install_plans_are_not_resolved() {
        let unresolved = || Unresolved::Refused {
            message: "no".to_owned(),
        };
        let mut problem = Problem {
            subscriptions: vec![waiting("RequiresApproval", &["a.v1"])],
            ..Problem::default()
        };
        let planned = super::as_planned(Err(unresolved()), &problem).unwrap();
        let note = "the InstallPlan install-abc with a.v1 waits for approval; OLM creates no other plan until you \
                    approve or delete it";
        assert_eq!(messages(&planned), [note]);
        problem.subscriptions.push(Subscription::default());
        assert_eq!(super::as_planned(Err(unresolved()), &problem), Err(unresolved()));
    }

    #[test]
    fn another_subscription_or_an_existing_version_lets_olm_resolve_again() {
        let mut problem = Problem {
            subscriptions: vec![waiting("RequiresApproval", &["a.v1"]), Subscription::default()],
            ..Problem::default()
        };
        let planned = resolution(&["a.v1", "b.v1"]).into_planned(&problem);
        assert_eq!(planned.install, ["a.v1", "b.v1"]);
        let note = "the InstallPlan install-abc with a.v1 waits for approval";
        assert_eq!(messages(&planned), [note]);
        // The version is part of the plan already, so it needs no Subscription.
        let mut unchanged = resolution(&["a.v1"]);
        unchanged.updated_subscriptions.clear();
        assert_eq!(messages(&unchanged.into_planned(&problem)), [note]);
        problem.subscriptions.truncate(1);
        problem.installed.push(crate::cluster::state::Installed {
            name: "a.v1".to_owned(),
            ..Default::default()
        });
        let planned = resolution(&["b.v1"]).into_planned(&problem);
        assert_eq!((planned.install.len(), planned.notes.len()), (1, 0));
    }
}
