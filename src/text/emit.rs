//! Writes YAML and JSON for people and Kubernetes tools.

use super::limits::Limits;
use super::load;
use super::resolve::{Plain, resolve};
use super::split;
use crate::visible::{self, begins_command, has_marker, is_hidden};
use serde::Serialize;
use serde_json::{Map, Value};
use std::fmt::Write;

/// libyaml and go-yaml accept `key:` as a key only if the colon comes within 1024 characters.
const LONGEST_KEY: usize = 1_000;

/// Returns a value as block YAML, with keys in the order of the value, lines never folded, and a trailing line feed.
/// Every string that a YAML 1.1 or 1.2 reader could interpret differently is quoted. The text is read back before it is
/// returned; if the result differs from the value, the value is written in the form of JSON.
pub fn to_yaml(value: &Value) -> String {
    let mut text = String::new();
    root(value, &mut text);
    if reads_back(&text, value) {
        return text;
    }
    let mut text = String::new();
    flow(value, &mut text);
    text.push('\n');
    text
}

/// Returns a value as JSON, with two spaces of indentation, keys in the order of the value, and a trailing line feed.
/// Characters that must not be printed unescaped (see `visible`) are escaped, as in YAML.
pub fn to_json<T: Serialize>(value: &T) -> String {
    let mut text = visible::json(&serde_json::to_string_pretty(value).unwrap_or_default()).into_owned();
    text.push('\n');
    text
}

fn reads_back(text: &str, value: &Value) -> bool {
    let mut pieces = split::pieces(text, 0);
    let whole = pieces.next().is_some_and(|piece| piece.bad_separator.is_none()) && pieces.next().is_none();
    whole && matches!(load::load(text, &Limits::UNLIMITED), Ok(Some(loaded)) if loaded.value == *value)
}

fn root(value: &Value, out: &mut String) {
    match value {
        Value::Object(map) if !map.is_empty() => block_map(map, 0, false, out),
        Value::Array(items) if !items.is_empty() => block_list(items, 0, false, out),
        scalar => {
            block_scalar(scalar, 2, out);
            out.push('\n');
        }
    }
}

/// Writes a map indented to `column`; `inline` means that the first key continues the current line.
fn block_map(map: &Map<String, Value>, column: usize, inline: bool, out: &mut String) {
    for (position, (key, value)) in map.iter().enumerate() {
        if position > 0 || !inline {
            pad(column, out);
        }
        let start = out.len();
        one_line(key, out);
        if out.len() - start > LONGEST_KEY {
            out.insert_str(start, "? ");
            out.push('\n');
            pad(column, out);
        }
        out.push(':');
        match value {
            Value::Object(map) if !map.is_empty() => {
                out.push('\n');
                block_map(map, column + 2, false, out);
            }
            Value::Array(items) if !items.is_empty() => {
                out.push('\n');
                block_list(items, column, false, out);
            }
            scalar => {
                out.push(' ');
                block_scalar(scalar, column + 2, out);
                out.push('\n');
            }
        }
    }
}

fn block_list(items: &[Value], column: usize, inline: bool, out: &mut String) {
    for (position, item) in items.iter().enumerate() {
        if position > 0 || !inline {
            pad(column, out);
        }
        out.push_str("- ");
        match item {
            Value::Object(map) if !map.is_empty() => block_map(map, column + 2, true, out),
            Value::Array(items) if !items.is_empty() => block_list(items, column + 2, true, out),
            scalar => {
                block_scalar(scalar, column + 2, out);
                out.push('\n');
            }
        }
    }
}

fn pad(column: usize, out: &mut String) {
    out.extend(std::iter::repeat_n(' ', column));
}

/// Writes a scalar or an empty list or map; the lines of a literal block begin at `column`.
fn block_scalar(value: &Value, column: usize, out: &mut String) {
    match value {
        Value::String(text) if fits_literal(text) => literal(text, column, out),
        Value::String(text) => one_line(text, out),
        other => flow(other, out),
    }
}

/// Returns whether a literal block can represent the text legibly.
fn fits_literal(text: &str) -> bool {
    let lines = || text.strip_suffix('\n').unwrap_or(text).split('\n');
    text.contains('\n')
        && lines().any(|line| !line.is_empty())
        && lines().all(|line| line.is_empty() || !line.trim().is_empty() && !begins_command(line))
        && !has_marker(text)
        && text
            .chars()
            .all(|letter| matches!(letter, '\n' | '\t') || is_printable(letter))
}

