use super::*;
use crate::catalog::{ChannelEntry, ManifestsId, Property};

/// A version, and the bundle that it replaces.
type Row<'a> = (&'a str, Option<&'a str>);

/// Returns a package `k` with channels of entries `(version, replaces)`, from the head down.
fn catalog(channels: &[(&str, &[Row<'_>])]) -> Catalog {
    let mut versions: Vec<&str> = channels
        .iter()
        .flat_map(|(_, entries)| entries.iter().map(|(version, _)| *version))
        .collect();
    versions.sort_unstable();
    versions.dedup();
    let name = |version: &str| Text::from(format!("k.v{version}"));
    let bundles = versions.iter().map(|version| Bundle {
        name: name(version),
        version: Some(Text::from(*version)),
        image: Some(Text::from(format!("registry.example.com/k:{version}"))),
        properties: vec![Property::new("olm.package", r#"{"packageName":"k","version":"1.0.0"}"#)],
        dependencies: Vec::new(),
        manifests: ManifestsId(0),
    });
    let mut catalog = Catalog {
        packages: Vec::new(),
        bundles: bundles.collect(),
    };
    let channels = channels.iter().map(|(channel, entries)| Channel {
        name: Text::from(*channel),
        head: entries.first().map(|(version, _)| name(version)),
        entries: entries
            .iter()
            .map(|(version, replaces)| ChannelEntry {
                bundle: catalog.find(&name(version)).unwrap(),
                replaces: replaces.map(name),
                skips: Vec::new(),
                skip_range: None,
            })
            .collect(),
    });
    let channels: Vec<Channel> = channels.collect();
    catalog.packages.push(Package {
        name: Text::from("k"),
        default_channel: channels.first().map(|channel| channel.name.clone()),
        channels,
    });
    catalog
}

fn messages(before: &Catalog, after: &Catalog) -> Vec<String> {
    losses(before, after).iter().map(ToString::to_string).collect()
}

const CHAIN: &[Row<'_>] = &[("3", Some("2")), ("2", Some("1")), ("1", None)];

#[test]
fn an_unchanged_catalog_has_no_losses() {
    let before = catalog(&[("stable", CHAIN)]);
    let after = catalog(&[
        (
            "stable",
            &[("4", Some("3")), ("3", Some("2")), ("2", Some("1")), ("1", None)],
        ),
        ("test", CHAIN),
    ]);
    assert_eq!(messages(&before, &before), [""; 0]);
    assert_eq!(messages(&before, &after), [""; 0]);
}

#[test]
fn a_removed_package_is_one_loss() {
    let none = Catalog::default();
    assert_eq!(
        messages(&catalog(&[("stable", CHAIN)]), &none),
        ["package k was removed"]
    );
}

#[test]
fn removed_channels_entries_and_bundles_are_reported() {
    let before = catalog(&[("stable", CHAIN), ("test", CHAIN)]);
    let after = catalog(&[("stable", &[("3", Some("2")), ("2", Some("1"))])]);
    assert_eq!(
        messages(&before, &after),
        [
            "channel test of package k was removed",
            "bundle k.v1 of package k was removed"
        ],
        "the entry above still leads clusters on"
    );
    let shorter = catalog(&[("stable", CHAIN), ("test", &[("3", Some("2")), ("2", None)])]);
    assert_eq!(
        messages(&before, &shorter),
        [
            "bundle k.v1 is no longer in channel test of package k",
            "clusters that run k.v1 from channel test of package k no longer receive an update",
        ]
    );
}

#[test]
fn a_bundle_without_an_update_path_is_a_lost_upgrade() {
    let before = catalog(&[("stable", CHAIN)]);
    let after = catalog(&[("stable", &[("4", Some("3")), ("3", None)])]);
    assert_eq!(
        messages(&before, &after),
        [
            "bundle k.v1 of package k was removed",
            "bundle k.v2 of package k was removed",
            "clusters that run k.v1 from channel stable of package k no longer receive an update",
            "clusters that run k.v2 from channel stable of package k no longer receive an update",
        ]
    );
}

#[test]
fn former_bundles_lose_an_update_that_an_entry_no_longer_offers() {
    let of = |replaces: Option<&str>, skips: &[&str], range: Option<&str>| {
        let mut catalog = catalog(&[("stable", &[("2.0.0", None)])]);
        let entry = &mut catalog.packages[0].channels[0].entries[0];
        entry.replaces = replaces.map(Text::from);
        entry.skips = skips.iter().map(|name| Text::from(*name)).collect();
        entry.skip_range = range.map(Text::from);
        catalog
    };
    let bare = of(None, &[], None);
    let lost = ["clusters that run k.v1.0.0 from channel stable of package k no longer receive an update"];
    assert_eq!(messages(&of(None, &["k.v1.0.0"], None), &bare), lost);
    assert_eq!(messages(&of(Some("k.v1.0.0"), &[], None), &bare), lost);
    assert_eq!(
        messages(&of(Some("k.v1.0.0"), &[], None), &of(None, &[], Some("<2.0.0"))),
        [""; 0]
    );
    let range = of(None, &[], Some("<2.0.0"));
    for (after, version) in [
        (bare, "1.0.0"),
        (of(None, &[], Some(">=1.2.3 <2.0.0")), "1.2.2"),
        (of(None, &[], Some("<1.5.0")), "1.5.1"),
    ] {
        let lost = format!(
            "clusters that run a version in the skipRange <2.0.0 from channel stable of package k, such as {version}, \
             no longer receive an update"
        );
        assert_eq!(messages(&range, &after), [lost]);
    }
    assert_eq!(messages(&range, &of(None, &[], Some("<2.0.1"))), [""; 0]);
}

#[test]
fn bundles_of_one_name_in_two_packages_are_told_apart() {
    let one = catalog(&[("stable", &[("1", None)])]);
    let mut both = one.clone();
    let mut other = both.packages[0].clone();
    other.name = Text::from("l");
    other.channels[0].entries[0].bundle = BundleId(1);
    both.packages.push(other);
    both.bundles.push(both.bundles[0].clone());
    both.bundles[0].image = Some(Text::from("registry.example.com/l:1"));
    let entry = |catalog: &mut Catalog, package: usize, bundle| {
        catalog.packages[package].channels[0].entries[0].bundle = BundleId(bundle);
    };
    entry(&mut both, 0, 1);
    entry(&mut both, 1, 0);
    assert_eq!(messages(&one, &both), [""; 0]);
    let mut changed = both.clone();
    changed.bundles[0].image = None;
    assert_eq!(
        messages(&both, &changed),
        ["bundle k.v1 of package l has a different image or version"]
    );
    assert_eq!(messages(&both, &one), ["package l was removed"]);
}

#[test]
fn a_lower_head_a_different_default_channel_and_different_content_are_losses() {
    let before = catalog(&[("stable", CHAIN), ("test", CHAIN)]);
    let mut after = catalog(&[("stable", &CHAIN[1..]), ("test", CHAIN)]);
    after.packages[0].default_channel = Some(Text::from("test"));
    after.bundles[0].image = Some(Text::from("registry.example.com/other"));
    assert_eq!(
        messages(&before, &after),
        [
            "bundle k.v3 is no longer in channel stable of package k",
            "clusters that run k.v3 from channel stable of package k no longer receive an update",
            "the head of channel stable of package k is k.v2, a lower version than before",
            "the default channel of package k is no longer stable",
            "bundle k.v1 of package k has a different image or version",
        ]
    );
}

#[test]
fn a_fragment_is_compared_only_with_its_packages() {
    let mut before = catalog(&[("stable", CHAIN)]);
    let mut other = before.packages[0].clone();
    other.name = Text::from("l");
    before.packages.push(other);
    let fragment = catalog(&[("stable", CHAIN)]);
    assert_eq!(messages(&before, &fragment), ["package l was removed"]);
    let part = counterpart(&before, &fragment);
    assert_eq!(part, fragment);
    assert_eq!(messages(&part, &fragment), [""; 0]);
}

#[test]
fn every_kind_serializes_to_its_name() {
    for kind in LossKind::ALL {
        assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
    }
}

#[test]
fn long_channels_with_a_range_per_entry_are_compared_quickly() {
    const ENTRIES: u64 = 20_000;
    let versions: Vec<String> = (0..ENTRIES).rev().map(|minor| format!("1.{minor}.0")).collect();
    let rows = versions.iter().enumerate();
    let rows: Vec<Row<'_>> = rows
        .map(|(at, version)| (version.as_str(), versions.get(at + 1).map(String::as_str)))
        .collect();
    let mut before = catalog(&[("stable", &rows)]);
    for entry in &mut before.packages[0].channels[0].entries {
        entry.skip_range = Some(Text::from("<0.9.0"));
    }
    let mut after = before.clone();
    let removed = after.packages[0].channels[0].entries.pop().unwrap();
    for bundle in &mut after.bundles {
        bundle.image = None;
    }
    let start = std::time::Instant::now();
    let losses = losses(&before, &after);
    // A comparison of every entry with every other takes minutes in an unoptimized build.
    assert!(
        start.elapsed() < std::time::Duration::from_secs(20),
        "{:?}",
        start.elapsed()
    );
    let name = &before.bundle(removed.bundle).unwrap().name;
    assert_eq!(losses.len() as u64, ENTRIES + 1);
    assert!(
        losses
            .iter()
            .any(|loss| loss.kind == LossKind::RemovedEntry && loss.bundle.as_deref() == Some(name))
    );
}
