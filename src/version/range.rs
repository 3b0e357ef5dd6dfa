//! Version ranges.
//!
//! OLM ranges differ from those of Cargo and npm. Adjacent terms mean *and*, and ` || ` means *or*. `^`, `~` and commas
//! are not supported. Pre-releases are ordinary versions in the version order.
//!
//! A string can be parsed in two ways: [`VersionRange::parse`] accepts only ranges that authors should use, and its
//! errors suggest corrections. [`VersionRange::parse_as_olm`] accepts all ranges in catalogs, and agrees with OLM even
//! in unexpected cases.

use super::bound::{Bound, Operator};
use super::{olm_range, parse_strict};
use semver::Version;
use std::cmp::Ordering;

/// A version range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionRange {
    /// The alternatives. A version is in the range if all bounds of at least one alternative hold.
    alternatives: Vec<Vec<Bound>>,
}

/// The operators, longest first, so that `>=` is not parsed as `>`.
const OPERATORS: [(&str, Operator); 8] = [
    ("==", Operator::Equal),
    ("!=", Operator::NotEqual),
    (">=", Operator::GreaterOrEqual),
    ("<=", Operator::LessOrEqual),
    ("=", Operator::Equal),
    ("!", Operator::NotEqual),
    (">", Operator::Greater),
    ("<", Operator::Less),
];

/// The error for a string that is not a valid range, with the position of the invalid part.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct RangeError {
    /// The byte range of the invalid part of the string.
    pub span: std::ops::Range<usize>,
    /// A description of the problem and its correction.
    pub reason: String,
}

impl VersionRange {
    /// Parses a range such as `>=1.0.0 <2.0.0 || 3.x`.
    ///
    /// # Errors
    /// Returns an error with the invalid part.
    pub fn parse(text: &str) -> Result<Self, RangeError> {
        let mut alternatives = vec![Vec::new()];
        let mut terms = words(text).peekable();
        while let Some((start, word)) = terms.next() {
            let fail = |length: usize, reason: String| RangeError {
                span: start..start + length,
                reason,
            };
            if word == "||" {
                if alternatives.last().is_some_and(Vec::is_empty) || terms.peek().is_none() {
                    return Err(fail(2, "|| requires a version on both sides".to_owned()));
                }
                alternatives.push(Vec::new());
                continue;
            }
            let (operator, rest) = split_operator(word);
            // OLM allows spaces between an operator and its version, but not after `!`.
            let (version_start, version) = match (rest, terms.peek()) {
                ("", Some((next, version))) if *version != "||" && word != "!" => {
                    let found = (*next, *version);
                    terms.next();
                    found
                }
                ("", _) => return Err(fail(word.len(), format!("a version is missing after {word}"))),
                _ => (start + word.len() - rest.len(), rest),
            };
            let bounds = expand(operator, version).map_err(|reason| RangeError {
                span: version_start..version_start + version.len(),
                reason,
            })?;
            if let Some(alternative) = alternatives.last_mut() {
                alternative.extend(bounds);
            }
        }
        if alternatives.iter().any(Vec::is_empty) {
            return Err(RangeError {
                span: 0..text.len(),
                reason: "the range is empty".to_owned(),
            });
        }
        let range = Self { alternatives };
        let other = match Self::parse_as_olm(text) {
            Ok(olm) if olm.is_same(&range) => return Ok(range),
            Ok(_) => "OLM interprets it as a different range".to_owned(),
            Err(reason) => format!("OLM cannot parse it ({reason})"),
        };
        let why = if text.contains('x') {
            "; in OLM ranges, any x is a wildcard"
        } else {
            ""
        };
        Err(RangeError {
            span: 0..text.len(),
            reason: format!("{other}{why}"),
        })
    }

    /// Whether the bounds are the same, in the same order.
    fn is_same(&self, other: &Self) -> bool {
        let same = |one: &Bound, other: &Bound| {
            one.operator == other.operator && one.version.cmp_precedence(&other.version).is_eq()
        };
        let parts = |range: &Self| range.alternatives.iter().map(Vec::len).collect::<Vec<_>>();
        let bounds = |range: &Self| range.alternatives.concat();
        parts(self) == parts(other)
            && bounds(self)
                .iter()
                .zip(&bounds(other))
                .all(|(one, other)| same(one, other))
    }

    /// Parses a range like OLM.
    ///
    /// # Errors
    /// Returns the error message of OLM.
    pub fn parse_as_olm(text: &str) -> Result<Self, String> {
        let alternatives = olm_range::alternatives(text)?;
        Ok(Self { alternatives })
    }

