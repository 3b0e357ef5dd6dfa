use super::*;
use crate::catalog::file_based::limits::CatalogLimits;
use crate::catalog::selection::part::{RangeStyle, Versions};
use crate::mirror::request::Place;
use crate::version::parse_strict;
use std::path::Path;

/// A package with two channels, the second of which contains only a prerelease. The newest release depends on another
/// package.
const GARDEN: &str = "\
---
schema: olm.package
name: greenhouse
defaultChannel: stable
---
schema: olm.channel
package: greenhouse
name: stable
entries:
- {name: g.v1.0.0}
- {name: g.v1.1.0, replaces: g.v1.0.0}
- {name: g.v1.1.1, replaces: g.v1.0.0, skips: [g.v1.1.0]}
- {name: g.v1.2.0, replaces: g.v1.1.1, skipRange: '>=1.0.0 <1.2.0'}
---
schema: olm.channel
package: greenhouse
name: candidate
entries:
- {name: g.v2.0.0-rc1}
---
schema: olm.package
name: certs
defaultChannel: stable
---
schema: olm.channel
package: certs
name: stable
entries:
- {name: c.v1.4.0}
";

fn garden() -> String {
    let bundle = |name: &str, package: &str, version: &str, requires: &str| {
        format!(
            "---\nschema: olm.bundle\nname: {name}\npackage: {package}\nimage: registry.example.com/{package}:v{version}\n\
             properties:\n- type: olm.package\n  value: {{packageName: {package}, version: {version}}}\n{requires}"
        )
    };
    let requires = "- type: olm.package.required\n  value: {packageName: certs, versionRange: '>=1.0.0'}\n";
    let mut text = GARDEN.to_owned();
    for version in ["1.0.0", "1.1.0", "1.1.1", "1.2.0", "2.0.0-rc1"] {
        let requires = if version == "1.2.0" { requires } else { "" };
        text.push_str(&bundle(&format!("g.v{version}"), "greenhouse", version, requires));
    }
    text.push_str(&bundle("c.v1.4.0", "certs", "1.4.0", ""));
    text
}

fn request(parts: BTreeMap<String, Part>, versions: Versions) -> CatalogRequest {
    CatalogRequest {
        catalog: "catalog".to_owned(),
        parts,
        versions,
        installed: BTreeMap::new(),
        is_of_cluster: false,
        default_channels: BTreeMap::new(),
        objects: Vec::new(),
        follow: Follow {
            intents: Intent::ALL.iter().copied().collect(),
            ..Follow::default()
        },
        place: Place::default(),
        platforms: BTreeSet::new(),
    }
}

/// Returns a part of the package, with channels, versions, and the version from which clusters upgrade.
fn part(channels: &[&str], versions: &str, from: Option<&str>) -> BTreeMap<String, Part> {
    let part = Part {
        channels: channels.iter().map(|channel| (*channel).to_owned()).collect(),
        versions: Versions::parse(versions, RangeStyle::Olm).unwrap(),
        from: from.map(|from| parse_strict(from).unwrap()).into_iter().collect(),
        past_from: true,
    };
    BTreeMap::from([("greenhouse".to_owned(), part)])
}

fn filtered(request: &CatalogRequest) -> Result<(Filtered, Vec<String>), CatalogEditError> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("catalog.yaml"), garden()).unwrap();
    let mut editor = Editor::open(folder.path(), CatalogLimits::default())?;
    let filtered = filter(&mut editor, request)?;
    editor.finish()?.write().unwrap();
    Ok((filtered, bundles(folder.path())))
}

fn bundles(folder: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(folder.join("catalog.yaml")).unwrap();
    let documents = text
        .split("---\n")
        .filter(|document| document.contains("schema: olm.bundle"));
    let name = |document: &str| {
        document
            .lines()
            .find_map(|line| line.strip_prefix("name: "))
            .unwrap()
            .to_owned()
    };
    let mut bundles: Vec<String> = documents.map(name).collect();
    bundles.sort();
    bundles
}

fn kept(channels: &[&str], versions: &str, from: Option<&str>) -> (Filtered, Vec<String>) {
    filtered(&request(part(channels, versions, from), Versions::Head)).unwrap()
}

