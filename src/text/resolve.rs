//! Resolves the meaning of plain scalars in YAML 1.1, as Kubernetes tools do.

use std::borrow::Cow;

/// The meaning of a plain scalar according to its text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Plain {
    Null,
    Bool(bool),
    Int(i64),
    /// An integer above the range of `Int`.
    Unsigned(u64),
    /// A float, which may be infinite or not a number.
    Float(f64),
    /// A string: any other scalar.
    Text,
}

/// Returns the meaning of a plain scalar.
pub(super) fn resolve(text: &str) -> Plain {
    let Some(first) = text.bytes().next() else {
        return Plain::Null;
    };
    match first {
        b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O' | b'~' => word(text),
        b'.' => special_float(text).unwrap_or_else(|| dotted_float(text)),
        b'0'..=b'9' => number(text),
        b'+' | b'-' => special_float(text).unwrap_or_else(|| number(text)),
        _ => Plain::Text,
    }
}

fn word(text: &str) -> Plain {
    match text {
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => Plain::Bool(true),
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => Plain::Bool(false),
        "~" | "null" | "Null" | "NULL" => Plain::Null,
        _ => Plain::Text,
    }
}

fn special_float(text: &str) -> Option<Plain> {
    match text {
        ".nan" | ".NaN" | ".NAN" => Some(Plain::Float(f64::NAN)),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => Some(Plain::Float(f64::INFINITY)),
        "-.inf" | "-.Inf" | "-.INF" => Some(Plain::Float(f64::NEG_INFINITY)),
        _ => None,
    }
}

/// Reads a float such as `.5`, in which an underscore may appear only between two digits.
fn dotted_float(text: &str) -> Plain {
    let bytes = text.as_bytes();
    let lonely = |at: usize| {
        let digit = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_digit);
        !(digit(at.checked_sub(1)) && digit(Some(at + 1)))
    };
    if (0..bytes.len()).any(|at| bytes[at] == b'_' && lonely(at)) {
        return Plain::Text;
    }
    float(&without_underscores(text))
}

fn without_underscores(text: &str) -> Cow<'_, str> {
    if text.contains('_') {
        Cow::Owned(text.replace('_', ""))
    } else {
        Cow::Borrowed(text)
    }
}

/// Reads a scalar that begins with a digit or a sign.
fn number(text: &str) -> Plain {
    // Most scalars that begin with a digit are versions, quantities or dates, which this check finds quickly.
    if !text
        .bytes()
        .all(|byte| byte.is_ascii_hexdigit() || matches!(byte, b'+' | b'-' | b'.' | b'_' | b'x' | b'X' | b'o' | b'O'))
    {
        return Plain::Text;
    }
    let text = &*without_underscores(text);
    let (negative, digits) = match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    };
    if let Some(size) = magnitude(digits) {
        if negative {
            if let Some(value) = 0i64.checked_sub_unsigned(size) {
                return Plain::Int(value);
            }
        } else if let Ok(value) = i64::try_from(size) {
            return Plain::Int(value);
        } else if !text.starts_with('+') {
            return Plain::Unsigned(size);
        }
    }
    match float(text) {
        Plain::Text => signed_binary(text),
        float => float,
    }
}

/// Parses an integer without a sign, in the base indicated by its prefix, as Go does.
fn magnitude(digits: &str) -> Option<u64> {
    let (base, digits) = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, &digits[2..]),
        [b'0', b'b' | b'B', ..] => (2, &digits[2..]),
        [b'0', b'o' | b'O', ..] => (8, &digits[2..]),
        [b'0', _, ..] => (8, &digits[1..]),
        _ => (10, digits),
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return None;
    }
    u64::from_str_radix(digits, base).ok()
}

/// Reads a binary integer as go-yaml does, which allows a sign after `0b`: `0b-11` is -3.
fn signed_binary(text: &str) -> Plain {
    let Some(digits) = text.strip_prefix("0b").filter(|digits| digits.starts_with(['+', '-'])) else {
        return Plain::Text;
    };
    i64::from_str_radix(digits, 2).map_or(Plain::Text, Plain::Int)
}

