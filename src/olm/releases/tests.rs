use super::*;
use crate::olm::intent::INTENT;

fn lacking(olm: &str) -> Vec<Feature> {
    let olm: Olm = olm.parse().unwrap();
    let lacking = SUPPORT.iter().filter(|row| !olm.has(row));
    lacking.map(|row| row.feature).collect()
}

#[test]
fn every_feature_has_one_row_with_a_source_and_a_rule() {
    for (number, row) in SUPPORT.iter().enumerate() {
        let first = SUPPORT.iter().position(|other| other.feature == row.feature);
        assert_eq!(first, Some(number), "{:?} appears twice", row.feature);
        assert!(!row.source.is_empty() && !row.instead.is_empty(), "{:?}", row.feature);
        assert!(
            row.rule.is_none_or(|rule| rule.id.starts_with("cluster-")),
            "{:?}",
            row.feature
        );
        if let Since::Release(release) | Since::After(release) = row.since {
            assert!((OLDEST..=NEWEST).contains(&release), "{:?}", row.feature);
        }
    }
}

#[test]
fn a_newer_olm_supports_everything_an_older_one_does() {
    let versions = [
        "0.5", "0.14", "0.14.1", "0.15", "0.16", "v0.16.1", "0.18.0", "0.19", "0.20", "0.46", "0.99",
    ];
    for pair in versions.windows(2) {
        let (older, newer) = (lacking(pair[0]), lacking(pair[1]));
        assert!(newer.iter().all(|feature| older.contains(feature)), "{pair:?}");
    }
    assert_eq!(lacking("0.99"), lacking("registry+v1"));
}

#[test]
fn the_first_release_with_a_feature_has_it_and_the_previous_one_does_not() {
    let lacks = |olm: &str, feature| lacking(olm).contains(&feature);
    for (feature, before, first) in [
        (Feature::BundleImage, "0.13.0", "0.14.0"),
        (Feature::Dependency(property::LABEL), "0.16.0", "v0.16.1"),
        (Feature::LargeImage, "0.18.3", "0.19"),
        (Feature::Dependency(property::CONSTRAINT), "0.19.1", "0.20.0"),
        (Feature::Kind("ConsoleLink"), "0.18.0", "0.18.1"),
        (Feature::Kind("NetworkPolicy"), "0.29.0", "0.30.0"),
    ] {
        assert!(lacks(before, feature) && !lacks(first, feature), "{feature:?}");
    }
    assert!(lacks("0.20.0-rc.1", Feature::Dependency(property::CONSTRAINT)));
    assert!(lacks("registry+v1", Feature::PlainImage) && !lacks("registry+v1", Feature::BundleImage));
}

#[test]
fn the_proposals_support_everything_that_releases_do_and_more() {
    let (proposed, released) = (lacking("proposed"), lacking("registry+v1"));
    assert!(proposed.iter().all(|feature| released.contains(feature)));
    for feature in [
        Feature::Intent,
        Feature::Constraint(INTENT),
        Feature::PlainImage,
        Feature::Property(property::OPTIONAL_MANIFESTS),
    ] {
        assert!(
            released.contains(&feature) && !proposed.contains(&feature),
            "{feature:?}"
        );
    }
    assert!(proposed.contains(&Feature::HugeImage), "nobody proposes this");
    assert_eq!("proposed".parse(), Ok(Olm::default()));
}

#[test]
fn an_unknown_olm_version_is_rejected_with_the_valid_ones() {
    for (wrong, numbered) in [
        ("4.12", true),
        ("1.0.0", true),
        ("k8s+v1", false),
        ("", false),
        ("new", false),
    ] {
        let error = wrong.parse::<Olm>().unwrap_err();
        assert_eq!(error, UnknownOlm { numbered }, "{wrong}");
        let said = error.to_string();
        assert!(said.contains("registry+v1") && said.contains("0.14 to 0.46"), "{said}");
        assert_eq!(said.contains("OpenShift"), numbered, "{said}");
    }
}

#[test]
fn versions_outside_the_table_are_accepted_with_a_note() {
    let caution = |text: &str| text.parse::<Olm>().unwrap().caution();
    for known in ["registry+v1", "0.14.0", "0.28", "0.46.3"] {
        assert_eq!(caution(known), None, "{known}");
    }
    assert!(caution("0.13").unwrap().contains("before 0.14.0"));
    assert!(caution("0.47.0").unwrap().contains("up to 0.46; OLM 0.47.0"));
}
