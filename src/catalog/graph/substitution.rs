//! Substitutions: bundles that substitute for other bundles (annotation `olm.substitutesFor`), usually rebuilds of the
//! same version.
//!
//! A bundle and all its substitutes form a group. If a bundle outside the group replaced a bundle in the group, it now
//! replaces the highest bundle in the group: the one with the highest version, including build metadata. The highest
//! bundle skips the rest of the group, so that clusters upgrade to it from any other bundle in the group. The result
//! depends only on the set of bundles, not on the order in which they are added to an index.

use super::{GraphError, Node, Package};
use crate::version::parse_strict;
use semver::Version;
use std::collections::{BTreeMap, BTreeSet};

/// Returns the existing and added bundles whose edges change because of substitutions.
///
/// # Errors
/// Returns an error if an added bundle substitutes for a missing bundle or indirectly for itself, or if two bundles
/// with the same version substitute for the same bundle.
pub(super) fn rewritten(
    package: &Package,
    added: &BTreeMap<String, Node>,
) -> Result<BTreeMap<String, Node>, Vec<GraphError>> {
    let bundles: BTreeMap<&str, &Node> = package
        .bundles
        .iter()
        .chain(added)
        .map(|(name, node)| (name.as_str(), node))
        .collect();
    let mut families: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut errors = Vec::new();
    for (name, node) in bundles.iter().filter(|(_, node)| !node.substitutes.is_empty()) {
        match original(name, &bundles) {
            Some(original) => {
                families.entry(original).or_default().insert(name);
            }
            // The bundle for which a stored bundle substitutes may have been removed since.
            None if !added.contains_key(*name) => {}
            None => errors.push(GraphError::SubstitutesMissing {
                package: package.name.clone(),
                bundle: (*name).to_owned(),
                substitutes: node.substitutes.clone(),
            }),
        }
    }
    let mut changed = BTreeMap::new();
    for (original, family) in families {
        match chain(package, original, &family, &bundles) {
            Ok(chain) => rewrite(original, &chain, &bundles, &mut changed),
            Err(error) => errors.push(*error),
        }
    }
    changed.retain(|name, node| bundles.get(name.as_str()) != Some(&&*node));
    if errors.is_empty() { Ok(changed) } else { Err(errors) }
}

/// Follows the substitutions from a bundle to the original bundle. Returns `None` if a substituted bundle is missing or
/// the substitutions form a cycle.
fn original<'a>(name: &'a str, bundles: &BTreeMap<&'a str, &'a Node>) -> Option<&'a str> {
    let mut seen = BTreeSet::from([name]);
    let mut current = name;
    loop {
        let (known, node) = bundles.get_key_value(current)?;
        if node.substitutes.is_empty() {
            return Some(known);
        }
        current = &node.substitutes;
        if !seen.insert(current) {
            return None;
        }
    }
}

/// Returns the substitutes for a bundle, lowest version first.
fn chain<'a>(
    package: &Package,
    original: &str,
    family: &BTreeSet<&'a str>,
    bundles: &BTreeMap<&str, &Node>,
) -> Result<Vec<&'a str>, Box<GraphError>> {
    let mut versions: BTreeMap<Version, &str> = BTreeMap::new();
    for name in family {
        let text = bundles.get(name).map_or("", |node| node.version.as_str());
        let version = parse_strict(text).map_err(|reason| GraphError::Version {
            package: package.name.clone(),
            bundle: (*name).to_owned(),
            version: text.to_owned(),
            reason,
        })?;
        if let Some(other) = versions.insert(version, name) {
            return Err(Box::new(GraphError::SubstitutesAmbiguous {
                package: package.name.clone(),
                substitutes: original.to_owned(),
                bundles: vec![other.to_owned(), (*name).to_owned()],
                version: text.to_owned(),
            }));
        }
    }
    Ok(versions.into_values().collect())
}

