//! Regular expressions in schemas, which the API server reads in the syntax of Go.

use regex::Error;
use regex::bytes::{Regex, RegexBuilder};

/// The maximum length in bytes of a pattern, and of a default that is compared with it.
pub(super) const LONGEST_PATTERN: usize = 1_000;
/// The maximum size of a compiled pattern in bytes.
const LARGEST_PATTERN: usize = 64 << 10;

/// Compiles a pattern with the meaning that it has in Go.
///
/// # Errors
/// Returns an error if the pattern is not valid, or too large.
pub(super) fn compile(pattern: &str) -> Result<Regex, Error> {
    let mut builder = RegexBuilder::new(pattern);
    // As in Go, `\d`, `\s`, `\w` and `\b` match only ASCII.
    builder.unicode(false).size_limit(LARGEST_PATTERN).build()
}

/// The meaning of a pattern in Go, compared with its meaning in the crate `regex`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// If both accept the pattern, it has the same meaning in both.
    Common,
    /// Both may accept the pattern, but its meanings may differ.
    Different,
    /// Go rejects the pattern, for this reason.
    Wrong(&'static str),
}

/// Compares the meaning of a pattern in Go with its meaning in the crate `regex`.
pub(super) fn form(pattern: &str) -> Form {
    if pattern.len() > LONGEST_PATTERN {
        return Form::Different;
    }
    let (mut rest, mut open) = (pattern, 0_usize);
    let (mut is_common, mut is_repeatable) = (true, false);
    while let Some(letter) = rest.chars().next() {
        rest = &rest[letter.len_utf8()..];
        match letter {
            '\\' => {
                let Some(escaped) = rest.chars().next() else {
                    return Form::Wrong("nothing follows the last \\");
                };
                rest = &rest[escaped.len_utf8()..];
                match escaped {
                    // This is an octal number.
                    '1'..='7' if rest.starts_with(|c: char| c.is_digit(8)) => return Form::Different,
                    '1'..='9' => return Form::Wrong("it refers back to a group"),
                    'Q' => return Form::Different,
                    'p' | 'P' | 'x' if rest.starts_with('{') => {
                        let Some((_, behind)) = rest.split_once('}') else {
                            return Form::Different;
                        };
                        (rest, is_common) = (behind, false);
                    }
                    _ => is_common &= is_common_escape(escaped),
                }
                is_repeatable = true;
            }
            '[' => {
                let Some((behind, is_common_class)) = class(rest) else {
                    return Form::Wrong("a bracket [ is not closed");
                };
                is_common &= is_common_class;
                (rest, is_repeatable) = (behind, true);
            }
            '(' => match group(rest) {
                Ok((behind, opens)) => {
                    open += usize::from(opens);
                    (rest, is_repeatable) = (behind, !opens);
                }
                Err(form) => return form,
            },
            ')' => {
                let Some(left) = open.checked_sub(1) else {
                    return Form::Wrong("a bracket ) is not opened");
                };
                (open, is_repeatable) = (left, true);
            }
            '|' => is_repeatable = false,
            '*' | '+' | '?' if !is_repeatable => return Form::Wrong("a repetition has nothing to repeat"),
            '{' => {
                is_common &= is_count(rest);
                is_repeatable = true;
            }
            _ => is_repeatable = true,
        }
    }
    match (open, is_common) {
        (0, true) => Form::Common,
        (0, false) => Form::Different,
        _ => Form::Wrong("a bracket ( is not closed"),
    }
}

fn is_common_escape(letter: char) -> bool {
    "AzBbDdSsWwafnrtv".contains(letter) || letter.is_ascii_punctuation() && !['<', '>'].contains(&letter)
}

