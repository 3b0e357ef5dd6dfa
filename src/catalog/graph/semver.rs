//! The modes `semver` and `semver-skippatch`, in which the version alone determines the position of a new bundle.
//!
//! The bundles of a channel form a line from the highest to the lowest version. A new bundle is inserted between its
//! neighbors: it replaces the next lower bundle. The next higher bundle replaces the new bundle, and drops all edges
//! that it had before. In the mode `semver-skippatch`, the new bundle also skips all lower versions with the same major
//! and minor number.
//!
//! opm adds the bundles of one call in random order, and in the mode `semver-skippatch`, the result depends on that
//! order. opmx adds bundles in ascending order of version. The fields `replaces` and `skips` of the bundles are
//! ignored.

use super::{Channel, Graph, GraphEntry, GraphError, Node, Package, dropped};
use crate::version::parse_strict;
use semver::Version;
use std::collections::{BTreeMap, BTreeSet};

/// The bundles of a channel during an addition.
#[derive(Default)]
struct Line {
    /// The bundle with the highest version; `None` in a new channel.
    head: Option<String>,
    /// The bundles to which the edges of each bundle lead. A skipped bundle that exists is part of the line, but has no
    /// edges.
    edges: BTreeMap<String, BTreeSet<String>>,
    /// The channel that was last built from the line.
    channel: Option<Channel>,
    /// Whether building the channel again would change nothing.
    is_settled: bool,
}

/// Returns the graph of `package` after adding the bundles `added`.
pub(super) fn with_versions(
    package: &Package,
    added: &BTreeMap<String, Node>,
    skip_patches: bool,
) -> Result<Graph, Vec<GraphError>> {
    let build = Build {
        package,
        added,
        versions: versions(package, added)?,
    };
    let mut lines = build.lines()?;
    if added.is_empty() {
        build.rebuild(&mut lines)?;
    }
    for name in build.ascending() {
        // Rebuild the lines after each bundle, as if each bundle were added by a separate call, because the result must
        // not depend on the grouping of bundles into calls.
        build.insert(&mut lines, name, skip_patches)?;
        build.rebuild(&mut lines)?;
    }
    let default_channel = build.default_channel(&lines)?;
    let channels: Vec<Channel> = lines.into_values().filter_map(|line| line.channel).collect();
    Ok(Graph {
        package: package.name.clone(),
        default_channel,
        dropped: dropped(package, &channels),
        rewritten: BTreeMap::new(),
        channels,
    })
}

/// Collects all values, or all errors.
fn all<T>(results: impl Iterator<Item = Result<T, Vec<GraphError>>>) -> Result<Vec<T>, Vec<GraphError>> {
    let (mut values, mut errors) = (Vec::new(), Vec::new());
    for result in results {
        match result {
            Ok(value) => values.push(value),
            Err(found) => errors.extend(found),
        }
    }
    if errors.is_empty() { Ok(values) } else { Err(errors) }
}

/// Parses the versions of all stored bundles in channels, and of all added bundles. In these modes, every bundle must
/// have a version.
fn versions<'a>(
    package: &'a Package,
    added: &'a BTreeMap<String, Node>,
) -> Result<BTreeMap<&'a str, Version>, Vec<GraphError>> {
    let mut versions = BTreeMap::new();
    let mut errors = Vec::new();
    let members = package.bundles.iter().filter(|(_, node)| !node.channels.is_empty());
    for (name, node) in members.chain(added) {
        match parse_strict(&node.version) {
            Ok(mut version) => {
                // Build metadata is ignored when versions are compared.
                version.build = semver::BuildMetadata::EMPTY;
                versions.insert(name.as_str(), version);
            }
            Err(reason) => errors.push(GraphError::Version {
                package: package.name.clone(),
                bundle: name.clone(),
                version: node.version.clone(),
                reason,
            }),
        }
    }
    if errors.is_empty() { Ok(versions) } else { Err(errors) }
}

struct Build<'a> {
    package: &'a Package,
    added: &'a BTreeMap<String, Node>,
    versions: BTreeMap<&'a str, Version>,
}

