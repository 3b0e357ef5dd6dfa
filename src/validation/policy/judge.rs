//! Compares a bundle with a policy.

use super::facts::{Created, Facts, Source};
use super::grant::{Grant, Origin, Spot};
use super::matching::{CORE, Patterns, is_catalog};
use super::scopes::ScopeJudge;
use super::{Scope, Setting, Terms};
use crate::bundle::{Bundle, Installed};
use crate::diagnostic::Diagnostic;
use crate::kubernetes::rbac::Rule;
use crate::kubernetes::rbac::covering::{Steps, TooComplex, compact};
use crate::manifest::Object;
use crate::rules::{self, Rule as Finding};
use crate::text::Path;
use serde_json::Value;
use std::collections::HashMap;

/// A violation of a policy.
#[derive(Debug, Clone, PartialEq)]
pub struct Broken {
    /// The violated rule.
    pub rule: &'static Finding,
    /// A description of the violation in one sentence.
    pub message: String,
    /// The position of the object among the judged objects: the ClusterServiceVersion first, if there is one.
    pub object: usize,
    /// The path in the object.
    pub path: Path,
}

/// The terms of a policy, prepared for comparisons with many bundles and images.
#[derive(Debug)]
pub struct Judge<'t> {
    policy: &'t str,
    kinds: Option<Patterns<'t>>,
    registries: Option<Patterns<'t>>,
    /// The permissions in the whole cluster, and in a namespace.
    permissions: Option<[ScopeJudge<'t>; 2]>,
}

impl<'t> Judge<'t> {
    /// Prepares terms.
    pub fn of(terms: &'t Terms) -> Self {
        let conditions = &terms.conditions;
        Self {
            policy: &terms.policy,
            kinds: conditions.kinds.as_ref().map(Patterns::of_kinds),
            registries: conditions.registries.as_ref().map(Patterns::of_registries),
            permissions: terms.rules.as_ref().map(|rules| rules.each_ref().map(ScopeJudge::of)),
        }
    }

    /// Compares a bundle like [`judge()`].
    pub fn bundle(&self, csv: Option<&Value>, objects: &[&Value], setting: &Setting<'_>) -> Vec<Broken> {
        broken(self, &Facts::of(csv, objects, setting))
    }

    /// Compares an image like [`judge_image`].
    pub fn image(&self, image: &str) -> Option<Diagnostic> {
        self.refusal(image)
            .map(|message| Diagnostic::new(&rules::POLICY_SOURCE, message))
    }

    fn refusal(&self, image: &str) -> Option<String> {
        let allowed = self.registries.as_ref()?.allow_image(image);
        (!allowed).then(|| format!("{} does not allow the registry of the image {image}", self.policy))
    }
}

/// Compares a ClusterServiceVersion and its accompanying objects with the terms of a policy. `setting` is where the
/// bundle is installed.
pub fn judge(terms: &Terms, csv: Option<&Value>, objects: &[&Value], setting: &Setting<'_>) -> Vec<Broken> {
    Judge::of(terms).bundle(csv, objects, setting)
}

