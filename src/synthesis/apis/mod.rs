//! The APIs that the granted rules imply: required, optional, native, or served by the bundle's APIServices.
//!
//! RBAC names groups and resources, but a CSV needs kinds and versions. Nothing is guessed: for a resource that neither
//! the bundle nor `olm.yaml` explains, an error suggests an entry.

mod entries;
mod hints;
mod known;
mod unused;

use super::apiservices::AggregatedKind;
use super::crds::Owned;
use super::deployments::Accounts;
use super::draft::Origin;
use super::grants::{self, Grant};
use super::{Work, apiservices};
use crate::diagnostic::Diagnostic;
use crate::kubernetes::builtin;
use crate::kubernetes::platform::is_platform_group;
use crate::kubernetes::rbac::{PolicyRule, parent_resource};
use crate::rules;
use crate::source::Place;
use crate::text::Path;
use entries::{Native, Requirement};
pub(super) use hints::{Entries, entries};
use hints::{Hinted, hint, hinted};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Groups that OLM serves in every cluster, and that no bundle provides.
const OLM_GROUPS: [&str; 2] = ["operators.coreos.com", "packages.operators.coreos.com"];

/// Placeholders for the kind and version of an unknown API.
const UNKNOWN: (&str, &str) = ("…", "…");

/// A resource that RBAC rules name, but whose kind neither the bundle nor `olm.yaml` specifies.
#[derive(Debug, Clone)]
pub struct Unresolved {
    /// API group.
    pub group: String,
    /// Plural name.
    pub resource: String,
    /// The usual kind of the resource, or `…` if it is unknown.
    pub kind: &'static str,
    /// The usual version of the resource, or `…` if it is unknown.
    pub version: &'static str,
    /// Whether only the platform provides the resource.
    pub of_platform: bool,
    /// Whether the bundle defines other kinds of the group. In that case, another release of the operator might define
    /// the resource.
    pub of_own_group: bool,
    /// Index of the entry in `apis` of `olm.yaml` that names the resource, but not its kind and version.
    pub entry: Option<usize>,
    /// The first place where a rule names the resource.
    pub place: Option<Place>,
}

impl Unresolved {
    /// Whether the usual kind and version are known.
    pub fn is_known(&self) -> bool {
        (self.kind, self.version) != UNKNOWN
    }
}

/// A place where a rule names a resource.
#[derive(Clone, Copy)]
struct Mention<'g> {
    grant: &'g Grant,
    group: usize,
    resource: usize,
}

type Mentions<'g> = BTreeMap<(String, String), Vec<Mention<'g>>>;

/// Writes the required and native APIs. Returns the kinds that the bundle's APIServices serve.
pub(super) fn project(
    work: &mut Work<'_>,
    accounts: &Accounts,
    granted: &[Grant],
    owned: &Owned,
) -> Vec<AggregatedKind> {
    let granted = grants::of_deployments(accounts, granted);
    let mentions = mentions(work, &granted);
    let kinds = aggregated_kinds(work, &mentions);
    let served: BTreeSet<String> = apiservices::of(work)
        .into_iter()
        .filter_map(|index| work.inventory.object(index).text(&["spec", "group"]).map(str::to_owned))
        .collect();
    let listed = Listed::of(work);
    let mut natives = Vec::new();
    let mut required = Vec::new();
    for ((group, resource), mentions) in &mentions {
        unknown_resource(work, group, resource, mentions);
        if builtin::is_builtin_group(group) || owned.has_resource(group, resource) || served.contains(group) {
            continue;
        }
        let hint = hint(work, group, resource);
        // An operator may use kinds of its own group that only other releases of the operator define. Only the author
        // can distinguish these kinds from the kinds of another operator in the same group.
        if owned.has_group(group) && hint.is_none() {
            if mentions.iter().any(|mention| !mention.grant.optional) {
                own_group(work, group, resource, mentions);
            }
            continue;
        }
        let class = hint
            .and_then(|(_, hint)| hint.get("dependency"))
            .and_then(Value::as_str);
        match class {
            Some("optional" | "none") => continue,
            Some("native") => {
                natives.extend(self::natives(work, group, resource, mentions));
                continue;
            }
            _ => {}
        }
        if mentions.iter().all(|mention| mention.grant.optional) {
            continue;
        }
        if OLM_GROUPS.contains(&group.as_str()) {
            let message = format!("{resource} of {group} belong to OLM, so they are not required");
            report(work, &rules::RBAC_OLM_API, message, mentions, None);
            continue;
        }
        required.extend(requirements(work, &listed, group, resource, mentions));
    }
    hints::contradictions(work);
    entries::write_required(work, required);
    native_urls(work, &granted, owned, &mut natives);
    entries::write_native(work, natives);
    unused::report(work, &mentions, &granted);
    kinds
}

