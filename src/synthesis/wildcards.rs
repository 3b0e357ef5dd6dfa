//! The operator's rules that contain wildcards (`*`). In the groups of the bundle's own CustomResourceDefinitions, a
//! wildcard can be replaced with names. In other groups, only the author can list the resources.

use super::grants::{self, Grant};
use super::{Shipping, Work, crds};
use crate::bundle::roles::{self, Replaced};
use crate::bundle::{BundleLimits, EditError};
use crate::diagnostic::Diagnostic;
use crate::kubernetes::builtin;
use crate::kubernetes::rbac::{ALL, PolicyRule};
use crate::kubernetes::served::ServedResources;
use crate::manifest::Object;
use crate::rules::{self, Severity};
use crate::source::Place;
use crate::text::Path;
use crate::tree::Tree;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The verbs of requests for resources. For a few built-in kinds, RBAC has additional verbs.
const VERBS: [&str; 8] = [
    "create",
    "delete",
    "deletecollection",
    "get",
    "list",
    "patch",
    "update",
    "watch",
];

/// The beginning of a wildcard for a subresource of all resources.
const ANY: &str = "*/";

/// The subresource that only some kinds have, and the built-in resources that have it.
const SCALE: (&str, [(&str, &str); 4]) = (
    "scale",
    [
        ("", "replicationcontrollers"),
        ("apps", "deployments"),
        ("apps", "replicasets"),
        ("apps", "statefulsets"),
    ],
);

/// A subresource of every kind. Controllers may need to update it in order to own other objects.
const FINALIZERS: &str = "finalizers";

/// A rule with wildcards that is granted to an account of the operator's Deployments.
#[derive(Debug, Clone)]
pub struct WildcardRule {
    /// The Role or ClusterRole of the rule.
    pub role: Object,
    /// Index of the rule in `rules`.
    pub index: usize,
    /// The expansion: equivalent rules with names for the bundle's own kinds, followed by the rest of the rule. `None`
    /// if the rule does not cover these kinds.
    pub expanded: Option<Vec<Value>>,
    /// The groups in which the rule allows all resources; `*` stands for all groups. The author must list the resources
    /// instead.
    pub open: Vec<String>,
    /// Whether the rule has wildcards for resources or groups, and not only for verbs.
    pub of_types: bool,
    /// The wildcards for resources: `*`, and those for a subresource of all resources, such as `*/scale`.
    pub resources: Vec<String>,
}

impl WildcardRule {
    fn path(&self) -> Path {
        Path::root().key("rules").index(self.index)
    }

    /// Returns the place of the rule.
    pub fn place(&self) -> Place {
        self.role.place(&self.path())
    }

    /// Returns the label of the rule for messages.
    pub fn label(&self) -> String {
        format!("rules[{}] of {}", self.index, self.role.label())
    }

    /// Returns whether the rule has no wildcard for whole resources, but one or more for subresources.
    pub fn is_of_subresources(&self) -> bool {
        !self.resources.is_empty() && self.resources.iter().all(|wildcard| wildcard != ALL)
    }

    /// Describes the resources that the wildcards of the rule stand for, such as `all resources`.
    pub fn covered(&self) -> String {
        if !self.is_of_subresources() {
            return "all resources".to_owned();
        }
        let names: Vec<&str> = self
            .resources
            .iter()
            .filter_map(|name| name.strip_prefix(ANY))
            .collect();
        match &names[..] {
            [name] => format!("the subresource {name} of all resources"),
            names => format!("the subresources {} of all resources", names.join(", ")),
        }
    }