/// Reads the special syntax after an opening bracket, if any, such as `?:`. Returns the remaining text, and whether the
/// bracket opens a group; in `(?i)`, it only sets flags.
fn group(text: &str) -> Result<(&str, bool), Form> {
    let Some(special) = text.strip_prefix('?') else {
        return Ok((text, true));
    };
    if ["=", "!", "<=", "<!"].iter().any(|look| special.starts_with(look)) {
        return Err(Form::Wrong("it looks ahead or behind"));
    }
    if special.starts_with("P<") || special.starts_with('<') {
        let (_, behind) = special.split_once('>').ok_or(Form::Different)?;
        return Ok((behind, true));
    }
    let flags = special.trim_start_matches(['i', 'm', 's', 'U', '-']);
    match flags.chars().next() {
        Some(':') => Ok((&flags[1..], true)),
        Some(')') => Ok((&flags[1..], false)),
        _ => Err(Form::Different),
    }
}

/// Reads a class of characters up to its closing bracket. Returns the remaining text, and whether the class has the
/// same meaning in Go and in the crate `regex`.
fn class(text: &str) -> Option<(&str, bool)> {
    let text = text.strip_prefix('^').unwrap_or(text);
    // A bracket at the beginning is one of the characters.
    let mut rest = text.strip_prefix(']').unwrap_or(text);
    let mut is_common = true;
    loop {
        let letter = rest.chars().next()?;
        rest = &rest[letter.len_utf8()..];
        match letter {
            ']' => return Some((rest, is_common)),
            '\\' => {
                let escaped = rest.chars().next()?;
                rest = &rest[escaped.len_utf8()..];
                is_common &= is_common_escape(escaped);
            }
            '[' => match rest.strip_prefix(':').and_then(|name| name.split_once(":]")) {
                Some((_, behind)) => rest = behind,
                None => is_common = false,
            },
            // In the crate `regex`, these are operators between classes.
            '&' | '-' | '~' if rest.starts_with(letter) => is_common = false,
            _ => {}
        }
    }
}

/// Whether a count of repetitions follows an opening brace. In Go, other braces are plain characters.
fn is_count(text: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let Some((count, _)) = text.split_once('}') else {
        return false;
    };
    match count.split_once(',') {
        Some((least, most)) => is_number(least) && (most.is_empty() || is_number(most)),
        None => is_number(count),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_certain_mistakes_in_patterns_are_named() {
        for pattern in [
            "(a", "a)", "(?:a", "[a", "[]", "[^]", r"[a\]", "*a", "a|+", "(*)", "(?=a)", "(?!a)", "(?<=a)", "(?<!a)",
            r"(a)\1", r"\9", r"a\",
        ] {
            assert!(matches!(form(pattern), Form::Wrong(_)), "{pattern}");
            assert!(matches!(compile(pattern), Err(Error::Syntax(_))), "{pattern}");
        }
        for pattern in [
            "",
            "^a*$",
            "a**",
            "a|b",
            "(a|)*",
            "()?",
            "^*",
            "[[]",
            "[]a]",
            "[^]a]",
            r"[\]]",
            "[a&&b]",
            "[[:alpha:]_]",
            "[(*]",
            r"\(\[\*",
            r"\Q(\E",
            r"\101",
            r"\p{Greek}+",
            r"\x{41}",
            "a{",
            "a{,5}",
            "{2}",
            "a{2,}",
            "(?i)a",
            "(?i)*",
            "(?i:a)",
            "(?P<n>a)",
            "(?<n>a)",
            "(?x)a",
            "é",
        ] {
            assert!(!matches!(form(pattern), Form::Wrong(_)), "{pattern}");
        }
        assert_eq!(form(&"(".repeat(LONGEST_PATTERN + 1)), Form::Different);
    }

    #[test]
    fn defaults_are_compared_only_with_patterns_that_mean_the_same() {
        for pattern in [
            r"^\w+$",
            r"^(?:[a-z\d.-]{1,9})?$",
            "(?i)^[[:alpha:]]",
            "^(?P<n>a)+?$",
            "[]a^-]",
        ] {
            assert_eq!(form(pattern), Form::Common, "{pattern}");
        }
        for pattern in [
            "[a&&b]", "[a--b]", "[a[b]]", r"\Qa\E", r"\101", r"\<a", "a{,5}", "a{b}", r"\pL", "(?x)a",
        ] {
            assert_eq!(form(pattern), Form::Different, "{pattern}");
        }
    }
}
