use super::replaces::{MOST_ENTRIES, with_replaces};
use super::*;
use proptest::prelude::*;

/// Parses a bundle from one line: `name version [replaces=X] [skips=X,Y] [channels=a,b] [default=a] [deprecated]`.
fn bundle(line: &str) -> (String, Node) {
    let mut words = line.split_whitespace();
    let name = words.next().unwrap().to_owned();
    let mut node = Node {
        version: words.next().unwrap().trim_matches('-').to_owned(),
        ..Node::default()
    };
    let list = |value: &str| value.split(',').map(str::to_owned).collect::<Vec<_>>();
    for word in words {
        match word.split_once('=') {
            Some(("replaces", value)) => value.clone_into(&mut node.replaces),
            Some(("skips", value)) => node.skips = list(value),
            Some(("channels", value)) => node.channels = list(value).into_iter().collect(),
            Some(("default", value)) => node.default_channel = Some(value.to_owned()),
            _ if word == "deprecated" => node.deprecated = true,
            _ => panic!("{word}"),
        }
    }
    (name, node)
}

fn bundles(lines: &[&str]) -> BTreeMap<String, Node> {
    lines.iter().map(|line| bundle(line)).collect()
}

fn package(lines: &[&str]) -> Package {
    Package {
        name: "k".to_owned(),
        bundles: bundles(lines),
        edges: BTreeMap::new(),
    }
}

fn graph(before: &[&str], added: &[&str]) -> Result<Graph, Vec<GraphError>> {
    with_replaces(&package(before), &bundles(added))
}

/// Formats each entry as `bundle@depth>target`.
fn drawn(channel: &Channel) -> Vec<String> {
    let entries = channel.entries.iter();
    entries
        .map(|entry| match entry.replaces {
            Some(to) => format!("{}@{}>{to}", entry.bundle, entry.depth),
            None => format!("{}@{}", entry.bundle, entry.depth),
        })
        .collect()
}

fn only_error(result: Result<Graph, Vec<GraphError>>) -> GraphError {
    let mut errors = result.unwrap_err();
    assert_eq!(errors.len(), 1, "{errors:?}");
    errors.remove(0)
}

#[test]
fn skips_are_placed_between_a_bundle_and_what_it_replaces() {
    let graph = graph(
        &["k1.0 1.0.0 channels=stable default=stable"],
        &["k1.2 1.2.0 replaces=k1.0 skips=k1.1,ghost channels=stable"],
    )
    .unwrap();
    assert_eq!(graph.default_channel, "stable");
    assert_eq!(
        drawn(&graph.channels[0]),
        ["k1.2@0>5", "k1.1@1", "k1.2@1>1", "ghost@2", "k1.2@2>3", "k1.0@3"]
    );
    assert_eq!(graph.dropped, []);
}