    /// Returns the known names that the wildcards of the rule stand for in a group, each with its kind. The names come
    /// from Kubernetes and from the sources.
    pub fn known_in(&self, group: &str, sources: &ServedResources) -> Vec<(String, String)> {
        let known = resources_of(group, sources);
        if !self.is_of_subresources() {
            return known;
        }
        let names = self.resources.iter().filter_map(|name| name.strip_prefix(ANY));
        let of = |name: &str| {
            let (scale, having) = SCALE;
            let has = |resource: &str| {
                name != scale || !builtin::is_builtin_group(group) || having.contains(&(group, resource))
            };
            let having = known.iter().filter(|(resource, _)| has(resource));
            having
                .map(|(resource, kind)| (format!("{resource}/{name}"), kind.clone()))
                .collect::<Vec<_>>()
        };
        names.flat_map(of).collect()
    }

    /// Returns the groups of the bundle's own kinds that the rule covers.
    pub fn own_groups(&self) -> BTreeSet<&str> {
        let rules = self.expanded.iter().flatten();
        let groups = rules.flat_map(|rule| PolicyRule(rule).api_groups());
        let groups = groups.map(|(_, group)| group);
        groups
            .filter(|group| !self.open.iter().any(|open| open == group))
            .collect()
    }
}

/// The subresources of the resources that the bundle's CRDs define, by group and plural name.
type OwnResources = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;

/// Finds the rules with wildcards. Reports wildcard types as errors, or as warnings if the bundle is shipped with its
/// CSV.
pub(super) fn judge(work: &mut Work<'_>, granted: &[&Grant]) {
    let own = own_resources(work);
    let mut seen = BTreeSet::new();
    for grant in granted {
        let role = work.inventory.object(grant.role);
        let Some(rule) = grant.path().get(role.value()) else {
            continue;
        };
        if !seen.insert((grant.role, grant.rule)) {
            continue;
        }
        let of_types = grants::wildcard_in(PolicyRule(rule));
        let (expanded, open) = expand(rule, &own);
        if of_types.is_none() && expanded.is_none() {
            continue;
        }
        let found = WildcardRule {
            role: role.clone(),
            index: grant.rule,
            expanded,
            open,
            of_types: of_types.is_some(),
            resources: wildcards(PolicyRule(rule)),
        };
        if let Some((list, index)) = of_types {
            let finding = refusal(work, grant, &found, &grant.path().key(list).index(index));
            work.report(finding);
        }
        work.found_wildcards.push(found);
    }
}

fn refusal(work: &Work<'_>, grant: &Grant, found: &WildcardRule, path: &Path) -> Diagnostic {
    let (role, binding) = (&found.role, work.inventory.object(grant.binding));
    let wildcard = path.get(role.value()).and_then(Value::as_str).unwrap_or(ALL);
    let message = format!(
        "{} grants the operator's account {} access to {wildcard:?}",
        found.label(),
        grant.account
    );
    let moved = if grant.shipped {
        ", which OLM moves into the install namespace"
    } else {
        ""
    };
    let bound = format!("bound here by {}{moved}", binding.label());
    let mut finding = Diagnostic::new(&rules::RBAC_WILDCARD, message)
        .object(role.label())
        .path(path)
        .at(role.place(path))
        .also(binding.place(&Path::root().key("roleRef").key("name")), bound);
    if work.shipping == Shipping::RegistryV1 {
        finding.severity = Severity::Warning;
        return finding.help("The rule is kept, so OLM grants all of its permissions to the operator.");
    }
    let Some(expanded) = &found.expanded else {
        let known = known_resources(found);
        return if known.is_empty() {
            finding
        } else {
            finding.help(format!("{}\n{}", rules::RBAC_WILDCARD.help, known.join("\n")))
        };
    };
    let groups: Vec<&str> = found.own_groups().into_iter().collect();
    let written: Vec<String> = expanded.iter().map(in_usual_order).map(|rule| in_flow(&rule)).collect();
    let mut help = vec![format!(
        "{EXPANSION}, which name the bundle's own kinds of {}:\n{}",
        groups.join(", "),
        written.join("\n")
    )];
    if !found.open.is_empty() {
        help.push("For the other groups, list the resources that the operator uses.".to_owned());
        help.extend(known_resources(found));
    }
    finding.help(help.join("\n"))
}

