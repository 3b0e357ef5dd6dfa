//! Regular expressions in schemas of CustomResourceDefinitions, which the API server reads in the syntax of Go.

use super::translate;
use regex::bytes::{Regex, RegexBuilder};

/// The maximum number of patterns to compile for an object, because compiling is slow.
pub(crate) const MOST_PATTERNS: usize = 500;
/// The maximum length in bytes of a pattern, and of a default that is compared with it.
pub(crate) const LONGEST_PATTERN: usize = 1_000;
/// The maximum size of a compiled pattern in bytes.
const LARGEST_PATTERN: usize = 64 << 10;

/// Returns the reason why Go rejects a pattern.
pub(crate) fn problem(pattern: &str) -> Option<&'static str> {
    if pattern.len() > LONGEST_PATTERN {
        return None;
    }
    translate(pattern).err()
}

/// Compiles a pattern with the meaning that it has for ASCII strings in Go. Returns `None` if the pattern is not valid,
/// or too large.
pub(crate) fn compile(pattern: &str) -> Option<Regex> {
    if pattern.len() > LONGEST_PATTERN || !pattern.is_ascii() {
        return None;
    }
    let mut builder = RegexBuilder::new(&translate(pattern).ok()?);
    builder.unicode(false).size_limit(LARGEST_PATTERN).build().ok()
}

/// Translates a pattern to the syntax of the crate `regex`, for strings in Unicode. Returns `None` if the pattern is
/// not valid, or too large.
pub(crate) fn for_unicode(pattern: &str) -> Option<String> {
    if pattern.len() > LONGEST_PATTERN {
        return None;
    }
    let translated = translate(pattern).ok()?;
    let regex = regex::RegexBuilder::new(&translated)
        .size_limit(LARGEST_PATTERN)
        .build();
    regex.is_ok().then_some(translated)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_checked_against_patterns_that_are_special_only_in_rust() {
        let matches = |pattern: &str, text: &str| compile(pattern).map(|regex| regex.is_match(text.as_bytes()));
        assert_eq!(matches("^[a&&b]$", "&"), Some(true));
        assert_eq!(matches("^[a&&b]$", "c"), Some(false));
        assert_eq!(matches("^a{,2}$", "a"), Some(false));
        for pattern in [
            "^é$",
            r"^\pL$",
            r"^\x{e9}?[é]$",
            "a**",
            "(a{1000}){1000}",
            "(a{900}b{900}){1}c{900}d{900}",
        ] {
            assert_eq!(matches(pattern, "a"), None, "{pattern}");
        }
    }

    #[test]
    fn unreasonably_long_patterns_are_skipped() {
        assert_eq!(problem(&"(".repeat(LONGEST_PATTERN + 1)), None);
        assert!(problem("(").is_some());
    }
}
