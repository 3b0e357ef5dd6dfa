use super::*;
use crate::catalog::file_based::WrittenEntry;
use crate::catalog::selection::part::{Part, Versions};
use crate::version::VersionRange;
use proptest::prelude::*;
use std::collections::BTreeSet;

fn entry(name: &str, replaces: &str, skips: &[&str]) -> Value {
    let mut entry = json!({"name": name, "x-note": name});
    if !replaces.is_empty() {
        entry["replaces"] = replaces.into();
    }
    if !skips.is_empty() {
        entry["skips"] = json!(skips);
    }
    entry
}

fn channel(name: &str, entries: &[Value]) -> Value {
    json!({"schema": "olm.channel", "package": "rake", "name": name, "entries": entries, "x-owner": "garden"})
}

fn bundle(version: usize) -> Value {
    let (name, version) = (format!("rake.v{version}"), format!("{version}.0.0"));
    json!({"schema": "olm.bundle", "package": "rake", "name": name, "version": version})
}

/// Two channels, where v2 of the first is replaced, and v4 skips v3.
fn documents() -> Vec<Value> {
    let all = vec![
        entry("rake.v4", "rake.v2", &["rake.v3"]),
        entry("rake.v3", "rake.v2", &[]),
        entry("rake.v2", "rake.v1", &["rake.v0"]),
        entry("rake.v1", "", &[]),
    ];
    let mut documents = vec![
        json!({"schema": "olm.package", "name": "rake", "defaultChannel": "stable"}),
        channel("stable", &all),
        channel("test", &[entry("rake.v4", "rake.v1", &[]), entry("rake.v1", "", &[])]),
    ];
    documents.extend((1..=4).map(bundle));
    let about =
        |schema: &str, name: &str| json!({"reference": {"schema": schema, "name": name}, "message": "m", "x": 1});
    let entries = vec![about("olm.channel", "test"), about("olm.bundle", "rake.v2")];
    documents.push(json!({"schema": "olm.deprecations", "package": "rake", "entries": entries}));
    documents.push(json!({"schema": "x.notes", "package": "rake", "text": "keep"}));
    documents
}

fn draft() -> Draft {
    Draft::read("rake", &documents()).unwrap()
}

/// The documents after a change.
fn after(draft: &Draft, documents: &[Value]) -> Vec<Value> {
    let revised = draft.revise(documents).into_iter();
    revised
        .map(|one| match one {
            Revised::Kept(place) => documents[place].clone(),
            Revised::Changed(_, value) | Revised::New(value) => value,
        })
        .collect()
}

fn target(channel: &str, bundle: &str) -> Target {
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    Target {
        channel: some(channel),
        bundle: some(bundle),
    }
}

#[test]
fn a_draft_that_stays_keeps_every_document() {
    let documents = documents();
    let kept: Vec<_> = (0..documents.len()).map(Revised::Kept).collect();
    assert_eq!(draft().revise(&documents), kept);
}

#[test]
fn what_replaced_a_bundle_takes_over_its_edges() {
    let mut draft = draft();
    let removal = draft.remove(&[target("", "2.0.0")], None).unwrap();
    assert_eq!(removal.bundles, ["rake.v2"]);
    assert!(removal.stranded.is_empty());
    let entry = &draft.channels[0].entries[0];
    assert_eq!((entry.name.as_str(), entry.replaces.as_str()), ("rake.v4", "rake.v1"));
    assert_eq!(entry.skips, ["rake.v3", "rake.v2", "rake.v0"]);
    let documents = after(&draft, &documents());
    assert_eq!(documents[1]["entries"][0]["x-note"], "rake.v4", "unknown fields stay");
    let deprecations = &documents
        .iter()
        .find(|one| one["schema"] == "olm.deprecations")
        .unwrap()["entries"];
    assert_eq!(
        deprecations.as_array().unwrap().len(),
        1,
        "what is said of a bundle goes with it"
    );
    assert!(
        !documents
            .iter()
            .any(|one| one["name"] == "rake.v2" && one["schema"] == "olm.bundle")
    );
}

#[test]
fn who_skips_a_bundle_leads_on_from_what_it_replaced() {
    let mut draft = draft();
    draft.channels[0].entries = vec![
        WrittenEntry {
            name: "rake.v4".to_owned(),
            skips: vec!["rake.v3".to_owned()],
            ..WrittenEntry::default()
        },
        WrittenEntry {
            name: "rake.v3".to_owned(),
            replaces: "rake.v1".to_owned(),
            ..WrittenEntry::default()
        },
        WrittenEntry {
            name: "rake.v1".to_owned(),
            ..WrittenEntry::default()
        },
    ];
    draft.remove(&[target("stable", "rake.v3")], None).unwrap();
    assert_eq!(draft.channels[0].entries[0].skips, ["rake.v3", "rake.v1"]);
    assert_eq!(draft.channels[0].heads(), ["rake.v4"]);
}

