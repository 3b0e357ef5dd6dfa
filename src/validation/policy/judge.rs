//! A bundle held against a policy.

use super::facts::{Facts, Spot};
use super::matching::{CORE, is_catalog, is_kind, is_registry};
use super::{Scope, Terms};
use crate::bundle::{Bundle, is_csv};
use crate::diagnostic::Diagnostic;
use crate::kubernetes::rbac::covering::compact;
use crate::manifest::Object;
use crate::rules::{self, Rule as Finding};
use crate::text::Path;
use serde_json::Value;

/// Something that a policy does not allow.
#[derive(Debug, Clone, PartialEq)]
pub struct Broken {
    /// The rule that it breaks.
    pub rule: &'static Finding,
    /// What is not allowed, in one sentence.
    pub message: String,
    /// The place of the object among those that were judged: the ClusterServiceVersion first, where there is one.
    pub object: usize,
    /// Where in the object.
    pub path: Path,
}

/// Holds a ClusterServiceVersion and the objects beside it against what a policy says.
pub fn judge(terms: &Terms, csv: Option<&Value>, objects: &[&Value]) -> Vec<Broken> {
    let facts = Facts::of(csv, objects);
    let policy = &terms.policy;
    let mut broken = Vec::new();
    let mut add = |rule, message, spot: &Spot| {
        broken.push(Broken {
            rule,
            message,
            object: spot.object,
            path: spot.path.clone(),
        });
    };
    if let Some(kinds) = &terms.conditions.kinds {
        for (group, kind, is_made, spot) in &facts.kinds {
            if kinds.allows(|pattern| is_kind(pattern, group, kind)) {
                continue;
            }
            let group = if group.is_empty() { CORE } else { group };
            let made = if *is_made { ", which OLM makes of this" } else { "" };
            let message = format!("{policy} does not allow objects of the kind {group}/{kind}{made}");
            add(&rules::POLICY_KIND, message, spot);
        }
    }
    if let Some(permissions) = &terms.conditions.permissions {
        for (scope, rule, spot) in &facts.grants {
            let place = match scope {
                Scope::Cluster => "in the whole cluster",
                Scope::Namespace => "in a namespace",
            };
            let refused = match permissions.refused(*scope, rule) {
                Ok(refused) => refused,
                Err(error) => {
                    add(&rules::POLICY_PERMISSION, error.to_string(), spot);
                    continue;
                }
            };
            if !refused.is_empty() {
                let refused: Vec<String> = compact(&refused).iter().map(ToString::to_string).collect();
                let message = format!("{policy} does not allow {} {place}", refused.join(", "));
                add(&rules::POLICY_PERMISSION, message, spot);
            }
        }
    }
    for (image, spot) in &facts.images {
        if let Some(message) = refusal(terms, image) {
            add(&rules::POLICY_SOURCE, message, spot);
        }
    }
    broken
}

fn refusal(terms: &Terms, image: &str) -> Option<String> {
    let registries = terms.conditions.registries.as_ref()?;
    let allowed = registries.allows(|pattern| is_registry(pattern, image));
    (!allowed).then(|| format!("{} does not allow the registry of the image {image}", terms.policy))
}

/// What a policy says against an image, such as that of a bundle.
pub fn judge_image(terms: &Terms, image: &str) -> Option<Diagnostic> {
    refusal(terms, image).map(|message| Diagnostic::new(&rules::POLICY_SOURCE, message))
}

/// What a policy says against a catalog, which has these names: that of its CatalogSource, that of its image. It is
/// allowed where one of them is, and none is refused.
pub fn judge_catalog(terms: &Terms, names: &[&str]) -> Option<Diagnostic> {
    let catalogs = terms.conditions.catalogs.as_ref()?;
    let is_meant = |pattern: &str| names.iter().any(|name| is_catalog(pattern, name));
    let message = || format!("{} does not allow the catalog {}", terms.policy, names.join(", "));
    (!names.is_empty() && !catalogs.allows(is_meant)).then(|| Diagnostic::new(&rules::POLICY_SOURCE, message()))
}

/// Holds a bundle against what a policy says, with the places of what it does not allow.
pub fn check(bundle: &Bundle, terms: &Terms, findings: &mut Vec<Diagnostic>) {
    let csv = bundle.csv();
    let others = bundle.objects.iter().filter(|object| !is_csv(object));
    let objects: Vec<&Object> = csv.into_iter().chain(others).collect();
    let values: Vec<&Value> = objects
        .iter()
        .skip(csv.iter().len())
        .map(|object| object.value())
        .collect();
    for broken in judge(terms, csv.map(Object::value), &values) {
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
