//! Checks mail and web addresses as strictly as catalog readers do.

/// Checks that the string is an RFC 5322 address, optionally with a name as in `Ann <ann@example.com>`.
pub(super) fn check_mail(text: &str) -> Result<(), &'static str> {
    let text = text.trim();
    if is_bare_address(text) {
        return Ok(());
    }
    let Some(inner) = text.strip_suffix('>') else {
        let at = text.contains('@');
        return Err(if at {
            "it does not have the form name@host"
        } else {
            "it has no @"
        });
    };
    let (name, address) = inner.rsplit_once('<').ok_or("the < before the > is missing")?;
    if !is_phrase(name.trim()) {
        return Err("the name before the address has characters that need quotes");
    }
    if is_bare_address(address.trim()) {
        Ok(())
    } else {
        Err("the part between < and > does not have the form name@host")
    }
}

fn is_bare_address(text: &str) -> bool {
    text.rsplit_once('@').is_some_and(|(local, domain)| {
        (is_dotted_atoms(local) || is_quoted(local)) && (is_dotted_atoms(domain) || is_literal(domain))
    })
}

fn is_dotted_atoms(text: &str) -> bool {
    text.split('.').all(is_atom)
}

fn is_atom(text: &str) -> bool {
    let allowed =
        |letter: char| letter.is_ascii_alphanumeric() || !letter.is_ascii() || "!#$%&'*+-/=?^_`{|}~".contains(letter);
    !text.is_empty() && text.chars().all(allowed)
}

/// Returns whether the string is in double quotes, with a backslash before each quote and backslash inside.
fn is_quoted(text: &str) -> bool {
    let Some(inner) = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else {
        return false;
    };
    let mut escaped = false;
    for letter in inner.chars() {
        match letter {
            _ if letter.is_control() => return false,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return false,
            _ => {}
        }
    }
    !escaped
}

fn is_literal(domain: &str) -> bool {
    let inner = domain.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    inner.is_some_and(|inner| {
        let address = inner.strip_prefix("IPv6:").unwrap_or(inner);
        address.parse::<std::net::IpAddr>().is_ok()
    })
}

/// Returns whether the string consists of words separated by spaces; words may contain dots, as in initials.
fn is_phrase(text: &str) -> bool {
    let words = |text: &str| text.split_whitespace().all(|word| is_atom(&word.replace('.', "a")));
    text.is_empty() || is_quoted(text) || words(text)
}

/// Checks that the string is an absolute URI or an absolute path.
pub(super) fn check_url(text: &str) -> Result<(), &'static str> {
    if text.chars().any(|letter| letter.is_ascii_control()) {
        return Err("it has control characters");
    }
    if text == "*" {
        return Ok(());
    }
    let (scheme, rest) = split_scheme(text)?;
    let rest = rest.split('?').next().unwrap_or_default();
    if !rest.starts_with('/') {
        return match scheme {
            Some(_) => Ok(()),
            None => Err("it begins with neither https:// nor /"),
        };
    }
    let path = match rest.strip_prefix("//").filter(|_| scheme.is_some()) {
        Some(authority) => {
            let (authority, path) = authority.split_at(authority.find('/').unwrap_or(authority.len()));
            check_authority(authority)?;
            path
        }
        None => rest,
    };
    check_escapes(path)
}

/// Splits off the scheme, if the text before the first colon can be one.
fn split_scheme(text: &str) -> Result<(Option<&str>, &str), &'static str> {
    for (index, letter) in text.char_indices() {
        match letter {
            'a'..='z' | 'A'..='Z' => {}
            '0'..='9' | '+' | '-' | '.' if index > 0 => {}
            ':' if index == 0 => return Err("the scheme before the colon is missing"),
            ':' => return Ok((text.get(..index), text.get(index + 1..).unwrap_or_default())),
            _ => break,
        }
    }
    Ok((None, text))
}

fn check_authority(authority: &str) -> Result<(), &'static str> {
    let (user, host) = match authority.rsplit_once('@') {
        Some((user, host)) => (Some(user), host),
        None => (None, authority),
    };
    if let Some(user) = user {
        let allowed = |letter: char| letter.is_ascii_alphanumeric() || "-._:~!$&'()*+,;=%@".contains(letter);
        if !user.chars().all(allowed) {
            return Err("the user name has characters that must be escaped");
        }
        check_escapes(user)?;
    }
    let (name, port) = match host.strip_prefix('[') {
        Some(rest) => rest.rsplit_once(']').ok_or("the ] of the host is missing")?,
        None => host.split_at(host.rfind(':').unwrap_or(host.len())),
    };
    if !port.is_empty()
        && !port
            .strip_prefix(':')
            .is_some_and(|port| port.bytes().all(|byte| byte.is_ascii_digit()))
    {
        return Err("the port is not a number");
    }
    let allowed = |letter: char| {
        letter.is_ascii_alphanumeric() || !letter.is_ascii() || "-_.~!$&'()*+,;=:[]<>\"%".contains(letter)
    };
    if name.chars().all(allowed) {
        Ok(())
    } else {
        Err("the host has invalid characters")
    }
}

fn check_escapes(text: &str) -> Result<(), &'static str> {
    let escapes = text.split('%').skip(1);
    let hex = |part: &str| {
        let digits = part.as_bytes().get(..2);
        digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    };
    if escapes.into_iter().all(hex) {
        Ok(())
    } else {
        Err("a % is not followed by two hexadecimal digits")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mail_addresses_are_accepted_alone_or_after_a_name() {
        for text in [
            "team@example.com",
            "Ann <ann@example.com>",
            "Ann B. Smith <ann@example.com>",
            "\"Smith, Ann\" <ann@example.com>",
            "<ann@example.com>",
            "a+b_c@host",
            "\"a b\"@example.com",
            "ann@[127.0.0.1]",
            "jörg@example.com",
        ] {
            assert_eq!(check_mail(text), Ok(()), "{text:?}");
        }
        for text in [
            "not an address",
            "",
            "ann@",
            "@example.com",
            "ann@example..com",
            "a b@example.com",
            "ann@example.com, bob@example.com",
            "Smith, Ann <ann@example.com>",
            "ann@example.com>",
            "Ann <ann>",
            "https://example.com",
        ] {
            assert!(check_mail(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn web_addresses_must_be_absolute() {
        for text in [
            "https://example.com",
            "https://example.com:8443/a b?c=d#e",
            "/docs",
            "mailto:ann@example.com",
            "http://user:secret@example.com/",
            "https://[::1]:80/",
            "https://example.com/%20",
            "docs:example",
        ] {
            assert_eq!(check_url(text), Ok(()), "{text:?}");
        }
        for text in [
            "docs.example.com/a b",
            "example.com",
            "",
            ":x",
            "https://exa mple.com",
            "https://example.com:port/",
            "https://example.com/%zz",
            "https://[::1/",
            "https://example.com/\n",
        ] {
            assert!(check_url(text).is_err(), "{text:?}");
        }
    }
}