    /// Whether any version is in both ranges.
    pub fn overlaps(&self, other: &Self) -> bool {
        // Both ranges are unions of intervals, so their intersection begins at the lowest possible version, at the
        // version of a bound, or right after the version of a bound.
        let bounds = self.alternatives.iter().chain(&other.alternatives).flatten();
        let mut candidates: Vec<Version> = bounds
            .flat_map(|bound| [successor(&bound.version), Some(bound.version.clone())])
            .flatten()
            .chain(Version::parse("0.0.0-0"))
            .collect();
        candidates.sort_by(Version::cmp_precedence);
        let [own, others] = [self, other].map(|range| range.positions(&candidates, |version| version));
        // Both lists are ascending, so a range meets only the first range of the other list that ends behind its start.
        own.iter().any(|range| {
            let first = others.partition_point(|other| other.end <= range.start);
            others.get(first).is_some_and(|other| other.start < range.end)
        })
    }

    /// Returns the positions of the values whose versions are in the range, without checking each value. The values
    /// must be sorted by ascending version. The returned ranges are ascending and not adjacent.
    pub fn positions<T>(&self, values: &[T], version: impl Fn(&T) -> &Version) -> Vec<std::ops::Range<usize>> {
        let below =
            |bound: &Bound| values.partition_point(|value| version(value).cmp_precedence(&bound.version).is_lt());
        let up_to =
            |bound: &Bound| values.partition_point(|value| version(value).cmp_precedence(&bound.version).is_le());
        let mut found = Vec::new();
        for alternative in &self.alternatives {
            let (mut start, mut end, mut holes) = (0, values.len(), Vec::new());
            for bound in alternative {
                match bound.operator {
                    Operator::Equal => {
                        start = start.max(below(bound));
                        end = end.min(up_to(bound));
                    }
                    Operator::NotEqual => holes.push(below(bound)..up_to(bound)),
                    Operator::Less => end = end.min(below(bound)),
                    Operator::LessOrEqual => end = end.min(up_to(bound)),
                    Operator::Greater => start = start.max(up_to(bound)),
                    Operator::GreaterOrEqual => start = start.max(below(bound)),
                }
            }
            holes.sort_by_key(|hole| hole.start);
            for hole in holes {
                found.push(start..end.min(hole.start));
                start = start.max(hole.end);
            }
            found.push(start..end);
        }
        found.retain(|range| range.start < range.end);
        found.sort_by_key(|range| range.start);
        let mut joined: Vec<std::ops::Range<usize>> = Vec::new();
        for range in found {
            match joined.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => joined.push(range),
            }
        }
        joined
    }

    /// Whether the version is in the range. Build metadata is ignored.
    pub fn contains(&self, version: &Version) -> bool {
        let holds = |bound: &Bound| {
            let order = version.cmp_precedence(&bound.version);
            match bound.operator {
                Operator::Equal => order == Ordering::Equal,
                Operator::NotEqual => order != Ordering::Equal,
                Operator::Less => order == Ordering::Less,
                Operator::LessOrEqual => order != Ordering::Greater,
                Operator::Greater => order == Ordering::Greater,
                Operator::GreaterOrEqual => order != Ordering::Less,
            }
        };
        self.alternatives
            .iter()
            .any(|alternative| alternative.iter().all(holds))
    }

    /// Returns the versions of all bounds. All versions between two neighbors have the same verdict.
    pub(crate) fn bounds(&self) -> impl Iterator<Item = &Version> {
        self.alternatives.iter().flatten().map(|bound| &bound.version)
    }
}

/// Returns the immediate successor of a version, with no version between the two.
fn successor(version: &Version) -> Option<Version> {
    let text = if version.pre.is_empty() {
        let patch = version.patch.checked_add(1)?;
        format!("{}.{}.{patch}-0", version.major, version.minor)
    } else {
        format!(
            "{}.{}.{}-{}.0",
            version.major, version.minor, version.patch, version.pre
        )
    };
    Version::parse(&text).ok()
}

/// Splits a string into words with their byte offsets. In OLM, only spaces separate words, not other whitespace.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let offset = |word: &str| word.as_ptr() as usize - text.as_ptr() as usize;
    let words = text.split(' ').filter(|word| !word.is_empty());
    words.map(move |word| (offset(word), word))
}

fn split_operator(word: &str) -> (Operator, &str) {
    OPERATORS
        .iter()
        .find_map(|(sign, operator)| Some((*operator, word.strip_prefix(sign)?)))
        .unwrap_or((Operator::Equal, word))
}