fn broken(judge: &Judge<'_>, facts: &Facts) -> Vec<Broken> {
    let policy = judge.policy;
    let mut broken = Vec::new();
    let mut add = |rule, message, spot: &Spot| {
        broken.push(Broken {
            rule,
            message,
            object: spot.object,
            path: spot.path.clone(),
        });
    };
    if let Some(kinds) = &judge.kinds {
        let mut known: HashMap<(&str, &str), bool> = HashMap::new();
        for Created {
            group,
            kind,
            from,
            spot,
        } in &facts.kinds
        {
            let is_allowed = known.entry((group, kind));
            if *is_allowed.or_insert_with(|| kinds.allow_kind(group, kind)) {
                continue;
            }
            let group = if group.is_empty() { CORE } else { group };
            let made = match from {
                Source::Object => "",
                Source::OtherGroup => ", which OLM creates from this object, because it ignores the group",
                Source::Field => ", which OLM creates from this field",
                Source::Copy => {
                    ", into which OLM copies this object because of its labels, because the operator is for all \
                     namespaces"
                }
            };
            let message = format!("{policy} does not allow objects of the kind {group}/{kind}{made}");
            add(&rules::POLICY_KIND, message, spot);
        }
    }
    if let Some([in_cluster, in_namespace]) = &judge.permissions {
        let steps = Steps::default();
        let mut before: Option<(&Spot, Vec<Rule>)> = None;
        for grant in &facts.grants {
            let of_scope = match grant.scope {
                Scope::Cluster => in_cluster,
                Scope::Namespace => in_namespace,
            };
            let refused = match refused(of_scope, grant, &steps) {
                Ok(refused) => refused,
                Err(error) => {
                    add(&rules::POLICY_PERMISSION, error.to_string(), &grant.spot);
                    continue;
                }
            };
            // A rule that OLM extends to the whole cluster is one violation, even if it is not allowed in a namespace
            // either.
            let is_repeated = before
                .as_ref()
                .is_some_and(|(spot, known)| **spot == grant.spot && *known == refused);
            if !refused.is_empty() && !is_repeated {
                let message = format!("{policy} does not allow {}", in_words(grant, &refused));
                add(&rules::POLICY_PERMISSION, message, &grant.spot);
            }
            before = Some((&grant.spot, refused));
        }
    }
    for (image, spot) in &facts.images {
        if let Some(message) = judge.refusal(image) {
            add(&rules::POLICY_SOURCE, message, spot);
        }
    }
    broken
}

/// Returns the parts of a grant that are not allowed.
fn refused(permissions: &ScopeJudge<'_>, grant: &Grant, steps: &Steps) -> Result<Vec<Rule>, TooComplex> {
    let mut refused = Vec::new();
    for rule in &grant.rules {
        refused.extend(permissions.refused(rule, steps)?);
    }
    Ok(compact(&refused))
}

/// Describes the parts of a grant that are not allowed.
fn in_words(grant: &Grant, refused: &[Rule]) -> String {
    let refused: Vec<String> = refused.iter().map(ToString::to_string).collect();
    let refused = refused.join(", ");
    let place = match grant.scope {
        Scope::Cluster => "in the whole cluster",
        Scope::Namespace => "in a namespace",
    };
    match &grant.origin {
        Origin::Written => format!("{refused} {place}"),
        Origin::Extended => {
            format!("{refused} {place}, to which OLM extends this rule, because the operator is for all namespaces")
        }
        Origin::Unbound => {
            format!("{refused} {place}, where this role could be bound, because the bundle contains no binding to it")
        }
        Origin::Serving => format!("{refused} {place}, which OLM grants to the accounts that serve these"),
        Origin::Bound(role) => format!("{refused} {place}, which {role} contains"),
        Origin::Unknown(grant) => grant.clone(),
    }
}

/// Reports an image, such as that of a bundle, that a policy does not allow.
pub fn judge_image(terms: &Terms, image: &str) -> Option<Diagnostic> {
    Judge::of(terms).image(image)
}

/// Reports a catalog that a policy does not allow. `names` contains the name of the CatalogSource and that of the
/// image. The catalog is allowed if at least one name is allowed and no name is denied.
pub fn judge_catalog(terms: &Terms, names: &[&str]) -> Option<Diagnostic> {
    let catalogs = terms.conditions.catalogs.as_ref()?;
    let is_meant = |pattern: &str| names.iter().any(|name| is_catalog(pattern, name));
    let message = || format!("{} does not allow the catalog {}", terms.policy, names.join(", "));
    (!names.is_empty() && !catalogs.allows(is_meant)).then(|| Diagnostic::new(&rules::POLICY_SOURCE, message()))
}

/// Compares a bundle with the terms of a policy, and reports violations with their places.
pub fn check(bundle: &Bundle, terms: &Terms, findings: &mut Vec<Diagnostic>) {
    let Installed { csv, others } = bundle.installed();
    let objects: Vec<&Object> = csv.into_iter().chain(others).collect();
    let values: Vec<&Value> = objects
        .iter()
        .skip(csv.iter().len())
        .map(|object| object.value())
        .collect();
    for broken in judge(terms, csv.map(Object::value), &values, &Setting::default()) {
        let Some(object) = objects.get(broken.object) else {
            continue;
        };
        let finding = Diagnostic::new(broken.rule, broken.message);
        let finding = finding
            .object(object.label())
            .path(&broken.path)
            .at(object.place(&broken.path));
        findings.push(finding);
    }
}