/// Makes each bundle in the chain substitute for the next lower bundle and skip all lower bundles. Bundles that
/// replaced a bundle in the chain now replace the highest one.
fn rewrite(original: &str, chain: &[&str], bundles: &BTreeMap<&str, &Node>, changed: &mut BTreeMap<String, Node>) {
    let Some(highest) = chain.last() else { return };
    let mut below = vec![original];
    for name in chain {
        let Some(node) = bundles.get(name) else { continue };
        let mut node = changed.remove(*name).unwrap_or_else(|| (*node).clone());
        node.substitutes = below.last().copied().unwrap_or(original).to_owned();
        for skipped in &below {
            if !node.skips.iter().any(|skip| skip == skipped) {
                node.skips.push((*skipped).to_owned());
            }
        }
        changed.insert((*name).to_owned(), node);
        below.push(name);
    }
    let family: BTreeSet<&str> = below.into_iter().collect();
    for (name, node) in bundles {
        if !family.contains(name) && family.contains(node.replaces.as_str()) {
            let mut node = changed.remove(*name).unwrap_or_else(|| (*node).clone());
            (*highest).clone_into(&mut node.replaces);
            changed.insert((*name).to_owned(), node);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Mode, update};
    use super::*;

    fn node(version: &str, replaces: &str, substitutes: &str) -> Node {
        Node {
            version: version.to_owned(),
            replaces: replaces.to_owned(),
            substitutes: substitutes.to_owned(),
            channels: BTreeSet::from(["stable".to_owned()]),
            ..Node::default()
        }
    }

    fn nodes(list: &[(&str, &str, &str, &str)]) -> BTreeMap<String, Node> {
        let nodes = list
            .iter()
            .map(|(name, version, replaces, substitutes)| ((*name).to_owned(), node(version, replaces, substitutes)));
        nodes.collect()
    }

    const ALL: [(&str, &str, &str, &str); 5] = [
        ("a.v1", "1.0.0", "", ""),
        ("a.v2", "2.0.0", "a.v1", ""),
        ("a.v2-r1", "2.0.0+1", "a.v1", "a.v2"),
        ("a.v2-r2", "2.0.0+2", "a.v1", "a.v2"),
        ("a.v3", "3.0.0", "a.v2", ""),
    ];

    /// Returns bundles with their resulting edges.
    fn edges(package: &Package, added: &BTreeMap<String, Node>) -> Vec<String> {
        let changed = rewritten(package, added).unwrap();
        let all = package.bundles.iter().chain(added).map(|(name, node)| {
            let node = changed.get(name).unwrap_or(node);
            format!(
                "{name} > {} | {} ~ {}",
                node.replaces,
                node.skips.join(","),
                node.substitutes
            )
        });
        let mut all: Vec<String> = all.collect();
        all.sort();
        all
    }

    #[test]
    fn the_highest_version_replaces_everything_it_substitutes() {
        let edges = edges(&Package::default(), &nodes(&ALL));
        let expected = [
            "a.v1 >  |  ~ ",
            "a.v2 > a.v1 |  ~ ",
            "a.v2-r1 > a.v1 | a.v2 ~ a.v2",
            "a.v2-r2 > a.v1 | a.v2,a.v2-r1 ~ a.v2-r1",
            "a.v3 > a.v2-r2 |  ~ ",
        ];
        assert_eq!(edges, expected);
    }

    #[test]
    fn the_order_of_substitutions_does_not_matter() {
        let whole = edges(&Package::default(), &nodes(&ALL));
        for order in [[0, 1, 2, 3, 4], [0, 1, 4, 2, 3], [0, 1, 3, 4, 2], [0, 1, 4, 3, 2]] {
            let mut package = Package::default();
            for index in order {
                let added = nodes(&ALL[index..=index]);
                let changed = rewritten(&package, &added).unwrap();
                package.bundles.extend(added);
                package.bundles.extend(changed);
            }
            assert_eq!(edges(&package, &BTreeMap::new()), whole, "{order:?}");
        }
    }

    #[test]
    fn the_graph_bypasses_substituted_bundles() {
        let graph = update(&Package::default(), &nodes(&ALL), Mode::Replaces).unwrap();
        let names: Vec<_> = graph.channels[0]
            .entries
            .iter()
            .map(|entry| entry.bundle.as_str())
            .collect();
        let expected = ["a.v3", "a.v2-r2", "a.v2", "a.v2-r2", "a.v2-r1", "a.v2-r2", "a.v1"];
        assert_eq!(names, expected);
    }

    #[test]
    fn a_substitute_for_nothing_or_itself_is_rejected() {
        for substitutes in ["a.v9", "b"] {
            let added = nodes(&[("b", "1.0.0", "", substitutes)]);
            let errors = rewritten(&Package::default(), &added).unwrap_err();
            assert!(
                matches!(errors[..], [GraphError::SubstitutesMissing { .. }]),
                "{errors:?}"
            );
        }
        let added = nodes(&[("a", "1.0.0", "", ""), ("b", "1.0.1", "", "a"), ("c", "1.0.1", "", "a")]);
        let errors = rewritten(&Package::default(), &added).unwrap_err();
        assert!(
            matches!(errors[..], [GraphError::SubstitutesAmbiguous { .. }]),
            "{errors:?}"
        );
    }
}
