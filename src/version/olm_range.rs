//! Reproduces OLM's version range parser, including its error messages and quirks: one-letter words are dropped, `x` at
//! any position is a wildcard, and `!=1.2.x` matches nothing. Like the library that OLM uses, this module splits a
//! string at spaces that do not follow an operator, and does not treat commas as separators.

use super::bound::{Bound, Operator};
use semver::{BuildMetadata, Prerelease, Version};

/// Parses a range into alternatives. All bounds of an alternative must hold.
pub(super) fn alternatives(text: &str) -> Result<Vec<Vec<Bound>>, String> {
    let mut alternatives = Vec::new();
    for words in alternatives_of(&words(text))? {
        let mut bounds = Vec::with_capacity(words.len());
        for word in words {
            for word in expanded(word)? {
                bounds.push(bound(&word)?);
            }
        }
        if bounds.is_empty() {
            // OLM fails on an empty alternative only when it compares a version.
            return Err("empty alternative in range".to_owned());
        }
        alternatives.push(bounds);
    }
    Ok(alternatives)
}

/// Splits a range into words, and removes the spaces after operators. One-letter words are dropped, as in OLM.
fn words(text: &str) -> Vec<String> {
    let bytes = text.as_bytes();
    let mut words = Vec::new();
    let (mut start, mut last) = (0, 0);
    for (at, byte) in bytes.iter().enumerate() {
        if *byte == b' ' && !matches!(last, b'>' | b'<' | b'=') {
            if start + 1 < at {
                words.push(&text[start..at]);
            }
            start = at + 1;
        } else if *byte != b' ' {
            last = *byte;
        }
    }
    if start + 1 < bytes.len() {
        words.push(&text[start..]);
    }
    words.into_iter().map(|word| word.replace(' ', "")).collect()
}

fn alternatives_of(words: &[String]) -> Result<Vec<&[String]>, String> {
    if words.first().is_some_and(|word| word == "||") {
        return Err("First element in range is '||'".to_owned());
    }
    if words.last().is_none_or(|word| word == "||") {
        return Err("Last element in range is '||'".to_owned());
    }
    Ok(words.split(|word| word == "||").collect())
}

/// Expands a word with a wildcard to equivalent words without wildcards.
fn expanded(word: &str) -> Result<Vec<String>, String> {
    if !word.contains('x') {
        return Ok(vec![word.to_owned()]);
    }
    let (operator, version) = split(word)?;
    let flat = version.replacen(".x.x", ".x", 1).replacen(".x", ".0", 1);
    let flat = if flat.split('.').count() == 2 {
        flat + ".0"
    } else {
        flat
    };
    let next = || match version.split('.').collect::<Vec<_>>()[..] {
        [_, "x"] => incremented(&flat, 0),
        [_, _, "x"] => incremented(&flat, 1),
        _ => String::new(),
    };
    Ok(match operator {
        ">" => vec![format!(">={}", next())],
        ">=" => vec![format!(">={flat}")],
        "<" => vec![format!("<{flat}")],
        "<=" => vec![format!("<{}", next())],
        "" | "=" | "==" => vec![format!(">={flat}"), format!("<{}", next())],
        // Both bounds must hold, so the range is empty.
        "!" | "!=" => vec![format!("<{flat}"), format!(">={}", next())],
        _ => vec![String::new()],
    })
}

/// Returns the version with the number at position `place` incremented, or an empty string if that is not possible.
fn incremented(version: &str, place: usize) -> String {
    let mut parts: Vec<String> = version.split('.').map(str::to_owned).collect();
    let Some(part) = parts.get_mut(place) else {
        return String::new();
    };
    match part.parse::<i64>().ok().and_then(|number| number.checked_add(1)) {
        Some(number) => *part = number.to_string(),
        None => return String::new(),
    }
    parts.join(".")
}

/// Splits a word into operator and version. The version begins at the first digit.
fn split(word: &str) -> Result<(&str, &str), String> {
    let digit = word
        .find(|letter: char| letter.is_numeric())
        .ok_or_else(|| format!("Could not get version from string: {word:?}"))?;
    Ok((word[..digit].trim(), &word[digit..]))
}

