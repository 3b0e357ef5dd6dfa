//! Untrusted addresses that a page may link to.

use crate::visible::hidden_in_name;

/// Returns the address if it is the address of a website: the scheme is `http` or `https`, and there are no hidden
/// characters.
pub(super) fn web_address(text: &str) -> Option<&str> {
    let text = text.trim();
    let has_scheme = |scheme: &str| {
        text.get(..scheme.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    };
    let is_plain = !text.contains(|letter: char| letter.is_whitespace() || "<>\"\\^`{|}".contains(letter));
    let names_host = text.split("//").nth(1).is_some_and(|rest| !rest.is_empty());
    let leads = (has_scheme("https://") || has_scheme("http://")) && names_host;
    (leads && is_plain && hidden_in_name(text).is_none()).then_some(text)
}

/// Returns the `mailto:` address for an email address.
pub(super) fn mail_address(text: &str) -> Option<String> {
    let (name, host) = text.trim().split_once('@')?;
    let plain = |part: &str| {
        !part.is_empty()
            && part
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b".-_+".contains(&byte))
    };
    (plain(name) && plain(host)).then(|| format!("mailto:{name}@{host}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_web_and_mail_addresses_become_links() {
        assert_eq!(
            web_address(" https://example.com/a?b=c "),
            Some("https://example.com/a?b=c")
        );
        assert_eq!(web_address("HTTP://example.com"), Some("HTTP://example.com"));
        for other in [
            "javascript:alert(1)",
            "java\nscript:x",
            "data:text/html,x",
            "//example.com",
            "https://",
            "https://a b",
            "https://a\u{202e}b",
            "ftp://example.com",
        ] {
            assert_eq!(web_address(other), None, "{other:?}");
        }
        assert_eq!(
            mail_address("ann@example.com").as_deref(),
            Some("mailto:ann@example.com")
        );
        for other in ["ann", "a@b?cc=c@d", "@example.com", "a b@c"] {
            assert_eq!(mail_address(other), None, "{other:?}");
        }
    }
}