fn mentions<'g>(work: &Work<'_>, granted: &[&'g Grant]) -> Mentions<'g> {
    let mut mentions = Mentions::new();
    for &grant in granted {
        let role = work.inventory.object(grant.role);
        let Some(rule) = grant.path().get(role.value()) else {
            continue;
        };
        let rule = PolicyRule(rule);
        if grants::wildcard_in(rule).is_some() {
            continue;
        }
        for (group, name) in rule.api_groups() {
            for (resource, text) in rule.resources() {
                let pair = (name.to_owned(), parent_resource(text).to_owned());
                mentions
                    .entry(pair)
                    .or_default()
                    .push(Mention { grant, group, resource });
            }
        }
    }
    mentions
}

impl Mention<'_> {
    fn resource_path(&self) -> Path {
        self.grant.path().key("resources").index(self.resource)
    }

    fn resource_origin(&self, work: &Work<'_>) -> Origin {
        let role = work.inventory.object(self.grant.role);
        Origin::object(role, &self.resource_path()).derived("the resource of an RBAC rule")
    }

    fn group_origin(&self, work: &Work<'_>) -> Origin {
        let role = work.inventory.object(self.grant.role);
        let path = self.grant.path().key("apiGroups").index(self.group);
        Origin::object(role, &path).derived("the group of an RBAC rule")
    }
}

fn report(
    work: &mut Work<'_>,
    rule: &'static rules::Rule,
    message: String,
    mentions: &[Mention<'_>],
    help: Option<String>,
) {
    let Some(first) = mentions.first() else {
        return;
    };
    let role = work.inventory.object(first.grant.role);
    let mut finding = Diagnostic::new(rule, message)
        .object(role.label())
        .path(first.resource_path())
        .at(role.place(&first.resource_path()));
    finding.help = help;
    work.report(finding);
}

/// Reports a resource that is in none of the groups of its rule. A rule may list several groups and several resources;
/// each resource must be in one of the groups. All resources of the Kubernetes groups without a domain are known, so a
/// rule that names any other resource of these groups is a mistake.
fn unknown_resource(work: &mut Work<'_>, group: &str, resource: &str, mentions: &[Mention<'_>]) {
    let served = |group: &str| {
        !builtin::is_bare_group(group)
            || builtin::find(group, resource).is_some()
            || builtin::is_verb_only(group, resource)
    };
    let slip = mentions.iter().find(|mention| {
        let role = work.inventory.object(mention.grant.role);
        let rule = mention.grant.path().get(role.value());
        rule.is_some_and(|rule| !PolicyRule(rule).api_groups().any(|(_, group)| served(group)))
    });
    if let Some(slip) = slip {
        let message = format!("the Kubernetes group {group:?} has no resource {resource}");
        report(work, &rules::RBAC_UNKNOWN_RESOURCE, message, &[*slip], None);
    }
}

fn aggregated_kinds(work: &Work<'_>, mentions: &Mentions<'_>) -> Vec<AggregatedKind> {
    let mut kinds = Vec::new();
    for index in apiservices::of(work) {
        let object = work.inventory.object(index);
        let text = |key| object.text(&["spec", key]).unwrap_or_default().to_owned();
        let (group, version) = (text("group"), text("version"));
        let described = work.olm.list(&["apiservicedefinitions", "owned"]).iter().enumerate();
        for (position, entry) in described {
            let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default();
            if text("group") == group && text("version") == version {
                let path = Path::root().key("apiservicedefinitions").key("owned").index(position);
                let origin = |key: &str| Origin::olm(work.olm, &path.key(key));
                kinds.push(AggregatedKind {
                    group: group.clone(),
                    version: version.clone(),
                    kind: (text("kind").to_owned(), vec![origin("kind")]),
                    resource: (text("name").to_owned(), vec![origin("name")]),
                });
            }
        }
        for ((mentioned, resource), mentions) in mentions {
            let firm = mentions.iter().find(|mention| !mention.grant.optional);
            let (true, Some(mention)) = (*mentioned == group, firm) else {
                continue;
            };
            let known = |kind: &AggregatedKind| kind.group == group && kind.resource.0 == *resource;
            if kinds.iter().any(known) {
                continue;
            }
            let hint = hinted(work, &group, resource).into_iter().map(|hint| hint.kind).next();
            let table = || {
                let row = builtin::find(&group, resource)?;
                Some((row.kind.to_owned(), vec![mention.resource_origin(work)]))
            };
            if let Some(kind) = hint.or_else(table) {
                kinds.push(AggregatedKind {
                    group: group.clone(),
                    version: version.clone(),
                    kind,
                    resource: (resource.clone(), vec![mention.resource_origin(work)]),
                });
            }
        }
    }
    kinds
}