#[test]
fn a_head_that_goes_leaves_its_clusters_which_is_said() {
    let mut changed = draft();
    let removal = changed.remove(&[target("test", "rake.v4")], None).unwrap();
    assert_eq!(removal.stranded, [("rake.v4".to_owned(), "test".to_owned())]);
    assert!(removal.bundles.is_empty(), "it is in another channel");
    let error = draft().remove(&[target("stable", "rake.v1"), target("test", "rake.v2")], None);
    assert_eq!(
        error.unwrap_err().to_string(),
        "bundle rake.v2 is not in channel test of package rake"
    );
}

#[test]
fn the_default_channel_goes_only_where_another_takes_its_place() {
    let error = draft().remove(&[target("stable", "")], None).unwrap_err();
    assert!(
        matches!(&error, DraftError::Default { others, .. } if others == &["test"]),
        "{error}"
    );
    let mut changed = draft();
    let removal = changed.remove(&[target("stable", "")], Some("test")).unwrap();
    assert_eq!(removal.bundles, ["rake.v2", "rake.v3"]);
    assert_eq!(after(&changed, &documents())[0]["defaultChannel"], "test");
    let mut changed = draft();
    changed.remove(&[target("", "")], None).unwrap();
    assert!(after(&changed, &documents()).is_empty());
}

#[test]
fn names_that_are_not_there_have_a_nearest_one() {
    let error = draft().remove(&[target("stabel", "")], None).unwrap_err();
    assert!(matches!(&error, DraftError::Channel { nearest: Some(name), .. } if name == "stable"));
    let error = draft().remove(&[target("", "rake.v5")], None).unwrap_err();
    assert!(matches!(&error, DraftError::Bundle { nearest: Some(_), .. }));
}

#[test]
fn lower_versions_go_and_their_clusters_are_led_on() {
    let mut draft = draft();
    let removal = draft.truncate(&Version::new(3, 0, 0), None).unwrap();
    assert_eq!(removal.bundles, ["rake.v1", "rake.v2"]);
    let stable = &draft.channels[0].entries;
    assert_eq!(stable[0].skips, ["rake.v3", "rake.v2", "rake.v0", "rake.v1"]);
    assert_eq!(draft.channels[1].entries[0].skips, ["rake.v1"]);
}

fn part(versions: Versions, from: Option<Version>) -> Part {
    Part {
        channels: vec!["stable".to_owned()],
        versions,
        from,
    }
}

fn entries(draft: &Draft) -> Vec<&str> {
    draft.channels[0]
        .entries
        .iter()
        .map(|entry| entry.name.as_str())
        .collect()
}

#[test]
fn a_part_hangs_together() {
    let mut heads = draft();
    let (removal, between) = heads.prune(&part(Versions::Head, None), None).unwrap();
    assert_eq!(entries(&heads), ["rake.v4"]);
    assert_eq!((removal.channels, between), (vec!["test".to_owned()], Vec::new()));
    assert_eq!(
        heads.channels[0].entries[0].replaces, "rake.v2",
        "clusters that run it get on"
    );

    let mut ends = draft();
    let range = VersionRange::parse("1.0.0 || 4.0.0").unwrap();
    let (_, between) = ends.prune(&part(Versions::In(range), None), None).unwrap();
    assert_eq!(entries(&ends), ["rake.v4", "rake.v2", "rake.v1"]);
    assert_eq!(between, [("rake.v2".to_owned(), "stable".to_owned())]);

    let mut none = draft();
    let range = VersionRange::parse(">9.0.0").unwrap();
    assert!(matches!(
        none.prune(&part(Versions::In(range), None), None),
        Err(DraftError::Empty { .. })
    ));
}

