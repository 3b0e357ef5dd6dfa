//! Semantic versions and version ranges with the semantics of OLM.

mod bound;
pub mod masterminds;
mod olm_range;
mod range;

pub use range::{RangeError, VersionRange};

use semver::Version;

/// Parses a version of the exact form `MAJOR.MINOR.PATCH[-pre][+build]`. A `v` prefix, missing numbers, leading zeros
/// and spaces are rejected.
///
/// # Errors
/// Returns a short description of the problem.
pub fn parse_strict(text: &str) -> Result<Version, String> {
    Version::parse(text).map_err(|error| {
        let bare = text.trim().trim_start_matches(['v', 'V']);
        if text.is_empty() {
            "it is empty".to_owned()
        } else if bare.len() < text.len() && Version::parse(bare).is_ok() {
            format!("use {bare} without a prefix")
        } else if let Some(complete) = with_all_numbers(bare) {
            format!("three numbers are required, as in {complete}")
        } else {
            error.to_string()
        }
    })
}

/// Returns the string without surrounding whitespace and without one leading `v` or `V`; `None` if the rest is not a
/// strict version.
pub fn strict_part(text: &str) -> Option<&str> {
    let bare = text.trim();
    let bare = bare.strip_prefix(['v', 'V']).unwrap_or(bare);
    parse_strict(bare).is_ok().then_some(bare)
}

/// Returns a version with zeros for its missing numbers, such as `1.10.0` for `1.10`; `None` if no number is missing,
/// or if more is wrong.
pub fn with_all_numbers(text: &str) -> Option<String> {
    let (numbers, rest) = text.split_at(text.find(['-', '+']).unwrap_or(text.len()));
    let parts = numbers.split('.').count();
    let is_short = parts < 3 && text.starts_with(|first: char| first.is_ascii_digit());
    let with_zeros = || format!("{numbers}{}{rest}", &".0.0"[..2 * (3 - parts)]);
    is_short
        .then(with_zeros)
        .filter(|version| Version::parse(version).is_ok())
}

/// Whether the name of a bundle, such as `etcd.v1.2.0`, ends in a version that is higher than `version`.
pub(crate) fn is_name_of_higher(name: &str, version: &str) -> bool {
    let of_name = name.split_once(".v").and_then(|(_, version)| parse_tolerant(version));
    let pair = of_name.zip(parse_tolerant(version));
    pair.is_some_and(|(of_name, version)| of_name.cmp_precedence(&version).is_gt())
}

/// Parses a version like lenient Go tools: surrounding whitespace, one leading `v`, leading zeros, and missing minor
/// and patch numbers are accepted. Returns `None` if the string is still not a version.
pub fn parse_tolerant(text: &str) -> Option<Version> {
    let text = text.trim();
    let text = text.strip_prefix('v').unwrap_or(text);
    let mut parts: Vec<String> = text.splitn(3, '.').map(without_leading_zeros).collect();
    if parts.len() < 3 {
        if parts.last().is_none_or(|last| last.contains(['+', '-'])) {
            return None;
        }
        parts.resize(3, "0".to_owned());
    }
    Version::parse(&parts.join(".")).ok()
}

fn without_leading_zeros(part: &str) -> String {
    let trimmed = part.trim_start_matches('0');
    if trimmed.len() < part.len() && !trimmed.starts_with(|letter: char| letter.is_ascii_digit()) {
        format!("0{trimmed}")
    } else {
        trimmed.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_complete_versions_are_strict() {
        assert!(parse_strict("1.2.3-alpha.1+b").is_ok());
        for text in [
            "v1.2.3",
            " 1.2.3",
            "01.2.3",
            "1.2",
            "1",
            "1.2.3-01",
            "1.2.3-a_b",
            "1.2.3+",
            "latest",
            "",
        ] {
            assert!(parse_strict(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn the_tolerant_parser_completes_a_version() {
        for (text, version) in [
            ("v1.2.3", "1.2.3"),
            (" 1.2.3 ", "1.2.3"),
            ("01.2.03", "1.2.3"),
            ("1.2", "1.2.0"),
            ("1", "1.0.0"),
            ("00.0.0-rc1", "0.0.0-rc1"),
            ("1.2.3-alpha.1+b", "1.2.3-alpha.1+b"),
        ] {
            assert_eq!(parse_tolerant(text), Version::parse(version).ok(), "{text:?}");
        }
        for text in [
            "1.2-rc1",
            "1.2.3-01",
            "1.2.3-a_b",
            "1.2.3+",
            "latest",
            "",
            "  ",
            "vv1.2.3",
            "1..2",
        ] {
            assert_eq!(parse_tolerant(text), None, "{text:?}");
        }
    }

    #[test]
    fn the_message_contains_the_right_spelling() {
        assert_eq!(parse_strict("v1.2.3").unwrap_err(), "use 1.2.3 without a prefix");
        assert_eq!(
            parse_strict("1.25").unwrap_err(),
            "three numbers are required, as in 1.25.0"
        );
        assert_eq!(
            parse_strict("1").unwrap_err(),
            "three numbers are required, as in 1.0.0"
        );
    }
}