/// Returns the requirements for an API that the bundle does not define, one for each version in `olm.yaml`, if a grant
/// that is not optional names the API. Reports an error if the kind of the API is unknown.
fn requirements(
    work: &mut Work<'_>,
    listed: &Listed<'_>,
    group: &str,
    resource: &str,
    mentions: &[Mention<'_>],
) -> Vec<Requirement> {
    let name = format!("{resource}.{group}");
    let firm = mentions.iter().find(|mention| !mention.grant.optional);
    let Some(firm) = firm.filter(|_| !listed.contains(group, resource, &name)) else {
        return Vec::new();
    };
    let hinted = hinted(work, group, resource);
    if hinted.is_empty() {
        unresolved(work, group, resource, mentions);
        return Vec::new();
    }
    if is_platform_group(group) {
        let message =
            format!("{resource} of {group} are required from another bundle, but only the platform provides them");
        report(work, &rules::RBAC_OPENSHIFT_REQUIRED, message, mentions, None);
    }
    let (of_resource, of_group) = (firm.resource_origin(work), firm.group_origin(work));
    let aggregated = hint(work, group, resource)
        .and_then(|(_, hint)| hint.get("apiService"))
        .is_some_and(|flag| *flag == Value::Bool(true));
    let requirement = |hint: Hinted| {
        let mut fields = BTreeMap::from([("version", hint.version), ("kind", hint.kind)]);
        if aggregated {
            fields.insert("name", (resource.to_owned(), vec![of_resource.clone()]));
            fields.insert("group", (group.to_owned(), vec![of_group.clone()]));
        } else {
            fields.insert("name", (name.clone(), vec![of_resource.clone(), of_group.clone()]));
        }
        Requirement { aggregated, fields }
    };
    hinted.into_iter().map(requirement).collect()
}

/// The APIs that `olm.yaml` itself lists as required or owned.
struct Listed<'a> {
    /// The names of required CustomResourceDefinitions.
    definitions: BTreeSet<&'a str>,
    /// The groups and resources of APIServices.
    services: BTreeSet<(&'a str, &'a str)>,
}

impl<'a> Listed<'a> {
    fn of(work: &Work<'a>) -> Self {
        let definitions = work.olm.list(&["customresourcedefinitions", "required"]).iter();
        let services = ["required", "owned"];
        let services = services
            .iter()
            .flat_map(|list| work.olm.list(&["apiservicedefinitions", list]));
        let text = |entry: &'a Value, key: &str| entry.get(key).and_then(Value::as_str);
        Self {
            definitions: definitions.filter_map(|entry| text(entry, "name")).collect(),
            services: services
                .filter_map(|entry| Some((text(entry, "group")?, text(entry, "name")?)))
                .collect(),
        }
    }

    fn contains(&self, group: &str, resource: &str, name: &str) -> bool {
        self.definitions.contains(name) || self.services.contains(&(group, resource))
    }
}

fn unresolved(work: &mut Work<'_>, group: &str, resource: &str, mentions: &[Mention<'_>]) {
    // A version in the name of a group is a mistake that another check reports.
    if group.contains('/') {
        return;
    }
    let message = format!("the kind and version of the resource {resource} of group {group} are unknown");
    let (kind, version) = known::find(group, resource).unwrap_or(UNKNOWN);
    let is_native = is_platform_group(group);
    let paste = if is_native {
        format!(
            "apis:\n- {{group: {group}, resource: {resource}, kind: {kind}, version: {version}, dependency: native}}"
        )
    } else {
        format!(
            "apis:\n- {{group: {group}, resource: {resource}, kind: {kind}, version: {version}, dependency: required}}"
        )
    };
    let choice = if is_native {
        "Add an entry to metadata/olm.yaml:"
    } else {
        "Add an entry to metadata/olm.yaml, with dependency: optional if the operator works without the API:"
    };
    let help = format!("{choice}\n{paste}");
    report(work, &rules::RBAC_KIND_UNKNOWN, message, mentions, Some(help));
    remember(work, (group, resource), (kind, version), is_native, mentions);
}

/// Reports a resource whose kind the bundle does not define, although it defines other kinds of the same group.
fn own_group(work: &mut Work<'_>, group: &str, resource: &str, mentions: &[Mention<'_>]) {
    let message = format!(
        "{resource} of group {group} is not required, because the bundle defines other kinds of this group, but not \
         the kind of this resource"
    );
    let help = format!(
        "If another operator provides the resource, add its kind to metadata/olm.yaml, so that OLM installs that \
         operator:\napis:\n- {{group: {group}, resource: {resource}, kind: …, version: …}}\n\
         If only other releases of this operator define the resource, add\n\
         - {{group: {group}, resource: {resource}, dependency: none}}"
    );
    report(work, &rules::RBAC_OWN_GROUP, message, mentions, Some(help));
    remember(work, (group, resource), UNKNOWN, false, mentions);
    if let Some(entry) = work.unresolved.last_mut() {
        entry.of_own_group = true;
    }
}