/// Parses `[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`, unless the number is too large.
fn float(text: &str) -> Plain {
    let bytes = text.as_bytes();
    let mut at = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
    let digits = |at: &mut usize| {
        let start = *at;
        while bytes.get(*at).is_some_and(u8::is_ascii_digit) {
            *at += 1;
        }
        *at - start
    };
    let whole = digits(&mut at);
    if bytes.get(at) == Some(&b'.') {
        at += 1;
        if digits(&mut at) == 0 && whole == 0 {
            return Plain::Text;
        }
    } else if whole == 0 {
        return Plain::Text;
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        at += 1;
        if matches!(bytes.get(at), Some(b'+' | b'-')) {
            at += 1;
        }
        if digits(&mut at) == 0 {
            return Plain::Text;
        }
    }
    if at != bytes.len() {
        return Plain::Text;
    }
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => Plain::Float(value),
        _ => Plain::Text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn booleans_and_null_are_accepted_in_three_cases() {
        for text in ["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"] {
            assert_eq!(resolve(text), Plain::Bool(true), "{text}");
        }
        for text in [
            "n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF",
        ] {
            assert_eq!(resolve(text), Plain::Bool(false), "{text}");
        }
        for text in ["", "~", "null", "Null", "NULL"] {
            assert_eq!(resolve(text), Plain::Null, "{text}");
        }
        for text in ["tRue", "yEs", "nUll", "oN", "~~", "yess", "<<", "="] {
            assert_eq!(resolve(text), Plain::Text, "{text}");
        }
    }

    #[test]
    fn integers_can_have_bases_and_underscores() {
        for (text, value) in [
            ("0", 0),
            ("017", 15),
            ("0017", 15),
            ("0755", 493),
            ("0o17", 15),
            ("0O17", 15),
            ("0x1F", 31),
            ("0X1f", 31),
            ("0b101", 5),
            ("-0x10", -16),
            ("1_000", 1000),
            ("1__0_", 10),
            ("0x_1F", 31),
            ("+1", 1),
            ("-1", -1),
            ("0b-11", -3),
            ("0b+1", 1),
            ("-9223372036854775808", i64::MIN),
            ("9223372036854775807", i64::MAX),
        ] {
            assert_eq!(resolve(text), Plain::Int(value), "{text}");
        }
        assert_eq!(resolve("9223372036854775808"), Plain::Unsigned(1 << 63));
        assert_eq!(resolve("18446744073709551615"), Plain::Unsigned(u64::MAX));
    }

    #[test]
    fn floats_match_one_pattern() {
        for (text, value) in [
            ("08", 8.0),
            ("09", 9.0),
            ("1e3", 1000.0),
            ("1.", 1.0),
            (".5", 0.5),
            (".1_0", 0.1),
            ("+.5", 0.5),
            ("1_0.5", 10.5),
            ("1E+2", 100.0),
            ("18446744073709551616", 18_446_744_073_709_551_616.0),
            ("+9223372036854775808", 9_223_372_036_854_775_808.0),
            ("-9223372036854775809", -9_223_372_036_854_775_808.0),
            ("1e-400", 0.0),
        ] {
            assert_eq!(resolve(text), Plain::Float(value), "{text}");
        }
        assert_eq!(resolve(".inf"), Plain::Float(f64::INFINITY));
        assert_eq!(resolve("-.INF"), Plain::Float(f64::NEG_INFINITY));
        assert!(matches!(resolve(".NaN"), Plain::Float(value) if value.is_nan()));
    }

    #[test]
    fn everything_else_is_a_string() {
        for text in [
            "12:30:45",
            "0.14.1",
            "2001-12-14",
            "1e400",
            "0x",
            "0b",
            "0o",
            "0b2",
            "-",
            "+",
            "--1",
            "._5",
            ".5_",
            ".",
            "..",
            "1e",
            "e1",
            "10Gi",
            "100m",
            "_1",
            "0x1G",
            "0xFFFFFFFFFFFFFFFFFF",
            "1.2.3",
            "v1",
            "-0b-1",
            "-.nan",
        ] {
            assert_eq!(resolve(text), Plain::Text, "{text}");
        }
    }
}