fn bound(word: &str) -> Result<Bound, String> {
    let (operator, text) = split(word)?;
    let whole = format!("{operator}{text}");
    let fail = |reason: String| format!("Could not parse Range {word:?}: {reason}");
    let operator = match operator {
        "" | "=" | "==" => Operator::Equal,
        "!" | "!=" => Operator::NotEqual,
        "<" => Operator::Less,
        "<=" => Operator::LessOrEqual,
        ">" => Operator::Greater,
        ">=" => Operator::GreaterOrEqual,
        _ => return Err(fail(format!("Could not parse comparator {operator:?} in {whole:?}"))),
    };
    let version =
        version(text).map_err(|reason| fail(format!("Could not parse version {text:?} in {whole:?}: {reason}")))?;
    Ok(Bound { operator, version })
}

/// Parses a version, with the error messages of OLM.
fn version(text: &str) -> Result<Version, String> {
    if text.is_empty() {
        return Err("Version string empty".to_owned());
    }
    let parts: Vec<&str> = text.splitn(3, '.').collect();
    let [major, minor, rest] = parts[..] else {
        return Err("No Major.Minor.Patch elements found".to_owned());
    };
    let (rest, build) = rest
        .split_once('+')
        .map_or((rest, None), |(rest, build)| (rest, Some(build)));
    let (patch, pre) = rest
        .split_once('-')
        .map_or((rest, None), |(patch, pre)| (patch, Some(pre)));
    let version = Version {
        major: number("major", "Major", major)?,
        minor: number("minor", "Minor", minor)?,
        patch: number("patch", "Patch", patch)?,
        pre: Prerelease::EMPTY,
        build: BuildMetadata::EMPTY,
    };
    let odd = |text: &str| text.bytes().any(|byte| !byte.is_ascii_alphanumeric() && byte != b'-');
    for part in pre.into_iter().flat_map(|pre| pre.split('.')) {
        if part.is_empty() {
            return Err("Prerelease is empty".to_owned());
        }
        if part.bytes().all(|byte| byte.is_ascii_digit()) && part.len() > 1 && part.starts_with('0') {
            return Err(format!(
                "Numeric PreRelease version must not contain leading zeroes {part:?}"
            ));
        }
        if odd(part) {
            return Err(format!("Invalid character(s) found in prerelease {part:?}"));
        }
    }
    for part in build.into_iter().flat_map(|build| build.split('.')) {
        if part.is_empty() {
            return Err("Build meta data is empty".to_owned());
        }
        if odd(part) {
            return Err(format!("Invalid character(s) found in build meta data {part:?}"));
        }
    }
    let pre = Prerelease::new(pre.unwrap_or_default()).map_err(|error| error.to_string())?;
    Ok(Version { pre, ..version })
}

fn number(what: &str, capital: &str, text: &str) -> Result<u64, String> {
    if text.bytes().any(|byte| !byte.is_ascii_digit()) {
        return Err(format!("Invalid character(s) found in {what} number {text:?}"));
    }
    if text.len() > 1 && text.starts_with('0') {
        return Err(format!("{capital} number must not contain leading zeroes {text:?}"));
    }
    text.parse().map_err(|_| {
        let reason = if text.is_empty() {
            "invalid syntax"
        } else {
            "value out of range"
        };
        format!("strconv.ParseUint: parsing {text:?}: {reason}")
    })
}

#[cfg(test)]
mod tests {
    use crate::version::{VersionRange, parse_strict};
    use proptest::prelude::*;

    const VERSIONS: [&str; 14] = [
        "0.9.0",
        "1.0.0-rc.1",
        "1.0.0",
        "1.0.1",
        "1.1.0",
        "1.2.0-rc.1",
        "1.2.0",
        "1.2.0+x",
        "1.2.9",
        "1.3.0",
        "1.9.9",
        "2.0.0-alpha",
        "2.0.0",
        "3.0.0",
    ];

