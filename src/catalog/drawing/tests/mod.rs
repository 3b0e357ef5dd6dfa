mod geometry;

use super::*;
use crate::catalog::selection::Selection;
use crate::catalog::{Bundle, BundleId, ChannelEntry, ManifestsId, Property};
use crate::version::parse_strict;
use geometry::measure;
use proptest::prelude::*;

/// The number of boxes in the legend.
const SAMPLES: usize = 3;

/// Returns a catalog of one package with one channel for each list of lines: `name version [replaces=X] [skips=X,Y]
/// [range=…] [deprecated]`, from the head downwards.
fn catalog(channels: &[(&str, &[&str])]) -> Catalog {
    let mut catalog = Catalog::default();
    let mut bundles = std::collections::BTreeMap::new();
    for line in channels.iter().flat_map(|(_, lines)| *lines) {
        let mut words = line.split(' ');
        let (name, version) = (words.next().unwrap(), words.next().unwrap());
        bundles.insert(name, bundle(name, version, line.contains(" deprecated")));
    }
    catalog.bundles = bundles.into_values().collect();
    let channels = channels.iter().map(|(name, lines)| {
        let entries = lines.iter().map(|line| {
            let (line, range) = line
                .split_once(" range=")
                .map_or((*line, None), |(line, range)| (line, Some(range)));
            let mut words = line.split(' ');
            let mut entry = ChannelEntry {
                bundle: catalog.find(words.next().unwrap()).unwrap(),
                replaces: None,
                skips: Vec::new(),
                skip_range: range.map(Text::from),
            };
            for word in words {
                match word.split_once('=') {
                    Some(("replaces", name)) => entry.replaces = Some(Text::from(name)),
                    Some(("skips", names)) => entry.skips = names.split(',').map(Text::from).collect(),
                    _ => {}
                }
            }
            entry
        });
        Channel {
            name: Text::from(*name),
            head: lines.first().map(|line| Text::from(line.split(' ').next().unwrap())),
            entries: entries.collect(),
        }
    });
    catalog.packages = vec![Package {
        name: Text::from("k"),
        default_channel: Some(Text::from("stable")),
        channels: channels.collect(),
    }];
    catalog
}

fn bundle(name: &str, version: &str, deprecated: bool) -> Bundle {
    let property = Property {
        kind: Text::from("olm.deprecated"),
        value: Text::from("{}"),
    };
    Bundle {
        name: Text::from(name),
        version: Some(Text::from(version)),
        image: None,
        properties: if deprecated { vec![property] } else { Vec::new() },
        dependencies: Vec::new(),
        manifests: ManifestsId(0),
    }
}

fn drawn(catalog: &Catalog) -> Drawing {
    drawing(catalog, &Selection::default().of(catalog).unwrap())
}

fn small() -> Catalog {
    catalog(&[
        ("old", &["k.v1.0.0 1.0.0 deprecated"]),
        (
            "stable",
            &[
                "k.v1.2.0 1.2.0 replaces=k.v1.1.0 skips=k.v1.1.0,k.vghost range=<1.2.0",
                "k.v1.1.0 1.1.0 replaces=k.v1.0.0",
                "k.v1.0.0 1.0.0 deprecated",
            ],
        ),
    ])
}

/// Returns a channel in which each bundle replaces the one below, skips a few bundles further down, and has a range
/// that extends to the last bundle.
fn long(bundles: usize) -> Catalog {
    let lines: Vec<String> = (0..bundles)
        .rev()
        .map(|at| {
            let mut line = format!("long-operator-name.v1.{at}.0 1.{at}.0");
            if at > 0 {
                line += &format!(" replaces=long-operator-name.v1.{}.0", at - 1);
            }
            if at > 5 && at % 3 == 0 {
                line += &format!(
                    " skips=long-operator-name.v1.{}.0,long-operator-name.v1.{}.0",
                    at - 2,
                    at - 4
                );
            }
            if at % 2 == 0 {
                line += &format!(" range=>=1.0.0 <1.{at}.0");
            }
            line
        })
        .collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    catalog(&[("stable", &lines)])
}