#[test]
fn the_shortest_way_from_a_version_is_kept() {
    let way = |from: u64| {
        let mut draft = draft();
        draft
            .prune(&part(Versions::All, Some(Version::new(from, 0, 0))), None)
            .unwrap();
        entries(&draft).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(way(3), ["rake.v4", "rake.v3"]);
    assert_eq!(way(1), ["rake.v4", "rake.v2", "rake.v1"]);
    assert_eq!(way(4), ["rake.v4"]);
}

#[test]
fn a_version_from_which_nothing_leads_to_the_head_is_refused() {
    let mut documents = documents();
    // What skips v2 is skipped itself.
    documents[1]["entries"] = json!([
        entry("rake.v4", "rake.v1", &["rake.v3"]),
        entry("rake.v3", "rake.v1", &["rake.v2"]),
        entry("rake.v2", "rake.v1", &[]),
        entry("rake.v1", "", &[]),
    ]);
    let mut draft = Draft::read("rake", &documents).unwrap();
    let error = draft
        .prune(&part(Versions::All, Some(Version::new(2, 0, 0))), None)
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "in channel stable of package rake nothing leads from rake.v2 to the head rake.v4"
    );
}

#[test]
fn a_head_that_is_pruned_is_told_of() {
    let mut draft = draft();
    let range = VersionRange::parse("<4.0.0").unwrap();
    let (removal, _) = draft.prune(&part(Versions::In(range), None), None).unwrap();
    assert_eq!(removal.stranded, [("rake.v4".to_owned(), "stable".to_owned())]);
    assert_eq!(draft.channels[0].heads(), ["rake.v3"]);
}

#[test]
fn a_version_of_two_bundles_names_none() {
    let mut documents = documents();
    let mut other = bundle(2);
    other["name"] = "rake-v2-1".into();
    documents.push(other);
    let mut draft = Draft::read("rake", &documents).unwrap();
    let error = draft.remove(&[target("", "2.0.0")], None).unwrap_err().to_string();
    assert!(
        error.ends_with("several bundles of version 2.0.0: rake.v2, rake-v2-1"),
        "{error}"
    );
}

#[test]
fn a_wrong_name_beside_the_whole_package_is_said() {
    let error = draft().remove(&[target("", ""), target("typo", "")], None).unwrap_err();
    assert!(matches!(error, DraftError::Channel { .. }));
}

#[test]
fn deprecations_are_said_once_and_taken_back() {
    let mut draft = draft();
    let what = Deprecated::Bundle("1.0.0".to_owned());
    draft.deprecate(&what, "old").unwrap();
    draft.deprecate(&what, "very old").unwrap();
    draft.deprecate(&Deprecated::Package, "all").unwrap();
    let documents = after(&draft, &documents());
    let said = &documents
        .iter()
        .find(|one| one["schema"] == "olm.deprecations")
        .unwrap()["entries"];
    assert_eq!(said[0]["x"], 1, "unknown fields stay");
    assert_eq!(
        said[2],
        json!({"reference": {"schema": "olm.bundle", "name": "rake.v1"}, "message": "very old"})
    );
    assert_eq!(
        said[3],
        json!({"reference": {"schema": "olm.package"}, "message": "all"})
    );
    for what in [&what, &Deprecated::Package, &Deprecated::Channel("test".to_owned())] {
        assert!(draft.undeprecate(what).unwrap());
        assert!(!draft.undeprecate(what).unwrap());
    }
    assert!(draft.undeprecate(&Deprecated::Bundle("rake.v2".to_owned())).unwrap());
    assert!(
        !after(&draft, &documents)
            .iter()
            .any(|one| one["schema"] == "olm.deprecations")
    );
}

#[test]
fn channels_are_renamed_with_all_that_names_them_and_copied() {
    let mut draft = draft();
    draft.rename("stable", "fast").unwrap();
    draft.rename("test", "next").unwrap();
    draft.copy("fast", "slow").unwrap();
    draft.copy("fast", "slow").unwrap();
    assert!(matches!(draft.copy("next", "slow"), Err(DraftError::Taken { .. })));
    assert!(matches!(draft.rename("next", "slow"), Err(DraftError::Taken { .. })));
    let documents = after(&draft, &documents());
    assert_eq!(documents[0]["defaultChannel"], "fast");
    assert_eq!(documents[1]["x-owner"], "garden");
    let copied = documents.iter().find(|one| one["name"] == "slow").unwrap();
    assert_eq!(
        (&copied["x-owner"], &copied["entries"]),
        (&json!("garden"), &documents[1]["entries"])
    );
    let said = documents
        .iter()
        .find(|one| one["schema"] == "olm.deprecations")
        .unwrap();
    assert_eq!(said["entries"][0]["reference"]["name"], "next");
}