#[test]
fn a_package_is_reduced_to_its_channel_heads_and_their_dependencies() {
    let (filtered, bundles) = kept(&[], "heads", None);
    assert_eq!(bundles, ["c.v1.4.0", "g.v1.2.0", "g.v2.0.0-rc1"]);
    let because = &filtered.because[0];
    assert_eq!(
        (because.package.as_str(), because.needed_by.as_str()),
        ("certs", "g.v1.2.0")
    );
}

#[test]
fn a_minimum_version_keeps_the_path_from_it_to_the_head() {
    let (filtered, bundles) = kept(&["stable"], ">=1.1.0", None);
    assert_eq!(bundles, ["c.v1.4.0", "g.v1.1.0", "g.v1.1.1", "g.v1.2.0"]);
    let greenhouse = filtered
        .kept
        .iter()
        .find(|package| package.package == "greenhouse")
        .unwrap();
    assert_eq!(greenhouse.channels[0].head, "g.v1.2.0");
    assert!(greenhouse.channels[0].kept_for.is_empty());
}

#[test]
fn bundles_kept_above_a_maximum_version_are_reported_with_the_reason() {
    let (filtered, bundles) = kept(&["stable"], "<=1.1.0", None);
    assert_eq!(bundles, ["g.v1.0.0", "g.v1.1.0", "g.v1.1.1"]);
    let channel = &filtered.kept[0].channels[0];
    assert_eq!(channel.head, "g.v1.1.1");
    let why = &channel.kept_for["g.v1.1.1"];
    assert!(why.contains("g.v1.0.0"), "{why}");
}

#[test]
fn a_bundle_that_clusters_update_past_is_kept_to_connect_the_channel() {
    let (filtered, bundles) = kept(&["stable"], "<1.1.0 || >=1.2.0", None);
    assert_eq!(bundles, ["c.v1.4.0", "g.v1.0.0", "g.v1.1.1", "g.v1.2.0"]);
    let greenhouse = filtered.kept.iter().find(|package| package.package == "greenhouse");
    // The range of g.v1.2.0 contains 1.0.0.
    let why = &greenhouse.unwrap().channels[0].kept_for["g.v1.1.1"];
    assert_eq!(why, "the channel would not be connected without it");
}

#[test]
fn a_range_that_only_a_prerelease_could_satisfy_lists_the_available_versions() {
    let mut request = request(part(&["candidate"], ">=2.0.0", None), Versions::Head);
    request
        .default_channels
        .insert("greenhouse".to_owned(), "candidate".to_owned());
    let error = filtered(&request).unwrap_err();
    let text = crate::causes::with_causes(&error);
    assert!(text.contains("2.0.0-rc1"), "{text}");
}

#[test]
fn the_default_channel_is_kept_unless_another_one_is_specified() {
    let without = request(part(&["candidate"], "all", None), Versions::Head);
    let error = filtered(&without).unwrap_err();
    let text = crate::causes::with_causes(&error);
    assert!(text.contains("is the default channel of package"), "{text}");
    let mut with = without;
    with.default_channels
        .insert("greenhouse".to_owned(), "candidate".to_owned());
    assert_eq!(filtered(&with).unwrap().1, ["g.v2.0.0-rc1"]);
}

#[test]
fn a_channel_that_a_cluster_follows_becomes_the_default_channel_if_that_is_not_kept() {
    let of_cluster = CatalogRequest {
        is_of_cluster: true,
        ..request(part(&["candidate"], "heads", None), Versions::Head)
    };
    assert_eq!(filtered(&of_cluster).unwrap().1, ["g.v2.0.0-rc1"]);
}

#[test]
fn the_path_from_a_version_is_the_shortest_one_of_olm() {
    let (_, bundles) = kept(&["stable"], "heads", Some("1.0.0"));
    assert_eq!(bundles, ["c.v1.4.0", "g.v1.2.0"]);
}

#[test]
fn dependencies_are_not_followed_if_disabled() {
    let mut request = request(part(&["stable"], "heads", None), Versions::Head);
    request.follow = Follow::default();
    assert_eq!(filtered(&request).unwrap().1, ["g.v1.2.0"]);
}

#[test]
fn a_catalog_without_a_selection_is_reduced_to_heads_or_complete() {
    let heads = request(BTreeMap::new(), Versions::Head);
    assert_eq!(filtered(&heads).unwrap().1, ["c.v1.4.0", "g.v1.2.0", "g.v2.0.0-rc1"]);
    let all = request(BTreeMap::new(), Versions::All);
    assert_eq!(filtered(&all).unwrap().1.len(), 6);
}