/// Records a resource whose kind is unknown, so that a caller can look it up in another source.
fn remember(
    work: &mut Work<'_>,
    (group, resource): (&str, &str),
    (kind, version): (&'static str, &'static str),
    of_platform: bool,
    mentions: &[Mention<'_>],
) {
    let place = mentions.first().map(|mention| {
        let role = work.inventory.object(mention.grant.role);
        role.place(&mention.resource_path())
    });
    let entry = hint(work, group, resource).map(|(index, _)| index);
    work.unresolved.push(Unresolved {
        group: group.to_owned(),
        resource: resource.to_owned(),
        kind,
        version,
        of_platform,
        of_own_group: false,
        entry,
        place,
    });
}

fn natives(work: &mut Work<'_>, group: &str, resource: &str, mentions: &[Mention<'_>]) -> Vec<Native> {
    let hinted = hinted(work, group, resource);
    if hinted.is_empty() {
        let message = format!("{resource} of {group} are native, but their kind and version are not specified");
        let help =
            format!("Add kind and version to the entry for {resource} of {group} under apis in metadata/olm.yaml.");
        report(work, &rules::RBAC_KIND_UNKNOWN, message, mentions, Some(help));
        remember(work, (group, resource), UNKNOWN, true, mentions);
    }
    let of_group = mentions.first().map(|mention| mention.group_origin(work));
    let native = |hint: Hinted| Native {
        group: (group.to_owned(), of_group.iter().cloned().collect()),
        version: hint.version,
        kind: hint.kind,
    };
    hinted.into_iter().map(native).collect()
}

/// Adds the native APIs whose URL paths the rules name. Other URLs imply no API.
fn native_urls(work: &mut Work<'_>, granted: &[&Grant], owned: &Owned, natives: &mut Vec<Native>) {
    let mut seen = BTreeSet::new();
    for grant in granted {
        let role = work.inventory.object(grant.role);
        let Some(rule) = grant.path().get(role.value()) else {
            continue;
        };
        // Another rule reports URLs that are not granted.
        if grant.grants_nothing(rule) {
            continue;
        }
        for (index, url) in PolicyRule(rule).non_resource_urls() {
            let path = grant.path().key("nonResourceURLs").index(index);
            if !seen.insert((grant.role, path.to_string())) {
                continue;
            }
            let parts: Vec<&str> = url.split('/').collect();
            let api = match parts[..] {
                ["", "api", version, resource] => Some(("", version, resource)),
                ["", "apis", group, version, resource] => Some((group, version, resource)),
                _ => None,
            };
            let origin = Origin::object(role, &path).derived("the path of an API");
            let resolved = api
                .filter(|(group, _, resource)| !url.contains('*') && !owned.has_resource(group, resource))
                .and_then(|(group, version, resource)| {
                    let table = builtin::find(group, resource).map(|row| row.kind.to_owned());
                    let hint = || hinted(work, group, resource).into_iter().map(|hint| hint.kind.0).next();
                    let kind = table.or_else(hint)?;
                    let part = |text: String| (text, vec![origin.clone()]);
                    Some(Native {
                        group: part(group.to_owned()),
                        version: part(version.to_owned()),
                        kind: part(kind),
                    })
                });
            if let Some(native) = resolved {
                natives.push(native);
                continue;
            }
            let (message, help) = match api.filter(|_| !url.contains('*')) {
                Some((group, _, resource)) if owned.has_resource(group, resource) => {
                    let message = format!("the API at {url} belongs to this bundle, so it is not in nativeAPIs");
                    (message, None)
                }
                Some((group, version, resource)) => {
                    let message = format!("the kind of the API at {url} is unknown, so the API is not in nativeAPIs");
                    let group = if group.is_empty() { "\"\"" } else { group };
                    let help = format!(
                        "To make it a native API, specify the kind in metadata/olm.yaml:\napis:\n- {{group: {group}, \
                         resource: {resource}, kind: …, version: {version}, dependency: native}}"
                    );
                    (message, Some(help))
                }
                None => {
                    let example = "/apis/apps/v1/deployments";
                    let message =
                        format!("{url} is not the path of a resource, such as {example}, so it implies no native API");
                    (message, None)
                }
            };
            let mut finding = Diagnostic::new(&rules::RBAC_NONRESOURCE, message);
            finding.help = help;
            work.report(finding.object(role.label()).at(role.place(&path)));
        }
    }
}