/// A package with one chain of versions, some of which skip others.
fn package() -> impl Strategy<Value = Vec<Value>> {
    let rows = prop::collection::vec((any::<bool>(), 0..3_usize), 2..8);
    rows.prop_map(|rows| {
        let name = |version: usize| format!("rake.v{version}");
        let mut entries = Vec::new();
        let mut below = 0;
        for (index, (skipped, skips)) in rows.iter().enumerate() {
            let version = index + 1;
            let last = version == rows.len();
            let skipping: Vec<String> = (below + 1..version).map(name).collect();
            let older: Vec<String> = (0..*skips).map(|old| format!("rake.v0-{old}")).collect();
            let skipping: Vec<&str> = skipping.iter().chain(&older).map(String::as_str).collect();
            let replaces = if below == 0 { String::new() } else { name(below) };
            if *skipped && !last {
                // The next one that is not skipped skips it.
                entries.push(entry(&name(version), &replaces, &[]));
            } else {
                entries.push(entry(&name(version), &replaces, &skipping));
                below = version;
            }
        }
        entries.reverse();
        let mut documents = vec![
            json!({"schema": "olm.package", "name": "rake", "defaultChannel": "stable"}),
            channel("stable", &entries),
        ];
        documents.extend((1..=rows.len()).map(bundle));
        documents
    })
}

/// Whether a cluster that runs a bundle gets to the head of the channel.
fn reaches_head(channel: &DraftChannel, from: &str) -> bool {
    let heads = channel.heads();
    let mut reached = BTreeSet::from([from.to_owned()]);
    let mut last = 0;
    while last != reached.len() {
        last = reached.len();
        for entry in &channel.entries {
            if reached.contains(&entry.replaces) || entry.skips.iter().any(|name| reached.contains(name)) {
                reached.insert(entry.name.clone());
            }
        }
    }
    heads.iter().any(|head| reached.contains(*head))
}

proptest! {
    #[test]
    fn after_removals_every_cluster_gets_to_the_head_or_is_named(
        documents in package(),
        gone in prop::collection::vec(1..8_usize, 1..4),
    ) {
        let before = Draft::read("rake", &documents).unwrap();
        prop_assert_eq!(before.channels[0].heads().len(), 1);
        let mut draft = before.clone();
        let mut stranded: BTreeSet<String> = BTreeSet::new();
        for version in gone {
            let name = format!("rake.v{version}");
            if draft.bundle(&name).is_none() {
                continue;
            }
            let mut changed = draft.clone();
            let Ok(removal) = changed.remove(&[target("", &name)], None) else { continue };
            stranded.extend(removal.stranded.into_iter().map(|(name, _)| name));
            draft = changed;
            prop_assert_eq!(draft.channels[0].heads().len(), 1);
            // What is read again is what was meant.
            let again = after(&draft, &documents);
            let again = Draft::read("rake", &again).unwrap();
            prop_assert_eq!(&again.channels[0].entries, &draft.channels[0].entries);
        }
        for bundle in &before.bundles {
            let reaches = reaches_head(&draft.channels[0], &bundle.name);
            prop_assert!(reaches || stranded.contains(&bundle.name), "{} of {:?}", bundle.name, draft.channels[0]);
        }
    }

    #[test]
    fn after_pruning_what_stays_leads_to_one_head(documents in package(), low in 1..8_u64, high in 1..8_u64) {
        let mut draft = Draft::read("rake", &documents).unwrap();
        let range = VersionRange::parse(&format!(">={low}.0.0 <={high}.0.0")).unwrap();
        if draft.prune(&part(Versions::In(range), None), None).is_ok() {
            let channel = &draft.channels[0];
            prop_assert_eq!(channel.heads().len(), 1);
            for entry in &channel.entries {
                prop_assert!(reaches_head(channel, &entry.name), "{} of {channel:?}", entry.name);
            }
        }
    }

    #[test]
    fn after_pruning_from_a_version_its_clusters_get_to_the_head(documents in package(), from in 1..8_u64) {
        let before = Draft::read("rake", &documents).unwrap();
        let mut draft = before.clone();
        if draft.prune(&part(Versions::All, Some(Version::new(from, 0, 0))), None).is_ok() {
            let name = format!("rake.v{from}");
            prop_assert!(reaches_head(&draft.channels[0], &name));
            prop_assert_eq!(draft.channels[0].heads(), before.channels[0].heads());
        }
    }

    #[test]
    fn after_a_cut_every_cluster_gets_to_the_head(documents in package(), below in 1..9_u64) {
        let before = Draft::read("rake", &documents).unwrap();
        let mut draft = before.clone();
        if let Ok(removal) = draft.truncate(&Version::new(below, 0, 0), None) {
            prop_assert!(removal.stranded.is_empty());
            for bundle in &before.bundles {
                prop_assert!(reaches_head(&draft.channels[0], &bundle.name), "{}", bundle.name);
            }
        }
    }
}
