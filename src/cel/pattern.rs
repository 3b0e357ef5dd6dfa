//! Regular expressions with the semantics of Go.

use std::borrow::Cow;

/// Translates a Go pattern into a pattern for the `regex` crate. The two syntaxes differ in only two ways: in Go, `\w`,
/// `\d`, `\s` and `\b` match only ASCII, and text between `\Q` and `\E` is literal.
pub(super) fn from_go(pattern: &str) -> Cow<'_, str> {
    if !pattern.contains('\\') {
        return Cow::Borrowed(pattern);
    }
    let mut translated = String::with_capacity(pattern.len() * 2);
    let mut rest = pattern;
    while let Some((plain, escaped)) = rest.split_once('\\') {
        translated.push_str(plain);
        let Some(letter) = escaped.chars().next() else {
            translated.push('\\');
            return Cow::Owned(translated);
        };
        rest = &escaped[letter.len_utf8()..];
        match letter {
            'd' => translated.push_str("[0-9]"),
            'D' => translated.push_str("[^0-9]"),
            's' => translated.push_str(r"[\t\n\f\r ]"),
            'S' => translated.push_str(r"[^\t\n\f\r ]"),
            'w' => translated.push_str("[0-9A-Za-z_]"),
            'W' => translated.push_str("[^0-9A-Za-z_]"),
            'b' => translated.push_str(r"(?-u:\b)"),
            'Q' => {
                let (literal, behind) = rest.split_once(r"\E").unwrap_or((rest, ""));
                translated.push_str(&regex::escape(literal));
                rest = behind;
            }
            other => translated.extend(['\\', other]),
        }
    }
    translated.push_str(rest);
    Cow::Owned(translated)
}

#[cfg(test)]
mod tests {
    use super::*;
    use regex::Regex;

    fn matches(pattern: &str, text: &str) -> bool {
        Regex::new(&from_go(pattern)).unwrap().is_match(text)
    }

    #[test]
    fn classes_know_ascii_alone() {
        for (pattern, ascii, other) in [
            (r"^\w+$", "aZ_9", "é"),
            (r"^\d$", "7", "٣"),
            (r"^\s$", "\t", "\u{a0}"),
            (r"^[\w.-]+$", "a.b-c", "ü"),
            (r"^[^\d]$", "x", "3"),
            (r"^[\D]$", "٣", "3"),
            (r"^a\b", "a é", "ab"),
            (r"^a\b", "aé", "a_"),
        ] {
            assert!(matches(pattern, ascii) && !matches(pattern, other), "{pattern}");
        }
        assert!(matches(r"^\W\S$", "éé") && !matches(r"^\W", "a"));
    }

    #[test]
    fn all_else_is_the_same() {
        for (pattern, text) in [
            ("(?i)^FOO$", "foo"),
            (r"^\pL+\p{Greek}$", "éλ"),
            (r"^\\d\.$", r"\d."),
            (r"^\Qa.(b\E+$", "a.(bbb"),
            (r"^\Qa.(b", "a.(b"),
            (r"^[[:alpha:]]\x41\z", "bA"),
        ] {
            assert!(matches(pattern, text), "{pattern}");
        }
        assert!(Regex::new(&from_go("a\\")).is_err());
    }
}
