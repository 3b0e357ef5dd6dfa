use super::*;
use crate::database::record::{Contents, RecordError};
use proptest::prelude::*;
use rusqlite::Connection;
use serde_json::{Value, json};
use std::path::PathBuf;

mod altered;
mod policies;

/// A bundle of package `p` in one line: `name version [replaces=X] [skips=X,Y] [channels=a,b] [default=a] [package=q]
/// [image=X] [substitutes=X] [note=X]`.
fn record(line: &str) -> Record {
    let mut words = line.split_whitespace();
    let (name, version) = (words.next().unwrap(), words.next().unwrap());
    let word = |key: &str| {
        let found = line
            .split_whitespace()
            .find_map(|word| word.strip_prefix(&format!("{key}=")));
        found.unwrap_or_default().to_owned()
    };
    let skips: Vec<_> = word("skips")
        .split(',')
        .filter(|skip| !skip.is_empty())
        .map(Value::from)
        .collect();
    let crd = crd(name);
    let mut csv = csv(name, version, &word("replaces"), &skips);
    for (key, annotation) in [("substitutes", "olm.substitutesFor"), ("note", "note")] {
        if !word(key).is_empty() {
            csv["metadata"]["annotations"][annotation] = word(key).into();
        }
    }
    let package = if word("package").is_empty() {
        "p".to_owned()
    } else {
        word("package")
    };
    let channels = if word("channels").is_empty() {
        "a".to_owned()
    } else {
        word("channels")
    };
    let contents = Contents {
        origin: name,
        csv: &csv,
        objects: vec![&crd, &csv],
        package: &package,
        channels: channels.split(',').map(str::to_owned).collect(),
        default_channel: Some(word("default")),
        dependencies: vec![("olm.label".to_owned(), format!(r#"{{"label":"{name}"}}"#))],
        properties: Vec::new(),
        bundle_path: &word("image"),
        extra_images: vec![format!("registry.example.com/{name}")],
        provided: crate::database::record::Provided::Defined,
    };
    Record::new(&contents).unwrap()
}

fn crd(name: &str) -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.example.com"},
        "spec": {
            "group": "example.com",
            "names": {"kind": "Thing", "plural": "things"},
            "versions": [{"name": "v1", "schema": {"description": name.repeat(3000)}}],
        },
    })
}

fn csv(name: &str, version: &str, replaces: &str, skips: &[Value]) -> Value {
    json!({
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "ClusterServiceVersion",
        "metadata": {"name": name},
        "spec": {"version": version.trim_matches('-'), "replaces": replaces, "skips": skips},
    })
}

struct Index {
    folder: tempfile::TempDir,
}

