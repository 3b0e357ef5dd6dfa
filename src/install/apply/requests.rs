//! Determines whether the installing account may send requests to the API server, and what the server answers.

use super::{Cluster, Stop, wording};
use crate::cluster::State;
use crate::cluster::state::ErrorAnswer;
use crate::install::api_error::{ApiError, Class, UNKNOWN, reason_of};
use crate::install::handling::Resource;
use crate::install::permissions::serving::Request;
use crate::install::permissions::{Need, handed_on};
use crate::kubernetes::rbac::Rule;
use crate::kubernetes::rbac::account::{Account, Grants};
use crate::kubernetes::rbac::covering::{Granted, TooComplex, compact};
use crate::steps::{CRD, Step};
use serde_json::Value;
use std::collections::BTreeMap;

/// The account that creates the objects.
pub(super) struct Installer {
    account: Account,
    held: Grants,
    /// The rules that the account needs to write the role or binding of a step, but does not hold. The key is the
    /// position of the step.
    not_held: BTreeMap<usize, Vec<Rule>>,
}

impl<'a> Cluster<'a> {
    /// Checks that the installing account may send a request, and may grant the rules in a role.
    pub(super) fn authorize(&self, index: usize, step: &Step, resource: &Resource, verb: &str) -> Result<(), Stop> {
        // OLM writes definitions with its own permissions.
        let Some(installer) = self.installer.as_ref().filter(|_| step.resource.kind != CRD) else {
            return Ok(());
        };
        if let Some(refusal) = installer.forbidden(resource, &step.resource.name, verb, step.namespace(self.namespace))
        {
            return Err(refused_while(step, verb, forbidden(refusal)));
        }
        let Some(missing) = installer.not_held.get(&index).filter(|_| verb != "get") else {
            return Ok(());
        };
        let refusal = forbidden(installer.escalation(resource, &step.resource.name, missing));
        Err(refused_while(step, verb, refusal))
    }

