use super::*;
use crate::catalog::{BundleId, ManifestsId, Text};

fn property(value: &str) -> Property {
    Property {
        kind: Text::from("olm.package"),
        value: Text::from(value),
    }
}

fn bundle(name: &str, image: &str) -> Bundle {
    Bundle {
        name: Text::from(name),
        version: Some(Text::from("1.0.0")),
        image: Some(Text::from(image)),
        properties: vec![property("1"), property("2")],
        dependencies: Vec::new(),
        manifests: ManifestsId(1),
    }
}

fn entry(bundle: u32, replaces: Option<&str>, skips: &[&str]) -> ChannelEntry {
    ChannelEntry {
        bundle: BundleId(bundle),
        replaces: replaces.map(Text::from),
        skips: skips.iter().map(|name| Text::from(*name)).collect(),
        skip_range: None,
    }
}

fn catalog() -> Catalog {
    Catalog {
        packages: vec![Package {
            name: Text::from("k"),
            default_channel: Some(Text::from("stable")),
            channels: vec![Channel {
                name: Text::from("stable"),
                head: Some(Text::from("k.v2")),
                entries: vec![entry(1, Some("k.v1"), &["x", "y"]), entry(0, None, &[])],
            }],
        }],
        bundles: vec![bundle("k.v1", ""), bundle("k.v2", "registry.example.com/k:2")],
    }
}

#[test]
fn the_order_of_a_catalog_makes_no_difference() {
    let (one, mut other) = (catalog(), catalog());
    let entries = &mut other.packages[0].channels[0].entries;
    entries.reverse();
    entries[1].skips.reverse();
    other.bundles[0].properties.reverse();
    other.bundles[0].image = None;
    other.bundles[0].manifests = ManifestsId(2);
    assert!(difference(&one, &other).is_empty());
}

#[test]
fn a_constraint_is_equal_as_a_dependency_and_as_a_property() {
    let constraint = || Property {
        kind: Text::from("olm.constraint"),
        value: Text::from("{}"),
    };
    let (mut database, mut files, without) = (catalog(), catalog(), catalog());
    database.bundles[0].dependencies.push(constraint());
    files.bundles[0].properties.push(constraint());
    assert!(difference(&database, &files).is_empty());
    let gone = &difference(&files, &without).bundles[0];
    assert!(gone.dependencies.is_some() && gone.properties.is_none());
}

#[test]
fn bundles_of_one_name_in_two_packages_are_told_apart() {
    let one = catalog();
    let mut both = catalog();
    both.bundles.push(bundle("k.v2", "registry.example.com/l:2"));
    let mut other = both.packages[0].clone();
    other.name = Text::from("l");
    other.channels[0].entries = vec![entry(2, None, &[])];
    both.packages.push(other);
    let found = difference(&one, &both).bundles;
    let found: Vec<_> = found
        .iter()
        .map(|found| (&*found.package, &*found.name, found.kind))
        .collect();
    assert_eq!(found, [("l", "k.v2", Kind::Added)]);
    let mut changed = both.clone();
    changed.bundles[2].image = None;
    let found = difference(&both, &changed).bundles;
    assert!(
        matches!(&found[..], [only] if only.package == "l" && only.image.is_some()),
        "{found:?}"
    );
}

#[test]
fn additions_in_one_direction_are_removals_in_the_other() {
    let all = difference(&Catalog::default(), &catalog());
    assert_eq!(all.packages[0].kind, Kind::Added);
    assert_eq!(all.packages[0].channels[0].entries.len(), 2);
    assert_eq!((all.bundles[0].kind, &all.bundles[0].properties), (Kind::Added, &None));
    let none = difference(&catalog(), &Catalog::default());
    assert_eq!(none.packages[0].kind, Kind::Removed);
    assert_eq!(
        none.packages[0].channels[0].head,
        Some(Change {
            before: Some("k.v2".to_owned()),
            after: None
        })
    );
    assert_eq!(none.bundles.len(), 2);
}

#[test]
fn a_range_that_differs_in_one_channel_is_reported_with_the_channels() {
    let with = |ranges: [Option<&str>; 2]| {
        let mut catalog = catalog();
        let channels = &mut catalog.packages[0].channels;
        channels.push(Channel {
            name: Text::from("fast"),
            ..channels[0].clone()
        });
        for (channel, range) in channels.iter_mut().zip(ranges) {
            channel.entries[0].skip_range = range.map(Text::from);
        }
        catalog
    };
    let same = with([Some("<2.0.0"), Some("<2.0.0")]);
    let found = difference(&same, &with([Some("<2.0.0"), Some("<1.0.0")]));
    let expected = Change {
        before: Some("<2.0.0".to_owned()),
        after: Some("<2.0.0 in stable, <1.0.0 in fast".to_owned()),
    };
    assert_eq!(found.bundles[0].skip_range, Some(expected));
    let found = difference(&same, &with([Some("<2.0.0"), None]));
    let after = found.bundles[0].skip_range.as_ref().unwrap().after.as_deref();
    assert_eq!(after, Some("<2.0.0 in stable"));
}

#[test]
fn exactly_the_fields_that_differ_are_reported() {
    let mut after = catalog();
    after.packages[0].default_channel = None;
    after.packages[0].channels[0].head = Some(Text::from("k.v3"));
    after.packages[0].channels[0].entries[0] = entry(1, None, &["y", "z"]);
    after.packages[0].channels[0].entries[0].skip_range = Some(Text::from("<2.0.0"));
    after.bundles[1].properties = vec![property("2"), property("3")];
    after.bundles[1].dependencies = vec![property("d")];
    let found = difference(&catalog(), &after);
    insta::assert_snapshot!(serde_json::to_string(&found.packages).unwrap(), @r#"[{"name":"k","kind":"changed","defaultChannel":{"before":"stable","after":null},"channels":[{"name":"stable","kind":"changed","head":{"before":"k.v2","after":"k.v3"},"entries":[{"bundle":"k.v2","kind":"changed","replaces":{"before":"k.v1","after":null},"skips":{"added":["z"],"removed":["x"]}}]}]}]"#);
    insta::assert_snapshot!(serde_json::to_string(&found.bundles).unwrap(), @r#"[{"name":"k.v2","package":"k","kind":"changed","version":null,"image":null,"skipRange":{"before":null,"after":"<2.0.0"},"properties":{"added":[{"type":"olm.package","value":"3"}],"removed":[{"type":"olm.package","value":"1"}]},"dependencies":{"added":[{"type":"olm.package","value":"d"}],"removed":[]}}]"#);
}

#[test]
fn key_order_and_spaces_make_no_difference() {
    let (mut one, mut other) = (catalog(), catalog());
    one.bundles[0].properties.push(property(r#"{"a":1,"b":[1,2]}"#));
    other.bundles[0].properties.push(property(r#"{ "b": [1, 2], "a": 1 }"#));
    assert!(difference(&one, &other).is_empty());
    for number in ["1.0000000000000001", "1.00"] {
        other.bundles[0].properties[2] = property(&format!(r#"{{"b":[{number},2],"a":1}}"#));
        assert!(!difference(&one, &other).is_empty(), "{number} is written differently");
    }
    other.bundles[0].properties[2] = property(r#"{"a":1,"b":[2,1]}"#);
    let change = difference(&one, &other).bundles[0].properties.clone().unwrap();
    assert_eq!((change.added.len(), change.removed.len()), (1, 1));
}
