//! Bundles that are already in the index, and bundles that substitute for others.

use super::super::promote::{Promotion, promote};
use super::*;

const SKIP: Policy = Policy {
    mode: Mode::Replaces,
    existing: Existing::Skip,
    substitutes: false,
    refuse_losses: false,
};
const OVERWRITE: Policy = Policy {
    existing: Existing::Overwrite,
    ..SKIP
};
const SUBSTITUTES: Policy = Policy {
    existing: Existing::Refuse,
    substitutes: true,
    ..SKIP
};

impl Index {
    fn add_with(&self, policy: Policy, lines: &[&str]) -> Result<Report, AddError> {
        let path = self.path();
        let mut additions = Additions::new(self.folder.path());
        for line in lines {
            additions.push(&record(line)).unwrap();
        }
        additions.commit(policy, &Target::InPlace(&path), &ChangeOptions::default())
    }

    /// For each bundle, its name and the bundles that it replaces, skips and substitutes for.
    fn edges(&self) -> Vec<String> {
        let connection = self.connection();
        let sql = "SELECT name || ' > ' || replaces || ' | ' || skips || ' ~ ' || substitutesfor FROM operatorbundle
            ORDER BY name";
        let mut statement = connection.prepare(sql).unwrap();
        let rows = statement.query_map([], |row| row.get(0)).unwrap();
        rows.map(Result::unwrap).collect()
    }
}

#[test]
fn unchanged_existing_bundles_can_be_skipped() {
    let index = Index::new();
    index.add(&["k1 1.0.0 image=x:1", "k2 2.0.0 replaces=k1"]).unwrap();
    let before = index.bytes();
    let report = index
        .add_with(SKIP, &["k1 1.0.0 image=x:1", "k2 2.0.0 replaces=k1"])
        .unwrap();
    assert_eq!(report.skipped, ["k1", "k2"]);
    assert!(report.bundles.is_empty() && report.packages.is_empty());
    assert!(index.bytes() == before, "nothing is written");
    let report = index
        .add_with(SKIP, &["k2 2.0.0 replaces=k1", "k3 3.0.0 replaces=k2"])
        .unwrap();
    assert_eq!(report.skipped, ["k2"]);
    assert_eq!(index.entries("p"), ["a k3@0>k2", "a k2@1>k1", "a k1@2"]);
    for other in ["k1 1.0.0 image=x:2", "k1 1.0.0 image=x:1 note=other"] {
        let refused = refusals(index.add_with(SKIP, &[other]));
        assert!(matches!(refused[..], [Refusal::AlreadyPresent { .. }]), "{refused:?}");
    }
    index.assert_sound();
}

#[test]
fn the_head_of_a_channel_can_be_overwritten() {
    let (index, fresh) = (Index::new(), Index::new());
    index
        .add(&["k1 1.0.0", "k2 2.0.0 replaces=k1 channels=a,b default=a"])
        .unwrap();
    let report = index
        .add_with(
            OVERWRITE,
            &["k2 2.0.1 replaces=k1 channels=a,b default=a image=x:2 note=new"],
        )
        .unwrap();
    assert_eq!(report.overwritten, ["k2"]);
    fresh
        .add(&[
            "k1 1.0.0",
            "k2 2.0.1 replaces=k1 channels=a,b default=a image=x:2 note=new",
        ])
        .unwrap();
    assert_eq!(index.entries("p"), fresh.entries("p"));
    assert_eq!(index.edges(), fresh.edges());
    for table in [
        "properties",
        "dependencies",
        "related_image",
        "api",
        "api_provider",
        "channel",
    ] {
        assert_eq!(index.count(table), fresh.count(table), "{table}");
    }
    index.assert_sound();
    // The next version is added above it.
    index.add(&["k3 3.0.0 replaces=k2"]).unwrap();
    let before = index.bytes();
    let refused = refusals(index.add_with(OVERWRITE, &["k2 2.0.2 replaces=k1"]));
    assert!(
        matches!(&refused[..], [Refusal::NotLatest { by, .. }] if by == "k3"),
        "{refused:?}"
    );
    assert!(index.bytes() == before);
}

