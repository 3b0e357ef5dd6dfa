//! Entries of `apis` in `olm.yaml` that have no effect, because no rule of the operator names their resources.

use super::{Grant, Mentions};
use crate::diagnostic::Diagnostic;
use crate::kubernetes::rbac::PolicyRule;
use crate::rules;
use crate::shape::nearest;
use crate::synthesis::Work;
use crate::text::Path;
use serde_json::Value;

/// Reports the entries whose resources the granted rules name neither directly nor by URL paths.
pub(super) fn report(work: &mut Work<'_>, mentions: &Mentions<'_>, granted: &[&Grant]) {
    let names: Vec<String> = mentions
        .keys()
        .map(|(group, resource)| format!("{resource} of group {group}"))
        .collect();
    let mut findings = Vec::new();
    for (index, entry) in work.olm.list(&["apis"]).iter().enumerate() {
        let text = |key: &str| entry.get(key).and_then(Value::as_str);
        let (Some(group), Some(resource)) = (text("group"), text("resource")) else {
            continue;
        };
        if mentions.contains_key(&(group.to_owned(), resource.to_owned()))
            || granted.iter().any(|grant| names_in_url(work, grant, group, resource))
        {
            continue;
        }
        let name = format!("{resource} of group {group}");
        let same_group = mentions.keys().filter(|(known, _)| known == group);
        let same_group = same_group.map(|(_, resource)| resource.as_str());
        let near = nearest(resource, same_group)
            .map(|resource| format!("{resource} of group {group}"))
            .or_else(|| nearest(&name, names.iter().map(String::as_str)).map(str::to_owned));
        let message = match near {
            Some(near) => format!("no rule names {name}, but one names {near}"),
            None => format!("no rule names {name}"),
        };
        let path = Path::root().key("apis").index(index);
        findings.push(Diagnostic::new(&rules::OLM_API_UNUSED, message).at(work.olm.place(&path)));
    }
    for finding in findings {
        work.report(finding);
    }
}

/// Whether a rule names the resource by the URL path of its API.
fn names_in_url(work: &Work<'_>, grant: &Grant, group: &str, resource: &str) -> bool {
    let role = work.inventory.object(grant.role);
    let rule = grant.path().get(role.value());
    rule.is_some_and(|rule| {
        PolicyRule(rule).non_resource_urls().any(|(_, url)| {
            let parts: Vec<&str> = url.split('/').collect();
            match parts[..] {
                ["", "api", _, of_url] => group.is_empty() && of_url == resource,
                ["", "apis", of_group, _, of_url] => of_group == group && of_url == resource,
                _ => false,
            }
        })
    })
}