impl<'a> Build<'a> {
    /// Returns the lines of the stored channels.
    fn lines(&self) -> Result<BTreeMap<String, Line>, Vec<GraphError>> {
        let mut lines: BTreeMap<String, Line> = BTreeMap::new();
        for (name, node) in &self.package.bundles {
            for channel in &node.channels {
                let edges = self.package.edges.get(channel).and_then(|edges| edges.get(name));
                let line = lines.entry(channel.clone()).or_default();
                line.edges.insert(name.clone(), edges.cloned().unwrap_or_default());
            }
        }
        let lines = lines.into_iter().map(|(channel, mut line)| {
            let targets: BTreeSet<&String> = line.edges.values().flatten().collect();
            let heads: Vec<&String> = line.edges.keys().filter(|name| !targets.contains(name)).collect();
            let [head] = heads.as_slice() else {
                return Err(vec![GraphError::SeveralHeads {
                    package: self.package.name.clone(),
                    heads: heads.into_iter().cloned().collect(),
                    channel,
                }]);
            };
            line.head = Some((*head).clone());
            Ok((channel, line))
        });
        Ok(all(lines)?.into_iter().collect())
    }

    fn ascending(&self) -> Vec<&'a str> {
        let mut names: Vec<&str> = self.added.keys().map(String::as_str).collect();
        names.sort_by_key(|name| (self.versions.get(name), *name));
        names
    }

    fn version(&self, name: &str) -> Option<&Version> {
        self.versions.get(name)
    }

    /// Adds a bundle to the line of each of its channels.
    fn insert(
        &self,
        lines: &mut BTreeMap<String, Line>,
        name: &str,
        skip_patches: bool,
    ) -> Result<(), Vec<GraphError>> {
        if let (Some(node), Some(version)) = (self.added.get(name), self.version(name)) {
            let inserted = node.channels.iter().map(|channel| {
                let line = lines.entry(channel.clone()).or_default();
                self.insert_into(line, channel, (name, version), skip_patches)
            });
            all(inserted)?;
        }
        Ok(())
    }

    /// Builds the channels from their lines, and replaces the lines with those of the channels.
    fn rebuild(&self, lines: &mut BTreeMap<String, Line>) -> Result<(), Vec<GraphError>> {
        let unsettled = lines.iter().filter(|(_, line)| !line.is_settled);
        for channel in all(unsettled.map(|(channel, line)| self.walk(channel, line)))? {
            if let Some(line) = lines.get_mut(&channel.name) {
                let rebuilt = self.line_of(channel);
                let is_settled = rebuilt.head == line.head && rebuilt.edges == line.edges;
                *line = Line { is_settled, ..rebuilt };
            }
        }
        Ok(())
    }

    fn insert_into(
        &self,
        line: &mut Line,
        channel: &str,
        (name, version): (&str, &Version),
        skip_patches: bool,
    ) -> Result<(), Vec<GraphError>> {
        let others = || {
            line.edges
                .keys()
                .filter_map(|other| Some((self.version(other)?, other)))
        };
        if let Some((_, present)) = others().find(|(other, _)| *other == version) {
            return Err(vec![GraphError::VersionPresent {
                package: self.package.name.clone(),
                channel: channel.to_owned(),
                bundle: name.to_owned(),
                version: version.to_string(),
                present: present.clone(),
            }]);
        }
        let above = others().filter(|(other, _)| *other > version).min();
        let below = others().filter(|(other, _)| *other < version).max();
        let above = above.map(|(_, name)| name.clone());
        let mut edges: BTreeSet<String> = below.map(|(_, name)| name.clone()).into_iter().collect();
        if skip_patches {
            let patches = others()
                .filter(|(other, _)| (other.major, other.minor) == (version.major, version.minor) && *other < version);
            let patches: BTreeSet<String> = patches.map(|(_, name)| name.clone()).collect();
            line.edges.retain(|other, _| !patches.contains(other));
            edges.extend(patches);
        }
        match above {
            Some(above) => {
                line.edges.insert(above, BTreeSet::from([name.to_owned()]));
            }
            None => line.head = Some(name.to_owned()),
        }
        line.edges.insert(name.to_owned(), edges);
        line.is_settled = false;
        Ok(())
    }

    /// Converts the entries of a channel back to a line.
    fn line_of(&self, channel: Channel) -> Line {
        let mut line = Line {
            head: Some(channel.head.clone()),
            ..Line::default()
        };
        for entry in &channel.entries {
            if self.version(&entry.bundle).is_none() {
                continue;
            }
            let edges = line.edges.entry(entry.bundle.clone()).or_default();
            let target = entry.replaces.and_then(|target| channel.entries.get(target));
            edges.extend(target.map(|target| target.bundle.clone()));
        }
        line.channel = Some(channel);
        line
    }

    /// Returns the default channel declared by the highest added version that declares one. If there is none, returns
    /// the stored default channel or, if that is not one of the channels, the first channel.
    fn default_channel(&self, lines: &BTreeMap<String, Line>) -> Result<String, Vec<GraphError>> {
        let declares = |name: &&'a str| {
            let declared = self.added.get(*name)?.default_channel.as_ref();
            declared
                .filter(|channel| !channel.is_empty())
                .map(|channel| (*name, channel))
        };
        let declared = self.ascending().iter().rev().find_map(declares);
        match declared {
            Some((_, channel)) if lines.contains_key(channel) => return Ok(channel.clone()),
            Some((bundle, channel)) => {
                return Err(vec![GraphError::DefaultChannelUnknown {
                    package: self.package.name.clone(),
                    bundle: bundle.to_owned(),
                    default_channel: channel.clone(),
                    channels: lines.keys().cloned().collect(),
                }]);
            }
            None => {}
        }
        let stored = self
            .package
            .bundles
            .values()
            .find_map(|node| node.default_channel.as_ref());
        let stored = stored.filter(|channel| lines.contains_key(*channel));
        match stored.or_else(|| lines.keys().next()) {
            Some(channel) => Ok(channel.clone()),
            None => Err(vec![GraphError::NoChannel {
                package: self.package.name.clone(),
            }]),
        }
    }

    /// Returns the entries of a channel, from its head. The chain follows the edge of each bundle to the highest
    /// version in the line; all other edges are skips.
    fn walk(&self, channel: &str, line: &Line) -> Result<Channel, Vec<GraphError>> {
        let head = line.head.as_deref().unwrap_or_default();
        let mut entries = vec![GraphEntry::new(head, 0)];
        let mut reached = BTreeSet::from([head]);
        let mut chain = reached.clone();
        let (mut current, mut at, mut depth) = (head, 0, 0);
        while let Some(edges) = line.edges.get(current) {
            let mut edges: Vec<&str> = edges.iter().map(String::as_str).collect();
            edges.sort_by_key(|name| std::cmp::Reverse((self.version(name), *name)));
            let next = edges.iter().copied().find(|name| line.edges.contains_key(*name));
            for (skip, below) in edges.iter().filter(|name| Some(**name) != next).zip(depth + 1..) {
                entries.push(GraphEntry::new(skip, below));
                entries.push(GraphEntry {
                    replaces: Some(entries.len() - 1),
                    ..GraphEntry::new(current, below)
                });
                reached.insert(skip);
            }
            let Some(next) = next.filter(|next| chain.insert(next)) else {
                break;
            };
            reached.insert(next);
            // Unlike in the mode `replaces`, a skipped bundle does not increase the depth of the replaced bundle.
            depth += 1;
            let below = entries.len();
            entries.push(GraphEntry::new(next, depth));
            if let Some(entry) = entries.get_mut(at) {
                entry.replaces = Some(below);
            }
            (current, at) = (next, below);
        }
        let lost: Vec<String> = line
            .edges
            .keys()
            .filter(|name| !reached.contains(name.as_str()))
            .cloned()
            .collect();
        if lost.is_empty() {
            return Ok(Channel {
                name: channel.to_owned(),
                head: head.to_owned(),
                entries,
            });
        }
        Err(vec![GraphError::Disconnected {
            package: self.package.name.clone(),
            channel: channel.to_owned(),
            head: head.to_owned(),
            lost,
            last_skips: self.patches(current, line).map(|patches| (current.to_owned(), patches)),
        }])
    }

    /// Returns the lower patch versions that an added bundle skips, if there are any. They have no edges in the line.
    fn patches(&self, name: &str, line: &Line) -> Option<Vec<String>> {
        let is_patch = |edge: &&String| self.version(edge).is_some() && !line.edges.contains_key(*edge);
        let patches: Vec<String> = line.edges.get(name)?.iter().rev().filter(is_patch).cloned().collect();
        (!patches.is_empty()).then_some(patches)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Mode, update};
    use super::*;
    use proptest::prelude::*;

    fn node(version: &str, channels: &[&str]) -> Node {
        Node {
            version: version.to_owned(),
            channels: channels.iter().map(|channel| (*channel).to_owned()).collect(),
            ..Node::default()
        }
    }

    fn bundles(versions: &[&str]) -> BTreeMap<String, Node> {
        let bundles = versions
            .iter()
            .map(|version| (format!("k.v{version}"), node(version, &["a"])));
        bundles.collect()
    }

    /// Converts a graph to the package that a database would store.
    fn stored(graph: &Graph, all: &BTreeMap<String, Node>) -> Package {
        let mut package = Package {
            name: graph.package.clone(),
            ..Package::default()
        };
        for channel in &graph.channels {
            for entry in &channel.entries {
                let node = all.get(&entry.bundle).cloned();
                if let Some(node) = node {
                    let known = package.bundles.entry(entry.bundle.clone()).or_insert(Node {
                        channels: BTreeSet::new(),
                        default_channel: Some(graph.default_channel.clone()),
                        ..node
                    });
                    known.channels.insert(channel.name.clone());
                }
                if let Some(to) = entry.replaces {
                    let edges = package.edges.entry(channel.name.clone()).or_default();
                    let edges = edges.entry(entry.bundle.clone()).or_default();
                    edges.insert(channel.entries[to].bundle.clone());
                }
            }
        }
        package
    }

    /// Formats each entry of the only channel as `bundle@depth>bundle`.
    fn drawn(graph: &Graph) -> Vec<String> {
        let [channel] = graph.channels.as_slice() else {
            panic!("{:?}", graph.channels)
        };
        let entries = channel.entries.iter().map(|entry| {
            let to = entry.replaces.map(|to| format!(">{}", channel.entries[to].bundle));
            format!("{}@{}{}", entry.bundle, entry.depth, to.unwrap_or_default())
        });
        entries.collect()
    }

    fn one_by_one(versions: &[&str], mode: Mode) -> Result<Graph, Vec<GraphError>> {
        let all = bundles(versions);
        let mut package = Package {
            name: "k".to_owned(),
            ..Package::default()
        };
        let mut last = None;
        for version in versions {
            let graph = update(&package, &bundles(&[version]), mode)?;
            package = stored(&graph, &all);
            last = Some(graph);
        }
        Ok(last.unwrap())
    }

    #[test]
    fn versions_are_ordered_regardless_of_insertion_order() {
        let line = ["k.v1.1.0@0>k.v1.0.1", "k.v1.0.1@1>k.v1.0.0", "k.v1.0.0@2"];
        let graph = one_by_one(&["1.0.0", "1.1.0", "1.0.1"], Mode::Semver).unwrap();
        assert_eq!(drawn(&graph), line);
        assert_eq!(
            (graph.default_channel.as_str(), graph.channels[0].head.as_str()),
            ("a", "k.v1.1.0")
        );
    }

    #[test]
    fn lower_patches_are_skipped_from_the_greatest_down() {
        let graph = one_by_one(&["1.0.0", "1.0.1", "1.0.2"], Mode::SemverSkipPatch).unwrap();
        let pairs = [
            "k.v1.0.2@0",
            "k.v1.0.1@1",
            "k.v1.0.2@1>k.v1.0.1",
            "k.v1.0.0@2",
            "k.v1.0.2@2>k.v1.0.0",
        ];
        assert_eq!(drawn(&graph), pairs);
    }

    #[test]
    fn a_patch_that_would_cut_off_the_older_minor_is_rejected() {
        let error = one_by_one(&["1.0.0", "1.1.0", "1.1.1"], Mode::SemverSkipPatch).unwrap_err();
        insta::assert_snapshot!(error[0], @r#"channel "a" of package "k" (head k.v1.1.1) would lose the update path from k.v1.0.0: k.v1.1.1 would skip k.v1.1.0, and the edges of skipped bundles to lower versions do not count; use semver or replaces mode for this package"#);
    }

    #[test]
    fn a_bundle_that_would_take_the_edges_of_the_next_higher_one_is_rejected() {
        let mut package = Package {
            name: "k".to_owned(),
            bundles: bundles(&["1.0.0", "1.1.0", "1.3.0"]),
            ..Package::default()
        };
        // 1.3.0 skips both, and neither leads to the other.
        let skipped = BTreeSet::from(["k.v1.0.0".to_owned(), "k.v1.1.0".to_owned()]);
        let edges = BTreeMap::from([("k.v1.3.0".to_owned(), skipped)]);
        package.edges.insert("a".to_owned(), edges);
        let error = update(&package, &bundles(&["1.2.0"]), Mode::Semver).unwrap_err();
        insta::assert_snapshot!(error[0], @r#"channel "a" of package "k" (head k.v1.3.0) would lose the update path from k.v1.0.0: the next higher bundle would replace the new bundle instead of the bundles that the higher bundle replaces or skips now; use replaces mode for this package"#);
    }

    #[test]
    fn existing_skips_and_replaces_are_kept() {
        let skipped = |to: &[&str]| to.iter().map(|to| (*to).to_owned()).collect();
        let mut package = Package {
            name: "k".to_owned(),
            bundles: bundles(&["1.0.0", "1.1.0", "1.2.0"]),
            ..Package::default()
        };
        let edges = [
            ("k.v1.2.0".to_owned(), skipped(&["k.v1.0.0", "k.v1.1.0"])),
            ("k.v1.1.0".to_owned(), skipped(&["k.v1.0.0"])),
        ];
        package.edges.insert("a".to_owned(), edges.into());
        let graph = update(&package, &bundles(&["1.3.0"]), Mode::Semver).unwrap();
        let line = [
            "k.v1.3.0@0>k.v1.2.0",
            "k.v1.2.0@1>k.v1.1.0",
            "k.v1.0.0@2",
            "k.v1.2.0@2>k.v1.0.0",
            "k.v1.1.0@2>k.v1.0.0",
            "k.v1.0.0@3",
        ];
        assert_eq!(drawn(&graph), line);
    }

    #[test]
    fn invalid_and_equal_versions_are_rejected() {
        let refused = |versions: &[&str]| update(&Package::default(), &bundles(versions), Mode::Semver).unwrap_err();
        assert!(matches!(refused(&["1.0"])[..], [GraphError::Version { .. }]));
        assert!(matches!(refused(&[""])[..], [GraphError::Version { .. }]));
        assert!(matches!(
            refused(&["1.0.0+a", "1.0.0+b"])[..],
            [GraphError::VersionPresent { .. }]
        ));
    }

    #[test]
    fn the_default_channel_comes_from_the_greatest_version_that_declares_one() {
        let mut added = BTreeMap::from([
            ("k.v1".to_owned(), node("1.0.0", &["a", "b"])),
            ("k.v2".to_owned(), node("2.0.0", &["b"])),
        ]);
        let default = |added: &_| update(&Package::default(), added, Mode::Semver).map(|graph| graph.default_channel);
        assert_eq!(default(&added).unwrap(), "a");
        added.get_mut("k.v1").unwrap().default_channel = Some("b".to_owned());
        assert_eq!(default(&added).unwrap(), "b");
        added.get_mut("k.v2").unwrap().default_channel = Some("c".to_owned());
        let error = default(&added).unwrap_err();
        assert!(matches!(error[..], [GraphError::DefaultChannelUnknown { .. }]));
    }

    proptest! {
        #[test]
        fn one_call_and_several_in_any_order_build_the_same_line(
            versions in prop::collection::btree_set((0..4_u8, 0..4_u8, 0..4_u8), 1..8)
                .prop_map(|versions| versions.into_iter().collect::<Vec<_>>())
                .prop_shuffle()
        ) {
            let versions: Vec<String> =
                versions.iter().map(|(major, minor, patch)| format!("{major}.{minor}.{patch}")).collect();
            let versions: Vec<&str> = versions.iter().map(String::as_str).collect();
            let at_once = update(&Package { name: "k".to_owned(), ..Package::default() }, &bundles(&versions), Mode::Semver);
            prop_assert_eq!(one_by_one(&versions, Mode::Semver).unwrap(), at_once.unwrap());
        }

        #[test]
        fn every_accepted_bundle_is_in_its_channel(
            versions in prop::collection::btree_set((0..2_u8, 0..3_u8, 0..3_u8), 1..8)
        ) {
            let versions: Vec<String> =
                versions.iter().map(|(major, minor, patch)| format!("{major}.{minor}.{patch}")).collect();
            let versions: Vec<&str> = versions.iter().map(String::as_str).collect();
            if let Ok(graph) = update(&Package::default(), &bundles(&versions), Mode::SemverSkipPatch) {
                let names: BTreeSet<&str> =
                    graph.channels[0].entries.iter().map(|entry| entry.bundle.as_str()).collect();
                prop_assert_eq!(names.len(), versions.len());
            }
        }
    }
}