#[test]
fn the_entries_of_all_channels_of_a_package_are_limited() {
    let head = |channels: usize, skips: usize| {
        let list =
            |letter: &str, count: usize| (0..count).map(|number| format!("{letter}{number}")).collect::<Vec<_>>();
        let head = Node {
            version: "1.0.0".to_owned(),
            skips: list("s", skips),
            channels: list("c", channels).into_iter().collect(),
            default_channel: Some("c0".to_owned()),
            ..Node::default()
        };
        with_replaces(&package(&[]), &BTreeMap::from([("k1".to_owned(), head)]))
    };
    let graph = head(100, 4_999).unwrap();
    let entries: usize = graph.channels.iter().map(|channel| channel.entries.len()).sum();
    assert_eq!(entries, MOST_ENTRIES - 100);
    insta::assert_snapshot!(only_error(head(100, 5_000)), @r#"the channels of package "k" would have more than 1000000 entries, because every channel contains all bundles that its bundles replace or skip; use fewer channels, or remove bundles from skips"#);
    // Building these entries would not end.
    only_error(head(100_000, 100_000));
}

#[test]
fn stranded_bundles_are_reported_with_the_end_of_the_chain() {
    let lines = [
        "k1.0 1.0.0 channels=stable",
        "k1.1 1.1.0 replaces=k1.0 channels=stable",
        "k1.2 1.2.0 replaces=k1.1 channels=stable",
        "k2.0 2.0.0 channels=stable",
        "k2.1 2.1.0 replaces=k2.0 channels=stable",
    ];
    insta::assert_snapshot!(only_error(graph(&[], &lines)), @r#"3 bundles cannot be reached in channel "stable" of package "k": the update chain from the head k2.1 ends at k2.0; make k2.0 replace or skip k1.2 and so on, or do not add k1.2, k1.1, k1.0"#);
    let one = only_error(graph(&[], &[lines[0], lines[3]]));
    assert!(matches!(one, GraphError::Unreachable { .. }), "{one}");
}

#[test]
fn the_chain_includes_bundles_of_other_channels() {
    let graph = graph(
        &[],
        &[
            "k1 1.0.0 channels=alpha",
            "k2 2.0.0 replaces=k1 channels=beta",
            "k3 3.0.0 replaces=k2 channels=alpha,stable default=stable",
        ],
    )
    .unwrap();
    let drawings: Vec<_> = graph
        .channels
        .iter()
        .map(|channel| (channel.name.as_str(), drawn(channel)))
        .collect();
    let long = ["k3@0>1", "k2@1>2", "k1@2"].map(str::to_owned).to_vec();
    assert_eq!(
        drawings,
        [
            ("alpha", long.clone()),
            ("beta", vec!["k2@0>1".to_owned(), "k1@1".to_owned()]),
            ("stable", long)
        ]
    );
}

#[test]
fn a_stored_bundle_outside_the_graph_is_reached_by_an_edge() {
    let graph = graph(&["k1 1.0.0"], &["k2 2.0.0 replaces=k1 channels=a"]).unwrap();
    assert_eq!(drawn(&graph.channels[0]), ["k2@0>1", "k1@1"]);
}

#[test]
fn the_default_channel_comes_from_the_greatest_version_that_declares_one() {
    let before = ["k2 2.0.0 channels=a,b default=a"];
    let default = |added: &str| graph(&before, &[added]).unwrap().default_channel;
    assert_eq!(default("k3 3.0.0 replaces=k2 channels=a,b default=b"), "b");
    assert_eq!(default("k3 3.0.0 replaces=k2 channels=a,b"), "a");
    let lower = graph(
        &["k2 2.0.0 channels=a,b default=a skips=k1"],
        &["k1 1.0.0 channels=a default=b"],
    );
    assert_eq!(lower.unwrap().default_channel, "a");
}

#[test]
fn a_single_channel_is_the_default_unless_another_one_is_declared() {
    assert_eq!(graph(&[], &["k1 1.0.0 channels=a"]).unwrap().default_channel, "a");
    let error = only_error(graph(&[], &["k1 1.0.0 channels=a default=b"]));
    assert!(
        error.to_string().contains(r#"the default channel "b" that bundle k1"#),
        "{error}"
    );
    let error = only_error(graph(&[], &["k1 1.0.0 channels=a,b"]));
    assert!(
        matches!(&error, GraphError::DefaultChannelMissing { channels, .. } if channels.len() == 2),
        "{error}"
    );
    let error = only_error(graph(&[], &["k1 1.0.0"]));
    assert!(matches!(error, GraphError::NoChannel { .. }), "{error}");
}

#[test]
fn a_bundle_without_a_version_is_below_all_others_and_declares_nothing() {
    let graph = graph(
        &[],
        &[
            "k0 - channels=a default=b",
            "k1 1.0.0 replaces=k0 channels=a,b default=a",
        ],
    )
    .unwrap();
    assert_eq!((graph.channels[0].head.as_str(), &*graph.default_channel), ("k1", "a"));
}

#[test]
fn build_metadata_orders_equal_versions() {
    let head = |added: &[&str]| graph(&[], added).map(|graph| graph.channels[0].head.clone());
    let added = [
        "a 1.0.0 channels=c",
        "b 1.0.0+2 replaces=a channels=c",
        "d 1.0.0+10 replaces=b channels=c",
    ];
    assert_eq!(head(&added).unwrap(), "d");
}

#[test]
fn equal_greatest_versions_have_no_head() {
    let error = only_error(graph(&[], &["a 1.0.0 channels=x", "b 1.0.0 channels=y"]));
    assert!(
        matches!(&error, GraphError::AmbiguousMaximum { bundles, .. } if *bundles == ["a", "b"]),
        "{error}"
    );
    let error = only_error(graph(
        &[],
        &[
            "a 1.0.0 channels=x",
            "b 1.0.0 channels=x",
            "c 2.0.0 channels=y default=y",
        ],
    ));
    assert!(
        matches!(&error, GraphError::AmbiguousHead { channel, .. } if channel == "x"),
        "{error}"
    );
}

#[test]
fn versions_are_strict_semantic_versions() {
    for version in ["1.0", "v1.0.0", "01.0.0", "1.0.0-01", "latest"] {
        let error = only_error(graph(&[], &[&format!("a {version} channels=x")]));
        assert!(matches!(error, GraphError::Version { .. }), "{version}: {error}");
    }
}

#[test]
fn a_replaced_bundle_must_exist_and_be_lower() {
    let error = only_error(graph(&[], &["b 2.0.0 replaces=a channels=x"]));
    assert!(
        matches!(&error, GraphError::ReplacesMissing { bundle, replaces, .. } if bundle == "b" && replaces == "a"),
        "{error}"
    );
    let error = only_error(graph(&[], &["b 2.0.0 replaces=b channels=x"]));
    assert!(
        matches!(&error, GraphError::ReplacesItself { bundle, .. } if bundle == "b"),
        "{error}"
    );
    let cycle = ["b 2.0.0 replaces=a channels=x", "a 1.0.0 replaces=b channels=x"];
    let error = only_error(graph(&[], &cycle));
    assert!(
        matches!(&error, GraphError::Cycle { replaces, .. } if replaces == "b"),
        "{error}"
    );
}

#[test]
fn an_added_bundle_must_be_reachable_in_each_of_its_channels() {
    let errors = graph(
        &["b 2.0.0 channels=x,y default=x"],
        &["a 1.0.0 channels=x,y", "c 3.0.0 replaces=b skips=a channels=y"],
    )
    .unwrap_err();
    assert_eq!(errors.len(), 1);
    assert!(
        matches!(&errors[0], GraphError::Unreachable { bundle, channel, head, .. }
            if bundle == "a" && channel == "x" && head == "b"),
        "{}",
        errors[0]
    );
}

#[test]
fn a_bundle_skipped_by_its_head_can_be_added_later() {
    let graph = graph(&["c 3.0.0 skips=b channels=x"], &["b 2.0.0 replaces=a channels=x"]).unwrap();
    assert_eq!(drawn(&graph.channels[0]), ["c@0", "b@1", "c@1>1"]);
}

#[test]
fn removed_bundles_are_reported_with_their_channel() {
    let graph = graph(
        &[
            "a 1.0.0 channels=x,y default=x",
            "b 2.0.0 replaces=a channels=x default=x",
        ],
        &["c 3.0.0 channels=x"],
    )
    .unwrap();
    let dropped: Vec<_> = graph
        .dropped
        .iter()
        .map(|dropped| (dropped.channel.as_str(), dropped.bundle.as_str()))
        .collect();
    assert_eq!(dropped, [("x", "a"), ("x", "b")]);
}

#[test]
fn the_graph_ends_at_a_deprecated_bundle() {
    let before = [
        "a 1.0.0 channels=old default=x deprecated",
        "b 2.0.0 replaces=a skips=z channels=x default=x deprecated",
    ];
    let graph = graph(&before, &["c 3.0.0 replaces=b channels=x"]).unwrap();
    assert_eq!(graph.channels.len(), 1);
    assert_eq!(drawn(&graph.channels[0]), ["c@0>1", "b@1"]);
    assert_eq!(graph.dropped.len(), 1);
    let error = only_error(self::graph(&before, &["c 1.5.0 channels=old,x"]));
    assert!(matches!(error, GraphError::DefaultChannelDeprecated { .. }), "{error}");
    let error = only_error(self::graph(
        &[
            "b 2.0.0 channels=x default=y deprecated",
            "d 3.0.0 channels=y default=y",
        ],
        &["c 1.5.0 channels=x"],
    ));
    assert!(matches!(error, GraphError::ChannelDeprecated { .. }), "{error}");
}

#[test]
fn a_chain_of_ten_thousand_is_walked_without_recursion() {
    let added: BTreeMap<_, _> = (0..10_000)
        .map(|number| {
            let node = Node {
                version: format!("1.{number}.0"),
                replaces: if number == 0 {
                    String::new()
                } else {
                    format!("b{}", number - 1)
                },
                channels: BTreeSet::from(["a".to_owned()]),
                ..Node::default()
            };
            (format!("b{number}"), node)
        })
        .collect();
    let graph = with_replaces(&package(&[]), &added).unwrap();
    assert_eq!(graph.channels[0].entries.len(), 10_000);
}

/// Generates bundles with edges that mostly point downwards, so that many sets are accepted.
fn sets() -> impl Strategy<Value = Vec<(String, Node)>> {
    let node = (
        any::<prop::sample::Index>(),
        prop::collection::vec(any::<prop::sample::Index>(), 0..3),
        prop::collection::btree_set("[abc]", 1..3),
        0..20_u32,
    );
    prop::collection::vec(node, 1..9).prop_map(|drawn| {
        let count = drawn.len();
        let name = |number: usize| format!("b{number}");
        let bundle = |(number, (replaces, skips, channels, chance)): (usize, (prop::sample::Index, Vec<_>, _, u32))| {
            let node = Node {
                version: format!("1.{number}.0"),
                replaces: match chance {
                    0 => name(replaces.index(count)),
                    _ if number == 0 => String::new(),
                    1 => name(replaces.index(number)),
                    _ => name(number - 1),
                },
                skips: skips
                    .into_iter()
                    .map(|skip: prop::sample::Index| match skip.index(number + 1) {
                        // A higher bundle, or a missing bundle.
                        _ if chance == 2 => name(skip.index(count + 1)),
                        own if own == number => name(count),
                        below => name(below),
                    })
                    .collect(),
                channels,
                default_channel: Some("a".to_owned()),
                deprecated: false,
                substitutes: String::new(),
            };
            (name(number), node)
        };
        drawn.into_iter().enumerate().map(bundle).collect()
    })
}

fn is_well_formed(channel: &Channel, bundles: &BTreeMap<String, Node>) -> Result<(), TestCaseError> {
    let entries = &channel.entries;
    prop_assert_eq!((&entries[0].bundle, entries[0].depth), (&channel.head, 0));
    let (mut at, mut real) = (0, vec![0]);
    while let Some(below) = entries[at].replaces {
        prop_assert!(below > at, "an entry replaces one above it");
        prop_assert!(entries[below].depth > entries[at].depth, "the depth does not grow");
        prop_assert_eq!(&bundles[&entries[at].bundle].replaces, &entries[below].bundle);
        at = below;
        real.push(at);
    }
    let names: BTreeSet<_> = real.iter().map(|at| &entries[*at].bundle).collect();
    prop_assert_eq!(names.len(), real.len(), "a bundle appears twice in the chain");
    prop_assert!(names.iter().all(|name| bundles.contains_key(*name)));
    for (at, entry) in entries.iter().enumerate().filter(|(at, _)| !real.contains(at)) {
        if let Some(skipped) = entry.replaces {
            prop_assert_eq!(skipped + 1, at);
            prop_assert!(bundles[&entry.bundle].skips.contains(&entries[skipped].bundle));
            prop_assert_eq!(entries[skipped].depth, entry.depth);
        } else {
            prop_assert_eq!(entries[at + 1].replaces, Some(at));
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn an_accepted_graph_is_well_formed(set in sets()) {
        let bundles: BTreeMap<_, _> = set.into_iter().collect();
        let Ok(graph) = with_replaces(&package(&[]), &bundles) else { return Ok(()) };
        prop_assert!(graph.channels.iter().any(|channel| channel.name == graph.default_channel));
        for channel in &graph.channels {
            is_well_formed(channel, &bundles)?;
        }
        for (name, node) in &bundles {
            for channel in &node.channels {
                let found = graph.channels.iter().find(|found| found.name == *channel).unwrap();
                prop_assert!(found.entries.iter().any(|entry| entry.bundle == *name));
            }
        }
    }

    #[test]
    fn dropped_bundles_are_unreachable(set in sets(), split in any::<prop::sample::Index>()) {
        let split = split.index(set.len());
        let (first, second) = (set[..split].to_vec(), set[split..].to_vec());
        let Ok(before) = with_replaces(&package(&[]), &first.iter().cloned().collect()) else { return Ok(()) };
        let mut stored = package(&[]);
        for (name, node) in first {
            let channels = before.channels.iter().filter(|channel| channel.entries.iter().any(|entry| entry.bundle == name));
            let channels = channels.map(|channel| channel.name.clone()).collect();
            stored.bundles.insert(name, Node { channels, default_channel: Some(before.default_channel.clone()), ..node });
        }
        let Ok(after) = with_replaces(&stored, &second.into_iter().collect()) else { return Ok(()) };
        let entries = |graph: &Graph| -> BTreeSet<(String, String)> {
            let channels = graph.channels.iter();
            channels.flat_map(|channel| channel.entries.iter().map(|entry| (channel.name.clone(), entry.bundle.clone()))).collect()
        };
        let gone = entries(&before).difference(&entries(&after)).cloned().collect::<BTreeSet<_>>();
        let reported: BTreeSet<_> = after.dropped.iter().map(|dropped| (dropped.channel.clone(), dropped.bundle.clone())).collect();
        let stored_gone = gone.into_iter().filter(|(_, bundle)| stored.bundles.contains_key(bundle)).collect();
        prop_assert_eq!(reported, stored_gone);
    }
}

#[test]
fn the_head_of_a_channel_is_not_skipped_from_below() {
    let lower = ["k1 1.0.0 skips=k2"];
    let higher = ["k2 2.0.0 replaces=k1"];
    let skipped = GraphError::HeadSkipped {
        package: "k".to_owned(),
        channel: "a".to_owned(),
        head: "k2".to_owned(),
        bundle: "k1".to_owned(),
    };
    let with_channel = |lines: &[&str]| {
        lines
            .iter()
            .map(|line| format!("{line} channels=a"))
            .collect::<Vec<_>>()
    };
    let (lower, higher) = (with_channel(&lower), with_channel(&higher));
    let (lower, higher): (Vec<&str>, Vec<&str>) = (
        lower.iter().map(String::as_str).collect(),
        higher.iter().map(String::as_str).collect(),
    );
    assert_eq!(only_error(graph(&[], &[&lower[..], &higher].concat())), skipped);
    assert_eq!(only_error(graph(&lower, &higher)), skipped);
    // Below another head, the skipped bundle is an ordinary one, and existing content of an index is never rejected.
    let all = [&lower[..], &higher].concat();
    graph(&all, &["k3 3.0.0 replaces=k2 channels=a"]).unwrap();
    let mut stored = package(&all);
    let edges = [("k1", "k2"), ("k2", "k1")].map(|(from, to)| (from.to_owned(), BTreeSet::from([to.to_owned()])));
    stored.edges.insert("a".to_owned(), edges.into());
    with_replaces(&stored, &bundles(&["k4 4.0.0 channels=b default=a"])).unwrap();
}

#[test]
fn most_generated_sets_are_accepted() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let accepted = (0..400)
        .filter(|_| {
            let set = sets().new_tree(&mut runner).unwrap().current();
            with_replaces(&package(&[]), &set.into_iter().collect()).is_ok()
        })
        .count();
    assert!(accepted > 200, "only {accepted} of 400");
}