#[test]
fn only_one_bundle_of_a_package_can_be_overwritten_at_a_time() {
    let index = Index::new();
    index
        .add(&["k1 1.0.0 channels=a default=a", "k2 2.0.0 channels=b default=b"])
        .unwrap();
    let refused = refusals(index.add_with(OVERWRITE, &["k1 1.0.1 channels=a", "k2 2.0.1 channels=b default=b"]));
    assert!(
        matches!(refused[..], [Refusal::SeveralOverwritten { .. }]),
        "{refused:?}"
    );
    let semver = Policy {
        mode: Mode::Semver,
        ..OVERWRITE
    };
    let refused = refusals(index.add_with(semver, &["k2 2.0.1 channels=b default=b"]));
    assert!(
        matches!(refused[..], [Refusal::OverwriteMode, Refusal::AlreadyPresent { .. }]),
        "{refused:?}"
    );
}

#[test]
fn bundles_that_are_not_in_the_index_are_added_in_every_mode_when_others_are_to_be_overwritten() {
    let index = Index::new();
    index.add(&["k1 1.0.0"]).unwrap();
    let semver = Policy {
        mode: Mode::Semver,
        ..OVERWRITE
    };
    index.add_with(semver, &["k2 2.0.0"]).unwrap();
    index.assert_sound();
}

#[test]
fn omitted_manifests_leave_no_free_pages() {
    let index = Index::new();
    let name = "a-bundle-with-a-long-name".repeat(2);
    let line = |number| format!("{name}{number} 1.{number}.0 image=registry.example.com/k:{number}");
    let lines: Vec<String> = (0..30).map(line).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    index.add_with(Policy::from(Mode::Semver), &lines).unwrap();
    let connection = Connection::open(index.path()).unwrap();
    let free: i64 = connection
        .pragma_query_value(None, "freelist_count", |row| row.get(0))
        .unwrap();
    assert_eq!(free, 0);
}

#[test]
fn a_substitute_replaces_what_it_stands_in_for() {
    let lines = [
        "k1 1.0.0",
        "k2 2.0.0 replaces=k1",
        "k2r 2.0.0+1 replaces=k1 substitutes=k2",
        "k3 3.0.0 replaces=k2",
    ];
    let refused = refusals(Index::new().add(&lines));
    assert!(matches!(refused[..], [Refusal::Substitutes { .. }]), "{refused:?}");
    let expected = ["k1 >  |  ~ ", "k2 > k1 |  ~ ", "k2r > k1 | k2 ~ k2", "k3 > k2r |  ~ "];
    for order in [[0, 1, 2, 3], [0, 1, 3, 2]] {
        let index = Index::new();
        for line in order.map(|number| lines[number]) {
            index.add_with(SUBSTITUTES, &[line]).unwrap();
            index.assert_sound();
        }
        assert_eq!(index.edges(), expected);
        assert_eq!(
            index.entries("p"),
            ["a k3@0>k2r", "a k2r@1>k1", "a k2@2", "a k2r@2>k2", "a k1@3"]
        );
    }
    let whole = Index::new();
    whole.add_with(SUBSTITUTES, &lines).unwrap();
    assert_eq!(whole.edges(), expected);
}

#[test]
fn a_channel_with_a_blank_name_is_refused_for_a_promotion() {
    let index = Index::new();
    index.add(&["k1 1.0.0"]).unwrap();
    let bundles = BTreeSet::from(["k1".to_owned()]);
    for blank in ["", " \t", "\u{a0}"] {
        let promotion = Promotion {
            bundles: &bundles,
            channels: &BTreeSet::from([blank.to_owned()]),
            mode: Mode::Replaces,
        };
        let path = index.path();
        let refused = promote(promotion, &Target::InPlace(&path), &ChangeOptions::default()).unwrap_err();
        assert!(refused.to_string().contains(&format!("{blank:?}")), "{refused}");
    }
}