/// The beginning of advice that contains the expansion of a rule.
const EXPANSION: &str = "Replace the rule with these rules";

/// Returns whether the rule that a finding reports can be expanded.
pub(crate) fn is_expandable(finding: &Diagnostic) -> bool {
    finding.advice().starts_with(EXPANSION)
}

/// Returns the wildcards for resources in a rule.
fn wildcards(rule: PolicyRule<'_>) -> Vec<String> {
    let named = rule.resources().map(|(_, resource)| resource);
    let wildcards = named.filter(|resource| *resource == ALL || resource.starts_with(ANY));
    wildcards.map(str::to_owned).collect()
}

/// Describes the groups whose resources are known.
fn known_resources(found: &WildcardRule) -> Vec<String> {
    let known = found.open.iter().filter_map(|group| {
        let known = found.known_in(group, &ServedResources::default());
        let names: Vec<&str> = known.iter().map(|(resource, _)| resource.as_str()).collect();
        (!names.is_empty()).then(|| format!("Group {group:?} contains {}.", names.join(", ")))
    });
    known.collect()
}

/// Writes a string as an item of a list in brackets, in quotes if needed.
fn in_list(text: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-./_".contains(letter);
    if text.starts_with(|first: char| first.is_ascii_alphabetic()) && text.chars().all(is_plain) {
        text.to_owned()
    } else {
        json!(text).to_string()
    }
}

/// Writes a rule as an entry of a list, with each field on one line.
fn in_flow(rule: &Value) -> String {
    let lines = rule.as_object().into_iter().flatten().map(|(key, value)| {
        let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
        let items: Vec<String> = items
            .iter()
            .map(|item| in_list(item.as_str().unwrap_or_default()))
            .collect();
        format!("{key}: [{}]", items.join(", "))
    });
    format!("- {}", lines.collect::<Vec<_>>().join("\n  "))
}

/// Returns a rule with its fields in their conventional order.
fn in_usual_order(rule: &Value) -> Value {
    let usual = ["apiGroups", "resources", "resourceNames", "nonResourceURLs", "verbs"];
    let fields = rule.as_object().into_iter().flatten();
    let mut fields: Vec<(&String, &Value)> = fields.collect();
    fields.sort_by_key(|(name, _)| {
        (
            usual.iter().position(|field| field == name).unwrap_or(usual.len()),
            *name,
        )
    });
    let fields = fields.into_iter().map(|(name, value)| (name.clone(), value.clone()));
    Value::Object(fields.collect())
}

/// Returns the known resources of a group with their kinds: built-in resources, and the resources in the sources.
fn resources_of(group: &str, sources: &ServedResources) -> Vec<(String, String)> {
    let own = builtin::all().iter().filter(|row| row.group == group);
    let own = own.map(|row| (row.resource.to_owned(), row.kind.to_owned()));
    let all: BTreeMap<String, String> = sources.of_group(group).chain(own).collect();
    all.into_iter().collect()
}

fn own_resources(work: &Work<'_>) -> OwnResources {
    let mut own = OwnResources::new();
    for index in crds::of(work) {
        let crd = work.inventory.object(index);
        let (Some(group), Some(plural)) = (crd.text(&["spec", "group"]), crd.text(&["spec", "names", "plural"])) else {
            continue;
        };
        let of_group = own.entry(group.to_owned()).or_default();
        let subresources = of_group.entry(plural.to_owned()).or_default();
        subresources.insert(FINALIZERS.to_owned());
        let versions = crd.list(&["spec", "versions"]).iter();
        let declared = versions.chain(crd.get(&["spec"])).filter_map(|version| {
            let declared = version.get("subresources").and_then(Value::as_object)?;
            Some(declared.keys().cloned())
        });
        subresources.extend(declared.flatten());
    }
    own
}

