//! Formats of strings in the schemas of CustomResourceDefinitions, as API servers check them.
//!
//! The formats that are missing here are not checked: API servers ignore most of them, and read the others, such as
//! `uri`, `email`, `hostname` and `duration`, with parsers whose exact behavior depends on their release.

use boon::Format;
use jiff::civil::Date;
use serde_json::Value;
use std::error::Error;
use std::net::IpAddr;

/// The formats, by their names without hyphens.
pub(super) const FORMATS: [Format; 11] = [
    format("byte", |value| check(value, is_base64)),
    format("cidr", |value| check(value, is_cidr)),
    format("date", |value| check(value, is_date)),
    format("datetime", |value| check(value, is_date_time)),
    format("ipv4", |value| check(value, |string| is_address(string, '.'))),
    format("ipv6", |value| check(value, |string| is_address(string, ':'))),
    format("mac", |value| check(value, is_mac)),
    format("uuid", |value| check(value, |string| is_uuid(string, b"", b""))),
    format("uuid3", |value| check(value, |string| is_uuid(string, b"3", b""))),
    format("uuid4", |value| check(value, |string| is_uuid(string, b"4", b"89abAB"))),
    format("uuid5", |value| check(value, |string| is_uuid(string, b"5", b"89abAB"))),
];

/// Returns the name in [`FORMATS`] of a format of a schema. API servers ignore hyphens in names of formats.
pub(super) fn known(name: &str) -> Option<&'static str> {
    let name = name.replace('-', "");
    let found = FORMATS.iter().find(|format| format.name == name);
    found.map(|format| format.name)
}

/// Whether a string may have a format of a schema. An unknown format accepts every string.
pub(crate) fn has_format(string: &str, name: &str) -> bool {
    let known = known(name).and_then(|name| FORMATS.iter().find(|format| format.name == name));
    known.is_none_or(|format| (format.func)(&string.into()).is_ok())
}

const fn format(name: &'static str, func: fn(&Value) -> Result<(), Box<dyn Error>>) -> Format {
    Format { name, func }
}

fn check(value: &Value, is_valid: impl Fn(&str) -> bool) -> Result<(), Box<dyn Error>> {
    match value {
        Value::String(string) if !is_valid(string) => Err("the string does not have this format".into()),
        _ => Ok(()),
    }
}

/// Whether a string may be Base64. API servers differ in whether the string may be empty or contain line breaks.
fn is_base64(string: &str) -> bool {
    let letters = string.bytes().filter(|letter| !b"\r\n".contains(letter)).count();
    let content = string.trim_end_matches(['\r', '\n', '=']);
    let padding = string[content.len()..].bytes().filter(|letter| *letter == b'=').count();
    let is_letter = |letter: u8| letter.is_ascii_alphanumeric() || b"+/\r\n".contains(&letter);
    letters.is_multiple_of(4) && padding <= 2 && content.bytes().all(is_letter)
}

fn is_address(string: &str, separator: char) -> bool {
    string.contains(separator) && string.parse::<IpAddr>().is_ok()
}

fn is_cidr(string: &str) -> bool {
    let Some((address, length)) = string.split_once('/') else {
        return false;
    };
    let most = match address.parse() {
        Ok(IpAddr::V4(_)) => 32,
        Ok(IpAddr::V6(_)) => 128,
        Err(_) => return false,
    };
    are_digits(length) && length.parse::<u32>().is_ok_and(|length| length <= most)
}

fn is_date(string: &str) -> bool {
    let [year, month, day] = match string.split('-').collect::<Vec<_>>()[..] {
        [year, month, day] if (year.len(), month.len(), day.len()) == (4, 2, 2) => [year, month, day],
        _ => return false,
    };
    let number = |digits: &str| {
        if are_digits(digits) {
            digits.parse::<i16>().ok()
        } else {
            None
        }
    };
    let part = |digits: &str| number(digits).and_then(|number| i8::try_from(number).ok());
    let date = number(year).zip(part(month)).zip(part(day));
    date.is_some_and(|((year, month), day)| Date::new(year, month, day).is_ok())
}

fn is_date_time(string: &str) -> bool {
    let mut parts = string.split(['t', 'T']);
    let (Some(date), Some(time)) = (parts.next(), parts.next()) else {
        return false;
    };
    let Some((clock, rest)) = time.split_at_checked("00:00:00".len()) else {
        return false;
    };
    let is_clock = match clock.split(':').collect::<Vec<_>>()[..] {
        [hour, minute, second] => [(hour, "23"), (minute, "59"), (second, "59")]
            .iter()
            .all(|(digits, most)| digits.len() == 2 && are_digits(digits) && digits <= most),
        _ => false,
    };
    let fraction = rest.strip_suffix(['z', 'Z']).or_else(|| {
        let (fraction, zone) = rest.split_at_checked(rest.len().checked_sub("+00:00".len())?)?;
        let (hours, minutes) = zone.strip_prefix(['+', '-'])?.split_once(':')?;
        [hours, minutes]
            .iter()
            .all(|digits| digits.len() == 2 && are_digits(digits))
            .then_some(fraction)
    });
    let is_fraction = |fraction: &str| {
        let mut letters = fraction.chars();
        // API servers accept any character in the place of the point.
        letters
            .next()
            .is_none_or(|point| point != '\n' && are_digits(letters.as_str()))
    };
    is_date(date) && is_clock && fraction.is_some_and(is_fraction)
}

