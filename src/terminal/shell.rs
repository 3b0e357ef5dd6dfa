//! Words of command lines that users copy into a shell.

/// Quotes a word of a command line for a shell, if necessary.
pub fn word(text: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "/.-_:@=+,%".contains(letter);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_for_the_shell_if_necessary() {
        for (text, wanted) in [
            ("config/default", "config/default"),
            ("my charts/op", "'my charts/op'"),
            ("https://example.com/a?b=1&c", "'https://example.com/a?b=1&c'"),
            ("it's", "'it'\\''s'"),
            ("a; touch b #", "'a; touch b #'"),
            ("", "''"),
        ] {
            assert_eq!(word(text), wanted);
        }
    }
}