/// Returns the expansion of a rule, and the groups whose resources the author must list.
fn expand(rule: &Value, own: &OwnResources) -> (Option<Vec<Value>>, Vec<String>) {
    let view = PolicyRule(rule);
    let resources: Vec<&str> = view.resources().map(|(_, resource)| resource).collect();
    let groups: BTreeSet<&str> = view.api_groups().map(|(_, group)| group).collect();
    if groups.contains(ALL) {
        return (None, vec![ALL.to_owned()]);
    }
    let (owned, others): (Vec<&str>, Vec<&str>) = groups.iter().partition(|group| own.contains_key(**group));
    if grants::wildcard_in(view).is_none() {
        let is_own = |resource: &&str| owned.iter().any(|group| names(&own[*group]).contains(*resource));
        let all_own = !resources.is_empty() && others.is_empty() && resources.iter().all(is_own);
        let any_verb = view.list("verbs").any(|(_, verb)| verb == ALL);
        let expanded = (all_own && any_verb).then(|| vec![with_verbs(rule.clone())]);
        return (expanded, Vec::new());
    }
    let open = others.iter().map(|group| (*group).to_owned()).collect();
    if owned.is_empty() {
        return (None, open);
    }
    let mut expanded = Vec::new();
    for group in owned {
        let own = &own[group];
        let meant = meant(&resources, own);
        let all_own = meant.is_subset(&names(own));
        let mut rule = rule.clone();
        rule["apiGroups"] = json!([group]);
        rule["resources"] = json!(meant);
        if !meant.is_empty() {
            expanded.push(if all_own { with_verbs(rule) } else { rule });
        }
    }
    if !others.is_empty() {
        let mut rest = rule.clone();
        rest["apiGroups"] = json!(others);
        expanded.push(rest);
    }
    (Some(expanded), open)
}

/// Returns all resources and subresources of a group.
fn names(own: &BTreeMap<String, BTreeSet<String>>) -> BTreeSet<String> {
    let of = |(plural, subresources): (&String, &BTreeSet<String>)| {
        let below: Vec<String> = subresources.iter().map(|name| format!("{plural}/{name}")).collect();
        std::iter::once(plural.clone()).chain(below)
    };
    own.iter().flat_map(of).collect()
}

/// Returns the names that the resources of a rule stand for in a group: `*` stands for all names, and `*/status` for
/// the subresource `status` of every resource.
fn meant(resources: &[&str], own: &BTreeMap<String, BTreeSet<String>>) -> BTreeSet<String> {
    let mut meant = BTreeSet::new();
    for resource in resources {
        if *resource == ALL {
            meant.extend(names(own));
        } else if let Some(subresource) = resource.strip_prefix(ANY) {
            let having = own
                .iter()
                .filter(|(_, subresources)| subresources.contains(subresource));
            meant.extend(having.map(|(plural, _)| format!("{plural}/{subresource}")));
        } else {
            meant.insert((*resource).to_owned());
        }
    }
    meant
}

/// Replaces the verb `*` of a rule with the verbs of requests.
fn with_verbs(mut rule: Value) -> Value {
    let verbs: BTreeSet<String> = PolicyRule(&rule)
        .list("verbs")
        .map(|(_, verb)| verb.to_owned())
        .collect();
    if verbs.contains(ALL) {
        let named = verbs.into_iter().filter(|verb| verb != ALL);
        let all: BTreeSet<String> = named.chain(VERBS.map(str::to_owned)).collect();
        rule["verbs"] = json!(all);
    }
    rule
}

