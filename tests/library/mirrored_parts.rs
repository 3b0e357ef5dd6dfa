//! The mirrored part of a catalog resolves as the whole does, for generated catalogs and selections.

use opmx::catalog::file_based::edit::Editor;
use opmx::catalog::file_based::limits::CatalogLimits;
use opmx::catalog::selection::part::{Part, RangeStyle, Versions};
use opmx::cluster;
use opmx::index::location::CatalogFolder;
use opmx::index::open::Index;
use opmx::install::catalogs::Catalogs;
use opmx::mirror::filter::filter;
use opmx::mirror::images::{Query, images};
use opmx::mirror::request::{CatalogRequest, Place};
use opmx::olm::intent::Intent;
use opmx::resolver::closure::Follow;
use opmx::resolver::{Problem, ResolverOptions, resolve};
use opmx::text::Limits;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// A bundle: what it provides and needs.
#[derive(Debug, Clone)]
struct Bundle {
    provides: Option<u8>,
    needs_api: Option<u8>,
    /// A package, by number, and the minimum version.
    needs_package: Option<(usize, u8)>,
    /// Whether it skips the version that it would replace, and replaces that one's predecessor.
    skips: bool,
    /// Whether any earlier version can be updated to it directly.
    ranges: bool,
}

/// Packages, each with its bundles in ascending order, and how many of them are in the second channel.
type World = Vec<(Vec<Bundle>, usize)>;

fn bundle() -> impl Strategy<Value = Bundle> {
    let some = |range| proptest::option::weighted(0.3, range);
    let package = proptest::option::weighted(0.4, (0_usize..4, 1_u8..4));
    (some(0_u8..3), some(0_u8..3), package, any::<bool>(), any::<bool>()).prop_map(
        |(provides, needs_api, needs_package, skips, ranges)| Bundle {
            provides,
            needs_api,
            needs_package,
            skips,
            ranges,
        },
    )
}

fn world() -> impl Strategy<Value = World> {
    let package = (proptest::collection::vec(bundle(), 1..5), 0_usize..3);
    proptest::collection::vec(package, 2..5)
}

/// Which part of the first package is selected: everything, the heads, versions from one on, or what leads on from one.
fn choice() -> impl Strategy<Value = (Option<&'static str>, Option<u64>)> {
    prop_oneof![
        Just((Some("all"), None)),
        Just((Some("heads"), None)),
        Just((Some(">=2.0.0"), None)),
        Just((Some(">=3.0.0"), None)),
        (1_u64..5).prop_map(|from| (Some("heads"), Some(from))),
        Just((None, None)),
    ]
}

fn name(package: usize, version: usize) -> String {
    format!("p{package}.v{version}")
}

fn catalog(world: &World) -> String {
    let mut text = String::new();
    for (package, (bundles, second)) in world.iter().enumerate() {
        let mut channel = |channel: &str, versions: std::ops::RangeInclusive<usize>| {
            writeln!(
                text,
                "---\nschema: olm.channel\npackage: p{package}\nname: {channel}\nentries:"
            )
            .unwrap();
            let first = *versions.start();
            for version in versions {
                let mut entry = json!({"name": name(package, version)});
                let own = &bundles[version - 1];
                if version > first {
                    entry["replaces"] = json!(name(package, version - 1));
                    if own.skips && version > first + 1 {
                        entry["replaces"] = json!(name(package, version - 2));
                        entry["skips"] = json!([name(package, version - 1)]);
                    }
                    if own.ranges {
                        entry["skipRange"] = json!(format!("<{version}.0.0"));
                    }
                }
                writeln!(text, "- {entry}").unwrap();
            }
        };
        channel("stable", 1..=bundles.len());
        if *second > 0 {
            channel("fast", bundles.len().saturating_sub(*second).max(1)..=bundles.len());
        }
        writeln!(
            text,
            "---\nschema: olm.package\nname: p{package}\ndefaultChannel: stable"
        )
        .unwrap();
        for (at, bundle) in bundles.iter().enumerate() {
            let document = json!({
                "schema": "olm.bundle", "name": name(package, at + 1), "package": format!("p{package}"),
                "image": format!("registry.example.com/p{package}/bundle:v{}", at + 1),
                "properties": properties(package, at + 1, bundle),
                "relatedImages": [{"name": "op", "image": format!("registry.example.com/p{package}/op:v{}", at + 1)}],
            });
            writeln!(text, "---\n{document}").unwrap();
        }
    }
    text
}

fn api(number: u8) -> Value {
    json!({"group": "example.com", "version": "v1", "kind": format!("K{number}")})
}

fn properties(package: usize, version: usize, bundle: &Bundle) -> Vec<Value> {
    let own = json!({"packageName": format!("p{package}"), "version": format!("{version}.0.0")});
    let mut properties = vec![json!({"type": "olm.package", "value": own})];
    properties.extend(
        bundle
            .provides
            .map(|number| json!({"type": "olm.gvk", "value": api(number)})),
    );
    properties.extend(
        bundle
            .needs_api
            .map(|number| json!({"type": "olm.gvk.required", "value": api(number)})),
    );
    // In these catalogs, no package needs itself.
    properties.extend(
        bundle
            .needs_package
            .filter(|(other, _)| *other != package)
            .map(|(other, least)| {
                let value = json!({"packageName": format!("p{other}"), "versionRange": format!(">={least}.0.0")});
                json!({"type": "olm.package.required", "value": value})
            }),
    );
    properties
}

