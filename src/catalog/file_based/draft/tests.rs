use super::*;
use crate::catalog::file_based::shown::Shown;
use crate::catalog::file_based::{Icon, WrittenEntry};
use crate::catalog::graph::Mode;
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

/// Returns two channels; in the first one, v2 is replaced, and v4 skips v3.
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

/// Returns the documents after a change.
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
fn an_unchanged_draft_keeps_every_document() {
    let documents = documents();
    let kept: Vec<_> = (0..documents.len()).map(Revised::Kept).collect();
    assert_eq!(draft().revise(&documents), kept);
}

#[test]
fn the_replacing_bundle_inherits_the_edges_of_a_removed_one() {
    let mut draft = draft();
    let removal = draft.remove(&[target("", "2.0.0")], None).unwrap();
    assert_eq!(removal.bundles, ["rake.v2"]);
    assert!(removal.stranded.is_empty());
    let entry = &draft.channels[0].entries[0];
    assert_eq!((entry.name.as_str(), entry.replaces.as_str()), ("rake.v4", "rake.v1"));
    assert_eq!(entry.skips, ["rake.v3", "rake.v2", "rake.v0"]);
    let documents = after(&draft, &documents());
    assert_eq!(
        documents[1]["entries"][0]["x-note"], "rake.v4",
        "unknown fields are preserved"
    );
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
fn the_skipping_bundle_inherits_the_predecessor_of_a_removed_one() {
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
fn clusters_left_behind_by_a_removed_head_are_reported() {
    let mut changed = draft();
    let removal = changed.remove(&[target("test", "rake.v4")], None).unwrap();
    assert_eq!(removal.stranded, [("rake.v4".to_owned(), "test".to_owned())]);
    assert!(removal.bundles.is_empty(), "it is in another channel");
    let error = draft().remove(&[target("stable", "rake.v1"), target("test", "rake.v2")], None);
    assert_eq!(
        error.unwrap_err().to_string(),
        "bundle \"rake.v2\" is not in channel \"test\" of package \"rake\""
    );
}

#[test]
fn the_default_channel_is_removed_only_if_another_replaces_it() {
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
fn an_unknown_name_suggests_the_nearest_one() {
    let error = draft().remove(&[target("stabel", "")], None).unwrap_err();
    assert!(matches!(&error, DraftError::Channel { nearest: Some(name), .. } if name == "stable"));
    let error = draft().remove(&[target("", "rake.v5")], None).unwrap_err();
    assert!(matches!(&error, DraftError::Bundle { nearest: Some(_), .. }));
}

#[test]
fn lower_versions_are_removed_and_their_clusters_get_an_update_path() {
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
        from: from.into_iter().collect(),
        past_from: false,
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
fn a_pruned_part_stays_connected() {
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
        Err(DraftError::Outside { prerelease: None, .. })
    ));
}

#[test]
fn the_shortest_path_from_a_version_is_kept() {
    let way = |from: u64| {
        let mut draft = draft();
        draft
            .prune(&part(Versions::Nothing, Some(Version::new(from, 0, 0))), None)
            .unwrap();
        entries(&draft).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(way(3), ["rake.v4", "rake.v3"]);
    assert_eq!(way(1), ["rake.v4", "rake.v2", "rake.v1"]);
    assert_eq!(way(4), ["rake.v4"]);
}

#[test]
fn selected_versions_are_kept_in_addition_to_the_path_from_a_version() {
    let kept = |versions: Versions| {
        let mut draft = draft();
        draft.prune(&part(versions, Some(Version::new(3, 0, 0))), None).unwrap();
        entries(&draft).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(kept(Versions::Head), ["rake.v4", "rake.v3"]);
    assert_eq!(kept(Versions::All), ["rake.v4", "rake.v3", "rake.v2", "rake.v1"]);
    let range = VersionRange::parse("=2.0.0").unwrap();
    assert_eq!(kept(Versions::In(range)), ["rake.v4", "rake.v3", "rake.v2"]);
}

#[test]
fn a_wide_range_of_a_lower_bundle_does_not_lead_back_down() {
    let mut documents = documents();
    documents[1]["entries"] = json!([
        entry("rake.v4", "rake.v3", &[]),
        entry("rake.v3", "rake.v2", &[]),
        entry("rake.v2", "rake.v1", &[]),
        {"name": "rake.v1", "skipRange": ">=0.0.0 <99.0.0"},
    ]);
    let way = |from: u64| {
        let mut draft = Draft::read("rake", &documents).unwrap();
        let part = part(Versions::Nothing, Some(Version::new(from, 0, 0)));
        draft.prune(&part, None).map(|_| entries(&draft).join(" "))
    };
    assert_eq!(way(4).unwrap(), "rake.v4");
    assert_eq!(way(3).unwrap(), "rake.v4 rake.v3");
    assert_eq!(way(1).unwrap(), "rake.v4 rake.v3 rake.v2 rake.v1");
    assert_eq!(way(0).unwrap(), "rake.v4 rake.v3 rake.v2 rake.v1");
    // No update path starts above the head.
    assert!(matches!(way(9), Err(DraftError::NoStart { .. })));
}

#[test]
fn a_version_without_a_path_to_the_head_is_rejected() {
    let mut documents = documents();
    // The bundle that skips v2 is itself skipped.
    documents[1]["entries"] = json!([
        entry("rake.v4", "rake.v1", &["rake.v3"]),
        entry("rake.v3", "rake.v1", &["rake.v2"]),
        entry("rake.v2", "rake.v1", &[]),
        entry("rake.v1", "", &[]),
    ]);
    let mut draft = Draft::read("rake", &documents).unwrap();
    let error = draft
        .prune(&part(Versions::Nothing, Some(Version::new(2, 0, 0))), None)
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "channel \"stable\" of package \"rake\" has no update path from \"rake.v2\" to the head \"rake.v4\""
    );
}

#[test]
fn the_removal_of_a_head_by_pruning_is_reported() {
    let mut draft = draft();
    let range = VersionRange::parse("<3.0.0").unwrap();
    let (removal, _) = draft.prune(&part(Versions::In(range), None), None).unwrap();
    // Only the head skipped v3.
    let stranded = ["rake.v4", "rake.v3"].map(|bundle| (bundle.to_owned(), "stable".to_owned()));
    assert_eq!(removal.stranded, stranded);
    assert_eq!(draft.channels[0].heads(), ["rake.v2"]);
}

#[test]
fn all_versions_above_a_lower_head_are_reported() {
    let mut documents = documents();
    documents[1]["entries"] = json!([
        entry("rake.v4", "rake.v3", &[]),
        entry("rake.v3", "rake.v2", &[]),
        entry("rake.v2", "rake.v1", &[]),
        entry("rake.v1", "", &[]),
    ]);
    let below = |documents: &[Value], text: &str| {
        let mut draft = Draft::read("rake", documents).unwrap();
        let range = VersionRange::parse(text).unwrap();
        let (removal, _) = draft.prune(&part(Versions::In(range), None), None).unwrap();
        removal
            .stranded
            .into_iter()
            .map(|(bundle, _)| bundle)
            .collect::<Vec<_>>()
    };
    assert_eq!(below(&documents, "<3.0.0"), ["rake.v4", "rake.v3"]);
    assert!(below(&documents, ">=3.0.0").is_empty(), "the head stays");
    // Clusters whose version is in the skipRange of the new head can update to it.
    documents[1]["entries"][2]["skipRange"] = ">=3.0.0 <4.0.0".into();
    assert_eq!(below(&documents, "<3.0.0"), ["rake.v4"]);
}

#[test]
fn a_version_that_starts_no_path_is_reported() {
    let mut draft = draft();
    let from = Some(Version::new(0, 5, 0));
    let error = draft.prune(&part(Versions::Nothing, from), None).unwrap_err();
    assert_eq!(
        error.to_string(),
        "no update path of package \"rake\" starts at 0.5.0; the package has the versions 1.0.0, 2.0.0, 3.0.0, 4.0.0"
    );
}

#[test]
fn a_skipped_bundle_does_not_become_the_head() {
    let mut draft = draft();
    let range = VersionRange::parse("<4.0.0").unwrap();
    let (_, between) = draft.prune(&part(Versions::In(range), None), None).unwrap();
    assert_eq!(between, [("rake.v4".to_owned(), "stable".to_owned())]);
    assert_eq!(draft.channels[0].heads(), ["rake.v4"]);
}

#[test]
fn a_version_shared_by_two_bundles_is_ambiguous() {
    let mut documents = documents();
    let mut other = bundle(2);
    other["name"] = "rake-v2-1".into();
    documents.push(other);
    let mut draft = Draft::read("rake", &documents).unwrap();
    let error = draft.remove(&[target("", "2.0.0")], None).unwrap_err().to_string();
    assert!(
        error.ends_with("several bundles with version 2.0.0: \"rake.v2\", \"rake-v2-1\""),
        "{error}"
    );
}

#[test]
fn an_unknown_name_is_reported_even_next_to_the_whole_package() {
    let error = draft().remove(&[target("", ""), target("typo", "")], None).unwrap_err();
    assert!(matches!(error, DraftError::Channel { .. }));
}

#[test]
fn deprecations_are_added_once_and_removed() {
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
    assert_eq!(said[0]["x"], 1, "unknown fields are preserved");
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
fn channels_are_renamed_everywhere_and_copied() {
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

#[test]
fn the_replacing_bundle_inherits_the_range_of_a_removed_one() {
    let mut documents = documents();
    let with_range = |name: &str, replaces: &str, range: &str| {
        let mut entry = entry(name, replaces, &[]);
        entry["skipRange"] = range.into();
        entry
    };
    documents[1]["entries"] = json!([
        with_range("rake.v4", "rake.v3", ">=3.1.0 <4.0.0"),
        with_range("rake.v3", "rake.v2", ">=1.0.0 <3.0.0"),
        with_range("rake.v2", "rake.v1", ">=1.0.0 <3.0.0 || <0.1.0"),
        with_range("rake.v1", "", "not a range"),
    ]);
    let mut draft = Draft::read("rake", &documents).unwrap();
    let targets = ["rake.v1", "rake.v2", "rake.v3"].map(|bundle| target("stable", bundle));
    draft.remove(&targets, None).unwrap();
    let [entry] = &draft.channels[0].entries[..] else {
        panic!("{:?}", draft.channels)
    };
    assert_eq!(entry.skip_range, ">=3.1.0 <4.0.0 || >=1.0.0 <3.0.0 || <0.1.0");
    assert_eq!(entry.skips, ["rake.v3", "rake.v2", "rake.v1"]);
}

#[test]
fn duplicate_documents_are_rejected() {
    for place in [0, 1, 3, 7] {
        let mut documents = documents();
        documents.push(documents[place].clone());
        let error = Draft::read("rake", &documents).unwrap_err();
        assert!(error.to_string().starts_with("there are two documents for "), "{error}");
    }
    let mut notes = documents();
    notes.push(notes[8].clone());
    assert!(Draft::read("rake", &notes).is_ok());
}

/// Returns a bundle to add.
fn new(version: usize, replaces: &str, skips: &[&str]) -> NewBundle {
    NewBundle {
        shown: Shown::default(),
        stated: [].into(),
        document: bundle(version),
        entry: serde_json::from_value(
            json!({"name": format!("rake.v{version}"), "replaces": replaces, "skips": skips}),
        )
        .unwrap(),
        version: Some(Version::new(version as u64, 0, 0)),
        channels: vec!["stable".to_owned()],
        default_channel: None,
    }
}

fn placed(mode: Mode, channels: &[&str]) -> Placement {
    Placement {
        channels: channels.iter().map(|channel| (*channel).to_owned()).collect(),
        mode,
        ..Placement::default()
    }
}

#[test]
fn a_bundle_is_added_above_what_it_replaces_in_its_own_or_given_channels() {
    let mut draft = draft();
    let added = draft.add(&new(5, "rake.v4", &[]), &Placement::default(), None).unwrap();
    assert_eq!(added, ["stable"]);
    assert_eq!(entries(&draft)[..2], ["rake.v5", "rake.v4"]);
    let both = placed(Mode::Replaces, &["stable", "next"]);
    let known = bundle(5);
    assert_eq!(
        draft.add(&new(5, "rake.v4", &[]), &both, Some(&known)).unwrap(),
        ["next"]
    );
    assert_eq!(
        draft.bundles.iter().filter(|bundle| bundle.name == "rake.v5").count(),
        1
    );
    assert_eq!(draft.default_channel, "stable");
}

#[test]
fn adding_the_same_bundle_changes_nothing_and_a_different_one_requires_overwriting() {
    let mut same = draft();
    let known = bundle(4);
    let again = new(4, "rake.v2", &["rake.v3"]);
    assert!(
        same.add(&again, &Placement::default(), Some(&known))
            .unwrap()
            .is_empty()
    );
    assert_eq!(same.revise(&documents()), draft().revise(&documents()));

    let mut other = again.clone();
    other.document["image"] = "other".into();
    let error = draft().add(&other, &Placement::default(), Some(&known)).unwrap_err();
    assert!(
        matches!(&error, DraftError::Differs { fields, .. } if fields[0].starts_with("image ")),
        "{error}"
    );
    let edges = new(4, "rake.v3", &["rake.v2"]);
    let error = draft().add(&edges, &Placement::default(), Some(&known)).unwrap_err();
    assert!(matches!(error, DraftError::Edges { .. }), "{error}");
    let overwrite = Placement {
        overwrite: true,
        ..Placement::default()
    };
    let mut changed = draft();
    changed.add(&other, &overwrite, Some(&known)).unwrap();
    changed.add(&edges, &overwrite, Some(&known)).unwrap();
    assert_eq!(changed.channels[0].entries[0], edges.entry);
}

#[test]
fn a_bundle_that_would_become_a_second_head_is_rejected() {
    let error = draft()
        .add(&new(5, "rake.v3", &[]), &Placement::default(), None)
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "bundle rake.v5 would be a second head of channel \"stable\" of package \"rake\" beside rake.v4: it replaces \
         rake.v3, which is not the head"
    );
}

#[test]
fn a_version_is_inserted_in_order() {
    let edges = |draft: &Draft| -> Vec<(String, String, String)> {
        let entries = draft.channels[0].entries.iter();
        entries
            .map(|entry| (entry.name.clone(), entry.replaces.clone(), entry.skips.join(" ")))
            .collect()
    };
    let of = |name: &str, replaces: &str, skips: &str| (name.to_owned(), replaces.to_owned(), skips.to_owned());
    let mut semver = Draft::new("rake");
    for version in [2, 3, 1] {
        semver
            .add(&new(version, "", &[]), &placed(Mode::Semver, &["stable"]), None)
            .unwrap();
    }
    assert_eq!(
        edges(&semver),
        [
            of("rake.v3", "rake.v2", ""),
            of("rake.v2", "rake.v1", ""),
            of("rake.v1", "", "")
        ]
    );
    let mut patches = Draft::new("rake");
    for (version, name) in [("1.0.0", "a"), ("1.1.1", "c"), ("1.1.0", "b"), ("1.1.2", "d")] {
        let mut new = new(1, "ignored", &[]);
        new.version = Version::parse(version).ok();
        name.clone_into(&mut new.entry.name);
        patches
            .add(&new, &placed(Mode::SemverSkipPatch, &["stable"]), None)
            .unwrap();
    }
    assert_eq!(edges(&patches)[0], of("d", "a", "c b"));
    let mut unknown = new(4, "", &[]);
    unknown.version = None;
    unknown.entry.name = "rake".to_owned();
    let error = semver
        .add(&unknown, &placed(Mode::Semver, &["stable"]), None)
        .unwrap_err();
    assert!(
        matches!(&error, DraftError::Version { bundle, .. } if bundle == "rake"),
        "{error}"
    );
}

#[test]
fn a_new_package_gets_a_default_channel() {
    let add = |bundle: &NewBundle, placement: &Placement| {
        let mut draft = Draft::new("rake");
        draft.add(bundle, placement, None)?;
        draft.choose_default(std::iter::once(bundle), placement)?;
        Ok::<_, DraftError>(draft.default_channel)
    };
    let several = placed(Mode::Replaces, &["stable", "fast"]);
    let one = new(1, "", &[]);
    assert_eq!(add(&one, &Placement::default()).unwrap(), "stable");
    assert!(matches!(add(&one, &several), Err(DraftError::NoDefault { .. })));
    let named = NewBundle {
        default_channel: Some("fast".to_owned()),
        ..one.clone()
    };
    assert_eq!(add(&named, &several).unwrap(), "fast");
    let asked = Placement {
        default_channel: Some("stable".to_owned()),
        ..several
    };
    assert_eq!(add(&named, &asked).unwrap(), "stable");
    let misspelled = NewBundle {
        default_channel: Some("stabel".to_owned()),
        ..one.clone()
    };
    let error = add(&misspelled, &Placement::default()).unwrap_err();
    assert!(matches!(error, DraftError::UnknownDefault { .. }), "{error}");
    assert_eq!(
        add(&misspelled, &placed(Mode::Replaces, &["stable"])).unwrap(),
        "stable"
    );
    let nowhere = NewBundle {
        channels: Vec::new(),
        ..one
    };
    assert!(
        matches!(add(&nowhere, &Placement::default()), Err(DraftError::NoDefault { channels, .. }) if channels.is_empty())
    );
}

#[test]
fn a_new_package_has_the_icon_and_description_of_its_default_head() {
    let shown = |text: &str| Shown {
        icon: Some(Icon {
            data: "R0lGODlh".to_owned(),
            media_type: "image/gif".to_owned(),
        }),
        description: text.to_owned(),
        ..Shown::default()
    };
    let of = |bundle: NewBundle, text: &str| NewBundle {
        shown: shown(text),
        ..bundle
    };
    let bundles = [of(new(1, "", &[]), "one"), of(new(2, "rake.v1", &[]), "two")];
    let mut draft = Draft::new("rake");
    for bundle in &bundles {
        draft.add(bundle, &Placement::default(), None).unwrap();
    }
    draft.choose_default(bundles.iter(), &Placement::default()).unwrap();
    let package = json!({"schema": "olm.package", "name": "rake", "defaultChannel": "stable",
        "icon": {"base64data": "R0lGODlh", "mediatype": "image/gif"}, "description": "two"});
    assert!(draft.revise(&[]).contains(&Revised::New(package)));
    // An existing package keeps its own.
    let known = [json!({"schema": "olm.package", "name": "rake", "defaultChannel": "stable"})];
    assert_eq!(draft.revise(&known).first(), Some(&Revised::Kept(0)));
}

#[test]
fn changing_a_very_long_channel_does_not_compare_all_entries() {
    // Comparing each entry with all others would take minutes.
    const COUNT: usize = 60_000;
    let entries = (1..=COUNT).rev().map(|version| WrittenEntry {
        name: format!("rake.v{version}"),
        replaces: if version > 1 {
            format!("rake.v{}", version - 1)
        } else {
            String::new()
        },
        ..WrittenEntry::default()
    });
    let channel = DraftChannel {
        entries: entries.collect(),
        ..DraftChannel::new("stable")
    };
    let bundles = (1..=COUNT).map(|version| DraftBundle {
        source: None,
        document: None,
        name: format!("rake.v{version}"),
        version: Some(Version::new(version as u64, 0, 0)),
    });
    let draft = Draft {
        channels: vec![channel],
        bundles: bundles.collect(),
        default_channel: "stable".to_owned(),
        ..Draft::new("rake")
    };
    let half = Version::new(COUNT as u64 / 2, 0, 0);
    let mut cut = draft.clone();
    assert_eq!(cut.truncate(&half, None).unwrap().bundles.len(), COUNT / 2 - 1);
    assert_eq!(cut.channels[0].entries.last().unwrap().skips.len(), COUNT / 2 - 1);
    let mut from = draft.clone();
    from.prune(&part(Versions::Nothing, Some(half)), None).unwrap();
    assert_eq!(from.channels[0].entries.len(), COUNT / 2 + 1);
    let mut added = draft;
    let more = new(COUNT + 1, "", &[]);
    added.add(&more, &placed(Mode::Semver, &["stable"]), None).unwrap();
    assert_eq!(added.channels[0].heads(), [more.entry.name]);
}

/// The relation of a version to its channel: whether the next version skips this one, the number of older versions that
/// this one skips, and whether it has a range.
type Row = (bool, usize, bool);

/// Returns the entries of a channel with some of the versions, from the head down.
fn chain_of(versions: &[usize], rows: &[Row]) -> Vec<Value> {
    let name = |version: usize| format!("rake.v{version}");
    let mut entries = Vec::new();
    // The last version that is not skipped, and the skipped versions above it.
    let (mut below, mut skipped_ones) = (0, Vec::new());
    for (version, (skipped, skips, has_range)) in versions.iter().zip(rows) {
        let last = Some(version) == versions.last();
        let older = (0..*skips).map(|old| format!("rake.v0-{old}"));
        let skipping: Vec<String> = skipped_ones.iter().copied().map(name).chain(older).collect();
        let skipping: Vec<&str> = skipping.iter().map(String::as_str).collect();
        let replaces = if below == 0 { String::new() } else { name(below) };
        let is_skipped = *skipped && !last;
        let mut made = entry(&name(*version), &replaces, if is_skipped { &[] } else { &skipping });
        if *has_range {
            made["skipRange"] = format!("<{version}.0.0").into();
        }
        entries.push(made);
        if is_skipped {
            // The next version that is not skipped skips this one.
            skipped_ones.push(*version);
        } else {
            below = *version;
            skipped_ones.clear();
        }
    }
    entries.reverse();
    entries
}

/// Generates packages with a few channels, each a chain of some versions, some of which skip others.
fn package() -> impl Strategy<Value = Vec<Value>> {
    let row = (any::<bool>(), 0..3_usize, any::<bool>());
    let channel_of = (prop::collection::vec(row, 7), 1..128_usize);
    (prop::collection::vec(channel_of, 1..4), 2..8_usize).prop_map(|(channels, count)| {
        let mut documents = vec![json!({"schema": "olm.package", "name": "rake", "defaultChannel": "stable"})];
        for (place, (rows, members)) in channels.iter().enumerate() {
            // The first channel contains all versions.
            let versions = (1..=count).filter(|version| place == 0 || members & (1 << (version - 1)) != 0);
            let versions: Vec<usize> = versions.collect();
            if !versions.is_empty() {
                let name = ["stable", "fast", "test"][place];
                documents.push(channel(name, &chain_of(&versions, rows)));
            }
        }
        documents.extend((1..=count).map(bundle));
        documents
    })
}

/// Returns whether a cluster that runs a bundle can update to the head of the channel.
fn reaches_head(channel: &DraftChannel, from: &str) -> bool {
    let heads = channel.heads();
    let version = |name: &str| Version::parse(&format!("{}.0.0", name.strip_prefix("rake.v")?)).ok();
    let mut reached = BTreeSet::from([from.to_owned()]);
    let mut last = 0;
    while last != reached.len() {
        last = reached.len();
        for entry in &channel.entries {
            let range = VersionRange::parse_as_olm(&entry.skip_range)
                .ok()
                .filter(|_| !entry.skip_range.is_empty());
            let spans = |name: &String| {
                version(name)
                    .zip(range.as_ref())
                    .is_some_and(|(version, range)| range.contains(&version))
            };
            let leads_on = entry.below().any(|name| reached.contains(name)) || reached.iter().any(spans);
            if leads_on {
                reached.insert(entry.name.clone());
            }
        }
    }
    heads.iter().any(|head| reached.contains(*head))
}

/// Returns the bundles that a channel contained before a change.
fn members<'d>(before: &'d Draft, channel: &str) -> Vec<&'d str> {
    let channel = before.channels.iter().find(|known| known.name == channel).unwrap();
    channel.entries.iter().map(|entry| entry.name.as_str()).collect()
}

proptest! {
    #[test]
    fn after_removals_every_cluster_reaches_the_head_or_is_reported(
        documents in package(),
        gone in prop::collection::vec((1..8_usize, prop::option::of(0..3_usize)), 1..4),
    ) {
        let before = Draft::read("rake", &documents).unwrap();
        let mut draft = before.clone();
        let mut stranded: BTreeSet<(String, String)> = BTreeSet::new();
        for (version, from) in gone {
            let name = format!("rake.v{version}");
            if draft.bundle(&name).is_none() {
                continue;
            }
            let from = from.map_or("", |from| ["stable", "fast", "test"][from]);
            let mut changed = draft.clone();
            let Ok(removal) = changed.remove(&[target(from, &name)], None) else { continue };
            stranded.extend(removal.stranded);
            draft = changed;
            // Reading the result again returns the same channels.
            let again = after(&draft, &documents);
            let again = Draft::read("rake", &again).unwrap();
            for (again, channel) in again.channels.iter().zip(&draft.channels) {
                prop_assert!(prune::is_whole(&channel.entries), "{:?}", channel);
                prop_assert_eq!(&again.entries, &channel.entries);
            }
        }
        for channel in &draft.channels {
            for bundle in members(&before, &channel.name) {
                let is_named = stranded.contains(&(bundle.to_owned(), channel.name.clone()));
                prop_assert!(is_named || reaches_head(channel, bundle), "{} of {:?}", bundle, channel);
            }
        }
    }

    #[test]
    fn removing_several_bundles_equals_removing_them_one_by_one(documents in package(), gone in prop::collection::btree_set(1..8_usize, 1..5)) {
        let before = Draft::read("rake", &documents).unwrap();
        let targets: Vec<Target> = gone.iter().map(|version| target("", &format!("rake.v{version}"))).collect();
        let mut at_once = before.clone();
        if at_once.remove(&targets, None).is_ok() {
            let mut one_by_one = before.clone();
            for target in &targets {
                prop_assert!(one_by_one.remove(std::slice::from_ref(target), None).is_ok());
            }
            let links = |draft: &Draft| -> Vec<_> {
                let entries = draft.channels.iter().flat_map(|channel| &channel.entries);
                entries.map(|entry| (entry.name.clone(), entry.replaces.clone(), entry.skips.iter().cloned().collect::<BTreeSet<_>>())).collect()
            };
            prop_assert_eq!(links(&at_once), links(&one_by_one));
        }
    }

    #[test]
    fn after_pruning_the_rest_leads_to_one_head(documents in package(), low in 1..8_u64, high in 1..8_u64) {
        let mut draft = Draft::read("rake", &documents).unwrap();
        let range = VersionRange::parse(&format!(">={low}.0.0 <={high}.0.0")).unwrap();
        let part = Part { channels: Vec::new(), ..part(Versions::In(range), None) };
        if draft.prune(&part, None).is_ok() {
            for channel in &draft.channels {
                prop_assert!(prune::is_whole(&channel.entries), "{:?}", channel);
                for entry in &channel.entries {
                    prop_assert!(reaches_head(channel, &entry.name), "{} of {channel:?}", entry.name);
                }
            }
        }
    }

    #[test]
    fn after_pruning_from_a_version_its_clusters_reach_the_head(documents in package(), from in 1..8_u64) {
        let before = Draft::read("rake", &documents).unwrap();
        let mut draft = before.clone();
        let part = Part { channels: Vec::new(), ..part(Versions::Nothing, Some(Version::new(from, 0, 0))) };
        if draft.prune(&part, None).is_ok() {
            let name = format!("rake.v{from}");
            for channel in &draft.channels {
                let old = before.channels.iter().find(|old| old.name == channel.name).unwrap();
                if members(&before, &channel.name).contains(&name.as_str()) {
                    prop_assert!(reaches_head(channel, &name), "{name} of {channel:?}");
                }
                prop_assert_eq!(channel.heads(), old.heads());
            }
        }
    }

    #[test]
    fn after_truncation_every_cluster_reaches_the_head(documents in package(), below in 1..9_u64) {
        let before = Draft::read("rake", &documents).unwrap();
        let mut draft = before.clone();
        if let Ok(removal) = draft.truncate(&Version::new(below, 0, 0), None) {
            prop_assert!(removal.stranded.is_empty());
            for channel in &draft.channels {
                prop_assert!(prune::is_whole(&channel.entries), "{:?}", channel);
                for bundle in members(&before, &channel.name) {
                    prop_assert!(reaches_head(channel, bundle), "{bundle} of {channel:?}");
                }
            }
        }
    }
}

#[test]
fn skip_patch_mode_skips_patch_versions_that_replace_one_another() {
    let mut draft = Draft::new("rake");
    let mut add = |version: &str, mode: Mode| {
        let mut new = new(1, "", &[]);
        new.version = Version::parse(version).ok();
        version.clone_into(&mut new.entry.name);
        draft.add(&new, &placed(mode, &["stable"]), None).unwrap();
        assert_eq!(draft.channels[0].heads().len(), 1);
        let entries = draft.channels[0].entries.iter();
        let edges = entries.map(|entry| format!("{} > {} / {}", entry.name, entry.replaces, entry.skips.join(" ")));
        edges.collect::<Vec<_>>()
    };
    add("0.5.0", Mode::Semver);
    add("0.5.2", Mode::Semver);
    assert_eq!(
        add("0.5.1", Mode::SemverSkipPatch),
        ["0.5.2 >  / 0.5.1 0.5.0", "0.5.1 >  / 0.5.0", "0.5.0 >  / "]
    );
    assert_eq!(
        add("0.4.2", Mode::SemverSkipPatch),
        [
            "0.5.2 > 0.4.2 / 0.5.1 0.5.0",
            "0.5.1 > 0.4.2 / 0.5.0",
            "0.5.0 > 0.4.2 / ",
            "0.4.2 >  / "
        ]
    );
}

#[test]
fn an_entry_without_a_bundle_is_removed() {
    let mut draft = draft();
    draft.channels[0].entries.insert(
        0,
        WrittenEntry {
            name: "rake.v9".to_owned(),
            replaces: "rake.v4".to_owned(),
            ..WrittenEntry::default()
        },
    );
    draft.remove(&[target("stable", "rake.v9")], None).unwrap();
    assert_eq!(entries(&draft), ["rake.v4", "rake.v3", "rake.v2", "rake.v1"]);
    assert!(draft.remove(&[target("stable", "rake.v9")], None).is_err());
}