/// Writes the expansions of rules into the files of a bundle, and returns the expanded rules. Comments and layout
/// around the rules are preserved.
///
/// # Errors
/// Returns an error if the format of a file cannot be edited, or if a file exceeds a limit.
pub fn expand_in(
    tree: &mut Tree,
    rules: Vec<WildcardRule>,
    limits: &BundleLimits,
) -> Result<Vec<WildcardRule>, EditError> {
    let mut written = rules;
    written.retain(|rule| rule.expanded.is_some());
    let replaced = written.iter().filter_map(|rule| {
        Some(Replaced {
            role: &rule.role,
            rule: rule.index,
            by: rule.expanded.as_deref()?,
        })
    });
    roles::replace_rules(tree, &replaced.collect::<Vec<_>>(), limits)?;
    Ok(written)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own() -> OwnResources {
        let subresources = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let beds = BTreeMap::from([
            ("beds".to_owned(), subresources(&["finalizers", "scale", "status"])),
            ("pots".to_owned(), subresources(&["finalizers"])),
        ]);
        let tools = BTreeMap::from([("tools".to_owned(), subresources(&["finalizers", "status"]))]);
        BTreeMap::from([
            ("beds.example.com".to_owned(), beds),
            ("tools.example.com".to_owned(), tools),
        ])
    }

    fn rule(groups: &[&str], resources: &[&str], verbs: &[&str]) -> Value {
        json!({"apiGroups": groups, "resources": resources, "verbs": verbs})
    }

    const BEDS: &str = "beds.example.com";
    const TOOLS: &str = "tools.example.com";
    const ALL_BEDS: [&str; 6] = [
        "beds",
        "beds/finalizers",
        "beds/scale",
        "beds/status",
        "pots",
        "pots/finalizers",
    ];

    #[test]
    fn all_resources_of_an_own_group_expand_to_its_kinds_and_declared_subresources() {
        let (expanded, open) = expand(&rule(&[BEDS], &["*"], &["*"]), &own());
        assert_eq!((expanded, open), (Some(vec![rule(&[BEDS], &ALL_BEDS, &VERBS)]), vec![]));
        let (expanded, _) = expand(&rule(&[BEDS], &["*/status", "*/finalizers"], &["update"]), &own());
        let named = ["beds/finalizers", "beds/status", "pots/finalizers"];
        assert_eq!(expanded, Some(vec![rule(&[BEDS], &named, &["update"])]));
        // A subresource that no kind of the bundle has grants nothing.
        assert_eq!(
            expand(&rule(&[TOOLS], &["*/scale"], &["get"]), &own()),
            (Some(vec![]), vec![])
        );
    }

    #[test]
    fn each_group_gets_its_own_rule_and_foreign_ones_stay_open() {
        let all = rule(&["apps", TOOLS, BEDS], &["*"], &["get"]);
        let (expanded, open) = expand(&all, &own());
        let tools = ["tools", "tools/finalizers", "tools/status"];
        let expected = [
            rule(&[BEDS], &ALL_BEDS, &["get"]),
            rule(&[TOOLS], &tools, &["get"]),
            rule(&["apps"], &["*"], &["get"]),
        ];
        assert_eq!((expanded, open), (Some(expected.to_vec()), vec!["apps".to_owned()]));
        for (groups, left) in [(["*"], "*"), (["apps"], "apps")] {
            let (expanded, open) = expand(&rule(&groups, &["*"], &["*"]), &own());
            assert_eq!((expanded, open), (None, vec![left.to_owned()]));
        }
    }

    #[test]
    fn all_verbs_are_expanded_only_if_every_resource_is_the_bundles_own() {
        let (expanded, _) = expand(&rule(&[BEDS], &["beds", "beds/status"], &["*", "use"]), &own());
        let mut verbs = VERBS.to_vec();
        verbs.insert(7, "use");
        assert_eq!(expanded, Some(vec![rule(&[BEDS], &["beds", "beds/status"], &verbs)]));
        for other in [
            rule(&[BEDS], &["beds", "sheds"], &["*"]),
            rule(&[BEDS, ""], &["beds", "pods"], &["*"]),
            rule(&[BEDS], &["beds"], &["get"]),
        ] {
            assert_eq!(expand(&other, &own()), (None, vec![]), "{other}");
        }
        let sibling = rule(&[BEDS], &["*/status", "sheds"], &["*"]);
        let kept = rule(&[BEDS], &["beds/status", "sheds"], &["*"]);
        assert_eq!(expand(&sibling, &own()), (Some(vec![kept]), vec![]));
    }
}