    fn members(range: &str) -> Vec<&'static str> {
        let range = VersionRange::parse_as_olm(range).unwrap();
        let contained = |text: &&str| range.contains(&parse_strict(text).unwrap());
        VERSIONS.into_iter().filter(contained).collect()
    }

    #[test]
    fn ranges_contain_the_same_versions_as_in_olm() {
        for exact in ["1.2.0", "=1.2.0", "==1.2.0"] {
            assert_eq!(members(exact), ["1.2.0", "1.2.0+x"]);
        }
        for other in ["!1.2.0", "!=1.2.0"] {
            assert_eq!(members(other).len(), VERSIONS.len() - 2);
        }
        let within = members(">=1.0.0 <2.0.0");
        assert_eq!((within.first(), within.last()), (Some(&"1.0.0"), Some(&"2.0.0-alpha")));
        assert_eq!(members("1.2.x"), ["1.2.0", "1.2.0+x", "1.2.9"]);
        assert_eq!(members("1.x").len(), 10);
        assert_eq!(members("1.x.x"), ["1.0.0", "1.0.1"]);
        assert_eq!(members(">1.2.x"), ["1.3.0", "1.9.9", "2.0.0-alpha", "2.0.0", "3.0.0"]);
        assert_eq!(members("<=1.2.x").last(), Some(&"1.2.9"));
        assert_eq!(members(">=1.x").first(), Some(&"1.0.0"));
        assert_eq!(members(">1.x"), ["2.0.0", "3.0.0"]);
        assert_eq!(members("<1.x"), ["0.9.0", "1.0.0-rc.1"]);
        assert_eq!(members("!=1.2.x"), [""; 0]);
        assert_eq!(members("1.0.0 - 2.0.0"), [""; 0]);
        assert_eq!(members("> 2.0.0 || < 1.0.0-rc.1"), ["0.9.0", "3.0.0"]);
        // The one-letter word is dropped, as in OLM.
        assert_eq!(members("<1.0.0 2"), ["0.9.0", "1.0.0-rc.1"]);
    }

    #[test]
    fn an_invalid_range_is_rejected_with_the_message_of_olm() {
        for (range, expected) in [
            ("1.0.0-fix", r#"Could not get version from string: "<""#),
            ("latest", r#"Could not get version from string: "latest""#),
            ("", "Last element in range is '||'"),
            ("x", "Last element in range is '||'"),
            ("*", "Last element in range is '||'"),
            ("1", "Last element in range is '||'"),
            ("1.0.0 ||", "Last element in range is '||'"),
            ("|| 1.0.0", "First element in range is '||'"),
            (
                "1.0",
                r#"Could not parse Range "1.0": Could not parse version "1.0" in "1.0": No Major.Minor.Patch elements found"#,
            ),
            (
                ">=1.0",
                r#"Could not parse Range ">=1.0": Could not parse version "1.0" in ">=1.0": No Major.Minor.Patch elements found"#,
            ),
            (
                ">=1.0.0, <2.0.0",
                r#"Could not parse Range ">=1.0.0,": Could not parse version "1.0.0," in ">=1.0.0,": Invalid character(s) found in patch number "0,""#,
            ),
            (
                "^1.0.0",
                r#"Could not parse Range "^1.0.0": Could not parse comparator "^" in "^1.0.0""#,
            ),
            (
                "v1.0.0",
                r#"Could not parse Range "v1.0.0": Could not parse comparator "v" in "v1.0.0""#,
            ),
            (
                "01.0.0",
                r#"Could not parse Range "01.0.0": Could not parse version "01.0.0" in "01.0.0": Major number must not contain leading zeroes "01""#,
            ),
            ("1.0.0 || || 2.0.0", "empty alternative in range"),
        ] {
            assert_eq!(VersionRange::parse_as_olm(range).unwrap_err(), expected, "{range:?}");
        }
        for range in [
            "~1.2.0",
            "=>1.0.0",
            "[1.0.0,2.0.0)",
            "1.0.0||2.0.0",
            "1.0.0-01",
            "1.0.0+",
        ] {
            assert!(VersionRange::parse_as_olm(range).is_err(), "{range:?}");
        }
    }

    proptest! {
        #[test]
        fn parsing_any_text_as_a_range_does_not_panic(text in "[ <>=!|x.0-9a-zé+*^~-]{0,24}") {
            let _ = VersionRange::parse_as_olm(&text);
        }

        #[test]
        fn strict_ranges_are_equivalent_for_olm(text in "(([<>]=?|!?=)?[0-3](\\.([0-3]|x)){1,2}(-rc)?( [|][|] | )?){1,4}") {
            let strict = VersionRange::parse(&text);
            if let (Ok(strict), Ok(read)) = (strict, VersionRange::parse_as_olm(&text)) {
                for version in VERSIONS {
                    let version = parse_strict(version).unwrap();
                    prop_assert_eq!(strict.contains(&version), read.contains(&version));
                }
            }
        }
    }
}