fn literal(text: &str, column: usize, out: &mut String) {
    out.push('|');
    if text.starts_with([' ', '\t', '\n']) {
        out.push('2');
    }
    let content = text.trim_end_matches('\n');
    match text.len() - content.len() {
        0 => out.push('-'),
        1 => {}
        _ => out.push('+'),
    }
    for line in text.strip_suffix('\n').unwrap_or(text).split('\n') {
        out.push('\n');
        if !line.is_empty() {
            pad(column, out);
            out.push_str(line);
        }
    }
}

/// Writes a string on one line, with quotes if necessary.
fn one_line(text: &str, out: &mut String) {
    if fits_plain(text) {
        out.push_str(text);
    } else if text.contains(['"', '\\']) && text.chars().all(is_printable) && !has_marker(text) {
        out.push('\'');
        out.push_str(&text.replace('\'', "''"));
        out.push('\'');
    } else {
        double_quoted(text, out);
    }
}

/// Returns whether the text reads as the same string without quotes.
fn fits_plain(text: &str) -> bool {
    let mut letters = text.chars();
    let first = letters.next();
    let begins_well = match first {
        None => false,
        Some('-') => letters.next().is_some_and(|second| second != ' ') && !text.starts_with("---"),
        Some(first) => !" ?:,[]{}#&*!|>'\"%@`".contains(first) && !text.starts_with("..."),
    };
    begins_well
        && !text.ends_with([' ', ':'])
        && !text.contains(": ")
        && !text.contains(" #")
        && text.chars().all(is_printable)
        && !has_marker(text)
        && resolve(text) == Plain::Text
        && !is_special_elsewhere(text)
}

/// Returns whether some YAML reader gives the plain text a special meaning: as a date, a base-60 number, a float too
/// large for Go, a merge key or the `=` of YAML 1.1.
fn is_special_elsewhere(text: &str) -> bool {
    if matches!(text, "<<" | "=") {
        return true;
    }
    if !text.starts_with(|first: char| first.is_ascii_digit() || matches!(first, '+' | '-' | '.')) {
        return false;
    }
    let sexagesimal = || {
        text.contains(':')
            && text
                .bytes()
                .all(|byte| byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b':' | b'.' | b'_'))
    };
    let date = || {
        let mut parts = text.splitn(3, '-');
        let digits = |part: Option<&str>, fits: fn(usize) -> bool| {
            part.is_some_and(|part| fits(part.len()) && part.bytes().all(|byte| byte.is_ascii_digit()))
        };
        digits(parts.next(), |length| length == 4)
            && digits(parts.next(), |length| matches!(length, 1 | 2))
            && parts
                .next()
                .is_some_and(|day| day.starts_with(|first: char| first.is_ascii_digit()))
    };
    text.replace('_', "").parse::<f64>().is_ok() || sexagesimal() || date()
}

/// Returns whether YAML allows the character unescaped in the middle of a line, and the character is visible there.
pub(super) fn is_printable(letter: char) -> bool {
    let allowed = matches!(letter, ' '..='~' | '\u{A0}'..='\u{FEFE}' | '\u{FF00}'..='\u{FFFD}' | '\u{10000}'..);
    allowed && !is_hidden(letter)
}

/// Writes a string in double quotes, with escapes that mean the same in YAML and JSON. Hidden characters beyond U+FFFF
/// are escaped as `\U…`, which only YAML supports.
pub(super) fn double_quoted(text: &str, out: &mut String) {
    out.push('"');
    for (at, letter) in text.char_indices() {
        match letter {
            '#' if visible::is_marker(text, at) => out.push_str("\\u0023"),
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            letter if is_printable(letter) => out.push(letter),
            letter => {
                // Writing into a string cannot fail.
                let _ = match u32::from(letter) {
                    code @ 0..=0xFFFF => write!(out, "\\u{code:04X}"),
                    code => write!(out, "\\U{code:08X}"),
                };
            }
        }
    }
    out.push('"');
}

/// Writes a value on one line in the form of JSON, except for long keys and some escapes that only YAML supports.
pub(super) fn flow(value: &Value, out: &mut String) {
    match value {
        Value::String(text) => double_quoted(text, out),
        Value::Array(items) => {
            out.push('[');
            for (position, item) in items.iter().enumerate() {
                if position > 0 {
                    out.push_str(", ");
                }
                flow(item, out);
            }
            out.push(']');
        }
        Value::Object(map) => {
            out.push('{');
            for (position, (key, value)) in map.iter().enumerate() {
                if position > 0 {
                    out.push_str(", ");
                }
                let start = out.len();
                double_quoted(key, out);
                if out.len() - start > LONGEST_KEY {
                    out.insert_str(start, "? ");
                }
                out.push_str(": ");
                flow(value, out);
            }
            out.push('}');
        }
        scalar => {
            // Null, booleans and numbers are written the same in JSON and YAML.
            let _ = write!(out, "{scalar}");
        }
    }
}
