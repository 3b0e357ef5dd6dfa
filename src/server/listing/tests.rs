use super::super::proto;
use super::*;
use crate::catalog::{BundleId, Catalog, Channel, ChannelEntry, Package};
use prost::Message;

fn bundle(name: &str, at: i64, image: Option<&str>) -> Bundle {
    let property = |kind: &str, value: &str| Property {
        kind: kind.into(),
        value: value.into(),
    };
    Bundle {
        name: name.into(),
        version: Some("1.0.0".into()),
        image: image.map(Into::into),
        properties: vec![
            property("olm.gvk", r#"{"group":"g.io","kind":"K","version":"v1"}"#),
            property("olm.gvk", "not JSON"),
        ],
        dependencies: vec![property("olm.label", "")],
        manifests: ManifestsId(at),
    }
}

fn listing() -> Listing {
    let entry = |bundle, replaces: Option<&str>| ChannelEntry {
        bundle: BundleId(bundle),
        replaces: replaces.map(Into::into),
        skips: vec!["s".into(), "".into()],
        skip_range: None,
    };
    let channel = |name: &str, entries| Channel {
        name: name.into(),
        head: Some("b".into()),
        entries,
    };
    let package = |name: &str, channels| Package {
        name: name.into(),
        default_channel: None,
        channels,
    };
    let catalog = Catalog {
        packages: vec![
            package("empty", vec![]),
            package(
                "p",
                vec![
                    channel("x", vec![entry(1, Some("a")), entry(0, None), entry(9, None)]),
                    channel("y", vec![entry(1, None)]),
                ],
            ),
        ],
        bundles: vec![bundle("a", 7, None), bundle("b", 8, Some("registry.example.com/b:1"))],
    };
    let kind = GroupVersionKind {
        group: "g.io".to_owned(),
        version: "v1".to_owned(),
        kind: "K".to_owned(),
    };
    Listing::of_database(&catalog, &HashMap::from([(kind, "kays".to_owned())]))
}

#[test]
fn a_package_without_channels_is_listed_but_not_found() {
    let listing = listing();
    assert!(listing.package_name(1).is_some() && listing.package_name(2).is_none());
    assert!(listing.package("empty").is_none());
    let package = proto::Package::decode(&*listing.package("p").unwrap().encode_to_vec()).unwrap();
    assert_eq!(package.channels.len(), 2);
    assert_eq!(listing.head("p", "y"), Ok(("b", Some(ManifestsId(8)))));
    assert_eq!(listing.head("p", "z"), Err(Absent::Channel));
    assert_eq!(listing.head("q", "y"), Err(Absent::Package));
    let size = Size {
        packages: 2,
        channels: 2,
        bundles: 2,
        entries: 3,
    };
    assert_eq!(listing.size(), size);
}

#[test]
fn the_listing_omits_incomplete_rows() {
    let listing = listing();
    let ranges = listing.encode_skip_ranges(&HashMap::from([(ManifestsId(8), Text::from("<1"))]));
    let (mut at, mut shown) = (0, Vec::new());
    while let Some((place, entry)) = listing.listed(at) {
        let message = listing.listed_message(entry, &ranges, Bytes::new()).encode_to_vec();
        let message = proto::Bundle::decode(&*message).unwrap();
        assert_eq!(message.provided_apis.len(), 1);
        assert_eq!(message.provided_apis[0].plural, "");
        assert_eq!(message.properties.len(), 2);
        shown.push((
            message.csv_name,
            message.channel_name,
            message.replaces,
            message.skips,
            message.skip_range,
        ));
        at = place + 1;
    }
    let row = |channel: &str, replaces: &str| {
        let skips = vec!["s".to_owned(), String::new()];
        (
            "b".to_owned(),
            channel.to_owned(),
            replaces.to_owned(),
            skips,
            "<1".to_owned(),
        )
    };
    assert_eq!(shown, [row("x", "a"), row("y", "")]);
}

#[test]
fn a_single_bundle_has_manifests_and_plurals_but_no_edges() {
    let listing = listing();
    assert_eq!(listing.entry("p", "y", "a").unwrap_err(), Absent::Bundle);
    let entry = listing.entry("p", "x", "a").unwrap();
    let manifests = encode_manifests(Some("{}"), &["{}", "{\"kind\":\"X\"}"]);
    let message = listing.single_message(entry, &[], manifests).encode_to_vec();
    let message = proto::Bundle::decode(&*message).unwrap();
    assert_eq!((message.csv_json.as_str(), message.object.len()), ("{}", 2));
    assert_eq!(message.provided_apis[0].plural, "kays");
    assert!(message.replaces.is_empty() && message.skips.is_empty() && message.bundle_path.is_empty());
}