#[test]
fn a_drawing_contains_the_content_of_the_catalog() {
    let drawing = drawn(&small());
    let stable = &drawing.channels[1];
    let nodes: Vec<String> = stable
        .nodes
        .iter()
        .map(|node| format!("{}: {}", node.name, node.details()))
        .collect();
    assert_eq!(
        nodes,
        [
            "k.v1.2.0: 1.2.0, head, skipRange <1.2.0",
            "k.v1.1.0: 1.1.0",
            "k.v1.0.0: 1.0.0, deprecated",
            "k.vghost: not in the channel",
        ]
    );
    let edges: Vec<String> = stable
        .edges
        .iter()
        .map(|edges| format!("{} {:?} {:?}", edges.newer, edges.kind, edges.older))
        .collect();
    assert_eq!(
        edges,
        [
            "0 Replaces [1..2]",
            "0 Skips [1..2, 3..4]",
            "0 SkipRange [1..3]",
            "1 Replaces [2..3]",
        ]
    );
    assert!(stable.is_default && !drawing.channels[0].is_default);
}

#[test]
fn mermaid_output_is_a_flowchart_with_generated_names_and_quoted_labels() {
    insta::assert_snapshot!(mermaid(&drawn(&small())), @r#"
    flowchart LR
      subgraph p0["k"]
        subgraph c0["old"]
          b0["k.v1.0.0<br/>1.0.0, head, deprecated"]
        end
        subgraph c1["stable, default"]
          b1["k.v1.2.0<br/>1.2.0, head, skipRange #60;1.2.0"]
          b2["k.v1.1.0<br/>1.1.0"]
          b3["k.v1.0.0<br/>1.0.0, deprecated"]
          b4["k.vghost<br/>not in the channel"]
          b2 -->|replaces| b1
          b2 -.->|skips| b1
          b4 -.->|skips| b1
          b2 -.->|skipRange| b1
          b3 -.->|skipRange| b1
          b3 -->|replaces| b2
        end
      end
      classDef head stroke-width:4px
      class b0,b1 head
      classDef deprecated stroke-dasharray:8 4
      class b0,b3 deprecated
      classDef absent stroke-dasharray:2 4
      class b4 absent
      linkStyle 1,2 stroke-dasharray:8 4
      linkStyle 3,4 stroke-dasharray:2 4
    "#);
}

#[test]
fn dot_distinguishes_kinds_by_style_and_label() {
    insta::assert_snapshot!(dot(&drawn(&small())), @r#"
    digraph index {
      rankdir=LR;
      node [shape=box, fontname="monospace"];
      edge [fontname="monospace"];
      subgraph cluster_p0 {
        label="k";
        subgraph cluster_c0 {
          label="old";
          b0 [label="k.v1.0.0\n1.0.0, head, deprecated", peripheries=2, style=dashed];
        }
        subgraph cluster_c1 {
          label="stable, default";
          b1 [label="k.v1.2.0\n1.2.0, head, skipRange <1.2.0", peripheries=2];
          b2 [label="k.v1.1.0\n1.1.0"];
          b3 [label="k.v1.0.0\n1.0.0, deprecated", style=dashed];
          b4 [label="k.vghost\nnot in the channel", style=dotted];
          b2 -> b1 [label="replaces", style=solid];
          b2 -> b1 [label="skips", style=dashed];
          b4 -> b1 [label="skips", style=dashed];
          b2 -> b1 [label="skipRange", style=dotted];
          b3 -> b1 [label="skipRange", style=dotted];
          b3 -> b2 [label="replaces", style=solid];
        }
      }
    }
    "#);
}

#[test]
fn names_are_escaped_in_every_format() {
    let mut catalog = catalog(&[("stable", &["x 1.0.0"])]);
    catalog.packages[0].name = Text::from("end\"]\n%% <b>&'`#1;\\");
    let drawing = drawn(&catalog);
    let mermaid = mermaid(&drawing);
    assert!(
        mermaid.contains("subgraph p0[\"end#34;#93; #37;#37; #60;b#62;#38;#39;#96;#35;1#59;#92;\"]\n"),
        "{mermaid}"
    );
    let dot = dot(&drawing);
    assert!(dot.contains("label=\"end\\\"] %% <b>&'`#1;\\\\\";\n"), "{dot}");
    let svg = svg(&drawing);
    assert!(
        svg.contains("package end&quot;] %% &lt;b&gt;&amp;'`#1;\\</text>"),
        "{svg}"
    );
    measure(&svg);
}

#[test]
fn a_picture_has_a_box_per_bundle_and_a_legend() {
    let svg = svg(&drawn(&small()));
    let measured = measure(&svg);
    assert_eq!((measured.boxes, measured.routes), (SAMPLES + 5, 4));
    for words in [
        "<title id=\"title\">Update graph</title>",
        "<title>k.v1.2.0 skips k.v1.1.0, k.vghost</title>",
        "<title>the skipRange of k.v1.2.0 includes k.v1.1.0 to k.v1.0.0</title>",
        "1.0.0, deprecated</text>",
        "class=\"bundle deprecated\"",
        "class=\"bundle absent\"",
        "channel stable (default)",
    ] {
        assert!(svg.contains(words), "{words} in {svg}");
    }
}

#[test]
#[should_panic(expected = "boxes overlap")]
fn overlapping_boxes_are_detected() {
    measure(&svg(&drawn(&small())).replace("class=\"panel\"", "class=\"bundle\""));
}

#[test]
#[should_panic(expected = "runs through it")]
fn a_line_through_a_box_is_detected() {
    // The line of the legend extends down into the picture.
    let picture = svg(&drawn(&small()));
    measure(&picture.replace("d=\"M16 136L56 136\"", "d=\"M30 136L30 60\""));
}

#[test]
fn two_hundred_bundles_are_readable() {
    let drawing = drawn(&long(200));
    let svg = svg(&drawing);
    let measured = measure(&svg);
    assert_eq!(measured.boxes, SAMPLES + 200);
    assert!(measured.size.0 <= 2000, "{measured:?}: narrow enough for a screen");
    // These are the default limits of programs that draw Mermaid.
    let mermaid = mermaid(&drawing);
    assert!(mermaid.len() < 50_000 && mermaid.matches("-->|").count() + mermaid.matches("-.->|").count() <= 500);
}

#[test]
fn cost_grows_linearly_with_the_bundles() {
    let forms: [fn(&Drawing) -> String; 3] = [svg, mermaid, dot];
    for form in forms {
        let [small, large] = [1000, 2000].map(|bundles| form(&drawn(&long(bundles))).len());
        assert!(large < small * 21 / 10, "{small} bytes, then {large}");
    }
}

#[test]
fn ranges_with_too_many_parts_are_omitted_with_a_note() {
    let lines: Vec<String> = (0..100)
        .map(|at| format!("k.{at} {}.0.0 replaces=k.{} range=>=0.0.0", 1 + at * 37 % 100, at + 1))
        .collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let drawing = drawn(&catalog(&[("stable", &lines)]));
    let left_out = drawing.channels[0].undrawn_ranges;
    assert!(left_out > 50, "{left_out}");
    let svg = svg(&drawing);
    assert!(svg.contains(&format!("version ranges not drawn: {left_out}")));
    measure(&svg);
}

prop_compose! {
    fn any_catalog()(
        names in prop::collection::btree_set("[a-c]{1,2}|\\PC{1,40}|[\"<&>'\n\t\\\\#;%\u{1}]{1,4}", 0..12),
        versions in prop::collection::vec("[0-3]\\.[0-3]\\.[0-3](-rc\\.[0-2])?|x", 12),
        ranges in prop::collection::vec("|<[0-3]\\.[0-3]\\.0|>=[0-2]\\.0\\.0 <[1-3]\\.[0-3]\\.0|!=1\\.1\\.1 <3\\.0\\.0 \\|\\| 3\\.1\\.0|nothing", 12),
        deprecated in prop::collection::vec(any::<bool>(), 12),
        channels in prop::collection::vec(
            ("[a-d]|\\PC{1,8}", prop::collection::vec((0..12_usize, prop::option::of(0..14_usize), prop::collection::vec(0..14_usize, 0..4)), 0..14), 0..14_usize),
            0..5,
        ),
    ) -> Catalog {
        let bundles: Vec<Bundle> = names.iter().enumerate().map(|(at, name)| {
            bundle(name, &versions[at], deprecated[at])
        }).collect();
        let name = |at: usize| bundles.get(at).map_or(Text::from("absent"), |bundle| bundle.name.clone());
        let channels = channels.into_iter().map(|(channel, entries, head)| {
            let mut seen = BTreeSet::new();
            let entries = entries.into_iter().filter(|(at, _, _)| *at < bundles.len() && seen.insert(*at));
            Channel {
                name: Text::from(channel),
                head: (head < 13).then(|| name(head)),
                entries: entries.map(|(at, replaces, skips)| ChannelEntry {
                    bundle: BundleId(u32::try_from(at).unwrap()),
                    replaces: replaces.map(name),
                    skips: skips.into_iter().map(name).collect(),
                    skip_range: Some(&*ranges[at]).filter(|range| !range.is_empty()).map(Text::from),
                }).collect(),
            }
        }).collect();
        let package = Package { name: Text::from("k"), default_channel: None, channels };
        Catalog { packages: vec![package], bundles }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]

    #[test]
    fn no_catalog_is_drawn_with_overlaps(catalog in any_catalog()) {
        let drawing = drawn(&catalog);
        let measured = measure(&svg(&drawing));
        let nodes: usize = drawing.channels.iter().map(|channel| channel.nodes.len()).sum();
        let edges: usize = drawing.channels.iter().map(|channel| channel.edges.len()).sum();
        prop_assert_eq!((measured.boxes, measured.routes), (SAMPLES + nodes, edges));
        let lines = mermaid(&drawing).lines().count();
        let (mut expected, mut pairs) = (0, 0);
        for channel in &drawing.channels {
            expected += 2 + channel.nodes.len();
            pairs += channel.edges.iter().map(Edges::count).sum::<usize>();
        }
        prop_assert!(lines >= 1 + expected + pairs, "a string of a name broke a line off");
        prop_assert_eq!(dot(&drawing).matches(" -> b").count(), pairs);
    }

    #[test]
    fn ranges_are_drawn_to_the_bundles_they_contain(catalog in any_catalog()) {
        for channel in &drawn(&catalog).channels {
            prop_assert_eq!(channel.undrawn_ranges, 0);
            for (place, node) in channel.nodes.iter().enumerate() {
                let range = node.skip_range.as_deref().and_then(|range| VersionRange::parse_as_olm(range).ok());
                let holds = |node: &Node| {
                    let version = parse_strict(node.version.as_deref()?).ok()?;
                    Some(range.as_ref()?.contains(&version))
                };
                let expected: Vec<usize> = (0..channel.nodes.len())
                    .filter(|at| *at != place && holds(&channel.nodes[*at]) == Some(true))
                    .collect();
                let edges = channel.edges.iter().find(|edges| edges.kind == EdgeKind::SkipRange && edges.newer == place);
                let found: Vec<usize> = edges.map(|edges| edges.each().collect()).unwrap_or_default();
                prop_assert_eq!(found, expected);
            }
        }
    }
}