    /// Returns the API server's answer if it refuses a request.
    pub(super) fn ask(&self, step: &Step, resource: &Resource, verb: &str, exists: bool) -> Option<ApiError> {
        let kind = step.resource.manifest.get("kind").and_then(Value::as_str);
        let kind = kind.unwrap_or(&step.resource.kind);
        let namespace = if resource.namespaced {
            step.namespace(self.namespace)
        } else {
            ""
        };
        let asked = [
            (&*resource.group, |answer: &'a ErrorAnswer| answer.group.as_deref()),
            (&step.resource.version, |answer: &'a ErrorAnswer| {
                answer.version.as_deref()
            }),
            (kind, |answer: &'a ErrorAnswer| answer.kind.as_deref()),
            (namespace, |answer: &'a ErrorAnswer| answer.namespace.as_deref()),
            (&step.resource.name, |answer: &'a ErrorAnswer| answer.name.as_deref()),
            (verb, |answer: &'a ErrorAnswer| answer.verb.as_deref()),
        ] as [(&str, fn(&'a ErrorAnswer) -> Option<&'a str>); 6];
        let matching = self.errors.iter().filter(|answer| {
            asked
                .iter()
                .all(|(is, wanted)| wanted(answer).is_none_or(|wanted| wanted == *is))
        });
        let mut refusals = matching.filter_map(|answer| {
            let (reason, code) = (
                answer.reason.as_deref().unwrap_or_default(),
                answer.code.unwrap_or_default(),
            );
            let found = reason_of(reason, code, verb);
            // If an `AlreadyExists` answer specifies no verb, it applies only to the request that creates the object.
            let elsewhere = found.class == Class::Update && verb != "create" && answer.verb.is_none();
            let said = match (answer.message.as_deref(), found) {
                (Some(message), _) => message.to_owned(),
                (None, UNKNOWN) if !reason.is_empty() => reason.to_owned(),
                (None, UNKNOWN) => format!("the API server answered {code}"),
                (None, found) => {
                    let name = &step.resource.name;
                    format!("{}: cannot {verb} {} {name:?}", found.name, resource.label())
                }
            };
            (!elsewhere).then_some(ApiError {
                reason: found,
                plain: said.clone(),
                message: said,
            })
        });
        refusals.next().or_else(|| {
            exists.then(|| {
                let message = format!("{} {:?} already exists", resource.label(), step.resource.name);
                ApiError {
                    reason: reason_of("AlreadyExists", 409, "create"),
                    plain: message.clone(),
                    message,
                }
            })
        })
    }
}

impl Installer {
    /// Returns the installer for an account with the permissions `held`. Also determines the rules that the account
    /// needs to write the roles and bindings of the plan, but does not hold.
    pub(super) fn of(
        steps: &[Step],
        state: &State,
        namespace: &str,
        (account, held): (Account, Grants),
    ) -> Result<Self, TooComplex> {
        let mut places: BTreeMap<Option<String>, Vec<(usize, Need)>> = BTreeMap::new();
        for (index, need) in handed_on(steps, namespace, &state.objects)? {
            places.entry(need.namespace.clone()).or_default().push((index, need));
        }
        let mut not_held = BTreeMap::new();
        for (place, needs) in places {
            let rules = held.within(place.as_deref());
            let granted = Granted::of(&rules);
            for (index, need) in needs {
                let missing = need.missing(&granted)?;
                if !missing.is_empty() {
                    not_held.insert(index, missing);
                }
            }
        }
        Ok(Self {
            account,
            held,
            not_held,
        })
    }

    /// Returns the API server's answer if the account is not allowed to send a request about a namespaced or
    /// cluster-scoped object. The answer names the object, unless the request creates it or lists objects.
    pub(super) fn forbidden(&self, resource: &Resource, name: &str, verb: &str, namespace: &str) -> Option<String> {
        let place = resource.namespaced.then_some(namespace);
        let asked = Rule::new(&resource.group, &resource.plural, &[verb]);
        // A request that creates or lists objects has no object name when it is authorized.
        let (asked, named) = match verb {
            "create" | "list" => (asked, String::new()),
            _ => (asked.named(name), format!(" {name:?}")),
        };
        if Granted::of(&self.held.within(place)).one_covers(&asked) {
            return None;
        }
        let place = place.map_or("at the cluster scope".to_owned(), |namespace| {
            format!("in the namespace {namespace:?}")
        });
        Some(format!(
            "{}{named} is forbidden: User {:?} cannot {verb} resource {:?} in API group {:?} {place}",
            resource.label(),
            self.account.user(),
            resource.plural,
            resource.group
        ))
    }

    /// Returns the API server's answer to the first of these requests that the account may not send, or that grants
    /// more than the account holds.
    pub(super) fn refusal(&self, requests: &[Request]) -> Result<Option<String>, TooComplex> {
        for request in requests {
            let Request { resource, name, .. } = request;
            let mut verbs = request.verbs.iter();
            let forbidden = verbs.find_map(|verb| self.forbidden(resource, name, verb, &request.namespace));
            if forbidden.is_some() {
                return Ok(forbidden);
            }
            let Some(need) = request.handed_on.as_ref().filter(|_| !request.verbs.is_empty()) else {
                continue;
            };
            let missing = need.missing(&Granted::of(&self.held.within(need.namespace.as_deref())))?;
            if !missing.is_empty() {
                return Ok(Some(self.escalation(resource, name, &missing)));
            }
        }
        Ok(None)
    }

    /// Returns the API server's answer if the account writes an object that grants these rules, which it does not hold.
    fn escalation(&self, resource: &Resource, name: &str, missing: &[Rule]) -> String {
        let groups = self.account.groups();
        let groups: Vec<String> = groups.iter().map(|group| format!("{group:?}")).collect();
        let rules: Vec<String> = compact(missing).iter().map(Rule::to_string).collect();
        format!(
            "{} {name:?} is forbidden: user {:?} (groups=[{}]) is attempting to grant RBAC permissions not currently held:\n{}",
            resource.label(),
            self.account.user(),
            groups.join(" "),
            rules.join("\n")
        )
    }
}

fn forbidden(message: String) -> ApiError {
    ApiError {
        reason: reason_of("Forbidden", 403, ""),
        plain: message.clone(),
        message,
    }
}

/// Returns the refusal of a request as OLM reports it, with OLM's description of the request.
pub(super) fn refused_while(step: &Step, verb: &str, refusal: ApiError) -> Stop {
    let message = match wording::doing(step, verb) {
        Some(doing) => format!("{doing}: {}", refusal.message),
        None => refusal.message,
    };
    Stop::Refused(ApiError { message, ..refusal })
}