/// Returns the bounds of a term: one bound, or two bounds for a version with a wildcard.
fn expand(operator: Operator, text: &str) -> Result<Vec<Bound>, String> {
    let bound = |operator, version: &Version| Bound {
        operator,
        version: version.clone(),
    };
    let Some((lower, upper)) = wildcard(text)? else {
        let version = parse_strict(text).map_err(|reason| match text.chars().next() {
            Some(sign @ ('^' | '~')) => format!("{sign} is not supported in OLM ranges; use >= and < instead"),
            Some(_) if text.ends_with(',') => "use a space instead of the comma".to_owned(),
            Some(_) if text.contains(char::is_whitespace) => {
                format!("{text:?} is not a version: separate versions with spaces only")
            }
            _ => format!("{text:?} is not a version: {reason}"),
        })?;
        return Ok(vec![bound(operator, &version)]);
    };
    Ok(match operator {
        Operator::Equal => vec![bound(Operator::GreaterOrEqual, &lower), bound(Operator::Less, &upper)],
        // Both bounds must hold, so this matches nothing, as in OLM.
        Operator::NotEqual => vec![bound(Operator::Less, &lower), bound(Operator::GreaterOrEqual, &upper)],
        Operator::Less => vec![bound(Operator::Less, &lower)],
        Operator::LessOrEqual => vec![bound(Operator::Less, &upper)],
        Operator::Greater => vec![bound(Operator::GreaterOrEqual, &upper)],
        Operator::GreaterOrEqual => vec![bound(Operator::GreaterOrEqual, &lower)],
    })
}

