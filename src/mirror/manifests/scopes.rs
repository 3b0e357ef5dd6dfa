//! The rules that map image names to their mirrors.

use super::super::naming::main_tag;
use super::super::plan::{ImageRole, Plan};
use crate::image::Reference;
use std::collections::{BTreeMap, BTreeSet};

/// The part of a registry to which a rule applies.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Scope {
    /// A single repository.
    #[default]
    Repository,
    /// All repositories in the same namespace.
    Namespace,
    /// All repositories in the registry.
    Registry,
}

/// Rules that map sources to mirrors. Of the rules that match an image, the most specific rule applies. The part of the
/// image name that follows the source is appended to the mirror.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rules {
    /// The rules for images that are pulled by digest.
    pub by_digest: BTreeMap<String, BTreeSet<String>>,
    /// The rules for images that are pulled by tag.
    pub by_tag: BTreeMap<String, BTreeSet<String>>,
    /// Remarks about images to which the rules apply although the plan leaves them out.
    pub remarks: Vec<String>,
}

/// Returns the rules for the images in a plan, except for catalogs, because the CatalogSources and ClusterCatalogs
/// refer to the target directly.
pub fn rules(plan: &Plan, scope: Scope) -> Rules {
    let mut pairs: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut named: [BTreeSet<String>; 2] = Default::default();
    let mut other_tags = BTreeSet::new();
    let mut sources_of: BTreeMap<&String, BTreeSet<String>> = BTreeMap::new();
    for image in &plan.images {
        let Some(destination) = &image.destination else {
            continue;
        };
        if image.uses.iter().all(|used| used.role == ImageRole::Catalog) {
            continue;
        }
        for origin in &image.origins {
            let Ok(Reference::Registry(reference)) = origin.parse() else {
                continue;
            };
            let source = reference.full_repository();
            // An image that is referenced by both tag and digest is pulled by digest, but some clients drop the digest.
            let by_tag =
                reference.digest().is_none() || reference.tag().is_some_and(|tag| origin.contains(&format!(":{tag}@")));
            let keeps_tag = reference.tag().is_some_and(|tag| image.tags.contains(tag));
            if reference.digest().is_none() && !keeps_tag {
                other_tags.insert(format!(
                    "no rule leads from {origin} to the mirror, because its tag at the target differs; refer to it as \
                     {destination}:{}",
                    main_tag(&image.tags, &image.digest).map_or("latest", String::as_str)
                ));
                continue;
            }
            pairs.entry(source.clone()).or_default().insert(destination.clone());
            if by_tag && keeps_tag {
                named[1].insert(source.clone());
                sources_of.entry(destination).or_default().insert(source.clone());
            }
            if reference.digest().is_some() {
                named[0].insert(source);
            }
        }
    }
    let shared = sources_of.into_iter().filter(|(_, sources)| sources.len() > 1);
    let shared = shared.map(|(destination, sources)| {
        let sources: Vec<String> = sources.into_iter().collect();
        format!(
            "{} have the same repository {destination} at the target, so a tag that only one of them has is also found \
             for the others",
            sources.join(" and ")
        )
    });
    let shared: Vec<String> = shared.collect();
    let widened = widened(&pairs, scope);
    let chosen = |named: &BTreeSet<String>| {
        let mut rules: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for source in named {
            let (source, mirrors) = &widened[source];
            rules.entry(source.clone()).or_default().extend(mirrors.iter().cloned());
        }
        rules
    };
    let [by_digest, by_tag] = &named;
    let mut rules = Rules {
        by_digest: chosen(by_digest),
        by_tag: chosen(by_tag),
        remarks: Vec::new(),
    };
    rules.remarks = other_tags
        .into_iter()
        .chain(shared)
        .chain(caught(plan, &rules))
        .collect();
    rules
}

type Rule = (String, BTreeSet<String>);

/// Returns the rule for each repository. The rule has the requested scope if one rule is correct for all repositories
/// in that scope, and otherwise covers only the repository.
fn widened(pairs: &BTreeMap<String, BTreeSet<String>>, scope: Scope) -> BTreeMap<String, Rule> {
    let mut wide: BTreeMap<&String, Rule> = BTreeMap::new();
    let mut of_source: BTreeMap<String, BTreeSet<BTreeSet<String>>> = BTreeMap::new();
    for (source, mirrors) in pairs {
        if let Some(rule) = wider(source, mirrors, scope) {
            of_source.entry(rule.0.clone()).or_default().insert(rule.1.clone());
            wide.insert(source, rule);
        }
    }
    let agreed = |rule: &&Rule| of_source.get(&rule.0).is_some_and(|all| all.len() == 1);
    let rule = |(source, mirrors): (&String, &BTreeSet<String>)| {
        let rule = wide.get(source).filter(agreed).cloned();
        (
            source.clone(),
            rule.unwrap_or_else(|| (source.clone(), mirrors.clone())),
        )
    };
    pairs.iter().map(rule).collect()
}

/// Returns a rule with the given scope and the same effect on the repository `source`. Returns `None` if there is no
/// such rule, for example because the source and a mirror have paths with different endings.
fn wider(source: &str, mirrors: &BTreeSet<String>, scope: Scope) -> Option<Rule> {
    let (_, path) = source.split_once('/')?;
    let parts: Vec<&str> = path.split('/').collect();
    let cut = match scope {
        Scope::Repository => return None,
        Scope::Namespace => 1,
        Scope::Registry => parts.len(),
    };
    let end = format!("/{}", parts.get(parts.len().checked_sub(cut)?..)?.join("/"));
    let mirrors = mirrors
        .iter()
        .map(|mirror| mirror.strip_suffix(&end).map(str::to_owned));
    Some((source.strip_suffix(&end)?.to_owned(), mirrors.collect::<Option<_>>()?))
}

/// Returns remarks about images that the plan leaves out, but that a rule redirects to the mirror.
fn caught(plan: &Plan, rules: &Rules) -> Vec<String> {
    let mirrored: BTreeSet<String> = plan.images.iter().flat_map(|image| &image.origins).cloned().collect();
    let mut remarks = BTreeSet::new();
    for left in &plan.left_out {
        let Ok(Reference::Registry(reference)) = left.image.parse() else {
            continue;
        };
        let repository = reference.full_repository();
        let sources = rules.by_digest.keys().chain(rules.by_tag.keys());
        let matching = sources.filter(|source| is_within(&repository, source));
        if !mirrored.contains(&left.image)
            && let Some(source) = matching.max_by_key(|source| source.len())
        {
            remarks.insert(format!(
                "the rule for {source} also applies to {}, which the plan leaves out",
                left.image
            ));
        }
    }
    remarks.into_iter().collect()
}

/// Whether a source covers a repository.
pub(super) fn is_within(repository: &str, source: &str) -> bool {
    let rest = repository.strip_prefix(source);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
