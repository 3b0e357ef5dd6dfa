//! Versions and version ranges: what an author may write means the same to OLM, and every question has one answer.

use opmx::version::{VersionRange, parse_strict, parse_tolerant, strict_part};
use semver::Version;

/// In ascending order; ranges are checked against each.
const VERSIONS: [&str; 12] = [
    "0.0.0-0",
    "0.0.0",
    "0.1.0",
    "1.0.0-alpha.1",
    "1.0.0-rc.1",
    "1.0.0",
    "1.0.0+build",
    "1.0.1-0",
    "1.2.3",
    "1.10.0",
    "2.0.0",
    "18446744073709551615.18446744073709551615.18446744073709551615",
];

/// Reads any two strings as ranges.
pub fn ranges(one: &str, other: &str) {
    let versions: Vec<Version> = VERSIONS.iter().map(|text| text.parse().unwrap()).collect();
    let read: Vec<VersionRange> = [one, other]
        .into_iter()
        .flat_map(|text| range(text, &versions))
        .collect();
    for left in &read {
        for right in &read {
            let overlap = left.overlaps(right);
            assert_eq!(overlap, right.overlaps(left), "{left:?} {right:?}");
            let shared = versions
                .iter()
                .find(|version| left.contains(version) && right.contains(version));
            assert!(overlap || shared.is_none(), "{left:?} and {right:?} share {shared:?}");
        }
    }
}

/// Parses the string as an author's range and as OLM's.
fn range(text: &str, versions: &[Version]) -> Vec<VersionRange> {
    let (author, olm) = (VersionRange::parse(text), VersionRange::parse_as_olm(text));
    if let Err(error) = &author {
        assert!(text.get(error.span.clone()).is_some(), "{text:?}: {error:?}");
        assert!(!error.reason.is_empty());
    }
    if let Ok(author) = &author {
        let olm = olm
            .as_ref()
            .unwrap_or_else(|refused| panic!("OLM refuses {text:?}: {refused}"));
        for version in versions {
            assert_eq!(author.contains(version), olm.contains(version), "{text:?} {version}");
        }
    }
    let read: Vec<VersionRange> = author.into_iter().chain(olm).collect();
    for range in &read {
        let positions = range.positions(versions, |version| version);
        let found: Vec<usize> = positions.into_iter().flatten().collect();
        let expected = (0..versions.len()).filter(|at| range.contains(&versions[*at]));
        assert_eq!(found, expected.collect::<Vec<_>>(), "{text:?}");
    }
    read
}

/// Reads any string as a version: a strict version is also a tolerated one, with the same meaning.
pub fn version(text: &str) {
    if let Ok(strict) = parse_strict(text) {
        assert_eq!(parse_tolerant(text), Some(strict), "{text:?}");
        assert_eq!(strict_part(text), Some(text));
    }
    if let Some(part) = strict_part(text) {
        assert!(parse_strict(part).is_ok() && text.contains(part), "{text:?}");
    }
    if let Some(tolerant) = parse_tolerant(text) {
        assert_eq!(parse_strict(&tolerant.to_string()).as_ref(), Ok(&tolerant), "{text:?}");
    }
}