/// Parses `1.x` or `1.2.x`. Returns the first version in the range of the wildcard, and the first version after that
/// range.
fn wildcard(text: &str) -> Result<Option<(Version, Version)>, String> {
    let numbers: Vec<&str> = match text.split('.').collect::<Vec<_>>()[..] {
        [major, "x"] => vec![major],
        // OLM interprets this as `1.0.x`.
        [major, "x", "x"] => vec![major, "0"],
        [major, minor, "x"] => vec![major, minor],
        _ => return Ok(None),
    };
    let parsed: Option<Vec<u64>> = numbers.iter().map(|number| number.parse().ok()).collect();
    let next = |number: u64| number.checked_add(1);
    let versions = match parsed.as_deref() {
        Some([major]) => next(*major).map(|next| (Version::new(*major, 0, 0), Version::new(next, 0, 0))),
        Some([major, minor]) => {
            next(*minor).map(|next| (Version::new(*major, *minor, 0), Version::new(*major, next, 0)))
        }
        _ => None,
    };
    versions.map(Some).ok_or_else(|| format!("{text:?} is not a version"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contains(range: &str, version: &str) -> bool {
        VersionRange::parse(range)
            .unwrap()
            .contains(&parse_strict(version).unwrap())
    }

    #[test]
    fn spaces_mean_and_and_bars_mean_or() {
        assert!(contains("1.2.3", "1.2.3+build") && !contains("1.2.3", "1.2.4"));
        assert!(contains(">=1.0.0 <2.0.0", "1.9.9") && !contains(">=1.0.0 <2.0.0", "2.0.0"));
        assert!(contains(">1.0.0 || <0.5.0", "0.1.0") && !contains(">1.0.0 || <0.5.0", "0.7.0"));
        assert!(contains("> 1.0.0", "1.0.1") && contains("!1.2.3", "1.2.4") && !contains("!=1.2.3", "1.2.3"));
        assert!(!contains("1.0.0 2.0.0", "1.0.0"));
    }

    #[test]
    fn ranges_overlap_if_a_version_is_in_both() {
        let overlap = |left: &str, right: &str| {
            let (left, right) = (VersionRange::parse(left).unwrap(), VersionRange::parse(right).unwrap());
            assert_eq!(left.overlaps(&right), right.overlaps(&left));
            left.overlaps(&right)
        };
        assert!(overlap(">=1.0.0 <2.0.0", ">1.9.9") && !overlap("<1.0.0", ">=1.0.0"));
        assert!(overlap("<=1.0.0", ">=1.0.0") && !overlap("<=1.0.0", ">1.0.0"));
        assert!(overlap("<1.0.0", "<2.0.0") && overlap(">1.0.0", ">2.0.0 || <0.1.0"));
        // A pre-release of the next version is in between.
        assert!(overlap(">1.0.0", "<1.0.1") && overlap(">1.0.0-rc.1", "<1.0.0-rc.2"));
        assert!(!overlap(">1.0.0", "<1.0.1-0") && overlap("1.x", "!1.0.0") && !overlap("1.0.0", "!1.0.0"));
    }

    #[test]
    fn ranges_overlap_if_a_version_at_or_behind_a_bound_is_in_both() {
        let texts = [
            "1.0.0",
            "<1.0.0",
            ">1.0.0 <=1.0.1",
            "!1.0.0 !1.0.1",
            "<0.5.0 || >=1.0.0 <1.1.0 || >2.0.0",
            ">=0.5.0 <1.0.0 || 1.1.0 || 2.0.0",
            ">2.0.0 <1.0.0",
            "1.0.0-rc.1 || >1.0.0-rc.2 <1.0.0",
        ];
        let ranges = texts.map(|text| VersionRange::parse(text).unwrap());
        let bounds = ranges.iter().flat_map(|range| range.alternatives.concat());
        let versions: Vec<Version> = bounds
            .flat_map(|bound| [successor(&bound.version), Some(bound.version)])
            .flatten()
            .chain(Version::parse("0.0.0-0"))
            .collect();
        for (left, one) in texts.iter().zip(&ranges) {
            for (right, other) in texts.iter().zip(&ranges) {
                let both = versions
                    .iter()
                    .any(|version| one.contains(version) && other.contains(version));
                assert_eq!(one.overlaps(other), both, "{left} and {right}");
            }
        }
    }

    #[test]
    fn positions_are_those_of_the_contained_versions() {
        let texts = [
            "0.1.0",
            "1.0.0-rc.1",
            "1.0.0",
            "1.0.0+b",
            "1.2.3",
            "1.9.0",
            "2.0.0",
            "3.1.0",
        ];
        let versions: Vec<Version> = texts.iter().map(|text| parse_strict(text).unwrap()).collect();
        for text in [
            "1.0.0",
            "!1.0.0",
            ">=1.0.0 !=1.2.3 <3.0.0",
            "!1.2.3 !0.1.0 !3.1.0 >0.1.0",
            "1.x || 3.x",
            "<1.0.0 || >=1.2.3 <2.0.0 || 1.9.0",
            ">2.0.0 <1.0.0",
            "!=1.x",
            ">=0.0.0-0",
        ] {
            let range = VersionRange::parse(text).unwrap();
            let found: Vec<usize> = range
                .positions(&versions, |version| version)
                .into_iter()
                .flatten()
                .collect();
            let expected: Vec<usize> = (0..versions.len())
                .filter(|at| range.contains(&versions[*at]))
                .collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn wildcards_expand_to_their_bounds() {
        assert!(contains("1.x", "1.9.0") && contains("1.x", "2.0.0-rc1") && !contains("1.x", "1.0.0-rc1"));
        assert!(contains("1.2.x", "1.2.9") && !contains("1.2.x", "1.3.0"));
        assert!(contains(">1.x", "2.0.0") && !contains(">1.x", "1.9.0"));
        assert!(contains("<1.x", "1.0.0-rc1") && contains("<=1.x", "1.9.0"));
        assert!(!contains("!=1.x", "0.9.0") && !contains("!=1.x", "2.0.0"));
    }

    #[test]
    fn prereleases_are_ordinary_versions() {
        assert!(contains("<1.2.3", "1.2.3-rc.1") && contains(">=1.0.0 <2.0.0", "2.0.0-rc.1"));
    }

    #[test]
    fn syntax_of_other_ranges_is_rejected_with_its_place() {
        for range in [
            "^1.2.3",
            "~1.2.3",
            ">=1.0.0, <2.0.0",
            ">=1.0",
            "1.0",
            ">v1.0.0",
            "*",
            "x",
            "",
            "  ",
            ">1.0.0||<0.5.0",
            "|| 1.0.0",
            ">",
            ">=1.0.0 <",
            "> || 1.0.0",
            // OLM would interpret this as `1.0.0`.
            "! 1.0.0",
            "1.0.0\n",
            ">=1.0.0\t<2.0.0",
            "1.0.0\u{a0}",
            // In OLM, any `x` is a wildcard.
            "1.0.0-next.1",
            "<=1.0.0-next.1",
            ">=1.0.0-rc.x",
            "+1.x",
            "01.x",
            "9223372036854775807.x",
        ] {
            let error = VersionRange::parse(range).unwrap_err();
            assert!(range.get(error.span.clone()).is_some(), "{range:?}: {error:?}");
        }
        let error = VersionRange::parse(">=1.0.0 <2.0").unwrap_err();
        assert_eq!(error.span, 9..12);
        assert!(error.reason.contains("2.0.0"), "{error}");
        assert!(VersionRange::parse("^1.2.3").unwrap_err().reason.contains(">="));
    }
}