fn open(folder: &Path) -> Index {
    Index::of_catalog(CatalogFolder::from(folder), CatalogLimits::default()).unwrap()
}

/// Returns what a cluster would install or update if it follows a channel and has a version of it installed.
fn resolved(
    folder: &Path,
    world: &World,
    package: usize,
    channel: &str,
    installed: Option<usize>,
) -> Result<Vec<String>, ()> {
    let subscription = json!({"package": format!("p{package}"), "channel": channel, "catalog": "c", "catalogNamespace": "olm",
        "installedCSV": installed.map(|version| name(package, version))});
    let there = installed.iter().map(|version| {
        let bundle = &world[package].0[*version - 1];
        let list = |number: Option<u8>| number.map(api).into_iter().collect::<Vec<_>>();
        json!({"name": name(package, *version), "version": format!("{version}.0.0"), "package": format!("p{package}"),
            "properties": properties(package, *version, bundle).into_iter().filter(|one| one["type"] == "olm.package.required").collect::<Vec<_>>(),
            "provides": list(bundle.provides), "requires": list(bundle.needs_api)})
    });
    let state = json!({"globalNamespace": "olm", "catalogs": [{"name": "c", "namespace": "olm"}],
        "installed": there.collect::<Vec<_>>(), "subscriptions": [subscription]});
    let state = cluster::read("state.json", state.to_string().as_bytes(), &Limits::default()).unwrap();
    let catalogs = Catalogs::new(&state, vec![Some(open(folder))]);
    let read = catalogs.read(true).unwrap();
    let resolution = resolve(&Problem::of_state(&state, &read), &ResolverOptions::default()).map_err(|_| ())?;
    Ok(resolution.install)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn a_mirrored_part_resolves_like_the_whole_and_lists_all_images_of_its_bundles(
        world in world(),
        (versions, from) in choice(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let (whole, part) = (folder.path().join("whole"), folder.path().join("part"));
        for place in [&whole, &part] {
            fs::create_dir(place).unwrap();
            fs::write(place.join("catalog.yaml"), catalog(&world)).unwrap();
        }
        let parts = versions.map(|versions| Part {
            channels: Vec::new(),
            versions: Versions::parse(versions, RangeStyle::Olm).unwrap(),
            from: from.map(|from| semver::Version::new(from, 0, 0)).into_iter().collect(),
            past_from: true,
        });
        let request = CatalogRequest {
            catalog: "catalog".to_owned(),
            parts: parts.map(|part| ("p0".to_owned(), part)).into_iter().collect(),
            versions: Versions::Head,
            installed: BTreeMap::new(),
            is_of_cluster: false,
            default_channels: BTreeMap::new(),
            objects: Vec::new(),
            follow: Follow { intents: Intent::ALL.into(), ..Follow::default() },
            place: Place::default(),
            platforms: BTreeSet::new(),
        };
        let mut editor = Editor::open(&part, CatalogLimits::default()).unwrap();
        // A range may contain none of the versions.
        let Ok(filtered) = filter(&mut editor, &request) else { return Ok(()) };
        editor.finish().unwrap().write().unwrap();
        let chosen: BTreeSet<&str> = match versions {
            Some(_) => BTreeSet::from(["p0"]),
            None => filtered.kept.iter().map(|package| package.package.as_str()).collect(),
        };
        let channels = filtered.kept.iter().flat_map(|package| &package.channels);
        let kept: BTreeSet<&str> = channels.flat_map(|channel| &channel.entries).map(String::as_str).collect();
        for package in filtered.kept.iter().filter(|package| chosen.contains(package.package.as_str())) {
            let number: usize = package.package[1..].parse().unwrap();
            for channel in &package.channels {
                prop_assert!(!channel.head.is_empty());
                let entries = channel.entries.iter().map(|entry| entry.rsplit_once(".v").unwrap().1.parse().unwrap());
                for installed in [None].into_iter().chain(entries.map(Some)) {
                    let of = |folder: &Path| resolved(folder, &world, number, &channel.name, installed);
                    let (expected, found) = (of(&whole), of(&part));
                    // If a head cannot be installed, OLM falls back to versions that were not selected.
                    let is_fallback = |bundles: &Vec<String>| bundles.iter().any(|bundle| !kept.contains(bundle.as_str()));
                    if found.is_err() && versions != Some("all") && expected.as_ref().is_ok_and(is_fallback) {
                        continue;
                    }
                    prop_assert_eq!(expected, found, "{} {} {:?}", package.package, channel.name, installed);
                }
            }
        }
        let index = open(&part);
        let found = images(&index, &Query::default()).unwrap();
        let named: BTreeSet<&str> = found.images.iter().map(|image| image.image.as_str()).collect();
        for bundle in filtered.kept.iter().flat_map(|package| &package.channels).flat_map(|channel| &channel.entries) {
            let (package, version) = bundle.rsplit_once(".v").unwrap();
            for image in ["bundle", "op"] {
                let image = format!("registry.example.com/{package}/{image}:v{version}");
                prop_assert!(named.contains(image.as_str()), "{}", image);
            }
        }
    }
}