/// Whether a string is a hardware address of 6, 8 or 20 bytes, in groups of one byte, or of two bytes between points.
fn is_mac(string: &str) -> bool {
    let are_groups = |separator: char, digits: usize, counts: [usize; 3]| {
        let is_group = |group: &str| group.len() == digits && group.bytes().all(|letter| letter.is_ascii_hexdigit());
        counts.contains(&string.split(separator).count()) && string.split(separator).all(is_group)
    };
    are_groups(':', 2, [6, 8, 20]) || are_groups('-', 2, [6, 8, 20]) || are_groups('.', 4, [3, 4, 10])
}

/// Whether a string is a UUID whose third and fourth groups begin with one of these letters; with any, if there are
/// none. Each hyphen is optional.
fn is_uuid(string: &str, third: &[u8], fourth: &[u8]) -> bool {
    let mut rest = string.as_bytes();
    for (index, (length, first)) in [(8, &b""[..]), (4, b""), (4, third), (4, fourth), (12, b"")]
        .into_iter()
        .enumerate()
    {
        if index > 0 {
            rest = rest.strip_prefix(b"-").unwrap_or(rest);
        }
        let Some((group, behind)) = rest.split_at_checked(length) else {
            return false;
        };
        if !group.iter().all(u8::is_ascii_hexdigit) || !(first.is_empty() || first.contains(&group[0])) {
            return false;
        }
        rest = behind;
    }
    rest.is_empty()
}

fn are_digits(string: &str) -> bool {
    !string.is_empty() && string.bytes().all(|letter| letter.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn takes(name: &str, string: &str) -> bool {
        assert!(known(name).is_some(), "{name}");
        has_format(string, name)
    }

    #[test]
    fn strings_have_the_formats_that_api_servers_accept() {
        for (name, right, wrong) in [
            (
                "date-time",
                &[
                    "2024-02-29T23:59:59Z",
                    "2024-01-02t03:04:05.678+01:00",
                    "2024-01-02T03:04:05,6z",
                ][..],
                &[
                    "2023-02-29T00:00:00Z",
                    "2024-01-02",
                    "2024-01-02T24:00:00Z",
                    "2024-01-02T00:00:00",
                    "2024-01-02T0:00:00Z",
                    "é",
                    "2024-01-02Té0:00:00Zé",
                    "2024-01-02T00:00:00.Z",
                    "",
                ][..],
            ),
            (
                "date",
                &["2024-02-29", "0000-01-01"],
                &["2023-02-29", "2024-1-2", "2024-01-32", "20240101", "+024-01-01", ""],
            ),
            (
                "ipv4",
                &["1.2.3.4", "::ffff:1.2.3.4"],
                &["1.2.3", "1.2.3.04", "::1", "nope", "1.2.3.256", ""],
            ),
            (
                "ipv6",
                &["::1", "::ffff:1.2.3.4", "1:2:3:4:5:6:7::"],
                &["1.2.3.4", "::1%eth0", "[::1]", "1:2:3:4:5:6:7::8", ""],
            ),
            (
                "cidr",
                &["10.0.0.1/8", "::/128", "10.0.0.0/032"],
                &["10.0.0.0", "10.0.0.0/33", "10.0.0.0/+8", "::/129", "/8", "10.0.0.0/"],
            ),
            (
                "mac",
                &["00:00:5e:00:53:01", "02-00-5E-10-00-00-00-01", "0000.5e00.5301"],
                &["00:00:5e:00:53", "00:00-5e:00:53:01", "0:0:5e:0:53:1", "nope", ""],
            ),
            (
                "uuid",
                &[
                    "A987FBC9-4BED-3078-CF07-9141BA07C9F3",
                    "a987fbc94bed3078cf079141ba07c9f3",
                ],
                &[
                    "a987fbc9",
                    "{a987fbc9-4bed-3078-cf07-9141ba07c9f3}",
                    "a987fbc9--4bed-3078-cf07-9141ba07c9f3",
                    "",
                ],
            ),
            (
                "uuid3",
                &["A987FBC9-4BED-3078-CF07-9141BA07C9F3"],
                &["A987FBC9-4BED-4078-CF07-9141BA07C9F3"],
            ),
            (
                "uuid4",
                &["57b73598-8764-4ad0-a76a-679bb6640eb1"],
                &["57b73598-8764-4ad0-c76a-679bb6640eb1"],
            ),
            (
                "uuid5",
                &["987fbc97-4bed-5078-Bf07-9141ba07c9f3"],
                &["987fbc97-4bed-4078-bf07-9141ba07c9f3"],
            ),
            (
                "byte",
                &["", "YQ==", "YWI=", "YWJj", "YWJj\nYQ==\n"],
                &["Y", "YQ=", "Y===", "Y=Q=", "é==a", "YQ--"],
            ),
        ] {
            for string in right {
                assert!(takes(name, string), "{name} {string:?}");
            }
            for string in wrong {
                assert!(!takes(name, string), "{name} {string:?}");
            }
        }
    }

    #[test]
    fn other_formats_are_not_checked() {
        assert_eq!(known("d-a-te-time"), Some("datetime"));
        for name in ["", "int32", "hostname", "uri", "password", "DATE"] {
            assert_eq!(known(name), None, "{name}");
            assert!(has_format("~2 (", name), "{name}");
        }
        assert!((FORMATS[0].func)(&7.into()).is_ok());
    }
}