impl Index {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("index.db")
    }

    fn add(&self, lines: &[&str]) -> Result<Report, AddError> {
        self.add_records(lines.iter().map(|line| record(line)))
    }

    fn add_records(&self, records: impl IntoIterator<Item = Record>) -> Result<Report, AddError> {
        let path = self.path();
        commit(&Target::InPlace(&path), records)
    }

    fn bytes(&self) -> Vec<u8> {
        std::fs::read(self.path()).unwrap()
    }

    fn connection(&self) -> Connection {
        Connection::open_with_flags(self.path(), rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap()
    }

    fn count(&self, table: &str) -> i64 {
        let query = format!("SELECT count(*) FROM {table}");
        self.connection().query_row(&query, [], |row| row.get(0)).unwrap()
    }

    /// The entries of a package: channel, bundle, depth and target bundle.
    fn entries(&self, package: &str) -> Vec<String> {
        let connection = self.connection();
        let mut statement = connection
            .prepare(
                "SELECT e.channel_name || ' ' || e.operatorbundle_name || '@' || e.depth
                     || coalesce('>' || t.operatorbundle_name, '')
                 FROM channel_entry e LEFT JOIN channel_entry t ON e.replaces = t.entry_id
                 WHERE e.package_name = ?1 ORDER BY e.channel_name, e.entry_id",
            )
            .unwrap();
        let rows = statement.query_map([package], |row| row.get(0)).unwrap();
        rows.map(Result::unwrap).collect()
    }

    fn assert_sound(&self) {
        let connection = self.connection();
        let check: String = connection
            .query_row("PRAGMA integrity_check", [], |row| row.get(0))
            .unwrap();
        assert_eq!(check, "ok");
        let mut statement = connection.prepare("PRAGMA foreign_key_check").unwrap();
        assert!(
            statement.query([]).unwrap().next().unwrap().is_none(),
            "dangling references"
        );
        let names: Vec<_> = std::fs::read_dir(self.folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        assert_eq!(names, ["index.db"], "something was left behind");
    }
}

fn commit(target: &Target<'_>, records: impl IntoIterator<Item = Record>) -> Result<Report, AddError> {
    let mut additions = Additions::new(target.path().parent().unwrap());
    for record in records {
        additions.push(&record).unwrap();
    }
    additions.commit(Mode::Replaces, target, &ChangeOptions::default())
}

fn refusals(result: Result<Report, AddError>) -> Vec<Refusal> {
    match result {
        Err(AddError::Refused(refused)) => refused.into_iter().map(|refused| refused.refusal).collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn bundles_added_in_one_call_or_several_form_one_graph() {
    let lines = [
        "k1 1.0.0 channels=a,b default=b",
        "k2 2.0.0 replaces=k1 skips=k0 channels=b",
        "k3 3.0.0 replaces=k2 channels=a",
    ];
    let (one, several) = (Index::new(), Index::new());
    one.add(&lines).unwrap();
    for line in lines {
        several.add(&[line]).unwrap();
    }
    let expected = [
        "a k3@0>k2",
        "a k2@1>k1",
        "a k0@2",
        "a k2@2>k0",
        "a k1@3",
        "b k2@0>k1",
        "b k0@1",
        "b k2@1>k0",
        "b k1@2",
    ];
    assert_eq!(one.entries("p"), expected);
    assert_eq!(several.entries("p"), expected);
    for index in [one, several] {
        index.assert_sound();
        assert_eq!(
            (
                index.count("operatorbundle"),
                index.count("channel"),
                index.count("package")
            ),
            (3, 2, 1)
        );
        assert_eq!(
            (
                index.count("api"),
                index.count("api_provider"),
                index.count("dependencies")
            ),
            (1, 3, 3)
        );
        assert_eq!((index.count("properties"), index.count("related_image")), (6, 3));
    }
}

#[test]
fn two_runs_write_identical_bytes() {
    let lines = ["k1 1.0.0", "k2 2.0.0 replaces=k1", "q1 1.0.0 package=q"];
    let indexes = [Index::new(), Index::new()];
    for index in &indexes {
        index.add(&lines).unwrap();
        index.add(&["k3 3.0.0 replaces=k2", "r1 1.0.0 package=r"]).unwrap();
    }
    assert!(indexes[0].bytes() == indexes[1].bytes());
}

#[test]
fn a_copy_and_an_in_place_change_have_equal_content() {
    let (place, copy) = (Index::new(), Index::new());
    place.add(&["k1 1.0.0"]).unwrap();
    let before = place.bytes();
    let (from, to) = (place.path(), copy.path());
    let target = Target::Copy {
        from: Some(&from),
        to: &to,
        shown: &to,
    };
    commit(&target, [record("k2 2.0.0 replaces=k1")]).unwrap();
    assert!(place.bytes() == before, "the source of a copy was changed");
    place.add(&["k2 2.0.0 replaces=k1"]).unwrap();
    assert_eq!(place.entries("p"), copy.entries("p"));
    place.assert_sound();
    copy.assert_sound();
}

#[test]
fn the_report_contains_the_changes() {
    let index = Index::new();
    index
        .add(&["k1 1.0.0 channels=a,b default=a", "k2 2.0.0 replaces=k1 channels=a"])
        .unwrap();
    let report = index.add(&["k3 3.0.0 channels=a,c default=c"]).unwrap();
    assert_eq!(report.bundles.len(), 1);
    let change = &report.packages[0];
    assert_eq!(change.default_channel, (Some("a".to_owned()), "c".to_owned()));
    let channel = |channel: &str, before: Option<&str>| ChannelChange {
        channel: channel.to_owned(),
        before: before.map(str::to_owned),
        after: Some("k3".to_owned()),
    };
    assert_eq!(change.channels, [channel("a", Some("k2")), channel("c", None)]);
    let dropped: Vec<_> = change
        .dropped
        .iter()
        .map(|dropped| format!("{} {}", dropped.channel, dropped.bundle))
        .collect();
    assert_eq!(dropped, ["a k1", "a k2"]);
    assert_eq!(index.entries("p"), ["a k3@0", "b k1@0", "c k3@0"]);
    index.assert_sound();
}

#[test]
fn other_packages_are_not_changed() {
    let index = Index::new();
    index
        .add(&["q1 1.0.0 package=q", "q2 2.0.0 package=q replaces=q1", "k1 1.0.0"])
        .unwrap();
    let ids = |index: &Index| -> Vec<i64> {
        let connection = index.connection();
        let mut statement = connection
            .prepare("SELECT entry_id FROM channel_entry WHERE package_name = 'q'")
            .unwrap();
        let rows = statement.query_map([], |row| row.get(0)).unwrap();
        rows.map(Result::unwrap).collect()
    };
    let before = ids(&index);
    index.add(&["k2 2.0.0 replaces=k1"]).unwrap();
    assert_eq!(ids(&index), before);
    assert_eq!(index.entries("q"), ["a q2@0>q1", "a q1@1"]);
}

#[test]
fn a_duplicate_bundle_in_a_call_or_the_index_is_rejected() {
    let index = Index::new();
    let found = refusals(index.add(&["k1 1.0.0", "k1 1.0.0"]));
    assert!(
        matches!(found.as_slice(), [Refusal::Twice { bundle, .. }] if bundle == "k1"),
        "{found:?}"
    );
    assert!(!index.path().exists(), "a refused call made a database");
    index.add(&["k1 1.0.0 image=registry.example.com/k:1"]).unwrap();
    let before = index.bytes();
    let found = refusals(index.add(&["k1 1.0.0", "k2 2.0.0 replaces=k1 image=registry.example.com/k:1"]));
    assert!(
        matches!(found.as_slice(), [Refusal::AlreadyPresent { .. }, Refusal::ImagePresent { present, .. }] if present == "k1"),
        "{found:?}"
    );
    assert!(index.bytes() == before);
    index.add(&["k3 3.0.0"]).unwrap();
    let found = refusals(index.add(&["k1 1.0.0"]));
    assert!(matches!(found.as_slice(), [Refusal::Stranded { .. }]), "{found:?}");
}

#[test]
fn an_edge_does_not_leave_its_package() {
    let index = Index::new();
    let found = refusals(index.add(&["k1 1.0.0", "q1 1.0.0 package=q skips=k1"]));
    assert!(
        matches!(found.as_slice(), [Refusal::SeveralPackages { packages, .. }] if *packages == ["p", "q"]),
        "{found:?}"
    );
    index.add(&["k1 1.0.0 skips=ghost"]).unwrap();
    let mut found = refusals(index.add(&["q1 1.0.0 package=q replaces=k1", "q2 2.0.0 package=q skips=ghost"]));
    found.extend(refusals(index.add(&["k1 2.0.0 package=r"])));
    let edges: Vec<_> = found
        .iter()
        .map(|refusal| match refusal {
            Refusal::OtherPackage { edge, present, .. } => format!("{edge} {present}"),
            other => panic!("{other}"),
        })
        .collect();
    assert_eq!(edges, ["k1 p", "ghost p", "k1 p"]);
}

#[test]
fn a_rejected_graph_leaves_the_database_unchanged() {
    let index = Index::new();
    index.add(&["k2 2.0.0"]).unwrap();
    let before = index.bytes();
    let found = refusals(index.add(&["q1 1.0.0 package=q", "k1 1.0.0", "r2 2.0.0 package=r replaces=r1"]));
    assert!(
        matches!(
            found.as_slice(),
            [
                Refusal::Graph(graph::GraphError::Unreachable { .. }),
                Refusal::Graph(graph::GraphError::ReplacesMissing { .. })
            ]
        ),
        "{found:?}"
    );
    assert!(index.bytes() == before);
    index.assert_sound();
}

#[test]
fn a_removed_bundle_returns_when_it_is_replaced() {
    let index = Index::new();
    index.add(&["k1 1.0.0"]).unwrap();
    index.add(&["k2 2.0.0"]).unwrap();
    assert_eq!(index.entries("p"), ["a k2@0"]);
    index.add(&["k3 3.0.0 replaces=k1 skips=k2"]).unwrap();
    assert_eq!(index.entries("p"), ["a k3@0>k1", "a k2@1", "a k3@1>k2", "a k1@2"]);
    index.assert_sound();
}

#[test]
fn a_bundle_without_version_and_image_has_null_in_its_rows() {
    let index = Index::new();
    index.add(&["k1 -"]).unwrap();
    for table in ["api_provider", "dependencies", "properties"] {
        let query = format!("{table} WHERE operatorbundle_version IS NULL AND operatorbundle_path IS NULL");
        assert!(index.count(&query) > 0, "{table}");
    }
    assert_eq!(
        index.count("operatorbundle WHERE version = '' AND bundlepath = '' AND replaces = '' AND substitutesfor = ''"),
        1
    );
    index.assert_sound();
}

#[test]
fn a_deprecated_bundle_ends_the_graph_and_is_rejected_when_added_again() {
    let index = Index::new();
    index.add(&["k1 1.0.0", "k2 2.0.0 replaces=k1"]).unwrap();
    let connection = Connection::open(index.path()).unwrap();
    connection
        .execute_batch("INSERT INTO deprecated VALUES ('k2'), ('k3')")
        .unwrap();
    drop(connection);
    index.add(&["k3 3.0.0 replaces=k2", "k4 4.0.0 replaces=k3"]).unwrap();
    assert_eq!(index.entries("p"), ["a k4@0>k3", "a k3@1"]);
    assert_eq!(
        index.count("properties WHERE type = 'olm.deprecated' AND value = '{}' AND operatorbundle_name = 'k3'"),
        1
    );
    assert_eq!(index.count("properties WHERE type = 'olm.deprecated'"), 1);
}

#[test]
fn a_duplicate_bundle_does_not_hide_other_errors() {
    let index = Index::new();
    index.add(&["k1 1.0.0"]).unwrap();
    let found = refusals(index.add(&[
        "k2 2.0.0 replaces=k1",
        "k2 2.0.0 replaces=k1",
        "k3 3.0.0 replaces=nothing",
        "q1 1.0.0 package=q replaces=none",
    ]));
    assert!(
        matches!(
            found.as_slice(),
            [
                Refusal::Twice { bundle, .. },
                Refusal::Graph(graph::GraphError::ReplacesMissing { package: first, .. }),
                Refusal::Graph(graph::GraphError::ReplacesMissing { package: second, .. }),
            ] if bundle == "k2" && first == "p" && second == "q"
        ),
        "{found:?}"
    );
}

#[test]
fn names_with_a_meaning_in_sql_are_plain_names() {
    let index = Index::new();
    let line = "k'1\" 1.0.0 channels=a'; package=p\"--";
    index.add(&[line]).unwrap();
    assert_eq!(index.entries("p\"--"), ["a'; k'1\"@0"]);
}

#[test]
fn an_invalid_record_is_an_error_and_not_a_panic() {
    let csv = json!([]);
    let contents = Contents {
        origin: "x",
        csv: &csv,
        objects: vec![&csv],
        package: "",
        channels: vec![String::new()],
        default_channel: None,
        dependencies: Vec::new(),
        properties: Vec::new(),
        bundle_path: "",
        extra_images: Vec::new(),
        provided: crate::database::record::Provided::Defined,
    };
    assert!(matches!(Record::new(&contents), Err(RecordError::NameMissing { .. })));
}

/// Lines that describe bundles of two packages, most of which can be added.
fn calls() -> impl Strategy<Value = Vec<Vec<String>>> {
    let bundle = (
        any::<bool>(),
        0..4_u8,
        prop::sample::subsequence(vec!["a", "b", "c"], 1..3),
        any::<bool>(),
    );
    let bundles = prop::collection::vec(bundle, 2..10);
    (bundles, prop::collection::vec(any::<prop::sample::Index>(), 0..3)).prop_map(|(bundles, cuts)| {
        let mut last = [None, None];
        let lines = bundles
            .into_iter()
            .enumerate()
            .map(|(number, (second, kind, channels, _))| {
                let package = usize::from(second);
                let before: Option<usize> = last[package].replace(number);
                let edges = match (kind, before) {
                    (0, Some(before)) => format!("skips=k{before},ghost{package}"),
                    (1, Some(before)) => format!("replaces=k{before} skips=k{before}"),
                    (2.., Some(before)) => format!("replaces=k{before}"),
                    _ => String::new(),
                };
                format!(
                    "k{number} 1.{number}.0 {edges} channels={} default={} package=p{package}",
                    channels.join(","),
                    channels[0]
                )
            });
        let mut lines: Vec<_> = lines.collect();
        let mut calls = Vec::new();
        for cut in cuts {
            let rest = lines.split_off(cut.index(lines.len() + 1).min(lines.len()));
            calls.push(std::mem::replace(&mut lines, rest));
        }
        calls.push(lines);
        calls
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_order_of_bundles_in_a_call_does_not_change_the_bytes(
        (calls, shuffled) in calls().prop_flat_map(|calls| {
            let shuffled: Vec<_> = calls.iter().map(|call| Just(call.clone()).prop_shuffle()).collect();
            (Just(calls), shuffled)
        })
    ) {
        let (one, other) = (Index::new(), Index::new());
        for (call, shuffled) in calls.iter().zip(&shuffled) {
            let results = [(&one, call), (&other, shuffled)].map(|(index, call)| {
                index.add_records(call.iter().map(|line| record(line))).map_err(|error| error.to_string())
            });
            prop_assert_eq!(&results[0], &results[1]);
        }
        prop_assert_eq!(one.path().exists(), other.path().exists());
        if one.path().exists() {
            prop_assert!(one.bytes() == other.bytes());
            one.assert_sound();
        }
    }

    #[test]
    fn repeated_additions_store_the_graph_of_the_last_call(calls in calls()) {
        let index = Index::new();
        for call in &calls {
            let Ok(report) = index.add_records(call.iter().map(|line| record(line))) else { continue };
            for change in &report.packages {
                let connection = index.connection();
                let query = "SELECT count(*) FROM channel_entry WHERE package_name = ?1 AND channel_name = ?2 AND operatorbundle_name = ?3";
                for dropped in &change.dropped {
                    let entries: i64 = connection.query_row(query, (&change.package, &dropped.channel, &dropped.bundle), |row| row.get(0)).unwrap();
                    prop_assert_eq!(entries, 0);
                }
                let heads = "SELECT count(*) FROM channel c JOIN channel_entry e ON e.channel_name = c.name
                     AND e.package_name = c.package_name AND e.operatorbundle_name = c.head_operatorbundle_name
                     WHERE e.depth = 0 AND c.package_name = ?1";
                let heads: i64 = connection.query_row(heads, [&change.package], |row| row.get(0)).unwrap();
                let channels: i64 = connection.query_row("SELECT count(*) FROM channel WHERE package_name = ?1", [&change.package], |row| row.get(0)).unwrap();
                prop_assert_eq!(heads, channels);
            }
        }
        if index.path().exists() {
            index.assert_sound();
        }
    }
}
